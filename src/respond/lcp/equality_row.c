// Rows of equalities and their derivatives.

#include "respond/lcp/equality_row.h"

#include "math/pose.h"
#include "math/quat.h"

static int is_joint_row(const tacEqualityRow* r) { return r->eq->kind == TAC_EQUALITY_JOINT; }

// connect, and the first three rows of a weld
static int is_point_row(const tacEqualityRow* r) { return !is_joint_row(r) && !r->is_rotation; }

static double value_or_zero(const tacReal* x, int i) { return x ? x[i] : 0.0; }

//---------------------------------- rows ----------------------------------

// which of the rows of its equality it is
static int component_of(const tacRow* rows, int i) {
    int k = 0;
    while (k < i && rows[i - k - 1].kind == TAC_ROW_EQUALITY &&
           rows[i - k - 1].object == rows[i].object)
        ++k;
    return k;
}

static tacVec3 rot(const tacMotion* m, int body, tacVec3 x) {
    return tac_quat_rotate(tac_quat_load(m->quat + 4 * body), x);
}

static void set_points(const tacModel* model, const tacMotion* m, tacEqualityRow* r) {
    for (int end = 0; end < 2; ++end) {
        int object = r->eq->object[end];
        r->body[end] = r->eq->sites ? model->site[object].body : object;
        // connect has the point of its first body first, weld that of the second
        int second = end != (r->eq->kind == TAC_EQUALITY_WELD);
        r->local[end] = r->eq->sites ? model->site[object].position : r->eq->data + 3 * second;
        tacVec3 pos = tac_load3(m->pos + 3 * r->body[end]);
        r->point[end] = tac_add(pos, rot(m, r->body[end], tac_load3(model->param + r->local[end])));
    }
}

static tacQuat unit_quat(const tacModel* model, int offset) {
    return offset < 0 ? tac_quat_identity()
                      : tac_quat_normalize(tac_quat_load(model->param + offset));
}

static void set_rotations(const tacModel* model, const tacMotion* m, tacEqualityRow* r) {
    for (int end = 0; end < 2; ++end) {
        r->site_quat[end] = r->eq->sites ? model->site[r->eq->object[end]].rotation : -1;
        r->rot[end] = tac_quat_mul(tac_quat_load(m->quat + 4 * r->body[end]),
                                   unit_quat(model, r->site_quat[end]));
    }
    r->relquat = r->eq->sites ? -1 : r->eq->data + 6;
    r->scale = r->eq->data + 10;
    r->r = unit_quat(model, r->relquat);
    r->s = model->param[r->scale];
}

static void set_polynomial(const tacModel* model, const tacMotion* m, tacEqualityRow* r) {
    int second = r->eq->object[1];
    const tacReal* c = model->param + r->eq->data;
    r->dof = second >= 0 ? model->joint[second].dof : -1;
    r->coef = r->eq->data;
    if (second < 0) return;
    int q = model->joint[second].qpos;
    double x = r->x = m->qpos[q] - model->qpos0[q];
    r->slope = c[1] + x * (2.0 * c[2] + x * (3.0 * c[3] + x * 4.0 * c[4]));
    r->slope2 = 2.0 * c[2] + x * (6.0 * c[3] + x * 12.0 * c[4]);
}

tacEqualityRow tac_equality_row(const tacModel* model, const tacMotion* m, const tacRow* rows,
                                int i) {
    int k = component_of(rows, i);
    tacEqualityRow r = {.eq = &model->equality[rows[i].object], .dof = -1};
    r.axis = tac_vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    r.is_rotation = k >= 3;
    if (is_joint_row(&r)) {
        set_polynomial(model, m, &r);
        return r;
    }
    set_points(model, m, &r);
    if (r.is_rotation) set_rotations(model, m, &r);
    return r;
}

//---------------------------------- turns ----------------------------------

// e . vec(P M H), P = conj(B), H = A r: with M = 1 the value over s, with M = (0, w/2) the velocity
static double quat_form(const tacEqualityRow* r, tacQuat P, tacQuat M, tacQuat H) {
    return tac_dot(r->axis, tac_quat_vec(tac_quat_mul(P, tac_quat_mul(M, H))));
}

// change of the rotations by displacements of the bodies and by parameters
typedef struct rotationDot {
    tacQuat P, H, P_dot, H_dot;
    double s_dot;
} rotationDot;

