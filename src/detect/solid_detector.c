// detect="sat" and detect="convex" in the table of detectors: one contact for each pair of geoms.
//
//   poses of geoms --bounding balls--> pairs --solid_features.h (doubles)--> features
//   --feature_contact.h (any number)--> records
//
// The margin is the width of a spring's transition, 40 eps3; 0 for the elastoplastic law.
// Derivatives are those of the features found; sizes are those of the file.

#include "detect/solid_detector.h"

#include "detect/contact_diff.h"
#include "detect/sat/solid_features.h"
#include "math/pose.h"
#include "math/quat.h"

static double solid_margin(const tacModel* model) {
    int width = model->contact->number[TAC_CONTACT_EPS3];
    return width >= 0 ? 40.0 * tac_re(model->param[width]) : 0.0;
}

static int capacity(const tacModel* model) { return model->contact->npair; }

static size_t convex_program_size(const tacModel* model) {
    const tacContactPlan* plan = model->contact;
    size_t most = 0;
    for (int i = 0; i < plan->npair && plan->detector == TAC_DETECT_CONVEX; ++i) {
        size_t need =
            tac_solid_features_size(tac_solid_of_geom(plan->solid, plan->pair[i].geom[0]),
                                    tac_solid_of_geom(plan->solid, plan->pair[i].geom[1]));
        most = need > most ? need : most;
    }
    return most;
}

//---------------------------------- poses -----------------------------------------

// poses and bounds of the geoms
typedef struct solidPoses {
    const tacModel* model;
    tacPose* pose;        // (ngeom)
    tacSolidBound* bound; // (ngeom)
} solidPoses;

static int is_identity(tacPose p) {
    return p.position.x == 0.0 && p.position.y == 0.0 && p.position.z == 0.0 &&
           p.rotation.w == 1.0 && p.rotation.x == 0.0 && p.rotation.y == 0.0 && p.rotation.z == 0.0;
}

// A half-plane's geom is a half-space laid down (planar_reader.c): y of the outline is its z.
static tacPose geom_pose(const tacModel* model, int geom, const tacPose* body) {
    const tacGeom* g = &model->geom[geom];
    const tacSolid* solid = tac_solid_of_geom(model->contact->solid, geom);
    tacPose pose = {tac_load3(model->param + g->position),
                    tac_quat_load(model->param + g->rotation)};
    if (tac_solid_is_planar(solid) && tac_solid_is_unbounded(solid))
        pose = tac_pose_compose(pose, (tacPose){{0.0, 0.0, 0.0}, {1.0, 1.0, 0.0, 0.0}});
    if (is_identity(pose)) return body[g->body];
    return is_identity(body[g->body]) ? pose : tac_pose_compose(body[g->body], pose);
}

static tacSolidPose solid_pose(const solidPoses* poses, int geom) {
    tacVec3 x = poses->pose[geom].position;
    tacQuat q = poses->pose[geom].rotation;
    return (tacSolidPose){tac_solid_of_geom(poses->model->contact->solid, geom),
                          {tac_re(x.x), tac_re(x.y), tac_re(x.z)},
                          {tac_re(q.w), tac_re(q.x), tac_re(q.y), tac_re(q.z)}};
}

static solidPoses alloc_poses(const tacModel* model, tacArena* arena) {
    return (solidPoses){model, TAC_ALLOC(arena, tacPose, model->ngeom),
                        TAC_ALLOC(arena, tacSolidBound, model->ngeom)};
}

static void measure_solids(const tacModel* model, tacArena* arena) {
    size_t mark = arena->used;
    tac_contacts_alloc(arena, capacity(model), 1);
    tac_arena_alloc(arena, convex_program_size(model));
    alloc_poses(model, arena);
    arena->used = mark;
}

static solidPoses pose_all(const tacModel* model, const tacPose* body, tacArena* arena) {
    solidPoses p = alloc_poses(model, arena);
    for (int g = 0; g < model->ngeom; ++g) {
        if (!tac_solid_exists(tac_solid_of_geom(model->contact->solid, g))) continue;
        p.pose[g] = geom_pose(model, g, body);
        tacSolidPose at = solid_pose(&p, g);
        p.bound[g] = tac_solid_bound(&at);
    }
    return p;
}

