// Which vertices of a geom may touch the other one's surface, and the field there.
//
//   whole --ball--> blocks --floor of the field--> vertices --floor--> near --field--> touching
//
// The floor is a bound of the field from below (docs/manifold.md): what it leaves out has activity
// exactly 0, so results do not depend on it.

#include "detect/vertex_sdf.h"

#include "detect/kept.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define VERTICES TAC_DISPATCH(tac_vertex_kernels_)

// padding of arrays: the widest vector
enum { PADDING = 8 };

//---------------------------------- memory ---------------------------------------

size_t tac_hits_size(int capacity, int hessians, size_t real_size) {
    size_t count = (size_t)(capacity + PADDING), arrays = hessians ? 13 : 7;
    return tac_arena_need(sizeof(int) * count) + arrays * tac_arena_need(real_size * count);
}

tacHits tac_hits_take(tacArena* arena, int capacity, int hessians) {
    tacHits h = {0};
    int count = capacity + PADDING;
    h.vertex = TAC_TAKE(arena, int, count);
    h.value = TAC_TAKE(arena, tacReal, count);
    for (int k = 0; k < 3; ++k) {
        h.y[k] = TAC_TAKE(arena, tacReal, count);
        h.gradient[k] = TAC_TAKE(arena, tacReal, count);
    }
    for (int k = 0; k < 6 && hessians; ++k) h.hessian[k] = TAC_TAKE(arena, tacReal, count);
    return h;
}

size_t tac_hit_records_size(int capacity, size_t real_size) {
    return 8 * tac_arena_need(real_size * (size_t)(capacity + PADDING));
}

tacHitRecords tac_hit_records_take(tacArena* arena, int capacity) {
    tacHitRecords r;
    int count = capacity + PADDING;
    for (int k = 0; k < 3; ++k) {
        r.point[k] = TAC_TAKE(arena, tacReal, count);
        r.normal[k] = TAC_TAKE(arena, tacReal, count);
    }
    r.distance = TAC_TAKE(arena, tacReal, count);
    r.activity = TAC_TAKE(arena, tacReal, count);
    return r;
}

// blocks, or the vertices of all blocks
static int most_points(const tacFeatures* f) {
    return f->index ? f->index->blocks * TAC_FEATURE_BLOCK + PADDING : PADDING;
}

size_t tac_vertex_side_size(const tacModel* model, const tacContactPair* pair, int owner,
                            size_t real_size) {
    const tacFeatures* f = &model->contact->feature[pair->geom[owner]];
    const tacShape* shape = &model->shape[model->geom[pair->geom[1 - owner]].shape];
    size_t scale = real_size / sizeof(tacReal) + 1;
    size_t field = tac_field_size(shape) + tac_run_size(shape);
    size_t lists = 5 * tac_arena_need(real_size * (size_t)most_points(f)) +
                   2 * tac_arena_need(sizeof(int) * (size_t)most_points(f));
    return scale * field + lists + tac_hits_size(most_points(f), 0, real_size);
}

//---------------------------------- sides ----------------------------------------

static tacFrame frame_of(tacPose pose) {
    tacFrame f;
    f.R = tac_quat_to_mat(pose.rotation);
    tac_store3(f.origin, pose.position);
    return f;
}

// the radius of swept features is the parameter that the field has, too
static tacReal radius_of(const tacModel* model, const tacFeatures* f) {
    return f->index && f->index->radius >= 0 ? model->param[f->index->radius] : (tacReal)0.0;
}

static void bind_field(tacVertexSide* s, tacScratch* scratch) {
    const tacFieldBound* field = tac_kept_field(s->model, s->geom, scratch);
    tacFieldBound own;
    if (!field) own = tac_field_bind(s->model, s->geom, scratch), field = &own;
    s->program = field->program, s->floor = field->floor, s->floors = field->floors;
    s->leaves = field->leaves, s->rise = field->rise;
    s->run = tac_run_take(&s->program, &field->culling, scratch);
}

