// Memory of one long computation: blocks of a model's allocator, all released at once.

#ifndef TAC_MESH_REGION_H
#define TAC_MESH_REGION_H

#include "tactus/memory.h"

typedef struct tacRegion {
    tacAllocator allocator;
    void* last;  // chain of blocks
    size_t most; // bytes still allowed; a request above it fails
} tacRegion;

// cleared and TAC_ALIGNMENT-aligned, or NULL
void* tac_region_alloc(tacRegion* blocks, size_t count, size_t size);

// releases all blocks
void tac_region_release(tacRegion* blocks);

#define TAC_REGION_ALLOC(blocks, type, count)                                                      \
    ((type*)tac_region_alloc(blocks, (size_t)(count), sizeof(type)))

#endif
