// The wide kernels of witness points of polygons: arrays in, arrays out.
//
// Order of the arrays: alpha of all corners, colliding, point 1, point 2, distance, normal.

#include "detect/witness/witness_polygon_kernels.h"

#include <string.h>

#include "detect/witness/witness_polygon_diff.inl"

// largest sum of squared coordinates of a pair [m^2]
#define POLY_MAX_SQUARE 2e31

//---------------------------------- arrays ----------------------------------

static void load_pair(const int n[2], const tacReal* const* in, int i, polyPair* p) {
    p->n[0] = n[0];
    p->n[1] = n[1];
    for (int k = 0; k < 3 * (n[0] + n[1]); ++k) p->x[k / 3][k % 3] = w_load_or_zero(in[k], i);
}

static void store_witness(const int n[2], const polyWitness* w, tacReal* const* out, int i) {
    int c = n[0] + n[1];
    for (int j = 0; j < c; ++j) w_store_if(out[j], i, w->alpha[j]);
    w_store_if(out[c], i, w->colliding);
    for (int k = 0; k < 6; ++k) w_store_if(out[c + 1 + k], i, w->point[k / 3][k % 3]);
    w_store_if(out[c + 7], i, w->distance);
    for (int k = 0; k < 3; ++k) w_store_if(out[c + 8 + k], i, w->normal[k]);
}

static void load_bar(const int n[2], const tacReal* const* bar, int i, polyWitness* w) {
    int c = n[0] + n[1];
    for (int j = 0; j < c; ++j) w->alpha[j] = w_load_or_zero(bar[j], i);
    w->colliding = w_load_or_zero(bar[c], i);
    for (int k = 0; k < 6; ++k) w->point[k / 3][k % 3] = w_load_or_zero(bar[c + 1 + k], i);
    w->distance = w_load_or_zero(bar[c + 7], i);
    for (int k = 0; k < 3; ++k) w->normal[k] = w_load_or_zero(bar[c + 8 + k], i);
}

static int poly_usable(const int n[2], const tacReal* const* in, int count) {
    wide bad = w_set(0.0);
    for (int i = 0; i < count; i += TAC_LANES) {
        polyPair p;
        wide far2 = w_set(0.0);
        load_pair(n, in, i, &p);
        for (int j = 0; j < n[0] + n[1]; ++j) far2 = far2 + w_dot3(p.x[j], p.x[j]);
        bad = bad + w_select_ge0(POLY_MAX_SQUARE - far2, w_set(0.0), w_set(1.0));
    }
    return tac_re(w_sum(bad)) == 0.0;
}

//---------------------------------- routines ----------------------------------

static int poly_value(const int n[2], const tacWitnessOptions* options, const tacReal* const* in,
                      tacReal* const* out, int count) {
    edgeTau t = edge_tau(options);
    for (int i = 0; i < count; i += TAC_LANES) {
        polyPair p;
        polySolution s;
        load_pair(n, in, i, &p);
        poly_faces(&p, &t, options->exact, &s);
        polyWitness w = poly_witness(&p, &s, &t);
        store_witness(n, &w, out, i);
    }
    return poly_usable(n, in, count);
}

// corner counts of the polygons, and pairs of them
typedef struct polyBatch {
    const int* n; // 2
    int count;
} polyBatch;

static void poly_jvp(polyBatch batch, const tacWitnessOptions* options,
                     const tacWitnessOptions* dots, const tacReal* const* in,
                     const tacReal* const* dot, tacReal* const* out) {
    const int* n = batch.n;
    edgeTau t = edge_tau(options);
    edgeTauDot td = {w_set(dots->tikhonov), w_set(dots->min),   w_set(dots->clip),
                     w_set(dots->inside),   w_set(dots->range), w_set(dots->gap)};
    for (int i = 0; i < batch.count; i += TAC_LANES) {
        polyPair p, d;
        polySolution s;
        load_pair(n, in, i, &p);
        load_pair(n, dot, i, &d);
        poly_faces(&p, &t, options->exact, &s);
        polyWitness w = poly_witness_jvp(&p, &d, &s, &t, &td, options->exact);
        store_witness(n, &w, out, i);
    }
}

static void poly_vjp(polyBatch batch, const tacWitnessOptions* options, const tacReal* const* in,
                     const tacReal* const* bar, tacReal* const* in_bar, tacWitnessOptions* sums) {
    const int* n = batch.n;
    edgeTau t = edge_tau(options);
    for (int i = 0; i < batch.count; i += TAC_LANES) {
        polyPair p;
        polySolution s;
        polyWitness w;
        polyBar b;
        load_pair(n, in, i, &p);
        load_bar(n, bar, i, &w);
        poly_faces(&p, &t, options->exact, &s);
        poly_witness_vjp(&p, &s, &t, options->exact, &w, &b);
        for (int k = 0; k < 3 * (n[0] + n[1]); ++k)
            if (in_bar[k]) w_store(in_bar[k] + i, w_load(in_bar[k] + i) + b.x[k / 3][k % 3]);
        sums->tikhonov += w_sum(b.tikhonov);
        sums->min += w_sum(b.min);
        sums->inside += w_sum(b.inside);
        sums->gap += w_sum(b.gap);
    }
}

//---------------------------------- table ----------------------------------

#define ROUTINE(a, b)                                                                              \
    static const int n##a##b[2] = {a, b};                                                          \
    static int usable##a##b(const tacReal* const* in, int count) {                                 \
        return poly_usable(n##a##b, in, count);                                                    \
    }                                                                                              \
    static int value##a##b(const tacWitnessOptions* o, const tacReal* const* in,                   \
                           tacReal* const* out, int count) {                                       \
        return poly_value(n##a##b, o, in, out, count);                                             \
    }                                                                                              \
    static void jvp##a##b(const tacWitnessOptions* o, const tacWitnessOptions* dots,               \
                          const tacReal* const* in, const tacReal* const* dot,                     \
                          tacReal* const* out, int count) {                                        \
        poly_jvp((polyBatch){n##a##b, count}, o, dots, in, dot, out);                              \
    }                                                                                              \
    static void vjp##a##b(const tacWitnessOptions* o, const tacReal* const* in,                    \
                          const tacReal* const* bar, tacReal* const* in_bar,                       \
                          tacWitnessOptions* sums, int count) {                                    \
        poly_vjp((polyBatch){n##a##b, count}, o, in, bar, in_bar, sums);                           \
    }
#define ENTRY(a, b)                                                                                \
    { 3 * (a + b), a + b + 11, usable##a##b, value##a##b, jvp##a##b, vjp##a##b }

ROUTINE(1, 1)
ROUTINE(1, 2)
ROUTINE(1, 3)
ROUTINE(2, 1)
ROUTINE(2, 2)
ROUTINE(2, 3)
ROUTINE(3, 1)
ROUTINE(3, 2)
ROUTINE(3, 3)

const tacPolygonKernels TAC_KERNELS(tac_polygon_kernels_) = {
    {{ENTRY(1, 1), ENTRY(1, 2), ENTRY(1, 3)},
     {ENTRY(2, 1), ENTRY(2, 2), ENTRY(2, 3)},
     {ENTRY(3, 1), ENTRY(3, 2), ENTRY(3, 3)}},
};
