// A small convex program with half-spaces and balls, by an interior-point method.

#include "detect/sat/cone_program.h"

#include "math/vector_ops.h"

#include <math.h>
#include <string.h>

enum { MAX_PASSES = 60 };

static int rows_of(const tacConeProgram* c) { return c->linear + c->cones * c->dimension; }
static int degree_of(const tacConeProgram* c) { return c->linear + c->cones; }

typedef struct coneWork {
    const tacConeProgram* c;
    int n, rows;
    double *s, *z, *lambda, *ds, *dz, *rz, *r, *v; // (rows)
    double* w;                                     // scaling of the numbers, sqrt(s/z)  (linear)
    double* y;                                     // (squares + rows)
    double* M;  // B over W^-1 G, by columns, the largest rows first; then its factors
    int* order; // row of M -> row of (B; W^-1 G)               (squares + rows)
    int column[TAC_CONE_UNKNOWNS]; // column of M -> unknown
    double eta[TAC_CONE_CONES], bar[TAC_CONE_CONES][4];
    double x[TAC_CONE_UNKNOWNS], dx[TAC_CONE_UNKNOWNS], rx[TAC_CONE_UNKNOWNS];
    double diagonal[TAC_CONE_UNKNOWNS], beta[TAC_CONE_UNKNOWNS]; // of R; of the reflections
} coneWork;

static coneWork alloc_cone_work(int rows, int squares, tacArena* arena) {
    int all = rows + squares;
    coneWork k = {.rows = rows};
    double** const arrays[] = {&k.s, &k.z, &k.lambda, &k.ds, &k.dz, &k.rz, &k.r, &k.v, &k.w};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        *arrays[i] = tac_alloc_zero(arena, rows);
    k.y = tac_alloc_zero(arena, all);
    k.order = TAC_ALLOC(arena, int, all);
    k.M = tac_alloc_zero(arena, TAC_CONE_UNKNOWNS * all);
    return k;
}

size_t tac_cone_program_size(int rows) {
    tacArena dry = tac_arena_measure(1);
    alloc_cone_work(rows, TAC_CONE_SQUARES, &dry);
    return dry.peak;
}

static coneWork begin_cone_work(const tacConeProgram* c, void* memory) {
    tacArena arena = tac_arena_over(memory);
    coneWork k = alloc_cone_work(rows_of(c), c->squares, &arena);
    k.c = c;
    k.n = c->unknowns;
    return k;
}

//---------------------------------- cones ----------------------------------------

// x0^2 - |x1|^2, without cancellation near the boundary
static double cone_norm2(const double* x, int n) {
    double r = sqrt(tac_dot_reals(x + 1, x + 1, n - 1));
    return (x[0] - r) * (x[0] + r);
}

// a number is inside by itself, a cone by x0 - |x1|: the least over all
static double cone_depth(const coneWork* k, const double* x) {
    double least = INFINITY;
    for (int i = 0; i < k->c->linear; ++i) least = fmin(least, x[i]);
    for (int b = 0; b < k->c->cones; ++b) {
        const double* y = x + k->c->linear + b * k->c->dimension;
        least = fmin(least, y[0] - sqrt(tac_dot_reals(y + 1, y + 1, k->c->dimension - 1)));
    }
    return least;
}

// x += a e, e the unit of the cones
static void add_unit(const coneWork* k, double a, double* x) {
    for (int i = 0; i < k->c->linear; ++i) x[i] += a;
    for (int b = 0; b < k->c->cones; ++b) x[k->c->linear + b * k->c->dimension] += a;
}

// out = x o y
static void cone_product(const coneWork* k, const double* x, const double* y, double* out) {
    for (int i = 0; i < k->c->linear; ++i) out[i] = x[i] * y[i];
    for (int b = 0, d = k->c->dimension, at = k->c->linear; b < k->c->cones; ++b, at += d) {
        double first = tac_dot_reals(x + at, y + at, d), x0 = x[at], y0 = y[at];
        for (int i = 1; i < d; ++i) out[at + i] = x0 * y[at + i] + y0 * x[at + i];
        out[at] = first;
    }
}

