// First and second derivatives in one number type, each by the method that this type is good at.

#include "check/check.h"
#include "math/number.h"

#include <stddef.h>

// memory: four arrays of n and four of m reals
typedef struct reals {
    tacReal *x, *a, *b, *c, *y, *d, *e, *f;
} reals;

static reals split_memory(void* memory, int n, int m) {
    tacReal* p = memory;
    return (reals){p,         p + n,         p + 2 * n,         p + 3 * n,
                   p + 4 * n, p + 4 * n + m, p + 4 * n + 2 * m, p + 4 * n + 3 * m};
}

static void to_doubles(int n, const tacReal* in, double* out) {
    for (int i = 0; i < n; ++i) out[i] = tac_re(in[i]);
}

#if defined(TAC_NUMBER_COMPLEX)

// Im f(x + i h x')/h, exact to rounding
static const tacCheckFunctions* functions_of(const tacCheckProblem* p) { return p->as_complex; }

static void perturb(int n, const double* x, const double* x_dot, tacReal* out) {
    for (int i = 0; i < n; ++i) out[i] = r_make(x[i], TAC_COMPLEX_STEP * x_dot[i]);
}

static void complex_step_derivative(int n, const tacReal* in, double* out) {
    for (int i = 0; i < n; ++i) out[i] = tac_im(in[i]) / TAC_COMPLEX_STEP;
}

static tacResult eval_first(const tacCheckProblem* p, const double* x, const double* x_dot,
                            double* y, double* y_dot, void* memory) {
    reals r = split_memory(memory, p->n, p->m);
    perturb(p->n, x, x_dot, r.x);
    tacResult result = functions_of(p)->value(p->context, r.x, r.y);
    to_doubles(p->m, r.y, y);
    complex_step_derivative(p->m, r.y, y_dot);
    return result;
}

static tacResult eval_second(const tacCheckProblem* p, const double* x, const double* y_bar,
                             const double* x_dot, double* x_bar, double* x_bar_dot, void* memory) {
    reals r = split_memory(memory, p->n, p->m);
    perturb(p->n, x, x_dot, r.x);
    for (int i = 0; i < p->m; ++i) r.d[i] = y_bar[i];
    tacResult result = functions_of(p)->vjp(p->context, r.x, r.d, r.a);
    to_doubles(p->n, r.a, x_bar);
    complex_step_derivative(p->n, r.a, x_bar_dot);
    return result;
}

const tacCheckNumber tac_check_number_complex = {eval_first, eval_second};

#elif defined(TAC_NUMBER_QUAD)

// central difference in quad precision: rounding 1e-34/1e-19, and a step far below every length
#define QUAD_STEP 1e-19

static const tacCheckFunctions* functions_of(const tacCheckProblem* p) { return p->as_quad; }

static void perturb(int n, const double* x, const double* x_dot, double h, tacReal* out) {
    for (int i = 0; i < n; ++i) out[i] = (tacReal)x[i] + (tacReal)h * x_dot[i];
}

static void central_difference(int n, const tacReal* plus, const tacReal* minus, double* out) {
    for (int i = 0; i < n; ++i) out[i] = tac_re((plus[i] - minus[i]) / (2 * (tacReal)QUAD_STEP));
}

static tacResult eval_first(const tacCheckProblem* p, const double* x, const double* x_dot,
                            double* y, double* y_dot, void* memory) {
    reals r = split_memory(memory, p->n, p->m);
    tacReal* point[3] = {r.x, r.a, r.b};
    tacReal* value[3] = {r.y, r.d, r.e};
    for (int k = 0; k < 3; ++k) {
        perturb(p->n, x, x_dot, (k - 1) * QUAD_STEP, point[k]);
        tacResult result = functions_of(p)->value(p->context, point[k], value[k]);
        if (result != TAC_OK) return result;
    }
    to_doubles(p->m, value[1], y);
    central_difference(p->m, value[2], value[0], y_dot);
    return TAC_OK;
}

static tacResult eval_second(const tacCheckProblem* p, const double* x, const double* y_bar,
                             const double* x_dot, double* x_bar, double* x_bar_dot, void* memory) {
    reals r = split_memory(memory, p->n, p->m);
    tacReal* bar[3] = {r.a, r.b, r.c};
    for (int i = 0; i < p->m; ++i) r.d[i] = y_bar[i];
    for (int k = 0; k < 3; ++k) {
        perturb(p->n, x, x_dot, (k - 1) * QUAD_STEP, r.x);
        tacResult result = functions_of(p)->vjp(p->context, r.x, r.d, bar[k]);
        if (result != TAC_OK) return result;
    }
    to_doubles(p->n, bar[1], x_bar);
    central_difference(p->n, bar[2], bar[0], x_bar_dot);
    return TAC_OK;
}

const tacCheckNumber tac_check_number_quad = {eval_first, eval_second};

#else

// the analytic derivatives themselves, which are checked
static const tacCheckFunctions* functions_of(const tacCheckProblem* p) { return p->as_double; }

static tacResult eval_first(const tacCheckProblem* p, const double* x, const double* x_dot,
                            double* y, double* y_dot, void* memory) {
    reals r = split_memory(memory, p->n, p->m);
    tacResult result = functions_of(p)->value(p->context, x, r.y);
    if (result == TAC_OK) result = functions_of(p)->jvp(p->context, x, x_dot, r.d);
    to_doubles(p->m, r.y, y);
    to_doubles(p->m, r.d, y_dot);
    return result;
}

static tacResult eval_second(const tacCheckProblem* p, const double* x, const double* y_bar,
                             const double* x_dot, double* x_bar, double* x_bar_dot, void* memory) {
    (void)memory;
    tacResult result = functions_of(p)->vjp(p->context, x, y_bar, x_bar);
    if (result == TAC_OK && p->hvp) result = p->hvp(p->context, x, y_bar, x_dot, x_bar_dot);
    return result;
}

const tacCheckNumber tac_check_number_double = {eval_first, eval_second};

#endif
