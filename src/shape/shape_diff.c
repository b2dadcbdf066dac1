// Derivatives of a shape's value and gradient: forward along a tangent, reverse from an adjoint.
//
// Both keep value and gradient of every node (a tape of blocks); the reverse pass walks it from the
// root to the leaves. Formulas beside the kernels, docs/shapes.md.

#include "shape/shape_run.h"

#include <string.h>

// inputs and adjoints of a leaf at the points that need it, one after the other
typedef struct gatheredPoints {
    int at[TAC_BLOCK], count;
    tacReal x[3][TAC_BLOCK], x_dot[3][TAC_BLOCK];
    tacGradientBlock field;
} gatheredPoints;

// value and gradient of every node at one block, and a tangent or adjoint of each
typedef struct shapeTape {
    tacGradientBlock *at, *dot; // (shape->count)
    tacFieldBlock* open;        // of the combination that is being formed
    tacGradientBlock* end; // (2) what a union that ends is beyond that, and its tangent or adjoint
    tacBlockPoints* points;
    gatheredPoints* gathered;
    tacCulling culling;
} shapeTape;

// without a culling
static shapeTape alloc_tape(int nodes, tacArena* arena) {
    shapeTape t;
    t.at = TAC_ALLOC(arena, tacGradientBlock, nodes);
    t.dot = TAC_ALLOC(arena, tacGradientBlock, nodes);
    t.open = TAC_ALLOC(arena, tacFieldBlock, 2);
    t.end = TAC_ALLOC(arena, tacGradientBlock, 2);
    t.points = TAC_ALLOC(arena, tacBlockPoints, 1);
    t.gathered = TAC_ALLOC(arena, gatheredPoints, 1);
    return t;
}

static shapeTape bind_tape(const tacShapeProgram* p, tacScratch* scratch) {
    shapeTape t = alloc_tape(p->shape->count, &scratch->arena);
    t.culling = tac_cull_bind(p, scratch);
    t.culling.at = tac_field_bounds_alloc(p->shape->count, &scratch->arena);
    return t;
}

static void* alloc_coordinates(tacArena* arena) {
    return tac_arena_alloc(arena, sizeof(tacReal) * 3 * TAC_BLOCK);
}

// a derivative: its tape, and constants of the nodes along a tangent or as adjoints
static void measure_diff(int nodes, tacArena* arena) {
    alloc_tape(nodes, arena);
    tac_cull_alloc(nodes, arena);
    tac_field_bounds_alloc(nodes, arena);
    size_t mark = arena->used;
    TAC_ALLOC(arena, tacNodeDataDot, nodes);
    alloc_coordinates(arena);
    arena->used = mark;
    TAC_ALLOC(arena, tacNodeDataBar, nodes);
    alloc_coordinates(arena);
}

void tac_shape_measure(const tacModel* model, tacArena* arena) {
    size_t start = arena->used;
    for (int i = 0; i < model->nshape; ++i) {
        const tacShape* shape = &model->shape[i];
        TAC_ALLOC(arena, tacNodeData, shape->count);
        size_t mark = arena->used;
        tac_shape_run_measure(shape, arena);
        alloc_coordinates(arena);
        arena->used = mark;
        measure_diff(shape->count, arena);
        arena->used = start;
    }
}

//---------------------------------- tape -----------------------------------------

static void copy_block(tacGradientBlock* out, const tacFieldBlock* in, int count) {
    size_t size = sizeof(tacReal) * (size_t)count;
    memcpy(out->value, in->value, size);
    for (int k = 0; k < 3; ++k) memcpy(out->gradient[k], in->gradient[k], size);
}

// entry i of the other is of point at[i]
static void gather3(tacReal out[3][TAC_BLOCK], const tacReal in[3][TAC_BLOCK],
                    const gatheredPoints* gathered) {
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < gathered->count; ++i) out[k][i] = in[k][gathered->at[i]];
}

static void scatter_block(tacGradientBlock* out, const tacReal* value,
                          const tacReal gradient[3][TAC_BLOCK], const gatheredPoints* gathered) {
    for (int i = 0; i < gathered->count; ++i) out->value[gathered->at[i]] = value[i];
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < gathered->count; ++i)
            out->gradient[k][gathered->at[i]] = gradient[k][i];
}

// one value and no gradient
static void fill_block(tacGradientBlock* out, double value) {
    memset(out, 0, sizeof *out);
    for (int i = 0; i < TAC_BLOCK; ++i) out->value[i] = value;
}

