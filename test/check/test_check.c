// The checker itself: silent on right derivatives, loud when one is off by 1 %.

#include "check/adapter_example.h"
#include "test.h"

static int sample_example(const void* context, int i, unsigned long long* random, double* x,
                          double* scale) {
    (void)context;
    (void)i;
    for (int k = 0; k < 3; ++k) {
        x[k] = tac_check_uniform(random, -1.0, 1.0);
        scale[k] = 1.0;
    }
    return 2;
}

// d/dt vjp(x + t d, bar), optionally 1 % off in one term
static tacResult example_hvp(const void* context, const double* x, const double* bar,
                             const double* d, double* out) {
    const exampleContext* c = context;
    double wrong = c->spoil == SPOIL_VJP_CURVATURE ? 1.01 : 1.0;
    double e = exp(x[0]), q = 1.0 + x[0] * x[0];
    out[0] = e * (x[1] * x[1] * d[0] + 2.0 * wrong * x[1] * d[1]) * bar[0] +
             2.0 * (1.0 - x[0] * x[0]) / (q * q) * d[0] * bar[1];
    out[1] = 2.0 * e * (x[1] * d[0] + d[1]) * bar[0] + d[2] * bar[1];
    out[2] = d[1] * bar[1];
    return TAC_OK;
}

static tacCheckReport check_far(int spoil, double far, const double* magnitude) {
    exampleContext context = {spoil, far};
    tacCheckProblem problem = {.name = "example",
                               .n = 3,
                               .m = 2,
                               .context = &context,
                               .as_double = &tac_check_example_double,
                               .as_complex = &tac_check_example_complex,
                               .as_quad = &tac_check_example_quad,
                               .y_magnitude = magnitude,
                               .hvp = example_hvp,
                               .sample = sample_example};
    tacCheckReport report;
    tac_check_run(&problem, tac_check_default_options(), &report);
    return report;
}

static tacCheckReport run_check(int spoil) { return check_far(spoil, 0.0, NULL); }

static int right_derivatives_pass(void) {
    tacCheckReport report = run_check(SPOIL_NOTHING);
    ENSURE(report.passed);
    for (int k = 0; k < TAC_CHECK_KINDS; ++k) ENSURE(report.line[k].done > 0);
    ENSURE(report.line[TAC_CHECK_FIRST].worst < 1e-14);
    ENSURE(report.line[TAC_CHECK_SECOND].worst < 1e-13);
    return 0;
}

// complex step, quad precision, the adjoint and the Taylor slope each see it
static int jvp_off_by_one_percent_fails(void) {
    tacCheckReport report = run_check(SPOIL_JVP);
    ENSURE(!report.passed);
    ENSURE(report.line[TAC_CHECK_FIRST].failed > 900);
    ENSURE(report.line[TAC_CHECK_FIRST_QUAD].failed > 5);
    ENSURE(report.line[TAC_CHECK_ADJOINT].failed > 900);
    ENSURE(report.line[TAC_CHECK_TAYLOR_2].failed > 50);
    return 0;
}

static int vjp_off_by_one_percent_fails(void) {
    tacCheckReport report = run_check(SPOIL_VJP);
    ENSURE(!report.passed);
    ENSURE(report.line[TAC_CHECK_ADJOINT].failed > 900);
    ENSURE(report.line[TAC_CHECK_SYMMETRY].failed > 900);
    return 0;
}

static int hvp_off_by_one_percent_fails(void) {
    tacCheckReport report = run_check(SPOIL_VJP_CURVATURE);
    ENSURE(!report.passed);
    ENSURE(report.line[TAC_CHECK_SECOND].failed > 900);
    return 0;
}

// Outputs that are small differences of large numbers are rounded as those are: slopes are asked
// for above that once it is given, and a wrong derivative is still seen.
static int rounding_is_relative_to_the_summands(void) {
    const double magnitude[2] = {1e6, 1e6};
    ENSURE(check_far(SPOIL_NOTHING, 1e6, NULL).line[TAC_CHECK_TAYLOR_3].failed > 5);
    ENSURE(check_far(SPOIL_NOTHING, 1e6, magnitude).line[TAC_CHECK_TAYLOR_2].failed == 0);
    ENSURE(check_far(SPOIL_NOTHING, 1e6, magnitude).line[TAC_CHECK_TAYLOR_3].failed == 0);
    ENSURE(check_far(SPOIL_JVP, 1e6, magnitude).line[TAC_CHECK_TAYLOR_2].failed > 20);
    return 0;
}

static int non_finite_is_an_error(void) {
    double a[2] = {1.0, NAN}, b[2] = {1.0, 1.0};
    ENSURE(isinf(tac_check_error(2, a, b, 0.0)));
    return 0;
}

TEST_MAIN(RUN(right_derivatives_pass), RUN(jvp_off_by_one_percent_fails),
          RUN(vjp_off_by_one_percent_fails), RUN(hvp_off_by_one_percent_fails),
          RUN(rounding_is_relative_to_the_summands), RUN(non_finite_is_an_error))
