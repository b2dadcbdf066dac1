// How far the surface is at least: steps of a sphere tracer, and a ball around the solid.
//
// Each node has numbers D (per point) and K with phi(y) >= (D - |y - x|)/K for |y - x| <= D:
//   sphere, plane        D = phi, K = 1
//   superquadric         D = max(tangent-plane distance, distance to its box): both are lower
//   bounds
//                        of the distance to a convex solid. phi >= distance/K, K = 1 for the radial
//                        distance, K = Rmax/kappa for the tangent-plane one (docs/shapes.md eq. 14)
//   smooth union         D = softmin of the children's D at temperature K tau, K the largest of
//   theirs
// so the ball of radius D around x is free of the surface.

#include "shape/program.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

//---------------------------------- sizes of a leaf ------------------------------

// a ball of this radius around the leaf's origin holds the solid
static double leaf_radius(const tacBound* b) {
    if (b->kind == TAC_NODE_SPHERE) return b->size[0];
    if (b->kind == TAC_NODE_PLANE) return INFINITY;
    return sqrt(b->size[0] * b->size[0] + b->size[1] * b->size[1] + b->size[2] * b->size[2]);
}

static double leaf_K(const tacBound* b, tacDistance distance) {
    if (b->kind != TAC_NODE_SUPERQUADRIC || distance == TAC_DISTANCE_RADIAL) return 1.0;
    return leaf_radius(b) * TAC_CORE / b->core.radius;
}

// distance to the box that holds a superquadric
static double box_distance(const tacBound* b, tacVec3 x) {
    tacVec3 y = tac_mat_tmul_vec(b->frame.R, tac_sub(x, tac_load3(b->frame.origin)));
    tacVec3 over = {fmax(fabs(y.x) - b->size[0], 0.0), fmax(fabs(y.y) - b->size[1], 0.0),
                    fmax(fabs(y.z) - b->size[2], 0.0)};
    return tac_norm(over);
}

//---------------------------------- steps ----------------------------------------

// lower bound of the distance to a leaf; `field` is working memory
static void leaf_reach(const tacProgram* p, const tacBound* b, const tacBlockPoints* points,
                       tacBlock* field, double* reach) {
    tacBound tangent = *b;
    tangent.distance = TAC_DISTANCE_TANGENT;
    p->kernels->leaf(&tangent, points->x, field, points->padded, 0);
    for (int i = 0; i < points->count; ++i) {
        reach[i] = field->value[i];
        if (b->kind == TAC_NODE_SUPERQUADRIC)
            reach[i] =
                fmax(reach[i],
                     box_distance(b, tac_vec3(points->x[0][i], points->x[1][i], points->x[2][i])));
    }
}

// what a combination has seen of its children: running minimum and sum of exponentials
typedef struct reachSums {
    double least[TAC_BLOCK], sum[TAC_BLOCK];
} reachSums;

static void add_reach(reachSums* sums, const double* reach, double temperature, int first,
                      int count) {
    for (int i = 0; i < count; ++i) {
        double least = first ? reach[i] : fmin(sums->least[i], reach[i]);
        double kept = first ? 0.0 : sums->sum[i] * exp((least - sums->least[i]) / temperature);
        sums->sum[i] = kept + exp((least - reach[i]) / temperature);
        sums->least[i] = least;
    }
}

static void close_reach(const reachSums* sums, double temperature, int count, double* reach) {
    for (int i = 0; i < count; ++i) reach[i] = sums->least[i] - temperature * log(sums->sum[i]);
}

// memory of tac_shape_steps; K of every node, open sums for every level of nesting
typedef struct reachSpace {
    double *K, *reach;
    reachSums* open;
    tacBlock* field;
    tacBlockPoints* points;
} reachSpace;

static void subtree_K(const tacProgram* p, double* K) {
    for (int i = 0; i < p->shape->count; ++i) K[i] = 1.0;
    for (int i = 0; i < p->shape->count; ++i) {
        const tacNode* node = &p->model->node[p->shape->first + i];
        if (node->children == 0) K[i] = leaf_K(&p->bound[i], node->distance);
        if (node->parent >= 0) {
            double* above = &K[node->parent - p->shape->first];
            *above = fmax(*above, K[i]);
        }
    }
}

static void block_reach(const tacProgram* p, reachSpace* s) {
    int top = -1, count = s->points->count; // open sums in use
    for (int i = 0; i < p->shape->count; ++i) {
        const tacNode* node = &p->model->node[p->shape->first + i];
        if (node->children > 0) {
            close_reach(&s->open[top], s->K[i] * p->bound[i].tau, count, s->reach);
            --top;
        } else {
            leaf_reach(p, &p->bound[i], s->points, s->field, s->reach);
        }
        if (node->parent < 0) continue;
        int up = node->parent - p->shape->first;
        int first = p->model->node[node->parent].first == node->first;
        top += first;
        add_reach(&s->open[top], s->reach, s->K[up] * p->bound[up].tau, first, count);
    }
}

size_t tac_shape_reach_size(const tacModel* model) {
    size_t most = 0;
    for (int i = 0; i < model->nshape; ++i) {
        size_t nodes = (size_t)model->shape[i].count, depth = (size_t)model->shape[i].depth;
        size_t size =
            tac_arena_need(sizeof(tacBound) * nodes) + tac_arena_need(sizeof(double) * nodes) +
            tac_arena_need(sizeof(double) * TAC_BLOCK) + tac_arena_need(sizeof(reachSums) * depth) +
            tac_arena_need(sizeof(tacBlock)) + tac_arena_need(sizeof(tacBlockPoints));
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
    s.K = TAC_TAKE(&scratch->arena, double, p.shape->count);
    s.reach = TAC_TAKE(&scratch->arena, double, TAC_BLOCK);
    s.open = TAC_TAKE(&scratch->arena, reachSums, p.shape->depth);
    s.field = TAC_TAKE(&scratch->arena, tacBlock, 1);
    s.points = TAC_TAKE(&scratch->arena, tacBlockPoints, 1);
    subtree_K(&p, s.K);
    for (int first = 0; first < points.count; first += TAC_BLOCK) {
        tac_block_load(p.kernels, points, first, s.points);
        block_reach(&p, &s);
        for (int i = 0; i < s.points->count; ++i)
            radius[first + i] = s.reach[i] > 0.0 ? s.reach[i] : 0.0;
    }
    scratch->arena.used = mark;
    return TAC_OK;
}

//---------------------------------- bounding ball --------------------------------

// A union's solid lies in its children's, each grown by K tau ln n.
double tac_shape_radius(const tacModel* model, int shape, tacScratch* scratch) {
    size_t mark = scratch->arena.used;
    tacProgram p = tac_program_bind(model, shape, tac_pose_identity(), scratch);
    double* K = TAC_TAKE(&scratch->arena, double, p.shape->count);
    subtree_K(&p, K);
    double most = 0.0;
    for (int i = 0; i < p.shape->count; ++i) {
        if (model->node[p.shape->first + i].children > 0) continue;
        double grown = 0.0;
        for (int up = model->node[p.shape->first + i].parent; up >= 0; up = model->node[up].parent)
            grown += p.bound[up - p.shape->first].tau * log((double)model->node[up].children);
        double origin = tac_norm(tac_load3(p.bound[i].frame.origin));
        most = fmax(most, origin + leaf_radius(&p.bound[i]) + K[i] * grown);
    }
    scratch->arena.used = mark;
    return most;
}
