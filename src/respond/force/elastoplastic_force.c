// Elastic-plastic contact: records to forces between bodies (respond="elastoplastic").
//
//   detect/ --records--> [this file] --wrench, K, C of each pair of bodies--> step/
//
//   v = linear + angular x r,  r = point - origin,  F = activity f(distance, normal, v)
//   wrench = sum of (F, r x F);  implicit: y = h (predicted + predicted_ang x r)

#include "math/vec3_array.h"
#include "respond/force/elastoplastic.h"
#include "respond/force/force.h"
#include "respond/force/pair_forces.h"

//---------------------------------- one record -----------------------------------

// offsets of the law's numbers for a pair
typedef struct elastoplasticOffsets {
    int k, v_d, v_s, mu, h; // h: -1 of an explicit force
} elastoplasticOffsets;

typedef struct elastoplasticPoint {
    elastoplasticOffsets at;
    tacElastoplasticLaw law;
    tacElastoplasticState state;
    tacElastoplasticForce r;
    tacReal activity;
    tacVec3 arm, ang_vel, F;
    tacVec3 predicted, predicted_ang; // of an implicit force: y/h, and what turns it
} elastoplasticPoint;

static tacReal param_or_zero(const tacReal* all, int offset) {
    return all && offset >= 0 ? all[offset] : (tacReal)0.0;
}

static tacElastoplasticLaw law_at(const tacReal* all, elastoplasticOffsets at) {
    return (tacElastoplasticLaw){.k = param_or_zero(all, at.k),
                                 .v_d = param_or_zero(all, at.v_d),
                                 .v_s = param_or_zero(all, at.v_s),
                                 .mu = param_or_zero(all, at.mu)};
}

// h and y of an implicit force; without a predicted acceleration y = 0
static void implicit_state(const tacModel* model, const tacKinematics* kinematics,
                           const tacContactPair* pair, tacVec3 origin, elastoplasticPoint* p) {
    p->law.implicit = 1;
    p->law.inv_mass = pair->inv_mass;
    p->state.h = tac_implicit_timestep(model);
    if (!kinematics->predicted) return;
    tacTwist a = tac_relative_twist(kinematics, kinematics->predicted, pair->body, origin);
    p->predicted_ang = a.angular;
    p->predicted = tac_add(a.linear, tac_cross(a.angular, p->arm));
    p->state.y = tac_scale(p->predicted, p->state.h);
}

static elastoplasticPoint point_at(const tacModel* model, const tacKinematics* kinematics,
                                   const tacContacts* c, int i) {
    const tacContactPair* pair = &model->contact->pair[c->pair[i]];
    tacVec3 origin = kinematics->pose[pair->body[1]].position;
    tacTwist v = tac_relative_twist(kinematics, kinematics->twist, pair->body, origin);
    int implicit = model->contact->choice[TAC_CHOICE_IMPLICIT];
    elastoplasticPoint p = {.at = {pair->stiffness, pair->dissipation, pair->stiction,
                                   tac_pair_friction(model, pair), implicit ? model->timestep : -1},
                            .activity = c->activity[i],
                            .arm = tac_sub(tac_vec3_at(c->point, i), origin),
                            .ang_vel = v.angular};
    p.law = law_at(model->param, p.at);
    p.state.phi = c->distance[i];
    p.state.n = tac_vec3_at(c->normal, i);
    p.state.v = tac_add(v.linear, tac_cross(v.angular, p.arm));
    if (implicit) implicit_state(model, kinematics, pair, origin, &p);
    p.r = tac_elastoplastic_eval(&p.law, &p.state);
    p.F = tac_scale(p.r.f, p.activity);
    return p;
}

// a tangent of the record, and of velocity and acceleration beyond what the place makes of them
typedef struct elastoplasticDot {
    tacVec3 pos, n, v, a;
    tacReal phi, activity, h;
} elastoplasticDot;