// the points that need a node are all, or they are listed in t->some, with coordinates
static int is_needed_everywhere(const tacShapeProgram* p, shapeTape* t, int node) {
    tacPointMask keep = t->culling.node[node].keep;
    if (tac_point_mask_equal(keep, tac_block_points_mask(t->points))) return 1;
    t->gathered->count = tac_point_mask_padded_list(keep, p->kernels->lanes, t->gathered->at);
    gather3(t->gathered->x, (const tacReal(*)[TAC_BLOCK])t->points->x, t->gathered);
    return 0;
}

static void widen_block(tacFieldBlock* out, const tacGradientBlock* in, int count) {
    size_t size = sizeof(tacReal) * (size_t)count;
    memcpy(out->value, in->value, size);
    for (int k = 0; k < 3; ++k) memcpy(out->gradient[k], in->gradient[k], size);
}

static void cull_points(tacGradientBlock* block, tacPointMask out) {
    int at[TAC_BLOCK], count = tac_point_mask_list(out, at);
    for (int j = 0; j < count; ++j) {
        int i = at[j];
        block->value[i] = TAC_CULLED_VALUE;
        for (int k = 0; k < 3; ++k) block->gradient[k][i] = 0.0;
    }
}

// beginning of a combination: its first child, or what it ends with; children that are left
static int record_first_child(const tacShapeProgram* p, shapeTape* t, int node) {
    int padded = t->points->padded, children = p->model->node[p->shape->first + node].children;
    double end = p->node_data[node].end;
    int child = tac_last_child(node);
    for (int k = 1; k < children; ++k) child = tac_previous_child(p, child);
    if (end > 0.0)
        tac_block_fill(&t->open[0], end, padded, 1);
    else
        widen_block(&t->open[0], &t->at[child], padded);
    p->kernels->blend_begin((tacBlend){.end = 0.0}, &t->open[0], padded, 1);
    return end > 0.0 ? children : children - 1;
}

static void record_blend(const tacShapeProgram* p, shapeTape* t, int node) {
    int padded = t->points->padded, child = tac_last_child(node);
    tacFieldBlock* acc = &t->open[0];
    for (int left = record_first_child(p, t, node); left > 0; --left) {
        widen_block(&t->open[1], &t->at[child], padded);
        p->kernels->blend_merge(tac_child_blend(p, node, child), acc, &t->open[1], padded, 1);
        child = tac_previous_child(p, child);
    }
    p->kernels->blend_close(tac_child_blend(p, node, node), acc, padded);
    copy_block(&t->at[node], acc, padded);
    cull_points(&t->at[node], tac_point_mask_and_not(tac_block_points_mask(t->points),
                                                     t->culling.node[node].keep));
}

// a leaf at the points that need it; elsewhere it is far away, with weight 0 in all that follows
static void record_leaf(const tacShapeProgram* p, shapeTape* t, int i) {
    tacFieldBlock* field = &t->open[0];
    if (is_needed_everywhere(p, t, i)) {
        p->kernels->leaf(&p->node_data[i], (const tacReal(*)[TAC_BLOCK])t->points->x, field,
                         t->points->padded, 1);
        copy_block(&t->at[i], field, t->points->padded);
        return;
    }
    fill_block(&t->at[i], TAC_CULLED_VALUE);
    p->kernels->leaf(&p->node_data[i], (const tacReal(*)[TAC_BLOCK])t->gathered->x, field,
                     t->gathered->count, 1);
    scatter_block(&t->at[i], field->value, (const tacReal(*)[TAC_BLOCK])field->gradient,
                  t->gathered);
}

static void record_tape(const tacShapeProgram* p, shapeTape* t) {
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
    tacGradientBlock *at, *dot;
    int next;
} blendChild;

static blendChild child_of(const tacShapeProgram* p, shapeTape* t, int node, int child) {
    return (blendChild){tac_child_blend(p, node, child), &t->at[child], &t->dot[child],
                        tac_previous_child(p, child)};
}

static blendChild truncation_child(const tacShapeProgram* p, shapeTape* t, int node) {
    tacBlend blend = tac_child_blend(p, node, node);
    fill_block(&t->end[0], blend.end);
    memset(&t->end[1], 0, sizeof t->end[1]);
    blend.end = 0.0;
    return (blendChild){blend, &t->end[0], &t->end[1], -1};
}

// how many of them
static int children_of(const tacShapeProgram* p, int node) {
    return p->model->node[p->shape->first + node].children + (p->node_data[node].end > 0.0);
}

