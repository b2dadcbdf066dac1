// Contacts of two bodies in the number type of this build.
//
// y_j = sum over records of a weight that depends on the feature and on j, times gamma, gamma d,
// gamma n or gamma p: what is promised to be smooth.

#include "detect/adapter_manifold.h"

#include "detect/detect.h"
#include "math/pose.h"

#include <string.h>

// everything in the number type at hand
typedef struct setup {
    tacModel model;
    tacPose body[3];
    tacReal* theta; // (nparam)
    tacContacts contacts, other;
    tacArena arena;
} setup;

static setup body_pose(const manifoldContext* c, const tacReal* x) {
    setup s = {.model = *c->model, .arena = {.base = c->memory, .size = MANIFOLD_BYTES}};
    const double* plain = (const double*)c->model->param; // the model is the double build's
    s.model.param = TAC_ALLOC(&s.arena, tacReal, c->model->nparam);
    s.theta = TAC_ALLOC(&s.arena, tacReal, c->model->nparam);
    for (int i = 0; i < c->model->nparam; ++i) {
        s.model.param[i] = plain[i];
        s.theta[i] = 0.0;
    }
    for (int i = 0; i < c->used_count; ++i) s.model.param[c->used[i]] = x[MANIFOLD_POSES + i];
    s.body[0] = tac_pose_identity();
    for (int b = 0; b < 2; ++b)
        s.body[1 + b] = (tacPose){tac_load3(x + 7 * b), tac_quat_load(x + 7 * b + 3)};
    s.contacts = tac_contacts_alloc(&s.arena, MANIFOLD_MAX, 0);
    s.other = tac_contacts_alloc(&s.arena, MANIFOLD_MAX, 0);
    return s;
}

// in [0.5, 1.5)
static double record_weight(uint64_t feature, int j) {
    uint64_t h = (feature + 1) * 0x9e3779b97f4a7c15ull + (uint64_t)j * 0xbf58476d1ce4e5b9ull;
    h ^= h >> 29;
    h *= 0x94d049bb133111ebull;
    h ^= h >> 32;
    return 0.5 + (double)(h >> 11) * 0x1p-53;
}

// number k of record i: 1, d, n, p
static tacReal record_number(const tacContacts* c, int i, int k) {
    return k == 0   ? (tacReal)1.0
           : k == 1 ? c->distance[i]
           : k < 5  ? c->normal[k - 2][i]
                    : c->point[k - 5][i];
}

static void add_part(tacContacts* c, int i, int k, tacReal bar) {
    if (k == 1) c->distance[i] += bar;
    if (k >= 2 && k < 5) c->normal[k - 2][i] += bar;
    if (k >= 5) c->point[k - 5][i] += bar;
}

static tacResult value(const void* context, const tacReal* x, tacReal* y) {
    const manifoldContext* c = context;
    setup s = body_pose(c, x);
    tacResult result = tac_detect(&s.model, s.body, &s.contacts, c->scratch);
    for (int j = 0; j < MANIFOLD_OUT; ++j) {
        y[j] = 0.0;
        for (int i = 0; i < s.contacts.count && result == TAC_OK; ++i)
            y[j] += record_weight(s.contacts.feature[i], j / 8) * s.contacts.activity[i] *
                    record_number(&s.contacts, i, j % 8);
    }
    return result;
}

static tacResult jvp(const void* context, const tacReal* x, const tacReal* x_dot, tacReal* y_dot) {
    const manifoldContext* c = context;
    setup s = body_pose(c, x);
    tacReal twist[18] = {0};
    for (int b = 0; b < 2; ++b) {
        const tacReal* d = x_dot + 7 * b;
        tac_store3(twist + 6 * (b + 1), tac_load3(d));
        tac_store3(twist + 6 * (b + 1) + 3,
                   tac_quat_angular(s.body[1 + b].rotation, tac_quat_load(d + 3)));
    }
    for (int i = 0; i < c->used_count; ++i) s.theta[c->used[i]] = x_dot[MANIFOLD_POSES + i];
    tacResult result = tac_detect(&s.model, s.body, &s.contacts, c->scratch);
    if (result == TAC_OK)
        result =
            tac_detect_jvp(&s.model, s.body, &s.contacts, twist, s.theta, &s.other, c->scratch);
    for (int j = 0; j < MANIFOLD_OUT; ++j) {
        int k = j % 8;
        y_dot[j] = 0.0;
        for (int i = 0; i < s.contacts.count && result == TAC_OK; ++i) {
            tacReal moved =
                k ? s.contacts.activity[i] * record_number(&s.other, i, k) : (tacReal)0.0;
            y_dot[j] += record_weight(s.contacts.feature[i], j / 8) *
                        (s.other.activity[i] * record_number(&s.contacts, i, k) + moved);
        }
    }
    return result;
}

static tacResult vjp(const void* context, const tacReal* x, const tacReal* y_bar, tacReal* x_bar) {
    const manifoldContext* c = context;
    setup s = body_pose(c, x);
    tacReal wrench[18] = {0};
    tacResult result = tac_detect(&s.model, s.body, &s.contacts, c->scratch);
    if (result != TAC_OK) return result;
    tac_contacts_clear(&s.other, s.contacts.count);
    for (int j = 0; j < MANIFOLD_OUT; ++j)
        for (int i = 0; i < s.contacts.count; ++i) {
            tacReal bar = record_weight(s.contacts.feature[i], j / 8) * y_bar[j];
            s.other.activity[i] += bar * record_number(&s.contacts, i, j % 8);
            add_part(&s.other, i, j % 8, bar * s.contacts.activity[i]);
        }
    result = tac_detect_vjp(&s.model, s.body, &s.contacts, &s.other, wrench, s.theta, c->scratch);
    for (int b = 0; b < 2; ++b) {
        tacQuat q = s.body[1 + b].rotation;
        tacVec3 rot = tac_load3(wrench + 6 * (b + 1) + 3);
        for (int k = 0; k < 3; ++k) x_bar[7 * b + k] = wrench[6 * (b + 1) + k];
        tac_quat_store(x_bar + 7 * b + 3, tac_quat_scale(tac_quat_mul(tac_quat(0.0, rot), q),
                                                         2.0 * tac_quat_inverse_norm2(q)));
    }
    for (int i = 0; i < c->used_count; ++i) x_bar[MANIFOLD_POSES + i] = s.theta[c->used[i]];
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_manifold_) = {value, jvp, vjp};
