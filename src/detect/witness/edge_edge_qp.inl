// The box problem of two edges: where on each does the other come nearest?
//
//   min over a in [0, 1]^2 of |r + a1 t1 - a2 t2|^2/2 + w |a - 1/2|^2/2 = a.Q a/2 + c.a + const
//
// by the branch-free active set of docs/witness.md: the free minimum, the four minima on the sides
// of the box (clipped softly), a soft choice among those by their cost, and a soft "is the free one
// inside?" that blends the two. The exact version has hard clips, choices and answers; its
// derivative is that of the active set it stands on. The problem is a function of five scalar
// products and the temperatures, and so are its derivatives.

#ifndef TAC_DETECT_WITNESS_EDGE_EDGE_QP_INL
#define TAC_DETECT_WITNESS_EDGE_EDGE_QP_INL

#include "detect/witness/edge_edge_unit.inl"
#include "smooth/soft.inl"

#include "tactus/witness.h"

//---------------------------------- numbers ----------------------------------

// tacWitnessOptions, ready for use. Squared lengths are measured in s^2 = relative (|t1|^2 +
// |t2|^2)/2 + floor.
typedef struct edgeTau {
    wide tikhonov, min, gap; // of s^2, of s^2, of s
    unitTau clip, inside;
    wide inv_range; // 0: "within" has no end
    int ranged;
    wide relative, min_square;
} edgeTau;

// smallest s^2: two points that have become edges still divide by it
#define EDGE_MIN_SQUARE 1e-60

TAC_INLINE edgeTau edge_tau(const tacWitnessOptions* o) {
    edgeTau t;
    t.tikhonov = w_set(o->exact ? (tacReal)0.0 : o->tikhonov);
    t.min = w_set(o->min);
    t.gap = w_set(o->gap);
    t.clip = unit_tau(w_set(o->clip));
    t.inside = unit_tau(w_set(o->inside));
    t.inv_range = w_set(tac_re(o->range) > 0.0 ? 1.0 / o->range : (tacReal)0.0);
    t.ranged = tac_re(o->range) > 0.0;
    t.relative = w_set(o->units == TAC_WITNESS_RELATIVE ? 1.0 : 0.0);
    t.min_square = w_set(o->units == TAC_WITNESS_RELATIVE ? EDGE_MIN_SQUARE : 1.0);
    return t;
}

// tangent or adjoint of the options, one entry a lane
typedef struct edgeTauDot {
    wide tikhonov, min, clip, inside, range, gap;
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
    wide Q11, Q22, Q12, c1, c2, inv_det, s2, inv_min;
    wide free[2];   // the minimum without bounds
    wide colliding; // is it inside?
    wide border[4]; // minimum on a side, clipped
    wide alpha[2];
    // what derivatives read besides
    wide tikhonov_square;                 // s^2, or 0 where nothing pulls to the middle
    wide by_free[2], by_inside, by_range; // partials of `colliding`
    wide root[4], slope[4], by_clip[4];   // minimum on a side's line, partials of its clip
    wide weight[4], excess[4];            // which side; excess of its cost over the least
} edgeQp;

//---------------------------------- set-up ----------------------------------

// det Q = |t1 x t2|^2 + w (|t1|^2 + |t2|^2) + w^2, without the cancellation of Q11 Q22 - Q12^2
TAC_INLINE wide edge_det(const edgeProducts* p, wide w) {
    return w_fma(w, p->tt1 + p->tt2 + w, p->cross2);
}

TAC_INLINE wide edge_unit2(const edgeProducts* p, const edgeTau* t) {
    return w_fma(t->relative * 0.5, p->tt1 + p->tt2, t->min_square);
}

TAC_INLINE void edge_qp_set(edgeQp* q, const edgeProducts* p, const edgeTau* t) {
    q->s2 = q->tikhonov_square = edge_unit2(p, t);
    wide w = t->tikhonov * q->s2;
    q->Q11 = p->tt1 + w;
    q->Q22 = p->tt2 + w;
    q->Q12 = -p->t12;
    q->c1 = w_fma(w_set(-0.5), w, p->rt1);
    q->c2 = w_fma(w_set(-0.5), w, -p->rt2);
}

