// A program split into functions of at most 400 statements: compile time grows faster than
// linearly.

#ifndef TAC_SYMBOLIC_CODE_PROGRAM_PARTS_H
#define TAC_SYMBOLIC_CODE_PROGRAM_PARTS_H

#include "symbolic/code/program.h"

enum { TAC_PART_STATEMENTS = 400 };

// Statements are the temps in their order, then the outputs. A temp that a later part reads has a
// slot in an array that the parts share.
typedef struct tacProgramParts {
    int count, statements;
    int slots;
    int* slot; // of each temp, -1: none; NULL: there is one part                    (temps)
} tacProgramParts;

// TAC_ERROR_MEMORY, or parts to be freed
tacResult tac_program_parts_alloc(const tacProgram* p, tacProgramParts* out);
void tac_program_parts_free(const tacProgram* p, tacProgramParts* parts);

// Walks over the statements: the next one's node, whether it is an output, and its number as such.
typedef struct tacStatementCursor {
    const tacProgram* program;
    int statement, node;
} tacStatementCursor;
int tac_statement_cursor_next(tacStatementCursor* c, int* is_output, int* index);

#endif
