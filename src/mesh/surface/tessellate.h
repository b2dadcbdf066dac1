// Laws of a finished mesh, for the tessellator and for tests.

#ifndef TAC_MESH_SURFACE_TESSELLATE_H
#define TAC_MESH_SURFACE_TESSELLATE_H

#include "mesh/surface/surface.h"

// 0 if no two triangles of the surface meet where they should not; the number of pairs that do;
// -1 without memory
int tac_surface_self_intersections(const tacSurface* s, tacRegion* blocks);

#endif