// numerators of the free minimum over det: not fused, so that they vanish where both edges are one
TAC_INLINE void edge_free_over(const edgeQp* q, wide out[2]) {
    out[0] = q->Q12 * q->c2 - q->Q22 * q->c1;
    out[1] = q->Q12 * q->c1 - q->Q11 * q->c2;
}

TAC_INLINE void edge_free(edgeQp* q) {
    edge_free_over(q, q->free);
    for (int k = 0; k < 2; ++k) q->free[k] = q->free[k] * q->inv_det;
}

// < 0 where `colliding` is exactly 0 (range > 0), without a division: a pair to leave out
TAC_INLINE wide edge_qp_margin(const edgeProducts* p, const edgeTau* t) {
    edgeQp q;
    wide n[2], range = 0.5 + 1.0 / t->inv_range;
    edge_qp_set(&q, p, t);
    wide det = edge_det(p, t->tikhonov * q.s2);
    edge_free_over(&q, n);
    wide far = w_max(w_abs(n[0] - 0.5 * det), w_abs(n[1] - 0.5 * det));
    return range * det - far;
}

// What pulls along each side's line where it starts; the line's root is -push/Q.
TAC_INLINE void edge_line_gradients(const edgeQp* q, wide out[4]) {
    out[0] = q->Q12 + q->c2;
    out[1] = q->c2;
    out[2] = q->Q12 + q->c1;
    out[3] = q->c1;
}

// -1/Q22 and -1/Q11
TAC_INLINE void edge_line_inverses(const edgeQp* q, wide out[2]) {
    wide both = -1.0 / (q->Q11 * q->Q22);
    out[0] = both * q->Q11;
    out[1] = both * q->Q22;
}

// costs of the border points: those of their corner plus Q/2 y^2 + push y
TAC_INLINE void edge_costs(const edgeQp* q, wide out[4]) {
    wide zero = w_set(0.0), half[2] = {0.5 * q->Q22, 0.5 * q->Q11}, line_grad[4],
         vertex_cost[4] = {half[1] + q->c1, zero, half[0] + q->c2, zero};
    edge_line_gradients(q, line_grad);
    for (int i = 0; i < 4; ++i)
        out[i] =
            w_fma(w_fma(half[i / 2], q->border[i], line_grad[i]), q->border[i], vertex_cost[i]);
}

TAC_INLINE void edge_excess(edgeQp* q, const wide cost[4]) {
    wide min = w_min(w_min(cost[0], cost[1]), w_min(cost[2], cost[3]));
    for (int i = 0; i < 4; ++i) q->excess[i] = cost[i] - min;
}

// weights add up to 1 when multiplied by `inverse`
TAC_INLINE void edge_blend(edgeQp* q, const wide w[4], wide inverse) {
    wide border[2], rest = (1.0 - q->colliding) * inverse;
    border[0] = w_fma(w[2], q->border[2], w_fma(w[3], q->border[3], w[0]));
    border[1] = w_fma(w[0], q->border[0], w_fma(w[1], q->border[1], w[2]));
    for (int k = 0; k < 2; ++k) q->alpha[k] = w_fma(q->colliding, q->free[k], rest * border[k]);
}

//---------------------------------- smooth ----------------------------------

// What the stages below hand on. Of the free minimum's two places and then the four roots: how far
// outside they are, and the exponentials of that; the roots from the middle and logarithms; costs;
// which of two is less, by how much, and its exponential.
typedef struct edgeTape {
    wide over[6], root[4], log_term[4], cost[4], cost_gap[3];
    unitExp M[6], E[3];
} edgeTape;

// Q, c and det Q, which takes the place of its inverse until the next stage
TAC_INLINE void edge_qp_init(edgeQp* q, const edgeProducts* p, const edgeTau* t) {
    edgeQp s;
    edge_qp_set(&s, p, t);
    q->Q11 = s.Q11;
    q->Q22 = s.Q22;
    q->Q12 = s.Q12;
    q->c1 = s.c1;
    q->c2 = s.c2;
    q->s2 = s.s2;
    q->inv_det = edge_det(p, t->tikhonov * s.s2);
}

