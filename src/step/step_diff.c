// Derivatives of the step along a direction and from an adjoint. Both take the step first and keep
// its stages; each stage's equation of motion is differentiated where it was asked.

#include "step/step.h"

#include <string.h>

static tacReal* take_zero(tacArena* arena, int n) {
    tacReal* x = TAC_TAKE(arena, tacReal, n);
    memset(x, 0, sizeof *x * (size_t)n);
    return x;
}

static void copy(tacReal* to, const tacReal* from, int n) {
    if (from && n > 0) memcpy(to, from, sizeof *to * (size_t)n);
}

// to += s from
static void add(tacReal* to, tacReal s, const tacReal* from, int n) {
    for (int i = 0; i < n; ++i) to[i] += s * from[i];
}

// the equation of motion at a stage, ready for derivatives
static void revisit(tacFlow* f, const tacStages* s, int i) {
    tac_flow_at(f, s->q[i], s->v[i], s->a[i]);
    tac_flow_ready(f, s->a[i]);
}

//---------------------------------- forward --------------------------------------

// tangents along the way: of the first state, of the stage at hand, of the means
typedef struct stepDot {
    tacReal *q0, *v0, *q, *v, *a, *mean_v, *mean_a, *theta;
    const tacReal* u;
    tacReal h;
} stepDot;

static void stage_jvp(tacFlow* f, const tacStages* s, stepDot* d, int i) {
    tacMotionDot dot = {.dq = d->q, .dv = d->v, .theta = d->theta};
    revisit(f, s, i);
    tac_flow_jvp(f, &dot, d->u, d->a);
}

static void euler_jvp(tacFlow* f, const tacStages* s, stepDot* d, tacReal* q, tacReal* v) {
    int nv = f->model->nv, old = f->model->integrator == TAC_INTEGRATOR_EXPLICIT;
    stage_jvp(f, s, d, 0);
    for (int k = 0; k < nv; ++k) v[k] = d->v0[k] + f->h * d->a[k] + d->h * s->a[0][k];
    tac_move_jvp(f->model, s->mean_v, f->h, d->q0, old ? d->v0 : v, d->h, q);
}

static void rk4_jvp(tacFlow* f, const tacStages* s, stepDot* d, tacReal* q, tacReal* v) {
    int nv = f->model->nv;
    for (int i = 0; i < s->count; ++i) {
        tacReal h = f->h * tac_rk4_reach[i], h_dot = d->h * tac_rk4_reach[i];
        if (i > 0) {
            tac_move_jvp(f->model, s->v[i - 1], h, d->q0, d->v, h_dot, d->q);
            for (int k = 0; k < nv; ++k) d->v[k] = d->v0[k] + h * d->a[k] + h_dot * s->a[i - 1][k];
        }
        stage_jvp(f, s, d, i);
        add(d->mean_v, tac_rk4_weight[i], d->v, nv);
        add(d->mean_a, tac_rk4_weight[i], d->a, nv);
    }
    for (int k = 0; k < nv; ++k) v[k] = d->v0[k] + f->h * d->mean_a[k] + d->h * s->mean_a[k];
    tac_move_jvp(f->model, s->mean_v, f->h, d->q0, d->mean_v, d->h, q);
}

tacResult tac_step_jvp(const tacModel* model, const tacState* x, const tacReal* u, tacTangent x_dot,
                       const tacReal* u_dot, const tacReal* theta_dot, tacTangent next_dot,
                       tacScratch* scratch) {
    tacResult result = tac_step_check(model, x, u);
    int nv = model ? model->nv : 0;
    if (result == TAC_OK &&
        !(tac_all_finite(x_dot.dq, nv) && tac_all_finite(x_dot.dv, nv) &&
          tac_all_finite(u_dot, model->nu) && tac_all_finite(theta_dot, model->nparam)))
        result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    tacFlow f = tac_flow_take(model, TAC_DISPATCH(tac_dynamics_single_), arena);
    tacStages s = tac_stages_take(model, 1, arena);
    tacReal *q = TAC_TAKE(arena, tacReal, model->nq), *v = TAC_TAKE(arena, tacReal, nv);
    f.ctrl = u, s.q[0] = x->qpos, s.v[0] = x->qvel;
    tac_advance(&f, &s, q, v);

    stepDot d = {.u = u_dot, .theta = (tacReal*)theta_dot};
    tacReal** const arrays[] = {&d.q0, &d.v0, &d.q, &d.v, &d.a, &d.mean_v, &d.mean_a};
    for (int i = 0; i < 7; ++i) *arrays[i] = take_zero(arena, nv);
    if (theta_dot) d.h = theta_dot[model->timestep];
    copy(d.q0, x_dot.dq, nv), copy(d.q, x_dot.dq, nv);
    copy(d.v0, x_dot.dv, nv), copy(d.v, x_dot.dv, nv);
    tacReal *q_dot = take_zero(arena, nv), *v_dot = take_zero(arena, nv);
    (s.count > 1 ? rk4_jvp : euler_jvp)(&f, &s, &d, q_dot, v_dot);
    if (!tac_all_finite(q_dot, nv) || !tac_all_finite(v_dot, nv)) {
        result = TAC_ERROR_DIVERGED;
    } else {
        if (next_dot.dq) copy(next_dot.dq, q_dot, nv);
        if (next_dot.dv) copy(next_dot.dv, v_dot, nv);
    }
    arena->used = mark;
    return result;
}

//---------------------------------- reverse --------------------------------------

typedef struct stepBar {
    tacReal *q0, *v0, *q; // of the first state; of a stage's positions
    tacReal *v[TAC_MAX_STAGES], *a[TAC_MAX_STAGES];
    tacReal *mean_v, *theta, *u, h;
} stepBar;

