// Checks of a finished mesh, for the tessellator and for tests.

#ifndef TAC_MESH_SURFACE_TESSELLATE_H
#define TAC_MESH_SURFACE_TESSELLATE_H

#include "mesh/surface/surface.h"

// number of pairs of triangles that intersect other than in common vertices and edges;
// -1 without memory
int tac_surface_self_intersections(const tacSurface* s, tacRegion* blocks);

#endif
