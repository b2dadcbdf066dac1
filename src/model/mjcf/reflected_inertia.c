// The inertia that an actuator moves in the initial configuration, which `dampratio` is relative
// to.
//
// With moment arms J that is 1/(J M^-1 J'), as in MuJoCo since 3.15. Before, it was the sum of
// M_kk/J_k^2, as if the other joints were held; limits of joints still use it.

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

//---------------------------------- mass matrix ----------------------------------

// poses of all bodies, each about the origin of the body below the world that it hangs on, so that
// places far from the world's origin cost no digits; NULL after a failure
static tacPose* poses_in_trees(tacSpec* spec) {
    const tacBody* bodies = spec->tree.body.items;
    int count = spec->tree.body.count;
    tacPose* pose = tac_reader_alloc(&spec->reader, sizeof *pose * (size_t)count);
    for (int b = 1; b < count && pose; ++b) {
        pose[b] = local_pose(spec, &bodies[b]);
        if (bodies[b].parent > 0)
            pose[b] = tac_pose_compose(pose[bodies[b].parent], pose[b]);
        else
            pose[b].position = tac_vec3_zero();
    }
    return pose;
}

// of each body with all that hangs on it; NULL after a failure
static tacInertia* composite_inertias(tacSpec* spec, const tacPose* pose) {
    const tacBody* bodies = spec->tree.body.items;
    int count = spec->tree.body.count;
    tacInertia* sum = tac_reader_alloc(&spec->reader, sizeof *sum * (size_t)count);
    if (!sum) return NULL;
    for (int b = 1; b < count; ++b) {
        tacInertia I = body_inertia(spec, &bodies[b]);
        sum[b] = tac_inertia_transform(pose[b], &I);
    }
    for (int b = count - 1; b > 0; --b) {
        int parent = bodies[b].parent;
        if (parent > 0) sum[parent] = tac_inertia_add(&sum[parent], &sum[b]);
    }
    return sum;
}

// twist of the body for one unit of velocity k
static tacTwist dof_motion(tacSpec* spec, const tacPose* poses, int k) {
    const tacJoint* joints = spec->tree.joint.items;
    const tacDof* dof = (const tacDof*)spec->tree.dof.items + k;
    const tacJoint* j = &joints[dof->joint];
    tacPose pose = poses[j->body];
    int i = k - j->dof, rotation = j->kind == TAC_JOINT_FREE ? i - 3 : i;
    const double unit[3] = {rotation % 3 == 0, rotation % 3 == 1, rotation % 3 == 2};
    const double* axis = j->axis >= 0 ? tac_spec_values(spec, j->axis) : unit;
    tacVec3 n = tac_quat_rotate(pose.rotation, tac_normalize((tacVec3){axis[0], axis[1], axis[2]}));
    if (j->kind == TAC_JOINT_SLIDE) return (tacTwist){n, tac_vec3_zero()};
    if (j->kind == TAC_JOINT_FREE && i < 3)
        return (tacTwist){{i == 0, i == 1, i == 2}, tac_vec3_zero()};
    tacVec3 at = pose.position;
    if (j->position >= 0) {
        const double* p = tac_spec_values(spec, j->position);
        at = tac_pose_apply(pose, (tacVec3){p[0], p[1], p[2]});
    }
    return (tacTwist){tac_cross(at, n), n};
}

// rows of M: each degree of freedom with itself, its parent, and so on
static void fill_mass_matrix(tacSpec* spec, const tacInertia* composite, const tacTwist* motion,
                             double* M) {
    const tacDof* dofs = spec->tree.dof.items;
    const tacJoint* joints = spec->tree.joint.items;
    for (int k = 0; k < spec->tree.dof.count; ++k) {
        tacWrench momentum = tac_inertia_apply(&composite[dofs[k].body], motion[k]);
        double* row = M + dofs[k].row;
        for (int j = k; j >= 0; j = dofs[j].parent) *row++ = tac_power(motion[j], momentum);
        M[dofs[k].row] += *tac_spec_values(spec, joints[dofs[k].joint].armature);
    }
}

// M = L' D L in place, D on the diagonal: without fill-in, from the leaves to the roots
static void factor_mass_matrix(const tacSpec* spec, double* M) {
    const tacDof* dofs = spec->tree.dof.items;
    for (int k = spec->tree.dof.count - 1; k >= 0; --k) {
        double* row = M + dofs[k].row;
        int at = 1;
        for (int i = dofs[k].parent; i >= 0; i = dofs[i].parent, ++at) {
            double a = row[at] / row[0];
            double* above = M + dofs[i].row;
            int entry = at;
            for (int j = i; j >= 0; j = dofs[j].parent) *above++ -= a * row[entry++];
            row[at] = a;
        }
    }
}

