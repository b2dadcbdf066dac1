// Frames of contacts, their rows and derivatives.

#include "respond/lcp/contact_frame.h"

#include "detect/convex_contacts.h"
#include "dynamics/dynamics.h"

#include <math.h>
#include <string.h>

// slower than this the sliding velocity has no direction                            [m/s]
static const double slip_tolerance = 1e-6;

//---------------------------------- frame ----------------------------------

static tacTwist twist_about(const tacMotion* m, int body, const tacReal* own, tacVec3 point) {
    if (body == 0) return tac_twist_zero();
    return tac_twist_shift(tac_twist_load(own), tac_load3(m->origin + 3 * body), point);
}

static tacTwist body_velocity(const tacMotion* m, int body, tacVec3 point) {
    return twist_about(m, body, m->vel + 6 * body, point);
}

tacVec3 tac_point_velocity(const tacMotion* m, int body, tacVec3 point) {
    return body_velocity(m, body, point).linear;
}

tacVec3 tac_body_angvel(const tacMotion* m, int body) {
    return body == 0 ? tac_vec3_zero() : tac_twist_load(m->vel + 6 * body).angular;
}

tacVec3 tac_contact_frame_velocity(const tacContactFrame* c, const tacMotion* m) {
    return tac_sub(body_velocity(m, c->body[1], c->point).linear,
                   body_velocity(m, c->body[0], c->point).linear);
}

// part of a across the unit vector n
static tacVec3 tangential_part(tacVec3 a, tacVec3 n) {
    return tac_add_scaled(a, -tac_dot(a, n), n);
}

// the axis of the world that is furthest from n
static tacVec3 far_axis(tacVec3 n) {
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    if (x <= y && x <= z) return tac_vec3(1.0, 0.0, 0.0);
    return y <= z ? tac_vec3(0.0, 1.0, 0.0) : tac_vec3(0.0, 0.0, 1.0);
}

static void set_frame_tangents(tacContactFrame* c, tacVec3 velocity) {
    tacVec3 n = c->axis[0];
    c->slides = tac_norm(tangential_part(velocity, n)) > slip_tolerance;
    c->along = c->slides ? velocity : far_axis(n);
    tacVec3 s = tangential_part(c->along, n);
    c->width = tac_norm(s);
    c->axis[1] = tac_scale(s, 1.0 / c->width);
    c->axis[2] = tac_cross(n, c->axis[1]);
}

// Of a vertex over a face, impulses act at the face: -1 if that is of body[0], 1 of body[1]; else
// 0, halfway. The points of several vertices over one face lie in its plane then. Halfway they
// would be at heights of their own, and a body that tilts onto the face could stick at none of
// them: rows of tangents would contradict one another.
static double face_side(uint64_t feature) {
    if (tac_feature_contact_kind(feature) != TAC_FEATURE_CONTACT_FACE) return 0.0;
    return tac_feature_contact_side_kind(feature, 0) == TAC_CONVEX_FEATURE_FACE ? -1.0 : 1.0;
}

// The point moves by r n, r = side distance/2, and its derivative with it: x' = x + r n. A twist
// about x' moves x by v - w x r n.
static void move_to_face(tacContactFrame* c) {
    tacVec3 n = c->axis[0];
    double side = c->side, r = 0.5 * side * c->distance, axis[3], normal[3] = {n.x, n.y, n.z};
    c->point = tac_add_scaled(c->point, r, n);
    for (int j = 0; j < 3; ++j) {
        tacVec3 e = tac_vec3(j == 0, j == 1, j == 2);
        tac_store3(axis, tac_scale(tac_cross(e, n), -r));
        for (int row = 0; row < 7; ++row)
            for (int i = 0; i < 3; ++i) c->D[6 * row + 3 + j] += c->D[6 * row + i] * axis[i];
    }
    for (int k = 0; k < 6; ++k)
        for (int i = 0; i < 3; ++i)
            c->D[6 * i + k] += r * c->D[6 * (3 + i) + k] + 0.5 * side * c->D[36 + k] * normal[i];
}

