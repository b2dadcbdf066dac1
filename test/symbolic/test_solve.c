// Linear systems of formulas: the solution solves them, at points that were not looked at.

#include "symbolic/random_formula.h"
#include "tactus/mechanics.h"

#include <stdlib.h>

enum { MOST = 12 };

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

// a random matrix: dense, sparse with numbers, or symmetric and positive
static void fill_random_matrix(formulaSource* from, int n, int kind, tacExpr* A) {
    for (int i = 0; i < n * n; ++i) {
        int empty = kind == 1 && test_bits(&from->random) % 3 != 0;
        A[i] = empty ? expr_int(0) : random_expr(from, 2).e;
    }
    for (int i = 0; i < n; ++i) {
        if (kind == 1) A[i * n + (i + 1) % n] = expr_int(i + 1);
        for (int j = 0; j < i && kind == 2; ++j) A[j * n + i] = A[i * n + j];
        if (kind == 2) A[i * n + i] = expr_add(expr_int(9 * n), A[i * n + i]);
    }
}

static int largest_residual(formulaSource* from, int n, const tacExpr* A, const tacExpr* B,
                            const tacExpr* X, double* worst) {
    double a[MOST * MOST], b[2 * MOST], x[2 * MOST];
    ENSURE_LAW(evaluate_exprs(from->x, from->at, SYMBOLS, A, n * n, a));
    ENSURE_LAW(evaluate_exprs(from->x, from->at, SYMBOLS, B, 2 * n, b));
    ENSURE_LAW(evaluate_exprs(from->x, from->at, SYMBOLS, X, 2 * n, x));
    for (int i = 0; i < n; ++i)
        for (int c = 0; c < 2; ++c) {
            double sum = -b[2 * i + c], size = 1.0;
            for (int j = 0; j < n; ++j) {
                sum += a[n * i + j] * x[2 * j + c];
                size += fabs(a[n * i + j] * x[2 * j + c]);
            }
            *worst = fmax(*worst, fabs(sum) / size);
        }
    return 0;
}

static int solutions_satisfy_their_systems(void) {
    double worst = 0.0;
    int solved = 0;
    for (int round = 0; round < 60; ++round) {
        int n = 1 + round % MOST, kind = round % 3;
        ENSURE(open_graph());
        formulaSource from = new_formula_source(77ull + (unsigned long long)round);
        tacExpr A[MOST * MOST], B[2 * MOST], X[2 * MOST];
        fill_random_matrix(&from, n, kind, A);
        for (int i = 0; i < 2 * n; ++i) B[i] = random_expr(&from, 1).e;
        int bad;
        tacResult result = tac_expr_solve(g, A, n, B, 2, X, &bad);
        ENSURE((result == TAC_OK) == (bad < 0));
        if (result == TAC_OK) ENSURE_LAW(largest_residual(&from, n, A, B, X, &worst));
        solved += result == TAC_OK;
        tac_graph_destroy(g);
    }
    printf("    %d of 60 systems: residual %.1e\n", solved, worst);
    ENSURE(worst < 1e-10 && solved > 50);
    return 0;
}

// a formula where the first pivot is 0 at the point that is asked for: minors do not divide by it
static int a_zero_on_the_way_does_no_harm(void) {
    ENSURE(open_graph());
    tacExpr x = expr_symbol("x"), y = expr_symbol("y"), at[] = {x, y}, out[2];
    tacExpr A[] = {expr_call(TAC_OP_SIN, x), expr_call(TAC_OP_COS, x),
                   expr_sub(expr_int(0), expr_call(TAC_OP_COS, x)), expr_call(TAC_OP_SIN, x)};
    tacExpr B[] = {y, expr_int(2)};
    double point[] = {0.0, 0.7}, value[2];
    ENSURE(tac_expr_solve(g, A, 2, B, 1, out, NULL) == TAC_OK);
    ENSURE_LAW(evaluate_exprs(at, point, 2, out, 2, value));
    ENSURE_NEAR(value[0], -2.0, 1e-15);
    ENSURE_NEAR(value[1], 0.7, 1e-15);
    tac_graph_destroy(g);
    return 0;
}

// rows whose difference is 0 only by an identity that simplification does not know
static int hidden_singular_matrices_are_reported(void) {
    ENSURE(open_graph());
    tacMessage message;
    tacExpr x = expr_symbol("x"), s = expr_call(TAC_OP_SIN, expr_mul(expr_int(2), x)), out[2],
            B[] = {x, expr_int(1)};
    tacExpr product =
        expr_mul(expr_int(2), expr_mul(expr_call(TAC_OP_SIN, x), expr_call(TAC_OP_COS, x)));
    tacExpr A[] = {s, expr_int(1), product, expr_int(1)};
    int bad;
    ENSURE(tac_expr_solve(g, A, 2, B, 1, out, &bad) == TAC_ERROR_VALUE && bad >= 0);
    ENSURE(tac_graph_result(g, &message) == TAC_ERROR_VALUE && strstr(message.text, "singular"));
    tac_graph_destroy(g);
    return 0;
}

// the last row is a mixture of two others, and elimination leaves rounding of it
static int dependent_rows_are_reported(void) {
    for (int n = 3; n <= 10; n += 7) {
        ENSURE(open_graph());
        formulaSource from = new_formula_source(5);
        tacExpr A[MOST * MOST], B[MOST], out[MOST];
        int bad;
        fill_random_matrix(&from, n, 0, A);
        for (int j = 0; j < n; ++j) {
            B[j] = from.x[0];
            A[(n - 1) * n + j] = expr_add(expr_mul(A[j], from.x[1]), expr_mul(A[n + j], from.x[2]));
        }
        ENSURE(tac_expr_solve(g, A, n, B, 1, out, &bad) == TAC_ERROR_VALUE && bad >= 0);
        tac_graph_destroy(g);
    }
    return 0;
}

TEST_MAIN(RUN(solutions_satisfy_their_systems), RUN(a_zero_on_the_way_does_no_harm),
          RUN(hidden_singular_matrices_are_reported), RUN(dependent_rows_are_reported))
