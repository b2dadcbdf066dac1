// Convex solids: vertices, edges and planes of each kind.

#include "tactus/solid.h"

#include "base/message.h"
#include "math/vec3.h"
#include "mesh/convex/hull.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

//---------------------------------- memory ---------------------------------------

typedef struct solidArrays {
    tacVec3 *vertex, *normal;
    double* offset;
    int (*edge)[4];
    int *first, *corner;
} solidArrays;

static size_t align_size(size_t bytes) {
    return (bytes + TAC_ALIGNMENT - 1) / TAC_ALIGNMENT * TAC_ALIGNMENT;
}

// one block: the solid, then its arrays
static tacSolid* alloc_solid(int vertices, int edges, int faces, int corners, solidArrays* arrays) {
    tacAllocator allocator = tac_default_allocator();
    size_t sizes[] = {sizeof(tacSolid),
                      sizeof(tacVec3) * (size_t)vertices,
                      sizeof(tacVec3) * (size_t)faces,
                      sizeof(double) * (size_t)faces,
                      sizeof(int[4]) * (size_t)edges,
                      sizeof(int) * (size_t)(faces + 1),
                      sizeof(int) * (size_t)corners};
    size_t total = 0;
    char* at[sizeof sizes / sizeof *sizes];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) total += align_size(sizes[i]);
    char* block = allocator.allocate(allocator.user, total);
    if (!block) return NULL;
    memset(block, 0, total);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        at[i] = block;
        block += align_size(sizes[i]);
    }
    *arrays = (solidArrays){.vertex = (void*)at[1],
                            .normal = (void*)at[2],
                            .offset = (void*)at[3],
                            .edge = (void*)at[4],
                            .first = (void*)at[5],
                            .corner = (void*)at[6]};
    tacSolid* solid = (void*)at[0];
    *solid = (tacSolid){.vertices = vertices,
                        .edges = edges,
                        .faces = faces,
                        .vertex = arrays->vertex,
                        .normal = arrays->normal,
                        .offset = arrays->offset,
                        .edge = (const int(*)[4])arrays->edge,
                        .first = arrays->first,
                        .corner = arrays->corner,
                        .allocator = allocator};
    return solid;
}

void tac_solid_destroy(tacSolid* solid) {
    if (solid) solid->allocator.release(solid->allocator.user, solid);
}

static tacResult no_memory(tacMessage* message) {
    return tac_fail(message, TAC_ERROR_MEMORY, NULL, 0, NULL, "out of memory for a solid");
}

static void set_center_and_size(tacSolid* solid) {
    tacVec3 sum = tac_vec3_zero();
    for (int i = 0; i < solid->vertices; ++i) sum = tac_add(sum, solid->vertex[i]);
    solid->center = tac_scale(sum, 1.0 / solid->vertices);
    for (int i = 0; i < solid->vertices; ++i)
        solid->size = fmax(solid->size, tac_distance(solid->vertex[i], solid->center));
    solid->size += solid->radius;
}

//---------------------------------- round and unbounded --------------------------

static int is_size(double x) { return x > 0.0 && x <= 1e6; }

tacResult tac_solid_create_ball(double radius, int planar, tacSolid** out, tacMessage* message) {
    solidArrays arrays;
    if (!out) return TAC_ERROR_VALUE;
    if (!is_size(radius))
        return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, "radius",
                        "a radius must be above 0 and at most 1e6; found %g", radius);
    tacSolid* solid = alloc_solid(1, 0, 0, 0, &arrays);
    if (!solid) return no_memory(message);
    solid->planar = planar;
    solid->radius = radius;
    set_center_and_size(solid);
    *out = solid;
    return TAC_OK;
}

tacResult tac_solid_create_halfspace(const double normal[3], double offset, int planar,
                                     tacSolid** out, tacMessage* message) {
    solidArrays arrays;
    if (!normal || !out) return TAC_ERROR_VALUE;
    tacVec3 n = tac_vec3(normal[0], normal[1], planar ? 0.0 : normal[2]);
    double length = tac_norm(n);
    if (!(length > 1e-100) || !(length < 1e100) || !(fabs(offset / length) <= 1e6))
        return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, "normal",
                        "a half-space needs a nonzero normal and an offset of at most 1e6");
    tacSolid* solid = alloc_solid(0, 0, 1, 0, &arrays);
    if (!solid) return no_memory(message);
    solid->planar = planar;
    solid->size = 1.0;
    arrays.normal[0] = tac_scale(n, 1.0 / length);
    arrays.offset[0] = offset / length;
    solid->center = tac_scale(arrays.normal[0], arrays.offset[0]);
    *out = solid;
    return TAC_OK;
}