tacVertexSide tac_vertex_side(const tacModel* model, const tacContactPair* pair, int owner,
                              const tacPose* body, tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    tacVertexSide s = {.model = model, .owner = owner, .geom = pair->geom[1 - owner]};
    s.seen = ~(uint64_t)0;
    tacPose field = body[pair->body[1 - owner]], own = body[pair->body[owner]];
    s.shape = model->geom[s.geom].shape, s.features = &plan->feature[pair->geom[owner]];
    s.place.field = frame_of(field), s.place.own = frame_of(own);
    s.place.across = frame_of(tac_pose_compose(tac_pose_inverse(field), own));
    s.place.way = owner == 1 ? 1.0 : -1.0;
    s.place.radius = radius_of(model, s.features);
    s.place.tau = model->param[plan->number[TAC_CONTACT_TAU]];
    s.place.support = model->param[plan->number[TAC_CONTACT_SUPPORT]];
    bind_field(&s, scratch);
    return s;
}

//---------------------------------- search ---------------------------------------

static double range_of(const tacVertexSide* side, const tacVertexRange* range) {
    return range->support + tac_re(side->place.radius);
}

// balls around blocks in axes of the field's body
typedef struct blockBalls {
    tacReal *x[3], *radius;
} blockBalls;

static blockBalls place_balls(const tacVertexSide* side, tacArena* arena) {
    const struct tacFeatureIndex* index = side->features->index;
    const tacFrame* f = &side->place.across;
    int count = index->blocks;
    blockBalls b = {.radius = TAC_TAKE(arena, tacReal, count + PADDING)};
    for (int k = 0; k < 3; ++k) b.x[k] = TAC_TAKE(arena, tacReal, count + PADDING);
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

static int list_blocks(tacVertexSide* side, const tacVertexRange* range, int* block,
                       tacScratch* scratch) {
    size_t mark = scratch->arena.used;
    int count = side->features->index->blocks, kept = 0;
    blockBalls b = place_balls(side, &scratch->arena);
    tacReal* low = TAC_TAKE(&scratch->arena, tacReal, count + PADDING);
    VERTICES->floor(side->floor, side->floors, (const tacReal* const*)b.x, b.radius, low, count);
    for (int i = 0; i < count; ++i)
        if (tac_re(low[i]) < range_of(side, range)) block[kept++] = i;
    scratch->arena.used = mark;
    return kept;
}

// A union of leaves: those that are near a block decide on its vertices, and those that are not
// even far are left out of the field.
static void search_leaves(tacVertexSide* side, const tacVertexRange* range, tacScratch* scratch) {
    size_t mark = scratch->arena.used;
    tacArena* arena = &scratch->arena;
    tacHits* near = &side->near;
    int count = side->features->index->blocks, leaves = side->leaves;
    double limit[2][64];
    blockBalls b = place_balls(side, arena);
    uint64_t *is_near = TAC_TAKE(arena, uint64_t, count + PADDING), seen = 0;
    uint64_t* is_far = TAC_TAKE(arena, uint64_t, count + PADDING);
    for (int n = 0; n < leaves; ++n) {
        limit[0][n] = range_of(side, range) + tac_re(side->rise);
        limit[1][n] = limit[0][n] + side->run.culling.node[n].reach;
    }
    VERTICES->leaves(side->floor, leaves, (const tacReal* const*)b.x, b.radius, limit[0], limit[1],
                     is_near, is_far, count);
    for (int i = 0; i < count; ++i) {
        if (!is_near[i]) continue;
        near->count = VERTICES->vertices(side->floor, is_near[i], limit[0], &side->place.across,
                                         side->features, i, near->vertex, near->count);
        seen |= is_far[i];
    }
    side->seen = seen;
    scratch->arena.used = mark;
}

// vertices of a block behind the others
static void add_block(tacHits* near, const tacFeatures* f, int block) {
    int first = block * TAC_FEATURE_BLOCK, end = first + TAC_FEATURE_BLOCK;
    for (int v = first; v < end && v < f->vertices; ++v) near->vertex[near->count++] = v;
}

static void keep_near(tacVertexSide* side, const tacVertexRange* range, tacScratch* scratch) {
    size_t mark = scratch->arena.used;
    tacHits* near = &side->near;
    tacReal* low = TAC_TAKE(&scratch->arena, tacReal, near->count + PADDING);
    VERTICES->place(&side->place.across, side->features->x, near->vertex, near->count, near->y);
    VERTICES->floor(side->floor, side->floors, (const tacReal* const*)near->y, NULL, low,
                    near->count);
    int kept = 0;
    for (int i = 0; i < near->count; ++i) {
        int v = near->vertex[i];
        if (tac_re(low[i]) < range_of(side, range)) near->vertex[kept++] = v;
    }
    near->count = kept;
    scratch->arena.used = mark;
}

void tac_vertex_search(tacVertexSide* side, tacVertexRange range, tacScratch* scratch) {
    const tacFeatures* f = side->features;
    side->near = tac_hits_take(&scratch->arena, most_points(f), 0);
    if (f->vertices == 0) return;
    if (range.all) {
        for (int b = 0; b < f->index->blocks; ++b) add_block(&side->near, f, b);
    } else if (side->leaves) {
        search_leaves(side, &range, scratch);
    } else {
        int* block = TAC_TAKE(&scratch->arena, int, f->index->blocks);
        int blocks = list_blocks(side, &range, block, scratch);
        for (int i = 0; i < blocks; ++i) add_block(&side->near, f, block[i]);
        if (side->near.count) keep_near(side, &range, scratch);
    }
    tac_hits_evaluate(side, &side->near, 1);
}

//---------------------------------- field ----------------------------------------

static void store(const tacBlock* field, tacHits* hits, int first, int count, int order) {
    size_t size = sizeof(tacReal) * (size_t)count;
    memcpy(&hits->value[first], field->value, size);
    for (int k = 0; k < 3 && order >= 1; ++k)
        memcpy(&hits->gradient[k][first], field->gradient[k], size);
    for (int k = 0; k < 6 && order >= 2; ++k)
        memcpy(&hits->hessian[k][first], field->hessian[k], size);
}

// arrays are padded to whole vectors by repeating the last hit
static void pad(tacReal* array, int count) {
    for (int i = count; i < count + PADDING; ++i) array[i] = array[count - 1];
}

void tac_hits_evaluate(tacVertexSide* side, tacHits* hits, int order) {
    if (hits->count == 0) return;
    VERTICES->place(&side->place.across, side->features->x, hits->vertex, hits->count, hits->y);
    side->run.culling.without = ~side->seen;
    tac_hits_field(side, hits, order);
    side->run.culling.without = 0;
}

void tac_hits_field(tacVertexSide* side, tacHits* hits, int order) {
    if (hits->count == 0) return;
    tacPoints points = {hits->count, {hits->y[0], hits->y[1], hits->y[2]}};
    for (int first = 0; first < hits->count; first += TAC_BLOCK) {
        tac_block_load(side->program.kernels, points, first, side->run.points);
        tac_run_block(&side->program, &side->run, order);
        store(side->run.stack, hits, first, side->run.points->count, order);
    }
    pad(hits->value, hits->count);
    for (int k = 0; k < 3; ++k) pad(hits->y[k], hits->count);
    for (int k = 0; k < 3 && order >= 1; ++k) pad(hits->gradient[k], hits->count);
    for (int k = 0; k < 6 && order >= 2; ++k) pad(hits->hessian[k], hits->count);
}

static void copy_hit(const tacHits* from, int i, tacHits* to) {
    int j = to->count++;
    to->vertex[j] = from->vertex[i], to->value[j] = from->value[i];
    for (int k = 0; k < 3; ++k)
        to->y[k][j] = from->y[k][i], to->gradient[k][j] = from->gradient[k][i];
}

void tac_vertex_touching(tacVertexSide* side, int order, tacHits* out) {
    double end = tac_re(side->place.support) + tac_re(side->place.radius);
    out->count = 0;
    for (int i = 0; i < side->near.count; ++i)
        if (tac_re(side->near.value[i]) < end) copy_hit(&side->near, i, out);
    if (out->count == 0) return;
    if (order > 1) {
        tac_hits_evaluate(side, out, order);
        return;
    }
    pad(out->value, out->count);
    for (int k = 0; k < 3; ++k) pad(out->y[k], out->count), pad(out->gradient[k], out->count);
}
