// Laws that hold for every map of maps.h, in double.

#ifndef TACTUS_TEST_SMOOTH_LAWS_H
#define TACTUS_TEST_SMOOTH_LAWS_H

#include "maps.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

// y_bar . jvp(z_dot) = vjp(y_bar) . z_dot, and the vjp adds
static int vjp_is_transposed_jvp(const softMap* m, const double* z, testRandom* random) {
    double z_dot[MAX_INPUTS], y_dot[MAX_OUTPUTS], y_bar[MAX_OUTPUTS], z_bar[MAX_INPUTS];
    double left = 0.0, right = 0.0, size = 0.0;
    for (int i = 0; i < m->inputs; ++i) z_dot[i] = test_uniform(random, -1.0, 1.0), z_bar[i] = 5.0;
    for (int o = 0; o < m->outputs; ++o) y_bar[o] = test_uniform(random, -1.0, 1.0);
    ENSURE(m->jvp(m, z, z_dot, y_dot) == 0 && m->vjp(m, z, y_bar, z_bar) == 0);
    for (int o = 0; o < m->outputs; ++o) left += y_bar[o] * y_dot[o], size += fabs(y_dot[o]);
    for (int i = 0; i < m->inputs; ++i) {
        right += (z_bar[i] - 5.0) * z_dot[i];
        size += fabs(z_bar[i] - 5.0) + 5e-3;
    }
    ENSURE_NEAR(left, right, 1e-12 * size);
    return 0;
}

// size of f(z + h d) - f(z) - h f' d
static int taylor_rest(const softMap* m, const double* z, const double* d, double h, double* rest) {
    double at[MAX_INPUTS], y[MAX_OUTPUTS], moved[MAX_OUTPUTS], y_dot[MAX_OUTPUTS];
    for (int i = 0; i < m->inputs; ++i) at[i] = z[i] + h * d[i];
    ENSURE(m->value(m, z, y) == 0 && m->value(m, at, moved) == 0 && m->jvp(m, z, d, y_dot) == 0);
    *rest = 0.0;
    for (int o = 0; o < m->outputs; ++o) *rest = fmax(*rest, fabs(moved[o] - y[o] - h * y_dot[o]));
    return 0;
}

// halving the step divides the rest by 4
static int taylor_slope_is_two(const softMap* m, const double* z, testRandom* random) {
    double d[MAX_INPUTS], coarse, fine, h = 1e-4;
    for (int i = 0; i < m->inputs; ++i) d[i] = test_uniform(random, -1.0, 1.0);
    ENSURE_LAW(taylor_rest(m, z, d, h, &coarse));
    ENSURE_LAW(taylor_rest(m, z, d, 0.5 * h, &fine));
    if (coarse < 0.02 * h * h) return 0; // hardly curved along d: higher orders would show
    if (!(fabs(coarse / fine - 4.0) < 0.2)) printf("  %s\n", m->name);
    ENSURE_NEAR(coarse / fine, 4.0, 0.2);
    return 0;
}

// the smallest distance of two scores: SoftSort is smooth only between ties
static double smallest_gap(const softMap* m, const double* z) {
    double gap = 1e300;
    for (int i = 0; i < m->n; ++i)
        for (int j = 0; j < i; ++j) gap = fmin(gap, fabs(z[i] - z[j]));
    return gap;
}

static int derivative_laws(const softMap* maps, int count) {
    testRandom random = {11};
    double z[MAX_INPUTS];
    for (int i = 0; i < count; ++i)
        for (int trial = 0; trial < 100; ++trial) {
            map_point(&maps[i], &random, -0.7, 0.3, 0, z);
            ENSURE_LAW(vjp_is_transposed_jvp(&maps[i], z, &random));
            if (smallest_gap(&maps[i], z) > 4e-4)
                ENSURE_LAW(taylor_slope_is_two(&maps[i], z, &random));
            map_point(&maps[i], &random, -5.0, 5.0, trial % 2, z);
            ENSURE_LAW(vjp_is_transposed_jvp(&maps[i], z, &random));
        }
    return 0;
}

//---------------------------------- extremes ----------------------------------

static const double extreme_values[] = {0.0,   -0.0, 1e-308, -1e-300, 1.0,    -1.0,   1e16,
                                        -1e16, 1e17, 1e150,  -1e200,  1e300,  -1e308, 1e308,
                                        0.5,   2.0,  -3e15,  1e-16,   -1e-16, 1.7e308};
static const double extreme_taus[] = {1e-300, 1e-200, 1e-150, 1e-20, 1e-3,
                                      1.0,    1e3,    1e16,   1e150, 1e300};

// value and every derivative are finite
static int all_finite(const softMap* m, const double* z) {
    double y[MAX_OUTPUTS], y_bar[MAX_OUTPUTS];
    int bad = m->value(m, z, y);
    for (int o = 0; o < m->outputs; ++o) bad |= !isfinite(y[o]), y_bar[o] = o % 2 ? -1.0 : 1.0;
    double z_bar[MAX_INPUTS] = {0};
    bad |= m->vjp(m, z, y_bar, z_bar);
    for (int i = 0; i < m->inputs; ++i) bad |= !isfinite(z_bar[i]);
    for (int i = 0; i < m->inputs; ++i) {
        double z_dot[MAX_INPUTS] = {0};
        z_dot[i] = 1.0;
        bad |= m->jvp(m, z, z_dot, y);
        for (int o = 0; o < m->outputs; ++o) bad |= !isfinite(y[o]);
    }
    if (bad) {
        printf("  %s at", m->name);
        for (int i = 0; i < m->inputs; ++i) printf(" %g", z[i]);
        printf("\n");
    }
    return bad;
}

// random draws from the extremes for all inputs
static int finite_at_extremes(const softMap* maps, int count) {
    testRandom random = {5};
    double z[MAX_INPUTS];
    for (int i = 0; i < count; ++i)
        for (int trial = 0; trial < (maps[i].n ? 600 : 20000); ++trial) {
            const softMap* m = &maps[i];
            int last = m->value == select_value ? m->inputs - 2 : m->inputs - 1;
            for (int j = 0; j < m->inputs; ++j)
                z[j] = extreme_values[test_bits(&random) % COUNT(extreme_values)];
            if (m->inputs == 4 && z[1] > z[2]) z[1] = z[2];
            if (last > 0) z[last] = extreme_taus[test_bits(&random) % COUNT(extreme_taus)];
            if (last < m->inputs - 1)
                z[last + 1] = extreme_taus[test_bits(&random) % COUNT(extreme_taus)];
            ENSURE(all_finite(m, z) == 0);
        }
    return 0;
}

#endif
