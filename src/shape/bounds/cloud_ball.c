// A ball that holds the solid of a cloud: beyond it the field is positive in every direction, to
// infinity (docs/shapes.md eq. 30). Bounds alone: double, compiled once.
//
// With q = p - c, x = c + s u for s >= S and unit vectors u within alpha of v:
//
//   f_i/s >= n_i . v - alpha |n_i| - max(0, n_i . q_i)/S
//   ln B_i - ln B_m <= (2 S (v . e + alpha |e|) + |q_m|^2 - |q_i|^2)/eps1 + l_i - l_m,  e = p_i -
//   p_m
//
// the latter where v . e + alpha |e| < 0, as it falls with s. A cell of directions is proven if the
// first is positive for every point whose second is above -60. Cells that are not are divided.

#include "shape/bounds/cloud_ball.h"

#include "base/assert.h"

#include <math.h>

#define IGNORE   60.0
#define MARGIN   1e-9
#define DIVISION 6 // of the faces of a cube of directions, at most 2^this along an edge

typedef struct directionCone {
    const tacNodeData* b;
    tacCloudLevels levels;
    double centre[3], S, level, scale, rise; // rise: of a Wendland kernel over its tail
    double v[3], alpha;
    int best;                    // farthest point along v
    double support, q2, log_amp; // of it: v . p, |q|^2, l
    double p[3];
} directionCone;

static double cloud_column(const directionCone* c, int k, int i) {
    return tac_re(c->b->block[(size_t)k * (size_t)c->b->cloud->count + (size_t)i]);
}

//---------------------------------- farthest point -------------------------------

static double box_support(const directionCone* c, const tacCloudPage* page, int k) {
    double support = 0.0;
    for (int axis = 0; axis < 3; ++axis)
        support += c->v[axis] * (c->v[axis] > 0.0 ? page->high[axis][k] : page->low[axis][k]);
    return support;
}

static void find_farthest(directionCone* c, int level, int index) {
    const tacCloudPage* page = &c->b->page[c->levels.first[level] + index];
    for (int k = 0; k < TAC_CLOUD_LEAF; ++k) {
        int child = index * TAC_CLOUD_LEAF + k;
        if (child >= c->levels.slots[level] || box_support(c, page, k) <= c->support) continue;
        if (level > 0) {
            find_farthest(c, level - 1, child);
            continue;
        }
        for (int i = child * TAC_CLOUD_LEAF; i < (child + 1) * TAC_CLOUD_LEAF; ++i) {
            if (i >= c->b->cloud->count) break;
            double support = 0.0;
            for (int axis = 0; axis < 3; ++axis) support += c->v[axis] * cloud_column(c, axis, i);
            if (support > c->support) {
                c->support = support;
                c->best = i;
            }
        }
    }
}

static void set_farthest(directionCone* c) {
    c->support = -INFINITY;
    c->best = 0;
    c->q2 = 0.0;
    find_farthest(c, c->levels.count - 1, 0);
    for (int axis = 0; axis < 3; ++axis) {
        c->p[axis] = cloud_column(c, axis, c->best);
        c->q2 += (c->p[axis] - c->centre[axis]) * (c->p[axis] - c->centre[axis]);
    }
    c->log_amp = c->b->cloud->has_log_amp ? cloud_column(c, 6, c->best) : 0.0;
}

//---------------------------------- one cone -------------------------------------

// may a point with these bounds count anywhere in the cone?
static int may_matter(const directionCone* c, double along, double separation, double q2,
                      double log_amp) {
    double slope = along + c->alpha * separation;
    if (!(slope < 0.0)) return 1;
    return (2.0 * c->S * slope + c->q2 - q2) * c->scale + log_amp - c->log_amp + c->rise >= -IGNORE;
}

// does f - level stay positive?
static int is_above(const directionCone* c, double n_v, double length, double n_q) {
    double over = n_q + c->level;
    return n_v - c->alpha * length - (over > 0.0 ? over / c->S : 0.0) >= MARGIN;
}

static int point_is_positive(const directionCone* c, int i) {
    double along = 0.0, separation = 0.0, q2 = 0.0, n_v = 0.0, n2 = 0.0, n_q = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        double p = cloud_column(c, axis, i), n = cloud_column(c, 3 + axis, i),
               q = p - c->centre[axis];
        double e = p - c->p[axis];
        along += c->v[axis] * e;
        separation += e * e;
        q2 += q * q;
        n_v += n * c->v[axis];
        n2 += n * n;
        n_q += n * q;
    }
    double log_amp = c->b->cloud->has_log_amp ? cloud_column(c, 6, i) : 0.0;
    return is_above(c, n_v, sqrt(n2), n_q) || !may_matter(c, along, sqrt(separation), q2, log_amp);
}

