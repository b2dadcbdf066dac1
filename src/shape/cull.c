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
#define TAC_CULL_STEEP 1e9

static const tacNode* node_at(const tacProgram* p, int i) {
    return &p->model->node[p->shape->first + i];
}

static int parent_of(const tacProgram* p, int i) {
    int parent = node_at(p, i)->parent;
    return parent < 0 ? -1 : parent - p->shape->first;
}

//---------------------------------- cut-offs -------------------------------------

// Most of |V u|/|p|^2 of one of the two logarithms of a superquadric, whose exponents' squares of
// slopes are to each other as `ratio` (docs/shapes.md eq. 39)
static double bend(double ratio, double e) {
    return 0.3849003 * (double)powf((float)fmax(ratio, 1.0), (float)(1.0 / (2.0 - e)));
}

// of exponents up to 1: |grad phi|^2 <= 1 + v^2
static double superquadric_slope(const tacBound* b) {
    double e1 = tac_re(b->e[0]), e2 = tac_re(b->e[1]), tall = tac_re(b->size[2]);
    double thin = fmin(tac_re(b->size[0]), tac_re(b->size[1]));
    double wide = fmax(tac_re(b->size[0]), tac_re(b->size[1]));
    double polar = tall / thin * (tall / thin), flat = 2.0 * (wide / tall) * (wide / tall);
    double around = bend(wide / thin * (wide / thin), e2), lift = 1.0 + bend(polar, e1);
    double v = (2.0 / e1 - 1.0) * bend(fmax(polar, flat), e1) + (2.0 / e2 - 1.0) * lift * around;
    return sqrt(1.0 + v * v);
}

double tac_leaf_slope(const tacBound* b) {
    if (b->kind == TAC_NODE_SPHERE || b->kind == TAC_NODE_PLANE || tac_is_soft(b->kind)) return 1.0;
    if (b->kind != TAC_NODE_SUPERQUADRIC || b->ridged) return TAC_CULL_STEEP;
    if (b->distance == TAC_DISTANCE_TANGENT) return superquadric_slope(b);
    return tac_re(b->outer) / tac_re(b->inner);
}

static double leaf_size(const tacBound* b) {
    double size = tac_re(b->outer);
    for (int k = 0; k < tac_size_count(b->kind); ++k) size = fmax(size, tac_re(b->size[k]));
    return size;
}

// what a union needs to know of its leaves
typedef struct leafCloud {
    double size;   // of the largest, at least 1 m
    double spread; // twice the largest distance of a leaf from the middle of all
} leafCloud;

static leafCloud leaves_of(const tacProgram* p, int union_node) {
    leafCloud all = {1.0, 0.0};
    double middle[3] = {0};
    int first = node_at(p, union_node)->first - p->shape->first, count = 0;
    for (int i = first; i < union_node; ++i) {
        if (node_at(p, i)->children > 0) continue;
        all.size = fmax(all.size, leaf_size(&p->bound[i]));
        ++count;
        for (int k = 0; k < 3; ++k) middle[k] += tac_re(p->bound[i].frame.origin[k]);
    }
    for (int i = first; i < union_node; ++i) {
        if (node_at(p, i)->children > 0) continue;
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            double d = tac_re(p->bound[i].frame.origin[k]) - middle[k] / count;
            square += d * d;
        }
        all.spread = fmax(all.spread, 2.0 * sqrt(square));
    }
    return all;
}

// slopes and temperatures of a subtree; a combination is as steep as its steepest child
static void bind_subtree(const tacProgram* p, tacCull* cull, int i) {
    const tacNode* node = node_at(p, i);
    tacCull* c = &cull[i];
    *c = (tacCull){.coolest = INFINITY};
    if (node->children == 0) {
        c->slope = tac_leaf_slope(&p->bound[i]);
        return;
    }
    c->coolest = tac_re(p->bound[i].tau);
    c->rise = tac_blend_rise(node, &p->bound[i]);
    int child = tac_last_child(i);
    for (int k = 0; k < node->children; ++k, child = tac_previous_child(p, child)) {
        c->slope = fmax(c->slope, cull[child].slope);
        c->coolest = fmin(c->coolest, cull[child].coolest);
    }
}

// Cut-off of a child with this slope. The Hessian of a combination has terms of 1/tau of its own.
static double reach_of(double cut, double tau, double slope, double coolest) {
    return cut + tau * log(fmax(1.0, slope * slope / 40.0) * (1.0 + tau / coolest));
}

