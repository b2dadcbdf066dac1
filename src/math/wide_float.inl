// Single-precision numbers: single precision, twice as many lanes as wide, log2 and exp2 of a few
// terms. For decisions that carry their error with them (leaf_bounds.inl).
//
// A file whose rows have eight numbers defines WIDE_FLOAT_EIGHT before it includes this: vectors of
// AVX-512 are then no wider than that, as half of one that is costs as much as all of it.

#ifndef TAC_MATH_WIDE_FLOAT_INL
#define TAC_MATH_WIDE_FLOAT_INL

#include "math/wide.h"

// vectors that pass in lock step; rows of few points are padded to as many
#define WIDE_FLOAT_STAGE (TAC_LANES == 1 ? 1 : TAC_LANES == 8 ? 2 : 4)

#if TAC_LANES == 1

#define WIDE_FLOAT_LANES 1
typedef double wideFloat;

TAC_INLINE wideFloat wf_set(double x) { return x; }
TAC_INLINE wideFloat wf_minus(const tacReal* p, tacReal less) { return tac_re(*p - less); }
TAC_INLINE wideFloat wf_load(const float* p) { return *p; }
TAC_INLINE void wf_store(float* p, wideFloat x) { *p = (float)x; }
TAC_INLINE wideFloat wf_select_ge0(wideFloat t, wideFloat a, wideFloat b) {
    return t >= 0.0 ? a : b;
}
TAC_INLINE wideFloat wf_max(wideFloat a, wideFloat b) { return a > b ? a : b; }
TAC_INLINE wideFloat wf_min(wideFloat a, wideFloat b) { return a < b ? a : b; }
TAC_INLINE wideFloat wf_fma(wideFloat a, wideFloat b, wideFloat c) { return a * b + c; }
TAC_INLINE wideFloat wf_abs(wideFloat a) { return fabs(a); }
TAC_INLINE wideFloat wf_minus_abs(wideFloat a) { return -fabs(a); }
TAC_INLINE wideFloat wf_sqrt(wideFloat x) { return sqrt(x); }
TAC_INLINE wideFloat wf_rsqrt(wideFloat x) { return 1.0 / sqrt(x); }
TAC_INLINE wideFloat wf_log2(wideFloat x) { return log2(x); }
TAC_INLINE void wf_log2_1p(wideFloat* x, int n) {
    for (int i = 0; i < n; ++i) x[i] = log2(1.0 + x[i]);
}
TAC_INLINE void wf_exp2(wideFloat* x, int n) {
    for (int i = 0; i < n; ++i) x[i] = exp2(x[i]);
}
TAC_INLINE unsigned wf_negative_bits(wideFloat x) { return x < 0.0; }

#else

#if defined(WIDE_FLOAT_EIGHT) && TAC_LANES == 8
#define WIDE_FLOAT_LANES 8
#else
#define WIDE_FLOAT_LANES (2 * TAC_LANES)
#endif
typedef float wideFloat __attribute__((vector_size(4 * WIDE_FLOAT_LANES)));
typedef int32_t wideInt32 __attribute__((vector_size(4 * WIDE_FLOAT_LANES)));
typedef uint32_t wideUint32 __attribute__((vector_size(4 * WIDE_FLOAT_LANES))); // may wrap around
typedef float wideFloatHalf __attribute__((vector_size(2 * WIDE_FLOAT_LANES)));

TAC_INLINE wideFloat wf_set(double x) { return (float)x - (wideFloat){0}; }

#if WIDE_FLOAT_LANES == 16
#define WIDE_FLOAT_LOW  0, 1, 2, 3, 4, 5, 6, 7
#define WIDE_FLOAT_HIGH 8, 9, 10, 11, 12, 13, 14, 15
#elif WIDE_FLOAT_LANES == 8
#define WIDE_FLOAT_LOW  0, 1, 2, 3
#define WIDE_FLOAT_HIGH 4, 5, 6, 7
#else
#define WIDE_FLOAT_LOW  0, 1
#define WIDE_FLOAT_HIGH 2, 3
#endif

