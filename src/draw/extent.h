// The extent of a shape, for pictures.

#ifndef TAC_DRAW_EXTENT_H
#define TAC_DRAW_EXTENT_H

#include "tactus/shape.h"

// tac_shape_ball at a pose, in the world; of shapes with clouds, where that is loose or infinite, a
// ball that contains all points, and outside of which no sampled point is inside. Infinite if
// points are inside at any distance.
tacBall tac_draw_ball(const tacModel* model, int shape, tacPose pose, tacScratch* scratch);

// Pose of a node in the frame of its shape.
tacPose tac_draw_node_pose(const tacModel* model, int node);

#endif
