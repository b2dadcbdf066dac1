// Forward derivative of inverse dynamics, O(nv): along positions, velocities, accelerations,
// external wrenches and every parameter.
//
// With D the displacement of a body, dv = D x v + e and da = D x a + e x v + g, where D, e, g add
// up outwards over degrees of freedom and slots; then df = D x* f + I g + 2 B e.

#ifndef TAC_DYNAMICS_KERNELS_INVERSE_DYNAMICS_JVP_INL
#define TAC_DYNAMICS_KERNELS_INVERSE_DYNAMICS_JVP_INL

#include "dynamics/kernels/external_force_diff.inl"

typedef struct laneBodyTangent {
    lane6 D, e, g;
} laneBodyTangent;

// per body in `work`: D, e, g, sum of df
enum { TANGENT_D, TANGENT_E, TANGENT_G, TANGENT_F, TANGENT_COUNT };

//---------------------------------- displacement ---------------------------------

TAC_INLINE void tangent_slot(laneBodyTangent* d, laneSlot slot, lane6 twist) {
    lane6 P = cross_motion(slot.u, twist);
    d->D = add6(d->D, twist);
    d->e = add6(d->e, P);
    d->g = add6(d->g, add6(cross_motion(slot.alpha, twist), cross_motion(slot.u, P)));
}