#if WIDE_FLOAT_LANES == 2 * TAC_LANES
// p[0 ..] - less, subtracted before it is rounded
TAC_INLINE wideFloat wf_minus(const double* p, double less) {
    wideFloatHalf low = __builtin_convertvector(w_load(p) - less, wideFloatHalf);
    wideFloatHalf high = __builtin_convertvector(w_load(p + TAC_LANES) - less, wideFloatHalf);
    return __builtin_shufflevector(low, high, WIDE_FLOAT_LOW, WIDE_FLOAT_HIGH);
}
#endif
TAC_INLINE wideFloat wf_load(const float* p) {
    wideFloat x;
    memcpy(&x, p, sizeof x);
    return x;
}
TAC_INLINE void wf_store(float* p, wideFloat x) { memcpy(p, &x, sizeof x); }
// t >= 0 ? a : b by the sign bit: -0 counts as negative
#if WIDE_FLOAT_LANES == 16
TAC_INLINE wideFloat wf_select_ge0(wideFloat t, wideFloat a, wideFloat b) {
    return _mm512_mask_blend_ps(_mm512_movepi32_mask((__m512i)t), a, b);
}
TAC_INLINE wideFloat wf_max(wideFloat a, wideFloat b) { return _mm512_max_ps(a, b); }
TAC_INLINE wideFloat wf_min(wideFloat a, wideFloat b) { return _mm512_min_ps(a, b); }
TAC_INLINE wideFloat wf_fma(wideFloat a, wideFloat b, wideFloat c) {
    return _mm512_fmadd_ps(a, b, c);
}
#elif WIDE_FLOAT_LANES == 8
TAC_INLINE wideFloat wf_select_ge0(wideFloat t, wideFloat a, wideFloat b) {
    return _mm256_blendv_ps(a, b, t);
}
TAC_INLINE wideFloat wf_max(wideFloat a, wideFloat b) { return _mm256_max_ps(a, b); }
TAC_INLINE wideFloat wf_min(wideFloat a, wideFloat b) { return _mm256_min_ps(a, b); }
TAC_INLINE wideFloat wf_fma(wideFloat a, wideFloat b, wideFloat c) {
    return _mm256_fmadd_ps(a, b, c);
}
#else
TAC_INLINE wideFloat wf_select_ge0(wideFloat t, wideFloat a, wideFloat b) {
    wideInt32 mask = (wideInt32)t >> 31;
    return (wideFloat)((~mask & (wideInt32)a) | (mask & (wideInt32)b));
}
TAC_INLINE wideFloat wf_max(wideFloat a, wideFloat b) { return wf_select_ge0(a - b, a, b); }
TAC_INLINE wideFloat wf_min(wideFloat a, wideFloat b) { return wf_select_ge0(b - a, a, b); }
TAC_INLINE wideFloat wf_fma(wideFloat a, wideFloat b, wideFloat c) { return a * b + c; }
#endif
TAC_INLINE wideFloat wf_sqrt(wideFloat x) {
#if WIDE_FLOAT_LANES == 16
    return _mm512_sqrt_ps(x);
#elif WIDE_FLOAT_LANES == 8
    return _mm256_sqrt_ps(x);
#elif defined(__SSE2__)
    return _mm_sqrt_ps(x);
#else
    for (int i = 0; i < WIDE_FLOAT_LANES; ++i) x[i] = sqrtf(x[i]);
    return x;
#endif
}

TAC_INLINE wideFloat wf_abs(wideFloat a) { return (wideFloat)((wideInt32)a & INT32_MAX); }
TAC_INLINE wideFloat wf_minus_abs(wideFloat a) { return (wideFloat)((wideInt32)a | INT32_MIN); }

