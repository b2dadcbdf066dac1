// Every derivative of src/smooth/ against complex steps: Im f(z + i h dz) / h, h = 1e-150.
//
// Built with -DTAC_NUMBER_COMPLEX -fcx-limited-range; takes the module's files in as they are.

#include "smooth/select.c"
#include "smooth/select_diff.c"
#include "smooth/sinkhorn.c"
#include "smooth/sinkhorn_diff.c"
#include "smooth/soft.c"
#include "smooth/soft_max.c"
#include "smooth/soft_max_diff.c"
#include "smooth/soft_sort.c"
#include "smooth/soft_sort_diff.c"

#include "maps.h"

static const double H = 1e-150;
static double worst_first, worst_second;

static double largest(int n, const tacReal* x) {
    double size = 0.0;
    for (int i = 0; i < n; ++i) size = fmax(size, fabs(tac_re(x[i])));
    return size;
}

// each input in turn: norm-wise over the outputs; rounding of order one quantities is allowed for
static int jvp_is_complex_step(const softMap* m, const tacReal* z, double noise) {
    tacReal at[MAX_INPUTS], y[MAX_OUTPUTS], y_dot[MAX_OUTPUTS];
    for (int i = 0; i < m->inputs; ++i) {
        tacReal dot[MAX_INPUTS] = {0};
        dot[i] = 1.0;
        for (int j = 0; j < m->inputs; ++j) at[j] = z[j] + r_make(0.0, H) * dot[j];
        ENSURE(m->value(m, at, y) == 0 && m->jvp(m, z, dot, y_dot) == 0);
        double size = largest(m->outputs, y_dot);
        for (int o = 0; o < m->outputs; ++o) {
            double step = tac_im(y[o]) / H, tolerance = 1e-11 * size + noise;
            if (!(fabs(step - tac_re(y_dot[o])) <= tolerance))
                printf("  %s: input %d, output %d\n", m->name, i, o);
            ENSURE_NEAR(tac_re(y_dot[o]), step, tolerance);
            if (size > 5e10 * noise)
                worst_first = fmax(worst_first, fabs(step - tac_re(y_dot[o])) / size);
        }
    }
    return 0;
}

// derivative of the vjp: a symmetric matrix
static int hessian_is_symmetric(const softMap* m, const tacReal* z, testRandom* random,
                                double noise) {
    static double hessian[MAX_INPUTS][MAX_INPUTS];
    tacReal at[MAX_INPUTS], y_bar[MAX_OUTPUTS];
    double size = 0.0;
    for (int o = 0; o < m->outputs; ++o) y_bar[o] = test_uniform(random, -1.0, 1.0);
    for (int i = 0; i < m->inputs; ++i) {
        tacReal bar[MAX_INPUTS] = {0};
        for (int j = 0; j < m->inputs; ++j) at[j] = z[j];
        at[i] += r_make(0.0, H);
        ENSURE(m->vjp(m, at, y_bar, bar) == 0);
        for (int j = 0; j < m->inputs; ++j) {
            hessian[i][j] = tac_im(bar[j]) / H;
            size = fmax(size, fabs(hessian[i][j]));
        }
    }
    for (int i = 0; i < m->inputs; ++i)
        for (int j = 0; j < i; ++j) {
            if (!(fabs(hessian[i][j] - hessian[j][i]) <= 1e-9 * size + noise))
                printf("  %s: inputs %d and %d\n", m->name, i, j);
            ENSURE_NEAR(hessian[i][j], hessian[j][i], 1e-9 * size + noise);
            if (size > 1e10 * noise)
                worst_second = fmax(worst_second, fabs(hessian[i][j] - hessian[j][i]) / size);
        }
    return 0;
}

static int check_maps(const softMap* maps, int count, double low, double high) {
    testRandom random = {7};
    tacReal z[MAX_INPUTS];
    for (int i = 0; i < count; ++i)
        for (int trial = 0; trial < 200; ++trial) {
            int last = maps[i].value == select_value ? maps[i].inputs - 2 : maps[i].inputs - 1;
            map_point(&maps[i], &random, low, high, trial % 4 == 3, z);
            double scale = last > 0 ? 1.0 / tac_re(z[last]) : 1.0;
            ENSURE_LAW(jvp_is_complex_step(&maps[i], z, 2e-14 * fmax(1.0, scale)));
            ENSURE_LAW(
                hessian_is_symmetric(&maps[i], z, &random, 1e-13 * fmax(1.0, scale * scale)));
        }
    return 0;
}

