// Derivatives of contacts of convex parts by parameters of their geoms.
//
//   delta = D (xi1 - xi0) + rigid(xi0) + G (g0, g1)
//
// xi are the parts' twists about the contact's point, as pos and quat of geoms and nodes move; g
// are relative growths of their sizes (feature_contact.h).

#include "detect/part_motion.h"

#include "detect/convex_parts.h"
#include "math/spatial.h"

#include <string.h>

// poses between a body and a part: that of the geom, then nodes from the root to the leaf
enum { MAX_DEPTH = 64 };

typedef struct poseChain {
    int count;
    int position[MAX_DEPTH], rotation[MAX_DEPTH]; // offsets
} poseChain;

static poseChain chain_of(const tacModel* model, const tacConvexPart* part) {
    poseChain c = {.count = 1};
    for (int i = part->node; i >= 0 && c.count < MAX_DEPTH; i = model->node[i].parent) ++c.count;
    c.position[0] = model->geom[part->geom].position;
    c.rotation[0] = model->geom[part->geom].rotation;
    for (int i = part->node, k = c.count - 1; i >= 0 && k > 0; i = model->node[i].parent, --k) {
        c.position[k] = model->node[i].position;
        c.rotation[k] = model->node[i].rotation;
    }
    return c;
}

//---------------------------------- places ---------------------------------------

// a link of the chain: axes that its pos and quat are in, and its origin
typedef struct chainLink {
    tacPose parent;
    tacVec3 origin;
    tacQuat q;
} chainLink;

static chainLink next_link(const tacModel* model, const poseChain* c, int i, tacPose* pose) {
    chainLink link = {.parent = *pose, .q = tac_quat_load(model->param + c->rotation[i])};
    *pose = tac_pose_compose(*pose, (tacPose){tac_load3(model->param + c->position[i]), link.q});
    link.origin = pose->position;
    return link;
}

// twist of a part about a point, as its place on the body moves
static tacTwist place_twist(const tacModel* model, const tacConvexPart* part, tacPose body,
                            tacVec3 point, const tacReal* theta_dot) {
    poseChain c = chain_of(model, part);
    tacTwist sum = tac_twist_zero();
    for (int i = 0; i < c.count; ++i) {
        chainLink link = next_link(model, &c, i, &body);
        tacQuat q_dot = tac_quat_load(theta_dot + c.rotation[i]);
        tacVec3 rot = tac_pose_rotate(link.parent, tac_quat_angular(link.q, q_dot));
        tacVec3 shift = tac_pose_rotate(link.parent, tac_load3(theta_dot + c.position[i]));
        shift = tac_add(shift, tac_cross(rot, tac_sub(point, link.origin)));
        sum = tac_twist_add(sum, (tacTwist){shift, rot});
    }
    return sum;
}

// its transpose: a wrench about the point
static void place_twist_vjp(const tacModel* model, const tacConvexPart* part, tacPose body,
                            tacVec3 point, tacWrench w, tacReal* theta_bar) {
    poseChain c = chain_of(model, part);
    for (int i = 0; i < c.count; ++i) {
        chainLink link = next_link(model, &c, i, &body);
        tacVec3 torque = tac_add(w.torque, tac_cross(tac_sub(point, link.origin), w.force));
        tacVec3 local = tac_pose_rotate_inverse(link.parent, torque);
        tacReal *p = theta_bar + c.position[i], *q = theta_bar + c.rotation[i];
        tac_store3(p, tac_add(tac_load3(p), tac_pose_rotate_inverse(link.parent, w.force)));
        for (int k = 0; k < 4; ++k) {
            const tacReal unit[4] = {k == 0, k == 1, k == 2, k == 3};
            q[k] += tac_dot(local, tac_quat_angular(link.q, tac_quat_load(unit)));
        }
    }
}

//---------------------------------- sizes ----------------------------------------

