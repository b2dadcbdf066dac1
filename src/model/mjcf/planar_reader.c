// Geoms of planar scenes: circle, rectangle, polygon and half-plane, in the x-y plane of their
// frame.
//
//   geom_reader.c --element--> [this file] --a thin solid--> shape_reader.c
//                                          --outline--> contact_solids.c
//
// In 3D they are a cylinder, a box, a prism and a half-space, for pictures, masses and fields;
// detect="sat" and detect="convex" use their outlines only.

#include "model/mjcf/planar.h"

#include "math/pose.h"
#include "mesh/convex/hull.h"
#include "model/xml/tree.h"

#include <math.h>
#include <string.h>

static const tacRange any_number = {-1e6, 1e6};
static const double thickness = 0.05; // half, unless the size gives one

//---------------------------------- polygons -------------------------------------

// mass properties of a prism of unit density, from triangles of its vertices
static tacInertia prism_inertia(const double* corner, int count, double half) {
    double area = 0.0, x = 0.0, y = 0.0, xx = 0.0, yy = 0.0, xy = 0.0;
    for (int i = 0; i < count; ++i) {
        const double *a = corner + 2 * i, *b = corner + 2 * ((i + 1) % count);
        double twice = a[0] * b[1] - a[1] * b[0];
        area += twice / 2.0;
        x += twice * (a[0] + b[0]) / 6.0;
        y += twice * (a[1] + b[1]) / 6.0;
        xx += twice * (a[0] * a[0] + a[0] * b[0] + b[0] * b[0]) / 12.0;
        yy += twice * (a[1] * a[1] + a[1] * b[1] + b[1] * b[1]) / 12.0;
        xy += twice * (2.0 * (a[0] * a[1] + b[0] * b[1]) + a[0] * b[1] + b[0] * a[1]) / 24.0;
    }
    tacInertia out = {.com = {x / area, y / area, 0.0}};
    double sign = area < 0.0 ? -2.0 * half : 2.0 * half; // either sense of rotation
    out.mass = sign * area;
    double zz = out.mass * half * half / 3.0;
    double cxx = sign * (xx - x * x / area), cyy = sign * (yy - y * y / area);
    out.inertia[0] = cyy + zz;
    out.inertia[1] = cxx + zz;
    out.inertia[2] = cxx + cyy;
    out.inertia[3] = -sign * (xy - x * y / area);
    return out;
}

// a prism over the polygon
static int add_prism(tacSpec* spec, const tacElement* element, const char* key,
                     const double* corner, int count, tacGeomSpec* geom_spec) {
    tacReader* reader = &spec->reader;
    double* point = tac_reader_alloc(reader, sizeof *point * 6 * (size_t)count);
    tacMessage message = {0};
    tacHull* hull = NULL;
    for (int i = 0; i < 2 * count && point; ++i) {
        point[3 * i] = corner[2 * (i / 2)];
        point[3 * i + 1] = corner[2 * (i / 2) + 1];
        point[3 * i + 2] = i % 2 ? geom_spec->size[2] : -geom_spec->size[2];
    }
    if (!point) return -1;
    tacResult result = tac_hull_create((tacHullPoints){point, 2 * count, 0.0, NULL},
                                       reader->allocator, &hull, &message);
    if (result != TAC_OK) {
        tac_reader_fail(reader, result, tac_attribute_line(element, "points"), "points", "%.200s",
                        message.text);
        return -1;
    }
    tacInertia* inertia = tac_reader_alloc(reader, sizeof *inertia);
    if (inertia) *inertia = prism_inertia(corner, count, geom_spec->size[2]);
    geom_spec->prism = inertia;
    double* plane = tac_reader_alloc(reader, sizeof *plane * 4 * (size_t)hull->nface);
    for (int f = 0; f < hull->nface && plane; ++f) {
        memcpy(plane + 4 * f, hull->normal + 3 * f, 3 * sizeof *plane);
        plane[4 * f + 3] = -hull->offset[f]; // n . x + h <= 0
    }
    int shape =
        plane ? tac_add_hull(spec, tac_reader_text(reader, "geom:%s", key), plane, hull->nface)
              : -1;
    tac_hull_destroy(hull);
    return shape;
}

