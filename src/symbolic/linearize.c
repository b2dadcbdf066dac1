// Equations of motion linearised about an operating point.
//
// Small changes of the dependent coordinates and speeds follow from those of the independent ones,
//
//   dq = Q dq_ind,   du = U dx_ind,   x_ind = (q_ind, u_ind),
//
// by the constraints' own derivatives. Then dz = M^-1 d(forcing - M z) for z = (u', lambda) held as
// at the point, and d(q_ind)' is the derivative of the rates.

#include "symbolic/method.h"

#include <math.h>
#include <string.h>

typedef struct linearizer {
    const tacMethod* f;
    tacGraph* g;
    tacReplacement at; // the operating point, accelerations included
    int nx, ni, nz;    // independent states, inputs, unknowns
} linearizer;

// d expr/d x at the operating point
static tacMatrix slopes(linearizer* l, const tacExpr* expr, int count, const tacExpr* x, int n) {
    tacMatrix J = tac_matrix_take(l->g, count, n);
    if (J.at && count > 0 && n > 0 && tac_expr_jacobian(l->g, expr, count, x, n, J.at) == TAC_OK)
        tac_replace(l->g, l->at, J.at, count * n);
    return J;
}

// rows of dependent changes from `first` on: solves D x_dep = -(S X) for the part of X that is
// known
static void add_dependent(linearizer* l, tacMatrix D, tacMatrix known, tacMatrix out, int first,
                          const char* what, const tacExpr* names) {
    tacGraph* g = l->g;
    int n = D.rows;
    tacMatrix left = tac_matrix_take(g, n, n), rows = tac_matrix_take(g, n, out.columns);
    tacDefect defect = {-1, -1};
    if (left.at && rows.at && g->result == TAC_OK) {
        tac_matrix_block(D, 0, D.columns - n, left);
        if (tac_matrix_solve(g, left, known, rows, &defect) == TAC_OK && defect.column < 0)
            for (int i = 0; i < n; ++i)
                memcpy(tac_entry(out, first + i, 0), tac_entry(rows, i, 0),
                       sizeof *rows.at * (size_t)out.columns);
    }
    tac_matrix_give(g, rows);
    tac_matrix_give(g, left);
    if (g->result == TAC_OK && defect.column >= 0)
        tac_graph_fail(g, TAC_ERROR_VALUE,
                       "at the operating point the %s constraints do not determine %s", what,
                       tac_symbol_name(g, names[defect.column]));
}

// Q (nq x nx): how coordinates follow independent states
static void coordinates(linearizer* l, tacMatrix Q) {
    tacGraph* g = l->g;
    const tacMethod* f = l->f;
    int free = f->nq - f->nq_dep;
    tacExpr one = tac_fraction(g, 1, 1);
    for (int i = 0; i < free; ++i) *tac_entry(Q, i, i) = one;
    if (f->nq_dep == 0) return;
    tacMatrix C = slopes(l, f->configuration, f->nq_dep, f->q, f->nq);
    tacMatrix known = tac_matrix_take(g, f->nq_dep, l->nx);
    if (C.at && known.at && g->result == TAC_OK) {
        tac_matrix_multiply(g, -1, C, Q, known);
        add_dependent(l, C, known, Q, free, "configuration", f->q + free);
    }
    tac_matrix_give(g, known);
    tac_matrix_give(g, C);
}

