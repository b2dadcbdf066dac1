// Hard indices with soft weights: the threshold equation, ties, exact zeros, smoothness.

#include "smooth/smooth_laws.h"

static double weight_sum(int n, const double* w) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += w[i];
    return sum;
}

// scores well apart: the K largest get exactly 1, the others exactly 0
static int separated_scores_select_hard(void) {
    static const double x[6] = {3.0, 9.0, 5.0, 1.0, 7.0, 2.0};
    for (int k = 0; k <= 4; ++k) {
        tacSelect s = tac_default_select(6, x, k);
        double w[6];
        s.width = 0.4;
        ENSURE(tac_select_top_k(&s, w) == TAC_OK);
        for (int i = 0; i < 6; ++i) {
            int rank = 0;
            for (int j = 0; j < 6; ++j) rank += x[j] > x[i];
            ENSURE(w[i] == (rank < k ? 1.0 : 0.0));
        }
    }
    return 0;
}

// no more weight than K; exactly K if there are K candidates with scores above the ramp
static int weights_sum_to_k(void) {
    testRandom random = {8};
    for (int trial = 0; trial < 3000; ++trial) {
        double x[30], w[30];
        int n = 1 + (int)(test_bits(&random) % 30), k = (int)(test_bits(&random) % 31);
        for (int i = 0; i < n; ++i) x[i] = test_uniform(&random, 1.0, 2.0);
        for (int i = 0; trial % 3 == 0 && i + 1 < n; i += 2) x[i + 1] = x[i];
        tacSelect s = tac_default_select(n, x, k);
        s.width = pow(10.0, test_uniform(&random, -18.0, -1.0));
        s.gate = trial % 2 ? 0.0 : 1.5;
        ENSURE(tac_select_top_k(&s, w) == TAC_OK);
        double sum = weight_sum(n, w);
        ENSURE(sum <= k + 1e-12 * n);
        if (s.gate == 0.0) ENSURE_NEAR(sum, fmin(k, n), 1e-12 * n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                ENSURE(w[i] >= 0.0 && w[i] <= 1.0 && (x[i] > x[j] || w[i] <= w[j] + 1e-13));
    }
    return 0;
}

// P0-10: tied corners keep their places and share the weight
static int tied_scores_share_weight(void) {
    static const double near[5] = {2, 2, 2, 2, 1}, far[5] = {1e16, 1e16, 1e16, 1e16, 1};
    double w[5];
    for (int i = 0; i < 2; ++i) {
        tacSelect s = tac_default_select(5, i ? far : near, 2);
        s.width = 1e-3;
        ENSURE(tac_select_top_k(&s, w) == TAC_OK);
        for (int j = 0; j < 4; ++j) ENSURE_NEAR(w[j], 0.5, 1e-14);
        ENSURE(w[4] == 0.0);
    }
    return 0;
}

// a candidate that comes up from score 0 pushes another out: two continuous derivatives all along
static int smooth_as_candidates_change(void) {
    for (double step = 1e-2; step > 1e-3; step *= 0.5) {
        double before[2] = {0, 0}, largest = 0.0;
        for (double a = -0.5; a < 3.0; a += step) {
            double x[4] = {a, 1.0, 1.1, 0.6}, w[4];
            tacSelect s = tac_default_select(4, x, 2);
            s.width = 0.3;
            s.gate = 0.5;
            ENSURE(tac_select_top_k(&s, w) == TAC_OK);
            double second = (w[1] - 2.0 * before[1] + before[0]) / (step * step);
            if (a > -0.5 + 1.5 * step) largest = fmax(largest, fabs(second));
            before[0] = before[1];
            before[1] = w[1];
        }
        ENSURE(largest < 20.0); // would grow like 1 / step at a kink
    }
    return 0;
}

static int wrong_input_is_refused(void) {
    double x[2] = {1.0, 2.0}, w[2] = {7.0, 7.0};
    tacSelect s = tac_default_select(2, x, -1);
    ENSURE(tac_select_top_k(&s, w) == TAC_ERROR_VALUE);
    s.k = 1;
    s.width = 0.0;
    ENSURE(tac_select_top_k(&s, w) == TAC_ERROR_VALUE);
    s.width = 1.0;
    s.gate = -1.0;
    ENSURE(tac_select_top_k(&s, w) == TAC_ERROR_VALUE);
    s.gate = 0.0;
    x[1] = INFINITY;
    ENSURE(tac_select_top_k(&s, w) == TAC_ERROR_VALUE && w[0] == 7.0);
    return 0;
}

static int selection_is_finite_at_extremes(void) {
    return finite_at_extremes(select_maps, COUNT(select_maps));
}

TEST_MAIN(RUN(separated_scores_select_hard), RUN(weights_sum_to_k), RUN(tied_scores_share_weight),
          RUN(smooth_as_candidates_change), RUN(wrong_input_is_refused),
          RUN(selection_is_finite_at_extremes))
