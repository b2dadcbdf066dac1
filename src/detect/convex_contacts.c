// Contacts of all pairs of convex parts of a scene: detect="gjk".
//
//   convex_parts.h --clip_manifold.h (doubles)--> features --feature_contact.h (any number)-->
//   points, normals, distances

#include "detect/convex_contacts.h"
#include "detect/convex/clip_manifold.h"
#include "detect/convex/closest_features.h"
#include "detect/convex_parts.h"
#include "detect/detect.h"

#include <string.h>

//---------------------------------- memory ----------------------------------

// a search of all pairs: its input, and the convex parts in the world
typedef struct contactSearch {
    const tacModel* model;
    const tacPose* body;
    tacDetectQuery query;
    tacConvex* part;         // (npart)
    double* bounding_radius; // (npart)
    void* gjk_memory;
} contactSearch;

static contactSearch alloc_search(const tacModel* model, tacArena* arena) {
    int parts = model->contact->npart;
    return (contactSearch){.model = model,
                           .part = TAC_ALLOC(arena, tacConvex, parts),
                           .bounding_radius = TAC_ALLOC(arena, double, parts),
                           .gjk_memory = tac_arena_alloc(arena, tac_gjk_size())};
}

void tac_convex_contacts_measure(const tacModel* model, tacArena* dry) { alloc_search(model, dry); }

static contactSearch begin_search(const tacModel* model, const tacPose* body, tacDetectQuery query,
                                  void* memory) {
    tacArena arena = tac_arena_over(memory);
    contactSearch s = alloc_search(model, &arena);
    s.body = body;
    s.query = query;
    for (int i = 0; i < model->contact->npart; ++i) {
        s.part[i] = tac_convex_part_at(model, i, body[tac_convex_part_body(model, i)]);
        s.bounding_radius[i] = tac_convex_bounding_radius(&s.part[i]);
    }
    return s;
}

// most contacts of two parts: round ones have one point, a segment leaves a face twice
static int max_pair_contacts(const tacConvexPart* a, const tacConvexPart* b) {
    const tacConvexPart* both[2] = {a, b};
    int most = TAC_CLIP_MAX_CONTACTS;
    for (int i = 0; i < 2; ++i) {
        tacNodeKind kind = both[i]->kind;
        if (kind == TAC_NODE_SPHERE || kind == TAC_NODE_ELLIPSOID || kind == TAC_NODE_SUPERQUADRIC)
            return 1;
        if (kind == TAC_NODE_CAPSULE) most = 5;
    }
    return most;
}

// All pairs at once, but at most eight neighbours with eight contacts per part. More contacts are
// an error, and a thousand bodies fit into memory.
int tac_convex_contacts_capacity(const tacModel* model) {
    const tacContactPlan* plan = model->contact;
    long long count = 0, most = 64ll * plan->npart;
    for (int p = 0; p < plan->npair && count < most; ++p) {
        const int *geom = plan->pair[p].geom, *first = plan->part_first;
        for (int i = first[geom[0]]; i < first[geom[0] + 1]; ++i) {
            for (int j = first[geom[1]]; j < first[geom[1] + 1]; ++j)
                count += max_pair_contacts(&plan->part[i], &plan->part[j]);
        }
    }
    return (int)(count < most ? count : most);
}

//---------------------------------- one contact ----------------------------------

static void store_contact_jacobian(const tacFeatureContact* contact, tacTransform a, tacTransform b,
                                   const tacFeatureContactPoint* at, tacContacts* out, int i) {
    tacReal D[7][6];
    if (tac_feature_contact_jacobian(contact, a, b, at, D) != TAC_OK)
        tac_feature_contact_fixed_jacobian(at, D);
    for (int row = 0; row < 8; ++row) {
        for (int k = 0; k < 6; ++k) out->d_twist[row][k][i] = row < 7 ? D[row][k] : (tacReal)0.0;
    }
}

static void store_contact_point(const tacFeatureContactPoint* at, tacVec3 origin, tacContacts* out,
                                int i) {
    tacVec3 point = tac_add(origin, at->point);
    const tacReal p[3] = {point.x, point.y, point.z};
    const tacReal n[3] = {at->normal.x, at->normal.y, at->normal.z};
    for (int k = 0; k < 3; ++k) {
        out->point[k][i] = p[k];
        out->normal[k][i] = n[k];
    }
    out->distance[i] = at->distance;
    out->activity[i] = 1.0;
}

// both parts relative to the origin of the pair, which is returned
static tacVec3 pose_pair(const tacModel* model, const tacPose* body, const tacConvexContact* of,
                         tacTransform transform[2]) {
    const int* side = model->contact->pair[of->pair].body;
    for (int k = 0; k < 2; ++k)
        transform[k] = tac_convex_part_transform(model, of->part[k], body[side[k]]);
    tacVec3 origin = tac_convex_pair_origin(model, of->part, transform);
    for (int k = 0; k < 2; ++k) {
        tacPose near = body[side[k]];
        near.position = tac_sub(near.position, origin);
        transform[k].pos = tac_convex_part_transform(model, of->part[k], near).pos;
    }
    return origin;
}

