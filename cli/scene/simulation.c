// Batches of runs: a group of runs fills the lanes of the kernels, and threads share the groups.
// Runs are independent.

#define _GNU_SOURCE
#include "cli/scene/simulation.h"
#include "cli/clock.h"

#include "cli/progress.h"
#include "cli/report.h"

#include "base/pool.h"
#include "tactus/respond.h"
#include "tactus/step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// runs of a group: lanes of the widest kernels
#define GROUP 8
// steps between two updates of the progress
#define SLICE 500

typedef struct batchElement {
    tacState state;
    double* ctrl;
    tacScratch* scratch;
    tacResult result;
    long long done;
} batchElement;

typedef struct simulationWork {
    cliSimulation* simulation;
    batchElement* elements;
    double* numbers;
    tacState before;    // of the first run, before its last step
    long long from, to; // steps of this slice
} simulationWork;

//---------------------------------- memory ---------------------------------------

static size_t element_size(const tacModel* m) {
    return (size_t)m->nq + (size_t)m->nv + (size_t)m->na + (size_t)m->nwarm + (size_t)m->nu;
}

static void copy_doubles(double* to, const double* from, int count) {
    if (count > 0) memcpy(to, from, sizeof *to * (size_t)count);
}

static tacState state_view(const tacModel* m, double* at) {
    double *qvel = at + m->nq, *act = qvel + m->nv;
    return (tacState){.qpos = at, .qvel = qvel, .act = act, .warm = act + m->na};
}

static void copy_state(const tacModel* m, const tacState* from, tacState* to) {
    copy_doubles(to->qpos, from->qpos, m->nq);
    copy_doubles(to->qvel, from->qvel, m->nv);
    copy_doubles(to->act, from->act, m->na);
    copy_doubles(to->warm, from->warm, m->nwarm);
    to->time = from->time;
}

static tacResult init_element(const cliSimulation* r, double* at, batchElement* e) {
    const tacModel* m = r->model;
    e->state = state_view(m, at);
    e->ctrl = e->state.warm + m->nwarm;
    copy_state(m, &r->start->state, &e->state);
    return tac_scratch_create(m, &e->scratch);
}

static tacResult alloc_work(cliSimulation* r, simulationWork* work) {
    size_t count = (size_t)r->batch, numbers = element_size(r->model);
    tacResult result = TAC_OK;
    work->simulation = r;
    work->elements = calloc(count, sizeof *work->elements);
    work->numbers = calloc((count + 1) * numbers + 1, sizeof *work->numbers);
    if (!work->elements || !work->numbers) return TAC_ERROR_MEMORY;
    work->before = state_view(r->model, work->numbers + count * numbers);
    for (size_t i = 0; i < count && result == TAC_OK; ++i)
        result = init_element(r, work->numbers + i * numbers, &work->elements[i]);
    return result;
}

static void free_work(simulationWork* work) {
    for (int i = 0; work->elements && i < work->simulation->batch; ++i)
        tac_scratch_destroy(work->elements[i].scratch);
    free(work->elements);
}

//---------------------------------- the first run --------------------------------

static void record_state(cliSimulation* r, const batchElement* e, long long step) {
    long long first = r->start->step, last = first + r->steps;
    if (r->trajectory && ((step - first) % r->every == 0 || step == last))
        tac_trajectory_add(r->trajectory, &e->state, e->ctrl, step);
}

static void update_max_qvel(cliSimulation* r, const batchElement* e) {
    for (int i = 0; i < r->model->nv; ++i) {
        double speed = fabs(e->state.qvel[i]);
        if (speed <= r->max_qvel) continue;
        r->max_qvel = speed;
        r->max_qvel_dof = i;
        r->max_qvel_time = e->state.time;
    }
}

static void update_stable_timestep(simulationWork* work, batchElement* e) {
    cliSimulation* r = work->simulation;
    double max = INFINITY;
    if (tac_stable_timestep_at(r->model, &work->before, e->ctrl, &max, e->scratch) == TAC_OK)
        r->stable_timestep = r->stiff_steps++ > 0 ? fmin(r->stable_timestep, max) : max;
}

// from the flags of the last step
static void update_flags(simulationWork* work, batchElement* e) {
    cliSimulation* r = work->simulation;
    unsigned flags = tac_step_info(e->scratch).flags;
    tacInfo info = tac_step_info(e->scratch);
    double unused_time = 0.0;
    r->deep_steps += (flags & TAC_DEEP_OVERLAP) != 0;
    if (info.overlap > r->overlap.share)
        r->overlap = (cliOverlap){info.overlap,
                                  info.overlap_depth,
                                  work->before.time,
                                  {info.overlap_geom[0], info.overlap_geom[1]}};
    r->fallbacks += (flags & TAC_FALLBACK) != 0;
    r->energy_bounded += (flags & TAC_RESTITUTION_REDUCED) != 0;
    if (flags & TAC_STIFF) update_stable_timestep(work, e);
    if (!(flags & TAC_IMPACT_OVERFLOW)) return;
    ++r->cut_short;
    if (tac_step_unused(r->model, &work->before, e->ctrl, &unused_time, e->scratch) == TAC_OK)
        r->unused_time += unused_time;
}