// vertices of a convex polygon, or an error with the line
static const double* read_corners(tacSpec* spec, const tacElement* element, int* count) {
    tacReader* reader = &spec->reader;
    tacMessage message = {0};
    tacSolid* solid = NULL;
    tac_require(reader, element, "points");
    const double* corner = tac_read_list(reader, element, "points", any_number, count);
    if (!corner) return NULL;
    int line = tac_attribute_line(element, "points");
    if (*count % 2) {
        tac_reader_fail(reader, TAC_ERROR_VALUE, line, "points",
                        "vertices are pairs x y; found %d numbers", *count);
        return NULL;
    }
    *count /= 2;
    tacResult result = tac_solid_create_polygon(corner, *count, &solid, &message);
    if (result != TAC_OK) tac_reader_fail(reader, result, line, "points", "%.200s", message.text);
    tac_solid_destroy(solid);
    return result == TAC_OK ? corner : NULL;
}

//---------------------------------- geoms ----------------------------------------

// A half-plane lies below the x axis of its frame. A plane's normal is z, so z becomes y.
static tacPose lay_down(tacPose pose) {
    const double r = sqrt(0.5);
    return tac_pose_compose(pose, (tacPose){{0.0, 0.0, 0.0}, {r, -r, 0.0, 0.0}});
}

void tac_read_planar(tacSpec* spec, const tacElement* element, tacPlanarKind kind, const char* key,
                     tacGeomSpec* geom_spec) {
    static const tacNodeKind nodes[] = {TAC_NODE_CYLINDER, TAC_NODE_BOX, TAC_NODE_POLYHEDRON,
                                        TAC_NODE_PLANE};
    static const int sizes[] = {1, 2, 0, 0};
    tacReader* reader = &spec->reader;
    tacPlanar planar = {.geom = spec->geoms.geom.count, .kind = kind};
    double size[3] = {0.0, 0.0, 0.0};
    int need = sizes[kind];
    size[need] = thickness;
    if (need > 0) tac_require(reader, element, "size");
    if (kind != TAC_PLANAR_HALFPLANE)
        tac_read_numbers(reader, element, "size", (tacCountRange){need > 0 ? need : 1, need + 1},
                         tac_range_size, size);
    geom_spec->kind = nodes[kind];
    geom_spec->pose = tac_read_pose(spec, element);
    memcpy(geom_spec->size, size, sizeof size);
    if (kind == TAC_PLANAR_CIRCLE) geom_spec->size[1] = size[1];
    if (kind == TAC_PLANAR_POLYGON) {
        planar.corner = read_corners(spec, element, &planar.corners);
        geom_spec->size[2] = size[0];
    }
    memcpy(planar.size, size, sizeof planar.size);
    if (reader->result != TAC_OK) return;
    if (kind == TAC_PLANAR_HALFPLANE) geom_spec->pose = lay_down(geom_spec->pose);
    geom_spec->shape = kind == TAC_PLANAR_POLYGON
                           ? add_prism(spec, element, key, planar.corner, planar.corners, geom_spec)
                           : tac_add_geom_primitive(spec, key, geom_spec);
    tacPlanar* out = tac_list_add(reader, &spec->contact.planar, sizeof *out);
    if (out) *out = planar;
}

//---------------------------------- joint ----------------------------------------

void tac_read_planar_joint(tacSpec* spec, const tacElement* element, int body, tacPose pose) {
    static const char* const parts[][3] = {
        {"slide", "1 0 0", "_x"}, {"slide", "0 1 0", "_y"}, {"hinge", "0 0 1", "_angle"}};
    tacReader* reader = &spec->reader;
    const tacAttribute* name = tac_attribute(element, "name");
    static const char* const not_planar[] = {"axis", "range", "ref", "springref"};
    for (int i = 0; i < 4; ++i)
        if (tac_attribute(element, not_planar[i]))
            tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, not_planar[i]),
                            not_planar[i],
                            "a planar joint translates along x, y and rotates about z; for '%s' "
                            "use two slides and a hinge",
                            not_planar[i]);
    for (int i = 0; i < 3 && reader->result == TAC_OK; ++i) {
        const tacNames none = {0};
        tacElement* part = tac_tree_copy(reader, element, &(tacRename){"", "", &none, -1});
        if (!part) return;
        tac_tree_set(reader, part, "type", parts[i][0]);
        tac_tree_set(reader, part, "axis", parts[i][1]);
        if (name)
            tac_tree_set(reader, part, "name",
                         tac_reader_text(reader, "%s%s", name->value, parts[i][2]));
        tac_read_joint(spec, part, body, pose);
    }
}
