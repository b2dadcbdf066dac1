// The unit interval, softly: clip to it and "within it" share one exponential.
//
// Seen from the nearer end, `over` = |x - 1/2| - 1/2 is >= 0 outside. With M = exp(-|over|/tau),
// far = exp(-1/tau), (a, b) = (1, M) outside and (M, 1) inside, F = a + far b:
//
//   within(x) = sigma(x/tau) sigma((1 - x)/tau) = M/((1 + M) F)
//   clip(x)   = max(-over, 0) + tau log((1 + M) a/F)
//
// counted from that end; clip'(x) = (1 - far) within(x). No difference of large numbers, nothing
// overflows; M stops at exp(-300), below any activity that counts.
//
// What M is needed for ends in a division, so M itself is left as a fraction, M = n/d, and (a, b)
// stand for (d, n) outside and (n, d) inside.

#ifndef TAC_DETECT_WITNESS_EDGE_EDGE_UNIT_INL
#define TAC_DETECT_WITNESS_EDGE_EDGE_UNIT_INL

#include "math/wide.h"

// M stops at exp(-UNIT_EXP_LIMIT)
#define UNIT_EXP_LIMIT 300.0

// Exponents are counted in UNIT_OCTAVES to a factor of e, in which the exponential is shortest.
#if TAC_LANES > 1
#define UNIT_OCTAVES 0x1.71547652b82fep+0 // 1/ln 2
#else
#define UNIT_OCTAVES 1.0
#endif

// temperature of an interval, with 1/tau, exp(-1/tau), that times sqrt 2, what lengths become
// exponents by, and the length at which M stops
typedef struct unitTau {
    wide tau, inverse, far, r_far, rate, exp_limit;
} unitTau;

TAC_INLINE unitTau unit_tau(wide tau) {
    // beside a, which is at least its root, a smaller one is nothing; its products would underflow
    wide inverse = 1.0 / tau;
    wide far = w_select_ge0(100.0 - inverse, w_exp_regular(-inverse), w_set(0.0));
    return (unitTau){.tau = tau,
                     .inverse = inverse,
                     .far = far,
                     .r_far = 0x1.6a09e667f3bcdp+0 * far,
                     .rate = -UNIT_OCTAVES * inverse,
                     .exp_limit = UNIT_EXP_LIMIT * tau};
}

// a function with its partials
typedef struct unitValue {
    wide value, d_x, d_tau;
} unitValue;

//---------------------------------- choice ----------------------------------

TAC_INLINE wide unit_abs(wide x) {
#if TAC_LANES > 1
    return (wide)((wideBits)x & 0x7fffffffffffffffu);
#else
    return w_abs(x);
#endif
}

// min(|x|, limit)
TAC_INLINE wide unit_clamped_abs(wide x, wide limit) {
#if TAC_LANES == 8
    return _mm512_range_pd(x, limit, 10); // the lesser in size, without its sign
#else
    return w_min(unit_abs(x), limit);
#endif
}

typedef struct unitPair {
    wide a, b;
} unitPair;

// (a, b) where t >= 0, else (b, a); the sign of 0 does not count, as all who ask have a = b there
TAC_INLINE unitPair unit_order(wide t, wide a, wide b) {
#if TAC_LANES == 4
    // left alone, the compiler compares before it looks at the sign
    unitPair y;
    __asm__("vblendvpd %3, %2, %1, %0" : "=x"(y.a) : "x"(a), "x"(b), "x"(t));
    __asm__("vblendvpd %3, %2, %1, %0" : "=x"(y.b) : "x"(b), "x"(a), "x"(t));
    return y;
#elif TAC_LANES == 2
    wideBits change = ((wideBits)a ^ (wideBits)b) & (wideBits)(t < 0.0);
    return (unitPair){(wide)((wideBits)a ^ change), (wide)((wideBits)b ^ change)};
#else
    return (unitPair){w_select_ge0(t, a, b), w_select_ge0(t, b, a)};
#endif
}

// t >= 0 ? x : -x
TAC_INLINE wide unit_signed(wide t, wide x) {
#if TAC_LANES > 1
    return (wide)((wideBits)x ^ ((wideBits)t & 0x8000000000000000u));
#else
    return w_select_ge0(t, x, -x);
#endif
}

//---------------------------------- exponential and logarithm ----------------------------------

// a positive number n/d
typedef struct unitExp {
    wide n, d;
} unitExp;

// exp(a rate/UNIT_OCTAVES), which is not above 1 nor below exp(-UNIT_EXP_LIMIT). With x = a rate, k
// = round(x), f = x - k and f Q(f^2)/P(f^2) = tanh(f ln2/2):
//
//   2^x = 2^k (P + f Q)/(P - f Q),  |f| <= 1/2,  error 6e-18
TAC_INLINE unitExp unit_exp(wide a, wide rate) {
#if TAC_LANES > 1
    const wide round = w_set(0x1.8p52); // adding it leaves k in the low bits
    wide z = w_fma(a, rate, round), f = w_fma(a, rate, round - z), f2 = f * f;
    wide P = w_fma(f2 + 0x1.d25e5114e9e84p+7, f2, w_set(0x1.1103630c71eb4p+12));
    wide Q = w_fma(w_set(0x1.7a5c852d66b0bp-6), f2, w_set(0x1.433ba940753b4p+4));
    Q = f * w_fma(Q, f2, w_set(0x1.7a7a091a9c743p+10));
    return (unitExp){(wide)((wideBits)(P + Q) + ((wideBits)z << 52)), P - Q};
#else
    return (unitExp){w_exp_regular(a * rate), w_set(1.0)};
#endif
}

