// Which vertices of a geom may touch the other one's surface, and the field there.
//
//   whole --ball--> blocks --floor of the field--> vertices --floor--> near --field--> touching
//
// The floor is a bound of the field from below (docs/manifold.md): what it leaves out has activity
// exactly 0, so results do not depend on it.

#include "detect/vertex_sdf.h"

#include "base/fetch.h"
#include "detect/kept.h"
#include "detect/near_leaves.h"
#include "math/vec3.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define VERTICES TAC_DISPATCH(tac_vertex_kernels_)

// padding of arrays: the widest vector
enum { PADDING = 8 };

// A small field works on the stack, which is warm whichever model is asked                     [B]
#define WARM ((size_t)160 << 10)

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
    size_t field = tac_field_size(shape) + tac_run_size(shape) + tac_arena_need(sizeof(tacRun));
    size_t lists = 7 * tac_arena_need(real_size * (size_t)(most_points(f) + TAC_ROUGH_PADDING)) +
                   2 * tac_arena_need(sizeof(int) * (size_t)most_points(f)) +
                   tac_arena_need(sizeof(tacLeafNeed[TAC_LISTED_LEAVES]) * (size_t)most_points(f) /
                                  TAC_LISTED_GROUP);
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
    if (!field) {
        own = tac_field_bind(s->model, s->geom, scratch);
        field = &own;
    }
    s->program = field->program;
    s->floor = field->floor;
    s->floors = field->floors;
    s->rough = field->rough;
    s->leaves = field->leaves;
    s->rise = field->rise;
    s->end = field->end;
    s->range = field->range;
    s->box = field->box;
    s->culling = field->culling;
    s->run = NULL;
    tac_fetch(s->rough, sizeof(tacRoughFloors) *
                            (size_t)((s->leaves + TAC_ROUGH_FLOORS - 1) / TAC_ROUGH_FLOORS));
    if (tac_run_size(s->program.shape) <= WARM) return;
    s->run = TAC_TAKE(&scratch->arena, tacRun, 1);
    *s->run = tac_run_take(&s->program, &s->culling, scratch);
}

tacVertexSide tac_vertex_side(const tacModel* model, const tacContactPair* pair, int owner,
                              const tacPose* body, tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    tacVertexSide s = {.model = model, .owner = owner, .geom = pair->geom[1 - owner]};
    s.seen = ~(uint64_t)0;
    s.steep = 1.0;
    tacPose field = body[pair->body[1 - owner]], own = body[pair->body[owner]];
    s.shape = model->geom[s.geom].shape;
    s.features = &plan->feature[pair->geom[owner]];
    s.place.field = frame_of(field);
    s.place.own = frame_of(own);
    s.place.across = frame_of(tac_pose_compose(tac_pose_inverse(field), own));
    s.place.way = owner == 1 ? 1.0 : -1.0;
    s.place.radius = radius_of(model, s.features);
    s.place.tau = model->param[plan->number[TAC_CONTACT_TAU]];
    s.place.support = model->param[plan->number[TAC_CONTACT_SUPPORT]];
    bind_field(&s, scratch);
    return s;
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

static void run_blocks(const tacVertexSide* side, tacRun* run, tacHits* hits, tacLeafNeeds needs,
                       int order) {
    tacPoints points = {hits->count, {hits->y[0], hits->y[1], hits->y[2]}};
    for (int first = 0, done = 0; first < hits->count; first += TAC_BLOCK) {
        int group = first / TAC_CULL_GROUP * needs.stride;
        run->culling.need = needs.group ? &needs.group[group] : NULL;
        tac_block_load(side->program.kernels, points, first, run->points);
        if (needs.listed)
            done += tac_run_listed(&side->program, run, &needs.listed[done], needs.count - done,
                                   first / TAC_LISTED_GROUP, order);
        else
            tac_run_block(&side->program, run, order);
        store(run->stack, hits, first, run->points->count, order);
    }
}

static void run_warm(const tacVertexSide* side, tacHits* hits, tacLeafNeeds needs, int order) {
    _Alignas(TAC_ALIGNMENT) char memory[WARM];
    tacScratch scratch;
    scratch.arena = (tacArena){memory, WARM, 0};
    tacRun run = tac_run_take(&side->program, &side->culling, &scratch);
    run_blocks(side, &run, hits, needs, order);
}

static void run_field(const tacVertexSide* side, tacHits* hits, tacLeafNeeds needs, int order) {
    if (side->run)
        run_blocks(side, side->run, hits, needs, order);
    else
        run_warm(side, hits, needs, order);
    pad(hits->value, hits->count);
    for (int k = 0; k < 3; ++k) pad(hits->y[k], hits->count);
    for (int k = 0; k < 3 && order >= 1; ++k) pad(hits->gradient[k], hits->count);
    for (int k = 0; k < 6 && order >= 2; ++k) pad(hits->hessian[k], hits->count);
}

void tac_hits_field(tacVertexSide* side, tacHits* hits, int order) {
    if (hits->count) run_field(side, hits, (tacLeafNeeds){0}, order);
}

void tac_hits_evaluate(tacVertexSide* side, tacHits* hits, int order) {
    uint64_t same[TAC_BLOCK / TAC_CULL_GROUP];
    tacLeafNeeds needs = {.group = side->leaves ? same : NULL};
    if (hits->count == 0) return;
    for (int g = 0; g < TAC_BLOCK / TAC_CULL_GROUP; ++g) same[g] = side->seen;
    VERTICES->place(&side->place.across, side->features->x, hits->vertex, hits->count, hits->y);
    run_field(side, hits, needs, order);
}

//---------------------------------- search ---------------------------------------

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
        if (tac_re(low[i]) < tac_vertex_range(side, range)) block[kept++] = i;
    scratch->arena.used = mark;
    return kept;
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
        if (tac_re(low[i]) < tac_vertex_range(side, range)) near->vertex[kept++] = v;
    }
    near->count = kept;
    scratch->arena.used = mark;
}

