// Sections of a scene: asset and worldbody here, the others by their readers.
//
//   schema.c --tree--> defaults.c --tree--> [this file] --bodies, geoms--> draft.c
//                                                |
//          option_, shape_, joint_, inertia_, view_, actuator_reader.c
//
// Sections may come in any order and more than once, as in MJCF, so the tree is walked once per
// kind of section in the order in which they depend on each other.

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
    for (const tacElement* c = parent->child; c && draft->reader.result == TAC_OK; c = c->next)
        if (is_named(c, name)) read(draft, c);
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

static void read_asset(tacDraft* draft, const tacElement* element) {
    each(draft, element, "material", read_material);
    each(draft, element, "shape", tac_read_shape);
}

// index of what an attribute refers to, or -1
static int find_reference(tacDraft* draft, const tacElement* element, const char* kind) {
    const tacAttribute* attribute = tac_attribute(element, kind);
    if (!attribute || draft->reader.result != TAC_OK) return -1;
    const tacNameEntry* entry = tac_names_find(&draft->names, kind, attribute->value);
    if (entry) return entry->index;
    tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, attribute->line, kind,
                    "there is no <%s name=\"%.60s\"> in <asset>", kind, attribute->value);
    return -1;
}

//---------------------------------- geoms ----------------------------------------

// primitives are those before GEOM_SHAPE
typedef enum {
    GEOM_PLANE,
    GEOM_SPHERE,
    GEOM_ELLIPSOID,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_BOX,
    GEOM_SHAPE,
    GEOM_UNSUPPORTED
} geomType;

static geomType read_type(tacDraft* draft, const tacElement* element) {
    int has_shape = tac_attribute(element, "shape") != NULL;
    int word = tac_read_word(&draft->reader, element, "type",
                             "plane sphere ellipsoid capsule cylinder box shape mesh hfield sdf");
    if (word < 0) return has_shape ? GEOM_SHAPE : GEOM_SPHERE;
    if (word >= GEOM_UNSUPPORTED) {
        const tacAttribute* attribute = tac_attribute(element, "type");
        tac_reader_fail(&draft->reader, TAC_ERROR_UNSUPPORTED, attribute->line, "type",
                        "geoms of type %s are not built yet; there are plane, sphere, ellipsoid, "
                        "capsule, cylinder, box and shape",
                        attribute->value);
    } else if (has_shape && word != GEOM_SHAPE) {
        tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "shape"),
                        "shape", "only a geom of type=\"shape\" has the attribute 'shape'");
    }
    return (geomType)word;
}

static void check_fromto(tacDraft* draft, const tacElement* element, geomType type) {
    if (tac_attribute(element, "fromto") && type != GEOM_CAPSULE && type != GEOM_CYLINDER)
        tac_reader_fail(&draft->reader, TAC_ERROR_UNSUPPORTED,
                        tac_attribute_line(element, "fromto"), "fromto",
                        "only capsules and cylinders have 'fromto'; give pos and one of quat, "
                        "euler, axisangle, xyaxes, zaxis");
}

static int read_shape_reference(tacDraft* draft, const tacElement* element) {
    tac_require(&draft->reader, element, "shape");
    if (tac_attribute(element, "size"))
        tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "size"),
                        "size", "a geom of type=\"shape\" has no size; its <shape> has");
    return find_reference(draft, element, "shape");
}

// a plane's size tells how much of it MuJoCo draws; it changes nothing here
static void check_plane_size(tacDraft* draft, const tacElement* element) {
    double unused[3];
    tac_read_numbers(&draft->reader, element, "size", 1, 3, (tacRange){0.0, 1e9}, unused);
}

static const tacNodeKind kinds[] = {TAC_NODE_PLANE,   TAC_NODE_SPHERE,   TAC_NODE_ELLIPSOID,
                                    TAC_NODE_CAPSULE, TAC_NODE_CYLINDER, TAC_NODE_BOX,
                                    TAC_NODE_UNION}; // of GEOM_SHAPE: any combination

