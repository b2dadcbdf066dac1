// The wide kernels of edges against edges: witness points of pairs, who is the nearest, and
// records. All of it is in axes of the body of geom[0].
//
//   pairs --witness--> points, indicator --soft_nearest--> nearest --write_records--> records
//
// Arrays have room for whole vectors behind `count`.

#ifndef TAC_DETECT_MANIFOLD_MANIFOLD_EDGES_KERNELS_H
#define TAC_DETECT_MANIFOLD_MANIFOLD_EDGES_KERNELS_H

#include "detect/field/vertex_sdf_kernels.h"
#include "tactus/witness.h"

// temperatures and lengths; also tangents and adjoints
typedef struct tacEdgeParams {
    tacWitnessOptions witness;
    tacReal depth;          // pairs that are farther apart are none                       [m]
    tacReal neighbours;     // width of the competition for the nearest                      [m]
    tacReal sign, opposing; // of which way a pair pushes, and of "the faces beside it let it"
    tacReal tau, support;
    tacReal radius[2]; // of the balls that are swept over the edges of each geom           [m]
} tacEdgeParams;

// candidate edges of one geom; also tangents
typedef struct tacEdgeSet {
    int count;
    int swept; // 1: edges with a radius, which have no normals of their own
    int* edge;
    tacReal *from[3], *to[3]; // corners
    tacReal *out[3],
        *along[2][3]; // outward, along both faces away from it; of tangents if it grows
    tacReal rot[3];   // of tangents alone: the vectors of all edges turn with it
} tacEdgeSet;

// How edges of a geom grow along its axes, the columns of R, from its origin; an adjoint.
typedef struct tacEdgeGrowth {
    tacFrame geom;
    tacReal bar[3];
} tacEdgeGrowth;

// pairs of candidates; also tangents and adjoints
typedef struct tacCandidatePairs {
    int count;
    int *first, *second; // candidates of geom[0] and geom[1], in order
    tacReal *gap, *point[2][3];
    tacReal *distance, *normal[3];    // signed; the normal leaves the surface of geom[1]
    tacReal* indicator;               // to be a contact, by the edges alone
    tacReal* nearest[2];              // among the pairs of an edge of geom[0], of geom[1]
    tacReal *phi[2], *gradient[2][3]; // the other geom's field at each point, and its gradient
} tacCandidatePairs;

// pairs of one edge, which compete to be the nearest; also tangents and adjoints
typedef struct tacNearestPairs {
    int count;
    tacReal *gap, *indicator, *nearest;
    tacReal width;
} tacNearestPairs;

typedef struct tacManifoldEdgesKernels {
    int lanes;

    // candidate edges of both geoms
    void (*witness)(const tacEdgeSet set[2], const tacEdgeParams* n, tacCandidatePairs* m);
    void (*witness_jvp)(const tacEdgeSet set[2], const tacEdgeParams* n, const tacCandidatePairs* m,
                        const tacEdgeSet set_dot[2], const tacEdgeParams* n_dot,
                        tacCandidatePairs* m_dot);
    // adds to adjoints of the numbers, to the wrench on geom[1] about the origin, and to the growth
    // of both geoms (2; NULL skips)
    void (*witness_vjp)(const tacEdgeSet set[2], const tacEdgeParams* n, const tacCandidatePairs* m,
                        const tacCandidatePairs* m_bar, tacEdgeParams* n_bar, tacReal wrench[6],
                        tacEdgeGrowth* growth);

    // nearest = product over all pairs q of 1 - indicator_q psi((gap - gap_q)/width - 1)
    void (*soft_nearest)(const tacNearestPairs* p);
    void (*soft_nearest_jvp)(const tacNearestPairs* p, const tacNearestPairs* dot);
    // adds to gap, indicator and width of the adjoint
    void (*soft_nearest_vjp)(const tacNearestPairs* p, tacNearestPairs* bar);

    // records of both points of each pair, world axes
    void (*write_records)(const tacFrame* body, const tacEdgeParams* n, const tacCandidatePairs* m,
                          const tacHitRecords out[2]);
    // as the body of geom[0] sees it, in its axes
    void (*write_records_jvp)(const tacEdgeParams* n, const tacCandidatePairs* m,
                              const tacEdgeParams* n_dot, const tacCandidatePairs* m_dot,
                              const tacHitRecords out[2]);
    // adjoints of records in axes of that body; m_bar is written, numbers are added to
    void (*write_records_vjp)(const tacEdgeParams* n, const tacCandidatePairs* m,
                              const tacHitRecords bar[2], tacCandidatePairs* m_bar,
                              tacEdgeParams* n_bar);
} tacManifoldEdgesKernels;

TAC_DECLARE_KERNELS(tacManifoldEdgesKernels, tac_manifold_edges_kernels_);

#endif
