// Scene files to models.
//
//   path --source.c--> bytes --document.c--> tree --schema.c--> known words (URDF: urdf.c first)
//        --scene_reader.c, shape_reader.c--> draft --draft.c--> tacModel

#include "model/contact_cloud_reader.h"
#include "model/contact_option.h"
#include "model/draft.h"
#include "model/feature_reader.h"
#include "model/pairs.h"
#include "model/remainder.h"
#include "model/schema.h"
#include "model/urdf.h"

#include "base/message.h"
#include "math/pose.h"

#include "tactus/respond.h"

#include <stdio.h>
#include <string.h>

tacOptions tac_default_options(void) { return (tacOptions){.allocator = tac_default_allocator()}; }

//---------------------------------- loading --------------------------------------

static tacDraft start(const char* path, const tacOptions* options, tacMessage* message) {
    tacOptions chosen = options ? *options : tac_default_options();
    if (message) *message = (tacMessage){0};
    return (tacDraft){.exact = chosen.exact,
                      .contact_option = chosen.contact,
                      .reader = {.file = path ? path : "",
                                 .document = path ? path : "",
                                 .message = message,
                                 .allocator = chosen.allocator}};
}

static int has_allocator(const tacDraft* draft) {
    return draft->reader.allocator.allocate && draft->reader.allocator.release;
}

static tacResult no_allocator(const char* path, tacMessage* message) {
    return tac_fail(message, TAC_ERROR_VALUE, path, 0, NULL,
                    "the options have no allocator: start from tac_default_options()");
}

// adds "WHAT COUNT" to a list, if there are any
static void list_held(char* text, size_t size, const char* what, int count) {
    size_t used = strlen(text);
    if (count > 0 && used < size)
        snprintf(text + used, size - used, "%s%s %d", used ? ", " : "", what, count);
}

// hard contact takes all of them, or refuses the scene
static void list_rows_held(const tacDraft* draft, char* held, size_t size) {
    const tacContactPlan* plan = draft->contact.items;
    if (draft->contact.count > 0 && plan->responder == TAC_RESPOND_LCP) return;
    list_held(held, size, "joint limits:", draft->limits);
    list_held(held, size, "joints with dry friction:", draft->frictionlosses);
    list_held(held, size, "limits and dry friction of tendons:", draft->tendon_rows);
    list_held(held, size, "equalities:", draft->equality.count);
}

// what was read and will have no effect, in the message of a scene that is fine
static void remark(const tacDraft* draft, tacMessage* message) {
    if (!message) return;
    char held[200] = "";
    list_rows_held(draft, held, sizeof held);
    list_held(held, sizeof held, "height fields to touch:", draft->untouched);
    size_t used = strlen(message->text);
    if (*held)
        snprintf(message->text + used, sizeof message->text - used,
                 "%swithout effect until something responds to them: %s", used ? "; " : "", held);
}

// a scene without contact whose geoms would touch
static void remark_apart(const tacModel* model, tacMessage* message) {
    if (!message || model->contact || model->nv == 0 || !tac_any_pair(model)) return;
    size_t used = strlen(message->text);
    snprintf(message->text + used, sizeof message->text - used,
             "%snothing touches: say <tactus detect=\"manifold\"/> in the scene, or --contact "
             "manifold",
             used ? "; " : "");
}

// a time step that is too long for contact, behind what stands there
static void remark_step(const tacModel* model, tacMessage* message) {
    double h = model->param[model->timestep], most = tac_stable_timestep(model);
    if (!message || h <= most) return;
    size_t used = strlen(message->text);
    snprintf(message->text + used, sizeof message->text - used,
             "%scontact may not be stable with a time step of %g s: take at most %.2g s, or "
             "implicit=\"true\"",
             used ? "; " : "", h, most);
}

