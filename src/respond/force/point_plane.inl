// The force on a point at a moving plane, on the wide number: a smooth spring with dissipation and
// friction (docs/contact.md, eq. 1 to 5, 9).
//
//   c = k relu(-phi),  x = v_n/v_d,  l = c d(x),  v_n = n . v,  v_t = v - v_n n
//   f = l n - s l v_t,  s = mu g,  g = 1/sqrt(v_s^2 + |v_t|^2)
//
// phi is the signed distance, v the velocity of the point against the plane's body there, relu that
// of width eps. n may be shorter than 1: the force then fades with it, and friction still takes
// energy out.
//
// Implicit: the force at the end of a step of length h in which v changes by y, to first order in
// what stiffens it; y enters by a symmetric negative matrix:
//
//   f = N n - s L q,  N = l - kappa h (v_n + y_n) - rho y_n,  y_n = n . y
//   kappa = -c' d,  rho = c m(x)/v_d,  L = (l + e c m(x))/(1 + e),  e = inv_mass h rho
//   q = (1 - w) v_t + y - y_n n,  w = v_t . y/(v_s^2 + b^2 + v . v_t),  b = 2 inv_mass h mu L
//
// where m, 1 below 0 and 0 above 2, is -d' to 0.03 but has two continuous derivatives. inv_mass is
// the velocity that a unit of impulse makes at a point. Friction is of L: the drag l - c that the
// step stops pushes with (l - c)/(1 + e) in the mean; with mu l friction would put energy in.
// Friction takes a sliding velocity of b within one step. Slower contacts are held by a damper.

#ifndef TAC_RESPOND_FORCE_POINT_PLANE_INL
#define TAC_RESPOND_FORCE_POINT_PLANE_INL

#include "math/wide_vec3.inl"
#include "smooth/soft.inl"

// numbers of the law; as a tangent or an adjoint: of these
typedef struct planeLaw {
    wide k, v_d, v_s, mu, eps, inv_mass;
    int reference; // 1: dissipation with one continuous derivative, as printed
    int implicit;  // 1: y and h of the state count
} planeLaw;

// where it is evaluated
typedef struct planeState {
    wide phi, n[3], v[3];
    wide y[3], h; // of an implicit force
} planeState;

// the force, and what its derivatives need
typedef struct planeForce {
    wide f[3];
    wide c, c_phi, c_eps; // spring, and its slopes
    wide d, d_x, x;       // dissipation, its slope, v_n/v_d
    wide l, g;            // normal force, 1/sqrt(v_s^2 + |v_t|^2)
    wide L;               // normal force that friction is of: l, or that of an implicit force
    wide v_n, v_t[3];

    // of an implicit force; else N = l, q = v_t
    wide N, q[3], y_n, w, r2; // r2 = v_s^2 + b^2 + v . v_t
    wide e, part, b;          // part = 1/(1 + e)
    wide kappa, kappa_phi, kappa_x, kappa_eps;
    wide rho, rho_phi, rho_x, rho_eps;
} planeForce;

//---------------------------------- dissipation ----------------------------------

typedef struct planeDrag {
    wide value, slope;
} planeDrag;

// 1 - x below 0, 0 above 2; between them 1 - x + x^3/6 and (2 - x)^3/6: two continuous derivatives
TAC_INLINE planeDrag plane_drag_smooth(wide x) {
    wide a = 2.0 - x, line = 1.0 - x, zero = w_set(0.0), one = w_set(1.0);
    wide inner = w_select_ge0(x, w_fma(x * x, x * (1.0 / 6.0), line), line);
    wide inner_x = w_select_ge0(x, w_fma(x, 0.5 * x, -one), -one);
    wide outer = w_select_ge0(a, a * a * a * (1.0 / 6.0), zero);
    wide outer_x = w_select_ge0(a, -0.5 * (a * a), zero);
    return (planeDrag){w_select_ge0(x - 1.0, outer, inner),
                       w_select_ge0(x - 1.0, outer_x, inner_x)};
}

