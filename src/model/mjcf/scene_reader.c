// Sections of a scene: asset and worldbody here, the others by their readers.
//
//   schema.c --tree--> defaults.c --tree--> [this file] --bodies, geoms--> spec.c
//                                                |
//   option_, mesh_, shape_, geom_, joint_, inertia_, view_, contact_, actuator_, equality_,
//   keyframe_reader.c
//
// Sections may come in any order and more than once, as in MJCF, so the tree is walked once per
// kind of section in the order in which they depend on each other.

#include "model/contact/contact_plan.h"
#include "model/spec.h"

#include "base/assert.h"
#include "math/pose.h"

#include <string.h>

static const tacRange any_number = {-1e9, 1e9};

// calls `read` for each child with this name until something fails
static void for_each_child(tacSpec* spec, const tacElement* parent, const char* name,
                           void (*read)(tacSpec*, const tacElement*)) {
    for (const tacElement* c = parent->child; c && spec->reader.result == TAC_OK; c = c->next) {
        if (!tac_element_is(c, name)) continue;
        tac_enter_scope(spec, c);
        read(spec, c);
    }
}

//---------------------------------- name -----------------------------------------

static void read_model_name(tacSpec* spec, const tacElement* root) {
    const tacAttribute* attribute = tac_attribute(root, "model");
    if (!attribute) return;
    if (strlen(attribute->value) > TAC_MAX_NAME)
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, attribute->line, "model",
                        "the name is too long (at most %d bytes)", TAC_MAX_NAME);
    spec->name = attribute->value;
}

//---------------------------------- assets ---------------------------------------

static void read_material(tacSpec* spec, const tacElement* element) {
    tac_require(&spec->reader, element, "name");
    int index = spec->assets.material.count;
    tac_spec_name(spec, element, "material", index);
    tacMaterial* material = tac_list_add(&spec->reader, &spec->assets.material, sizeof *material);
    if (!material) return;
    *material = (tacMaterial){{1.0, 1.0, 1.0, 1.0}};
    tac_read_vector(&spec->reader, element, "rgba", 4, tac_range_colour, material->rgba);
}

// files of the scene that have no effect: tacModel.file lists them, so that no output replaces them
static void note_files(tacSpec* spec, const tacElement* element, const char* directory) {
    for (int i = 0; i < element->count; ++i) {
        const tacAttribute* a = &element->attributes[i];
        if (strncmp(a->name, "file", 4) != 0 || !*a->value) continue;
        const char* path = tac_asset_path(spec, directory, a->value);
        if (path) tac_reader_add_opened(&spec->reader, path);
    }
}

// file, and of a cube fileright, fileleft, ...
static void read_texture(tacSpec* spec, const tacElement* element) {
    note_files(spec, element, spec->compiler.texturedir);
}

static void read_skin(tacSpec* spec, const tacElement* element) {
    note_files(spec, element, spec->compiler.meshdir);
}

// height fields are known by name, but do not collide yet
static void read_hfield(tacSpec* spec, const tacElement* element) {
    tac_spec_name(spec, element, "hfield", 0);
    note_files(spec, element, spec->compiler.meshdir);
}

static void read_asset(tacSpec* spec, const tacElement* element) {
    for_each_child(spec, element, "material", read_material);
    for_each_child(spec, element, "texture", read_texture);
    for_each_child(spec, element, "skin", read_skin);
    for_each_child(spec, element, "hfield", read_hfield);
    for_each_child(spec, element, "mesh", tac_read_mesh);
    for_each_child(spec, element, "shape", tac_read_shape);
}

//---------------------------------- bodies ---------------------------------------

static tacPath body_path(tacSpec* spec, const char* name, int index) {
    const char* path = *name ? tac_reader_text(&spec->reader, "body:%s", name)
                             : tac_reader_text(&spec->reader, "body:%d", index);
    return (tacPath){path, NULL};
}

static int add_body(tacSpec* spec, const char* name, int parent, tacPose pose, int line) {
    int index = spec->tree.body.count;
    int offset = tac_spec_pose(spec, body_path(spec, name, index), pose);
    tacBody* body = tac_list_add(&spec->reader, &spec->tree.body, sizeof *body);
    if (!body) return index;
    *body = (tacBody){.name = name, .parent = parent, .position = offset, .rotation = offset + 3};
    body->gravcomp = body->fluid = -1;
    body->first_joint = spec->tree.joint.count;
    int* at = tac_list_add(&spec->reader, &spec->tree.body_line, sizeof *at);
    if (at) *at = line;
    body->root = parent ? ((tacBody*)spec->tree.body.items)[parent].root : index;
    return index;
}

