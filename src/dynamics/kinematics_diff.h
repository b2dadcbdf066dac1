// Derivatives of the poses of bodies by positions and parameters.

#ifndef TAC_DYNAMICS_KINEMATICS_DIFF_H
#define TAC_DYNAMICS_KINEMATICS_DIFF_H

#include "dynamics/dynamics.h"

// Adds to q_bar (nv) and theta_bar (nparam), NULL skips one. `wrench` (nbody x 6) are adjoints of
// the bodies' twists about their origins and is overwritten. After kinematics, one lane.
void tac_body_poses_vjp(const tacModel* model, const tacMotion* m, tacReal* wrench, tacReal* q_bar,
                        tacReal* theta_bar);

// The same for displacements and velocities. A body that is displaced by D changes its velocity by
// D x v + e; `D_bar` and `e_bar` (nbody x 6) are adjoints of both about the trees' origins, and are
// overwritten. Adds to q_bar (nv), v_bar (nv) and theta_bar (nparam), NULL skips one. After
// inverse.
void tac_body_motion_vjp(const tacModel* model, const tacMotion* m, tacReal* D_bar, tacReal* e_bar,
                         tacReal* q_bar, tacReal* v_bar, tacReal* theta_bar);

#endif