// 1 - x below 0, (2 - x)^2/4 up to 2, then 0
TAC_INLINE planeDrag plane_drag_reference(wide x) {
    wide a = 2.0 - x, zero = w_set(0.0);
    wide inner = w_select_ge0(a, 0.25 * (a * a), zero), inner_x = w_select_ge0(a, -0.5 * a, zero);
    return (planeDrag){w_select_ge0(x, inner, 1.0 - x), w_select_ge0(x, inner_x, w_set(-1.0))};
}

//---------------------------------- force ----------------------------------------

// kappa and rho with their slopes; sigma (1 - sigma)/eps is the second slope of relu
TAC_INLINE void plane_stiffen(const planeLaw* law, const planeState* at, planeForce* r) {
    softSigmoids sides = soft_sigmoids(soft_ratio(-at->phi, law->eps));
    softDiff m = soft_mollifier_diff(0.5 * r->x);
    wide c_2 = law->k * sides.above * sides.below / law->eps, by_v = 1.0 / law->v_d;
    wide drag = m.value * by_v;
    r->kappa = -(r->c_phi * r->d);
    r->kappa_phi = -(c_2 * r->d);
    r->kappa_x = -(r->c_phi * r->d_x);
    r->kappa_eps = c_2 * (at->phi / law->eps) * r->d;
    r->rho = r->c * drag;
    r->rho_phi = r->c_phi * drag;
    r->rho_x = 0.5 * r->c * m.d_x * by_v;
    r->rho_eps = r->c_eps * drag;
}

// what friction is of, and the sliding velocity that it takes within the step
TAC_INLINE void plane_press(const planeLaw* law, const planeState* at, planeForce* r) {
    wide step = law->inv_mass * at->h;
    r->e = step * r->rho;
    r->part = 1.0 / (1.0 + r->e);
    r->L = w_fma(r->e, r->rho * law->v_d, r->l) * r->part;
    r->b = 2.0 * step * law->mu * r->L;
}

TAC_INLINE void plane_implicit(const planeLaw* law, const planeState* at, planeForce* r) {
    plane_stiffen(law, at, r);
    plane_press(law, at, r);
    r->y_n = w_dot3(at->n, at->y);
    r->N = r->l - w_fma(r->kappa * at->h, r->v_n + r->y_n, r->rho * r->y_n);
    r->r2 = w_fma(law->v_s, law->v_s, w_fma(r->b, r->b, w_dot3(at->v, r->v_t)));
    r->w = w_dot3(r->v_t, at->y) / r->r2;
    for (int i = 0; i < 3; ++i)
        r->q[i] = w_fma(1.0 - r->w, r->v_t[i], w_fma(-r->y_n, at->n[i], at->y[i]));
}

TAC_INLINE planeForce plane_force(const planeLaw* law, const planeState* at) {
    planeForce r = {.y_n = w_set(0.0)};
    softDiff spring = soft_relu_diff(-at->phi, law->eps);
    r.c = law->k * spring.value;
    r.c_phi = -(law->k * spring.d_x);
    r.c_eps = law->k * spring.d_tau;
    r.v_n = w_dot3(at->n, at->v);
    r.x = r.v_n / law->v_d;
    planeDrag drag = law->reference ? plane_drag_reference(r.x) : plane_drag_smooth(r.x);
    r.d = drag.value;
    r.d_x = drag.slope;
    r.l = r.N = r.L = r.c * r.d;
    for (int i = 0; i < 3; ++i) r.v_t[i] = r.q[i] = w_fma(-r.v_n, at->n[i], at->v[i]);
    r.g = 1.0 / w_sqrt(w_fma(law->v_s, law->v_s, w_dot3(r.v_t, r.v_t)));
    if (law->implicit) plane_implicit(law, at, &r);
    wide s = law->mu * r.g * r.L;
    for (int i = 0; i < 3; ++i) r.f[i] = w_fma(r.N, at->n[i], -(s * r.q[i]));
    return r;
}

