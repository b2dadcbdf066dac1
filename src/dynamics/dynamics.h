// What the files of dynamics/ and step/ share above the kernels: one state, one lane.

#ifndef TAC_DYNAMICS_DYNAMICS_H
#define TAC_DYNAMICS_DYNAMICS_H

#include "base/scratch.h"
#include "dynamics/motion.h"
#include "math/number.h"
#include "tactus/dynamics.h"

// are all of them finite? NULL is
int tac_all_finite(const tacReal* x, int n);

tacResult tac_input_check(const tacModel* model, tacDynamicsInput x, const tacScratch* scratch);

// a motion at the input; velocities that are NULL become zeros of the arena
tacMotion tac_motion_at(const tacModel* model, tacDynamicsInput x, tacArena* arena);

// bytes of scratch that the functions of tactus/dynamics.h take
size_t tac_dynamics_size(const tacModel* model, size_t real_size);

#endif
