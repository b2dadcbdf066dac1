// Distances of points, segments and faces of solids, tried one by one.

#ifndef TAC_DETECT_SAT_SOLID_DISTANCE_H
#define TAC_DETECT_SAT_SOLID_DISTANCE_H

#include "detect/sat/solid_pair.h"

// Signed distance of a point to a solid without radius, in the solid's frame, with the nearest
// point of its surface and the unit normal there. Inside it is the nearest face, the first of
// equals.
double tac_solid_point_distance(const tacSolid* solid, tacVec3 x, tacVec3* nearest,
                                tacVec3* normal);

// nearest points of two segments
void tac_segment_closest_points(const tacVec3 p[2], const tacVec3 q[2], tacVec3* on_p,
                                tacVec3* on_q);

// Nearest points of two separated solids with vertices: all vertices against faces, all edges
// against edges, but those that the gap above the plane `axis` rules out. `points` are in a's
// frame.
double tac_solid_closest_features(const tacSolidPair* pair, tacVec3 axis, tacVec3 points[2]);

#endif
