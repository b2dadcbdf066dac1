// Hits on edges of a geom that grows along its axes.

#ifndef TAC_DETECT_EDGE_SDF_EDGE_SDF_GROWTH_H
#define TAC_DETECT_EDGE_SDF_EDGE_SDF_GROWTH_H

#include "detect/edge_sdf/edge_sdf.h"

// Adds what growth does to the field at each step of both rays, at a constant distance from the
// corner; value[k] as RAYS->slide_jvp reads it.
void tac_edge_growth_values(const tacEdgeSdfSide* run, const tacReal growth[3],
                            tacReal* const* value);

// Adds what it does to hits beside that, world axes.
void tac_edge_growth_slides(const tacEdgeSdfSide* run, const tacReal growth[3],
                            tacReal* const slide[3]);

// the transposes: from adjoints of hits (world axes) and of values at steps
void tac_edge_growth_vjp(const tacEdgeSdfSide* run, const tacReal* const slide_bar[3],
                         const tacReal* const* value_bar, tacReal growth_bar[3]);

#endif
