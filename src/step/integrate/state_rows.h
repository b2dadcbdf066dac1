// Rows of the Jacobian of integration: next positions, velocities and activations.

#ifndef TAC_STEP_INTEGRATE_STATE_ROWS_H
#define TAC_STEP_INTEGRATE_STATE_ROWS_H

#include "step/integrate/stages.h"

// Rows of a Jacobian. The columns begin with those of the state where has_state is 1; else they are
// inputs that the state does not depend on.
typedef struct tacStateRows {
    tacReal* X; // (nv x columns)
    int columns, has_state;
} tacStateRows;

// Q = d(q moved by h rate), with K = d rate (nv x columns), or NULL: the rate is the velocity of
// the state
void tac_position_rows(const tacModel* model, const tacReal* rate, tacReal h, const tacReal* K,
                       tacStateRows Q);

// V = d(v + h a) in place of d a
void tac_velocity_rows(const tacModel* model, tacReal h, tacStateRows V);

// An activation depends on itself and on its own control alone.
typedef struct tacActivationSlopes {
    tacReal *by_act, *by_ctrl;     // (na) of its rate
    tacReal *next_act, *next_ctrl; // (na) of its next value
    tacReal* ones;                 // (na + nu)
} tacActivationSlopes;

tacActivationSlopes tac_activation_slopes_alloc(const tacModel* model, tacArena* arena);

// by_act and by_ctrl of the rate at the stage
void tac_activation_rate_slopes(tacForward* f, const tacActivationSlopes* slopes);

// Rows of d act of the next state in A and B (NULL skips one), from the rate of the whole step and
// the slopes of that rate.
void tac_activation_rows(tacForward* f, const tacStages* s, const tacActivationSlopes* slopes,
                         tacReal* A, tacReal* B);

#endif
