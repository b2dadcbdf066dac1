// Contacts of a scene, and how they are drawn.

#include "cli/render/contact_markers.h"

#include "cli/report.h"
#include "cli/scene/contact_forces.h"

#include "detect/edge_sdf/edge_sdf.h"
#include "detect/manifold/manifold.h"
#include "math/vec3.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdlib.h>

//---------------------------------- records --------------------------------------

static int detection_error(const char* command, tacResult result, const tacContacts* contacts) {
    if (result == TAC_ERROR_UNSUPPORTED)
        return cli_error(command, "the scene has no detector with contacts; write "
                                  "<tactus detect=\"manifold\"/>");
    if (result == TAC_ERROR_CAPACITY)
        return cli_error(command, "%d contacts exceed the capacity %d", contacts->count,
                         contacts->capacity);
    return cli_error_result(command, result);
}

int cli_contacts_at(tacContacts** out, const char* command, const tacModel* model,
                    const double* qpos) {
    tacScratch* scratch = NULL;
    tacContacts* contacts = NULL;
    tacPose* body = calloc((size_t)model->nbody, sizeof *body);
    tacResult result = body ? tac_scratch_create(model, &scratch) : TAC_ERROR_MEMORY;
    if (result == TAC_OK) result = tac_contacts_create(model, 0, 0, &contacts);
    if (result == TAC_OK) result = tac_kinematics(model, qpos, NULL, body, NULL, scratch);
    if (result == TAC_OK) result = tac_detect(model, body, contacts, scratch);
    int code = result == TAC_OK ? 0 : detection_error(command, result, contacts);
    tac_scratch_destroy(scratch);
    free(body);
    *out = contacts;
    if (code != 0) tac_contacts_destroy(contacts);
    return code;
}

//---------------------------------- marks ----------------------------------------

static int is_edge_contact(const tacModel* model, uint64_t feature) {
    if (model->contact->detector == TAC_DETECT_MANIFOLD)
        return tac_manifold_kind(feature) >= TAC_MANIFOLD_EDGE_0;
    if (model->contact->detector == TAC_DETECT_EDGE_SDF)
        return tac_edge_sdf_kind(feature) == TAC_EDGE_SDF_EDGE_0 ||
               tac_edge_sdf_kind(feature) == TAC_EDGE_SDF_EDGE_1;
    return 0;
}

static tacMark contact_marker(const tacModel* model, const tacContacts* c, int i) {
    static const double colour[2][3] = {{60, 150, 255}, {255, 150, 30}};
    const double* rgb = colour[is_edge_contact(model, c->feature[i])];
    tacMark mark = {.rgb = {rgb[0], rgb[1], rgb[2]}, .alpha = fmin(1.0, sqrt(c->activity[i]))};
    for (int k = 0; k < 3; ++k) {
        mark.point[k] = c->point[k][i];
        mark.along[k] = c->activity[i] * c->normal[k][i];
    }
    return mark;
}

// Body pairs have forces and no normals; the largest force has the full length.
static int mark_forces(cliContactMarkers* out, const char* command, const tacModel* model,
                       const tacState* state, const double* ctrl) {
    cliContactForces forces;
    double largest = 0.0;
    tacResult result = cli_contact_forces_at(&forces, model, state, ctrl);
    int code = result == TAC_OK ? 0 : cli_error_result(command, result);
    out->mark = calloc((size_t)forces.count + 1, sizeof *out->mark);
    if (!out->mark) code = cli_error(command, "out of memory");
    for (int i = 0; i < forces.count; ++i)
        largest = fmax(largest, tac_norm(tac_load3(forces.contact[i].force)));
    for (int i = 0; i < forces.count && code == 0; ++i) {
        const tacContactForce* f = &forces.contact[i];
        tacMark* mark = &out->mark[out->count++];
        *mark = (tacMark){.rgb = {230, 60, 60}, .alpha = 1.0};
        tac_store3(mark->point, tac_load3(f->point));
        tac_store3(mark->along, tac_scale(tac_load3(f->force), 1.0 / largest));
    }
    cli_contact_forces_free(&forces);
    return code;
}

int cli_contact_markers_make(cliContactMarkers* out, const char* command, const tacModel* model,
                             const tacState* state, const double* ctrl) {
    tacContacts* contacts;
    *out = (cliContactMarkers){0};
    if (cli_has_pair_forces(model)) return mark_forces(out, command, model, state, ctrl);
    int code = cli_contacts_at(&contacts, command, model, state->qpos);
    if (code != 0) return code;
    out->mark = malloc(sizeof *out->mark * (size_t)(contacts->count + 1));
    if (!out->mark) code = cli_error(command, "out of memory");
    for (int i = 0; i < contacts->count && code == 0; ++i)
        if (contacts->activity[i] >= CLI_MIN_ACTIVITY)
            out->mark[out->count++] = contact_marker(model, contacts, i);
    tac_contacts_destroy(contacts);
    return code;
}

void cli_contact_markers_free(cliContactMarkers* marks) { free(marks->mark); }
