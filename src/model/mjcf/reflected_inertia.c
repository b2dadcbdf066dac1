// The inertia reflected to an actuator in the initial configuration, which `dampratio` is
// relative to.

#include "model/spec.h"

#include "math/pose.h"

// in the initial configuration joints are at zero displacement
static tacPose local_pose(tacSpec* spec, const tacBody* body) {
    const double* p = tac_spec_values(spec, body->position);
    return (tacPose){{p[0], p[1], p[2]}, tac_quat_normalize((tacQuat){p[3], p[4], p[5], p[6]})};
}

static tacPose world_pose(tacSpec* spec, int body) {
    const tacBody* bodies = spec->tree.body.items;
    tacPose pose = tac_pose_identity();
    for (int b = body; b > 0; b = bodies[b].parent)
        pose = tac_pose_compose(local_pose(spec, &bodies[b]), pose);
    return pose;
}

static tacInertia body_inertia(tacSpec* spec, const tacBody* body) {
    const double *com = tac_spec_values(spec, body->com), *I = tac_spec_values(spec, body->inertia);
    return (tacInertia){*tac_spec_values(spec, body->mass),
                        {com[0], com[1], com[2]},
                        {I[0], I[1], I[2], I[3], I[4], I[5]}};
}

static int is_descendant(const tacSpec* spec, int body, int root) {
    const tacBody* bodies = spec->tree.body.items;
    while (body > root) body = bodies[body].parent;
    return body == root;
}

// inertia of the subtree of a body, in the world frame
static tacInertia subtree_inertia(tacSpec* spec, int root) {
    const tacBody* bodies = spec->tree.body.items;
    tacInertia sum = {0};
    for (int b = root; b < spec->tree.body.count; ++b) {
        if (!is_descendant(spec, b, root)) continue;
        tacInertia I = body_inertia(spec, &bodies[b]);
        I = tac_inertia_transform(world_pose(spec, b), &I);
        sum = tac_inertia_add(&sum, &I);
    }
    return sum;
}

// diagonal entry of the mass matrix
static double dof_inertia(tacSpec* spec, const tacJoint* j, int k) {
    tacInertia I = subtree_inertia(spec, j->body);
    tacPose pose = world_pose(spec, j->body);
    const double unit[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
    const double* axis = j->axis >= 0 ? tac_spec_values(spec, j->axis) : unit;
    int moves = j->kind == TAC_JOINT_SLIDE || (j->kind == TAC_JOINT_FREE && k < 3);
    double armature = *tac_spec_values(spec, j->armature);
    if (moves) return I.mass + armature;
    tacVec3 at = tac_vec3_zero();
    if (j->position >= 0) {
        const double* p = tac_spec_values(spec, j->position);
        at = (tacVec3){p[0], p[1], p[2]};
    }
    tacVec3 n = tac_quat_rotate(pose.rotation, (tacVec3){axis[0], axis[1], axis[2]});
    tacVec3 v = tac_cross(n, tac_sub(I.com, tac_pose_apply(pose, at)));
    return tac_dot(n, tac_mat_mul_vec(tac_sym_to_mat(I.inertia), n)) + I.mass * tac_norm2(v) +
           armature;
}

static double add_reflected(double mass, double inertia, double arm) {
    return arm * arm > 1e-15 ? mass + inertia / (arm * arm) : mass;
}

double tac_reflected_inertia(tacSpec* spec, const tacActuator* a, const double gear[6]) {
    static const int dofs[] = {6, 3, 1, 1};
    const tacJoint* joints = spec->tree.joint.items;
    double mass = 0.0;
    if (a->drive == TAC_DRIVE_TENDON) {
        const tacTendon* t = (const tacTendon*)spec->actuation.tendon.items + a->target;
        const int* joint = (const int*)spec->actuation.tendonjoint.items + t->first;
        for (int i = 0; i < t->count; ++i)
            mass = add_reflected(mass, dof_inertia(spec, &joints[joint[i]], 0),
                                 gear[0] * tac_spec_values(spec, t->coef)[i]);
        return mass;
    }
    const tacJoint* j = &joints[a->target];
    for (int k = 0; k < dofs[j->kind]; ++k)
        mass = add_reflected(mass, dof_inertia(spec, j, k), gear[k]);
    return mass;
}
