// Short words for formulas in tests.

#ifndef TACTUS_TEST_SHORTHAND_H
#define TACTUS_TEST_SHORTHAND_H

#include "tactus/symbolic.h"

static tacGraph* g; // of the test that runs

static inline tacExpr sym(const char* name) { return tac_symbol(g, name); }
static inline tacExpr num(int n) { return tac_fraction(g, n, 1); }
static inline tacExpr add(tacExpr a, tacExpr b) { return tac_expr_add(g, a, b); }
static inline tacExpr sub(tacExpr a, tacExpr b) { return tac_expr_sub(g, a, b); }
static inline tacExpr mul(tacExpr a, tacExpr b) { return tac_expr_mul(g, a, b); }
static inline tacExpr divide(tacExpr a, tacExpr b) { return tac_expr_div(g, a, b); }
static inline tacExpr ipow(tacExpr a, int n) { return tac_expr_pow(g, a, num(n)); }
static inline tacExpr fun(tacOp op, tacExpr a) { return tac_expr_call(g, op, a, a); }

static const tacGraphOptions* graph_options; // NULL: the default ones

static inline int open_graph(void) { return tac_graph_create(graph_options, &g) == TAC_OK; }

#endif
