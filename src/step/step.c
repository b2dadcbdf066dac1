// The step: what is applied, how it accelerates, where it leads.
//
//   springs, dampers, actuators --flow--> accelerations --advance--> next state

#include "step/step.h"

#include <string.h>

tacResult tac_step_check(const tacModel* model, const tacState* x, const tacReal* u) {
    if (!model || !x || (model->nv > 0 && (!x->qpos || !x->qvel))) return TAC_ERROR_VALUE;
    if (model->nu > 0 && !u) return TAC_ERROR_VALUE;
    int finite = tac_all_finite(x->qpos, model->nq) && tac_all_finite(x->qvel, model->nv) &&
                 tac_all_finite(u, model->nu);
    return finite ? TAC_OK : TAC_ERROR_VALUE;
}

void tac_state_keep(const tacModel* model, const tacState* x, tacState* next) {
    next->time = x->time + tac_re(model->param[model->timestep]);
    if (model->na > 0) memmove(next->act, x->act, sizeof *x->act * (size_t)model->na);
    if (model->nwarm > 0) memmove(next->warm, x->warm, sizeof *x->warm * (size_t)model->nwarm);
}

// a step of the most lanes in doubles, or a derivative of one lane in complex or quad numbers with
// copies of everything
size_t tac_step_size(const tacModel* model) {
    const size_t real = sizeof(double), pair = 2 * sizeof(double);
    size_t nq = (size_t)model->nq + 1, nv = (size_t)model->nv + 1;
    size_t all = nq + 20 * nv + 2 * (size_t)model->nu + (size_t)model->nparam + 100;
    size_t batch = tac_flow_size(model, TAC_MAX_LANES, real) +
                   tac_stages_size(model, TAC_MAX_LANES, real) +
                   tac_arena_need(TAC_MAX_LANES * real * (nq + nv + (size_t)model->nu + 100));
    size_t one = tac_flow_size(model, 1, pair) + tac_stages_size(model, 1, pair);
    size_t diff = 2 * one + 3 * tac_arena_need(pair * all) + 40 * TAC_ALIGNMENT;
    return batch > diff ? batch : diff;
}

static void copy_out(const tacModel* model, const tacReal* q, const tacReal* v, tacState* next) {
    if (model->nv == 0) return;
    memcpy(next->qpos, q, sizeof *q * (size_t)model->nq);
    memcpy(next->qvel, v, sizeof *v * (size_t)model->nv);
}

tacResult tac_step(const tacModel* model, const tacState* x, const tacReal* u, tacState* next,
                   tacScratch* scratch) {
    tacResult result = tac_step_check(model, x, u);
    if (result != TAC_OK) return result;
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    tacFlow f = tac_flow_take(model, TAC_DISPATCH(tac_dynamics_single_), arena);
    tacStages s = tac_stages_take(model, 1, arena);
    tacReal* q = TAC_TAKE(arena, tacReal, model->nq);
    tacReal* v = TAC_TAKE(arena, tacReal, model->nv);
    f.ctrl = u, s.q[0] = x->qpos, s.v[0] = x->qvel;
    tac_advance(&f, &s, q, v);
    if (!tac_all_finite(q, model->nq) || !tac_all_finite(v, model->nv)) {
        result = TAC_ERROR_DIVERGED;
    } else {
        tac_state_keep(model, x, next);
        copy_out(model, q, v, next);
    }
    scratch->info = (tacInfo){.time_of_impact = tac_re(f.h)};
    arena->used = mark;
    return result;
}
