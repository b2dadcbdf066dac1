// Arrays through the wide functions, for the benchmark of exp, log and the roots.
//
//   wide_math_kernels.c --one table per instruction set--> [this] --> the benchmark

#ifndef TAC_BENCH_WIDE_MATH_H
#define TAC_BENCH_WIDE_MATH_H

#include "base/dispatch.h"

// y[i] = f(x[i]), i < count; count is a multiple of TAC_BENCH_WIDE_STEP
typedef void tacBenchWideRun(const double* x, double* y, int count);
#define TAC_BENCH_WIDE_STEP 64

typedef struct tacBenchWide {
    int lanes;
    tacBenchWideRun *exp, *log, *sqrt, *rcp, *rsqrt;
    tacBenchWideRun *mvec_exp, *mvec_log; // glibc's libmvec on the same loop; NULL if not there
} tacBenchWide;

TAC_DECLARE_KERNELS(tacBenchWide, tac_bench_wide_);

#endif