static void wrench_jvp(const elastoplasticPoint* p, const elastoplasticDot* dot,
                       const tacElastoplasticLaw* law_dot, tacVec3* F, tacVec3* T) {
    tacElastoplasticState at = {
        .phi = dot->phi, .n = dot->n, .v = tac_add(dot->v, tac_cross(p->ang_vel, dot->pos))};
    if (p->law.implicit) {
        tacVec3 a = tac_add(dot->a, tac_cross(p->predicted_ang, dot->pos));
        at.y = tac_add_scaled(tac_scale(a, p->state.h), dot->h, p->predicted);
        at.h = dot->h;
    }
    tacVec3 f = tac_elastoplastic_eval_jvp(&p->law, &p->state, &p->r, &at, law_dot);
    *F = tac_add_scaled(tac_scale(f, p->activity), dot->activity, p->r.f);
    *T = tac_add(tac_cross(p->arm, *F), tac_cross(dot->pos, p->F));
}

//---------------------------------- wrench, K, C ---------------------------------

static tacVec3 unit_axis(int k) { return tac_vec3(k == 0, k == 1, k == 2); }

// what a record does under a twist about the origin, axis k: about the point it is also a shift
static elastoplasticDot pose_column(const tacContacts* c, int i, const elastoplasticPoint* p,
                                    int k) {
    tacVec3 rot = k < 3 ? tac_vec3_zero() : unit_axis(k - 3);
    tacVec3 shift = k < 3 ? unit_axis(k) : tac_cross(rot, p->arm);
    const tacReal xi[6] = {shift.x, shift.y, shift.z, rot.x, rot.y, rot.z};
    tacReal d[8] = {0};
    for (int row = 0; row < 8; ++row)
        for (int j = 0; j < 6; ++j) d[row] += c->d_twist[row][j][i] * xi[j];
    return (elastoplasticDot){
        .pos = tac_load3(d), .n = tac_load3(d + 3), .phi = d[6], .activity = d[7]};
}

// of a unit of a twist about the origin
static tacVec3 velocity_column(const elastoplasticPoint* p, int k) {
    return k < 3 ? unit_axis(k) : tac_cross(unit_axis(k - 3), p->arm);
}

static void add_column(tacReal* M, int k, tacVec3 F, tacVec3 T) {
    const tacReal column[6] = {F.x, F.y, F.z, T.x, T.y, T.z};
    for (int i = 0; i < 6; ++i) M[6 * i + k] += column[i];
}

static void add_wrench(tacReal* wrench, tacVec3 F, tacVec3 T) {
    tac_store3(wrench, tac_add(tac_load3(wrench), F));
    tac_store3(wrench + 3, tac_add(tac_load3(wrench + 3), T));
}

// K and C, and of an implicit force L
static void add_blocks(const tacContacts* contacts, int i, const elastoplasticPoint* p,
                       int derivatives, tacPairForce* f) {
    for (int k = 0; k < 6; ++k) {
        elastoplasticDot velocity = {.v = velocity_column(p, k)}, rate = {.a = velocity.v};
        tacVec3 F, T;
        if (p->law.implicit) {
            wrench_jvp(p, &rate, NULL, &F, &T);
            add_column(f->L, k, F, T);
        }
        if (!derivatives) continue;
        elastoplasticDot pose = pose_column(contacts, i, p, k);
        wrench_jvp(p, &pose, NULL, &F, &T);
        add_column(f->K, k, F, T);
        wrench_jvp(p, &velocity, NULL, &F, &T);
        add_column(f->C, k, F, T);
    }
}

static tacResult elastoplastic_force(const tacModel* model, const tacKinematics* kinematics,
                                     const tacContacts* contacts, tacPairForce* out, int* count,
                                     tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    const int* entry = tac_pair_force_index(model, contacts, count, &scratch->arena);
    for (int i = 0; i < plan->nbodies; ++i)
        if (entry[i] >= 0) tac_pair_force_clear(model, kinematics, i, &out[entry[i]]);
    for (int i = 0; i < contacts->count; ++i) {
        elastoplasticPoint p = point_at(model, kinematics, contacts, i);
        tacPairForce* f = &out[entry[plan->pair[contacts->pair[i]].bodies]];
        add_wrench(f->wrench, p.F, tac_cross(p.arm, p.F));
        add_blocks(contacts, i, &p, kinematics->derivatives, f);
    }
    return TAC_OK;
}

