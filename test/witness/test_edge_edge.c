// Two edges: nearest points, smooth and exact, with their derivatives.

#include "witness/adapter_edge_edge.h"

#include "check/prove.h"

//---------------------------------- problems ----------------------------------

static void draw_edges(testRandom* random, double scale, double x[12]) {
    for (int k = 0; k < 12; ++k) x[k] = scale * test_uniform(random, 0.0, 1.0);
}

// one pair, all outputs
static tacResult solve_pair(const tacWitnessOptions* options, const double x[12], double y[13]) {
    tacEdgePairs pairs = {.count = 1};
    tacEdgeWitness w = {.alpha = {y, y + 1}, .colliding = y + 2, .distance = y + 9};
    for (int k = 0; k < 12; ++k) pairs.corner[k / 3][k % 3] = x + k;
    for (int k = 0; k < 6; ++k) w.point[k / 3][k % 3] = y + 3 + k;
    for (int k = 0; k < 3; ++k) w.normal[k] = y + 10 + k;
    return tac_edge_edge(options, pairs, w);
}

// distance of points at a and b on the edges
static double point_distance(const double x[12], double a, double b) {
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        double e = x[k] + a * (x[3 + k] - x[k]) - x[6 + k] - b * (x[9 + k] - x[6 + k]);
        sum += e * e;
    }
    return sqrt(sum);
}

// nearest place on the other edge to the point at a
static double nearest_on(const double x[12], int edge, double a) {
    const double *p = x + 6 * edge, *q = x + 6 * (1 - edge);
    double tt = 1e-300, rt = 0.0;
    for (int k = 0; k < 3; ++k) {
        double t = q[3 + k] - q[k], r = p[k] + a * (p[3 + k] - p[k]) - q[k];
        tt += t * t;
        rt += r * t;
    }
    return fmin(fmax(rt / tt, 0.0), 1.0);
}

// An independent answer: the distance is convex in the place on edge 1, so thirds close in on it.
static double ternary_search(const double x[12]) {
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 200; ++i) {
        double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
        if (point_distance(x, a, nearest_on(x, 0, a)) < point_distance(x, b, nearest_on(x, 0, b)))
            high = b;
        else
            low = a;
    }
    return point_distance(x, low, nearest_on(x, 0, low));
}

static tacWitnessOptions exact_options(void) {
    tacWitnessOptions options = tac_default_witness_options();
    options.exact = 1;
    options.gap = 0.0;
    return options;
}

//---------------------------------- values ----------------------------------

// the exact answer is the nearest pair of points
static int exact_is_nearest(void) {
    testRandom random = {3};
    tacWitnessOptions options = exact_options();
    double worst = 0.0;
    for (int trial = 0; trial < 4000; ++trial) {
        double x[12], y[13];
        draw_edges(&random, 1.0, x);
        if (trial % 8 == 1) // nearly parallel, down to rounding
            for (int k = 0; k < 3; ++k)
                x[9 + k] = x[6 + k] + (x[3 + k] - x[k]) + pow(10.0, -trial % 17) * x[9 + k];
        if (trial % 8 == 2) // parallel
            for (int k = 0; k < 3; ++k) x[9 + k] = x[6 + k] - 0.7 * (x[3 + k] - x[k]);
        if (trial % 8 == 3) memcpy(x + 3, x, 3 * sizeof *x);       // a point
        if (trial % 16 == 11) memcpy(x + 9, x + 6, 3 * sizeof *x); // two points
        ENSURE(solve_pair(&options, x, y) == TAC_OK);
        worst = fmax(worst, fabs(y[9] - ternary_search(x)));
        ENSURE_NEAR(y[9], point_distance(x, y[0], y[1]), 1e-15);
        ENSURE(y[0] >= 0.0 && y[0] <= 1.0 && y[1] >= 0.0 && y[1] <= 1.0);
    }
    printf("  exact distance against a search: %.1e\n", worst);
    ENSURE(worst <= 2e-8); // the search's: a square root of rounding
    return 0;
}

