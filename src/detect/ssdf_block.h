// A block of points against the planes of a cloud: which planes count, and their scores.
//
// Lanes are points. With a reference r, a plane near the block, e = p_i - r and d = y - r,
//
//   score_i = (|d|^2 - |y - p_i|^2)/eps1 = (2 d . e - |e|^2)/eps1
//
// so that nothing cancels far away, and what belongs to a plane alone is shared by all lanes. A
// leaf of planes is left out if its box is so far from every point of the block that no weight in
// it exceeds exp(-depth) of the largest. That is decided for the block and by real parts, so it
// is the same for every number type and instruction set.

#ifndef TAC_DETECT_SSDF_BLOCK_H
#define TAC_DETECT_SSDF_BLOCK_H

#include "detect/ssdf.h"
#include "math/wide.h"

#define SSDF_STAGE (TAC_SSDF_BLOCK / TAC_LANES)

#if defined(TAC_SANITIZED)
#define SSDF_UNROLL
#elif defined(__clang__)
#define SSDF_UNROLL _Pragma("unroll")
#else
#define SSDF_UNROLL _Pragma("GCC unroll 8")
#endif

// kept apart from what calls it, so that each has the registers to itself
#define SSDF_APART static __attribute__((noinline, unused))

//---------------------------------- boxes ----------------------------------------

// squares of the distances between a box and the 16 of a page; infinite without points
TAC_INLINE void boxes_square(const tacCloudPage* page, const double low[3], const double high[3],
                             double square[TAC_CLOUD_LEAF]) {
    for (int k = 0; k < TAC_CLOUD_LEAF; ++k) {
        double sum = 0.0;
        for (int axis = 0; axis < 3; ++axis) {
            double under = page->low[axis][k] - high[axis], over = low[axis] - page->high[axis][k];
            double gap = under > over ? under : over;
            gap = gap > 0.0 ? gap : 0.0;
            sum += gap * gap;
        }
        square[k] = sum;
    }
}

// A ball of points around c against planes, of which r is one. A plane that counts for a point y of
// the ball has |y - p|^2 <= |y - r|^2 + reach, so
//   |c - p|^2 <= |c - r|^2 + reach + 2 radius |p - r|
typedef struct ssdfBall {
    double c[3], r[3], radius;
    double limit; // |c - r|^2 + reach, and a little for rounding
} ssdfBall;

static void set_ball_limit(ssdfBall* b, double reach) {
    double square = 0.0;
    for (int j = 0; j < 3; ++j) square += (b->c[j] - b->r[j]) * (b->c[j] - b->r[j]);
    b->limit = square * (1.0 + 1e-12) + reach;
}

// no more than 0 if a plane of box k may count; a plane is as far from r as the box's farthest
// corner at most
TAC_INLINE void boxes_excess(const ssdfBall* b, const tacCloudPage* page,
                             double excess[TAC_CLOUD_LEAF]) {
    double square[TAC_CLOUD_LEAF];
    boxes_square(page, b->c, b->c, square);
    for (int k = 0; k < TAC_CLOUD_LEAF; ++k) {
        double sum = 0.0;
        for (int j = 0; j < 3; ++j) {
            double over = page->high[j][k] - b->r[j], under = b->r[j] - page->low[j][k];
            double span = over > under ? over : under;
            sum += span * span;
        }
        excess[k] = square[k] - b->limit - 2.0 * b->radius * sqrt(sum);
    }
}

//---------------------------------- blocks ---------------------------------------

typedef struct ssdfBlock {
    const tacSsdfPlanes* planes;
    double low[3], high[3];                         // box around the points
    ssdfBall ball;                                  // around it; its r is the reference
    double depth;                                   // ln of weights from which on nothing counts
    wide y[SSDF_STAGE][3], d[SSDF_STAGE][3];        // points, and y - r
    wide slope[SSDF_STAGE][3];                      // 2 d/eps1
    wide square[SSDF_STAGE], best[SSDF_STAGE], inv; // |d|^2, largest score, 1/eps1
    wide limit[SSDF_STAGE];                         // square of the distance that counts
} ssdfBlock;

// planes of a leaf relative to the reference
typedef struct ssdfTile {
    int count;
    const double* n[3];
    double e[3][TAC_CLOUD_LEAF], ee[TAC_CLOUD_LEAF], ne[TAC_CLOUD_LEAF]; // e, |e|^2, n . e
} ssdfTile;

TAC_INLINE const double* plane_column(const tacSsdfPlanes* p, int column) {
    return p->cloud->block + (size_t)column * (size_t)p->cloud->count;
}

