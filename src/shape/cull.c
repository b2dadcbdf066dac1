// Cut-offs of unions, and the points of a block that need each node (docs/shapes.md eq. 37 to 39).
//
// A child that is farther than the nearest one by
//
//   reach = tau ln(4 n l/(1e-13 tau) max(1, (S + S_max)^2/40))
//
// has so little weight that value, gradient and Hessian move by less than 1e-12. l is the size of
// the largest leaf, at least 1 m; S and S_max are the slopes of the child and of the steepest one.

#include "shape/cull.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

// relative weight that may be left out
#define TAC_CULL_TOLERANCE 1e-13
// A union of n leaves that are spread over less than 1 + 1/n times this many of its largest cut-off
// takes all of its children: it would drop too few to pay for the limits
#define TAC_CULL_SPREAD 4.0
// slopes of leaves of which nothing better is known
#define TAC_CULL_MAX_SLOPE 1e9

static const tacNode* node_at(const tacShapeProgram* p, int i) {
    return &p->model->node[p->shape->first + i];
}

static int parent_of(const tacShapeProgram* p, int i) {
    int parent = node_at(p, i)->parent;
    return parent < 0 ? -1 : parent - p->shape->first;
}

//---------------------------------- cut-offs -------------------------------------

// Most of |V u|/|p|^2 of one of the two logarithms of a superquadric, whose exponents' squares of
// slopes are to each other as `ratio` (docs/shapes.md eq. 39)
static double log_curvature_bound(double ratio, double e) {
    return 0.3849003 * (double)powf((float)fmax(ratio, 1.0), (float)(1.0 / (2.0 - e)));
}

// of exponents up to 1: |grad phi|^2 <= 1 + v^2
static double superquadric_slope(const tacNodeData* b) {
    double e1 = tac_re(b->e[0]), e2 = tac_re(b->e[1]), tall = tac_re(b->size[2]);
    double thin = fmin(tac_re(b->size[0]), tac_re(b->size[1]));
    double wide = fmax(tac_re(b->size[0]), tac_re(b->size[1]));
    double polar = tall / thin * (tall / thin), flat = 2.0 * (wide / tall) * (wide / tall);
    double around = log_curvature_bound(wide / thin * (wide / thin), e2),
           lift = 1.0 + log_curvature_bound(polar, e1);
    double v = (2.0 / e1 - 1.0) * log_curvature_bound(fmax(polar, flat), e1) +
               (2.0 / e2 - 1.0) * lift * around;
    return sqrt(1.0 + v * v);
}

double tac_leaf_lipschitz(const tacNodeData* b) {
    if (b->kind == TAC_NODE_SPHERE || b->kind == TAC_NODE_PLANE || tac_node_is_soft(b->kind))
        return 1.0;
    if (b->kind != TAC_NODE_SUPERQUADRIC || b->ridged) return TAC_CULL_MAX_SLOPE;
    if (b->distance == TAC_DISTANCE_TANGENT) return superquadric_slope(b);
    return tac_re(b->outer) / tac_re(b->inner);
}

static double leaf_size(const tacNodeData* b) {
    double size = tac_re(b->outer);
    for (int k = 0; k < tac_node_size_count(b->kind); ++k) size = fmax(size, tac_re(b->size[k]));
    return size;
}

// what a union needs to know of its leaves
typedef struct leafExtent {
    double size; // of the largest, at least 1 m
    double span; // twice the largest distance of a leaf from the middle of all
} leafExtent;

static leafExtent leaf_extent(const tacShapeProgram* p, int union_node) {
    leafExtent all = {1.0, 0.0};
    double center[3] = {0};
    int first = node_at(p, union_node)->first - p->shape->first, count = 0;
    for (int i = first; i < union_node; ++i) {
        if (node_at(p, i)->children > 0) continue;
        all.size = fmax(all.size, leaf_size(&p->node_data[i]));
        ++count;
        for (int k = 0; k < 3; ++k) center[k] += tac_re(p->node_data[i].frame.origin[k]);
    }
    for (int i = first; i < union_node; ++i) {
        if (node_at(p, i)->children > 0) continue;
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            double d = tac_re(p->node_data[i].frame.origin[k]) - center[k] / count;
            square += d * d;
        }
        all.span = fmax(all.span, 2.0 * sqrt(square));
    }
    return all;
}

