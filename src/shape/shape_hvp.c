// Second derivatives of a shape: tac_shape_vjp of this, the complex build, at x + i h x'.

#include "shape/shape_program.h"

#include "math/complex_step.h"
#include "math/quat.h"
#include "math/vec3.h"

#include <string.h>

// complex copies of one block's inputs and outputs
typedef struct hvpWorkspace {
    tacReal *x[3], *x_bar[3], *value_bar, *gradient_bar[3];
    tacReal *param, *param_bar, pose_bar[6];
} hvpWorkspace;

static hvpWorkspace alloc_workspace(tacArena* arena, int nparam) {
    hvpWorkspace s = {0};
    for (int k = 0; k < 3; ++k) {
        s.x[k] = TAC_ALLOC(arena, tacReal, TAC_BLOCK);
        s.x_bar[k] = TAC_ALLOC(arena, tacReal, TAC_BLOCK);
        s.gradient_bar[k] = TAC_ALLOC(arena, tacReal, TAC_BLOCK);
    }
    s.value_bar = TAC_ALLOC(arena, tacReal, TAC_BLOCK);
    s.param = TAC_ALLOC(arena, tacReal, nparam);
    s.param_bar = TAC_ALLOC(arena, tacReal, nparam);
    return s;
}

void tac_shape_measure_hvp(const tacModel* model, tacArena* arena) {
    alloc_workspace(arena, model->nparam);
    tac_shape_measure(model, arena);
}

// the pose moved along a twist about its position: q + i h (0, omega/2) q
static tacPose moved_pose(plainPose pose, const double* twist) {
    static const double still[6] = {0};
    const double* t = twist ? twist : still;
    tacReal position[3], rotation[4], half[3] = {0.5 * t[3], 0.5 * t[4], 0.5 * t[5]};
    complex_step_set(3, pose.position, t, position);
    complex_step_set(4, pose.rotation, NULL, rotation);
    tacQuat q = tac_quat_load(rotation);
    tacQuat turn = tac_quat_mul(tac_quat(0.0, tac_load3(half)), q);
    return (tacPose){tac_load3(position),
                     tac_quat_add_scaled(q, r_make(0.0, TAC_COMPLEX_STEP), turn)};
}

static const double* plain_at(const tacReal* array, int first) {
    return array ? (const double*)array + first : NULL;
}

static void load_block(hvpWorkspace* s, tacPoints points, tacField bar, tacShapeTangent tangent,
                       int first, int count) {
    static const double zero[TAC_BLOCK] = {0};
    const double* value_bar = plain_at(bar.value, first);
    complex_step_set(count, value_bar ? value_bar : zero, NULL, s->value_bar);
    for (int k = 0; k < 3; ++k) {
        const double* gradient_bar = plain_at(bar.gradient[k], first);
        complex_step_set(count, plain_at(points.x[k], first), plain_at(tangent.x[k], first),
                         s->x[k]);
        complex_step_set(count, gradient_bar ? gradient_bar : zero, NULL, s->gradient_bar[k]);
        memset(s->x_bar[k], 0, sizeof(tacReal) * (size_t)count);
    }
}

// tac_shape_check of numbers that are doubles here: all of them before anything is added
static tacResult check_plain(const tacModel* model, int shape, plainPose pose, tacPoints points) {
    tacPoints none = {0};
    tacResult result = tac_shape_check(model, shape, moved_pose(pose, NULL), none);
    if (points.count < 0) result = TAC_ERROR_VALUE;
    for (int k = 0; k < 3 && points.count > 0 && result == TAC_OK; ++k) {
        const double* x = (const double*)points.x[k];
        int bad = !x;
        for (int i = 0; i < points.count && !bad; ++i) bad = !(fabs(x[i]) <= TAC_MAX_COORDINATE);
        if (bad) result = TAC_ERROR_VALUE;
    }
    return result;
}

// All pointers of the arguments point to doubles here, whatever the header's tacReal says.
tacResult tac_shape_hvp(const tacModel* model, int shape, plainPose pose, tacPoints points,
                        tacField bar, tacShapeTangent tangent, tacShapeAdjoint adjoint,
                        tacScratch* scratch);

TAC_API
tacResult tac_shape_hvp(const tacModel* model, int shape, plainPose pose, tacPoints points,
                        tacField bar, tacShapeTangent tangent, tacShapeAdjoint adjoint,
                        tacScratch* scratch) {
    tacResult result = check_plain(model, shape, pose, points);
    if (!scratch) result = TAC_ERROR_VALUE;
    if (result == TAC_OK) result = tac_field_check(bar);
    if (result == TAC_OK) result = tac_coordinates_check(tangent.x);
    if (result == TAC_OK) result = tac_coordinates_check((const tacReal* const*)adjoint.x);
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    hvpWorkspace s = alloc_workspace(&scratch->arena, model->nparam);
    memset(s.param_bar, 0, sizeof(tacReal) * (size_t)model->nparam);
    complex_step_set(model->nparam, (const double*)model->param, (const double*)tangent.param,
                     s.param);
    tacModel moved = *model;
    moved.param = s.param;
    tacPose moved_at = moved_pose(pose, (const double*)tangent.pose);
    tacField block_bar = {.value = s.value_bar,
                          .gradient = {s.gradient_bar[0], s.gradient_bar[1], s.gradient_bar[2]}};
    tacShapeAdjoint out = {.x = {s.x_bar[0], s.x_bar[1], s.x_bar[2]}, .pose = s.pose_bar};
    if (adjoint.param) out.param = s.param_bar;

    for (int first = 0; first < points.count; first += TAC_BLOCK) {
        int rest = points.count - first, count = rest < TAC_BLOCK ? rest : TAC_BLOCK;
        load_block(&s, points, bar, tangent, first, count);
        tacPoints block = {count, {s.x[0], s.x[1], s.x[2]}};
        tac_shape_vjp(&moved, shape, moved_at, block, block_bar, out, scratch);
        for (int k = 0; k < 3 && adjoint.x[0]; ++k)
            complex_step_add_derivative(count, s.x_bar[k], (double*)adjoint.x[k] + first);
    }
    if (adjoint.pose) complex_step_add_derivative(6, s.pose_bar, (double*)adjoint.pose);
    if (adjoint.param)
        complex_step_add_derivative(model->nparam, s.param_bar, (double*)adjoint.param);
    scratch->arena.used = mark;
    return TAC_OK;
}
