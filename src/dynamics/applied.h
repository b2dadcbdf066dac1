// Forces along the joints: springs, dampers and actuators, with their derivatives; and positions
// moved by velocities.

#ifndef TAC_DYNAMICS_APPLIED_H
#define TAC_DYNAMICS_APPLIED_H

#include "dynamics/inverse.h"
#include "math/quat.h"

//---------------------------------- springs and dampers --------------------------

// rotation vectors, body axes, from where the spring rests to the turn in qpos; lane by lane
static void spring_angle(const tacModel* model, const tacMotion* m, int qpos, lane3* out) {
    tacReal angle[3 * TAC_LANES];
    const double* rest = model->qpos_spring + qpos;
    tacQuat from = {rest[0], rest[1], rest[2], rest[3]};
    for (int lane = 0; lane < TAC_LANES; ++lane) {
        tacReal q[4];
        for (int k = 0; k < 4; ++k) q[k] = w_at(m->qpos, qpos + k)[lane];
        tacVec3 w = tac_quat_difference(from, tac_quat_load(q));
        angle[lane] = w.x, angle[TAC_LANES + lane] = w.y, angle[2 * TAC_LANES + lane] = w.z;
    }
    *out = get3(angle, 0);
}

// stretch of a joint's spring along its degree of freedom k of `count`
static wide stretch(const tacModel* model, const tacMotion* m, const tacJoint* j, int k) {
    if (j->axis >= 0) return w_get(m->qpos, j->qpos) - w_set(model->param[j->springref]);
    if (j->kind == TAC_JOINT_FREE && k < 3)
        return w_get(m->qpos, j->qpos + k) - w_set(model->qpos_spring[j->qpos + k]);
    lane3 angle;
    spring_angle(model, m, j->qpos + (j->kind == TAC_JOINT_FREE ? 3 : 0), &angle);
    k %= 3;
    return k == 0 ? angle.x : k == 1 ? angle.y : angle.z;
}

TAC_INLINE void passive(const tacModel* model, const tacMotion* m, tacReal* tau) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        tacReal stiffness = model->param[j->stiffness], damping = model->param[j->damping];
        for (int k = 0; k < dof_count(j->kind); ++k) {
            wide t = -(w_set(damping) * w_get(m->qvel, j->dof + k));
            if (stiffness != 0.0) t = w_fma(w_set(-stiffness), stretch(model, m, j, k), t);
            w_put(tau, j->dof + k, t);
        }
    }
}

//---------------------------------- actuators ------------------------------------

// the smaller of |x - low| and so on would have kinks too: a clamp is what MuJoCo has
TAC_INLINE wide clamp(wide x, const double range[2]) {
    x = w_select_ge0(x - range[0], x, w_set(range[0]));
    return w_select_ge0(range[1] - x, x, w_set(range[1]));
}

// 1 inside the range and on its ends, else 0
TAC_INLINE wide inside(wide x, const double range[2]) {
    const wide one = w_set(1.0), none = w_set(0.0);
    return w_select_ge0(x - range[0], w_select_ge0(range[1] - x, one, none), none);
}

typedef struct actuation {
    wide gear, gain, control, length, velocity, force; // the last before it is clamped
    wide passed;                                       // force after it is clamped
} actuation;

TAC_INLINE actuation actuate(const tacModel* model, const tacMotion* m, const tacActuator* a,
                             wide control) {
    const tacReal* p = model->param;
    const tacJoint* j = &model->joint[a->joint];
    actuation x = {.gear = w_set(p[a->gear]), .gain = w_set(p[a->gain])};
    x.control = a->ctrllimited ? clamp(control, a->ctrlrange) : control;
    x.length = x.gear * w_get(m->qpos, j->qpos);
    x.velocity = x.gear * w_get(m->qvel, j->dof);
    x.force = w_fma(x.gain, x.control, w_set(p[a->bias]));
    x.force = w_fma(w_set(p[a->bias + 1]), x.length, x.force);
    x.force = w_fma(w_set(p[a->bias + 2]), x.velocity, x.force);
    x.passed = a->forcelimited ? clamp(x.force, a->forcerange) : x.force;
    return x;
}

static void applied(const tacModel* model, const tacMotion* m, const tacReal* ctrl, tacReal* tau) {
    if (model->disable & TAC_DISABLE_PASSIVE)
        for (int k = 0; k < model->nv; ++k) w_put(tau, k, w_set(0.0));
    else
        passive(model, m, tau);
    if (model->disable & TAC_DISABLE_ACTUATION) return;
    for (int i = 0; i < model->nu; ++i) {
        const tacActuator* a = &model->actuator[i];
        actuation x = actuate(model, m, a, w_get(ctrl, i));
        w_add(tau, model->joint[a->joint].dof, x.gear * x.passed);
    }
}

//---------------------------------- positions ------------------------------------

TAC_INLINE lane3 get_step(const tacReal* velocity, int dof, wide h) {
    return (lane3){h * w_get(velocity, dof), h * w_get(velocity, dof + 1),
                   h * w_get(velocity, dof + 2)};
}

static void integrate(const tacModel* model, const tacReal* qpos, const tacReal* velocity,
                      tacReal h, tacReal* next) {
    wide step = w_set(h);
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int q = j->qpos, v = j->dof;
        for (int k = 0; k < (j->kind == TAC_JOINT_BALL   ? 0
                             : j->kind == TAC_JOINT_FREE ? 3
                                                         : 1);
             ++k, ++q, ++v)
            w_put(next, q, w_fma(step, w_get(velocity, v), w_get(qpos, q)));
        if (j->axis >= 0) continue;
        lane4 turned = quat_mul(quat_unit(get4(qpos, q)), quat_exp(get_step(velocity, v, step)));
        put4(next, q, turned);
    }
}

static void add_scaled(int n, const tacReal* a, tacReal s, const tacReal* b, tacReal* out) {
    for (int i = 0; i < n; ++i) w_put(out, i, w_fma(w_set(s), w_get(b, i), w_get(a, i)));
}

#endif
