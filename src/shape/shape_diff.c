// Derivatives of a shape's value and gradient: forward along a tangent, reverse from an adjoint.
//
// Both keep value and gradient of every node (a tape of blocks); the reverse pass walks it from the
// root to the leaves. Formulas beside the kernels, docs/shapes.md.

#include "shape/run.h"

#include <string.h>

// inputs and adjoints of a leaf at the points that need it, one after the other
typedef struct somePoints {
    int at[TAC_BLOCK], count;
    tacReal x[3][TAC_BLOCK], x_dot[3][TAC_BLOCK];
    tacBlock1 field;
} somePoints;

// value and gradient of every node at one block, and a tangent or adjoint of each
typedef struct tape {
    tacBlock1 *at, *dot; // (shape->count)
    tacBlock* open;      // of the combination that is being formed
    tacBlock1* end;      // (2) what a union that ends is beyond that, and its tangent or adjoint
    tacBlockPoints* points;
    somePoints* some;
    tacCulling culling;
} tape;

static tape take_tape(const tacProgram* p, tacScratch* scratch) {
    int nodes = p->shape->count;
    tape t;
    t.at = TAC_TAKE(&scratch->arena, tacBlock1, nodes);
    t.dot = TAC_TAKE(&scratch->arena, tacBlock1, nodes);
    t.open = TAC_TAKE(&scratch->arena, tacBlock, 2);
    t.end = TAC_TAKE(&scratch->arena, tacBlock1, 2);
    t.points = TAC_TAKE(&scratch->arena, tacBlockPoints, 1);
    t.some = TAC_TAKE(&scratch->arena, somePoints, 1);
    t.culling = tac_cull_bind(p, scratch);
    t.culling.at = tac_limits_take(nodes, scratch);
    return t;
}

static size_t tape_size(size_t nodes) {
    return 2 * tac_arena_need(sizeof(tacBlock1) * nodes) + tac_arena_need(sizeof(tacBlock) * 2) +
           tac_arena_need(sizeof(tacBlock1) * 2) + tac_arena_need(sizeof(tacBlockPoints)) +
           tac_arena_need(sizeof(somePoints)) + tac_cull_size((int)nodes) +
           tac_limits_size((int)nodes);
}

size_t tac_shape_scratch_size(const tacModel* model) {
    size_t most = 0;
    for (int i = 0; i < model->nshape; ++i) {
        const tacShape* shape = &model->shape[i];
        size_t nodes = (size_t)shape->count, run = tac_run_size(shape);
        size_t diff = tape_size(nodes) + tac_arena_need(sizeof(tacBoundDot) * nodes);
        size_t size = tac_arena_need(sizeof(tacBound) * nodes) + (run > diff ? run : diff) +
                      tac_arena_need(sizeof(tacReal) * 3 * TAC_BLOCK);
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

// entry i of the other is of point at[i]
static void gather3(tacReal out[3][TAC_BLOCK], const tacReal in[3][TAC_BLOCK],
                    const somePoints* some) {
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < some->count; ++i) out[k][i] = in[k][some->at[i]];
}

static void scatter_block(tacBlock1* out, const tacReal* value,
                          const tacReal gradient[3][TAC_BLOCK], const somePoints* some) {
    for (int i = 0; i < some->count; ++i) out->value[some->at[i]] = value[i];
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < some->count; ++i) out->gradient[k][some->at[i]] = gradient[k][i];
}

// one value and no gradient
static void fill_block(tacBlock1* out, double value) {
    memset(out, 0, sizeof *out);
    for (int i = 0; i < TAC_BLOCK; ++i) out->value[i] = value;
}

// the points that need a node are all, or they are listed in t->some, with coordinates
static int needs_all(const tacProgram* p, tape* t, int node) {
    tacBits keep = t->culling.node[node].keep;
    if (tac_bits_equal(keep, tac_all_points(t->points))) return 1;
    t->some->count = tac_keep_list(keep, p->kernels->lanes, t->some->at);
    gather3(t->some->x, (const tacReal(*)[TAC_BLOCK])t->points->x, t->some);
    return 0;
}

static void open_block(tacBlock* out, const tacBlock1* in, int count) {
    size_t size = sizeof(tacReal) * (size_t)count;
    memcpy(out->value, in->value, size);
    for (int k = 0; k < 3; ++k) memcpy(out->gradient[k], in->gradient[k], size);
}

