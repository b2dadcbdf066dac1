// Working memory of one thread, sized once from the model.

#include "base/scratch.h"
#include "detect/detect.h"
#include "detect/kept.h"
#include "shape/program.h"
#include "step/hard_step.h"
#include "step/step.h"

#include <string.h>

// the complex build works on numbers twice as long, and on copies of one block and of the
// parameters
static size_t shape_bytes(const tacModel* model) {
    size_t complex_size = 2 * sizeof(double);
    size_t copies = 16 * tac_arena_need(TAC_BLOCK * complex_size) +
                    2 * tac_arena_need((size_t)model->nparam * complex_size);
    size_t program = 2 * tac_shape_scratch_size(model), reach = tac_shape_reach_size(model);
    return copies + (program > reach ? program : reach);
}

// a detector evaluates shapes beside what it takes itself
static size_t detect_bytes(const tacModel* model) {
    const tacDetectorKind* kind = tac_detector_of(model);
    return kind && kind->size ? kind->size(model, 2 * sizeof(double)) : 0;
}

static size_t most_bytes(const tacModel* model) {
    size_t shape = shape_bytes(model) + detect_bytes(model),
           dynamics = tac_dynamics_size(model, 2 * sizeof(double));
    size_t step = tac_step_size(model) + tac_hessian_size(model),
           most = shape > dynamics ? shape : dynamics;
    if (model->contact) step += shape; // detectors ask fields
    if (tac_is_hard(model)) step += tac_hard_step_size(model);
    return most > step ? most : step;
}

tacResult tac_scratch_create(const tacModel* model, tacScratch** out) {
    if (!model || !out) return TAC_ERROR_VALUE;
    tacAllocator allocator = model->allocator;
    tacScratch* scratch = allocator.allocate(allocator.user, sizeof *scratch);
    if (!scratch) return TAC_ERROR_MEMORY;
    memset(scratch, 0, sizeof *scratch);
    scratch->allocator = allocator;
    size_t front = tac_arena_need(sizeof(tacKeptPass));
    if (tac_arena_create(&scratch->arena, front + most_bytes(model), allocator) != TAC_OK ||
        tac_kept_create(model, allocator, &scratch->kept) != TAC_OK) {
        tac_scratch_destroy(scratch);
        return TAC_ERROR_MEMORY;
    }
    TAC_TAKE(&scratch->arena, tacKeptPass, 1)->to = 0;
    *out = scratch;
    return TAC_OK;
}

void tac_scratch_destroy(tacScratch* scratch) {
    if (!scratch) return;
    tacAllocator allocator = scratch->allocator;
    tac_kept_destroy(scratch->kept, allocator);
    tac_arena_destroy(&scratch->arena, allocator);
    if (scratch->code_work) allocator.release(allocator.user, scratch->code_work);
    allocator.release(allocator.user, scratch);
}
