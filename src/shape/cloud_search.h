// Which points of a cloud count at a point: the one with the largest weight, then all within the
// cut-off below it.
//
// Decisions look at real parts and at one point alone, so that neither number type nor batch nor
// threads change them. Cut-off: docs/shapes.md eq. 28.

#ifndef TAC_SHAPE_CLOUD_SEARCH_H
#define TAC_SHAPE_CLOUD_SEARCH_H

#include "shape/cloud_index.h"
#include "shape/local.h"

// Wendland's kernel ends at u = d^2/width^2 = TAC_CLOUD_END, where a Gaussian of amplitude
// TAC_CLOUD_TAIL goes on (docs/shapes.md eq. 25)
#define TAC_CLOUD_END  (28.0 / 3.0)
#define TAC_CLOUD_TAIL 1e-3
// slopes of it by u: |(ln B)'| <= 4.460 at u = 8.237, |B''/B| <= 21.13 = 4.60^2 (test_cloud)
#define TAC_CLOUD_STEEP 5.0
// psi exp(u) is 1 at a point, rises to 1.1154 at t = 17/35, and falls from there to 0:
// (psi exp(u))' = exp(u) (1 - t)^5 t^2 (17 - 35 t)/3
#define TAC_CLOUD_CREST 1.117 // with the tail; a bound

// part of all weights, with derivatives, that may be left out
#define TAC_CLOUD_SHARE 1e-15

// weights below exp(-this) of the best are 0 to all arithmetic; nothing else is left out of exact
// sums
#define TAC_CLOUD_ZERO 600.0

typedef struct cloudSearch {
    const tacBound* b;
    const tacCloudPage* page;
    double y[3];
    double scale;        // 1/eps1, or 1 where metrics say it
    double tail;         // ln of the tail over the crest of a Wendland kernel, 0 for Gaussians
    int best;            // point with the largest ln B up to the kernel's shape, and that number
    double score, least; // -score/scale
    double floor;        // what lies below does not count
} cloudSearch;

//---------------------------------- bounds of boxes ------------------------------

// boxes are doubles in all number types, in vectors where there are any
#if TAC_LANES == 1
typedef double boxes;
TAC_INLINE boxes b_set(double x) { return x; }
TAC_INLINE boxes b_load(const double* p) { return *p; }
TAC_INLINE void b_store(double* p, boxes x) { *p = x; }
TAC_INLINE boxes b_max(boxes a, boxes b) { return a > b ? a : b; }
TAC_INLINE unsigned b_signs(boxes x) { return x < 0.0; }
#else
typedef wide boxes;
TAC_INLINE boxes b_set(double x) { return w_set(x); }
TAC_INLINE boxes b_load(const double* p) { return w_load(p); }
TAC_INLINE void b_store(double* p, boxes x) { w_store(p, x); }
TAC_INLINE boxes b_max(boxes a, boxes b) { return w_max(a, b); }
TAC_INLINE unsigned b_signs(boxes x) { return w_signs(x); }
#endif

// square of the distance to boxes k, k + 1, …
TAC_INLINE boxes box_square(const tacCloudPage* page, const double y[3], int k) {
    boxes square = b_set(0.0);
    for (int axis = 0; axis < 3; ++axis) {
        boxes at = b_set(y[axis]);
        boxes over = b_max(b_load(&page->low[axis][k]) - at, at - b_load(&page->high[axis][k]));
        over = b_max(over, b_set(0.0));
        square = square + over * over;
    }
    return square;
}

// no point in these boxes has a larger ln B, taken without a Wendland kernel's shape
TAC_INLINE boxes box_score(const cloudSearch* s, const tacCloudPage* page, int k) {
    boxes stiff = b_load(&page->stiff[k]) * b_set(s->scale);
    return b_load(&page->log_amp[k]) - stiff * box_square(page, s->y, k);
}

// bit k is set if box k may hold something above `floor`
TAC_INLINE unsigned boxes_above(const cloudSearch* s, const tacCloudPage* page, double floor) {
    unsigned above = 0;
    TAC_UNROLL
    for (int k = 0; k < TAC_CLOUD_LEAF; k += TAC_LANES)
        above |= b_signs(b_set(floor) - box_score(s, page, k)) << k;
    return above;
}

//---------------------------------- the largest weight ---------------------------