static double coolest_child(const tacProgram* p, const tacCull* cull, int i) {
    double coolest = INFINITY;
    int child = tac_last_child(i);
    for (int k = 0; k < node_at(p, i)->children; ++k, child = tac_previous_child(p, child))
        coolest = fmin(coolest, cull[child].coolest);
    return coolest;
}

static void bind_union(const tacProgram* p, tacCull* cull, int i) {
    const tacNode* node = node_at(p, i);
    if (node->kind != TAC_NODE_UNION || node->children < 3) return;
    double tau = tac_re(p->bound[i].tau), coolest = coolest_child(p, cull, i);
    leafCloud leaves = leaves_of(p, i);
    double cut = tau * log(4.0 * node->children * leaves.size / (TAC_CULL_TOLERANCE * tau));
    double least = TAC_CULL_SPREAD * (1.0 + 1.0 / node->children);
    if (!(least * reach_of(cut, tau, 2.0 * cull[i].slope, coolest) < leaves.spread)) return;
    cull[i].drops = 1;
    int child = tac_last_child(i);
    for (int k = 0; k < node->children; ++k, child = tac_previous_child(p, child))
        cull[child].reach = reach_of(cut, tau, cull[child].slope + cull[i].slope, coolest);
}

// Relative errors of 1/g and of |grad ln g|. Each log2 of y^2/a^2 is right to 6.4e-4 and each
// log2(1 + E) to 7e-4, E's own error included; errors pass sums of exponentials unchanged. Weights
// are powers 1/e of them. Rounding moves a point by `moved` of its y/a at g = 1/4, w^2 by 1e-5; g
// changes with norm 1, its slope with (p - 1) A^2.
static void rough_errors(const tacBound* b, double moved, tacRough* r) {
    double e1 = tac_re(b->e[0]), e2 = tac_re(b->e[1]);
    double aspect = tac_re(b->outer) / tac_re(b->inner);
    double steep = (2.0 / fmin(e1, e2) - 1.0) * aspect * aspect;
    double gauge = 1.2e-5 + moved, slope = 9e-4 + 9.5e-4 * (1.0 / e1 + 1.0 / e2) + 5.2e-4 * e2 / e1;
    if (b->distance == TAC_DISTANCE_TANGENT) gauge += 3.1e-4 + 2.5e-4 * (e1 + e2);
    r->gauge = (float)gauge;
    r->slope = (float)(slope + steep * (7e-5 + moved));
    if (!(gauge < 0.05 && r->slope < 0.5)) r->use = TAC_ROUGH_NONE;
}

// how far rounding moves points, as a share of y/a, if they are relative to a point `distance` away
static double rough_moved(const tacBound* b, double distance) {
    return 7e-7 * (tac_re(b->outer) + 8.0 * distance) / tac_re(b->inner);
}

static void rough_frame(const tacBound* b, const double middle[3], tacRough* r) {
    double d[3] = {0};
    for (int k = 0; k < 3 && r->use == TAC_ROUGH_SHARED; ++k)
        d[k] = middle[k] - tac_re(b->frame.origin[k]);
    for (int i = 0; i < 3; ++i) {
        double scale = TAC_ROUGH_SCALE / tac_re(b->size[i]), t = 0.0;
        for (int k = 0; k < 3; ++k) {
            double R = scale * tac_re(b->frame.R.m[k][i]);
            t += R * d[k];
            r->R[k][i] = (float)R;
        }
        r->t[i] = (float)t;
    }
}

// a leaf with rough numbers of its own is a superquadric without ridges
tacRough tac_rough_bind(const tacBound* b, const double middle[3]) {
    tacRough r = {TAC_ROUGH_NONE};
    if (b->kind != TAC_NODE_SUPERQUADRIC || b->ridged) return r;
    double e1 = tac_re(b->e[0]), e2 = tac_re(b->e[1]), square = 0.0;
    for (int k = 0; k < 3; ++k) {
        double d = tac_re(b->frame.origin[k]) - middle[k];
        square += d * d;
    }
    double moved = rough_moved(b, sqrt(square));
    r.use = TAC_ROUGH_SHARED;
    rough_errors(b, moved, &r);
    if (r.use == TAC_ROUGH_NONE || r.slope > 0.03f) {
        r.use = TAC_ROUGH_OWN;
        rough_errors(b, rough_moved(b, 0.0), &r);
    }
    rough_frame(b, middle, &r);
    r.inner = (float)(0.999999 * tac_re(b->inner));
    r.outer = (float)(1.001 * tac_re(b->outer));
    for (int i = 0; i < 3; ++i) {
        r.thin[i] = (float)(tac_re(b->inner) / tac_re(b->size[i]));
        r.w2[i] = (float)(TAC_ROUGH_SCALE * TAC_ROUGH_SCALE * fmax(tac_re(b->w2[i]), 1e-10));
    }
    r.e[0] = (float)e1;
    r.e[1] = (float)e2;
    r.inv_e[0] = (float)(1.0 / e1);
    r.inv_e[1] = (float)(1.0 / e2);
    r.flat = (float)(1.00001 * exp2(1.0 - 0.5 * (e1 + e2)));
    return r;
}

