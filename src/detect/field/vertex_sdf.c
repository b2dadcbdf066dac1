// Which vertices of a geom may touch the other one's surface, and the field there.
//
//   whole --ball--> blocks --lower bound of the field--> vertices --lower bound--> near --field-->
//   touching
//
// The lower bound of the field (docs/manifold.md) culls: what it leaves out has activity
// exactly 0, so results do not depend on it.

#include "detect/field/vertex_sdf.h"

#include "base/prefetch.h"
#include "detect/field/detect_cache.h"
#include "detect/field/leaf_culling.h"
#include "math/vec3.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define VERTICES TAC_DISPATCH(tac_vertex_kernels_)

enum { PADDING = TAC_HIT_PADDING };

// A small field works on the stack, which is warm whichever model is asked                     [B]
#define STACK_BYTES ((size_t)160 << 10)

//---------------------------------- memory ---------------------------------------

tacReal* tac_reals_alloc(tacArena* arena, int capacity) {
    return TAC_ALLOC(arena, tacReal, capacity + PADDING);
}

void tac_reals3_alloc(tacArena* arena, int capacity, tacReal* out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = tac_reals_alloc(arena, capacity);
}

tacField tac_hit_field_alloc(tacArena* arena, int capacity) {
    tacField f = {.value = tac_reals_alloc(arena, capacity)};
    tac_reals3_alloc(arena, capacity, f.gradient);
    return f;
}

tacHits tac_hits_alloc(tacArena* arena, int capacity, int hessians) {
    tacHits h = {.vertex = TAC_ALLOC(arena, int, capacity + PADDING)};
    h.value = tac_reals_alloc(arena, capacity);
    for (int k = 0; k < 3; ++k) {
        h.y[k] = tac_reals_alloc(arena, capacity);
        h.gradient[k] = tac_reals_alloc(arena, capacity);
    }
    for (int k = 0; k < 6 && hessians; ++k) h.hessian[k] = tac_reals_alloc(arena, capacity);
    return h;
}

tacHitRecords tac_hit_records_alloc(tacArena* arena, int capacity) {
    tacHitRecords r;
    for (int k = 0; k < 3; ++k) {
        r.point[k] = tac_reals_alloc(arena, capacity);
        r.normal[k] = tac_reals_alloc(arena, capacity);
    }
    r.distance = tac_reals_alloc(arena, capacity);
    r.activity = tac_reals_alloc(arena, capacity);
    return r;
}

tacHitTwists tac_hit_twists_alloc(tacArena* arena, int capacity) {
    tacHitTwists t;
    for (int row = 0; row < 8; ++row)
        for (int k = 0; k < 6; ++k) t.row[row][k] = tac_reals_alloc(arena, capacity);
    return t;
}

void tac_hit_twists_copy(const tacHitTwists* from, int count, tacContacts* to, int at) {
    size_t bytes = sizeof(tacReal) * (size_t)count;
    for (int row = 0; row < 8; ++row)
        for (int k = 0; k < 6; ++k) memcpy(&to->d_twist[row][k][at], from->row[row][k], bytes);
}

void tac_hit_records_copy(const tacHitRecords* from, int count, tacContacts* to, int at) {
    size_t bytes = sizeof(tacReal) * (size_t)count;
    for (int k = 0; k < 3; ++k) {
        memcpy(&to->point[k][at], from->point[k], bytes);
        memcpy(&to->normal[k][at], from->normal[k], bytes);
    }
    memcpy(&to->distance[at], from->distance, bytes);
    memcpy(&to->activity[at], from->activity, bytes);
}

tacHitRecords tac_contact_records_at(const tacContacts* c, int first) {
    tacHitRecords r = {.distance = &c->distance[first], .activity = &c->activity[first]};
    for (int k = 0; k < 3; ++k) {
        r.point[k] = &c->point[k][first];
        r.normal[k] = &c->normal[k][first];
    }
    return r;
}

// blocks, or the vertices of all blocks
static int max_points(const tacFeatures* f) {
    return f->index ? f->index->blocks * TAC_FEATURE_BLOCK + PADDING : PADDING;
}

// balls around blocks in axes of the field's body, and the lower bound of the field in each
typedef struct blockBalls {
    tacReal *x[3], *radius, *low;
} blockBalls;

static blockBalls alloc_block_balls(tacArena* arena, int blocks) {
    blockBalls b = {.radius = tac_reals_alloc(arena, blocks)};
    tac_reals3_alloc(arena, blocks, b.x);
    b.low = tac_reals_alloc(arena, blocks);
    return b;
}

