// Optimal-transport top-K: against Sinkhorn's own iteration, marginals, ties, limits.

#include "smooth/smooth_laws.h"

static const double scores[5] = {0.3, -1.25, 0.95, 0.9, -0.1};

// Sinkhorn's iteration u_r = m_r / sum_j K_rj v_j, v_j = 1 / sum_r u_r K_rj, K = exp((k - r) x /
// tau), in mpmath with 40 digits until u stands still to 1e-30 (66 to 181 sweeps)
static const struct {
    double tau;
    int k;
    double rows[25];
} table[] = {
    {0.25,
     2,
     {0.0201669095777759655, 1.052934815134111661e-7, 0.5206866168517257646, 0.4581534479587580807,
      0.0009929203182586757468, 0.19138636454347888, 0.0004923783124002928963,
      0.3670138082442119763, 0.3944353630397377748, 0.04667208586017107598}},
    {1.0,
     3,
     {0.1568381014496504743, 0.003529263069329265806, 0.3953592201319136359, 0.3748418369388331942,
      0.06943157841027342975, 0.227578967036835269, 0.02412798332215778978, 0.2994890881592093587,
      0.2985052087765691009, 0.1502987527052284816, 0.2569635803893868162, 0.1283562214772473254,
      0.1765342770302524298, 0.1849756992059918621, 0.2531702218971215664}},
    {0.5, 5, {0.0841898097237580047,    5.917238934288021041e-6, 0.4691976697665454866,
              0.4337191764353222979,    0.01288742683543992277,  0.2266166284683145385,
              0.0003535609124617467919, 0.3441955618109268414,   0.3516312723641887597,
              0.0772029764441081136,    0.3739567591144716411,   0.01295110288009928388,
              0.1547932622193594302,    0.1747687287465156554,   0.2835301470395539894,
              0.2695615009141203218,    0.2072316694815389802,   0.03040924971830281734,
              0.03794432465021978168,   0.454853255235818099,    0.04567530177933549394,
              0.7794577494869657011,    0.001404256484865424396, 0.001936497803753505359,
              0.1715261944450798752}},
    {0.1,
     1,
     {0.001919115225552751997, 3.56755636382091745e-10, 0.5611990938032436636,
      0.4368465744469496205, 0.00003521616749832754908}}};

static double work[4096], weights[2000];

static tacSinkhorn sinkhorn_problem(int n, const double* x, int k, double tau) {
    tacSinkhorn s = tac_default_sinkhorn(n, x, k);
    s.tau = tau;
    s.work = work;
    return s;
}

static int matches_sinkhorn_iteration(void) {
    for (int t = 0; t < COUNT(table); ++t) {
        tacSinkhorn s = sinkhorn_problem(5, scores, table[t].k, table[t].tau);
        ENSURE(tac_sinkhorn_top_k(&s, weights) == TAC_OK);
        for (int i = 0; i < 5 * table[t].k; ++i)
            ENSURE_NEAR(weights[i], table[t].rows[i], 1e-13 * table[t].rows[i]);
    }
    return 0;
}

// every row sums to 1; columns to at most 1, to exactly 1 if k = n
static int marginals_hold(const tacSinkhorn* s, const double* w, double tolerance) {
    for (int r = 0; r < s->k; ++r) {
        double sum = 0.0;
        for (int j = 0; j < s->n; ++j) sum += w[r * s->n + j];
        ENSURE_NEAR(sum, 1.0, tolerance);
    }
    for (int j = 0; j < s->n; ++j) {
        double sum = 0.0;
        for (int r = 0; r < s->k; ++r) {
            ENSURE(w[r * s->n + j] >= 0.0);
            sum += w[r * s->n + j];
        }
        ENSURE(sum <= 1.0 + tolerance);
        if (s->k == s->n) ENSURE_NEAR(sum, 1.0, tolerance);
    }
    return 0;
}

static int marginals_at_any_temperature(void) {
    testRandom random = {9};
    for (int trial = 0; trial < 3000; ++trial) {
        double x[25], w[625];
        int n = 1 + (int)(test_bits(&random) % 25),
            k = (int)(test_bits(&random) % (unsigned)(n + 1));
        for (int i = 0; i < n; ++i) x[i] = test_uniform(&random, -1.0, 1.0);
        for (int i = 0; trial % 3 == 2 && i + 1 < n; i += 2) x[i + 1] = x[i];
        if (trial % 7 == 6)
            for (int i = 0; i < n; ++i) x[i] = 0.4;
        tacSinkhorn s = sinkhorn_problem(n, x, k, pow(10.0, test_uniform(&random, -12.0, 12.0)));
        s.max_iterations = 20;
        ENSURE(tac_sinkhorn_top_k(&s, w) == TAC_OK);
        ENSURE_LAW(marginals_hold(&s, w, 1e-11));
    }
    return 0;
}

