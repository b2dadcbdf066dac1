// The Jacobians of the step as matrices.
//
// Euler: columns of the inverse dynamics' derivatives, one sparse solve for all of them, and the
// map from velocities to positions on top. They are made in place in the middle rows of A. RK4:
// the same at every stage, multiplied with the stage's own derivative. Parameters, and RK4 of very
// many joints: one forward derivative per column.

#include "step/step.h"

#include "dynamics/gyroscopic.h"
#include "math/quat.h"
#include "step/force/limit_friction.h"
#include "step/hard/hard_step.h"
#include "step/integrate/lie_chart.h"
#include "step/surrogate.h"

#include <string.h>

//---------------------------------- accelerations --------------------------------

// X (nv x nx) = d a/d(q, v, act), U (nv x nu) = d a/d ctrl, of the equation of motion as it stands
static void acceleration_jacobian(tacForward* f, tacReal* X, int stride, tacReal* U) {
    const tacModel* model = f->dyn.model;
    int nv = model->nv, na = model->na, nu = model->nu;
    if (U) memset(U, 0, sizeof *U * (size_t)nu * (size_t)nv);
    tacAppliedJacobian J = {.by_ctrl = U, .stride = stride};
    if (X) {
        J.by_q = X;
        J.by_v = X + nv;
        J.by_act = X + 2 * nv;
        f->dyn.k->inverse_jacobian(model, &f->dyn.m, X, X + nv, stride);
        for (int k = 0; k < nv; ++k) {
            tacReal* row = X + (size_t)k * (size_t)stride;
            for (int c = 0; c < 2 * nv; ++c) row[c] = -row[c];
            for (int c = 0; c < na; ++c) row[2 * nv + c] = 0.0;
        }
    }
    f->dyn.k->applied_jacobian(model, &f->dyn.m, J);
    if (X && f->contact_forces)
        tac_contact_forces_jacobian(f->contact_forces, &f->dyn.m, J.by_q, J.by_v, stride);
    if (X && f->contact_forces)
        tac_limit_friction_jacobian(model, &f->dyn.m, J.by_q, J.by_v, stride);
    if (X && f->dyn.gyroscopic) tac_gyroscopic_jacobian(model, &f->dyn.m, J.by_v, stride);
    if (f->dyn.implicit_fast) f->dyn.k->damp_jacobian(model, &f->dyn.m, J);
    if (X) tac_forward_solve_columns(f, X, 2 * nv + na, stride);
    if (U && nu > 0) tac_forward_solve_columns(f, U, nu, nu);
}

//---------------------------------- positions ------------------------------------

// A row of d q: h J times three rows of K = d k, or of the unit matrix of velocities where K is
// NULL; then E, the derivative by the positions themselves.
typedef struct positionRow {
    int dof, count; // the numbers that it depends on
    tacReal J[3], E[3];
} positionRow;

static void position_row(const tacModel* model, const positionRow* r, tacReal h, const tacReal* K,
                         int columns, int has_state, tacReal* out) {
    memset(out, 0, sizeof *out * (size_t)columns);
    for (int i = 0; i < r->count; ++i) {
        tacReal a = h * r->J[i];
        const tacReal* row = K ? K + (size_t)(r->dof + i) * (size_t)columns : NULL;
        for (int c = 0; c < columns && row; ++c) out[c] += a * row[c];
        if (!row && has_state) out[model->nv + r->dof + i] += a;
        if (has_state) out[r->dof + i] += r->E[i];
    }
}

// Q = d(q moved by h k); the columns are those of the state first, or has_state is 0
static void position_rows(const tacModel* model, const tacReal* rate, tacReal h, const tacReal* K,
                          tacReal* Q, int columns, int has_state) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int k = j->dof, ntranslate = j->axis >= 0 ? 1 : j->kind == TAC_JOINT_FREE ? 3 : 0;
        for (; k < j->dof + ntranslate; ++k) {
            const positionRow row = {k, 1, {1.0}, {1.0}};
            position_row(model, &row, h, K, columns, has_state, Q + (size_t)k * (size_t)columns);
        }
        if (j->axis >= 0) continue;
        tacVec3 w = tac_scale(tac_load3(rate + k), h);
        tacMat3 R = tac_so3_exp(w), L = tac_so3_left_jacobian(w); // E = exp(-w) = R', J_r = L'
        for (int r = 0; r < 3; ++r) {
            const positionRow row = {
                k, 3, {L.m[0][r], L.m[1][r], L.m[2][r]}, {R.m[0][r], R.m[1][r], R.m[2][r]}};
            position_row(model, &row, h, K, columns, has_state,
                         Q + (size_t)(k + r) * (size_t)columns);
        }
    }
}

