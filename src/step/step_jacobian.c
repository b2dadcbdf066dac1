// The Jacobians of the step as matrices: the list of step.c, each line differentiated.
//
//   A = d next/d x (nx x nx),  B = d next/d u (nx x nu),  P = d next/d theta
//
// Euler: the Jacobian of the equation of motion is made in place, in the middle rows of A and B,
// and integration is applied to it. Runge-Kutta: rk4_jacobian.c. Parameters, and Runge-Kutta of
// very many joints: one tangent per column (jacobian_columns.c). All share one pass over the
// stages.

#include "model/live_params.h"
#include "step/hard/hard_step.h"
#include "step/jacobian_columns.h"
#include "step/rk4_jacobian.h"
#include "step/surrogate.h"

// the matrices, and memory for them
typedef struct stepJacobian {
    tacReal *A, *B;            // NULL: skipped
    int has_params;            // are there columns by parameters?
    int has_chain, by_columns; // Runge-Kutta: how A and B are made
    tacRk4Chain chain;
    tacActivationSlopes slopes;
    tacTangentBlock tangents;
} stepJacobian;

static void alloc_jacobian(const tacModel* model, tacArena* arena, stepJacobian* J) {
    J->has_chain = tac_has_rk4_chain(model);
    J->by_columns = tac_is_rk4(model) && !J->has_chain;
    J->slopes = tac_activation_slopes_alloc(model, arena);
    if (J->has_params || J->by_columns) tac_tangent_block_alloc(model, arena, &J->tangents);
    if (J->has_chain) J->chain = tac_rk4_chain_alloc(model, arena);
}

//---------------------------------- stages ---------------------------------------

static tacResult stage_result(const tacForward* f, const tacReal* a) {
    if (f->result != TAC_OK) return f->result;
    return tac_all_finite(a, f->dyn.model->nv) ? TAC_OK : TAC_ERROR_DIVERGED;
}

// d a/d(x, u) at stage i
static void stage_jacobian(tacForward* f, const tacStages* s, const stepJacobian* J, int i) {
    const tacModel* model = f->dyn.model;
    int nv = model->nv, nu = model->nu, nx = tac_tangent_size(model);
    if (J->by_columns || (!J->A && !J->B)) return;
    if (J->has_chain) {
        if (i == 0) tac_rk4_chain_begin(model, &J->chain);
        tac_rk4_chain_stage(f, s, &J->chain, &J->slopes, i);
    } else {
        tac_forward_jacobian(f, J->A ? J->A + (size_t)nv * (size_t)nx : NULL, nx,
                             J->B && nu > 0 ? J->B + nv * nu : NULL);
        if (model->na > 0) tac_activation_rate_slopes(f, &J->slopes);
    }
}

//---------------------------------- integration ----------------------------------

// Euler, from d a in the middle rows of X (A or B) to d next
static void integrate_rows(const tacForward* f, const tacStages* s, tacStateRows X) {
    const tacModel* model = f->dyn.model;
    int explicit_euler = model->integrator == TAC_INTEGRATOR_EXPLICIT;
    tacStateRows V = X;
    V.X += (size_t)model->nv * (size_t)X.columns;
    tac_velocity_rows(model, f->dyn.h, V);
    tac_position_rows(model, s->mean_k, f->dyn.h, explicit_euler ? NULL : V.X, X);
}

static tacResult integrate_jacobian(tacStepWorkspace* ws, stepJacobian* J) {
    const tacModel* model = ws->f.dyn.model;
    int nu = model->nu, nx = tac_tangent_size(model);
    tacResult result = TAC_OK;
    if (!J->A && !J->B) return result;
    if (J->by_columns) {
        tacColumnRange by_x = {.count = nx, .X = J->A}, by_u = {nx, nu, NULL, J->B};
        if (J->A) result = tac_jacobian_columns(ws, &J->tangents, by_x);
        if (J->B && result == TAC_OK) result = tac_jacobian_columns(ws, &J->tangents, by_u);
    } else if (J->has_chain) {
        tac_rk4_chain_end(&ws->f, &ws->s, &J->chain, J->slopes, J->A, J->B);
    } else {
        if (J->A) integrate_rows(&ws->f, &ws->s, (tacStateRows){J->A, nx, 1});
        if (J->B && nu > 0) integrate_rows(&ws->f, &ws->s, (tacStateRows){J->B, nu, 0});
        if (model->na > 0) tac_activation_rows(&ws->f, &ws->s, &J->slopes, J->A, J->B);
    }
    return result;
}

