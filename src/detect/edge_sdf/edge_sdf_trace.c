// Edges of one geom in the field of another: which may touch, their rays, and the field where they
// end.
//
//   blocks --lower bound--> edges --lower bound--> candidates --rays--> hits

#include "detect/edge_sdf/edge_sdf.h"

#include <math.h>
#include <string.h>

#define RAYS     TAC_DISPATCH(tac_ray_kernels_)
#define VERTICES TAC_DISPATCH(tac_vertex_kernels_)

// the widest vector
enum { PADDING = 8 };

static int padded_count(int count) { return (count + PADDING - 1) / PADDING * PADDING; }

//---------------------------------- memory ---------------------------------------

static void alloc3(tacArena* arena, tacReal* out[3], int count) {
    for (int k = 0; k < 3; ++k) out[k] = TAC_ALLOC(arena, tacReal, count);
}

static tacRays alloc_rays(tacArena* arena, int half) {
    tacRays r = {.half = half};
    alloc3(arena, r.from, 2 * half);
    alloc3(arena, r.dir, 2 * half);
    r.length = TAC_ALLOC(arena, tacReal, 2 * half);
    r.far = TAC_ALLOC(arena, tacReal, 2 * half);
    return r;
}

static tacEdgeSlide alloc_slide(tacArena* arena, int half, int steps) {
    tacEdgeSlide s = {.steps = steps, .half = half};
    alloc3(arena, s.along, half);
    alloc3(arena, s.by, half);
    alloc3(arena, s.by + 3, half);
    s.by_radius = TAC_ALLOC(arena, tacReal, half);
    s.by_gate = TAC_ALLOC(arena, tacReal, half);
    s.by_slope = TAC_ALLOC(arena, tacReal, half);
    for (int k = 0; k < steps; ++k) s.weight[k] = TAC_ALLOC(arena, tacReal, 2 * half);
    return s;
}

// balls of body axes in those of the field's body
typedef struct ballList {
    int count;
    tacReal *x[3], *radius, *low;
} ballList;

static ballList alloc_balls(tacArena* arena, int most) {
    ballList b = {0};
    alloc3(arena, b.x, most + PADDING);
    b.radius = TAC_ALLOC(arena, tacReal, most + PADDING);
    b.low = TAC_ALLOC(arena, tacReal, most + PADDING);
    return b;
}

// corners of edges, by the vertices at one end
typedef struct edgeEnds {
    int* vertex;
    tacReal* corner[2][3];
} edgeEnds;

static edgeEnds alloc_ends(tacArena* arena, int half) {
    edgeEnds e = {.vertex = TAC_ALLOC(arena, int, half)};
    for (int end = 0; end < 2; ++end) alloc3(arena, e.corner[end], half);
    return e;
}

void tac_edge_sdf_side_measure(const tacModel* model, const tacContactPair* pair, int owner,
                               tacArena* arena) {
    const tacFeatures* f = &model->contact->feature[pair->geom[owner]];
    int blocks = f->index ? f->index->edge_blocks : 0;
    tac_vertex_side_measure(model, pair, owner, arena);
    tac_hits_alloc(arena, f->edges, 0);
    TAC_ALLOC(arena, int, blocks);
    size_t mark = arena->used;
    alloc_balls(arena, f->edges > blocks ? f->edges : blocks);
    arena->used = mark;
}

void tac_edge_sdf_trace_measure(int hits, int steps, tacArena* arena) {
    int half = padded_count(hits);
    tacReal* spare[3];
    alloc_ends(arena, half);
    alloc_rays(arena, half);
    for (int k = 0; k < steps; ++k) tac_hits_alloc(arena, 2 * half, 0);
    size_t mark = arena->used;
    alloc3(arena, spare, 2 * half);
    arena->used = mark;
    alloc_slide(arena, half, steps);
}