TAC_INLINE void fill_tile(const ssdfBlock* b, int leaf, ssdfTile* t) {
    const tacSsdfPlanes* p = b->planes;
    int first = leaf * TAC_CLOUD_LEAF, rest = p->cloud->count - first;
    t->count = rest < TAC_CLOUD_LEAF ? rest : TAC_CLOUD_LEAF;
    const double* x[3];
    for (int k = 0; k < 3; ++k)
        x[k] = plane_column(p, k) + first, t->n[k] = plane_column(p, 3 + k) + first;
    for (int i = 0; i < t->count; ++i) {
        double a = x[0][i] - b->ball.r[0], c = x[1][i] - b->ball.r[1], g = x[2][i] - b->ball.r[2];
        t->e[0][i] = a, t->e[1][i] = c, t->e[2][i] = g;
        t->ee[i] = a * a + c * c + g * g;
        t->ne[i] = t->n[0][i] * a + t->n[1][i] * c + t->n[2][i] * g;
    }
}

TAC_INLINE wide tile_score(const ssdfBlock* b, const ssdfTile* t, int i, int u) {
    const wide* s = b->slope[u];
    wide score = w_fma(w_set(t->e[0][i]), s[0], -w_set(t->ee[i]) * b->inv);
    return w_fma(w_set(t->e[1][i]), s[1], w_fma(w_set(t->e[2][i]), s[2], score));
}

// n_i . (y - p_i)
TAC_INLINE wide tile_distance(const ssdfBlock* b, const ssdfTile* t, int i, int u) {
    const wide* d = b->d[u];
    wide f = w_fma(w_set(t->n[0][i]), d[0], -w_set(t->ne[i]));
    return w_fma(w_set(t->n[1][i]), d[1], w_fma(w_set(t->n[2][i]), d[2], f));
}

// ln of the weights of plane i in units of the largest; no more than 0 but for rounding, which far
// away may be large. Does the plane count for any point?
TAC_INLINE int tile_scores(const ssdfBlock* b, const ssdfTile* t, int i, wide score[SSDF_STAGE]) {
    int any = 0;
    SSDF_UNROLL
    for (int u = 0; u < SSDF_STAGE; ++u) {
        score[u] = w_min(tile_score(b, t, i, u) - b->best[u], w_set(30.0));
        any |= w_any_negative(w_set(-b->depth) - score[u]);
    }
    return any;
}

// is box k within reach of a point?
TAC_INLINE int box_counts(const ssdfBlock* b, const tacCloudPage* page, int k) {
    int any = 0;
    for (int u = 0; u < SSDF_STAGE; ++u) {
        wide square = -b->limit[u];
        for (int axis = 0; axis < 3; ++axis) {
            wide at = b->y[u][axis];
            wide gap = w_max(w_set(page->low[axis][k]) - at, at - w_set(page->high[axis][k]));
            gap = w_max(gap, w_set(0.0));
            square = w_fma(gap, gap, square);
        }
        any |= w_any_negative(square);
    }
    return any;
}

//---------------------------------- the nearest plane ----------------------------

static int smallest_of(const double square[TAC_CLOUD_LEAF]) {
    int best = 0;
    for (int k = 1; k < TAC_CLOUD_LEAF; ++k)
        if (square[k] < square[best]) best = k;
    return best;
}

// a plane near the middle of the block, by the nearest box of each level
static int seed_plane(const tacSsdfPlanes* p, const double at[3]) {
    double square[TAC_CLOUD_LEAF];
    int index = 0;
    for (int level = p->levels.count - 1; level >= 0; --level) {
        boxes_square(&p->cloud->page[p->levels.first[level] + index], at, at, square);
        index = index * TAC_CLOUD_LEAF + smallest_of(square);
    }
    int first = index * TAC_CLOUD_LEAF, best = first;
    double least = INFINITY;
    for (int i = first; i < first + TAC_CLOUD_LEAF && i < p->cloud->count; ++i) {
        double sum = 0.0;
        for (int k = 0; k < 3; ++k) {
            double gap = plane_column(p, k)[i] - at[k];
            sum += gap * gap;
        }
        if (sum < least) least = sum, best = i;
    }
    return best;
}

SSDF_APART void nearest_leaf(ssdfBlock* b, int leaf) {
    ssdfTile t;
    fill_tile(b, leaf, &t);
    for (int i = 0; i < t.count; ++i)
        for (int u = 0; u < SSDF_STAGE; ++u)
            b->best[u] = w_max(b->best[u], tile_score(b, &t, i, u));
}

static void nearest_page(ssdfBlock* b, int level, int index) {
    const tacSsdfPlanes* p = b->planes;
    double excess[TAC_CLOUD_LEAF];
    boxes_excess(&b->ball, &p->cloud->page[p->levels.first[level] + index], excess);
    for (int k = 0; k < TAC_CLOUD_LEAF; ++k) {
        if (!(excess[k] <= 0.0)) continue;
        if (level > 0)
            nearest_page(b, level - 1, index * TAC_CLOUD_LEAF + k);
        else
            nearest_leaf(b, index * TAC_CLOUD_LEAF + k);
    }
}

