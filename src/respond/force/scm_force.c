// The soft-minimum model as a force responder: clouds and poses to wrenches between bodies.
//
//   clouds of the plan, poses, twists --scm.c--> wrench, K, C of each pair of bodies --> step/
//
// Model: docs/scm.md.

#include "respond/force/force.h"

#include "detect/ssdf/cloud_place.h"
#include "detect/ssdf/ssdf_cutoff.h"
#include "math/spatial.h"
#include "respond/force/pair_forces.h"
#include "respond/force/scm.h"

#include <math.h>
#include <string.h>

//---------------------------------- numbers --------------------------------------

// offsets of the numbers of a pair of geoms
static void param_offsets(const tacModel* model, const tacContactPair* pair,
                          int at[TAC_SCM_NUMBERS]) {
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
    double at[3], speed, ang_speed;
} bodyMotion;

// points of a pair that move; 0: it cannot touch
static int query_count(const tacContactPlan* plan, const tacContactPair* pair) {
    if (!plan->cloud) return 0; // a scratch while the scene is being read
    const tacContactCloud *a = plan->cloud[pair->geom[0]], *b = plan->cloud[pair->geom[1]];
    return a && b ? a->queries + b->queries : 0;
}

static int max_points(const tacModel* model) {
    const tacContactPlan* plan = model->contact;
    int most = 0;
    for (int i = 0; i < plan->npair; ++i) {
        int count = query_count(plan, &plan->pair[i]);
        most = most > count ? most : count;
    }
    return most;
}

static tacScmWork alloc_work(const tacModel* model, tacArena* arena) {
    int n = max_points(model);
    tacScmWork w = {.Phi = TAC_ALLOC(arena, tacReal, n)};
    w.fade = TAC_ALLOC(arena, tacReal, n);
    w.sigma = TAC_ALLOC(arena, tacReal, n);
    w.at = TAC_ALLOC(arena, int, n);
    w.selected = TAC_ALLOC(arena, int, n);
    return w;
}

// which pairs of geoms are active, and the entry of each pair of bodies with one, -1: none
typedef struct activePairs {
    char* active;
    int *entry, count;
    bodyMotion* motion;
} activePairs;

static activePairs alloc_active(const tacModel* model, tacArena* arena) {
    activePairs p = {.active = TAC_ALLOC(arena, char, model->contact->npair)};
    p.motion = TAC_ALLOC(arena, bodyMotion, model->nbody);
    p.entry = TAC_ALLOC(arena, int, model->contact->nbodies);
    return p;
}

static void measure_scm(const tacModel* model, tacArena* arena) {
    size_t mark = arena->used;
    alloc_work(model, arena);
    alloc_active(model, arena);
    arena->used = mark;
}

//---------------------------------- active pairs ---------------------------------

static double real_norm(tacVec3 a) {
    double x = tac_re(a.x), y = tac_re(a.y), z = tac_re(a.z);
    return sqrt(x * x + y * y + z * z);
}

static bodyMotion body_motion(const tacKinematics* kinematics, int body) {
    tacVec3 x = kinematics->pose[body].position;
    tacTwist v = tac_twist_load(kinematics->twist + 6 * body);
    return (bodyMotion){
        {tac_re(x.x), tac_re(x.y), tac_re(x.z)}, real_norm(v.linear), real_norm(v.angular)};
}

// a pair, and what decides whether it is active
typedef struct scmPairCutoff {
    tacSsdfCutoff at;
    tacPose pose[2]; // of the clouds
    const bodyMotion* body[2];
    double square;                  // of the distance of the bodies' origins
    double mu, v_d, implicit, eps2; // implicit: time step of an implicit force, else 0
} scmPairCutoff;

