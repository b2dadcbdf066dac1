// Derivatives of a shape's value and gradient: forward along a tangent, reverse from an adjoint.
//
// Both keep value and gradient of every node (a tape of blocks); the reverse pass walks it from the
// root to the leaves. Formulas beside the kernels, docs/shapes.md.

#include "shape/program.h"

#include <string.h>

// value and gradient of every node at one block, and a tangent or adjoint of each
typedef struct tape {
    tacBlock1 *at, *dot; // (shape->count)
    tacBlock* open;      // of the combination that is being formed
    tacBlockPoints* points;
} tape;

static tape take_tape(tacScratch* scratch, int nodes) {
    tape t;
    t.at = TAC_TAKE(&scratch->arena, tacBlock1, nodes);
    t.dot = TAC_TAKE(&scratch->arena, tacBlock1, nodes);
    t.open = TAC_TAKE(&scratch->arena, tacBlock, 2);
    t.points = TAC_TAKE(&scratch->arena, tacBlockPoints, 1);
    return t;
}

size_t tac_shape_scratch_size(const tacModel* model) {
    size_t most = 0;
    for (int i = 0; i < model->nshape; ++i) {
        const tacShape* shape = &model->shape[i];
        size_t nodes = (size_t)shape->count, depth = (size_t)shape->depth;
        size_t eval = tac_arena_need(sizeof(tacBlock) * depth);
        size_t diff = 2 * tac_arena_need(sizeof(tacBlock1) * nodes) +
                      tac_arena_need(sizeof(tacBlock) * 2) +
                      tac_arena_need(sizeof(tacBoundDot) * nodes) +
                      tac_arena_need(sizeof(tacReal) * 3 * TAC_BLOCK);
        size_t size = tac_arena_need(sizeof(tacBound) * nodes) + (eval > diff ? eval : diff) +
                      tac_arena_need(sizeof(tacBlockPoints));
        if (size > most) most = size;
    }
    return most;
}

//---------------------------------- tape -----------------------------------------

static void copy_block(tacBlock1* out, const tacBlock* in, int count) {
    size_t size = sizeof(tacReal) * (size_t)count;
    memcpy(out->value, in->value, size);
    for (int k = 0; k < 3; ++k) memcpy(out->gradient[k], in->gradient[k], size);
}

static void open_block(tacBlock* out, const tacBlock1* in, int count) {
    size_t size = sizeof(tacReal) * (size_t)count;
    memcpy(out->value, in->value, size);
    for (int k = 0; k < 3; ++k) memcpy(out->gradient[k], in->gradient[k], size);
}

static void record_blend(const tacProgram* p, tape* t, int node) {
    int padded = t->points->padded, children = p->model->node[p->shape->first + node].children;
    tacBlock* acc = &t->open[0];
    int child = tac_last_child(node);
    for (int k = 1; k < children; ++k) child = tac_previous_child(p, child); // the first one
    open_block(acc, &t->at[child], padded);
    p->kernels->begin(acc, padded);
    for (child = tac_last_child(node); children > 1; --children) {
        open_block(&t->open[1], &t->at[child], padded);
        p->kernels->merge(tac_blend_of(p, node, child), acc, &t->open[1], padded, 1);
        child = tac_previous_child(p, child);
    }
    p->kernels->close(tac_blend_of(p, node, node), acc, padded);
    copy_block(&t->at[node], acc, padded);
}

static void record(const tacProgram* p, tape* t) {
    for (int i = 0; i < p->shape->count; ++i) {
        if (p->model->node[p->shape->first + i].children > 0) {
            record_blend(p, t, i);
            continue;
        }
        p->kernels->leaf(&p->bound[i], (const tacReal(*)[TAC_BLOCK])t->points->x, &t->open[0],
                         t->points->padded, 1);
        copy_block(&t->at[i], &t->open[0], t->points->padded);
    }
}

//---------------------------------- forward --------------------------------------

static void load_dots(tacShapeTangent tangent, int first, const tacBlockPoints* points,
                      tacReal x_dot[3][TAC_BLOCK]) {
    memset(x_dot, 0, sizeof(tacReal) * 3 * TAC_BLOCK);
    for (int k = 0; k < 3 && tangent.x[0]; ++k)
        memcpy(x_dot[k], &tangent.x[k][first], sizeof(tacReal) * (size_t)points->count);
}

static void blend_jvp(const tacProgram* p, tape* t, const tacBoundDot* dot, int node) {
    int padded = t->points->padded, children = p->model->node[p->shape->first + node].children;
    memset(&t->dot[node], 0, sizeof t->dot[node]);
    for (int pass = 0; pass < 2; ++pass) {
        int child = tac_last_child(node);
        for (int k = 0; k < children; ++k, child = tac_previous_child(p, child)) {
            tacBlend blend = tac_blend_of(p, node, child);
            if (pass == 0)
                p->kernels->blend_jvp_value(blend, dot[node].tau, &t->at[node], &t->at[child],
                                            &t->dot[child], &t->dot[node], padded);
            else
                p->kernels->blend_jvp_gradient(blend, dot[node].tau, &t->at[node], &t->at[child],
                                               &t->dot[child], &t->dot[node], padded);
        }
    }
}

