// A lower bound of phi over a ball of points.
//
// phi is a mean of n_i . (y - p_i) over the planes that count, and n_i . (y - p_i) >= n_i . (c -
// p_i) less the ball's radius. Which planes may count: ssdfBall. Double in all number types.

#ifndef TAC_DETECT_SSDF_SSDF_BOUND_INL
#define TAC_DETECT_SSDF_SSDF_BOUND_INL

#include "detect/ssdf/ssdf_block.inl"

typedef struct phiBound {
    const tacSsdfPlanes* planes;
    ssdfBall ball; // r is the plane nearest to c
    double min;    // bound so far, without the radius
    double enough; // a bound below this is as good as any
} phiBound;

// the ball around box k of a page of the query
static void set_query_ball(phiBound* b, const tacSsdfQuery* q, const tacClusterPage* page, int k) {
    double middle[3], t[3] = {tac_re(q->t.x), tac_re(q->t.y), tac_re(q->t.z)}, square = 0.0;
    for (int j = 0; j < 3; ++j) {
        double half = 0.5 * (page->high[j][k] - page->low[j][k]);
        middle[j] = 0.5 * (page->low[j][k] + page->high[j][k]);
        square += half * half;
    }
    for (int i = 0; i < 3; ++i) {
        b->ball.c[i] = t[i];
        for (int j = 0; j < 3; ++j) b->ball.c[i] += tac_re(q->R.m[i][j]) * middle[j];
    }
    double extent = fabs(b->ball.c[0]) + fabs(b->ball.c[1]) + fabs(b->ball.c[2]);
    b->ball.radius = sqrt(square) * (1.0 + 1e-12) + 1e-14 * extent;
}

//---------------------------------- planes that may count ------------------------

static void min_of_leaf(phiBound* b, int leaf) {
    const tacSsdfPlanes* p = b->planes;
    int first = leaf * TAC_CLOUD_LEAF, rest = p->cloud->count - first;
    int count = rest < TAC_CLOUD_LEAF ? rest : TAC_CLOUD_LEAF;
    double low[TAC_CLOUD_LEAF];
    for (int i = 0; i < count; ++i) {
        double square = 0.0, arm = 0.0, f = 0.0;
        for (int j = 0; j < 3; ++j) {
            double x = plane_column(p, j)[first + i], d = b->ball.c[j] - x, e = x - b->ball.r[j];
            square += d * d;
            arm += e * e;
            f += d * plane_column(p, 3 + j)[first + i];
        }
        low[i] = square <= b->ball.limit + 2.0 * b->ball.radius * sqrt(arm) ? f : INFINITY;
    }
    for (int i = 0; i < count; ++i) b->min = b->min < low[i] ? b->min : low[i];
}

static void min_of_page(phiBound* b, int level, int index) {
    const tacSsdfPlanes* p = b->planes;
    double excess[TAC_CLOUD_LEAF];
    patches_excess(&b->ball, &p->cloud->page[p->levels.first[level] + index], excess);
    for (int k = 0; k < TAC_CLOUD_LEAF && !(b->min < b->enough); ++k) {
        if (!(excess[k] <= 0.0)) continue;
        if (level > 0)
            min_of_page(b, level - 1, index * TAC_CLOUD_LEAF + k);
        else
            min_of_leaf(b, index * TAC_CLOUD_LEAF + k);
    }
}

static double phi_lower_bound(const tacSsdfPlanes* planes, const tacSsdfQuery* query, int page,
                              int k, double enough) {
    phiBound b = {.planes = planes, .min = INFINITY};
    int top = planes->levels.count - 1;
    set_query_ball(&b, query, &query->cloud->page[page], k);
    set_nearest(&b.ball, planes);
    set_ball_limit(&b.ball, planes->depth * tac_re(planes->eps));
    b.enough = enough + b.ball.radius;
    min_of_page(&b, top, 0);
    return b.min - b.ball.radius;
}

#endif
