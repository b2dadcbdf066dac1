// Which geoms may touch, beside tac_geom_pairs.

#ifndef TAC_MODEL_CONTACT_GEOM_PAIRS_H
#define TAC_MODEL_CONTACT_GEOM_PAIRS_H

#include "tactus/model.h"

// Is there a pair at all?
int tac_any_geom_pair(const tacModel* model);

#endif
