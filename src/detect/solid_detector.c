// detect="sat" and detect="convex" in the table of detectors: one contact for each pair of geoms.
//
//   poses of geoms --bounding balls--> pairs --solid_features.h (doubles)--> features
//   --feature_contact.h (any number)--> records
//
// The margin is the width of a spring's transition, 40 eps3; 0 for the elastoplastic law.
// Derivatives are those of the features found, by poses, places and sizes.

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

typedef tacReal growthRows[7][8];

// poses and bounds of the geoms
typedef struct solidPoses {
    const tacModel* model;
    const tacPose* body;
    tacPose* pose;        // (ngeom)
    tacSolidBound* bound; // (ngeom)
    growthRows* G;        // derivatives of records by growths (capacity); NULL: not asked for
} solidPoses;

//---------------------------------- sizes -----------------------------------------

// offsets of the sizes that the axes and the radius of a solid grow with; -1: none
static void solid_sizes(const tacModel* model, int geom, int offset[4]) {
    const tacShape* shape = &model->shape[model->geom[geom].shape];
    const tacNode* node = &model->node[shape->first];
    const tacSolid* solid = tac_solid_of_geom(model->contact->solid, geom);
    int box = shape->count == 1 && node->kind == TAC_NODE_BOX;
    int planar = tac_solid_is_planar(solid), round = tac_solid_radius(solid) > 0.0;
    for (int k = 0; k < 3; ++k) offset[k] = box && (k < 2 || !planar) ? node->size + k : -1;
    offset[3] = round ? node->size : -1;
}

// what sizes have beyond the doubles of the solid
static tacGrowth solid_growth(const tacModel* model, int geom) {
    const tacSolid* solid = tac_solid_of_geom(model->contact->solid, geom);
    int offset[4];
    tacReal by[4];
    solid_sizes(model, geom, offset);
    for (int k = 0; k < 4; ++k) {
        by[k] = 0.0;
        if (offset[k] < 0) continue;
        double own = k < 3 ? tac_solid_half_size(solid, k) : tac_solid_radius(solid);
        by[k] = model->param[offset[k]] / own - 1.0;
    }
    return (tacGrowth){{by[0], by[1], by[2]}, by[3]};
}

//---------------------------------- bodies ----------------------------------------

static int is_identity(tacPose p) {
    return p.position.x == 0.0 && p.position.y == 0.0 && p.position.z == 0.0 &&
           p.rotation.w == 1.0 && p.rotation.x == 0.0 && p.rotation.y == 0.0 && p.rotation.z == 0.0;
}

// A half-plane's geom is a half-space laid down (planar_reader.c): y of the outline is its z.
static tacPose geom_pose(const tacModel* model, int geom, tacPose body) {
    const tacGeom* g = &model->geom[geom];
    const tacSolid* solid = tac_solid_of_geom(model->contact->solid, geom);
    tacPose pose = {tac_load3(model->param + g->position),
                    tac_quat_load(model->param + g->rotation)};
    if (tac_solid_is_planar(solid) && tac_solid_is_unbounded(solid))
        pose = tac_pose_compose(pose, (tacPose){{0.0, 0.0, 0.0}, {1.0, 1.0, 0.0, 0.0}});
    if (is_identity(pose)) return body;
    return is_identity(body) ? pose : tac_pose_compose(body, pose);
}

static tacSolidPose solid_pose(const tacModel* model, int geom, tacPose pose) {
    tacVec3 x = pose.position;
    tacQuat q = pose.rotation;
    return (tacSolidPose){tac_solid_of_geom(model->contact->solid, geom),
                          {tac_re(x.x), tac_re(x.y), tac_re(x.z)},
                          {tac_re(q.w), tac_re(q.x), tac_re(q.y), tac_re(q.z)}};
}

