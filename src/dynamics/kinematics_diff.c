// Reverse derivative of the poses of bodies.
//
// An adjoint of a body's twist is a wrench on it. Summed from the leaves inwards, G is the wrench
// on all that a joint carries, and a twist X at that place of the chain changes the result by G .
// X: a degree of freedom by S . G, the place and axis of a joint by twists before it and back
// behind it, the position where a body is attached by one on its parent (slot.inl has the same for
// forces).

#include "dynamics/kinematics_diff.h"

#include "math/spatial.h"

#include <string.h>

static void accumulate3_at(tacReal* bar, int offset, tacVec3 a) {
    bar[offset] += a.x;
    bar[offset + 1] += a.y;
    bar[offset + 2] += a.z;
}

static tacMat3 quat_matrix(const tacReal* quat) { return tac_quat_to_mat(tac_quat_load(quat)); }

// torque of G, which is about the tree's origin, about a point of the world
static tacVec3 torque_about_point(const tacMotion* m, int body, tacWrench G, tacVec3 point) {
    tacVec3 r = tac_sub(point, tac_load3(m->origin + 3 * body));
    return tac_sub(G.torque, tac_cross(r, G.force));
}

//---------------------------------- parameters -----------------------------------

// raw numbers of a quaternion: (2/|q|^2) (0, w) q
static void attach_vjp(const tacModel* model, const tacMotion* m, int body, tacWrench G,
                       tacReal* theta_bar) {
    const tacBody* b = &model->body[body];
    tacMat3 R = quat_matrix(m->quat + 4 * b->parent);
    tacVec3 local = tac_load3(model->param + b->position);
    tacVec3 at = tac_add(tac_load3(m->pos + 3 * b->parent), tac_mat_mul_vec(R, local));
    tacVec3 w = tac_mat_tmul_vec(R, torque_about_point(m, body, G, at));
    tacQuat q = tac_quat_load(model->param + b->rotation);
    tacReal bar[4], n2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    tac_quat_store(bar, tac_quat_mul(tac_quat(0.0, w), q));
    accumulate3_at(theta_bar, b->position, tac_mat_tmul_vec(R, G.force));
    for (int i = 0; i < 4; ++i) theta_bar[b->rotation + i] += 2.0 / n2 * bar[i];
}

// adjoints of a motion, NULL: skipped
typedef struct motionBar {
    const tacModel* model;
    const tacMotion* m;
    tacReal *q, *v, *theta; // (nv) (nv) (nparam)
} motionBar;

// the frame of a slot, which moves forward (sign 1) or backward with the joint's position and axis
typedef struct slotFrame {
    tacMat3 R;
    tacVec3 pivot;
    tacReal sign;
} slotFrame;

// G, the adjoint of a twist of the slot, to those of the joint's position and axis
static void geometry_vjp(const motionBar* b, const tacJoint* j, slotFrame s, tacWrench G) {
    const tacModel* model = b->model;
    tacReal* theta_bar = b->theta;
    tacVec3 torque = torque_about_point(b->m, j->body, G, s.pivot);
    tacVec3 shift = tac_scale(tac_mat_tmul_vec(s.R, G.force), s.sign);
    tacVec3 w = tac_scale(tac_mat_tmul_vec(s.R, torque), s.sign);
    if (j->kind != TAC_JOINT_SLIDE) accumulate3_at(theta_bar, j->position, shift);
    if (j->axis < 0) return;
    tacVec3 axis = tac_load3(model->param + j->axis);
    accumulate3_at(theta_bar, j->axis, tac_scale(tac_cross(w, axis), 1.0 / tac_norm2(axis)));
}

// the frame after a joint is the one before the next, or the body's
static tacMat3 rot_after(const tacModel* model, const tacMotion* m, int joint) {
    int body = model->joint[joint].body;
    const tacBody* b = &model->body[body];
    int is_last = joint + 1 == b->first_joint + b->joints;
    return quat_matrix(is_last ? m->quat + 4 * body : m->quat_before_joint + 4 * (joint + 1));
}

static tacVec3 pivot_after(const tacModel* model, const tacMotion* m, int joint) {
    const tacJoint* j = &model->joint[joint];
    tacVec3 anchor = tac_load3(m->anchor + 3 * joint);
    if (j->kind != TAC_JOINT_SLIDE) return anchor;
    tacReal d = m->qpos[j->qpos] - model->param[j->ref];
    return tac_add(anchor, tac_scale(tac_load3(m->S + 6 * j->dof), d));
}

//---------------------------------- chain ----------------------------------------

static int joint_dof_count(const tacJoint* j) {
    return j->axis >= 0 ? 1 : j->kind == TAC_JOINT_FREE ? 6 : 3;
}

// adjoints of displacement and of e of the subtree of a slot; e NULL: none
typedef struct subtreeBar {
    tacWrench D;
    const tacWrench* e;
} subtreeBar;

