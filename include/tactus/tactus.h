/// Tactus: a rigid-body physics engine with contact whose derivatives are exact.
///
/// Load a scene (tac_load), make a state (tac_state_create) and working memory
/// (tac_scratch_create), then step (tac_step) and differentiate (tac_step_jacobian, tac_step_vjp,
/// tac_rollout_vjp). A model is const and shared by threads; a scratch belongs to one thread.
///
/// Every call that can fail returns a tacResult. A NULL pointer or an index out of range is
/// TAC_ERROR_VALUE, unless the comment on the call allows it. Calls that return no tacResult answer
/// with -1, 0 or NULL instead. Scalar laws such as tac_point_plane do not check their pointers.
///
/// Tools of their own, not included here: tactus/smooth.h (smooth functions), tactus/witness.h
/// (nearest points of edges and faces), tactus/cone.h (the convex problem of contact),
/// tactus/symbolic.h (formulas and generated code), tactus/mechanics.h (Kane's and Lagrange's
/// methods).
#ifndef TACTUS_TACTUS_H
#define TACTUS_TACTUS_H

#include "tactus/batch.h"
#include "tactus/ccd.h"
#include "tactus/contact.h"
#include "tactus/dynamics.h"
#include "tactus/lcp.h"
#include "tactus/memory.h"
#include "tactus/mesh.h"
#include "tactus/model.h"
#include "tactus/pose.h"
#include "tactus/real.h"
#include "tactus/render.h"
#include "tactus/respond.h"
#include "tactus/result.h"
#include "tactus/rollout.h"
#include "tactus/shape.h"
#include "tactus/solid.h"
#include "tactus/state.h"
#include "tactus/step.h"
#include "tactus/version.h"

#endif
