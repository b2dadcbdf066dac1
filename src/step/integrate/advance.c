// Semi-implicit Euler, explicit Euler and Runge-Kutta, as MuJoCo takes them (docs/dynamics.md).

#include "step/integrate/advance.h"

#include "step/integrate/lie_chart.h"

#include <string.h>

const double tac_rk4_weight[] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
const double tac_rk4_node[] = {0.0, 0.5, 0.5, 1.0};

//---------------------------------- memory ---------------------------------------

static int stage_count(const tacModel* model) { return tac_is_rk4(model) ? 4 : 1; }

static tacStateArrays alloc_state_arrays(const tacModel* model, int lanes, tacArena* arena) {
    return (tacStateArrays){TAC_ALLOC(arena, tacReal, model->nq * lanes),
                            TAC_ALLOC(arena, tacReal, model->nv * lanes),
                            TAC_ALLOC(arena, tacReal, model->na * lanes)};
}

tacStages tac_stages_alloc(const tacModel* model, int lanes, tacArena* arena) {
    int nv = model->nv * lanes, na = model->na * lanes;
    tacStages s = {.count = stage_count(model), .lie = model->integrator == TAC_INTEGRATOR_LIE};
    for (int i = 0; i < s.count; ++i) {
        s.x[i] = alloc_state_arrays(model, lanes, arena);
        s.a[i] = TAC_ALLOC(arena, tacReal, nv);
        s.rate[i] = TAC_ALLOC(arena, tacReal, na);
        s.k[i] = s.lie ? TAC_ALLOC(arena, tacReal, nv) : s.x[i].v;
    }
    s.mean_k = TAC_ALLOC(arena, tacReal, nv);
    s.mean_a = TAC_ALLOC(arena, tacReal, nv);
    s.mean_rate = TAC_ALLOC(arena, tacReal, na);
    return s;
}

size_t tac_stages_size(const tacModel* model, int lanes, size_t real_size) {
    size_t count = (size_t)stage_count(model), one = real_size * (size_t)lanes;
    return count * tac_arena_align(one * (size_t)model->nq) +
           (3 * count + 2) * tac_arena_align(one * (size_t)model->nv) +
           (2 * count + 1) * tac_arena_align(one * (size_t)model->na);
}

//---------------------------------- Euler ----------------------------------------

// v + h a, then q + h v with the new velocity, or with the old one
static void advance_euler(tacForward* f, tacStages* s, tacStateArrays next) {
    size_t size = sizeof(tacReal) * (size_t)(f->dyn.model->nv * f->dyn.k->lanes);
    int explicit_euler = f->dyn.model->integrator == TAC_INTEGRATOR_EXPLICIT;
    tac_forward(f, s->x[0], s->a[0], s->rate[0]);
    memcpy(s->mean_a, s->a[0], size);
    f->dyn.k->add_scaled(f->dyn.model->nv, s->x[0].v, f->dyn.h, s->a[0], next.v);
    memcpy(s->mean_k, explicit_euler ? s->x[0].v : next.v, size);
    f->dyn.k->integrate(f->dyn.model, s->x[0].q, s->mean_k, f->dyn.h, next.q);
    if (f->dyn.model->na > 0) f->dyn.k->act_next(f->dyn.model, s->x[0].act, s->rate[0], next.act);
}

//---------------------------------- Runge-Kutta ----------------------------------

static void add_to_mean(const tacForward* f, tacStages* s, int i) {
    const tacModel* model = f->dyn.model;
    tacReal w = tac_rk4_weight[i];
    f->dyn.k->add_scaled(model->nv, s->mean_k, w, s->k[i], s->mean_k);
    f->dyn.k->add_scaled(model->nv, s->mean_a, w, s->a[i], s->mean_a);
    f->dyn.k->add_scaled(model->na, s->mean_rate, w, s->rate[i], s->mean_rate);
}

// every stage starts from the first state, with the rates of the stage before
static void advance_rk4(tacForward* f, tacStages* s, tacStateArrays next) {
    const tacModel* model = f->dyn.model;
    size_t nv = (size_t)(model->nv * f->dyn.k->lanes), na = (size_t)(model->na * f->dyn.k->lanes);
    memset(s->mean_k, 0, sizeof(tacReal) * nv);
    memset(s->mean_a, 0, sizeof(tacReal) * nv);
    if (na > 0) memset(s->mean_rate, 0, sizeof(tacReal) * na);
    for (int i = 0; i < s->count; ++i) {
        tacReal h = f->dyn.h * tac_rk4_node[i];
        if (i > 0) {
            f->dyn.k->integrate(model, s->x[0].q, s->k[i - 1], h, s->x[i].q);
            f->dyn.k->add_scaled(model->nv, s->x[0].v, h, s->a[i - 1], s->x[i].v);
            f->dyn.k->add_scaled(model->na, s->x[0].act, h, s->rate[i - 1], s->x[i].act);
        }
        tac_forward(f, s->x[i], s->a[i], s->rate[i]);
        if (s->lie)
            tac_lie_chart_rate(model, f->dyn.k->lanes, i > 0 ? s->k[i - 1] : NULL, h, s->x[i].v,
                               s->k[i]);
        add_to_mean(f, s, i);
    }
    f->dyn.k->add_scaled(model->nv, s->x[0].v, f->dyn.h, s->mean_a, next.v);
    f->dyn.k->integrate(model, s->x[0].q, s->mean_k, f->dyn.h, next.q);
    if (na > 0) f->dyn.k->act_next(model, s->x[0].act, s->mean_rate, next.act);
}

void tac_advance(tacForward* f, tacStages* s, tacStateArrays next) {
    if (tac_is_rk4(f->dyn.model))
        advance_rk4(f, s, next);
    else
        advance_euler(f, s, next);
}
