// Making expressions, with safe simplifications at once.
//
// The result equals the input wherever that has a value. Numbers come first in sums and
// products, other operands in order of their index. Sums and products keep their nesting, so
// that shared nodes stay shared; like terms are found one level deep.

#include "symbolic/expr/function.h"

#include <math.h>

//---------------------------------- inspection -----------------------------------

static int any_none(const tacGraph* g, tacExpr a, tacExpr b) {
    return !tac_graph_has(g, a) || !tac_graph_has(g, b);
}

static int is_value(const tacGraph* g, tacExpr e, int value) {
    return tac_expr_is_number(g, e) && tac_expr_number(g, e).q == 1 &&
           tac_expr_number(g, e).p == value;
}

static tacExpr integer_expr(tacGraph* g, int n) { return tac_fraction(g, n, 1); }

// e = coefficient rest
static tacExpr split_coefficient(const tacGraph* g, tacExpr e, tacFraction* coefficient) {
    tacExprNode n = g->node[e];
    *coefficient = (tacFraction){1, 1, 1.0};
    if (n.op != TAC_OP_MUL || !tac_expr_is_number(g, n.a)) return e;
    *coefficient = tac_expr_number(g, n.a);
    return n.b;
}

// e = base^exponent with a number as exponent
static tacExpr split_power(const tacGraph* g, tacExpr e, tacFraction* exponent) {
    tacExprNode n = g->node[e];
    *exponent = (tacFraction){1, 1, 1.0};
    if (n.op != TAC_OP_POW || !tac_expr_is_number(g, n.b)) return e;
    *exponent = tac_expr_number(g, n.b);
    return n.a;
}

// number first, then the smaller index
static tacExpr ordered_node(tacGraph* g, tacOp op, tacExpr a, tacExpr b) {
    int swap = tac_expr_is_number(g, b) || (!tac_expr_is_number(g, a) && b < a);
    return swap ? tac_graph_node(g, op, b, a) : tac_graph_node(g, op, a, b);
}

//---------------------------------- sums -----------------------------------------

// e = rest f(u)^2 with f sine or cosine: f, or 0
static int trig_square(tacGraph* g, tacExpr e, tacExpr* rest, tacExpr* u) {
    tacFraction c;
    tacExpr r = split_coefficient(g, e, &c), factor[2] = {r, TAC_EXPR_NONE};
    tacExpr other[2] = {TAC_EXPR_NONE, TAC_EXPR_NONE};
    if (tac_expr_op(g, r) == TAC_OP_MUL) {
        factor[0] = other[1] = g->node[r].a;
        factor[1] = other[0] = g->node[r].b;
    }
    for (int k = 0; k < 2 && factor[k] >= 0; ++k) {
        tacExprNode n = g->node[factor[k]];
        if (n.op != TAC_OP_POW || !is_value(g, n.b, 2)) continue;
        int op = g->node[n.a].op;
        if (op != TAC_OP_SIN && op != TAC_OP_COS) continue;
        *u = g->node[n.a].a;
        *rest = tac_graph_number(g, c);
        if (other[k] >= 0) *rest = tac_expr_mul(g, *rest, other[k]);
        return op;
    }
    return 0;
}

// k sin^2 + k cos^2 = k, or NONE
static tacExpr add_squares(tacGraph* g, tacExpr a, tacExpr b) {
    tacExpr rest[2], u[2];
    int first = trig_square(g, a, &rest[0], &u[0]);
    int second = first ? trig_square(g, b, &rest[1], &u[1]) : 0;
    if (!second || first == second || u[0] != u[1] || rest[0] != rest[1]) return TAC_EXPR_NONE;
    return rest[0];
}

