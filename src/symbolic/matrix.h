// Matrices of expressions, row-major, in memory of the graph.

#ifndef TAC_SYMBOLIC_MATRIX_H
#define TAC_SYMBOLIC_MATRIX_H

#include "symbolic/graph.h"

typedef struct tacMatrix {
    tacExpr* at; // NULL: there was no memory
    int rows, columns;
} tacMatrix;

static inline tacExpr* tac_entry(tacMatrix A, int i, int j) {
    return A.at + (size_t)i * (size_t)A.columns + (size_t)j;
}
static inline int tac_entries(tacMatrix A) { return A.rows * A.columns; }

// all entries 0
tacMatrix tac_matrix_take(tacGraph* g, int rows, int columns);
void tac_matrix_give(tacGraph* g, tacMatrix A);

// C += factor A B
void tac_matrix_multiply(tacGraph* g, int factor, tacMatrix A, tacMatrix B, tacMatrix C);

// copies a block of A, `rows` x `columns` of B, from (i, j) on
void tac_matrix_block(tacMatrix A, int i, int j, tacMatrix B);

// Which unknown a square system leaves open, and which equation says nothing new; -1: none.
typedef struct tacDefect {
    int row, column;
} tacDefect;

// X of A X = B; A and B stay
tacResult tac_matrix_solve(tacGraph* g, tacMatrix A, tacMatrix B, tacMatrix X, tacDefect* defect);

// A X = B by minors of a small A, which is not singular: X = adj(A) B/det(A)
#define TAC_MINORS_MOST 8
void tac_minors_solve(tacGraph* g, tacMatrix A, tacMatrix B, tacMatrix X);

// looks for a defect only
tacResult tac_matrix_inspect(tacGraph* g, tacMatrix A, tacDefect* defect);

#endif
