// <mesh>: vertices and faces from a file or inline, in MuJoCo's frame.
//
//   scene_reader.c --element--> [this file] --mesh/soup, hull, mass--> geom_reader.c
//
// MuJoCo subtracts refpos, rotates by refquat, scales, and then moves the mesh to its center of
// mass and principal axes: geoms have that frame. A file is read when the first geom needs it.

#include "model/spec.h"

#include "base/assert.h"
#include "math/dense.h"
#include "math/pose.h"
#include "mesh/convex/hull.h"
#include "mesh/io/soup_stats.h"
#include "mesh/mass/soup_mass.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// hulls of more faces are simplified, as each face costs time in the field (docs/scenes.md)
#define MAX_HULL_PLANES 512

struct tacMeshSpec {
    const char* name;
    const tacElement* element;
    const char* path;
    int is_placed;       // vertices and faces are there, in the file's frame
    int is_read;         // so are mass and principal axes
    int triangles[2];    // for pictures, in the file's frame and in principal axes; 0: none, else
                         // 1 + their index, -1: it cannot be read
    tacSoup* file;       // owned; NULL if it is inline
    tacSoup soup;        // placed
    int faces_from_hull; // 1: it has no faces but those of its hull
    int massless;        // 1: it has no mass; `mass_message` says why
    tacMessage mass_message;
    tacSoupMass mass;
    tacPose pose; // of the principal axes
    double moment[3];
    int shape;        // of its hull, -1 until a geom needs it
    double concavity; // how far its faces lie below those of the hull                     [m]
};

static const tacRange any_number = {-1e9, 1e9};

//---------------------------------- assets ---------------------------------------

// without a name it has that of its file, as in MuJoCo
static const char* default_name(tacSpec* spec, const tacElement* element) {
    const tacAttribute* file = tac_attribute(element, "file");
    if (!file) {
        tac_require(&spec->reader, element, "name");
        return "";
    }
    const char* slash = strrchr(file->value, '/');
    const char* base = slash ? slash + 1 : file->value;
    const char* dot = strrchr(base, '.');
    int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    const char* name = tac_reader_text(&spec->reader, "%.*s", length, base);
    if (name)
        tac_names_add(&spec->reader, &spec->names,
                      (tacNameEntry){"mesh", name, spec->assets.mesh.count, element->line});
    return name ? name : "";
}

// with strippath only the file name counts
static const char* stripped_name(const tacSpec* spec, const char* file) {
    const char* slash = strrchr(file, '/');
    return slash && spec->compiler.strippath ? slash + 1 : file;
}

const char* tac_asset_path(tacSpec* spec, const char* directory, const char* file) {
    const char *name = stripped_name(spec, file), *folder = spec->compiler.folder;
    if (directory[0] == '/') folder = "";
    if (name[0] == '/') folder = directory = "";
    return tac_reader_text(&spec->reader, "%s%s%s", folder, directory, name);
}

static const char* find_path(tacSpec* spec, const tacElement* element) {
    const tacAttribute* file = tac_attribute(element, "file");
    if (!file) return NULL;
    if (!*stripped_name(spec, file->value))
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, file->line, "file",
                        "is empty; give a file in the folder of <compiler meshdir>");
    return tac_asset_path(spec, spec->compiler.meshdir, file->value);
}

void tac_read_mesh(tacSpec* spec, const tacElement* element) {
    const char* name = tac_attribute(element, "name")
                           ? tac_spec_name(spec, element, "mesh", spec->assets.mesh.count)
                           : default_name(spec, element);
    tacMeshSpec mesh = {.name = name, .element = element, .shape = -1};
    int is_inline = tac_attribute(element, "vertex") != NULL;
    if (is_inline && tac_attribute(element, "file"))
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "vertex"),
                        "vertex", "<mesh> has both 'file' and 'vertex'; remove one");
    if (!is_inline) {
        tac_require(&spec->reader, element, "file");
        mesh.path = find_path(spec, element);
        if (mesh.path) tac_reader_add_opened(&spec->reader, mesh.path);
    }
    tacMeshSpec* out = tac_list_add(&spec->reader, &spec->assets.mesh, sizeof *out);
    if (out) *out = mesh;
}

void tac_close_meshes(tacSpec* spec) {
    tacMeshSpec* meshes = spec->assets.mesh.items;
    for (int i = 0; i < spec->assets.mesh.count; ++i) tac_soup_destroy(meshes[i].file);
}