// of a unit quaternion that is stored with another length
static tacQuat unit_quat_dot(const tacModel* model, int offset, const tacReal* theta) {
    if (offset < 0 || !theta) return tac_quat_scale(tac_quat_identity(), 0.0);
    return tac_quat_normalize_jvp(tac_quat_load(model->param + offset),
                                  tac_quat_load(theta + offset));
}

static rotationDot rotation_dot(const tacModel* model, const tacEqualityRow* r, const tacMotion* m,
                                const tacReal* theta) {
    rotationDot d = {.P = tac_quat_conj(r->rot[1]), .H = tac_quat_mul(r->rot[0], r->r)};
    tacQuat moved[2];
    for (int end = 0; end < 2; ++end) {
        tacQuat body = tac_quat_load(m->quat + 4 * r->body[end]);
        moved[end] = tac_quat_add_scaled(
            tac_quat_rate(r->rot[end], tac_body_rotation_dot(m, r->body[end])), 1.0,
            tac_quat_mul(body, unit_quat_dot(model, r->site_quat[end], theta)));
    }
    d.P_dot = tac_quat_conj(moved[1]);
    d.H_dot = tac_quat_mul_jvp(r->rot[0], r->r, moved[0], unit_quat_dot(model, r->relquat, theta));
    d.s_dot = value_or_zero(theta, r->scale);
    return d;
}

// change of s e . vec(P M H), M constant
static double quat_form_dot(const tacEqualityRow* r, const rotationDot* d, tacQuat M) {
    return d->s_dot * quat_form(r, d->P, M, d->H) +
           r->s * (quat_form(r, d->P_dot, M, d->H) + quat_form(r, d->P, M, d->H_dot));
}

static tacQuat half_quat(tacVec3 w) { return tac_quat(0.0, tac_scale(w, 0.5)); }

static tacVec3 unit_axis(int k) { return tac_vec3(k == 0, k == 1, k == 2); }

// the torque of an impulse of 1 on the first body, as a vector, and its change
static tacVec3 row_torque(const tacEqualityRow* r) {
    tacQuat P = tac_quat_conj(r->rot[1]), H = tac_quat_mul(r->rot[0], r->r);
    double T[3];
    for (int k = 0; k < 3; ++k) T[k] = r->s * quat_form(r, P, half_quat(unit_axis(k)), H);
    return tac_load3(T);
}

static tacVec3 row_torque_dot(const tacEqualityRow* r, const rotationDot* d) {
    double T[3];
    for (int k = 0; k < 3; ++k) T[k] = quat_form_dot(r, d, half_quat(unit_axis(k)));
    return tac_load3(T);
}

static tacVec3 relative_angvel(const tacEqualityRow* r, const tacMotion* m) {
    return tac_sub(tac_body_angvel(m, r->body[0]), tac_body_angvel(m, r->body[1]));
}

static tacEqualityDot rotation_jvp(const tacModel* model, const tacEqualityRow* r,
                                   const tacMotion* m, const tacReal* theta) {
    rotationDot d = rotation_dot(model, r, m, theta);
    tacVec3 w_dot = tac_sub(tac_body_angvel_dot(m, r->body[0]), tac_body_angvel_dot(m, r->body[1]));
    tacEqualityDot out = {.value = quat_form_dot(r, &d, tac_quat_identity())};
    out.velocity =
        quat_form_dot(r, &d, half_quat(relative_angvel(r, m))) + tac_dot(row_torque(r), w_dot);
    return out;
}

static void unit_quat_vjp(const tacModel* model, int offset, tacQuat bar, tacReal* theta_bar) {
    if (offset < 0) return;
    tacQuat sum = tac_quat_load(theta_bar + offset);
    tac_quat_normalize_vjp(tac_quat_load(model->param + offset), bar, &sum);
    tac_quat_store(theta_bar + offset, sum);
}

