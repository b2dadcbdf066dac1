// Equations of motion linearized about an operating point.
//
// Small changes of the dependent coordinates and speeds follow from those of the independent ones,
//
//   dq = Q dq_ind,   du = U dx_ind,   x_ind = (q_ind, u_ind),
//
// by the constraints' own derivatives. Then dz = M^-1 d(forcing - M z) for z = (u', lambda) held as
// at the point, and d(q_ind)' is the derivative of the rates.

#include "symbolic/mechanics/method.h"

#include <math.h>
#include <string.h>

typedef struct linearizer {
    const tacMethod* f;
    tacGraph* g;
    tacSubstitution at; // the operating point, accelerations included
    int nx, ni, nz;     // independent states, inputs, unknowns
    const tacExpr* inputs;
    tacExprMatrix Q, U; // changes of coordinates and speeds by independent states
} linearizer;

// d expr/d x at the operating point
static tacExprMatrix jacobian_at_point(linearizer* l, const tacExpr* expr, int count,
                                       const tacExpr* x, int n) {
    tacExprMatrix J = tac_expr_matrix_alloc(l->g, count, n);
    if (J.at && count > 0 && n > 0 && tac_expr_jacobian(l->g, expr, count, x, n, J.at) == TAC_OK)
        tac_substitute(l->g, l->at, J.at, count * n);
    return J;
}

// constraints that determine the last columns of D
typedef struct dependentRows {
    tacExprMatrix D, known; // D x_dep = known, the part that follows from independent changes
    int first;              // row of the first dependent change in the result
    const char* what;       // of the constraints, in messages
    const tacExpr* symbols; // of the dependent changes
} dependentRows;

// writes the rows of dependent changes into `out`
static void add_dependent(tacGraph* g, const dependentRows* d, tacExprMatrix out) {
    int n = d->D.rows;
    tacExprMatrix left = tac_expr_matrix_alloc(g, n, n),
                  rows = tac_expr_matrix_alloc(g, n, out.columns);
    tacRankDefect defect = {-1, -1};
    if (left.at && rows.at && g->result == TAC_OK) {
        tac_expr_matrix_block(d->D, 0, d->D.columns - n, left);
        if (tac_expr_matrix_solve(g, left, d->known, rows, &defect) == TAC_OK && defect.column < 0)
            for (int i = 0; i < n; ++i)
                memcpy(tac_expr_matrix_entry(out, d->first + i, 0),
                       tac_expr_matrix_entry(rows, i, 0), sizeof *rows.at * (size_t)out.columns);
    }
    tac_expr_matrix_free(g, rows);
    tac_expr_matrix_free(g, left);
    if (g->result == TAC_OK && defect.column >= 0)
        tac_graph_fail(g, TAC_ERROR_VALUE,
                       "at the operating point the %s constraints do not determine %s", d->what,
                       tac_symbol_name(g, d->symbols[defect.column]));
}

// Q (nq x nx): how coordinates follow independent states
static void coordinate_jacobian(linearizer* l, tacExprMatrix Q) {
    tacGraph* g = l->g;
    const tacMethod* f = l->f;
    int free = f->nq - f->nq_dep;
    tacExpr one = tac_fraction(g, 1, 1);
    for (int i = 0; i < free; ++i) *tac_expr_matrix_entry(Q, i, i) = one;
    if (f->nq_dep == 0) return;
    tacExprMatrix C = jacobian_at_point(l, f->configuration, f->nq_dep, f->q, f->nq);
    tacExprMatrix known = tac_expr_matrix_alloc(g, f->nq_dep, l->nx);
    if (C.at && known.at && g->result == TAC_OK) {
        tac_expr_matrix_multiply(g, -1, C, Q, known);
        dependentRows rows = {C, known, free, "configuration", f->q + free};
        add_dependent(g, &rows, Q);
    }
    tac_expr_matrix_free(g, known);
    tac_expr_matrix_free(g, C);
}

