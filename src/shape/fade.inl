// Children of a union that ends: their weight goes to exactly 0 over the last third of the way to
// the end T, and beyond it the field is T.
//
//   phi = -tau ln(e^(-T/tau) + sum omega(phi_k) e^(-phi_k/tau)),  omega = u^4 (35 - 84 u + 70 u^2 -
//   20 u^3),  u = 3 (1 - phi_k/T) in [0, 1]
//
// omega has three continuous derivatives, so that normals have two. A child fades by a change of
// its value, psi = phi_k - tau ln omega, which other children are blended with as ever
// (docs/shapes.md eq. 40).

#ifndef TAC_SHAPE_FADE_INL
#define TAC_SHAPE_FADE_INL

#include "math/wide.h"
#include "shape/shape_kernels.h"

// where u is less a child is left out: u^4 is 1e-36 there and its second derivative 1e-17
#define TAC_FADE_LEAST 1e-9

// value psi, q = d psi/d phi, d q/d phi, and lambda = d ln omega/d phi, so that d q/d tau = -lambda
typedef struct fadeDiff {
    wide value, q, q_phi, lambda;
} fadeDiff;

// psi of lanes that are there, else `far`
TAC_INLINE wide fade_select(wide u, wide there, wide far) {
    return w_select_ge0(u - TAC_FADE_LEAST, there, far);
}

TAC_INLINE fadeDiff fade_diff(tacBlend blend, wide phi) {
    wide rate = w_set(3.0 / blend.end), u = w_fma(-phi, rate, w_set(3.0)), zero = w_set(0.0);
    wide c = w_min(w_max(u, w_set(TAC_FADE_LEAST)), w_set(1.0)), c2 = c * c;
    wide P = c * (c * (70.0 - 20.0 * c) - 84.0) + 35.0, inv_P = w_rcp(P), inv_c = w_rcp(c);
    wide first = (c * (140.0 - 60.0 * c) - 84.0) * inv_P, second = (140.0 - 120.0 * c) * inv_P;
    wide slope = w_fma(w_set(4.0), inv_c, first); // of ln omega by u
    wide curvature = second - first * first - 4.0 * (inv_c * inv_c);
    wide lambda = -rate * slope, q = w_fma(w_set(-blend.tau), lambda, w_set(1.0));
    wide value = w_fma(w_set(-blend.tau), w_log(c2 * c2 * P), phi);
    return (fadeDiff){fade_select(u, value, w_set(TAC_CULLED_VALUE)), fade_select(u, q, zero),
                      fade_select(u, -blend.tau * (rate * rate) * curvature, zero),
                      fade_select(u, lambda, zero)};
}

// as it is, where nothing ends
TAC_INLINE fadeDiff fade_of(tacBlend blend, wide phi) {
    if (blend.end > 0.0) return fade_diff(blend, phi);
    return (fadeDiff){phi, w_set(1.0), w_set(0.0), w_set(0.0)};
}

// bits of lanes that are not in full
TAC_INLINE unsigned fade_begins(tacBlend blend, wide phi) {
    return blend.end > 0.0 ? w_negative_bits(w_set(2.0 / 3.0 * blend.end) - phi) : 0u;
}

#endif
