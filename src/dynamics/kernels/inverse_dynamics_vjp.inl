// Reverse derivative of inverse dynamics, O(nv): by positions, velocities, accelerations, external
// wrenches and every parameter.
//
// lambda . tau is the power of all forces f at the velocities V = sum of S lambda. A twist X in a
// slot changes it by G . X with
//
//   Yq = I V + Q,  Yp = 2 B' V + P,  G = u x* (u x* Yq - Yp) - alpha x* Yq - V x* f - W
//
// V that of the slot's base; I, B, f of the subtree; Q, P, W the sums of lambda I S,
// lambda 2 B' S, lambda S x* load over the degrees of freedom carried. So q_bar = S . G,
// v_bar = Yq . F + Yp . S, a_bar = Yq . S. External forces on the subtree add their adjoints of D
// and e: D - u x* e to G, e . S to v_bar.

#ifndef TAC_DYNAMICS_KERNELS_INVERSE_DYNAMICS_VJP_INL
#define TAC_DYNAMICS_KERNELS_INVERSE_DYNAMICS_VJP_INL

#include "dynamics/kernels/external_force_diff.inl"

// per body in `work`: V, and Q, P, W of its subtree
enum { BACK_V, BACK_Q, BACK_P, BACK_W, BACK_COUNT };

typedef struct laneSums {
    lane6 Q, W;
    lane3 P;
} laneSums;

typedef struct laneSlotBar {
    lane6 Yq, G;
    lane3 Yp;
} laneSlotBar;

// all that a body's slots have in common
typedef struct laneSubtree {
    laneInertia I;
    laneCoriolis B;
    lane6 f, load;
    lane6 D, e; // adjoints of external forces
    int has_external_forces;
} laneSubtree;

// the adjoint of tau, and those that it adds to
typedef struct inverseBar {
    const tacModel* model;
    const tacMotion* m;
    const tacReal* tau_bar;
    tacMotionDot* bar;
} inverseBar;

TAC_INLINE laneSlotBar slot_adjoint(const laneSubtree* c, laneSlot slot, lane6 V,
                                    const laneSums* sums) {
    laneSlotBar out;
    out.Yq = add6(inertia_apply(&c->I, V), sums->Q);
    out.Yp = add3(coriolis_back(&c->B, V), sums->P);
    lane6 turned = cross_force(slot.u, out.Yq);
    turned.a = sub3(turned.a, out.Yp);
    out.G = cross_force(slot.u, turned);
    out.G = sub6(out.G, cross_force(slot.alpha, out.Yq));
    out.G = sub6(out.G, cross_force(V, c->f));
    out.G = sub6(out.G, sums->W);
    if (c->has_external_forces) out.G = add6(out.G, sub6(c->D, cross_force(slot.u, c->e)));
    return out;
}

//---------------------------------- geometry -------------------------------------

static void attach_adjoint(const tacModel* model, const tacMotion* m, int body, lane6 G,
                           tacMotionDot* bar) {
    const tacBody* b = &model->body[body];
    laneRot R = get_rot(m->rot, b->parent);
    add_theta3(bar, b->position, rotate_back3(R, G.l));
    lane3 w = torque_about(G, attached_at(model, m, body));
    add_quat_bar(model, b->rotation, rotate_back3(R, w), bar);
}

static void geometry_adjoint(const tacModel* model, const tacMotion* m, int joint, lane6 G,
                             tacMotionDot* bar, int after) {
    const tacJoint* j = &model->joint[joint];
    laneRot R =
        after ? rot_after(model, m, joint) : quat_to_rot(get4(m->quat_before_joint, 4 * joint));
    lane3 r = after ? pivot_after(model, m, joint) : pivot_before(model, m, joint);
    lane3 shift = rotate_back3(R, G.l), w = rotate_back3(R, torque_about(G, r));
    if (after) {
        shift = neg3(shift);
        w = neg3(w);
    }
    if (j->kind != TAC_JOINT_SLIDE) add_theta3(bar, j->position, shift);
    if (j->axis < 0) return;
    lane3 axis = set3(model->param + j->axis);
    add_theta3(bar, j->axis, scale3(cross3(w, axis), 1.0 / dot3(axis, axis)));
}

//---------------------------------- joints ---------------------------------------

TAC_INLINE void carry_dof(const inverseBar* b, const laneSubtree* c, int k, laneSums* sums) {
    const tacMotion* m = b->m;
    wide lambda = w_get(b->tau_bar, k);
    lane6 S = get6(m->S, k);
    sums->Q = fma6(inertia_apply(&c->I, S), lambda, sums->Q);
    sums->P = fma3(coriolis_back(&c->B, S), lambda, sums->P);
    if (has_external_wrench(m)) sums->W = fma6(cross_force(S, c->load), lambda, sums->W);
}

