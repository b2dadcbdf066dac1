// Forward dynamics by articulated bodies, O(nv): no mass matrix.
//
// A body with its subtree resists an acceleration a with f = A a + p. A degree of freedom
// S that yields to the force tau takes its own share out of both:
//
//   U = A S,  D = S . U + armature,  A - U U'/D,  p + U (tau - S . p)/D
//
// and outwards its acceleration is (tau - S . p - U . a)/D. All six numbers of a tree are about one
// point, so nothing is shifted from body to body; degrees of freedom of one body follow each other.

#ifndef TAC_DYNAMICS_KERNELS_ARTICULATED_BODY_INL
#define TAC_DYNAMICS_KERNELS_ARTICULATED_BODY_INL

#include "dynamics/kernels/mass_matrix.inl"

// a symmetric matrix of six: blocks linear (6), angular (6), and by rows linear x angular (9)
typedef struct laneArticulated {
    wide l[6], a[6]; // xx yy zz xy xz yz
    lane3 x[3];      // rows of the mixed block
} laneArticulated;

enum { ABA_BODY_SIZE = 27 }; // numbers of a body in `work`: the matrix and p
enum { ABA_DOF_SIZE = 8 };   // numbers of a degree of freedom behind them: U, 1/D, tau - S . p

TAC_INLINE laneArticulated articulated_of(const laneInertia* I) {
    const wide none = w_set(0.0);
    laneArticulated A = {{I->m, I->m, I->m, none, none, none}, {none}, {zero3(), zero3(), zero3()}};
    for (int i = 0; i < 6; ++i) A.a[i] = I->J[i];
    // f = m v + w x h, so row i of the mixed block is (e_i x -)h
    A.x[0] = (lane3){none, I->h.z, -I->h.y};
    A.x[1] = (lane3){-I->h.z, none, I->h.x};
    A.x[2] = (lane3){I->h.y, -I->h.x, none};
    return A;
}

TAC_INLINE laneArticulated get_articulated(const tacReal* p) {
    laneArticulated A;
    for (int i = 0; i < 6; ++i) {
        A.l[i] = w_get(p, i);
        A.a[i] = w_get(p, 6 + i);
    }
    for (int i = 0; i < 3; ++i) A.x[i] = get3(p, 4 + i);
    return A;
}
TAC_INLINE void put_articulated(tacReal* p, const laneArticulated* A) {
    for (int i = 0; i < 6; ++i) {
        w_put(p, i, A->l[i]);
        w_put(p, 6 + i, A->a[i]);
    }
    for (int i = 0; i < 3; ++i) put3(p, 4 + i, A->x[i]);
}

TAC_INLINE lane6 articulated_apply(const laneArticulated* A, lane6 t) {
    lane3 mixed = {dot3(A->x[0], t.a), dot3(A->x[1], t.a), dot3(A->x[2], t.a)};
    lane3 back = fma3(A->x[2], t.l.z, fma3(A->x[1], t.l.y, scale3(A->x[0], t.l.x)));
    return (lane6){add3(symmetric3(A->l, t.l), mixed), add3(symmetric3(A->a, t.a), back)};
}

// s - a b of six numbers xx yy zz xy xz yz
TAC_INLINE void subtract_outer(wide s[6], lane3 a, lane3 b) {
    s[0] = w_fma(-a.x, b.x, s[0]);
    s[1] = w_fma(-a.y, b.y, s[1]);
    s[2] = w_fma(-a.z, b.z, s[2]);
    s[3] = w_fma(-a.x, b.y, s[3]);
    s[4] = w_fma(-a.x, b.z, s[4]);
    s[5] = w_fma(-a.y, b.z, s[5]);
}

TAC_INLINE void eliminate_dof(laneArticulated* A, lane6 U, wide inverse_d) {
    lane6 scaled = {scale3(U.l, inverse_d), scale3(U.a, inverse_d)};
    subtract_outer(A->l, U.l, scaled.l);
    subtract_outer(A->a, U.a, scaled.a);
    A->x[0] = fma3(scaled.a, -U.l.x, A->x[0]);
    A->x[1] = fma3(scaled.a, -U.l.y, A->x[1]);
    A->x[2] = fma3(scaled.a, -U.l.z, A->x[2]);
}

