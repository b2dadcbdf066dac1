// Stabilizing contacts: points around a contact that keep two bodies from tilting.
//
// Edges that cross at a small angle close like scissors: their contact runs along them faster than
// substeps can follow. After too many impacts contacts beside their own stop such a pair for the
// rest of the step: p + R e, R the axes of the first body. docs/hard.md.

#include "respond/lcp/contact_solve_assembly.h"

#include "detect/convex_parts.h"
#include "math/quat.h"

#include <math.h>

// of the bounding radius of the smaller part: distance of the points
static const double arm_length = 0.1;

static double arm_length_of(const tacModel* model, const tacPose* body,
                            const tacConvexContact* convex_contact) {
    double least = INFINITY;
    for (int k = 0; k < 2; ++k) {
        int of = model->contact->pair[convex_contact->pair].body[k];
        tacConvex part = tac_convex_part_at(model, convex_contact->part[k], body[of]);
        if (part.kind != TAC_CONVEX_HALF_SPACE)
            least = fmin(least, tac_convex_bounding_radius(&part));
    }
    return arm_length * least;
}

// A twist about the new point moves the old one by w x (old - new) more.
static void shift_twist(tacContacts* c, int from, int to, tacVec3 arm) {
    const tacVec3 axis[3] = {tac_vec3(1.0, 0.0, 0.0), tac_vec3(0.0, 1.0, 0.0),
                             tac_vec3(0.0, 0.0, 1.0)};
    for (int row = 0; row < 8; ++row) {
        tacReal* const* D = c->d_twist[row];
        tacVec3 by = tac_vec3(D[0][from], D[1][from], D[2][from]);
        for (int k = 0; k < 3; ++k) {
            D[k][to] = D[k][from];
            D[3 + k][to] = D[3 + k][from] - tac_dot(by, tac_cross(axis[k], arm));
        }
    }
}

static void copy_contact(tacContacts* c, int from, int to, tacVec3 arm) {
    const tacReal by[3] = {arm.x, arm.y, arm.z};
    for (int k = 0; k < 3; ++k) {
        c->point[k][to] = c->point[k][from] + by[k];
        c->normal[k][to] = c->normal[k][from];
    }
    c->distance[to] = c->distance[from];
    c->activity[to] = c->activity[from];
    c->pair[to] = c->pair[from];
    c->bundle[to] = c->bundle[from];
    for (int k = 0; k < 2; ++k) c->geom[k][to] = c->geom[k][from];
    c->feature[to] = c->feature[from];
    if (c->d_twist[0][0]) shift_twist(c, from, to, arm);
}

// along the two axes of the first body that are more across the normal, both ways
static void add_around(const tacModel* model, const tacPose* body, tacContacts* c,
                       tacConvexContact* convex_contact, int i) {
    tacMat3 R = tac_quat_to_mat(body[model->contact->pair[c->pair[i]].body[0]].rotation);
    tacVec3 n = tac_vec3(c->normal[0][i], c->normal[1][i], c->normal[2][i]);
    tacVec3 local = tac_mat_tmul_vec(R, n);
    const double along[3] = {fabs(local.x), fabs(local.y), fabs(local.z)};
    int most = along[0] >= along[1] && along[0] >= along[2] ? 0 : along[1] >= along[2] ? 1 : 2;
    double arm = arm_length_of(model, body, &convex_contact[i]);
    for (int k = 0; k < 6 && c->count < c->capacity; ++k) {
        double by = k % 2 ? -arm : arm;
        if (k / 2 == most) continue;
        tacVec3 axis = tac_vec3(R.m[0][k / 2], R.m[1][k / 2], R.m[2][k / 2]);
        copy_contact(c, i, c->count, tac_scale(axis, by));
        convex_contact[c->count++] = convex_contact[i];
    }
}

void tac_add_stabilizing_contacts(const tacModel* model, const tacPose* body, double cutoff,
                                  tacContacts* contacts, tacConvexContact* convex_contact) {
    int count = contacts->count;
    for (int i = 0; i < count; ++i)
        if (contacts->distance[i] <= cutoff) add_around(model, body, contacts, convex_contact, i);
}
