// How far the surface is at least: steps of a sphere tracer, and a ball around the solid.
//
// Each node has numbers D and K per point x with phi(y) >= (D - |y - x|)/K for |y - x| <= D, so the
// ball of radius D around x is free of the surface (docs/shapes.md eq. 13 to 15). Kernels compute
// them.

#include "shape/shape_program.h"

#include "math/vec3.h"
#include "shape/bounds/cloud_ball.h"
#include "shape/bounds/planes.h"
#include "shape/bounds/safe_radius.h"
#include "shape/sweep/sweep_distance_bound.inl"

#include <math.h>

//---------------------------------- steps ----------------------------------------

// memory of tac_shape_safe_radius
typedef struct boundWorkspace {
    tacDistanceBound* node;       // of every node
    tacDistanceBoundChild* child; // of the combination in work
    tacBlockPoints* points;
} boundWorkspace;

// how far the temperatures of a shape reach: it decides between two valid bounds, no more
static double max_blend_width(const tacShapeProgram* p) {
    double most = 0.0;
    for (int i = 0; i < p->shape->count; ++i) most = fmax(most, p->node_data[i].tau);
    return most * log((double)p->shape->count + 1.0);
}

static void block_distance_bound(const tacShapeProgram* p, double width, boundWorkspace* s) {
    for (int i = 0; i < p->shape->count; ++i) {
        int children = p->model->node[p->shape->first + i].children;
        if (children == 0) {
            p->kernels->leaf_distance_bound(&p->node_data[i],
                                            (const double(*)[TAC_BLOCK])s->points->x, width,
                                            &s->node[i], s->points->padded);
            continue;
        }
        int child = tac_last_child(i);
        for (int k = 0; k < children; ++k, child = tac_previous_child(p, child))
            s->child[k] = (tacDistanceBoundChild){&s->node[child], tac_node_is_negated(p, child)};
        p->kernels->blend_distance_bound(tac_child_blend(p, i, i), children, s->child, &s->node[i],
                                         s->points->padded);
    }
}

static boundWorkspace alloc_workspace(int nodes, tacArena* arena) {
    boundWorkspace s;
    s.node = TAC_ALLOC(arena, tacDistanceBound, nodes);
    s.child = TAC_ALLOC(arena, tacDistanceBoundChild, nodes);
    s.points = TAC_ALLOC(arena, tacBlockPoints, 1);
    return s;
}

void tac_shape_safe_radius_measure(const tacModel* model, tacArena* arena) {
    size_t mark = arena->used;
    for (int i = 0; i < model->nshape; ++i) {
        TAC_ALLOC(arena, tacNodeData, model->shape[i].count);
        alloc_workspace(model->shape[i].count, arena);
        arena->used = mark;
    }
}

// roots are guarded by 1e-280: less than its root is nothing
static double radius_of(double D) { return D > 1e-100 ? D : 0.0; }

tacResult tac_shape_safe_radius(const tacModel* model, int shape, tacPose pose, tacPoints points,
                                double* outside, double* inside, tacScratch* scratch) {
    tacResult result = tac_shape_check(model, shape, pose, points);
    if (!scratch) result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacShapeProgram p = tac_shape_program_bind(model, shape, pose, scratch);
    boundWorkspace s = alloc_workspace(p.shape->count, &scratch->arena);
    double width = max_blend_width(&p);
    for (int first = 0; first < points.count; first += TAC_BLOCK) {
        tac_block_points_load(p.kernels, points, first, s.points);
        block_distance_bound(&p, width, &s);
        const tacDistanceBound* root = &s.node[p.shape->count - 1];
        for (int i = 0; i < s.points->count; ++i) {
            outside[first + i] = radius_of(root->D[0][i]);
            if (inside) inside[first + i] = radius_of(root->D[1][i]);
        }
    }
    scratch->arena.used = mark;
    return TAC_OK;
}

tacResult tac_shape_steps(const tacModel* model, int shape, tacPose pose, tacPoints points,
                          double* radius, tacScratch* scratch) {
    if (points.count > 0 && !radius) return TAC_ERROR_VALUE;
    return tac_shape_safe_radius(model, shape, pose, points, radius, NULL, scratch);
}

//---------------------------------- bounding ball --------------------------------

// Around balls: the middle of the box that holds them, and as far as the farthest of them goes.
typedef struct ballBox {
    double low[3], high[3];
} ballBox;

static const ballBox empty_box = {{INFINITY, INFINITY, INFINITY},
                                  {-INFINITY, -INFINITY, -INFINITY}};

static void extend_box(ballBox* box, tacBall ball) {
    double c[3];
    tac_store3(c, ball.center);
    for (int k = 0; k < 3; ++k) {
        box->low[k] = fmin(box->low[k], c[k] - ball.radius);
        box->high[k] = fmax(box->high[k], c[k] + ball.radius);
    }
}

static tacVec3 box_center(const ballBox* box) {
    return tac_scale(tac_add(tac_load3(box->low), tac_load3(box->high)), 0.5);
}

static double farthest_distance(tacVec3 center, tacBall ball) {
    return tac_distance(center, ball.center) + ball.radius;
}

// all planes are below the level where their smooth maximum is
static tacBall polyhedron_ball(const tacNodeData* b, double level) {
    ballBox box;
    tacBall none = {tac_vec3_zero(), INFINITY};
    if (!tac_planes_box(b->block, b->block_count / 4, level, box.low, box.high)) return none;
    tacVec3 low = tac_load3(box.low), high = tac_load3(box.high);
    double slack = 1e-9 * fmax(tac_norm(low), tac_norm(high));
    return (tacBall){box_center(&box), 0.5 * tac_distance(low, high) + slack};
}

