// Softmax weights, log-sum-exp and Boltzmann average of an array.
//
//   scores, distances --> [this file] --weights, soft extremes--> selection, unions, separation
//
// All are shifted by the extreme entry, so the largest term is exp(0). Formulas: docs/smooth.md.

#include "smooth/soft_max.h"

#include "tactus/smooth.h"

tacResult tac_soft_max_start(softMax* m, int n, const tacReal* x, tacReal tau, double sign,
                             tacReal* E) {
    if (n < 1 || !x || !E || !soft_positive(tau) || !soft_all_finite(n, x)) return TAC_ERROR_VALUE;
    *m = (softMax){.n = n, .x = x, .tau = tau, .sign = sign};
    for (int i = 1; i < n; ++i)
        if (sign * tac_re(x[i]) > sign * tac_re(x[m->best])) m->best = i;

    for (int i = 0; i < n; ++i) E[i] = soft_max_exponent(m, i);
    soft_exp_all(n, E);
    for (int i = 0; i < n; ++i)
        if (i != m->best) m->rest += E[i];
    return TAC_OK;
}

size_t tac_soft_max_size(int n) { return n > 0 ? (size_t)n : 0; }

//---------------------------------- weights ----------------------------------

static tacResult soft_weights(int n, const tacReal* x, tacReal tau, double sign, tacReal* weights) {
    softMax m;
    tacResult result = tac_soft_max_start(&m, n, x, tau, sign, weights);
    if (result != TAC_OK) return result;
    for (int i = 0; i < n; ++i) weights[i] = weights[i] / (1.0 + m.rest);
    return TAC_OK;
}

tacResult tac_soft_argmax(int n, const tacReal* x, tacReal tau, tacReal* weights) {
    return soft_weights(n, x, tau, 1.0, weights);
}

tacResult tac_soft_argmin(int n, const tacReal* x, tacReal tau, tacReal* weights) {
    return soft_weights(n, x, tau, -1.0, weights);
}

//---------------------------------- soft extremes ----------------------------------

static tacResult soft_extreme(int n, const tacReal* x, tacReal tau, double sign, tacReal* value,
                              tacReal* work) {
    softMax m;
    if (!value) return TAC_ERROR_VALUE;
    tacResult result = tac_soft_max_start(&m, n, x, tau, sign, work);
    if (result != TAC_OK) return result;
    *value = x[m.best] + sign * tau * w_lane(soft_log1p(w_set(m.rest)), 0);
    return TAC_OK;
}

tacResult tac_log_sum_exp(int n, const tacReal* x, tacReal tau, tacReal* value, tacReal* work) {
    return soft_extreme(n, x, tau, 1.0, value, work);
}

tacResult tac_soft_min(int n, const tacReal* x, tacReal tau, tacReal* value, tacReal* work) {
    return soft_extreme(n, x, tau, -1.0, value, work);
}

// sum w_i x_i = x_best + sign tau sum w_i u_i: no term can overflow
tacResult tac_boltzmann_min(int n, const tacReal* x, tacReal tau, tacReal* value, tacReal* work) {
    softMax m;
    if (!value) return TAC_ERROR_VALUE;
    tacResult result = tac_soft_max_start(&m, n, x, tau, -1.0, work);
    if (result != TAC_OK) return result;
    tacReal sum = 0.0;
    for (int i = 0; i < n; ++i) sum += work[i] * soft_max_exponent(&m, i);
    *value = x[m.best] - tau * (sum / (1.0 + m.rest));
    return TAC_OK;
}
