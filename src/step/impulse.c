// A collision by itself, and its derivatives: the product of its solves, one after the other.
//
//   qpos, qvel --step_impulse.h--> notes of the solves --[this file]--> qvel_next, impulses

#include "step/step_impulse.h"

#include "base/scratch.h"
#include "math/vec3.h"

#include <string.h>

static tacResult check(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                       const tacReal* out, const tacScratch* scratch) {
    tacDynamicsInput x = {.qpos = qpos, .qvel = qvel};
    if (model && !tac_is_hard(model)) return TAC_ERROR_UNSUPPORTED;
    if (model && model->nv > 0 && (!qvel || !out)) return TAC_ERROR_VALUE;
    return tac_input_check(model, x, scratch);
}

static double* take_copy(tacArena* arena, const double* from, int n) {
    double* x = TAC_TAKE(arena, double, n + 1);
    memset(x, 0, sizeof *x * (size_t)(n + 1));
    if (from && n > 0) memcpy(x, from, sizeof *x * (size_t)n);
    return x;
}

//---------------------------------- impulses ----------------------------------

// what one solve gives to each contact
static tacResult add_impulses(tacStrike* s, const tacStrikeNote* note, tacReal* impulse) {
    tacResult result = tac_strike_revisit(s, note);
    for (int g = 0; g < s->groups && result == TAC_OK; ++g) {
        const tacStrikeGroup* group = &s->group[g];
        if (group->kind != TAC_GROUP_CONTACT) continue;
        tacThree three = tac_impulse_of(s, note, g);
        tacReal* to = impulse + 3 * group->source;
        tacVec3 sum = tac_load3(to);
        for (int i = 0; i < 3; ++i) sum = tac_add_scaled(sum, three.f[i], group->frame.axis[i]);
        tac_store3(to, sum);
    }
    return result;
}

static tacResult list_contacts(tacHardPass* p, tacContacts* contacts, tacReal* impulse) {
    tacStrike* s = p->s;
    tacPose* pose = s->pose;
    tacResult result = tac_kinematics(s->scene, p->end.q, NULL, pose, NULL, s->scratch);
    if (result == TAC_OK)
        result = tac_hard_contacts(s->scene, pose, 2.0 * s->delta, contacts, s->hard_memory);
    if (result != TAC_OK || !impulse) return result;
    memset(impulse, 0, sizeof *impulse * 3 * (size_t)contacts->count);
    for (int i = 0; i < p->notes && result == TAC_OK; ++i)
        result = add_impulses(s, &p->note[i], impulse);
    return result;
}

tacResult tac_impulse(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                      tacReal* qvel_next, tacContacts* contacts, tacReal* impulse,
                      tacScratch* scratch) {
    tacResult result = check(model, qpos, qvel, qvel_next, scratch);
    if (result != TAC_OK) return result;
    tacHardPass p;
    size_t mark = scratch->arena.used;
    result = tac_hard_blow(model, qpos, qvel, scratch, &p);
    if (result == TAC_OK && contacts) result = list_contacts(&p, contacts, impulse);
    if (result == TAC_OK && model->nv > 0)
        memcpy(qvel_next, p.end.v, sizeof *qvel_next * (size_t)model->nv);
    scratch->info = p.info;
    scratch->arena.used = mark;
    return result;
}

//---------------------------------- derivatives ----------------------------------

// the solves again, ready for derivatives
static tacResult begin(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                       tacScratch* scratch, tacHardPass* p) {
    tacResult result = tac_hard_blow(model, qpos, qvel, scratch, p);
    return result == TAC_OK && p->s->frozen ? TAC_ERROR_UNSUPPORTED : result;
}

tacResult tac_impulse_jvp(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                          const tacReal* dq, const tacReal* qvel_dot, const tacReal* theta_dot,
                          tacReal* qvel_next_dot, tacScratch* scratch) {
    tacResult result = check(model, qpos, qvel, qvel_next_dot, scratch);
    if (result != TAC_OK) return result;
    tacHardPass p;
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used, bytes = sizeof(double) * (size_t)model->nv;
    result = begin(model, qpos, qvel, scratch, &p);
    if (result == TAC_OK) {
        int nv = model->nv;
        tacStrikeDot d = {.q = take_copy(arena, dq, nv), .v = take_copy(arena, qvel_dot, nv)};
        d.theta = take_copy(arena, theta_dot, model->nparam);
        d.dt = d.theta[model->timestep];
        d.theta[model->timestep] = 0.0;
        double *u = take_copy(arena, NULL, nv), *rate = take_copy(arena, NULL, model->na);
        for (int i = 0; i < p.notes && result == TAC_OK; ++i) {
            result = tac_strike_revisit(p.s, &p.note[i]);
            if (result == TAC_OK) tac_strike_jvp(p.s, &p.note[i], &d, u, rate);
            memcpy(d.v, u, bytes);
        }
        if (result == TAC_OK && !tac_all_finite(d.v, nv)) result = TAC_ERROR_DIVERGED;
        if (result == TAC_OK) memcpy(qvel_next_dot, d.v, bytes);
    }
    scratch->info = p.info;
    arena->used = mark;
    return result;
}

static void add(tacReal* to, const double* from, int n) {
    for (int i = 0; i < n && to; ++i) to[i] += from[i];
}

tacResult tac_impulse_vjp(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                          const tacReal* qvel_next_bar, tacReal* dq_bar, tacReal* qvel_bar,
                          tacReal* theta_bar, tacScratch* scratch) {
    tacResult result = check(model, qpos, qvel, qvel_next_bar, scratch);
    if (result != TAC_OK) return result;
    tacHardPass p;
    tacArena* arena = &scratch->arena;
    size_t mark = arena->used, bytes = sizeof(double) * (size_t)model->nv;
    result = begin(model, qpos, qvel, scratch, &p);
    if (result == TAC_OK) {
        int nv = model->nv;
        tacStrikeDot bar = {.q = take_copy(arena, NULL, nv)};
        bar.v = take_copy(arena, qvel_next_bar, nv);
        bar.theta = take_copy(arena, NULL, model->nparam);
        double *u = take_copy(arena, NULL, nv), *rate = take_copy(arena, NULL, model->na);
        for (int i = p.notes - 1; i >= 0 && result == TAC_OK; --i) {
            result = tac_strike_revisit(p.s, &p.note[i]);
            memcpy(u, bar.v, bytes);
            memset(bar.v, 0, bytes);
            if (result == TAC_OK) tac_strike_vjp(p.s, &p.note[i], u, rate, &bar);
        }
        bar.theta[model->timestep] = bar.dt;
        if (result == TAC_OK && !(tac_all_finite(bar.q, nv) && tac_all_finite(bar.v, nv) &&
                                  tac_all_finite(bar.theta, model->nparam)))
            result = TAC_ERROR_DIVERGED;
        if (result == TAC_OK) {
            add(dq_bar, bar.q, nv);
            add(qvel_bar, bar.v, nv);
            add(theta_bar, bar.theta, model->nparam);
        }
    }
    scratch->info = p.info;
    arena->used = mark;
    return result;
}
