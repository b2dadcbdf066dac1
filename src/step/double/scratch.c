// Working memory of one thread, sized once from the model: dry runs of the allocations of all
// public calls.

#include "base/scratch.h"
#include "base/assert.h"
#include "detect/detect.h"
#include "detect/field/detect_cache.h"
#include "math/vector_ops.h"
#include "respond/force/force.h"
#include "shape/bounds/shape_scratch.h"
#include "step/hard/hard_step.h"
#include "step/step.h"

// Complex and quad numbers are twice as long as doubles.
enum { SCALE = 2 };

//---------------------------------- stages below ---------------------------------

static size_t detect_bytes(const tacModel* model) {
    const tacDetectorKind* kind = tac_detector_of(model);
    tacArena arena = tac_arena_measure(SCALE);
    if (kind) kind->measure(model, &arena);
    return arena.peak;
}

static size_t respond_bytes(const tacModel* model) {
    const tacForceKind* kind = tac_force_of(model);
    tacArena arena = tac_arena_measure(SCALE);
    if (kind) kind->measure(model, &arena);
    return arena.peak;
}

static size_t hard_bytes(const tacModel* model) {
    return tac_is_hard(model) ? tac_hard_step_size(model) : 0;
}

// Detection and response come one after the other; both evaluate shapes.
static size_t contact_bytes(const tacModel* model) {
    return tac_shape_scratch_bytes(model) + tac_max_size(detect_bytes(model), respond_bytes(model));
}

//---------------------------------- step and dynamics ----------------------------

static size_t batch_bytes(const tacModel* model) {
    tacScratch dry = {.arena = tac_arena_measure(1)}; // of doubles only
    tac_step_batch_measure(model, &dry);
    return dry.arena.peak;
}

static size_t dynamics_bytes(const tacModel* model) {
    tacArena dry = tac_arena_measure(SCALE);
    tac_dynamics_measure(model, &dry);
    return dry.peak;
}

// A step with derivatives has more than one without.
static size_t step_bytes(const tacModel* model) {
    void (*const calls[])(const tacModel*, tacScratch*) = {
        tac_step_jvp_measure,     tac_step_vjp_measure,        tac_step_jacobian_measure,
        tac_step_hessian_measure, tac_inverse_contact_measure, tac_forward_contact_measure,
        tac_step_contacts_measure};
    size_t bytes = 0;
    for (int i = 0; i < TAC_COUNT(calls); ++i) {
        tacScratch dry = {.arena = tac_arena_measure(SCALE)};
        calls[i](model, &dry);
        bytes = tac_max_size(bytes, dry.arena.peak);
    }
    return bytes;
}

static size_t scratch_bytes(const tacModel* model) {
    size_t step = step_bytes(model) + hard_bytes(model);
    if (model->contact) step += contact_bytes(model);
    size_t other = tac_max_size(contact_bytes(model), dynamics_bytes(model));
    return tac_max_size(tac_max_size(step, batch_bytes(model)), other);
}

//---------------------------------- scratch --------------------------------------

// The cache of the step comes first in the arena.
tacResult tac_scratch_create(const tacModel* model, tacScratch** out) {
    if (!model || !out) return TAC_ERROR_VALUE;
    tacAllocator allocator = model->allocator;
    tacScratch* scratch = allocator.allocate(allocator.user, sizeof *scratch);
    if (!scratch) return TAC_ERROR_MEMORY;
    memset(scratch, 0, sizeof *scratch);
    scratch->allocator = allocator;
    size_t front = tac_arena_align(sizeof(tacStepCache));
    if (tac_arena_create(&scratch->arena, front + scratch_bytes(model), allocator) != TAC_OK ||
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