tacContactFrame tac_contact_frame(const tacContacts* contacts, int i, const int body[2],
                                  const tacMotion* before) {
    tacContactFrame c = {.body = {body[0], body[1]}, .distance = contacts->distance[i]};
    c.point = tac_vec3(contacts->point[0][i], contacts->point[1][i], contacts->point[2][i]);
    c.axis[0] = tac_vec3(contacts->normal[0][i], contacts->normal[1][i], contacts->normal[2][i]);
    for (int k = 0; k < 42 && contacts->d_twist[0][0]; ++k)
        c.D[k] = contacts->d_twist[k / 6][k % 6][i];
    c.side = face_side(contacts->feature[i]);
    if (c.side != 0.0) move_to_face(&c);
    set_frame_tangents(&c, tac_contact_frame_velocity(&c, before));
    return c;
}

//---------------------------------- rows ----------------------------------

void tac_contact_frame_rows(const tacModel* model, const tacMotion* m, const tacContactFrame* c,
                            tacReal* J) {
    int nv = model->nv;
    memset(J, 0, sizeof *J * (size_t)(3 * nv));
    for (int side = 0; side < 2; ++side) {
        int body = c->body[side];
        double sign = side ? 1.0 : -1.0;
        for (int k = tac_last_dof(model, body); k >= 0; k = model->dof[k].parent) {
            tacVec3 v = twist_about(m, body, m->S + 6 * k, c->point).linear;
            for (int i = 0; i < 3; ++i) J[i * nv + k] += sign * tac_dot(c->axis[i], v);
        }
    }
}

static tacVec3 frame_force(const tacContactFrame* c, const tacReal f[3]) {
    tacVec3 F = tac_scale(c->axis[0], f[0]);
    return tac_add_scaled(tac_add_scaled(F, f[1], c->axis[1]), f[2], c->axis[2]);
}

static void add_wrench_to_both(const tacContactFrame* c, double scale, tacVec3 F, tacVec3 torque,
                               tacReal* wrench) {
    for (int side = 0; side < 2; ++side) {
        tacReal* at = wrench + 6 * c->body[side];
        tacWrench w = {F, torque};
        tac_wrench_store(at, tac_wrench_add_scaled(tac_wrench_load(at), side ? scale : -scale, w));
    }
}

void tac_contact_frame_add_wrench(const tacContactFrame* c, const tacReal f[3], double scale,
                                  tacReal* wrench) {
    tacVec3 F = frame_force(c, f);
    add_wrench_to_both(c, scale, F, tac_cross(c->point, F), wrench);
}

//---------------------------------- forward ----------------------------------

enum {
    DISPLACEMENT = 24,
    DISPLACEMENT_RATE = 6
}; // numbers a body in m->work after inverse_jvp: D, e, ...

// change of a body's velocity at a point that itself moves
static tacVec3 velocity_dot(const tacMotion* m, int body, tacVec3 point, tacVec3 point_dot) {
    if (body == 0) return tac_vec3_zero();
    const tacReal* displacement = m->work + DISPLACEMENT * body;
    tacTwist V = body_velocity(m, body, point), D = twist_about(m, body, displacement, point);
    tacTwist dV = tac_twist_add(tac_cross_motion(D, V),
                                twist_about(m, body, displacement + DISPLACEMENT_RATE, point));
    return tac_add(dV.linear, tac_cross(V.angular, point_dot));
}

tacVec3 tac_point_velocity_dot(const tacMotion* m, int body, tacVec3 point, tacVec3 point_dot) {
    return velocity_dot(m, body, point, point_dot);
}

tacVec3 tac_point_displacement(const tacMotion* m, int body, tacVec3 point) {
    return twist_about(m, body, m->work + DISPLACEMENT * body, point).linear;
}

tacVec3 tac_body_rotation_dot(const tacMotion* m, int body) {
    return body == 0 ? tac_vec3_zero() : tac_twist_load(m->work + DISPLACEMENT * body).angular;
}

tacVec3 tac_body_angvel_dot(const tacMotion* m, int body) {
    if (body == 0) return tac_vec3_zero();
    tacVec3 e = tac_twist_load(m->work + DISPLACEMENT * body + DISPLACEMENT_RATE).angular;
    return tac_add(e, tac_cross(tac_body_rotation_dot(m, body), tac_body_angvel(m, body)));
}

static tacVec3 relative_velocity_dot(const tacContactFrame* c, const tacMotion* m,
                                     tacVec3 point_dot) {
    return tac_sub(velocity_dot(m, c->body[1], c->point, point_dot),
                   velocity_dot(m, c->body[0], c->point, point_dot));
}

