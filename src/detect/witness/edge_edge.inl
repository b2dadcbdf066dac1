// Two edges, one pair a lane: witness points, unsigned distance and normal, with derivatives.
//
//   corners --products--> edge_edge_qp.inl --alpha, colliding--> points e1, e2; e = e1 - e2
//   gap = sqrt(|e|^2 + (gap s)^2),  normal = e/gap,  distance = e.normal = |e|^2/gap
//
// Signs, and what decides whether a pair is a contact: edge_edge_normal.inl. Model:
// docs/witness.md. Use: products, then edge_qp or edge_qp_exact, then edge_witness; reach tells
// before the problem is solved that `colliding` is 0. A derivative takes what the value left in
// edgeQp.

#ifndef TAC_DETECT_WITNESS_EDGE_EDGE_INL
#define TAC_DETECT_WITNESS_EDGE_EDGE_INL

#include "detect/witness/edge_edge_qp_diff.inl"
#include "shape/local_field.inl"

// corners: edge 1 from, to; edge 2 from, to
typedef struct edgeCorners {
    wide x[4][3];
} edgeCorners;

// directions, and from the foot of edge 2 to that of edge 1
typedef struct edgeArms {
    wide t1[3], t2[3], r[3];
} edgeArms;

// also tangent and adjoint
typedef struct edgeWitness {
    wide alpha[2], colliding, point[2][3], gap, distance, normal[3];
} edgeWitness;

// largest sum of squared lengths of a pair [m^2]
#define EDGE_MAX_SQUARE 2e31

//---------------------------------- products ----------------------------------

TAC_INLINE edgeArms edge_arms(const edgeCorners* c) {
    edgeArms a;
    for (int k = 0; k < 3; ++k) {
        a.t1[k] = c->x[1][k] - c->x[0][k];
        a.t2[k] = c->x[3][k] - c->x[2][k];
        a.r[k] = c->x[0][k] - c->x[2][k];
    }
    return a;
}

TAC_INLINE edgeProducts edge_products(const edgeArms* a) {
    wide cross[3];
    w_cross3(a->t1, a->t2, cross);
    return (edgeProducts){w_dot3(a->t1, a->t1), w_dot3(a->t2, a->t2), w_dot3(a->t1, a->t2),
                          w_dot3(a->r, a->t1),  w_dot3(a->r, a->t2),  w_dot3(cross, cross)};
}

// 0 where all corners are finite and lengths have squares, else 1
TAC_INLINE wide edge_unusable(const edgeCorners* c, const edgeArms* a, const edgeProducts* p) {
    wide far2 = (w_dot3(c->x[0], c->x[0]) + w_dot3(a->r, a->r)) + (p->tt1 + p->tt2);
    return w_select_ge0(EDGE_MAX_SQUARE - far2, w_set(0.0), w_set(1.0));
}

TAC_INLINE edgeProducts edge_products_jvp(const edgeArms* a, const edgeArms* d) {
    return (edgeProducts){2.0 * w_dot3(a->t1, d->t1),
                          2.0 * w_dot3(a->t2, d->t2),
                          w_dot3(a->t1, d->t2) + w_dot3(d->t1, a->t2),
                          w_dot3(a->r, d->t1) + w_dot3(d->r, a->t1),
                          w_dot3(a->r, d->t2) + w_dot3(d->r, a->t2),
                          w_set(0.0)};
}

// adds
TAC_INLINE void edge_products_vjp(const edgeArms* a, const edgeProducts* bar, edgeArms* out) {
    for (int k = 0; k < 3; ++k) {
        wide t1 = a->t1[k], t2 = a->t2[k], r = a->r[k];
        out->t1[k] = out->t1[k] + 2.0 * bar->tt1 * t1 + bar->t12 * t2 + bar->rt1 * r;
        out->t2[k] = out->t2[k] + 2.0 * bar->tt2 * t2 + bar->t12 * t1 + bar->rt2 * r;
        out->r[k] = out->r[k] + bar->rt1 * t1 + bar->rt2 * t2;
    }
}

// adds
TAC_INLINE void edge_arms_vjp(const edgeArms* bar, edgeCorners* out) {
    for (int k = 0; k < 3; ++k) {
        out->x[0][k] = out->x[0][k] + bar->r[k] - bar->t1[k];
        out->x[1][k] = out->x[1][k] + bar->t1[k];
        out->x[2][k] = out->x[2][k] - bar->r[k] - bar->t2[k];
        out->x[3][k] = out->x[3][k] + bar->t2[k];
    }
}

//---------------------------------- distance ----------------------------------

// e = r + alpha1 t1 - alpha2 t2 and 1/sqrt(|e|^2 + gap^2)
typedef struct edgeSpan {
    wide e[3], e2, inverse;
} edgeSpan;

TAC_INLINE edgeSpan edge_span(const edgeArms* a, const edgeQp* q, const edgeTau* t) {
    edgeSpan s;
    for (int k = 0; k < 3; ++k)
        s.e[k] = w_fma(q->alpha[0], a->t1[k], w_fma(-q->alpha[1], a->t2[k], a->r[k]));
    s.e2 = w_dot3(s.e, s.e);
    s.inverse = w_rsqrt(w_fma(t->gap * t->gap, q->s2, s.e2) + EDGE_MIN_SQUARE);
    return s;
}

