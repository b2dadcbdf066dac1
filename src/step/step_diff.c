// Derivatives of the step along a direction and from an adjoint. Both take the step first and keep
// its stages; each stage's equation of motion is differentiated where it was asked.

#include "step/step.h"

#include "base/assert.h"
#include "step/hard/hard_step.h"
#include "step/integrate/lie_chart.h"
#include "step/surrogate.h"

#include <string.h>

static tacReal* alloc_zero(tacArena* arena, int n) {
    tacReal* x = TAC_ALLOC(arena, tacReal, n);
    memset(x, 0, sizeof *x * (size_t)n);
    return x;
}

static void copy_reals(tacReal* to, const tacReal* from, int n) {
    if (from && n > 0) memcpy(to, from, sizeof *to * (size_t)n);
}

// to += s from
static void add_scaled_reals(tacReal* to, tacReal s, const tacReal* from, int n) {
    for (int i = 0; i < n; ++i) to[i] += s * from[i];
}

// the equation of motion at a stage, ready for derivatives; Euler's only one is there already
static void revisit_stage(tacForward* f, const tacStages* s, int i) {
    if (s->count > 1) tac_forward(f, s->x[i], s->a[i], s->rate[i]);
    tac_forward_prepare_diff(f, s->a[i]);
}

//---------------------------------- forward --------------------------------------

// tangents along the way: of the first state, of the stage at hand, of the means
typedef struct stepDot {
    tacReal *q0, *v0, *act0, *q, *v, *act, *k, *a, *rate, *u_step; // the last: of h k
    tacReal *mean_k, *mean_a, *mean_rate, *ctrl, *theta;
    tacReal h;
} stepDot;

static void stage_jvp(tacForward* f, const tacStages* s, stepDot* d, int i) {
    tacMotionDot dot = {.dq = d->q, .dv = d->v, .act = d->act, .ctrl = d->ctrl, .theta = d->theta};
    revisit_stage(f, s, i);
    tac_forward_jvp(f, &dot, d->a, d->rate);
}

// next = act0 moved by `rate`
static void activation_jvp(tacForward* f, const tacStages* s, const stepDot* d, const tacReal* rate,
                           const tacReal* rate_dot, tacReal* act) {
    if (f->dyn.model->na == 0) return;
    tacMotionDot dot = {.act = d->act0, .theta = d->theta};
    f->dyn.m.act = s->x[0].act;
    f->dyn.k->act_next_jvp(f->dyn.model, &f->dyn.m, rate, rate_dot, &dot, act);
}

static void euler_jvp(tacForward* f, const tacStages* s, stepDot* d, tacStateArrays next) {
    int nv = f->dyn.model->nv, explicit_euler = f->dyn.model->integrator == TAC_INTEGRATOR_EXPLICIT;
    stage_jvp(f, s, d, 0);
    for (int k = 0; k < nv; ++k) next.v[k] = d->v0[k] + f->dyn.h * d->a[k] + d->h * s->a[0][k];
    tac_advance_pos_jvp(f->dyn.model, s->mean_k, f->dyn.h, d->q0, explicit_euler ? d->v0 : next.v,
                        d->h, next.q);
    activation_jvp(f, s, d, s->rate[0], d->rate, next.act);
}

