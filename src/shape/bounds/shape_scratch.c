// The scratch of loading: fields of shapes are asked before anything can move.

#include "shape/bounds/shape_scratch.h"

#include "base/assert.h"
#include "math/vector_ops.h"
#include "shape/bounds/safe_radius.h"
#include "shape/shape_program.h"

#include <string.h>

// Complex and quad numbers are twice as long as doubles.
enum { SCALE = 2 };

size_t tac_shape_scratch_bytes(const tacModel* model) {
    tacArena numeric = tac_arena_measure(SCALE), hvp = tac_arena_measure(1),
             safe_radius = tac_arena_measure(1);
    tac_shape_measure(model, &numeric);
    tac_shape_measure_hvp(model, &hvp);
    tac_shape_safe_radius_measure(model, &safe_radius);
    return tac_max_size(tac_max_size(numeric.peak, hvp.peak), safe_radius.peak);
}

tacResult tac_shape_scratch_create(const tacModel* model, tacScratch** out) {
    tacAllocator allocator = model->allocator;
    tacScratch* scratch = allocator.allocate(allocator.user, sizeof *scratch);
    if (!scratch) return TAC_ERROR_MEMORY;
    memset(scratch, 0, sizeof *scratch);
    scratch->allocator = allocator;
    if (tac_arena_create(&scratch->arena, tac_shape_scratch_bytes(model), allocator) != TAC_OK) {
        allocator.release(allocator.user, scratch);
        return TAC_ERROR_MEMORY;
    }
    *out = scratch;
    return TAC_OK;
}
