// SoftSort: reference numbers, rows and columns, ties (P0-10, P1-27), limits.

#include "smooth/smooth_laws.h"

static const double scores[5] = {0.3, -1.25, 0.95, 0.9, -0.1};

// mpmath, 60 digits: rows 0 and 1 of softmax_j(-|x_[r] - x_j|^power / tau)
static const struct {
    double tau;
    int power;
    double rows[10];
} table[] = {{0.1,
              1,
              {0.00093493878571694693701, 1.7346773475938959575e-10, 0.62186671072828233542,
               0.37718122631135071965, 0.000017124001182263230665, 0.0015405020125794243671,
               2.8582341282323978057e-10, 0.37694841411497995274, 0.62148286830804743709,
               0.000028215278569772984178}},
             {0.1,
              2,
              {0.0073495934169640893023, 4.8007000986407944941e-22, 0.50252480116867020021,
               0.49011741961987113212, 8.1857944945783762282e-6, 0.013643585406288131445,
               4.1988099985539671682e-21, 0.48700260764347115612, 0.49933113735167672463,
               0.00002266959856398779946}},
             {0.5,
              1,
              {0.11787182296060305206, 0.0053100316090498210937, 0.43250668719554626755,
               0.39134823412530455383, 0.052963224109496305458, 0.12789913586515847214,
               0.0057617540575506722106, 0.38423023845821784549, 0.42464008538929356929,
               0.05746878622977944087}}};

static double work[128], weights[400];
static int order[20];

static tacSoftSort sort_problem(int n, const double* x, int k, double tau, tacTies ties) {
    tacSoftSort s = tac_default_soft_sort(n, x, k);
    s.tau = tau;
    s.ties = ties;
    s.order = order;
    s.work = work;
    return s;
}

static int matches_reference(void) {
    for (int t = 0; t < COUNT(table); ++t) {
        tacSoftSort s = sort_problem(5, scores, 2, table[t].tau, TAC_TIES_REFERENCE);
        s.power = table[t].power;
        ENSURE(tac_soft_sort_top_k(&s, weights) == TAC_OK);
        for (int i = 0; i < 10; ++i)
            ENSURE_NEAR(weights[i], table[t].rows[i], 2e-14 * table[t].rows[i]);
        ENSURE(order[0] == 2 && order[1] == 3);
    }
    return 0;
}

// P1-27: row 0 with power 1 is the softmax
static int first_row_is_softmax(void) {
    double w[5];
    for (double tau = 1e-3; tau < 1e3; tau *= 10.0) {
        tacSoftSort s = sort_problem(5, scores, 1, tau, TAC_TIES_REFERENCE);
        ENSURE(!tac_soft_sort_top_k(&s, weights) && !tac_soft_argmax(5, scores, tau, w));
        for (int i = 0; i < 5; ++i) ENSURE_NEAR(weights[i], w[i], 4e-16);
    }
    return 0;
}

// rows sum to 1, each row is largest at its entry, order sorts, and permuting scores permutes it
static int rows_order_and_permutation(void) {
    testRandom random = {6};
    for (int trial = 0; trial < 500; ++trial) {
        double x[12], y[12], w[144];
        int n = 1 + (int)(test_bits(&random) % 12),
            k = (int)(test_bits(&random) % (unsigned)(n + 1));
        int shift = (int)(test_bits(&random) % (unsigned)n);
        for (int i = 0; i < n; ++i) x[i] = test_uniform(&random, -1.0, 1.0);
        for (int i = 0; i < n; ++i) y[(i + shift) % n] = x[i];
        tacSoftSort s = sort_problem(n, y, k, 0.2, TAC_TIES_REFERENCE);
        s.power = 1 + trial % 2;
        ENSURE(tac_soft_sort_top_k(&s, w) == TAC_OK);
        s.x = x;
        ENSURE(tac_soft_sort_top_k(&s, weights) == TAC_OK);
        for (int r = 0; r < k; ++r) {
            double sum = 0.0;
            if (r > 0) ENSURE(x[order[r]] <= x[order[r - 1]]);
            for (int i = 0; i < n; ++i) {
                sum += weights[r * n + i];
                ENSURE(weights[r * n + i] <= weights[r * n + order[r]]);
                ENSURE_NEAR(weights[r * n + i], w[r * n + (i + shift) % n], 1e-15);
            }
            ENSURE_NEAR(sum, 1.0, 1e-14);
        }
        for (int i = 0, above = 0; k > 0 && i < n; ++i) {
            above += x[i] > x[order[k - 1]];
            ENSURE(above < k);
        }
    }
    return 0;
}

// as tau goes to 0 every row becomes its hard index, with error sum exp(-gap / tau)
static int hard_limit(void) {
    for (double tau = 0.1; tau > 1e-8; tau *= 0.5) {
        tacSoftSort s = sort_problem(5, scores, 5, tau, TAC_TIES_REFERENCE);
        ENSURE(tac_soft_sort_top_k(&s, weights) == TAC_OK);
        for (int r = 0; r < 5; ++r)
            ENSURE_NEAR(weights[r * 5 + order[r]], 1.0, 4.0 * exp(-0.05 / tau) + 1e-15);
    }
    return 0;
}