static blendChild blend_child(const tacShapeProgram* p, shapeTape* t, int node, int k, int child) {
    int there = p->model->node[p->shape->first + node].children;
    return k < there ? child_of(p, t, node, child) : truncation_child(p, t, node);
}

static void blend_jvp(const tacShapeProgram* p, shapeTape* t, const tacNodeDataDot* dot, int node) {
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

static void leaf_jvp(const tacShapeProgram* p, shapeTape* t, const tacNodeDataDot* dot,
                     const tacReal x_dot[3][TAC_BLOCK], int i) {
    if (is_needed_everywhere(p, t, i)) {
        p->kernels->leaf_jvp(&p->node_data[i], &dot[i], (const tacReal(*)[TAC_BLOCK])t->points->x,
                             x_dot, &t->dot[i], t->points->padded);
        return;
    }
    gatheredPoints* gathered = t->gathered;
    gather3(gathered->x_dot, x_dot, gathered);
    fill_block(&t->dot[i], 0.0);
    p->kernels->leaf_jvp(&p->node_data[i], &dot[i], (const tacReal(*)[TAC_BLOCK])gathered->x,
                         (const tacReal(*)[TAC_BLOCK])gathered->x_dot, &gathered->field,
                         gathered->count);
    scatter_block(&t->dot[i], gathered->field.value,
                  (const tacReal(*)[TAC_BLOCK])gathered->field.gradient, gathered);
}

static void store_dots(const tacGradientBlock* block, tacField out, int first, int count) {
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
    if (result == TAC_OK) result = tac_coordinates_check(tangent.x);
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacShapeProgram p = tac_shape_program_bind(model, shape, pose, scratch);
    shapeTape t = bind_tape(&p, scratch);
    tacNodeDataDot* dot = TAC_ALLOC(&scratch->arena, tacNodeDataDot, p.shape->count);
    tacReal(*x_dot)[TAC_BLOCK] = alloc_coordinates(&scratch->arena);
    tac_node_data_jvp(model, p.shape, pose, p.node_data, tangent.pose, tangent.param, dot);
    for (int first = 0; first < points.count; first += TAC_BLOCK) {
        tac_block_points_load(p.kernels, points, first, t.points);
        load_dots(tangent, first, t.points, x_dot);
        record_tape(&p, &t);
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
static void load_bars(tacField bar, int first, const tacBlockPoints* points,
                      tacGradientBlock* out) {
    size_t size = sizeof(tacReal) * (size_t)points->count;
    memset(out, 0, sizeof *out);
    if (bar.value) memcpy(out->value, &bar.value[first], size);
    for (int k = 0; k < 3 && bar.gradient[0]; ++k)
        memcpy(out->gradient[k], &bar.gradient[k][first], size);
}

// where a leaf is left out its adjoint is 0: those points are passed over
static void leaf_vjp(const tacShapeProgram* p, shapeTape* t, tacReal x_bar[3][TAC_BLOCK],
                     tacNodeDataBar* bar, int i, int with_params) {
    if (is_needed_everywhere(p, t, i)) {
        p->kernels->leaf_vjp(&p->node_data[i], (const tacReal(*)[TAC_BLOCK])t->points->x,
                             &t->dot[i], x_bar, bar, t->points->padded, with_params);
        return;
    }
    gatheredPoints* gathered = t->gathered;
    int real = tac_point_mask_count(t->culling.node[i].keep); // behind them padding, with adjoint 0
    memset(&gathered->field, 0, sizeof gathered->field);
    memset(gathered->x_dot, 0, sizeof gathered->x_dot);
    for (int n = 0; n < real; ++n) gathered->field.value[n] = t->dot[i].value[gathered->at[n]];
    for (int k = 0; k < 3; ++k)
        for (int n = 0; n < real; ++n)
            gathered->field.gradient[k][n] = t->dot[i].gradient[k][gathered->at[n]];
    p->kernels->leaf_vjp(&p->node_data[i], (const tacReal(*)[TAC_BLOCK])gathered->x,
                         &gathered->field, gathered->x_dot, bar, gathered->count, with_params);
    for (int k = 0; k < 3; ++k)
        for (int n = 0; n < real; ++n) x_bar[k][gathered->at[n]] += gathered->x_dot[k][n];
}

static void blend_vjp(const tacShapeProgram* p, shapeTape* t, tacNodeDataBar* bar, int node) {
    int child = tac_last_child(node);
    for (int k = 0; k < children_of(p, node); ++k) {
        blendChild c = blend_child(p, t, node, k, child);
        bar[node].tau += p->kernels->blend_vjp(c.blend, &t->at[node], c.at, &t->dot[node], c.dot,
                                               t->points->padded);
        child = c.next;
    }
}

static void reverse_tape(const tacShapeProgram* p, shapeTape* t, tacReal x_bar[3][TAC_BLOCK],
                         tacNodeDataBar* bar, int with_params) {
    for (int i = p->shape->count - 1; i >= 0; --i)
        if (p->model->node[p->shape->first + i].children == 0)
            leaf_vjp(p, t, x_bar, &bar[i], i, with_params);
        else
            blend_vjp(p, t, bar, i);
}

static void add_points(tacShapeAdjoint adjoint, const tacReal x_bar[3][TAC_BLOCK], int first,
                       int count) {
    for (int k = 0; k < 3 && adjoint.x[0]; ++k)
        for (int i = 0; i < count; ++i) adjoint.x[k][first + i] += x_bar[k][i];
}

// Adjoints of values alone, asked for by pose and points: the gradient is all it takes.
static void value_vjp(const tacShapeProgram* p, tacPose pose, tacPoints points,
                      const tacReal* value_bar, tacShapeAdjoint adjoint, tacScratch* scratch) {
    tacShapeRun run = tac_shape_run_bind(p, scratch);
    tacReal(*x_bar)[TAC_BLOCK] = alloc_coordinates(&scratch->arena);
    tacReal bar[TAC_BLOCK], twist[6] = {0};
    tacReal about[3] = {pose.position.x, pose.position.y, pose.position.z};
    for (int first = 0; first < points.count; first += TAC_BLOCK) {
        tac_block_points_load(p->kernels, points, first, run.points);
        int count = run.points->count, padding = run.points->padded - count;
        memcpy(bar, &value_bar[first], sizeof(tacReal) * (size_t)count);
        memset(&bar[count], 0, sizeof(tacReal) * (size_t)padding);
        tac_shape_run_block(p, &run, 1);
        p->kernels->points_vjp(run.stack, bar, (const tacReal(*)[TAC_BLOCK])run.points->x, about,
                               adjoint.x[0] ? x_bar : NULL, twist, run.points->padded);
        add_points(adjoint, (const tacReal(*)[TAC_BLOCK])x_bar, first, count);
    }
    for (int k = 0; k < 6 && adjoint.pose; ++k) adjoint.pose[k] += twist[k];
}

static void field_vjp(const tacShapeProgram* p, tacPose pose, tacPoints points, tacField bar,
                      tacShapeAdjoint adjoint, tacScratch* scratch) {
    shapeTape t = bind_tape(p, scratch);
    tacNodeDataBar* bound_bar = TAC_ALLOC(&scratch->arena, tacNodeDataBar, p->shape->count);
    tacReal(*x_bar)[TAC_BLOCK] = alloc_coordinates(&scratch->arena);
    tac_node_data_bar_clear(p->model, p->shape, adjoint.param, bound_bar);
    for (int first = 0; first < points.count; first += TAC_BLOCK) {
        tac_block_points_load(p->kernels, points, first, t.points);
        record_tape(p, &t);
        load_bars(bar, first, t.points, &t.dot[p->shape->count - 1]);
        memset(x_bar, 0, sizeof(tacReal) * 3 * TAC_BLOCK);
        reverse_tape(p, &t, x_bar, bound_bar, adjoint.param != NULL);
        add_points(adjoint, (const tacReal(*)[TAC_BLOCK])x_bar, first, t.points->count);
    }
    tac_node_data_vjp(p->model, p->shape, pose, p->node_data, bound_bar, adjoint.pose,
                      adjoint.param);
}

tacResult tac_shape_vjp(const tacModel* model, int shape, tacPose pose, tacPoints points,
                        tacField bar, tacShapeAdjoint adjoint, tacScratch* scratch) {
    tacResult result = tac_shape_check(model, shape, pose, points);
    if (!scratch) result = TAC_ERROR_VALUE;
    if (result == TAC_OK) result = tac_field_check(bar);
    if (result == TAC_OK) result = tac_coordinates_check((const tacReal* const*)adjoint.x);
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacShapeProgram p = tac_shape_program_bind(model, shape, pose, scratch);
    if (!bar.gradient[0] && !adjoint.param) {
        if (bar.value) value_vjp(&p, pose, points, bar.value, adjoint, scratch);
    } else {
        field_vjp(&p, pose, points, bar, adjoint, scratch);
    }
    scratch->arena.used = mark;
    return TAC_OK;
}
