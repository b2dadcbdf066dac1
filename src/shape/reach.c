// How far the surface is at least: steps of a sphere tracer, and a ball around the solid.
//
// Each node has numbers D and K per point x with phi(y) >= (D - |y - x|)/K for |y - x| <= D, so the
// ball of radius D around x is free of the surface (docs/shapes.md eq. 13 to 15). Kernels compute
// them.

#include "shape/program.h"

#include "math/vec3.h"

#include <math.h>

//---------------------------------- steps ----------------------------------------

// memory of tac_shape_steps
typedef struct reachSpace {
    tacReach* node;         // of every node
    const tacReach** child; // of the union at hand
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
            s->child[k] = &s->node[child];
        p->kernels->union_reach(p->bound[i].tau, children, s->child, &s->node[i],
                                s->points->padded);
    }
}

size_t tac_shape_reach_size(const tacModel* model) {
    size_t most = 0;
    for (int i = 0; i < model->nshape; ++i) {
        size_t nodes = (size_t)model->shape[i].count;
        size_t size =
            tac_arena_need(sizeof(tacBound) * nodes) + tac_arena_need(sizeof(tacReach) * nodes) +
            tac_arena_need(sizeof(tacReach*) * nodes) + tac_arena_need(sizeof(tacBlockPoints));
        if (size > most) most = size;
    }
    return most;
}

tacResult tac_shape_steps(const tacModel* model, int shape, tacPose pose, tacPoints points,
                          double* radius, tacScratch* scratch) {
    tacResult result = tac_shape_check(model, shape, points);
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacProgram p = tac_program_bind(model, shape, pose, scratch);
    reachSpace s;
    s.node = TAC_TAKE(&scratch->arena, tacReach, p.shape->count);
    s.child = TAC_TAKE(&scratch->arena, const tacReach*, p.shape->count);
    s.points = TAC_TAKE(&scratch->arena, tacBlockPoints, 1);
    double width = blend_width(&p);
    for (int first = 0; first < points.count; first += TAC_BLOCK) {
        tac_block_load(p.kernels, points, first, s.points);
        block_reach(&p, width, &s);
        const double* D = s.node[p.shape->count - 1].D;
        for (int i = 0; i < s.points->count; ++i) radius[first + i] = D[i] > 0.0 ? D[i] : 0.0;
    }
    scratch->arena.used = mark;
    return TAC_OK;
}

//---------------------------------- bounding ball --------------------------------

// a ball around the origin of the leaf's frame that holds {phi <= level}
static double leaf_radius(const tacBound* b, double level) {
    if (b->kind == TAC_NODE_SPHERE) return b->size[0] + level;
    if (b->kind == TAC_NODE_PLANE) return INFINITY;
    // phi >= inner (g - 1) for the tangent distance; phi = r (1 - 1/g) >= r - outer for the radial
    // one
    return b->distance == TAC_DISTANCE_RADIAL ? b->outer + level
                                              : b->outer * (1.0 + level / b->inner);
}

// A union's solid lies in its children's {phi_k <= tau ln n}.
double tac_shape_radius(const tacModel* model, int shape, tacScratch* scratch) {
    size_t mark = scratch->arena.used;
    tacProgram p = tac_program_bind(model, shape, tac_pose_identity(), scratch);
    double most = 0.0;
    for (int i = 0; i < p.shape->count; ++i) {
        if (model->node[p.shape->first + i].children > 0) continue;
        double level = 0.0;
        for (int up = model->node[p.shape->first + i].parent; up >= 0; up = model->node[up].parent)
            level += p.bound[up - p.shape->first].tau * log((double)model->node[up].children);
        double origin = tac_norm(tac_load3(p.bound[i].frame.origin));
        most = fmax(most, origin + leaf_radius(&p.bound[i], level));
    }
    scratch->arena.used = mark;
    return most;
}
