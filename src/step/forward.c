// The equation of motion with contact, and its derivatives.

#include "step/forward.h"

#include "dynamics/gyroscopic.h"
#include "step/double/generated.h"
#include "step/force/limit_friction.h"

#include <string.h>

tacForward tac_forward_alloc(const tacModel* model, const tacDynamicsKernels* kernels,
                             int derivatives, tacScratch* scratch) {
    tacForward f = {.dyn = tac_free_dynamics_alloc(model, kernels, &scratch->arena)};
    if (kernels->lanes == 1)
        f.contact_forces = tac_contact_forces_alloc(model, derivatives, scratch);
    f.dyn.use_aba = f.dyn.use_aba && !tac_contact_forces_are_implicit(model);
    f.dyn.gyroscopic = f.contact_forces && f.contact_forces->implicit;
    tac_forward_reset(&f, scratch);
    return f;
}

void tac_forward_reset(tacForward* f, tacScratch* scratch) {
    tac_free_dynamics_reset(&f->dyn);
    f->result = TAC_OK;
    if (f->contact_forces) tac_contact_forces_reset(f->contact_forces);
    f->use_generated =
        f->contact_forces && !f->contact_forces->derivatives && tac_is_generated(scratch);
}

size_t tac_forward_size(const tacModel* model, int lanes, size_t real_size) {
    return tac_free_dynamics_size(model, lanes, real_size) +
           (lanes == 1 ? tac_contact_forces_size(model, real_size) : 0);
}

static int has_implicit_contact(const tacForward* f) {
    return f->contact_forces && f->contact_forces->implicit;
}

// x = (M + h D)^-1 x; with implicit contact its stiffness and damping are in the matrix
static void solve_forward(tacForward* f, tacReal* x) {
    if (has_implicit_contact(f))
        tac_contact_forces_solve(f->contact_forces, x);
    else
        f->dyn.k->solve(f->dyn.model, &f->dyn.m, x);
}

void tac_forward_solve_columns(tacForward* f, tacReal* x, int count, int stride) {
    if (has_implicit_contact(f))
        tac_contact_forces_solve_columns(f->contact_forces, x, count, stride);
    else
        f->dyn.k->solve_columns(f->dyn.model, &f->dyn.m, x, count, stride);
}

// contact forces here, the rest by generated code
static void forward_generated(tacForward* f, tacStateArrays x, tacReal* a, tacReal* rate) {
    memset(a, 0, sizeof *a * (size_t)f->dyn.model->nv);
    tac_body_velocities(f->dyn.model, &f->dyn.m);
    tac_contact_forces_eval(f->contact_forces, &f->dyn.m, a);
    tac_limit_friction_eval(f->dyn.model, &f->dyn.m, NULL, a);
    tac_generated_accelerations(f->contact_forces->scratch, x, f->dyn.m.ctrl, a, rate);
}

// accelerations in place of the forces, with contact in the matrix
static void accelerate_with_contact(tacForward* f, tacReal* a) {
    f->dyn.k->add_scaled(f->dyn.model->nv, a, -1.0, f->dyn.bias, a);
    tac_free_dynamics_mass(&f->dyn);
    tac_contact_forces_factor(f->contact_forces, &f->dyn.m);
    tac_contact_forces_solve(f->contact_forces, a);
}

void tac_forward(tacForward* f, tacStateArrays x, tacReal* a, tacReal* rate) {
    const tacModel* model = f->dyn.model;
    tac_free_dynamics_position(&f->dyn, x);
    if (f->use_generated) {
        forward_generated(f, x, a, rate);
    } else {
        tac_free_dynamics_forces(&f->dyn, a);
        if (f->contact_forces) {
            tac_contact_forces_eval(f->contact_forces, &f->dyn.m, a);
            tac_limit_friction_eval(model, &f->dyn.m, NULL, a);
        }
        if (f->dyn.gyroscopic) tac_gyroscopic_eval(model, &f->dyn.m, a);
        if (has_implicit_contact(f))
            accelerate_with_contact(f, a);
        else
            tac_free_dynamics_accelerate(&f->dyn, a);
        tac_free_dynamics_activate(&f->dyn, rate);
    }
    if (f->contact_forces && f->result == TAC_OK) f->result = f->contact_forces->result;
}

//---------------------------------- derivatives ----------------------------------

void tac_forward_prepare_diff(tacForward* f, const tacReal* a) {
    f->dyn.m.qacc = a;
    if (has_implicit_contact(f)) tac_contact_forces_predict(f->contact_forces, &f->dyn.m, a);
    if (f->contact_forces) f->dyn.m.wrench = f->contact_forces->wrench;
    tac_free_dynamics_prepare_diff(&f->dyn, a);
}

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
