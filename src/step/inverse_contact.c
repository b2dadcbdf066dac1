// Inverse dynamics with contact: the joint forces that a motion needs.
//
//   tau = M a + c - J' (w + wrench) - held,  w and held as the step has them: docs/scm.md, eq. 12
//
// Of a linearly implicit step both are linear in a, with slopes L: d tau/d a = M - J' L J.

#include "base/assert.h"
#include "step/flow.h"
#include "step/hard_step.h"
#include "step/hold.h"
#include "step/spin.h"
#include "tactus/step.h"

#include <string.h>

// a motion with its contact; d tau/d a is in t->M or m.M
typedef struct needMotion {
    tacFlow f;
    tacReal* tau; // (nv)
} needMotion;

static tacResult check(const tacModel* model, tacDynamicsInput x, const tacScratch* scratch) {
    tacResult result = tac_input_check(model, x, scratch);
    return result == TAC_OK && tac_is_hard(model) ? TAC_ERROR_UNSUPPORTED : result;
}

static tacReal* take_zero(tacArena* arena, int n) {
    tacReal* x = TAC_TAKE(arena, tacReal, n);
    memset(x, 0, sizeof *x * (size_t)n);
    return x;
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
static void add_slope_times(const needMotion* n, const tacReal* x, tacReal* y) {
    const tacTouch* t = n->f.touch;
    if (t && t->implicit)
        tac_skyline_mul_add(&t->M, x, y);
    else
        add_mass_times(n->f.model, &n->f.m, x, y);
}

//---------------------------------- the motion -----------------------------------

// tau at the input; x.qacc is there
static needMotion take_motion(const tacModel* model, tacDynamicsInput x, int derivatives,
                              tacScratch* scratch) {
    needMotion n = {
        .f = tac_flow_take(model, TAC_DISPATCH(tac_dynamics_single_), derivatives, scratch)};
    tacFlow* f = &n.f;
    f->implicit = f->fast = 0; // dampers are among the forces that are asked for
    f->m.pushed = 0;
    f->m.qpos = x.qpos;
    f->m.qvel = x.qvel;
    f->m.qacc = NULL;
    f->m.wrench = x.wrench;
    n.tau = take_zero(&scratch->arena, model->nv);
    f->k->kinematics(model, &f->m);
    f->k->inverse(model, &f->m, f->bias);
    if (f->touch) {
        tac_touch_at(f->touch, &f->m, n.tau);
        tac_hold_at(model, &f->m, NULL, n.tau);
    }
    if (f->spins) tac_spin_at(model, &f->m, n.tau);
    for (int k = 0; k < model->nv; ++k) n.tau[k] = f->bias[k] - n.tau[k];
    f->k->mass(model, &f->m, NULL);
    if (f->touch && f->touch->implicit) tac_touch_stiffen(f->touch, &f->m);
    add_slope_times(&n, x.qacc, n.tau);
    return n;
}

// the wrenches of contact at x.qacc and those of the input on bodies, and what derivatives read
static void make_ready(needMotion* n, tacDynamicsInput x) {
    tacFlow* f = &n->f;
    tacTouch* t = f->touch;
    f->m.qacc = x.qacc;
    if (t && t->implicit) tac_touch_lead(t, &f->m, x.qacc);
    for (int i = 0; t && x.wrench && i < 6 * f->model->nbody; ++i) t->wrench[i] += x.wrench[i];
    if (t) f->m.wrench = t->wrench;
    tac_balance_ready(f);
}

static tacResult result_of(const needMotion* n, const tacReal* out) {
    const tacTouch* t = n->f.touch;
    if (t && t->result != TAC_OK) return t->result;
    return tac_all_finite(out, n->f.model->nv) ? TAC_OK : TAC_ERROR_DIVERGED;
}

// zeros for what the caller leaves out
static tacDynamicsInput fill_in(const tacModel* model, tacDynamicsInput x, tacArena* arena) {
    if (!x.qvel) x.qvel = take_zero(arena, model->nv);
    if (!x.qacc) x.qacc = take_zero(arena, model->nv);
    return x;
}

//---------------------------------- calls ----------------------------------------

tacResult tac_inverse_contact(const tacModel* model, tacDynamicsInput x, tacReal* tau,
                              tacScratch* scratch) {
    tacResult result = check(model, x, scratch);
    if (result == TAC_OK && tac_missing(tau, model->nv)) result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    needMotion n = take_motion(model, fill_in(model, x, &scratch->arena), 0, scratch);
    result = result_of(&n, n.tau);
    if (result == TAC_OK && model->nv > 0) memcpy(tau, n.tau, sizeof *tau * (size_t)model->nv);
    scratch->arena.used = mark;
    return result;
}

tacResult tac_inverse_contact_jvp(const tacModel* model, tacDynamicsInput x,
                                  tacDynamicsTangent x_dot, tacReal* tau_dot, tacScratch* scratch) {
    tacResult result = check(model, x, scratch);
    if (result == TAC_OK &&
        (tac_missing(tau_dot, model->nv) || !tac_tangent_is_finite(model, x_dot)))
        result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    x = fill_in(model, x, arena);
    needMotion n = take_motion(model, x, 1, scratch);
    tacReal* own = take_zero(arena, model->nv);
    tacMotionDot dot = {
        .dq = x_dot.dq, .dv = x_dot.dv, .theta = x_dot.theta, .wrench = x_dot.wrench};
    make_ready(&n, x);
    tac_balance_jvp(&n.f, &dot, own);
    for (int k = 0; k < model->nv; ++k) own[k] = -own[k];
    if (x_dot.da) add_slope_times(&n, x_dot.da, own);
    result = result_of(&n, own);
    if (result == TAC_OK && model->nv > 0) memcpy(tau_dot, own, sizeof *own * (size_t)model->nv);
    arena->used = mark;
    return result;
}

tacResult tac_inverse_contact_vjp(const tacModel* model, tacDynamicsInput x, const tacReal* tau_bar,
                                  tacDynamicsTangent x_bar, tacScratch* scratch) {
    tacResult result = check(model, x, scratch);
    if (result == TAC_OK &&
        (tac_missing(tau_bar, model->nv) || !tac_all_finite(tau_bar, model->nv)))
        result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    x = fill_in(model, x, arena);
    needMotion n = take_motion(model, x, 1, scratch);
    tacReal* lambda = take_zero(arena, model->nv);
    tacMotionDot bar = {
        .dq = x_bar.dq, .dv = x_bar.dv, .theta = x_bar.theta, .wrench = x_bar.wrench};
    make_ready(&n, x);
    result = result_of(&n, n.tau);
    for (int k = 0; k < model->nv; ++k) lambda[k] = -tau_bar[k];
    if (result == TAC_OK) tac_balance_vjp(&n.f, lambda, &bar);
    if (result == TAC_OK && x_bar.da) add_slope_times(&n, tau_bar, x_bar.da);
    arena->used = mark;
    return result;
}
