// exp, log, sqrt, 1/x and 1/sqrt(x) of eight lanes by what only AVX-512 has: tables of 16 numbers
// in two registers (vpermi2pd), exponent and mantissa as numbers (getexp, getmant, scalef) that
// treat 0, infinity, NaN and subnormal numbers by themselves, and 14-bit guesses of 1/x, 1/sqrt(x).

#ifndef TAC_MATH_WIDE_AVX512_INL
#define TAC_MATH_WIDE_AVX512_INL

//---------------------------------- roots ----------------------------------------

// With the guess y (2^-14) and e = 1 - x y: 1/x = y (1 + e + e^2 + e^3), remainder e^4 = 2^-56.
// The guess is 0 or infinite at the ends of the range, where e = 1, -inf or NaN and e + e^2 is
// not small: there the division.
TAC_INLINE wide w_rcp(wide x) {
    wide y = _mm512_rcp14_pd(x);
    wide e = w_fma(-x, y, w_set(1.0));
    wide p = w_fma(e, e, e);
    y = w_fma(y, w_fma(e, p, e), y);
    __mmask8 rare = _mm512_cmp_pd_mask(p, w_set(0.5), _CMP_NLT_UQ);
    if (__builtin_expect(rare != 0, 0)) y = _mm512_mask_div_pd(y, rare, w_set(1.0), x);
    return y;
}

// With the guess y (2^-14) and e = 1 - x y^2, |e| < 2^-13: 1/sqrt(x) = y (1 + e/2 + 3 e^2/8 +
// 5 e^3/16), where the 3/8 takes its share of the 35 e^4/128 that follows: remainder 1.1e-17.
// Where x is 0 or infinite, e is NaN and the guess is already the answer.
TAC_INLINE wide w_rsqrt(wide x) {
    wide y = _mm512_rsqrt14_pd(x);
    wide e = w_fma(-(x * y), y, w_set(1.0));
    wide q = w_fma(e, w_set(0.3125), w_set(0.37500000337));
    q = e * w_fma(e, q, w_set(0.5));
    return _mm512_mask_fmadd_pd(y, _mm512_cmp_pd_mask(e, e, _CMP_ORD_Q), q, y);
}

// Goldschmidt: s -> sqrt(x) and h -> 1/(2 sqrt x) together to 2^-27, then s + (x - s^2) h. The
// error before the last rounding is 1/4 ulp, so that squares of integers give back the integers.
// x - s^2 must not underflow: outside 2^-1000 <= x < inf the instruction.
TAC_INLINE wide w_sqrt(wide x) {
    wide y = _mm512_rsqrt14_pd(x);
    wide s = x * y, h = 0.5 * y;
    wide e = w_fma(-s, h, w_set(0.5));
    s = w_fma(s, e, s);
    h = w_fma(h, e, h);
    s = w_fma(w_fma(-s, s, x), h, s);

    const uint64_t least = 0x0170000000000000, infinity = 0x7ff0000000000000;
    __mmask8 rare = _mm512_cmpge_epu64_mask((__m512i)((wideBits)x - least),
                                            _mm512_set1_epi64(infinity - least));
    if (__builtin_expect(rare != 0, 0)) s = _mm512_mask_sqrt_pd(s, rare, x);
    return s;
}

//---------------------------------- exp ------------------------------------------

// exp(r) - 1 = r + r^2 Q(r) for |r| <= ln2/32, error 1.2e-17
TAC_INLINE wide w_exp_minus_one_small(wide r) {
    wide r2 = r * r;
    wide even = w_fma(w_set(0x1.6c14c6394c390p-10), r2, w_set(0x1.55555558fecb9p-5));
    wide odd = w_fma(w_set(0x1.11123afa9393bp-7), r2, w_set(0x1.555555548f23cp-3));
    even = w_fma(even, r2, w_set(0x1.fffffffffffb8p-2));
    return w_fma(w_fma(odd, r, even), r2, r);
}

// With n = round(16 x / ln 2)/16 and r = x - n ln2: exp(x) = 2^floor(n) 2^(n - floor(n)) exp(r).
// The rounding constant leaves 16 n in the low bits, whose last four choose the root of two.
// Overflow gives infinity; below x = -1021 ln2 = -707.7 the result is 0 (wide_exp.inl says why).
TAC_INLINE wide w_exp(wide x) {
    const wide round = w_set(0x1.8p48);
    const wide roots_low = {0x1.0000000000000p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0,
                            0x1.2387a6e756238p+0, 0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0,
                            0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0};
    const wide roots_high = {0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0,
                             0x1.9c49182a3f090p+0, 0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0,
                             0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0};

    __mmask8 kept = _mm512_cmp_pd_mask(x, w_set(-0x1.61da04cbafe44p+9), _CMP_NLT_UQ);
    wide z = w_fma(x, w_set(0x1.71547652b82fep+0), round);
    wide n = z - round;
    wide r = w_fma(n, w_set(-0x1.62e42fefa0000p-1), x);
    r = w_fma(n, w_set(-0x1.cf79abc9e3b3ap-40), r);

    // |r| <= 1 keeps 1 + y a number > 0 where x is huge, infinite or NaN; there n decides alone
    r = _mm512_range_pd(r, w_set(1.0), 2);
    wide root = _mm512_permutex2var_pd(roots_low, (__m512i)z, roots_high);
    return _mm512_maskz_scalef_pd(kept, w_fma(root, w_exp_minus_one_small(r), root), n);
}