static void tangent_attach(const tacModel* model, const tacMotion* m, int body,
                           const tacMotionDot* dot, laneBodyTangent* d) {
    const tacBody* b = &model->body[body];
    laneRot R = get_rot(m->rot, b->parent);
    lane3 shift = rotate3(R, theta3(dot, b->position));
    lane3 turned = rotate3(R, quat_dot_to_angular(model, b->rotation, dot));
    tangent_slot(d, slot_attached(model, m, body),
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

static void tangent_geometry(const tacModel* model, const tacMotion* m, int joint,
                             const tacMotionDot* dot, laneBodyTangent* d, int after) {
    const tacJoint* j = &model->joint[joint];
    lane3 shift, turned;
    joint_change(model, j, dot, &shift, &turned);
    laneRot R =
        after ? rot_after(model, m, joint) : quat_to_rot(get4(m->quat_before_joint, 4 * joint));
    shift = rotate3(R, shift);
    turned = rotate3(R, turned);
    if (after)
        tangent_slot(d, slot_after(model, m, joint),
                     twist_about(pivot_after(model, m, joint), neg3(shift), neg3(turned)));
    else
        tangent_slot(d, slot_before(m, joint),
                     twist_about(pivot_before(model, m, joint), shift, turned));
}

// one degree of freedom
TAC_INLINE void tangent_dof(const tacModel* model, const tacMotion* m, int k,
                            const tacMotionDot* dot, laneBodyTangent* d) {
    const tacJoint* j = &model->joint[model->dof[k].joint];
    laneColumn c = column_of(model, m, k);
    wide dq = lane_or_zero(dot->dq, k), dv = lane_or_zero(dot->dv, k),
         da = lane_or_zero(dot->da, k);
    if (j->axis >= 0) dq = dq - theta_at(dot, j->ref);
    d->D = fma6(c.S, dq, d->D);
    d->e = fma6(c.P, dq, fma6(c.S, dv, d->e));
    d->g = fma6(c.P2, dq, fma6(c.F, dv, fma6(c.S, da, d->g)));
}

// a joint's part of the drift; tau_dot gets the force along the change of its own axes
static void tangent_joint(const tacModel* model, const tacMotion* m, int joint,
                          const tacMotionDot* dot, laneBodyTangent* d, tacReal* tau_dot) {
    const tacJoint* j = &model->joint[joint];
    int geometry = dot->theta && j->kind != TAC_JOINT_FREE;
    if (geometry) tangent_geometry(model, m, joint, dot, d, 0);
    int first = j->dof, last = j->dof + dof_count(j->kind);
    for (int k = first; k < last; ++k) tangent_dof(model, m, k, dot, d);
    lane6 f = get6(m->force, j->body);
    if (has_external_wrench(m)) f = sub6(f, get6(m->load, j->body));
    for (int k = first; k < last; ++k) {
        lane6 S = get6(m->S, k);
        wide t = is_world_axis(model, k) ? w_set(0.0) : dot6(cross_motion(d->D, S), f);
        t = w_fma(w_set(model->param[j->armature]), lane_or_zero(dot->da, k), t);
        if (m->qacc) t = w_fma(theta_at(dot, j->armature), w_get(m->qacc, k), t);
        w_put(tau_dot, k, t);
    }
    if (geometry) tangent_geometry(model, m, joint, dot, d, 1);
}

//---------------------------------- forces ---------------------------------------

// momentum of the body for the change of its ten numbers
static lane6 inertia_dot_apply(const tacModel* model, const tacMotion* m, int body,
                               const tacMotionDot* dot, lane6 t) {
    const tacBody* b = &model->body[body];
    laneRot R = get_rot(m->rot, body);
    lane3 r = sub3(get3(m->pos, body), get3(m->origin, body));
    r = add3(r, rotate3(R, set3(model->param + b->com)));
    lane3 r_dot = rotate3(R, theta3(dot, b->com)), at = cross_add3(t.a, r, t.l);
    wide K[6], mass = w_set(model->param[b->mass]);
    for (int k = 0; k < 6; ++k) K[k] = w_get(dot->theta, b->inertia + k);
    lane3 p_dot = fma3(at, w_get(dot->theta, b->mass), scale3(cross3(t.a, r_dot), mass));
    lane3 spin = rotate3(R, symmetric3(K, rotate_back3(R, t.a)));
    return (lane6){p_dot, cross_add3(r_dot, scale3(at, mass), cross_add3(r, p_dot, spin))};
}

static lane6 force_dot(const tacModel* model, const tacMotion* m, int body, const tacMotionDot* dot,
                       const laneBodyTangent* d) {
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
    if (m->has_external_forces) f = sub6(f, external_force_jvp(model, m, body, d->D, d->e, dot));
    if (dot->wrench) f = sub6(f, shift_force(get6(dot->wrench, body), neg3(get3(m->origin, body))));
    return f;
}

static void put_body_tangent(tacMotion* m, int body, const laneBodyTangent* d) {
    tacReal* at = w_at(m->work, 6 * TANGENT_COUNT * body);
    put6(at, TANGENT_D, d->D);
    put6(at, TANGENT_E, d->e);
    put6(at, TANGENT_G, d->g);
}

static void inverse_jvp(const tacModel* model, tacMotion* m, const tacMotionDot* dot,
                        tacReal* tau_dot) {
    laneBodyTangent world = {zero6(), zero6(), zero6()};
    if (dot->theta && !(model->disable & TAC_DISABLE_GRAVITY))
        world.g.l = neg3(theta3(dot, model->gravity));
    put_body_tangent(m, 0, &world);
    for (int b = 1; b < model->nbody; ++b) {
        const tacBody* body = &model->body[b];
        const tacReal* at = w_at(m->work, 6 * TANGENT_COUNT * body->parent);
        laneBodyTangent d = {get6(at, TANGENT_D), get6(at, TANGENT_E), get6(at, TANGENT_G)};
        if (dot->theta && is_attached(model, b)) tangent_attach(model, m, b, dot, &d);
        for (int j = 0; j < body->joints; ++j)
            tangent_joint(model, m, body->first_joint + j, dot, &d, tau_dot);
        put_body_tangent(m, b, &d);
        put6(m->work, TANGENT_COUNT * b + TANGENT_F, force_dot(model, m, b, dot, &d));
    }
    for (int b = model->nbody - 1; b > 0; --b) {
        const tacBody* body = &model->body[b];
        lane6 f = get6(m->work, TANGENT_COUNT * b + TANGENT_F);
        for (int j = body->first_joint; j < body->first_joint + body->joints; ++j) {
            const tacJoint* joint = &model->joint[j];
            for (int k = joint->dof; k < joint->dof + dof_count(joint->kind); ++k)
                w_add(tau_dot, k, dot6(get6(m->S, k), f));
        }
        if (body->parent > 0) accumulate6(m->work, TANGENT_COUNT * body->parent + TANGENT_F, f);
    }
}

#endif
