// Kernels of the search for edges that meet, compiled once per instruction set and number type.

#include "detect/edge_search_kernels.h"

#define ROUGH_EIGHT // edges of a block
#include "detect/edge_edge_push.h"
#include "shape/rough.h"

#include <stddef.h>
#include <string.h>

// three numbers of each edge, `at` of them from its record's first on
TAC_INLINE void gather3(const tacEdgeRecord* record, size_t offset, const int* at, wide out[3]) {
    tacReal of[3][TAC_LANES];
    for (int j = 0; j < TAC_LANES; ++j) {
        const double* v = (const double*)((const char*)&record[at[j]] + offset);
        for (int k = 0; k < 3; ++k) of[k][j] = v[k];
    }
    for (int k = 0; k < 3; ++k) out[k] = w_load(of[k]);
}

// EDGE_PARALLEL^2 and a percent more. Each of two unit vectors of bytes is off by sqrt(3)/254, so
// their products are by 0.0137
#define ROUGH_PARALLEL 1.01e-4
#define ROUGH_TURN     0.0138

// numbers of a vector; compilers take single ones where they are not told
#if ROUGH_LANES == 8
TAC_INLINE rough rough_bytes(const int8_t* p) {
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i*)p)));
}
TAC_INLINE rough rough_shorts(const int16_t* p) {
    return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i*)p)));
}
#elif ROUGH_LANES == 4
TAC_INLINE rough rough_bytes(const int8_t* p) { return (rough){p[0], p[1], p[2], p[3]}; }
TAC_INLINE rough rough_shorts(const int16_t* p) { return (rough){p[0], p[1], p[2], p[3]}; }
#else
TAC_INLINE rough rough_bytes(const int8_t* p) { return *p; }
TAC_INLINE rough rough_shorts(const int16_t* p) { return *p; }
#endif

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

// boxes first .. end - 1 of geom `own` that come near the other one, behind those of `out`
static void boxes(const tacEdgeTest* t, int own, const tacRoughBoxes* from, int first, int end,
                  tacEdgeBoxes* out) {
    rough n[2][3], g[2][3];
    for (int f = 0; f < 2; ++f) set_box(&t->around[1 - own], f, t->apart, n[f], g[f]);
    for (int i = first; i < end; i += ROUGH_LANES) {
        rough m[2][3], h[2][3];
        load_rough3(from->middle, i, m[own]);
        load_rough3(from->half, i, h[own]);
        unsigned kept =
            lanes_before(i, end) & rough_negative_bits(box_gap(m[own], h[own], n[own], g[own]));
        if (kept == 0) continue;
        carry_boxes(&t->frame[own], m[own], h[own], m[1 - own], h[1 - own]);
        kept &= rough_negative_bits(box_gap(m[1 - own], h[1 - own], n[1 - own], g[1 - own]));
        if (kept) add_boxes(out, i, kept, m, h);
    }
}

TAC_INLINE int is_none(const tacEdgeBoxes* a, int i) { return a->half[0][0][i] < 0.0f; }

// box `i` in all lanes, wider by how far others may be apart
TAC_INLINE void set_wider(const tacEdgeBoxes* a, int i, tacReal apart, rough m[2][3],
                          rough h[2][3]) {
    rough wider = rough_set(1.000001 * tac_re(apart));
    for (int f = 0; f < 2; ++f) {
        set_rough3(a->middle[f], i, m[f]), set_rough3(a->half[f], i, h[f]);
        for (int k = 0; k < 3; ++k) h[f][k] = h[f][k] + wider;
    }
}

// bits of boxes j, j + 1, ... that it meets
TAC_INLINE unsigned near_lanes(rough m[2][3], rough h[2][3], const tacEdgeBoxes* b, int j) {
    unsigned kept = ~0u;
    for (int f = 0; f < 2; ++f) {
        rough n[3], g[3];
        load_rough3(b->middle[f], j, n), load_rough3(b->half[f], j, g);
        kept &= rough_negative_bits(box_gap(m[f], h[f], n, g));
    }
    return kept;
}

// indices of boxes that come within `apart` of box `i` of `a`, in order; how many
static int near(const tacEdgeBoxes* a, int i, tacReal apart, const tacEdgeBoxes* b, int* out) {
    rough m[2][3], h[2][3];
    int count = 0;
    set_wider(a, i, apart, m, h);
    for (int j = 0; j < b->count; j += ROUGH_LANES)
        count = append(out, count, near_lanes(m, h, b, j), ROUGH_LANES, j);
    return count;
}

