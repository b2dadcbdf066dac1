// The reverse derivative of the step: the list of step.c, differentiated from its end to its start.

#include "step/step.h"

#include "base/assert.h"
#include "math/vector_ops.h"
#include "model/live_params.h"
#include "step/hard/hard_step.h"
#include "step/surrogate.h"

// adjoints along a step
typedef struct stepBar {
    tacReal *q0, *v0, *act0; // of the state
    tacReal *q, *u_step;     // of a stage's positions; of h k before the stage
    tacReal *v[TAC_MAX_STAGES], *k[TAC_MAX_STAGES], *a[TAC_MAX_STAGES];
    tacReal *act[TAC_MAX_STAGES], *rate[TAC_MAX_STAGES];
    tacReal *mean_k, *mean_rate, *theta, *ctrl, h;
    tacStateArrays next; // of the next state
} stepBar;

//---------------------------------- stages ---------------------------------------

// Back through the equation of motion at stage i, from b->a[i] and b->rate[i]. The last stage is
// still in place, those before it are evaluated again.
static void stage_vjp(tacForward* f, tacStages* s, stepBar* b, int i) {
    memset(b->q, 0, sizeof *b->q * (size_t)f->dyn.model->nv);
    tacMotionDot bar = {
        .dq = b->q, .dv = b->v[i], .act = b->act[i], .ctrl = b->ctrl, .theta = b->theta};
    if (i < s->count - 1) tac_step_stage(f, s, i);
    f->dyn.m.act = s->x[i].act;
    tac_forward_prepare_diff(f, s->a[i]);
    tac_forward_vjp(f, b->a[i], b->rate[i], &bar);
}

static void activation_vjp(tacForward* f, tacStages* s, stepBar* b, const tacReal* rate,
                           const tacReal* act_bar, tacReal* rate_bar) {
    if (f->dyn.model->na == 0) return;
    tacMotionDot bar = {.act = b->act0, .theta = b->theta};
    f->dyn.m.act = s->x[0].act;
    f->dyn.k->act_next_vjp(f->dyn.model, &f->dyn.m, rate, act_bar, rate_bar, &bar);
}

// stage 0, whose state is that of the step
static void first_stage_vjp(tacForward* f, tacStages* s, stepBar* b) {
    stage_vjp(f, s, b, 0);
    tac_add_scaled_reals(b->q0, 1.0, b->q, f->dyn.model->nv);
    tac_add_scaled_reals(b->v0, 1.0, b->v[0], f->dyn.model->nv);
    tac_add_scaled_reals(b->act0, 1.0, b->act[0], f->dyn.model->na);
}

static void euler_vjp(tacForward* f, tacStages* s, stepBar* b) {
    int nv = f->dyn.model->nv, explicit_euler = f->dyn.model->integrator == TAC_INTEGRATOR_EXPLICIT;
    activation_vjp(f, s, b, s->rate[0], b->next.act, b->rate[0]);
    tac_advance_pos_vjp(f->dyn.model, s->mean_k, f->dyn.h, b->next.q, b->q0, b->mean_k, &b->h);
    for (int k = 0; k < nv; ++k) {
        tacReal v = b->next.v[k] + (explicit_euler ? (tacReal)0.0 : b->mean_k[k]);
        b->v0[k] += v + (explicit_euler ? b->mean_k[k] : (tacReal)0.0);
        b->a[0][k] = f->dyn.h * v;
        b->h += s->a[0][k] * v;
    }
    first_stage_vjp(f, s, b);
}

// from the state of stage i back to the rates of the stage before
static void stage_start_vjp(tacForward* f, tacStages* s, stepBar* b, int i) {
    const tacModel* model = f->dyn.model;
    tacReal h = f->dyn.h * tac_rk4_node[i], h_bar = 0.0;
    tac_advance_pos_vjp(model, s->k[i - 1], h, b->q, b->q0, b->k[i - 1], &h_bar);
    for (int k = 0; k < model->nv; ++k)
        h_bar += s->a[i - 1][k] * b->v[i][k] + s->k[i - 1][k] * b->u_step[k];
    for (int k = 0; k < model->na; ++k) h_bar += s->rate[i - 1][k] * b->act[i][k];
    tac_add_scaled_reals(b->k[i - 1], h, b->u_step, model->nv);
    tac_add_scaled_reals(b->v0, 1.0, b->v[i], model->nv);
    tac_add_scaled_reals(b->a[i - 1], h, b->v[i], model->nv);
    tac_add_scaled_reals(b->act0, 1.0, b->act[i], model->na);
    tac_add_scaled_reals(b->rate[i - 1], h, b->act[i], model->na);
    b->h += tac_rk4_node[i] * h_bar;
}

static void chart_vjp(const tacForward* f, tacStages* s, stepBar* b, int i) {
    memset(b->u_step, 0, sizeof *b->u_step * (size_t)f->dyn.model->nv);
    tacChartPoint at = {s->lie && i > 0 ? s->k[i - 1] : NULL, f->dyn.h * tac_rk4_node[i],
                        s->x[i].v};
    tac_lie_chart_rate_vjp(f->dyn.model, at, b->k[i], b->u_step, b->v[i]);
}

