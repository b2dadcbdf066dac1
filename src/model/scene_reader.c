// Sections of a scene: asset and worldbody here, the others by their readers.
//
//   schema.c --tree--> defaults.c --tree--> [this file] --bodies, geoms--> draft.c
//                                                |
//   option_, mesh_, shape_, geom_, joint_, inertia_, view_, contact_, actuator_, equality_,
//   keyframe_reader.c
//
// Sections may come in any order and more than once, as in MJCF, so the tree is walked once per
// kind of section in the order in which they depend on each other.

#include "model/contact_plan.h"
#include "model/draft.h"

#include "base/assert.h"
#include "math/pose.h"

#include <string.h>

static const tacRange any_number = {-1e9, 1e9};

static int is_named(const tacElement* element, const char* name) {
    return strcmp(element->name, name) == 0;
}

// calls `read` for each child with this name until something fails
static void each(tacDraft* draft, const tacElement* parent, const char* name,
                 void (*read)(tacDraft*, const tacElement*)) {
    for (const tacElement* c = parent->child; c && draft->reader.result == TAC_OK; c = c->next) {
        if (!is_named(c, name)) continue;
        tac_enter_scope(draft, c);
        read(draft, c);
    }
}

//---------------------------------- name -----------------------------------------

static void read_model_name(tacDraft* draft, const tacElement* root) {
    const tacAttribute* attribute = tac_attribute(root, "model");
    if (!attribute) return;
    if (strlen(attribute->value) > TAC_MAX_NAME)
        tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, attribute->line, "model",
                        "the name is too long (at most %d bytes)", TAC_MAX_NAME);
    draft->name = attribute->value;
}

//---------------------------------- assets ---------------------------------------

static void read_material(tacDraft* draft, const tacElement* element) {
    tac_require(&draft->reader, element, "name");
    int index = draft->material.count;
    tac_draft_name(draft, element, "material", index);
    tacMaterial* material = tac_list_add(&draft->reader, &draft->material, sizeof *material);
    if (!material) return;
    *material = (tacMaterial){{1.0, 1.0, 1.0, 1.0}};
    tac_read_numbers(&draft->reader, element, "rgba", 4, 4, tac_range_colour, material->rgba);
}

// height fields are known by name: nothing touches them yet
static void read_hfield(tacDraft* draft, const tacElement* element) {
    tac_draft_name(draft, element, "hfield", 0);
}

static void read_asset(tacDraft* draft, const tacElement* element) {
    each(draft, element, "material", read_material);
    each(draft, element, "hfield", read_hfield);
    each(draft, element, "mesh", tac_read_mesh);
    each(draft, element, "shape", tac_read_shape);
}

//---------------------------------- bodies ---------------------------------------

static tacPath body_path(tacDraft* draft, const char* name, int index) {
    const char* path = *name ? tac_reader_text(&draft->reader, "body:%s", name)
                             : tac_reader_text(&draft->reader, "body:%d", index);
    return (tacPath){path, NULL};
}

static int add_body(tacDraft* draft, const char* name, int parent, tacPose pose, int line) {
    int index = draft->body.count;
    int offset = tac_draft_pose(draft, body_path(draft, name, index), pose);
    tacBody* body = tac_list_add(&draft->reader, &draft->body, sizeof *body);
    if (!body) return index;
    *body = (tacBody){.name = name, .parent = parent, .position = offset, .rotation = offset + 3};
    body->gravcomp = body->fluid = -1;
    body->first_joint = draft->joint.count;
    int* at = tac_list_add(&draft->reader, &draft->body_line, sizeof *at);
    if (at) *at = line;
    body->root = parent ? ((tacBody*)draft->body.items)[parent].root : index;
    return index;
}

// what stands in a body: in which one, where that is, and the frame that counts in it
typedef struct tacPlace {
    int body;
    tacPose world; // of the body while no joint moves it
    tacBodyMass* sum;
} tacPlace;

static void read_item(tacDraft* draft, const tacElement* c, const tacPlace* place) {
    int body = place->body;
    tacPose pose = tac_pose_compose(place->world, draft->frame);
    if (is_named(c, "geom")) tac_read_geom(draft, c, body, place->sum);
    if (is_named(c, "site")) tac_read_site(draft, c, body);
    if (is_named(c, "light")) tac_read_light(draft, c, pose);
    if (is_named(c, "camera")) tac_read_camera(draft, c, pose);
    if (is_named(c, "inertial")) tac_read_inertial(draft, c, place->sum);
    if (is_named(c, "joint") || is_named(c, "freejoint"))
        tac_read_joint(draft, c, body, place->world);
}

// Calls `read` for each element of a body. A <frame> moves what stands in it; replicas were written
// out as frames before.
static void each_item(tacDraft* draft, const tacElement* element, const tacPlace* place,
                      void (*read)(tacDraft*, const tacElement*, const tacPlace*)) {
    tacCompiler compiler = draft->compiler;
    tacPose frame = draft->frame;
    for (const tacElement* c = element->child; c && draft->reader.result == TAC_OK; c = c->next) {
        tac_enter_scope(draft, c);
        if (is_named(c, "frame")) {
            draft->frame = tac_pose_compose(frame, tac_read_pose(draft, c));
            each_item(draft, c, place, read);
        } else {
            read(draft, c, place);
        }
        draft->frame = frame;
    }
    draft->compiler = compiler;
}

// does the body itself have such an element, also in a frame?
static int has_own(const tacElement* element, const char* name) {
    for (const tacElement* c = element->child; c; c = c->next)
        if (is_named(c, name) || (is_named(c, "frame") && has_own(c, name))) return 1;
    return 0;
}

