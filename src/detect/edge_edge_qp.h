// The box problem of two edges: where on each does the other come nearest?
//
//   min over a in [0, 1]^2 of |r + a1 t1 - a2 t2|^2/2 + w |a - 1/2|^2/2 = a.Q a/2 + c.a + const
//
// by the branch-free active set of docs/witness.md: the free minimum, the four minima on the sides
// of the box (clipped softly), a soft choice among those by their cost, and a soft "is the free one
// inside?" that blends the two. The exact version has hard clips, choices and answers; its
// derivative is that of the active set it stands on. The problem is a function of five scalar
// products and the temperatures, and so are its derivatives.

#ifndef TAC_DETECT_EDGE_EDGE_QP_H
#define TAC_DETECT_EDGE_EDGE_QP_H

#include "detect/edge_edge_unit.h"
#include "smooth/soft.h"

#include "tactus/witness.h"

//---------------------------------- numbers ----------------------------------

// tacWitnessOptions, ready for use. Squared lengths are measured in s^2 = relative (|t1|^2 +
// |t2|^2)/2 + floor.
typedef struct edgeTau {
    wide regular, least, gap; // of s^2, of s^2, of s
    unitTau clip, within;
    wide inv_range; // 0: "within" has no end
    int ranged;
    wide relative, floor;
} edgeTau;

// smallest s^2: two points that have become edges still divide by it
#define EDGE_FLOOR 1e-60

TAC_INLINE edgeTau edge_tau(const tacWitnessOptions* o) {
    edgeTau t;
    t.regular = w_set(o->exact ? (tacReal)0.0 : o->regular), t.least = w_set(o->least),
    t.gap = w_set(o->gap);
    t.clip = unit_tau(w_set(o->clip)), t.within = unit_tau(w_set(o->within));
    t.inv_range = w_set(tac_re(o->range) > 0.0 ? 1.0 / o->range : (tacReal)0.0);
    t.ranged = tac_re(o->range) > 0.0;
    t.relative = w_set(o->units == TAC_WITNESS_RELATIVE ? 1.0 : 0.0);
    t.floor = w_set(o->units == TAC_WITNESS_RELATIVE ? EDGE_FLOOR : 1.0);
    return t;
}

// tangent or adjoint of the options, one entry a lane
typedef struct edgeTauDot {
    wide regular, least, clip, within, range, gap;
} edgeTauDot;

TAC_INLINE edgeTauDot edge_tau_zero(void) {
    wide zero = w_set(0.0);
    return (edgeTauDot){zero, zero, zero, zero, zero, zero};
}

// scalar products of the directions t1, t2 and of r, from the foot of edge 2 to that of edge 1;
// also their tangents and adjoints, in which `cross2` is not used
typedef struct edgeProducts {
    wide tt1, tt2, t12, rt1, rt2;
    wide cross2; // |t1 x t2|^2
} edgeProducts;

// the problem with its solution; border points in the order a1 = 1, a1 = 0, a2 = 1, a2 = 0
typedef struct edgeQp {
    wide Q11, Q22, Q12, c1, c2, inv_det, s2;
    wide pull;                                     // s^2, or 0 where nothing pulls to the middle
    wide free[2];                                  // the minimum without bounds
    wide colliding;                                // is it inside?
    wide by_free[2], by_within, by_range;          // partials of that
    wide root[4], border[4], slope[4], by_clip[4]; // minimum on a side's line, and clipped
    wide weight[4], excess[4], inv_least;          // which side; excess of its cost over the least
    wide alpha[2];
} edgeQp;

//---------------------------------- set-up ----------------------------------

// det Q = |t1 x t2|^2 + w (|t1|^2 + |t2|^2) + w^2, without the cancellation of Q11 Q22 - Q12^2
TAC_INLINE wide edge_det(const edgeProducts* p, wide w) {
    return w_fma(w, p->tt1 + p->tt2 + w, p->cross2);
}

TAC_INLINE wide edge_unit2(const edgeProducts* p, const edgeTau* t) {
    return w_fma(t->relative * 0.5, p->tt1 + p->tt2, t->floor);
}

TAC_INLINE void edge_qp_set(edgeQp* q, const edgeProducts* p, const edgeTau* t) {
    q->s2 = q->pull = edge_unit2(p, t);
    wide w = t->regular * q->s2;
    q->Q11 = p->tt1 + w, q->Q22 = p->tt2 + w, q->Q12 = -p->t12;
    q->c1 = w_fma(w_set(-0.5), w, p->rt1), q->c2 = w_fma(w_set(-0.5), w, -p->rt2);
}

