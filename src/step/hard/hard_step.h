// The functions of tactus/step.h for scenes with hard contact; arguments are checked.
//
// They branch (nearest features, active sets, times of impact), so they are of doubles. Second
// derivatives, which need complex numbers, are refused.

#ifndef TAC_STEP_HARD_HARD_STEP_H
#define TAC_STEP_HARD_HARD_STEP_H

#include "model/contact/contact_data.h"
#include "tactus/step.h"

static inline int tac_is_hard(const tacModel* model) {
    return model->contact && model->contact->responder == TAC_RESPOND_LCP;
}

#if defined(TAC_NUMBER_COMPLEX) || defined(TAC_NUMBER_QUAD)

#define tac_hard_step(...)     TAC_ERROR_UNSUPPORTED
#define tac_hard_jvp(...)      TAC_ERROR_UNSUPPORTED
#define tac_hard_vjp(...)      TAC_ERROR_UNSUPPORTED
#define tac_hard_jacobian(...) TAC_ERROR_UNSUPPORTED

#else

tacResult tac_hard_step(const tacModel* model, const tacState* x, const tacReal* u, tacState* next,
                        tacScratch* scratch);
tacResult tac_hard_jvp(const tacModel* model, const tacState* x, const tacReal* u,
                       tacStepTangent dot, tacTangent next_dot, tacScratch* scratch);
tacResult tac_hard_vjp(const tacModel* model, const tacState* x, const tacReal* u,
                       tacTangent next_bar, tacStepTangent bar, tacScratch* scratch);
tacResult tac_hard_jacobian(const tacModel* model, const tacState* x, const tacReal* u,
                            const tacStepJacobian* out, tacScratch* scratch);

#endif

size_t tac_hard_step_size(const tacModel* model);

#endif