//---------------------------------- reading --------------------------------------

// an error of the mesh file, at the line of the scene that names it
static void fail_mesh(tacSpec* spec, const tacMeshSpec* mesh, tacResult result,
                      const tacMessage* message) {
    char where[32] = "";
    if (message->line > 0) snprintf(where, sizeof where, ":%d", message->line);
    const char* attribute = mesh->path ? "file" : "vertex";
    tac_reader_fail(&spec->reader, result, tac_attribute_line(mesh->element, attribute), attribute,
                    "%.100s%s%s%s", mesh->path ? mesh->path : "", where, mesh->path ? ": " : "",
                    message->text);
}

static void check_corners(tacSpec* spec, const tacElement* element, const double* face, int count,
                          int vertices) {
    for (int i = 0; i < count; ++i)
        if (face[i] != floor(face[i]) || face[i] >= vertices) {
            tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "face"),
                            "face",
                            "number %d is %g: vertex indices are whole numbers from 0 to %d", i,
                            face[i], vertices - 1);
            return;
        }
}

// three numbers per vertex, three vertices per face
static void read_inline(tacSpec* spec, tacMeshSpec* mesh) {
    tacReader* reader = &spec->reader;
    const tacElement* element = mesh->element;
    int numbers = 0, corners = 0;
    const double* vertex = tac_read_list(reader, element, "vertex", any_number, &numbers);
    const double* face = tac_read_list(reader, element, "face", (tacRange){0.0, 1e9}, &corners);
    if (vertex && (numbers < 12 || numbers % 3))
        tac_reader_fail(
            reader, TAC_ERROR_VALUE, tac_attribute_line(element, "vertex"), "vertex",
            "needs three numbers per vertex and at least four vertices, found %d numbers", numbers);
    if (corners % 3)
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, "face"), "face",
                        "needs three vertices per face, found %d numbers", corners);
    if (face) check_corners(spec, element, face, corners, numbers / 3);
    int* triangle = tac_reader_alloc(reader, sizeof(int) * (size_t)(corners + 1));
    int* first = tac_reader_alloc(reader, sizeof(int) * (size_t)(corners / 3 + 1));
    int* own = tac_reader_alloc(reader, sizeof(int) * (size_t)(corners / 3 + 1));
    if (reader->result != TAC_OK) return;
    for (int i = 0; i < corners; ++i) triangle[i] = (int)face[i];
    for (int i = 0; i <= corners / 3; ++i) {
        first[i] = 3 * i;
        own[i] = i;
    }
    mesh->soup = (tacSoup){.nvertex = numbers / 3,
                           .nface = corners / 3,
                           .ncorner = corners,
                           .ntriangle = corners / 3,
                           .vertex = vertex,
                           .first = first,
                           .corner = triangle,
                           .triangle = triangle,
                           .triangle_face = own,
                           .allocator = reader->allocator};
}

static void read_file(tacSpec* spec, tacMeshSpec* mesh) {
    tacMessage message = {0};
    tacResult result = tac_soup_load(mesh->path, spec->reader.allocator, &mesh->file, &message);
    if (result != TAC_OK)
        fail_mesh(spec, mesh, result, &message);
    else
        mesh->soup = *mesh->file;
    if (mesh->file && mesh->file->dropped + mesh->file->repeated > 0)
        tac_reader_warn(&spec->reader, "mesh '%.80s': left out %d degenerate and %d repeated faces",
                        mesh->name, mesh->file->dropped, mesh->file->repeated);
}

// MuJoCo reads all of them; those that no geom needs are not opened here, but must be there
void tac_warn_missing_meshes(tacSpec* spec) {
    const tacMeshSpec *meshes = spec->assets.mesh.items, *first = NULL;
    int missing = 0;
    for (int i = 0; i < spec->assets.mesh.count; ++i) {
        if (meshes[i].is_read || !meshes[i].path || access(meshes[i].path, R_OK) == 0) continue;
        if (!first) first = &meshes[i];
        ++missing;
    }
    if (missing == 0) return;
    int line = tac_attribute_line(first->element, "file");
    const char* file = tac_reader_locate(&spec->reader, &line).path;
    tac_reader_warn(&spec->reader,
                    "%.100s:%d: mesh files that nothing uses are missing: %d, the first is %.100s; "
                    "MuJoCo refuses the scene",
                    file, line, missing, first->path);
}

