// Expressions: sharing, simplification, derivatives two ways, substitution, limits.

#include "mesh/failing_allocator.h"
#include "symbolic/random_formula.h"

#include <stdlib.h>

//---------------------------------- helpers --------------------------------------

static int evaluate_exprs(const tacExpr* x, const double* at, int n, const tacExpr* e, int count,
                          double* out) {
    tacProgram* program;
    ENSURE(tac_program_create(g, x, n, e, count, &program) == TAC_OK);
    void* work = malloc(tac_program_size(program));
    tacResult result = tac_program_run(program, at, 1, out, work);
    free(work);
    tac_program_destroy(program);
    ENSURE(result == TAC_OK);
    return 0;
}

static int prints(tacExpr e, const char* text) {
    char out[400];
    ENSURE(tac_expr_print(g, e, TAC_NOTATION_TEXT, out, sizeof out) == TAC_OK);
    if (strcmp(out, text) != 0) printf("    %s instead of %s\n", out, text);
    ENSURE(strcmp(out, text) == 0);
    return 0;
}

static int count_points(void) { return getenv("TACTUS_NO_SWEEP") ? 300 : 3000; }

//---------------------------------- simplification -------------------------------

static int equal_formulas_are_one_node(void) {
    ENSURE(open_graph());
    tacExpr x = expr_symbol("x"), y = expr_symbol("y"), zero = expr_int(0), one = expr_int(1);
    tacExpr s = expr_call(TAC_OP_SIN, x), c = expr_call(TAC_OP_COS, x);
    ENSURE(x == expr_symbol("x") && expr_add(x, y) == expr_add(y, x) &&
           expr_mul(x, y) == expr_mul(y, x));
    ENSURE(expr_add(x, zero) == x && expr_mul(x, one) == x && expr_mul(x, zero) == zero &&
           expr_sub(x, x) == zero);
    ENSURE(expr_add(x, x) == expr_mul(expr_int(2), x) && expr_mul(x, x) == expr_pow(x, 2) &&
           expr_div(x, x) == one);
    ENSURE(expr_add(expr_mul(expr_int(2), x), expr_mul(expr_int(3), x)) ==
           expr_mul(expr_int(5), x));
    ENSURE(expr_sub(expr_add(x, y), x) == y && expr_div(expr_mul(x, y), x) == y);
    ENSURE(expr_add(expr_add(expr_int(1), x), expr_add(expr_int(2), y)) ==
           expr_add(expr_int(3), expr_add(x, y)));
    ENSURE(expr_add(expr_pow(s, 2), expr_pow(c, 2)) == one);
    ENSURE(expr_add(expr_mul(expr_mul(expr_int(3), y), expr_pow(s, 2)),
                    expr_mul(expr_mul(expr_int(3), y), expr_pow(c, 2))) ==
           expr_mul(expr_int(3), y));
    ENSURE(expr_call(TAC_OP_SIN, expr_mul(expr_int(-2), x)) ==
           expr_mul(expr_int(-1), expr_call(TAC_OP_SIN, expr_mul(expr_int(2), x))));
    ENSURE(expr_call(TAC_OP_COS, expr_sub(zero, x)) == c);
    ENSURE(tac_fraction(g, 2, -4) == tac_number(g, -0.5));
    ENSURE(expr_add(tac_fraction(g, 1, 3), tac_fraction(g, 1, 6)) == tac_fraction(g, 1, 2));
    ENSURE(tac_expr_sqrt(g, tac_fraction(g, 4, 9)) == tac_fraction(g, 2, 3));
    ENSURE(expr_pow(tac_expr_sqrt(g, x), 2) == x &&
           tac_expr_sqrt(g, expr_pow(x, 2)) == expr_call(TAC_OP_ABS, x));
    ENSURE(tac_graph_result(g, NULL) == TAC_OK);
    tac_graph_destroy(g);
    return 0;
}

