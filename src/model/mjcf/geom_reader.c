// <geom> and <site>: shapes on bodies, and marked frames.
//
//   scene_reader.c --element--> [this file] --shape--> shape_reader.c, mesh_reader.c
//                                           --mass--> inertia_reader.c
//
// A geom that cannot collide and is not needed for a mass costs nothing: its mesh is not
// read.

#include "model/mjcf/planar.h"

#include "base/assert.h"
#include "math/pose.h"
#include "model/xml/word_suggestion.h"

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

tacPath tac_item_path(tacSpec* spec, const char* kind, const char* name, int index) {
    const char* path = *name ? tac_reader_text(&spec->reader, "%s:%s", kind, name)
                             : tac_reader_text(&spec->reader, "%s:%d", kind, index);
    return (tacPath){path, NULL};
}

int tac_read_reference(tacSpec* spec, const tacElement* element, const char* name,
                       const char* kind) {
    const tacAttribute* attribute = tac_attribute(element, name);
    if (!attribute || spec->reader.result != TAC_OK) return -1;
    const tacNameEntry* entry = tac_names_find(&spec->names, kind, attribute->value);
    if (entry) return entry->index;
    const char* section = tac_word_in_list(kind, "shape material mesh hfield") ? " in <asset>" : "";
    tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, attribute->line, name,
                    "there is no <%s name=\"%.60s\">%s", kind, attribute->value, section);
    return -1;
}

void tac_read_colour(tacSpec* spec, const tacElement* element, double rgba[4]) {
    int material = tac_read_reference(spec, element, "material", "material");
    if (material >= 0)
        memcpy(rgba, ((tacMaterial*)spec->assets.material.items)[material].rgba, 4 * sizeof *rgba);
    tac_read_vector(&spec->reader, element, "rgba", 4, tac_range_colour, rgba);
}

//---------------------------------- type -----------------------------------------

static void fail_type(tacSpec* spec, const tacElement* element, const char* name,
                      const char* what) {
    tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, name), name, "%s",
                    what);
}

// attributes that go with some types only
static void check_type(tacSpec* spec, const tacElement* element, geomType type) {
    if (type == GEOM_SDF)
        tac_reader_fail(&spec->reader, TAC_ERROR_UNSUPPORTED, tac_attribute_line(element, "type"),
                        "type",
                        "geoms of type sdf need a plugin, which is not supported; use a <shape>");
    if (tac_attribute(element, "shape") && type != GEOM_SHAPE)
        fail_type(spec, element, "shape",
                  "only a geom of type=\"shape\" has the attribute 'shape'");
    if (tac_attribute(element, "hfield") && type != GEOM_HFIELD)
        fail_type(spec, element, "hfield",
                  "only a geom of type=\"hfield\" has the attribute 'hfield'");
    if (tac_attribute(element, "mesh") && (type == GEOM_PLANE || type > GEOM_MESH))
        fail_type(spec, element, "mesh",
                  "only meshes, shapes with their own surface mesh and primitives fitted to a mesh "
                  "have the attribute 'mesh'");
    if (tac_attribute(element, "points") && type != GEOM_POLYGON)
        fail_type(spec, element, "points",
                  "only a geom of type=\"polygon\" has the attribute 'points'");
    if (tac_attribute(element, "fromto") &&
        (type < GEOM_ELLIPSOID || type > GEOM_BOX || tac_attribute(element, "mesh")))
        fail_type(spec, element, "fromto",
                  "only capsules, cylinders, ellipsoids and boxes have the attribute 'fromto'; "
                  "give pos and one of quat, euler, axisangle, xyaxes, zaxis");
}

static geomType read_type(tacSpec* spec, const tacElement* element) {
    int word =
        tac_read_word(&spec->reader, element, "type",
                      "plane sphere ellipsoid capsule cylinder box shape mesh hfield sdf circle "
                      "rectangle polygon halfplane");
    int is_shape = word < 0 && tac_attribute(element, "shape");
    geomType type = is_shape ? GEOM_SHAPE : word < 0 ? GEOM_SPHERE : (geomType)word;
    check_type(spec, element, type);
    return type;
}