//---------------------------------- places ----------------------------------

// of a place that is counted from the middle
TAC_INLINE wide unit_over(wide x) { return unit_abs(x) - 0.5; }

// M
TAC_INLINE unitExp unit_end_exp(wide over, const unitTau* t) {
    return unit_exp(unit_clamped_abs(over, t->exp_limit), t->rate);
}

TAC_INLINE wide unit_F(unitPair ab, const unitTau* t) { return w_fma(t->far, ab.b, ab.a); }

// log((1 + M) a/F) in two steps: what it is a function of, and that function.
//
// log(G/F), F <= G <= 2 F, with one division and no choice: with s = (G - r F)/(G + r F), r =
// sqrt 2, it is log r + 2 atanh(s), |s| <= 0.1716; 2 atanh(s) = s P(s^2), P of degree 6, absolute
// error 3e-17. Multiplied by b, which makes a b = n d, G = n (n + d) and F = n d + far b^2.
#if TAC_LANES > 1
TAC_INLINE wide unit_log_ratio(wide over, unitExp M, const unitTau* t) {
    const double r = 0x1.6a09e667f3bcdp+0;
    wide b = unit_order(over, M.d, M.n).b, far = t->r_far * b * b;
    return w_fma(M.n, w_fma(M.d, w_set(1.0 - r), M.n), -far) /
           w_fma(M.n, w_fma(M.d, w_set(1.0 + r), M.n), far);
}

TAC_INLINE wide unit_log(wide s) {
    wide z = s * s;
    wide P = w_fma(w_set(0x1.5b18dc106b803p-3), z, w_set(0x1.72ebc24776d6bp-3));
    P = w_fma(P, z, w_set(0x1.c724d630b9c3cp-3));
    P = w_fma(P, z, w_set(0x1.24923c1eda48dp-2));
    P = w_fma(P, z, w_set(0x1.999999ae4f001p-2));
    P = w_fma(P, z, w_set(0x1.555555554e147p-1));
    P = w_fma(P, z, w_set(0x1.0000000000006p+1));
    return w_fma(s, P, w_set(0x1.62e42fefa39efp-2));
}
#else
TAC_INLINE wide unit_log_ratio(wide over, unitExp M, const unitTau* t) {
    unitPair ab = unit_order(over, M.d, M.n);
    return ab.a * (M.n + M.d) / (unit_F(ab, t) * M.d);
}

TAC_INLINE wide unit_log(wide s) { return w_log_regular(s); }
#endif

//---------------------------------- values ----------------------------------

// of x from the middle: 1/2 +- (min(|x|, 1/2) - tau log_term)
TAC_INLINE wide unit_clip(wide x, wide log_term, const unitTau* t) {
    return 0.5 + unit_signed(x, w_fma(-t->tau, log_term, w_min(unit_abs(x), w_set(0.5))));
}

//---------------------------------- partials ----------------------------------

// x is counted from the middle; d log within/d x seen from the nearer end is (lift - drop)/tau
typedef struct unitInside {
    wide inside, lift, drop, small; // small = M/(1 + M)
} unitInside;

TAC_INLINE unitInside unit_inside(wide over, unitExp M, const unitTau* t) {
    unitPair ab = unit_order(over, M.d, M.n);
    wide F = unit_F(ab, t), plus = M.d + M.n, inverse = 1.0 / (plus * F), F_inverse = F * inverse;
    unitInside u;
    u.inside = M.n * M.d * inverse;
    u.small = M.n * F_inverse;
    u.lift = ab.a * F_inverse;
    u.drop = t->far * ab.b * (plus * inverse);
    return u;
}

TAC_INLINE unitValue unit_inside_diff(wide x, wide over, unitExp M, const unitTau* t) {
    unitInside u = unit_inside(over, M, t);
    wide d_x = u.inside * (u.lift - u.drop) * t->inverse;
    wide d_tau = u.inside * (over * u.lift - (1.0 + over) * u.drop) * t->inverse * t->inverse;
    return (unitValue){u.inside, unit_signed(x, -d_x), d_tau};
}

// partials of unit_clip; `value` is not set
TAC_INLINE unitValue unit_clip_diff(wide x, wide over, unitExp M, wide log_term, const unitTau* t) {
    unitInside u = unit_inside(over, M, t);
    wide d_tau = w_fma(unit_abs(over) * u.small - (1.0 + over) * u.drop, t->inverse, log_term);
    return (unitValue){.d_x = (1.0 - t->far) * u.inside, .d_tau = unit_signed(x, -d_tau)};
}

// the hard clip, with the slope of the side it is on
TAC_INLINE unitValue unit_clip_hard(wide x) {
    wide zero = w_set(0.0), one = w_set(1.0);
    wide inside = w_select_ge0(x, w_select_ge0(1.0 - x, one, zero), zero);
    return (unitValue){w_max(w_min(x, one), zero), inside, zero};
}

#endif
