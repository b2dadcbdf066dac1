// Which features of two solids meet.

#include "detect/solid_features.h"

#include "detect/placed.h"
#include "math/pose.h"
#include "math/quat.h"

static const double flat = 1e-9; // corners that are as high as the highest, in sizes

int tac_solid_is_any(const tacSolid* solid) { return solid->vertices > 0 || solid->faces > 0; }
int tac_solid_is_planar(const tacSolid* solid) { return solid->planar; }
int tac_solid_is_endless(const tacSolid* solid) { return tac_is_endless(solid); }
const tacSolid* tac_solid_in(const tacSolid* solids, int geom) { return &solids[geom]; }

size_t tac_solids_size(const tacSolid* a, const tacSolid* b) {
    return tac_convex_separation_size(a, b);
}

static void store(tacVec3 a, double out[3]) {
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

//---------------------------------- reach ----------------------------------------

static tacPose pose_of(const tacSolidPlace* p) {
    return (tacPose){tac_load3(p->pos), tac_quat_load(p->quat)};
}

// planar solids are where their x and y are
tacSolidReach tac_solid_reach(const tacSolidPlace* p) {
    const tacSolid* s = p->solid;
    tacSolidReach r = {.radius = tac_is_endless(s) ? -1.0 : s->size};
    tacVec3 x = tac_load3(p->pos), c = s->center;
    if (c.x != 0.0 || c.y != 0.0 || c.z != 0.0)
        x = tac_add(x, tac_quat_rotate(tac_quat_load(p->quat), c));
    if (s->planar) x.z = 0.0;
    store(x, r.x);
    if (r.radius < 0.0) store(tac_quat_rotate(tac_quat_load(p->quat), s->normal[0]), r.normal);
    return r;
}

int tac_solids_may_meet(const tacSolidReach* a, const tacSolidReach* b, double cutoff) {
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

static tacPatch plane_of(const tacSolid* s, int face, tacVec3 x) {
    tacPatch p = {.kind = TAC_PATCH_PLANE, .index = face};
    store(x, p.x);
    store(s->normal[face], p.axis);
    return p;
}

static tacPatch point_at(int index, tacVec3 x, double radius) {
    tacPatch p = {.kind = TAC_PATCH_POINT, .index = index, .radius = radius};
    store(x, p.x);
    return p;
}

static tacPatch line_of(int index, tacVec3 from, tacVec3 to) {
    tacPatch p = {.kind = TAC_PATCH_LINE, .index = index};
    store(from, p.x);
    store(tac_normalize(tac_sub(to, from)), p.axis);
    return p;
}

static int face_along(const tacSolid* s, tacVec3 m) {
    int best = 0;
    for (int f = 1; f < s->faces; ++f)
        if (tac_dot(m, s->normal[f]) > tac_dot(m, s->normal[best])) best = f;
    return best;
}

// the corners that are highest along m: one, an edge, a face
static tacPatch patch_along(const tacSolid* s, tacVec3 m) {
    int top[2] = {0, 0}, count = 0;
    double most = tac_solid_support(s, m);
    if (tac_is_round(s)) return point_at(0, s->vertex[0], s->radius);
    if (tac_is_endless(s)) return plane_of(s, 0, s->center);
    for (int i = 0; i < s->vertices; ++i)
        if (tac_dot(m, s->vertex[i]) >= most - flat * s->size && count++ < 2) top[count - 1] = i;
    if (count == 1) return point_at(top[0], s->vertex[top[0]], 0.0);
    if (count == 2 && !s->planar)
        return line_of(s->vertices * top[0] + top[1], s->vertex[top[0]], s->vertex[top[1]]);
    int face = face_along(s, m);
    return plane_of(s, face, s->vertex[s->corner[s->first[face]]]);
}

//---------------------------------- two solids -----------------------------------

// Of two that are parallel the second is held at its point of contact.
static void settle(const tacSolidPlace* b, const tacSeparation* s, tacPatchPair* out) {
    tacPatch *first = &out->patch[0], *second = &out->patch[1];
    int lines = first->kind == TAC_PATCH_LINE && second->kind == TAC_PATCH_LINE;
    int flat_pair = (first->kind == TAC_PATCH_PLANE && second->kind != TAC_PATCH_POINT) ||
                    (second->kind == TAC_PATCH_PLANE && first->kind == TAC_PATCH_LINE);
    if (!flat_pair && !lines) return;
    tacVec3 x = tac_pose_apply_inverse(pose_of(b), s->point[1]);
    if (second->kind == TAC_PATCH_PLANE && first->kind == TAC_PATCH_LINE) return;
    *second = point_at(second->index, x, 0.0);
}

static tacVec3 into(const tacSolidPlace* p, tacVec3 n) {
    return tac_pose_rotate_inverse(pose_of(p), n);
}

// edges that cross in space but are parallel have no common normal
static int are_parallel(const tacSolidPlace* a, const tacSolidPlace* b, const tacPatchPair* t) {
    tacVec3 u = tac_pose_rotate(pose_of(a), tac_load3(t->patch[0].axis));
    tacVec3 v = tac_pose_rotate(pose_of(b), tac_load3(t->patch[1].axis));
    return fabs(tac_dot(u, v)) > 1.0 - 1e-12;
}

int tac_solids_meet(const tacSolidPlace* a, const tacSolidPlace* b, double cutoff,
                    tacPatchPair* out, void* memory) {
    tacSeparation s;
    tacPlaced first = {a->solid, pose_of(a)}, second = {b->solid, pose_of(b)};
    tacResult result = memory ? tac_convex_separation(first, second, NULL, &s, NULL, NULL, memory)
                              : tac_sat(first, second, cutoff, &s);
    if (result != TAC_OK && memory) result = tac_sat(first, second, cutoff, &s);
    if (result != TAC_OK || s.bound || s.distance > cutoff) return 0;
    *out = (tacPatchPair){0};
    store(s.normal, out->normal);
    out->patch[0] = patch_along(a->solid, into(a, s.normal));
    out->patch[1] = patch_along(b->solid, into(b, tac_neg(s.normal)));
    int lines = out->patch[0].kind == TAC_PATCH_LINE && out->patch[1].kind == TAC_PATCH_LINE;
    if (!lines || are_parallel(a, b, out)) settle(b, &s, out);
    // an edge along a face of the second is held at its point of contact
    if (out->patch[0].kind == TAC_PATCH_LINE && out->patch[1].kind == TAC_PATCH_PLANE)
        out->patch[0] =
            point_at(out->patch[0].index, into(a, tac_sub(s.point[0], tac_load3(a->pos))), 0.0);
    return 1;
}
