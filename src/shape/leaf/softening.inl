// What the fields of capsule, box and cylinder are softened by: |x| near 0, and the joint of faces.
//
//   soft_abs     d ln(2 cosh(x/d)): |x| beyond a few widths d, C^inf, slope <= 1
//   soft_corner   relu^-1(|relu(q)|) with relu(q) = d ln(1 + exp(q/d)): the distance to a corner
//                whose faces have distances q; their maximum inside (docs/shapes.md eq. 16 to 19)

#ifndef TAC_SHAPE_LEAF_SOFTENING_INL
#define TAC_SHAPE_LEAF_SOFTENING_INL

#include "shape/local_field.inl"

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
    wide curvature = 4.0 * E * inv * inv;
    softAbs s;
    s.value = w_fma(w_set(width), log_E, size);
    s.d = sign * w_one_minus_exp(t2) * inv;
    s.dd = curvature * inv_width;
    s.by_width = w_fma(t2, E * inv, log_E);
    s.d_by_width = -0.5 * sign * t2 * s.dd;
    return s;
}

//---------------------------------- joint ----------------------------------------

// up to three faces; derivatives by their distances q, and by the width
typedef struct softCorner {
    wide value, c[3], C[6], by_width, c_by_width[3];
} softCorner;

// one face in units of the width: P = relu(u), its slope s = 1 - exp(-P), and 1 - s
typedef struct softRelu {
    wide u, P, s, rest;
} softRelu;

TAC_INLINE softRelu soft_relu(wide u) {
    wide one = w_set(1.0), E = w_exp_regular(-w_abs(u)), inv = w_rcp(1.0 + E);
    softRelu r = {.u = u};
    r.P = w_max(u, w_set(0.0)) + w_log1p_unit(E);
    r.s = w_select_ge0(u, one, E) * inv;
    r.rest = w_select_ge0(u, E, one) * inv;
    return r;
}

// With S = |P| and B = 1 - exp(-S), the slope at the value: value = S + ln B. Deep inside all of
// them are tiny and one face is nearly all of S, so only quotients of like things are formed, and
// the second derivatives are sums of positive terms (docs/shapes.md eq. 19).
TAC_INLINE softCorner soft_corner(const wide q[3], int n, tacReal width) {
    wide zero = w_set(0.0), inv_width = w_set(1.0 / width), S2 = zero;
    wide u[3] = {zero, zero, zero}, w[3] = {zero, zero, zero};
    softRelu r[3];
    for (int i = 0; i < n; ++i) {
        u[i] = q[i] * inv_width;
        r[i] = soft_relu(u[i]);
        S2 = w_fma(r[i].P, r[i].P, S2);
    }
    wide S = w_sqrt(S2), B = w_one_minus_exp(S);
    wide inv_S = w_rcp(S), inv_B = w_rcp(B), F = S + w_log_regular(B), curvature = B * inv_S;
    softCorner j = {.value = width * F, .by_width = F, .c = {zero, zero, zero}};
    for (int i = 0; i < n; ++i) w[i] = r[i].P * inv_S;
    for (int i = 0; i < n; ++i) {
        wide v = r[i].s * inv_B, one = w[(i + 1) % 3], two = w[(i + 2) % 3];
        wide across = w_fma(one, one, two * two), less = across / (1.0 + w[i]); // 1 - w^2, 1 - w
        wide slack = r[i].rest * w_one_minus_exp(S * less) * inv_B;             // 1 - v
        j.c[i] = w[i] * v;
        wide own = w_fma(less, r[i].rest, w[i] * slack);
        j.C[i] = inv_width * w_fma(v * v * curvature, across, j.c[i] * own);
        j.by_width = w_fma(-u[i], j.c[i], j.by_width);
    }
    for (int i = n; i < 3; ++i) j.C[i] = zero;
    wide pair = -inv_width * (curvature + (1.0 - B));
    j.C[3] = pair * j.c[0] * j.c[1];
    j.C[4] = pair * j.c[0] * j.c[2];
    j.C[5] = pair * j.c[1] * j.c[2];
    w_symmetric_mul(j.C, u, j.c_by_width);
    for (int i = 0; i < 3; ++i) j.c_by_width[i] = -j.c_by_width[i];
    return j;
}

#endif