//---------------------------------- activations ----------------------------------

// an activation depends on itself and on its own control alone
static void rate_slopes(tacForward* f, const tacReal* ones, tacReal* by_act, tacReal* by_ctrl) {
    tacMotionDot act = {.act = (tacReal*)ones}, ctrl = {.ctrl = (tacReal*)ones};
    f->dyn.k->activate_jvp(f->dyn.model, &f->dyn.m, &act, by_act);
    f->dyn.k->activate_jvp(f->dyn.model, &f->dyn.m, &ctrl, by_ctrl);
}

// rows of d act of the next state, from the slopes of the rate that it moves on with
static void activation_rows(tacForward* f, const tacStages* s, const tacReal* rate,
                            const tacReal* rate_act, const tacReal* rate_ctrl, tacReal* ones,
                            tacReal* A, tacReal* B) {
    const tacModel* model = f->dyn.model;
    int nv = model->nv, na = model->na, nx = tac_tangent_size(model);
    tacMotionDot by_act = {.act = ones}, by_ctrl = {0};
    tacReal *next_act = ones + na + model->nu, *next_ctrl = next_act + na;
    f->dyn.m.act = s->x[0].act;
    f->dyn.k->act_next_jvp(model, &f->dyn.m, rate, rate_act, &by_act, next_act);
    f->dyn.k->act_next_jvp(model, &f->dyn.m, rate, rate_ctrl, &by_ctrl, next_ctrl);
    if (A) memset(A + (size_t)(2 * nv) * (size_t)nx, 0, sizeof *A * (size_t)na * (size_t)nx);
    if (B) memset(B + 2 * nv * model->nu, 0, sizeof *B * (size_t)na * (size_t)model->nu);
    for (int i = 0; i < model->nu; ++i) {
        int c = model->actuator[i].act;
        if (c < 0) continue;
        if (A) A[(size_t)(2 * nv + c) * (size_t)nx + (size_t)(2 * nv + c)] = next_act[c];
        if (B) B[(2 * nv + c) * model->nu + i] = next_ctrl[c];
    }
}

//---------------------------------- Euler ----------------------------------------

// rows of d v: of the next velocity in place of the acceleration
static void velocity_rows(const tacModel* model, tacReal h, tacReal* V, int columns,
                          int has_state) {
    int nv = model->nv;
    for (size_t i = 0; i < (size_t)nv * (size_t)columns; ++i) V[i] *= h;
    for (int k = 0; k < nv && has_state; ++k)
        V[(size_t)k * (size_t)columns + (size_t)(nv + k)] += 1.0;
}

// From d a (the middle rows) to d next. The columns are those of the state (A), or of inputs that
// it does not depend on (B).
static void chain_euler(const tacForward* f, const tacStages* s, tacReal* X, int columns,
                        int has_state) {
    const tacModel* model = f->dyn.model;
    tacReal* V = X + (size_t)model->nv * (size_t)columns;
    int explicit_euler = model->integrator == TAC_INTEGRATOR_EXPLICIT;
    velocity_rows(model, f->dyn.h, V, columns, has_state);
    position_rows(model, s->mean_k, f->dyn.h, explicit_euler ? NULL : V, X, columns, has_state);
}

// numbers that both ways keep for activations: ones, and slopes by act and by ctrl
static size_t activation_slope_count(const tacModel* model) {
    return 5 * (size_t)model->na + (size_t)model->nu;
}

static void euler_jacobian(tacForward* f, tacStages* s, tacReal* A, tacReal* B, tacReal* ones) {
    const tacModel* model = f->dyn.model;
    int nv = model->nv, na = model->na, nx = tac_tangent_size(model);
    tac_forward_prepare_diff(f, s->a[0]);
    acceleration_jacobian(f, A ? A + (size_t)nv * (size_t)nx : NULL, nx,
                          B && model->nu > 0 ? B + nv * model->nu : NULL);
    if (A) chain_euler(f, s, A, nx, 1);
    if (B && model->nu > 0) chain_euler(f, s, B, model->nu, 0);
    if (na == 0) return;
    tacReal* slope = ones + 3 * na + model->nu;
    for (int i = 0; i < na + model->nu; ++i) ones[i] = 1.0;
    rate_slopes(f, ones, slope, slope + na);
    activation_rows(f, s, s->rate[0], slope, slope + na, ones, A, B);
}

