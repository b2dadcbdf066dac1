// Kernels of dynamics/ for one state, in the arithmetic of the instruction set: the bits that the
// state would have in a batch.

#define TAC_ONE_LANE
#include "dynamics/kernels/kernel_table.inl"

const tacDynamicsKernels TAC_KERNELS(tac_dynamics_single_) = TAC_DYNAMICS_TABLE;
