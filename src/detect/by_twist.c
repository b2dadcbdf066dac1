// Derivatives of contacts by the poses of the bodies:
//
//   delta = D (xi1 - xi0) + rigid(xi0),  xi the bodies' twists about the contact's point

#include "detect/by_twist.h"

#include "math/pose.h"

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

void tac_contacts_by_twist_jvp(const tacModel* model, const tacPose* body,
                               const tacContacts* contacts, const tacReal* pose_dot,
                               tacContacts* dot) {
    for (int i = 0; i < contacts->count; ++i) {
        const int* b = model->contact->pair[contacts->pair[i]].body;
        tacVec3 point = at(contacts->point, i);
        tangent(contacts, i, twist_at(pose_dot, body, b[0], point),
                twist_at(pose_dot, body, b[1], point), dot);
    }
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

void tac_contacts_by_twist_vjp(const tacModel* model, const tacPose* body,
                               const tacContacts* contacts, const tacContacts* bar,
                               tacReal* pose_bar) {
    for (int i = 0; i < contacts->count; ++i) {
        const int* b = model->contact->pair[contacts->pair[i]].body;
        tacWrench w[2];
        adjoint(contacts, i, bar, w);
        for (int k = 0; k < 2; ++k) {
            tacWrench own = tac_wrench_shift(w[k], at(contacts->point, i), body[b[k]].position);
            tacReal* to = pose_bar + 6 * b[k];
            tac_wrench_store(to, tac_wrench_add(tac_wrench_load(to), own));
        }
    }
}
