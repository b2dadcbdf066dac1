// Table of the differentiable functions of quat.h, for check_math.h. Needs check_vec3.c.

#include "math/quat.h"

static void add_quat(tacReal* bar, tacQuat a) {
    bar[0] += a.w, bar[1] += a.x, bar[2] += a.y, bar[3] += a.z;
}

// adjoint of a small rotation (world axes) -> adjoint of the raw numbers
static void add_angular(tacReal* bar, tacQuat q, tacVec3 w_bar) {
    add_quat(bar, tac_quat_scale(tac_quat_rate(q, w_bar), 4.0 * tac_quat_inverse_norm2(q)));
}

// general: a half axis length at least; adversarial: long and short quaternions
static void prepare_quat(tacReal* x, int number) {
    const double lengths[] = {1e-6, 1.0, 1e6, -1.0};
    x[0] += tac_re(x[0]) < 0.0 ? -0.5 : 0.5;
    if (number < CHECK_GENERAL) return;
    for (int i = 0; i < 4; ++i) x[i] *= lengths[number % 4];
}

static const double hard_angles[] = {
    0.0,    1e-300,           1e-160,           1e-20,  1e-9,   1e-4, 0.4899573, 1.0, 1.9999,
    2.0001, 3.14159265258979, 3.14159265358979, 3.9999, 4.0001, 6.0};

static double hard_angle(int number) {
    return hard_angles[number % (int)(sizeof hard_angles / sizeof hard_angles[0])];
}

// rotation vectors; adversarial: of angle 0, tiny, near the thresholds of the series, near pi
static void prepare_rotation_vector(tacReal* x, int number) {
    tacVec3 w = tac_load3(x);
    if (number < CHECK_GENERAL)
        tac_store3(x, tac_scale(w, 2.0));
    else
        tac_store3(x, tac_scale(tac_normalize(w), hard_angle(number)));
}

// quaternions of those angles
static void prepare_log(tacReal* x, int number) {
    if (number < CHECK_GENERAL) {
        prepare_quat(x, number);
        return;
    }
    tacVec3 axis = tac_normalize(tac_load3(x + 1));
    double angle = hard_angle(number), length = number % 2 ? 1.0 : -7.5;
    tac_quat_store(x,
                   tac_quat(length * cos(0.5 * angle), tac_scale(axis, length * sin(0.5 * angle))));
}

//---------------------------------- algebra ----------------------------------

static void quat_mul_eval(const tacReal* x, tacReal* y) {
    tac_quat_store(y, tac_quat_mul(tac_quat_load(x), tac_quat_load(x + 4)));
}
static void quat_mul_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tac_quat_store(y, tac_quat_mul_jvp(tac_quat_load(x), tac_quat_load(x + 4), tac_quat_load(d),
                                       tac_quat_load(d + 4)));
}
static void quat_mul_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacQuat a = {0}, b = {0};
    tac_quat_mul_vjp(tac_quat_load(x), tac_quat_load(x + 4), tac_quat_load(bar), &a, &b);
    add_quat(x_bar, a), add_quat(x_bar + 4, b);
}

static void quat_normalize_eval(const tacReal* x, tacReal* y) {
    tac_quat_store(y, tac_quat_normalize(tac_quat_load(x)));
}
static void quat_normalize_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tac_quat_store(y, tac_quat_normalize_jvp(tac_quat_load(x), tac_quat_load(d)));
}
static void quat_normalize_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacQuat a = {0};
    tac_quat_normalize_vjp(tac_quat_load(x), tac_quat_load(bar), &a);
    add_quat(x_bar, a);
}

static void quat_rate_eval(const tacReal* x, tacReal* y) {
    tac_quat_store(y, tac_quat_rate((tacQuat){0.2, -0.4, 1.3, 0.7}, tac_load3(x)));
}
static void quat_rate_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    (void)x;
    quat_rate_eval(d, y); // linear
}
static void quat_rate_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    (void)x;
    add3(x_bar, tac_quat_rate_vjp((tacQuat){0.2, -0.4, 1.3, 0.7}, tac_quat_load(bar)));
}