// slopes and temperatures of a subtree; a combination is as steep as its steepest child
static void bind_subtree(const tacShapeProgram* p, tacCullNode* cull, int i) {
    const tacNode* node = node_at(p, i);
    tacCullNode* c = &cull[i];
    *c = (tacCullNode){.min_tau = INFINITY};
    if (node->children == 0) {
        c->slope = tac_leaf_lipschitz(&p->node_data[i]);
        return;
    }
    c->min_tau = tac_re(p->node_data[i].tau);
    c->gap = tac_blend_gap(node, &p->node_data[i]);
    int child = tac_last_child(i);
    for (int k = 0; k < node->children; ++k, child = tac_previous_child(p, child)) {
        c->slope = fmax(c->slope, cull[child].slope);
        c->min_tau = fmin(c->min_tau, cull[child].min_tau);
    }
}

// Cut-off of a child with this slope. The Hessian of a combination has terms of 1/tau of its own.
static double cutoff_of(double cut, double tau, double slope, double min_tau) {
    return cut + tau * log(fmax(1.0, slope * slope / 40.0) * (1.0 + tau / min_tau));
}

static double min_child_tau(const tacShapeProgram* p, const tacCullNode* cull, int i) {
    double min_tau = INFINITY;
    int child = tac_last_child(i);
    for (int k = 0; k < node_at(p, i)->children; ++k, child = tac_previous_child(p, child))
        min_tau = fmin(min_tau, cull[child].min_tau);
    return min_tau;
}

static void bind_union(const tacShapeProgram* p, tacCullNode* cull, int i) {
    const tacNode* node = node_at(p, i);
    if (node->kind != TAC_NODE_UNION || node->children < 3) return;
    double tau = tac_re(p->node_data[i].tau), min_tau = min_child_tau(p, cull, i);
    leafExtent leaves = leaf_extent(p, i);
    double cut = tau * log(4.0 * node->children * leaves.size / (TAC_CULL_TOLERANCE * tau));
    double min_span = TAC_CULL_SPREAD * (1.0 + 1.0 / node->children);
    if (!(min_span * cutoff_of(cut, tau, 2.0 * cull[i].slope, min_tau) < leaves.span)) return;
    cull[i].culls = 1;
    int child = tac_last_child(i);
    for (int k = 0; k < node->children; ++k, child = tac_previous_child(p, child))
        cull[child].cutoff = cutoff_of(cut, tau, cull[child].slope + cull[i].slope, min_tau);
}

// Relative errors of 1/g and of |grad ln g|. Each log2 of y^2/a^2 is right to 6.4e-4 and each
// log2(1 + E) to 7e-4, E's own error included; errors pass sums of exponentials unchanged. Weights
// are powers 1/e of them. Rounding moves a point by `moved` of its y/a at g = 1/4, w^2 by 1e-5; g
// changes with norm 1, its slope with (p - 1) A^2.
static void float_leaf_errors(const tacNodeData* b, double rounding, tacFloatLeaf* r) {
    double e1 = tac_re(b->e[0]), e2 = tac_re(b->e[1]);
    double aspect = tac_re(b->outer) / tac_re(b->inner);
    double steep = (2.0 / fmin(e1, e2) - 1.0) * aspect * aspect;
    double gauge = 1.2e-5 + rounding,
           slope = 9e-4 + 9.5e-4 * (1.0 / e1 + 1.0 / e2) + 5.2e-4 * e2 / e1;
    if (b->distance == TAC_DISTANCE_TANGENT) gauge += 3.1e-4 + 2.5e-4 * (e1 + e2);
    r->gauge = (float)gauge;
    r->slope = (float)(slope + steep * (7e-5 + rounding));
    if (!(gauge < 0.05 && r->slope < 0.5)) r->use = TAC_FLOAT_LEAF_NONE;
}