static int printing_follows_precedence(void) {
    ENSURE(open_graph());
    tacExpr x = expr_symbol("x"), y = expr_symbol("y"), z = expr_symbol("z");
    ENSURE_LAW(prints(expr_sub(x, expr_mul(expr_int(2), expr_add(y, z))), "x - 2*(y + z)"));
    ENSURE_LAW(prints(expr_div(x, expr_mul(y, z)), "x/(y*z)"));
    ENSURE_LAW(prints(expr_pow(expr_add(x, y), 3), "(x + y)**3"));
    ENSURE_LAW(prints(expr_pow(expr_pow(x, -2), 1), "1/x**2"));
    ENSURE_LAW(prints(tac_expr_pow(g, expr_pow(x, 2), tac_fraction(g, 1, 3)), "(x**2)**(1/3)"));
    ENSURE_LAW(prints(expr_sub(expr_int(0), x), "-x"));
    ENSURE_LAW(prints(expr_mul(tac_fraction(g, -1, 2), expr_mul(x, y)), "-1/2*x*y"));
    ENSURE_LAW(prints(expr_mul(z, expr_sub(expr_int(1), x)), "z*(1 - x)"));
    ENSURE_LAW(prints(tac_expr_call(g, TAC_OP_ATAN2, x, y), "atan2(x, y)"));
    char text[200];
    tacExpr e = expr_div(expr_call(TAC_OP_SIN, expr_symbol("theta1")),
                         tac_expr_sqrt(g, expr_symbol("m_arm")));
    ENSURE(tac_expr_print(g, e, TAC_NOTATION_LATEX, text, sizeof text) == TAC_OK);
    ENSURE(strcmp(text, "\\frac{\\sin\\left(\\theta_{1}\\right)}{\\sqrt{m_{arm}}}") == 0);
    ENSURE(tac_expr_print(g, e, TAC_NOTATION_C, text, sizeof text) == TAC_OK);
    ENSURE(strcmp(text, "sin(theta1)*(1.0/sqrt(m_arm))") == 0);
    ENSURE(tac_expr_print(g, e, TAC_NOTATION_C, text, 10) == TAC_ERROR_LIMIT);
    tac_graph_destroy(g);
    return 0;
}

// value and slopes are those of the same formula without a graph
static int simplification_and_derivatives_keep_the_value(void) {
    double worst = 0.0, worst_slope = 0.0;
    int points = count_points();
    for (int i = 0; i < points; ++i) {
        ENSURE(open_graph());
        formulaSource from = new_formula_source((unsigned long long)i);
        formula f = random_expr(&from, 2 + i % 5);
        tacExpr e[1 + 2 * SYMBOLS] = {f.e};
        double out[1 + 2 * SYMBOLS];
        ENSURE(tac_expr_gradient(g, f.e, from.x, SYMBOLS, e + 1) == TAC_OK);
        for (int k = 0; k < SYMBOLS; ++k)
            e[1 + SYMBOLS + k] = tac_expr_derivative(g, f.e, from.x[k]);
        ENSURE_LAW(evaluate_exprs(from.x, from.at, SYMBOLS, e, 1 + 2 * SYMBOLS, out));
        double scale = 1.0 + fabs(out[0]);
        worst = fmax(worst, fabs(out[0] - creal(f.value[0])) / scale);
        for (int k = 0; k < SYMBOLS; ++k) {
            double slope = cimag(f.value[k]) / TINY, size = scale + fabs(slope);
            worst_slope = fmax(worst_slope, fabs(out[1 + k] - slope) / size);
            worst_slope = fmax(worst_slope, fabs(out[1 + SYMBOLS + k] - slope) / size);
        }
        tac_graph_destroy(g);
    }
    printf("    %d formulas: values %.1e, slopes forward and reverse %.1e\n", points, worst,
           worst_slope);
    ENSURE(worst < 1e-12 && worst_slope < 1e-10);
    return 0;
}

