// Layout, cache and results of a step's working memory.

#include "step/workspace.h"

#include "math/vector_ops.h"

//---------------------------------- layout ---------------------------------------

void tac_step_workspace_alloc(const tacModel* model, int derivatives, tacScratch* scratch,
                              tacStepWorkspace* out) {
    out->f = tac_forward_alloc(model, TAC_DISPATCH(tac_dynamics_single_), derivatives, scratch);
    out->s = tac_stages_alloc(model, 1, &scratch->arena);
    out->next = tac_state_arrays_alloc(model, 1, &scratch->arena);
}

#if defined(TAC_NUMBER_COMPLEX) || defined(TAC_NUMBER_QUAD)
tacStepWorkspace* tac_step_workspace_cached(const tacModel* model, tacScratch* scratch,
                                            tacStepWorkspace* own) {
    tac_step_workspace_alloc(model, 0, scratch, own);
    return own;
}
#else
// another copy of a model may be at the same address
static int cache_matches(const tacStepCache* cache, const tacModel* model,
                         const tacScratch* scratch) {
    return cache->ws.f.dyn.model == model && cache->from == scratch->arena.used &&
           cache->contact == model->contact && cache->integrator == model->integrator &&
           cache->disable == model->disable;
}

// Layout costs as much as a step of a small model, so it is done once.
tacStepWorkspace* tac_step_workspace_cached(const tacModel* model, tacScratch* scratch,
                                            tacStepWorkspace* own) {
    tacStepCache* cache = (tacStepCache*)scratch->arena.base;
    (void)own;
    if (cache->to && cache_matches(cache, model, scratch)) {
        scratch->arena.used = cache->to;
        tac_forward_reset(&cache->ws.f, scratch);
        return &cache->ws;
    }
    cache->from = scratch->arena.used;
    tac_step_workspace_alloc(model, 0, scratch, &cache->ws);
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

//---------------------------------- input and output -----------------------------

void tac_step_workspace_begin(tacStepWorkspace* ws, const tacState* x, const tacReal* u) {
    ws->f.dyn.m.ctrl = u;
    ws->s.x[0] = (tacStateArrays){x->qpos, x->qvel, x->act};
    if (!ws->s.lie) ws->s.k[0] = x->qvel;
}

tacResult tac_step_workspace_result(const tacStepWorkspace* ws) {
    const tacModel* model = ws->f.dyn.model;
    if (ws->f.result != TAC_OK) return ws->f.result;
    int finite = tac_all_finite(ws->next.q, model->nq) && tac_all_finite(ws->next.v, model->nv) &&
                 tac_all_finite(ws->next.act, model->na);
    return finite ? TAC_OK : TAC_ERROR_DIVERGED;
}

void tac_state_carry_over(const tacModel* model, const tacState* x, tacState* next) {
    next->time = x->time + tac_re(model->param[model->timestep]);
    if (model->nwarm > 0) memmove(next->warm, x->warm, sizeof *x->warm * (size_t)model->nwarm);
}

void tac_step_workspace_write(const tacStepWorkspace* ws, const tacState* x, tacState* next) {
    const tacModel* model = ws->f.dyn.model;
    tac_state_carry_over(model, x, next);
    tac_copy_reals(next->act, ws->next.act, model->na);
    tac_copy_reals(next->qpos, ws->next.q, model->nv > 0 ? model->nq : 0);
    tac_copy_reals(next->qvel, ws->next.v, model->nv);
}