// P0-10: four tied corners collapse to their centroid for every temperature, offsets part them
static int ties_collapse_without_offsets(void) {
    static const double corner[4] = {-1.5, -0.5, 0.5, 1.5}, tied[4] = {2, 2, 2, 2};
    for (int mode = 0; mode < 2; ++mode)
        for (double tau = 1e-6; tau < 1e3; tau *= 10.0) {
            tacSoftSort s =
                sort_problem(4, tied, 4, tau, mode ? TAC_TIES_OFFSET : TAC_TIES_REFERENCE);
            s.offset = 120.0;
            ENSURE(tac_soft_sort_top_k(&s, weights) == TAC_OK);
            for (int r = 0; r < 4; ++r) {
                double c = 0.0;
                for (int i = 0; i < 4; ++i) c += weights[4 * r + i] * corner[i];
                ENSURE_NEAR(c, mode ? corner[r] : 0.0, 1e-9);
                ENSURE(order[r] == r);
            }
        }
    return 0;
}

// offsets are the published function of scores lowered by 10 tau^(1/power) i / n (row 14)
static int offset_lowers_by_index(void) {
    double y[5], w[15];
    for (int power = 1; power <= 2; ++power) {
        tacSoftSort s = sort_problem(5, scores, 3, 0.04, TAC_TIES_OFFSET);
        for (int i = 0; i < 5; ++i) y[i] = scores[i] - 10.0 * (power == 1 ? 0.04 : 0.2) * i / 5.0;
        tacSoftSort lowered = sort_problem(5, y, 3, 0.04, TAC_TIES_REFERENCE);
        s.power = lowered.power = power;
        ENSURE(!tac_soft_sort_top_k(&s, weights) && !tac_soft_sort_top_k(&lowered, w));
        for (int i = 0; i < 15; ++i) ENSURE_NEAR(weights[i], w[i], 1e-13);
    }
    return 0;
}

// at a tie the reported derivative is the one-sided one towards the reported order, x_0 > x_1
static int one_sided_at_ties(void) {
    double tied[3] = {0.5, 0.5, 0.1}, dot[3] = {1.0, 0.0, 0.0}, w_dot[9], moved[9], back[9];
    double h = 1e-7;
    tacSoftSort s = sort_problem(3, tied, 2, 0.3, TAC_TIES_REFERENCE);
    ENSURE(!tac_soft_sort_top_k(&s, weights) && !tac_soft_sort_top_k_jvp(&s, dot, 0.0, w_dot));
    tied[0] = 0.5 + h;
    ENSURE(tac_soft_sort_top_k(&s, moved) == TAC_OK);
    tied[0] = 0.5 - h;
    ENSURE(tac_soft_sort_top_k(&s, back) == TAC_OK);
    double jump = 0.0;
    for (int i = 0; i < 6; ++i) {
        ENSURE_NEAR((moved[i] - weights[i]) / h, w_dot[i], 1e-5);
        jump = fmax(jump, fabs((moved[i] + back[i] - 2.0 * weights[i]) / h));
        if (i < 3) ENSURE_NEAR((moved[i] + back[i] - 2.0 * weights[i]) / h, 0.0, 1e-5);
    }
    ENSURE(jump > 0.5); // row 1 has a kink: P1-27
    return 0;
}

static int wrong_input_and_small_sizes(void) {
    double one[1] = {3.0};
    tacSoftSort s = sort_problem(5, scores, 2, 0.1, TAC_TIES_OFFSET);
    s.k = 6;
    ENSURE(tac_soft_sort_top_k(&s, weights) == TAC_ERROR_VALUE);
    s.k = 2;
    s.tau = 0.0;
    ENSURE(tac_soft_sort_top_k(&s, weights) == TAC_ERROR_VALUE);
    s.tau = 1.0;
    s.power = 3;
    ENSURE(tac_soft_sort_top_k(&s, weights) == TAC_ERROR_VALUE);
    s.power = 1;
    s.offset = NAN;
    ENSURE(tac_soft_sort_top_k(&s, weights) == TAC_ERROR_VALUE);
    s.offset = 10.0;
    s.k = 0;
    ENSURE(tac_soft_sort_top_k(&s, weights) == TAC_OK);
    s = sort_problem(1, one, 1, 1e-3, TAC_TIES_OFFSET);
    ENSURE(tac_soft_sort_top_k(&s, weights) == TAC_OK && weights[0] == 1.0 && order[0] == 0);
    return 0;
}

static int softsort_is_finite_at_extremes(void) {
    return finite_at_extremes(sort_maps, COUNT(sort_maps));
}

TEST_MAIN(RUN(matches_reference), RUN(first_row_is_softmax), RUN(rows_order_and_permutation),
          RUN(hard_limit), RUN(ties_collapse_without_offsets), RUN(offset_lowers_by_index),
          RUN(one_sided_at_ties), RUN(wrong_input_and_small_sizes),
          RUN(softsort_is_finite_at_extremes))
