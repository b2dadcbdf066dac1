// A small convex program with half-spaces and balls, by an interior-point method.

#include "detect/cone_program.h"

#include <math.h>
#include <string.h>

enum { MOST_PASSES = 60 };

static int rows_of(const tacConeProgram* c) { return c->linear + c->cones * c->dimension; }
static int degree_of(const tacConeProgram* c) { return c->linear + c->cones; }

typedef struct coneWork {
    const tacConeProgram* c;
    int n, rows;
    double *s, *z, *lambda, *ds, *dz, *rz, *u, *t; // (rows)
    double* w;                                     // scaling of the numbers, sqrt(s/z)  (linear)
    double eta[TAC_CONE_CONES], bar[TAC_CONE_CONES][4];
    double x[TAC_CONE_UNKNOWNS], dx[TAC_CONE_UNKNOWNS], rx[TAC_CONE_UNKNOWNS];
    double factor[TAC_CONE_UNKNOWNS * TAC_CONE_UNKNOWNS];
} coneWork;

enum { ARRAYS = 9 };

size_t tac_cone_program_size(int rows) { return sizeof(double) * ARRAYS * (size_t)rows; }

static coneWork start(const tacConeProgram* c, void* memory) {
    coneWork k = {.c = c, .n = c->unknowns, .rows = rows_of(c)};
    double** const arrays[ARRAYS] = {&k.s,  &k.z, &k.lambda, &k.ds, &k.dz,
                                     &k.rz, &k.u, &k.t,      &k.w};
    double* at = memory;
    memset(at, 0, tac_cone_program_size(k.rows));
    for (int i = 0; i < ARRAYS; ++i) *arrays[i] = at, at += k.rows;
    return k;
}

