// Derivatives of contact in the equation of motion: two 6 x 6 blocks a pair of bodies.
//
// Bodies that are displaced by X0, X1, whose velocities V0, V1 change by X x V + e, all about the
// pair's origin; n = V1 - V0:
//
//   dw = K (X1 - X0) + C (dn - X0 x n) + X0 x* w,  dn - X0 x n = (X1 - X0) x V1 + e1 - e0
//
// In a linearly implicit step accelerations enter as velocities do, through L.

#include "step/force/contact_forces.h"

#include "dynamics/kinematics_diff.h"
#include "math/spatial.h"

#include <string.h>

#define SINGLE TAC_DISPATCH(tac_dynamics_single_)

//---------------------------------- twists ---------------------------------------

static void mul6(const tacReal* M, const tacReal* x, tacReal* y) {
    for (int i = 0; i < 6; ++i) {
        tacReal sum = 0.0;
        for (int k = 0; k < 6; ++k) sum += M[6 * i + k] * x[k];
        y[i] = sum;
    }
}

static void mul6_t(const tacReal* M, const tacReal* y, tacReal* x) {
    for (int k = 0; k < 6; ++k) {
        tacReal sum = 0.0;
        for (int i = 0; i < 6; ++i) sum += M[6 * i + k] * y[i];
        x[k] = sum;
    }
}

// motion of one body of a pair about the pair's origin: displacement, and the further change of
// velocities and accelerations
typedef struct pairSide {
    tacTwist X, e, predicted;
} pairSide;

static pairSide side_zero(void) {
    return (pairSide){tac_twist_zero(), tac_twist_zero(), tac_twist_zero()};
}

// adds M (x cross V + e1 - e0)
static void add_response(const tacReal* M, tacTwist x, tacTwist V, tacTwist e1, tacTwist e0,
                         tacReal* w) {
    tacReal in[6], out[6];
    tac_twist_store(in, tac_twist_add(tac_cross_motion(x, V), tac_twist_sub(e1, e0)));
    mul6(M, in, out);
    for (int i = 0; i < 6; ++i) w[i] += out[i];
}

// dw of the motions of both bodies
static tacWrench wrench_dot(const tacContactForces* t, const tacMotion* m, const tacPairForce* f,
                            const pairSide s[2]) {
    tacVec3 o = tac_load3(f->origin);
    tacTwist x = tac_twist_sub(s[1].X, s[0].X);
    tacReal in[6], w[6];
    tac_twist_store(in, x);
    mul6(f->K, in, w);
    tacTwist V = tac_twist_about(m, f->body[1], m->vel + 6 * f->body[1], o);
    add_response(f->C, x, V, s[1].e, s[0].e, w);
    if (t->implicit) {
        tacTwist A = tac_twist_about(m, f->body[1], t->rate.vel + 6 * f->body[1], o);
        add_response(f->L, x, A, s[1].predicted, s[0].predicted, w);
    }
    return tac_wrench_add(tac_wrench_load(w), tac_cross_force(s[0].X, tac_wrench_load(f->wrench)));
}

//---------------------------------- forward --------------------------------------

enum {
    BODY_TANGENT = 24,
    BODY_TANGENT_E = 6
}; // numbers a body in m->work after inverse_jvp: D, e, …

static void pair_jvp(const tacContactForces* t, const tacMotion* m, const tacPairForce* f,
                     tacReal* w_dot) {
    tacVec3 o = tac_load3(f->origin);
    pairSide s[2] = {side_zero(), side_zero()};
    for (int i = 0; i < 2; ++i) {
        const tacReal* tangent = m->work + BODY_TANGENT * f->body[i];
        s[i].X = tac_twist_about(m, f->body[i], tangent, o);
        s[i].e = tac_twist_about(m, f->body[i], tangent + BODY_TANGENT_E, o);
        if (!t->implicit) continue;
        tangent = t->rate.work + BODY_TANGENT * f->body[i] + BODY_TANGENT_E;
        s[i].predicted = tac_twist_about(m, f->body[i], tangent, o);
    }
    tacWrench w = wrench_dot(t, m, f, s);
    tac_wrench_store(w_dot, tac_wrench_add(tac_wrench_load(w_dot), w));
}

// derivatives of the wrenches by the parameters at fixed poses and velocities
static void theta_jvp(tacContactForces* t, const tacReal* theta_dot) {
    tacKinematics at = {t->pose, t->twist, t->derivatives, t->predicted};
    int reads = tac_force_of(t->model)->reads_contacts;
    if (reads)
        tac_detect_jvp(t->model, t->pose, &t->contacts, NULL, theta_dot, &t->contacts_diff,
                       t->scratch);
    tac_force_jvp(t->model, &at, &t->contacts, reads ? &t->contacts_diff : NULL, theta_dot, t->diff,
                  t->scratch);
}

