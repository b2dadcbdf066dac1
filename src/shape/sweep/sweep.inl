// Sweep: a superquadric cut by planes that moves along a quadratic spline and changes on the way.
//
//   x --cubic--> feet t+, t- --clip--> solid at p(t+), at p(t-) --counted smooth union--> phi
//
// The spline is a segment of a parabola. The nearest point of a parabola lies on the side of its
// axis where x lies, so two feet, one for each side, always hold it. Each is the root of the
// foot-point cubic whose right side is held above a level, so that it never meets another root and
// is smooth everywhere; on the gentle side of the centre of curvature both are the one root there
// is (docs/shapes.md eq. 31 to 35). Written in jets: one text for value and all derivatives.

#ifndef TAC_SHAPE_SWEEP_SWEEP_INL
#define TAC_SHAPE_SWEEP_SWEEP_INL

#include "math/wide_trig.inl"
#include "shape/sweep/jet.inl"
#include "shape/sweep/sweep_coefs.inl"

// about how near the vertex, in units of t, the two feet part (eq. 33)
#define SWEEP_SPLIT 0.1
// level that the right side is held above, in units of SWEEP_SPLIT^3
#define SWEEP_LEVEL 0.1
// added to r^2: 1/r^3 must not overflow
#define SWEEP_CENTRE 1e-200
// feet farther apart than about this count as two
#define SWEEP_DISTINCT 0.05

// numbers of the sweep, their tangent or NULL, and what is computed
typedef struct sweepContext sweepContext;
struct sweepContext {
    jetContext w;
    const sweepCoefs *at, *dot;
    void (*solid)(const sweepContext* s, const jet x[3], const jet* t,
                  jet* out); // the solid at p(t)
};

JET_FORMULA jetInput sweep_in(const sweepContext* s, int k) {
    return (jetInput){w_set(s->at->in[k]), w_set(s->dot ? s->dot->in[k] : 0.0), k};
}

JET_FORMULA jet sweep_poly(const sweepContext* s, int k, jet t) {
    return jet_quadratic(s->w, s->at->poly[k], s->dot ? s->dot->poly[k] : NULL, k, t);
}

//---------------------------------- ramp -----------------------------------------

// 0 up to -1, z from 1 on, and four continuous derivatives
JET_FORMULA jet sweep_ramp(jetContext w, jet z) {
    wide one = w_set(1.0), zero = w_set(0.0);
    wide s = w_max(w_min(0.5 * z.v + 0.5, one), zero), s2 = s * s, both = s * (1.0 - s);
    wide rise = s2 * s2 * s *
                w_fma(s, w_fma(s, w_fma(s, w_set(-5.0), w_set(20.0)), w_set(-28.0)), w_set(14.0));
    wide above = z.v - 1.0;
    return jet_apply(w, z, w_select_ge0(above, z.v, rise), core_weight(s).w,
                     70.0 * both * both * both);
}

//---------------------------------- feet -----------------------------------------

// what both feet are made of
typedef struct sweepCubic {
    jet C, beta; // F(t) = A t^3 + 3 a.b t^2 + C t - beta
    jet P, u;    // s^3 + P s = u with s = t + c
    jet level, width;
} sweepCubic;

// P^4/(P + part^2)^(5/2), 0 for P < 0: with three continuous derivatives
JET_FORMULA jet sweep_rise(jetContext w, jet P) {
    wide v = w_max(P.v, w_set(0.0)), r = w_rcp(v + SWEEP_SPLIT * SWEEP_SPLIT), root = w_sqrt(r);
    wide x = v * r, scale = v * v * r * r * root;
    return jet_apply(w, P, scale * v * v, scale * v * (4.0 - 2.5 * x),
                     scale * (12.0 - x * (20.0 - 8.75 * x)));
}

