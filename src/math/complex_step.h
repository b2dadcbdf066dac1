// Public types in plain doubles, for _hvp functions, which are compiled in the complex build alone
// but called with doubles. Layouts equal those of the double build; structs of pointers need no
// twin.

#ifndef TAC_MATH_COMPLEX_STEP_H
#define TAC_MATH_COMPLEX_STEP_H

#include "math/number.h"

typedef struct plainPose {
    double position[3], rotation[4];
} plainPose;

// value + i h tangent; a NULL tangent is zero
static inline void complex_step_set(int n, const double* value, const double* tangent,
                                    tacReal* out) {
    for (int i = 0; i < n; ++i)
        out[i] = r_make(value[i], tangent ? TAC_COMPLEX_STEP * tangent[i] : 0.0);
}

// adds the derivative of a complex result
static inline void complex_step_add_derivative(int n, const tacReal* in, double* out) {
    for (int i = 0; i < n; ++i) out[i] += tac_im(in[i]) / TAC_COMPLEX_STEP;
}

#endif
