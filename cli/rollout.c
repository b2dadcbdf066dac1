// Runs side by side: groups of them go through the lanes of the kernels, groups are shared out over
// threads. Each run sees its own control, and no other run.

#define _GNU_SOURCE
#include "rollout.h"

#include "progress.h"
#include "report.h"

#include "base/pool.h"
#include "tactus/respond.h"
#include "tactus/step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// runs of a group: as many as the widest kernels have lanes
#define GROUP 8
// steps between two looks at the clock
#define SLICE 500

typedef struct element {
    tacState state;
    double* ctrl;
    tacScratch* scratch;
    tacResult result;
    long long done;
} element;

typedef struct rolloutWork {
    cliRollout* rollout;
    element* elements;
    double* numbers;
    tacState before;    // of the first run, before its last step
    long long from, to; // steps of this slice
} rolloutWork;

//---------------------------------- memory ---------------------------------------

static size_t numbers_of(const tacModel* m) {
    return (size_t)m->nq + (size_t)m->nv + (size_t)m->na + (size_t)m->nwarm + (size_t)m->nu;
}

static void copy(double* to, const double* from, int count) {
    if (count > 0) memcpy(to, from, sizeof *to * (size_t)count);
}

static tacState state_in(const tacModel* m, double* at) {
    double *qvel = at + m->nq, *act = qvel + m->nv;
    return (tacState){.qpos = at, .qvel = qvel, .act = act, .warm = act + m->na};
}

static void copy_state(const tacModel* m, const tacState* from, tacState* to) {
    copy(to->qpos, from->qpos, m->nq);
    copy(to->qvel, from->qvel, m->nv);
    copy(to->act, from->act, m->na);
    copy(to->warm, from->warm, m->nwarm);
    to->time = from->time;
}

static tacResult set_element(const cliRollout* r, double* at, element* e) {
    const tacModel* m = r->model;
    e->state = state_in(m, at);
    e->ctrl = e->state.warm + m->nwarm;
    copy_state(m, &r->start->state, &e->state);
    return tac_scratch_create(m, &e->scratch);
}

static tacResult take_work(cliRollout* r, rolloutWork* work) {
    size_t count = (size_t)r->batch, numbers = numbers_of(r->model);
    tacResult result = TAC_OK;
    work->rollout = r;
    work->elements = calloc(count, sizeof *work->elements);
    work->numbers = calloc((count + 1) * numbers + 1, sizeof *work->numbers);
    if (!work->elements || !work->numbers) return TAC_ERROR_MEMORY;
    work->before = state_in(r->model, work->numbers + count * numbers);
    for (size_t i = 0; i < count && result == TAC_OK; ++i)
        result = set_element(r, work->numbers + i * numbers, &work->elements[i]);
    return result;
}

static void free_work(rolloutWork* work) {
    for (int i = 0; work->elements && i < work->rollout->batch; ++i)
        tac_scratch_destroy(work->elements[i].scratch);
    free(work->elements);
}

//---------------------------------- the first run --------------------------------

static void keep(cliRollout* r, const element* e, long long step) {
    long long first = r->start->step, last = first + r->steps;
    if (r->kept && ((step - first) % r->every == 0 || step == last))
        tac_trajectory_add(r->kept, &e->state, e->ctrl, step);
}

static void look_at_speed(cliRollout* r, const element* e) {
    for (int i = 0; i < r->model->nv; ++i) {
        double speed = fabs(e->state.qvel[i]);
        if (speed <= r->fastest) continue;
        r->fastest = speed;
        r->fastest_dof = i;
        r->fastest_at = e->state.time;
    }
}

static void look_at_step(rolloutWork* work, element* e) {
    cliRollout* r = work->rollout;
    double most = INFINITY;
    if (tac_stable_timestep_at(r->model, &work->before, e->ctrl, &most, e->scratch) == TAC_OK)
        r->stable = r->stiff++ > 0 ? fmin(r->stable, most) : most;
}

// what the flags of its last step say
static void look_at_flags(rolloutWork* work, element* e) {
    cliRollout* r = work->rollout;
    unsigned flags = tac_step_info(e->scratch).flags;
    double unused = 0.0;
    r->slower += (flags & TAC_FALLBACK) != 0;
    r->bounded += (flags & TAC_BOUNDED) != 0;
    if (flags & TAC_STIFF) look_at_step(work, e);
    if (!(flags & TAC_CUT_SHORT)) return;
    ++r->cut;
    if (tac_step_unused(r->model, &work->before, e->ctrl, &unused, e->scratch) == TAC_OK)
        r->unused += unused;
}

