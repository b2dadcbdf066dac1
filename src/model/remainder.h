// What combinations leave: each must have an inside.

#ifndef TAC_MODEL_REMAINDER_H
#define TAC_MODEL_REMAINDER_H

#include "model/draft.h"

// Remembers a node that may leave nothing: an intersection, a difference, a leaf with planes.
void tac_remainder_add(tacDraft* draft, const tacElement* element, int node);

// Refuses the first of them that has no inside, with its line.
void tac_remainder_check(tacDraft* draft, const tacModel* model);

#endif
