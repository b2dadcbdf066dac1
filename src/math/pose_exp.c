// Exponential and logarithm of SE(3).
//
//   exp(v, w) = (J_l(w) v, exp w),  log(p, R) = (J_l(w)^-1 p, w),  w = log R
//
// Tangents of a pose are twists in world axes about its own position: the rotation's is J_l(w) w'.
// docs/math.md.

#include "math/pose.h"

#include <stddef.h>

tacPose tac_pose_exp(const tacReal twist[6]) {
    if (!twist) return tac_pose_identity();
    tacVec3 v = tac_load3(twist), w = tac_load3(twist + 3);
    return (tacPose){tac_mat_mul_vec(tac_so3_left_jacobian(w), v), tac_quat_exp(w)};
}

tacResult tac_pose_exp_jvp(const tacReal twist[6], const tacReal twist_dot[6],
                           tacReal pose_dot[6]) {
    if (!twist || !pose_dot) return TAC_ERROR_VALUE;
    tacTwist t = tac_twist_load(twist);
    tacTwist t_dot = twist_dot ? tac_twist_load(twist_dot) : tac_twist_zero();
    tacMat3 J = tac_so3_left_jacobian(t.angular);
    tacMat3 J_dot = tac_so3_left_jacobian_jvp(t.angular, t_dot.angular);
    tacVec3 p_dot = tac_add(tac_mat_mul_vec(J, t_dot.linear), tac_mat_mul_vec(J_dot, t.linear));
    tac_twist_store(pose_dot, (tacTwist){p_dot, tac_mat_mul_vec(J, t_dot.angular)});
    return TAC_OK;
}

// a b', the adjoint of a matrix M from that of M b
static tacMat3 outer_product(tacVec3 a, tacVec3 b) {
    return (tacMat3){{{a.x * b.x, a.x * b.y, a.x * b.z},
                      {a.y * b.x, a.y * b.y, a.y * b.z},
                      {a.z * b.x, a.z * b.y, a.z * b.z}}};
}

tacResult tac_pose_exp_vjp(const tacReal twist[6], const tacReal pose_bar[6],
                           tacReal twist_bar[6]) {
    if (!twist) return TAC_ERROR_VALUE;
    if (!pose_bar || !twist_bar) return TAC_OK;
    tacTwist t = tac_twist_load(twist);
    tacWrench bar = tac_wrench_load(pose_bar), sum = tac_wrench_load(twist_bar);
    tacMat3 J = tac_so3_left_jacobian(t.angular);
    tac_accumulate(&sum.force, tac_mat_tmul_vec(J, bar.force));
    tac_accumulate(&sum.torque, tac_mat_tmul_vec(J, bar.torque));
    tac_so3_left_jacobian_vjp(t.angular, outer_product(bar.force, t.linear), &sum.torque);
    tac_wrench_store(twist_bar, sum);
    return TAC_OK;
}

tacResult tac_pose_log(tacPose pose, tacReal twist[6]) {
    if (!twist) return TAC_ERROR_VALUE;
    tacVec3 w = tac_quat_log(pose.rotation);
    tacVec3 v = tac_mat_mul_vec(tac_so3_left_jacobian_inverse(w), pose.position);
    tac_twist_store(twist, (tacTwist){v, w});
    return TAC_OK;
}

tacResult tac_pose_log_jvp(tacPose pose, const tacReal pose_dot[6], tacReal twist_dot[6]) {
    if (!twist_dot) return TAC_ERROR_VALUE;
    tacTwist p_dot = pose_dot ? tac_twist_load(pose_dot) : tac_twist_zero();
    tacVec3 w = tac_quat_log(pose.rotation);
    tacMat3 inverse = tac_so3_left_jacobian_inverse(w);
    tacVec3 w_dot = tac_mat_mul_vec(inverse, p_dot.angular);
    tacMat3 inverse_dot = tac_so3_left_jacobian_inverse_jvp(w, w_dot);
    tacVec3 v_dot = tac_add(tac_mat_mul_vec(inverse, p_dot.linear),
                            tac_mat_mul_vec(inverse_dot, pose.position));
    tac_twist_store(twist_dot, (tacTwist){v_dot, w_dot});
    return TAC_OK;
}

tacResult tac_pose_log_vjp(tacPose pose, const tacReal twist_bar[6], tacReal pose_bar[6]) {
    if (!twist_bar || !pose_bar) return TAC_OK;
    tacWrench bar = tac_wrench_load(twist_bar), sum = tac_wrench_load(pose_bar);
    tacVec3 w = tac_quat_log(pose.rotation), w_bar = bar.torque;
    tacMat3 inverse = tac_so3_left_jacobian_inverse(w);
    tac_so3_left_jacobian_inverse_vjp(w, outer_product(bar.force, pose.position), &w_bar);
    tac_accumulate(&sum.force, tac_mat_tmul_vec(inverse, bar.force));
    tac_accumulate(&sum.torque, tac_mat_tmul_vec(inverse, w_bar));
    tac_wrench_store(pose_bar, sum);
    return TAC_OK;
}
