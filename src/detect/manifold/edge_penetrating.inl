// The indicator "a point penetrates the other geom's surface" of edges against edges.

#ifndef TAC_DETECT_MANIFOLD_EDGE_PENETRATING_INL
#define TAC_DETECT_MANIFOLD_EDGE_PENETRATING_INL

#include "smooth/soft.inl"

// phi < 0: sigma(-phi/tau) w(phi/range), exactly 0 beyond the range; d_upper is d/d range.
// inv_range 0: without an end, as in paper 001.
TAC_INLINE softDiff edge_penetrating(wide phi, wide tau, wide inv_range) {
    softDiff s = soft_less_diff(phi, w_set(0.0), tau), m = soft_mollifier_diff(phi * inv_range);
    wide slope = s.value * m.d_x * inv_range;
    return (softDiff){s.value * m.value, w_fma(s.d_x, m.value, slope), w_set(0.0),
                      -slope * phi * inv_range, s.d_tau * m.value};
}

#endif
