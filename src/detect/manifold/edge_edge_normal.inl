// Which way two edges push each other, and whether the faces beside them let them.
//
// Edges of solids touch along the common perpendicular of their lines. With c = t1 x t2 and r from
// the foot of edge 2 to that of edge 1,
//
//   n = c/sqrt(|c|^2 + (e |t1| |t2|)^2),  l = r.n
//
// Neither jumps nor is rounded where the lines cross, and both fade where they become parallel.
// Which end of n leaves surface 2 follows from the outward vectors b1, b2 of the edges:
//
//   sign = tanh((b2.n - b1.n)/tau_s),  normal = sign n,  distance = sign l
//
// Two edges are features of contact where n lies between the normals of the faces beside each of
// them. With m the directions along those faces, away from the edge, u = m.n for edge 1 and -m.n
// for edge 2 is then not negative:
//
//   opposing = p prod psi(u/tau_c + 1/2) + (1 - p) prod psi(-u/tau_c + 1/2),  p = (1 + sign)/2
//
// It is exactly 0 beyond 3/2 tau_c outside, so edges that pass each other side by side, both
// outward to the same side, are none. A normal in a face, as where boxes lie on each other, is
// within.

#ifndef TAC_DETECT_MANIFOLD_EDGE_EDGE_NORMAL_INL
#define TAC_DETECT_MANIFOLD_EDGE_EDGE_NORMAL_INL

#include "detect/witness/edge_edge.inl"

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
    wide parallel =
        EDGE_PARALLEL * EDGE_PARALLEL * p->tt1 * p->tt2 + EDGE_MIN_SQUARE * EDGE_MIN_SQUARE;
    w_cross3(a->t1, a->t2, x.c);
    x.inverse = w_rsqrt(w_dot3(x.c, x.c) + parallel);
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
    wide parallel = 2.0 * EDGE_PARALLEL * EDGE_PARALLEL * square_bar;
    for (int k = 0; k < 3; ++k) {
        out->t1[k] = out->t1[k] + w_fma(parallel * p->tt2, a->t1[k], one[k]);
        out->t2[k] = out->t2[k] + w_fma(parallel * p->tt1, a->t2[k], two[k]);
        out->r[k] = w_fma(bar->l, x->line.n[k], out->r[k]);
    }
}

//---------------------------------- sign and opposing faces ----------------------

// unit vectors of an edge: outward, and along the faces on both sides away from it. An edge that a
// ball is swept over has none: it pushes any way.
typedef struct edgeFaces {
    int swept;
    wide out[3], along[2][3];
} edgeFaces;

// with partials of `opposing`
typedef struct edgeNormalSign {
    softDiff sign;
    wide opposing, by_sign, by_u[4], by_tau;
} edgeNormalSign;

// u of edge k is counted along n for the first, against it for the second
TAC_INLINE wide edge_oriented(int k, wide u) { return k ? -u : u; }

typedef struct edgeRamps {
    softDiff up[4], down[4];
} edgeRamps;

// product of all but one
TAC_INLINE wide edge_product_except(const softDiff* f, int count, int but) {
    wide all = w_set(1.0);
    for (int i = 0; i < count; ++i)
        if (i != but) all = all * f[i].value;
    return all;
}

TAC_INLINE edgeNormalSign edge_normal_sign(const edgeLine* line, const edgeFaces f[2],
                                           wide sign_tau, wide opposing_tau) {
    wide zero = w_set(0.0), one = w_set(1.0), inverse = 1.0 / opposing_tau, margin = zero, u[4];
    edgeNormalSign p = {.sign = {one, zero, zero, zero, zero}, .opposing = one, .by_sign = zero};
    edgeRamps r;
    int count = 0;
    p.by_tau = zero;
    for (int k = 0; k < 2; ++k) {
        if (f[k].swept) continue;
        margin = margin - edge_oriented(k, w_dot3(f[k].out, line->n));
        for (int i = 0; i < 2; ++i) u[count++] = edge_oriented(k, w_dot3(f[k].along[i], line->n));
    }
    if (count == 0) return p;
    p.sign = soft_sign_diff(margin, sign_tau);
    for (int i = 0; i < count; ++i) {
        r.up[i] = soft_ramp_diff(w_fma(u[i], inverse, w_set(0.5)));
        r.down[i] = soft_ramp_diff(w_fma(-u[i], inverse, w_set(0.5)));
    }
    wide above = w_fma(w_set(0.5), p.sign.value, w_set(0.5)), below = 1.0 - above;
    wide up = edge_product_except(r.up, count, -1), down = edge_product_except(r.down, count, -1);
    p.opposing = w_fma(above, up, below * down);
    p.by_sign = 0.5 * (up - down);
    for (int i = 0; i < count; ++i) {
        wide slope = above * edge_product_except(r.up, count, i) * r.up[i].d_x;
        p.by_u[i] =
            (slope - below * edge_product_except(r.down, count, i) * r.down[i].d_x) * inverse;
        p.by_tau = w_fma(-u[i] * inverse, p.by_u[i], p.by_tau);
    }
    return p;
}

