// Kernels of the search for edges that meet, compiled once per instruction set and number type.

#include "detect/edge_search_kernels.h"

#include "detect/edge_edge_push.h"
#include "shape/rough.h"

#include <string.h>

TAC_INLINE void gather3(const double* const x[3], const int* at, wide out[3]) {
    for (int k = 0; k < 3; ++k) {
        tacReal of[TAC_LANES];
        for (int j = 0; j < TAC_LANES; ++j) of[j] = x[k][at[j]];
        out[k] = w_load(of);
    }
}

// EDGE_PARALLEL^2 and a percent more; products of unit vectors are rounded by a tenth of the other
#define ROUGH_PARALLEL 1.01e-4
#define ROUGH_TURN     1e-5

//---------------------------------- rough boxes ----------------------------------

TAC_INLINE void load_rough3(float* const x[3], int i, rough out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = rough_load(&x[k][i]);
}

TAC_INLINE void set_rough3(float* const x[3], int i, rough out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = rough_set(x[k][i]);
}

// how far boxes are apart on the axis where that is most
TAC_INLINE rough box_gap(const rough m[3], const rough h[3], const rough n[3], const rough g[3]) {
    rough gap = rough_abs(m[0] - n[0]) - (h[0] + g[0]);
    for (int k = 1; k < 3; ++k) gap = rough_max(gap, rough_abs(m[k] - n[k]) - (h[k] + g[k]));
    return gap;
}

// bit j: i + j is before the end
TAC_INLINE unsigned lanes_before(int i, int end) {
    return end <= i ? 0u : end - i < 32 ? (1u << (end - i)) - 1u : ~0u;
}

// i + j for each of `lanes` bits j behind the others; how many there are then. Which bits are set
// cannot be foretold, so nothing branches on them; the list has room for that many more.
TAC_INLINE int append(int* list, int count, unsigned bits, int lanes, int i) {
    for (int j = 0; j < lanes; ++j) {
        list[count] = i + j;
        count += (int)(bits >> j & 1u);
    }
    return count;
}

//---------------------------------- blocks ---------------------------------------

// a box around the box that is turned, and wider by `more`
TAC_INLINE void carry_boxes(const tacEdgeFrame* f, const rough m[3], const rough h[3],
                            rough middle[3], rough half[3]) {
    const tacFrame* across = f->across;
    for (int i = 0; i < 3; ++i) {
        middle[i] = rough_set(tac_re(across->origin[i])), half[i] = rough_set(f->more);
        for (int k = 0; k < 3; ++k) {
            rough R = rough_set(tac_re(across->R.m[i][k]));
            middle[i] = rough_fma(R, m[k], middle[i]);
            half[i] = rough_fma(rough_abs(R), h[k], half[i]);
        }
    }
}

// the same in all lanes, wider by `reach`
TAC_INLINE void set_box(const tacEdgeBox* box, int axes, tacReal reach, rough m[3], rough h[3]) {
    for (int k = 0; k < 3; ++k) {
        double at = tac_re(box->middle[axes][k]), half = tac_re(box->half[axes][k] + reach);
        m[k] = rough_set(at), h[k] = rough_set(half + 1e-6 * (fabs(at) + half));
    }
}

// a vector of boxes behind the others; those without a bit are nowhere
TAC_INLINE void add_boxes(tacEdgeBoxes* b, int first, unsigned bits, rough m[2][3], rough h[2][3]) {
    for (int f = 0; f < 2; ++f)
        for (int k = 0; k < 3; ++k) {
            rough_store(&b->middle[f][k][b->count], m[f][k]);
            rough_store(&b->half[f][k][b->count], h[f][k]);
        }
    for (int j = 0; j < ROUGH_LANES; ++j, ++b->count) {
        b->block[b->count] = first + j;
        if (!(bits >> j & 1u)) b->half[0][0][b->count] = -INFINITY;
    }
}