//---------------------------------- derivatives ----------------------------------

static tacResult elastoplastic_force_jvp(const tacModel* model, const tacKinematics* kinematics,
                                         const tacContacts* contacts, tacForceTangent tangent,
                                         tacPairForce* dot, tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    int count;
    const int* entry = tac_pair_force_index(model, contacts, &count, &scratch->arena);
    for (int i = 0; i < plan->nbodies; ++i)
        if (entry[i] >= 0) tac_pair_force_clear(model, kinematics, i, &dot[entry[i]]);
    for (int i = 0; i < contacts->count; ++i) {
        elastoplasticPoint p = point_at(model, kinematics, contacts, i);
        elastoplasticDot own = {.h = tac_implicit_share(model) *
                                     param_or_zero(tangent.param, p.at.h)};
        tacElastoplasticLaw law_dot = law_at(tangent.param, p.at);
        tacVec3 F, T;
        if (tangent.contacts) {
            own.pos = tac_vec3_at(tangent.contacts->point, i);
            own.n = tac_vec3_at(tangent.contacts->normal, i);
            own.phi = tangent.contacts->distance[i];
            own.activity = tangent.contacts->activity[i];
        }
        wrench_jvp(&p, &own, &law_dot, &F, &T);
        add_wrench(dot[entry[plan->pair[contacts->pair[i]].bodies]].wrench, F, T);
    }
    return TAC_OK;
}

static void add_number(tacReal* all, int offset, tacReal amount) {
    if (all && offset >= 0) all[offset] += amount;
}

static tacResult elastoplastic_force_vjp(const tacModel* model, const tacKinematics* kinematics,
                                         const tacContacts* contacts, const tacPairForce* bar,
                                         tacForceAdjoint adjoint, tacScratch* scratch) {
    int count;
    const int* entry = tac_pair_force_index(model, contacts, &count, &scratch->arena);
    for (int i = 0; i < contacts->count; ++i) {
        elastoplasticPoint p = point_at(model, kinematics, contacts, i);
        const tacReal* w = bar[entry[model->contact->pair[contacts->pair[i]].bodies]].wrench;
        tacVec3 torque = tac_load3(w + 3);
        tacVec3 F = tac_add(tac_load3(w), tac_cross(torque, p.arm));
        tacElastoplasticState state = {0};
        tacElastoplasticLaw law = {0};
        tac_elastoplastic_eval_vjp(&p.law, &p.state, &p.r, tac_scale(F, p.activity), &state, &law);
        add_number(adjoint.param, p.at.k, law.k);
        add_number(adjoint.param, p.at.v_d, law.v_d);
        add_number(adjoint.param, p.at.v_s, law.v_s);
        add_number(adjoint.param, p.at.mu, law.mu);
        add_number(adjoint.param, p.at.h,
                   tac_implicit_share(model) * (state.h + tac_dot(state.y, p.predicted)));
        if (!adjoint.contacts) continue;
        tacVec3 pos = tac_add(tac_cross(p.F, torque), tac_cross(state.v, p.ang_vel));
        pos = tac_add_scaled(pos, p.state.h, tac_cross(state.y, p.predicted_ang));
        tac_vec3_add_to(adjoint.contacts->point, i, pos);
        tac_vec3_add_to(adjoint.contacts->normal, i, state.n);
        adjoint.contacts->distance[i] += state.phi;
        adjoint.contacts->activity[i] += tac_dot(p.r.f, F);
    }
    return TAC_OK;
}

const tacForceKind tac_elastoplastic_force = {1, tac_pair_force_index_measure, elastoplastic_force,
                                              elastoplastic_force_jvp, elastoplastic_force_vjp};
