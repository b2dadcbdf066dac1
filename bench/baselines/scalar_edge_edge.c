// Two edges in a plain implementation: one pair at a time, exp and log of libm.

#include "bench/baselines/scalar_edge_edge.h"

#include <math.h>

static const double tikhonov = 0.01, min_temperature = 0.1, clip_temperature = 0.1,
                    inside_temperature = 0.1;

static double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }
static double softplus(double x) { return fmax(x, 0.0) + log1p(exp(-fabs(x))); }
static double soft_clip(double x) {
    return clip_temperature *
           (softplus(x / clip_temperature) - softplus((x - 1.0) / clip_temperature));
}
static double inside_unit_interval(double x) {
    return sigmoid(x / inside_temperature) * sigmoid((1.0 - x) / inside_temperature);
}
static double dot3(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// minimum over the box of a.Q a/2 + c.a; Q = (Q11, Q12, Q22)
static double solve_box_qp(const double Q[3], const double c[2], double alpha[2]) {
    double det = Q[0] * Q[2] - Q[1] * Q[1];
    double free[2] = {(Q[1] * c[1] - Q[2] * c[0]) / det, (Q[1] * c[0] - Q[0] * c[1]) / det};
    double side[4][2] = {{1.0, soft_clip(-(Q[1] + c[1]) / Q[2])},
                         {0.0, soft_clip(-c[1] / Q[2])},
                         {soft_clip(-(Q[1] + c[0]) / Q[0]), 1.0},
                         {soft_clip(-c[0] / Q[0]), 0.0}};
    double cost[4], low = INFINITY, sum = 0.0, mean[2] = {0.0, 0.0};
    for (int i = 0; i < 4; ++i) {
        double x = side[i][0], y = side[i][1];
        cost[i] = 0.5 * (Q[0] * x * x + 2.0 * Q[1] * x * y + Q[2] * y * y) + c[0] * x + c[1] * y;
        low = fmin(low, cost[i]);
    }
    for (int i = 0; i < 4; ++i) {
        double weight = exp((low - cost[i]) / min_temperature);
        sum += weight;
        mean[0] += weight * side[i][0];
        mean[1] += weight * side[i][1];
    }
    double colliding = inside_unit_interval(free[0]) * inside_unit_interval(free[1]);
    for (int k = 0; k < 2; ++k) alpha[k] = colliding * free[k] + (1.0 - colliding) * mean[k] / sum;
    return colliding;
}

void bench_scalar_edge_edge(const double* const in[12], double* const out[9], int count) {
    for (int i = 0; i < count; ++i) {
        double t1[3], t2[3], r[3], alpha[2];
        for (int k = 0; k < 3; ++k) {
            t1[k] = in[3 + k][i] - in[k][i];
            t2[k] = in[9 + k][i] - in[6 + k][i];
            r[k] = in[k][i] - in[6 + k][i];
        }
        double Q[3] = {dot3(t1, t1) + tikhonov, -dot3(t1, t2), dot3(t2, t2) + tikhonov};
        double c[2] = {dot3(r, t1) - 0.5 * tikhonov, -dot3(r, t2) - 0.5 * tikhonov};
        out[2][i] = solve_box_qp(Q, c, alpha);
        out[0][i] = alpha[0];
        out[1][i] = alpha[1];
        for (int k = 0; k < 3; ++k) {
            out[3 + k][i] = in[k][i] + alpha[0] * t1[k];
            out[6 + k][i] = in[6 + k][i] + alpha[1] * t2[k];
        }
    }
}
