// The chain of the Jacobians of Runge-Kutta's stages.

#include "step/rk4_jacobian.h"

#include <string.h>

enum { CHAIN_LIMIT = 256 }; // degrees of freedom

int tac_has_rk4_chain(const tacModel* model) {
    return tac_is_rk4(model) && model->nv <= CHAIN_LIMIT;
}

//---------------------------------- memory ---------------------------------------

tacRk4Chain tac_rk4_chain_alloc(const tacModel* model, tacArena* arena) {
    int nv = model->nv, nx = tac_tangent_size(model);
    tacRk4Chain c = {.W = nx + model->nu};
    tacReal** const wide[] = {&c.Q, &c.V, &c.K, &c.A, &c.mean_K, &c.mean_A};
    tacReal** const acts[] = {&c.act,       &c.ctrl,     &c.rate_act,
                              &c.rate_ctrl, &c.mean_act, &c.mean_ctrl};
    c.X = TAC_ALLOC(arena, tacReal, nv * nx);
    c.U = TAC_ALLOC(arena, tacReal, nv * model->nu);
    for (int i = 0; i < 6; ++i) {
        *wide[i] = TAC_ALLOC(arena, tacReal, nv * c.W);
        *acts[i] = TAC_ALLOC(arena, tacReal, model->na);
    }
    return c;
}

void tac_rk4_chain_begin(const tacModel* model, const tacRk4Chain* c) {
    int nv = model->nv, na = model->na;
    tacReal* const wide[] = {c->Q, c->V, c->K, c->A, c->mean_K, c->mean_A};
    tacReal* const acts[] = {c->act, c->ctrl, c->rate_act, c->rate_ctrl, c->mean_act, c->mean_ctrl};
    for (int i = 0; i < 6; ++i) {
        memset(wide[i], 0, sizeof(tacReal) * (size_t)(nv * c->W));
        if (na > 0) memset(acts[i], 0, sizeof(tacReal) * (size_t)na);
    }
    for (int k = 0; k < nv; ++k) {
        c->Q[k * c->W + k] = 1.0;
        c->V[k * c->W + nv + k] = 1.0;
    }
    for (int k = 0; k < na; ++k) c->act[k] = 1.0;
}

//---------------------------------- one stage ------------------------------------

// Q, V and act of a stage h after the state, from K, A and the rates of the stage before
static void chain_start(const tacModel* model, const tacRk4Chain* c, const tacReal* rate,
                        tacReal h) {
    tac_position_rows(model, rate, h, c->K, (tacStateRows){c->Q, c->W, 1});
    memcpy(c->V, c->A, sizeof(tacReal) * (size_t)(model->nv * c->W));
    tac_velocity_rows(model, h, (tacStateRows){c->V, c->W, 1});
    for (int i = 0; i < model->na; ++i) {
        c->act[i] = 1.0 + h * c->rate_act[i];
        c->ctrl[i] = h * c->rate_ctrl[i];
    }
}

// A = X (Q, V, act) + U
static void chain_accelerate(const tacForward* f, const tacRk4Chain* c) {
    const tacModel* model = f->dyn.model;
    int nv = model->nv, nx = tac_tangent_size(model), nu = model->nu;
    memset(c->A, 0, sizeof(tacReal) * (size_t)(nv * c->W));
    f->dyn.k->multiply_add(nv, nv, c->W, c->X, nx, c->Q, c->A);
    f->dyn.k->multiply_add(nv, nv, c->W, c->X + nv, nx, c->V, c->A);
    for (int k = 0; k < nv; ++k) {
        const tacReal *X = c->X + (size_t)k * (size_t)nx + 2 * nv,
                      *U = c->U + (size_t)k * (size_t)nu;
        tacReal* out = c->A + (size_t)k * (size_t)c->W;
        for (int i = 0; i < nu; ++i) {
            int act = model->actuator[i].act;
            out[nx + i] += U[i];
            if (act < 0) continue;
            out[2 * nv + act] += X[act] * c->act[act];
            out[nx + i] += X[act] * c->ctrl[act];
        }
    }
}