// the published example of the listing's fourth cost: (0.896, 0), not (1, 0)
static int fourth_cost_is_that_of_the_erratum(void) {
    const double x[12] = {0, 0, 0, 1, 0, 0, 0.9, 0.2, 0.1, 0.1, 1, 0.1};
    tacWitnessOptions options = tac_reference_witness_options();
    double y[13];
    options.tikhonov = options.min = 1e-4;
    options.clip = options.inside = 1e-2;
    ENSURE(solve_pair(&options, x, y) == TAC_OK);
    ENSURE_NEAR(y[0], 0.9, 5e-3);
    ENSURE_NEAR(y[1], 0.0, 8e-3);
    return 0;
}

// as temperatures fall the smooth answer becomes the exact one; by how much is printed
static int zero_temperature_is_exact(void) {
    const double factors[] = {1.0, 0.1, 0.01, 1e-3};
    double last = 1.0;
    for (int f = 0; f < 4; ++f) {
        testRandom random = {17};
        tacWitnessOptions soft = tac_default_witness_options(), hard = exact_options();
        soft.tikhonov *= factors[f];
        soft.min *= factors[f];
        soft.clip *= factors[f];
        soft.inside *= factors[f];
        double sum = 0.0, count = 2000, worst = 0.0;
        for (int trial = 0; trial < (int)count; ++trial) {
            double x[12], y[13], z[13];
            draw_edges(&random, 1.0, x);
            ENSURE(solve_pair(&soft, x, y) == TAC_OK && solve_pair(&hard, x, z) == TAC_OK);
            sum += 0.5 * (fabs(y[0] - z[0]) + fabs(y[1] - z[1]));
            worst = fmax(worst, y[9] - z[9]);
        }
        printf("  temperatures x %-5g mean |alpha - exact| %.2e, distance above by <= %.1e\n",
               factors[f], sum / count, worst);
        ENSURE(sum / count < last);
        last = sum / count;
    }
    ENSURE(last <= 1e-4);
    return 0;
}

// lengths 1e-4 to 1e4 times as large: the same places, scaled points
static int results_scale_with_length(void) {
    testRandom random = {5};
    tacWitnessOptions options = tac_default_witness_options();
    for (int trial = 0; trial < 400; ++trial) {
        double x[12], z[12], y[13], w[13], scale = pow(10.0, trial % 9 - 4);
        draw_edges(&random, 1.0, x);
        for (int k = 0; k < 12; ++k) z[k] = scale * x[k];
        ENSURE(solve_pair(&options, x, y) == TAC_OK && solve_pair(&options, z, w) == TAC_OK);
        for (int k = 0; k < 3; ++k) ENSURE_NEAR(w[k], y[k], 1e-11);
        for (int k = 3; k < 10; ++k) ENSURE_NEAR(w[k], scale * y[k], 1e-11 * scale);
        for (int k = 10; k < 13; ++k) ENSURE_NEAR(w[k], y[k], 1e-9);
    }
    return 0;
}

//---------------------------------- bad places ----------------------------------

static const double bad_places[][12] = {
    {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0},               // parallel
    {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0},               // collinear, apart
    {0, 0, 0, 1, 0, 0, 0.5, 0, 0, 3, 0, 0},             // collinear, overlapping
    {0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0},               // identical
    {0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0},               // identical, turned
    {0, 0, 0, 0, 0, 0, 0.5, 1, 0, 1, 1, 0},             // a point and an edge
    {0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0},               // two points
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},               // one point
    {0, 0, 0, 1, 0, 0, 0.5, -0.5, 0, 0.5, 0.5, 0},      // crossing
    {0, 0, 0, 1e-9, 0, 0, 1, 0, 0, 1, 1e-9, 0},         // tiny
    {0, 0, 0, 1e-12, 0, 0, 1e15, 0, 0, 1e15, 1e15, 0},  // tiny and huge
    {1e15, 0, 0, -1e15, 0, 0, 0, 1e15, 1, 0, -1e15, 1}, // huge
    {0, 0, 0, 1, 0, 0, 1, 1e-300, 0, 2, 1e-300, 0},     // touching ends
};