static scmPairCutoff pair_cutoff(const tacModel* model, const tacKinematics* kinematics,
                                 const tacContactPair* pair, const bodyMotion* motion[2]) {
    const tacContactPlan* plan = model->contact;
    const tacReal* param = model->param;
    scmPairCutoff m = {.at = {.eps1 = tac_re(param[plan->number[TAC_CONTACT_EPS1]]),
                              .eps3 = tac_re(param[pair->eps3])},
                       .v_d = tac_re(param[pair->dissipation]),
                       .eps2 = tac_re(param[plan->number[TAC_CONTACT_EPS2]])};
    if (plan->choice[TAC_CHOICE_IMPLICIT]) m.implicit = tac_re(param[model->timestep]);
    for (int i = 0; i < 2; ++i) {
        m.at.cloud[i] = plan->cloud[pair->geom[i]];
        m.pose[i] = tac_cloud_pose(model, pair->geom[i], kinematics->pose[pair->body[i]]);
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
static double max_speed(const scmPairCutoff* m) {
    double influence = sqrt(m->square);
    for (int i = 0; i < 2; ++i)
        if (m->at.cloud[i]->influence) influence += m->at.cloud[i]->influence->radius;
    return 3.0 * (m->body[0]->speed + m->body[1]->speed +
                  influence * (m->body[0]->ang_speed + m->body[1]->ang_speed));
}

// How much more than k eps3 exp(-phi/eps3) a force or a derivative in its own scale can be: drag,
// friction, what an implicit step adds, and two derivatives by weights against those of the spring.
static double max_gain(const scmPairCutoff* m) {
    double v = max_speed(m), size = fmax(m->at.cloud[0]->size, m->at.cloud[1]->size);
    double eps1 = m->at.eps1;
    for (int i = 0; i < 2; ++i)
        if (m->at.cloud[i]->own_eps > 0.0) eps1 = fmin(eps1, m->at.cloud[i]->own_eps);
    double slope = 1.0 + m->at.eps3 * (2.0 * size / eps1 + 1.0 / m->eps2);
    return (1.0 + v / m->v_d) * (1.0 + m->mu) * (1.0 + m->implicit * v / m->at.eps3) * slope *
           slope;
}

static int is_active_pair(const tacModel* model, const tacKinematics* kinematics,
                          const tacContactPair* pair, const bodyMotion* motion) {
    if (query_count(model->contact, pair) == 0) return 0;
    if (model->contact->choice[TAC_CHOICE_EXACT]) return 1;
    scmPairCutoff m =
        pair_cutoff(model, kinematics, pair,
                    (const bodyMotion* [2]){&motion[pair->body[0]], &motion[pair->body[1]]});
    m.at.gain = max_gain(&m);
    for (int i = 0; i < 2; ++i) m.at.pose[i] = &m.pose[i];
    return !tac_ssdf_cutoff_separated(&m.at);
}

// ln of the scale of the pair's forces over what does not count
static double pair_log_cutoff(const tacModel* model, const tacKinematics* kinematics,
                              const tacContactPair* pair) {
    bodyMotion motion[2] = {body_motion(kinematics, pair->body[0]),
                            body_motion(kinematics, pair->body[1])};
    scmPairCutoff m =
        pair_cutoff(model, kinematics, pair, (const bodyMotion* [2]){&motion[0], &motion[1]});
    return log(max_gain(&m) / TAC_INFLUENCE_SHARE);
}

static activePairs find_active_pairs(const tacModel* model, const tacKinematics* kinematics,
                                     tacPairForce* out, tacArena* arena) {
    const tacContactPlan* plan = model->contact;
    activePairs f = alloc_active(model, arena);
    for (int i = 0; i < model->nbody; ++i) f.motion[i] = body_motion(kinematics, i);
    for (int i = 0; i < plan->nbodies; ++i) f.entry[i] = -1;
    for (int i = 0; i < plan->npair; ++i) {
        f.active[i] = (char)is_active_pair(model, kinematics, &plan->pair[i], f.motion);
        if (f.active[i]) f.entry[plan->pair[i].bodies] = 0;
    }
    for (int i = 0; i < plan->nbodies; ++i) {
        if (f.entry[i] < 0) continue;
        f.entry[i] = f.count++;
        if (out) tac_pair_force_clear(model, kinematics, i, &out[f.entry[i]]);
    }
    return f;
}

// a body's twist about the origin of its cloud
static void load_twist(const tacReal* twist, const tacPose* body, const tacPose* cloud,
                       tacReal out[6]) {
    tac_twist_store(out, tac_twist_shift(tac_twist_load(twist), body->position, cloud->position));
}

// the wrench is about the origin of the second body, as that of all pairs of these bodies
static void eval_scm_pair(const tacModel* model, const tacKinematics* kinematics,
                          const tacContactPair* pair, int order, tacScmWork work,
                          tacScmForce* out) {
    const tacContactPlan* plan = model->contact;
    tacScmPair p = {.inv_mass = pair->inv_mass,
                    .reference = plan->choice[TAC_CHOICE_LAW],
                    .exact = plan->choice[TAC_CHOICE_EXACT],
                    .implicit = plan->choice[TAC_CHOICE_IMPLICIT]};
    int at[TAC_SCM_NUMBERS];
    param_offsets(model, pair, at);
    for (int k = 0; k < TAC_SCM_NUMBERS; ++k)
        p.number[k] = at[k] >= 0 ? model->param[at[k]] : (tacReal)0.0;
    p.number[TAC_SCM_H] *= tac_implicit_share(model);
    for (int i = 0; i < 2; ++i) {
        p.cloud[i] = plan->cloud[pair->geom[i]];
        const tacPose* body = &kinematics->pose[pair->body[i]];
        p.pose[i] = tac_cloud_pose(model, pair->geom[i], *body);
        load_twist(kinematics->twist + 6 * pair->body[i], body, &p.pose[i], p.twist[i]);
        if (kinematics->predicted)
            load_twist(kinematics->predicted + 6 * pair->body[i], body, &p.pose[i], p.predicted[i]);
    }
    tac_store3(p.origin, kinematics->pose[pair->body[1]].position);
    p.log_cutoff = pair_log_cutoff(model, kinematics, pair);
    tac_scm_pair(&p, order, work, out);
    for (int j = 0; j < 6 && order > 1; ++j)
        out->T[TAC_SCM_NUMBERS * j + TAC_SCM_H] *= tac_implicit_share(model);
}

static void add_array(tacReal* sum, const tacReal* x, int n) {
    for (int i = 0; i < n; ++i) sum[i] += x[i];
}

//---------------------------------- force ----------------------------------------

static tacResult scm_force(const tacModel* model, const tacKinematics* kinematics,
                           const tacContacts* contacts, tacPairForce* out, int* count,
                           tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    tacScmWork work = alloc_work(model, &scratch->arena);
    activePairs pairs = find_active_pairs(model, kinematics, out, &scratch->arena);
    (void)contacts;
    *count = pairs.count;
    for (int i = 0; i < plan->npair; ++i) {
        const tacContactPair* pair = &plan->pair[i];
        tacScmForce f;
        if (!pairs.active[i]) continue;
        tacPairForce* sum = &out[pairs.entry[pair->bodies]];
        eval_scm_pair(model, kinematics, pair, kinematics->derivatives ? 1 : 0, work, &f);
        add_array(sum->wrench, f.wrench, 6);
        add_array(sum->L, f.L, 36);
        tac_pair_force_overlap(pair, i, -tac_re(f.separation[0]), sum);
        if (kinematics->derivatives) {
            add_array(sum->K, f.K, 36);
            add_array(sum->C, f.C, 36);
        }
    }
    return TAC_OK;
}

//---------------------------------- places ---------------------------------------

// The clouds of a pair move on their bodies by xi0, xi1 about the origin, the bodies do not:
//
//   dw = K (xi1 - xi0) - C (xi0 x n) - L (xi0 x a) + xi0 x* w
//
// n and a the twist and the acceleration of body[1] against body[0]
typedef struct placeDiff {
    tacVec3 origin;
    tacTwist n, a;
    const tacScmForce* f;
    int implicit;
} placeDiff;

static tacTwist relative_twist(const tacKinematics* k, const tacContactPair* pair,
                               const tacReal* twist) {
    tacVec3 origin = k->pose[pair->body[1]].position;
    tacTwist own[2];
    for (int i = 0; i < 2; ++i)
        own[i] = tac_twist_shift(tac_twist_load(twist + 6 * pair->body[i]),
                                 k->pose[pair->body[i]].position, origin);
    return tac_twist_sub(own[1], own[0]);
}

static placeDiff place_diff(const tacModel* model, const tacKinematics* k,
                            const tacContactPair* pair, const tacScmForce* f) {
    placeDiff d = {.origin = k->pose[pair->body[1]].position,
                   .n = relative_twist(k, pair, k->twist),
                   .a = tac_twist_zero(),
                   .f = f};
    d.implicit = model->contact->choice[TAC_CHOICE_IMPLICIT] && k->predicted;
    if (d.implicit) d.a = relative_twist(k, pair, k->predicted);
    return d;
}

static void mul6(const tacReal M[36], tacTwist x, double sign, tacReal out[6]) {
    tacReal in[6];
    tac_twist_store(in, x);
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 6; ++k) out[i] += sign * M[6 * i + k] * in[k];
}

static void add_place_jvp(const tacModel* model, const tacKinematics* kinematics,
                          const tacContactPair* pair, const tacScmForce* f,
                          const tacReal* theta_dot, tacReal wrench[6]) {
    placeDiff d = place_diff(model, kinematics, pair, f);
    tacTwist xi[2];
    tacReal carried[6];
    for (int i = 0; i < 2; ++i)
        xi[i] = tac_cloud_place_twist(model, pair->geom[i], kinematics->pose[pair->body[i]],
                                      d.origin, theta_dot);
    mul6(f->K, tac_twist_sub(xi[1], xi[0]), 1.0, wrench);
    mul6(f->C, tac_cross_motion(xi[0], d.n), -1.0, wrench);
    if (d.implicit) mul6(f->L, tac_cross_motion(xi[0], d.a), -1.0, wrench);
    tac_wrench_store(carried, tac_cross_force(xi[0], tac_wrench_load(f->wrench)));
    for (int i = 0; i < 6; ++i) wrench[i] += carried[i];
}

static tacWrench mul6_t(const tacReal M[36], const tacReal w_bar[6]) {
    tacReal out[6] = {0.0};
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 6; ++k) out[k] += M[6 * i + k] * w_bar[i];
    return tac_wrench_load(out);
}

