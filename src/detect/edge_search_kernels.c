// Kernels of the search for edges that meet, compiled once per instruction set and number type.

#include "detect/edge_search_kernels.h"

#include "detect/edge_edge_push.h"
#include "shape/rough.h"

#include <string.h>

TAC_INLINE void store3(tacReal* const x[3], int i, const wide v[3]) {
    for (int k = 0; k < 3; ++k) w_store(&x[k][i], v[k]);
}

TAC_INLINE void gather3(tacReal* const x[3], const int* at, wide out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = w_gather(x[k], at);
}

TAC_INLINE wide size_of(wide x) { return w_max(x, -x); }

//---------------------------------- rough boxes ----------------------------------

// Boxes are numbers of single precision. A half is larger by 1e-6 of the coordinates, which is more
// than middles and gaps are rounded by.
TAC_INLINE void store_box(const wide m[3], const wide h[3], float* const middle[3],
                          float* const half[3], int i) {
    for (int k = 0; k < 3; ++k) {
        tacReal at[TAC_LANES], wider[TAC_LANES];
        w_store(at, m[k]), w_store(wider, w_fma(w_set(1e-6), size_of(m[k]) + h[k], h[k]));
        for (int j = 0; j < TAC_LANES; ++j)
            middle[k][i + j] = (float)tac_re(at[j]), half[k][i + j] = (float)tac_re(wider[j]);
    }
}

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
    return end - i < 32 ? (1u << (end - i)) - 1u : ~0u;
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

TAC_INLINE void load_boxes(const tacFeatureBox* box, int i, int count, wide middle[3],
                           wide half[3]) {
    tacReal m[3][TAC_LANES], h[3][TAC_LANES];
    for (int j = 0; j < TAC_LANES; ++j) {
        const tacFeatureBox* b = &box[i + j < count ? i + j : count - 1];
        for (int k = 0; k < 3; ++k) m[k][j] = b->middle[k], h[k][j] = b->half[k];
    }
    for (int k = 0; k < 3; ++k) middle[k] = w_load(m[k]), half[k] = w_load(h[k]);
}

// a box around the box that is turned
TAC_INLINE void carry_boxes(const tacFrame* f, const wide m[3], const wide h[3], wide middle[3],
                            wide half[3]) {
    for (int i = 0; i < 3; ++i) {
        middle[i] = w_set(f->origin[i]), half[i] = w_set(0.0);
        for (int k = 0; k < 3; ++k) {
            wide R = w_set(f->R.m[i][k]);
            middle[i] = w_fma(R, m[k], middle[i]);
            half[i] = w_fma(size_of(R), h[k], half[i]);
        }
    }
}

// < 0: they come within `reach` of the box
TAC_INLINE wide gap_to(const tacEdgeBox* box, int axes, const wide m[3], const wide h[3],
                       tacReal reach) {
    wide gap = w_set(-1e300);
    for (int k = 0; k < 3; ++k)
        gap = w_max(gap, size_of(m[k] - box->middle[axes][k]) - (h[k] + box->half[axes][k]));
    return gap - reach;
}

static void boxes(const tacFeatureBox* box, int count, int own, const tacFrame* across,
                  const tacEdgeBox* other, tacReal reach, tacEdgeBoxes* out) {
    out->count = 0;
    for (int i = 0; i < count; i += TAC_LANES) {
        wide m[2][3], h[2][3];
        load_boxes(box, i, count, m[own], h[own]);
        carry_boxes(across, m[own], h[own], m[1 - own], h[1 - own]);
        for (int f = 0; f < 2; ++f) store_box(m[f], h[f], out->middle[f], out->half[f], i);
        wide gap = w_max(gap_to(other, 0, m[0], h[0], reach), gap_to(other, 1, m[1], h[1], reach));
        out->count = append(out->block, out->count, w_negative_bits(gap) & lanes_before(i, count),
                            TAC_LANES, i);
    }
    for (int f = 0; f < 2; ++f)
        for (int k = 0; k < 3; ++k)
            for (int j = 0; j < out->count; ++j) { // they stand no further ahead
                out->middle[f][k][j] = out->middle[f][k][out->block[j]];
                out->half[f][k][j] = out->half[f][k][out->block[j]];
            }
}