// how far rounding moves points, as a share of y/a, if they are relative to a point `distance` away
static double float_leaf_rounding(const tacNodeData* b, double distance) {
    return 7e-7 * (tac_re(b->outer) + 8.0 * distance) / tac_re(b->inner);
}

static void float_leaf_frame(const tacNodeData* b, const double center[3], tacFloatLeaf* r) {
    double d[3] = {0};
    for (int k = 0; k < 3 && r->use == TAC_FLOAT_LEAF_SHARED; ++k)
        d[k] = center[k] - tac_re(b->frame.origin[k]);
    for (int i = 0; i < 3; ++i) {
        double scale = TAC_FLOAT_LEAF_SCALE / tac_re(b->size[i]), t = 0.0;
        for (int k = 0; k < 3; ++k) {
            double R = scale * tac_re(b->frame.R.m[k][i]);
            t += R * d[k];
            r->R[k][i] = (float)R;
        }
        r->t[i] = (float)t;
    }
}

// a leaf with single-precision numbers of its own is a superquadric without ridges
tacFloatLeaf tac_float_leaf_bind(const tacNodeData* b, const double center[3]) {
    tacFloatLeaf r = {TAC_FLOAT_LEAF_NONE};
    if (b->kind != TAC_NODE_SUPERQUADRIC || b->ridged) return r;
    double e1 = tac_re(b->e[0]), e2 = tac_re(b->e[1]), square = 0.0;
    for (int k = 0; k < 3; ++k) {
        double d = tac_re(b->frame.origin[k]) - center[k];
        square += d * d;
    }
    double rounding = float_leaf_rounding(b, sqrt(square));
    r.use = TAC_FLOAT_LEAF_SHARED;
    float_leaf_errors(b, rounding, &r);
    if (r.use == TAC_FLOAT_LEAF_NONE || r.slope > 0.03f) {
        r.use = TAC_FLOAT_LEAF_OWN;
        float_leaf_errors(b, float_leaf_rounding(b, 0.0), &r);
    }
    float_leaf_frame(b, center, &r);
    r.inner = (float)(0.999999 * tac_re(b->inner));
    r.outer = (float)(1.001 * tac_re(b->outer));
    for (int i = 0; i < 3; ++i) {
        r.thin[i] = (float)(tac_re(b->inner) / tac_re(b->size[i]));
        r.w2[i] =
            (float)(TAC_FLOAT_LEAF_SCALE * TAC_FLOAT_LEAF_SCALE * fmax(tac_re(b->w2[i]), 1e-10));
    }
    r.e[0] = (float)e1;
    r.e[1] = (float)e2;
    r.inv_e[0] = (float)(1.0 / e1);
    r.inv_e[1] = (float)(1.0 / e2);
    r.flat = (float)(1.00001 * exp2(1.0 - 0.5 * (e1 + e2)));
    return r;
}

tacCulling tac_cull_alloc(int nodes, tacArena* arena) {
    tacCulling c = {0};
    c.node = TAC_ALLOC(arena, tacCullNode, nodes);
    c.leaf = TAC_ALLOC(arena, tacFloatLeaf, nodes);
    return c;
}

tacFieldBounds tac_field_bounds_alloc(int nodes, tacArena* arena) {
    tacFieldBounds at = {.row = TAC_BLOCK};
    at.low = TAC_ALLOC(arena, float, TAC_BLOCK* nodes);
    at.high = TAC_ALLOC(arena, float, TAC_BLOCK* nodes);
    at.x = tac_arena_alloc(arena, sizeof(float[3][TAC_BLOCK]));
    return at;
}

static void find_center(const tacShapeProgram* p, double center[3]) {
    int count = 0;
    for (int i = 0; i < p->shape->count; ++i) count += node_at(p, i)->children == 0;
    for (int i = 0; i < p->shape->count; ++i)
        for (int k = 0; k < 3 && node_at(p, i)->children == 0; ++k)
            center[k] += tac_re(p->node_data[i].frame.origin[k]) / count;
}

