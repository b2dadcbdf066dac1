// Two free bodies in contact.

#define _GNU_SOURCE
#include "experiments/contact_scene.h"

#include "cli/render/contact_markers.h"
#include "cli/scene/posed_model.h"

#include "math/pose.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

//---------------------------------- scenes ---------------------------------------

static int create_workspace(contactScene* s) {
    tacResult result = tac_scratch_create(s->model, &s->scratch);
    if (result == TAC_OK) result = tac_contacts_create(s->model, 0, 0, &s->contacts);
    if (result == TAC_OK) result = tac_contacts_create(s->model, 0, 0, &s->bar);
    return result == TAC_OK ? 0 : cli_error("reproduce", "%s", tac_result_text(result));
}

int contact_scene_open(contactScene* s, const char* format, ...) {
    char* text = NULL;
    tacMessage message;
    va_list arguments;
    va_start(arguments, format);
    int size = vasprintf(&text, format, arguments);
    va_end(arguments);
    *s = (contactScene){.qpos = {[3] = 1.0, [10] = 1.0}};
    if (size < 0) return cli_error("reproduce", "out of memory");
    tacResult result = tac_load_text(text, size, "reproduce", NULL, &s->model, &message);
    free(text);
    return result == TAC_OK ? create_workspace(s) : cli_error_message(result, &message);
}

void contact_scene_close(contactScene* s) {
    tac_contacts_destroy(s->contacts);
    tac_contacts_destroy(s->bar);
    tac_scratch_destroy(s->scratch);
    tac_model_destroy(s->model);
    *s = (contactScene){0};
}

//---------------------------------- poses ----------------------------------------

void contact_scene_set_pose(contactScene* s, double x, double y, double z, double yaw) {
    double half = 0.5 * yaw * 3.14159265358979324 / 180.0;
    const double q[14] = {0, 0, 0, 1, 0, 0, 0, x, y, z, cos(half), 0, 0, sin(half)};
    memcpy(s->qpos, q, sizeof q);
}

void contact_scene_poses(const contactScene* s, tacPose body[3]) {
    body[0] = tac_pose_identity();
    for (int b = 0; b < 2; ++b) {
        const double* q = s->qpos + 7 * b;
        body[1 + b] = (tacPose){tac_load3(q), tac_quat_load(q + 3)};
    }
}

tacResult contact_scene_detect(contactScene* s) {
    tacPose body[3];
    contact_scene_poses(s, body);
    return tac_detect(s->model, body, s->contacts, s->scratch);
}

void contact_scene_mean_adjoint(const tacContacts* c, tacContacts* bar) {
    double sum = 1e-12, weighted = 0.0;
    for (int i = 0; i < c->count; ++i) {
        sum += c->activity[i];
        weighted += c->activity[i] * c->distance[i];
    }
    bar->count = c->count;
    for (int i = 0; i < c->count; ++i) {
        for (int k = 0; k < 3; ++k) bar->point[k][i] = bar->normal[k][i] = 0.0;
        bar->distance[i] = c->activity[i] / sum;
        bar->activity[i] = (c->distance[i] - weighted / sum) / sum;
    }
}

tacResult contact_scene_gradient(contactScene* s, double wrench[18]) {
    tacPose body[3];
    tacResult result = contact_scene_detect(s);
    if (result != TAC_OK || s->contacts->count == 0) return result;
    contact_scene_poses(s, body);
    contact_scene_mean_adjoint(s->contacts, s->bar);
    return tac_detect_vjp(s->model, body, s->contacts, s->bar, wrench, NULL, s->scratch);
}

//---------------------------------- pictures -------------------------------------

static void normalize_mark(tacMark* mark) {
    double length = tac_norm(tac_load3(mark->along));
    for (int k = 0; k < 3; ++k) mark->along[k] /= fmax(length, 1e-12);
    mark->alpha = 1.0;
}

int contact_scene_draw(trialPanels* panels, int panel, const contactScene* s, int scaled,
                       const char* caption) {
    cliContactMarkers marks = {0};
    tacModel posed = {0};
    tacDrawOptions draw = tac_default_draw_options();
    if (!panels->image.rgb) return 0;
    tacState state = {.qpos = (double*)s->qpos}; // records alone: no velocities
    int code = cli_contact_markers_make(&marks, "reproduce", s->model, &state, NULL);
    for (int i = 0; i < marks.count && !scaled; ++i) normalize_mark(&marks.mark[i]);
    if (code == 0) code = cli_posed_model_make("reproduce", s->model, s->qpos, &posed);
    draw.marks = marks.mark;
    draw.nmarks = marks.count;
    draw.opacity = 0.35;
    if (code == 0) code = trial_panels_scene(panels, panel, &posed, draw, caption);
    cli_posed_model_free(&posed);
    cli_contact_markers_free(&marks);
    return code;
}
