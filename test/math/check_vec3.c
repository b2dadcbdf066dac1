// Table of the differentiable functions of vec3.h, for check_math.h.

#include "check_math.h"
#include "math/vec3.h"

static tacMat3 load_mat(const tacReal* x) {
    return tac_mat_from_rows(tac_load3(x), tac_load3(x + 3), tac_load3(x + 6));
}

static void store_mat(tacReal* y, tacMat3 a) {
    for (int i = 0; i < 9; ++i) y[i] = a.m[i / 3][i % 3];
}

static void add3(tacReal* bar, tacVec3 a) { bar[0] += a.x, bar[1] += a.y, bar[2] += a.z; }

static void add_mat(tacReal* bar, tacMat3 a) {
    for (int i = 0; i < 9; ++i) bar[i] += a.m[i / 3][i % 3];
}

// adversarial: very short and very long vectors
static void prepare_length(tacReal* x, int number) {
    const double lengths[] = {1e-9, 1e-6, 1e6, 1e12};
    if (number < CHECK_GENERAL) return;
    for (int i = 0; i < 3; ++i) x[i] *= lengths[number % 4];
}

//---------------------------------- vectors ----------------------------------

static void dot_eval(const tacReal* x, tacReal* y) {
    y[0] = tac_dot(tac_load3(x), tac_load3(x + 3));
}
static void dot_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    y[0] = tac_dot_jvp(tac_load3(x), tac_load3(x + 3), tac_load3(d), tac_load3(d + 3));
}
static void dot_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacVec3 a = tac_vec3_zero(), b = a;
    tac_dot_vjp(tac_load3(x), tac_load3(x + 3), bar[0], &a, &b);
    add3(x_bar, a), add3(x_bar + 3, b);
}

static void cross_eval(const tacReal* x, tacReal* y) {
    tac_store3(y, tac_cross(tac_load3(x), tac_load3(x + 3)));
}
static void cross_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tac_store3(y, tac_cross_jvp(tac_load3(x), tac_load3(x + 3), tac_load3(d), tac_load3(d + 3)));
}
static void cross_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacVec3 a = tac_vec3_zero(), b = a;
    tac_cross_vjp(tac_load3(x), tac_load3(x + 3), tac_load3(bar), &a, &b);
    add3(x_bar, a), add3(x_bar + 3, b);
}

static void norm_eval(const tacReal* x, tacReal* y) { y[0] = tac_norm(tac_load3(x)); }
static void norm_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    y[0] = tac_norm_jvp(tac_load3(x), tac_load3(d));
}
static void norm_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacVec3 a = tac_vec3_zero();
    tac_norm_vjp(tac_load3(x), bar[0], &a);
    add3(x_bar, a);
}

static void normalize_eval(const tacReal* x, tacReal* y) {
    tac_store3(y, tac_normalize(tac_load3(x)));
}
static void normalize_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tac_store3(y, tac_normalize_jvp(tac_load3(x), tac_load3(d)));
}
static void normalize_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacVec3 a = tac_vec3_zero();
    tac_normalize_vjp(tac_load3(x), tac_load3(bar), &a);
    add3(x_bar, a);
}

//---------------------------------- matrices ----------------------------------

static void mat_mul_vec_eval(const tacReal* x, tacReal* y) {
    tac_store3(y, tac_mat_mul_vec(load_mat(x), tac_load3(x + 9)));
}
static void mat_mul_vec_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tac_store3(y,
               tac_mat_mul_vec_jvp(load_mat(x), tac_load3(x + 9), load_mat(d), tac_load3(d + 9)));
}
static void mat_mul_vec_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacMat3 a = tac_mat_zero();
    tacVec3 b = tac_vec3_zero();
    tac_mat_mul_vec_vjp(load_mat(x), tac_load3(x + 9), tac_load3(bar), &a, &b);
    add_mat(x_bar, a), add3(x_bar + 9, b);
}

static void mat_mul_eval(const tacReal* x, tacReal* y) {
    store_mat(y, tac_mat_mul(load_mat(x), load_mat(x + 9)));
}
static void mat_mul_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    store_mat(y, tac_mat_mul_jvp(load_mat(x), load_mat(x + 9), load_mat(d), load_mat(d + 9)));
}
static void mat_mul_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacMat3 a = tac_mat_zero(), b = a;
    tac_mat_mul_vjp(load_mat(x), load_mat(x + 9), load_mat(bar), &a, &b);
    add_mat(x_bar, a), add_mat(x_bar + 9, b);
}

static const mathFunction vec3_functions[] = {
    {"dot", 6, 1, dot_eval, dot_jvp, dot_vjp, NULL},
    {"cross", 6, 3, cross_eval, cross_jvp, cross_vjp, NULL},
    {"norm", 3, 1, norm_eval, norm_jvp, norm_vjp, prepare_length},
    {"normalize", 3, 3, normalize_eval, normalize_jvp, normalize_vjp, prepare_length},
    {"mat_mul_vec", 12, 3, mat_mul_vec_eval, mat_mul_vec_jvp, mat_mul_vec_vjp, NULL},
    {"mat_mul", 18, 9, mat_mul_eval, mat_mul_jvp, mat_mul_vjp, NULL},
};