// where the first hits go
static void fetch_hits(const tacHits* h, int capacity) {
    size_t count = (size_t)(capacity < 64 ? capacity : 64);
    tac_fetch(h->vertex, sizeof(int) * count);
    tac_fetch(h->value, sizeof(tacReal) * count);
    for (int k = 0; k < 3; ++k) {
        tac_fetch(h->y[k], sizeof(tacReal) * count);
        tac_fetch(h->gradient[k], sizeof(tacReal) * count);
    }
}

void tac_vertex_search(tacVertexSide* side, tacVertexRange range, tacScratch* scratch) {
    const tacFeatures* f = side->features;
    side->near = tac_hits_take(&scratch->arena, most_points(f), 0);
    if (f->vertices == 0) return;
    fetch_hits(&side->near, most_points(f));
    if (range.all) {
        for (int b = 0; b < f->index->blocks; ++b) add_block(&side->near, f, b);
    } else if (tac_has_leaves(side, &range)) {
        tacLeafNeeds needs = tac_search_leaves(side, &range, scratch);
        if (side->near.count == 0) return;
        VERTICES->place(&side->place.across, f->x, side->near.vertex, side->near.count,
                        side->near.y);
        run_field(side, &side->near, needs, 1);
        return;
    } else {
        int* block = TAC_TAKE(&scratch->arena, int, f->index->blocks);
        int blocks = list_blocks(side, &range, block, scratch);
        for (int i = 0; i < blocks; ++i) add_block(&side->near, f, block[i]);
        if (side->near.count) keep_near(side, &range, scratch);
    }
    tac_hits_evaluate(side, &side->near, 1);
}

void tac_hits_within(tacVertexSide* side, tacHits* hits, tacVertexRange range, int order,
                     tacScratch* scratch) {
    if (hits->count == 0 || !tac_has_leaves(side, &range)) {
        tac_hits_field(side, hits, order);
        return;
    }
    size_t mark = scratch->arena.used;
    run_field(side, hits, tac_leaves_at(side, &range, hits, &scratch->arena), order);
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

void tac_vertex_touching(tacVertexSide* side, int order, tacHits* out) {
    double end = side->steep * (tac_re(side->place.support) + tac_re(side->place.radius));
    out->count = 0;
    for (int i = 0; i < side->near.count; ++i)
        if (tac_re(side->near.value[i]) < end) copy_hit(&side->near, i, out);
    if (out->count == 0) return;
    if (order > 1) {
        tac_hits_evaluate(side, out, order);
        return;
    }
    pad(out->value, out->count);
    for (int k = 0; k < 3; ++k) {
        pad(out->y[k], out->count);
        pad(out->gradient[k], out->count);
    }
}