tacCulling tac_cull_bind(const tacShapeProgram* p, tacScratch* scratch) {
    int nodes = p->shape->count;
    tacCulling c = tac_cull_alloc(nodes, &scratch->arena);
    for (int i = 0; i < nodes; ++i) {
        bind_subtree(p, c.node, i);
        if (!p->shape->exact) bind_union(p, c.node, i);
        c.active |= c.node[i].culls;
    }
    if (c.active) find_center(p, c.center);
    for (int i = nodes - 1; i >= 0; --i) {
        int up = parent_of(p, i);
        c.node[i].under_culling = up >= 0 && (c.node[up].culls || c.node[up].under_culling);
        c.node[i].upper_target = up >= 0 && node_at(p, up)->kind == TAC_NODE_UNION ? up : i;
        if (c.node[i].under_culling) c.leaf[i] = tac_float_leaf_bind(&p->node_data[i], c.center);
    }
    return c;
}

//---------------------------------- limits ---------------------------------------

static void fill_bounds(float* array, float value, int count) {
    for (int i = 0; i < count; ++i) array[i] = value;
}

static void lower_to(const float* low, float* out, int count) {
    for (int i = 0; i < count; ++i) out[i] = out[i] < low[i] ? out[i] : low[i];
}

static float* low_of(const tacCulling* c, int i) { return &c->at.low[i * c->at.row]; }
static float* high_of(const tacCulling* c, int i) { return &c->at.high[i * c->at.row]; }

static void raise_to(const tacCulling* c, int child, int turned, int into, int count) {
    const float *under = low_of(c, child), *over = high_of(c, child);
    float *out_low = low_of(c, into), *out_high = high_of(c, into);
    for (int i = 0; i < count; ++i) {
        float low = turned ? -over[i] : under[i], high = turned ? -under[i] : over[i];
        out_low[i] = out_low[i] > low ? out_low[i] : low;
        out_high[i] = out_high[i] > high ? out_high[i] : high;
    }
}

// limits of a combination from those of its children
static void combine_bounds(const tacShapeProgram* p, tacCulling* c, int i, int count) {
    const tacNode* node = node_at(p, i);
    float *low = low_of(c, i), *high = high_of(c, i);
    int child = tac_last_child(i), minimum = node->kind == TAC_NODE_UNION;
    fill_bounds(low, minimum ? TAC_BOUND_UNKNOWN : -TAC_BOUND_UNKNOWN, count);
    if (!minimum) fill_bounds(high, -TAC_BOUND_UNKNOWN, count);
    for (int k = 0; k < node->children; ++k, child = tac_previous_child(p, child))
        if (minimum)
            lower_to(low_of(c, child), low, count);
        else
            raise_to(c, child, tac_node_is_negated(p, child), i, count);
    float gap = (float)(1.000001 * c->node[i].gap);
    for (int k = 0; k < count; ++k)
        if (minimum)
            low[k] -= gap + 1e-6f * fabsf(low[k]);
        else
            high[k] += gap + 1e-6f * fabsf(high[k]);
    int to = c->node[i].upper_target;
    if (to != i) lower_to(high, high_of(c, to), count);
}

// bits of groups: those that need a leaf
typedef uint64_t groupBits;
_Static_assert(TAC_BLOCK / TAC_CULL_GROUP < 64, "groups of a block are bits of a word");

static groupBits all_groups(const tacBlockPoints* points) {
    int groups = (points->padded + TAC_CULL_GROUP - 1) / TAC_CULL_GROUP;
    return ((groupBits)1 << groups) - 1;
}

// of each leaf; the shape is one union of 64 at most where groups need different ones
static void list_groups(const tacBlockPoints* points, const tacCulling* c, groupBits group[64]) {
    memset(group, 0, 64 * sizeof *group);
    for (groupBits rest = all_groups(points); rest; rest &= rest - 1) {
        int g = __builtin_ctzll(rest);
        for (uint64_t need = c->need[g]; need; need &= need - 1)
            group[__builtin_ctzll(need)] |= (groupBits)1 << g;
    }
}