static int near(const tacEdgeBoxes* a, int i, const tacEdgeBoxes* b, tacReal reach, int* out) {
    rough m[2][3], h[2][3], apart = rough_set(1.000001 * tac_re(reach));
    int count = 0;
    for (int f = 0; f < 2; ++f) {
        set_rough3(a->middle[f], i, m[f]), set_rough3(a->half[f], i, h[f]);
        for (int k = 0; k < 3; ++k) h[f][k] = h[f][k] + apart;
    }
    for (int j = 0; j < b->count; j += ROUGH_LANES) {
        unsigned kept = lanes_before(j, b->count);
        for (int f = 0; f < 2 && kept; ++f) { // most are apart in the first
            rough n[3], g[3];
            load_rough3(b->middle[f], j, n), load_rough3(b->half[f], j, g);
            kept &= rough_negative_bits(box_gap(m[f], h[f], n, g));
        }
        if (kept) count = append(out, count, kept, ROUGH_LANES, j);
    }
    return count;
}

//---------------------------------- edges ----------------------------------------

TAC_INLINE void place_ends(const tacFeatures* f, int end, const int* edge, int left,
                           const tacFrame* across, wide out[3]) {
    tacReal at[3][TAC_LANES];
    wide x[3];
    for (int j = 0; j < TAC_LANES; ++j) {
        int v = f->edge[end][edge[j < left ? j : left - 1]];
        for (int k = 0; k < 3; ++k) at[k][j] = f->x[k][v];
    }
    for (int k = 0; k < 3; ++k) x[k] = out[k] = w_load(at[k]);
    if (!across) return;
    rotate_to_world(across, x, out);
    for (int k = 0; k < 3; ++k) out[k] = out[k] + across->origin[k];
}

// boxes around eight edges each
static void surround(tacEdgePlaces* p) {
    for (int i = 0; i < p->count; i += TAC_FEATURE_BLOCK)
        for (int k = 0; k < 3; ++k) {
            float low = INFINITY, high = -INFINITY;
            for (int j = i; j < i + TAC_FEATURE_BLOCK && j < p->count; ++j) {
                float m = p->middle[k][j], h = p->half[k][j];
                low = m - h < low ? m - h : low, high = m + h > high ? m + h : high;
            }
            p->block[k][i / TAC_FEATURE_BLOCK] = 0.5f * (low + high);
            p->around[k][i / TAC_FEATURE_BLOCK] = 0.500001f * (high - low);
        }
}

static void place(const tacFeatures* f, const tacFrame* across, double stretch,
                  tacEdgePlaces* out) {
    for (int i = 0; i < out->count; i += TAC_LANES) {
        wide from[3], to[3], middle[3], half[3];
        place_ends(f, 0, &out->edge[i], out->count - i, across, from);
        place_ends(f, 1, &out->edge[i], out->count - i, across, to);
        for (int k = 0; k < 3; ++k) {
            middle[k] = 0.5 * (from[k] + to[k]);
            half[k] = (0.5 * stretch) * size_of(to[k] - from[k]);
        }
        store3(out->from, i, from), store3(out->to, i, to);
        store_box(middle, half, out->middle, out->half, i);
    }
    surround(out);
}

//---------------------------------- pairs ----------------------------------------

typedef struct pairList {
    const tacEdgeTest* test;
    const tacEdgePlaces *a, *b;
    edgeTau t;
    rough apart;
    wide reach;
    int waiting, *one, *two;
    int count, capacity;
    int *first, *second;
} pairList;

