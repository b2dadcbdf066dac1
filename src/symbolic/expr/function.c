// Values of operations, and their derivatives as formulas, side by side.

#include "symbolic/expr/function.h"

#include "base/assert.h"

#include <math.h>

//---------------------------------- short words ----------------------------------

static tacExpr integer_expr(tacGraph* g, int n) { return tac_fraction(g, n, 1); }
static tacExpr power_expr(tacGraph* g, tacExpr a, int p, int q) {
    return tac_expr_pow(g, a, tac_fraction(g, p, q));
}
static tacExpr negated_expr(tacGraph* g, tacExpr a) {
    return tac_expr_mul(g, integer_expr(g, -1), a);
}
static tacExpr call(tacGraph* g, tacOp op, tacExpr a) { return tac_expr_call(g, op, a, a); }

// 1 + sign a^2
static tacExpr one_plus_square(tacGraph* g, int sign_of, tacExpr a) {
    return tac_expr_add(g, integer_expr(g, 1),
                        tac_expr_mul(g, integer_expr(g, sign_of), power_expr(g, a, 2, 1)));
}

// (1 + sign sign(a - b))/2: 1 where a is the larger (sign 1) or the smaller one (-1), 1/2 in a tie
static tacExpr selector_expr(tacGraph* g, int sign_of, tacExpr a, tacExpr b) {
    tacExpr s = call(g, TAC_OP_SIGN, tac_expr_sub(g, a, b));
    return tac_expr_add(g, tac_fraction(g, 1, 2), tac_expr_mul(g, tac_fraction(g, sign_of, 2), s));
}

static double sign_of(double a) { return (a > 0.0) - (a < 0.0); }

static double sigmoid(double a) {
    double e = exp(-fabs(a));
    return (a >= 0.0 ? 1.0 : e) / (1.0 + e);
}

static double softplus(double a) { return fmax(a, 0.0) + log1p(exp(-fabs(a))); }

//---------------------------------- one argument ---------------------------------

// One row a function: its value at the number a; its derivative as a formula of the argument a and
// of the function's own node e.
#define FUNCTION_ROWS(X)                                                                           \
    X(SIN, sin(a), call(g, TAC_OP_COS, a))                                                         \
    X(COS, cos(a), negated_expr(g, call(g, TAC_OP_SIN, a)))                                        \
    X(TAN, tan(a), one_plus_square(g, 1, e))                                                       \
    X(ASIN, asin(a), power_expr(g, one_plus_square(g, -1, a), -1, 2))                              \
    X(ACOS, acos(a), negated_expr(g, power_expr(g, one_plus_square(g, -1, a), -1, 2)))             \
    X(ATAN, atan(a), power_expr(g, one_plus_square(g, 1, a), -1, 1))                               \
    X(EXP, exp(a), e)                                                                              \
    X(LOG, log(a), power_expr(g, a, -1, 1))                                                        \
    X(SINH, sinh(a), call(g, TAC_OP_COSH, a))                                                      \
    X(COSH, cosh(a), call(g, TAC_OP_SINH, a))                                                      \
    X(TANH, tanh(a), one_plus_square(g, -1, e))                                                    \
    X(ABS, fabs(a), call(g, TAC_OP_SIGN, a))                                                       \
    X(SIGN, sign_of(a), integer_expr(g, 0))                                                        \
    X(SIGMOID, sigmoid(a), tac_expr_mul(g, e, tac_expr_sub(g, integer_expr(g, 1), e)))             \
    X(SOFTPLUS, softplus(a), call(g, TAC_OP_SIGMOID, a))

#define VALUE_FUNCTION(name, value, derivative)                                                    \
    static double value_##name(double a) { return value; }
FUNCTION_ROWS(VALUE_FUNCTION)

#define DERIVATIVE_FUNCTION(name, value, derivative)                                               \
    static tacExpr derivative_##name(tacGraph* g, tacExpr a, tacExpr e) {                          \
        (void)g, (void)a, (void)e;                                                                 \
        return derivative;                                                                         \
    }
FUNCTION_ROWS(DERIVATIVE_FUNCTION)

typedef struct functionRow {
    double (*value)(double a);
    tacExpr (*derivative)(tacGraph* g, tacExpr a, tacExpr e);
    const char *text, *latex;
} functionRow;