// entries share a tied rank equally, also where a score's last digit is far above tau
static int tied_scores_share_ranks(void) {
    static const double near[4] = {1, 1, 1, 0}, far[4] = {1e16, 1e16, 1e16, 0};
    for (int i = 0; i < 2; ++i) {
        tacSinkhorn s = sinkhorn_problem(4, i ? far : near, 2, 1e-3);
        ENSURE(tac_sinkhorn_top_k(&s, weights) == TAC_OK);
        for (int r = 0; r < 2; ++r)
            for (int j = 0; j < 4; ++j)
                ENSURE_NEAR(weights[4 * r + j], j < 3 ? 1.0 / 3.0 : 0.0, 1e-12);
    }
    return 0;
}

// equal weights as tau goes to infinity; hard order as tau goes to 0, error exp(-gap / 2 tau)
static int temperature_limits_are_uniform_and_hard(void) {
    tacSinkhorn s = sinkhorn_problem(5, scores, 3, 1e12);
    ENSURE(tac_sinkhorn_top_k(&s, weights) == TAC_OK);
    for (int i = 0; i < 15; ++i) ENSURE_NEAR(weights[i], 0.2, 1e-11);
    static const int hard[3] = {2, 3, 0};
    for (double tau = 0.05; tau > 1e-9; tau *= 0.5) {
        s.tau = tau;
        ENSURE(tac_sinkhorn_top_k(&s, weights) == TAC_OK);
        for (int r = 0; r < 3; ++r)
            ENSURE_NEAR(weights[5 * r + hard[r]], 1.0, 2.0 * exp(-0.025 / tau) + 1e-14);
    }
    return 0;
}

// k = 1 is a logistic function with one threshold; permuted and shifted scores
static int permutation_and_shift_equivariance(void) {
    double y[5], w[15];
    for (int i = 0; i < 5; ++i) y[4 - i] = scores[i] + 3.0;
    tacSinkhorn s = sinkhorn_problem(5, scores, 3, 0.3), moved = sinkhorn_problem(5, y, 3, 0.3);
    ENSURE(!tac_sinkhorn_top_k(&s, weights) && !tac_sinkhorn_top_k(&moved, w));
    for (int r = 0; r < 3; ++r)
        for (int j = 0; j < 5; ++j) ENSURE_NEAR(weights[5 * r + j], w[5 * r + 4 - j], 1e-13);
    return 0;
}

// smooth through a tie: the second difference converges, where SoftSort has a kink
static int smooth_through_ties(void) {
    double x[3] = {0.5, 0.5, 0.1}, w[3][6], last = 0.0;
    for (double h = 4e-3; h > 4e-4; h *= 0.5) {
        for (int i = 0; i < 3; ++i) {
            x[0] = 0.5 + h * (i - 1);
            tacSinkhorn s = sinkhorn_problem(3, x, 2, 0.3);
            ENSURE(tac_sinkhorn_top_k(&s, w[i]) == TAC_OK);
        }
        double second = (w[0][0] - 2.0 * w[1][0] + w[2][0]) / (h * h);
        if (last != 0.0) ENSURE_NEAR(second, last, 40.0 * h * h);
        last = second;
    }
    return 0;
}

static int wrong_input_and_small_sizes(void) {
    tacSinkhorn s = sinkhorn_problem(5, scores, 6, 0.1);
    weights[0] = 7.0;
    ENSURE(tac_sinkhorn_top_k(&s, weights) == TAC_ERROR_VALUE);
    s.k = 3;
    s.tau = NAN;
    ENSURE(tac_sinkhorn_top_k(&s, weights) == TAC_ERROR_VALUE);
    s.tau = 0.3;
    s.max_iterations = 0;
    ENSURE(tac_sinkhorn_top_k(&s, weights) == TAC_ERROR_UNSOLVED && weights[0] == 7.0);
    s.max_iterations = 20;
    s.k = 0;
    ENSURE(tac_sinkhorn_top_k(&s, weights) == TAC_OK && weights[0] == 7.0);
    s = sinkhorn_problem(1, scores, 1, 1e-300);
    ENSURE(tac_sinkhorn_top_k(&s, weights) == TAC_OK && weights[0] == 1.0);
    return 0;
}

static int sinkhorn_is_finite_at_extremes(void) {
    return finite_at_extremes(sinkhorn_maps, COUNT(sinkhorn_maps));
}

TEST_MAIN(RUN(matches_sinkhorn_iteration), RUN(marginals_at_any_temperature),
          RUN(tied_scores_share_ranks), RUN(temperature_limits_are_uniform_and_hard),
          RUN(permutation_and_shift_equivariance), RUN(smooth_through_ties),
          RUN(wrong_input_and_small_sizes), RUN(sinkhorn_is_finite_at_extremes))
