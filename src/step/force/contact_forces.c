// Contact in the equation of motion.
//
//   poses, velocities --detect--> contacts --respond--> wrenches of pairs --> J' w
//
// docs/contact.md, eq. 7.

#include "step/force/contact_forces.h"

#include "math/spatial.h"

#include <math.h>
#include <string.h>

//---------------------------------- memory ---------------------------------------

int tac_has_contact_forces(const tacModel* model) { return tac_force_of(model) != NULL; }

int tac_contact_forces_are_implicit(const tacModel* model) {
    return tac_has_contact_forces(model) && model->contact->choice[TAC_CHOICE_IMPLICIT];
}

// most records that the responder reads
static int capacity_of(const tacModel* model) {
    const tacDetectorKind* detector = tac_detector_of(model);
    return tac_force_of(model)->reads_contacts && detector ? detector->capacity(model) : 0;
}

static void alloc_implicit(tacContactForces* t, tacArena* arena) {
    const tacModel* model = t->model;
    t->implicit = 1;
    t->rate = tac_motion_alloc(model, 1, arena);
    t->predicted = TAC_ALLOC(arena, tacReal, 6 * model->nbody);
    t->predicted_bar = TAC_ALLOC(arena, tacReal, 6 * model->nbody);
    t->M = tac_skyline_alloc(model->nv, arena);
    t->coupling = tac_coupling_alloc(model, arena);
    t->tau = TAC_ALLOC(arena, tacReal, model->nv);
}

tacContactForces* tac_contact_forces_alloc(const tacModel* model, int derivatives,
                                           tacScratch* scratch) {
    if (!tac_has_contact_forces(model)) return NULL;
    tacArena* arena = &scratch->arena;
    int nbody = model->nbody, capacity = capacity_of(model);
    tacContactForces *out = TAC_ALLOC(arena, tacContactForces, 1), t = {0};
    t.model = model;
    t.scratch = scratch;
    t.derivatives = derivatives;
    t.max_step = INFINITY;
    t.pose = TAC_ALLOC(arena, tacPose, nbody);
    t.contacts = tac_contacts_alloc(arena, capacity, derivatives);
    t.force = TAC_ALLOC(arena, tacPairForce, model->contact->nbodies);
    t.twist = TAC_ALLOC(arena, tacReal, 6 * nbody);
    t.wrench = TAC_ALLOC(arena, tacReal, 6 * nbody);
    t.D = TAC_ALLOC(arena, tacReal, 6 * nbody);
    t.columns = TAC_ALLOC(arena, tacReal, TAC_PAIR_COLUMN * model->nv);
    t.dofs = TAC_ALLOC(arena, int, model->nv);
    t.is_listed = TAC_ALLOC(arena, int, model->nv);
    if (model->contact->choice[TAC_CHOICE_IMPLICIT]) alloc_implicit(&t, arena);
    if (derivatives) {
        t.contacts_diff = tac_contacts_alloc(arena, capacity, 0);
        t.diff = TAC_ALLOC(arena, tacPairForce, model->contact->nbodies);
        t.e = TAC_ALLOC(arena, tacReal, 6 * nbody);
    }
    if (out) *out = t;
    return out;
}

// Forces decay with distance but never vanish: one millionth of k eps3 is 14 eps3 away.
static int count_active_pairs(const tacContactForces* t) {
    const tacModel* model = t->model;
    const tacContactPair* pair = model->contact->pair; // entries are in order of their first
    int count = 0;
    for (int i = 0; i < t->count; ++i, ++pair) {
        const tacPairForce* f = &t->force[i];
        while (pair->body[0] != f->body[0] || pair->body[1] != f->body[1]) ++pair;
        tacReal k = model->param[pair->stiffness];
        double min_force = 1e-6 * tac_re(k * model->param[pair->eps3]);
        double sum = 0.0;
        for (int j = 0; j < 3; ++j) sum += tac_re(f->wrench[j]) * tac_re(f->wrench[j]);
        count += sum > min_force * min_force;
    }
    return count;
}

