// Derivatives of inverse dynamics by positions and velocities: columns along every degree of
// freedom, O(nv depth).
//
// A small rotation dq_j moves its subtree rigidly, and changes velocities and accelerations
// relative to its base. With u, alpha the velocity and acceleration of that base
// (docs/dynamics.md):
//
//   P  = u x S_j,  P2 = alpha x S_j + u x P,  F = P + S_j'
//   by q:  dv = S_j x v + P,  da = S_j x a + P x v + P2,  df = S_j x* f + I P2 + 2 B P
//   by v:  dv = S_j,          da = S_j x v + F,           df = I F + 2 B S_j
//
// where 2 B w = v x* I w - I (v x w) + w x* I v needs the angular part of w alone:
// 2 B w = 2 (w x p, T w), p the momentum, T = sum of m ((v . r) 1 - v r') over the body's points.

#ifndef TAC_DYNAMICS_KERNELS_INVERSE_DYNAMICS_JACOBIAN_INL
#define TAC_DYNAMICS_KERNELS_INVERSE_DYNAMICS_JACOBIAN_INL

#include "dynamics/kernels/mass_matrix.inl"

#include <string.h>

//---------------------------------- the matrix B ---------------------------------

typedef struct laneCoriolis {
    lane3 p;   // momentum
    laneRot T; // columns
} laneCoriolis;

TAC_INLINE laneCoriolis get_coriolis(const tacReal* p, int i) {
    return (laneCoriolis){get3(p, 4 * i),
                          {get3(p, 4 * i + 1), get3(p, 4 * i + 2), get3(p, 4 * i + 3)}};
}

// 2 B w for the angular part of w, and the angular part of 2 B' s
TAC_INLINE lane6 coriolis_apply(const laneCoriolis* c, lane3 w) {
    lane3 twice = add3(w, w);
    return (lane6){cross3(twice, c->p), rotate3(c->T, twice)};
}
TAC_INLINE lane3 coriolis_back(const laneCoriolis* c, lane6 s) {
    lane3 half = add3(cross3(c->p, s.l), rotate_back3(c->T, s.a));
    return add3(half, half);
}

// column of T: (v . h) e - v h_e - w x (C e), C = trace(J)/2 - J the second moment
TAC_INLINE lane3 coriolis_column(lane6 v, wide vh, wide h, lane3 Ce, int axis) {
    lane3 column = sub3(fma3(v.l, -h, zero3()), cross3(v.a, Ce));
    wide* e = axis == 0 ? &column.x : axis == 1 ? &column.y : &column.z;
    *e = *e + vh;
    return column;
}

static void coriolis(const tacModel* model, tacMotion* m) {
    for (int b = 1; b < model->nbody; ++b) {
        laneInertia I = get_inertia(m->inertia, b);
        lane6 v = get6(m->vel, b);
        wide half = 0.5 * (I.J[0] + I.J[1] + I.J[2]), vh = dot3(v.l, I.h);
        lane3 C[3] = {{half - I.J[0], -I.J[3], -I.J[4]},
                      {-I.J[3], half - I.J[1], -I.J[5]},
                      {-I.J[4], -I.J[5], half - I.J[2]}};
        put3(m->coriolis, 4 * b, inertia_apply(&I, v).l);
        put3(m->coriolis, 4 * b + 1, coriolis_column(v, vh, I.h.x, C[0], 0));
        put3(m->coriolis, 4 * b + 2, coriolis_column(v, vh, I.h.y, C[1], 1));
        put3(m->coriolis, 4 * b + 3, coriolis_column(v, vh, I.h.z, C[2], 2));
    }
    for (int b = model->nbody - 1; b > 0; --b)
        for (int k = 0; k < 12 && model->body[b].parent > 0; ++k)
            w_add(m->coriolis, 12 * model->body[b].parent + k, w_get(m->coriolis, 12 * b + k));
}

//---------------------------------- one degree of freedom ------------------------

typedef struct laneColumn {
    lane6 S, P, P2, F;
} laneColumn;

// is it a translation of a free joint? Those axes are the world's
TAC_INLINE int is_world_axis(const tacModel* model, int k) {
    const tacJoint* j = &model->joint[model->dof[k].joint];
    return j->kind == TAC_JOINT_FREE && k < j->dof + 3;
}

