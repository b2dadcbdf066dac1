// Memory of one long computation: blocks of a model's allocator, given back all at once.

#ifndef TAC_SHAPE_BLOCKS_H
#define TAC_SHAPE_BLOCKS_H

#include "tactus/memory.h"

typedef struct tacBlocks {
    tacAllocator allocator;
    void* last;  // chain of blocks
    size_t most; // bytes still allowed; an asked size beyond it fails like a full memory
} tacBlocks;

// cleared and TAC_ALIGNMENT-aligned, or NULL
void* tac_blocks_take(tacBlocks* blocks, size_t count, size_t size);

// all blocks back
void tac_blocks_release(tacBlocks* blocks);

#define TAC_BLOCKS_TAKE(blocks, type, count)                                                       \
    ((type*)tac_blocks_take(blocks, (size_t)(count), sizeof(type)))

#endif
