// Scene files to models.
//
//   path --source.c--> bytes --document.c--> tree --schema.c--> known words (URDF: urdf.c first)
//        --scene_reader.c, shape_reader.c--> tacSpec --spec.c--> tacModel

#include "model/contact/contact_cloud_reader.h"
#include "model/contact/contact_option.h"
#include "model/contact/feature_reader.h"
#include "model/contact/geom_pairs.h"
#include "model/live_params.h"
#include "model/mjcf/emptiness_check.h"
#include "model/spec.h"
#include "model/xml/old_names.h"
#include "model/xml/schema.h"
#include "model/xml/urdf.h"

#include "base/message.h"
#include "math/pose.h"

#include "model/contact/contact_data.h"

#include <stdio.h>
#include <string.h>

tacOptions tac_default_options(void) { return (tacOptions){.allocator = tac_default_allocator()}; }

//---------------------------------- loading --------------------------------------

static tacSpec start_spec(const char* path, const tacOptions* options, tacMessage* message) {
    tacOptions given = options ? *options : tac_default_options();
    if (message) *message = (tacMessage){0};
    return (tacSpec){.exact = given.exact,
                     .keep_triangles = given.triangles,
                     .contact_option = given.contact,
                     .reader = {.file = path ? path : "",
                                .document = path ? path : "",
                                .message = message,
                                .allocator = given.allocator}};
}

static int has_allocator(const tacSpec* spec) {
    return spec->reader.allocator.allocate && spec->reader.allocator.release;
}

static tacResult no_allocator(const char* path, tacMessage* message) {
    return tac_fail(message, TAC_ERROR_VALUE, path, 0, NULL,
                    "the options have no allocator; start from tac_default_options()");
}

// adds "WHAT COUNT" to a list, if there are any
static void append_count(char* text, size_t size, const char* what, int count) {
    size_t used = strlen(text);
    if (count > 0 && used < size)
        snprintf(text + used, size - used, "%s%s %d", used ? ", " : "", what, count);
}

// hard contact handles all of them, or refuses the scene
static void list_without_effect(const tacSpec* spec, char* without_effect, size_t size) {
    const tacContactPlan* plan = spec->contact.plan.items;
    if (spec->contact.plan.count > 0 && plan->responder == TAC_RESPOND_LCP) return;
    append_count(without_effect, size, "joint limits:", spec->unhandled.limits);
    append_count(without_effect, size, "joints with dry friction:", spec->unhandled.frictionlosses);
    append_count(without_effect, size,
                 "limits and dry friction of tendons:", spec->unhandled.tendon_rows);
    append_count(without_effect, size, "equalities:", spec->equality.count);
}

// text between the elements of a URDF
static void warn_stray_text(tacReader* reader) {
    int line = reader->stray_line;
    if (!reader->stray_text) return;
    const char* file = tac_reader_locate(reader, &line).path;
    tac_reader_warn(reader, "%.100s:%d: the text '%s' between elements is ignored", file, line,
                    reader->stray_text);
}

// what was read and will have no effect
static void warn_without_effect(tacSpec* spec) {
    char without_effect[200] = "";
    list_without_effect(spec, without_effect, sizeof without_effect);
    append_count(without_effect, sizeof without_effect,
                 "colliding height fields:", spec->unhandled.hfields);
    if (*without_effect)
        tac_reader_warn(&spec->reader, "without effect, as no responder handles them: %s",
                        without_effect);
}

// a scene without contact whose geoms could collide
static void warn_no_contact(tacReader* reader, const tacModel* model) {
    if (model->contact || model->nv == 0 || !tac_any_geom_pair(model)) return;
    tac_reader_warn(
        reader,
        "no contact: add <tactus detect=\"manifold\"/> to the scene, or use --contact manifold");
}

// a time step that is too long for contact
static void warn_timestep(tacReader* reader, const tacModel* model) {
    double h = model->param[model->timestep], max_step = tac_stable_timestep(model);
    if (h > max_step)
        tac_reader_warn(
            reader, "contact may be unstable with a time step of %g s: use at most %.2g s%s", h,
            max_step, model->integrator == TAC_INTEGRATOR_EXPLICIT ? "" : ", or implicit=\"true\"");
}

