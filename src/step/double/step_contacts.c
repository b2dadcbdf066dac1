// Contact forces of a step, per contact and per body.
//
//   smooth  records --responder, one at a time--> forces;  scm: one wrench a pair of bodies
//   hard    solves of the step --impulses over its length--> forces
//
// docs/contact.md, docs/hard.md.

#include "math/pose.h"
#include "step/forward.h"
#include "step/hard/hard_pass.h"

#include <math.h>
#include <string.h>

// records with less activity are there for second derivatives alone
#define MIN_ACTIVITY 1e-12

// The output. Contacts beyond the capacity are counted, not stored.
typedef struct contactList {
    const tacModel* model;
    tacStepContacts* out;
    double* wrench; // (nbody x 6) on bodies, about the world's origin
    int count;
} contactList;

// the wrench on body[1] at `point` counts for both bodies
static void add_body_wrench(contactList* list, const int body[2], tacVec3 point, tacWrench w) {
    tacWrench about_origin = tac_wrench_shift(w, point, tac_vec3_zero());
    for (int side = 0; side < 2; ++side) {
        double* at = list->wrench + 6 * body[side];
        tac_wrench_store(
            at, tac_wrench_add_scaled(tac_wrench_load(at), side ? 1.0 : -1.0, about_origin));
    }
}

static void add_contact(contactList* list, const tacContactForce* c) {
    if (list->count < list->out->capacity) list->out->contact[list->count] = *c;
    list->count++;
}

static tacResult finish_list(contactList* list) {
    tacStepContacts* out = list->out;
    out->count = list->count;
    if (list->count > out->capacity) return TAC_ERROR_CAPACITY;
    if (out->wrench)
        memcpy(out->wrench, list->wrench, sizeof(double) * 6 * (size_t)list->model->nbody);
    return TAC_OK;
}

//---------------------------------- smooth contact -------------------------------

// record i alone
static tacContacts one_record(const tacContacts* all, int i) {
    tacContacts one = {.count = 1, .capacity = 1};
    one.pair = all->pair + i;
    one.bundle = all->bundle + i;
    one.feature = all->feature + i;
    one.distance = all->distance + i;
    one.activity = all->activity + i;
    for (int k = 0; k < 2; ++k) one.geom[k] = all->geom[k] + i;
    for (int k = 0; k < 3; ++k) {
        one.point[k] = all->point[k] + i;
        one.normal[k] = all->normal[k] + i;
    }
    return one;
}

static tacResult add_record(contactList* list, tacContactForces* t, const tacKinematics* at,
                            int i) {
    const tacContacts* all = &t->contacts;
    tacContacts one = one_record(all, i);
    tacPairForce* pair = t->force; // its sums are in t->wrench
    int count = 0;
    tacResult result = tac_force(t->model, at, &one, pair, &count, t->scratch);
    if (result != TAC_OK || count != 1) return result;
    tacContactForce c = {.geom = {all->geom[0][i], all->geom[1][i]},
                         .body = {pair->body[0], pair->body[1]},
                         .distance = all->distance[i],
                         .activity = all->activity[i]};
    for (int k = 0; k < 3; ++k) {
        c.point[k] = all->point[k][i];
        c.normal[k] = all->normal[k][i];
        c.force[k] = pair->wrench[k];
    }
    add_contact(list, &c);
    return TAC_OK;
}

// a pair of bodies whose responder has no records: its wrench about its origin
static void add_pair(contactList* list, const tacPairForce* pair) {
    tacContactForce c = {.geom = {-1, -1}, .body = {pair->body[0], pair->body[1]}, .activity = 1.0};
    tacVec3 force = tac_load3(pair->wrench);
    if (tac_norm2(force) == 0.0) return;
    tac_store3(c.point, tac_load3(pair->origin));
    tac_store3(c.force, force);
    tac_store3(c.torque, tac_load3(pair->wrench + 3));
    tac_store3(c.normal, tac_scale(force, 1.0 / sqrt(tac_norm2(force))));
    add_contact(list, &c);
}

// the stages of a step
typedef struct smoothStages {
    tacForward f;
    double *a, *rate; // (nv) (na)
} smoothStages;

static smoothStages alloc_smooth(const tacModel* model, tacScratch* scratch) {
    smoothStages s = {.f =
                          tac_forward_alloc(model, TAC_DISPATCH(tac_dynamics_single_), 0, scratch)};
    s.a = TAC_ALLOC(&scratch->arena, double, model->nv);
    s.rate = TAC_ALLOC(&scratch->arena, double, model->na);
    return s;
}

