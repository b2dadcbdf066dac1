// Rows of equalities and their derivatives.

#include "respond/equality_row.h"

#include "math/pose.h"
#include "math/quat.h"

static int is_joint(const tacEqualityRow* r) { return r->eq->kind == TAC_EQUALITY_JOINT; }

// connect, and the first three rows of a weld
static int is_point(const tacEqualityRow* r) { return !is_joint(r) && !r->turns; }

static double at(const tacReal* x, int i) { return x ? x[i] : 0.0; }

//---------------------------------- rows ----------------------------------

// which of the rows of its equality it is
static int component_of(const tacRow* rows, int i) {
    int k = 0;
    while (k < i && rows[i - k - 1].kind == TAC_ROW_EQUALITY &&
           rows[i - k - 1].object == rows[i].object)
        ++k;
    return k;
}

static tacVec3 turn(const tacMotion* m, int body, tacVec3 x) {
    return tac_quat_rotate(tac_quat_load(m->quat + 4 * body), x);
}

static void set_points(const tacModel* model, const tacMotion* m, tacEqualityRow* r) {
    for (int end = 0; end < 2; ++end) {
        int object = r->eq->object[end];
        r->body[end] = r->eq->sites ? model->site[object].body : object;
        // connect has the point of its first body first, weld that of the second
        int second = end != (r->eq->kind == TAC_EQUALITY_WELD);
        r->local[end] = r->eq->sites ? model->site[object].position : r->eq->data + 3 * second;
        tacVec3 place = tac_load3(m->place + 3 * r->body[end]);
        r->point[end] =
            tac_add(place, turn(m, r->body[end], tac_load3(model->param + r->local[end])));
    }
}

static tacQuat unit_at(const tacModel* model, int offset) {
    return offset < 0 ? tac_quat_identity()
                      : tac_quat_normalize(tac_quat_load(model->param + offset));
}

static void set_turns(const tacModel* model, const tacMotion* m, tacEqualityRow* r) {
    for (int end = 0; end < 2; ++end) {
        r->own[end] = r->eq->sites ? model->site[r->eq->object[end]].rotation : -1;
        r->turn[end] =
            tac_quat_mul(tac_quat_load(m->quat + 4 * r->body[end]), unit_at(model, r->own[end]));
    }
    r->held = r->eq->sites ? -1 : r->eq->data + 6;
    r->scale = r->eq->data + 10;
    r->r = unit_at(model, r->held);
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
    r.turns = k >= 3;
    if (is_joint(&r)) {
        set_polynomial(model, m, &r);
        return r;
    }
    set_points(model, m, &r);
    if (r.turns) set_turns(model, m, &r);
    return r;
}

//---------------------------------- turns ----------------------------------

// e . vec(P M H), P = conj(B), H = A r: with M = 1 the value over s, with M = (0, w/2) the velocity
static double turned(const tacEqualityRow* r, tacQuat P, tacQuat M, tacQuat H) {
    return tac_dot(r->axis, tac_quat_vec(tac_quat_mul(P, tac_quat_mul(M, H))));
}

// what turns with displacements of the bodies and with numbers
typedef struct turnDot {
    tacQuat P, H, P_dot, H_dot;
    double s_dot;
} turnDot;

// of a unit quaternion that is stored with another length
static tacQuat unit_dot(const tacModel* model, int offset, const tacReal* theta) {
    if (offset < 0 || !theta) return tac_quat_scale(tac_quat_identity(), 0.0);
    return tac_quat_normalize_jvp(tac_quat_load(model->param + offset),
                                  tac_quat_load(theta + offset));
}