// everything after reading the file; also cleans up after a failure
static tacResult finish_load(tacSpec* spec, tacSource source, tacModel** out) {
    tacElement* root = tac_document_parse(&spec->reader, source);
    spec->reader.is_urdf = root && strcmp(root->name, "robot") == 0;
    if (spec->reader.is_urdf) root = tac_urdf_translate(&spec->reader, root);
    if (root) tac_include_files(&spec->reader, root);
    if (root) tac_override_contact(&spec->reader, root, spec->contact_option);
    if (spec->reader.result == TAC_OK) tac_schema_check(&spec->reader, root);
    if (spec->reader.result == TAC_OK) tac_read_scene(spec, root);
    tacModel* model = tac_spec_finish(spec);
    if (model) tac_emptiness_check_all(spec, model);
    if (model && spec->reader.result == TAC_OK) tac_read_geom_features(spec, model);
    if (model && spec->reader.result == TAC_OK) tac_read_contact_clouds(spec, model);
    if (model && spec->reader.result == TAC_OK && tac_mark_held_params(model) != TAC_OK)
        tac_reader_fail(&spec->reader, TAC_ERROR_MEMORY, 0, NULL, "out of memory");
    if (spec->reader.result != TAC_OK) {
        tac_model_destroy(model);
    } else {
        *out = model;
        tac_warn_old_names(&spec->reader);
        warn_stray_text(&spec->reader);
        tac_warn_plugins(&spec->reader, root);
        tac_warn_missing_meshes(spec);
        warn_without_effect(spec);
        warn_no_contact(&spec->reader, model);
        warn_timestep(&spec->reader, model);
    }
    tac_close_meshes(spec);
    tac_reader_close(&spec->reader);
    return spec->reader.result;
}

tacResult tac_load(const char* path, const tacOptions* options, tacModel** out,
                   tacMessage* message) {
    tacSpec spec = start_spec(path, options, message);
    if (!path || !out)
        return tac_fail(message, TAC_ERROR_VALUE, path, 0, NULL, "tac_load: path or out is NULL");
    if (!has_allocator(&spec)) return no_allocator(path, message);
    tacSource source = tac_source_read(&spec.reader, path);
    tac_reader_add_opened(&spec.reader, path);
    return finish_load(&spec, source, out);
}

tacResult tac_load_text(const char* text, int size, const char* path, const tacOptions* options,
                        tacModel** out, tacMessage* message) {
    tacSpec spec = start_spec(path, options, message);
    if (!text || size < 0 || !out)
        return tac_fail(message, TAC_ERROR_VALUE, path, 0, NULL,
                        "tac_load_text: text or out is NULL, or size is negative");
    if (!has_allocator(&spec)) return no_allocator(path, message);
    if (size > TAC_MAX_FILE_BYTES)
        return tac_fail(message, TAC_ERROR_LIMIT, path, 0, NULL,
                        "has %d bytes; a scene file has at most %d", size, TAC_MAX_FILE_BYTES);
    return finish_load(&spec, (tacSource){text, (size_t)size}, out);
}

void tac_model_destroy(tacModel* model) {
    if (!model) return;
    tacAllocator allocator = model->allocator; // a copy: the original is inside the block
    tac_release_geom_features(model);
    tac_release_contact_clouds(model);
    tac_release_held_params(model);
    allocator.release(allocator.user, model);
}

//---------------------------------- queries --------------------------------------

int tac_shape_find(const tacModel* model, const char* name) {
    for (int i = 0; model && name && i < model->nshape; ++i)
        if (strcmp(model->shape[i].name, name) == 0) return i;
    return -1;
}

static tacPose pose_at_offset(const tacModel* model, int position, int rotation) {
    return (tacPose){tac_load3(model->param + position), tac_quat_load(model->param + rotation)};
}

// up the tree to the world
static tacPose to_world(const tacModel* model, int body, tacPose pose) {
    for (;; body = model->body[body].parent) {
        const tacBody* b = &model->body[body];
        pose = tac_pose_compose(pose_at_offset(model, b->position, b->rotation), pose);
        if (body == 0) return pose;
    }
}

tacPose tac_geom_pose(const tacModel* model, int geom) {
    if (!model || geom < 0 || geom >= model->ngeom) return tac_pose_identity();
    const tacGeom* g = &model->geom[geom];
    return to_world(model, g->body, pose_at_offset(model, g->position, g->rotation));
}

tacPose tac_site_pose(const tacModel* model, int site) {
    if (!model || site < 0 || site >= model->nsite) return tac_pose_identity();
    const tacSite* s = &model->site[site];
    return to_world(model, s->body, pose_at_offset(model, s->position, s->rotation));
}
