// Dantzig's method for the frictional problem: rows enter one by one, each driven until it obeys
// its law, while those before keep to theirs.

#ifndef TAC_RESPOND_LCP_DANTZIG_H
#define TAC_RESPOND_LCP_DANTZIG_H

#include "tactus/lcp.h"

// what the bounds of friction do while a row is driven
typedef enum tacFrictionBounds {
    TAC_BOUNDS_COUPLED, // they follow f_n, and steps end where f_t meets its moving bound
    TAC_BOUNDS_STALE,   // they follow f_n, but steps end where f_t meets the bound of before
    TAC_BOUNDS_FROZEN   // they are those of the frictionless answer, as other solvers have it
} tacFrictionBounds;

size_t tac_dantzig_size(int contacts, int tangents);

// Impulses and classes. Returns 0 where it circles or finds no way on. Adds its pivots to *passes.
// With frozen bounds f is the answer of the frozen problem, whatever the law says.
int tac_dantzig(const tacLcp* lcp, tacFrictionBounds bounds, double* f, unsigned char* active_set,
                int* passes, void* memory);

#endif
