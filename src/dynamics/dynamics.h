// Checks and motions of one state, one lane, for the files above the kernels.

#ifndef TAC_DYNAMICS_DYNAMICS_H
#define TAC_DYNAMICS_DYNAMICS_H

#include "base/scratch.h"
#include "dynamics/motion.h"
#include "math/number.h"
#include "tactus/dynamics.h"

// Is an array of n numbers missing?
static inline int tac_missing(const void* array, int n) { return n > 0 && !array; }

// Are all numbers finite? NULL is.
int tac_all_finite(const tacReal* x, int n);
int tac_tangent_is_finite(const tacModel* model, tacDynamicsTangent t);

tacResult tac_input_check(const tacModel* model, tacDynamicsInput x, const tacScratch* scratch);

// a motion at the input; velocities that are NULL become zeros of the arena
tacMotion tac_motion_at(const tacModel* model, tacDynamicsInput x, tacArena* arena);

// the degree of freedom that moves a body last, -1: none does
static inline int tac_last_dof(const tacModel* model, int body) {
    while (body > 0 && model->body[body].joints == 0) body = model->body[body].parent;
    if (body == 0) return -1;
    const tacBody* b = &model->body[body];
    const tacJoint* j = &model->joint[b->first_joint + b->joints - 1];
    return j->dof + (j->axis >= 0 ? 0 : j->kind == TAC_JOINT_FREE ? 5 : 2);
}

// Memory of the functions of tactus/dynamics.h: allocations of those with the most, in an arena
// that measures.
void tac_dynamics_measure(const tacModel* model, tacArena* dry);
void tac_forward_dynamics_diff_measure(const tacModel* model, tacArena* dry);
void tac_rows_measure(const tacModel* model, tacArena* dry);

#endif
