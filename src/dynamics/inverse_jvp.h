// Forward derivative of inverse dynamics, O(nv): along positions, velocities, accelerations,
// external wrenches and every parameter.
//
// With D the displacement of a body, dv = D x v + e and da = D x a + e x v + g, where D, e, g add
// up outwards over degrees of freedom and slots; then df = D x* f + I g + 2 B e.

#ifndef TAC_DYNAMICS_INVERSE_JVP_H
#define TAC_DYNAMICS_INVERSE_JVP_H

#include "dynamics/push_diff.h"

typedef struct laneDrift {
    lane6 D, e, g;
} laneDrift;

// per body in `work`: D, e, g, sum of df
enum { DRIFT_D, DRIFT_E, DRIFT_G, DRIFT_F, DRIFT_COUNT };

//---------------------------------- displacement ---------------------------------

TAC_INLINE void drift_slot(laneDrift* d, laneSlot slot, lane6 twist) {
    lane6 P = cross_motion(slot.u, twist);
    d->D = add6(d->D, twist);
    d->e = add6(d->e, P);
    d->g = add6(d->g, add6(cross_motion(slot.alpha, twist), cross_motion(slot.u, P)));
}

static void drift_attach(const tacModel* model, const tacMotion* m, int body,
                         const tacMotionDot* dot, laneDrift* d) {
    const tacBody* b = &model->body[body];
    laneTurn R = get_turn(m->turn, b->parent);
    lane3 shift = turn3(R, theta3(dot, b->position));
    lane3 turned = turn3(R, quat_dot_turn(model, b->rotation, dot));
    drift_slot(d, slot_attached(model, m, body),
               twist_about(attached_at(model, m, body), shift, turned));
}

// change of a joint's place and axis in body axes
TAC_INLINE void joint_change(const tacModel* model, const tacJoint* j, const tacMotionDot* dot,
                             lane3* shift, lane3* turned) {
    *shift = j->kind == TAC_JOINT_SLIDE ? zero3() : theta3(dot, j->position);
    *turned = zero3();
    if (j->axis < 0) return;
    lane3 axis = set3(model->param + j->axis);
    *turned = scale3(cross3(axis, theta3(dot, j->axis)), 1.0 / dot3(axis, axis));
}

static void drift_geometry(const tacModel* model, const tacMotion* m, int joint,
                           const tacMotionDot* dot, laneDrift* d, int behind) {
    const tacJoint* j = &model->joint[joint];
    lane3 shift, turned;
    joint_change(model, j, dot, &shift, &turned);
    laneTurn R = behind ? turn_behind(model, m, joint) : quat_turn(get4(m->before, 4 * joint));
    shift = turn3(R, shift);
    turned = turn3(R, turned);
    if (behind)
        drift_slot(d, slot_behind(model, m, joint),
                   twist_about(pivot_behind(model, m, joint), neg3(shift), neg3(turned)));
    else
        drift_slot(d, slot_before(m, joint),
                   twist_about(pivot_before(model, m, joint), shift, turned));
}

// one degree of freedom
TAC_INLINE void drift_dof(const tacModel* model, const tacMotion* m, int k, const tacMotionDot* dot,
                          laneDrift* d) {
    const tacJoint* j = &model->joint[model->dof[k].joint];
    laneColumn c = column_of(model, m, k);
    wide dq = number_at(dot->dq, k), dv = number_at(dot->dv, k), da = number_at(dot->da, k);
    if (j->axis >= 0) dq = dq - theta_at(dot, j->ref);
    d->D = fma6(c.S, dq, d->D);
    d->e = fma6(c.P, dq, fma6(c.S, dv, d->e));
    d->g = fma6(c.P2, dq, fma6(c.F, dv, fma6(c.S, da, d->g)));
}

// a joint's part of the drift; tau_dot gets what its own moving axes make of the force
static void drift_joint(const tacModel* model, const tacMotion* m, int joint,
                        const tacMotionDot* dot, laneDrift* d, tacReal* tau_dot) {
    const tacJoint* j = &model->joint[joint];
    int geometry = dot->theta && j->kind != TAC_JOINT_FREE;
    if (geometry) drift_geometry(model, m, joint, dot, d, 0);
    int first = j->dof, last = j->dof + dof_count(j->kind);
    for (int k = first; k < last; ++k) drift_dof(model, m, k, dot, d);
    lane6 f = get6(m->force, j->body);
    if (is_loaded(m)) f = sub6(f, get6(m->load, j->body));
    for (int k = first; k < last; ++k) {
        lane6 S = get6(m->S, k);
        wide t = is_world_axis(model, k) ? w_set(0.0) : dot6(cross_motion(d->D, S), f);
        t = w_fma(w_set(model->param[j->armature]), number_at(dot->da, k), t);
        if (m->qacc) t = w_fma(theta_at(dot, j->armature), w_get(m->qacc, k), t);
        w_put(tau_dot, k, t);
    }
    if (geometry) drift_geometry(model, m, joint, dot, d, 1);
}

