// A block of points through the nodes of a shape.
//
//   points that need a leaf --pack--> its field there --merge--> open field of the combination
//
// A combination keeps one open field; each finished child is merged into it, so the fields alive at
// once are as many as the nesting is deep, not as many as there are children. A point that a union
// leaves a child out at does not see it at all.

#include "shape/shape_run.h"

#include "base/assert.h"

#include <string.h>

static const tacNode* node_at(const tacShapeProgram* p, int i) {
    return &p->model->node[p->shape->first + i];
}

//---------------------------------- memory ---------------------------------------

// without a culling
static tacShapeRun alloc_run(const tacShape* shape, tacArena* arena) {
    tacShapeRun run;
    run.points = TAC_ALLOC(arena, tacBlockPoints, 1);
    run.stack = TAC_ALLOC(arena, tacFieldBlock, shape->depth);
    run.pack = TAC_ALLOC(arena, tacPack, 1);
    return run;
}

void tac_shape_run_measure(const tacShape* shape, tacArena* arena) {
    tac_cull_alloc(shape->count, arena);
    alloc_run(shape, arena);
    tac_field_bounds_alloc(shape->count, arena);
}

size_t tac_shape_run_size(const tacShape* shape) {
    tacArena dry = tac_arena_measure(1);
    tac_shape_run_measure(shape, &dry);
    return dry.peak;
}

tacShapeRun tac_shape_run_alloc(const tacShapeProgram* p, const tacCulling* culling,
                                tacScratch* scratch) {
    tacShapeRun run = alloc_run(p->shape, &scratch->arena);
    run.pack->count = run.pack->parts = 0;
    run.culling = *culling;
    run.culling.at = tac_field_bounds_alloc(p->shape->count, &scratch->arena);
    return run;
}

tacShapeRun tac_shape_run_bind(const tacShapeProgram* p, tacScratch* scratch) {
    tacCulling culling = tac_cull_bind(p, scratch);
    return tac_shape_run_alloc(p, &culling, scratch);
}

//---------------------------------- blocks ---------------------------------------

// a point that is not kept sees a child that is infinitely far
static void cull_points(tacFieldBlock* block, tacPointMask out, int order) {
    int at[TAC_BLOCK], count = tac_point_mask_list(out, at);
    for (int j = 0; j < count; ++j) {
        int i = at[j];
        block->value[i] = TAC_CULLED_VALUE;
        for (int k = 0; k < 3 && order >= 1; ++k) block->gradient[k][i] = 0.0;
        for (int k = 0; k < 6 && order >= 2; ++k) block->hessian[k][i] = 0.0;
    }
}

//---------------------------------- nodes ----------------------------------------

// The pack is of the open field at the top of the stack; before another one is opened or closed it
// is emptied.
static void retarget_pack(const tacShapeProgram* p, tacShapeRun* run, tacFieldBlock* open) {
    if (run->pack->into == open) return;
    tac_pack_flush(p, run->pack);
    run->pack->into = open;
}

// a leaf at all points of the block needs no pack
static void run_leaf_on_block(const tacShapeProgram* p, tacShapeRun* run, int i, tacFieldBlock* top,
                              int overwrite, int order) {
    const tacReal(*x)[TAC_BLOCK] = (const tacReal(*)[TAC_BLOCK])run->points->x;
    int padded = run->points->padded;
    tac_pack_flush(p, run->pack);
    tacFieldBlock* out = overwrite ? top : &run->pack->field;
    p->kernels->leaf(&p->node_data[i], x, out, padded, order);
    if (!overwrite) p->kernels->blend_merge(tac_parent_blend(p, i), top, out, padded, order);
}

// Opens the field of a leaf's parent; 1: the leaf is its beginning. A union that ends begins with
// that, and the leaf is merged.
static int open_field(const tacShapeProgram* p, int i, tacFieldBlock* top, int count, int order) {
    double end = tac_parent_blend(p, i).end;
    tac_block_fill(top, end > 0.0 ? end : TAC_CULLED_VALUE, count, order);
    p->kernels->blend_begin((tacBlend){.end = 0.0}, top, count, order);
    return !(end > 0.0);
}

static tacFieldBlock* run_leaf(const tacShapeProgram* p, tacShapeRun* run, int i,
                               tacFieldBlock* top, int order) {
    tacPointMask keep = run->culling.node[i].keep;
    int root = node_at(p, i)->parent < 0, first = tac_node_is_first(p, i),
        padded = run->points->padded;
    if (tac_point_mask_is_empty(keep) && !first) return top;
    if (first || root) ++top;
    retarget_pack(p, run, top);
    int overwrite = root || (first && open_field(p, i, top, padded, order));
    if (root ||
        (padded == TAC_BLOCK && tac_point_mask_equal(keep, tac_block_points_mask(run->points))))
        run_leaf_on_block(p, run, i, top, overwrite, order);
    else
        tac_pack_add(p, run->pack, i, keep, overwrite);
    return top;
}

// a finished combination goes into its parent's open field, which is below it, or begins it
static tacFieldBlock* run_combination(const tacShapeProgram* p, tacShapeRun* run, int i,
                                      tacFieldBlock* top, int order) {
    int padded = run->points->padded;
    retarget_pack(p, run, NULL);
    p->kernels->blend_close(tac_child_blend(p, i, i), top, padded);
    if (node_at(p, i)->parent < 0) return top;
    cull_points(
        top, tac_point_mask_and_not(tac_block_points_mask(run->points), run->culling.node[i].keep),
        order);
    if (tac_node_is_first(p, i)) {
        p->kernels->blend_begin(tac_parent_blend(p, i), top, padded, order);
        return top;
    }
    p->kernels->blend_merge(tac_parent_blend(p, i), top - 1, top, padded, order);
    return top - 1;
}

void tac_shape_run_block(const tacShapeProgram* p, tacShapeRun* run, int order) {
    tac_cull_block(p, run->points, &run->culling);
    run->pack->points = run->points;
    run->pack->order = order;
    run->pack->into = NULL;
    tacFieldBlock* top = run->stack - 1;
    for (int i = 0; i < p->shape->count; ++i)
        top = node_at(p, i)->children > 0 ? run_combination(p, run, i, top, order)
                                          : run_leaf(p, run, i, top, order);
    TAC_ASSERT(top == run->stack);
}
