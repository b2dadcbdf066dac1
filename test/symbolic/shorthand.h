// Short words for formulas in tests.

#ifndef TACTUS_TEST_SHORTHAND_H
#define TACTUS_TEST_SHORTHAND_H

#include "tactus/symbolic.h"

static tacGraph* g; // of the test that runs

static inline tacExpr expr_symbol(const char* name) { return tac_symbol(g, name); }
static inline tacExpr expr_int(int n) { return tac_fraction(g, n, 1); }
static inline tacExpr expr_add(tacExpr a, tacExpr b) { return tac_expr_add(g, a, b); }
static inline tacExpr expr_sub(tacExpr a, tacExpr b) { return tac_expr_sub(g, a, b); }
static inline tacExpr expr_mul(tacExpr a, tacExpr b) { return tac_expr_mul(g, a, b); }
static inline tacExpr expr_div(tacExpr a, tacExpr b) { return tac_expr_div(g, a, b); }
static inline tacExpr expr_pow(tacExpr a, int n) { return tac_expr_pow(g, a, expr_int(n)); }
static inline tacExpr expr_call(tacOp op, tacExpr a) { return tac_expr_call(g, op, a, a); }

static const tacGraphOptions* graph_options; // NULL: the default ones

static inline int open_graph(void) { return tac_graph_create(graph_options, &g) == TAC_OK; }

#endif
