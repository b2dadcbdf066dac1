// Balls around blocks of vertices, the leaves near them, and the vertices of those blocks.
//
//   blocks --field's box--> balls --leaves in lanes--> vertices of a block --leaves--> needs

#include "detect/near_leaves.h"

#include "base/fetch.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define VERTICES TAC_DISPATCH(tac_vertex_kernels_)

// Balls of a few blocks are worked with on the stack, which is warm whichever model is asked   [B]
#define WARM ((size_t)4 << 10)

//---------------------------------- balls ----------------------------------------

// points or balls around blocks in axes of the field's body
typedef struct roughBalls {
    int count;
    int* block;
    float *x[3], *radius;
    uint64_t *is_near, *is_far; // leaves
} roughBalls;

static size_t rough_size(int count) {
    size_t n = (size_t)count;
    return 5 * tac_arena_need(sizeof(float) * n) + 2 * tac_arena_need(sizeof(uint64_t) * n);
}

static roughBalls take_rough(tacArena* arena, int count) {
    roughBalls b = {count, TAC_TAKE(arena, int, count), {NULL}, TAC_TAKE(arena, float, count), NULL,
                    NULL};
    for (int k = 0; k < 3; ++k) b.x[k] = TAC_TAKE(arena, float, count);
    b.is_near = TAC_TAKE(arena, uint64_t, count);
    b.is_far = TAC_TAKE(arena, uint64_t, count);
    return b;
}

// more than single precision rounds the place of a feature by
static double rounding(const tacVertexSide* side) {
    const tacFeatureBox* all = &side->features->index->all;
    double far = 0.0;
    for (int k = 0; k < 3; ++k)
        far += fabs(tac_re(side->place.across.origin[k])) + fabs(all->middle[k]) + all->half[k];
    return 2e-6 * far;
}

// the box around where a field is below the range, as floats, wider by what they round
typedef struct roughBox {
    float middle[3], half[3];
} roughBox;

static roughBox near_box(const tacVertexSide* side, const tacVertexRange* range) {
    int known = tac_vertex_range(side, range) <= side->range;
    roughBox r;
    for (int k = 0; k < 3; ++k) {
        double at = side->box.middle[k], half = side->box.half[k] + rounding(side);
        r.middle[k] = (float)at;
        r.half[k] = known ? (float)(half + 1e-6 * (fabs(at) + half)) : 1e30f;
    }
    return r;
}

// balls around blocks that meet the box; nothing branches on which do
static void place_rough(const tacVertexSide* side, const roughBox* box, roughBalls* b) {
    const struct tacFeatureIndex* index = side->features->index;
    const tacFrame* f = &side->place.across;
    float R[3][3], origin[3];
    for (int k = 0; k < 3; ++k) {
        origin[k] = (float)tac_re(f->origin[k]);
        for (int j = 0; j < 3; ++j) R[k][j] = (float)tac_re(f->R.m[k][j]);
    }
    b->count = 0;
    for (int i = 0; i < index->blocks; ++i) {
        float x = index->ball[0][i], y = index->ball[1][i], z = index->ball[2][i], out = -1e30f;
        for (int k = 0; k < 3; ++k) {
            float at = origin[k] + R[k][0] * x + R[k][1] * y + R[k][2] * z;
            float gap = fabsf(at - box->middle[k]) - box->half[k];
            b->x[k][b->count] = at;
            out = out > gap ? out : gap;
        }
        b->radius[b->count] = index->wide[i];
        b->block[b->count] = i;
        b->count += out < index->wide[i];
    }
}

// How far leaves matter: below `near` one decides on vertices, and is left out unless it is below
// its `far`. Of a field that ends that is its end, and it is asked at each vertex: what is below it
// there is all that matters.
typedef struct leafRange {
    float near, far[64];
    int ends;
    roughBox box;
} leafRange;

static leafRange leaf_range(const tacVertexSide* side, const tacVertexRange* range) {
    double near = tac_vertex_range(side, range) + tac_re(side->rise) + rounding(side);
    double end = side->end + rounding(side);
    leafRange r = {.near = (float)(1.000001 * near),
                   .ends = side->end > near && side->leaves <= TAC_LISTED_LEAVES,
                   .box = near_box(side, range)};
    for (int n = 0; n < side->leaves; ++n) {
        double far = near + side->culling.node[n].reach;
        r.far[n] = (float)(1.000001 * (r.ends ? end : far));
    }
    return r;
}