// every function's own derivative against the difference of values in long double steps
static int each_function_has_its_derivative(void) {
    ENSURE(open_graph());
    tacExpr x = expr_symbol("x"), y = expr_symbol("y"), at[] = {x, y};
    const double points[][2] = {{0.3, 0.8}, {-0.7, 0.2}, {0.9, -0.5}, {0.05, -0.95}};
    for (int op = TAC_OP_POW; op < TAC_OP_COUNT; ++op) {
        tacExpr e = op == TAC_OP_POW ? tac_expr_pow(g, x, y) : tac_expr_call(g, (tacOp)op, x, y);
        tacExpr all[] = {e, tac_expr_derivative(g, e, x), tac_expr_derivative(g, e, y)};
        for (int i = 0; i < 4; ++i) {
            double p[2] = {points[i][0], points[i][1]}, out[3], up[3], down[3];
            if (op == TAC_OP_POW || op == TAC_OP_LOG) p[0] = fabs(p[0]);
            ENSURE_LAW(evaluate_exprs(at, p, 2, all, 3, out));
            for (int k = 0; k < 2; ++k) {
                const double h = 1e-5, centre = p[k];
                p[k] = centre + h;
                ENSURE_LAW(evaluate_exprs(at, p, 2, all, 3, up));
                p[k] = centre - h;
                ENSURE_LAW(evaluate_exprs(at, p, 2, all, 3, down));
                p[k] = centre;
                ENSURE_NEAR(out[1 + k], (up[0] - down[0]) / (2.0 * h),
                            1e-6 * (1.0 + fabs(out[1 + k])));
            }
        }
    }
    tac_graph_destroy(g);
    return 0;
}

// Hessian: forward over reverse = derivative of the derivative; Jacobian both ways
static int second_derivatives_agree(void) {
    double worst = 0.0;
    for (int i = 0; i < count_points() / 10; ++i) {
        ENSURE(open_graph());
        formulaSource from = new_formula_source(77777ull + (unsigned long long)i);
        formula f = random_expr(&from, 3 + i % 3);
        enum { N = SYMBOLS * SYMBOLS };
        tacExpr e[2 * N + 2 * SYMBOLS],
            pair[4] = {f.e, expr_mul(f.e, from.x[0]), from.x[1], expr_int(2)};
        double out[2 * N + 2 * SYMBOLS];
        ENSURE(tac_expr_hessian(g, f.e, from.x, SYMBOLS, e) == TAC_OK);
        for (int k = 0; k < N; ++k)
            e[N + k] = tac_expr_derivative(g, tac_expr_derivative(g, f.e, from.x[k / SYMBOLS]),
                                           from.x[k % SYMBOLS]);
        tacExpr J[4 * SYMBOLS];
        ENSURE(tac_expr_jacobian(g, pair, 4, from.x, SYMBOLS, J) == TAC_OK); // by columns
        ENSURE(tac_expr_jacobian(g, pair + 1, 1, from.x, SYMBOLS, e + 2 * N) == TAC_OK); // by rows
        for (int k = 0; k < SYMBOLS; ++k) e[2 * N + SYMBOLS + k] = J[SYMBOLS + k];
        ENSURE_LAW(evaluate_exprs(from.x, from.at, SYMBOLS, e, 2 * N + 2 * SYMBOLS, out));
        for (int k = 0; k < N; ++k)
            worst = fmax(worst, fabs(out[k] - out[N + k]) / (1.0 + fabs(out[N + k])));
        for (int k = 0; k < SYMBOLS; ++k) {
            double a = out[2 * N + k], b = out[2 * N + SYMBOLS + k];
            worst = fmax(worst, fabs(a - b) / (1.0 + fabs(a)));
        }
        tac_graph_destroy(g);
    }
    printf("    Hessians and Jacobians two ways: %.1e\n", worst);
    ENSURE(worst < 1e-9);
    return 0;
}

//---------------------------------- substitution ---------------------------------

static int substitution_is_simultaneous(void) {
    ENSURE(open_graph());
    tacExpr x = expr_symbol("x"), y = expr_symbol("y"), from[] = {x, y}, to[] = {y, x}, out;
    tacExpr e = expr_add(expr_call(TAC_OP_SIN, x), expr_mul(expr_int(2), expr_pow(y, 3)));
    ENSURE(tac_expr_substitute(g, &e, 1, from, to, 2, &out) == TAC_OK);
    ENSURE(out == expr_add(expr_call(TAC_OP_SIN, y), expr_mul(expr_int(2), expr_pow(x, 3))));
    ENSURE(tac_expr_depends(g, e, &x, 1) == 1 &&
           tac_expr_depends(g, expr_call(TAC_OP_SIN, y), &x, 1) == 0);
    tac_graph_destroy(g);
    return 0;
}

