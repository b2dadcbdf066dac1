// What the files of step/ share.

#ifndef TAC_STEP_STEP_H
#define TAC_STEP_STEP_H

#include "step/advance.h"
#include "tactus/step.h"

// most lanes that a batch has on any instruction set
#define TAC_MAX_LANES 8

tacResult tac_step_check(const tacModel* model, const tacState* x, const tacReal* u);

// time, and arrays that a step does not change
void tac_state_keep(const tacModel* model, const tacState* x, tacState* next);

// bytes of scratch that the functions of tactus/step.h take
size_t tac_step_size(const tacModel* model);

#endif
