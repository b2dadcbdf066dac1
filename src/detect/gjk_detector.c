// detect="gjk" in the table of detectors: contacts of convex parts for any responder.
//
// The margin of tac_detect is the width of a spring's transition, 40 eps3, or a fifth of the
// smallest body. Derivatives are those of the features found, by poses and parameters.

#include "detect/gjk_detector.h"

#include "detect/contact_diff.h"
#include "detect/convex_contacts.h"
#include "detect/part_motion.h"
#include "math/number.h"
#include "tactus/respond.h"

static double gjk_margin(const tacModel* model) {
    int width = model->contact->number[TAC_CONTACT_EPS3];
    return width >= 0 ? 40.0 * tac_re(model->param[width]) : 0.2 * model->contact->length;
}

// hard contact acts at distances up to twice delta
static void mark_active(const tacModel* model, tacContacts* contacts) {
    double rest_cutoff = 2.0 * tac_re(model->param[model->contact->number[TAC_CONTACT_DELTA]]);
    for (int i = 0; i < contacts->count; ++i)
        contacts->activity[i] = tac_re(contacts->distance[i]) <= rest_cutoff;
}

static void measure_gjk(const tacModel* model, tacArena* arena) {
    size_t mark = arena->used;
    tac_contacts_alloc(arena, tac_convex_contacts_capacity(model), 1);
    TAC_ALLOC(arena, tacConvexContact, tac_convex_contacts_capacity(model));
    tac_arena_alloc(arena, tac_ccd_size(model));
    arena->used = mark;
}

tacResult tac_gjk_query(const tacModel* model, const tacPose* body, tacDetectQuery query,
                        tacContacts* contacts, tacScratch* scratch) {
    void* memory = tac_arena_alloc(&scratch->arena, tac_ccd_size(model));
    tacResult result = tac_convex_contacts(model, body, query, contacts, memory);
    if (result == TAC_OK && model->contact->responder == TAC_RESPOND_LCP)
        mark_active(model, contacts);
    return result;
}

static tacResult gjk_detect(const tacModel* model, const tacPose* body, tacContacts* contacts,
                            tacScratch* scratch) {
    return tac_gjk_query(model, body, (tacDetectQuery){.margin = gjk_margin(model)}, contacts,
                         scratch);
}

//---------------------------------- derivative ----------------------------------

// the contacts that were found, once more, with their features
static tacResult find_again(const tacModel* model, const tacPose* body, int count,
                            tacScratch* scratch, tacContacts* out, tacConvexContact** features) {
    int capacity = tac_convex_contacts_capacity(model);
    *out = tac_contacts_alloc(&scratch->arena, capacity, 1);
    *features = TAC_ALLOC(&scratch->arena, tacConvexContact, capacity);
    tacResult result =
        tac_gjk_query(model, body, (tacDetectQuery){gjk_margin(model), *features}, out, scratch);
    return result == TAC_OK && out->count != count ? TAC_ERROR_VALUE : result;
}

static tacResult gjk_jvp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                         tacContactTangent tangent, tacContacts* dot, tacScratch* scratch) {
    tacContacts c;
    tacConvexContact* features;
    tacResult result = find_again(model, body, contacts->count, scratch, &c, &features);
    if (result != TAC_OK) return result;
    tac_contact_diff_jvp(model, body, &c, (tacContactTangent){tangent.pose, NULL}, dot);
    for (int i = 0; i < c.count && tangent.param; ++i) {
        tacReal row[7];
        if (!tac_convex_contact_theta_jvp(model, body, &features[i], tangent.param, row)) continue;
        for (int k = 0; k < 3; ++k) {
            dot->point[k][i] += row[k];
            dot->normal[k][i] += row[3 + k];
        }
        dot->distance[i] += row[6];
    }
    return TAC_OK;
}

static tacResult gjk_vjp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                         const tacContacts* bar, tacContactAdjoint adjoint, tacScratch* scratch) {
    tacContacts c;
    tacConvexContact* features;
    tacResult result = find_again(model, body, contacts->count, scratch, &c, &features);
    if (result != TAC_OK) return result;
    tac_contact_diff_vjp(model, body, &c, bar, (tacContactAdjoint){adjoint.pose, NULL});
    for (int i = 0; i < c.count && adjoint.param; ++i) {
        const tacReal row[7] = {bar->point[0][i],  bar->point[1][i],  bar->point[2][i],
                                bar->normal[0][i], bar->normal[1][i], bar->normal[2][i],
                                bar->distance[i]};
        tac_convex_contact_theta_vjp(model, body, &features[i], row, adjoint.param);
    }
    return TAC_OK;
}

const tacDetectorKind tac_gjk_detector = {tac_convex_contacts_capacity, measure_gjk, gjk_detect,
                                          gjk_jvp, gjk_vjp};