static void quat_rotate_eval(const tacReal* x, tacReal* y) {
    tac_store3(y, tac_quat_rotate(tac_quat_load(x), tac_load3(x + 4)));
}
static void quat_rotate_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tac_store3(y, tac_quat_rotate_jvp(tac_quat_load(x), tac_load3(x + 4), tac_quat_load(d),
                                      tac_load3(d + 4)));
}
static void quat_rotate_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacQuat a = {0};
    tacVec3 b = tac_vec3_zero();
    tac_quat_rotate_vjp(tac_quat_load(x), tac_load3(x + 4), tac_load3(bar), &a, &b);
    add_quat(x_bar, a), add3(x_bar + 4, b);
}

//---------------------------------- rotation matrix ----------------------------------

static void quat_to_mat_eval(const tacReal* x, tacReal* y) {
    store_mat(y, tac_quat_to_mat(tac_quat_load(x)));
}
static void quat_to_mat_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    store_mat(y, tac_quat_to_mat_jvp(tac_quat_load(x), tac_quat_load(d)));
}
static void quat_to_mat_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacQuat a = {0};
    tac_quat_to_mat_vjp(tac_quat_load(x), load_mat(bar), &a);
    add_quat(x_bar, a);
}

// raw numbers -> matrix -> quaternion: stays on the rotations, where the derivative is defined
static void mat_to_quat_eval(const tacReal* x, tacReal* y) {
    tac_quat_store(y, tac_mat_to_quat(tac_quat_to_mat(tac_quat_load(x))));
}
static void mat_to_quat_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tacQuat q = tac_quat_load(x);
    tacMat3 R_dot = tac_quat_to_mat_jvp(q, tac_quat_load(d));
    tac_quat_store(y, tac_mat_to_quat_jvp(tac_quat_to_mat(q), R_dot));
}
static void mat_to_quat_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacQuat q = tac_quat_load(x), a = {0};
    tacMat3 R_bar = tac_mat_zero();
    tac_mat_to_quat_vjp(tac_quat_to_mat(q), tac_quat_load(bar), &R_bar);
    tac_quat_to_mat_vjp(q, R_bar, &a);
    add_quat(x_bar, a);
}

// each component the largest in turn, and half turns about the axes
static void prepare_branches(tacReal* x, int number) {
    double sign = number % 8 < 4 ? 1.0 : -1.0;
    if (number >= CHECK_GENERAL) {
        for (int i = 0; i < 4; ++i) x[i] *= number % 3 ? 0.0 : 1e-9;
    }
    x[number % 4] += sign * 2.0;
}

//---------------------------------- exponential and logarithm ----------------------------------

static void quat_exp_eval(const tacReal* x, tacReal* y) {
    tac_quat_store(y, tac_quat_exp(tac_load3(x)));
}
static void quat_exp_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tac_quat_store(y, tac_quat_exp_jvp(tac_load3(x), tac_load3(d)));
}
static void quat_exp_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacVec3 a = tac_vec3_zero();
    tac_quat_exp_vjp(tac_load3(x), tac_quat_load(bar), &a);
    add3(x_bar, a);
}

static void quat_log_eval(const tacReal* x, tacReal* y) {
    tac_store3(y, tac_quat_log(tac_quat_load(x)));
}
static void quat_log_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tac_store3(y, tac_quat_log_jvp(tac_quat_load(x), tac_quat_load(d)));
}
static void quat_log_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacQuat a = {0};
    tac_quat_log_vjp(tac_quat_load(x), tac_load3(bar), &a);
    add_quat(x_bar, a);
}

// the three matrix functions of a rotation vector
#define SO3_WRAPPERS(name)                                                                         \
    static void name##_eval(const tacReal* x, tacReal* y) {                                        \
        store_mat(y, tac_##name(tac_load3(x)));                                                    \
    }                                                                                              \
    static void name##_jvp(const tacReal* x, const tacReal* d, tacReal* y) {                       \
        store_mat(y, tac_##name##_jvp(tac_load3(x), tac_load3(d)));                                \
    }                                                                                              \
    static void name##_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {                 \
        tacVec3 a = tac_vec3_zero();                                                               \
        tac_##name##_vjp(tac_load3(x), load_mat(bar), &a);                                         \
        add3(x_bar, a);                                                                            \
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

