// The step: what is applied, how it accelerates, where it leads.
//
//   springs, dampers, actuators --flow--> accelerations --advance--> next state

#include "step/step.h"

#include "step/generated.h"
#include "step/hard_step.h"
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

int tac_next_fits(const tacModel* model, const tacState* next) {
    return !tac_missing(next->qpos, model->nq) && !tac_missing(next->qvel, model->nv) &&
           !tac_missing(next->act, model->na);
}

void tac_state_keep(const tacModel* model, const tacState* x, tacState* next) {
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
    size_t batch = tac_flow_size(model, TAC_MAX_LANES, real) +
                   tac_stages_size(model, TAC_MAX_LANES, real) +
                   tac_arena_need(TAC_MAX_LANES * real * (point + u + 100));
    size_t one = tac_flow_size(model, 1, pair) + tac_stages_size(model, 1, pair);
    size_t diff = 2 * one + 3 * tac_arena_need(pair * all) + 60 * TAC_ALIGNMENT +
                  tac_jacobian_size(model, pair);
    diff += tac_surrogate_size(model, pair);
    return batch > diff ? batch : diff;
}

//---------------------------------- one pass -------------------------------------

static void lay_out(const tacModel* model, int derivatives, tacScratch* scratch, tacPass* out) {
    tacArena* arena = &scratch->arena;
    out->f = tac_flow_take(model, TAC_DISPATCH(tac_dynamics_single_), derivatives, scratch);
    out->s = tac_stages_take(model, 1, arena);
    out->next.q = TAC_TAKE(arena, tacReal, model->nq);
    out->next.v = TAC_TAKE(arena, tacReal, model->nv);
    out->next.act = TAC_TAKE(arena, tacReal, model->na);
}

#if defined(TAC_NUMBER_COMPLEX) || defined(TAC_NUMBER_QUAD)
static tacPass* plain_pass(const tacModel* model, tacScratch* scratch, tacPass* own) {
    lay_out(model, 0, scratch, own);
    return own;
}
#else
// copies of a model may stand where another copy was
static int fits(const tacKeptPass* kept, const tacModel* model, const tacScratch* scratch) {
    return kept->pass.f.model == model && kept->from == scratch->arena.used &&
           kept->contact == model->contact && kept->integrator == model->integrator &&
           kept->disable == model->disable;
}

// for a small model to lay out a pass costs as much as to run it
static tacPass* plain_pass(const tacModel* model, tacScratch* scratch, tacPass* own) {
    tacKeptPass* kept = (tacKeptPass*)scratch->arena.base;
    (void)own;
    if (kept->to && fits(kept, model, scratch)) {
        scratch->arena.used = kept->to;
        tac_flow_again(&kept->pass.f, scratch);
        return &kept->pass;
    }
    kept->from = scratch->arena.used;
    lay_out(model, 0, scratch, &kept->pass);
    if (kept->pass.f.touch) {
        kept->touch = *kept->pass.f.touch;
        kept->pass.f.touch = &kept->touch;
    }
    kept->to = scratch->arena.used;
    kept->contact = model->contact;
    kept->integrator = model->integrator;
    kept->disable = model->disable;
    return &kept->pass;
}
#endif

static tacResult run_pass(tacPass* out, const tacState* x, const tacReal* u) {
    const tacModel* model = out->f.model;
    out->f.m.ctrl = u;
    out->s.x[0] = (tacPoint){x->qpos, x->qvel, x->act};
    if (!out->s.lie) out->s.k[0] = x->qvel;
    tac_advance(&out->f, &out->s, out->next);
    if (out->f.result != TAC_OK) return out->f.result;
    int finite = tac_all_finite(out->next.q, model->nq) && tac_all_finite(out->next.v, model->nv) &&
                 tac_all_finite(out->next.act, model->na);
    return finite ? TAC_OK : TAC_ERROR_DIVERGED;
}

tacResult tac_pass_take(const tacModel* model, const tacState* x, const tacReal* u, int derivatives,
                        tacScratch* scratch, tacPass* out) {
    lay_out(model, derivatives, scratch, out);
    return run_pass(out, x, u);
}

void tac_pass_hand_out(const tacPass* pass, const tacState* x, tacState* next) {
    const tacModel* model = pass->f.model;
    tac_state_keep(model, x, next);
    if (model->na > 0) memcpy(next->act, pass->next.act, sizeof(tacReal) * (size_t)model->na);
    if (model->nv == 0) return;
    memcpy(next->qpos, pass->next.q, sizeof(tacReal) * (size_t)model->nq);
    memcpy(next->qvel, pass->next.v, sizeof(tacReal) * (size_t)model->nv);
}

// too long a step for explicit contact, at rest or in the blow at hand
static int is_stiff(const tacFlow* f) {
    double h = tac_re(f->h);
    if (h > f->touch->stable) return 1;
    return tac_touch_count(f->touch) > 0 && h > tac_stable_timestep(f->model);
}

tacResult tac_step(const tacModel* model, const tacState* x, const tacReal* u, tacState* next,
                   tacScratch* scratch) {
    tacResult result = next ? tac_step_check(model, x, u, scratch) : TAC_ERROR_VALUE;
    if (result == TAC_OK && !tac_next_fits(model, next)) result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    if (tac_is_hard(model)) return tac_hard_step(model, x, u, next, scratch);
    if (tac_is_generated(scratch)) {
        if (!tac_generated_fits(model, scratch)) return TAC_ERROR_VALUE;
        if (!tac_touches(model)) return tac_generated_step(model, x, u, next, scratch);
    }
    size_t mark = scratch->arena.used;
    tacPass own, *pass = plain_pass(model, scratch, &own);
    result = run_pass(pass, x, u);
    if (result == TAC_OK) tac_pass_hand_out(pass, x, next);
    scratch->info = (tacInfo){.time_of_impact = tac_re(pass->f.h)};
    if (pass->f.touch) scratch->info.contacts = tac_touch_count(pass->f.touch);
    if (pass->f.touch && is_stiff(&pass->f)) scratch->info.flags |= TAC_STIFF;
    scratch->arena.used = mark;
    return result;
}

tacInfo tac_step_info(const tacScratch* scratch) { return scratch ? scratch->info : (tacInfo){0}; }
