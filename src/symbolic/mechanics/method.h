// Shared by Kane's and Lagrange's methods.

#ifndef TAC_SYMBOLIC_MECHANICS_METHOD_H
#define TAC_SYMBOLIC_MECHANICS_METHOD_H

#include "symbolic/expr/expr_matrix.h"
#include "symbolic/mechanics/mechanism.h"

// a tacMethod, followed by its arrays
typedef struct tacMethodStorage {
    tacMethod method;
    tacExpr *q, *u, *u_dot, *rates, *M, *forcing, *configuration, *velocity;
    size_t bytes;
} tacMethodStorage;

// arrays for the sizes in `method`, all 0; NULL: no memory
tacMethodStorage* tac_method_alloc(tacMechanics* m, tacMethod sizes);
void tac_method_free(tacMethodStorage* own);

// Symbols and the expressions that replace them.
typedef struct tacSubstitution {
    const tacExpr *x, *y;
    int n;
} tacSubstitution;

static inline tacResult tac_substitute(tacGraph* g, tacSubstitution r, tacExpr* expr, int count) {
    return tac_expr_substitute(g, expr, count, r.x, r.y, r.n, expr);
}

// Partial velocities: velocity = J u + rest, J (3 x nu), in `frame`.
typedef struct tacPartialVelocity {
    tacRefFrame frame;
    tacExprMatrix J;
    exprVec rest;
} tacPartialVelocity;

// of a velocity whose rates are substituted; to be freed with tac_expr_matrix_free(J)
int tac_partial_velocity_alloc(tacMechanics* m, tacVector velocity, const tacExpr* u, int nu,
                               tacSubstitution rates, tacPartialVelocity* out);

// adds J' force to the generalized forces (nu); force in any frame
void tac_partial_velocity_add_force(tacMechanics* m, const tacPartialVelocity* p, tacVector force,
                                    tacExpr* forces);

// adds the generalized forces of all loads (nu)
tacResult tac_add_loads(tacMechanics* m, tacRefFrame frame, const tacExpr* u, int nu,
                        tacSubstitution rates, tacExpr* forces);

// holonomic constraints must not contain rates: the error names the constraint and the rate
tacResult tac_holonomic_check(tacGraph* g, const tacExpr* expr, int count, const tacExpr* rate,
                              int n);

// the error names the speed or multiplier without inertia
tacResult tac_method_check(tacMethodStorage* own);

#endif
