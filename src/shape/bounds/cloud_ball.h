// A ball that holds the solid of a cloud, in the cloud's frame.

#ifndef TAC_SHAPE_BOUNDS_CLOUD_BALL_H
#define TAC_SHAPE_BOUNDS_CLOUD_BALL_H

#include "shape/node_data.h"

// a ball that holds {phi <= level}; infinite where none is found, and for anisotropic clouds
tacBall tac_cloud_ball(const tacNodeData* b, double level);

#endif
