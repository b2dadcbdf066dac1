// Derivatives of inverse and forward dynamics of one state.
//
// Forward dynamics solve tau = inverse(q, v, a), so da = M^-1 (dtau - d inverse at a held fixed).

#include "dynamics/dynamics.h"

#include <string.h>

#define SINGLE TAC_DISPATCH(tac_dynamics_single_)

static tacMotionDot to_dot(tacDynamicsTangent t) {
    return (tacMotionDot){.dq = t.dq, .dv = t.dv, .da = t.da, .theta = t.theta, .wrench = t.wrench};
}

int tac_tangent_is_finite(const tacModel* model, tacDynamicsTangent t) {
    return tac_all_finite(t.dq, model->nv) && tac_all_finite(t.dv, model->nv) &&
           tac_all_finite(t.da, model->nv) && tac_all_finite(t.theta, model->nparam) &&
           tac_all_finite(t.wrench, 6 * model->nbody);
}

// everything that a derivative at the input reads
static void prepare_inverse(const tacModel* model, tacMotion* m, tacReal* tau) {
    SINGLE->kinematics(model, m);
    SINGLE->inverse(model, m, tau);
    SINGLE->mass(model, m, NULL);
    SINGLE->coriolis(model, m);
}

//---------------------------------- inverse --------------------------------------

tacResult tac_inverse_dynamics_jacobian(const tacModel* model, tacDynamicsInput x, tacReal* by_q,
                                        tacReal* by_v, tacScratch* scratch) {
    tacResult result = tac_input_check(model, x, scratch);
    if (result == TAC_OK && (tac_missing(by_q, model->nv) || tac_missing(by_v, model->nv)))
        result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacMotion m = tac_motion_at(model, x, &scratch->arena);
    tacReal* tau = TAC_ALLOC(&scratch->arena, tacReal, model->nv);
    prepare_inverse(model, &m, tau);
    if (!tac_all_finite(tau, model->nv) ||
        !tac_all_finite(m.coriolis + 12, 12 * (model->nbody - 1)))
        result = TAC_ERROR_DIVERGED;
    else
        SINGLE->inverse_jacobian(model, &m, by_q, by_v, model->nv);
    scratch->arena.used = mark;
    return result;
}

tacResult tac_inverse_dynamics_jvp(const tacModel* model, tacDynamicsInput x,
                                   tacDynamicsTangent x_dot, tacReal* tau_dot,
                                   tacScratch* scratch) {
    tacResult result = tac_input_check(model, x, scratch);
    if (result == TAC_OK &&
        (tac_missing(tau_dot, model->nv) || !tac_tangent_is_finite(model, x_dot)))
        result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacMotion m = tac_motion_at(model, x, &scratch->arena);
    tacReal* own = TAC_ALLOC(&scratch->arena, tacReal, model->nv);
    tacMotionDot dot = to_dot(x_dot);
    prepare_inverse(model, &m, own);
    SINGLE->inverse_jvp(model, &m, &dot, own);
    if (!tac_all_finite(own, model->nv))
        result = TAC_ERROR_DIVERGED;
    else if (model->nv > 0)
        memcpy(tau_dot, own, sizeof *own * (size_t)model->nv);
    scratch->arena.used = mark;
    return result;
}

tacResult tac_inverse_dynamics_vjp(const tacModel* model, tacDynamicsInput x,
                                   const tacReal* tau_bar, tacDynamicsTangent x_bar,
                                   tacScratch* scratch) {
    tacResult result = tac_input_check(model, x, scratch);
    if (result == TAC_OK &&
        (tac_missing(tau_bar, model->nv) || !tac_all_finite(tau_bar, model->nv)))
        result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacMotion m = tac_motion_at(model, x, &scratch->arena);
    tacReal* tau = TAC_ALLOC(&scratch->arena, tacReal, model->nv);
    tacMotionDot bar = to_dot(x_bar);
    prepare_inverse(model, &m, tau);
    if (!tac_all_finite(tau, model->nv) ||
        !tac_all_finite(m.coriolis + 12, 12 * (model->nbody - 1)))
        result = TAC_ERROR_DIVERGED;
    else
        SINGLE->inverse_vjp(model, &m, tau_bar, &bar);
    scratch->arena.used = mark;
    return result;
}

//---------------------------------- forward --------------------------------------