JET_FORMULA sweepCubic sweep_cubic(const sweepContext* s, const jet x[3]) {
    jetContext w = s->w;
    jetInput second_diff[3], first_diff[3];
    jet d[3];
    for (int i = 0; i < 3; ++i) {
        second_diff[i] = sweep_in(s, TAC_IN_SECOND_DIFF + i);
        first_diff[i] = sweep_in(s, TAC_IN_FIRST_DIFF + i);
        d[i] = jet_plus(w, x[i], -1.0, sweep_in(s, TAC_IN_START + i));
    }
    sweepCubic q;
    q.beta = jet_scale(w, jet_times3(w, d, first_diff), 1.0, -s->at->point_shift);
    q.C = jet_plus(w, jet_scale(w, jet_times3(w, d, second_diff), -1.0, 0.0), 1.0,
                   sweep_in(s, TAC_IN_LINEAR));
    jetInput inv = sweep_in(s, TAC_IN_INV_CUBIC);
    q.P = jet_plus(w, jet_times(w, q.C, inv), -1.0, sweep_in(s, TAC_IN_VERTEX2));
    jet turned = jet_add(w, q.beta, jet_times(w, q.C, sweep_in(s, TAC_IN_VERTEX)));
    q.u = jet_plus(w, jet_times(w, turned, inv), -1.0, sweep_in(s, TAC_IN_VERTEX3));
    double least = SWEEP_LEVEL * SWEEP_SPLIT * SWEEP_SPLIT * SWEEP_SPLIT;
    jet rise = sweep_rise(w, q.P);
    q.level = jet_scale(w, rise, -1.0, least);
    q.width = jet_scale(w, rise, 0.5, 0.5 * least);
    return q;
}

// how much the right side of one foot is lifted: ramp of level -+ u
JET_FORMULA jet sweep_lift(jetContext w, const sweepCubic* q, double side) {
    jet below = jet_sum(w, 1.0, q->level, -side, q->u);
    return jet_mul(w, q->width, sweep_ramp(w, jet_mul(w, below, jet_rcp(w, q->width))));
}

// The root s of s^3 + P s = r that is positive for r > 0; r > 0 or P > 0. From a start within a
// third of it, three steps of Halley's method.
JET_FORMULA wide sweep_root(wide P, wide r) {
    wide zero = w_set(0.0), size = w_abs(r);
    wide k = w_exp((1.0 / 3.0) * w_log(size + 1e-60)), k2 = k * k;
    wide s = w_select_ge0(P, size / (w_max(P, zero) + k2), w_sqrt(k2 - w_min(P, zero)));
    for (int step = 0; step < 3; ++step) {
        wide g = w_fma(s, w_fma(s, s, P), -size), slope = w_fma(3.0 * s, s, P);
        s = s - 2.0 * g * slope / (2.0 * slope * slope - 6.0 * s * g);
    }
    return w_select_ge0(r, s, -s);
}

// Foot on one side: the root found as a number, then two steps of Newton's method in jets, which
// make its derivatives exact to third order.
JET_FORMULA jet sweep_foot(const sweepContext* s, const sweepCubic* q, jet lift, double side) {
    jetContext w = s->w;
    jetInput A = sweep_in(s, TAC_IN_CUBIC), square = sweep_in(s, TAC_IN_SQUARE);
    wide root = sweep_root(q->P.v, side * q->u.v + lift.v);
    jet t = jet_constant(side * root - s->at->in[TAC_IN_VERTEX]);
    jet right = jet_add(w, q->beta, jet_scale(w, jet_times(w, lift, A), side, 0.0));
    for (int step = 0; step < 2; ++step) {
        jet At = jet_times(w, t, A);
        jet F = jet_mul(w, jet_add(w, jet_mul(w, jet_plus(w, At, 1.0, square), t), q->C), t);
        jet slope = jet_scale(w, jet_plus(w, jet_scale(w, At, 1.5, 0.0), 1.0, square), 2.0, 0.0);
        slope = jet_add(w, jet_mul(w, slope, t), q->C);
        t = jet_sub(w, t, jet_mul(w, jet_sub(w, F, right), jet_rcp(w, slope)));
    }
    return t;
}

// t held within [0, 1], by a ramp at each end
JET_FORMULA jet sweep_clip(const sweepContext* s, jet t) {
    jetContext w = s->w;
    wide later = t.v - 0.5;
    jet left = jet_select(w, later, jet_scale(w, t, -1.0, 1.0), t);
    jet in = jet_times(w, sweep_ramp(w, jet_times(w, left, sweep_in(s, TAC_IN_INV_WIDTH))),
                       sweep_in(s, TAC_IN_WIDTH));
    return jet_select(w, later, jet_scale(w, in, -1.0, 1.0), in);
}

//---------------------------------- moving frame ---------------------------------