// other calls use the same memory, so nothing in it lasts from one call to the next
void tac_contact_forces_reset(tacContactForces* t) {
    t->max_step = INFINITY;
    t->flags = 0;
    memset(t->is_listed, 0, sizeof *t->is_listed * (size_t)t->model->nv);
}

// Records below this have no force, such as those of parallel edges, kept for second derivatives.
#define TAC_MIN_ACTIVITY 1e-12

int tac_contact_forces_count(const tacContactForces* t) {
    int count = 0;
    if (!tac_force_of(t->model)->reads_contacts) return count_active_pairs(t);
    for (int i = 0; i < t->contacts.count; ++i)
        count += tac_re(t->contacts.activity[i]) > TAC_MIN_ACTIVITY;
    return count;
}

// what is deeper than this share of a geom is flagged
static const double max_overlap = 0.01;

// deeper than contacts of edges are followed (detect/depth)?
static int is_beyond_reach(const tacModel* model, double depth) {
    int reach = model->contact->number[TAC_CONTACT_DEPTH];
    return reach >= 0 && depth > tac_re(model->param[reach]);
}

void tac_contact_forces_overlap(const tacContactForces* t, tacInfo* info) {
    const tacContactPair* pairs = t->model->contact->pair;
    for (int i = 0; i < t->count; ++i) {
        const tacPairForce* f = &t->force[i];
        const tacContactPair* pair = &pairs[f->overlap_pair];
        double depth = f->overlap * pair->thickness;
        if (!(f->overlap > 0.0)) continue;
        if (f->overlap > max_overlap || is_beyond_reach(t->model, depth))
            info->flags |= TAC_DEEP_OVERLAP;
        if (f->overlap <= info->overlap) continue;
        info->overlap = f->overlap;
        info->overlap_depth = depth;
        for (int k = 0; k < 2; ++k) info->overlap_geom[k] = pair->geom[k];
    }
}

//---------------------------------- twists ---------------------------------------

tacTwist tac_twist_about(const tacMotion* m, int body, const tacReal* own, tacVec3 point) {
    if (body == 0) return tac_twist_zero();
    return tac_twist_shift(tac_twist_load(own), tac_load3(m->origin + 3 * body), point);
}

int tac_contact_forces_pair_jacobian(tacContactForces* t, const tacMotion* m,
                                     const tacPairForce* f) {
    const tacModel* model = t->model;
    int count = 0;
    for (int side = 0; side < 2; ++side) {
        int k = tac_last_dof(model, f->body[side]);
        for (; k >= 0; k = model->dof[k].parent) {
            tacReal* c = t->columns + TAC_PAIR_COLUMN * k;
            if (!t->is_listed[k]) {
                memset(c, 0, sizeof *c * TAC_PAIR_COLUMN);
                t->dofs[count++] = k;
            }
            t->is_listed[k] = 1;
            tacTwist S = tac_twist_about(m, f->body[side], m->S + 6 * k, tac_load3(f->origin));
            tac_twist_store(c, tac_twist_add_scaled(tac_twist_load(c), side ? 1.0 : -1.0, S));
        }
    }
    for (int i = 0; i < count; ++i) t->is_listed[t->dofs[i]] = 0;
    return count;
}

void tac_body_velocities(const tacModel* model, tacMotion* m) {
    memset(m->vel, 0, sizeof *m->vel * 6);
    for (int b = 1, k = 0; b < model->nbody; ++b) {
        tacReal* v = m->vel + 6 * b;
        memcpy(v, m->vel + 6 * model->body[b].parent, sizeof *v * 6);
        for (; k < model->nv && model->dof[k].body == b; ++k)
            for (int i = 0; i < 6; ++i) v[i] += m->S[6 * k + i] * m->qvel[k];
    }
}

//---------------------------------- forces ---------------------------------------