// everything after the bytes are there; also cleans up if they are not
static tacResult finish(tacDraft* draft, tacSource source, tacModel** out) {
    tacElement* root = tac_document_parse(&draft->reader, source);
    draft->reader.is_urdf = root && strcmp(root->name, "robot") == 0;
    if (draft->reader.is_urdf) root = tac_urdf_translate(&draft->reader, root);
    if (root) tac_include_files(&draft->reader, root);
    if (root) tac_set_contact(&draft->reader, root, draft->contact_option);
    if (draft->reader.result == TAC_OK) tac_schema_check(&draft->reader, root);
    if (draft->reader.result == TAC_OK) tac_read_scene(draft, root);
    tacModel* model = tac_draft_finish(draft);
    if (model) tac_remainder_check(draft, model);
    if (model && draft->reader.result == TAC_OK) tac_read_features(draft, model);
    if (model && draft->reader.result == TAC_OK) tac_read_contact_clouds(draft, model);
    if (draft->reader.result != TAC_OK) {
        tac_model_destroy(model);
    } else {
        *out = model;
        remark(draft, draft->reader.message);
        remark_apart(model, draft->reader.message);
        remark_step(model, draft->reader.message);
    }
    tac_close_meshes(draft);
    tac_reader_close(&draft->reader);
    return draft->reader.result;
}

tacResult tac_load(const char* path, const tacOptions* options, tacModel** out,
                   tacMessage* message) {
    tacDraft draft = start(path, options, message);
    if (!path || !out)
        return tac_fail(message, TAC_ERROR_VALUE, path, 0, NULL, "tac_load: path or out is NULL");
    if (!has_allocator(&draft)) return no_allocator(path, message);
    tacSource source = tac_source_read(&draft.reader, path);
    tac_reader_note_opened(&draft.reader, path);
    return finish(&draft, source, out);
}

tacResult tac_load_text(const char* text, int size, const char* path, const tacOptions* options,
                        tacModel** out, tacMessage* message) {
    tacDraft draft = start(path, options, message);
    if (!text || size < 0 || !out)
        return tac_fail(message, TAC_ERROR_VALUE, path, 0, NULL,
                        "tac_load_text: text or out is NULL, or size is negative");
    if (!has_allocator(&draft)) return no_allocator(path, message);
    if (size > TAC_MAX_FILE_BYTES)
        return tac_fail(message, TAC_ERROR_LIMIT, path, 0, NULL,
                        "has %d bytes; a scene file has at most %d", size, TAC_MAX_FILE_BYTES);
    return finish(&draft, (tacSource){text, (size_t)size}, out);
}

void tac_model_destroy(tacModel* model) {
    if (!model) return;
    tacAllocator allocator = model->allocator; // lies inside the block
    tac_release_features(model);
    tac_release_contact_clouds(model);
    allocator.release(allocator.user, model);
}

//---------------------------------- questions ------------------------------------

int tac_shape_find(const tacModel* model, const char* name) {
    for (int i = 0; model && name && i < model->nshape; ++i)
        if (strcmp(model->shape[i].name, name) == 0) return i;
    return -1;
}

static tacPose pose_at(const tacModel* model, int position, int rotation) {
    return (tacPose){tac_load3(model->param + position), tac_quat_load(model->param + rotation)};
}

// up the tree to the world
static tacPose place(const tacModel* model, int body, tacPose pose) {
    for (;; body = model->body[body].parent) {
        const tacBody* b = &model->body[body];
        pose = tac_pose_compose(pose_at(model, b->position, b->rotation), pose);
        if (body == 0) return pose;
    }
}

tacPose tac_geom_pose(const tacModel* model, int geom) {
    if (!model || geom < 0 || geom >= model->ngeom) return tac_pose_identity();
    const tacGeom* g = &model->geom[geom];
    return place(model, g->body, pose_at(model, g->position, g->rotation));
}

tacPose tac_site_pose(const tacModel* model, int site) {
    if (!model || site < 0 || site >= model->nsite) return tac_pose_identity();
    const tacSite* s = &model->site[site];
    return place(model, s->body, pose_at(model, s->position, s->rotation));
}