// lists stay, what they are made from does not
static void measure_search(const tacFeatures* f, tacArena* arena) {
    int blocks = f->index ? f->index->blocks : 0;
    tac_hits_alloc(arena, max_points(f), 0);
    tac_leaf_culling_measure(blocks, arena);
    TAC_ALLOC(arena, int, blocks);
    size_t mark = arena->used;
    alloc_block_balls(arena, blocks);
    arena->used = mark;
    tac_reals_alloc(arena, max_points(f));
    arena->used = mark;
}

void tac_vertex_side_measure(const tacModel* model, const tacContactPair* pair, int owner,
                             tacArena* arena) {
    const tacShape* shape = &model->shape[model->geom[pair->geom[1 - owner]].shape];
    tac_geom_field_measure(shape, arena);
    TAC_ALLOC(arena, tacShapeRun, 1);
    tac_shape_run_measure(shape, arena);
    measure_search(&model->contact->feature[pair->geom[owner]], arena);
}

//---------------------------------- sides ----------------------------------------

static tacFrame pose_frame(tacPose pose) {
    tacFrame f;
    f.R = tac_quat_to_mat(pose.rotation);
    tac_store3(f.origin, pose.position);
    return f;
}

static void bind_field(tacVertexSide* s, tacScratch* scratch) {
    const tacGeomField* field = tac_detect_cache_field(s->model, s->geom, scratch);
    tacGeomField own;
    if (!field) {
        own = tac_geom_field_bind(s->model, s->geom, scratch);
        field = &own;
    }
    s->program = field->program;
    s->lower_bound = field->lower_bound;
    s->lower_bounds = field->lower_bounds;
    s->float_bounds = field->float_bounds;
    s->leaves = field->leaves;
    s->blend_drop = field->blend_drop;
    s->end = field->end;
    s->range = field->range;
    s->box = field->box;
    s->culling = field->culling;
    s->run = NULL;
    tac_prefetch(s->float_bounds,
                 sizeof(tacFloatBounds) *
                     (size_t)((s->leaves + TAC_FLOAT_BOUNDS - 1) / TAC_FLOAT_BOUNDS));
    if (tac_shape_run_size(s->program.shape) <= STACK_BYTES) return;
    s->run = TAC_ALLOC(&scratch->arena, tacShapeRun, 1);
    *s->run = tac_shape_run_alloc(&s->program, &s->culling, scratch);
}

// where features are in axes of the field's body
static void bind_features(tacVertexSide* s, int own_geom) {
    const tacFrame* f = &s->pose.rel_frame;
    s->own_geom = own_geom;
    s->map = tac_feature_map(s->model, own_geom);
    s->pose.feature_frame = *f;
    if (!s->map.moved) return;
    s->pose.feature_frame.R = tac_mat_mul(f->R, s->map.A);
    tac_store3(s->pose.feature_frame.origin,
               tac_add(tac_load3(f->origin), tac_mat_mul_vec(f->R, s->map.b)));
}

tacVertexSide tac_vertex_side(const tacModel* model, const tacContactPair* pair, int owner,
                              const tacPose* body, tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    tacVertexSide s = {.model = model, .owner = owner, .geom = pair->geom[1 - owner]};
    s.leaf_mask = ~(uint64_t)0;
    s.lipschitz = 1.0;
    tacPose field = body[pair->body[1 - owner]], own = body[pair->body[owner]];
    s.shape = model->geom[s.geom].shape;
    s.features = &plan->feature[pair->geom[owner]];
    s.pose.field = pose_frame(field);
    s.pose.own = pose_frame(own);
    s.pose.rel_frame = pose_frame(tac_pose_compose(tac_pose_inverse(field), own));
    bind_features(&s, pair->geom[owner]);
    s.pose.sign = owner == 1 ? 1.0 : -1.0;
    s.pose.radius = tac_swept_radius(model, s.features);
    s.pose.tau = model->param[plan->number[TAC_CONTACT_TAU]];
    s.pose.support = model->param[plan->number[TAC_CONTACT_SUPPORT]];
    bind_field(&s, scratch);
    return s;
}

//---------------------------------- field ----------------------------------------

static void store_block(const tacFieldBlock* field, tacHits* hits, int first, int count,
                        int order) {
    size_t size = sizeof(tacReal) * (size_t)count;
    memcpy(&hits->value[first], field->value, size);
    for (int k = 0; k < 3 && order >= 1; ++k)
        memcpy(&hits->gradient[k][first], field->gradient[k], size);
    for (int k = 0; k < 6 && order >= 2; ++k)
        memcpy(&hits->hessian[k][first], field->hessian[k], size);
}