// c x + d x = (c + d) x and the like, or NONE if the two have nothing in common
static tacExpr add_like(tacGraph* g, tacExpr a, tacExpr b) {
    if (tac_expr_is_number(g, a) && tac_expr_is_number(g, b))
        return tac_graph_number(g, tac_fraction_add(tac_expr_number(g, a), tac_expr_number(g, b)));
    if (tac_expr_is_number(g, a) || tac_expr_is_number(g, b)) return TAC_EXPR_NONE;
    tacFraction c, d;
    tacExpr x = split_coefficient(g, a, &c), y = split_coefficient(g, b, &d);
    if (x == y) return tac_expr_mul(g, tac_graph_number(g, tac_fraction_add(c, d)), x);
    return add_squares(g, a, b);
}

// tries to join b with one operand of the node a, or returns NONE
static tacExpr join_operand(tacGraph* g, tacOp op, tacExpr a, tacExpr b,
                            tacExpr (*like)(tacGraph*, tacExpr, tacExpr),
                            tacExpr (*make)(tacGraph*, tacExpr, tacExpr)) {
    tacExprNode n = g->node[a];
    if (n.op != (int)op) return TAC_EXPR_NONE;
    tacExpr first = like(g, n.a, b);
    if (first >= 0) return make(g, first, n.b);
    tacExpr second = like(g, n.b, b);
    return second >= 0 ? make(g, n.a, second) : TAC_EXPR_NONE;
}

tacExpr tac_expr_add(tacGraph* g, tacExpr a, tacExpr b) {
    if (any_none(g, a, b)) return TAC_EXPR_NONE;
    if (is_value(g, a, 0)) return b;
    if (is_value(g, b, 0)) return a;
    tacExpr e = add_like(g, a, b);
    if (e < 0) e = join_operand(g, TAC_OP_ADD, a, b, add_like, tac_expr_add);
    if (e < 0) e = join_operand(g, TAC_OP_ADD, b, a, add_like, tac_expr_add);
    if (e >= 0 || g->result != TAC_OK) return e;
    // numbers go outwards: (c + x) + y = c + (x + y)
    tacExprNode left = g->node[a], right = g->node[b];
    if (left.op == TAC_OP_ADD && tac_expr_is_number(g, left.a) && !tac_expr_is_number(g, b))
        return tac_expr_add(g, left.a, tac_expr_add(g, left.b, b));
    if (right.op == TAC_OP_ADD && tac_expr_is_number(g, right.a) && !tac_expr_is_number(g, a))
        return tac_expr_add(g, right.a, tac_expr_add(g, a, right.b));
    return ordered_node(g, TAC_OP_ADD, a, b);
}

tacExpr tac_expr_sub(tacGraph* g, tacExpr a, tacExpr b) {
    return tac_expr_add(g, a, tac_expr_mul(g, integer_expr(g, -1), b));
}

//---------------------------------- products -------------------------------------

// x^m x^n = x^(m + n), or NONE if the two have nothing in common
static tacExpr mul_like(tacGraph* g, tacExpr a, tacExpr b) {
    if (tac_expr_is_number(g, a) && tac_expr_is_number(g, b))
        return tac_graph_number(g, tac_fraction_mul(tac_expr_number(g, a), tac_expr_number(g, b)));
    if (tac_expr_is_number(g, a) || tac_expr_is_number(g, b)) return TAC_EXPR_NONE;
    tacFraction m, n;
    tacExpr x = split_power(g, a, &m), y = split_power(g, b, &n);
    if (x != y) return TAC_EXPR_NONE;
    return tac_expr_pow(g, x, tac_graph_number(g, tac_fraction_add(m, n)));
}

