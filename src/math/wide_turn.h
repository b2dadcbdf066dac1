// Sine and cosine of the wide number, for angles up to 1e5.

#ifndef TAC_MATH_WIDE_TURN_H
#define TAC_MATH_WIDE_TURN_H

#include "math/wide.h"

#if TAC_LANES == 1

TAC_INLINE void w_sin_cos(wide x, wide* sine, wide* cosine) {
    *sine = r_sin(x), *cosine = r_cos(x);
}

#else

// nearest whole number, by adding a number whose last digit is one
TAC_INLINE wide w_whole(wide x) {
    wide digit = w_set(6755399441055744.0); // 1.5 * 2^52
    return (x + digit) - digit;
}

// Quarter turns are taken off with pi/2 in three parts; the rest, within pi/4, goes through the
// Taylor series, whose remainder is below 1e-17.
TAC_INLINE void w_sin_cos(wide x, wide* sine, wide* cosine) {
    wide quarters = w_whole(x * 0.63661977236758134308), one = w_set(1.0);
    wide r = x - quarters * 1.57079632673412561417e+00; // 33 digits of pi/2, exact products
    r = r - quarters * 6.07710050630396597660e-11;
    r = r - quarters * 2.02226624879595063154e-21;
    wide r2 = r * r, s = one, c = one;
    for (int k = 16; k >= 2; k -= 2) s = w_fma(-s * r2, w_set(1.0 / (k * (k + 1))), one);
    for (int k = 16; k >= 2; k -= 2) c = w_fma(-c * r2, w_set(1.0 / (k * (k - 1))), one);
    s = s * r;
    wide half = w_whole(0.5 * quarters), odd = w_abs(quarters - 2.0 * half) - 0.5;
    wide swapped_s = w_select_ge0(odd, c, s), swapped_c = w_select_ge0(odd, s, c);
    // quarters mod 4 as -2 .. 2: sine is negative for -2, -1 and 2, cosine for 1, 2 and -2
    wide turn = quarters - 4.0 * w_whole(0.25 * quarters);
    wide low = w_select_ge0(-turn - 0.5, one, -one), two = w_abs(turn) - 1.5;
    wide sign_s = w_select_ge0(two, -one, -low), sign_c = w_select_ge0(two, -one, one);
    sign_c = w_select_ge0(0.5 - w_abs(turn - 1.0), -one, sign_c);
    *sine = sign_s * swapped_s, *cosine = sign_c * swapped_c;
}

#endif

#endif