#define FUNCTION_ROW(name, words, tex)                                                             \
    [TAC_OP_##name - TAC_OP_SIN] = {value_##name, derivative_##name, words, tex},
static const functionRow rows[] = {TAC_FUNCTIONS(FUNCTION_ROW)};

//---------------------------------- two arguments --------------------------------

// by squaring; generated C has the same text
static double power_of(double a, int n) {
    double out = 1.0;
    for (; n; n >>= 1, a *= a)
        if (n & 1) out *= a;
    return out;
}

double tac_power_value(double a, double b) {
    double n = fabs(b), out;
    if (n == 0.5)
        out = sqrt(a);
    else if (n <= TAC_POWER_MAX && n == floor(n))
        out = power_of(a, (int)n);
    else
        return pow(a, b);
    return b < 0.0 ? 1.0 / out : out;
}

static double value_of_two(tacOp op, double a, double b) {
    switch (op) {
    case TAC_OP_ADD:
        return a + b;
    case TAC_OP_MUL:
        return a * b;
    case TAC_OP_POW:
        return tac_power_value(a, b);
    case TAC_OP_ATAN2:
        return atan2(a, b);
    case TAC_OP_MIN:
        return fmin(a, b);
    default:
        return fmax(a, b);
    }
}

// b a^(b - 1), a^b log a
static tacExpr power_partial(tacGraph* g, tacExpr e, tacExpr a, tacExpr b, int operand) {
    if (operand) return tac_expr_mul(g, e, call(g, TAC_OP_LOG, a));
    return tac_expr_mul(g, b, tac_expr_pow(g, a, tac_expr_sub(g, b, integer_expr(g, 1))));
}

// b/(a^2 + b^2), -a/(a^2 + b^2)
static tacExpr angle_partial(tacGraph* g, tacExpr a, tacExpr b, int operand) {
    tacExpr square = tac_expr_add(g, power_expr(g, a, 2, 1), power_expr(g, b, 2, 1));
    return tac_expr_div(g, operand ? negated_expr(g, a) : b, square);
}

static tacExpr partial_of_two(tacGraph* g, tacExpr e, tacExpr a, tacExpr b, int operand) {
    switch (tac_expr_op(g, e)) {
    case TAC_OP_ADD:
        return integer_expr(g, 1);
    case TAC_OP_MUL:
        return operand ? a : b;
    case TAC_OP_POW:
        return power_partial(g, e, a, b, operand);
    case TAC_OP_ATAN2:
        return angle_partial(g, a, b, operand);
    case TAC_OP_MIN:
        return selector_expr(g, operand ? 1 : -1, a, b);
    default:
        return selector_expr(g, operand ? -1 : 1, a, b);
    }
}

//---------------------------------- all ------------------------------------------

double tac_op_value(tacOp op, double a, double b) {
    return tac_op_is_binary(op) ? value_of_two(op, a, b) : rows[op - TAC_OP_SIN].value(a);
}

tacFunction tac_op_function(tacOp op) { return rows[op - TAC_OP_SIN].value; }

tacExpr tac_op_partial(tacGraph* graph, tacExpr e, int operand) {
    tacExprNode n = graph->node[e];
    TAC_ASSERT(!tac_op_is_leaf((tacOp)n.op));
    if (tac_op_is_binary((tacOp)n.op)) return partial_of_two(graph, e, n.a, n.b, operand);
    return rows[n.op - TAC_OP_SIN].derivative(graph, n.a, e);
}

const char* tac_op_name(tacOp op, tacNotation notation) {
    static const char* const two[3][3] = {
        {"atan2", "min", "max"},
        {"\\operatorname{atan2}", "\\min", "\\max"},
        {"atan2", "fmin", "fmax"},
    };
    if (op >= TAC_OP_ATAN2 && op <= TAC_OP_MAX) return two[notation][op - TAC_OP_ATAN2];
    if (op == TAC_OP_ABS && notation == TAC_NOTATION_C) return "fabs";
    const functionRow* row = &rows[op - TAC_OP_SIN];
    return notation == TAC_NOTATION_LATEX ? row->latex : row->text;
}
