// detect="sat" and detect="convex" in the table of detectors: one contact for each pair of geoms.
//
//   geoms' places --balls around them--> pairs that may meet --solid_features.h (doubles)-->
//   features --patch.h (any number)--> records
//
// A spring reaches 40 eps3 out, as its transition does; the elastic-plastic law nothing. The
// derivative is that of the features that met; sizes are those of the file.

#include "detect/solid_detector.h"

#include "detect/by_twist.h"
#include "detect/solid_features.h"
#include "math/pose.h"
#include "math/quat.h"

static double margin_of(const tacModel* model) {
    int width = model->contact->number[TAC_CONTACT_EPS3];
    return width >= 0 ? 40.0 * tac_re(model->param[width]) : 0.0;
}

static int capacity(const tacModel* model) { return model->contact->npair; }

static size_t program_size(const tacModel* model) {
    const tacContactPlan* plan = model->contact;
    size_t most = 0;
    for (int i = 0; i < plan->npair && plan->detector == TAC_DETECT_CONVEX; ++i) {
        size_t need = tac_solids_size(tac_solid_in(plan->solid, plan->pair[i].geom[0]),
                                      tac_solid_in(plan->solid, plan->pair[i].geom[1]));
        most = need > most ? need : most;
    }
    return most;
}

static size_t size(const tacModel* model, size_t real_size) {
    size_t ngeom = (size_t)model->ngeom;
    return tac_arena_need(program_size(model)) + tac_contacts_size(capacity(model), 1, real_size) +
           tac_arena_need(7 * real_size * ngeom) + tac_arena_need(sizeof(tacSolidReach) * ngeom);
}

//---------------------------------- places ---------------------------------------

// where geoms are, and what they reach to
typedef struct solidPlaces {
    const tacModel* model;
    tacPose* pose;        // (ngeom)
    tacSolidReach* reach; // (ngeom)
} solidPlaces;

static int is_identity(tacPose p) {
    return p.position.x == 0.0 && p.position.y == 0.0 && p.position.z == 0.0 &&
           p.rotation.w == 1.0 && p.rotation.x == 0.0 && p.rotation.y == 0.0 && p.rotation.z == 0.0;
}

// A half-plane's geom is a half-space laid down (planar_reader.c): y of the outline is its z.
static tacPose pose_of(const tacModel* model, int geom, const tacPose* body) {
    const tacGeom* g = &model->geom[geom];
    const tacSolid* solid = tac_solid_in(model->contact->solid, geom);
    tacPose pose = {tac_load3(model->param + g->position),
                    tac_quat_load(model->param + g->rotation)};
    if (tac_solid_is_planar(solid) && tac_solid_is_endless(solid))
        pose = tac_pose_compose(pose, (tacPose){{0.0, 0.0, 0.0}, {1.0, 1.0, 0.0, 0.0}});
    if (is_identity(pose)) return body[g->body];
    return is_identity(body[g->body]) ? pose : tac_pose_compose(body[g->body], pose);
}

static tacSolidPlace plain(const solidPlaces* places, int geom) {
    tacVec3 x = places->pose[geom].position;
    tacQuat q = places->pose[geom].rotation;
    return (tacSolidPlace){tac_solid_in(places->model->contact->solid, geom),
                           {tac_re(x.x), tac_re(x.y), tac_re(x.z)},
                           {tac_re(q.w), tac_re(q.x), tac_re(q.y), tac_re(q.z)}};
}

static solidPlaces place_all(const tacModel* model, const tacPose* body, tacArena* arena) {
    solidPlaces p = {model, TAC_TAKE(arena, tacPose, model->ngeom),
                     TAC_TAKE(arena, tacSolidReach, model->ngeom)};
    for (int g = 0; g < model->ngeom; ++g) {
        if (!tac_solid_is_any(tac_solid_in(model->contact->solid, g))) continue;
        p.pose[g] = pose_of(model, g, body);
        tacSolidPlace at = plain(&p, g);
        p.reach[g] = tac_solid_reach(&at);
    }
    return p;
}

static tacPlace place_of(const solidPlaces* places, int geom) {
    return (tacPlace){places->pose[geom].position, tac_quat_to_mat(places->pose[geom].rotation)};
}

//---------------------------------- records --------------------------------------

static void store(const tacContactPair* pair, int index, const tacPatchPair* touch,
                  const tacPatchPoint* at, tacContacts* out) {
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
    out->feature[i] =
        (uint64_t)(touch->patch[0].kind) << 62 | (uint64_t)touch->patch[1].kind << 60 |
        (uint64_t)(unsigned)touch->patch[0].index << 30 | (uint64_t)(unsigned)touch->patch[1].index;
}

static tacResult meet(const solidPlaces* places, int index, double margin, void* memory,
                      tacContacts* out) {
    const tacContactPair* pair = &places->model->contact->pair[index];
    int g = pair->geom[0], h = pair->geom[1];
    if (!tac_solids_may_meet(&places->reach[g], &places->reach[h], margin)) return TAC_OK;
    tacSolidPlace first = plain(places, g), second = plain(places, h);
    tacPatchPair touch;
    tacPatchPoint at;
    tacReal D[7][6];
    if (!tac_solids_meet(&first, &second, margin, &touch, memory)) return TAC_OK;
    tacPlace a = place_of(places, g), b = place_of(places, h);
    if (tac_patch_pair_at(&touch, a, b, &at) != TAC_OK) return TAC_OK; // lost in rounding
    if (out->count == out->capacity) return TAC_ERROR_CAPACITY;
    store(pair, index, &touch, &at, out);
    if (out->d_twist[0][0]) {
        if (tac_patch_pair_jacobian(&touch, a, b, &at, D) != TAC_OK) return TAC_OK;
        for (int row = 0; row < 8; ++row)
            for (int k = 0; k < 6; ++k)
                out->d_twist[row][k][out->count] = row < 7 ? D[row][k] : (tacReal)0.0;
    }
    ++out->count;
    return TAC_OK;
}

static tacResult detect(const tacModel* model, const tacPose* body, tacContacts* contacts,
                        tacScratch* scratch) {
    double margin = margin_of(model);
    size_t need = program_size(model);
    void* memory = need ? tac_arena_take(&scratch->arena, need) : NULL;
    solidPlaces places = place_all(model, body, &scratch->arena);
    tacResult result = TAC_OK;
    for (int i = 0; i < model->contact->npair && result == TAC_OK; ++i)
        result = meet(&places, i, margin, memory, contacts);
    return result;
}

//---------------------------------- derivative -----------------------------------

static tacResult jvp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                     const tacReal* pose_dot, const tacReal* theta_dot, tacContacts* dot,
                     tacScratch* scratch) {
    tacContacts c;
    tacResult result =
        tac_contacts_with_twists(&tac_solid_detector, model, body, contacts->count, scratch, &c);
    if (result == TAC_OK) tac_contacts_by_twist_jvp(model, body, &c, pose_dot, theta_dot, dot);
    return result;
}

static tacResult vjp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                     const tacContacts* bar, tacReal* pose_bar, tacReal* theta_bar,
                     tacScratch* scratch) {
    tacContacts c;
    tacResult result =
        tac_contacts_with_twists(&tac_solid_detector, model, body, contacts->count, scratch, &c);
    if (result == TAC_OK) tac_contacts_by_twist_vjp(model, body, &c, bar, pose_bar, theta_bar);
    return result;
}

const tacDetectorKind tac_solid_detector = {capacity, size, detect, jvp, vjp};