// numerators of the free minimum over det
TAC_INLINE void edge_free(const edgeQp* q, wide out[2]) {
    out[0] = q->Q12 * q->c2 - q->Q22 * q->c1;
    out[1] = q->Q12 * q->c1 - q->Q11 * q->c2;
}

// < 0 where `colliding` is exactly 0 (range > 0), without a division: a pair to leave out
TAC_INLINE wide edge_qp_reach(const edgeProducts* p, const edgeTau* t) {
    edgeQp q;
    wide n[2], range = 0.5 + 1.0 / t->inv_range;
    edge_qp_set(&q, p, t);
    wide det = edge_det(p, t->regular * q.s2);
    edge_free(&q, n);
    wide far = w_max(w_abs(n[0] - 0.5 * det), w_abs(n[1] - 0.5 * det));
    return range * det - far;
}

TAC_INLINE void edge_roots(edgeQp* q) {
    wide both = 1.0 / (q->Q11 * q->Q22), inv1 = both * q->Q22, inv2 = both * q->Q11;
    q->root[0] = -(q->Q12 + q->c2) * inv2;
    q->root[1] = -q->c2 * inv2;
    q->root[2] = -(q->Q12 + q->c1) * inv1;
    q->root[3] = -q->c1 * inv1;
}

// costs of the border points: those of their corner plus Q/2 (y^2 - 2 root y)
TAC_INLINE void edge_costs(const edgeQp* q, wide out[4]) {
    wide side[4] = {w_fma(w_set(0.5), q->Q11, q->c1), w_set(0.0), w_fma(w_set(0.5), q->Q22, q->c2),
                    w_set(0.0)};
    for (int i = 0; i < 4; ++i) {
        wide Q = i < 2 ? q->Q22 : q->Q11, y = q->border[i];
        out[i] = w_fma(0.5 * Q * y, y - (q->root[i] + q->root[i]), side[i]);
    }
}

TAC_INLINE void edge_excess(edgeQp* q, const wide cost[4]) {
    wide least = w_min(w_min(cost[0], cost[1]), w_min(cost[2], cost[3]));
    for (int i = 0; i < 4; ++i) q->excess[i] = cost[i] - least;
}

TAC_INLINE void edge_blend(edgeQp* q) {
    wide border[2], *w = q->weight, rest = 1.0 - q->colliding;
    border[0] = w_fma(w[2], q->border[2], w_fma(w[3], q->border[3], w[0]));
    border[1] = w_fma(w[0], q->border[0], w_fma(w[1], q->border[1], w[2]));
    for (int k = 0; k < 2; ++k) q->alpha[k] = w_fma(q->colliding, q->free[k], rest * border[k]);
}

//---------------------------------- smooth ----------------------------------

// what the stages below hand on: distances over the ends, exponentials and denominators; first of
// the free minimum's two places, then of the four roots
typedef struct edgeTape {
    wide over[6], M[6], F[6], log_term[4], cost[4], E[3];
} edgeTape;

TAC_INLINE wide edge_place(const edgeQp* q, int i) { return i < 2 ? q->free[i] : q->root[i - 2]; }

TAC_INLINE const unitTau* edge_unit_tau(const edgeTau* t, int i) {
    return i < 2 ? &t->within : &t->clip;
}

TAC_INLINE void edge_start(edgeQp* q, edgeTape* tape, const edgeProducts* p, const edgeTau* t) {
    edge_qp_set(q, p, t);
    q->inv_det = 1.0 / edge_det(p, t->regular * q->s2);
    q->inv_least = 1.0 / (t->least * q->s2);
    edge_free(q, q->free);
    for (int k = 0; k < 2; ++k) q->free[k] = q->free[k] * q->inv_det;
    edge_roots(q);
    for (int i = 0; i < 6; ++i) {
        tape->over[i] = unit_over(edge_place(q, i));
        tape->M[i] = unit_exponent(tape->over[i], edge_unit_tau(t, i));
    }
}

// Exponents become weights: softmin of four costs with three exponentials, in pairs, then between
// the pairs' minima.
TAC_INLINE void edge_compare(edgeQp* q, edgeTape* tape) {
    wide* cost = tape->cost;
    edge_costs(q, cost);
    wide low[2] = {w_min(cost[0], cost[1]), w_min(cost[2], cost[3])};
    wide lead[3] = {cost[0] - cost[1], cost[2] - cost[3], low[0] - low[1]}, cold = -q->inv_least;
    for (int i = 0; i < 3; ++i) tape->E[i] = w_max(unit_abs(lead[i]) * cold, w_set(-UNIT_REACH));
}

