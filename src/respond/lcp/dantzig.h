// Dantzig's method for the frictional problem: rows enter one by one, each driven until it obeys
// its law, while those before keep to theirs.

#ifndef TAC_RESPOND_LCP_DANTZIG_H
#define TAC_RESPOND_LCP_DANTZIG_H

#include "tactus/lcp.h"

// what the bounds of friction do while a row is driven
typedef enum tacFrictionBounds {
    TAC_BOUNDS_COUPLED, // they follow f_n, and steps end where f_t reaches its moving bound
    TAC_BOUNDS_STALE,   // they follow f_n, but steps end where f_t reaches the previous bound
    TAC_BOUNDS_FROZEN   // those of the frictionless answer, as in other engines (reference.h)
} tacFrictionBounds;

size_t tac_dantzig_size(int contacts, int tangents);

// Impulses and active set. Returns 0 where it cycles or finds no pivot. Adds its pivots to *passes.
// With frozen bounds f is the answer of the frozen problem, whatever the law of friction says.
int tac_dantzig(const tacLcp* lcp, tacFrictionBounds bounds, double* f, unsigned char* active_set,
                int* passes, void* memory);

#endif
