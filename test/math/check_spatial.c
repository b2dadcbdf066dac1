// Table of the differentiable functions of spatial.h, for check_math.h. Needs check_pose.c.

#include "math/spatial.h"

static tacInertia load_inertia(const tacReal* x) {
    return (tacInertia){x[0], tac_load3(x + 1), {x[4], x[5], x[6], x[7], x[8], x[9]}};
}

static void store_inertia(tacReal* y, tacInertia I) {
    y[0] = I.mass, tac_store3(y + 1, I.com);
    for (int i = 0; i < 6; ++i) y[4 + i] = I.inertia[i];
}

static void add_inertia(tacReal* bar, tacInertia I) {
    bar[0] += I.mass, add3(bar + 1, I.com);
    for (int i = 0; i < 6; ++i) bar[4 + i] += I.inertia[i];
}

//---------------------------------- cross products ----------------------------------

static void cross_motion_eval(const tacReal* x, tacReal* y) {
    tac_twist_store(y, tac_cross_motion(tac_twist_load(x), tac_twist_load(x + 6)));
}
static void cross_motion_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tac_twist_store(y, tac_cross_motion_jvp(tac_twist_load(x), tac_twist_load(x + 6),
                                            tac_twist_load(d), tac_twist_load(d + 6)));
}
static void cross_motion_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacWrench a = tac_wrench_zero(), b = a;
    tac_cross_motion_vjp(tac_twist_load(x), tac_twist_load(x + 6), tac_wrench_load(bar), &a, &b);
    add_wrench(x_bar, a), add_wrench(x_bar + 6, b);
}

static void cross_force_eval(const tacReal* x, tacReal* y) {
    tac_wrench_store(y, tac_cross_force(tac_twist_load(x), tac_wrench_load(x + 6)));
}
static void cross_force_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tac_wrench_store(y, tac_cross_force_jvp(tac_twist_load(x), tac_wrench_load(x + 6),
                                            tac_twist_load(d), tac_wrench_load(d + 6)));
}
static void cross_force_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacWrench a = tac_wrench_zero();
    tacTwist b = tac_twist_zero();
    tac_cross_force_vjp(tac_twist_load(x), tac_wrench_load(x + 6), tac_twist_load(bar), &a, &b);
    add_wrench(x_bar, a), add_twist(x_bar + 6, b);
}

//---------------------------------- inertia ----------------------------------

static void inertia_apply_eval(const tacReal* x, tacReal* y) {
    tacInertia I = load_inertia(x);
    tac_wrench_store(y, tac_inertia_apply(&I, tac_twist_load(x + 10)));
}
static void inertia_apply_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tacInertia I = load_inertia(x), I_dot = load_inertia(d);
    tac_wrench_store(
        y, tac_inertia_apply_jvp(&I, tac_twist_load(x + 10), &I_dot, tac_twist_load(d + 10)));
}
static void inertia_apply_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacInertia I = load_inertia(x), I_bar = {0};
    tacWrench t_bar = tac_wrench_zero();
    tac_inertia_apply_vjp(&I, tac_twist_load(x + 10), tac_twist_load(bar), &I_bar, &t_bar);
    add_inertia(x_bar, I_bar), add_wrench(x_bar + 10, t_bar);
}

static void inertia_transform_eval(const tacReal* x, tacReal* y) {
    tacInertia I = load_inertia(x + 7);
    store_inertia(y, tac_inertia_transform(load_pose(x), &I));
}
static void inertia_transform_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tacInertia I = load_inertia(x + 7), I_dot = load_inertia(d + 7);
    store_inertia(y, tac_inertia_transform_jvp(load_pose(x), &I, load_pose_dot(x, d), &I_dot));
}
static void inertia_transform_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacInertia I = load_inertia(x + 7), b = load_inertia(bar), I_bar = {0};
    tacWrench a_bar = tac_wrench_zero();
    tac_inertia_transform_vjp(load_pose(x), &I, &b, &a_bar, &I_bar);
    add_pose_bar(x, a_bar, x_bar), add_inertia(x_bar + 7, I_bar);
}

static void inertia_add_eval(const tacReal* x, tacReal* y) {
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
    tacInertia a_bar = {0}, b_bar = {0};
    tac_inertia_add_vjp(&a, &b, &c, &a_bar, &b_bar);
    add_inertia(x_bar, a_bar), add_inertia(x_bar + 10, b_bar);
}
// adversarial: one of the bodies is massless
static void prepare_masses(tacReal* x, int number) {
    x[0] = r_abs(x[0]) + 0.5, x[10] = r_abs(x[10]) + 0.5;
    if (number >= CHECK_GENERAL) x[number % 2 ? 0 : 10] = 0.0;
}

static const mathFunction spatial_functions[] = {
    POSE_ROW(cross_motion, 12, 6, NULL),
    POSE_ROW(cross_force, 12, 6, NULL),
    POSE_ROW(inertia_apply, 16, 6, NULL),
    POSE_ROW(inertia_transform, 17, 10, prepare_pose),
    POSE_ROW(inertia_add, 20, 10, prepare_masses),
};
