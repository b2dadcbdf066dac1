// Convex polyhedron: smooth maximum of the heights over its planes (docs/shapes.md eq. 20 to 22).
//
//   q_i = n_i . y + h_i,  phi = tau ln sum exp(q_i/tau),  w_i = exp((q_i - phi)/tau)
//   grad phi = sum w_i n_i,  hess phi = (sum w_i n_i n_i^T - grad phi grad phi^T)/tau
//
// Sums are taken from the highest plane t of each lane on: e_i = exp((q_i - q_t)/tau) <= 1, and
// d_i = n_i - n_t, so that nothing overflows and a face far from its edges has no cancellation.

#ifndef TAC_SHAPE_LEAF_POLYHEDRON_INL
#define TAC_SHAPE_LEAF_POLYHEDRON_INL

#include "shape/local_field.inl"

// numbers of a plane: n, h
#define TAC_PLANE_PARAMS 4

// the highest plane of each lane
typedef struct polyTop {
    wide q, n[3];
} polyTop;

// what the adjoint needs beside the field: e_i/S is the weight of a plane
typedef struct polyPoint {
    wide top, inv_sum, log_sum;
} polyPoint;

// n . y + h
TAC_INLINE wide plane_height(const tacReal* plane, const wide y[3]) {
    wide q = w_fma(w_set(plane[2]), y[2], w_set(plane[3]));
    return w_fma(w_set(plane[0]), y[0], w_fma(w_set(plane[1]), y[1], q));
}

TAC_INLINE polyTop polyhedron_top(const tacNodeData* b, const wide y[3]) {
    polyTop top = {plane_height(b->block, y), {w_set(b->block[0])}};
    for (int k = 1; k < 3; ++k) top.n[k] = w_set(b->block[k]);
    for (int i = TAC_PLANE_PARAMS; i < b->block_count; i += TAC_PLANE_PARAMS) {
        wide q = plane_height(&b->block[i], y), higher = q - top.q;
        top.q = w_select_ge0(higher, q, top.q);
        for (int k = 0; k < 3; ++k)
            top.n[k] = w_select_ge0(higher, w_set(b->block[i + k]), top.n[k]);
    }
    return top;
}

TAC_INLINE void polyhedron_field(const tacNodeData* b, const wide y[3], localField* out,
                                 polyPoint* at, int order) {
    wide zero = w_set(0.0), S = zero, A[3] = {zero, zero, zero}, inv_tau = w_set(1.0 / b->tau);
    polyTop top = polyhedron_top(b, y);
    for (int k = 0; k < 6; ++k) out->H[k] = zero;
    for (int i = 0; i < b->block_count; i += TAC_PLANE_PARAMS) {
        const tacReal* plane = &b->block[i];
        wide e = w_exp((plane_height(plane, y) - top.q) * inv_tau), d[3];
        S = S + e;
        if (order < 1) continue;
        for (int k = 0; k < 3; ++k) {
            d[k] = plane[k] - top.n[k];
            A[k] = w_fma(e, d[k], A[k]);
        }
        if (order >= 2) w_add_square(out->H, e, d);
    }
    at->top = top.q;
    at->inv_sum = w_rcp(S);
    at->log_sum = w_log(S);
    out->value = w_fma(w_set(b->tau), at->log_sum, top.q);
    if (order < 1) return;
    for (int k = 0; k < 3; ++k) {
        A[k] = A[k] * at->inv_sum;
        out->g[k] = top.n[k] + A[k];
    }
    if (order < 2) return;
    for (int k = 0; k < 6; ++k) out->H[k] = out->H[k] * (at->inv_sum * inv_tau);
    w_add_square(out->H, -inv_tau, A);
}

//---------------------------------- forward --------------------------------------

// tangent of a height along yd and, where there is one, the tangent of its plane
TAC_INLINE wide plane_height_dot(const tacReal* plane, const tacReal* dot, const wide y[3],
                                 const wide yd[3]) {
    wide qd = w_fma(w_set(plane[0]), yd[0], w_fma(w_set(plane[1]), yd[1], plane[2] * yd[2]));
    return dot ? qd + plane_height(dot, y) : qd;
}

// tangent of the highest plane's height
TAC_INLINE wide polyhedron_top_dot(const tacNodeData* b, const wide y[3], const wide yd[3],
                                   const tacReal* dot) {
    wide q = plane_height(b->block, y), qd = plane_height_dot(b->block, dot, y, yd);
    for (int i = TAC_PLANE_PARAMS; i < b->block_count; i += TAC_PLANE_PARAMS) {
        wide other = plane_height(&b->block[i], y), higher = other - q;
        wide other_dot = plane_height_dot(&b->block[i], dot ? &dot[i] : NULL, y, yd);
        q = w_select_ge0(higher, other, q);
        qd = w_select_ge0(higher, other_dot, qd);
    }
    return qd;
}

