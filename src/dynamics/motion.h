// One state, or a batch of `lanes` states of one model, with all that the dynamics compute of it.
//
//   qpos --kinematics--> poses, S --inverse--> velocities, forces, tau
//                               \--mass-------> M, factored --solve--> accelerations
//
// Every number is repeated `lanes` times: number i of lane k of an array is [i lanes + k]. Six
// numbers are in world axes about the origin of the body's tree (docs/dynamics.md). That origin is
// a constant of the state: no formula depends on where it lies.

#ifndef TAC_DYNAMICS_MOTION_H
#define TAC_DYNAMICS_MOTION_H

#include "base/arena.h"
#include "base/dispatch.h"
#include "tactus/state.h"

typedef struct tacMotion {
    // input
    const tacReal* qpos;     // (nq)
    const tacReal* qvel;     // (nv)
    const tacReal* qacc;     // (nv), NULL: zero
    const tacReal* wrench;   // (nbody x 6) on bodies, about the world's origin; NULL: none
    const tacReal* ctrl;     // (nu)
    const tacReal* act;      // (na)
    int has_external_forces; // do gravity compensation and fluid forces act?

    // of kinematics
    tacReal* quat;              // (nbody x 4) body to world
    tacReal* pos;               // (nbody x 3) of the body's origin, world
    tacReal* rot;               // (nbody x 9) columns of the rotation matrix
    tacReal* origin;            // (nbody x 3) reference point of the tree
    tacReal* S;                 // (nv x 6) motion of the body for a unit of velocity
    tacReal* anchor;            // (njoint x 3) the joint's point, world
    tacReal* quat_before_joint; // (njoint x 4) rotation of the body before the joint acts

    // of inverse
    tacReal* inertia; // (nbody x 10)
    tacReal* vel;     // (nbody x 6)
    tacReal* acc;     // (nbody x 6), gravity as an acceleration of the world upwards
    tacReal* force;   // (nbody x 6) inertial force of the body and all below it
    tacReal* load;    // (nbody x 6) wrench on the body and all below it, external and passive
    tacReal* base;    // (njoint x 12) velocity and acceleration of the base of the joint's axes

    // of mass
    tacReal* composite; // (nbody x 10) inertia of the body and all below it
    tacReal* M;         // (nM) by rows of tacDof; factored: L below the diagonal, 1/D on it

    // of applied
    tacReal* qfrc_actuator; // (nv) forces of the actuators, where joints clamp their sum

    // of derivatives
    tacReal* coriolis;       // (nbody x 12) momentum (3) and T (9) of the body and all below it
    tacReal* external_force; // (nbody x 72) derivatives of external forces, where there are any
    tacReal* work;           // of one call
} tacMotion;

// a tangent or an adjoint of the inputs of the dynamics; NULL: zero, or skipped
typedef struct tacMotionDot {
    tacReal* dq;     // (nv)
    tacReal* dv;     // (nv)
    tacReal* da;     // (nv)
    tacReal* theta;  // (nparam)
    tacReal* wrench; // (nbody x 6)
    tacReal* ctrl;   // (nu)
    tacReal* act;    // (na)
} tacMotionDot;

// Jacobians by rows that applied_jacobian adds to; `stride` numbers from row to row of the first
// three, NULL skips one
typedef struct tacAppliedJacobian {
    tacReal *by_q, *by_v, *by_act; // (nv x nv) (nv x nv) (nv x na)
    int stride;
    tacReal* by_ctrl; // (nv x nu)
} tacAppliedJacobian;