// a shape of its own for a plain geom; `key` is the geom's name, or its index
static int read_primitive(tacDraft* draft, const tacElement* element, geomType type,
                          const char* key, tacPose* pose, double size[3]) {
    tacReader* reader = &draft->reader;
    if (type == GEOM_PLANE) check_plane_size(draft, element);
    *pose = tac_read_primitive(draft, element, kinds[type], 1, size);
    const char* shape = tac_reader_text(reader, "geom:%s", key);
    tacPath path = {shape, tac_reader_text(reader, "shape:geom:%s/0", key)};
    return tac_add_primitive(draft, shape, path, kinds[type], size);
}

static void read_colour(tacDraft* draft, const tacElement* element, double rgba[4]) {
    int material = find_reference(draft, element, "material");
    if (material >= 0)
        memcpy(rgba, ((tacMaterial*)draft->material.items)[material].rgba, 4 * sizeof *rgba);
    tac_read_numbers(&draft->reader, element, "rgba", 4, 4, tac_range_colour, rgba);
}

static void read_geom(tacDraft* draft, const tacElement* element, int body, tacBodyMass* sum) {
    tacReader* reader = &draft->reader;
    int index = draft->geom.count;
    tacGeom geom = {.body = body, .rgba = {0.5, 0.5, 0.5, 1.0}};
    geom.name = tac_draft_name(draft, element, "geom", index);
    const char* key = *geom.name ? geom.name : tac_reader_text(reader, "%d", index);
    tacPath path = {tac_reader_text(reader, "geom:%s", key), NULL};

    geomType type = read_type(draft, element);
    check_fromto(draft, element, type);
    if (reader->result != TAC_OK) return;
    tacPose pose = tac_pose_identity();
    double size[3] = {1.0, 1.0, 1.0};
    if (type == GEOM_SHAPE) {
        geom.shape = read_shape_reference(draft, element);
        pose = tac_read_pose(draft, element);
    } else {
        geom.shape = read_primitive(draft, element, type, key, &pose, size);
    }
    pose = tac_pose_compose(draft->frame, pose);
    tac_read_geom_mass(draft, element, kinds[type], size, pose, sum);
    read_colour(draft, element, geom.rgba);
    geom.position = tac_draft_pose(draft, path, pose);
    geom.rotation = geom.position + 3;
    tacGeom* out = tac_list_add(reader, &draft->geom, sizeof *out);
    if (out) *out = geom;
}

//---------------------------------- bodies ---------------------------------------

static tacPath body_path(tacDraft* draft, const char* name, int index) {
    const char* path = *name ? tac_reader_text(&draft->reader, "body:%s", name)
                             : tac_reader_text(&draft->reader, "body:%d", index);
    return (tacPath){path, NULL};
}

static int add_body(tacDraft* draft, const char* name, int parent, tacPose pose) {
    int index = draft->body.count;
    int offset = tac_draft_pose(draft, body_path(draft, name, index), pose);
    tacBody* body = tac_list_add(&draft->reader, &draft->body, sizeof *body);
    if (!body) return index;
    *body = (tacBody){.name = name, .parent = parent, .position = offset, .rotation = offset + 3};
    body->gravcomp = body->fluid = -1;
    body->first_joint = draft->joint.count;
    body->root = parent ? ((tacBody*)draft->body.items)[parent].root : index;
    return index;
}

static void read_item(tacDraft* draft, const tacElement* c, int body, tacPose pose,
                      tacBodyMass* sum) {
    if (is_named(c, "geom")) read_geom(draft, c, body, sum);
    if (is_named(c, "light")) tac_read_light(draft, c, pose);
    if (is_named(c, "camera")) tac_read_camera(draft, c, pose);
    if (is_named(c, "inertial")) tac_read_inertial(draft, c, sum);
    if (is_named(c, "joint") || is_named(c, "freejoint")) tac_read_joint(draft, c, body, pose);
}

// with <compiler fusestatic>, a body without joints is a part of the one that it hangs on
static int is_fused(const tacDraft* draft, const tacElement* element) {
    if (!draft->fusestatic || !is_named(element, "body") || tac_attribute(element, "mocap"))
        return 0;
    for (const tacElement* c = element->child; c; c = c->next)
        if (is_named(c, "joint") || is_named(c, "freejoint")) return 0;
    return 1;
}

