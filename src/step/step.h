// One step, stage by stage, and the checks of its arguments.

#ifndef TAC_STEP_STEP_H
#define TAC_STEP_STEP_H

#include "step/workspace.h"
#include "tactus/step.h"

// most lanes of a batch on any instruction set
#define TAC_MAX_LANES 8

// One stage of the integrator: its state, accelerations and rates. Calling it again for the same
// stage repeats the same numbers.
void tac_step_stage(tacForward* f, tacStages* s, int i);

// The report of a derivative of the step: that of the step, and of the derivative's softer model.
void tac_step_report_diff(const tacForward* f, tacScratch* scratch);

// Arguments (step_check.c): are the arrays there, and finite?
tacResult tac_step_check(const tacModel* model, const tacState* x, const tacReal* u,
                         const tacScratch* scratch);
// 1: has arrays for the next state
int tac_state_has_arrays(const tacModel* model, const tacState* next);
// 1: the model has these parameters
int tac_params_are_valid(const tacModel* model, const tacParam* theta, int ntheta);
int tac_state_tangent_is_finite(const tacModel* model, tacTangent x);

// Steps items on this thread, consecutive ones of one model together in lanes; wrong items get
// their result. Items may share a scratch.
void tac_step_items(tacStepItem* items, int items_count);

// nx = 2 nv + na
static inline int tac_tangent_size(const tacModel* model) { return 2 * model->nv + model->na; }

// Memory of the functions of tactus/step.h, but for detection and response inside them: the same
// allocations in a scratch whose arena measures (double/scratch.c).
void tac_step_batch_measure(const tacModel* model, tacScratch* dry);
void tac_step_jvp_measure(const tacModel* model, tacScratch* dry);
void tac_step_vjp_measure(const tacModel* model, tacScratch* dry);
void tac_step_jacobian_measure(const tacModel* model, tacScratch* dry);
void tac_step_hessian_measure(const tacModel* model, tacScratch* dry); // and of tac_step_hvp
void tac_inverse_contact_measure(const tacModel* model, tacScratch* dry);
void tac_forward_contact_measure(const tacModel* model, tacScratch* dry); // and of tac_acceleration
void tac_step_contacts_measure(const tacModel* model, tacScratch* dry);

#endif
