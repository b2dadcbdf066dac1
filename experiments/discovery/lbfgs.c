// L-BFGS (Nocedal and Wright, algorithm 7.4) with backtracking on the value.

#include "experiments/discovery/lbfgs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HISTORY = 12 };

typedef struct lbfgsState {
    int n, count; // pairs so far
    double *step[HISTORY], *change[HISTORY], curvature[HISTORY];
    double *gradient, *direction, *x, *next_gradient;
} lbfgsState;

static double dot_n(const double* a, const double* b, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

static void add_scaled(double* x, double a, const double* b, int n) {
    for (int i = 0; i < n; ++i) x[i] += a * b[i];
}

static lbfgsState split_memory(double* memory, int n) {
    lbfgsState s = {.n = n};
    double** arrays[] = {&s.gradient, &s.direction, &s.x, &s.next_gradient};
    for (int i = 0; i < 4; ++i) *arrays[i] = memory + (size_t)i * (size_t)n;
    for (int i = 0; i < HISTORY; ++i) {
        s.step[i] = memory + (size_t)(4 + i) * (size_t)n;
        s.change[i] = memory + (size_t)(4 + HISTORY + i) * (size_t)n;
    }
    return s;
}

// direction = H gradient by the two loops over past pairs
static void find_direction(lbfgsState* s) {
    double a[HISTORY], *d = s->direction;
    int kept = s->count < HISTORY ? s->count : HISTORY, last = s->count - 1;
    memcpy(d, s->gradient, sizeof *d * (size_t)s->n);
    for (int k = 0; k < kept; ++k) {
        int j = (last - k) % HISTORY;
        a[k] = dot_n(s->step[j], d, s->n) / s->curvature[j];
        add_scaled(d, -a[k], s->change[j], s->n);
    }
    double scale = 1.0;
    if (kept > 0) {
        const double* y = s->change[last % HISTORY];
        scale = s->curvature[last % HISTORY] / dot_n(y, y, s->n);
    }
    for (int i = 0; i < s->n; ++i) d[i] *= scale;
    for (int k = kept - 1; k >= 0; --k) {
        int j = (last - k) % HISTORY;
        double b = dot_n(s->change[j], d, s->n) / s->curvature[j];
        add_scaled(d, a[k] - b, s->step[j], s->n);
    }
}

// keeps the pair of a step where its curvature is positive
static void keep_pair(lbfgsState* s, const double* x) {
    int j = s->count % HISTORY;
    for (int i = 0; i < s->n; ++i) {
        s->step[j][i] = s->x[i] - x[i];
        s->change[j][i] = s->next_gradient[i] - s->gradient[i];
    }
    s->curvature[j] = dot_n(s->step[j], s->change[j], s->n);
    if (s->curvature[j] > 1e-12 * dot_n(s->change[j], s->change[j], s->n)) ++s->count;
}

// s->x = x - t direction with a lower value, which is returned; infinite: none was found
static double search_line(lbfgsProblem problem, lbfgsState* s, const double* x, double value) {
    double slope = dot_n(s->gradient, s->direction, s->n);
    double norm = sqrt(dot_n(s->direction, s->direction, s->n));
    double t = s->count > 0 ? 1.0 : fmin(1e3, 1.0 / norm);
    for (int i = 0; i < 25; ++i, t *= 0.5) {
        memcpy(s->x, x, sizeof *x * (size_t)s->n);
        add_scaled(s->x, -t, s->direction, s->n);
        double next = problem.value(problem.context, s->x, NULL);
        if (next <= value - 1e-4 * t * slope) return next;
    }
    return INFINITY;
}

static double iterate(lbfgsProblem problem, lbfgsState* s, double* x, int iterations) {
    double value = problem.value(problem.context, x, s->gradient);
    for (int i = 0; i < iterations && isfinite(value); ++i) {
        find_direction(s);
        if (dot_n(s->gradient, s->direction, s->n) <= 0.0) {
            s->count = 0;
            find_direction(s);
        }
        double next = search_line(problem, s, x, value);
        if (!isfinite(next) && s->count == 0) break;
        if (!isfinite(next)) {
            s->count = 0; // once more along the gradient
            continue;
        }
        problem.value(problem.context, s->x, s->next_gradient);
        keep_pair(s, x);
        memcpy(x, s->x, sizeof *x * (size_t)s->n);
        memcpy(s->gradient, s->next_gradient, sizeof *x * (size_t)s->n);
        double gain = value - next;
        value = next;
        if (gain < 1e-9 * fabs(value)) break;
    }
    return value;
}

double lbfgs_minimize(lbfgsProblem problem, double* x, int iterations) {
    size_t arrays = 4 + 2 * HISTORY;
    double* memory = calloc(arrays * (size_t)problem.n, sizeof *memory);
    if (!memory) return INFINITY;
    lbfgsState s = split_memory(memory, problem.n);
    double value = iterate(problem, &s, x, iterations);
    free(memory);
    return value;
}