// finite values and derivatives, and alpha = 1/2 on an edge that is a point
static int degenerate_edges_are_finite(void) {
    for (int exact = 0; exact < 2; ++exact)
        for (int units = 0; units < 2; ++units)
            for (size_t i = 0; i < sizeof bad_places / sizeof *bad_places; ++i) {
                edgeMap map = {"", units, exact, 1, 1.0};
                double x[18] = {[12] = 1e-3, 1e-2, 0.02, 0.02, 0.2, 1e-3}, y[13], bar[18], dot[13];
                memcpy(x, bad_places[i], sizeof bad_places[i]);
                ENSURE(tac_check_edge_edge_double.value(&map, x, y) == TAC_OK);
                for (int k = 0; k < 13; ++k) ENSURE(isfinite(y[k]));
                for (int j = 0; j < 13; ++j) {
                    double y_bar[13] = {0};
                    y_bar[j] = 1.0;
                    ENSURE(tac_check_edge_edge_double.vjp(&map, x, y_bar, bar) == TAC_OK);
                    for (int k = 0; k < 18; ++k) ENSURE(isfinite(bar[k]));
                }
                for (int j = 0; j < 18; ++j) {
                    double x_dot[18] = {0};
                    x_dot[j] = 1.0;
                    ENSURE(tac_check_edge_edge_double.jvp(&map, x, x_dot, dot) == TAC_OK);
                    for (int k = 0; k < 13; ++k) ENSURE(isfinite(dot[k]));
                }
                if (!exact && i >= 5 && i <= 7) ENSURE_NEAR(y[0], 0.5, 0.02);
            }
    return 0;
}

static int bad_input_is_refused(void) {
    tacWitnessOptions options = tac_default_witness_options();
    double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1}, y[13];
    ENSURE(solve_pair(NULL, x, y) == TAC_ERROR_VALUE);
    const double wrong[] = {0.0, -1.0, NAN, INFINITY};
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 4; ++k) {
            tacWitnessOptions bad = options;
            *(k == 0   ? &bad.tikhonov
              : k == 1 ? &bad.min
              : k == 2 ? &bad.clip
                       : &bad.inside) = wrong[i];
            ENSURE(solve_pair(&bad, x, y) == TAC_ERROR_VALUE);
        }
    options.range = options.gap = NAN;
    ENSURE(solve_pair(&options, x, y) == TAC_ERROR_VALUE);
    options = tac_default_witness_options();
    x[7] = NAN;
    ENSURE(solve_pair(&options, x, y) == TAC_ERROR_VALUE);
    x[7] = 2e16;
    ENSURE(solve_pair(&options, x, y) == TAC_ERROR_VALUE);
    tacEdgePairs none = {0}, missing = {.count = 3}, negative = {.count = -1};
    tacEdgeWitness nothing = {0};
    ENSURE(tac_edge_edge(&options, none, nothing) == TAC_OK);
    ENSURE(tac_edge_edge(&options, missing, nothing) == TAC_ERROR_VALUE);
    ENSURE(tac_edge_edge(&options, negative, nothing) == TAC_ERROR_VALUE);
    return 0;
}

//---------------------------------- batches ----------------------------------

enum { BATCH = 37 };

// the same bits alone and in a batch of any length, at any alignment
static int batch_equals_single(void) {
    static double x[12][BATCH + 1], y[13][BATCH + 1];
    testRandom random = {9};
    for (int k = 0; k < 12; ++k)
        for (int i = 0; i <= BATCH; ++i) x[k][i] = test_uniform(&random, 0.0, 1.0);
    for (int exact = 0; exact < 2; ++exact)
        for (int first = 0; first < 2; ++first) {
            tacWitnessOptions options = tac_default_witness_options();
            options.exact = exact;
            tacEdgePairs pairs = {.count = BATCH};
            tacEdgeWitness w = {.alpha = {y[0] + first, y[1] + first},
                                .colliding = y[2] + first,
                                .distance = y[9] + first};
            for (int k = 0; k < 12; ++k) pairs.corner[k / 3][k % 3] = x[k] + first;
            for (int k = 0; k < 6; ++k) w.point[k / 3][k % 3] = y[3 + k] + first;
            for (int k = 0; k < 3; ++k) w.normal[k] = y[10 + k] + first;
            ENSURE(tac_edge_edge(&options, pairs, w) == TAC_OK);
            for (int i = first; i < BATCH + first; ++i) {
                double one[12], z[13];
                for (int k = 0; k < 12; ++k) one[k] = x[k][i];
                ENSURE(solve_pair(&options, one, z) == TAC_OK);
                for (int k = 0; k < 13; ++k) ENSURE(memcmp(&z[k], &y[k][i], sizeof(double)) == 0);
            }
        }
    return 0;
}

//---------------------------------- smoothness ----------------------------------

