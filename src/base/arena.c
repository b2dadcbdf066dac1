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
    *arena = (tacArena){base, size, 0};
    return TAC_OK;
}

void tac_arena_destroy(tacArena* arena, tacAllocator allocator) {
    if (arena->base) allocator.release(allocator.user, arena->base);
    *arena = (tacArena){0};
}

void* tac_arena_alloc(tacArena* arena, size_t size) {
    size_t need = tac_arena_align(size);
    TAC_ASSERT(need <= arena->size - arena->used);
    char* block = arena->base + arena->used;
    arena->used += need;
    return block;
}
