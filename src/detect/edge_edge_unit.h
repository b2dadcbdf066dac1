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
// In pieces, so that exponentials and logarithms of many numbers run beside each other.

#ifndef TAC_DETECT_EDGE_EDGE_UNIT_H
#define TAC_DETECT_EDGE_EDGE_UNIT_H

#include "math/wide.h"

#define UNIT_REACH 300.0

// temperature of an interval, with 1/tau and exp(-1/tau)
typedef struct unitTau {
    wide tau, inverse, far;
} unitTau;

TAC_INLINE unitTau unit_tau(wide tau) {
    wide inverse = 1.0 / tau;
    return (unitTau){tau, inverse, w_exp_regular(-inverse)};
}

// a function with its partials
typedef struct unitValue {
    wide value, d_x, d_tau;
} unitValue;

//---------------------------------- places ----------------------------------

TAC_INLINE wide unit_abs(wide x) {
#if TAC_LANES > 1
    return (wide)((wideBits)x & 0x7fffffffffffffffu);
#else
    return w_abs(x);
#endif
}

// exp(x) for -600 <= x <= 0. Below 1 an error is small beside 1: ln2/2 in one part, k 2e-17 of it,
// and neither end is in sight, so it takes a quarter fewer instructions than w_exp.
TAC_INLINE wide unit_exp(wide x) {
#if TAC_LANES == 2 || TAC_LANES == 4
    const wide round = w_set(0x1.8p52 + 2.0); // the scale below is one of 2^(k/2 - 1)
    wide z = w_fma(x, w_set(0x1.71547652b82fep+1), round);
    wide r = w_fma(z - round, w_set(-0x1.62e42fefa39efp-2), x);
    wide scale = w_exp_scale((wideBits)z);
    return w_fma(scale, w_exp_minus_one_small(r), scale);
#else
    return w_exp_regular(x);
#endif
}

TAC_INLINE wide unit_over(wide x) { return unit_abs(x - 0.5) - 0.5; }

// log M
TAC_INLINE wide unit_exponent(wide over, const unitTau* t) {
    return w_max(unit_abs(over) * -t->inverse, w_set(-UNIT_REACH));
}

TAC_INLINE wide unit_F(wide over, wide M, const unitTau* t) {
    wide one = w_set(1.0);
    return w_fma(t->far, w_select_ge0(over, M, one), w_select_ge0(over, one, M));
}

// log(G/F), F <= G <= 2 F, with one division and no choice: with s = (G - r F)/(G + r F), r =
// sqrt 2, it is log r + 2 atanh(s), |s| <= 0.1716; 2 atanh(s) = s (2 + z R(z)), z = s^2, R that of
// math/wide_log.h. Absolute error 1e-16.
TAC_INLINE wide unit_log(wide G, wide F) {
#if TAC_LANES > 1
    const wide r = w_set(0x1.6a09e667f3bcdp+0);
    wide s = w_fma(-r, F, G) / w_fma(r, F, G), z = s * s, z2 = z * z;
    wide even = w_fma(w_set(0x1.2f0a4a45568cbp-3), z2, w_set(0x1.7466434414f38p-3));
    wide odd = w_fma(w_set(0x1.39a1441bd9757p-3), z2, w_set(0x1.c71c51f556743p-3));
    even = w_fma(even, z2, w_set(0x1.2492494208373p-2));
    odd = w_fma(odd, z2, w_set(0x1.999999997fc34p-2));
    even = w_fma(even, z2, w_set(0x1.5555555555593p-1));
    wide R = w_fma(odd, z, even);
    return w_fma(s, w_fma(z, R, w_set(2.0)), w_set(0x1.62e42fefa39efp-2));
#else
    return w_log_regular(G / F);
#endif
}

// log((1 + M) a/F)
TAC_INLINE wide unit_log_term(wide over, wide M, wide F) {
    wide a = w_select_ge0(over, w_set(1.0), M);
    return unit_log(w_fma(M, a, a), F);
}

//---------------------------------- values ----------------------------------

// what M is divided by: a product of two costs one division
TAC_INLINE wide unit_within_over(wide M, wide F) { return w_fma(M, F, F); }

TAC_INLINE wide unit_clip(wide x, wide over, wide log_term, const unitTau* t) {
    wide near = w_fma(t->tau, log_term, w_max(-over, w_set(0.0)));
    return w_select_ge0(x - 0.5, 1.0 - near, near);
}

//---------------------------------- partials ----------------------------------

// d log within/d x seen from the nearer end is (lift - drop)/tau
typedef struct unitPull {
    wide within, lift, drop, small; // small = M/(1 + M)
} unitPull;

TAC_INLINE unitPull unit_pull(wide over, wide M, wide F, const unitTau* t) {
    wide plus = 1.0 + M, inverse = 1.0 / (plus * F);
    unitPull u;
    u.within = M * inverse;
    u.small = u.within * F;
    u.lift = w_select_ge0(over, F * inverse, u.small);
    u.drop = t->far * w_select_ge0(over, M, w_set(1.0)) * (plus * inverse);
    return u;
}

TAC_INLINE unitValue unit_within_diff(wide x, wide over, wide M, wide F, const unitTau* t) {
    unitPull u = unit_pull(over, M, F, t);
    wide d_x = u.within * (u.lift - u.drop) * t->inverse;
    wide d_tau = u.within * (over * u.lift - (1.0 + over) * u.drop) * t->inverse * t->inverse;
    return (unitValue){u.within, w_select_ge0(x - 0.5, -d_x, d_x), d_tau};
}

// partials of unit_clip; `value` is not set
TAC_INLINE unitValue unit_clip_diff(wide x, wide over, wide M, wide F, wide log_term,
                                    const unitTau* t) {
    unitPull u = unit_pull(over, M, F, t);
    wide d_tau = w_fma(unit_abs(over) * u.small - (1.0 + over) * u.drop, t->inverse, log_term);
    return (unitValue){.d_x = (1.0 - t->far) * u.within,
                       .d_tau = w_select_ge0(x - 0.5, -d_tau, d_tau)};
}

// the hard clip, with the slope of the side it is on
TAC_INLINE unitValue unit_clip_hard(wide x) {
    wide zero = w_set(0.0), one = w_set(1.0);
    wide inside = w_select_ge0(x, w_select_ge0(1.0 - x, one, zero), zero);
    return (unitValue){w_max(w_min(x, one), zero), inside, zero};
}

#endif