//---------------------------------- positions ------------------------------------

// a reflection turns faces inside out: reverse their corners
static void flip_faces(tacSpec* spec, tacSoup* soup) {
    int* triangle =
        tac_reader_alloc(&spec->reader, sizeof(int) * 3 * (size_t)(soup->ntriangle + 1));
    if (!triangle) return;
    for (int t = 0; t < soup->ntriangle; ++t)
        for (int k = 0; k < 3; ++k) triangle[3 * t + k] = soup->triangle[3 * t + (2 - k)];
    int* corner = tac_reader_alloc(&spec->reader, sizeof(int) * (size_t)(soup->ncorner + 1));
    for (int f = 0; f < soup->nface && corner; ++f)
        for (int k = soup->first[f], last = soup->first[f + 1] - 1; k <= last; ++k)
            corner[k] = soup->corner[last - (k - soup->first[f])];
    soup->triangle = triangle;
    soup->corner = corner;
}

// minus refpos, rotated by the inverse of refquat, scaled
static void apply_mesh_frame(tacSpec* spec, tacMeshSpec* mesh) {
    tacReader* reader = &spec->reader;
    double p[3] = {0}, q[4] = {1.0, 0.0, 0.0, 0.0}, scale[3] = {1.0, 1.0, 1.0};
    tac_read_vector(reader, mesh->element, "refpos", 3, any_number, p);
    tac_read_vector(reader, mesh->element, "refquat", 4, any_number, q);
    tac_read_vector(reader, mesh->element, "scale", 3, any_number, scale);
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (norm < 1e-14)
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(mesh->element, "refquat"),
                        "refquat", "a quaternion of length 0 is not a rotation");
    if (scale[0] == 0.0 || scale[1] == 0.0 || scale[2] == 0.0)
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(mesh->element, "scale"),
                        "scale", "the scale must not be 0");
    int count = mesh->soup.nvertex;
    double* vertex = tac_reader_alloc(reader, sizeof(double) * 3 * (size_t)count);
    if (!vertex) return;
    tacPose frame = {tac_load3(p), {q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm}};
    for (int i = 0; i < count; ++i) {
        tacVec3 x = tac_pose_apply_inverse(frame, tac_load3(mesh->soup.vertex + 3 * (size_t)i));
        tac_store3(vertex + 3 * (size_t)i,
                   (tacVec3){scale[0] * x.x, scale[1] * x.y, scale[2] * x.z});
    }
    mesh->soup.vertex = vertex;
    if (scale[0] * scale[1] * scale[2] < 0.0) flip_faces(spec, &mesh->soup);
}

// a cloud of points has the faces of its hull
static void add_faces(tacSpec* spec, tacMeshSpec* mesh) {
    tacReader* reader = &spec->reader;
    tacMessage message = {0};
    tacHull* hull = NULL;
    tacSoup* soup = &mesh->soup;
    tacResult result =
        tac_hull_create((tacHullPoints){soup->vertex, soup->nvertex, TAC_HULL_MERGE, mesh->path},
                        reader->allocator, &hull, &message);
    if (result != TAC_OK) {
        fail_mesh(spec, mesh, result, &message);
        return;
    }
    int count = hull->ntriangle;
    int* triangle = tac_reader_alloc(reader, sizeof(int) * 3 * (size_t)count);
    int* first = tac_reader_alloc(reader, sizeof(int) * (size_t)(count + 1));
    int* own = tac_reader_alloc(reader, sizeof(int) * (size_t)count);
    for (int i = 0; i < 3 * count && triangle; ++i) triangle[i] = hull->point[hull->triangle[i]];
    for (int i = 0; i <= count && first; ++i) first[i] = 3 * i;
    for (int i = 0; i < count && own; ++i) own[i] = i;
    tac_hull_destroy(hull);
    mesh->faces_from_hull = 1;
    soup->nface = soup->ntriangle = count;
    soup->ncorner = 3 * count;
    soup->first = first;
    soup->triangle_face = own;
    soup->corner = soup->triangle = triangle;
    soup->face_line = NULL;
}

