// A small convex program with half-spaces and balls:
//
//   minimise 1/2 |B x - c|^2 + q'x   with   s = h - G x in K,
//
// K the product of `linear` numbers >= 0 and `cones` second-order cones {s0 >= |(s1, ..)|} of one
// dimension. A primal-dual interior-point method with Nesterov and Todd's scaling and Mehrotra's
// predictor and corrector (as L. Vandenberghe, "The CVXOPT linear and quadratic cone program
// solvers", 2010, lays it out). Each direction is a least-squares problem solved by Householder's
// method, which stays exact to rounding up to the boundary, where normal equations do not.
// docs/separate.md

#ifndef TAC_DETECT_SAT_CONE_PROGRAM_H
#define TAC_DETECT_SAT_CONE_PROGRAM_H

#include <stddef.h>

#define TAC_CONE_UNKNOWNS 8 // most of x
#define TAC_CONE_SQUARES  3 // most rows of B
#define TAC_CONE_CONES    2 // most cones

typedef struct tacConeProgram {
    int unknowns, squares, linear, cones, dimension; // rows of B; dimension of one cone
    const double *B, *c, *q, *G, *h; // row-major: (squares x n) (squares) (n) (rows x n) (rows)
} tacConeProgram;

typedef struct tacConeAnswer {
    double x[TAC_CONE_UNKNOWNS];
    const double* z; // multipliers of the rows, in the memory given
    double residual; // of the conditions, relative to the sizes of h and q
    double gap;      // s'z
    int passes;
} tacConeAnswer;

size_t tac_cone_program_size(int rows);

// Numbers are in units in which the answer is of the order of 1. `warm` (unknowns) is a start, or
// NULL. Never fails on a program with an interior; the residual
// tells.
tacConeAnswer tac_cone_program(const tacConeProgram* program, const double* warm, void* memory);

#endif