// (xi x n) . c = xi . (n x* c);  w_bar . (xi x* w) = -xi . (w_bar x* w)
static void add_place_vjp(const tacModel* model, const tacKinematics* kinematics,
                          const tacContactPair* pair, const tacScmForce* f, const tacReal w_bar[6],
                          tacReal* theta_bar) {
    placeDiff d = place_diff(model, kinematics, pair, f);
    tacWrench xi[2] = {tac_wrench_zero(), mul6_t(f->K, w_bar)};
    xi[0] = tac_wrench_sub(xi[0], xi[1]);
    xi[0] = tac_wrench_sub(xi[0], tac_cross_force(d.n, mul6_t(f->C, w_bar)));
    if (d.implicit) xi[0] = tac_wrench_sub(xi[0], tac_cross_force(d.a, mul6_t(f->L, w_bar)));
    xi[0] =
        tac_wrench_sub(xi[0], tac_cross_force(tac_twist_load(w_bar), tac_wrench_load(f->wrench)));
    for (int i = 0; i < 2; ++i)
        tac_cloud_place_twist_vjp(model, pair->geom[i], kinematics->pose[pair->body[i]], d.origin,
                                  xi[i], theta_bar);
}

//---------------------------------- derivatives ----------------------------------

static tacResult scm_force_jvp(const tacModel* model, const tacKinematics* kinematics,
                               const tacContacts* contacts, tacForceTangent tangent,
                               tacPairForce* dot, tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    tacScmWork work = alloc_work(model, &scratch->arena);
    activePairs pairs = find_active_pairs(model, kinematics, dot, &scratch->arena);
    (void)contacts;
    for (int i = 0; i < plan->npair && tangent.param; ++i) {
        const tacContactPair* pair = &plan->pair[i];
        tacScmForce f;
        int at[TAC_SCM_NUMBERS];
        if (!pairs.active[i]) continue;
        eval_scm_pair(model, kinematics, pair, 2, work, &f);
        param_offsets(model, pair, at);
        for (int k = 0; k < TAC_SCM_NUMBERS; ++k)
            for (int j = 0; j < 6 && at[k] >= 0; ++j)
                dot[pairs.entry[pair->bodies]].wrench[j] +=
                    f.T[TAC_SCM_NUMBERS * j + k] * tangent.param[at[k]];
        add_place_jvp(model, kinematics, pair, &f, tangent.param,
                      dot[pairs.entry[pair->bodies]].wrench);
    }
    return TAC_OK;
}