// first and last degree of freedom of a body; last is first - 1 if it has none
TAC_INLINE void dofs_of_body(const tacModel* model, int body, int* first, int* last) {
    const tacBody* b = &model->body[body];
    *first = 0;
    *last = -1;
    if (b->joints == 0) return;
    const tacJoint* end = &model->joint[b->first_joint + b->joints - 1];
    *first = model->joint[b->first_joint].dof;
    *last = end->dof + dof_count(end->kind) - 1;
}

// inwards at one body: its degrees of freedom yield, the rest goes to its parent
static void aba_inward(const tacModel* model, tacMotion* m, int b, const tacReal* tau,
                       const tacReal* extra) {
    tacReal *at = w_at(m->work, ABA_BODY_SIZE * b),
            *dof_data = w_at(m->work, ABA_BODY_SIZE * model->nbody);
    int parent = model->body[b].parent, first, last;
    laneArticulated A = get_articulated(at);
    lane6 c = sub6(get6(m->acc, b), get6(m->acc, parent));
    lane6 p = add6(get6(at + 21 * TAC_LANES, 0), articulated_apply(&A, c));
    dofs_of_body(model, b, &first, &last);
    for (int k = last; k >= first; --k) {
        lane6 S = get6(m->S, k), U = articulated_apply(&A, S);
        wide diagonal = w_set(model->param[model->joint[model->dof[k].joint].armature]);
        if (extra) diagonal = diagonal + w_get(extra, k);
        wide inverse_d = 1.0 / (dot6(S, U) + diagonal), u = w_get(tau, k) - dot6(S, p);
        tacReal* g = w_at(dof_data, ABA_DOF_SIZE * k);
        put6(g, 0, U);
        w_put(g, 6, inverse_d);
        w_put(g, 7, u);
        eliminate_dof(&A, U, inverse_d);
        p = fma6(U, u * inverse_d, p);
    }
    if (parent == 0) return;
    tacReal* up = w_at(m->work, ABA_BODY_SIZE * parent);
    laneArticulated sum = get_articulated(up);
    for (int i = 0; i < 6; ++i) {
        sum.l[i] = sum.l[i] + A.l[i];
        sum.a[i] = sum.a[i] + A.a[i];
    }
    for (int i = 0; i < 3; ++i) sum.x[i] = add3(sum.x[i], A.x[i]);
    put_articulated(up, &sum);
    accumulate6(up + 21 * TAC_LANES, 0, p);
}

// qacc = M^-1 (tau - c + J' load), after inverse without accelerations; `extra` (nv) is added to
// the diagonal of M, NULL: nothing. tau may be qacc.
static void articulated(const tacModel* model, tacMotion* m, const tacReal* tau,
                        const tacReal* extra, tacReal* qacc) {
    for (int b = 1; b < model->nbody; ++b) {
        laneInertia I = get_inertia(m->inertia, b);
        laneArticulated A = articulated_of(&I);
        lane6 v = get6(m->vel, b), p = cross_force(v, inertia_apply(&I, v));
        if (has_external_wrench(m)) p = sub6(p, external_wrench_on(model, m, b, v));
        put_articulated(w_at(m->work, ABA_BODY_SIZE * b), &A);
        put6(w_at(m->work, ABA_BODY_SIZE * b + 21), 0, p);
    }
    for (int b = model->nbody - 1; b > 0; --b) aba_inward(model, m, b, tau, extra);
    // outwards; the accelerations of bodies replace their p
    put6(w_at(m->work, 21), 0, get6(m->acc, 0));
    for (int b = 1; b < model->nbody; ++b) {
        int parent = model->body[b].parent, first, last;
        lane6 a = get6(w_at(m->work, ABA_BODY_SIZE * parent + 21), 0);
        dofs_of_body(model, b, &first, &last);
        for (int k = first; k <= last; ++k) {
            const tacReal* g = w_at(m->work, ABA_BODY_SIZE * model->nbody + ABA_DOF_SIZE * k);
            wide x = (w_get(g, 7) - dot6(get6(g, 0), a)) * w_get(g, 6);
            w_put(qacc, k, x);
            a = fma6(get6(m->S, k), x, a);
        }
        a = add6(a, sub6(get6(m->acc, b), get6(m->acc, parent))); // p had this share already
        put6(w_at(m->work, ABA_BODY_SIZE * b + 21), 0, a);
    }
}

#endif
