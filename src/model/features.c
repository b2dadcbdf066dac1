// Features of a geom: surface, edges, order, own normals.
//
//   shape --surface--> triangles --edges that bend--> edges --neighbours--> blocks --own field-->
//   normals
//
// A sphere is a point with a radius, a capsule a segment with one, a half-space has no features. A
// box has its corners; convex solids are the hull of points on them; all else is tessellated.

#include "model/features.h"

#include "base/arena.h"
#include "base/message.h"
#include "math/pose.h"
#include "mesh/dual.h"
#include "mesh/mass.h"
#include "mesh/surface.h"
#include "tactus/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// an edge between faces that are this close to one plane is none: sine of the angle
#define FLAT_EDGE 1e-4
// shorter than this share of the size is no edge
#define SHORT_EDGE 1e-9

// a surface while it is made, in the frame of the geom's shape
typedef struct rawSurface {
    int vertices, triangles, edges;
    double (*x)[3];     // (vertices)
    int (*triangle)[3]; // (triangles)
    int (*edge)[4];     // two vertices, two triangles                                    (edges)
    double radius;
    int radius_param;
    tacBlocks* blocks;
} rawSurface;

static tacResult no_memory(tacMessage* message) {
    return tac_fail(message, TAC_ERROR_MEMORY, NULL, 0, NULL, "out of memory");
}

//---------------------------------- surfaces -------------------------------------

static tacResult take_surface(rawSurface* s, int vertices, int triangles, tacMessage* message) {
    s->vertices = vertices, s->triangles = triangles;
    s->x = tac_blocks_take(s->blocks, (size_t)vertices + 1, sizeof *s->x);
    s->triangle = tac_blocks_take(s->blocks, (size_t)triangles + 1, sizeof *s->triangle);
    return s->x && s->triangle ? TAC_OK : no_memory(message);
}

static tacResult from_hull(rawSurface* s, const tacHull* hull, tacMessage* message) {
    tacResult result = take_surface(s, hull->nvertex, hull->ntriangle, message);
    if (result != TAC_OK) return result;
    memcpy(s->x, hull->vertex, sizeof *s->x * (size_t)hull->nvertex);
    memcpy(s->triangle, hull->triangle, sizeof *s->triangle * (size_t)hull->ntriangle);
    return TAC_OK;
}

static tacResult from_points(rawSurface* s, const double* point, int count, tacAllocator allocator,
                             tacMessage* message) {
    tacHull* hull = NULL;
    tacResult result =
        tac_hull_create(point, count, TAC_HULL_MERGE, NULL, allocator, &hull, message);
    if (result == TAC_OK) result = from_hull(s, hull, message);
    tac_hull_destroy(hull);
    return result;
}

static tacResult from_planes(rawSurface* s, const tacReal* plane, int count, tacAllocator allocator,
                             tacMessage* message) {
    tacHull* hull = NULL;
    tacResult result = tac_planes_hull(plane, count, allocator, &hull, message);
    if (result == TAC_OK) result = from_hull(s, hull, message);
    tac_hull_destroy(hull);
    return result;
}

static tacResult box_surface(rawSurface* s, const tacReal* size, tacAllocator allocator,
                             tacMessage* message) {
    double point[8][3];
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k) point[i][k] = i >> k & 1 ? size[k] : -size[k];
    return from_points(s, point[0], 8, allocator, message);
}

// two rings of corners on the rims
static tacResult cylinder_surface(rawSurface* s, const tacReal* size, int vertices,
                                  tacAllocator allocator, tacMessage* message) {
    int ring = vertices / 2 < 8 ? 8 : vertices / 2 > 256 ? 256 : vertices / 2;
    double point[512][3];
    for (int i = 0; i < ring; ++i) {
        double angle = 2.0 * 3.14159265358979323846 * i / ring;
        for (int end = 0; end < 2; ++end) {
            double* p = point[2 * i + end];
            p[0] = size[0] * cos(angle), p[1] = size[0] * sin(angle);
            p[2] = end ? size[1] : -size[1];
        }
    }
    return from_points(s, point[0], 2 * ring, allocator, message);
}