//---------------------------------- steps ----------------------------------------

// one step of the runs of a group that have not ended
static void step_group(simulationWork* work, batchElement* group, int count, long long step) {
    cliSimulation* r = work->simulation;
    tacStepItem items[GROUP];
    batchElement* moving[GROUP];
    int n = 0;
    for (int i = 0; i < count; ++i) {
        batchElement* e = &group[i];
        if (e->result != TAC_OK) continue;
        cli_control_at(r->control, step, (int)(e - work->elements), e->ctrl);
        if (e == work->elements) {
            record_state(r, e, step);
            copy_state(r->model, &e->state, &work->before);
        }
        moving[n] = e;
        items[n++] = (tacStepItem){r->model, &e->state, e->ctrl, &e->state, e->scratch, TAC_OK};
    }
    if (n == 1) // the same bits, without a batch
        items[0].result =
            tac_step(r->model, items[0].x, items[0].u, items[0].next, items[0].scratch);
    else if (n > 1)
        tac_step_batch(items, n, 1);
    for (int i = 0; i < n; ++i) {
        moving[i]->result = items[i].result;
        moving[i]->done += items[i].result == TAC_OK;
        if (moving[i] != work->elements || items[i].result != TAC_OK) continue;
        update_max_qvel(r, moving[i]);
        update_flags(work, moving[i]);
    }
}

static void slice_job(void* context, int job, int worker) {
    (void)worker;
    simulationWork* work = context;
    int first = GROUP * job, left = work->simulation->batch - first;
    for (long long step = work->from; step < work->to; ++step)
        step_group(work, work->elements + first, left < GROUP ? left : GROUP, step);
}

static void run_slices(simulationWork* work, tacPool* pool, const char* command) {
    cliSimulation* r = work->simulation;
    int jobs = (r->batch + GROUP - 1) / GROUP;
    long long first = r->start->step, last = first + r->steps;
    cliProgress progress = cli_progress_begin(command);
    double begin = cli_wall_seconds();
    update_max_qvel(r, &work->elements[0]);
    for (work->from = first; work->from < last; work->from = work->to) {
        work->to = last - work->from < SLICE ? last : work->from + SLICE;
        tac_pool_run(pool, jobs, slice_job, work);
        cli_progress_show(&progress, (double)(work->to - first) / (double)r->steps);
        if (work->elements[0].result != TAC_OK) break;
    }
    r->seconds = cli_wall_seconds() - begin;
    cli_progress_end(&progress);
}

static void summarize(simulationWork* work) {
    cliSimulation* r = work->simulation;
    batchElement* first = &work->elements[0];
    r->end = first->state;
    r->result = first->result;
    r->done = first->done;
    for (int i = 0; i < r->batch; ++i) {
        r->total_steps += work->elements[i].done;
        r->diverged += work->elements[i].result != TAC_OK;
    }
    // the last state, also of a run that ended early
    long long step = r->start->step + r->done;
    if (r->trajectory &&
        (r->trajectory->rows == 0 || r->trajectory->step[r->trajectory->rows - 1] != step)) {
        cli_control_at(r->control, step, 0, first->ctrl);
        tac_trajectory_add(r->trajectory, &first->state, first->ctrl, step);
    }
}

int cli_simulation_run(cliSimulation* simulation, const char* command) {
    simulationWork work = {.simulation = simulation};
    tacPool* pool = NULL;
    tacResult result = alloc_work(simulation, &work);
    int threads = simulation->batch <= GROUP ? 1 : simulation->threads;
    if (result == TAC_OK) result = tac_pool_create(threads, tac_default_allocator(), &pool);
    if (result == TAC_OK) {
        simulation->threads = tac_pool_threads(pool);
        run_slices(&work, pool, command);
        summarize(&work);
    }
    tac_pool_destroy(pool);
    free_work(&work);
    simulation->memory = work.numbers;
    return result == TAC_OK ? 0 : cli_error(command, "%s", tac_result_text(result));
}

void cli_simulation_free(cliSimulation* simulation) { free(simulation->memory); }

long long cli_simulation_rows(const cliSimulation* simulation) {
    return simulation->steps / simulation->every + 2;
}
