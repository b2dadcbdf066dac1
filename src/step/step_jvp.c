// The forward derivative of the step: the list of step.c, each line differentiated along a tangent.

#include "step/step_jvp.h"

#include "base/assert.h"
#include "math/vector_ops.h"
#include "model/live_params.h"
#include "step/hard/hard_step.h"
#include "step/surrogate.h"

//---------------------------------- memory ---------------------------------------

tacStepDot tac_step_dot_alloc(const tacModel* model, tacArena* arena) {
    tacStepDot d = {0};
    tacReal** const of_v[] = {&d.q0,     &d.v0,     &d.q,      &d.v,      &d.k,     &d.a,
                              &d.u_step, &d.mean_k, &d.mean_a, &d.next.q, &d.next.v};
    tacReal** const of_act[] = {&d.act0, &d.act, &d.rate, &d.mean_rate, &d.next.act};
    for (int i = 0; i < TAC_COUNT(of_v); ++i) *of_v[i] = TAC_ALLOC(arena, tacReal, model->nv);
    for (int i = 0; i < TAC_COUNT(of_act); ++i) *of_act[i] = TAC_ALLOC(arena, tacReal, model->na);
    return d;
}

static void clear_reals(tacReal* x, int n) {
    if (n > 0) memset(x, 0, sizeof *x * (size_t)n);
}

// x = from, or zero
static void set_reals(tacReal* x, const tacReal* from, int n) {
    clear_reals(x, n);
    tac_copy_reals(x, from, n);
}

void tac_step_dot_begin(const tacModel* model, tacStepDot* d, tacTangent x, const tacReal* ctrl,
                        const tacReal* theta) {
    int nv = model->nv, na = model->na;
    d->ctrl = ctrl;
    d->theta = theta;
    d->h = theta ? theta[model->timestep] : (tacReal)0.0;
    set_reals(d->q0, x.dq, nv);
    set_reals(d->v0, x.dv, nv);
    set_reals(d->act0, x.da, na);
    set_reals(d->q, x.dq, nv);
    set_reals(d->v, x.dv, nv);
    set_reals(d->act, x.da, na);
    clear_reals(d->mean_k, nv);
    clear_reals(d->mean_a, nv);
    clear_reals(d->mean_rate, na);
    clear_reals(d->u_step, nv);
}

//---------------------------------- stages ---------------------------------------

// tangent of the state of stage i, from the rates of the stage before
static void stage_start_jvp(const tacForward* f, const tacStages* s, tacStepDot* d, int i) {
    const tacModel* model = f->dyn.model;
    tacReal h = f->dyn.h * tac_rk4_node[i], h_dot = d->h * tac_rk4_node[i];
    tac_advance_pos_jvp(model, s->k[i - 1], h, d->q0, d->k, h_dot, d->q);
    for (int k = 0; k < model->nv; ++k) {
        d->u_step[k] = h * d->k[k] + h_dot * s->k[i - 1][k];
        d->v[k] = d->v0[k] + h * d->a[k] + h_dot * s->a[i - 1][k];
    }
    for (int k = 0; k < model->na; ++k)
        d->act[k] = d->act0[k] + h * d->rate[k] + h_dot * s->rate[i - 1][k];
}

void tac_step_stage_jvp(tacForward* f, const tacStages* s, tacStepDot* d, int i) {
    const tacModel* model = f->dyn.model;
    if (i > 0) stage_start_jvp(f, s, d, i);
    tacMotionDot dot = {.dq = d->q,
                        .dv = d->v,
                        .act = d->act,
                        .ctrl = (tacReal*)d->ctrl,
                        .theta = (tacReal*)d->theta};
    tac_forward_jvp(f, &dot, d->a, d->rate);
    if (s->count == 1) return;
    tacChartPoint at = {s->lie && i > 0 ? s->k[i - 1] : NULL, f->dyn.h * tac_rk4_node[i],
                        s->x[i].v};
    tac_lie_chart_rate_jvp(model, at, d->u_step, d->v, d->k);
    tac_add_scaled_reals(d->mean_k, tac_rk4_weight[i], d->k, model->nv);
    tac_add_scaled_reals(d->mean_a, tac_rk4_weight[i], d->a, model->nv);
    tac_add_scaled_reals(d->mean_rate, tac_rk4_weight[i], d->rate, model->na);
}

//---------------------------------- next state -----------------------------------

// next activations, from the tangent of their rate
static void activation_jvp(tacForward* f, const tacStages* s, tacStepDot* d, const tacReal* rate,
                           const tacReal* rate_dot) {
    if (f->dyn.model->na == 0) return;
    tacMotionDot dot = {.act = d->act0, .theta = (tacReal*)d->theta};
    f->dyn.m.act = s->x[0].act;
    f->dyn.k->act_next_jvp(f->dyn.model, &f->dyn.m, rate, rate_dot, &dot, d->next.act);
}