static void part_growth(const tacModel* model, const tacConvexPart* part, const tacReal* theta_dot,
                        tacReal growth[4]) {
    int own[4], at = model->node[part->node].size;
    tac_part_sizes(part->kind, own);
    for (int k = 0; k < 4; ++k)
        growth[k] = own[k] >= 0 ? theta_dot[at + own[k]] / model->param[at + own[k]] : (tacReal)0.0;
}

static void part_growth_vjp(const tacModel* model, const tacConvexPart* part,
                            const tacReal growth_bar[4], tacReal* theta_bar) {
    int own[4], at = model->node[part->node].size;
    tac_part_sizes(part->kind, own);
    for (int k = 0; k < 4; ++k)
        if (own[k] >= 0) theta_bar[at + own[k]] += growth_bar[k] / model->param[at + own[k]];
}

// does a tangent move or change the part?
static int is_part_moved(const tacModel* model, const tacConvexPart* part,
                         const tacReal* theta_dot) {
    poseChain c = chain_of(model, part);
    tacReal growth[4];
    part_growth(model, part, theta_dot, growth);
    for (int k = 0; k < 4; ++k)
        if (growth[k] != 0.0) return 1;
    for (int i = 0; i < c.count; ++i) {
        for (int k = 0; k < 3; ++k)
            if (theta_dot[c.position[i] + k] != 0.0) return 1;
        for (int k = 0; k < 4; ++k)
            if (theta_dot[c.rotation[i] + k] != 0.0) return 1;
    }
    return 0;
}

//---------------------------------- contacts -------------------------------------

// a contact again, with its derivatives by twist and growth
typedef struct contactDiff {
    const tacConvexPart* part[2];
    tacPose body[2];
    tacFeatureContactPoint at;
    tacReal D[7][6], G[7][8];
} contactDiff;

static int contact_diff(const tacModel* model, const tacPose* body, const tacConvexContact* of,
                        contactDiff* out) {
    tacTransform transform[2];
    for (int k = 0; k < 2; ++k) {
        out->part[k] = &model->contact->part[of->part[k]];
        out->body[k] = body[model->contact->pair[of->pair].body[k]];
        transform[k] = tac_convex_part_transform(model, of->part[k], out->body[k]);
    }
    const tacFeatureContact* c = &of->contact;
    if (tac_feature_contact_at(c, transform[0], transform[1], &out->at) != TAC_OK) return 0;
    if (tac_feature_contact_jacobian(c, transform[0], transform[1], &out->at, out->D) != TAC_OK)
        tac_feature_contact_fixed_jacobian(&out->at, out->D);
    tac_feature_contact_growth(c, transform[0], transform[1], &out->at, out->G);
    return 1;
}

int tac_convex_contact_theta_jvp(const tacModel* model, const tacPose* body,
                                 const tacConvexContact* contact, const tacReal* theta_dot,
                                 tacReal out[7]) {
    contactDiff d;
    memset(out, 0, 7 * sizeof *out);
    int moved = 0;
    for (int k = 0; k < 2; ++k)
        moved |= is_part_moved(model, &model->contact->part[contact->part[k]], theta_dot);
    if (!moved || !contact_diff(model, body, contact, &d)) return 0;
    tacTwist xi[2];
    tacReal x[6], growth[8];
    for (int k = 0; k < 2; ++k) {
        xi[k] = place_twist(model, d.part[k], d.body[k], d.at.point, theta_dot);
        part_growth(model, d.part[k], theta_dot, growth + 4 * k);
    }
    tac_twist_store(x, tac_twist_sub(xi[1], xi[0]));
    tac_store3(out, xi[0].linear);
    tac_store3(out + 3, tac_cross(xi[0].angular, d.at.normal));
    for (int i = 0; i < 7; ++i) {
        for (int k = 0; k < 6; ++k) out[i] += d.D[i][k] * x[k];
        for (int k = 0; k < 8; ++k) out[i] += d.G[i][k] * growth[k];
    }
    return 1;
}

