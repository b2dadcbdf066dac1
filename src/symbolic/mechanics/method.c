// Shared by Kane's and Lagrange's methods: memory, partial velocities, loads, the mass matrix.

#include "symbolic/mechanics/method.h"

#include <string.h>

//---------------------------------- memory ---------------------------------------

tacMethodStorage* tac_method_alloc(tacMechanics* m, tacMethod sizes) {
    tacGraph* g = m->graph;
    tacExpr zero = tac_fraction(g, 0, 1);
    int n = sizes.nu + sizes.nlambda, dependent = sizes.nq_dep + sizes.nu_dep;
    size_t numbers = 2 * (size_t)sizes.nq + (size_t)sizes.nu + 2 * (size_t)n +
                     (size_t)n * (size_t)n + (size_t)dependent;
    size_t bytes = sizeof(tacMethodStorage) + sizeof(tacExpr) * numbers;
    tacMethodStorage* own = tac_graph_alloc(g, bytes);
    if (!own) return NULL;
    *own = (tacMethodStorage){.method = sizes, .bytes = bytes};
    own->q = (tacExpr*)(own + 1);
    own->rates = own->q + sizes.nq;
    own->u = own->rates + sizes.nq;
    own->u_dot = own->u + sizes.nu;
    own->forcing = own->u_dot + n;
    own->M = own->forcing + n;
    own->configuration = own->M + (size_t)n * (size_t)n;
    own->velocity = own->configuration + sizes.nq_dep;
    for (size_t i = 0; i < numbers; ++i) own->q[i] = zero;
    tacMethod* p = &own->method;
    p->mechanics = m;
    p->q = own->q;
    p->u = own->u;
    p->u_dot = own->u_dot;
    p->rates = own->rates;
    p->M = own->M;
    p->forcing = own->forcing;
    p->configuration = own->configuration;
    p->velocity = own->velocity;
    return own;
}

void tac_method_free(tacMethodStorage* own) {
    if (own) tac_graph_free(own->method.mechanics->graph, own, own->bytes);
}

// a method is the first member of its block
void tac_method_destroy(tacMethod* method) { tac_method_free((tacMethodStorage*)method); }

//---------------------------------- partial velocities ---------------------------

int tac_partial_velocity_alloc(tacMechanics* m, tacVector velocity, const tacExpr* u, int nu,
                               tacSubstitution rates, tacPartialVelocity* out) {
    tacGraph* g = m->graph;
    tacExpr parts[3] = {velocity.x, velocity.y, velocity.z}, rest[3];
    *out = (tacPartialVelocity){.frame = velocity.frame, .J = {NULL, 3, nu}};
    if (g->result != TAC_OK || tac_substitute(g, rates, parts, 3) != TAC_OK) return 0;
    out->J = tac_expr_matrix_alloc(g, 3, nu);
    if (!out->J.at) return 0;
    if (tac_expr_linear(g, parts, 3, u, nu, out->J.at, rest) != TAC_OK) {
        tac_expr_matrix_free(g, out->J);
        return 0;
    }
    out->rest = (exprVec){rest[0], rest[1], rest[2]};
    return 1;
}

void tac_partial_velocity_add_force(tacMechanics* m, const tacPartialVelocity* p, tacVector force,
                                    tacExpr* forces) {
    if (tac_vector_is_zero(m, force)) return;
    if (p->frame >= 0) force = tac_vector_express(m, force, p->frame);
    for (int r = 0; r < p->J.columns && force.frame >= 0; ++r) {
        exprVec column = {*tac_expr_matrix_entry(p->J, 0, r), *tac_expr_matrix_entry(p->J, 1, r),
                          *tac_expr_matrix_entry(p->J, 2, r)};
        forces[r] = tac_expr_add(m->graph, forces[r],
                                 vec_dot(m->graph, column, tac_vector_components(force)));
    }
}

