// Rough numbers: single precision, twice as many lanes as wide, log2 and exp2 good to 1.2e-4. For
// decisions that carry their error with them (limits.h).

#ifndef TAC_SHAPE_ROUGH_H
#define TAC_SHAPE_ROUGH_H

#include "math/wide.h"

// vectors that pass the stages in lock step
#define ROUGH_STAGE (TAC_LANES == 1 ? 1 : 4)

#if TAC_LANES == 1

#define ROUGH_LANES 1
typedef double rough;

TAC_INLINE rough rough_set(double x) { return x; }
TAC_INLINE rough rough_load(const tacReal* p, tacReal less) { return tac_re(*p - less); }
TAC_INLINE void rough_store(tacReal* p, rough x) { *p = x; }
TAC_INLINE void rough_lower(tacReal* p, rough x) { *p = r_min(*p, x); }
TAC_INLINE rough rough_select_ge0(rough t, rough a, rough b) { return t >= 0.0 ? a : b; }
TAC_INLINE rough rough_max(rough a, rough b) { return a > b ? a : b; }
TAC_INLINE rough rough_min(rough a, rough b) { return a < b ? a : b; }
TAC_INLINE rough rough_fma(rough a, rough b, rough c) { return a * b + c; }
TAC_INLINE rough rough_sqrt(rough x) { return sqrt(x); }
TAC_INLINE rough rough_rcp(rough x) { return 1.0 / x; }
TAC_INLINE rough rough_rsqrt(rough x) { return 1.0 / sqrt(x); }
TAC_INLINE rough rough_log2(rough x) { return log2(x); }
TAC_INLINE rough rough_log2_1p(rough x) { return log2(1.0 + x); }
TAC_INLINE rough rough_exp2(rough x) { return exp2(x); }

#else

#define ROUGH_LANES (2 * TAC_LANES)
typedef float rough __attribute__((vector_size(8 * TAC_LANES)));
typedef int32_t roughInt __attribute__((vector_size(8 * TAC_LANES)));
typedef float roughHalf __attribute__((vector_size(4 * TAC_LANES)));

TAC_INLINE rough rough_set(double x) { return (float)x - (rough){0}; }

#if TAC_LANES == 8
#define ROUGH_LOW  0, 1, 2, 3, 4, 5, 6, 7
#define ROUGH_HIGH 8, 9, 10, 11, 12, 13, 14, 15
#elif TAC_LANES == 4
#define ROUGH_LOW  0, 1, 2, 3
#define ROUGH_HIGH 4, 5, 6, 7
#else
#define ROUGH_LOW  0, 1
#define ROUGH_HIGH 2, 3
#endif