tacExpr tac_expr_mul(tacGraph* g, tacExpr a, tacExpr b) {
    if (any_none(g, a, b)) return TAC_EXPR_NONE;
    if (is_value(g, a, 1) || is_value(g, b, 0)) return b;
    if (is_value(g, b, 1) || is_value(g, a, 0)) return a;
    tacExpr e = mul_like(g, a, b);
    if (e < 0) e = join_operand(g, TAC_OP_MUL, a, b, mul_like, tac_expr_mul);
    if (e < 0) e = join_operand(g, TAC_OP_MUL, b, a, mul_like, tac_expr_mul);
    if (e >= 0 || g->result != TAC_OK) return e;
    // numbers go outwards: (c x) y = c (x y)
    tacExprNode left = g->node[a], right = g->node[b];
    if (left.op == TAC_OP_MUL && tac_expr_is_number(g, left.a) && !tac_expr_is_number(g, b))
        return tac_expr_mul(g, left.a, tac_expr_mul(g, left.b, b));
    if (right.op == TAC_OP_MUL && tac_expr_is_number(g, right.a) && !tac_expr_is_number(g, a))
        return tac_expr_mul(g, right.a, tac_expr_mul(g, a, right.b));
    return ordered_node(g, TAC_OP_MUL, a, b);
}

tacExpr tac_expr_div(tacGraph* g, tacExpr a, tacExpr b) {
    if (any_none(g, a, b)) return TAC_EXPR_NONE;
    if (is_value(g, b, 0)) {
        char text[100];
        int shown = tac_expr_print(g, a, TAC_NOTATION_TEXT, text, sizeof text) == TAC_OK;
        return tac_graph_fail(g, TAC_ERROR_VALUE,
                              "division by zero: the divisor of %s simplifies to 0",
                              shown ? text : "an expression");
    }
    return tac_expr_mul(g, a, tac_expr_pow(g, b, integer_expr(g, -1)));
}

//---------------------------------- powers ---------------------------------------

static tacExpr number_power(tacGraph* g, tacExpr a, tacExpr b) {
    tacFraction x = tac_expr_number(g, a), n = tac_expr_number(g, b), root;
    if (x.value == 0.0 && n.value < 0.0)
        return tac_graph_fail(g, TAC_ERROR_VALUE, "division by zero: 0 to the power of %.17g",
                              n.value);
    if (x.value == 0.0) return a;
    if (x.value < 0.0 && floor(n.value) != n.value)
        return tac_graph_fail(g, TAC_ERROR_VALUE, "%.17g to the power of %.17g is not real",
                              x.value, n.value);
    if (tac_fraction_integer(n)) return tac_graph_number(g, tac_fraction_power(x, n.p));
    if (n.q == 2 && tac_fraction_root(x, &root))
        return tac_graph_number(g, tac_fraction_power(root, n.p));
    if (!x.q || !n.q)
        return tac_graph_number(g, (tacFraction){0, 0, tac_op_value(TAC_OP_POW, x.value, n.value)});
    return tac_graph_node(g, TAC_OP_POW, a, b);
}

// (x^m)^n: x^(m n) where n is an integer, |x| for the root of a square; else NONE
static tacExpr nested_power(tacGraph* g, tacExpr a, tacFraction n) {
    tacFraction m;
    tacExpr x = split_power(g, a, &m);
    if (x == a) return TAC_EXPR_NONE;
    if (tac_fraction_integer(n))
        return tac_expr_pow(g, x, tac_graph_number(g, tac_fraction_mul(m, n)));
    if (m.q == 1 && m.p == 2 && n.q == 2 && n.p == 1) return tac_expr_call(g, TAC_OP_ABS, x, x);
    return TAC_EXPR_NONE;
}

tacExpr tac_expr_pow(tacGraph* g, tacExpr a, tacExpr b) {
    if (any_none(g, a, b)) return TAC_EXPR_NONE;
    if (is_value(g, b, 0)) return integer_expr(g, 1);
    if (is_value(g, b, 1) || is_value(g, a, 1)) return a;
    if (!tac_expr_is_number(g, b)) return tac_graph_node(g, TAC_OP_POW, a, b);
    if (tac_expr_is_number(g, a)) return number_power(g, a, b);
    tacFraction n = tac_expr_number(g, b), c;
    tacExpr e = nested_power(g, a, n), x = split_coefficient(g, a, &c);
    if (e >= 0 || g->result != TAC_OK) return e;
    if (x != a && tac_fraction_integer(n)) // (c x)^n = c^n x^n
        return tac_expr_mul(g, tac_graph_number(g, tac_fraction_power(c, n.p)),
                            tac_expr_pow(g, x, b));
    return tac_graph_node(g, TAC_OP_POW, a, b);
}