static int linear_expressions_come_apart(void) {
    ENSURE(open_graph());
    tacExpr x = expr_symbol("x"), y = expr_symbol("y"), z = expr_symbol("z"), at[] = {x, y}, A[4],
            b[2];
    tacExpr e[] = {
        expr_add(expr_mul(expr_call(TAC_OP_SIN, z), expr_add(x, y)), expr_mul(expr_int(3), z)),
        expr_sub(y, expr_int(1))};
    ENSURE(tac_expr_linear(g, e, 2, at, 2, A, b) == TAC_OK);
    ENSURE(A[0] == expr_call(TAC_OP_SIN, z) && A[1] == A[0] && A[2] == expr_int(0) &&
           A[3] == expr_int(1));
    ENSURE(b[0] == expr_mul(expr_int(3), z) && b[1] == expr_int(-1));
    tacMessage message;
    e[1] = expr_mul(x, y);
    ENSURE(tac_expr_linear(g, e, 2, at, 2, A, b) == TAC_ERROR_VALUE);
    ENSURE(tac_graph_result(g, &message) == TAC_ERROR_VALUE);
    ENSURE(strstr(message.text, "linear in x"));
    tac_graph_destroy(g);
    return 0;
}

//---------------------------------- expansion ------------------------------------

static int expanded(tacExpr e, tacExpr as) {
    tacExpr out[2], both[2] = {e, as};
    ENSURE(tac_expr_expand(g, both, 2, 100000, out) == TAC_OK);
    ENSURE(out[0] == out[1]);
    return 0;
}

static int equal_polynomials_expand_alike(void) {
    ENSURE(open_graph());
    tacExpr x = expr_symbol("x"), y = expr_symbol("y"), out;
    tacExpr s = expr_call(TAC_OP_SIN, x), c = expr_call(TAC_OP_COS, x), sum = expr_add(x, y),
            less = expr_sub(x, y);
    ENSURE_LAW(expanded(expr_mul(sum, less), expr_sub(expr_pow(x, 2), expr_pow(y, 2))));
    ENSURE_LAW(expanded(expr_sub(expr_pow(sum, 3), expr_mul(expr_pow(sum, 2), sum)), expr_int(0)));
    ENSURE_LAW(expanded(expr_add(expr_mul(expr_pow(expr_add(s, c), 2), y),
                                 expr_mul(expr_pow(expr_sub(s, c), 2), y)),
                        expr_mul(expr_int(2), y)));
    ENSURE_LAW(expanded(expr_sub(expr_pow(s, 4), expr_pow(c, 4)),
                        expr_sub(expr_int(1), expr_mul(expr_int(2), expr_pow(c, 2)))));
    ENSURE_LAW(expanded(expr_div(expr_mul(x, sum), x), sum));
    ENSURE_LAW(expanded(expr_call(TAC_OP_EXP, expr_mul(sum, less)),
                        expr_call(TAC_OP_EXP, expr_sub(expr_pow(x, 2), expr_pow(y, 2)))));
    // 0.2 times 0.4 is not the double 0.08
    tacExpr fifth = tac_number(g, 0.2),
            product = expr_mul(fifth, expr_mul(x, expr_add(y, tac_number(g, 0.4))));
    tacExpr parts = expr_add(expr_mul(fifth, expr_mul(x, y)), expr_mul(tac_number(g, 0.08), x));
    ENSURE_LAW(expanded(expr_sub(product, parts), expr_int(0)));
    // what does not cancel stays, however small beside its parts
    const double near = 0.3 * (1.0 - 1e-13);
    tacExpr left = expr_sub(expr_mul(tac_number(g, 0.3), expr_mul(x, expr_add(y, expr_int(1)))),
                            expr_mul(tac_number(g, near), expr_mul(x, y)));
    ENSURE_LAW(expanded(left, expr_add(expr_mul(tac_number(g, 0.3 - near), expr_mul(x, y)),
                                       expr_mul(tac_number(g, 0.3), x))));
    tacExpr hidden =
        expr_sub(expr_mul(y, expr_add(x, expr_int(1))), expr_add(expr_mul(x, y), y)); // 0
    ENSURE_LAW(expanded(hidden, expr_int(0)));
    ENSURE_LAW(expanded(tac_expr_pow(g, sum, hidden), expr_int(1)));
    tacExpr over = expr_pow(hidden, -1);
    ENSURE(tac_expr_expand(g, &over, 1, 1000, &out) == TAC_ERROR_VALUE);
    ENSURE(tac_graph_result(g, NULL) == TAC_ERROR_VALUE);
    tacExpr large = expr_pow(expr_add(expr_add(x, y), expr_add(s, c)), 40);
    ENSURE(tac_expr_expand(g, &large, 1, 1000, &out) == TAC_ERROR_LIMIT);
    ENSURE(tac_graph_result(g, NULL) == TAC_ERROR_LIMIT);
    tac_graph_destroy(g);
    return 0;
}

