// Distance and penetration of two convex pieces, with the points where they are nearest.
//
// Separated: Gilbert, Johnson and Keerthi's method; overlapping: expansion of a polytope. Both walk
// on the difference of the cores, A - B, and bound their own error.

#ifndef TAC_DETECT_GJK_H
#define TAC_DETECT_GJK_H

#include "detect/convex.h"

#include <stddef.h>

typedef struct tacNearest {
    double distance;    // negative: penetration
    double error;       // the true distance is within this
    double normal[3];   // unit, from A to B
    double point[2][3]; // on A and on B: point[1] - point[0] = distance normal
    int passes;
} tacNearest;

size_t tac_gjk_size(void);

// One of the pieces may be a half-space. `axis` is the start (the normal of last time, or 0) and
// gets the normal. Never fails on finite pieces; `memory` (tac_gjk_size) is used where they
// overlap.
tacNearest tac_gjk(const tacConvex* a, const tacConvex* b, double axis[3], void* memory);

#endif