static tacResult list_smooth(contactList* list, const tacState* x, const tacReal* u,
                             tacScratch* scratch) {
    const tacModel* model = list->model;
    smoothStages stages = alloc_smooth(model, scratch);
    tacForward f = stages.f;
    tacContactForces* t = f.contact_forces;
    double* a = stages.a;
    if (!t) return TAC_OK;
    f.dyn.m.ctrl = u;
    f.use_generated = 0;
    tac_forward_position(&f, (tacStateArrays){x->qpos, x->qvel, x->act});
    tac_forward_velocity(&f, a);
    tac_forward_contact_stage(&f, a);
    tac_forward_limits(&f, a);
    tac_forward_acceleration(&f, a, stages.rate);
    if (f.result == TAC_OK && t->implicit) tac_contact_forces_predict(t, &f.dyn.m, a);
    tacResult result = f.result != TAC_OK ? f.result : t->result;
    if (result != TAC_OK) return result;
    memcpy(list->wrench, t->wrench, sizeof(double) * 6 * (size_t)model->nbody);
    if (!tac_force_of(model)->reads_contacts) {
        for (int i = 0; i < t->count; ++i) add_pair(list, &t->force[i]);
        return TAC_OK;
    }
    tacKinematics at = {t->pose, t->twist, 0, t->implicit ? t->predicted : NULL};
    for (int i = 0; i < t->contacts.count && result == TAC_OK; ++i)
        if (t->contacts.activity[i] > MIN_ACTIVITY) result = add_record(list, t, &at, i);
    return result;
}

//---------------------------------- hard contact ---------------------------------

// Contacts of one solve with their impulses times `scale`; with `all` those without impulse, too.
static tacResult add_solve(contactList* list, tacContactSolve* s, const tacSolveRecord* record,
                           double scale, int all) {
    tacResult result = tac_contact_solve_restore(s, record);
    for (int g = 0; g < s->problem.constraints && result == TAC_OK; ++g) {
        const tacConstraint* constraint = &s->problem.constraint[g];
        if (constraint->kind != TAC_CONSTRAINT_CONTACT) continue;
        int i = constraint->source;
        tacImpulse3 impulse = tac_contact_solve_impulse(s, record, g);
        tacVec3 force = tac_vec3_zero(), point = constraint->frame.point, normal;
        for (int k = 0; k < 3; ++k)
            force = tac_add_scaled(force, scale * impulse.f[k], constraint->frame.axis[k]);
        if (!all && tac_norm2(force) == 0.0) continue;
        const tacContacts* c = &s->candidates.contacts;
        normal = (tacVec3){c->normal[0][i], c->normal[1][i], c->normal[2][i]};
        const tacContactPair* pair = &list->model->contact->pair[c->pair[i]];
        tacContactForce entry = {.geom = {c->geom[0][i], c->geom[1][i]},
                                 .body = {pair->body[0], pair->body[1]},
                                 .distance = c->distance[i],
                                 .activity = 1.0};
        tac_store3(entry.point, point);
        tac_store3(entry.normal, normal);
        tac_store3(entry.force, force);
        add_contact(list, &entry);
        add_body_wrench(list, pair->body, point, (tacWrench){force, tac_vec3_zero()});
    }
    return result;
}

// A sub-step that ends in an impact uses span/h of the impulses that it was planned with.
static tacResult list_hard(contactList* list, const tacState* x, const tacReal* u,
                           tacScratch* scratch) {
    tacHardPass p;
    tacResult result = tac_hard_pass(list->model, x, u, scratch, &p);
    for (int i = 0; i < p.substeps && result == TAC_OK; ++i) {
        const tacSubstep* t = &p.substep[i];
        double share = t->impact.found ? t->span / t->h : 1.0;
        result = add_solve(list, p.s, t->record, share / p.s->options.dt, i == 0);
        for (int k = 0; k < t->count && result == TAC_OK; ++k)
            result = add_solve(list, p.s, &p.record[t->first + k], 1.0 / p.s->options.dt, 0);
    }
    return result;
}

//---------------------------------- call -----------------------------------------

static double* alloc_wrenches(const tacModel* model, tacScratch* scratch) {
    return TAC_ALLOC(&scratch->arena, double, 6 * model->nbody);
}

void tac_step_contacts_measure(const tacModel* model, tacScratch* dry) {
    alloc_wrenches(model, dry);
    alloc_smooth(model, dry);
}

tacResult tac_step_contacts(const tacModel* model, const tacState* x, const tacReal* u,
                            tacStepContacts* out, tacScratch* scratch) {
    tacResult result = out ? tac_step_check(model, x, u, scratch) : TAC_ERROR_VALUE;
    if (result == TAC_OK && (out->capacity < 0 || (out->capacity > 0 && !out->contact)))
        result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used, size = sizeof(double) * 6 * (size_t)model->nbody;
    contactList list = {.model = model, .out = out};
    list.wrench = alloc_wrenches(model, scratch);
    memset(list.wrench, 0, size);
    result =
        tac_is_hard(model) ? list_hard(&list, x, u, scratch) : list_smooth(&list, x, u, scratch);
    if (result == TAC_OK) result = finish_list(&list);
    scratch->arena.used = mark;
    return result;
}
