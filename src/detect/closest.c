// Distance of two pieces to rounding, and the features that are nearest.

#include "detect/closest.h"

#include "detect/corner.h"
#include "detect/features.h"

#include <string.h>

tacPlace tac_convex_place(const tacConvex* c) {
    tacPlace at = {{c->pos[0], c->pos[1], c->pos[2]}, {{{0.0}}}};
    memcpy(at.rot.m, c->rot, sizeof c->rot);
    return at;
}

double tac_convex_gap(const tacConvex* a, const tacConvex* b, const double n[3]) {
    double back[3] = {-n[0], -n[1], -n[2]}, from[3], to[3], w[3];
    tac_convex_support(a, n, from);
    tac_convex_support(b, back, to);
    tac_sub3(to, from, w);
    return tac_dot3(n, w) - a->radius - b->radius;
}

// n in the axes of a piece
static void to_local(const tacConvex* c, double sign, const double n[3], double out[3]) {
    for (int k = 0; k < 3; ++k)
        out[k] = sign * (c->rot[0][k] * n[0] + c->rot[1][k] * n[1] + c->rot[2][k] * n[2]);
}

// How far the normal may be off: rounding of a short difference of long vectors, and the gap
// between the bounds of a curved piece.
static double tolerance_of(const tacConvex* a, const tacConvex* b, const tacNearest* near) {
    double core = fabs(near->distance + a->radius + b->radius);
    double size = tac_convex_reach(a) + tac_convex_reach(b);
    double off = 1e-7 + 2.0 * sqrt(2.0 * near->error / fmax(core, 1e-300)) +
                 1e-14 * size / fmax(core, 1e-300);
    return fmin(off, 0.02);
}

typedef struct search {
    const tacConvex *a, *b;
    tacPlace at[2];
    double size, best, upper; // widest gap so far; no gap is wider than the last
    double margin;            // how far nearest points may lie outside their pieces
    int found;
    tacPatchPair touch;
    tacPatchPoint point;
} search;

// Planes, lines and crossings go on beyond the piece; its points do not.
static int is_held(const search* s, const tacPatchPoint* point) {
    double x[2][3];
    for (int i = 0; i < 2; ++i) tac_store3(x[i], point->core[i]);
    return tac_convex_holds(s->a, x[0], s->margin) && tac_convex_holds(s->b, x[1], s->margin);
}

// dimensions in which a feature is straight
static int flatness(const tacPatch* p) {
    return p->kind == TAC_PATCH_PLANE ? 2 : p->kind == TAC_PATCH_LINE;
}

// What rounding makes of a gap. The normal from a corner to a corner or an edge is a difference of
// points, and turns by their rounding over the distance.
static double noise_of(const search* s, const tacPatchPair* touch, const tacPatchPoint* point) {
    double small = 1e-13 * s->size;
    if (flatness(&touch->patch[0]) + flatness(&touch->patch[1]) == 2) return small;
    double core = tac_re(tac_norm(tac_sub(point->core[1], point->core[0])));
    return small + 2e-16 * s->size * s->size / fmax(core, 1e-15 * s->size);
}

// takes the pair of features if its normal has a wider gap and the features are those that touch
static void try_touch(search* s, const tacPatch* p, const tacPatch* q, double slack) {
    tacPatchPair touch = s->touch;
    tacPatchPoint point;
    double n[3];
    touch.patch[0] = *p;
    touch.patch[1] = *q;
    if (tac_patch_pair_at(&touch, s->at[0], s->at[1], &point) != TAC_OK) return;
    tac_store3(n, point.normal);
    if (!(tac_dot3(n, touch.normal) > 0.5)) return;
    double gap = tac_convex_gap(s->a, s->b, n);
    if (!(gap > s->best + slack) || !(fabs(gap - point.distance) <= noise_of(s, &touch, &point)))
        return;
    if (!is_held(s, &point)) return;
    s->best = gap;
    s->found = 1;
    s->point = point;
    s->touch.patch[0] = *p;
    s->touch.patch[1] = *q;
}

