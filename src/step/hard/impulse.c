// A collision alone, and its derivatives: the product of its impacts, one after the other.
//
//   qpos, qvel --hard_pass.h--> records of the solves --[this file]--> qvel_next, impulses

#include "step/hard/hard_pass.h"

#include "base/scratch.h"
#include "math/vec3.h"
#include "math/vector_ops.h"
#include "model/live_params.h"

#include <string.h>

static tacResult check_impulse_input(const tacModel* model, const tacReal* qpos,
                                     const tacReal* qvel, const tacReal* out,
                                     const tacScratch* scratch) {
    tacDynamicsInput x = {.qpos = qpos, .qvel = qvel};
    if (model && !tac_is_hard(model)) return TAC_ERROR_UNSUPPORTED;
    if (model && model->nv > 0 && (!qvel || !out)) return TAC_ERROR_VALUE;
    return tac_input_check(model, x, scratch);
}

// a copy, or zeros
static double* alloc_copy(tacArena* arena, const double* from, int n) {
    double* x = tac_alloc_zero(arena, n);
    tac_copy_reals(x, from, n);
    return x;
}

//---------------------------------- impulses ----------------------------------

// what one solve gives to each contact
static tacResult add_impulses(tacContactSolve* s, const tacSolveRecord* record, tacReal* impulse) {
    tacResult result = tac_contact_solve_restore(s, record);
    for (int g = 0; g < s->problem.constraints && result == TAC_OK; ++g) {
        const tacConstraint* constraint = &s->problem.constraint[g];
        if (constraint->kind != TAC_CONSTRAINT_CONTACT) continue;
        tacImpulse3 impulse3 = tac_contact_solve_impulse(s, record, g);
        tacReal* to = impulse + 3 * constraint->source;
        tacVec3 sum = tac_load3(to);
        for (int i = 0; i < 3; ++i)
            sum = tac_add_scaled(sum, impulse3.f[i], constraint->frame.axis[i]);
        tac_store3(to, sum);
    }
    return result;
}

static tacResult list_contact_impulses(tacHardPass* p, tacContacts* contacts, tacReal* impulse) {
    tacContactSolve* s = p->s;
    tacPose* pose = s->dynamics.pose;
    tacResult result = tac_kinematics(s->scene, p->end.q, NULL, pose, NULL, s->scratch);
    if (result == TAC_OK)
        result =
            tac_detect_query(s->scene, pose, (tacDetectQuery){.margin = 2.0 * s->options.delta},
                             contacts, s->scratch);
    if (result != TAC_OK || !impulse) return result;
    memset(impulse, 0, sizeof *impulse * 3 * (size_t)contacts->count);
    for (int i = 0; i < p->records && result == TAC_OK; ++i)
        result = add_impulses(s, &p->record[i], impulse);
    return result;
}

tacResult tac_impulse(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                      tacReal* qvel_next, tacContacts* contacts, tacReal* impulse,
                      tacScratch* scratch) {
    tacResult result = check_impulse_input(model, qpos, qvel, qvel_next, scratch);
    if (result != TAC_OK) return result;
    tacHardPass p;
    size_t mark = scratch->arena.used;
    result = tac_hard_collision(model, qpos, qvel, scratch, &p);
    if (result == TAC_OK && contacts) result = list_contact_impulses(&p, contacts, impulse);
    if (result == TAC_OK && model->nv > 0)
        memcpy(qvel_next, p.end.v, sizeof *qvel_next * (size_t)model->nv);
    scratch->info = p.info;
    scratch->arena.used = mark;
    return result;
}

//---------------------------------- derivatives ----------------------------------

// the solves again, ready for derivatives
static tacResult begin_impulse_diff(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                                    tacScratch* scratch, tacHardPass* p) {
    tacResult result = tac_hard_collision(model, qpos, qvel, scratch, p);
    return result == TAC_OK && p->s->options.frozen_bounds ? TAC_ERROR_UNSUPPORTED : result;
}

tacResult tac_impulse_jvp(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                          const tacReal* dq, const tacReal* qvel_dot, const tacReal* theta_dot,
                          tacReal* qvel_next_dot, tacScratch* scratch) {
    tacResult result = check_impulse_input(model, qpos, qvel, qvel_next_dot, scratch);
    if (result == TAC_OK && tac_moves_held_param(model, theta_dot)) result = TAC_ERROR_UNSUPPORTED;
    if (result != TAC_OK) return result;
    tacHardPass p;
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used, bytes = sizeof(double) * (size_t)model->nv;
    result = begin_impulse_diff(model, qpos, qvel, scratch, &p);
    if (result == TAC_OK) {
        int nv = model->nv;
        tacContactSolveDot d = {.q = alloc_copy(arena, dq, nv),
                                .v = alloc_copy(arena, qvel_dot, nv)};
        d.theta = alloc_copy(arena, theta_dot, model->nparam);
        d.dt = d.theta[model->timestep];
        d.theta[model->timestep] = 0.0;
        double *u = alloc_copy(arena, NULL, nv), *rate = alloc_copy(arena, NULL, model->na);
        for (int i = 0; i < p.records && result == TAC_OK; ++i) {
            result = tac_contact_solve_restore(p.s, &p.record[i]);
            if (result == TAC_OK) tac_contact_solve_jvp(p.s, &p.record[i], &d, u, rate);
            memcpy(d.v, u, bytes);
        }
        if (result == TAC_OK && !tac_all_finite(d.v, nv)) result = TAC_ERROR_DIVERGED;
        if (result == TAC_OK) memcpy(qvel_next_dot, d.v, bytes);
    }
    scratch->info = p.info;
    arena->used = mark;
    return result;
}

// to += from; NULL skips
static void add_reals(tacReal* to, const double* from, int n) {
    if (to) tac_add_scaled_reals(to, 1.0, from, n);
}

tacResult tac_impulse_vjp(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                          const tacReal* qvel_next_bar, tacReal* dq_bar, tacReal* qvel_bar,
                          tacReal* theta_bar, tacScratch* scratch) {
    tacResult result = check_impulse_input(model, qpos, qvel, qvel_next_bar, scratch);
    if (result != TAC_OK) return result;
    tacHardPass p;
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used, bytes = sizeof(double) * (size_t)model->nv;
    result = begin_impulse_diff(model, qpos, qvel, scratch, &p);
    if (result == TAC_OK) {
        int nv = model->nv;
        tacContactSolveDot bar = {.q = alloc_copy(arena, NULL, nv)};
        bar.v = alloc_copy(arena, qvel_next_bar, nv);
        bar.theta = alloc_copy(arena, NULL, model->nparam);
        double *u = alloc_copy(arena, NULL, nv), *rate = alloc_copy(arena, NULL, model->na);
        for (int i = p.records - 1; i >= 0 && result == TAC_OK; --i) {
            result = tac_contact_solve_restore(p.s, &p.record[i]);
            memcpy(u, bar.v, bytes);
            memset(bar.v, 0, bytes);
            if (result == TAC_OK) tac_contact_solve_vjp(p.s, &p.record[i], u, rate, &bar);
        }
        bar.theta[model->timestep] = bar.dt;
        if (result == TAC_OK && !(tac_all_finite(bar.q, nv) && tac_all_finite(bar.v, nv) &&
                                  tac_all_finite(bar.theta, model->nparam)))
            result = TAC_ERROR_DIVERGED;
        if (result == TAC_OK) {
            add_reals(dq_bar, bar.q, nv);
            add_reals(qvel_bar, bar.v, nv);
            add_reals(theta_bar, bar.theta, model->nparam);
        }
    }
    scratch->info = p.info;
    arena->used = mark;
    return result;
}
