// Runs of planar scenes, and their pictures.

#define _GNU_SOURCE
#include "experiments/paper_003_elastoplastic/planar_run.h"

#include "math/pose.h"
#include "math/quat.h"
#include "model/contact/contact_data.h"
#include "tactus/symbolic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

//---------------------------------- scene ----------------------------------------

// the text with another word for the detector, to be freed
static char* with_detector(const char* text, size_t size, const char* detector, size_t* out) {
    static const char own[] = "detect=\"sat\"";
    const char* at = memmem(text, size, own, sizeof own - 1);
    char* result = NULL;
    if (!at) return NULL;
    int length =
        asprintf(&result, "%.*sdetect=\"%s\"%.*s", (int)(at - text), text, detector,
                 (int)(size - (size_t)(at - text) - (sizeof own - 1)), at + sizeof own - 1);
    *out = (size_t)length;
    return length < 0 ? NULL : result;
}

static int load_scene(planarRun* r, const char* text, size_t size) {
    tacMessage message = {0};
    tacResult result = tac_load_text(text, (int)size, "reproduce", NULL, &r->model, &message);
    if (result != TAC_OK) return cli_error_message(result, &message);
    result = tac_scratch_create(r->model, &r->scratch);
    if (result == TAC_OK) result = tac_contacts_create(r->model, 0, 0, &r->contacts);
    if (result != TAC_OK || r->model->nq > PLANAR_RUN_NUMBERS)
        return cli_error("reproduce", "%s", tac_result_text(result));
    memcpy(r->q, r->model->qpos0, sizeof(double) * (size_t)r->model->nq);
    return 0;
}

int planar_run_open(planarRun* r, const char* text, size_t size, const char* detector) {
    char* changed = detector ? with_detector(text, size, detector, &size) : NULL;
    *r = (planarRun){0};
    int code = detector && !changed ? cli_error("reproduce", "out of memory")
                                    : load_scene(r, changed ? changed : text, size);
    free(changed);
    if (code != 0) planar_run_close(r);
    return code;
}

void planar_run_close(planarRun* r) {
    tac_scratch_destroy(r->scratch);
    tac_step_code_destroy(r->code);
    tac_contacts_destroy(r->contacts);
    tac_model_destroy(r->model);
    *r = (planarRun){0};
}

int planar_run_derive(planarRun* r) {
    tacMessage message = {0};
    tacCodeOptions options = tac_default_code_options();
#ifdef TAC_SANITIZED
    options.library = ""; // libgccjit keeps memory, which sanitizers would blame on us
#endif
    tacResult result = tac_step_code_create(r->model, &options, &r->code, &message);
    if (result == TAC_OK) result = tac_step_code_use(r->code, r->scratch);
    return result == TAC_OK ? 0 : cli_error_message(result, &message);
}

//---------------------------------- motion ---------------------------------------

void planar_run_kinematics(planarRun* r) {
    tac_kinematics(r->model, r->q, r->v, r->pose, r->twist, r->scratch);
}

tacResult planar_run_step(planarRun* r) {
    tacState x = {.qpos = r->q, .qvel = r->v, .time = r->time};
    tacResult result = tac_step(r->model, &x, r->u, &x, r->scratch);
    r->time = x.time;
    return result;
}

double planar_angle(const tacPose* pose) { return 2.0 * atan2(pose->rotation.z, pose->rotation.w); }

double planar_run_depth(planarRun* r, int* count) {
    double deepest = 0.0;
    planar_run_kinematics(r);
    if (tac_detect(r->model, r->pose, r->contacts, r->scratch) != TAC_OK) return INFINITY;
    for (int i = 0; i < r->contacts->count; ++i) deepest = fmax(deepest, -r->contacts->distance[i]);
    *count = r->contacts->count;
    return deepest;
}

//---------------------------------- picture --------------------------------------

// signed distance of a point of its frame: exact inside, a lower bound outside
static double outside_distance(const tacSolid* solid, tacVec3 x) {
    if (solid->radius > 0.0) return tac_distance(x, solid->vertex[0]) - solid->radius;
    double d = -INFINITY;
    for (int f = 0; f < solid->faces; ++f)
        d = fmax(d, tac_dot(solid->normal[f], x) - solid->offset[f]);
    return d;
}

static void draw_solid(const tacInk* ink, const tacSolid* solid, tacPose pose,
                       const double middle[2], const planarView* view) {
    tacVec3 c = tac_pose_apply(pose, solid->center);
    double x = middle[0] + view->scale * (c.x - view->x), extent = view->scale * solid->size + 2.0;
    double y = middle[1] - view->scale * (c.y - view->y);
    tacPose back = tac_pose_inverse(pose);
    for (int j = (int)(y - extent); j <= (int)(y + extent); ++j)
        for (int i = (int)(x - extent); i <= (int)(x + extent); ++i) {
            tacVec3 at = tac_vec3(view->x + (i + 0.5 - middle[0]) / view->scale,
                                  view->y - (j + 0.5 - middle[1]) / view->scale, 0.0);
            double d = view->scale * outside_distance(solid, tac_pose_apply(back, at));
            tacInk edge = *ink;
            edge.alpha = d > -1.5 ? ink->alpha : 0.35 * ink->alpha;
            if (d < 0.5) tac_ink_pixel(&edge, i, j, 0.5 - d);
        }
}

// root body of the tree
static int root_of(const tacModel* model, int body) {
    while (model->body[body].parent > 0) body = model->body[body].parent;
    return body;
}

void planar_run_draw(const planarRun* r, trialPanels* panels, planarView view, double share) {
    const tacModel* model = r->model;
    int left, top;
    if (!panels->image.rgb) return;
    trial_panels_corner(panels, view.panel, &left, &top);
    tacInk ink = tac_ink(&panels->image);
    ink.left = left;
    ink.right = left + panels->width;
    ink.top = top;
    ink.bottom = top + panels->height;
    ink.alpha = share;
    const double middle[2] = {left + 0.5 * panels->width, top + 0.5 * panels->height};
    for (int g = 0; g < model->ngeom; ++g) {
        const tacGeom* geom = &model->geom[g];
        const tacSolid* solid = &model->contact->solid[g];
        if (solid->vertices == 0) continue;
        tacPose own = {tac_load3(model->param + geom->position),
                       tac_quat_load(model->param + geom->rotation)};
        int first = root_of(model, geom->body) == 1;
        tac_ink_colour(&ink, first ? 30.0 : 190.0, 70.0, first ? 150.0 : 40.0);
        draw_solid(&ink, solid, tac_pose_compose(r->pose[geom->body], own), middle, &view);
    }
}
