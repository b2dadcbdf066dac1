// Two edges as maps for the check of derivatives: the public routine by corners and options, and
// the signs by what they are made of.

#ifndef TAC_WITNESS_ADAPTER_EDGE_EDGE_H
#define TAC_WITNESS_ADAPTER_EDGE_EDGE_H

#include "check/check.h"
#include "tactus/witness.h"

// inputs: 12 corners, then regular, least, clip, within, range, gap; outputs: alpha 2, colliding,
// points 6, distance, normal 3
#define EDGE_INPUTS  18
#define EDGE_OUTPUTS 13

typedef struct edgeMap {
    const char* name;
    int units, exact, has_range;
    double scale; // of lengths
} edgeMap;

TAC_DECLARE_CHECK(tac_check_edge_edge_);

// inputs: normal 3, distance, outward 6, two temperatures; outputs: distances 2, normals 6, clash
#define SIGN_INPUTS  12
#define SIGN_OUTPUTS 9

TAC_DECLARE_CHECK(tac_check_edge_sign_);

// inputs: phi, gap, other, claim, tau, range, width; outputs: penetrating, owned, competition
#define INDICATOR_INPUTS  7
#define INDICATOR_OUTPUTS 3

TAC_DECLARE_CHECK(tac_check_edge_indicator_);

#endif