// coordinates in the frame [N, B, T] at t: T along the spline, N across it and across `up`
JET_FORMULA void sweep_local(const sweepContext* s, const jet x[3], jet t, jet y[3]) {
    jetContext w = s->w;
    jetInput up[3];
    jet e[3], V[3], W[3];
    for (int i = 0; i < 3; ++i) {
        up[i] = sweep_in(s, TAC_IN_UP + i);
        e[i] = jet_sub(w, x[i], sweep_poly(s, TAC_POLY_POINT + i, t));
        V[i] = sweep_poly(s, TAC_POLY_ALONG + i, t);
    }
    for (int i = 0; i < 3; ++i)
        W[i] = jet_sub(w, jet_times(w, V[(i + 2) % 3], up[(i + 1) % 3]),
                       jet_times(w, V[(i + 1) % 3], up[(i + 2) % 3]));
    jet VV = jet_dot3(w, V, V), eV = jet_dot3(w, e, V);
    jet inv_V = jet_rsqrt(w, VV), inv_W = jet_rsqrt(w, jet_dot3(w, W, W));
    y[0] = jet_mul(w, jet_dot3(w, e, W), inv_W);
    jet across =
        jet_sub(w, jet_mul(w, jet_times3(w, e, up), VV), jet_mul(w, eV, jet_times3(w, V, up)));
    y[1] = jet_mul(w, across, jet_mul(w, inv_V, inv_W));
    y[2] = jet_mul(w, eV, inv_V);
}

// turn about T by the twist at t
JET_FORMULA void sweep_twist(const sweepContext* s, jet t, jet y[3]) {
    jetContext w = s->w;
    jet angle = sweep_poly(s, TAC_POLY_TWIST, t), first = y[0];
    wide sine, cosine;
    w_sincos(angle.v, &sine, &cosine);
    jet sn = jet_apply(w, angle, sine, cosine, -sine);
    jet cs = jet_apply(w, angle, cosine, -sine, -cosine);
    y[0] = jet_add(w, jet_mul(w, cs, first), jet_mul(w, sn, y[1]));
    y[1] = jet_sub(w, jet_mul(w, cs, y[1]), jet_mul(w, sn, first));
}

//---------------------------------- superquadric ---------------------------------

// (e - 1)^3 of an exponent above 1, else 0
JET_FORMULA jet sweep_over_one(jetContext w, jet e) {
    wide over = w_max(e.v - 1.0, w_set(0.0)), square = over * over;
    return jet_apply(w, e, over * square, 3.0 * square, 6.0 * over);
}

// near(e) of node_data.c: 0 below 0.65, 1 above 0.8
JET_FORMULA jet sweep_exponent_smoothstep(jetContext w, jet e) {
    double rate = 1.0 / 0.15;
    wide s = w_max(w_min((e.v - 0.65) * rate, w_set(1.0)), w_set(0.0)), both = s * (1.0 - s);
    return jet_apply(w, e, s * s * s * (10.0 + s * (6.0 * s - 15.0)), 30.0 * rate * both * both,
                     60.0 * rate * rate * both * (1.0 - 2.0 * s));
}

// w^2 around and along the pole (eq. 8)
JET_FORMULA void sweep_seam_rounding(jetContext w, const jet e[2], jet* around, jet* polar) {
    jet near1 = sweep_exponent_smoothstep(w, e[0]), near2 = sweep_exponent_smoothstep(w, e[1]);
    jet over1 = jet_square(w, jet_scale(w, e[0], 1.0, -1.0));
    jet over2 = jet_square(w, jet_scale(w, e[1], 1.0, -1.0));
    jet difference = jet_square(w, jet_sub(w, e[0], e[1]));
    jet sum = jet_add(w, jet_mul(w, over2, near2), jet_mul(w, difference, near1));
    *polar = jet_scale(w, jet_mul(w, over1, near1), TAC_SQ_ROUNDING, TAC_SQ_PLANE);
    *around = jet_scale(w, sum, TAC_SQ_ROUNDING, TAC_SQ_PLANE);
}

// One of the two logarithms of eq. 7, e ln(exp(u/e) + exp(v/e)), and the weights of u and v.
typedef struct sweepJoin {
    jet value, first, second;
} sweepJoin;

JET_FORMULA sweepJoin sweep_join(jetContext w, jet u, jet v, jet e) {
    jet difference = jet_mul(w, jet_sub(w, u, v), jet_rcp(w, e));
    jet E = jet_exp(w, jet_scale(w, jet_abs(w, difference), -1.0, 0.0));
    jet inv = jet_rcp(w, jet_scale(w, E, 1.0, 1.0)), less = jet_mul(w, E, inv);
    sweepJoin j;
    j.value = jet_add(w, jet_select(w, difference.v, u, v), jet_mul(w, e, jet_log1p(w, E)));
    j.first = jet_select(w, difference.v, inv, less);
    j.second = jet_select(w, difference.v, less, inv);
    return j;
}

// w of eq. 5 as a function of the ratio's square, whose derivatives exist at the centre
JET_FORMULA jet sweep_core_weight(jetContext w, jet square) {
    wide ratio = w_sqrt(w_min(square.v + SWEEP_CENTRE, w_set(1.0)));
    wide rest = 1.0 - ratio, rest2 = rest * rest;
    return jet_apply(w, square, core_weight(ratio).w, 70.0 * ratio * ratio * rest * rest2,
                     35.0 * rest2 * (2.0 - 5.0 * ratio));
}