// limits of a leaf at each run of groups that need it; runs begin with whole single-precision
// vectors
static void leaf_bounds(const tacShapeProgram* p, const tacBlockPoints* points, tacCulling* c,
                        int i, groupBits groups) {
    int whole = 2 * p->kernels->lanes;
    float *low = low_of(c, i), *high = high_of(c, c->node[i].upper_target);
    while (groups) {
        int first = __builtin_ctzll(groups), end = first + __builtin_ctzll(~(groups >> first));
        int at = first * TAC_CULL_GROUP / whole * whole, to = end * TAC_CULL_GROUP;
        if (to > points->padded) to = points->padded;
        p->kernels->leaf_bounds(
            &p->node_data[i], &c->leaf[i], (const tacReal(*)[TAC_BLOCK]) & points->x[0][at],
            (const float(*)[TAC_BLOCK]) & c->at.x[0][at], &low[at], &high[at], to - at);
        groups &= ~(groupBits)0 << end;
    }
}

// rows are no longer than the points need: limits stay in the cache
static void find_bounds(const tacShapeProgram* p, const tacBlockPoints* points, tacCulling* c,
                        const groupBits* group) {
    c->at.row = (points->padded + 15) / 16 * 16;
    for (int i = 0; i < p->shape->count; ++i) {
        const tacCullNode* node = &c->node[i];
        int lowered = node->upper_target == i || p->node_data[i].kind == TAC_NODE_UNION;
        if (node->culls || (node->under_culling && lowered))
            memset(high_of(c, i), 0x7f, sizeof(float) * (size_t)points->padded); // 3e38
    }
    p->kernels->float_points((const tacReal(*)[TAC_BLOCK])points->x, c->center, c->at.x,
                             points->padded);
    for (int i = 0; i < p->shape->count; ++i) {
        if (!c->node[i].under_culling) continue;
        if (node_at(p, i)->children > 0)
            combine_bounds(p, c, i, points->padded);
        else
            leaf_bounds(p, points, c, i, group ? group[i] : all_groups(points));
    }
}

//---------------------------------- points ---------------------------------------

static tacPointMask points_of(groupBits groups) {
    tacPointMask bits = tac_point_mask_first(0);
    for (; groups; groups &= groups - 1) {
        int g = __builtin_ctzll(groups);
        bits.word[g / 8] |= (uint64_t)255 << (8 * (g % 8));
    }
    return bits;
}

// A union that ends is no higher than its lowest child where that does not fade yet
static void release_truncated(const tacCulling* c, int i, double end, int count) {
    float *high = high_of(c, i), full = (float)(0.66666 * end);
    for (int k = 0; k < count; ++k) high[k] = high[k] < full ? high[k] : TAC_BOUND_UNKNOWN;
}

void tac_cull_block(const tacShapeProgram* p, const tacBlockPoints* points, tacCulling* c) {
    tacPointMask all = tac_block_points_mask(points);
    groupBits some[64], *group = c->need && c->active ? some : NULL;
    if (group) list_groups(points, c, group);
    if (c->active) find_bounds(p, points, c, group);
    for (int i = p->shape->count - 1; i >= 0; --i) {
        int up = parent_of(p, i);
        tacCullNode* own = &c->node[i];
        own->keep = up < 0 ? all : c->node[up].keep;
        double end = up < 0 ? p->node_data[i].end : p->node_data[up].end;
        if (up < 0 && own->culls && end > 0.0) release_truncated(c, i, end, points->padded);
        if (up < 0 || !c->node[up].culls) continue;
        if (group) own->keep = tac_point_mask_and(own->keep, points_of(group[i]));
        if (tac_point_mask_is_empty(own->keep)) continue;
        if (!(end > 0.0)) end = TAC_BOUND_UNKNOWN;
        own->keep =
            tac_point_mask_and(own->keep, p->kernels->is_near(low_of(c, i), high_of(c, up),
                                                              own->cutoff, end, points->padded));
    }
}
