// Contacts by the scene's detector, and memory for them.
//
//   poses --table of detectors--> contacts --respond/--> forces, impulses

#include "detect/detect.h"
#include "detect/field/detect_cache.h"

#include "detect/edge_sdf/edge_sdf.h"
#include "detect/gjk_detector.h"
#include "detect/manifold/manifold.h"
#include "detect/manifold/top_k.h"
#include "detect/reference/reference.h"
#include "detect/solid_detector.h"
#include "detect/ssdf/ssdf_points.h"
#include "math/number.h"
#include "model/live_params.h"

#include <string.h>

//---------------------------------- detectors ------------------------------------

// those that are built; the words of a scene are checked against contact_plan.c's table
static const tacDetectorKind* const kinds[] = {
    [TAC_DETECT_SAT] = &tac_solid_detector,         [TAC_DETECT_CONVEX] = &tac_solid_detector,
    [TAC_DETECT_SSDF] = &tac_ssdf_detector,         [TAC_DETECT_MANIFOLD] = &tac_manifold_detector,
    [TAC_DETECT_EDGE_SDF] = &tac_edge_sdf_detector, [TAC_DETECT_GJK] = &tac_gjk_detector,
};

const tacDetectorKind* tac_detector_of(const tacModel* model) {
    const tacContactPlan* plan = model ? model->contact : NULL;
    if (plan && (plan->choice[TAC_CHOICE_DEFINITION] || plan->choice[TAC_CHOICE_TOP_K] > 1))
        return &tac_reference_detector;
    if (plan && plan->choice[TAC_CHOICE_TOP_K]) return &tac_top_k_detector;
    return plan ? kinds[plan->detector] : NULL;
}

//---------------------------------- memory ---------------------------------------

// Behind each array: arrays that lie multiples of 4096 bytes apart would drive each other out of
// the cache
enum { SEPARATE = 5 * TAC_ALIGNMENT };

static void* alloc_separate(tacArena* arena, int count, size_t size) {
    return tac_arena_alloc(arena, (size_t)count * size + SEPARATE);
}

tacContacts tac_contacts_alloc(tacArena* arena, int capacity, int twists) {
    tacContacts c = {.capacity = capacity};
    c.pair = alloc_separate(arena, capacity, sizeof(int));
    c.bundle = alloc_separate(arena, capacity, sizeof(int));
    for (int i = 0; i < 2; ++i) c.geom[i] = alloc_separate(arena, capacity, sizeof(int));
    c.feature = alloc_separate(arena, capacity, sizeof(uint64_t));
    for (int i = 0; i < 3; ++i) {
        c.point[i] = alloc_separate(arena, capacity, sizeof(tacReal));
        c.normal[i] = alloc_separate(arena, capacity, sizeof(tacReal));
    }
    c.distance = alloc_separate(arena, capacity, sizeof(tacReal));
    c.activity = alloc_separate(arena, capacity, sizeof(tacReal));
    for (int row = 0; row < 8 && twists; ++row)
        for (int k = 0; k < 6; ++k)
            c.d_twist[row][k] = alloc_separate(arena, capacity, sizeof(tacReal));
    return c;
}

void tac_contacts_clear(tacContacts* c, int count) {
    size_t size = sizeof(tacReal) * (size_t)count;
    c->count = count;
    if (count == 0) return;
    for (int i = 0; i < 3; ++i) {
        memset(c->point[i], 0, size);
        memset(c->normal[i], 0, size);
    }
    memset(c->distance, 0, size);
    memset(c->activity, 0, size);
}

// contacts that own their memory
typedef struct ownContacts {
    tacContacts contacts;
    tacArena arena;
    tacAllocator allocator;
} ownContacts;

tacResult tac_contacts_create(const tacModel* model, int capacity, int twists, tacContacts** out) {
    const tacDetectorKind* kind = tac_detector_of(model);
    if (!model || !out || capacity < 0) return TAC_ERROR_VALUE;
    if (capacity == 0 && kind) capacity = kind->capacity(model);
    tacAllocator allocator = model->allocator;
    ownContacts* own = allocator.allocate(allocator.user, sizeof *own);
    if (!own) return TAC_ERROR_MEMORY;
    tacArena dry = tac_arena_measure(1);
    tac_contacts_alloc(&dry, capacity, twists);
    own->allocator = allocator;
    if (tac_arena_create(&own->arena, dry.peak, allocator) != TAC_OK) {
        allocator.release(allocator.user, own);
        return TAC_ERROR_MEMORY;
    }
    own->contacts = tac_contacts_alloc(&own->arena, capacity, twists);
    *out = &own->contacts;
    return TAC_OK;
}

