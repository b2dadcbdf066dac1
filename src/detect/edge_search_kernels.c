// Kernels of the search for edges that meet, compiled once per instruction set and number type.

#include "detect/edge_search_kernels.h"

#include "detect/edge_edge.h"

#include <string.h>

TAC_INLINE void load3(tacReal* const x[3], int i, wide out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = w_load(&x[k][i]);
}

TAC_INLINE void store3(tacReal* const x[3], int i, const wide v[3]) {
    for (int k = 0; k < 3; ++k) w_store(&x[k][i], v[k]);
}

TAC_INLINE void gather3(tacReal* const x[3], const int* at, wide out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = w_gather(x[k], at);
}

TAC_INLINE void set3(tacReal* const x[3], int i, wide out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = w_set(x[k][i]);
}

TAC_INLINE wide size_of(wide x) { return w_max(x, -x); }

// how far boxes are apart on the axis where that is most
TAC_INLINE wide box_gap(const wide m[3], const wide h[3], const wide n[3], const wide g[3]) {
    wide gap = size_of(m[0] - n[0]) - (h[0] + g[0]);
    for (int k = 1; k < 3; ++k) gap = w_max(gap, size_of(m[k] - n[k]) - (h[k] + g[k]));
    return gap;
}

// bit j: lane j is negative and i + j is before the end
TAC_INLINE unsigned negative_lanes(wide x, int i, int end) {
    unsigned bits = w_negative_bits(x);
    return end - i < TAC_LANES ? bits & ((1u << (end - i)) - 1u) : bits;
}

