// Places of the bodies and motions of the joints, from the world outwards.

#ifndef TAC_DYNAMICS_KINEMATICS_H
#define TAC_DYNAMICS_KINEMATICS_H

#include "dynamics/lane.h"
#include "dynamics/motion.h"

// where a body is while its joints act one after the other
typedef struct laneFrame {
    lane3 place;
    lane4 quat;
    laneTurn turn;
} laneFrame;

TAC_INLINE void frame_turn(laneFrame* f, lane4 local) {
    f->quat = quat_mul(f->quat, local);
    f->turn = quat_turn(f->quat);
}

TAC_INLINE laneFrame get_frame(const tacMotion* m, int body) {
    return (laneFrame){get3(m->place, body), get4(m->quat, 4 * body), get_turn(m->turn, body)};
}

TAC_INLINE void put_frame(tacMotion* m, int body, const laneFrame* f) {
    put3(m->place, body, f->place), put4(m->quat, 4 * body, f->quat);
    put_turn(m->turn, body, f->turn);
}

// as the body is written in its parent, before any joint
TAC_INLINE laneFrame attach(const tacModel* model, const tacMotion* m, int body) {
    const tacBody* b = &model->body[body];
    laneFrame f = get_frame(m, b->parent);
    f.place = add3(f.place, turn3(f.turn, set3(model->param + b->position)));
    frame_turn(&f, quat_unit(set4(model->param + b->rotation)));
    return f;
}

// a turn about the body's axes through the point r from the tree's origin
TAC_INLINE void put_turns(tacMotion* m, int dof, laneTurn R, lane3 r) {
    put6(m->S, dof, (lane6){cross3(r, R.x), R.x});
    put6(m->S, dof + 1, (lane6){cross3(r, R.y), R.y});
    put6(m->S, dof + 2, (lane6){cross3(r, R.z), R.z});
}

TAC_INLINE void free_joint(const tacJoint* j, tacMotion* m, laneFrame* f) {
    const wide one = w_set(1.0), none = w_set(0.0);
    f->place =
        (lane3){w_get(m->qpos, j->qpos), w_get(m->qpos, j->qpos + 1), w_get(m->qpos, j->qpos + 2)};
    f->quat = quat_unit(get4(m->qpos, j->qpos + 3));
    f->turn = quat_turn(f->quat);
    put6(m->S, j->dof, (lane6){{one, none, none}, zero3()});
    put6(m->S, j->dof + 1, (lane6){{none, one, none}, zero3()});
    put6(m->S, j->dof + 2, (lane6){{none, none, one}, zero3()});
    put_turns(m, j->dof + 3, f->turn, zero3()); // the tree's origin is the body's
}

// where a slide takes the body along its axis
TAC_INLINE lane3 slide(const tacModel* model, const tacJoint* j, const tacMotion* m, lane3 place,
                       lane3 axis) {
    wide d = w_get(m->qpos, j->qpos) - w_set(model->param[j->ref]);
    return fma3(axis, d, place);
}

TAC_INLINE lane3 slide_axis(const tacModel* model, const tacJoint* j, const laneFrame* f) {
    return turn3(f->turn, unit3(set3(model->param + j->axis)));
}

TAC_INLINE void slide_joint(const tacModel* model, const tacJoint* j, tacMotion* m, laneFrame* f) {
    lane3 axis = slide_axis(model, j, f);
    put6(m->S, j->dof, (lane6){axis, zero3()});
    f->place = slide(model, j, m, f->place, axis);
}

// hinge and ball turn the body about a point that stays
TAC_INLINE void turning_joint(const tacModel* model, const tacJoint* j, tacMotion* m, laneFrame* f,
                              lane3 anchor, lane3 r) {
    lane3 arm = set3(model->param + j->position);
    if (j->kind == TAC_JOINT_HINGE) {
        lane3 local = unit3(set3(model->param + j->axis)), axis = turn3(f->turn, local);
        wide angle = w_get(m->qpos, j->qpos) - w_set(model->param[j->ref]);
        put6(m->S, j->dof, (lane6){cross3(r, axis), axis});
        frame_turn(f, quat_about(local, angle));
    } else {
        frame_turn(f, quat_unit(get4(m->qpos, j->qpos)));
        put_turns(m, j->dof, f->turn, r);
    }
    f->place = sub3(anchor, turn3(f->turn, arm));
}

TAC_INLINE void move(const tacModel* model, int joint, tacMotion* m, laneFrame* f, lane3 origin) {
    const tacJoint* j = &model->joint[joint];
    lane3 anchor = f->place;
    put4(m->before, 4 * joint, f->quat);
    if (j->kind == TAC_JOINT_HINGE || j->kind == TAC_JOINT_BALL) {
        anchor = add3(anchor, turn3(f->turn, set3(model->param + j->position)));
        turning_joint(model, j, m, f, anchor, sub3(anchor, origin));
    } else if (j->kind == TAC_JOINT_SLIDE) {
        slide_joint(model, j, m, f);
    } else {
        free_joint(j, m, f);
    }
    put3(m->anchor, joint, anchor);
}

// the tree's origin: where a free body is, else where the slides that come first take its root: a
// planar robot far from where it is attached loses no digits
TAC_INLINE lane3 find_origin(const tacModel* model, const tacMotion* m, int body,
                             const laneFrame* f) {
    const tacBody* b = &model->body[body];
    if (b->root != body) return get3(m->origin, b->root);
    const tacJoint *j = model->joint + b->first_joint, *end = j + b->joints;
    lane3 place = f->place;
    for (; j < end && j->kind == TAC_JOINT_SLIDE; ++j)
        place = slide(model, j, m, place, slide_axis(model, j, f));
    if (j == end || j->kind != TAC_JOINT_FREE) return place;
    return (lane3){w_get(m->qpos, j->qpos), w_get(m->qpos, j->qpos + 1),
                   w_get(m->qpos, j->qpos + 2)};
}

static void kinematics(const tacModel* model, tacMotion* m) {
    const lane4 unturned = {w_set(1.0), w_set(0.0), w_set(0.0), w_set(0.0)};
    laneFrame world = {zero3(), unturned, quat_turn(unturned)};
    put_frame(m, 0, &world);
    put3(m->origin, 0, zero3());
    for (int b = 1; b < model->nbody; ++b) {
        const tacBody* body = &model->body[b];
        laneFrame f = attach(model, m, b);
        lane3 origin = find_origin(model, m, b, &f);
        put3(m->origin, b, origin);
        for (int j = 0; j < body->joints; ++j) move(model, body->first_joint + j, m, &f, origin);
        put_frame(m, b, &f);
    }
}

#endif
