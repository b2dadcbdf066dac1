// Derivatives of expressions as expressions: one sweep over the graph each.
//
// Forward mode computes tangents of all nodes, reverse mode adjoints; formulas share common nodes;
// the derivative of one operation is in function.c.

#include "symbolic/expr/function.h"

#include <string.h>

static tacExpr zero_expr(tacGraph* g) { return tac_fraction(g, 0, 1); }
static tacExpr one_expr(tacGraph* g) { return tac_fraction(g, 1, 1); }
static int operand_count(const tacGraph* g, tacExpr e) {
    tacOp op = tac_expr_op(g, e);
    return tac_op_is_leaf(op) ? 0 : tac_op_is_binary(op) ? 2 : 1;
}
static tacExpr operand_of(const tacGraph* g, tacExpr e, int k) {
    return k ? g->node[e].b : g->node[e].a;
}

static tacResult check_arguments(tacGraph* g, const tacExpr* expr, int count, const tacExpr* x,
                                 int n) {
    tacResult result = tac_graph_check(g, expr, count, 0);
    return result == TAC_OK ? tac_graph_check(g, x, n, 1) : result;
}

//---------------------------------- forward --------------------------------------

// tangents of all marked nodes, from the leaves on
static void propagate_tangents(tacGraph* g, const unsigned char* mark, int top, tacExpr none,
                               tacExpr* dot) {
    for (int i = 0; i <= top && g->result == TAC_OK; ++i) {
        int n = mark[i] ? operand_count(g, i) : 0;
        for (int k = 0; k < n; ++k) {
            tacExpr d = dot[operand_of(g, i, k)];
            if (d == none) continue;
            dot[i] = tac_expr_add(g, dot[i], tac_expr_mul(g, tac_op_partial(g, i, k), d));
        }
    }
}

tacResult tac_expr_jvp(tacGraph* g, const tacExpr* expr, int count, const tacExpr* x,
                       const tacExpr* x_dot, int n, tacExpr* out) {
    tacResult result = tac_graph_check_result(g, count, out);
    if (result == TAC_OK) result = check_arguments(g, expr, count, x, n);
    if (result == TAC_OK) result = tac_graph_check(g, x_dot, n, 0);
    if (result != TAC_OK) return result;
    int top;
    tacExpr none = zero_expr(g);
    unsigned char* mark = tac_graph_mark_reachable(g, expr, count, &top);
    tacExpr* dot = mark ? tac_graph_map(g, top, none) : NULL;
    if (dot) {
        for (int j = 0; j < n; ++j)
            if (x[j] <= top) dot[x[j]] = x_dot[j];
        propagate_tangents(g, mark, top, none, dot);
        for (int i = 0; i < count && g->result == TAC_OK; ++i) out[i] = dot[expr[i]];
    }
    tac_graph_unmap(g, dot, top);
    tac_graph_free(g, mark, (size_t)top + 1);
    return g->result;
}

tacExpr tac_expr_derivative(tacGraph* g, tacExpr expr, tacExpr x) {
    tacExpr seed = one_expr(g), out = TAC_EXPR_NONE;
    tac_expr_jvp(g, &expr, 1, &x, &seed, 1, &out);
    return out;
}

//---------------------------------- reverse --------------------------------------

// keeps the mark on nodes that contain one of the symbols
static void mark_dependent(const tacGraph* g, unsigned char* mark, int top, const tacExpr* x,
                           int n) {
    for (int i = 0; i <= top; ++i) {
        if (tac_op_is_leaf(tac_expr_op(g, i))) mark[i] = 0;
    }
    for (int j = 0; j < n; ++j)
        if (x[j] <= top) mark[x[j]] = 1;
    for (int i = 0; i <= top; ++i) {
        int active = operand_count(g, i) == 0;
        for (int k = 0; k < operand_count(g, i); ++k) active |= mark[operand_of(g, i, k)];
        mark[i] = (unsigned char)(mark[i] && active);
    }
}

