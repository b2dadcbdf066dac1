// Balls around blocks of vertices, the leaves near them, and the vertices of those blocks.
//
//   blocks --field's box--> balls --leaves in lanes--> vertices of a block --leaves--> needs

#include "detect/field/leaf_culling.h"

#include "base/prefetch.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define VERTICES TAC_DISPATCH(tac_vertex_kernels_)

// Balls of so many blocks lie on the stack, which is warm whichever model is asked. A multiple of
// 16, so that each of their arrays fills whole TAC_ALIGNMENT
enum { STACK_BALLS = 112, BALL_BYTES = 4 * sizeof(float) + sizeof(int) + 2 * sizeof(uint64_t) };

//---------------------------------- balls ----------------------------------------

static tacLeafBalls alloc_float_balls(tacArena* arena, int count) {
    tacLeafBalls b = {
        count, TAC_ALLOC(arena, int, count), {NULL}, TAC_ALLOC(arena, float, count), NULL, NULL};
    for (int k = 0; k < 3; ++k) b.x[k] = TAC_ALLOC(arena, float, count);
    b.is_near = TAC_ALLOC(arena, uint64_t, count);
    b.is_far = TAC_ALLOC(arena, uint64_t, count);
    return b;
}

// leaves that matter to groups of vertices, as bits, and as a list
static uint64_t* alloc_leaf_bits(tacArena* arena, int groups) {
    return TAC_ALLOC(arena, uint64_t, groups + 1);
}

static tacActiveLeaf* alloc_leaf_list(tacArena* arena, int groups, int leaves) {
    return TAC_ALLOC(arena, tacActiveLeaf, (groups + 1) * leaves);
}

void tac_leaf_culling_measure(int blocks, tacArena* arena) {
    alloc_leaf_bits(arena, blocks);
    alloc_leaf_list(arena, blocks, TAC_ACTIVE_LEAF_MAX);
    size_t mark = arena->used;
    alloc_float_balls(arena, blocks);
    arena->used = mark;
}

void tac_leaf_culling_at_measure(int hits, tacArena* arena) {
    alloc_float_balls(arena, hits);
    alloc_leaf_list(arena, hits / TAC_ACTIVE_LEAF_GROUP, TAC_ACTIVE_LEAF_MAX);
}

// more than single precision rounds the place of a feature by
static double float_rounding(const tacVertexSide* side) {
    const tacFeatureBox* all = &side->features->index->all;
    double far = 0.0;
    for (int k = 0; k < 3; ++k)
        far += fabs(tac_re(side->pose.across.origin[k])) + fabs(all->middle[k]) + all->half[k];
    return 2e-6 * far;
}

// the box around where a field is below the range, as floats, wider by what they round
typedef struct floatBox {
    float middle[3], half[3];
} floatBox;

static floatBox near_box(const tacVertexSide* side, const tacVertexCutoff* range) {
    int known = tac_vertex_cutoff(side, range) <= side->range;
    floatBox r;
    for (int k = 0; k < 3; ++k) {
        double at = side->box.middle[k], half = side->box.half[k] + float_rounding(side);
        r.middle[k] = (float)at;
        r.half[k] = known ? (float)(half + 1e-6 * (fabs(at) + half)) : 1e30f;
    }
    return r;
}

// balls around blocks that meet the box; nothing branches on which do
static void transform_balls(const tacVertexSide* side, const floatBox* box, tacLeafBalls* b) {
    const struct tacFeatureIndex* index = side->features->index;
    const tacFrame* f = &side->pose.across;
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
    int fades;
    floatBox box;
} leafRange;

static leafRange leaf_range(const tacVertexSide* side, const tacVertexCutoff* range) {
    double near = tac_vertex_cutoff(side, range) + tac_re(side->blend_drop) + float_rounding(side);
    double end = side->end + float_rounding(side);
    leafRange r = {.near = (float)(1.000001 * near),
                   .fades = side->end > near && side->leaves <= TAC_ACTIVE_LEAF_MAX,
                   .box = near_box(side, range)};
    for (int n = 0; n < side->leaves; ++n) {
        double far = near + side->culling.node[n].cutoff;
        r.far[n] = (float)(1.000001 * (r.fades ? end : far));
    }
    return r;
}

int tac_leaf_culling_applies(const tacVertexSide* side, const tacVertexCutoff* range) {
    return side->leaves && !range->all &&
           !(side->end > 0.0 &&
             side->end <= tac_vertex_cutoff(side, range) + tac_re(side->blend_drop));
}

