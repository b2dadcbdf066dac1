// A small thread pool: run a numbered set of jobs on all threads and wait.
//
// Jobs are taken in order from one counter, so which thread runs a job is open; results must not
// depend on it (docs/numbers.md, same bits). The calling thread works too.

#ifndef TAC_BASE_POOL_H
#define TAC_BASE_POOL_H

#include "tactus/memory.h"
#include "tactus/result.h"

typedef struct tacPool tacPool;

// `job` in [0, count), `worker` in [0, threads): index of scratch memory of its own
typedef void (*tacJob)(void* context, int job, int worker);

// threads = 0: one for each core that this process may use
tacResult tac_pool_create(int threads, tacAllocator allocator, tacPool** out);
void tac_pool_destroy(tacPool* pool);
int tac_pool_threads(const tacPool* pool);
void tac_pool_run(tacPool* pool, int count, tacJob job, void* context);

#endif
