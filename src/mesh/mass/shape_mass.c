// Volume, centre and inertia of a shape, as integrals over its surface.
//
//   integral f dV = 1/(3 + degree f) surface integral f (x . n) dA    for homogeneous f
//
// The surface is intersected by the three families of lines of a lattice. A line along axis k that
// crosses the surface represents an area h^2/|n_k| of it; the families share the surface by weights
// n_k^6/(n_1^6 + n_2^6 + n_3^6), which vanish where the lines graze. So each family sums a smooth
// function of compact support over a square lattice, which converges fast for smooth
// surfaces. Across ridges it jumps, and there the sum over chords of the lines, whose lengths are
// continuous, is better. The method whose last two results differ less is used (docs/mesh.md).

#include "mesh/mass/octree_mass.h"

#include "base/message.h"
#include "math/quat.h"

#include <math.h>

#define FIRST_CELLS  24
#define FINEST_CELLS 310
// from here on lattices are fitted to the surface found before
#define FITTED_CELLS 74

enum { MOMENTS = TAC_MOMENTS };
static const int factor[MOMENTS][2] = {{-1, -1}, {0, -1}, {1, -1}, {2, -1}, {0, 0},
                                       {1, 1},   {2, 2},  {0, 1},  {0, 2},  {1, 2}};

//---------------------------------- crossings ------------------------------------

// Edges along an axis that cross: nodes at the end of a line are outside, and so is the first of
// the next, so lines need no ends. Both loops are without branches, as few edges cross.
static int count_crossings(const tacLattice* l, int axis) {
    const double *from = l->value, *to = from + l->stride[axis];
    int count = 0, end = tac_lattice_count(l) - l->stride[axis];
    for (int node = 0; node < end; ++node)
        count += tac_is_inside(from[node]) != tac_is_inside(to[node]);
    return count;
}

static void list_crossings(const tacLattice* l, int axis, tacCrossings* c) {
    const double *from = l->value, *to = from + l->stride[axis];
    for (int node = 0, count = 0; count < c->count; ++node) {
        c->node[count] = node;
        c->to[count] = node + l->stride[axis];
        count += tac_is_inside(from[node]) != tac_is_inside(to[node]);
    }
}

//---------------------------------- sums -----------------------------------------

// two sums for the same integrals: shares of the surface, and chords through the solid
enum { BY_SURFACE, BY_CHORD, METHODS };

typedef struct momentSum {
    double about[3]; // origin of the moments: near the solid, against cancellation
    double close;    // |value| of a point that counts as on the surface
    double sum[METHODS][MOMENTS], compensation[METHODS][MOMENTS];
    double low[3], high[3]; // box around the intersections, three cells wider
} momentSum;

// compensated: millions of terms
static void add_compensated(momentSum* s, int method, int m, double term) {
    double y = term - s->compensation[method][m], t = s->sum[method][m] + y;
    s->compensation[method][m] = (t - s->sum[method][m]) - y;
    s->sum[method][m] = t;
}

static double power6(double a) { return a * a * a * a * a * a; }

static void add_share(momentSum* s, int axis, double area, const double y[3], const double g[3]) {
    double length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    if (!(length > 0.0)) return;
    double n[3] = {g[0] / length, g[1] / length, g[2] / length};
    if (!(fabs(n[axis]) > 1e-8)) return; // its weight is 1e-48
    double weight = power6(n[axis]) / (power6(n[0]) + power6(n[1]) + power6(n[2]));
    double term = area * weight / fabs(n[axis]) * (y[0] * n[0] + y[1] * n[1] + y[2] * n[2]);
    for (int m = 0; m < MOMENTS; ++m) {
        double f = 1.0;
        int degree = 0;
        for (int k = 0; k < 2; ++k)
            if (factor[m][k] >= 0) {
                f *= y[factor[m][k]];
                ++degree;
            }
        add_compensated(s, BY_SURFACE, m, term * f / (3 + degree));
    }
}

