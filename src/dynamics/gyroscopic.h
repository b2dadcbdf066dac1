// The gyroscopic torque of free bodies in a linearly implicit step: its correction, and the
// derivatives by velocities and parameters. One lane.

#ifndef TAC_DYNAMICS_GYROSCOPIC_H
#define TAC_DYNAMICS_GYROSCOPIC_H

#include "dynamics/dynamics.h"

// adds the couples to tau (nv)
void tac_gyroscopic_eval(const tacModel* model, const tacMotion* m, tacReal* tau);

// Derivatives: add.
void tac_gyroscopic_jvp(const tacModel* model, const tacMotion* m, const tacMotionDot* dot,
                        tacReal* tau_dot);
void tac_gyroscopic_vjp(const tacModel* model, const tacMotion* m, const tacReal* tau_bar,
                        tacMotionDot* bar);
void tac_gyroscopic_jacobian(const tacModel* model, const tacMotion* m, tacReal* by_v, int stride);

#endif
