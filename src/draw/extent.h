// How far a shape reaches, for pictures.

#ifndef TAC_DRAW_EXTENT_H
#define TAC_DRAW_EXTENT_H

#include "tactus/shape.h"

// tac_shape_radius where it is finite; else the radius of a ball around the origin of the shape's
// frame outside of which no place that was tried is inside, or infinite if some is however far.
double tac_draw_extent(const tacModel* model, int shape, tacScratch* scratch);

#endif
