// Vectors and 3 x 3 matrices, by value.
//
// Of a function f, f_jvp is the derivative along a direction (x_dot) and f_vjp adds the transposed
// derivative of an adjoint (bar) to x_bar. Linear functions are their own derivative. docs/math.md

#ifndef TAC_MATH_VEC3_H
#define TAC_MATH_VEC3_H

#include "math/number.h"
#include "tactus/pose.h"

//---------------------------------- vectors ----------------------------------

static inline tacVec3 tac_vec3(tacReal x, tacReal y, tacReal z) { return (tacVec3){x, y, z}; }

static inline tacVec3 tac_vec3_zero(void) { return (tacVec3){0.0, 0.0, 0.0}; }

static inline tacVec3 tac_load3(const tacReal* a) { return (tacVec3){a[0], a[1], a[2]}; }

static inline void tac_store3(tacReal* out, tacVec3 a) {
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

static inline tacVec3 tac_add(tacVec3 a, tacVec3 b) {
    return (tacVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline tacVec3 tac_sub(tacVec3 a, tacVec3 b) {
    return (tacVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline tacVec3 tac_neg(tacVec3 a) { return (tacVec3){-a.x, -a.y, -a.z}; }

static inline tacVec3 tac_scale(tacVec3 a, tacReal s) {
    return (tacVec3){a.x * s, a.y * s, a.z * s};
}

// a + s b
static inline tacVec3 tac_add_scaled(tacVec3 a, tacReal s, tacVec3 b) {
    return (tacVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

// component by component
static inline tacVec3 tac_mul(tacVec3 a, tacVec3 b) {
    return (tacVec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline tacReal tac_dot(tacVec3 a, tacVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline tacVec3 tac_cross(tacVec3 a, tacVec3 b) {
    return (tacVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline tacReal tac_norm2(tacVec3 a) { return tac_dot(a, a); }

// |a|; its derivative on a = 0 is chosen to be 0
static inline tacReal tac_norm(tacVec3 a) {
    tacReal n2 = tac_norm2(a);
    return tac_re(n2) > 0.0 ? r_sqrt(n2) : (tacReal)0.0;
}

static inline tacReal tac_distance(tacVec3 a, tacVec3 b) { return tac_norm(tac_sub(a, b)); }

// 1/|a|, and 0 for vectors too short to have a direction (as MuJoCo's mjMINVAL, 1e-15)
static inline tacReal tac_inverse_norm(tacVec3 a) {
    tacReal n2 = tac_norm2(a);
    return tac_re(n2) >= 1e-30 ? 1.0 / r_sqrt(n2) : (tacReal)0.0;
}

// a/|a|; 0 stays 0
static inline tacVec3 tac_normalize(tacVec3 a) { return tac_scale(a, tac_inverse_norm(a)); }

//---------------------------------- vectors, derivatives ----------------------------------

// adds to an adjoint
static inline void tac_accumulate(tacVec3* bar, tacVec3 a) { *bar = tac_add(*bar, a); }

static inline tacReal tac_dot_jvp(tacVec3 a, tacVec3 b, tacVec3 a_dot, tacVec3 b_dot) {
    return tac_dot(a_dot, b) + tac_dot(a, b_dot);
}

static inline void tac_dot_vjp(tacVec3 a, tacVec3 b, tacReal bar, tacVec3* a_bar, tacVec3* b_bar) {
    *a_bar = tac_add_scaled(*a_bar, bar, b);
    *b_bar = tac_add_scaled(*b_bar, bar, a);
}

static inline tacVec3 tac_cross_jvp(tacVec3 a, tacVec3 b, tacVec3 a_dot, tacVec3 b_dot) {
    return tac_add(tac_cross(a_dot, b), tac_cross(a, b_dot));
}

// bar . (a x b) = a . (b x bar) = b . (bar x a)
static inline void tac_cross_vjp(tacVec3 a, tacVec3 b, tacVec3 bar, tacVec3* a_bar,
                                 tacVec3* b_bar) {
    tac_accumulate(a_bar, tac_cross(b, bar));
    tac_accumulate(b_bar, tac_cross(bar, a));
}

static inline tacReal tac_norm_jvp(tacVec3 a, tacVec3 a_dot) {
    return tac_dot(tac_normalize(a), a_dot);
}

static inline void tac_norm_vjp(tacVec3 a, tacReal bar, tacVec3* a_bar) {
    *a_bar = tac_add_scaled(*a_bar, bar, tac_normalize(a));
}

// (1 - n n') a_dot/|a|, n = a/|a|
static inline tacVec3 tac_normalize_jvp(tacVec3 a, tacVec3 a_dot) {
    tacReal s = tac_inverse_norm(a);
    tacVec3 n = tac_scale(a, s);
    return tac_scale(tac_add_scaled(a_dot, -tac_dot(n, a_dot), n), s);
}

// the matrix of the jvp is symmetric
static inline void tac_normalize_vjp(tacVec3 a, tacVec3 bar, tacVec3* a_bar) {
    tac_accumulate(a_bar, tac_normalize_jvp(a, bar));
}

//---------------------------------- matrices ----------------------------------

static inline tacMat3 tac_mat_diagonal(tacReal a, tacReal b, tacReal c) {
    return (tacMat3){{{a, 0.0, 0.0}, {0.0, b, 0.0}, {0.0, 0.0, c}}};
}

static inline tacMat3 tac_mat_zero(void) { return tac_mat_diagonal(0.0, 0.0, 0.0); }

static inline tacMat3 tac_mat_identity(void) { return tac_mat_diagonal(1.0, 1.0, 1.0); }

static inline tacVec3 tac_mat_row(tacMat3 a, int i) {
    return (tacVec3){a.m[i][0], a.m[i][1], a.m[i][2]};
}

static inline tacVec3 tac_mat_column(tacMat3 a, int j) {
    return (tacVec3){a.m[0][j], a.m[1][j], a.m[2][j]};
}

static inline tacMat3 tac_mat_from_rows(tacVec3 a, tacVec3 b, tacVec3 c) {
    return (tacMat3){{{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}}};
}

static inline tacMat3 tac_mat_from_columns(tacVec3 a, tacVec3 b, tacVec3 c) {
    return (tacMat3){{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}

static inline tacMat3 tac_mat_transpose(tacMat3 a) {
    return tac_mat_from_columns(tac_mat_row(a, 0), tac_mat_row(a, 1), tac_mat_row(a, 2));
}

// a + s b
static inline tacMat3 tac_mat_add_scaled(tacMat3 a, tacReal s, tacMat3 b) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) a.m[i][j] += s * b.m[i][j];
    }
    return a;
}

static inline tacMat3 tac_mat_add(tacMat3 a, tacMat3 b) { return tac_mat_add_scaled(a, 1.0, b); }

static inline tacMat3 tac_mat_sub(tacMat3 a, tacMat3 b) { return tac_mat_add_scaled(a, -1.0, b); }

static inline tacMat3 tac_mat_scale(tacMat3 a, tacReal s) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) a.m[i][j] *= s;
    }
    return a;
}

// a x
static inline tacVec3 tac_mat_mul_vec(tacMat3 a, tacVec3 x) {
    return (tacVec3){a.m[0][0] * x.x + a.m[0][1] * x.y + a.m[0][2] * x.z,
                     a.m[1][0] * x.x + a.m[1][1] * x.y + a.m[1][2] * x.z,
                     a.m[2][0] * x.x + a.m[2][1] * x.y + a.m[2][2] * x.z};
}

// a' x
static inline tacVec3 tac_mat_tmul_vec(tacMat3 a, tacVec3 x) {
    return (tacVec3){a.m[0][0] * x.x + a.m[1][0] * x.y + a.m[2][0] * x.z,
                     a.m[0][1] * x.x + a.m[1][1] * x.y + a.m[2][1] * x.z,
                     a.m[0][2] * x.x + a.m[1][2] * x.y + a.m[2][2] * x.z};
}

// a b
static inline tacMat3 tac_mat_mul(tacMat3 a, tacMat3 b) {
    tacMat3 c;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
        }
    }
    return c;
}

// a' b
static inline tacMat3 tac_mat_tmul(tacMat3 a, tacMat3 b) {
    return tac_mat_mul(tac_mat_transpose(a), b);
}

// a b'
static inline tacMat3 tac_mat_mul_t(tacMat3 a, tacMat3 b) {
    return tac_mat_mul(a, tac_mat_transpose(b));
}

// a b'
static inline tacMat3 tac_outer(tacVec3 a, tacVec3 b) {
    return tac_mat_from_rows(tac_scale(b, a.x), tac_scale(b, a.y), tac_scale(b, a.z));
}

// [a] with [a] b = a x b
static inline tacMat3 tac_skew(tacVec3 a) {
    return (tacMat3){{{0.0, -a.z, a.y}, {a.z, 0.0, -a.x}, {-a.y, a.x, 0.0}}};
}

// transpose of tac_skew: tac_mat_dot(a, tac_skew(w)) = tac_axial(a) . w; tac_axial([w]) = 2 w
static inline tacVec3 tac_axial(tacMat3 a) {
    return (tacVec3){a.m[2][1] - a.m[1][2], a.m[0][2] - a.m[2][0], a.m[1][0] - a.m[0][1]};
}

static inline tacReal tac_mat_trace(tacMat3 a) { return a.m[0][0] + a.m[1][1] + a.m[2][2]; }

// sum of a_ij b_ij
static inline tacReal tac_mat_dot(tacMat3 a, tacMat3 b) {
    return tac_dot(tac_mat_row(a, 0), tac_mat_row(b, 0)) +
           tac_dot(tac_mat_row(a, 1), tac_mat_row(b, 1)) +
           tac_dot(tac_mat_row(a, 2), tac_mat_row(b, 2));
}

//---------------------------------- matrices, derivatives ----------------------------------

static inline void tac_mat_accumulate(tacMat3* bar, tacMat3 a) { *bar = tac_mat_add(*bar, a); }

static inline tacVec3 tac_mat_mul_vec_jvp(tacMat3 a, tacVec3 x, tacMat3 a_dot, tacVec3 x_dot) {
    return tac_add(tac_mat_mul_vec(a_dot, x), tac_mat_mul_vec(a, x_dot));
}

static inline void tac_mat_mul_vec_vjp(tacMat3 a, tacVec3 x, tacVec3 bar, tacMat3* a_bar,
                                       tacVec3* x_bar) {
    tac_mat_accumulate(a_bar, tac_outer(bar, x));
    tac_accumulate(x_bar, tac_mat_tmul_vec(a, bar));
}

static inline tacMat3 tac_mat_mul_jvp(tacMat3 a, tacMat3 b, tacMat3 a_dot, tacMat3 b_dot) {
    return tac_mat_add(tac_mat_mul(a_dot, b), tac_mat_mul(a, b_dot));
}

static inline void tac_mat_mul_vjp(tacMat3 a, tacMat3 b, tacMat3 bar, tacMat3* a_bar,
                                   tacMat3* b_bar) {
    tac_mat_accumulate(a_bar, tac_mat_mul_t(bar, b));
    tac_mat_accumulate(b_bar, tac_mat_tmul(a, bar));
}

#endif
