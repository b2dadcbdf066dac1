// Batches: rows of states on a pool of threads that stays.
//
//   states, controls --pool: a block of rows is a job--> tac_step, tac_rollout, derivatives
//
// A scratch serves one thread at a time. A scene with fewer rows than threads has one for each row,
// another has one for each thread, so that the working memory of a thread stays in its cache.

#include "tactus/batch.h"

#include "base/pool.h"
#include "step/step.h"

#include <stdlib.h>
#include <string.h>

// places of a row's numbers in packed arrays
typedef struct batchPlace {
    size_t x, u, theta, A, B, state;
} batchPlace;

typedef struct batchRow {
    const tacModel* model;
    tacState state;
    batchPlace at;
    int scratch; // its scratch, or the first of those of the threads
    int shared;  // 1: one scratch for each thread
    tacResult result;
    tacInfo info;
} batchRow;

struct tacBatch {
    tacPool* pool;
    int rows, threads, scratches, lanes;
    batchRow* row;
    tacScratch** scratch;
    double* numbers; // of all states
};

// what a job does with a row
typedef struct batchTask {
    tacBatch* batch;
    tacResult (*run)(const struct batchTask* task, batchRow* row, tacScratch* scratch, int worker);
    const tacReal *ctrl, *next_bar;
    const tacBatchTangent *dot, *bar;
    const tacBatchRollout* rollout;
    const tacBatchRolloutAdjoint* rollout_bar;
    tacReal *A, *B, *next_dot;
    char* memory; // of the threads
    size_t memory_size;
} batchTask;

//---------------------------------- creation -------------------------------------

// row, model, and the order of rows by model
typedef struct modelRow {
    const tacModel* model;
    int row;
} modelRow;

static int compare_models(const void* a, const void* b) {
    const modelRow *m = a, *n = b;
    if (m->model != n->model) return (size_t)m->model < (size_t)n->model ? -1 : 1;
    return m->row - n->row;
}

// scratches of `count` rows of one model
static tacResult create_scratches(tacBatch* batch, const modelRow* rows, int count) {
    int shared = count > batch->threads, needed = shared ? batch->threads : count;
    for (int i = 0; i < count; ++i) {
        batchRow* row = &batch->row[rows[i].row];
        row->shared = shared;
        row->scratch = batch->scratches + (shared ? 0 : i);
    }
    tacResult result = TAC_OK;
    for (int i = 0; i < needed && result == TAC_OK; ++i) {
        result = tac_scratch_create(rows->model, &batch->scratch[batch->scratches]);
        batch->scratches += result == TAC_OK;
    }
    return result;
}

static tacResult create_all_scratches(tacBatch* batch) {
    int rows = batch->rows;
    modelRow* order = malloc(sizeof *order * (size_t)rows);
    if (!order) return TAC_ERROR_MEMORY;
    for (int i = 0; i < rows; ++i) order[i] = (modelRow){batch->row[i].model, i};
    qsort(order, (size_t)rows, sizeof *order, compare_models);
    tacResult result = TAC_OK;
    for (int first = 0, last; first < rows && result == TAC_OK; first = last) {
        for (last = first; last < rows && order[last].model == order[first].model;) ++last;
        result = create_scratches(batch, order + first, last - first);
    }
    free(order);
    return result;
}

static void place_rows(tacBatch* batch) {
    batchPlace at = {0};
    for (int i = 0; i < batch->rows; ++i) {
        const tacModel* m = batch->row[i].model;
        size_t nx = (size_t)tac_tangent_size(m), nu = (size_t)m->nu;
        batch->row[i].at = at;
        at.x += nx;
        at.u += nu;
        at.theta += (size_t)m->nparam;
        at.A += nx * nx;
        at.B += nx * nu;
        at.state += (size_t)tac_state_size(m);
    }
}

// qpos of all rows, then qvel, act and warm
static tacResult create_states(tacBatch* batch) {
    size_t nq = 0, nv = 0, na = 0, all = 0;
    for (int i = 0; i < batch->rows; ++i) {
        const tacModel* m = batch->row[i].model;
        nq += (size_t)m->nq;
        nv += (size_t)m->nv;
        na += (size_t)m->na;
        all += (size_t)tac_state_size(m);
    }
    batch->numbers = calloc(all + 1, sizeof(double));
    if (!batch->numbers) return TAC_ERROR_MEMORY;
    double *q = batch->numbers, *v = q + nq, *a = v + nv, *w = a + na;
    for (int i = 0; i < batch->rows; ++i) {
        batchRow* row = &batch->row[i];
        row->state = (tacState){.qpos = q, .qvel = v, .act = a, .warm = w};
        q += row->model->nq;
        v += row->model->nv;
        a += row->model->na;
        w += row->model->nwarm;
        tacResult result = tac_state_reset(row->model, &row->state);
        if (result != TAC_OK) return result;
    }
    return TAC_OK;
}

