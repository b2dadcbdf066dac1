/// Vectors, quaternions and rigid placements. Small structs, passed by value.
#ifndef TACTUS_POSE_H
#define TACTUS_POSE_H

#include "tactus/real.h"

TAC_EXTERN_C_BEGIN

/// Three components along world or body axes.
typedef struct tacVec3 {
    tacReal x, y, z; ///< components
} tacVec3;

/// Quaternion, w first as in MuJoCo. A rotation when its length is 1.
typedef struct tacQuat {
    tacReal w, x, y, z; ///< real part, then the vector part
} tacQuat;

/// Rotation matrix, row-major: m[row][column] maps body axes to world axes.
typedef struct tacMat3 {
    tacReal m[3][3]; ///< entries
} tacMat3;

/// Rigid placement: x_world = position + R(rotation) x_body.
typedef struct tacPose {
    tacVec3 position; ///< origin of the body frame in world axes              [m]
    tacQuat rotation; ///< from body to world axes; need not be normalised, must not be 0
} tacPose;

/// The placement at the world's origin with the world's axes.
TAC_API
tacPose tac_pose_identity(void);

TAC_EXTERN_C_END

#endif
