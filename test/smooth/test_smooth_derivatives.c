// Every derivative of src/smooth/ by the one check (check/check.h): complex step, quad precision,
// adjoint, second derivatives, Taylor slopes; at any temperature, at ties, joints and in the tails.

#include "smooth/adapter_smooth.h"

#include "base/assert.h"
#include "check/prove.h"

// Points come in four kinds, by their number modulo 4:
//   0  general: a temperature about as large as the scores; the one kind with Taylor slopes
//   2  scores in units of a temperature from 1e-6 to 1e8, and ties: complex step and quad precision
//   1  in the tails, 3  scores of size 1 at such a temperature, ties and joints exactly: complex
//      step alone, as a difference sees neither 1e-100 beside 1 nor a side of a tie
enum { GENERAL, TAIL, UNITS, EXTREME };
enum { POINTS = 200 };

static double draw_tau(int kind, unsigned long long* random) {
    double low = kind == GENERAL ? -0.7 : -6.0, high = kind == GENERAL ? 0.3 : 8.0;
    return pow(10.0, tac_check_uniform(random, low, high));
}

//---------------------------------- scalars ----------------------------------

// x, lower, upper, tau where selects and compact transitions join, at the reach and beyond
static const double joints[][4] = {{0, 0, 1, 0.1}, {1, 0, 1, 0.1},   {0.5, 0, 1, 0.1},
                                   {0, 0, 0, 0.1}, {-1, -1, -1, 10}, {0, -1, 1, 1e-3},
                                   {1, 0, 2, 1},   {-1, 0, 1, 1e6},  {72, 0, 1, 0.1}};

static int at_joint(int i) { return i % 4 == EXTREME && i / 4 < 4 * TAC_COUNT(joints); }

static void draw_scalar(const softMap* m, int i, unsigned long long* random, double* z) {
    int kind = i % 4, tau = map_tau(m);
    double width = draw_tau(kind, random), spacing = kind == UNITS && tau > 0 ? 2.0 * width : 1.0;
    for (int j = 0; j < m->inputs; ++j) z[j] = spacing * tac_check_uniform(random, -1.0, 1.0);
    if (m->inputs == 4) z[2] = z[1] + spacing * tac_check_uniform(random, 0.2, 1.2);
    if (tau > 0) z[tau] = width;
    if (kind == TAIL && tau > 0) z[0] = z[1] + width * tac_check_uniform(random, -300.0, 300.0);
    if (kind == TAIL && m->inputs == 2) z[0] = width * tac_check_uniform(random, -300.0, 300.0);
    if (!at_joint(i)) return;
    const double* joint = joints[i / 4 % TAC_COUNT(joints)];
    for (int j = 0; j < m->inputs; ++j) z[j] = j == tau ? joint[3] : joint[j];

    // the slope of abs on 0 is 0, which complex step makes of 1 - 2/2: relative to nothing
    if (m->function == SOFT_abs && z[0] == 0.0) z[0] = 1e-3 * z[tau];
}

// derivatives below 1e-155 are lost in the complex build (docs/smooth.md, Limits)
static int underflows_in_complex(double ratio) { return ratio > 300.0 && ratio < 710.0; }

static int usable_scalar(const softMap* m, int i, const double* z) {
    int bad = 0;
    // compact transitions: a difference does not see a slope of 1e-5 beside 1
    if (m->inputs == 1) return i % 2 || fabs(fabs(fabs(z[0]) - 0.5) - 0.5) > 0.01;
    if (m->inputs == 2)
        return !underflows_in_complex(2.0 * fabs(z[0]) / z[1]) &&
               !underflows_in_complex(fabs(z[0]) / z[1]);
    for (int j = 1; j < m->inputs - 1; ++j)
        bad |= underflows_in_complex(fabs(z[0] - z[j]) / z[m->inputs - 1]);
    return !bad;
}

//---------------------------------- arrays ----------------------------------

// the distance of scores that a temperature stands for
static double map_unit(const softMap* m, double tau) { return m->power == 2 ? sqrt(tau) : tau; }

static void draw_array(const softMap* m, int i, unsigned long long* random, double* z) {
    int kind = i % 4, tied = (kind == UNITS && m->function != SOFT_sort) || kind == EXTREME;
    double width = draw_tau(kind, random), spacing = kind == UNITS ? 2.0 * map_unit(m, width) : 1.0;
    for (int j = 0; j < m->n; ++j) z[j] = spacing * tac_check_uniform(random, -1.0, 1.0);
    for (int j = 0; tied && i % 8 >= 4 && j + 1 < m->n; j += 3) z[j + 1] = z[j];
    z[m->n] = width;
    if (m->function == SOFT_select) z[m->n + 1] = m->gate;
}

// the smallest distance of neighbouring scores down to rank k, a tie of flat rows left out
static double smallest_gap(const softMap* m, const double* z) {
    double y[SOFT_INPUTS], gap = INFINITY, tau = z[m->n];
    int k = m->function == SOFT_sort || m->function == SOFT_sinkhorn ? m->k : 1;
    for (int i = 0; i < m->n; ++i) {
        double offset = 10.0 * map_unit(m, tau) * i / m->n;
        double score = m->function == SOFT_argmin ? -z[i] : z[i];
        if (m->function == SOFT_sort && m->ties == TAC_TIES_OFFSET) score -= offset;
        int at = i;
        for (; at > 0 && y[at - 1] < score; --at) y[at] = y[at - 1];
        y[at] = score;
    }
    for (int r = 0; r < k && r + 1 < m->n; ++r)
        if (m->power != 2 || y[r] > y[r + 1]) gap = fmin(gap, y[r] - y[r + 1]);
    return gap;
}

