// The penalty s of a block of rows, its force f = -s' and its Hessian s'' (docs/cone.md, eq. 3 to
// 7).

#ifndef TAC_RESPOND_CONE_PENALTY_H
#define TAC_RESPOND_CONE_PENALTY_H

#include "tactus/cone.h"

// numbers of a block, from its first row on
typedef struct conePenalty {
    tacConeKind kind;
    int rows;
    const tacReal *D, *mu, *width; // width NULL: 0; mu NULL: no law reads it
} conePenalty;

// direction in them; NULL: zero
typedef struct conePenaltyTangent {
    const tacReal *D, *mu, *width;
} conePenaltyTangent;

// adjoint of them; NULL skips
typedef struct conePenaltyAdjoint {
    tacReal *D, *mu, *width;
} conePenaltyAdjoint;

static inline conePenalty tac_cone_penalty(const tacCone* cone, const tacConeBlock* block) {
    return (conePenalty){block->kind, block->rows, cone->D + block->row,
                         cone->mu ? cone->mu + block->row : NULL,
                         cone->width ? cone->width + block->row : NULL};
}

// s(x), x (rows)
tacReal tac_cone_penalty_cost(const conePenalty* law, const tacReal* x);

// f = -s'(x)
void tac_cone_penalty_force(const conePenalty* law, const tacReal* x, tacReal* f);

// y = s''(x) v
void tac_cone_penalty_hessian_mul(const conePenalty* law, const tacReal* x, const tacReal* v,
                                  tacReal* y);

// s''(x) of a cone, row-major (rows x rows); the other kinds are diagonal (rows)
void tac_cone_penalty_hessian(const conePenalty* law, const tacReal* x, tacReal* S);

// f_dot = df/d(D, mu, width) along `dot`, with x fixed
void tac_cone_penalty_force_jvp(const conePenalty* law, const tacReal* x,
                                const conePenaltyTangent* dot, tacReal* f_dot);

// adds df/d(D, mu, width)' f_bar
void tac_cone_penalty_force_vjp(const conePenalty* law, const tacReal* x, const tacReal* f_bar,
                                const conePenaltyAdjoint* bar);

// is x within `tolerance` of a corner of a law that is not rounded?
int tac_cone_penalty_tie(const conePenalty* law, const tacReal* x, double tolerance);

#endif
