// Which vertices of a geom may touch the other one's surface, and the field there.
//
//   whole --ball--> blocks --floor of the field--> vertices --floor--> near --field--> touching
//
// The floor is a bound of the field from below (docs/manifold.md): what it leaves out has activity
// exactly 0, so results do not depend on it.

#include "detect/vertex_sdf.h"

#include "base/fetch.h"
#include "detect/kept.h"
#include "math/vec3.h"
#include "shape/listed.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define VERTICES TAC_DISPATCH(tac_vertex_kernels_)

// padding of arrays: the widest vector
enum { PADDING = 8 };

// A small field works on the stack, which is warm whichever model is asked                     [B]
#define WARM       ((size_t)160 << 10)
#define WARM_BALLS ((size_t)4 << 10)

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
    if (!field) own = tac_field_bind(s->model, s->geom, scratch), field = &own;
    s->program = field->program, s->floor = field->floor, s->floors = field->floors;
    s->rough = field->rough, s->leaves = field->leaves, s->rise = field->rise, s->end = field->end;
    s->range = field->range, s->box = field->box;
    s->culling = field->culling, s->run = NULL;
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
    s.seen = ~(uint64_t)0, s.steep = 1.0;
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

// groups that need the same leaves all over have no stride
typedef struct leafNeeds {
    const uint64_t* group; // NULL: all leaves
    int stride;
    const tacLeafNeed* listed; // of a field that ends; NULL: groups
    int count;
} leafNeeds;

