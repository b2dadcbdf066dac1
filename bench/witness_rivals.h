// The log-barrier ways to smooth the nearest points of two edges (paper 001, Fig. 6): minimise
// |e|^2/2 + w |a - 1/2|^2/2 - mu sum (log a + log(1 - a)) over the two places a.

#ifndef TACTUS_BENCH_WITNESS_RIVALS_H
#define TACTUS_BENCH_WITNESS_RIVALS_H

// primal-dual Newton steps on the conditions of optimality, tailored to two numbers
void bench_interior_point(const double* const in[12], double* const alpha[2], int count, double mu);

// quasi-Newton steps (L-BFGS, five pairs) on the barrier itself
void bench_lbfgs(const double* const in[12], double* const alpha[2], int count, double mu);

#endif
