// A frictional problem some of whose rows hold both ways, made one without them.
//
//   a_E = 0:  A' = A_II - A_IE A_EE^-1 A_EI,  b' = b_I - A_IE A_EE^-1 b_E,
//   f_E = -A_EE^-1 (b_E + A_EI f_I)
//
// Rows of E that others make up for are left out, with f = 0.

#ifndef TAC_RESPOND_HELD_H
#define TAC_RESPOND_HELD_H

#include "tactus/lcp.h"

typedef struct tacHeldSolve {
    double *C, *d;          // eliminated: (rows x rows), (rows)
    double *A, *b, *mu, *f; // the problem that is left
    unsigned char* classes; // of it
    int *order, *rest;      // rows of E as they were eliminated; groups that are left
    int count, left;
    int dropped; // rows of E that others make up for
} tacHeldSolve;

// bytes of its arrays for this many groups, and the arrays in such memory
size_t tac_held_size(int groups);
tacHeldSolve tac_held_take(int groups, void* memory);

// The problem without the normal rows of the groups that `held` marks; their tangents are 0.
tacLcp tac_held_reduce(tacHeldSolve* h, const tacLcp* lcp, const unsigned char* held);

// impulses and classes of all rows, from h->f and h->classes
void tac_held_restore(const tacHeldSolve* h, const tacLcp* lcp, double* f, unsigned char* classes);

#endif