TAC_INLINE void edge_choose(edgeQp* q, const edgeTape* tape) {
    const wide *cost = tape->cost, *E = tape->E;
    wide one = w_set(1.0), low[2] = {w_min(cost[0], cost[1]), w_min(cost[2], cost[3])};
    wide step = low[0] - low[1], pair[2], inverse;
    pair[0] = w_select_ge0(step, E[2], one), pair[1] = w_select_ge0(step, one, E[2]);
    inverse = 1.0 / w_fma(pair[0], 1.0 + E[0], w_fma(pair[1], E[1], pair[1]));
    for (int i = 0; i < 2; ++i) {
        wide share = pair[i] * inverse, lead = cost[2 * i] - cost[2 * i + 1];
        q->weight[2 * i] = share * w_select_ge0(lead, E[i], one);
        q->weight[2 * i + 1] = share * w_select_ge0(lead, one, E[i]);
    }
}

// soft_mollifier, on one half alone: within 2e-16 of [0, 1]
TAC_INLINE wide edge_end(wide u) {
    wide c = w_max(w_min(1.0 - u, w_set(1.0)), w_set(0.0));
    return c * c * c * w_fma(c, w_fma(c, w_set(6.0), w_set(-15.0)), w_set(10.0));
}

// sigma's "within" of both places, times the mollifier of how far outside
TAC_INLINE void edge_collide(edgeQp* q, const edgeTape* tape, const edgeTau* t) {
    const wide *over = tape->over, *M = tape->M, *F = tape->F;
    wide in = M[0] * M[1] / (unit_within_over(M[0], F[0]) * unit_within_over(M[1], F[1]));
    wide end = edge_end(over[0] * t->inv_range) * edge_end(over[1] * t->inv_range);
    q->colliding = t->ranged ? in * end : in;
}

// the same for one place, with partials
TAC_INLINE unitValue edge_inside(const edgeQp* q, const edgeTape* tape, int k, const edgeTau* t,
                                 wide* by_range) {
    wide over = tape->over[k], x = q->free[k];
    unitValue w = unit_within_diff(x, over, tape->M[k], tape->F[k], &t->within);
    softDiff m = soft_mollifier_diff(over * t->inv_range);
    wide slope = w.value * m.d_x, out = slope * t->inv_range;
    *by_range = -slope * over * t->inv_range * t->inv_range;
    return (unitValue){w.value * m.value, w_fma(w.d_x, m.value, w_select_ge0(x - 0.5, out, -out)),
                       w.d_tau * m.value};
}

TAC_INLINE void edge_partials(edgeQp* q, const edgeTape* tape, const edgeTau* t) {
    wide by_range[2];
    unitValue in[2] = {edge_inside(q, tape, 0, t, &by_range[0]),
                       edge_inside(q, tape, 1, t, &by_range[1])};
    for (int k = 0; k < 2; ++k) q->by_free[k] = in[k].d_x * in[1 - k].value;
    q->by_within = w_fma(in[0].d_tau, in[1].value, in[0].value * in[1].d_tau);
    q->by_range = w_fma(by_range[0], in[1].value, in[0].value * by_range[1]);
    for (int i = 0; i < 4; ++i) {
        unitValue y = unit_clip_diff(q->root[i], tape->over[2 + i], tape->M[2 + i], tape->F[2 + i],
                                     tape->log_term[i], &t->clip);
        q->slope[i] = y.d_x, q->by_clip[i] = y.d_tau;
    }
    edge_excess(q, tape->cost);
}

// Vectors that pass the stages in lock step: exponentials and logarithms of one beside those of
// the others. `order` 0 leaves out what only derivatives read.
#define EDGE_STAGE 2

