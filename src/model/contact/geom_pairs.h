// Which geoms may collide, beside tac_geom_pairs.

#ifndef TAC_MODEL_CONTACT_GEOM_PAIRS_H
#define TAC_MODEL_CONTACT_GEOM_PAIRS_H

#include "tactus/model.h"

// Is there a pair at all?
int tac_any_geom_pair(const tacModel* model);

// the body that moves a body: the first from it upwards that has joints, or the world
static inline int tac_moving_body(const tacModel* model, int body) {
    while (body > 0 && model->body[body].joints == 0) body = model->body[body].parent;
    return body;
}

#endif
