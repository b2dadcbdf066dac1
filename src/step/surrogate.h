// Derivatives of the step at softer temperatures (docs/contact.md).

#ifndef TAC_STEP_SURROGATE_H
#define TAC_STEP_SURROGATE_H

#include "base/scratch.h"
#include "model/contact/contact_data.h"

// The model whose derivatives are handed out: the same one, or, where the scene asks for a
// surrogate, a copy in `out` with softer temperatures; then the scratch's remarks say so. Memory is
// the arena's.
const tacModel* tac_surrogate(const tacModel* model, tacModel* out, tacScratch* scratch);

// bytes that this takes
size_t tac_surrogate_size(const tacModel* model, size_t real_size);

#endif
