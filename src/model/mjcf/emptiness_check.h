// What combinations leave: each must have an inside.

#ifndef TAC_MODEL_MJCF_EMPTINESS_CHECK_H
#define TAC_MODEL_MJCF_EMPTINESS_CHECK_H

#include "model/spec.h"

// Remembers a node that may leave nothing: an intersection, a difference, a leaf with planes.
void tac_emptiness_check_add(tacSpec* spec, const tacElement* element, int node);

// Refuses the first of them that has no inside, with its line.
void tac_emptiness_check_all(tacSpec* spec, const tacModel* model);

#endif
