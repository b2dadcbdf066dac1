// detect="gjk" in the table of detectors: contacts of convex pieces for any responder.
//
// Contacts reach as far as a spring's transition, 40 eps3, or a fifth of the smallest body. Their
// derivative is that of the features that met; numbers of the geometry are held.

#include "detect/gjk_detector.h"

#include "detect/hard.h"
#include "math/pose.h"

static double margin_of(const tacModel* model) {
    int width = model->contact->number[TAC_CONTACT_EPS3];
    return width >= 0 ? 40.0 * tac_re(model->param[width]) : 0.2 * model->contact->length;
}

static size_t size(const tacModel* model, size_t real_size) {
    return tac_arena_need(tac_hard_size(model)) +
           tac_contacts_size(tac_hard_capacity(model), 1, real_size);
}

static tacResult detect(const tacModel* model, const tacPose* body, tacContacts* contacts,
                        tacScratch* scratch) {
    void* memory = tac_arena_take(&scratch->arena, tac_hard_size(model));
    return tac_hard_contacts(model, body, margin_of(model), contacts, memory);
}

//---------------------------------- derivative ----------------------------------

// the same contacts once more, with d_twist
static tacResult with_twists(const tacModel* model, const tacPose* body, int count,
                             tacScratch* scratch, tacContacts* out) {
    *out = tac_contacts_take(&scratch->arena, tac_hard_capacity(model), 1);
    tacResult result = detect(model, body, out, scratch);
    return result == TAC_OK && out->count != count ? TAC_ERROR_VALUE : result;
}

static tacVec3 at(tacReal* const a[3], int i) { return tac_vec3(a[0][i], a[1][i], a[2][i]); }

// twist of a body about a point, from that about its origin
static tacTwist twist_at(const tacReal* pose_dot, const tacPose* body, int b, tacVec3 point) {
    return tac_twist_shift(tac_twist_load(pose_dot + 6 * b), body[b].position, point);
}

// D (xi1 - xi0) + rigid(xi0)
static void tangent(const tacContacts* c, int i, tacTwist xi0, tacTwist xi1, tacContacts* dot) {
    tacReal xi[6], row[8];
    tac_twist_store(xi, tac_twist_sub(xi1, xi0));
    for (int r = 0; r < 8; ++r) {
        row[r] = 0.0;
        for (int k = 0; k < 6; ++k) row[r] += c->d_twist[r][k][i] * xi[k];
    }
    tacVec3 turned = tac_cross(xi0.angular, at(c->normal, i));
    const tacReal p[3] = {xi0.linear.x, xi0.linear.y, xi0.linear.z};
    const tacReal n[3] = {turned.x, turned.y, turned.z};
    for (int k = 0; k < 3; ++k)
        dot->point[k][i] = row[k] + p[k], dot->normal[k][i] = row[3 + k] + n[k];
    dot->distance[i] = row[6], dot->activity[i] = row[7];
}

static tacResult jvp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                     const tacReal* pose_dot, const tacReal* theta_dot, tacContacts* dot,
                     tacScratch* scratch) {
    tacContacts c;
    (void)theta_dot;
    tacResult result = with_twists(model, body, contacts->count, scratch, &c);
    for (int i = 0; i < c.count && result == TAC_OK && pose_dot; ++i) {
        const int* b = model->contact->pair[c.pair[i]].body;
        tacVec3 point = at(c.point, i);
        tangent(&c, i, twist_at(pose_dot, body, b[0], point), twist_at(pose_dot, body, b[1], point),
                dot);
    }
    return result;
}

// transposes of tangent and twist_at
static void adjoint(const tacContacts* c, int i, const tacContacts* bar, tacWrench w[2]) {
    tacReal sum[6], row[8];
    for (int k = 0; k < 3; ++k) row[k] = bar->point[k][i], row[3 + k] = bar->normal[k][i];
    row[6] = bar->distance[i], row[7] = bar->activity[i];
    for (int k = 0; k < 6; ++k) {
        sum[k] = 0.0;
        for (int r = 0; r < 8; ++r) sum[k] += c->d_twist[r][k][i] * row[r];
    }
    w[1] = tac_wrench_load(sum);
    tacWrench rigid = {at(bar->point, i), tac_cross(at(c->normal, i), at(bar->normal, i))};
    w[0] = tac_wrench_sub(rigid, w[1]);
}

static tacResult vjp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                     const tacContacts* bar, tacReal* pose_bar, tacReal* theta_bar,
                     tacScratch* scratch) {
    tacContacts c;
    (void)theta_bar;
    tacResult result = with_twists(model, body, contacts->count, scratch, &c);
    for (int i = 0; i < c.count && result == TAC_OK && pose_bar; ++i) {
        const int* b = model->contact->pair[c.pair[i]].body;
        tacWrench w[2];
        adjoint(&c, i, bar, w);
        for (int k = 0; k < 2; ++k) {
            tacWrench own = tac_wrench_shift(w[k], at(c.point, i), body[b[k]].position);
            tacReal* to = pose_bar + 6 * b[k];
            tac_wrench_store(to, tac_wrench_add(tac_wrench_load(to), own));
        }
    }
    return result;
}

const tacDetectorKind tac_gjk_detector = {tac_hard_capacity, size, detect, jvp, vjp};
