/// The state of a scene, its tangents, and the working memory of a thread.
#ifndef TACTUS_STATE_H
#define TACTUS_STATE_H

#include "tactus/model.h"

TAC_EXTERN_C_BEGIN

//---------------------------------- state ----------------------------------------

/// The full state of a scene in MuJoCo's layout. Equal states of equal models give equal bits,
/// whatever the scratch was used for before. Use tac_state_create, or arrays of your own.
typedef struct tacState {
    tacReal* qpos; ///< generalized positions                                   (nq)
    tacReal* qvel; ///< generalized velocities                                  (nv)
    tacReal* act;  ///< actuator activations                                    (na)
    tacReal* warm; ///< warm start of solvers; changes speed, never the answer  (nwarm)
    double time;   ///< simulation time                                         [s]
} tacState;

/// Makes a state of a model in one block of memory and resets it. Free it with tac_state_destroy
/// before the model.
TAC_API
tacResult tac_state_create(const tacModel* model, tacState** out);

/// Frees a state of tac_state_create. NULL is allowed.
TAC_API
void tac_state_destroy(tacState* state);

/// Copies all numbers of a state, time included.
TAC_API
tacResult tac_state_copy(const tacModel* model, const tacState* from, tacState* to);

/// Sets a state to the start of the scene: qpos0, zero velocity and activation, time 0.
TAC_API
tacResult tac_state_reset(const tacModel* model, tacState* state);

/// Sets a state to keyframe `key` (tac_name_id finds it by name). The keyframe's control is
/// model->key[key].ctrl. Mocap poses are parameters of the model and stay.
TAC_API
tacResult tac_state_reset_key(const tacModel* model, tacState* state, int key);

/// A tangent of the state, or an adjoint. A rotation has 3 components, never 4.
typedef struct tacTangent {
    tacReal* dq; ///< of qpos (nv)
    tacReal* dv; ///< of qvel (nv)
    tacReal* da; ///< of act  (na)
} tacTangent;

//---------------------------------- scratch --------------------------------------

/// Working memory of one thread for one model. No call reads what an earlier call left in it, but
/// tac_step_info.
typedef struct tacScratch tacScratch;

/// Makes working memory for a model. Free it with tac_scratch_destroy before the model.
TAC_API
tacResult tac_scratch_create(const tacModel* model, tacScratch** out);

/// Frees a scratch. NULL is allowed.
TAC_API
void tac_scratch_destroy(tacScratch* scratch);

TAC_EXTERN_C_END

#endif
