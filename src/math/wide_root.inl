// Square root, reciprocal and reciprocal square root of the wide number, AVX2 and baseline.
// The AVX-512 versions are in wide_avx512.inl.

#ifndef TAC_MATH_WIDE_ROOT_INL
#define TAC_MATH_WIDE_ROOT_INL

TAC_INLINE wide w_sqrt(wide x) {
#if defined(__AVX2__)
    return _mm256_sqrt_pd(x);
#elif defined(__SSE2__)
    return _mm_sqrt_pd(x);
#else
    for (int i = 0; i < TAC_LANES; ++i) x[i] = sqrt(x[i]);
    return x;
#endif
}

// one instruction, and its unit works beside the multipliers; right for every double
TAC_INLINE wide w_rcp(wide x) { return 1.0 / x; }

// All ones in the lanes that are not finite, positive and normal. The bits of the regular numbers
// are 0x0010.. to 0x7fef.., which one shift of the origin turns into the lowest signed integers.
TAC_INLINE wideInt w_irregular(wide x) {
#if defined(__AVX2__)
    wideBits u = (wideBits)x + 0x7ff0000000000000u; // 0x0010.. becomes INT64_MIN
    return (wideInt)_mm256_cmpgt_epi64((__m256i)u,
                                       _mm256_set1_epi64x(INT64_MIN + 0x7fdfffffffffffff));
#else
    return ~((x >= DBL_MIN) & (x <= DBL_MAX));
#endif
}

#if defined(__FMA__)

// 1/sqrt(x) without the slow divide and sqrt: halving the exponent by an integer shift gives y0,
// v = x y0^2 in [0.874, 0.992]. Cubic minimax of v^(-1/2): y1 with error 5.4e-7. Last step with
// e = 1 - x y1^2: y = y1 (1 + e/2 + 3 e^2/8), remainder 5 e^3/16 < 4e-19.
TAC_INLINE wide w_rsqrt_regular(wide x) {
    wide y = (wide)(0x5fe5fc0000000000u - ((wideBits)x >> 1));
    wide v = x * y * y;
    wide p = w_fma(v, w_set(-0x1.9a1c9a52daf67p-2), w_set(0x1.917abda7af14dp+0));
    p = w_fma(v, p, w_set(-0x1.37b8daf59883ep+1));
    p = w_fma(v, p, w_set(0x1.223efbd952809p+1));
    y = y * p;

    wide e = w_fma(-(x * y), y, w_set(1.0));
    wide q = e * w_fma(e, w_set(0.375), w_set(0.5));
    return w_fma(y, q, y);
}

// 0, infinity, negative, NaN and subnormal numbers take the instructions
TAC_INLINE wide w_rsqrt(wide x) {
    wide y = w_rsqrt_regular(x);
    wideInt irregular = w_irregular(x);
    if (__builtin_expect(w_any_set(irregular), 0)) y = w_blend(irregular, 1.0 / w_sqrt(x), y);
    return y;
}

#else

// without fma the correction step would cost the accuracy it brings
TAC_INLINE wide w_rsqrt(wide x) { return 1.0 / w_sqrt(x); }

#endif

#endif
