// How far a shape reaches, for pictures.

#ifndef TAC_DRAW_EXTENT_H
#define TAC_DRAW_EXTENT_H

#include "tactus/shape.h"

// tac_shape_ball at a pose, in the world; of shapes with clouds, where that is loose or infinite, a
// ball that holds all points, and outside of which no place that was tried is inside. Infinite if
// some place is inside however far.
tacBall tac_draw_ball(const tacModel* model, int shape, tacPose pose, tacScratch* scratch);

// Place of a node in the frame of its shape.
tacPose tac_draw_node_pose(const tacModel* model, int node);

#endif
