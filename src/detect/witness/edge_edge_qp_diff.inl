// Derivatives of the box problem of two edges by its scalar products and the temperatures.
//
//   free:   Q x = -c                  x' = -Q^-1 (c' + Q' x)
//   side:   y = clip(root)            root' = -(c_y' + Q' root)/Q
//   choice: p = softmin(f/least)      p_i' = -p_i (e_i - sum p e),  e = (f' - f least'/least)/least
//   blend:  a = g x + (1 - g) sum p y
//
// One text for smooth and exact: where a choice is hard its partials are 0.

#ifndef TAC_DETECT_WITNESS_EDGE_EDGE_QP_DIFF_INL
#define TAC_DETECT_WITNESS_EDGE_EDGE_QP_DIFF_INL

#include "detect/witness/edge_edge_qp.inl"

// matrix, vector and temperatures of the problem: their tangents or adjoints
typedef struct edgeQpDot {
    wide Q11, Q22, Q12, c1, c2, min, s2;
} edgeQpDot;

// tangent or adjoint of the answer
typedef struct edgeSolution {
    wide alpha[2], colliding;
} edgeSolution;

// where the choice among the sides stands
TAC_INLINE void edge_border(const edgeQp* q, wide out[2]) {
    const wide* w = q->weight;
    out[0] = w_fma(w[2], q->border[2], w_fma(w[3], q->border[3], w[0]));
    out[1] = w_fma(w[0], q->border[0], w_fma(w[1], q->border[1], w[2]));
}

//---------------------------------- forward ----------------------------------

TAC_INLINE edgeQpDot edge_qp_set_jvp(const edgeQp* q, const edgeProducts* dot, const edgeTau* t,
                                     const edgeTauDot* td) {
    edgeQpDot d;
    d.s2 = t->relative * 0.5 * (dot->tt1 + dot->tt2);
    wide w = w_fma(td->tikhonov, q->tikhonov_square, t->tikhonov * d.s2);
    d.min = w_fma(td->min, q->s2, t->min * d.s2);
    d.Q11 = dot->tt1 + w;
    d.Q22 = dot->tt2 + w;
    d.Q12 = -dot->t12;
    d.c1 = dot->rt1 - 0.5 * w;
    d.c2 = -dot->rt2 - 0.5 * w;
    return d;
}

TAC_INLINE void edge_free_jvp(const edgeQp* q, const edgeQpDot* d, wide out[2]) {
    const wide* x = q->free;
    wide g0 = d->c1 + w_fma(d->Q11, x[0], d->Q12 * x[1]);
    wide g1 = d->c2 + w_fma(d->Q12, x[0], d->Q22 * x[1]);
    out[0] = (q->Q12 * g1 - q->Q22 * g0) * q->inv_det;
    out[1] = (q->Q12 * g0 - q->Q11 * g1) * q->inv_det;
}

// tangents of the border points, and of their costs over the temperature
TAC_INLINE void edge_sides_jvp(const edgeQp* q, const edgeQpDot* d, wide clip_dot, wide y_dot[4],
                               wide cost_dot[4]) {
    wide line_grad[4] = {d->Q12 + d->c2, d->c2, d->Q12 + d->c1, d->c1};
    wide fixed[4] = {w_fma(w_set(0.5), d->Q11, d->c1), w_set(0.0), w_fma(w_set(0.5), d->Q22, d->c2),
                     w_set(0.0)};
    for (int i = 0; i < 4; ++i) {
        wide Q = i < 2 ? q->Q22 : q->Q11, Q_dot = i < 2 ? d->Q22 : d->Q11, y = q->border[i];
        wide root_dot = -w_fma(Q_dot, q->root[i], line_grad[i]) / Q;
        y_dot[i] = w_fma(q->slope[i], root_dot, q->by_clip[i] * clip_dot);
        wide moved = w_fma(line_grad[i] + 0.5 * Q_dot * y, y, Q * (y - q->root[i]) * y_dot[i]);
        cost_dot[i] = (fixed[i] + moved - q->excess[i] * q->inv_min * d->min) * q->inv_min;
    }
}

TAC_INLINE edgeSolution edge_qp_jvp(const edgeQp* q, const edgeProducts* dot, const edgeTau* t,
                                    const edgeTauDot* td) {
    edgeQpDot d = edge_qp_set_jvp(q, dot, t, td);
    wide free[2], border[2], moved[2], y[4], e[4], w[4], mean = w_set(0.0);
    edge_free_jvp(q, &d, free);
    edge_sides_jvp(q, &d, td->clip, y, e);
    for (int i = 0; i < 4; ++i) mean = w_fma(q->weight[i], e[i], mean);
    for (int i = 0; i < 4; ++i) w[i] = q->weight[i] * (mean - e[i]);
    edge_border(q, border);
    moved[0] = w[0] + w[2] * q->border[2] + w[3] * q->border[3] + q->weight[2] * y[2] +
               q->weight[3] * y[3];
    moved[1] = w[2] + w[0] * q->border[0] + w[1] * q->border[1] + q->weight[0] * y[0] +
               q->weight[1] * y[1];

    edgeSolution out;
    out.colliding = q->by_free[0] * free[0] + q->by_free[1] * free[1] + q->by_inside * td->inside +
                    q->by_range * td->range;
    for (int k = 0; k < 2; ++k)
        out.alpha[k] = out.colliding * (q->free[k] - border[k]) + q->colliding * free[k] +
                       (1.0 - q->colliding) * moved[k];
    return out;
}

//---------------------------------- reverse ----------------------------------