static int is_done(const search* s) { return s->found && s->best >= s->upper - 2e-15 * s->size; }

// Straight features first: what is less straight must have a gap that is wider by more than
// rounding.
static void try_all(search* s, const tacPatch* p, int np, const tacPatch* q, int nq) {
    double slack = 1e-15 * s->size;
    for (int level = 2; level >= 0; --level) {
        for (int i = 0; i < np; ++i) {
            for (int j = 0; j < nq && !is_done(s); ++j) {
                if (flatness(&p[i]) + flatness(&q[j]) != level) continue;
                try_touch(s, &p[i], &q[j], s->found ? slack : -slack);
            }
        }
    }
}

// nearest points alone: the normal is held by A
static void hold(const tacConvex* a, const tacConvex* b, const tacNearest* near,
                 tacPatchPair* touch) {
    double x[3];
    tacPatch plane = {.kind = TAC_PATCH_PLANE, .index = -1}, point = {.index = -1};
    tac_sub3(near->point[0], a->pos, x);
    to_local(a, 1.0, x, plane.x);
    to_local(a, 1.0, near->normal, plane.axis);
    tac_sub3(near->point[1], b->pos, x);
    to_local(b, 1.0, x, point.x);
    touch->patch[0] = plane;
    touch->patch[1] = point;
}

// points that are apart along the normal alone, whatever rounding has left across it
static void hand_out(const search* s, tacNearest* out) {
    tac_store3(out->normal, s->point.normal);
    out->distance = s->point.distance;
    out->error = 4e-16 * s->size;
    for (int i = 0; i < 2; ++i) {
        tac_store3(out->point[i], s->point.point);
        for (int k = 0; k < 3; ++k)
            out->point[i][k] += (i ? 0.5 : -0.5) * out->distance * out->normal[k];
    }
}

// features near the normal; if none of them explains the distance, those further around it
static void look_around(search* s, const tacNearest* near) {
    double m[2][3], tolerance = tolerance_of(s->a, s->b, near);
    to_local(s->a, 1.0, near->normal, m[0]);
    to_local(s->b, -1.0, near->normal, m[1]);
    for (int attempt = 0; attempt < 3 && !s->found; ++attempt) {
        tacPatch p[TAC_NEAR_PATCHES], q[TAC_NEAR_PATCHES];
        double within = attempt == 0 ? tolerance : attempt == 1 ? 0.03 : 0.3;
        int np = tac_patches_near(s->a, m[0], within, p);
        int nq = tac_patches_near(s->b, m[1], within, q);
        s->margin = attempt < 2 ? 1e-9 * s->size : INFINITY;
        try_all(s, p, np, q, nq);
    }
}

int tac_closest(const tacConvex* a, const tacConvex* b, tacWalk* start, tacNearest* out,
                tacPatchPair* touch, void* memory) {
    *out = tac_gjk(a, b, start, memory);
    search s = {a, b, {tac_convex_place(a), tac_convex_place(b)}, .touch = *touch};
    memcpy(s.touch.normal, out->normal, sizeof out->normal);
    s.size = tac_convex_reach(a) + tac_convex_reach(b) + fabs(out->distance);
    double core = fmax(fabs(out->distance + a->radius + b->radius), 1e-15 * s.size);
    s.best = tac_convex_gap(a, b, out->normal) - 1e-14 * s.size - 4e-16 * s.size * s.size / core;
    s.upper = out->distance + (out->distance + a->radius + b->radius < 0.0 ? out->error : 0.0);
    look_around(&s, out);
    if (s.found) hand_out(&s, out);
    *touch = s.touch;
    memcpy(touch->normal, out->normal, sizeof out->normal);
    if (!s.found) hold(a, b, out, touch);
    return s.found;
}
