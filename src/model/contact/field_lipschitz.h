// Lipschitz bound of a field: its largest ratio to the distance outside the solid.

#ifndef TAC_MODEL_CONTACT_FIELD_LIPSCHITZ_H
#define TAC_MODEL_CONTACT_FIELD_LIPSCHITZ_H

#include "tactus/model.h"

// Outside the geom's solid its field over this number is at most the distance to the surface, so
// that a ray may always advance by it. 1 for most shapes; 1 for a geom without a shape. Of clouds
// and sweeps no bound is proven: they count as 2 (docs/edge-sdf.md).
double tac_field_lipschitz(const tacModel* model, int geom);

#endif