//---------------------------------- log ------------------------------------------

// log(1 + r) = r + r^2 Q(r) for -1/32 <= r <= 1/16, relative error 9e-18
TAC_INLINE wide w_log_plus_one_small(wide r) {
    wide r2 = r * r;
    wide even = w_fma(w_set(-0x1.66044f7c413f3p-4), r2, w_set(-0x1.0009b79d963d4p-3));
    wide odd = w_fma(w_set(0x1.c575fa0da84d2p-4), r2, w_set(0x1.2492d815fdac2p-3));
    even = w_fma(even, r2, w_set(-0x1.555554b50ae42p-3));
    odd = w_fma(odd, r2, w_set(0x1.99999980a7c67p-3));
    even = w_fma(even, r2, w_set(-0x1.fffffffff1c1fp-3));
    odd = w_fma(odd, r2, w_set(0x1.5555555555f5ep-2));
    even = w_fma(even, r2, w_set(-0x1.0000000000003p-1));
    return w_fma(w_fma(odd, r, even), r2, r);
}

// With x = 2^k m, 1 <= m < 2, and c close to 1/m by the first four bits of m:
//
//   log(x) = (k ln2 - log c) + log(1 + r),   r = m c - 1
//
// Next to x = 1 the bracket must vanish: c = 1 in the first interval of m, and in the last c = 1/2
// with the very double ln2. The other c are doubles whose -log c (from the ninth on: its
// distance to ln2) is a double to 2^-65, so that the table adds no error (idea: Gal 1986).
TAC_INLINE wide w_log(wide x) {
    const wide c_low = {0x1.0000000000000p+0, 0x1.d44e37baf5e83p-1, 0x1.bb37f379c843fp-1,
                        0x1.a423f0bfc0753p-1, 0x1.8f3b2f385182dp-1, 0x1.7cff760aa5239p-1,
                        0x1.6c58ba6a5b427p-1, 0x1.5c7c584e04a4cp-1};
    const wide c_high = {0x1.4e93cde938d49p-1, 0x1.4117b3f1aac24p-1, 0x1.351d5e89fb7a0p-1,
                         0x1.29c2f109964e2p-1, 0x1.1f4caa7cb4f5cp-1, 0x1.15c6338bfa88bp-1,
                         0x1.0ca26913d2345p-1, 0x1.0000000000000p-1};
    const wide minus_log_c_low = {0x0.0000000000000p+0, 0x1.6d60d77034ebbp-4, 0x1.2772a24cb90cbp-3,
                                  0x1.94f674b3c4f3dp-3, 0x1.fd8271192bf4ap-3, 0x1.2e9f9e97849eep-2,
                                  0x1.5c626077da8acp-2, 0x1.89f5f85ec0601p-2};
    const wide minus_log_c_high = {0x1.b3aade5ddc177p-2, 0x1.ddcb1b4b4fae0p-2, 0x1.025c85d35cd09p-1,
                                   0x1.15853211b84a3p-1, 0x1.27d55568ea440p-1, 0x1.39189f898de84p-1,
                                   0x1.4a39ee01cdc8bp-1, 0x1.62e42fefa39efp-1};

    // log 0 = -inf and log inf = inf come from k, log(x < 0) = NaN from m
    wide k = _mm512_getexp_pd(x);
    wide m = _mm512_getmant_pd(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan);
    __m512i interval = _mm512_srli_epi64((__m512i)m, 48);
    wide c = _mm512_permutex2var_pd(c_low, interval, c_high);
    wide minus_log_c = _mm512_permutex2var_pd(minus_log_c_low, interval, minus_log_c_high);

    wide high = w_fma(k, w_set(0x1.62e42fefa39efp-1), minus_log_c);
    wide r = w_fma(m, c, w_set(-1.0));
    return high + w_log_plus_one_small(r);
}

// the names of the other instruction sets' shorter versions; here the full ones cost no more
TAC_INLINE wide w_exp_regular(wide x) { return w_exp(w_max(x, w_set(-600.0))); }
TAC_INLINE wide w_log_regular(wide x) { return w_log(x); }
// log(1 + x) for 0 <= x <= 1, accurate relative to small x: with u = 1 + x as it is rounded, what
// is lost counts by the slope 1/u, for which 1 - x/2 is enough
TAC_INLINE wide w_log1p_unit(wide x) {
    wide u = 1.0 + x, lost = x - (u - 1.0);
    return w_fma(lost, w_fma(x, w_set(-0.5), w_set(1.0)), w_log(u));
}

#endif