//---------------------------------- Runge-Kutta ----------------------------------

// Matrices of nv rows and W = nx + nu columns: derivatives by the first state and by the controls.
typedef struct rk4Chain {
    int W;
    tacReal *X, *U;           // of the equation of motion: (nv x nx) (nv x nu)
    tacReal *Q, *V, *K, *A;   // of the stage: positions, velocities, rates of both
    tacReal *mean_K, *mean_A; // sums
    tacReal *act, *ctrl;      // (na) of the stage's activations, by themselves and by controls
    tacReal *rate_act, *rate_ctrl, *mean_act, *mean_ctrl; // (na)
} rk4Chain;

enum { CHAIN_LIMIT = 256 }; // more degrees of freedom go column by column, in little memory

static int has_chain(const tacModel* model) {
    return tac_is_rk4(model) && model->nv <= CHAIN_LIMIT;
}

size_t tac_jacobian_size(const tacModel* model, size_t real_size) {
    size_t nv = (size_t)model->nv, nu = (size_t)model->nu, nx = (size_t)tac_tangent_size(model);
    size_t size = tac_arena_align(real_size * activation_slope_count(model));
    if (!has_chain(model)) return size;
    size += tac_arena_align(real_size * nv * nx) + tac_arena_align(real_size * nv * nu);
    return size + 6 * tac_arena_align(real_size * nv * (nx + nu)) +
           6 * tac_arena_align(real_size * (size_t)model->na);
}

static rk4Chain alloc_chain(const tacModel* model, tacArena* arena) {
    int nv = model->nv, nx = tac_tangent_size(model);
    rk4Chain c = {.W = nx + model->nu};
    tacReal** const wide[] = {&c.Q, &c.V, &c.K, &c.A, &c.mean_K, &c.mean_A};
    tacReal** const acts[] = {&c.act,       &c.ctrl,     &c.rate_act,
                              &c.rate_ctrl, &c.mean_act, &c.mean_ctrl};
    c.X = TAC_ALLOC(arena, tacReal, nv * nx);
    c.U = TAC_ALLOC(arena, tacReal, nv * model->nu);
    for (int i = 0; i < 6; ++i) {
        *wide[i] = TAC_ALLOC(arena, tacReal, nv * c.W);
        *acts[i] = TAC_ALLOC(arena, tacReal, model->na);
        memset(*wide[i], 0, sizeof(tacReal) * (size_t)(nv * c.W));
        if (model->na > 0) memset(*acts[i], 0, sizeof(tacReal) * (size_t)model->na);
    }
    return c;
}

// to += s from
static void add_matrix(size_t count, tacReal* restrict to, tacReal s,
                       const tacReal* restrict from) {
    for (size_t i = 0; i < count; ++i) to[i] += s * from[i];
}

// Q and V of a stage that lies h behind the first state, from K and A of the stage before
static void chain_start(const tacModel* model, const rk4Chain* c, const tacReal* rate, tacReal h) {
    int nv = model->nv;
    position_rows(model, rate, h, c->K, c->Q, c->W, 1);
    memcpy(c->V, c->A, sizeof(tacReal) * (size_t)(nv * c->W));
    velocity_rows(model, h, c->V, c->W, 1);
    for (int i = 0; i < model->na; ++i) {
        c->act[i] = 1.0 + h * c->rate_act[i];
        c->ctrl[i] = h * c->rate_ctrl[i];
    }
}

