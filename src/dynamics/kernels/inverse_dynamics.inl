// Inverse dynamics by the recursive Newton-Euler method:
//
//   outwards  v = v_parent + S q',  a = a_parent + S q'' + S' q',  f = I a + v x* I v
//   inwards   tau = S . (sum of f, less the external wrenches, of the body and all below it)

#ifndef TAC_DYNAMICS_KERNELS_INVERSE_DYNAMICS_INL
#define TAC_DYNAMICS_KERNELS_INVERSE_DYNAMICS_INL

#include "dynamics/kernels/external_force.inl"

//---------------------------------- outwards -------------------------------------

// sum of S x over `count` degrees of freedom
TAC_INLINE lane6 joint_twist(const tacMotion* m, const tacReal* x, int dof, int count) {
    lane6 sum = zero6();
    for (int k = 0; k < count; ++k) sum = fma6(get6(m->S, dof + k), w_get(x, dof + k), sum);
    return sum;
}

TAC_INLINE int dof_count(tacJointKind kind) {
    return kind == TAC_JOINT_FREE ? 6 : kind == TAC_JOINT_BALL ? 3 : 1;
}

// a slide has no angular part
TAC_INLINE void slide_motion(const tacMotion* m, int dof, lane6* v, lane6* a) {
    lane3 axis = get3(m->S, 2 * dof), own = scale3(axis, w_get(m->qvel, dof));
    a->l = add3(a->l, cross3(v->a, own));
    if (m->qacc) a->l = add3(a->l, scale3(axis, w_get(m->qacc, dof)));
    v->l = add3(v->l, own);
}

// The axes of a joint are fixed to `base`: the parent, moved by the joints before this one. The
// translations of a free joint are along world axes; its rotations are about the moving point.
TAC_INLINE void joint_motion(const tacModel* model, tacMotion* m, int joint, lane6* v, lane6* a) {
    const tacJoint* j = &model->joint[joint];
    int dof = j->dof, count = dof_count(j->kind);
    if (j->kind == TAC_JOINT_SLIDE) {
        put6(m->base, 2 * joint, *v);
        put6(m->base, 2 * joint + 1, *a);
        slide_motion(m, dof, v, a);
        return;
    }
    if (j->kind == TAC_JOINT_FREE) {
        *v = add6(*v, joint_twist(m, m->qvel, dof, 3));
        if (m->qacc) *a = add6(*a, joint_twist(m, m->qacc, dof, 3));
        dof += 3;
        count = 3;
    }
    put6(m->base, 2 * joint, *v);
    put6(m->base, 2 * joint + 1, *a);
    lane6 own = joint_twist(m, m->qvel, dof, count);
    *a = add6(*a, cross_motion(*v, own));
    if (m->qacc) *a = add6(*a, joint_twist(m, m->qacc, dof, count));
    *v = add6(*v, own);
}

// the ten numbers of a body about its tree's origin
TAC_INLINE laneInertia body_inertia(const tacModel* model, const tacMotion* m, int body) {
    const tacBody* b = &model->body[body];
    laneRot R = get_rot(m->rot, body);
    lane3 r = sub3(get3(m->pos, body), get3(m->origin, body));
    r = add3(r, rotate3(R, set3(model->param + b->com)));
    wide K[6], turned[6];
    for (int k = 0; k < 6; ++k) K[k] = w_set(model->param[b->inertia + k]);
    rotate_symmetric(R, K, turned);
    return inertia_at(w_set(model->param[b->mass]), r, turned);
}

TAC_INLINE lane6 inertial_force(const laneInertia* I, lane6 v, lane6 a) {
    return add6(inertia_apply(I, a), cross_force(v, inertia_apply(I, v)));
}

TAC_INLINE lane6 world_acceleration(const tacModel* model) {
    if (model->disable & TAC_DISABLE_GRAVITY) return zero6();
    return (lane6){neg3(set3(model->param + model->gravity)), zero3()};
}

// the external wrench, from the world's origin to the tree's
TAC_INLINE lane6 external_wrench(const tacMotion* m, int body) {
    return shift_force(get6(m->wrench, body), neg3(get3(m->origin, body)));
}

TAC_INLINE lane6 external_wrench_on(const tacModel* model, const tacMotion* m, int body, lane6 v) {
    lane6 load = m->wrench ? external_wrench(m, body) : zero6();
    return m->has_external_forces ? add6(load, external_force_on(model, m, body, v)) : load;
}

//---------------------------------- inwards --------------------------------------

TAC_INLINE void project_force(const tacModel* model, const tacMotion* m, int body, tacReal* tau) {
    const tacBody* b = &model->body[body];
    lane6 f = get6(m->force, body);
    if (has_external_wrench(m)) f = sub6(f, get6(m->load, body));
    for (int j = b->first_joint; j < b->first_joint + b->joints; ++j) {
        const tacJoint* joint = &model->joint[j];
        wide armature = w_set(model->param[joint->armature]);
        for (int k = joint->dof; k < joint->dof + dof_count(joint->kind); ++k) {
            wide t = joint->kind == TAC_JOINT_SLIDE ? dot3(get3(m->S, 2 * k), f.l)
                                                    : dot6(get6(m->S, k), f);
            if (m->qacc) t = w_fma(armature, w_get(m->qacc, k), t);
            w_put(tau, k, t);
        }
    }
}

static void inverse(const tacModel* model, tacMotion* m, tacReal* tau) {
    put6(m->vel, 0, zero6());
    put6(m->acc, 0, world_acceleration(model));
    for (int b = 1; b < model->nbody; ++b) {
        const tacBody* body = &model->body[b];
        lane6 v = get6(m->vel, body->parent), a = get6(m->acc, body->parent);
        for (int j = 0; j < body->joints; ++j)
            joint_motion(model, m, body->first_joint + j, &v, &a);
        laneInertia I = body_inertia(model, m, b);
        put6(m->vel, b, v);
        put6(m->acc, b, a);
        put_inertia(m->inertia, b, &I);
        put6(m->force, b, inertial_force(&I, v, a));
        if (has_external_wrench(m)) put6(m->load, b, external_wrench_on(model, m, b, v));
    }
    for (int b = model->nbody - 1; b > 0; --b) {
        int parent = model->body[b].parent;
        project_force(model, m, b, tau);
        if (parent == 0) continue;
        accumulate6(m->force, parent, get6(m->force, b));
        if (has_external_wrench(m)) accumulate6(m->load, parent, get6(m->load, b));
    }
}

#endif
