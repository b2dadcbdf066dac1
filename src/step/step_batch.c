// Many steps at once: consecutive items of one model go through the kernels together, one state per
// lane; groups of lanes are distributed over threads. The bits are those of tac_step.

#include "step/step.h"

#include "base/pool.h"
#include "step/double/generated.h"

#include <string.h>

typedef struct stepBlocks {
    tacStepItem* items;
    int count, lanes;
} stepBlocks;

//---------------------------------- lanes ----------------------------------------

// one state into a lane; lanes without a state repeat the last one
static void gather_lane(const tacReal* from, int n, int lane, int lanes, tacReal* to) {
    for (int i = 0; i < n; ++i) to[(size_t)i * (size_t)lanes + (size_t)lane] = from[i];
}

static int is_finite_lane(const tacReal* x, int n, int lane, int lanes) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += 0.0 * tac_re(x[(size_t)i * (size_t)lanes + (size_t)lane]);
    return sum == 0.0;
}

static void scatter_lane(const tacReal* from, int n, int lane, int lanes, tacReal* to) {
    for (int i = 0; i < n; ++i) to[i] = from[(size_t)i * (size_t)lanes + (size_t)lane];
}

static void write_next(const tacModel* model, tacStateArrays x, int lane, int lanes,
                       tacStepItem* item) {
    if (!is_finite_lane(x.q, model->nq, lane, lanes) ||
        !is_finite_lane(x.v, model->nv, lane, lanes) ||
        !is_finite_lane(x.act, model->na, lane, lanes)) {
        item->result = TAC_ERROR_DIVERGED;
        return;
    }
    tac_state_carry_over(model, item->x, item->next);
    scatter_lane(x.q, model->nq, lane, lanes, item->next->qpos);
    scatter_lane(x.v, model->nv, lane, lanes, item->next->qvel);
    scatter_lane(x.act, model->na, lane, lanes, item->next->act);
    item->scratch->info = (tacInfo){.time_of_impact = tac_re(model->param[model->timestep])};
    item->result = TAC_OK;
}

// a step of all lanes
typedef struct laneWorkspace {
    tacForward f;
    tacStages s;
    tacStateArrays next;
    tacReal* u;
} laneWorkspace;

static laneWorkspace alloc_lanes(const tacModel* model, const tacDynamicsKernels* kernels,
                                 tacScratch* scratch) {
    int lanes = kernels->lanes;
    return (laneWorkspace){.f = tac_forward_alloc(model, kernels, 0, scratch),
                           .s = tac_stages_alloc(model, lanes, &scratch->arena),
                           .next = tac_state_arrays_alloc(model, lanes, &scratch->arena),
                           .u = TAC_ALLOC(&scratch->arena, tacReal, model->nu * lanes)};
}

// of the instruction set with the most lanes
void tac_step_batch_measure(const tacModel* model, tacScratch* dry) {
    tacDynamicsKernels widest = *TAC_DISPATCH(tac_dynamics_kernels_);
    widest.lanes = TAC_MAX_LANES;
    alloc_lanes(model, &widest, dry);
}

// up to `lanes` states of one model, with arguments that were checked
static void step_lanes(tacStepItem** item, int count, const tacDynamicsKernels* kernels) {
    const tacModel* model = item[0]->model;
    tacArena* arena = &item[0]->scratch->arena;
    size_t mark = arena->used;
    int lanes = kernels->lanes;
    laneWorkspace w = alloc_lanes(model, kernels, item[0]->scratch);
    for (int lane = 0; lane < lanes; ++lane) {
        const tacStepItem* from = item[lane < count ? lane : count - 1];
        gather_lane(from->x->qpos, model->nq, lane, lanes, w.s.x[0].q);
        gather_lane(from->x->qvel, model->nv, lane, lanes, w.s.x[0].v);
        gather_lane(from->x->act, model->na, lane, lanes, w.s.x[0].act);
        gather_lane(from->u, model->nu, lane, lanes, w.u);
    }
    w.f.dyn.m.ctrl = w.u;
    for (int i = 0; i < w.s.count; ++i) tac_step_stage(&w.f, &w.s, i);
    tac_integrate_stages(&w.f, &w.s, w.next);
    for (int lane = 0; lane < count; ++lane) write_next(model, w.next, lane, lanes, item[lane]);
    arena->used = mark;
}

//---------------------------------- groups ---------------------------------------

// one by one: a single state, and scenes with contact, whose contacts differ from state to state
static void step_one_by_one(tacStepItem** item, int count) {
    for (int i = 0; i < count; ++i)
        item[i]->result =
            tac_step(item[i]->model, item[i]->x, item[i]->u, item[i]->next, item[i]->scratch);
}

// Does one of them step by generated code?
static int any_generated(tacStepItem** item, int count) {
    for (int i = 0; i < count; ++i)
        if (tac_is_generated(item[i]->scratch)) return 1;
    return 0;
}

void tac_step_items(tacStepItem* items, int items_count) {
    const tacDynamicsKernels* kernels = TAC_DISPATCH(tac_dynamics_kernels_);
    tacStepItem* block[TAC_MAX_LANES];
    int count = 0;
    for (int i = 0; i < items_count; ++i) {
        tacStepItem* item = &items[i];
        item->result = item->next ? tac_step_check(item->model, item->x, item->u, item->scratch)
                                  : TAC_ERROR_VALUE;
        if (item->result == TAC_OK) block[count++] = item;
        int ends = i + 1 == items_count || count == kernels->lanes ||
                   (count > 0 && items[i + 1].model != block[0]->model);
        if (!ends || count == 0) continue;
        if (count == 1 || block[0]->model->contact || any_generated(block, count))
            step_one_by_one(block, count);
        else
            step_lanes(block, count, kernels);
        count = 0;
    }
}

static void step_block(void* context, int job, int worker) {
    (void)worker;
    const stepBlocks* g = context;
    int first = job * g->lanes, count = g->count - first;
    tac_step_items(g->items + first, count < g->lanes ? count : g->lanes);
}

tacResult tac_step_batch(tacStepItem* items, int count, int threads) {
    if (count < 0 || (count > 0 && !items) || threads < 0) return TAC_ERROR_VALUE;
    if (count == 0) return TAC_OK;
    stepBlocks g = {items, count, TAC_DISPATCH(tac_dynamics_kernels_)->lanes};
    int jobs = (count + g.lanes - 1) / g.lanes;
    tacPool* pool = NULL;
    tacResult result = TAC_OK;
    if (threads != 1 && jobs > 1) result = tac_pool_create(threads, tac_default_allocator(), &pool);
    if (result != TAC_OK) return result;
    for (int i = 0; i < jobs && !pool; ++i) step_block(&g, i, 0);
    if (pool) tac_pool_run(pool, jobs, step_block, &g);
    tac_pool_destroy(pool);
    for (int i = 0; i < count && result == TAC_OK; ++i) result = items[i].result;
    return result;
}
