// Convex hull of points in space: its vertices, and its faces as polygons with their planes.
//
//   soup.h, points --> [hull] --planes--> polyhedra; --polygons--> mass.h, pictures
//
// All decisions are signs of volumes, which are computed exactly (orient3d.h), so that no input
// (equal, collinear, coplanar, nearly coplanar points) breaks it. Faces that are coplanar within
// `merge` times the size become one polygon. The same input gives the same bits.

#ifndef TAC_MESH_CONVEX_HULL_H
#define TAC_MESH_CONVEX_HULL_H

#include "mesh/io/soup.h"

#define TAC_MAX_HULL_POINTS 10000000 // points that a hull is made of
#define TAC_HULL_MERGE      1e-7     // for coordinates of float32, as most files have them
#define TAC_HULL_FLAT       1e-12    // thinner than this times the size is flat: refused

typedef struct tacHull {
    int nvertex, nface, ncorner, ntriangle;
    const double* vertex; // vertices of the hull, copies of points              (nvertex, 3)
    const int* point;     // index of each among the points given, ascending     (nvertex)
    const double* normal; // of each face, outward, length 1                     (nface, 3)
    const double* offset; // normal . x <= offset within `tolerance` for all points (nface)
    const int* first;     // corners of face f are first[f] .. first[f + 1] - 1  (nface + 1)
    const int* corner;    // vertex of each, counter-clockwise seen from outside  (ncorner)
    const int* triangle;  // the faces as fans: a closed, oriented surface       (ntriangle, 3)
    double size;          // diagonal of the bounding box
    double tolerance;     // 1e-14 size: how far a point may be above a plane; a face's corners are
                          // below its plane by at most 4 merge size + tolerance
    tacAllocator allocator;
} tacHull;

typedef struct tacHullPoints {
    const double* point; // (count, 3)
    int count;
    double merge;     // >= 0, usually TAC_HULL_MERGE
    const char* file; // of messages; may be NULL
} tacHullPoints;

// Hull of points. On failure (fewer than four points, not finite, above TAC_MAX_MESH_COORD, flat)
// *out is unchanged and `message` (NULL to skip) says why.
tacResult tac_hull_create(tacHullPoints points, tacAllocator allocator, tacHull** out,
                          tacMessage* message);

// Hull of the vertices that faces have, or of all if there are no faces; `point` of the hull counts
// the vertices of the soup.
tacResult tac_soup_hull(const tacSoup* soup, double merge, tacHull** out, tacMessage* message);

// NULL is allowed
void tac_hull_destroy(tacHull* hull);

#endif