// out with lambda o out = r
static void cone_divide(const coneWork* k, const double* r, double* out) {
    const double* l = k->lambda;
    for (int i = 0; i < k->c->linear; ++i) out[i] = r[i] / l[i];
    for (int b = 0, d = k->c->dimension, at = k->c->linear; b < k->c->cones; ++b, at += d) {
        double r0 = r[at], first = l[at] * r0 - tac_dot_reals(l + at + 1, r + at + 1, d - 1);
        first /= cone_norm2(l + at, d);
        for (int i = 1; i < d; ++i) out[at + i] = (r[at + i] - first * l[at + i]) / l[at];
        out[at] = first;
    }
}

// How far x may go along d and stay in the cones: the least root of |.|.
static double cone_step(const double* x, const double* d, int n) {
    double a = d[0] * d[0] - tac_dot_reals(d + 1, d + 1, n - 1);
    double b = x[0] * d[0] - tac_dot_reals(x + 1, d + 1, n - 1), c = cone_norm2(x, n);
    double root = b * b - a * c;
    if (root < 0.0) return INFINITY;
    // a t^2 + 2 b t + c = 0 with c > 0: the smallest t > 0
    double q = -(b + copysign(sqrt(root), b)), t = INFINITY;
    if (q != 0.0 && c / q > 0.0) t = c / q;
    if (a != 0.0 && q / a > 0.0) t = fmin(t, q / a);
    if (d[0] < 0.0) t = fmin(t, -x[0] / d[0]);
    return t;
}

static double largest_step(const coneWork* k, const double* x, const double* d) {
    double step = INFINITY;
    for (int i = 0; i < k->c->linear; ++i)
        if (d[i] < 0.0) step = fmin(step, -x[i] / d[i]);
    for (int b = 0, at = k->c->linear; b < k->c->cones; ++b, at += k->c->dimension)
        step = fmin(step, cone_step(x + at, d + at, k->c->dimension));
    return step;
}

//---------------------------------- scaling --------------------------------------

// W with W z = W^-1 s = lambda: a number by sqrt(s/z), a cone by eta times a hyperbolic turn
static void cone_scaling(coneWork* k) {
    for (int i = 0; i < k->c->linear; ++i) {
        k->w[i] = sqrt(k->s[i] / k->z[i]);
        k->lambda[i] = sqrt(k->s[i] * k->z[i]);
    }
    for (int b = 0, d = k->c->dimension, at = k->c->linear; b < k->c->cones; ++b, at += d) {
        double ns = sqrt(cone_norm2(k->s + at, d)), nz = sqrt(cone_norm2(k->z + at, d));
        double gamma = sqrt(0.5 * (1.0 + tac_dot_reals(k->s + at, k->z + at, d) / (ns * nz)));
        double* w = k->bar[b];
        k->eta[b] = sqrt(ns / nz);
        w[0] = 0.5 / gamma * (k->s[at] / ns + k->z[at] / nz);
        for (int i = 1; i < d; ++i) w[i] = 0.5 / gamma * (k->s[at + i] / ns - k->z[at + i] / nz);
    }
}

// out = W x, or W^-1 x with sign -1
static void apply_scaling(const coneWork* k, int sign, const double* x, double* out) {
    for (int i = 0; i < k->c->linear; ++i) out[i] = sign > 0 ? k->w[i] * x[i] : x[i] / k->w[i];
    for (int b = 0, d = k->c->dimension, at = k->c->linear; b < k->c->cones; ++b, at += d) {
        const double* w = k->bar[b];
        double eta = sign > 0 ? k->eta[b] : 1.0 / k->eta[b];
        double x0 = x[at], along = tac_dot_reals(w + 1, x + at + 1, d - 1);
        for (int i = 1; i < d; ++i)
            out[at + i] = eta * (x[at + i] + (sign * x0 + along / (1.0 + w[0])) * w[i]);
        out[at] = eta * (w[0] * x0 + sign * along);
    }
}