tacEdgeSdfSide tac_edge_sdf_side(const tacModel* model, const tacContactPair* pair, int owner,
                                 int edges, const tacPose* body, tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    tacEdgeSdfSide side_run = {.side = tac_vertex_side(model, pair, owner, body, scratch),
                               .edges = edges};
    side_run.steps = plan->choice[TAC_CHOICE_ITERATIONS];
    side_run.numbers =
        (tacRayParams){side_run.side.pose.radius, model->param[plan->number[TAC_CONTACT_GATE]],
                       model->param[plan->number[TAC_CONTACT_LIPSCHITZ]]};
    return side_run;
}

//---------------------------------- candidates -----------------------------------

// a ball around the edges of a block
static void block_ball(const struct tacFeatureIndex* index, int block, double middle[3],
                       double* radius) {
    const tacFeatureBox* box = &index->edge_box[block];
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        middle[k] = box->middle[k];
        square += box->half[k] * box->half[k];
    }
    *radius = sqrt(square);
}

static void edge_ball(const tacFeatures* f, int edge, double middle[3], double* radius) {
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        double a = f->x[k][f->edge[0][edge]], b = f->x[k][f->edge[1][edge]];
        middle[k] = 0.5 * (a + b);
        square += 0.25 * (b - a) * (b - a);
    }
    *radius = sqrt(square);
}

static void add_ball(ballList* b, const tacFrame* f, const double middle[3], double radius) {
    for (int k = 0; k < 3; ++k)
        b->x[k][b->count] = f->origin[k] + f->R.m[k][0] * middle[0] + f->R.m[k][1] * middle[1] +
                            f->R.m[k][2] * middle[2];
    b->radius[b->count++] = radius;
}

// lower bounds of the field in the balls
static void bound_balls(const tacVertexSide* side, ballList* b) {
    if (b->count == 0) return;
    for (int i = b->count; i < b->count + PADDING; ++i) {
        for (int k = 0; k < 3; ++k) b->x[k][i] = b->x[k][b->count - 1];
        b->radius[i] = b->radius[b->count - 1];
    }
    VERTICES->lower_bound(side->lower_bound, side->lower_bounds, (const tacReal* const*)b->x,
                          b->radius, b->low, b->count);
}

static int cull_blocks(const tacVertexSide* side, double end, int* block, tacScratch* scratch) {
    const struct tacFeatureIndex* index = side->features->index;
    size_t mark = scratch->arena.used;
    ballList balls = alloc_balls(&scratch->arena, index->edge_blocks);
    int count_passed = 0;
    for (int i = 0; i < index->edge_blocks; ++i) {
        double middle[3], radius;
        block_ball(index, i, middle, &radius);
        add_ball(&balls, &side->pose.rel_frame, middle, radius);
    }
    bound_balls(side, &balls);
    for (int i = 0; i < index->edge_blocks; ++i)
        if (tac_re(balls.low[i]) < end) block[count_passed++] = i;
    scratch->arena.used = mark;
    return count_passed;
}

static void edges_of_blocks(const tacFeatures* f, const int* block, int blocks, tacHits* out) {
    for (int i = 0; i < blocks; ++i) {
        int first = block[i] * TAC_FEATURE_BLOCK, end = first + TAC_FEATURE_BLOCK;
        for (int e = first; e < end && e < f->edges; ++e) out->vertex[out->count++] = e;
    }
}

static void cull_edges(const tacVertexSide* side, double end, tacHits* hits, tacScratch* scratch) {
    size_t mark = scratch->arena.used;
    ballList balls = alloc_balls(&scratch->arena, hits->count);
    int count_passed = 0;
    for (int i = 0; i < hits->count; ++i) {
        double middle[3], radius;
        edge_ball(side->features, hits->vertex[i], middle, &radius);
        add_ball(&balls, &side->pose.rel_frame, middle, radius);
    }
    bound_balls(side, &balls);
    for (int i = 0; i < hits->count; ++i)
        if (tac_re(balls.low[i]) < end) hits->vertex[count_passed++] = hits->vertex[i];
    hits->count = count_passed;
    scratch->arena.used = mark;
}