// S . w of all that moves the body, w about `o`
static void add_generalized_force(const tacModel* model, const tacMotion* m, int body, tacVec3 o,
                                  tacWrench w, tacReal* tau) {
    if (body == 0) return;
    tacReal x[6];
    tac_wrench_store(x, tac_wrench_shift(w, o, tac_load3(m->origin + 3 * body)));
    for (int k = tac_last_dof(model, body); k >= 0; k = model->dof[k].parent)
        for (int i = 0; i < 6; ++i) tau[k] += m->S[6 * k + i] * x[i];
}

void tac_contact_forces_jvp(tacContactForces* t, const tacMotion* m, const tacMotionDot* dot,
                            tacReal* tau_dot) {
    const tacModel* model = t->model;
    if (t->count == 0) return;
    if (dot->theta) theta_jvp(t, dot->theta);
    if (t->implicit) {
        const tacMotionDot diff = {.dq = dot->dq, .theta = dot->theta};
        SINGLE->inverse_jvp(model, &t->rate, &diff, t->tau);
    }
    for (int i = 0; i < t->count; ++i) {
        const tacPairForce* f = &t->force[i];
        tacReal w[6] = {0};
        if (dot->theta) memcpy(w, t->diff[i].wrench, sizeof w);
        pair_jvp(t, m, f, w);
        tacVec3 o = tac_load3(f->origin);
        add_generalized_force(model, m, f->body[1], o, tac_wrench_load(w), tau_dot);
        add_generalized_force(model, m, f->body[0], o, tac_wrench_scale(tac_wrench_load(w), -1.0),
                              tau_dot);
    }
}

//---------------------------------- reverse --------------------------------------

// the velocity of a body at joint velocities lambda, about `o`
static tacTwist velocity_about(const tacModel* model, const tacMotion* m, int body, tacVec3 o,
                               const tacReal* lambda) {
    tacReal sum[6] = {0};
    if (body == 0) return tac_twist_zero();
    for (int k = tac_last_dof(model, body); k >= 0; k = model->dof[k].parent)
        for (int i = 0; i < 6; ++i) sum[i] += m->S[6 * k + i] * lambda[k];
    return tac_twist_about(m, body, sum, o);
}

static void add_wrench_bar(const tacMotion* m, tacReal* bar, int body, tacVec3 o, tacReal sign,
                           tacWrench w) {
    if (body == 0) return;
    tacReal* at = bar + 6 * body;
    w = tac_wrench_shift(w, o, tac_load3(m->origin + 3 * body));
    tac_wrench_store(at, tac_wrench_add_scaled(tac_wrench_load(at), sign, w));
}

// adjoints of the displacements and of e from w_bar, a twist about the pair's origin
static void pair_vjp(tacContactForces* t, const tacMotion* m, const tacPairForce* f,
                     const tacReal* w_bar) {
    tacVec3 o = tac_load3(f->origin);
    tacReal x[6], c[6];
    mul6_t(f->K, w_bar, x);
    mul6_t(f->C, w_bar, c);
    tacWrench C = tac_wrench_load(c);
    tacTwist V1 = tac_twist_about(m, f->body[1], m->vel + 6 * f->body[1], o);
    // (X x V1) . C = X . (V1 x* C);  w_bar . (X0 x* w) = -X0 . (w_bar x* w)
    tacWrench X = tac_wrench_add(tac_wrench_load(x), tac_cross_force(V1, C));
    tacWrench carried = tac_cross_force(tac_twist_load(w_bar), tac_wrench_load(f->wrench));
    if (t->implicit) {
        tacReal l[6];
        mul6_t(f->L, w_bar, l);
        tacTwist A = tac_twist_about(m, f->body[1], t->rate.vel + 6 * f->body[1], o);
        tacWrench L = tac_wrench_load(l);
        X = tac_wrench_add(X, tac_cross_force(A, L));
        add_wrench_bar(m, t->predicted_bar, f->body[1], o, 1.0, L);
        add_wrench_bar(m, t->predicted_bar, f->body[0], o, -1.0, L);
    }
    add_wrench_bar(m, t->D, f->body[1], o, 1.0, X);
    add_wrench_bar(m, t->D, f->body[0], o, -1.0, tac_wrench_add(X, carried));
    add_wrench_bar(m, t->e, f->body[1], o, 1.0, C);
    add_wrench_bar(m, t->e, f->body[0], o, -1.0, C);
}

static void theta_vjp(tacContactForces* t, tacReal* theta_bar) {
    tacKinematics at = {t->pose, t->twist, t->derivatives, t->predicted};
    int reads = tac_force_of(t->model)->reads_contacts;
    if (reads) tac_contacts_clear(&t->contacts_diff, t->contacts.count);
    tac_force_vjp(t->model, &at, &t->contacts, t->diff, reads ? &t->contacts_diff : NULL, theta_bar,
                  t->scratch);
    if (reads)
        tac_detect_vjp(t->model, t->pose, &t->contacts, &t->contacts_diff, NULL, theta_bar,
                       t->scratch);
}

