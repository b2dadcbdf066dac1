// Equations of motion from energies.
//
//   p = dT/dv,  M = dp/dv,  c = (dp/dq) v - dT/dq + dV/dq
//
// Three sweeps of the graph besides M: reverse for p and for d(V - T)/dq, forward for the rate of p
// along q' = v. So c is a small multiple of the energies' own size.

#include "symbolic/graph.h"

// p, and what the potential and the moving frames add
static tacResult momentum(tacGraph* g, tacExpr T, tacExpr V, const tacExpr* q, const tacExpr* v,
                          int n, tacExpr* p, tacExpr* force) {
    tacExpr L = tac_expr_sub(g, V, T);
    tac_expr_gradient(g, T, v, n, p);
    if (g->result == TAC_OK) tac_expr_gradient(g, L, q, n, force);
    return g->result;
}

static tacResult check(tacGraph* g, tacExpr T, tacExpr V, const tacExpr* q, const tacExpr* v,
                       int n) {
    tacExpr both[2] = {T, V};
    if (tac_graph_check(g, both, 2, 0) != TAC_OK || tac_graph_check(g, q, n, 1) != TAC_OK ||
        tac_graph_check(g, v, n, 1) != TAC_OK)
        return g->result;
    if (tac_expr_depends(g, V, v, n) == 1)
        tac_graph_fail(g, TAC_ERROR_VALUE, "the potential energy depends on a velocity");
    return g->result;
}

tacResult tac_lagrange(tacGraph* g, tacExpr T, tacExpr V, const tacExpr* q, const tacExpr* v, int n,
                       tacExpr* M, tacExpr* c) {
    if (check(g, T, V, q, v, n) != TAC_OK) return g->result;
    // p, force, rate of p, p without v
    tacExpr *work = tac_graph_map(g, 4 * n, TAC_EXPR_NONE), *p = work, *force = work + n;
    tacExpr *rate = work + 2 * n, *rest = work + 3 * n;
    if (!work) return g->result;
    if (momentum(g, T, V, q, v, n, p, force) == TAC_OK &&
        tac_expr_linear(g, p, n, v, n, M, rest) == TAC_OK &&
        tac_expr_jvp(g, p, n, q, v, n, rate) == TAC_OK)
        for (int i = 0; i < n; ++i) c[i] = tac_expr_add(g, rate[i], force[i]);
    // two orders of differentiation may be two formulas: the lower one stands for both
    for (int i = 0; i < n && g->result == TAC_OK; ++i)
        for (int j = i + 1; j < n; ++j)
            M[(size_t)i * (size_t)n + (size_t)j] = M[(size_t)j * (size_t)n + (size_t)i];
    tac_graph_unmap(g, work, 4 * n);
    return g->result;
}
