// Kane's and Lagrange's equations of mechanisms are SymPy's, and agree with each other.

#include "symbolic/mechanisms.h"

#include <signal.h>
#include <stdlib.h>

enum { POINTS = 20 };

//---------------------------------- numbers --------------------------------------

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

//---------------------------------- SymPy ----------------------------------------

static FILE* sympy; // what is written here is compared

static int have_sympy(void) {
    return system("/usr/bin/python3 -c 'import sympy' >/dev/null 2>&1") == 0;
}

static void write_numbers(const double* x, int n) {
    fprintf(sympy, "|");
    for (int i = 0; i < n; ++i) fprintf(sympy, " %a", x[i]);
}

// coordinates and speeds come first; masses and lengths are positive
static int write_points(mechanism* k, const char* name, testRandom* random) {
    double x[MOST_INPUTS], out[MOST_OUTPUTS];
    for (int i = 0; i < POINTS; ++i) {
        for (int j = 0; j < k->inputs; ++j)
            x[j] = j < k->f->nq + k->f->nu ? test_uniform(random, -1.3, 1.3)
                                           : test_uniform(random, 0.5, 2.0);
        ENSURE_LAW(evaluate_exprs(k->in, x, k->inputs, k->out, k->outputs, out));
        fprintf(sympy, "mechanism %s ", name);
        write_numbers(x, k->inputs);
        write_numbers(out, k->outputs);
        fprintf(sympy, "\n");
    }
    return 0;
}

static int build(mechanism* k, int which, const char** name) {
    static const char* const names[] = {
        "pendulum", "spinning_top",      "rolling_disc", "disc_with_constraints",
        "four_bar", "four_bar_lagrange", "free_body",    "arm_with_disc"};
    *name = names[which];
    return which == 0   ? pendulum(k)
           : which == 1 ? spinning_top(k)
           : which < 4  ? rolling_disc(k, which == 3)
           : which < 6  ? four_bar(k, which == 5)
           : which == 6 ? free_body(k)
                        : arm_with_disc(k);
}

static int mechanisms_have_sympys_equations(void) {
    if (!have_sympy()) SKIP("no SymPy (python3-sympy)");
    static const int links[] = {1, 2, 3, 5, 10};
    const char *sweep = getenv("TACTUS_SWEEP"), *name;
    int count = getenv("TACTUS_NO_SWEEP") ? 2 : sweep && strcmp(sweep, "long") == 0 ? 5 : 3;
    testRandom random = {17};
    mechanism k;
    signal(SIGPIPE, SIG_IGN); // where SymPy stops early, its end says so
    sympy = popen("/usr/bin/python3 -B " TAC_SOURCE_DIR "/test/symbolic/against_sympy.py", "w");
    ENSURE(sympy);
    for (int i = 0; i < 8; ++i) {
        ENSURE_LAW(build(&k, i, &name));
        ENSURE_LAW(write_points(&k, name, &random));
        close_mechanism(&k);
    }
    for (int i = 0; i < count; ++i) {
        char cart[20];
        snprintf(cart, sizeof cart, "cart_%d", links[i]);
        ENSURE_LAW(pendulum_on_cart(&k, links[i]));
        ENSURE_LAW(write_points(&k, cart, &random));
        close_mechanism(&k);
    }
    ENSURE(pclose(sympy) == 0);
    return 0;
}

TEST_MAIN(RUN(mechanisms_have_sympys_equations))
