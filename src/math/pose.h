// Rigid placements, and twists and wrenches carried between them.
//
// The tangent of a pose is a twist in world axes about the pose's own origin: the position moves by
// `linear`, the rotation R by [angular] R. "World" is whatever frame the pose is given in.
// For a body at y = p + R x this gives dy = linear + angular x (y - p) + R dx.

#ifndef TAC_MATH_POSE_H
#define TAC_MATH_POSE_H

#include "math/quat.h"

// Velocity (or small motion) of a rigid body: of the body's point at a named reference point, and
// the angular part. In arrays of 6: linear, then angular.
typedef struct tacTwist {
    tacVec3 linear, angular;
} tacTwist;

// Force, and torque about a named reference point. In arrays of 6: force, then torque. Also the
// adjoint of a twist.
typedef struct tacWrench {
    tacVec3 force, torque;
} tacWrench;

//---------------------------------- small things ----------------------------------

static inline tacTwist tac_twist_load(const tacReal* a) {
    return (tacTwist){tac_load3(a), tac_load3(a + 3)};
}

static inline void tac_twist_store(tacReal* out, tacTwist a) {
    tac_store3(out, a.linear);
    tac_store3(out + 3, a.angular);
}

static inline tacWrench tac_wrench_load(const tacReal* a) {
    return (tacWrench){tac_load3(a), tac_load3(a + 3)};
}

static inline void tac_wrench_store(tacReal* out, tacWrench a) {
    tac_store3(out, a.force);
    tac_store3(out + 3, a.torque);
}

static inline tacTwist tac_twist_zero(void) { return (tacTwist){tac_vec3_zero(), tac_vec3_zero()}; }

static inline tacWrench tac_wrench_zero(void) {
    return (tacWrench){tac_vec3_zero(), tac_vec3_zero()};
}

// a + s b
static inline tacTwist tac_twist_add_scaled(tacTwist a, tacReal s, tacTwist b) {
    return (tacTwist){tac_add_scaled(a.linear, s, b.linear),
                      tac_add_scaled(a.angular, s, b.angular)};
}

static inline tacTwist tac_twist_add(tacTwist a, tacTwist b) {
    return tac_twist_add_scaled(a, 1.0, b);
}

static inline tacTwist tac_twist_sub(tacTwist a, tacTwist b) {
    return tac_twist_add_scaled(a, -1.0, b);
}

static inline tacTwist tac_twist_scale(tacTwist a, tacReal s) {
    return (tacTwist){tac_scale(a.linear, s), tac_scale(a.angular, s)};
}

// a + s b
static inline tacWrench tac_wrench_add_scaled(tacWrench a, tacReal s, tacWrench b) {
    return (tacWrench){tac_add_scaled(a.force, s, b.force), tac_add_scaled(a.torque, s, b.torque)};
}

static inline tacWrench tac_wrench_add(tacWrench a, tacWrench b) {
    return tac_wrench_add_scaled(a, 1.0, b);
}

static inline tacWrench tac_wrench_sub(tacWrench a, tacWrench b) {
    return tac_wrench_add_scaled(a, -1.0, b);
}

static inline tacWrench tac_wrench_scale(tacWrench a, tacReal s) {
    return (tacWrench){tac_scale(a.force, s), tac_scale(a.torque, s)};
}

// adds to an adjoint
static inline void tac_wrench_accumulate(tacWrench* bar, tacWrench a) {
    *bar = tac_wrench_add(*bar, a);
}

static inline void tac_twist_accumulate(tacTwist* bar, tacTwist a) {
    *bar = tac_twist_add(*bar, a);
}

// rate of work, both about the same point
static inline tacReal tac_power(tacTwist a, tacWrench f) {
    return tac_dot(a.linear, f.force) + tac_dot(a.angular, f.torque);
}

//---------------------------------- poses ----------------------------------

// p + R x
static inline tacVec3 tac_pose_apply(tacPose a, tacVec3 x) {
    return tac_add(a.position, tac_quat_rotate(a.rotation, x));
}

// R' (y - p)
static inline tacVec3 tac_pose_apply_inverse(tacPose a, tacVec3 y) {
    return tac_quat_rotate_inverse(a.rotation, tac_sub(y, a.position));
}

// R x: directions
static inline tacVec3 tac_pose_rotate(tacPose a, tacVec3 x) {
    return tac_quat_rotate(a.rotation, x);
}

static inline tacVec3 tac_pose_rotate_inverse(tacPose a, tacVec3 y) {
    return tac_quat_rotate_inverse(a.rotation, y);
}

// x -> a(b(x))
static inline tacPose tac_pose_compose(tacPose a, tacPose b) {
    return (tacPose){tac_pose_apply(a, b.position), tac_quat_mul(a.rotation, b.rotation)};
}

static inline tacPose tac_pose_inverse(tacPose a) {
    return (tacPose){tac_neg(tac_quat_rotate_inverse(a.rotation, a.position)),
                     tac_quat_conj(a.rotation)};
}

