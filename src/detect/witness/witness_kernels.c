// The wide kernels of witness points: arrays in, arrays out.

#include "detect/witness/witness_kernels.h"

#include "detect/witness/edge_edge.inl"
#include "detect/witness/vertex_face.inl"

//---------------------------------- arrays ----------------------------------

TAC_INLINE void add_if(tacReal* array, int i, wide x) {
    if (array) w_store(array + i, w_load(array + i) + x);
}

//---------------------------------- options ----------------------------------

TAC_INLINE edgeTauDot load_options_dot(const tacWitnessOptions* d) {
    return (edgeTauDot){w_set(d->tikhonov), w_set(d->min),   w_set(d->clip),
                        w_set(d->inside),   w_set(d->range), w_set(d->gap)};
}

TAC_INLINE void add_options_bar(const edgeTauDot* bar, tacWitnessOptions* out) {
    out->tikhonov += w_sum(bar->tikhonov);
    out->min += w_sum(bar->min);
    out->clip += w_sum(bar->clip);
    out->inside += w_sum(bar->inside);
    out->range += w_sum(bar->range);
    out->gap += w_sum(bar->gap);
}

//---------------------------------- edge and edge ----------------------------------

// order of the arrays: alpha 0 1, colliding 2, point 1 at 3, point 2 at 6, distance 9, normal 10
TAC_INLINE void store_edge_witness(const edgeWitness* w, tacReal* const* out, int i, int span) {
    w_store_if(out[0], i, w->alpha[0]);
    w_store_if(out[1], i, w->alpha[1]);
    w_store_if(out[2], i, w->colliding);
    for (int k = 0; k < 6; ++k) w_store_if(out[3 + k], i, w->point[k / 3][k % 3]);
    if (!span) return;
    w_store_if(out[9], i, w->distance);
    for (int k = 0; k < 3; ++k) w_store_if(out[10 + k], i, w->normal[k]);
}

TAC_INLINE edgeWitness load_edge_bar(const tacReal* const* bar, int i) {
    edgeWitness w = {.alpha = {w_load_or_zero(bar[0], i), w_load_or_zero(bar[1], i)},
                     .colliding = w_load_or_zero(bar[2], i),
                     .gap = w_set(0.0),
                     .distance = w_load_or_zero(bar[9], i)};
    for (int k = 0; k < 6; ++k) w.point[k / 3][k % 3] = w_load_or_zero(bar[3 + k], i);
    for (int k = 0; k < 3; ++k) w.normal[k] = w_load_or_zero(bar[10 + k], i);
    return w;
}

TAC_INLINE edgeCorners load_corners(const tacReal* const* in, int i) {
    edgeCorners c;
    for (int k = 0; k < 12; ++k) c.x[k / 3][k % 3] = w_load(in[k] + i);
    return c;
}

TAC_INLINE edgeCorners load_corners_dot(const tacReal* const* in, int i) {
    edgeCorners c;
    for (int k = 0; k < 12; ++k) c.x[k / 3][k % 3] = w_load_or_zero(in[k], i);
    return c;
}

TAC_INLINE edgeQp solve_qp(const edgeProducts* p, const edgeTau* t, int exact) {
    return exact ? edge_qp_exact(p, t) : edge_qp(p, t);
}

static int edge_edge_usable(const tacReal* const* in, int count) {
    wide bad = w_set(0.0);
    for (int i = 0; i < count; i += TAC_LANES) {
        edgeCorners c = load_corners(in, i);
        edgeArms a = edge_arms(&c);
        edgeProducts p = edge_products(&a);
        bad = bad + edge_unusable(&c, &a, &p);
    }
    return tac_re(w_sum(bad)) == 0.0;
}

// array `k`, or room for what nobody asks for
TAC_INLINE tacReal* array_or(tacReal* const* out, int k, int first, tacReal* unused) {
    return out[k] ? out[k] + first : unused;
}

// places and points on an edge
TAC_INLINE void store_points(const edgeQp* q, int edge, const tacReal* const* in,
                             tacReal* const* out, int first, int n) {
    tacReal unused[EDGE_STAGE * TAC_LANES], *to[4] = {array_or(out, edge, first, unused)};
    const tacReal *from[3], *end[3];
    for (int k = 0; k < 3; ++k) {
        to[1 + k] = array_or(out, 3 + 3 * edge + k, first, unused);
        from[k] = in[6 * edge + k] + first;
        end[k] = in[6 * edge + 3 + k] + first;
    }
    EDGE_EACH(u, n) {
        wide alpha = q[u].alpha[edge];
        w_store(to[0] + u * TAC_LANES, alpha);
        for (int k = 0; k < 3; ++k) {
            wide start = w_load(from[k] + u * TAC_LANES);
            wide arm = w_load(end[k] + u * TAC_LANES) - start;
            w_store(to[1 + k] + u * TAC_LANES, w_fma(alpha, arm, start));
        }
    }
}

