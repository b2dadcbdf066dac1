// A proof that parts stay apart on the path of a step. docs/convex.md, eq. (16).
//
// For a fixed unit vector n let gap(t) = lowest point of B - highest point of A along n. Every
// point of a part is within bend (t1 - t0)^2/8 of its chord, and lowest points of chords are no
// lower than the chord of the lowest points. So on [t0, t1]
//   distance >= min(gap(t0), gap(t1)) - (bend_A + bend_B) (t1 - t0)^2/8.
// Any n will do; the normal in the middle of the interval is a good one. Intervals are halved until
// the claim holds. Extents are closed formulas of their own, not furthest points.

#include "base/arena.h"
#include "detect/ccd/motion_path.h"
#include "detect/convex/simplex_vertex.h"
#include "detect/convex_parts.h"

#include <string.h>

enum { DEPTH = 50, MAX_INTERVALS = 100000 };

//---------------------------------- extents ----------------------------------

// (x^q + y^q)^(1/q), x and y not negative
static double dual_norm(double x, double y, double q) {
    double top = fmax(x, y);
    return top > 0.0 ? top * pow(pow(x / top, q) + pow(y / top, q), 1.0 / q) : 0.0;
}

// how far the core extends along d from the origin of its frame, d in the axes of the part
static double core_extent(const tacConvex* c, const double d[3]) {
    double e[3], most = -INFINITY;
    for (int k = 0; k < 3; ++k) e[k] = fabs(c->size[k] * d[k]);
    switch (c->kind) {
    case TAC_CONVEX_POINTS:
        for (int i = 0; i < c->count; ++i) most = fmax(most, tac_dot3(c->point + 3 * i, d));
        return c->count ? most : 0.0;
    case TAC_CONVEX_BOX:
        return e[0] + e[1] + e[2];
    case TAC_CONVEX_SEGMENT:
        return e[2];
    case TAC_CONVEX_CYLINDER:
        return c->size[0] * hypot(d[0], d[1]) + e[2];
    case TAC_CONVEX_ELLIPSOID:
        return tac_length3(e);
    case TAC_CONVEX_SUPERQUADRIC:
        return dual_norm(dual_norm(e[0], e[1], 2.0 / (2.0 - c->eps[1])), e[2],
                         2.0 / (2.0 - c->eps[0]));
    case TAC_CONVEX_HALF_SPACE:
        return d[2] >= 1.0 - 1e-14 ? 0.0 : INFINITY;
    }
    return INFINITY;
}

static double support_height(const tacConvex* c, const double n[3], double sign) {
    double d[3];
    for (int k = 0; k < 3; ++k)
        d[k] = sign * (c->rot[0][k] * n[0] + c->rot[1][k] * n[1] + c->rot[2][k] * n[2]);
    return sign * tac_dot3(n, c->pos) + core_extent(c, d) + c->radius;
}

//---------------------------------- one pair ----------------------------------

typedef struct certificateQuery {
    const tacModel* model;
    const tacMotionPath* path;
    const tacCurvatureBound* curvature;
    int part[2], *chain;
    double origin[3]; // of the pair, next to it
    void* memory;
} certificateQuery;

static tacConvex part_at(const certificateQuery* p, int i, double t, double* arm) {
    int body = tac_convex_part_body(p->model, p->part[i]);
    tacMotionState f = tac_motion_path_body(p->model, p->path, t, body, p->origin, p->chain);
    tacConvex c = tac_convex_part_at(p->model, p->part[i], f.pose);
    *arm = tac_distance(tac_load3(c.pos), f.pose.position) + tac_convex_bounding_radius(&c);
    return c;
}

// curvature bounds of both paths; a half-space does not move
static double curvature_sum(const certificateQuery* p, const double arm[2]) {
    double sum = 0.0;
    for (int i = 0; i < 2; ++i) {
        const tacCurvatureBound* b = &p->curvature[tac_convex_part_body(p->model, p->part[i])];
        sum += b->origin + (b->spin_rate + b->spin * b->spin) * arm[i];
    }
    return sum;
}

