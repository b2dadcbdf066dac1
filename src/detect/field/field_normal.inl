// The normal of a field with gradient g: a unit vector, but where the field has a tie.
//
//   n = g s(q), q = |g|^2, s = 1/sqrt(q) for q >= G^2, else with y = 1 - q/G^2
//   s = (1 + y/2 + 3 y^2/8 + 5 y^3/16)/G
//
// which are the first terms of its series: three derivatives are continuous, and below G
// d|n|/d|g| = 35/16 (1 - q/G^2)^3/G. In the middle of a plate g goes from one side to the other
// over the width of the field's rounding; a unit vector would turn over at a point of it.
//
//   n' = s g' - b g (g . g'),  b = -2 s'(q) = (1 + 3 y/2 + 15 y^2/8)/max(|g|, G)^3
//
// which is symmetric, so it is its own transpose.

#ifndef TAC_DETECT_FIELD_FIELD_NORMAL_INL
#define TAC_DETECT_FIELD_FIELD_NORMAL_INL

#include "math/wide.h"

// gradients are 0.58 at the corner of a box, and 0.33 at that of a regular tetrahedron
#define TAC_FIELD_NORMAL_FADE 0.25

typedef struct fieldNormal {
    wide s, curvature;
} fieldNormal;

// max(|g|, G)^2, of which `inverse` is 1 over the root
TAC_INLINE wide field_normal_square(wide q) {
    return w_max(q, w_set(TAC_FIELD_NORMAL_FADE * TAC_FIELD_NORMAL_FADE));
}

TAC_INLINE fieldNormal field_normal(wide q, wide inverse) {
    wide y = w_max(1.0 - q / (TAC_FIELD_NORMAL_FADE * TAC_FIELD_NORMAL_FADE), w_set(0.0));
    wide series = w_fma(y, w_fma(y, w_fma(y, w_set(0.3125), w_set(0.375)), w_set(0.5)), w_set(1.0));
    wide slope = w_fma(y, w_fma(y, w_set(1.875), w_set(1.5)), w_set(1.0));
    return (fieldNormal){series * inverse, slope * inverse * inverse * inverse};
}

// out may be v
TAC_INLINE void field_normal_jvp(const fieldNormal* n, const wide g[3], const wide v[3],
                                 wide out[3]) {
    wide along = n->curvature * (g[0] * v[0] + g[1] * v[1] + g[2] * v[2]);
    for (int k = 0; k < 3; ++k) out[k] = n->s * v[k] - along * g[k];
}

#endif
