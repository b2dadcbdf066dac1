// Hull of points as triangles with neighbours, before coplanar ones are merged.

#ifndef TAC_MESH_CONVEX_QUICKHULL_H
#define TAC_MESH_CONVEX_QUICKHULL_H

#include "tactus/memory.h"
#include "tactus/result.h"

// corners counter-clockwise seen from outside; neighbour k lies across the edge from corner k to
// the next
typedef struct tacHullTriangle {
    int corner[3], neighbour[3];
} tacHullTriangle;

typedef struct tacQuickhull {
    const double* point; // scaled by a power of two, coordinates up to 1   (count, 3)
    int count;
    double size;         // diagonal of their box
    double thickness;    // height of the first tetrahedron, at most the smallest width
    const char* failure; // why there is no hull, or NULL
    tacAllocator allocator;

    tacHullTriangle* triangle; // the hull; owned                            (ntriangle)
    int ntriangle;
} tacQuickhull;

// TAC_ERROR_VALUE with `failure` set if the points are flat; TAC_ERROR_MEMORY
tacResult tac_quickhull(tacQuickhull* hull);

#endif