static int expansion_keeps_the_value(void) {
    double worst = 0.0;
    int points = count_points() / 3, small = 0;
    for (int i = 0; i < points; ++i) {
        ENSURE(open_graph());
        formulaSource from = new_formula_source(31ull + (unsigned long long)i);
        formula f = random_expr(&from, 2 + i % 3);
        tacExpr e;
        double out;
        tacResult result = tac_expr_expand(g, &f.e, 1, 20000, &e);
        if (result == TAC_OK) {
            ENSURE_LAW(evaluate_exprs(from.x, from.at, SYMBOLS, &e, 1, &out));
            worst = fmax(worst, fabs(out - creal(f.value[0])) / (1.0 + fabs(out)));
        }
        small += result == TAC_OK;
        tac_graph_destroy(g);
    }
    printf("    %d of %d formulas: %.1e\n", small, points, worst);
    ENSURE(worst < 1e-10 && small > points / 2);
    return 0;
}

//---------------------------------- bad input ------------------------------------

static int fails_with(tacExpr e, const char* word) {
    tacMessage message;
    ENSURE(e == TAC_EXPR_NONE);
    ENSURE(expr_add(e, expr_int(1)) == TAC_EXPR_NONE);
    ENSURE(tac_graph_result(g, &message) == TAC_ERROR_VALUE);
    if (!strstr(message.text, word)) printf("    %s\n", message.text);
    ENSURE(strstr(message.text, word));
    ENSURE(tac_graph_result(g, NULL) == TAC_OK);
    return 0;
}

static int bad_formulas_are_refused_by_name(void) {
    ENSURE(open_graph());
    tacExpr x = expr_symbol("x"), y = expr_symbol("y"), zero = expr_int(0), out;
    ENSURE_LAW(fails_with(expr_div(x, expr_sub(x, x)), "divisor of x"));
    ENSURE_LAW(fails_with(expr_symbol("2x"), "2x"));
    ENSURE_LAW(fails_with(expr_symbol(""), "letter"));
    ENSURE_LAW(fails_with(expr_symbol(NULL), "letter"));
    ENSURE_LAW(fails_with(tac_fraction(g, 1, 0), "1/0"));
    ENSURE_LAW(fails_with(tac_number(g, INFINITY), "infinite"));
    ENSURE_LAW(fails_with(tac_number(g, NAN), "undefined"));
    ENSURE_LAW(fails_with(expr_call(TAC_OP_LOG, zero), "log(0)"));
    ENSURE_LAW(fails_with(tac_expr_sqrt(g, expr_int(-2)), "not real"));
    ENSURE_LAW(fails_with(expr_pow(zero, -1), "division by zero"));
    ENSURE_LAW(fails_with(tac_expr_call(g, TAC_OP_ADD, x, y), "not a function"));
    ENSURE_LAW(fails_with(tac_expr_derivative(g, x, expr_add(x, y)), "not a symbol"));
    tacProgram* program = NULL;
    tacExpr e = expr_mul(x, y);
    tacMessage message;
    ENSURE(tac_program_create(g, &x, 1, &e, 1, &program) == TAC_ERROR_VALUE && !program);
    ENSURE(tac_graph_result(g, &message) == TAC_ERROR_VALUE && strstr(message.text, "symbol y"));
    ENSURE(tac_expr_substitute(g, NULL, 0, NULL, NULL, 0, &out) == TAC_OK);
    tac_graph_destroy(g);
    return 0;
}

