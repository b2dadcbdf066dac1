// Radius of a ball around the origin of a cloud's frame that holds its solid.

#ifndef TAC_SHAPE_CLOUD_RADIUS_H
#define TAC_SHAPE_CLOUD_RADIUS_H

#include "shape/bound.h"

// a ball that holds {phi <= level}; infinite where none is found, and for anisotropic clouds
double tac_cloud_radius(const tacBound* b, double level);

#endif