#define CHECK(maps, low, high) check_maps(maps, (int)(sizeof maps / sizeof maps[0]), low, high)

static int scalars_at_moderate_temperature(void) { return CHECK(scalar_maps, -2.0, 1.0); }
static int scalars_at_small_temperature(void) { return CHECK(scalar_maps, -6.0, -2.0); }
static int scalars_at_large_temperature(void) { return CHECK(scalar_maps, 1.0, 8.0); }
static int softmax_at_moderate_temperature(void) { return CHECK(array_maps, -2.0, 1.0); }
static int softmax_at_small_temperature(void) { return CHECK(array_maps, -6.0, -2.0); }
static int softmax_at_large_temperature(void) { return CHECK(array_maps, 1.0, 8.0); }
static int softsort_at_moderate_temperature(void) { return CHECK(sort_maps, -1.0, 1.0); }
static int softsort_at_small_temperature(void) { return CHECK(sort_maps, -6.0, -1.0); }
static int sinkhorn_at_moderate_temperature(void) { return CHECK(sinkhorn_maps, -1.0, 1.0); }
static int sinkhorn_at_small_temperature(void) { return CHECK(sinkhorn_maps, -6.0, -1.0); }
static int sinkhorn_at_large_temperature(void) { return CHECK(sinkhorn_maps, 1.0, 6.0); }
static int selection_with_wide_ramp(void) { return CHECK(select_maps, -1.0, 1.0); }
static int selection_with_narrow_ramp(void) { return CHECK(select_maps, -6.0, -1.0); }

//---------------------------------- special points ----------------------------------

// joints of selects and of the compact transitions, exactly
static int at_the_joints(void) {
    static const double points[][4] = {{0, 0, 1, 0.1}, {1, 0, 1, 0.1},   {0.5, 0, 1, 0.1},
                                       {0, 0, 0, 0.1}, {-1, -1, -1, 10}, {0, -1, 1, 1e-3},
                                       {1, 0, 2, 1},   {-1, 0, 1, 1e6},  {70, 0, 1, 0.1}};
    testRandom random = {3};
    for (size_t i = 0; i < sizeof scalar_maps / sizeof scalar_maps[0]; ++i)
        for (size_t p = 0; p < sizeof points / sizeof points[0]; ++p) {
            tacReal z[4];
            for (int j = 0; j < 4; ++j) z[j] = points[p][j];
            if (scalar_maps[i].inputs < 4) z[scalar_maps[i].inputs - 1] = points[p][3];
            if (scalar_maps[i].inputs == 1) z[0] = points[p][0];
            double scale = 1.0 / points[p][3];
            ENSURE_LAW(jvp_is_complex_step(&scalar_maps[i], z, 2e-14 * fmax(1.0, scale)));
            ENSURE_LAW(hessian_is_symmetric(&scalar_maps[i], z, &random,
                                            1e-13 * fmax(1.0, scale * scale)));
        }
    return 0;
}

// tails: relative precision is kept down to 1e-155
static int in_the_tails(void) {
    for (double x = -45.0; x <= 45.0; x += 1.3) {
        tacReal tail[][4] = {{x, 0.0, 1.03, 0.1}, {x, -0.1, 0.12, 0.1}};
        for (int p = 0; p < 2; ++p) {
            tacReal three[3] = {x, 0.2, 0.1};
            ENSURE_LAW(jvp_is_complex_step(&scalar_maps[0], three, 1e-155));
            ENSURE_LAW(jvp_is_complex_step(&scalar_maps[1], three, 1e-155));
            ENSURE_LAW(jvp_is_complex_step(&scalar_maps[6], tail[p], 1e-155));
        }
    }
    return 0;
}

static int largest_errors_seen(void) {
    printf("  first derivatives %.1e, symmetry of second %.1e\n", worst_first, worst_second);
    return 0;
}

TEST_MAIN(RUN(scalars_at_moderate_temperature), RUN(scalars_at_small_temperature),
          RUN(scalars_at_large_temperature), RUN(softmax_at_moderate_temperature),
          RUN(softmax_at_small_temperature), RUN(softmax_at_large_temperature),
          RUN(softsort_at_moderate_temperature), RUN(softsort_at_small_temperature),
          RUN(sinkhorn_at_moderate_temperature), RUN(sinkhorn_at_small_temperature),
          RUN(sinkhorn_at_large_temperature), RUN(selection_with_wide_ramp),
          RUN(selection_with_narrow_ramp), RUN(at_the_joints), RUN(in_the_tails),
          RUN(largest_errors_seen))
