// Rotations and placements: functions too long for the headers.
//
// Every function of an angle is written in x = angle^2, so nothing divides by a small angle and all
// is smooth on 0 (docs/math.md, eq. 3 to 6).

#include "math/pose.h"

// enough terms for the last bit of each number type at the thresholds below
#ifdef TAC_NUMBER_QUAD
enum { STUMPFF_TERMS = 18, ATAN_TERMS = 28 };
typedef tacReal constant;
#else
enum { STUMPFF_TERMS = 10, ATAN_TERMS = 14 };
typedef double constant;
#endif

tacPose tac_pose_identity(void) { return (tacPose){tac_vec3_zero(), tac_quat_identity()}; }

//---------------------------------- rotation matrix to quaternion
//----------------------------------

// Shepperd: R holds all of 4 q q'; take its row with the largest diagonal, at least 1, and
// normalise
tacQuat tac_mat_to_quat(tacMat3 R) {
    tacReal a = R.m[0][0], b = R.m[1][1], c = R.m[2][2], trace = a + b + c;
    tacVec3 odd = tac_axial(R); // 4 w v
    tacReal xy = R.m[0][1] + R.m[1][0], xz = R.m[0][2] + R.m[2][0], yz = R.m[1][2] + R.m[2][1];
    double A = tac_re(a), B = tac_re(b), C = tac_re(c), T = tac_re(trace);
    tacQuat q;
    if (T >= A && T >= B && T >= C)
        q = (tacQuat){1.0 + trace, odd.x, odd.y, odd.z};
    else if (A >= B && A >= C)
        q = (tacQuat){odd.x, 1.0 + a - b - c, xy, xz};
    else if (B >= C)
        q = (tacQuat){odd.y, xy, 1.0 - a + b - c, yz};
    else
        q = (tacQuat){odd.z, xz, yz, 1.0 - a - b + c};
    return tac_quat_normalize(q);
}

// w = axial(R_dot R')/2, then the rate of q
tacQuat tac_mat_to_quat_jvp(tacMat3 R, tacMat3 R_dot) {
    tacVec3 w = tac_scale(tac_axial(tac_mat_mul_t(R_dot, R)), 0.5);
    return tac_quat_rate(tac_mat_to_quat(R), w);
}

void tac_mat_to_quat_vjp(tacMat3 R, tacQuat bar, tacMat3* R_bar) {
    tacVec3 w_bar = tac_quat_rate_vjp(tac_mat_to_quat(R), bar);
    *R_bar = tac_mat_add_scaled(*R_bar, 0.5, tac_mat_mul(tac_skew(w_bar), R));
}

//---------------------------------- functions of the squared angle
//----------------------------------

// sum of (-x)^n/(2 n + k)! for |x| <= 4, as nested products
static tacReal stumpff_series(tacReal x, int k, constant inverse_factorial) {
    tacReal sum = 1.0;
    for (int n = STUMPFF_TERMS; n > 0; --n) {
        constant inverse = (constant)1.0 / (constant)((2 * n + k - 1) * (2 * n + k));
        sum = 1.0 - sum * (x * inverse);
    }
    return sum * inverse_factorial;
}

void tac_stumpff(tacReal x, tacReal c[6]) {
    const constant sixth = (constant)1.0 / 6;
    if (tac_re(x) < 4.0) {
        // the highest two by series, the others by c[k] = 1/k! - x c[k + 2]
        c[4] = stumpff_series(x, 4, (constant)1.0 / 24);
        c[5] = stumpff_series(x, 5, (constant)1.0 / 120);
        c[3] = sixth - x * c[5];
        c[2] = 0.5 - x * c[4];
        c[1] = 1.0 - x * c[3];
        c[0] = 1.0 - x * c[2];
    } else {
        // upwards; 1 - cos as a square, which is exact near full rotations too
        tacReal angle = r_sqrt(x), half = r_sin(0.5 * angle);
        c[0] = r_cos(angle);
        c[1] = r_sin(angle) / angle;
        c[2] = 2.0 * half * half / x;
        c[3] = (1.0 - c[1]) / x;
        c[4] = (0.5 - c[2]) / x;
        c[5] = (sixth - c[3]) / x;
    }
}