// The force along a line, without friction: N of an implicit force or l, and its slope by y. The
// same numbers as plane_force and plane_force_vjp with n = (1, 0, 0), mu = 0.
TAC_INLINE void plane_line(const planeLaw* law, const planeState* at, wide* f, wide* by_y) {
    planeForce r = {.y_n = at->y[0], .v_n = at->v[0]};
    softDiff spring = soft_relu_diff(-at->phi, law->eps);
    r.c = law->k * spring.value;
    r.c_phi = -(law->k * spring.d_x);
    r.c_eps = law->k * spring.d_tau;
    r.x = r.v_n / law->v_d;
    planeDrag drag = plane_drag_smooth(r.x);
    r.d = drag.value;
    r.d_x = drag.slope;
    *f = r.c * r.d;
    *by_y = w_set(0.0);
    if (!law->implicit) return;
    plane_stiffen(law, at, &r);
    *f = *f - w_fma(r.kappa * at->h, r.v_n + r.y_n, r.rho * r.y_n);
    *by_y = -w_fma(r.kappa, at->h, r.rho);
}

//---------------------------------- derivatives ----------------------------------

// a force with what it was evaluated at
typedef struct planePoint {
    const planeLaw* law;
    const planeState* at;
    const planeForce* r;
} planePoint;

// tangents of the state and of the law (NULL: none)
typedef struct planeDot {
    const planeState* at;
    const planeLaw* law;
} planeDot;

// adjoints that are added to, of the state and of the law (NULL: not asked for)
typedef struct planeBar {
    planeState* at;
    planeLaw* law;
} planeBar;

// tangents of L and b, from those of l and rho
TAC_INLINE wide plane_press_jvp(planePoint p, planeDot d, wide l, wide rho, wide* b) {
    const planeLaw *law = p.law, *law_dot = d.law;
    const planeState *at = p.at, *dot = d.at;
    const planeForce* r = p.r;
    wide step = law->inv_mass * at->h, step_dot = law->inv_mass * dot->h, held = rho * law->v_d;
    if (law_dot) {
        step_dot = w_fma(law_dot->inv_mass, at->h, step_dot);
        held = w_fma(r->rho, law_dot->v_d, held);
    }
    wide e = w_fma(step, rho, step_dot * r->rho);
    wide L = r->part * (l + w_fma(r->e, held, (r->rho * law->v_d - r->L) * e));
    *b = 2.0 * law->mu * w_fma(step, L, step_dot * r->L);
    if (law_dot) *b = w_fma(2.0 * step * r->L, law_dot->mu, *b);
    return L;
}

// tangent of w; v_t and b are those of v_t and b
TAC_INLINE wide plane_slip_jvp(planePoint p, planeDot d, const wide v_t[3], wide b) {
    const planeLaw* law_dot = d.law;
    const planeState *at = p.at, *dot = d.at;
    const planeForce* r = p.r;
    wide z = w_dot3(v_t, at->y) + w_dot3(r->v_t, dot->y);
    wide r2 = w_dot3(dot->v, r->v_t) + w_dot3(at->v, v_t) + 2.0 * r->b * b;
    if (law_dot) r2 = r2 + 2.0 * p.law->v_s * law_dot->v_s;
    return (z - r->w * r2) / r->r2;
}

// tangent of what N has beside l; L holds that of l and becomes its own, q that of v_t likewise
TAC_INLINE wide plane_implicit_jvp(planePoint p, planeDot d, wide x, wide v_n, wide q[3], wide* L) {
    const planeLaw *law = p.law, *law_dot = d.law;
    const planeState *at = p.at, *dot = d.at;
    const planeForce* r = p.r;
    wide y_n = w_dot3(dot->n, at->y) + w_dot3(at->n, dot->y), sum = r->v_n + r->y_n;
    wide kappa = w_fma(r->kappa_phi, dot->phi, r->kappa_x * x);
    wide rho = w_fma(r->rho_phi, dot->phi, r->rho_x * x);
    if (law_dot) {
        wide k = law_dot->k / law->k;
        kappa = kappa + r->kappa * k + r->kappa_eps * law_dot->eps;
        rho = rho + r->rho * (k - law_dot->v_d / law->v_d) + r->rho_eps * law_dot->eps;
    }
    wide b;
    *L = plane_press_jvp(p, d, *L, rho, &b);
    wide w = plane_slip_jvp(p, d, q, b);
    for (int i = 0; i < 3; ++i) {
        wide slip = w_fma(1.0 - r->w, q[i], -(w * r->v_t[i]));
        q[i] = slip + dot->y[i] - w_fma(y_n, at->n[i], r->y_n * dot->n[i]);
    }
    wide kappa_h = w_fma(kappa, at->h, r->kappa * dot->h);
    return -(kappa_h * sum) - r->kappa * at->h * (v_n + y_n) - rho * r->y_n - r->rho * y_n;
}

