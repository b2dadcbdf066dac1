// Which way two edges push each other, and whether the faces beside them let them.
//
// Edges of solids touch along the common perpendicular of their lines. With c = t1 x t2 and r from
// the foot of edge 2 to that of edge 1,
//
//   n = c/sqrt(|c|^2 + (e |t1| |t2|)^2),  l = r.n
//
// Neither jumps nor is rounded where the lines cross, and both fade where they become parallel.
// Which end of n leaves surface 2 is told by the outward vectors b1, b2 of the edges:
//
//   sign = tanh((b2.n - b1.n)/tau_s),  normal = sign n,  distance = sign l
//
// Two edges are features of contact where n lies between the normals of the faces beside each of
// them. With m the directions along those faces, away from the edge, u = m.n for edge 1 and -m.n
// for edge 2 is then not negative:
//
//   clash = p prod psi(u/tau_c + 1/2) + (1 - p) prod psi(-u/tau_c + 1/2),  p = (1 + sign)/2
//
// It is exactly 0 beyond 3/2 tau_c outside, so edges that pass each other side by side, both
// outward to the same side, are none. A normal in a face, as where boxes lie on each other, is
// within.

#ifndef TAC_DETECT_EDGE_EDGE_PUSH_H
#define TAC_DETECT_EDGE_EDGE_PUSH_H

#include "detect/edge_edge.h"

// sine of the angle below which edges of solids count as parallel
#define EDGE_PARALLEL 0.01

// unsigned, as the lines have it; also tangent and adjoint
typedef struct edgeLine {
    wide n[3], l;
} edgeLine;

//---------------------------------- common perpendicular -------------------------

typedef struct edgeCross {
    wide c[3], inverse;
    edgeLine line;
} edgeCross;

TAC_INLINE edgeCross edge_cross(const edgeArms* a, const edgeProducts* p) {
    edgeCross x;
    wide far = EDGE_PARALLEL * EDGE_PARALLEL * p->tt1 * p->tt2 + EDGE_FLOOR * EDGE_FLOOR;
    w_cross3(a->t1, a->t2, x.c);
    x.inverse = w_rsqrt(w_dot3(x.c, x.c) + far);
    for (int k = 0; k < 3; ++k) x.line.n[k] = x.c[k] * x.inverse;
    x.line.l = w_dot3(a->r, x.line.n);
    return x;
}

TAC_INLINE edgeLine edge_cross_jvp(const edgeCross* x, const edgeArms* a, const edgeProducts* p,
                                   const edgeArms* d) {
    edgeLine out;
    wide one[3], two[3], tt1 = 2.0 * w_dot3(a->t1, d->t1), tt2 = 2.0 * w_dot3(a->t2, d->t2);
    wide square = EDGE_PARALLEL * EDGE_PARALLEL * (tt1 * p->tt2 + p->tt1 * tt2);
    w_cross3(d->t1, a->t2, one);
    w_cross3(a->t1, d->t2, two);
    for (int k = 0; k < 3; ++k) square = w_fma(2.0 * x->c[k], one[k] + two[k], square);
    wide shrink = -0.5 * x->inverse * x->inverse * square;
    for (int k = 0; k < 3; ++k)
        out.n[k] = w_fma(one[k] + two[k], x->inverse, x->line.n[k] * shrink);
    out.l = w_dot3(d->r, x->line.n) + w_dot3(a->r, out.n);
    return out;
}

// adds
TAC_INLINE void edge_cross_vjp(const edgeCross* x, const edgeArms* a, const edgeProducts* p,
                               const edgeLine* bar, edgeArms* out) {
    wide c_bar[3], one[3], two[3], n_bar[3];
    for (int k = 0; k < 3; ++k) n_bar[k] = w_fma(bar->l, a->r[k], bar->n[k]);
    wide square_bar = -0.5 * x->inverse * x->inverse * w_dot3(x->line.n, n_bar);
    for (int k = 0; k < 3; ++k) c_bar[k] = w_fma(n_bar[k], x->inverse, 2.0 * square_bar * x->c[k]);
    w_cross3(a->t2, c_bar, one);
    w_cross3(c_bar, a->t1, two);
    wide far = 2.0 * EDGE_PARALLEL * EDGE_PARALLEL * square_bar;
    for (int k = 0; k < 3; ++k) {
        out->t1[k] = out->t1[k] + w_fma(far * p->tt2, a->t1[k], one[k]);
        out->t2[k] = out->t2[k] + w_fma(far * p->tt1, a->t2[k], two[k]);
        out->r[k] = w_fma(bar->l, x->line.n[k], out->r[k]);
    }
}

//---------------------------------- sign and clash -------------------------------

// unit vectors of an edge: outward, and along the faces on both sides away from it. An edge that a
// ball is swept over has none: it pushes any way.
typedef struct edgeFlanks {
    int swept;
    wide out[3], along[2][3];
} edgeFlanks;

// with partials of the clash
typedef struct edgePush {
    softDiff sign;
    wide clash, by_sign, by_u[4], by_tau;
} edgePush;

// u of edge k is counted along n for the first, against it for the second
TAC_INLINE wide edge_way(int k, wide u) { return k ? -u : u; }

typedef struct edgeRamps {
    softDiff up[4], down[4];
} edgeRamps;

// product of all but one
TAC_INLINE wide edge_others(const softDiff* f, int count, int but) {
    wide all = w_set(1.0);
    for (int i = 0; i < count; ++i)
        if (i != but) all = all * f[i].value;
    return all;
}