// two edges of which one turns through the parallel place
static void rotated_pair(double angle, double x[12]) {
    const double fixed[12] = {0, 0, 0, 0, 0, 0, -1, -0.3, 0.1, 1, -0.35, 0.1};
    memcpy(x, fixed, sizeof fixed);
    x[0] = -cos(angle);
    x[1] = -sin(angle);
    x[3] = cos(angle);
    x[4] = sin(angle);
}

// largest second difference over h^2 along the turn
static double largest_second_difference(const tacWitnessOptions* options, double h) {
    double worst = 0.0;
    for (double angle = -0.2; angle < 0.2; angle += h) {
        double x[12], y[3][13];
        for (int i = 0; i < 3; ++i) {
            rotated_pair(angle + (i - 1) * h, x);
            solve_pair(options, x, y[i]);
        }
        for (int k = 0; k < 13; ++k)
            worst = fmax(worst, fabs(y[0][k] - 2.0 * y[1][k] + y[2][k]) / (h * h));
    }
    return worst;
}

// smooth: second differences settle as the step is halved; exact: they grow
static int smooth_through_parallel(void) {
    tacWitnessOptions soft = tac_default_witness_options(), hard = exact_options();
    double a = largest_second_difference(&soft, 4e-5), b = largest_second_difference(&soft, 2e-5),
           c = largest_second_difference(&soft, 1e-5);
    printf("  second differences over h^2: %.4g %.4g %.4g\n", a, b, c);
    ENSURE_NEAR(b / c, 1.0, 0.02);
    ENSURE_NEAR(a / b, 1.0, 0.05);
    a = largest_second_difference(&hard, 4e-5);
    b = largest_second_difference(&hard, 2e-5);
    ENSURE(b > 3.0 * a);
    return 0;
}

// nothing beyond the range, and no second derivative where it begins
static int compact_is_exactly_zero(void) {
    tacWitnessOptions options = tac_default_witness_options();
    testRandom random = {31};
    int zero = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        double x[12], y[13];
        draw_edges(&random, 1.0, x);
        ENSURE(solve_pair(&options, x, y) == TAC_OK);
        ENSURE(y[2] >= 0.0 && y[2] <= 1.0);
        zero += y[2] == 0.0;
    }
    printf("  colliding is exactly 0 for %d of 2000 random pairs\n", zero);
    ENSURE(zero > 700);
    return 0;
}

//---------------------------------- derivatives ----------------------------------

static int sample(const void* map, int i, unsigned long long* random, double* x, double* scale) {
    const edgeMap* m = map;
    for (int k = 0; k < 12; ++k) x[k] = m->scale * tac_check_uniform(random, 0.0, 1.0);
    if (i % 4 == 1) // nearly parallel
        for (int k = 0; k < 3; ++k) x[9 + k] = x[6 + k] + (x[3 + k] - x[k]) * 1.1;
    if (i % 4 == 1) x[9] += 1e-2 * m->scale;
    double unit2 = m->units == TAC_WITNESS_RELATIVE ? 1.0 : m->scale * m->scale;
    double unit = sqrt(unit2);
    x[12] = unit2 * pow(10.0, tac_check_uniform(random, -3.0, -1.0));
    x[13] = unit2 * pow(10.0, tac_check_uniform(random, -2.0, -1.0));
    x[14] = pow(10.0, tac_check_uniform(random, -1.7, -1.0));
    x[15] = pow(10.0, tac_check_uniform(random, -1.7, -1.0));
    x[16] = tac_check_uniform(random, 0.2, 1.0);
    x[17] = unit * pow(10.0, tac_check_uniform(random, -2.0, -1.0));
    for (int k = 0; k < 18; ++k) scale[k] = k < 12 ? 0.01 * m->scale : 0.01 * x[k];
    return EDGE_OUTPUTS;
}

