// Inverse dynamics with contact: the joint forces that a motion needs.
//
//   tau = M a + c - J' (w + wrench) - held,  w and held as the step has them: docs/scm.md, eq. 12
//
// Of a linearly implicit step both are linear in a, with slopes L: d tau/d a = M - J' L J.

#include "base/assert.h"
#include "dynamics/gyroscopic.h"
#include "math/vector_ops.h"
#include "model/live_params.h"
#include "step/force/limit_friction.h"
#include "step/hard/hard_step.h"
#include "step/step.h"

// a motion with its contact; d tau/d a is in t->M or m.M
typedef struct inverseMotion {
    tacForward f;
    tacReal* tau;  // (nv)
    tacReal* diff; // (nv) a tangent or an adjoint of tau
} inverseMotion;

static tacResult check_input(const tacModel* model, tacDynamicsInput x, const tacScratch* scratch) {
    tacResult result = tac_input_check(model, x, scratch);
    return result == TAC_OK && tac_is_hard(model) ? TAC_ERROR_UNSUPPORTED : result;
}

//---------------------------------- by accelerations -----------------------------

// y += M x along the tree, M not factored
static void add_mass_times(const tacModel* model, const tacMotion* m, const tacReal* x,
                           tacReal* y) {
    for (int k = 0; k < model->nv; ++k) {
        const tacReal* row = m->M + model->dof[k].row;
        y[k] += *row++ * x[k];
        for (int j = model->dof[k].parent; j >= 0; j = model->dof[j].parent, ++row) {
            y[k] += *row * x[j];
            y[j] += *row * x[k];
        }
    }
}

// y += (M - J' L J) x
static void add_matrix_times(const inverseMotion* n, const tacReal* x, tacReal* y) {
    const tacContactForces* t = n->f.contact_forces;
    if (t && t->implicit)
        tac_skyline_mul_add(&t->M, x, y);
    else
        add_mass_times(n->f.dyn.model, &n->f.dyn.m, x, y);
}

//---------------------------------- the motion -----------------------------------

static inverseMotion alloc_inverse(const tacModel* model, int derivatives, tacScratch* scratch) {
    return (inverseMotion){
        .f = tac_forward_alloc(model, TAC_DISPATCH(tac_dynamics_single_), derivatives, scratch),
        .tau = tac_alloc_zero(&scratch->arena, model->nv),
        .diff = tac_alloc_zero(&scratch->arena, model->nv)};
}

// tau at the input; x.qacc is there
static inverseMotion eval_inverse(const tacModel* model, tacDynamicsInput x, int derivatives,
                                  tacScratch* scratch) {
    inverseMotion n = alloc_inverse(model, derivatives, scratch);
    tacForward* f = &n.f;
    f->dyn.implicit_damping = f->dyn.implicit_fast = 0; // dampers are part of tau
    f->dyn.m.has_external_forces = 0;
    f->dyn.m.qpos = x.qpos;
    f->dyn.m.qvel = x.qvel;
    f->dyn.m.qacc = NULL;
    f->dyn.m.wrench = x.wrench;
    f->dyn.k->kinematics(model, &f->dyn.m);
    f->dyn.k->inverse(model, &f->dyn.m, f->dyn.bias);
    if (f->contact_forces) {
        tac_contact_forces_eval(f->contact_forces, &f->dyn.m, n.tau);
        tac_limit_friction_eval(model, &f->dyn.m, NULL, n.tau);
    }
    if (f->dyn.gyroscopic) tac_gyroscopic_eval(model, &f->dyn.m, n.tau);
    for (int k = 0; k < model->nv; ++k) n.tau[k] = f->dyn.bias[k] - n.tau[k];
    f->dyn.k->mass(model, &f->dyn.m, NULL);
    if (f->contact_forces && f->contact_forces->implicit)
        tac_contact_forces_build_matrix(f->contact_forces, &f->dyn.m);
    add_matrix_times(&n, x.qacc, n.tau);
    return n;
}

// the wrenches of contact at x.qacc plus those of the input, and the inputs of derivatives
static void prepare_diff(inverseMotion* n, tacDynamicsInput x) {
    tacForward* f = &n->f;
    tacContactForces* t = f->contact_forces;
    f->dyn.m.qacc = x.qacc;
    if (t && t->implicit) tac_contact_forces_predict(t, &f->dyn.m, x.qacc);
    for (int i = 0; t && x.wrench && i < 6 * f->dyn.model->nbody; ++i) t->wrench[i] += x.wrench[i];
    if (t) f->dyn.m.wrench = t->wrench;
    tac_free_balance_prepare(&f->dyn);
}

