// Distance of two parts to rounding, and the features that are nearest.

#include "detect/convex/closest_features.h"

#include "detect/convex/convex_features.h"
#include "detect/convex/simplex_vertex.h"

#include <string.h>

tacTransform tac_convex_transform(const tacConvex* c) {
    tacTransform at = {.pos = {c->pos[0], c->pos[1], c->pos[2]}};
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

// n in the axes of a part
static void to_part_axes(const tacConvex* c, double sign, const double n[3], double out[3]) {
    for (int k = 0; k < 3; ++k)
        out[k] = sign * (c->rot[0][k] * n[0] + c->rot[1][k] * n[1] + c->rot[2][k] * n[2]);
}

// How far the normal may be off: rounding of a short difference of long vectors, and the gap
// between the bounds of a curved part.
static double tolerance_of(const tacConvex* a, const tacConvex* b, const tacNearest* near) {
    double core = fabs(near->distance + a->radius + b->radius);
    double size = tac_convex_bounding_radius(a) + tac_convex_bounding_radius(b);
    double off = 1e-7 + 2.0 * sqrt(2.0 * near->error / fmax(core, 1e-300)) +
                 1e-14 * size / fmax(core, 1e-300);
    return fmin(off, 0.02);
}

typedef struct featureSearch {
    const tacConvex *a, *b;
    tacTransform at[2];
    double size, best, upper; // widest gap so far; no gap is wider than the last
    double margin;            // how far nearest points may lie outside their parts
    int found;
    tacFeatureContact contact;
    tacFeatureContactPoint point;
} featureSearch;

// Planes, lines and crossings go on beyond the part; its points do not.
static int are_points_inside(const featureSearch* s, const tacFeatureContactPoint* point) {
    double x[2][3];
    for (int i = 0; i < 2; ++i) tac_store3(x[i], point->core[i]);
    return tac_convex_contains(s->a, x[0], s->margin) && tac_convex_contains(s->b, x[1], s->margin);
}

// dimensions in which a feature is straight
static int flatness(const tacConvexFeature* p) {
    return p->kind == TAC_CONVEX_FEATURE_FACE ? 2 : p->kind == TAC_CONVEX_FEATURE_EDGE;
}

// What rounding makes of a gap. The normal from a vertex to a vertex or an edge is a difference of
// points, and turns by their rounding over the distance.
static double gap_rounding(const featureSearch* s, const tacFeatureContact* contact,
                           const tacFeatureContactPoint* point) {
    double small = 1e-13 * s->size;
    if (flatness(&contact->feature[0]) + flatness(&contact->feature[1]) == 2) return small;
    double core = tac_re(tac_norm(tac_sub(point->core[1], point->core[0])));
    return small + 2e-16 * s->size * s->size / fmax(core, 1e-15 * s->size);
}

// takes the pair of features if its normal has a wider gap and the features are those that touch
static void try_features(featureSearch* s, const tacConvexFeature* p, const tacConvexFeature* q,
                         double slack) {
    tacFeatureContact contact = s->contact;
    tacFeatureContactPoint point;
    double n[3];
    contact.feature[0] = *p;
    contact.feature[1] = *q;
    if (tac_feature_contact_at(&contact, s->at[0], s->at[1], &point) != TAC_OK) return;
    tac_store3(n, point.normal);
    if (!(tac_dot3(n, contact.normal) > 0.5)) return;
    double gap = tac_convex_gap(s->a, s->b, n);
    if (!(gap > s->best + slack) ||
        !(fabs(gap - point.distance) <= gap_rounding(s, &contact, &point)))
        return;
    if (!are_points_inside(s, &point)) return;
    s->best = gap;
    s->found = 1;
    s->point = point;
    s->contact.feature[0] = *p;
    s->contact.feature[1] = *q;
}

static int is_done(const featureSearch* s) {
    return s->found && s->best >= s->upper - 2e-15 * s->size;
}

// Straight features first: what is less straight must have a gap that is wider by more than
// rounding.
static void try_all_features(featureSearch* s, const tacConvexFeature* p, int np,
                             const tacConvexFeature* q, int nq) {
    double slack = 1e-15 * s->size;
    for (int level = 2; level >= 0; --level) {
        for (int i = 0; i < np; ++i) {
            for (int j = 0; j < nq && !is_done(s); ++j) {
                if (flatness(&p[i]) + flatness(&q[j]) != level) continue;
                try_features(s, &p[i], &q[j], s->found ? slack : -slack);
            }
        }
    }
}

// nearest points alone: the normal is held by A
static void fix_normal(const tacConvex* a, const tacConvex* b, const tacNearest* near,
                       tacFeatureContact* contact) {
    double x[3];
    tacConvexFeature plane = {.kind = TAC_CONVEX_FEATURE_FACE, .index = -1}, point = {.index = -1};
    tac_sub3(near->point[0], a->pos, x);
    to_part_axes(a, 1.0, x, plane.x);
    to_part_axes(a, 1.0, near->normal, plane.axis);
    tac_sub3(near->point[1], b->pos, x);
    to_part_axes(b, 1.0, x, point.x);
    contact->feature[0] = plane;
    contact->feature[1] = point;
}

// points that are apart along the normal alone, whatever rounding has left across it
static void write_nearest(const featureSearch* s, tacNearest* out) {
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
static void search_features(featureSearch* s, const tacNearest* near) {
    double m[2][3], tolerance = tolerance_of(s->a, s->b, near);
    to_part_axes(s->a, 1.0, near->normal, m[0]);
    to_part_axes(s->b, -1.0, near->normal, m[1]);
    for (int attempt = 0; attempt < 3 && !s->found; ++attempt) {
        tacConvexFeature p[TAC_NEAR_FEATURES], q[TAC_NEAR_FEATURES];
        double angle = attempt == 0 ? tolerance : attempt == 1 ? 0.03 : 0.3;
        int np = tac_features_near(s->a, m[0], angle, p);
        int nq = tac_features_near(s->b, m[1], angle, q);
        s->margin = attempt < 2 ? 1e-9 * s->size : INFINITY;
        try_all_features(s, p, np, q, nq);
    }
}

int tac_closest_features(const tacConvex* a, const tacConvex* b, tacGjkCache* start,
                         tacNearest* out, tacFeatureContact* contact, void* memory) {
    *out = tac_gjk(a, b, start, memory);
    featureSearch s = {
        a, b, {tac_convex_transform(a), tac_convex_transform(b)}, .contact = *contact};
    memcpy(s.contact.normal, out->normal, sizeof out->normal);
    s.size = tac_convex_bounding_radius(a) + tac_convex_bounding_radius(b) + fabs(out->distance);
    double core = fmax(fabs(out->distance + a->radius + b->radius), 1e-15 * s.size);
    s.best = tac_convex_gap(a, b, out->normal) - 1e-14 * s.size - 4e-16 * s.size * s.size / core;
    s.upper = out->distance + (out->distance + a->radius + b->radius < 0.0 ? out->error : 0.0);
    search_features(&s, out);
    if (s.found) write_nearest(&s, out);
    *contact = s.contact;
    memcpy(contact->normal, out->normal, sizeof out->normal);
    if (!s.found) fix_normal(a, b, out, contact);
    return s.found;
}
