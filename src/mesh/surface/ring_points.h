// Oriented points on rings about an axis: ellipsoids, capsules and cylinders.
//
//   sizes --> [ring_points.c] --points, normals, areas--> model/contact
//
// Sums over the points of a smooth function on the surface converge faster than any power of the
// spacing: angles are equal on a ring, and the rings of a ball stand at Gauss' nodes. So round
// bodies at rest find no valleys to roll into.

#ifndef TAC_MESH_SURFACE_RING_POINTS_H
#define TAC_MESH_SURFACE_RING_POINTS_H

#include "mesh/surface/quad_mesh.h"
#include "mesh/surface/refine_faces.h"

// `surface` is any kind but a box; its `faces` are a measure of the spacing, not the count. Give
// the points to tac_refined_faces_release. TAC_ERROR_MEMORY without memory.
tacResult tac_ring_points(tacQuadMesh surface, tacAllocator allocator, tacRefinedFaces* out);

#endif
