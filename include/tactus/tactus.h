/// Tactus: a physics engine whose contact is smooth and exactly differentiable.
#ifndef TACTUS_TACTUS_H
#define TACTUS_TACTUS_H

#include "tactus/memory.h"
#include "tactus/model.h"
#include "tactus/pose.h"
#include "tactus/real.h"
#include "tactus/result.h"
#include "tactus/shape.h"
#include "tactus/state.h"

#endif
