// Surfaces of geoms: triangles, edges, order.
//
//   shape --surface--> triangles --creases--> edges --spatial order--> blocks
//
// A sphere is a point with a radius, a capsule a segment with one, a half-space has no features. A
// box has its vertices; convex solids are the hull of points on them; all others are tessellated.

#include "model/contact/feature_surface.h"

#include "base/message.h"
#include "mesh/convex/halfspace_intersection.h"
#include "mesh/mass/soup_mass.h"
#include "mesh/surface/surface.h"
#include "tactus/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// sine of the angle between faces below which there is no edge between them
#define FLAT_EDGE 1e-4
// edges shorter than this share of the size are dropped
#define SHORT_EDGE 1e-9

static tacResult no_memory(tacMessage* message) {
    return tac_fail(message, TAC_ERROR_MEMORY, NULL, 0, NULL, "out of memory");
}

//---------------------------------- surfaces -------------------------------------

static tacResult alloc_surface(tacFeatureSurface* s, int vertices, int triangles,
                               tacMessage* message) {
    s->vertices = vertices;
    s->triangles = triangles;
    s->x = tac_region_alloc(s->blocks, (size_t)vertices + 1, sizeof *s->x);
    s->triangle = tac_region_alloc(s->blocks, (size_t)triangles + 1, sizeof *s->triangle);
    return s->x && s->triangle ? TAC_OK : no_memory(message);
}

static int corners_of(const tacHull* hull, int face) {
    return hull->first[face + 1] - hull->first[face];
}

// Faces of few vertices also have points a tenth of the way from each vertex to their center:
// solids of one size that lie flush have their vertices on each other's side faces, where the depth
// is 0.
static int has_inner(const tacFeatureSurface* s, const tacHull* hull, int face) {
    return s->inner && hull->nface <= 32 && corners_of(hull, face) <= 8;
}

static int count_inner(const tacFeatureSurface* s, const tacHull* hull) {
    int count = 0;
    for (int f = 0; f < hull->nface; ++f)
        if (has_inner(s, hull, f)) count += corners_of(hull, f);
    return count;
}

// a cylinder has such points on its caps, a tenth within each rim
static int count_rings(const tacFeatureSurface* s, const tacHull* hull) {
    return s->inner && s->rim[0] > 0.0 ? hull->nvertex : 0;
}

static void set_inner(const tacHull* hull, int face, double (*x)[3]) {
    int n = corners_of(hull, face);
    const int* corner = hull->corner + hull->first[face];
    double middle[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3 * n; ++i) middle[i % 3] += hull->vertex[3 * corner[i / 3] + i % 3] / n;
    for (int i = 0; i < 3 * n; ++i)
        x[i / 3][i % 3] = 0.9 * hull->vertex[3 * corner[i / 3] + i % 3] + 0.1 * middle[i % 3];
}

static tacResult from_hull(tacFeatureSurface* s, const tacHull* hull, tacMessage* message) {
    int at = hull->nvertex, rings = count_rings(s, hull);
    tacResult result =
        alloc_surface(s, at + (rings ? rings : count_inner(s, hull)), hull->ntriangle, message);
    if (result != TAC_OK) return result;
    memcpy(s->x, hull->vertex, sizeof *s->x * (size_t)hull->nvertex);
    memcpy(s->triangle, hull->triangle, sizeof *s->triangle * (size_t)hull->ntriangle);
    for (int i = 0; i < rings; ++i)
        for (int k = 0; k < 3; ++k) s->x[at + i][k] = (k < 2 ? 0.9 : 1.0) * hull->vertex[3 * i + k];
    for (int f = 0; f < hull->nface && rings == 0; ++f) {
        if (!has_inner(s, hull, f)) continue;
        set_inner(hull, f, s->x + at);
        at += corners_of(hull, f);
    }
    return TAC_OK;
}

static tacResult from_points(tacFeatureSurface* s, const double* point, int count,
                             tacAllocator allocator, tacMessage* message) {
    tacHull* hull = NULL;
    tacResult result = tac_hull_create((tacHullPoints){point, count, TAC_HULL_MERGE, NULL},
                                       allocator, &hull, message);
    if (result == TAC_OK) result = from_hull(s, hull, message);
    tac_hull_destroy(hull);
    return result;
}

