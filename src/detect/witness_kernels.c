// The wide kernels of witness points: arrays in, arrays out.

#include "detect/witness_kernels.h"

#include "detect/edge_edge.h"

//---------------------------------- arrays ----------------------------------

TAC_INLINE wide load_or_zero(const tacReal* array, int i) {
    return array ? w_load(array + i) : w_set(0.0);
}

TAC_INLINE void store_if(tacReal* array, int i, wide x) {
    if (array) w_store(array + i, x);
}

TAC_INLINE void add_if(tacReal* array, int i, wide x) {
    if (array) w_store(array + i, w_load(array + i) + x);
}

static int within(const tacReal* x, int count, double limit) {
    int i = 0, all = 1;
    for (; i + TAC_LANES <= count; i += TAC_LANES) all &= w_all_within(w_load(x + i), limit);
    for (; i < count; ++i) all &= w_all_within(w_set(x[i]), limit);
    return all;
}

//---------------------------------- options ----------------------------------

TAC_INLINE edgeTauDot load_options_dot(const tacWitnessOptions* d) {
    return (edgeTauDot){w_set(d->regular), w_set(d->least), w_set(d->clip),
                        w_set(d->within),  w_set(d->range), w_set(d->gap)};
}

TAC_INLINE void add_options_bar(const edgeTauDot* bar, tacWitnessOptions* out) {
    out->regular += w_sum(bar->regular), out->least += w_sum(bar->least);
    out->clip += w_sum(bar->clip), out->within += w_sum(bar->within);
    out->range += w_sum(bar->range), out->gap += w_sum(bar->gap);
}

//---------------------------------- edge and edge ----------------------------------

// order of the arrays: alpha 0 1, colliding 2, point 1 at 3, point 2 at 6, distance 9, normal 10
TAC_INLINE void store_edge_witness(const edgeWitness* w, tacReal* const* out, int i) {
    store_if(out[0], i, w->alpha[0]), store_if(out[1], i, w->alpha[1]);
    store_if(out[2], i, w->colliding);
    for (int k = 0; k < 6; ++k) store_if(out[3 + k], i, w->point[k / 3][k % 3]);
    store_if(out[9], i, w->distance);
    for (int k = 0; k < 3; ++k) store_if(out[10 + k], i, w->normal[k]);
}

TAC_INLINE edgeWitness load_edge_bar(const tacReal* const* bar, int i) {
    edgeWitness w = {.alpha = {load_or_zero(bar[0], i), load_or_zero(bar[1], i)},
                     .colliding = load_or_zero(bar[2], i),
                     .gap = w_set(0.0),
                     .distance = load_or_zero(bar[9], i)};
    for (int k = 0; k < 6; ++k) w.point[k / 3][k % 3] = load_or_zero(bar[3 + k], i);
    for (int k = 0; k < 3; ++k) w.normal[k] = load_or_zero(bar[10 + k], i);
    return w;
}

TAC_INLINE edgeCorners load_corners(const tacReal* const* in, int i) {
    edgeCorners c;
    for (int k = 0; k < 12; ++k) c.x[k / 3][k % 3] = load_or_zero(in[k], i);
    return c;
}

TAC_INLINE edgeQp solve(const edgeProducts* p, const edgeTau* t, int exact) {
    return exact ? edge_qp_exact(p, t) : edge_qp(p, t);
}

TAC_INLINE void edge_value(const tacWitnessOptions* options, const tacReal* const* in,
                           tacReal* const* out, int count, int exact) {
    edgeTau t = edge_tau(options);
    for (int i = 0; i < count; i += TAC_LANES) {
        edgeCorners c = load_corners(in, i);
        edgeArms a = edge_arms(&c);
        edgeProducts p = edge_products(&a);
        edgeQp q = solve(&p, &t, exact);
        edgeWitness w = edge_witness(&c, &a, &q, &t);
        store_edge_witness(&w, out, i);
    }
}

static void edge_edge_value(const tacWitnessOptions* options, const tacReal* const* in,
                            tacReal* const* out, int count) {
    if (options->exact)
        edge_value(options, in, out, count, 1);
    else
        edge_value(options, in, out, count, 0);
}

static void edge_edge_jvp(const tacWitnessOptions* options, const tacWitnessOptions* options_dot,
                          const tacReal* const* in, const tacReal* const* dot, tacReal* const* out,
                          int count) {
    edgeTau t = edge_tau(options);
    edgeTauDot td = load_options_dot(options_dot);
    for (int i = 0; i < count; i += TAC_LANES) {
        edgeCorners c = load_corners(in, i), d = load_corners(dot, i);
        edgeArms a = edge_arms(&c);
        edgeProducts p = edge_products(&a);
        edgeQp q = solve(&p, &t, options->exact);
        edgeWitness w = edge_witness_jvp(&d, &a, &q, &t, &td);
        store_edge_witness(&w, out, i);
    }
}

static void edge_edge_vjp(const tacWitnessOptions* options, const tacReal* const* in,
                          const tacReal* const* bar, tacReal* const* in_bar,
                          tacWitnessOptions* options_bar, int count) {
    edgeTau t = edge_tau(options);
    edgeTauDot tau_bar = edge_tau_zero();
    for (int i = 0; i < count; i += TAC_LANES) {
        edgeCorners c = load_corners(in, i), sum;
        edgeArms a = edge_arms(&c);
        edgeProducts p = edge_products(&a);
        edgeQp q = solve(&p, &t, options->exact);
        edgeWitness w = load_edge_bar(bar, i);
        for (int k = 0; k < 12; ++k) sum.x[k / 3][k % 3] = w_set(0.0);
        edge_witness_vjp(&a, &q, &t, &w, &sum, &tau_bar);
        for (int k = 0; k < 12; ++k) add_if(in_bar[k], i, sum.x[k / 3][k % 3]);
    }
    add_options_bar(&tau_bar, options_bar);
}

//---------------------------------- table ----------------------------------

const tacWitnessKernels TAC_KERNELS(tac_witness_kernels_) = {
    .lanes = TAC_LANES,
    .within = within,
    .edge_edge = {12, 13, edge_edge_value, edge_edge_jvp, edge_edge_vjp},
};