//---------------------------------- least squares --------------------------------

// the rows by their largest number, the largest first: shell sort
static void sort_rows(coneWork* k, int all) {
    double* size = k->y;
    for (int r = 0; r < all; ++r) {
        k->order[r] = r;
        size[r] = 0.0;
        for (int j = 0; j < k->n; ++j) size[r] = fmax(size[r], fabs(k->M[j * all + r]));
    }
    for (int gap = all / 2; gap > 0; gap /= 2)
        for (int i = gap; i < all; ++i) {
            int row = k->order[i], at = i;
            for (; at >= gap && size[k->order[at - gap]] < size[row]; at -= gap)
                k->order[at] = k->order[at - gap];
            k->order[at] = row;
        }
    for (int j = 0; j < k->n; ++j) {
        double* column = k->M + j * all;
        memcpy(k->y, column, sizeof(double) * (size_t)all);
        for (int r = 0; r < all; ++r) column[r] = k->y[k->order[r]];
    }
}

// (B; W^-1 G), unsorted
static void fill_scaled_matrix(coneWork* k, int all) {
    const tacConeProgram* c = k->c;
    for (int j = 0; j < k->n; ++j) {
        double* column = k->M + j * all;
        for (int i = 0; i < c->squares; ++i) column[i] = c->B[i * k->n + j];
        for (int i = 0; i < k->rows; ++i) column[c->squares + i] = c->G[i * k->n + j];
        apply_scaling(k, -1, column + c->squares, column + c->squares);
        k->column[j] = j;
    }
}

// the column that is longest from row j on comes to place j
static double pivot_column(coneWork* k, int j, int all) {
    int best = j;
    double most = 0.0;
    for (int i = j; i < k->n; ++i) {
        const double* v = k->M + i * all;
        double length2 = tac_dot_reals(v + j, v + j, all - j);
        if (length2 > most) {
            most = length2;
            best = i;
        }
    }
    int keep = k->column[j];
    k->column[j] = k->column[best];
    k->column[best] = keep;
    for (int r = 0; r < all && best != j; ++r) {
        double x = k->M[j * all + r];
        k->M[j * all + r] = k->M[best * all + r];
        k->M[best * all + r] = x;
    }
    return sqrt(most);
}

// M = Q R by reflections I - beta v v', v below the diagonal of M. Large rows first and long
// columns first: so rows of any size are exact to their own rounding (Powell and Reid 1969).
static int factor_qr(coneWork* k) {
    int n = k->n, all = k->c->squares + k->rows;
    fill_scaled_matrix(k, all);
    sort_rows(k, all);
    for (int j = 0; j < n; ++j) {
        double length = pivot_column(k, j, all), *v = k->M + j * all;
        if (!(length > 0.0) || !isfinite(length)) return 0;
        k->diagonal[j] = v[j] > 0.0 ? -length : length;
        v[j] -= k->diagonal[j];
        k->beta[j] = 1.0 / (length * fabs(v[j]));
        for (int i = j + 1; i < n; ++i) {
            double* other = k->M + i * all;
            double along = k->beta[j] * tac_dot_reals(v + j, other + j, all - j);
            for (int r = j; r < all; ++r) other[r] -= along * v[r];
        }
    }
    return 1;
}

// y = Q'y, or Q y with step -1
static void apply_reflections(const coneWork* k, int step, double* y) {
    int all = k->c->squares + k->rows;
    for (int i = 0, j = step > 0 ? 0 : k->n - 1; i < k->n; ++i, j += step) {
        const double* v = k->M + j * all;
        double along = k->beta[j] * tac_dot_reals(v + j, y + j, all - j);
        for (int r = j; r < all; ++r) y[r] -= along * v[r];
    }
}