//---------------------------------- forces ---------------------------------------

// momentum of the body for the change of its ten numbers
static lane6 inertia_dot_apply(const tacModel* model, const tacMotion* m, int body,
                               const tacMotionDot* dot, lane6 t) {
    const tacBody* b = &model->body[body];
    laneTurn R = get_turn(m->turn, body);
    lane3 r = sub3(get3(m->place, body), get3(m->origin, body));
    r = add3(r, turn3(R, set3(model->param + b->com)));
    lane3 r_dot = turn3(R, theta3(dot, b->com)), at = cross_add3(t.a, r, t.l);
    wide K[6], mass = w_set(model->param[b->mass]);
    for (int k = 0; k < 6; ++k) K[k] = w_get(dot->theta, b->inertia + k);
    lane3 p_dot = fma3(at, w_get(dot->theta, b->mass), scale3(cross3(t.a, r_dot), mass));
    lane3 spin = turn3(R, symmetric3(K, turn_back3(R, t.a)));
    return (lane6){p_dot, cross_add3(r_dot, scale3(at, mass), cross_add3(r, p_dot, spin))};
}

static lane6 force_dot(const tacModel* model, const tacMotion* m, int body, const tacMotionDot* dot,
                       const laneDrift* d) {
    laneInertia I = get_inertia(m->inertia, body);
    lane6 v = get6(m->vel, body), a = get6(m->acc, body), momentum = inertia_apply(&I, v);
    lane6 f = cross_force(d->D, inertial_force(&I, v, a));
    f = add6(f, inertia_apply(&I, sub6(d->g, cross_motion(v, d->e))));
    f = add6(f, cross_force(d->e, momentum));
    f = add6(f, cross_force(v, inertia_apply(&I, d->e)));
    if (dot->theta) {
        f = add6(f, inertia_dot_apply(model, m, body, dot, a));
        f = add6(f, cross_force(v, inertia_dot_apply(model, m, body, dot, v)));
    }
    if (m->pushed) f = sub6(f, push_jvp(model, m, body, d->D, d->e, dot));
    if (dot->wrench) f = sub6(f, shift_force(get6(dot->wrench, body), neg3(get3(m->origin, body))));
    return f;
}

static void put_drift(tacMotion* m, int body, const laneDrift* d) {
    tacReal* at = w_at(m->work, 6 * DRIFT_COUNT * body);
    put6(at, DRIFT_D, d->D);
    put6(at, DRIFT_E, d->e);
    put6(at, DRIFT_G, d->g);
}

static void inverse_jvp(const tacModel* model, tacMotion* m, const tacMotionDot* dot,
                        tacReal* tau_dot) {
    laneDrift world = {zero6(), zero6(), zero6()};
    if (dot->theta && !(model->disable & TAC_DISABLE_GRAVITY))
        world.g.l = neg3(theta3(dot, model->gravity));
    put_drift(m, 0, &world);
    for (int b = 1; b < model->nbody; ++b) {
        const tacBody* body = &model->body[b];
        const tacReal* at = w_at(m->work, 6 * DRIFT_COUNT * body->parent);
        laneDrift d = {get6(at, DRIFT_D), get6(at, DRIFT_E), get6(at, DRIFT_G)};
        if (dot->theta && is_attached(model, b)) drift_attach(model, m, b, dot, &d);
        for (int j = 0; j < body->joints; ++j)
            drift_joint(model, m, body->first_joint + j, dot, &d, tau_dot);
        put_drift(m, b, &d);
        put6(m->work, DRIFT_COUNT * b + DRIFT_F, force_dot(model, m, b, dot, &d));
    }
    for (int b = model->nbody - 1; b > 0; --b) {
        const tacBody* body = &model->body[b];
        lane6 f = get6(m->work, DRIFT_COUNT * b + DRIFT_F);
        for (int j = body->first_joint; j < body->first_joint + body->joints; ++j) {
            const tacJoint* joint = &model->joint[j];
            for (int k = joint->dof; k < joint->dof + dof_count(joint->kind); ++k)
                w_add(tau_dot, k, dot6(get6(m->S, k), f));
        }
        if (body->parent > 0) accumulate6(m->work, DRIFT_COUNT * body->parent + DRIFT_F, f);
    }
}

#endif
