// The force on a point at a moving plane, on the wide number: a smooth spring with dissipation and
// friction (docs/contact.md, eq. 1 to 5).
//
//   c = k relu(-phi),  x = n . v/v_d,  l = c d(x),  g = 1/sqrt(v_s^2 + |v_t|^2),  v_t = v - (n . v)
//   n f = l (n - mu g v_t)
//
// phi is the signed distance, v the velocity of the point against the plane's body there, relu that
// of width eps. n may be shorter than 1: the force then fades with it, and friction still takes
// energy out.

#ifndef TAC_RESPOND_POINT_PLANE_H
#define TAC_RESPOND_POINT_PLANE_H

#include "smooth/soft.h"

// numbers of the law; as a tangent or an adjoint: of these
typedef struct planeLaw {
    wide k, v_d, v_s, mu, eps;
    int published; // 1: dissipation with one continuous derivative, as printed
} planeLaw;

// where it is evaluated
typedef struct planeState {
    wide phi, n[3], v[3];
} planeState;

// the force, and what its derivatives need
typedef struct planeForce {
    wide f[3];
    wide c, c_phi, c_eps;   // spring, and its slopes
    wide d, d_x, x;         // dissipation, its slope, n . v/v_d
    wide l, g;              // normal force, 1/sqrt(v_s^2 + |v_t|^2)
    wide v_n, v_t[3], u[3]; // u = n - mu g v_t
} planeForce;

TAC_INLINE wide plane_dot(const wide a[3], const wide b[3]) {
    return w_fma(a[0], b[0], w_fma(a[1], b[1], a[2] * b[2]));
}

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
TAC_INLINE planeDrag plane_drag_published(wide x) {
    wide a = 2.0 - x, zero = w_set(0.0);
    wide inner = w_select_ge0(a, 0.25 * (a * a), zero), inner_x = w_select_ge0(a, -0.5 * a, zero);
    return (planeDrag){w_select_ge0(x, inner, 1.0 - x), w_select_ge0(x, inner_x, w_set(-1.0))};
}

//---------------------------------- force ----------------------------------------

TAC_INLINE planeForce plane_force(const planeLaw* law, const planeState* at) {
    planeForce r;
    softDiff spring = soft_relu_diff(-at->phi, law->eps);
    r.c = law->k * spring.value, r.c_phi = -(law->k * spring.d_x), r.c_eps = law->k * spring.d_tau;
    r.v_n = plane_dot(at->n, at->v), r.x = r.v_n / law->v_d;
    planeDrag drag = law->published ? plane_drag_published(r.x) : plane_drag_smooth(r.x);
    r.d = drag.value, r.d_x = drag.slope, r.l = r.c * r.d;
    for (int i = 0; i < 3; ++i) r.v_t[i] = w_fma(-r.v_n, at->n[i], at->v[i]);
    r.g = 1.0 / w_sqrt(w_fma(law->v_s, law->v_s, plane_dot(r.v_t, r.v_t)));
    wide s = law->mu * r.g;
    for (int i = 0; i < 3; ++i) r.u[i] = w_fma(-s, r.v_t[i], at->n[i]), r.f[i] = r.l * r.u[i];
    return r;
}

//---------------------------------- derivatives ----------------------------------

// f_dot along tangents of the state and of the law (NULL: none)
TAC_INLINE void plane_force_jvp(const planeLaw* law, const planeState* at, const planeForce* r,
                                const planeState* dot, const planeLaw* law_dot, wide f_dot[3]) {
    wide v_n = plane_dot(dot->n, at->v) + plane_dot(at->n, dot->v);
    wide x = v_n / law->v_d, c = r->c_phi * dot->phi, g3 = r->g * r->g * r->g;
    wide v_t[3], s = law->mu * r->g;
    for (int i = 0; i < 3; ++i) v_t[i] = dot->v[i] - w_fma(v_n, at->n[i], r->v_n * dot->n[i]);
    wide speed = plane_dot(r->v_t, v_t), s_dot = w_set(0.0);
    if (law_dot) {
        x = x - r->x * law_dot->v_d / law->v_d;
        c = c + r->c / law->k * law_dot->k + r->c_eps * law_dot->eps;
        speed = speed + law->v_s * law_dot->v_s;
        s_dot = r->g * law_dot->mu;
    }
    s_dot = w_fma(-law->mu * g3, speed, s_dot);
    wide l = w_fma(c, r->d, r->c * r->d_x * x);
    for (int i = 0; i < 3; ++i) {
        wide u = dot->n[i] - w_fma(s, v_t[i], s_dot * r->v_t[i]);
        f_dot[i] = w_fma(l, r->u[i], r->l * u);
    }
}

// adds to adjoints of the state and of the law (NULL: not asked for)
TAC_INLINE void plane_force_vjp(const planeLaw* law, const planeState* at, const planeForce* r,
                                const wide f_bar[3], planeState* bar, planeLaw* law_bar) {
    wide l = plane_dot(r->u, f_bar), s = law->mu * r->g, g3 = r->g * r->g * r->g;
    wide c = l * r->d, x = l * r->c * r->d_x;
    wide s_bar = -(r->l * plane_dot(r->v_t, f_bar)), speed = -(law->mu * g3 * s_bar);
    wide v_t[3], v_n = x / law->v_d;
    for (int i = 0; i < 3; ++i) v_t[i] = w_fma(speed, r->v_t[i], -(r->l * s * f_bar[i]));
    v_n = v_n - plane_dot(v_t, at->n);
    bar->phi = w_fma(c, r->c_phi, bar->phi);
    for (int i = 0; i < 3; ++i) {
        bar->n[i] = bar->n[i] + w_fma(r->l, f_bar[i], w_fma(v_n, at->v[i], -(r->v_n * v_t[i])));
        bar->v[i] = bar->v[i] + w_fma(v_n, at->n[i], v_t[i]);
    }
    if (!law_bar) return;
    law_bar->k = law_bar->k + c * r->c / law->k;
    law_bar->eps = law_bar->eps + c * r->c_eps;
    law_bar->v_d = law_bar->v_d - x * r->x / law->v_d;
    law_bar->v_s = law_bar->v_s + speed * law->v_s;
    law_bar->mu = law_bar->mu + s_bar * r->g;
}

#endif
