// A frictional problem some of whose rows hold both ways, made one without them.
//
//   a_E = 0:  A' = A_II - A_IE A_EE^-1 A_EI,  b' = b_I - A_IE A_EE^-1 b_E,
//   f_E = -A_EE^-1 (b_E + A_EI f_I)
//
// Rows of E that others make up for are left out, with f = 0.

#ifndef TAC_RESPOND_LCP_SCHUR_H
#define TAC_RESPOND_LCP_SCHUR_H

#include "base/arena.h"
#include "tactus/lcp.h"

typedef struct tacSchurSolve {
    double *C, *d;             // eliminated: (rows x rows), (rows)
    double *A, *b, *mu, *f;    // the problem that is left
    unsigned char* active_set; // of it
    int *order, *remaining;    // rows of E as they were eliminated; groups that are left
    int count, nremaining;
    int dropped; // rows of E that others make up for
} tacSchurSolve;

// arrays for this many constraints
tacSchurSolve tac_schur_alloc(int constraints, tacArena* arena);

// The problem without the normal rows of the groups that `held` marks; their tangents are 0.
tacLcp tac_schur_reduce(tacSchurSolve* h, const tacLcp* lcp, const unsigned char* bilateral);

// impulses and classes of all rows, from h->f and h->classes
void tac_schur_restore(const tacSchurSolve* h, const tacLcp* lcp, double* f,
                       unsigned char* active_set);

#endif
