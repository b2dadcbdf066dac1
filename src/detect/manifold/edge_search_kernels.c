// Kernels of the search for edges that touch, compiled once per instruction set and number type.

#include "detect/manifold/edge_search_kernels.h"

#define WIDE_FLOAT_EIGHT // edges of a block
#include "detect/manifold/edge_edge_normal.inl"
#include "detect/manifold/edge_rows.inl"

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

// EDGE_PARALLEL^2 and a percent more
#define FLOAT_PARALLEL 1.01e-4

//---------------------------------- boxes of eight -------------------------------

// a box around the box that is turned, and wider by `more`
TAC_INLINE void rotate_boxes(const tacEdgeFrame* f, const wideFloat m[3], const wideFloat h[3],
                             wideFloat middle[3], wideFloat half[3]) {
    for (int i = 0; i < 3; ++i) {
        middle[i] = wf_set(f->origin[i]);
        half[i] = wf_set(f->margin);
        for (int k = 0; k < 3; ++k) {
            wideFloat R = wf_set(f->R[i][k]);
            middle[i] = wf_fma(R, m[k], middle[i]);
            half[i] = wf_fma(wf_abs(R), h[k], half[i]);
        }
    }
}

TAC_INLINE void store_boxes(const tacEdgeCells* c, const wideFloat m[3], const wideFloat h[3],
                            int16_t* out) {
    for (int k = 0; k < 3; ++k) {
        wideFloat middle = wf_fma(m[k], wf_set(c->scale[k]), wf_set(c->origin[k]));
        wideFloat half = wf_fma(h[k], wf_set(c->wide[k]), wf_set(c->margin[k]));
        store_box(out, k, middle, half);
    }
}

// Eight boxes of geom `own` from `first` on, in axes of both; nowhere is what is not before the end
static void transform_eight(const tacEdgeTest* t, int own, const tacFloatBoxes* from, int first,
                            int end, int16_t* out) {
    int16_t *here = &out[own * TAC_BOX_ROWS], *there = &out[(1 - own) * TAC_BOX_ROWS];
    for (int i = 0; i < EIGHT; i += WIDE_FLOAT_LANES) {
        wideFloat m[3], h[3], middle[3], half[3];
        for (int k = 0; k < 3; ++k) {
            m[k] = wf_load(&from->middle[k][first + i]);
            h[k] = wf_load(&from->half[k][first + i]);
        }
        rotate_boxes(&t->frame[own], m, h, middle, half);
        store_boxes(&t->cells[own][own], m, h, &here[i]);
        store_boxes(&t->cells[own][1 - own], middle, half, &there[i]);
    }
    mark_empty(here, own, end - first);
    mark_empty(there, own, end - first);
}

// those of geom[0] are spread
static void transform_own_eight(const tacEdgeTest* t, const tacFloatBoxes* from, int first, int end,
                                int16_t* out) {
    int16_t boxes[2 * TAC_BOX_ROWS];
    transform_eight(t, 0, from, first, end, boxes);
    for (int f = 0; f < 2; ++f)
        broadcast_boxes(&boxes[f * TAC_BOX_ROWS], &out[f * TAC_BOX_BROADCAST]);
}

// bit 8 i + j: own i overlaps other j in axes of both
TAC_INLINE uint64_t eights_overlap(const int16_t* own, const int16_t* other) {
    return boxes_overlap(own, other) & boxes_overlap(&own[TAC_BOX_BROADCAST], &other[TAC_BOX_ROWS]);
}

//---------------------------------- pairs ----------------------------------------

typedef struct pairList {
    tacEdgeTest* test;
    const struct tacFeatureIndex* index[2];
    int edges[2];
    edgeTau t;
    shorts opposing; // products of unit vectors that are no larger do not count
    wide cutoff;
    int pending, *one, *two;
    int count, capacity;
    int *first, *second;
} pairList;