// f = atan(r)/r as a function of t = r^2 < 1/16, and df/dt
static tacReal atan_series(tacReal t, tacReal* slope) {
    tacReal f = 0.0, d = 0.0;
    for (int n = ATAN_TERMS; n >= 0; --n) {
        d = f - t * d; // of f <- 1/(2 n + 1) - t f, up to sign
        f = (constant)1.0 / (constant)(2 * n + 1) - t * f;
    }
    *slope = -d;
    return f;
}

//---------------------------------- exponential and logarithm ----------------------------------

// (c0(y), c1(y) w/2), y = |w|^2/4
tacQuat tac_quat_exp(tacVec3 w) {
    tacReal c[6];
    tac_stumpff(0.25 * tac_norm2(w), c);
    return tac_quat(c[0], tac_scale(w, 0.5 * c[1]));
}

// dc0/dy = -c1/2, dc1/dy = (c3 - c2)/2, dy = w . dw/2
tacQuat tac_quat_exp_jvp(tacVec3 w, tacVec3 w_dot) {
    tacReal c[6], y_dot = 0.5 * tac_dot(w, w_dot);
    tac_stumpff(0.25 * tac_norm2(w), c);
    tacVec3 v = tac_add_scaled(tac_scale(w_dot, 0.5 * c[1]), 0.25 * (c[3] - c[2]) * y_dot, w);
    return tac_quat(-0.5 * c[1] * y_dot, v);
}

void tac_quat_exp_vjp(tacVec3 w, tacQuat bar, tacVec3* w_bar) {
    if (!w_bar) return;
    tacReal c[6];
    tac_stumpff(0.25 * tac_norm2(w), c);
    tacVec3 v_bar = tac_quat_vec(bar);
    tacReal y_bar = -0.5 * c[1] * bar.w + 0.25 * (c[3] - c[2]) * tac_dot(w, v_bar);
    *w_bar = tac_add_scaled(*w_bar, 0.5 * c[1], v_bar);
    *w_bar = tac_add_scaled(*w_bar, 0.5 * y_bar, w);
}

// The logarithm is A v with A = 2 atan2(|v|, w)/|v|, for q = (w, v) with w >= 0.
typedef struct logFactor {
    tacReal A, d_w, d_s2; // A, and its derivatives by w and by |v|^2
} logFactor;

// near v = 0: A = 2 f(t)/w, t = |v|^2/w^2
static logFactor log_factor_series(tacReal w, tacReal s2) {
    tacReal slope, i = 1.0 / w, f = atan_series(s2 * i * i, &slope);
    return (logFactor){2.0 * f * i, -2.0 / (w * w + s2), 2.0 * slope * i * i * i};
}

static logFactor log_factor(tacReal w, tacReal s2) {
    if (16.0 * tac_re(s2) < tac_re(w) * tac_re(w)) return log_factor_series(w, s2);
    tacReal s = r_sqrt(s2), n2 = w * w + s2, A = 2.0 * r_atan2(s, w) / s;
    return (logFactor){A, -2.0 / n2, (2.0 * w / n2 - A) / (2.0 * s2)};
}

// q or -q with w >= 0, and unit length so that no square underflows; 1 for q = 0
static tacQuat shortest_rotation(tacQuat q) {
    q = tac_quat_normalize(q);
    return tac_re(q.w) < 0.0 ? tac_quat_scale(q, -1.0) : q;
}

tacVec3 tac_quat_log(tacQuat q) {
    tacQuat u = shortest_rotation(q);
    tacVec3 v = tac_quat_vec(u);
    return tac_scale(v, log_factor(u.w, tac_norm2(v)).A);
}

// the derivative of u = shortest_rotation(q), both ways (the matrix is symmetric)
static tacQuat shortest_rotation_jvp(tacQuat q, tacQuat q_dot) {
    tacQuat u_dot = tac_quat_normalize_jvp(q, q_dot);
    return tac_re(q.w) < 0.0 ? tac_quat_scale(u_dot, -1.0) : u_dot;
}

tacVec3 tac_quat_log_jvp(tacQuat q, tacQuat q_dot) {
    tacQuat u = shortest_rotation(q), u_dot = shortest_rotation_jvp(q, q_dot);
    tacVec3 v = tac_quat_vec(u), v_dot = tac_quat_vec(u_dot);
    logFactor f = log_factor(u.w, tac_norm2(v));
    tacReal A_dot = f.d_w * u_dot.w + 2.0 * f.d_s2 * tac_dot(v, v_dot);
    return tac_add_scaled(tac_scale(v_dot, f.A), A_dot, v);
}

