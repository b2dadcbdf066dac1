// The wide kernels of vertices in a field: bounds of the field, and records of contacts.
//
//   vertices --place--> points of the field's body --lower bound--> those that may touch
//   --shape/--> value, gradient, Hessian --record--> point, normal, distance, activity, and
//   derivatives
//
// Arrays have room for whole vectors: `count` is rounded up to `lanes`.

#ifndef TAC_DETECT_FIELD_VERTEX_SDF_KERNELS_H
#define TAC_DETECT_FIELD_VERTEX_SDF_KERNELS_H

#include "base/dispatch.h"
#include "math/pose.h"
#include "model/contact/geom_features.h"
#include "shape/active_leaves.h"
#include "shape/node_data.h"

// most combinations that are open at once while a bound is formed
#define TAC_LOWER_BOUND_STACK 16

// how a node of a shape bounds its field from below
typedef enum tacLowerBoundKind {
    TAC_LOWER_BOUND_BOX,    // max over axes of scale (|y| - radius) - less
    TAC_LOWER_BOUND_PLANES, // max over planes
    TAC_LOWER_BOUND_NONE,   // nothing is known
    TAC_LOWER_BOUND_MIN,    // of a union: the least of its children
    TAC_LOWER_BOUND_MAX,    // of an intersection
    TAC_LOWER_BOUND_FIRST   // of a difference: its first child
} tacLowerBoundKind;

typedef struct tacLowerBoundNode {
    tacLowerBoundKind kind;
    tacLowerBoundKind parent_kind; // how its parent takes it
    int first;                     // 1: it begins its parent
    tacFrame frame;
    tacReal scale[3], offset[3];
    double side_sign;     // 1: of a box; -1: y in place of |y|, a half-space
    tacReal blend_drop;   // how far a union may lie below its least child         [m]
    double end;           // of a combination: it is no higher than this           [m]
    const tacReal* plane; // four numbers each
    int planes;
    tacReal lipschitz; // longest normal of a plane
} tacLowerBoundNode;

// Bounds of eight leaves in single precision, below what that rounds: max over axes of
// |R x + shift| - scale radius - less
enum { TAC_FLOAT_BOUNDS = 8 };
typedef struct tacFloatBounds {
    float R[3][3][TAC_FLOAT_BOUNDS];
    float shift[3][TAC_FLOAT_BOUNDS], scale[3][TAC_FLOAT_BOUNDS], offset[3][TAC_FLOAT_BOUNDS];
} tacFloatBounds;

// one side of a pair: vertices of geom[owner] in the field of geom[1 - owner]; world axes but for
// what is said to be of a body
typedef struct tacVertexPose {
    tacFrame field, own;    // bodies of the field and of the vertices
    tacFrame rel_frame;     // the body of the vertices in that of the field
    tacFrame feature_frame; // the same with vertices as parameters move them (feature_motion.h)
    double sign;            // 1: the field is geom[0]'s; -1: geom[1]'s
    tacReal radius;         // of the vertices                                        [m]
    tacReal tau, support;
} tacVertexPose;

// vertices and the field there, in axes of the field's body
typedef struct tacHits {
    int count;
    int* vertex;
    tacReal *y[3], *value, *gradient[3], *hessian[6];
} tacHits;

// point, normal, distance, activity in the world; also tangents and adjoints
typedef struct tacHitRecords {
    tacReal *point[3], *normal[3], *distance, *activity;
} tacHitRecords;

// tangents of what hits depend on beside the field; the field's own at each hit (NULL: zero)
typedef struct tacHitDot {
    tacReal field[6], own[6]; // twists of the bodies about their origins, world axes
    tacReal radius, tau, support;
    const tacReal *value, *gradient[3]; // axes of the field's body
    const tacReal* slide[3];            // of hits that move on their body, world axes; NULL: none
    tacReal growth[3];                  // of the hits' geom along its axes (feature_motion.h)
} tacHitDot;

// adjoints; those of the field at each hit are written
typedef struct tacHitBar {
    tacReal field[6], own[6], radius, tau, support;
    tacReal *value, *gradient[3]; // axes of the field's body; NULL skips
    tacReal* slide[3];            // as in tacHitDot; NULL skips
    tacReal growth[3];
} tacHitBar;

// hits that slide along a line of their body as the bodies move: the line's direction, and how far
// by the twist of their body against the field's about the hit; world axes
typedef struct tacHitSlide {
    const tacReal *along[3], *by[6];
} tacHitSlide;

// leaves of a union, and below which bound they count
typedef struct tacLeafLimits {
    const tacFloatBounds* leaf;
    int leaves;
    float near;
    const float* far; // (64)
} tacLeafLimits;

// points or balls in axes of the field's body, each with bits of the leaves near it
typedef struct tacLeafBalls {
    int count;
    int* block; // that a ball is around
    float *x[3], *radius;
    uint64_t *is_near, *is_far;
} tacLeafBalls;

// vertices of one block against some of the leaves
typedef struct tacBlockQuery {
    const tacFloatBounds* leaf;
    uint64_t leaves; // bits
    float near, end;
    const tacFrame* rel_frame; // the body of the vertices in that of the field
    const tacFeatures* features;
    int block;
} tacBlockQuery;

typedef struct tacVertexKernels {
    int lanes;

    // positions vertex[i] of x in the frame `rel_frame`
    void (*pose)(const tacFrame* rel_frame, const double* const x[3], const int* vertex, int count,
                 tacReal* const y[3]);

    // A bound of the shape's field from below in balls around points; radius NULL: 0
    void (*lower_bound)(const tacLowerBoundNode* node, int nodes, const tacReal* const x[3],
                        const tacReal* radius, tacReal* low, int count);

    // Bits of the leaves whose own bound in a ball is below `near`, and of those whose is below
    // far[leaf], which has 64 numbers however many leaves there are
    void (*leaves)(const tacLeafLimits* limits, tacLeafBalls* balls);

    // Vertices of a block where the bound of one of these leaves is below `near`, behind the
    // others; how many there are then. `vertex` has room for a block more
    int (*vertices)(const tacBlockQuery* query, int* vertex, int count);

    // The same of a field that ends: bits of those vertices, and the leaves whose bound is below
    // `end` there, as needs of a group; how many needs are written, of as many as there are leaves
    unsigned (*needs)(const tacBlockQuery* query, tacActiveLeaf* need, int* count);

    void (*record)(const tacVertexPose* p, const tacHits* hits, tacHitRecords out);

    // d_twist of contact.h; needs Hessians. slide NULL: none
    void (*twists)(const tacVertexPose* p, const tacHits* hits, const tacHitSlide* slide,
                   tacReal* const out[8][6]);

    void (*record_jvp)(const tacVertexPose* p, const tacHits* hits, const tacHitDot* dot,
                       tacHitRecords out);

    // `with_hessian` 0: no adjoint of a normal, and no Hessians
    void (*record_vjp)(const tacVertexPose* p, const tacHits* hits, tacHitRecords bar,
                       int with_hessian, tacHitBar* out);
} tacVertexKernels;

TAC_DECLARE_KERNELS(tacVertexKernels, tac_vertex_kernels_);

#endif