static turnDot turn_dot(const tacModel* model, const tacEqualityRow* r, const tacMotion* m,
                        const tacReal* theta) {
    turnDot d = {.P = tac_quat_conj(r->turn[1]), .H = tac_quat_mul(r->turn[0], r->r)};
    tacQuat moved[2];
    for (int end = 0; end < 2; ++end) {
        tacQuat body = tac_quat_load(m->quat + 4 * r->body[end]);
        moved[end] =
            tac_quat_add_scaled(tac_quat_rate(r->turn[end], tac_body_turn(m, r->body[end])), 1.0,
                                tac_quat_mul(body, unit_dot(model, r->own[end], theta)));
    }
    d.P_dot = tac_quat_conj(moved[1]);
    d.H_dot = tac_quat_mul_jvp(r->turn[0], r->r, moved[0], unit_dot(model, r->held, theta));
    d.s_dot = at(theta, r->scale);
    return d;
}

// change of s e . vec(P M H) with M held
static double turned_dot(const tacEqualityRow* r, const turnDot* d, tacQuat M) {
    return d->s_dot * turned(r, d->P, M, d->H) +
           r->s * (turned(r, d->P_dot, M, d->H) + turned(r, d->P, M, d->H_dot));
}

static tacQuat half(tacVec3 w) { return tac_quat(0.0, tac_scale(w, 0.5)); }

static tacVec3 axis_of(int k) { return tac_vec3(k == 0, k == 1, k == 2); }

// the torque of an impulse of 1 on the first body, as a vector, and its change
static tacVec3 torque_of(const tacEqualityRow* r) {
    tacQuat P = tac_quat_conj(r->turn[1]), H = tac_quat_mul(r->turn[0], r->r);
    double T[3];
    for (int k = 0; k < 3; ++k) T[k] = r->s * turned(r, P, half(axis_of(k)), H);
    return tac_load3(T);
}

static tacVec3 torque_dot(const tacEqualityRow* r, const turnDot* d) {
    double T[3];
    for (int k = 0; k < 3; ++k) T[k] = turned_dot(r, d, half(axis_of(k)));
    return tac_load3(T);
}

static tacVec3 relative_spin(const tacEqualityRow* r, const tacMotion* m) {
    return tac_sub(tac_body_spin(m, r->body[0]), tac_body_spin(m, r->body[1]));
}

static tacEqualityDot turns_jvp(const tacModel* model, const tacEqualityRow* r, const tacMotion* m,
                                const tacReal* theta) {
    turnDot d = turn_dot(model, r, m, theta);
    tacVec3 w_dot = tac_sub(tac_body_spin_dot(m, r->body[0]), tac_body_spin_dot(m, r->body[1]));
    tacEqualityDot out = {.value = turned_dot(r, &d, tac_quat_identity())};
    out.velocity = turned_dot(r, &d, half(relative_spin(r, m))) + tac_dot(torque_of(r), w_dot);
    return out;
}

static void unit_vjp(const tacModel* model, int offset, tacQuat bar, tacReal* theta_bar) {
    if (offset < 0) return;
    tacQuat sum = tac_quat_load(theta_bar + offset);
    tac_quat_normalize_vjp(tac_quat_load(model->param + offset), bar, &sum);
    tac_quat_store(theta_bar + offset, sum);
}

// adjoint of s e . vec(P M H) to the turns of bodies and to numbers
static void turned_vjp(const tacModel* model, const tacEqualityRow* r, const tacMotion* m,
                       tacQuat M, tacCarryBar* carry, tacReal* theta_bar) {
    tacQuat P = tac_quat_conj(r->turn[1]), H = tac_quat_mul(r->turn[0], r->r);
    tacQuat top = tac_quat(0.0, tac_scale(r->axis, r->s)), zero = tac_quat_scale(H, 0.0);
    tacQuat P_bar = zero, MH_bar = zero, H_bar = zero, unused = zero, bar[2] = {zero, zero};
    tacQuat r_bar = zero;
    tac_quat_mul_vjp(P, tac_quat_mul(M, H), top, &P_bar, &MH_bar);
    tac_quat_mul_vjp(M, H, MH_bar, &unused, &H_bar);
    tac_quat_mul_vjp(r->turn[0], r->r, H_bar, &bar[0], &r_bar);
    bar[1] = tac_quat_conj(P_bar);
    for (int end = 0; end < 2; ++end) {
        tacQuat body = tac_quat_load(m->quat + 4 * r->body[end]);
        tac_body_turn_vjp(m, r->body[end], tac_quat_rate_vjp(r->turn[end], bar[end]),
                          carry->D_after);
        unit_vjp(model, r->own[end], tac_quat_mul(tac_quat_conj(body), bar[end]), theta_bar);
    }
    unit_vjp(model, r->held, r_bar, theta_bar);
    theta_bar[r->scale] += turned(r, P, M, H);
}

