// Impacts of points on straight lines, by boxes of (t, u, v) that are cut until they hold no root.
//
// The difference of the two features at (t, u, v) is affine in each of t, u, v, so that over a box
// it lies in the hull of its 8 vertex values. A box whose hull, widened by rounding, misses 0 has
// no root. docs/convex.md, eq. (3) to (5).

#include "tactus/ccd.h"

#include <float.h>
#include <math.h>
#include <string.h>

// each cut halves one side; no side is cut more often than it has bits
enum { DEPTH = 160, BITS = 52 };

typedef struct ccdBox {
    double low[3], size[3]; // of t, u, v: whole parts of powers of two, so that no end is rounded
} ccdBox;

typedef struct ccdSearch {
    tacCcdFeatures feature;
    double start[4][3], end[4][3];
    double margin[3]; // rounding and separation, per axis
    double tolerance;
} ccdSearch;

tacCcdOptions tac_default_ccd(void) { return (tacCcdOptions){0.0, 1e-8, 20000}; }

//---------------------------------- one box ----------------------------------

// of finite numbers; the library's are calls
static double min2(double a, double b) { return a < b ? a : b; }
static double max2(double a, double b) { return a > b ? a : b; }

// the four points at a time
static void points_at_time(const ccdSearch* q, double t, double x[4][3]) {
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) x[i][k] = (1.0 - t) * q->start[i][k] + t * q->end[i][k];
    }
}

// difference of the features at (u, v)
static void feature_difference(tacCcdFeatures feature, double x[4][3], double u, double v,
                               double out[3]) {
    for (int k = 0; k < 3; ++k) {
        if (feature == TAC_CCD_VERTEX_FACE)
            out[k] = x[0][k] - (x[1][k] + u * (x[2][k] - x[1][k]) + v * (x[3][k] - x[1][k]));
        else
            out[k] = (1.0 - u) * x[0][k] + u * x[1][k] - ((1.0 - v) * x[2][k] + v * x[3][k]);
    }
}

// bits of the number of a vertex: at the end of t, u, v
static void box_values(const ccdSearch* q, const ccdBox* b, double value[8][3]) {
    for (int end = 0; end < 2; ++end) {
        double x[4][3];
        points_at_time(q, b->low[0] + (end ? b->size[0] : 0.0), x);
        for (int c = end; c < 8; c += 2)
            feature_difference(q->feature, x, b->low[1] + (c & 2 ? b->size[1] : 0.0),
                               b->low[2] + (c & 4 ? b->size[2] : 0.0), value[c]);
    }
}

// May the hull hold 0? `open` tells the axes along which parts of it do not, and `width` is the
// largest side along those.
static int may_contain_zero(const ccdSearch* q, double value[8][3], int open[3], double* width) {
    *width = 0.0;
    for (int k = 0; k < 3; ++k) {
        double low = value[0][k], high = value[0][k];
        for (int c = 1; c < 8; ++c) {
            low = min2(low, value[c][k]);
            high = max2(high, value[c][k]);
        }
        if (low > q->margin[k] || high < -q->margin[k]) return 0;
        open[k] = low < -q->margin[k] || high > q->margin[k];
        if (open[k]) *width = max2(*width, high - low);
    }
    return 1;
}

// is the hull, widened, on one side of the plane across g?
static int is_beside_plane(const ccdSearch* q, double value[8][3], const double g[3]) {
    double low = INFINITY, high = -INFINITY, margin = 0.0, rounded = 0.0;
    for (int k = 0; k < 3; ++k) margin += fabs(g[k]) * q->margin[k];
    for (int c = 0; c < 8; ++c) {
        double sum = 0.0, terms = 0.0;
        for (int k = 0; k < 3; ++k) {
            sum += g[k] * value[c][k];
            terms += fabs(g[k] * value[c][k]);
        }
        low = min2(low, sum);
        high = max2(high, sum);
        rounded = max2(rounded, terms);
    }
    margin = 1.01 * margin + 4.0 * DBL_EPSILON * rounded;
    return low > margin || high < -margin;
}

// Planes across which two of t, u, v do not matter in the middle of the box: there the hull is
// thin.
static int misses_zero(const ccdSearch* q, double value[8][3]) {
    double d[3][3], g[3];
    for (int side = 0; side < 3; ++side) {
        int bit = 1 << side;
        for (int k = 0; k < 3; ++k) {
            d[side][k] = value[7][k] - value[7 ^ bit][k] + value[bit][k] - value[0][k];
        }
    }
    for (int side = 0; side < 3; ++side) {
        const double *a = d[(side + 1) % 3], *b = d[(side + 2) % 3];
        g[0] = a[1] * b[2] - a[2] * b[1];
        g[1] = a[2] * b[0] - a[0] * b[2];
        g[2] = a[0] * b[1] - a[1] * b[0];
        if (is_beside_plane(q, value, g)) return 1;
    }
    return 0;
}

