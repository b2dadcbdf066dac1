// What makes a contact of two edges in paper 001: signs from the surfaces' normals, and soft
// indicators. The product has edge_edge_normal.inl in their place.
//
//   sign1 = tanh(n2.n/tau),  d1 = sign1 d,  n1' = sign1 n     the point on edge 1 leaves surface 2
//   sign2 = tanh(-n1.n/tau), d2 = sign2 d,  n2' = -sign2 n    and the other way round
//   opposing = sigma(-n1.n2/tau), penetrating = sigma(-phi/tau) w(phi/range)
//
// n, d: unsigned, from edge_edge.inl; n1, n2: outward normals of the surfaces at their own witness
// points; both n' point out of the surface that is penetrated.

#ifndef TAC_TEST_WITNESS_EDGE_SIGNS_INL
#define TAC_TEST_WITNESS_EDGE_SIGNS_INL

#include "detect/manifold/edge_penetrating.inl"
#include "math/wide_vec3.inl"

// what signs are made of; also tangent and adjoint
typedef struct edgeSides {
    wide normal[3], distance; // unsigned
    wide outward[2][3];       // of the two surfaces
    wide sign_tau, opposing_tau;
} edgeSides;

// also tangent and adjoint
typedef struct edgeSigned {
    wide distance[2], normal[2][3], opposing;
} edgeSigned;

// signs and `opposing` with their partials
typedef struct edgeSigns {
    softDiff sign[2], opposing;
} edgeSigns;

TAC_INLINE edgeSigns edge_signs(const edgeSides* s) {
    return (edgeSigns){
        {soft_sign_diff(w_dot3(s->outward[1], s->normal), s->sign_tau),
         soft_sign_diff(-w_dot3(s->outward[0], s->normal), s->sign_tau)},
        soft_less_diff(w_dot3(s->outward[0], s->outward[1]), w_set(0.0), s->opposing_tau)};
}

TAC_INLINE edgeSigned edge_signed(const edgeSides* s, const edgeSigns* g) {
    edgeSigned out = {{g->sign[0].value * s->distance, g->sign[1].value * s->distance},
                      .opposing = g->opposing.value};
    for (int k = 0; k < 3; ++k) {
        out.normal[0][k] = g->sign[0].value * s->normal[k];
        out.normal[1][k] = -g->sign[1].value * s->normal[k];
    }
    return out;
}

TAC_INLINE edgeSigned edge_signed_jvp(const edgeSides* s, const edgeSigns* g, const edgeSides* d) {
    edgeSigned out;
    for (int b = 0; b < 2; ++b) {
        const wide *n = s->outward[1 - b], *nd = d->outward[1 - b];
        wide dir = w_set(b ? -1.0 : 1.0), along = w_dot3(n, d->normal) + w_dot3(nd, s->normal);
        wide sign = g->sign[b].value;
        wide sign_dot = g->sign[b].d_x * dir * along + g->sign[b].d_tau * d->sign_tau;
        out.distance[b] = w_fma(sign_dot, s->distance, sign * d->distance);
        for (int k = 0; k < 3; ++k)
            out.normal[b][k] = dir * w_fma(sign_dot, s->normal[k], sign * d->normal[k]);
    }
    wide facing = w_dot3(s->outward[0], d->outward[1]) + w_dot3(d->outward[0], s->outward[1]);
    out.opposing = g->opposing.d_x * facing + g->opposing.d_tau * d->opposing_tau;
    return out;
}

// adds to `out`
TAC_INLINE void edge_signed_vjp(const edgeSides* s, const edgeSigns* g, const edgeSigned* bar,
                                edgeSides* out) {
    for (int b = 0; b < 2; ++b) {
        const wide *n = s->outward[1 - b], *n_bar = bar->normal[b];
        wide dir = w_set(b ? -1.0 : 1.0), sign = g->sign[b].value;
        wide sign_bar = w_fma(bar->distance[b], s->distance, dir * w_dot3(n_bar, s->normal));
        wide along = g->sign[b].d_x * dir * sign_bar;
        out->sign_tau = w_fma(g->sign[b].d_tau, sign_bar, out->sign_tau);
        out->distance = w_fma(sign, bar->distance[b], out->distance);
        for (int k = 0; k < 3; ++k) {
            out->normal[k] = out->normal[k] + dir * sign * n_bar[k] + along * n[k];
            out->outward[1 - b][k] = w_fma(along, s->normal[k], out->outward[1 - b][k]);
        }
    }
    wide facing = g->opposing.d_x * bar->opposing;
    for (int k = 0; k < 3; ++k) {
        out->outward[0][k] = w_fma(facing, s->outward[1][k], out->outward[0][k]);
        out->outward[1][k] = w_fma(facing, s->outward[0][k], out->outward[1][k]);
    }
    out->opposing_tau = w_fma(g->opposing.d_tau, bar->opposing, out->opposing_tau);
}

//---------------------------------- indicators of one number ----------------------------------

// a witness point lies in its own solid, with a margin of five tau: sigma(5 - phi/tau)
TAC_INLINE softDiff edge_inside_own(wide phi, wide tau) {
    wide t = soft_ratio(phi, tau);
    softSigmoids s = soft_sigmoids(5.0 - t);
    wide slope = s.above * s.below / tau, zero = w_set(0.0);
    return (softDiff){s.above, -slope, zero, zero, t * slope};
}

// What another pair leaves of a pair that may be the nearest: 1 - indicator psi((gap -
// other)/width). d_x by gap (-d_x by other), d_lower by the indicator, d_tau by width.
TAC_INLINE softDiff edge_nearest_factor(wide gap, wide other, wide indicator, wide width) {
    wide inverse = 1.0 / width, margin = (gap - other) * inverse;
    softDiff r = soft_ramp_diff(margin);
    wide slope = indicator * r.d_x * inverse;
    return (softDiff){1.0 - indicator * r.value, -slope, -r.value, w_set(0.0), slope * margin};
}

#endif
