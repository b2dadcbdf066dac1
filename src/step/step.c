// The step: what is applied, how it accelerates, where it leads.
//
//   springs, dampers, actuators --flow--> accelerations --advance--> next state

#include "step/step.h"

#include "step/double/generated.h"
#include "step/hard/hard_step.h"
#include "step/surrogate.h"

#include <string.h>

tacResult tac_step_check(const tacModel* model, const tacState* x, const tacReal* u,
                         const tacScratch* scratch) {
    if (!model || !x || !scratch || (model->nv > 0 && (!x->qpos || !x->qvel)))
        return TAC_ERROR_VALUE;
    if ((model->nu > 0 && !u) || (model->na > 0 && !x->act)) return TAC_ERROR_VALUE;
    int finite = tac_all_finite(x->qpos, model->nq) && tac_all_finite(x->qvel, model->nv) &&
                 tac_all_finite(x->act, model->na) && tac_all_finite(u, model->nu);
    return finite ? TAC_OK : TAC_ERROR_VALUE;
}

int tac_state_has_arrays(const tacModel* model, const tacState* next) {
    return !tac_missing(next->qpos, model->nq) && !tac_missing(next->qvel, model->nv) &&
           !tac_missing(next->act, model->na);
}

void tac_state_carry_over(const tacModel* model, const tacState* x, tacState* next) {
    next->time = x->time + tac_re(model->param[model->timestep]);
    if (model->nwarm > 0) memmove(next->warm, x->warm, sizeof *x->warm * (size_t)model->nwarm);
}

// A step of the most lanes in doubles, or a derivative of one lane in complex or quad numbers with
// copies of everything.
size_t tac_step_size(const tacModel* model) {
    const size_t real = sizeof(double), pair = 2 * sizeof(double);
    size_t nq = (size_t)model->nq + 1, nv = (size_t)model->nv + 1, na = (size_t)model->na + 1;
    size_t point = nq + nv + na, u = (size_t)model->nu + 1;
    size_t all = 2 * point + 24 * (nv + na) + 2 * u + (size_t)model->nparam + 100;
    size_t batch = tac_forward_size(model, TAC_MAX_LANES, real) +
                   tac_stages_size(model, TAC_MAX_LANES, real) +
                   tac_arena_align(TAC_MAX_LANES * real * (point + u + 100));
    size_t one = tac_forward_size(model, 1, pair) + tac_stages_size(model, 1, pair);
    size_t diff = 2 * one + 3 * tac_arena_align(pair * all) + 60 * TAC_ALIGNMENT +
                  tac_jacobian_size(model, pair);
    diff += tac_surrogate_size(model, pair);
    return batch > diff ? batch : diff;
}

//---------------------------------- one pass -------------------------------------

static void alloc_workspace(const tacModel* model, int derivatives, tacScratch* scratch,
                            tacStepWorkspace* out) {
    tacArena* arena = &scratch->arena;
    out->f = tac_forward_alloc(model, TAC_DISPATCH(tac_dynamics_single_), derivatives, scratch);
    out->s = tac_stages_alloc(model, 1, arena);
    out->next.q = TAC_ALLOC(arena, tacReal, model->nq);
    out->next.v = TAC_ALLOC(arena, tacReal, model->nv);
    out->next.act = TAC_ALLOC(arena, tacReal, model->na);
}

#if defined(TAC_NUMBER_COMPLEX) || defined(TAC_NUMBER_QUAD)
static tacStepWorkspace* cached_workspace(const tacModel* model, tacScratch* scratch,
                                          tacStepWorkspace* own) {
    alloc_workspace(model, 0, scratch, own);
    return own;
}
#else
// copies of a model may stand where another copy was
static int cache_matches(const tacStepCache* cache, const tacModel* model,
                         const tacScratch* scratch) {
    return cache->ws.f.dyn.model == model && cache->from == scratch->arena.used &&
           cache->contact == model->contact && cache->integrator == model->integrator &&
           cache->disable == model->disable;
}

