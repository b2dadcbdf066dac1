// Semi-implicit Euler, explicit Euler and Runge-Kutta, as in MuJoCo (docs/dynamics.md).

#include "step/integrate/stages.h"

#include <string.h>

const double tac_rk4_weight[] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
const double tac_rk4_node[] = {0.0, 0.5, 0.5, 1.0};

//---------------------------------- memory ---------------------------------------

tacStateArrays tac_state_arrays_alloc(const tacModel* model, int lanes, tacArena* arena) {
    return (tacStateArrays){TAC_ALLOC(arena, tacReal, model->nq * lanes),
                            TAC_ALLOC(arena, tacReal, model->nv * lanes),
                            TAC_ALLOC(arena, tacReal, model->na * lanes)};
}

tacStages tac_stages_alloc(const tacModel* model, int lanes, tacArena* arena) {
    int nv = model->nv * lanes, na = model->na * lanes;
    tacStages s = {.count = tac_is_rk4(model) ? 4 : 1,
                   .lie = model->integrator == TAC_INTEGRATOR_LIE};
    for (int i = 0; i < s.count; ++i) {
        s.x[i] = tac_state_arrays_alloc(model, lanes, arena);
        s.a[i] = TAC_ALLOC(arena, tacReal, nv);
        s.rate[i] = TAC_ALLOC(arena, tacReal, na);
        s.k[i] = s.lie ? TAC_ALLOC(arena, tacReal, nv) : s.x[i].v;
    }
    s.mean_k = TAC_ALLOC(arena, tacReal, nv);
    s.mean_a = TAC_ALLOC(arena, tacReal, nv);
    s.mean_rate = TAC_ALLOC(arena, tacReal, na);
    return s;
}

//---------------------------------- stages ---------------------------------------

void tac_stage_start(const tacForward* f, tacStages* s, int i) {
    if (i == 0) return;
    const tacModel* model = f->dyn.model;
    tacReal h = f->dyn.h * tac_rk4_node[i];
    f->dyn.k->integrate(model, s->x[0].q, s->k[i - 1], h, s->x[i].q);
    f->dyn.k->add_scaled(model->nv, s->x[0].v, h, s->a[i - 1], s->x[i].v);
    f->dyn.k->add_scaled(model->na, s->x[0].act, h, s->rate[i - 1], s->x[i].act);
}

// without a chart k[i] is the array of the velocity
void tac_stage_position_rate(const tacForward* f, tacStages* s, int i) {
    if (!s->lie) return;
    tacChartPoint at = {i > 0 ? s->k[i - 1] : NULL, f->dyn.h * tac_rk4_node[i], s->x[i].v};
    tac_lie_chart_rate(f->dyn.model, f->dyn.k->lanes, at, s->k[i]);
}

//---------------------------------- next state -----------------------------------

// v + h a, then q + h v with the new velocity, or with the old one
static void integrate_euler(const tacForward* f, tacStages* s, tacStateArrays next) {
    const tacModel* model = f->dyn.model;
    size_t size = sizeof(tacReal) * (size_t)(model->nv * f->dyn.k->lanes);
    int explicit_euler = model->integrator == TAC_INTEGRATOR_EXPLICIT;
    memcpy(s->mean_a, s->a[0], size);
    f->dyn.k->add_scaled(model->nv, s->x[0].v, f->dyn.h, s->a[0], next.v);
    memcpy(s->mean_k, explicit_euler ? s->x[0].v : next.v, size);
    f->dyn.k->integrate(model, s->x[0].q, s->mean_k, f->dyn.h, next.q);
    if (model->na > 0) f->dyn.k->act_next(model, s->x[0].act, s->rate[0], next.act);
}

static void set_means(const tacForward* f, tacStages* s) {
    const tacModel* model = f->dyn.model;
    size_t nv = (size_t)(model->nv * f->dyn.k->lanes), na = (size_t)(model->na * f->dyn.k->lanes);
    memset(s->mean_k, 0, sizeof(tacReal) * nv);
    memset(s->mean_a, 0, sizeof(tacReal) * nv);
    if (na > 0) memset(s->mean_rate, 0, sizeof(tacReal) * na);
    for (int i = 0; i < s->count; ++i) {
        tacReal w = tac_rk4_weight[i];
        f->dyn.k->add_scaled(model->nv, s->mean_k, w, s->k[i], s->mean_k);
        f->dyn.k->add_scaled(model->nv, s->mean_a, w, s->a[i], s->mean_a);
        f->dyn.k->add_scaled(model->na, s->mean_rate, w, s->rate[i], s->mean_rate);
    }
}

static void integrate_rk4(const tacForward* f, tacStages* s, tacStateArrays next) {
    const tacModel* model = f->dyn.model;
    set_means(f, s);
    f->dyn.k->add_scaled(model->nv, s->x[0].v, f->dyn.h, s->mean_a, next.v);
    f->dyn.k->integrate(model, s->x[0].q, s->mean_k, f->dyn.h, next.q);
    if (model->na > 0) f->dyn.k->act_next(model, s->x[0].act, s->mean_rate, next.act);
}

void tac_integrate_stages(const tacForward* f, tacStages* s, tacStateArrays next) {
    if (s->count == 1)
        integrate_euler(f, s, next);
    else
        integrate_rk4(f, s, next);
}
