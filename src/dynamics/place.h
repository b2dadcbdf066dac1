// What places of bodies owe to positions and parameters.

#ifndef TAC_DYNAMICS_PLACE_H
#define TAC_DYNAMICS_PLACE_H

#include "dynamics/dynamics.h"

// Adds to q_bar (nv) and theta_bar (nparam), NULL skips one. `wrench` (nbody x 6) are adjoints of
// the bodies' twists about their origins and is overwritten. After kinematics, one lane.
void tac_place_vjp(const tacModel* model, const tacMotion* m, tacReal* wrench, tacReal* q_bar,
                   tacReal* theta_bar);

#endif
