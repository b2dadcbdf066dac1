// A vertex and a triangle, one pair a lane: the point of the triangle that is nearest, distance and
// normal, with derivatives.
//
//   p(x, y) = a + x e0 + y e1,  r = v - a
//   min over x, y, 1 - x - y >= 0 of |v - p|^2/2 + w/4 sum (alpha_j - 1/3)^2
//
// by the branch-free active set of edge_edge_qp.inl: the free minimum, the minima on the three
// sides (clipped softly), a soft choice among those by their cost, and a soft "is the free one
// inside?". It is a function of five scalar products and the temperatures. Model: docs/witness.md.

#ifndef TAC_DETECT_WITNESS_VERTEX_FACE_INL
#define TAC_DETECT_WITNESS_VERTEX_FACE_INL

#include "detect/witness/edge_edge_qp.inl"
#include "shape/local_field.inl"

// the vertex, then the corners of the triangle
typedef struct faceCorners {
    wide x[4][3];
} faceCorners;

// also tangent and adjoint
typedef struct faceArms {
    wide e0[3], e1[3], r[3];
} faceArms;

// e0.e0, e1.e1, e0.e1, r.e0, r.e1; also tangents and adjoints, in which `cross2` is not used
typedef struct faceProducts {
    wide A, B, C, p, q;
    wide cross2; // |e0 x e1|^2
} faceProducts;

// sides in the order a b, a c, b c
typedef struct faceQp {
    wide w, s2, H11, H22, H12, inv_det;
    wide free[2], inside, by_x[3], by_inside; // shares of the corners; partials of `inside`
    wide L[3], inv_L[3], root[3], u[3], slope[3], by_clip[3];
    wide weight[3], excess[3], inv_T;
    wide border[2], at[2];
} faceQp;

// also tangent and adjoint
typedef struct faceWitness {
    wide at[2], colliding, point[3], distance, normal[3];
} faceWitness;

//---------------------------------- products -------------------------------------

TAC_INLINE faceArms face_arms(const faceCorners* c) {
    faceArms a;
    for (int k = 0; k < 3; ++k) {
        a.e0[k] = c->x[2][k] - c->x[1][k];
        a.e1[k] = c->x[3][k] - c->x[1][k];
        a.r[k] = c->x[0][k] - c->x[1][k];
    }
    return a;
}

TAC_INLINE void face_arms_vjp(const faceArms* bar, faceCorners* out) {
    for (int k = 0; k < 3; ++k) {
        out->x[0][k] = out->x[0][k] + bar->r[k];
        out->x[1][k] = out->x[1][k] - (bar->r[k] + bar->e0[k] + bar->e1[k]);
        out->x[2][k] = out->x[2][k] + bar->e0[k];
        out->x[3][k] = out->x[3][k] + bar->e1[k];
    }
}

TAC_INLINE faceProducts face_products(const faceArms* a) {
    wide c[3];
    w_cross3(a->e0, a->e1, c);
    return (faceProducts){w_dot3(a->e0, a->e0), w_dot3(a->e1, a->e1), w_dot3(a->e0, a->e1),
                          w_dot3(a->r, a->e0),  w_dot3(a->r, a->e1),  w_dot3(c, c)};
}

TAC_INLINE faceProducts face_products_jvp(const faceArms* a, const faceArms* d) {
    return (faceProducts){2.0 * w_dot3(a->e0, d->e0),
                          2.0 * w_dot3(a->e1, d->e1),
                          w_dot3(a->e0, d->e1) + w_dot3(d->e0, a->e1),
                          w_dot3(a->r, d->e0) + w_dot3(d->r, a->e0),
                          w_dot3(a->r, d->e1) + w_dot3(d->r, a->e1),
                          w_set(0.0)};
}

// adds
TAC_INLINE void face_products_vjp(const faceArms* a, const faceProducts* bar, faceArms* out) {
    for (int k = 0; k < 3; ++k) {
        wide e0 = a->e0[k], e1 = a->e1[k], r = a->r[k];
        out->e0[k] = out->e0[k] + 2.0 * bar->A * e0 + bar->C * e1 + bar->p * r;
        out->e1[k] = out->e1[k] + 2.0 * bar->B * e1 + bar->C * e0 + bar->q * r;
        out->r[k] = out->r[k] + bar->p * e0 + bar->q * e1;
    }
}

