// Integrators: the next state from the equation of motion, with all lanes of a batch at once; and
// what their derivatives need of the way there.

#ifndef TAC_STEP_ADVANCE_H
#define TAC_STEP_ADVANCE_H

#include "step/flow.h"

#define TAC_MAX_STAGES 4

// The stages of a step: positions, velocities and accelerations where the equation of motion was
// asked. Euler has one.
typedef struct tacStages {
    int count;
    tacReal* q[TAC_MAX_STAGES]; // (nq)
    tacReal* v[TAC_MAX_STAGES]; // (nv)
    tacReal* a[TAC_MAX_STAGES]; // (nv)
    tacReal *mean_v, *mean_a;   // (nv) what the state moves on with
} tacStages;

// weights of the mean, and how far into the step each stage lies
extern const double tac_rk4_weight[TAC_MAX_STAGES], tac_rk4_reach[TAC_MAX_STAGES];

tacStages tac_stages_take(const tacModel* model, int lanes, tacArena* arena);
size_t tac_stages_size(const tacModel* model, int lanes, size_t real_size);

// from s->q[0], s->v[0] to next; `next_q` and `next_v` may be s->q[0] and s->v[0] of nobody
void tac_advance(tacFlow* f, tacStages* s, tacReal* next_q, tacReal* next_v);

#endif
