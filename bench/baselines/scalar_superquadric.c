// Scalar reference of the benchmark: phi = r (1 - f^(-e1/2)).

#include "bench/baselines/scalar_superquadric.h"

#include <math.h>

void bench_scalar_superquadric(const double a[3], const double e[2], const double* x,
                               const double* y, const double* z, double* phi, int count) {
    for (int i = 0; i < count; ++i) {
        double A = x[i] / a[0], B = y[i] / a[1], C = z[i] / a[2];
        double s = pow(A * A, 1.0 / e[1]) + pow(B * B, 1.0 / e[1]);
        double f = pow(s, e[1] / e[0]) + pow(C * C, 1.0 / e[0]);
        double r = sqrt(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
        phi[i] = r * (1.0 - pow(f, -0.5 * e[0]));
    }
}
