// The soft-minimum model as a force responder: clouds and poses to wrenches between bodies.
//
//   clouds of the plan, poses, twists --scm.c--> wrench, K, C of each pair of bodies --> step/
//
// Model: docs/scm.md.

#include "respond/force.h"

#include "detect/ssdf_reach.h"
#include "respond/entries.h"
#include "respond/scm.h"

#include <math.h>
#include <string.h>

//---------------------------------- numbers --------------------------------------

// offsets of the numbers of a pair of geoms
static void numbers_of(const tacModel* model, const tacContactPair* pair, int at[TAC_SCM_NUMBERS]) {
    const int* number = model->contact->number;
    at[TAC_SCM_K] = pair->stiffness;
    at[TAC_SCM_V_D] = pair->dissipation;
    at[TAC_SCM_V_S] = pair->stiction;
    at[TAC_SCM_MU] = tac_pair_friction(model, pair);
    at[TAC_SCM_EPS1] = number[TAC_CONTACT_EPS1];
    at[TAC_SCM_EPS2] = number[TAC_CONTACT_EPS2];
    at[TAC_SCM_EPS3] = pair->eps3;
    at[TAC_SCM_H] = model->contact->choice[TAC_CHOICE_IMPLICIT] ? model->timestep : -1;
}

//---------------------------------- pairs ----------------------------------------

// what the search for pairs needs of a body
typedef struct bodyMotion {
    double at[3], speed, spin;
} bodyMotion;

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
    return 3 * tac_arena_need(real_size * n) + 2 * tac_arena_need(sizeof(int) * n) +
           tac_arena_need((size_t)model->contact->npair) + tac_entries_size(model) +
           tac_arena_need(sizeof(bodyMotion) * (size_t)model->nbody);
}

static tacScmWork take_work(const tacModel* model, tacArena* arena) {
    int n = most_points(model);
    tacScmWork w = {.Phi = TAC_TAKE(arena, tacReal, n)};
    w.fade = TAC_TAKE(arena, tacReal, n);
    w.sigma = TAC_TAKE(arena, tacReal, n);
    w.at = TAC_TAKE(arena, int, n);
    w.chosen = TAC_TAKE(arena, int, n);
    return w;
}

//---------------------------------- pairs that are felt --------------------------

static double length_of(tacVec3 a) {
    double x = tac_re(a.x), y = tac_re(a.y), z = tac_re(a.z);
    return sqrt(x * x + y * y + z * z);
}

static bodyMotion motion_of(const tacKinematics* kinematics, int body) {
    tacVec3 x = kinematics->pose[body].position;
    tacTwist v = tac_twist_load(kinematics->twist + 6 * body);
    return (bodyMotion){
        {tac_re(x.x), tac_re(x.y), tac_re(x.z)}, length_of(v.linear), length_of(v.angular)};
}

// a pair with all that says whether it is felt
typedef struct scmMeeting {
    tacSsdfMeeting at;
    const bodyMotion* body[2];
    double square;               // of the distance of the bodies' origins
    double mu, v_d, ahead, eps2; // ahead: time step of a force ahead, else 0
} scmMeeting;

static scmMeeting meeting_of(const tacModel* model, const tacKinematics* kinematics,
                             const tacContactPair* pair, const bodyMotion* motion[2]) {
    const tacContactPlan* plan = model->contact;
    const tacReal* param = model->param;
    scmMeeting m = {.at = {.eps1 = tac_re(param[plan->number[TAC_CONTACT_EPS1]]),
                           .eps3 = tac_re(param[pair->eps3])},
                    .v_d = tac_re(param[pair->dissipation]),
                    .eps2 = tac_re(param[plan->number[TAC_CONTACT_EPS2]])};
    if (plan->choice[TAC_CHOICE_IMPLICIT]) m.ahead = tac_re(param[model->timestep]);
    for (int i = 0; i < 2; ++i) {
        m.at.cloud[i] = plan->cloud[pair->geom[i]];
        m.at.pose[i] = &kinematics->pose[pair->body[i]];
        m.body[i] = motion[i];
        if (pair->friction[i] >= 0) m.mu = fmax(m.mu, tac_re(param[pair->friction[i]]));
    }
    for (int k = 0; k < 3; ++k) {
        double d = motion[0]->at[k] - motion[1]->at[k];
        m.square += d * d;
    }
    return m;
}

// a speed that no point of one cloud exceeds against the other's body, three times: a step may
// change velocities by twice as much as they are
static double speed_of(const scmMeeting* m) {
    double reach = sqrt(m->square);
    for (int i = 0; i < 2; ++i)
        if (m->at.cloud[i]->reach) reach += m->at.cloud[i]->reach->radius;
    return 3.0 *
           (m->body[0]->speed + m->body[1]->speed + reach * (m->body[0]->spin + m->body[1]->spin));
}

// How much more than k eps3 exp(-phi/eps3) a force or a derivative in its own scale can be: drag,
// friction, what a step ahead adds, and two derivatives by weights against those of the spring.
static double gain_of(const scmMeeting* m) {
    double v = speed_of(m), size = fmax(m->at.cloud[0]->size, m->at.cloud[1]->size);
    double slope = 1.0 + m->at.eps3 * (2.0 * size / m->at.eps1 + 1.0 / m->eps2);
    return (1.0 + v / m->v_d) * (1.0 + m->mu) * (1.0 + m->ahead * v / m->at.eps3) * slope * slope;
}