// < 0 where `opposing` is exactly 0: one u is far on each side. Of solids; `out` is not read
TAC_INLINE wide edge_normal_margin(const edgeLine* line, const edgeFaces f[2], wide opposing_tau) {
    wide low = w_set(1e30), high = -low;
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < 2; ++i) {
            wide u = edge_oriented(k, w_dot3(f[k].along[i], line->n));
            low = w_min(low, u);
            high = w_max(high, u);
        }
    return w_fma(w_set(1.5), opposing_tau, w_max(low, -high));
}

// also tangent and adjoint
typedef struct edgeNormal {
    wide normal[3], distance, opposing;
} edgeNormal;

TAC_INLINE edgeNormal edge_normal(const edgeLine* line, const edgeNormalSign* p) {
    edgeNormal out = {.distance = p->sign.value * line->l, .opposing = p->opposing};
    for (int k = 0; k < 3; ++k) out.normal[k] = p->sign.value * line->n[k];
    return out;
}

// tangents: the vectors of edge 2 turn with `rot`, those of edge 1 stand; beside that each may have
// a tangent of its own
typedef struct edgeNormalDot {
    edgeLine line;
    wide rot[3], sign_tau, opposing_tau;
    const edgeFaces* faces[2]; // NULL: none
} edgeNormalDot;

// adjoints to add to: the moment on edge 2's body, and both temperatures; those of the vectors are
// written
typedef struct edgeNormalBar {
    wide *moment, *sign_tau, *opposing_tau;
    edgeFaces* faces; // (2); NULL skips
} edgeNormalBar;

TAC_INLINE edgeNormal edge_normal_jvp(const edgeLine* line, const edgeFaces f[2],
                                      const edgeNormalSign* p, const edgeNormalDot* dot) {
    const edgeLine* d = &dot->line;
    wide rotated[3], against[3], margin_dot = w_set(0.0),
                                 opposing_dot = p->by_tau * dot->opposing_tau;
    int at = 0;
    w_cross3(line->n, dot->rot, rotated); // n.(rot x m) = m.(n x rot)
    for (int k = 0; k < 2; ++k) {
        if (f[k].swept) continue;
        for (int j = 0; j < 3; ++j) against[j] = k ? d->n[j] + rotated[j] : d->n[j];
        margin_dot = margin_dot - edge_oriented(k, w_dot3(f[k].out, against));
        for (int i = 0; i < 2; ++i, ++at)
            opposing_dot =
                w_fma(p->by_u[at], edge_oriented(k, w_dot3(f[k].along[i], against)), opposing_dot);
        const edgeFaces* own = dot->faces[k];
        if (!own) continue;
        margin_dot = margin_dot - edge_oriented(k, w_dot3(own->out, line->n));
        for (int i = 0; i < 2; ++i)
            opposing_dot = w_fma(p->by_u[at - 2 + i],
                                 edge_oriented(k, w_dot3(own->along[i], line->n)), opposing_dot);
    }
    wide sign_dot = p->sign.d_x * margin_dot + p->sign.d_tau * dot->sign_tau;
    edgeNormal out = {.distance = w_fma(sign_dot, line->l, p->sign.value * d->l),
                      .opposing = w_fma(p->by_sign, sign_dot, opposing_dot)};
    for (int j = 0; j < 3; ++j)
        out.normal[j] = w_fma(sign_dot, line->n[j], p->sign.value * d->n[j]);
    return out;
}

// sets `out`; adds to the moment on edge 2's body and to adjoints of the temperatures
TAC_INLINE void edge_normal_vjp(const edgeLine* line, const edgeFaces f[2], const edgeNormalSign* p,
                                const edgeNormal* bar, edgeLine* out, edgeNormalBar sum) {
    wide sign_bar = w_fma(bar->distance, line->l, w_dot3(bar->normal, line->n));
    sign_bar = w_fma(p->by_sign, bar->opposing, sign_bar);
    *sum.sign_tau = w_fma(p->sign.d_tau, sign_bar, *sum.sign_tau);
    *sum.opposing_tau = w_fma(p->by_tau, bar->opposing, *sum.opposing_tau);
    wide margin_bar = p->sign.d_x * sign_bar, normal_force[3], rot[3];
    int at = 0;
    out->l = p->sign.value * bar->distance;
    for (int j = 0; j < 3; ++j) out->n[j] = p->sign.value * bar->normal[j];
    for (int k = 0; k < 2; ++k) {
        if (f[k].swept) continue;
        wide one = edge_oriented(k, p->by_u[at++] * bar->opposing);
        wide two = edge_oriented(k, p->by_u[at++] * bar->opposing),
             margin = -edge_oriented(k, margin_bar);
        for (int j = 0; j < 3; ++j) {
            normal_force[j] =
                one * f[k].along[0][j] + two * f[k].along[1][j] + margin * f[k].out[j];
            out->n[j] = out->n[j] + normal_force[j];
        }
        for (int j = 0; j < 3 && sum.faces; ++j) {
            sum.faces[k].along[0][j] = one * line->n[j];
            sum.faces[k].along[1][j] = two * line->n[j];
            sum.faces[k].out[j] = margin * line->n[j];
        }
        if (k == 0) continue;
        w_cross3(normal_force, line->n, rot);
        for (int j = 0; j < 3; ++j) sum.moment[j] = sum.moment[j] + rot[j];
    }
}

#endif