// the side along which the difference changes most, where that is open; -1: no cut helps
static int longest_side(const ccdBox* b, double value[8][3], const int open[3]) {
    int best = -1;
    double most = 0.0;
    for (int side = 0; side < 3; ++side) {
        double change = 0.0;
        for (int c = 0; c < 8; ++c) {
            for (int k = 0; k < 3 && !(c >> side & 1); ++k) {
                if (open[k]) change = max2(change, fabs(value[c | 1 << side][k] - value[c][k]));
            }
        }
        if (b->size[side] > ldexp(1.0, -BITS) && change > most) {
            most = change;
            best = side;
        }
    }
    return best;
}

//---------------------------------- the search ----------------------------------

// the triangle ends at u + v = 1; before `free` there is no root
static int is_root_free(const ccdSearch* q, const ccdBox* b, double no_root_before, double first) {
    if (b->low[0] + b->size[0] < no_root_before || b->low[0] >= first) return 1;
    return q->feature == TAC_CCD_VERTEX_FACE && b->low[1] + b->low[2] > 1.0;
}

// Start of the earliest box of this width that may hold a root; no root is earlier. Infinity: there
// is none. Returns 0 if the passes do not suffice.
static int search_boxes(const ccdSearch* q, double width, int max_passes, double* no_root_before,
                        int* passes) {
    ccdBox stack[DEPTH + 2];
    int count = 1;
    double first = INFINITY;
    stack[0] = (ccdBox){{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}};
    while (count > 0) {
        ccdBox b = stack[--count];
        double value[8][3], wide;
        int open[3];
        if (is_root_free(q, &b, *no_root_before, first)) continue;
        if (++*passes > max_passes) return 0;
        box_values(q, &b, value);
        if (!may_contain_zero(q, value, open, &wide) || misses_zero(q, value)) continue;
        int side = wide <= width ? -1 : longest_side(&b, value, open);
        if (side < 0 || count > DEPTH) {
            first = b.low[0];
            continue;
        }
        b.size[side] *= 0.5;
        stack[count] = stack[count + 1] = b;
        count += 2;
        stack[count - 2].low[side] += b.size[side];
    }
    *no_root_before = max2(*no_root_before, first);
    return 1;
}

// From coarse to fine: where features lie in one another boxes are many, and the last resolution
// that the passes sufficed for is the answer.
static double refine_search(const ccdSearch* q, int max_passes, int* passes) {
    double value[8][3], width = 0.0, no_root_before = 0.0;
    int open[3];
    box_values(q, &(ccdBox){{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}}, value);
    if (!may_contain_zero(q, value, open, &width)) return INFINITY;
    do {
        width = max2(width / 16.0, q->tolerance);
        if (!search_boxes(q, width, max_passes, &no_root_before, passes)) break;
    } while (width > q->tolerance && no_root_before <= 1.0);
    return no_root_before;
}

static int are_finite(const double x[12]) {
    for (int i = 0; i < 12; ++i) {
        if (!(fabs(x[i]) < 1e150)) return 0;
    }
    return 1;
}

// With m the largest coordinate along the axis and e half a unit in the last place of 1: a moved
// point is off by 2 e m (t and 1 - t are exact). Between edges: 4 e m each side, 2 e m for their
// difference. Between vertex and face: 8 e m for each edge of the face, with sums up to 6 m.
static double rounding_bound(const ccdSearch* q, int k) {
    double most = 0.0, count = q->feature == TAC_CCD_EDGE_EDGE ? 10.0 : 34.0;
    for (int i = 0; i < 4; ++i) most = max2(most, max2(fabs(q->start[i][k]), fabs(q->end[i][k])));
    return 1.01 * count * 0.5 * DBL_EPSILON * most;
}

int tac_ccd(tacCcdFeatures feature, const double start[12], const double end[12],
            const tacCcdOptions* options, double* time, int* passes) {
    tacCcdOptions o = options ? *options : tac_default_ccd();
    ccdSearch q = {.feature = feature, .tolerance = max2(o.tolerance, 0.0)};
    int count = 0, known = start && end && are_finite(start) && are_finite(end);
    double first = 0.0;
    if (known) {
        memcpy(q.start, start, sizeof q.start);
        memcpy(q.end, end, sizeof q.end);
        for (int k = 0; k < 3; ++k) q.margin[k] = rounding_bound(&q, k) + max2(o.separation, 0.0);
        first = refine_search(&q, o.max_passes, &count);
    }
    if (passes) *passes = count;
    if (!(first <= 1.0)) return 0;
    if (time) *time = first;
    return 1;
}
