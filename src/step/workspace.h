// Working memory of a step, and its cache.

#ifndef TAC_STEP_WORKSPACE_H
#define TAC_STEP_WORKSPACE_H

#include "step/integrate/stages.h"

// All that a step of one state computes, in the scratch's arena.
typedef struct tacStepWorkspace {
    tacForward f;
    tacStages s;
    tacStateArrays next;
} tacStepWorkspace;

// The layout of a step of doubles without derivatives. It lives at the front of the scratch's
// arena, where nothing else is allocated, and is valid while the rest of it matches.
typedef struct tacStepCache {
    tacStepWorkspace ws;
    tacContactForces contact_forces;
    size_t from, to;               // arena in use before and after the layout; to 0: empty
    const tacContactPlan* contact; // of the model then, as are the next two
    tacIntegrator integrator;
    unsigned disable;
} tacStepCache;

// `derivatives` 1 allocates memory for the derivatives of contact.
void tac_step_workspace_alloc(const tacModel* model, int derivatives, tacScratch* scratch,
                              tacStepWorkspace* out);

// The workspace of a step without derivatives: the cached one, or `own`.
tacStepWorkspace* tac_step_workspace_cached(const tacModel* model, tacScratch* scratch,
                                            tacStepWorkspace* own);

// before the first stage: state and control
void tac_step_workspace_begin(tacStepWorkspace* ws, const tacState* x, const tacReal* u);

// after integration: TAC_ERROR_DIVERGED if ws->next is not finite, or the failure of contact
tacResult tac_step_workspace_result(const tacStepWorkspace* ws);
void tac_step_workspace_write(const tacStepWorkspace* ws, const tacState* x, tacState* next);

// time, and arrays that a step does not change
void tac_state_carry_over(const tacModel* model, const tacState* x, tacState* next);

#endif
