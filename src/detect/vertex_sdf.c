// Which vertices of a geom may touch the other one's surface, and the field there.
//
//   whole --ball--> blocks --floor of the field--> vertices --floor--> near --field--> touching
//
// The floor is a bound of the field from below (docs/manifold.md): what it leaves out has activity
// exactly 0, so results do not depend on it.

#include "detect/vertex_sdf.h"

#include "base/assert.h"
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
    size_t scale = real_size / sizeof(tacReal) + 1, nodes = (size_t)shape->count;
    size_t field = tac_arena_need(sizeof(tacBound) * nodes) + tac_run_size(shape) +
                   tac_arena_need(sizeof(tacFloorNode) * nodes);
    size_t lists = 5 * tac_arena_need(real_size * (size_t)most_points(f)) +
                   2 * tac_arena_need(sizeof(int) * (size_t)most_points(f));
    return scale * field + lists + tac_hits_size(most_points(f), 0, real_size);
}

//---------------------------------- floors ---------------------------------------

static void box_floor(tacFloorNode* n, const tacBound* b, tacReal less, const tacReal half[3]) {
    n->kind = TAC_FLOOR_BOX;
    for (int k = 0; k < 3; ++k) n->scale[k] = 1.0, n->less[k] = half[k] + less;
    (void)b;
}

// A superquadric lies in its box, so g >= |y_k|/a_k, and its tangent distance is (g - 1) times the
// height of a tangent plane, which is `inner` at least; the radial one is no less than the distance
// to the box
static void superquadric_floor(tacFloorNode* n, const tacBound* b) {
    n->kind = TAC_FLOOR_BOX;
    for (int k = 0; k < 3; ++k) {
        int radial = b->distance == TAC_DISTANCE_RADIAL;
        n->scale[k] = radial ? 1.0 : b->inner / b->size[k];
        n->less[k] = radial ? b->size[k] : b->inner;
    }
}

static void plane_floor(tacFloorNode* n) {
    n->kind = TAC_FLOOR_BOX, n->sided = -1.0;
    for (int k = 0; k < 3; ++k) n->scale[k] = k == 2 ? 1.0 : 0.0, n->less[k] = k == 2 ? 0.0 : 1e300;
}

