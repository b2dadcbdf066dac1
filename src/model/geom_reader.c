// <geom> and <site>: shapes on bodies, and marked places.
//
//   scene_reader.c --element--> [this file] --shape--> shape_reader.c, mesh_reader.c
//                                           --mass--> inertia_reader.c
//
// A geom that cannot touch anything and is not needed for a mass costs nothing: its mesh is not
// read.

#include "model/planar.h"

#include "base/assert.h"
#include "math/pose.h"
#include "model/nearest.h"

#include <string.h>

static const tacRange any_number = {-1e9, 1e9}, not_negative = {0.0, 1e9};

// primitives are those before GEOM_SHAPE
typedef enum {
    GEOM_PLANE,
    GEOM_SPHERE,
    GEOM_ELLIPSOID,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_BOX,
    GEOM_SHAPE,
    GEOM_MESH,
    GEOM_HFIELD,
    GEOM_SDF,
    GEOM_CIRCLE, // planar ones from here on, in tacPlanarKind's order
    GEOM_RECTANGLE,
    GEOM_POLYGON,
    GEOM_HALFPLANE
} geomType;

static const tacNodeKind kinds[] = {TAC_NODE_PLANE,      TAC_NODE_SPHERE,   TAC_NODE_ELLIPSOID,
                                    TAC_NODE_CAPSULE,    TAC_NODE_CYLINDER, TAC_NODE_BOX,
                                    TAC_NODE_UNION, // of GEOM_SHAPE: any combination
                                    TAC_NODE_POLYHEDRON, TAC_NODE_PLANE,    TAC_NODE_SPHERE,
                                    TAC_NODE_CYLINDER,   TAC_NODE_BOX,      TAC_NODE_POLYHEDRON,
                                    TAC_NODE_PLANE};

//---------------------------------- names ----------------------------------------

tacPath tac_item_path(tacDraft* draft, const char* kind, const char* name, int index) {
    const char* path = *name ? tac_reader_text(&draft->reader, "%s:%s", kind, name)
                             : tac_reader_text(&draft->reader, "%s:%d", kind, index);
    return (tacPath){path, NULL};
}

int tac_read_reference(tacDraft* draft, const tacElement* element, const char* name,
                       const char* kind) {
    const tacAttribute* attribute = tac_attribute(element, name);
    if (!attribute || draft->reader.result != TAC_OK) return -1;
    const tacNameEntry* entry = tac_names_find(&draft->names, kind, attribute->value);
    if (entry) return entry->index;
    const char* section = tac_word_in(kind, "shape material mesh hfield") ? " in <asset>" : "";
    tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, attribute->line, name,
                    "there is no <%s name=\"%.60s\">%s", kind, attribute->value, section);
    return -1;
}

void tac_read_colour(tacDraft* draft, const tacElement* element, double rgba[4]) {
    int material = tac_read_reference(draft, element, "material", "material");
    if (material >= 0)
        memcpy(rgba, ((tacMaterial*)draft->material.items)[material].rgba, 4 * sizeof *rgba);
    tac_read_numbers(&draft->reader, element, "rgba", 4, 4, tac_range_colour, rgba);
}

//---------------------------------- type -----------------------------------------

static void fail_type(tacDraft* draft, const tacElement* element, const char* name,
                      const char* what) {
    tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, tac_attribute_line(element, name), name, "%s",
                    what);
}