static void leave_out(tacBlock1* block, tacBits out) {
    int at[TAC_BLOCK], count = tac_bits_list(out, at);
    for (int j = 0; j < count; ++j) {
        int i = at[j];
        block->value[i] = TAC_FAR;
        for (int k = 0; k < 3; ++k) block->gradient[k][i] = 0.0;
    }
}

// beginning of a combination: its first child, or what it ends with; children that are left
static int record_first(const tacProgram* p, tape* t, int node) {
    int padded = t->points->padded, children = p->model->node[p->shape->first + node].children;
    double end = p->bound[node].end;
    int child = tac_last_child(node);
    for (int k = 1; k < children; ++k) child = tac_previous_child(p, child);
    if (end > 0.0)
        tac_block_fill(&t->open[0], end, padded, 1);
    else
        open_block(&t->open[0], &t->at[child], padded);
    p->kernels->begin((tacBlend){.end = 0.0}, &t->open[0], padded, 1);
    return end > 0.0 ? children : children - 1;
}

static void record_blend(const tacProgram* p, tape* t, int node) {
    int padded = t->points->padded, child = tac_last_child(node);
    tacBlock* acc = &t->open[0];
    for (int left = record_first(p, t, node); left > 0; --left) {
        open_block(&t->open[1], &t->at[child], padded);
        p->kernels->merge(tac_blend_of(p, node, child), acc, &t->open[1], padded, 1);
        child = tac_previous_child(p, child);
    }
    p->kernels->close(tac_blend_of(p, node, node), acc, padded);
    copy_block(&t->at[node], acc, padded);
    leave_out(&t->at[node],
              tac_bits_without(tac_all_points(t->points), t->culling.node[node].keep));
}

// a leaf at the points that need it; elsewhere it is far away, with weight 0 in all that follows
static void record_leaf(const tacProgram* p, tape* t, int i) {
    tacBlock* field = &t->open[0];
    if (needs_all(p, t, i)) {
        p->kernels->leaf(&p->bound[i], (const tacReal(*)[TAC_BLOCK])t->points->x, field,
                         t->points->padded, 1);
        copy_block(&t->at[i], field, t->points->padded);
        return;
    }
    fill_block(&t->at[i], TAC_FAR);
    p->kernels->leaf(&p->bound[i], (const tacReal(*)[TAC_BLOCK])t->some->x, field, t->some->count,
                     1);
    scatter_block(&t->at[i], field->value, (const tacReal(*)[TAC_BLOCK])field->gradient, t->some);
}

static void record(const tacProgram* p, tape* t) {
    tac_cull_block(p, t->points, &t->culling);
    for (int i = 0; i < p->shape->count; ++i)
        if (p->model->node[p->shape->first + i].children > 0)
            record_blend(p, t, i);
        else
            record_leaf(p, t, i);
}

//---------------------------------- forward --------------------------------------

static void load_dots(tacShapeTangent tangent, int first, const tacBlockPoints* points,
                      tacReal x_dot[3][TAC_BLOCK]) {
    memset(x_dot, 0, sizeof(tacReal) * 3 * TAC_BLOCK);
    for (int k = 0; k < 3 && tangent.x[0]; ++k)
        memcpy(x_dot[k], &tangent.x[k][first], sizeof(tacReal) * (size_t)points->count);
}

// child k of a combination, the last first; one behind them is what a union ends with
typedef struct blendChild {
    tacBlend blend;
    tacBlock1 *at, *dot;
    int next;
} blendChild;

static blendChild child_of(const tacProgram* p, tape* t, int node, int child) {
    return (blendChild){tac_blend_of(p, node, child), &t->at[child], &t->dot[child],
                        tac_previous_child(p, child)};
}

static blendChild end_of(const tacProgram* p, tape* t, int node) {
    tacBlend blend = tac_blend_of(p, node, node);
    fill_block(&t->end[0], blend.end);
    memset(&t->end[1], 0, sizeof t->end[1]);
    blend.end = 0.0;
    return (blendChild){blend, &t->end[0], &t->end[1], -1};
}

// how many of them
static int children_of(const tacProgram* p, int node) {
    return p->model->node[p->shape->first + node].children + (p->bound[node].end > 0.0);
}

