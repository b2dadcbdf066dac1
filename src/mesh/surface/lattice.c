// A cubic lattice around a solid.
//
//   ball around the solid --tac_shape_steps--> tight box --> values at nodes --> roots on edges
//
// The box contains the whole solid: cells are only skipped if a proven ball covers them.

#include "mesh/surface/lattice.h"

#include "base/message.h"
#include "math/pose.h"
#include "shape/bounds/safe_radius.h"
#include "shape/bounds/shape_scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK         1024 // points that are evaluated together
#define BRICK         8    // nodes along the side of a brick that is skipped or divided
#define BRICK_ROW     32   // bricks that are tested together
#define BOX_N         24   // cells of the box search along each side
#define BOX_ROW       24   // cells that are tested together
#define SHRINK_ROUNDS 3    // rounds of that search
#define CUBE_ROUNDS   12   // and of the one with cubes, at most
#define LARGE_CLOUD   1000 // points of a cloud without proofs

//---------------------------------- box ------------------------------------------

typedef struct boxRow {
    double x[3][BOX_ROW], radius[BOX_ROW];
} boxRow;

// the cells of a search, all of one size, and the box around those that are not proven empty
typedef struct boxSearch {
    int n[3];
    double side[3], low[3], high[3];
} boxSearch;

// tests `count` cells of a row along x
static void search_row(const tacShapeSampler* s, const int at[3], int count, boxSearch* search) {
    boxRow c;
    const double* side = search->side;
    double half = 0.5 * sqrt(side[0] * side[0] + side[1] * side[1] + side[2] * side[2]);
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k)
            c.x[k][i] = s->low[k] + side[k] * (0.5 + (k ? at[k] : at[0] + i));
    double inside[BOX_ROW], *const x[3] = {c.x[0], c.x[1], c.x[2]};
    if (s->is_estimated)
        tac_shape_sampler_free(s, count, x, c.radius, inside);
    else
        tac_shape_steps(s->model, s->shape, s->pose, (tacPoints){count, {x[0], x[1], x[2]}},
                        c.radius, s->scratch);
    for (int i = 0; i < count; ++i) {
        if (c.radius[i] > half) continue;
        for (int k = 0; k < 3; ++k) {
            search->low[k] = fmin(search->low[k], c.x[k][i] - 0.5 * side[k]);
            search->high[k] = fmax(search->high[k], c.x[k][i] + 0.5 * side[k]);
        }
    }
}

// shrinks the box to the cells that are not proven empty
static void shrink_box(tacShapeSampler* s, const int n[3]) {
    boxSearch search = {.low = {INFINITY, INFINITY, INFINITY},
                        .high = {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < 3; ++k) search.side[k] = (s->high[k] - s->low[k]) / n[k];
    for (int row = 0; row < n[1] * n[2]; ++row)
        for (int first = 0; first < n[0]; first += BOX_ROW) {
            int at[3] = {first, row % n[1], row / n[1]}, rest = n[0] - first;
            search_row(s, at, rest < BOX_ROW ? rest : BOX_ROW, &search);
        }
    memcpy(s->low, search.low, sizeof search.low);
    memcpy(s->high, search.high, sizeof search.high);
}

static double longest_side(const tacShapeSampler* s) {
    return fmax(s->high[0] - s->low[0], fmax(s->high[1] - s->low[1], s->high[2] - s->low[2]));
}

static double shortest_side(const tacShapeSampler* s) {
    return fmin(s->high[0] - s->low[0], fmin(s->high[1] - s->low[1], s->high[2] - s->low[2]));
}

static double box_volume(const tacShapeSampler* s) {
    return (s->high[0] - s->low[0]) * (s->high[1] - s->low[1]) * (s->high[2] - s->low[2]);
}

// For a long or flat solid, cells as long as the box cannot shrink it across: cubes of the
// same number, as long as they help.
static void shrink_with_cubes(tacShapeSampler* s) {
    for (int round = 0; round < CUBE_ROUNDS; ++round) {
        double before = box_volume(s), cube = cbrt(before) / BOX_N;
        int n[3];
        if (!(shortest_side(s) < longest_side(s) / 12.0)) return;
        for (int k = 0; k < 3; ++k) n[k] = (int)ceil((s->high[k] - s->low[k]) / cube);
        shrink_box(s, n);
        if (!(box_volume(s) < 0.9 * before)) return;
    }
}

static tacResult find_box(tacShapeSampler* s, double radius, tacMessage* message) {
    const char* name = s->model->shape[s->shape].name;
    for (int k = 0; k < 3; ++k) {
        s->low[k] = -1.001 * radius;
        s->high[k] = 1.001 * radius;
    }
    for (int i = 0; i < SHRINK_ROUNDS && s->low[0] < s->high[0]; ++i)
        shrink_box(s, (const int[3]){BOX_N, BOX_N, BOX_N});
    shrink_with_cubes(s);
    if (!(s->low[0] < s->high[0]))
        return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, "shape",
                        "'%s' is empty: its parts have no volume in common", name);
    s->size = longest_side(s);
    return TAC_OK;
}

