// A shape's field at many points.
//
//   points --blocks--> shape_run.c: leaves and combinations of the program --> value, gradient,
//   Hessian

#include "shape/shape_run.h"

#include "math/quat.h"

#include <string.h>

//---------------------------------- program --------------------------------------

tacShapeProgram tac_shape_program_bind(const tacModel* model, int shape, tacPose pose,
                                       tacScratch* scratch) {
    tacShapeProgram p = {model, &model->shape[shape], TAC_DISPATCH(tac_shape_kernels_), NULL};
    p.node_data = TAC_ALLOC(&scratch->arena, tacNodeData, p.shape->count);
    tac_node_data_bind(model, p.shape, pose, p.node_data);
    return p;
}

// all children of a difference but the first
int tac_node_is_negated(const tacShapeProgram* p, int i) {
    const tacNode* node = &p->model->node[p->shape->first + i];
    if (node->parent < 0) return 0;
    const tacNode* parent = &p->model->node[node->parent];
    return parent->kind == TAC_NODE_DIFFERENCE && parent->first != node->first;
}

tacBlend tac_child_blend(const tacShapeProgram* p, int node, int child) {
    double sign = p->node_data[node].kind == TAC_NODE_UNION ? 1.0 : -1.0;
    return (tacBlend){p->node_data[node].tau, sign, tac_node_is_negated(p, child) ? -1.0 : 1.0,
                      p->node_data[node].end};
}

void tac_block_points_load(const tacShapeKernels* kernels, tacPoints points, int first,
                           tacBlockPoints* out) {
    int rest = points.count - first, lanes = kernels->lanes;
    out->count = rest < TAC_BLOCK ? rest : TAC_BLOCK;
    out->padded = (out->count + lanes - 1) / lanes * lanes;
    for (int axis = 0; axis < 3; ++axis) {
        memcpy(out->x[axis], &points.x[axis][first], sizeof(tacReal) * (size_t)out->count);
        // single-precision numbers have twice as many lanes
        for (int i = out->count; i < out->padded + lanes && i < TAC_BLOCK; ++i)
            out->x[axis][i] = out->x[axis][out->count - 1];
    }
}

//---------------------------------- arguments ------------------------------------

// all of the arrays, or none
static int are_all_or_none(tacReal* const* array, int count) {
    for (int i = 1; i < count; ++i)
        if (!array[i] != !array[0]) return 0;
    return 1;
}

static int is_usable_pose(tacPose pose) {
    double p[3] = {tac_re(pose.position.x), tac_re(pose.position.y), tac_re(pose.position.z)};
    double q2 = tac_re(tac_quat_dot(pose.rotation, pose.rotation));
    for (int k = 0; k < 3; ++k)
        if (!(fabs(p[k]) <= TAC_MAX_COORDINATE)) return 0;
    return q2 >= 1e-200 && q2 <= 1e200;
}

tacResult tac_shape_check(const tacModel* model, int shape, tacPose pose, tacPoints points) {
    if (!model || shape < 0 || shape >= model->nshape || points.count < 0) return TAC_ERROR_VALUE;
    if (!is_usable_pose(pose)) return TAC_ERROR_VALUE;
    const tacShapeKernels* kernels = TAC_DISPATCH(tac_shape_kernels_);
    for (int k = 0; k < 3 && points.count > 0; ++k)
        if (!points.x[k] || !kernels->all_within(points.x[k], points.count, TAC_MAX_COORDINATE))
            return TAC_ERROR_VALUE;
    return TAC_OK;
}

tacResult tac_field_check(tacField field) {
    return are_all_or_none(field.gradient, 3) && are_all_or_none(field.hessian, 6)
               ? TAC_OK
               : TAC_ERROR_VALUE;
}

tacResult tac_coordinates_check(const tacReal* const x[3]) {
    return !x[0] == !x[1] && !x[0] == !x[2] ? TAC_OK : TAC_ERROR_VALUE;
}

//---------------------------------- evaluation -----------------------------------

static void store_block(const tacFieldBlock* block, tacField out, int first, int count) {
    size_t size = sizeof(tacReal) * (size_t)count;
    if (out.value) memcpy(&out.value[first], block->value, size);
    for (int k = 0; k < 3 && out.gradient[0]; ++k)
        memcpy(&out.gradient[k][first], block->gradient[k], size);
    for (int k = 0; k < 6 && out.hessian[0]; ++k)
        memcpy(&out.hessian[k][first], block->hessian[k], size);
}

tacResult tac_shape_eval(const tacModel* model, int shape, tacPose pose, tacPoints points,
                         tacField out, tacScratch* scratch) {
    tacResult result = tac_shape_check(model, shape, pose, points);
    if (!scratch) result = TAC_ERROR_VALUE;
    if (result == TAC_OK) result = tac_field_check(out);
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacShapeProgram p = tac_shape_program_bind(model, shape, pose, scratch);
    tacShapeRun run = tac_shape_run_bind(&p, scratch);
    int order = out.hessian[0] ? 2 : out.gradient[0] ? 1 : 0;
    for (int first = 0; first < points.count; first += TAC_BLOCK) {
        tac_block_points_load(p.kernels, points, first, run.points);
        tac_shape_run_block(&p, &run, order);
        store_block(run.stack, out, first, run.points->count);
    }
    scratch->arena.used = mark;
    return TAC_OK;
}

tacVec3 tac_shape_normal(tacVec3 gradient) {
    tacReal length2 = tac_norm2(gradient) + 1e-12;
    return tac_scale(gradient, 1.0 / r_sqrt(length2));
}