// f_dot along tangents of the state and of the law (NULL: none)
TAC_INLINE void plane_force_jvp(const planeLaw* law, const planeState* at, const planeForce* r,
                                const planeState* dot, const planeLaw* law_dot, wide f_dot[3]) {
    wide v_n = w_dot3(dot->n, at->v) + w_dot3(at->n, dot->v);
    wide x = v_n / law->v_d, c = r->c_phi * dot->phi, g3 = r->g * r->g * r->g, q[3];
    for (int i = 0; i < 3; ++i) q[i] = dot->v[i] - w_fma(v_n, at->n[i], r->v_n * dot->n[i]);
    wide speed = w_dot3(r->v_t, q), s = law->mu * r->g, s_dot = w_set(0.0);
    if (law_dot) {
        x = x - r->x * law_dot->v_d / law->v_d;
        c = c + r->c / law->k * law_dot->k + r->c_eps * law_dot->eps;
        speed = speed + law->v_s * law_dot->v_s;
        s_dot = r->g * law_dot->mu;
    }
    s_dot = w_fma(-law->mu * g3, speed, s_dot);
    wide l = w_fma(c, r->d, r->c * r->d_x * x), N = l, L = l;
    if (law->implicit)
        N = N +
            plane_implicit_jvp((planePoint){law, at, r}, (planeDot){dot, law_dot}, x, v_n, q, &L);
    wide sl = s * r->L, sl_dot = w_fma(s, L, s_dot * r->L);
    for (int i = 0; i < 3; ++i)
        f_dot[i] = w_fma(N, at->n[i], r->N * dot->n[i]) - w_fma(sl_dot, r->q[i], sl * q[i]);
}

// through w: q holds the adjoint of q and becomes that of v_t; returns that of b
TAC_INLINE wide plane_slip_vjp(planePoint p, wide q[3], planeBar sum) {
    const planeState* at = p.at;
    const planeForce* r = p.r;
    planeState* bar = sum.at;
    wide z = -(w_dot3(r->v_t, q) / r->r2), r2 = -(r->w * z);
    for (int i = 0; i < 3; ++i) {
        bar->y[i] = w_fma(z, r->v_t[i], bar->y[i]);
        bar->v[i] = w_fma(r2, r->v_t[i], bar->v[i]);
        q[i] = w_fma(1.0 - r->w, q[i], w_fma(z, at->y[i], r2 * at->v[i]));
    }
    if (sum.law) sum.law->v_s = sum.law->v_s + 2.0 * p.law->v_s * r2;
    return 2.0 * r->b * r2;
}

// adjoints of l and, returned, rho, from those of L and b
TAC_INLINE wide plane_press_vjp(planePoint p, wide L, wide b, planeBar sum, wide* l) {
    const planeLaw* law = p.law;
    const planeState* at = p.at;
    const planeForce* r = p.r;
    planeState* bar = sum.at;
    planeLaw* law_bar = sum.law;
    wide step = law->inv_mass * at->h, all = r->part * w_fma(2.0 * step * law->mu, b, L);
    wide e = (r->rho * law->v_d - r->L) * all,
         step_bar = w_fma(2.0 * law->mu * r->L, b, e * r->rho);
    *l = all;
    bar->h = w_fma(law->inv_mass, step_bar, bar->h);
    if (law_bar) {
        law_bar->inv_mass = w_fma(at->h, step_bar, law_bar->inv_mass);
        law_bar->mu = w_fma(2.0 * step * r->L, b, law_bar->mu);
        law_bar->v_d = w_fma(r->rho * r->e, all, law_bar->v_d);
    }
    return w_fma(step, e, law->v_d * r->e * all);
}

