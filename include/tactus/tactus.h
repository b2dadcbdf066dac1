/// Tactus: a physics engine whose contact is smooth and exactly differentiable.
///
/// A pointer that a call needs and that is NULL, or a handle that is none of its owner's, is
/// TAC_ERROR_VALUE, or the none of what the call returns; what may be NULL is said where it is.
/// Only the scalar laws that return numbers do not look (docs/architecture.md, Arguments).
#ifndef TACTUS_TACTUS_H
#define TACTUS_TACTUS_H

#include "tactus/ccd.h"
#include "tactus/contact.h"
#include "tactus/dynamics.h"
#include "tactus/lcp.h"
#include "tactus/mechanics.h"
#include "tactus/memory.h"
#include "tactus/mesh.h"
#include "tactus/model.h"
#include "tactus/pose.h"
#include "tactus/real.h"
#include "tactus/respond.h"
#include "tactus/result.h"
#include "tactus/shape.h"
#include "tactus/smooth.h"
#include "tactus/solid.h"
#include "tactus/state.h"
#include "tactus/step.h"
#include "tactus/symbolic.h"
#include "tactus/witness.h"

#endif