// the minima without bounds and on the sides' lines, and how far outside they are
TAC_INLINE void edge_start(edgeQp* q, edgeTape* tape, int order) {
    wide line_grad[4], inverse[2], inv_det = 1.0 / q->inv_det;
    edge_line_inverses(q, inverse);
    edge_free_over(q, q->free);
    edge_line_gradients(q, line_grad);
    for (int k = 0; k < 2; ++k) {
        q->free[k] = q->free[k] * inv_det;
        tape->over[k] = unit_over(q->free[k] - 0.5);
    }
    for (int i = 0; i < 4; ++i) {
        tape->root[i] = w_fma(line_grad[i], inverse[i / 2], w_set(-0.5));
        tape->over[2 + i] = unit_over(tape->root[i]);
        if (order > 0) q->root[i] = tape->root[i] + 0.5;
    }
    if (order > 0) {
        q->tikhonov_square = q->s2;
        q->inv_det = inv_det;
    }
}

TAC_INLINE void edge_exponentials(edgeTape* tape, const edgeTau* t) {
    for (int i = 0; i < 6; ++i)
        tape->M[i] = unit_end_exp(tape->over[i], i < 2 ? &t->inside : &t->clip);
}

// what the logarithms in the sides' clips are functions of
TAC_INLINE void edge_ratios(edgeTape* tape, const edgeTau* t) {
    for (int i = 0; i < 4; ++i)
        tape->log_term[i] = unit_log_ratio(tape->over[2 + i], tape->M[2 + i], &t->clip);
}

TAC_INLINE void edge_clips(edgeQp* q, edgeTape* tape, const edgeTau* t, int order) {
    for (int i = 0; i < 4; ++i) {
        wide log_term = unit_log(tape->log_term[i]);
        q->border[i] = unit_clip(tape->root[i], log_term, &t->clip);
        if (order > 0) tape->log_term[i] = log_term;
    }
}

// Softmin of four costs with three exponentials: in pairs, then between the pairs' minima.
TAC_INLINE void edge_compare(edgeQp* q, edgeTape* tape, const edgeTau* t, int order) {
    wide cost[4];
    q->inv_min = 1.0 / (t->min * q->s2);
    edge_costs(q, cost);
    tape->cost_gap[0] = cost[0] - cost[1];
    tape->cost_gap[1] = cost[2] - cost[3];
    tape->cost_gap[2] = w_min(cost[0], cost[1]) - w_min(cost[2], cost[3]);
    for (int i = 0; i < 4 && order > 0; ++i) tape->cost[i] = cost[i];
}

// exponentials of what one is less than the other
TAC_INLINE void edge_cost_exponentials(const edgeQp* q, edgeTape* tape, const edgeTau* t) {
    wide rate = -UNIT_OCTAVES * q->inv_min, exp_limit = UNIT_EXP_LIMIT * t->min * q->s2;
    for (int i = 0; i < 3; ++i)
        tape->E[i] = unit_exp(unit_clamped_abs(tape->cost_gap[i], exp_limit), rate);
}

// Weights that add up to 1 when multiplied by what is returned: it comes late, and what is weighed
// need not wait for it.
TAC_INLINE wide edge_softmin_weights(const edgeTape* tape, wide weight[4]) {
    const unitExp* E = tape->E;
    unitPair share[3];
    for (int i = 0; i < 3; ++i) share[i] = unit_order(tape->cost_gap[i], E[i].n, E[i].d);
    wide pair[2] = {share[2].a * E[1].d, share[2].b * E[0].d};
    for (int i = 0; i < 2; ++i) {
        weight[2 * i] = pair[i] * share[i].a;
        weight[2 * i + 1] = pair[i] * share[i].b;
    }
    return 1.0 / w_fma(pair[0], E[0].n + E[0].d, pair[1] * (E[1].n + E[1].d));
}

