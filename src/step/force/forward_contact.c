// Forward dynamics with contact: accelerations under controls, or under joint forces.
//
//   M a = springs + dampers + actuators(u) + J' contact + limits - c      tac_acceleration
//   M a = tau + J' (wrench + contact) + limits - c                        tac_forward_contact
//
// Contact and limits are those of the step; a linearly implicit responder is linear in a, with
// slopes L: M - J' L J takes the place of M (docs/contact.md, eq. 9). Damping is explicit here,
// whatever the integrator: these are accelerations of the state, not of a step. docs/scm.md,
// eq. 12.

#include "base/assert.h"
#include "dynamics/gyroscopic.h"
#include "math/vector_ops.h"
#include "model/live_params.h"
#include "step/force/limit_friction.h"
#include "step/forward.h"
#include "step/hard/hard_step.h"
#include "step/step.h"

static tacReal* alloc_copy(tacArena* arena, const tacReal* from, int n) {
    tacReal* x = tac_alloc_zero(arena, n);
    if (x) tac_copy_reals(x, from, n);
    return x;
}

static void add_reals(tacReal* to, const tacReal* from, int n) {
    for (int i = 0; i < n && to; ++i) to[i] += from[i];
}

// the equation of motion without implicit damping; M is factored, so that derivatives can solve
static tacForward alloc_explicit(const tacModel* model, int derivatives, tacScratch* scratch) {
    tacForward f =
        tac_forward_alloc(model, TAC_DISPATCH(tac_dynamics_single_), derivatives, scratch);
    f.dyn.implicit_damping = f.dyn.implicit_fast = 0;
    f.dyn.use_aba = 0;
    f.use_generated = 0;
    return f;
}

// x = M^-1 x, with the stiffness and damping of implicit contact in M
static void solve(tacForward* f, tacReal* x) {
    if (tac_forward_is_implicit(f))
        tac_contact_forces_solve(f->contact_forces, x);
    else
        f->dyn.k->solve(f->dyn.model, &f->dyn.m, x);
}

static tacResult result_of(const tacForward* f, const tacReal* out) {
    if (f->result != TAC_OK) return f->result;
    return tac_all_finite(out, f->dyn.model->nv) ? TAC_OK : TAC_ERROR_DIVERGED;
}

// writes a result that is fine, and ends the use of the arena
static tacResult finish(tacResult result, const tacReal* own, tacReal* out, int n, size_t mark,
                        tacScratch* scratch) {
    if (result == TAC_OK && n > 0) memcpy(out, own, sizeof *out * (size_t)n);
    scratch->arena.used = mark;
    return result;
}

// tac_acceleration_vjp has the most arrays of all calls here
void tac_forward_contact_measure(const tacModel* model, tacScratch* dry) {
    const int sizes[] = {model->nv, model->na, model->nv, model->nv,
                         model->nv, model->na, model->nu, model->nparam};
    alloc_explicit(model, 1, dry);
    for (int i = 0; i < TAC_COUNT(sizes); ++i) tac_alloc_zero(&dry->arena, sizes[i]);
}

//---------------------------------- under controls -------------------------------

static tacResult check_state(const tacModel* model, const tacState* x, const tacReal* u,
                             const tacScratch* scratch) {
    tacResult result = tac_step_check(model, x, u, scratch);
    return result == TAC_OK && tac_is_hard(model) ? TAC_ERROR_UNSUPPORTED : result;
}

static void accelerate(tacForward* f, const tacState* x, const tacReal* u, tacReal* a,
                       tacReal* rate) {
    f->dyn.m.ctrl = u;
    tac_forward_position(f, (tacStateArrays){x->qpos, x->qvel, x->act});
    tac_forward_velocity(f, a);
    tac_forward_contact_stage(f, a);
    tac_forward_limits(f, a);
    tac_forward_acceleration(f, a, rate);
}

tacResult tac_acceleration(const tacModel* model, const tacState* x, const tacReal* u,
                           tacReal* qacc, tacScratch* scratch) {
    tacResult result = check_state(model, x, u, scratch);
    if (result == TAC_OK && tac_missing(qacc, model->nv)) result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacForward f = alloc_explicit(model, 0, scratch);
    tacReal* a = alloc_copy(&scratch->arena, NULL, model->nv);
    accelerate(&f, x, u, a, alloc_copy(&scratch->arena, NULL, model->na));
    return finish(result_of(&f, a), a, qacc, model->nv, mark, scratch);
}

