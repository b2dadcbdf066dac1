// Substitution of symbols, and coefficients of linear expressions.

#include "symbolic/expr/graph.h"

static tacExpr rebuild(tacGraph* g, tacOp op, tacExpr a, tacExpr b) {
    switch (op) {
    case TAC_OP_ADD:
        return tac_expr_add(g, a, b);
    case TAC_OP_MUL:
        return tac_expr_mul(g, a, b);
    case TAC_OP_POW:
        return tac_expr_pow(g, a, b);
    default:
        return tac_expr_call(g, op, a, b);
    }
}

// new nodes of the marked ones, from the leaves on
static void replace_nodes(tacGraph* g, const unsigned char* mark, int top, tacExpr* map) {
    for (int i = 0; i <= top && g->result == TAC_OK; ++i) {
        tacExprNode n = g->node[i];
        if (!mark[i] || map[i] != TAC_EXPR_NONE) continue;
        int same = tac_op_is_leaf((tacOp)n.op) || (map[n.a] == n.a && map[n.b] == n.b);
        map[i] = same ? i : rebuild(g, (tacOp)n.op, map[n.a], map[n.b]);
    }
}

tacResult tac_expr_substitute(tacGraph* g, const tacExpr* expr, int count, const tacExpr* x,
                              const tacExpr* y, int n, tacExpr* out) {
    tacResult result = tac_graph_check_result(g, count, out);
    if (result == TAC_OK) result = tac_graph_check(g, expr, count, 0);
    if (result == TAC_OK) result = tac_graph_check(g, x, n, 1);
    if (result == TAC_OK) result = tac_graph_check(g, y, n, 0);
    if (result != TAC_OK) return result;
    int top;
    unsigned char* mark = tac_graph_mark_reachable(g, expr, count, &top);
    tacExpr* map = mark ? tac_graph_map(g, top, TAC_EXPR_NONE) : NULL;
    if (map) {
        for (int j = 0; j < n; ++j)
            if (x[j] <= top) map[x[j]] = y[j];
        replace_nodes(g, mark, top, map);
        for (int i = 0; i < count && g->result == TAC_OK; ++i) out[i] = map[expr[i]];
    }
    tac_graph_unmap(g, map, top);
    tac_graph_free(g, mark, (size_t)top + 1);
    return g->result;
}

// the first of the symbols that expressions contain, n if none, -1 without memory
static int first_symbol(tacGraph* g, const tacExpr* expr, int count, const tacExpr* x, int n) {
    int top, j = 0;
    unsigned char* mark = tac_graph_mark_reachable(g, expr, count, &top);
    if (!mark) return -1;
    while (j < n && (x[j] > top || !mark[x[j]])) ++j;
    tac_graph_free(g, mark, (size_t)top + 1);
    return j;
}

int tac_expr_depends(tacGraph* g, tacExpr expr, const tacExpr* x, int n) {
    if (tac_graph_check(g, &expr, 1, 0) != TAC_OK || tac_graph_check(g, x, n, 1) != TAC_OK)
        return -1;
    int j = first_symbol(g, &expr, 1, x, n);
    return j < 0 ? -1 : j < n;
}

tacResult tac_expr_linear(tacGraph* g, const tacExpr* expr, int count, const tacExpr* x, int n,
                          tacExpr* A, tacExpr* b) {
    tacResult result = tac_graph_check_result(g, count, b);
    if (result == TAC_OK) result = tac_expr_jacobian(g, expr, count, x, n, A);
    if (result != TAC_OK) return result;
    int j = first_symbol(g, A, count * n, x, n);
    if (j >= 0 && j < n)
        tac_graph_fail(g, TAC_ERROR_VALUE, "an expression is not linear in %s",
                       tac_symbol_name(g, x[j]));
    tacExpr* zeros = g->result == TAC_OK ? tac_graph_map(g, n, tac_fraction(g, 0, 1)) : NULL;
    if (zeros) tac_expr_substitute(g, expr, count, x, zeros, n, b);
    tac_graph_unmap(g, zeros, n);
    return g->result;
}