// surfaces and masses do not depend on truncation, so it is switched off here
static void copy_untruncated(tacShapeSampler* sampler, const tacModel* model, int shape) {
    sampler->model_copy = *model;
    sampler->shape_copy = model->shape[shape];
    sampler->shape_copy.truncate = 0.0;
    sampler->model_copy.shape = &sampler->shape_copy;
    sampler->model_copy.nshape = 1;
    sampler->model = &sampler->model_copy;
    sampler->shape = 0;
}

static int has_large_cloud(const tacModel* model, int shape) {
    const tacShape* s = &model->shape[shape];
    for (int i = s->first; i < s->first + s->count; ++i)
        if (model->node[i].kind == TAC_NODE_CLOUD &&
            model->cloud[model->node[i].cloud].count > LARGE_CLOUD)
            return 1;
    return 0;
}

tacResult tac_shape_sampler_open(const tacModel* model, int shape, tacQuat rotation,
                                 tacShapeSampler* sampler, tacMessage* message) {
    *sampler = (tacShapeSampler){.model = model, .shape = shape};
    if (!model || shape < 0 || shape >= model->nshape)
        return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, "shape", "there is no such shape");
    tacResult result = tac_shape_scratch_create(model, &sampler->scratch);
    if (result != TAC_OK) return tac_fail(message, result, NULL, 0, NULL, "out of memory");
    copy_untruncated(sampler, model, shape);
    sampler->is_estimated = has_large_cloud(model, shape);
    tacBall ball = tac_shape_ball(sampler->model, sampler->shape, sampler->scratch);
    if (!isfinite(ball.radius))
        return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, "shape",
                        "'%s' is unbounded: it contains a half-space that no other part cuts off",
                        model->shape[shape].name);
    if (!(ball.radius > 0.0))
        return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, "shape", "'%s' is empty",
                        model->shape[shape].name);
    tacVec3 rotated_center = tac_mat_mul_vec(tac_quat_to_mat(rotation), ball.center);
    sampler->pose = (tacPose){tac_neg(rotated_center), rotation};
    return find_box(sampler, ball.radius, message);
}

void tac_shape_sampler_free(const tacShapeSampler* sampler, int count, double* const x[3],
                            double* outside, double* inside) {
    if (!sampler->is_estimated) {
        tac_shape_safe_radius(sampler->model, sampler->shape, sampler->pose,
                              (tacPoints){count, {x[0], x[1], x[2]}}, outside, inside,
                              sampler->scratch);
        return;
    }
    tac_shape_sampler_eval(sampler, count, x, outside, NULL);
    for (int i = 0; i < count; ++i) {
        double value = outside[i];
        outside[i] = value > 0.0 ? 0.5 * value : 0.0;
        inside[i] = value < 0.0 ? -0.5 * value : 0.0;
    }
}

void tac_shape_sampler_eval(const tacShapeSampler* sampler, int count, double* const x[3],
                            double* value, double* const g[3]) {
    tacField field = {.value = value};
    for (int k = 0; k < 3 && g; ++k) field.gradient[k] = g[k];
    tac_shape_eval(sampler->model, sampler->shape, sampler->pose,
                   (tacPoints){count, {x[0], x[1], x[2]}}, field, sampler->scratch);
}

//---------------------------------- nodes ----------------------------------------

// a cube of `side` nodes along each edge, clipped to the lattice
typedef struct brick {
    int first[3], side;
} brick;

// its nodes, at most BRICK^3; how many
static int brick_nodes(const tacLattice* l, const brick* b, int* node) {
    int count = 0, end[3];
    for (int k = 0; k < 3; ++k)
        end[k] = b->first[k] + b->side < l->n[k] ? b->first[k] + b->side : l->n[k];
    for (int z = b->first[2]; z < end[2]; ++z)
        for (int y = b->first[1]; y < end[1]; ++y)
            for (int x = b->first[0]; x < end[0]; ++x)
                node[count++] = x + l->stride[1] * y + l->stride[2] * z;
    return count;
}