// attributes that go with some types only
static void check_type(tacDraft* draft, const tacElement* element, geomType type) {
    if (type == GEOM_SDF)
        tac_reader_fail(&draft->reader, TAC_ERROR_UNSUPPORTED, tac_attribute_line(element, "type"),
                        "type",
                        "geoms of type sdf need a plugin, which is code of another program;"
                        " write a <shape>");
    if (tac_attribute(element, "shape") && type != GEOM_SHAPE)
        fail_type(draft, element, "shape",
                  "only a geom of type=\"shape\" has the attribute 'shape'");
    if (tac_attribute(element, "hfield") && type != GEOM_HFIELD)
        fail_type(draft, element, "hfield",
                  "only a geom of type=\"hfield\" has the attribute 'hfield'");
    if (tac_attribute(element, "mesh") && (type == GEOM_PLANE || type > GEOM_MESH))
        fail_type(draft, element, "mesh",
                  "only meshes, shapes with a surface of their own and primitives fitted to a mesh "
                  "have 'mesh'");
    if (tac_attribute(element, "points") && type != GEOM_POLYGON)
        fail_type(draft, element, "points",
                  "only a geom of type=\"polygon\" has the attribute 'points'");
    if (tac_attribute(element, "fromto") &&
        (type < GEOM_ELLIPSOID || type > GEOM_BOX || tac_attribute(element, "mesh")))
        fail_type(draft, element, "fromto",
                  "only capsules, cylinders, ellipsoids and boxes have 'fromto'; give pos and one "
                  "of quat, euler, axisangle, xyaxes, zaxis");
}

static geomType read_type(tacDraft* draft, const tacElement* element) {
    int word =
        tac_read_word(&draft->reader, element, "type",
                      "plane sphere ellipsoid capsule cylinder box shape mesh hfield sdf circle "
                      "rectangle polygon halfplane");
    int is_shape = word < 0 && tac_attribute(element, "shape");
    geomType type = is_shape ? GEOM_SHAPE : word < 0 ? GEOM_SPHERE : (geomType)word;
    check_type(draft, element, type);
    return type;
}

//---------------------------------- contact --------------------------------------

// bits of MuJoCo's 32-bit integers
static void read_bits(tacDraft* draft, const tacElement* element, const char* name, int* out) {
    double value;
    if (!tac_read_number(&draft->reader, element, name, (tacRange){-2147483648.0, 4294967295.0},
                         &value))
        return;
    long long bits = (long long)value;
    if ((double)bits != value) {
        tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, tac_attribute_line(element, name), name,
                        "'%s' must be a whole number, found %g", name, value);
        return;
    }
    *out = (int)(unsigned)bits;
}

int tac_read_solref(tacDraft* draft, const tacElement* element, const char* name, tacPath path) {
    double solref[2] = {0.02, 1.0};
    if (strcmp(name, "solreffriction") == 0) solref[0] = solref[1] = 0.0;
    tac_read_numbers(&draft->reader, element, name, 1, 2, any_number, solref);
    return tac_draft_param(draft, path, name, any_number, solref, 2);
}

int tac_read_solimp(tacDraft* draft, const tacElement* element, const char* name, tacPath path) {
    double solimp[5] = {0.9, 0.95, 0.001, 0.5, 2.0};
    tac_read_numbers(&draft->reader, element, name, 1, 5, any_number, solimp);
    return tac_draft_param(draft, path, name, any_number, solimp, 5);
}

static void read_condim(tacDraft* draft, const tacElement* element, int* condim) {
    *condim = 3;
    tac_read_int(&draft->reader, element, "condim", 1, 6, condim);
    if (*condim == 2 || *condim == 5) fail_type(draft, element, "condim", "must be 1, 3, 4 or 6");
}

static int read_length(tacDraft* draft, const tacElement* element, const char* name, tacPath path) {
    double value = 0.0;
    tac_read_number(&draft->reader, element, name, any_number, &value);
    return tac_draft_param(draft, path, name, any_number, &value, 1);
}