// ln B of the points of a leaf, likewise
TAC_INLINE void leaf_scores(const cloudSearch* s, int first, int count,
                            double score[TAC_CLOUD_LEAF]) {
    const tacCloud* c = s->b->cloud;
    const tacReal* x = s->b->block + first;
    int n = c->count;
    for (int k = 0; k < count; ++k) {
        double d[3], u;
        for (int axis = 0; axis < 3; ++axis) d[axis] = s->y[axis] - tac_re(x[axis * n + k]);
        if (c->kernel == TAC_CLOUD_ANISOTROPIC) {
            const tacReal* m = x + tac_cloud_metric(c) * n + k;
            u = tac_re(m[0]) * d[0] * d[0] + tac_re(m[n]) * d[1] * d[1] +
                tac_re(m[2 * n]) * d[2] * d[2] +
                2.0 * (tac_re(m[3 * n]) * d[0] * d[1] + tac_re(m[4 * n]) * d[0] * d[2] +
                       tac_re(m[5 * n]) * d[1] * d[2]);
        } else {
            u = s->scale * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        }
        score[k] = (c->has_log_amp ? tac_re(x[6 * n + k]) : 0.0) - u;
    }
}

// Squares of the distances to a whole leaf, for clouds without amplitudes and metrics: is any less
// than that of the best?
TAC_INLINE int leaf_squares(const cloudSearch* s, int first, tacReal square[TAC_CLOUD_LEAF]) {
    const tacReal* x = s->b->block + first;
    const tacReal *y = x + s->b->cloud->count, *z = y + s->b->cloud->count;
    wide at[3] = {w_set(s->y[0]), w_set(s->y[1]), w_set(s->y[2])}, best = w_set(s->least);
    wide least = best;
    TAC_UNROLL
    for (int k = 0; k < TAC_CLOUD_LEAF; k += TAC_LANES) {
        wide a = at[0] - w_load(&x[k]), b = at[1] - w_load(&y[k]), c = at[2] - w_load(&z[k]);
        wide d2 = w_fma(a, a, w_fma(b, b, c * c));
        least = w_min(least, d2);
        w_store(&square[k], d2);
    }
    return w_any_negative(least - best);
}

static inline int leaf_count(const cloudSearch* s, int leaf) {
    int rest = s->b->cloud->count - leaf * TAC_CLOUD_LEAF;
    return rest < TAC_CLOUD_LEAF ? rest : TAC_CLOUD_LEAF;
}

// largest of 16, in an order that vectors can take
TAC_INLINE double largest_score(const double score[TAC_CLOUD_LEAF]) {
    double most[4] = {score[0], score[1], score[2], score[3]};
    for (int k = 4; k < TAC_CLOUD_LEAF; k += 4)
        for (int i = 0; i < 4; ++i) most[i] = most[i] > score[k + i] ? most[i] : score[k + i];
    double a = most[0] > most[1] ? most[0] : most[1], b = most[2] > most[3] ? most[2] : most[3];
    return a > b ? a : b;
}

// bit k is set where score[k] > floor
TAC_INLINE unsigned all_above(const double score[TAC_CLOUD_LEAF], double floor) {
    unsigned above = 0;
    TAC_UNROLL
    for (int k = 0; k < TAC_CLOUD_LEAF; k += TAC_LANES)
        above |= b_signs(b_set(floor) - b_load(&score[k])) << k;
    return above;
}

// the first that is no less than `most`, the largest
TAC_INLINE int first_of(const double score[TAC_CLOUD_LEAF], double most) {
    unsigned below = 0;
    TAC_UNROLL
    for (int k = 0; k < TAC_CLOUD_LEAF; k += TAC_LANES)
        below |= b_signs(b_load(&score[k]) - b_set(most)) << k;
    return __builtin_ctz(~below);
}

static void seek_plain(cloudSearch* s, int first) {
    tacReal square[TAC_CLOUD_LEAF];
    if (!leaf_squares(s, first, square)) return;
    double d2[TAC_CLOUD_LEAF];
    for (int k = 0; k < TAC_CLOUD_LEAF; ++k) d2[k] = -tac_re(square[k]);
    double most = largest_score(d2);
    s->best = first + first_of(d2, most);
    s->least = -most;
    s->score = s->scale * most;
}

static void seek_leaf(cloudSearch* s, int leaf) {
    double score[TAC_CLOUD_LEAF];
    int count = leaf_count(s, leaf), first = leaf * TAC_CLOUD_LEAF;
    const tacCloud* c = s->b->cloud;
    if (c->kernel != TAC_CLOUD_ANISOTROPIC && !c->has_log_amp && count == TAC_CLOUD_LEAF) {
        seek_plain(s, first);
        return;
    }
    leaf_scores(s, first, count, score);
    for (int k = 0; k < count; ++k)
        if (score[k] > s->score) s->score = score[k], s->best = first + k;
    s->least = -s->score / s->scale;
}

static void seek_page(cloudSearch* s, int level, int index);