// the body whose elements are read, its pose, and the current frame in it
typedef struct bodyContext {
    int body;
    tacPose world; // of the body in the initial configuration
    tacBodyMass* sum;
} bodyContext;

static void read_body_item(tacSpec* spec, const tacElement* c, const bodyContext* context) {
    int body = context->body;
    tacPose pose = tac_pose_compose(context->world, spec->tree.frame);
    if (tac_element_is(c, "geom")) tac_read_geom(spec, c, body, context->sum);
    if (tac_element_is(c, "site")) tac_read_site(spec, c, body);
    if (tac_element_is(c, "light")) tac_read_light(spec, c, pose);
    if (tac_element_is(c, "camera")) tac_read_camera(spec, c, pose);
    if (tac_element_is(c, "inertial")) tac_read_inertial(spec, c, context->sum);
    if (tac_element_is(c, "joint") || tac_element_is(c, "freejoint"))
        tac_read_joint(spec, c, body, context->world);
}

// Calls `read` for each element of a body. A <frame> moves its elements; replicas were expanded
// to frames before.
static void for_each_item(tacSpec* spec, const tacElement* element, const bodyContext* context,
                          void (*read)(tacSpec*, const tacElement*, const bodyContext*)) {
    tacCompiler compiler = spec->compiler;
    tacPose frame = spec->tree.frame;
    for (const tacElement* c = element->child; c && spec->reader.result == TAC_OK; c = c->next) {
        tac_enter_scope(spec, c);
        if (tac_element_is(c, "frame")) {
            spec->tree.frame = tac_pose_compose(frame, tac_read_pose(spec, c));
            for_each_item(spec, c, context, read);
        } else {
            read(spec, c, context);
        }
        spec->tree.frame = frame;
    }
    spec->compiler = compiler;
}

// does the body itself have such an element, also in a frame?
static int has_own(const tacElement* element, const char* name) {
    for (const tacElement* c = element->child; c; c = c->next)
        if (tac_element_is(c, name) || (tac_element_is(c, "frame") && has_own(c, name))) return 1;
    return 0;
}

static int has_joint(const tacElement* element) {
    return has_own(element, "joint") || has_own(element, "freejoint");
}

static tacBodyMass start_mass(const tacSpec* spec, const tacElement* element, int body, int moves) {
    int from_geoms = body > 0 ? spec->compiler.inertiafromgeom : 0;
    int wanted = from_geoms == 1 || (from_geoms == 2 && !has_own(element, "inertial"));
    return (tacBodyMass){.wanted = wanted, .moves = moves || has_joint(element)};
}

//---------------------------------- fused bodies ---------------------------------

// with <compiler fusestatic>, a body without joints is fused with its parent
static int is_fused(const tacSpec* spec, const tacElement* element) {
    return spec->compiler.fusestatic && tac_element_is(element, "body") &&
           !tac_attribute(element, "mocap") && !has_joint(element);
}

// elements of a fused body, then those of bodies fused with it
static void read_fused_body(tacSpec* spec, const tacElement* element, const bodyContext* whole) {
    if (!is_fused(spec, element)) return;
    tacBodyMass part = start_mass(spec, element, whole->body, whole->sum->moves);
    bodyContext context = {whole->body, whole->world, &part};
    tac_spec_name(spec, element, "body", whole->body);
    spec->tree.frame = tac_pose_compose(spec->tree.frame, tac_read_pose(spec, element));
    for_each_item(spec, element, &context, read_body_item);
    for_each_item(spec, element, &context, read_fused_body);
    if (whole->body > 0) tac_fuse_body(spec, element, &part, whole->sum);
}

static void read_body(tacSpec* spec, const tacElement* element, const bodyContext* outer);

// children of a body and of bodies fused with it
static void read_child_bodies(tacSpec* spec, const tacElement* element, const bodyContext* outer) {
    if (!tac_element_is(element, "body")) return;
    if (!is_fused(spec, element)) {
        read_body(spec, element, outer);
        return;
    }
    spec->tree.frame = tac_pose_compose(spec->tree.frame, tac_read_pose(spec, element));
    for_each_item(spec, element, outer, read_child_bodies);
}

//---------------------------------- tree -----------------------------------------

