// Broad phase: which pairs of geoms may touch, so that those that are far apart cost nothing. What
// it leaves out has activity exactly 0.
//
//   boxes of geoms --sweep, or one by one--> boxes that overlap --oriented boxes--> candidates

#ifndef TAC_DETECT_BROAD_PHASE_H
#define TAC_DETECT_BROAD_PHASE_H

#include "base/scratch.h"
#include "model/contact/contact_data.h"

// Pairs that may touch, in rising order; memory is the scratch's
typedef struct tacCandidates {
    int* pair; // index in tacContactPlan.pair
    int count;
} tacCandidates;

// Candidates at these poses. 0: nothing is kept for it, all pairs count
int tac_broad_phase(const tacModel* model, const tacPose* body, tacCandidates* out,
                    tacScratch* scratch);

// the dry run of its allocations
void tac_broad_phase_measure(const tacModel* model, tacArena* arena);

#endif
