// Derivatives of springs, dampers and actuators.

#ifndef TAC_DYNAMICS_APPLIED_DIFF_H
#define TAC_DYNAMICS_APPLIED_DIFF_H

#include "dynamics/applied.h"

TAC_INLINE wide theta_at(const tacMotionDot* dot, int offset) {
    return dot->theta ? w_get(dot->theta, offset) : w_set(0.0);
}
TAC_INLINE wide number_at(const tacReal* p, int i) { return p ? w_get(p, i) : w_set(0.0); }
TAC_INLINE void add_to(tacReal* p, int i, wide x) {
    if (p) w_add(p, i, x);
}

//---------------------------------- springs of turns -----------------------------

// w = log(rest^-1 q): dw = J_r(w)^-1 dq, and its transpose
static lane3 spring_angle_diff(lane3 angle, lane3 d, int transposed) {
    tacReal w[3 * TAC_LANES], x[3 * TAC_LANES];
    put3(w, 0, angle), put3(x, 0, d);
    for (int i = 0; i < TAC_LANES; ++i) {
        tacVec3 a = {w[i], w[TAC_LANES + i], w[2 * TAC_LANES + i]};
        tacVec3 b = {x[i], x[TAC_LANES + i], x[2 * TAC_LANES + i]};
        tacMat3 left = tac_so3_left_jacobian_inverse(a);
        tacVec3 y = transposed ? tac_mat_mul_vec(left, b) : tac_mat_tmul_vec(left, b);
        x[i] = y.x, x[TAC_LANES + i] = y.y, x[2 * TAC_LANES + i] = y.z;
    }
    return get3(x, 0);
}

TAC_INLINE lane3 three_of(const tacReal* p, int i) {
    return p ? (lane3){w_get(p, i), w_get(p, i + 1), w_get(p, i + 2)} : zero3();
}
TAC_INLINE void add_three(tacReal* p, int i, lane3 a) {
    add_to(p, i, a.x), add_to(p, i + 1, a.y), add_to(p, i + 2, a.z);
}

//---------------------------------- forward --------------------------------------

static void turn_spring_jvp(const tacModel* model, const tacMotion* m, const tacJoint* j,
                            const tacMotionDot* dot, tacReal* tau_dot) {
    int shift = j->kind == TAC_JOINT_FREE ? 3 : 0;
    lane3 angle, d;
    spring_angle(model, m, j->qpos + shift, &angle);
    d = spring_angle_diff(angle, three_of(dot->dq, j->dof + shift), 0);
    d = scale3(d, w_set(model->param[j->stiffness]));
    d = fma3(angle, theta_at(dot, j->stiffness), d);
    add_three(tau_dot, j->dof + shift, neg3(d));
}

static void joint_jvp(const tacModel* model, const tacMotion* m, const tacJoint* j,
                      const tacMotionDot* dot, tacReal* tau_dot) {
    wide k = w_set(model->param[j->stiffness]), d = w_set(model->param[j->damping]);
    int straight = j->axis >= 0 ? 1 : j->kind == TAC_JOINT_FREE ? 3 : 0;
    for (int i = 0; i < dof_count(j->kind); ++i) {
        wide t = theta_at(dot, j->damping) * w_get(m->qvel, j->dof + i);
        t = w_fma(d, number_at(dot->dv, j->dof + i), t);
        if (i < straight) {
            wide moved = number_at(dot->dq, j->dof + i);
            if (j->axis >= 0) moved = moved - theta_at(dot, j->springref);
            t = w_fma(k, moved, w_fma(theta_at(dot, j->stiffness), stretch(model, m, j, i), t));
        }
        w_put(tau_dot, j->dof + i, -t);
    }
    if (j->axis < 0 && (model->param[j->stiffness] != 0.0 || dot->theta))
        turn_spring_jvp(model, m, j, dot, tau_dot);
}

static void actuator_jvp(const tacModel* model, const tacMotion* m, int i, const tacReal* ctrl,
                         const tacMotionDot* dot, const tacReal* ctrl_dot, tacReal* tau_dot) {
    const tacActuator* a = &model->actuator[i];
    const tacJoint* j = &model->joint[a->joint];
    actuation x = actuate(model, m, a, w_get(ctrl, i));
    wide gear = theta_at(dot, a->gear), control = number_at(ctrl_dot, i);
    if (a->ctrllimited) control = control * inside(w_get(ctrl, i), a->ctrlrange);
    wide length = w_fma(gear, w_get(m->qpos, j->qpos), x.gear * number_at(dot->dq, j->dof));
    wide velocity = w_fma(gear, w_get(m->qvel, j->dof), x.gear * number_at(dot->dv, j->dof));
    wide f = w_fma(theta_at(dot, a->gain), x.control, x.gain * control) + theta_at(dot, a->bias);
    f = w_fma(theta_at(dot, a->bias + 1), x.length, f);
    f = w_fma(theta_at(dot, a->bias + 2), x.velocity, f);
    f = w_fma(w_set(model->param[a->bias + 1]), length, f);
    f = w_fma(w_set(model->param[a->bias + 2]), velocity, f);
    if (a->forcelimited) f = f * inside(x.force, a->forcerange);
    w_add(tau_dot, j->dof, w_fma(gear, x.passed, x.gear * f));
}

