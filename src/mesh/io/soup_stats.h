// Statistics of a soup: is it closed and oriented, its size; and properties of its faces.

#ifndef TAC_MESH_IO_SOUP_STATS_H
#define TAC_MESH_IO_SOUP_STATS_H

#include "mesh/io/soup.h"

typedef struct tacSoupStats {
    double lower[3], upper[3]; // bounding box of all vertices
    int edges;                 // different ones, of the polygon faces
    int used;                  // vertices that faces have
    int euler;                 // used - edges + faces: 2 for a body without holes
    int open;                  // edges that belong to one face only
    int nonmanifold;           // edges that belong to three faces or more
    int misoriented;           // edges with the same direction in both faces
    int closed;                // 1: there are faces, and each edge belongs to two
    int oriented;              // 1: closed, and each edge has both directions
    int first_bad;             // first face at an open, nonmanifold or misoriented edge, -1: none
} tacSoupStats;

// TAC_OK or TAC_ERROR_MEMORY
tacResult tac_soup_stats(const tacSoup* soup, tacSoupStats* out);

// Centre of area, outward unit normal and area of each polygon face; a face of area 0 has the mean
// of its corners and the normal 0. Any of the arrays may be NULL.
void tac_soup_faces(const tacSoup* soup, double* centre, double* normal, double* area);

#endif