// cap + w(r/c) (raw - cap) near the centre (eq. 5)
JET_FORMULA jet sweep_core(jetContext w, jet raw, jet r2, jet radius, jet cap) {
    wide outside = r2.v - radius.v * radius.v;
    if (!w_any_negative(outside)) return raw;
    jet square = jet_mul(w, r2, jet_square(w, jet_rcp(w, radius)));
    jet lift = jet_mul(w, sweep_core_weight(w, square), jet_sub(w, raw, cap));
    return jet_select(w, outside, raw, jet_add(w, cap, lift));
}

// what a superquadric is made of at one vector of points
typedef struct sweepGauge {
    jet z[3], inv_a[3], v[3], x[3]; // y/a, 1/a, v of eq. 8, x = v - w^2
    jet inverse2, a2;               // sums of 1/a^2 and, for the radial distance, of a^2
    jet ridge[3], grow;             // W^2, and what the core grows by
} sweepGauge;

// W^2 of exponents above 1 adds W^2 Q to each v
JET_FORMULA void sweep_ridges(jetContext w, const jet e[2], sweepGauge* g) {
    jet o1 = sweep_over_one(w, e[0]), both = jet_add(w, o1, sweep_over_one(w, e[1]));
    jet Q = jet_dot3(w, g->z, g->z);
    g->ridge[2] = jet_scale(w, o1, TAC_SQ_RIDGE, 0.0);
    g->ridge[0] = g->ridge[1] = jet_scale(w, both, TAC_SQ_RIDGE, 0.0);
    g->grow = jet_scale(w, both, 3.0, 1.0);
    for (int i = 0; i < 3; ++i) {
        jet more = jet_mul(w, g->ridge[i], Q);
        g->x[i] = jet_add(w, g->x[i], more);
        g->v[i] = jet_add(w, g->v[i], more);
    }
}

JET_FORMULA sweepGauge sweep_gauge(const sweepContext* s, const jet y[3], const jet e[2], jet t) {
    jetContext w = s->w;
    jet w2[3];
    sweep_seam_rounding(w, e, &w2[0], &w2[2]);
    w2[1] = w2[0];
    sweepGauge g;
    g.inverse2 = g.a2 = jet_constant(w_set(0.0));
    for (int i = 0; i < 3; ++i) {
        jet a = sweep_poly(s, TAC_POLY_SIZE + i, t);
        g.inv_a[i] = jet_rcp(w, a);
        g.z[i] = jet_mul(w, y[i], g.inv_a[i]);
        g.x[i] = jet_square(w, g.z[i]);
        g.v[i] = jet_add(w, g.x[i], w2[i]);
        g.inverse2 = jet_add(w, g.inverse2, jet_square(w, g.inv_a[i]));
        if (s->at->radial) g.a2 = jet_add(w, g.a2, jet_square(w, a));
    }
    if (s->at->ridged) sweep_ridges(w, e, &g);
    return g;
}

// slope^2 of eq. 10: sum of k_i^2 x_i/(a_i v_i)^2
JET_FORMULA jet sweep_slope2(const sweepContext* s, const sweepGauge* g, const jet k[3]) {
    jetContext w = s->w;
    jet p2 = jet_scale(w, g->inverse2, TAC_SQ_PLANE, 0.0);
    for (int i = 0; i < 3; ++i) {
        jet face = jet_mul(w, jet_mul(w, k[i], g->inv_a[i]), jet_rcp(w, g->v[i]));
        p2 = jet_add(w, p2, jet_mul(w, jet_square(w, face), g->x[i]));
    }
    return p2;
}

