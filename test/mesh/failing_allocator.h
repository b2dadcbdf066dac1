// An allocator that gives so many blocks, then none; for tests of running out of memory.

#ifndef TAC_MESH_FAILING_ALLOCATOR_H
#define TAC_MESH_FAILING_ALLOCATOR_H

#include "tactus/memory.h"

#include <stdlib.h>

typedef struct failingAllocator {
    int left, alive;
} failingAllocator;

static inline void* failing_allocate(void* user, size_t size) {
    failingAllocator* s = user;
    if (s->left-- <= 0) return NULL;
    ++s->alive;
    return aligned_alloc(TAC_ALIGNMENT, (size + TAC_ALIGNMENT - 1) / TAC_ALIGNMENT * TAC_ALIGNMENT);
}

static inline void failing_release(void* user, void* block) {
    if (block) --((failingAllocator*)user)->alive;
    free(block);
}

static inline tacAllocator failing_allocator(failingAllocator* s) {
    return (tacAllocator){failing_allocate, failing_release, s};
}

#endif