static void run_blocks(const tacVertexSide* side, tacRun* run, tacHits* hits, leafNeeds needs,
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

static void run_warm(const tacVertexSide* side, tacHits* hits, leafNeeds needs, int order) {
    _Alignas(TAC_ALIGNMENT) char memory[WARM];
    tacScratch scratch;
    scratch.arena = (tacArena){memory, WARM, 0};
    tacRun run = tac_run_take(&side->program, &side->culling, &scratch);
    run_blocks(side, &run, hits, needs, order);
}

static void run_field(const tacVertexSide* side, tacHits* hits, leafNeeds needs, int order) {
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
    if (hits->count) run_field(side, hits, (leafNeeds){0}, order);
}

void tac_hits_evaluate(tacVertexSide* side, tacHits* hits, int order) {
    uint64_t same[TAC_BLOCK / TAC_CULL_GROUP];
    leafNeeds needs = {.group = side->leaves ? same : NULL};
    if (hits->count == 0) return;
    for (int g = 0; g < TAC_BLOCK / TAC_CULL_GROUP; ++g) same[g] = side->seen;
    VERTICES->place(&side->place.across, side->features->x, hits->vertex, hits->count, hits->y);
    run_field(side, hits, needs, order);
}

//---------------------------------- search ---------------------------------------

static double range_of(const tacVertexSide* side, const tacVertexRange* range) {
    return side->steep * (range->support + tac_re(side->place.radius));
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

// points or balls around blocks in single precision, likewise
typedef struct roughBalls {
    int count;
    int* block;
    float *x[3], *radius;
    uint64_t *is_near, *is_far; // leaves
} roughBalls;

static size_t rough_size(int count) {
    size_t n = (size_t)count;
    return 5 * tac_arena_need(sizeof(float) * n) + 2 * tac_arena_need(sizeof(uint64_t) * n);
}

static roughBalls take_rough(tacArena* arena, int count) {
    roughBalls b = {count, TAC_TAKE(arena, int, count), {NULL}, TAC_TAKE(arena, float, count), NULL,
                    NULL};
    for (int k = 0; k < 3; ++k) b.x[k] = TAC_TAKE(arena, float, count);
    b.is_near = TAC_TAKE(arena, uint64_t, count), b.is_far = TAC_TAKE(arena, uint64_t, count);
    return b;
}

// more than single precision rounds the place of a feature by
static double rounding(const tacVertexSide* side) {
    const tacFeatureBox* all = &side->features->index->all;
    double far = 0.0;
    for (int k = 0; k < 3; ++k)
        far += fabs(tac_re(side->place.across.origin[k])) + fabs(all->middle[k]) + all->half[k];
    return 2e-6 * far;
}

// the box around where a field is below the range, as floats, wider by what they round
typedef struct roughBox {
    float middle[3], half[3];
} roughBox;

static roughBox near_box(const tacVertexSide* side, const tacVertexRange* range) {
    int known = range_of(side, range) <= side->range;
    roughBox r;
    for (int k = 0; k < 3; ++k) {
        double at = side->box.middle[k], half = side->box.half[k] + rounding(side);
        r.middle[k] = (float)at;
        r.half[k] = known ? (float)(half + 1e-6 * (fabs(at) + half)) : 1e30f;
    }
    return r;
}

// balls around blocks that meet the box; nothing branches on which do
static void place_rough(const tacVertexSide* side, const roughBox* box, roughBalls* b) {
    const struct tacFeatureIndex* index = side->features->index;
    const tacFrame* f = &side->place.across;
    float R[3][3], origin[3];
    for (int k = 0; k < 3; ++k) {
        origin[k] = (float)tac_re(f->origin[k]);
        for (int j = 0; j < 3; ++j) R[k][j] = (float)tac_re(f->R.m[k][j]);
    }
    b->count = 0;
    for (int i = 0; i < index->blocks; ++i) {
        float x = index->ball[0][i], y = index->ball[1][i], z = index->ball[2][i], out = -1e30f;
        for (int k = 0; k < 3; ++k) {
            float at = origin[k] + R[k][0] * x + R[k][1] * y + R[k][2] * z;
            float gap = fabsf(at - box->middle[k]) - box->half[k];
            b->x[k][b->count] = at, out = out > gap ? out : gap;
        }
        b->radius[b->count] = index->wide[i], b->block[b->count] = i;
        b->count += out < index->wide[i];
    }
}

// How far leaves matter: below `near` one decides on vertices, and is left out unless it is below
// its `far`. Of a field that ends that is its end, and it is asked at each vertex: what is below it
// there is all that matters.
typedef struct leafRange {
    float near, far[64];
    int ends;
    roughBox box;
} leafRange;

static leafRange leaf_range(const tacVertexSide* side, const tacVertexRange* range) {
    double near = range_of(side, range) + tac_re(side->rise) + rounding(side);
    double end = side->end + rounding(side);
    leafRange r = {.near = (float)(1.000001 * near),
                   .ends = side->end > near && side->leaves <= TAC_LISTED_LEAVES,
                   .box = near_box(side, range)};
    for (int n = 0; n < side->leaves; ++n) {
        double far = near + side->culling.node[n].reach;
        r.far[n] = (float)(1.000001 * (r.ends ? end : far));
    }
    return r;
}

// a field that ends below the range is there everywhere
static int searches_leaves(const tacVertexSide* side, const tacVertexRange* range) {
    return side->leaves && !range->all &&
           !(side->end > 0.0 && side->end <= range_of(side, range) + tac_re(side->rise));
}

// vertices of blocks that are near a leaf, and leaves that matter to them, on their way to the
// cache
static void fetch_near(const tacVertexSide* side, const leafRange* limit, const roughBalls* b) {
    uint64_t seen = 0;
    for (int i = 0; i < b->count; ++i) {
        if (!b->is_near[i]) continue;
        seen |= b->is_far[i];
        for (int k = 0; k < 3; ++k)
            __builtin_prefetch(&side->features->x[k][b->block[i] * TAC_FEATURE_BLOCK]);
    }
    for (; seen; seen &= seen - 1) {
        int leaf = __builtin_ctzll(seen);
        if (!limit->ends) tac_fetch(&side->culling.leaf[leaf], sizeof(tacRough));
        tac_fetch(&side->program.bound[leaf], offsetof(tacBound, about));
    }
}

// Leaves near the balls around blocks. Those of a few are worked with on the stack, `warm`
static roughBalls near_leaves(tacVertexSide* side, const leafRange* limit, tacArena* warm,
                              tacArena* arena) {
    int count = side->features->index->blocks;
    roughBalls b = take_rough(rough_size(count) <= warm->size ? warm : arena, count);
    side->seen = 0;
    place_rough(side, &limit->box, &b);
    VERTICES->leaves(side->rough, side->leaves, (const float* const*)b.x, b.radius, limit->near,
                     limit->far, b.is_near, b.is_far, b.count);
    fetch_near(side, limit, &b);
    return b;
}

// A union of leaves: those that are near a block decide on its vertices, and those that are not
// even far are left out of the field there.
static leafNeeds search_leaves(tacVertexSide* side, const leafRange* limit, tacScratch* scratch) {
    _Alignas(TAC_ALIGNMENT) char memory[WARM_BALLS];
    tacArena warm = {memory, WARM_BALLS, 0};
    tacHits* near = &side->near;
    int count = side->features->index->blocks;
    uint64_t* need = TAC_TAKE(&scratch->arena, uint64_t, count + 1);
    size_t mark = scratch->arena.used;
    roughBalls b = near_leaves(side, limit, &warm, &scratch->arena);
    memset(need, 0, sizeof *need * (size_t)(count + 1));
    for (int i = 0; i < b.count; ++i) {
        if (!b.is_near[i]) continue;
        int first = near->count;
        near->count =
            VERTICES->vertices(side->rough, b.is_near[i], limit->near, &side->place.across,
                               side->features, b.block[i], near->vertex, first);
        if (near->count == first) continue;
        for (int g = first / TAC_CULL_GROUP; g <= (near->count - 1) / TAC_CULL_GROUP; ++g)
            need[g] |= b.is_far[i];
        side->seen |= b.is_far[i];
    }
    scratch->arena.used = mark;
    return (leafNeeds){need, 1, NULL, 0};
}

// needs of points that come a few at a time; those of the last group are open, and may reach into
// the next one
typedef struct needList {
    tacLeafNeed* need;
    int count, group;
    uint64_t open;     // leaves
    uint16_t bits[64]; // of the points of two groups
} needList;

static void close_group(needList* l) {
    uint64_t left = 0;
    for (uint64_t rest = l->open; rest; rest &= rest - 1) {
        int leaf = __builtin_ctzll(rest);
        uint8_t own = (uint8_t)(l->bits[leaf] & 255);
        l->need[l->count] = (tacLeafNeed){l->group, (uint8_t)leaf, own};
        l->count += own != 0;
        l->bits[leaf] = (uint16_t)(l->bits[leaf] >> 8);
        left |= (uint64_t)(l->bits[leaf] != 0) << leaf;
    }
    l->open = left, ++l->group;
}

// near vertices of a block behind the others, with what they need
static void add_near(tacHits* near, int block, unsigned is_near, const tacLeafNeed* need, int needs,
                     needList* out) {
    int lane[TAC_FEATURE_BLOCK], count = 0, at = near->count % TAC_LISTED_GROUP;
    for (; is_near; is_near &= is_near - 1) lane[count++] = __builtin_ctz(is_near);
    for (int j = 0; j < count; ++j)
        near->vertex[near->count++] = block * TAC_FEATURE_BLOCK + lane[j];
    for (int k = 0; k < needs; ++k) {
        unsigned bits = 0;
        for (int j = 0; j < count; ++j) bits |= (need[k].bits >> lane[j] & 1u) << j;
        out->bits[need[k].leaf] |= (uint16_t)(bits << at);
        out->open |= (uint64_t)1 << need[k].leaf;
    }
    if (at + count >= TAC_LISTED_GROUP) close_group(out);
}

// One that ends: leaves that are not below it at a vertex are left out of the field there
static leafNeeds search_ending(tacVertexSide* side, const leafRange* limit, tacScratch* scratch) {
    _Alignas(TAC_ALIGNMENT) char memory[WARM_BALLS];
    tacArena warm = {memory, WARM_BALLS, 0};
    int count = side->features->index->blocks;
    needList all = {.need = TAC_TAKE(&scratch->arena, tacLeafNeed, (count + 1) * side->leaves)};
    size_t mark = scratch->arena.used;
    roughBalls b = near_leaves(side, limit, &warm, &scratch->arena);
    for (int i = 0; i < b.count; ++i) {
        tacLeafNeed own[TAC_LISTED_LEAVES];
        int needs;
        if (!b.is_near[i]) continue;
        unsigned is_near =
            VERTICES->needs(side->rough, b.is_far[i], limit->near, limit->far[0],
                            &side->place.across, side->features, b.block[i], own, &needs);
        if (!is_near) continue;
        add_near(&side->near, b.block[i], is_near, own, needs, &all);
        side->seen |= b.is_far[i];
    }
    if (all.open) close_group(&all);
    scratch->arena.used = mark;
    return (leafNeeds){NULL, 0, all.need, all.count};
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

// where the first hits go
static void fetch_hits(const tacHits* h, int capacity) {
    size_t count = (size_t)(capacity < 64 ? capacity : 64);
    tac_fetch(h->vertex, sizeof(int) * count), tac_fetch(h->value, sizeof(tacReal) * count);
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
    } else if (searches_leaves(side, &range)) {
        leafRange limit = leaf_range(side, &range);
        leafNeeds needs = (limit.ends ? search_ending : search_leaves)(side, &limit, scratch);
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

// needs of points, in groups, from their bits of leaves
static leafNeeds group_needs(uint64_t* bits, int count) {
    for (int i = 0; i < count; ++i) {
        int g = i / TAC_CULL_GROUP;
        bits[g] = i % TAC_CULL_GROUP ? bits[g] | bits[i] : bits[i];
    }
    return (leafNeeds){bits, 1, NULL, 0};
}

static leafNeeds listed_needs(const uint64_t* bits, int count, int leaves, tacArena* arena) {
    int groups = (count + TAC_LISTED_GROUP - 1) / TAC_LISTED_GROUP, all = 0;
    tacLeafNeed* need = TAC_TAKE(arena, tacLeafNeed, groups * leaves);
    for (int g = 0; g < groups; ++g) {
        const uint64_t* own = &bits[g * TAC_LISTED_GROUP];
        int end = count - g * TAC_LISTED_GROUP;
        uint64_t any = 0;
        for (int j = 0; j < TAC_LISTED_GROUP && j < end; ++j) any |= own[j];
        for (; any; any &= any - 1) {
            tacLeafNeed n = {g, (uint8_t)__builtin_ctzll(any), 0};
            for (int j = 0; j < TAC_LISTED_GROUP && j < end; ++j)
                n.bits |= (uint8_t)((own[j] >> n.leaf & 1u) << j);
            need[all++] = n;
        }
    }
    return (leafNeeds){NULL, 0, need, all};
}

void tac_hits_within(tacVertexSide* side, tacHits* hits, tacVertexRange range, int order,
                     tacScratch* scratch) {
    if (hits->count == 0 || !searches_leaves(side, &range)) {
        tac_hits_field(side, hits, order);
        return;
    }
    size_t mark = scratch->arena.used;
    leafRange limit = leaf_range(side, &range);
    roughBalls b = take_rough(&scratch->arena, hits->count);
    for (int i = 0; i < hits->count; ++i) {
        for (int k = 0; k < 3; ++k) b.x[k][i] = (float)tac_re(hits->y[k][i]);
        b.radius[i] = 0.0f;
    }
    VERTICES->leaves(side->rough, side->leaves, (const float* const*)b.x, b.radius, limit.near,
                     limit.far, b.is_near, b.is_far, hits->count);
    leafNeeds needs = limit.ends
                          ? listed_needs(b.is_far, hits->count, side->leaves, &scratch->arena)
                          : group_needs(b.is_far, hits->count);
    run_field(side, hits, needs, order);
    scratch->arena.used = mark;
}

//---------------------------------- touching -------------------------------------

static void copy_hit(const tacHits* from, int i, tacHits* to) {
    int j = to->count++;
    to->vertex[j] = from->vertex[i], to->value[j] = from->value[i];
    for (int k = 0; k < 3; ++k)
        to->y[k][j] = from->y[k][i], to->gradient[k][j] = from->gradient[k][i];
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
    for (int k = 0; k < 3; ++k) pad(out->y[k], out->count), pad(out->gradient[k], out->count);
}