// i + j for each bit j behind the others; how many there are then. Which bits are set cannot be
// foretold, so nothing branches on them; the list has room for TAC_LANES more.
TAC_INLINE int append(int* list, int count, unsigned bits, int i) {
    for (int j = 0; j < TAC_LANES; ++j) {
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

TAC_INLINE wide gap_to(const tacEdgeBox* box, int axes, const wide m[3], const wide h[3]) {
    wide n[3], g[3];
    for (int k = 0; k < 3; ++k)
        n[k] = w_set(box->middle[axes][k]), g[k] = w_set(box->half[axes][k]);
    return box_gap(m, h, n, g);
}

static void boxes(const tacFeatureBox* box, int count, int own, const tacFrame* across,
                  const tacEdgeBox* other, tacReal reach, tacEdgeBoxes* out) {
    out->count = 0;
    for (int i = 0; i < count; i += TAC_LANES) {
        wide m[2][3], h[2][3];
        load_boxes(box, i, count, m[own], h[own]);
        carry_boxes(across, m[own], h[own], m[1 - own], h[1 - own]);
        wide gap = w_max(gap_to(other, 0, m[0], h[0]), gap_to(other, 1, m[1], h[1]));
        unsigned kept = negative_lanes(gap - reach, i, count);
        if (!kept) continue;
        tacReal part[2][2][3][TAC_LANES];
        for (int f = 0; f < 2; ++f)
            for (int k = 0; k < 3; ++k)
                w_store(part[f][0][k], m[f][k]), w_store(part[f][1][k], h[f][k]);
        for (; kept; kept &= kept - 1) {
            int j = __builtin_ctz(kept), at = out->count++;
            out->block[at] = i + j;
            for (int f = 0; f < 2; ++f)
                for (int k = 0; k < 3; ++k)
                    out->middle[f][k][at] = part[f][0][k][j],
                    out->half[f][k][at] = part[f][1][k][j];
        }
    }
}

static int near(const tacEdgeBoxes* a, int i, const tacEdgeBoxes* b, tacReal reach, int* out) {
    wide m[2][3], h[2][3];
    int count = 0;
    for (int f = 0; f < 2; ++f) set3(a->middle[f], i, m[f]), set3(a->half[f], i, h[f]);
    for (int j = 0; j < b->count; j += TAC_LANES) {
        unsigned kept = ~0u;
        for (int f = 0; f < 2 && kept; ++f) { // most are apart in the first
            wide n[3], g[3];
            load3(b->middle[f], j, n), load3(b->half[f], j, g);
            kept &= negative_lanes(box_gap(m[f], h[f], n, g) - reach, j, b->count);
        }
        if (!kept) continue;
        count = append(out, count, kept, j);
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
            double low = INFINITY, high = -INFINITY;
            for (int j = i; j < i + TAC_FEATURE_BLOCK && j < p->count; ++j) {
                double m = tac_re(p->middle[k][j]), h = tac_re(p->half[k][j]);
                low = m - h < low ? m - h : low, high = m + h > high ? m + h : high;
            }
            p->block[k][i / TAC_FEATURE_BLOCK] = 0.5 * (low + high);
            p->around[k][i / TAC_FEATURE_BLOCK] = 0.5 * (high - low);
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
        store3(out->middle, i, middle), store3(out->half, i, half);
    }
    surround(out);
}

//---------------------------------- pairs ----------------------------------------

// < 0: the perpendicular misses an edge, or the lines are farther apart than `reach`: the witness
// points are no nearer
TAC_INLINE wide pair_reach(const edgeCorners* c, const edgeTau* t, wide reach) {
    wide cross[3];
    edgeArms arms = edge_arms(c);
    edgeProducts p = edge_products(&arms);
    w_cross3(arms.t1, arms.t2, cross);
    wide height = w_dot3(arms.r, cross);
    wide near = w_fma(reach * reach, p.cross2, -height * height);
    return w_min(near, edge_qp_reach(&p, t));
}

// pairs whose boxes meet wait until there are many
enum { WAITING = 512 };

typedef struct pairList {
    const tacEdgePlaces *a, *b;
    edgeTau t;
    wide apart, reach;
    int bounded;
    int waiting, one[WAITING + 64], two[WAITING + 64];
    int count, capacity;
    int *first, *second;
} pairList;

static void keep_pair(pairList* l, int i) {
    if (l->count < l->capacity) l->first[l->count] = l->one[i], l->second[l->count] = l->two[i];
    ++l->count;
}

// those of waiting pairs i, i + 1, ... whose perpendicular is short and meets both edges
TAC_INLINE unsigned meeting_lanes(const pairList* l, int i) {
    edgeCorners c;
    gather3(l->a->from, &l->one[i], c.x[0]), gather3(l->a->to, &l->one[i], c.x[1]);
    gather3(l->b->from, &l->two[i], c.x[2]), gather3(l->b->to, &l->two[i], c.x[3]);
    return ~w_negative_bits(pair_reach(&c, &l->t, l->reach));
}

static void look_closer(pairList* l) {
    int meeting[WAITING + 64 + TAC_LANES], count = 0, waiting = l->waiting;
    for (int j = 0; j < TAC_LANES && waiting; ++j) {
        l->one[waiting + j] = l->one[waiting - 1];
        l->two[waiting + j] = l->two[waiting - 1];
    }
    for (int i = 0; i < waiting; i += TAC_LANES)
        count = append(meeting, count, l->bounded ? meeting_lanes(l, i) : ~0u, i);
    for (int i = 0; i < count && meeting[i] < waiting; ++i) keep_pair(l, meeting[i]);
    l->waiting = 0;
}

// edge k of geom[0] against those of a block of geom[1]
TAC_INLINE void list_block(pairList* l, int k, const wide m[3], const wide h[3], int block) {
    int from = block * TAC_FEATURE_BLOCK, before = l->waiting;
    for (int j = from; j < from + TAC_FEATURE_BLOCK; j += TAC_LANES) {
        wide n[3], g[3];
        load3(l->b->middle, j, n), load3(l->b->half, j, g);
        unsigned kept = negative_lanes(box_gap(m, h, n, g) - l->apart, j, l->b->count);
        l->waiting = append(l->two, l->waiting, kept, j);
    }
    for (int i = 0; i < TAC_FEATURE_BLOCK; ++i) l->one[before + i] = k;
    if (l->waiting >= WAITING) look_closer(l);
}

// bit i: edge from + i of geom[0] comes near a block of geom[1]
TAC_INLINE unsigned near_block(const pairList* l, int from, int block) {
    wide m[3], h[3];
    unsigned bits = 0;
    set3(l->b->block, block, m), set3(l->b->around, block, h);
    for (int k = from; k < from + TAC_FEATURE_BLOCK; k += TAC_LANES) {
        wide n[3], g[3];
        load3(l->a->middle, k, n), load3(l->a->half, k, g);
        bits |= negative_lanes(box_gap(m, h, n, g) - l->apart, k, l->a->count) << (k - from);
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

static int list(const tacEdgePlaces* a, const tacEdgePlaces* b, const tacEdgeNear* near,
                const tacWitnessOptions* witness, tacReal apart, tacReal reach, int bounded,
                unsigned char* mask, int* room, int capacity, int* first, int* second) {
    pairList l = {.a = a, .b = b, .t = edge_tau(witness)};
    l.apart = w_set(apart), l.reach = w_set(reach), l.bounded = bounded;
    l.capacity = capacity, l.first = first, l.second = second;
    for (int i = 0; i < near->count; ++i) {
        int from = i * TAC_FEATURE_BLOCK, blocks = near->first[i + 1] - near->first[i];
        const int* others = &near->near[near->first[i]];
        for (int n = 0; n < blocks; ++n) mask[n] = (unsigned char)near_block(&l, from, others[n]);
        for (int bit = 0; bit < TAC_FEATURE_BLOCK && from + bit < a->count; ++bit) {
            int count = blocks_of_edge(mask, others, blocks, bit, room);
            wide m[3], h[3];
            set3(a->middle, from + bit, m), set3(a->half, from + bit, h);
            for (int n = 0; n < count; ++n) list_block(&l, from + bit, m, h, room[n]);
        }
    }
    look_closer(&l);
    return l.count;
}

//---------------------------------- table ----------------------------------------

const tacEdgeSearchKernels TAC_KERNELS(tac_edge_search_kernels_) = {
    .lanes = TAC_LANES, .boxes = boxes, .near = near, .place = place, .list = list};
