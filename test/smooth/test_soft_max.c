// Softmax, log-sum-exp and Boltzmann average: reference numbers, limits, laws of P0-08.

#include "smooth/smooth_laws.h"

// mpmath, 60 digits, for x = (0.3, -1.25, 0.95, 0.9, -0.1)
static const double scores[5] = {0.3, -1.25, 0.95, 0.9, -0.1};
static const struct {
    double tau, argmax[5], max, argmin[5], min, boltzmann;
} table[] = {{0.1,
              {0.00093493878571694693701, 1.7346773475938959575e-10, 0.62186671072828233542,
               0.37718122631135071965, 0.000017124001182263230665},
              0.99750295006402768134,
              {1.8553722219067062114e-7, 0.99998968373483918532, 2.7894393159764257852e-10,
               4.5990079335775457985e-10, 0.000010129989093899050412},
              -1.2500010316318373844,
              -1.2499880613273842653},
             {2.0,
              {0.19946845694925888276, 0.091895872306553006222, 0.27607045732426647182,
               0.26925425344655190985, 0.16331095997336972935},
              3.5241983313660742074,
              {0.17078426214293992732, 0.3707029748542986253, 0.12339630096985232044,
               0.12652009320117282316, 0.20859636883173630378},
              -3.2347082877865246779,
              -0.20190850700574969427},
             {0.01,
              {5.8606021151623963493e-29, 2.8333324949816179262e-96, 0.99330714907571509946,
               0.0066928509242849005363, 2.4897913934521088182e-46},
              0.95006715348489113673,
              {4.8345416380533568008e-68, 1.0, 2.8524233391635907871e-96, 4.233371588631859601e-94,
               1.1379798735078715048e-50},
              -1.25,
              -1.25}};

static double work[64];

static int matches_reference(void) {
    for (int t = 0; t < COUNT(table); ++t) {
        double w[5], v[5], y;
        ENSURE(tac_soft_argmax(5, scores, table[t].tau, w) == TAC_OK);
        ENSURE(tac_soft_argmin(5, scores, table[t].tau, v) == TAC_OK);
        for (int i = 0; i < 5; ++i) {
            ENSURE_NEAR(w[i], table[t].argmax[i], 1e-13 * table[t].argmax[i]);
            ENSURE_NEAR(v[i], table[t].argmin[i], 1e-13 * table[t].argmin[i]);
        }
        ENSURE(tac_log_sum_exp(5, scores, table[t].tau, &y, work) == TAC_OK);
        ENSURE_NEAR(y, table[t].max, 4e-16 * fabs(y));
        ENSURE(tac_soft_min(5, scores, table[t].tau, &y, work) == TAC_OK);
        ENSURE_NEAR(y, table[t].min, 4e-16 * fabs(y));
        ENSURE(tac_boltzmann_min(5, scores, table[t].tau, &y, work) == TAC_OK);
        ENSURE_NEAR(y, table[t].boltzmann, 1e-15);
    }
    return 0;
}

// P0-08: Phi = (0, .3), tau = .1. The average moves the wrong way, the soft minimum does not.
static int boltzmann_is_not_monotone(void) {
    double phi[2] = {0.0, 0.3}, average[2] = {0, 0}, minimum[2] = {0, 0};
    ENSURE(tac_boltzmann_min_vjp(2, phi, 0.1, 1.0, average, NULL, work) == TAC_OK);
    ENSURE(tac_soft_min_vjp(2, phi, 0.1, 1.0, minimum, NULL, work) == TAC_OK);
    ENSURE_NEAR(average[0], 1.088, 5e-4);
    ENSURE_NEAR(average[1], -0.088, 5e-4);
    ENSURE_NEAR(minimum[0], 0.953, 5e-4);
    ENSURE_NEAR(minimum[1], 0.047, 5e-4);
    return 0;
}