TAC_INLINE rough rough_dot3(const rough a[3], const rough b[3]) {
    return rough_fma(a[0], b[0], rough_fma(a[1], b[1], a[2] * b[2]));
}

//---------------------------------- edges ----------------------------------------

// Rows of a block that is placed: boxes around edges, unit vectors along them and across them and
// their faces; then the box around all eight.
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

// least of a vector's first eight numbers
TAC_INLINE float least_of(const float x[ROW]) {
    float four[4], two[2];
    for (int i = 0; i < 4; ++i) four[i] = x[i] < x[i + 4] ? x[i] : x[i + 4];
    for (int i = 0; i < 2; ++i) two[i] = four[i] < four[i + 2] ? four[i] : four[i + 2];
    return two[0] < two[1] ? two[0] : two[1];
}

static void surround(float* place) {
    for (int k = 0; k < 3; ++k) {
        float low[ROW], high[ROW]; // the largest is the least of those turned
        for (int j = 0; j < TAC_FEATURE_BLOCK; j += ROUGH_LANES) {
            rough m = rough_load(&place[MIDDLE + k * ROW + j]);
            rough h = rough_load(&place[HALF + k * ROW + j]);
            rough_store(&low[j], m - h), rough_store(&high[j], -m - h);
        }
        float under = least_of(low), over = -least_of(high);
        place[AROUND + k] = 0.5f * (under + over);
        place[AROUND + 3 + k] = 0.500001f * (over - under);
    }
}

// rows of numbers times a matrix
TAC_INLINE void rough_turn(const float R[3][3], const rough v[3], rough out[3]) {
    for (int k = 0; k < 3; ++k) {
        out[k] = v[0] * rough_set(R[k][0]);
        out[k] = rough_fma(v[1], rough_set(R[k][1]), out[k]);
        out[k] = rough_fma(v[2], rough_set(R[k][2]), out[k]);
    }
}

TAC_INLINE void turn_bytes(const tacEdgePlacing* p, const int8_t from[3][TAC_FEATURE_BLOCK], int j,
                           rough out[3]) {
    rough v[3];
    for (int k = 0; k < 3; ++k) v[k] = rough_bytes(&from[k][j]);
    rough_turn(p->turn, v, out);
}

static void place_edges(const tacEdgeRows* from, const tacEdgePlacing* p, float* out) {
    for (int j = 0; j < TAC_FEATURE_BLOCK; j += ROUGH_LANES) {
        rough v[3], y[3], half = rough_bytes(&from->half[j]) * rough_set(p->half);
        for (int k = 0; k < 3; ++k) v[k] = rough_shorts(&from->middle[k][j]);
        rough_turn(p->middle, v, y);
        for (int k = 0; k < 3; ++k) y[k] = y[k] + rough_set(p->origin[k]);
        store_rows(&out[MIDDLE + j], y);
        turn_bytes(p, from->direction, j, y);
        store_rows(&out[FLANK + j], y);
        for (int k = 0; k < 3; ++k) v[k] = rough_fma(rough_abs(y[k]), half, rough_set(p->more));
        store_rows(&out[HALF + j], v);
        for (int i = 0; i < 2; ++i) {
            turn_bytes(p, from->side[i], j, y);
            store_rows(&out[FLANK + 3 * (1 + i) * ROW + j], y);
        }
    }
}

//---------------------------------- pairs ----------------------------------------

