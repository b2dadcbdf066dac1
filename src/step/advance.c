// Semi-implicit Euler, explicit Euler and Runge-Kutta, as MuJoCo takes them (docs/dynamics.md).

#include "step/advance.h"

#include <string.h>

const double tac_rk4_weight[] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
const double tac_rk4_reach[] = {0.0, 0.5, 0.5, 1.0};

static int stage_count(const tacModel* model) {
    return model->integrator == TAC_INTEGRATOR_RK4 ? 4 : 1;
}

tacStages tac_stages_take(const tacModel* model, int lanes, tacArena* arena) {
    tacStages s = {.count = stage_count(model)};
    for (int i = 0; i < s.count; ++i) {
        s.q[i] = TAC_TAKE(arena, tacReal, model->nq * lanes);
        s.v[i] = TAC_TAKE(arena, tacReal, model->nv * lanes);
        s.a[i] = TAC_TAKE(arena, tacReal, model->nv * lanes);
    }
    s.mean_v = TAC_TAKE(arena, tacReal, model->nv * lanes);
    s.mean_a = TAC_TAKE(arena, tacReal, model->nv * lanes);
    return s;
}

size_t tac_stages_size(const tacModel* model, int lanes, size_t real_size) {
    size_t count = (size_t)stage_count(model), one = real_size * (size_t)lanes;
    return count * tac_arena_need(one * (size_t)model->nq) +
           (2 * count + 2) * tac_arena_need(one * (size_t)model->nv);
}

// v + h a, then q + h v with the new velocity, or with the old one
static void advance_euler(tacFlow* f, tacStages* s, tacReal* next_q, tacReal* next_v) {
    size_t size = sizeof(tacReal) * (size_t)(f->model->nv * f->k->lanes);
    int old = f->model->integrator == TAC_INTEGRATOR_EXPLICIT;
    tac_flow_at(f, s->q[0], s->v[0], s->a[0]);
    memcpy(s->mean_a, s->a[0], size);
    f->k->add_scaled(f->model->nv, s->v[0], f->h, s->a[0], next_v);
    memcpy(s->mean_v, old ? s->v[0] : next_v, size);
    f->k->integrate(f->model, s->q[0], s->mean_v, f->h, next_q);
}

// every stage starts from the first state: velocities and accelerations of the stage before
static void advance_rk4(tacFlow* f, tacStages* s, tacReal* next_q, tacReal* next_v) {
    const tacModel* model = f->model;
    size_t size = sizeof(tacReal) * (size_t)(model->nv * f->k->lanes);
    memset(s->mean_v, 0, size), memset(s->mean_a, 0, size);
    for (int i = 0; i < s->count; ++i) {
        tacReal h = f->h * tac_rk4_reach[i];
        if (i > 0) {
            f->k->integrate(model, s->q[0], s->v[i - 1], h, s->q[i]);
            f->k->add_scaled(model->nv, s->v[0], h, s->a[i - 1], s->v[i]);
        }
        tac_flow_at(f, s->q[i], s->v[i], s->a[i]);
        f->k->add_scaled(model->nv, s->mean_v, tac_rk4_weight[i], s->v[i], s->mean_v);
        f->k->add_scaled(model->nv, s->mean_a, tac_rk4_weight[i], s->a[i], s->mean_a);
    }
    f->k->add_scaled(model->nv, s->v[0], f->h, s->mean_a, next_v);
    f->k->integrate(model, s->q[0], s->mean_v, f->h, next_q);
}

void tac_advance(tacFlow* f, tacStages* s, tacReal* next_q, tacReal* next_v) {
    if (f->model->integrator == TAC_INTEGRATOR_RK4)
        advance_rk4(f, s, next_q, next_v);
    else
        advance_euler(f, s, next_q, next_v);
}