// points of a spiral on the unit sphere, stretched
static tacResult ellipsoid_surface(rawSurface* s, const tacReal* size, int vertices,
                                   tacAllocator allocator, tacMessage* message) {
    double(*point)[3] = tac_blocks_take(s->blocks, (size_t)vertices, sizeof *point);
    if (!point) return no_memory(message);
    for (int i = 0; i < vertices; ++i) {
        double z = 1.0 - (2.0 * i + 1.0) / vertices, r = sqrt(1.0 - z * z);
        double angle = 2.39996322972865332 * i;
        point[i][0] = size[0] * r * cos(angle), point[i][1] = size[1] * r * sin(angle);
        point[i][2] = size[2] * z;
    }
    return from_points(s, point[0], vertices, allocator, message);
}

// the ends of a capsule's segment; a sphere is one point
static tacResult swept_surface(rawSurface* s, const tacNode* node, const tacReal* size,
                               tacMessage* message) {
    int ends = node->kind == TAC_NODE_CAPSULE ? 2 : 1;
    tacResult result = take_surface(s, ends, 0, message);
    if (result != TAC_OK) return result;
    for (int i = 0; i < ends && ends == 2; ++i) s->x[i][2] = i ? size[1] : -size[1];
    s->edge = tac_blocks_take(s->blocks, 1, sizeof *s->edge);
    if (!s->edge) return no_memory(message);
    s->edges = ends - 1, s->edge[0][0] = 0, s->edge[0][1] = 1;
    s->radius = size[0], s->radius_param = node->size;
    return TAC_OK;
}

static tacResult tessellated_surface(rawSurface* s, const tacModel* model, int shape,
                                     tacFeatureOptions options, tacMessage* message) {
    tacMesh *own = NULL, **kept = options.tessellated ? options.tessellated : &own;
    tacResult result =
        *kept ? TAC_OK : tac_shape_tessellate(model, shape, options.vertices, kept, message);
    const tacMesh* mesh = *kept;
    if (result == TAC_OK) result = take_surface(s, mesh->vertices, mesh->faces, message);
    for (int i = 0; result == TAC_OK && i < mesh->vertices; ++i)
        for (int k = 0; k < 3; ++k) s->x[i][k] = mesh->x[k][i];
    for (int i = 0; result == TAC_OK && i < mesh->faces; ++i)
        for (int k = 0; k < 3; ++k) s->triangle[i][k] = mesh->face[k][i];
    tac_mesh_destroy(own);
    return result;
}

// a mesh of its own has to be closed, with its faces outward: tac_soup_mass looks
static tacResult mesh_surface(rawSurface* s, const tacSoup* mesh, tacMessage* message) {
    tacSoupMass mass;
    tacResult result = tac_soup_mass(mesh, TAC_SOUP_EXACT, &mass, message);
    if (result == TAC_OK) result = take_surface(s, mesh->nvertex, mesh->ntriangle, message);
    if (result != TAC_OK) return result;
    memcpy(s->x, mesh->vertex, sizeof *s->x * (size_t)mesh->nvertex);
    memcpy(s->triangle, mesh->triangle, sizeof *s->triangle * (size_t)mesh->ntriangle);
    return TAC_OK;
}

static int is_placed_alone(const tacModel* model, const tacNode* node) {
    const tacReal *p = &model->param[node->position], *q = &model->param[node->rotation];
    return p[0] == 0.0 && p[1] == 0.0 && p[2] == 0.0 && q[1] == 0.0 && q[2] == 0.0 && q[3] == 0.0;
}

