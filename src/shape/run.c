// A block of points through the nodes of a shape.
//
//   points that need a leaf --pack--> its field there --merge--> open field of the combination
//
// A combination keeps one open field; each finished child is merged into it, so the fields alive at
// once are as many as the nesting is deep, not as many as there are children. A point that a union
// leaves a child out at does not see it at all.

#include "shape/run.h"

#include "base/assert.h"

#include <string.h>

static const tacNode* node_at(const tacProgram* p, int i) {
    return &p->model->node[p->shape->first + i];
}

//---------------------------------- memory ---------------------------------------

size_t tac_run_size(const tacShape* shape) {
    return tac_arena_need(sizeof(tacBlockPoints)) +
           tac_arena_need(sizeof(tacBlock) * (size_t)shape->depth) +
           tac_arena_need(sizeof(tacPack)) + tac_limits_size(shape->count) +
           tac_cull_size(shape->count);
}

tacRun tac_run_take(const tacProgram* p, const tacCulling* culling, tacScratch* scratch) {
    tacRun run;
    run.points = TAC_TAKE(&scratch->arena, tacBlockPoints, 1);
    run.stack = TAC_TAKE(&scratch->arena, tacBlock, p->shape->depth);
    run.pack = TAC_TAKE(&scratch->arena, tacPack, 1);
    run.pack->count = run.pack->parts = 0;
    run.culling = *culling;
    run.culling.at = tac_limits_take(p->shape->count, scratch);
    return run;
}

tacRun tac_run_bind(const tacProgram* p, tacScratch* scratch) {
    tacCulling culling = tac_cull_bind(p, scratch);
    return tac_run_take(p, &culling, scratch);
}

//---------------------------------- blocks ---------------------------------------

// a point that is not kept sees a child that is infinitely far
static void leave_out(tacBlock* block, tacBits out, int order) {
    int at[TAC_BLOCK], count = tac_bits_list(out, at);
    for (int j = 0; j < count; ++j) {
        int i = at[j];
        block->value[i] = TAC_FAR;
        for (int k = 0; k < 3 && order >= 1; ++k) block->gradient[k][i] = 0.0;
        for (int k = 0; k < 6 && order >= 2; ++k) block->hessian[k][i] = 0.0;
    }
}

//---------------------------------- nodes ----------------------------------------

// The pack is of the open field at the top of the stack; before another one is opened or closed it
// is emptied.
static void open_pack(const tacProgram* p, tacRun* run, tacBlock* open) {
    if (run->pack->into == open) return;
    tac_pack_empty(p, run->pack);
    run->pack->into = open;
}

// a leaf at all points of the block needs no pack
static void run_whole(const tacProgram* p, tacRun* run, int i, tacBlock* top, int placed,
                      int order) {
    const tacReal(*x)[TAC_BLOCK] = (const tacReal(*)[TAC_BLOCK])run->points->x;
    int padded = run->points->padded;
    tac_pack_empty(p, run->pack);
    tacBlock* out = placed ? top : &run->pack->field;
    p->kernels->leaf(&p->bound[i], x, out, padded, order);
    if (!placed) p->kernels->merge(tac_blend_up(p, i), top, out, padded, order);
}

// Opens the field of a leaf's parent; 1: the leaf is its beginning. A union that ends begins with
// that, and the leaf is merged.
static int open_field(const tacProgram* p, int i, tacBlock* top, int count, int order) {
    double end = tac_blend_up(p, i).end;
    tac_block_fill(top, end > 0.0 ? end : TAC_FAR, count, order);
    p->kernels->begin((tacBlend){.end = 0.0}, top, count, order);
    return !(end > 0.0);
}

static tacBlock* run_leaf(const tacProgram* p, tacRun* run, int i, tacBlock* top, int order) {
    tacBits keep = run->culling.node[i].keep;
    int root = node_at(p, i)->parent < 0, first = tac_is_first(p, i), padded = run->points->padded;
    if (tac_bits_none(keep) && !first) return top;
    if (first || root) ++top;
    open_pack(p, run, top);
    int placed = root || (first && open_field(p, i, top, padded, order));
    if (root || (padded == TAC_BLOCK && tac_bits_equal(keep, tac_all_points(run->points))))
        run_whole(p, run, i, top, placed, order);
    else
        tac_pack_add(p, run->pack, i, keep, placed);
    return top;
}

// a finished combination goes into its parent's open field, which is below it, or begins it
static tacBlock* run_combination(const tacProgram* p, tacRun* run, int i, tacBlock* top,
                                 int order) {
    int padded = run->points->padded;
    open_pack(p, run, NULL);
    p->kernels->close(tac_blend_of(p, i, i), top, padded);
    if (node_at(p, i)->parent < 0) return top;
    leave_out(top, tac_bits_without(tac_all_points(run->points), run->culling.node[i].keep), order);
    if (tac_is_first(p, i)) {
        p->kernels->begin(tac_blend_up(p, i), top, padded, order);
        return top;
    }
    p->kernels->merge(tac_blend_up(p, i), top - 1, top, padded, order);
    return top - 1;
}

void tac_run_block(const tacProgram* p, tacRun* run, int order) {
    tac_cull_block(p, run->points, &run->culling);
    run->pack->points = run->points;
    run->pack->order = order;
    run->pack->into = NULL;
    tacBlock* top = run->stack - 1;
    for (int i = 0; i < p->shape->count; ++i)
        top = node_at(p, i)->children > 0 ? run_combination(p, run, i, top, order)
                                          : run_leaf(p, run, i, top, order);
    TAC_ASSERT(top == run->stack);
}
