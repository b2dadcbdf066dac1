// An allocator that hands out so many blocks, then none; for tests of running out of memory.

#ifndef TACTUS_TEST_SCARCE_H
#define TACTUS_TEST_SCARCE_H

#include "tactus/memory.h"

#include <stdlib.h>

typedef struct scarce {
    int left, alive;
} scarce;

static inline void* scarce_allocate(void* user, size_t size) {
    scarce* s = user;
    if (s->left-- <= 0) return NULL;
    ++s->alive;
    return aligned_alloc(TAC_ALIGNMENT, (size + TAC_ALIGNMENT - 1) / TAC_ALIGNMENT * TAC_ALIGNMENT);
}

static inline void scarce_release(void* user, void* block) {
    if (block) --((scarce*)user)->alive;
    free(block);
}

static inline tacAllocator scarce_allocator(scarce* s) {
    return (tacAllocator){scarce_allocate, scarce_release, s};
}

#endif
