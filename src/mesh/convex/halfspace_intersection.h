// Vertices of a convex solid given by its planes.

#ifndef TAC_MESH_CONVEX_HALFSPACE_INTERSECTION_H
#define TAC_MESH_CONVEX_HALFSPACE_INTERSECTION_H

#include "mesh/convex/hull.h"

// Hull of the vertices of {n . y + h <= 0} for `count` planes n, h (count, 4). TAC_ERROR_VALUE if
// the solid is unbounded or empty; then, and out of memory, *out is unchanged.
tacResult tac_halfspace_intersection(const double* plane, int count, tacAllocator allocator,
                                     tacHull** out, tacMessage* message);

#endif
