// Free bodies that spin: what a step of contact adds to the gyroscopic couple, and what that
// owes to velocities and parameters. One lane.

#ifndef TAC_STEP_SPIN_H
#define TAC_STEP_SPIN_H

#include "dynamics/dynamics.h"

// adds the couples to tau (nv)
void tac_spin_at(const tacModel* model, const tacMotion* m, tacReal* tau);

// Derivatives: add.
void tac_spin_jvp(const tacModel* model, const tacMotion* m, const tacMotionDot* dot,
                  tacReal* tau_dot);
void tac_spin_vjp(const tacModel* model, const tacMotion* m, const tacReal* tau_bar,
                  tacMotionDot* bar);
void tac_spin_jacobian(const tacModel* model, const tacMotion* m, tacReal* by_v, int stride);

#endif