static void read_touch(tacDraft* draft, const tacElement* element, tacPath path, tacGeom* geom) {
    tacReader* reader = &draft->reader;
    double friction[3] = {1.0, 0.005, 0.0001}, solmix = 1.0;
    geom->contype = geom->conaffinity = 1;
    read_bits(draft, element, "contype", &geom->contype);
    read_bits(draft, element, "conaffinity", &geom->conaffinity);
    read_condim(draft, element, &geom->condim);
    tac_read_int(reader, element, "group", -1000000, 1000000, &geom->group);
    tac_read_int(reader, element, "priority", -1000000, 1000000, &geom->priority);
    tac_read_numbers(reader, element, "friction", 1, 3, not_negative, friction);
    tac_read_number(reader, element, "solmix", not_negative, &solmix);
    geom->friction = tac_draft_param(draft, path, "friction", not_negative, friction, 3);
    geom->solmix = tac_draft_param(draft, path, "solmix", not_negative, &solmix, 1);
    geom->solref = tac_read_solref(draft, element, "solref", path);
    geom->solimp = tac_read_solimp(draft, element, "solimp", path);
    geom->margin = read_length(draft, element, "margin", path);
    geom->gap = read_length(draft, element, "gap", path);
}

// does a pair or sensor name it?
static int is_asked_for(const tacDraft* draft, const tacGeom* geom) {
    return *geom->name && tac_names_find(&draft->names, "touching", geom->name) != NULL;
}

//---------------------------------- shapes ---------------------------------------

static int read_shape_reference(tacDraft* draft, const tacElement* element) {
    tac_require(&draft->reader, element, "shape");
    if (tac_attribute(element, "size"))
        fail_type(draft, element, "size", "a geom of type=\"shape\" has no size; its <shape> has");
    return tac_read_reference(draft, element, "shape", "shape");
}

// a plane's size tells how much of it MuJoCo draws; it changes nothing here
static void check_plane_size(tacDraft* draft, const tacElement* element) {
    double unused[3];
    tac_read_numbers(&draft->reader, element, "size", 1, 3, not_negative, unused);
}

// a shape of its own for a plain geom; `key` is the geom's name, or its index
static int add_primitive(tacDraft* draft, const char* key, const tacForm* form) {
    tacReader* reader = &draft->reader;
    const char* shape = tac_reader_text(reader, "geom:%s", key);
    tacPath path = {shape, tac_reader_text(reader, "shape:geom:%s/0", key)};
    return tac_add_primitive(draft, shape, path, form->kind, form->size);
}

// A mesh, or a primitive fitted to one. The frame becomes that of the mesh's principal axes, as in
// MuJoCo. Nothing is read if nobody asks.
static void read_mesh_geom(tacDraft* draft, const tacElement* element, const char* key, int solid,
                           int weighed, tacForm* form) {
    tac_require(&draft->reader, element, "mesh");
    tac_read_reference(draft, element, "mesh", "mesh");
    form->pose = tac_read_pose(draft, element);
    if (!solid && !weighed) return;
    form->mesh = tac_find_mesh(draft, element);
    if (!form->mesh) return;
    form->pose = tac_pose_compose(form->pose, tac_mesh_pose(form->mesh));
    if (form->kind == TAC_NODE_POLYHEDRON) {
        if (solid) form->shape = tac_mesh_shape(draft, element, form->mesh);
        return;
    }
    tacVec3 middle = tac_mesh_fit(draft, element, form->mesh, form->kind, form->size);
    form->pose.position = tac_pose_apply(form->pose, middle);
    form->mesh = NULL; // from here on a primitive
    form->shape = add_primitive(draft, key, form);
}

