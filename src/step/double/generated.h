// Steps by generated code in place of the general dynamics.

#ifndef TAC_STEP_DOUBLE_GENERATED_H
#define TAC_STEP_DOUBLE_GENERATED_H

#include "base/scratch.h"
#include "step/step.h"

// is the code of the scratch that of this model?
int tac_generated_matches(const tacModel* model, const tacScratch* scratch);

// accelerations a (nv), over the forces of contact along the velocities, and rates of the
// activations (na), by the code of a scene with contact
void tac_generated_accelerations(const tacScratch* scratch, tacStateArrays x, const tacReal* u,
                                 tacReal* a, tacReal* rate);

// next = step(x, u) by the code of a scene without; x and u were checked, next may alias x
tacResult tac_generated_step(const tacModel* model, const tacState* x, const tacReal* u,
                             tacState* next, tacScratch* scratch);

// does this scratch step by code? Complex and quad numbers never do.
static inline int tac_is_generated(const tacScratch* scratch) {
#if defined(TAC_NUMBER_COMPLEX) || defined(TAC_NUMBER_QUAD)
    (void)scratch;
    return 0;
#else
    return scratch->code != NULL;
#endif
}

#endif