// to stage i, from the rates of the one before in d
static void stage_start_jvp(tacForward* f, const tacStages* s, stepDot* d, int i) {
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

static void rk4_jvp(tacForward* f, const tacStages* s, stepDot* d, tacStateArrays next) {
    const tacModel* model = f->dyn.model;
    for (int i = 0; i < s->count; ++i) {
        if (i > 0) stage_start_jvp(f, s, d, i);
        stage_jvp(f, s, d, i);
        tac_lie_chart_rate_jvp(model, s->lie && i > 0 ? s->k[i - 1] : NULL,
                               f->dyn.h * tac_rk4_node[i], s->x[i].v, d->u_step, d->v, d->k);
        add_scaled_reals(d->mean_k, tac_rk4_weight[i], d->k, model->nv);
        add_scaled_reals(d->mean_a, tac_rk4_weight[i], d->a, model->nv);
        add_scaled_reals(d->mean_rate, tac_rk4_weight[i], d->rate, model->na);
    }
    for (int k = 0; k < model->nv; ++k)
        next.v[k] = d->v0[k] + f->dyn.h * d->mean_a[k] + d->h * s->mean_a[k];
    tac_advance_pos_jvp(model, s->mean_k, f->dyn.h, d->q0, d->mean_k, d->h, next.q);
    activation_jvp(f, s, d, s->mean_rate, d->mean_rate, next.act);
}

static stepDot alloc_dot(const tacModel* model, tacArena* arena, tacTangent x, const tacReal* u,
                         const tacReal* theta) {
    stepDot d = {.ctrl = (tacReal*)u, .theta = (tacReal*)theta};
    tacReal** const of_v[] = {&d.q0, &d.v0,     &d.q,      &d.v,     &d.k,
                              &d.a,  &d.u_step, &d.mean_k, &d.mean_a};
    tacReal** const of_act[] = {&d.act0, &d.act, &d.rate, &d.mean_rate};
    for (int i = 0; i < TAC_COUNT(of_v); ++i) *of_v[i] = alloc_zero(arena, model->nv);
    for (int i = 0; i < TAC_COUNT(of_act); ++i) *of_act[i] = alloc_zero(arena, model->na);
    if (theta) d.h = theta[model->timestep];
    copy_reals(d.q0, x.dq, model->nv);
    copy_reals(d.q, x.dq, model->nv);
    copy_reals(d.v0, x.dv, model->nv);
    copy_reals(d.v, x.dv, model->nv);
    copy_reals(d.act0, x.da, model->na);
    copy_reals(d.act, x.da, model->na);
    return d;
}

static int is_tangent_finite(const tacModel* model, tacTangent x) {
    return tac_all_finite(x.dq, model->nv) && tac_all_finite(x.dv, model->nv) &&
           tac_all_finite(x.da, model->na);
}

tacResult tac_step_jvp(const tacModel* model, const tacState* x, const tacReal* u,
                       tacStepTangent dot, tacTangent next_dot, tacScratch* scratch) {
    tacResult result = tac_step_check(model, x, u, scratch);
    if (result == TAC_OK && !(is_tangent_finite(model, dot.x) && tac_all_finite(dot.u, model->nu) &&
                              tac_all_finite(dot.theta, model->nparam)))
        result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    if (tac_is_hard(model))
        return tac_hard_jvp(model, x, u, dot.x, dot.u, dot.theta, next_dot, scratch);
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    tacModel softer;
    tacStepWorkspace ws;
    model = tac_surrogate(model, &softer, scratch);
    result = tac_step_workspace_run(model, x, u, 1, scratch, &ws);
    if (result != TAC_OK) {
        arena->used = mark;
        return result;
    }
    stepDot d = alloc_dot(model, arena, dot.x, dot.u, dot.theta);
    tacStateArrays next = {alloc_zero(arena, model->nv), alloc_zero(arena, model->nv),
                           alloc_zero(arena, model->na)};
    (ws.s.count > 1 ? rk4_jvp : euler_jvp)(&ws.f, &ws.s, &d, next);
    if (!is_tangent_finite(model, (tacTangent){next.q, next.v, next.act})) {
        result = TAC_ERROR_DIVERGED;
    } else {
        if (next_dot.dq) copy_reals(next_dot.dq, next.q, model->nv);
        if (next_dot.dv) copy_reals(next_dot.dv, next.v, model->nv);
        if (next_dot.da) copy_reals(next_dot.da, next.act, model->na);
    }
    arena->used = mark;
    return result;
}

//---------------------------------- reverse --------------------------------------

typedef struct stepBar {
    tacReal *q0, *v0, *act0; // of the first state
    tacReal *q, *u_step;     // of a stage's positions; of h k before it
    tacReal *v[TAC_MAX_STAGES], *k[TAC_MAX_STAGES], *a[TAC_MAX_STAGES];
    tacReal *act[TAC_MAX_STAGES], *rate[TAC_MAX_STAGES];
    tacReal *mean_k, *mean_rate, *theta, *ctrl, h;
} stepBar;

// b->a[i] and b->rate[i] through the equation of motion at stage i
static void stage_vjp(tacForward* f, const tacStages* s, stepBar* b, int i) {
    memset(b->q, 0, sizeof *b->q * (size_t)f->dyn.model->nv);
    tacMotionDot bar = {
        .dq = b->q, .dv = b->v[i], .act = b->act[i], .ctrl = b->ctrl, .theta = b->theta};
    revisit_stage(f, s, i);
    tac_forward_vjp(f, b->a[i], b->rate[i], &bar);
}

static void activation_vjp(tacForward* f, const tacStages* s, stepBar* b, const tacReal* rate,
                           const tacReal* act_bar, tacReal* rate_bar) {
    if (f->dyn.model->na == 0) return;
    tacMotionDot bar = {.act = b->act0, .theta = b->theta};
    f->dyn.m.act = s->x[0].act;
    f->dyn.k->act_next_vjp(f->dyn.model, &f->dyn.m, rate, act_bar, rate_bar, &bar);
}

// of stage 0, which is the first state
static void first_stage_vjp(tacForward* f, const tacStages* s, stepBar* b) {
    stage_vjp(f, s, b, 0);
    add_scaled_reals(b->q0, 1.0, b->q, f->dyn.model->nv);
    add_scaled_reals(b->v0, 1.0, b->v[0], f->dyn.model->nv);
    add_scaled_reals(b->act0, 1.0, b->act[0], f->dyn.model->na);
}

static void euler_vjp(tacForward* f, const tacStages* s, stepBar* b, tacStateArrays next) {
    int nv = f->dyn.model->nv, explicit_euler = f->dyn.model->integrator == TAC_INTEGRATOR_EXPLICIT;
    activation_vjp(f, s, b, s->rate[0], next.act, b->rate[0]);
    tac_advance_pos_vjp(f->dyn.model, s->mean_k, f->dyn.h, next.q, b->q0, b->mean_k, &b->h);
    for (int k = 0; k < nv; ++k) {
        tacReal v = next.v[k] + (explicit_euler ? (tacReal)0.0 : b->mean_k[k]);
        b->v0[k] += v + (explicit_euler ? b->mean_k[k] : (tacReal)0.0);
        b->a[0][k] = f->dyn.h * v;
        b->h += s->a[0][k] * v;
    }
    first_stage_vjp(f, s, b);
}

// back from stage i to the rates of the one before
static void stage_start_vjp(tacForward* f, const tacStages* s, stepBar* b, int i) {
    const tacModel* model = f->dyn.model;
    tacReal h = f->dyn.h * tac_rk4_node[i], h_bar = 0.0;
    tac_advance_pos_vjp(model, s->k[i - 1], h, b->q, b->q0, b->k[i - 1], &h_bar);
    for (int k = 0; k < model->nv; ++k)
        h_bar += s->a[i - 1][k] * b->v[i][k] + s->k[i - 1][k] * b->u_step[k];
    for (int k = 0; k < model->na; ++k) h_bar += s->rate[i - 1][k] * b->act[i][k];
    add_scaled_reals(b->k[i - 1], h, b->u_step, model->nv);
    add_scaled_reals(b->v0, 1.0, b->v[i], model->nv);
    add_scaled_reals(b->a[i - 1], h, b->v[i], model->nv);
    add_scaled_reals(b->act0, 1.0, b->act[i], model->na);
    add_scaled_reals(b->rate[i - 1], h, b->act[i], model->na);
    b->h += tac_rk4_node[i] * h_bar;
}

static void chart_vjp(const tacForward* f, const tacStages* s, stepBar* b, int i) {
    memset(b->u_step, 0, sizeof *b->u_step * (size_t)f->dyn.model->nv);
    tac_lie_chart_rate_vjp(f->dyn.model, s->lie && i > 0 ? s->k[i - 1] : NULL,
                           f->dyn.h * tac_rk4_node[i], s->x[i].v, b->k[i], b->u_step, b->v[i]);
}

static void rk4_vjp(tacForward* f, const tacStages* s, stepBar* b, tacStateArrays next) {
    int nv = f->dyn.model->nv, na = f->dyn.model->na;
    activation_vjp(f, s, b, s->mean_rate, next.act, b->mean_rate);
    tac_advance_pos_vjp(f->dyn.model, s->mean_k, f->dyn.h, next.q, b->q0, b->mean_k, &b->h);
    for (int k = 0; k < nv; ++k) {
        b->v0[k] += next.v[k];
        b->h += s->mean_a[k] * next.v[k];
    }
    for (int i = 0; i < s->count; ++i) {
        add_scaled_reals(b->k[i], tac_rk4_weight[i], b->mean_k, nv);
        add_scaled_reals(b->a[i], tac_rk4_weight[i] * f->dyn.h, next.v, nv);
        add_scaled_reals(b->rate[i], tac_rk4_weight[i], b->mean_rate, na);
    }
    for (int i = s->count - 1; i > 0; --i) {
        chart_vjp(f, s, b, i);
        stage_vjp(f, s, b, i);
        stage_start_vjp(f, s, b, i);
    }
    chart_vjp(f, s, b, 0);
    first_stage_vjp(f, s, b);
}

static stepBar alloc_bar(const tacModel* model, tacArena* arena, int by_theta) {
    stepBar b = {0};
    int nv = model->nv, na = model->na;
    tacReal** const arrays[] = {&b.q0, &b.v0, &b.q, &b.u_step, &b.mean_k};
    for (int i = 0; i < TAC_COUNT(arrays); ++i) *arrays[i] = alloc_zero(arena, nv);
    for (int i = 0; i < TAC_MAX_STAGES; ++i) {
        b.v[i] = alloc_zero(arena, nv);
        b.k[i] = alloc_zero(arena, nv);
        b.a[i] = alloc_zero(arena, nv);
        b.act[i] = alloc_zero(arena, na);
        b.rate[i] = alloc_zero(arena, na);
    }
    b.act0 = alloc_zero(arena, na);
    b.mean_rate = alloc_zero(arena, na);
    b.ctrl = alloc_zero(arena, model->nu);
    if (by_theta) b.theta = alloc_zero(arena, model->nparam);
    return b;
}

// adds what is asked for, if all of it is finite
static tacResult write_adjoints(const tacModel* model, const stepBar* b, tacStepTangent bar) {
    if (!is_tangent_finite(model, (tacTangent){b->q0, b->v0, b->act0}) ||
        !tac_all_finite(b->ctrl, model->nu) || !tac_all_finite(b->theta, model->nparam))
        return TAC_ERROR_DIVERGED;
    if (bar.x.dq) add_scaled_reals(bar.x.dq, 1.0, b->q0, model->nv);
    if (bar.x.dv) add_scaled_reals(bar.x.dv, 1.0, b->v0, model->nv);
    if (bar.x.da) add_scaled_reals(bar.x.da, 1.0, b->act0, model->na);
    if (bar.u) add_scaled_reals(bar.u, 1.0, b->ctrl, model->nu);
    if (bar.theta) add_scaled_reals(bar.theta, 1.0, b->theta, model->nparam);
    return TAC_OK;
}

tacResult tac_step_vjp(const tacModel* model, const tacState* x, const tacReal* u,
                       tacTangent next_bar, tacStepTangent bar, tacScratch* scratch) {
    tacResult result = tac_step_check(model, x, u, scratch);
    if (result == TAC_OK && !is_tangent_finite(model, next_bar)) result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    if (tac_is_hard(model))
        return tac_hard_vjp(model, x, u, next_bar, bar.x, bar.u, bar.theta, scratch);
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    tacModel softer;
    tacStepWorkspace ws;
    model = tac_surrogate(model, &softer, scratch);
    result = tac_step_workspace_run(model, x, u, 1, scratch, &ws);
    if (result != TAC_OK) {
        arena->used = mark;
        return result;
    }
    stepBar b = alloc_bar(model, arena, bar.theta != NULL);
    tacStateArrays next = {alloc_zero(arena, model->nv), alloc_zero(arena, model->nv),
                           alloc_zero(arena, model->na)};
    copy_reals(next.q, next_bar.dq, model->nv);
    copy_reals(next.v, next_bar.dv, model->nv);
    copy_reals(next.act, next_bar.da, model->na);
    (ws.s.count > 1 ? rk4_vjp : euler_vjp)(&ws.f, &ws.s, &b, next);
    if (b.theta) b.theta[model->timestep] += b.h;
    result = write_adjoints(model, &b, bar);
    arena->used = mark;
    return result;
}
