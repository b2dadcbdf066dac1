// The faces of a closed surface, split to a spacing: what a cloud of oriented points is made of.
//
//   soup of polygons --> [refine_faces.c] --centres, normals, areas--> model/contact
//
// Centres alone matter, so the faces of neighbours need not share their corners.

#ifndef TAC_MESH_SURFACE_REFINE_FACES_H
#define TAC_MESH_SURFACE_REFINE_FACES_H

#include "mesh/io/soup.h"

// Moves `count` points to the surface and sets the normals there: both (count, 3). NULL: the
// faces are the surface.
typedef struct tacSurfaceProjection {
    void (*project)(void* user, int count, double* point, double* normal);
    void* user;
} tacSurfaceProjection;

typedef struct tacRefinement {
    double spacing; // faces are split to about this length [m]
    int most;       // faces at most; parts thinner than what these allow stay coarse
    tacSurfaceProjection surface;
} tacRefinement;

typedef struct tacRefinedFaces {
    int count;
    double *centre, *normal; // (count, 3)
    double *area, *length;   // of each face, and its longest side (count)
    double wrong;            // field of the nearest centre on the surface itself, at worst
    double worst[3];         // where that is
    tacAllocator allocator;
} tacRefinedFaces;

// Splits the faces of a closed soup. Pairs of coplanar triangles become quads first: centres of
// quads stand at equal distances from the edges of a box. Then faces that are longer than the
// spacing are split, and those in whose place the nearest centre is one of another side of a thin
// part. TAC_ERROR_MEMORY without memory.
tacResult tac_refine_faces(const tacSoup* soup, tacRefinement refinement, tacAllocator allocator,
                           tacRefinedFaces* out);

void tac_refined_faces_release(tacRefinedFaces* faces);

#endif