// a motion with its accelerations, factored and prepared for derivatives
typedef struct forwardMotion {
    tacMotion m;
    tacReal* qacc;          // (nv)
    tacReal *diff, *unused; // (nv) a tangent or an adjoint of qacc; work
} forwardMotion;

static forwardMotion alloc_forward(const tacModel* model, tacDynamicsInput x, tacArena* arena) {
    x.qacc = NULL;
    return (forwardMotion){.m = tac_motion_at(model, x, arena),
                           .qacc = TAC_ALLOC(arena, tacReal, model->nv),
                           .diff = TAC_ALLOC(arena, tacReal, model->nv),
                           .unused = TAC_ALLOC(arena, tacReal, model->nv)};
}

void tac_forward_dynamics_diff_measure(const tacModel* model, tacArena* dry) {
    alloc_forward(model, (tacDynamicsInput){0}, dry);
}

static forwardMotion prepare_forward(const tacModel* model, tacDynamicsInput x, const tacReal* tau,
                                     tacArena* arena) {
    forwardMotion f = alloc_forward(model, x, arena);
    SINGLE->kinematics(model, &f.m);
    SINGLE->inverse(model, &f.m, f.qacc);
    SINGLE->mass(model, &f.m, NULL);
    SINGLE->factor(model, &f.m);
    for (int k = 0; k < model->nv; ++k) f.qacc[k] = (tau ? tau[k] : (tacReal)0.0) - f.qacc[k];
    SINGLE->solve(model, &f.m, f.qacc);
    f.m.qacc = f.qacc;
    SINGLE->inverse(model, &f.m, f.unused);
    SINGLE->coriolis(model, &f.m);
    return f;
}

tacResult tac_forward_dynamics_jvp(const tacModel* model, tacDynamicsInput x, const tacReal* tau,
                                   tacDynamicsTangent x_dot, tacReal* qacc_dot,
                                   tacScratch* scratch) {
    tacResult result = tac_input_check(model, x, scratch);
    if (result == TAC_OK && (tac_missing(qacc_dot, model->nv) || !tac_all_finite(tau, model->nv) ||
                             !tac_tangent_is_finite(model, x_dot)))
        result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    forwardMotion f = prepare_forward(model, x, tau, &scratch->arena);
    tacReal* own = f.diff;
    tacMotionDot dot = to_dot(x_dot);
    dot.da = NULL;
    SINGLE->inverse_jvp(model, &f.m, &dot, own);
    for (int k = 0; k < model->nv; ++k) own[k] = (x_dot.da ? x_dot.da[k] : (tacReal)0.0) - own[k];
    SINGLE->solve(model, &f.m, own);
    if (!tac_all_finite(own, model->nv))
        result = TAC_ERROR_DIVERGED;
    else if (model->nv > 0)
        memcpy(qacc_dot, own, sizeof *own * (size_t)model->nv);
    scratch->arena.used = mark;
    return result;
}

tacResult tac_forward_dynamics_vjp(const tacModel* model, tacDynamicsInput x, const tacReal* tau,
                                   const tacReal* qacc_bar, tacDynamicsTangent x_bar,
                                   tacScratch* scratch) {
    tacResult result = tac_input_check(model, x, scratch);
    if (result == TAC_OK && (tac_missing(qacc_bar, model->nv) || !tac_all_finite(tau, model->nv) ||
                             !tac_all_finite(qacc_bar, model->nv)))
        result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    forwardMotion f = prepare_forward(model, x, tau, &scratch->arena);
    tacReal* lambda = f.diff;
    for (int k = 0; k < model->nv; ++k) lambda[k] = qacc_bar[k];
    SINGLE->solve(model, &f.m, lambda);
    if (!tac_all_finite(f.qacc, model->nv) || !tac_all_finite(lambda, model->nv)) {
        result = TAC_ERROR_DIVERGED;
    } else {
        tacMotionDot bar = to_dot(x_bar);
        bar.da = NULL;
        for (int k = 0; k < model->nv && x_bar.da; ++k) x_bar.da[k] += lambda[k];
        for (int k = 0; k < model->nv; ++k) lambda[k] = -lambda[k];
        SINGLE->inverse_vjp(model, &f.m, lambda, &bar);
    }
    scratch->arena.used = mark;
    return result;
}
