// Softmax of sign * x / tau (sign = 1: argmax, -1: argmin), shared by soft_max.c and its
// derivatives.

#ifndef TAC_SMOOTH_SOFT_MAX_H
#define TAC_SMOOTH_SOFT_MAX_H

#include "smooth/soft_array.inl"

typedef struct softMax {
    int n;
    const tacReal* x;
    tacReal tau;
    double sign;
    int best;     // first index of the extreme entry
    tacReal rest; // sum of exp(u_i) over the other entries; the weights are exp(u_i) / (1 + rest)
} softMax;

// u_i = sign (x_i - x_best) / tau <= 0
TAC_INLINE tacReal soft_max_exponent(const softMax* m, int i) {
    return soft_exponent(m->sign * (m->x[i] - m->x[m->best]) / m->tau);
}

// checks the input, finds the extreme entry and fills E_i = exp(u_i); `rest` is summed by index
tacResult tac_soft_max_start(softMax* m, int n, const tacReal* x, tacReal tau, double sign,
                             tacReal* E);

#endif
