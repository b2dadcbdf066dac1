// The longest stable step of explicit contact at a state.
//
// An impact of speed v makes a spring stiffer, -c' (1 + v/v_d), and damps with c/v_d, c the force
// of the spring: of the force f that acts, c = f/(1 + v/v_d), and -c' = k (1 - exp(-c/(k eps3))),
// of the cubic spring 3 k depth^2. v is that of the points where it acts, along it: the power of
// the wrench over its force.

#include "step/force/contact_forces.h"

#include "base/scratch.h"
#include "respond/force/pair_forces.h"
#include "step/step.h"

#include <math.h>

static const tacPairForce* find_pair_force(const tacContactForces* t, const tacContactPair* pair) {
    if (t->count == t->model->contact->nbodies) return &t->force[pair->bodies];
    for (int i = 0; i < t->count; ++i)
        if (t->force[i].body[0] == pair->body[0] && t->force[i].body[1] == pair->body[1])
            return &t->force[i];
    return NULL;
}

static double force_norm(const tacPairForce* f) {
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) sum += tac_re(f->wrench[k]) * tac_re(f->wrench[k]);
    return sqrt(sum);
}

// approach speed of the points of a wrench; 0: they separate
static double approach_speed(const tacContactForces* t, const tacPairForce* f, double size) {
    const tacKinematics at = {.pose = t->pose, .twist = t->twist};
    tacTwist v = tac_relative_twist(&at, t->twist, f->body, tac_load3(f->origin));
    tacReal twist[6], power = 0.0;
    tac_twist_store(twist, v);
    for (int k = 0; k < 6; ++k) power += f->wrench[k] * twist[k];
    return fmax(0.0, -tac_re(power) / size);
}

// Depth of the cubic spring of a force c. A step that moves farther than the impact can reach,
// k depth^4/4 = v^2/(2 inv_mass), has gone too deep: then the depth that a shorter one reaches.
static double cubic_depth(const tacModel* model, const tacContactPair* pair, double c, double v) {
    double k = tac_re(model->param[pair->stiffness]), depth = cbrt(c / k);
    double reach = sqrt(sqrt(2.0 * v * v / (pair->inv_mass * k)));
    return v * tac_re(model->param[model->timestep]) > reach ? fmin(depth, reach) : depth;
}

// of the force of two bodies, as if all of it came from this pair of geoms
static double stable_step_of_pair(const tacContactForces* t, const tacContactPair* pair,
                                  const tacPairForce* f) {
    const tacReal* param = t->model->param;
    double size = force_norm(f), v = size > 0.0 ? approach_speed(t, f, size) : 0.0;
    double k = tac_re(param[pair->stiffness]), v_d = tac_re(param[pair->dissipation]);
    double c = size / (1.0 + v / v_d), share = tac_force_of(t->model)->reads_contacts ? 4.0 : 1.0;
    if (!(c > 0.0)) return INFINITY;
    if (t->model->contact->responder == TAC_RESPOND_ELASTOPLASTIC) {
        double depth = cubic_depth(t->model, pair, c, v), drag = k * depth * depth * depth / v_d;
        return tac_stable_spring(t->model,
                                 pair->inv_mass * 3.0 * k * depth * depth * (1.0 + v / v_d),
                                 pair->inv_mass * drag);
    }
    double slope = -k * expm1(-c / (k * tac_re(param[pair->eps3])));
    return tac_stable_spring(t->model, pair->inv_mass * slope * (1.0 + v / v_d),
                             pair->inv_mass / share * c / v_d);
}

double tac_contact_forces_stable_step(const tacContactForces* t) {
    const tacContactPlan* plan = t->model->contact;
    double limit = INFINITY;
    if (t->implicit) return limit;
    for (int i = 0; i < plan->npair; ++i) {
        const tacPairForce* f = find_pair_force(t, &plan->pair[i]);
        if (f) limit = fmin(limit, stable_step_of_pair(t, &plan->pair[i], f));
    }
    return limit;
}

tacResult tac_stable_timestep_at(const tacModel* model, const tacState* x, const tacReal* u,
                                 double* seconds, tacScratch* scratch) {
    tacResult result = seconds ? tac_step_check(model, x, u, scratch) : TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    *seconds = INFINITY;
    if (!tac_force_of(model)) return TAC_OK;
    size_t mark = scratch->arena.used;
    tacStepWorkspace ws;
    tac_step_workspace_alloc(model, 0, scratch, &ws);
    tac_step_workspace_begin(&ws, x, u);
    for (int i = 0; i < ws.s.count; ++i) tac_step_stage(&ws.f, &ws.s, i);
    tac_integrate_stages(&ws.f, &ws.s, ws.next);
    result = tac_step_workspace_result(&ws);
    if (ws.f.contact_forces && ws.f.contact_forces->max_step < INFINITY)
        *seconds = fmin(ws.f.contact_forces->max_step, tac_stable_timestep(model));
    scratch->arena.used = mark;
    return result;
}
