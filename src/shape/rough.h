// Rough numbers: single precision, twice as many lanes as wide, log2 and exp2 of a few terms. For
// decisions that carry their error with them (limits.h).
//
// A file whose rows have eight numbers defines ROUGH_EIGHT before it includes this: vectors of
// AVX-512 are then no wider than that, as half of one that is costs as much as all of it.

#ifndef TAC_SHAPE_ROUGH_H
#define TAC_SHAPE_ROUGH_H

#include "math/wide.h"

// vectors that pass in lock step; rows of few points are padded to as many
#define ROUGH_STAGE (TAC_LANES == 1 ? 1 : TAC_LANES == 8 ? 2 : 4)

#if TAC_LANES == 1

#define ROUGH_LANES 1
typedef double rough;

TAC_INLINE rough rough_set(double x) { return x; }
TAC_INLINE rough rough_minus(const tacReal* p, tacReal less) { return tac_re(*p - less); }
TAC_INLINE rough rough_load(const float* p) { return *p; }
TAC_INLINE void rough_store(float* p, rough x) { *p = (float)x; }
TAC_INLINE rough rough_select_ge0(rough t, rough a, rough b) { return t >= 0.0 ? a : b; }
TAC_INLINE rough rough_max(rough a, rough b) { return a > b ? a : b; }
TAC_INLINE rough rough_min(rough a, rough b) { return a < b ? a : b; }
TAC_INLINE rough rough_fma(rough a, rough b, rough c) { return a * b + c; }
TAC_INLINE rough rough_abs(rough a) { return fabs(a); }
TAC_INLINE rough rough_minus_abs(rough a) { return -fabs(a); }
TAC_INLINE rough rough_sqrt(rough x) { return sqrt(x); }
TAC_INLINE rough rough_rsqrt(rough x) { return 1.0 / sqrt(x); }
TAC_INLINE rough rough_log2(rough x) { return log2(x); }
TAC_INLINE void rough_log2_1p(rough* x, int n) {
    for (int i = 0; i < n; ++i) x[i] = log2(1.0 + x[i]);
}
TAC_INLINE void rough_exp2(rough* x, int n) {
    for (int i = 0; i < n; ++i) x[i] = exp2(x[i]);
}
TAC_INLINE unsigned rough_negative_bits(rough x) { return x < 0.0; }

#else

#if defined(ROUGH_EIGHT) && TAC_LANES == 8
#define ROUGH_LANES 8
#else
#define ROUGH_LANES (2 * TAC_LANES)
#endif
typedef float rough __attribute__((vector_size(4 * ROUGH_LANES)));
typedef int32_t roughInt __attribute__((vector_size(4 * ROUGH_LANES)));
typedef uint32_t roughBits __attribute__((vector_size(4 * ROUGH_LANES))); // may wrap around
typedef float roughHalf __attribute__((vector_size(2 * ROUGH_LANES)));

TAC_INLINE rough rough_set(double x) { return (float)x - (rough){0}; }

#if ROUGH_LANES == 16
#define ROUGH_LOW  0, 1, 2, 3, 4, 5, 6, 7
#define ROUGH_HIGH 8, 9, 10, 11, 12, 13, 14, 15
#elif ROUGH_LANES == 8
#define ROUGH_LOW  0, 1, 2, 3
#define ROUGH_HIGH 4, 5, 6, 7
#else
#define ROUGH_LOW  0, 1
#define ROUGH_HIGH 2, 3
#endif

#if ROUGH_LANES == 2 * TAC_LANES
// p[0 ..] - less, subtracted before it is rounded
TAC_INLINE rough rough_minus(const double* p, double less) {
    roughHalf low = __builtin_convertvector(w_load(p) - less, roughHalf);
    roughHalf high = __builtin_convertvector(w_load(p + TAC_LANES) - less, roughHalf);
    return __builtin_shufflevector(low, high, ROUGH_LOW, ROUGH_HIGH);
}
#endif
TAC_INLINE rough rough_load(const float* p) {
    rough x;
    memcpy(&x, p, sizeof x);
    return x;
}
TAC_INLINE void rough_store(float* p, rough x) { memcpy(p, &x, sizeof x); }
// t >= 0 ? a : b by the sign bit: -0 counts as negative
#if ROUGH_LANES == 16
TAC_INLINE rough rough_select_ge0(rough t, rough a, rough b) {
    return _mm512_mask_blend_ps(_mm512_movepi32_mask((__m512i)t), a, b);
}
TAC_INLINE rough rough_max(rough a, rough b) { return _mm512_max_ps(a, b); }
TAC_INLINE rough rough_min(rough a, rough b) { return _mm512_min_ps(a, b); }
TAC_INLINE rough rough_fma(rough a, rough b, rough c) { return _mm512_fmadd_ps(a, b, c); }
#elif ROUGH_LANES == 8
TAC_INLINE rough rough_select_ge0(rough t, rough a, rough b) { return _mm256_blendv_ps(a, b, t); }
TAC_INLINE rough rough_max(rough a, rough b) { return _mm256_max_ps(a, b); }
TAC_INLINE rough rough_min(rough a, rough b) { return _mm256_min_ps(a, b); }
TAC_INLINE rough rough_fma(rough a, rough b, rough c) { return _mm256_fmadd_ps(a, b, c); }
#else
TAC_INLINE rough rough_select_ge0(rough t, rough a, rough b) {
    roughInt mask = (roughInt)t >> 31;
    return (rough)((~mask & (roughInt)a) | (mask & (roughInt)b));
}
TAC_INLINE rough rough_max(rough a, rough b) { return rough_select_ge0(a - b, a, b); }
TAC_INLINE rough rough_min(rough a, rough b) { return rough_select_ge0(b - a, a, b); }
TAC_INLINE rough rough_fma(rough a, rough b, rough c) { return a * b + c; }
#endif
TAC_INLINE rough rough_sqrt(rough x) {
#if ROUGH_LANES == 16
    return _mm512_sqrt_ps(x);
#elif ROUGH_LANES == 8
    return _mm256_sqrt_ps(x);
#elif defined(__SSE2__)
    return _mm_sqrt_ps(x);
#else
    for (int i = 0; i < ROUGH_LANES; ++i) x[i] = sqrtf(x[i]);
    return x;
#endif
}