void tac_quat_log_vjp(tacQuat q, tacVec3 bar, tacQuat* q_bar) {
    if (!q_bar) return;
    tacQuat u = shortest_rotation(q);
    tacVec3 v = tac_quat_vec(u);
    logFactor f = log_factor(u.w, tac_norm2(v));
    tacReal A_bar = tac_dot(v, bar);
    tacVec3 v_bar = tac_add_scaled(tac_scale(bar, f.A), 2.0 * f.d_s2 * A_bar, v);
    tacQuat u_bar = tac_quat(f.d_w * A_bar, v_bar);
    *q_bar = tac_quat_add_scaled(*q_bar, 1.0, shortest_rotation_jvp(q, u_bar));
}

//---------------------------------- matrix functions of a rotation vector
//----------------------------

// 1 + c1 [w] + c2 [w]^2
tacRotationSeries tac_so3_exp_series(tacVec3 w) {
    tacReal c[6];
    tac_stumpff(tac_norm2(w), c);
    return (tacRotationSeries){c[1], c[2], 0.5 * (c[3] - c[2]), 0.5 * (2.0 * c[4] - c[3])};
}

// 1 + c2 [w] + c3 [w]^2
tacRotationSeries tac_so3_left_series(tacVec3 w) {
    tacReal c[6];
    tac_stumpff(tac_norm2(w), c);
    return (tacRotationSeries){c[2], c[3], 0.5 * (2.0 * c[4] - c[3]), 0.5 * (3.0 * c[5] - c[4])};
}

// 1 - [w]/2 + k [w]^2, k = (1 - (a/2) cot(a/2))/a^2 = (c2 - c3)/(4 c1) with c at y = |w|^2/4
tacRotationSeries tac_so3_left_inverse_series(tacVec3 w) {
    tacReal c[6];
    tac_stumpff(0.25 * tac_norm2(w), c);
    tacReal n = (c[2] - c[3]) / c[1], n_dot = (1.5 * (c[4] - c[5]) - 0.5 * c[3]) / c[1];
    return (tacRotationSeries){-0.5, 0.25 * n, 0.0, (n_dot + 0.5 * n * n) / 16.0};
}

// [w]^2 = w w' - |w|^2
tacMat3 tac_rotation_series(tacRotationSeries s, tacVec3 w) {
    tacReal d = 1.0 - s.b * tac_norm2(w);
    tacMat3 m = tac_mat_add_scaled(tac_mat_diagonal(d, d, d), s.a, tac_skew(w));
    return tac_mat_add_scaled(m, s.b, tac_outer(w, w));
}

tacMat3 tac_rotation_series_jvp(tacRotationSeries s, tacVec3 w, tacVec3 w_dot) {
    tacReal x = tac_norm2(w), x_dot = 2.0 * tac_dot(w, w_dot), b_dot = s.d_b * x_dot;
    tacReal d = -b_dot * x - s.b * x_dot;
    tacVec3 skew = tac_add_scaled(tac_scale(w_dot, s.a), s.d_a * x_dot, w);
    tacVec3 half = tac_add_scaled(tac_scale(w_dot, s.b), b_dot, w); // d(b w) = b dw + db w
    tacMat3 m = tac_mat_add(tac_mat_diagonal(d, d, d), tac_skew(skew));
    return tac_mat_add(m, tac_mat_add(tac_outer(half, w), tac_outer(tac_scale(w, s.b), w_dot)));
}

void tac_rotation_series_vjp(tacRotationSeries s, tacVec3 w, tacMat3 bar, tacVec3* w_bar) {
    tacReal x = tac_norm2(w), trace = tac_mat_trace(bar);
    tacVec3 axial = tac_axial(bar), mw = tac_mat_mul_vec(bar, w), tw = tac_mat_tmul_vec(bar, w);
    tacReal a_bar = tac_dot(axial, w), b_bar = tac_dot(w, mw) - x * trace;
    tacReal x_bar = s.d_a * a_bar + s.d_b * b_bar - s.b * trace;
    *w_bar = tac_add_scaled(*w_bar, s.a, axial);
    *w_bar = tac_add_scaled(*w_bar, s.b, tac_add(mw, tw));
    *w_bar = tac_add_scaled(*w_bar, 2.0 * x_bar, w);
}

//---------------------------------- twists and wrenches between frames ----------------------------

