// Rows of the Jacobian of integration.

#include "step/integrate/state_rows.h"

#include "math/quat.h"

#include <string.h>

//---------------------------------- positions ------------------------------------

// A row of d q: h J times three rows of K, or of the unit matrix of velocities where K is NULL;
// plus E, the derivative by the positions.
typedef struct positionRow {
    int dof, count; // the degrees of freedom that it depends on
    tacReal J[3], E[3];
} positionRow;

static void position_row(const tacModel* model, const positionRow* r, tacReal h, const tacReal* K,
                         tacStateRows out) {
    memset(out.X, 0, sizeof *out.X * (size_t)out.columns);
    for (int i = 0; i < r->count; ++i) {
        tacReal a = h * r->J[i];
        const tacReal* row = K ? K + (size_t)(r->dof + i) * (size_t)out.columns : NULL;
        for (int c = 0; c < out.columns && row; ++c) out.X[c] += a * row[c];
        if (!row && out.has_state) out.X[model->nv + r->dof + i] += a;
        if (out.has_state) out.X[r->dof + i] += r->E[i];
    }
}

static tacStateRows row_at(tacStateRows Q, int k) {
    Q.X += (size_t)k * (size_t)Q.columns;
    return Q;
}

void tac_position_rows(const tacModel* model, const tacReal* rate, tacReal h, const tacReal* K,
                       tacStateRows Q) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int k = j->dof, ntranslate = tac_translation_dofs(j);
        for (; k < j->dof + ntranslate; ++k) {
            const positionRow row = {k, 1, {1.0}, {1.0}};
            position_row(model, &row, h, K, row_at(Q, k));
        }
        if (j->axis >= 0) continue;
        tacVec3 w = tac_scale(tac_load3(rate + k), h);
        tacMat3 R = tac_so3_exp(w), L = tac_so3_left_jacobian(w); // E = exp(-w) = R', J_r = L'
        for (int r = 0; r < 3; ++r) {
            const positionRow row = {
                k, 3, {L.m[0][r], L.m[1][r], L.m[2][r]}, {R.m[0][r], R.m[1][r], R.m[2][r]}};
            position_row(model, &row, h, K, row_at(Q, k + r));
        }
    }
}

//---------------------------------- velocities -----------------------------------

void tac_velocity_rows(const tacModel* model, tacReal h, tacStateRows V) {
    int nv = model->nv;
    for (size_t i = 0; i < (size_t)nv * (size_t)V.columns; ++i) V.X[i] *= h;
    for (int k = 0; k < nv && V.has_state; ++k)
        V.X[(size_t)k * (size_t)V.columns + (size_t)(nv + k)] += 1.0;
}

//---------------------------------- activations ----------------------------------

tacActivationSlopes tac_activation_slopes_alloc(const tacModel* model, tacArena* arena) {
    int na = model->na;
    tacActivationSlopes s = {
        .by_act = TAC_ALLOC(arena, tacReal, na),
        .by_ctrl = TAC_ALLOC(arena, tacReal, na),
        .next_act = TAC_ALLOC(arena, tacReal, na),
        .next_ctrl = TAC_ALLOC(arena, tacReal, na),
        .ones = TAC_ALLOC(arena, tacReal, na + model->nu),
    };
    for (int i = 0; i < na + model->nu && s.ones; ++i) s.ones[i] = 1.0;
    return s;
}

void tac_activation_rate_slopes(tacForward* f, const tacActivationSlopes* slopes) {
    const tacMotionDot act = {.act = slopes->ones}, ctrl = {.ctrl = slopes->ones};
    f->dyn.k->activate_jvp(f->dyn.model, &f->dyn.m, &act, slopes->by_act);
    f->dyn.k->activate_jvp(f->dyn.model, &f->dyn.m, &ctrl, slopes->by_ctrl);
}

void tac_activation_rows(tacForward* f, const tacStages* s, const tacActivationSlopes* slopes,
                         tacReal* A, tacReal* B) {
    const tacModel* model = f->dyn.model;
    int nv = model->nv, na = model->na, nu = model->nu, nx = 2 * nv + na;
    const tacReal* rate = s->count == 1 ? s->rate[0] : s->mean_rate;
    const tacMotionDot by_act = {.act = slopes->ones}, by_ctrl = {0};
    f->dyn.m.act = s->x[0].act;
    f->dyn.k->act_next_jvp(model, &f->dyn.m, rate, slopes->by_act, &by_act, slopes->next_act);
    f->dyn.k->act_next_jvp(model, &f->dyn.m, rate, slopes->by_ctrl, &by_ctrl, slopes->next_ctrl);
    if (A) memset(A + (size_t)(2 * nv) * (size_t)nx, 0, sizeof *A * (size_t)na * (size_t)nx);
    if (B) memset(B + 2 * nv * nu, 0, sizeof *B * (size_t)na * (size_t)nu);
    for (int i = 0; i < nu; ++i) {
        int c = model->actuator[i].act;
        if (c < 0) continue;
        if (A) A[(size_t)(2 * nv + c) * (size_t)nx + (size_t)(2 * nv + c)] = slopes->next_act[c];
        if (B) B[(2 * nv + c) * nu + i] = slopes->next_ctrl[c];
    }
}
