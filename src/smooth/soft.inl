// Smooth stand-ins for comparison, sign, relu, abs, clip and window, on the wide number.
//
//   math/ --wide--> [this file] --value, partials--> soft.c, shape/, detect/, respond/
//
// Formulas, limits and error bounds: docs/smooth.md. A temperature tau > 0 sets the width of each
// transition. Everything is built from ratios t = x / tau that are held within +-SOFT_LIMIT, where
// exp(-|t|) is taken as exactly 0: nothing overflows, saturated derivatives are exactly 0 or 1,
// and no product is 0 * inf. Domain: any finite x, tau in [1e-300, 1e300]; in the complex build
// tau^2 and x * tau must not overflow or underflow (-fcx-limited-range).

#ifndef TAC_SMOOTH_SOFT_INL
#define TAC_SMOOTH_SOFT_INL

#include "math/wide.h"

#define SOFT_LIMIT 700.0

// A value and its partials; those that a function does not have are 0.
typedef struct softDiff {
    wide value, d_x, d_lower, d_upper, d_tau;
} softDiff;

//---------------------------------- building blocks ----------------------------------

// x / tau, held within the cutoff
TAC_INLINE wide soft_ratio(wide x, wide tau) {
    return w_max(w_min(x / tau, w_set(SOFT_LIMIT)), w_set(-SOFT_LIMIT));
}

// exp(-|t|), exactly 0 at the cutoff
TAC_INLINE wide soft_decay(wide t) {
    wide a = w_abs(t);
    return w_select_ge0(a - SOFT_LIMIT, w_set(0.0), w_exp(-a));
}

// exp(u) for u <= 0, exactly 0 at the cutoff
TAC_INLINE wide soft_exp_below(wide u) {
    return w_select_ge0(-SOFT_LIMIT - u, w_set(0.0), w_exp(u));
}

// log(1 + E) for E >= 0 to 2 ulp, however small E is: what 1 + E rounds off is given back.
// Asks w_log for a small relative error near 1.
TAC_INLINE wide soft_log1p(wide E) {
    wide u = 1.0 + E;
    return w_log(u) + (E - (u - 1.0)) / u;
}

// 1 - y for y = exp(-a), 0 <= a <= SOFT_LIMIT, to 2 ulp, however small a is: what y rounds off is
// given back
TAC_INLINE wide soft_one_minus(wide a, wide y) { return (1.0 - y) + y * (a + w_log(y)); }

// sigma(t) and sigma(-t), each with full relative precision
typedef struct softSigmoids {
    wide above, below;
} softSigmoids;

TAC_INLINE softSigmoids soft_sigmoids(wide t) {
    wide E = soft_decay(t), big = 1.0 / (1.0 + E), small = E * big;
    return (softSigmoids){w_select_ge0(t, big, small), w_select_ge0(t, small, big)};
}

//---------------------------------- comparison ----------------------------------

// x > a
TAC_INLINE wide soft_greater(wide x, wide a, wide tau) {
    return soft_sigmoids(soft_ratio(x - a, tau)).above;
}

// the bound a is d_lower
TAC_INLINE softDiff soft_greater_diff(wide x, wide a, wide tau) {
    wide t = soft_ratio(x - a, tau), zero = w_set(0.0);
    softSigmoids s = soft_sigmoids(t);
    wide d_x = s.above * s.below / tau;
    return (softDiff){s.above, d_x, -d_x, zero, -(t * d_x)};
}

// x < a
TAC_INLINE wide soft_less(wide x, wide a, wide tau) { return soft_greater(a, x, tau); }

// the bound a is d_upper
TAC_INLINE softDiff soft_less_diff(wide x, wide a, wide tau) {
    softDiff g = soft_greater_diff(a, x, tau);
    return (softDiff){g.value, g.d_lower, w_set(0.0), g.d_x, g.d_tau};
}

// lower < x < upper, as the product of both comparisons
TAC_INLINE wide soft_within(wide x, wide lower, wide upper, wide tau) {
    return soft_greater(x, lower, tau) * soft_less(x, upper, tau);
}

TAC_INLINE softDiff soft_within_diff(wide x, wide lower, wide upper, wide tau) {
    wide p = soft_ratio(x - lower, tau), q = soft_ratio(x - upper, tau);
    softSigmoids P = soft_sigmoids(p), Q = soft_sigmoids(q);
    wide value = P.above * Q.below, scale = value / tau;
    wide d_lower = -(scale * P.below), d_upper = scale * Q.above;
    return (softDiff){value, scale * (P.below - Q.above), d_lower, d_upper,
                      p * d_lower + q * d_upper};
}

//---------------------------------- sign, relu, abs ----------------------------------

// tanh(x / tau); keeps full relative precision at small x
TAC_INLINE wide soft_sign(wide x, wide tau) {
    wide t = soft_ratio(x + x, tau), a = w_abs(t), y = w_exp(-a);
    wide size = soft_one_minus(a, y) / (1.0 + y);
    return w_select_ge0(t, size, -size);
}

TAC_INLINE softDiff soft_sign_diff(wide x, wide tau) {
    wide t = soft_ratio(x + x, tau), zero = w_set(0.0);
    softSigmoids s = soft_sigmoids(t);
    wide slope = 2.0 * s.above * s.below / tau;
    return (softDiff){soft_sign(x, tau), 2.0 * slope, zero, zero, -(t * slope)};
}

// tau log(1 + exp(x / tau))
TAC_INLINE wide soft_relu(wide x, wide tau) {
    return w_max(x, w_set(0.0)) + tau * soft_log1p(soft_decay(soft_ratio(x, tau)));
}

