// Kane's equations.
//
// Bodies move with velocities J u + rest, J the partial velocities. With a_0 the acceleration
// at u' = 0, and T_0 the torque of the body's own rotation,
//
//   M = sum m Jv'Jv + Jw' I Jw,   forcing = J' loads - sum m Jv' a_0 + Jw' T_0.
//
// Constraints B u + b = 0 on the speeds give u_dep = A u_ind + ..; the rows of dependent speeds are
// added to the others by A', and the rates of the constraints replace them.

#include "symbolic/mechanics/method.h"

#include <string.h>

typedef struct kane {
    tacMechanics* m;
    tacGraph* g;
    const tacKane* setup;
    tacMethodStorage* own;
    tacExpr *q_dot, *zero; // symbols of rates, as many 0 as there are speeds
    int nq, nu;
} kane;

static tacSubstitution rates_of(const kane* k) {
    return (tacSubstitution){k->q_dot, k->own->rates, k->nq};
}
static tacSubstitution zero_accelerations(const kane* k) {
    return (tacSubstitution){k->own->u_dot, k->zero, k->nu};
}

//---------------------------------- kinematics -----------------------------------

static void concat(const tacExpr* a, int n, const tacExpr* b, int m, tacExpr* out) {
    if (n > 0) memcpy(out, a, sizeof *a * (size_t)n);
    if (m > 0) memcpy(out + n, b, sizeof *b * (size_t)m);
}

// coordinates and speeds are registered as dynamic, their rates are symbols
static tacResult name_rates(kane* k) {
    tacGraph* g = k->g;
    const tacKane* s = k->setup;
    concat(s->q_ind, s->nq_ind, s->q_dep, s->nq_dep, k->own->q);
    concat(s->u_ind, s->nu_ind, s->u_dep, s->nu_dep, k->own->u);
    if (tac_graph_check(g, k->own->q, k->nq, 1) != TAC_OK ||
        tac_graph_check(g, k->own->u, k->nu, 1) != TAC_OK)
        return g->result;
    for (int i = 0; i < k->nq + k->nu && g->result == TAC_OK; ++i) {
        tacExpr x = i < k->nq ? k->own->q[i] : k->own->u[i - k->nq];
        if (tac_dynamic_index(k->m, x) < 0)
            tac_graph_fail(g, TAC_ERROR_VALUE, "%s is a constant; create it with tac_dynamic",
                           tac_symbol_name(g, x));
        tacExpr rate = tac_dt(k->m, x);
        *(i < k->nq ? &k->q_dot[i] : &k->own->u_dot[i - k->nq]) = rate;
    }
    return g->result;
}

// K q_dot + rest = 0
static tacResult solve_rates(kane* k) {
    tacGraph* g = k->g;
    tacExprMatrix K = tac_expr_matrix_alloc(g, k->nq, k->nq),
                  rest = tac_expr_matrix_alloc(g, k->nq, 1);
    tacExprMatrix out = {k->own->rates, k->nq, 1};
    tacRankDefect defect = {-1, -1};
    if (K.at && rest.at &&
        tac_expr_linear(g, k->setup->kinematic, k->nq, k->q_dot, k->nq, K.at, rest.at) == TAC_OK) {
        for (int i = 0; i < k->nq; ++i)
            rest.at[i] = tac_expr_mul(g, tac_fraction(g, -1, 1), rest.at[i]);
        tac_expr_matrix_solve(g, K, rest, out, &defect);
    }
    tac_expr_matrix_free(g, rest);
    tac_expr_matrix_free(g, K);
    if (g->result == TAC_OK && defect.column >= 0)
        tac_graph_fail(
            g, TAC_ERROR_VALUE,
            "the kinematic equations do not determine %s: equation %d (from 0) is redundant",
            tac_symbol_name(g, k->q_dot[defect.column]), defect.row);
    return g->result;
}

//---------------------------------- bodies ---------------------------------------

// the rate of the components at u' = 0, plus w x v of the rotating frame
static exprVec bias_acceleration(kane* k, tacRefFrame axes, exprVec parts) {
    tacGraph* g = k->g;
    tacMechanics* m = k->m;
    tacRefFrame inertial = k->setup->frame;
    tacVector a = tac_vector_of(axes, parts);
    if (axes < 0) a.frame = inertial;
    tacVector rate = tac_vector_dt(m, a, inertial);
    if (!tac_vector_is_zero(m, rate) && rate.frame != a.frame && rate.frame >= 0)
        rate = tac_vector_express(m, rate, a.frame);
    tacExpr out[3] = {rate.x, rate.y, rate.z};
    if (g->result == TAC_OK && tac_substitute(g, rates_of(k), out, 3) == TAC_OK)
        tac_substitute(g, zero_accelerations(k), out, 3);
    return (exprVec){out[0], out[1], out[2]};
}

