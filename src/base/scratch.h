// What a tacScratch holds: one arena, empty between calls, and the report on the last step.

#ifndef TAC_BASE_SCRATCH_H
#define TAC_BASE_SCRATCH_H

#include "base/arena.h"
#include "tactus/state.h"

struct tacScratch {
    tacAllocator allocator;
    tacArena arena;
    tacInfo info;
};

#endif