tacResult tac_acceleration_jvp(const tacModel* model, const tacState* x, const tacReal* u,
                               tacStepTangent dot, tacReal* qacc_dot, tacScratch* scratch) {
    tacResult result = check_state(model, x, u, scratch);
    if (result == TAC_OK &&
        (tac_missing(qacc_dot, model->nv) ||
         !(tac_all_finite(dot.x.dq, model->nv) && tac_all_finite(dot.x.dv, model->nv) &&
           tac_all_finite(dot.x.da, model->na) && tac_all_finite(dot.u, model->nu) &&
           tac_all_finite(dot.theta, model->nparam))))
        result = TAC_ERROR_VALUE;
    if (result == TAC_OK && tac_moves_held_param(model, dot.theta)) result = TAC_ERROR_UNSUPPORTED;
    if (result != TAC_OK) return result;
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    tacForward f = alloc_explicit(model, 1, scratch);
    tacReal *a = alloc_copy(arena, NULL, model->nv), *rate = alloc_copy(arena, NULL, model->na);
    tacReal* a_dot = alloc_copy(arena, NULL, model->nv);
    tacMotionDot m = {.dq = alloc_copy(arena, dot.x.dq, model->nv),
                      .dv = alloc_copy(arena, dot.x.dv, model->nv),
                      .act = alloc_copy(arena, dot.x.da, model->na),
                      .ctrl = dot.u,
                      .theta = dot.theta};
    accelerate(&f, x, u, a, rate);
    tac_forward_prepare_diff(&f, a);
    tac_forward_jvp(&f, &m, a_dot, rate);
    return finish(result_of(&f, a_dot), a_dot, qacc_dot, model->nv, mark, scratch);
}

tacResult tac_acceleration_vjp(const tacModel* model, const tacState* x, const tacReal* u,
                               const tacReal* qacc_bar, tacStepTangent bar, tacScratch* scratch) {
    tacResult result = check_state(model, x, u, scratch);
    if (result == TAC_OK && !tac_all_finite(qacc_bar, model->nv)) result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    int nv = model->nv, na = model->na;
    tacForward f = alloc_explicit(model, 1, scratch);
    tacReal *a = alloc_copy(arena, NULL, nv), *rate = alloc_copy(arena, NULL, na);
    tacReal* a_bar = alloc_copy(arena, qacc_bar, nv);
    tacMotionDot own = {.dq = alloc_copy(arena, NULL, nv),
                        .dv = alloc_copy(arena, NULL, nv),
                        .act = alloc_copy(arena, NULL, na),
                        .ctrl = alloc_copy(arena, NULL, model->nu)};
    if (bar.theta) own.theta = alloc_copy(arena, NULL, model->nparam);
    accelerate(&f, x, u, a, rate);
    result = result_of(&f, a);
    if (result == TAC_OK) {
        memset(rate, 0, sizeof *rate * (size_t)na); // activations have no adjoint
        tac_forward_prepare_diff(&f, a);
        tac_forward_vjp(&f, a_bar, rate, &own);
        if (!tac_all_finite(own.dq, nv) || !tac_all_finite(own.dv, nv) ||
            !tac_all_finite(own.theta, model->nparam))
            result = TAC_ERROR_DIVERGED;
    }
    if (result == TAC_OK) {
        add_reals(bar.x.dq, own.dq, nv);
        add_reals(bar.x.dv, own.dv, nv);
        add_reals(bar.x.da, own.act, na);
        add_reals(bar.u, own.ctrl, model->nu);
        add_reals(bar.theta, own.theta, model->nparam);
    }
    arena->used = mark;
    return result;
}

//---------------------------------- under joint forces ---------------------------

static tacResult check_forces(const tacModel* model, tacDynamicsInput x, const tacReal* tau,
                              const tacScratch* scratch) {
    tacResult result = tac_input_check(model, x, scratch);
    if (result == TAC_OK && !tac_all_finite(tau, model->nv)) result = TAC_ERROR_VALUE;
    return result == TAC_OK && tac_is_hard(model) ? TAC_ERROR_UNSUPPORTED : result;
}

// accelerations a (nv); x.qvel is there
static tacForward accelerate_by(const tacModel* model, tacDynamicsInput x, const tacReal* tau,
                                int derivatives, tacReal* a, tacScratch* scratch) {
    tacForward f = alloc_explicit(model, derivatives, scratch);
    tacContactForces* contact = f.contact_forces;
    tacMotion* m = &f.dyn.m;
    m->has_external_forces = 0; // gravity compensation and fluid are part of tau
    m->qpos = x.qpos;
    m->qvel = x.qvel;
    m->qacc = NULL;
    m->wrench = x.wrench;
    f.dyn.k->kinematics(model, m);
    f.dyn.k->inverse(model, m, f.dyn.bias);
    for (int k = 0; k < model->nv; ++k) a[k] = (tau ? tau[k] : (tacReal)0.0) - f.dyn.bias[k];
    if (contact) {
        tac_contact_forces_eval(contact, m, a);
        tac_limit_friction_eval(model, m, NULL, a);
    }
    if (f.dyn.gyroscopic) tac_gyroscopic_eval(model, m, a);
    f.dyn.k->mass(model, m, NULL);
    if (contact && contact->implicit)
        tac_contact_forces_factor(contact, m);
    else
        f.dyn.k->factor(model, m);
    solve(&f, a);
    if (contact) f.result = contact->result;
    return f;
}

