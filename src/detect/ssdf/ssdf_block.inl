// A block of points against the planes of a cloud: which planes count, and their scores.
//
// Lanes are points. With a reference r, a plane near the block, e = p_i - r and d = y - r,
//
//   score_i = (|d|^2 - |y - p_i|^2)/eps1 = (2 d . e - |e|^2)/eps1
//
// and ln of the amplitude of a cloud with its own kernel, 0 and more. So the best is 0 at least,
// nothing cancels far away, and what belongs to a plane alone is shared by all lanes. A
// leaf of planes is left out if its box is so far from every point of the block that no weight in
// it exceeds exp(-depth) of the largest. That is decided for the block and by real parts, so it
// is the same for every number type and instruction set.

#ifndef TAC_DETECT_SSDF_SSDF_BLOCK_INL
#define TAC_DETECT_SSDF_SSDF_BLOCK_INL

#include "detect/ssdf/ssdf.h"
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
#define SSDF_NOINLINE static __attribute__((noinline, unused))

//---------------------------------- patches --------------------------------------

// squares of the distances of a place from the 16 of a page, or less; infinite without points
TAC_INLINE void patches_square(const tacClusterPage* page, const double at[3],
                               double square[TAC_CLOUD_LEAF]) {
    for (int k = 0; k < TAC_CLOUD_LEAF; ++k) {
        double box = 0.0, distance2 = 0.0, up = 0.0;
        for (int j = 0; j < 3; ++j) {
            double under = page->low[j][k] - at[j], over = at[j] - page->high[j][k];
            double gap = under > over ? under : over, d = at[j] - page->middle[j][k];
            gap = gap > 0.0 ? gap : 0.0;
            box += gap * gap;
            distance2 += d * d;
            up += d * page->axis[j][k];
        }
        // height over the disc, distance from its rim
        double out = distance2 - up * up, height = fabs(up) - page->half[k];
        double side = sqrt(out > 0.0 ? out : 0.0) - page->width[k];
        height = height > 0.0 ? height : 0.0;
        side = side > 0.0 ? side : 0.0;
        double disc = height * height + side * side;
        square[k] = disc > box ? disc : box;
    }
}

// A ball of points around c against planes, of which r is one. A plane that counts for a point y of
// the ball has |y - p|^2 <= |y - r|^2 + reach, so
//   |c - p|^2 <= |c - r|^2 + reach + 2 radius |p - r|
typedef struct ssdfBall {
    double c[3], r[3], radius;
    double limit; // |c - r|^2 + reach, and a little for rounding
} ssdfBall;

static void set_ball_limit(ssdfBall* b, double cutoff) {
    double square = 0.0;
    for (int j = 0; j < 3; ++j) square += (b->c[j] - b->r[j]) * (b->c[j] - b->r[j]);
    b->limit = square * (1.0 + 1e-12) + cutoff;
}

// no more than 0 if a plane of patch k may count; none is farther from r than its whole ball
TAC_INLINE void patches_excess(const ssdfBall* b, const tacClusterPage* page,
                               double excess[TAC_CLOUD_LEAF]) {
    double square[TAC_CLOUD_LEAF];
    patches_square(page, b->c, square);
    for (int k = 0; k < TAC_CLOUD_LEAF; ++k) {
        double sum = 0.0;
        for (int j = 0; j < 3; ++j) {
            double d = page->middle[j][k] - b->r[j];
            sum += d * d;
        }
        excess[k] = square[k] - b->limit - 2.0 * b->radius * (sqrt(sum) + page->radius[k]);
    }
}

//---------------------------------- blocks ---------------------------------------

// leaves that may hold a plane that counts, in the order of the array: a run of them
#define SSDF_LEAVES 64
typedef struct ssdfList {
    int from, next; // first leaf that was looked at, first of the next run (-1: none)
    int count, leaf[SSDF_LEAVES];
    double excess[SSDF_LEAVES];
} ssdfList;

typedef struct ssdfBlock {
    const tacSsdfPlanes* planes;
    ssdfList list;
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
    const double *reach, *inv_depth2;                // of planes that end, else NULL
    double e[3][TAC_CLOUD_LEAF], ne[TAC_CLOUD_LEAF]; // e, n . e
    tacReal square_term[TAC_CLOUD_LEAF];             // -|e|^2/eps1
} ssdfTile;

