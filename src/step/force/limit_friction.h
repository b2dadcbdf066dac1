// Limits and dry friction of joints and tendons as smooth forces along them, and their derivatives
// by positions, velocities and parameters. One lane.

#ifndef TAC_STEP_FORCE_LIMIT_FRICTION_H
#define TAC_STEP_FORCE_LIMIT_FRICTION_H

#include "dynamics/dynamics.h"
#include "math/skyline.h"

// Adds the forces to tau (nv), at the accelerations `a`; NULL: zero. Accelerations count where
// contact is linearly implicit.
void tac_limit_friction_eval(const tacModel* model, const tacMotion* m, const tacReal* a,
                             tacReal* tau);

// subtracts their slopes by accelerations from M
void tac_limit_friction_add_stiffness(const tacModel* model, const tacMotion* m, tacSkyline* M);

// Derivatives at m->qacc, which is held: adds.
void tac_limit_friction_jvp(const tacModel* model, const tacMotion* m, const tacMotionDot* dot,
                            tacReal* tau_dot);
void tac_limit_friction_vjp(const tacModel* model, const tacMotion* m, const tacReal* tau_bar,
                            tacMotionDot* bar);
void tac_limit_friction_jacobian(const tacModel* model, const tacMotion* m, tacReal* by_q,
                                 tacReal* by_v, int stride);

#endif