static blendChild blend_child(const tacProgram* p, tape* t, int node, int k, int child) {
    int there = p->model->node[p->shape->first + node].children;
    return k < there ? child_of(p, t, node, child) : end_of(p, t, node);
}

static void blend_jvp(const tacProgram* p, tape* t, const tacBoundDot* dot, int node) {
    int padded = t->points->padded;
    memset(&t->dot[node], 0, sizeof t->dot[node]);
    for (int pass = 0; pass < 2; ++pass) {
        int child = tac_last_child(node);
        for (int k = 0; k < children_of(p, node); ++k) {
            blendChild c = blend_child(p, t, node, k, child);
            if (pass == 0)
                p->kernels->blend_jvp_value(c.blend, dot[node].tau, &t->at[node], c.at, c.dot,
                                            &t->dot[node], padded);
            else
                p->kernels->blend_jvp_gradient(c.blend, dot[node].tau, &t->at[node], c.at, c.dot,
                                               &t->dot[node], padded);
            child = c.next;
        }
    }
}

static void leaf_jvp(const tacProgram* p, tape* t, const tacBoundDot* dot,
                     const tacReal x_dot[3][TAC_BLOCK], int i) {
    if (needs_all(p, t, i)) {
        p->kernels->leaf_jvp(&p->bound[i], &dot[i], (const tacReal(*)[TAC_BLOCK])t->points->x,
                             x_dot, &t->dot[i], t->points->padded);
        return;
    }
    somePoints* some = t->some;
    gather3(some->x_dot, x_dot, some);
    fill_block(&t->dot[i], 0.0);
    p->kernels->leaf_jvp(&p->bound[i], &dot[i], (const tacReal(*)[TAC_BLOCK])some->x,
                         (const tacReal(*)[TAC_BLOCK])some->x_dot, &some->field, some->count);
    scatter_block(&t->dot[i], some->field.value, (const tacReal(*)[TAC_BLOCK])some->field.gradient,
                  some);
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
    if (!scratch) result = TAC_ERROR_VALUE;
    if (result == TAC_OK) result = tac_field_check(out);
    if (result == TAC_OK) result = tac_three_check(tangent.x);
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacProgram p = tac_program_bind(model, shape, pose, scratch);
    tape t = take_tape(&p, scratch);
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
                leaf_jvp(&p, &t, dot, (const tacReal(*)[TAC_BLOCK])x_dot, i);
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

// where a leaf is left out its adjoint is 0: those points are passed over
static void leaf_vjp(const tacProgram* p, tape* t, tacReal x_bar[3][TAC_BLOCK], tacBoundBar* bar,
                     int i, int by_own) {
    if (needs_all(p, t, i)) {
        p->kernels->leaf_vjp(&p->bound[i], (const tacReal(*)[TAC_BLOCK])t->points->x, &t->dot[i],
                             x_bar, bar, t->points->padded, by_own);
        return;
    }
    somePoints* some = t->some;
    int real = tac_bits_count(t->culling.node[i].keep); // behind them padding, with adjoint 0
    memset(&some->field, 0, sizeof some->field);
    memset(some->x_dot, 0, sizeof some->x_dot);
    for (int n = 0; n < real; ++n) some->field.value[n] = t->dot[i].value[some->at[n]];
    for (int k = 0; k < 3; ++k)
        for (int n = 0; n < real; ++n)
            some->field.gradient[k][n] = t->dot[i].gradient[k][some->at[n]];
    p->kernels->leaf_vjp(&p->bound[i], (const tacReal(*)[TAC_BLOCK])some->x, &some->field,
                         some->x_dot, bar, some->count, by_own);
    for (int k = 0; k < 3; ++k)
        for (int n = 0; n < real; ++n) x_bar[k][some->at[n]] += some->x_dot[k][n];
}

static void blend_vjp(const tacProgram* p, tape* t, tacBoundBar* bar, int node) {
    int child = tac_last_child(node);
    for (int k = 0; k < children_of(p, node); ++k) {
        blendChild c = blend_child(p, t, node, k, child);
        bar[node].tau += p->kernels->blend_vjp(c.blend, &t->at[node], c.at, &t->dot[node], c.dot,
                                               t->points->padded);
        child = c.next;
    }
}

static void reverse(const tacProgram* p, tape* t, tacReal x_bar[3][TAC_BLOCK], tacBoundBar* bar,
                    int by_own) {
    for (int i = p->shape->count - 1; i >= 0; --i)
        if (p->model->node[p->shape->first + i].children == 0)
            leaf_vjp(p, t, x_bar, &bar[i], i, by_own);
        else
            blend_vjp(p, t, bar, i);
}

static void add_points(tacShapeAdjoint adjoint, const tacReal x_bar[3][TAC_BLOCK], int first,
                       int count) {
    for (int k = 0; k < 3 && adjoint.x[0]; ++k)
        for (int i = 0; i < count; ++i) adjoint.x[k][first + i] += x_bar[k][i];
}

// Adjoints of values alone, asked for by pose and points: the gradient is all it takes.
static void value_vjp(const tacProgram* p, tacPose pose, tacPoints points, const tacReal* value_bar,
                      tacShapeAdjoint adjoint, tacScratch* scratch) {
    tacRun run = tac_run_bind(p, scratch);
    tacReal(*x_bar)[TAC_BLOCK] = tac_arena_take(&scratch->arena, sizeof(tacReal) * 3 * TAC_BLOCK);
    tacReal bar[TAC_BLOCK], twist[6] = {0};
    tacReal about[3] = {pose.position.x, pose.position.y, pose.position.z};
    for (int first = 0; first < points.count; first += TAC_BLOCK) {
        tac_block_load(p->kernels, points, first, run.points);
        int count = run.points->count, padding = run.points->padded - count;
        memcpy(bar, &value_bar[first], sizeof(tacReal) * (size_t)count);
        memset(&bar[count], 0, sizeof(tacReal) * (size_t)padding);
        tac_run_block(p, &run, 1);
        p->kernels->pull(run.stack, bar, (const tacReal(*)[TAC_BLOCK])run.points->x, about,
                         adjoint.x[0] ? x_bar : NULL, twist, run.points->padded);
        add_points(adjoint, (const tacReal(*)[TAC_BLOCK])x_bar, first, count);
    }
    for (int k = 0; k < 6 && adjoint.pose; ++k) adjoint.pose[k] += twist[k];
}

static void field_vjp(const tacProgram* p, tacPose pose, tacPoints points, tacField bar,
                      tacShapeAdjoint adjoint, tacScratch* scratch) {
    tape t = take_tape(p, scratch);
    tacBoundBar* bound_bar = TAC_TAKE(&scratch->arena, tacBoundBar, p->shape->count);
    tacReal(*x_bar)[TAC_BLOCK] = tac_arena_take(&scratch->arena, sizeof(tacReal) * 3 * TAC_BLOCK);
    tac_shape_bar_clear(p->model, p->shape, adjoint.param, bound_bar);
    for (int first = 0; first < points.count; first += TAC_BLOCK) {
        tac_block_load(p->kernels, points, first, t.points);
        record(p, &t);
        load_bars(bar, first, t.points, &t.dot[p->shape->count - 1]);
        memset(x_bar, 0, sizeof(tacReal) * 3 * TAC_BLOCK);
        reverse(p, &t, x_bar, bound_bar, adjoint.param != NULL);
        add_points(adjoint, (const tacReal(*)[TAC_BLOCK])x_bar, first, t.points->count);
    }
    tac_shape_bind_vjp(p->model, p->shape, pose, p->bound, bound_bar, adjoint.pose, adjoint.param);
}

tacResult tac_shape_vjp(const tacModel* model, int shape, tacPose pose, tacPoints points,
                        tacField bar, tacShapeAdjoint adjoint, tacScratch* scratch) {
    tacResult result = tac_shape_check(model, shape, pose, points);
    if (!scratch) result = TAC_ERROR_VALUE;
    if (result == TAC_OK) result = tac_field_check(bar);
    if (result == TAC_OK) result = tac_three_check((const tacReal* const*)adjoint.x);
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacProgram p = tac_program_bind(model, shape, pose, scratch);
    if (!bar.gradient[0] && !adjoint.param) {
        if (bar.value) value_vjp(&p, pose, points, bar.value, adjoint, scratch);
    } else {
        field_vjp(&p, pose, points, bar, adjoint, scratch);
    }
    scratch->arena.used = mark;
    return TAC_OK;
}