static solidPoses alloc_poses(const tacModel* model, tacArena* arena) {
    return (solidPoses){.model = model,
                        .pose = TAC_ALLOC(arena, tacPose, model->ngeom),
                        .bound = TAC_ALLOC(arena, tacSolidBound, model->ngeom)};
}

static void measure_solids(const tacModel* model, tacArena* arena) {
    size_t mark = arena->used;
    tac_contacts_alloc(arena, capacity(model), 1);
    TAC_ALLOC(arena, growthRows, capacity(model));
    tac_arena_alloc(arena, convex_program_size(model));
    alloc_poses(model, arena);
    arena->used = mark;
}

static solidPoses pose_all(const tacModel* model, const tacPose* body, tacArena* arena) {
    solidPoses p = alloc_poses(model, arena);
    p.body = body;
    for (int g = 0; g < model->ngeom; ++g) {
        if (!tac_solid_exists(tac_solid_of_geom(model->contact->solid, g))) continue;
        p.pose[g] = geom_pose(model, g, body[model->geom[g].body]);
        tacSolidPose at = solid_pose(model, g, p.pose[g]);
        p.bound[g] = tac_solid_bound(&at);
    }
    return p;
}

static tacTransform geom_transform(const tacModel* model, int geom, tacPose pose) {
    return (tacTransform){pose.position, tac_quat_to_mat(pose.rotation), solid_growth(model, geom)};
}

//---------------------------------- records --------------------------------------

// both geoms relative to the origin of the pair: keeps the rounding of world coordinates out
typedef struct localPair {
    tacPose pose[2];
    tacVec3 origin;
} localPair;

static localPair local_pair(const solidPoses* poses, const int geom[2]) {
    const tacModel* model = poses->model;
    int other = tac_solid_is_unbounded(tac_solid_of_geom(model->contact->solid, geom[0]));
    tacVec3 x = poses->pose[geom[other]].position;
    localPair local = {.origin = tac_vec3(tac_re(x.x), tac_re(x.y), tac_re(x.z))};
    for (int k = 0; k < 2; ++k) {
        tacPose body = poses->body[model->geom[geom[k]].body];
        body.position = tac_sub(body.position, local.origin);
        local.pose[k] = geom_pose(model, geom[k], body);
    }
    return local;
}

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
    localPair local = local_pair(poses, pair->geom);
    tacSolidPose first = solid_pose(poses->model, g, local.pose[0]);
    tacSolidPose second = solid_pose(poses->model, h, local.pose[1]);
    tacFeatureContact contact;
    tacFeatureContactPoint at;
    tacReal D[7][6];
    int found = tac_solid_features(&first, &second, margin, &contact, memory);
    if (!found) return TAC_OK;
    tacTransform a = geom_transform(poses->model, g, local.pose[0]);
    tacTransform b = geom_transform(poses->model, h, local.pose[1]);
    if (tac_feature_contact_at(&contact, a, b, &at) != TAC_OK) return TAC_OK; // lost in rounding
    if (out->count == out->capacity) return TAC_ERROR_CAPACITY;
    // a spring at half of the margin has 2e-9 of its stiffness
    if (found == 2 && tac_re(at.distance) <= 0.5 * margin) out->flags |= TAC_TIE;
    if (out->d_twist[0][0]) {
        if (tac_feature_contact_jacobian(&contact, a, b, &at, D) != TAC_OK)
            tac_feature_contact_fixed_jacobian(&at, D);
        for (int row = 0; row < 8; ++row)
            for (int k = 0; k < 6; ++k)
                out->d_twist[row][k][out->count] = row < 7 ? D[row][k] : (tacReal)0.0;
    }
    if (poses->G) tac_feature_contact_growth(&contact, a, b, &at, poses->G[out->count]);
    at.point = tac_add(local.origin, at.point);
    store_contact(pair, index, &contact, &at, out);
    ++out->count;
    return TAC_OK;
}

