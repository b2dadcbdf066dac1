// Integrators: explicit and semi-implicit Euler with one stage, Runge-Kutta with four. All lanes of
// a batch at once. The stages are kept for the derivatives.

#ifndef TAC_STEP_INTEGRATE_STAGES_H
#define TAC_STEP_INTEGRATE_STAGES_H

#include "dynamics/integrate_pos.h"
#include "step/forward.h"
#include "step/integrate/lie_chart.h"

#define TAC_MAX_STAGES 4

// The stages of a step: the states where the equation of motion is evaluated, and the rates there.
// Stage i lies at q moved by node[i] h k[i - 1], where k is the rate of the positions: the
// velocity, or its image in the chart of rotations (docs/dynamics.md, lie).
typedef struct tacStages {
    int count, lie;
    tacStateArrays x[TAC_MAX_STAGES];
    tacReal* k[TAC_MAX_STAGES];           // (nv) of the positions
    tacReal* a[TAC_MAX_STAGES];           // (nv) of the velocities
    tacReal* rate[TAC_MAX_STAGES];        // (na) of the activations
    tacReal *mean_k, *mean_a, *mean_rate; // (nv) (nv) (na) rates from x[0] to the next state
} tacStages;

// weights of the mean; when in the step each stage lies
extern const double tac_rk4_weight[TAC_MAX_STAGES], tac_rk4_node[TAC_MAX_STAGES];

tacStages tac_stages_alloc(const tacModel* model, int lanes, tacArena* arena);
tacStateArrays tac_state_arrays_alloc(const tacModel* model, int lanes, tacArena* arena);

// Moves stage i from x[0] along the rates of the stage before; stage 0 is x[0].
void tac_stage_start(const tacForward* f, tacStages* s, int i);

// k[i], from the velocity of the stage
void tac_stage_position_rate(const tacForward* f, tacStages* s, int i);

// the next state from x[0] and the mean rates of all stages
void tac_integrate_stages(const tacForward* f, tacStages* s, tacStateArrays next);

#endif
