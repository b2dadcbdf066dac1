// Forward dynamics without contact: (M + h D) a = applied - bias, of one state or of a batch with
// one state per lane; and of one state its derivatives. D is the damping that a step takes
// implicitly.

#ifndef TAC_DYNAMICS_FREE_DYNAMICS_H
#define TAC_DYNAMICS_FREE_DYNAMICS_H

#include "dynamics/dynamics.h"

typedef struct tacFreeDynamics {
    const tacModel* model;
    const tacDynamicsKernels* k;
    tacMotion m;                  // the caller sets its ctrl
    tacReal *bias, *damping_diag; // (nv)
    tacReal h;                    // time step
    int implicit_damping;         // is the damping of the joints implicit?
    int implicit_fast;            // and that of tendons and actuators?
    int use_aba;                  // are articulated bodies faster than a mass matrix?
    int gyroscopic; // is the gyroscopic couple of free bodies implicit? (gyroscopic.h)
} tacFreeDynamics;

tacFreeDynamics tac_free_dynamics_alloc(const tacModel* model, const tacDynamicsKernels* kernels,
                                        tacArena* arena);
// reads the model's time step and damping again
void tac_free_dynamics_reset(tacFreeDynamics* f);

// positions, velocities and activations of a state
typedef struct tacStateArrays {
    tacReal *q, *v, *act; // (nq) (nv) (na)
} tacStateArrays;

// The stages in order: kinematics; bias, and applied forces to tau; M + h D; accelerations in place
// of tau; rates of the activations.
void tac_free_dynamics_position(tacFreeDynamics* f, tacStateArrays x);
void tac_free_dynamics_forces(tacFreeDynamics* f, tacReal* tau);
void tac_free_dynamics_mass(tacFreeDynamics* f);
void tac_free_dynamics_accelerate(tacFreeDynamics* f, tacReal* a);
void tac_free_dynamics_activate(tacFreeDynamics* f, tacReal* rate);

// all of them: accelerations a (nv) and rates of the activations (na)
void tac_free_dynamics(tacFreeDynamics* f, tacStateArrays x, tacReal* a, tacReal* rate);

// After tac_free_dynamics: prepares the derivatives at its a. One lane.
void tac_free_dynamics_prepare_diff(tacFreeDynamics* f, const tacReal* a);
void tac_free_dynamics_jvp(tacFreeDynamics* f, const tacMotionDot* dot, tacReal* a_dot,
                           tacReal* rate_dot);
// adds; `a_bar` is overwritten
void tac_free_dynamics_vjp(tacFreeDynamics* f, tacReal* a_bar, const tacReal* rate_bar,
                           tacMotionDot* bar);

// The same of J' w - (M a + c + h D a) alone, with m.qacc and m.wrench held. Forward: begin, then
// the caller adds the contribution of its own forces to out, then end. Reverse: the caller first.
void tac_free_balance_prepare(tacFreeDynamics* f);
void tac_free_balance_begin_jvp(tacFreeDynamics* f, const tacMotionDot* dot);
void tac_free_balance_end_jvp(tacFreeDynamics* f, const tacMotionDot* dot, tacReal* out);
void tac_free_balance_vjp(tacFreeDynamics* f, tacReal* residual_bar, tacMotionDot* bar);

#endif
