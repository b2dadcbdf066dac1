// Which numbers of a scene `tactus derive` keeps as symbols, and what they are called.

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
// code, CLI_OK if all is well; to be closed in any case.
int derive_symbols_open(deriveSymbols* s, tacGraph* graph, const tacModel* model,
                        const char* words);
void derive_symbols_close(deriveSymbols* s);

// finds symbols that are in none of the expressions
void derive_symbols_find_unused(const deriveSymbols* s, const tacExpr* expr, int count);

// what stands for what, as comments
void derive_symbols_legend(const deriveSymbols* s, const char* mark, FILE* file);

// Reads "q0=0,m_pole=1/3" and replaces those symbols in expressions and in the list of inputs,
// whose new length is returned; -1 after a complaint, or with the graph's error in *result.
// Decimals and fractions are exact.
int derive_substitute(tacGraph* graph, const char* words, tacExpr* inputs, int count, tacExpr* expr,
                      int exprs, tacResult* result);

#endif
