// Which edges of two geoms can meet.
//
//   groups of blocks near the other geom --boxes, in axes of both bodies--> blocks near each other
//        --edges' boxes, faces beside, roughly--> pairs --perpendicular, faces--> pairs that count
//
// No corner has to be near: an edge can be in touch while both are outside.

#include "detect/edge_search.h"

#include "detect/edge_search_kernels.h"

#include <string.h>

#define SEARCH TAC_DISPATCH(tac_edge_search_kernels_)

enum { PADDING = TAC_ROUGH_PADDING };

// everything is within this distance
#define EVERYWHERE 1e30

// Softly, a witness point may lie beyond the end of its edge where "within" still holds it to be
// inside: by x sigma(-x/tau) of its length at most, which is below 0.2785 tau
#define BEYOND 0.2785

// A small search works on the stack, which is warm whichever model is looked at                [B]
#define WARM ((size_t)224 << 10)

//---------------------------------- memory ---------------------------------------

static size_t blocks_of(const tacFeatures* f) {
    return (size_t)(f->index ? f->index->edge_blocks : 0);
}

static size_t groups_of(const tacFeatures* f) {
    return (blocks_of(f) + TAC_EDGE_GROUP - 1) / TAC_EDGE_GROUP;
}

// whole vectors behind each group
static size_t boxes_of(const tacFeatures* f) { return groups_of(f) * PADDING + PADDING; }

// all blocks of a group with all others; stage 1: all of its edges
static size_t items_of(const tacFeatures* f, int stage) {
    size_t own = stage ? TAC_EDGE_GROUP * TAC_FEATURE_BLOCK : TAC_EDGE_GROUP;
    return own * blocks_of(f) + 1;
}

static size_t boxes_size(size_t count) {
    return 12 * tac_arena_need(sizeof(float) * count) + tac_arena_need(sizeof(int) * count);
}

// `room` numbers of a block that is placed
static size_t size_of(const tacFeatures* a, const tacFeatures* b, size_t room) {
    size_t groups = groups_of(b) + PADDING, blocks = boxes_of(b);
    return boxes_size(groups_of(a) + PADDING) + boxes_size(2 * PADDING) + boxes_size(groups) +
           boxes_size(blocks) + 3 * tac_arena_need(sizeof(int) * (groups + PADDING)) +
           tac_arena_need(sizeof(int) * blocks) + tac_arena_need(sizeof(tacEdgeItem) * blocks) +
           tac_arena_need(sizeof(tacEdgeItem) * items_of(b, 0)) +
           tac_arena_need(sizeof(tacEdgeItem) * items_of(b, 1)) +
           tac_arena_need(sizeof(float) * room * (blocks_of(b) + 1)) +
           2 * tac_arena_need(sizeof(int) * TAC_EDGE_ROOM);
}

size_t tac_edge_search_size(const tacFeatures* a, const tacFeatures* b) {
    return size_of(a, b, TAC_EDGE_PLACE);
}

static tacEdgeBoxes take_boxes(tacArena* arena, size_t count) {
    tacEdgeBoxes b = {.block = TAC_TAKE(arena, int, count)};
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 3; ++k) {
            b.middle[i][k] = TAC_TAKE(arena, float, count);
            b.half[i][k] = TAC_TAKE(arena, float, count);
        }
    return b;
}

static tacEdgeOthers take_others(const tacFeatures* f, tacArena* arena) {
    size_t groups = groups_of(f) + PADDING, blocks = boxes_of(f);
    tacEdgeOthers o = {.group = take_boxes(arena, groups), .block = take_boxes(arena, blocks)};
    o.first = TAC_TAKE(arena, int, groups), o.end = TAC_TAKE(arena, int, groups);
    o.partner = TAC_TAKE(arena, int, groups + PADDING);
    o.place = TAC_TAKE(arena, int, blocks), o.near = TAC_TAKE(arena, tacEdgeItem, blocks);
    for (int i = 0; i < 2; ++i) o.item[i] = TAC_TAKE(arena, tacEdgeItem, items_of(f, i));
    o.row = TAC_TAKE(arena, float, (size_t)SEARCH->room*(blocks_of(f) + 1));
    return o;
}

//---------------------------------- frames ---------------------------------------

// sum of all coordinates that there are
static double extent_of(const tacEdgeSearch* s) {
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += fabs(tac_re(s->across->origin[k]));
        for (int i = 0; i < 2; ++i) {
            const tacFeatureBox* all = &s->features[i]->index->all;
            sum += fabs(all->middle[k]) + all->half[k];
        }
    }
    return sum;
}