// value, velocity and torque are one form: M = value_bar + (velocity_bar w + impulse spin)/2
static void turns_vjp(const tacModel* model, const tacEqualityRow* r, const tacMotion* m,
                      tacEqualityDot bar, double impulse, const tacReal* wrench_bar,
                      tacCarryBar* carry, tacReal* theta_bar) {
    tacVec3 spin = tac_sub(tac_load3(wrench_bar + 6 * r->body[0] + 3),
                           tac_load3(wrench_bar + 6 * r->body[1] + 3));
    tacVec3 w = tac_add_scaled(tac_scale(relative_spin(r, m), bar.velocity), impulse, spin);
    turned_vjp(model, r, m, tac_quat(bar.value, tac_scale(w, 0.5)), carry, theta_bar);
    for (int end = 0; end < 2; ++end)
        tac_body_spin_vjp(m, r->body[end],
                          tac_scale(torque_of(r), end ? -bar.velocity : bar.velocity),
                          carry->D_after, carry->e_after);
}

//---------------------------------- forces ----------------------------------

static void add_wrench(tacReal* wrench, tacVec3 force, tacVec3 torque) {
    tacWrench w = {force, torque};
    tac_wrench_store(wrench, tac_wrench_add(tac_wrench_load(wrench), w));
}

void tac_equality_push(const tacEqualityRow* r, double impulse, tacReal* wrench) {
    for (int end = 0; end < 2 && !is_joint(r); ++end) {
        double f = end ? -impulse : impulse;
        tacVec3 F = tac_scale(r->axis, r->turns ? 0.0 : f);
        tacVec3 T = r->turns ? tac_scale(torque_of(r), f) : tac_cross(r->point[end], F);
        add_wrench(wrench + 6 * r->body[end], F, T);
    }
}

// of a point, by the displacement of its body and by its own numbers
static tacVec3 point_dot(const tacEqualityRow* r, const tacMotion* m, int end,
                         const tacReal* theta) {
    tacVec3 local = theta ? tac_load3(theta + r->local[end]) : tac_vec3_zero();
    return tac_add(tac_point_shift(m, r->body[end], r->point[end]), turn(m, r->body[end], local));
}

void tac_equality_push_jvp(const tacModel* model, const tacEqualityRow* r, const tacMotion* m,
                           double impulse, const tacReal* theta, tacReal* wrench_dot) {
    for (int end = 0; end < 2 && !is_joint(r); ++end) {
        double f = end ? -impulse : impulse;
        tacVec3 T = tac_vec3_zero();
        if (r->turns) {
            turnDot d = turn_dot(model, r, m, theta);
            T = tac_scale(torque_dot(r, &d), f);
        } else
            T = tac_cross(point_dot(r, m, end, theta), tac_scale(r->axis, f));
        add_wrench(wrench_dot + 6 * r->body[end], tac_vec3_zero(), T);
    }
}

double tac_equality_slope_jvp(const tacEqualityRow* r, const tacReal* dq, const tacReal* theta) {
    double sum = 0.0, power = 1.0;
    if (!is_joint(r) || r->dof < 0) return 0.0;
    for (int k = 1; k < 5; ++k, power *= r->x) sum += k * at(theta, r->coef + k) * power;
    return sum + r->slope2 * at(dq, r->dof);
}

//---------------------------------- value and velocity ----------------------------------