//---------------------------------- step -----------------------------------------

// a softer model, the step and its Jacobian
typedef struct jacobianWorkspace {
    tacModel softer;
    const tacModel* model;
    tacStepWorkspace ws;
    stepJacobian J;
} jacobianWorkspace;

static void alloc_all(const tacModel* model, tacScratch* scratch, jacobianWorkspace* out) {
    out->model = tac_surrogate(model, &out->softer, scratch);
    tac_step_workspace_alloc(out->model, 1, scratch, &out->ws);
    alloc_jacobian(out->model, &scratch->arena, &out->J);
}

void tac_step_jacobian_measure(const tacModel* model, tacScratch* dry) {
    jacobianWorkspace most = {.J = {.has_params = 1}};
    alloc_all(model, dry, &most);
}

// the step of the scene itself; flags of the derivatives stay
static tacResult step_unsoftened(const tacModel* model, const tacState* x, const tacReal* u,
                                 tacState* next, tacScratch* scratch) {
    unsigned flags = scratch->info.flags;
    tacResult result = tac_step(model, x, u, next, scratch);
    scratch->info.flags |= flags;
    return result;
}

tacResult tac_step_jacobian(const tacModel* model, const tacState* x, const tacReal* u,
                            const tacStepJacobian* out, tacScratch* scratch) {
    // arguments
    tacResult result = out ? tac_step_check(model, x, u, scratch) : TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    tacState* next = out->next;
    tacReal *A = out->A, *B = out->B, *P = out->P;
    const tacParam* theta = out->theta;
    int ntheta = out->ntheta;
    if (result == TAC_OK && next && !tac_state_has_arrays(model, next)) result = TAC_ERROR_VALUE;
    if (result == TAC_OK && P && !tac_params_are_valid(model, theta, ntheta))
        result = TAC_ERROR_VALUE;
    if (result == TAC_OK && P && tac_are_params_held(model, theta, ntheta))
        result = TAC_ERROR_UNSUPPORTED;
    if (result != TAC_OK) return result;
    if (tac_is_hard(model)) return tac_hard_jacobian(model, x, u, out, scratch);

    // memory
    size_t mark = scratch->arena.used;
    jacobianWorkspace w = {.J = {.A = A, .B = B, .has_params = P != NULL}};
    alloc_all(model, scratch, &w);
    tacStepWorkspace* ws = &w.ws;

    // stages with their Jacobians; all results are finite before A and B are written
    tac_step_workspace_begin(ws, x, u);
    for (int i = 0; i < ws->s.count && result == TAC_OK; ++i) {
        tac_step_stage(&ws->f, &ws->s, i);
        result = stage_result(&ws->f, ws->s.a[i]);
        if (result == TAC_OK && i == ws->s.count - 1) {
            tac_integrate_stages(&ws->f, &ws->s, ws->next);
            result = tac_step_workspace_result(ws);
        }
        if (result != TAC_OK) break;
        tac_forward_prepare_diff(&ws->f, ws->s.a[i]);
        stage_jacobian(&ws->f, &ws->s, &w.J, i);
    }
    tac_step_report_diff(&ws->f, scratch);

    // Jacobian of the integration, then parameters
    if (result == TAC_OK) result = integrate_jacobian(ws, &w.J);
    if (result == TAC_OK && P) {
        int first = tac_tangent_size(model) + model->nu;
        tacColumnRange by_theta = {first, tac_param_columns(theta, ntheta), theta, P};
        result = tac_jacobian_columns(ws, &w.J.tangents, by_theta);
    }

    // next state: of the scene itself, where the derivatives are those of a softer one
    int is_softer = w.model != model;
    if (result == TAC_OK && next && !is_softer) tac_step_workspace_write(ws, x, next);
    scratch->arena.used = mark;
    if (result != TAC_OK || !next || !is_softer) return result;
    return step_unsoftened(model, x, u, next, scratch);
}