// vertices of blocks that are near a leaf, and leaves that matter to them, on their way to the
// cache
static void fetch_near(const tacVertexSide* side, const leafRange* limit, const tacLeafBalls* b) {
    uint64_t leaf_mask = 0;
    for (int i = 0; i < b->count; ++i) {
        if (!b->is_near[i]) continue;
        leaf_mask |= b->is_far[i];
        for (int k = 0; k < 3; ++k)
            __builtin_prefetch(&side->features->x[k][b->block[i] * TAC_FEATURE_BLOCK]);
    }
    for (; leaf_mask; leaf_mask &= leaf_mask - 1) {
        int leaf = __builtin_ctzll(leaf_mask);
        if (!limit->fades) tac_prefetch(&side->culling.leaf[leaf], sizeof(tacFloatLeaf));
        tac_prefetch(&side->program.node_data[leaf], offsetof(tacNodeData, about));
    }
}

// Leaves near the balls around blocks. Those of a few are worked with on the stack, `warm`
static tacLeafBalls cull_leaves(tacVertexSide* side, const leafRange* limit, tacArena* stack_arena,
                                tacArena* arena) {
    int count = side->features->index->blocks;
    tacLeafBalls b = alloc_float_balls(count <= STACK_BALLS ? stack_arena : arena, count);
    side->leaf_mask = 0;
    transform_balls(side, &limit->box, &b);
    tacLeafLimits limits = {side->float_bounds, side->leaves, limit->near, limit->far};
    VERTICES->leaves(&limits, &b);
    fetch_near(side, limit, &b);
    return b;
}

static tacBlockQuery block_query(const tacVertexSide* side, const leafRange* limit, uint64_t leaves,
                                 int block) {
    return (tacBlockQuery){side->float_bounds, leaves,         limit->near, limit->far[0],
                           &side->pose.across, side->features, block};
}

// A union of leaves: those that are near a block decide on its vertices, and those that are not
// even far are left out of the field there.
static tacActiveLeaves cull_blend(tacVertexSide* side, const leafRange* limit,
                                  tacScratch* scratch) {
    _Alignas(TAC_ALIGNMENT) char memory[STACK_BALLS * BALL_BYTES];
    tacArena stack_arena = {.base = memory, .size = sizeof memory};
    tacHits* near = &side->near;
    int count = side->features->index->blocks;
    uint64_t* need = alloc_leaf_bits(&scratch->arena, count);
    size_t mark = scratch->arena.used;
    tacLeafBalls b = cull_leaves(side, limit, &stack_arena, &scratch->arena);
    memset(need, 0, sizeof *need * (size_t)(count + 1));
    for (int i = 0; i < b.count; ++i) {
        if (!b.is_near[i]) continue;
        int first = near->count;
        tacBlockQuery query = block_query(side, limit, b.is_near[i], b.block[i]);
        near->count = VERTICES->vertices(&query, near->vertex, first);
        if (near->count == first) continue;
        for (int g = first / TAC_CULL_GROUP; g <= (near->count - 1) / TAC_CULL_GROUP; ++g)
            need[g] |= b.is_far[i];
        side->leaf_mask |= b.is_far[i];
    }
    scratch->arena.used = mark;
    return (tacActiveLeaves){need, 1, NULL, 0};
}

// needs of points that come a few at a time; those of the last group are open, and may reach into
// the next one
typedef struct needList {
    tacActiveLeaf* need;
    int count, group;
    uint64_t open;     // leaves
    uint16_t bits[64]; // of the points of two groups
} needList;

static void close_group(needList* l) {
    uint64_t left = 0;
    for (uint64_t rest = l->open; rest; rest &= rest - 1) {
        int leaf = __builtin_ctzll(rest);
        uint8_t own = (uint8_t)(l->bits[leaf] & 255);
        l->need[l->count] = (tacActiveLeaf){l->group, (uint8_t)leaf, own};
        l->count += own != 0;
        l->bits[leaf] = (uint16_t)(l->bits[leaf] >> 8);
        left |= (uint64_t)(l->bits[leaf] != 0) << leaf;
    }
    l->open = left;
    ++l->group;
}

// near vertices of a block behind the others, with what they need
static void add_near(tacHits* near, int block, unsigned is_near, const tacActiveLeaf* need,
                     int needs, needList* out) {
    int lane[TAC_FEATURE_BLOCK], count = 0, at = near->count % TAC_ACTIVE_LEAF_GROUP;
    for (; is_near; is_near &= is_near - 1) lane[count++] = __builtin_ctz(is_near);
    for (int j = 0; j < count; ++j)
        near->vertex[near->count++] = block * TAC_FEATURE_BLOCK + lane[j];
    for (int k = 0; k < needs; ++k) {
        unsigned bits = 0;
        for (int j = 0; j < count; ++j) bits |= (need[k].bits >> lane[j] & 1u) << j;
        out->bits[need[k].leaf] |= (uint16_t)(bits << at);
        out->open |= (uint64_t)1 << need[k].leaf;
    }
    if (at + count >= TAC_ACTIVE_LEAF_GROUP) close_group(out);
}