// Tangent of value and gradient along yd, the planes and tau: with r_i = q_i' - tau' (q_i -
// q_t)/tau and means over the weights, phi' = mean r + tau' ln S, g' = mean n' + covariance(r,
// n)/tau.
TAC_INLINE void polyhedron_dot(const tacNodeData* b, const wide y[3], const wide yd[3],
                               const tacLeafDot* dot, localField* out) {
    wide zero = w_set(0.0), inv_tau = w_set(1.0 / b->tau), tau_dot = w_set(dot->tau), S = zero;
    wide A[3] = {zero, zero, zero}, X[3] = {zero, zero, zero}, N[3] = {zero, zero, zero}, R = zero;
    polyTop top = polyhedron_top(b, y);
    wide top_dot = polyhedron_top_dot(b, y, yd, dot->block);
    for (int i = 0; i < b->block_count; i += TAC_PLANE_PARAMS) {
        const tacReal *plane = &b->block[i], *moved = dot->block ? &dot->block[i] : NULL;
        wide t = (plane_height(plane, y) - top.q) * inv_tau, e = w_exp(t);
        wide r = plane_height_dot(plane, moved, y, yd) - top_dot - tau_dot * t, er = e * r;
        S = S + e;
        R = R + er;
        for (int k = 0; k < 3; ++k) {
            wide d = plane[k] - top.n[k];
            A[k] = w_fma(e, d, A[k]);
            X[k] = w_fma(er, d, X[k]);
            if (moved) N[k] = w_fma(e, w_set(moved[k]), N[k]);
        }
    }
    wide inv_S = w_rcp(S), mean = R * inv_S;
    out->value = w_fma(tau_dot, w_log(S), top_dot + mean);
    for (int k = 0; k < 3; ++k) out->g[k] = inv_S * w_fma(X[k] - mean * A[k], inv_tau, N[k]);
}

//---------------------------------- reverse --------------------------------------

// a block of points as the adjoint of the planes reads it, local axes
typedef struct polyTape {
    tacReal y[3][TAC_BLOCK], g[3][TAC_BLOCK], g_bar[3][TAC_BLOCK];
    tacReal top[TAC_BLOCK], inv_sum[TAC_BLOCK], log_sum[TAC_BLOCK];
} polyTape;

TAC_INLINE void polyhedron_record(polyTape* tape, int i, const wide y[3], const localField* f,
                                  const polyPoint* at, const wide g_bar[3]) {
    for (int k = 0; k < 3; ++k) {
        w_store(&tape->y[k][i], y[k]);
        w_store(&tape->g[k][i], f->g[k]);
        w_store(&tape->g_bar[k][i], g_bar[k]);
    }
    w_store(&tape->top[i], at->top);
    w_store(&tape->inv_sum[i], at->inv_sum);
    w_store(&tape->log_sum[i], at->log_sum);
}

// adjoints of one plane, summed over points in lanes; returns that of tau
typedef struct planeBar {
    wide n[3], h, tau;
} planeBar;

// q_bar = w (phi_bar + g_bar . (n - g)/tau); n_bar = q_bar y + w g_bar, h_bar = q_bar, and tau gets
// -q_bar (q - phi)/tau
TAC_INLINE void plane_bar(const tacNodeData* b, const tacReal* plane, const polyTape* tape, int i,
                          wide value_bar, planeBar* sum) {
    wide inv_tau = w_set(1.0 / b->tau), y[3], slope = w_set(0.0);
    for (int k = 0; k < 3; ++k) y[k] = w_load(&tape->y[k][i]);
    wide t = (plane_height(plane, y) - w_load(&tape->top[i])) * inv_tau;
    wide w = w_exp(t) * w_load(&tape->inv_sum[i]);
    for (int k = 0; k < 3; ++k)
        slope = w_fma(w_load(&tape->g_bar[k][i]), plane[k] - w_load(&tape->g[k][i]), slope);
    wide q_bar = w * w_fma(slope, inv_tau, value_bar);
    for (int k = 0; k < 3; ++k)
        sum->n[k] = sum->n[k] + w_fma(q_bar, y[k], w * w_load(&tape->g_bar[k][i]));
    sum->h = sum->h + q_bar;
    sum->tau = sum->tau - q_bar * (t - w_load(&tape->log_sum[i]));
}

// planes outside, points inside: one sum over lanes per number and block
static void polyhedron_bars(const tacNodeData* b, const polyTape* tape, const tacReal* value_bar,
                            tacNodeDataBar* bar, int count) {
    wide tau_bar = w_set(0.0);
    for (int p = 0; p < b->block_count; p += TAC_PLANE_PARAMS) {
        planeBar sum = {.h = w_set(0.0), .tau = w_set(0.0)};
        for (int k = 0; k < 3; ++k) sum.n[k] = w_set(0.0);
        for (int i = 0; i < count; i += TAC_LANES)
            plane_bar(b, &b->block[p], tape, i, w_load(&value_bar[i]), &sum);
        for (int k = 0; k < 3; ++k) bar->block[p + k] += w_sum(sum.n[k]);
        bar->block[p + 3] += w_sum(sum.h);
        tau_bar = tau_bar + sum.tau;
    }
    bar->tau += w_sum(tau_bar);
}

#endif
