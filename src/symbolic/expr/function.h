// Values of operations, and their derivatives as formulas.

#ifndef TAC_SYMBOLIC_EXPR_FUNCTION_H
#define TAC_SYMBOLIC_EXPR_FUNCTION_H

#include "symbolic/expr/graph.h"

// value of an operation on numbers; of one argument b is not read
double tac_op_value(tacOp op, double a, double b);

// the function of one argument behind an operation
typedef double (*tacFunction)(double a);
tacFunction tac_op_function(tacOp op);

// a^b as products for integers up to TAC_POWER_MAX, roots for halves, pow for the rest
#define TAC_POWER_MAX 64
double tac_power_value(double a, double b);

// d e / d (operand 0 or 1) of a node that is no leaf, as a formula
tacExpr tac_op_partial(tacGraph* graph, tacExpr e, int operand);

// the name of a function in a notation
const char* tac_op_name(tacOp op, tacNotation notation);

#endif