// p[0 ..] - less, subtracted before it is rounded
TAC_INLINE rough rough_load(const double* p, double less) {
    roughHalf low = __builtin_convertvector(w_load(p) - less, roughHalf);
    roughHalf high = __builtin_convertvector(w_load(p + TAC_LANES) - less, roughHalf);
    return __builtin_shufflevector(low, high, ROUGH_LOW, ROUGH_HIGH);
}
TAC_INLINE void rough_store(double* p, rough x) {
    w_store(p, __builtin_convertvector(__builtin_shufflevector(x, x, ROUGH_LOW), wide));
    w_store(p + TAC_LANES,
            __builtin_convertvector(__builtin_shufflevector(x, x, ROUGH_HIGH), wide));
}
// p becomes the smaller of itself and x
TAC_INLINE void rough_lower(double* p, rough x) {
    wide low = __builtin_convertvector(__builtin_shufflevector(x, x, ROUGH_LOW), wide);
    wide high = __builtin_convertvector(__builtin_shufflevector(x, x, ROUGH_HIGH), wide);
    w_store(p, w_min(low, w_load(p)));
    w_store(p + TAC_LANES, w_min(high, w_load(p + TAC_LANES)));
}
#if TAC_LANES == 8
TAC_INLINE rough rough_select_ge0(rough t, rough a, rough b) {
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(t, (rough){0}, _CMP_GE_OQ), b, a);
}
TAC_INLINE rough rough_max(rough a, rough b) { return _mm512_max_ps(a, b); }
TAC_INLINE rough rough_min(rough a, rough b) { return _mm512_min_ps(a, b); }
TAC_INLINE rough rough_fma(rough a, rough b, rough c) { return _mm512_fmadd_ps(a, b, c); }
#elif TAC_LANES == 4
TAC_INLINE rough rough_select_ge0(rough t, rough a, rough b) {
    return _mm256_blendv_ps(b, a, _mm256_cmp_ps(t, (rough){0}, _CMP_GE_OQ));
}
TAC_INLINE rough rough_max(rough a, rough b) { return _mm256_max_ps(a, b); }
TAC_INLINE rough rough_min(rough a, rough b) { return _mm256_min_ps(a, b); }
TAC_INLINE rough rough_fma(rough a, rough b, rough c) { return _mm256_fmadd_ps(a, b, c); }
#else
TAC_INLINE rough rough_select_ge0(rough t, rough a, rough b) {
    roughInt mask = t >= 0.0f;
    return (rough)((mask & (roughInt)a) | (~mask & (roughInt)b));
}
TAC_INLINE rough rough_max(rough a, rough b) { return rough_select_ge0(a - b, a, b); }
TAC_INLINE rough rough_min(rough a, rough b) { return rough_select_ge0(b - a, a, b); }
TAC_INLINE rough rough_fma(rough a, rough b, rough c) { return a * b + c; }
#endif
TAC_INLINE rough rough_sqrt(rough x) {
#if TAC_LANES == 8
    return _mm512_sqrt_ps(x);
#elif TAC_LANES == 4
    return _mm256_sqrt_ps(x);
#elif defined(__SSE2__)
    return _mm_sqrt_ps(x);
#else
    for (int i = 0; i < ROUGH_LANES; ++i) x[i] = sqrtf(x[i]);
    return x;
#endif
}

// 1/x and 1/sqrt(x) of normal x > 0: the exponent turned by an integer, then two Newton steps; no
// estimate of the processor's, which makes round differently. Errors 2.2e-4 and 5e-6
TAC_INLINE rough rough_rcp(rough x) {
    rough y = (rough)(0x7ef311c3 - (roughInt)x), two = rough_set(2.0);
    y = y * rough_fma(-x, y, two);
    return y * rough_fma(-x, y, two);
}
TAC_INLINE rough rough_rsqrt(rough x) {
    rough y = (rough)(0x5f3759df - ((roughInt)x >> 1)), half = -0.5f * x, top = rough_set(1.5);
    y = y * rough_fma(half * y, y, top);
    return y * rough_fma(half * y, y, top);
}

// log2(1 + f) for 0 <= f <= 1; error 1.15e-4
TAC_INLINE rough rough_log2_1p(rough f) {
    rough p = rough_fma(f, rough_set(-0.0784406762), rough_set(0.3122694773));
    p = rough_fma(rough_fma(p, f, rough_set(-0.6708826790)), f, rough_set(1.4368748962));
    return rough_fma(p, f, rough_set(1.1457996e-4));
}

// x > 0 and normal: the exponent, and what is left, in [1, 2)
TAC_INLINE rough rough_log2(rough x) {
    roughInt bits = (roughInt)x, whole = (bits >> 23) - 127;
    rough f = (rough)((bits & 0x7fffff) | 0x3f800000) - 1.0f;
    return __builtin_convertvector(whole, rough) + rough_log2_1p(f);
}

// -120 <= x <= 120; relative error 1.2e-4
TAC_INLINE rough rough_exp2(rough x) {
    rough up = x + 127.0f;
    roughInt whole = __builtin_convertvector(up, roughInt);
    rough f = up - __builtin_convertvector(whole, rough);
    rough p = rough_fma(f, rough_set(0.0789672570), rough_set(0.2246931558));
    p = rough_fma(rough_fma(p, f, rough_set(0.6963247711)), f, rough_set(0.9999002882));
    return p * (rough)(whole << 23);
}

#endif

TAC_INLINE rough rough_abs(rough a) { return rough_max(a, -a); }

#endif
