// Sections of a scene: compiler, option, asset, worldbody.
//
//   schema.c --tree--> [this file] --bodies, geoms, lights, cameras--> draft.c
//                           |
//                           +--<shape>--> shape_reader.c
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

//---------------------------------- options --------------------------------------

static void read_eulerseq(tacDraft* draft, const tacElement* element) {
    const tacAttribute* attribute = tac_attribute(element, "eulerseq");
    if (!attribute) return;
    const char* v = attribute->value;
    if (strlen(v) == 3 && strspn(v, "xyzXYZ") == 3)
        memcpy(draft->eulerseq, v, 4);
    else
        tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, attribute->line, "eulerseq",
                        "'%.20s' must be three letters of xyz (moving axes) or XYZ (fixed axes)",
                        v);
}

static void read_compiler(tacDraft* draft, const tacElement* element) {
    int angle = tac_read_word(&draft->reader, element, "angle", "degree radian");
    if (angle >= 0) draft->angle = angle == 1 ? 1.0 : 3.14159265358979323846 / 180.0;
    read_eulerseq(draft, element);
    if (tac_read_word(&draft->reader, element, "coordinate", "local global") == 1)
        tac_reader_fail(&draft->reader, TAC_ERROR_UNSUPPORTED,
                        tac_attribute_line(element, "coordinate"), "coordinate",
                        "global coordinates are not supported (nor by MuJoCo since 2.3.4); "
                        "write poses in the parent's frame");
}

static void read_option(tacDraft* draft, const tacElement* element) {
    tacReader* reader = &draft->reader;
    tac_read_numbers(reader, element, "gravity", 3, 3, any_number,
                     tac_draft_values(draft, draft->gravity));
    tac_read_number(reader, element, "timestep", tac_range_size,
                    tac_draft_values(draft, draft->timestep));
}

// the words are those of docs/architecture.md; a stage that exists will take its word out of here
static void read_tactus(tacDraft* draft, const tacElement* element) {
    static const char* const words[][2] = {
        {"detect", "ssdf manifold edge_sdf sat convex gjk"},
        {"respond", "spring scm elastoplastic lcp cone"},
    };
    for (int i = 0; i < TAC_COUNT(words); ++i) {
        if (tac_read_word(&draft->reader, element, words[i][0], words[i][1]) < 0) continue;
        const tacAttribute* attribute = tac_attribute(element, words[i][0]);
        tac_reader_fail(&draft->reader, TAC_ERROR_UNSUPPORTED, attribute->line, attribute->name,
                        "%s=\"%s\" is not built yet; remove it to load the scene without contact",
                        attribute->name, attribute->value);
    }
}

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

// a shape of its own for a plain geom; `key` is the geom's name, or its index
static int read_primitive(tacDraft* draft, const tacElement* element, geomType type,
                          const char* key, tacPose* pose) {
    static const tacNodeKind kinds[] = {TAC_NODE_PLANE,   TAC_NODE_SPHERE,   TAC_NODE_ELLIPSOID,
                                        TAC_NODE_CAPSULE, TAC_NODE_CYLINDER, TAC_NODE_BOX};
    tacReader* reader = &draft->reader;
    double size[3] = {1.0, 1.0, 1.0};
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

static void read_geom(tacDraft* draft, const tacElement* element, int body) {
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
    if (type == GEOM_SHAPE) {
        geom.shape = read_shape_reference(draft, element);
        pose = tac_read_pose(draft, element);
    } else {
        geom.shape = read_primitive(draft, element, type, key, &pose);
    }
    read_colour(draft, element, geom.rgba);
    geom.position = tac_draft_pose(draft, path, pose);
    geom.rotation = geom.position + 3;
    tacGeom* out = tac_list_add(reader, &draft->geom, sizeof *out);
    if (out) *out = geom;
}

//---------------------------------- lights and cameras ---------------------------

static void check_mode(tacDraft* draft, const tacElement* element) {
    int mode = tac_read_word(&draft->reader, element, "mode",
                             "fixed track trackcom targetbody targetbodycom");
    if (mode >= 3)
        tac_reader_fail(&draft->reader, TAC_ERROR_UNSUPPORTED, tac_attribute_line(element, "mode"),
                        "mode", "aiming at a body is not built yet; give the orientation");
}

static void read_light(tacDraft* draft, const tacElement* element, tacPose body) {
    tacReader* reader = &draft->reader;
    double p[3] = {0}, d[3] = {0.0, 0.0, -1.0};
    tacLight light = {.diffuse = {0.7, 0.7, 0.7}, .castshadow = 1};
    check_mode(draft, element);
    tac_read_numbers(reader, element, "pos", 3, 3, tac_range_position, p);
    tac_read_numbers(reader, element, "dir", 3, 3, any_number, d);
    tac_read_numbers(reader, element, "diffuse", 3, 3, (tacRange){0.0, 1e6}, light.diffuse);
    tac_read_bool(reader, element, "directional", &light.directional);
    tac_read_bool(reader, element, "castshadow", &light.castshadow);
    int type = tac_read_word(reader, element, "type", "spot directional point image");
    if (type >= 0) light.directional = type == 1;
    if (tac_norm(tac_load3(d)) < 1e-14)
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, "dir"), "dir",
                        "the direction has length 0");
    tac_store3(light.position, tac_pose_apply(body, tac_load3(p)));
    tac_store3(light.direction, tac_normalize(tac_quat_rotate(body.rotation, tac_load3(d))));
    tacLight* out = tac_list_add(reader, &draft->light, sizeof *out);
    if (out) *out = light;
}