static tacResult find_contacts(const tacModel* model, const tacPose* body, growthRows* G,
                               tacContacts* contacts, tacScratch* scratch) {
    double margin = solid_margin(model);
    size_t need = convex_program_size(model);
    void* memory = need ? tac_arena_alloc(&scratch->arena, need) : NULL;
    solidPoses poses = pose_all(model, body, &scratch->arena);
    poses.G = G;
    tacResult result = TAC_OK;
    for (int i = 0; i < model->contact->npair && result == TAC_OK; ++i)
        result = add_pair_contact(&poses, i, margin, memory, contacts);
    return result;
}

static tacResult solid_detect(const tacModel* model, const tacPose* body, tacContacts* contacts,
                              tacScratch* scratch) {
    return find_contacts(model, body, NULL, contacts, scratch);
}

//---------------------------------- derivative -----------------------------------

// the contacts that were found, once more, with their derivatives
static tacResult find_again(const tacModel* model, const tacPose* body, int count,
                            tacScratch* scratch, tacContacts* out, growthRows** G) {
    *out = tac_contacts_alloc(&scratch->arena, capacity(model), 1);
    *G = TAC_ALLOC(&scratch->arena, growthRows, capacity(model));
    tacResult result = find_contacts(model, body, *G, out, scratch);
    return result == TAC_OK && out->count != count ? TAC_ERROR_VALUE : result;
}

// adds what the sizes of both geoms do to record i
static void add_growth(const tacModel* model, const tacContacts* c, int i, growthRows G,
                       const tacReal* theta_dot, tacContacts* dot) {
    for (int k = 0; k < 8; ++k) {
        int offset[4];
        solid_sizes(model, c->geom[k / 4][i], offset);
        int at = offset[k % 4];
        if (at < 0 || theta_dot[at] == 0.0) continue;
        tacReal growth = theta_dot[at] / model->param[at];
        for (int j = 0; j < 3; ++j) {
            dot->point[j][i] += G[j][k] * growth;
            dot->normal[j][i] += G[3 + j][k] * growth;
        }
        dot->distance[i] += G[6][k] * growth;
    }
}

static void add_growth_vjp(const tacModel* model, const tacContacts* c, int i, growthRows G,
                           const tacContacts* bar, tacReal* theta_bar) {
    for (int k = 0; k < 8; ++k) {
        int offset[4];
        solid_sizes(model, c->geom[k / 4][i], offset);
        int at = offset[k % 4];
        if (at < 0) continue;
        tacReal sum = G[6][k] * bar->distance[i];
        for (int j = 0; j < 3; ++j)
            sum += G[j][k] * bar->point[j][i] + G[3 + j][k] * bar->normal[j][i];
        theta_bar[at] += sum / model->param[at];
    }
}

static tacResult solid_jvp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                           tacContactTangent tangent, tacContacts* dot, tacScratch* scratch) {
    tacContacts c;
    growthRows* G;
    tacResult result = find_again(model, body, contacts->count, scratch, &c, &G);
    if (result != TAC_OK) return result;
    tac_contact_diff_jvp(model, body, &c, tangent, dot);
    for (int i = 0; i < c.count && tangent.param; ++i)
        add_growth(model, &c, i, G[i], tangent.param, dot);
    return TAC_OK;
}

static tacResult solid_vjp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                           const tacContacts* bar, tacContactAdjoint adjoint, tacScratch* scratch) {
    tacContacts c;
    growthRows* G;
    tacResult result = find_again(model, body, contacts->count, scratch, &c, &G);
    if (result != TAC_OK) return result;
    tac_contact_diff_vjp(model, body, &c, bar, adjoint);
    for (int i = 0; i < c.count && adjoint.param; ++i)
        add_growth_vjp(model, &c, i, G[i], bar, adjoint.param);
    return TAC_OK;
}

const tacDetectorKind tac_solid_detector = {capacity, measure_solids, solid_detect, solid_jvp,
                                            solid_vjp};
