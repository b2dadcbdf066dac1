// When is a pivot of a factorization lost in rounding?

#ifndef TAC_MATH_PIVOT_H
#define TAC_MATH_PIVOT_H

#include "math/number.h"

#include <float.h>
#include <math.h>

#ifdef TAC_NUMBER_QUAD
#define TAC_PIVOT_EPSILON 1.93e-34
#else
#define TAC_PIVOT_EPSILON DBL_EPSILON
#endif

// no square of a number that we divide by may underflow (complex division makes such squares)
#define TAC_PIVOT_TINY 1e-140

static inline double tac_pivot_size(tacReal x) { return fabs(tac_re(x)); }

// is a pivot lost in the rounding of n terms that sum up to `terms` in magnitude? (also: not
// finite)
static inline int tac_pivot_lost(tacReal pivot, double terms, int n) {
    double p = tac_pivot_size(pivot);
    return !(p > TAC_PIVOT_TINY && p > 2.0 * n * TAC_PIVOT_EPSILON * terms);
}

#endif