static void seek_child(cloudSearch* s, int level, int child) {
    if (level > 0)
        seek_page(s, level - 1, child);
    else
        seek_leaf(s, child);
}

// the box with the largest bound first, then all that may still hold a better point
static void seek_page(cloudSearch* s, int level, int index) {
    const tacCloudPage* page = &s->page[s->b->levels.first[level] + index];
    double bound[TAC_CLOUD_LEAF];
    TAC_UNROLL
    for (int k = 0; k < TAC_CLOUD_LEAF; k += TAC_LANES) b_store(&bound[k], box_score(s, page, k));
    double most = largest_score(bound);
    if (!(most > s->score)) return;
    int first = first_of(bound, most);
    seek_child(s, level, index * TAC_CLOUD_LEAF + first);
    bound[first] = -INFINITY;
    for (unsigned rest = all_above(bound, s->score); rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest);
        if (bound[k] > s->score) seek_child(s, level, index * TAC_CLOUD_LEAF + k);
    }
}

//---------------------------------- cut-off --------------------------------------

// ln of all that a weight is multiplied by in value, gradient and Hessian, if points with weights
// down to exp(-depth) count: lever arms and slopes
static double log_gain(const cloudSearch* s, double depth) {
    const tacCloudExtent* e = &s->b->extent;
    double steep = s->b->cloud->kernel == TAC_CLOUD_WENDLAND ? TAC_CLOUD_STEEP : 1.0;
    double reach2 = (e->log_amp - s->score + depth) / (e->stiff[0] * s->scale);
    double reach = sqrt(reach2 > 0.0 ? reach2 : 0.0), size = e->size + 2.0 * sqrt(1.0 / s->scale);
    // without metrics, slopes differ by no more than the points do
    double across = s->b->cloud->kernel == TAC_CLOUD_ANISOTROPIC || reach < size ? reach : size;
    double slope = 4.0 * steep * e->stiff[1] * s->scale * across;
    double arm = 2.0 * reach * size / (size + reach);
    return log(4.0 * s->b->cloud->count * (1.0 + size * slope * (2.0 + arm * slope)));
}

static void set_floor(cloudSearch* s) {
    if (s->b->exact) {
        s->floor = s->score - TAC_CLOUD_ZERO - 1e-14 * fabs(s->score); // far away scores round
        return;
    }
    double share = -log(TAC_CLOUD_SHARE), depth = log_gain(s, 128.0) + share;
    if (depth > 128.0) depth = log_gain(s, 1.5 * depth) + share;
    // the last terms: what a Wendland kernel may take from the best point, and rounding
    s->floor = s->score - depth + s->tail - 1e-14 * fabs(s->score);
}

// finds the best point of the cloud at y
static void cloud_seek(cloudSearch* s, const tacBound* b, const tacReal y[3]) {
    double width = tac_re(b->tau);
    *s = (cloudSearch){.b = b, .page = b->page, .score = -INFINITY, .least = INFINITY};
    s->scale = 1.0;
    if (b->cloud->kernel != TAC_CLOUD_ANISOTROPIC) s->scale = 1.0 / (width * width);
    if (b->cloud->kernel == TAC_CLOUD_WENDLAND) s->tail = log(TAC_CLOUD_TAIL / TAC_CLOUD_CREST);
    for (int k = 0; k < 3; ++k) s->y[k] = tac_re(y[k]);
    if (b->exact)
        for (int leaf = 0; leaf < s->b->levels.slots[0]; ++leaf) seek_leaf(s, leaf);
    else
        seek_page(s, s->b->levels.count - 1, 0);
    set_floor(s);
}

//---------------------------------- all that count -------------------------------

// is given leaves [first, end)
typedef void cloudVisit(void* state, int first, int end);

// calls `visit` for all leaves that may hold a point above the floor, in the order of the array
static void cloud_visit(const cloudSearch* s, int level, int index, cloudVisit* visit,
                        void* state) {
    const tacCloudPage* page = &s->page[s->b->levels.first[level] + index];
    unsigned rest = boxes_above(s, page, s->floor);
    while (rest) {
        int first = __builtin_ctz(rest), run = level > 0 ? 1 : __builtin_ctz(~(rest >> first));
        int child = index * TAC_CLOUD_LEAF + first;
        rest &= ~(((1U << run) - 1) << first);
        if (level > 0)
            cloud_visit(s, level - 1, child, visit, state);
        else
            visit(state, child, child + run);
    }
}

static void cloud_each(const cloudSearch* s, cloudVisit* visit, void* state) {
    if (s->b->exact)
        visit(state, 0, s->b->levels.slots[0]);
    else
        cloud_visit(s, s->b->levels.count - 1, 0, visit, state);
}

#endif