// adjoint of s e . vec(P M H) to the turns of bodies and to numbers
static void quat_form_vjp(const tacModel* model, const tacEqualityRow* r, const tacMotion* m,
                          tacQuat M, tacMotionBar* motion_bar, tacReal* theta_bar) {
    tacQuat P = tac_quat_conj(r->rot[1]), H = tac_quat_mul(r->rot[0], r->r);
    tacQuat top = tac_quat(0.0, tac_scale(r->axis, r->s)), zero = tac_quat_scale(H, 0.0);
    tacQuat P_bar = zero, MH_bar = zero, H_bar = zero, unused = zero, bar[2] = {zero, zero};
    tacQuat r_bar = zero;
    tac_quat_mul_vjp(P, tac_quat_mul(M, H), top, &P_bar, &MH_bar);
    tac_quat_mul_vjp(M, H, MH_bar, &unused, &H_bar);
    tac_quat_mul_vjp(r->rot[0], r->r, H_bar, &bar[0], &r_bar);
    bar[1] = tac_quat_conj(P_bar);
    for (int end = 0; end < 2; ++end) {
        tacQuat body = tac_quat_load(m->quat + 4 * r->body[end]);
        tac_body_rotation_vjp(m, r->body[end], tac_quat_rate_vjp(r->rot[end], bar[end]),
                              motion_bar->D_after);
        unit_quat_vjp(model, r->site_quat[end], tac_quat_mul(tac_quat_conj(body), bar[end]),
                      theta_bar);
    }
    unit_quat_vjp(model, r->relquat, r_bar, theta_bar);
    theta_bar[r->scale] += quat_form(r, P, M, H);
}

// value, velocity and torque are one form: M = value_bar + (velocity_bar w + impulse spin)/2
static void rotation_vjp(const tacModel* model, const tacEqualityRow* r, const tacMotion* m,
                         tacEqualityDot bar, double impulse, const tacReal* wrench_bar,
                         tacMotionBar* motion_bar, tacReal* theta_bar) {
    tacVec3 angvel = tac_sub(tac_load3(wrench_bar + 6 * r->body[0] + 3),
                             tac_load3(wrench_bar + 6 * r->body[1] + 3));
    tacVec3 w = tac_add_scaled(tac_scale(relative_angvel(r, m), bar.velocity), impulse, angvel);
    quat_form_vjp(model, r, m, tac_quat(bar.value, tac_scale(w, 0.5)), motion_bar, theta_bar);
    for (int end = 0; end < 2; ++end)
        tac_body_angvel_vjp(m, r->body[end],
                            tac_scale(row_torque(r), end ? -bar.velocity : bar.velocity),
                            motion_bar->D_after, motion_bar->e_after);
}

//---------------------------------- forces ----------------------------------

static void add_body_wrench(tacReal* wrench, tacVec3 force, tacVec3 torque) {
    tacWrench w = {force, torque};
    tac_wrench_store(wrench, tac_wrench_add(tac_wrench_load(wrench), w));
}

void tac_equality_add_wrench(const tacEqualityRow* r, double impulse, tacReal* wrench) {
    for (int end = 0; end < 2 && !is_joint_row(r); ++end) {
        double f = end ? -impulse : impulse;
        tacVec3 F = tac_scale(r->axis, r->is_rotation ? 0.0 : f);
        tacVec3 T = r->is_rotation ? tac_scale(row_torque(r), f) : tac_cross(r->point[end], F);
        add_body_wrench(wrench + 6 * r->body[end], F, T);
    }
}

// of a point, by the displacement of its body and by its own numbers
static tacVec3 anchor_dot(const tacEqualityRow* r, const tacMotion* m, int end,
                          const tacReal* theta) {
    tacVec3 local = theta ? tac_load3(theta + r->local[end]) : tac_vec3_zero();
    return tac_add(tac_point_displacement(m, r->body[end], r->point[end]),
                   rot(m, r->body[end], local));
}

void tac_equality_add_wrench_jvp(const tacModel* model, const tacEqualityRow* r, const tacMotion* m,
                                 double impulse, const tacReal* theta, tacReal* wrench_dot) {
    for (int end = 0; end < 2 && !is_joint_row(r); ++end) {
        double f = end ? -impulse : impulse;
        tacVec3 T = tac_vec3_zero();
        if (r->is_rotation) {
            rotationDot d = rotation_dot(model, r, m, theta);
            T = tac_scale(row_torque_dot(r, &d), f);
        } else
            T = tac_cross(anchor_dot(r, m, end, theta), tac_scale(r->axis, f));
        add_body_wrench(wrench_dot + 6 * r->body[end], tac_vec3_zero(), T);
    }
}

double tac_equality_slope_jvp(const tacEqualityRow* r, const tacReal* dq, const tacReal* theta) {
    double sum = 0.0, power = 1.0;
    if (!is_joint_row(r) || r->dof < 0) return 0.0;
    for (int k = 1; k < 5; ++k, power *= r->x) sum += k * value_or_zero(theta, r->coef + k) * power;
    return sum + r->slope2 * value_or_zero(dq, r->dof);
}