// sums to 1, symmetric, shifted with x, equal for equal entries; bounds of the header
static int laws_of_weights_and_extremes(void) {
    testRandom random = {4};
    for (int trial = 0; trial < 2000; ++trial) {
        double x[9], y[9], w[9], v[9], max, min, boltzmann, sum = 0.0, low = 1e9, high = -1e9;
        double tau = pow(10.0, test_uniform(&random, -4.0, 4.0));
        int n = 1 + (int)(test_bits(&random) % 9);
        for (int i = 0; i < n; ++i) {
            x[i] = trial % 5 ? test_uniform(&random, -1.0, 1.0) : 0.25;
            y[n - 1 - i] = x[i] + 0.5;
            low = fmin(low, x[i]);
            high = fmax(high, x[i]);
        }
        ENSURE(!tac_soft_argmax(n, x, tau, w) && !tac_soft_argmax(n, y, tau, v));
        for (int i = 0; i < n; ++i) sum += w[i];
        ENSURE_NEAR(sum, 1.0, 1e-15 * n);
        for (int i = 0; i < n; ++i) ENSURE_NEAR(w[i], v[n - 1 - i], 1e-15 + 1e-15 / tau);
        for (int i = 0; i < n; ++i) ENSURE(trial % 5 || w[i] == w[0]);
        ENSURE(!tac_log_sum_exp(n, x, tau, &max, work) && !tac_soft_min(n, x, tau, &min, work) &&
               !tac_boltzmann_min(n, x, tau, &boltzmann, work));
        ENSURE(max >= high && max <= high + tau * log(n) * (1.0 + 1e-15) + 1e-15);
        ENSURE(min <= low && min >= low - tau * log(n) * (1.0 + 1e-15) - 1e-15);
        ENSURE(boltzmann >= low - 1e-15 && boltzmann <= low + tau * (n - 1) / exp(1.0) + 1e-15);
    }
    return 0;
}

// gradient of the soft maximum = weights; by tau = entropy of the weights
static int gradient_is_softmax(void) {
    for (double tau = 1e-3; tau < 1e3; tau *= 3.0) {
        double w[5], bar[5] = {0}, tau_bar = 0.0, entropy = 0.0;
        ENSURE(tac_soft_argmax(5, scores, tau, w) == TAC_OK);
        ENSURE(tac_log_sum_exp_vjp(5, scores, tau, 1.0, bar, &tau_bar, work) == TAC_OK);
        for (int i = 0; i < 5; ++i) {
            ENSURE(bar[i] == w[i]);
            if (w[i] > 0.0) entropy -= w[i] * log(w[i]);
        }
        ENSURE_NEAR(tau_bar, entropy, 1e-14);
    }
    return 0;
}

// saturated weights: derivatives as small as the weights, not as rounding
static int saturated_derivatives_keep_their_digits(void) {
    double x[2] = {1.0, 0.0}, dot[2] = {1.0, 0.3}, w_dot[2], bar[2] = {0}, w_bar[2] = {1.0, 0.3};
    double e = exp(-60.0) * 0.7 * 60.0;
    ENSURE(tac_soft_argmax_jvp(2, x, 1.0 / 60.0, dot, 0.0, w_dot) == TAC_OK);
    ENSURE_NEAR(w_dot[0], e, 1e-12 * e);
    ENSURE_NEAR(w_dot[1], -e, 1e-12 * e);
    ENSURE(tac_soft_argmax_vjp(2, x, 1.0 / 60.0, w_bar, bar, NULL, work) == TAC_OK);
    ENSURE_NEAR(bar[0], e, 1e-12 * e);
    return 0;
}

static int wrong_input_is_refused(void) {
    double y = 7.0, w[5] = {7.0}, bad[2] = {1.0, NAN}, inf[1] = {INFINITY};
    ENSURE(tac_soft_argmax(0, scores, 1.0, w) == TAC_ERROR_VALUE);
    ENSURE(tac_soft_argmax(5, scores, 0.0, w) == TAC_ERROR_VALUE);
    ENSURE(tac_soft_argmax(5, scores, NAN, w) == TAC_ERROR_VALUE);
    ENSURE(tac_log_sum_exp(2, bad, 1.0, &y, work) == TAC_ERROR_VALUE);
    ENSURE(tac_soft_min(1, inf, 1.0, &y, work) == TAC_ERROR_VALUE);
    ENSURE(tac_boltzmann_min(5, scores, -1.0, &y, work) == TAC_ERROR_VALUE);
    ENSURE(y == 7.0 && w[0] == 7.0);
    return 0;
}

static int softmax_is_finite_at_extremes(void) {
    return finite_at_extremes(array_maps, COUNT(array_maps));
}

TEST_MAIN(RUN(matches_reference), RUN(boltzmann_is_not_monotone), RUN(laws_of_weights_and_extremes),
          RUN(gradient_is_softmax), RUN(saturated_derivatives_keep_their_digits),
          RUN(wrong_input_is_refused), RUN(softmax_is_finite_at_extremes))
