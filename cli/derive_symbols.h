// Parameters of a scene that `tactus derive` keeps as symbols, and their names.

#ifndef TACTUS_CLI_DERIVE_SYMBOLS_H
#define TACTUS_CLI_DERIVE_SYMBOLS_H

#include "tactus/symbolic.h"

#include <stdio.h>

typedef struct deriveSymbols {
    tacGraph* graph;
    const tacModel* model;
    int *offset, count, capacity;
    tacExpr* symbol;
    char (*name)[64];
    char* unused; // 1: in none of the equations
} deriveSymbols;

// Reads a list of words and names of parameters, such as "masses,lengths,joint:elbow/pos". An exit
// code, CLI_OK on success; close it in any case.
int derive_symbols_open(deriveSymbols* s, tacGraph* graph, const tacModel* model,
                        const char* words);
void derive_symbols_close(deriveSymbols* s);

// finds symbols that are in none of the expressions
void derive_symbols_find_unused(const deriveSymbols* s, const tacExpr* expr, int count);

// the parameter of each symbol, as comments
void derive_symbols_legend(const deriveSymbols* s, const char* mark, FILE* file);

typedef struct deriveEquations {
    tacGraph* graph;
    tacExpr *in, *out; // (inputs) (outputs)
    int inputs, outputs;
} deriveEquations;

// Reads "q0=0,m_pole=1/3", replaces those symbols in the outputs and drops them from the inputs.
// Decimals and fractions are exact. 0; or CLI_ERROR after a message, or with the graph's error in
// *result.
int derive_substitute(deriveEquations* e, const char* words, tacResult* result);

#endif
