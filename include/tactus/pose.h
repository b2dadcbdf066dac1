/// Vectors, quaternions and poses: small structs, passed by value. Exponentials and logarithms
/// with derivatives (docs/math.md).
#ifndef TACTUS_POSE_H
#define TACTUS_POSE_H

#include "tactus/result.h"

TAC_EXTERN_C_BEGIN

/// A vector of three components.
typedef struct tacVec3 {
    tacReal x, y, z; ///< components
} tacVec3;

/// A quaternion, w first as in MuJoCo. A rotation if its length is 1.
typedef struct tacQuat {
    tacReal w, x, y, z; ///< real part, then the vector part
} tacQuat;

/// A rotation matrix, row-major. It maps body axes to world axes.
typedef struct tacMat3 {
    tacReal m[3][3]; ///< m[row][column]
} tacMat3;

/// A rigid pose: x_world = position + R(rotation) x_body.
typedef struct tacPose {
    tacVec3 position; ///< origin of the body frame, world axes                [m]
    tacQuat rotation; ///< body to world axes; any length but 0
} tacPose;

/// The identity pose.
TAC_API
tacPose tac_pose_identity(void);

//---------------------------------- quaternions ----------------------------------

/// Exponential: the unit quaternion that rotates by |w| about w. [rad]
TAC_API
tacQuat tac_quat_exp(tacVec3 w);

/// Forward derivative of tac_quat_exp, of the four numbers.
TAC_API
tacQuat tac_quat_exp_jvp(tacVec3 w, tacVec3 w_dot);

/// Reverse derivative of tac_quat_exp: adds to w_bar.
TAC_API
void tac_quat_exp_vjp(tacVec3 w, tacQuat bar, tacVec3* w_bar);

/// Logarithm: the shortest rotation vector of R(q/|q|), |w| <= pi. It jumps at half turns
/// (q.w = 0), where the branch q.w >= 0 holds.                                      [rad]
TAC_API
tacVec3 tac_quat_log(tacQuat q);

/// Forward derivative of tac_quat_log along the four numbers.
TAC_API
tacVec3 tac_quat_log_jvp(tacQuat q, tacQuat q_dot);

/// Reverse derivative of tac_quat_log: adds to q_bar.
TAC_API
void tac_quat_log_vjp(tacQuat q, tacVec3 bar, tacQuat* q_bar);

//---------------------------------- poses ----------------------------------------

/// Exponential of SE(3): the pose after one unit of time under a constant twist (linear, angular)
/// in world axes about the world's origin, from the identity. NULL gives the identity.
TAC_API
tacPose tac_pose_exp(const tacReal twist[6]);

/// Forward derivative of tac_pose_exp. pose_dot is the twist of the pose about its own position,
/// world axes.
TAC_API
tacResult tac_pose_exp_jvp(const tacReal twist[6], const tacReal twist_dot[6], tacReal pose_dot[6]);

/// Reverse derivative of tac_pose_exp: adds to twist_bar.
TAC_API
tacResult tac_pose_exp_vjp(const tacReal twist[6], const tacReal pose_bar[6], tacReal twist_bar[6]);

/// Logarithm of SE(3): the twist with tac_pose_exp(twist) = pose and an angle of at most pi.
TAC_API
tacResult tac_pose_log(tacPose pose, tacReal twist[6]);

/// Forward derivative of tac_pose_log along a twist of the pose about its own position.
TAC_API
tacResult tac_pose_log_jvp(tacPose pose, const tacReal pose_dot[6], tacReal twist_dot[6]);

/// Reverse derivative of tac_pose_log: adds to pose_bar.
TAC_API
tacResult tac_pose_log_vjp(tacPose pose, const tacReal twist_bar[6], tacReal pose_bar[6]);

TAC_EXTERN_C_END

#endif
