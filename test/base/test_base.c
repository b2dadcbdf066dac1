// Base: results, messages, arena, thread pool, dispatch.

#include "base/arena.h"
#include "base/dispatch.h"
#include "base/message.h"
#include "base/pool.h"
#include "test.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

//---------------------------------- results --------------------------------------

static int every_result_has_name_and_text(void) {
    for (int i = 0; i < TAC_RESULT_COUNT; ++i) {
        ENSURE(strncmp(tac_result_name((tacResult)i), "TAC_", 4) == 0);
        ENSURE(strlen(tac_result_text((tacResult)i)) > 1);
    }
    ENSURE(strcmp(tac_result_name(TAC_ERROR_VALUE), "TAC_ERROR_VALUE") == 0);
    ENSURE(strcmp(tac_result_name((tacResult)99), "TAC_UNKNOWN") == 0);
    return 0;
}

static int messages_hold_location_and_text(void) {
    tacMessage message;
    tacResult result =
        tac_fail(&message, TAC_ERROR_VALUE, "a.xml", 12, "size", "%d is not > 0", -3);
    ENSURE(result == TAC_ERROR_VALUE);
    ENSURE(strcmp(message.text, "-3 is not > 0") == 0);
    ENSURE(strcmp(message.file, "a.xml") == 0 && message.line == 12);
    ENSURE(strcmp(message.attribute, "size") == 0);
    ENSURE(tac_fail(NULL, TAC_ERROR_FILE, "a", 1, NULL, "nobody listens") == TAC_ERROR_FILE);
    return 0;
}

static int long_messages_are_cut_visibly(void) {
    char longest[sizeof(tacMessage) + 600];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    tacMessage message;
    tac_fail(&message, TAC_ERROR_VALUE, longest, 1, longest, "%s", longest);
    ENSURE(strlen(message.text) == sizeof message.text - 1);
    ENSURE(strcmp(message.text + sizeof message.text - 4, "...") == 0);
    ENSURE(strlen(message.attribute) == sizeof message.attribute - 1);
    return 0;
}

//---------------------------------- memory ---------------------------------------

static int arena_blocks_are_aligned_and_disjoint(void) {
    tacArena arena;
    ENSURE(tac_arena_create(&arena, 1000, tac_default_allocator()) == TAC_OK);
    char* a = TAC_ALLOC(&arena, char, 3);
    double* b = TAC_ALLOC(&arena, double, 5);
    ENSURE((uintptr_t)a % TAC_ALIGNMENT == 0 && (uintptr_t)b % TAC_ALIGNMENT == 0);
    ENSURE((char*)b >= a + 3);
    ENSURE(arena.used == tac_arena_align(3) + tac_arena_align(5 * sizeof(double)));
    tac_arena_destroy(&arena, tac_default_allocator());
    ENSURE(arena.base == NULL);
    return 0;
}

static void* refuse_alloc(void* user, size_t size) {
    (void)user;
    (void)size;
    return NULL;
}

static void ignore_release(void* user, void* block) {
    (void)user;
    (void)block;
}

static int no_memory_is_a_result(void) {
    tacAllocator none = {refuse_alloc, ignore_release, NULL};
    tacArena arena = {0};
    tacPool* pool = NULL;
    ENSURE(tac_arena_create(&arena, 10, none) == TAC_ERROR_MEMORY);
    ENSURE(tac_pool_create(2, none, &pool) == TAC_ERROR_MEMORY && pool == NULL);
    return 0;
}

//---------------------------------- pool -----------------------------------------

typedef struct poolCount {
    atomic_int* runs;
    atomic_int bad_worker;
    int threads;
} poolCount;

static void count_job(void* context, int job, int worker) {
    poolCount* c = context;
    atomic_fetch_add(&c->runs[job], 1);
    if (worker < 0 || worker >= c->threads) atomic_store(&c->bad_worker, 1);
}

static int every_job_runs_once(void) {
    enum { JOBS = 1000 };
    static atomic_int runs[JOBS];
    for (int threads = 1; threads <= 4; ++threads) {
        tacPool* pool;
        ENSURE(tac_pool_create(threads, tac_default_allocator(), &pool) == TAC_OK);
        poolCount c = {.runs = runs, .threads = tac_pool_threads(pool)};
        for (int round = 0; round < 50; ++round) {
            for (int i = 0; i < JOBS; ++i) atomic_store(&runs[i], 0);
            int jobs = round % 10 == 9 ? 0 : JOBS - round;
            tac_pool_run(pool, jobs, count_job, &c);
            for (int i = 0; i < JOBS; ++i) ENSURE(atomic_load(&runs[i]) == (i < jobs));
        }
        ENSURE(!atomic_load(&c.bad_worker));
        tac_pool_destroy(pool);
    }
    tac_pool_destroy(NULL);
    return 0;
}

static int negative_threads_are_refused(void) {
    tacPool* pool = NULL;
    ENSURE(tac_pool_create(-1, tac_default_allocator(), &pool) == TAC_ERROR_VALUE);
    ENSURE(tac_pool_create(0, tac_default_allocator(), &pool) == TAC_OK);
    ENSURE(tac_pool_threads(pool) >= 1);
    tac_pool_destroy(pool);
    return 0;
}

//---------------------------------- dispatch -------------------------------------

static int selected_isa_is_supported(void) {
    ENSURE(tac_isa_supported(TAC_ISA_BASELINE));
    ENSURE(tac_isa_supported(tac_isa()));
    ENSURE(tac_isa() == tac_isa());
    setenv("TACTUS_ISA", "mmx", 1);
    ENSURE(tac_isa_warning() != NULL);
    setenv("TACTUS_ISA", "baseline", 1);
    ENSURE(tac_isa_warning() == NULL);
    unsetenv("TACTUS_ISA");
    ENSURE(tac_isa_warning() == NULL);
    return 0;
}

TEST_MAIN(RUN(every_result_has_name_and_text), RUN(messages_hold_location_and_text),
          RUN(long_messages_are_cut_visibly), RUN(arena_blocks_are_aligned_and_disjoint),
          RUN(no_memory_is_a_result), RUN(every_job_runs_once), RUN(negative_threads_are_refused),
          RUN(selected_isa_is_supported))
