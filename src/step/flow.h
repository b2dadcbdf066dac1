// The equation of motion, a = M^-1 (springs + dampers + actuators + contact - bias), of one state
// or of a batch with one state per lane; and of one state its derivatives. Contact is of one state.

#ifndef TAC_STEP_FLOW_H
#define TAC_STEP_FLOW_H

#include "dynamics/dynamics.h"
#include "step/touch.h"

typedef struct tacFlow {
    const tacModel* model;
    const tacDynamicsKernels* k;
    tacMotion m;           // its ctrl is set by who takes the flow
    tacReal *bias, *extra; // (nv)
    tacReal h;             // time step
    int implicit;          // is the damping of the joints implicit?
    int fast;              // and that of tendons and actuators?
    int deep;              // are articulated bodies faster than a mass matrix?
    int spins;             // is the gyroscopic couple of free bodies ahead of the step? (spin.h)
    tacTouch* touch;       // contact; NULL: none
    int by_code;           // are accelerations by the scratch's code? (generated.h)
    tacResult result;      // of contact: the first failure
} tacFlow;

// with `derivatives` 1 what they need of contact is made, too
tacFlow tac_flow_take(const tacModel* model, const tacDynamicsKernels* kernels, int derivatives,
                      tacScratch* scratch);
// what a flow that was taken before reads of the model's numbers, and of the scratch
void tac_flow_again(tacFlow* f, tacScratch* scratch);
size_t tac_flow_size(const tacModel* model, int lanes, size_t real_size);

// what moves: positions, velocities, activations
typedef struct tacPoint {
    tacReal *q, *v, *act; // (nq) (nv) (na)
} tacPoint;

// accelerations a (nv) and rates of the activations (na)
void tac_flow_at(tacFlow* f, tacPoint x, tacReal* a, tacReal* rate);

// After tac_flow_at: makes the derivatives at its a ready. One lane.
void tac_flow_ready(tacFlow* f, const tacReal* a);
void tac_flow_jvp(tacFlow* f, const tacMotionDot* dot, tacReal* a_dot, tacReal* rate_dot);
// adds; `a_bar` is overwritten
void tac_flow_vjp(tacFlow* f, tacReal* a_bar, const tacReal* rate_bar, tacMotionDot* bar);

// The same of J' w - (M a + c + h D a) alone, at m.qacc held, with m.wrench that of contact; the
// first makes ready, the second adds, the third adds to `bar` and overwrites its own adjoint.
void tac_balance_ready(tacFlow* f);
void tac_balance_jvp(tacFlow* f, const tacMotionDot* dot, tacReal* out);
void tac_balance_vjp(tacFlow* f, tacReal* bar_of_it, tacMotionDot* bar);

// X = (M + h D)^-1 X of `count` columns, `stride` numbers from row to row
void tac_flow_solve_columns(tacFlow* f, tacReal* x, int count, int stride);

// next = qpos moved by h velocity: its derivatives, one lane. h_dot and h_bar are of h.
void tac_move_jvp(const tacModel* model, const tacReal* velocity, tacReal h, const tacReal* dq,
                  const tacReal* velocity_dot, tacReal h_dot, tacReal* next_dot);
void tac_move_vjp(const tacModel* model, const tacReal* velocity, tacReal h,
                  const tacReal* next_bar, tacReal* dq_bar, tacReal* velocity_bar, tacReal* h_bar);

#endif