// mean of the squared sides
TAC_INLINE wide face_mean(const faceProducts* p) { return (2.0 / 3.0) * (p->A + p->B - p->C); }

// 0 where all corners are finite and lengths have squares, else 1
TAC_INLINE wide face_unusable(const faceCorners* c, const faceArms* a, const faceProducts* p) {
    wide far2 = w_dot3(c->x[0], c->x[0]) + w_dot3(a->r, a->r) + p->A + p->B;
    return w_select_ge0(2e31 - far2, w_set(0.0), w_set(1.0));
}

//---------------------------------- value ----------------------------------------

// each side's squared length and what its root is counted by
TAC_INLINE void face_sides(const faceProducts* p, wide length[3], wide along[3]) {
    length[0] = p->A;
    length[1] = p->B;
    length[2] = p->A + p->B - 2.0 * p->C;
    along[0] = p->p;
    along[1] = p->q;
    along[2] = p->q - p->p - p->C + p->A;
}

// costs of the sides' points beside |r|^2/2
TAC_INLINE void face_costs(const faceProducts* p, const faceQp* q, wide out[3]) {
    for (int i = 0; i < 3; ++i) {
        wide base = i == 2 ? w_fma(w_set(0.5), p->A, -p->p) : w_set(0.0);
        out[i] = w_fma(0.5 * q->L[i] * q->u[i], q->u[i] - 2.0 * q->root[i], base);
    }
}

TAC_INLINE void face_start(const faceProducts* p, const edgeTau* t, faceQp* q) {
    wide length[3], along[3], half;
    q->s2 = w_fma(t->relative, face_mean(p), t->min_square);
    q->w = t->tikhonov * q->s2;
    half = 0.5 * q->w;
    q->H11 = p->A + q->w;
    q->H22 = p->B + q->w;
    q->H12 = p->C + half;
    wide det = w_fma(q->w, w_fma(w_set(0.75), q->w, p->A + p->B - p->C), p->cross2);
    q->inv_det = 1.0 / (det + EDGE_MIN_SQUARE * EDGE_MIN_SQUARE);
    wide P = p->p + half, Q = p->q + half;
    q->free[0] = (q->H22 * P - q->H12 * Q) * q->inv_det;
    q->free[1] = (q->H11 * Q - q->H12 * P) * q->inv_det;
    face_sides(p, length, along);
    for (int i = 0; i < 3; ++i) {
        q->L[i] = length[i] + q->w + EDGE_MIN_SQUARE;
        q->inv_L[i] = 1.0 / q->L[i];
        q->root[i] = (along[i] + half) * q->inv_L[i];
    }
}

TAC_INLINE void face_shares(const faceQp* q, wide out[3]) {
    out[0] = 1.0 - q->free[0] - q->free[1];
    out[1] = q->free[0];
    out[2] = q->free[1];
}

TAC_INLINE void face_blend(faceQp* q) {
    const wide *w = q->weight, *u = q->u;
    wide rest = 1.0 - q->inside;
    q->border[0] = w_fma(w[2], 1.0 - u[2], w[0] * u[0]);
    q->border[1] = w_fma(w[2], u[2], w[1] * u[1]);
    for (int k = 0; k < 2; ++k) q->at[k] = w_fma(q->inside, q->free[k], rest * q->border[k]);
}

TAC_INLINE void face_inside(faceQp* q, const edgeTau* t) {
    wide share[3];
    softDiff s[3];
    face_shares(q, share);
    for (int j = 0; j < 3; ++j) s[j] = soft_greater_diff(share[j], w_set(0.0), t->inside.tau);
    q->inside = s[0].value * s[1].value * s[2].value;
    q->by_inside = w_set(0.0);
    for (int j = 0; j < 3; ++j) {
        wide others = s[(j + 1) % 3].value * s[(j + 2) % 3].value;
        q->by_x[j] = others * s[j].d_x;
        q->by_inside = w_fma(others, s[j].d_tau, q->by_inside);
    }
}

TAC_INLINE void face_clips(faceQp* q, const edgeTau* t) {
    for (int i = 0; i < 3; ++i) {
        wide x = q->root[i] - 0.5, over = unit_over(x);
        unitExp M = unit_end_exp(over, &t->clip);
        wide log_term = unit_log(unit_log_ratio(over, M, &t->clip));
        unitValue d = unit_clip_diff(x, over, M, log_term, &t->clip);
        q->u[i] = unit_clip(x, log_term, &t->clip);
        q->slope[i] = d.d_x;
        q->by_clip[i] = d.d_tau;
    }
}

