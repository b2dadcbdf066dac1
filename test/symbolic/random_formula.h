// Random formulas, each with what it is worth and its slopes, computed beside it without the graph:
// plain arithmetic on complex numbers, whose imaginary part is the derivative.

#ifndef TACTUS_TEST_RANDOM_FORMULA_H
#define TACTUS_TEST_RANDOM_FORMULA_H

#include "symbolic/shorthand.h"
#include "test.h"

#include <complex.h>

enum { SYMBOLS = 3 };
#define TINY 1e-100

typedef struct formula {
    tacExpr e;
    double complex value[SYMBOLS]; // at x + i TINY in one symbol each
} formula;

typedef struct formulaSource {
    tacExpr x[SYMBOLS];
    double at[SYMBOLS];
    testRandom random;
} formulaSource;

static inline double complex complex_of(double re, double im) { return re + im * _Complex_I; }

static inline double complex shadow_sigmoid(double complex z) { return 1.0 / (1.0 + cexp(-z)); }

// by the definition of each function, not by the engine's
static inline double complex shadow(tacOp op, double complex z) {
    double s = creal(z) > 0 ? 1.0 : creal(z) < 0 ? -1.0 : 0.0;
    switch (op) {
    case TAC_OP_SIN:
        return csin(z);
    case TAC_OP_COS:
        return ccos(z);
    case TAC_OP_TAN:
        return csin(z) / ccos(z);
    case TAC_OP_ASIN:
        return complex_of(asin(creal(z)), cimag(z) / sqrt(1.0 - creal(z) * creal(z)));
    case TAC_OP_ACOS:
        return complex_of(acos(creal(z)), -cimag(z) / sqrt(1.0 - creal(z) * creal(z)));
    case TAC_OP_ATAN:
        return complex_of(atan(creal(z)), cimag(z) / (1.0 + creal(z) * creal(z)));
    case TAC_OP_EXP:
        return cexp(z);
    case TAC_OP_LOG:
        return clog(z);
    case TAC_OP_SINH:
        return csinh(z);
    case TAC_OP_COSH:
        return ccosh(z);
    case TAC_OP_TANH:
        return csinh(z) / ccosh(z);
    case TAC_OP_ABS:
        return s * z;
    case TAC_OP_SIGN:
        return s;
    case TAC_OP_SIGMOID:
        return shadow_sigmoid(z);
    default:
        return clog(1.0 + cexp(z));
    }
}

// keeps arguments where the function has a value: inside (-1, 1), or above 0
static inline formula tame(formula f, int positive) {
    tacExpr square = expr_pow(f.e, 2);
    f.e = positive ? expr_add(expr_int(1), square)
                   : expr_div(f.e, tac_expr_sqrt(g, expr_add(expr_int(2), square)));
    for (int k = 0; k < SYMBOLS; ++k) {
        double complex z = f.value[k];
        f.value[k] = positive ? 1.0 + z * z : z / csqrt(2.0 + z * z);
    }
    return f;
}

static inline formula formula_call(formula f, tacOp op) {
    int positive = op == TAC_OP_LOG;
    f = tame(f, positive);
    f.e = expr_call(op, f.e);
    for (int k = 0; k < SYMBOLS; ++k) f.value[k] = shadow(op, f.value[k]);
    return f;
}

static inline formula formula_two(formula a, formula b, int choice) {
    formula out = a;
    if (choice == 4) b = tame(b, 1);
    for (int k = 0; k < SYMBOLS; ++k) {
        double complex x = a.value[k], y = b.value[k];
        int less = creal(x) < creal(y);
        out.value[k] = choice == 0   ? x + y
                       : choice == 1 ? x * y
                       : choice == 2 ? x - y
                       : choice == 3 ? (less ? x : y)
                                     : x / y;
    }
    out.e = choice == 0   ? expr_add(a.e, b.e)
            : choice == 1 ? expr_mul(a.e, b.e)
            : choice == 2 ? expr_sub(a.e, b.e)
            : choice == 3 ? tac_expr_call(g, TAC_OP_MIN, a.e, b.e)
                          : expr_div(a.e, b.e);
    return out;
}

// a symbol or a small number
static inline formula random_leaf(formulaSource* from) {
    formula f;
    int pick = (int)(test_bits(&from->random) % 5);
    int n = (int)(test_bits(&from->random) % 7) - 3, d = 1 + (int)(test_bits(&from->random) % 3);
    f.e = pick < SYMBOLS ? from->x[pick] : tac_fraction(g, n, d);
    for (int k = 0; k < SYMBOLS; ++k)
        f.value[k] = pick < SYMBOLS ? complex_of(from->at[pick], k == pick ? TINY : 0.0)
                                    : (double)n / (double)d;
    return f;
}

static inline formula random_expr(formulaSource* from, int depth) {
    if (depth == 0) return random_leaf(from);
    formula a = random_expr(from, depth - 1);
    int pick = (int)(test_bits(&from->random) % 12);
    if (pick >= 8)
        return formula_call(
            a, (tacOp)(TAC_OP_SIN + (int)(test_bits(&from->random) % (TAC_OP_COUNT - TAC_OP_SIN))));
    formula b = pick == 7 ? a : random_expr(from, depth - 1); // like parts are joined
    return formula_two(a, b, pick == 7 ? (int)(test_bits(&from->random) % 3) : pick % 5);
}

static inline formulaSource new_formula_source(unsigned long long seed) {
    formulaSource out = {.random = {seed * 0x9e3779b97f4a7c15ull + 1}};
    const char* const names[] = {"x", "y", "z"};
    for (int k = 0; k < SYMBOLS; ++k) {
        out.x[k] = expr_symbol(names[k]);
        out.at[k] = test_uniform(&out.random, -1.5, 1.5);
    }
    return out;
}

#endif
