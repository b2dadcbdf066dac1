// Derivatives of next = qpos moved by h velocity, one lane, by h as well. The kernel `integrate`
// has the value; configuration.c has the public calls.

#ifndef TAC_DYNAMICS_INTEGRATE_POS_H
#define TAC_DYNAMICS_INTEGRATE_POS_H

#include "dynamics/dynamics.h"

// how many of a joint's velocities are along or about one fixed axis; the other three of a ball or
// free joint rotate
static inline int tac_translation_dofs(const tacJoint* j) {
    return j->axis >= 0 ? 1 : j->kind == TAC_JOINT_FREE ? 3 : 0;
}

// dq, next_dot: tangents (nv); h_dot and h_bar are of h
void tac_advance_pos_jvp(const tacModel* model, const tacReal* velocity, tacReal h,
                         const tacReal* dq, const tacReal* velocity_dot, tacReal h_dot,
                         tacReal* next_dot);
// adds
void tac_advance_pos_vjp(const tacModel* model, const tacReal* velocity, tacReal h,
                         const tacReal* next_bar, tacReal* dq_bar, tacReal* velocity_bar,
                         tacReal* h_bar);

#endif
