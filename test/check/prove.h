// Runs the one check of derivatives (check/check.h) on a problem, and keeps the worst of a test.

#ifndef TACTUS_TEST_PROVE_H
#define TACTUS_TEST_PROVE_H

#include "check/check.h"
#include "test.h"

static tacCheckLine prove_worst[TAC_CHECK_KINDS];

static inline void prove_print(const tacCheckLine* line, int kind) {
    if (line->done)
        printf("    %-24s %7d comparisons, %d failed, worst %.2g (point %d)\n",
               tac_check_kind_name((tacCheckKind)kind), line->done, line->failed, line->worst,
               line->worst_point);
}

// every comparison holds; what was broken is printed
static inline int prove(const tacCheckProblem* problem, tacCheckOptions options) {
    tacCheckReport report;
#ifdef TAC_SANITIZED
    // slow, and proofs of numbers, not of memory: the plain build has them
    options.quad_every = options.taylor_every = 0;
#endif
    tac_check_run(problem, options, &report);
    for (int k = 0; k < TAC_CHECK_KINDS; ++k) {
        tacCheckLine *all = &prove_worst[k], *line = &report.line[k];
        int slope = k == TAC_CHECK_TAYLOR_2 || k == TAC_CHECK_TAYLOR_3;
        if (line->done &&
            (!all->done || (slope ? line->worst < all->worst : line->worst > all->worst))) {
            all->worst = line->worst;
            all->worst_point = line->worst_point;
        }
        all->done += line->done;
        all->failed += line->failed;
    }
    if (report.passed) return 0;
    printf("  %s (%d inputs, %d outputs): result %d\n", problem->name, problem->n, problem->m,
           (int)report.result);
    for (int k = 0; k < TAC_CHECK_KINDS; ++k) prove_print(&report.line[k], k);
    return 1;
}

// the last law of a test: what all the others have seen
static inline int prove_summary(void) {
    for (int k = 0; k < TAC_CHECK_KINDS; ++k) prove_print(&prove_worst[k], k);
    return 0;
}

#endif