static tacResult make_surface(rawSurface* s, const tacModel* model, int shape,
                              tacFeatureOptions options, tacMessage* message) {
    const tacShape* whole = &model->shape[shape];
    const tacNode* node = &model->node[whole->first + whole->count - 1];
    const tacReal* size = node->size >= 0 ? &model->param[node->size] : NULL;
    tacAllocator a = model->allocator;
    if (options.mesh) return mesh_surface(s, options.mesh, message);
    if (whole->count > 1 || !is_placed_alone(model, node))
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

static void unit_normal(const rawSurface* s, int triangle, double out[3]) {
    const int* v = s->triangle[triangle];
    double a[3], b[3];
    tac_sub3(s->x[v[1]], s->x[v[0]], a), tac_sub3(s->x[v[2]], s->x[v[0]], b);
    tac_cross3(a, b, out);
    double length = sqrt(tac_dot3(out, out));
    for (int k = 0; k < 3 && length > 0.0; ++k) out[k] /= length;
}

// sides come in twos; faces in one plane have no edge between them
static int bends(const rawSurface* s, const halfEdge* side) {
    double a[3], b[3], turn[3];
    unit_normal(s, side[0].triangle, a), unit_normal(s, side[1].triangle, b);
    tac_cross3(a, b, turn);
    return tac_dot3(turn, turn) > FLAT_EDGE * FLAT_EDGE || tac_dot3(a, b) < 0.0;
}

static double size_of(const rawSurface* s) {
    double size = 0.0;
    for (int i = 0; i < s->vertices; ++i)
        for (int k = 0; k < 3; ++k) size = fmax(size, fabs(s->x[i][k] - s->x[0][k]));
    return size;
}

static int has_length(const rawSurface* s, const halfEdge* side, double size) {
    double d[3];
    tac_sub3(s->x[side->high], s->x[side->low], d);
    return tac_dot3(d, d) > SHORT_EDGE * SHORT_EDGE * size * size;
}

static tacResult find_edges(rawSurface* s, tacMessage* message) {
    int sides = 3 * s->triangles;
    if (s->edge || sides == 0) return TAC_OK;
    halfEdge* side = TAC_BLOCKS_TAKE(s->blocks, halfEdge, sides);
    s->edge = tac_blocks_take(s->blocks, (size_t)sides, sizeof *s->edge);
    if (!side || !s->edge) return no_memory(message);
    for (int i = 0; i < sides; ++i) {
        int a = s->triangle[i / 3][i % 3], b = s->triangle[i / 3][(i + 1) % 3];
        side[i] = (halfEdge){a < b ? a : b, a < b ? b : a, i / 3};
    }
    qsort(side, (size_t)sides, sizeof *side, compare_sides);
    double size = size_of(s);
    for (int i = 0; i + 1 < sides; i += 2) {
        if (!bends(s, &side[i]) || !has_length(s, &side[i], size)) continue;
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
        item += left, count -= left;
    }
}

static tacResult sort_vertices(rawSurface* s, tacMessage* message) {
    size_t count = (size_t)s->vertices + 1;
    orderItem* item = TAC_BLOCKS_TAKE(s->blocks, orderItem, count);
    int* number = TAC_BLOCKS_TAKE(s->blocks, int, count);
    double(*x)[3] = tac_blocks_take(s->blocks, count, sizeof *x);
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
        s->edge[e][0] = a < b ? a : b, s->edge[e][1] = a < b ? b : a;
    }
    for (int t = 0; t < s->triangles; ++t)
        for (int k = 0; k < 3; ++k) s->triangle[t][k] = number[s->triangle[t][k]];
    return TAC_OK;
}