// soft_mollifier, on one half alone: within 2e-16 of [0, 1]
TAC_INLINE wide edge_mollifier(wide u) {
    wide c = w_max(w_min(1.0 - u, w_set(1.0)), w_set(0.0));
    return c * c * c * w_fma(c, w_fma(c, w_set(6.0), w_set(-15.0)), w_set(10.0));
}

// sigma's "within" of both places, times the mollifier of how far outside
TAC_INLINE void edge_colliding(edgeQp* q, const edgeTape* tape, const edgeTau* t) {
    wide over[2], top[2], bottom[2];
    for (int k = 0; k < 2; ++k) {
        unitExp M = tape->M[k];
        over[k] = tape->over[k];
        top[k] = M.n * M.d;
        bottom[k] = (M.n + M.d) * unit_F(unit_order(over[k], M.d, M.n), &t->inside);
    }
    wide in = top[0] * top[1] / (bottom[0] * bottom[1]);
    if (t->ranged)
        in = in * (edge_mollifier(over[0] * t->inv_range) * edge_mollifier(over[1] * t->inv_range));
    q->colliding = in;
}

// the same for one place, with partials
TAC_INLINE unitValue edge_inside(const edgeQp* q, const edgeTape* tape, int k, const edgeTau* t,
                                 wide* by_range) {
    wide x = q->free[k] - 0.5, over = tape->over[k];
    unitValue w = unit_inside_diff(x, over, tape->M[k], &t->inside);
    softDiff m = soft_mollifier_diff(over * t->inv_range);
    wide slope = w.value * m.d_x, out = slope * t->inv_range;
    *by_range = -slope * over * t->inv_range * t->inv_range;
    return (unitValue){w.value * m.value, w_fma(w.d_x, m.value, unit_signed(x, out)),
                       w.d_tau * m.value};
}

TAC_INLINE void edge_partials(edgeQp* q, const edgeTape* tape, const edgeTau* t) {
    wide by_range[2];
    unitValue in[2] = {edge_inside(q, tape, 0, t, &by_range[0]),
                       edge_inside(q, tape, 1, t, &by_range[1])};
    for (int k = 0; k < 2; ++k) q->by_free[k] = in[k].d_x * in[1 - k].value;
    q->by_inside = w_fma(in[0].d_tau, in[1].value, in[0].value * in[1].d_tau);
    q->by_range = w_fma(by_range[0], in[1].value, in[0].value * by_range[1]);
    for (int i = 0; i < 4; ++i) {
        unitValue y = unit_clip_diff(tape->root[i], tape->over[2 + i], tape->M[2 + i],
                                     tape->log_term[i], &t->clip);
        q->slope[i] = y.d_x;
        q->by_clip[i] = y.d_tau;
    }
    edge_excess(q, tape->cost);
}

// one vector, with what derivatives read
TAC_INLINE edgeQp edge_qp(const edgeProducts* p, const edgeTau* t) {
    edgeQp q;
    edgeTape tape;
    edge_qp_init(&q, p, t);
    edge_start(&q, &tape, 1);
    edge_exponentials(&tape, t);
    edge_colliding(&q, &tape, t);
    edge_ratios(&tape, t);
    edge_clips(&q, &tape, t, 1);
    edge_compare(&q, &tape, t, 1);
    edge_cost_exponentials(&q, &tape, t);
    wide weight[4], inverse = edge_softmin_weights(&tape, weight);
    edge_blend(&q, weight, inverse);
    for (int i = 0; i < 4; ++i) q.weight[i] = weight[i] * inverse;
    edge_partials(&q, &tape, t);
    return q;
}

TAC_INLINE void edge_solution(edgeQp* q, const edgeTape* tape) {
    wide weight[4], inverse = edge_softmin_weights(tape, weight);
    edge_blend(q, weight, inverse);
}

// The same for n vectors that were opened, without what only derivatives read, one stage after
// another. A processor looks about a hundred operations ahead: where a stage is short, these belong
// to several vectors, none of which waits for another. Up to 32 pairs: they stay in the cache.
#define EDGE_STAGE      (32 / TAC_LANES)
#define EDGE_EACH(u, n) _Pragma("GCC unroll 1") for (int u = 0; u < (n); ++u)