int tac_has_leaves(const tacVertexSide* side, const tacVertexRange* range) {
    return side->leaves && !range->all &&
           !(side->end > 0.0 && side->end <= tac_vertex_range(side, range) + tac_re(side->rise));
}

// vertices of blocks that are near a leaf, and leaves that matter to them, on their way to the
// cache
static void fetch_near(const tacVertexSide* side, const leafRange* limit, const roughBalls* b) {
    uint64_t seen = 0;
    for (int i = 0; i < b->count; ++i) {
        if (!b->is_near[i]) continue;
        seen |= b->is_far[i];
        for (int k = 0; k < 3; ++k)
            __builtin_prefetch(&side->features->x[k][b->block[i] * TAC_FEATURE_BLOCK]);
    }
    for (; seen; seen &= seen - 1) {
        int leaf = __builtin_ctzll(seen);
        if (!limit->ends) tac_fetch(&side->culling.leaf[leaf], sizeof(tacRough));
        tac_fetch(&side->program.bound[leaf], offsetof(tacBound, about));
    }
}

// Leaves near the balls around blocks. Those of a few are worked with on the stack, `warm`
static roughBalls near_leaves(tacVertexSide* side, const leafRange* limit, tacArena* warm,
                              tacArena* arena) {
    int count = side->features->index->blocks;
    roughBalls b = take_rough(rough_size(count) <= warm->size ? warm : arena, count);
    side->seen = 0;
    place_rough(side, &limit->box, &b);
    VERTICES->leaves(side->rough, side->leaves, (const float* const*)b.x, b.radius, limit->near,
                     limit->far, b.is_near, b.is_far, b.count);
    fetch_near(side, limit, &b);
    return b;
}

// A union of leaves: those that are near a block decide on its vertices, and those that are not
// even far are left out of the field there.
static tacLeafNeeds search_leaves(tacVertexSide* side, const leafRange* limit,
                                  tacScratch* scratch) {
    _Alignas(TAC_ALIGNMENT) char memory[WARM];
    tacArena warm = {memory, WARM, 0};
    tacHits* near = &side->near;
    int count = side->features->index->blocks;
    uint64_t* need = TAC_TAKE(&scratch->arena, uint64_t, count + 1);
    size_t mark = scratch->arena.used;
    roughBalls b = near_leaves(side, limit, &warm, &scratch->arena);
    memset(need, 0, sizeof *need * (size_t)(count + 1));
    for (int i = 0; i < b.count; ++i) {
        if (!b.is_near[i]) continue;
        int first = near->count;
        near->count =
            VERTICES->vertices(side->rough, b.is_near[i], limit->near, &side->place.across,
                               side->features, b.block[i], near->vertex, first);
        if (near->count == first) continue;
        for (int g = first / TAC_CULL_GROUP; g <= (near->count - 1) / TAC_CULL_GROUP; ++g)
            need[g] |= b.is_far[i];
        side->seen |= b.is_far[i];
    }
    scratch->arena.used = mark;
    return (tacLeafNeeds){need, 1, NULL, 0};
}

// needs of points that come a few at a time; those of the last group are open, and may reach into
// the next one
typedef struct needList {
    tacLeafNeed* need;
    int count, group;
    uint64_t open;     // leaves
    uint16_t bits[64]; // of the points of two groups
} needList;

static void close_group(needList* l) {
    uint64_t left = 0;
    for (uint64_t rest = l->open; rest; rest &= rest - 1) {
        int leaf = __builtin_ctzll(rest);
        uint8_t own = (uint8_t)(l->bits[leaf] & 255);
        l->need[l->count] = (tacLeafNeed){l->group, (uint8_t)leaf, own};
        l->count += own != 0;
        l->bits[leaf] = (uint16_t)(l->bits[leaf] >> 8);
        left |= (uint64_t)(l->bits[leaf] != 0) << leaf;
    }
    l->open = left;
    ++l->group;
}

