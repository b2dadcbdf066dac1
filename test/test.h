// A test is a law: a function that returns 0, or says where and how the law was broken.

#ifndef TACTUS_TEST_H
#define TACTUS_TEST_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST_SKIPPED 77

#define ENSURE(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("  %s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                     \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

#define ENSURE_NEAR(actual, expected, tolerance)                                                   \
    do {                                                                                           \
        double a_ = (actual), e_ = (expected), t_ = (tolerance);                                   \
        if (!(fabs(a_ - e_) <= t_)) {                                                              \
            printf("  %s:%d: %s = %.17g, expected %.17g, off by %.3g, tolerance %.3g\n", __FILE__, \
                   __LINE__, #actual, a_, e_, fabs(a_ - e_), t_);                                  \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

// passes a failure of a helper on, with the place of the call
#define ENSURE_LAW(call)                                                                           \
    do {                                                                                           \
        int r_ = (call);                                                                           \
        if (r_) {                                                                                  \
            printf("  %s:%d: in %s\n", __FILE__, __LINE__, #call);                                 \
            return r_;                                                                             \
        }                                                                                          \
    } while (0)

// leaves a test that cannot run here, with the reason
#define SKIP(reason)                                                                               \
    do {                                                                                           \
        printf("  skipped: %s\n", reason);                                                         \
        return TEST_SKIPPED;                                                                       \
    } while (0)

// how many cases: few under sanitizers, some by `make test`, many by `make test-all`
static inline int test_amount(int few, int some, int many) {
    return getenv("TACTUS_NO_SWEEP") ? few : getenv("TACTUS_SWEEP") ? many : some;
}

typedef struct testCase {
    const char* name;
    int (*run)(void);
} testCase;

#define RUN(name)                                                                                  \
    { #name, name }

// runs all tests, or those whose name holds argv[1]; the last line is "N passed, N failed[, N
// skipped]"
static inline int test_main(int argc, char** argv, const testCase* cases, int count) {
    int passed = 0, failed = 0, skipped = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < count; ++i) {
        if (argc > 1 && !strstr(cases[i].name, argv[1])) continue;
        int result = cases[i].run();
        passed += result == 0;
        skipped += result == TEST_SKIPPED;
        failed += result != 0 && result != TEST_SKIPPED;
        printf("%s %s\n",
               result == 0              ? "ok  "
               : result == TEST_SKIPPED ? "skip"
                                        : "FAIL",
               cases[i].name);
    }
    printf("%d passed, %d failed", passed, failed);
    if (skipped) printf(", %d skipped", skipped);
    printf("\n");
    return failed != 0;
}

#define TEST_MAIN(...)                                                                             \
    int main(int argc, char** argv) {                                                              \
        const testCase cases[] = {__VA_ARGS__};                                                    \
        return test_main(argc, argv, cases, (int)(sizeof cases / sizeof cases[0]));                \
    }

// xorshift64*: the same numbers on every machine
typedef struct testRandom {
    unsigned long long state;
} testRandom;

static inline unsigned long long test_bits(testRandom* random) {
    unsigned long long x = random->state ? random->state : 0x9e3779b97f4a7c15ull;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    random->state = x;
    return x * 0x2545f4914f6cdd1dull;
}

// uniform in [low, high)
static inline double test_uniform(testRandom* random, double low, double high) {
    return low + (high - low) * (double)(test_bits(random) >> 11) * 0x1p-53;
}

#endif
