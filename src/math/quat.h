// Quaternions and rotations.
//
// A quaternion of any length means the rotation R(q/|q|); 0 means no rotation, as in
// MuJoCo. Derivatives of rotations come in two kinds (docs/math.md):
//   raw      the four numbers q, through the normalisation;
//   tangent  three numbers, a small rotation vector: in body axes q exp(d), in world axes exp(d) q.

#ifndef TAC_MATH_QUAT_H
#define TAC_MATH_QUAT_H

#include "math/vec3.h"

//---------------------------------- algebra ----------------------------------

static inline tacQuat tac_quat(tacReal w, tacVec3 v) { return (tacQuat){w, v.x, v.y, v.z}; }

static inline tacQuat tac_quat_identity(void) { return (tacQuat){1.0, 0.0, 0.0, 0.0}; }

static inline tacQuat tac_quat_load(const tacReal* a) { return (tacQuat){a[0], a[1], a[2], a[3]}; }

static inline void tac_quat_store(tacReal* out, tacQuat q) {
    out[0] = q.w;
    out[1] = q.x;
    out[2] = q.y;
    out[3] = q.z;
}

// the vector part
static inline tacVec3 tac_quat_vec(tacQuat q) { return (tacVec3){q.x, q.y, q.z}; }

static inline tacQuat tac_quat_conj(tacQuat q) { return (tacQuat){q.w, -q.x, -q.y, -q.z}; }

static inline tacQuat tac_quat_scale(tacQuat q, tacReal s) {
    return (tacQuat){q.w * s, q.x * s, q.y * s, q.z * s};
}