// The direction with lambda o (W dz + W^-1 ds) = r, v = lambda \ r: dx is the least-squares answer
// of M dx + (0; W^-1 rz + v) with -rx on top, and W dz what is left of its rows:
//   Q'(0; W^-1 rz + v) = (a; b),  R dx = -R^-T rx - a,  (..; W dz) = Q (-R^-T rx; b)
static void search_direction(coneWork* k) {
    int n = k->n, squares = k->c->squares, all = squares + k->rows;
    double top[TAC_CONE_UNKNOWNS], dx[TAC_CONE_UNKNOWNS], *y = k->y;
    cone_divide(k, k->r, k->v);
    apply_scaling(k, -1, k->rz, k->ds);
    for (int r = 0; r < all; ++r) {
        int i = k->order[r] - squares;
        y[r] = i < 0 ? 0.0 : k->ds[i] + k->v[i];
    }
    apply_reflections(k, 1, y);
    for (int i = 0; i < n; ++i) {
        top[i] = -k->rx[k->column[i]];
        for (int j = 0; j < i; ++j) top[i] -= k->M[i * all + j] * top[j];
        top[i] /= k->diagonal[i];
    }
    for (int i = n - 1; i >= 0; --i) {
        dx[i] = top[i] - y[i];
        for (int j = i + 1; j < n; ++j) dx[i] -= k->M[j * all + i] * dx[j];
        dx[i] /= k->diagonal[i];
        k->dx[k->column[i]] = dx[i];
    }
    memcpy(y, top, sizeof(double) * (size_t)n);
    apply_reflections(k, -1, y);
    for (int r = 0; r < all; ++r)
        if (k->order[r] >= squares) k->dz[k->order[r] - squares] = y[r];
    for (int i = 0; i < k->rows; ++i) k->ds[i] = k->v[i] - k->dz[i];
    apply_scaling(k, 1, k->ds, k->ds);
    apply_scaling(k, -1, k->dz, k->dz);
}

//---------------------------------- passes ---------------------------------------

// rx = B'(B x - c) + q + G'z, rz = G x + s - h; their size
static double cone_residuals(coneWork* k) {
    const tacConeProgram* c = k->c;
    int n = k->n;
    double most = 0.0;
    memcpy(k->rx, c->q, sizeof(double) * (size_t)n);
    for (int i = 0; i < c->squares; ++i) {
        double off = tac_dot_reals(c->B + i * n, k->x, n) - c->c[i];
        for (int j = 0; j < n; ++j) k->rx[j] += c->B[i * n + j] * off;
    }
    for (int i = 0; i < k->rows; ++i) {
        for (int j = 0; j < n; ++j) k->rx[j] += c->G[i * n + j] * k->z[i];
        k->rz[i] = tac_dot_reals(c->G + i * n, k->x, n) + k->s[i] - c->h[i];
        most = fmax(most, fabs(k->rz[i]));
    }
    for (int j = 0; j < n; ++j) most = fmax(most, fabs(k->rx[j]));
    return most;
}

// z = mu s^-1, so that s o z = mu e
static void center_duals(coneWork* k, double mu) {
    for (int i = 0; i < k->c->linear; ++i) k->z[i] = mu / k->s[i];
    for (int b = 0, d = k->c->dimension, at = k->c->linear; b < k->c->cones; ++b, at += d) {
        double inverse = mu / cone_norm2(k->s + at, d);
        for (int i = 0; i < d; ++i) k->z[at + i] = (i ? -inverse : inverse) * k->s[at + i];
    }
}

// A start in the cones, as far inside as the program is large; from `warm` closer to the boundary,
// so that less is undone
static void initial_point(coneWork* k, const double* warm, double size) {
    double least = (warm ? 1e-2 : 1.0) * size;
    if (warm) memcpy(k->x, warm, sizeof(double) * (size_t)k->n);
    for (int i = 0; i < k->rows; ++i)
        k->s[i] = k->c->h[i] - tac_dot_reals(k->c->G + i * k->n, k->x, k->n);
    double inside = cone_depth(k, k->s);
    if (inside < least) add_unit(k, least - inside, k->s);
    center_duals(k, least * least);
}

// s'z after a step
static double gap_after_step(const coneWork* k, double step) {
    double sum = 0.0;
    for (int i = 0; i < k->rows; ++i)
        sum += (k->s[i] + step * k->ds[i]) * (k->z[i] + step * k->dz[i]);
    return sum;
}

