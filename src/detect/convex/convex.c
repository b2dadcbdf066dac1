// Furthest points of convex parts.

#include "detect/convex/convex.h"

#include <math.h>

static double norm3(const double a[3]) { return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

static double dot_three(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void support_points(const tacConvex* c, const double d[3], double out[3]) {
    int best = 0;
    double most = -INFINITY;
    for (int i = 0; i < c->count; ++i) {
        double x = dot_three(c->point + 3 * i, d);
        if (x > most) {
            most = x;
            best = i;
        }
    }
    for (int i = 0; i < 3; ++i) out[i] = c->count ? c->point[3 * best + i] : 0.0;
}

static void support_cylinder(const tacConvex* c, const double d[3], double out[3]) {
    double r = sqrt(d[0] * d[0] + d[1] * d[1]), scale = r > 0.0 ? c->size[0] / r : 0.0;
    out[0] = scale * d[0];
    out[1] = scale * d[1];
    out[2] = copysign(c->size[2], d[2]);
}

// x = D^2 d/|D d|
static void support_ellipsoid(const tacConvex* c, const double d[3], double out[3]) {
    double e[3] = {c->size[0] * d[0], c->size[1] * d[1], c->size[2] * d[2]}, n = norm3(e);
    for (int i = 0; i < 3; ++i) out[i] = n > 0.0 ? c->size[i] * e[i] / n : 0.0;
}

// a component that is 0 counts as tiny: the surface is flat or sharp there
static double dual_norm_gradient(double x, double y, double q, double* dx, double* dy) {
    double top = fmax(x, y), N = top * pow(pow(x / top, q) + pow(y / top, q), 1.0 / q);
    *dx = pow(x / N, q - 1.0);
    *dy = pow(y / N, q - 1.0);
    return N;
}

// gradient of N(N(a |x|, b |y|), c |z|), norms of the dual exponents 2/(2 - eps)
static void support_superquadric(const tacConvex* c, const double d[3], double out[3]) {
    double e[3], g[5], most = 0.0;
    for (int i = 0; i < 3; ++i) {
        e[i] = fabs(c->size[i] * d[i]);
        most = fmax(most, e[i]);
    }
    for (int i = 0; i < 3; ++i) {
        e[i] = fmax(e[i], 1e-12 * most);
        out[i] = 0.0;
    }
    if (!(most > 0.0)) return;
    double flat = dual_norm_gradient(e[0], e[1], 2.0 / (2.0 - c->eps[1]), &g[0], &g[1]);
    dual_norm_gradient(flat, e[2], 2.0 / (2.0 - c->eps[0]), &g[3], &g[2]);
    g[0] *= g[3];
    g[1] *= g[3];
    for (int i = 0; i < 3; ++i) out[i] = copysign(c->size[i] * g[i], d[i]);
}

static void support_local(const tacConvex* c, const double d[3], double out[3]) {
    switch (c->kind) {
    case TAC_CONVEX_POINTS:
        support_points(c, d, out);
        return;
    case TAC_CONVEX_CYLINDER:
        support_cylinder(c, d, out);
        return;
    case TAC_CONVEX_ELLIPSOID:
        support_ellipsoid(c, d, out);
        return;
    case TAC_CONVEX_BOX:
        for (int i = 0; i < 3; ++i) out[i] = copysign(c->size[i], d[i]);
        return;
    case TAC_CONVEX_SEGMENT:
        out[0] = out[1] = 0.0;
        out[2] = copysign(c->size[2], d[2]);
        return;
    case TAC_CONVEX_SUPERQUADRIC:
        support_superquadric(c, d, out);
        return;
    case TAC_CONVEX_HALF_SPACE:
        out[0] = out[1] = out[2] = 0.0;
        return;
    }
}

void tac_convex_support(const tacConvex* c, const double d[3], double out[3]) {
    double local[3], x[3] = {0.0};
    for (int i = 0; i < 3; ++i) {
        local[i] = c->rot[0][i] * d[0] + c->rot[1][i] * d[1] + c->rot[2][i] * d[2];
    }
    support_local(c, local, x);
    for (int i = 0; i < 3; ++i) out[i] = c->pos[i] + dot_three(c->rot[i], x);
}

double tac_convex_bounding_radius(const tacConvex* c) {
    double most = 0.0;
    switch (c->kind) {
    case TAC_CONVEX_POINTS:
        for (int i = 0; i < c->count; ++i) most = fmax(most, norm3(c->point + 3 * i));
        break;
    case TAC_CONVEX_CYLINDER:
        most = hypot(c->size[0], c->size[2]);
        break;
    case TAC_CONVEX_ELLIPSOID:
        most = fmax(c->size[0], fmax(c->size[1], c->size[2]));
        break;
    case TAC_CONVEX_BOX:
    case TAC_CONVEX_SUPERQUADRIC:
        most = norm3(c->size);
        break;
    case TAC_CONVEX_SEGMENT:
        most = fabs(c->size[2]);
        break;
    case TAC_CONVEX_HALF_SPACE:
        break;
    }
    return most + c->radius;
}

static int hull_contains(const tacConvex* c, const double x[3], double tolerance) {
    for (int f = 0; f < c->faces; ++f) {
        if (dot_three(c->normal + 3 * f, x) > c->offset[f] + tolerance) return 0;
    }
    return 1;
}

// Points of round surfaces are on them by construction; of vertices without faces nothing is known.
int tac_convex_contains(const tacConvex* c, const double at[3], double tolerance) {
    double w[3] = {at[0] - c->pos[0], at[1] - c->pos[1], at[2] - c->pos[2]}, x[3];
    for (int k = 0; k < 3; ++k)
        x[k] = c->rot[0][k] * w[0] + c->rot[1][k] * w[1] + c->rot[2][k] * w[2];
    switch (c->kind) {
    case TAC_CONVEX_POINTS:
        return hull_contains(c, x, tolerance);
    case TAC_CONVEX_BOX:
        for (int k = 0; k < 3; ++k) {
            if (fabs(x[k]) > c->size[k] + tolerance) return 0;
        }
        return 1;
    case TAC_CONVEX_SEGMENT:
        return fabs(x[2]) <= c->size[2] + tolerance;
    case TAC_CONVEX_CYLINDER:
        return fabs(x[2]) <= c->size[2] + tolerance && hypot(x[0], x[1]) <= c->size[0] + tolerance;
    default:
        return 1;
    }
}

int tac_convex_is_curved(const tacConvex* c) {
    return c->kind == TAC_CONVEX_CYLINDER || c->kind == TAC_CONVEX_ELLIPSOID ||
           c->kind == TAC_CONVEX_SUPERQUADRIC;
}
