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

// Exponents are counted in UNIT_OCTAVES to a factor of e, the unit in which the exponential below
// is shortest, and stop at UNIT_REACH.
#if TAC_LANES == 2 || TAC_LANES == 4
#define UNIT_OCTAVES 0x1.71547652b82fep+1 // 2/ln 2
#else
#define UNIT_OCTAVES 1.0
#endif
#define UNIT_REACH (300.0 * UNIT_OCTAVES)

// temperature of an interval, with 1/tau, exp(-1/tau) and what lengths become exponents by
typedef struct unitTau {
    wide tau, inverse, far, rate, r_far;
} unitTau;

TAC_INLINE unitTau unit_tau(wide tau) {
    wide inverse = 1.0 / tau;
    wide far = w_exp_regular(-inverse);
    return (unitTau){tau, inverse, far, -UNIT_OCTAVES * inverse, 0x1.6a09e667f3bcdp+0 * far};
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

// t >= 0 ? 1 : x for 0 <= x <= 1, beside the multipliers
TAC_INLINE wide unit_one_if(wide t, wide x) {
#if TAC_LANES == 2 || TAC_LANES == 4
    return w_max(x, (wide)((t >= 0.0) & (wideInt)w_set(1.0)));
#else
    return w_select_ge0(t, w_set(1.0), x);
#endif
}

// t >= 0 ? x : 1
TAC_INLINE wide unit_one_unless(wide t, wide x) {
#if TAC_LANES == 2 || TAC_LANES == 4
    return w_max(x, (wide)(~(t >= 0.0) & (wideInt)w_set(1.0)));
#else
    return w_select_ge0(t, x, w_set(1.0));
#endif
}

// t >= 0 ? 1 - x : x
TAC_INLINE wide unit_flip_if(wide t, wide x) {
#if TAC_LANES == 2 || TAC_LANES == 4
    wideBits turned = (wideBits)(t >= 0.0);
    wide signed_x = (wide)((wideBits)x ^ (turned & 0x8000000000000000u));
    return signed_x + (wide)(turned & (wideBits)w_set(1.0));
#else
    return w_select_ge0(t, 1.0 - x, x);
#endif
}

//---------------------------------- exponential and logarithm ----------------------------------

// Numbers that pass a polynomial in lock step. A coefficient is loaded once, when all of them have
// come so far: left alone, the compiler loads it for each of them, and loads are what the time goes
// to. With more of them, partial sums would not stay in registers.
typedef struct unitThree {
    wide a, b, c;
} unitThree;

typedef struct unitTwo {
    wide a, b;
} unitTwo;

// p x + coefficient
TAC_INLINE unitThree unit_fma3(unitThree p, unitThree x, const double* coefficient) {
    wide c;
#if TAC_LANES == 4
    __asm__ volatile("vbroadcastsd %4, %0"
                     : "=x"(c), "+x"(p.a), "+x"(p.b), "+x"(p.c)
                     : "m"(*coefficient));
#else
    c = w_set(*coefficient);
#endif
    return (unitThree){w_fma(p.a, x.a, c), w_fma(p.b, x.b, c), w_fma(p.c, x.c, c)};
}

TAC_INLINE unitTwo unit_fma2(unitTwo p, unitTwo x, const double* coefficient) {
    wide c;
#if TAC_LANES == 4
    __asm__ volatile("vbroadcastsd %3, %0" : "=x"(c), "+x"(p.a), "+x"(p.b) : "m"(*coefficient));
#else
    c = w_set(*coefficient);
#endif
    return (unitTwo){w_fma(p.a, x.a, c), w_fma(p.b, x.b, c)};
}

// exp of -UNIT_REACH <= x <= 0, three numbers. With k = round(x), f = x - k, |f| <= 1/2:
//
//   2^(x/2) = 2^(k/2) P(f),  P of degree 9, error 1.3e-17
//
// Below 1 an error is small beside 1 and neither end is in sight, so it is shorter than w_exp.
#if TAC_LANES == 2 || TAC_LANES == 4
static const double unit_exp_P[] = {
    0x1.0000000000000p+0,  0x1.62e42fefa39efp-2,  0x1.ebfbdff82c417p-5,  0x1.c6b08d704a94ep-8,
    0x1.3b2ab6fc615acp-11, 0x1.5d87fe750059cp-15, 0x1.43090ab4f23f4p-19, 0x1.ffcc1eeb67d9ap-24,
    0x1.630bcf62bfbc9p-28, 0x1.b4d8ea39168b5p-33};

TAC_INLINE unitThree unit_exp3(unitThree x) {
    const double* P = unit_exp_P;
    const wide round = w_set(0x1.8p52 + 2.0); // the scale below is one of 2^(k/2 - 1)
    wide eight = w_set(P[8]), nine = w_set(P[9]);
    unitThree z = {x.a + round, x.b + round, x.c + round};
    unitThree f = {x.a - (z.a - round), x.b - (z.b - round), x.c - (z.c - round)};
    unitThree f2 = {f.a * f.a, f.b * f.b, f.c * f.c};
    unitThree even = {eight, eight, eight}, odd = {nine, nine, nine};
    even = unit_fma3(even, f2, &P[6]), odd = unit_fma3(odd, f2, &P[7]);
    even = unit_fma3(even, f2, &P[4]), odd = unit_fma3(odd, f2, &P[5]);
    even = unit_fma3(even, f2, &P[2]), odd = unit_fma3(odd, f2, &P[3]);
    even = unit_fma3(even, f2, &P[0]), odd = unit_fma3(odd, f2, &P[1]);
    return (unitThree){w_exp_scale((wideBits)z.a) * w_fma(odd.a, f.a, even.a),
                       w_exp_scale((wideBits)z.b) * w_fma(odd.b, f.b, even.b),
                       w_exp_scale((wideBits)z.c) * w_fma(odd.c, f.c, even.c)};
}
#else
TAC_INLINE unitThree unit_exp3(unitThree x) {
    return (unitThree){w_exp_regular(x.a), w_exp_regular(x.b), w_exp_regular(x.c)};
}
#endif

//---------------------------------- places ----------------------------------

TAC_INLINE wide unit_over(wide x) { return unit_abs(x - 0.5) - 0.5; }

// log M
TAC_INLINE wide unit_exponent(wide over, const unitTau* t) {
    return w_max(unit_abs(over) * t->rate, w_set(-UNIT_REACH));
}

TAC_INLINE wide unit_F(wide over, wide M, const unitTau* t) {
    return w_fma(t->far, unit_one_unless(over, M), unit_one_if(over, M));
}

// log((1 + M) a/F) of two places, in two steps: what it is a function of, and that function.
//
// log(G/F), F <= G <= 2 F, with one division and no choice: with s = (G - r F)/(G + r F), r =
// sqrt 2, it is log r + 2 atanh(s), |s| <= 0.1716; 2 atanh(s) = s P(s^2), P of degree 6, absolute
// error 3e-17.
#if TAC_LANES > 1
TAC_INLINE wide unit_log_ratio(wide over, wide M, const unitTau* t) {
    const double r = 0x1.6a09e667f3bcdp+0;
    wide a = unit_one_if(over, M), b = t->r_far * unit_one_unless(over, M);
    return w_fma(a, M + (1.0 - r), -b) / w_fma(a, M + (1.0 + r), b);
}

static const double unit_log_P[] = {
    0x1.0000000000006p+1, 0x1.555555554e147p-1, 0x1.999999ae4f001p-2, 0x1.24923c1eda48dp-2,
    0x1.c724d630b9c3cp-3, 0x1.72ebc24776d6bp-3, 0x1.5b18dc106b803p-3};

TAC_INLINE unitTwo unit_log2(unitTwo s) {
    const double* P = unit_log_P;
    const wide half_ln2 = w_set(0x1.62e42fefa39efp-2);
    wide six = w_set(P[6]), five = w_set(P[5]);
    unitTwo z = {s.a * s.a, s.b * s.b}, z2 = {z.a * z.a, z.b * z.b};
    unitTwo even = {six, six}, odd = {five, five};
    even = unit_fma2(even, z2, &P[4]), odd = unit_fma2(odd, z2, &P[3]);
    even = unit_fma2(even, z2, &P[2]), odd = unit_fma2(odd, z2, &P[1]);
    even = unit_fma2(even, z2, &P[0]);
    return (unitTwo){w_fma(s.a, w_fma(odd.a, z.a, even.a), half_ln2),
                     w_fma(s.b, w_fma(odd.b, z.b, even.b), half_ln2)};
}
#else
TAC_INLINE wide unit_log_ratio(wide over, wide M, const unitTau* t) {
    wide a = unit_one_if(over, M);
    return w_fma(M, a, a) / unit_F(over, M, t);
}

TAC_INLINE unitTwo unit_log2(unitTwo s) {
    return (unitTwo){w_log_regular(s.a), w_log_regular(s.b)};
}
#endif

//---------------------------------- values ----------------------------------

// what M is divided by: a product of two costs one division
TAC_INLINE wide unit_within_over(wide M, wide F) { return w_fma(M, F, F); }

TAC_INLINE wide unit_clip(wide x, wide log_term, const unitTau* t) {
    wide from_middle = x - 0.5, inside = 0.5 - unit_abs(from_middle);
    return unit_flip_if(from_middle, w_fma(t->tau, log_term, w_max(inside, w_set(0.0))));
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