// Center of mass and principal axes. A mesh without volume can still collide: then they are
// those of its surface, or of its frame.
static void find_principal_frame(tacSpec* spec, tacMeshSpec* mesh) {
    int word = tac_read_word(&spec->reader, mesh->element, "inertia", "convex exact legacy shell");
    tacSoupInertia otherwise = spec->compiler.exactmeshinertia ? TAC_SOUP_EXACT : TAC_SOUP_LEGACY;
    tacSoupInertia rule = word < 0 ? otherwise : (tacSoupInertia)word;
    mesh->pose = tac_pose_identity();
    tacResult result = tac_soup_mass(&mesh->soup, rule, &mesh->mass, &mesh->mass_message);
    if (result == TAC_ERROR_MEMORY) fail_mesh(spec, mesh, result, &mesh->mass_message);
    mesh->massless = result != TAC_OK;
    if (mesh->massless && mesh->soup.nface > 0)
        result = tac_soup_mass(&mesh->soup, TAC_SOUP_SHELL, &mesh->mass, NULL);
    if (result != TAC_OK) return;
    double axes[3][3];
    tac_eigen3(mesh->mass.inertia, mesh->moment, axes);
    tacMat3 R;
    memcpy(R.m, axes, sizeof axes);
    mesh->pose = (tacPose){tac_load3(mesh->mass.centre), tac_mat_to_quat(R)};
}

// vertices and faces in the file's frame
static void place_mesh(tacSpec* spec, tacMeshSpec* mesh) {
    if (mesh->is_placed) return;
    mesh->is_placed = 1;
    if (mesh->path && !mesh->file)
        read_file(spec, mesh);
    else if (!mesh->path)
        read_inline(spec, mesh);
    if (spec->reader.result == TAC_OK) apply_mesh_frame(spec, mesh);
    if (spec->reader.result == TAC_OK && mesh->soup.nface == 0) add_faces(spec, mesh);
}

static tacMeshSpec* mesh_of(tacSpec* spec, const tacElement* geom) {
    int index = tac_read_reference(spec, geom, "mesh", "mesh");
    return index < 0 ? NULL : (tacMeshSpec*)spec->assets.mesh.items + index;
}

const tacMeshSpec* tac_find_mesh(tacSpec* spec, const tacElement* geom) {
    tacMeshSpec* mesh = mesh_of(spec, geom);
    if (mesh && !mesh->is_read) {
        mesh->is_read = 1;
        place_mesh(spec, mesh);
        if (spec->reader.result == TAC_OK) find_principal_frame(spec, mesh);
    }
    return spec->reader.result == TAC_OK ? mesh : NULL;
}

//---------------------------------- triangles for pictures -----------------------

// A visual mesh that cannot be read is left out of the picture, after a warning.
static int open_for_picture(tacSpec* spec, tacMeshSpec* mesh) {
    tacMessage message = {0};
    if (mesh->is_placed || !mesh->path) return 1;
    tacResult result = tac_soup_load(mesh->path, spec->reader.allocator, &mesh->file, &message);
    if (result == TAC_OK) {
        mesh->soup = *mesh->file;
        return 1;
    }
    tac_reader_warn(&spec->reader, "mesh %.60s is not drawn: %.80s: %s", mesh->name, mesh->path,
                    message.text);
    return 0;
}

static int add_triangles(tacSpec* spec, const tacMeshSpec* mesh, tacPose frame) {
    tacReader* reader = &spec->reader;
    const tacSoup* soup = &mesh->soup;
    tacSoupStats stats = {0};
    double* vertex = tac_reader_alloc(reader, sizeof *vertex * (3 * (size_t)soup->nvertex + 1));
    int* triangle = tac_reader_alloc(reader, sizeof *triangle * (3 * (size_t)soup->ntriangle + 1));
    tacTriangles* out = tac_list_add(reader, &spec->assets.triangles, sizeof *out);
    if (!vertex || !triangle || !out) return -1;
    for (int i = 0; i < soup->nvertex; ++i)
        tac_store3(&vertex[3 * i],
                   tac_pose_apply_inverse(frame, tac_load3(soup->vertex + 3 * (size_t)i)));
    memcpy(triangle, soup->triangle, sizeof *triangle * 3 * (size_t)soup->ntriangle);
    int closed = tac_soup_stats(soup, &stats) == TAC_OK && stats.oriented;
    *out = (tacTriangles){soup->nvertex, soup->ntriangle, closed, vertex, triangle};
    return spec->assets.triangles.count - 1;
}