// SoftSort has a kink at a tie; otherwise as with scalars
static int usable_array(const softMap* m, int i, const double* z) {
    double gap = smallest_gap(m, z), tau = z[m->n];
    if (m->function == SOFT_sort && i % 2 == 0 &&
        gap < (i % 4 == GENERAL ? 0.05 : 1e-3 * map_unit(m, tau)))
        return 0;
    double ratio = (m->power == 2 ? gap * gap : gap) / tau;
    return !underflows_in_complex(ratio) &&
           !(m->function == SOFT_sinkhorn && underflows_in_complex(0.5 * ratio));
}

//---------------------------------- the check ----------------------------------

static int sample(const void* context, int i, unsigned long long* random, double* z,
                  double* scale) {
    const softMap* m = context;
    int usable = 0;
    while (!usable) {
        if (m->n) {
            draw_array(m, i, random, z);
            usable = usable_array(m, i, z);
        } else {
            draw_scalar(m, i, random, z);
            usable = usable_scalar(m, i, z);
        }
    }
    int tau = map_tau(m);
    for (int j = 0; j < m->inputs; ++j)
        scale[j] = tau < 0 ? 1.0 : j == tau ? z[tau] : map_unit(m, z[tau]);
    if (m->function == SOFT_select) scale[m->n + 1] = 0.3 * m->gate;
    return m->outputs;
}

static int prove_maps(const softMap* maps, int count) {
    int failed = 0;
    tacCheckOptions options = {.points = POINTS,
                               .quad_every = 2,
                               .taylor_every = 4,
                               .seed = 1,
                               .first = 1e-11,
                               .second = 1e-9};
    for (int i = 0; i < count; ++i) {
        tacCheckProblem problem = {.name = maps[i].name,
                                   .n = maps[i].inputs,
                                   .m = maps[i].outputs,
                                   .context = &maps[i],
                                   .as_double = &tac_check_smooth_double,
                                   .as_complex = &tac_check_smooth_complex,
                                   .as_quad = &tac_check_smooth_quad,
                                   .sample = sample};
        failed |= prove(&problem, options);
    }
    return failed;
}

static int scalars_have_exact_derivatives(void) {
    return prove_maps(scalar_maps, TAC_COUNT(scalar_maps));
}
static int softmax_has_exact_derivatives(void) {
    return prove_maps(array_maps, TAC_COUNT(array_maps));
}
static int softsort_has_exact_derivatives(void) {
    return prove_maps(sort_maps, TAC_COUNT(sort_maps));
}
static int sinkhorn_has_exact_derivatives(void) {
    return prove_maps(sinkhorn_maps, TAC_COUNT(sinkhorn_maps));
}
static int selection_has_exact_derivatives(void) {
    return prove_maps(select_maps, TAC_COUNT(select_maps));
}

// the check clears an adjoint before a vjp; here something is in it already
static int vjp_adds(const softMap* maps, int count) {
    tacResult (*vjp)(const void*, const double*, const double*, double*) =
        tac_check_smooth_double.vjp;
    unsigned long long random = 3;
    for (int i = 0; i < count; ++i) {
        softMap full = maps[i];
        double z[SOFT_INPUTS], unused[SOFT_INPUTS], y_bar[SOFT_OUTPUTS], a[SOFT_INPUTS],
            b[SOFT_INPUTS];
        full.start = 5.0;
        sample(&maps[i], GENERAL, &random, z, unused);
        for (int o = 0; o < maps[i].outputs; ++o) y_bar[o] = tac_check_normal(&random);
        ENSURE(vjp(&maps[i], z, y_bar, a) == TAC_OK && vjp(&full, z, y_bar, b) == TAC_OK);
        for (int j = 0; j < maps[i].inputs; ++j)
            ENSURE_NEAR(b[j], 5.0 + a[j], 1e-14 * (5.0 + fabs(a[j])));
    }
    return 0;
}

static int every_vjp_adds(void) {
    ENSURE_LAW(vjp_adds(scalar_maps, TAC_COUNT(scalar_maps)));
    ENSURE_LAW(vjp_adds(array_maps, TAC_COUNT(array_maps)));
    ENSURE_LAW(vjp_adds(sort_maps, TAC_COUNT(sort_maps)));
    ENSURE_LAW(vjp_adds(sinkhorn_maps, TAC_COUNT(sinkhorn_maps)));
    return vjp_adds(select_maps, TAC_COUNT(select_maps));
}

TEST_MAIN(RUN(scalars_have_exact_derivatives), RUN(softmax_has_exact_derivatives),
          RUN(softsort_has_exact_derivatives), RUN(sinkhorn_has_exact_derivatives),
          RUN(selection_has_exact_derivatives), RUN(every_vjp_adds), RUN(prove_summary))