TAC_INLINE edgeCorners pair_corners(const pairList* l, int i) {
    const tacFrame* rel_frame = l->test->rel_frame;
    edgeCorners c;
    for (int end = 0; end < 2; ++end) {
        size_t from = offsetof(tacEdgeRecord, corner) + sizeof(double[3]) * (size_t)end;
        wide x[3];
        gather3(l->index[0]->record, from, &l->one[i], c.x[end]);
        gather3(l->index[1]->record, from, &l->two[i], x);
        rotate_to_world(rel_frame, x, c.x[2 + end]);
        for (int k = 0; k < 3; ++k) c.x[2 + end][k] = c.x[2 + end][k] + rel_frame->origin[k];
    }
    return c;
}

// bits of waiting pairs i, i + 1, ...: not the perpendicular misses an edge, or the lines are
// farther apart than `reach`, and witness points are no nearer
TAC_INLINE unsigned near_lanes(const pairList* l, int i) {
    edgeCorners c = pair_corners(l, i);
    edgeArms arms = edge_arms(&c);
    edgeProducts p = edge_products(&arms);
    wide cross[3];
    w_cross3(arms.t1, arms.t2, cross);
    wide height = w_dot3(arms.r, cross);
    wide near = w_fma(l->cutoff * l->cutoff, p.cross2, -height * height);
    return ~w_negative_bits(w_min(near, edge_qp_margin(&p, &l->t)));
}

TAC_INLINE void load_edge_faces(const tacFeatures* f, const int* at, const tacFrame* rel_frame,
                                edgeFaces* out) {
    out->swept = 0;
    for (int side = 0; side < 2; ++side) {
        wide v[3];
        gather3(f->index->record, offsetof(tacEdgeRecord, along) + sizeof(double[3]) * (size_t)side,
                at, v);
        for (int k = 0; k < 3; ++k) out->along[side][k] = v[k];
        if (rel_frame) rotate_to_world(rel_frame, v, out->along[side]);
    }
}

// not the faces beside the edges are in the way
TAC_INLINE unsigned opposing_lanes(const pairList* l, int i) {
    edgeCorners c = pair_corners(l, i);
    edgeArms arms = edge_arms(&c);
    edgeProducts p = edge_products(&arms);
    edgeCross cross = edge_cross(&arms, &p);
    edgeFaces faces[2];
    load_edge_faces(l->test->features[0], &l->one[i], NULL, &faces[0]);
    load_edge_faces(l->test->features[1], &l->two[i], l->test->rel_frame, &faces[1]);
    return ~w_negative_bits(edge_normal_margin(&cross.line, faces, w_set(l->test->opposing)));
}

static void pad_batch(pairList* l) {
    for (int j = 0; j < TAC_LANES && l->pending; ++j) {
        l->one[l->pending + j] = l->one[l->pending - 1];
        l->two[l->pending + j] = l->two[l->pending - 1];
    }
}

// those of the waiting pairs that pass one test move up
TAC_INLINE void filter_batch(pairList* l, unsigned (*passing)(const pairList*, int)) {
    int before = l->pending, count_passed = 0;
    pad_batch(l);
    for (int i = 0; i < before; i += TAC_LANES) {
        unsigned bits = passing(l, i);
        int end = before - i < TAC_LANES ? before - i : TAC_LANES;
        for (int j = 0; j < end; ++j) {
            l->one[count_passed] = l->one[i + j];
            l->two[count_passed] = l->two[i + j];
            count_passed += (int)(bits >> j & 1u);
        }
    }
    l->pending = count_passed;
}

static void test_batch(pairList* l) {
    if (l->test->bounded) filter_batch(l, near_lanes);
    if (l->test->bounded && l->test->solid) filter_batch(l, opposing_lanes);
    for (int i = 0; i < l->pending; ++i, ++l->count)
        if (l->count < l->capacity) {
            l->first[l->count] = l->one[i];
            l->second[l->count] = l->two[i];
        }
    l->pending = 0;
}

//---------------------------------- a group --------------------------------------

// Eight blocks of geom[0] are looked at together, in stages that leave lists of bits to the next:
//
//   groups of geom[1] --> blocks of both that are near --> edges of both, by boxes --> by faces
//
// A stage is one loop over the bits of all it was left, and branches on no single test: those
// cannot be predicted.
enum { WORD_BYTES = 8 }; // bytes of bits that are walked through as one word