// U (nu x nx)
static void speed_jacobian(linearizer* l, tacExprMatrix Q, tacExprMatrix U) {
    tacGraph* g = l->g;
    const tacMethod* f = l->f;
    int free = f->nu - f->nu_dep;
    tacExpr one = tac_fraction(g, 1, 1);
    for (int i = 0; i < free; ++i) *tac_expr_matrix_entry(U, i, f->nq - f->nq_dep + i) = one;
    if (f->nu_dep == 0) return;
    tacExprMatrix by_q = jacobian_at_point(l, f->velocity, f->nu_dep, f->q, f->nq);
    tacExprMatrix by_u = jacobian_at_point(l, f->velocity, f->nu_dep, f->u, f->nu);
    tacExprMatrix known = tac_expr_matrix_alloc(g, f->nu_dep, l->nx);
    if (by_q.at && by_u.at && known.at && g->result == TAC_OK) {
        tac_expr_matrix_multiply(g, -1, by_q, Q, known);
        tac_expr_matrix_multiply(g, -1, by_u, U, known);
        dependentRows rows = {by_u, known, free, "velocity", f->u + free};
        add_dependent(g, &rows, U);
    }
    tac_expr_matrix_free(g, known);
    tac_expr_matrix_free(g, by_u);
    tac_expr_matrix_free(g, by_q);
}

// out (count x (nx + ni)) = d expr by independent states and inputs
static void total_jacobian(linearizer* l, const tacExpr* expr, int count, tacExprMatrix out) {
    tacGraph* g = l->g;
    const tacMethod* f = l->f;
    tacExprMatrix by_q = jacobian_at_point(l, expr, count, f->q, f->nq),
                  by_u = jacobian_at_point(l, expr, count, f->u, f->nu);
    tacExprMatrix by_input = jacobian_at_point(l, expr, count, l->inputs, l->ni);
    tacExprMatrix sum = tac_expr_matrix_alloc(g, count, l->nx);
    if (by_q.at && by_u.at && by_input.at && sum.at && g->result == TAC_OK) {
        tac_expr_matrix_multiply(g, 1, by_q, l->Q, sum);
        tac_expr_matrix_multiply(g, 1, by_u, l->U, sum);
        for (int i = 0; i < count; ++i) {
            for (int j = 0; j < l->nx; ++j)
                *tac_expr_matrix_entry(out, i, j) = *tac_expr_matrix_entry(sum, i, j);
            for (int j = 0; j < l->ni; ++j)
                *tac_expr_matrix_entry(out, i, l->nx + j) = *tac_expr_matrix_entry(by_input, i, j);
        }
    }
    tac_expr_matrix_free(g, sum);
    tac_expr_matrix_free(g, by_input);
    tac_expr_matrix_free(g, by_u);
    tac_expr_matrix_free(g, by_q);
}

// d (u', lambda) = M^-1 d(forcing - M z)
static void acceleration_jacobian(linearizer* l, tacExprMatrix out) {
    tacGraph* g = l->g;
    const tacMethod* f = l->f;
    int n = l->nz;
    tacExprMatrix M = tac_expr_matrix_alloc(g, n, n), rest = tac_expr_matrix_alloc(g, n, 1);
    tacExprMatrix slope = tac_expr_matrix_alloc(g, n, l->nx + l->ni);
    tacRankDefect defect = {-1, -1};
    if (M.at && rest.at && slope.at) {
        tacExprMatrix z = {(tacExpr*)f->u_dot, n, 1}, mass = {(tacExpr*)f->M, n, n};
        memcpy(rest.at, f->forcing, sizeof *rest.at * (size_t)n);
        tac_expr_matrix_multiply(g, -1, mass, z, rest);
        if (g->result == TAC_OK) total_jacobian(l, rest.at, n, slope);
        memcpy(M.at, f->M, sizeof *M.at * (size_t)tac_expr_matrix_count(M));
        if (g->result == TAC_OK &&
            tac_substitute(g, l->at, M.at, tac_expr_matrix_count(M)) == TAC_OK)
            tac_expr_matrix_solve(g, M, slope, out, &defect);
    }
    tac_expr_matrix_free(g, slope);
    tac_expr_matrix_free(g, rest);
    tac_expr_matrix_free(g, M);
    if (g->result == TAC_OK && defect.column >= 0)
        tac_graph_fail(g, TAC_ERROR_VALUE,
                       "the mass matrix is singular at the operating point: %s is not determined",
                       tac_symbol_name(g, f->u_dot[defect.column]));
}

//---------------------------------- operating point ------------------------------

