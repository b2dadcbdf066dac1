// Slope of ln g, which a tangent distance divides by (docs/shapes.md eq. 10).
//
//   |p|                               of a superquadric without ridges
//   s^2 = sum t_i,  t_i = k_i^2 x_i/(a_i^2 v_i^2),  x = v - w^2,  of one with ridges
//
// For W = 0 both are the same. On a ridge p_i changes its sign, and |p| would have a dip as wide as
// the rounding; the root of t_i, the slope of the face beside, has none.

#ifndef TAC_SHAPE_LEAF_SUPERQUADRIC_SLOPE_INL
#define TAC_SHAPE_LEAF_SUPERQUADRIC_SLOPE_INL

#include "shape/leaf/superquadric_gauge.inl"

typedef struct sqSlope {
    wide s2, A[3], DA[6]; // square, half of its gradient and of its Hessian
    wide t[3], T[3];      // of ridges: s_i^2, and that over x_i/v_i
    wide R[3][3], U[3][3];
} sqSlope;

// tangents of s2/2 and A
typedef struct sqSlopeDot {
    wide half, A[3];
} sqSlopeDot;

//---------------------------------- without ridges -------------------------------

TAC_INLINE void slope_plain_second(const tacNodeData* b, const sqLogs* l, const sqJet* j,
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

TAC_INLINE void slope_ridged(const tacNodeData* b, const sqJet* j, sqSlope* out) {
    for (int i = 0; i < 3; ++i) {
        out->T[i] = j->k[i] * j->k[i] * b->inv_a2[i] * j->ridge.inv_v[i];
        out->t[i] = out->T[i] * j->ridge.inv_v[i] * j->ridge.x[i];
    }
    out->s2 = out->t[0] + out->t[1] + out->t[2];
}

// how fast ln k_i changes with v1 and v2
TAC_INLINE void weight_rates(const tacNodeData* b, const sqJet* j, wide by1[3], wide by2[3]) {
    by1[0] = by1[1] = j->alpha_c * b->inv_e[0];
    by1[2] = -j->alpha * b->inv_e[0];
    by2[0] = j->beta_c * b->inv_e[1];
    by2[1] = -j->beta * b->inv_e[1];
    by2[2] = w_set(0.0);
}

// A = sum t_i R_i + (T_i/2 - t_i) U_i,  R_i = grad ln k_i,  U_i = grad u_i
TAC_INLINE void slope_ridged_first(const tacNodeData* b, const sqJet* j, sqSlope* out) {
    wide by1[3], by2[3];
    weight_rates(b, j, by1, by2);
    for (int k = 0; k < 3; ++k) out->A[k] = w_set(0.0);
    for (int i = 0; i < 3; ++i) {
        wide rest = w_fma(w_set(0.5), out->T[i], -out->t[i]);
        ridge_gradient(b, &j->ridge, i, out->U[i]);
        for (int k = 0; k < 3; ++k) {
            out->R[i][k] = w_fma(by1[i], j->v1[k], by2[i] * j->v2[k]);
            out->A[k] = w_fma(out->t[i], out->R[i][k], w_fma(rest, out->U[i][k], out->A[k]));
        }
    }
}

// DA = sum 2 t R R^T - (2t - T) (R U^T + U R^T) + (2t - 3T/2) U U^T
//      + t hess ln k + (T/2 - t) hess u
TAC_INLINE void slope_ridged_second(const tacNodeData* b, const sqJet* j, sqSlope* out) {
    wide by1[3], by2[3], n[3];
    weight_rates(b, j, by1, by2);
    for (int i = 0; i < 6; ++i) out->DA[i] = w_set(0.0);
    for (int i = 0; i < 3; ++i) {
        n[i] = w_fma(w_set(0.5), out->T[i], -out->t[i]);
        w_add_square(out->DA, 2.0 * out->t[i], out->R[i]);
        w_add_product(out->DA, 2.0 * n[i], out->R[i], out->U[i]);
        w_add_square(out->DA, 2.0 * out->t[i] - 1.5 * out->T[i], out->U[i]);
    }
    wide V1 = w_dot3(out->t, by1), V2 = w_dot3(out->t, by2);
    n[0] = n[0] + w_fma(V1, j->beta, V2);
    n[1] = n[1] + w_fma(V1, j->beta_c, -V2);
    n[2] = n[2] - V1;
    ridge_add_curvature(b, &j->ridge, n, out->DA);
    wide alpha2 = j->alpha * j->alpha_c, beta2 = j->beta * j->beta_c * b->inv_e[1];
    w_add_square(out->DA, -alpha2 * b->inv_e[0] * b->inv_e[0] * out->s2, j->v1);
    w_add_square(out->DA, beta2 * (V1 - b->inv_e[1] * (out->t[0] + out->t[1])), j->v2);
}

TAC_INLINE void slope_ridged_dot(const tacNodeData* b, const sqJet* j, const sqSlope* s,
                                 const sqDot* d, const sqParamDot* by, sqSlopeDot* out) {
    wide by1[3], by2[3], by1_dot[3], by2_dot[3], none = w_set(0.0);
    weight_rates(b, j, by1, by2);
    wide e1 = by ? by->e[0] * b->inv_e[0] : none, e2 = by ? by->e[1] * b->inv_e[1] : none;
    for (int i = 0; i < 3; ++i) {
        by1_dot[i] = -d->alpha * b->inv_e[0] - by1[i] * e1;
        by2_dot[i] = i < 2 ? -d->beta * b->inv_e[1] - by2[i] * e2 : none;
    }
    out->half = none;
    for (int k = 0; k < 3; ++k) out->A[k] = none;
    for (int i = 0; i < 3; ++i) {
        wide U_dot[3], rate = d->log_k[i] - (by ? by->log_a[i] : none);
        ridge_gradient_dot(b, &j->ridge, &d->ridge, i, U_dot);
        wide T_dot = s->T[i] * (2.0 * rate - d->ridge.u[i]);
        wide t_dot =
            w_fma(2.0 * s->t[i], rate - d->ridge.u[i], s->T[i] * j->ridge.inv_v[i] * d->ridge.x[i]);
        out->half = w_fma(w_set(0.5), t_dot, out->half);
        for (int k = 0; k < 3; ++k) {
            wide R_dot = by1_dot[i] * j->v1[k] + by1[i] * d->v1[k] + by2_dot[i] * j->v2[k] +
                         by2[i] * d->v2[k];
            wide turn = w_fma(t_dot, s->R[i][k], s->t[i] * R_dot);
            turn = turn + (0.5 * T_dot - t_dot) * s->U[i][k];
            out->A[k] = out->A[k] + turn + (0.5 * s->T[i] - s->t[i]) * U_dot[k];
        }
    }
}

//---------------------------------- either ---------------------------------------

TAC_INLINE void sq_slope(const tacNodeData* b, const sqJet* j, sqSlope* out, int ridged) {
    if (ridged)
        slope_ridged(b, j, out);
    else
        out->s2 = w_dot3(j->p, j->p);
}

TAC_INLINE void sq_slope_first(const tacNodeData* b, const sqJet* j, sqSlope* out, int ridged) {
    if (ridged)
        slope_ridged_first(b, j, out);
    else
        w_symmetric_mul(j->P, j->p, out->A);
}

TAC_INLINE void sq_slope_second(const tacNodeData* b, const sqLogs* l, const sqJet* j, sqSlope* out,
                                int ridged) {
    if (ridged)
        slope_ridged_second(b, j, out);
    else
        slope_plain_second(b, l, j, out);
}

TAC_INLINE void sq_slope_dot(const tacNodeData* b, const sqJet* j, const sqSlope* s, const sqDot* d,
                             const sqParamDot* by, sqSlopeDot* out, int ridged) {
    if (ridged)
        slope_ridged_dot(b, j, s, d, by, out);
    else
        slope_plain_dot(j, d, out);
}

#endif
