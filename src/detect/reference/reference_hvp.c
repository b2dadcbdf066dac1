// A direction of the published manifold: this, the complex build of it, at x + i h x'.

#include "detect/reference/reference.h"

#include "math/complex_step.h"
#include "math/quat.h"
#include "math/vec3.h"

// the pose moved along a twist about its position: q + i h (0, omega/2) q
static tacPose shifted_pose(const plainPose* pose, const double* twist) {
    static const double still[6] = {0};
    const double* t = twist ? twist : still;
    tacReal position[3], rotation[4], half[3] = {0.5 * t[3], 0.5 * t[4], 0.5 * t[5]};
    complex_step_set(3, pose->position, t, position);
    complex_step_set(4, pose->rotation, NULL, rotation);
    tacQuat q = tac_quat_load(rotation);
    tacQuat rot_dot = tac_quat_mul(tac_quat(0.0, tac_load3(half)), q);
    return (tacPose){tac_load3(position),
                     tac_quat_add_scaled(q, r_make(0.0, TAC_COMPLEX_STEP), rot_dot)};
}

tacResult tac_reference_jvp_hvp(const tacModel* model, const void* body, int pair,
                                tacReferenceTangent tangent,
                                double* const out[TAC_REFERENCE_NUMBERS], tacScratch* scratch) {
    const plainPose* plain = body;
    size_t mark = scratch->arena.used;
    int count = tac_reference_count(model, pair);
    tacModel moved = *model;
    tacReferenceDirection d = tac_reference_direction_alloc(model, count, &scratch->arena);
    moved.param = d.param;
    complex_step_set(model->nparam, (const double*)model->param, tangent.param, moved.param);
    for (int b = 0; b < model->nbody; ++b)
        d.pose[b] = shifted_pose(&plain[b], tangent.pose ? tangent.pose + 6 * b : NULL);
    tacResult result = tac_reference_pair(&moved, d.pose, pair, d.record, NULL, scratch);
    for (int k = 0; k < TAC_REFERENCE_NUMBERS && result == TAC_OK; ++k)
        for (int i = 0; i < count; ++i) out[k][i] = tac_im(d.record[k][i]) / TAC_COMPLEX_STEP;
    scratch->arena.used = mark;
    return result;
}