static double dot(const double* a, const double* b, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

//---------------------------------- cones ----------------------------------------

// x0^2 - |x1|^2, without cancellation near the boundary
static double cone_norm2(const double* x, int n) {
    double r = sqrt(dot(x + 1, x + 1, n - 1));
    return (x[0] - r) * (x[0] + r);
}

// a number is inside by itself, a cone by x0 - |x1|: the least over all
static double depth(const coneWork* k, const double* x) {
    double least = INFINITY;
    for (int i = 0; i < k->c->linear; ++i) least = fmin(least, x[i]);
    for (int b = 0; b < k->c->cones; ++b) {
        const double* y = x + k->c->linear + b * k->c->dimension;
        least = fmin(least, y[0] - sqrt(dot(y + 1, y + 1, k->c->dimension - 1)));
    }
    return least;
}

// x += a e, e the unit of the cones
static void add_unit(const coneWork* k, double a, double* x) {
    for (int i = 0; i < k->c->linear; ++i) x[i] += a;
    for (int b = 0; b < k->c->cones; ++b) x[k->c->linear + b * k->c->dimension] += a;
}

// out = x o y
static void product(const coneWork* k, const double* x, const double* y, double* out) {
    for (int i = 0; i < k->c->linear; ++i) out[i] = x[i] * y[i];
    for (int b = 0, d = k->c->dimension, at = k->c->linear; b < k->c->cones; ++b, at += d) {
        double first = dot(x + at, y + at, d), x0 = x[at], y0 = y[at];
        for (int i = 1; i < d; ++i) out[at + i] = x0 * y[at + i] + y0 * x[at + i];
        out[at] = first;
    }
}

// out with lambda o out = r
static void divide(const coneWork* k, const double* r, double* out) {
    const double* l = k->lambda;
    for (int i = 0; i < k->c->linear; ++i) out[i] = r[i] / l[i];
    for (int b = 0, d = k->c->dimension, at = k->c->linear; b < k->c->cones; ++b, at += d) {
        double r0 = r[at], first = l[at] * r0 - dot(l + at + 1, r + at + 1, d - 1);
        first /= cone_norm2(l + at, d);
        for (int i = 1; i < d; ++i) out[at + i] = (r[at + i] - first * l[at + i]) / l[at];
        out[at] = first;
    }
}

// How far x may go along d and stay in the cones: the least root of |.|.
static double cone_step(const double* x, const double* d, int n) {
    double a = d[0] * d[0] - dot(d + 1, d + 1, n - 1);
    double b = x[0] * d[0] - dot(x + 1, d + 1, n - 1), c = cone_norm2(x, n);
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
static void scale(coneWork* k) {
    for (int i = 0; i < k->c->linear; ++i) {
        k->w[i] = sqrt(k->s[i] / k->z[i]);
        k->lambda[i] = sqrt(k->s[i] * k->z[i]);
    }
    for (int b = 0, d = k->c->dimension, at = k->c->linear; b < k->c->cones; ++b, at += d) {
        double ns = sqrt(cone_norm2(k->s + at, d)), nz = sqrt(cone_norm2(k->z + at, d));
        double gamma = sqrt(0.5 * (1.0 + dot(k->s + at, k->z + at, d) / (ns * nz)));
        double* w = k->bar[b];
        k->eta[b] = sqrt(ns / nz);
        w[0] = 0.5 / gamma * (k->s[at] / ns + k->z[at] / nz);
        for (int i = 1; i < d; ++i)
            w[i] = 0.5 / gamma * (k->s[at + i] / ns - k->z[at + i] / nz);
    }
}

// out = W x, or W^-1 x with sign -1
static void apply_scale(const coneWork* k, int sign, const double* x, double* out) {
    for (int i = 0; i < k->c->linear; ++i) out[i] = sign > 0 ? k->w[i] * x[i] : x[i] / k->w[i];
    for (int b = 0, d = k->c->dimension, at = k->c->linear; b < k->c->cones; ++b, at += d) {
        const double* w = k->bar[b];
        double eta = sign > 0 ? k->eta[b] : 1.0 / k->eta[b];
        double x0 = x[at], along = dot(w + 1, x + at + 1, d - 1);
        for (int i = 1; i < d; ++i)
            out[at + i] = eta * (x[at + i] + (sign * x0 + along / (1.0 + w[0])) * w[i]);
        out[at] = eta * (w[0] * x0 + sign * along);
    }
}

//---------------------------------- linear system --------------------------------

// P + (W^-1 G)'(W^-1 G), factored; a column of W^-1 G at a time
static int factor(coneWork* k) {
    const tacConeProgram* c = k->c;
    int n = k->n;
    double* F = k->factor;
    memcpy(F, c->P, sizeof(double) * (size_t)(n * n));
    for (int i = 0; i < n; ++i) {
        for (int r = 0; r < k->rows; ++r) k->t[r] = c->G[r * n + i];
        apply_scale(k, -1, k->t, k->t);
        apply_scale(k, -1, k->t, k->t);
        for (int j = i; j < n; ++j) {
            double sum = 0.0;
            for (int r = 0; r < k->rows; ++r) sum += k->t[r] * c->G[r * n + j];
            F[j * n + i] += sum;
        }
    }
    for (int j = 0; j < n; ++j) {
        double pivot = F[j * n + j] - dot(F + j * n, F + j * n, j);
        if (!(pivot > 0.0)) return 0;
        F[j * n + j] = sqrt(pivot);
        for (int i = j + 1; i < n; ++i)
            F[i * n + j] = (F[i * n + j] - dot(F + i * n, F + j * n, j)) / F[j * n + j];
    }
    return 1;
}

static void solve(const coneWork* k, double* b) {
    int n = k->n;
    const double* F = k->factor;
    for (int i = 0; i < n; ++i) b[i] = (b[i] - dot(F + i * n, b, i)) / F[i * n + i];
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) b[i] -= F[j * n + i] * b[j];
        b[i] /= F[i * n + i];
    }
}

// The direction with lambda o (W dz + W^-1 ds) = r:
//   (P + G'W^-2 G) dx = -rx - G'W^-2 (rz + W v),  v = lambda \ r,
//   dz = W^-2 (G dx + rz + W v),  ds = -rz - G dx
static void direction(coneWork* k, const double* r) {
    const tacConeProgram* c = k->c;
    int n = k->n;
    divide(k, r, k->t);
    apply_scale(k, 1, k->t, k->t);
    for (int i = 0; i < k->rows; ++i) k->dz[i] = k->t[i] + k->rz[i];
    memcpy(k->t, k->dz, sizeof(double) * (size_t)k->rows); // W v + rz, kept
    apply_scale(k, -1, k->dz, k->dz);
    apply_scale(k, -1, k->dz, k->dz);
    for (int j = 0; j < n; ++j) {
        k->dx[j] = -k->rx[j];
        for (int i = 0; i < k->rows; ++i) k->dx[j] -= c->G[i * n + j] * k->dz[i];
    }
    solve(k, k->dx);
    for (int i = 0; i < k->rows; ++i) {
        double move = dot(c->G + i * n, k->dx, n);
        k->ds[i] = -k->rz[i] - move;
        k->dz[i] = k->t[i] + move;
    }
    apply_scale(k, -1, k->dz, k->dz);
    apply_scale(k, -1, k->dz, k->dz);
}

