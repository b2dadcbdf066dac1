// Vertices and edges of a pair of geoms for detectors that average: all of them, or soft top-K by
// depth, whose counts are fixed at load.

#ifndef TAC_DETECT_REFERENCE_REFERENCE_SIDE_H
#define TAC_DETECT_REFERENCE_REFERENCE_SIDE_H

#include "detect/reference/reference.h"
#include "math/pose.h"
#include "tactus/witness.h"

// one geom of a pair
typedef struct tacReferenceSide {
    const tacFeatures* features;
    int shape;
    tacPose body, field; // of its vertices, and of its own field
    int swept;           // with a radius                                   [m]
    tacReal radius;
    int vertices, edges;            // that it has and that are asked for
    int points, lines;              // that are kept of those
    tacReal *x[3], *depth;          // vertices in the world, minus the other's field there
    tacReal* point[3];              // kept
    tacReal *from[3], *to[3];       // kept edges
    tacReal *weight, *score, *work; // of a selection
    int* order;
} tacReferenceSide;

typedef struct tacReferencePair {
    const tacModel* model;
    tacReal tau, neighbours, sign, opposing, sort;
    tacReal support, gate, slope; // of edges in a field
    tacWitnessOptions witness;
    int keep; // TAC_CHOICE_TOP_K
    int rays; // 1: edges in a field, 0: edges against edges
    tacReferenceSide side[2];
    tacScratch* scratch;
    tacArena* arena; // of the scratch; of a dry run: one that measures
} tacReferencePair;

// How many of what geom s of a pair has; nothing is placed.
tacReferenceSide tac_reference_side(const tacModel* model, const tacContactPair* pair, int s);

// A pair with its numbers, and with all that is kept of both sides at these poses.
tacReferencePair tac_reference_pair_init(const tacModel* model, const tacContactPair* pair,
                                         tacScratch* scratch);
tacResult tac_reference_select(tacReferencePair* p, const tacContactPair* pair,
                               const tacPose* body);

// memory of side s, and numbers from the same arena
void tac_reference_side_alloc(tacReferencePair* p, int s);
tacReal* tac_reference_alloc(tacReferencePair* p, size_t count);
void tac_reference_alloc3(tacReferencePair* p, size_t count, tacReal* out[3]);

// field of geom s at points
tacResult tac_reference_field(const tacReferencePair* p, int s, tacReal* const x[3], int count,
                              tacField out);

// normal of a gradient, faded at ties (field_normal.inl)
tacVec3 tac_reference_normal(tacReal* const gradient[3], int i);

// activity of a distance; of edges in a field it ends
tacReal tac_reference_activity(const tacReferencePair* p, tacReal distance);

// a point off its own surface does not count: it is an average (paper 001, suppl. II-B)
tacReal tac_reference_safeguard(const tacReferencePair* p, tacReal own);

// writes a record
void tac_reference_write(tacReal* const out[TAC_REFERENCE_NUMBERS], int at, tacVec3 point,
                         tacVec3 normal, tacReal distance, tacReal activity);

// reference_rays.c: records of the edges of geom s in the field of the other, as many as are kept
tacResult tac_reference_rays(tacReferencePair* p, int s, tacReal* const out[TAC_REFERENCE_NUMBERS],
                             int at);
void tac_reference_rays_measure(tacReferencePair* p, int s);

#endif