// made once; NULL after a failure
static const double* mass_factors(tacSpec* spec) {
    int nv = spec->tree.dof.count;
    if (spec->actuation.inertia) return spec->actuation.inertia;
    tacPose* pose = poses_in_trees(spec);
    tacInertia* composite = pose ? composite_inertias(spec, pose) : NULL;
    tacTwist* motion = tac_reader_alloc(&spec->reader, sizeof *motion * (size_t)nv);
    double* M = tac_reader_alloc(&spec->reader, sizeof *M * (size_t)spec->tree.nM);
    if (!composite || !motion || !M) return NULL;
    for (int k = 0; k < nv; ++k) motion[k] = dof_motion(spec, pose, k);
    fill_mass_matrix(spec, composite, motion, M);
    factor_mass_matrix(spec, M);
    return spec->actuation.inertia = M;
}

//---------------------------------- moment arms ----------------------------------

static int joint_dofs(const tacJoint* j) {
    static const int counts[] = {6, 3, 1, 1};
    return counts[j->kind];
}

// along the degrees of freedom of a joint; in the parent's axes those of a free body are rotated,
// and a ball starts with its own equal to them
static void joint_arms(tacSpec* spec, const tacActuator* a, const double gear[6], double out[6]) {
    const tacJoint* j = (const tacJoint*)spec->tree.joint.items + a->target;
    const tacBody* body = (const tacBody*)spec->tree.body.items + j->body;
    for (int k = 0; k < 6; ++k) out[k] = gear[k];
    if (a->drive == TAC_DRIVE_INPARENT && j->kind == TAC_JOINT_FREE)
        tac_store3(out + 3, tac_quat_rotate_inverse(local_pose(spec, body).rotation,
                                                    (tacVec3){gear[3], gear[4], gear[5]}));
}

// dl/dq of the actuator's length l: J (nv), zero before
static void moment_arms(tacSpec* spec, const tacActuator* a, const double gear[6], double* J) {
    const tacJoint* joints = spec->tree.joint.items;
    if (a->drive == TAC_DRIVE_TENDON) {
        const tacTendon* t = (const tacTendon*)spec->actuation.tendon.items + a->target;
        const int* joint = (const int*)spec->actuation.tendonjoint.items + t->first;
        for (int i = 0; i < t->count; ++i)
            J[joints[joint[i]].dof] += gear[0] * tac_spec_values(spec, t->coef)[i];
        return;
    }
    const tacJoint* j = &joints[a->target];
    double arm[6];
    joint_arms(spec, a, gear, arm);
    for (int k = 0; k < joint_dofs(j); ++k) J[j->dof + k] = arm[k];
}

// 1/(J M^-1 J') = 1/(y' D^-1 y) with y = L'^-1 J'
static double effective_inertia(tacSpec* spec, const tacActuator* a, const double gear[6]) {
    const tacDof* dofs = spec->tree.dof.items;
    int nv = spec->tree.dof.count;
    const double* M = mass_factors(spec);
    double *y = tac_reader_alloc(&spec->reader, sizeof *y * (size_t)nv), inverse = 0.0;
    if (!M || !y) return 0.0;
    moment_arms(spec, a, gear, y);
    for (int k = nv - 1; k >= 0; --k) {
        if (y[k] == 0.0) continue;
        const double* row = M + dofs[k].row;
        inverse += y[k] * y[k] / row[0];
        for (int i = dofs[k].parent, at = 1; i >= 0; i = dofs[i].parent, ++at)
            y[i] -= row[at] * y[k];
    }
    return inverse > 0.0 ? 1.0 / inverse : 0.0;
}

//---------------------------------- diagonal of M --------------------------------

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
    double arm[6];
    joint_arms(spec, a, gear, arm);
    for (int k = 0; k < joint_dofs(j); ++k)
        mass = add_reflected(mass, dof_inertia(spec, j, k), arm[k]);
    return mass;
}

double tac_damped_inertia(tacSpec* spec, const tacActuator* a, const double gear[6]) {
    int old = spec->compat == TAC_COMPAT_3_14;
    return (old ? tac_reflected_inertia : effective_inertia)(spec, a, gear);
}