TAC_INLINE void face_excess(const faceProducts* p, faceQp* q) {
    wide cost[3];
    face_costs(p, q, cost);
    wide min = w_min(cost[0], w_min(cost[1], cost[2]));
    for (int i = 0; i < 3; ++i) q->excess[i] = cost[i] - min;
}

TAC_INLINE void face_softmin_weights(faceQp* q, const edgeTau* t) {
    wide rate = -UNIT_OCTAVES * q->inv_T, exp_limit = UNIT_EXP_LIMIT * t->min * q->s2;
    unitExp e[3];
    for (int i = 0; i < 3; ++i) e[i] = unit_exp(unit_clamped_abs(q->excess[i], exp_limit), rate);
    wide w[3] = {e[0].n * (e[1].d * e[2].d), e[1].n * (e[2].d * e[0].d),
                 e[2].n * (e[0].d * e[1].d)};
    wide inverse = 1.0 / (w[0] + w[1] + w[2]);
    for (int i = 0; i < 3; ++i) q->weight[i] = w[i] * inverse;
}

TAC_INLINE faceQp face_qp(const faceProducts* p, const edgeTau* t) {
    faceQp q;
    face_start(p, t, &q);
    face_inside(&q, t);
    face_clips(&q, t);
    face_excess(p, &q);
    q.inv_T = 1.0 / (t->min * q.s2);
    face_softmin_weights(&q, t);
    face_blend(&q);
    return q;
}

// Hard clips, choices and answers; derivatives are those of the active set. A flat triangle has no
// inside, ties of sides take the first.
TAC_INLINE faceQp face_qp_exact(const faceProducts* p, const edgeTau* t) {
    faceQp q;
    wide zero = w_set(0.0), one = w_set(1.0), share[3], taken = zero;
    face_start(p, t, &q);
    face_shares(&q, share);
    wide min = w_min(share[0], w_min(share[1], share[2]));
    wide flat = w_fma(w_set(1e-28), q.s2 * q.s2, -p->cross2);
    q.inside = w_select_ge0(min, w_select_ge0(flat, zero, one), zero);
    q.by_inside = q.inv_T = zero;
    for (int i = 0; i < 3; ++i) {
        unitValue c = unit_clip_hard(q.root[i]);
        q.u[i] = c.value;
        q.slope[i] = c.d_x;
        q.by_clip[i] = q.by_x[i] = zero;
    }
    face_excess(p, &q);
    for (int i = 0; i < 3; ++i) {
        wide best = w_select_ge0(-q.excess[i], one, zero);
        q.weight[i] = best * (1.0 - taken);
        taken = w_max(taken, best);
    }
    face_blend(&q);
    return q;
}

// e = r - x e0 - y e1 and 1/sqrt(|e|^2 + gap^2)
typedef struct faceSpan {
    wide e[3], e2, inverse;
} faceSpan;

TAC_INLINE faceSpan face_span(const faceArms* a, const faceQp* q, const edgeTau* t) {
    faceSpan s;
    for (int k = 0; k < 3; ++k)
        s.e[k] = w_fma(-q->at[0], a->e0[k], w_fma(-q->at[1], a->e1[k], a->r[k]));
    s.e2 = w_dot3(s.e, s.e);
    s.inverse = w_rsqrt(w_fma(t->gap * t->gap, q->s2, s.e2) + EDGE_MIN_SQUARE);
    return s;
}

TAC_INLINE faceWitness face_witness(const faceCorners* c, const faceArms* a, const faceQp* q,
                                    const edgeTau* t) {
    faceSpan s = face_span(a, q, t);
    faceWitness w = {.at = {q->at[0], q->at[1]}, .colliding = q->inside};
    for (int k = 0; k < 3; ++k) {
        w.point[k] = w_fma(q->at[0], a->e0[k], w_fma(q->at[1], a->e1[k], c->x[1][k]));
        w.normal[k] = s.e[k] * s.inverse;
    }
    w.distance = s.e2 * s.inverse;
    return w;
}

//---------------------------------- forward --------------------------------------

