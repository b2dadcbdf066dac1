// Geometry that may change: where a body is attached, and position and axis of a joint.
//
// A change of such a number moves its subtree rigidly, by a twist at one point of the
// chain: a slot. A joint's own position and axis have two slots: a motion before the joint acts
// is undone after it, in the rotated frame. To the dynamics a twist in a slot is a degree of
// freedom like any other, so it needs no formulas of its own.

#ifndef TAC_DYNAMICS_KERNELS_SLOT_INL
#define TAC_DYNAMICS_KERNELS_SLOT_INL

#include "dynamics/kernels/applied_diff.inl"
#include "dynamics/kernels/inverse_dynamics_jacobian.inl"

// base of the slot
typedef struct laneSlot {
    lane6 u, alpha;
} laneSlot;

TAC_INLINE laneSlot slot_before(const tacMotion* m, int joint) {
    return (laneSlot){get6(m->base, 2 * joint), get6(m->base, 2 * joint + 1)};
}

// after a joint: before the next one, or the body itself
TAC_INLINE laneSlot slot_after(const tacModel* model, const tacMotion* m, int joint) {
    int body = model->joint[joint].body;
    const tacBody* b = &model->body[body];
    if (joint + 1 < b->first_joint + b->joints) return slot_before(m, joint + 1);
    return (laneSlot){get6(m->vel, body), get6(m->acc, body)};
}

// where the body is attached: on its parent
TAC_INLINE laneSlot slot_attached(const tacModel* model, const tacMotion* m, int body) {
    int parent = model->body[body].parent;
    return (laneSlot){get6(m->vel, parent), get6(m->acc, parent)};
}

TAC_INLINE laneRot rot_after(const tacModel* model, const tacMotion* m, int joint) {
    int body = model->joint[joint].body;
    const tacBody* b = &model->body[body];
    if (joint + 1 < b->first_joint + b->joints)
        return quat_to_rot(get4(m->quat_before_joint, 4 * (joint + 1)));
    return get_rot(m->rot, body);
}

// the point, from the tree's origin, about which the joint's axis rotates, before and after it
TAC_INLINE lane3 pivot_before(const tacModel* model, const tacMotion* m, int joint) {
    return sub3(get3(m->anchor, joint), get3(m->origin, model->joint[joint].body));
}
TAC_INLINE lane3 pivot_after(const tacModel* model, const tacMotion* m, int joint) {
    const tacJoint* j = &model->joint[joint];
    lane3 r = pivot_before(model, m, joint);
    if (j->kind != TAC_JOINT_SLIDE) return r;
    wide d = w_get(m->qpos, j->qpos) - w_set(model->param[j->ref]);
    return fma3(get6(m->S, j->dof).l, d, r);
}

// a free body is where its qpos says: its pos and quat are a drawing
TAC_INLINE int is_attached(const tacModel* model, int body) {
    const tacBody* b = &model->body[body];
    return b->joints == 0 || model->joint[b->first_joint].kind != TAC_JOINT_FREE;
}

// where the body is attached, from the tree's origin
TAC_INLINE lane3 attached_at(const tacModel* model, const tacMotion* m, int body) {
    int parent = model->body[body].parent;
    lane3 local = set3(model->param + model->body[body].position);
    lane3 pos = add3(get3(m->pos, parent), rotate3(get_rot(m->rot, parent), local));
    return sub3(pos, get3(m->origin, body));
}

#endif