//---------------------------------- steps ----------------------------------------

// one step of those of a group that still move
static void step_group(rolloutWork* work, element* group, int count, long long step) {
    cliRollout* r = work->rollout;
    tacStepItem items[GROUP];
    element* moving[GROUP];
    int n = 0;
    for (int i = 0; i < count; ++i) {
        element* e = &group[i];
        if (e->result != TAC_OK) continue;
        cli_control_at(r->control, step, (int)(e - work->elements), e->ctrl);
        if (e == work->elements) {
            keep(r, e, step);
            copy_state(r->model, &e->state, &work->before);
        }
        moving[n] = e;
        items[n++] = (tacStepItem){r->model, &e->state, e->ctrl, &e->state, e->scratch, TAC_OK};
    }
    if (n == 1) // the same bits, without the detour
        items[0].result =
            tac_step(r->model, items[0].x, items[0].u, items[0].next, items[0].scratch);
    else if (n > 1)
        tac_step_batch(items, n, 1);
    for (int i = 0; i < n; ++i) {
        moving[i]->result = items[i].result;
        moving[i]->done += items[i].result == TAC_OK;
        if (moving[i] != work->elements || items[i].result != TAC_OK) continue;
        look_at_speed(r, moving[i]);
        look_at_flags(work, moving[i]);
    }
}

static void slice_job(void* context, int job, int worker) {
    (void)worker;
    rolloutWork* work = context;
    int first = GROUP * job, left = work->rollout->batch - first;
    for (long long step = work->from; step < work->to; ++step)
        step_group(work, work->elements + first, left < GROUP ? left : GROUP, step);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run_slices(rolloutWork* work, tacPool* pool, const char* command) {
    cliRollout* r = work->rollout;
    int jobs = (r->batch + GROUP - 1) / GROUP;
    long long first = r->start->step, last = first + r->steps;
    cliProgress progress = cli_progress_begin(command);
    double begin = now();
    look_at_speed(r, &work->elements[0]);
    for (work->from = first; work->from < last; work->from = work->to) {
        work->to = last - work->from < SLICE ? last : work->from + SLICE;
        tac_pool_run(pool, jobs, slice_job, work);
        cli_progress_show(&progress, (double)(work->to - first) / (double)r->steps);
        if (work->elements[0].result != TAC_OK) break;
    }
    r->seconds = now() - begin;
    cli_progress_end(&progress);
}

static void sum_up(rolloutWork* work) {
    cliRollout* r = work->rollout;
    element* first = &work->elements[0];
    r->end = first->state;
    r->result = first->result;
    r->done = first->done;
    for (int i = 0; i < r->batch; ++i) {
        r->stepped += work->elements[i].done;
        r->lost += work->elements[i].result != TAC_OK;
    }
    // the last state, also where a run ended before its time
    long long step = r->start->step + r->done;
    if (r->kept && (r->kept->rows == 0 || r->kept->step[r->kept->rows - 1] != step)) {
        cli_control_at(r->control, step, 0, first->ctrl);
        tac_trajectory_add(r->kept, &first->state, first->ctrl, step);
    }
}

int cli_rollout_run(cliRollout* rollout, const char* command) {
    rolloutWork work = {.rollout = rollout};
    tacPool* pool = NULL;
    tacResult result = take_work(rollout, &work);
    int threads = rollout->batch <= GROUP ? 1 : rollout->threads;
    if (result == TAC_OK) result = tac_pool_create(threads, tac_default_allocator(), &pool);
    if (result == TAC_OK) {
        rollout->threads = tac_pool_threads(pool);
        run_slices(&work, pool, command);
        sum_up(&work);
    }
    tac_pool_destroy(pool);
    free_work(&work);
    rollout->memory = work.numbers;
    return result == TAC_OK ? 0 : cli_wrong(command, "%s", tac_result_text(result));
}

void cli_rollout_free(cliRollout* rollout) { free(rollout->memory); }

long long cli_rollout_rows(const cliRollout* rollout) {
    return rollout->steps / rollout->every + 2;
}