TAC_INLINE softDiff soft_relu_diff(wide x, wide tau) {
    wide t = soft_ratio(x, tau), zero = w_set(0.0), log_term = soft_log1p(soft_decay(t));
    softSigmoids s = soft_sigmoids(t);
    wide d_tau = log_term + w_abs(t) * w_select_ge0(t, s.below, s.above);
    return (softDiff){w_max(x, zero) + tau * log_term, s.above, zero, zero, d_tau};
}

// relu(x) + relu(-x) = 2 tau log(2 cosh(x / 2 tau))
TAC_INLINE wide soft_abs(wide x, wide tau) {
    return w_abs(x) + 2.0 * tau * soft_log1p(soft_decay(soft_ratio(x, tau)));
}

TAC_INLINE softDiff soft_abs_diff(wide x, wide tau) {
    softDiff r = soft_relu_diff(x, tau);
    wide zero = w_set(0.0);
    return (softDiff){soft_abs(x, tau), soft_sign(x, tau + tau), zero, zero, 2.0 * r.d_tau};
}

//---------------------------------- clip ----------------------------------

// lower + relu(x - lower) - relu(x - upper), lower <= upper, without its cancellation:
//
//   clip(x) +- tau log1p(delta),  delta = M (1 - e) / (1 + M e),
//   M = exp(-near / tau) by the nearer bound, e = exp(-|lead| / tau), lead = how much farther away
//   the upper bound is than the lower one; the sign is that of lead.
//
// One form for the three branches x < lower, inside, x > upper (math-smooth.md, row 38).
typedef struct softClipParts {
    wide hard, margin, n, a, M, e, one_minus_e, log_term;
} softClipParts;

TAC_INLINE softClipParts soft_clip_parts(wide x, wide lower, wide upper, wide tau) {
    wide over_lower = x - lower, over_upper = x - upper, width = upper - lower;
    wide inside = w_select_ge0(over_upper, -width, -over_upper - over_lower);
    softClipParts c;
    c.hard = w_select_ge0(over_lower, w_select_ge0(over_upper, upper, x), lower);
    c.margin = w_select_ge0(over_lower, inside, width);
    c.n = soft_ratio(w_select_ge0(c.margin, w_abs(over_lower), w_abs(over_upper)), tau);
    c.a = w_abs(soft_ratio(c.margin, tau));
    c.M = soft_decay(c.n);
    c.e = w_exp(-c.a);
    c.one_minus_e = soft_one_minus(c.a, c.e);
    c.log_term = soft_log1p(c.M * c.one_minus_e / (1.0 + c.M * c.e));
    return c;
}

TAC_INLINE wide soft_clip(wide x, wide lower, wide upper, wide tau) {
    softClipParts c = soft_clip_parts(x, lower, upper, tau);
    wide shift = tau * c.log_term;
    return c.hard + w_select_ge0(c.margin, shift, -shift);
}

TAC_INLINE softDiff soft_clip_diff(wide x, wide lower, wide upper, wide tau) {
    softClipParts c = soft_clip_parts(x, lower, upper, tau);
    softSigmoids P = soft_sigmoids(soft_ratio(x - lower, tau)),
                 Q = soft_sigmoids(soft_ratio(x - upper, tau));
    wide width = w_max(soft_ratio(upper - lower, tau), w_set(0.0));

    // sigma(p) - sigma(q) = sigma(p) sigma(-q) (1 - exp(q - p)) has no cancellation
    wide d_x = P.above * Q.below * soft_one_minus(width, w_exp(-width));
    wide moved = c.M * (c.one_minus_e * c.n - (1.0 + c.M) * c.e * c.a);
    wide d_tau = c.log_term + moved / ((1.0 + c.M * c.e) * (1.0 + c.M));
    wide shift = tau * c.log_term;
    return (softDiff){c.hard + w_select_ge0(c.margin, shift, -shift), d_x, P.below, Q.above,
                      w_select_ge0(c.margin, d_tau, -d_tau)};
}

//---------------------------------- compact transitions ----------------------------------

// s^3 (10 - 15 s + 6 s^2) on [0, 1], exactly 0 before and 1 after: two continuous derivatives.
// Evaluated on the nearer half, so that it stays within [0, 1] and both ends keep their digits.
TAC_INLINE wide soft_step5(wide s) {
    wide c = w_max(w_min(s, w_set(1.0)), w_set(0.0)), r = w_select_ge0(c - 0.5, 1.0 - c, c);
    wide v = r * r * r * (r * (r * 6.0 - 15.0) + 10.0);
    return w_select_ge0(c - 0.5, 1.0 - v, v);
}

TAC_INLINE softDiff soft_step5_diff(wide s) {
    wide c = w_max(w_min(s, w_set(1.0)), w_set(0.0)), m = c * (1.0 - c), zero = w_set(0.0);
    return (softDiff){soft_step5(s), 30.0 * m * m, zero, zero, zero};
}

// w(t): exactly 1 for t <= 0, exactly 0 for t >= 1
TAC_INLINE wide soft_mollifier(wide t) { return soft_step5(1.0 - t); }

TAC_INLINE softDiff soft_mollifier_diff(wide t) {
    softDiff d = soft_step5_diff(1.0 - t);
    d.d_x = -d.d_x;
    return d;
}

// psi(t) = w((1 - t) / 2): exactly 0 for t <= -1, exactly 1 for t >= 1
TAC_INLINE wide soft_ramp(wide t) { return soft_step5(0.5 + 0.5 * t); }

TAC_INLINE softDiff soft_ramp_diff(wide t) {
    softDiff d = soft_step5_diff(0.5 + 0.5 * t);
    d.d_x = 0.5 * d.d_x;
    return d;
}

#endif
