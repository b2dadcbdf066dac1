// Table of the differentiable functions of pose.h, for check_math.h. Needs check_quat.c.
//
// A pose goes in as position and raw quaternion (7) and comes out as position and matrix (12).

#include "math/pose.h"

static tacPose load_pose(const tacReal* x) { return (tacPose){tac_load3(x), tac_quat_load(x + 3)}; }

// tangent of a pose, from raw numbers
static tacTwist load_pose_dot(const tacReal* x, const tacReal* d) {
    return (tacTwist){tac_load3(d), tac_quat_angular(tac_quat_load(x + 3), tac_quat_load(d + 3))};
}

static void add_pose_bar(const tacReal* x, tacWrench bar, tacReal* x_bar) {
    add3(x_bar, bar.force), add_angular(x_bar + 3, tac_quat_load(x + 3), bar.torque);
}

static void store_pose(tacReal* y, tacPose a) {
    tac_store3(y, a.position), store_mat(y + 3, tac_quat_to_mat(a.rotation));
}

static void store_pose_dot(tacReal* y, tacPose a, tacTwist a_dot) {
    tac_store3(y, a_dot.linear);
    store_mat(y + 3, tac_mat_mul(tac_skew(a_dot.angular), tac_quat_to_mat(a.rotation)));
}

static tacWrench load_pose_bar(const tacReal* bar, tacPose a) {
    return (tacWrench){tac_load3(bar),
                       tac_mat_bar_to_angular(tac_quat_to_mat(a.rotation), load_mat(bar + 3))};
}

static void add_wrench(tacReal* bar, tacWrench a) { add3(bar, a.force), add3(bar + 3, a.torque); }
static void add_twist(tacReal* bar, tacTwist a) { add3(bar, a.linear), add3(bar + 3, a.angular); }

static void prepare_pose(tacReal* x, int number) { prepare_quat(x + 3, number); }

//---------------------------------- points and directions ----------------------------------

// functions of a pose and a vector
#define POSE_VECTOR_WRAPPERS(name)                                                                 \
    static void name##_eval(const tacReal* x, tacReal* y) {                                        \
        tac_store3(y, tac_##name(load_pose(x), tac_load3(x + 7)));                                 \
    }                                                                                              \
    static void name##_jvp(const tacReal* x, const tacReal* d, tacReal* y) {                       \
        tac_store3(y, tac_##name##_jvp(load_pose(x), tac_load3(x + 7), load_pose_dot(x, d),        \
                                       tac_load3(d + 7)));                                         \
    }                                                                                              \
    static void name##_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {                 \
        tacWrench a = tac_wrench_zero();                                                           \
        tacVec3 b = tac_vec3_zero();                                                               \
        tac_##name##_vjp(load_pose(x), tac_load3(x + 7), tac_load3(bar), &a, &b);                  \
        add_pose_bar(x, a, x_bar), add3(x_bar + 7, b);                                             \
    }
POSE_VECTOR_WRAPPERS(pose_apply)
POSE_VECTOR_WRAPPERS(pose_apply_inverse)
POSE_VECTOR_WRAPPERS(pose_rotate)
POSE_VECTOR_WRAPPERS(pose_rotate_inverse)

//---------------------------------- compose and invert ----------------------------------

static void pose_compose_eval(const tacReal* x, tacReal* y) {
    store_pose(y, tac_pose_compose(load_pose(x), load_pose(x + 7)));
}
static void pose_compose_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tacPose a = load_pose(x), b = load_pose(x + 7);
    tacTwist dot = tac_pose_compose_jvp(a, b, load_pose_dot(x, d), load_pose_dot(x + 7, d + 7));
    store_pose_dot(y, tac_pose_compose(a, b), dot);
}
static void pose_compose_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacPose a = load_pose(x), b = load_pose(x + 7);
    tacWrench a_bar = tac_wrench_zero(), b_bar = a_bar;
    tac_pose_compose_vjp(a, b, load_pose_bar(bar, tac_pose_compose(a, b)), &a_bar, &b_bar);
    add_pose_bar(x, a_bar, x_bar), add_pose_bar(x + 7, b_bar, x_bar + 7);
}
static void prepare_compose(tacReal* x, int number) {
    prepare_quat(x + 3, number), prepare_quat(x + 10, number + 1);
}