// end (sign 1) or beginning (-1) of a chord along the axis; a third for each family of lines
static void add_chord(momentSum* s, int axis, double area, const double y[3], double sign) {
    for (int m = 0; m < MOMENTS; ++m) {
        double f = sign * area / 3.0 * y[axis];
        int degree = 1;
        for (int k = 0; k < 2; ++k)
            if (factor[m][k] >= 0) {
                f *= y[factor[m][k]];
                degree += factor[m][k] == axis;
            }
        add_compensated(s, BY_CHORD, m, f / degree);
    }
}

static tacResult add_axis(const tacLattice* l, int axis, momentSum* s, tacRegion* blocks) {
    tacCrossings c;
    tacResult result = tac_crossings_create(&c, count_crossings(l, axis), blocks);
    if (result != TAC_OK) return result;
    list_crossings(l, axis, &c);
    result = tac_crossings_solve(l, s->close, &c, blocks);
    double *value = TAC_REGION_ALLOC(blocks, double, c.count), *g[3];
    int missing = result != TAC_OK || !value;
    for (int k = 0; k < 3; ++k) missing |= !(g[k] = TAC_REGION_ALLOC(blocks, double, c.count));
    if (missing) return TAC_ERROR_MEMORY;
    tac_shape_sampler_eval(l->sampler, c.count, c.x, value, g);
    for (int i = 0; i < c.count; ++i) {
        double y[3], n[3] = {g[0][i], g[1][i], g[2][i]}, area = l->step * l->step;
        for (int k = 0; k < 3; ++k) {
            y[k] = c.x[k][i] - s->about[k];
            s->low[k] = fmin(s->low[k], c.x[k][i] - 3.0 * l->step);
            s->high[k] = fmax(s->high[k], c.x[k][i] + 3.0 * l->step);
        }
        add_share(s, axis, area, y, n);
        add_chord(s, axis, area, y, tac_is_inside(l->value[c.node[i]]) ? 1.0 : -1.0);
    }
    return TAC_OK;
}

// what the caller asks for
typedef struct massTask {
    tacShapeSampler* sampler;
    double density, tolerance;
    tacProgressCallback callback;
} massTask;

// the cost of a lattice is its number of cells, of which `part` quarters are done; the last lattice
// may not be needed
static void report_progress(const massTask* task, int cells, int part) {
    double done = 0.0, all = 0.0;
    for (int c = FIRST_CELLS; c <= FINEST_CELLS; c += c / 3) {
        double work = (double)c * c * c;
        done += c < cells ? work : c == cells ? 0.25 * part * work : 0.0;
        all += work;
    }
    if (task->callback.progress) task->callback.progress(task->callback.user, done / all);
}

static tacResult sum_moments(const massTask* task, int cells, momentSum* s) {
    const tacShapeSampler* sampler = task->sampler;
    double tolerance = task->tolerance;
    tacRegion blocks = {sampler->model->allocator, NULL, (size_t)1 << 32};
    tacLattice lattice;
    *s = (momentSum){.close = 3e-3 * tolerance * sampler->size};
    for (int k = 0; k < 3; ++k) {
        s->about[k] = 0.5 * (sampler->low[k] + sampler->high[k]);
        s->low[k] = INFINITY;
        s->high[k] = -INFINITY;
        s->close = fmin(s->close, 3e-3 * tolerance * (sampler->high[k] - sampler->low[k]));
    }
    tacResult result = tac_lattice_fill(sampler, cells, &blocks, &lattice);
    for (int axis = 0; axis < 3 && result == TAC_OK; ++axis) {
        report_progress(task, cells, 1 + axis);
        result = add_axis(&lattice, axis, s, &blocks);
    }
    tac_region_release(&blocks);
    return result;
}

//---------------------------------- properties -----------------------------------

