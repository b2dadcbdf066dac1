// Kernels of dynamics/ for batches: one state per lane.

#include "dynamics/kernels/kernel_table.inl"

const tacDynamicsKernels TAC_KERNELS(tac_dynamics_kernels_) = TAC_DYNAMICS_TABLE;
