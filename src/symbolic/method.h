// What Kane's and Lagrange's methods share.

#ifndef TAC_SYMBOLIC_METHOD_H
#define TAC_SYMBOLIC_METHOD_H

#include "symbolic/matrix.h"
#include "symbolic/mechanics.h"

// a tacMethod and its arrays, one after the other behind it
typedef struct tacOwnMethod {
    tacMethod method;
    tacExpr *q, *u, *u_dot, *rates, *M, *forcing, *configuration, *velocity;
    size_t bytes;
} tacOwnMethod;

// arrays for the sizes in `method`, all 0; NULL: no memory
tacOwnMethod* tac_method_take(tacMechanics* m, tacMethod sizes);
void tac_method_give(tacOwnMethod* own);

// Symbols and what stands for them, in place of each other in many expressions.
typedef struct tacReplacement {
    const tacExpr *x, *y;
    int n;
} tacReplacement;

static inline tacResult tac_replace(tacGraph* g, tacReplacement r, tacExpr* expr, int count) {
    return tac_expr_substitute(g, expr, count, r.x, r.y, r.n, expr);
}

// How something moves with the speeds: velocity = J u + rest, J (3 x nu), in the axes of `frame`.
typedef struct tacPartial {
    tacRefFrame frame;
    tacMatrix J;
    exprVec rest;
} tacPartial;

// of a velocity whose rates are replaced; to be given back with tac_matrix_give(J)
int tac_partial_take(tacMechanics* m, tacVector velocity, const tacExpr* u, int nu,
                     tacReplacement rates, tacPartial* out);

// adds J' force to the generalized forces (nu); force in any axes
void tac_partial_push(tacMechanics* m, const tacPartial* p, tacVector force, tacExpr* forces);

// adds the generalized forces of all loads (nu)
tacResult tac_add_loads(tacMechanics* m, tacRefFrame frame, const tacExpr* u, int nu,
                        tacReplacement rates, tacExpr* forces);

// holonomic constraints have no rates: names the one and the other
tacResult tac_holonomic_check(tacGraph* g, const tacExpr* expr, int count, const tacExpr* rate,
                              int n);

// names the speed or multiplier without inertia
tacResult tac_method_check(tacOwnMethod* own);

#endif
