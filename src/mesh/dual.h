// Corners of a convex solid that is known by its planes.

#ifndef TAC_MESH_DUAL_H
#define TAC_MESH_DUAL_H

#include "mesh/hull.h"

// Hull of the corners of {n . y + h <= 0} for `count` planes n, h (count, 4). TAC_ERROR_VALUE if
// the solid has no end or no inside; then, and out of memory, *out is untouched.
tacResult tac_planes_hull(const double* plane, int count, tacAllocator allocator, tacHull** out,
                          tacMessage* message);

#endif
