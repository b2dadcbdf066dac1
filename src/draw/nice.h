// Round numbers for scales.

#ifndef TAC_DRAW_NICE_H
#define TAC_DRAW_NICE_H

#include <math.h>

// 1, 2 or 5 times a power of ten, near `length`
static inline double tac_nice_length(double length) {
    double decade = pow(10.0, floor(log10(length))), lead = length / decade;
    return decade * (lead < 1.5 ? 1.0 : lead < 3.5 ? 2.0 : lead < 7.5 ? 5.0 : 10.0);
}

#endif