// by their middles
static tacResult sort_edges(rawSurface* s, tacMessage* message) {
    orderItem* item = TAC_BLOCKS_TAKE(s->blocks, orderItem, s->edges + 1);
    int(*edge)[4] = tac_blocks_take(s->blocks, (size_t)s->edges + 1, sizeof *edge);
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

//---------------------------------- packing --------------------------------------

// everything of the features in one block, which begins with the index
typedef struct featureBlock {
    struct tacFeatureIndex index;
    double *x[3], *normal[3];
    tacEdgeRecord* record;
    int *edge[2], *face[3];
    tacFeatureBox *box, *edge_box;
    tacRoughBoxes block_rough, group_rough;
    float *ball[3], *wide;
    tacEdgeRows* rows;
} featureBlock;

static int blocks_of(int count) { return (count + TAC_FEATURE_BLOCK - 1) / TAC_FEATURE_BLOCK; }

static size_t lay_out(const rawSurface* s, tacArena* arena, featureBlock** out) {
    size_t used = 0;
    featureBlock* b = arena ? TAC_TAKE(arena, featureBlock, 1) : NULL;
    int blocks = blocks_of(s->vertices), edge_blocks = blocks_of(s->edges);
    size_t doubles = sizeof(double) * (size_t)(s->vertices + TAC_ROUGH_PADDING);
    size_t around = sizeof(float) * (size_t)(edge_blocks + TAC_ROUGH_PADDING);
#define PLACE(field, bytes)                                                                        \
    do {                                                                                           \
        used += tac_arena_need(bytes);                                                             \
        if (arena) b->field = tac_arena_take(arena, bytes);                                        \
    } while (0)
    used += tac_arena_need(sizeof *b);
    for (int k = 0; k < 3; ++k) {
        PLACE(x[k], doubles);
        PLACE(normal[k], doubles);
        PLACE(ball[k], sizeof(float) * (size_t)(blocks + 1));
        PLACE(block_rough.middle[k], around);
        PLACE(block_rough.half[k], around);
        PLACE(group_rough.middle[k], around);
        PLACE(group_rough.half[k], around);
        PLACE(face[k], sizeof(int) * (size_t)(s->triangles + 1));
    }
    for (int k = 0; k < 2; ++k) PLACE(edge[k], sizeof(int) * (size_t)(s->edges + 1));
    PLACE(wide, sizeof(float) * (size_t)(blocks + 1));
    PLACE(box, sizeof(tacFeatureBox) * (size_t)(blocks + 1));
    PLACE(edge_box, sizeof(tacFeatureBox) * (size_t)(edge_blocks + 1));
    PLACE(record, sizeof(tacEdgeRecord) * (size_t)(s->edges + 1));
    PLACE(rows, sizeof(tacEdgeRows) * (size_t)(edge_blocks + 1)); // vectors read beyond the last
#undef PLACE
    if (arena) *out = b;
    return used;
}

// a box that grows
typedef struct growingBox {
    double low[3], high[3];
} growingBox;

static growingBox no_box(void) {
    return (growingBox){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void grow(growingBox* box, double* const x[3], int vertex) {
    for (int k = 0; k < 3; ++k) {
        box->low[k] = fmin(box->low[k], x[k][vertex]);
        box->high[k] = fmax(box->high[k], x[k][vertex]);
    }
}

static tacFeatureBox finished(const growingBox* box) {
    tacFeatureBox out = {{0.0}, {0.0}};
    for (int k = 0; k < 3 && box->low[0] <= box->high[0]; ++k) {
        out.middle[k] = 0.5 * (box->low[k] + box->high[k]);
        out.half[k] = fmax(box->high[k] - out.middle[k], out.middle[k] - box->low[k]);
    }
    return out;
}

static void write_rough(const tacFeatureBox* box, const tacRoughBoxes* out, int i) {
    for (int k = 0; k < 3; ++k) {
        double wider = box->half[k] + 1e-6 * (fabs(box->middle[k]) + box->half[k]);
        out->middle[k][i] = (float)box->middle[k], out->half[k][i] = (float)wider;
    }
}

static void write_edges(const rawSurface* s, featureBlock* b) {
    b->index.edge_blocks = blocks_of(s->edges);
    for (int i = 0; i < b->index.edge_blocks; ++i) {
        growingBox box = no_box();
        int first = i * TAC_FEATURE_BLOCK;
        for (int e = first; e < first + TAC_FEATURE_BLOCK && e < s->edges; ++e)
            for (int k = 0; k < 2; ++k) {
                b->edge[k][e] = s->edge[e][k];
                grow(&box, b->x, s->edge[e][k]);
            }
        b->edge_box[i] = finished(&box);
    }
}

static void grow_by_box(growingBox* box, const tacFeatureBox* part) {
    for (int k = 0; k < 3; ++k) {
        box->low[k] = fmin(box->low[k], part->middle[k] - part->half[k]);
        box->high[k] = fmax(box->high[k], part->middle[k] + part->half[k]);
    }
}

static tacFeatureBox box_of_group(const featureBlock* b, int group) {
    int first = group * TAC_EDGE_GROUP;
    growingBox box = no_box();
    for (int i = first; i < first + TAC_EDGE_GROUP && i < b->index.edge_blocks; ++i)
        grow_by_box(&box, &b->edge_box[i]);
    return finished(&box);
}

// of blocks and of groups of them; the last is repeated
static void write_rough_boxes(featureBlock* b) {
    int last = b->index.edge_blocks - 1, last_group = last / TAC_EDGE_GROUP;
    for (int i = 0; i <= last + TAC_ROUGH_PADDING && last >= 0; ++i) {
        tacFeatureBox group = box_of_group(b, i < last_group ? i : last_group);
        write_rough(&b->edge_box[i < last ? i : last], &b->block_rough, i);
        write_rough(&group, &b->group_rough, i);
    }
}

// to length 1, or all 0
static int to_unit(double v[3]) {
    double length = sqrt(tac_dot3(v, v));
    for (int k = 0; k < 3; ++k) v[k] = length > 0.0 ? v[k] / length : 0.0;
    return length > 1e-6;
}

// along a triangle, across its side from p to q and away from it
static void away_from_side(const rawSurface* s, const int edge[2], int triangle, double out[3]) {
    const int* v = s->triangle[triangle];
    const double *p = s->x[edge[0]], *q = s->x[edge[1]];
    double t[3];
    tac_sub3(q, p, t), to_unit(t);
    for (int i = 0; i < 3; ++i)
        if (v[i] != edge[0] && v[i] != edge[1]) tac_sub3(s->x[v[i]], p, out);
    double foot = tac_dot3(out, t);
    for (int k = 0; k < 3; ++k) out[k] -= foot * t[k];
    to_unit(out);
}

static void put_vector(tacPose pose, const double v[3], double out[3]) {
    tac_store3(out, tac_quat_rotate(pose.rotation, tac_load3(v)));
}

// between the normals of its triangles, or away from both where those oppose
static void write_flanks(const rawSurface* s, tacPose pose, featureBlock* b) {
    for (int e = 0; e < s->edges; ++e) {
        double along[2][3] = {{0.0}}, normal[2][3] = {{0.0}}, out[3];
        for (int i = 0; i < 2 && s->triangles; ++i) {
            away_from_side(s, s->edge[e], s->edge[e][2 + i], along[i]);
            unit_normal(s, s->edge[e][2 + i], normal[i]);
        }
        for (int k = 0; k < 3; ++k) out[k] = normal[0][k] + normal[1][k];
        if (!to_unit(out)) {
            for (int k = 0; k < 3; ++k) out[k] = -along[0][k] - along[1][k];
            to_unit(out);
        }
        tacEdgeRecord* r = &b->record[e];
        put_vector(pose, out, r->out), r->spare = 0.0;
        for (int i = 0; i < 2; ++i) {
            put_vector(pose, along[i], r->along[i]);
            for (int k = 0; k < 3; ++k) r->corner[i][k] = b->x[k][b->edge[i][e]];
        }
    }
}

static double half_length(const tacEdgeRecord* r) {
    double t[3];
    tac_sub3(r->corner[1], r->corner[0], t);
    return 0.5 * sqrt(tac_dot3(t, t));
}

static void write_direction(const double v[3], int8_t out[3][TAC_FEATURE_BLOCK], int at) {
    for (int k = 0; k < 3; ++k) out[k][at] = (int8_t)lround(127.0 * v[k]);
}

static void write_row(const tacEdgeRecord* r, const struct tacFeatureIndex* index,
                      tacEdgeRows* rows, int at) {
    double t[3], side[3], half = half_length(r);
    tac_sub3(r->corner[1], r->corner[0], t);
    for (int k = 0; k < 3; ++k) {
        double middle = r->corner[0][k] + 0.5 * t[k] - index->all.middle[k];
        double of = index->all.half[k], share = of > 0.0 ? fmax(-1.0, fmin(middle / of, 1.0)) : 0.0;
        rows->middle[k][at] = (int16_t)lround(32767.0 * share);
        t[k] = half > 0.5e-12 ? 0.5 * t[k] / half : 0.0;
    }
    write_direction(t, rows->direction, at);
    for (int i = 0; i < 2; ++i) {
        tac_cross3(r->along[i], t, side);
        write_direction(side, rows->side[i], at);
    }
    rows->half[at] =
        (int8_t)(index->longest > 0.0 ? fmin(127.0, ceil(127.0 * half / index->longest)) : 0.0);
}

static void write_rows(const rawSurface* s, featureBlock* b) {
    struct tacFeatureIndex* index = &b->index;
    for (int e = 0; e < s->edges; ++e)
        index->longest = fmax(index->longest, half_length(&b->record[e]));
    for (int i = 0; i < index->edge_blocks * TAC_FEATURE_BLOCK; ++i)
        write_row(&b->record[i < s->edges ? i : s->edges - 1], index,
                  &b->rows[i / TAC_FEATURE_BLOCK], i % TAC_FEATURE_BLOCK);
}

// larger than the middle is rounded by
static void write_ball(const tacFeatureBox* box, featureBlock* b, int i) {
    double size = 0.0;
    for (int k = 0; k < 3; ++k) {
        b->ball[k][i] = (float)box->middle[k];
        size += fabs(box->middle[k]) + box->half[k];
    }
    b->wide[i] = (float)(sqrt(tac_dot3(box->half, box->half)) + 1e-6 * size);
}

static void write_boxes(const rawSurface* s, featureBlock* b) {
    struct tacFeatureIndex* index = &b->index;
    growingBox all = no_box();
    index->blocks = blocks_of(s->vertices);
    for (int i = 0; i < index->blocks; ++i) {
        growingBox box = no_box();
        int first = i * TAC_FEATURE_BLOCK;
        for (int v = first; v < first + TAC_FEATURE_BLOCK && v < s->vertices; ++v)
            grow(&box, b->x, v), grow(&all, b->x, v);
        b->box[i] = finished(&box);
        write_ball(&b->box[i], b, i);
    }
    index->all = finished(&all);
}

// body axes; the last vertex is repeated to fill its block
static void write_vertices(const rawSurface* s, tacPose pose, featureBlock* b) {
    for (int i = 0; i < s->vertices + TAC_ROUGH_PADDING && s->vertices; ++i) {
        int from = i < s->vertices ? i : s->vertices - 1;
        tacVec3 x = tac_pose_apply(pose, tac_load3(s->x[from]));
        b->x[0][i] = x.x, b->x[1][i] = x.y, b->x[2][i] = x.z;
        for (int k = 0; k < 3; ++k) b->normal[k][i] = 0.0;
    }
    for (int t = 0; t < s->triangles; ++t)
        for (int k = 0; k < 3; ++k) b->face[k][t] = s->triangle[t][k];
}

static tacResult pack_features(const rawSurface* s, tacPose pose, tacAllocator allocator,
                               featureBlock** out, tacMessage* message) {
    tacArena arena;
    if (tac_arena_create(&arena, lay_out(s, NULL, NULL), allocator) != TAC_OK)
        return no_memory(message);
    lay_out(s, &arena, out);
    featureBlock* b = *out;
    b->index = (struct tacFeatureIndex){.radius = s->radius_param};
    write_vertices(s, pose, b);
    write_edges(s, b);
    write_rough_boxes(b);
    write_flanks(s, pose, b);
    write_boxes(s, b);
    write_rows(s, b);
    return TAC_OK;
}

static void publish(const rawSurface* s, featureBlock* b, tacFeatures* out) {
    struct tacFeatureIndex* index = &b->index;
    *out = (tacFeatures){s->vertices, s->edges, s->triangles, {0}, {0}, {0}, s->radius, index};
    for (int k = 0; k < 3; ++k) {
        out->x[k] = b->x[k], out->face[k] = b->face[k], index->normal[k] = b->normal[k];
    }
    for (int k = 0; k < 3; ++k) index->ball[k] = b->ball[k];
    index->wide = b->wide, index->record = b->record, index->rows = b->rows;
    index->block_rough = b->block_rough, index->group_rough = b->group_rough;
    for (int k = 0; k < 2; ++k) out->edge[k] = b->edge[k];
    index->box = b->box, index->edge_box = b->edge_box;
}

//---------------------------------- own field ------------------------------------

static void note_deviation(struct tacFeatureIndex* index, double value, const double x[3]) {
    if (!(fabs(value) > index->deviation)) return;
    index->deviation = fabs(value);
    memcpy(index->place, x, sizeof index->place);
}

static tacResult own_field(const tacModel* model, const tacGeom* geom, tacPose pose,
                           tacScratch* scratch, featureBlock* b, const tacFeatures* f) {
    double value[TAC_FEATURE_BLOCK];
    tacResult result = TAC_OK;
    for (int i = 0; i < f->vertices && result == TAC_OK; i += TAC_FEATURE_BLOCK) {
        int rest = f->vertices - i, count = rest < TAC_FEATURE_BLOCK ? rest : TAC_FEATURE_BLOCK;
        double* g[3] = {&b->normal[0][i], &b->normal[1][i], &b->normal[2][i]};
        tacPoints points = {count, {&b->x[0][i], &b->x[1][i], &b->x[2][i]}};
        result = tac_shape_eval(model, geom->shape, pose, points,
                                (tacField){value, {g[0], g[1], g[2]}, {0}}, scratch);
        for (int j = 0; j < count && result == TAC_OK; ++j) {
            double x[3] = {b->x[0][i + j], b->x[1][i + j], b->x[2][i + j]};
            tacVec3 n = tac_shape_normal((tacVec3){g[0][j], g[1][j], g[2][j]});
            g[0][j] = n.x, g[1][j] = n.y, g[2][j] = n.z;
            note_deviation(&b->index, value[j], x);
        }
    }
    return result;
}

// the field at the middles of edges: chords lie inside where the surface is convex
static tacResult middles(const tacModel* model, const tacGeom* geom, tacPose pose,
                         tacScratch* scratch, featureBlock* b, const tacFeatures* f) {
    tacResult result = TAC_OK;
    for (int e = 0; e < f->edges && result == TAC_OK; ++e) {
        double x[3], value = 0.0;
        for (int k = 0; k < 3; ++k) x[k] = 0.5 * (f->x[k][f->edge[0][e]] + f->x[k][f->edge[1][e]]);
        tacPoints point = {1, {&x[0], &x[1], &x[2]}};
        result =
            tac_shape_eval(model, geom->shape, pose, point, (tacField){.value = &value}, scratch);
        b->index.sag[0] = fmin(b->index.sag[0], value);
        b->index.sag[1] = fmax(b->index.sag[1], value);
    }
    return result;
}

static void tell_deviation(const tacModel* model, int geom, const struct tacFeatureIndex* index,
                           tacMessage* message) {
    double size = 0.0;
    for (int k = 0; k < 3; ++k) size = fmax(size, index->all.half[k]);
    if (!message || index->deviation <= TAC_FEATURE_TOLERANCE * size) return;
    tac_fail(message, TAC_OK, NULL, 0, NULL,
             "geom '%.60s' (number %d): mesh and field are %.3g m apart at (%.4g %.4g %.4g) of its "
             "body; up to %.3g m is usual",
             model->geom[geom].name, geom, index->deviation, index->place[0], index->place[1],
             index->place[2], TAC_FEATURE_TOLERANCE * size);
}

//---------------------------------- all of it ------------------------------------

static tacResult finish(const tacModel* model, int geom, tacPose pose, const rawSurface* s,
                        tacFeatures* out, tacMessage* message) {
    featureBlock* b = NULL;
    tacScratch* scratch = NULL;
    tacResult result = pack_features(s, pose, model->allocator, &b, message);
    if (result != TAC_OK) return result;
    publish(s, b, out);
    if (s->radius > 0.0 || s->vertices == 0) return TAC_OK;
    result = tac_scratch_create(model, &scratch);
    if (result == TAC_OK) result = own_field(model, &model->geom[geom], pose, scratch, b, out);
    if (result == TAC_OK) result = middles(model, &model->geom[geom], pose, scratch, b, out);
    tac_scratch_destroy(scratch);
    if (result != TAC_OK) {
        tac_features_destroy(out, model->allocator);
        return tac_fail(message, result, NULL, 0, NULL, "the field of geom %d cannot be evaluated",
                        geom);
    }
    tell_deviation(model, geom, &b->index, message);
    return TAC_OK;
}

tacResult tac_features_create(const tacModel* model, int geom, tacFeatureOptions options,
                              tacFeatures* out, tacMessage* message) {
    const tacGeom* g = &model->geom[geom];
    tacBlocks blocks = {model->allocator, NULL, (size_t)1 << 30};
    rawSurface s = {.blocks = &blocks, .radius_param = -1};
    tacPose pose = {tac_load3(&model->param[g->position]),
                    tac_quat_load(&model->param[g->rotation])};
    *out = (tacFeatures){0};
    if (message) *message = (tacMessage){0};
    tacResult result = make_surface(&s, model, g->shape, options, message);
    if (result == TAC_OK) result = find_edges(&s, message);
    if (result == TAC_OK) result = sort_vertices(&s, message);
    if (result == TAC_OK) result = sort_edges(&s, message);
    if (result == TAC_OK) result = finish(model, geom, pose, &s, out, message);
    tac_blocks_release(&blocks);
    return result;
}

void tac_features_destroy(tacFeatures* features, tacAllocator allocator) {
    allocator.release(allocator.user, (void*)features->index);
    *features = (tacFeatures){0};
}
