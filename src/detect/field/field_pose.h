// Where a geom's field stands on its body: a parameter like any other.

#ifndef TAC_DETECT_FIELD_FIELD_POSE_H
#define TAC_DETECT_FIELD_FIELD_POSE_H

#include "math/quat.h"
#include "math/vec3.h"
#include "tactus/model.h"

static inline tacPose tac_field_pose(const tacModel* model, const tacGeom* g) {
    return (tacPose){tac_load3(&model->param[g->position]),
                     tac_quat_load(&model->param[g->rotation])};
}

// twist of the place along a tangent of the parameters
static inline void tac_field_pose_jvp(const tacModel* model, const tacGeom* g,
                                      const tacReal* theta_dot, tacReal twist[6]) {
    tacQuat q = tac_quat_load(&model->param[g->rotation]);
    tac_store3(twist, tac_load3(&theta_dot[g->position]));
    tac_store3(twist + 3, tac_quat_angular(q, tac_quat_load(&theta_dot[g->rotation])));
}

// adds the adjoint of that twist to that of the parameters
static inline void tac_field_pose_vjp(const tacModel* model, const tacGeom* g,
                                      const tacReal wrench[6], tacReal* theta_bar) {
    tacQuat q = tac_quat_load(&model->param[g->rotation]);
    tacQuat bar = tac_quat_scale(tac_quat_mul(tac_quat(0.0, tac_load3(wrench + 3)), q),
                                 2.0 * tac_quat_inverse_norm2(q));
    tacReal* out = &theta_bar[g->rotation];
    out[0] += bar.w;
    out[1] += bar.x;
    out[2] += bar.y;
    out[3] += bar.z;
    for (int k = 0; k < 3; ++k) theta_bar[g->position + k] += wrench[k];
}

#endif
