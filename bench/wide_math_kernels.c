// The wide functions over arrays, eight vectors in lock step as the kernels of the library do it,
// and glibc's vector functions (libmvec) on the same loops.

#include "bench/wide_math.h"

#include "math/wide.h"

#define STAGE 8

// the pragma: gcc leaves loops rolled whose body has a branch, and v then lives in memory
#define OVER_ARRAYS(name, f)                                                                       \
    static void name(const double* x, double* y, int count) {                                      \
        for (int i = 0; i < count; i += STAGE * TAC_LANES) {                                       \
            wide v[STAGE];                                                                         \
            for (int j = 0; j < STAGE; ++j) v[j] = w_load(x + i + j * TAC_LANES);                  \
            _Pragma("GCC unroll 8") for (int j = 0; j < STAGE; ++j) v[j] = f(v[j]);                \
            for (int j = 0; j < STAGE; ++j) w_store(y + i + j * TAC_LANES, v[j]);                  \
        }                                                                                          \
    }

OVER_ARRAYS(run_exp, w_exp)
OVER_ARRAYS(run_log, w_log)
OVER_ARRAYS(run_sqrt, w_sqrt)
OVER_ARRAYS(run_rcp, w_rcp)
OVER_ARRAYS(run_rsqrt, w_rsqrt)

// names of the x86-64 vector ABI: b, d, e for 2, 4, 8 lanes
#if defined(TAC_HAVE_MVEC)
#if TAC_LANES == 8
#define MVEC(function) _ZGVeN8v_##function
#elif TAC_LANES == 4
#define MVEC(function) _ZGVdN4v_##function
#else
#define MVEC(function) _ZGVbN2v_##function
#endif
extern wide MVEC(exp)(wide), MVEC(log)(wide);
OVER_ARRAYS(run_mvec_exp, MVEC(exp))
OVER_ARRAYS(run_mvec_log, MVEC(log))
#else
#define run_mvec_exp NULL
#define run_mvec_log NULL
#endif

const tacBenchWide TAC_KERNELS(tac_bench_wide_) = {
    .lanes = TAC_LANES,
    .exp = run_exp,
    .log = run_log,
    .sqrt = run_sqrt,
    .rcp = run_rcp,
    .rsqrt = run_rsqrt,
    .mvec_exp = run_mvec_exp,
    .mvec_log = run_mvec_log,
};