static void store_dots(const tacBlock1* block, tacField out, int first, int count) {
    size_t size = sizeof(tacReal) * (size_t)count;
    if (out.value) memcpy(&out.value[first], block->value, size);
    for (int k = 0; k < 3 && out.gradient[0]; ++k)
        memcpy(&out.gradient[k][first], block->gradient[k], size);
}

tacResult tac_shape_jvp(const tacModel* model, int shape, tacPose pose, tacPoints points,
                        tacShapeTangent tangent, tacField out, tacScratch* scratch) {
    tacResult result = tac_shape_check(model, shape, pose, points);
    if (result == TAC_OK) result = tac_field_check(out);
    if (result == TAC_OK) result = tac_three_check(tangent.x);
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacProgram p = tac_program_bind(model, shape, pose, scratch);
    tape t = take_tape(scratch, p.shape->count);
    tacBoundDot* dot = TAC_TAKE(&scratch->arena, tacBoundDot, p.shape->count);
    tacReal(*x_dot)[TAC_BLOCK] = tac_arena_take(&scratch->arena, sizeof(tacReal) * 3 * TAC_BLOCK);
    tac_shape_bind_jvp(model, p.shape, pose, p.bound, tangent.pose, tangent.param, dot);
    for (int first = 0; first < points.count; first += TAC_BLOCK) {
        tac_block_load(p.kernels, points, first, t.points);
        load_dots(tangent, first, t.points, x_dot);
        record(&p, &t);
        for (int i = 0; i < p.shape->count; ++i) {
            if (model->node[p.shape->first + i].children > 0)
                blend_jvp(&p, &t, dot, i);
            else
                p.kernels->leaf_jvp(&p.bound[i], &dot[i], (const tacReal(*)[TAC_BLOCK])t.points->x,
                                    (const tacReal(*)[TAC_BLOCK])x_dot, &t.dot[i],
                                    t.points->padded);
        }
        store_dots(&t.dot[p.shape->count - 1], out, first, t.points->count);
    }
    scratch->arena.used = mark;
    return TAC_OK;
}

//---------------------------------- reverse --------------------------------------

// padding has adjoint zero, so it adds nothing to any sum
static void load_bars(tacField bar, int first, const tacBlockPoints* points, tacBlock1* out) {
    size_t size = sizeof(tacReal) * (size_t)points->count;
    memset(out, 0, sizeof *out);
    if (bar.value) memcpy(out->value, &bar.value[first], size);
    for (int k = 0; k < 3 && bar.gradient[0]; ++k)
        memcpy(out->gradient[k], &bar.gradient[k][first], size);
}

static void reverse(const tacProgram* p, tape* t, tacReal x_bar[3][TAC_BLOCK], tacBoundBar* bar,
                    int by_own) {
    int padded = t->points->padded;
    for (int i = p->shape->count - 1; i >= 0; --i) {
        int children = p->model->node[p->shape->first + i].children;
        if (children == 0) {
            p->kernels->leaf_vjp(&p->bound[i], (const tacReal(*)[TAC_BLOCK])t->points->x,
                                 &t->dot[i], x_bar, &bar[i], padded, by_own);
            continue;
        }
        int child = tac_last_child(i);
        for (int k = 0; k < children; ++k, child = tac_previous_child(p, child))
            bar[i].tau += p->kernels->blend_vjp(tac_blend_of(p, i, child), &t->at[i], &t->at[child],
                                                &t->dot[i], &t->dot[child], padded);
    }
}

tacResult tac_shape_vjp(const tacModel* model, int shape, tacPose pose, tacPoints points,
                        tacField bar, tacShapeAdjoint adjoint, tacScratch* scratch) {
    tacResult result = tac_shape_check(model, shape, pose, points);
    if (result == TAC_OK) result = tac_field_check(bar);
    if (result == TAC_OK) result = tac_three_check((const tacReal* const*)adjoint.x);
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacProgram p = tac_program_bind(model, shape, pose, scratch);
    tape t = take_tape(scratch, p.shape->count);
    tacBoundBar* bound_bar = TAC_TAKE(&scratch->arena, tacBoundBar, p.shape->count);
    tacReal(*x_bar)[TAC_BLOCK] = tac_arena_take(&scratch->arena, sizeof(tacReal) * 3 * TAC_BLOCK);
    tac_shape_bar_clear(model, p.shape, adjoint.param, bound_bar);
    for (int first = 0; first < points.count; first += TAC_BLOCK) {
        tac_block_load(p.kernels, points, first, t.points);
        record(&p, &t);
        load_bars(bar, first, t.points, &t.dot[p.shape->count - 1]);
        memset(x_bar, 0, sizeof(tacReal) * 3 * TAC_BLOCK);
        reverse(&p, &t, x_bar, bound_bar, adjoint.param != NULL);
        for (int k = 0; k < 3 && adjoint.x[0]; ++k)
            for (int i = 0; i < t.points->count; ++i) adjoint.x[k][first + i] += x_bar[k][i];
    }
    tac_shape_bind_vjp(model, p.shape, pose, p.bound, bound_bar, adjoint.pose, adjoint.param);
    scratch->arena.used = mark;
    return TAC_OK;
}
