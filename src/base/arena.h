// A block of memory that is allocated front to back and released all at once.
//
// Scratch memory of the engine. Its size is known at creation, so allocating from it cannot fail at
// run time; a short arena is a bug. The size is measured by a dry run: an arena without memory
// (tac_arena_measure) counts what the same alloc functions ask for, and returns NULL to them.

#ifndef TAC_BASE_ARENA_H
#define TAC_BASE_ARENA_H

#include "tactus/memory.h"
#include "tactus/result.h"

typedef struct tacArena {
    char* base; // NULL: the arena measures
    size_t size, used;
    size_t peak;  // the most that was in use
    size_t scale; // of a measuring arena: bytes counted for each byte; 2 where the same code runs
                  // on numbers twice as long as doubles
} tacArena;

// size that tac_arena_alloc(…, size) uses up
size_t tac_arena_align(size_t size);

// An arena for a dry run: alloc functions lay out as usual, and must not write to the memory.
tacArena tac_arena_measure(size_t scale);
static inline int tac_arena_measures(const tacArena* arena) { return !arena->base; }

// an arena over memory of the caller, who has measured what it needs
static inline tacArena tac_arena_over(void* memory) {
    return (tacArena){.base = memory, .size = (size_t)-1};
}

tacResult tac_arena_create(tacArena* arena, size_t size, tacAllocator allocator);
void tac_arena_destroy(tacArena* arena, tacAllocator allocator);

// TAC_ALIGNMENT-aligned, not cleared
void* tac_arena_alloc(tacArena* arena, size_t size);

// `count` objects of a type
#define TAC_ALLOC(arena, type, count)                                                              \
    ((type*)tac_arena_alloc(arena, sizeof(type) * (size_t)(count)))

#endif
