// Scalar reference of the benchmark: phi = r (1 - f^(-e1/2)).

#include "bench/baselines/scalar_superquadric.h"

#include <math.h>

void bench_scalar_superquadric(const double a[3], const double e[2], const double* const x[3],
                               double* phi, int count) {
    for (int i = 0; i < count; ++i) {
        double px = x[0][i], py = x[1][i], pz = x[2][i];
        double A = px / a[0], B = py / a[1], C = pz / a[2];
        double s = pow(A * A, 1.0 / e[1]) + pow(B * B, 1.0 / e[1]);
        double f = pow(s, e[1] / e[0]) + pow(C * C, 1.0 / e[0]);
        double r = sqrt(px * px + py * py + pz * pz);
        phi[i] = r * (1.0 - pow(f, -0.5 * e[0]));
    }
}