// eq. 5 to 12 with semi-axes and exponents that depend on the point
JET_FORMULA jet sweep_superquadric(const sweepContext* s, const jet y[3], jet t) {
    jetContext w = s->w;
    jet e[2], u[3];
    for (int i = 0; i < 2; ++i) e[i] = sweep_poly(s, TAC_POLY_EPS + i, t);
    sweepGauge g = sweep_gauge(s, y, e, t);
    for (int i = 0; i < 3; ++i) u[i] = jet_log(w, g.v[i]);
    sweepJoin around = sweep_join(w, u[0], u[1], e[1]);
    sweepJoin all = sweep_join(w, around.value, u[2], e[0]);
    jet rest = jet_scale(w, jet_exp(w, jet_scale(w, all.value, -0.5, 0.0)), -1.0, 1.0);
    jet kappa = jet_rsqrt(w, g.inverse2), r2 = jet_dot3(w, y, y), raw, cap;
    if (s->at->radial) {
        raw = jet_mul(w, rest, jet_sqrt(w, jet_scale(w, r2, 1.0, SWEEP_CENTRE)));
        cap = jet_scale(w, jet_sqrt(w, jet_scale(w, g.a2, 1.0 / 3.0, 0.0)), -1.0, 0.0);
    } else {
        jet k[3] = {jet_mul(w, all.first, around.first), jet_mul(w, all.first, around.second),
                    all.second};
        raw = jet_mul(w, rest, jet_rsqrt(w, sweep_slope2(s, &g, k)));
        cap = jet_scale(w, kappa, -1.7320508075688772935274463415059, 0.0);
    }
    jet radius = jet_scale(w, kappa, TAC_CORE, 0.0);
    if (s->at->ridged) radius = jet_mul(w, radius, g.grow);
    return sweep_core(w, raw, r2, radius, cap);
}

//---------------------------------- solid at t -----------------------------------

// smooth minimum (sign 1) or maximum (-1) of two
JET_FORMULA jet sweep_blend(const sweepContext* s, jet a, jet b, double sign) {
    jetContext w = s->w;
    jet difference = jet_sub(w, b, a),
        scaled = jet_times(w, difference, sweep_in(s, TAC_IN_INV_TAU));
    jet E = jet_exp(w, jet_scale(w, jet_abs(w, scaled), -1.0, 0.0));
    jet least = jet_select(w, sign * difference.v, a, b);
    jet shift = jet_times(w, jet_log1p(w, E), sweep_in(s, TAC_IN_TAU));
    return jet_sum(w, 1.0, least, -sign, shift);
}

JET_FORMULA jet sweep_plane(const sweepContext* s, int k, const jet y[3], jet t) {
    jetContext w = s->w;
    int first = TAC_POLY_PLANE + 4 * k;
    jet n[3];
    for (int i = 0; i < 3; ++i) n[i] = sweep_poly(s, first + i, t);
    jet height = jet_mul(w, jet_dot3(w, n, y), jet_rsqrt(w, jet_dot3(w, n, n)));
    return jet_sub(w, height, sweep_poly(s, first + 3, t));
}

// the solid that stands at p(t)
JET_FORMULA jet sweep_psq(const sweepContext* s, const jet x[3], jet t) {
    jet y[3];
    sweep_local(s, x, t, y);
    if (s->at->twisted || s->w.mode >= JET_DOT) sweep_twist(s, t, y);
    jet phi = sweep_superquadric(s, y, t);
    for (int k = 0; k < s->at->planes; ++k)
        phi = sweep_blend(s, phi, sweep_plane(s, k, y, t), -1.0);
    return phi;
}

//---------------------------------- field ----------------------------------------

// 1 for feet apart, 2 for equal ones: what the sum of both is divided by
JET_FORMULA jet sweep_count(jetContext w, jet t, jet other) {
    jet difference = jet_square(w, jet_scale(w, jet_sub(w, t, other), 1.0 / SWEEP_DISTINCT, 0.0));
    jet once = jet_square(w, jet_rcp(w, jet_scale(w, difference, 1.0, 1.0)));
    return jet_scale(w, once, 1.0, 1.0);
}

JET_FORMULA jet sweep_phi(const sweepContext* s, const jet x[3]) {
    jetContext w = s->w;
    sweepCubic q = sweep_cubic(s, x);
    jet lift = sweep_lift(w, &q, 1.0), lift_other = sweep_lift(w, &q, -1.0);
    jet t = sweep_clip(s, sweep_foot(s, &q, lift, 1.0));
    jet phi, phi_other;
    s->solid(s, x, &t, &phi);
    wide one_foot = -(lift.v + lift_other.v); // nothing is lifted: both are the same root
    if (!w_any_negative(one_foot)) return phi;

    jet other = sweep_clip(s, sweep_foot(s, &q, lift_other, -1.0));
    jet count = jet_log(w, sweep_count(w, t, other));
    s->solid(s, x, &other, &phi_other);
    jet both = sweep_blend(s, phi, phi_other, 1.0);
    both = jet_add(w, both, jet_times(w, count, sweep_in(s, TAC_IN_TAU)));
    return jet_select(w, one_foot, phi, both);
}

// coordinates of the point as jets
JET_FORMULA void sweep_point(const wide y[3], jet x[3]) {
    for (int i = 0; i < 3; ++i) {
        x[i] = jet_constant(y[i]);
        x[i].d[i] = w_set(1.0);
    }
}

#endif