tacTwist tac_twist_transform_jvp(tacPose a, tacTwist t, tacTwist a_dot, tacTwist t_dot) {
    tacVec3 w = tac_pose_rotate(a, t.angular);
    tacVec3 w_dot = tac_pose_rotate_jvp(a, t.angular, a_dot, t_dot.angular);
    tacVec3 v_dot = tac_pose_rotate_jvp(a, t.linear, a_dot, t_dot.linear);
    return (tacTwist){tac_add(v_dot, tac_cross_jvp(a.position, w, a_dot.linear, w_dot)), w_dot};
}

void tac_twist_transform_vjp(tacPose a, tacTwist t, tacWrench bar, tacWrench* a_bar,
                             tacWrench* t_bar) {
    tacVec3 w_bar = bar.torque;
    tac_cross_vjp(a.position, tac_pose_rotate(a, t.angular), bar.force, &a_bar->force, &w_bar);
    tac_pose_rotate_vjp(a, t.linear, bar.force, a_bar, &t_bar->force);
    tac_pose_rotate_vjp(a, t.angular, w_bar, a_bar, &t_bar->torque);
}

tacTwist tac_twist_transform_inverse_jvp(tacPose a, tacTwist t, tacTwist a_dot, tacTwist t_dot) {
    tacVec3 v = tac_sub(t.linear, tac_cross(a.position, t.angular));
    tacVec3 v_dot =
        tac_sub(t_dot.linear, tac_cross_jvp(a.position, t.angular, a_dot.linear, t_dot.angular));
    return (tacTwist){tac_pose_rotate_inverse_jvp(a, v, a_dot, v_dot),
                      tac_pose_rotate_inverse_jvp(a, t.angular, a_dot, t_dot.angular)};
}

void tac_twist_transform_inverse_vjp(tacPose a, tacTwist t, tacWrench bar, tacWrench* a_bar,
                                     tacWrench* t_bar) {
    tacVec3 v = tac_sub(t.linear, tac_cross(a.position, t.angular)), v_bar = tac_vec3_zero();
    tac_pose_rotate_inverse_vjp(a, v, bar.force, a_bar, &v_bar);
    tac_pose_rotate_inverse_vjp(a, t.angular, bar.torque, a_bar, &t_bar->torque);
    tac_accumulate(&t_bar->force, v_bar);
    tac_cross_vjp(a.position, t.angular, tac_neg(v_bar), &a_bar->force, &t_bar->torque);
}

// A wrench is carried as a twist is, with force in the place of the angular part.
static tacTwist swap_wrench(tacWrench f) { return (tacTwist){f.torque, f.force}; }

static tacWrench swap_twist(tacTwist t) { return (tacWrench){t.angular, t.linear}; }

tacWrench tac_wrench_transform_jvp(tacPose a, tacWrench f, tacTwist a_dot, tacWrench f_dot) {
    return swap_twist(tac_twist_transform_jvp(a, swap_wrench(f), a_dot, swap_wrench(f_dot)));
}

void tac_wrench_transform_vjp(tacPose a, tacWrench f, tacTwist bar, tacWrench* a_bar,
                              tacTwist* f_bar) {
    tacWrench t_bar = tac_wrench_zero();
    tac_twist_transform_vjp(a, swap_wrench(f), swap_twist(bar), a_bar, &t_bar);
    tac_twist_accumulate(f_bar, swap_wrench(t_bar));
}

tacWrench tac_wrench_transform_inverse_jvp(tacPose a, tacWrench f, tacTwist a_dot,
                                           tacWrench f_dot) {
    return swap_twist(
        tac_twist_transform_inverse_jvp(a, swap_wrench(f), a_dot, swap_wrench(f_dot)));
}

void tac_wrench_transform_inverse_vjp(tacPose a, tacWrench f, tacTwist bar, tacWrench* a_bar,
                                      tacTwist* f_bar) {
    tacWrench t_bar = tac_wrench_zero();
    tac_twist_transform_inverse_vjp(a, swap_wrench(f), swap_twist(bar), a_bar, &t_bar);
    tac_twist_accumulate(f_bar, swap_wrench(t_bar));
}

// (R  [p]R; 0  R)
void tac_pose_adjoint(tacPose a, tacReal X[36]) {
    tacMat3 R = tac_quat_to_mat(a.rotation), pR = tac_mat_mul(tac_skew(a.position), R);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            X[6 * i + j] = X[6 * (i + 3) + j + 3] = R.m[i][j];
            X[6 * i + j + 3] = pR.m[i][j];
            X[6 * (i + 3) + j] = 0.0;
        }
    }
}