static int box_is_positive(const directionCone* c, const tacCloudPage* page, int k) {
    double separation = 0.0, q2 = 0.0, n_v = 0.0, n2 = 0.0, n_c = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        double low = page->low[axis][k], high = page->high[axis][k], x = c->centre[axis];
        double n_low = page->normal_low[axis][k], n_high = page->normal_high[axis][k];
        double e = fmax(fabs(low - c->p[axis]), fabs(high - c->p[axis]));
        double q = fmax(0.0, fmax(low - x, x - high)), n = fmax(fabs(n_low), fabs(n_high));
        separation += e * e;
        q2 += q * q;
        n2 += n * n;
        n_v += c->v[axis] * (c->v[axis] > 0.0 ? n_low : n_high);
        n_c += x * (x > 0.0 ? n_low : n_high);
    }
    return is_above(c, n_v, sqrt(n2), page->offset_high[k] - n_c) ||
           !may_matter(c, box_support(c, page, k) - c->support, sqrt(separation), q2,
                       page->log_amp[k]);
}

static int page_is_positive(const directionCone* c, int level, int index) {
    const tacCloudPage* page = &c->b->page[c->levels.first[level] + index];
    for (int k = 0; k < TAC_CLOUD_LEAF; ++k) {
        int child = index * TAC_CLOUD_LEAF + k, end = (child + 1) * TAC_CLOUD_LEAF;
        if (child >= c->levels.slots[level] || box_is_positive(c, page, k)) continue;
        if (level > 0 && !page_is_positive(c, level - 1, child)) return 0;
        for (int i = child * TAC_CLOUD_LEAF; level == 0 && i < end; ++i)
            if (i < c->b->cloud->count && !point_is_positive(c, i)) return 0;
    }
    return 1;
}

//---------------------------------- all directions -------------------------------

// direction of a place on a face of the cube [-1, 1]^3
static void cube_direction(int face, double x, double y, double v[3]) {
    double length = sqrt(1.0 + x * x + y * y);
    v[face / 2] = (face % 2 ? -1.0 : 1.0) / length;
    v[(face / 2 + 1) % 3] = x / length;
    v[(face / 2 + 2) % 3] = y / length;
}

// the square around (x, y) with this half edge; a square is farthest from its middle at a corner
static int square_is_positive(directionCone* c, int face, double x, double y, double half) {
    c->alpha = 0.0;
    cube_direction(face, x, y, c->v);
    for (int k = 0; k < 4; ++k) {
        double u[3], square = 0.0;
        cube_direction(face, x + (k & 1 ? half : -half), y + (k & 2 ? half : -half), u);
        for (int axis = 0; axis < 3; ++axis)
            square += (u[axis] - c->v[axis]) * (u[axis] - c->v[axis]);
        c->alpha = fmax(c->alpha, sqrt(square) * (1.0 + 1e-12));
    }
    set_farthest(c);
    if (page_is_positive(c, c->levels.count - 1, 0)) return 1;
    half *= 0.5;
    if (half < ldexp(1.0, -DIVISION)) return 0;
    for (int k = 0; k < 4; ++k)
        if (!square_is_positive(c, face, x + (k & 1 ? half : -half), y + (k & 2 ? half : -half),
                                half))
            return 0;
    return 1;
}

static int sphere_is_positive(directionCone* c) {
    for (int face = 0; face < 6; ++face)
        if (!square_is_positive(c, face, 0.0, 0.0, 1.0)) return 0;
    return 1;
}

tacBall tac_cloud_ball(const tacNodeData* b, double level) {
    static const double tries[] = {0.65, 0.75, 1.0, 1.4, 2.0, 3.0, 4.5, 8.0, 64.0};
    directionCone c = {.b = b, .levels = tac_cloud_levels(b->cloud->count), .level = level};
    double width = tac_re(b->tau);
    for (int axis = 0; axis < 3; ++axis)
        c.centre[axis] = 0.5 * (b->extent.low[axis] + b->extent.high[axis]);
    tacBall ball = {{c.centre[0], c.centre[1], c.centre[2]}, INFINITY};
    if (b->cloud->kernel == TAC_CLOUD_ANISOTROPIC) return ball;
    c.scale = 1.0 / (width * width);
    for (int k = 0; k < TAC_COUNT(tries) && isinf(ball.radius); ++k) {
        c.S = tries[k] * b->extent.size + width;
        // where Wendland's kernel may still reach, it is more than its tail by ln 1117 at most
        int reached = c.S < 0.5 * b->extent.size + 3.06 * width;
        c.rise = b->cloud->kernel == TAC_CLOUD_WENDLAND && reached ? 7.02 : 0.0;
        if (sphere_is_positive(&c)) ball.radius = c.S;
    }
    return ball;
}
