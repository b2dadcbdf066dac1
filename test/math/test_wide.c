// Laws of the wide functions, in the instruction set this file is compiled for:
//
//   accuracy        at most 2 ulp from the long double result, over all finite doubles
//   special values  0, infinities, NaN, negative and subnormal arguments
//   independence    a lane's bits are the same whatever the other lanes hold
//
// Prints the largest error of each function. exp gives 0 below -1021 ln2 (wide_exp.inl).

#include "math/wide.h"

#include "test.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT     4096 // numbers per block
#define BLOCKS    256  // blocks per sweep: 2^20 numbers
#define EXP_LEAST (-0x1.61da04cbafe44p+9)

//---------------------------------- the machine ----------------------------------

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

//---------------------------------- functions under test -------------------------

static long double one_over(long double x) { return 1.0L / x; }
static long double one_over_sqrt(long double x) { return 1.0L / sqrtl(x); }

// log by the series of 2 atanh((m - 1)/(m + 1)), x = 2^k m: logl is the x87 instruction, which
// emulators get wrong in the last bits of a double
static long double log_series(long double x) {
    if (!(x > 0.0L)) return x == 0.0L ? -(long double)INFINITY : (long double)NAN;
    if (isinf(x)) return x;
    int k;
    long double m = frexpl(x, &k), sum = 0.0L;
    if (m < 0.70710678118654752440L) {
        m *= 2.0L;
        --k;
    }
    long double s = (m - 1.0L) / (m + 1.0L);
    for (int n = 31; n >= 1; n -= 2) sum = sum * s * s + 1.0L / n;
    return k * 0.693147180559945309417232121458L + 2.0L * s * sum;
}
static long double exp_flushed(long double x) { return x < EXP_LEAST ? 0.0L : expl(x); }

#define OVER_ARRAYS(f)                                                                             \
    static void f##_array(const double* x, double* y, int n) {                                     \
        for (int i = 0; i < n; i += TAC_LANES) w_store(y + i, f(w_load(x + i)));                   \
    }
OVER_ARRAYS(w_exp)
OVER_ARRAYS(w_log)
OVER_ARRAYS(w_sqrt)
OVER_ARRAYS(w_rcp)
OVER_ARRAYS(w_rsqrt)
OVER_ARRAYS(w_log1p_unit)

typedef struct Function {
    const char* name;
    void (*run)(const double* x, double* y, int n);
    long double (*exact)(long double x);
} Function;

static const Function functions[] = {
    {"exp", w_exp_array, exp_flushed},       {"log", w_log_array, log_series},
    {"sqrt", w_sqrt_array, sqrtl},           {"rcp", w_rcp_array, one_over},
    {"rsqrt", w_rsqrt_array, one_over_sqrt}, {"log1p", w_log1p_unit_array, log1pl},
};
// the last one is of 0 <= x <= 1 alone
enum { EXP, LOG, SQRT, RCP, RSQRT, FUNCTIONS, LOG1P = FUNCTIONS };

//---------------------------------- errors ---------------------------------------

static double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static uint64_t to_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// error of y in units of the last place of a double of the size of `exact`
static double ulps(double y, long double exact) {
    double nearest = (double)exact;
    if (isnan(nearest)) return isnan(y) ? 0.0 : INFINITY;
    if (isinf(nearest) || nearest == 0.0) return y == nearest ? 0.0 : INFINITY;
    int e;
    (void)frexp(nearest, &e);
    long double unit = ldexpl(1.0L, e - 53 > -1074 ? e - 53 : -1074);
    double error = (double)(fabsl((long double)y - exact) / unit);
    return isnan(error) ? INFINITY : error;
}

typedef struct Worst {
    double error, at;
} Worst;

static void measure_error(const Function* f, const double* x, Worst* worst) {
    static double y[COUNT];
    f->run(x, y, COUNT);
    for (int i = 0; i < COUNT; ++i) {
        double error = ulps(y[i], f->exact((long double)x[i]));
        if (error > worst->error) *worst = (Worst){error, x[i]};
    }
}

// A sweep fills block after block with its kind of numbers; 2 ulp is the law.
static int sweep_inputs(int which, const char* kind, double (*number)(uint64_t index)) {
    static double x[COUNT];
    const Function* f = &functions[which];
    Worst worst = {0.0, 0.0};
    for (uint64_t block = 0; block < BLOCKS; ++block) {
        for (uint64_t i = 0; i < COUNT; ++i) x[i] = number(block * COUNT + i);
        measure_error(f, x, &worst);
    }
    printf("    %-6s %-28s %.3f ulp at %a\n", f->name, kind, worst.error, worst.at);
    ENSURE(worst.error <= 2.0);
    return 0;
}

