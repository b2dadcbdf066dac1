// Derivatives of forward dynamics with contact, in the order of its stages.

#include "dynamics/gyroscopic.h"
#include "step/force/limit_friction.h"
#include "step/forward.h"

#include <string.h>

//---------------------------------- the matrix -----------------------------------

// x = (M + h D)^-1 x; with implicit contact its stiffness and damping are in the matrix
static void solve_forward(tacForward* f, tacReal* x) {
    if (tac_forward_is_implicit(f))
        tac_contact_forces_solve(f->contact_forces, x);
    else
        f->dyn.k->solve(f->dyn.model, &f->dyn.m, x);
}

// the same of `count` columns, `stride` numbers from row to row
static void solve_columns(tacForward* f, tacReal* x, int count, int stride) {
    if (tac_forward_is_implicit(f))
        tac_contact_forces_solve_columns(f->contact_forces, x, count, stride);
    else
        f->dyn.k->solve_columns(f->dyn.model, &f->dyn.m, x, count, stride);
}

void tac_forward_prepare_diff(tacForward* f, const tacReal* a) {
    f->dyn.m.qacc = a;
    if (tac_forward_is_implicit(f)) tac_contact_forces_predict(f->contact_forces, &f->dyn.m, a);
    if (f->contact_forces) f->dyn.m.wrench = f->contact_forces->wrench;
    tac_free_dynamics_prepare_diff(&f->dyn, a);
}

//---------------------------------- forward --------------------------------------

void tac_balance_jvp(tacForward* f, const tacMotionDot* dot, tacReal* out) {
    tac_free_balance_begin_jvp(&f->dyn, dot);
    if (f->contact_forces) {
        tac_contact_forces_jvp(f->contact_forces, &f->dyn.m, dot, out);
        tac_limit_friction_jvp(f->dyn.model, &f->dyn.m, dot, out);
    }
    tac_free_balance_end_jvp(&f->dyn, dot, out);
}

void tac_forward_jvp(tacForward* f, const tacMotionDot* dot, tacReal* a_dot, tacReal* rate_dot) {
    const tacModel* model = f->dyn.model;
    f->dyn.k->applied_jvp(model, &f->dyn.m, dot, a_dot);
    tac_balance_jvp(f, dot, a_dot);
    solve_forward(f, a_dot);
    if (model->na > 0) f->dyn.k->activate_jvp(model, &f->dyn.m, dot, rate_dot);
}

//---------------------------------- reverse --------------------------------------

void tac_balance_vjp(tacForward* f, tacReal* residual_bar, tacMotionDot* bar) {
    if (f->contact_forces) {
        tac_contact_forces_vjp(f->contact_forces, &f->dyn.m, residual_bar, bar);
        tac_limit_friction_vjp(f->dyn.model, &f->dyn.m, residual_bar, bar);
    }
    tac_free_balance_vjp(&f->dyn, residual_bar, bar);
}

void tac_forward_vjp(tacForward* f, tacReal* a_bar, const tacReal* rate_bar, tacMotionDot* bar) {
    const tacModel* model = f->dyn.model;
    if (model->na > 0) f->dyn.k->activate_vjp(model, &f->dyn.m, rate_bar, bar);
    solve_forward(f, a_bar);
    f->dyn.k->applied_vjp(model, &f->dyn.m, a_bar, bar);
    tac_balance_vjp(f, a_bar, bar);
}

//---------------------------------- matrices -------------------------------------

// d(-bias)/d(q, v), and zeros by activations
static void bias_jacobian(tacForward* f, tacReal* X, int stride) {
    const tacModel* model = f->dyn.model;
    int nv = model->nv, na = model->na;
    f->dyn.k->inverse_jacobian(model, &f->dyn.m, X, X + nv, stride);
    for (int k = 0; k < nv; ++k) {
        tacReal* row = X + (size_t)k * (size_t)stride;
        for (int c = 0; c < 2 * nv; ++c) row[c] = -row[c];
        for (int c = 0; c < na; ++c) row[2 * nv + c] = 0.0;
    }
}

void tac_forward_jacobian(tacForward* f, tacReal* X, int stride, tacReal* U) {
    const tacModel* model = f->dyn.model;
    int nv = model->nv, na = model->na, nu = model->nu;
    tacAppliedJacobian J = {.by_ctrl = U, .stride = stride};
    if (U) memset(U, 0, sizeof *U * (size_t)nu * (size_t)nv);
    if (X) {
        J.by_q = X;
        J.by_v = X + nv;
        J.by_act = X + 2 * nv;
        bias_jacobian(f, X, stride);
    }
    f->dyn.k->applied_jacobian(model, &f->dyn.m, J);
    if (X && f->contact_forces) {
        tac_contact_forces_jacobian(f->contact_forces, &f->dyn.m, J.by_q, J.by_v, stride);
        tac_limit_friction_jacobian(model, &f->dyn.m, J.by_q, J.by_v, stride);
    }
    if (X && f->dyn.gyroscopic) tac_gyroscopic_jacobian(model, &f->dyn.m, J.by_v, stride);
    if (f->dyn.implicit_fast) f->dyn.k->damp_jacobian(model, &f->dyn.m, J);
    if (X) solve_columns(f, X, 2 * nv + na, stride);
    if (U && nu > 0) solve_columns(f, U, nu, nu);
}