static int is_felt(const tacModel* model, const tacKinematics* kinematics,
                   const tacContactPair* pair, const bodyMotion* motion) {
    if (points_of(model->contact, pair) == 0) return 0;
    if (model->contact->choice[TAC_CHOICE_EXACT]) return 1;
    scmMeeting m =
        meeting_of(model, kinematics, pair,
                   (const bodyMotion* [2]){&motion[pair->body[0]], &motion[pair->body[1]]});
    m.at.gain = gain_of(&m);
    return !tac_ssdf_apart(&m.at);
}

// ln of the scale of the pair's forces over what does not count
static double room_of(const tacModel* model, const tacKinematics* kinematics,
                      const tacContactPair* pair) {
    bodyMotion motion[2] = {motion_of(kinematics, pair->body[0]),
                            motion_of(kinematics, pair->body[1])};
    scmMeeting m =
        meeting_of(model, kinematics, pair, (const bodyMotion* [2]){&motion[0], &motion[1]});
    return log(gain_of(&m) / TAC_REACH_SHARE);
}

// which pairs of geoms are felt, and the entry of each pair of bodies with one, -1: none
typedef struct feltPairs {
    char* felt;
    int *entry, count;
} feltPairs;

static feltPairs find_felt(const tacModel* model, const tacKinematics* kinematics,
                           tacPairForce* out, tacArena* arena) {
    const tacContactPlan* plan = model->contact;
    feltPairs f = {.felt = TAC_TAKE(arena, char, plan->npair)};
    bodyMotion* motion = TAC_TAKE(arena, bodyMotion, model->nbody);
    for (int i = 0; i < model->nbody; ++i) motion[i] = motion_of(kinematics, i);
    f.entry = TAC_TAKE(arena, int, plan->nbodies);
    for (int i = 0; i < plan->nbodies; ++i) f.entry[i] = -1;
    for (int i = 0; i < plan->npair; ++i) {
        f.felt[i] = (char)is_felt(model, kinematics, &plan->pair[i], motion);
        if (f.felt[i]) f.entry[plan->pair[i].bodies] = 0;
    }
    for (int i = 0; i < plan->nbodies; ++i) {
        if (f.entry[i] < 0) continue;
        f.entry[i] = f.count++;
        if (out) tac_entry_clear(model, kinematics, i, &out[f.entry[i]]);
    }
    return f;
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
    p.room = room_of(model, kinematics, pair);
    tac_scm_pair(&p, order, work, out);
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
    feltPairs pairs = find_felt(model, kinematics, out, &scratch->arena);
    (void)contacts;
    *count = pairs.count;
    for (int i = 0; i < plan->npair; ++i) {
        const tacContactPair* pair = &plan->pair[i];
        tacScmForce f;
        if (!pairs.felt[i]) continue;
        tacPairForce* sum = &out[pairs.entry[pair->bodies]];
        evaluate(model, kinematics, pair, kinematics->derivatives ? 1 : 0, work, &f);
        add(sum->wrench, f.wrench, 6);
        add(sum->L, f.L, 36);
        if (kinematics->derivatives) {
            add(sum->K, f.K, 36);
            add(sum->C, f.C, 36);
        }
    }
    return TAC_OK;
}

static tacResult force_jvp(const tacModel* model, const tacKinematics* kinematics,
                           const tacContacts* contacts, const tacContacts* contacts_dot,
                           const tacReal* theta_dot, tacPairForce* dot, tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    tacScmWork work = take_work(model, &scratch->arena);
    feltPairs pairs = find_felt(model, kinematics, dot, &scratch->arena);
    (void)contacts;
    (void)contacts_dot;
    for (int i = 0; i < plan->npair && theta_dot; ++i) {
        const tacContactPair* pair = &plan->pair[i];
        tacScmForce f;
        int at[TAC_SCM_NUMBERS];
        if (!pairs.felt[i]) continue;
        evaluate(model, kinematics, pair, 2, work, &f);
        numbers_of(model, pair, at);
        for (int k = 0; k < TAC_SCM_NUMBERS; ++k)
            for (int j = 0; j < 6 && at[k] >= 0; ++j)
                dot[pairs.entry[pair->bodies]].wrench[j] +=
                    f.T[TAC_SCM_NUMBERS * j + k] * theta_dot[at[k]];
    }
    return TAC_OK;
}

static tacResult force_vjp(const tacModel* model, const tacKinematics* kinematics,
                           const tacContacts* contacts, const tacPairForce* bar,
                           tacContacts* contacts_bar, tacReal* theta_bar, tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    tacScmWork work = take_work(model, &scratch->arena);
    feltPairs pairs = find_felt(model, kinematics, NULL, &scratch->arena);
    (void)contacts;
    (void)contacts_bar;
    for (int i = 0; i < plan->npair && theta_bar; ++i) {
        const tacContactPair* pair = &plan->pair[i];
        tacScmForce f;
        int at[TAC_SCM_NUMBERS];
        if (!pairs.felt[i]) continue;
        evaluate(model, kinematics, pair, 2, work, &f);
        numbers_of(model, pair, at);
        for (int k = 0; k < TAC_SCM_NUMBERS; ++k)
            for (int j = 0; j < 6 && at[k] >= 0; ++j)
                theta_bar[at[k]] +=
                    f.T[TAC_SCM_NUMBERS * j + k] * bar[pairs.entry[pair->bodies]].wrench[j];
    }
    return TAC_OK;
}

const tacForceKind tac_scm_force = {0, scm_size, force, force_jvp, force_vjp};