// Elements of a body, then its child bodies: all get MuJoCo's ids.
static void read_contents(tacSpec* spec, const tacElement* element, int body, tacPose world,
                          int moves) {
    tacBodyMass sum = start_mass(spec, element, body, moves);
    bodyContext context = {body, world, &sum};
    spec->tree.frame = tac_pose_identity();
    for_each_item(spec, element, &context, read_body_item);
    for_each_item(spec, element, &context, read_fused_body);
    if (body > 0 && spec->reader.result == TAC_OK) {
        const char* name = ((tacBody*)spec->tree.body.items)[body].name;
        tac_finish_body(spec, element, body, body_path(spec, name, body), &sum);
    }
    for_each_item(spec, element, &context, read_child_bodies);
}

// recursion ends: nesting is at most TAC_MAX_NESTING
static void read_body(tacSpec* spec, const tacElement* element, const bodyContext* outer) {
    const char* name = tac_spec_name(spec, element, "body", spec->tree.body.count);
    tacPose local = tac_pose_compose(spec->tree.frame, tac_read_pose(spec, element));
    int index = add_body(spec, name, outer->body, local, element->line);
    if (spec->reader.result != TAC_OK) return;
    tac_read_body_forces(spec, element, index, body_path(spec, name, index));
    if (tac_read_word(&spec->reader, element, "sleep", "auto never allowed init") == 3)
        tac_reader_fail(&spec->reader, TAC_ERROR_UNSUPPORTED, tac_attribute_line(element, "sleep"),
                        "sleep", "bodies do not sleep: this one would move; remove it");
    read_contents(spec, element, index, tac_pose_compose(outer->world, local), outer->sum->moves);
}

static void read_worldbody(tacSpec* spec, const tacElement* element) {
    read_contents(spec, element, 0, tac_pose_identity(), spec->compiler.settotalmass > 0.0);
}

//---------------------------------- scene ----------------------------------------

static void add_defaults(tacSpec* spec) {
    const double gravity[3] = {0.0, 0.0, -9.81}, timestep = 0.002;
    tacPath option = {"option", NULL};
    spec->name = "";
    spec->fluid.offset = -1;
    spec->gravity = tac_spec_param(spec, option, "gravity", any_number, gravity, 3);
    spec->timestep = tac_spec_param(spec, option, "timestep", tac_range_size, &timestep, 1);
    tac_names_add(&spec->reader, &spec->names, (tacNameEntry){"body", "world", 0, 0});
    add_body(spec, "world", 0, tac_pose_identity(), 0);
}

// merges all <worldbody>: their elements are counted together
static void join_worldbodies(const tacElement* root) {
    tacElement* world = NULL;
    for (tacElement* c = root->child; c; c = c->next) {
        if (!tac_element_is(c, "worldbody")) continue;
        if (!world) {
            world = c;
            continue;
        }
        for (tacElement* item = c->child; item; item = item->next) item->parent = world;
        if (world->last)
            world->last->next = c->child;
        else
            world->child = c->child;
        if (c->last) world->last = c->last;
        c->child = c->last = NULL;
    }
}

void tac_read_scene(tacSpec* spec, tacElement* root) {
    add_defaults(spec);
    if (spec->reader.result != TAC_OK) return;
    read_model_name(spec, root);
    tac_apply_defaults(spec, root);
    tac_add_scope(spec, root, spec->reader.file);
    tac_expand(spec, root);
    if (spec->reader.result != TAC_OK) return;
    join_worldbodies(root);
    tac_list_contact_geoms(spec, root);
    for_each_child(spec, root, "option", tac_read_option);
    for_each_child(spec, root, "custom", tac_read_custom);
    for_each_child(spec, root, "tactus", tac_read_tactus);
    tac_finish_options(spec);
    for_each_child(spec, root, "asset", read_asset);
    for_each_child(spec, root, "worldbody", read_worldbody);
    tac_resolve_view_targets(spec);
    tac_enter_scope(spec, root);
    tac_check_masses(spec);
    tac_scale_masses(spec);
    tac_init_fluid(spec);
    for_each_child(spec, root, "contact", tac_read_contact);
    for_each_child(spec, root, "tendon", tac_read_tendons);
    for_each_child(spec, root, "actuator", tac_read_actuators);
    for_each_child(spec, root, "equality", tac_read_equality);
    for_each_child(spec, root, "sensor", tac_read_sensors);
    for_each_child(spec, root, "keyframe", tac_read_keyframe);
    spec->at = NULL;
    tac_plan_contact(spec);
    tac_refuse_ignored(spec);
}
