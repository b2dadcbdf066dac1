// Sine and cosine, and the root that IEEE prescribes, of the wide number: the same bits in a lane
// of a vector and in one double.

#ifndef TAC_MATH_WIDE_TRIG_INL
#define TAC_MATH_WIDE_TRIG_INL

#include "math/wide.h"

#if defined(TAC_NUMBER_COMPLEX) || defined(TAC_NUMBER_QUAD)

TAC_INLINE wide w_root(wide x) { return r_sqrt(x); }
TAC_INLINE void w_sincos(wide x, wide* s, wide* c) {
    *s = r_sin(x);
    *c = r_cos(x);
}

#else

// correctly rounded
TAC_INLINE wide w_root(wide x) {
#if TAC_LANES == 1
    return __builtin_sqrt(x);
#elif TAC_LANES == 8
    return _mm512_sqrt_pd(x);
#else
    return w_sqrt(x);
#endif
}

// the nearest whole number of |x| < 2^51
TAC_INLINE wide w_nearest(wide x) { return (x + 0x1.8p52) - 0x1.8p52; }

// r - r^3/3! + ... and 1 - r^2/2! + ... for |r| <= pi/4; remainders 8e-20 and 2e-18
TAC_INLINE void w_sincos_small(wide r, wide* s, wide* c) {
    static const double odd[] = {
        1.0 / 355687428096000.0, -1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0,
        1.0 / 362880.0,          -1.0 / 5040.0,          1.0 / 120.0,        -1.0 / 6.0};
    static const double even[] = {
        1.0 / 20922789888000.0, -1.0 / 87178291200.0, 1.0 / 479001600.0, -1.0 / 3628800.0,
        1.0 / 40320.0,          -1.0 / 720.0,         1.0 / 24.0};
    wide z = r * r, p = w_set(odd[0]), q = w_set(even[0]);
    for (int k = 1; k < 8; ++k) p = w_fma(p, z, w_set(odd[k]));
    for (int k = 1; k < 7; ++k) q = w_fma(q, z, w_set(even[k]));
    *s = w_fma(r * z, p, r);
    // 1 - z/2 is rounded; what it lost is added to the small part
    wide half = 0.5 * z, most = 1.0 - half;
    *c = most + w_fma(z * z, q, (1.0 - most) - half);
}

// lanes beyond the cutoff of the three-part pi/2: by the C library
static __attribute__((noinline, unused)) void w_sincos_far(const double* x, double* s, double* c) {
    for (int i = 0; i < TAC_LANES; ++i)
        if (!(fabs(x[i]) <= 1e5)) {
            s[i] = sin(x[i]);
            c[i] = cos(x[i]);
        }
}

// x = r + n pi/2, n = 2 h + o with o in -1, 0, 1: a quarter turn swaps the two, a half turn turns
// both signs. pi/2 = p1 + p2 + p3 with 33 bits in p1 and p2, so that n p1 and n p2 are exact; what
// rounding takes from r is `lost`, sin(r + lost) = sin r + lost cos r.
TAC_INLINE void w_sincos(wide x, wide* s, wide* c) {
    wide n = w_nearest(x * 0x1.45f306dc9c883p-1);
    wide most = x - n * 0x1.921fb54400000p+0, next = n * 0x1.0b4611a600000p-34, r = most - next;
    wide lost = ((most - r) - next) - n * 0x1.3198a2e037073p-69, sine, cosine;
    w_sincos_small(r, &sine, &cosine);
    wide sr = w_fma(lost, cosine, sine), cr = w_fma(-lost, sine, cosine);
    wide h = w_nearest(0.5 * n), o = n - 2.0 * h, t = h - 2.0 * w_nearest(0.5 * h);
    wide sign = 1.0 - 2.0 * (t * t), swap = o * o - 0.5;
    *s = sign * w_select_ge0(swap, o * cr, sr);
    *c = sign * w_select_ge0(swap, -(o * sr), cr);
    if (__builtin_expect(!w_all_within(x, 1e5), 0)) {
        double at[TAC_LANES], far_s[TAC_LANES], far_c[TAC_LANES];
        w_store(at, x);
        w_store(far_s, *s);
        w_store(far_c, *c);
        w_sincos_far(at, far_s, far_c);
        *s = w_load(far_s);
        *c = w_load(far_c);
    }
}

#endif

#endif
