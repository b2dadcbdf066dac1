// The functions of math/pose.h in the number type of this build.

#include "math/adapter_math.h"

//---------------------------------- points and directions ----------------------------------

// functions of a pose and a vector
#define POSE_VECTOR_WRAPPERS(name)                                                                 \
    static void name##_value(const tacReal* x, tacReal* y) {                                       \
        tac_store3(y, tac_##name(load_pose(x), tac_load3(x + 7)));                                 \
    }                                                                                              \
    static void name##_jvp(const tacReal* x, const tacReal* d, tacReal* y) {                       \
        tac_store3(y, tac_##name##_jvp(load_pose(x), tac_load3(x + 7), load_pose_dot(x, d),        \
                                       tac_load3(d + 7)));                                         \
    }                                                                                              \
    static void name##_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {                 \
        tacWrench a = tac_wrench_zero();                                                           \
        tacVec3 b = tac_load3(x_bar + 7);                                                          \
        tac_##name##_vjp(load_pose(x), tac_load3(x + 7), tac_load3(bar), &a, &b);                  \
        add_pose_bar(x, a, x_bar), tac_store3(x_bar + 7, b);                                       \
    }
POSE_VECTOR_WRAPPERS(pose_apply)
POSE_VECTOR_WRAPPERS(pose_apply_inverse)
POSE_VECTOR_WRAPPERS(pose_rotate)
POSE_VECTOR_WRAPPERS(pose_rotate_inverse)

//---------------------------------- compose and invert ----------------------------------

static void pose_compose_value(const tacReal* x, tacReal* y) {
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
    add_pose_bar(x, a_bar, x_bar);
    add_pose_bar(x + 7, b_bar, x_bar + 7);
}
static void pose_inverse_value(const tacReal* x, tacReal* y) {
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

//---------------------------------- exponential and logarithm ----------------------------------

static void pose_exp_value(const tacReal* x, tacReal* y) { store_pose(y, tac_pose_exp(x)); }
static void pose_exp_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tacReal dot[6];
    tac_pose_exp_jvp(x, d, dot);
    store_pose_dot(y, tac_pose_exp(x), tac_twist_load(dot));
}
static void pose_exp_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacReal pose_bar[6];
    tac_wrench_store(pose_bar, load_pose_bar(bar, tac_pose_exp(x)));
    tac_pose_exp_vjp(x, pose_bar, x_bar);
}
static void pose_log_value(const tacReal* x, tacReal* y) { tac_pose_log(load_pose(x), y); }
static void pose_log_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tacReal dot[6];
    tac_twist_store(dot, load_pose_dot(x, d));
    tac_pose_log_jvp(load_pose(x), dot, y);
}
static void pose_log_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacReal pose_bar[6] = {0};
    tac_pose_log_vjp(load_pose(x), bar, pose_bar);
    add_pose_bar(x, tac_wrench_load(pose_bar), x_bar);
}

//---------------------------------- shift ----------------------------------

// x = what is shifted (6), from (3), to (3)
#define SHIFT_WRAPPERS(kind, dual, other)                                                          \
    static void kind##_shift_value(const tacReal* x, tacReal* y) {                                 \
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
        dual a = tac_##other##_load(x_bar);                                                        \
        tacVec3 r = tac_vec3_zero();                                                               \
        tac_##kind##_shift_vjp(tac_##kind##_load(x), tac_load3(x + 6), tac_load3(x + 9),           \
                               tac_##other##_load(bar), &a, &r);                                   \
        tac_##other##_store(x_bar, a), add3(x_bar + 9, r), add3(x_bar + 6, tac_neg(r));            \
    }
SHIFT_WRAPPERS(twist, tacWrench, wrench)
SHIFT_WRAPPERS(wrench, tacTwist, twist)

//---------------------------------- transform ----------------------------------

// x = pose (7), twist or wrench (6)
#define TRANSFORM_WRAPPERS(name, kind, dual, other)                                                \
    static void name##_value(const tacReal* x, tacReal* y) {                                       \
        tac_##kind##_store(y, tac_##name(load_pose(x), tac_##kind##_load(x + 7)));                 \
    }                                                                                              \
    static void name##_jvp(const tacReal* x, const tacReal* d, tacReal* y) {                       \
        tac_##kind##_store(y, tac_##name##_jvp(load_pose(x), tac_##kind##_load(x + 7),             \
                                               load_pose_dot(x, d), tac_##kind##_load(d + 7)));    \
    }                                                                                              \
    static void name##_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {                 \
        tacWrench a = tac_wrench_zero();                                                           \
        dual b = tac_##other##_load(x_bar + 7);                                                    \
        tac_##name##_vjp(load_pose(x), tac_##kind##_load(x + 7), tac_##other##_load(bar), &a, &b); \
        add_pose_bar(x, a, x_bar), tac_##other##_store(x_bar + 7, b);                              \
    }
TRANSFORM_WRAPPERS(twist_transform, twist, tacWrench, wrench)
TRANSFORM_WRAPPERS(twist_transform_inverse, twist, tacWrench, wrench)
TRANSFORM_WRAPPERS(wrench_transform, wrench, tacTwist, twist)
TRANSFORM_WRAPPERS(wrench_transform_inverse, wrench, tacTwist, twist)

MATH_ADAPTER(pose, MATH_POSE)
