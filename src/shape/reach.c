// How far the surface is at least: steps of a sphere tracer, and a ball around the solid.
//
// Each node has numbers D and K per point x with phi(y) >= (D - |y - x|)/K for |y - x| <= D, so the
// ball of radius D around x is free of the surface (docs/shapes.md eq. 13 to 15). Kernels compute
// them.

#include "shape/program.h"

#include "math/vec3.h"
#include "shape/cloud_radius.h"
#include "shape/planes.h"
#include "shape/sweep_reach.h"

#include <math.h>

//---------------------------------- steps ----------------------------------------

// memory of tac_shape_steps
typedef struct reachSpace {
    tacReach* node;       // of every node
    tacReachChild* child; // of the combination at hand
    tacBlockPoints* points;
} reachSpace;

// how far the temperatures of a shape reach: it decides between two valid bounds, no more
static double blend_width(const tacProgram* p) {
    double most = 0.0;
    for (int i = 0; i < p->shape->count; ++i) most = fmax(most, p->bound[i].tau);
    return most * log((double)p->shape->count + 1.0);
}

static void block_reach(const tacProgram* p, double width, reachSpace* s) {
    for (int i = 0; i < p->shape->count; ++i) {
        int children = p->model->node[p->shape->first + i].children;
        if (children == 0) {
            p->kernels->leaf_reach(&p->bound[i], (const double(*)[TAC_BLOCK])s->points->x, width,
                                   &s->node[i], s->points->padded);
            continue;
        }
        int child = tac_last_child(i);
        for (int k = 0; k < children; ++k, child = tac_previous_child(p, child))
            s->child[k] = (tacReachChild){&s->node[child], tac_is_turned(p, child)};
        p->kernels->blend_reach(tac_blend_of(p, i, i), children, s->child, &s->node[i],
                                s->points->padded);
    }
}

size_t tac_shape_reach_size(const tacModel* model) {
    size_t most = 0;
    for (int i = 0; i < model->nshape; ++i) {
        size_t nodes = (size_t)model->shape[i].count;
        size_t size =
            tac_arena_need(sizeof(tacBound) * nodes) + tac_arena_need(sizeof(tacReach) * nodes) +
            tac_arena_need(sizeof(tacReachChild) * nodes) + tac_arena_need(sizeof(tacBlockPoints));
        if (size > most) most = size;
    }
    return most;
}

tacResult tac_shape_steps(const tacModel* model, int shape, tacPose pose, tacPoints points,
                          double* radius, tacScratch* scratch) {
    tacResult result = tac_shape_check(model, shape, pose, points);
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacProgram p = tac_program_bind(model, shape, pose, scratch);
    reachSpace s;
    s.node = TAC_TAKE(&scratch->arena, tacReach, p.shape->count);
    s.child = TAC_TAKE(&scratch->arena, tacReachChild, p.shape->count);
    s.points = TAC_TAKE(&scratch->arena, tacBlockPoints, 1);
    double width = blend_width(&p);
    for (int first = 0; first < points.count; first += TAC_BLOCK) {
        tac_block_load(p.kernels, points, first, s.points);
        block_reach(&p, width, &s);
        const double* D = s.node[p.shape->count - 1].D[0];
        for (int i = 0; i < s.points->count; ++i) radius[first + i] = D[i] > 0.0 ? D[i] : 0.0;
    }
    scratch->arena.used = mark;
    return TAC_OK;
}

//---------------------------------- bounding ball --------------------------------

// all planes are below the level where their smooth maximum is
static double polyhedron_radius(const tacBound* b, double level) {
    double lower[3], upper[3], square = 0.0;
    if (!tac_planes_box(b->block, b->block_count / 4, level, lower, upper)) return INFINITY;
    for (int k = 0; k < 3; ++k) square += fmax(lower[k] * lower[k], upper[k] * upper[k]);
    return sqrt(square) * (1.0 + 1e-9);
}

// a ball around the origin of the leaf's frame that holds {phi <= level}
static double leaf_radius(const tacBound* b, double level) {
    if (b->kind == TAC_NODE_SPHERE) return b->size[0] + level;
    if (b->kind == TAC_NODE_PLANE) return INFINITY;
    if (b->kind == TAC_NODE_CLOUD) return tac_cloud_radius(b, level);
    if (b->kind == TAC_NODE_POLYHEDRON) return polyhedron_radius(b, level);
    if (b->kind == TAC_NODE_SWEEP) {
        sweepNumbers sweep;
        sweep_bind(b, &sweep);
        return sweep_radius(&sweep, level);
    }
    if (b->kind == TAC_NODE_CAPSULE) return b->size[0] + b->size[1] + level;
    if (tac_is_soft(b->kind)) { // phi is no less than the distance of any face
        double square = 0.0;
        for (int i = 0; i < tac_size_count(b->kind); ++i)
            square += (b->size[i] + level) * (b->size[i] + level);
        return sqrt(square);
    }
    // phi >= inner (g - 1) for the tangent distance; phi = r (1 - 1/g) >= r - outer for the radial
    // one
    return b->distance == TAC_DISTANCE_RADIAL ? b->outer + level
                                              : b->outer * (1.0 + level / b->inner);
}

// Levels down from the root: {min <= level} lies in the union of {phi_k <= level + tau ln n}, and
// {max <= level} in each {phi_k <= level}.
static void node_levels(const tacProgram* p, double* level) {
    for (int i = p->shape->count - 1; i >= 0; --i) {
        const tacNode* node = &p->model->node[p->shape->first + i];
        level[i] = 0.0;
        if (node->parent < 0) continue;
        int up = node->parent - p->shape->first;
        const tacNode* parent = &p->model->node[node->parent];
        level[i] = level[up];
        if (parent->kind == TAC_NODE_UNION)
            level[i] += p->bound[up].tau * log((double)parent->children);
    }
}

// a ball around the origin of the shape's frame that holds {phi <= level}
static double node_radius(const tacProgram* p, int i, double level, const double* radius) {
    const tacNode* node = &p->model->node[p->shape->first + i];
    if (node->children == 0)
        return tac_norm(tac_load3(p->bound[i].frame.origin)) + leaf_radius(&p->bound[i], level);
    int child = tac_last_child(i), is_union = node->kind == TAC_NODE_UNION;
    double best = is_union ? 0.0 : INFINITY;
    for (int k = 0; k < node->children; ++k, child = tac_previous_child(p, child)) {
        if (is_union)
            best = fmax(best, radius[child]);
        else if (!tac_is_turned(p, child))
            best = fmin(best, radius[child]);
    }
    return best;
}

double tac_shape_radius(const tacModel* model, int shape, tacScratch* scratch) {
    size_t mark = scratch->arena.used;
    tacProgram p = tac_program_bind(model, shape, tac_pose_identity(), scratch);
    double* level = TAC_TAKE(&scratch->arena, double, p.shape->count);
    double* radius = TAC_TAKE(&scratch->arena, double, p.shape->count);
    node_levels(&p, level);
    for (int i = 0; i < p.shape->count; ++i) radius[i] = node_radius(&p, i, level[i], radius);
    scratch->arena.used = mark;
    return radius[p.shape->count - 1];
}