// a + s b
static inline tacQuat tac_quat_add_scaled(tacQuat a, tacReal s, tacQuat b) {
    return (tacQuat){a.w + s * b.w, a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline tacReal tac_quat_dot(tacQuat a, tacQuat b) {
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

// 1/|q|^2, and 0 for what counts as the zero quaternion (|q| < 1e-15, MuJoCo's mjMINVAL)
static inline tacReal tac_quat_inverse_norm2(tacQuat q) {
    tacReal n2 = tac_quat_dot(q, q);
    return tac_re(n2) >= 1e-30 ? 1.0 / n2 : (tacReal)0.0;
}

// R(a b) = R(a) R(b)
static inline tacQuat tac_quat_mul(tacQuat a, tacQuat b) {
    return (tacQuat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                     a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static inline tacQuat tac_quat_mul_jvp(tacQuat a, tacQuat b, tacQuat a_dot, tacQuat b_dot) {
    return tac_quat_add_scaled(tac_quat_mul(a_dot, b), 1.0, tac_quat_mul(a, b_dot));
}

// the transpose of multiplying by b is multiplying by its conjugate
static inline void tac_quat_mul_vjp(tacQuat a, tacQuat b, tacQuat bar, tacQuat* a_bar,
                                    tacQuat* b_bar) {
    *a_bar = tac_quat_add_scaled(*a_bar, 1.0, tac_quat_mul(bar, tac_quat_conj(b)));
    *b_bar = tac_quat_add_scaled(*b_bar, 1.0, tac_quat_mul(tac_quat_conj(a), bar));
}

// q/|q|; 0 becomes the identity
static inline tacQuat tac_quat_normalize(tacQuat q) {
    tacReal n2 = tac_quat_dot(q, q);
    return tac_re(n2) >= 1e-30 ? tac_quat_scale(q, 1.0 / r_sqrt(n2)) : tac_quat_identity();
}

// (1 - u u') q_dot/|q|, u = q/|q|; 0 for q = 0
static inline tacQuat tac_quat_normalize_jvp(tacQuat q, tacQuat q_dot) {
    tacReal s2 = tac_quat_inverse_norm2(q);
    tacReal s = tac_re(s2) > 0.0 ? r_sqrt(s2) : (tacReal)0.0;
    return tac_quat_scale(tac_quat_add_scaled(q_dot, -tac_quat_dot(q, q_dot) * s2, q), s);
}

// the matrix of the jvp is symmetric
static inline void tac_quat_normalize_vjp(tacQuat q, tacQuat bar, tacQuat* q_bar) {
    *q_bar = tac_quat_add_scaled(*q_bar, 1.0, tac_quat_normalize_jvp(q, bar));
}

//---------------------------------- between raw and tangent ----------------------------------

// q_dot of a body that rotates with angular velocity w (world axes): q_dot = (0, w) q/2
static inline tacQuat tac_quat_rate(tacQuat q, tacVec3 w) {
    return tac_quat_mul(tac_quat(0.0, tac_scale(w, 0.5)), q);
}

// angular velocity of R(q/|q|), world axes: w = 2 vec(q_dot conj(q))/|q|^2
static inline tacVec3 tac_quat_angular(tacQuat q, tacQuat q_dot) {
    tacQuat p = tac_quat_mul(q_dot, tac_quat_conj(q));
    return tac_scale(tac_quat_vec(p), 2.0 * tac_quat_inverse_norm2(q));
}

// transpose of tac_quat_rate: adjoint of four numbers -> adjoint of a small rotation, world axes
static inline tacVec3 tac_quat_rate_vjp(tacQuat q, tacQuat bar) {
    return tac_scale(tac_quat_vec(tac_quat_mul(bar, tac_quat_conj(q))), 0.5);
}

//---------------------------------- rotation of a vector ----------------------------------

// R(q/|q|) u = u + (2/|q|^2) (w t + v x t), t = v x u
static inline tacVec3 tac_quat_rotate(tacQuat q, tacVec3 u) {
    tacVec3 v = tac_quat_vec(q), t = tac_cross(v, u);
    tacVec3 d = tac_add_scaled(tac_cross(v, t), q.w, t);
    return tac_add_scaled(u, 2.0 * tac_quat_inverse_norm2(q), d);
}

// R(q/|q|)' u
static inline tacVec3 tac_quat_rotate_inverse(tacQuat q, tacVec3 u) {
    return tac_quat_rotate(tac_quat_conj(q), u);
}

// R u_dot + w x R u
static inline tacVec3 tac_quat_rotate_jvp(tacQuat q, tacVec3 u, tacQuat q_dot, tacVec3 u_dot) {
    tacVec3 w = tac_quat_angular(q, q_dot);
    return tac_add(tac_quat_rotate(q, u_dot), tac_cross(w, tac_quat_rotate(q, u)));
}

// w_bar = R u x bar, carried to the raw numbers: q_bar = (2/|q|^2) (0, w_bar) q
static inline void tac_quat_rotate_vjp(tacQuat q, tacVec3 u, tacVec3 bar, tacQuat* q_bar,
                                       tacVec3* u_bar) {
    tacVec3 w_bar = tac_cross(tac_quat_rotate(q, u), bar);
    *q_bar = tac_quat_add_scaled(*q_bar, 4.0 * tac_quat_inverse_norm2(q), tac_quat_rate(q, w_bar));
    tac_accumulate(u_bar, tac_quat_rotate_inverse(q, bar));
}

//---------------------------------- rotation matrix ----------------------------------

// R(q/|q|) = 1 + (2/|q|^2) (w [v] + [v]^2)
static inline tacMat3 tac_quat_to_mat(tacQuat q) {
    tacReal s = 2.0 * tac_quat_inverse_norm2(q);
    tacReal x = s * q.x, y = s * q.y, z = s * q.z;
    tacReal xx = x * q.x, yy = y * q.y, zz = z * q.z, xy = x * q.y, xz = x * q.z, yz = y * q.z;
    tacReal wx = x * q.w, wy = y * q.w, wz = z * q.w;
    return (tacMat3){{{1.0 - (yy + zz), xy - wz, xz + wy},
                      {xy + wz, 1.0 - (xx + zz), yz - wx},
                      {xz - wy, yz + wx, 1.0 - (xx + yy)}}};
}

// [w] R
static inline tacMat3 tac_quat_to_mat_jvp(tacQuat q, tacQuat q_dot) {
    return tac_mat_mul(tac_skew(tac_quat_angular(q, q_dot)), tac_quat_to_mat(q));
}

// adjoint of a rotation matrix -> adjoint of a small rotation, world axes
static inline tacVec3 tac_mat_bar_to_angular(tacMat3 R, tacMat3 bar) {
    return tac_axial(tac_mat_mul_t(bar, R));
}

static inline void tac_quat_to_mat_vjp(tacQuat q, tacMat3 bar, tacQuat* q_bar) {
    tacVec3 w_bar = tac_mat_bar_to_angular(tac_quat_to_mat(q), bar);
    *q_bar = tac_quat_add_scaled(*q_bar, 4.0 * tac_quat_inverse_norm2(q), tac_quat_rate(q, w_bar));
}

// the unit quaternion of a rotation matrix; its largest component is positive
tacQuat tac_mat_to_quat(tacMat3 R);

// for R_dot tangent to the rotations; what is not tangent is projected away
tacQuat tac_mat_to_quat_jvp(tacMat3 R, tacMat3 R_dot);
void tac_mat_to_quat_vjp(tacMat3 R, tacQuat bar, tacMat3* R_bar);

//---------------------------------- exponential and logarithm ----------------------------------

// c[k] = sum over n of (-x)^n/(2 n + k)!, k = 0..5 (Stumpff). With x = a^2: cos a, sin(a)/a,
// (1 - cos a)/a^2, (a - sin a)/a^3, ...; smooth on x = 0. dc[k]/dx = (k c[k+2] - c[k+1])/2.
void tac_stumpff(tacReal x, tacReal c[6]);

// tac_quat_exp, tac_quat_log and their derivatives, which are raw: tactus/pose.h

// A matrix function of a rotation vector, 1 + a(x) [w] + b(x) [w]^2, with x = |w|^2.
typedef struct tacRotationSeries {
    tacReal a, b, d_a, d_b; // coefficients and their derivatives in x
} tacRotationSeries;

tacRotationSeries tac_so3_exp_series(tacVec3 w);
tacRotationSeries tac_so3_left_series(tacVec3 w);
tacRotationSeries tac_so3_left_inverse_series(tacVec3 w); // singular on |w| = 2 pi
tacMat3 tac_rotation_series(tacRotationSeries s, tacVec3 w);
tacMat3 tac_rotation_series_jvp(tacRotationSeries s, tacVec3 w, tacVec3 w_dot);
void tac_rotation_series_vjp(tacRotationSeries s, tacVec3 w, tacMat3 bar, tacVec3* w_bar);

// R = exp([w])
static inline tacMat3 tac_so3_exp(tacVec3 w) {
    return tac_rotation_series(tac_so3_exp_series(w), w);
}

// exp(w + dw) = exp(J_l dw) exp(w) = exp(w) exp(J_r dw), J_r = J_l' = J_l(-w)
static inline tacMat3 tac_so3_left_jacobian(tacVec3 w) {
    return tac_rotation_series(tac_so3_left_series(w), w);
}

static inline tacMat3 tac_so3_right_jacobian(tacVec3 w) {
    return tac_so3_left_jacobian(tac_neg(w));
}

static inline tacMat3 tac_so3_left_jacobian_inverse(tacVec3 w) {
    return tac_rotation_series(tac_so3_left_inverse_series(w), w);
}

static inline tacMat3 tac_so3_right_jacobian_inverse(tacVec3 w) {
    return tac_so3_left_jacobian_inverse(tac_neg(w));
}

static inline tacMat3 tac_so3_exp_jvp(tacVec3 w, tacVec3 w_dot) {
    return tac_rotation_series_jvp(tac_so3_exp_series(w), w, w_dot);
}

static inline void tac_so3_exp_vjp(tacVec3 w, tacMat3 bar, tacVec3* w_bar) {
    tac_rotation_series_vjp(tac_so3_exp_series(w), w, bar, w_bar);
}

static inline tacMat3 tac_so3_left_jacobian_jvp(tacVec3 w, tacVec3 w_dot) {
    return tac_rotation_series_jvp(tac_so3_left_series(w), w, w_dot);
}

static inline void tac_so3_left_jacobian_vjp(tacVec3 w, tacMat3 bar, tacVec3* w_bar) {
    tac_rotation_series_vjp(tac_so3_left_series(w), w, bar, w_bar);
}

static inline tacMat3 tac_so3_left_jacobian_inverse_jvp(tacVec3 w, tacVec3 w_dot) {
    return tac_rotation_series_jvp(tac_so3_left_inverse_series(w), w, w_dot);
}

static inline void tac_so3_left_jacobian_inverse_vjp(tacVec3 w, tacMat3 bar, tacVec3* w_bar) {
    tac_rotation_series_vjp(tac_so3_left_inverse_series(w), w, bar, w_bar);
}

//---------------------------------- integrate and differentiate ----------------------------------

// MuJoCo's map (mju_quatIntegrate): q/|q| exp(w), w a rotation vector in body axes
static inline tacQuat tac_quat_integrate(tacQuat q, tacVec3 w) {
    return tac_quat_mul(tac_quat_normalize(q), tac_quat_exp(w));
}

// All tangents in body axes: d_next = exp(-w) d_q + J_r(w) w_dot.
static inline tacVec3 tac_quat_integrate_jvp(tacVec3 w, tacVec3 q_dot, tacVec3 w_dot) {
    return tac_add(tac_mat_tmul_vec(tac_so3_exp(w), q_dot),
                   tac_mat_tmul_vec(tac_so3_left_jacobian(w), w_dot));
}

static inline void tac_quat_integrate_vjp(tacVec3 w, tacVec3 bar, tacVec3* q_bar, tacVec3* w_bar) {
    tac_accumulate(q_bar, tac_mat_mul_vec(tac_so3_exp(w), bar));
    tac_accumulate(w_bar, tac_mat_mul_vec(tac_so3_left_jacobian(w), bar));
}

// the shortest w with tac_quat_integrate(from, w) = to, body axes (MuJoCo's mju_subQuat(to, from))
static inline tacVec3 tac_quat_difference(tacQuat from, tacQuat to) {
    tacQuat inverse = tac_quat_conj(tac_quat_normalize(from));
    return tac_quat_log(tac_quat_mul(inverse, tac_quat_normalize(to)));
}

// With w the difference, all tangents in body axes: w_dot = J_r(w)^-1 to_dot - J_l(w)^-1 from_dot.
static inline tacVec3 tac_quat_difference_jvp(tacVec3 w, tacVec3 from_dot, tacVec3 to_dot) {
    tacMat3 left = tac_so3_left_jacobian_inverse(w);
    return tac_sub(tac_mat_tmul_vec(left, to_dot), tac_mat_mul_vec(left, from_dot));
}

static inline void tac_quat_difference_vjp(tacVec3 w, tacVec3 bar, tacVec3* from_bar,
                                           tacVec3* to_bar) {
    tacMat3 left = tac_so3_left_jacobian_inverse(w);
    tac_accumulate(to_bar, tac_mat_mul_vec(left, bar));
    tac_accumulate(from_bar, tac_neg(tac_mat_tmul_vec(left, bar)));
}

#endif
