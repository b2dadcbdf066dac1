// Spatial algebra: cross products of motions and forces, and rigid-body inertia.
//
// Order (linear, angular) and (force, torque), all about one reference point in one set of axes.
// Six numbers of a symmetric 3 x 3 matrix are xx yy zz xy xz yz (MuJoCo's fullinertia).

#ifndef TAC_MATH_SPATIAL_H
#define TAC_MATH_SPATIAL_H

#include "math/pose.h"

// Mass distribution of a rigid body. As an adjoint: of these ten numbers.
typedef struct tacInertia {
    tacReal mass;       // [kg]
    tacVec3 com;        // centre of mass, from the reference point [m]
    tacReal inertia[6]; // about the centre of mass [kg m^2]
} tacInertia;

//---------------------------------- cross products ----------------------------------

// a x b: rate of the motion b that is fixed in a frame moving with a
static inline tacTwist tac_cross_motion(tacTwist a, tacTwist b) {
    return (tacTwist){tac_add(tac_cross(a.angular, b.linear), tac_cross(a.linear, b.angular)),
                      tac_cross(a.angular, b.angular)};
}

// a x* f: the same for a force; power(a x b, f) = -power(b, a x* f)
static inline tacWrench tac_cross_force(tacTwist a, tacWrench f) {
    return (tacWrench){tac_cross(a.angular, f.force),
                       tac_add(tac_cross(a.angular, f.torque), tac_cross(a.linear, f.force))};
}

static inline tacTwist tac_cross_motion_jvp(tacTwist a, tacTwist b, tacTwist a_dot,
                                            tacTwist b_dot) {
    return tac_twist_add(tac_cross_motion(a_dot, b), tac_cross_motion(a, b_dot));
}

// a x b = -b x a
static inline void tac_cross_motion_vjp(tacTwist a, tacTwist b, tacWrench bar, tacWrench* a_bar,
                                        tacWrench* b_bar) {
    tac_wrench_accumulate(a_bar, tac_cross_force(b, bar));
    *b_bar = tac_wrench_sub(*b_bar, tac_cross_force(a, bar));
}

static inline tacWrench tac_cross_force_jvp(tacTwist a, tacWrench f, tacTwist a_dot,
                                            tacWrench f_dot) {
    return tac_wrench_add(tac_cross_force(a_dot, f), tac_cross_force(a, f_dot));
}

// power(bar, a x* f) = -power(a x bar, f) = -power(a, bar x* f)
static inline void tac_cross_force_vjp(tacTwist a, tacWrench f, tacTwist bar, tacWrench* a_bar,
                                       tacTwist* f_bar) {
    *a_bar = tac_wrench_sub(*a_bar, tac_cross_force(bar, f));
    *f_bar = tac_twist_sub(*f_bar, tac_cross_motion(a, bar));
}

// a x as a 6 x 6 matrix, row-major; a x* is minus its transpose
static inline void tac_cross_motion_matrix(tacTwist a, tacReal X[36]) {
    tacMat3 w = tac_skew(a.angular), v = tac_skew(a.linear);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            X[6 * i + j] = X[6 * (i + 3) + j + 3] = w.m[i][j];
            X[6 * i + j + 3] = v.m[i][j];
            X[6 * (i + 3) + j] = 0.0;
        }
    }
}

//---------------------------------- symmetric matrices ----------------------------------

static inline tacMat3 tac_sym_to_mat(const tacReal s[6]) {
    return (tacMat3){{{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}}};
}

// reads the upper triangle
static inline void tac_mat_to_sym(tacMat3 a, tacReal s[6]) {
    s[0] = a.m[0][0];
    s[1] = a.m[1][1];
    s[2] = a.m[2][2];
    s[3] = a.m[0][1];
    s[4] = a.m[0][2];
    s[5] = a.m[1][2];
}

// transpose of tac_sym_to_mat: adds to the adjoint of six numbers that of a matrix
static inline void tac_sym_to_mat_vjp(tacMat3 bar, tacReal s_bar[6]) {
    for (int i = 0; i < 3; ++i) s_bar[i] += bar.m[i][i];
    s_bar[3] += bar.m[0][1] + bar.m[1][0];
    s_bar[4] += bar.m[0][2] + bar.m[2][0];
    s_bar[5] += bar.m[1][2] + bar.m[2][1];
}

// the matrix whose product with any symmetric matrix is that of s_bar with its six numbers
static inline tacMat3 tac_sym_bar_to_mat(const tacReal b[6]) {
    tacReal xy = 0.5 * b[3], xz = 0.5 * b[4], yz = 0.5 * b[5];
    return (tacMat3){{{b[0], xy, xz}, {xy, b[1], yz}, {xz, yz, b[2]}}};
}

//---------------------------------- inertia ----------------------------------

// momentum of a body that moves with t: p = m (v + w x c), torque part I w + c x p
static inline tacWrench tac_inertia_apply(const tacInertia* I, tacTwist t) {
    tacVec3 p = tac_scale(tac_add(t.linear, tac_cross(t.angular, I->com)), I->mass);
    tacVec3 spin = tac_mat_mul_vec(tac_sym_to_mat(I->inertia), t.angular);
    return (tacWrench){p, tac_add(spin, tac_cross(I->com, p))};
}

static inline tacReal tac_kinetic_energy(const tacInertia* I, tacTwist t) {
    return 0.5 * tac_power(t, tac_inertia_apply(I, t));
}

tacWrench tac_inertia_apply_jvp(const tacInertia* I, tacTwist t, const tacInertia* I_dot,
                                tacTwist t_dot);
// `bar` has the kind of a twist; the inertia is symmetric, so t_bar gets I bar
void tac_inertia_apply_vjp(const tacInertia* I, tacTwist t, tacTwist bar, tacInertia* I_bar,
                           tacWrench* t_bar);

// the inertia in the frame that `a` is given in: com p + R c, inertia R I R'
tacInertia tac_inertia_transform(tacPose a, const tacInertia* I);
tacInertia tac_inertia_transform_jvp(tacPose a, const tacInertia* I, tacTwist a_dot,
                                     const tacInertia* I_dot);
void tac_inertia_transform_vjp(tacPose a, const tacInertia* I, const tacInertia* bar,
                               tacWrench* a_bar, tacInertia* I_bar);

// about another reference point: only the centre of mass is counted differently
static inline tacInertia tac_inertia_shift(tacInertia I, tacVec3 from, tacVec3 to) {
    I.com = tac_add(I.com, tac_sub(from, to));
    return I;
}

// both bodies as one; two massless bodies keep a's centre
tacInertia tac_inertia_add(const tacInertia* a, const tacInertia* b);
tacInertia tac_inertia_add_jvp(const tacInertia* a, const tacInertia* b, const tacInertia* a_dot,
                               const tacInertia* b_dot);
void tac_inertia_add_vjp(const tacInertia* a, const tacInertia* b, const tacInertia* bar,
                         tacInertia* a_bar, tacInertia* b_bar);

// the matrix of tac_inertia_apply, 6 x 6 row-major, symmetric
void tac_inertia_to_matrix(const tacInertia* I, tacReal M[36]);

#endif
