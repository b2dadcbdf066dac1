// Functions of one tacReal, the same text for double, complex and quad builds.
//
// A complex number here is a value and its derivative: x + i h x', h = 1e-150. The functions below
// are therefore of first order in the imaginary part, which is exact as h^2 underflows against any
// value (docs/derivatives.md). Decisions look at the real part only.

#ifndef TAC_MATH_NUMBER_H
#define TAC_MATH_NUMBER_H

#include "tactus/real.h"

#include <math.h>

#if defined(TAC_NUMBER_COMPLEX)

static inline tacReal r_make(double re, double im) { return __builtin_complex(re, im); }
#define TAC_COMPLEX_STEP 1e-150

static inline double tac_re(tacReal x) { return __real__ x; }
static inline double tac_im(tacReal x) { return __imag__ x; }
static inline tacReal r_exp(tacReal x) {
    double e = exp(tac_re(x));
    return r_make(e, e * tac_im(x));
}
static inline tacReal r_log(tacReal x) { return r_make(log(tac_re(x)), tac_im(x) / tac_re(x)); }
static inline tacReal r_expm1(tacReal x) {
    return r_make(expm1(tac_re(x)), exp(tac_re(x)) * tac_im(x));
}
static inline tacReal r_log1p(tacReal x) {
    return r_make(log1p(tac_re(x)), tac_im(x) / (1.0 + tac_re(x)));
}
static inline tacReal r_sqrt(tacReal x) {
    double s = sqrt(tac_re(x));
    return r_make(s, s > 0.0 ? 0.5 * tac_im(x) / s : 0.0);
}
static inline tacReal r_sin(tacReal x) {
    return r_make(sin(tac_re(x)), cos(tac_re(x)) * tac_im(x));
}
static inline tacReal r_cos(tacReal x) {
    return r_make(cos(tac_re(x)), -sin(tac_re(x)) * tac_im(x));
}
static inline tacReal r_atan2(tacReal y, tacReal x) {
    double a = tac_re(y), b = tac_re(x), r2 = a * a + b * b;
    return r_make(atan2(a, b), r2 > 0.0 ? (tac_im(y) * b - a * tac_im(x)) / r2 : 0.0);
}

#elif defined(TAC_NUMBER_QUAD)

// libquadmath, declared here because clang does not ship <quadmath.h>
extern tacReal expq(tacReal), logq(tacReal), sqrtq(tacReal), sinq(tacReal), cosq(tacReal);
extern tacReal expm1q(tacReal), log1pq(tacReal), atan2q(tacReal, tacReal);

static inline double tac_re(tacReal x) { return (double)x; }
static inline tacReal r_exp(tacReal x) { return expq(x); }
static inline tacReal r_log(tacReal x) { return logq(x); }
static inline tacReal r_expm1(tacReal x) { return expm1q(x); }
static inline tacReal r_log1p(tacReal x) { return log1pq(x); }
static inline tacReal r_sqrt(tacReal x) { return sqrtq(x); }
static inline tacReal r_sin(tacReal x) { return sinq(x); }
static inline tacReal r_cos(tacReal x) { return cosq(x); }
static inline tacReal r_atan2(tacReal y, tacReal x) { return atan2q(y, x); }

#else

static inline double tac_re(tacReal x) { return x; }
static inline tacReal r_exp(tacReal x) { return exp(x); }
static inline tacReal r_log(tacReal x) { return log(x); }
static inline tacReal r_expm1(tacReal x) { return expm1(x); }
static inline tacReal r_log1p(tacReal x) { return log1p(x); }
static inline tacReal r_sqrt(tacReal x) { return sqrt(x); }
static inline tacReal r_sin(tacReal x) { return sin(x); }
static inline tacReal r_cos(tacReal x) { return cos(x); }
static inline tacReal r_atan2(tacReal y, tacReal x) { return atan2(y, x); }

#endif

// A decision. In the complex build a product of two derivatives leaves h^2 in the real part, so
// an exact 0 of the double build may be a tiny negative number there: it counts as 0.
#if defined(TAC_NUMBER_COMPLEX)
#define TAC_ZERO_TOLERANCE 1e-250
#else
#define TAC_ZERO_TOLERANCE 0.0
#endif

static inline int r_is_negative(tacReal x) { return tac_re(x) < -TAC_ZERO_TOLERANCE; }

// t >= 0 ? a : b
static inline tacReal r_select_ge0(tacReal t, tacReal a, tacReal b) {
    return r_is_negative(t) ? b : a;
}
static inline tacReal r_max(tacReal a, tacReal b) { return r_is_negative(a - b) ? b : a; }
static inline tacReal r_min(tacReal a, tacReal b) { return r_is_negative(b - a) ? b : a; }
static inline tacReal r_abs(tacReal a) { return r_is_negative(a) ? -a : a; }

#endif
