// Which edges of two geoms can meet.
//
//   blocks near the other geom --boxes, in axes of both bodies--> blocks near each other
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

//---------------------------------- memory ---------------------------------------

static size_t blocks_of(const tacFeatures* f) {
    return (size_t)(f->index ? f->index->edge_blocks : 0) + PADDING;
}

static size_t side_size(const tacFeatures* f) {
    size_t blocks = blocks_of(f);
    return 12 * tac_arena_need(sizeof(float) * blocks) +
           tac_arena_need(sizeof(float) * TAC_EDGE_PLACE * blocks) +
           4 * tac_arena_need(sizeof(int) * blocks);
}

size_t tac_edge_search_size(const tacFeatures* a, const tacFeatures* b) {
    return side_size(a) + side_size(b) + tac_arena_need(sizeof(int) * blocks_of(a) * blocks_of(b)) +
           tac_arena_need(sizeof(uint64_t) * blocks_of(b)) +
           2 * tac_arena_need(sizeof(int) * TAC_EDGE_ROOM);
}

static void take_rough3(tacArena* arena, size_t count, float* out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = TAC_TAKE(arena, float, count);
}

static tacEdgeBoxes take_boxes(tacArena* arena, const tacFeatures* f) {
    tacEdgeBoxes b = {.block = TAC_TAKE(arena, int, blocks_of(f))};
    for (int i = 0; i < 2; ++i)
        take_rough3(arena, blocks_of(f), b.middle[i]), take_rough3(arena, blocks_of(f), b.half[i]);
    return b;
}

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

// boxes are wider than single precision rounds
static tacEdgeFrame frame_of(const tacEdgeSearch* s, const tacFrame* across, double apart) {
    double stretch = 1.0 + 2.0 * BEYOND * tac_re(s->witness->within);
    return (tacEdgeFrame){across, stretch, 1.000001 * apart + 1e-6 * extent_of(s)};
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
    tacEdgeFrame frame = frame_of(s, there[k], 0.0);
    SEARCH->boxes(f->index, k, &frame, &other, reach, &boxes);
    return boxes;
}

// Pairs of blocks that are near each other; edges of those of geom[1] are placed.
static tacEdgeNear find_near(const tacEdgeSearch* s, const tacEdgeBoxes boxes[2], tacReal reach,
                             tacArena* arena) {
    int *first = TAC_TAKE(arena, int, boxes[0].count + 1), total = 0, count = 0;
    int *block = TAC_TAKE(arena, int, boxes[0].count + 1),
        *used = TAC_TAKE(arena, int, boxes[1].count + 1);
    int* near = TAC_TAKE(arena, int, (size_t)boxes[0].count*(size_t)boxes[1].count + PADDING);
    memset(used, 0, sizeof *used * (size_t)(boxes[1].count + 1));
    for (int i = 0; i < boxes[0].count; ++i) {
        int found = SEARCH->near(&boxes[0], i, &boxes[1], reach, &near[total]);
        if (found == 0) continue;
        block[count] = boxes[0].block[i], first[count++] = total;
        for (int j = total; j < total + found; ++j) used[near[j]] = 1;
        total += found;
    }
    first[count] = total;
    float* place = TAC_TAKE(arena, float, TAC_EDGE_PLACE*(size_t)boxes[1].count);
    tacEdgeFrame frame = frame_of(s, s->across, 0.0);
    for (int j = 0; j < boxes[1].count; ++j)
        if (used[j])
            SEARCH->place(s->features[1]->index, boxes[1].block[j], &frame,
                          &place[j * SEARCH->room]);
    return (tacEdgeNear){count, block, first, near, boxes[1].block, place};
}

//---------------------------------- pairs ----------------------------------------

static int is_bounded(const tacWitnessOptions* o) { return tac_re(o->range) > 0.0 && !o->exact; }

static int both_solid(const tacEdgeSearch* s) {
    return s->features[0]->index->radius < 0 && s->features[1]->index->radius < 0;
}

static int list_pairs(const tacEdgeSearch* s, const tacEdgeNear* near, tacReal apart, int capacity,
                      int* first, int* second, tacArena* arena) {
    const tacFrame same = {.R.m = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    size_t blocks = blocks_of(s->features[1]);
    tacEdgeTest test = {.features = {s->features[0], s->features[1]},
                        .across = s->across,
                        .own = frame_of(s, &same, tac_re(apart)),
                        .witness = s->witness,
                        .reach = s->reach,
                        .clash = s->clash,
                        .bounded = is_bounded(s->witness),
                        .solid = both_solid(s),
                        .rough = !s->all && is_bounded(s->witness) && both_solid(s),
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
        tacEdgeNear near = find_near(s, boxes, apart, arena);
        if (near.count) count = list_pairs(s, &near, apart, capacity, first, second, arena);
    }
    arena->used = mark;
    return count;
}
