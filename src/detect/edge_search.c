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

// the widest vector of single precision
enum { PADDING = 16 };

// everything is within this distance
#define EVERYWHERE 1e30

// Softly, a witness point may lie beyond the end of its edge where "within" still holds it to be
// inside: by x sigma(-x/tau) of its length at most, which is below 0.2785 tau
#define BEYOND 0.2785

//---------------------------------- memory ---------------------------------------

static size_t blocks_of(const tacFeatures* f) {
    return (size_t)(f->index ? f->index->edge_blocks : 0) + PADDING;
}

static size_t side_size(const tacFeatures* f, size_t real_size) {
    size_t blocks = blocks_of(f), edges = TAC_FEATURE_BLOCK * blocks;
    return (12 + 6) * tac_arena_need(real_size * blocks) + 12 * tac_arena_need(real_size * edges) +
           3 * tac_arena_need(sizeof(int) * blocks) + tac_arena_need(sizeof(int) * edges);
}

size_t tac_edge_search_size(const tacFeatures* a, const tacFeatures* b, size_t real_size) {
    return side_size(a, real_size) + side_size(b, real_size) +
           tac_arena_need(sizeof(int) * blocks_of(a) * blocks_of(b)) +
           tac_arena_need(blocks_of(b)) + tac_arena_need(sizeof(int) * blocks_of(b));
}

static void take3(tacArena* arena, size_t count, tacReal* out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = TAC_TAKE(arena, tacReal, count);
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

static tacEdgePlaces take_places(tacArena* arena, const tacFeatures* f) {
    size_t edges = TAC_FEATURE_BLOCK * blocks_of(f);
    tacEdgePlaces p = {.edge = TAC_TAKE(arena, int, edges)};
    take3(arena, edges, p.from), take3(arena, edges, p.to);
    take_rough3(arena, edges, p.middle), take_rough3(arena, edges, p.half);
    take_rough3(arena, blocks_of(f), p.block), take_rough3(arena, blocks_of(f), p.around);
    return p;
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
    SEARCH->boxes(f->index->edge_box, f->index->edge_blocks, k, there[k], &other, reach, &boxes);
    return boxes;
}

// edges of a block behind the others; blocks before the last one are whole
static void add_block(tacEdgePlaces* p, const tacFeatures* f, int block) {
    int first = block * TAC_FEATURE_BLOCK, end = first + TAC_FEATURE_BLOCK;
    for (int e = first; e < end && e < f->edges; ++e) p->edge[p->count++] = e;
}

// Blocks that are near some of the other geom become places, in order; `near` counts in those.
static tacEdgeNear find_near(const tacEdgeSearch* s, const tacEdgeBoxes boxes[2], tacReal reach,
                             tacEdgePlaces places[2], tacArena* arena) {
    int *first = TAC_TAKE(arena, int, boxes[0].count + 1), total = 0, count = 0;
    int* number = TAC_TAKE(arena, int, boxes[1].count + 1);
    int* near = TAC_TAKE(arena, int, (size_t)boxes[0].count*(size_t)boxes[1].count + PADDING);
    memset(number, 0, sizeof *number * (size_t)(boxes[1].count + 1));
    for (int i = 0; i < boxes[0].count; ++i) {
        int found = SEARCH->near(&boxes[0], i, &boxes[1], reach, &near[total]);
        if (found == 0) continue;
        add_block(&places[0], s->features[0], boxes[0].block[i]);
        first[count++] = total, total += found;
        for (int j = total - found; j < total; ++j) number[near[j]] = 1;
    }
    first[count] = total;
    for (int j = 0, used = 0; j < boxes[1].count; ++j) {
        if (!number[j]) continue;
        add_block(&places[1], s->features[1], boxes[1].block[j]);
        number[j] = used++;
    }
    for (int i = 0; i < total; ++i) near[i] = number[near[i]];
    return (tacEdgeNear){count, first, near};
}

//---------------------------------- pairs ----------------------------------------

static int is_bounded(const tacWitnessOptions* o) { return tac_re(o->range) > 0.0 && !o->exact; }

static int is_solid(const tacFeatures* f) { return f->index->radius < 0; }

static int list_pairs(const tacEdgeSearch* s, tacEdgePlaces places[2], const tacEdgeNear* near,
                      tacReal apart, int capacity, int* first, int* second, tacArena* arena) {
    double stretch = 1.0 + 2.0 * BEYOND * tac_re(s->witness->within);
    size_t blocks = blocks_of(s->features[1]);
    tacEdgeTest test = {.places = {&places[0], &places[1]},
                        .features = {s->features[0], s->features[1]},
                        .across = s->across,
                        .witness = s->witness,
                        .apart = apart,
                        .reach = s->reach,
                        .clash = s->clash,
                        .bounded = is_bounded(s->witness),
                        .solid = is_solid(s->features[0]) && is_solid(s->features[1]),
                        .mask = TAC_TAKE(arena, unsigned char, blocks),
                        .block = TAC_TAKE(arena, int, blocks),
                        .one = TAC_TAKE(arena, int, TAC_EDGE_ROOM),
                        .two = TAC_TAKE(arena, int, TAC_EDGE_ROOM)};
    SEARCH->place(s->features[0], NULL, stretch, &places[0]);
    SEARCH->place(s->features[1], s->across, stretch, &places[1]);
    int count = SEARCH->list(&test, near, capacity, first, second);
    for (int i = 0; i < count && i < capacity; ++i)
        first[i] = places[0].edge[first[i]], second[i] = places[1].edge[second[i]];
    return count;
}

int tac_edge_search(const tacEdgeSearch* s, int capacity, int* first, int* second,
                    tacArena* arena) {
    size_t mark = arena->used;
    tacReal apart = s->all ? (tacReal)EVERYWHERE : s->reach;
    tacEdgeBoxes boxes[2] = {list_boxes(s, 0, apart, arena), list_boxes(s, 1, apart, arena)};
    int count = 0;
    if (boxes[0].count && boxes[1].count) {
        tacEdgePlaces places[2] = {take_places(arena, s->features[0]),
                                   take_places(arena, s->features[1])};
        tacEdgeNear near = find_near(s, boxes, apart, places, arena);
        if (near.count) count = list_pairs(s, places, &near, apart, capacity, first, second, arena);
    }
    arena->used = mark;
    return count;
}
