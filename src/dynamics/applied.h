// Forces along the joints: springs, dampers and actuators; and positions moved by velocities.

#ifndef TAC_DYNAMICS_APPLIED_H
#define TAC_DYNAMICS_APPLIED_H

#include "dynamics/actuator.h"

TAC_INLINE void clear(tacReal* x, int n) {
    for (int i = 0; i < n; ++i) w_put(x, i, w_set(0.0));
}

// the sum of all actuators along a joint, where some joint clamps it
static void drive_joints(const tacModel* model, const tacMotion* m) {
    clear(m->driven, model->nv);
    actuate(model, m, m->driven);
}

static void add_driven(const tacModel* model, const tacMotion* m, tacReal* tau) {
    drive_joints(model, m);
    for (int k = 0; k < model->nv; ++k) {
        const tacJoint* j = &model->joint[model->dof[k].joint];
        wide t = w_get(m->driven, k);
        w_add(tau, k, j->frclimited ? clamp(t, j->frcrange) : t);
    }
}

static void applied(const tacModel* model, const tacMotion* m, tacReal* tau) {
    if (model->disable & TAC_DISABLE_PASSIVE)
        clear(tau, model->nv);
    else
        passive(model, m, tau);
    if (model->disable & TAC_DISABLE_ACTUATION) return;
    if (model->frclimited)
        add_driven(model, m, tau);
    else
        actuate(model, m, tau);
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