TAC_INLINE const double* plane_column(const tacSsdfPlanes* p, int column) {
    return p->cloud->block + (size_t)column * (size_t)p->cloud->count;
}

TAC_INLINE void fill_tile(const ssdfBlock* b, int leaf, ssdfTile* t) {
    const tacSsdfPlanes* p = b->planes;
    int first = leaf * TAC_CLOUD_LEAF, rest = p->cloud->count - first;
    t->count = rest < TAC_CLOUD_LEAF ? rest : TAC_CLOUD_LEAF;
    tacReal inv = -1.0 / p->eps;
    const double* x[3];
    t->reach = p->cloud->is_cut_off ? p->cloud->reach + first : NULL;
    t->inv_depth2 = p->cloud->inv_depth2 + first;
    for (int k = 0; k < 3; ++k) {
        x[k] = plane_column(p, k) + first;
        t->n[k] = plane_column(p, 3 + k) + first;
    }
    for (int i = 0; i < t->count; ++i) {
        double a = x[0][i] - b->ball.r[0], c = x[1][i] - b->ball.r[1], g = x[2][i] - b->ball.r[2];
        t->e[0][i] = a;
        t->e[1][i] = c;
        t->e[2][i] = g;
        t->square_term[i] = inv * (a * a + c * c + g * g);
        if (p->cloud->log_amp) t->square_term[i] += p->cloud->log_amp[first + i];
        t->ne[i] = t->n[0][i] * a + t->n[1][i] * c + t->n[2][i] * g;
    }
}

TAC_INLINE wide tile_score(const ssdfBlock* b, const ssdfTile* t, int i, int u) {
    const wide* s = b->slope[u];
    wide score = w_fma(w_set(t->e[0][i]), s[0], w_set(t->square_term[i]));
    return w_fma(w_set(t->e[1][i]), s[1], w_fma(w_set(t->e[2][i]), s[2], score));
}

// n_i . (y - p_i)
TAC_INLINE wide tile_distance(const ssdfBlock* b, const ssdfTile* t, int i, int u) {
    const wide* d = b->d[u];
    wide f = w_fma(w_set(t->n[0][i]), d[0], -w_set(t->ne[i]));
    return w_fma(w_set(t->n[1][i]), d[1], w_fma(w_set(t->n[2][i]), d[2], f));
}

//---------------------------------- planes that end ------------------------------

// A plane ends where a point is far beside its face, or deeper than the body is there (docs/scm.md
// eq. 12). With D = |y - p|, f its height, rho^2 = D^2 - f^2 and B = reach^2 + WEIGHTS eps1 +
// CONE^2 f^2:
//
//   phi = f + s (D - f),  s = S(q) smooth from 0 at q = 1 to 1 at q = 1 + RAMP
//   q = r + f^2/depth^2,  r = rho^2/B
//
// which is not below f: bounds of f are bounds of phi.
#define REACH_CONE    2.0  // beyond this slope a point is beside a face, not below it
#define REACH_WEIGHTS 16.0 // planes within 4 sqrt(eps1) have weight
#define REACH_RAMP    1.5

typedef struct planeReach {
    wide phi, g[3]; // and its gradient
    wide by_log;    // its derivative by ln eps1
    // of planes that end: what second derivatives need
    wide d[3], n[3], height, distance, B, r, r_g[3], q_g[3], s, s_q, s_qq, by_B, inv_depth2;
    int ends; // 0: phi is f
} planeReach;

// smoothstep of two continuous derivatives, with them by q
TAC_INLINE void reach_step(wide q, planeReach* o) {
    wide one = w_set(1.0), t = w_min(w_max((q - one) * w_set(1.0 / REACH_RAMP), w_set(0.0)), one);
    wide left = one - t;
    o->s = t * t * t * (w_set(10.0) - t * (w_set(15.0) - w_set(6.0) * t));
    o->s_q = w_set(30.0 / REACH_RAMP) * t * t * left * left;
    o->s_qq = w_set(60.0 / (REACH_RAMP * REACH_RAMP)) * t * left * (left - t);
}