static void read_camera(tacDraft* draft, const tacElement* element, tacPose body) {
    tacReader* reader = &draft->reader;
    tacCamera camera = {.fovy = 45.0};
    camera.name = tac_draft_name(draft, element, "camera", draft->camera.count);
    check_mode(draft, element);
    tac_read_number(reader, element, "fovy", (tacRange){0.01, 179.0}, &camera.fovy);
    tacPose pose = tac_pose_compose(body, tac_read_pose(draft, element));
    tac_store3(camera.position, pose.position);
    tacMat3 axes = tac_mat_transpose(tac_quat_to_mat(pose.rotation));
    memcpy(camera.axes, axes.m, sizeof camera.axes);
    tacCamera* out = tac_list_add(reader, &draft->camera, sizeof *out);
    if (out) *out = camera;
}

//---------------------------------- bodies ---------------------------------------

static int add_body(tacDraft* draft, const char* name, int parent, tacPose pose) {
    tacReader* reader = &draft->reader;
    int index = draft->body.count;
    const char* path = *name ? tac_reader_text(reader, "body:%s", name)
                             : tac_reader_text(reader, "body:%d", index);
    int offset = tac_draft_pose(draft, (tacPath){path, NULL}, pose);
    tacBody* body = tac_list_add(reader, &draft->body, sizeof *body);
    if (body) *body = (tacBody){name, parent, offset, offset + 3};
    return index;
}

// What hangs on a body, then the bodies below it: geoms get the numbers that MuJoCo gives them.
static void read_contents(tacDraft* draft, const tacElement* element, int body, tacPose pose) {
    for (const tacElement* c = element->child; c && draft->reader.result == TAC_OK; c = c->next) {
        if (is_named(c, "geom")) read_geom(draft, c, body);
        if (is_named(c, "light")) read_light(draft, c, pose);
        if (is_named(c, "camera")) read_camera(draft, c, pose);
    }
    for (const tacElement* c = element->child; c && draft->reader.result == TAC_OK; c = c->next) {
        if (!is_named(c, "body")) continue;
        const char* name = tac_draft_name(draft, c, "body", draft->body.count);
        tacPose local = tac_read_pose(draft, c);
        int index = add_body(draft, name, body, local);
        read_contents(draft, c, index, tac_pose_compose(pose, local));
    }
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
    memcpy(draft->eulerseq, "xyz", 4);
    draft->gravity = tac_draft_param(draft, option, "gravity", any_number, gravity, 3);
    draft->timestep = tac_draft_param(draft, option, "timestep", tac_range_size, &timestep, 1);
    tac_names_add(&draft->reader, &draft->names, (tacNameEntry){"body", "world", 0, 0});
    add_body(draft, "world", 0, tac_pose_identity());
}

void tac_read_scene(tacDraft* draft, const tacElement* root) {
    add_defaults(draft);
    if (draft->reader.result != TAC_OK) return;
    read_model_name(draft, root);
    each(draft, root, "compiler", read_compiler);
    each(draft, root, "option", read_option);
    each(draft, root, "tactus", read_tactus);
    each(draft, root, "asset", read_asset);
    each(draft, root, "worldbody", read_worldbody);
}