static tacResult from_planes(tacFeatureSurface* s, const tacReal* plane, int count,
                             tacAllocator allocator, tacMessage* message) {
    tacHull* hull = NULL;
    tacResult result = tac_halfspace_intersection(plane, count, allocator, &hull, message);
    if (result == TAC_OK) result = from_hull(s, hull, message);
    tac_hull_destroy(hull);
    return result;
}

static tacResult box_surface(tacFeatureSurface* s, const tacReal* size, tacAllocator allocator,
                             tacMessage* message) {
    double point[8][3];
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k) point[i][k] = i >> k & 1 ? size[k] : -size[k];
    return from_points(s, point[0], 8, allocator, message);
}

// two rings of corners on the rims
static tacResult cylinder_surface(tacFeatureSurface* s, const tacReal* size, int vertices,
                                  tacAllocator allocator, tacMessage* message) {
    int ring = vertices / 2 < 8 ? 8 : vertices / 2 > 256 ? 256 : vertices / 2;
    double point[512][3];
    s->rim[0] = size[0];
    s->rim[1] = size[1];
    for (int i = 0; i < ring; ++i) {
        double angle = 2.0 * 3.14159265358979323846 * i / ring;
        for (int end = 0; end < 2; ++end) {
            double* p = point[2 * i + end];
            p[0] = size[0] * cos(angle);
            p[1] = size[0] * sin(angle);
            p[2] = end ? size[1] : -size[1];
        }
    }
    return from_points(s, point[0], 2 * ring, allocator, message);
}

// points of a spiral on the unit sphere, scaled
static tacResult ellipsoid_surface(tacFeatureSurface* s, const tacReal* size, int vertices,
                                   tacAllocator allocator, tacMessage* message) {
    double(*point)[3] = tac_region_alloc(s->blocks, (size_t)vertices, sizeof *point);
    if (!point) return no_memory(message);
    for (int i = 0; i < vertices; ++i) {
        double z = 1.0 - (2.0 * i + 1.0) / vertices, r = sqrt(1.0 - z * z);
        double angle = 2.39996322972865332 * i;
        point[i][0] = size[0] * r * cos(angle);
        point[i][1] = size[1] * r * sin(angle);
        point[i][2] = size[2] * z;
    }
    return from_points(s, point[0], vertices, allocator, message);
}

// the ends of a capsule's segment; a sphere is one point
static tacResult swept_surface(tacFeatureSurface* s, const tacNode* node, const tacReal* size,
                               tacMessage* message) {
    int ends = node->kind == TAC_NODE_CAPSULE ? 2 : 1;
    tacResult result = alloc_surface(s, ends, 0, message);
    if (result != TAC_OK) return result;
    for (int i = 0; i < ends && ends == 2; ++i) s->x[i][2] = i ? size[1] : -size[1];
    s->edge = tac_region_alloc(s->blocks, 1, sizeof *s->edge);
    if (!s->edge) return no_memory(message);
    s->edges = ends - 1;
    s->edge[0][0] = 0;
    s->edge[0][1] = 1;
    s->radius = size[0];
    s->radius_param = node->size;
    return TAC_OK;
}

static tacResult tessellated_surface(tacFeatureSurface* s, const tacModel* model, int shape,
                                     tacFeatureOptions options, tacMessage* message) {
    tacMesh *own = NULL, **cached = options.tessellated ? options.tessellated : &own;
    tacResult result =
        *cached ? TAC_OK : tac_shape_tessellate(model, shape, options.vertices, cached, message);
    const tacMesh* mesh = *cached;
    if (result == TAC_OK) result = alloc_surface(s, mesh->vertices, mesh->faces, message);
    for (int i = 0; result == TAC_OK && i < mesh->vertices; ++i)
        for (int k = 0; k < 3; ++k) s->x[i][k] = mesh->x[k][i];
    for (int i = 0; result == TAC_OK && i < mesh->faces; ++i)
        for (int k = 0; k < 3; ++k) s->triangle[i][k] = mesh->face[k][i];
    tac_mesh_destroy(own);
    return result;
}

// a given mesh must be closed, with outward faces: tac_soup_mass checks
static tacResult mesh_surface(tacFeatureSurface* s, const tacSoup* mesh, tacMessage* message) {
    tacSoupMass mass;
    tacResult result = tac_soup_mass(mesh, TAC_SOUP_EXACT, &mass, message);
    if (result == TAC_OK) result = alloc_surface(s, mesh->nvertex, mesh->ntriangle, message);
    if (result != TAC_OK) return result;
    memcpy(s->x, mesh->vertex, sizeof *s->x * (size_t)mesh->nvertex);
    memcpy(s->triangle, mesh->triangle, sizeof *s->triangle * (size_t)mesh->ntriangle);
    return TAC_OK;
}

