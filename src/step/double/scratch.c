// Working memory of one thread, sized once from the model.

#include "base/scratch.h"
#include "detect/detect.h"
#include "detect/field/detect_cache.h"
#include "shape/shape_program.h"
#include "step/hard/hard_step.h"
#include "step/step.h"

#include <string.h>

// the complex build works on numbers twice as long, and on copies of one block and of the
// parameters
static size_t shape_bytes(const tacModel* model) {
    size_t complex_size = 2 * sizeof(double);
    size_t copies = 16 * tac_arena_align(TAC_BLOCK * complex_size) +
                    2 * tac_arena_align((size_t)model->nparam * complex_size);
    size_t program = 2 * tac_shape_scratch_size(model), reach = tac_shape_safe_radius_size(model);
    return copies + (program > reach ? program : reach);
}

// a detector evaluates shapes beside what it takes itself
static size_t detect_bytes(const tacModel* model) {
    const tacDetectorKind* kind = tac_detector_of(model);
    tacArena arena = tac_arena_measure(2);
    if (kind) kind->measure(model, &arena);
    return arena.peak;
}

static size_t max_bytes(const tacModel* model) {
    size_t shape = shape_bytes(model) + detect_bytes(model),
           dynamics = tac_dynamics_size(model, 2 * sizeof(double));
    size_t step = tac_step_size(model) + tac_hessian_size(model),
           larger = shape > dynamics ? shape : dynamics;
    if (model->contact) step += shape; // detectors ask fields
    if (tac_is_hard(model)) step += tac_hard_step_size(model);
    return larger > step ? larger : step;
}

tacResult tac_scratch_create(const tacModel* model, tacScratch** out) {
    if (!model || !out) return TAC_ERROR_VALUE;
    tacAllocator allocator = model->allocator;
    tacScratch* scratch = allocator.allocate(allocator.user, sizeof *scratch);
    if (!scratch) return TAC_ERROR_MEMORY;
    memset(scratch, 0, sizeof *scratch);
    scratch->allocator = allocator;
    size_t front = tac_arena_align(sizeof(tacStepCache));
    if (tac_arena_create(&scratch->arena, front + max_bytes(model), allocator) != TAC_OK ||
        tac_detect_cache_create(model, allocator, &scratch->cache) != TAC_OK) {
        tac_scratch_destroy(scratch);
        return TAC_ERROR_MEMORY;
    }
    TAC_ALLOC(&scratch->arena, tacStepCache, 1)->to = 0;
    *out = scratch;
    return TAC_OK;
}

void tac_scratch_destroy(tacScratch* scratch) {
    if (!scratch) return;
    tacAllocator allocator = scratch->allocator;
    tac_detect_cache_destroy(scratch->cache, allocator);
    tac_arena_destroy(&scratch->arena, allocator);
    if (scratch->code_work) allocator.release(allocator.user, scratch->code_work);
    allocator.release(allocator.user, scratch);
}