static void pose_inverse_eval(const tacReal* x, tacReal* y) {
    store_pose(y, tac_pose_inverse(load_pose(x)));
}
static void pose_inverse_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tacPose a = load_pose(x);
    store_pose_dot(y, tac_pose_inverse(a), tac_pose_inverse_jvp(a, load_pose_dot(x, d)));
}
static void pose_inverse_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacPose a = load_pose(x);
    tacWrench a_bar = tac_wrench_zero();
    tac_pose_inverse_vjp(a, load_pose_bar(bar, tac_pose_inverse(a)), &a_bar);
    add_pose_bar(x, a_bar, x_bar);
}

//---------------------------------- shift ----------------------------------

// x = what is shifted (6), from (3), to (3)
#define SHIFT_WRAPPERS(kind, dual, other)                                                          \
    static void kind##_shift_eval(const tacReal* x, tacReal* y) {                                  \
        tac_##kind##_store(                                                                        \
            y, tac_##kind##_shift(tac_##kind##_load(x), tac_load3(x + 6), tac_load3(x + 9)));      \
    }                                                                                              \
    static void kind##_shift_jvp(const tacReal* x, const tacReal* d, tacReal* y) {                 \
        tacVec3 r_dot = tac_sub(tac_load3(d + 9), tac_load3(d + 6));                               \
        tac_##kind##_store(y,                                                                      \
                           tac_##kind##_shift_jvp(tac_##kind##_load(x), tac_load3(x + 6),          \
                                                  tac_load3(x + 9), tac_##kind##_load(d), r_dot)); \
    }                                                                                              \
    static void kind##_shift_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {           \
        dual a = tac_##other##_zero();                                                             \
        tacVec3 r = tac_vec3_zero();                                                               \
        tac_##kind##_shift_vjp(tac_##kind##_load(x), tac_load3(x + 6), tac_load3(x + 9),           \
                               tac_##other##_load(bar), &a, &r);                                   \
        add_##other(x_bar, a), add3(x_bar + 9, r), add3(x_bar + 6, tac_neg(r));                    \
    }
SHIFT_WRAPPERS(twist, tacWrench, wrench)
SHIFT_WRAPPERS(wrench, tacTwist, twist)

//---------------------------------- transform ----------------------------------

// x = pose (7), twist or wrench (6)
#define TRANSFORM_WRAPPERS(name, kind, dual, other)                                                \
    static void name##_eval(const tacReal* x, tacReal* y) {                                        \
        tac_##kind##_store(y, tac_##name(load_pose(x), tac_##kind##_load(x + 7)));                 \
    }                                                                                              \
    static void name##_jvp(const tacReal* x, const tacReal* d, tacReal* y) {                       \
        tac_##kind##_store(y, tac_##name##_jvp(load_pose(x), tac_##kind##_load(x + 7),             \
                                               load_pose_dot(x, d), tac_##kind##_load(d + 7)));    \
    }                                                                                              \
    static void name##_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {                 \
        tacWrench a = tac_wrench_zero();                                                           \
        dual b = tac_##other##_zero();                                                             \
        tac_##name##_vjp(load_pose(x), tac_##kind##_load(x + 7), tac_##other##_load(bar), &a, &b); \
        add_pose_bar(x, a, x_bar), add_##other(x_bar + 7, b);                                      \
    }
TRANSFORM_WRAPPERS(twist_transform, twist, tacWrench, wrench)
TRANSFORM_WRAPPERS(twist_transform_inverse, twist, tacWrench, wrench)
TRANSFORM_WRAPPERS(wrench_transform, wrench, tacTwist, twist)
TRANSFORM_WRAPPERS(wrench_transform_inverse, wrench, tacTwist, twist)

#define POSE_ROW(name, nx, ny, prepare)                                                            \
    { #name, nx, ny, name##_eval, name##_jvp, name##_vjp, prepare }

static const mathFunction pose_functions[] = {
    POSE_ROW(pose_apply, 10, 3, prepare_pose),
    POSE_ROW(pose_apply_inverse, 10, 3, prepare_pose),
    POSE_ROW(pose_rotate, 10, 3, prepare_pose),
    POSE_ROW(pose_rotate_inverse, 10, 3, prepare_pose),
    POSE_ROW(pose_compose, 14, 12, prepare_compose),
    POSE_ROW(pose_inverse, 7, 12, prepare_pose),
    POSE_ROW(twist_shift, 12, 6, NULL),
    POSE_ROW(wrench_shift, 12, 6, NULL),
    POSE_ROW(twist_transform, 13, 6, prepare_pose),
    POSE_ROW(twist_transform_inverse, 13, 6, prepare_pose),
    POSE_ROW(wrench_transform, 13, 6, prepare_pose),
    POSE_ROW(wrench_transform_inverse, 13, 6, prepare_pose),
};