// U (nu x nx)
static void speeds(linearizer* l, tacMatrix Q, tacMatrix U) {
    tacGraph* g = l->g;
    const tacMethod* f = l->f;
    int free = f->nu - f->nu_dep;
    tacExpr one = tac_fraction(g, 1, 1);
    for (int i = 0; i < free; ++i) *tac_entry(U, i, f->nq - f->nq_dep + i) = one;
    if (f->nu_dep == 0) return;
    tacMatrix by_q = slopes(l, f->velocity, f->nu_dep, f->q, f->nq);
    tacMatrix by_u = slopes(l, f->velocity, f->nu_dep, f->u, f->nu);
    tacMatrix known = tac_matrix_take(g, f->nu_dep, l->nx);
    if (by_q.at && by_u.at && known.at && g->result == TAC_OK) {
        tac_matrix_multiply(g, -1, by_q, Q, known);
        tac_matrix_multiply(g, -1, by_u, U, known);
        add_dependent(l, by_u, known, U, free, "velocity", f->u + free);
    }
    tac_matrix_give(g, known);
    tac_matrix_give(g, by_u);
    tac_matrix_give(g, by_q);
}

// out (count x (nx + ni)) = d expr by independent states and inputs
static void total(linearizer* l, const tacExpr* expr, int count, tacMatrix Q, tacMatrix U,
                  const tacExpr* inputs, tacMatrix out) {
    tacGraph* g = l->g;
    const tacMethod* f = l->f;
    tacMatrix by_q = slopes(l, expr, count, f->q, f->nq),
              by_u = slopes(l, expr, count, f->u, f->nu);
    tacMatrix by_input = slopes(l, expr, count, inputs, l->ni);
    tacMatrix sum = tac_matrix_take(g, count, l->nx);
    if (by_q.at && by_u.at && by_input.at && sum.at && g->result == TAC_OK) {
        tac_matrix_multiply(g, 1, by_q, Q, sum);
        tac_matrix_multiply(g, 1, by_u, U, sum);
        for (int i = 0; i < count; ++i) {
            for (int j = 0; j < l->nx; ++j) *tac_entry(out, i, j) = *tac_entry(sum, i, j);
            for (int j = 0; j < l->ni; ++j)
                *tac_entry(out, i, l->nx + j) = *tac_entry(by_input, i, j);
        }
    }
    tac_matrix_give(g, sum);
    tac_matrix_give(g, by_input);
    tac_matrix_give(g, by_u);
    tac_matrix_give(g, by_q);
}

// d (u', lambda) = M^-1 d(forcing - M z)
static void accelerations(linearizer* l, tacMatrix Q, tacMatrix U, const tacExpr* inputs,
                          tacMatrix out) {
    tacGraph* g = l->g;
    const tacMethod* f = l->f;
    int n = l->nz;
    tacMatrix M = tac_matrix_take(g, n, n), rest = tac_matrix_take(g, n, 1);
    tacMatrix slope = tac_matrix_take(g, n, l->nx + l->ni);
    tacDefect defect = {-1, -1};
    if (M.at && rest.at && slope.at) {
        tacMatrix z = {(tacExpr*)f->u_dot, n, 1}, mass = {(tacExpr*)f->M, n, n};
        memcpy(rest.at, f->forcing, sizeof *rest.at * (size_t)n);
        tac_matrix_multiply(g, -1, mass, z, rest);
        if (g->result == TAC_OK) total(l, rest.at, n, Q, U, inputs, slope);
        memcpy(M.at, f->M, sizeof *M.at * (size_t)tac_entries(M));
        if (g->result == TAC_OK && tac_replace(g, l->at, M.at, tac_entries(M)) == TAC_OK)
            tac_matrix_solve(g, M, slope, out, &defect);
    }
    tac_matrix_give(g, slope);
    tac_matrix_give(g, rest);
    tac_matrix_give(g, M);
    if (g->result == TAC_OK && defect.column >= 0)
        tac_graph_fail(g, TAC_ERROR_VALUE,
                       "the mass matrix is singular at the operating point: %s is not determined",
                       tac_symbol_name(g, f->u_dot[defect.column]));
}

//---------------------------------- operating point ------------------------------