static void rk4_vjp(tacForward* f, tacStages* s, stepBar* b) {
    int nv = f->dyn.model->nv, na = f->dyn.model->na;
    activation_vjp(f, s, b, s->mean_rate, b->next.act, b->mean_rate);
    tac_advance_pos_vjp(f->dyn.model, s->mean_k, f->dyn.h, b->next.q, b->q0, b->mean_k, &b->h);
    for (int k = 0; k < nv; ++k) {
        b->v0[k] += b->next.v[k];
        b->h += s->mean_a[k] * b->next.v[k];
    }
    for (int i = 0; i < s->count; ++i) {
        tac_add_scaled_reals(b->k[i], tac_rk4_weight[i], b->mean_k, nv);
        tac_add_scaled_reals(b->a[i], tac_rk4_weight[i] * f->dyn.h, b->next.v, nv);
        tac_add_scaled_reals(b->rate[i], tac_rk4_weight[i], b->mean_rate, na);
    }
    for (int i = s->count - 1; i > 0; --i) {
        chart_vjp(f, s, b, i);
        stage_vjp(f, s, b, i);
        stage_start_vjp(f, s, b, i);
    }
    chart_vjp(f, s, b, 0);
    first_stage_vjp(f, s, b);
}

//---------------------------------- step -----------------------------------------

static stepBar alloc_bar(const tacModel* model, tacArena* arena, int by_theta) {
    stepBar b = {0};
    int nv = model->nv, na = model->na;
    tacReal** const arrays[] = {&b.q0, &b.v0, &b.q, &b.u_step, &b.mean_k, &b.next.q, &b.next.v};
    for (int i = 0; i < TAC_COUNT(arrays); ++i) *arrays[i] = tac_alloc_zero(arena, nv);
    for (int i = 0; i < TAC_MAX_STAGES; ++i) {
        b.v[i] = tac_alloc_zero(arena, nv);
        b.k[i] = tac_alloc_zero(arena, nv);
        b.a[i] = tac_alloc_zero(arena, nv);
        b.act[i] = tac_alloc_zero(arena, na);
        b.rate[i] = tac_alloc_zero(arena, na);
    }
    b.act0 = tac_alloc_zero(arena, na);
    b.mean_rate = tac_alloc_zero(arena, na);
    b.next.act = tac_alloc_zero(arena, na);
    b.ctrl = tac_alloc_zero(arena, model->nu);
    if (by_theta) b.theta = tac_alloc_zero(arena, model->nparam);
    return b;
}

// the model to differentiate, and memory for it
static const tacModel* alloc_all(const tacModel* model, int by_theta, tacScratch* scratch,
                                 tacModel* softer, tacStepWorkspace* ws, stepBar* b) {
    model = tac_surrogate(model, softer, scratch);
    tac_step_workspace_alloc(model, 1, scratch, ws);
    *b = alloc_bar(model, &scratch->arena, by_theta);
    return model;
}

void tac_step_vjp_measure(const tacModel* model, tacScratch* dry) {
    tacModel softer;
    tacStepWorkspace ws;
    stepBar b;
    alloc_all(model, 1, dry, &softer, &ws, &b);
}

// adds to the adjoints that are not NULL, if all are finite
static tacResult write_adjoints(const tacModel* model, const stepBar* b, tacStepTangent bar) {
    if (!tac_state_tangent_is_finite(model, (tacTangent){b->q0, b->v0, b->act0}) ||
        !tac_all_finite(b->ctrl, model->nu) || !tac_all_finite(b->theta, model->nparam))
        return TAC_ERROR_DIVERGED;
    if (bar.x.dq) tac_add_scaled_reals(bar.x.dq, 1.0, b->q0, model->nv);
    if (bar.x.dv) tac_add_scaled_reals(bar.x.dv, 1.0, b->v0, model->nv);
    if (bar.x.da) tac_add_scaled_reals(bar.x.da, 1.0, b->act0, model->na);
    if (bar.u) tac_add_scaled_reals(bar.u, 1.0, b->ctrl, model->nu);
    if (bar.theta) tac_add_scaled_reals(bar.theta, 1.0, b->theta, model->nparam);
    return TAC_OK;
}

// of the smooth step
static tacResult smooth_vjp(const tacModel* model, const tacState* x, const tacReal* u,
                            tacTangent next_bar, tacStepTangent bar, tacScratch* scratch) {
    // the step
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    tacModel softer;
    tacStepWorkspace ws;
    stepBar b;
    model = alloc_all(model, bar.theta != NULL, scratch, &softer, &ws, &b);
    tac_step_workspace_begin(&ws, x, u);
    for (int i = 0; i < ws.s.count; ++i) tac_step_stage(&ws.f, &ws.s, i);
    tac_integrate_stages(&ws.f, &ws.s, ws.next);
    tacResult result = tac_step_workspace_result(&ws);
    tac_step_report_diff(&ws.f, scratch);

    // integration and stages in reverse
    if (result == TAC_OK) {
        tac_copy_reals(b.next.q, next_bar.dq, model->nv);
        tac_copy_reals(b.next.v, next_bar.dv, model->nv);
        tac_copy_reals(b.next.act, next_bar.da, model->na);
        (ws.s.count > 1 ? rk4_vjp : euler_vjp)(&ws.f, &ws.s, &b);
        if (b.theta) b.theta[model->timestep] += b.h;
        result = write_adjoints(model, &b, bar);
    }
    arena->used = mark;
    return result;
}

tacResult tac_step_vjp(const tacModel* model, const tacState* x, const tacReal* u,
                       tacTangent next_bar, tacStepTangent bar, tacScratch* scratch) {
    tacResult result = tac_step_check(model, x, u, scratch);
    if (result == TAC_OK && !tac_state_tangent_is_finite(model, next_bar)) result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    if (tac_is_hard(model))
        result = tac_hard_vjp(model, x, u, next_bar, bar, scratch);
    else
        result = smooth_vjp(model, x, u, next_bar, bar, scratch);
    if (bar.theta && tac_has_held_params(model)) scratch->info.flags |= TAC_HELD_PARAM;
    return result;
}