// near vertices of a block behind the others, with what they need
static void add_near(tacHits* near, int block, unsigned is_near, const tacLeafNeed* need, int needs,
                     needList* out) {
    int lane[TAC_FEATURE_BLOCK], count = 0, at = near->count % TAC_LISTED_GROUP;
    for (; is_near; is_near &= is_near - 1) lane[count++] = __builtin_ctz(is_near);
    for (int j = 0; j < count; ++j)
        near->vertex[near->count++] = block * TAC_FEATURE_BLOCK + lane[j];
    for (int k = 0; k < needs; ++k) {
        unsigned bits = 0;
        for (int j = 0; j < count; ++j) bits |= (need[k].bits >> lane[j] & 1u) << j;
        out->bits[need[k].leaf] |= (uint16_t)(bits << at);
        out->open |= (uint64_t)1 << need[k].leaf;
    }
    if (at + count >= TAC_LISTED_GROUP) close_group(out);
}

// One that ends: leaves that are not below it at a vertex are left out of the field there
static tacLeafNeeds search_ending(tacVertexSide* side, const leafRange* limit,
                                  tacScratch* scratch) {
    _Alignas(TAC_ALIGNMENT) char memory[WARM];
    tacArena warm = {memory, WARM, 0};
    int count = side->features->index->blocks;
    needList all = {.need = TAC_TAKE(&scratch->arena, tacLeafNeed, (count + 1) * side->leaves)};
    size_t mark = scratch->arena.used;
    roughBalls b = near_leaves(side, limit, &warm, &scratch->arena);
    for (int i = 0; i < b.count; ++i) {
        tacLeafNeed own[TAC_LISTED_LEAVES];
        int needs;
        if (!b.is_near[i]) continue;
        unsigned is_near =
            VERTICES->needs(side->rough, b.is_far[i], limit->near, limit->far[0],
                            &side->place.across, side->features, b.block[i], own, &needs);
        if (!is_near) continue;
        add_near(&side->near, b.block[i], is_near, own, needs, &all);
        side->seen |= b.is_far[i];
    }
    if (all.open) close_group(&all);
    scratch->arena.used = mark;
    return (tacLeafNeeds){NULL, 0, all.need, all.count};
}

tacLeafNeeds tac_search_leaves(tacVertexSide* side, const tacVertexRange* range,
                               tacScratch* scratch) {
    leafRange limit = leaf_range(side, range);
    return (limit.ends ? search_ending : search_leaves)(side, &limit, scratch);
}

//---------------------------------- points ---------------------------------------

// needs of points, in groups, from their bits of leaves
static tacLeafNeeds group_needs(uint64_t* bits, int count) {
    for (int i = 0; i < count; ++i) {
        int g = i / TAC_CULL_GROUP;
        bits[g] = i % TAC_CULL_GROUP ? bits[g] | bits[i] : bits[i];
    }
    return (tacLeafNeeds){bits, 1, NULL, 0};
}

static tacLeafNeeds listed_needs(const uint64_t* bits, int count, int leaves, tacArena* arena) {
    int groups = (count + TAC_LISTED_GROUP - 1) / TAC_LISTED_GROUP, all = 0;
    tacLeafNeed* need = TAC_TAKE(arena, tacLeafNeed, groups * leaves);
    for (int g = 0; g < groups; ++g) {
        const uint64_t* own = &bits[g * TAC_LISTED_GROUP];
        int end = count - g * TAC_LISTED_GROUP;
        uint64_t any = 0;
        for (int j = 0; j < TAC_LISTED_GROUP && j < end; ++j) any |= own[j];
        for (; any; any &= any - 1) {
            tacLeafNeed n = {g, (uint8_t)__builtin_ctzll(any), 0};
            for (int j = 0; j < TAC_LISTED_GROUP && j < end; ++j)
                n.bits |= (uint8_t)((own[j] >> n.leaf & 1u) << j);
            need[all++] = n;
        }
    }
    return (tacLeafNeeds){NULL, 0, need, all};
}

tacLeafNeeds tac_leaves_at(const tacVertexSide* side, const tacVertexRange* range,
                           const tacHits* hits, tacArena* arena) {
    leafRange limit = leaf_range(side, range);
    roughBalls b = take_rough(arena, hits->count);
    for (int i = 0; i < hits->count; ++i) {
        for (int k = 0; k < 3; ++k) b.x[k][i] = (float)tac_re(hits->y[k][i]);
        b.radius[i] = 0.0f;
    }
    VERTICES->leaves(side->rough, side->leaves, (const float* const*)b.x, b.radius, limit.near,
                     limit.far, b.is_near, b.is_far, hits->count);
    return limit.ends ? listed_needs(b.is_far, hits->count, side->leaves, arena)
                      : group_needs(b.is_far, hits->count);
}
