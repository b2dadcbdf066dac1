// Vertices of a convex solid given by its planes.
//
//   planes --deepest point--> dual points --hull.c--> dual faces --> vertices --hull.c--> hull
//
// About a point c inside, with d_i = -(n_i . c + h_i) > 0, a plane has the dual point n_i/d_i. A
// face m . x = o of the hull of those is a vertex c + m/o of the solid. Their box is scaled to a
// cube and everything is repeated, so that thin solids lose no digits.

#include "mesh/convex/halfspace_intersection.h"

#include "base/message.h"
#include "shape/bounds/planes.h"

#include <math.h>

// coplanar within this: planes through one vertex up to rounding
#define DUAL_MERGE 1e-9

// y = middle + half u
typedef struct boxMap {
    double middle[3], half[3], inside[3]; // inside: the deepest point, in u
} boxMap;

// the map of the cube [-1, 1]^3 to the box around the vertices
static boxMap map_to_box(const double* vertex, int count) {
    boxMap s = {.half = {0.0}};
    for (int k = 0; k < 3; ++k) {
        double lower = INFINITY, upper = -INFINITY;
        for (int i = 0; i < count; ++i) {
            lower = fmin(lower, vertex[3 * i + k]);
            upper = fmax(upper, vertex[3 * i + k]);
        }
        s.middle[k] = 0.5 * (lower + upper);
        s.half[k] = 0.5 * (upper - lower);
    }
    return s;
}

// planes of the mapped solid, with normals of length 1
static void map_planes(const double* plane, int count, const boxMap* s, double* out) {
    for (int i = 0; i < count; ++i, plane += 4, out += 4) {
        double square = 0.0;
        out[3] = plane[3];
        for (int k = 0; k < 3; ++k) {
            out[k] = plane[k] * s->half[k];
            out[3] += plane[k] * s->middle[k];
            square += out[k] * out[k];
        }
        for (int k = 0; k < 4; ++k) out[k] /= sqrt(square);
    }
}

// n_i/d_i, in place of the planes' first three numbers; 0 if the point is outside a plane
static int dual_points(const double* plane, int count, const double* inside, double* point) {
    for (int i = 0; i < count; ++i, plane += 4, point += 3) {
        double d = -plane[3];
        for (int k = 0; k < 3; ++k) d -= plane[k] * inside[k];
        if (!(d > 0.0)) return 0;
        for (int k = 0; k < 3; ++k) point[k] = plane[k] / d;
    }
    return 1;
}

// 0 if the origin is outside a face of the dual: the solid is unbounded
static int dual_to_vertices(const tacHull* dual, const boxMap* s, double* vertex) {
    for (int f = 0; f < dual->nface; ++f) {
        if (!(dual->offset[f] > 1e-12 * dual->size)) return 0;
        for (int k = 0; k < 3; ++k) {
            double u = s->inside[k] + dual->normal[3 * f + k] / dual->offset[f];
            vertex[3 * f + k] = s->middle[k] + s->half[k] * u;
        }
    }
    return 1;
}

// the planes of a solid, and memory for its dual
typedef struct dualProblem {
    const double* plane; // (count, 4)
    int count;
    double* mapped; // (count, 4) planes in the box
    double* point;  // (count, 3) of the dual
    double* vertex; // (2 count, 3) of the solid, at most
    tacAllocator allocator;
    tacMessage* message;
} dualProblem;

static tacResult make_dual(const dualProblem* p, boxMap* s, tacHull** dual) {
    double scale = 0.0;
    map_planes(p->plane, p->count, s, p->mapped);
    for (int i = 0; i < p->count; ++i) scale = fmax(scale, fabs(p->mapped[4 * i + 3]));
    tac_planes_deepest_point(p->mapped, p->count, 1e-6 * scale, -INFINITY, s->inside);
    if (!dual_points(p->mapped, p->count, s->inside, p->point))
        return tac_fail(p->message, TAC_ERROR_VALUE, NULL, 0, NULL, "the solid is empty");
    return tac_hull_create((tacHullPoints){p->point, p->count, DUAL_MERGE, NULL}, p->allocator,
                           dual, p->message);
}

// vertices of the solid, one for each face of its dual
static tacResult find_vertices(const dualProblem* p, boxMap* s, int* found) {
    tacHull* dual = NULL;
    tacResult result = make_dual(p, s, &dual);
    if (result != TAC_OK) return result;
    *found = dual->nface;
    if (!dual_to_vertices(dual, s, p->vertex))
        result = tac_fail(p->message, TAC_ERROR_VALUE, NULL, 0, NULL, "the solid is unbounded");
    tac_hull_destroy(dual);
    return result;
}

tacResult tac_halfspace_intersection(const double* plane, int count, tacAllocator allocator,
                                     tacHull** out, tacMessage* message) {
    size_t n = (size_t)count;
    double* work = allocator.allocate(allocator.user, 13 * sizeof(double) * n);
    if (!work) return tac_fail(message, TAC_ERROR_MEMORY, NULL, 0, NULL, "out of memory");
    dualProblem p = {plane, count, work, work + 4 * n, work + 7 * n, allocator, message};
    boxMap s = {.half = {1.0, 1.0, 1.0}};
    int found = 0;
    tacResult result = find_vertices(&p, &s, &found);
    if (result == TAC_OK) { // again, mapped to the unit cube
        s = map_to_box(p.vertex, found);
        result = find_vertices(&p, &s, &found);
    }
    if (result == TAC_OK)
        result = tac_hull_create((tacHullPoints){p.vertex, found, TAC_HULL_MERGE, NULL}, allocator,
                                 out, message);
    allocator.release(allocator.user, work);
    return result;
}
