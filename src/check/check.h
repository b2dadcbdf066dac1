// One mechanism that checks a derivative, for the tests and for `tactus grad --check`.
//
// A differentiable function y = f(x) has value, jvp and vjp, written once in tacReal and compiled
// as double, complex and quad. The checks at each sampled point:
//
//   first     jvp (double)  =  Im f(x + i h x')/h (complex)  =  central difference (quad)
//   adjoint   x_bar . x'    =  y_bar . y'
//   second    hvp (double)  =  Im vjp(x + i h x')/h (complex) = central difference of vjp (quad)
//   symmetry  hvp(x1) . x2  =  hvp(x2) . x1
//   taylor    y_bar . f(x + h x') minus its expansion falls as h^2, with the Hessian term as h^3
//
// docs/derivatives.md.

#ifndef TAC_CHECK_CHECK_H
#define TAC_CHECK_CHECK_H

#include "tactus/result.h"

#include "base/dispatch.h"

// the function in the number type of the translation unit; jvp and vjp may be NULL outside double
typedef struct tacCheckFunctions {
    tacResult (*value)(const void* context, const tacReal* x, tacReal* y);
    tacResult (*jvp)(const void* context, const tacReal* x, const tacReal* x_dot, tacReal* y_dot);
    // x_bar = (dy/dx)^T y_bar, overwritten
    tacResult (*vjp)(const void* context, const tacReal* x, const tacReal* y_bar, tacReal* x_bar);
} tacCheckFunctions;

// a function to check; each pointer is to a tacCheckFunctions of its own number type
typedef struct tacCheckProblem {
    const char* name;
    int n, m;            // lengths of x and y
    int curved[2];       // inputs [from, to) whose directions do not commute (rotations): second
                         // derivatives are not symmetric there, and the check leaves them out
    const void* context; // argument of every function, in doubles
    const void* as_double;
    const void* as_complex;
    const void* as_quad; // NULL, or one that answers TAC_ERROR_UNSUPPORTED: no quad check
    // optional: magnitudes of the base points of inputs and outputs (displacements of positions);
    // their rounding is relative to these. Filled by `sample`.                            (n), (m)
    const double *x_magnitude, *y_magnitude;
    // optional: the library's own Hessian product, x_bar_dot = d/dt vjp(x + t x', y_bar),
    // overwritten
    tacResult (*hvp)(const void* context, const double* x, const double* y_bar, const double* x_dot,
                     double* x_bar_dot);
    // Fills point number i of a run: x, and the length scale of each input for directions. Returns
    // how many leading outputs have second derivatives at the point: second derivatives are
    // compared of those alone, and Taylor slopes only where all have them.
    int (*sample)(const void* context, int i, unsigned long long* random, double* x, double* scale);
} tacCheckProblem;

typedef struct tacCheckOptions {
    int points;       // sampled
    int quad_every;   // every how many points the quad check runs; 0: never
    int taylor_every; // likewise
    unsigned long long seed;
    double first, second;                      // largest norm-wise relative errors
    void (*progress)(void* user, double done); // NULL: none
    void* user;
} tacCheckOptions;

// one kind of comparison
typedef enum tacCheckKind {
    TAC_CHECK_FIRST,
    TAC_CHECK_FIRST_QUAD,
    TAC_CHECK_ADJOINT,
    TAC_CHECK_SECOND,
    TAC_CHECK_SECOND_QUAD,
    TAC_CHECK_SYMMETRY,
    TAC_CHECK_TAYLOR_2,
    TAC_CHECK_TAYLOR_3,
    TAC_CHECK_KINDS
} tacCheckKind;

typedef struct tacCheckLine {
    int done, failed; // comparisons made, comparisons over the bound
    double worst;     // largest relative error, or smallest slope
    int worst_point;  // where
} tacCheckLine;

typedef struct tacCheckReport {
    int passed;
    tacResult result; // of the function itself, if a call failed
    tacCheckLine line[TAC_CHECK_KINDS];
} tacCheckReport;

const char* tac_check_kind_name(tacCheckKind kind);
tacCheckOptions tac_check_default_options(void);

// allocates and frees its own memory; TAC_OK even if the derivative is wrong: see report->passed
tacResult tac_check_run(const tacCheckProblem* problem, tacCheckOptions options,
                        tacCheckReport* report);

// Largest difference, relative to the largest entry or to the terms that made it up.
double tac_check_error(int n, const double* a, const double* b, double terms);

// uniform in [low, high), normal with unit variance
double tac_check_uniform(unsigned long long* random, double low, double high);
double tac_check_normal(unsigned long long* random);

//---------------------------------- per number type ------------------------------

// derivatives of a function by the method of one number type
typedef struct tacCheckNumber {
    // y = f(x), y_dot = f'(x) x_dot: by jvp, complex step or difference
    tacResult (*first)(const tacCheckProblem* problem, const double* x, const double* x_dot,
                       double* y, double* y_dot, void* memory);
    // x_bar = vjp(x, y_bar), and its derivative along x_dot
    tacResult (*second)(const tacCheckProblem* problem, const double* x, const double* y_bar,
                        const double* x_dot, double* x_bar, double* x_bar_dot, void* memory);
} tacCheckNumber;

extern const tacCheckNumber tac_check_number_double, tac_check_number_complex,
    tac_check_number_quad;

// bytes of `memory`
#define TAC_CHECK_MEMORY(n, m) ((size_t)(4 * ((n) + (m))) * 16)

// symbol of an adapter in this number type: TAC_CHECK_SYMBOL(tac_check_shape_)
#define TAC_CHECK_SYMBOL(name) TAC_JOIN(name, TAC_NUMBER_NAME)

// declares the three adapters of a function
#define TAC_DECLARE_CHECK(name)                                                                    \
    extern const tacCheckFunctions TAC_JOIN(name, double), TAC_JOIN(name, complex),                \
        TAC_JOIN(name, quad)

#endif