static void boxes(const struct tacFeatureIndex* index, int own, const tacEdgeFrame* frame,
                  const tacEdgeBox* other, tacReal reach, tacEdgeBoxes* out) {
    rough n[2][3], g[2][3];
    for (int f = 0; f < 2; ++f) set_box(other, f, reach, n[f], g[f]);
    for (int i = 0; i < index->edge_blocks; i += ROUGH_LANES) {
        rough m[2][3], h[2][3];
        load_rough3(index->block_rough.middle, i, m[own]);
        load_rough3(index->block_rough.half, i, h[own]);
        unsigned kept = lanes_before(i, index->edge_blocks) &
                        rough_negative_bits(box_gap(m[own], h[own], n[own], g[own]));
        if (kept == 0) continue;
        carry_boxes(frame, m[own], h[own], m[1 - own], h[1 - own]);
        kept &= rough_negative_bits(box_gap(m[1 - own], h[1 - own], n[1 - own], g[1 - own]));
        if (kept) add_boxes(out, i, kept, m, h);
    }
}

static int near(const tacEdgeBoxes* a, int i, const tacEdgeBoxes* b, tacReal reach, int* out) {
    rough m[2][3], h[2][3], apart = rough_set(1.000001 * tac_re(reach));
    int count = 0;
    if (a->half[0][0][i] < 0.0f) return 0;
    for (int f = 0; f < 2; ++f) {
        set_rough3(a->middle[f], i, m[f]), set_rough3(a->half[f], i, h[f]);
        for (int k = 0; k < 3; ++k) h[f][k] = h[f][k] + apart;
    }
    for (int j = 0; j < b->count; j += ROUGH_LANES) {
        unsigned kept = ~0u;
        for (int f = 0; f < 2 && kept; ++f) { // most are apart in the first
            rough n[3], g[3];
            load_rough3(b->middle[f], j, n), load_rough3(b->half[f], j, g);
            kept &= rough_negative_bits(box_gap(m[f], h[f], n, g));
        }
        if (kept) count = append(out, count, kept, ROUGH_LANES, j);
    }
    return count;
}

TAC_INLINE rough rough_dot3(const rough a[3], const rough b[3]) {
    return rough_fma(a[0], b[0], rough_fma(a[1], b[1], a[2] * b[2]));
}

//---------------------------------- edges ----------------------------------------

// Rows of a block that is placed: boxes around edges, unit vectors along them and their faces; then
// the box around all eight.
enum {
    ROW = ROUGH_LANES > TAC_FEATURE_BLOCK ? ROUGH_LANES : TAC_FEATURE_BLOCK,
    MIDDLE = 0,
    HALF = 3 * ROW,
    FLANK = 6 * ROW,
    AROUND = 15 * ROW,
    ROOM = 16 * ROW
};
_Static_assert((int)ROOM <= (int)TAC_EDGE_PLACE, "a block that is placed fits");

TAC_INLINE void load_rows(const float* p, int row, rough out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = rough_load(&p[k * row]);
}

TAC_INLINE void set_rows(const float* p, int row, rough out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = rough_set(p[k * row]);
}

TAC_INLINE void store_rows(float* p, const rough v[3]) {
    for (int k = 0; k < 3; ++k) rough_store(&p[k * ROW], v[k]);
}

static void surround(float* place) {
    float low[3], high[3];
    for (int k = 0; k < 3; ++k) low[k] = INFINITY, high[k] = -INFINITY;
    for (int j = 0; j < TAC_FEATURE_BLOCK; ++j) TAC_UNROLL for (int k = 0; k < 3; ++k) {
            float m = place[MIDDLE + k * ROW + j], h = place[HALF + k * ROW + j];
            low[k] = m - h < low[k] ? m - h : low[k], high[k] = m + h > high[k] ? m + h : high[k];
        }
    for (int k = 0; k < 3; ++k) {
        place[AROUND + k] = 0.5f * (low[k] + high[k]);
        place[AROUND + 3 + k] = 0.500001f * (high[k] - low[k]);
    }
}