typedef struct pairList {
    tacEdgeTest* test;
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
        size_t from = offsetof(tacEdgeRecord, corner) + sizeof(double[3]) * (size_t)end;
        wide x[3];
        gather3(l->index[0]->record, from, &l->one[i], c.x[end]);
        gather3(l->index[1]->record, from, &l->two[i], x);
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
        gather3(f->index->record, offsetof(tacEdgeRecord, along) + sizeof(double[3]) * (size_t)side,
                at, v);
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
// vectors, with room for their errors. With c = s x t the products m.c are t.(m x s) for the faces
// of a and, with their sign, s.(m x t) for those of b
TAC_INLINE unsigned clear_lanes(const pairList* l, const float* a, const float* b) {
    rough s[3], t[3], low = rough_set(1e30), high = rough_set(-1e30);
    set_rows(&a[FLANK], ROW, s), load_rows(&b[FLANK], ROW, t);
    for (int row = FLANK + 3 * ROW; row < AROUND; row += 3 * ROW) {
        rough p[3], q[3];
        set_rows(&a[row], ROW, p), load_rows(&b[row], ROW, q);
        rough u = rough_dot3(t, p), v = rough_dot3(s, q);
        low = rough_min(low, rough_min(u, v)), high = rough_max(high, rough_max(u, v));
    }
    rough even = rough_max(rough_abs(rough_dot3(s, t)) - rough_set(ROUGH_TURN), rough_set(0.0));
    rough length = rough_fma(rough_set(-0.5) * even, even, rough_set(1.0 + 0.5 * ROUGH_PARALLEL));
    rough reach = rough_fma(l->clash, length, rough_set(ROUGH_TURN));
    return rough_negative_bits(rough_max(low, -high) + reach);
}

// bit j: the box of an edge a meets that of edge j of a block b
TAC_INLINE unsigned meet_boxes(const float* a, const float* b) {
    rough m[3], h[3];
    unsigned bits = 0;
    set_rows(&a[MIDDLE], ROW, m), set_rows(&a[HALF], ROW, h);
    for (int j = 0; j < TAC_FEATURE_BLOCK; j += ROUGH_LANES) {
        rough n[3], g[3];
        load_rows(&b[MIDDLE + j], ROW, n), load_rows(&b[HALF + j], ROW, g);
        bits |= rough_negative_bits(box_gap(m, h, n, g)) << j;
    }
    return bits & 255u;
}

TAC_INLINE unsigned meet_faces(const pairList* l, const float* a, const float* b) {
    unsigned bits = 0;
    for (int j = 0; j < TAC_FEATURE_BLOCK; j += ROUGH_LANES) bits |= clear_lanes(l, a, &b[j]) << j;
    return ~bits & 255u;
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
    return bits & 255u;
}

//---------------------------------- a group --------------------------------------

// Eight blocks of geom[0] are looked at together, in stages that leave lists of bits to the next:
//
//   blocks of geom[1] --> blocks of the group that are near --> edges of those --> edges that they
//   may meet, by faces --> by boxes
//
// A stage is one loop over the bits of all it was left, and branches on no single test: those
// cannot be foretold.
enum { TOGETHER = 8 }; // bytes of bits that are walked through as one word

// its blocks as they are placed, those that are near others
typedef struct ownGroup {
    float row[TAC_EDGE_GROUP][ROOM];
    int block[TAC_EDGE_GROUP];
} ownGroup;

// bits of eight items from `first` on
TAC_INLINE uint64_t word_of(const tacEdgeItem* item, unsigned first, unsigned count) {
    uint64_t word = 0;
    unsigned end = count - first < TOGETHER ? count - first : TOGETHER;
    for (unsigned n = 0; n < end; ++n) word |= (uint64_t)item[first + n].bits << (8 * n);
    return word;
}

// which edges of which blocks come near which others
TAC_INLINE unsigned near_edges(const tacEdgeOthers* o, const ownGroup* g, unsigned count,
                               tacEdgeItem* out) {
    unsigned items = 0;
    for (unsigned first = 0; first < count; first += TOGETHER)
        for (uint64_t word = word_of(o->near, first, count); word; word &= word - 1) {
            unsigned bit = (unsigned)__builtin_ctzll(word), own = bit % 8;
            const tacEdgeItem* n = &o->near[first + bit / 8];
            unsigned bits = near_block(g->row[own], &o->row[n->row]);
            out[items] = (tacEdgeItem){bits, own, n->other, n->row};
            items += bits != 0;
        }
    return items;
}

// edges e of item.own, e = 8 block + edge, and the others whose boxes meet theirs
static unsigned meeting_edges(const tacEdgeOthers* o, const ownGroup* g, const tacEdgeItem* near,
                              unsigned count, tacEdgeItem* out) {
    unsigned items = 0;
    for (unsigned first = 0; first < count; first += TOGETHER)
        for (uint64_t word = word_of(near, first, count); word; word &= word - 1) {
            unsigned bit = (unsigned)__builtin_ctzll(word), edge = bit % 8;
            const tacEdgeItem* n = &near[first + bit / 8];
            unsigned bits = meet_boxes(&g->row[n->own][edge], &o->row[n->row]);
            out[items] = (tacEdgeItem){bits, 8 * n->own + edge, n->other, n->row};
            items += bits != 0;
        }
    return items;
}

// those of the items that no faces are in the way of stand first; bits of edges of the group that
// are among them
static uint64_t facing_edges(const pairList* l, const ownGroup* g, tacEdgeItem* item,
                             unsigned* count) {
    const tacEdgeOthers* o = l->test->others;
    uint64_t own = 0;
    unsigned kept = 0, all = l->test->rough ? 0u : 255u;
    for (unsigned k = 0; k < *count; ++k) {
        tacEdgeItem n = item[k];
        n.bits &= all ? all : meet_faces(l, &g->row[n.own / 8][n.own % 8], &o->row[n.row]);
        item[kept] = n, kept += n.bits != 0;
        own |= (uint64_t)(n.bits != 0) << n.own;
    }
    *count = kept;
    return own;
}

// a record on its way to the cache
TAC_INLINE void fetch_record(const tacEdgeRecord* r) {
    __builtin_prefetch(r);
    __builtin_prefetch((const char*)r + 64);
}

static void list_item(pairList* l, const ownGroup* g, tacEdgeItem item) {
    int edge = g->block[item.own / 8] * TAC_FEATURE_BLOCK + (int)(item.own % 8);
    int other = l->test->others->block.block[item.other] * TAC_FEATURE_BLOCK;
    fetch_record(&l->index[0]->record[edge]);
    for (unsigned bits = item.bits; bits; bits &= bits - 1)
        fetch_record(&l->index[1]->record[other + __builtin_ctz(bits)]);
    for (int j = 0; j < TAC_FEATURE_BLOCK; ++j) l->one[l->waiting + j] = edge;
    l->waiting = append(l->two, l->waiting, item.bits, TAC_FEATURE_BLOCK, other);
    if (l->waiting >= TAC_EDGE_WAITING) look_closer(l);
}

// A block as it is placed; what repeats the last edge is nowhere
TAC_INLINE void place_block(const pairList* l, int k, int block, float* out) {
    int there = l->edges[k] - block * TAC_FEATURE_BLOCK;
    place_edges(&l->index[k]->rows[block], &l->test->placing[k], out);
    for (int j = there; j < TAC_FEATURE_BLOCK; ++j)
        for (int i = 0; i < 3; ++i) out[HALF + i * ROW + j] = -INFINITY;
}

static void place_near(const pairList* l, ownGroup* g, unsigned count) {
    tacEdgeOthers* o = l->test->others;
    unsigned used = 0;
    for (unsigned n = 0; n < count; ++n) {
        int at = o->near[n].other;
        used |= o->near[n].bits;
        if (o->place[at] < 0) {
            float* row = &o->row[o->place[at] = o->places];
            place_block(l, 1, o->block.block[at], row);
            surround(row), o->places += ROOM;
        }
        o->near[n].row = o->place[at];
    }
    for (; used; used &= used - 1) {
        int i = __builtin_ctz(used);
        place_block(l, 0, g->block[i], g->row[i]);
    }
}

//---------------------------------- groups ---------------------------------------

// blocks of a group that come near the other geom; their rows are fetched meanwhile
static void open_group(const pairList* l, int own, int group, tacEdgeBoxes* out) {
    const struct tacFeatureIndex* index = l->index[own];
    int first = group * TAC_EDGE_GROUP, end = first + TAC_EDGE_GROUP, before = out->count;
    boxes(l->test, own, &index->block_rough, first,
          end < index->edge_blocks ? end : index->edge_blocks, out);
    for (int i = before; i < out->count; ++i) {
        if (is_none(out, i)) continue;
        __builtin_prefetch(&index->rows[out->block[i]]);
        __builtin_prefetch((const char*)&index->rows[out->block[i]] + 64);
    }
}

static void open_partner(const pairList* l, int at) {
    tacEdgeOthers* o = l->test->others;
    if (o->first[at] >= 0) return;
    o->first[at] = o->block.count;
    open_group(l, 1, o->group.block[at], &o->block);
    for (int i = o->first[at]; i < o->block.count; ++i) o->place[i] = -1;
    o->end[at] = o->block.count;
}

// bits of `own` boxes that a box of another meets in one of both axes
TAC_INLINE unsigned near_own(const tacEdgeBoxes* own, const tacEdgeBoxes* b, int at, int f) {
    unsigned bits = 0;
    for (int i = 0; i < TAC_EDGE_GROUP; i += ROUGH_LANES) {
        rough m[3], h[3], n[3], g[3];
        load_rough3(own->middle[f], i, m), load_rough3(own->half[f], i, h);
        set_rough3(b->middle[f], at, n), set_rough3(b->half[f], at, g);
        bits |= rough_negative_bits(box_gap(m, h, n, g)) << i;
    }
    return bits & 255u;
}

// blocks of partners that come within `apart` of the box around the group
static unsigned near_group(const tacEdgeTest* t, int group, int partners) {
    const tacEdgeOthers* o = t->others;
    rough m[2][3], h[2][3];
    unsigned count = 0;
    set_wider(&t->group, group, t->apart, m, h);
    for (int k = 0; k < partners; ++k)
        for (int j = o->first[o->partner[k]]; j < o->end[o->partner[k]]; j += ROUGH_LANES) {
            unsigned kept = near_lanes(m, h, &o->block, j);
            for (int i = 0; i < ROUGH_LANES; ++i) {
                o->near[count].other = j + i;
                count += kept >> i & 1u;
            }
        }
    return count;
}

// those of them that come near blocks of the group in one of both axes, with bits of these
static unsigned near_blocks(const tacEdgeOthers* o, const tacEdgeBoxes* own, int f,
                            unsigned count) {
    unsigned kept = 0;
    for (unsigned k = 0; k < count; ++k) {
        int at = o->near[k].other;
        unsigned bits = near_own(own, &o->block, at, f) & (f ? o->near[k].bits : 255u);
        o->near[kept].bits = bits, o->near[kept].other = at;
        kept += bits != 0;
    }
    return kept;
}

// boxes of a group are wider by how far others may be apart; those that are not there are nowhere
static void widen_group(tacEdgeBoxes* own, tacReal apart) {
    rough wider = rough_set(1.000001 * tac_re(apart));
    for (int i = 0; i < TAC_EDGE_GROUP; i += ROUGH_LANES)
        for (int f = 0; f < 2; ++f)
            for (int k = 0; k < 3; ++k) {
                float* half = &own->half[f][k][i];
                rough_store(half, i < own->count ? rough_load(half) + wider : rough_set(-1e30));
            }
}

static void list_group(pairList* l, int at) {
    tacEdgeOthers* o = l->test->others;
    tacEdgeBoxes* own = &l->test->block;
    ownGroup g;
    int partners = near(&l->test->group, at, l->test->apart, &o->group, o->partner);
    if (partners == 0) return;
    own->count = 0, open_group(l, 0, l->test->group.block[at], own);
    widen_group(own, l->test->apart);
    for (int i = 0; i < own->count && i < TAC_EDGE_GROUP; ++i) g.block[i] = own->block[i];
    for (int k = 0; k < partners; ++k) open_partner(l, o->partner[k]);
    unsigned count = near_group(l->test, at, partners);
    for (int f = 0; f < 2; ++f) count = near_blocks(o, own, f, count);
    place_near(l, &g, count);
    count = near_edges(o, &g, count, o->item[0]);
    count = meeting_edges(o, &g, o->item[0], count, o->item[1]);
    uint64_t edges = facing_edges(l, &g, o->item[1], &count);
    for (; edges; edges &= edges - 1) // others of one edge are in order already
        for (unsigned i = 0; i < count; ++i)
            if (o->item[1][i].own == (unsigned)__builtin_ctzll(edges))
                list_item(l, &g, o->item[1][i]);
}

// all boxes of blocks on their way to the cache
static void fetch_boxes(const struct tacFeatureIndex* index) {
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < index->edge_blocks; i += 16) {
            __builtin_prefetch(&index->block_rough.middle[k][i]);
            __builtin_prefetch(&index->block_rough.half[k][i]);
        }
}

