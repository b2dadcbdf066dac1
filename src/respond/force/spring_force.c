// Springs: contact records to forces between bodies by the point-plane law, stiffness scaled by
// activity.
//
//   detect/ --records--> [this file] --wrench, K, C of each pair of bodies--> step/
//
// Model: docs/contact.md.

#include "respond/force/force.h"

#include "respond/force/pair_forces.h"
#include "respond/force/spring_kernels.h"

#include <string.h>

#define SPRINGS TAC_DISPATCH(tac_spring_kernels_)

//---------------------------------- numbers --------------------------------------

// offsets of the law's numbers for a pair
static void param_offsets(const tacModel* model, const tacContactPair* pair,
                          int at[SPRING_NUMBERS]) {
    at[SPRING_K] = pair->stiffness;
    at[SPRING_V_D] = pair->dissipation;
    at[SPRING_V_S] = pair->stiction;
    at[SPRING_MU] = tac_pair_friction(model, pair);
    at[SPRING_EPS] = pair->eps3;
    at[SPRING_H] = model->contact->choice[TAC_CHOICE_IMPLICIT] ? model->timestep : -1;
}

//---------------------------------- pairs ----------------------------------------

// the records of one pair from `first` on, with its numbers and velocities
static tacSpringSegment segment_at(const tacModel* model, const tacKinematics* kinematics,
                                   const tacContacts* contacts, int first) {
    const tacContactPlan* plan = model->contact;
    const tacContactPair* pair = &plan->pair[contacts->pair[first]];
    tacSpringSegment s = {.contacts = contacts, .first = first, .inv_mass = pair->inv_mass};
    s.reference = plan->choice[TAC_CHOICE_LAW];
    s.implicit = plan->choice[TAC_CHOICE_IMPLICIT];
    while (first + s.count < contacts->count &&
           contacts->pair[first + s.count] == contacts->pair[first])
        ++s.count;
    int at[SPRING_NUMBERS];
    param_offsets(model, pair, at);
    for (int i = 0; i < SPRING_NUMBERS; ++i)
        s.law[i] = at[i] >= 0 ? model->param[at[i]] : (tacReal)0.0;
    s.law[SPRING_H] *= tac_implicit_share(model);
    tacVec3 origin = kinematics->pose[pair->body[1]].position;
    tacTwist v = tac_relative_twist(kinematics, kinematics->twist, pair->body, origin);
    tac_store3(s.origin, origin);
    tac_store3(s.linear, v.linear);
    tac_store3(s.angular, v.angular);
    if (!kinematics->predicted) return s;
    tacTwist a = tac_relative_twist(kinematics, kinematics->predicted, pair->body, origin);
    tac_store3(s.predicted, a.linear);
    tac_store3(s.predicted_ang, a.angular);
    return s;
}

//---------------------------------- force ----------------------------------------

static tacResult spring_force(const tacModel* model, const tacKinematics* kinematics,
                              const tacContacts* contacts, tacPairForce* out, int* count,
                              tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    const int* entry = tac_pair_force_index(model, contacts, count, &scratch->arena);
    for (int i = 0; i < plan->nbodies; ++i)
        if (entry[i] >= 0) tac_pair_force_clear(model, kinematics, i, &out[entry[i]]);
    for (int i = 0; i < contacts->count;) {
        tacSpringSegment s = segment_at(model, kinematics, contacts, i);
        tacPairForce* f = &out[entry[plan->pair[contacts->pair[i]].bodies]];
        SPRINGS->force(&s, f->wrench, kinematics->derivatives ? f->K : NULL, f->C,
                       s.implicit ? f->L : NULL);
        i += s.count;
    }
    return TAC_OK;
}

static tacResult spring_force_jvp(const tacModel* model, const tacKinematics* kinematics,
                                  const tacContacts* contacts, tacForceTangent tangent,
                                  tacPairForce* dot, tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    int count;
    const int* entry = tac_pair_force_index(model, contacts, &count, &scratch->arena);
    for (int i = 0; i < plan->nbodies; ++i)
        if (entry[i] >= 0) tac_pair_force_clear(model, kinematics, i, &dot[entry[i]]);
    for (int i = 0; i < contacts->count;) {
        tacSpringSegment s = segment_at(model, kinematics, contacts, i);
        const tacContactPair* pair = &plan->pair[contacts->pair[i]];
        tacReal law_dot[SPRING_NUMBERS];
        int at[SPRING_NUMBERS];
        param_offsets(model, pair, at);
        for (int k = 0; k < SPRING_NUMBERS; ++k)
            law_dot[k] = tangent.param && at[k] >= 0 ? tangent.param[at[k]] : (tacReal)0.0;
        law_dot[SPRING_H] *= tac_implicit_share(model);
        SPRINGS->jvp(&s, tangent.contacts, law_dot, dot[entry[pair->bodies]].wrench);
        i += s.count;
    }
    return TAC_OK;
}

static tacResult spring_force_vjp(const tacModel* model, const tacKinematics* kinematics,
                                  const tacContacts* contacts, const tacPairForce* bar,
                                  tacForceAdjoint adjoint, tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    int count;
    const int* entry = tac_pair_force_index(model, contacts, &count, &scratch->arena);
    for (int i = 0; i < contacts->count;) {
        tacSpringSegment s = segment_at(model, kinematics, contacts, i);
        const tacContactPair* pair = &plan->pair[contacts->pair[i]];
        tacReal law_bar[SPRING_NUMBERS] = {0};
        int at[SPRING_NUMBERS];
        SPRINGS->vjp(&s, bar[entry[pair->bodies]].wrench, adjoint.contacts, law_bar);
        law_bar[SPRING_H] *= tac_implicit_share(model);
        param_offsets(model, pair, at);
        for (int k = 0; k < SPRING_NUMBERS && adjoint.param; ++k)
            if (at[k] >= 0) adjoint.param[at[k]] += law_bar[k];
        i += s.count;
    }
    return TAC_OK;
}

const tacForceKind tac_spring_force = {1, tac_pair_force_index_measure, spring_force,
                                       spring_force_jvp, spring_force_vjp};
