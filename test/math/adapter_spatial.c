// The functions of math/spatial.h in the number type of this build.

#include "math/adapter_math.h"

//---------------------------------- cross products ----------------------------------

static void cross_motion_value(const tacReal* x, tacReal* y) {
    tac_twist_store(y, tac_cross_motion(tac_twist_load(x), tac_twist_load(x + 6)));
}
static void cross_motion_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tac_twist_store(y, tac_cross_motion_jvp(tac_twist_load(x), tac_twist_load(x + 6),
                                            tac_twist_load(d), tac_twist_load(d + 6)));
}
static void cross_motion_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacWrench a = tac_wrench_load(x_bar), b = tac_wrench_load(x_bar + 6);
    tac_cross_motion_vjp(tac_twist_load(x), tac_twist_load(x + 6), tac_wrench_load(bar), &a, &b);
    tac_wrench_store(x_bar, a);
    tac_wrench_store(x_bar + 6, b);
}

static void cross_force_value(const tacReal* x, tacReal* y) {
    tac_wrench_store(y, tac_cross_force(tac_twist_load(x), tac_wrench_load(x + 6)));
}
static void cross_force_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tac_wrench_store(y, tac_cross_force_jvp(tac_twist_load(x), tac_wrench_load(x + 6),
                                            tac_twist_load(d), tac_wrench_load(d + 6)));
}
static void cross_force_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacWrench a = tac_wrench_load(x_bar);
    tacTwist b = tac_twist_load(x_bar + 6);
    tac_cross_force_vjp(tac_twist_load(x), tac_wrench_load(x + 6), tac_twist_load(bar), &a, &b);
    tac_wrench_store(x_bar, a);
    tac_twist_store(x_bar + 6, b);
}

//---------------------------------- inertia ----------------------------------

static void inertia_apply_value(const tacReal* x, tacReal* y) {
    tacInertia I = load_inertia(x);
    tac_wrench_store(y, tac_inertia_apply(&I, tac_twist_load(x + 10)));
}
static void inertia_apply_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tacInertia I = load_inertia(x), I_dot = load_inertia(d);
    tac_wrench_store(
        y, tac_inertia_apply_jvp(&I, tac_twist_load(x + 10), &I_dot, tac_twist_load(d + 10)));
}
static void inertia_apply_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacInertia I = load_inertia(x), I_bar = load_inertia(x_bar);
    tacWrench t_bar = tac_wrench_load(x_bar + 10);
    tac_inertia_apply_vjp(&I, tac_twist_load(x + 10), tac_twist_load(bar), &I_bar, &t_bar);
    store_inertia(x_bar, I_bar);
    tac_wrench_store(x_bar + 10, t_bar);
}

static void inertia_transform_value(const tacReal* x, tacReal* y) {
    tacInertia I = load_inertia(x + 7);
    store_inertia(y, tac_inertia_transform(load_pose(x), &I));
}
static void inertia_transform_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tacInertia I = load_inertia(x + 7), I_dot = load_inertia(d + 7);
    store_inertia(y, tac_inertia_transform_jvp(load_pose(x), &I, load_pose_dot(x, d), &I_dot));
}
static void inertia_transform_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacInertia I = load_inertia(x + 7), b = load_inertia(bar), I_bar = load_inertia(x_bar + 7);
    tacWrench a_bar = tac_wrench_zero();
    tac_inertia_transform_vjp(load_pose(x), &I, &b, &a_bar, &I_bar);
    add_pose_bar(x, a_bar, x_bar);
    store_inertia(x_bar + 7, I_bar);
}

static void inertia_add_value(const tacReal* x, tacReal* y) {
    tacInertia a = load_inertia(x), b = load_inertia(x + 10);
    store_inertia(y, tac_inertia_add(&a, &b));
}
static void inertia_add_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tacInertia a = load_inertia(x), b = load_inertia(x + 10);
    tacInertia a_dot = load_inertia(d), b_dot = load_inertia(d + 10);
    store_inertia(y, tac_inertia_add_jvp(&a, &b, &a_dot, &b_dot));
}
static void inertia_add_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacInertia a = load_inertia(x), b = load_inertia(x + 10), c = load_inertia(bar);
    tacInertia a_bar = load_inertia(x_bar), b_bar = load_inertia(x_bar + 10);
    tac_inertia_add_vjp(&a, &b, &c, &a_bar, &b_bar);
    store_inertia(x_bar, a_bar);
    store_inertia(x_bar + 10, b_bar);
}

MATH_ADAPTER(spatial, MATH_SPATIAL)