int tac_mesh_triangles(tacSpec* spec, const tacElement* geom, int principal) {
    tacMeshSpec* mesh = mesh_of(spec, geom);
    if (!mesh) return -1;
    int* known = &mesh->triangles[principal];
    if (*known == 0) {
        int opened = open_for_picture(spec, mesh);
        if (opened) place_mesh(spec, mesh);
        if (spec->reader.result != TAC_OK) return -1;
        tacPose frame = principal ? mesh->pose : tac_pose_identity();
        *known = opened ? 1 + add_triangles(spec, mesh, frame) : -1;
    }
    return *known > 0 ? *known - 1 : -1;
}

//---------------------------------- queries of geoms -----------------------------

tacPose tac_mesh_pose(const tacMeshSpec* mesh) { return mesh->pose; }

const tacSoup* tac_mesh_soup(const tacMeshSpec* mesh) { return &mesh->soup; }

int tac_mesh_is_hulled(const tacMeshSpec* mesh) { return mesh->faces_from_hull; }

double tac_mesh_moments(tacSpec* spec, const tacMeshSpec* mesh, int line, double moment[3]) {
    if (mesh->massless)
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, line, "mesh",
                        "cannot compute the mass of this mesh: %s; give the body an <inertial>, or "
                        "the geom mass=\"0\"",
                        mesh->mass_message.text);
    memcpy(moment, mesh->moment, 3 * sizeof *moment);
    return mesh->mass.volume;
}

// half sizes of the box of even density with the same moments
static void inertia_box(const tacMeshSpec* mesh, double half[3]) {
    for (int k = 0; k < 3; ++k) {
        const double* I = mesh->moment;
        double sum = I[(k + 1) % 3] + I[(k + 2) % 3] - I[k];
        half[k] = 0.5 * sqrt(fmax(0.0, 6.0 * sum / mesh->mass.volume));
    }
}

// box around the vertices in principal axes: half sizes and center
static void vertex_box(const tacMeshSpec* mesh, double half[3], double middle[3]) {
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < mesh->soup.nvertex; ++i) {
        double x[3];
        tac_store3(
            x, tac_pose_apply_inverse(mesh->pose, tac_load3(mesh->soup.vertex + 3 * (size_t)i)));
        for (int k = 0; k < 3; ++k) {
            lower[k] = fmin(lower[k], x[k]);
            upper[k] = fmax(upper[k], x[k]);
        }
    }
    for (int k = 0; k < 3; ++k) {
        half[k] = 0.5 * (upper[k] - lower[k]);
        middle[k] = 0.5 * (upper[k] + lower[k]);
    }
}

static void sizes_from_box(const double b[3], tacNodeKind kind, double size[3]) {
    memcpy(size, b, 3 * sizeof *size);
    if (kind == TAC_NODE_SPHERE) size[0] = (b[0] + b[1] + b[2]) / 3.0;
    if (kind != TAC_NODE_CAPSULE && kind != TAC_NODE_CYLINDER) return;
    size[0] = 0.5 * (b[0] + b[1]);
    size[1] = b[2];
    if (kind == TAC_NODE_CAPSULE) size[1] = fmax(0.0, b[2] - 0.5 * size[0]);
}

static void sizes_around(const double b[3], tacNodeKind kind, double size[3]) {
    double wide = fmax(b[0], b[1]);
    memcpy(size, b, 3 * sizeof *size);
    if (kind == TAC_NODE_SPHERE) size[0] = fmax(wide, b[2]);
    if (kind == TAC_NODE_CAPSULE) {
        size[0] = wide;
        size[1] = fmax(0.0, b[2] - wide);
    }
    if (kind == TAC_NODE_CYLINDER) {
        size[0] = wide;
        size[1] = b[2];
    }
}

tacVec3 tac_mesh_fit(tacSpec* spec, const tacElement* geom, const tacMeshSpec* mesh,
                     tacNodeKind kind, double size[3]) {
    double box[3], middle[3] = {0}, scale = 1.0;
    if (spec->compiler.fitaabb) {
        vertex_box(mesh, box, middle);
        sizes_around(box, kind, size);
    } else {
        if (mesh->massless) tac_mesh_moments(spec, mesh, geom->line, box);
        inertia_box(mesh, box);
        sizes_from_box(box, kind, size);
    }
    tac_read_number(&spec->reader, geom, "fitscale", any_number, &scale);
    for (int k = 0; k < 3; ++k) size[k] = fmax(scale * size[k], tac_range_size.lower);
    return tac_load3(middle);
}

