// What the files of step/ share.

#ifndef TAC_STEP_STEP_H
#define TAC_STEP_STEP_H

#include "step/integrate/advance.h"
#include "tactus/step.h"

// most lanes that a batch has on any instruction set
#define TAC_MAX_LANES 8

tacResult tac_step_check(const tacModel* model, const tacState* x, const tacReal* u,
                         const tacScratch* scratch);

// 1: there are arrays for the next state
int tac_state_has_arrays(const tacModel* model, const tacState* next);
// 1: parameters that the model has
int tac_params_are_valid(const tacModel* model, const tacParam* theta, int ntheta);
// time, and arrays that a step does not change
void tac_state_carry_over(const tacModel* model, const tacState* x, tacState* next);

// The step itself with one lane: flow and stages stay as it left them, `next` is of the arena.
typedef struct tacStepWorkspace {
    tacForward f;
    tacStages s;
    tacStateArrays next;
} tacStepWorkspace;

// TAC_ERROR_DIVERGED if next is not finite
// A step without derivatives in doubles is laid out once: where its arrays are is kept at the front
// of the scratch's arena, which nothing else takes.
typedef struct tacStepCache {
    tacStepWorkspace ws;
    tacContactForces contact_forces;
    size_t from, to; // what of the arena was in use before and after; to 0: nothing is kept
    const tacContactPlan* contact; // of the model then, as are the next two
    tacIntegrator integrator;
    unsigned disable;
} tacStepCache;

tacResult tac_step_workspace_run(const tacModel* model, const tacState* x, const tacReal* u,
                                 int derivatives, tacScratch* scratch, tacStepWorkspace* out);
void tac_step_workspace_write(const tacStepWorkspace* ws, const tacState* x, tacState* next);

// nx = 2 nv + na
static inline int tac_tangent_size(const tacModel* model) { return 2 * model->nv + model->na; }

// bytes of scratch that the functions of tactus/step.h take, and tac_step_jacobian beyond the rest
size_t tac_step_size(const tacModel* model);
size_t tac_jacobian_size(const tacModel* model, size_t real_size);

// bytes that tac_step_hessian takes beside those of a step
size_t tac_hessian_size(const tacModel* model);

#endif