// moments about a point -> mass, centre, inertia about the centre
static tacMass mass_properties(const double* m, const double about[3], double density) {
    tacMass out = {.volume = m[0], .mass = density * m[0]};
    double c[3], second[6];
    for (int k = 0; k < 3; ++k) {
        c[k] = m[1 + k] / m[0];
        out.center[k] = about[k] + c[k];
    }
    for (int k = 0; k < 6; ++k)
        second[k] = density * (m[4 + k] - m[0] * c[factor[4 + k][0]] * c[factor[4 + k][1]]);
    double trace = second[0] + second[1] + second[2];
    for (int k = 0; k < 3; ++k) out.inertia[k] = trace - second[k];
    for (int k = 3; k < 6; ++k) out.inertia[k] = -second[k];
    return out;
}

// relative difference of two results
static double relative_difference(const tacMass* a, const tacMass* b) {
    double trace = b->inertia[0] + b->inertia[1] + b->inertia[2], gyration = sqrt(trace / b->mass);
    double worst = fabs(a->volume / b->volume - 1.0);
    for (int k = 0; k < 3; ++k) worst = fmax(worst, fabs(a->center[k] - b->center[k]) / gyration);
    for (int k = 0; k < 6; ++k) worst = fmax(worst, fabs(a->inertia[k] - b->inertia[k]) / trace);
    return worst;
}

// the last result of one method, and its difference from the one before
typedef struct massEstimate {
    tacMass last;
    double change;
} massEstimate;

// the estimate is four times the last difference, or twice the one before if that is more, and what
// points `close` to the surface instead of on it can do
static void update_estimate(massEstimate* t, tacMass now, double tolerance) {
    if (!(now.volume > 0.0)) return; // no lattice has found it so far
    double change = t->last.volume > 0.0 ? relative_difference(&t->last, &now) : INFINITY;
    now.error = fmax(4.0 * change, 2.0 * t->change) + 0.02 * tolerance + 1e-14;
    *t = (massEstimate){now, change};
}

// A proven box can be ten times as large as the solid.
static void shrink_box(tacShapeSampler* sampler, const momentSum* sums) {
    sampler->size = 0.0;
    for (int k = 0; k < 3; ++k) {
        sampler->low[k] = fmax(sampler->low[k], sums->low[k]);
        sampler->high[k] = fmin(sampler->high[k], sums->high[k]);
        sampler->size = fmax(sampler->size, sampler->high[k] - sampler->low[k]);
    }
}

// Finer lattices until the better method's estimate is good enough.
static tacResult converge(massTask* task, tacMass* out) {
    massEstimate method[METHODS] = {{{.error = INFINITY}, INFINITY},
                                    {{.error = INFINITY}, INFINITY}};
    const tacMass* best = &method[0].last;
    for (int cells = FIRST_CELLS; cells <= FINEST_CELLS; cells += cells / 3) {
        momentSum s;
        tacResult result = sum_moments(task, cells, &s);
        if (result != TAC_OK) return result;
        for (int w = 0; w < METHODS; ++w)
            update_estimate(&method[w], mass_properties(s.sum[w], s.about, task->density),
                            task->tolerance);
        best = &method[method[BY_CHORD].last.error < method[BY_SURFACE].last.error].last;
        if (best->error <= task->tolerance) break;
        if (cells >= FITTED_CELLS && best->volume > 0.0) shrink_box(task->sampler, &s);
    }
    if (!(best->volume > 0.0) || !isfinite(best->error)) return TAC_ERROR_UNSOLVED;
    *out = *best;
    return TAC_OK;
}

//---------------------------------- few digits -----------------------------------

// finer tolerances than this are a matter of lattices, which converge faster
#define OCTREE_TOLERANCE 2e-5

typedef struct octreeTask {
    const massTask* task;
    massEstimate estimate;
    int levels;
} octreeTask;