// what the answer is made of: places, "inside", s^2; also adjoints
typedef struct faceSolution {
    wide at[2], inside, s2;
} faceSolution;

TAC_INLINE faceSolution face_qp_jvp(const faceQp* q, const faceProducts* d, const edgeTau* t,
                                    const edgeTauDot* td) {
    wide s2 = t->relative * face_mean(d), w = w_fma(td->tikhonov, q->s2, t->tikhonov * s2);
    wide half = 0.5 * w, length[3], along[3], free[2], z[3], u[3], mean = w_set(0.0);
    wide g1 = d->p + half - (d->A + w) * q->free[0] - (d->C + half) * q->free[1];
    wide g2 = d->q + half - (d->C + half) * q->free[0] - (d->B + w) * q->free[1];
    free[0] = (q->H22 * g1 - q->H12 * g2) * q->inv_det;
    free[1] = (q->H11 * g2 - q->H12 * g1) * q->inv_det;
    wide inside = q->by_inside * td->inside - q->by_x[0] * (free[0] + free[1]);
    inside = inside + q->by_x[1] * free[0] + q->by_x[2] * free[1];
    wide colder = (td->min * q->s2 + t->min * s2) * q->inv_T;
    face_sides(d, length, along);
    for (int i = 0; i < 3; ++i) {
        wide L = length[i] + w, root = (along[i] + half - q->root[i] * L) * q->inv_L[i];
        wide base = i == 2 ? 0.5 * d->A - d->p : w_set(0.0);
        u[i] = q->slope[i] * root + q->by_clip[i] * td->clip;
        wide cost = base + 0.5 * L * q->u[i] * (q->u[i] - 2.0 * q->root[i]) +
                    q->L[i] * ((q->u[i] - q->root[i]) * u[i] - q->u[i] * root);
        z[i] = (q->excess[i] * colder - cost) * q->inv_T;
        mean = w_fma(q->weight[i], z[i], mean);
    }
    const wide* W = q->weight;
    for (int i = 0; i < 3; ++i) z[i] = W[i] * (z[i] - mean);
    wide bx = z[0] * q->u[0] + W[0] * u[0] + z[2] * (1.0 - q->u[2]) - W[2] * u[2];
    wide by = z[1] * q->u[1] + W[1] * u[1] + z[2] * q->u[2] + W[2] * u[2];
    wide rest = 1.0 - q->inside;
    return (faceSolution){{inside * (q->free[0] - q->border[0]) + q->inside * free[0] + rest * bx,
                           inside * (q->free[1] - q->border[1]) + q->inside * free[1] + rest * by},
                          inside,
                          s2};
}

TAC_INLINE faceWitness face_witness_jvp(const faceCorners* c_dot, const faceArms* a,
                                        const faceQp* q, const edgeTau* t, const edgeTauDot* td) {
    faceArms ad = face_arms(c_dot);
    faceProducts pd = face_products_jvp(a, &ad);
    faceSolution x = face_qp_jvp(q, &pd, t, td);
    faceSpan s = face_span(a, q, t);
    faceWitness d = {.at = {x.at[0], x.at[1]}, .colliding = x.inside};
    wide e[3];
    for (int k = 0; k < 3; ++k) {
        wide move =
            x.at[0] * a->e0[k] + q->at[0] * ad.e0[k] + x.at[1] * a->e1[k] + q->at[1] * ad.e1[k];
        d.point[k] = c_dot->x[1][k] + move;
        e[k] = ad.r[k] - move;
    }
    wide along = w_dot3(s.e, e), soft = t->gap * (2.0 * td->gap * q->s2 + t->gap * x.s2);
    wide inverse = -(along + 0.5 * soft) * s.inverse * s.inverse * s.inverse;
    d.distance = 2.0 * along * s.inverse + s.e2 * inverse;
    for (int k = 0; k < 3; ++k) d.normal[k] = w_fma(e[k], s.inverse, s.e[k] * inverse);
    return d;
}

//---------------------------------- reverse --------------------------------------

