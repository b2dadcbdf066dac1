// The contact manifold: vertices of both geoms in each other's field, and their edges against each
// other. Model: docs/manifold.md.

#ifndef TAC_DETECT_MANIFOLD_MANIFOLD_H
#define TAC_DETECT_MANIFOLD_MANIFOLD_H

#include "detect/detect.h"
#include "detect/field/cylinder_rims.h"
#include "detect/field/sphere_projection.h"
#include "detect/manifold/manifold_edges.h"

extern const tacDetectorKind tac_manifold_detector;

// What met, in the order in which records of a pair stand. The place of a pair of edges is a record
// of its own on each of them.
typedef enum tacManifoldKind {
    TAC_MANIFOLD_VERTEX_0, // a vertex of geom[0] in the field of geom[1]
    TAC_MANIFOLD_VERTEX_1, // a vertex of geom[1] in the field of geom[0]
    TAC_MANIFOLD_EDGE_0,   // an edge of each: the point on that of geom[0]
    TAC_MANIFOLD_EDGE_1    // the point on that of geom[1]
} tacManifoldKind;

// tacContacts.feature: the kind, and indices of a vertex, or of an edge of geom[0] and of geom[1]
static inline uint64_t tac_manifold_feature(tacManifoldKind kind, int first, int second) {
    return (uint64_t)kind << 60 | (uint64_t)(unsigned)first << 30 | (uint64_t)(unsigned)second;
}
static inline tacManifoldKind tac_manifold_kind(uint64_t feature) {
    return (tacManifoldKind)(feature >> 60);
}
static inline int tac_manifold_first(uint64_t feature) { return (int)(feature >> 30 & 0x3fffffff); }
static inline int tac_manifold_second(uint64_t feature) { return (int)(feature & 0x3fffffff); }

// one pair of geoms while it is worked on; memory is the scratch's
typedef struct tacManifoldPair {
    int index, order; // which one, and up to what derivative the field is known
    const tacContactPair* pair;
    int used[2]; // has this side vertices, and are they asked for?
    int edges;   // are edges?
    tacVertexSide side[2];
    tacHits hits[2];         // vertices that touch
    tacCylinderRims rims[2]; // their rims, if they are cylinders
    tacSphereProjection
        spheres[2]; // ways to the surface, if they are balls at a field that is no distance
    tacManifoldEdges edge;
} tacManifoldPair;

// Searches a pair: near vertices, those that touch with the field up to `order`, and edges.
tacResult tac_manifold_find(const tacModel* model, const tacPose* body, int index, int order,
                            tacManifoldPair* out, tacScratch* scratch);

// Of the vertices that are near, those that touch, with the field up to `order`, and rims.
void tac_manifold_active(tacManifoldPair* p, int owner, int order, tacScratch* scratch);

// records of edges that have activity, and of all features
int tac_manifold_edge_records(const tacManifoldPair* p, int k);
int tac_manifold_records(const tacManifoldPair* p);

// manifold_diff.c

// tangents of fields beside those at vertices; NULL: they stand still
typedef struct tacManifoldFields {
    const tacField* rim; // at middles and at deepest points
    const tacSphereFields* sphere;
} tacManifoldFields;

// How much one side of a pair has: vertices and rims that touch, rims, balls. A dry run takes the
// most that there can be.
typedef struct tacManifoldCounts {
    int hits, rims, spheres;
} tacManifoldCounts;

// Records of vertices, rims and balls. Needs Hessians.
void tac_manifold_vertices_jvp(const tacManifoldPair* p, int owner, tacHitDot* dot,
                               tacManifoldFields fields, tacHitRecords out, tacScratch* scratch);

// the dry runs of that, and of the detector's derivatives after tac_manifold_find
void tac_manifold_vertices_jvp_measure(tacManifoldCounts most, tacArena* arena);
void tac_manifold_diff_measure(const tacModel* model, const tacContactPair* pair,
                               const tacManifoldCounts most[2], int edges, tacArena* arena);

tacResult tac_manifold_jvp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                           tacContactTangent tangent, tacContacts* dot, tacScratch* scratch);
tacResult tac_manifold_vjp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                           const tacContacts* bar, tacContactAdjoint adjoint, tacScratch* scratch);

#endif