// what is a number there has to be 0
static tacResult check_point(linearizer* l) {
    tacGraph* g = l->g;
    const tacMethod* f = l->f;
    for (int i = 0; i < f->nq_dep + f->nu_dep && g->result == TAC_OK; ++i) {
        int place = i < f->nq_dep;
        tacExpr e = place ? f->configuration[i] : f->velocity[i - f->nq_dep];
        if (tac_replace(g, l->at, &e, 1) != TAC_OK) break;
        if (!tac_is_number(g, e) || fabs(tac_value(g, e).value) < 1e-6) continue;
        tac_graph_fail(
            g, TAC_ERROR_VALUE, "the operating point violates %s constraint %d (from 0) by %.3g",
            place ? "configuration" : "velocity", place ? i : i - f->nq_dep, tac_value(g, e).value);
    }
    return g->result;
}

static int listed(tacOperatingPoint at, tacExpr x) {
    for (int i = 0; i < at.n; ++i)
        if (at.x[i] == x) return 1;
    return 0;
}

static tacResult linearize(linearizer* l, const tacExpr* inputs, tacExpr* A, tacExpr* B) {
    tacGraph* g = l->g;
    const tacMethod* f = l->f;
    int qi = f->nq - f->nq_dep, all = l->nx + l->ni;
    tacMatrix Q = tac_matrix_take(g, f->nq, l->nx), U = tac_matrix_take(g, f->nu, l->nx);
    tacMatrix q = tac_matrix_take(g, f->nq, all), z = tac_matrix_take(g, l->nz, all);
    if (Q.at && U.at && q.at && z.at) {
        coordinates(l, Q);
        if (g->result == TAC_OK) speeds(l, Q, U);
        if (g->result == TAC_OK) total(l, f->rates, f->nq, Q, U, inputs, q);
        if (g->result == TAC_OK) accelerations(l, Q, U, inputs, z);
        for (int i = 0; i < l->nx && g->result == TAC_OK; ++i) {
            const tacExpr* row = i < qi ? tac_entry(q, i, 0) : tac_entry(z, i - qi, 0);
            memcpy(A + (size_t)i * (size_t)l->nx, row, sizeof *A * (size_t)l->nx);
            if (l->ni > 0)
                memcpy(B + (size_t)i * (size_t)l->ni, row + l->nx, sizeof *B * (size_t)l->ni);
        }
    }
    tac_matrix_give(g, z);
    tac_matrix_give(g, q);
    tac_matrix_give(g, U);
    tac_matrix_give(g, Q);
    return g->result;
}

tacResult tac_method_linearize(const tacMethod* f, tacOperatingPoint at, const tacExpr* inputs,
                               int ninput, tacExpr* A, tacExpr* B) {
    if (!f || !A || (ninput > 0 && !B)) return TAC_ERROR_VALUE;
    tacGraph* g = f->mechanics->graph;
    linearizer l = {.f = f, .g = g, .ni = ninput, .nz = f->nu + f->nlambda};
    l.nx = f->nq - f->nq_dep + f->nu - f->nu_dep;
    if (tac_graph_check(g, at.x, at.n, 1) != TAC_OK ||
        tac_graph_check(g, at.y, at.n, 0) != TAC_OK ||
        tac_graph_check(g, inputs, ninput, 1) != TAC_OK)
        return g->result;
    int room = 2 * (at.n + l.nz);
    tacExpr *x = tac_graph_map(g, room, tac_fraction(g, 0, 1)), *y = x + at.n + l.nz;
    if (!x) return g->result;
    if (at.n > 0) memcpy(x, at.x, sizeof *x * (size_t)at.n);
    if (at.n > 0) memcpy(y, at.y, sizeof *y * (size_t)at.n);
    l.at = (tacReplacement){x, y, at.n};
    for (int i = 0; i < l.nz; ++i)
        if (!listed(at, f->u_dot[i])) x[l.at.n++] = f->u_dot[i];
    if (check_point(&l) == TAC_OK) linearize(&l, inputs, A, B);
    tac_graph_unmap(g, x, room);
    return g->result;
}
