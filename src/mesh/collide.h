// Do triangles of a surface meet where they should not?

#ifndef TAC_MESH_COLLIDE_H
#define TAC_MESH_COLLIDE_H

#include "mesh/surface.h"

// Triangles in the cells of a grid. Entries of changed triangles stay until the next sorting and
// are found out by their number of changes.
typedef struct tacGrid {
    double low[3], cell;
    int n[3];
    int* head;                      // first entry of a cell, -1 for none
    int *next, *triangle, *version; // entries
    int entries, capacity;
    int* change; // how often a triangle has changed     (nt)
    int* stamp;  // last query that has seen a triangle  (nt)
    int query;
    int cells; // room in head
} tacGrid;

// do two triangles meet other than in common vertices, or nearly so; a fold along a common edge
// counts
int tac_triangles_meet(const tacTriangle* a, const tacTriangle* b);

tacResult tac_grid_create(tacGrid* g, const tacSurface* s, tacBlocks* blocks);

// sorts all triangles anew; needed after many changes
void tac_grid_sort(tacGrid* g, const tacSurface* s);

// triangle t has new corners; 0 if the grid is full and must be sorted
int tac_grid_update(tacGrid* g, const tacSurface* s, int t);

// would these triangles meet each other, or those of the surface other than `gone`?
int tac_grid_meets(tacGrid* g, const tacSurface* s, int count, const tacTriangle* new_ones,
                   int gone_count, const int* gone);

#endif
