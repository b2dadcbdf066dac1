// Gauge of a superquadric: g = 1 on its surface, homogeneous (docs/shapes.md eq. 6 to 8, 11, 12).
//
//   u_i = ln(y_i^2/a_i^2 + w_i^2), and more for exponents above 1: superquadric_ridge.inl, where
//   `ridged` is 1 M = e2 ln(exp(u1/e2) + exp(u2/e2)),  N = e1 ln(exp(M/e1) + exp(u3/e1)),  ln g =
//   psi = N/2 p = grad psi = k_i s_i/2,  s_i = du_i/dy_i,  k = (alpha beta, alpha (1 - beta), 1 -
//   alpha)
//
// Nothing overflows: g is never formed, only its logarithm. Stages run over TAC_STAGE vectors in
// lock step, because one chain of six dependent exp and log leaves the ports idle.

#ifndef TAC_SHAPE_LEAF_SUPERQUADRIC_GAUGE_INL
#define TAC_SHAPE_LEAF_SUPERQUADRIC_GAUGE_INL

#include "shape/leaf/superquadric_ridge.inl"

//---------------------------------- logarithms -----------------------------------

// what needs exp and log: computed once, shared by value, gradient, Hessian and parameters
typedef struct sqLogs {
    wide y[3], u[3];
    wide du, E, log_E; // (u1 - u2)/e2, exp(-|du|), ln(1 + E)
    wide dv, F, log_F; // (M - u3)/e1, likewise
    wide psi, G;       // ln g, 1/g
} sqLogs;

// The larger of two is chosen by the sign of du, as |du| is: at a tie, where the complex build's du
// is a rounding away from 0, both must take the same side. Each vector has its superquadric, b[j].
TAC_INLINE void sq_logs(const tacNodeData* const* b, sqLogs* s, int n, int ridged) {
    TAC_UNROLL for (int j = 0; j < n; ++j) for (int i = 0; i < 3; ++i) s[j].u[i] =
        w_fma(s[j].y[i] * s[j].y[i], w_set(b[j]->inv_a2[i]), w_set(b[j]->w2[i]));
    for (int j = 0; j < n && ridged; ++j) ridge_add_rounding(b[j], s[j].y, s[j].u);
    for (int i = 0; i < 3; ++i)
        TAC_UNROLL for (int j = 0; j < n; ++j) s[j].u[i] = w_log_regular(s[j].u[i]);
    TAC_UNROLL for (int j = 0; j < n; ++j) {
        s[j].du = (s[j].u[0] - s[j].u[1]) * b[j]->inv_e[1];
        s[j].E = w_exp_regular(-w_abs(s[j].du));
    }
    TAC_UNROLL for (int j = 0; j < n; ++j) s[j].log_E = w_log1p_unit(s[j].E);
    TAC_UNROLL for (int j = 0; j < n; ++j) {
        wide M = w_fma(w_set(b[j]->e[1]), s[j].log_E, w_select_ge0(s[j].du, s[j].u[0], s[j].u[1]));
        s[j].dv = (M - s[j].u[2]) * b[j]->inv_e[0];
        s[j].psi = 0.5 * w_select_ge0(s[j].dv, M, s[j].u[2]);
        s[j].F = w_exp_regular(-w_abs(s[j].dv));
    }
    TAC_UNROLL for (int j = 0; j < n; ++j) s[j].log_F = w_log1p_unit(s[j].F);
    TAC_UNROLL for (int j = 0; j < n; ++j) {
        s[j].psi = w_fma(w_set(0.5 * b[j]->e[0]), s[j].log_F, s[j].psi);
        s[j].G = w_exp_regular(-s[j].psi);
    }
}

//---------------------------------- jet of ln g ----------------------------------

// ln g to second order in the point, in the form that its derivatives are taken in
typedef struct sqJet {
    wide alpha, alpha_c, beta, beta_c; // weights and their complements, both without cancellation
    wide k[3], m[3], s[3], sp[3];      // dpsi/du * 2; 2/(y^2 + delta); du/dy; ds/dy
    wide p[3];                         // gradient of ln g
    wide c1, c2, v1[3], v2[3];         // P = (c1 v1 v1^T + c2 v2 v2^T + diag(k sp))/2
    wide P[6];                         // Hessian of ln g
    ridgeJet ridge;                    // in place of m, s and sp
} sqJet;

TAC_INLINE void sq_jet_first(const tacNodeData* b, const sqLogs* l, sqJet* j, int ridged) {
    // one reciprocal of the product would be cheaper, but in the complex build its derivative
    // cancels
    wide one = w_set(1.0), inv_E = w_rcp(1.0 + l->E), inv_F = w_rcp(1.0 + l->F);
    j->beta = w_select_ge0(l->du, one, l->E) * inv_E;
    j->beta_c = w_select_ge0(l->du, l->E, one) * inv_E;
    j->alpha = w_select_ge0(l->dv, one, l->F) * inv_F;
    j->alpha_c = w_select_ge0(l->dv, l->F, one) * inv_F;
    j->k[0] = j->alpha * j->beta;
    j->k[1] = j->alpha * j->beta_c;
    j->k[2] = j->alpha_c;
    if (ridged) {
        ridge_first(b, l->y, &j->ridge);
        ridge_combine_gradients(b, &j->ridge, j->k, j->p);
        for (int i = 0; i < 3; ++i) j->p[i] = 0.5 * j->p[i];
        return;
    }
    for (int i = 0; i < 3; ++i) {
        j->m[i] = 2.0 * w_rcp(w_fma(l->y[i], l->y[i], w_set(b->delta[i])));
        j->s[i] = j->m[i] * l->y[i];
        j->p[i] = 0.5 * j->k[i] * j->s[i];
    }
}