void tac_edge_sdf_candidates(tacEdgeSdfSide* side_run, int all, tacScratch* scratch) {
    const tacFeatures* f = side_run->side.features;
    double end = tac_re(side_run->side.pose.support) + tac_re(side_run->side.pose.radius);
    side_run->hits = tac_hits_alloc(&scratch->arena, f->edges, 0);
    if (f->edges == 0) return;
    if (all || side_run->side.map.is_shifted) {
        for (int e = 0; e < f->edges; ++e) side_run->hits.vertex[side_run->hits.count++] = e;
        return;
    }
    int* block = TAC_ALLOC(&scratch->arena, int, f->index->edge_blocks);
    edges_of_blocks(f, block, cull_blocks(&side_run->side, end, block, scratch), &side_run->hits);
    cull_edges(&side_run->side, end, &side_run->hits, scratch);
}

//---------------------------------- rays -----------------------------------------

static void start_rays(tacEdgeSdfSide* side_run, int half, tacScratch* scratch) {
    const tacFeatures* f = side_run->side.features;
    edgeEnds e = alloc_ends(&scratch->arena, half);
    for (int end = 0; end < 2; ++end) {
        for (int i = 0; i < half; ++i)
            e.vertex[i] = f->edge[end][side_run->hits.vertex[i < side_run->hits.count ? i : 0]];
        VERTICES->pose(&side_run->side.pose.feature_frame, f->x, e.vertex, half, e.corner[end]);
    }
    const tacReal* const at[2][3] = {{e.corner[0][0], e.corner[0][1], e.corner[0][2]},
                                     {e.corner[1][0], e.corner[1][1], e.corner[1][2]}};
    side_run->rays = alloc_rays(&scratch->arena, half);
    RAYS->start(at, &side_run->rays);
}

// without derivatives one set of places is enough
static void trace_rays(tacEdgeSdfSide* side_run, int half, tacScratch* scratch) {
    int count_passed = side_run->slides ? side_run->steps : 1;
    for (int k = 0; k < count_passed; ++k) {
        side_run->step[k] = tac_hits_alloc(&scratch->arena, 2 * half, 0);
        side_run->step[k].count = 2 * half;
    }
    for (int k = 0; k < 3; ++k)
        memcpy(side_run->step[0].y[k], side_run->rays.from[k],
               sizeof(tacReal) * (size_t)(2 * half));
    for (int k = 0; k < side_run->steps; ++k) {
        tacHits *now = &side_run->step[k % count_passed],
                *next = &side_run->step[(k + 1) % count_passed];
        tacReal* spare[3];
        int last = k + 1 == side_run->steps;
        size_t mark = scratch->arena.used;
        if (last) alloc3(&scratch->arena, spare, 2 * half);
        tac_hits_field(&side_run->side, now, side_run->slides ? 1 : 0);
        RAYS->step(&side_run->numbers, now->value, &side_run->rays, last ? spare : next->y);
        scratch->arena.used = mark;
    }
}

void tac_edge_sdf_trace(tacEdgeSdfSide* side_run, int order, tacScratch* scratch) {
    side_run->slides = side_run->edges && order > 1;
    if (side_run->hits.count == 0) return;
    if (!side_run->edges) {
        tac_hits_evaluate(&side_run->side, &side_run->hits, order);
        return;
    }
    int half = padded_count(side_run->hits.count);
    start_rays(side_run, half, scratch);
    trace_rays(side_run, half, scratch);
    RAYS->finish(&side_run->numbers, &side_run->rays, side_run->hits.y);
    tac_hits_field(&side_run->side, &side_run->hits, order);
    if (!side_run->slides) return;
    side_run->slide = alloc_slide(&scratch->arena, half, side_run->steps);
    RAYS->slide(&side_run->numbers, &side_run->side.pose.field, &side_run->rays, side_run->step,
                side_run->hits.y, &side_run->slide);
}