void tac_contacts_destroy(tacContacts* contacts) {
    if (!contacts) return;
    ownContacts* own = (ownContacts*)contacts; // it stands first
    tacAllocator allocator = own->allocator;
    tac_arena_destroy(&own->arena, allocator);
    allocator.release(allocator.user, own);
}

//---------------------------------- detection ------------------------------------

// poses that a field can be asked at
static int are_usable(const tacModel* model, const tacPose* body) {
    for (int b = 0; b < model->nbody; ++b) {
        tacVec3 p = body[b].position;
        tacQuat q = body[b].rotation;
        double stride = fabs(tac_re(p.x)) + fabs(tac_re(p.y)) + fabs(tac_re(p.z));
        double norm2 = tac_re(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
        if (!(stride <= TAC_MAX_COORDINATE) || !(norm2 > 1e-200 && norm2 < 1e200)) return 0;
    }
    return 1;
}

static tacResult check_detect_args(const tacModel* model, const tacPose* body,
                                   const tacContacts* contacts, const tacScratch* scratch) {
    if (!model || !body || !contacts || !scratch) return TAC_ERROR_VALUE;
    if (!tac_detector_of(model)) return TAC_ERROR_UNSUPPORTED;
    return are_usable(model, body) ? TAC_OK : TAC_ERROR_VALUE;
}

tacResult tac_detect(const tacModel* model, const tacPose* body, tacContacts* contacts,
                     tacScratch* scratch) {
    tacResult result = check_detect_args(model, body, contacts, scratch);
    if (result != TAC_OK) return result;
    tac_detect_cache_refresh(model, scratch);
    size_t mark = scratch->arena.used;
    contacts->count = 0;
    contacts->flags = 0;
    result = tac_detector_of(model)->detect(model, body, contacts, scratch);
    scratch->arena.used = mark;
    return result;
}

tacResult tac_detect_query(const tacModel* model, const tacPose* body, tacDetectQuery query,
                           tacContacts* contacts, tacScratch* scratch) {
    if (!model->contact || model->contact->detector != TAC_DETECT_GJK) return TAC_ERROR_UNSUPPORTED;
    tac_detect_cache_refresh(model, scratch);
    size_t mark = scratch->arena.used;
    contacts->count = 0;
    contacts->flags = 0;
    tacResult result = tac_gjk_query(model, body, query, contacts, scratch);
    scratch->arena.used = mark;
    return result;
}

tacResult tac_detect_jvp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                         const tacReal* pose_dot, const tacReal* theta_dot, tacContacts* dot,
                         tacScratch* scratch) {
    tacResult result = check_detect_args(model, body, contacts, scratch);
    if (result == TAC_OK && (!dot || dot->capacity < contacts->count)) result = TAC_ERROR_VALUE;
    if (result == TAC_OK && tac_moves_held_param(model, theta_dot)) result = TAC_ERROR_UNSUPPORTED;
    if (result != TAC_OK) return result;
    tac_detect_cache_refresh(model, scratch);
    size_t mark = scratch->arena.used;
    tac_contacts_clear(dot, contacts->count);
    result = tac_detector_of(model)->jvp(model, body, contacts,
                                         (tacContactTangent){pose_dot, theta_dot}, dot, scratch);
    scratch->arena.used = mark;
    return result;
}

tacResult tac_detect_vjp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                         const tacContacts* bar, tacReal* pose_bar, tacReal* theta_bar,
                         tacScratch* scratch) {
    tacResult result = check_detect_args(model, body, contacts, scratch);
    if (result == TAC_OK && (!bar || bar->count != contacts->count)) result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    tac_detect_cache_refresh(model, scratch);
    size_t mark = scratch->arena.used;
    result = tac_detector_of(model)->vjp(model, body, contacts, bar,
                                         (tacContactAdjoint){pose_bar, theta_bar}, scratch);
    scratch->arena.used = mark;
    return result;
}
