// Log-barrier smoothing of closest points (paper 001, Fig. 6). Two edges: minimize |e|^2/2 + w |a -
// 1/2|^2/2 - mu sum (log a + log(1 - a)) over the two parameters a.

#ifndef TAC_BENCH_BASELINES_WITNESS_BASELINES_H
#define TAC_BENCH_BASELINES_WITNESS_BASELINES_H

// primal-dual Newton steps on the optimality conditions, tailored to two variables
void bench_interior_point(const double* const in[12], double* const alpha[2], int count, double mu);

// quasi-Newton steps (L-BFGS, five pairs) on the barrier itself
void bench_lbfgs(const double* const in[12], double* const alpha[2], int count, double mu);

// The same for a vertex (in 0 to 2) and a face (its corners after it): a are barycentric
// coordinates of the second and third corner.
void bench_face_interior_point(const double* const in[12], double* const share[2], int count,
                               double mu);

// with a square folded to the face, so that bounds are those of a box: coordinates u (1 - v) and u
// v
void bench_face_lbfgs(const double* const in[12], double* const share[2], int count, double mu);

#endif
