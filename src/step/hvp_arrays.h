// Arrays of tac_step_hvp: inputs and adjoints of a step in complex numbers.

#ifndef TAC_STEP_HVP_ARRAYS_H
#define TAC_STEP_HVP_ARRAYS_H

#include "base/arena.h"
#include "tactus/model.h"
#include "tactus/state.h"

typedef struct tacHvpArrays {
    tacReal* param;                    // (nparam)
    tacReal *qpos, *qvel, *act, *ctrl; // (nq) (nv) (na) (nu)
    tacTangent next_bar, x_bar;        // adjoints of the next state and of the state
    tacReal *u_bar, *theta_bar;        // (nu) (nparam)
} tacHvpArrays;

// In a double build an arena that measures with scale 2 counts the bytes of complex numbers.
static inline tacTangent tac_tangent_alloc(const tacModel* model, tacArena* arena) {
    return (tacTangent){.dq = TAC_ALLOC(arena, tacReal, model->nv),
                        .dv = TAC_ALLOC(arena, tacReal, model->nv),
                        .da = TAC_ALLOC(arena, tacReal, model->na)};
}

static inline tacHvpArrays tac_hvp_arrays_alloc(const tacModel* model, tacArena* arena) {
    return (tacHvpArrays){.param = TAC_ALLOC(arena, tacReal, model->nparam),
                          .qpos = TAC_ALLOC(arena, tacReal, model->nq),
                          .qvel = TAC_ALLOC(arena, tacReal, model->nv),
                          .act = TAC_ALLOC(arena, tacReal, model->na),
                          .ctrl = TAC_ALLOC(arena, tacReal, model->nu),
                          .next_bar = tac_tangent_alloc(model, arena),
                          .x_bar = tac_tangent_alloc(model, arena),
                          .u_bar = TAC_ALLOC(arena, tacReal, model->nu),
                          .theta_bar = TAC_ALLOC(arena, tacReal, model->nparam)};
}

#endif
