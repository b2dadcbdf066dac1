// Where a geom's field stands on its body: a parameter like any other.

#ifndef TAC_DETECT_FIELD_FIELD_POSE_H
#define TAC_DETECT_FIELD_FIELD_POSE_H

#include "math/pose.h"
#include "math/quat.h"
#include "math/spatial.h"
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

// Twist of a geom on its body along a tangent, about the body's origin: in axes of the body
static inline tacTwist tac_place_twist_own(const tacModel* model, const tacGeom* g,
                                           const tacReal* theta_dot) {
    tacReal own[6];
    tac_field_pose_jvp(model, g, theta_dot, own);
    return tac_twist_shift(tac_twist_load(own), tac_load3(&model->param[g->position]),
                           tac_vec3_zero());
}

static inline void tac_place_twist_own_vjp(const tacModel* model, const tacGeom* g, tacWrench w,
                                           tacReal* theta_bar) {
    tacReal wrench[6];
    tac_wrench_store(wrench,
                     tac_wrench_shift(w, tac_vec3_zero(), tac_load3(&model->param[g->position])));
    tac_field_pose_vjp(model, g, wrench, theta_bar);
}

// the same in world axes, R those of the body
static inline tacTwist tac_place_twist(const tacModel* model, int geom, tacMat3 R,
                                       const tacReal* theta_dot) {
    tacTwist own = tac_place_twist_own(model, &model->geom[geom], theta_dot);
    return (tacTwist){tac_mat_mul_vec(R, own.linear), tac_mat_mul_vec(R, own.angular)};
}

static inline void tac_place_twist_vjp(const tacModel* model, int geom, tacMat3 R, tacWrench w,
                                       tacReal* theta_bar) {
    tacWrench own = {tac_mat_tmul_vec(R, w.force), tac_mat_tmul_vec(R, w.torque)};
    tac_place_twist_own_vjp(model, &model->geom[geom], own, theta_bar);
}

#endif