//---------------------------------- contact --------------------------------------

// bits of MuJoCo's 32-bit integers
static void read_bits(tacSpec* spec, const tacElement* element, const char* name, int* out) {
    double value;
    if (!tac_read_number(&spec->reader, element, name, (tacRange){-2147483648.0, 4294967295.0},
                         &value))
        return;
    long long bits = (long long)value;
    if ((double)bits != value) {
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, name), name,
                        "'%s' must be a whole number, found %g", name, value);
        return;
    }
    *out = (int)(unsigned)bits;
}

int tac_read_solref(tacSpec* spec, const tacElement* element, const char* name, tacPath path) {
    double solref[2] = {0.02, 1.0};
    if (strcmp(name, "solreffriction") == 0) solref[0] = solref[1] = 0.0;
    tac_read_numbers(&spec->reader, element, name, (tacCountRange){1, 2}, any_number, solref);
    return tac_spec_param(spec, path, name, any_number, solref, 2);
}

int tac_read_solimp(tacSpec* spec, const tacElement* element, const char* name, tacPath path) {
    double solimp[5] = {0.9, 0.95, 0.001, 0.5, 2.0};
    tac_read_numbers(&spec->reader, element, name, (tacCountRange){1, 5}, any_number, solimp);
    return tac_spec_param(spec, path, name, any_number, solimp, 5);
}

static void read_condim(tacSpec* spec, const tacElement* element, int* condim) {
    *condim = 3;
    tac_read_int(&spec->reader, element, "condim", 1, 6, condim);
    if (*condim == 2 || *condim == 5) fail_type(spec, element, "condim", "must be 1, 3, 4 or 6");
}

static int read_length(tacSpec* spec, const tacElement* element, const char* name, tacPath path) {
    double value = 0.0;
    tac_read_number(&spec->reader, element, name, any_number, &value);
    return tac_spec_param(spec, path, name, any_number, &value, 1);
}

static void read_contact_attributes(tacSpec* spec, const tacElement* element, tacPath path,
                                    tacGeom* geom) {
    tacReader* reader = &spec->reader;
    double friction[3] = {1.0, 0.005, 0.0001}, solmix = 1.0;
    geom->contype = geom->conaffinity = 1;
    read_bits(spec, element, "contype", &geom->contype);
    read_bits(spec, element, "conaffinity", &geom->conaffinity);
    read_condim(spec, element, &geom->condim);
    tac_read_int(reader, element, "group", -1000000, 1000000, &geom->group);
    tac_read_int(reader, element, "priority", -1000000, 1000000, &geom->priority);
    tac_read_numbers(reader, element, "friction", (tacCountRange){1, 3}, not_negative, friction);
    tac_read_number(reader, element, "solmix", not_negative, &solmix);
    geom->friction = tac_spec_param(spec, path, "friction", not_negative, friction, 3);
    geom->solmix = tac_spec_param(spec, path, "solmix", not_negative, &solmix, 1);
    geom->solref = tac_read_solref(spec, element, "solref", path);
    geom->solimp = tac_read_solimp(spec, element, "solimp", path);
    geom->margin = read_length(spec, element, "margin", path);
    geom->gap = read_length(spec, element, "gap", path);
}

// does a pair or sensor refer to it?
static int is_referenced(const tacSpec* spec, const tacGeom* geom) {
    return *geom->name && tac_names_find(&spec->names, "touching", geom->name) != NULL;
}

//---------------------------------- shapes ---------------------------------------

static int read_shape_reference(tacSpec* spec, const tacElement* element) {
    tac_require(&spec->reader, element, "shape");
    if (tac_attribute(element, "size"))
        fail_type(spec, element, "size",
                  "a geom of type=\"shape\" has no size; set it in the <shape>");
    return tac_read_reference(spec, element, "shape", "shape");
}

