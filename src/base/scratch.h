// A tacScratch: one arena, empty between calls, the report on the last step, the generated code of
// steps, if the user chose one, and the cache of the detectors.

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
    struct tacDetectCache* cache;   // of the detectors (detect/field/detect_cache.h), NULL: none
};

#endif