// the velocity of partial velocities
static exprVec full_velocity(kane* k, const tacPartialVelocity* p) {
    tacGraph* g = k->g;
    exprVec out = p->rest;
    for (int r = 0; r < k->nu; ++r) {
        exprVec column = {*tac_expr_matrix_entry(p->J, 0, r), *tac_expr_matrix_entry(p->J, 1, r),
                          *tac_expr_matrix_entry(p->J, 2, r)};
        out = vec_add(g, out, vec_scale(g, column, k->own->u[r]));
    }
    return out;
}

// adds J' (K J) to M and subtracts J' times the inertial force from the forcing
static void add_inertia(kane* k, const tacPartialVelocity* p, tacExprMatrix KJ, exprVec load) {
    tacGraph* g = k->g;
    tacExpr minus = tac_fraction(g, -1, 1);
    for (int r = 0; r < k->nu; ++r) {
        exprVec column = {*tac_expr_matrix_entry(p->J, 0, r), *tac_expr_matrix_entry(p->J, 1, r),
                          *tac_expr_matrix_entry(p->J, 2, r)};
        tacExpr part = tac_expr_mul(g, minus, vec_dot(g, column, load));
        k->own->forcing[r] = tac_expr_add(g, k->own->forcing[r], part);
        for (int s = 0; s <= r; ++s) {
            exprVec other = {*tac_expr_matrix_entry(KJ, 0, s), *tac_expr_matrix_entry(KJ, 1, s),
                             *tac_expr_matrix_entry(KJ, 2, s)};
            tacExpr* M = &k->own->M[(size_t)r * (size_t)k->nu + (size_t)s];
            *M = tac_expr_add(g, *M, vec_dot(g, column, other));
        }
    }
}

static void add_translational_inertia(kane* k, const tacRigidBody* body) {
    tacGraph* g = k->g;
    tacPartialVelocity p;
    tacVector v = tac_point_vel(k->m, body->point, k->setup->frame);
    if (!tac_partial_velocity_alloc(k->m, v, k->own->u, k->nu, rates_of(k), &p)) return;
    tacExprMatrix KJ = tac_expr_matrix_alloc(g, 3, k->nu);
    if (KJ.at) {
        exprVec a = bias_acceleration(k, p.frame, full_velocity(k, &p));
        for (int i = 0; i < 3 * k->nu; ++i) KJ.at[i] = tac_expr_mul(g, body->mass, p.J.at[i]);
        if (g->result == TAC_OK) add_inertia(k, &p, KJ, vec_scale(g, a, body->mass));
    }
    tac_expr_matrix_free(g, KJ);
    tac_expr_matrix_free(g, p.J);
}

// (dI/dt in the body) w + I (dw/dt) + w x I w, all in the axes of the inertia
static exprVec inertial_torque(kane* k, const tacRigidBody* body, exprVec w) {
    tacGraph* g = k->g;
    tacRefFrame axes = body->inertia.frame;
    tacDyadic change = tac_dyadic_dt(k->m, body->inertia, body->frame);
    exprVec rate = bias_acceleration(k, axes, w);
    if (g->result != TAC_OK || tac_substitute(g, rates_of(k), change.c, 9) != TAC_OK) return rate;
    tacVector ang_vel = tac_vector_of(axes, w);
    exprVec momentum = tac_vector_components(tac_dyadic_dot(k->m, body->inertia, ang_vel));
    exprVec out =
        tac_vector_components(tac_dyadic_dot(k->m, body->inertia, tac_vector_of(axes, rate)));
    out = vec_add(g, out, tac_vector_components(tac_dyadic_dot(k->m, change, ang_vel)));
    return vec_add(g, out, vec_cross(g, w, momentum));
}

