// Forward dynamics with contact: the equation of motion
//
//   (M + h D) a = applied + J' w + limits - bias,
//
// of one state, or of a batch with one state per lane; and of one state its derivatives. Only
// single states have contact.

#ifndef TAC_STEP_FORWARD_H
#define TAC_STEP_FORWARD_H

#include "dynamics/free_dynamics.h"
#include "step/force/contact_forces.h"

typedef struct tacForward {
    tacFreeDynamics dyn;              // all but contact
    tacContactForces* contact_forces; // NULL: none
    int use_generated;                // does generated code compute accelerations? (generated.h)
    tacResult result;                 // first failure of contact
} tacForward;

// `derivatives` 1 allocates memory for the derivatives of contact.
tacForward tac_forward_alloc(const tacModel* model, const tacDynamicsKernels* kernels,
                             int derivatives, tacScratch* scratch);
// Reads the model's numbers and the scratch again, before another step with the same arrays.
void tac_forward_reset(tacForward* f, tacScratch* scratch);

// The stages, in this order. The second overwrites the forces (nv), the next two add to them, the
// last replaces them by accelerations a (nv) and computes the rates of the activations (na).
void tac_forward_position(tacForward* f, tacStateArrays x);
void tac_forward_velocity(tacForward* f, tacReal* force);
void tac_forward_contact_stage(tacForward* f, tacReal* force);
void tac_forward_limits(tacForward* f, tacReal* force);
void tac_forward_acceleration(tacForward* f, tacReal* a, tacReal* rate);

// Derivatives at the state and the accelerations of the stages; this call comes before them. One
// lane.
void tac_forward_prepare_diff(tacForward* f, const tacReal* a);
void tac_forward_jvp(tacForward* f, const tacMotionDot* dot, tacReal* a_dot, tacReal* rate_dot);
// Adds to bar; overwrites a_bar.
void tac_forward_vjp(tacForward* f, tacReal* a_bar, const tacReal* rate_bar, tacMotionDot* bar);
// X (nv x nx) = d a/d(q, v, act) with `stride` numbers from row to row, U (nv x nu) = d a/d ctrl.
// NULL skips one.
void tac_forward_jacobian(tacForward* f, tacReal* X, int stride, tacReal* U);

// Derivatives of J' w - (M a + c + h D a) alone, with m.qacc held and m.wrench that of contact. The
// first adds to out; the second adds to bar and overwrites its own adjoint. Both come after
// tac_free_balance_prepare.
void tac_balance_jvp(tacForward* f, const tacMotionDot* dot, tacReal* out);
void tac_balance_vjp(tacForward* f, tacReal* residual_bar, tacMotionDot* bar);

// Is contact linearly implicit? Then its stiffness and damping are in the matrix.
static inline int tac_forward_is_implicit(const tacForward* f) {
    return f->contact_forces && f->contact_forces->implicit;
}

#endif