//---------------------------------- polygons -------------------------------------

// edges of a counter-clockwise polygon
static tacResult solid_from_polygon(const tacVec3* corner, int count, tacSolid** out,
                                    tacMessage* message) {
    solidArrays arrays;
    tacSolid* solid = alloc_solid(count, count, count, 2 * count, &arrays);
    if (!solid) return no_memory(message);
    memcpy(arrays.vertex, corner, sizeof *corner * (size_t)count);
    for (int i = 0; i < count; ++i) {
        int next = (i + 1) % count;
        tacVec3 along = tac_sub(corner[next], corner[i]);
        arrays.normal[i] = tac_normalize(tac_vec3(along.y, -along.x, 0.0));
        arrays.offset[i] =
            fmax(tac_dot(arrays.normal[i], corner[i]), tac_dot(arrays.normal[i], corner[next]));
        arrays.edge[i][0] = i;
        arrays.edge[i][1] = next;
        arrays.edge[i][2] = arrays.edge[i][3] = i;
        arrays.first[i + 1] = 2 * (i + 1);
        arrays.corner[2 * i] = i;
        arrays.corner[2 * i + 1] = next;
    }
    solid->planar = 1;
    set_center_and_size(solid);
    *out = solid;
    return TAC_OK;
}

static double cross_2d(tacVec3 a, tacVec3 b, tacVec3 c) {
    return (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x);
}

static double area_of(const tacVec3* corner, int count) {
    double sum = 0.0;
    for (int i = 1; i + 1 < count; ++i) sum += cross_2d(corner[0], corner[i], corner[i + 1]);
    return 0.5 * sum;
}

// makes it counter-clockwise and drops vertices inside an edge; how many are left
static int clean_polygon(tacVec3* corner, int count, double area, double size) {
    if (area < 0.0)
        for (int i = 0; i < count / 2; ++i) {
            tacVec3 swap = corner[i];
            corner[i] = corner[count - 1 - i];
            corner[count - 1 - i] = swap;
        }
    for (int i = 0; i < count && count > 2;) {
        tacVec3 before = corner[(i + count - 1) % count], after = corner[(i + 1) % count];
        if (fabs(cross_2d(before, corner[i], after)) > 1e-12 * size * size) {
            ++i;
            continue;
        }
        memmove(corner + i, corner + i + 1, sizeof *corner * (size_t)(count - 1 - i));
        --count;
    }
    return count;
}

// a reflex vertex, or the last one if the edges wind more than once; -1: none
static int wrong_corner(const tacVec3* corner, int count) {
    double angle = 0.0;
    for (int i = 0; i < count; ++i) {
        tacVec3 a = corner[i], b = corner[(i + 1) % count], c = corner[(i + 2) % count];
        double t = cross_2d(a, b, c);
        if (t <= 0.0) return (i + 1) % count;
        angle += atan2(t, (b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y));
    }
    return angle > 7.0 ? 0 : -1;
}

tacResult tac_solid_create_polygon(const double* corner, int count, tacSolid** out,
                                   tacMessage* message) {
    if (!corner || !out) return TAC_ERROR_VALUE;
    if (count < 3 || count > 100000)
        return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, "points",
                        "a polygon needs 3 to 100000 vertices; found %d", count);
    tacVec3* polygon = malloc(sizeof *polygon * (size_t)count);
    if (!polygon) return no_memory(message);
    double size = 0.0, finite = 0.0;
    for (int i = 0; i < count; ++i) {
        polygon[i] = tac_vec3(corner[2 * i], corner[2 * i + 1], 0.0);
        finite += 0.0 * polygon[i].x + 0.0 * polygon[i].y;
        size = fmax(size, tac_distance(polygon[i], polygon[0]));
    }
    tacResult result = TAC_OK;
    if (finite != 0.0 || !is_size(size))
        result = tac_fail(message, TAC_ERROR_VALUE, NULL, 0, "points",
                          "vertices of a polygon must be finite and distinct");
    double area = result == TAC_OK ? area_of(polygon, count) : 0.0;
    if (result == TAC_OK) count = clean_polygon(polygon, count, area, size);
    int wrong = result == TAC_OK && count > 2 ? wrong_corner(polygon, count) : -1;
    if (result == TAC_OK && count < 3)
        result = tac_fail(message, TAC_ERROR_VALUE, NULL, 0, "points",
                          "a polygon needs an area; all vertices are on one line");
    else if (result == TAC_OK && fabs(area) < 1e-12 * size * size)
        result = tac_fail(message, TAC_ERROR_VALUE, NULL, 0, "points",
                          "the edges of the polygon cross, so that its area is 0; list the "
                          "vertices in order around it");
    else if (wrong >= 0)
        result = tac_fail(message, TAC_ERROR_VALUE, NULL, 0, "points",
                          "the polygon is not convex at (%g, %g), or its edges cross there; list "
                          "the vertices in order, or split it into convex polygons",
                          polygon[wrong].x, polygon[wrong].y);
    if (result == TAC_OK) result = solid_from_polygon(polygon, count, out, message);
    free(polygon);
    return result;
}

