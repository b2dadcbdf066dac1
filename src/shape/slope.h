// Slope of ln g, which a tangent distance divides by (docs/shapes.md eq. 10).
//
//   |p|                               of a superquadric without ridges
//   s^2 = sum s_i^2,  s_i^2 = k_i^2/(a_i^2 v_i)   of one with ridges
//
// Off the ridges both are the same. On a ridge p_i changes its sign, and |p| would have a dip as
// wide as the rounding; s_i, the slope of the face beside, has none.

#ifndef TAC_SHAPE_SLOPE_H
#define TAC_SHAPE_SLOPE_H

#include "shape/gauge.h"

typedef struct sqSlope {
    wide s2, A[3], DA[6]; // square, half of its gradient and of its Hessian
    wide t[3], rho[3][3]; // of ridges: s_i^2, and half of its relative gradient
} sqSlope;

// tangents of s2/2 and A
typedef struct sqSlopeDot {
    wide half, A[3];
} sqSlopeDot;

//---------------------------------- without ridges -------------------------------

TAC_INLINE void slope_plain_second(const tacBound* b, const sqLogs* l, const sqJet* j,
                                   sqSlope* out) {
    sqDot third; // how P changes along p
    sq_dot(b, l, j, j->p, NULL, &third, 0);
    const wide row0[3] = {j->P[0], j->P[3], j->P[4]}, row1[3] = {j->P[3], j->P[1], j->P[5]};
    const wide row2[3] = {j->P[4], j->P[5], j->P[2]}, one = w_set(1.0);
    for (int i = 0; i < 6; ++i) out->DA[i] = third.P[i];
    w_add_square(out->DA, one, row0);
    w_add_square(out->DA, one, row1);
    w_add_square(out->DA, one, row2);
}

TAC_INLINE void slope_plain_dot(const sqJet* j, const sqDot* d, sqSlopeDot* out) {
    wide turned[3];
    out->half = w_dot3(j->p, d->p);
    w_symmetric_mul(d->P, j->p, out->A);
    w_symmetric_mul(j->P, d->p, turned);
    for (int i = 0; i < 3; ++i) out->A[i] = out->A[i] + turned[i];
}

//---------------------------------- with ridges ----------------------------------

TAC_INLINE void slope_ridged(const tacBound* b, const sqJet* j, sqSlope* out) {
    for (int i = 0; i < 3; ++i) out->t[i] = j->k[i] * j->k[i] * b->inv_a2[i] * j->ridge.inv_v[i];
    out->s2 = out->t[0] + out->t[1] + out->t[2];
}

// how fast ln k_i changes with v1 and v2
TAC_INLINE void weight_rates(const tacBound* b, const sqJet* j, wide by1[3], wide by2[3]) {
    by1[0] = by1[1] = j->alpha_c * b->inv_e[0], by1[2] = -j->alpha * b->inv_e[0];
    by2[0] = j->beta_c * b->inv_e[1], by2[1] = -j->beta * b->inv_e[1], by2[2] = w_set(0.0);
}

// rho_i = grad ln k_i - grad u_i/2, A = sum s_i^2 rho_i
TAC_INLINE void slope_ridged_first(const tacBound* b, const sqJet* j, sqSlope* out) {
    wide by1[3], by2[3];
    weight_rates(b, j, by1, by2);
    for (int k = 0; k < 3; ++k) out->A[k] = w_set(0.0);
    for (int i = 0; i < 3; ++i) {
        wide U[3];
        ridge_gradient(b, &j->ridge, i, U);
        for (int k = 0; k < 3; ++k) {
            out->rho[i][k] = w_fma(by1[i], j->v1[k], w_fma(by2[i], j->v2[k], -0.5 * U[k]));
            out->A[k] = w_fma(out->t[i], out->rho[i][k], out->A[k]);
        }
    }
}