//---------------------------------- hull -----------------------------------------

// planes in principal axes
static double* copy_planes(tacSpec* spec, const tacMeshSpec* mesh, const tacHull* hull) {
    double* plane = tac_reader_alloc(&spec->reader, sizeof(double) * 4 * (size_t)hull->nface);
    for (int i = 0; i < hull->nface && plane; ++i) {
        tacVec3 n = tac_load3(&hull->normal[3 * i]);
        tac_store3(&plane[4 * i], tac_pose_rotate_inverse(mesh->pose, n));
        plane[4 * i + 3] = tac_dot(n, mesh->pose.position) - hull->offset[i];
    }
    return plane;
}

// coplanar within more and more of the size, until there are few enough faces
static tacResult make_hull(tacSpec* spec, const tacMeshSpec* mesh, tacHull** out,
                           tacMessage* message) {
    static const double merge[] = {TAC_HULL_MERGE, 1e-5, 1e-4, 3e-4, 1e-3, 2e-3, 4e-3};
    for (int i = 0;; ++i) {
        tacHull* hull = NULL;
        tacResult result = tac_hull_create(
            (tacHullPoints){mesh->soup.vertex, mesh->soup.nvertex, merge[i], mesh->path},
            spec->reader.allocator, &hull, message);
        if (result != TAC_OK) return result;
        *out = hull;
        if (hull->nface <= MAX_HULL_PLANES || i + 1 == TAC_COUNT(merge)) return TAC_OK;
        tac_hull_destroy(hull);
    }
}

// how far a point lies below the faces of a hull
static double depth_below(const tacHull* hull, tacVec3 x) {
    double depth = INFINITY;
    for (int f = 0; f < hull->nface; ++f)
        depth = fmin(depth, hull->offset[f] - tac_dot(tac_load3(&hull->normal[3 * f]), x));
    return depth;
}

// the largest depth of the centers of its triangles: nearly 0 if the mesh is convex
static double concavity_of(const tacSoup* soup, const tacHull* hull) {
    double deepest = 0.0;
    for (int t = 0; t < soup->ntriangle; ++t) {
        tacVec3 sum = tac_vec3_zero();
        for (int k = 0; k < 3; ++k)
            sum = tac_add(sum, tac_load3(soup->vertex + 3 * (size_t)soup->triangle[3 * t + k]));
        deepest = fmax(deepest, depth_below(hull, tac_scale(sum, 1.0 / 3.0)));
    }
    return deepest;
}

// depth of the faces of a mesh below those of its hull, which is this shape; 0: not a mesh
static double concavity_of_shape(const tacSpec* spec, int shape) {
    const tacMeshSpec* mesh = spec->assets.mesh.items;
    for (int i = 0; i < spec->assets.mesh.count; ++i)
        if (mesh[i].is_read && mesh[i].shape == shape) return mesh[i].concavity;
    return 0.0;
}

void tac_warn_nonconvex(tacSpec* spec, const tacGeom* geom, double size) {
    double deep = concavity_of_shape(spec, geom->shape);
    if (!(deep > 1e-3 * size) || tac_reader_has_warning(&spec->reader)) return;
    tac_reader_warn(&spec->reader,
                    "the mesh of geom %.40s is not convex; it collides as its convex hull, up to "
                    "%.3g m away: split it into convex meshes, each a geom of the body",
                    *geom->name ? geom->name : "without a name", deep);
}

int tac_mesh_shape(tacSpec* spec, const tacElement* geom, const tacMeshSpec* found) {
    tacMeshSpec* mesh = (tacMeshSpec*)found;
    (void)geom;
    if (mesh->shape >= 0) return mesh->shape;
    tacMessage message = {0};
    tacHull* hull = NULL;
    tacResult result = make_hull(spec, mesh, &hull, &message);
    if (result != TAC_OK) {
        fail_mesh(spec, mesh, result, &message);
        return -1;
    }
    double* plane = copy_planes(spec, mesh, hull);
    mesh->concavity = concavity_of(&mesh->soup, hull);
    const char* name = tac_reader_text(&spec->reader, "mesh:%s", mesh->name);
    if (plane && name) mesh->shape = tac_add_hull(spec, name, plane, hull->nface);
    tac_hull_destroy(hull);
    return mesh->shape;
}
