/// Rollouts: many steps in one call, and their gradient.
///
/// A rollout takes a start state and a control for each step, and gives the states. Its reverse
/// derivative gives the gradient of any function of those states by the start, by every control and
/// by the parameters, at the price of about four rollouts (docs/derivatives.md).
#ifndef TACTUS_ROLLOUT_H
#define TACTUS_ROLLOUT_H

#include "tactus/step.h"

TAC_EXTERN_C_BEGIN

/// A rollout of `steps` steps.
typedef struct tacRollout {
    const tacState* start; ///< state before the first step
    const tacReal* ctrl;   ///< control of each step; NULL if nu is 0          (steps x nu)
    int steps;             ///< number of steps, >= 0
    /// Output: state before and after each step, in rows (qpos, qvel, act, warm). NULL: not kept.
    tacReal* states; ///<                                  ((steps + 1) x tac_state_size)
    tacState* end;   ///< output: state after the last step; may alias `start`; NULL skips
} tacRollout;

/// Numbers in a row of states: nq + nv + na + nwarm.
TAC_API
int tac_state_size(const tacModel* model);

/// View of row `step` of an array of states. `time` is 0.
TAC_API
tacState tac_state_view(const tacModel* model, tacReal* states, int step);

/// Takes all steps. `states` or `end` must be there. On an error they hold the steps before it.
/// Flags of tac_step_info are those of all steps, here and after tac_rollout_vjp.
TAC_API
tacResult tac_rollout(const tacModel* model, const tacRollout* rollout, tacScratch* scratch);

/// Bytes of working memory for tac_rollout_vjp: two tangents and, for a rollout without `states`,
/// about 2 sqrt(steps) states as checkpoints.
TAC_API
size_t tac_rollout_vjp_size(const tacModel* model, int steps);

/// Reverse derivative of the states of tac_rollout. `states_bar` holds the adjoint of each state in
/// rows (dq, dv, da) ((steps + 1) x nx). Adds to bar.x (of the start), bar.u (steps x nu) and
/// bar.theta (nparam); NULL skips; on an error they are undefined. Complete in itself: it takes the
/// steps, and fills `states` and `end`. Without `states` it keeps checkpoints and takes the steps
/// twice. `memory` has tac_rollout_vjp_size bytes, aligned as by malloc.
TAC_API
tacResult tac_rollout_vjp(const tacModel* model, const tacRollout* rollout,
                          const tacReal* states_bar, tacStepTangent bar, void* memory,
                          tacScratch* scratch);

TAC_EXTERN_C_END

#endif
