/// Memory allocation. Only tac_load and tac_*_create allocate; a step never does.
#ifndef TACTUS_MEMORY_H
#define TACTUS_MEMORY_H

#include "tactus/real.h"

#include <stddef.h>

TAC_EXTERN_C_BEGIN

/// Alignment of every block that the library asks for [bytes].
#define TAC_ALIGNMENT 64

/// A source of memory. The library releases each block with the allocator that made it.
typedef struct tacAllocator {
    void* (*allocate)(void* user, size_t size); ///< returns an aligned block, or NULL
    void (*release)(void* user, void* block);   ///< frees a block; NULL is allowed
    void* user;                                 ///< first argument of both
} tacAllocator;

/// The allocator of the C library: aligned_alloc and free.
TAC_API
tacAllocator tac_default_allocator(void);

TAC_EXTERN_C_END

#endif
