// Expressions as a list of steps.

#ifndef TAC_SYMBOLIC_CODE_PROGRAM_H
#define TAC_SYMBOLIC_CODE_PROGRAM_H

#include "symbolic/expr/graph.h"

// Nodes are copied from the graph, operands first; a symbol's `a` is its input.
struct tacProgram {
    tacAllocator allocator;
    int nodes, inputs, outputs;
    int registers;       // values that are alive at once
    int temps;           // shared nodes, and those that end a long formula
    tacExprNode* node;   // (nodes)
    tacFraction* number; // (nodes), read for numbers only, whose `a` is the node itself
    int* register_of;    // register of each node                              (nodes)
    int* temp;           // name of each node in print, or -1                  (nodes)
    int* output;         // node of each output                                (outputs)
    char** name;         // of the inputs, one after the other in `names`      (inputs)
    char* names;
};

enum { TAC_PROGRAM_LANES = 8 }; // points that are computed side by side

#endif
