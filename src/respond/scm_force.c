// The soft-minimum model as a force responder: clouds and poses to wrenches between bodies.
//
//   clouds of the plan, poses, twists --scm.c--> wrench, K, C of each pair of bodies --> step/
//
// Model: docs/scm.md.

#include "respond/force.h"

#include "respond/scm.h"

#include <string.h>

//---------------------------------- numbers --------------------------------------

// offset of the friction that holds, -1: none
static int friction_of(const tacModel* model, const tacContactPair* pair) {
    int a = pair->friction[0], b = pair->friction[1];
    if (a < 0 || b < 0) return a;
    return r_is_negative(model->param[a] - model->param[b]) ? b : a;
}

// offsets of the numbers of a pair of geoms
static void numbers_of(const tacModel* model, const tacContactPair* pair, int at[TAC_SCM_NUMBERS]) {
    const int* number = model->contact->number;
    at[TAC_SCM_K] = pair->stiffness, at[TAC_SCM_V_D] = pair->dissipation;
    at[TAC_SCM_V_S] = pair->stiction, at[TAC_SCM_MU] = friction_of(model, pair);
    at[TAC_SCM_EPS1] = number[TAC_CONTACT_EPS1], at[TAC_SCM_EPS2] = number[TAC_CONTACT_EPS2];
    at[TAC_SCM_EPS3] = pair->eps3;
    at[TAC_SCM_H] = model->contact->choice[TAC_CHOICE_IMPLICIT] ? model->timestep : -1;
}

//---------------------------------- pairs ----------------------------------------

// points of a pair that move; 0: it cannot touch
static int points_of(const tacContactPlan* plan, const tacContactPair* pair) {
    if (!plan->cloud) return 0; // a scratch while the scene is being read
    const tacContactCloud *a = plan->cloud[pair->geom[0]], *b = plan->cloud[pair->geom[1]];
    return a && b ? a->queries + b->queries : 0;
}

static int most_points(const tacModel* model) {
    const tacContactPlan* plan = model->contact;
    int most = 0;
    for (int i = 0; i < plan->npair; ++i) {
        int count = points_of(plan, &plan->pair[i]);
        most = most > count ? most : count;
    }
    return most;
}

static size_t scm_size(const tacModel* model, size_t real_size) {
    size_t n = (size_t)most_points(model);
    return 3 * tac_arena_need(real_size * n) + 2 * tac_arena_need(sizeof(int) * n);
}

static tacScmWork take_work(const tacModel* model, tacArena* arena) {
    int n = most_points(model);
    tacScmWork w = {.Phi = TAC_TAKE(arena, tacReal, n)};
    w.fade = TAC_TAKE(arena, tacReal, n), w.sigma = TAC_TAKE(arena, tacReal, n);
    w.at = TAC_TAKE(arena, int, n), w.chosen = TAC_TAKE(arena, int, n);
    return w;
}

// the wrench is about the origin of the second body, as that of all pairs of these bodies
static void evaluate(const tacModel* model, const tacKinematics* kinematics,
                     const tacContactPair* pair, int order, tacScmWork work, tacScmForce* out) {
    const tacContactPlan* plan = model->contact;
    tacScmPair p = {.give = pair->give,
                    .published = plan->choice[TAC_CHOICE_LAW],
                    .exact = plan->choice[TAC_CHOICE_EXACT],
                    .ahead = plan->choice[TAC_CHOICE_IMPLICIT]};
    int at[TAC_SCM_NUMBERS];
    numbers_of(model, pair, at);
    for (int k = 0; k < TAC_SCM_NUMBERS; ++k)
        p.number[k] = at[k] >= 0 ? model->param[at[k]] : (tacReal)0.0;
    for (int i = 0; i < 2; ++i) {
        p.cloud[i] = plan->cloud[pair->geom[i]];
        p.pose[i] = kinematics->pose[pair->body[i]];
        memcpy(p.twist[i], kinematics->twist + 6 * pair->body[i], sizeof p.twist[i]);
        if (kinematics->lead)
            memcpy(p.lead[i], kinematics->lead + 6 * pair->body[i], sizeof p.lead[i]);
    }
    tac_store3(p.origin, p.pose[1].position);
    tac_scm_pair(&p, order, work, out);
}

