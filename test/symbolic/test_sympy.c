// Formulas, their derivatives and equations of motion are SymPy's. SymPy reads our own text.

#include "symbolic/random_formula.h"

#include <signal.h>
#include <stdlib.h>

enum { MOST = 48, POINTS = 20 };

static FILE* sympy; // what is written here is compared

static int have_sympy(void) {
    return system("/usr/bin/python3 -c 'import sympy' >/dev/null 2>&1") == 0;
}

static int open_sympy(void) {
    signal(SIGPIPE, SIG_IGN); // where SymPy stops early, end() says so
    fflush(stdout);
    sympy = popen("/usr/bin/python3 -B " TAC_SOURCE_DIR "/test/symbolic/against_sympy.py", "w");
    return sympy != NULL;
}

static int close_sympy(void) { return pclose(sympy) == 0; }

static void write_numbers(const double* x, int n) {
    fprintf(sympy, "|");
    for (int i = 0; i < n; ++i) fprintf(sympy, " %a", x[i]);
}

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

//---------------------------------- formulas -------------------------------------

static int write_formula(unsigned long long seed) {
    char text[4000];
    double out[1 + SYMBOLS];
    ENSURE(open_graph());
    formulaSource from = new_formula_source(seed);
    formula f = random_expr(&from, 2 + (int)(seed % 3));
    tacExpr e[1 + SYMBOLS] = {f.e};
    ENSURE(tac_expr_gradient(g, f.e, from.x, SYMBOLS, e + 1) == TAC_OK);
    ENSURE_LAW(evaluate_exprs(from.x, from.at, SYMBOLS, e, 1 + SYMBOLS, out));
    ENSURE(tac_expr_print(g, f.e, TAC_NOTATION_TEXT, text, sizeof text) == TAC_OK);
    fprintf(sympy, "formula %s", text);
    write_numbers(from.at, SYMBOLS);
    write_numbers(out, 1 + SYMBOLS);
    fprintf(sympy, "\n");
    tac_graph_destroy(g);
    return 0;
}

static int formulas_and_gradients_are_sympys(void) {
    if (!have_sympy()) SKIP("no SymPy (python3-sympy)");
    ENSURE(open_sympy());
    for (int i = 0; i < 40; ++i) ENSURE_LAW(write_formula(1000ull + (unsigned long long)i));
    ENSURE(close_sympy());
    return 0;
}

//---------------------------------- mechanics ------------------------------------

// symbols in the order that SymPy is given their numbers
typedef struct mechanism {
    tacExpr x[MOST], T, V;
    int n, count; // coordinates, all symbols
} mechanism;

static tacExpr numbered_symbol(char letter, int k) {
    char name[16];
    snprintf(name, sizeof name, "%c%d", letter, k);
    return expr_symbol(name);
}

// a cart on the x axis, and links that end in point masses
static mechanism pendulum_chain(int links) {
    mechanism out = {.n = links + 1, .T = expr_int(0), .V = expr_int(0)};
    int n = out.n;
    tacExpr *q = out.x, *v = q + n, *m = v + n, *l = m + n, place[2] = {0, expr_int(0)}, speed[2];
    for (int k = 0; k < n; ++k) {
        q[k] = numbered_symbol('q', k);
        v[k] = numbered_symbol('v', k);
        m[k] = numbered_symbol('m', k);
    }
    for (int k = 0; k < links; ++k) l[k] = numbered_symbol('l', k);
    tacExpr gravity = l[links] = expr_symbol("g");
    place[0] = q[0];
    for (int k = 0; k < n; ++k) {
        if (k > 0) {
            place[0] = expr_sub(place[0], expr_mul(l[k - 1], expr_call(TAC_OP_SIN, q[k])));
            place[1] = expr_add(place[1], expr_mul(l[k - 1], expr_call(TAC_OP_COS, q[k])));
        }
        tac_expr_jvp(g, place, 2, q, v, n, speed);
        tacExpr square = expr_add(expr_pow(speed[0], 2), expr_pow(speed[1], 2));
        out.T = expr_add(out.T, expr_mul(tac_fraction(g, 1, 2), expr_mul(m[k], square)));
        out.V = expr_add(out.V, expr_mul(gravity, expr_mul(m[k], place[1])));
    }
    out.count = 4 * n;
    return out;
}

// T = A (a'^2 sin^2 b + b'^2)/2 + C (c' + a' cos b)^2/2, V = m g l cos b
static mechanism heavy_top(void) {
    static const char* const names[] = {"q0", "q1", "q2", "v0", "v1", "v2",
                                        "A",  "C",  "m",  "l",  "g"};
    mechanism out = {.n = 3, .count = 11};
    tacExpr* x = out.x;
    for (int k = 0; k < 11; ++k) x[k] = expr_symbol(names[k]);
    tacExpr sine = expr_call(TAC_OP_SIN, x[1]), cosine = expr_call(TAC_OP_COS, x[1]);
    tacExpr tilt = expr_add(expr_mul(expr_pow(x[3], 2), expr_pow(sine, 2)), expr_pow(x[4], 2));
    tacExpr spin = expr_pow(expr_add(x[5], expr_mul(x[3], cosine)), 2);
    out.T = expr_mul(tac_fraction(g, 1, 2), expr_add(expr_mul(x[6], tilt), expr_mul(x[7], spin)));
    out.V = expr_mul(expr_mul(x[8], x[10]), expr_mul(x[9], cosine));
    return out;
}

static int write_points(const mechanism* m, const char* head, testRandom* random) {
    int n = m->n;
    tacExpr e[MOST * MOST / 4 + MOST];
    double x[MOST], out[MOST * MOST / 4 + MOST];
    ENSURE(tac_lagrange(g, m->T, m->V, m->x, m->x + n, n, e, e + n * n) == TAC_OK);
    for (int i = 0; i < POINTS; ++i) {
        for (int k = 0; k < m->count; ++k)
            x[k] = k < 2 * n ? test_uniform(random, -2.0, 2.0) : test_uniform(random, 0.5, 2.0);
        ENSURE_LAW(evaluate_exprs(m->x, x, m->count, e, n * n + n, out));
        fprintf(sympy, "%s", head);
        write_numbers(x, m->count);
        write_numbers(out, n * n + n);
        fprintf(sympy, "\n");
    }
    tac_graph_destroy(g);
    return 0;
}

static int equations_of_motion_are_sympys(void) {
    if (!have_sympy()) SKIP("no SymPy (python3-sympy)");
    static const int links[] = {1, 2, 3, 5, 10};
    testRandom random = {11};
    const char* sweep = getenv("TACTUS_SWEEP");
    int count = getenv("TACTUS_NO_SWEEP") ? 2 : sweep && strcmp(sweep, "long") == 0 ? 5 : 4;
    ENSURE(open_sympy());
    for (int i = 0; i < count; ++i) {
        char head[20];
        snprintf(head, sizeof head, "chain %d ", links[i]);
        ENSURE(open_graph());
        mechanism m = pendulum_chain(links[i]);
        ENSURE_LAW(write_points(&m, head, &random));
    }
    ENSURE(open_graph());
    mechanism m = heavy_top();
    ENSURE_LAW(write_points(&m, "top ", &random));
    ENSURE(close_sympy());
    return 0;
}

TEST_MAIN(RUN(formulas_and_gradients_are_sympys), RUN(equations_of_motion_are_sympys))