static tacTransform geom_transform(const solidPoses* poses, int geom) {
    return (tacTransform){poses->pose[geom].position, tac_quat_to_mat(poses->pose[geom].rotation)};
}

//---------------------------------- records --------------------------------------

static void store_contact(const tacContactPair* pair, int index, const tacFeatureContact* contact,
                          const tacFeatureContactPoint* at, tacContacts* out) {
    const tacReal p[3] = {at->point.x, at->point.y, at->point.z};
    const tacReal n[3] = {at->normal.x, at->normal.y, at->normal.z};
    int i = out->count;
    for (int k = 0; k < 3; ++k) {
        out->point[k][i] = p[k];
        out->normal[k][i] = n[k];
    }
    out->distance[i] = at->distance;
    out->activity[i] = 1.0;
    out->pair[i] = index;
    out->bundle[i] = -1;
    for (int k = 0; k < 2; ++k) out->geom[k][i] = pair->geom[k];
    out->feature[i] = (uint64_t)(contact->feature[0].kind) << 62 |
                      (uint64_t)contact->feature[1].kind << 60 |
                      (uint64_t)(unsigned)contact->feature[0].index << 30 |
                      (uint64_t)(unsigned)contact->feature[1].index;
}

static tacResult add_pair_contact(const solidPoses* poses, int index, double margin, void* memory,
                                  tacContacts* out) {
    const tacContactPair* pair = &poses->model->contact->pair[index];
    int g = pair->geom[0], h = pair->geom[1];
    if (!tac_solid_bounds_overlap(&poses->bound[g], &poses->bound[h], margin)) return TAC_OK;
    tacSolidPose first = solid_pose(poses, g), second = solid_pose(poses, h);
    tacFeatureContact contact;
    tacFeatureContactPoint at;
    tacReal D[7][6];
    int found = tac_solid_features(&first, &second, margin, &contact, memory);
    if (!found) return TAC_OK;
    tacTransform a = geom_transform(poses, g), b = geom_transform(poses, h);
    if (tac_feature_contact_at(&contact, a, b, &at) != TAC_OK) return TAC_OK; // lost in rounding
    if (out->count == out->capacity) return TAC_ERROR_CAPACITY;
    store_contact(pair, index, &contact, &at, out);
    // a spring at half of the margin has 2e-9 of its stiffness
    if (found == 2 && tac_re(at.distance) <= 0.5 * margin) out->flags |= TAC_TIE;
    if (out->d_twist[0][0]) {
        if (tac_feature_contact_jacobian(&contact, a, b, &at, D) != TAC_OK) return TAC_OK;
        for (int row = 0; row < 8; ++row)
            for (int k = 0; k < 6; ++k)
                out->d_twist[row][k][out->count] = row < 7 ? D[row][k] : (tacReal)0.0;
    }
    ++out->count;
    return TAC_OK;
}

static tacResult solid_detect(const tacModel* model, const tacPose* body, tacContacts* contacts,
                              tacScratch* scratch) {
    double margin = solid_margin(model);
    size_t need = convex_program_size(model);
    void* memory = need ? tac_arena_alloc(&scratch->arena, need) : NULL;
    solidPoses poses = pose_all(model, body, &scratch->arena);
    tacResult result = TAC_OK;
    for (int i = 0; i < model->contact->npair && result == TAC_OK; ++i)
        result = add_pair_contact(&poses, i, margin, memory, contacts);
    return result;
}

//---------------------------------- derivative -----------------------------------

static tacResult solid_jvp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                           tacContactTangent tangent, tacContacts* dot, tacScratch* scratch) {
    tacContacts c;
    tacResult result =
        tac_contact_diff_detect(&tac_solid_detector, model, body, contacts->count, scratch, &c);
    if (result == TAC_OK) tac_contact_diff_jvp(model, body, &c, tangent, dot);
    return result;
}

static tacResult solid_vjp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                           const tacContacts* bar, tacContactAdjoint adjoint, tacScratch* scratch) {
    tacContacts c;
    tacResult result =
        tac_contact_diff_detect(&tac_solid_detector, model, body, contacts->count, scratch, &c);
    if (result == TAC_OK) tac_contact_diff_vjp(model, body, &c, bar, adjoint);
    return result;
}

const tacDetectorKind tac_solid_detector = {capacity, measure_solids, solid_detect, solid_jvp,
                                            solid_vjp};
