// A block of memory that is handed out front to back and taken back all at once.
//
// Scratch memory of the engine: the size is known at creation, so taking from it cannot fail at
// run time; a short arena is a bug.

#ifndef TAC_BASE_ARENA_H
#define TAC_BASE_ARENA_H

#include "tactus/memory.h"
#include "tactus/result.h"

typedef struct tacArena {
    char* base;
    size_t size, used;
} tacArena;

// size that tac_arena_alloc(…, size) uses up
size_t tac_arena_align(size_t size);

tacResult tac_arena_create(tacArena* arena, size_t size, tacAllocator allocator);
void tac_arena_destroy(tacArena* arena, tacAllocator allocator);

// TAC_ALIGNMENT-aligned, not cleared
void* tac_arena_alloc(tacArena* arena, size_t size);

// `count` objects of a type
#define TAC_ALLOC(arena, type, count)                                                              \
    ((type*)tac_arena_alloc(arena, sizeof(type) * (size_t)(count)))

#endif
