// Edges of two geoms against each other: candidates, pairs, records, derivatives.

#ifndef TAC_DETECT_MANIFOLD_MANIFOLD_EDGES_H
#define TAC_DETECT_MANIFOLD_MANIFOLD_EDGES_H

#include "detect/field/vertex_sdf.h"
#include "detect/manifold/manifold_edges_kernels.h"

// most steps that lead a point to its surface
enum { TAC_PROJECTION_MAX_STEPS = 5 };

// the places of points on edges of a geom before each step and after the last (edge_projection.h)
typedef struct tacEdgeProjection {
    int steps; // 0: the points stay
    tacHits at[TAC_PROJECTION_MAX_STEPS + 1];
} tacEdgeProjection;

// one pair of geoms while its edges are worked on; memory is the scratch's
typedef struct tacManifoldEdges {
    const tacModel* model;
    tacVertexSide* side; // two
    tacEdgeParams numbers;
    tacEdgeSet set[2];
    tacCandidatePairs pairs;
    int capacity;      // of pairs
    int* column;       // pairs in order of the second candidate
    int* column_first; // where each of those begins
    tacEdgeProjection project[2];
    tacHits at[2]; // pairs whose points the other field is asked at
    tacHitRecords record[2];
} tacManifoldEdges;

// most pairs of edges of two geoms that are worked on at once
int tac_manifold_edges_capacity(const tacModel* model, const tacContactPair* pair);
// the dry runs of tac_manifold_edges_find, and of its derivatives, which are taken after it
void tac_manifold_edges_measure(const tacModel* model, const tacContactPair* pair, tacArena* arena);
void tac_manifold_edges_diff_measure(const tacModel* model, const tacContactPair* pair,
                                     tacArena* arena);

// where the pairs of an edge of geom[0] end that begin at `begin`
static inline int tac_pair_row_end(const tacCandidatePairs* pairs, int begin) {
    int end = begin;
    while (end < pairs->count && pairs->first[end] == pairs->first[begin]) ++end;
    return end;
}

// x at these places, the last one repeated as padding
static inline void tac_gather_padded(const tacReal* x, const int* at, int count, tacReal* out) {
    for (int i = 0; i < count; ++i) out[i] = x[at[i]];
    for (int i = count; i < count + TAC_HIT_PADDING && count; ++i) out[i] = out[count - 1];
}

// Finds pairs and their records. TAC_ERROR_CAPACITY: too many pairs, pairs.count is how many.
tacResult tac_manifold_edges_find(tacManifoldEdges* work, const tacModel* model,
                                  const tacContactPair* pair, tacVertexSide side[2],
                                  tacScratch* scratch);

// tangents of what edges depend on beside their places
typedef struct tacManifoldEdgesDot {
    tacReal twist[6];     // of geom[1] against geom[0] about the origin, axes of geom[0]'s body
    tacReal growth[2][3]; // of both geoms along their axes (feature_motion.h)
    tacEdgeParams numbers;
    const tacReal* at[2];                          // of the fields themselves; NULL: zero
    tacField project[2][TAC_PROJECTION_MAX_STEPS]; // of the own fields at each step; NULL: zero
} tacManifoldEdgesDot;

// tangents of the records as the body of geom[0] sees them, in its axes
void tac_manifold_edges_jvp(const tacManifoldEdges* work, const tacManifoldEdgesDot* dot,
                            const tacHitRecords out[2], tacScratch* scratch);

// adjoints of the same
typedef struct tacManifoldEdgesBar {
    tacReal twist[6];
    int grows; // are adjoints of the growth asked for?
    tacReal growth[2][3];
    tacEdgeParams numbers;
    tacReal* at[2];                                // written, NULL skips
    tacField project[2][TAC_PROJECTION_MAX_STEPS]; // likewise
} tacManifoldEdgesBar;

// from adjoints of the records in axes of the body of geom[0]; adds to twist and numbers
void tac_manifold_edges_vjp(const tacManifoldEdges* work, const tacHitRecords bar[2],
                            tacManifoldEdgesBar* out, tacScratch* scratch);

#endif
