// A lower bound of phi over a ball of points.
//
// phi is a mean of n_i . (y - p_i) over the planes that count. Let c be the middle of the ball, s
// its radius and m the plane nearest to c. A plane that counts for a point y of the ball has
//
//   |y - p_i|^2 <= |y - p_m|^2 + reach,  so  |c - p_i|^2 <= |c - p_m|^2 + reach + 2 s |p_i - p_m|
//
// and n_i . (y - p_i) >= n_i . (c - p_i) - s. Double in all number types.

#ifndef TAC_DETECT_SSDF_BOUND_H
#define TAC_DETECT_SSDF_BOUND_H

#include "detect/ssdf_block.h"

typedef struct boundBall {
    const tacSsdfPlanes* planes;
    double c[3], radius;  // in the axes of the planes
    double m[3], nearest; // nearest plane, square of its distance
    double limit;         // nearest + reach
    double least;         // bound so far, without the radius
    double enough;        // a bound below this is as good as any
} boundBall;

// the ball around box k of a page of the query
static void place_ball(boundBall* b, const tacSsdfQuery* q, const tacCloudPage* page, int k) {
    double middle[3], t[3] = {tac_re(q->t.x), tac_re(q->t.y), tac_re(q->t.z)}, square = 0.0;
    for (int j = 0; j < 3; ++j) {
        double half = 0.5 * (page->high[j][k] - page->low[j][k]);
        middle[j] = 0.5 * (page->low[j][k] + page->high[j][k]);
        square += half * half;
    }
    for (int i = 0; i < 3; ++i) {
        b->c[i] = t[i];
        for (int j = 0; j < 3; ++j) b->c[i] += tac_re(q->R.m[i][j]) * middle[j];
    }
    double far = fabs(b->c[0]) + fabs(b->c[1]) + fabs(b->c[2]);
    b->radius = sqrt(square) * (1.0 + 1e-12) + 1e-14 * far;
}

//---------------------------------- the nearest plane ----------------------------

static void nearest_of_leaf(boundBall* b, int leaf) {
    const tacSsdfPlanes* p = b->planes;
    int first = leaf * TAC_CLOUD_LEAF, end = first + TAC_CLOUD_LEAF;
    const double *x = plane_column(p, 0), *y = plane_column(p, 1), *z = plane_column(p, 2);
    for (int i = first; i < end && i < p->cloud->count; ++i) {
        double u = x[i] - b->c[0], v = y[i] - b->c[1], w = z[i] - b->c[2];
        double square = u * u + v * v + w * w;
        if (square < b->nearest)
            b->nearest = square, b->m[0] = x[i], b->m[1] = y[i], b->m[2] = z[i];
    }
}

static void nearest_of_page(boundBall* b, int level, int index);

static void nearest_of_box(boundBall* b, int level, int index) {
    if (level > 0)
        nearest_of_page(b, level - 1, index);
    else
        nearest_of_leaf(b, index);
}

// the nearest box first
static void nearest_of_page(boundBall* b, int level, int index) {
    const tacSsdfPlanes* p = b->planes;
    double square[TAC_CLOUD_LEAF];
    boxes_square(&p->cloud->page[p->levels.first[level] + index], b->c, b->c, square);
    int first = smallest_of(square);
    if (square[first] < b->nearest) nearest_of_box(b, level, index * TAC_CLOUD_LEAF + first);
    for (int k = 0; k < TAC_CLOUD_LEAF; ++k)
        if (k != first && square[k] < b->nearest)
            nearest_of_box(b, level, index * TAC_CLOUD_LEAF + k);
}

//---------------------------------- planes that may count ------------------------

// may a plane of box k count? Its distance from m is that of the box's farthest corner at most.
TAC_INLINE void boxes_near(const boundBall* b, const tacCloudPage* page,
                           double excess[TAC_CLOUD_LEAF]) {
    double square[TAC_CLOUD_LEAF];
    boxes_square(page, b->c, b->c, square);
    for (int k = 0; k < TAC_CLOUD_LEAF; ++k) {
        double sum = 0.0;
        for (int j = 0; j < 3; ++j) {
            double over = page->high[j][k] - b->m[j], under = b->m[j] - page->low[j][k];
            double span = over > under ? over : under;
            sum += span * span;
        }
        excess[k] = square[k] - b->limit - 2.0 * b->radius * sqrt(sum);
    }
}

static void least_of_leaf(boundBall* b, int leaf) {
    const tacSsdfPlanes* p = b->planes;
    int first = leaf * TAC_CLOUD_LEAF, rest = p->cloud->count - first;
    int count = rest < TAC_CLOUD_LEAF ? rest : TAC_CLOUD_LEAF;
    double low[TAC_CLOUD_LEAF];
    for (int i = 0; i < count; ++i) {
        double square = 0.0, arm = 0.0, f = 0.0;
        for (int j = 0; j < 3; ++j) {
            double x = plane_column(p, j)[first + i], d = b->c[j] - x, e = x - b->m[j];
            square += d * d, arm += e * e, f += d * plane_column(p, 3 + j)[first + i];
        }
        low[i] = square <= b->limit + 2.0 * b->radius * sqrt(arm) ? f : INFINITY;
    }
    for (int i = 0; i < count; ++i) b->least = b->least < low[i] ? b->least : low[i];
}

static void least_of_page(boundBall* b, int level, int index) {
    const tacSsdfPlanes* p = b->planes;
    double excess[TAC_CLOUD_LEAF];
    boxes_near(b, &p->cloud->page[p->levels.first[level] + index], excess);
    for (int k = 0; k < TAC_CLOUD_LEAF && !(b->least < b->enough); ++k) {
        if (!(excess[k] <= 0.0)) continue;
        if (level > 0)
            least_of_page(b, level - 1, index * TAC_CLOUD_LEAF + k);
        else
            least_of_leaf(b, index * TAC_CLOUD_LEAF + k);
    }
}

static double least_phi(const tacSsdfPlanes* planes, const tacSsdfQuery* query, int page, int k,
                        double enough) {
    boundBall b = {.planes = planes, .nearest = INFINITY, .least = INFINITY};
    int top = planes->levels.count - 1;
    place_ball(&b, query, &query->cloud->page[page], k);
    nearest_of_page(&b, top, 0);
    b.limit = b.nearest * (1.0 + 1e-12) + planes->depth * tac_re(planes->eps);
    b.enough = enough + b.radius;
    least_of_page(&b, top, 0);
    return b.least - b.radius;
}

#endif