// arrays are padded to whole vectors by repeating the last hit
static void pad_array(tacReal* array, int count) {
    for (int i = count; i < count + PADDING; ++i) array[i] = array[count - 1];
}

static void eval_blocks(const tacVertexSide* side, tacShapeRun* run, tacHits* hits,
                        tacActiveLeaves needs, int order) {
    tacPoints points = {hits->count, {hits->y[0], hits->y[1], hits->y[2]}};
    for (int first = 0, done = 0; first < hits->count; first += TAC_BLOCK) {
        int group = first / TAC_CULL_GROUP * needs.stride;
        run->culling.need = needs.group ? &needs.group[group] : NULL;
        tac_block_points_load(side->program.kernels, points, first, run->points);
        if (needs.listed)
            done += tac_shape_run_active_leaves(&side->program, run, &needs.listed[done],
                                                needs.count - done, first / TAC_ACTIVE_LEAF_GROUP,
                                                order);
        else
            tac_shape_run_block(&side->program, run, order);
        store_block(run->stack, hits, first, run->points->count, order);
    }
}

static void run_on_stack(const tacVertexSide* side, tacHits* hits, tacActiveLeaves needs,
                         int order) {
    _Alignas(TAC_ALIGNMENT) char memory[STACK_BYTES];
    tacScratch scratch;
    scratch.arena = (tacArena){.base = memory, .size = STACK_BYTES};
    tacShapeRun run = tac_shape_run_alloc(&side->program, &side->culling, &scratch);
    eval_blocks(side, &run, hits, needs, order);
}

static void eval_field(const tacVertexSide* side, tacHits* hits, tacActiveLeaves needs, int order) {
    if (side->run)
        eval_blocks(side, side->run, hits, needs, order);
    else
        run_on_stack(side, hits, needs, order);
    pad_array(hits->value, hits->count);
    for (int k = 0; k < 3; ++k) pad_array(hits->y[k], hits->count);
    for (int k = 0; k < 3 && order >= 1; ++k) pad_array(hits->gradient[k], hits->count);
    for (int k = 0; k < 6 && order >= 2; ++k) pad_array(hits->hessian[k], hits->count);
}

void tac_hits_field(tacVertexSide* side, tacHits* hits, int order) {
    if (hits->count) eval_field(side, hits, (tacActiveLeaves){0}, order);
}

void tac_hits_evaluate(tacVertexSide* side, tacHits* hits, int order) {
    uint64_t same[TAC_BLOCK / TAC_CULL_GROUP];
    tacActiveLeaves needs = {.group = side->leaves ? same : NULL};
    if (hits->count == 0) return;
    for (int g = 0; g < TAC_BLOCK / TAC_CULL_GROUP; ++g) same[g] = side->leaf_mask;
    VERTICES->pose(&side->pose.feature_frame, side->features->x, hits->vertex, hits->count,
                   hits->y);
    eval_field(side, hits, needs, order);
}

//---------------------------------- search ---------------------------------------

static blockBalls transform_balls(const tacVertexSide* side, tacArena* arena) {
    const struct tacFeatureIndex* index = side->features->index;
    const tacFrame* f = &side->pose.rel_frame;
    int count = index->blocks;
    blockBalls b = alloc_block_balls(arena, count);
    for (int i = 0; i < count + PADDING; ++i) {
        const tacFeatureBox* box = &index->box[i < count ? i : count - 1];
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            b.x[k][i] = f->origin[k] + f->R.m[k][0] * box->middle[0] +
                        f->R.m[k][1] * box->middle[1] + f->R.m[k][2] * box->middle[2];
            square += box->half[k] * box->half[k];
        }
        b.radius[i] = sqrt(square);
    }
    return b;
}

static int list_blocks(tacVertexSide* side, const tacVertexCutoff* range, int* block,
                       tacScratch* scratch) {
    size_t mark = scratch->arena.used;
    int count = side->features->index->blocks, count_passed = 0;
    blockBalls b = transform_balls(side, &scratch->arena);
    VERTICES->lower_bound(side->lower_bound, side->lower_bounds, (const tacReal* const*)b.x,
                          b.radius, b.low, count);
    for (int i = 0; i < count; ++i)
        if (tac_re(b.low[i]) < tac_vertex_cutoff(side, range)) block[count_passed++] = i;
    scratch->arena.used = mark;
    return count_passed;
}