//---------------------------------- kinds of numbers -----------------------------

// splitmix64 (Steele, Lea, Flood 2014) of the index: 64 random bits
static uint64_t random_bits(uint64_t i) {
    i = (i + 1) * 0x9e3779b97f4a7c15u;
    i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9u;
    i = (i ^ (i >> 27)) * 0x94d049bb133111ebu;
    return i ^ (i >> 31);
}
// in [-1, 1)
static double random_signed(uint64_t i) { return (double)(int64_t)random_bits(i) * 0x1p-63; }

static double any_bits(uint64_t i) { return from_bits(random_bits(i)); }
static double positive_bits(uint64_t i) { return from_bits(random_bits(i) >> 1); }
static double subnormal(uint64_t i) { return from_bits(random_bits(i) >> 12); }
static double exp_range(uint64_t i) { return random_signed(i) * 760.0; }
static double tiny_or_small(uint64_t i) {
    return ldexp(random_signed(i), -(int)(random_bits(~i) % 60));
}
// doubles around the multiples of ln2/32, where some version of exp changes its interval
static double exp_boundary(uint64_t i) {
    double middle = (double)((int64_t)(i % 65536) - 32768) * (0x1.62e42fefa39efp-1 / 32.0);
    return from_bits(to_bits(middle) + random_bits(i) % 9 - 4);
}
// 1 + t, |t| <= 2^-60 .. 1: the neighbours of 1 among them
static double near_one(uint64_t i) { return 1.0 + tiny_or_small(i); }
static double next_to_one(uint64_t i) { return from_bits(0x3ff0000000000000u + i - (1u << 19)); }
static double around_one(uint64_t i) { return 1.25 + 0.875 * random_signed(i); }
// doubles around 2^k j/64 and 2^k sqrt 1/2, where some version of log changes its interval
static double log_boundary(uint64_t i) {
    uint64_t r = random_bits(i), mantissa = (r >> 8) % 65;
    uint64_t bits = mantissa < 64 ? mantissa << 46 : 0x6a09e667f3bcdu;
    uint64_t k = i % 2 ? 1023 - 4 + (r >> 32) % 8 : 1 + (r >> 32) % 2045;
    return from_bits((k << 52) + bits + r % 9 - 4);
}
// 0 < x <= 1 of every size, as the weights of a soft choice have
static double random_weight(uint64_t i) {
    return ldexp(0.5 + 0.5 * fabs(random_signed(i)), -(int)(random_bits(~i) % 1000));
}
static double unit(uint64_t i) { return fabs(random_signed(i)); }
static double perfect_square(uint64_t i) { return (double)i * (double)i; }

//---------------------------------- laws -----------------------------------------

static int exp_is_accurate(void) {
    ENSURE(sweep_inputs(EXP, "all bit patterns", any_bits) == 0);
    ENSURE(sweep_inputs(EXP, "-760 .. 760", exp_range) == 0);
    ENSURE(sweep_inputs(EXP, "near 0", tiny_or_small) == 0);
    ENSURE(sweep_inputs(EXP, "interval boundaries", exp_boundary) == 0);
    return 0;
}

static int log_is_accurate(void) {
    ENSURE(sweep_inputs(LOG, "all bit patterns", any_bits) == 0);
    ENSURE(sweep_inputs(LOG, "positive bit patterns", positive_bits) == 0);
    ENSURE(sweep_inputs(LOG, "subnormal", subnormal) == 0);
    ENSURE(sweep_inputs(LOG, "near 1", near_one) == 0);
    ENSURE(sweep_inputs(LOG, "2^20 neighbours of 1", next_to_one) == 0);
    ENSURE(sweep_inputs(LOG, "0.375 .. 2.125", around_one) == 0);
    ENSURE(sweep_inputs(LOG, "interval boundaries", log_boundary) == 0);
    return 0;
}

static int roots_are_accurate(void) {
    for (int f = SQRT; f <= RSQRT; ++f) {
        ENSURE(sweep_inputs(f, "all bit patterns", any_bits) == 0);
        ENSURE(sweep_inputs(f, "positive bit patterns", positive_bits) == 0);
        ENSURE(sweep_inputs(f, "subnormal", subnormal) == 0);
        ENSURE(sweep_inputs(f, "0.375 .. 2.125", around_one) == 0);
        ENSURE(sweep_inputs(f, "interval boundaries", log_boundary) == 0);
    }
    return 0;
}