static int witness_points_have_exact_derivatives(void) {
    const edgeMap maps[] = {{"relative", TAC_WITNESS_RELATIVE, 0, 1, 1.0},
                            {"relative, 8 cm", TAC_WITNESS_RELATIVE, 0, 1, 0.08},
                            {"published", TAC_WITNESS_ABSOLUTE, 0, 0, 1.0},
                            {"exact", TAC_WITNESS_RELATIVE, 1, 1, 1.0}};
    for (int i = 0; i < 4; ++i) {
        tacCheckProblem problem = {.name = maps[i].name,
                                   .n = EDGE_INPUTS,
                                   .m = EDGE_OUTPUTS,
                                   .context = &maps[i],
                                   .as_double = &tac_check_edge_edge_double,
                                   .as_complex = &tac_check_edge_edge_complex,
                                   .as_quad = &tac_check_edge_edge_quad,
                                   .sample = sample};
        tacCheckOptions options = tac_check_default_options();
        options.points = 300;
        ENSURE_LAW(prove(&problem, options));
    }
    return 0;
}

static int sample_sign(const void* map, int i, unsigned long long* random, double* x,
                       double* scale) {
    for (int k = 0; k < SIGN_INPUTS; ++k) {
        x[k] = k < 10 ? tac_check_uniform(random, -1.0, 1.0)
                      : pow(10.0, tac_check_uniform(random, -1.0, 0.0));
        scale[k] = 0.05;
    }
    (void)map;
    (void)i;
    return SIGN_OUTPUTS;
}

static int sample_indicator(const void* map, int i, unsigned long long* random, double* x,
                            double* scale) {
    x[4] = pow(10.0, tac_check_uniform(random, -1.0, 0.0));
    x[5] = 3.0 * x[4];
    x[0] = x[4] * tac_check_uniform(random, -3.0, 2.5);
    x[6] = tac_check_uniform(random, 0.5, 2.0);
    x[1] = tac_check_uniform(random, 1.0, 2.0);
    x[2] = x[1] + x[6] * tac_check_uniform(random, -0.9, 0.9);
    x[3] = tac_check_uniform(random, 0.0, 1.0);
    for (int k = 0; k < INDICATOR_INPUTS; ++k) scale[k] = 0.02;
    (void)map;
    (void)i;
    return INDICATOR_OUTPUTS;
}

static int derivatives_of_signs(void) {
    tacCheckProblem sign = {.name = "signs",
                            .n = SIGN_INPUTS,
                            .m = SIGN_OUTPUTS,
                            .as_double = &tac_check_edge_sign_double,
                            .as_complex = &tac_check_edge_sign_complex,
                            .as_quad = &tac_check_edge_sign_quad,
                            .sample = sample_sign};
    tacCheckProblem indicator = {.name = "indicators",
                                 .n = INDICATOR_INPUTS,
                                 .m = INDICATOR_OUTPUTS,
                                 .as_double = &tac_check_edge_indicator_double,
                                 .as_complex = &tac_check_edge_indicator_complex,
                                 .as_quad = &tac_check_edge_indicator_quad,
                                 .sample = sample_indicator};
    ENSURE_LAW(prove(&sign, tac_check_default_options()));
    ENSURE_LAW(prove(&indicator, tac_check_default_options()));
    return prove_summary();
}

// a gap above and an overlap below: both distances have the sign, both normals point out (P1-19)
static int signs_of_gap_and_overlap(void) {
    for (int side = -1; side <= 1; side += 2) {
        // surface 1 above with outward normal down, surface 2 below with outward normal up
        double x[SIGN_INPUTS] = {0, 0, side, 0.2, 0, 0, -1, 0, 0, 1, 0.1, 0.1}, y[SIGN_OUTPUTS];
        ENSURE(tac_check_edge_sign_double.value(NULL, x, y) == TAC_OK);
        ENSURE_NEAR(y[0], 0.2 * side, 1e-8);
        ENSURE_NEAR(y[1], 0.2 * side, 1e-8);
        ENSURE_NEAR(y[4], 1.0, 1e-8);  // point 1 leaves surface 2 upwards
        ENSURE_NEAR(y[7], -1.0, 1e-8); // point 2 leaves surface 1 downwards
        ENSURE_NEAR(y[8], 1.0, 1e-4);
    }
    return 0;
}

TEST_MAIN(RUN(exact_is_nearest), RUN(fourth_cost_is_that_of_the_erratum),
          RUN(zero_temperature_is_exact), RUN(results_scale_with_length),
          RUN(degenerate_edges_are_finite), RUN(bad_input_is_refused), RUN(batch_equals_single),
          RUN(smooth_through_parallel), RUN(compact_is_exactly_zero), RUN(signs_of_gap_and_overlap),
          RUN(witness_points_have_exact_derivatives), RUN(derivatives_of_signs))