static tacResult fill_batch(tacBatch* batch, const tacModel* const* models, int threads) {
    size_t rows = (size_t)batch->rows;
    batch->row = calloc(rows, sizeof *batch->row);
    if (!batch->row) return TAC_ERROR_MEMORY;
    for (size_t i = 0; i < rows; ++i) batch->row[i].model = models[i];
    tacResult result = tac_pool_create(threads, tac_default_allocator(), &batch->pool);
    if (result != TAC_OK) return result;
    batch->threads = tac_pool_threads(batch->pool);
    batch->lanes = TAC_MAX_LANES;
    batch->scratch = calloc(rows + (size_t)batch->threads, sizeof *batch->scratch);
    if (!batch->scratch) return TAC_ERROR_MEMORY;
    place_rows(batch);
    result = create_states(batch);
    return result == TAC_OK ? create_all_scratches(batch) : result;
}

tacResult tac_batch_create(const tacModel* const* models, int rows, int threads, tacBatch** out) {
    if (!models || !out || rows < 1 || threads < 0 || threads > 4096) return TAC_ERROR_VALUE;
    for (int i = 0; i < rows; ++i)
        if (!models[i]) return TAC_ERROR_VALUE;
    tacBatch* batch = calloc(1, sizeof *batch);
    if (!batch) return TAC_ERROR_MEMORY;
    batch->rows = rows;
    tacResult result = fill_batch(batch, models, threads);
    if (result == TAC_OK)
        *out = batch;
    else
        tac_batch_destroy(batch);
    return result;
}

void tac_batch_destroy(tacBatch* batch) {
    if (!batch) return;
    tac_pool_destroy(batch->pool);
    for (int i = 0; i < batch->scratches; ++i) tac_scratch_destroy(batch->scratch[i]);
    free(batch->scratch);
    free(batch->numbers);
    free(batch->row);
    free(batch);
}

//---------------------------------- queries --------------------------------------

int tac_batch_rows(const tacBatch* batch) { return batch ? batch->rows : 0; }

int tac_batch_threads(const tacBatch* batch) { return batch ? batch->threads : 0; }

static int has_row(const tacBatch* batch, int row) {
    return batch && row >= 0 && row < batch->rows;
}

tacState* tac_batch_state(tacBatch* batch, int row) {
    return has_row(batch, row) ? &batch->row[row].state : NULL;
}

tacResult tac_batch_result(const tacBatch* batch, int row) {
    return has_row(batch, row) ? batch->row[row].result : TAC_ERROR_VALUE;
}

tacInfo tac_batch_info(const tacBatch* batch, int row) {
    return has_row(batch, row) ? batch->row[row].info : (tacInfo){0};
}

//---------------------------------- tasks ----------------------------------------

static tacScratch* scratch_of(const tacBatch* batch, const batchRow* row, int worker) {
    return batch->scratch[row->scratch + (row->shared ? worker : 0)];
}

static void run_row(void* context, int job, int worker) {
    const batchTask* task = context;
    batchRow* row = &task->batch->row[job];
    tacScratch* scratch = scratch_of(task->batch, row, worker);
    row->result = task->run(task, row, scratch, worker);
    row->info = tac_step_info(scratch);
}

static tacResult first_error(const tacBatch* batch) {
    for (int i = 0; i < batch->rows; ++i)
        if (batch->row[i].result != TAC_OK) return batch->row[i].result;
    return TAC_OK;
}

static tacResult run_task(batchTask* task) {
    tac_pool_run(task->batch->pool, task->batch->rows, run_row, task);
    return first_error(task->batch);
}

static int needs_control(const tacBatch* batch, const tacReal* ctrl) {
    for (int i = 0; i < batch->rows && !ctrl; ++i)
        if (batch->row[i].model->nu > 0) return 1;
    return 0;
}

static const tacReal* control_of(const batchTask* task, const batchRow* row) {
    return task->ctrl ? task->ctrl + row->at.u : NULL;
}

// part of a packed array, or NULL
static tacReal* part(tacReal* array, size_t at) { return array ? array + at : NULL; }

static tacTangent state_tangent(const tacModel* model, tacReal* x) {
    if (!x) return (tacTangent){NULL, NULL, NULL};
    return (tacTangent){x, x + model->nv, x + 2 * model->nv};
}