// constraints that are numbers at the operating point must be 0
static tacResult check_point(linearizer* l) {
    tacGraph* g = l->g;
    const tacMethod* f = l->f;
    for (int i = 0; i < f->nq_dep + f->nu_dep && g->result == TAC_OK; ++i) {
        int is_configuration = i < f->nq_dep;
        tacExpr e = is_configuration ? f->configuration[i] : f->velocity[i - f->nq_dep];
        if (tac_substitute(g, l->at, &e, 1) != TAC_OK) break;
        if (!tac_expr_is_number(g, e) || fabs(tac_expr_number(g, e).value) < 1e-6) continue;
        tac_graph_fail(g, TAC_ERROR_VALUE,
                       "the operating point violates %s constraint %d (from 0) by %.3g",
                       is_configuration ? "configuration" : "velocity",
                       is_configuration ? i : i - f->nq_dep, tac_expr_number(g, e).value);
    }
    return g->result;
}

static int is_listed(tacOperatingPoint at, tacExpr x) {
    for (int i = 0; i < at.n; ++i)
        if (at.x[i] == x) return 1;
    return 0;
}

static tacResult linearize(linearizer* l, tacExpr* A, tacExpr* B) {
    tacGraph* g = l->g;
    const tacMethod* f = l->f;
    int qi = f->nq - f->nq_dep, all = l->nx + l->ni;
    tacExprMatrix Q = tac_expr_matrix_alloc(g, f->nq, l->nx),
                  U = tac_expr_matrix_alloc(g, f->nu, l->nx);
    tacExprMatrix q = tac_expr_matrix_alloc(g, f->nq, all),
                  z = tac_expr_matrix_alloc(g, l->nz, all);
    l->Q = Q;
    l->U = U;
    if (Q.at && U.at && q.at && z.at) {
        coordinate_jacobian(l, Q);
        if (g->result == TAC_OK) speed_jacobian(l, Q, U);
        if (g->result == TAC_OK) total_jacobian(l, f->rates, f->nq, q);
        if (g->result == TAC_OK) acceleration_jacobian(l, z);
        for (int i = 0; i < l->nx && g->result == TAC_OK; ++i) {
            const tacExpr* row =
                i < qi ? tac_expr_matrix_entry(q, i, 0) : tac_expr_matrix_entry(z, i - qi, 0);
            memcpy(A + (size_t)i * (size_t)l->nx, row, sizeof *A * (size_t)l->nx);
            if (l->ni > 0)
                memcpy(B + (size_t)i * (size_t)l->ni, row + l->nx, sizeof *B * (size_t)l->ni);
        }
    }
    tac_expr_matrix_free(g, z);
    tac_expr_matrix_free(g, q);
    tac_expr_matrix_free(g, U);
    tac_expr_matrix_free(g, Q);
    return g->result;
}

tacResult tac_method_linearize(const tacMethod* f, tacOperatingPoint at, const tacExpr* inputs,
                               int ninput, tacExpr* A, tacExpr* B) {
    if (!f || !A || (ninput > 0 && !B)) return TAC_ERROR_VALUE;
    tacGraph* g = f->mechanics->graph;
    linearizer l = {.f = f, .g = g, .inputs = inputs, .ni = ninput, .nz = f->nu + f->nlambda};
    l.nx = f->nq - f->nq_dep + f->nu - f->nu_dep;
    if (tac_graph_check(g, at.x, at.n, 1) != TAC_OK ||
        tac_graph_check(g, at.y, at.n, 0) != TAC_OK ||
        tac_graph_check(g, inputs, ninput, 1) != TAC_OK)
        return g->result;
    int capacity = 2 * (at.n + l.nz);
    tacExpr *x = tac_graph_map(g, capacity, tac_fraction(g, 0, 1)), *y = x + at.n + l.nz;
    if (!x) return g->result;
    if (at.n > 0) memcpy(x, at.x, sizeof *x * (size_t)at.n);
    if (at.n > 0) memcpy(y, at.y, sizeof *y * (size_t)at.n);
    l.at = (tacSubstitution){x, y, at.n};
    for (int i = 0; i < l.nz; ++i)
        if (!is_listed(at, f->u_dot[i])) x[l.at.n++] = f->u_dot[i];
    if (check_point(&l) == TAC_OK) linearize(&l, A, B);
    tac_graph_unmap(g, x, capacity);
    return g->result;
}
