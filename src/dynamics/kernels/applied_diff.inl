// Derivatives of the forces along the joints.

#ifndef TAC_DYNAMICS_KERNELS_APPLIED_DIFF_INL
#define TAC_DYNAMICS_KERNELS_APPLIED_DIFF_INL

#include "dynamics/kernels/actuator_diff.inl"

// 1 where the sum of a joint's actuators is not clamped, else 0; after sum_actuators
TAC_INLINE wide actuators_unclamped(const tacModel* model, const tacMotion* m, int k) {
    const tacJoint* j = &model->joint[model->dof[k].joint];
    return j->frclimited ? in_range(w_get(m->qfrc_actuator, k), j->frcrange) : w_set(1.0);
}

static void applied_jvp(const tacModel* model, const tacMotion* m, const tacMotionDot* dot,
                        tacReal* tau_dot) {
    int clamps = model->frclimited && !(model->disable & TAC_DISABLE_ACTUATION);
    clear_lanes(tau_dot, model->nv);
    if (clamps) { // the actuators alone, in tau_dot, before the others are added
        sum_actuators(model, m);
        actuate_jvp(model, m, dot, tau_dot);
        for (int k = 0; k < model->nv; ++k)
            w_put(m->qfrc_actuator, k, actuators_unclamped(model, m, k) * w_get(tau_dot, k));
        clear_lanes(tau_dot, model->nv);
    }
    if (!(model->disable & TAC_DISABLE_PASSIVE)) {
        for (int i = 0; i < model->njoint; ++i) joint_jvp(model, m, &model->joint[i], dot, tau_dot);
        for (int i = 0; i < model->ntendon; ++i)
            tendon_jvp(model, m, &model->tendon[i], dot, tau_dot);
    }
    if (clamps)
        for (int k = 0; k < model->nv; ++k) w_add(tau_dot, k, w_get(m->qfrc_actuator, k));
    else if (!(model->disable & TAC_DISABLE_ACTUATION))
        actuate_jvp(model, m, dot, tau_dot);
}

static void applied_vjp(const tacModel* model, const tacMotion* m, const tacReal* tau_bar,
                        tacMotionDot* bar) {
    if (!(model->disable & TAC_DISABLE_PASSIVE)) {
        for (int i = 0; i < model->njoint; ++i) joint_vjp(model, m, &model->joint[i], tau_bar, bar);
        for (int i = 0; i < model->ntendon; ++i)
            tendon_vjp(model, m, &model->tendon[i], tau_bar, bar);
    }
    if (model->disable & TAC_DISABLE_ACTUATION) return;
    if (model->frclimited) {
        sum_actuators(model, m);
        for (int k = 0; k < model->nv; ++k)
            w_put(m->qfrc_actuator, k, actuators_unclamped(model, m, k) * w_get(tau_bar, k));
        tau_bar = m->qfrc_actuator;
    }
    actuate_vjp(model, m, tau_bar, bar);
}

// adds to the matrices
static void applied_jacobian(const tacModel* model, const tacMotion* m, tacAppliedJacobian J) {
    if (!(model->disable & TAC_DISABLE_PASSIVE)) {
        for (int i = 0; i < model->njoint; ++i) joint_jacobian(model, m, &model->joint[i], J);
        for (int i = 0; i < model->ntendon; ++i) tendon_jacobian(model, m, &model->tendon[i], J);
    }
    if (model->disable & TAC_DISABLE_ACTUATION) return;
    if (model->frclimited) {
        sum_actuators(model, m);
        for (int k = 0; k < model->nv; ++k)
            w_put(m->qfrc_actuator, k, actuators_unclamped(model, m, k));
    }
    actuate_jacobian(model, m, model->frclimited ? m->qfrc_actuator : NULL, J);
}

#endif
