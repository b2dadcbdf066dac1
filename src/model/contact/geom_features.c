// Features of a geom: the vertices and edges of its surface, with boxes, faces beside edges and
// field normals.
//
//   feature_surface.h --body frame--> vertices, edges, faces --blocks of eight--> boxes
//        --own field--> normals, deviation of mesh and field

#include "model/contact/feature_surface.h"

#include "base/arena.h"
#include "base/message.h"
#include "math/pose.h"
#include "mesh/surface/surface.h"
#include "model/contact/field_lipschitz.h"
#include "shape/bounds/shape_scratch.h"
#include "shape/node_data.h"

#include <math.h>
#include <string.h>

//---------------------------------- packing --------------------------------------

// everything of the features in one block, which begins with the index
typedef struct featureBlock {
    struct tacFeatureIndex index;
    double *x[3], *normal[3];
    tacEdgeRecord* record;
    int *edge[2], *face[3];
    tacFeatureBox *box, *edge_box;
    tacFloatBoxes block_float_boxes, group_float_boxes;
    float *ball[3], *wide;
    tacQuantizedEdges* rows;
    tacFeatureSurface surface;      // that it was made of, in the frame of the shape at load
    double (*surface_x)[3];         // its vertices                                     (vertices)
    int (*triangle)[3], (*side)[4]; // its triangles and edges
    double length[3];               // tacFeatureBase.length of the surface
} featureBlock;

static int blocks_of(int count) { return (count + TAC_FEATURE_BLOCK - 1) / TAC_FEATURE_BLOCK; }

static size_t layout_features(const tacFeatureSurface* s, tacArena* arena, featureBlock** out) {
    size_t used = 0;
    featureBlock* b = arena ? TAC_ALLOC(arena, featureBlock, 1) : NULL;
    int blocks = blocks_of(s->vertices), edge_blocks = blocks_of(s->edges);
    size_t doubles = sizeof(double) * (size_t)(s->vertices + TAC_FLOAT_PADDING);
    size_t float_bytes = sizeof(float) * (size_t)(edge_blocks + TAC_FLOAT_PADDING);
#define LAYOUT_FIELD(field, bytes)                                                                 \
    do {                                                                                           \
        used += tac_arena_align(bytes);                                                            \
        if (arena) b->field = tac_arena_alloc(arena, bytes);                                       \
    } while (0)
    used += tac_arena_align(sizeof *b);
    for (int k = 0; k < 3; ++k) {
        LAYOUT_FIELD(x[k], doubles);
        LAYOUT_FIELD(normal[k], doubles);
        LAYOUT_FIELD(ball[k], sizeof(float) * (size_t)(blocks + 1));
        LAYOUT_FIELD(block_float_boxes.middle[k], float_bytes);
        LAYOUT_FIELD(block_float_boxes.half[k], float_bytes);
        LAYOUT_FIELD(group_float_boxes.middle[k], float_bytes);
        LAYOUT_FIELD(group_float_boxes.half[k], float_bytes);
        LAYOUT_FIELD(face[k], sizeof(int) * (size_t)(s->triangles + 1));
    }
    for (int k = 0; k < 2; ++k) LAYOUT_FIELD(edge[k], sizeof(int) * (size_t)(s->edges + 1));
    LAYOUT_FIELD(surface_x, sizeof *s->x * (size_t)(s->vertices + 1));
    LAYOUT_FIELD(triangle, sizeof *s->triangle * (size_t)(s->triangles + 1));
    LAYOUT_FIELD(side, sizeof *s->edge * (size_t)(s->edges + 1));
    LAYOUT_FIELD(wide, sizeof(float) * (size_t)(blocks + 1));
    LAYOUT_FIELD(box, sizeof(tacFeatureBox) * (size_t)(blocks + 1));
    LAYOUT_FIELD(edge_box, sizeof(tacFeatureBox) * (size_t)(edge_blocks + 1));
    LAYOUT_FIELD(record, sizeof(tacEdgeRecord) * (size_t)(s->edges + 1));
    LAYOUT_FIELD(rows, sizeof(tacQuantizedEdges) *
                           (size_t)(edge_blocks + 1)); // vector loads read past the last element
#undef LAYOUT_FIELD
    if (arena) *out = b;
    return used;
}