static void planes_floor(tacFloorNode* n, const tacBound* b) {
    double longest = 0.0;
    n->kind = TAC_FLOOR_PLANES, n->plane = b->block, n->planes = b->block_count / 4;
    for (int i = 0; i < b->block_count; i += 4) {
        const tacReal* p = &b->block[i];
        longest = fmax(longest, tac_re(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
    }
    n->steep = sqrt(longest);
}

static void leaf_floor(tacFloorNode* n, const tacBound* b) {
    const tacReal* a = b->size;
    const tacReal ball[3] = {a[0], a[0], a[0]}, rod[3] = {a[0], a[0], a[1]};
    const tacReal pill[3] = {a[0], a[0], a[1] + a[0]};
    n->frame = b->frame, n->sided = 1.0, n->kind = TAC_FLOOR_NONE;
    if (b->kind == TAC_NODE_SUPERQUADRIC) superquadric_floor(n, b);
    if (b->kind == TAC_NODE_POLYHEDRON) planes_floor(n, b);
    if (b->kind == TAC_NODE_PLANE) plane_floor(n);
    if (b->kind == TAC_NODE_SPHERE) box_floor(n, b, 0.0, ball);
    // edges are rounded by the width
    if (b->kind == TAC_NODE_BOX) box_floor(n, b, b->width, a);
    if (b->kind == TAC_NODE_CYLINDER) box_floor(n, b, b->width, rod);
    if (b->kind == TAC_NODE_CAPSULE) box_floor(n, b, b->width, pill);
}

static tacFloorKind blend_floor(tacNodeKind kind) {
    return kind == TAC_NODE_UNION        ? TAC_FLOOR_LEAST
           : kind == TAC_NODE_DIFFERENCE ? TAC_FLOOR_FIRST
                                         : TAC_FLOOR_MOST;
}

// combinations that are open at once
static int open_nodes(const tacProgram* p) {
    int most = 0;
    for (int i = 0; i < p->shape->count; ++i) {
        int depth = 0;
        for (int n = p->shape->first + i; n >= 0; n = p->model->node[n].parent) ++depth;
        most = depth > most ? depth : most;
    }
    return most;
}

static void bind_floors(tacVertexSide* side, tacScratch* scratch) {
    const tacProgram* p = &side->program;
    side->floors = p->shape->count;
    side->floor = TAC_TAKE(&scratch->arena, tacFloorNode, side->floors);
    memset(side->floor, 0, sizeof(tacFloorNode) * (size_t)side->floors);
    for (int i = 0; i < side->floors; ++i) {
        const tacNode* node = &p->model->node[p->shape->first + i];
        tacFloorNode* n = &side->floor[i];
        n->first = node->parent < 0 || tac_is_first(p, i);
        if (node->parent >= 0) n->into = blend_floor(p->model->node[node->parent].kind);
        if (node->children == 0) {
            leaf_floor(n, &p->bound[i]);
        } else {
            n->kind = blend_floor(node->kind);
            if (n->kind == TAC_FLOOR_LEAST) n->rise = p->bound[i].tau * log(node->children);
        }
    }
    if (open_nodes(p) > TAC_FLOOR_STACK) {
        side->floors = 1;
        side->floor[0] = (tacFloorNode){.kind = TAC_FLOOR_NONE, .first = 1};
    }
}

//---------------------------------- sides ----------------------------------------

static tacFrame frame_of(tacPose pose) {
    tacFrame f;
    f.R = tac_quat_to_mat(pose.rotation);
    tac_store3(f.origin, pose.position);
    return f;
}

static tacPose local_pose(const tacModel* model, int geom) {
    const tacGeom* g = &model->geom[geom];
    return (tacPose){tac_load3(&model->param[g->position]),
                     tac_quat_load(&model->param[g->rotation])};
}

// the radius of swept features is the parameter that the field has, too
static tacReal radius_of(const tacModel* model, const tacFeatures* f) {
    return f->index && f->index->radius >= 0 ? model->param[f->index->radius] : (tacReal)0.0;
}

tacVertexSide tac_vertex_side(const tacModel* model, const tacContactPair* pair, int owner,
                              const tacPose* body, tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    tacVertexSide s = {.model = model, .owner = owner, .geom = pair->geom[1 - owner]};
    tacPose field = body[pair->body[1 - owner]], own = body[pair->body[owner]];
    s.shape = model->geom[s.geom].shape, s.features = &plan->feature[pair->geom[owner]];
    s.place.field = frame_of(field), s.place.own = frame_of(own);
    s.place.across = frame_of(tac_pose_compose(tac_pose_inverse(field), own));
    s.place.way = owner == 1 ? 1.0 : -1.0;
    s.place.radius = radius_of(model, s.features);
    s.place.tau = model->param[plan->number[TAC_CONTACT_TAU]];
    s.place.support = model->param[plan->number[TAC_CONTACT_SUPPORT]];
    s.program = tac_program_bind(model, s.shape, local_pose(model, s.geom), scratch);
    s.run = tac_run_bind(&s.program, scratch);
    bind_floors(&s, scratch);
    return s;
}

//---------------------------------- search ---------------------------------------

static double range_of(const tacVertexSide* side, const tacVertexRange* range) {
    return range->support + tac_re(side->place.radius);
}

// balls around blocks in axes of the field's body
static int list_blocks(tacVertexSide* side, const tacVertexRange* range, int* block,
                       tacScratch* scratch) {
    const struct tacFeatureIndex* index = side->features->index;
    size_t mark = scratch->arena.used;
    int count = index->blocks, kept = 0;
    tacReal *x[3], *radius = TAC_TAKE(&scratch->arena, tacReal, count + PADDING);
    tacReal* low = TAC_TAKE(&scratch->arena, tacReal, count + PADDING);
    for (int k = 0; k < 3; ++k) x[k] = TAC_TAKE(&scratch->arena, tacReal, count + PADDING);
    for (int i = 0; i < count + PADDING; ++i) {
        const tacFeatureBox* box = &index->box[i < count ? i : count - 1];
        const tacFrame* f = &side->place.across;
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            x[k][i] = f->origin[k] + f->R.m[k][0] * box->middle[0] + f->R.m[k][1] * box->middle[1] +
                      f->R.m[k][2] * box->middle[2];
            square += box->half[k] * box->half[k];
        }
        radius[i] = sqrt(square);
    }
    VERTICES->floor(side->floor, side->floors, (const tacReal* const*)x, radius, low, count);
    for (int i = 0; i < count; ++i)
        if (tac_re(low[i]) < range_of(side, range)) block[kept++] = i;
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
    tac_hits_field(side, hits, order);
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
