// What planes leave: the deepest point of a convex solid, and the box around it.

#include "shape/bounds/planes.h"

#include <math.h>
#include <string.h>

static double dot3(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross3(const double* a, const double* b, double* out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double plane_value(const double* plane, const double* y) {
    return dot3(plane, y) + plane[3];
}

//---------------------------------- deepest point --------------------------------

// smooth maximum of the planes with gradient and Hessian
typedef struct smoothMax {
    double value, g[3], H[3][3];
} smoothMax;

static double max_height(const double* plane, int count, const double* y) {
    double top = -INFINITY;
    for (int i = 0; i < count; ++i) top = fmax(top, plane_value(&plane[4 * i], y));
    return top;
}

static smoothMax smooth_max_at(const double* plane, int count, double tau, const double* y) {
    smoothMax b = {0};
    double top = max_height(plane, count, y), sum = 0.0;
    for (int i = 0; i < count; ++i) {
        const double* n = &plane[4 * i];
        double below = (plane_value(n, y) - top) / tau;
        if (below < -746.0) continue; // its exponential is 0, which libm takes long to find
        double e = exp(below);
        sum += e;
        for (int r = 0; r < 3; ++r) {
            b.g[r] += e * n[r];
            for (int c = 0; c < 3; ++c) b.H[r][c] += e * n[r] * n[c];
        }
    }
    b.value = top + tau * log(sum);
    for (int r = 0; r < 3; ++r) b.g[r] /= sum;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) b.H[r][c] = (b.H[r][c] / sum - b.g[r] * b.g[c]) / tau;
    return b;
}

// (H + damping I) step = -g, by the adjugate
static void damped_step(const smoothMax* b, double damping, double step[3]) {
    double M[3][3], cofactor[3][3];
    memcpy(M, b->H, sizeof M);
    for (int k = 0; k < 3; ++k) M[k][k] += damping;
    for (int k = 0; k < 3; ++k) cross3(M[(k + 1) % 3], M[(k + 2) % 3], cofactor[k]);
    double inverse = 1.0 / dot3(M[0], cofactor[0]);
    for (int k = 0; k < 3; ++k)
        step[k] = -inverse *
                  (cofactor[0][k] * b->g[0] + cofactor[1][k] * b->g[1] + cofactor[2][k] * b->g[2]);
}

// one temperature: steps that lower the bowl are taken, the others are shortened by damping
static smoothMax damped_newton(const double* plane, int count, double tau, double scale,
                               double y[3]) {
    smoothMax b = smooth_max_at(plane, count, tau, y);
    double damping = 1.0 / scale;
    for (int round = 0; round < 60 && damping < 1e12 / scale; ++round) {
        double step[3], next[3];
        damped_step(&b, damping, step);
        for (int k = 0; k < 3; ++k) next[k] = y[k] + step[k];
        smoothMax trial = smooth_max_at(plane, count, tau, next);
        double gain = b.value - trial.value;
        if (!(gain > 0.0)) {
            damping *= 8.0;
            continue;
        }
        b = trial;
        damping = fmax(damping * 0.1, 1e-12 / scale);
        memcpy(y, next, sizeof next);
        if (gain < 1e-6 * tau || !(dot3(y, y) < 1e12 * scale * scale)) break;
    }
    return b;
}

// from hot to cold: a cold bowl has narrow valleys, but the hot one leads into them
double tac_planes_deepest_point(const double* plane, int count, double tau, double enough,
                                double y[3]) {
    double scale = tau, value = INFINITY;
    for (int i = 0; i < count; ++i) scale = fmax(scale, fabs(plane[4 * i + 3]));
    y[0] = y[1] = y[2] = 0.0;
    for (double warm_tau = scale; value >= enough; warm_tau = fmax(warm_tau * 0.2, tau)) {
        damped_newton(plane, count, warm_tau, scale, y);
        value = smooth_max_at(plane, count, tau, y).value;
        if (warm_tau == tau || !(dot3(y, y) < 1e12 * scale * scale)) break;
    }
    return value;
}

//---------------------------------- box around -----------------------------------

// Highest point of the solid along a direction: Seidel's incremental linear program. A plane that
// the best point so far violates holds the next best point: a program in one dimension less.

typedef struct planeProgram {
    const double* plane;
    int count;
    double level;
    int stride;       // planes are visited in an order without pattern
    double half_side; // half side of the box that the program starts from
} planeProgram;

// number i of the planes to look at; the first six are the box
static void plane_of(const planeProgram* p, int i, double n[4]) {
    memset(n, 0, 4 * sizeof(double));
    if (i < 6) {
        n[i / 2] = i % 2 ? 1.0 : -1.0;
        n[3] = -p->half_side;
        return;
    }
    const double* from = &p->plane[4 * ((long long)(i - 6) * p->stride % p->count)];
    memcpy(n, from, 4 * sizeof(double));
    n[3] -= p->level;
}

static int is_violated(const double n[4], const double* y) {
    double slack = 1e-12 * (fabs(n[3]) + fabs(n[0] * y[0]) + fabs(n[1] * y[1]) + fabs(n[2] * y[2]));
    return plane_value(n, y) > slack;
}

// line start + t way: the part below planes 0 .. last - 1, as far along c as it goes
static int solve_on_line(const planeProgram* p, int last, const double c[3], const double start[3],
                         const double direction[3], double y[3]) {
    double low = -8.0 * p->half_side, high = 8.0 * p->half_side;
    for (int i = 0; i < last; ++i) {
        double n[4];
        plane_of(p, i, n);
        double slope = dot3(n, direction), excess = plane_value(n, start);
        if (fabs(slope) < 1e-13 * sqrt(dot3(n, n))) {
            if (is_violated(n, start)) return 0;
        } else if (slope > 0.0) {
            high = fmin(high, -excess / slope);
        } else {
            low = fmax(low, -excess / slope);
        }
    }
    if (low > high + 1e-9 * (fabs(low) + fabs(high))) return 0;
    double t = dot3(c, direction) >= 0.0 ? high : low;
    for (int k = 0; k < 3; ++k) y[k] = start[k] + t * direction[k];
    return 1;
}

// c without its part along the unit vector n
static void project_out(const double n[3], const double c[3], double out[3]) {
    double along = dot3(n, c);
    for (int k = 0; k < 3; ++k) out[k] = c[k] - along * n[k];
}

// on plane `last`, below planes 0 .. last - 1
static int solve_on_plane(const planeProgram* p, int last, const double c[3], double y[3]) {
    double n[4], foot[3], flat[3];
    plane_of(p, last, n);
    double length = sqrt(dot3(n, n));
    for (int k = 0; k < 3; ++k) n[k] /= length;
    n[3] /= length;
    project_out(n, c, flat);
    double slope = sqrt(dot3(flat, flat));
    for (int k = 0; k < 3; ++k) {
        foot[k] = -n[3] * n[k];
        y[k] = foot[k] + (slope > 0.0 ? 4.0 * p->half_side * flat[k] / slope : 0.0);
    }
    for (int i = 0; i < last; ++i) {
        double m[4], across[3], direction[3], start[3];
        plane_of(p, i, m);
        if (!is_violated(m, y)) continue;
        project_out(n, m, across);
        double across2 = dot3(across, across);
        if (across2 < 1e-24 * dot3(m, m)) return 0; // parallel, and above the whole plane
        double shift = -plane_value(m, foot) / across2;
        for (int k = 0; k < 3; ++k) start[k] = foot[k] + shift * across[k];
        cross3(n, across, direction);
        for (int k = 0; k < 3; ++k) direction[k] /= sqrt(across2);
        if (!solve_on_line(p, i, c, start, direction, y)) return 0;
    }
    return 1;
}

static int solve_program(const planeProgram* p, const double c[3], double y[3]) {
    for (int k = 0; k < 3; ++k) y[k] = c[k] >= 0.0 ? p->half_side : -p->half_side;
    for (int i = 6; i < p->count + 6; ++i) {
        double n[4];
        plane_of(p, i, n);
        if (dot3(n, n) > 1e-24 && is_violated(n, y) && !solve_on_plane(p, i, c, y)) return 0;
    }
    return 1;
}

static int common_divisor(int a, int b) { return b ? common_divisor(b, a % b) : a; }

// solid and starting box together; 0 if that has no point, or reaches near the starting box
static int box_inside(const planeProgram* p, double lower[3], double upper[3]) {
    for (int side = 0; side < 6; ++side) {
        double c[3] = {0.0, 0.0, 0.0}, y[3];
        c[side / 2] = side % 2 ? 1.0 : -1.0;
        if (!solve_program(p, c, y)) return 0;
        double end = y[side / 2];
        if (!(fabs(end) < 0.1 * p->half_side)) return 0;
        *(side % 2 ? &upper[side / 2] : &lower[side / 2]) = end;
    }
    return 1;
}

// Corners of the starting box are rounded by its size, which thin solids do not survive: a small
// box is tried first. What stays away from it, being convex, goes on nowhere else.
int tac_planes_box(const double* plane, int count, double level, double lower[3], double upper[3]) {
    planeProgram p = {plane, count, level, (int)(0.618 * count) + 1, 0.0};
    while (common_divisor(p.stride, count) != 1) ++p.stride;
    double scale = 0.0;
    for (int i = 0; i < count; ++i) {
        double length = sqrt(dot3(&plane[4 * i], &plane[4 * i]));
        if (length > 1e-12) scale = fmax(scale, fabs(plane[4 * i + 3] - level) / length);
    }
    if (!(scale > 0.0)) scale = 1.0;
    for (p.half_side = 100.0 * scale; p.half_side < 1e12 * scale; p.half_side *= 1e3)
        if (box_inside(&p, lower, upper)) return 1;
    return 0;
}
