// The frictional problem for a given active set: one factorization, many right sides.
//
// A small regularization of the diagonal keeps redundant rows harmless. Refinement removes it: the
// answer is close to the least-norm solution. docs/lcp.md, eq. (4).

#ifndef TAC_RESPOND_LCP_ACTIVE_SET_FACTOR_H
#define TAC_RESPOND_LCP_ACTIVE_SET_FACTOR_H

#include "tactus/lcp.h"

typedef struct tacActiveSetFactor {
    const tacLcp* lcp;
    const unsigned char* active_set;
    int rows, stride;  // of the problem, of one contact
    int n, redundant;  // tight rows; those of them that others make up for
    int symmetric;     // no pressing contact slides
    double *K, *z, *r; // factors (n x n), unknowns and a right side (n)
    int *tight, *pivot;
} tacActiveSetFactor;

size_t tac_active_set_factor_size(int contacts, int tangents);

// factors the system of the active set; lcp and active_set are kept by reference
tacActiveSetFactor tac_active_set_factor(const tacLcp* lcp, const unsigned char* active_set,
                                         void* memory);

// f = P z with K z = -b on the tight rows, b over all rows; and a pass of refinement, which takes
// out what was added to the diagonal; `_correct` is given the velocities a = A f + b
void tac_active_set_solve(tacActiveSetFactor* s, const double* b, double* f);
void tac_active_set_refine(tacActiveSetFactor* s, const double* b, double* f);
void tac_active_set_correct(tacActiveSetFactor* s, const double* a, double* f);

// velocity per impulse of a row; of one that does not move by itself the largest of all
double tac_lcp_diagonal(const tacLcp* lcp, int row);

// A f of one row
double tac_lcp_row_product(const tacLcp* lcp, int row, const double* f);

// a = A f + b of all rows; b NULL: 0
void tac_lcp_velocity(const tacLcp* lcp, const double* b, const double* f, double* a);

#endif