// adjoints of all active nodes, from the roots back
static void propagate_adjoints(tacGraph* g, const unsigned char* mark, int top, tacExpr none,
                               tacExpr* bar) {
    for (int i = top; i >= 0 && g->result == TAC_OK; --i) {
        if (!mark[i] || bar[i] == none) continue;
        for (int k = 0; k < operand_count(g, i); ++k) {
            tacExpr to = operand_of(g, i, k);
            if (!mark[to]) continue;
            bar[to] = tac_expr_add(g, bar[to], tac_expr_mul(g, tac_op_partial(g, i, k), bar[i]));
        }
    }
}

tacResult tac_expr_vjp(tacGraph* g, const tacExpr* expr, const tacExpr* expr_bar, int count,
                       const tacExpr* x, int n, tacExpr* out) {
    tacResult result = tac_graph_check_result(g, n, out);
    if (result == TAC_OK) result = check_arguments(g, expr, count, x, n);
    if (result == TAC_OK) result = tac_graph_check(g, expr_bar, count, 0);
    if (result != TAC_OK) return result;
    int top;
    tacExpr none = zero_expr(g);
    unsigned char* mark = tac_graph_mark_reachable(g, expr, count, &top);
    tacExpr* bar = mark ? tac_graph_map(g, top, none) : NULL;
    if (bar) {
        mark_dependent(g, mark, top, x, n);
        for (int i = 0; i < count; ++i) bar[expr[i]] = tac_expr_add(g, bar[expr[i]], expr_bar[i]);
        propagate_adjoints(g, mark, top, none, bar);
        for (int j = 0; j < n && g->result == TAC_OK; ++j) out[j] = x[j] <= top ? bar[x[j]] : none;
    }
    tac_graph_unmap(g, bar, top);
    tac_graph_free(g, mark, (size_t)top + 1);
    return g->result;
}

tacResult tac_expr_gradient(tacGraph* g, tacExpr expr, const tacExpr* x, int n, tacExpr* out) {
    tacExpr seed = one_expr(g);
    return tac_expr_vjp(g, &expr, &seed, 1, x, n, out);
}

//---------------------------------- matrices -------------------------------------

static tacResult jacobian_columns(tacGraph* g, const tacExpr* expr, int count, const tacExpr* x,
                                  int n, tacExpr* out) {
    tacExpr seed = one_expr(g), *column = tac_graph_map(g, count, TAC_EXPR_NONE);
    for (int j = 0; j < n && column && g->result == TAC_OK; ++j) {
        tac_expr_jvp(g, expr, count, x + j, &seed, 1, column);
        for (int i = 0; i < count; ++i) out[(size_t)i * (size_t)n + (size_t)j] = column[i];
    }
    tac_graph_unmap(g, column, count);
    return g->result;
}

tacResult tac_expr_jacobian(tacGraph* g, const tacExpr* expr, int count, const tacExpr* x, int n,
                            tacExpr* out) {
    tacResult result = tac_graph_check_result(g, count > 0 ? n : 0, out);
    if (result == TAC_OK) result = check_arguments(g, expr, count, x, n);
    if (result != TAC_OK) return result;
    if (n <= count) return jacobian_columns(g, expr, count, x, n, out);
    for (int i = 0; i < count && g->result == TAC_OK; ++i)
        tac_expr_gradient(g, expr[i], x, n, out + (size_t)i * (size_t)n);
    return g->result;
}

tacResult tac_expr_hessian(tacGraph* g, tacExpr expr, const tacExpr* x, int n, tacExpr* out) {
    tacResult result = tac_graph_check_result(g, n, out);
    if (result == TAC_OK) result = check_arguments(g, &expr, 1, x, n);
    if (result != TAC_OK) return result;
    tacExpr* gradient = tac_graph_map(g, n, TAC_EXPR_NONE);
    if (!gradient) return g->result;
    tac_expr_gradient(g, expr, x, n, gradient);
    if (g->result == TAC_OK) jacobian_columns(g, gradient, n, x, n, out);
    // two orders of differentiation may give two formulas: the lower triangle is used for both
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n && g->result == TAC_OK; ++j)
            out[(size_t)i * (size_t)n + (size_t)j] = out[(size_t)j * (size_t)n + (size_t)i];
    tac_graph_unmap(g, gradient, n);
    return g->result;
}
