// detect="sat" and detect="convex" in the table of detectors: one contact for each pair of geoms.
//
//   geoms' places --solid_features.h (doubles)--> features --patch.h (any number)--> records
//
// A spring reaches 40 eps3 out, as its transition does; the elastic-plastic law nothing. The
// derivative is that of the features that met; sizes are those of the file.

#include "detect/solid_detector.h"

#include "detect/by_twist.h"
#include "detect/solid_features.h"
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
    return tac_arena_need(program_size(model)) + tac_contacts_size(capacity(model), 1, real_size);
}

//---------------------------------- places ---------------------------------------

// A half-plane's geom is a half-space laid down (planar_reader.c): y of the outline is its z.
static tacPlace place_of(const tacModel* model, int geom, const tacPose* body) {
    const tacGeom* g = &model->geom[geom];
    const tacSolid* solid = tac_solid_in(model->contact->solid, geom);
    tacPose pose = {tac_load3(model->param + g->position),
                    tac_quat_load(model->param + g->rotation)};
    if (tac_solid_is_planar(solid) && tac_solid_is_endless(solid))
        pose = tac_pose_compose(pose, (tacPose){{0.0, 0.0, 0.0}, {1.0, 1.0, 0.0, 0.0}});
    pose = tac_pose_compose(body[g->body], pose);
    return (tacPlace){pose.position, tac_quat_to_mat(pose.rotation)};
}

static tacSolidPlace plain(const tacModel* model, int geom, const tacPlace* at) {
    tacSolidPlace p = {.solid = tac_solid_in(model->contact->solid, geom)};
    p.pos[0] = tac_re(at->pos.x), p.pos[1] = tac_re(at->pos.y), p.pos[2] = tac_re(at->pos.z);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) p.rot[i][j] = tac_re(at->rot.m[i][j]);
    return p;
}

//---------------------------------- records --------------------------------------

static void store(const tacContactPair* pair, int index, const tacPatchPair* touch,
                  const tacPatchPoint* at, tacContacts* out) {
    const tacReal p[3] = {at->point.x, at->point.y, at->point.z};
    const tacReal n[3] = {at->normal.x, at->normal.y, at->normal.z};
    int i = out->count;
    for (int k = 0; k < 3; ++k) out->point[k][i] = p[k], out->normal[k][i] = n[k];
    out->distance[i] = at->distance, out->activity[i] = 1.0;
    out->pair[i] = index, out->bundle[i] = -1;
    for (int k = 0; k < 2; ++k) out->geom[k][i] = pair->geom[k];
    out->feature[i] =
        (uint64_t)(touch->patch[0].kind) << 62 | (uint64_t)touch->patch[1].kind << 60 |
        (uint64_t)(unsigned)touch->patch[0].index << 30 | (uint64_t)(unsigned)touch->patch[1].index;
}

static tacResult meet(const tacModel* model, const tacPose* body, int index, double margin,
                      void* memory, tacContacts* out) {
    const tacContactPair* pair = &model->contact->pair[index];
    tacPlace a = place_of(model, pair->geom[0], body), b = place_of(model, pair->geom[1], body);
    tacSolidPlace first = plain(model, pair->geom[0], &a), second = plain(model, pair->geom[1], &b);
    tacPatchPair touch;
    tacPatchPoint at;
    tacReal D[7][6];
    if (!tac_solids_meet(&first, &second, margin, &touch, memory)) return TAC_OK;
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
    tacResult result = TAC_OK;
    for (int i = 0; i < model->contact->npair && result == TAC_OK; ++i)
        result = meet(model, body, i, margin, memory, contacts);
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
