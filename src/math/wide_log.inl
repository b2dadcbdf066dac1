// log of the wide number, AVX2 and baseline; wide_avx512.inl has its own.
//
// With x = 2^k m, m in [sqrt 1/2, sqrt 2), f = m - 1 and s = f/(2 + f), |s| <= 0.1716:
//
//   log(x) = k ln2 + 2 atanh(s),   2 atanh(s) = f - s (f - s^2 R(s^2)),   R of degree 6
//
// (error 1.2e-18). The second form starts from f, which is exact, so that log is as accurate
// relative to its small values near x = 1 as elsewhere (idea: FreeBSD msun, e_log.c).

#ifndef TAC_MATH_WIDE_LOG_INL
#define TAC_MATH_WIDE_LOG_INL

// 2 atanh(f/(2 + f)) = log(1 + f)
TAC_INLINE wide w_log_atanh(wide f, wide two_plus_f) {
    wide s = f / two_plus_f;
    wide z = s * s, z2 = z * z;
    wide even = w_fma(w_set(0x1.2f0a4a45568cbp-3), z2, w_set(0x1.7466434414f38p-3));
    wide odd = w_fma(w_set(0x1.39a1441bd9757p-3), z2, w_set(0x1.c71c51f556743p-3));
    even = w_fma(even, z2, w_set(0x1.2492494208373p-2));
    odd = w_fma(odd, z2, w_set(0x1.999999997fc34p-2));
    even = w_fma(even, z2, w_set(0x1.5555555555593p-1));
    wide R = w_fma(odd, z, even);
    return w_fma(-s, w_fma(-z, R, f), f);
}

// What k needs to be a number again: 2^52 + 1023, see w_log. For the irregular lanes this is where
// the answer is put in: infinite k or NaN go through to the result, log(0) = -inf, log(inf) = inf,
// log(x < 0) = NaN; subnormal numbers are scaled by 2^54.
TAC_INLINE wide w_log_irregular(wide* x) {
    wideInt small = *x < DBL_MIN;
    wide shift = w_blend(small, w_set(0x1.0p52 + 1077.0), w_set(0x1.0p52 + 1023.0));
    shift = w_blend(*x == 0.0, w_set(INFINITY), shift);
    shift = w_blend(*x >= 0.0, shift, w_set(NAN));
    shift = w_blend(*x > DBL_MAX, w_set(-INFINITY), shift);
    *x = w_blend(small, *x * 0x1.0p54, *x);
    return shift;
}

// Bits: the difference of the bits of 1 and sqrt 1/2 carries into the exponent where the mantissa
// is above sqrt 2; the exponent field then reads k + 1023. Put below the bits of 2^52, the field is
// an integer that a subtraction makes a number. ln2 is in two parts, k times the first is exact.
TAC_INLINE wide w_log_shifted(wide x, wide shift) {
    const uint64_t one = 0x3ff0000000000000, root = 0x3fe6a09e667f3bcd;
    wideBits t = (wideBits)x + (one - root);
    wide m = (wide)((t & 0x000fffffffffffff) + root);
    wide k = (wide)((t >> 52) | 0x4330000000000000) - shift;
    wide low = w_fma(k, w_set(0x1.cf79abc9e3b3ap-40), w_log_atanh(m - 1.0, m + 1.0));
    return w_fma(k, w_set(0x1.62e42fefa0000p-1), low);
}

TAC_INLINE wide w_log(wide x) {
    wide shift = w_set(0x1.0p52 + 1023.0);
    if (__builtin_expect(w_any_set(w_irregular(x)), 0)) shift = w_log_irregular(&x);
    return w_log_shifted(x, shift);
}

// log of numbers known to be finite, positive and normal
TAC_INLINE wide w_log_regular(wide x) { return w_log_shifted(x, w_set(0x1.0p52 + 1023.0)); }

// log(1 + x) for 0 <= x <= 1, accurate relative to small x: above sqrt 2 - 1, (1 + x)/2 takes the
// place of the exponent's bits
TAC_INLINE wide w_log1p_unit(wide x) {
    wide upper = x - 0x1.a827999fcef32p-2;
    wide f = w_select_ge0(upper, w_fma(x, w_set(0.5), w_set(-0.5)), x);
    wide ln2 = w_select_ge0(upper, w_set(0x1.62e42fefa39efp-1), w_set(0.0));
    return ln2 + w_log_atanh(f, f + 2.0);
}

#endif
