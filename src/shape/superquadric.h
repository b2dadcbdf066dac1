// Superquadric: two distances of the gauge g, g = 1 on the surface (docs/shapes.md eq. 6 to 12).
//
//   u_i = ln(y_i^2/a_i^2 + w_i^2), and more for exponents above 1: ridge.h, where `ridged` is 1
//   M = e2 ln(exp(u1/e2) + exp(u2/e2)),  N = e1 ln(exp(M/e1) + exp(u3/e1)),  ln g = psi = N/2
//   p = grad psi = k_i s_i/2,  s_i = du_i/dy_i,  k = (alpha beta, alpha (1 - beta), 1 - alpha)
//   radial:  phi = r (1 - 1/g)        tangent:  phi = (1 - 1/g)/|p|
//
// Nothing overflows: g is never formed, only its logarithm. Stages run over TAC_STAGE vectors in
// lock step, because one chain of six dependent exp and log leaves the ports idle.

#ifndef TAC_SHAPE_SUPERQUADRIC_H
#define TAC_SHAPE_SUPERQUADRIC_H

#include "shape/ridge.h"

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
TAC_INLINE void sq_logs(const tacBound* const* b, sqLogs* s, int n, int ridged) {
    TAC_UNROLL for (int j = 0; j < n; ++j) for (int i = 0; i < 3; ++i) s[j].u[i] =
        w_fma(s[j].y[i] * s[j].y[i], w_set(b[j]->inv_a2[i]), w_set(b[j]->w2[i]));
    for (int j = 0; j < n && ridged; ++j) ridge_round(b[j], s[j].y, s[j].u);
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

TAC_INLINE void sq_jet_first(const tacBound* b, const sqLogs* l, sqJet* j, int ridged) {
    // one reciprocal of the product would be cheaper, but in the complex build its derivative
    // cancels
    wide one = w_set(1.0), inv_E = w_rcp(1.0 + l->E), inv_F = w_rcp(1.0 + l->F);
    j->beta = w_select_ge0(l->du, one, l->E) * inv_E;
    j->beta_c = w_select_ge0(l->du, l->E, one) * inv_E;
    j->alpha = w_select_ge0(l->dv, one, l->F) * inv_F;
    j->alpha_c = w_select_ge0(l->dv, l->F, one) * inv_F;
    j->k[0] = j->alpha * j->beta, j->k[1] = j->alpha * j->beta_c, j->k[2] = j->alpha_c;
    if (ridged) {
        ridge_first(b, l->y, &j->ridge);
        ridge_pull(b, &j->ridge, j->k, j->p);
        for (int i = 0; i < 3; ++i) j->p[i] = 0.5 * j->p[i];
        return;
    }
    for (int i = 0; i < 3; ++i) {
        j->m[i] = 2.0 * w_rcp(w_fma(l->y[i], l->y[i], w_set(b->delta[i])));
        j->s[i] = j->m[i] * l->y[i];
        j->p[i] = 0.5 * j->k[i] * j->s[i];
    }
}

TAC_INLINE void sq_jet_second_ridged(const tacBound* b, sqJet* j) {
    const wide one = w_set(1.0), outer[3] = {j->beta, j->beta_c, -one};
    const wide inner[3] = {one, -one, w_set(0.0)};
    ridge_pull(b, &j->ridge, outer, j->v1);
    ridge_pull(b, &j->ridge, inner, j->v2);
    for (int i = 0; i < 6; ++i) j->P[i] = w_set(0.0);
    ridge_second(b, j->k, &j->ridge, j->P);
    w_add_square(j->P, 0.5 * j->c1, j->v1);
    w_add_square(j->P, 0.5 * j->c2, j->v2);
}

TAC_INLINE void sq_jet_second(const tacBound* b, sqJet* j, int ridged) {
    j->c1 = j->alpha * j->alpha_c * b->inv_e[0];
    j->c2 = j->alpha * j->beta * j->beta_c * b->inv_e[1];
    if (ridged) {
        sq_jet_second_ridged(b, j);
        return;
    }
    j->v1[0] = j->beta * j->s[0], j->v1[1] = j->beta_c * j->s[1], j->v1[2] = -j->s[2];
    j->v2[0] = j->s[0], j->v2[1] = -j->s[1], j->v2[2] = w_set(0.0);
    for (int i = 0; i < 3; ++i) {
        j->sp[i] = j->m[i] - j->s[i] * j->s[i];
        j->P[i] = 0.5 * j->k[i] * j->sp[i], j->P[3 + i] = w_set(0.0);
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
} sqDot;

// tangents of the numbers of a superquadric; w2 follows e (docs/shapes.md eq. 8)
typedef struct sqBy {
    wide log_a[3], w2_a2[3], delta[3]; // da/a, a^2 dw^2, d(w^2 a^2)
    wide ridge[3];                     // dW^2
    wide e[2];
} sqBy;

// tangents of the weights, which follow from those of u
typedef struct sqWeightsDot {
    wide k[3], beta, c1, c2;
} sqWeightsDot;

// returns that of psi; dM/de2 and dN/de1 are the entropies of beta and alpha
TAC_INLINE wide sq_weights_dot(const tacBound* b, const sqLogs* l, const sqJet* j, const wide ud[3],
                               const sqBy* by, sqWeightsDot* out) {
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
    bd = beta2 * bd * b->inv_e[1];
    ad = alpha2 * ad * b->inv_e[0];
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

TAC_INLINE void sq_dot_plain(const tacBound* b, const sqLogs* l, const sqJet* j, const wide yd[3],
                             const sqBy* by, sqDot* out) {
    // u, s and s' of each axis
    wide ud[3], sd[3], spd[3];
    for (int i = 0; i < 3; ++i) {
        wide half_m = 0.5 * j->m[i], md;
        ud[i] = j->s[i] * yd[i], sd[i] = j->sp[i] * yd[i], md = j->s[i] * yd[i];
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
        out->P[i] = 0.5 * w_fma(w.k[i], j->sp[i], j->k[i] * spd[i]), out->P[3 + i] = w_set(0.0);
    }
    wide v1d[3] = {w_fma(w.beta, j->s[0], j->beta * sd[0]), j->beta_c * sd[1] - w.beta * j->s[1],
                   -sd[2]};
    wide v2d[3] = {sd[0], -sd[1], w_set(0.0)};
    sq_add_weights_dot(j, &w, v1d, v2d, out->P);
}

TAC_INLINE void sq_dot_ridged(const tacBound* b, const sqLogs* l, const sqJet* j, const wide yd[3],
                              const sqBy* by, sqDot* out) {
    const wide none = w_set(0.0), one = w_set(1.0), zero[3] = {none, none, none};
    const wide *log_a = by ? by->log_a : zero, *ridge = by ? by->ridge : zero;
    wide w2[3], v1d[3], v2d[3];
    for (int i = 0; i < 3; ++i) w2[i] = by ? by->w2_a2[i] * b->inv_a2[i] : none;
    ridgeDot d;
    sqWeightsDot w;
    ridge_dot(b, &j->ridge, l->y, yd, log_a, w2, ridge, &d);
    out->psi = sq_weights_dot(b, l, j, d.u, by, &w);
    ridge_pull_dot(b, &j->ridge, &d, j->k, w.k, out->p);
    for (int i = 0; i < 3; ++i) out->p[i] = 0.5 * out->p[i];

    const wide outer[3] = {j->beta, j->beta_c, -one}, outer_dot[3] = {w.beta, -w.beta, none};
    const wide inner[3] = {one, -one, none};
    ridge_pull_dot(b, &j->ridge, &d, outer, outer_dot, v1d);
    ridge_pull_dot(b, &j->ridge, &d, inner, zero, v2d);
    for (int i = 0; i < 6; ++i) out->P[i] = none;
    ridge_second_dot(b, &j->ridge, &d, j->k, w.k, log_a, out->P);
    sq_add_weights_dot(j, &w, v1d, v2d, out->P);
}

TAC_INLINE void sq_dot(const tacBound* b, const sqLogs* l, const sqJet* j, const wide yd[3],
                       const sqBy* by, sqDot* out, int ridged) {
    if (ridged)
        sq_dot_ridged(b, l, j, yd, by, out);
    else
        sq_dot_plain(b, l, j, yd, by, out);
}

//---------------------------------- radial distance ------------------------------

// r and n = y/r; at the centre n = 0
typedef struct sqRay {
    wide r, inv_r, n[3];
} sqRay;

TAC_INLINE sqRay sq_ray(const wide y[3]) {
    sqRay ray;
    wide r2 = w_dot3(y, y) + TAC_CENTRE;
    ray.inv_r = w_rsqrt(r2);
    ray.r = r2 * ray.inv_r;
    for (int i = 0; i < 3; ++i) ray.n[i] = y[i] * ray.inv_r;
    return ray;
}

TAC_INLINE void sq_radial(const tacBound* b, const sqLogs* l, localField* out, int order,
                          int ridged) {
    sqRay ray = sq_ray(l->y);
    wide rest = 1.0 - l->G, rG = ray.r * l->G;
    out->value = ray.r * rest;
    if (order < 1) return;
    sqJet j;
    sq_jet_first(b, l, &j, ridged);
    for (int i = 0; i < 3; ++i) out->g[i] = w_fma(rest, ray.n[i], rG * j.p[i]);
    if (order < 2) return;

    // H = (1-G)/r (I - n n^T) + G (n p^T + p n^T) + r G (P - p p^T)
    sq_jet_second(b, &j, ridged);
    wide across = rest * ray.inv_r, mix[3];
    for (int i = 0; i < 6; ++i) out->H[i] = rG * j.P[i];
    for (int i = 0; i < 3; ++i) {
        out->H[i] = out->H[i] + across;
        mix[i] = l->G * w_fma(-0.5 * ray.r, j.p[i], ray.n[i]);
    }
    w_add_square(out->H, -across, ray.n);
    w_add_product(out->H, w_set(1.0), mix, j.p);
}

TAC_INLINE void sq_radial_dot(const sqLogs* l, const sqJet* j, const sqDot* d, const wide yd[3],
                              localField* out) {
    sqRay ray = sq_ray(l->y);
    wide rest = 1.0 - l->G, rG = ray.r * l->G;
    wide rd = w_dot3(ray.n, yd), Gpsi = l->G * d->psi;
    out->value = w_fma(rd, rest, ray.r * Gpsi);
    wide rGd = rd * l->G - ray.r * Gpsi;
    for (int i = 0; i < 3; ++i) {
        wide nd = (yd[i] - ray.n[i] * rd) * ray.inv_r;
        out->g[i] = rest * nd + Gpsi * ray.n[i] + rGd * j->p[i] + rG * d->p[i];
    }
}

//---------------------------------- tangent-plane distance -----------------------

// q = 1/|p|, and b = P p
TAC_INLINE wide sq_inverse_slope(const tacBound* b, const sqJet* j) {
    return w_rsqrt(w_dot3(j->p, j->p) + b->guard);
}

TAC_INLINE void sq_tangent(const tacBound* b, const sqLogs* l, localField* out, int order,
                           int ridged) {
    sqJet j;
    sq_jet_first(b, l, &j, ridged);
    wide q = sq_inverse_slope(b, &j), rest = 1.0 - l->G;
    out->value = rest * q;
    if (order < 1) return;

    // g = G q p - (1-G) q^3 P p
    sq_jet_second(b, &j, ridged);
    wide Pp[3], Gq = l->G * q, q2 = q * q, turn = rest * q * q2;
    w_symmetric_mul(j.P, j.p, Pp);
    for (int i = 0; i < 3; ++i) out->g[i] = Gq * j.p[i] - turn * Pp[i];
    if (order < 2) return;

    // H = G q (P - p p^T) - G q^3 (Pp p^T + p Pp^T) + (1-G) (3 q^5 Pp Pp^T - q^3 (P P + T p))
    sqDot third; // T p: how P changes along p
    sq_dot(b, l, &j, j.p, NULL, &third, ridged);
    wide PP[6] = {w_set(0.0), w_set(0.0), w_set(0.0), w_set(0.0), w_set(0.0), w_set(0.0)};
    wide row0[3] = {j.P[0], j.P[3], j.P[4]}, row1[3] = {j.P[3], j.P[1], j.P[5]};
    wide row2[3] = {j.P[4], j.P[5], j.P[2]};
    w_add_square(PP, w_set(1.0), row0);
    w_add_square(PP, w_set(1.0), row1);
    w_add_square(PP, w_set(1.0), row2);
    for (int i = 0; i < 6; ++i) out->H[i] = Gq * j.P[i] - turn * (PP[i] + third.P[i]);
    w_add_square(out->H, -Gq, j.p);
    w_add_product(out->H, -Gq * q2, Pp, j.p);
    w_add_square(out->H, 3.0 * turn * q2, Pp);
}

TAC_INLINE void sq_tangent_dot(const tacBound* b, const sqLogs* l, const sqJet* j, const sqDot* d,
                               localField* out) {
    wide q = sq_inverse_slope(b, j), q2 = q * q, q3 = q * q2, rest = 1.0 - l->G;
    wide Gpsi = l->G * d->psi, qd = -q3 * w_dot3(j->p, d->p);
    out->value = w_fma(Gpsi, q, rest * qd);
    wide Pp[3], Pdp[3], Ppd[3];
    w_symmetric_mul(j->P, j->p, Pp);
    w_symmetric_mul(d->P, j->p, Pdp);
    w_symmetric_mul(j->P, d->p, Ppd);
    for (int i = 0; i < 3; ++i)
        out->g[i] = (l->G * qd - Gpsi * q) * j->p[i] + l->G * q * d->p[i] - Gpsi * q3 * Pp[i] -
                    rest * (3.0 * q2 * qd * Pp[i] + q3 * (Pdp[i] + Ppd[i]));
}

//---------------------------------- core -----------------------------------------

// phi = cap + w(t) (raw - cap), t = r/core radius; called for vectors that touch the core
TAC_INLINE void sq_core(const tacBound* b, const wide y[3], localField* f, int order) {
    wide one = w_set(1.0), c = w_set(b->core.radius), inv_c = 1.0 / c;
    sqRay ray = sq_ray(y);
    wide outside = w_dot3(y, y) - b->core.radius * b->core.radius; // the test of sq_field
    wide t = w_min(ray.r * inv_c, one), lift = f->value - b->core.cap;
    coreWeight w = core_weight(t);
    if (order >= 2) {
        // H = w H_raw + w'/c (n g^T + g n^T) + lift (w''/c^2 n n^T + w'/(c r) (I - n n^T))
        wide H[6], across = lift * w.d * inv_c * ray.inv_r;
        for (int i = 0; i < 6; ++i) H[i] = w.w * f->H[i];
        for (int i = 0; i < 3; ++i) H[i] = H[i] + across;
        w_add_square(H, lift * w.dd * inv_c * inv_c - across, ray.n);
        w_add_product(H, w.d * inv_c, ray.n, f->g);
        for (int i = 0; i < 6; ++i) f->H[i] = w_select_ge0(outside, f->H[i], H[i]);
    }
    if (order >= 1)
        for (int i = 0; i < 3; ++i) {
            wide g = w_fma(w.w, f->g[i], lift * w.d * inv_c * ray.n[i]);
            f->g[i] = w_select_ge0(outside, f->g[i], g);
        }
    f->value = w_select_ge0(outside, f->value, w_fma(w.w, lift, w_set(b->core.cap)));
}

// derivative of sq_core: raw field f, its tangent fd; tangents of radius and cap of the core
TAC_INLINE void sq_core_dot(const tacBound* b, const wide y[3], const wide yd[3],
                            const localField* f, wide radius_dot, wide cap_dot, localField* fd) {
    wide one = w_set(1.0), c = w_set(b->core.radius), inv_c = 1.0 / c;
    sqRay ray = sq_ray(y);
    wide inside = w_select_ge0(ray.r - c, w_set(0.0), one);
    wide t = w_min(ray.r * inv_c, one), lift = f->value - b->core.cap;
    coreWeight w = core_weight(t);
    wide rd = w_dot3(ray.n, yd), td = inside * (rd - t * radius_dot) * inv_c;
    wide wd = w.d * td, lift_d = fd->value - cap_dot;
    wide slope = w.d * inv_c, slope_d = (w.dd * td - slope * radius_dot) * inv_c;
    for (int i = 0; i < 3; ++i) {
        wide nd = (yd[i] - ray.n[i] * rd) * ray.inv_r;
        fd->g[i] = wd * f->g[i] + w.w * fd->g[i] + (lift_d * slope + lift * slope_d) * ray.n[i] +
                   lift * slope * nd;
    }
    fd->value = cap_dot + wd * lift + w.w * lift_d;
}

//---------------------------------- field ----------------------------------------

// fields of n vectors of points in the local frame, each of its own superquadric
TAC_INLINE void sq_field(const tacBound* const* b, wide y[][3], localField* out, int n, int order,
                         tacDistance distance, int ridged) {
    sqLogs l[TAC_STAGE];
    wide nearest = w_set(0.0);
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < 3; ++i) l[j].y[i] = y[j][i];
        nearest = w_min(nearest, w_dot3(y[j], y[j]) - b[j]->core.radius * b[j]->core.radius);
    }
    sq_logs(b, l, n, ridged);
    TAC_UNROLL for (int j = 0; j < n; ++j) {
        if (distance == TAC_DISTANCE_RADIAL)
            sq_radial(b[j], &l[j], &out[j], order, ridged);
        else
            sq_tangent(b[j], &l[j], &out[j], order, ridged);
    }
    if (w_any_negative(nearest))
        for (int j = 0; j < n; ++j) sq_core(b[j], y[j], &out[j], order);
}

// tangent of value and gradient for one vector of points
TAC_INLINE void sq_field_dot(const tacBound* b, const sqLogs* l, const sqJet* j,
                             const localField* raw, const wide yd[3], const sqBy* by,
                             wide radius_dot, wide cap_dot, localField* out) {
    sqDot d;
    sq_dot(b, l, j, yd, by, &d, b->ridged);
    if (b->distance == TAC_DISTANCE_RADIAL)
        sq_radial_dot(l, j, &d, yd, out);
    else
        sq_tangent_dot(b, l, j, &d, out);
    sq_core_dot(b, l->y, yd, raw, radius_dot, cap_dot, out);
}

#endif
