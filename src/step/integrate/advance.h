// Integrators: the next state from the equation of motion, with all lanes of a batch at once; and
// what their derivatives need of the way there.

#ifndef TAC_STEP_INTEGRATE_ADVANCE_H
#define TAC_STEP_INTEGRATE_ADVANCE_H

#include "dynamics/integrate_pos.h"
#include "step/forward.h"

#define TAC_MAX_STAGES 4

// The stages of a step: where the equation of motion was asked, and what it said. Euler has one.
// Each stage lies at q moved by reach h k of the stage before, k the rate of the tangent: the
// velocity, or what the chart of the turns makes of it (docs/dynamics.md, lie).
typedef struct tacStages {
    int count, lie;
    tacStateArrays x[TAC_MAX_STAGES];
    tacReal* k[TAC_MAX_STAGES];           // (nv) of the positions
    tacReal* a[TAC_MAX_STAGES];           // (nv) of the velocities
    tacReal* rate[TAC_MAX_STAGES];        // (na) of the activations
    tacReal *mean_k, *mean_a, *mean_rate; // (nv) (nv) (na) what the state moves on with
} tacStages;

// weights of the mean, and how far into the step each stage lies
extern const double tac_rk4_weight[TAC_MAX_STAGES], tac_rk4_node[TAC_MAX_STAGES];

tacStages tac_stages_alloc(const tacModel* model, int lanes, tacArena* arena);
size_t tac_stages_size(const tacModel* model, int lanes, size_t real_size);

// from s->x[0] to next
void tac_advance(tacForward* f, tacStages* s, tacStateArrays next);

#endif