TAC_INLINE void edge_qp_stage(const edgeProducts* p, const edgeTau* t, edgeQp* q, int n,
                              int order) {
    edgeTape tape[EDGE_STAGE];
    for (int u = 0; u < n; ++u) edge_start(&q[u], &tape[u], &p[u], t);
    for (int u = 0; u < n; ++u)
        for (int i = 0; i < 6; ++i) tape[u].M[i] = unit_exp(tape[u].M[i]);
    for (int u = 0; u < n; ++u)
        for (int i = 0; i < 6; ++i)
            tape[u].F[i] = unit_F(tape[u].over[i], tape[u].M[i], edge_unit_tau(t, i));
    for (int u = 0; u < n; ++u)
        for (int i = 0; i < 4; ++i)
            tape[u].log_term[i] =
                unit_log_term(tape[u].over[2 + i], tape[u].M[2 + i], tape[u].F[2 + i]);
    for (int u = 0; u < n; ++u) {
        for (int i = 0; i < 4; ++i)
            q[u].border[i] =
                unit_clip(q[u].root[i], tape[u].over[2 + i], tape[u].log_term[i], &t->clip);
        edge_compare(&q[u], &tape[u]);
    }
    for (int u = 0; u < n; ++u)
        for (int i = 0; i < 3; ++i) tape[u].E[i] = unit_exp(tape[u].E[i]);
    for (int u = 0; u < n; ++u) {
        edge_choose(&q[u], &tape[u]);
        edge_collide(&q[u], &tape[u], t);
        edge_blend(&q[u]);
        if (order > 0) edge_partials(&q[u], &tape[u], t);
    }
}

// one vector, with what derivatives read
TAC_INLINE edgeQp edge_qp(const edgeProducts* p, const edgeTau* t) {
    edgeQp q;
    edge_qp_stage(p, t, &q, 1, 1);
    return q;
}

//---------------------------------- exact ----------------------------------

// Without a pull to the middle. What keeps 0/0 away where an edge is a point or both are parallel;
// parallel edges never take the free minimum, and a point has no slope.
#define EDGE_NOTHING2 1e-100
#define EDGE_NOTHING4 1e-120

// The free minimum is taken where it is inside and, as rounding may spoil it when edges are nearly
// parallel, no worse than the border.
TAC_INLINE void edge_collide_exact(edgeQp* q, wide cross2, const wide cost[4]) {
    wide zero = w_set(0.0), *x = q->free, inside = w_set(1.0);
    for (int k = 0; k < 2; ++k)
        inside = w_select_ge0(x[k], w_select_ge0(1.0 - x[k], inside, zero), zero);
    wide least = w_min(w_min(cost[0], cost[1]), w_min(cost[2], cost[3]));
    wide push0 = w_fma(w_set(0.5), w_fma(q->Q11, x[0], q->Q12 * x[1]), q->c1);
    wide push1 = w_fma(w_set(0.5), w_fma(q->Q12, x[0], q->Q22 * x[1]), q->c2);
    inside = w_select_ge0(least - w_fma(push0, x[0], push1 * x[1]), inside, zero);
    q->colliding = w_select_ge0(-cross2, zero, inside);
    q->by_free[0] = q->by_free[1] = q->by_within = q->by_range = zero;
}

// the first of the least
TAC_INLINE void edge_choose_exact(edgeQp* q) {
    wide zero = w_set(0.0), left = w_set(1.0);
    for (int i = 0; i < 4; ++i) {
        q->weight[i] = w_select_ge0(-q->excess[i], left, zero);
        left = left - q->weight[i];
    }
    q->inv_least = zero;
}

// t of options that are exact: they do not pull
TAC_INLINE edgeQp edge_qp_exact(const edgeProducts* p, const edgeTau* t) {
    edgeQp q;
    wide cost[4];
    edge_qp_set(&q, p, t);
    q.pull = w_set(0.0);
    q.Q11 = q.Q11 + EDGE_NOTHING2, q.Q22 = q.Q22 + EDGE_NOTHING2;
    q.inv_det = 1.0 / (p->cross2 + EDGE_NOTHING4);
    edge_free(&q, q.free);
    for (int k = 0; k < 2; ++k) q.free[k] = q.free[k] * q.inv_det;
    edge_roots(&q);
    for (int i = 0; i < 4; ++i) {
        unitValue y = unit_clip_hard(q.root[i]);
        wide length2 = (i < 2 ? p->tt2 : p->tt1) - EDGE_FLOOR;
        q.border[i] = y.value, q.by_clip[i] = y.d_tau;
        q.slope[i] = w_select_ge0(length2, y.d_x, w_set(0.0));
    }
    edge_costs(&q, cost);
    edge_excess(&q, cost);
    edge_collide_exact(&q, p->cross2, cost);
    edge_choose_exact(&q);
    edge_blend(&q);
    return q;
}

#endif