size_t tac_cull_size(int nodes) {
    size_t count = (size_t)nodes;
    return tac_arena_need(sizeof(tacCull) * count) + tac_arena_need(sizeof(tacRough) * count);
}

size_t tac_limits_size(int nodes) {
    return 2 * tac_arena_need(sizeof(float[TAC_BLOCK]) * (size_t)nodes) +
           tac_arena_need(sizeof(float[3][TAC_BLOCK]));
}

tacLimits tac_limits_take(int nodes, tacScratch* scratch) {
    tacLimits at = {.row = TAC_BLOCK};
    at.low = TAC_TAKE(&scratch->arena, float, TAC_BLOCK* nodes);
    at.high = TAC_TAKE(&scratch->arena, float, TAC_BLOCK* nodes);
    at.x = tac_arena_take(&scratch->arena, sizeof(float[3][TAC_BLOCK]));
    return at;
}

static void find_middle(const tacProgram* p, double middle[3]) {
    int count = 0;
    for (int i = 0; i < p->shape->count; ++i) count += node_at(p, i)->children == 0;
    for (int i = 0; i < p->shape->count; ++i)
        for (int k = 0; k < 3 && node_at(p, i)->children == 0; ++k)
            middle[k] += tac_re(p->bound[i].frame.origin[k]) / count;
}

tacCulling tac_cull_bind(const tacProgram* p, tacScratch* scratch) {
    int nodes = p->shape->count;
    tacCulling c = {0};
    c.node = TAC_TAKE(&scratch->arena, tacCull, nodes);
    c.leaf = TAC_TAKE(&scratch->arena, tacRough, nodes);
    for (int i = 0; i < nodes; ++i) {
        bind_subtree(p, c.node, i);
        if (!p->shape->exact) bind_union(p, c.node, i);
        c.active |= c.node[i].drops;
    }
    if (c.active) find_middle(p, c.middle);
    for (int i = nodes - 1; i >= 0; --i) {
        int up = parent_of(p, i);
        c.node[i].below = up >= 0 && (c.node[up].drops || c.node[up].below);
        c.node[i].lowers = up >= 0 && node_at(p, up)->kind == TAC_NODE_UNION ? up : i;
        if (c.node[i].below) c.leaf[i] = tac_rough_bind(&p->bound[i], c.middle);
    }
    return c;
}

//---------------------------------- limits ---------------------------------------

static void fill(float* array, float value, int count) {
    for (int i = 0; i < count; ++i) array[i] = value;
}

static void join_least(const float* low, float* out, int count) {
    for (int i = 0; i < count; ++i) out[i] = out[i] < low[i] ? out[i] : low[i];
}

static float* low_of(const tacCulling* c, int i) { return &c->at.low[i * c->at.row]; }
static float* high_of(const tacCulling* c, int i) { return &c->at.high[i * c->at.row]; }

static void join_most(const tacCulling* c, int child, int turned, int into, int count) {
    const float *under = low_of(c, child), *over = high_of(c, child);
    float *out_low = low_of(c, into), *out_high = high_of(c, into);
    for (int i = 0; i < count; ++i) {
        float low = turned ? -over[i] : under[i], high = turned ? -under[i] : over[i];
        out_low[i] = out_low[i] > low ? out_low[i] : low;
        out_high[i] = out_high[i] > high ? out_high[i] : high;
    }
}

