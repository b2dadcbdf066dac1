// The point-plane law for one point: lane 0 of point_plane.h.

#include "respond/point_plane.h"

#include "math/vec3.h"
#include "tactus/respond.h"

static tacReal first(wide x) { return w_lane(x, 0); }

static tacVec3 first3(const wide x[3]) { return (tacVec3){first(x[0]), first(x[1]), first(x[2])}; }

static void set3(wide out[3], tacVec3 a) {
    out[0] = w_set(a.x);
    out[1] = w_set(a.y);
    out[2] = w_set(a.z);
}

static planeLaw law_of(const tacPlaneLaw* law) {
    return (planeLaw){w_set(law->k),   w_set(law->v_d),  w_set(law->v_s), w_set(law->mu),
                      w_set(law->eps), w_set(law->give), law->published,  law->ahead};
}

static planeState state_of(const tacPlaneState* at) {
    planeState s = {.phi = w_set(at->phi), .h = w_set(at->h)};
    set3(s.n, at->n);
    set3(s.v, at->v);
    set3(s.y, at->y);
    return s;
}

tacVec3 tac_point_plane(const tacPlaneLaw* law, const tacPlaneState* at) {
    planeLaw l = law_of(law);
    planeState s = state_of(at);
    return first3(plane_force(&l, &s).f);
}

tacVec3 tac_point_plane_jvp(const tacPlaneLaw* law, const tacPlaneState* at,
                            const tacPlaneLaw* law_dot, const tacPlaneState* at_dot) {
    planeLaw l = law_of(law), l_dot = law_of(law_dot);
    planeState s = state_of(at), s_dot = state_of(at_dot);
    planeForce r = plane_force(&l, &s);
    wide f[3];
    plane_force_jvp(&l, &s, &r, &s_dot, &l_dot, f);
    return first3(f);
}

void tac_point_plane_vjp(const tacPlaneLaw* law, const tacPlaneState* at, tacVec3 f_bar,
                         tacPlaneLaw* law_bar, tacPlaneState* at_bar) {
    planeLaw l = law_of(law), l_bar = law_of(law_bar);
    planeState s = state_of(at), s_bar = state_of(at_bar);
    planeForce r = plane_force(&l, &s);
    wide f[3];
    set3(f, f_bar);
    plane_force_vjp(&l, &s, &r, f, &s_bar, &l_bar);
    law_bar->k = first(l_bar.k);
    law_bar->v_d = first(l_bar.v_d);
    law_bar->v_s = first(l_bar.v_s);
    law_bar->mu = first(l_bar.mu);
    law_bar->eps = first(l_bar.eps);
    law_bar->give = first(l_bar.give);
    at_bar->phi = first(s_bar.phi);
    at_bar->h = first(s_bar.h);
    at_bar->n = first3(s_bar.n);
    at_bar->v = first3(s_bar.v);
    at_bar->y = first3(s_bar.y);
}
