// Laws of a finished mesh, for the tessellator and for tests.

#ifndef TAC_MESH_TESSELLATE_H
#define TAC_MESH_TESSELLATE_H

#include "mesh/surface.h"

// 0 if no two triangles of the surface meet where they should not; the number of pairs that do;
// -1 without memory
int tac_surface_meetings(const tacSurface* s, tacBlocks* blocks);

#endif
