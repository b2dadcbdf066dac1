// The wide number of the production builds: a compiler vector of TAC_LANES doubles.
//
// A lane's result depends on that lane's input only, and no function is worse than 2 ulp
// (test/math/test_wide.c has the measured figures). All of it is inlined.

#ifndef TAC_MATH_WIDE_VECTOR_INL
#define TAC_MATH_WIDE_VECTOR_INL

#include <float.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

typedef double wide __attribute__((vector_size(8 * TAC_LANES)));
typedef int64_t wideInt __attribute__((vector_size(8 * TAC_LANES)));
typedef uint64_t wideBits __attribute__((vector_size(8 * TAC_LANES)));

TAC_INLINE wide w_set(double x) { return x - (wide){0}; }
TAC_INLINE wide w_load(const double* p) {
    wide x;
    memcpy(&x, p, sizeof x);
    return x;
}
TAC_INLINE void w_store(double* p, wide x) { memcpy(p, &x, sizeof x); }
TAC_INLINE double w_lane(wide x, int lane) { return x[lane]; }

// lane i from and to p[at[i]]
TAC_INLINE wide w_gather(const double* p, const int* at) {
#if TAC_LANES == 8
    return (wide){p[at[0]], p[at[1]], p[at[2]], p[at[3]], p[at[4]], p[at[5]], p[at[6]], p[at[7]]};
#elif TAC_LANES == 4
    return (wide){p[at[0]], p[at[1]], p[at[2]], p[at[3]]};
#else
    return (wide){p[at[0]], p[at[1]]};
#endif
}
TAC_INLINE void w_scatter(double* p, const int* at, wide x) {
    p[at[0]] = x[0];
    p[at[1]] = x[1];
#if TAC_LANES >= 4
    {
        p[at[2]] = x[2];
        p[at[3]] = x[3];
    }
#endif
#if TAC_LANES == 8
    {
        p[at[4]] = x[4];
        p[at[5]] = x[5];
        p[at[6]] = x[6];
        p[at[7]] = x[7];
    }
#endif
}

//---------------------------------- choice ---------------------------------------

// the lanes of a where the mask is all ones, of b where it is 0
TAC_INLINE wide w_blend(wideInt mask, wide a, wide b) {
#if TAC_LANES == 4
    return _mm256_blendv_pd(b, a, (__m256d)mask);
#else
    return (wide)((mask & (wideInt)a) | (~mask & (wideInt)b));
#endif
}

// t >= 0 ? a : b; the larger and the smaller, b where one is NaN
#if TAC_LANES == 8
TAC_INLINE wide w_select_ge0(wide t, wide a, wide b) {
    return _mm512_mask_blend_pd(_mm512_cmp_pd_mask(t, (wide){0}, _CMP_GE_OQ), b, a);
}
TAC_INLINE wide w_max(wide a, wide b) { return _mm512_max_pd(a, b); }
TAC_INLINE wide w_min(wide a, wide b) { return _mm512_min_pd(a, b); }
#else
TAC_INLINE wide w_select_ge0(wide t, wide a, wide b) { return w_blend(t >= 0.0, a, b); }
#if TAC_LANES == 4
TAC_INLINE wide w_max(wide a, wide b) { return _mm256_max_pd(a, b); }
TAC_INLINE wide w_min(wide a, wide b) { return _mm256_min_pd(a, b); }
#elif defined(__SSE2__)
TAC_INLINE wide w_max(wide a, wide b) { return _mm_max_pd(a, b); }
TAC_INLINE wide w_min(wide a, wide b) { return _mm_min_pd(a, b); }
#else
TAC_INLINE wide w_max(wide a, wide b) { return w_blend(a > b, a, b); }
TAC_INLINE wide w_min(wide a, wide b) { return w_blend(a < b, a, b); }
#endif
#endif

// bit i: the mask is set in lane i
TAC_INLINE unsigned w_bits(wideInt mask) {
#if TAC_LANES == 8
    return _mm512_movepi64_mask((__m512i)mask);
#elif TAC_LANES == 4
    return (unsigned)_mm256_movemask_pd((__m256d)mask);
#elif defined(__SSE2__)
    return (unsigned)_mm_movemask_pd((__m128d)mask);
#else
    return (unsigned)(mask[0] < 0) | (unsigned)(mask[1] < 0) << 1;
#endif
}
TAC_INLINE int w_any_set(wideInt mask) { return w_bits(mask) != 0; }
// bit i is the sign of lane i
TAC_INLINE unsigned w_signs(wide x) { return w_bits((wideInt)x); }
// |x| <= limit in all lanes; NaN is not
TAC_INLINE int w_all_within(wide x, double limit) {
    return !w_any_set(~((x <= limit) & (x >= -limit)));
}
TAC_INLINE unsigned w_negative_bits(wide x) { return w_bits(x < 0.0); }
TAC_INLINE int w_any_negative(wide x) { return w_any_set(x < 0.0); }

//---------------------------------- arithmetic -----------------------------------

// a b + c, rounded once where the instruction set can; the baseline rounds twice
TAC_INLINE wide w_fma(wide a, wide b, wide c) {
#if TAC_LANES == 8
    return _mm512_fmadd_pd(a, b, c);
#elif TAC_LANES == 4 && defined(__FMA__)
    return _mm256_fmadd_pd(a, b, c);
#else
    return a * b + c;
#endif
}

// the sum of the lanes; upper half to lower half, again and again
TAC_INLINE double w_sum(wide x) {
#if TAC_LANES == 8
    __m256d four = _mm512_castpd512_pd256(x) + _mm512_extractf64x4_pd(x, 1);
#elif TAC_LANES == 4
    __m256d four = x;
#endif
#if TAC_LANES >= 4
    __m128d two = _mm256_castpd256_pd128(four) + _mm256_extractf128_pd(four, 1);
    return two[0] + two[1];
#else
    return x[0] + x[1];
#endif
}

//---------------------------------- functions ------------------------------------

#if TAC_LANES == 8
#include "math/wide_avx512.inl"
#else
#include "math/wide_root.inl"

#include "math/wide_exp.inl"
#include "math/wide_log.inl"
#endif

// 1 - exp(-x) for x >= 0, accurate relative to small x: there by its series, error 1e-17
TAC_INLINE wide w_one_minus_exp(wide x) {
    wide s = w_min(x, w_set(0.25)), sum = w_set(1.0);
    for (int k = 12; k >= 2; --k) sum = w_fma(sum * s, w_set(-1.0 / k), w_set(1.0));
    return w_select_ge0(x - 0.25, 1.0 - w_exp_regular(-x), s * sum);
}

#endif
