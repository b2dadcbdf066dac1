// A proof that pieces stay apart on the path of a step. docs/collide.md, eq. (16).
//
// For a fixed unit vector n let gap(t) = lowest point of B - highest point of A along n. Every
// point of a piece is within bend (t1 - t0)^2/8 of its chord, and lowest points of chords are no
// lower than the chord of the lowest points. So on [t0, t1]
//   distance >= min(gap(t0), gap(t1)) - (bend_A + bend_B) (t1 - t0)^2/8.
// Any n will do; the normal in the middle of the interval is a good one. Intervals are halved until
// the claim holds. Extents are closed formulas of their own, not furthest points.

#include "detect/corner.h"
#include "detect/course.h"
#include "detect/pieces.h"

#include <string.h>

enum { DEPTH = 50, MAX_INTERVALS = 100000 };

//---------------------------------- extents ----------------------------------

// (x^q + y^q)^(1/q), x and y not negative
static double norm_of(double x, double y, double q) {
    double top = fmax(x, y);
    return top > 0.0 ? top * pow(pow(x / top, q) + pow(y / top, q), 1.0 / q) : 0.0;
}

// how far the core extends along d from the origin of its frame, d in the axes of the piece
static double extent(const tacConvex* c, const double d[3]) {
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
        return norm_of(norm_of(e[0], e[1], 2.0 / (2.0 - c->eps[1])), e[2], 2.0 / (2.0 - c->eps[0]));
    case TAC_CONVEX_HALF_SPACE:
        return d[2] >= 1.0 - 1e-14 ? 0.0 : INFINITY;
    }
    return INFINITY;
}

static double highest(const tacConvex* c, const double n[3], double sign) {
    double d[3];
    for (int k = 0; k < 3; ++k)
        d[k] = sign * (c->rot[0][k] * n[0] + c->rot[1][k] * n[1] + c->rot[2][k] * n[2]);
    return sign * tac_dot3(n, c->pos) + extent(c, d) + c->radius;
}

//---------------------------------- one pair ----------------------------------

typedef struct proof {
    const tacModel* model;
    const tacCourse* course;
    const tacBend* bend;
    int piece[2], *chain;
    void* memory;
} proof;

static tacConvex piece_at(const proof* p, int i, double t, double* arm) {
    int body = tac_piece_body(p->model, p->piece[i]);
    tacFlight f = tac_course_body(p->model, p->course, t, body, p->chain);
    tacConvex c = tac_piece_at(p->model, p->piece[i], f.pose);
    *arm = tac_distance(tac_load3(c.pos), f.pose.position) + tac_convex_reach(&c);
    return c;
}

// bends of both paths, the half-space at rest
static double bends(const proof* p, const double arm[2]) {
    double sum = 0.0;
    for (int i = 0; i < 2; ++i) {
        const tacBend* b = &p->bend[tac_piece_body(p->model, p->piece[i])];
        sum += b->origin + (b->twirl + b->spin * b->spin) * arm[i];
    }
    return sum;
}

// a vector that may separate the pieces at a time
static void propose(const proof* p, double t, double n[3], double arm[2]) {
    tacWalk walk = {.count = 0};
    tacConvex a = piece_at(p, 0, t, &arm[0]), b = piece_at(p, 1, t, &arm[1]);
    tacNearest near = tac_gjk(&a, &b, &walk, p->memory);
    double length = tac_length3(near.normal);
    for (int k = 0; k < 3; ++k) n[k] = near.normal[k] / length;
}

static double gap_at(const proof* p, double t, const double n[3]) {
    double arm;
    tacConvex a = piece_at(p, 0, t, &arm), b = piece_at(p, 1, t, &arm);
    return -highest(&a, n, 1.0) - highest(&b, n, -1.0);
}

// no distance in the interval is below this
static double bound_of(const proof* p, double from, double to) {
    double n[3], arm[2], width = to - from;
    propose(p, 0.5 * (from + to), n, arm);
    return fmin(gap_at(p, from, n), gap_at(p, to, n)) - bends(p, arm) * width * width / 8.0;
}

// proves the claim for a pair; 0 if it cannot, with the time where
static int prove(const proof* p, double claim, tacClearance* out) {
    double end[DEPTH + 1], from = 0.0;
    int count = 1;
    end[0] = p->course->span;
    while (count > 0) {
        double bound = bound_of(p, from, end[count - 1]);
        if (++out->intervals, bound >= claim) {
            if (bound < out->least) {
                out->least = bound;
                out->time = from;
            }
            from = end[--count];
        } else if (count <= DEPTH && out->intervals < MAX_INTERVALS) {
            end[count] = 0.5 * (from + end[count - 1]);
            ++count;
        } else {
            out->least = fmin(out->least, bound);
            out->time = from;
            return 0;
        }
    }
    return 1;
}

tacResult tac_hard_clearance(const tacModel* model, const tacCourse* course, double claim,
                             tacClearance* out, void* memory) {
    tacResult result = tac_course_check(model, course);
    if (result != TAC_OK) return result;
    if (!out || !memory || isnan(claim)) return TAC_ERROR_VALUE;
    const tacContactPlan* plan = model->contact;
    char* at = memory;
    size_t bends_size = (sizeof(tacBend) * (size_t)model->nbody + 15) / 16 * 16;
    proof p = {model, course, memory, .chain = (int*)(at + bends_size)};
    p.memory = at + bends_size + (sizeof(int) * (size_t)model->nbody + 15) / 16 * 16;
    *out = (tacClearance){.certain = 1, .least = INFINITY, .pair = -1};
    tac_course_bends(model, course, memory);
    for (int i = 0; i < plan->npair; ++i) {
        const int *geom = plan->pair[i].geom, *first = plan->piece_first;
        for (int j = first[geom[0]]; j < first[geom[0] + 1]; ++j) {
            for (int k = first[geom[1]]; k < first[geom[1] + 1]; ++k) {
                double least = out->least;
                p.piece[0] = j;
                p.piece[1] = k;
                out->certain &= prove(&p, claim, out);
                if (out->least < least) out->pair = i;
            }
        }
    }
    return TAC_OK;
}
