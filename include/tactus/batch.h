/// Batches: many rows at once, each a state of a scene of its own, on threads that stay.
///
/// Rows may have different scenes, such as 1024 different objects. Each row has the bits of the
/// same call for it alone, for any number of threads. A row that fails keeps its error
/// (tac_batch_result); the others go on.
///
/// Arrays are packed: the numbers of row 0, then those of row 1, and so on. If all rows have one
/// scene this is a matrix with a line for each row.
#ifndef TACTUS_BATCH_H
#define TACTUS_BATCH_H

#include "tactus/rollout.h"

TAC_EXTERN_C_BEGIN

/// Rows with their states, working memory and threads. One call at a time may use a batch.
typedef struct tacBatch tacBatch;

/// Makes a batch of `rows` rows; models[i] is the scene of row i, and one model may stand there
/// many times. All states are reset. `threads` 0: one per core. Of the calls below, rollouts
/// allocate working memory and steps do not. Free the batch with tac_batch_destroy before the
/// models.
TAC_API
tacResult tac_batch_create(const tacModel* const* models, int rows, int threads, tacBatch** out);

/// Frees a batch. NULL is allowed.
TAC_API
void tac_batch_destroy(tacBatch* batch);

/// Number of rows.
TAC_API
int tac_batch_rows(const tacBatch* batch);

/// Number of threads that work, the caller's included.
TAC_API
int tac_batch_threads(const tacBatch* batch);

/// State of a row, to read and write between calls; NULL for a row that does not exist. qpos, qvel,
/// act and warm of all rows are packed arrays.
TAC_API
tacState* tac_batch_state(tacBatch* batch, int row);

/// Result of a row in the last call; TAC_ERROR_VALUE for a row that does not exist.
TAC_API
tacResult tac_batch_result(const tacBatch* batch, int row);

/// Report on the last step or derivative of a row, as tac_step_info.
TAC_API
tacInfo tac_batch_info(const tacBatch* batch, int row);

/// Steps all rows: each state becomes the next one. `ctrl` is packed (nu); NULL if no row has
/// controls. Returns the error of the first row that failed; such a row keeps its state.
TAC_API
tacResult tac_batch_step(tacBatch* batch, const tacReal* ctrl);

/// A rollout of every row.
typedef struct tacBatchRollout {
    int steps;           ///< number of steps, >= 0
    const tacReal* ctrl; ///< packed controls; NULL if no row has any          (steps x nu)
    tacReal* states;     ///< output, packed: states as in tacRollout; NULL: not kept
                         ///<                                  ((steps + 1) x tac_state_size)
} tacBatchRollout;

/// Takes many steps of all rows. The states of the rows end at the last one. A row that fails keeps
/// the state before the call.
TAC_API
tacResult tac_batch_rollout(tacBatch* batch, const tacBatchRollout* rollout);

/// Adjoints of a rollout of every row, packed. NULL skips an output.
typedef struct tacBatchRolloutAdjoint {
    const tacReal* states_bar; ///< input: adjoint of each state               ((steps + 1) x nx)
    tacReal* x;                ///< added to: of the start                     (nx)
    tacReal* u;                ///< added to: of the controls                  (steps x nu)
    tacReal* theta;            ///< added to: of the parameters                (nparam)
} tacBatchRolloutAdjoint;

/// Reverse derivative of tac_batch_rollout from the states of the rows, which it leaves as they
/// are. It takes the steps itself and fills rollout->states, if there are any.
TAC_API
tacResult tac_batch_rollout_vjp(tacBatch* batch, const tacBatchRollout* rollout,
                                const tacBatchRolloutAdjoint* bar);

/// Jacobians A = d next/d x (nx x nx) and B = d next/d u (nx x nu) of a step of every row, packed.
/// NULL skips one. The states stay.
TAC_API
tacResult tac_batch_jacobian(tacBatch* batch, const tacReal* ctrl, tacReal* A, tacReal* B);

/// A tangent or adjoint of the inputs of a step of every row, packed, in the order (dq, dv, da) for
/// the state. NULL means zero in a tangent and skips in an adjoint.
typedef struct tacBatchTangent {
    tacReal* x;     ///< of the states                                         (nx)
    tacReal* u;     ///< of the controls                                       (nu)
    tacReal* theta; ///< of the parameters                                     (nparam)
} tacBatchTangent;

/// Forward derivative of a step of every row along `dot`: next_dot, packed (nx). The states stay.
TAC_API
tacResult tac_batch_jvp(tacBatch* batch, const tacReal* ctrl, const tacBatchTangent* dot,
                        tacReal* next_dot);

/// Reverse derivative of a step of every row: adds (d next/d input)' next_bar to `bar`. The states
/// stay.
TAC_API
tacResult tac_batch_vjp(tacBatch* batch, const tacReal* ctrl, const tacReal* next_bar,
                        const tacBatchTangent* bar);

/// Hessian product of a step of every row: adds the derivative of tac_batch_vjp along `dot` to
/// `bar`. TAC_ERROR_UNSUPPORTED for hard contact, row by row.
TAC_API
tacResult tac_batch_hvp(tacBatch* batch, const tacReal* ctrl, const tacReal* next_bar,
                        const tacBatchTangent* dot, const tacBatchTangent* bar);

TAC_EXTERN_C_END

#endif