// a plane's size is how much of it MuJoCo draws; it has no effect here
static void check_plane_size(tacSpec* spec, const tacElement* element) {
    double unused[3];
    tac_read_numbers(&spec->reader, element, "size", (tacCountRange){1, 3}, not_negative, unused);
}

int tac_add_geom_primitive(tacSpec* spec, const char* key, const tacGeomSpec* geom_spec) {
    tacReader* reader = &spec->reader;
    const char* shape = tac_reader_text(reader, "geom:%s", key);
    tacPath path = {shape, tac_reader_text(reader, "shape:geom:%s/0", key)};
    return tac_add_primitive(spec, shape, path, geom_spec->kind, geom_spec->size);
}

// A mesh, or a primitive fitted to one. The frame becomes that of the mesh's principal axes, as in
// MuJoCo. The mesh is only read if it is needed.
static void read_mesh_geom(tacSpec* spec, const tacElement* element, const char* key,
                           int may_collide, int needs_mass, tacGeomSpec* geom_spec) {
    tac_require(&spec->reader, element, "mesh");
    tac_read_reference(spec, element, "mesh", "mesh");
    geom_spec->pose = tac_read_pose(spec, element);
    int is_read = may_collide || needs_mass, is_drawn = geom_spec->kind == TAC_NODE_POLYHEDRON;
    if (is_read) geom_spec->mesh = tac_find_mesh(spec, element);
    if (is_read && !geom_spec->mesh) return;
    if (is_drawn && spec->keep_triangles)
        geom_spec->triangles = tac_mesh_triangles(spec, element, is_read);
    if (!is_read) return;
    geom_spec->pose = tac_pose_compose(geom_spec->pose, tac_mesh_pose(geom_spec->mesh));
    if (is_drawn) {
        if (may_collide) geom_spec->shape = tac_mesh_shape(spec, element, geom_spec->mesh);
        return;
    }
    tacVec3 middle = tac_mesh_fit(spec, element, geom_spec->mesh, geom_spec->kind, geom_spec->size);
    geom_spec->pose.position = tac_pose_apply(geom_spec->pose, middle);
    geom_spec->mesh = NULL; // from here on a primitive
    geom_spec->shape = tac_add_geom_primitive(spec, key, geom_spec);
}

static void read_form(tacSpec* spec, const tacElement* element, const char* key, int may_collide,
                      int needs_mass, tacGeomSpec* geom_spec) {
    geomType type = read_type(spec, element);
    geom_spec->kind = kinds[type];
    if (spec->reader.result != TAC_OK) return;
    if (type == GEOM_MESH || (type != GEOM_SHAPE && tac_attribute(element, "mesh"))) {
        read_mesh_geom(spec, element, key, may_collide, needs_mass, geom_spec);
    } else if (type == GEOM_SHAPE) {
        tac_read_reference(spec, element, "mesh", "mesh"); // its surface: feature_reader.c
        geom_spec->shape = read_shape_reference(spec, element);
        geom_spec->pose = tac_read_pose(spec, element);
    } else if (type >= GEOM_CIRCLE) {
        tac_read_planar(spec, element, (tacPlanarKind)(type - GEOM_CIRCLE), key, geom_spec);
    } else if (type == GEOM_HFIELD) {
        tac_require(&spec->reader, element, "hfield");
        tac_read_reference(spec, element, "hfield", "hfield");
        geom_spec->pose = tac_read_pose(spec, element);
        spec->unhandled.hfields += may_collide;
        if (may_collide) tac_note_ignored(spec, TAC_IGNORED_HFIELD, element, "hfield");
    } else {
        if (type == GEOM_PLANE) check_plane_size(spec, element);
        geom_spec->pose = tac_read_primitive(spec, element, geom_spec->kind, 1, geom_spec->size);
        geom_spec->shape = tac_add_geom_primitive(spec, key, geom_spec);
    }
}

