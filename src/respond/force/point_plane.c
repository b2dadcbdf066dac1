// The point-plane law for one point: lane 0 of point_plane.inl.

#include "respond/force/point_plane.inl"
#include "respond/force/point_plane_lines.h"

#include "math/vec3.h"
#include "tactus/respond.h"

static tacReal first_lane(wide x) { return w_lane(x, 0); }

static tacVec3 first_lane3(const wide x[3]) {
    return (tacVec3){first_lane(x[0]), first_lane(x[1]), first_lane(x[2])};
}

static void set_wide3(wide out[3], tacVec3 a) {
    out[0] = w_set(a.x);
    out[1] = w_set(a.y);
    out[2] = w_set(a.z);
}

static planeLaw wide_law(const tacPlaneLaw* law) {
    return (planeLaw){w_set(law->k),   w_set(law->v_d),      w_set(law->v_s), w_set(law->mu),
                      w_set(law->eps), w_set(law->inv_mass), law->reference,  law->implicit};
}

static planeState wide_state(const tacPlaneState* at) {
    planeState s = {.phi = w_set(at->phi), .h = w_set(at->h)};
    set_wide3(s.n, at->n);
    set_wide3(s.v, at->v);
    set_wide3(s.y, at->y);
    return s;
}

tacVec3 tac_point_plane(const tacPlaneLaw* law, const tacPlaneState* at) {
    planeLaw l = wide_law(law);
    planeState s = wide_state(at);
    return first_lane3(plane_force(&l, &s).f);
}

tacVec3 tac_point_plane_jvp(const tacPlaneLaw* law, const tacPlaneState* at,
                            const tacPlaneLaw* law_dot, const tacPlaneState* at_dot) {
    planeLaw l = wide_law(law), l_dot = wide_law(law_dot);
    planeState s = wide_state(at), s_dot = wide_state(at_dot);
    planeForce r = plane_force(&l, &s);
    wide f[3];
    plane_force_jvp(&l, &s, &r, &s_dot, &l_dot, f);
    return first_lane3(f);
}

void tac_point_plane_vjp(const tacPlaneLaw* law, const tacPlaneState* at, tacVec3 f_bar,
                         tacPlaneLaw* law_bar, tacPlaneState* at_bar) {
    planeLaw l = wide_law(law), l_bar = wide_law(law_bar);
    planeState s = wide_state(at), s_bar = wide_state(at_bar);
    planeForce r = plane_force(&l, &s);
    wide f[3];
    set_wide3(f, f_bar);
    plane_force_vjp(&l, &s, &r, f, &s_bar, &l_bar);
    law_bar->k = first_lane(l_bar.k);
    law_bar->v_d = first_lane(l_bar.v_d);
    law_bar->v_s = first_lane(l_bar.v_s);
    law_bar->mu = first_lane(l_bar.mu);
    law_bar->eps = first_lane(l_bar.eps);
    law_bar->inv_mass = first_lane(l_bar.inv_mass);
    at_bar->phi = first_lane(s_bar.phi);
    at_bar->h = first_lane(s_bar.h);
    at_bar->n = first_lane3(s_bar.n);
    at_bar->v = first_lane3(s_bar.v);
    at_bar->y = first_lane3(s_bar.y);
}

void tac_point_plane_lines(const tacPlaneLaw* law, tacReal h, tacPlaneLines* lines) {
    planeLaw l = wide_law(law);
    planeState s = {.h = w_set(h)};
    for (int i = lines->count; i < lines->count + TAC_LANES - 1 && lines->count; ++i) {
        lines->k[i] = lines->k[0]; // lanes without a line
        lines->phi[i] = lines->phi[0];
        lines->v[i] = lines->v[0];
        lines->y[i] = lines->y[0];
    }
    for (int i = 0; i < lines->count; i += TAC_LANES) {
        wide f, by_y;
        l.k = w_load(&lines->k[i]);
        s.phi = w_load(&lines->phi[i]);
        s.v[0] = w_load(&lines->v[i]);
        s.y[0] = w_load(&lines->y[i]);
        plane_line(&l, &s, &f, &by_y);
        w_store(&lines->f[i], f);
        w_store(&lines->by_y[i], by_y);
    }
}
