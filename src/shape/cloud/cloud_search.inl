// Which points of a cloud count at a point: the one with the largest weight, then all within the
// cut-off below it.
//
// Decisions look at real parts and at one point alone, so that neither number type nor batch nor
// threads change them. Cut-off: docs/shapes.md eq. 28.

#ifndef TAC_SHAPE_CLOUD_CLOUD_SEARCH_INL
#define TAC_SHAPE_CLOUD_CLOUD_SEARCH_INL

#include "shape/cloud/cloud_index.h"
#include "shape/local_field.inl"

typedef struct cloudSearch {
    const tacNodeData* b;
    const tacCloudPage* page;
    double y[3];
    double scale;               // 1/eps1, or 1 where metrics say it
    int plain;                  // without metrics and amplitudes?
    double top[TAC_CLOUD_LEAF]; // bounds of ln B in the boxes of the uppermost page
    int seen;                   // the page of leaves that was looked into first, and its bounds
    double bound[TAC_CLOUD_LEAF];
    int best; // point with the largest ln B up to the kernel's shape, and that number
    double score, min_square; // -score/scale
    double cutoff;            // what lies below does not count
} cloudSearch;

//---------------------------------- bounds of boxes ------------------------------

// boxes are doubles in all number types, in vectors where there are any
#if TAC_LANES == 1
typedef double boxes;
TAC_INLINE boxes b_set(double x) { return x; }
TAC_INLINE boxes b_load(const double* p) { return *p; }
TAC_INLINE void b_store(double* p, boxes x) { *p = x; }
TAC_INLINE boxes b_point(const tacReal* p) { return tac_re(*p); }
TAC_INLINE boxes b_max(boxes a, boxes b) { return a > b ? a : b; }
TAC_INLINE boxes b_min(boxes a, boxes b) { return a < b ? a : b; }
TAC_INLINE boxes b_fma(boxes a, boxes b, boxes c) { return a * b + c; }
TAC_INLINE unsigned b_signs(boxes x) { return x < 0.0; }
#else
typedef wide boxes;
TAC_INLINE boxes b_set(double x) { return w_set(x); }
TAC_INLINE boxes b_load(const double* p) { return w_load(p); }
TAC_INLINE void b_store(double* p, boxes x) { w_store(p, x); }
TAC_INLINE boxes b_point(const tacReal* p) { return w_load(p); }
TAC_INLINE boxes b_max(boxes a, boxes b) { return w_max(a, b); }
TAC_INLINE boxes b_min(boxes a, boxes b) { return w_min(a, b); }
TAC_INLINE boxes b_fma(boxes a, boxes b, boxes c) { return w_fma(a, b, c); }
TAC_INLINE unsigned b_signs(boxes x) { return w_signs(x); }
#endif

// square of the distance to boxes k, k + 1, …
TAC_INLINE boxes box_square(const tacCloudPage* page, const double y[3], int k) {
    boxes square = b_set(0.0);
    for (int axis = 0; axis < 3; ++axis) {
        boxes at = b_set(y[axis]);
        boxes over = b_max(b_load(&page->low[axis][k]) - at, at - b_load(&page->high[axis][k]));
        over = b_max(over, b_set(0.0));
        square = b_fma(over, over, square);
    }
    return square;
}

// no point in these boxes has a larger ln B, taken without a Wendland kernel's shape
TAC_INLINE boxes box_score(const cloudSearch* s, const tacCloudPage* page, int k) {
    if (s->plain) return b_set(-s->scale) * box_square(page, s->y, k);
    boxes metric_eig = b_load(&page->metric_eig[k]) * b_set(s->scale);
    return b_load(&page->log_amp[k]) - metric_eig * box_square(page, s->y, k);
}

TAC_INLINE void box_scores(const cloudSearch* s, const tacCloudPage* page,
                           double score[TAC_CLOUD_LEAF]) {
    TAC_UNROLL
    for (int k = 0; k < TAC_CLOUD_LEAF; k += TAC_LANES) b_store(&score[k], box_score(s, page, k));
}

