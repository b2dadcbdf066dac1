// What the laws of src/math share, in double: random arrays and sizes of them.

#ifndef TACTUS_TEST_CHECK_MATH_H
#define TACTUS_TEST_CHECK_MATH_H

#include "math/adapter_math.h"
#include "test.h"

static inline void check_random(testRandom* random, int n, double* x) {
    for (int i = 0; i < n; ++i) x[i] = test_uniform(random, -1.0, 1.0);
}

static inline double check_size(int n, const double* x) {
    double size = 0.0;
    for (int i = 0; i < n; ++i) size = fmax(size, fabs(x[i]));
    return size;
}

static inline double check_dot(int n, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

#endif
