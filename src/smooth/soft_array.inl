// What the array functions of this folder share: checks of input, exponents that cannot overflow.

#ifndef TAC_SMOOTH_SOFT_ARRAY_INL
#define TAC_SMOOTH_SOFT_ARRAY_INL

#include "smooth/soft.inl"
#include "tactus/result.h"

#include <stddef.h>

TAC_INLINE int soft_positive(tacReal x) { return tac_re(x) > 0.0 && isfinite(tac_re(x)); }

TAC_INLINE int soft_all_finite(int n, const tacReal* x) {
    for (int i = 0; i < n; ++i)
        if (!isfinite(tac_re(x[i]))) return 0;
    return 1;
}

// an exponent u <= 0, held within the cutoff
TAC_INLINE tacReal soft_exponent(tacReal u) {
    return tac_re(u) > -SOFT_LIMIT ? u : (tacReal)-SOFT_LIMIT;
}

// u_i becomes exp(u_i), exactly 0 at the cutoff; the same bits wherever an entry stands
TAC_INLINE void soft_exp_all(int n, tacReal* u) {
    int i = 0;
    for (; i + TAC_LANES <= n; i += TAC_LANES) w_store(u + i, soft_exp_below(w_load(u + i)));
    if (i == n) return;

    tacReal pad[TAC_LANES];
    for (int l = 0; l < TAC_LANES; ++l) pad[l] = u[i + l < n ? i + l : n - 1];
    w_store(pad, soft_exp_below(w_load(pad)));
    for (int l = 0; i + l < n; ++l) u[i + l] = pad[l];
}

#endif