// One that ends: leaves that are not below it at a vertex are left out of the field there
static tacActiveLeaves cull_faded(tacVertexSide* side, const leafRange* limit,
                                  tacScratch* scratch) {
    _Alignas(TAC_ALIGNMENT) char memory[STACK_BALLS * BALL_BYTES];
    tacArena stack_arena = {.base = memory, .size = sizeof memory};
    int count = side->features->index->blocks;
    needList all = {.need = alloc_leaf_list(&scratch->arena, count, side->leaves)};
    size_t mark = scratch->arena.used;
    tacLeafBalls b = cull_leaves(side, limit, &stack_arena, &scratch->arena);
    for (int i = 0; i < b.count; ++i) {
        tacActiveLeaf own[TAC_ACTIVE_LEAF_MAX];
        int needs;
        if (!b.is_near[i]) continue;
        tacBlockQuery query = block_query(side, limit, b.is_far[i], b.block[i]);
        unsigned is_near = VERTICES->needs(&query, own, &needs);
        if (!is_near) continue;
        add_near(&side->near, b.block[i], is_near, own, needs, &all);
        side->leaf_mask |= b.is_far[i];
    }
    if (all.open) close_group(&all);
    scratch->arena.used = mark;
    return (tacActiveLeaves){NULL, 0, all.need, all.count};
}

tacActiveLeaves tac_leaf_culling_vertices(tacVertexSide* side, const tacVertexCutoff* range,
                                          tacScratch* scratch) {
    leafRange limit = leaf_range(side, range);
    return (limit.fades ? cull_faded : cull_blend)(side, &limit, scratch);
}

//---------------------------------- points ---------------------------------------

// needs of points, in groups, from their bits of leaves
static tacActiveLeaves group_active_leaves(uint64_t* bits, int count) {
    for (int i = 0; i < count; ++i) {
        int g = i / TAC_CULL_GROUP;
        bits[g] = i % TAC_CULL_GROUP ? bits[g] | bits[i] : bits[i];
    }
    return (tacActiveLeaves){bits, 1, NULL, 0};
}

static tacActiveLeaves list_active_leaves(const uint64_t* bits, int count, int leaves,
                                          tacArena* arena) {
    int groups = (count + TAC_ACTIVE_LEAF_GROUP - 1) / TAC_ACTIVE_LEAF_GROUP, all = 0;
    tacActiveLeaf* need = alloc_leaf_list(arena, count / TAC_ACTIVE_LEAF_GROUP, leaves);
    for (int g = 0; g < groups; ++g) {
        const uint64_t* own = &bits[g * TAC_ACTIVE_LEAF_GROUP];
        int end = count - g * TAC_ACTIVE_LEAF_GROUP;
        uint64_t any = 0;
        for (int j = 0; j < TAC_ACTIVE_LEAF_GROUP && j < end; ++j) any |= own[j];
        for (; any; any &= any - 1) {
            tacActiveLeaf n = {g, (uint8_t)__builtin_ctzll(any), 0};
            for (int j = 0; j < TAC_ACTIVE_LEAF_GROUP && j < end; ++j)
                n.bits |= (uint8_t)((own[j] >> n.leaf & 1u) << j);
            need[all++] = n;
        }
    }
    return (tacActiveLeaves){NULL, 0, need, all};
}

tacActiveLeaves tac_leaf_culling_at(const tacVertexSide* side, const tacVertexCutoff* range,
                                    const tacHits* hits, tacArena* arena) {
    leafRange limit = leaf_range(side, range);
    tacLeafBalls b = alloc_float_balls(arena, hits->count);
    for (int i = 0; i < hits->count; ++i) {
        for (int k = 0; k < 3; ++k) b.x[k][i] = (float)tac_re(hits->y[k][i]);
        b.radius[i] = 0.0f;
    }
    tacLeafLimits limits = {side->float_bounds, side->leaves, limit.near, limit.far};
    VERTICES->leaves(&limits, &b);
    return limit.fades ? list_active_leaves(b.is_far, hits->count, side->leaves, arena)
                       : group_active_leaves(b.is_far, hits->count);
}