// fractions that leave 64 bits go on as doubles
static int large_fractions_stay_finite(void) {
    ENSURE(open_graph());
    double out;
    tacExpr third = tac_fraction(g, 1, 3), e = expr_int(1);
    for (int k = 0; k < 60; ++k) e = expr_mul(e, third);
    ENSURE_LAW(evaluate_exprs(NULL, NULL, 0, &e, 1, &out));
    ENSURE_NEAR(out, pow(3.0, -60.0), 1e-14 * pow(3.0, -60.0));
    e = tac_fraction(g, -9223372036854775807ll - 1, 1);
    ENSURE_LAW(evaluate_exprs(NULL, NULL, 0, &e, 1, &out));
    ENSURE(out == -9223372036854775808.0);
    tac_graph_destroy(g);
    return 0;
}

// 0.1 is 1/10; what has more digits than a decimal of 15 is a double
static int decimals_are_fractions(void) {
    ENSURE(open_graph());
    ENSURE(tac_decimal(g, 0.1) == tac_fraction(g, 1, 10));
    ENSURE(tac_decimal(g, -9.81) == tac_fraction(g, -981, 100));
    ENSURE(tac_decimal(g, 1e-12) == tac_fraction(g, 1, 1000000000000ll));
    ENSURE(tac_decimal(g, 25000.0) == expr_int(25000) && tac_decimal(g, 0.0) == expr_int(0));
    ENSURE(tac_decimal(g, 0.1 + 0.2) == tac_number(g, 0.1 + 0.2));
    ENSURE(tac_decimal(g, 1e300) == tac_number(g, 1e300));
    ENSURE(tac_decimal(g, 1.0 / 3.0) == tac_number(g, 1.0 / 3.0));
    ENSURE(tac_decimal(g, NAN) == TAC_EXPR_NONE);
    ENSURE(tac_graph_result(g, NULL) == TAC_ERROR_VALUE);
    tac_graph_destroy(g);
    return 0;
}

// a chain of two million operations is no deeper for us than one of ten
static int deep_graphs_need_no_stack(void) {
    tacGraphOptions options = tac_default_graph_options();
    options.max_bytes = 400 << 20;
    int length = getenv("TACTUS_NO_SWEEP") ? 100000 : 1000000;
    ENSURE(tac_graph_create(&options, &g) == TAC_OK);
    tacExpr x = expr_symbol("x"), e = x;
    for (int k = 0; k < length; ++k) e = expr_call(TAC_OP_SIN, expr_add(e, x));
    ENSURE(e != TAC_EXPR_NONE && tac_graph_count(g) == 2 * length + 2);
    double at = 0.5, out[2], value = at, slope = 1.0;
    tacExpr both[2] = {e, tac_expr_derivative(g, e, x)};
    ENSURE(both[1] != TAC_EXPR_NONE);
    for (int k = 0; k < length; ++k) {
        slope = cos(value + at) * (slope + 1.0);
        value = sin(value + at);
    }
    ENSURE_LAW(evaluate_exprs(&x, &at, 1, both, 2, out));
    ENSURE(out[0] == value);
    ENSURE_NEAR(out[1], slope, 1e-12);
    tac_graph_destroy(g);
    return 0;
}

static int memory_is_bounded(void) {
    tacGraphOptions options = tac_default_graph_options();
    options.max_bytes = 100000;
    ENSURE(tac_graph_create(&options, &g) == TAC_OK);
    tacMessage message;
    tacExpr x = expr_symbol("x"), e = x;
    for (int k = 0; k < 100000; ++k) e = expr_call(TAC_OP_SIN, expr_add(e, x));
    ENSURE(e == TAC_EXPR_NONE);
    ENSURE(tac_graph_result(g, &message) == TAC_ERROR_LIMIT && strstr(message.text, "max_bytes"));
    ENSURE(expr_add(x, expr_int(1)) != TAC_EXPR_NONE ||
           tac_graph_result(g, NULL) == TAC_ERROR_LIMIT);
    tac_graph_destroy(g);
    return 0;
}