static void add_rotational_inertia(kane* k, const tacRigidBody* body) {
    tacGraph* g = k->g;
    tacPartialVelocity p;
    tacVector w = tac_frame_ang_vel(k->m, body->frame, k->setup->frame);
    w = tac_vector_express(k->m, w, body->inertia.frame);
    if (!tac_partial_velocity_alloc(k->m, w, k->own->u, k->nu, rates_of(k), &p)) return;
    tacExprMatrix KJ = tac_expr_matrix_alloc(g, 3, k->nu), I = tac_expr_matrix_alloc(g, 3, 3);
    if (KJ.at && I.at) {
        memcpy(I.at, body->inertia.c, sizeof body->inertia.c);
        tac_expr_matrix_multiply(g, 1, I, p.J, KJ);
        exprVec load = inertial_torque(k, body, full_velocity(k, &p));
        if (g->result == TAC_OK) add_inertia(k, &p, KJ, load);
    }
    tac_expr_matrix_free(g, I);
    tac_expr_matrix_free(g, KJ);
    tac_expr_matrix_free(g, p.J);
}

static tacResult add_bodies(kane* k) {
    for (int i = 0; i < k->m->body.count && k->g->result == TAC_OK; ++i) {
        add_translational_inertia(k, &k->m->body.item[i]);
        if (k->m->body.item[i].frame >= 0 && k->g->result == TAC_OK)
            add_rotational_inertia(k, &k->m->body.item[i]);
    }
    for (int r = 0; r < k->nu; ++r) // the lower triangle is used for both
        for (int s = 0; s < r; ++s)
            k->own->M[(size_t)s * (size_t)k->nu + (size_t)r] =
                k->own->M[(size_t)r * (size_t)k->nu + (size_t)s];
    return k->g->result;
}

//---------------------------------- constraints ----------------------------------

// B u + b = 0 and B u' + rest = 0
typedef struct speedConstraints {
    tacExprMatrix B, rest;
} speedConstraints;

static tacResult read_constraints(kane* k, speedConstraints* c) {
    tacGraph* g = k->g;
    int n = k->setup->nu_dep;
    tacExpr* v = k->own->velocity;
    memcpy(v, k->setup->velocity, sizeof *v * (size_t)n);
    if (tac_graph_check(g, v, n, 0) != TAC_OK || tac_substitute(g, rates_of(k), v, n) != TAC_OK)
        return g->result;
    if (tac_expr_linear(g, v, n, k->own->u, k->nu, c->B.at, c->rest.at) != TAC_OK) return g->result;
    for (int i = 0; i < n; ++i)
        c->rest.at[i] = k->setup->acceleration ? k->setup->acceleration[i] : tac_dt(k->m, v[i]);
    if (tac_graph_check(g, c->rest.at, n, 0) == TAC_OK &&
        tac_substitute(g, rates_of(k), c->rest.at, n) == TAC_OK)
        tac_substitute(g, zero_accelerations(k), c->rest.at, n);
    return g->result;
}

// A = -B_dep^-1 B_ind
static tacResult solve_constraints(kane* k, const speedConstraints* c, tacExprMatrix A) {
    tacGraph* g = k->g;
    int n = k->setup->nu_dep, p = k->setup->nu_ind;
    tacRankDefect defect = {-1, -1};
    tacExprMatrix left = tac_expr_matrix_alloc(g, n, n), right = tac_expr_matrix_alloc(g, n, p);
    if (left.at && right.at) {
        tac_expr_matrix_block(c->B, 0, p, left);
        tac_expr_matrix_block(c->B, 0, 0, right);
        for (int i = 0; i < n * p; ++i)
            right.at[i] = tac_expr_mul(g, tac_fraction(g, -1, 1), right.at[i]);
        if (g->result == TAC_OK) tac_expr_matrix_solve(g, left, right, A, &defect);
    }
    tac_expr_matrix_free(g, right);
    tac_expr_matrix_free(g, left);
    if (g->result == TAC_OK && defect.column >= 0)
        tac_graph_fail(g, TAC_ERROR_VALUE,
                       "the constraints do not determine speed %s: velocity constraint %d (from 0) "
                       "repeats or contradicts the others",
                       tac_symbol_name(g, k->setup->u_dep[defect.column]), defect.row);
    return g->result;
}

// adds rows of dependent speeds to the others by A'; the rates of the constraints replace them
static void fold_rows(kane* k, const speedConstraints* c, tacExprMatrix A) {
    tacGraph* g = k->g;
    int p = k->setup->nu_ind, n = k->setup->nu_dep;
    tacExprMatrix M = {k->own->M, k->nu, k->nu}, f = {k->own->forcing, k->nu, 1};
    for (int d = 0; d < n; ++d)
        for (int r = 0; r < p; ++r) {
            tacExpr share = *tac_expr_matrix_entry(A, d, r);
            for (int s = 0; s < k->nu; ++s)
                *tac_expr_matrix_entry(M, r, s) =
                    tac_expr_add(g, *tac_expr_matrix_entry(M, r, s),
                                 tac_expr_mul(g, share, *tac_expr_matrix_entry(M, p + d, s)));
            f.at[r] = tac_expr_add(g, f.at[r], tac_expr_mul(g, share, f.at[p + d]));
        }
    for (int d = 0; d < n; ++d) {
        f.at[p + d] = tac_expr_mul(g, tac_fraction(g, -1, 1), c->rest.at[d]);
        for (int s = 0; s < k->nu; ++s)
            *tac_expr_matrix_entry(M, p + d, s) = *tac_expr_matrix_entry(c->B, d, s);
    }
}

