// Positions moved by velocities, along joints and on the sphere of quaternions: derivatives.

#include "dynamics/integrate_pos.h"

#include "math/quat.h"

void tac_advance_pos_jvp(const tacModel* model, const tacReal* velocity, tacReal h,
                         const tacReal* dq, const tacReal* velocity_dot, tacReal h_dot,
                         tacReal* next_dot) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int k = j->dof, ntranslate = tac_translation_dofs(j);
        for (; k < j->dof + ntranslate; ++k)
            next_dot[k] = dq[k] + h * velocity_dot[k] + h_dot * velocity[k];
        if (j->axis >= 0) continue;
        tacVec3 w = tac_load3(velocity + k);
        tacVec3 w_dot = tac_add_scaled(tac_scale(w, h_dot), h, tac_load3(velocity_dot + k));
        tac_store3(next_dot + k, tac_quat_integrate_jvp(tac_scale(w, h), tac_load3(dq + k), w_dot));
    }
}

void tac_advance_pos_vjp(const tacModel* model, const tacReal* velocity, tacReal h,
                         const tacReal* next_bar, tacReal* dq_bar, tacReal* velocity_bar,
                         tacReal* h_bar) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int k = j->dof, ntranslate = tac_translation_dofs(j);
        for (; k < j->dof + ntranslate; ++k) {
            dq_bar[k] += next_bar[k];
            velocity_bar[k] += h * next_bar[k];
            *h_bar += velocity[k] * next_bar[k];
        }
        if (j->axis >= 0) continue;
        tacVec3 w = tac_load3(velocity + k), q_bar = tac_vec3_zero(), w_bar = tac_vec3_zero();
        tac_quat_integrate_vjp(tac_scale(w, h), tac_load3(next_bar + k), &q_bar, &w_bar);
        tac_store3(dq_bar + k, tac_add(tac_load3(dq_bar + k), q_bar));
        tac_store3(velocity_bar + k, tac_add_scaled(tac_load3(velocity_bar + k), h, w_bar));
        *h_bar += tac_dot(w, w_bar);
    }
}