// DA = sum s_i^2 (2 rho_i rho_i^T + hess ln k_i - hess u_i/2)
TAC_INLINE void slope_ridged_second(const tacBound* b, const sqJet* j, sqSlope* out) {
    wide by1[3], by2[3], n[3];
    weight_rates(b, j, by1, by2);
    wide V1 = w_dot3(out->t, by1), V2 = w_dot3(out->t, by2);
    n[0] = w_fma(V1, j->beta, V2) - 0.5 * out->t[0];
    n[1] = w_fma(V1, j->beta_c, -V2) - 0.5 * out->t[1];
    n[2] = -V1 - 0.5 * out->t[2];
    for (int i = 0; i < 6; ++i) out->DA[i] = w_set(0.0);
    for (int i = 0; i < 3; ++i) w_add_square(out->DA, 2.0 * out->t[i], out->rho[i]);
    ridge_add_curvature(b, &j->ridge, n, out->DA);
    wide alpha2 = j->alpha * j->alpha_c, beta2 = j->beta * j->beta_c * b->inv_e[1];
    w_add_square(out->DA, -alpha2 * b->inv_e[0] * b->inv_e[0] * out->s2, j->v1);
    w_add_square(out->DA, beta2 * (V1 - b->inv_e[1] * (out->t[0] + out->t[1])), j->v2);
}

TAC_INLINE void slope_ridged_dot(const tacBound* b, const sqJet* j, const sqSlope* s,
                                 const sqDot* d, const sqBy* by, sqSlopeDot* out) {
    wide by1[3], by2[3], by1_dot[3], by2_dot[3], none = w_set(0.0);
    weight_rates(b, j, by1, by2);
    wide e1 = by ? by->e[0] * b->inv_e[0] : none, e2 = by ? by->e[1] * b->inv_e[1] : none;
    by1_dot[0] = by1_dot[1] = -d->alpha * b->inv_e[0] - by1[0] * e1;
    by1_dot[2] = -d->alpha * b->inv_e[0] - by1[2] * e1;
    by2_dot[0] = -d->beta * b->inv_e[1] - by2[0] * e2;
    by2_dot[1] = -d->beta * b->inv_e[1] - by2[1] * e2;
    by2_dot[2] = none;
    out->half = none;
    for (int k = 0; k < 3; ++k) out->A[k] = none;
    for (int i = 0; i < 3; ++i) {
        wide U_dot[3], log_a = by ? by->log_a[i] : none;
        ridge_gradient_dot(b, &j->ridge, &d->ridge, i, U_dot);
        wide rate = d->log_k[i] - log_a - 0.5 * d->ridge.u[i]; // of ln s_i
        out->half = w_fma(s->t[i], rate, out->half);
        for (int k = 0; k < 3; ++k) {
            wide turn = by1_dot[i] * j->v1[k] + by1[i] * d->v1[k] + by2_dot[i] * j->v2[k] +
                        by2[i] * d->v2[k] - 0.5 * U_dot[k];
            out->A[k] = w_fma(s->t[i], w_fma(2.0 * rate, s->rho[i][k], turn), out->A[k]);
        }
    }
}

//---------------------------------- either ---------------------------------------

TAC_INLINE void sq_slope(const tacBound* b, const sqJet* j, sqSlope* out, int ridged) {
    if (ridged)
        slope_ridged(b, j, out);
    else
        out->s2 = w_dot3(j->p, j->p);
}

TAC_INLINE void sq_slope_first(const tacBound* b, const sqJet* j, sqSlope* out, int ridged) {
    if (ridged)
        slope_ridged_first(b, j, out);
    else
        w_symmetric_mul(j->P, j->p, out->A);
}

TAC_INLINE void sq_slope_second(const tacBound* b, const sqLogs* l, const sqJet* j, sqSlope* out,
                                int ridged) {
    if (ridged)
        slope_ridged_second(b, j, out);
    else
        slope_plain_second(b, l, j, out);
}

TAC_INLINE void sq_slope_dot(const tacBound* b, const sqJet* j, const sqSlope* s, const sqDot* d,
                             const sqBy* by, sqSlopeDot* out, int ridged) {
    if (ridged)
        slope_ridged_dot(b, j, s, d, by, out);
    else
        slope_plain_dot(j, d, out);
}

#endif
