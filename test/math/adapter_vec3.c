// The functions of math/vec3.h in the number type of this build.

#include "math/adapter_math.h"

//---------------------------------- vectors ----------------------------------

static void dot_value(const tacReal* x, tacReal* y) {
    y[0] = tac_dot(tac_load3(x), tac_load3(x + 3));
}
static void dot_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    y[0] = tac_dot_jvp(tac_load3(x), tac_load3(x + 3), tac_load3(d), tac_load3(d + 3));
}
static void dot_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacVec3 a = tac_load3(x_bar), b = tac_load3(x_bar + 3);
    tac_dot_vjp(tac_load3(x), tac_load3(x + 3), bar[0], &a, &b);
    tac_store3(x_bar, a);
    tac_store3(x_bar + 3, b);
}

static void cross_value(const tacReal* x, tacReal* y) {
    tac_store3(y, tac_cross(tac_load3(x), tac_load3(x + 3)));
}
static void cross_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tac_store3(y, tac_cross_jvp(tac_load3(x), tac_load3(x + 3), tac_load3(d), tac_load3(d + 3)));
}
static void cross_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacVec3 a = tac_load3(x_bar), b = tac_load3(x_bar + 3);
    tac_cross_vjp(tac_load3(x), tac_load3(x + 3), tac_load3(bar), &a, &b);
    tac_store3(x_bar, a);
    tac_store3(x_bar + 3, b);
}

static void norm_value(const tacReal* x, tacReal* y) { y[0] = tac_norm(tac_load3(x)); }
static void norm_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    y[0] = tac_norm_jvp(tac_load3(x), tac_load3(d));
}
static void norm_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacVec3 a = tac_load3(x_bar);
    tac_norm_vjp(tac_load3(x), bar[0], &a);
    tac_store3(x_bar, a);
}

static void normalize_value(const tacReal* x, tacReal* y) {
    tac_store3(y, tac_normalize(tac_load3(x)));
}
static void normalize_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tac_store3(y, tac_normalize_jvp(tac_load3(x), tac_load3(d)));
}
static void normalize_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacVec3 a = tac_load3(x_bar);
    tac_normalize_vjp(tac_load3(x), tac_load3(bar), &a);
    tac_store3(x_bar, a);
}

//---------------------------------- matrices ----------------------------------

static void mat_mul_vec_value(const tacReal* x, tacReal* y) {
    tac_store3(y, tac_mat_mul_vec(load_mat(x), tac_load3(x + 9)));
}
static void mat_mul_vec_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tac_store3(y,
               tac_mat_mul_vec_jvp(load_mat(x), tac_load3(x + 9), load_mat(d), tac_load3(d + 9)));
}
static void mat_mul_vec_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacMat3 a = load_mat(x_bar);
    tacVec3 b = tac_load3(x_bar + 9);
    tac_mat_mul_vec_vjp(load_mat(x), tac_load3(x + 9), tac_load3(bar), &a, &b);
    store_mat(x_bar, a);
    tac_store3(x_bar + 9, b);
}

static void mat_mul_value(const tacReal* x, tacReal* y) {
    store_mat(y, tac_mat_mul(load_mat(x), load_mat(x + 9)));
}
static void mat_mul_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    store_mat(y, tac_mat_mul_jvp(load_mat(x), load_mat(x + 9), load_mat(d), load_mat(d + 9)));
}
static void mat_mul_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacMat3 a = load_mat(x_bar), b = load_mat(x_bar + 9);
    tac_mat_mul_vjp(load_mat(x), load_mat(x + 9), load_mat(bar), &a, &b);
    store_mat(x_bar, a);
    store_mat(x_bar + 9, b);
}

MATH_ADAPTER(vec3, MATH_VEC3)