// how far the direction may be followed
static double max_step(const coneWork* k) {
    double step = fmin(largest_step(k, k->s, k->ds), largest_step(k, k->z, k->dz));
    return fmin(1.0, 0.995 * step);
}

// the predictor, then the corrector; how far it goes
static double predictor_corrector_step(coneWork* k) {
    double mu = tac_dot_reals(k->s, k->z, k->rows) / degree_of(k->c);
    cone_scaling(k);
    apply_scaling(k, 1, k->z, k->lambda);
    if (!factor_qr(k)) return 0.0;
    cone_product(k, k->lambda, k->lambda, k->r);
    for (int i = 0; i < k->rows; ++i) k->r[i] = -k->r[i];
    search_direction(k);
    double step = max_step(k);
    double sigma = pow(1.0 - step, 3.0);
    // r = -lambda o lambda - (W^-1 ds) o (W dz) + sigma mu e
    apply_scaling(k, -1, k->ds, k->ds);
    apply_scaling(k, 1, k->dz, k->dz);
    cone_product(k, k->ds, k->dz, k->v);
    for (int i = 0; i < k->rows; ++i) k->r[i] -= k->v[i];
    add_unit(k, sigma * mu, k->r);
    search_direction(k);
    step = max_step(k);
    // far from the central path the corrector misleads, and passes may cycle: go back to the path
    if (step < 0.1 || gap_after_step(k, step) > 0.9 * mu * degree_of(k->c)) {
        cone_product(k, k->lambda, k->lambda, k->r);
        for (int i = 0; i < k->rows; ++i) k->r[i] = -k->r[i];
        add_unit(k, 0.3 * mu, k->r);
        search_direction(k);
        step = max_step(k);
    }
    for (int i = 0; i < k->n; ++i) k->x[i] += step * k->dx[i];
    for (int i = 0; i < k->rows; ++i) {
        k->s[i] += step * k->ds[i];
        k->z[i] += step * k->dz[i];
    }
    return step;
}

// passes from one start, until rounding stops them; the best point is kept
static tacConeAnswer iterate_cone(coneWork* k, double size) {
    tacConeAnswer out = {.residual = INFINITY, .gap = INFINITY, .z = k->z};
    double best = INFINITY;
    int worse = 0; // passes since the best one
    for (out.passes = 0; out.passes < MAX_PASSES; ++out.passes) {
        double residual = cone_residuals(k) / size, gap = tac_dot_reals(k->s, k->z, k->rows);
        double merit = residual + gap / (size * size);
        ++worse;
        if (merit < best) {
            memcpy(out.x, k->x, sizeof(double) * (size_t)k->n);
            best = merit;
            out.residual = residual;
            out.gap = gap;
            worse = 0;
        }
        if (best < 1e-9 && worse >= 4) break;
        if (merit < 1e-15 || !(cone_depth(k, k->s) > 0.0) || !(cone_depth(k, k->z) > 0.0)) break;
        if (!(predictor_corrector_step(k) > 1e-12)) break;
    }
    return out;
}

tacConeAnswer tac_cone_program(const tacConeProgram* program, const double* warm, void* memory) {
    double size = 1e-3;
    for (int i = 0; i < rows_of(program); ++i) size = fmax(size, fabs(program->h[i]));
    for (int i = 0; i < program->unknowns; ++i) size = fmax(size, fabs(program->q[i]));
    for (int i = 0; i < program->squares; ++i) size = fmax(size, fabs(program->c[i]));
    coneWork k = begin_cone_work(program, memory);
    initial_point(&k, warm, size);
    tacConeAnswer out = iterate_cone(&k, size);
    if (!warm || out.residual + out.gap < 1e-9) return out;
    int passes = out.passes;
    k = begin_cone_work(program, memory);
    initial_point(&k, NULL, size);
    out = iterate_cone(&k, size);
    out.passes += passes;
    return out;
}