static void clear_entries(const tacModel* model, const tacKinematics* kinematics,
                          tacPairForce* out) {
    const tacContactPlan* plan = model->contact;
    memset(out, 0, sizeof *out * (size_t)plan->nbodies);
    for (int i = 0; i < plan->nbodies; ++i) {
        for (int k = 0; k < 2; ++k) out[i].body[k] = plan->bodies[i].body[k];
        tac_store3(out[i].origin, kinematics->pose[plan->bodies[i].body[1]].position);
    }
}

static void add(tacReal* sum, const tacReal* x, int n) {
    for (int i = 0; i < n; ++i) sum[i] += x[i];
}

//---------------------------------- force ----------------------------------------

static tacResult force(const tacModel* model, const tacKinematics* kinematics,
                       const tacContacts* contacts, tacPairForce* out, int* count,
                       tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    tacScmWork work = take_work(model, &scratch->arena);
    (void)contacts;
    clear_entries(model, kinematics, out);
    *count = plan->nbodies;
    for (int i = 0; i < plan->npair; ++i) {
        const tacContactPair* pair = &plan->pair[i];
        tacPairForce* sum = &out[pair->bodies];
        tacScmForce f;
        if (points_of(plan, pair) == 0) continue;
        evaluate(model, kinematics, pair, kinematics->derivatives ? 1 : 0, work, &f);
        add(sum->wrench, f.wrench, 6), add(sum->L, f.L, 36);
        if (kinematics->derivatives) add(sum->K, f.K, 36), add(sum->C, f.C, 36);
    }
    return TAC_OK;
}

static tacResult force_jvp(const tacModel* model, const tacKinematics* kinematics,
                           const tacContacts* contacts, const tacContacts* contacts_dot,
                           const tacReal* theta_dot, tacPairForce* dot, tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    tacScmWork work = take_work(model, &scratch->arena);
    (void)contacts, (void)contacts_dot;
    clear_entries(model, kinematics, dot);
    for (int i = 0; i < plan->npair && theta_dot; ++i) {
        const tacContactPair* pair = &plan->pair[i];
        tacScmForce f;
        int at[TAC_SCM_NUMBERS];
        if (points_of(plan, pair) == 0) continue;
        evaluate(model, kinematics, pair, 2, work, &f);
        numbers_of(model, pair, at);
        for (int k = 0; k < TAC_SCM_NUMBERS; ++k)
            for (int j = 0; j < 6 && at[k] >= 0; ++j)
                dot[pair->bodies].wrench[j] += f.T[TAC_SCM_NUMBERS * j + k] * theta_dot[at[k]];
    }
    return TAC_OK;
}

static tacResult force_vjp(const tacModel* model, const tacKinematics* kinematics,
                           const tacContacts* contacts, const tacPairForce* bar,
                           tacContacts* contacts_bar, tacReal* theta_bar, tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    tacScmWork work = take_work(model, &scratch->arena);
    (void)contacts, (void)contacts_bar;
    for (int i = 0; i < plan->npair && theta_bar; ++i) {
        const tacContactPair* pair = &plan->pair[i];
        tacScmForce f;
        int at[TAC_SCM_NUMBERS];
        if (points_of(plan, pair) == 0) continue;
        evaluate(model, kinematics, pair, 2, work, &f);
        numbers_of(model, pair, at);
        for (int k = 0; k < TAC_SCM_NUMBERS; ++k)
            for (int j = 0; j < 6 && at[k] >= 0; ++j)
                theta_bar[at[k]] += f.T[TAC_SCM_NUMBERS * j + k] * bar[pair->bodies].wrench[j];
    }
    return TAC_OK;
}

const tacForceKind tac_scm_force = {0, scm_size, force, force_jvp, force_vjp};