static tacResult inverse_result(const inverseMotion* n, const tacReal* out) {
    const tacContactForces* t = n->f.contact_forces;
    if (t && t->result != TAC_OK) return t->result;
    return tac_all_finite(out, n->f.dyn.model->nv) ? TAC_OK : TAC_ERROR_DIVERGED;
}

// zeros for arrays that are NULL
static tacDynamicsInput fill_defaults(const tacModel* model, tacDynamicsInput x, tacArena* arena) {
    if (!x.qvel) x.qvel = tac_alloc_zero(arena, model->nv);
    if (!x.qacc) x.qacc = tac_alloc_zero(arena, model->nv);
    return x;
}

void tac_inverse_contact_measure(const tacModel* model, tacScratch* dry) {
    fill_defaults(model, (tacDynamicsInput){0}, &dry->arena);
    alloc_inverse(model, 1, dry);
}

//---------------------------------- calls ----------------------------------------

tacResult tac_inverse_contact(const tacModel* model, tacDynamicsInput x, tacReal* tau,
                              tacScratch* scratch) {
    tacResult result = check_input(model, x, scratch);
    if (result == TAC_OK && tac_missing(tau, model->nv)) result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    inverseMotion n = eval_inverse(model, fill_defaults(model, x, &scratch->arena), 0, scratch);
    result = inverse_result(&n, n.tau);
    if (result == TAC_OK && model->nv > 0) memcpy(tau, n.tau, sizeof *tau * (size_t)model->nv);
    scratch->arena.used = mark;
    return result;
}

tacResult tac_inverse_contact_jvp(const tacModel* model, tacDynamicsInput x,
                                  tacDynamicsTangent x_dot, tacReal* tau_dot, tacScratch* scratch) {
    tacResult result = check_input(model, x, scratch);
    if (result == TAC_OK &&
        (tac_missing(tau_dot, model->nv) || !tac_tangent_is_finite(model, x_dot)))
        result = TAC_ERROR_VALUE;
    if (result == TAC_OK && tac_moves_held_param(model, x_dot.theta))
        result = TAC_ERROR_UNSUPPORTED;
    if (result != TAC_OK) return result;
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    x = fill_defaults(model, x, arena);
    inverseMotion n = eval_inverse(model, x, 1, scratch);
    tacReal* own = n.diff;
    tacMotionDot dot = {
        .dq = x_dot.dq, .dv = x_dot.dv, .theta = x_dot.theta, .wrench = x_dot.wrench};
    prepare_diff(&n, x);
    tac_balance_jvp(&n.f, &dot, own);
    for (int k = 0; k < model->nv; ++k) own[k] = -own[k];
    if (x_dot.da) add_matrix_times(&n, x_dot.da, own);
    result = inverse_result(&n, own);
    if (result == TAC_OK && model->nv > 0) memcpy(tau_dot, own, sizeof *own * (size_t)model->nv);
    arena->used = mark;
    return result;
}

tacResult tac_inverse_contact_vjp(const tacModel* model, tacDynamicsInput x, const tacReal* tau_bar,
                                  tacDynamicsTangent x_bar, tacScratch* scratch) {
    tacResult result = check_input(model, x, scratch);
    if (result == TAC_OK &&
        (tac_missing(tau_bar, model->nv) || !tac_all_finite(tau_bar, model->nv)))
        result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    x = fill_defaults(model, x, arena);
    inverseMotion n = eval_inverse(model, x, 1, scratch);
    tacReal* lambda = n.diff;
    tacMotionDot bar = {
        .dq = x_bar.dq, .dv = x_bar.dv, .theta = x_bar.theta, .wrench = x_bar.wrench};
    prepare_diff(&n, x);
    result = inverse_result(&n, n.tau);
    for (int k = 0; k < model->nv; ++k) lambda[k] = -tau_bar[k];
    if (result == TAC_OK) tac_balance_vjp(&n.f, lambda, &bar);
    if (result == TAC_OK && x_bar.da) add_matrix_times(&n, tau_bar, x_bar.da);
    arena->used = mark;
    return result;
}