//---------------------------------- geoms ----------------------------------------

void tac_read_geom(tacSpec* spec, const tacElement* element, int body, tacBodyMass* sum) {
    tacReader* reader = &spec->reader;
    int index = spec->geoms.geom.count;
    tacGeom geom = {.body = body, .rgba = {0.5, 0.5, 0.5, 1.0}};
    tacGeomSpec geom_spec = {.size = {1.0, 1.0, 1.0}, .shape = -1, .triangles = -1};
    geom_spec.pose = tac_pose_identity();
    geom.name = tac_spec_name(spec, element, "geom", index);
    const char* key = *geom.name ? geom.name : tac_reader_text(reader, "%d", index);
    tacPath path = tac_item_path(spec, "geom", geom.name, index);

    read_contact_attributes(spec, element, path, &geom);
    if (tac_read_word(reader, element, "fluidshape", "none ellipsoid") == 1 && body > 0)
        tac_note_ignored(spec, TAC_IGNORED_FLUIDSHAPE, element, "fluidshape");
    const int* group = spec->compiler.inertiagroup;
    int needs_mass = sum->wanted && geom.group >= group[0] && geom.group <= group[1];
    int may_collide = geom.contype || geom.conaffinity || is_referenced(spec, &geom);
    read_form(spec, element, key, may_collide, needs_mass, &geom_spec);
    if (reader->result != TAC_OK) return;
    geom_spec.pose = tac_pose_compose(spec->tree.frame, geom_spec.pose);
    if (needs_mass) tac_read_geom_mass(spec, element, &geom_spec, sum);
    tac_read_colour(spec, element, geom.rgba);
    geom.shape = geom_spec.shape;
    geom.triangles = geom_spec.triangles;
    geom.position = tac_spec_pose(spec, path, geom_spec.pose);
    geom.rotation = geom.position + 3;
    tacGeom* out = tac_list_add(reader, &spec->geoms.geom, sizeof *out);
    if (out) *out = geom;
    const tacElement** element_slot =
        tac_list_add(reader, &spec->geoms.element, sizeof *element_slot);
    if (element_slot) *element_slot = element;
}

//---------------------------------- sites ----------------------------------------

void tac_read_site(tacSpec* spec, const tacElement* element, int body) {
    tacReader* reader = &spec->reader;
    int index = spec->geoms.site.count;
    tacSite site = {.body = body, .size = {0.005, 0.005, 0.005}, .rgba = {0.5, 0.5, 0.5, 1.0}};
    site.name = tac_spec_name(spec, element, "site", index);
    tacPath path = tac_item_path(spec, "site", site.name, index);
    int word = tac_read_word(reader, element, "type", "sphere ellipsoid capsule cylinder box");
    site.kind = kinds[word < 0 ? GEOM_SPHERE : word + 1];
    double half = 0.0;
    tacPose pose = tac_pose_identity();
    tac_read_numbers(reader, element, "size", (tacCountRange){1, 3}, not_negative, site.size);
    if (tac_attribute(element, "fromto")) {
        tac_read_fromto(spec, element, &pose, &half);
        site.size[tac_word_in_list(
                      tac_attribute(element, "type") ? tac_attribute(element, "type")->value : "",
                      "ellipsoid box")
                      ? 2
                      : 1] = half;
    } else {
        pose = tac_read_pose(spec, element);
    }
    tac_read_int(reader, element, "group", -1000000, 1000000, &site.group);
    tac_read_colour(spec, element, site.rgba);
    site.position = tac_spec_pose(spec, path, tac_pose_compose(spec->tree.frame, pose));
    site.rotation = site.position + 3;
    tacSite* out = tac_list_add(reader, &spec->geoms.site, sizeof *out);
    if (out) *out = site;
}