// MuJoCo's step of a free joint: linear part in world axes, angular part in body axes
static inline tacPose tac_pose_integrate(tacPose a, tacVec3 linear, tacVec3 angular) {
    return (tacPose){tac_add(a.position, linear), tac_quat_integrate(a.rotation, angular)};
}

//---------------------------------- poses, derivatives ----------------------------------

// dy = v + w x (y - p) + R dx
static inline tacVec3 tac_pose_apply_jvp(tacPose a, tacVec3 x, tacTwist a_dot, tacVec3 x_dot) {
    tacVec3 turned = tac_cross(a_dot.angular, tac_quat_rotate(a.rotation, x));
    return tac_add(tac_add(a_dot.linear, turned), tac_quat_rotate(a.rotation, x_dot));
}

static inline void tac_pose_apply_vjp(tacPose a, tacVec3 x, tacVec3 bar, tacWrench* a_bar,
                                      tacVec3* x_bar) {
    tac_accumulate(&a_bar->force, bar);
    tac_accumulate(&a_bar->torque, tac_cross(tac_quat_rotate(a.rotation, x), bar));
    tac_accumulate(x_bar, tac_quat_rotate_inverse(a.rotation, bar));
}

// dx = R' (dy - v - w x (y - p))
static inline tacVec3 tac_pose_apply_inverse_jvp(tacPose a, tacVec3 y, tacTwist a_dot,
                                                 tacVec3 y_dot) {
    tacVec3 carried = tac_add(a_dot.linear, tac_cross(a_dot.angular, tac_sub(y, a.position)));
    return tac_quat_rotate_inverse(a.rotation, tac_sub(y_dot, carried));
}

static inline void tac_pose_apply_inverse_vjp(tacPose a, tacVec3 y, tacVec3 bar, tacWrench* a_bar,
                                              tacVec3* y_bar) {
    tacVec3 world = tac_quat_rotate(a.rotation, bar);
    tac_accumulate(y_bar, world);
    tac_accumulate(&a_bar->force, tac_neg(world));
    tac_accumulate(&a_bar->torque, tac_cross(world, tac_sub(y, a.position)));
}

static inline tacVec3 tac_pose_rotate_jvp(tacPose a, tacVec3 x, tacTwist a_dot, tacVec3 x_dot) {
    return tac_add(tac_cross(a_dot.angular, tac_pose_rotate(a, x)), tac_pose_rotate(a, x_dot));
}

static inline void tac_pose_rotate_vjp(tacPose a, tacVec3 x, tacVec3 bar, tacWrench* a_bar,
                                       tacVec3* x_bar) {
    tac_accumulate(&a_bar->torque, tac_cross(tac_pose_rotate(a, x), bar));
    tac_accumulate(x_bar, tac_pose_rotate_inverse(a, bar));
}

// d(R' y) = R' (dy - w x y)
static inline tacVec3 tac_pose_rotate_inverse_jvp(tacPose a, tacVec3 y, tacTwist a_dot,
                                                  tacVec3 y_dot) {
    return tac_pose_rotate_inverse(a, tac_sub(y_dot, tac_cross(a_dot.angular, y)));
}

static inline void tac_pose_rotate_inverse_vjp(tacPose a, tacVec3 y, tacVec3 bar, tacWrench* a_bar,
                                               tacVec3* y_bar) {
    tacVec3 world = tac_pose_rotate(a, bar);
    tac_accumulate(&a_bar->torque, tac_cross(world, y));
    tac_accumulate(y_bar, world);
}

// b's twist is in a's axes, as b is given in a's frame
static inline tacTwist tac_pose_compose_jvp(tacPose a, tacPose b, tacTwist a_dot, tacTwist b_dot) {
    return (tacTwist){tac_pose_apply_jvp(a, b.position, a_dot, b_dot.linear),
                      tac_add(a_dot.angular, tac_pose_rotate(a, b_dot.angular))};
}

static inline void tac_pose_compose_vjp(tacPose a, tacPose b, tacWrench bar, tacWrench* a_bar,
                                        tacWrench* b_bar) {
    tac_pose_apply_vjp(a, b.position, bar.force, a_bar, &b_bar->force);
    tac_accumulate(&a_bar->torque, bar.torque);
    tac_accumulate(&b_bar->torque, tac_pose_rotate_inverse(a, bar.torque));
}

// d(-R' p) = R' (w x p - v), d(R') = [-R' w] R'
static inline tacTwist tac_pose_inverse_jvp(tacPose a, tacTwist a_dot) {
    tacVec3 moved = tac_sub(tac_cross(a_dot.angular, a.position), a_dot.linear);
    return (tacTwist){tac_pose_rotate_inverse(a, moved),
                      tac_neg(tac_pose_rotate_inverse(a, a_dot.angular))};
}

static inline void tac_pose_inverse_vjp(tacPose a, tacWrench bar, tacWrench* a_bar) {
    tacVec3 force = tac_pose_rotate(a, bar.force), torque = tac_pose_rotate(a, bar.torque);
    tac_accumulate(&a_bar->force, tac_neg(force));
    tac_accumulate(&a_bar->torque, tac_sub(tac_cross(a.position, force), torque));
}

