// Every differentiable function of src/math as a map x -> y on flat arrays, for check/check.h.
//
// Rotations go in as four raw numbers and come out as matrices, so that directions commute.

#ifndef TACTUS_TEST_ADAPTER_MATH_H
#define TACTUS_TEST_ADAPTER_MATH_H

#include "check/check.h"
#include "math/dense.h"
#include "math/spatial.h"

//---------------------------------- the lists ----------------------------------

enum { N = 5, LOWER = N * (N + 1) / 2, ROWS = 7, COLUMNS = 4 }; // of dense matrices

// X(name, inputs, outputs, how its inputs are drawn: test_math_derivatives.c)
#define MATH_VEC3(X)                                                                               \
    X(dot, 6, 1, any)                                                                              \
    X(cross, 6, 3, any)                                                                            \
    X(norm, 3, 1, length)                                                                          \
    X(normalize, 3, 3, length)                                                                     \
    X(mat_mul_vec, 12, 3, any)                                                                     \
    X(mat_mul, 18, 9, any)

#define MATH_QUAT(X)                                                                               \
    X(quat_mul, 8, 4, any)                                                                         \
    X(quat_normalize, 4, 4, quat)                                                                  \
    X(quat_rate, 3, 4, any)                                                                        \
    X(quat_rotate, 7, 3, quat)                                                                     \
    X(quat_to_mat, 4, 9, quat)                                                                     \
    X(mat_to_quat, 4, 4, branches)                                                                 \
    X(quat_exp, 3, 4, rotation_vector)                                                             \
    X(quat_log, 4, 3, log)                                                                         \
    X(so3_exp, 3, 9, rotation_vector)                                                              \
    X(so3_left_jacobian, 3, 9, rotation_vector)                                                    \
    X(so3_left_jacobian_inverse, 3, 9, rotation_vector)                                            \
    X(quat_integrate, 7, 9, integrate)                                                             \
    X(quat_difference, 8, 3, difference)

#define MATH_POSE(X)                                                                               \
    X(pose_apply, 10, 3, pose)                                                                     \
    X(pose_apply_inverse, 10, 3, pose)                                                             \
    X(pose_rotate, 10, 3, pose)                                                                    \
    X(pose_rotate_inverse, 10, 3, pose)                                                            \
    X(pose_compose, 14, 12, compose)                                                               \
    X(pose_inverse, 7, 12, pose)                                                                   \
    X(pose_exp, 6, 12, twist)                                                                      \
    X(pose_log, 7, 6, pose_log)                                                                    \
    X(twist_shift, 12, 6, any)                                                                     \
    X(wrench_shift, 12, 6, any)                                                                    \
    X(twist_transform, 13, 6, pose)                                                                \
    X(twist_transform_inverse, 13, 6, pose)                                                        \
    X(wrench_transform, 13, 6, pose)                                                               \
    X(wrench_transform_inverse, 13, 6, pose)

#define MATH_SPATIAL(X)                                                                            \
    X(cross_motion, 12, 6, any)                                                                    \
    X(cross_force, 12, 6, any)                                                                     \
    X(inertia_apply, 16, 6, any)                                                                   \
    X(inertia_transform, 17, 10, pose)                                                             \
    X(inertia_add, 20, 10, masses)

#define MATH_DENSE(X)                                                                              \
    X(dense_mul, 20, 6, any)                                                                       \
    X(cholesky, LOWER + N, N, definite)                                                            \
    X(ldl, LOWER + N, N, quasi)                                                                    \
    X(log_det, LOWER, 1, definite)                                                                 \
    X(lu, N* N + N, N, square)                                                                     \
    X(qr, ROWS* COLUMNS + ROWS, COLUMNS, tall)                                                     \
    X(mat_det, 9, 1, any)                                                                          \
    X(mat_inverse, 9, 9, inverse)

//---------------------------------- the adapter ----------------------------------

// context of the adapters, the same for every number type
typedef struct mathMap {
    const char* name;
    int function, inputs, outputs;
    double start; // what an adjoint holds before a vjp adds to it
    void (*draw)(int number, double* x, double* scale); // of the test
} mathMap;

typedef struct mathProducts {
    void (*value)(const tacReal* x, tacReal* y);
    void (*jvp)(const tacReal* x, const tacReal* x_dot, tacReal* y_dot);
    void (*vjp)(const tacReal* x, const tacReal* y_bar, tacReal* x_bar); // adds
} mathProducts;

