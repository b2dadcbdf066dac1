// The superquadric in a plain implementation: one point at a time, pow and sqrt of libm.

#ifndef TAC_BENCH_BASELINES_SCALAR_SUPERQUADRIC_H
#define TAC_BENCH_BASELINES_SCALAR_SUPERQUADRIC_H

void bench_scalar_superquadric(const double a[3], const double e[2], const double* const x[3],
                               double* phi, int count);

#endif
