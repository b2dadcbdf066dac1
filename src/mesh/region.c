// Memory of one long computation.

#include "mesh/region.h"

#include <string.h>

void* tac_region_alloc(tacRegion* blocks, size_t count, size_t size) {
    size_t bytes = (count ? count : 1) * size + TAC_ALIGNMENT;
    if (bytes > blocks->most) return NULL;
    char* block = blocks->allocator.allocate(blocks->allocator.user, bytes);
    if (!block) return NULL;
    blocks->most -= bytes;
    memset(block, 0, bytes);
    *(void**)(void*)block = blocks->last;
    blocks->last = block;
    return block + TAC_ALIGNMENT;
}

void tac_region_release(tacRegion* blocks) {
    while (blocks->last) {
        void* block = blocks->last;
        blocks->last = *(void**)block;
        blocks->allocator.release(blocks->allocator.user, block);
    }
}