// ten million expressions in a default graph; a program of them has to fit, too
static int ten_million_expressions_are_fine(void) {
    const char* sweep = getenv("TACTUS_SWEEP");
    if (!sweep || strcmp(sweep, "long") != 0) SKIP("10^7 expressions: TACTUS_SWEEP=long");
    tacMessage message;
    tacProgram* program = NULL;
    ENSURE(open_graph());
    tacExpr x = expr_symbol("x"), e = x;
    for (int k = 0; k < 5000000; ++k) e = expr_call(TAC_OP_SIN, expr_add(e, x));
    ENSURE(e != TAC_EXPR_NONE && tac_graph_count(g) > 10000000);
    tacExpr slope = tac_expr_derivative(g, e, x);
    tacResult result = tac_graph_result(g, &message);
    if (result == TAC_OK) {
        tac_program_create(g, &x, 1, &slope, 1, &program);
        result = tac_graph_result(g, &message);
    }
    ENSURE(result == TAC_OK || (result == TAC_ERROR_LIMIT && strstr(message.text, "max_bytes")));
    printf("    %d expressions: %s\n", tac_graph_count(g),
           result == TAC_OK ? "all of it" : message.text);
    tac_program_destroy(program);
    tac_graph_destroy(g);
    return 0;
}

static int programs_are_bounded_too(void) {
    tacGraphOptions options = tac_default_graph_options();
    options.max_bytes = 2 << 20;
    ENSURE(tac_graph_create(&options, &g) == TAC_OK);
    tacMessage message;
    tacProgram* program = NULL;
    tacExpr x = expr_symbol("x"), e = x;
    for (int k = 0; k < 16000; ++k) e = expr_call(TAC_OP_SIN, expr_add(e, x));
    ENSURE(e != TAC_EXPR_NONE);
    ENSURE(tac_program_create(g, &x, 1, &e, 1, &program) == TAC_ERROR_LIMIT && !program);
    ENSURE(tac_graph_result(g, &message) == TAC_ERROR_LIMIT && strstr(message.text, "max_bytes"));
    tac_graph_destroy(g);
    return 0;
}

// whichever block is refused, the answer is "out of memory" and nothing leaks
static int running_out_of_memory_is_an_answer(void) {
    for (int blocks = 0; blocks < 1000; ++blocks) {
        failingAllocator s = {blocks, 0};
        tacGraphOptions options = {failing_allocator(&s), 1 << 20};
        tacResult result = tac_graph_create(&options, &g);
        tacProgram* program = NULL;
        g = result == TAC_OK ? g : NULL;
        if (g) {
            tacExpr x = expr_symbol("x"), y = expr_symbol("y"), at[] = {x, y}, H[4], e = x;
            for (int k = 0; k < 100; ++k)
                e = expr_call(TAC_OP_SIN, expr_add(expr_mul(e, y), expr_int(k)));
            tac_expr_hessian(g, e, at, 2, H);
            tacExpr square = expr_pow(expr_add(x, y), 30);
            tac_expr_expand(g, &square, 1, 10000, &square);
            result = tac_graph_result(g, NULL);
            if (result == TAC_OK) result = tac_program_create(g, at, 2, H, 4, &program);
        }
        ENSURE((result == TAC_OK) == (program != NULL));
        tac_program_destroy(program);
        tac_graph_destroy(g);
        ENSURE(s.alive == 0);
        if (result == TAC_OK) return 0;
        ENSURE(result == TAC_ERROR_MEMORY);
    }
    ENSURE(!"enough memory at last");
    return 0;
}

TEST_MAIN(RUN(equal_formulas_are_one_node), RUN(printing_follows_precedence),
          RUN(simplification_and_derivatives_keep_the_value), RUN(each_function_has_its_derivative),
          RUN(second_derivatives_agree), RUN(substitution_is_simultaneous),
          RUN(linear_expressions_come_apart), RUN(equal_polynomials_expand_alike),
          RUN(expansion_keeps_the_value), RUN(bad_formulas_are_refused_by_name),
          RUN(large_fractions_stay_finite), RUN(deep_graphs_need_no_stack), RUN(memory_is_bounded),
          RUN(decimals_are_fractions), RUN(programs_are_bounded_too),
          RUN(ten_million_expressions_are_fine), RUN(running_out_of_memory_is_an_answer))