// a box that grows
typedef struct growingBox {
    double low[3], high[3];
} growingBox;

static growingBox empty_box(void) {
    return (growingBox){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void grow_box(growingBox* box, double* const x[3], int vertex) {
    for (int k = 0; k < 3; ++k) {
        box->low[k] = fmin(box->low[k], x[k][vertex]);
        box->high[k] = fmax(box->high[k], x[k][vertex]);
    }
}

static tacFeatureBox to_feature_box(const growingBox* box) {
    tacFeatureBox out = {{0.0}, {0.0}};
    for (int k = 0; k < 3 && box->low[0] <= box->high[0]; ++k) {
        out.middle[k] = 0.5 * (box->low[k] + box->high[k]);
        out.half[k] = fmax(box->high[k] - out.middle[k], out.middle[k] - box->low[k]);
    }
    return out;
}

static void write_float_box(const tacFeatureBox* box, const tacFloatBoxes* out, int i) {
    for (int k = 0; k < 3; ++k) {
        double wider = box->half[k] + 1e-6 * (fabs(box->middle[k]) + box->half[k]);
        out->middle[k][i] = (float)box->middle[k];
        out->half[k][i] = (float)wider;
    }
}

static void write_edges(const tacFeatureSurface* s, featureBlock* b) {
    b->index.edge_blocks = blocks_of(s->edges);
    for (int i = 0; i < b->index.edge_blocks; ++i) {
        growingBox box = empty_box();
        int first = i * TAC_FEATURE_BLOCK;
        for (int e = first; e < first + TAC_FEATURE_BLOCK && e < s->edges; ++e)
            for (int k = 0; k < 2; ++k) {
                b->edge[k][e] = s->edge[e][k];
                grow_box(&box, b->x, s->edge[e][k]);
            }
        b->edge_box[i] = to_feature_box(&box);
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
    growingBox box = empty_box();
    for (int i = first; i < first + TAC_EDGE_GROUP && i < b->index.edge_blocks; ++i)
        grow_by_box(&box, &b->edge_box[i]);
    return to_feature_box(&box);
}

// of blocks and of groups of them; the last is repeated
static void write_float_boxes(featureBlock* b) {
    int last = b->index.edge_blocks - 1, last_group = last / TAC_EDGE_GROUP;
    for (int i = 0; i <= last + TAC_FLOAT_PADDING && last >= 0; ++i) {
        tacFeatureBox group = box_of_group(b, i < last_group ? i : last_group);
        write_float_box(&b->edge_box[i < last ? i : last], &b->block_float_boxes, i);
        write_float_box(&group, &b->group_float_boxes, i);
    }
}

// to length 1, or all 0
static int to_unit(double v[3]) {
    double length = sqrt(tac_dot3(v, v));
    for (int k = 0; k < 3; ++k) v[k] = length > 0.0 ? v[k] / length : 0.0;
    return length > 1e-6;
}

// unit vector in a triangle's plane, perpendicular to its side pq and away from it
static void away_from_side(const tacFeatureSurface* s, const int edge[2], int triangle,
                           double out[3]) {
    const int* v = s->triangle[triangle];
    const double *p = s->x[edge[0]], *q = s->x[edge[1]];
    double t[3];
    tac_sub3(q, p, t);
    to_unit(t);
    for (int i = 0; i < 3; ++i)
        if (v[i] != edge[0] && v[i] != edge[1]) tac_sub3(s->x[v[i]], p, out);
    double foot = tac_dot3(out, t);
    for (int k = 0; k < 3; ++k) out[k] -= foot * t[k];
    to_unit(out);
}

static void rotate_vector(tacPose pose, const double v[3], double out[3]) {
    tac_store3(out, tac_quat_rotate(pose.rotation, tac_load3(v)));
}

// between the normals of its triangles, or away from both where those oppose
static void write_edge_faces(const tacFeatureSurface* s, tacPose pose, featureBlock* b) {
    for (int e = 0; e < s->edges; ++e) {
        double along[2][3] = {{0.0}}, normal[2][3] = {{0.0}}, out[3];
        for (int i = 0; i < 2 && s->triangles; ++i) {
            away_from_side(s, s->edge[e], s->edge[e][2 + i], along[i]);
            tac_feature_normal(s, s->edge[e][2 + i], normal[i]);
        }
        for (int k = 0; k < 3; ++k) out[k] = normal[0][k] + normal[1][k];
        if (!to_unit(out)) {
            for (int k = 0; k < 3; ++k) out[k] = -along[0][k] - along[1][k];
            to_unit(out);
        }
        tacEdgeRecord* r = &b->record[e];
        rotate_vector(pose, out, r->out);
        r->spare = 0.0;
        for (int i = 0; i < 2; ++i) {
            rotate_vector(pose, along[i], r->along[i]);
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

static void write_quantized_edge(const tacEdgeRecord* r, const struct tacFeatureIndex* index,
                                 tacQuantizedEdges* rows, int at) {
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

static void write_quantized_edges(const tacFeatureSurface* s, featureBlock* b) {
    struct tacFeatureIndex* index = &b->index;
    for (int e = 0; e < s->edges; ++e)
        index->longest = fmax(index->longest, half_length(&b->record[e]));
    for (int i = 0; i < index->edge_blocks * TAC_FEATURE_BLOCK; ++i)
        write_quantized_edge(&b->record[i < s->edges ? i : s->edges - 1], index,
                             &b->rows[i / TAC_FEATURE_BLOCK], i % TAC_FEATURE_BLOCK);
}

// larger than the rounding error of the center
static void write_ball(const tacFeatureBox* box, featureBlock* b, int i) {
    double size = 0.0;
    for (int k = 0; k < 3; ++k) {
        b->ball[k][i] = (float)box->middle[k];
        size += fabs(box->middle[k]) + box->half[k];
    }
    b->wide[i] = (float)(sqrt(tac_dot3(box->half, box->half)) + 1e-6 * size);
}

static void write_rims(const tacFeatureSurface* s, tacPose pose, featureBlock* b) {
    struct tacFeatureIndex* index = &b->index;
    if (s->rim[0] <= 0.0) return;
    index->rims = 2;
    index->rim_radius = s->rim[0];
    rotate_vector(pose, (double[3]){0.0, 0.0, 1.0}, index->rim_axis);
    for (int i = 0; i < 2; ++i) {
        tacVec3 middle = {0.0, 0.0, i ? s->rim[1] : -s->rim[1]};
        tac_store3(index->rim[i], tac_pose_apply(pose, middle));
    }
}

// vertices on a rim lie inside the circle
static void grow_by_rim(growingBox* box, const struct tacFeatureIndex* index, int rim) {
    tacFeatureBox circle;
    for (int k = 0; k < 3; ++k) {
        double a = index->rim_axis[k];
        circle.middle[k] = index->rim[rim][k];
        circle.half[k] = index->rim_radius * sqrt(fmax(0.0, 1.0 - a * a));
    }
    grow_by_box(box, &circle);
}

static void write_boxes(const tacFeatureSurface* s, featureBlock* b) {
    struct tacFeatureIndex* index = &b->index;
    growingBox all = empty_box();
    index->blocks = blocks_of(s->vertices);
    for (int i = 0; i < index->blocks; ++i) {
        growingBox box = empty_box();
        int first = i * TAC_FEATURE_BLOCK;
        for (int v = first; v < first + TAC_FEATURE_BLOCK && v < s->vertices; ++v) {
            grow_box(&box, b->x, v);
            grow_box(&all, b->x, v);
        }
        b->box[i] = to_feature_box(&box);
        write_ball(&b->box[i], b, i);
    }
    for (int i = 0; i < index->rims; ++i) grow_by_rim(&all, index, i);
    index->all = to_feature_box(&all);
}

// in the body frame; the last vertex is repeated to fill its block
static void write_vertices(const tacFeatureSurface* s, tacPose pose, featureBlock* b) {
    for (int i = 0; i < s->vertices + TAC_FLOAT_PADDING && s->vertices; ++i) {
        int from = i < s->vertices ? i : s->vertices - 1;
        tacVec3 x = tac_pose_apply(pose, tac_load3(s->x[from]));
        b->x[0][i] = x.x;
        b->x[1][i] = x.y;
        b->x[2][i] = x.z;
        for (int k = 0; k < 3; ++k) b->normal[k][i] = 0.0;
    }
    for (int t = 0; t < s->triangles; ++t)
        for (int k = 0; k < 3; ++k) b->face[k][t] = s->triangle[t][k];
}

// everything of a surface at a place, in memory that is there
static void write_features(const tacFeatureSurface* s, tacPose pose, featureBlock* b) {
    b->index = (struct tacFeatureIndex){.radius = s->radius_param, .slope = 1.0};
    write_vertices(s, pose, b);
    write_edges(s, b);
    write_float_boxes(b);
    write_edge_faces(s, pose, b);
    write_rims(s, pose, b);
    write_boxes(s, b);
    write_quantized_edges(s, b);
}

// a copy, to write the features again for another place or size
static void keep_surface(const tacFeatureSurface* s, featureBlock* b) {
    b->surface = *s;
    b->surface.x = b->surface_x;
    b->surface.triangle = b->triangle;
    b->surface.edge = b->side;
    b->surface.blocks = NULL;
    if (s->vertices) memcpy(b->surface_x, s->x, sizeof *s->x * (size_t)s->vertices);
    if (s->triangles) memcpy(b->triangle, s->triangle, sizeof *s->triangle * (size_t)s->triangles);
    if (s->edges) memcpy(b->side, s->edge, sizeof *s->edge * (size_t)s->edges);
}

static tacResult pack_features(const tacFeatureSurface* s, tacPose pose, tacAllocator allocator,
                               featureBlock** out, tacMessage* message) {
    tacArena arena;
    if (tac_arena_create(&arena, layout_features(s, NULL, NULL), allocator) != TAC_OK)
        return tac_fail(message, TAC_ERROR_MEMORY, NULL, 0, NULL, "out of memory");
    layout_features(s, &arena, out);
    keep_surface(s, *out);
    write_features(s, pose, *out);
    return TAC_OK;
}

static void fill_features(const tacFeatureSurface* s, featureBlock* b, tacFeatures* out) {
    struct tacFeatureIndex* index = &b->index;
    *out = (tacFeatures){s->vertices, s->edges, s->triangles, {0}, {0}, {0}, s->radius, index};
    for (int k = 0; k < 3; ++k) {
        out->x[k] = b->x[k];
        out->face[k] = b->face[k];
        index->normal[k] = b->normal[k];
    }
    for (int k = 0; k < 3; ++k) index->ball[k] = b->ball[k];
    index->wide = b->wide;
    index->record = b->record;
    index->rows = b->rows;
    index->block_float_boxes = b->block_float_boxes;
    index->group_float_boxes = b->group_float_boxes;
    for (int k = 0; k < 2; ++k) out->edge[k] = b->edge[k];
    index->box = b->box;
    index->edge_box = b->edge_box;
}

//---------------------------------- own field ------------------------------------

static void record_deviation(struct tacFeatureIndex* index, double value, const double x[3]) {
    if (!(fabs(value) > index->deviation)) return;
    index->deviation = fabs(value);
    memcpy(index->deviation_point, x, sizeof index->deviation_point);
}

static tacResult sample_own_field(const tacModel* model, const tacGeom* geom, tacPose pose,
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
            g[0][j] = n.x;
            g[1][j] = n.y;
            g[2][j] = n.z;
            record_deviation(&b->index, value[j], x);
        }
    }
    return result;
}

// the field at the middles of edges: chords lie inside where the surface is convex
static tacResult measure_edge_sag(const tacModel* model, const tacGeom* geom, tacPose pose,
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

static void warn_deviation(const tacModel* model, int geom, const struct tacFeatureIndex* index,
                           tacMessage* message) {
    double size = 0.0;
    for (int k = 0; k < 3; ++k) size = fmax(size, index->all.half[k]);
    if (!message || index->deviation <= TAC_FEATURE_TOLERANCE * size) return;
    tac_fail(message, TAC_OK, NULL, 0, NULL,
             "geom '%.60s' (index %d): mesh and field differ by %.3g m at (%.4g %.4g %.4g) in its "
             "body frame; up to %.3g m is usual",
             model->geom[geom].name, geom, index->deviation, index->deviation_point[0],
             index->deviation_point[1], index->deviation_point[2], TAC_FEATURE_TOLERANCE * size);
}

//---------------------------------- base -----------------------------------------

// numbers of the sizes that x, y and z of a kind's vertices grow with
static void size_numbers(tacNodeKind kind, int size[3]) {
    int is_box =
        kind == TAC_NODE_BOX || kind == TAC_NODE_ELLIPSOID || kind == TAC_NODE_SUPERQUADRIC;
    size[0] = is_box || kind == TAC_NODE_CYLINDER ? 0 : -1;
    size[1] = is_box ? 1 : kind == TAC_NODE_CYLINDER ? 0 : -1;
    size[2] = is_box ? 2 : kind == TAC_NODE_CYLINDER || kind == TAC_NODE_CAPSULE ? 1 : -1;
}

// place and size that the parameters have now
static tacFeatureBase feature_base(const tacModel* model, int geom, int is_primitive) {
    const tacGeom* g = &model->geom[geom];
    const tacShape* shape = &model->shape[g->shape];
    const tacNode* node = &model->node[shape->first];
    tacFeatureBase base = {.size_param = -1, .size = {-1, -1, -1}, .length = {1.0, 1.0, 1.0}};
    memcpy(base.pos, &model->param[g->position], sizeof base.pos);
    memcpy(base.quat, &model->param[g->rotation], sizeof base.quat);
    if (!is_primitive || tac_node_size_count(node->kind) == 0) return base;
    base.size_param = node->size;
    size_numbers(node->kind, base.size);
    for (int k = 0; k < 3; ++k)
        if (base.size[k] >= 0) base.length[k] = model->param[node->size + base.size[k]];
    return base;
}

// one leaf at the origin of its geom, and no mesh of its own
static int is_primitive(const tacModel* model, int geom, const tacSoup* mesh) {
    const tacShape* shape = &model->shape[model->geom[geom].shape];
    return !mesh && shape->count == 1 && tac_has_identity_pose(model, &model->node[shape->first]);
}

//---------------------------------- all of it ------------------------------------

static tacPose geom_place(const tacModel* model, int geom) {
    const tacGeom* g = &model->geom[geom];
    return (tacPose){tac_load3(&model->param[g->position]),
                     tac_quat_load(&model->param[g->rotation])};
}

// normals of the own field and how far it is off, after write_features
static tacResult measure_field(const tacModel* model, int geom, featureBlock* b,
                               const tacFeatures* f, tacScratch* scratch) {
    tacScratch* own = NULL;
    tacResult result = TAC_OK;
    tacPose pose = geom_place(model, geom);
    b->index.slope = tac_field_lipschitz(model, geom);
    if (f->radius > 0.0 || f->vertices == 0) return TAC_OK;
    if (!scratch) {
        result = tac_shape_scratch_create(model, &own);
        scratch = own;
    }
    if (result == TAC_OK) result = sample_own_field(model, &model->geom[geom], pose, scratch, b, f);
    if (result == TAC_OK) result = measure_edge_sag(model, &model->geom[geom], pose, scratch, b, f);
    tac_scratch_destroy(own);
    return result;
}

static tacResult finish_features(const tacModel* model, int geom, const tacFeatureSurface* s,
                                 tacFeatureOptions options, tacFeatures* out, tacMessage* message) {
    featureBlock* b = NULL;
    tacPose pose = geom_place(model, geom);
    tacResult result = pack_features(s, pose, model->allocator, &b, message);
    if (result != TAC_OK) return result;
    fill_features(s, b, out);
    b->index.base = feature_base(model, geom, is_primitive(model, geom, options.mesh));
    memcpy(b->length, b->index.base.length, sizeof b->length);
    result = measure_field(model, geom, b, out, options.scratch);
    if (result != TAC_OK) {
        tac_geom_features_destroy(out, model->allocator);
        return tac_fail(message, result, NULL, 0, NULL, "the field of geom %d cannot be evaluated",
                        geom);
    }
    warn_deviation(model, geom, &b->index, message);
    return TAC_OK;
}

tacResult tac_geom_features_create(const tacModel* model, int geom, tacFeatureOptions options,
                                   tacFeatures* out, tacMessage* message) {
    tacRegion blocks = {model->allocator, NULL, (size_t)1 << 30};
    tacFeatureSurface s = {.blocks = &blocks, .radius_param = -1};
    *out = (tacFeatures){0};
    if (message) *message = (tacMessage){0};
    tacResult result = tac_feature_surface(&s, model, model->geom[geom].shape, options, message);
    if (result == TAC_OK) result = finish_features(model, geom, &s, options, out, message);
    tac_region_release(&blocks);
    return result;
}

// vertices of the surface that grow with sizes, as they are now
static tacFeatureSurface grown_surface(const tacModel* model, const featureBlock* b,
                                       const tacFeatureBase* base, double (*x)[3]) {
    tacFeatureSurface s = b->surface;
    s.x = x;
    for (int i = 0; i < s.vertices; ++i)
        for (int k = 0; k < 3; ++k) x[i][k] = b->surface_x[i][k] * (base->length[k] / b->length[k]);
    if (s.radius_param >= 0) s.radius = model->param[s.radius_param];
    if (s.rim[0] > 0.0) {
        s.rim[0] = base->length[0];
        s.rim[1] = base->length[2];
    }
    return s;
}

tacResult tac_geom_features_refresh(const tacModel* model, int geom, tacFeatures* features) {
    featureBlock* b = (featureBlock*)(uintptr_t)features->index; // the block begins with it
    tacAllocator a = model->allocator;
    int primitive = b->index.base.size_param >= 0;
    tacFeatureBase base = feature_base(model, geom, primitive);
    if (memcmp(&base, &b->index.base, sizeof base) == 0) return TAC_OK;
    double(*x)[3] = a.allocate(a.user, sizeof *x * (size_t)(features->vertices + 1));
    if (!x) return TAC_ERROR_MEMORY;
    tacFeatureSurface s = grown_surface(model, b, &base, x);
    tacPose pose = geom_place(model, geom);
    write_features(&s, pose, b);
    fill_features(&s, b, features);
    b->index.base = base;
    tacResult result = measure_field(model, geom, b, features, NULL);
    a.release(a.user, x);
    return result;
}

void tac_geom_features_destroy(tacFeatures* features, tacAllocator allocator) {
    allocator.release(allocator.user, (void*)features->index);
    *features = (tacFeatures){0};
}