TAC_INLINE void sq_jet_second_ridged(const tacNodeData* b, sqJet* j) {
    const wide one = w_set(1.0), outer[3] = {j->beta, j->beta_c, -one};
    const wide inner[3] = {one, -one, w_set(0.0)};
    ridge_combine_gradients(b, &j->ridge, outer, j->v1);
    ridge_combine_gradients(b, &j->ridge, inner, j->v2);
    for (int i = 0; i < 6; ++i) j->P[i] = w_set(0.0);
    ridge_second(b, j->k, &j->ridge, j->P);
    w_add_square(j->P, 0.5 * j->c1, j->v1);
    w_add_square(j->P, 0.5 * j->c2, j->v2);
}

TAC_INLINE void sq_jet_second(const tacNodeData* b, sqJet* j, int ridged) {
    j->c1 = j->alpha * j->alpha_c * b->inv_e[0];
    j->c2 = j->alpha * j->beta * j->beta_c * b->inv_e[1];
    if (ridged) {
        sq_jet_second_ridged(b, j);
        return;
    }
    j->v1[0] = j->beta * j->s[0];
    j->v1[1] = j->beta_c * j->s[1];
    j->v1[2] = -j->s[2];
    j->v2[0] = j->s[0];
    j->v2[1] = -j->s[1];
    j->v2[2] = w_set(0.0);
    for (int i = 0; i < 3; ++i) {
        j->sp[i] = j->m[i] - j->s[i] * j->s[i];
        j->P[i] = 0.5 * j->k[i] * j->sp[i];
        j->P[3 + i] = w_set(0.0);
    }
    wide h1 = 0.5 * j->c1, h2 = 0.5 * j->c2;
    w_add_square(j->P, h1, j->v1);
    j->P[0] = w_fma(h2 * j->s[0], j->s[0], j->P[0]);
    j->P[1] = w_fma(h2 * j->s[1], j->s[1], j->P[1]);
    j->P[3] = w_fma(h2 * j->s[0], -j->s[1], j->P[3]);
}

// derivative of the jet along a point direction (and, with `by`, along sizes and exponents)
typedef struct sqDot {
    wide psi, p[3], P[6];
    wide alpha, beta, log_k[3], v1[3], v2[3]; // with ridges: of weights, ln k, v1 and v2
    ridgeDot ridge;
} sqDot;

// tangents of the numbers of a superquadric; w2 follows e (docs/shapes.md eq. 8)
typedef struct sqParamDot {
    wide log_a[3], w2_a2[3], delta[3]; // da/a, a^2 dw^2, d(w^2 a^2)
    wide ridge[3];                     // dW^2
    wide e[2];
} sqParamDot;

// tangents of the weights, which follow from those of u
typedef struct sqWeightsDot {
    wide k[3], alpha, beta, c1, c2;
    wide log_k[3];
} sqWeightsDot;

// returns that of psi; dM/de2 and dN/de1 are the entropies of beta and alpha
TAC_INLINE wide sq_weights_dot(const tacNodeData* b, const sqLogs* l, const sqJet* j,
                               const wide ud[3], const sqParamDot* by, sqWeightsDot* out) {
    wide beta2 = j->beta * j->beta_c, alpha2 = j->alpha * j->alpha_c;
    wide Md = w_fma(j->beta, ud[0], j->beta_c * ud[1]);
    wide bd = ud[0] - ud[1], psid = w_set(0.0);
    if (by) {
        wide M_e2 = w_fma(w_abs(l->du), w_min(j->beta, j->beta_c), l->log_E);
        wide N_e1 = w_fma(w_abs(l->dv), w_min(j->alpha, j->alpha_c), l->log_F);
        Md = Md + M_e2 * by->e[1];
        bd = bd - l->du * by->e[1];
        psid = 0.5 * N_e1 * by->e[0];
    }
    wide ad = Md - ud[2];
    if (by) ad = ad - l->dv * by->e[0];
    bd = bd * b->inv_e[1];
    ad = ad * b->inv_e[0];
    out->log_k[0] = w_fma(j->alpha_c, ad, j->beta_c * bd);
    out->log_k[1] = w_fma(j->alpha_c, ad, -j->beta * bd);
    out->log_k[2] = -j->alpha * ad;
    bd = beta2 * bd;
    ad = alpha2 * ad;
    out->alpha = ad;
    out->beta = bd;
    out->k[0] = w_fma(ad, j->beta, j->alpha * bd);
    out->k[1] = ad * j->beta_c - j->alpha * bd;
    out->k[2] = -ad;
    out->c1 = (j->alpha_c - j->alpha) * ad * b->inv_e[0];
    out->c2 = (ad * beta2 + j->alpha * (j->beta_c - j->beta) * bd) * b->inv_e[1];
    if (by) {
        out->c1 = out->c1 - j->c1 * by->e[0] * b->inv_e[0];
        out->c2 = out->c2 - j->c2 * by->e[1] * b->inv_e[1];
    }
    return psid + 0.5 * w_fma(j->alpha, Md, j->alpha_c * ud[2]);
}