// limits of a combination from those of its children
static void combine(const tacProgram* p, tacCulling* c, int i, int count) {
    const tacNode* node = node_at(p, i);
    float *low = low_of(c, i), *high = high_of(c, i);
    int child = tac_last_child(i), minimum = node->kind == TAC_NODE_UNION;
    fill(low, minimum ? TAC_ROUGH_FAR : -TAC_ROUGH_FAR, count);
    if (!minimum) fill(high, -TAC_ROUGH_FAR, count);
    for (int k = 0; k < node->children; ++k, child = tac_previous_child(p, child))
        if (minimum)
            join_least(low_of(c, child), low, count);
        else
            join_most(c, child, tac_is_turned(p, child), i, count);
    float rise = (float)(1.000001 * c->node[i].rise);
    for (int k = 0; k < count; ++k)
        if (minimum)
            low[k] -= rise + 1e-6f * fabsf(low[k]);
        else
            high[k] += rise + 1e-6f * fabsf(high[k]);
    int to = c->node[i].lowers;
    if (to != i) join_least(high, high_of(c, to), count);
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

// limits of a leaf at each run of groups that need it; runs begin with whole rough vectors
static void leaf_limits(const tacProgram* p, const tacBlockPoints* points, tacCulling* c, int i,
                        groupBits groups) {
    int whole = 2 * p->kernels->lanes;
    float *low = low_of(c, i), *high = high_of(c, c->node[i].lowers);
    while (groups) {
        int first = __builtin_ctzll(groups), end = first + __builtin_ctzll(~(groups >> first));
        int at = first * TAC_CULL_GROUP / whole * whole, to = end * TAC_CULL_GROUP;
        if (to > points->padded) to = points->padded;
        p->kernels->leaf_limits(
            &p->bound[i], &c->leaf[i], (const tacReal(*)[TAC_BLOCK]) & points->x[0][at],
            (const float(*)[TAC_BLOCK]) & c->at.x[0][at], &low[at], &high[at], to - at);
        groups &= ~(groupBits)0 << end;
    }
}

// rows are no longer than the points need: limits stay in the cache
static void find_limits(const tacProgram* p, const tacBlockPoints* points, tacCulling* c,
                        const groupBits* group) {
    c->at.row = (points->padded + 15) / 16 * 16;
    for (int i = 0; i < p->shape->count; ++i) {
        const tacCull* node = &c->node[i];
        int lowered = node->lowers == i || p->bound[i].kind == TAC_NODE_UNION;
        if (node->drops || (node->below && lowered))
            memset(high_of(c, i), 0x7f, sizeof(float) * (size_t)points->padded); // 3e38
    }
    p->kernels->rough_points((const tacReal(*)[TAC_BLOCK])points->x, c->middle, c->at.x,
                             points->padded);
    for (int i = 0; i < p->shape->count; ++i) {
        if (!c->node[i].below) continue;
        if (node_at(p, i)->children > 0)
            combine(p, c, i, points->padded);
        else
            leaf_limits(p, points, c, i, group ? group[i] : all_groups(points));
    }
}

//---------------------------------- points ---------------------------------------

static tacBits points_of(groupBits groups) {
    tacBits bits = tac_bits_first(0);
    for (; groups; groups &= groups - 1) {
        int g = __builtin_ctzll(groups);
        bits.word[g / 8] |= (uint64_t)255 << (8 * (g % 8));
    }
    return bits;
}

// A union that ends is no higher than its lowest child where that does not fade yet
static void raise_high(const tacCulling* c, int i, double end, int count) {
    float *high = high_of(c, i), full = (float)(0.66666 * end);
    for (int k = 0; k < count; ++k) high[k] = high[k] < full ? high[k] : TAC_ROUGH_FAR;
}

void tac_cull_block(const tacProgram* p, const tacBlockPoints* points, tacCulling* c) {
    tacBits all = tac_all_points(points);
    groupBits some[64], *group = c->need && c->active ? some : NULL;
    if (group) list_groups(points, c, group);
    if (c->active) find_limits(p, points, c, group);
    for (int i = p->shape->count - 1; i >= 0; --i) {
        int up = parent_of(p, i);
        tacCull* own = &c->node[i];
        own->keep = up < 0 ? all : c->node[up].keep;
        double end = up < 0 ? p->bound[i].end : p->bound[up].end;
        if (up < 0 && own->drops && end > 0.0) raise_high(c, i, end, points->padded);
        if (up < 0 || !c->node[up].drops) continue;
        if (group) own->keep = tac_bits_both(own->keep, points_of(group[i]));
        if (tac_bits_none(own->keep)) continue;
        if (!(end > 0.0)) end = TAC_ROUGH_FAR;
        own->keep = tac_bits_both(own->keep, p->kernels->near(low_of(c, i), high_of(c, up),
                                                              own->reach, end, points->padded));
    }
}