// squares of the distances that count; the slack is for rounding
static void set_limits(ssdfBlock* b) {
    double reach = b->planes->depth * tac_re(b->planes->eps);
    set_ball_limit(&b->ball, reach);
    for (int u = 0; u < SSDF_STAGE; ++u)
        b->limit[u] = w_fma(b->square[u], w_set(1.0 + 1e-14),
                            w_fma(-b->best[u], w_set(b->planes->eps), w_set(reach)));
}

// the ball around the box of points, and its plane
static void set_ball(ssdfBlock* b) {
    double square = 0.0, far = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        double half = 0.5 * (b->high[axis] - b->low[axis]);
        b->ball.c[axis] = 0.5 * (b->low[axis] + b->high[axis]);
        square += half * half, far += fabs(b->ball.c[axis]);
    }
    b->ball.radius = sqrt(square) * (1.0 + 1e-12) + 1e-14 * far;
    int seed = seed_plane(b->planes, b->ball.c);
    for (int axis = 0; axis < 3; ++axis) b->ball.r[axis] = plane_column(b->planes, axis)[seed];
    set_ball_limit(&b->ball, 0.0);
}

// points y[axis][k] of a block, the last repeated to fill it
static void block_begin(ssdfBlock* b, const tacSsdfPlanes* planes,
                        const tacReal y[3][TAC_SSDF_BLOCK]) {
    b->planes = planes;
    b->depth = planes->exact ? INFINITY : planes->depth;
    for (int axis = 0; axis < 3; ++axis) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < TAC_SSDF_BLOCK; ++k) {
            double at = tac_re(y[axis][k]);
            low = low < at ? low : at, high = high > at ? high : at;
        }
        b->low[axis] = low, b->high[axis] = high;
    }
    set_ball(b);
    b->inv = w_set(1.0 / planes->eps);
    for (int u = 0; u < SSDF_STAGE; ++u) {
        b->square[u] = b->best[u] = w_set(0.0);
        for (int axis = 0; axis < 3; ++axis) {
            b->y[u][axis] = w_load(&y[axis][u * TAC_LANES]);
            b->d[u][axis] = b->y[u][axis] - w_set(b->ball.r[axis]);
            b->slope[u][axis] = 2.0 * b->d[u][axis] * b->inv;
            b->square[u] = w_fma(b->d[u][axis], b->d[u][axis], b->square[u]);
        }
    }
    if (planes->exact) {
        for (int leaf = 0; leaf < planes->levels.slots[0]; ++leaf) nearest_leaf(b, leaf);
        return;
    }
    nearest_page(b, planes->levels.count - 1, 0);
    set_limits(b);
}

//---------------------------------- all that count -------------------------------

typedef void ssdfVisit(void* sums, const ssdfBlock* b, int leaf);

static void visit_page(const ssdfBlock* b, int level, int index, ssdfVisit* visit, void* sums) {
    const tacSsdfPlanes* p = b->planes;
    const tacCloudPage* page = &p->cloud->page[p->levels.first[level] + index];
    double excess[TAC_CLOUD_LEAF];
    boxes_excess(&b->ball, page, excess);
    for (int k = 0; k < TAC_CLOUD_LEAF; ++k) {
        if (!(excess[k] <= 0.0)) continue;
        if (level > 0)
            visit_page(b, level - 1, index * TAC_CLOUD_LEAF + k, visit, sums);
        else if (box_counts(b, page, k))
            visit(sums, b, index * TAC_CLOUD_LEAF + k);
    }
}

// calls visit for all leaves that may hold a plane that counts, in the order of the array
static void block_each(const ssdfBlock* b, ssdfVisit* visit, void* sums) {
    if (b->planes->exact)
        for (int leaf = 0; leaf < b->planes->levels.slots[0]; ++leaf) visit(sums, b, leaf);
    else
        visit_page(b, b->planes->levels.count - 1, 0, visit, sums);
}

//---------------------------------- points ---------------------------------------

// Points at[first], … of the query (NULL: numbers first, …) as a block; returns how many are new.
TAC_INLINE int take_points(const tacSsdfQuery* q, const int* at, int first, int count,
                           tacReal y[3][TAC_SSDF_BLOCK]) {
    const double* x = q->cloud->block;
    size_t n = (size_t)q->cloud->count;
    int rest = count - first, used = rest < TAC_SSDF_BLOCK ? rest : TAC_SSDF_BLOCK;
    tacReal t[3] = {q->t.x, q->t.y, q->t.z};
    for (int k = 0; k < TAC_SSDF_BLOCK; ++k) {
        int i = first + (k < used ? k : used - 1);
        size_t p = (size_t)(at ? at[i] : i);
        for (int axis = 0; axis < 3; ++axis)
            y[axis][k] = t[axis] + (q->R.m[axis][0] * x[p] + q->R.m[axis][1] * x[n + p] +
                                    q->R.m[axis][2] * x[2 * n + p]);
    }
    return used;
}

#endif
