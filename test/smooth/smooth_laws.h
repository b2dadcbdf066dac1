// What holds for every map of adapter_smooth.h, in double, besides its derivatives
// (test_smooth_derivatives.c).

#ifndef TAC_SMOOTH_SMOOTH_LAWS_H
#define TAC_SMOOTH_SMOOTH_LAWS_H

#include "smooth/adapter_smooth.h"
#include "test.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static int map_value(const softMap* m, const double* z, double* y) {
    return tac_check_smooth_double.value(m, z, y) != TAC_OK;
}
static int map_jvp(const softMap* m, const double* z, const double* z_dot, double* y_dot) {
    return tac_check_smooth_double.jvp(m, z, z_dot, y_dot) != TAC_OK;
}
static int map_vjp(const softMap* m, const double* z, const double* y_bar, double* z_bar) {
    return tac_check_smooth_double.vjp(m, z, y_bar, z_bar) != TAC_OK;
}

//---------------------------------- extremes ----------------------------------

static const double extreme_values[] = {0.0,   -0.0, 1e-308, -1e-300, 1.0,    -1.0,   1e16,
                                        -1e16, 1e17, 1e150,  -1e200,  1e300,  -1e308, 1e308,
                                        0.5,   2.0,  -3e15,  1e-16,   -1e-16, 1.7e308};
static const double extreme_taus[] = {1e-300, 1e-200, 1e-150, 1e-20, 1e-3,
                                      1.0,    1e3,    1e16,   1e150, 1e300};

// value and every derivative are finite
static int all_finite(const softMap* m, const double* z) {
    double y[SOFT_OUTPUTS], y_bar[SOFT_OUTPUTS];
    int bad = map_value(m, z, y);
    for (int o = 0; o < m->outputs; ++o) {
        bad |= !isfinite(y[o]);
        y_bar[o] = o % 2 ? -1.0 : 1.0;
    }
    double z_bar[SOFT_INPUTS] = {0};
    bad |= map_vjp(m, z, y_bar, z_bar);
    for (int i = 0; i < m->inputs; ++i) bad |= !isfinite(z_bar[i]);
    for (int i = 0; i < m->inputs; ++i) {
        double z_dot[SOFT_INPUTS] = {0};
        z_dot[i] = 1.0;
        bad |= map_jvp(m, z, z_dot, y);
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
    double z[SOFT_INPUTS];
    for (int i = 0; i < count; ++i)
        for (int trial = 0; trial < (maps[i].n ? 600 : 20000); ++trial) {
            const softMap* m = &maps[i];
            int last = map_tau(m);
            for (int j = 0; j < m->inputs; ++j)
                z[j] = extreme_values[test_bits(&random) % COUNT(extreme_values)];
            if (m->inputs == 4 && z[1] > z[2]) z[1] = z[2];
            if (last > 0) z[last] = extreme_taus[test_bits(&random) % COUNT(extreme_taus)];
            if (m->function == SOFT_select)
                z[last + 1] = extreme_taus[test_bits(&random) % COUNT(extreme_taus)];
            ENSURE(all_finite(m, z) == 0);
        }
    return 0;
}

#endif
