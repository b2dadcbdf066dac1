// Squared distance to many planes (Garland and Heckbert 1997).

#include "mesh/surface/quadric.h"

#include <math.h>

#define DRAW 1e-3

void tac_quadric_add_plane(tacQuadric* q, const double n[3], const double x[3], double area) {
    static const int i[10] = {0, 1, 2, 0, 0, 1, 0, 1, 2, 3}, j[10] = {0, 1, 2, 1, 2, 2, 3, 3, 3, 3};
    double p[4] = {n[0], n[1], n[2], -(n[0] * x[0] + n[1] * x[1] + n[2] * x[2])};
    for (int k = 0; k < 10; ++k) q->a[k] += area * p[i[k]] * p[j[k]];
    q->area += area;
}

void tac_quadric_add(tacQuadric* q, const tacQuadric* other) {
    for (int k = 0; k < 10; ++k) q->a[k] += other->a[k];
    q->area += other->area;
}

double tac_quadric_error(const tacQuadric* q, const double x[3]) {
    const double* a = q->a;
    double square = a[0] * x[0] * x[0] + a[1] * x[1] * x[1] + a[2] * x[2] * x[2];
    double mixed = a[3] * x[0] * x[1] + a[4] * x[0] * x[2] + a[5] * x[1] * x[2];
    double linear = a[6] * x[0] + a[7] * x[1] + a[8] * x[2];
    double error = square + 2.0 * (mixed + linear) + a[9];
    return error > 0.0 ? error : 0.0;
}

// (A + m I) d = -(A near + b) by Cholesky factorization; m > 0 keeps every pivot above 0
void tac_quadric_minimizer(const tacQuadric* q, const double near[3], double out[3]) {
    const double *a = q->a, m = DRAW * q->area;
    double r[3] = {-(a[0] * near[0] + a[3] * near[1] + a[4] * near[2] + a[6]),
                   -(a[3] * near[0] + a[1] * near[1] + a[5] * near[2] + a[7]),
                   -(a[4] * near[0] + a[5] * near[1] + a[2] * near[2] + a[8])};
    double p0 = a[0] + m, l1 = a[3] / p0, l2 = a[4] / p0;
    double p1 = a[1] + m - l1 * a[3], s = a[5] - l1 * a[4], l3 = s / p1;
    double p2 = a[2] + m - l2 * a[4] - l3 * s;
    r[1] -= l1 * r[0];
    r[2] -= l2 * r[0] + l3 * r[1];
    double d2 = r[2] / p2, d1 = r[1] / p1 - l3 * d2, d0 = r[0] / p0 - l1 * d1 - l2 * d2;
    int fine = p0 > 0.0 && p1 > 0.0 && p2 > 0.0 && isfinite(d0 + d1 + d2);
    out[0] = near[0] + (fine ? d0 : 0.0);
    out[1] = near[1] + (fine ? d1 : 0.0);
    out[2] = near[2] + (fine ? d2 : 0.0);
}
