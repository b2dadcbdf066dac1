// Broad phase: boxes around geoms in the world, so that pairs that are far apart cost next to
// nothing. What it leaves out has activity exactly 0.

#ifndef TAC_DETECT_BROAD_PHASE_H
#define TAC_DETECT_BROAD_PHASE_H

#include "base/scratch.h"
#include "model/contact/contact_data.h"

// low and high corners in the world                                                      [m]
typedef struct tacBroadPhaseBox {
    double low[3], high[3];
} tacBroadPhaseBox;

typedef struct tacBroadPhase {
    tacBroadPhaseBox *features, *field; // of each geom: around its features, and around where its
                                        // field is low enough to touch a vertex (ngeom)
    double *radius, *overshoot;         // of swept features; how far witness points may lie beyond
    int* edges;                         // do edges count?
    double depth;                       // of those
} tacBroadPhase;

// Boxes at these poses; takes memory from the scratch. 0: there is nothing kept, all pairs count
int tac_broad_phase_build(const tacModel* model, const tacPose* body, tacBroadPhase* out,
                          tacScratch* scratch);
tacBroadPhase tac_broad_phase_alloc(const tacModel* model, tacArena* arena);

// can the two not touch each other?
int tac_broad_phase_separated(const tacBroadPhase* broad, const tacContactPair* pair);

#endif