// K of the stage: V, and on rotations its image in the chart
static void chain_rate(const tacForward* f, const tacStages* s, const tacRk4Chain* c, int i) {
    const tacModel* model = f->dyn.model;
    if (s->lie && i > 0) {
        tacChartPoint at = {s->k[i - 1], f->dyn.h * tac_rk4_node[i], s->x[i].v};
        tac_lie_chart_rate_rows(model, at, c->V, c->W, c->K);
    } else {
        memcpy(c->K, c->V, sizeof(tacReal) * (size_t)(model->nv * c->W));
    }
}

// slopes of the stage's rates of activation by the state and the controls
static void chain_activate(tacForward* f, const tacRk4Chain* c, const tacActivationSlopes* slopes,
                           double weight) {
    if (f->dyn.model->na == 0) return;
    tac_activation_rate_slopes(f, slopes);
    for (int k = 0; k < f->dyn.model->na; ++k) {
        c->rate_act[k] = slopes->by_act[k] * c->act[k];
        c->rate_ctrl[k] = slopes->by_act[k] * c->ctrl[k] + slopes->by_ctrl[k];
        c->mean_act[k] += weight * c->rate_act[k];
        c->mean_ctrl[k] += weight * c->rate_ctrl[k];
    }
}

// to += s from
static void add_matrix(size_t count, tacReal* restrict to, tacReal s,
                       const tacReal* restrict from) {
    for (size_t i = 0; i < count; ++i) to[i] += s * from[i];
}

void tac_rk4_chain_stage(tacForward* f, const tacStages* s, const tacRk4Chain* c,
                         const tacActivationSlopes* slopes, int i) {
    const tacModel* model = f->dyn.model;
    size_t count = (size_t)(model->nv * c->W);
    if (i > 0) chain_start(model, c, s->k[i - 1], f->dyn.h * tac_rk4_node[i]);
    tac_forward_jacobian(f, c->X, tac_tangent_size(model), model->nu > 0 ? c->U : NULL);
    chain_accelerate(f, c);
    chain_rate(f, s, c, i);
    chain_activate(f, c, slopes, tac_rk4_weight[i]);
    add_matrix(count, c->mean_K, tac_rk4_weight[i], c->K);
    add_matrix(count, c->mean_A, tac_rk4_weight[i], c->A);
}

//---------------------------------- next state -----------------------------------

// out (rows of A or B) = columns `from` to `from + columns` of X
static void copy_columns(const tacRk4Chain* c, const tacReal* X, int rows, int from, int columns,
                         tacReal* out) {
    for (int k = 0; k < rows; ++k)
        memcpy(out + (size_t)k * (size_t)columns, X + (size_t)k * (size_t)c->W + from,
               sizeof *out * (size_t)columns);
}

void tac_rk4_chain_end(tacForward* f, const tacStages* s, const tacRk4Chain* c,
                       tacActivationSlopes slopes, tacReal* A, tacReal* B) {
    const tacModel* model = f->dyn.model;
    int nv = model->nv, nu = model->nu, nx = tac_tangent_size(model);
    tac_position_rows(model, s->mean_k, f->dyn.h, c->mean_K, (tacStateRows){c->Q, c->W, 1});
    tac_velocity_rows(model, f->dyn.h, (tacStateRows){c->mean_A, c->W, 1});
    if (A) copy_columns(c, c->Q, nv, 0, nx, A);
    if (A) copy_columns(c, c->mean_A, nv, 0, nx, A + (size_t)nv * (size_t)nx);
    if (B) copy_columns(c, c->Q, nv, nx, nu, B);
    if (B) copy_columns(c, c->mean_A, nv, nx, nu, B + nv * nu);
    if (model->na == 0) return;
    slopes.by_act = c->mean_act;
    slopes.by_ctrl = c->mean_ctrl;
    tac_activation_rows(f, s, &slopes, A, B);
}