TAC_INLINE edgeWitness edge_witness(const edgeCorners* c, const edgeArms* a, const edgeQp* q,
                                    const edgeTau* t) {
    edgeSpan s = edge_span(a, q, t);
    edgeWitness w = {.alpha = {q->alpha[0], q->alpha[1]}, .colliding = q->colliding};
    for (int k = 0; k < 3; ++k) {
        w.point[0][k] = w_fma(q->alpha[0], a->t1[k], c->x[0][k]);
        w.point[1][k] = w_fma(q->alpha[1], a->t2[k], c->x[2][k]);
        w.normal[k] = s.e[k] * s.inverse;
    }
    w.distance = s.e2 * s.inverse;
    w.gap = 1.0 / s.inverse;
    return w;
}

//---------------------------------- forward ----------------------------------

// distance, gap and normal along e_dot and the tangent of gap^2 s^2
TAC_INLINE void edge_span_jvp(const edgeSpan* s, const wide e_dot[3], wide soft_dot,
                              edgeWitness* d) {
    wide along = w_dot3(s->e, e_dot);
    d->gap = w_fma(w_set(0.5), soft_dot, along) * s->inverse;
    wide inverse_dot = -d->gap * s->inverse * s->inverse;
    d->distance = w_fma(along + along, s->inverse, s->e2 * inverse_dot);
    for (int k = 0; k < 3; ++k) d->normal[k] = w_fma(e_dot[k], s->inverse, s->e[k] * inverse_dot);
}

TAC_INLINE edgeWitness edge_witness_jvp(const edgeCorners* c_dot, const edgeArms* a,
                                        const edgeQp* q, const edgeTau* t, const edgeTauDot* td) {
    edgeArms ad = edge_arms(c_dot);
    edgeSpan s = edge_span(a, q, t);
    edgeProducts pd = edge_products_jvp(a, &ad);
    edgeSolution answer = edge_qp_jvp(q, &pd, t, td);
    edgeWitness d = {.alpha = {answer.alpha[0], answer.alpha[1]}, .colliding = answer.colliding};
    wide e_dot[3];
    for (int k = 0; k < 3; ++k) {
        wide move1 = w_fma(answer.alpha[0], a->t1[k], q->alpha[0] * ad.t1[k]);
        wide move2 = w_fma(answer.alpha[1], a->t2[k], q->alpha[1] * ad.t2[k]);
        d.point[0][k] = c_dot->x[0][k] + move1;
        d.point[1][k] = c_dot->x[2][k] + move2;
        e_dot[k] = ad.r[k] + move1 - move2;
    }
    wide s2_dot = t->relative * 0.5 * (pd.tt1 + pd.tt2);
    edge_span_jvp(&s, e_dot, t->gap * (2.0 * td->gap * q->s2 + t->gap * s2_dot), &d);
    return d;
}

//---------------------------------- reverse ----------------------------------

// sets e_bar, returns the adjoint of gap^2 s^2
TAC_INLINE wide edge_span_vjp(const edgeSpan* s, const edgeWitness* bar, wide e_bar[3]) {
    wide inverse_bar = w_fma(s->e2, bar->distance, w_dot3(s->e, bar->normal));
    wide gap_bar = bar->gap - inverse_bar * s->inverse * s->inverse;
    wide along = w_fma(bar->distance, w_set(2.0), gap_bar) * s->inverse;
    for (int k = 0; k < 3; ++k) e_bar[k] = w_fma(bar->normal[k], s->inverse, along * s->e[k]);
    return 0.5 * gap_bar * s->inverse;
}

// adds to `out` and `tau_bar`
TAC_INLINE void edge_witness_vjp(const edgeArms* a, const edgeQp* q, const edgeTau* t,
                                 const edgeWitness* bar, edgeCorners* out, edgeTauDot* tau_bar) {
    edgeSpan s = edge_span(a, q, t);
    edgeArms arms;
    edgeProducts products;
    edgeSolution answer = {{bar->alpha[0], bar->alpha[1]}, bar->colliding};
    wide e_bar[3], soft_bar = edge_span_vjp(&s, bar, e_bar);
    for (int k = 0; k < 3; ++k) {
        wide move1 = bar->point[0][k] + e_bar[k], move2 = bar->point[1][k] - e_bar[k];
        answer.alpha[0] = w_fma(move1, a->t1[k], answer.alpha[0]);
        answer.alpha[1] = w_fma(move2, a->t2[k], answer.alpha[1]);
        arms.t1[k] = q->alpha[0] * move1;
        arms.t2[k] = q->alpha[1] * move2;
        arms.r[k] = e_bar[k];
        out->x[0][k] = out->x[0][k] + bar->point[0][k];
        out->x[2][k] = out->x[2][k] + bar->point[1][k];
    }
    tau_bar->gap = w_fma(2.0 * t->gap * q->s2, soft_bar, tau_bar->gap);
    edge_qp_vjp(q, &answer, t->gap * t->gap * soft_bar, t, &products, tau_bar);
    edge_products_vjp(a, &products, &arms);
    edge_arms_vjp(&arms, out);
}

#endif