int tac_has_identity_pose(const tacModel* model, const tacNode* node) {
    const tacReal *p = &model->param[node->position], *q = &model->param[node->rotation];
    return p[0] == 0.0 && p[1] == 0.0 && p[2] == 0.0 && q[1] == 0.0 && q[2] == 0.0 && q[3] == 0.0;
}

static tacResult make_surface(tacFeatureSurface* s, const tacModel* model, int shape,
                              tacFeatureOptions options, tacMessage* message) {
    const tacShape* whole = &model->shape[shape];
    const tacNode* node = &model->node[whole->first + whole->count - 1];
    const tacReal* size = node->size >= 0 ? &model->param[node->size] : NULL;
    tacAllocator a = model->allocator;
    if (options.mesh) return mesh_surface(s, options.mesh, message);
    if (whole->count > 1 || !tac_has_identity_pose(model, node))
        return tessellated_surface(s, model, shape, options, message);
    switch (node->kind) {
    case TAC_NODE_PLANE:
        return TAC_OK;
    case TAC_NODE_SPHERE:
    case TAC_NODE_CAPSULE:
        return swept_surface(s, node, size, message);
    case TAC_NODE_BOX:
        return box_surface(s, size, a, message);
    case TAC_NODE_CYLINDER:
        return cylinder_surface(s, size, options.vertices / 6, a, message);
    case TAC_NODE_ELLIPSOID:
        return ellipsoid_surface(s, size, options.vertices, a, message);
    case TAC_NODE_POLYHEDRON:
        return from_planes(s, &model->param[node->block], node->block_count / 4, a, message);
    default:
        return tessellated_surface(s, model, shape, options, message);
    }
}

//---------------------------------- edges ----------------------------------------

// one side of a triangle: its vertices, the smaller first
typedef struct halfEdge {
    int low, high, triangle;
} halfEdge;

static int compare_sides(const void* a, const void* b) {
    const halfEdge *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    if (p->high != q->high) return p->high < q->high ? -1 : 1;
    return p->triangle < q->triangle ? -1 : p->triangle > q->triangle;
}

void tac_feature_normal(const tacFeatureSurface* s, int triangle, double out[3]) {
    const int* v = s->triangle[triangle];
    double a[3], b[3];
    tac_sub3(s->x[v[1]], s->x[v[0]], a);
    tac_sub3(s->x[v[2]], s->x[v[0]], b);
    tac_cross3(a, b, out);
    double length = sqrt(tac_dot3(out, out));
    for (int k = 0; k < 3 && length > 0.0; ++k) out[k] /= length;
}

// sides come in pairs; coplanar faces have no edge between them
static int is_crease(const tacFeatureSurface* s, const halfEdge* side) {
    double a[3], b[3], cross[3];
    tac_feature_normal(s, side[0].triangle, a);
    tac_feature_normal(s, side[1].triangle, b);
    tac_cross3(a, b, cross);
    return tac_dot3(cross, cross) > FLAT_EDGE * FLAT_EDGE || tac_dot3(a, b) < 0.0;
}

static double surface_extent(const tacFeatureSurface* s) {
    double size = 0.0;
    for (int i = 0; i < s->vertices; ++i)
        for (int k = 0; k < 3; ++k) size = fmax(size, fabs(s->x[i][k] - s->x[0][k]));
    return size;
}

static int has_length(const tacFeatureSurface* s, const halfEdge* side, double size) {
    double d[3];
    tac_sub3(s->x[side->high], s->x[side->low], d);
    return tac_dot3(d, d) > SHORT_EDGE * SHORT_EDGE * size * size;
}

static tacResult find_edges(tacFeatureSurface* s, tacMessage* message) {
    int sides = 3 * s->triangles;
    if (s->edge || sides == 0) return TAC_OK;
    halfEdge* side = TAC_REGION_ALLOC(s->blocks, halfEdge, sides);
    s->edge = tac_region_alloc(s->blocks, (size_t)sides, sizeof *s->edge);
    if (!side || !s->edge) return no_memory(message);
    for (int i = 0; i < sides; ++i) {
        int a = s->triangle[i / 3][i % 3], b = s->triangle[i / 3][(i + 1) % 3];
        side[i] = (halfEdge){a < b ? a : b, a < b ? b : a, i / 3};
    }
    qsort(side, (size_t)sides, sizeof *side, compare_sides);
    double size = surface_extent(s);
    for (int i = 0; i + 1 < sides; i += 2) {
        if (!is_crease(s, &side[i]) || !has_length(s, &side[i], size)) continue;
        int edge[4] = {side[i].low, side[i].high, side[i].triangle, side[i + 1].triangle};
        memcpy(s->edge[s->edges++], edge, sizeof edge);
    }
    return TAC_OK;
}

