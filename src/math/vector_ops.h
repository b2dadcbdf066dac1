// Arrays of numbers: copy, add, dot.

#ifndef TAC_MATH_VECTOR_OPS_H
#define TAC_MATH_VECTOR_OPS_H

#include "base/arena.h"
#include "tactus/real.h"

#include <string.h>

// `n` zeros of the arena; NULL from an arena that measures
static inline tacReal* tac_alloc_zero(tacArena* arena, int n) {
    tacReal* x = TAC_ALLOC(arena, tacReal, n);
    if (x) memset(x, 0, sizeof *x * (size_t)n);
    return x;
}

// to = from; `from` NULL leaves `to` as it is
static inline void tac_copy_reals(tacReal* to, const tacReal* from, int n) {
    if (from && n > 0) memcpy(to, from, sizeof *to * (size_t)n);
}

// to += s from
static inline void tac_add_scaled_reals(tacReal* to, tacReal s, const tacReal* from, int n) {
    for (int i = 0; i < n; ++i) to[i] += s * from[i];
}

static inline tacReal tac_dot_reals(const tacReal* a, const tacReal* b, int n) {
    tacReal sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

static inline size_t tac_max_size(size_t a, size_t b) { return a > b ? a : b; }

#endif
