// Log-barrier smoothing of the closest points of two edges, and of a vertex and a face.

#include "bench/baselines/witness_baselines.h"

#include <math.h>
#include <string.h>

static const double tikhonov = 0.01;

typedef struct boxProblem {
    double Q[3], c[2]; // a.Q a/2 + c.a, Q = (Q11, Q12, Q22)
} boxProblem;

static double dot3(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static boxProblem load_edges(const double* const in[12], int i) {
    double t1[3], t2[3], r[3];
    for (int k = 0; k < 3; ++k) {
        t1[k] = in[3 + k][i] - in[k][i];
        t2[k] = in[9 + k][i] - in[6 + k][i];
        r[k] = in[k][i] - in[6 + k][i];
    }
    return (boxProblem){{dot3(t1, t1) + tikhonov, -dot3(t1, t2), dot3(t2, t2) + tikhonov},
                        {dot3(r, t1) - 0.5 * tikhonov, -dot3(r, t2) - 0.5 * tikhonov}};
}

// of a vertex and a face: |v - a - x e1 - y e2|^2/2 + w (|x - 1/3|^2 + |y - 1/3|^2)/2
static boxProblem load_vertex_face(const double* const in[12], int i) {
    double e1[3], e2[3], r[3];
    for (int k = 0; k < 3; ++k) {
        e1[k] = in[6 + k][i] - in[3 + k][i];
        e2[k] = in[9 + k][i] - in[3 + k][i];
        r[k] = in[3 + k][i] - in[k][i];
    }
    return (boxProblem){{dot3(e1, e1) + tikhonov, dot3(e1, e2), dot3(e2, e2) + tikhonov},
                        {dot3(r, e1) - tikhonov / 3.0, dot3(r, e2) - tikhonov / 3.0}};
}

static void qp_gradient(const boxProblem* p, const double a[2], double g[2]) {
    g[0] = p->Q[0] * a[0] + p->Q[1] * a[1] + p->c[0];
    g[1] = p->Q[1] * a[0] + p->Q[2] * a[1] + p->c[1];
}

//---------------------------------- interior point ----------------------------------

// largest fraction of the step that keeps slacks and multipliers positive
static double max_step(const double* x, const double* d, int count) {
    double t = 1.0;
    for (int i = 0; i < count; ++i)
        if (d[i] < 0.0) t = fmin(t, -0.995 * x[i] / d[i]);
    return t;
}

// x: slacks a1, 1 - a1, a2, 1 - a2, then their multipliers
static void newton_step(const boxProblem* p, const double x[8], double mu, double d[8]) {
    double g[2], a[2] = {x[0], x[2]}, H[2], r[2];
    qp_gradient(p, a, g);
    for (int k = 0; k < 2; ++k) {
        const double *s = x + 2 * k, *z = x + 4 + 2 * k;
        H[k] = z[0] / s[0] + z[1] / s[1];
        r[k] = -(g[k] - mu / s[0] + mu / s[1]);
    }
    double A = p->Q[0] + H[0], B = p->Q[2] + H[1], det = A * B - p->Q[1] * p->Q[1];
    d[0] = (B * r[0] - p->Q[1] * r[1]) / det;
    d[2] = (A * r[1] - p->Q[1] * r[0]) / det;
    d[1] = -d[0];
    d[3] = -d[2];
    for (int i = 0; i < 4; ++i) d[4 + i] = (mu - x[4 + i] * d[i]) / x[i] - x[4 + i];
}

static int is_solved(const boxProblem* p, const double x[8], double mu) {
    double g[2], a[2] = {x[0], x[2]}, residual = 0.0;
    qp_gradient(p, a, g);
    for (int k = 0; k < 2; ++k) residual = fmax(residual, fabs(g[k] - x[4 + 2 * k] + x[5 + 2 * k]));
    for (int i = 0; i < 4; ++i) residual = fmax(residual, fabs(x[i] * x[4 + i] - mu));
    return residual < 1e-3 * mu + 1e-12;
}

void bench_interior_point(const double* const in[12], double* const alpha[2], int count,
                          double mu) {
    for (int i = 0; i < count; ++i) {
        boxProblem p = load_edges(in, i);
        double x[8] = {0.5, 0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0}, d[8], target = 0.1;
        for (int step = 0; step < 60 && !is_solved(&p, x, mu); ++step) {
            target = fmax(mu, 0.2 * target);
            newton_step(&p, x, target, d);
            double t = max_step(x, d, 8);
            for (int k = 0; k < 8; ++k) x[k] += t * d[k];
            x[1] = 1.0 - x[0];
            x[3] = 1.0 - x[2];
        }
        alpha[0][i] = x[0];
        alpha[1][i] = x[2];
    }
}

//---------------------------------- interior point of a face ----------------------------------

// x: slacks a1, a2, 1 - a1 - a2, then their multipliers
static void face_newton(const boxProblem* p, const double x[6], double mu, double d[6]) {
    double g[2], h[3];
    qp_gradient(p, x, g);
    for (int i = 0; i < 3; ++i) h[i] = x[3 + i] / x[i];
    double r[2] = {mu / x[0] - mu / x[2] - g[0], mu / x[1] - mu / x[2] - g[1]};
    double A = p->Q[0] + h[0] + h[2], B = p->Q[2] + h[1] + h[2], C = p->Q[1] + h[2];
    double det = A * B - C * C;
    d[0] = (B * r[0] - C * r[1]) / det;
    d[1] = (A * r[1] - C * r[0]) / det;
    d[2] = -d[0] - d[1];
    for (int i = 0; i < 3; ++i) d[3 + i] = (mu - x[3 + i] * d[i]) / x[i] - x[3 + i];
}

static int is_face_solved(const boxProblem* p, const double x[6], double mu) {
    double g[2], residual = 0.0;
    qp_gradient(p, x, g);
    for (int k = 0; k < 2; ++k) residual = fmax(residual, fabs(g[k] - x[3 + k] + x[5]));
    for (int i = 0; i < 3; ++i) residual = fmax(residual, fabs(x[i] * x[3 + i] - mu));
    return residual < 1e-3 * mu + 1e-12;
}

void bench_face_interior_point(const double* const in[12], double* const share[2], int count,
                               double mu) {
    for (int i = 0; i < count; ++i) {
        boxProblem p = load_vertex_face(in, i);
        double third = 1.0 / 3.0, x[6] = {third, third, third, 1.0, 1.0, 1.0}, d[6], target = 0.1;
        for (int step = 0; step < 60 && !is_face_solved(&p, x, mu); ++step) {
            target = fmax(mu, 0.2 * target);
            face_newton(&p, x, target, d);
            double t = max_step(x, d, 6);
            for (int k = 0; k < 6; ++k) x[k] += t * d[k];
            x[2] = 1.0 - x[0] - x[1];
        }
        share[0][i] = x[0];
        share[1][i] = x[1];
    }
}

//---------------------------------- L-BFGS ----------------------------------

enum { PAIRS = 5 };

static double edge_barrier(const boxProblem* p, const double a[2], double mu, double g[2]) {
    if (!(a[0] > 0.0 && a[0] < 1.0 && a[1] > 0.0 && a[1] < 1.0)) return INFINITY;
    qp_gradient(p, a, g);
    double value = 0.5 * ((g[0] + p->c[0]) * a[0] + (g[1] + p->c[1]) * a[1]);
    for (int k = 0; k < 2; ++k) {
        value -= mu * (log(a[k]) + log(1.0 - a[k]));
        g[k] += mu * (1.0 / (1.0 - a[k]) - 1.0 / a[k]);
    }
    return value;
}

// pairs of steps and gradient changes, oldest first
typedef struct lbfgsHistory {
    int count;
    double s[PAIRS][2], y[PAIRS][2], rho[PAIRS];
} lbfgsHistory;

static void lbfgs_direction(const lbfgsHistory* h, const double g[2], double d[2]) {
    double share[PAIRS], scale = 1.0;
    d[0] = -g[0];
    d[1] = -g[1];
    for (int i = h->count - 1; i >= 0; --i) {
        share[i] = h->rho[i] * (h->s[i][0] * d[0] + h->s[i][1] * d[1]);
        d[0] -= share[i] * h->y[i][0];
        d[1] -= share[i] * h->y[i][1];
    }
    if (h->count) {
        const double* y = h->y[h->count - 1];
        scale = 1.0 / (h->rho[h->count - 1] * (y[0] * y[0] + y[1] * y[1]));
    }
    d[0] *= scale;
    d[1] *= scale;
    for (int i = 0; i < h->count; ++i) {
        double b = h->rho[i] * (h->y[i][0] * d[0] + h->y[i][1] * d[1]);
        d[0] += (share[i] - b) * h->s[i][0];
        d[1] += (share[i] - b) * h->s[i][1];
    }
}

static void lbfgs_update(lbfgsHistory* h, const double s[2], const double y[2]) {
    double product = s[0] * y[0] + s[1] * y[1];
    if (!(product > 1e-300)) return;
    if (h->count == PAIRS) {
        memmove(h->s, h->s + 1, sizeof h->s - sizeof h->s[0]);
        memmove(h->y, h->y + 1, sizeof h->y - sizeof h->y[0]);
        memmove(h->rho, h->rho + 1, sizeof h->rho - sizeof h->rho[0]);
        --h->count;
    }
    memcpy(h->s[h->count], s, sizeof h->s[0]);
    memcpy(h->y[h->count], y, sizeof h->y[0]);
    h->rho[h->count++] = 1.0 / product;
}

typedef double (*barrierValue)(const boxProblem* p, const double a[2], double mu, double g[2]);

static void lbfgs_minimize(const boxProblem* p, barrierValue value_at, double mu, double a[2]) {
    lbfgsHistory h = {0};
    double g[2], value = value_at(p, a, mu, g);
    for (int step = 0; step < 100 && hypot(g[0], g[1]) > 1e-6; ++step) {
        double d[2], next[2], g_next[2], t = 1.0, found = INFINITY;
        lbfgs_direction(&h, g, d);
        double fall = g[0] * d[0] + g[1] * d[1];
        for (; t > 1e-12; t *= 0.5) {
            next[0] = a[0] + t * d[0];
            next[1] = a[1] + t * d[1];
            found = value_at(p, next, mu, g_next);
            if (found <= value + 1e-4 * t * fall) break;
        }
        if (!(found < INFINITY)) break;
        lbfgs_update(&h, (double[2]){next[0] - a[0], next[1] - a[1]},
                     (double[2]){g_next[0] - g[0], g_next[1] - g[1]});
        memcpy(a, next, sizeof next);
        memcpy(g, g_next, sizeof g);
        value = found;
    }
}

void bench_lbfgs(const double* const in[12], double* const alpha[2], int count, double mu) {
    for (int i = 0; i < count; ++i) {
        boxProblem p = load_edges(in, i);
        double a[2] = {0.5, 0.5};
        lbfgs_minimize(&p, edge_barrier, mu, a);
        alpha[0][i] = a[0];
        alpha[1][i] = a[1];
    }
}

// a face as a square folded to it
static double face_barrier(const boxProblem* p, const double a[2], double mu, double g[2]) {
    double x[2] = {a[0] * (1.0 - a[1]), a[0] * a[1]}, by[2];
    if (!(a[0] > 0.0 && a[0] < 1.0 && a[1] > 0.0 && a[1] < 1.0)) return INFINITY;
    qp_gradient(p, x, by);
    double value = 0.5 * ((by[0] + p->c[0]) * x[0] + (by[1] + p->c[1]) * x[1]);
    g[0] = by[0] * (1.0 - a[1]) + by[1] * a[1];
    g[1] = a[0] * (by[1] - by[0]);
    for (int k = 0; k < 2; ++k) {
        value -= mu * (log(a[k]) + log(1.0 - a[k]));
        g[k] += mu * (1.0 / (1.0 - a[k]) - 1.0 / a[k]);
    }
    return value;
}

void bench_face_lbfgs(const double* const in[12], double* const share[2], int count, double mu) {
    for (int i = 0; i < count; ++i) {
        boxProblem p = load_vertex_face(in, i);
        double a[2] = {2.0 / 3.0, 0.5};
        lbfgs_minimize(&p, face_barrier, mu, a);
        share[0][i] = a[0] * (1.0 - a[1]);
        share[1][i] = a[0] * a[1];
    }
}
