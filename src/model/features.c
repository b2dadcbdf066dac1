// Features of a geom: what stands in the model for its surface, with boxes, flanks of edges and own
// normals.
//
//   feature_surface.h --body axes--> vertices, edges, faces --blocks of eight--> boxes, rows
//        --own field--> normals, how far mesh and field are apart

#include "model/feature_surface.h"

#include "base/arena.h"
#include "base/message.h"
#include "math/pose.h"
#include "mesh/surface.h"

#include <math.h>
#include <string.h>

//---------------------------------- packing --------------------------------------

// everything of the features in one block, which begins with the index
typedef struct featureBlock {
    struct tacFeatureIndex index;
    double *x[3], *normal[3];
    double *out[3], *along[2][3], *end[2][3];
    int *edge[2], *face[3];
    tacFeatureBox *box, *edge_box;
    tacRoughBoxes block_rough;
    float* edge_rows;
} featureBlock;

static int blocks_of(int count) { return (count + TAC_FEATURE_BLOCK - 1) / TAC_FEATURE_BLOCK; }

static size_t lay_out(const tacFeatureSurface* s, tacArena* arena, featureBlock** out) {
    size_t used = 0;
    featureBlock* b = arena ? TAC_TAKE(arena, featureBlock, 1) : NULL;
    int blocks = blocks_of(s->vertices), edge_blocks = blocks_of(s->edges);
    size_t doubles = sizeof(double) * (size_t)(s->vertices + TAC_FEATURE_BLOCK);
    size_t edges = sizeof(double) * (size_t)(s->edges + 1);
    size_t ends = (size_t)(s->edges + TAC_ROUGH_PADDING),
           around = (size_t)(edge_blocks + TAC_ROUGH_PADDING),
           rows = (size_t)(edge_blocks * TAC_FEATURE_BLOCK * TAC_EDGE_ROWS + TAC_ROUGH_PADDING);
#define PLACE(field, bytes)                                                                        \
    do {                                                                                           \
        used += tac_arena_need(bytes);                                                             \
        if (arena) b->field = tac_arena_take(arena, bytes);                                        \
    } while (0)
    used += tac_arena_need(sizeof *b);
    for (int k = 0; k < 3; ++k) {
        PLACE(x[k], doubles);
        PLACE(normal[k], doubles);
        PLACE(out[k], edges);
        PLACE(along[0][k], edges);
        PLACE(along[1][k], edges);
        for (int i = 0; i < 2; ++i) PLACE(end[i][k], sizeof(double) * ends);
        PLACE(block_rough.middle[k], sizeof(float) * around);
        PLACE(block_rough.half[k], sizeof(float) * around);
        PLACE(face[k], sizeof(int) * (size_t)(s->triangles + 1));
    }
    for (int k = 0; k < 2; ++k) PLACE(edge[k], sizeof(int) * (size_t)(s->edges + 1));
    PLACE(box, sizeof(tacFeatureBox) * (size_t)(blocks + 1));
    PLACE(edge_box, sizeof(tacFeatureBox) * (size_t)(edge_blocks + 1));
    PLACE(edge_rows, sizeof(float) * rows);
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

// corners of each edge, for vectors of them, and boxes of blocks
static void write_ends(const tacFeatureSurface* s, featureBlock* b) {
    for (int i = 0; i < s->edges + TAC_ROUGH_PADDING && s->edges; ++i) {
        int e = i < s->edges ? i : s->edges - 1;
        for (int k = 0; k < 2; ++k)
            for (int j = 0; j < 3; ++j) b->end[k][j][i] = b->x[j][b->edge[k][e]];
    }
    int blocks = b->index.edge_blocks;
    for (int i = 0; i < blocks + TAC_ROUGH_PADDING && blocks; ++i)
        write_rough(&b->edge_box[i < blocks ? i : blocks - 1], &b->block_rough, i);
}

static void write_edges(const tacFeatureSurface* s, featureBlock* b) {
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

// to length 1, or all 0
static int to_unit(double v[3]) {
    double length = sqrt(tac_dot3(v, v));
    for (int k = 0; k < 3; ++k) v[k] = length > 0.0 ? v[k] / length : 0.0;
    return length > 1e-6;
}

// along a triangle, across its side from p to q and away from it
static void away_from_side(const tacFeatureSurface* s, const int edge[2], int triangle,
                           double out[3]) {
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

static void put_vector(tacPose pose, const double v[3], double* const out[3], int e) {
    tacVec3 x = tac_quat_rotate(pose.rotation, tac_load3(v));
    out[0][e] = x.x, out[1][e] = x.y, out[2][e] = x.z;
}

// between the normals of its triangles, or away from both where those oppose
static void write_flanks(const tacFeatureSurface* s, tacPose pose, featureBlock* b) {
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
        put_vector(pose, out, b->out, e);
        for (int i = 0; i < 2; ++i) put_vector(pose, along[i], b->along[i], e);
    }
}

// in single precision, eight edges together
static void write_rows(const tacFeatureSurface* s, featureBlock* b) {
    for (int i = 0; i < b->index.edge_blocks * TAC_FEATURE_BLOCK; ++i) {
        int e = i < s->edges ? i : s->edges - 1, at = i % TAC_FEATURE_BLOCK;
        float* row = &b->edge_rows[(i - at) * TAC_EDGE_ROWS + at];
        double t[3];
        for (int k = 0; k < 3; ++k) t[k] = b->end[1][k][e] - b->end[0][k][e];
        double length = sqrt(tac_dot3(t, t));
        for (int k = 0; k < 3; ++k) {
            double middle = b->end[0][k][e] + 0.5 * t[k];
            row[k * TAC_FEATURE_BLOCK] = (float)middle;
            row[(3 + k) * TAC_FEATURE_BLOCK] = length > 1e-12 ? (float)(t[k] / length) : 0.0f;
            for (int j = 0; j < 2; ++j)
                row[(6 + 3 * j + k) * TAC_FEATURE_BLOCK] = (float)b->along[j][k][e];
        }
        row[12 * TAC_FEATURE_BLOCK] = (float)(0.5 * length);
    }
}

static void write_boxes(const tacFeatureSurface* s, featureBlock* b) {
    struct tacFeatureIndex* index = &b->index;
    growingBox all = no_box();
    index->blocks = blocks_of(s->vertices);
    for (int i = 0; i < index->blocks; ++i) {
        growingBox box = no_box();
        int first = i * TAC_FEATURE_BLOCK;
        for (int v = first; v < first + TAC_FEATURE_BLOCK && v < s->vertices; ++v)
            grow(&box, b->x, v), grow(&all, b->x, v);
        b->box[i] = finished(&box);
    }
    index->all = finished(&all);
}

// body axes; the last vertex is repeated to fill its block
static void write_vertices(const tacFeatureSurface* s, tacPose pose, featureBlock* b) {
    for (int i = 0; i < s->vertices + TAC_FEATURE_BLOCK && s->vertices; ++i) {
        int from = i < s->vertices ? i : s->vertices - 1;
        tacVec3 x = tac_pose_apply(pose, tac_load3(s->x[from]));
        b->x[0][i] = x.x, b->x[1][i] = x.y, b->x[2][i] = x.z;
        for (int k = 0; k < 3; ++k) b->normal[k][i] = 0.0;
    }
    for (int t = 0; t < s->triangles; ++t)
        for (int k = 0; k < 3; ++k) b->face[k][t] = s->triangle[t][k];
}

static tacResult pack_features(const tacFeatureSurface* s, tacPose pose, tacAllocator allocator,
                               featureBlock** out, tacMessage* message) {
    tacArena arena;
    if (tac_arena_create(&arena, lay_out(s, NULL, NULL), allocator) != TAC_OK)
        return tac_fail(message, TAC_ERROR_MEMORY, NULL, 0, NULL, "out of memory");
    lay_out(s, &arena, out);
    featureBlock* b = *out;
    b->index = (struct tacFeatureIndex){.radius = s->radius_param};
    write_vertices(s, pose, b);
    write_edges(s, b);
    write_ends(s, b);
    write_flanks(s, pose, b);
    write_rows(s, b);
    write_boxes(s, b);
    return TAC_OK;
}

static void publish(const tacFeatureSurface* s, featureBlock* b, tacFeatures* out) {
    struct tacFeatureIndex* index = &b->index;
    *out = (tacFeatures){s->vertices, s->edges, s->triangles, {0}, {0}, {0}, s->radius, index};
    for (int k = 0; k < 3; ++k) {
        out->x[k] = b->x[k], out->face[k] = b->face[k], index->normal[k] = b->normal[k];
        index->out[k] = b->out[k];
        for (int i = 0; i < 2; ++i)
            index->along[i][k] = b->along[i][k], index->edge_end[i][k] = b->end[i][k];
    }
    index->edge_rows = b->edge_rows, index->block_rough = b->block_rough;
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

static tacResult finish(const tacModel* model, int geom, tacPose pose, const tacFeatureSurface* s,
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
    tacFeatureSurface s = {.blocks = &blocks, .radius_param = -1};
    tacPose pose = {tac_load3(&model->param[g->position]),
                    tac_quat_load(&model->param[g->rotation])};
    *out = (tacFeatures){0};
    if (message) *message = (tacMessage){0};
    tacResult result = tac_feature_surface(&s, model, g->shape, options, message);
    if (result == TAC_OK) result = finish(model, geom, pose, &s, out, message);
    tac_blocks_release(&blocks);
    return result;
}

void tac_features_destroy(tacFeatures* features, tacAllocator allocator) {
    allocator.release(allocator.user, (void*)features->index);
    *features = (tacFeatures){0};
}