//---------------------------------- order ----------------------------------------

typedef struct orderItem {
    double key, x[3];
    int index;
} orderItem;

static int compare_items(const void* a, const void* b) {
    const orderItem *p = a, *q = b;
    if (p->key != q->key) return p->key < q->key ? -1 : 1;
    return p->index < q->index ? -1 : p->index > q->index;
}

static int widest_axis(const orderItem* item, int count) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            low[k] = fmin(low[k], item[i].x[k]);
            high[k] = fmax(high[k], item[i].x[k]);
        }
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
    return axis;
}

// halves across the widest side, whole blocks on the left, until one block is left
static void order_items(orderItem* item, int count) {
    while (count > TAC_FEATURE_BLOCK) {
        int axis = widest_axis(item, count);
        int blocks = (count + TAC_FEATURE_BLOCK - 1) / TAC_FEATURE_BLOCK;
        int left = (blocks + 1) / 2 * TAC_FEATURE_BLOCK;
        for (int i = 0; i < count; ++i) item[i].key = item[i].x[axis];
        qsort(item, (size_t)count, sizeof *item, compare_items);
        order_items(item, left);
        item += left;
        count -= left;
    }
}

static tacResult sort_vertices(tacFeatureSurface* s, tacMessage* message) {
    size_t count = (size_t)s->vertices + 1;
    orderItem* item = TAC_REGION_ALLOC(s->blocks, orderItem, count);
    int* number = TAC_REGION_ALLOC(s->blocks, int, count);
    double(*x)[3] = tac_region_alloc(s->blocks, count, sizeof *x);
    if (!item || !number || !x) return no_memory(message);
    for (int i = 0; i < s->vertices; ++i) {
        item[i].index = i;
        memcpy(item[i].x, s->x[i], sizeof item[i].x);
    }
    order_items(item, s->vertices);
    for (int i = 0; i < s->vertices; ++i) {
        number[item[i].index] = i;
        memcpy(x[i], item[i].x, sizeof *x);
    }
    s->x = x;
    for (int e = 0; e < s->edges; ++e) {
        int a = number[s->edge[e][0]], b = number[s->edge[e][1]];
        s->edge[e][0] = a < b ? a : b;
        s->edge[e][1] = a < b ? b : a;
    }
    for (int t = 0; t < s->triangles; ++t)
        for (int k = 0; k < 3; ++k) s->triangle[t][k] = number[s->triangle[t][k]];
    return TAC_OK;
}

// by their centers
static tacResult sort_edges(tacFeatureSurface* s, tacMessage* message) {
    orderItem* item = TAC_REGION_ALLOC(s->blocks, orderItem, s->edges + 1);
    int(*edge)[4] = tac_region_alloc(s->blocks, (size_t)s->edges + 1, sizeof *edge);
    if (!item || !edge) return no_memory(message);
    for (int e = 0; e < s->edges; ++e) {
        const double *p = s->x[s->edge[e][0]], *q = s->x[s->edge[e][1]];
        item[e].index = e;
        for (int k = 0; k < 3; ++k) item[e].x[k] = 0.5 * (p[k] + q[k]);
    }
    order_items(item, s->edges);
    for (int e = 0; e < s->edges; ++e) memcpy(edge[e], s->edge[item[e].index], sizeof *edge);
    s->edge = edge;
    return TAC_OK;
}

//---------------------------------- all of it ------------------------------------

tacResult tac_feature_surface(tacFeatureSurface* s, const tacModel* model, int shape,
                              tacFeatureOptions options, tacMessage* message) {
    s->inner = options.inner;
    tacResult result = make_surface(s, model, shape, options, message);
    if (result == TAC_OK) result = find_edges(s, message);
    if (result == TAC_OK) result = sort_vertices(s, message);
    if (result == TAC_OK) result = sort_edges(s, message);
    return result;
}
