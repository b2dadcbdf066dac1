// The equation of motion with contact, (M + h D) a = applied + contact - bias, of one state or of a
// batch with one state per lane; and of one state its derivatives. Contact is of one state.

#ifndef TAC_STEP_FORWARD_H
#define TAC_STEP_FORWARD_H

#include "dynamics/free_dynamics.h"
#include "step/force/contact_forces.h"

typedef struct tacForward {
    tacFreeDynamics dyn;              // all but contact
    tacContactForces* contact_forces; // NULL: none
    int use_generated;                // does the scratch's code give accelerations? (generated.h)
    tacResult result;                 // of contact: the first failure
} tacForward;

// with `derivatives` 1 there is memory for those of contact
tacForward tac_forward_alloc(const tacModel* model, const tacDynamicsKernels* kernels,
                             int derivatives, tacScratch* scratch);
// before another step with the same arrays: reads the model's numbers and the scratch again
void tac_forward_reset(tacForward* f, tacScratch* scratch);
size_t tac_forward_size(const tacModel* model, int lanes, size_t real_size);

// accelerations a (nv) and rates of the activations (na)
void tac_forward(tacForward* f, tacStateArrays x, tacReal* a, tacReal* rate);

// After tac_forward: prepares the derivatives at its a. One lane.
void tac_forward_prepare_diff(tacForward* f, const tacReal* a);
void tac_forward_jvp(tacForward* f, const tacMotionDot* dot, tacReal* a_dot, tacReal* rate_dot);
// adds; `a_bar` is overwritten
void tac_forward_vjp(tacForward* f, tacReal* a_bar, const tacReal* rate_bar, tacMotionDot* bar);

// The same of J' w - (M a + c + h D a) alone, with m.qacc held and m.wrench that of contact; the
// first adds, the second adds to `bar` and overwrites its own adjoint. tac_free_balance_prepare
// comes before.
void tac_balance_jvp(tacForward* f, const tacMotionDot* dot, tacReal* out);
void tac_balance_vjp(tacForward* f, tacReal* residual_bar, tacMotionDot* bar);

// X = (M + h D)^-1 X of `count` columns, `stride` numbers from row to row
void tac_forward_solve_columns(tacForward* f, tacReal* x, int count, int stride);

#endif
