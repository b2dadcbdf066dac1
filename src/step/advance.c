// Semi-implicit Euler, explicit Euler and Runge-Kutta, as MuJoCo takes them (docs/dynamics.md).

#include "step/advance.h"

#include "step/chart.h"

#include <string.h>

const double tac_rk4_weight[] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
const double tac_rk4_reach[] = {0.0, 0.5, 0.5, 1.0};

//---------------------------------- memory ---------------------------------------

static int stage_count(const tacModel* model) { return tac_is_rk4(model) ? 4 : 1; }

static tacPoint take_point(const tacModel* model, int lanes, tacArena* arena) {
    return (tacPoint){TAC_TAKE(arena, tacReal, model->nq * lanes),
                      TAC_TAKE(arena, tacReal, model->nv * lanes),
                      TAC_TAKE(arena, tacReal, model->na * lanes)};
}

tacStages tac_stages_take(const tacModel* model, int lanes, tacArena* arena) {
    int nv = model->nv * lanes, na = model->na * lanes;
    tacStages s = {.count = stage_count(model), .lie = model->integrator == TAC_INTEGRATOR_LIE};
    for (int i = 0; i < s.count; ++i) {
        s.x[i] = take_point(model, lanes, arena);
        s.a[i] = TAC_TAKE(arena, tacReal, nv);
        s.rate[i] = TAC_TAKE(arena, tacReal, na);
        s.k[i] = s.lie ? TAC_TAKE(arena, tacReal, nv) : s.x[i].v;
    }
    s.mean_k = TAC_TAKE(arena, tacReal, nv);
    s.mean_a = TAC_TAKE(arena, tacReal, nv);
    s.mean_rate = TAC_TAKE(arena, tacReal, na);
    return s;
}

size_t tac_stages_size(const tacModel* model, int lanes, size_t real_size) {
    size_t count = (size_t)stage_count(model), one = real_size * (size_t)lanes;
    return count * tac_arena_need(one * (size_t)model->nq) +
           (3 * count + 2) * tac_arena_need(one * (size_t)model->nv) +
           (2 * count + 1) * tac_arena_need(one * (size_t)model->na);
}

//---------------------------------- Euler ----------------------------------------

// v + h a, then q + h v with the new velocity, or with the old one
static void advance_euler(tacFlow* f, tacStages* s, tacPoint next) {
    size_t size = sizeof(tacReal) * (size_t)(f->model->nv * f->k->lanes);
    int old = f->model->integrator == TAC_INTEGRATOR_EXPLICIT;
    tac_flow_at(f, s->x[0], s->a[0], s->rate[0]);
    memcpy(s->mean_a, s->a[0], size);
    f->k->add_scaled(f->model->nv, s->x[0].v, f->h, s->a[0], next.v);
    memcpy(s->mean_k, old ? s->x[0].v : next.v, size);
    f->k->integrate(f->model, s->x[0].q, s->mean_k, f->h, next.q);
    if (f->model->na > 0) f->k->act_next(f->model, s->x[0].act, s->rate[0], next.act);
}

//---------------------------------- Runge-Kutta ----------------------------------

static void add_mean(const tacFlow* f, tacStages* s, int i) {
    const tacModel* model = f->model;
    tacReal w = tac_rk4_weight[i];
    f->k->add_scaled(model->nv, s->mean_k, w, s->k[i], s->mean_k);
    f->k->add_scaled(model->nv, s->mean_a, w, s->a[i], s->mean_a);
    f->k->add_scaled(model->na, s->mean_rate, w, s->rate[i], s->mean_rate);
}

// every stage starts from the first state, with the rates of the stage before
static void advance_rk4(tacFlow* f, tacStages* s, tacPoint next) {
    const tacModel* model = f->model;
    size_t nv = (size_t)(model->nv * f->k->lanes), na = (size_t)(model->na * f->k->lanes);
    memset(s->mean_k, 0, sizeof(tacReal) * nv);
    memset(s->mean_a, 0, sizeof(tacReal) * nv);
    if (na > 0) memset(s->mean_rate, 0, sizeof(tacReal) * na);
    for (int i = 0; i < s->count; ++i) {
        tacReal h = f->h * tac_rk4_reach[i];
        if (i > 0) {
            f->k->integrate(model, s->x[0].q, s->k[i - 1], h, s->x[i].q);
            f->k->add_scaled(model->nv, s->x[0].v, h, s->a[i - 1], s->x[i].v);
            f->k->add_scaled(model->na, s->x[0].act, h, s->rate[i - 1], s->x[i].act);
        }
        tac_flow_at(f, s->x[i], s->a[i], s->rate[i]);
        if (s->lie)
            tac_chart_rate(model, f->k->lanes, i > 0 ? s->k[i - 1] : NULL, h, s->x[i].v, s->k[i]);
        add_mean(f, s, i);
    }
    f->k->add_scaled(model->nv, s->x[0].v, f->h, s->mean_a, next.v);
    f->k->integrate(model, s->x[0].q, s->mean_k, f->h, next.q);
    if (na > 0) f->k->act_next(model, s->x[0].act, s->mean_rate, next.act);
}

void tac_advance(tacFlow* f, tacStages* s, tacPoint next) {
    if (tac_is_rk4(f->model))
        advance_rk4(f, s, next);
    else
        advance_euler(f, s, next);
}
