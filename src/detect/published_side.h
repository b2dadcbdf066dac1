// Vertices and edges of a pair of geoms for detectors that average: all of them, or soft top-K by
// depth, whose counts are fixed at load.

#ifndef TAC_DETECT_PUBLISHED_SIDE_H
#define TAC_DETECT_PUBLISHED_SIDE_H

#include "detect/published.h"
#include "math/pose.h"
#include "tactus/witness.h"

// one geom of a pair
typedef struct tacPublishedSide {
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
} tacPublishedSide;

typedef struct tacPublishedPair {
    const tacModel* model;
    tacReal tau, neighbours, sign, clash, sort;
    tacReal support, gate, slope; // of edges in a field
    tacWitnessOptions witness;
    int keep; // TAC_CHOICE_KEEP
    int rays; // 1: edges in a field, 0: edges against edges
    tacPublishedSide side[2];
    tacScratch* scratch;
} tacPublishedPair;

// How many of what geom s of a pair has; nothing is placed.
tacPublishedSide tac_published_side(const tacModel* model, const tacContactPair* pair, int s);
// bytes that a side takes
size_t tac_published_side_size(const tacPublishedSide* side, size_t real_size);

// A pair with its numbers, and with all that is kept of both sides at these poses.
tacPublishedPair tac_published_open(const tacModel* model, const tacContactPair* pair,
                                    tacScratch* scratch);
tacResult tac_published_keep(tacPublishedPair* p, const tacContactPair* pair, const tacPose* body);

// numbers from the scratch
tacReal* tac_published_take(tacPublishedPair* p, size_t count);
void tac_published_take3(tacPublishedPair* p, size_t count, tacReal* out[3]);

// field of geom s at points
tacResult tac_published_ask(const tacPublishedPair* p, int s, tacReal* const x[3], int count,
                            tacField out);

// normal of a gradient, faded at ties (field_normal.h)
tacVec3 tac_published_normal(tacReal* const gradient[3], int i);

// activity of a distance; of edges in a field it ends
tacReal tac_published_activity(const tacPublishedPair* p, tacReal distance);

// a point off its own surface does not count: it is an average (paper 001, suppl. II-B)
tacReal tac_published_safeguard(const tacPublishedPair* p, tacReal own);

// writes a record
void tac_published_put(tacReal* const out[TAC_PUBLISHED_NUMBERS], int at, tacVec3 point,
                       tacVec3 normal, tacReal distance, tacReal activity);

// published_rays.c: records of the edges of geom s in the field of the other, as many as are kept
tacResult tac_published_rays(tacPublishedPair* p, int s, tacReal* const out[TAC_PUBLISHED_NUMBERS],
                             int at);

#endif
