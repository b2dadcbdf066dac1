// The threshold equation behind tac_select_top_k, shared with its derivatives.

#ifndef TAC_SMOOTH_SELECT_H
#define TAC_SMOOTH_SELECT_H

#include "smooth/soft_array.inl"
#include "tactus/smooth.h"

// threshold = base + width * phi: resolves ties finer than a score's last digit
typedef struct selection {
    const tacSelect* problem;
    double base;
    tacReal phi;
} selection;

// t = (score - threshold) / width, held within +-2 (the ramp ends at +-1)
TAC_INLINE tacReal select_ratio(const selection* s, tacReal score) {
    tacReal t = (score - s->base) / s->problem->width - s->phi;
    return tac_re(t) > 2.0 ? (tacReal)2.0 : tac_re(t) < -2.0 ? (tacReal)-2.0 : t;
}

// gate of a score; 1 without a gate
TAC_INLINE softDiff select_gate(const selection* s, tacReal score) {
    wide one = w_set(1.0), zero = w_set(0.0);
    if (tac_re(s->problem->gate) == 0.0) return (softDiff){one, zero, zero, zero, zero};
    return soft_step5_diff(w_set(score) / w_set(s->problem->gate));
}

// checks the input and solves; *slope = -d(sum of weights) / d phi, 0 on a plateau
tacResult tac_select_solve(const tacSelect* problem, selection* s, tacReal* slope);

#endif