//---------------------------------- twists and wrenches between points ----------------------------

// the same motion, about `to`: v + w x (to - from)
static inline tacTwist tac_twist_shift(tacTwist a, tacVec3 from, tacVec3 to) {
    tacVec3 r = tac_sub(to, from);
    return (tacTwist){tac_add(a.linear, tac_cross(a.angular, r)), a.angular};
}

// the same load, about `to`: torque + (from - to) x force
static inline tacWrench tac_wrench_shift(tacWrench a, tacVec3 from, tacVec3 to) {
    tacVec3 r = tac_sub(from, to);
    return (tacWrench){a.force, tac_add(a.torque, tac_cross(r, a.force))};
}

// `r_dot` is the derivative of to - from
static inline tacTwist tac_twist_shift_jvp(tacTwist a, tacVec3 from, tacVec3 to, tacTwist a_dot,
                                           tacVec3 r_dot) {
    tacTwist d = tac_twist_shift(a_dot, from, to);
    d.linear = tac_add(d.linear, tac_cross(a.angular, r_dot));
    return d;
}

static inline void tac_twist_shift_vjp(tacTwist a, tacVec3 from, tacVec3 to, tacWrench bar,
                                       tacWrench* a_bar, tacVec3* r_bar) {
    tac_wrench_accumulate(a_bar, tac_wrench_shift(bar, to, from));
    tac_accumulate(r_bar, tac_cross(bar.force, a.angular));
}

// `r_dot` is the derivative of to - from
static inline tacWrench tac_wrench_shift_jvp(tacWrench a, tacVec3 from, tacVec3 to, tacWrench a_dot,
                                             tacVec3 r_dot) {
    tacWrench d = tac_wrench_shift(a_dot, from, to);
    d.torque = tac_sub(d.torque, tac_cross(r_dot, a.force));
    return d;
}

static inline void tac_wrench_shift_vjp(tacWrench a, tacVec3 from, tacVec3 to, tacTwist bar,
                                        tacTwist* a_bar, tacVec3* r_bar) {
    tac_twist_accumulate(a_bar, tac_twist_shift(bar, to, from));
    tac_accumulate(r_bar, tac_cross(bar.angular, a.force));
}

//---------------------------------- twists and wrenches between frames ----------------------------

// Adjoint of a pose: a twist in its axes about its origin -> world axes, about the world's origin
static inline tacTwist tac_twist_transform(tacPose a, tacTwist t) {
    tacVec3 w = tac_pose_rotate(a, t.angular);
    return (tacTwist){tac_add(tac_pose_rotate(a, t.linear), tac_cross(a.position, w)), w};
}

static inline tacTwist tac_twist_transform_inverse(tacPose a, tacTwist t) {
    tacVec3 v = tac_sub(t.linear, tac_cross(a.position, t.angular));
    return (tacTwist){tac_pose_rotate_inverse(a, v), tac_pose_rotate_inverse(a, t.angular)};
}

// the same for a wrench: power does not change
static inline tacWrench tac_wrench_transform(tacPose a, tacWrench f) {
    tacVec3 force = tac_pose_rotate(a, f.force);
    return (tacWrench){force, tac_add(tac_pose_rotate(a, f.torque), tac_cross(a.position, force))};
}

static inline tacWrench tac_wrench_transform_inverse(tacPose a, tacWrench f) {
    tacVec3 torque = tac_sub(f.torque, tac_cross(a.position, f.force));
    return (tacWrench){tac_pose_rotate_inverse(a, f.force), tac_pose_rotate_inverse(a, torque)};
}

tacTwist tac_twist_transform_jvp(tacPose a, tacTwist t, tacTwist a_dot, tacTwist t_dot);
void tac_twist_transform_vjp(tacPose a, tacTwist t, tacWrench bar, tacWrench* a_bar,
                             tacWrench* t_bar);
tacTwist tac_twist_transform_inverse_jvp(tacPose a, tacTwist t, tacTwist a_dot, tacTwist t_dot);
void tac_twist_transform_inverse_vjp(tacPose a, tacTwist t, tacWrench bar, tacWrench* a_bar,
                                     tacWrench* t_bar);
tacWrench tac_wrench_transform_jvp(tacPose a, tacWrench f, tacTwist a_dot, tacWrench f_dot);
void tac_wrench_transform_vjp(tacPose a, tacWrench f, tacTwist bar, tacWrench* a_bar,
                              tacTwist* f_bar);
tacWrench tac_wrench_transform_inverse_jvp(tacPose a, tacWrench f, tacTwist a_dot, tacWrench f_dot);
void tac_wrench_transform_inverse_vjp(tacPose a, tacWrench f, tacTwist bar, tacWrench* a_bar,
                                      tacTwist* f_bar);

// The matrix of tac_twist_transform, 6 x 6 row-major; its transpose is
// tac_wrench_transform_inverse.
void tac_pose_adjoint(tacPose a, tacReal X[36]);

#endif
