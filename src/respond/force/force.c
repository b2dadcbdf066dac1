// Forces between bodies by the scene's smooth responder.
//
//   contacts, velocities --table of responders--> wrench, K, C of each pair of bodies --> step/

#include "respond/force/force.h"

#include "math/number.h"
#include "respond/force/pair_forces.h"

// those that are built; the words of a scene are checked against contact_plan.c's table
static const tacForceKind* const kinds[] = {
    [TAC_RESPOND_SPRING] = &tac_spring_force,
    [TAC_RESPOND_SCM] = &tac_scm_force,
    [TAC_RESPOND_ELASTOPLASTIC] = &tac_elastoplastic_force,
    [TAC_RESPOND_LCP] = NULL,
};

const tacForceKind* tac_force_of(const tacModel* model) {
    return model && model->contact ? kinds[model->contact->responder] : NULL;
}

double tac_implicit_share(const tacModel* model) {
    int is_rk4 = model->integrator == TAC_INTEGRATOR_RK4 || model->integrator == TAC_INTEGRATOR_LIE;
    return is_rk4 ? 0.5 : 1.0;
}

tacReal tac_implicit_timestep(const tacModel* model) {
    return tac_implicit_share(model) * model->param[model->timestep];
}

int tac_body_pair_count(const tacModel* model) {
    return model && model->contact ? model->contact->nbodies : 0;
}

static tacResult check_force_args(const tacModel* model, const tacKinematics* kinematics,
                                  const tacContacts* contacts, const tacScratch* scratch) {
    if (!model || !kinematics || !kinematics->pose || !kinematics->twist || !scratch)
        return TAC_ERROR_VALUE;
    const tacForceKind* kind = tac_force_of(model);
    if (!kind) return TAC_ERROR_UNSUPPORTED;
    if (kind->reads_contacts && !contacts) return TAC_ERROR_VALUE;
    if (kind->reads_contacts && kinematics->derivatives && !contacts->d_twist[0][0])
        return TAC_ERROR_VALUE;
    return TAC_OK;
}

// records that push less than this share of their spring do not count as overlap
static const double min_activity = 0.01;

static void find_overlaps(const tacModel* model, const tacContacts* contacts, tacPairForce* out,
                          int count) {
    const tacContactPlan* plan = model->contact;
    int at = 0; // entries are in the order of their first pair; pairs of one may be apart
    for (int i = 0; i < contacts->count; ++i) {
        const tacContactPair* pair = &plan->pair[contacts->pair[i]];
        double depth = -tac_re(contacts->distance[i]);
        if (!(depth > 0.0) || tac_re(contacts->activity[i]) < min_activity) continue;
        for (int k = 0;
             k < count && (out[at].body[0] != pair->body[0] || out[at].body[1] != pair->body[1]);
             ++k)
            at = (at + 1) % count;
        tac_pair_force_overlap(pair, contacts->pair[i], depth, &out[at]);
    }
}

tacResult tac_force(const tacModel* model, const tacKinematics* kinematics,
                    const tacContacts* contacts, tacPairForce* out, int* count,
                    tacScratch* scratch) {
    tacResult result = check_force_args(model, kinematics, contacts, scratch);
    if (result == TAC_OK && (!out || !count)) result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    result = tac_force_of(model)->force(model, kinematics, contacts, out, count, scratch);
    scratch->arena.used = mark;
    if (result == TAC_OK && tac_force_of(model)->reads_contacts)
        find_overlaps(model, contacts, out, *count);
    return result;
}

tacResult tac_force_jvp(const tacModel* model, const tacKinematics* kinematics,
                        const tacContacts* contacts, const tacContacts* contacts_dot,
                        const tacReal* theta_dot, tacPairForce* dot, tacScratch* scratch) {
    tacResult result = check_force_args(model, kinematics, contacts, scratch);
    if (result == TAC_OK && !dot) result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    result = tac_force_of(model)->jvp(model, kinematics, contacts,
                                      (tacForceTangent){contacts_dot, theta_dot}, dot, scratch);
    scratch->arena.used = mark;
    return result;
}

tacResult tac_force_vjp(const tacModel* model, const tacKinematics* kinematics,
                        const tacContacts* contacts, const tacPairForce* bar,
                        tacContacts* contacts_bar, tacReal* theta_bar, tacScratch* scratch) {
    tacResult result = check_force_args(model, kinematics, contacts, scratch);
    if (result == TAC_OK && !bar) result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    result = tac_force_of(model)->vjp(model, kinematics, contacts, bar,
                                      (tacForceAdjoint){contacts_bar, theta_bar}, scratch);
    scratch->arena.used = mark;
    return result;
}
