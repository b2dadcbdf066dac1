// The Jacobian of Runge-Kutta: at each stage the Jacobian of the equation of motion, multiplied
// with that of the stage's state.

#ifndef TAC_STEP_RK4_JACOBIAN_H
#define TAC_STEP_RK4_JACOBIAN_H

#include "step/integrate/state_rows.h"
#include "step/step.h"

// Matrices of nv rows and W = nx + nu columns: derivatives by the state of the step and by
// controls.
typedef struct tacRk4Chain {
    int W;
    tacReal *X, *U;           // of the equation of motion: (nv x nx) (nv x nu)
    tacReal *Q, *V, *K, *A;   // of the stage: positions, velocities, rates of both
    tacReal *mean_K, *mean_A; // weighted sums over the stages
    tacReal *act, *ctrl;      // (na) of the stage's activations, by themselves and by controls
    tacReal *rate_act, *rate_ctrl, *mean_act, *mean_ctrl; // (na)
} tacRk4Chain;

// Does the Jacobian of this model use the chain? Very many joints go column by column, in little
// memory.
int tac_has_rk4_chain(const tacModel* model);
tacRk4Chain tac_rk4_chain_alloc(const tacModel* model, tacArena* arena);

// before the first stage: Q, V and act are those of the state itself
void tac_rk4_chain_begin(const tacModel* model, const tacRk4Chain* c);

// after stage i was evaluated and prepared for derivatives
void tac_rk4_chain_stage(tacForward* f, const tacStages* s, const tacRk4Chain* c,
                         const tacActivationSlopes* slopes, int i);

// after integration: A (nx x nx) and B (nx x nu), NULL skips one
void tac_rk4_chain_end(tacForward* f, const tacStages* s, const tacRk4Chain* c,
                       tacActivationSlopes slopes, tacReal* A, tacReal* B);

#endif
