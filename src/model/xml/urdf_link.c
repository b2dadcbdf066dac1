// A link of a URDF: its inertia, and the geometry of its collisions and visuals.
//
// As in MuJoCo: a link without <inertial> has the mass of its collisions; visuals have none,
// and are dropped unless <mujoco><compiler discardvisual="false"/></mujoco> is in the robot.

#include "model/xml/urdf.h"

#include "math/spatial.h"
#include "model/xml/word_suggestion.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const tacRange any_number = {-1e9, 1e9}, not_negative = {0.0, 1e12};

//---------------------------------- inertia --------------------------------------

// a required child
static const tacElement* need_child(tacUrdf* urdf, const tacElement* element, const char* name) {
    const tacElement* child = tac_urdf_child(element, name);
    if (!child)
        tac_reader_fail(urdf->reader, TAC_ERROR_VALUE, element->line, name, "<%s> needs <%s>",
                        element->name, name);
    return child;
}

static void need_number(tacUrdf* urdf, const tacElement* element, const char* name, tacRange range,
                        double* out) {
    if (!element) return;
    tac_require(urdf->reader, element, name);
    tac_read_number(urdf->reader, element, name, range, out);
}

// rotated into the body frame, about the center of mass
static void add_inertial(tacUrdf* urdf, const tacElement* inertial, tacElement* body) {
    static const char* const words[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    tacInertia I = {0};
    const tacElement* mass = need_child(urdf, inertial, "mass");
    const tacElement* matrix = need_child(urdf, inertial, "inertia");
    need_number(urdf, mass, "value", not_negative, &I.mass);
    for (int i = 0; i < 6; ++i) need_number(urdf, matrix, words[i], any_number, &I.inertia[i]);
    if (urdf->reader->result != TAC_OK) return;
    I = tac_inertia_transform(tac_urdf_origin(urdf, inertial), &I);
    const double com[3] = {I.com.x, I.com.y, I.com.z};
    tacElement* out = tac_urdf_add(urdf, body, "inertial", inertial->line);
    tac_urdf_set_numbers(urdf, out, "pos", com, 3, inertial->line);
    tac_urdf_set_numbers(urdf, out, "mass", &I.mass, 1, mass->line);
    tac_urdf_set_numbers(urdf, out, "fullinertia", I.inertia, 6, matrix->line);
}

//---------------------------------- mesh files -----------------------------------

enum { MAX_NAME_LENGTH = 4096, ABOVE = 8, PARTS = 16 };

static int file_exists(const char* folder, const char* name) {
    char path[3 * MAX_NAME_LENGTH];
    struct stat status;
    int length = snprintf(path, sizeof path, "%s%s", name[0] == '/' ? "" : folder, name);
    return length < (int)sizeof path && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

// "package://name/path" to "name/path", "file:///path" to "/path"
static const char* without_scheme(const char* name) {
    static const char* const schemes[] = {"package://", "model://", "file://"};
    for (int i = 0; i < 3; ++i)
        if (strncmp(name, schemes[i], strlen(schemes[i])) == 0) return name + strlen(schemes[i]);
    return name;
}

// The path of a file, whole or without its first folders, from the URDF's folder or one above it:
// packages are searched near the robot, as their installation folder is unknown.
static const char* find_above(tacUrdf* urdf, const char* way) {
    for (int part = 0; way && *way && part < PARTS; ++part) {
        char name[MAX_NAME_LENGTH + 3 * ABOVE] = "";
        for (int i = 0; i < ABOVE; ++i) {
            snprintf(name + 3 * i, sizeof name - 3 * (size_t)i, "%s", way);
            if (file_exists(urdf->folder, name)) return tac_reader_text(urdf->reader, "%s", name);
            memcpy(name + 3 * i, "../", 3);
        }
        way = strchr(way, '/');
        if (way) ++way;
    }
    return NULL;
}

// path of the file relative to the URDF's folder; meshdir and strippath work as in MuJoCo
static const char* find_file(tacUrdf* urdf, const tacAttribute* name) {
    const char *way = without_scheme(name->value), *slash = strrchr(way, '/');
    const char* base = slash ? slash + 1 : way;
    if (strlen(way) >= MAX_NAME_LENGTH || strlen(urdf->meshdir) >= MAX_NAME_LENGTH || !*base) {
        tac_reader_fail(urdf->reader, TAC_ERROR_VALUE, name->line, name->name,
                        "is empty or too long for a file name");
        return NULL;
    }
    const char* plain = urdf->strippath ? base : way;
    const char* own =
        plain[0] == '/' ? plain : tac_reader_text(urdf->reader, "%s%s", urdf->meshdir, plain);
    if (own && file_exists(urdf->folder, own)) return own;
    const char* found = find_above(urdf, way);
    if (!found)
        tac_reader_fail(
            urdf->reader, TAC_ERROR_FILE, name->line, name->name,
            "the mesh '%.100s' was not found in the folder of the URDF and the %d above it",
            name->value, ABOVE - 1);
    return found;
}

//---------------------------------- mesh assets ----------------------------------

// the name of the file without folders and ending, and a number if another has it already
static const char* asset_name(tacUrdf* urdf, const char* file, int line) {
    const char* slash = strrchr(file, '/');
    const char* base = slash ? slash + 1 : file;
    const char* dot = strrchr(base, '.');
    int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    const char* name = tac_reader_text(urdf->reader, "%.*s", length, base);
    for (int i = urdf->meshes.count; name && tac_names_find(&urdf->names, "mesh", name); ++i)
        name = tac_reader_text(urdf->reader, "%.*s_%d", length, base, i);
    if (name) tac_names_add(urdf->reader, &urdf->names, (tacNameEntry){"mesh", name, 0, line});
    return name;
}

static const char* add_asset(tacUrdf* urdf, const tacAttribute* file, const double scale[3]) {
    if (!urdf->asset) urdf->asset = tac_urdf_add(urdf, urdf->root, "asset", file->line);
    const char *found = find_file(urdf, file), *name = asset_name(urdf, file->value, file->line);
    tacElement* mesh = tac_urdf_add(urdf, urdf->asset, "mesh", file->line);
    tac_urdf_set(urdf, mesh, "name", name, file->line);
    tac_urdf_set(urdf, mesh, "file", found, file->line);
    if (scale[0] != 1.0 || scale[1] != 1.0 || scale[2] != 1.0)
        tac_urdf_set_numbers(urdf, mesh, "scale", scale, 3, file->line);
    return name;
}

// one <mesh> for each file and scale
static const char* find_asset(tacUrdf* urdf, const tacElement* element) {
    double scale[3] = {1.0, 1.0, 1.0};
    const tacAttribute* file = tac_attribute(element, "filename");
    tac_require(urdf->reader, element, "filename");
    tac_read_vector(urdf->reader, element, "scale", 3, any_number, scale);
    if (urdf->reader->result != TAC_OK) return NULL;
    const char* key =
        tac_reader_text(urdf->reader, "%a %a %a %s", scale[0], scale[1], scale[2], file->value);
    const tacNameEntry* known = key ? tac_names_find(&urdf->names, "mesh file", key) : NULL;
    if (known) return ((const char**)urdf->meshes.items)[known->index];
    const char* name = add_asset(urdf, file, scale);
    const char** out = tac_list_add(urdf->reader, &urdf->meshes, sizeof *out);
    if (!out) return NULL;
    tacNameEntry entry = {"mesh file", key, urdf->meshes.count - 1, file->line};
    tac_names_add(urdf->reader, &urdf->names, entry);
    return *out = name;
}

//---------------------------------- geometry -------------------------------------

static void set_round(tacUrdf* urdf, const tacElement* shape, tacElement* geom, int has_length) {
    double size[2] = {1.0, 1.0};
    need_number(urdf, shape, "radius", tac_range_size, &size[0]);
    if (has_length) need_number(urdf, shape, "length", tac_range_size, &size[1]);
    size[1] *= 0.5;
    tac_urdf_set_numbers(urdf, geom, "size", size, 1 + has_length, shape->line);
}

static void set_box(tacUrdf* urdf, const tacElement* shape, tacElement* geom) {
    double size[3] = {1.0, 1.0, 1.0};
    tac_require(urdf->reader, shape, "size");
    tac_read_vector(urdf->reader, shape, "size", 3, tac_range_size, size);
    for (int i = 0; i < 3; ++i) size[i] *= 0.5;
    tac_urdf_set_numbers(urdf, geom, "size", size, 3, shape->line);
}

static void set_geometry(tacUrdf* urdf, const tacElement* part, tacElement* geom) {
    const tacElement* geometry = need_child(urdf, part, "geometry");
    const tacElement* shape = geometry ? geometry->child : NULL;
    static const char known[] = "box cylinder capsule sphere mesh";
    while (shape && !tac_word_in_list(shape->name, known)) shape = shape->next;
    if (geometry && !shape)
        tac_reader_fail(urdf->reader, TAC_ERROR_VALUE, geometry->line, "<geometry>",
                        "<geometry> needs one of: %s", known);
    if (urdf->reader->result != TAC_OK) return;
    tac_urdf_set(urdf, geom, "type", shape->name, shape->line);
    if (strcmp(shape->name, "mesh") == 0)
        tac_urdf_set(urdf, geom, "mesh", find_asset(urdf, shape), shape->line);
    else if (strcmp(shape->name, "box") == 0)
        set_box(urdf, shape, geom);
    else
        set_round(urdf, shape, geom, strcmp(shape->name, "sphere") != 0);
}

// <material>: its own <color>, or that of the robot's material of this name
static void set_colour(tacUrdf* urdf, const tacElement* part, tacElement* geom) {
    const tacElement* material = tac_urdf_child(part, "material");
    const tacAttribute* name = material ? tac_attribute(material, "name") : NULL;
    const tacElement* colour = material ? tac_urdf_child(material, "color") : NULL;
    const tacNameEntry* known =
        name && !colour ? tac_names_find(&urdf->names, "material", name->value) : NULL;
    if (known) colour = ((const tacElement**)urdf->colours.items)[known->index];
    const tacAttribute* rgba = colour ? tac_attribute(colour, "rgba") : NULL;
    if (rgba) tac_urdf_set(urdf, geom, "rgba", rgba->value, rgba->line);
}

void tac_urdf_list_materials(tacUrdf* urdf) {
    for (const tacElement* c = urdf->robot->child; c; c = c->next) {
        const tacAttribute* name = tac_attribute(c, "name");
        const tacElement* colour = tac_urdf_child(c, "color");
        if (strcmp(c->name, "material") != 0 || !name || !colour) continue;
        if (tac_names_find(&urdf->names, "material", name->value)) continue;
        tacNameEntry entry = {"material", name->value, urdf->colours.count, c->line};
        tac_names_add(urdf->reader, &urdf->names, entry);
        const tacElement** out = tac_list_add(urdf->reader, &urdf->colours, sizeof *out);
        if (out) *out = colour;
    }
}

// names of collisions and visuals need not be unique: the first has it
static void set_name(tacUrdf* urdf, const tacElement* part, tacElement* geom) {
    const tacAttribute* name = tac_attribute(part, "name");
    if (!name || !*name->value || urdf->reader->result != TAC_OK) return;
    if (tac_names_find(&urdf->names, "geom", name->value)) return;
    tac_names_add(urdf->reader, &urdf->names, (tacNameEntry){"geom", name->value, 0, part->line});
    tac_urdf_set(urdf, geom, "name", name->value, name->line);
}

static void add_geom(tacUrdf* urdf, const tacElement* part, tacElement* body, int visual) {
    static const char* const ghost[][2] = {
        {"contype", "0"}, {"conaffinity", "0"}, {"group", "1"}, {"mass", "0"}};
    tacElement* geom = tac_urdf_add(urdf, body, "geom", part->line);
    set_name(urdf, part, geom);
    set_geometry(urdf, part, geom);
    tac_urdf_set_pose(urdf, geom, tac_urdf_origin(urdf, part), part->line);
    set_colour(urdf, part, geom);
    for (int i = 0; visual && i < 4; ++i)
        tac_urdf_set(urdf, geom, ghost[i][0], ghost[i][1], part->line);
}

//---------------------------------- link -----------------------------------------

void tac_urdf_link(tacUrdf* urdf, const tacElement* link, tacElement* body) {
    const tacElement* inertial = tac_urdf_child(link, "inertial");
    // the world has no mass
    if (inertial && strcmp(body->name, "body") == 0) add_inertial(urdf, inertial, body);
    for (const tacElement* c = link->child; c && urdf->reader->result == TAC_OK; c = c->next) {
        if (strcmp(c->name, "collision") == 0) add_geom(urdf, c, body, 0);
        if (strcmp(c->name, "visual") == 0 && !urdf->discardvisual) add_geom(urdf, c, body, 1);
    }
}
