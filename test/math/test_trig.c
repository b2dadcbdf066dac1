// Sine and cosine of the wide number, on every instruction set: accuracy, the ends of the range,
// and one lane with the bits of many.

#include "math/wide_trig.inl"

#include "test.h"

#include <stdlib.h>

// leave before the first test if the instructions are missing
__attribute__((constructor)) static void skip_without_instructions(void) {
#if TAC_LANES == 8
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq")) {
        puts("skipped: this CPU has no avx512\n0 passed, 0 failed, 1 skipped");
        exit(0);
    }
#elif TAC_LANES == 4
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
        puts("skipped: this CPU has no avx2 with fma\n0 passed, 0 failed, 1 skipped");
        exit(0);
    }
#endif
}

// error in units of the last place of the answer, at least of 1e-300
static double ulps(double value, long double exact) {
    int exponent;
    frexp((double)exact, &exponent);
    double unit = ldexp(1.0, exponent - 53);
    return unit > 0.0 ? (double)fabsl((long double)value - exact) / unit : 0.0;
}

static void eval_sincos(double x, double* s, double* c) {
    double sine[TAC_LANES], cosine[TAC_LANES];
    wide ws, wc;
    w_sincos(w_set(x), &ws, &wc);
    w_store(sine, ws);
    w_store(cosine, wc);
    *s = sine[0];
    *c = cosine[0];
}

static int sine_and_cosine_are_accurate(void) {
    static const double reach[] = {1e-3, 0.8, 4.0, 100.0, 9e4, 1e8, 1e300};
    testRandom random = {8};
    double worst = 0.0;
    for (int i = 0; i < 200000; ++i) {
        double s, c, x = test_uniform(&random, -1.0, 1.0) * reach[i % 7];
        eval_sincos(x, &s, &c);
        worst = fmax(worst, fmax(ulps(s, sinl(x)), ulps(c, cosl(x))));
    }
    printf("    largest error %.2f ulp\n", worst);
    ENSURE(worst <= 2.0);
    return 0;
}

// near multiples of pi/2 the small one of the two keeps its relative accuracy
static int zeros_are_accurate(void) {
    for (int n = -2000; n <= 2000; ++n) {
        double s, c, x = n * 1.5707963267948966;
        eval_sincos(x, &s, &c);
        double worst = fmax(ulps(s, sinl(x)), ulps(c, cosl(x)));
        ENSURE(worst <= 2.0);
    }
    return 0;
}

static int sincos_of_special_values(void) {
    double s, c;
    eval_sincos(0.0, &s, &c);
    ENSURE(s == 0.0 && c == 1.0);
    eval_sincos(INFINITY, &s, &c);
    ENSURE(isnan(s) && isnan(c));
    eval_sincos(NAN, &s, &c);
    ENSURE(isnan(s) && isnan(c));
    eval_sincos(1e-310, &s, &c);
    ENSURE(s == 1e-310 && c == 1.0);
    return 0;
}

// a lane's answer is its own, also beside one that takes the long way
static int lanes_are_independent(void) {
    testRandom random = {9};
    for (int i = 0; i < 2000; ++i) {
        double x[TAC_LANES], sine[TAC_LANES], cosine[TAC_LANES];
        for (int k = 0; k < TAC_LANES; ++k)
            x[k] = test_uniform(&random, -10.0, 10.0) * (k == i % TAC_LANES ? 1e6 : 1.0);
        wide ws, wc;
        w_sincos(w_load(x), &ws, &wc);
        w_store(sine, ws);
        w_store(cosine, wc);
        for (int k = 0; k < TAC_LANES; ++k) {
            double s, c;
            eval_sincos(x[k], &s, &c);
            ENSURE(s == sine[k] && c == cosine[k]);
        }
    }
    return 0;
}

TEST_MAIN(RUN(sine_and_cosine_are_accurate), RUN(zeros_are_accurate), RUN(sincos_of_special_values),
          RUN(lanes_are_independent))