// adjoints of v_n and x = v_n/v_d
typedef struct planeSpeedBar {
    wide v_n, x;
} planeSpeedBar;

// Of an implicit force, from adjoints of N, L and q. That of L becomes that of l, that of q that
// of v_t.
TAC_INLINE planeSpeedBar plane_implicit_vjp(planePoint p, wide N, wide* L, wide q[3],
                                            planeBar sum_bar) {
    const planeLaw* law = p.law;
    const planeState* at = p.at;
    const planeForce* r = p.r;
    planeState* bar = sum_bar.at;
    planeLaw* law_bar = sum_bar.law;
    wide sum = r->v_n + r->y_n, kappa = -(at->h * sum * N);
    wide y_n = -(N * w_fma(r->kappa, at->h, r->rho)) - w_dot3(at->n, q);
    for (int i = 0; i < 3; ++i) {
        bar->y[i] = bar->y[i] + w_fma(y_n, at->n[i], q[i]);
        bar->n[i] = bar->n[i] + w_fma(y_n, at->y[i], -(r->y_n * q[i]));
    }
    wide b = plane_slip_vjp(p, q, sum_bar);
    wide rho = plane_press_vjp(p, *L, b, sum_bar, L) - r->y_n * N;
    planeSpeedBar out = {-(r->kappa * at->h * N), w_fma(r->kappa_x, kappa, r->rho_x * rho)};
    bar->h = bar->h - r->kappa * sum * N;
    bar->phi = bar->phi + w_fma(r->kappa_phi, kappa, r->rho_phi * rho);
    if (!law_bar) return out;
    law_bar->k = law_bar->k + w_fma(r->kappa, kappa, r->rho * rho) / law->k;
    law_bar->eps = law_bar->eps + w_fma(r->kappa_eps, kappa, r->rho_eps * rho);
    law_bar->v_d = law_bar->v_d - r->rho * rho / law->v_d;
    return out;
}

// adds to adjoints of the state and of the law (NULL: not asked for)
TAC_INLINE void plane_force_vjp(const planeLaw* law, const planeState* at, const planeForce* r,
                                const wide f_bar[3], planeState* bar, planeLaw* law_bar) {
    wide s = law->mu * r->g, g3 = r->g * r->g * r->g, N = w_dot3(at->n, f_bar);
    wide sl = -w_dot3(r->q, f_bar), L = s * sl, s_bar = r->L * sl;
    wide q[3], speed = -(law->mu * g3 * s_bar);
    planeSpeedBar way = {w_set(0.0), w_set(0.0)};
    for (int i = 0; i < 3; ++i) q[i] = -(s * r->L * f_bar[i]);
    if (law->implicit)
        way = plane_implicit_vjp((planePoint){law, at, r}, N, &L, q, (planeBar){bar, law_bar});
    wide l = N + L, c = l * r->d;
    wide x = w_fma(l * r->c, r->d_x, way.x);
    for (int i = 0; i < 3; ++i) q[i] = w_fma(speed, r->v_t[i], q[i]);
    wide v_n = way.v_n + x / law->v_d - w_dot3(q, at->n);
    bar->phi = w_fma(c, r->c_phi, bar->phi);
    for (int i = 0; i < 3; ++i) {
        bar->n[i] = bar->n[i] + w_fma(r->N, f_bar[i], w_fma(v_n, at->v[i], -(r->v_n * q[i])));
        bar->v[i] = bar->v[i] + w_fma(v_n, at->n[i], q[i]);
    }
    if (!law_bar) return;
    law_bar->k = law_bar->k + c * r->c / law->k;
    law_bar->eps = law_bar->eps + c * r->c_eps;
    law_bar->v_d = law_bar->v_d - x * r->x / law->v_d;
    law_bar->v_s = law_bar->v_s + speed * law->v_s;
    law_bar->mu = law_bar->mu + s_bar * r->g;
}

#endif