static void read_form(tacDraft* draft, const tacElement* element, const char* key, int solid,
                      int weighed, tacForm* form) {
    geomType type = read_type(draft, element);
    form->kind = kinds[type];
    if (draft->reader.result != TAC_OK) return;
    if (type == GEOM_MESH || (type != GEOM_SHAPE && tac_attribute(element, "mesh"))) {
        read_mesh_geom(draft, element, key, solid, weighed, form);
    } else if (type == GEOM_SHAPE) {
        tac_read_reference(draft, element, "mesh", "mesh"); // its surface: feature_reader.c
        form->shape = read_shape_reference(draft, element);
        form->pose = tac_read_pose(draft, element);
    } else if (type >= GEOM_CIRCLE) {
        tac_read_planar(draft, element, (tacPlanarKind)(type - GEOM_CIRCLE), key, form);
    } else if (type == GEOM_HFIELD) {
        tac_require(&draft->reader, element, "hfield");
        tac_read_reference(draft, element, "hfield", "hfield");
        form->pose = tac_read_pose(draft, element);
        draft->untouched += solid;
    } else {
        if (type == GEOM_PLANE) check_plane_size(draft, element);
        form->pose = tac_read_primitive(draft, element, form->kind, 1, form->size);
        form->shape = add_primitive(draft, key, form);
    }
}

//---------------------------------- geoms ----------------------------------------

void tac_read_geom(tacDraft* draft, const tacElement* element, int body, tacBodyMass* sum) {
    tacReader* reader = &draft->reader;
    int index = draft->geom.count;
    tacGeom geom = {.body = body, .rgba = {0.5, 0.5, 0.5, 1.0}};
    tacForm form = {.size = {1.0, 1.0, 1.0}, .shape = -1, .pose = tac_pose_identity()};
    geom.name = tac_draft_name(draft, element, "geom", index);
    const char* key = *geom.name ? geom.name : tac_reader_text(reader, "%d", index);
    tacPath path = tac_item_path(draft, "geom", geom.name, index);

    read_touch(draft, element, path, &geom);
    const int* group = draft->compiler.inertiagroup;
    int weighed = sum->wanted && geom.group >= group[0] && geom.group <= group[1];
    int solid = geom.contype || geom.conaffinity || is_asked_for(draft, &geom);
    read_form(draft, element, key, solid, weighed, &form);
    if (reader->result != TAC_OK) return;
    form.pose = tac_pose_compose(draft->frame, form.pose);
    if (weighed) tac_read_geom_mass(draft, element, &form, sum);
    tac_read_colour(draft, element, geom.rgba);
    geom.shape = form.shape;
    geom.position = tac_draft_pose(draft, path, form.pose);
    geom.rotation = geom.position + 3;
    tacGeom* out = tac_list_add(reader, &draft->geom, sizeof *out);
    if (out) *out = geom;
    const tacElement** kept = tac_list_add(reader, &draft->geom_element, sizeof *kept);
    if (kept) *kept = element;
}

//---------------------------------- sites ----------------------------------------

void tac_read_site(tacDraft* draft, const tacElement* element, int body) {
    tacReader* reader = &draft->reader;
    int index = draft->site.count;
    tacSite site = {.body = body, .size = {0.005, 0.005, 0.005}, .rgba = {0.5, 0.5, 0.5, 1.0}};
    site.name = tac_draft_name(draft, element, "site", index);
    tacPath path = tac_item_path(draft, "site", site.name, index);
    int word = tac_read_word(reader, element, "type", "sphere ellipsoid capsule cylinder box");
    site.kind = kinds[word < 0 ? GEOM_SPHERE : word + 1];
    double half = 0.0;
    tacPose pose = tac_pose_identity();
    tac_read_numbers(reader, element, "size", 1, 3, not_negative, site.size);
    if (tac_attribute(element, "fromto")) {
        tac_read_fromto(draft, element, &pose, &half);
        site.size[tac_word_in(tac_attribute(element, "type") ? tac_attribute(element, "type")->value
                                                             : "",
                              "ellipsoid box")
                      ? 2
                      : 1] = half;
    } else {
        pose = tac_read_pose(draft, element);
    }
    tac_read_int(reader, element, "group", -1000000, 1000000, &site.group);
    tac_read_colour(draft, element, site.rgba);
    site.position = tac_draft_pose(draft, path, tac_pose_compose(draft->frame, pose));
    site.rotation = site.position + 3;
    tacSite* out = tac_list_add(reader, &draft->site, sizeof *out);
    if (out) *out = site;
}
