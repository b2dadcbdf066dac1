// The functions of math/quat.h in the number type of this build.

#include "math/adapter_math.h"

//---------------------------------- algebra ----------------------------------

static void quat_mul_value(const tacReal* x, tacReal* y) {
    tac_quat_store(y, tac_quat_mul(tac_quat_load(x), tac_quat_load(x + 4)));
}
static void quat_mul_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tac_quat_store(y, tac_quat_mul_jvp(tac_quat_load(x), tac_quat_load(x + 4), tac_quat_load(d),
                                       tac_quat_load(d + 4)));
}
static void quat_mul_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacQuat a = tac_quat_load(x_bar), b = tac_quat_load(x_bar + 4);
    tac_quat_mul_vjp(tac_quat_load(x), tac_quat_load(x + 4), tac_quat_load(bar), &a, &b);
    tac_quat_store(x_bar, a);
    tac_quat_store(x_bar + 4, b);
}

static void quat_normalize_value(const tacReal* x, tacReal* y) {
    tac_quat_store(y, tac_quat_normalize(tac_quat_load(x)));
}
static void quat_normalize_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tac_quat_store(y, tac_quat_normalize_jvp(tac_quat_load(x), tac_quat_load(d)));
}
static void quat_normalize_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacQuat a = tac_quat_load(x_bar);
    tac_quat_normalize_vjp(tac_quat_load(x), tac_quat_load(bar), &a);
    tac_quat_store(x_bar, a);
}

static void quat_rate_value(const tacReal* x, tacReal* y) {
    tac_quat_store(y, tac_quat_rate((tacQuat){0.2, -0.4, 1.3, 0.7}, tac_load3(x)));
}
static void quat_rate_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    (void)x;
    quat_rate_value(d, y); // linear
}
static void quat_rate_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    (void)x;
    add3(x_bar, tac_quat_rate_vjp((tacQuat){0.2, -0.4, 1.3, 0.7}, tac_quat_load(bar)));
}

static void quat_rotate_value(const tacReal* x, tacReal* y) {
    tac_store3(y, tac_quat_rotate(tac_quat_load(x), tac_load3(x + 4)));
}
static void quat_rotate_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tac_store3(y, tac_quat_rotate_jvp(tac_quat_load(x), tac_load3(x + 4), tac_quat_load(d),
                                      tac_load3(d + 4)));
}
static void quat_rotate_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacQuat a = tac_quat_load(x_bar);
    tacVec3 b = tac_load3(x_bar + 4);
    tac_quat_rotate_vjp(tac_quat_load(x), tac_load3(x + 4), tac_load3(bar), &a, &b);
    tac_quat_store(x_bar, a);
    tac_store3(x_bar + 4, b);
}

//---------------------------------- rotation matrix ----------------------------------

static void quat_to_mat_value(const tacReal* x, tacReal* y) {
    store_mat(y, tac_quat_to_mat(tac_quat_load(x)));
}
static void quat_to_mat_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    store_mat(y, tac_quat_to_mat_jvp(tac_quat_load(x), tac_quat_load(d)));
}
static void quat_to_mat_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacQuat a = tac_quat_load(x_bar);
    tac_quat_to_mat_vjp(tac_quat_load(x), load_mat(bar), &a);
    tac_quat_store(x_bar, a);
}

// raw numbers -> matrix -> quaternion: stays on the rotations, where the derivative is defined
static void mat_to_quat_value(const tacReal* x, tacReal* y) {
    tac_quat_store(y, tac_mat_to_quat(tac_quat_to_mat(tac_quat_load(x))));
}
static void mat_to_quat_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tacQuat q = tac_quat_load(x);
    tacMat3 R_dot = tac_quat_to_mat_jvp(q, tac_quat_load(d));
    tac_quat_store(y, tac_mat_to_quat_jvp(tac_quat_to_mat(q), R_dot));
}
static void mat_to_quat_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacQuat q = tac_quat_load(x), a = tac_quat_load(x_bar);
    tacMat3 R_bar = tac_mat_zero();
    tac_mat_to_quat_vjp(tac_quat_to_mat(q), tac_quat_load(bar), &R_bar);
    tac_quat_to_mat_vjp(q, R_bar, &a);
    tac_quat_store(x_bar, a);
}

//---------------------------------- exponential and logarithm ----------------------------------

