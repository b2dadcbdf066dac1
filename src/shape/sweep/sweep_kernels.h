// Kernels of sweeps, called by those of shape/ in the same instruction set and number type.

#ifndef TAC_SHAPE_SWEEP_SWEEP_KERNELS_H
#define TAC_SHAPE_SWEEP_SWEEP_KERNELS_H

#include "base/dispatch.h"
#include "shape/sweep/jet.inl"
#include "shape/sweep/sweep_coefs.inl"

// adjoints of the numbers, one lane each
typedef struct sweepSums {
    wide poly[TAC_POLY_COUNT][3], in[TAC_IN_COUNT];
} sweepSums;

typedef struct tacSweepKernels {
    // value, with gradient, with Hessian at one vector of points
    void (*field[3])(const sweepCoefs* n, const wide y[3], localField* out);
} tacSweepKernels;

typedef struct tacSweepDiffKernels {
    // tangent of value and gradient along the points' yd and the numbers' dot (NULL is zero)
    void (*dot)(const sweepCoefs* n, const sweepCoefs* dot, const wide y[3], const wide yd[3],
                localField* out);

    // adds the adjoint of value_bar phi + g_bar . grad phi to the sums
    void (*vjp)(const sweepCoefs* n, const wide y[3], wide value_bar, const wide g_bar[3],
                sweepSums* sums);
} tacSweepDiffKernels;

extern const tacSweepKernels TAC_KERNELS(tac_sweep_kernels_);
extern const tacSweepDiffKernels TAC_KERNELS(tac_sweep_diff_kernels_);

#endif