TAC_INLINE void store_spans(const edgeQp* q, const edgeTau* t, const tacReal* const* in,
                            tacReal* const* out, int first, int n) {
    EDGE_EACH(u, n) {
        edgeCorners c = load_corners(in, first + u * TAC_LANES);
        edgeArms a = edge_arms(&c);
        edgeSpan s = edge_span(&a, &q[u], t);
        w_store_if(out[9], first + u * TAC_LANES, s.e2 * s.inverse);
        for (int k = 0; k < 3; ++k)
            w_store_if(out[10 + k], first + u * TAC_LANES, s.e[k] * s.inverse);
    }
}

// Up to EDGE_STAGE vectors. Corners are loaded again at the end, which costs less than to keep
// them. `span` 0 leaves out distance and normal.
TAC_INLINE wide edge_value_stage(const edgeTau* t, const tacReal* const* in, tacReal* const* out,
                                 int first, int n, int span) {
    edgeQp q[EDGE_STAGE];
    wide bad = w_set(0.0);
    EDGE_EACH(u, n) {
        edgeCorners c = load_corners(in, first + u * TAC_LANES);
        edgeArms a = edge_arms(&c);
        edgeProducts p = edge_products(&a);
        bad = bad + edge_unusable(&c, &a, &p);
        edge_qp_init(&q[u], &p, t);
    }
    edge_qp_values(q, t, n);
    store_points(q, 0, in, out, first, n);
    store_points(q, 1, in, out, first, n);
    if (out[2]) EDGE_EACH(u, n) w_store(out[2] + first + u * TAC_LANES, q[u].colliding);
    if (span) store_spans(q, t, in, out, first, n);
    return bad;
}

static int edge_value(const edgeTau* t, const tacReal* const* in, tacReal* const* out, int count,
                      int span) {
    wide bad = w_set(0.0);
    for (int i = 0; i < count; i += EDGE_STAGE * TAC_LANES) {
        int left = (count - i) / TAC_LANES, n = left < EDGE_STAGE ? left : EDGE_STAGE;
        bad = bad + edge_value_stage(t, in, out, i, n, span);
    }
    return tac_re(w_sum(bad)) == 0.0;
}

TAC_INLINE int edge_value_exact(const edgeTau* t, const tacReal* const* in, tacReal* const* out,
                                int count, int span) {
    wide bad = w_set(0.0);
    for (int i = 0; i < count; i += TAC_LANES) {
        edgeCorners c = load_corners(in, i);
        edgeArms a = edge_arms(&c);
        edgeProducts p = edge_products(&a);
        edgeQp q = edge_qp_exact(&p, t);
        edgeWitness w = edge_witness(&c, &a, &q, t);
        store_edge_witness(&w, out, i, span);
        bad = bad + edge_unusable(&c, &a, &p);
    }
    return tac_re(w_sum(bad)) == 0.0;
}

static int edge_edge_value(const tacWitnessOptions* options, const tacReal* const* in,
                           tacReal* const* out, int count) {
    edgeTau t = edge_tau(options);
    int span = out[9] || out[10] || out[11] || out[12];
    if (!options->exact) return edge_value(&t, in, out, count, span);
    return span ? edge_value_exact(&t, in, out, count, 1) : edge_value_exact(&t, in, out, count, 0);
}

static void edge_edge_jvp(const tacWitnessOptions* options, const tacWitnessOptions* options_dot,
                          const tacReal* const* in, const tacReal* const* dot, tacReal* const* out,
                          int count) {
    edgeTau t = edge_tau(options);
    edgeTauDot td = load_options_dot(options_dot);
    for (int i = 0; i < count; i += TAC_LANES) {
        edgeCorners c = load_corners(in, i), d = load_corners_dot(dot, i);
        edgeArms a = edge_arms(&c);
        edgeProducts p = edge_products(&a);
        edgeQp q = solve_qp(&p, &t, options->exact);
        edgeWitness w = edge_witness_jvp(&d, &a, &q, &t, &td);
        store_edge_witness(&w, out, i, 1);
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
        edgeQp q = solve_qp(&p, &t, options->exact);
        edgeWitness w = load_edge_bar(bar, i);
        for (int k = 0; k < 12; ++k) sum.x[k / 3][k % 3] = w_set(0.0);
        edge_witness_vjp(&a, &q, &t, &w, &sum, &tau_bar);
        for (int k = 0; k < 12; ++k) add_if(in_bar[k], i, sum.x[k / 3][k % 3]);
    }
    add_options_bar(&tau_bar, options_bar);
}

//---------------------------------- vertex and face --------------------------------

TAC_INLINE faceCorners load_face(const tacReal* const* in, int i) {
    faceCorners c;
    for (int k = 0; k < 12; ++k) c.x[k / 3][k % 3] = w_load_or_zero(in[k], i);
    return c;
}