// relative to x as small as it comes: quotients of such are formed of them
// (shape/leaf/softening.inl)
static int log1p_is_accurate(void) {
    ENSURE(sweep_inputs(LOG1P, "of every size", random_weight) == 0);
    ENSURE(sweep_inputs(LOG1P, "0 .. 1", unit) == 0);
    return 0;
}

// sqrt(n n) = n: lengths of 3-4-5 triangles come out as expected
static int sqrt_of_squares_is_exact(void) {
    double x[TAC_LANES], y[TAC_LANES];
    for (uint64_t i = 0; i < (1u << 20); i += TAC_LANES) {
        for (uint64_t j = 0; j < TAC_LANES; ++j) x[j] = perfect_square(i + j);
        w_sqrt_array(x, y, TAC_LANES);
        for (uint64_t j = 0; j < TAC_LANES; ++j) ENSURE(y[j] == (double)(i + j));
    }
    return 0;
}

static double one_lane(int which, double x, double others, int lane) {
    double in[TAC_LANES], out[TAC_LANES];
    for (int j = 0; j < TAC_LANES; ++j) in[j] = j == lane ? x : others;
    functions[which].run(in, out, TAC_LANES);
    return out[lane];
}

static int special_values_of_wide_functions(void) {
    static const struct {
        int function;
        double x, y;
    } cases[] = {
        {EXP, 0.0, 1.0},
        {EXP, -0.0, 1.0},
        {EXP, INFINITY, INFINITY},
        {EXP, -INFINITY, 0.0},
        {EXP, DBL_MAX, INFINITY},
        {EXP, -DBL_MAX, 0.0},
        {EXP, 0x1.62e42fefa39f0p+9, INFINITY}, // the first double above log(DBL_MAX)
        {EXP, 710.5, INFINITY},
        {EXP, 1e5, INFINITY},
        {EXP, 1e19, INFINITY},
        {EXP, -1e19, 0.0},
        {EXP, -708.0, 0.0},
        {EXP, -745.0, 0.0},
        {EXP, NAN, NAN},
        {EXP, 0x1p-1074, 1.0},
        {LOG, 1.0, 0.0},
        {LOG, 0.0, -INFINITY},
        {LOG, -0.0, -INFINITY},
        {LOG, INFINITY, INFINITY},
        {LOG, -INFINITY, NAN},
        {LOG, -1.0, NAN},
        {LOG, -0x1p-1074, NAN},
        {LOG, -DBL_MAX, NAN},
        {LOG, NAN, NAN},
        {SQRT, 0.0, 0.0},
        {SQRT, 4.0, 2.0},
        {SQRT, INFINITY, INFINITY},
        {SQRT, -1.0, NAN},
        {SQRT, -INFINITY, NAN},
        {SQRT, NAN, NAN},
        {SQRT, 0x1p-1074, 0x1p-537},
        {RCP, 0.0, INFINITY},
        {RCP, -0.0, -INFINITY},
        {RCP, INFINITY, 0.0},
        {RCP, -INFINITY, 0.0},
        {RCP, NAN, NAN},
        {RCP, 1.0, 1.0},
        {RCP, 0x1p-1023, 0x1p1023},
        {RCP, 0x1p-1024, INFINITY},
        {RCP, 0x1p1023, 0x1p-1023},
        {RCP, -0x1p-1074, -INFINITY},
        {RSQRT, 0.0, INFINITY},
        {RSQRT, INFINITY, 0.0},
        {RSQRT, -1.0, NAN},
        {RSQRT, -0x1p-1074, NAN},
        {RSQRT, -INFINITY, NAN},
        {RSQRT, NAN, NAN},
        {RSQRT, 4.0, 0.5},
        {RSQRT, 0x1p-1074, 0x1p537},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; ++i) {
        double y = one_lane(cases[i].function, cases[i].x, 1.5, (int)(i % TAC_LANES));
        int same = isnan(cases[i].y) ? isnan(y) : y == cases[i].y;
        if (!same) printf("    %s(%a) = %a\n", functions[cases[i].function].name, cases[i].x, y);
        ENSURE(same);
    }
    return 0;
}

// every NaN, whatever its payload, gives NaN
static int nan_stays_nan(void) {
    for (uint64_t i = 0; i < 4096; ++i) {
        uint64_t payload = i < 64 ? (uint64_t)1 << (i % 52) : random_bits(i) >> 12;
        double x = from_bits((i % 2 ? 0x7ff8u : 0xfff8u) * (uint64_t)0x1000000000000 | payload);
        for (int f = 0; f < FUNCTIONS; ++f) ENSURE(isnan(one_lane(f, x, 1.0, (int)i % TAC_LANES)));
    }
    return 0;
}