static tacStepTangent step_tangent(const batchRow* row, const tacBatchTangent* t) {
    return (tacStepTangent){.x = state_tangent(row->model, part(t->x, row->at.x)),
                            .u = part(t->u, row->at.u),
                            .theta = part(t->theta, row->at.theta)};
}

//---------------------------------- steps ----------------------------------------

static tacResult step_row(const batchTask* task, batchRow* row, tacScratch* scratch, int worker) {
    (void)worker;
    return tac_step(row->model, &row->state, control_of(task, row), &row->state, scratch);
}

// Rows of a block without contact go through the kernels together, one in each lane.
static void step_rows(void* context, int job, int worker) {
    const batchTask* task = context;
    tacBatch* batch = task->batch;
    tacStepItem item[TAC_MAX_LANES];
    int first = job * batch->lanes, count = batch->rows - first;
    count = count < batch->lanes ? count : batch->lanes;
    for (int i = 0; i < count; ++i) {
        batchRow* row = &batch->row[first + i];
        item[i] = (tacStepItem){row->model,
                                &row->state,
                                control_of(task, row),
                                &row->state,
                                scratch_of(batch, row, worker),
                                TAC_OK};
    }
    int contact = 0;
    for (int i = 0; i < count; ++i) contact |= item[i].model->contact != NULL;
    for (int i = 0; i < count && contact; ++i) run_row(context, first + i, worker);
    if (contact) return;
    tac_step_items(item, count);
    for (int i = 0; i < count; ++i) {
        batch->row[first + i].result = item[i].result;
        batch->row[first + i].info = tac_step_info(item[i].scratch);
    }
}

tacResult tac_batch_step(tacBatch* batch, const tacReal* ctrl) {
    if (!batch || needs_control(batch, ctrl)) return TAC_ERROR_VALUE;
    batchTask task = {.batch = batch, .run = step_row, .ctrl = ctrl};
    tac_pool_run(batch->pool, (batch->rows + batch->lanes - 1) / batch->lanes, step_rows, &task);
    return first_error(batch);
}

//---------------------------------- rollouts -------------------------------------

static tacRollout rollout_of(const batchTask* task, batchRow* row) {
    const tacBatchRollout* r = task->rollout;
    size_t steps = (size_t)r->steps;
    return (tacRollout){.start = &row->state,
                        .ctrl = r->ctrl ? r->ctrl + steps * row->at.u : NULL,
                        .steps = r->steps,
                        .states = part(r->states, (steps + 1) * row->at.state)};
}

// the state before the call is kept in the thread's memory, to be put back on an error
static tacResult rollout_row(const batchTask* task, batchRow* row, tacScratch* scratch,
                             int worker) {
    tacRollout rollout = rollout_of(task, row);
    tacReal* memory = (tacReal*)(void*)(task->memory + (size_t)worker * task->memory_size);
    tacState before = tac_state_view(row->model, memory, 0);
    before.time = row->state.time;
    tac_state_copy(row->model, &row->state, &before);
    rollout.end = &row->state;
    tacResult result = tac_rollout(row->model, &rollout, scratch);
    if (result != TAC_OK) tac_state_copy(row->model, &before, &row->state);
    return result;
}

static int rollout_is_valid(const tacBatch* batch, const tacBatchRollout* r) {
    return batch && r && r->steps >= 0 && !(r->steps > 0 && needs_control(batch, r->ctrl));
}

// memory of the threads, and the task in it
static tacResult run_with_memory(batchTask* task, size_t size) {
    task->memory_size = (size + TAC_ALIGNMENT) / TAC_ALIGNMENT * TAC_ALIGNMENT;
    task->memory = aligned_alloc(TAC_ALIGNMENT, task->memory_size * (size_t)task->batch->threads);
    if (!task->memory) return TAC_ERROR_MEMORY;
    tacResult result = run_task(task);
    free(task->memory);
    return result;
}

tacResult tac_batch_rollout(tacBatch* batch, const tacBatchRollout* rollout) {
    if (!rollout_is_valid(batch, rollout)) return TAC_ERROR_VALUE;
    batchTask task = {.batch = batch, .run = rollout_row, .rollout = rollout};
    size_t size = 0;
    for (int i = 0; i < batch->rows; ++i) {
        size_t own = sizeof(tacReal) * (size_t)tac_state_size(batch->row[i].model);
        size = own > size ? own : size;
    }
    return run_with_memory(&task, size);
}