// order of the arrays: shares of the corners 0 1 2, colliding 3, point 4, distance 7, normal 8
TAC_INLINE void store_face(const faceWitness* w, wide first, tacReal* const* out, int i) {
    w_store_if(out[0], i, first);
    w_store_if(out[1], i, w->at[0]);
    w_store_if(out[2], i, w->at[1]);
    w_store_if(out[3], i, w->colliding);
    w_store_if(out[7], i, w->distance);
    for (int k = 0; k < 3; ++k) {
        w_store_if(out[4 + k], i, w->point[k]);
        w_store_if(out[8 + k], i, w->normal[k]);
    }
}

TAC_INLINE faceWitness load_face_bar(const tacReal* const* bar, int i) {
    wide first = w_load_or_zero(bar[0], i);
    faceWitness w = {.at = {w_load_or_zero(bar[1], i) - first, w_load_or_zero(bar[2], i) - first},
                     .colliding = w_load_or_zero(bar[3], i),
                     .distance = w_load_or_zero(bar[7], i)};
    for (int k = 0; k < 3; ++k) {
        w.point[k] = w_load_or_zero(bar[4 + k], i);
        w.normal[k] = w_load_or_zero(bar[8 + k], i);
    }
    return w;
}

static int vertex_face_usable(const tacReal* const* in, int count) {
    wide bad = w_set(0.0);
    for (int i = 0; i < count; i += TAC_LANES) {
        faceCorners c = load_face(in, i);
        faceArms a = face_arms(&c);
        faceProducts p = face_products(&a);
        bad = bad + face_unusable(&c, &a, &p);
    }
    return tac_re(w_sum(bad)) == 0.0;
}

TAC_INLINE wide face_value(const edgeTau* t, const tacReal* const* in, tacReal* const* out, int i,
                           int exact) {
    faceCorners c = load_face(in, i);
    faceArms a = face_arms(&c);
    faceProducts p = face_products(&a);
    faceQp q = exact ? face_qp_exact(&p, t) : face_qp(&p, t);
    faceWitness w = face_witness(&c, &a, &q, t);
    store_face(&w, 1.0 - w.at[0] - w.at[1], out, i);
    return face_unusable(&c, &a, &p);
}

static int vertex_face_value(const tacWitnessOptions* options, const tacReal* const* in,
                             tacReal* const* out, int count) {
    edgeTau t = edge_tau(options);
    wide bad = w_set(0.0);
    if (options->exact)
        for (int i = 0; i < count; i += TAC_LANES) bad = bad + face_value(&t, in, out, i, 1);
    else
        for (int i = 0; i < count; i += TAC_LANES) bad = bad + face_value(&t, in, out, i, 0);
    return tac_re(w_sum(bad)) == 0.0;
}

static void vertex_face_jvp(const tacWitnessOptions* options, const tacWitnessOptions* options_dot,
                            const tacReal* const* in, const tacReal* const* dot,
                            tacReal* const* out, int count) {
    edgeTau t = edge_tau(options);
    edgeTauDot td = load_options_dot(options_dot);
    if (options->exact) td.tikhonov = w_set(0.0);
    for (int i = 0; i < count; i += TAC_LANES) {
        faceCorners c = load_face(in, i), d = load_face(dot, i);
        faceArms a = face_arms(&c);
        faceProducts p = face_products(&a);
        faceQp q = options->exact ? face_qp_exact(&p, &t) : face_qp(&p, &t);
        faceWitness w = face_witness_jvp(&d, &a, &q, &t, &td);
        store_face(&w, -w.at[0] - w.at[1], out, i);
    }
}

static void vertex_face_vjp(const tacWitnessOptions* options, const tacReal* const* in,
                            const tacReal* const* bar, tacReal* const* in_bar,
                            tacWitnessOptions* options_bar, int count) {
    edgeTau t = edge_tau(options);
    edgeTauDot tau_bar = edge_tau_zero();
    for (int i = 0; i < count; i += TAC_LANES) {
        faceCorners c = load_face(in, i), sum;
        faceArms a = face_arms(&c);
        faceProducts p = face_products(&a);
        faceQp q = options->exact ? face_qp_exact(&p, &t) : face_qp(&p, &t);
        faceWitness w = load_face_bar(bar, i);
        for (int k = 0; k < 12; ++k) sum.x[k / 3][k % 3] = w_set(0.0);
        face_witness_vjp(&a, &q, &t, &w, &sum, &tau_bar);
        for (int k = 0; k < 12; ++k) add_if(in_bar[k], i, sum.x[k / 3][k % 3]);
    }
    if (options->exact) tau_bar.tikhonov = w_set(0.0);
    add_options_bar(&tau_bar, options_bar);
}

//---------------------------------- table ----------------------------------

const tacWitnessKernels TAC_KERNELS(tac_witness_kernels_) = {
    .lanes = TAC_LANES,
    .edge_edge = {12, 13, edge_edge_usable, edge_edge_value, edge_edge_jvp, edge_edge_vjp},
    .vertex_face = {12, 11, vertex_face_usable, vertex_face_value, vertex_face_jvp,
                    vertex_face_vjp},
};
