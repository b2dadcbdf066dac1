// Derivatives of soft_max.c.
//
// With u_i = sign (x_i - x_best) / tau, weights w and averages <.> over w:
//
//   d w_i        = w_i (c_i - <c>) sign / tau,    c_i = d x_i - sign u_i d tau
//   d LSE        = <d x> + sign (log S - <u>) d tau                    S = sum exp(u_i)
//   d Boltzmann  = sum w_i (1 + u_i - <u>) d x_i - sign <(u - <u>)^2> d tau
//
// Equal shifts of all u_i or d x_i drop out, so both are measured from the extreme entry: then the
// averages are as small as the weights they come from, and saturated derivatives keep their digits.

#include "smooth/soft_max.h"

#include "tactus/smooth.h"

static void soft_max_add(tacReal* bar, tacReal amount) {
    if (bar) *bar += amount;
}

// weights and the mean of u
static tacResult soft_max_mean(softMax* m, int n, const tacReal* x, tacReal tau, double sign,
                               tacReal* w, tacReal* mean_u) {
    tacResult result = tac_soft_max_start(m, n, x, tau, sign, w);
    if (result != TAC_OK) return result;
    tacReal sum = 0.0;
    for (int i = 0; i < n; ++i) {
        w[i] = w[i] / (1.0 + m->rest);
        sum += w[i] * soft_max_exponent(m, i);
    }
    *mean_u = sum;
    return TAC_OK;
}

//---------------------------------- weights ----------------------------------

static tacResult soft_weights_jvp(int n, const tacReal* x, tacReal tau, double sign,
                                  const tacReal* x_dot, tacReal tau_dot, tacReal* w) {
    softMax m;
    tacReal mean_u, mean_dot = 0.0;
    if (!x_dot) return TAC_ERROR_VALUE;
    tacResult result = soft_max_mean(&m, n, x, tau, sign, w, &mean_u);
    if (result != TAC_OK) return result;
    tacReal best = x_dot[m.best];
    for (int i = 0; i < n; ++i) mean_dot += w[i] * (x_dot[i] - best);
    for (int i = 0; i < n; ++i) {
        tacReal along_x = sign * ((x_dot[i] - best) - mean_dot);
        tacReal along_tau = (soft_max_exponent(&m, i) - mean_u) * tau_dot;
        w[i] = w[i] * (along_x - along_tau) / tau;
    }
    return TAC_OK;
}

tacResult tac_soft_argmax_jvp(int n, const tacReal* x, tacReal tau, const tacReal* x_dot,
                              tacReal tau_dot, tacReal* weights_dot) {
    return soft_weights_jvp(n, x, tau, 1.0, x_dot, tau_dot, weights_dot);
}

tacResult tac_soft_argmin_jvp(int n, const tacReal* x, tacReal tau, const tacReal* x_dot,
                              tacReal tau_dot, tacReal* weights_dot) {
    return soft_weights_jvp(n, x, tau, -1.0, x_dot, tau_dot, weights_dot);
}

static tacResult soft_weights_vjp(softMax* m, const tacReal* weights_bar, tacReal* x_bar,
                                  tacReal* tau_bar, tacReal* w) {
    tacReal mean_u, mean_bar = 0.0, along_tau = 0.0;
    if (!weights_bar) return TAC_ERROR_VALUE;
    tacResult result = soft_max_mean(m, m->n, m->x, m->tau, m->sign, w, &mean_u);
    if (result != TAC_OK) return result;
    tacReal best = weights_bar[m->best];
    for (int i = 0; i < m->n; ++i) mean_bar += w[i] * (weights_bar[i] - best);
    for (int i = 0; i < m->n; ++i) {
        tacReal g = w[i] * ((weights_bar[i] - best) - mean_bar);
        if (x_bar) x_bar[i] += m->sign * g / m->tau;
        along_tau += g * soft_max_exponent(m, i);
    }
    soft_max_add(tau_bar, -along_tau / m->tau);
    return TAC_OK;
}

tacResult tac_soft_argmax_vjp(int n, const tacReal* x, tacReal tau, const tacReal* weights_bar,
                              tacReal* x_bar, tacReal* tau_bar, tacReal* work) {
    softMax m = {.n = n, .x = x, .tau = tau, .sign = 1.0};
    return soft_weights_vjp(&m, weights_bar, x_bar, tau_bar, work);
}

tacResult tac_soft_argmin_vjp(int n, const tacReal* x, tacReal tau, const tacReal* weights_bar,
                              tacReal* x_bar, tacReal* tau_bar, tacReal* work) {
    softMax m = {.n = n, .x = x, .tau = tau, .sign = -1.0};
    return soft_weights_vjp(&m, weights_bar, x_bar, tau_bar, work);
}

//---------------------------------- soft extremes ----------------------------------