// its blocks in axes of both geoms, and edges of those that are near others
typedef struct ownGroup {
    _Alignas(32) int16_t blocks[2 * TAC_BOX_BROADCAST];
    _Alignas(32) int16_t edges[TAC_EDGE_GROUP * TAC_EDGE_OWN];
} ownGroup;

TAC_INLINE uint64_t word_of(const uint8_t* bits) {
    uint64_t word = 0;
    for (int n = 0; n < WORD_BYTES; ++n) word |= (uint64_t)bits[n] << (8 * n);
    return word;
}

// Blocks of a group and of partners that are near. Lists are passed by value, here and below: bytes
// that are written might be pointers to a compiler, those in registers are not
TAC_INLINE unsigned overlapping_blocks(const int16_t* blocks, const int* partner, int partners,
                                       const ownGroup* g, tacEdgeItems out) {
    unsigned items = 0;
    for (int k = 0; k < partners; ++k) {
        uint64_t word = eights_overlap(g->blocks, &blocks[2 * TAC_BOX_ROWS * partner[k]]);
        out.word[items] = word;
        out.other[items] = (unsigned)partner[k];
        items += word != 0;
    }
    return items;
}

// edges of these whose boxes overlap
TAC_INLINE unsigned overlapping_edges(const int16_t* edges, const ownGroup* g, tacEdgeItems in,
                                      unsigned count, tacEdgeItems out) {
    unsigned items = 0;
    for (unsigned n = 0; n < count; ++n)
        for (uint64_t rest = in.word[n]; rest; rest &= rest - 1) {
            unsigned bit = (unsigned)__builtin_ctzll(rest), own = bit / 8 * TAC_EDGE_OWN;
            unsigned other = (in.other[n] * TAC_EDGE_GROUP + bit % 8) * TAC_EDGE_OTHER;
            uint64_t word =
                boxes_overlap(&g->edges[own + TAC_EDGE_BOX], &edges[other + TAC_EDGE_BOX]);
            out.word[items] = word;
            out.bits[items] = (uint8_t)nonzero_bytes(word);
            out.own[items] = own;
            out.other[items] = other;
            items += word != 0;
        }
    memset(&out.bits[items], 0, WORD_BYTES);
    return items;
}

// those of them that no faces are in the way of, with an edge of the group each
TAC_INLINE unsigned facing_edges(const int16_t* edges, const ownGroup* g, tacEdgeItems in,
                                 unsigned count, shorts opposing, tacEdgeItems out) {
    unsigned items = 0;
    for (unsigned first = 0; first < count; first += WORD_BYTES)
        for (uint64_t rest = word_of(&in.bits[first]); rest; rest &= rest - 1) {
            unsigned bit = (unsigned)__builtin_ctzll(rest), n = first + bit / 8;
            unsigned own = in.own[n] + 2 * (bit % 8), other = in.other[n];
            unsigned bits = in.word[n] >> 8 * (bit % 8) & 255u;
            bits &= faces_oppose(&g->edges[own], &edges[other], opposing);
            out.bits[items] = (uint8_t)bits;
            out.own[items] = own;
            out.other[items] = other;
            items += bits != 0;
        }
    return items;
}

//---------------------------------- its pairs ------------------------------------

// a record on its way to the cache
TAC_INLINE void fetch_record(const tacEdgeRecord* r) {
    __builtin_prefetch(r);
    __builtin_prefetch((const char*)r + 64);
}

// edge of the group: 8 block + edge
TAC_INLINE unsigned edge_in_group(unsigned own) {
    return own / TAC_EDGE_OWN * EIGHT + own % TAC_EDGE_OWN / 2;
}

static void list_item(pairList* l, int edge, int other, unsigned bits) {
    fetch_record(&l->index[0]->record[edge]);
    for (; bits; bits &= bits - 1, ++l->pending) {
        int two = other + __builtin_ctz(bits);
        fetch_record(&l->index[1]->record[two]);
        l->one[l->pending] = edge;
        l->two[l->pending] = two;
    }
    if (l->pending >= TAC_EDGE_BATCH) test_batch(l);
}

