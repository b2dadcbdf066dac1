/// What changes while a scene moves, and the memory that a thread works in.
#ifndef TACTUS_STATE_H
#define TACTUS_STATE_H

#include "tactus/model.h"

TAC_EXTERN_C_BEGIN

/// Full state, laid out as MuJoCo lays it out. The caller owns every array. Two calls with equal
/// state and model give equal bits, whatever the scratch did before.
typedef struct tacState {
    tacReal* qpos; ///< generalized positions                                   (nq)
    tacReal* qvel; ///< generalized velocities                                  (nv)
    tacReal* act;  ///< actuator activations                                    (na)
    tacReal* warm; ///< start values of solvers: speed, never the answer        (nwarm)
    double time;   ///<                                                         [s]
} tacState;

/// A tangent of the state, or an adjoint: rotations have 3 components, never 4.
typedef struct tacTangent {
    tacReal* dq; ///< of qpos (nv)
    tacReal* dv; ///< of qvel (nv)
    tacReal* da; ///< of act  (na)
} tacTangent;

/// Working memory of one thread, sized for one model. Nothing in it is an input of a later call.
typedef struct tacScratch tacScratch;

/// Makes the working memory for a model. Free it with tac_scratch_destroy before the model.
TAC_API
tacResult tac_scratch_create(const tacModel* model, tacScratch** out);

/// Gives a scratch back. NULL is allowed.
TAC_API
void tac_scratch_destroy(tacScratch* scratch);

TAC_EXTERN_C_END

#endif
