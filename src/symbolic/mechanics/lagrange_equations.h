// Equations of motion from energies, in coordinates whose rates are q' = N(q) v.

#ifndef TAC_SYMBOLIC_MECHANICS_LAGRANGE_EQUATIONS_H
#define TAC_SYMBOLIC_MECHANICS_LAGRANGE_EQUATIONS_H

#include "symbolic/expr/graph.h"

typedef struct tacCoordinates {
    const tacExpr *q, *v;  // symbols                                         (nq), (nv)
    const tacExpr* rate;   // q', linear in v                                       (nq)
    const int* rotational; // 1: the first of three angular velocities in axes of the body itself;
                           // NULL: none                                            (nv)
    int nq, nv;
} tacCoordinates;

// M (nv x nv) and c (nv) of M a + c = forces along the velocities
tacResult tac_lagrange_equations(tacGraph* g, tacExpr T, tacExpr V, const tacCoordinates* x,
                                 tacExpr* M, tacExpr* c);

#endif