// in order of edges, by counting them; others of one are in order already
static void list_items(pairList* l, int group, tacEdgeItems item, unsigned count) {
    const tacEdgePartnerSet* o = l->test->partner_set;
    unsigned of[TAC_EDGE_GROUP * EIGHT] = {0}, sum = 0;
    uint64_t edges = 0;
    for (unsigned i = 0; i < count; ++i) {
        item.own[i] = edge_in_group(item.own[i]);
        edges |= (uint64_t)1 << item.own[i];
        ++of[item.own[i]];
    }
    for (; edges; edges &= edges - 1) {
        unsigned* first = &of[__builtin_ctzll(edges)];
        sum += *first;
        *first = sum - *first;
    }
    for (unsigned i = 0; i < count; ++i) o->order[of[item.own[i]]++] = i;
    for (unsigned i = 0; i < count; ++i) {
        unsigned n = o->order[i], other = item.other[n] / TAC_EDGE_OTHER;
        list_item(l, group * TAC_EDGE_GROUP * EIGHT + (int)item.own[n], (int)other * EIGHT,
                  item.bits[n]);
    }
}

// blocks of an eight that have any of the bits of their column
TAC_INLINE unsigned nonzero_columns(uint64_t word) {
    word |= word >> 32;
    word |= word >> 16;
    word |= word >> 8;
    return (unsigned)word & 255u;
}

// what edges of these blocks of an eight will be placed by is on its way to the cache
TAC_INLINE void fetch_rows(const struct tacFeatureIndex* index, int eight, unsigned blocks) {
    for (; blocks; blocks &= blocks - 1) {
        const tacQuantizedEdges* rows =
            &index->rows[eight * TAC_EDGE_GROUP + __builtin_ctz(blocks)];
        __builtin_prefetch(rows);
        __builtin_prefetch((const char*)rows + 64);
    }
}

// edges of blocks that are near each other; what repeats the last edge is nowhere
TAC_INLINE void transform_near(const pairList* l, int group, ownGroup* g, tacEdgeItems near,
                               unsigned count) {
    const tacEdgeTest* t = l->test;
    const tacEdgePartnerSet* o = t->partner_set;
    uint64_t all = 0;
    for (unsigned n = 0; n < count; ++n) {
        unsigned there = nonzero_columns(near.word[n]) & ~(unsigned)o->transformed[near.other[n]];
        fetch_rows(l->index[1], (int)near.other[n], there);
        all |= near.word[n];
    }
    fetch_rows(l->index[0], group, nonzero_bytes(all));
    for (unsigned n = 0; n < count; ++n) {
        int at = (int)near.other[n];
        unsigned rest = nonzero_columns(near.word[n]) & ~(unsigned)o->transformed[at];
        for (o->transformed[at] |= (int)rest; rest; rest &= rest - 1) {
            int block = at * TAC_EDGE_GROUP + __builtin_ctz(rest);
            transform_others(&l->index[1]->rows[block], &t->transform[1],
                             l->edges[1] - block * EIGHT, &o->edges[block * TAC_EDGE_OTHER]);
        }
    }
    for (unsigned rest = nonzero_bytes(all); rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest), block = group * TAC_EDGE_GROUP + i;
        transform_own(&l->index[0]->rows[block], &t->transform[0], l->edges[0] - block * EIGHT,
                      &g->edges[i * TAC_EDGE_OWN]);
    }
}

//---------------------------------- groups ---------------------------------------

static void transform_partner(const pairList* l, int group) {
    const tacEdgePartnerSet* o = l->test->partner_set;
    const struct tacFeatureIndex* index = l->index[1];
    if (o->transformed[group] >= 0) return;
    o->transformed[group] = 0;
    transform_eight(l->test, 1, &index->block_float_boxes, group * TAC_EDGE_GROUP,
                    index->edge_blocks, &o->blocks[2 * TAC_BOX_ROWS * group]);
}

