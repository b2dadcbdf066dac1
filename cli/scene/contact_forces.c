// Forces of contacts and of body pairs.

#include "cli/scene/contact_forces.h"

#include "math/vec3.h"
#include "model/contact/contact_data.h"
#include "tactus/respond.h"

#include <stdlib.h>

int cli_has_pair_forces(const tacModel* model) {
    return model->contact && model->contact->responder == TAC_RESPOND_SCM;
}

// as tacInfo.contacts counts them
static int is_active_pair(const tacModel* model, const tacContactForce* c) {
    const tacContactPair* pair = model->contact->pair;
    while (pair->body[0] != c->body[0] || pair->body[1] != c->body[1]) ++pair;
    double min = 1e-6 * model->param[pair->stiffness] * model->param[pair->eps3];
    return tac_norm(tac_load3(c->force)) > min;
}

// the force F with the torque T about x acts along a line; its point nearest to x is x + F x T/F^2
static void move_to_line(tacContactForce* c) {
    tacVec3 force = tac_load3(c->force), arm = tac_cross(force, tac_load3(c->torque));
    tacVec3 point = tac_add_scaled(tac_load3(c->point), 1.0 / tac_norm2(force), arm);
    tac_store3(c->point, point);
}

static void keep_active_pairs(cliContactForces* forces, const tacModel* model) {
    int kept = 0;
    for (int i = 0; i < forces->count; ++i)
        if (is_active_pair(model, &forces->contact[i])) {
            move_to_line(&forces->contact[i]);
            forces->contact[kept++] = forces->contact[i];
        }
    forces->count = kept;
}

// the first call counts
static tacResult find_forces(cliContactForces* out, const tacModel* model, const tacState* state,
                             const double* ctrl, tacScratch* scratch) {
    tacStepContacts list = {0};
    tacResult result = tac_step_contacts(model, state, ctrl, &list, scratch);
    if (result != TAC_ERROR_CAPACITY) return result;
    out->contact = calloc((size_t)list.count, sizeof *out->contact);
    if (!out->contact) return TAC_ERROR_MEMORY;
    list.contact = out->contact;
    list.capacity = list.count;
    result = tac_step_contacts(model, state, ctrl, &list, scratch);
    out->count = result == TAC_OK ? list.count : 0;
    return result;
}

tacResult cli_contact_forces_at(cliContactForces* out, const tacModel* model, const tacState* state,
                                const double* ctrl) {
    tacScratch* scratch = NULL;
    *out = (cliContactForces){0};
    tacResult result = tac_scratch_create(model, &scratch);
    if (result == TAC_OK) result = find_forces(out, model, state, ctrl, scratch);
    tac_scratch_destroy(scratch);
    if (cli_has_pair_forces(model)) keep_active_pairs(out, model);
    return result;
}

void cli_contact_forces_free(cliContactForces* forces) { free(forces->contact); }
