// The step along a tangent of its inputs, stage by stage. Many tangents can share one pass.

#ifndef TAC_STEP_STEP_JVP_H
#define TAC_STEP_STEP_JVP_H

#include "step/step.h"

// Tangents along a step: of its inputs, of the current stage, of the means, of the next state.
typedef struct tacStepDot {
    tacReal *q0, *v0, *act0;     // of the state
    const tacReal *ctrl, *theta; // of control and parameters, NULL: zero
    tacReal h;                   // of the time step
    tacReal *q, *v, *act;        // of the stage's state
    tacReal *k, *a, *rate;       // of its rates
    tacReal* u_step;             // of h k before the stage
    tacReal *mean_k, *mean_a, *mean_rate;
    tacStateArrays next; // (nv) (nv) (na)
} tacStepDot;

tacStepDot tac_step_dot_alloc(const tacModel* model, tacArena* arena);

// before the first stage: tangents of the inputs. ctrl and theta stay the caller's.
void tac_step_dot_begin(const tacModel* model, tacStepDot* d, tacTangent x, const tacReal* ctrl,
                        const tacReal* theta);

// after tac_step_stage and tac_forward_prepare_diff of stage i
void tac_step_stage_jvp(tacForward* f, const tacStages* s, tacStepDot* d, int i);

// after tac_integrate_stages: d->next
void tac_integrate_stages_jvp(tacForward* f, const tacStages* s, tacStepDot* d);

#endif