// the wrenches of contact at a and those of the input on bodies, and what derivatives read
static void prepare_diff(tacForward* f, tacDynamicsInput x, const tacReal* a) {
    tacContactForces* contact = f->contact_forces;
    f->dyn.m.qacc = a;
    if (contact && contact->implicit) tac_contact_forces_predict(contact, &f->dyn.m, a);
    if (contact) {
        if (x.wrench) add_reals(contact->wrench, x.wrench, 6 * f->dyn.model->nbody);
        f->dyn.m.wrench = contact->wrench;
        if (f->result == TAC_OK) f->result = contact->result;
    }
    tac_free_balance_prepare(&f->dyn);
}

tacResult tac_forward_contact(const tacModel* model, tacDynamicsInput x, const tacReal* tau,
                              tacReal* qacc, tacScratch* scratch) {
    x.qacc = NULL;
    tacResult result = check_forces(model, x, tau, scratch);
    if (result == TAC_OK && tac_missing(qacc, model->nv)) result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacReal* a = alloc_copy(&scratch->arena, NULL, model->nv);
    if (!x.qvel) x.qvel = alloc_copy(&scratch->arena, NULL, model->nv);
    tacForward f = accelerate_by(model, x, tau, 0, a, scratch);
    return finish(result_of(&f, a), a, qacc, model->nv, mark, scratch);
}

tacResult tac_forward_contact_jvp(const tacModel* model, tacDynamicsInput x, const tacReal* tau,
                                  tacDynamicsTangent x_dot, tacReal* qacc_dot,
                                  tacScratch* scratch) {
    x.qacc = NULL;
    tacResult result = check_forces(model, x, tau, scratch);
    if (result == TAC_OK &&
        (tac_missing(qacc_dot, model->nv) || !tac_tangent_is_finite(model, x_dot)))
        result = TAC_ERROR_VALUE;
    if (result == TAC_OK && tac_moves_held_param(model, x_dot.theta))
        result = TAC_ERROR_UNSUPPORTED;
    if (result != TAC_OK) return result;
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    int nv = model->nv;
    tacReal *a = alloc_copy(arena, NULL, nv), *a_dot = alloc_copy(arena, NULL, nv);
    if (!x.qvel) x.qvel = alloc_copy(arena, NULL, nv);
    tacForward f = accelerate_by(model, x, tau, 1, a, scratch);
    tacMotionDot dot = {
        .dq = x_dot.dq, .dv = x_dot.dv, .theta = x_dot.theta, .wrench = x_dot.wrench};
    prepare_diff(&f, x, a);
    tac_balance_jvp(&f, &dot, a_dot);
    if (x_dot.da) add_reals(a_dot, x_dot.da, nv);
    solve(&f, a_dot);
    return finish(result_of(&f, a_dot), a_dot, qacc_dot, nv, mark, scratch);
}

tacResult tac_forward_contact_vjp(const tacModel* model, tacDynamicsInput x, const tacReal* tau,
                                  const tacReal* qacc_bar, tacDynamicsTangent x_bar,
                                  tacScratch* scratch) {
    x.qacc = NULL;
    tacResult result = check_forces(model, x, tau, scratch);
    if (result == TAC_OK && !tac_all_finite(qacc_bar, model->nv)) result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used;
    int nv = model->nv;
    tacReal *a = alloc_copy(arena, NULL, nv), *lambda = alloc_copy(arena, qacc_bar, nv);
    if (!x.qvel) x.qvel = alloc_copy(arena, NULL, nv);
    tacForward f = accelerate_by(model, x, tau, 1, a, scratch);
    tacMotionDot bar = {
        .dq = x_bar.dq, .dv = x_bar.dv, .theta = x_bar.theta, .wrench = x_bar.wrench};
    result = result_of(&f, a);
    if (result == TAC_OK) {
        prepare_diff(&f, x, a);
        solve(&f, lambda);
        add_reals(x_bar.da, lambda, nv);
        tac_balance_vjp(&f, lambda, &bar);
    }
    arena->used = mark;
    return result;
}
