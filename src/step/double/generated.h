// Steps by generated code in place of the general dynamics.

#ifndef TAC_STEP_DOUBLE_GENERATED_H
#define TAC_STEP_DOUBLE_GENERATED_H

#include "base/scratch.h"
#include "step/step.h"

// Was the code of the scratch generated for this model?
int tac_generated_matches(const tacModel* model, const tacScratch* scratch);

// With contact: accelerations a (nv) at the state and control of m, in place of the joint forces of
// contact; and rates of the activations (na).
void tac_generated_accelerations(const tacScratch* scratch, const tacMotion* m, tacReal* a,
                                 tacReal* rate);

// Without contact: next = step(x, u), with arguments that were checked. next may alias x.
tacResult tac_generated_step(const tacModel* model, const tacState* x, const tacReal* u,
                             tacState* next, tacScratch* scratch);

// Does this scratch step by generated code? Only doubles do.
static inline int tac_is_generated(const tacScratch* scratch) {
#if defined(TAC_NUMBER_COMPLEX) || defined(TAC_NUMBER_QUAD)
    (void)scratch;
    return 0;
#else
    return scratch->code != NULL;
#endif
}

#endif