TAC_INLINE void dof_vjp(const inverseBar* b, const laneSubtree* subtree, int k,
                        const laneSlotBar* s) {
    const tacModel* model = b->model;
    const tacMotion* m = b->m;
    tacMotionDot* bar = b->bar;
    wide lambda = w_get(b->tau_bar, k);
    const tacJoint* j = &model->joint[model->dof[k].joint];
    laneColumn c = column_of(model, m, k);
    wide q_bar = dot6(c.S, s->G);
    add_to(bar->dq, k, q_bar);
    if (j->axis >= 0) add_to(bar->theta, j->ref, -q_bar);
    add_to(bar->dv, k, dot6(s->Yq, c.F) + dot3(s->Yp, c.S.a));
    if (subtree->has_external_forces) add_to(bar->dv, k, dot6(subtree->e, c.S));
    add_to(bar->da, k, w_fma(w_set(model->param[j->armature]), lambda, dot6(s->Yq, c.S)));
    if (bar->theta && m->qacc) w_add(bar->theta, j->armature, lambda * w_get(m->qacc, k));
}

// Degrees of freedom `first` to `last` rotate or translate together; V is that before the joint.
// Returns G.
TAC_INLINE lane6 dof_block_vjp(const inverseBar* b, const laneSubtree* c, int first, int last,
                               lane6 V, laneSums* sums) {
    for (int k = first; k < last; ++k) carry_dof(b, c, k, sums);
    laneSlotBar s = slot_adjoint(c, slot_before(b->m, b->model->dof[first].joint), V, sums);
    for (int k = first; k < last; ++k) dof_vjp(b, c, k, &s);
    return s.G;
}

// in: V before the joint and the sums after it; out: the sums before it
static void joint_bar(const inverseBar* b, const laneSubtree* c, int joint, lane6 V,
                      laneSums* sums) {
    const tacJoint* j = &b->model->joint[joint];
    int first = j->dof, last = j->dof + dof_count(j->kind);
    if (j->kind == TAC_JOINT_FREE) {
        lane6 moved = add6(V, joint_twist(b->m, b->tau_bar, first, 3));
        dof_block_vjp(b, c, first + 3, last, moved, sums);
        dof_block_vjp(b, c, first, first + 3, V, sums);
        return;
    }
    if (b->bar->theta) {
        lane6 after = add6(V, joint_twist(b->m, b->tau_bar, first, last - first));
        laneSlotBar s = slot_adjoint(c, slot_after(b->model, b->m, joint), after, sums);
        geometry_adjoint(b->model, b->m, joint, s.G, b->bar, 1);
    }
    lane6 G = dof_block_vjp(b, c, first, last, V, sums);
    if (b->bar->theta) geometry_adjoint(b->model, b->m, joint, G, b->bar, 0);
}

//---------------------------------- bodies ---------------------------------------

// power of I t at the velocity w, by the ten numbers of I: all about the body's origin, body axes
static void add_inertia_bar(const tacModel* model, int body, lane6 w, lane6 t, tacMotionDot* bar) {
    const tacBody* b = &model->body[body];
    lane3 c = set3(model->param + b->com);
    lane3 wc = cross_add3(w.a, c, w.l), tc = cross_add3(t.a, c, t.l);
    w_add(bar->theta, b->mass, dot3(wc, tc));
    lane3 by_c = add3(cross3(tc, w.a), cross3(wc, t.a));
    add_theta3(bar, b->com, scale3(by_c, w_set(model->param[b->mass])));
    w_add(bar->theta, b->inertia, w.a.x * t.a.x);
    w_add(bar->theta, b->inertia + 1, w.a.y * t.a.y);
    w_add(bar->theta, b->inertia + 2, w.a.z * t.a.z);
    w_add(bar->theta, b->inertia + 3, w_fma(w.a.x, t.a.y, w.a.y * t.a.x));
    w_add(bar->theta, b->inertia + 4, w_fma(w.a.x, t.a.z, w.a.z * t.a.x));
    w_add(bar->theta, b->inertia + 5, w_fma(w.a.y, t.a.z, w.a.z * t.a.y));
}

static lane6 to_body(const tacMotion* m, int body, lane6 t) {
    laneRot R = get_rot(m->rot, body);
    lane3 r = sub3(get3(m->pos, body), get3(m->origin, body));
    return (lane6){rotate_back3(R, cross_add3(t.a, r, t.l)), rotate_back3(R, t.a)};
}

