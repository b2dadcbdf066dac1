// Allocator hook and arena.

#include "base/arena.h"

#include "base/assert.h"

//---------------------------------- default allocator ----------------------------

static void* default_allocate(void* user, size_t size) {
    (void)user;
    return aligned_alloc(TAC_ALIGNMENT, tac_arena_align(size));
}

static void default_release(void* user, void* block) {
    (void)user;
    free(block);
}

tacAllocator tac_default_allocator(void) {
    return (tacAllocator){default_allocate, default_release, NULL};
}

//---------------------------------- arena ----------------------------------------

size_t tac_arena_align(size_t size) {
    return (size + TAC_ALIGNMENT - 1) / TAC_ALIGNMENT * TAC_ALIGNMENT;
}

tacResult tac_arena_create(tacArena* arena, size_t size, tacAllocator allocator) {
    size = tac_arena_align(size ? size : 1);
    char* base = allocator.allocate(allocator.user, size);
    if (!base) return TAC_ERROR_MEMORY;
    *arena = (tacArena){.base = base, .size = size};
    return TAC_OK;
}

void tac_arena_destroy(tacArena* arena, tacAllocator allocator) {
    if (arena->base) allocator.release(allocator.user, arena->base);
    *arena = (tacArena){0};
}

tacArena tac_arena_measure(size_t scale) { return (tacArena){.scale = scale}; }

void* tac_arena_alloc(tacArena* arena, size_t size) {
    int measures = tac_arena_measures(arena);
    size_t need = tac_arena_align(measures ? size * arena->scale : size);
    TAC_ASSERT(measures || need <= arena->size - arena->used);
    char* block = measures ? NULL : arena->base + arena->used;
    arena->used += need;
    if (arena->used > arena->peak) arena->peak = arena->used;
    return block;
}