// gradient of phi, and its derivative by ln eps1
TAC_INLINE void reach_slopes(planeReach* o) {
    wide inv_D = 1.0 / o->distance, inv_B = 1.0 / o->B, over = o->distance - o->height;
    wide cone = w_set(REACH_CONE * REACH_CONE) * o->height * o->r;
    for (int k = 0; k < 3; ++k) {
        o->r_g[k] = 2.0 * inv_B * (o->d[k] - (o->height + cone) * o->n[k]);
        o->q_g[k] = o->r_g[k] + 2.0 * o->height * o->inv_depth2 * o->n[k];
        o->g[k] = o->n[k] + o->s * (o->d[k] * inv_D - o->n[k]) + over * o->s_q * o->q_g[k];
    }
    o->by_log = -over * o->s_q * o->r * o->by_B * inv_B;
}

// Phi of plane i at points of vector u, whose height above it is f. `order` 1: with derivatives.
TAC_INLINE void tile_reach(const ssdfBlock* b, const ssdfTile* t, int i, int u, wide f, int order,
                           planeReach* o) {
    o->phi = f;
    o->ends = 0;
    o->by_log = w_set(0.0);
    for (int k = 0; k < 3 && order; ++k) o->g[k] = w_set(t->n[k][i]);
    if (!t->reach) return;
    wide square = w_set(0.0);
    for (int k = 0; k < 3; ++k) {
        o->d[k] = b->d[u][k] - w_set(t->e[k][i]);
        square = w_fma(o->d[k], o->d[k], square);
    }
    o->by_B = w_set(REACH_WEIGHTS * b->planes->eps);
    o->B = w_fma(w_set(REACH_CONE * REACH_CONE) * f, f, w_set(t->reach[i] * t->reach[i]) + o->by_B);
    o->inv_depth2 = w_set(t->inv_depth2[i]);
    wide beside = square - f * f, below = f * f * o->inv_depth2;
    if (!w_any_negative(o->B - beside - below * o->B)) return;
    o->ends = 1;
    o->height = f;
    o->distance = w_sqrt(w_max(square, w_set(1e-200)));
    o->r = beside / o->B;
    reach_step(o->r + below, o);
    o->phi = f + o->s * (o->distance - f);
    if (!order) return;
    for (int k = 0; k < 3; ++k) o->n[k] = w_set(t->n[k][i]);
    reach_slopes(o);
}

// second derivative k, l of phi
TAC_INLINE wide reach_hessian(const planeReach* o, int k, int l) {
    wide inv_D = 1.0 / o->distance, same = w_set(k == l ? 1.0 : 0.0);
    wide over = o->distance - o->height, cone = w_set(2.0 * REACH_CONE * REACH_CONE);
    wide u = o->d[k] * inv_D, v = o->d[l] * inv_D, nn = o->n[k] * o->n[l];
    wide B_k = cone * o->height * o->n[k], B_l = cone * o->height * o->n[l];
    wide r_kl = (2.0 * (same - nn) - o->r_g[k] * B_l - B_k * o->r_g[l] - o->r * cone * nn) / o->B;
    wide q_kl = r_kl + 2.0 * o->inv_depth2 * nn;
    return o->s_q * (o->q_g[k] * (v - o->n[l]) + (u - o->n[k]) * o->q_g[l]) +
           o->s * (same - u * v) * inv_D + over * (o->s_qq * o->q_g[k] * o->q_g[l] + o->s_q * q_kl);
}

// derivative by ln eps1 of component k of the gradient
TAC_INLINE wide reach_gradient_by_log(const planeReach* o, int k) {
    wide share = o->by_B / o->B, q_e = -(o->r * share), over = o->distance - o->height;
    wide B_k = w_set(2.0 * REACH_CONE * REACH_CONE) * o->height * o->n[k];
    wide g_e = -(share * (o->r_g[k] - o->r * B_k / o->B));
    return o->s_q * q_e * (o->d[k] / o->distance - o->n[k]) +
           over * (o->s_qq * q_e * o->q_g[k] + o->s_q * g_e);
}

// ln of the weights of plane i in units of the largest; no more than 0 but for rounding, which far
// away may be large. Bit u: the plane counts for a point of vector u.
TAC_INLINE int tile_scores(const ssdfBlock* b, const ssdfTile* t, int i, wide score[SSDF_STAGE]) {
    int any = 0;
    SSDF_UNROLL
    for (int u = 0; u < SSDF_STAGE; ++u) {
        score[u] = w_min(tile_score(b, t, i, u) - b->best[u], w_set(30.0));
        any |= w_any_negative(w_set(-b->depth) - score[u]) << u;
    }
    return any;
}

