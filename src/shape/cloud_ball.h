// A ball that holds the solid of a cloud, in the cloud's frame.

#ifndef TAC_SHAPE_CLOUD_BALL_H
#define TAC_SHAPE_CLOUD_BALL_H

#include "shape/bound.h"

// a ball that holds {phi <= level}; infinite where none is found, and for anisotropic clouds
tacBall tac_cloud_ball(const tacBound* b, double level);

#endif