tacResult tac_add_loads(tacMechanics* m, tacRefFrame frame, const tacExpr* u, int nu,
                        tacSubstitution rates, tacExpr* forces) {
    tacGraph* g = m->graph;
    for (int i = 0; i < m->load.count && g->result == TAC_OK; ++i) {
        const tacAppliedLoad* load = &m->load.item[i];
        tacExpr parts[3] = {load->load.x, load->load.y, load->load.z};
        tacVector v = load->is_torque ? tac_frame_ang_vel(m, load->on, frame)
                                      : tac_point_vel(m, load->on, frame);
        tacPartialVelocity p;
        if (g->result != TAC_OK || tac_substitute(g, rates, parts, 3) != TAC_OK ||
            !tac_partial_velocity_alloc(m, v, u, nu, rates, &p))
            return g->result;
        tacVector force = {load->load.frame, parts[0], parts[1], parts[2]};
        tac_partial_velocity_add_force(m, &p, force, forces);
        tac_expr_matrix_free(g, p.J);
    }
    return g->result;
}

//---------------------------------- checks ---------------------------------------

tacResult tac_holonomic_check(tacGraph* g, const tacExpr* expr, int count, const tacExpr* rate,
                              int n) {
    for (int i = 0; i < count && g->result == TAC_OK; ++i)
        for (int k = 0; k < n && g->result == TAC_OK; ++k)
            if (tac_expr_depends(g, expr[i], &rate[k], 1) == 1)
                tac_graph_fail(g, TAC_ERROR_VALUE,
                               "holonomic constraint %d (from 0) contains the rate %s: it belongs "
                               "to the velocity constraints",
                               i, tac_symbol_name(g, rate[k]));
    return g->result;
}

//---------------------------------- solving --------------------------------------

tacResult tac_method_check(tacMethodStorage* own) {
    tacGraph* g = own->method.mechanics->graph;
    int n = own->method.nu + own->method.nlambda;
    tacExprMatrix M = {own->M, n, n};
    tacRankDefect defect;
    if (g->result != TAC_OK || tac_expr_matrix_check_rank(g, M, &defect) != TAC_OK)
        return g->result;
    if (defect.column >= own->method.nu)
        tac_graph_fail(g, TAC_ERROR_VALUE,
                       "the constraints repeat or contradict each other: %s is not determined",
                       tac_symbol_name(g, own->u_dot[defect.column]));
    else if (defect.column >= 0)
        tac_graph_fail(g, TAC_ERROR_VALUE,
                       "the mass matrix is singular: no mass or inertia resists speed %s",
                       tac_symbol_name(g, own->u[defect.column]));
    return g->result;
}

// rows of multipliers change their sign, so that the matrix is symmetric
tacResult tac_method_rhs(const tacMethod* method, tacExpr* out) {
    if (!method || !out) return TAC_ERROR_VALUE;
    tacGraph* g = method->mechanics->graph;
    int n = method->nu + method->nlambda;
    tacExpr minus = tac_fraction(g, -1, 1);
    tacExprMatrix M = tac_expr_matrix_alloc(g, n, n), f = tac_expr_matrix_alloc(g, n, 1);
    if (M.at && f.at) {
        memcpy(M.at, method->M, sizeof *M.at * (size_t)tac_expr_matrix_count(M));
        memcpy(f.at, method->forcing, sizeof *f.at * (size_t)n);
        for (int i = method->nu; i < n; ++i) {
            f.at[i] = tac_expr_mul(g, minus, f.at[i]);
            for (int j = 0; j < n; ++j)
                *tac_expr_matrix_entry(M, i, j) =
                    tac_expr_mul(g, minus, *tac_expr_matrix_entry(M, i, j));
        }
        tac_expr_solve(g, M.at, n, f.at, 1, out, NULL);
    }
    tac_expr_matrix_free(g, f);
    tac_expr_matrix_free(g, M);
    return g->result;
}