// Q x = -c: with Q l = x_bar, c_bar = -l and Q_bar = -l x^T
TAC_INLINE void edge_free_vjp(const edgeQp* q, const wide bar[2], edgeQpDot* d) {
    const wide* x = q->free;
    wide l0 = (q->Q22 * bar[0] - q->Q12 * bar[1]) * q->inv_det;
    wide l1 = (q->Q11 * bar[1] - q->Q12 * bar[0]) * q->inv_det;
    d->c1 = -l0;
    d->c2 = -l1;
    d->Q11 = -l0 * x[0];
    d->Q22 = -l1 * x[1];
    d->Q12 = -w_fma(l0, x[1], l1 * x[0]);
}

// a border point and its cost: adds to the line's push c_y, its Q and the temperature
TAC_INLINE void edge_side_vjp(const edgeQp* q, int i, wide y_bar, wide cost_bar,
                              wide* line_grad_bar, wide* Q_bar) {
    wide Q = i < 2 ? q->Q22 : q->Q11, y = q->border[i];
    y_bar = w_fma(Q * (y - q->root[i]), cost_bar, y_bar);
    wide root_bar = -(q->slope[i] * y_bar) / Q;
    *line_grad_bar = w_fma(cost_bar, y, root_bar);
    *Q_bar = *Q_bar + w_fma(0.5 * cost_bar * y, y, root_bar * q->root[i]);
}

// the choice: adjoints of the costs from those of the blended border point
TAC_INLINE void edge_softmin_vjp(const edgeQp* q, const wide bar[2], wide cost_bar[4],
                                 wide* least_bar) {
    wide mean = w_set(0.0),
         weight_bar[4] = {w_fma(bar[1], q->border[0], bar[0]), bar[1] * q->border[1],
                          w_fma(bar[0], q->border[2], bar[1]), bar[0] * q->border[3]};
    for (int i = 0; i < 4; ++i) mean = w_fma(q->weight[i], weight_bar[i], mean);
    *least_bar = w_set(0.0);
    for (int i = 0; i < 4; ++i) {
        cost_bar[i] = q->weight[i] * (mean - weight_bar[i]) * q->inv_min;
        *least_bar = *least_bar - cost_bar[i] * q->excess[i] * q->inv_min;
    }
}

// adds to `bar` and `tau_bar` what matrix, vector and temperatures of the problem give
TAC_INLINE void edge_qp_set_vjp(const edgeQp* q, const edgeQpDot* d, const edgeTau* t,
                                edgeProducts* bar, edgeTauDot* tau_bar) {
    wide w_bar = d->Q11 + d->Q22 - 0.5 * (d->c1 + d->c2);
    wide half = 0.5 * t->relative * (d->s2 + t->tikhonov * w_bar + t->min * d->min);
    tau_bar->tikhonov = w_fma(w_bar, q->tikhonov_square, tau_bar->tikhonov);
    tau_bar->min = w_fma(d->min, q->s2, tau_bar->min);
    bar->tt1 = d->Q11 + half;
    bar->tt2 = d->Q22 + half;
    bar->t12 = -d->Q12;
    bar->rt1 = d->c1;
    bar->rt2 = -d->c2;
}

// Sets `bar`, adds to `tau_bar`. s2_bar is what the caller knows about s^2.
TAC_INLINE void edge_qp_vjp(const edgeQp* q, const edgeSolution* answer, wide s2_bar,
                            const edgeTau* t, edgeProducts* bar, edgeTauDot* tau_bar) {
    wide border[2], free_bar[2], side_bar[2], cost_bar[4], line_grad[4],
        colliding_bar = answer->colliding;
    edgeQpDot d;
    edge_border(q, border);
    for (int k = 0; k < 2; ++k) {
        colliding_bar = w_fma(answer->alpha[k], q->free[k] - border[k], colliding_bar);
        side_bar[k] = (1.0 - q->colliding) * answer->alpha[k];
    }
    for (int k = 0; k < 2; ++k)
        free_bar[k] = w_fma(q->colliding, answer->alpha[k], q->by_free[k] * colliding_bar);
    tau_bar->inside = w_fma(q->by_inside, colliding_bar, tau_bar->inside);
    tau_bar->range = w_fma(q->by_range, colliding_bar, tau_bar->range);

    edge_free_vjp(q, free_bar, &d);
    edge_softmin_vjp(q, side_bar, cost_bar, &d.min);
    for (int i = 0; i < 4; ++i) {
        wide y_bar = q->weight[i] * side_bar[i < 2];
        edge_side_vjp(q, i, y_bar, cost_bar[i], &line_grad[i], i < 2 ? &d.Q22 : &d.Q11);
        y_bar = w_fma((i < 2 ? q->Q22 : q->Q11) * (q->border[i] - q->root[i]), cost_bar[i], y_bar);
        tau_bar->clip = w_fma(q->by_clip[i], y_bar, tau_bar->clip);
    }
    // a line's push is c + Q12 where the other edge stands at its end, which has a cost of its own
    d.c2 = d.c2 + line_grad[0] + line_grad[1];
    d.c1 = d.c1 + line_grad[2] + line_grad[3];
    d.Q12 = d.Q12 + line_grad[0] + line_grad[2];
    d.c1 = d.c1 + cost_bar[0];
    d.c2 = d.c2 + cost_bar[2];
    d.Q11 = w_fma(w_set(0.5), cost_bar[0], d.Q11);
    d.Q22 = w_fma(w_set(0.5), cost_bar[2], d.Q22);
    d.s2 = s2_bar;
    edge_qp_set_vjp(q, &d, t, bar, tau_bar);
}

#endif