// A twist X of a slot that moves with u displaces its subtree by X and changes e by u x X.
static tacWrench slot_bar(subtreeBar c, const tacReal* u) {
    return c.e ? tac_wrench_sub(c.D, tac_cross_force(tac_twist_load(u), *c.e)) : c.D;
}

// velocity of the slot before a joint, and of the slot after it
static const tacReal* base_before(const tacMotion* m, int joint) { return m->base + 12 * joint; }

static const tacReal* base_after(const tacModel* model, const tacMotion* m, int joint) {
    int body = model->joint[joint].body;
    const tacBody* b = &model->body[body];
    int is_last = joint + 1 == b->first_joint + b->joints;
    return is_last ? m->vel + 6 * body : base_before(m, joint + 1);
}

static void joint_vjp(const motionBar* b, int joint, subtreeBar c) {
    const tacModel* model = b->model;
    const tacMotion* m = b->m;
    const tacJoint* j = &model->joint[joint];
    tacWrench G = slot_bar(c, base_before(m, joint));
    for (int k = j->dof; k < j->dof + joint_dof_count(j); ++k) {
        tacTwist S = tac_twist_load(m->S + 6 * k);
        tacReal bar = tac_power(S, G);
        if (b->q) b->q[k] += bar;
        if (b->v && c.e) b->v[k] += tac_power(S, *c.e);
        if (b->theta && j->axis >= 0) b->theta[j->ref] -= bar;
    }
    if (!b->theta || j->kind == TAC_JOINT_FREE) return;
    slotFrame after = {rot_after(model, m, joint), pivot_after(model, m, joint), -1.0};
    slotFrame before = {quat_matrix(m->quat_before_joint + 4 * joint),
                        tac_load3(m->anchor + 3 * joint), 1.0};
    geometry_vjp(b, j, after, slot_bar(c, base_after(model, m, joint)));
    geometry_vjp(b, j, before, G);
}

// the pose of a free body is in qpos; its pos and quat in the scene are only the initial one
static int is_attached(const tacModel* model, const tacBody* b) {
    return b->joints == 0 || model->joint[b->first_joint].kind != TAC_JOINT_FREE;
}

static void add_to_parent(const tacBody* b, int body, tacReal* sum) {
    for (int k = 0; k < 6 && sum && b->parent > 0; ++k) sum[6 * b->parent + k] += sum[6 * body + k];
}

void tac_body_motion_vjp(const tacModel* model, const tacMotion* m, tacReal* D_bar, tacReal* e_bar,
                         tacReal* q_bar, tacReal* v_bar, tacReal* theta_bar) {
    const motionBar bar = {model, m, q_bar, v_bar, theta_bar};
    for (int i = model->nbody - 1; i > 0; --i) {
        const tacBody* b = &model->body[i];
        tacWrench e = e_bar ? tac_wrench_load(e_bar + 6 * i) : tac_wrench_zero();
        subtreeBar c = {tac_wrench_load(D_bar + 6 * i), e_bar ? &e : NULL};
        for (int j = b->joints - 1; j >= 0; --j) joint_vjp(&bar, b->first_joint + j, c);
        if (theta_bar && is_attached(model, b))
            attach_vjp(model, m, i, slot_bar(c, m->vel + 6 * b->parent), theta_bar);
        add_to_parent(b, i, D_bar);
        add_to_parent(b, i, e_bar);
    }
}

void tac_body_poses_vjp(const tacModel* model, const tacMotion* m, tacReal* wrench, tacReal* q_bar,
                        tacReal* theta_bar) {
    for (int i = 1; i < model->nbody; ++i) {
        tacVec3 pos = tac_load3(m->pos + 3 * i), origin = tac_load3(m->origin + 3 * i);
        tacWrench own = tac_wrench_load(wrench + 6 * i);
        tac_wrench_store(wrench + 6 * i, tac_wrench_shift(own, pos, origin));
    }
    tac_body_motion_vjp(model, m, wrench, NULL, q_bar, NULL, theta_bar);
}

tacResult tac_kinematics_vjp(const tacModel* model, const tacReal* qpos, const tacReal* pose_bar,
                             tacReal* q_bar, tacReal* theta_bar, tacScratch* scratch) {
    tacDynamicsInput x = {.qpos = qpos};
    tacResult result = tac_input_check(model, x, scratch);
    if (result == TAC_OK && (!pose_bar || !tac_all_finite(pose_bar, 6 * model->nbody)))
        result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacMotion m = tac_motion_at(model, x, &scratch->arena);
    TAC_DISPATCH(tac_dynamics_single_)->kinematics(model, &m);
    if (tac_all_finite(m.pos, 3 * model->nbody) && tac_all_finite(m.quat, 4 * model->nbody)) {
        memcpy(m.work, pose_bar, sizeof *pose_bar * (size_t)(6 * model->nbody));
        tac_body_poses_vjp(model, &m, m.work, q_bar, theta_bar);
    } else {
        result = TAC_ERROR_DIVERGED;
    }
    scratch->arena.used = mark;
    return result;
}