// f = I a + v x* I v, so the power at V is that of I a at V and of I v at V x v
static void body_bar(const tacModel* model, const tacMotion* m, int body, lane6 V,
                     tacMotionDot* bar) {
    if (bar->theta) {
        lane6 v = get6(m->vel, body), a = get6(m->acc, body);
        add_inertia_bar(model, body, to_body(m, body, V), to_body(m, body, a), bar);
        add_inertia_bar(model, body, to_body(m, body, cross_motion(V, v)), to_body(m, body, v),
                        bar);
    }
    if (bar->wrench) {
        lane3 o = get3(m->origin, body);
        lane6 at = {sub3(cross3(V.a, o), V.l), neg3(V.a)};
        accumulate6(bar->wrench, body, at);
    }
}

static void velocity_outward(const tacModel* model, tacMotion* m, const tacReal* tau_bar) {
    put6(m->work, BACK_V, zero6());
    for (int b = 0; b < model->nbody; ++b) {
        const tacBody* body = &model->body[b];
        lane6 V = get6(m->work, BACK_COUNT * body->parent + BACK_V);
        for (int j = 0; j < body->joints; ++j) {
            const tacJoint* joint = &model->joint[body->first_joint + j];
            V = add6(V, joint_twist(m, tau_bar, joint->dof, dof_count(joint->kind)));
        }
        put6(m->work, BACK_COUNT * b + BACK_V, V);
        put6(m->work, BACK_COUNT * b + BACK_Q, zero6());
        put6(m->work, BACK_COUNT * b + BACK_P, zero6());
        put6(m->work, BACK_COUNT * b + BACK_W, zero6());
    }
}

// adjoints of the external forces on a body and its subtree: two of six numbers, in
// m->external_force
static void external_force_inward(const tacModel* model, const tacMotion* m, tacMotionDot* bar) {
    for (int b = 0; b < model->nbody; ++b) {
        lane6 D = zero6(), e = zero6(), V = get6(m->work, BACK_COUNT * b + BACK_V);
        if (b > 0) external_force_vjp(model, m, b, sub6(zero6(), V), bar, &D, &e);
        put6(m->external_force, 2 * b, D);
        put6(m->external_force, 2 * b + 1, e);
    }
    for (int b = model->nbody - 1; b > 0; --b) {
        accumulate6(m->external_force, 2 * model->body[b].parent, get6(m->external_force, 2 * b));
        accumulate6(m->external_force, 2 * model->body[b].parent + 1,
                    get6(m->external_force, 2 * b + 1));
    }
}

static void inverse_vjp(const tacModel* model, tacMotion* m, const tacReal* tau_bar,
                        tacMotionDot* bar) {
    const inverseBar adjoint = {model, m, tau_bar, bar};
    velocity_outward(model, m, tau_bar);
    if (m->has_external_forces) external_force_inward(model, m, bar);
    for (int b = model->nbody - 1; b > 0; --b) {
        const tacBody* body = &model->body[b];
        tacReal *at = w_at(m->work, 6 * BACK_COUNT * b),
                *up = w_at(m->work, 6 * BACK_COUNT * body->parent);
        laneSubtree c = {get_inertia(m->composite, b),
                         get_coriolis(m->coriolis, b),
                         get6(m->force, b),
                         zero6(),
                         zero6(),
                         zero6(),
                         m->has_external_forces};
        if (has_external_wrench(m)) c.load = get6(m->load, b);
        if (m->has_external_forces) {
            c.D = get6(m->external_force, 2 * b);
            c.e = get6(m->external_force, 2 * b + 1);
        }
        laneSums sums = {get6(at, BACK_Q), get6(at, BACK_W), get6(at, BACK_P).a};
        body_bar(model, m, b, get6(at, BACK_V), bar);
        lane6 V[7] = {get6(up, BACK_V)};
        for (int j = 0; j < body->joints; ++j) {
            const tacJoint* joint = &model->joint[body->first_joint + j];
            V[j + 1] = add6(V[j], joint_twist(m, tau_bar, joint->dof, dof_count(joint->kind)));
        }
        for (int j = body->joints - 1; j >= 0; --j)
            joint_bar(&adjoint, &c, body->first_joint + j, V[j], &sums);
        if (bar->theta && is_attached(model, b)) {
            laneSlotBar s = slot_adjoint(&c, slot_attached(model, m, b), V[0], &sums);
            attach_adjoint(model, m, b, s.G, bar);
        }
        accumulate6(up, BACK_Q, sums.Q);
        accumulate6(up, BACK_W, sums.W);
        accumulate6(up, BACK_P, (lane6){zero3(), sums.P});
    }
    if (bar->theta && !(model->disable & TAC_DISABLE_GRAVITY))
        add_theta3(bar, model->gravity, neg3(get6(m->work, BACK_Q).l));
}

#endif
