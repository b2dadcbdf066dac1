// Schur complement: a frictional problem without its bilateral rows E.
//
//   a_E = 0:  A' = A_II - A_IE A_EE^-1 A_EI,  b' = b_I - A_IE A_EE^-1 b_E,
//   f_E = -A_EE^-1 (b_E + A_EI f_I)
//
// Redundant rows of E are left out, with f = 0.

#ifndef TAC_RESPOND_LCP_SCHUR_H
#define TAC_RESPOND_LCP_SCHUR_H

#include "base/arena.h"
#include "tactus/lcp.h"

typedef struct tacSchurSolve {
    double *C, *d;             // eliminated: (rows x rows), (rows)
    double *A, *b, *mu, *f;    // the problem that is left
    unsigned char* active_set; // of it
    int *order, *remaining;    // rows of E in the order of elimination; constraints that remain
    int count, nremaining;
    int dropped; // redundant rows of E
} tacSchurSolve;

// arrays for this many constraints
tacSchurSolve tac_schur_alloc(int constraints, tacArena* arena);

// The problem without the normal rows of the constraints that `bilateral` marks; their tangents are
// 0.
tacLcp tac_schur_reduce(tacSchurSolve* h, const tacLcp* lcp, const unsigned char* bilateral);

// impulses and active set of all rows, from h->f and h->active_set
void tac_schur_restore(const tacSchurSolve* h, const tacLcp* lcp, double* f,
                       unsigned char* active_set);

#endif
