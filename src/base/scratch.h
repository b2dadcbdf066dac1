// What a tacScratch holds: one arena, empty between calls, the report on the last step, the code
// that steps are taken by, if the user chose one, and what detectors keep between calls.

#ifndef TAC_BASE_SCRATCH_H
#define TAC_BASE_SCRATCH_H

#include "base/arena.h"
#include "tactus/state.h"

struct tacScratch {
    tacAllocator allocator;
    tacArena arena;
    tacInfo info;
    const struct tacStepCode* code; // NULL: the general dynamics (step/double/generated.h)
    void* code_work;                // its working memory
    struct tacDetectCache*
        cache; // what detectors keep (detect/field/detect_cache.h), NULL: nothing
};

#endif