static void eval_brick(tacLattice* l, const brick* b) {
    double x[3][BRICK * BRICK * BRICK], value[BRICK * BRICK * BRICK];
    double* const pointers[3] = {x[0], x[1], x[2]};
    int node[BRICK * BRICK * BRICK], count = brick_nodes(l, b, node);
    for (int i = 0; i < count; ++i) {
        double p[3];
        tac_lattice_point(l, node[i], p);
        for (int k = 0; k < 3; ++k) x[k][i] = p[k];
    }
    tac_shape_sampler_eval(l->sampler, count, pointers, value, NULL);
    for (int i = 0; i < count; ++i) l->value[node[i]] = value[i];
}

// values that are never interpolated: no neighbour of their nodes is on the other side
static void mark_brick(tacLattice* l, const brick* b, double value) {
    int node[BRICK * BRICK * BRICK], count = brick_nodes(l, b, node);
    for (int i = 0; i < count; ++i) l->value[node[i]] = value;
}

static void divide_brick(tacLattice* l, const brick* b);

// A brick that a proven ball covers, with two nodes more around it, is all outside or all inside;
// another is divided, or evaluated if it is small.
static void fill_bricks(tacLattice* l, const brick* b, int count) {
    double x[3][BRICK_ROW], outside[BRICK_ROW], inside[BRICK_ROW];
    double half = 0.5 * (b->side - 1) * l->step;
    double needed = 1.001 * sqrt(3.0) * half + 2.0 * l->step;
    const tacShapeSampler* s = l->sampler;
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) x[k][i] = l->low[k] + l->step * b[i].first[k] + half;
    tac_shape_sampler_free(s, count, (double* const[3]){x[0], x[1], x[2]}, outside, inside);
    for (int i = 0; i < count; ++i) {
        if (outside[i] > needed)
            mark_brick(l, &b[i], l->step);
        else if (inside[i] > needed)
            mark_brick(l, &b[i], -l->step);
        else if (b->side <= BRICK / 2)
            eval_brick(l, &b[i]);
        else
            divide_brick(l, &b[i]);
    }
}

static void divide_brick(tacLattice* l, const brick* b) {
    brick part[8];
    for (int i = 0; i < 8; ++i) {
        part[i].side = b->side / 2;
        for (int k = 0; k < 3; ++k) part[i].first[k] = b->first[k] + (i >> k & 1) * part[i].side;
    }
    fill_bricks(l, part, 8);
}

static void fill_values(tacLattice* l) {
    brick row[BRICK_ROW];
    for (int z = 0; z < l->n[2]; z += BRICK)
        for (int y = 0; y < l->n[1]; y += BRICK)
            for (int x = 0, count = 0; x < l->n[0]; x += BRICK) {
                row[count++] = (brick){{x, y, z}, BRICK};
                if (count < BRICK_ROW && x + BRICK < l->n[0]) continue;
                fill_bricks(l, row, count);
                count = 0;
            }
}

// the box contains the solid, so a border node inside is a rounding error
static void clear_border(tacLattice* l) {
    for (int k = 0; k < 3; ++k) {
        int u = (k + 1) % 3, v = (k + 2) % 3;
        for (int i = 0; i < l->n[u]; ++i)
            for (int j = 0; j < l->n[v]; ++j) {
                double* first = &l->value[i * l->stride[u] + j * l->stride[v]];
                double* last = first + (l->n[k] - 1) * l->stride[k];
                if (tac_is_inside(*first)) *first = 1e-3 * l->step;
                if (tac_is_inside(*last)) *last = 1e-3 * l->step;
            }
    }
}

tacResult tac_lattice_fill(const tacShapeSampler* sampler, int cells, tacRegion* blocks,
                           tacLattice* out) {
    // irrational offsets: nodes are neither on symmetry planes of a shape nor on its surface
    static const double share[3] = {0.61803398874989485, 0.41421356237309505, 0.73205080756887729};
    tacLattice l = {.sampler = sampler, .step = sampler->size / cells};
    double total = 1.0;
    for (int k = 0; k < 3; ++k) {
        double offset = fmod(share[k] * (cells % 1000), 1.0);
        l.low[k] = sampler->low[k] - l.step * (1.0 + offset);
        l.n[k] = (int)ceil((sampler->high[k] - l.low[k]) / l.step) + 2;
        total *= l.n[k];
    }
    if (total > 4e7) return TAC_ERROR_MEMORY;
    l.stride[0] = 1;
    l.stride[1] = l.n[0];
    l.stride[2] = l.n[0] * l.n[1];
    l.value = TAC_REGION_ALLOC(blocks, double, total);
    if (!l.value) return TAC_ERROR_MEMORY;
    fill_values(&l);
    clear_border(&l);
    *out = l;
    return TAC_OK;
}

