// Rows of equalities and their derivatives.

#include "respond/equality_row.h"

#include "math/pose.h"
#include "math/quat.h"

static int is_joint(const tacEqualityRow* r) { return r->eq->kind == TAC_EQUALITY_JOINT; }

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
        r->local[end] = r->eq->sites ? model->site[object].position : r->eq->data + 3 * end;
        tacVec3 place = tac_load3(m->place + 3 * r->body[end]);
        r->point[end] =
            tac_add(place, turn(m, r->body[end], tac_load3(model->param + r->local[end])));
    }
}

static void set_polynomial(const tacModel* model, const tacMotion* m, tacEqualityRow* r) {
    int second = r->eq->object[1];
    const tacReal* c = model->param + r->eq->data;
    r->dof = second >= 0 ? model->joint[second].dof : -1, r->coef = r->eq->data;
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
    r.axis = tac_vec3(k == 0, k == 1, k == 2);
    if (is_joint(&r))
        set_polynomial(model, m, &r);
    else
        set_points(model, m, &r);
    return r;
}

//---------------------------------- forces ----------------------------------

static void add_wrench(tacReal* wrench, tacVec3 force, tacVec3 torque) {
    tacWrench w = {force, torque};
    tac_wrench_store(wrench, tac_wrench_add(tac_wrench_load(wrench), w));
}

void tac_equality_push(const tacEqualityRow* r, double impulse, tacReal* wrench) {
    for (int end = 0; end < 2 && !is_joint(r); ++end) {
        tacVec3 F = tac_scale(r->axis, end ? -impulse : impulse);
        add_wrench(wrench + 6 * r->body[end], F, tac_cross(r->point[end], F));
    }
}

// of a point, by the displacement of its body and by its own numbers
static tacVec3 point_dot(const tacModel* model, const tacEqualityRow* r, const tacMotion* m,
                         int end, const tacReal* theta) {
    (void)model;
    tacVec3 local = theta ? tac_load3(theta + r->local[end]) : tac_vec3_zero();
    return tac_add(tac_point_shift(m, r->body[end], r->point[end]), turn(m, r->body[end], local));
}

void tac_equality_push_jvp(const tacModel* model, const tacEqualityRow* r, const tacMotion* m,
                           double impulse, const tacReal* theta, tacReal* wrench_dot) {
    for (int end = 0; end < 2 && !is_joint(r); ++end) {
        tacVec3 F = tac_scale(r->axis, end ? -impulse : impulse);
        add_wrench(wrench_dot + 6 * r->body[end], tac_vec3_zero(),
                   tac_cross(point_dot(model, r, m, end, theta), F));
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
    for (int end = 0; end < 2; ++end) {
        tacVec3 moved = point_dot(model, r, m, end, theta);
        tacVec3 v = tac_point_velocity_dot(m, r->body[end], r->point[end], moved);
        d.value += (end ? -1.0 : 1.0) * tac_dot(r->axis, moved);
        d.velocity += (end ? -1.0 : 1.0) * tac_dot(r->axis, v);
    }
    return d;
}

//---------------------------------- reverse ----------------------------------

static void joint_vjp(const tacModel* model, const tacEqualityRow* r, const tacMotion* m,
                      tacEqualityDot bar, double slope_bar, tacReal* q_bar, tacReal* theta_bar) {
    q_bar[model->joint[r->eq->object[0]].dof] += bar.value, theta_bar[r->coef] -= bar.value;
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
    if (is_joint(r)) {
        joint_vjp(model, r, m, bar, slope_bar, q_bar, theta_bar);
        return;
    }
    for (int end = 0; end < 2; ++end) {
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