static tacResult rollout_vjp_row(const batchTask* task, batchRow* row, tacScratch* scratch,
                                 int worker) {
    const tacBatchRolloutAdjoint* b = task->rollout_bar;
    tacRollout rollout = rollout_of(task, row);
    size_t steps = (size_t)rollout.steps;
    tacStepTangent bar = {.x = state_tangent(row->model, part(b->x, row->at.x)),
                          .u = part(b->u, steps * row->at.u),
                          .theta = part(b->theta, row->at.theta)};
    return tac_rollout_vjp(row->model, &rollout, b->states_bar + (steps + 1) * row->at.x, bar,
                           task->memory + (size_t)worker * task->memory_size, scratch);
}

tacResult tac_batch_rollout_vjp(tacBatch* batch, const tacBatchRollout* rollout,
                                const tacBatchRolloutAdjoint* bar) {
    if (!rollout_is_valid(batch, rollout) || !bar || !bar->states_bar) return TAC_ERROR_VALUE;
    batchTask task = {
        .batch = batch, .run = rollout_vjp_row, .rollout = rollout, .rollout_bar = bar};
    size_t size = 0;
    for (int i = 0; i < batch->rows; ++i) {
        size_t own = tac_rollout_vjp_size(batch->row[i].model, rollout->steps);
        size = own > size ? own : size;
    }
    return run_with_memory(&task, size);
}

//---------------------------------- derivatives ----------------------------------

static tacResult jacobian_row(const batchTask* task, batchRow* row, tacScratch* scratch,
                              int worker) {
    (void)worker;
    tacStepJacobian out = {.A = part(task->A, row->at.A), .B = part(task->B, row->at.B)};
    return tac_step_jacobian(row->model, &row->state, control_of(task, row), &out, scratch);
}

tacResult tac_batch_jacobian(tacBatch* batch, const tacReal* ctrl, tacReal* A, tacReal* B) {
    if (!batch || needs_control(batch, ctrl)) return TAC_ERROR_VALUE;
    batchTask task = {.batch = batch, .run = jacobian_row, .ctrl = ctrl, .A = A, .B = B};
    return run_task(&task);
}

static tacResult jvp_row(const batchTask* task, batchRow* row, tacScratch* scratch, int worker) {
    (void)worker;
    return tac_step_jvp(row->model, &row->state, control_of(task, row),
                        step_tangent(row, task->dot),
                        state_tangent(row->model, task->next_dot + row->at.x), scratch);
}

tacResult tac_batch_jvp(tacBatch* batch, const tacReal* ctrl, const tacBatchTangent* dot,
                        tacReal* next_dot) {
    if (!batch || !dot || !next_dot || needs_control(batch, ctrl)) return TAC_ERROR_VALUE;
    batchTask task = {
        .batch = batch, .run = jvp_row, .ctrl = ctrl, .dot = dot, .next_dot = next_dot};
    return run_task(&task);
}

// adjoints are only read
static tacTangent next_bar_of(const batchTask* task, const batchRow* row) {
    return state_tangent(row->model, (tacReal*)task->next_bar + row->at.x);
}

static tacResult vjp_row(const batchTask* task, batchRow* row, tacScratch* scratch, int worker) {
    (void)worker;
    return tac_step_vjp(row->model, &row->state, control_of(task, row), next_bar_of(task, row),
                        step_tangent(row, task->bar), scratch);
}

tacResult tac_batch_vjp(tacBatch* batch, const tacReal* ctrl, const tacReal* next_bar,
                        const tacBatchTangent* bar) {
    if (!batch || !next_bar || !bar || needs_control(batch, ctrl)) return TAC_ERROR_VALUE;
    batchTask task = {
        .batch = batch, .run = vjp_row, .ctrl = ctrl, .next_bar = next_bar, .bar = bar};
    return run_task(&task);
}

static tacResult hvp_row(const batchTask* task, batchRow* row, tacScratch* scratch, int worker) {
    (void)worker;
    tacStepHvp product = {.next_bar = next_bar_of(task, row),
                          .dot = step_tangent(row, task->dot),
                          .bar = step_tangent(row, task->bar)};
    return tac_step_hvp(row->model, &row->state, control_of(task, row), &product, scratch);
}

tacResult tac_batch_hvp(tacBatch* batch, const tacReal* ctrl, const tacReal* next_bar,
                        const tacBatchTangent* dot, const tacBatchTangent* bar) {
    if (!batch || !next_bar || !dot || !bar || needs_control(batch, ctrl)) return TAC_ERROR_VALUE;
    batchTask task = {
        .batch = batch, .run = hvp_row, .ctrl = ctrl, .next_bar = next_bar, .dot = dot, .bar = bar};
    return run_task(&task);
}
