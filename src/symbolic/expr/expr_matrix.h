// Matrices of expressions, row-major, in memory of the graph.

#ifndef TAC_SYMBOLIC_EXPR_EXPR_MATRIX_H
#define TAC_SYMBOLIC_EXPR_EXPR_MATRIX_H

#include "symbolic/expr/graph.h"

typedef struct tacExprMatrix {
    tacExpr* at; // NULL: there was no memory
    int rows, columns;
} tacExprMatrix;

static inline tacExpr* tac_expr_matrix_entry(tacExprMatrix A, int i, int j) {
    return A.at + (size_t)i * (size_t)A.columns + (size_t)j;
}
static inline int tac_expr_matrix_count(tacExprMatrix A) { return A.rows * A.columns; }

// all entries 0
tacExprMatrix tac_expr_matrix_alloc(tacGraph* g, int rows, int columns);
void tac_expr_matrix_free(tacGraph* g, tacExprMatrix A);

// C += factor A B
void tac_expr_matrix_multiply(tacGraph* g, int factor, tacExprMatrix A, tacExprMatrix B,
                              tacExprMatrix C);

// copies a block of A, `rows` x `columns` of B, from (i, j) on
void tac_expr_matrix_block(tacExprMatrix A, int i, int j, tacExprMatrix B);

// Which unknown a square system does not determine, and which equation is redundant; -1: none.
typedef struct tacRankDefect {
    int row, column;
} tacRankDefect;

// X of A X = B; A and B are unchanged
tacResult tac_expr_matrix_solve(tacGraph* g, tacExprMatrix A, tacExprMatrix B, tacExprMatrix X,
                                tacRankDefect* defect);

// A X = B by minors of a small A, which is not singular: X = adj(A) B/det(A)
#define TAC_MINORS_MAX 8
void tac_expr_minors_solve(tacGraph* g, tacExprMatrix A, tacExprMatrix B, tacExprMatrix X);

// searches for a defect only
tacResult tac_expr_matrix_check_rank(tacGraph* g, tacExprMatrix A, tacRankDefect* defect);

#endif