#define MATH_PRODUCTS(name, inputs, outputs, draw) {name##_value, name##_jvp, name##_vjp},

// defines tac_check_<module>_ in this number type
#define MATH_ADAPTER(module, LIST)                                                                 \
    static const mathProducts products[] = {LIST(MATH_PRODUCTS)};                                  \
    static tacResult value(const void* context, const tacReal* x, tacReal* y) {                    \
        products[((const mathMap*)context)->function].value(x, y);                                 \
        return TAC_OK;                                                                             \
    }                                                                                              \
    static tacResult jvp(const void* context, const tacReal* x, const tacReal* d, tacReal* y) {    \
        products[((const mathMap*)context)->function].jvp(x, d, y);                                \
        return TAC_OK;                                                                             \
    }                                                                                              \
    static tacResult vjp(const void* context, const tacReal* x, const tacReal* y_bar,              \
                         tacReal* x_bar) {                                                         \
        const mathMap* m = context;                                                                \
        for (int i = 0; i < m->inputs; ++i) x_bar[i] = m->start;                                   \
        products[m->function].vjp(x, y_bar, x_bar);                                                \
        return TAC_OK;                                                                             \
    }                                                                                              \
    const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_##module##_) = {value, jvp, vjp};

TAC_DECLARE_CHECK(tac_check_vec3_);
TAC_DECLARE_CHECK(tac_check_quat_);
TAC_DECLARE_CHECK(tac_check_pose_);
TAC_DECLARE_CHECK(tac_check_spatial_);
TAC_DECLARE_CHECK(tac_check_dense_);

//---------------------------------- arrays and structures ----------------------------------

static inline tacMat3 load_mat(const tacReal* x) {
    return tac_mat_from_rows(tac_load3(x), tac_load3(x + 3), tac_load3(x + 6));
}

static inline void store_mat(tacReal* y, tacMat3 a) {
    for (int i = 0; i < 9; ++i) y[i] = a.m[i / 3][i % 3];
}

static inline void add3(tacReal* bar, tacVec3 a) {
    bar[0] += a.x;
    bar[1] += a.y;
    bar[2] += a.z;
}

static inline void add_quat(tacReal* bar, tacQuat a) {
    bar[0] += a.w;
    bar[1] += a.x;
    bar[2] += a.y;
    bar[3] += a.z;
}

// adjoint of a small rotation (world axes) -> adjoint of the raw numbers
static inline void add_angular(tacReal* bar, tacQuat q, tacVec3 w_bar) {
    add_quat(bar, tac_quat_scale(tac_quat_rate(q, w_bar), 4.0 * tac_quat_inverse_norm2(q)));
}

// A pose goes in as position and raw quaternion (7) and comes out as position and matrix (12).
static inline tacPose load_pose(const tacReal* x) {
    return (tacPose){tac_load3(x), tac_quat_load(x + 3)};
}

// tangent of a pose, from raw numbers
static inline tacTwist load_pose_dot(const tacReal* x, const tacReal* d) {
    return (tacTwist){tac_load3(d), tac_quat_angular(tac_quat_load(x + 3), tac_quat_load(d + 3))};
}

static inline void add_pose_bar(const tacReal* x, tacWrench bar, tacReal* x_bar) {
    add3(x_bar, bar.force);
    add_angular(x_bar + 3, tac_quat_load(x + 3), bar.torque);
}

static inline void store_pose(tacReal* y, tacPose a) {
    tac_store3(y, a.position);
    store_mat(y + 3, tac_quat_to_mat(a.rotation));
}

static inline void store_pose_dot(tacReal* y, tacPose a, tacTwist a_dot) {
    tac_store3(y, a_dot.linear);
    store_mat(y + 3, tac_mat_mul(tac_skew(a_dot.angular), tac_quat_to_mat(a.rotation)));
}

static inline tacWrench load_pose_bar(const tacReal* bar, tacPose a) {
    return (tacWrench){tac_load3(bar),
                       tac_mat_bar_to_angular(tac_quat_to_mat(a.rotation), load_mat(bar + 3))};
}

static inline tacInertia load_inertia(const tacReal* x) {
    return (tacInertia){x[0], tac_load3(x + 1), {x[4], x[5], x[6], x[7], x[8], x[9]}};
}

static inline void store_inertia(tacReal* y, tacInertia I) {
    y[0] = I.mass;
    tac_store3(y + 1, I.com);
    for (int i = 0; i < 6; ++i) y[4 + i] = I.inertia[i];
}

#endif
