// Balls around points that the surface does not enter, on both sides of it.

#ifndef TAC_SHAPE_BOUNDS_SAFE_RADIUS_H
#define TAC_SHAPE_BOUNDS_SAFE_RADIUS_H

#include "tactus/shape.h"

// Radius of a ball around each point that lies outside the solid, and of one that lies inside; 0
// where none is proven. `inside` may be NULL: tac_shape_steps.
tacResult tac_shape_safe_radius(const tacModel* model, int shape, tacPose pose, tacPoints points,
                                double* outside, double* inside, tacScratch* scratch);

#endif
