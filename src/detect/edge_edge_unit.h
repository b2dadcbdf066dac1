// The unit interval, softly: clip to it and "within it" share one exponential.
//
// Seen from the nearer end, `over` = |x - 1/2| - 1/2 is >= 0 outside. With M = exp(-|over|/tau),
// far = exp(-1/tau) and F = 1 + far M outside, M + far inside:
//
//   within(x) = sigma(x/tau) sigma((1 - x)/tau) = M/((1 + M) F)
//   clip(x)   = max(-over, 0) + tau log(1 + N/F),   N = M (1 - far) outside, M^2 - far inside
//
// counted from that end; clip'(x) = (1 - far) within(x). No difference of large numbers, nothing
// overflows; M stops at exp(-300), below any activity that counts.

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

// where x stands, and what both functions share
typedef struct unitPlace {
    wide side; // >= 0: the right end is nearer
    wide over, M, F;
} unitPlace;

TAC_INLINE unitPlace unit_place(wide x, const unitTau* t) {
    unitPlace p;
    p.side = x - 0.5;
    p.over = w_abs(p.side) - 0.5;
    p.M = w_exp_regular(-w_min(w_abs(p.over) * t->inverse, w_set(UNIT_REACH)));
    p.F = w_select_ge0(p.over, w_fma(t->far, p.M, w_set(1.0)), p.M + t->far);
    return p;
}

// a function of the place and its partials
typedef struct unitValue {
    wide value, d_x, d_tau;
} unitValue;

// d log within/d x seen from the nearer end is (lift - drop)/tau
typedef struct unitPull {
    wide within, lift, drop, small; // small = M/(1 + M)
} unitPull;

TAC_INLINE unitPull unit_pull(const unitPlace* p, const unitTau* t) {
    wide one = w_set(1.0), plus = 1.0 + p->M, inverse = 1.0 / (plus * p->F);
    unitPull u;
    u.within = p->M * inverse;
    u.small = u.within * p->F;
    u.lift = w_select_ge0(p->over, p->F * inverse, u.small);
    u.drop = t->far * w_select_ge0(p->over, p->M, one) * (plus * inverse);
    return u;
}

TAC_INLINE unitValue unit_within(const unitPlace* p, const unitTau* t) {
    unitPull u = unit_pull(p, t);
    wide d_x = u.within * (u.lift - u.drop) * t->inverse;
    wide d_tau = u.within * (p->over * u.lift - (1.0 + p->over) * u.drop) * t->inverse * t->inverse;
    return (unitValue){u.within, w_select_ge0(p->side, -d_x, d_x), d_tau};
}

TAC_INLINE unitValue unit_clip(const unitPlace* p, const unitTau* t) {
    unitPull u = unit_pull(p, t);
    wide outside = p->M - p->M * t->far, inside = w_fma(p->M, p->M, -t->far);
    wide log_term = w_log1p_unit(w_select_ge0(p->over, outside, inside) / p->F);
    wide near = w_fma(t->tau, log_term, w_max(-p->over, w_set(0.0)));
    wide d_tau = w_fma(w_abs(p->over) * u.small - (1.0 + p->over) * u.drop, t->inverse, log_term);
    return (unitValue){w_select_ge0(p->side, 1.0 - near, near), (1.0 - t->far) * u.within,
                       w_select_ge0(p->side, -d_tau, d_tau)};
}

// the hard clip, with the slope of the side it is on
TAC_INLINE unitValue unit_clip_hard(wide x) {
    wide zero = w_set(0.0), one = w_set(1.0);
    wide inside = w_select_ge0(x, w_select_ge0(1.0 - x, one, zero), zero);
    return (unitValue){w_max(w_min(x, one), zero), inside, zero};
}

#endif
