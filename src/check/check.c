// Running the comparisons of check.h over sampled points.

#include "check/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char* const kind_names[TAC_CHECK_KINDS] = {
    "jvp = complex step",     "jvp = quad difference", "vjp . x' = y_bar . jvp",
    "hvp = complex step",     "hvp = quad difference", "hvp symmetric",
    "Taylor slope 2 (least)", "Taylor slope 3 (least)"};

const char* tac_check_kind_name(tacCheckKind kind) { return kind_names[kind]; }

tacCheckOptions tac_check_default_options(void) {
    return (tacCheckOptions){.points = 1000,
                             .quad_every = 100,
                             .taylor_every = 10,
                             .seed = 1,
                             .first = 1e-10,
                             .second = 1e-8};
}

//---------------------------------- numbers --------------------------------------

double tac_check_uniform(unsigned long long* random, double low, double high) {
    unsigned long long x = *random ? *random : 0x9e3779b97f4a7c15ull; // xorshift64*
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *random = x;
    return low + (high - low) * (double)((x * 0x2545f4914f6cdd1dull) >> 11) * 0x1p-53;
}

double tac_check_normal(unsigned long long* random) {
    double u = tac_check_uniform(random, 1e-300, 1.0), v = tac_check_uniform(random, 0.0, 1.0);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

static double max_abs(int n, const double* a) {
    double max = 0.0;
    for (int i = 0; i < n; ++i) {
        if (!isfinite(a[i])) return INFINITY;
        max = fmax(max, fabs(a[i]));
    }
    return max;
}

static double dot_reals(int n, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

// sum |a_i b_i|: the rounding of a dot product is relative to it
static double dot_scale(int n, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += fabs(a[i] * b[i]);
    return sum;
}

double tac_check_error(int n, const double* a, const double* b, double terms) {
    double scale = fmax(fmax(max_abs(n, a), max_abs(n, b)), terms), max = 0.0;
    if (!isfinite(scale)) return INFINITY;
    for (int i = 0; i < n; ++i) max = fmax(max, fabs(a[i] - b[i]));
    return scale > 0.0 ? max / scale : 0.0;
}

// b_i = a_i scale_i: an adjoint per typical length of its input
static void scale_by_length(int n, const double* a, const double* scale, double* b) {
    for (int i = 0; i < n; ++i) b[i] = a[i] * scale[i];
}

//---------------------------------- one point ------------------------------------

typedef struct checkRun {
    const tacCheckProblem* problem;
    tacCheckOptions options;
    tacCheckReport* report;
    unsigned long long random;
    int point;
    double terms; // size of the terms that make up y_dot, which may cancel in it
    double *x, *scale, *x_dot, *x_dot2, *x_bar, *x_bar_dot, *x_bar2, *x_bar_dot2, *x_bar_flat,
        *perturbed;                          // (n)
    double *y, *y_dot, *y2, *y_dot2, *y_bar; // (m)
    void* memory;
} checkRun;

static void record_error(checkRun* r, tacCheckKind kind, double error, double bound) {
    tacCheckLine* line = &r->report->line[kind];
    if (line->done++ == 0 || !(error <= line->worst)) {
        line->worst = error;
        line->worst_point = r->point;
    }
    if (!(error <= bound) || !isfinite(error)) {
        ++line->failed;
        r->report->passed = 0;
    }
}

static void record_slope(checkRun* r, tacCheckKind kind, double slope, double bound) {
    tacCheckLine* line = &r->report->line[kind];
    if (line->done++ == 0 || !(slope >= line->worst)) {
        line->worst = slope;
        line->worst_point = r->point;
    }
    if (!(slope >= bound)) {
        ++line->failed;
        r->report->passed = 0;
    }
}

static void draw_direction(checkRun* r, double* direction) {
    for (int i = 0; i < r->problem->n; ++i)
        direction[i] = r->scale[i] * tac_check_normal(&r->random);
}

// before the others: it fills y, y_dot, x_bar and terms
static tacResult check_adjoint(checkRun* r) {
    const tacCheckProblem* p = r->problem;
    const tacCheckFunctions* f = p->as_double;
    tacResult result = tac_check_number_double.first(p, r->x, r->x_dot, r->y, r->y_dot, r->memory);
    if (result == TAC_OK) result = f->vjp(p->context, r->x, r->y_bar, r->x_bar);
    double left = dot_reals(p->n, r->x_bar, r->x_dot), right = dot_reals(p->m, r->y_bar, r->y_dot);
    double terms = dot_scale(p->n, r->x_bar, r->x_dot);
    double scale = terms + dot_scale(p->m, r->y_bar, r->y_dot);
    r->terms = terms / max_abs(p->m, r->y_bar);
    record_error(r, TAC_CHECK_ADJOINT, scale > 0.0 ? fabs(left - right) / scale : 0.0,
                 r->options.first);
    return result;
}

static int is_due(const checkRun* r, int every) { return every > 0 && r->point % every == 0; }

static tacResult check_first(checkRun* r) {
    const tacCheckProblem* p = r->problem;
    tacResult result =
        tac_check_number_complex.first(p, r->x, r->x_dot, r->y2, r->y_dot2, r->memory);
    if (result != TAC_OK) return result;
    record_error(r, TAC_CHECK_FIRST, tac_check_error(p->m, r->y_dot, r->y_dot2, r->terms),
                 r->options.first);
    if (!p->as_quad || !is_due(r, r->options.quad_every)) return TAC_OK;
    result = tac_check_number_quad.first(p, r->x, r->x_dot, r->y2, r->y_dot2, r->memory);
    if (result == TAC_ERROR_UNSUPPORTED) return TAC_OK; // not there in quad numbers
    // a difference leaves h^2 = 1e-38 of the third order even where nothing changes to first order
    double terms = fmax(r->terms, 1e-20);
    record_error(r, TAC_CHECK_FIRST_QUAD, tac_check_error(p->m, r->y_dot, r->y_dot2, terms),
                 r->options.first);
    return result;
}

// x_bar_dot against x_bar_dot2, relative also to first-order terms over one length
static double second_error(checkRun* r) {
    int n = r->problem->n;
    scale_by_length(n, r->x_bar2, r->scale, r->perturbed);
    double terms = max_abs(n, r->perturbed);
    scale_by_length(n, r->x_bar_dot, r->scale, r->perturbed);
    scale_by_length(n, r->x_bar_dot2, r->scale, r->x_bar_flat);
    return tac_check_error(n, r->perturbed, r->x_bar_flat, terms);
}

static tacResult check_second(checkRun* r) {
    const tacCheckProblem* p = r->problem;
    tacResult result = tac_check_number_complex.second(p, r->x, r->y_bar, r->x_dot, r->x_bar2,
                                                       r->x_bar_dot, r->memory);
    if (result == TAC_OK && p->hvp) {
        result = p->hvp(p->context, r->x, r->y_bar, r->x_dot, r->x_bar_dot2);
        record_error(r, TAC_CHECK_SECOND, second_error(r), r->options.second);
    }
    if (result != TAC_OK || !p->as_quad || !is_due(r, r->options.quad_every)) return result;
    result = tac_check_number_quad.second(p, r->x, r->y_bar, r->x_dot, r->x_bar2, r->x_bar_dot2,
                                          r->memory);
    if (result == TAC_ERROR_UNSUPPORTED) return TAC_OK;
    record_error(r, TAC_CHECK_SECOND_QUAD, second_error(r), r->options.second);
    return result;
}

// a direction without the inputs whose directions do not commute
static void clear_curved(const tacCheckProblem* p, const double* in, double* out) {
    for (int i = 0; i < p->n; ++i) out[i] = i >= p->curved[0] && i < p->curved[1] ? 0.0 : in[i];
}

static tacResult check_symmetry(checkRun* r) {
    const tacCheckProblem* p = r->problem;
    double *one = r->perturbed, *two = r->x_dot2;
    clear_curved(p, r->x_dot, one);
    clear_curved(p, r->x_dot2, two);
    tacResult result = tac_check_number_complex.second(p, r->x, r->y_bar, one, r->x_bar2,
                                                       r->x_bar_flat, r->memory);
    if (result == TAC_OK)
        result = tac_check_number_complex.second(p, r->x, r->y_bar, two, r->x_bar2, r->x_bar_dot2,
                                                 r->memory);
    double a = dot_reals(p->n, r->x_bar_flat, two), b = dot_reals(p->n, r->x_bar_dot2, one);
    // directions have the lengths of the problem, so first-order terms measure what is negligible
    double scale = dot_scale(p->n, r->x_bar_flat, two) + dot_scale(p->n, r->x_bar_dot2, one) +
                   dot_scale(p->n, r->x_bar2, one);
    record_error(r, TAC_CHECK_SYMMETRY, scale > 0.0 ? fabs(a - b) / scale : 0.0, r->options.second);
    return result;
}

//---------------------------------- Taylor ---------------------------------------

#define HALVINGS 26

// Slope of the remainder at the smallest steps that are still clear of rounding: a wrong term of
// lower order shows there and nowhere else. The best of eight neighbouring fits, because a
// remainder may pass through zero. The first step within the noise counts as if it were at its
// edge: a remainder that drops there from far above has passed a feature. INFINITY when the
// remainder sinks into the noise within six steps: a slope cannot be seen there.
static double last_slope(const double* remainder, const double* noise) {
    int last = -1;
    for (int k = 0; k < HALVINGS; ++k)
        if (remainder[k] > 300.0 * noise[k])
            last = k;
        else
            break;
    if (last < 5) return INFINITY;
    double best = 0.0;
    for (int k = last + 1; k >= 2 && k > last - 8; --k)
        if (k < HALVINGS)
            best = fmax(best, 0.5 * log2(remainder[k - 2] / fmax(remainder[k], 300.0 * noise[k])));
    return best;
}

static tacResult check_taylor(checkRun* r) {
    const tacCheckProblem* p = r->problem;
    const tacCheckFunctions* f = p->as_double;
    double slope = dot_reals(p->m, r->y_bar, r->y_dot),
           curve = dot_reals(p->n, r->x_bar_dot, r->x_dot);
    double base = dot_reals(p->m, r->y_bar, r->y), second[HALVINGS], third[HALVINGS],
           noise[HALVINGS];
    // rounding of the outputs, and of the inputs that make them
    double size = dot_scale(p->m, r->y_bar, r->y) + dot_scale(p->n, r->x_bar, r->x);
    if (p->y_magnitude) size += dot_scale(p->m, r->y_bar, p->y_magnitude);
    if (p->x_magnitude) size += dot_scale(p->n, r->x_bar, p->x_magnitude);
    for (int k = 0; k < HALVINGS; ++k) {
        double h = 0.05 * pow(0.5, k);
        for (int i = 0; i < p->n; ++i) r->perturbed[i] = r->x[i] + h * r->x_dot[i];
        tacResult result = f->value(p->context, r->perturbed, r->y2);
        if (result != TAC_OK) return result;
        double change = dot_reals(p->m, r->y_bar, r->y2) - base;
        second[k] = fabs(change - h * slope);
        third[k] = fabs(change - h * slope - 0.5 * h * h * curve);
        noise[k] = 2.2e-16 * (size + h * fabs(slope));
    }
    record_slope(r, TAC_CHECK_TAYLOR_2, last_slope(second, noise), 1.7);
    record_slope(r, TAC_CHECK_TAYLOR_3, last_slope(third, noise), 2.6);
    return TAC_OK;
}

//---------------------------------- all points -----------------------------------

static tacResult check_point(checkRun* r) {
    const tacCheckProblem* p = r->problem;
    int smooth = p->sample(p->context, r->point, &r->random, r->x, r->scale);
    draw_direction(r, r->x_dot);
    draw_direction(r, r->x_dot2);
    for (int i = 0; i < p->m; ++i) r->y_bar[i] = tac_check_normal(&r->random);
    tacResult result = check_adjoint(r);
    if (result == TAC_OK) result = check_first(r);
    for (int i = smooth; i < p->m; ++i) r->y_bar[i] = 0.0;
    if (result == TAC_OK) result = check_second(r);
    if (result == TAC_OK) result = check_symmetry(r);
    if (result == TAC_OK && smooth == p->m && is_due(r, r->options.taylor_every))
        result = check_taylor(r);
    return result;
}

tacResult tac_check_run(const tacCheckProblem* problem, tacCheckOptions options,
                        tacCheckReport* report) {
    size_t n = (size_t)problem->n, m = (size_t)problem->m;
    double* block = calloc(10 * n + 5 * m, sizeof(double));
    void* memory = aligned_alloc(64, (TAC_CHECK_MEMORY(problem->n, problem->m) + 63) / 64 * 64);
    checkRun r = {.problem = problem, .options = options, .report = report, .memory = memory};
    *report = (tacCheckReport){.passed = 1};
    if (block && memory) {
        double** of_n[] = {&r.x,         &r.scale,  &r.x_dot,      &r.x_dot2,     &r.x_bar,
                           &r.x_bar_dot, &r.x_bar2, &r.x_bar_dot2, &r.x_bar_flat, &r.perturbed};
        double** of_m[] = {&r.y, &r.y_dot, &r.y2, &r.y_dot2, &r.y_bar};
        for (size_t i = 0; i < 10; ++i) *of_n[i] = block + i * n;
        for (size_t i = 0; i < 5; ++i) *of_m[i] = block + 10 * n + i * m;
        r.random = options.seed * 0x9e3779b97f4a7c15ull + 1;
        for (r.point = 0; r.point < options.points && report->result == TAC_OK; ++r.point) {
            report->result = check_point(&r);
            if (options.progress) options.progress(options.user, (double)r.point / options.points);
        }
    } else {
        report->result = TAC_ERROR_MEMORY;
    }
    if (report->result != TAC_OK) report->passed = 0;
    free(memory);
    free(block);
    return report->result;
}