static int has_joint(const tacElement* element) {
    return has_own(element, "joint") || has_own(element, "freejoint");
}

static tacBodyMass start_mass(const tacDraft* draft, const tacElement* element, int body,
                              int moves) {
    int from_geoms = body > 0 ? draft->compiler.inertiafromgeom : 0;
    int wanted = from_geoms == 1 || (from_geoms == 2 && !has_own(element, "inertial"));
    return (tacBodyMass){.wanted = wanted, .moves = moves || has_joint(element)};
}

//---------------------------------- fused bodies ---------------------------------

// with <compiler fusestatic>, a body without joints is a part of the one that it hangs on
static int is_fused(const tacDraft* draft, const tacElement* element) {
    return draft->compiler.fusestatic && is_named(element, "body") &&
           !tac_attribute(element, "mocap") && !has_joint(element);
}

// what stands in a part, then what stands in its parts
static void read_part(tacDraft* draft, const tacElement* element, const tacPlace* whole) {
    if (!is_fused(draft, element)) return;
    tacBodyMass part = start_mass(draft, element, whole->body, whole->sum->moves);
    tacPlace place = {whole->body, whole->world, &part};
    tac_draft_name(draft, element, "body", whole->body);
    draft->frame = tac_pose_compose(draft->frame, tac_read_pose(draft, element));
    each_item(draft, element, &place, read_item);
    each_item(draft, element, &place, read_part);
    if (whole->body > 0) tac_fuse_body(draft, element, &part, whole->sum);
}

static void read_body(tacDraft* draft, const tacElement* element, const tacPlace* around);

// bodies that hang on a body and on its parts
static void read_below(tacDraft* draft, const tacElement* element, const tacPlace* around) {
    if (!is_named(element, "body")) return;
    if (!is_fused(draft, element)) {
        read_body(draft, element, around);
        return;
    }
    draft->frame = tac_pose_compose(draft->frame, tac_read_pose(draft, element));
    each_item(draft, element, around, read_below);
}

//---------------------------------- tree -----------------------------------------

// What hangs on a body, then the bodies below it: all get the numbers that MuJoCo gives them.
static void read_contents(tacDraft* draft, const tacElement* element, int body, tacPose world,
                          int moves) {
    tacBodyMass sum = start_mass(draft, element, body, moves);
    tacPlace place = {body, world, &sum};
    draft->frame = tac_pose_identity();
    each_item(draft, element, &place, read_item);
    each_item(draft, element, &place, read_part);
    if (body > 0 && draft->reader.result == TAC_OK) {
        const char* name = ((tacBody*)draft->body.items)[body].name;
        tac_finish_body(draft, element, body, body_path(draft, name, body), &sum);
    }
    each_item(draft, element, &place, read_below);
}

// recursion ends: nesting is at most TAC_MAX_NESTING
static void read_body(tacDraft* draft, const tacElement* element, const tacPlace* around) {
    const char* name = tac_draft_name(draft, element, "body", draft->body.count);
    tacPose local = tac_pose_compose(draft->frame, tac_read_pose(draft, element));
    int index = add_body(draft, name, around->body, local, element->line);
    if (draft->reader.result != TAC_OK) return;
    tac_read_body_forces(draft, element, index, body_path(draft, name, index));
    read_contents(draft, element, index, tac_pose_compose(around->world, local),
                  around->sum->moves);
}

static void read_worldbody(tacDraft* draft, const tacElement* element) {
    read_contents(draft, element, 0, tac_pose_identity(), draft->compiler.settotalmass > 0.0);
}

//---------------------------------- scene ----------------------------------------

static void add_defaults(tacDraft* draft) {
    const double gravity[3] = {0.0, 0.0, -9.81}, timestep = 0.002;
    tacPath option = {"option", NULL};
    draft->name = "";
    draft->fluid = -1;
    draft->gravity = tac_draft_param(draft, option, "gravity", any_number, gravity, 3);
    draft->timestep = tac_draft_param(draft, option, "timestep", tac_range_size, &timestep, 1);
    tac_names_add(&draft->reader, &draft->names, (tacNameEntry){"body", "world", 0, 0});
    add_body(draft, "world", 0, tac_pose_identity(), 0);
}

// the elements of all <worldbody> in one: what stands on the world is counted together
static void join_worldbodies(const tacElement* root) {
    tacElement* world = NULL;
    for (tacElement* c = root->child; c; c = c->next) {
        if (!is_named(c, "worldbody")) continue;
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

void tac_read_scene(tacDraft* draft, tacElement* root) {
    add_defaults(draft);
    if (draft->reader.result != TAC_OK) return;
    read_model_name(draft, root);
    tac_apply_defaults(draft, root);
    tac_add_scope(draft, root, draft->reader.file);
    tac_expand(draft, root);
    if (draft->reader.result != TAC_OK) return;
    join_worldbodies(root);
    tac_list_touching(draft, root);
    each(draft, root, "option", tac_read_option);
    each(draft, root, "tactus", tac_read_tactus);
    each(draft, root, "asset", read_asset);
    each(draft, root, "worldbody", read_worldbody);
    tac_aim_views(draft);
    tac_enter_scope(draft, root);
    tac_check_masses(draft);
    tac_scale_masses(draft);
    tac_place_fluid(draft);
    each(draft, root, "contact", tac_read_contact);
    each(draft, root, "tendon", tac_read_tendons);
    each(draft, root, "actuator", tac_read_actuators);
    each(draft, root, "equality", tac_read_equality);
    each(draft, root, "sensor", tac_read_sensors);
    each(draft, root, "keyframe", tac_read_keyframe);
    tac_plan_contact(draft);
}