static tacResult constrain(kane* k) {
    tacGraph* g = k->g;
    int n = k->setup->nu_dep;
    if (n == 0) return g->result;
    speedConstraints c = {tac_expr_matrix_alloc(g, n, k->nu), tac_expr_matrix_alloc(g, n, 1)};
    tacExprMatrix A = tac_expr_matrix_alloc(g, n, k->setup->nu_ind);
    if (c.B.at && c.rest.at && A.at && read_constraints(k, &c) == TAC_OK &&
        solve_constraints(k, &c, A) == TAC_OK)
        fold_rows(k, &c, A);
    tac_expr_matrix_free(g, A);
    tac_expr_matrix_free(g, c.rest);
    tac_expr_matrix_free(g, c.B);
    return g->result;
}

//---------------------------------- all ------------------------------------------

static tacResult check_setup(tacMechanics* m, const tacKane* s) {
    tacGraph* g = m->graph;
    int nq = s->nq_ind + s->nq_dep;
    if (!tac_frame_check(m, s->frame)) return g->result;
    if (s->nq_ind < 0 || s->nq_dep < 0 || s->nu_ind < 1 || s->nu_dep < 0 ||
        (nq > 0 && !s->kinematic) || (s->nq_dep > 0 && !s->configuration) ||
        (s->nu_dep > 0 && !s->velocity))
        tac_graph_fail(g, TAC_ERROR_VALUE,
                       "Kane's method needs an independent speed, a kinematic equation for each "
                       "coordinate, a constraint for each dependent coordinate and speed");
    if (g->result == TAC_OK && m->body.count == 0)
        tac_graph_fail(g, TAC_ERROR_VALUE, "Kane's method needs a particle or a rigid body");
    return g->result;
}

static tacResult form_kane(kane* k) {
    tacGraph* g = k->g;
    const tacKane* s = k->setup;
    if (name_rates(k) != TAC_OK || solve_rates(k) != TAC_OK || add_bodies(k) != TAC_OK ||
        tac_add_loads(k->m, s->frame, k->own->u, k->nu, rates_of(k), k->own->forcing) != TAC_OK ||
        constrain(k) != TAC_OK)
        return g->result;
    if (s->nq_dep > 0)
        memcpy(k->own->configuration, s->configuration, sizeof(tacExpr) * (size_t)s->nq_dep);
    if (tac_graph_check(g, k->own->configuration, s->nq_dep, 0) != TAC_OK ||
        tac_holonomic_check(g, k->own->configuration, s->nq_dep, k->q_dot, k->nq) != TAC_OK ||
        tac_holonomic_check(g, k->own->configuration, s->nq_dep, k->own->u, k->nu) != TAC_OK)
        return g->result;
    return tac_method_check(k->own);
}

tacResult tac_kanes_method(tacMechanics* m, const tacKane* setup, tacMethod** out) {
    if (!m || !setup || !out) return TAC_ERROR_VALUE;
    tacGraph* g = m->graph;
    if (g->result != TAC_OK || check_setup(m, setup) != TAC_OK) return g->result;
    kane k = {.m = m, .g = g, .setup = setup};
    k.nq = setup->nq_ind + setup->nq_dep;
    k.nu = setup->nu_ind + setup->nu_dep;
    k.own = tac_method_alloc(
        m, (tacMethod){.nq = k.nq, .nu = k.nu, .nq_dep = setup->nq_dep, .nu_dep = setup->nu_dep});
    int room = k.nq + k.nu;
    k.q_dot = k.own ? tac_graph_map(g, room, tac_fraction(g, 0, 1)) : NULL;
    if (k.q_dot) {
        k.zero = k.q_dot + k.nq;
        form_kane(&k);
    }
    tac_graph_unmap(g, k.q_dot, room);
    if (g->result == TAC_OK)
        *out = &k.own->method;
    else
        tac_method_free(k.own);
    return g->result;
}
