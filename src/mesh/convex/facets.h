// Triangles of a hull that are coplanar, merged into polygons.

#ifndef TAC_MESH_CONVEX_FACETS_H
#define TAC_MESH_CONVEX_FACETS_H

#include "mesh/convex/quickhull.h"

// Polygons over the points of a hull. All arrays are owned; tac_facets_free frees them.
typedef struct tacFacets {
    int count, ncorner;
    double* normal; // outward, length 1                                              (count, 3)
    int* highest;   // the point that is furthest along the normal                    (count)
    int* first;     // corners of facet f: corner[first[f]] .. corner[first[f + 1] - 1]  (count + 1)
    int* corner;    // points                                                         (ncorner)
} tacFacets;

// triangles whose vertices are within `tolerance` of a plane become one facet
tacResult tac_facets_create(const tacQuickhull* hull, double tolerance, tacFacets* out);
void tac_facets_free(tacFacets* facets, tacAllocator allocator);

#endif