TAC_INLINE void rough_turn(const tacFrame* f, const rough v[3], rough out[3]) {
    for (int k = 0; k < 3; ++k) {
        out[k] = v[0] * rough_set(tac_re(f->R.m[k][0]));
        out[k] = rough_fma(v[1], rough_set(tac_re(f->R.m[k][1])), out[k]);
        out[k] = rough_fma(v[2], rough_set(tac_re(f->R.m[k][2])), out[k]);
    }
}

static void place_edges(const struct tacFeatureIndex* index, int block, const tacEdgeFrame* frame,
                        float* out) {
    const int eight = TAC_FEATURE_BLOCK;
    const tacFrame* across = frame->across;
    for (int j = 0; j < eight; j += ROUGH_LANES) {
        const float* from = &index->edge_rows[block * eight * TAC_EDGE_ROWS + j];
        rough v[3], y[3], half = rough_load(&from[12 * eight]) * rough_set(frame->stretch);
        load_rows(from, eight, v), rough_turn(across, v, y);
        for (int k = 0; k < 3; ++k) y[k] = y[k] + rough_set(tac_re(across->origin[k]));
        store_rows(&out[MIDDLE + j], y);
        for (int i = 0; i < 3; ++i) {
            load_rows(&from[(3 + 3 * i) * eight], eight, v), rough_turn(across, v, y);
            store_rows(&out[FLANK + 3 * i * ROW + j], y);
            for (int k = 0; k < 3 && i == 0; ++k)
                v[k] = rough_fma(rough_abs(y[k]), half, rough_set(frame->more));
            if (i == 0) store_rows(&out[HALF + j], v);
        }
    }
}

static void place(const struct tacFeatureIndex* index, int block, const tacEdgeFrame* frame,
                  float* out) {
    place_edges(index, block, frame, out);
    surround(out);
}

//---------------------------------- pairs ----------------------------------------

typedef struct pairList {
    const tacEdgeTest* test;
    const struct tacFeatureIndex* index[2];
    int edges[2];
    edgeTau t;
    rough clash;
    wide reach;
    int waiting, *one, *two;
    int count, capacity;
    int *first, *second;
} pairList;

TAC_INLINE edgeCorners pair_corners(const pairList* l, int i) {
    const tacFrame* across = l->test->across;
    edgeCorners c;
    for (int end = 0; end < 2; ++end) {
        wide x[3];
        gather3(l->index[0]->edge_end[end], &l->one[i], c.x[end]);
        gather3(l->index[1]->edge_end[end], &l->two[i], x);
        rotate_to_world(across, x, c.x[2 + end]);
        for (int k = 0; k < 3; ++k) c.x[2 + end][k] = c.x[2 + end][k] + across->origin[k];
    }
    return c;
}

// bits of waiting pairs i, i + 1, ...: not the perpendicular misses an edge, or the lines are
// farther apart than `reach`, and witness points are no nearer
TAC_INLINE unsigned meeting_lanes(const pairList* l, int i) {
    edgeCorners c = pair_corners(l, i);
    edgeArms arms = edge_arms(&c);
    edgeProducts p = edge_products(&arms);
    wide cross[3];
    w_cross3(arms.t1, arms.t2, cross);
    wide height = w_dot3(arms.r, cross);
    wide near = w_fma(l->reach * l->reach, p.cross2, -height * height);
    return ~w_negative_bits(w_min(near, edge_qp_reach(&p, &l->t)));
}

TAC_INLINE void load_flanks(const tacFeatures* f, const int* at, const tacFrame* across,
                            edgeFlanks* out) {
    out->swept = 0;
    for (int side = 0; side < 2; ++side) {
        wide v[3];
        gather3(f->index->along[side], at, v);
        for (int k = 0; k < 3; ++k) out->along[side][k] = v[k];
        if (across) rotate_to_world(across, v, out->along[side]);
    }
}

