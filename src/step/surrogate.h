// Derivatives of the step at softer temperatures (docs/contact.md).

#ifndef TAC_STEP_SURROGATE_H
#define TAC_STEP_SURROGATE_H

#include "base/scratch.h"
#include "model/contact/contact_data.h"

// The model to differentiate: the same one, or, where the scene asks for a surrogate, a copy in
// `out` with softer temperatures; then TAC_SURROGATE is set. Memory is the arena's.
const tacModel* tac_surrogate(const tacModel* model, tacModel* out, tacScratch* scratch);

#endif
