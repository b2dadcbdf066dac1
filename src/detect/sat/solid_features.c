// Features of two solids in contact.

#include "detect/sat/solid_features.h"

#include "detect/sat/solid_pair.h"
#include "math/pose.h"
#include "math/quat.h"

static const double level_tolerance = 1e-9; // vertices that are as high as the highest, in sizes

int tac_solid_exists(const tacSolid* solid) { return solid->vertices > 0 || solid->faces > 0; }
int tac_solid_is_planar(const tacSolid* solid) { return solid->planar; }
int tac_solid_is_unbounded(const tacSolid* solid) { return tac_is_unbounded(solid); }
const tacSolid* tac_solid_of_geom(const tacSolid* solids, int geom) { return &solids[geom]; }

double tac_solid_radius(const tacSolid* solid) { return solid->radius; }

double tac_solid_half_size(const tacSolid* solid, int axis) {
    tacVec3 x = solid->vertex[0];
    return fabs(axis == 0 ? x.x : axis == 1 ? x.y : x.z);
}

size_t tac_solid_features_size(const tacSolid* a, const tacSolid* b) {
    return tac_convex_separation_size(a, b);
}

static void store_vec3(tacVec3 a, double out[3]) {
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

//---------------------------------- bounds ----------------------------------------

static tacPose solid_pose(const tacSolidPose* p) {
    return (tacPose){tac_load3(p->pos), tac_quat_load(p->quat)};
}

// planar solids are where their x and y are
tacSolidBound tac_solid_bound(const tacSolidPose* p) {
    const tacSolid* s = p->solid;
    tacSolidBound r = {.radius = tac_is_unbounded(s) ? -1.0 : s->size};
    tacVec3 x = tac_load3(p->pos), c = s->center;
    if (c.x != 0.0 || c.y != 0.0 || c.z != 0.0)
        x = tac_add(x, tac_quat_rotate(tac_quat_load(p->quat), c));
    if (s->planar) x.z = 0.0;
    store_vec3(x, r.x);
    if (r.radius < 0.0) store_vec3(tac_quat_rotate(tac_quat_load(p->quat), s->normal[0]), r.normal);
    return r;
}

int tac_solid_bounds_overlap(const tacSolidBound* a, const tacSolidBound* b, double cutoff) {
    double d[3] = {b->x[0] - a->x[0], b->x[1] - a->x[1], b->x[2] - a->x[2]};
    // the balls' own radii are known to rounding
    double far = cutoff + 1e-12 + (1.0 + 1e-12) * (fmax(a->radius, 0.0) + fmax(b->radius, 0.0));
    if (a->radius < 0.0 && b->radius < 0.0) return 1;
    if (a->radius >= 0.0 && b->radius >= 0.0)
        return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= far * far || far < 0.0;
    const double *n = a->radius < 0.0 ? a->normal : b->normal, sign = a->radius < 0.0 ? 1.0 : -1.0;
    double scale = fabs(d[0]) + fabs(d[1]) + fabs(d[2]);
    return sign * (n[0] * d[0] + n[1] * d[1] + n[2] * d[2]) <= far + 1e-12 * scale;
}

//---------------------------------- one solid ------------------------------------

static tacConvexFeature face_feature(const tacSolid* s, int face, tacVec3 x) {
    tacConvexFeature p = {.kind = TAC_CONVEX_FEATURE_FACE, .index = face};
    store_vec3(x, p.x);
    store_vec3(s->normal[face], p.axis);
    return p;
}

static tacConvexFeature vertex_feature(int index, tacVec3 x, double radius) {
    tacConvexFeature p = {.kind = TAC_CONVEX_FEATURE_VERTEX, .index = index, .radius = radius};
    store_vec3(x, p.x);
    return p;
}

static tacConvexFeature edge_feature(int index, tacVec3 from, tacVec3 to) {
    tacConvexFeature p = {.kind = TAC_CONVEX_FEATURE_EDGE, .index = index};
    store_vec3(from, p.x);
    store_vec3(tac_normalize(tac_sub(to, from)), p.axis);
    return p;
}

static int face_most_along(const tacSolid* s, tacVec3 m) {
    int best = 0;
    for (int f = 1; f < s->faces; ++f)
        if (tac_dot(m, s->normal[f]) > tac_dot(m, s->normal[best])) best = f;
    return best;
}

// the vertices that are highest along m: one, an edge, a face
static tacConvexFeature feature_along(const tacSolid* s, tacVec3 m) {
    int top[2] = {0, 0}, count = 0;
    double most = tac_solid_support(s, m);
    if (tac_solid_is_round(s)) return vertex_feature(0, s->vertex[0], s->radius);
    if (tac_is_unbounded(s)) return face_feature(s, 0, s->center);
    for (int i = 0; i < s->vertices; ++i)
        if (tac_dot(m, s->vertex[i]) >= most - level_tolerance * s->size && count++ < 2)
            top[count - 1] = i;
    if (count == 1) return vertex_feature(top[0], s->vertex[top[0]], 0.0);
    if (count == 2 && !s->planar)
        return edge_feature(s->vertices * top[0] + top[1], s->vertex[top[0]], s->vertex[top[1]]);
    int face = face_most_along(s, m);
    return face_feature(s, face, s->vertex[s->corner[s->first[face]]]);
}

//---------------------------------- two solids -----------------------------------

// Of two parallel features the second is fixed at its point of contact. 1: they are parallel.
static int fix_parallel_features(const tacSolidPose* b, const tacSeparation* s,
                                 tacFeatureContact* out) {
    tacConvexFeature *first = &out->feature[0], *second = &out->feature[1];
    int lines = first->kind == TAC_CONVEX_FEATURE_EDGE && second->kind == TAC_CONVEX_FEATURE_EDGE;
    int flat_pair =
        (first->kind == TAC_CONVEX_FEATURE_FACE && second->kind != TAC_CONVEX_FEATURE_VERTEX) ||
        (second->kind == TAC_CONVEX_FEATURE_FACE && first->kind == TAC_CONVEX_FEATURE_EDGE);
    if (!flat_pair && !lines) return 0;
    tacVec3 x = tac_pose_apply_inverse(solid_pose(b), s->point[1]);
    if (second->kind == TAC_CONVEX_FEATURE_FACE && first->kind == TAC_CONVEX_FEATURE_EDGE) return 1;
    *second = vertex_feature(second->index, x, 0.0);
    return 1;
}

static tacVec3 to_solid_axes(const tacSolidPose* p, tacVec3 n) {
    return tac_pose_rotate_inverse(solid_pose(p), n);
}

// edges that cross in space but are parallel have no common normal
static int are_parallel_edges(const tacSolidPose* a, const tacSolidPose* b,
                              const tacFeatureContact* t) {
    tacVec3 u = tac_pose_rotate(solid_pose(a), tac_load3(t->feature[0].axis));
    tacVec3 v = tac_pose_rotate(solid_pose(b), tac_load3(t->feature[1].axis));
    return fabs(tac_dot(u, v)) > 1.0 - 1e-12;
}

int tac_solid_features(const tacSolidPose* a, const tacSolidPose* b, double cutoff,
                       tacFeatureContact* out, void* memory) {
    tacSeparation s;
    tacPosedSolid first = {a->solid, solid_pose(a)}, second = {b->solid, solid_pose(b)};
    tacResult result = memory ? tac_convex_separation(first, second, NULL, &s, NULL, NULL, memory)
                              : tac_sat(first, second, cutoff, &s);
    if (result != TAC_OK && memory) result = tac_sat(first, second, cutoff, &s);
    if (result != TAC_OK || s.bound || s.distance > cutoff) return 0;
    *out = (tacFeatureContact){0};
    store_vec3(s.normal, out->normal);
    out->feature[0] = feature_along(a->solid, to_solid_axes(a, s.normal));
    out->feature[1] = feature_along(b->solid, to_solid_axes(b, tac_neg(s.normal)));
    int lines = out->feature[0].kind == TAC_CONVEX_FEATURE_EDGE &&
                out->feature[1].kind == TAC_CONVEX_FEATURE_EDGE;
    int parallel = (!lines || are_parallel_edges(a, b, out)) && fix_parallel_features(b, &s, out);
    // an edge along a face of the second is fixed at its point of contact
    if (out->feature[0].kind == TAC_CONVEX_FEATURE_EDGE &&
        out->feature[1].kind == TAC_CONVEX_FEATURE_FACE)
        out->feature[0] = vertex_feature(
            out->feature[0].index, to_solid_axes(a, tac_sub(s.point[0], tac_load3(a->pos))), 0.0);
    return parallel ? 2 : 1;
}
