// The log-barrier ways to smooth nearest points (paper 001, Fig. 6). Of two edges: minimise
// |e|^2/2 + w |a - 1/2|^2/2 - mu sum (log a + log(1 - a)) over the two places a.

#ifndef TAC_BENCH_BASELINES_WITNESS_BASELINES_H
#define TAC_BENCH_BASELINES_WITNESS_BASELINES_H

// primal-dual Newton steps on the conditions of optimality, tailored to two numbers
void bench_interior_point(const double* const in[12], double* const alpha[2], int count, double mu);

// quasi-Newton steps (L-BFGS, five pairs) on the barrier itself
void bench_lbfgs(const double* const in[12], double* const alpha[2], int count, double mu);

// The same of a vertex (in 0 to 2) and a face (its corners behind): the places a are shares of the
// second and third corner, and what is left is that of the first.
void bench_face_interior_point(const double* const in[12], double* const share[2], int count,
                               double mu);

// by places in a square that is folded to the face, so that bounds are those of a box: shares
// u (1 - v) and u v
void bench_face_lbfgs(const double* const in[12], double* const share[2], int count, double mu);

#endif
