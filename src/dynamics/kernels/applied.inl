// Forces along the joints: springs, dampers and actuators; and positions moved by velocities.

#ifndef TAC_DYNAMICS_KERNELS_APPLIED_INL
#define TAC_DYNAMICS_KERNELS_APPLIED_INL

#include "dynamics/kernels/actuator.inl"

TAC_INLINE void clear_lanes(tacReal* x, int n) {
    for (int i = 0; i < n; ++i) w_put(x, i, w_set(0.0));
}

// the sum of all actuators along a joint, where some joint clamps it
static void sum_actuators(const tacModel* model, const tacMotion* m) {
    clear_lanes(m->qfrc_actuator, model->nv);
    actuate(model, m, m->qfrc_actuator);
}

static void add_clamped_actuators(const tacModel* model, const tacMotion* m, tacReal* tau) {
    sum_actuators(model, m);
    for (int k = 0; k < model->nv; ++k) {
        const tacJoint* j = &model->joint[model->dof[k].joint];
        wide t = w_get(m->qfrc_actuator, k);
        w_add(tau, k, j->frclimited ? clamp_to_range(t, j->frcrange) : t);
    }
}

static void applied(const tacModel* model, const tacMotion* m, tacReal* tau) {
    if (model->disable & TAC_DISABLE_PASSIVE)
        clear_lanes(tau, model->nv);
    else
        passive(model, m, tau);
    if (model->disable & TAC_DISABLE_ACTUATION) return;
    if (model->frclimited)
        add_clamped_actuators(model, m, tau);
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