// b->a[i] through the equation of motion at stage i: to b->q, b->v[i], b->u, b->theta
static void stage_vjp(tacFlow* f, const tacStages* s, stepBar* b, int i) {
    memset(b->q, 0, sizeof *b->q * (size_t)f->model->nv);
    tacMotionDot bar = {.dq = b->q, .dv = b->v[i], .theta = b->theta};
    revisit(f, s, i);
    tac_flow_vjp(f, b->a[i], &bar, b->u);
}

static void euler_vjp(tacFlow* f, const tacStages* s, stepBar* b, const tacReal* q_bar,
                      const tacReal* v_bar) {
    int nv = f->model->nv, old = f->model->integrator == TAC_INTEGRATOR_EXPLICIT;
    tac_move_vjp(f->model, s->mean_v, f->h, q_bar, b->q0, b->mean_v, &b->h);
    for (int k = 0; k < nv; ++k) {
        tacReal next = v_bar[k] + (old ? (tacReal)0.0 : b->mean_v[k]);
        b->v0[k] += next + (old ? b->mean_v[k] : (tacReal)0.0);
        b->a[0][k] = f->h * next;
        b->h += s->a[0][k] * next;
    }
    stage_vjp(f, s, b, 0);
    add(b->q0, 1.0, b->q, nv), add(b->v0, 1.0, b->v[0], nv);
}

static void rk4_vjp(tacFlow* f, const tacStages* s, stepBar* b, const tacReal* q_bar,
                    const tacReal* v_bar) {
    int nv = f->model->nv;
    tac_move_vjp(f->model, s->mean_v, f->h, q_bar, b->q0, b->mean_v, &b->h);
    for (int k = 0; k < nv; ++k) b->v0[k] += v_bar[k], b->h += s->mean_a[k] * v_bar[k];
    for (int i = 0; i < s->count; ++i) {
        add(b->v[i], tac_rk4_weight[i], b->mean_v, nv);
        add(b->a[i], tac_rk4_weight[i] * f->h, v_bar, nv);
    }
    for (int i = s->count - 1; i > 0; --i) {
        tacReal h = f->h * tac_rk4_reach[i], h_bar = 0.0;
        stage_vjp(f, s, b, i);
        tac_move_vjp(f->model, s->v[i - 1], h, b->q, b->q0, b->v[i - 1], &h_bar);
        for (int k = 0; k < nv; ++k) h_bar += s->a[i - 1][k] * b->v[i][k];
        add(b->v0, 1.0, b->v[i], nv), add(b->a[i - 1], h, b->v[i], nv);
        b->h += tac_rk4_reach[i] * h_bar;
    }
    stage_vjp(f, s, b, 0);
    add(b->q0, 1.0, b->q, nv), add(b->v0, 1.0, b->v[0], nv);
}

static stepBar take_bar(const tacModel* model, tacArena* arena, int by_theta) {
    stepBar b = {0};
    tacReal** const arrays[] = {&b.q0, &b.v0, &b.q, &b.mean_v};
    for (int i = 0; i < 4; ++i) *arrays[i] = take_zero(arena, model->nv);
    for (int i = 0; i < TAC_MAX_STAGES; ++i)
        b.v[i] = take_zero(arena, model->nv), b.a[i] = take_zero(arena, model->nv);
    b.u = take_zero(arena, model->nu);
    if (by_theta) b.theta = take_zero(arena, model->nparam);
    return b;
}

// adds what is asked for, if all of it is finite
static tacResult hand_out(const tacModel* model, const stepBar* b, tacTangent x_bar, tacReal* u_bar,
                          tacReal* theta_bar) {
    int nv = model->nv;
    if (!tac_all_finite(b->q0, nv) || !tac_all_finite(b->v0, nv) ||
        !tac_all_finite(b->theta, model->nparam))
        return TAC_ERROR_DIVERGED;
    if (x_bar.dq) add(x_bar.dq, 1.0, b->q0, nv);
    if (x_bar.dv) add(x_bar.dv, 1.0, b->v0, nv);
    if (u_bar) add(u_bar, 1.0, b->u, model->nu);
    if (theta_bar) add(theta_bar, 1.0, b->theta, model->nparam);
    return TAC_OK;
}

tacResult tac_step_vjp(const tacModel* model, const tacState* x, const tacReal* u,
                       tacTangent next_bar, tacTangent x_bar, tacReal* u_bar, tacReal* theta_bar,
                       tacScratch* scratch) {
    tacResult result = tac_step_check(model, x, u);
    int nv = model ? model->nv : 0;
    if (result == TAC_OK && !(tac_all_finite(next_bar.dq, nv) && tac_all_finite(next_bar.dv, nv)))
        result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    tacFlow f = tac_flow_take(model, TAC_DISPATCH(tac_dynamics_single_), arena);
    tacStages s = tac_stages_take(model, 1, arena);
    tacReal *q = TAC_TAKE(arena, tacReal, model->nq), *v = TAC_TAKE(arena, tacReal, nv);
    f.ctrl = u, s.q[0] = x->qpos, s.v[0] = x->qvel;
    tac_advance(&f, &s, q, v);

    stepBar b = take_bar(model, arena, theta_bar != NULL);
    tacReal *q_bar = take_zero(arena, nv), *v_bar = take_zero(arena, nv);
    copy(q_bar, next_bar.dq, nv), copy(v_bar, next_bar.dv, nv);
    (s.count > 1 ? rk4_vjp : euler_vjp)(&f, &s, &b, q_bar, v_bar);
    if (b.theta) b.theta[model->timestep] += b.h;
    result = hand_out(model, &b, x_bar, u_bar, theta_bar);
    arena->used = mark;
    return result;
}