// Differences fall by a ratio r from level to level, so r/(1 - r) of the last one is left; half as
// much again is stated. A ratio below 1/10 may be a matter of chance.
static void update_octree(massEstimate* t, tacMass now, double tolerance) {
    if (!(now.volume > 0.0)) return;
    double change = t->last.volume > 0.0 ? relative_difference(&t->last, &now) : INFINITY;
    double ratio = isfinite(t->change) ? change / t->change : 1.0;
    double left = ratio < 0.1 ? 1.0 : ratio < 0.5 ? ratio / (1.0 - ratio) : 3.0;
    now.error = 1.5 * change * left + 0.02 * tolerance + 1e-14;
    *t = (massEstimate){now, change};
}

static int octree_level(void* user, const tacMoments* moments) {
    octreeTask* t = user;
    double tolerance = t->task->tolerance;
    update_octree(&t->estimate, mass_properties(moments->sum, moments->about, t->task->density),
                  tolerance);
    if (t->task->callback.progress)
        t->task->callback.progress(t->task->callback.user, 0.25 * ++t->levels);
    // a solid thinner than the cells looks smooth to them
    if (moments->proven < 0.3 * moments->sum[0]) t->estimate.change = INFINITY;
    return isfinite(t->estimate.change) && t->estimate.last.error <= tolerance;
}

// TAC_ERROR_UNSOLVED: lattices must do it
static tacResult converge_octree(const massTask* task, tacMass* out) {
    octreeTask t = {task, {{.error = INFINITY}, INFINITY}, 0};
    if (task->tolerance < OCTREE_TOLERANCE) return TAC_ERROR_UNSOLVED;
    tacResult result = tac_octree_moments(task->sampler, octree_level, &t);
    if (result == TAC_OK) *out = t.estimate.last;
    return result;
}

// from the lattice's frame to the shape's
static void to_shape_frame(tacPose pose, tacMass* m) {
    tacMat3 R = tac_quat_to_mat(pose.rotation), tensor;
    const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) tensor.m[i][j] = m->inertia[at[i][j]];
    tensor = tac_mat_tmul(R, tac_mat_mul(tensor, R));
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) m->inertia[at[i][j]] = tensor.m[i][j];
    tac_store3(m->center, tac_mat_tmul_vec(R, tac_sub(tac_load3(m->center), pose.position)));
}

tacResult tac_shape_mass_with_progress(const tacModel* model, int shape, double density,
                                       double tolerance, void (*progress)(void* user, double done),
                                       void* user, tacMass* out, tacMessage* message) {
    if (!out || !(density > 0.0) || !isfinite(density))
        return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, "density", "must be above 0");
    if (!(tolerance >= 1e-12 && tolerance <= 0.1))
        return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, "tolerance", "must be 1e-12 to 0.1");
    tacShapeSampler sampler;
    // rotated, so that neither faces nor ridges of a shape are aligned with the lattice
    const tacQuat tilt = {0.8, 0.37, -0.29, 0.41};
    tacMass mass;
    tacResult result = tac_shape_sampler_open(model, shape, tilt, &sampler, message);
    if (result == TAC_OK) {
        massTask task = {&sampler, density, tolerance, {progress, user}};
        result = converge_octree(&task, &mass);
        if (result == TAC_ERROR_UNSOLVED) result = converge(&task, &mass);
        if (result == TAC_OK) {
            to_shape_frame(sampler.pose, &mass);
            *out = mass;
        }
        if (result == TAC_ERROR_UNSOLVED)
            tac_fail(message, result, NULL, 0, "shape", "'%s' is empty, or too thin to be found",
                     model->shape[shape].name);
        else if (result != TAC_OK)
            tac_fail(message, result, NULL, 0, NULL, "out of memory");
    }
    tac_scratch_destroy(sampler.scratch);
    return result;
}

tacResult tac_shape_mass(const tacModel* model, int shape, double density, double tolerance,
                         tacMass* out, tacMessage* message) {
    return tac_shape_mass_with_progress(model, shape, density, tolerance, NULL, NULL, out, message);
}