static int groups_of(const struct tacFeatureIndex* index) {
    return (index->edge_blocks + TAC_EDGE_GROUP - 1) / TAC_EDGE_GROUP;
}

static int list(tacEdgeTest* test, int capacity, int* first, int* second) {
    pairList l = {.test = test};
    tacEdgeOthers* o = test->others;
    for (int k = 0; k < 2; ++k)
        l.index[k] = test->features[k]->index, l.edges[k] = test->features[k]->edges;
    l.t = edge_tau(test->witness), l.reach = w_set(test->reach);
    l.clash = rough_set(1.5 * tac_re(test->clash)), l.one = test->one, l.two = test->two;
    l.capacity = capacity, l.first = first, l.second = second;
    boxes(test, 0, &l.index[0]->group_rough, 0, groups_of(l.index[0]), &test->group);
    boxes(test, 1, &l.index[1]->group_rough, 0, groups_of(l.index[1]), &o->group);
    for (int k = 0; k < 2 && test->group.count && o->group.count; ++k) fetch_boxes(l.index[k]);
    for (int i = 0; i < o->group.count; ++i) o->first[i] = -1;
    for (int i = 0; i < test->group.count && o->group.count; ++i)
        if (!is_none(&test->group, i)) list_group(&l, i);
    look_closer(&l);
    return l.count;
}

//---------------------------------- table ----------------------------------------

const tacEdgeSearchKernels TAC_KERNELS(tac_edge_search_kernels_) = {
    .lanes = TAC_LANES, .room = ROOM, .list = list};