//---------------------------------- roots ----------------------------------------

tacResult tac_crossings_create(tacCrossings* c, int count, tacRegion* blocks) {
    *c = (tacCrossings){.count = count};
    c->node = TAC_REGION_ALLOC(blocks, int, count);
    c->to = TAC_REGION_ALLOC(blocks, int, count);
    int missing = !c->node || !c->to;
    for (int k = 0; k < 3; ++k) missing |= !(c->x[k] = TAC_REGION_ALLOC(blocks, double, count));
    return missing ? TAC_ERROR_MEMORY : TAC_OK;
}

// brackets of a chunk of edges: values fa < 0 <= fb at shares a, b of the way
typedef struct rootChunk {
    double from[3][CHUNK], direction[3][CHUNK], x[3][CHUNK];
    double a[CHUNK], b[CHUNK], fa[CHUNK], fb[CHUNK], t[CHUNK], f[CHUNK];
    int open[CHUNK]; // brackets that are still wide; x and f are theirs
} rootChunk;

static void chunk_open(const tacLattice* l, const tacCrossings* c, int first, int count,
                       rootChunk* r) {
    for (int i = 0; i < count; ++i) {
        int in = c->node[first + i], out = c->to[first + i];
        if (!tac_is_inside(l->value[in])) {
            in = out;
            out = c->node[first + i];
        }
        double p[3], q[3];
        tac_lattice_point(l, in, p);
        tac_lattice_point(l, out, q);
        for (int k = 0; k < 3; ++k) {
            r->from[k][i] = p[k];
            r->direction[k][i] = q[k] - p[k];
        }
        r->a[i] = 0.0;
        r->b[i] = 1.0;
        r->fa[i] = l->value[in];
        r->fb[i] = l->value[out];
        r->open[i] = i;
    }
}

// Illinois regula falsi, with a bisection every fifth iteration; Chandrupatla's method would save
// little
static void chunk_propose(rootChunk* r, int count, int iteration) {
    for (int j = 0; j < count; ++j) {
        int i = r->open[j];
        double d = r->fb[i] - r->fa[i];
        double t = d > 0.0 ? (r->a[i] * r->fb[i] - r->b[i] * r->fa[i]) / d : r->a[i];
        if (iteration % 5 == 4 || !(t > r->a[i] && t < r->b[i])) t = 0.5 * (r->a[i] + r->b[i]);
        r->t[i] = t;
        for (int k = 0; k < 3; ++k) r->x[k][j] = r->from[k][i] + t * r->direction[k][i];
    }
}

// removes converged roots from the list; how many are left
static int chunk_narrow(rootChunk* r, int count, double close) {
    int open = 0;
    for (int j = 0; j < count; ++j) {
        int i = r->open[j];
        double f = r->f[j];
        if (tac_is_inside(f)) {
            r->a[i] = r->t[i];
            r->fa[i] = f;
            r->fb[i] *= 0.5;
        } else {
            r->b[i] = r->t[i];
            r->fb[i] = f;
            r->fa[i] *= 0.5;
        }
        if (fabs(f) > close && r->b[i] - r->a[i] > 4e-16) r->open[open++] = i;
    }
    return open;
}

tacResult tac_crossings_solve(const tacLattice* lattice, double close, tacCrossings* c,
                              tacRegion* blocks) {
    rootChunk* r = TAC_REGION_ALLOC(blocks, rootChunk, 1);
    if (!r) return TAC_ERROR_MEMORY;
    double* const x[3] = {r->x[0], r->x[1], r->x[2]};
    close = fmax(close, 2e-14 * lattice->sampler->size);
    for (int first = 0; first < c->count; first += CHUNK) {
        int count = c->count - first < CHUNK ? c->count - first : CHUNK, open = count;
        chunk_open(lattice, c, first, count, r);
        for (int iteration = 0; iteration < 40 && open > 0; ++iteration) {
            chunk_propose(r, open, iteration);
            tac_shape_sampler_eval(lattice->sampler, open, x, r->f, NULL);
            open = chunk_narrow(r, open, close);
        }
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i < count; ++i)
                c->x[k][first + i] = r->from[k][i] + r->t[i] * r->direction[k][i];
    }
    return TAC_OK;
}