// what stands in a body, then what stands in its parts
static void read_items(tacDraft* draft, const tacElement* element, int body, tacPose pose,
                       tacBodyMass* sum) {
    for (const tacElement* c = element->child; c && draft->reader.result == TAC_OK; c = c->next)
        if (!is_named(c, "body")) read_item(draft, c, body, pose, sum);
    for (const tacElement* c = element->child; c && draft->reader.result == TAC_OK; c = c->next) {
        if (!is_fused(draft, c)) continue;
        tacBodyMass part = {0};
        tacPose frame = draft->frame, local = tac_read_pose(draft, c);
        tac_draft_name(draft, c, "body", body);
        draft->frame = tac_pose_compose(frame, local);
        read_items(draft, c, body, tac_pose_compose(pose, local), &part);
        tac_fuse_body(draft, c, &part, sum);
        draft->frame = frame;
    }
}

static void read_body(tacDraft* draft, const tacElement* element, int parent, tacPose pose);

// bodies that hang on a body and on its parts; `pose` is the world's of the element
static void read_bodies(tacDraft* draft, const tacElement* element, int body, tacPose pose) {
    tacPose frame = draft->frame;
    for (const tacElement* c = element->child; c && draft->reader.result == TAC_OK; c = c->next) {
        if (is_fused(draft, c)) {
            tacPose local = tac_read_pose(draft, c);
            draft->frame = tac_pose_compose(frame, local);
            read_bodies(draft, c, body, tac_pose_compose(pose, local));
        } else if (is_named(c, "body")) {
            read_body(draft, c, body, pose);
        }
        draft->frame = frame;
    }
}

// What hangs on a body, then the bodies below it: all get the numbers that MuJoCo gives them.
static void read_contents(tacDraft* draft, const tacElement* element, int body, tacPose pose) {
    tacBodyMass sum = {0};
    draft->frame = tac_pose_identity();
    read_items(draft, element, body, pose, &sum);
    if (body > 0 && draft->reader.result == TAC_OK) {
        const char* name = ((tacBody*)draft->body.items)[body].name;
        tac_finish_body(draft, element, body, body_path(draft, name, body), &sum);
    }
    read_bodies(draft, element, body, pose);
}

static void read_body(tacDraft* draft, const tacElement* element, int parent, tacPose pose) {
    const char* name = tac_draft_name(draft, element, "body", draft->body.count);
    tacPose own = tac_read_pose(draft, element), local = tac_pose_compose(draft->frame, own);
    int index = add_body(draft, name, parent, local);
    tac_read_body_forces(draft, element, index, body_path(draft, name, index));
    read_contents(draft, element, index, tac_pose_compose(pose, own));
}

static void read_worldbody(tacDraft* draft, const tacElement* element) {
    read_contents(draft, element, 0, tac_pose_identity());
}

//---------------------------------- scene ----------------------------------------

static void add_defaults(tacDraft* draft) {
    const double gravity[3] = {0.0, 0.0, -9.81}, timestep = 0.002;
    tacPath option = {"option", NULL};
    draft->name = "";
    draft->angle = 3.14159265358979323846 / 180.0;
    draft->autolimits = 1, draft->inertiafromgeom = 2;
    memcpy(draft->eulerseq, "xyz", 4);
    draft->gravity = tac_draft_param(draft, option, "gravity", any_number, gravity, 3);
    draft->timestep = tac_draft_param(draft, option, "timestep", tac_range_size, &timestep, 1);
    draft->fluid = -1;
    tac_names_add(&draft->reader, &draft->names, (tacNameEntry){"body", "world", 0, 0});
    add_body(draft, "world", 0, tac_pose_identity());
}

void tac_read_scene(tacDraft* draft, const tacElement* root) {
    add_defaults(draft);
    if (draft->reader.result != TAC_OK) return;
    read_model_name(draft, root);
    tac_apply_defaults(draft, root);
    each(draft, root, "compiler", tac_read_compiler);
    each(draft, root, "option", tac_read_option);
    each(draft, root, "tactus", tac_read_tactus);
    each(draft, root, "asset", read_asset);
    each(draft, root, "worldbody", read_worldbody);
    tac_scale_masses(draft);
    tac_place_fluid(draft);
    each(draft, root, "tendon", tac_read_tendons);
    each(draft, root, "actuator", tac_read_actuators);
}
