// The derivative of the frictional problem: of its classes by the one check, and of the solver
// itself by differences.

#include "respond/adapter_lcp.h"
#include "respond/lcp_problem.h"

#include "check/prove.h"

//---------------------------------- given classes ----------------------------------

// a problem as bodies give it, made well conditioned, and any classes
static int sample(const void* map, int i, unsigned long long* random, double* x, double* scale) {
    lcpMap* m = (lcpMap*)(size_t)map;
    int rows = m->contacts * (1 + m->tangents), count = rows * rows + rows + m->contacts;
    double B[MAP_ROWS * MAP_ROWS];
    for (int k = 0; k < rows * rows; ++k) B[k] = tac_check_normal(random);
    for (int k = 0; k < rows * rows; ++k) {
        x[k] = k / rows == k % rows ? 1.0 : 0.0;
        for (int j = 0; j < rows; ++j)
            x[k] += B[k / rows * rows + j] * B[k % rows * rows + j] / rows;
    }
    for (int k = rows * rows; k < count; ++k) x[k] = tac_check_uniform(random, -1.0, 1.0);
    for (int k = count - m->contacts; k < count; ++k) x[k] = 0.3 + 0.2 * x[k];
    for (int k = 0; k < rows; ++k) {
        int normal = k % (1 + m->tangents) == 0;
        m->active_set[k] = (unsigned char)(normal ? (i + k) % 4 != 0 : (7 * i + 3 * k) / 2 % 4);
    }
    for (int k = 0; k < count; ++k) scale[k] = 1.0;
    return rows;
}

static int given_active_sets_have_exact_derivatives(void) {
    for (int contacts = 1; contacts <= MAP_CONTACTS; ++contacts) {
        for (int tangents = 0; tangents <= 2; ++tangents) {
            int rows = contacts * (1 + tangents);
            lcpMap map = {contacts, tangents, {0}};
            tacCheckProblem problem = {.name = "lcp",
                                       .n = rows * rows + rows + contacts,
                                       .m = rows,
                                       .context = &map,
                                       .as_double = &tac_check_lcp_double,
                                       .as_complex = &tac_check_lcp_complex,
                                       .as_quad = &tac_check_lcp_quad,
                                       .sample = sample};
            tacCheckOptions options = tac_check_default_options();
            options.points = 20;
            ENSURE_LAW(prove(&problem, options));
        }
    }
    return prove_summary();
}

//---------------------------------- the solver ----------------------------------

// f of a problem with A, b, mu moved along a direction by h
typedef struct problemMotion {
    double A[LCP_ROWS * LCP_ROWS], b[LCP_ROWS], mu[LCP_CONTACTS];
} problemMotion;

static tacResult solve_moved(const lcpProblem* p, const problemMotion* d, double h, double* f,
                             unsigned char* active_set, tacLcpReport* report) {
    static problemMotion at;
    for (int i = 0; i < p->rows * p->rows; ++i) at.A[i] = p->A[i] + h * d->A[i];
    for (int i = 0; i < p->rows; ++i) at.b[i] = p->b[i] + h * d->b[i];
    for (int i = 0; i < p->contacts; ++i) at.mu[i] = p->mu[i] + h * d->mu[i];
    tacLcp lcp = {p->contacts, p->tangents, at.A, at.b, at.mu};
    void* memory = malloc(tac_lcp_size(p->contacts, p->tangents));
    tacResult result = tac_lcp_solve(&lcp, 1, f, active_set, report, memory);
    free(memory);
    return result;
}

// the same classes a step away, and no tie: the solution is smooth there
static int compare_differences(const lcpProblem* p, const problemMotion* d, const double* f,
                               const unsigned char* active_set, int* compared) {
    const double h = 1e-6;
    double plus[LCP_ROWS], minus[LCP_ROWS], f_dot[LCP_ROWS], size = 0.0;
    unsigned char there[2][LCP_ROWS];
    tacLcpReport report[2];
    for (int side = 0; side < 2; ++side) {
        memcpy(there[side], active_set, (size_t)p->rows);
        ENSURE(solve_moved(p, d, side ? -h : h, side ? minus : plus, there[side], &report[side]) ==
               TAC_OK);
        if (report[side].flags & TAC_TIE || memcmp(there[side], active_set, (size_t)p->rows))
            return 0;
    }
    void* memory = malloc(tac_lcp_active_set_size(p->contacts, p->tangents));
    tac_lcp_active_set_jvp(&p->lcp, active_set, f, d->A, d->b, d->mu, f_dot, memory);
    free(memory);
    for (int i = 0; i < p->rows; ++i) size = fmax(size, fabs(f_dot[i]));
    for (int i = 0; i < p->rows; ++i) {
        ENSURE_NEAR(f_dot[i], (plus[i] - minus[i]) / (2.0 * h), 1e-6 * size);
    }
    ++*compared;
    return 0;
}

// The answer of the solver is the solution of its classes, and its differences are their
// derivative.
static int solver_agrees_with_differences(void) {
    testRandom random = {3};
    int compared = 0, tied = 0;
    for (unsigned long long seed = 0; seed < 2000; ++seed) {
        static problemMotion d;
        lcpProblem* p = lcp_random(seed);
        tacLcpReport report;
        double f[LCP_ROWS], again[LCP_ROWS];
        memset(&d, 0, sizeof d);
        ENSURE(solve_moved(p, &d, 0.0, f, p->active_set, &report) == TAC_OK);
        void* memory = malloc(tac_lcp_active_set_size(p->contacts, p->tangents));
        tac_lcp_active_set(&p->lcp, p->active_set, again, memory);
        free(memory);
        for (int i = 0; i < p->rows && !(report.flags & TAC_TIE); ++i)
            ENSURE_NEAR(again[i], f[i], 1e-8 * (1.0 + fabs(f[i])));
        tied += report.flags & TAC_TIE ? 1 : 0;
        if (!(report.flags & TAC_TIE)) {
            for (int i = 0; i < p->rows; ++i)
                for (int j = 0; j <= i; ++j)
                    d.A[i * p->rows + j] = d.A[j * p->rows + i] = test_uniform(&random, -1.0, 1.0);
            for (int i = 0; i < p->rows; ++i) d.b[i] = test_uniform(&random, -1.0, 1.0);
            for (int i = 0; i < p->contacts; ++i) d.mu[i] = test_uniform(&random, 0.0, 1.0);
            for (int i = 0; i < p->contacts; ++i) d.mu[i] = p->mu[i] > 0.1 ? d.mu[i] : 0.0;
            ENSURE_LAW(compare_differences(p, &d, f, p->active_set, &compared));
        }
        free(p);
    }
    printf("  %d compared, %d with ties\n", compared, tied);
    ENSURE(compared >= 400);
    return 0;
}

TEST_MAIN(RUN(given_active_sets_have_exact_derivatives), RUN(solver_agrees_with_differences))