static void applied_jvp(const tacModel* model, const tacMotion* m, const tacReal* ctrl,
                        const tacMotionDot* dot, const tacReal* ctrl_dot, tacReal* tau_dot) {
    for (int k = 0; k < model->nv; ++k) w_put(tau_dot, k, w_set(0.0));
    if (!(model->disable & TAC_DISABLE_PASSIVE))
        for (int i = 0; i < model->njoint; ++i) joint_jvp(model, m, &model->joint[i], dot, tau_dot);
    if (model->disable & TAC_DISABLE_ACTUATION) return;
    for (int i = 0; i < model->nu; ++i) actuator_jvp(model, m, i, ctrl, dot, ctrl_dot, tau_dot);
}

//---------------------------------- reverse --------------------------------------

static void turn_spring_vjp(const tacModel* model, const tacMotion* m, const tacJoint* j,
                            const tacReal* tau_bar, tacMotionDot* bar) {
    int shift = j->kind == TAC_JOINT_FREE ? 3 : 0;
    lane3 angle, t = neg3(three_of(tau_bar, j->dof + shift));
    spring_angle(model, m, j->qpos + shift, &angle);
    add_to(bar->theta, j->stiffness, dot3(angle, t));
    t = spring_angle_diff(angle, scale3(t, w_set(model->param[j->stiffness])), 1);
    add_three(bar->dq, j->dof + shift, t);
}

static void joint_vjp(const tacModel* model, const tacMotion* m, const tacJoint* j,
                      const tacReal* tau_bar, tacMotionDot* bar) {
    wide k = w_set(model->param[j->stiffness]), d = w_set(model->param[j->damping]);
    int straight = j->axis >= 0 ? 1 : j->kind == TAC_JOINT_FREE ? 3 : 0;
    for (int i = 0; i < dof_count(j->kind); ++i) {
        wide t = -w_get(tau_bar, j->dof + i);
        add_to(bar->dv, j->dof + i, d * t);
        add_to(bar->theta, j->damping, t * w_get(m->qvel, j->dof + i));
        if (i >= straight) continue;
        add_to(bar->dq, j->dof + i, k * t);
        add_to(bar->theta, j->stiffness, t * stretch(model, m, j, i));
        if (j->axis >= 0) add_to(bar->theta, j->springref, -(k * t));
    }
    if (j->axis < 0 && (model->param[j->stiffness] != 0.0 || bar->theta))
        turn_spring_vjp(model, m, j, tau_bar, bar);
}

static void actuator_vjp(const tacModel* model, const tacMotion* m, int i, const tacReal* ctrl,
                         const tacReal* tau_bar, tacMotionDot* bar, tacReal* ctrl_bar) {
    const tacActuator* a = &model->actuator[i];
    const tacJoint* j = &model->joint[a->joint];
    actuation x = actuate(model, m, a, w_get(ctrl, i));
    wide t = w_get(tau_bar, j->dof), f = x.gear * t;
    if (a->forcelimited) f = f * inside(x.force, a->forcerange);
    wide length = w_set(model->param[a->bias + 1]) * f;
    wide velocity = w_set(model->param[a->bias + 2]) * f, control = x.gain * f;
    if (a->ctrllimited) control = control * inside(w_get(ctrl, i), a->ctrlrange);
    wide gear = w_fma(length, w_get(m->qpos, j->qpos), velocity * w_get(m->qvel, j->dof));
    add_to(ctrl_bar, i, control);
    add_to(bar->dq, j->dof, length * x.gear);
    add_to(bar->dv, j->dof, velocity * x.gear);
    add_to(bar->theta, a->gear, w_fma(t, x.passed, gear));
    add_to(bar->theta, a->gain, f * x.control);
    add_to(bar->theta, a->bias, f);
    add_to(bar->theta, a->bias + 1, f * x.length);
    add_to(bar->theta, a->bias + 2, f * x.velocity);
}

static void applied_vjp(const tacModel* model, const tacMotion* m, const tacReal* ctrl,
                        const tacReal* tau_bar, tacMotionDot* bar, tacReal* ctrl_bar) {
    if (!(model->disable & TAC_DISABLE_PASSIVE))
        for (int i = 0; i < model->njoint; ++i) joint_vjp(model, m, &model->joint[i], tau_bar, bar);
    if (model->disable & TAC_DISABLE_ACTUATION) return;
    for (int i = 0; i < model->nu; ++i) actuator_vjp(model, m, i, ctrl, tau_bar, bar, ctrl_bar);
}

#endif
