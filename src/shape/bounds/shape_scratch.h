// A scratch for calls of shapes alone: small, and made in no time whatever else the model has.

#ifndef TAC_SHAPE_BOUNDS_SHAPE_SCRATCH_H
#define TAC_SHAPE_BOUNDS_SHAPE_SCRATCH_H

#include "base/scratch.h"
#include "tactus/model.h"

// what calls of shapes take from a scratch                                                  [B]
size_t tac_shape_scratch_bytes(const tacModel* model);

// free it by tac_scratch_destroy
tacResult tac_shape_scratch_create(const tacModel* model, tacScratch** out);

#endif