void tac_contact_forces_twists(const tacContactForces* t, const tacMotion* m, tacReal* twist) {
    for (int b = 0; b < t->model->nbody; ++b) {
        tacTwist v = b == 0 ? tac_twist_zero() : tac_twist_load(m->vel + 6 * b);
        tacVec3 from = b == 0 ? tac_vec3_zero() : tac_load3(m->origin + 3 * b);
        tac_twist_store(twist + 6 * b, tac_twist_shift(v, from, t->pose[b].position));
    }
}

// body[1] of each pair gets the wrench, body[0] its negative
void tac_contact_forces_sum_wrenches(tacContactForces* t) {
    memset(t->wrench, 0, sizeof(tacReal) * (size_t)(6 * t->model->nbody));
    for (int i = 0; i < t->count; ++i) {
        const tacPairForce* f = &t->force[i];
        tacWrench w = tac_wrench_load(f->wrench);
        w = tac_wrench_shift(w, tac_load3(f->origin), tac_vec3_zero());
        for (int side = 0; side < 2; ++side) {
            tacReal* at = t->wrench + 6 * f->body[side];
            tac_wrench_store(at, tac_wrench_add_scaled(tac_wrench_load(at), side ? 1.0 : -1.0, w));
        }
    }
}

// tau += J' w; `sum` (nbody x 6) is work: wrenches on the subtree of each body, about the trees'
// origins
static void add_projected(const tacModel* model, const tacMotion* m, const tacReal* wrench,
                          tacReal* sum, tacReal* tau) {
    for (int b = 1; b < model->nbody; ++b)
        tac_wrench_store(sum + 6 * b,
                         tac_wrench_shift(tac_wrench_load(wrench + 6 * b), tac_vec3_zero(),
                                          tac_load3(m->origin + 3 * b)));
    for (int b = model->nbody - 1; b > 0; --b)
        for (int k = 0; k < 6 && model->body[b].parent > 0; ++k)
            sum[6 * model->body[b].parent + k] += sum[6 * b + k];
    for (int k = 0; k < model->nv; ++k)
        for (int i = 0; i < 6; ++i) tau[k] += m->S[6 * k + i] * sum[6 * model->dof[k].body + i];
}

// The arguments of the step were checked, so a wrong value inside means that it has diverged.
tacResult tac_contact_forces_result(tacResult result) {
    return result == TAC_ERROR_VALUE ? TAC_ERROR_DIVERGED : result;
}

// contacts at the poses; none for responders that find their own
static void detect_contacts(tacContactForces* t) {
    t->contacts.count = 0;
    t->contacts.flags = 0;
    t->result = TAC_OK;
    if (tac_force_of(t->model)->reads_contacts)
        t->result = tac_detect(t->model, t->pose, &t->contacts, t->scratch);
}

// wrenches of the pairs, at the velocities
static void respond(tacContactForces* t, const tacMotion* m) {
    int reads = tac_force_of(t->model)->reads_contacts;
    int in_contact = t->result == TAC_OK && (!reads || t->contacts.count > 0);
    t->count = 0;
    if (in_contact || t->derivatives || t->implicit) tac_contact_forces_twists(t, m, t->twist);
    if (in_contact) {
        tacKinematics at = {t->pose, t->twist, t->derivatives, NULL};
        t->result = tac_force(t->model, &at, &t->contacts, t->force, &t->count, t->scratch);
    }
    t->result = tac_contact_forces_result(t->result);
    if (t->result != TAC_OK) t->count = 0;
}

void tac_contact_forces_eval(tacContactForces* t, const tacMotion* m, tacReal* tau) {
    tac_motion_poses(t->model, m, t->pose);
    detect_contacts(t);
    t->flags |= t->contacts.flags;
    respond(t, m);
    if (!t->implicit && t->count > 0)
        t->max_step = fmin(t->max_step, tac_contact_forces_stable_step(t));
    tac_contact_forces_sum_wrenches(t);
    if (t->count > 0) add_projected(t->model, m, t->wrench, t->D, tau);
}
