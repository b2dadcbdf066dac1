// Equations of motion from energies.
//
//   p = dT/dv,  M = dp/dv,  c_i = (dp_i/dq) q' + X_i (V - T) + (w x p)_i
//
// where q' = N(q) v and X_i is the derivative along column i of N. The last part is there for the
// three velocities w of a ball or free body in its own frame only (Hamel's equations: such frames
// rotate along). Where q' = v these are Lagrange's equations.
//
// Four sweeps of the graph besides M: so c is a small multiple of the energies' own size.

#include "symbolic/mechanics/lagrange_equations.h"

static tacResult check_energies(tacGraph* g, tacExpr T, tacExpr V, const tacCoordinates* x) {
    tacExpr both[2] = {T, V};
    if (tac_graph_check(g, both, 2, 0) != TAC_OK || tac_graph_check(g, x->q, x->nq, 1) != TAC_OK ||
        tac_graph_check(g, x->v, x->nv, 1) != TAC_OK)
        return g->result;
    if (tac_expr_depends(g, V, x->v, x->nv) == 1)
        tac_graph_fail(g, TAC_ERROR_VALUE, "the potential energy depends on a velocity");
    return g->result;
}

// X (V - T) for all velocities: N' times the gradient by q, of nq expressions in `work`
static void energy_slopes(tacGraph* g, tacExpr T, tacExpr V, const tacCoordinates* x, tacExpr* work,
                          tacExpr* out) {
    if (tac_expr_gradient(g, tac_expr_sub(g, V, T), x->q, x->nq, work) == TAC_OK)
        tac_expr_vjp(g, x->rate, work, x->nq, x->v, x->nv, out);
}

// adds w x p for the velocities k, k + 1, k + 2
static void add_rotating_axes(tacGraph* g, const tacExpr* w, const tacExpr* p, tacExpr* c) {
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        tacExpr part = tac_expr_sub(g, tac_expr_mul(g, w[j], p[k]), tac_expr_mul(g, w[k], p[j]));
        c[i] = tac_expr_add(g, c[i], part);
    }
}

// two orders of differentiation may give two formulas: the lower triangle is used for both
static void symmetrize(tacExpr* M, int n) {
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j)
            M[(size_t)i * (size_t)n + (size_t)j] = M[(size_t)j * (size_t)n + (size_t)i];
}

tacResult tac_lagrange_equations(tacGraph* g, tacExpr T, tacExpr V, const tacCoordinates* x,
                                 tacExpr* M, tacExpr* c) {
    if (check_energies(g, T, V, x) != TAC_OK) return g->result;
    int n = x->nv, room = 3 * n + x->nq;
    tacExpr *p = tac_graph_map(g, room, TAC_EXPR_NONE), *rate = p + n, *rest = p + 2 * n;
    if (!p) return g->result;
    tac_expr_gradient(g, T, x->v, n, p);
    if (g->result == TAC_OK) tac_expr_linear(g, p, n, x->v, n, M, rest);
    if (g->result == TAC_OK) tac_expr_jvp(g, p, n, x->q, x->rate, x->nq, rate);
    if (g->result == TAC_OK) energy_slopes(g, T, V, x, p + 3 * n, c);
    for (int i = 0; i < n && g->result == TAC_OK; ++i) c[i] = tac_expr_add(g, rate[i], c[i]);
    for (int i = 0; i < n && x->rotational && g->result == TAC_OK; ++i)
        if (x->rotational[i]) add_rotating_axes(g, x->v + i, p + i, c + i);
    if (g->result == TAC_OK) symmetrize(M, n);
    tac_graph_unmap(g, p, room);
    return g->result;
}

tacResult tac_lagrange(tacGraph* g, tacExpr T, tacExpr V, const tacExpr* q, const tacExpr* v, int n,
                       tacExpr* M, tacExpr* c) {
    tacResult result = tac_graph_check_result(g, n, M);
    if (result == TAC_OK) result = tac_graph_check_result(g, n, c);
    if (result != TAC_OK) return result;
    tacCoordinates x = {q, v, v, NULL, n, n};
    return tac_lagrange_equations(g, T, V, &x, M, c);
}
