// The wide kernels of witness points. A routine is a map from `inputs` arrays (coordinates of
// corners) to `outputs` arrays; `count` is a multiple of `lanes`, NULL arrays are skipped or zero.

#ifndef TAC_DETECT_WITNESS_WITNESS_KERNELS_H
#define TAC_DETECT_WITNESS_WITNESS_KERNELS_H

#include "base/dispatch.h"
#include "tactus/witness.h"

#define WITNESS_ARRAYS 18

typedef struct tacWitnessRoutine {
    int inputs, outputs;
    // are all inputs finite and not too far away? count need not be a multiple of anything
    int (*usable)(const tacReal* const* in, int count);
    // 0 if an input is not usable; the outputs are then of no use either
    int (*value)(const tacWitnessOptions* options, const tacReal* const* in, tacReal* const* out,
                 int count);
    // options_dot is never NULL
    void (*jvp)(const tacWitnessOptions* options, const tacWitnessOptions* options_dot,
                const tacReal* const* in, const tacReal* const* dot, tacReal* const* out,
                int count);
    // adds to in_bar and options_bar; options_bar is never NULL
    void (*vjp)(const tacWitnessOptions* options, const tacReal* const* in,
                const tacReal* const* bar, tacReal* const* in_bar, tacWitnessOptions* options_bar,
                int count);
} tacWitnessRoutine;

typedef struct tacWitnessKernels {
    int lanes;
    tacWitnessRoutine edge_edge, vertex_face;
} tacWitnessKernels;

TAC_DECLARE_KERNELS(tacWitnessKernels, tac_witness_kernels_);

#endif