// not the faces beside the edges are in the way
TAC_INLINE unsigned clashing_lanes(const pairList* l, int i) {
    edgeCorners c = pair_corners(l, i);
    edgeArms arms = edge_arms(&c);
    edgeProducts p = edge_products(&arms);
    edgeCross cross = edge_cross(&arms, &p);
    edgeFlanks flank[2];
    load_flanks(l->test->features[0], &l->one[i], NULL, &flank[0]);
    load_flanks(l->test->features[1], &l->two[i], l->test->across, &flank[1]);
    return ~w_negative_bits(edge_push_reach(&cross.line, flank, w_set(l->test->clash)));
}

static void pad_waiting(pairList* l) {
    for (int j = 0; j < TAC_LANES && l->waiting; ++j) {
        l->one[l->waiting + j] = l->one[l->waiting - 1];
        l->two[l->waiting + j] = l->two[l->waiting - 1];
    }
}

// those of the waiting pairs that pass one test move up
TAC_INLINE void sieve(pairList* l, unsigned (*passing)(const pairList*, int)) {
    int before = l->waiting, kept = 0;
    pad_waiting(l);
    for (int i = 0; i < before; i += TAC_LANES) {
        unsigned bits = passing(l, i);
        int end = before - i < TAC_LANES ? before - i : TAC_LANES;
        for (int j = 0; j < end; ++j) {
            l->one[kept] = l->one[i + j], l->two[kept] = l->two[i + j];
            kept += (int)(bits >> j & 1u);
        }
    }
    l->waiting = kept;
}

static void look_closer(pairList* l) {
    if (l->test->bounded) sieve(l, meeting_lanes);
    if (l->test->bounded && l->test->solid) sieve(l, clashing_lanes);
    for (int i = 0; i < l->waiting; ++i, ++l->count)
        if (l->count < l->capacity) l->first[l->count] = l->one[i], l->second[l->count] = l->two[i];
    l->waiting = 0;
}

// Bits of edges of a block b that have faces in the way of an edge a: clashing_lanes for unit
// vectors, with room for errors of single precision
TAC_INLINE unsigned clear_lanes(const pairList* l, const float* a, const float* b) {
    rough s[3], t[3], c[3], low = rough_set(1e30), high = rough_set(-1e30);
    set_rows(&a[FLANK], ROW, s), load_rows(&b[FLANK], ROW, t);
    for (int k = 0; k < 3; ++k) {
        int p = (k + 1) % 3, q = (k + 2) % 3;
        c[k] = s[p] * t[q] - s[q] * t[p];
    }
    for (int row = FLANK + 3 * ROW; row < AROUND; row += 3 * ROW) {
        rough u[2];
        set_rows(&a[row], ROW, s), load_rows(&b[row], ROW, t);
        u[0] = rough_dot3(s, c), u[1] = -rough_dot3(t, c);
        for (int k = 0; k < 2; ++k) low = rough_min(low, u[k]), high = rough_max(high, u[k]);
    }
    rough length = rough_sqrt(rough_dot3(c, c) + rough_set(ROUGH_PARALLEL));
    rough reach = rough_fma(l->clash, length, rough_set(ROUGH_TURN));
    return rough_negative_bits(rough_max(low, -high) + reach);
}

// bit j: an edge a may meet edge j of a block b
TAC_INLINE unsigned meet_edge(const pairList* l, const float* a, const float* b) {
    rough m[3], h[3];
    unsigned bits = 0;
    set_rows(&a[MIDDLE], ROW, m), set_rows(&a[HALF], ROW, h);
    for (int j = 0; j < TAC_FEATURE_BLOCK; j += ROUGH_LANES) {
        rough n[3], g[3];
        load_rows(&b[MIDDLE + j], ROW, n), load_rows(&b[HALF + j], ROW, g);
        unsigned kept = rough_negative_bits(box_gap(m, h, n, g));
        if (kept && l->test->rough) kept &= ~clear_lanes(l, a, &b[j]);
        bits |= kept << j;
    }
    return bits;
}

