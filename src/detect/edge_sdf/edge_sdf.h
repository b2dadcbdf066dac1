// Vertices of a mesh in another geom's field, and its edges traced through it. Model:
// docs/edge-sdf.md.

#ifndef TAC_DETECT_EDGE_SDF_EDGE_SDF_H
#define TAC_DETECT_EDGE_SDF_EDGE_SDF_H

#include "detect/detect.h"
#include "detect/edge_sdf/edge_sdf_kernels.h"
#include "detect/field/vertex_sdf.h"

extern const tacDetectorKind tac_edge_sdf_detector;

// The feature of a record, in the order of the records of a pair.
typedef enum tacEdgeSdfKind {
    TAC_EDGE_SDF_VERTEX_0, // a vertex of geom[0] in the field of geom[1]
    TAC_EDGE_SDF_EDGE_0,   // an edge of geom[0]
    TAC_EDGE_SDF_VERTEX_1, // a vertex of geom[1] in the field of geom[0]
    TAC_EDGE_SDF_EDGE_1    // an edge of geom[1]
} tacEdgeSdfKind;

// tacContacts.feature: the kind and the index of the vertex or edge
static inline uint64_t tac_edge_sdf_feature(tacEdgeSdfKind kind, int index) {
    return (uint64_t)kind << 60 | (uint64_t)(unsigned)index;
}
static inline tacEdgeSdfKind tac_edge_sdf_kind(uint64_t feature) {
    return (tacEdgeSdfKind)(feature >> 60);
}
static inline int tac_edge_sdf_index(uint64_t feature) { return (int)(feature & 0x3fffffff); }

//---------------------------------- one side of a pair ----------------------------

// Vertices or edges of one geom that are worked on, with the field at their hits; memory is the
// scratch's.
typedef struct tacEdgeSdfSide {
    tacVertexSide side;
    int edges;    // 0: vertices
    int steps;    // of a ray
    int slides;   // 1: with derivatives of the place
    tacHits hits; // hits.vertex are the indices
    tacRayParams numbers;
    tacRays rays;
    tacHits step[TAC_RAY_STEPS]; // places of both rays and the field there
    tacEdgeSlide slide;
} tacEdgeSdfSide;

// A side at these poses, no hits yet.
tacEdgeSdfSide tac_edge_sdf_side(const tacModel* model, const tacContactPair* pair, int owner,
                                 int edges, const tacPose* body, tacScratch* scratch);

// lists edges that may come nearer than the support in run->hits; culled by bounds unless `all`
void tac_edge_sdf_candidates(tacEdgeSdfSide* run, int all, tacScratch* scratch);

// Places of the hits listed and the field there up to `order`; order 2 of edges also how they
// slide. Takes memory from the scratch.
void tac_edge_sdf_trace(tacEdgeSdfSide* run, int order, tacScratch* scratch);

// the dry runs of a side with its candidates, and of a trace of so many hits
void tac_edge_sdf_side_measure(const tacModel* model, const tacContactPair* pair, int owner,
                               tacArena* arena);
void tac_edge_sdf_trace_measure(int hits, int steps, tacArena* arena);

#endif