TAC_INLINE rough rough_abs(rough a) { return (rough)((roughInt)a & INT32_MAX); }
TAC_INLINE rough rough_minus_abs(rough a) { return (rough)((roughInt)a | INT32_MIN); }

// bit i: lane i is below 0
TAC_INLINE unsigned rough_negative_bits(rough x) {
#if ROUGH_LANES == 16
    return _mm512_cmp_ps_mask(x, (rough){0}, _CMP_LT_OQ);
#elif ROUGH_LANES == 8
    return (unsigned)_mm256_movemask_ps((__m256)(x < 0.0f));
#elif defined(__SSE2__)
    return (unsigned)_mm_movemask_ps((__m128)(x < 0.0f));
#else
    unsigned bits = 0;
    for (int i = 0; i < ROUGH_LANES; ++i) bits |= (unsigned)(x[i] < 0.0f) << i;
    return bits;
#endif
}

// 1/sqrt(x) of normal x > 0: half the exponent turned by an integer, then a step of Newton's kind
// (J. Kadlec); no estimate of the processor's, which makes round differently. Error 6.6e-4
TAC_INLINE rough rough_rsqrt(rough x) {
    rough y = (rough)(0x5f1ffff9 - ((roughInt)x >> 1));
    return y * rough_fma(x * y, -0.703952253f * y, rough_set(0.703952253 * 2.38924456));
}

// log2(1 + x) for 0 <= x <= 1, n vectors in lock step; error 6.4e-4
TAC_INLINE void rough_log2_1p(rough* x, int n) {
    rough p[ROUGH_STAGE];
    TAC_UNROLL for (int i = 0; i < n; ++i) p[i] =
        rough_fma(x[i], rough_set(0.1582487069), rough_set(-0.5771289237));
    TAC_UNROLL for (int i = 0; i < n; ++i) p[i] = rough_fma(p[i], x[i], rough_set(1.4188802168));
    TAC_UNROLL for (int i = 0; i < n; ++i) x[i] = rough_fma(p[i], x[i], rough_set(6.371167e-4));
}

// x > 0 and normal: the exponent, and the mantissa in [1, 2); error 6.4e-4
TAC_INLINE rough rough_log2(rough x) {
    roughInt bits = (roughInt)x;
    rough m = (rough)((bits & 0x7fffff) | 0x3f800000);
    rough p = rough_fma(m, rough_set(0.1582487069), rough_set(-1.0518750444));
    p = rough_fma(rough_fma(p, m, rough_set(3.0478841849)), m, rough_set(-129.1536207307));
    return p + __builtin_convertvector(bits >> 23, rough);
}

// -120 <= x <= 120: the nearest integer goes to the exponent; relative error 7.5e-5
TAC_INLINE void rough_exp2(rough* x, int n) {
    rough up[ROUGH_STAGE], f[ROUGH_STAGE], p[ROUGH_STAGE];
    TAC_UNROLL for (int i = 0; i < n; ++i) up[i] = x[i] + 12582912.0f;
    TAC_UNROLL for (int i = 0; i < n; ++i) f[i] = up[i] - 12582912.0f;
    TAC_UNROLL for (int i = 0; i < n; ++i) f[i] = x[i] - f[i];
    TAC_UNROLL for (int i = 0; i < n; ++i) p[i] =
        rough_fma(f[i], rough_set(0.0551716691), rough_set(0.2426111222));
    TAC_UNROLL for (int i = 0; i < n; ++i) p[i] = rough_fma(p[i], f[i], rough_set(0.6932609855));
    TAC_UNROLL for (int i = 0; i < n; ++i) p[i] = rough_fma(p[i], f[i], rough_set(0.9999280735));
    TAC_UNROLL for (int i = 0; i < n; ++i) x[i] =
        (rough)((roughBits)p[i] +
                ((roughBits)up[i] << 23)); // lanes without a point may hold anything
}

#endif

#endif
