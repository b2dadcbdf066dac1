// Formulas as text, LaTeX and C.

#ifndef TAC_SYMBOLIC_EXPR_EXPR_PRINT_H
#define TAC_SYMBOLIC_EXPR_EXPR_PRINT_H

#include "symbolic/expr/graph.h"

// nodes to be printed: of a graph, or of a program
typedef struct tacFormulas {
    const tacExprNode* node;
    const tacFraction* number;
    char* const* name; // of symbols; NULL: they are x[0], x[1] ..
    const int* temp; // number of the name under which a node is known, -1: none; NULL: none at all
    const char* temp_name; // format of such a name, with one %d
    const int* slot; // index in t[] of a name that is stored there, -1: none; NULL: none at all
} tacFormulas;

// output of text
typedef struct tacWriter {
    tacWrite write;
    void* user;
    int failed; // the output failed: nothing more is written
} tacWriter;

void tac_writer_print(tacWriter* writer, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

// 1 if all of it was written; `whole` 1 prints the node itself even if it has a name
int tac_formula_print(const tacFormulas* f, tacExpr e, tacNotation notation, int whole,
                      tacWriter* writer);

#endif