//---------------------------------- value and velocity ----------------------------------

static tacEqualityDot joint_row_jvp(const tacModel* model, const tacEqualityRow* r,
                                    const tacMotion* m, const tacReal* dq, const tacReal* theta) {
    tacEqualityDot d = {.value = value_or_zero(dq, model->joint[r->eq->object[0]].dof) -
                                 value_or_zero(theta, r->coef)};
    if (r->dof < 0) return d;
    double power = r->x;
    for (int k = 1; k < 5; ++k, power *= r->x) d.value -= value_or_zero(theta, r->coef + k) * power;
    d.value -= r->slope * value_or_zero(dq, r->dof);
    d.velocity = -tac_equality_slope_jvp(r, dq, theta) * m->qvel[r->dof];
    return d;
}

tacEqualityDot tac_equality_jvp(const tacModel* model, const tacEqualityRow* r, const tacMotion* m,
                                const tacReal* dq, const tacReal* theta) {
    tacEqualityDot d = {0};
    if (is_joint_row(r)) return joint_row_jvp(model, r, m, dq, theta);
    if (r->is_rotation) return rotation_jvp(model, r, m, theta);
    for (int end = 0; end < 2; ++end) {
        tacVec3 moved = anchor_dot(r, m, end, theta);
        tacVec3 v = tac_point_velocity_dot(m, r->body[end], r->point[end], moved);
        d.value += (end ? -1.0 : 1.0) * tac_dot(r->axis, moved);
        d.velocity += (end ? -1.0 : 1.0) * tac_dot(r->axis, v);
    }
    return d;
}

//---------------------------------- reverse ----------------------------------

static void joint_row_vjp(const tacModel* model, const tacEqualityRow* r, const tacMotion* m,
                          tacEqualityDot bar, double slope_bar, tacReal* q_bar,
                          tacReal* theta_bar) {
    q_bar[model->joint[r->eq->object[0]].dof] += bar.value;
    theta_bar[r->coef] -= bar.value;
    if (r->dof < 0) return;
    double power = 1.0;
    slope_bar -= bar.velocity * m->qvel[r->dof];
    for (int k = 1; k < 5; ++k, power *= r->x)
        theta_bar[r->coef + k] += power * (k * slope_bar - r->x * bar.value);
    q_bar[r->dof] += r->slope2 * slope_bar - r->slope * bar.value;
}

static void anchor_vjp(const tacEqualityRow* r, const tacMotion* m, int end, tacVec3 point_bar,
                       tacMotionBar* motion_bar, tacReal* theta_bar) {
    tacQuat back = tac_quat_conj(tac_quat_load(m->quat + 4 * r->body[end]));
    tacVec3 local = tac_quat_rotate(back, point_bar);
    tac_store3(theta_bar + r->local[end], tac_add(tac_load3(theta_bar + r->local[end]), local));
    tac_point_displacement_vjp(m, r->body[end], r->point[end], point_bar, motion_bar->D_after);
}

void tac_equality_vjp(const tacModel* model, const tacEqualityRow* r, const tacMotion* m,
                      tacEqualityDot bar, double impulse, const tacReal* wrench_bar,
                      double slope_bar, tacMotionBar* motion_bar, tacReal* q_bar,
                      tacReal* theta_bar) {
    if (is_joint_row(r)) joint_row_vjp(model, r, m, bar, slope_bar, q_bar, theta_bar);
    if (r->is_rotation) rotation_vjp(model, r, m, bar, impulse, wrench_bar, motion_bar, theta_bar);
    for (int end = 0; end < 2 && is_point_row(r); ++end) {
        double sign = end ? -1.0 : 1.0;
        int body = r->body[end];
        tacVec3 point_bar = tac_scale(r->axis, sign * bar.value);
        tac_point_velocity_vjp(m, body, r->point[end], tac_scale(r->axis, sign * bar.velocity),
                               motion_bar->D_after, motion_bar->e_after, &point_bar);
        tacVec3 angvel = tac_load3(wrench_bar + 6 * body + 3);
        point_bar = tac_add(point_bar, tac_cross(tac_scale(r->axis, sign * impulse), angvel));
        anchor_vjp(r, m, end, point_bar, motion_bar, theta_bar);
    }
}
