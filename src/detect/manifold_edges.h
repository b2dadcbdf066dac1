// Edges of two geoms against each other: candidates, pairs, records, derivatives.

#ifndef TAC_DETECT_MANIFOLD_EDGES_H
#define TAC_DETECT_MANIFOLD_EDGES_H

#include "detect/manifold_edges_kernels.h"
#include "detect/vertex_sdf.h"

// most steps that lead a point to its surface
enum { TAC_PROJECTION_MOST = 5 };

// the places of points on edges of a geom before each step and after the last (edge_projection.h)
typedef struct tacEdgeProjection {
    int steps; // 0: the points stay
    tacHits at[TAC_PROJECTION_MOST + 1];
} tacEdgeProjection;

// one pair of geoms while its edges are worked on; memory is the scratch's
typedef struct tacEdgeWork {
    const tacModel* model;
    tacVertexSide* side; // two
    tacEdgeNumbers numbers;
    tacEdgeSet set[2];
    tacEdgeMeetings meetings;
    int capacity;      // of pairs
    int* column;       // pairs in order of the second candidate
    int* column_first; // where each of those begins
    tacEdgeProjection project[2];
    tacHits at[2]; // pairs whose points the other field is asked at
    tacHitRecords record[2];
} tacEdgeWork;

// most pairs of edges of two geoms that are worked on at once
int tac_edge_capacity(const tacModel* model, const tacContactPair* pair);
// bytes that work takes, derivatives included
size_t tac_edge_size(const tacModel* model, const tacContactPair* pair, size_t real_size);

// Finds pairs and their records. TAC_ERROR_CAPACITY: too many pairs, meetings.count tells how many.
tacResult tac_edge_find(tacEdgeWork* work, const tacModel* model, const tacContactPair* pair,
                        tacVertexSide side[2], tacScratch* scratch);

// tangents of what edges depend on beside their places
typedef struct tacEdgeDot {
    tacReal twist[6]; // of geom[1] against geom[0] about the origin, axes of geom[0]'s body
    tacEdgeNumbers numbers;
    const tacReal* at[2];                     // of the fields themselves; NULL: zero
    tacField project[2][TAC_PROJECTION_MOST]; // of the own fields at each step; NULL: zero
} tacEdgeDot;

// tangents of the records as the body of geom[0] sees them, in its axes
void tac_edge_jvp(const tacEdgeWork* work, const tacEdgeDot* dot, const tacHitRecords out[2],
                  tacScratch* scratch);

// adjoints of the same
typedef struct tacEdgeBar {
    tacReal twist[6];
    tacEdgeNumbers numbers;
    tacReal* at[2];                           // written, NULL skips
    tacField project[2][TAC_PROJECTION_MOST]; // likewise
} tacEdgeBar;

// from adjoints of the records in axes of the body of geom[0]; adds to twist and numbers
void tac_edge_vjp(const tacEdgeWork* work, const tacHitRecords bar[2], tacEdgeBar* out,
                  tacScratch* scratch);

#endif
