// A program cut into functions of at most 400 statements: compilers' time grows faster than those.

#ifndef TAC_SYMBOLIC_PARTS_H
#define TAC_SYMBOLIC_PARTS_H

#include "symbolic/program.h"

enum { TAC_PART_STATEMENTS = 400 };

// Statements are the temps in their order, then the outputs. A temp that a later part reads has a
// slot, a place in an array that the parts share.
typedef struct tacParts {
    int count, statements;
    int slots;
    int* slot; // of each temp, -1: none; NULL: there is one part                    (temps)
} tacParts;

// TAC_ERROR_MEMORY, or parts to be given back
tacResult tac_parts_take(const tacProgram* p, tacParts* out);
void tac_parts_give(const tacProgram* p, tacParts* parts);

// Walks over the statements: the next one's node, whether it is an output, and its number as such.
typedef struct tacCursor {
    const tacProgram* program;
    int statement, node;
} tacCursor;
int tac_cursor_next(tacCursor* c, int* is_output, int* index);

#endif
