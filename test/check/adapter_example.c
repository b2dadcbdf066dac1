// y = (exp(x0) x1^2, log(1 + x0^2) + x2 x1), in the number type of this build.

#include "check/adapter_example.h"

#include "math/number.h"

static int perturbed_result(const void* context, int part) {
    return ((const exampleContext*)context)->spoil == part;
}

static tacResult example_value(const void* context, const tacReal* x, tacReal* y) {
    double far = ((const exampleContext*)context)->far;
    y[0] = far + r_exp(x[0]) * x[1] * x[1] - far;
    y[1] = far + (r_log(1.0 + x[0] * x[0]) + x[2] * x[1]) - far;
    return TAC_OK;
}

static tacResult example_jvp(const void* context, const tacReal* x, const tacReal* d, tacReal* y) {
    tacReal e = r_exp(x[0]), wrong = perturbed_result(context, SPOIL_JVP) ? 1.01 : 1.0;
    y[0] = e * x[1] * (x[1] * d[0] + 2.0 * wrong * d[1]);
    y[1] = 2.0 * x[0] / (1.0 + x[0] * x[0]) * d[0] + x[1] * d[2] + x[2] * d[1];
    return TAC_OK;
}

static tacResult example_vjp(const void* context, const tacReal* x, const tacReal* bar,
                             tacReal* out) {
    tacReal e = r_exp(x[0]), wrong = perturbed_result(context, SPOIL_VJP) ? 1.01 : 1.0;
    out[0] = e * x[1] * x[1] * bar[0] + 2.0 * x[0] / (1.0 + x[0] * x[0]) * bar[1];
    out[1] = 2.0 * e * x[1] * bar[0] + x[2] * bar[1] * wrong;
    out[2] = x[1] * bar[1];
    return TAC_OK;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_example_) = {example_value, example_jvp,
                                                                example_vjp};