// vertices of a block behind the others
static void add_block(tacHits* near, const tacFeatures* f, int block) {
    int first = block * TAC_FEATURE_BLOCK, end = first + TAC_FEATURE_BLOCK;
    for (int v = first; v < end && v < f->vertices; ++v) near->vertex[near->count++] = v;
}

static void cull_vertices(tacVertexSide* side, const tacVertexCutoff* range, tacScratch* scratch) {
    size_t mark = scratch->arena.used;
    tacHits* near = &side->near;
    tacReal* low = tac_reals_alloc(&scratch->arena, near->count);
    VERTICES->pose(&side->pose.feature_frame, side->features->x, near->vertex, near->count,
                   near->y);
    VERTICES->lower_bound(side->lower_bound, side->lower_bounds, (const tacReal* const*)near->y,
                          NULL, low, near->count);
    int count_passed = 0;
    for (int i = 0; i < near->count; ++i) {
        int v = near->vertex[i];
        if (tac_re(low[i]) < tac_vertex_cutoff(side, range)) near->vertex[count_passed++] = v;
    }
    near->count = count_passed;
    scratch->arena.used = mark;
}

// where the first hits go
static void fetch_hits(const tacHits* h, int capacity) {
    size_t count = (size_t)(capacity < 64 ? capacity : 64);
    tac_prefetch(h->vertex, sizeof(int) * count);
    tac_prefetch(h->value, sizeof(tacReal) * count);
    for (int k = 0; k < 3; ++k) {
        tac_prefetch(h->y[k], sizeof(tacReal) * count);
        tac_prefetch(h->gradient[k], sizeof(tacReal) * count);
    }
}

void tac_vertex_search(tacVertexSide* side, tacVertexCutoff range, tacScratch* scratch) {
    const tacFeatures* f = side->features;
    side->near = tac_hits_alloc(&scratch->arena, max_points(f), 0);
    if (f->vertices == 0) return;
    fetch_hits(&side->near, max_points(f));
    if (range.all || side->map.is_shifted) {
        for (int b = 0; b < f->index->blocks; ++b) add_block(&side->near, f, b);
    } else if (tac_leaf_culling_applies(side, &range)) {
        tacActiveLeaves needs = tac_leaf_culling_vertices(side, &range, scratch);
        if (side->near.count == 0) return;
        VERTICES->pose(&side->pose.feature_frame, f->x, side->near.vertex, side->near.count,
                       side->near.y);
        eval_field(side, &side->near, needs, 1);
        return;
    } else {
        int* block = TAC_ALLOC(&scratch->arena, int, f->index->blocks);
        int blocks = list_blocks(side, &range, block, scratch);
        for (int i = 0; i < blocks; ++i) add_block(&side->near, f, block[i]);
        if (side->near.count) cull_vertices(side, &range, scratch);
    }
    tac_hits_evaluate(side, &side->near, 1);
}

void tac_hits_field_within(tacVertexSide* side, tacHits* hits, tacVertexCutoff range, int order,
                           tacScratch* scratch) {
    if (hits->count == 0 || !tac_leaf_culling_applies(side, &range)) {
        tac_hits_field(side, hits, order);
        return;
    }
    size_t mark = scratch->arena.used;
    eval_field(side, hits, tac_leaf_culling_at(side, &range, hits, &scratch->arena), order);
    scratch->arena.used = mark;
}

//---------------------------------- touching -------------------------------------

static void copy_hit(const tacHits* from, int i, tacHits* to) {
    int j = to->count++;
    to->vertex[j] = from->vertex[i];
    to->value[j] = from->value[i];
    for (int k = 0; k < 3; ++k) {
        to->y[k][j] = from->y[k][i];
        to->gradient[k][j] = from->gradient[k][i];
    }
}

void tac_vertex_active(tacVertexSide* side, int order, tacHits* out) {
    double end = side->lipschitz * (tac_re(side->pose.support) + tac_re(side->pose.radius));
    out->count = 0;
    for (int i = 0; i < side->near.count; ++i)
        if (tac_re(side->near.value[i]) < end) copy_hit(&side->near, i, out);
    if (out->count == 0) return;
    if (order > 1) {
        tac_hits_evaluate(side, out, order);
        return;
    }
    pad_array(out->value, out->count);
    for (int k = 0; k < 3; ++k) {
        pad_array(out->y[k], out->count);
        pad_array(out->gradient[k], out->count);
    }
}