// same bits in any lane, beside any neighbours, ordinary or special
static int lanes_are_independent(void) {
    static const double neighbours[] = {1.5,       0.0, -1.0,    INFINITY, -INFINITY,
                                        0x1p-1060, NAN, DBL_MAX, -DBL_MAX, -720.0};
    for (uint64_t i = 0; i < 2000; ++i) {
        double x = i % 4 == 0 ? any_bits(i) : i % 4 == 1 ? exp_range(i) : around_one(i);
        if (isnan(x)) continue;
        for (int f = 0; f < FUNCTIONS; ++f) {
            uint64_t first = to_bits(one_lane(f, x, x, 0));
            for (unsigned n = 0; n < sizeof neighbours / sizeof *neighbours; ++n)
                for (int lane = 0; lane < TAC_LANES; ++lane)
                    ENSURE(to_bits(one_lane(f, x, neighbours[n], lane)) == first);
        }
    }
    return 0;
}

// choice, sum and sign tests against their definitions, lane by lane
static int small_functions_mean_what_they_say(void) {
    for (uint64_t i = 0; i < 10000; ++i) {
        double a[TAC_LANES], b[TAC_LANES], sum = 0.0;
        int any = 0;
        for (uint64_t j = 0; j < TAC_LANES; ++j) {
            a[j] = (double)((int64_t)(random_bits(8 * i + j) % 64) - (i % 2 ? 32 : 4));
            b[j] = (double)(random_bits(~(8 * i + j)) % 64) - 32.0;
            sum += a[j];
            any |= a[j] < 0.0;
        }
        wide x = w_load(a), y = w_load(b);
        ENSURE(w_sum(x) == sum);
        ENSURE(w_any_negative(x) == any);
        for (int j = 0; j < TAC_LANES; ++j) {
            ENSURE(w_lane(w_select_ge0(x, y, x + 1.0), j) == (a[j] >= 0.0 ? b[j] : a[j] + 1.0));
            ENSURE(w_lane(w_max(x, y), j) == (a[j] > b[j] ? a[j] : b[j]));
            ENSURE(w_lane(w_min(x, y), j) == (a[j] < b[j] ? a[j] : b[j]));
            ENSURE(w_lane(w_fma(x, y, x), j) == a[j] * b[j] + a[j]);
            ENSURE(w_lane(w_abs(x), j) == fabs(a[j]));
        }
    }
    ENSURE(!w_any_negative(w_set(-0.0)) && !w_any_negative(w_set(NAN)));
    ENSURE(w_lane(w_max(w_set(NAN), w_set(1.0)), 0) == 1.0);
    ENSURE(w_lane(w_min(w_set(NAN), w_set(1.0)), 0) == 1.0);
    ENSURE(w_lane(w_select_ge0(w_set(NAN), w_set(2.0), w_set(3.0)), 0) == 3.0);
    ENSURE(w_lane(w_select_ge0(w_set(-0.0), w_set(2.0), w_set(3.0)), 0) == 2.0);
    return 0;
}

// 1 - exp(-x), relative also for the smallest x, on both sides of the change of formula at 0.25
static int one_minus_exp_is_accurate(void) {
    testRandom random = {5};
    for (int round = 0; round < 20000; ++round) {
        double x[TAC_LANES], y[TAC_LANES];
        for (int k = 0; k < TAC_LANES; ++k)
            x[k] = round % 2 ? test_uniform(&random, 0.2, 0.3)
                             : exp(test_uniform(&random, -600.0, 6.0));
        w_store(y, w_one_minus_exp(w_load(x)));
        for (int k = 0; k < TAC_LANES; ++k) {
            double exact = (double)-expm1l(-(long double)x[k]);
            ENSURE_NEAR(y[k] / exact, 1.0, 1e-15);
        }
    }
    double zero[TAC_LANES] = {0}, y[TAC_LANES];
    w_store(y, w_one_minus_exp(w_load(zero)));
    ENSURE(y[0] == 0.0);
    return 0;
}

TEST_MAIN(RUN(one_minus_exp_is_accurate), RUN(special_values_of_wide_functions), RUN(nan_stays_nan),
          RUN(lanes_are_independent), RUN(small_functions_mean_what_they_say),
          RUN(sqrt_of_squares_is_exact), RUN(exp_is_accurate), RUN(log_is_accurate),
          RUN(roots_are_accurate), RUN(log1p_is_accurate))