static void integrate_euler_jvp(tacForward* f, const tacStages* s, tacStepDot* d) {
    const tacModel* model = f->dyn.model;
    int explicit_euler = model->integrator == TAC_INTEGRATOR_EXPLICIT;
    for (int k = 0; k < model->nv; ++k)
        d->next.v[k] = d->v0[k] + f->dyn.h * d->a[k] + d->h * s->a[0][k];
    tac_advance_pos_jvp(model, s->mean_k, f->dyn.h, d->q0, explicit_euler ? d->v0 : d->next.v, d->h,
                        d->next.q);
    activation_jvp(f, s, d, s->rate[0], d->rate);
}

static void integrate_rk4_jvp(tacForward* f, const tacStages* s, tacStepDot* d) {
    const tacModel* model = f->dyn.model;
    for (int k = 0; k < model->nv; ++k)
        d->next.v[k] = d->v0[k] + f->dyn.h * d->mean_a[k] + d->h * s->mean_a[k];
    tac_advance_pos_jvp(model, s->mean_k, f->dyn.h, d->q0, d->mean_k, d->h, d->next.q);
    activation_jvp(f, s, d, s->mean_rate, d->mean_rate);
}

void tac_integrate_stages_jvp(tacForward* f, const tacStages* s, tacStepDot* d) {
    if (s->count == 1)
        integrate_euler_jvp(f, s, d);
    else
        integrate_rk4_jvp(f, s, d);
}

//---------------------------------- step -----------------------------------------

// the model to differentiate, and memory for it
static const tacModel* alloc_all(const tacModel* model, tacScratch* scratch, tacModel* softer,
                                 tacStepWorkspace* ws, tacStepDot* d) {
    model = tac_surrogate(model, softer, scratch);
    tac_step_workspace_alloc(model, 1, scratch, ws);
    *d = tac_step_dot_alloc(model, &scratch->arena);
    return model;
}

void tac_step_jvp_measure(const tacModel* model, tacScratch* dry) {
    tacModel softer;
    tacStepWorkspace ws;
    tacStepDot d;
    alloc_all(model, dry, &softer, &ws, &d);
}

tacResult tac_step_jvp(const tacModel* model, const tacState* x, const tacReal* u,
                       tacStepTangent dot, tacTangent next_dot, tacScratch* scratch) {
    tacResult result = tac_step_check(model, x, u, scratch);
    if (result == TAC_OK &&
        !(tac_state_tangent_is_finite(model, dot.x) && tac_all_finite(dot.u, model->nu) &&
          tac_all_finite(dot.theta, model->nparam)))
        result = TAC_ERROR_VALUE;
    if (result == TAC_OK && tac_moves_held_param(model, dot.theta)) result = TAC_ERROR_UNSUPPORTED;
    if (result != TAC_OK) return result;
    if (tac_is_hard(model)) return tac_hard_jvp(model, x, u, dot, next_dot, scratch);

    // memory
    size_t mark = scratch->arena.used;
    tacModel softer;
    tacStepWorkspace ws;
    tacStepDot d;
    model = alloc_all(model, scratch, &softer, &ws, &d);

    // stages with their tangents, then integration
    tac_step_workspace_begin(&ws, x, u);
    tac_step_dot_begin(model, &d, dot.x, dot.u, dot.theta);
    for (int i = 0; i < ws.s.count; ++i) {
        tac_step_stage(&ws.f, &ws.s, i);
        if (ws.f.result != TAC_OK) break;
        tac_forward_prepare_diff(&ws.f, ws.s.a[i]);
        tac_step_stage_jvp(&ws.f, &ws.s, &d, i);
    }
    if (ws.f.result == TAC_OK) tac_integrate_stages(&ws.f, &ws.s, ws.next);
    result = tac_step_workspace_result(&ws);
    if (result == TAC_OK) tac_integrate_stages_jvp(&ws.f, &ws.s, &d);
    tac_step_report_diff(&ws.f, scratch);

    // tangent of the next state
    tacTangent next = {d.next.q, d.next.v, d.next.act};
    if (result == TAC_OK && !tac_state_tangent_is_finite(model, next)) result = TAC_ERROR_DIVERGED;
    if (result == TAC_OK) {
        if (next_dot.dq) tac_copy_reals(next_dot.dq, next.dq, model->nv);
        if (next_dot.dv) tac_copy_reals(next_dot.dv, next.dv, model->nv);
        if (next_dot.da) tac_copy_reals(next_dot.da, next.da, model->na);
    }
    scratch->arena.used = mark;
    return result;
}
