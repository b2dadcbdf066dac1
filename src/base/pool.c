// Thread pool on pthreads.
//
// One mutex guards the round number and the count of busy workers; the job counter is atomic. A
// worker sleeps until the round changes, empties the counter, and reports back.

#define _GNU_SOURCE
#include "base/pool.h"

#include "base/assert.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

typedef struct tacWorker {
    tacPool* pool;
    pthread_t thread;
    int index;
} tacWorker;

struct tacPool {
    tacAllocator allocator;
    tacWorker* workers; // (threads - 1), the caller is worker 0
    int threads;

    pthread_mutex_t mutex;
    pthread_cond_t start, done;
    int round, busy, stopping;

    tacJob job;
    void* context;
    int count;
    atomic_int next;
};

//---------------------------------- workers --------------------------------------

static void run_jobs(tacPool* pool, int worker) {
    for (int job; (job = atomic_fetch_add(&pool->next, 1)) < pool->count;)
        pool->job(pool->context, job, worker);
}

static void* worker_main(void* argument) {
    tacWorker* self = argument;
    tacPool* pool = self->pool;
    int last_round = 0;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (pool->round == last_round && !pool->stopping)
            pthread_cond_wait(&pool->start, &pool->mutex);
        if (pool->stopping) break;
        last_round = pool->round;
        pthread_mutex_unlock(&pool->mutex);
        run_jobs(pool, self->index);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->busy == 0) pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

//---------------------------------- pool -----------------------------------------

static int available_cores(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    int count = CPU_COUNT(&set);
    return count > 0 ? count : 1;
}

// starts the workers; fewer than asked for is no error as long as the caller can work
static void start_workers(tacPool* pool, int wanted) {
    pool->threads = 1;
    for (int i = 1; i < wanted; ++i) {
        tacWorker* worker = &pool->workers[i - 1];
        *worker = (tacWorker){.pool = pool, .index = i};
        if (pthread_create(&worker->thread, NULL, worker_main, worker) != 0) return;
        pool->threads = i + 1;
    }
}

tacResult tac_pool_create(int threads, tacAllocator allocator, tacPool** out) {
    if (threads < 0) return TAC_ERROR_VALUE;
    if (threads == 0) threads = available_cores();
    size_t size = sizeof(tacPool) + sizeof(tacWorker) * (size_t)threads;
    tacPool* pool = allocator.allocate(allocator.user, size);
    if (!pool) return TAC_ERROR_MEMORY;
    memset(pool, 0, size);
    pool->allocator = allocator;
    pool->workers = (tacWorker*)(pool + 1);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->start, NULL);
    pthread_cond_init(&pool->done, NULL);
    start_workers(pool, threads);
    *out = pool;
    return TAC_OK;
}

void tac_pool_destroy(tacPool* pool) {
    if (!pool) return;
    pthread_mutex_lock(&pool->mutex);
    pool->stopping = 1;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 1; i < pool->threads; ++i) pthread_join(pool->workers[i - 1].thread, NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->start);
    pthread_mutex_destroy(&pool->mutex);
    pool->allocator.release(pool->allocator.user, pool);
}

int tac_pool_threads(const tacPool* pool) { return pool->threads; }

void tac_pool_run(tacPool* pool, int count, tacJob job, void* context) {
    TAC_ASSERT(count >= 0);
    pthread_mutex_lock(&pool->mutex);
    pool->job = job;
    pool->context = context;
    pool->count = count;
    atomic_store(&pool->next, 0);
    pool->busy = pool->threads - 1;
    ++pool->round;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->mutex);

    run_jobs(pool, 0);

    pthread_mutex_lock(&pool->mutex);
    while (pool->busy > 0) pthread_cond_wait(&pool->done, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}