// A = X (Q, V, act) + U
static void chain_accelerate(const tacForward* f, const rk4Chain* c) {
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

// K of the stage: V, and on turns what the chart makes of it
static void chain_rate(const tacForward* f, const tacStages* s, const rk4Chain* c, int i) {
    const tacModel* model = f->dyn.model;
    int nv = model->nv;
    tacReal h = f->dyn.h * tac_rk4_node[i];
    if (s->lie && i > 0)
        tac_lie_chart_rate_rows(model, s->k[i - 1], h, s->x[i].v, c->V, c->W, c->K);
    else
        memcpy(c->K, c->V, sizeof(tacReal) * (size_t)(nv * c->W));
}

// slopes of the stage's rates of activation by the first state and the controls
static void chain_activate(tacForward* f, const rk4Chain* c, const tacReal* ones, tacReal* slope,
                           double weight) {
    int na = f->dyn.model->na;
    if (na == 0) return;
    rate_slopes(f, ones, slope, slope + na);
    for (int k = 0; k < na; ++k) {
        c->rate_act[k] = slope[k] * c->act[k];
        c->rate_ctrl[k] = slope[k] * c->ctrl[k] + slope[na + k];
        c->mean_act[k] += weight * c->rate_act[k];
        c->mean_ctrl[k] += weight * c->rate_ctrl[k];
    }
}

// out (rows of A or B) from the columns `from` to `from + columns` of X
static void copy_columns(const tacReal* X, int rows, int W, int from, int columns, tacReal* out) {
    for (int k = 0; k < rows; ++k)
        memcpy(out + (size_t)k * (size_t)columns, X + (size_t)k * (size_t)W + from,
               sizeof *out * (size_t)columns);
}

static void rk4_jacobian(tacForward* f, tacStages* s, tacReal* A, tacReal* B, tacReal* ones,
                         tacArena* arena) {
    const tacModel* model = f->dyn.model;
    int nv = model->nv, na = model->na, nu = model->nu, nx = tac_tangent_size(model);
    rk4Chain c = alloc_chain(model, arena);
    size_t count = (size_t)(nv * c.W);
    for (int i = 0; i < na + nu; ++i) ones[i] = 1.0;
    for (int k = 0; k < nv; ++k) {
        c.Q[k * c.W + k] = 1.0;
        c.V[k * c.W + nv + k] = 1.0;
    }
    for (int k = 0; k < na; ++k) c.act[k] = 1.0;
    for (int i = 0; i < s->count; ++i) {
        if (i > 0) chain_start(model, &c, s->k[i - 1], f->dyn.h * tac_rk4_node[i]);
        tac_forward(f, s->x[i], s->a[i], s->rate[i]);
        tac_forward_prepare_diff(f, s->a[i]);
        acceleration_jacobian(f, c.X, nx, nu > 0 ? c.U : NULL);
        chain_accelerate(f, &c);
        chain_rate(f, s, &c, i);
        chain_activate(f, &c, ones, ones + 3 * na + nu, tac_rk4_weight[i]);
        add_matrix(count, c.mean_K, tac_rk4_weight[i], c.K);
        add_matrix(count, c.mean_A, tac_rk4_weight[i], c.A);
    }
    position_rows(model, s->mean_k, f->dyn.h, c.mean_K, c.Q, c.W, 1);
    velocity_rows(model, f->dyn.h, c.mean_A, c.W, 1);
    if (A) copy_columns(c.Q, nv, c.W, 0, nx, A);
    if (A) copy_columns(c.mean_A, nv, c.W, 0, nx, A + (size_t)nv * (size_t)nx);
    if (B) copy_columns(c.Q, nv, c.W, nx, nu, B);
    if (B) copy_columns(c.mean_A, nv, c.W, nx, nu, B + nv * nu);
    if (na > 0) activation_rows(f, s, s->mean_rate, c.mean_act, c.mean_ctrl, ones, A, B);
}

//---------------------------------- columns --------------------------------------

typedef struct columnInput {
    tacTangent x;
    tacReal *u, *theta, *next;
} columnInput;

// one column: the forward derivative along the unit of one input
static tacResult jacobian_column(const tacModel* model, const tacState* x, const tacReal* u,
                                 const columnInput* in, tacReal* unit, tacReal* X, int columns,
                                 int c, tacScratch* scratch) {
    int nv = model->nv;
    tacTangent next = {.dq = in->next, .dv = in->next + nv, .da = in->next + 2 * nv};
    int by_theta = in->theta && unit >= in->theta && unit < in->theta + model->nparam;
    *unit = 1.0;
    tacResult result = tac_step_jvp(
        model, x, u, (tacStepTangent){.x = in->x, .u = in->u, .theta = by_theta ? in->theta : NULL},
        next, scratch);
    *unit = 0.0;
    for (int k = 0; k < tac_tangent_size(model) && result == TAC_OK; ++k)
        X[(size_t)k * (size_t)columns + (size_t)c] = in->next[k];
    return result;
}

static columnInput alloc_input(const tacModel* model, tacArena* arena) {
    int nv = model->nv, nx = tac_tangent_size(model);
    tacReal* all = TAC_ALLOC(arena, tacReal, nx + model->nu + model->nparam + nx);
    memset(all, 0, sizeof *all * (size_t)(nx + model->nu + model->nparam));
    return (columnInput){.x = {.dq = all, .dv = all + nv, .da = all + 2 * nv},
                         .u = all + nx,
                         .theta = all + nx + model->nu,
                         .next = all + nx + model->nu + model->nparam};
}

static int count_columns(const tacParam* theta, int ntheta) {
    int count = 0;
    for (int i = 0; i < ntheta; ++i) count += theta[i].count;
    return count;
}

static tacResult parameter_columns(const tacModel* model, const tacState* x, const tacReal* u,
                                   const columnInput* in, const tacParam* theta, int ntheta,
                                   tacReal* P, tacScratch* scratch) {
    int columns = count_columns(theta, ntheta), c = 0;
    tacResult result = TAC_OK;
    for (int i = 0; i < ntheta; ++i)
        for (int k = 0; k < theta[i].count && result == TAC_OK; ++k)
            result = jacobian_column(model, x, u, in, &in->theta[theta[i].offset + k], P, columns,
                                     c++, scratch);
    return result;
}

static tacResult state_columns(const tacModel* model, const tacState* x, const tacReal* u,
                               const columnInput* in, tacReal* A, tacReal* B, tacScratch* scratch) {
    tacResult result = TAC_OK;
    int nx = tac_tangent_size(model);
    for (int c = 0; c < nx && A && result == TAC_OK; ++c)
        result = jacobian_column(model, x, u, in, &in->x.dq[c], A, nx, c, scratch);
    for (int c = 0; c < model->nu && B && result == TAC_OK; ++c)
        result = jacobian_column(model, x, u, in, &in->u[c], B, model->nu, c, scratch);
    return result;
}

//---------------------------------- step -----------------------------------------

int tac_params_are_valid(const tacModel* model, const tacParam* theta, int ntheta) {
    for (int i = 0; i < ntheta; ++i)
        if (!theta || theta[i].offset < 0 || theta[i].count < 1 ||
            theta[i].count > model->nparam - theta[i].offset)
            return 0;
    return ntheta >= 0;
}

// the step itself beside derivatives of a softer one, whose remarks stay
static tacResult step_unsoftened(const tacModel* model, const tacState* x, const tacReal* u,
                                 tacState* next, tacScratch* scratch) {
    unsigned flags = scratch->info.flags;
    tacResult result = tac_step(model, x, u, next, scratch);
    scratch->info.flags |= flags;
    return result;
}

tacResult tac_step_jacobian(const tacModel* model, const tacState* x, const tacReal* u,
                            const tacStepJacobian* out, tacScratch* scratch) {
    tacResult result = out ? tac_step_check(model, x, u, scratch) : TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    tacState* next = out->next;
    tacReal *A = out->A, *B = out->B, *P = out->P;
    const tacParam* theta = out->theta;
    int ntheta = out->ntheta;
    if (result == TAC_OK && next && !tac_state_has_arrays(model, next)) result = TAC_ERROR_VALUE;
    if (result == TAC_OK && P && !tac_params_are_valid(model, theta, ntheta))
        result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    if (tac_is_hard(model))
        return tac_hard_jacobian(model, x, u, next, A, B, theta, ntheta, P, scratch);
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    tacModel softer;
    tacStepWorkspace ws;
    const tacModel* original = model;
    model = tac_surrogate(model, &softer, scratch);
    result = tac_step_workspace_run(model, x, u, 1, scratch, &ws);
    columnInput in = alloc_input(model, arena);
    tacReal* ones = TAC_ALLOC(arena, tacReal, activation_slope_count(model));
    size_t inner = arena->used;
    if (result == TAC_OK && (A || B)) {
        if (ws.s.count == 1)
            euler_jacobian(&ws.f, &ws.s, A, B, ones);
        else if (has_chain(model))
            rk4_jacobian(&ws.f, &ws.s, A, B, ones, arena);
        else
            result = state_columns(model, x, u, &in, A, B, scratch);
    }
    arena->used = inner;
    if (result == TAC_OK && P)
        result = parameter_columns(model, x, u, &in, theta, ntheta, P, scratch);
    if (result == TAC_OK && next && original == model) tac_step_workspace_write(&ws, x, next);
    arena->used = mark;
    return result == TAC_OK && next && original != model
               ? step_unsoftened(original, x, u, next, scratch)
               : result;
}
