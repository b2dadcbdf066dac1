// Derivatives of contacts by the poses of the bodies and of their geoms:
//
//   delta = D (xi1 - xi0) + rigid(xi0),  xi the geoms' twists about the contact's point

#include "detect/contact_diff.h"

#include "math/pose.h"
#include "math/vec3_array.h"

//---------------------------------- twists of geoms ------------------------------

// where a geom is on its body
typedef struct geomFrame {
    int position, rotation; // offsets
    tacPose body;
    tacVec3 arm; // from the geom's origin to the point
    tacQuat q;
} geomFrame;

static geomFrame geom_frame(const tacModel* model, const tacPose* body, int geom, tacVec3 point) {
    const tacGeom* g = &model->geom[geom];
    geomFrame out = {g->position, g->rotation, body[g->body], point,
                     tac_quat_load(model->param + g->rotation)};
    tacVec3 origin = tac_pose_apply(out.body, tac_load3(model->param + g->position));
    out.arm = tac_sub(point, origin);
    return out;
}

// twist of a geom about a point: that of its body, and what its own pos and quat do
static tacTwist geom_twist(const tacModel* model, const tacPose* body, int geom, tacVec3 point,
                           tacContactTangent tangent) {
    int b = model->geom[geom].body;
    tacTwist sum = {tac_vec3_zero(), tac_vec3_zero()};
    if (tangent.pose)
        sum = tac_twist_shift(tac_twist_load(tangent.pose + 6 * b), body[b].position, point);
    if (!tangent.param) return sum;
    geomFrame g = geom_frame(model, body, geom, point);
    tacVec3 rot =
        tac_pose_rotate(g.body, tac_quat_angular(g.q, tac_quat_load(tangent.param + g.rotation)));
    tacVec3 shift = tac_pose_rotate(g.body, tac_load3(tangent.param + g.position));
    sum.linear = tac_add(sum.linear, tac_add(shift, tac_cross(rot, g.arm)));
    sum.angular = tac_add(sum.angular, rot);
    return sum;
}

// its transpose
static void geom_twist_vjp(const tacModel* model, const tacPose* body, int geom, tacVec3 point,
                           tacWrench w, tacContactAdjoint adjoint) {
    int b = model->geom[geom].body;
    if (adjoint.pose) {
        tacWrench own = tac_wrench_shift(w, point, body[b].position);
        tacReal* to = adjoint.pose + 6 * b;
        tac_wrench_store(to, tac_wrench_add(tac_wrench_load(to), own));
    }
    if (!adjoint.param) return;
    geomFrame g = geom_frame(model, body, geom, point);
    tacVec3 force = tac_pose_rotate_inverse(g.body, w.force);
    tacVec3 torque = tac_add(w.torque, tac_cross(g.arm, w.force));
    torque = tac_pose_rotate_inverse(g.body, torque);
    tacReal *p = adjoint.param + g.position, *q = adjoint.param + g.rotation;
    tac_store3(p, tac_add(tac_load3(p), force));
    for (int k = 0; k < 4; ++k) {
        const tacReal unit[4] = {k == 0, k == 1, k == 2, k == 3};
        q[k] += tac_dot(torque, tac_quat_angular(g.q, tac_quat_load(unit)));
    }
}

//---------------------------------- records --------------------------------------

// D (xi1 - xi0) + rigid(xi0)
static void contact_tangent(const tacContacts* c, int i, tacTwist xi0, tacTwist xi1,
                            tacContacts* dot) {
    tacReal xi[6], row[8];
    tac_twist_store(xi, tac_twist_sub(xi1, xi0));
    for (int r = 0; r < 8; ++r) {
        row[r] = 0.0;
        for (int k = 0; k < 6; ++k) row[r] += c->d_twist[r][k][i] * xi[k];
    }
    tacVec3 rotated = tac_cross(xi0.angular, tac_vec3_at(c->normal, i));
    const tacReal p[3] = {xi0.linear.x, xi0.linear.y, xi0.linear.z};
    const tacReal n[3] = {rotated.x, rotated.y, rotated.z};
    for (int k = 0; k < 3; ++k) {
        dot->point[k][i] = row[k] + p[k];
        dot->normal[k][i] = row[3 + k] + n[k];
    }
    dot->distance[i] = row[6];
    dot->activity[i] = row[7];
}

void tac_contact_diff_jvp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                          tacContactTangent tangent, tacContacts* dot) {
    for (int i = 0; i < contacts->count; ++i) {
        const int* geom = model->contact->pair[contacts->pair[i]].geom;
        tacVec3 point = tac_vec3_at(contacts->point, i);
        contact_tangent(contacts, i, geom_twist(model, body, geom[0], point, tangent),
                        geom_twist(model, body, geom[1], point, tangent), dot);
    }
}

// transpose of tangent
static void contact_adjoint(const tacContacts* c, int i, const tacContacts* bar, tacWrench w[2]) {
    tacReal sum[6], row[8];
    for (int k = 0; k < 3; ++k) {
        row[k] = bar->point[k][i];
        row[3 + k] = bar->normal[k][i];
    }
    row[6] = bar->distance[i];
    row[7] = bar->activity[i];
    for (int k = 0; k < 6; ++k) {
        sum[k] = 0.0;
        for (int r = 0; r < 8; ++r) sum[k] += c->d_twist[r][k][i] * row[r];
    }
    w[1] = tac_wrench_load(sum);
    tacWrench rigid = {tac_vec3_at(bar->point, i),
                       tac_cross(tac_vec3_at(c->normal, i), tac_vec3_at(bar->normal, i))};
    w[0] = tac_wrench_sub(rigid, w[1]);
}

void tac_contact_diff_vjp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                          const tacContacts* bar, tacContactAdjoint adjoint) {
    for (int i = 0; i < contacts->count; ++i) {
        const int* geom = model->contact->pair[contacts->pair[i]].geom;
        tacWrench w[2];
        contact_adjoint(contacts, i, bar, w);
        for (int k = 0; k < 2; ++k)
            geom_twist_vjp(model, body, geom[k], tac_vec3_at(contacts->point, i), w[k], adjoint);
    }
}