TAC_INLINE void edge_qp_values(edgeQp* q, const edgeTau* t, int n) {
    edgeTape tape[EDGE_STAGE];
    EDGE_EACH(u, n) edge_start(&q[u], &tape[u], 0);
    EDGE_EACH(u, n) edge_exponentials(&tape[u], t);
    EDGE_EACH(u, n) {
        edge_colliding(&q[u], &tape[u], t);
        edge_ratios(&tape[u], t);
    }
    EDGE_EACH(u, n) edge_clips(&q[u], &tape[u], t, 0);
    EDGE_EACH(u, n) edge_compare(&q[u], &tape[u], t, 0);
    EDGE_EACH(u, n) edge_cost_exponentials(&q[u], &tape[u], t);
    EDGE_EACH(u, n) edge_solution(&q[u], &tape[u]);
}

//---------------------------------- exact ----------------------------------

// Without a pull to the middle. What keeps 0/0 away where an edge is a point or both are parallel;
// parallel edges never take the free minimum, and a point has no slope.
#define EDGE_ZERO2 1e-100
#define EDGE_ZERO4 1e-120

// The free minimum is taken where it is inside and, as rounding may spoil it when edges are nearly
// parallel, no worse than the border.
TAC_INLINE void edge_colliding_exact(edgeQp* q, wide cross2, const wide cost[4]) {
    wide zero = w_set(0.0), *x = q->free, inside = w_set(1.0);
    for (int k = 0; k < 2; ++k)
        inside = w_select_ge0(x[k], w_select_ge0(1.0 - x[k], inside, zero), zero);
    wide min = w_min(w_min(cost[0], cost[1]), w_min(cost[2], cost[3]));
    wide push0 = w_fma(w_set(0.5), w_fma(q->Q11, x[0], q->Q12 * x[1]), q->c1);
    wide push1 = w_fma(w_set(0.5), w_fma(q->Q12, x[0], q->Q22 * x[1]), q->c2);
    inside = w_select_ge0(min - w_fma(push0, x[0], push1 * x[1]), inside, zero);
    q->colliding = w_select_ge0(-cross2, zero, inside);
    q->by_free[0] = q->by_free[1] = q->by_inside = q->by_range = zero;
}

// the first of the least
TAC_INLINE void edge_argmin_exact(edgeQp* q) {
    wide zero = w_set(0.0), left = w_set(1.0);
    for (int i = 0; i < 4; ++i) {
        q->weight[i] = w_select_ge0(-q->excess[i], left, zero);
        left = left - q->weight[i];
    }
    q->inv_min = zero;
}

// t of options that are exact: they do not pull
TAC_INLINE edgeQp edge_qp_exact(const edgeProducts* p, const edgeTau* t) {
    edgeQp q;
    wide cost[4], line_grad[4], inverse[2];
    edge_qp_set(&q, p, t);
    q.tikhonov_square = w_set(0.0);
    q.Q11 = q.Q11 + EDGE_ZERO2;
    q.Q22 = q.Q22 + EDGE_ZERO2;
    q.inv_det = 1.0 / (p->cross2 + EDGE_ZERO4);
    edge_line_inverses(&q, inverse);
    edge_free(&q);
    edge_line_gradients(&q, line_grad);
    for (int i = 0; i < 4; ++i) {
        q.root[i] = line_grad[i] * inverse[i / 2];
        unitValue y = unit_clip_hard(q.root[i]);
        wide length2 = (i < 2 ? p->tt2 : p->tt1) - EDGE_MIN_SQUARE;
        q.border[i] = y.value;
        q.by_clip[i] = y.d_tau;
        q.slope[i] = w_select_ge0(length2, y.d_x, w_set(0.0));
    }
    edge_costs(&q, cost);
    edge_excess(&q, cost);
    edge_colliding_exact(&q, p->cross2, cost);
    edge_argmin_exact(&q);
    edge_blend(&q, q.weight, w_set(1.0));
    return q;
}

#endif