// bit i: edge i of a block a comes near a block b
TAC_INLINE unsigned near_block(const float* a, const float* b) {
    rough m[3], h[3];
    unsigned bits = 0;
    set_rows(&b[AROUND], 1, m), set_rows(&b[AROUND + 3], 1, h);
    for (int i = 0; i < TAC_FEATURE_BLOCK; i += ROUGH_LANES) {
        rough n[3], g[3];
        load_rows(&a[MIDDLE + i], ROW, n), load_rows(&a[HALF + i], ROW, g);
        bits |= rough_negative_bits(box_gap(m, h, n, g)) << i;
    }
    return bits;
}

// byte i: edges of a block b that edge i of a block a may meet; those of the masks are there
TAC_INLINE uint64_t meet_block(const pairList* l, const float* a, const float* b, unsigned mask_a,
                               unsigned mask_b) {
    uint64_t met = 0;
    for (unsigned rest = near_block(a, b) & mask_a; rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        met |= (uint64_t)(meet_edge(l, &a[i], b) & mask_b) << (8 * i);
    }
    return met;
}

// bits of the edges that there are in a block
TAC_INLINE unsigned edges_in(const pairList* l, int k, int block) {
    return lanes_before(block * TAC_FEATURE_BLOCK, l->edges[k]) & 255u;
}

// edge e of geom[0], which is byte i, and those that it may meet
static void list_edge(pairList* l, int e, int i, const tacEdgeNear* near, int row) {
    for (int n = near->first[row]; n < near->first[row + 1]; ++n) {
        unsigned bits = l->test->met[n - near->first[row]] >> (8 * i) & 255u;
        if (bits == 0) continue;
        for (int j = 0; j < TAC_FEATURE_BLOCK; ++j) l->one[l->waiting + j] = e;
        l->waiting = append(l->two, l->waiting, bits, TAC_FEATURE_BLOCK,
                            near->other[near->near[n]] * TAC_FEATURE_BLOCK);
        if (l->waiting >= TAC_EDGE_WAITING) look_closer(l);
    }
}

// edges of a block of geom[0]
static void list_block(pairList* l, const tacEdgeNear* near, int row) {
    int block = near->block[row], first = near->first[row];
    unsigned mask = edges_in(l, 0, block);
    float a[ROOM];
    uint64_t any = 0;
    place_edges(l->index[0], block, &l->test->own, a);
    for (int n = first; n < near->first[row + 1]; ++n) {
        int other = near->near[n];
        uint64_t met =
            meet_block(l, a, &near->place[other * ROOM], mask, edges_in(l, 1, near->other[other]));
        l->test->met[n - first] = met, any |= met;
    }
    for (int i = 0; i < TAC_FEATURE_BLOCK; ++i)
        if (any >> (8 * i) & 255u) list_edge(l, block * TAC_FEATURE_BLOCK + i, i, near, row);
}

static int list(const tacEdgeTest* test, const tacEdgeNear* near, int capacity, int* first,
                int* second) {
    pairList l = {.test = test};
    for (int k = 0; k < 2; ++k)
        l.index[k] = test->features[k]->index, l.edges[k] = test->features[k]->edges;
    l.t = edge_tau(test->witness), l.reach = w_set(test->reach);
    l.clash = rough_set(1.5 * tac_re(test->clash)), l.one = test->one, l.two = test->two;
    l.capacity = capacity, l.first = first, l.second = second;
    for (int row = 0; row < near->count; ++row) list_block(&l, near, row);
    look_closer(&l);
    return l.count;
}

//---------------------------------- table ----------------------------------------

const tacEdgeSearchKernels TAC_KERNELS(tac_edge_search_kernels_) = {
    .lanes = TAC_LANES, .room = ROOM, .boxes = boxes, .near = near, .place = place, .list = list};