TAC_INLINE edgePush edge_push(const edgeLine* line, const edgeFlanks f[2], wide sign_tau,
                              wide clash_tau) {
    wide zero = w_set(0.0), one = w_set(1.0), inverse = 1.0 / clash_tau, lead = zero, u[4];
    edgePush p = {.sign = {one, zero, zero, zero, zero}, .clash = one, .by_sign = zero};
    edgeRamps r;
    int count = 0;
    p.by_tau = zero;
    for (int k = 0; k < 2; ++k) {
        if (f[k].swept) continue;
        lead = lead - edge_way(k, w_dot3(f[k].out, line->n));
        for (int i = 0; i < 2; ++i) u[count++] = edge_way(k, w_dot3(f[k].along[i], line->n));
    }
    if (count == 0) return p;
    p.sign = soft_sign_diff(lead, sign_tau);
    for (int i = 0; i < count; ++i) {
        r.up[i] = soft_ramp_diff(w_fma(u[i], inverse, w_set(0.5)));
        r.down[i] = soft_ramp_diff(w_fma(-u[i], inverse, w_set(0.5)));
    }
    wide above = w_fma(w_set(0.5), p.sign.value, w_set(0.5)), below = 1.0 - above;
    wide up = edge_others(r.up, count, -1), down = edge_others(r.down, count, -1);
    p.clash = w_fma(above, up, below * down);
    p.by_sign = 0.5 * (up - down);
    for (int i = 0; i < count; ++i) {
        wide rise = above * edge_others(r.up, count, i) * r.up[i].d_x;
        p.by_u[i] = (rise - below * edge_others(r.down, count, i) * r.down[i].d_x) * inverse;
        p.by_tau = w_fma(-u[i] * inverse, p.by_u[i], p.by_tau);
    }
    return p;
}

// < 0 where the clash is exactly 0: one u is far on each side. Of solids; `out` is not read
TAC_INLINE wide edge_push_reach(const edgeLine* line, const edgeFlanks f[2], wide clash_tau) {
    wide low = w_set(1e30), high = -low;
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < 2; ++i) {
            wide u = edge_way(k, w_dot3(f[k].along[i], line->n));
            low = w_min(low, u);
            high = w_max(high, u);
        }
    return w_fma(w_set(1.5), clash_tau, w_max(low, -high));
}

// also tangent and adjoint
typedef struct edgePushed {
    wide normal[3], distance, clash;
} edgePushed;

TAC_INLINE edgePushed edge_pushed(const edgeLine* line, const edgePush* p) {
    edgePushed out = {.distance = p->sign.value * line->l, .clash = p->clash};
    for (int k = 0; k < 3; ++k) out.normal[k] = p->sign.value * line->n[k];
    return out;
}

// the vectors of edge 2 turn with `turn`, those of edge 1 stand
TAC_INLINE edgePushed edge_pushed_jvp(const edgeLine* line, const edgeFlanks f[2],
                                      const edgePush* p, const edgeLine* d, const wide turn[3],
                                      wide sign_tau_dot, wide clash_tau_dot) {
    wide ride[3], against[3], lead_dot = w_set(0.0), clash_dot = p->by_tau * clash_tau_dot;
    int at = 0;
    w_cross3(line->n, turn, ride); // n.(turn x m) = m.(n x turn)
    for (int k = 0; k < 2; ++k) {
        if (f[k].swept) continue;
        for (int j = 0; j < 3; ++j) against[j] = k ? d->n[j] + ride[j] : d->n[j];
        lead_dot = lead_dot - edge_way(k, w_dot3(f[k].out, against));
        for (int i = 0; i < 2; ++i, ++at)
            clash_dot = w_fma(p->by_u[at], edge_way(k, w_dot3(f[k].along[i], against)), clash_dot);
    }
    wide sign_dot = p->sign.d_x * lead_dot + p->sign.d_tau * sign_tau_dot;
    edgePushed out = {.distance = w_fma(sign_dot, line->l, p->sign.value * d->l),
                      .clash = w_fma(p->by_sign, sign_dot, clash_dot)};
    for (int j = 0; j < 3; ++j)
        out.normal[j] = w_fma(sign_dot, line->n[j], p->sign.value * d->n[j]);
    return out;
}

// sets `out`; adds to the moment on edge 2's body and to adjoints of the temperatures
TAC_INLINE void edge_pushed_vjp(const edgeLine* line, const edgeFlanks f[2], const edgePush* p,
                                const edgePushed* bar, edgeLine* out, wide moment[3],
                                wide* sign_tau_bar, wide* clash_tau_bar) {
    wide sign_bar = w_fma(bar->distance, line->l, w_dot3(bar->normal, line->n));
    sign_bar = w_fma(p->by_sign, bar->clash, sign_bar);
    *sign_tau_bar = w_fma(p->sign.d_tau, sign_bar, *sign_tau_bar);
    *clash_tau_bar = w_fma(p->by_tau, bar->clash, *clash_tau_bar);
    wide lead_bar = p->sign.d_x * sign_bar, pull[3], turn[3];
    int at = 0;
    out->l = p->sign.value * bar->distance;
    for (int j = 0; j < 3; ++j) out->n[j] = p->sign.value * bar->normal[j];
    for (int k = 0; k < 2; ++k) {
        if (f[k].swept) continue;
        wide one = edge_way(k, p->by_u[at++] * bar->clash);
        wide two = edge_way(k, p->by_u[at++] * bar->clash), lead = -edge_way(k, lead_bar);
        for (int j = 0; j < 3; ++j) {
            pull[j] = one * f[k].along[0][j] + two * f[k].along[1][j] + lead * f[k].out[j];
            out->n[j] = out->n[j] + pull[j];
        }
        if (k == 0) continue;
        w_cross3(pull, line->n, turn);
        for (int j = 0; j < 3; ++j) moment[j] = moment[j] + turn[j];
    }
}

#endif