TAC_INLINE edgeCorners pair_corners(const pairList* l, int i) {
    edgeCorners c;
    gather3(l->a->from, &l->one[i], c.x[0]), gather3(l->a->to, &l->one[i], c.x[1]);
    gather3(l->b->from, &l->two[i], c.x[2]), gather3(l->b->to, &l->two[i], c.x[3]);
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

TAC_INLINE void load_flanks(const tacFeatures* f, const int* edge, const int* at,
                            const tacFrame* across, edgeFlanks* out) {
    out->swept = 0;
    for (int side = 0; side < 2; ++side) {
        tacReal x[3][TAC_LANES];
        wide v[3];
        for (int j = 0; j < TAC_LANES; ++j)
            for (int k = 0; k < 3; ++k) x[k][j] = f->index->along[side][k][edge[at[j]]];
        for (int k = 0; k < 3; ++k) v[k] = out->along[side][k] = w_load(x[k]);
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
    load_flanks(l->test->features[0], l->a->edge, &l->one[i], NULL, &flank[0]);
    load_flanks(l->test->features[1], l->b->edge, &l->two[i], l->test->across, &flank[1]);
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

// edge k of geom[0] against those of a block of geom[1]
TAC_INLINE void list_block(pairList* l, int k, const rough m[3], const rough h[3], int block) {
    int from = block * TAC_FEATURE_BLOCK, end = from + TAC_FEATURE_BLOCK, before = l->waiting;
    unsigned last = lanes_before(from, l->b->count) & ((1u << TAC_FEATURE_BLOCK) - 1u);
    for (int j = from; j < end; j += ROUGH_LANES) {
        rough n[3], g[3];
        load_rough3(l->b->middle, j, n), load_rough3(l->b->half, j, g);
        unsigned kept = rough_negative_bits(box_gap(m, h, n, g)) & last >> (j - from);
        int lanes = ROUGH_LANES < TAC_FEATURE_BLOCK ? ROUGH_LANES : TAC_FEATURE_BLOCK;
        l->waiting = append(l->two, l->waiting, kept, lanes, j);
    }
    for (int i = 0; i < TAC_FEATURE_BLOCK; ++i) l->one[before + i] = k;
    if (l->waiting >= TAC_EDGE_WAITING) look_closer(l);
}

// bit i: edge from + i of geom[0] comes near a block of geom[1]
TAC_INLINE unsigned near_block(const pairList* l, int from, int block) {
    rough m[3], h[3];
    unsigned bits = 0;
    set_rough3(l->b->block, block, m), set_rough3(l->b->around, block, h);
    for (int k = 0; k < 3; ++k) h[k] = h[k] + l->apart;
    for (int k = from; k < from + TAC_FEATURE_BLOCK; k += ROUGH_LANES) {
        rough n[3], g[3];
        load_rough3(l->a->middle, k, n), load_rough3(l->a->half, k, g);
        bits |= (rough_negative_bits(box_gap(m, h, n, g)) & lanes_before(k, l->a->count))
                << (k - from);
    }
    return bits;
}

// blocks that edge `bit` of a block comes near
TAC_INLINE int blocks_of_edge(const unsigned char* mask, const int* near, int blocks, int bit,
                              int* out) {
    int count = 0;
    for (int n = 0; n < blocks; ++n) {
        out[count] = near[n];
        count += mask[n] >> bit & 1;
    }
    return count;
}

static int list(const tacEdgeTest* test, const tacEdgeNear* near, int capacity, int* first,
                int* second) {
    const tacEdgePlaces *a = test->places[0], *b = test->places[1];
    pairList l = {.test = test, .a = a, .b = b, .t = edge_tau(test->witness)};
    l.apart = rough_set(1.000001 * tac_re(test->apart)), l.reach = w_set(test->reach);
    l.one = test->one, l.two = test->two;
    l.capacity = capacity, l.first = first, l.second = second;
    for (int i = 0; i < near->count; ++i) {
        int from = i * TAC_FEATURE_BLOCK, blocks = near->first[i + 1] - near->first[i];
        const int* others = &near->near[near->first[i]];
        for (int n = 0; n < blocks; ++n)
            test->mask[n] = (unsigned char)near_block(&l, from, others[n]);
        for (int bit = 0; bit < TAC_FEATURE_BLOCK && from + bit < a->count; ++bit) {
            int count = blocks_of_edge(test->mask, others, blocks, bit, test->block);
            rough m[3], h[3];
            set_rough3(a->middle, from + bit, m), set_rough3(a->half, from + bit, h);
            for (int k = 0; k < 3; ++k) h[k] = h[k] + l.apart;
            for (int n = 0; n < count; ++n) list_block(&l, from + bit, m, h, test->block[n]);
        }
    }
    look_closer(&l);
    return l.count;
}

//---------------------------------- table ----------------------------------------

const tacEdgeSearchKernels TAC_KERNELS(tac_edge_search_kernels_) = {
    .lanes = TAC_LANES, .boxes = boxes, .near = near, .place = place, .list = list};
