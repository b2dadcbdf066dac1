// Places of the bodies and motions of the joints, from the world outwards.

#ifndef TAC_DYNAMICS_KERNELS_KINEMATICS_INL
#define TAC_DYNAMICS_KERNELS_KINEMATICS_INL

#include "dynamics/kernels/lane.inl"
#include "dynamics/motion.h"

// where a body is while its joints act one after the other
typedef struct laneFrame {
    lane3 pos;
    lane4 quat;
    laneRot rot;
} laneFrame;

TAC_INLINE void frame_rotate(laneFrame* f, lane4 local) {
    f->quat = quat_mul(f->quat, local);
    f->rot = quat_to_rot(f->quat);
}

TAC_INLINE laneFrame world_frame(void) {
    const wide one = w_set(1.0), none = w_set(0.0);
    return (laneFrame){zero3(),
                       {one, none, none, none},
                       {{one, none, none}, {none, one, none}, {none, none, one}}};
}

TAC_INLINE laneFrame get_frame(const tacMotion* m, int body) {
    return (laneFrame){get3(m->pos, body), get4(m->quat, 4 * body), get_rot(m->rot, body)};
}

TAC_INLINE void put_frame(tacMotion* m, int body, const laneFrame* f) {
    put3(m->pos, body, f->pos);
    put4(m->quat, 4 * body, f->quat);
    put_rot(m->rot, body, f->rot);
}

// as the body is written in its parent, before any joint
TAC_INLINE laneFrame attach_frame(const tacModel* model, const tacMotion* m, int body) {
    const tacBody* b = &model->body[body];
    const tacReal* local = model->param + b->rotation;
    lane3 pos = set3(model->param + b->position);
    laneFrame f = b->parent > 0 ? get_frame(m, b->parent) : world_frame();
    f.pos = b->parent > 0 ? add3(f.pos, rotate3(f.rot, pos)) : pos;
    if (!is_identity_quat(local)) frame_rotate(&f, quat_unit(set4(local)));
    return f;
}

// a rotation about the body's axes through the point r from the tree's origin
TAC_INLINE void put_rotation_axes(tacMotion* m, int dof, laneRot R, lane3 r) {
    put6(m->S, dof, (lane6){cross3(r, R.x), R.x});
    put6(m->S, dof + 1, (lane6){cross3(r, R.y), R.y});
    put6(m->S, dof + 2, (lane6){cross3(r, R.z), R.z});
}

TAC_INLINE void free_joint(const tacJoint* j, tacMotion* m, laneFrame* f) {
    const wide one = w_set(1.0), none = w_set(0.0);
    f->pos =
        (lane3){w_get(m->qpos, j->qpos), w_get(m->qpos, j->qpos + 1), w_get(m->qpos, j->qpos + 2)};
    f->quat = quat_unit(get4(m->qpos, j->qpos + 3));
    f->rot = quat_to_rot(f->quat);
    put6(m->S, j->dof, (lane6){{one, none, none}, zero3()});
    put6(m->S, j->dof + 1, (lane6){{none, one, none}, zero3()});
    put6(m->S, j->dof + 2, (lane6){{none, none, one}, zero3()});
    put_rotation_axes(m, j->dof + 3, f->rot, zero3()); // the tree's origin is the body's
}

TAC_INLINE void slide_joint(const tacModel* model, const tacJoint* j, tacMotion* m, laneFrame* f) {
    lane3 axis = rotate3(f->rot, set_unit3(model->param + j->axis));
    put6(m->S, j->dof, (lane6){axis, zero3()});
    f->pos = fma3(axis, w_get(m->qpos, j->qpos) - w_set(model->param[j->ref]), f->pos);
}

// hinge and ball rotate the body about a fixed point
TAC_INLINE void rotational_joint(const tacModel* model, const tacJoint* j, tacMotion* m,
                                 laneFrame* f, lane3 anchor, lane3 r) {
    lane3 arm = set3(model->param + j->position);
    if (j->kind == TAC_JOINT_HINGE) {
        lane3 local = set_unit3(model->param + j->axis), axis = rotate3(f->rot, local);
        wide angle = w_get(m->qpos, j->qpos) - w_set(model->param[j->ref]);
        put6(m->S, j->dof, (lane6){cross3(r, axis), axis});
        frame_rotate(f, quat_about(local, angle));
    } else {
        frame_rotate(f, quat_unit(get4(m->qpos, j->qpos)));
        put_rotation_axes(m, j->dof, f->rot, r);
    }
    f->pos = sub3(anchor, rotate3(f->rot, arm));
}

TAC_INLINE void apply_joint(const tacModel* model, int joint, tacMotion* m, laneFrame* f,
                            lane3 origin) {
    const tacJoint* j = &model->joint[joint];
    lane3 anchor = f->pos;
    put4(m->quat_before_joint, 4 * joint, f->quat);
    if (j->kind == TAC_JOINT_HINGE || j->kind == TAC_JOINT_BALL) {
        anchor = add3(anchor, rotate3(f->rot, set3(model->param + j->position)));
        rotational_joint(model, j, m, f, anchor, sub3(anchor, origin));
    } else if (j->kind == TAC_JOINT_SLIDE) {
        slide_joint(model, j, m, f);
    } else {
        free_joint(j, m, f);
    }
    put3(m->anchor, joint, anchor);
}

// The tree's origin: where a free body is, else where the slides that come first take its root: a
// planar robot far from where it is attached loses no digits. Those joints need no origin
// themselves; returns how many of them have moved the body.
TAC_INLINE int find_origin(const tacModel* model, tacMotion* m, int body, laneFrame* f,
                           lane3* origin) {
    const tacBody* b = &model->body[body];
    int moved = 0;
    *origin = f->pos;
    if (b->root != body) {
        *origin = get3(m->origin, b->root);
        return 0;
    }
    for (; moved < b->joints; ++moved) {
        int joint = b->first_joint + moved, kind = model->joint[joint].kind;
        if (kind != TAC_JOINT_SLIDE && kind != TAC_JOINT_FREE) break;
        apply_joint(model, joint, m, f, *origin);
        *origin = f->pos;
    }
    return moved;
}

static void kinematics(const tacModel* model, tacMotion* m) {
    laneFrame world = world_frame();
    put_frame(m, 0, &world);
    put3(m->origin, 0, zero3());
    for (int b = 1; b < model->nbody; ++b) {
        const tacBody* body = &model->body[b];
        laneFrame f = attach_frame(model, m, b);
        lane3 origin;
        int moved = find_origin(model, m, b, &f, &origin);
        put3(m->origin, b, origin);
        for (int j = moved; j < body->joints; ++j)
            apply_joint(model, body->first_joint + j, m, &f, origin);
        put_frame(m, b, &f);
    }
}

#endif
