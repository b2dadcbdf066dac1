// Distance and penetration of two convex parts, with the points where they are nearest.
//
// Separated: Gilbert, Johnson and Keerthi's method; overlapping: expansion of a polytope. Both walk
// on the difference of the cores, A - B, and bound their own error.

#ifndef TAC_DETECT_CONVEX_GJK_H
#define TAC_DETECT_CONVEX_GJK_H

#include "detect/convex/convex.h"

#include <stddef.h>

typedef struct tacNearest {
    double distance;    // negative: penetration
    double error;       // the true distance is within this
    double normal[3];   // unit, from A to B
    double point[2][3]; // on A and on B: point[1] - point[0] = distance normal
    int passes;
} tacNearest;

// Where a walk ended: the directions of its last vertices. The next one of parts that have moved a
// little starts there. Zero: it starts from nothing.
typedef struct tacGjkCache {
    int count;
    double direction[4][3];
} tacGjkCache;

size_t tac_gjk_size(void);

// One of the parts may be a half-space. `start` is where the walk of last time ended, and gets
// where this one does. Never fails on finite parts; `memory` (tac_gjk_size) is used where they
// overlap.
tacNearest tac_gjk(const tacConvex* a, const tacConvex* b, tacGjkCache* start, void* memory);

#endif