static tacResult scm_force_vjp(const tacModel* model, const tacKinematics* kinematics,
                               const tacContacts* contacts, const tacPairForce* bar,
                               tacForceAdjoint adjoint, tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    tacScmWork work = alloc_work(model, &scratch->arena);
    activePairs pairs = find_active_pairs(model, kinematics, NULL, &scratch->arena);
    (void)contacts;
    for (int i = 0; i < plan->npair && adjoint.param; ++i) {
        const tacContactPair* pair = &plan->pair[i];
        tacScmForce f;
        int at[TAC_SCM_NUMBERS];
        if (!pairs.active[i]) continue;
        eval_scm_pair(model, kinematics, pair, 2, work, &f);
        param_offsets(model, pair, at);
        for (int k = 0; k < TAC_SCM_NUMBERS; ++k)
            for (int j = 0; j < 6 && at[k] >= 0; ++j)
                adjoint.param[at[k]] +=
                    f.T[TAC_SCM_NUMBERS * j + k] * bar[pairs.entry[pair->bodies]].wrench[j];
        add_place_vjp(model, kinematics, pair, &f, bar[pairs.entry[pair->bodies]].wrench,
                      adjoint.param);
    }
    return TAC_OK;
}

const tacForceKind tac_scm_force = {0, measure_scm, scm_force, scm_force_jvp, scm_force_vjp};