// the box around all of a geom, in both axes; `there` leads from its own to the other ones
static tacEdgeBox whole_box(const tacFeatures* f, int own, const tacFrame* there) {
    const tacFeatureBox* all = &f->index->all;
    tacEdgeBox box;
    for (int i = 0; i < 3; ++i) {
        box.middle[own][i] = all->middle[i], box.half[own][i] = all->half[i];
        box.middle[1 - own][i] = there->origin[i], box.half[1 - own][i] = 0.0;
        for (int k = 0; k < 3; ++k) {
            box.middle[1 - own][i] += there->R.m[i][k] * all->middle[k];
            box.half[1 - own][i] += fabs(tac_re(there->R.m[i][k])) * all->half[k];
        }
    }
    return box;
}

// Rows of a geom in axes of geom[0]. Middles are off by 1/65534 of a half side, directions by
// sqrt(3)/254; boxes are wider than that and than single precision rounds.
static tacEdgePlacing placing_of(const tacEdgeSearch* s, int k, const tacFrame* across,
                                 double apart) {
    const struct tacFeatureIndex* index = s->features[k]->index;
    double longest = index->longest * (1.0 + 2.0 * BEYOND * tac_re(s->witness->within));
    tacEdgePlacing p = {.half = (float)(1.000001 * longest / 127.0)};
    p.more = (float)(1.000001 * apart + 2e-5 * extent_of(s) + 0.007 * longest);
    for (int i = 0; i < 3; ++i) {
        double origin = tac_re(across->origin[i]);
        for (int j = 0; j < 3; ++j) {
            double R = tac_re(across->R.m[i][j]);
            origin += R * index->all.middle[j];
            p.middle[i][j] = (float)(R * index->all.half[j] / 32767.0);
            p.turn[i][j] = (float)(R / 127.0);
        }
        p.origin[i] = (float)origin;
    }
    return p;
}

//---------------------------------- all of it ------------------------------------

static int is_bounded(const tacWitnessOptions* o) { return tac_re(o->range) > 0.0 && !o->exact; }

static int both_solid(const tacEdgeSearch* s) {
    return s->features[0]->index->radius < 0 && s->features[1]->index->radius < 0;
}

static tacEdgeTest test_of(const tacEdgeSearch* s) {
    const tacFrame same = {.R.m = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, *there[2];
    tacReal apart = s->all ? (tacReal)EVERYWHERE : s->reach;
    tacEdgeTest test = {.across = s->across,
                        .apart = apart,
                        .witness = s->witness,
                        .reach = s->reach,
                        .clash = s->clash,
                        .bounded = is_bounded(s->witness),
                        .solid = both_solid(s),
                        .rough = !s->all && is_bounded(s->witness) && both_solid(s)};
    there[0] = s->back, there[1] = s->across;
    for (int k = 0; k < 2; ++k) {
        test.features[k] = s->features[k];
        test.frame[k] = (tacEdgeFrame){there[k], 1e-6 * extent_of(s)};
        test.around[k] = whole_box(s->features[k], k, there[k]);
    }
    test.placing[0] = placing_of(s, 0, &same, tac_re(apart));
    test.placing[1] = placing_of(s, 1, s->across, 0.0);
    return test;
}

static int search(const tacEdgeSearch* s, int capacity, int* first, int* second, tacArena* arena) {
    tacEdgeTest test = test_of(s);
    tacEdgeOthers others = take_others(s->features[1], arena);
    test.group = take_boxes(arena, groups_of(s->features[0]) + PADDING);
    test.block = take_boxes(arena, 2 * PADDING), test.others = &others;
    test.one = TAC_TAKE(arena, int, TAC_EDGE_ROOM), test.two = TAC_TAKE(arena, int, TAC_EDGE_ROOM);
    return SEARCH->list(&test, capacity, first, second);
}

static int search_warm(const tacEdgeSearch* s, int capacity, int* first, int* second) {
    _Alignas(TAC_ALIGNMENT) char memory[WARM];
    tacArena arena = {memory, WARM, 0};
    return search(s, capacity, first, second, &arena);
}

int tac_edge_search(const tacEdgeSearch* s, int capacity, int* first, int* second,
                    tacArena* arena) {
    size_t mark = arena->used, room = (size_t)SEARCH->room;
    int small = size_of(s->features[0], s->features[1], room) <= WARM;
    int count =
        small ? search_warm(s, capacity, first, second) : search(s, capacity, first, second, arena);
    arena->used = mark;
    return count;
}
