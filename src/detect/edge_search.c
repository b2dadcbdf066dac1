// Which edges of two geoms can meet.
//
//   blocks near the other geom --boxes, in axes of both bodies--> blocks near each other
//        --edges' boxes--> pairs --perpendicular, faces beside--> pairs that may count
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

//---------------------------------- memory ---------------------------------------

static size_t blocks_of(const tacFeatures* f) {
    return (size_t)(f->index ? f->index->edge_blocks : 0) + PADDING;
}

static size_t edges_of(const tacFeatures* f) { return TAC_FEATURE_BLOCK * blocks_of(f); }

static size_t side_size(const tacFeatures* f) {
    size_t blocks = blocks_of(f);
    return (12 + 6) * tac_arena_need(sizeof(float) * blocks) +
           6 * tac_arena_need(sizeof(double) * edges_of(f)) +
           (6 + 9) * tac_arena_need(sizeof(float) * edges_of(f)) +
           5 * tac_arena_need(sizeof(int) * blocks);
}

size_t tac_edge_search_size(const tacFeatures* a, const tacFeatures* b) {
    return side_size(a) + side_size(b) + tac_arena_need(sizeof(int) * blocks_of(a) * blocks_of(b)) +
           tac_arena_need(sizeof(uint64_t) * blocks_of(b)) + 2 * tac_arena_need(sizeof(int) * TAC_EDGE_ROOM);
}

static void take_rough3(tacArena* arena, size_t count, float* out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = TAC_TAKE(arena, float, count);
}

static tacEdgeBoxes take_boxes(tacArena* arena, const tacFeatures* f) {
    tacEdgeBoxes b = {.block = TAC_TAKE(arena, int, blocks_of(f)),
                      .room = TAC_TAKE(arena, int, blocks_of(f))};
    for (int i = 0; i < 2; ++i)
        take_rough3(arena, blocks_of(f), b.middle[i]), take_rough3(arena, blocks_of(f), b.half[i]);
    return b;
}

static tacEdgePlaces take_places(tacArena* arena, const tacFeatures* f, int flanks) {
    tacEdgePlaces p = {0};
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < 3; ++k) p.end[end][k] = TAC_TAKE(arena, double, edges_of(f));
    take_rough3(arena, edges_of(f), p.box.middle), take_rough3(arena, edges_of(f), p.box.half);
    take_rough3(arena, blocks_of(f), p.block.middle);
    take_rough3(arena, blocks_of(f), p.block.half);
    for (int i = 0; i < 3 && flanks; ++i) take_rough3(arena, edges_of(f), p.flank[i]);
    return p;
}

static double stretch_of(const tacEdgeSearch* s) {
    return 1.0 + 2.0 * BEYOND * tac_re(s->witness->within);
}

//---------------------------------- blocks ---------------------------------------

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

static tacEdgeBoxes list_boxes(const tacEdgeSearch* s, int k, tacReal reach, tacArena* arena) {
    const tacFrame* there[2] = {s->back, s->across};
    const tacFeatures* f = s->features[k];
    tacEdgeBoxes boxes = take_boxes(arena, f);
    tacEdgeBox other = whole_box(s->features[1 - k], 1 - k, there[1 - k]);
    SEARCH->boxes(f->index, k, there[k], &other, reach, &boxes);
    return boxes;
}

// Pairs of blocks that are near each other; edges of those of geom[1] are placed.
static tacEdgeNear find_near(const tacEdgeSearch* s, const tacEdgeBoxes boxes[2], tacReal reach,
                             const tacEdgePlaces* places, tacArena* arena) {
    int *first = TAC_TAKE(arena, int, boxes[0].count + 1), total = 0, count = 0;
    int *block = TAC_TAKE(arena, int, boxes[0].count + 1),
        *used = TAC_TAKE(arena, int, boxes[1].count + 1);
    int* near = TAC_TAKE(arena, int, (size_t)boxes[0].count*(size_t)boxes[1].count + PADDING);
    memset(used, 0, sizeof *used * (size_t)(boxes[1].count + 1));
    for (int i = 0; i < boxes[0].count; ++i) {
        int found = SEARCH->near(&boxes[0], i, &boxes[1], reach, &near[total]);
        if (found == 0) continue;
        block[count] = boxes[0].block[i], first[count++] = total;
        for (int j = total; j < total + found; ++j)
            used[near[j]] = 1, near[j] = boxes[1].block[near[j]];
        total += found;
    }
    first[count] = total;
    for (int j = 0; j < boxes[1].count; ++j)
        if (used[j])
            SEARCH->place(s->features[1], boxes[1].block[j], s->across, stretch_of(s), places);
    return (tacEdgeNear){count, block, first, near};
}

//---------------------------------- pairs ----------------------------------------

static int is_bounded(const tacWitnessOptions* o) { return tac_re(o->range) > 0.0 && !o->exact; }

static int both_solid(const tacEdgeSearch* s) {
    return s->features[0]->index->radius < 0 && s->features[1]->index->radius < 0;
}

static int list_pairs(const tacEdgeSearch* s, const tacEdgePlaces* places, const tacEdgeNear* near,
                      tacReal apart, int capacity, int* first, int* second, tacArena* arena) {
    size_t blocks = blocks_of(s->features[1]);
    tacEdgeTest test = {.features = {s->features[0], s->features[1]},
                        .places = places,
                        .stretch = stretch_of(s),
                        .across = s->across,
                        .witness = s->witness,
                        .apart = apart,
                        .reach = s->reach,
                        .clash = s->clash,
                        .bounded = is_bounded(s->witness),
                        .solid = both_solid(s),
                        .met = TAC_TAKE(arena, uint64_t, blocks),
                        .one = TAC_TAKE(arena, int, TAC_EDGE_ROOM),
                        .two = TAC_TAKE(arena, int, TAC_EDGE_ROOM)};
    return SEARCH->list(&test, near, capacity, first, second);
}

int tac_edge_search(const tacEdgeSearch* s, int capacity, int* first, int* second,
                    tacArena* arena) {
    size_t mark = arena->used;
    tacReal apart = s->all ? (tacReal)EVERYWHERE : s->reach;
    tacEdgeBoxes boxes[2] = {list_boxes(s, 0, apart, arena), list_boxes(s, 1, apart, arena)};
    int count = 0;
    if (boxes[0].count && boxes[1].count) {
        int flanks = !s->all && is_bounded(s->witness) && both_solid(s);
        tacEdgePlaces places = take_places(arena, s->features[1], flanks);
        tacEdgeNear near = find_near(s, boxes, apart, &places, arena);
        if (near.count)
            count = list_pairs(s, &places, &near, apart, capacity, first, second, arena);
    }
    arena->used = mark;
    return count;
}
