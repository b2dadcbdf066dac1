// How far a shape reaches, for pictures.

#ifndef TAC_DRAW_EXTENT_H
#define TAC_DRAW_EXTENT_H

#include "tactus/shape.h"

// tac_shape_radius; of shapes with clouds, where that is loose or infinite, the radius of a ball
// around the origin of the shape's frame that holds all points, and outside of which no place that
// was tried is inside. Infinite if some place is inside however far.
double tac_draw_extent(const tacModel* model, int shape, tacScratch* scratch);

// Place of a node in the frame of its shape.
tacPose tac_draw_node_pose(const tacModel* model, int node);

#endif