// adds the tangent of (c1 v1 v1^T + c2 v2 v2^T)/2
TAC_INLINE void sq_add_weights_dot(const sqJet* j, const sqWeightsDot* w, const wide v1d[3],
                                   const wide v2d[3], wide P[6]) {
    w_add_square(P, 0.5 * w->c1, j->v1);
    w_add_product(P, 0.5 * j->c1, v1d, j->v1);
    w_add_square(P, 0.5 * w->c2, j->v2);
    w_add_product(P, 0.5 * j->c2, v2d, j->v2);
}

TAC_INLINE void sq_dot_plain(const tacNodeData* b, const sqLogs* l, const sqJet* j,
                             const wide yd[3], const sqParamDot* by, sqDot* out) {
    // u, s and s' of each axis
    wide ud[3], sd[3], spd[3];
    for (int i = 0; i < 3; ++i) {
        wide half_m = 0.5 * j->m[i], md;
        ud[i] = j->s[i] * yd[i];
        sd[i] = j->sp[i] * yd[i];
        md = j->s[i] * yd[i];
        if (by) {
            ud[i] = ud[i] - j->s[i] * l->y[i] * by->log_a[i] + half_m * by->w2_a2[i];
            sd[i] = sd[i] - j->s[i] * half_m * by->delta[i];
            md = md + half_m * by->delta[i];
        }
        spd[i] = -j->m[i] * md - 2.0 * j->s[i] * sd[i];
    }
    sqWeightsDot w;
    out->psi = sq_weights_dot(b, l, j, ud, by, &w);
    for (int i = 0; i < 3; ++i) {
        out->p[i] = 0.5 * w_fma(w.k[i], j->s[i], j->k[i] * sd[i]);
        out->P[i] = 0.5 * w_fma(w.k[i], j->sp[i], j->k[i] * spd[i]);
        out->P[3 + i] = w_set(0.0);
    }
    wide v1d[3] = {w_fma(w.beta, j->s[0], j->beta * sd[0]), j->beta_c * sd[1] - w.beta * j->s[1],
                   -sd[2]};
    wide v2d[3] = {sd[0], -sd[1], w_set(0.0)};
    sq_add_weights_dot(j, &w, v1d, v2d, out->P);
}

TAC_INLINE void sq_dot_ridged(const tacNodeData* b, const sqLogs* l, const sqJet* j,
                              const wide yd[3], const sqParamDot* by, sqDot* out) {
    const wide none = w_set(0.0), one = w_set(1.0), zero[3] = {none, none, none};
    const wide *log_a = by ? by->log_a : zero, *ridge = by ? by->ridge : zero;
    wide w2[3];
    for (int i = 0; i < 3; ++i) w2[i] = by ? by->w2_a2[i] * b->inv_a2[i] : none;
    sqWeightsDot w;
    ridge_dot(b, &j->ridge, l->y, yd, log_a, w2, ridge, &out->ridge);
    out->psi = sq_weights_dot(b, l, j, out->ridge.u, by, &w);
    out->alpha = w.alpha;
    out->beta = w.beta;
    for (int i = 0; i < 3; ++i) out->log_k[i] = w.log_k[i];
    ridge_combine_gradients_dot(b, &j->ridge, &out->ridge, j->k, w.k, out->p);
    for (int i = 0; i < 3; ++i) out->p[i] = 0.5 * out->p[i];

    const wide outer[3] = {j->beta, j->beta_c, -one}, outer_dot[3] = {w.beta, -w.beta, none};
    const wide inner[3] = {one, -one, none};
    ridge_combine_gradients_dot(b, &j->ridge, &out->ridge, outer, outer_dot, out->v1);
    ridge_combine_gradients_dot(b, &j->ridge, &out->ridge, inner, zero, out->v2);
    for (int i = 0; i < 6; ++i) out->P[i] = none;
    ridge_second_dot(b, &j->ridge, &out->ridge, j->k, w.k, log_a, out->P);
    sq_add_weights_dot(j, &w, out->v1, out->v2, out->P);
}

TAC_INLINE void sq_dot(const tacNodeData* b, const sqLogs* l, const sqJet* j, const wide yd[3],
                       const sqParamDot* by, sqDot* out, int ridged) {
    if (ridged)
        sq_dot_ridged(b, l, j, yd, by, out);
    else
        sq_dot_plain(b, l, j, yd, by, out);
}

#endif
