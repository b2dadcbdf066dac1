// Combinations must not be empty.

#ifndef TAC_MODEL_MJCF_EMPTINESS_CHECK_H
#define TAC_MODEL_MJCF_EMPTINESS_CHECK_H

#include "model/spec.h"

// Registers a node that may be empty: an intersection, a difference, a leaf with planes.
void tac_emptiness_check_add(tacSpec* spec, const tacElement* element, int node);

// Refuses the first of them that is empty, with its line.
void tac_emptiness_check_all(tacSpec* spec, const tacModel* model);

#endif
