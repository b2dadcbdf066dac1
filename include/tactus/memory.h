/// Where memory comes from. Only tac_load and tac_*_create allocate; a step never does.
#ifndef TACTUS_MEMORY_H
#define TACTUS_MEMORY_H

#include "tactus/real.h"

#include <stddef.h>

TAC_EXTERN_C_BEGIN

/// Alignment of every block that the library asks for, in bytes.
#define TAC_ALIGNMENT 64

/// Source of memory. What was created with one is released with the same one.
typedef struct tacAllocator {
    void* (*allocate)(void* user, size_t size); ///< TAC_ALIGNMENT-aligned block, or NULL
    void (*release)(void* user, void* block);   ///< gives a block back; NULL is allowed
    void* user;                                 ///< handed to both
} tacAllocator;

/// The C library's aligned_alloc and free.
TAC_API
tacAllocator tac_default_allocator(void);

TAC_EXTERN_C_END

#endif