// bit i: lane i is below 0
TAC_INLINE unsigned wf_negative_bits(wideFloat x) {
#if WIDE_FLOAT_LANES == 16
    return _mm512_cmp_ps_mask(x, (wideFloat){0}, _CMP_LT_OQ);
#elif WIDE_FLOAT_LANES == 8
    return (unsigned)_mm256_movemask_ps((__m256)(x < 0.0f));
#elif defined(__SSE2__)
    return (unsigned)_mm_movemask_ps((__m128)(x < 0.0f));
#else
    unsigned bits = 0;
    for (int i = 0; i < WIDE_FLOAT_LANES; ++i) bits |= (unsigned)(x[i] < 0.0f) << i;
    return bits;
#endif
}

// 1/sqrt(x) of normal x > 0: half the exponent turned by an integer, then a step of Newton's kind
// (J. Kadlec); no estimate of the processor's, which makes round differently. Error 6.6e-4
TAC_INLINE wideFloat wf_rsqrt(wideFloat x) {
    wideFloat y = (wideFloat)(0x5f1ffff9 - ((wideInt32)x >> 1));
    return y * wf_fma(x * y, -0.703952253f * y, wf_set(0.703952253 * 2.38924456));
}

// log2(1 + x) for 0 <= x <= 1, n vectors in lock step; error 6.4e-4
TAC_INLINE void wf_log2_1p(wideFloat* x, int n) {
    wideFloat p[WIDE_FLOAT_STAGE];
    TAC_UNROLL for (int i = 0; i < n; ++i) p[i] =
        wf_fma(x[i], wf_set(0.1582487069), wf_set(-0.5771289237));
    TAC_UNROLL for (int i = 0; i < n; ++i) p[i] = wf_fma(p[i], x[i], wf_set(1.4188802168));
    TAC_UNROLL for (int i = 0; i < n; ++i) x[i] = wf_fma(p[i], x[i], wf_set(6.371167e-4));
}

// x > 0 and normal: the exponent, and the mantissa in [1, 2); error 6.4e-4
TAC_INLINE wideFloat wf_log2(wideFloat x) {
    wideInt32 bits = (wideInt32)x;
    wideFloat m = (wideFloat)((bits & 0x7fffff) | 0x3f800000);
    wideFloat p = wf_fma(m, wf_set(0.1582487069), wf_set(-1.0518750444));
    p = wf_fma(wf_fma(p, m, wf_set(3.0478841849)), m, wf_set(-129.1536207307));
    return p + __builtin_convertvector(bits >> 23, wideFloat);
}

// -120 <= x <= 120: the nearest integer goes to the exponent; relative error 7.5e-5
TAC_INLINE void wf_exp2(wideFloat* x, int n) {
    wideFloat up[WIDE_FLOAT_STAGE], f[WIDE_FLOAT_STAGE], p[WIDE_FLOAT_STAGE];
    TAC_UNROLL for (int i = 0; i < n; ++i) up[i] = x[i] + 12582912.0f;
    TAC_UNROLL for (int i = 0; i < n; ++i) f[i] = up[i] - 12582912.0f;
    TAC_UNROLL for (int i = 0; i < n; ++i) f[i] = x[i] - f[i];
    TAC_UNROLL for (int i = 0; i < n; ++i) p[i] =
        wf_fma(f[i], wf_set(0.0551716691), wf_set(0.2426111222));
    TAC_UNROLL for (int i = 0; i < n; ++i) p[i] = wf_fma(p[i], f[i], wf_set(0.6932609855));
    TAC_UNROLL for (int i = 0; i < n; ++i) p[i] = wf_fma(p[i], f[i], wf_set(0.9999280735));
    TAC_UNROLL for (int i = 0; i < n; ++i) x[i] =
        (wideFloat)((wideUint32)p[i] +
                    ((wideUint32)up[i] << 23)); // lanes without a point may hold anything
}

#endif

#endif