static void integrate_eval(const tacReal* x, tacReal* y) {
    store_mat(y, tac_quat_to_mat(tac_quat_integrate(tac_quat_load(x), tac_load3(x + 4))));
}
static void integrate_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tacVec3 w = tac_load3(x + 4);
    tacMat3 R = tac_quat_to_mat(tac_quat_integrate(tac_quat_load(x), w));
    tacVec3 next = tac_quat_integrate_jvp(w, body_tangent(x, d), tac_load3(d + 4));
    store_mat(y, tac_mat_mul(R, tac_skew(next)));
}
static void integrate_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacVec3 w = tac_load3(x + 4), q_bar = tac_vec3_zero(), w_bar = q_bar;
    tacMat3 R = tac_quat_to_mat(tac_quat_integrate(tac_quat_load(x), w));
    tac_quat_integrate_vjp(w, tac_axial(tac_mat_tmul(R, load_mat(bar))), &q_bar, &w_bar);
    add_body_tangent(x, q_bar, x_bar), add3(x_bar + 4, w_bar);
}
static void prepare_integrate(tacReal* x, int number) {
    prepare_quat(x, number), prepare_rotation_vector(x + 4, number);
}

static void difference_eval(const tacReal* x, tacReal* y) {
    tac_store3(y, tac_quat_difference(tac_quat_load(x), tac_quat_load(x + 4)));
}
static void difference_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tacVec3 w = tac_quat_difference(tac_quat_load(x), tac_quat_load(x + 4));
    tac_store3(y, tac_quat_difference_jvp(w, body_tangent(x, d), body_tangent(x + 4, d + 4)));
}
static void difference_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacVec3 w = tac_quat_difference(tac_quat_load(x), tac_quat_load(x + 4));
    tacVec3 from = tac_vec3_zero(), to = from;
    tac_quat_difference_vjp(w, tac_load3(bar), &from, &to);
    add_body_tangent(x, from, x_bar), add_body_tangent(x + 4, to, x_bar + 4);
}
// second quaternion: the first one turned by a vector below pi, or by a hard angle up to pi
static void prepare_difference(tacReal* x, int number) {
    tacVec3 w = tac_load3(x + 4);
    double angle = fmin(hard_angle(number), 3.14159265258979);
    w = number < CHECK_GENERAL ? tac_scale(w, 1.5) : tac_scale(tac_normalize(w), angle);
    prepare_quat(x, number);
    tac_quat_store(x + 4, tac_quat_scale(tac_quat_integrate(tac_quat_load(x), w), 0.7));
}

static const mathFunction quat_functions[] = {
    {"quat_mul", 8, 4, quat_mul_eval, quat_mul_jvp, quat_mul_vjp, NULL},
    {"quat_normalize", 4, 4, quat_normalize_eval, quat_normalize_jvp, quat_normalize_vjp,
     prepare_quat},
    {"quat_rate", 3, 4, quat_rate_eval, quat_rate_jvp, quat_rate_vjp, NULL},
    {"quat_rotate", 7, 3, quat_rotate_eval, quat_rotate_jvp, quat_rotate_vjp, prepare_quat},
    {"quat_to_mat", 4, 9, quat_to_mat_eval, quat_to_mat_jvp, quat_to_mat_vjp, prepare_quat},
    {"mat_to_quat", 4, 4, mat_to_quat_eval, mat_to_quat_jvp, mat_to_quat_vjp, prepare_branches},
    {"quat_exp", 3, 4, quat_exp_eval, quat_exp_jvp, quat_exp_vjp, prepare_rotation_vector},
    {"quat_log", 4, 3, quat_log_eval, quat_log_jvp, quat_log_vjp, prepare_log},
    {"so3_exp", 3, 9, so3_exp_eval, so3_exp_jvp, so3_exp_vjp, prepare_rotation_vector},
    {"so3_left_jacobian", 3, 9, so3_left_jacobian_eval, so3_left_jacobian_jvp,
     so3_left_jacobian_vjp, prepare_rotation_vector},
    {"so3_left_jacobian_inverse", 3, 9, so3_left_jacobian_inverse_eval,
     so3_left_jacobian_inverse_jvp, so3_left_jacobian_inverse_vjp, prepare_rotation_vector},
    {"quat_integrate", 7, 9, integrate_eval, integrate_jvp, integrate_vjp, prepare_integrate},
    {"quat_difference", 8, 3, difference_eval, difference_jvp, difference_vjp, prepare_difference},
};