// a vector that may separate the parts at a time
static void propose_normal(const certificateQuery* p, double t, double n[3], double arm[2]) {
    tacGjkCache cache = {.count = 0};
    tacConvex a = part_at(p, 0, t, &arm[0]), b = part_at(p, 1, t, &arm[1]);
    tacNearest near = tac_gjk(&a, &b, &cache, p->memory);
    double length = tac_length3(near.normal);
    for (int k = 0; k < 3; ++k) n[k] = near.normal[k] / length;
}

static double gap_along_normal(const certificateQuery* p, double t, const double n[3]) {
    double arm;
    tacConvex a = part_at(p, 0, t, &arm), b = part_at(p, 1, t, &arm);
    return -support_height(&a, n, 1.0) - support_height(&b, n, -1.0);
}

// no distance in the interval is below this
static double interval_bound(const certificateQuery* p, double from, double to) {
    double n[3], arm[2], width = to - from;
    propose_normal(p, 0.5 * (from + to), n, arm);
    return fmin(gap_along_normal(p, from, n), gap_along_normal(p, to, n)) -
           curvature_sum(p, arm) * width * width / 8.0;
}

// where the first of the parts starts that is no half-space
static void find_pair_origin(certificateQuery* p) {
    double arm;
    memset(p->origin, 0, sizeof p->origin);
    tacConvex first = part_at(p, 0, 0.0, &arm);
    if (first.kind == TAC_CONVEX_HALF_SPACE) first = part_at(p, 1, 0.0, &arm);
    memcpy(p->origin, first.pos, sizeof p->origin);
}

// proves the claim for a pair; 0 if it cannot, with the time where
static int certify_pair(const certificateQuery* p, double claim, tacCcdCertificate* out) {
    double end[DEPTH + 1], from = 0.0;
    int count = 1;
    end[0] = p->path->span;
    while (count > 0) {
        double bound = interval_bound(p, from, end[count - 1]);
        if (++out->intervals, bound >= claim) {
            if (bound < out->min_distance) {
                out->min_distance = bound;
                out->time = from;
            }
            from = end[--count];
        } else if (count <= DEPTH && out->intervals < MAX_INTERVALS) {
            end[count] = 0.5 * (from + end[count - 1]);
            ++count;
        } else {
            out->min_distance = fmin(out->min_distance, bound);
            out->time = from;
            return 0;
        }
    }
    return 1;
}

tacResult tac_ccd_certify(const tacModel* model, const tacMotionPath* path, double claim,
                          tacCcdCertificate* out, void* memory) {
    tacResult result = tac_motion_path_check(model, path);
    if (result != TAC_OK) return result;
    if (!out || !memory || isnan(claim)) return TAC_ERROR_VALUE;
    const tacContactPlan* plan = model->contact;
    tacArena arena = tac_arena_over(memory);
    tacCurvatureBound* curvature = TAC_ALLOC(&arena, tacCurvatureBound, model->nbody);
    certificateQuery p = {.model = model,
                          .path = path,
                          .curvature = curvature,
                          .chain = TAC_ALLOC(&arena, int, model->nbody),
                          .memory = tac_arena_alloc(&arena, tac_gjk_size())};
    *out = (tacCcdCertificate){.certain = 1, .min_distance = INFINITY, .pair = -1};
    tac_motion_path_curvature_bounds(model, path, curvature);
    for (int i = 0; i < plan->npair; ++i) {
        const int *geom = plan->pair[i].geom, *first = plan->part_first;
        for (int j = first[geom[0]]; j < first[geom[0] + 1]; ++j) {
            for (int k = first[geom[1]]; k < first[geom[1] + 1]; ++k) {
                double min_distance = out->min_distance;
                p.part[0] = j;
                p.part[1] = k;
                find_pair_origin(&p);
                out->certain &= certify_pair(&p, claim, out);
                if (out->min_distance < min_distance) out->pair = i;
            }
        }
    }
    return TAC_OK;
}