//---------------------------------- polyhedra ------------------------------------

// the face that has the edge from a to b
static int face_with(const tacHull* hull, int a, int b) {
    for (int f = 0; f < hull->nface; ++f)
        for (int i = hull->first[f]; i < hull->first[f + 1]; ++i) {
            int next = i + 1 < hull->first[f + 1] ? i + 1 : hull->first[f];
            if (hull->corner[i] == a && hull->corner[next] == b) return f;
        }
    return -1;
}

// each edge once, from the smaller vertex to the larger; -1 if a face has no neighbour
static int list_edges(const tacHull* hull, int (*edge)[4]) {
    int count = 0;
    for (int f = 0; f < hull->nface; ++f)
        for (int i = hull->first[f]; i < hull->first[f + 1]; ++i) {
            int a = hull->corner[i];
            int b = hull->corner[i + 1 < hull->first[f + 1] ? i + 1 : hull->first[f]];
            if (a > b) continue;
            int other = face_with(hull, b, a);
            if (other < 0) return -1;
            edge[count][0] = a;
            edge[count][1] = b;
            edge[count][2] = f;
            edge[count][3] = other;
            ++count;
        }
    return count;
}

static int max_corners(const tacHull* hull) {
    int max = 0;
    for (int f = 0; f < hull->nface; ++f) {
        int n = hull->first[f + 1] - hull->first[f];
        if (n > max) max = n;
    }
    return max;
}

static tacResult solid_from_hull(const tacHull* hull, tacSolid** out, tacMessage* message) {
    if (max_corners(hull) > TAC_SOLID_MAX_FACE_VERTICES)
        return tac_fail(message, TAC_ERROR_LIMIT, NULL, 0, NULL,
                        "a face of the solid has %d vertices; at most %d are allowed",
                        max_corners(hull), TAC_SOLID_MAX_FACE_VERTICES);
    solidArrays arrays;
    tacSolid* solid =
        alloc_solid(hull->nvertex, hull->ncorner / 2, hull->nface, hull->ncorner, &arrays);
    if (!solid) return no_memory(message);
    for (int i = 0; i < hull->nvertex; ++i) arrays.vertex[i] = tac_load3(hull->vertex + 3 * i);
    for (int f = 0; f < hull->nface; ++f) {
        arrays.normal[f] = tac_load3(hull->normal + 3 * f);
        arrays.offset[f] = hull->offset[f];
    }
    memcpy(arrays.first, hull->first, sizeof(int) * (size_t)(hull->nface + 1));
    memcpy(arrays.corner, hull->corner, sizeof(int) * (size_t)hull->ncorner);
    if (list_edges(hull, arrays.edge) != solid->edges) {
        tac_solid_destroy(solid);
        return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, NULL,
                        "the hull of the points is not closed; they are nearly in a plane");
    }
    set_center_and_size(solid);
    *out = solid;
    return TAC_OK;
}

tacResult tac_solid_create_polyhedron(const double* point, int count, tacSolid** out,
                                      tacMessage* message) {
    if (!point || !out) return TAC_ERROR_VALUE;
    tacHull* hull = NULL;
    tacResult result = tac_hull_create((tacHullPoints){point, count, 1e-12, NULL},
                                       tac_default_allocator(), &hull, message);
    if (result == TAC_OK) result = solid_from_hull(hull, out, message);
    tac_hull_destroy(hull);
    return result;
}

tacResult tac_solid_create_box(const double half[3], int planar, tacSolid** out,
                               tacMessage* message) {
    double corner[24];
    if (!half || !out) return TAC_ERROR_VALUE;
    for (int k = 0; k < (planar ? 2 : 3); ++k)
        if (!is_size(half[k]))
            return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, "size",
                            "half sizes must be above 0 and at most 1e6; number %d is %g", k,
                            half[k]);
    if (planar) {
        const double flat[8] = {half[0],  half[1],  -half[0], half[1],
                                -half[0], -half[1], half[0],  -half[1]};
        return tac_solid_create_polygon(flat, 4, out, message);
    }
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k) corner[3 * i + k] = i >> k & 1 ? half[k] : -half[k];
    return tac_solid_create_polyhedron(corner, 8, out, message);
}