// each segment lies within its bound of a chord, which lies between its ends
static tacBall sweep_ball(const tacNodeData* b, double level) {
    sweepCoefs sweep;
    sweepSegment segment[TAC_SWEEP_SEGMENTS];
    tacBall end[2 * TAC_SWEEP_SEGMENTS], ball = {.radius = 0.0};
    ballBox box = empty_box;
    sweep_bind(b, &sweep);
    sweep_segments(&sweep, segment);
    for (int j = 0; j < 2 * TAC_SWEEP_SEGMENTS; ++j) {
        const sweepSegment* p = &segment[j / 2];
        tacVec3 start = tac_load3(p->start);
        end[j].center = j % 2 ? tac_add(start, tac_load3(p->chord)) : start;
        end[j].radius = p->outer + p->slope * (level + 0.7 * b->tau);
        extend_box(&box, end[j]);
    }
    ball.center = box_center(&box);
    for (int j = 0; j < 2 * TAC_SWEEP_SEGMENTS; ++j)
        ball.radius = fmax(ball.radius, farthest_distance(ball.center, end[j]));
    return ball;
}

// of a leaf that has its centre at the origin of its frame
static double leaf_radius(const tacNodeData* b, double level) {
    if (b->kind == TAC_NODE_SPHERE) return b->size[0] + level;
    if (b->kind == TAC_NODE_PLANE) return INFINITY;
    if (b->kind == TAC_NODE_CAPSULE) return b->size[0] + b->size[1] + level;
    if (tac_node_is_soft(b->kind)) { // phi is no less than the distance of any face
        double square = 0.0;
        for (int i = 0; i < tac_node_size_count(b->kind); ++i)
            square += (b->size[i] + level) * (b->size[i] + level);
        return sqrt(square);
    }
    // phi >= inner (g - 1) for the tangent distance; phi = r (1 - 1/g) >= r - outer for the radial
    // one
    return b->distance == TAC_DISTANCE_RADIAL ? b->outer + level
                                              : b->outer * (1.0 + level / b->inner);
}

// a ball that holds {phi <= level}, in the frame of the shape
static tacBall leaf_ball(const tacNodeData* b, double level) {
    tacBall ball = b->kind == TAC_NODE_CLOUD        ? tac_cloud_ball(b, level)
                   : b->kind == TAC_NODE_POLYHEDRON ? polyhedron_ball(b, level)
                   : b->kind == TAC_NODE_SWEEP      ? sweep_ball(b, level)
                                               : (tacBall){tac_vec3_zero(), leaf_radius(b, level)};
    ball.center = tac_add(tac_load3(b->frame.origin), tac_mat_mul_vec(b->frame.R, ball.center));
    return ball;
}

// Levels down from the root: {min <= level} lies in the union of {phi_k <= level + tau ln n}, and
// {max <= level} in each {phi_k <= level}.
static void node_levels(const tacShapeProgram* p, double* level) {
    for (int i = p->shape->count - 1; i >= 0; --i) {
        const tacNode* node = &p->model->node[p->shape->first + i];
        level[i] = 0.0;
        if (node->parent < 0) continue;
        int up = node->parent - p->shape->first;
        const tacNode* parent = &p->model->node[node->parent];
        level[i] = level[up];
        if (parent->kind == TAC_NODE_UNION) level[i] += tac_blend_gap(parent, &p->node_data[up]);
    }
}

// around the balls of all children
static tacBall union_ball(const tacShapeProgram* p, int i, const tacBall* ball) {
    int child = tac_last_child(i), children = p->model->node[p->shape->first + i].children;
    ballBox box = empty_box;
    tacBall all = {.radius = 0.0};
    for (int k = 0; k < children; ++k, child = tac_previous_child(p, child))
        extend_box(&box, ball[child]);
    if (!isfinite(box.high[0] - box.low[0])) return (tacBall){tac_vec3_zero(), INFINITY};
    all.center = box_center(&box);
    child = tac_last_child(i);
    for (int k = 0; k < children; ++k, child = tac_previous_child(p, child))
        all.radius = fmax(all.radius, farthest_distance(all.center, ball[child]));
    return all;
}

// the smallest ball of a child that the others cut off
static tacBall intersection_ball(const tacShapeProgram* p, int i, const tacBall* ball) {
    int child = tac_last_child(i), children = p->model->node[p->shape->first + i].children;
    tacBall best = {tac_vec3_zero(), INFINITY};
    for (int k = 0; k < children; ++k, child = tac_previous_child(p, child))
        if (!tac_node_is_negated(p, child) && ball[child].radius < best.radius) best = ball[child];
    return best;
}

tacBall tac_shape_ball(const tacModel* model, int shape, tacScratch* scratch) {
    if (!model || !scratch || shape < 0 || shape >= model->nshape)
        return (tacBall){.radius = INFINITY};
    size_t mark = scratch->arena.used;
    tacShapeProgram p = tac_shape_program_bind(model, shape, tac_pose_identity(), scratch);
    double* level = TAC_ALLOC(&scratch->arena, double, p.shape->count);
    tacBall* ball = TAC_ALLOC(&scratch->arena, tacBall, p.shape->count);
    node_levels(&p, level);
    for (int i = 0; i < p.shape->count; ++i) {
        const tacNode* node = &model->node[p.shape->first + i];
        ball[i] = node->children == 0            ? leaf_ball(&p.node_data[i], level[i])
                  : node->kind == TAC_NODE_UNION ? union_ball(&p, i, ball)
                                                 : intersection_ball(&p, i, ball);
    }
    tacBall root = ball[p.shape->count - 1];
    scratch->arena.used = mark;
    return root;
}