// Is vector u to be summed? Of several lanes all vectors are, which is faster than to ask; of
// numbers without lanes, complex and quad, that would be most of the work.
TAC_INLINE int is_summed(int any, int u) { return TAC_LANES > 1 || (any >> u & 1); }

// is the disc of patch k within reach of a point?
TAC_INLINE int patch_counts(const ssdfBlock* b, const tacClusterPage* page, int k) {
    int any = 0;
    wide zero = w_set(0.0);
    for (int u = 0; u < SSDF_STAGE; ++u) {
        wide distance2 = zero, up = zero;
        for (int j = 0; j < 3; ++j) {
            wide d = b->y[u][j] - w_set(page->middle[j][k]);
            distance2 = w_fma(d, d, distance2);
            up = w_fma(d, w_set(page->axis[j][k]), up);
        }
        wide side = w_sqrt(w_max(distance2 - up * up, zero)) - w_set(page->width[k]);
        wide height = w_max(up, -up) - w_set(page->half[k]);
        side = w_max(side, zero);
        height = w_max(height, zero);
        any |= w_any_negative(w_fma(height, height, w_fma(side, side, -b->limit[u])));
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

// the plane nearest to a place
typedef struct ssdfNearest {
    const tacSsdfPlanes* planes;
    double at[3], square; // square of its distance
    int plane;
} ssdfNearest;

static void nearer_of_leaf(ssdfNearest* n, int leaf) {
    const tacSsdfPlanes* p = n->planes;
    int first = leaf * TAC_CLOUD_LEAF, rest = p->cloud->count - first;
    int count = rest < TAC_CLOUD_LEAF ? rest : TAC_CLOUD_LEAF;
    const double *x = plane_column(p, 0) + first, *y = plane_column(p, 1) + first,
                 *z = plane_column(p, 2) + first;
    double square[TAC_CLOUD_LEAF];
    for (int i = 0; i < count; ++i) {
        double u = x[i] - n->at[0], v = y[i] - n->at[1], w = z[i] - n->at[2];
        square[i] = u * u + v * v + w * w;
    }
    for (int i = 0; i < count; ++i)
        if (square[i] < n->square) {
            n->square = square[i];
            n->plane = first + i;
        }
}

static void nearer_of_page(ssdfNearest* n, int level, int index);

static void nearer_of_box(ssdfNearest* n, int level, int index) {
    if (level > 0)
        nearer_of_page(n, level - 1, index);
    else
        nearer_of_leaf(n, index);
}

// the nearest box first
static void nearer_of_page(ssdfNearest* n, int level, int index) {
    const tacSsdfPlanes* p = n->planes;
    double square[TAC_CLOUD_LEAF];
    patches_square(&p->cloud->page[p->levels.first[level] + index], n->at, square);
    int first = smallest_of(square);
    if (square[first] < n->square) nearer_of_box(n, level, index * TAC_CLOUD_LEAF + first);
    for (int k = 0; k < TAC_CLOUD_LEAF; ++k)
        if (k != first && square[k] < n->square)
            nearer_of_box(n, level, index * TAC_CLOUD_LEAF + k);
}

// makes it the r of a ball
static void set_nearest(ssdfBall* ball, const tacSsdfPlanes* planes) {
    ssdfNearest n = {planes, {ball->c[0], ball->c[1], ball->c[2]}, INFINITY, 0};
    nearer_of_page(&n, planes->levels.count - 1, 0);
    for (int axis = 0; axis < 3; ++axis) ball->r[axis] = plane_column(planes, axis)[n.plane];
}

//---------------------------------- leaves that may count -------------------------

static void list_page(ssdfBlock* b, int level, int index) {
    const tacSsdfPlanes* p = b->planes;
    ssdfList* list = &b->list;
    double excess[TAC_CLOUD_LEAF];
    patches_excess(&b->ball, &p->cloud->page[p->levels.first[level] + index], excess);
    for (int k = 0; k < TAC_CLOUD_LEAF && list->next < 0; ++k) {
        int child = index * TAC_CLOUD_LEAF + k;
        // all leaves of the child have been looked at
        if (!(excess[k] <= 0.0) || (long)(child + 1) << (4 * level) <= list->from) continue;
        if (level > 0)
            list_page(b, level - 1, child);
        else if (list->count == SSDF_LEAVES)
            list->next = child;
        else {
            list->leaf[list->count] = child;
            list->excess[list->count++] = excess[k];
        }
    }
}

static void list_leaves(ssdfBlock* b, int from) {
    b->list.from = from;
    b->list.next = -1;
    b->list.count = 0;
    list_page(b, b->planes->levels.count - 1, 0);
}

// Goes through all chunks of leaves: for (int at = 0; at >= 0; at = next_leaf_chunk(b, at)). A list
// of one run is made once.
static int next_leaf_chunk(ssdfBlock* b, int at) {
    if (b->list.next >= 0) {
        list_leaves(b, b->list.next);
        return at + 1;
    }
    if (at > 0) list_leaves(b, 0); // ready for the next time
    return -1;
}

SSDF_NOINLINE void nearest_leaf(ssdfBlock* b, int leaf) {
    ssdfTile t;
    fill_tile(b, leaf, &t);
    for (int i = 0; i < t.count; ++i)
        for (int u = 0; u < SSDF_STAGE; ++u)
            b->best[u] = w_max(b->best[u], tile_score(b, &t, i, u));
}

// those that may hold the plane nearest to a point
static void nearest_leaves(ssdfBlock* b, double cutoff) {
    for (int at = 0; at >= 0; at = next_leaf_chunk(b, at))
        for (int i = 0; i < b->list.count; ++i)
            if (b->list.excess[i] + cutoff <= 0.0) nearest_leaf(b, b->list.leaf[i]);
}

static double score_cutoff(const ssdfBlock* b) { return b->planes->depth * tac_re(b->planes->eps); }

// squares of the distances that count; the slack is for rounding
static void set_limits(ssdfBlock* b) {
    double cutoff = score_cutoff(b);
    for (int u = 0; u < SSDF_STAGE; ++u)
        b->limit[u] = w_fma(b->square[u], w_set(1.0 + 1e-14),
                            w_fma(-b->best[u], w_set(b->planes->eps), w_set(cutoff)));
}

// the ball around the box of points, and its plane
static void set_ball(ssdfBlock* b) {
    double square = 0.0, distance2 = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        double half = 0.5 * (b->high[axis] - b->low[axis]);
        b->ball.c[axis] = 0.5 * (b->low[axis] + b->high[axis]);
        square += half * half;
        distance2 += fabs(b->ball.c[axis]);
    }
    b->ball.radius = sqrt(square) * (1.0 + 1e-12) + 1e-14 * distance2;
    set_nearest(&b->ball, b->planes);
    set_ball_limit(&b->ball, score_cutoff(b));
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
            low = low < at ? low : at;
            high = high > at ? high : at;
        }
        b->low[axis] = low;
        b->high[axis] = high;
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
    list_leaves(b, 0);
    // planes with larger amplitudes may be best from farther away
    nearest_leaves(b, score_cutoff(b) - planes->cloud->log_amp_range * tac_re(planes->eps));
    set_limits(b);
}

//---------------------------------- all that count -------------------------------

typedef void ssdfVisit(void* sums, const ssdfBlock* b, int leaf);

static void visit_leaf(const ssdfBlock* b, int leaf, ssdfVisit* visit, void* sums) {
    const tacClusterPage* page = &b->planes->cloud->page[leaf / TAC_CLOUD_LEAF];
    if (patch_counts(b, page, leaf % TAC_CLOUD_LEAF)) visit(sums, b, leaf);
}

// calls visit for all leaves that may hold a plane that counts, in the order of the array
static void block_visit(ssdfBlock* b, ssdfVisit* visit, void* sums) {
    if (b->planes->exact) {
        for (int leaf = 0; leaf < b->planes->levels.slots[0]; ++leaf) visit(sums, b, leaf);
        return;
    }
    for (int at = 0; at >= 0; at = next_leaf_chunk(b, at))
        for (int i = 0; i < b->list.count; ++i) visit_leaf(b, b->list.leaf[i], visit, sums);
}

//---------------------------------- points ---------------------------------------

// Points at[first], … of the query (NULL: numbers first, …) as a block; returns how many are new.
TAC_INLINE int load_points(const tacSsdfQuery* q, const int* at, int first, int count,
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