typedef struct tacDynamicsKernels {
    int lanes;

    void (*kinematics)(const tacModel* model, tacMotion* m);
    // tau = M(q) qacc + c(q, v) - J' wrench; after kinematics
    void (*inverse)(const tacModel* model, tacMotion* m, tacReal* tau);
    // M; after inverse. `extra` (nv) is added to the diagonal, NULL: nothing
    void (*mass)(const tacModel* model, tacMotion* m, const tacReal* extra);
    void (*factor)(const tacModel* model, tacMotion* m);
    // qacc = M^-1 (tau - c + J' wrench) in O(nv), without M; after inverse at qacc NULL, which m
    // keeps. `extra` as of mass; qacc may be tau
    void (*articulated)(const tacModel* model, tacMotion* m, const tacReal* tau,
                        const tacReal* extra, tacReal* qacc);
    // x = M^-1 x; after factor
    void (*solve)(const tacModel* model, const tacMotion* m, tacReal* x);
    // the same for `count` columns of one lane, `stride` numbers from row to row
    void (*solve_columns)(const tacModel* model, const tacMotion* m, tacReal* x, int count,
                          int stride);

    // springs, dampers and actuators along the joints: tau (nv), overwritten
    void (*applied)(const tacModel* model, const tacMotion* m, tacReal* tau);
    // M += h damping of tendons and actuators, after mass; and derivatives of that times qacc,
    // which the Jacobian takes off
    void (*damp)(const tacModel* model, tacMotion* m);
    void (*damp_jvp)(const tacModel* model, const tacMotion* m, const tacMotionDot* dot,
                     tacReal* y_dot);
    void (*damp_vjp)(const tacModel* model, const tacMotion* m, const tacReal* y_bar,
                     tacMotionDot* bar);
    void (*damp_jacobian)(const tacModel* model, const tacMotion* m, tacAppliedJacobian J);
    // rates of the activations, act' (na); and the activations after the time h
    void (*activate)(const tacModel* model, const tacMotion* m, tacReal* rate);
    void (*act_next)(const tacModel* model, const tacReal* act, const tacReal* rate, tacReal* next);
    // next = qpos moved by h velocity
    void (*integrate)(const tacModel* model, const tacReal* qpos, const tacReal* velocity,
                      tacReal h, tacReal* next);
    // out = a + s b
    void (*add_scaled)(int n, const tacReal* a, tacReal s, const tacReal* b, tacReal* out);

    // out += X Y: X (rows x inner) with `stride` from row to row, Y (inner x columns); one lane
    void (*multiply_add)(int rows, int inner, int columns, const tacReal* X, int stride,
                         const tacReal* Y, tacReal* out);

    // derivatives of inverse at the state that it left; after inverse and mass
    void (*coriolis)(const tacModel* model, tacMotion* m);
    void (*inverse_jvp)(const tacModel* model, tacMotion* m, const tacMotionDot* dot,
                        tacReal* tau_dot);
    void (*inverse_vjp)(const tacModel* model, tacMotion* m, const tacReal* tau_bar,
                        tacMotionDot* bar);
    // d tau/d q and d tau/d v, overwritten (nv x nv); `stride` numbers from row to row
    void (*inverse_jacobian)(const tacModel* model, tacMotion* m, tacReal* by_q, tacReal* by_v,
                             int stride);

    void (*applied_jvp)(const tacModel* model, const tacMotion* m, const tacMotionDot* dot,
                        tacReal* tau_dot);
    void (*applied_vjp)(const tacModel* model, const tacMotion* m, const tacReal* tau_bar,
                        tacMotionDot* bar);
    void (*applied_jacobian)(const tacModel* model, const tacMotion* m, tacAppliedJacobian J);
    void (*activate_jvp)(const tacModel* model, const tacMotion* m, const tacMotionDot* dot,
                         tacReal* rate_dot);
    void (*activate_vjp)(const tacModel* model, const tacMotion* m, const tacReal* rate_bar,
                         tacMotionDot* bar);
    void (*act_next_jvp)(const tacModel* model, const tacMotion* m, const tacReal* rate,
                         const tacReal* rate_dot, const tacMotionDot* dot, tacReal* next_dot);
    void (*act_next_vjp)(const tacModel* model, const tacMotion* m, const tacReal* rate,
                         const tacReal* next_bar, tacReal* rate_bar, tacMotionDot* bar);
} tacDynamicsKernels;

// for batches, and for single states with the same bits
TAC_DECLARE_KERNELS(tacDynamicsKernels, tac_dynamics_kernels_);
TAC_DECLARE_KERNELS(tacDynamicsKernels, tac_dynamics_single_);

// world poses of the bodies (nbody); after kinematics, one lane
void tac_motion_poses(const tacModel* model, const tacMotion* m, tacPose* pose);

// the arrays of a motion from an arena
tacMotion tac_motion_alloc(const tacModel* model, int lanes, tacArena* arena);

#endif
