// Checks of derivatives, number-generic: the same table of functions is checked by Taylor slopes
// and by vjp = jvp transposed as double (test_vec3.c, …), and by complex step
// (test_math_complex.c).
//
// A function is seen as y(x) on flat arrays. Rotations go in as four raw numbers and come out as
// matrices, so that one frame of mind fits all.

#ifndef CHECK_MATH_H
#define CHECK_MATH_H

#include "math/number.h"
#include "test.h"

enum { CHECK_MAX = 96, CHECK_CASES = 60, CHECK_GENERAL = 30 };

typedef struct mathFunction {
    const char* name;
    int nx, ny;
    void (*eval)(const tacReal* x, tacReal* y);
    void (*jvp)(const tacReal* x, const tacReal* x_dot, tacReal* y_dot);
    void (*vjp)(const tacReal* x, const tacReal* y_bar, tacReal* x_bar); // adds
    // turns random numbers into an input of the domain; cases from CHECK_GENERAL on are adversarial
    // and may stand on a corner or a branch, where a Taylor slope cannot be seen. NULL: as they are
    void (*prepare)(tacReal* x, int number);
} mathFunction;

static inline void check_random(testRandom* random, int n, tacReal* x) {
    for (int i = 0; i < n; ++i) x[i] = test_uniform(random, -1.0, 1.0);
}

static inline double check_size(int n, const tacReal* x) {
    double size = 0.0;
    for (int i = 0; i < n; ++i) size = fmax(size, fabs(tac_re(x[i])));
    return size;
}

static inline double check_dot(int n, const tacReal* a, const tacReal* b) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += tac_re(a[i] * b[i]);
    return sum;
}

#ifndef TAC_NUMBER_COMPLEX

#ifdef TAC_NUMBER_QUAD
#define CHECK_FLOOR 1e-30
#else
#define CHECK_FLOOR 1e-13
#endif

// |f(x + h d) - f(x) - h f' d|
static inline double check_remainder(const mathFunction* f, const tacReal* x, const tacReal* d,
                                     double h) {
    tacReal moved[CHECK_MAX], y0[CHECK_MAX], y1[CHECK_MAX], slope[CHECK_MAX];
    for (int i = 0; i < f->nx; ++i) moved[i] = x[i] + h * d[i];
    f->eval(x, y0), f->eval(moved, y1), f->jvp(x, d, slope);
    for (int i = 0; i < f->ny; ++i) y1[i] -= y0[i] + h * slope[i];
    return check_size(f->ny, y1);
}

// the remainder falls with the square of the step, down to rounding
static inline int check_taylor(const mathFunction* f, const tacReal* x, const tacReal* d) {
    tacReal y[CHECK_MAX];
    f->eval(x, y);
    double floor = CHECK_FLOOR * fmax(1.0, check_size(f->ny, y));
    double big = check_remainder(f, x, d, 0x1p-9), small = check_remainder(f, x, d, 0x1p-13);
    if (small <= big / 180.0 + floor) return 0; // slope 2 is 1/256
    printf("  %s: Taylor remainder %.3g -> %.3g, slope %.2f\n", f->name, big, small,
           log2(big / small) / 4.0);
    return 1;
}

// y_bar . jvp = vjp . x_dot
static inline int check_transpose(const mathFunction* f, const tacReal* x, testRandom* random) {
    tacReal d[CHECK_MAX], bar[CHECK_MAX], y_dot[CHECK_MAX], x_bar[CHECK_MAX];
    check_random(random, f->nx, d), check_random(random, f->ny, bar);
    for (int i = 0; i < f->nx; ++i) x_bar[i] = 0.25; // a vjp adds
    f->jvp(x, d, y_dot), f->vjp(x, bar, x_bar);
    for (int i = 0; i < f->nx; ++i) x_bar[i] -= 0.25;
    double a = check_dot(f->ny, bar, y_dot), b = check_dot(f->nx, d, x_bar);
    double scale = 1.0 + check_size(f->ny, y_dot) + check_size(f->nx, x_bar);
    if (fabs(a - b) <= 1e-13 * scale * (f->nx + f->ny)) return 0;
    printf("  %s: bar . jvp = %.17g, vjp . dot = %.17g\n", f->name, a, b);
    return 1;
}

static inline int check_function(const mathFunction* f) {
    testRandom random = {12345};
    for (int c = 0; c < CHECK_CASES; ++c) {
        tacReal x[CHECK_MAX], d[CHECK_MAX];
        check_random(&random, f->nx, x), check_random(&random, f->nx, d);
        if (f->prepare) f->prepare(x, c);
        if (c < CHECK_GENERAL) ENSURE_LAW(check_taylor(f, x, d));
        ENSURE_LAW(check_transpose(f, x, &random));
    }
    return 0;
}

static inline int check_table(const mathFunction* table, int count) {
    int failed = 0;
    for (int i = 0; i < count; ++i) failed |= check_function(table + i);
    return failed;
}

#define CHECK_TABLE(table) ENSURE_LAW(check_table(table, (int)(sizeof table / sizeof table[0])))

#endif

#endif