// pairs of a group and its partners
static void list_group(pairList* l, int group, int partners) {
    const tacEdgePartnerSet* o = l->test->partner_set;
    const tacEdgeItems* item = o->item;
    const struct tacFeatureIndex* index = l->index[0];
    ownGroup g;
    transform_own_eight(l->test, &index->block_float_boxes, group * TAC_EDGE_GROUP,
                        index->edge_blocks, g.blocks);
    for (int k = 0; k < partners; ++k) transform_partner(l, o->partner[k]);
    unsigned count = overlapping_blocks(o->blocks, o->partner, partners, &g, item[0]);
    transform_near(l, group, &g, item[0], count);
    count = overlapping_edges(o->edges, &g, item[0], count, item[1]);
    count = facing_edges(o->edges, &g, item[1], count, l->opposing, item[2]);
    list_items(l, group, item[2], count);
}

// i + j for each of eight bits j behind the others; how many there are then. Which bits are set
// cannot be predicted, so nothing branches on them; the list has room for that many more.
TAC_INLINE int append_bits(int* list_pairs, int count, unsigned bits, int i) {
    for (int j = 0; j < 8; ++j) {
        list_pairs[count] = i + j;
        count += (int)(bits >> j & 1u);
    }
    return count;
}

// pairs of eight groups from `first` on with others, `eights` of them
static void list_eight(pairList* l, int first, int groups, int eights) {
    const tacEdgePartnerSet* o = l->test->partner_set;
    _Alignas(32) int16_t own[2 * TAC_BOX_BROADCAST];
    uint64_t any = 0;
    transform_own_eight(l->test, &l->index[0]->group_float_boxes, first, groups, own);
    for (int k = 0; k < eights; ++k)
        any |= o->near[k] = eights_overlap(own, &o->groups[2 * TAC_BOX_ROWS * k]);
    for (unsigned rest = nonzero_bytes(any); rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest), partners = 0;
        for (int k = 0; k < eights; ++k)
            partners =
                append_bits(o->partner, partners, (unsigned)(o->near[k] >> 8 * i & 255u), 8 * k);
        list_group(l, first + i, partners);
    }
}

// all boxes of blocks on their way to the cache
static void fetch_boxes(const struct tacFeatureIndex* index) {
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < index->edge_blocks; i += 16) {
            __builtin_prefetch(&index->block_float_boxes.middle[k][i]);
            __builtin_prefetch(&index->block_float_boxes.half[k][i]);
        }
}

static int group_count(const struct tacFeatureIndex* index) {
    return (index->edge_blocks + TAC_EDGE_GROUP - 1) / TAC_EDGE_GROUP;
}

// product of unit vectors that may count, with room for its error
static shorts opposing_cutoff(const tacEdgeTest* test) {
    double cutoff = 1.5 * tac_re(test->opposing) * (1.0 + 0.5 * FLOAT_PARALLEL) + FACE_ERROR;
    return shorts_set(test->float_test ? (int16_t)fmin(cutoff * FACE_UNIT + 1.0, INT16_MAX)
                                       : INT16_MAX);
}

static int list_pairs(tacEdgeTest* test, int capacity, int* first, int* second) {
    pairList l = {.test = test};
    tacEdgePartnerSet* o = test->partner_set;
    for (int k = 0; k < 2; ++k) {
        l.index[k] = test->features[k]->index;
        l.edges[k] = test->features[k]->edges;
    }
    l.t = edge_tau(test->witness);
    l.cutoff = w_set(test->cutoff);
    l.opposing = opposing_cutoff(test);
    l.one = test->one;
    l.two = test->two;
    l.capacity = capacity;
    l.first = first;
    l.second = second;
    int groups[2] = {group_count(l.index[0]), group_count(l.index[1])};
    int eights = (groups[1] + EIGHT - 1) / EIGHT;
    for (int k = 0; k < 2; ++k) fetch_boxes(l.index[k]);
    for (int k = 0; k < eights; ++k)
        transform_eight(test, 1, &l.index[1]->group_float_boxes, EIGHT * k, groups[1],
                        &o->groups[2 * TAC_BOX_ROWS * k]);
    for (int i = 0; i < groups[1]; ++i) o->transformed[i] = -1;
    for (int i = 0; i < groups[0]; i += EIGHT) list_eight(&l, i, groups[0], eights);
    test_batch(&l);
    return l.count;
}

//---------------------------------- table ----------------------------------------

const tacEdgeSearchKernels TAC_KERNELS(tac_edge_search_kernels_) = {.lanes = TAC_LANES,
                                                                    .list_pairs = list_pairs};