tacExpr tac_expr_sqrt(tacGraph* g, tacExpr a) { return tac_expr_pow(g, a, tac_fraction(g, 1, 2)); }

//---------------------------------- functions ------------------------------------

static int is_odd(tacOp op) {
    return op == TAC_OP_SIN || op == TAC_OP_TAN || op == TAC_OP_ASIN || op == TAC_OP_ATAN ||
           op == TAC_OP_SINH || op == TAC_OP_TANH || op == TAC_OP_SIGN;
}
static int is_even(tacOp op) { return op == TAC_OP_COS || op == TAC_OP_COSH || op == TAC_OP_ABS; }

// of doubles the value; of fractions where it is an integer, which holds for 0 and 1 alone
static tacExpr number_call(tacGraph* g, tacOp op, tacExpr a) {
    tacFraction x = tac_expr_number(g, a);
    double y = tac_op_value(op, x.value, 0.0);
    if (op == TAC_OP_ABS && x.q) return tac_fraction(g, x.p < 0 ? -x.p : x.p, x.q);
    if (!isfinite(y))
        return tac_graph_fail(g, TAC_ERROR_VALUE, "%s(%.17g) has no finite value",
                              tac_op_name(op, TAC_NOTATION_TEXT), x.value);
    int whole = y == floor(y) && (x.p == 0 || x.p == x.q || op == TAC_OP_SIGN);
    if (x.q && !whole) return tac_graph_node(g, op, a, a);
    return tac_graph_number(g, (tacFraction){0, 0, y});
}

static tacExpr call_one(tacGraph* g, tacOp op, tacExpr a) {
    tacFraction c;
    if (tac_expr_is_number(g, a)) return number_call(g, op, a);
    split_coefficient(g, a, &c);
    if (c.value >= 0.0 || (!is_odd(op) && !is_even(op))) return tac_graph_node(g, op, a, a);
    // a minus sign moves outwards or cancels
    tacExpr minus = integer_expr(g, -1), e = call_one(g, op, tac_expr_mul(g, minus, a));
    return is_odd(op) ? tac_expr_mul(g, minus, e) : e;
}

tacExpr tac_expr_call(tacGraph* g, tacOp op, tacExpr a, tacExpr b) {
    int two = op == TAC_OP_ATAN2 || op == TAC_OP_MIN || op == TAC_OP_MAX;
    if (!two && (op < TAC_OP_SIN || op >= TAC_OP_COUNT))
        return tac_graph_fail(g, TAC_ERROR_VALUE, "operation %d is not a function", (int)op);
    if (!two) return tac_graph_has(g, a) ? call_one(g, op, a) : TAC_EXPR_NONE;
    if (any_none(g, a, b)) return TAC_EXPR_NONE;
    if (op != TAC_OP_ATAN2 && a == b) return a;
    if (!tac_expr_is_number(g, a) || !tac_expr_is_number(g, b))
        return op == TAC_OP_ATAN2 ? tac_graph_node(g, op, a, b) : ordered_node(g, op, a, b);
    tacFraction x = tac_expr_number(g, a), y = tac_expr_number(g, b);
    if (op != TAC_OP_ATAN2) return (x.value < y.value) == (op == TAC_OP_MIN) ? a : b;
    if (x.q && y.q) return x.p == 0 && y.p > 0 ? a : tac_graph_node(g, op, a, b);
    return tac_graph_number(g, (tacFraction){0, 0, atan2(x.value, y.value)});
}
