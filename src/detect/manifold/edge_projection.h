// Witness points of edges led onto the surface that the own geom's field has: edges of a mesh lie
// off it where the surface is curved. A few of Newton's steps along the gradient g,
//
//   y <- y - phi q g,  q = |g|^2/(|g|^4 + e^4),  e = 0.1
//
// which is phi g/|g|^2 but where the field is flat: there a step is at most 5.7 |phi| long. The
// derivative is that of the steps, not of the limit. Of swept edges nothing is moved: their radius
// leads to the surface.
//
// The distance of the pair is counted along the same normal between the points that are reached.

#ifndef TAC_DETECT_MANIFOLD_EDGE_PROJECTION_H
#define TAC_DETECT_MANIFOLD_EDGE_PROJECTION_H

#include "detect/manifold/manifold_edges.h"

//---------------------------------- one step -------------------------------------

// e^4
#define TAC_PROJECTION_DAMPING 1e-4

static inline tacReal tac_newton_scale(const tacReal g[3]) {
    tacReal s = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
    return s / (s * s + TAC_PROJECTION_DAMPING);
}

static inline void tac_newton_step(tacReal phi, const tacReal g[3], tacReal y[3]) {
    tacReal length = phi * tac_newton_scale(g);
    for (int k = 0; k < 3; ++k) y[k] -= length * g[k];
}

//---------------------------------- points of pairs ------------------------------

// memory for the steps of so many pairs
void tac_edge_projection_alloc(tacEdgeProjection* projection, int steps, int pairs,
                               tacArena* arena);

// the dry run of tangents and adjoints
void tac_edge_projection_diff_measure(int pairs, tacArena* arena);

// Moves the points of the pairs that may have a record, and counts the distance between them.
void tac_edge_projection_find(tacManifoldEdges* work, int steps, tacArena* arena);

// Tangents of points and distances: those of the witness points become those of the points reached.
void tac_edge_projection_jvp(const tacManifoldEdges* work, const tacManifoldEdgesDot* dot,
                             tacCandidatePairs* d, tacArena* arena);

// Adjoints of the same, the other way; adds to normals and to the twist.
void tac_edge_projection_vjp(const tacManifoldEdges* work, tacCandidatePairs* bar,
                             tacManifoldEdgesBar* out, tacArena* arena);

#endif
