// What the fields of capsule, box and cylinder are softened by: |x| near 0, and the joint of faces.
//
//   soft_abs     d ln(2 cosh(x/d)): |x| beyond a few widths d, C^inf, slope <= 1
//   soft_joint   relu^-1(|relu(q)|) with relu(q) = d ln(1 + exp(q/d)): the distance to a corner
//                whose faces have distances q; their maximum inside (docs/shapes.md eq. 16 to 19)

#ifndef TAC_SHAPE_SOFT_H
#define TAC_SHAPE_SOFT_H

#include "shape/local.h"

//---------------------------------- |x| ------------------------------------------

// value, derivatives by x, and of value and slope by the width
typedef struct softAbs {
    wide value, d, dd, by_width, d_by_width;
} softAbs;

// with E = exp(-2 |x|/d): value - x d and 1 - |slope| come without cancellation
TAC_INLINE softAbs soft_abs(wide x, tacReal width) {
    wide one = w_set(1.0), size = w_abs(x), inv_width = w_set(1.0 / width);
    wide sign = w_select_ge0(x, one, -one), t2 = 2.0 * size * inv_width;
    wide E = w_exp_regular(-t2), log_E = w_log1p_unit(E), inv = w_rcp(1.0 + E);
    wide bend = 4.0 * E * inv * inv;
    softAbs s;
    s.value = w_fma(w_set(width), log_E, size);
    s.d = sign * w_one_minus_exp(t2) * inv;
    s.dd = bend * inv_width;
    s.by_width = w_fma(t2, E * inv, log_E);
    s.d_by_width = -0.5 * sign * t2 * s.dd;
    return s;
}

//---------------------------------- joint ----------------------------------------

// up to three faces; derivatives by their distances q, and by the width
typedef struct softJoint {
    wide value, c[3], C[6], by_width, c_by_width[3];
} softJoint;

// In units of the width: P = relu(q), S = |P|, value = S + ln(1 - exp(-S)). Deep inside all of them
// are tiny, so only quotients of like things are formed.
TAC_INLINE softJoint soft_joint(const wide q[3], int n, tacReal width) {
    wide one = w_set(1.0), zero = w_set(0.0), inv_width = w_set(1.0 / width), S2 = zero;
    wide u[3], P[3], slope[3], bend[3];
    for (int i = 0; i < n; ++i) {
        u[i] = q[i] * inv_width;
        wide E = w_exp_regular(-w_abs(u[i])), inv = w_rcp(1.0 + E);
        P[i] = w_max(u[i], zero) + w_log1p_unit(E);
        slope[i] = w_select_ge0(u[i], one, E) * inv;
        bend[i] = E * inv * inv;
        S2 = w_fma(P[i], P[i], S2);
    }
    wide S = w_sqrt(S2), B = w_one_minus_exp(S);
    wide inv_S = w_rcp(S), inv_B = w_rcp(B), F = S + w_log_regular(B);
    softJoint j;
    j.value = width * F, j.by_width = F;
    for (int i = 0; i < 6; ++i) j.C[i] = zero;
    for (int i = 0; i < 3; ++i) j.c[i] = zero;
    for (int i = 0; i < n; ++i) {
        wide w = P[i] * inv_S, v = slope[i] * inv_B;
        j.c[i] = w * v;
        j.C[i] = inv_width * w_fma(v, slope[i] * inv_S, w * (bend[i] * inv_B));
        j.by_width = w_fma(-u[i], j.c[i], j.by_width);
    }
    w_add_square(j.C, -inv_width * w_fma(B, inv_S, 1.0 - B), j.c);
    for (int i = n; i < 3; ++i) u[i] = zero;
    w_symmetric_mul(j.C, u, j.c_by_width);
    for (int i = 0; i < 3; ++i) j.c_by_width[i] = -j.c_by_width[i];
    return j;
}

#endif