tacResult tac_convex_contact_append(const tacModel* model, const tacPose* body,
                                    const tacConvexContact* of, tacContacts* out) {
    const tacContactPlan* plan = model->contact;
    const tacFeatureContact* contact = &of->contact;
    int pair = of->pair;
    const int *geom = plan->pair[pair].geom, *part = of->part;
    int i = out->count;
    tacFeatureContactPoint at;
    tacTransform transform[2];
    if (i == out->capacity) return TAC_ERROR_CAPACITY;
    tacVec3 origin = pose_pair(model, body, of, transform);
    if (tac_feature_contact_at(contact, transform[0], transform[1], &at) != TAC_OK)
        return TAC_OK; // lost in rounding
    store_contact_point(&at, origin, out, i);
    if (out->d_twist[0][0])
        store_contact_jacobian(contact, transform[0], transform[1], &at, out, i);
    out->pair[i] = pair;
    out->bundle[i] = -1;
    for (int k = 0; k < 2; ++k) out->geom[k][i] = geom[k];
    out->feature[i] = tac_feature_contact_id(contact, part[0] - plan->part_first[geom[0]],
                                             part[1] - plan->part_first[geom[1]]);
    if (tac_feature_contact_kind(out->feature[i]) == TAC_FEATURE_CONTACT_FIXED_NORMAL)
        out->flags |= TAC_TIE;
    ++out->count;
    return TAC_OK;
}

tacResult tac_convex_contact_append_nearest(const tacModel* model, const tacPose* body,
                                            tacConvexContact* of, tacContacts* out, void* memory) {
    tacConvex part[2];
    tacTransform transform[2];
    tacConvexContact now = {of->pair, {of->part[0], of->part[1]}, {.pair = 0}};
    tacNearest near;
    tacGjkCache cache = {.count = 0};
    pose_pair(model, body, of, transform);
    for (int k = 0; k < 2; ++k) part[k] = tac_convex_part_in(model, of->part[k], &transform[k]);
    tac_closest_features(&part[0], &part[1], &cache, &near, &now.contact, memory);
    *of = now;
    return tac_convex_contact_append(model, body, of, out);
}

//---------------------------------- all pairs ----------------------------------

// Can bounding balls, or a ball and a half-space, be as near as the margin?
static int bounding_balls_overlap(const contactSearch* s, const int part[2]) {
    const tacConvex *a = &s->part[part[0]], *b = &s->part[part[1]];
    double w[3], bounding_radius =
                     s->bounding_radius[part[0]] + s->bounding_radius[part[1]] + s->query.margin;
    for (int k = 0; k < 3; ++k) w[k] = b->pos[k] - a->pos[k];
    if (a->kind == TAC_CONVEX_HALF_SPACE || b->kind == TAC_CONVEX_HALF_SPACE) {
        int first = a->kind == TAC_CONVEX_HALF_SPACE;
        const tacConvex* plane = first ? a : b;
        double height = 0.0;
        for (int k = 0; k < 3; ++k) height += plane->rot[k][2] * (first ? w[k] : -w[k]);
        return height <= bounding_radius;
    }
    return w[0] * w[0] + w[1] * w[1] + w[2] * w[2] <= bounding_radius * bounding_radius;
}

static tacResult add_part_contacts(const contactSearch* s, int pair, const int part[2],
                                   tacContacts* out) {
    tacFeatureContact contact[TAC_CLIP_MAX_CONTACTS];
    tacGjkCache cache = {.count = 0};
    if (!bounding_balls_overlap(s, part)) return TAC_OK;
    tacTransform transform[2];
    tacConvex near[2];
    pose_pair(s->model, s->body, &(tacConvexContact){.pair = pair, .part = {part[0], part[1]}},
              transform);
    for (int k = 0; k < 2; ++k) near[k] = tac_convex_part_in(s->model, part[k], &transform[k]);
    int count =
        tac_clip_manifold(&near[0], &near[1], s->query.margin, &cache, contact, s->gjk_memory);
    for (int i = 0; i < count; ++i) {
        tacConvexContact x = {pair, {part[0], part[1]}, contact[i]};
        int before = out->count;
        tacResult result = tac_convex_contact_append(s->model, s->body, &x, out);
        if (result != TAC_OK) return result;
        if (s->query.features && out->count > before) s->query.features[before] = x;
    }
    return TAC_OK;
}

tacResult tac_convex_contacts(const tacModel* model, const tacPose* body, tacDetectQuery query,
                              tacContacts* out, void* memory) {
    const tacContactPlan* plan = model->contact;
    contactSearch s = begin_search(model, body, query, memory);
    out->count = 0;
    for (int p = 0; p < plan->npair; ++p) {
        const int *geom = plan->pair[p].geom, *first = plan->part_first;
        for (int i = first[geom[0]]; i < first[geom[0] + 1]; ++i) {
            for (int j = first[geom[1]]; j < first[geom[1] + 1]; ++j) {
                tacResult result = add_part_contacts(&s, p, (const int[2]){i, j}, out);
                if (result != TAC_OK) return result;
            }
        }
    }
    return TAC_OK;
}
