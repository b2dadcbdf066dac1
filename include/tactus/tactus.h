/// Tactus: a physics engine whose contact is smooth and exactly differentiable.
#ifndef TACTUS_TACTUS_H
#define TACTUS_TACTUS_H

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