void tac_convex_contact_theta_vjp(const tacModel* model, const tacPose* body,
                                  const tacConvexContact* contact, const tacReal bar[7],
                                  tacReal* theta_bar) {
    contactDiff d;
    tacReal x[6] = {0.0}, growth[8] = {0.0};
    if (!contact_diff(model, body, contact, &d)) return;
    for (int i = 0; i < 7; ++i) {
        for (int k = 0; k < 6; ++k) x[k] += d.D[i][k] * bar[i];
        for (int k = 0; k < 8; ++k) growth[k] += d.G[i][k] * bar[i];
    }
    tacWrench own = tac_wrench_load(x);
    tacWrench rigid = {tac_load3(bar), tac_cross(d.at.normal, tac_load3(bar + 3))};
    for (int k = 0; k < 2; ++k) {
        place_twist_vjp(model, d.part[k], d.body[k], d.at.point,
                        k ? own : tac_wrench_sub(rigid, own), theta_bar);
        part_growth_vjp(model, d.part[k], growth + 4 * k, theta_bar);
    }
}

//---------------------------------- distance -------------------------------------

// One side of the nearest points. A part that is scaled by S has the support h(S m), whose growth
// is x . (s m): so the surface at x leaves along m.
typedef struct nearestSide {
    const tacConvexPart* part;
    tacPose body;
    tacVec3 point, m;  // of the surface, and outward there
    tacReal growth[4]; // of the support by growths
} nearestSide;

static nearestSide nearest_side(const tacModel* model, const tacPose* body,
                                const tacFirstImpact* impact, int k) {
    nearestSide s = {.part = &model->contact->part[impact->part[k]]};
    s.body = body[model->contact->pair[impact->pair].body[k]];
    tacTransform at = tac_convex_part_transform(model, impact->part[k], s.body);
    double radius = tac_convex_part_at(model, impact->part[k], s.body).radius;
    const double *p = impact->nearest.point[k], *n = impact->nearest.normal;
    s.point = tac_vec3(p[0], p[1], p[2]);
    s.m = tac_scale(tac_vec3(n[0], n[1], n[2]), k ? -1.0 : 1.0);
    tacVec3 core = tac_add_scaled(s.point, -radius, s.m);
    tacVec3 x = tac_mat_tmul_vec(at.rot, tac_sub(core, at.pos));
    tac_store3(s.growth, tac_mul(x, tac_mat_tmul_vec(at.rot, s.m)));
    s.growth[3] = radius;
    return s;
}

tacReal tac_part_distance_theta_jvp(const tacModel* model, const tacPose* body,
                                    const tacFirstImpact* impact, const tacReal* theta_dot) {
    tacReal sum = 0.0;
    for (int k = 0; k < 2; ++k) {
        const tacConvexPart* part = &model->contact->part[impact->part[k]];
        if (!is_part_moved(model, part, theta_dot)) continue;
        nearestSide s = nearest_side(model, body, impact, k);
        tacReal growth[4];
        part_growth(model, part, theta_dot, growth);
        sum -= tac_dot(s.m, place_twist(model, part, s.body, s.point, theta_dot).linear);
        for (int i = 0; i < 4; ++i) sum -= s.growth[i] * growth[i];
    }
    return sum;
}

void tac_part_distance_theta_vjp(const tacModel* model, const tacPose* body,
                                 const tacFirstImpact* impact, tacReal bar, tacReal* theta_bar) {
    for (int k = 0; k < 2; ++k) {
        nearestSide s = nearest_side(model, body, impact, k);
        tacReal growth[4];
        for (int i = 0; i < 4; ++i) growth[i] = -bar * s.growth[i];
        place_twist_vjp(model, s.part, s.body, s.point,
                        (tacWrench){tac_scale(s.m, -bar), tac_vec3_zero()}, theta_bar);
        part_growth_vjp(model, s.part, growth, theta_bar);
    }
}
