// Field of a sweep: value, gradient and Hessian, each with a constant mode and everything inlined.

#include "shape/sweep/sweep_kernels.h"

#include "shape/sweep/sweep.inl"

#define SWEEP_FIELD(order, mode)                                                                   \
    static __attribute__((noinline)) void solid_##order(const sweepContext* s, const jet x[3],     \
                                                        const jet* t, jet* out) {                  \
        sweepContext here = {{mode, NULL}, s->at, NULL, NULL};                                     \
        *out = sweep_psq(&here, x, *t);                                                            \
    }                                                                                              \
    static void field_##order(const sweepCoefs* n, const wide y[3], localField* out) {             \
        sweepContext s = {{mode, NULL}, n, NULL, solid_##order};                                   \
        jet x[3], phi;                                                                             \
        sweep_point(y, x);                                                                         \
        phi = sweep_phi(&s, x);                                                                    \
        out->value = phi.v;                                                                        \
        for (int i = 0; i < 3 && order >= 1; ++i) out->g[i] = phi.d[i];                            \
        for (int i = 0; i < 6 && order >= 2; ++i) out->H[i] = phi.h[i];                            \
    }
SWEEP_FIELD(0, JET_VALUE)
SWEEP_FIELD(1, JET_GRADIENT)
SWEEP_FIELD(2, JET_HESSIAN)

const tacSweepKernels TAC_KERNELS(tac_sweep_kernels_) = {{field_0, field_1, field_2}};