static tacEqualityDot joint_jvp(const tacModel* model, const tacEqualityRow* r, const tacMotion* m,
                                const tacReal* dq, const tacReal* theta) {
    tacEqualityDot d = {.value = at(dq, model->joint[r->eq->object[0]].dof) - at(theta, r->coef)};
    if (r->dof < 0) return d;
    double power = r->x;
    for (int k = 1; k < 5; ++k, power *= r->x) d.value -= at(theta, r->coef + k) * power;
    d.value -= r->slope * at(dq, r->dof);
    d.velocity = -tac_equality_slope_jvp(r, dq, theta) * m->qvel[r->dof];
    return d;
}

tacEqualityDot tac_equality_jvp(const tacModel* model, const tacEqualityRow* r, const tacMotion* m,
                                const tacReal* dq, const tacReal* theta) {
    tacEqualityDot d = {0};
    if (is_joint(r)) return joint_jvp(model, r, m, dq, theta);
    if (r->turns) return turns_jvp(model, r, m, theta);
    for (int end = 0; end < 2; ++end) {
        tacVec3 moved = point_dot(r, m, end, theta);
        tacVec3 v = tac_point_velocity_dot(m, r->body[end], r->point[end], moved);
        d.value += (end ? -1.0 : 1.0) * tac_dot(r->axis, moved);
        d.velocity += (end ? -1.0 : 1.0) * tac_dot(r->axis, v);
    }
    return d;
}

//---------------------------------- reverse ----------------------------------

static void joint_vjp(const tacModel* model, const tacEqualityRow* r, const tacMotion* m,
                      tacEqualityDot bar, double slope_bar, tacReal* q_bar, tacReal* theta_bar) {
    q_bar[model->joint[r->eq->object[0]].dof] += bar.value;
    theta_bar[r->coef] -= bar.value;
    if (r->dof < 0) return;
    double power = 1.0;
    slope_bar -= bar.velocity * m->qvel[r->dof];
    for (int k = 1; k < 5; ++k, power *= r->x)
        theta_bar[r->coef + k] += power * (k * slope_bar - r->x * bar.value);
    q_bar[r->dof] += r->slope2 * slope_bar - r->slope * bar.value;
}

static void point_vjp(const tacEqualityRow* r, const tacMotion* m, int end, tacVec3 point_bar,
                      tacCarryBar* carry, tacReal* theta_bar) {
    tacQuat back = tac_quat_conj(tac_quat_load(m->quat + 4 * r->body[end]));
    tacVec3 local = tac_quat_rotate(back, point_bar);
    tac_store3(theta_bar + r->local[end], tac_add(tac_load3(theta_bar + r->local[end]), local));
    tac_point_shift_vjp(m, r->body[end], r->point[end], point_bar, carry->D_after);
}

void tac_equality_vjp(const tacModel* model, const tacEqualityRow* r, const tacMotion* m,
                      tacEqualityDot bar, double impulse, const tacReal* wrench_bar,
                      double slope_bar, tacCarryBar* carry, tacReal* q_bar, tacReal* theta_bar) {
    if (is_joint(r)) joint_vjp(model, r, m, bar, slope_bar, q_bar, theta_bar);
    if (r->turns) turns_vjp(model, r, m, bar, impulse, wrench_bar, carry, theta_bar);
    for (int end = 0; end < 2 && is_point(r); ++end) {
        double sign = end ? -1.0 : 1.0;
        int body = r->body[end];
        tacVec3 point_bar = tac_scale(r->axis, sign * bar.value);
        tac_point_velocity_vjp(m, body, r->point[end], tac_scale(r->axis, sign * bar.velocity),
                               carry->D_after, carry->e_after, &point_bar);
        tacVec3 spin = tac_load3(wrench_bar + 6 * body + 3);
        point_bar = tac_add(point_bar, tac_cross(tac_scale(r->axis, sign * impulse), spin));
        point_vjp(r, m, end, point_bar, carry, theta_bar);
    }
}
