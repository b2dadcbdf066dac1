// Two edges in a plain implementation: one pair at a time, exp and log of libm.

#ifndef TAC_BENCH_BASELINES_SCALAR_EDGE_EDGE_H
#define TAC_BENCH_BASELINES_SCALAR_EDGE_EDGE_H

// in: 12 arrays of corners; out: alpha 2, colliding, points 6. The smoothing of the paper.
void bench_scalar_edge_edge(const double* const in[12], double* const out[9], int count);

#endif