// for a small model to lay out a pass costs as much as to run it
static tacStepWorkspace* cached_workspace(const tacModel* model, tacScratch* scratch,
                                          tacStepWorkspace* own) {
    tacStepCache* cache = (tacStepCache*)scratch->arena.base;
    (void)own;
    if (cache->to && cache_matches(cache, model, scratch)) {
        scratch->arena.used = cache->to;
        tac_forward_reset(&cache->ws.f, scratch);
        return &cache->ws;
    }
    cache->from = scratch->arena.used;
    alloc_workspace(model, 0, scratch, &cache->ws);
    if (cache->ws.f.contact_forces) {
        cache->contact_forces = *cache->ws.f.contact_forces;
        cache->ws.f.contact_forces = &cache->contact_forces;
    }
    cache->to = scratch->arena.used;
    cache->contact = model->contact;
    cache->integrator = model->integrator;
    cache->disable = model->disable;
    return &cache->ws;
}
#endif

static tacResult run_workspace(tacStepWorkspace* out, const tacState* x, const tacReal* u) {
    const tacModel* model = out->f.dyn.model;
    out->f.dyn.m.ctrl = u;
    out->s.x[0] = (tacStateArrays){x->qpos, x->qvel, x->act};
    if (!out->s.lie) out->s.k[0] = x->qvel;
    tac_advance(&out->f, &out->s, out->next);
    if (out->f.result != TAC_OK) return out->f.result;
    int finite = tac_all_finite(out->next.q, model->nq) && tac_all_finite(out->next.v, model->nv) &&
                 tac_all_finite(out->next.act, model->na);
    return finite ? TAC_OK : TAC_ERROR_DIVERGED;
}

tacResult tac_step_workspace_run(const tacModel* model, const tacState* x, const tacReal* u,
                                 int derivatives, tacScratch* scratch, tacStepWorkspace* out) {
    alloc_workspace(model, derivatives, scratch, out);
    return run_workspace(out, x, u);
}

void tac_step_workspace_write(const tacStepWorkspace* ws, const tacState* x, tacState* next) {
    const tacModel* model = ws->f.dyn.model;
    tac_state_carry_over(model, x, next);
    if (model->na > 0) memcpy(next->act, ws->next.act, sizeof(tacReal) * (size_t)model->na);
    if (model->nv == 0) return;
    memcpy(next->qpos, ws->next.q, sizeof(tacReal) * (size_t)model->nq);
    memcpy(next->qvel, ws->next.v, sizeof(tacReal) * (size_t)model->nv);
}

// too long a step for explicit contact, at rest or in the blow at hand
static int is_stiff(const tacForward* f) {
    double h = tac_re(f->dyn.h);
    if (h > f->contact_forces->max_step) return 1;
    return tac_contact_forces_count(f->contact_forces) > 0 && h > tac_stable_timestep(f->dyn.model);
}

tacResult tac_step(const tacModel* model, const tacState* x, const tacReal* u, tacState* next,
                   tacScratch* scratch) {
    tacResult result = next ? tac_step_check(model, x, u, scratch) : TAC_ERROR_VALUE;
    if (result == TAC_OK && !tac_state_has_arrays(model, next)) result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    if (tac_is_hard(model)) return tac_hard_step(model, x, u, next, scratch);
    if (tac_is_generated(scratch)) {
        if (!tac_generated_matches(model, scratch)) return TAC_ERROR_VALUE;
        if (!tac_has_contact_forces(model)) return tac_generated_step(model, x, u, next, scratch);
    }
    size_t mark = scratch->arena.used;
    tacStepWorkspace own, *ws = cached_workspace(model, scratch, &own);
    result = run_workspace(ws, x, u);
    if (result == TAC_OK) tac_step_workspace_write(ws, x, next);
    scratch->info = (tacInfo){.time_of_impact = tac_re(ws->f.dyn.h)};
    if (ws->f.contact_forces)
        scratch->info.contacts = tac_contact_forces_count(ws->f.contact_forces);
    if (ws->f.contact_forces && is_stiff(&ws->f)) scratch->info.flags |= TAC_STIFF;
    scratch->arena.used = mark;
    return result;
}

tacInfo tac_step_info(const tacScratch* scratch) { return scratch ? scratch->info : (tacInfo){0}; }
