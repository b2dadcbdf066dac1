// Vectors as arrays of three doubles, where points stand one behind the other in memory.

#ifndef TAC_MATH_ARRAY3_H
#define TAC_MATH_ARRAY3_H

static inline double tac_dot3(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void tac_cross3(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void tac_sub3(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = a[k] - b[k];
}

// |a - b|^2
static inline double tac_distance2_3(const double a[3], const double b[3]) {
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

#endif
