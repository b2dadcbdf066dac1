// A lower bound of phi over a ball of points.
//
// phi is a mean of n_i . (y - p_i) over the planes that count, and n_i . (y - p_i) >= n_i . (c -
// p_i) less the ball's radius. Which planes may count: ssdfBall. Double in all number types.

#ifndef TAC_DETECT_SSDF_BOUND_H
#define TAC_DETECT_SSDF_BOUND_H

#include "detect/ssdf_block.h"

typedef struct boundBall {
    const tacSsdfPlanes* planes;
    ssdfBall ball; // r is the plane nearest to c
    double least;  // bound so far, without the radius
    double enough; // a bound below this is as good as any
} boundBall;

// the ball around box k of a page of the query
static void place_ball(boundBall* b, const tacSsdfQuery* q, const tacPatchPage* page, int k) {
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
    double far = fabs(b->ball.c[0]) + fabs(b->ball.c[1]) + fabs(b->ball.c[2]);
    b->ball.radius = sqrt(square) * (1.0 + 1e-12) + 1e-14 * far;
}

//---------------------------------- planes that may count ------------------------

static void least_of_leaf(boundBall* b, int leaf) {
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
    for (int i = 0; i < count; ++i) b->least = b->least < low[i] ? b->least : low[i];
}

static void least_of_page(boundBall* b, int level, int index) {
    const tacSsdfPlanes* p = b->planes;
    double excess[TAC_CLOUD_LEAF];
    patches_excess(&b->ball, &p->cloud->page[p->levels.first[level] + index], excess);
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
    boundBall b = {.planes = planes, .least = INFINITY};
    int top = planes->levels.count - 1;
    place_ball(&b, query, &query->cloud->page[page], k);
    set_nearest(&b.ball, planes);
    set_ball_limit(&b.ball, planes->depth * tac_re(planes->eps));
    b.enough = enough + b.ball.radius;
    least_of_page(&b, top, 0);
    return b.least - b.ball.radius;
}

#endif