void tac_contact_forces_vjp(tacContactForces* t, const tacMotion* m, const tacReal* tau_bar,
                            tacMotionDot* bar) {
    const tacModel* model = t->model;
    if (t->count == 0) return;
    size_t size = sizeof(tacReal) * (size_t)(6 * model->nbody);
    memset(t->D, 0, size);
    memset(t->e, 0, size);
    if (t->implicit) memset(t->predicted_bar, 0, size);
    for (int i = 0; i < t->count; ++i) {
        const tacPairForce* f = &t->force[i];
        tacVec3 o = tac_load3(f->origin);
        tacTwist w_bar = tac_twist_sub(velocity_about(model, m, f->body[1], o, tau_bar),
                                       velocity_about(model, m, f->body[0], o, tau_bar));
        t->diff[i] = *f;
        tac_twist_store(t->diff[i].wrench, w_bar);
        pair_vjp(t, m, f, t->diff[i].wrench);
    }
    if (bar->theta) theta_vjp(t, bar->theta);
    tac_body_motion_vjp(model, m, t->D, t->e, bar->dq, bar->dv, bar->theta);
    if (!t->implicit) return;
    memset(t->D, 0, size);
    tac_body_motion_vjp(model, &t->rate, t->D, t->predicted_bar, bar->dq, NULL, bar->theta);
}

//---------------------------------- matrices -------------------------------------

// per degree of freedom in `columns`: motion of body[1] against body[0], dw by q and by v
enum { COLUMN_Q = 6, COLUMN_V = 12 };

// axes of a free joint's translations are the world's, others are fixed to the joint's base
static tacTwist axis_rate(const tacModel* model, const tacMotion* m, int k) {
    const tacJoint* j = &model->joint[model->dof[k].joint];
    if (j->kind == TAC_JOINT_FREE && k < j->dof + 3) return tac_twist_zero();
    return tac_cross_motion(tac_twist_load(m->base + 12 * model->dof[k].joint),
                            tac_twist_load(m->S + 6 * k));
}

// dw by the degrees of freedom of one body
static void add_pair_columns(tacContactForces* t, const tacMotion* m, const tacPairForce* f,
                             int side) {
    const tacModel* model = t->model;
    int body = f->body[side];
    tacVec3 o = tac_load3(f->origin);
    for (int k = tac_last_dof(model, body); k >= 0; k = model->dof[k].parent) {
        tacReal *c = t->columns + TAC_PAIR_COLUMN * k, own[6], w[6];
        pairSide s[2] = {side_zero(), side_zero()};
        s[side].X = tac_twist_about(m, body, m->S + 6 * k, o);
        tac_twist_store(own, axis_rate(model, m, k));
        s[side].e = tac_twist_about(m, body, own, o);
        if (t->implicit) {
            tac_twist_store(own, axis_rate(model, &t->rate, k));
            s[side].predicted = tac_twist_about(m, body, own, o);
        }
        tac_wrench_store(w, wrench_dot(t, m, f, s));
        for (int i = 0; i < 6; ++i) c[COLUMN_Q + i] += w[i];
    }
}

static tacReal dot6_real(const tacReal* a, const tacReal* b) {
    tacReal sum = 0.0;
    for (int i = 0; i < 6; ++i) sum += a[i] * b[i];
    return sum;
}

void tac_contact_forces_jacobian(tacContactForces* t, const tacMotion* m, tacReal* by_q,
                                 tacReal* by_v, int stride) {
    for (int i = 0; i < t->count; ++i) {
        const tacPairForce* f = &t->force[i];
        int count = tac_contact_forces_pair_jacobian(t, m, f);
        add_pair_columns(t, m, f, 0);
        add_pair_columns(t, m, f, 1);
        for (int a = 0; a < count; ++a) {
            tacReal* c = t->columns + TAC_PAIR_COLUMN * t->dofs[a];
            mul6(f->C, c, c + COLUMN_V);
        }
        for (int a = 0; a < count; ++a) {
            const tacReal* U = t->columns + TAC_PAIR_COLUMN * t->dofs[a];
            size_t row = (size_t)t->dofs[a] * (size_t)stride;
            for (int b = 0; b < count; ++b) {
                const tacReal* c = t->columns + TAC_PAIR_COLUMN * t->dofs[b];
                by_q[row + (size_t)t->dofs[b]] += dot6_real(U, c + COLUMN_Q);
                by_v[row + (size_t)t->dofs[b]] += dot6_real(U, c + COLUMN_V);
            }
        }
    }
}