//---------------------------------- passes ---------------------------------------

// rx = P x + q + G'z, rz = G x + s - h; their size
static double residuals(coneWork* k) {
    const tacConeProgram* c = k->c;
    int n = k->n;
    double most = 0.0;
    for (int j = 0; j < n; ++j) {
        double sum = c->q[j] + dot(c->P + j * n, k->x, n);
        for (int i = 0; i < k->rows; ++i) sum += c->G[i * n + j] * k->z[i];
        k->rx[j] = sum, most = fmax(most, fabs(sum));
    }
    for (int i = 0; i < k->rows; ++i) {
        k->rz[i] = dot(c->G + i * n, k->x, n) + k->s[i] - c->h[i];
        most = fmax(most, fabs(k->rz[i]));
    }
    return most;
}

// A start in the cones: s and z as far inside as the program is large; from `warm` closer to the
// boundary, so that less is undone
static void first_point(coneWork* k, const double* warm) {
    const tacConeProgram* c = k->c;
    double size = 1e-300, inside = 0.0;
    for (int i = 0; i < k->rows; ++i) size = fmax(size, fabs(c->h[i]));
    if (warm) memcpy(k->x, warm, sizeof(double) * (size_t)k->n);
    for (int i = 0; i < k->rows; ++i) k->s[i] = c->h[i] - dot(c->G + i * k->n, k->x, k->n);
    inside = depth(k, k->s);
    double least = (warm ? 1e-2 : 1.0) * size;
    if (inside < least) add_unit(k, least - inside, k->s);
    add_unit(k, warm ? 1e-2 * size : size, k->z);
}

// the predictor, then the corrector; how far it goes
static double advance(coneWork* k) {
    double mu = dot(k->s, k->z, k->rows) / degree_of(k->c);
    scale(k);
    apply_scale(k, 1, k->z, k->lambda);
    if (!factor(k)) return 0.0;
    product(k, k->lambda, k->lambda, k->u);
    for (int i = 0; i < k->rows; ++i) k->u[i] = -k->u[i];
    direction(k, k->u);
    double step = fmin(1.0, fmin(largest_step(k, k->s, k->ds), largest_step(k, k->z, k->dz)));
    double sigma = pow(1.0 - step, 3.0);
    // r = -lambda o lambda - (W^-1 ds) o (W dz) + sigma mu e
    apply_scale(k, -1, k->ds, k->ds);
    apply_scale(k, 1, k->dz, k->dz);
    product(k, k->ds, k->dz, k->t);
    for (int i = 0; i < k->rows; ++i) k->u[i] -= k->t[i];
    add_unit(k, sigma * mu, k->u);
    direction(k, k->u);
    step = fmin(largest_step(k, k->s, k->ds), largest_step(k, k->z, k->dz));
    step = fmin(1.0, 0.995 * step);
    for (int i = 0; i < k->n; ++i) k->x[i] += step * k->dx[i];
    for (int i = 0; i < k->rows; ++i) k->s[i] += step * k->ds[i], k->z[i] += step * k->dz[i];
    return step;
}

tacConeAnswer tac_cone_program(const tacConeProgram* program, const double* warm, void* memory) {
    coneWork k = start(program, memory);
    tacConeAnswer out = {.residual = INFINITY, .gap = INFINITY};
    double size = 1e-300;
    for (int i = 0; i < k.rows; ++i) size = fmax(size, fabs(program->h[i]));
    for (int i = 0; i < k.n; ++i) size = fmax(size, fabs(program->q[i]));
    first_point(&k, warm);
    double last = INFINITY;
    for (out.passes = 0; out.passes < MOST_PASSES; ++out.passes) {
        double residual = residuals(&k) / size, gap = dot(k.s, k.z, k.rows);
        double merit = residual + gap / (size * size);
        // best so far; ends where rounding stops it
        if (merit < last) {
            memcpy(out.x, k.x, sizeof(double) * (size_t)k.n);
            out.residual = residual, out.gap = gap;
        }
        if (!(merit < last) && last < 1e-9) break;
        if (merit < 1e-16) break;
        last = fmin(last, merit);
        if (!(depth(&k, k.s) > 0.0) || !(depth(&k, k.z) > 0.0)) break;
        if (!(advance(&k) > 1e-12)) break;
    }
    out.z = k.z;
    return out;
}
