// The convex hull of points: check, scale, quickhull, merge, and pack the result.

#include "mesh/convex/hull.h"

#include "base/message.h"
#include "mesh/convex/facets.h"

#include <math.h>
#include <string.h>

//---------------------------------- points ---------------------------------------

typedef struct pointBox {
    double lower[3], upper[3];
} pointBox;

// the box of the points; the index of one that is not finite or too large, else -1
static int find_box(const double* point, int count, pointBox* box) {
    for (int k = 0; k < 3; ++k) {
        box->lower[k] = INFINITY;
        box->upper[k] = -INFINITY;
    }
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            double x = point[3 * (size_t)i + k];
            if (!(fabs(x) <= TAC_MAX_MESH_COORD)) return i;
            box->lower[k] = fmin(box->lower[k], x);
            box->upper[k] = fmax(box->upper[k], x);
        }
    return -1;
}

static double box_diagonal(const pointBox* box) {
    double d[3];
    for (int k = 0; k < 3; ++k) d[k] = box->upper[k] - box->lower[k];
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static double largest_coordinate(const pointBox* box) {
    double most = 0.0;
    for (int k = 0; k < 3; ++k) most = fmax(most, fmax(fabs(box->lower[k]), fabs(box->upper[k])));
    return most;
}

// Scaled by a power of two, which is exact, so that products neither underflow nor overflow; what
// is 2^-250 of the size becomes 0.
static void scale_points(const double* point, int count, int exponent, double* out) {
    double scale = ldexp(1.0, -exponent);
    for (size_t i = 0; i < 3 * (size_t)count; ++i) {
        double x = point[i] * scale;
        out[i] = fabs(x) < 0x1p-250 ? 0.0 : x;
    }
}

//---------------------------------- result ---------------------------------------

// allocates all arrays of the hull
static int alloc_hull(tacHull* hull, const tacFacets* facets, int nvertex) {
    tacAllocator a = hull->allocator;
    size_t faces = (size_t)facets->count, corners = (size_t)facets->ncorner;
    size_t vertices = (size_t)nvertex;
    return (hull->vertex = a.allocate(a.user, 3 * sizeof(double) * vertices)) != 0 &&
           (hull->point = a.allocate(a.user, sizeof(int) * vertices)) != 0 &&
           (hull->normal = a.allocate(a.user, 3 * sizeof(double) * faces)) != 0 &&
           (hull->offset = a.allocate(a.user, sizeof(double) * faces)) != 0 &&
           (hull->first = a.allocate(a.user, sizeof(int) * (faces + 1))) != 0 &&
           (hull->corner = a.allocate(a.user, sizeof(int) * corners)) != 0 &&
           (hull->triangle = a.allocate(a.user, 3 * sizeof(int) * corners)) != 0;
}

// number[p] becomes the vertex of point p, -1 if it is none; how many there are
static int number_vertices(const tacFacets* facets, int count, int* number) {
    int vertices = 0;
    memset(number, -1, sizeof(int) * (size_t)count);
    for (int i = 0; i < facets->ncorner; ++i) number[facets->corner[i]] = 0;
    for (int p = 0; p < count; ++p)
        if (number[p] == 0) number[p] = vertices++;
    return vertices;
}

static void write_vertices(tacHull* hull, const double* point, int count, const int* number) {
    double* vertex = (double*)hull->vertex;
    for (int p = 0; p < count; ++p) {
        if (number[p] < 0) continue;
        memcpy(vertex + 3 * (size_t)number[p], point + 3 * (size_t)p, 3 * sizeof(double));
        ((int*)hull->point)[number[p]] = p;
        ++hull->nvertex;
    }
}

static void write_face(tacHull* hull, const tacFacets* facets, int f, const double* point) {
    const double *n = facets->normal + 3 * (size_t)f, *x = point + 3 * (size_t)facets->highest[f];
    memcpy((double*)hull->normal + 3 * (size_t)f, n, 3 * sizeof(double));
    ((double*)hull->offset)[f] = n[0] * x[0] + n[1] * x[1] + n[2] * x[2];
    const int* corner = hull->corner + facets->first[f];
    int* triangle = (int*)hull->triangle + 3 * (size_t)hull->ntriangle;
    for (int i = 1; i + 1 < facets->first[f + 1] - facets->first[f]; ++i, triangle += 3) {
        triangle[0] = corner[0];
        triangle[1] = corner[i];
        triangle[2] = corner[i + 1];
        ++hull->ntriangle;
    }
}

static int pack_hull(tacHull* hull, const tacFacets* facets, const double* point, int count,
                     int* number) {
    int nvertex = number_vertices(facets, count, number);
    if (!alloc_hull(hull, facets, nvertex)) return 0;
    write_vertices(hull, point, count, number);
    hull->nface = facets->count;
    hull->ncorner = facets->ncorner;
    memcpy((int*)hull->first, facets->first, sizeof(int) * ((size_t)facets->count + 1));
    for (int i = 0; i < facets->ncorner; ++i) ((int*)hull->corner)[i] = number[facets->corner[i]];
    for (int f = 0; f < facets->count; ++f) write_face(hull, facets, f, point);
    return 1;
}

//---------------------------------- all of it ------------------------------------

static tacResult check_points(const double* point, int count, const char* file, pointBox* box,
                              tacMessage* message) {
    if (count < 4)
        return tac_fail(message, TAC_ERROR_VALUE, file, 0, NULL,
                        "%d points have no convex hull; give at least four", count < 0 ? 0 : count);
    if (count > TAC_MAX_HULL_POINTS)
        return tac_fail(message, TAC_ERROR_LIMIT, file, 0, NULL,
                        "%d points; a convex hull takes at most %d", count, TAC_MAX_HULL_POINTS);
    int bad = find_box(point, count, box);
    if (bad >= 0)
        return tac_fail(message, TAC_ERROR_VALUE, file, 0, NULL,
                        "point %d (from 0) is not finite or above %g", bad, TAC_MAX_MESH_COORD);
    return TAC_OK;
}

static tacResult describe_failure(tacResult result, const tacQuickhull* quick, const char* file,
                                  tacMessage* message) {
    if (result == TAC_ERROR_VALUE)
        return tac_fail(message, result, file, 0, NULL,
                        "%s (within %g of their extent), so there is no convex hull; give points "
                        "that span a volume",
                        quick->failure, TAC_HULL_FLAT);
    return tac_fail(message, result, file, 0, NULL, "the convex hull failed: %s",
                    tac_result_text(result));
}

// the scaled points and, after them, an integer per point
static tacResult make_hull(const double* point, int count, double merge, tacHull* hull,
                           tacQuickhull* quick, int exponent) {
    tacAllocator a = hull->allocator;
    double* scaled = a.allocate(a.user, (3 * sizeof(double) + sizeof(int)) * (size_t)count);
    if (!scaled) return TAC_ERROR_MEMORY;
    scale_points(point, count, exponent, scaled);
    quick->point = scaled;
    quick->count = count;
    quick->size = ldexp(hull->size, -exponent);
    quick->allocator = a;

    tacFacets facets = {0};
    tacResult result = tac_quickhull(quick);
    // thin bodies keep their faces: the tolerance is also small against the thickness
    double tolerance = fmin(merge * quick->size, 0.01 * quick->thickness);
    tolerance = fmax(tolerance, 4e-15 * quick->size);
    if (result == TAC_OK) result = tac_facets_create(quick, tolerance, &facets);
    if (result == TAC_OK &&
        !pack_hull(hull, &facets, point, count, (int*)(scaled + 3 * (size_t)count)))
        result = TAC_ERROR_MEMORY;
    tac_facets_free(&facets, a);
    if (quick->triangle) a.release(a.user, quick->triangle);
    a.release(a.user, scaled);
    return result;
}

tacResult tac_hull_create(tacHullPoints points, tacAllocator allocator, tacHull** out,
                          tacMessage* message) {
    pointBox box;
    const char* file = points.file;
    tacResult result = check_points(points.point, points.count, file, &box, message);
    if (result != TAC_OK) return result;
    tacHull* hull = allocator.allocate(allocator.user, sizeof *hull);
    if (!hull) return tac_fail(message, TAC_ERROR_MEMORY, file, 0, NULL, "out of memory");
    *hull = (tacHull){.size = box_diagonal(&box), .allocator = allocator};
    hull->tolerance = 1e-14 * hull->size + 1e-15 * largest_coordinate(&box);

    int exponent = 0;
    frexp(fmax(hull->size, largest_coordinate(&box)), &exponent);
    if (exponent < -1000) exponent = -1000; // so that the scale is finite
    tacQuickhull quick = {0};
    result = make_hull(points.point, points.count, fmax(points.merge, 0.0), hull, &quick, exponent);
    if (result == TAC_OK) {
        *out = hull;
        return TAC_OK;
    }
    tac_hull_destroy(hull);
    return describe_failure(result, &quick, file, message);
}

//---------------------------------- of a soup ------------------------------------

// index[i] becomes the vertex of the i-th used one, with its position; how many there are
static int gather_used(const tacSoup* soup, int* index, double* position) {
    int count = 0;
    memset(index, 0, sizeof(int) * (size_t)soup->nvertex);
    for (int i = 0; i < soup->ncorner; ++i) index[soup->corner[i]] = 1;
    for (int v = 0; v < soup->nvertex; ++v) {
        if (!index[v] && soup->nface > 0) continue;
        memcpy(position + 3 * (size_t)count, soup->vertex + 3 * (size_t)v, 3 * sizeof(double));
        index[count++] = v; // count <= v: what is read next is not overwritten
    }
    return count;
}

tacResult tac_soup_hull(const tacSoup* soup, double merge, tacHull** out, tacMessage* message) {
    tacAllocator a = soup->allocator;
    size_t bytes = (3 * sizeof(double) + sizeof(int)) * (size_t)soup->nvertex;
    double* position = a.allocate(a.user, bytes);
    if (!position) return tac_fail(message, TAC_ERROR_MEMORY, soup->file, 0, NULL, "out of memory");
    int* index = (int*)(position + 3 * (size_t)soup->nvertex);
    int count = gather_used(soup, index, position);
    tacHull* hull = NULL;
    tacResult result =
        tac_hull_create((tacHullPoints){position, count, merge, soup->file}, a, &hull, message);
    for (int i = 0; result == TAC_OK && i < hull->nvertex; ++i)
        ((int*)hull->point)[i] = index[hull->point[i]];
    if (result == TAC_OK) *out = hull;
    a.release(a.user, position);
    return result;
}

void tac_hull_destroy(tacHull* hull) {
    if (!hull) return;
    tacAllocator a = hull->allocator;
    const void* blocks[] = {hull->vertex, hull->point,  hull->normal,   hull->offset,
                            hull->first,  hull->corner, hull->triangle, hull};
    for (int i = 0; i < 8; ++i)
        if (blocks[i]) a.release(a.user, (void*)blocks[i]);
}