// gradient of a soft extreme, left in `gradient`
static tacResult soft_extreme_gradient(int n, const tacReal* x, tacReal tau, double sign,
                                       tacReal* gradient, tacReal* d_tau) {
    softMax m;
    tacReal mean_u;
    tacResult result = soft_max_mean(&m, n, x, tau, sign, gradient, &mean_u);
    if (result != TAC_OK) return result;
    *d_tau = sign * (w_lane(soft_log1p(w_set(m.rest)), 0) - mean_u);
    return TAC_OK;
}

static tacResult boltzmann_gradient(int n, const tacReal* x, tacReal tau, double sign,
                                    tacReal* gradient, tacReal* d_tau) {
    softMax m;
    tacReal mean_u, variance = 0.0;
    tacResult result = soft_max_mean(&m, n, x, tau, sign, gradient, &mean_u);
    if (result != TAC_OK) return result;
    for (int i = 0; i < n; ++i) {
        tacReal off = soft_max_exponent(&m, i) - mean_u;
        variance += gradient[i] * off * off;
        gradient[i] = gradient[i] * (1.0 + off);
    }
    *d_tau = -sign * variance;
    return TAC_OK;
}

// the three values share the rest: products with a gradient
typedef tacResult softGradient(int n, const tacReal* x, tacReal tau, double sign, tacReal* gradient,
                               tacReal* d_tau);

typedef struct softProblem {
    softGradient* gradient;
    double sign;
    int n;
    const tacReal* x;
    tacReal tau;
    tacReal* work;
} softProblem;

static tacResult soft_value_jvp(softProblem p, const tacReal* x_dot, tacReal tau_dot,
                                tacReal* value_dot) {
    tacReal d_tau, sum;
    if (!x_dot || !value_dot) return TAC_ERROR_VALUE;
    tacResult result = p.gradient(p.n, p.x, p.tau, p.sign, p.work, &d_tau);
    if (result != TAC_OK) return result;
    sum = d_tau * tau_dot;
    for (int i = 0; i < p.n; ++i) sum += p.work[i] * x_dot[i];
    *value_dot = sum;
    return TAC_OK;
}

static tacResult soft_value_vjp(softProblem p, tacReal value_bar, tacReal* x_bar,
                                tacReal* tau_bar) {
    tacReal d_tau;
    tacResult result = p.gradient(p.n, p.x, p.tau, p.sign, p.work, &d_tau);
    if (result != TAC_OK) return result;
    for (int i = 0; x_bar && i < p.n; ++i) x_bar[i] += p.work[i] * value_bar;
    soft_max_add(tau_bar, d_tau * value_bar);
    return TAC_OK;
}

tacResult tac_log_sum_exp_jvp(int n, const tacReal* x, tacReal tau, const tacReal* x_dot,
                              tacReal tau_dot, tacReal* value_dot, tacReal* work) {
    softProblem p = {soft_extreme_gradient, 1.0, n, x, tau, work};
    return soft_value_jvp(p, x_dot, tau_dot, value_dot);
}

tacResult tac_log_sum_exp_vjp(int n, const tacReal* x, tacReal tau, tacReal value_bar,
                              tacReal* x_bar, tacReal* tau_bar, tacReal* work) {
    softProblem p = {soft_extreme_gradient, 1.0, n, x, tau, work};
    return soft_value_vjp(p, value_bar, x_bar, tau_bar);
}

tacResult tac_soft_min_jvp(int n, const tacReal* x, tacReal tau, const tacReal* x_dot,
                           tacReal tau_dot, tacReal* value_dot, tacReal* work) {
    softProblem p = {soft_extreme_gradient, -1.0, n, x, tau, work};
    return soft_value_jvp(p, x_dot, tau_dot, value_dot);
}

tacResult tac_soft_min_vjp(int n, const tacReal* x, tacReal tau, tacReal value_bar, tacReal* x_bar,
                           tacReal* tau_bar, tacReal* work) {
    softProblem p = {soft_extreme_gradient, -1.0, n, x, tau, work};
    return soft_value_vjp(p, value_bar, x_bar, tau_bar);
}

tacResult tac_boltzmann_min_jvp(int n, const tacReal* x, tacReal tau, const tacReal* x_dot,
                                tacReal tau_dot, tacReal* value_dot, tacReal* work) {
    softProblem p = {boltzmann_gradient, -1.0, n, x, tau, work};
    return soft_value_jvp(p, x_dot, tau_dot, value_dot);
}

tacResult tac_boltzmann_min_vjp(int n, const tacReal* x, tacReal tau, tacReal value_bar,
                                tacReal* x_bar, tacReal* tau_bar, tacReal* work) {
    softProblem p = {boltzmann_gradient, -1.0, n, x, tau, work};
    return soft_value_vjp(p, value_bar, x_bar, tau_bar);
}