// bit k is set if box k may hold something above `floor`
TAC_INLINE unsigned boxes_above(const cloudSearch* s, const tacCloudPage* page, double cutoff) {
    unsigned above = 0;
    TAC_UNROLL
    for (int k = 0; k < TAC_CLOUD_LEAF; k += TAC_LANES)
        above |= b_signs(b_set(cutoff) - box_score(s, page, k)) << k;
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
            const tacReal* m = x + tac_cloud_metric_offset(c) * n + k;
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
TAC_INLINE unsigned all_above(const double score[TAC_CLOUD_LEAF], double cutoff) {
    unsigned above = 0;
    TAC_UNROLL
    for (int k = 0; k < TAC_CLOUD_LEAF; k += TAC_LANES)
        above |= b_signs(b_set(cutoff) - b_load(&score[k])) << k;
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

// of a whole leaf without amplitudes and metrics
static void find_best_plain(cloudSearch* s, int first) {
    const tacReal* x = s->b->block + first;
    const tacReal *y = x + s->b->cloud->count, *z = y + s->b->cloud->count;
    boxes at[3] = {b_set(s->y[0]), b_set(s->y[1]), b_set(s->y[2])};
    boxes square[TAC_CLOUD_LEAF / TAC_LANES], min_square = b_set(s->min_square);
    TAC_UNROLL
    for (int k = 0; k < TAC_CLOUD_LEAF; k += TAC_LANES) {
        boxes a = at[0] - b_point(&x[k]), b = at[1] - b_point(&y[k]), c = at[2] - b_point(&z[k]);
        square[k / TAC_LANES] = b_fma(a, a, b_fma(b, b, c * c));
        min_square = b_min(min_square, square[k / TAC_LANES]);
    }
    if (!b_signs(min_square - b_set(s->min_square))) return;
    double lanes[TAC_LANES];
    unsigned above = 0;
    b_store(lanes, min_square);
    for (int l = 0; l < TAC_LANES; ++l)
        s->min_square = lanes[l] < s->min_square ? lanes[l] : s->min_square;
    TAC_UNROLL
    for (int k = 0; k < TAC_CLOUD_LEAF; k += TAC_LANES)
        above |= b_signs(b_set(s->min_square) - square[k / TAC_LANES]) << k;
    s->best = first + __builtin_ctz(~above);
    s->score = -s->scale * s->min_square;
}

static void find_best_in_leaf(cloudSearch* s, int leaf) {
    double score[TAC_CLOUD_LEAF];
    int count = leaf_count(s, leaf), first = leaf * TAC_CLOUD_LEAF;
    if (s->plain && count == TAC_CLOUD_LEAF) {
        find_best_plain(s, first);
        return;
    }
    leaf_scores(s, first, count, score);
    for (int k = 0; k < count; ++k)
        if (score[k] > s->score) {
            s->score = score[k];
            s->best = first + k;
        }
    s->min_square = -s->score / s->scale;
}

static void find_best_in_page(cloudSearch* s, int level, int index);

static void find_best_in_child(cloudSearch* s, int level, int child) {
    if (level > 0)
        find_best_in_page(s, level - 1, child);
    else
        find_best_in_leaf(s, child);
}

// the box with the largest bound first, then all that may still hold a better point
TAC_INLINE void find_best_in_boxes(cloudSearch* s, int level, int index,
                                   const double bound[TAC_CLOUD_LEAF]) {
    double most = largest_score(bound);
    if (!(most > s->score)) return;
    int first = first_of(bound, most);
    find_best_in_child(s, level, index * TAC_CLOUD_LEAF + first);
    for (unsigned rest = all_above(bound, s->score) & ~(1U << first); rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest);
        if (bound[k] > s->score) find_best_in_child(s, level, index * TAC_CLOUD_LEAF + k);
    }
}

static const tacCloudPage* page_at(const cloudSearch* s, int level, int index) {
    return &s->page[s->b->levels.first[level] + index];
}

static void find_best_in_page(cloudSearch* s, int level, int index) {
    double own[TAC_CLOUD_LEAF], *bound = own;
    if (level == 0 && s->seen < 0) {
        s->seen = index;
        bound = s->bound;
    }
    box_scores(s, page_at(s, level, index), bound);
    find_best_in_boxes(s, level, index, bound);
}

static void find_best_point(cloudSearch* s) {
    int level = s->b->levels.count - 1;
    box_scores(s, page_at(s, level, 0), s->top);
    find_best_in_boxes(s, level, 0, s->top);
}

//---------------------------------- cut-off --------------------------------------

// `cut` below the largest ln B, and more where that is below the largest amplitude: gains rise by
// no more than the power 3/2 of R^2 (docs/shapes.md eq. 28a).
static void set_cutoff(cloudSearch* s) {
    double cutoff_depth = s->b->cutoff_depth,
           over = (s->b->extent.log_amp - s->score) / cutoff_depth;
    double more =
        over <= 1.0 ? 1.5 * cutoff_depth / (cutoff_depth - 1.5) * over : 1.5 * log1p(2.0 * over);
    double depth = s->b->exact ? TAC_CLOUD_ZERO : cutoff_depth + more;
    s->cutoff = s->score - depth - 1e-14 * fabs(s->score); // far away scores round
}

// finds the best point of the cloud at y
static void cloud_find_best(cloudSearch* s, const tacNodeData* b, const tacReal y[3]) {
    s->b = b;
    s->page = b->page;
    s->scale = tac_re(b->inv_eps);
    s->plain = b->cloud->kernel != TAC_CLOUD_ANISOTROPIC && !b->cloud->has_log_amp;
    s->best = 0;
    s->seen = -1;
    s->score = -INFINITY;
    s->min_square = INFINITY;
    for (int k = 0; k < 3; ++k) s->y[k] = tac_re(y[k]);
    if (b->exact)
        for (int leaf = 0; leaf < s->b->levels.slots[0]; ++leaf) find_best_in_leaf(s, leaf);
    else
        find_best_point(s);
    set_cutoff(s);
}

//---------------------------------- all that count -------------------------------

// is given leaves, in the order of the array, up to TAC_CLOUD_BATCH at a time
typedef void cloudVisit(void* state, const int* leaf, int count);
#define TAC_CLOUD_BATCH 48

typedef struct cloudLeaves {
    cloudVisit* visit;
    void* state;
    int count, leaf[TAC_CLOUD_BATCH];
} cloudLeaves;

static int is_full(const cloudLeaves* l) { return l->count > TAC_CLOUD_BATCH - TAC_CLOUD_LEAF; }

static void flush_leaves(cloudLeaves* l) {
    if (l->count > 0) l->visit(l->state, l->leaf, l->count);
    l->count = 0;
}

// of a page, those that may hold something above the floor
static unsigned boxes_within(const cloudSearch* s, int level, int index) {
    if (level == 0 && index == s->seen) return all_above(s->bound, s->cutoff);
    return boxes_above(s, page_at(s, level, index), s->cutoff);
}

// all leaves in the boxes `rest` that may hold a point above the floor
static void list_boxes(const cloudSearch* s, int level, int index, unsigned rest, cloudLeaves* l) {
    for (; rest; rest &= rest - 1) {
        int child = index * TAC_CLOUD_LEAF + __builtin_ctz(rest);
        if (level > 0)
            list_boxes(s, level - 1, child, boxes_within(s, level - 1, child), l);
        else
            l->leaf[l->count++] = child;
    }
    if (is_full(l)) flush_leaves(l);
}

static void list_all_leaves(const cloudSearch* s, cloudLeaves* l) {
    for (int leaf = 0; leaf < s->b->levels.slots[0]; ++leaf) {
        l->leaf[l->count++] = leaf;
        if (is_full(l)) flush_leaves(l);
    }
}

// calls `visit` for all leaves that may hold a point above the floor
static void cloud_visit_leaves(const cloudSearch* s, cloudVisit* visit, void* state) {
    cloudLeaves l;
    l.visit = visit;
    l.state = state;
    l.count = 0;
    if (s->b->exact)
        list_all_leaves(s, &l);
    else
        list_boxes(s, s->b->levels.count - 1, 0, all_above(s->top, s->cutoff), &l);
    flush_leaves(&l);
}

#endif
