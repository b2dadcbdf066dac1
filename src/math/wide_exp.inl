// exp of the wide number, AVX2 and baseline; wide_avx512.inl has its own.
//
// With k = round(2 x / ln 2) and r = x - k ln2/2, |r| <= 0.1733:
//
//   exp(x) = 2^(k/2) (1 + y),   y = exp(r) - 1 = r + r^2 Q(r),   Q of degree 7, error 1.6e-17
//
// Against k = round(x / ln 2) the table of two roots {1, sqrt 2} saves two degrees of Q.
// Overflow gives infinity. Below x = -1021 ln2 = -707.7 the result is 0: it would be less than
// twice the smallest normal number, and subnormal numbers are slow in all that follows.

#ifndef TAC_MATH_WIDE_EXP_INL
#define TAC_MATH_WIDE_EXP_INL

// 2^(k/2 - 1), where k is the low end of the bits of z. The root table holds the bits of
// {1, sqrt 2}/2 less those that k << 51 adds to them, so that one integer add makes the product.
TAC_INLINE wide w_exp_scale(wideBits z) {
    const int64_t even = 0x3fe0000000000000, odd = 0x3fe6a09e667f3bcd - 0x0008000000000000;
#if defined(__AVX2__)
    __m256d table = _mm256_castsi256_pd(_mm256_set_epi64x(odd, even, odd, even));
    wideBits root = (wideBits)_mm256_permutevar_pd(table, (__m256i)(z + z));
#else
    wideBits root = (uint64_t)even + (-(z & 1) & (uint64_t)(odd - even));
#endif
    return (wide)((z << 51) + root);
}

// exp(r) - 1 for |r| <= ln2/4
TAC_INLINE wide w_exp_minus_one_small(wide r) {
    wide r2 = r * r;
    wide even = w_fma(w_set(0x1.a06ffd8c39c7bp-16), r2, w_set(0x1.6c16b8d89bb5cp-10));
    wide odd = w_fma(w_set(0x1.71a937f3a2050p-19), r2, w_set(0x1.a01a185e966f7p-13));
    even = w_fma(even, r2, w_set(0x1.555555560092dp-5));
    odd = w_fma(odd, r2, w_set(0x1.1111110f0863ep-7));
    even = w_fma(even, r2, w_set(0x1.ffffffffffefbp-2));
    odd = w_fma(odd, r2, w_set(0x1.55555555558a5p-3));
    return w_fma(w_fma(odd, r, even), r2, r);
}

// exp(x)/2, because 2^(k/2) itself overflows too early
TAC_INLINE wide w_exp_half(wide x) {
    const wide round = w_set(0x1.8p52); // adding it leaves the nearest integer in the low bits

    // ln2/2 in two parts, the first short enough for an exact product with k
    wide z = w_fma(x, w_set(0x1.71547652b82fep+1), round);
    wide k = z - round;
    wide r = w_fma(k, w_set(-0x1.62e42fefa0000p-2), x);
    r = w_fma(k, w_set(-0x1.cf79abc9e3b3ap-41), r);
    wide scale = w_exp_scale((wideBits)z);
    return w_fma(scale, w_exp_minus_one_small(r), scale);
}

TAC_INLINE wide w_exp(wide x) {
    wideInt kept = ~(x < -0x1.61da04cbafe44p+9);
    wide half = w_exp_half(w_min(w_set(710.0), x)); // NaN stays
    return (wide)((wideInt)(half + half) & kept);
}

// exp of numbers <= 700 that are not NaN; below -600 it stays at exp(-600) = 3e-261
TAC_INLINE wide w_exp_regular(wide x) {
    wide half = w_exp_half(w_max(x, w_set(-600.0)));
    return half + half;
}

#endif