// dt1 = -(dn.t1) n + k t2, dt2 = -(dn.t2) n - k t1, k = t2.(ds - (s.n) dn)/width
static void tangents_jvp(const tacContactFrame* c, tacContactFrameDot* d) {
    tacVec3 n = c->axis[0], t1 = c->axis[1], t2 = c->axis[2], n_dot = d->axis[0];
    double k = -tac_dot(c->along, n) * tac_dot(t2, n_dot);
    if (c->slides) k += tac_dot(t2, d->before);
    k /= c->width;
    d->axis[1] = tac_add_scaled(tac_scale(n, -tac_dot(n_dot, t1)), k, t2);
    d->axis[2] = tac_add_scaled(tac_scale(n, -tac_dot(n_dot, t2)), -k, t1);
}

// own changes move the point at the face, too: x' = x + side d n/2
static void own_change_jvp(const tacContactFrame* c, const tacReal* own, tacReal y[7]) {
    const tacReal n[3] = {c->axis[0].x, c->axis[0].y, c->axis[0].z};
    for (int i = 0; i < 7; ++i) y[i] = own ? own[i] : 0.0;
    for (int i = 0; i < 3 && own; ++i)
        y[i] += 0.5 * c->side * (own[6] * n[i] + c->distance * own[3 + i]);
}

static void own_change_vjp(const tacContactFrame* c, tacContactFrameDot* bar) {
    bar->distance += 0.5 * c->side * tac_dot(c->axis[0], bar->point);
    bar->axis[0] = tac_add_scaled(bar->axis[0], 0.5 * c->side * c->distance, bar->point);
}

tacContactFrameDot tac_contact_frame_jvp(const tacContactFrame* c, const tacReal* own,
                                         const tacMotion* before, const tacMotion* after) {
    tacContactFrameDot d;
    tacTwist X[2];
    tacReal x[6], y[7];
    for (int i = 0; i < 2; ++i)
        X[i] = twist_about(after, c->body[i], after->work + DISPLACEMENT * c->body[i], c->point);
    tac_twist_store(x, tac_twist_sub(X[1], X[0]));
    own_change_jvp(c, own, y);
    for (int i = 0; i < 7; ++i)
        for (int k = 0; k < 6; ++k) y[i] += c->D[6 * i + k] * x[k];
    d.point = tac_add(tac_load3(y), X[0].linear);
    d.axis[0] = tac_add(tac_load3(y + 3), tac_cross(X[0].angular, c->axis[0]));
    d.distance = y[6];
    d.before = relative_velocity_dot(c, before, d.point);
    d.after = relative_velocity_dot(c, after, d.point);
    tangents_jvp(c, &d);
    return d;
}

void tac_contact_frame_add_wrench_jvp(const tacContactFrame* c, const tacReal f[3], double scale,
                                      const tacContactFrameDot* d, tacReal* wrench_dot) {
    tacVec3 F = frame_force(c, f), F_dot = tac_vec3_zero();
    for (int i = 0; i < 3; ++i) F_dot = tac_add_scaled(F_dot, f[i], d->axis[i]);
    add_wrench_to_both(c, scale, F_dot, tac_add(tac_cross(d->point, F), tac_cross(c->point, F_dot)),
                       wrench_dot);
}

//---------------------------------- reverse ----------------------------------

void tac_contact_frame_add_wrench_vjp(const tacContactFrame* c, const tacReal f[3], double scale,
                                      const tacReal* wrench_bar, tacContactFrameDot* bar) {
    tacTwist w = tac_twist_sub(tac_twist_load(wrench_bar + 6 * c->body[1]),
                               tac_twist_load(wrench_bar + 6 * c->body[0]));
    tacVec3 F_bar = tac_add(w.linear, tac_cross(w.angular, c->point));
    for (int i = 0; i < 3; ++i) bar->axis[i] = tac_add_scaled(bar->axis[i], scale * f[i], F_bar);
    bar->point = tac_add_scaled(bar->point, scale, tac_cross(frame_force(c, f), w.angular));
}

static void tangents_vjp(const tacContactFrame* c, tacContactFrameDot* bar) {
    tacVec3 n = c->axis[0], t1 = c->axis[1], t2 = c->axis[2];
    double k = (tac_dot(bar->axis[1], t2) - tac_dot(bar->axis[2], t1)) / c->width;
    tacVec3 n_bar = tac_scale(t1, -tac_dot(bar->axis[1], n));
    n_bar = tac_add_scaled(n_bar, -tac_dot(bar->axis[2], n) - k * tac_dot(c->along, n), t2);
    bar->axis[0] = tac_add(bar->axis[0], n_bar);
    if (c->slides) bar->before = tac_add_scaled(bar->before, k, t2);
}

