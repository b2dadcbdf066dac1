// Self-intersections of a surface of triangles.

#ifndef TAC_MESH_SURFACE_TRIANGLE_GRID_H
#define TAC_MESH_SURFACE_TRIANGLE_GRID_H

#include "mesh/surface/surface.h"

// Triangles in the cells of a grid. Entries of changed triangles stay until the next rebuild and
// are recognized by their number of changes.
typedef struct tacTriangleGrid {
    double low[3], cell;
    int n[3];
    int* head;                      // first entry of a cell, -1 for none
    int *next, *triangle, *version; // entries
    int entries, capacity;
    int* change; // how often a triangle has changed     (nt)
    int* stamp;  // last query that has seen a triangle  (nt)
    int query;
    int cells; // capacity of head
} tacTriangleGrid;

// Do two triangles intersect, or nearly so, other than in common vertices? A fold along a common
// edge counts
int tac_triangles_intersect(const tacTriangle* a, const tacTriangle* b);

tacResult tac_triangle_grid_create(tacTriangleGrid* g, const tacSurface* s, tacRegion* blocks);

// rebuilds the grid; needed after many changes
void tac_triangle_grid_rebuild(tacTriangleGrid* g, const tacSurface* s);

// triangle t has new vertices; 0 if the grid is full and must be rebuilt
int tac_triangle_grid_update(tacTriangleGrid* g, const tacSurface* s, int t);

// would these triangles intersect each other, or those of the surface other than `removed`?
int tac_triangle_grid_intersects(tacTriangleGrid* g, const tacSurface* s, int count,
                                 const tacTriangle* added, int removed_count, const int* removed);

#endif