TAC_INLINE laneColumn column_of(const tacModel* model, const tacMotion* m, int k) {
    const tacDof* dof = &model->dof[k];
    laneColumn c = {.S = get6(m->S, k)};
    lane6 u = get6(m->base, 2 * dof->joint), alpha = get6(m->base, 2 * dof->joint + 1);
    if (is_world_axis(model, k)) {
        c.P = c.P2 = c.F = zero6();
        return c;
    }
    c.P = cross_motion(u, c.S);
    c.P2 = add6(cross_motion(alpha, c.S), cross_motion(u, c.P));
    c.F = add6(c.P, c.P);
    // the axes of a ball joint rotate with the body itself: S' = (u + own) x S
    if (model->joint[dof->joint].axis < 0)
        c.F = add6(c.F, cross_motion(joint_twist(m, m->qvel, dof->group, 3), c.S));
    return c;
}

//---------------------------------- all of them ----------------------------------

// per degree of freedom, in `work`: P, P2, F, I S, 2 B' S, S x* load
enum { AT_P, AT_P2, AT_F, AT_IS, AT_BS, AT_SE, AT_COUNT };

// rows above and at the column's own degree of freedom
TAC_INLINE void column_up(const tacModel* model, const tacMotion* m, int j, const laneColumn* c,
                          tacReal* by_q, tacReal* by_v, int stride) {
    int body = model->dof[j].body, group = model->dof[j].group;
    laneInertia I = get_inertia(m->composite, body);
    laneCoriolis B = get_coriolis(m->coriolis, body);
    lane6 y = add6(inertia_apply(&I, c->P2), coriolis_apply(&B, c->P.a));
    lane6 z = add6(y, cross_force(c->S, get6(m->force, body)));
    lane6 x = add6(inertia_apply(&I, c->F), coriolis_apply(&B, c->S.a));
    for (int k = j; k >= 0; k = model->dof[k].parent) {
        lane6 S = get6(m->S, k);
        wide q = dot6(S, k >= group ? y : z);
        if (has_external_wrench(m) && k >= group)
            q = q - dot6(c->S, get6(m->work, AT_COUNT * k + AT_SE));
        w_put(by_q, (size_t)k * (size_t)stride + (size_t)j, q);
        w_put(by_v, (size_t)k * (size_t)stride + (size_t)j, dot6(S, x));
    }
}

// columns before the row's own degree of freedom
TAC_INLINE void row_up(const tacModel* model, const tacMotion* m, int k, tacReal* by_q,
                       tacReal* by_v, int stride) {
    lane6 IS = get6(m->work, AT_COUNT * k + AT_IS), SE = get6(m->work, AT_COUNT * k + AT_SE);
    lane3 BS = get6(m->work, AT_COUNT * k + AT_BS).a;
    for (int j = model->dof[k].parent; j >= 0; j = model->dof[j].parent) {
        const tacReal* at = w_at(m->work, 6 * AT_COUNT * j);
        lane6 S = get6(m->S, j);
        wide q = dot6(IS, get6(at, AT_P2)) + dot3(BS, get6(at, AT_P).a);
        if (has_external_wrench(m)) q = q - dot6(S, SE);
        w_put(by_q, (size_t)k * (size_t)stride + (size_t)j, q);
        w_put(by_v, (size_t)k * (size_t)stride + (size_t)j,
              dot6(IS, get6(at, AT_F)) + dot3(BS, S.a));
    }
}

static void clear_rows(tacReal* x, int rows, int stride) {
    for (int k = 0; k < rows; ++k)
        memset(w_at(x, (size_t)k * (size_t)stride), 0, sizeof(tacReal) * TAC_LANES * (size_t)rows);
}

// the load held fixed in the world
static void fixed_jacobian(const tacModel* model, tacMotion* m, tacReal* by_q, tacReal* by_v,
                           int stride) {
    clear_rows(by_q, model->nv, stride);
    clear_rows(by_v, model->nv, stride);
    for (int k = 0; k < model->nv; ++k) {
        int body = model->dof[k].body;
        laneColumn c = column_of(model, m, k);
        laneInertia I = get_inertia(m->composite, body);
        laneCoriolis B = get_coriolis(m->coriolis, body);
        tacReal* at = w_at(m->work, 6 * AT_COUNT * k);
        put6(at, AT_P, c.P);
        put6(at, AT_P2, c.P2);
        put6(at, AT_F, c.F);
        put6(at, AT_IS, inertia_apply(&I, c.S));
        put6(at, AT_BS, (lane6){zero3(), coriolis_back(&B, c.S)});
        put6(at, AT_SE, has_external_wrench(m) ? cross_force(c.S, get6(m->load, body)) : zero6());
        row_up(model, m, k, by_q, by_v, stride);
        column_up(model, m, k, &c, by_q, by_v, stride);
    }
}

#endif