static void quat_exp_value(const tacReal* x, tacReal* y) {
    tac_quat_store(y, tac_quat_exp(tac_load3(x)));
}
static void quat_exp_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tac_quat_store(y, tac_quat_exp_jvp(tac_load3(x), tac_load3(d)));
}
static void quat_exp_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacVec3 a = tac_load3(x_bar);
    tac_quat_exp_vjp(tac_load3(x), tac_quat_load(bar), &a);
    tac_store3(x_bar, a);
}

static void quat_log_value(const tacReal* x, tacReal* y) {
    tac_store3(y, tac_quat_log(tac_quat_load(x)));
}
static void quat_log_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tac_store3(y, tac_quat_log_jvp(tac_quat_load(x), tac_quat_load(d)));
}
static void quat_log_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacQuat a = tac_quat_load(x_bar);
    tac_quat_log_vjp(tac_quat_load(x), tac_load3(bar), &a);
    tac_quat_store(x_bar, a);
}

// the three matrix functions of a rotation vector
#define SO3_WRAPPERS(name)                                                                         \
    static void name##_value(const tacReal* x, tacReal* y) {                                       \
        store_mat(y, tac_##name(tac_load3(x)));                                                    \
    }                                                                                              \
    static void name##_jvp(const tacReal* x, const tacReal* d, tacReal* y) {                       \
        store_mat(y, tac_##name##_jvp(tac_load3(x), tac_load3(d)));                                \
    }                                                                                              \
    static void name##_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {                 \
        tacVec3 a = tac_load3(x_bar);                                                              \
        tac_##name##_vjp(tac_load3(x), load_mat(bar), &a);                                         \
        tac_store3(x_bar, a);                                                                      \
    }
SO3_WRAPPERS(so3_exp)
SO3_WRAPPERS(so3_left_jacobian)
SO3_WRAPPERS(so3_left_jacobian_inverse)

//---------------------------------- integrate and differentiate ----------------------------------

// a body-axes tangent of R(q) from raw numbers, and back
static tacVec3 body_tangent(const tacReal* x, const tacReal* d) {
    tacQuat q = tac_quat_load(x);
    return tac_quat_rotate_inverse(q, tac_quat_angular(q, tac_quat_load(d)));
}
static void add_body_tangent(const tacReal* x, tacVec3 bar, tacReal* x_bar) {
    tacQuat q = tac_quat_load(x);
    add_angular(x_bar, q, tac_quat_rotate(q, bar));
}

static void quat_integrate_value(const tacReal* x, tacReal* y) {
    store_mat(y, tac_quat_to_mat(tac_quat_integrate(tac_quat_load(x), tac_load3(x + 4))));
}
static void quat_integrate_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tacVec3 w = tac_load3(x + 4);
    tacMat3 R = tac_quat_to_mat(tac_quat_integrate(tac_quat_load(x), w));
    tacVec3 next = tac_quat_integrate_jvp(w, body_tangent(x, d), tac_load3(d + 4));
    store_mat(y, tac_mat_mul(R, tac_skew(next)));
}
static void quat_integrate_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacVec3 w = tac_load3(x + 4), q_bar = tac_vec3_zero(), w_bar = tac_load3(x_bar + 4);
    tacMat3 R = tac_quat_to_mat(tac_quat_integrate(tac_quat_load(x), w));
    tac_quat_integrate_vjp(w, tac_axial(tac_mat_tmul(R, load_mat(bar))), &q_bar, &w_bar);
    add_body_tangent(x, q_bar, x_bar);
    tac_store3(x_bar + 4, w_bar);
}
static void quat_difference_value(const tacReal* x, tacReal* y) {
    tac_store3(y, tac_quat_difference(tac_quat_load(x), tac_quat_load(x + 4)));
}
static void quat_difference_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tacVec3 w = tac_quat_difference(tac_quat_load(x), tac_quat_load(x + 4));
    tac_store3(y, tac_quat_difference_jvp(w, body_tangent(x, d), body_tangent(x + 4, d + 4)));
}
static void quat_difference_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacVec3 w = tac_quat_difference(tac_quat_load(x), tac_quat_load(x + 4));
    tacVec3 from = tac_vec3_zero(), to = from;
    tac_quat_difference_vjp(w, tac_load3(bar), &from, &to);
    add_body_tangent(x, from, x_bar);
    add_body_tangent(x + 4, to, x_bar + 4);
}

MATH_ADAPTER(quat, MATH_QUAT)