// a wrench about the point, added to six numbers of a body about its tree's origin
static void add_wrench_bar(const tacMotion* m, int body, tacVec3 point, double sign, tacWrench w,
                           tacReal* bar) {
    if (body == 0) return;
    w = tac_wrench_shift(w, point, tac_load3(m->origin + 3 * body));
    tac_wrench_store(bar + 6 * body,
                     tac_wrench_add_scaled(tac_wrench_load(bar + 6 * body), sign, w));
}

void tac_point_displacement_vjp(const tacMotion* m, int body, tacVec3 point,
                                tacVec3 displacement_bar, tacReal* D_bar) {
    add_wrench_bar(m, body, point, 1.0, (tacWrench){displacement_bar, tac_vec3_zero()}, D_bar);
}

void tac_point_velocity_vjp(const tacMotion* m, int body, tacVec3 point, tacVec3 velocity_bar,
                            tacReal* D_bar, tacReal* e_bar, tacVec3* point_bar) {
    tacWrench w = {velocity_bar, tac_vec3_zero()};
    tacTwist V = body_velocity(m, body, point);
    add_wrench_bar(m, body, point, 1.0, w, e_bar);
    add_wrench_bar(m, body, point, 1.0, tac_cross_force(V, w), D_bar);
    *point_bar = tac_add(*point_bar, tac_cross(velocity_bar, V.angular));
}

void tac_body_rotation_vjp(const tacMotion* m, int body, tacVec3 rotation_bar, tacReal* D_bar) {
    tacVec3 origin = tac_load3(m->origin + 3 * body);
    add_wrench_bar(m, body, origin, 1.0, (tacWrench){tac_vec3_zero(), rotation_bar}, D_bar);
}

void tac_body_angvel_vjp(const tacMotion* m, int body, tacVec3 angvel_bar, tacReal* D_bar,
                         tacReal* e_bar) {
    tac_body_rotation_vjp(m, body, angvel_bar, e_bar);
    tac_body_rotation_vjp(m, body, tac_cross(tac_body_angvel(m, body), angvel_bar), D_bar);
}

void tac_contact_frame_distance_vjp(const tacContactFrame* c, const tacMotion* m,
                                    double distance_bar, tacReal* D_bar) {
    tacWrench w = tac_wrench_scale(tac_wrench_load(c->D + 36), distance_bar);
    for (int side = 0; side < 2; ++side)
        add_wrench_bar(m, c->body[side], c->point, side ? 1.0 : -1.0, w, D_bar);
}

// adjoint of a relative velocity, to displacement and e of both bodies, and to the point
static void relative_velocity_vjp(const tacContactFrame* c, const tacMotion* m,
                                  tacVec3 velocity_bar, tacReal* D_bar, tacReal* e_bar,
                                  tacVec3* point_bar) {
    for (int side = 0; side < 2; ++side)
        tac_point_velocity_vjp(m, c->body[side], c->point,
                               tac_scale(velocity_bar, side ? 1.0 : -1.0), D_bar, e_bar, point_bar);
}

void tac_contact_frame_vjp(const tacContactFrame* c, const tacMotion* before,
                           const tacMotion* after, tacContactFrameDot* bar, tacMotionBar* out) {
    tacReal y[7], x[6] = {0.0};
    tangents_vjp(c, bar);
    relative_velocity_vjp(c, before, bar->before, out->D_before, out->e_before, &bar->point);
    relative_velocity_vjp(c, after, bar->after, out->D_after, out->e_after, &bar->point);
    tac_store3(y, bar->point);
    tac_store3(y + 3, bar->axis[0]);
    y[6] = bar->distance;
    for (int i = 0; i < 7; ++i)
        for (int k = 0; k < 6; ++k) x[k] += c->D[6 * i + k] * y[i];
    tacWrench own = tac_wrench_load(x);
    tacWrench rigid = {bar->point, tac_cross(c->axis[0], bar->axis[0])};
    add_wrench_bar(after, c->body[1], c->point, 1.0, own, out->D_after);
    add_wrench_bar(after, c->body[0], c->point, 1.0, tac_wrench_sub(rigid, own), out->D_after);
    own_change_vjp(c, bar);
}