// sets `out`, adds to the temperatures
TAC_INLINE void face_qp_vjp(const faceQp* q, const faceSolution* bar, const edgeTau* t,
                            faceProducts* out, edgeTauDot* tau) {
    const wide *W = q->weight, *B = bar->at;
    wide rest = 1.0 - q->inside, bx = rest * B[0], by = rest * B[1], zero = w_set(0.0);
    wide inside =
        bar->inside + B[0] * (q->free[0] - q->border[0]) + B[1] * (q->free[1] - q->border[1]);
    wide free[2] = {w_fma(q->inside, B[0], inside * (q->by_x[1] - q->by_x[0])),
                    w_fma(q->inside, B[1], inside * (q->by_x[2] - q->by_x[0]))};
    wide W_bar[3] = {bx * q->u[0], by * q->u[1], bx * (1.0 - q->u[2]) + by * q->u[2]};
    wide u_bar[3] = {bx * W[0], by * W[1], (by - bx) * W[2]}, mean = zero, colder = zero;
    wide length[3], along[3], w = zero, half = zero, base = zero;
    tau->inside = w_fma(q->by_inside, inside, tau->inside);
    for (int i = 0; i < 3; ++i) mean = w_fma(W[i], W_bar[i], mean);
    for (int i = 0; i < 3; ++i) {
        wide z = W[i] * (W_bar[i] - mean) * q->inv_T, cost = -z;
        colder = w_fma(z, q->excess[i], colder);
        wide u = u_bar[i] + cost * q->L[i] * (q->u[i] - q->root[i]);
        wide root = q->slope[i] * u - cost * q->L[i] * q->u[i];
        tau->clip = w_fma(q->by_clip[i], u, tau->clip);
        wide sum = root * q->inv_L[i];
        length[i] = 0.5 * cost * q->u[i] * (q->u[i] - 2.0 * q->root[i]) - sum * q->root[i];
        along[i] = sum;
        half = half + sum;
        w = w + length[i];
        if (i == 2) base = cost;
    }
    wide g1 = (q->H22 * free[0] - q->H12 * free[1]) * q->inv_det;
    wide g2 = (q->H11 * free[1] - q->H12 * free[0]) * q->inv_det;
    wide off = -(g1 * q->free[1] + g2 * q->free[0]); // of H12
    half = half + g1 + g2 + off;
    w = w + 0.5 * half - g1 * q->free[0] - g2 * q->free[1];
    out->A = length[0] + length[2] + along[2] + 0.5 * base - g1 * q->free[0];
    out->B = length[1] + length[2] - g2 * q->free[1];
    out->C = off - 2.0 * length[2] - along[2];
    out->p = along[0] - along[2] - base + g1;
    out->q = along[1] + along[2] + g2;
    colder = colder * q->inv_T;
    tau->min = w_fma(colder, q->s2, tau->min);
    tau->tikhonov = w_fma(w, q->s2, tau->tikhonov);
    wide s2 = (2.0 / 3.0) * t->relative * (bar->s2 + t->tikhonov * w + t->min * colder);
    out->A = out->A + s2;
    out->B = out->B + s2;
    out->C = out->C - s2;
}

// adds to `out` and `tau_bar`
TAC_INLINE void face_witness_vjp(const faceArms* a, const faceQp* q, const edgeTau* t,
                                 const faceWitness* bar, faceCorners* out, edgeTauDot* tau_bar) {
    faceSpan s = face_span(a, q, t);
    faceArms arms;
    faceProducts products;
    wide inverse = w_fma(s.e2, bar->distance, w_dot3(s.e, bar->normal));
    wide square = -0.5 * inverse * s.inverse * s.inverse * s.inverse; // of |e|^2 + gap^2 s^2
    wide along = 2.0 * w_fma(bar->distance, s.inverse, square);
    faceSolution answer = {{bar->at[0], bar->at[1]}, bar->colliding, t->gap * t->gap * square};
    tau_bar->gap = w_fma(2.0 * t->gap * q->s2, square, tau_bar->gap);
    for (int k = 0; k < 3; ++k) {
        wide e = w_fma(bar->normal[k], s.inverse, along * s.e[k]), move = bar->point[k] - e;
        answer.at[0] = w_fma(move, a->e0[k], answer.at[0]);
        answer.at[1] = w_fma(move, a->e1[k], answer.at[1]);
        arms.e0[k] = q->at[0] * move;
        arms.e1[k] = q->at[1] * move;
        arms.r[k] = e;
        out->x[1][k] = out->x[1][k] + bar->point[k];
    }
    face_qp_vjp(q, &answer, t, &products, tau_bar);
    face_products_vjp(a, &products, &arms);
    face_arms_vjp(&arms, out);
}

#endif
