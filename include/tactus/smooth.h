/// Smooth stand-ins for decisions: comparison, sign, clip, selection, minimum, top-K.
///
/// Every function has a temperature tau > 0 (or a width) that sets how wide its transition is; as
/// tau goes to 0 it becomes the hard function. Formulas, error bounds and tests: docs/smooth.md.
///
/// For any finite input and tau in [1e-300, 1e300] nothing overflows and no result is NaN; values
/// and derivatives are exactly saturated (0 or 1) from 700 tau on. `_jvp` is the derivative along
/// a direction, `_vjp` adds to adjoints and skips those that are NULL.
#ifndef TACTUS_SMOOTH_H
#define TACTUS_SMOOTH_H

#include "tactus/real.h"
#include "tactus/result.h"

#include <stddef.h>

TAC_EXTERN_C_BEGIN

//---------------------------------- comparison ----------------------------------

/// x > a: 1 / (1 + exp(-(x - a) / tau)). C-infinity; 1/2 at x = a; off by exp(-|x - a| / tau) at
/// most.
TAC_API
tacReal tac_soft_greater(tacReal x, tacReal a, tacReal tau);
/// Derivative of tac_soft_greater along (x_dot, a_dot, tau_dot).
TAC_API
tacReal tac_soft_greater_jvp(tacReal x, tacReal a, tacReal tau, tacReal x_dot, tacReal a_dot,
                             tacReal tau_dot);
/// Adds the derivatives of tac_soft_greater times y_bar.
TAC_API
void tac_soft_greater_vjp(tacReal x, tacReal a, tacReal tau, tacReal y_bar, tacReal* x_bar,
                          tacReal* a_bar, tacReal* tau_bar);

/// x < a: tac_soft_greater(a, x, tau).
TAC_API
tacReal tac_soft_less(tacReal x, tacReal a, tacReal tau);
/// Derivative of tac_soft_less along (x_dot, a_dot, tau_dot).
TAC_API
tacReal tac_soft_less_jvp(tacReal x, tacReal a, tacReal tau, tacReal x_dot, tacReal a_dot,
                          tacReal tau_dot);
/// Adds the derivatives of tac_soft_less times y_bar.
TAC_API
void tac_soft_less_vjp(tacReal x, tacReal a, tacReal tau, tacReal y_bar, tacReal* x_bar,
                       tacReal* a_bar, tacReal* tau_bar);

//---------------------------------- sign, relu, abs ----------------------------------

/// Sign of x: tanh(x / tau). C-infinity, odd; off by 2 exp(-2 |x| / tau) at most.
TAC_API
tacReal tac_soft_sign(tacReal x, tacReal tau);
/// Derivative of tac_soft_sign along (x_dot, tau_dot).
TAC_API
tacReal tac_soft_sign_jvp(tacReal x, tacReal tau, tacReal x_dot, tacReal tau_dot);
/// Adds the derivatives of tac_soft_sign times y_bar.
TAC_API
void tac_soft_sign_vjp(tacReal x, tacReal tau, tacReal y_bar, tacReal* x_bar, tacReal* tau_bar);

/// max(x, 0): tau log(1 + exp(x / tau)). C-infinity, convex; above by tau log 2 at most, at x = 0.
TAC_API
tacReal tac_soft_relu(tacReal x, tacReal tau);
/// Derivative of tac_soft_relu along (x_dot, tau_dot).
TAC_API
tacReal tac_soft_relu_jvp(tacReal x, tacReal tau, tacReal x_dot, tacReal tau_dot);
/// Adds the derivatives of tac_soft_relu times y_bar.
TAC_API
void tac_soft_relu_vjp(tacReal x, tacReal tau, tacReal y_bar, tacReal* x_bar, tacReal* tau_bar);

/// |x|: soft_relu(x) + soft_relu(-x). C-infinity, convex; above by 2 tau log 2 at most, at x = 0.
TAC_API
tacReal tac_soft_abs(tacReal x, tacReal tau);
/// Derivative of tac_soft_abs along (x_dot, tau_dot).
TAC_API
tacReal tac_soft_abs_jvp(tacReal x, tacReal tau, tacReal x_dot, tacReal tau_dot);
/// Adds the derivatives of tac_soft_abs times y_bar.
TAC_API
void tac_soft_abs_vjp(tacReal x, tacReal tau, tacReal y_bar, tacReal* x_bar, tacReal* tau_bar);

//---------------------------------- two bounds ----------------------------------

/// Input of tac_soft_clip and tac_soft_within; also its direction and its adjoint.
typedef struct tacBounds {
    tacReal x;     ///< argument                              [any unit u]
    tacReal lower; ///< lower bound                                    [u]
    tacReal upper; ///< upper bound, not below the lower one           [u]
    tacReal tau;   ///< temperature, > 0                               [u]
} tacBounds;

/// x held in [lower, upper]: lower + soft_relu(x - lower) - soft_relu(x - upper), without the
/// cancellation of that form. C-infinity, increasing, strictly inside the bounds; off by tau log 2
/// at most, at a bound.
TAC_API
tacReal tac_soft_clip(tacBounds at);
/// Derivative of tac_soft_clip along dot.
TAC_API
tacReal tac_soft_clip_jvp(tacBounds at, tacBounds dot);
/// Adds the derivatives of tac_soft_clip times y_bar to *bar.
TAC_API
void tac_soft_clip_vjp(tacBounds at, tacReal y_bar, tacBounds* bar);

/// lower < x < upper: soft_greater(x, lower) * soft_less(x, upper). C-infinity; at the centre it
/// is 1 only up to 2 exp(-(upper - lower) / 2 tau).
TAC_API
tacReal tac_soft_within(tacBounds at);
/// Derivative of tac_soft_within along dot.
TAC_API
tacReal tac_soft_within_jvp(tacBounds at, tacBounds dot);
/// Adds the derivatives of tac_soft_within times y_bar to *bar.
TAC_API
void tac_soft_within_vjp(tacBounds at, tacReal y_bar, tacBounds* bar);

//---------------------------------- compact transitions ----------------------------------

/// w(t): exactly 1 for t <= 0, exactly 0 for t >= 1, s^3 (10 - 15 s + 6 s^2) with s = 1 - t
/// between. C2: first and second derivative vanish at both ends.
TAC_API
tacReal tac_mollifier(tacReal t);
/// Derivative of tac_mollifier along t_dot.
TAC_API
tacReal tac_mollifier_jvp(tacReal t, tacReal t_dot);
/// Adds the derivative of tac_mollifier times y_bar.
TAC_API
void tac_mollifier_vjp(tacReal t, tacReal y_bar, tacReal* t_bar);

/// psi(t) = w((1 - t) / 2): exactly 0 for t <= -1, exactly 1 for t >= 1. C2; psi(t) + psi(-t) = 1.
TAC_API
tacReal tac_soft_ramp(tacReal t);
/// Derivative of tac_soft_ramp along t_dot.
TAC_API
tacReal tac_soft_ramp_jvp(tacReal t, tacReal t_dot);
/// Adds the derivative of tac_soft_ramp times y_bar.
TAC_API
void tac_soft_ramp_vjp(tacReal t, tacReal y_bar, tacReal* t_bar);

//---------------------------------- softmax ----------------------------------

/// Number of reals in `work`, for the functions of this section.
TAC_API
size_t tac_soft_max_size(int n);

/// Weights of the largest entry: exp(x_i / tau) / sum_j exp(x_j / tau), (n). C-infinity; sum to 1.
/// TAC_ERROR_VALUE unless n >= 1, tau > 0 and x finite; so for all functions of this section.
TAC_API
tacResult tac_soft_argmax(int n, const tacReal* x, tacReal tau, tacReal* weights);
/// Derivative of tac_soft_argmax along (x_dot, tau_dot).
TAC_API
tacResult tac_soft_argmax_jvp(int n, const tacReal* x, tacReal tau, const tacReal* x_dot,
                              tacReal tau_dot, tacReal* weights_dot);
/// Adds the derivatives of tac_soft_argmax times weights_bar.
TAC_API
tacResult tac_soft_argmax_vjp(int n, const tacReal* x, tacReal tau, const tacReal* weights_bar,
                              tacReal* x_bar, tacReal* tau_bar, tacReal* work);

/// Weights of the smallest entry: tac_soft_argmax of -x.
TAC_API
tacResult tac_soft_argmin(int n, const tacReal* x, tacReal tau, tacReal* weights);
/// Derivative of tac_soft_argmin along (x_dot, tau_dot).
TAC_API
tacResult tac_soft_argmin_jvp(int n, const tacReal* x, tacReal tau, const tacReal* x_dot,
                              tacReal tau_dot, tacReal* weights_dot);
/// Adds the derivatives of tac_soft_argmin times weights_bar.
TAC_API
tacResult tac_soft_argmin_vjp(int n, const tacReal* x, tacReal tau, const tacReal* weights_bar,
                              tacReal* x_bar, tacReal* tau_bar, tacReal* work);

/// Soft maximum: tau log sum_i exp(x_i / tau). C-infinity, convex, increasing in every x_i; above
/// the maximum by tau log n at most (n equal entries).
TAC_API
tacResult tac_log_sum_exp(int n, const tacReal* x, tacReal tau, tacReal* value, tacReal* work);
/// Derivative of tac_log_sum_exp along (x_dot, tau_dot).
TAC_API
tacResult tac_log_sum_exp_jvp(int n, const tacReal* x, tacReal tau, const tacReal* x_dot,
                              tacReal tau_dot, tacReal* value_dot, tacReal* work);
/// Adds the derivatives of tac_log_sum_exp times value_bar.
TAC_API
tacResult tac_log_sum_exp_vjp(int n, const tacReal* x, tacReal tau, tacReal value_bar,
                              tacReal* x_bar, tacReal* tau_bar, tacReal* work);

/// Soft minimum: -tau log sum_i exp(-x_i / tau). Below the minimum by tau log n at most.
TAC_API
tacResult tac_soft_min(int n, const tacReal* x, tacReal tau, tacReal* value, tacReal* work);
/// Derivative of tac_soft_min along (x_dot, tau_dot).
TAC_API
tacResult tac_soft_min_jvp(int n, const tacReal* x, tacReal tau, const tacReal* x_dot,
                           tacReal tau_dot, tacReal* value_dot, tacReal* work);
/// Adds the derivatives of tac_soft_min times value_bar.
TAC_API
tacResult tac_soft_min_vjp(int n, const tacReal* x, tacReal tau, tacReal value_bar, tacReal* x_bar,
                           tacReal* tau_bar, tacReal* work);

/// Boltzmann average, the soft separation of paper 000: sum_i w_i x_i, w = tac_soft_argmin(x).
/// Never below the minimum, above it by less than tau (n - 1) / e. C-infinity but NOT increasing:
/// an entry above value + tau has a negative derivative. Use tac_soft_min where a gradient is
/// needed.
TAC_API
tacResult tac_boltzmann_min(int n, const tacReal* x, tacReal tau, tacReal* value, tacReal* work);
/// Derivative of tac_boltzmann_min along (x_dot, tau_dot).
TAC_API
tacResult tac_boltzmann_min_jvp(int n, const tacReal* x, tacReal tau, const tacReal* x_dot,
                                tacReal tau_dot, tacReal* value_dot, tacReal* work);
/// Adds the derivatives of tac_boltzmann_min times value_bar.
TAC_API
tacResult tac_boltzmann_min_vjp(int n, const tacReal* x, tacReal tau, tacReal value_bar,
                                tacReal* x_bar, tacReal* tau_bar, tacReal* work);

//---------------------------------- top-K: SoftSort ----------------------------------

/// Treatment of equal scores in SoftSort. tac_select_top_k is the alternative with hard indices.
typedef enum tacTies {
    TAC_TIES_REFERENCE, ///< none: tied entries get equal columns, all rows fall on their mean
    TAC_TIES_OFFSET     ///< entry i is lowered by offset tau^(1/power) i / n first
} tacTies;

/// A SoftSort problem with its workspace. Start from tac_default_soft_sort().
typedef struct tacSoftSort {
    int n;            ///< number of scores
    int k;            ///< number of rows, 0 <= k <= n
    const tacReal* x; ///< scores                                          (n) [any unit u]
    tacReal tau;      ///< temperature, > 0; 0.05 of the scores' range is usual  [u^power]
    int power;        ///< 1 or 2: distance |x_i - x_j|^power; default 1
    tacTies ties;     ///< default TAC_TIES_OFFSET
    double offset;    ///< strength of the offsets, >= 0; default 10
    int* order;       ///< out: index of the k-th largest score, ties by index   (k)
    tacReal* work;    ///< workspace                            (tac_soft_sort_size)
} tacSoftSort;

/// SoftSort of n scores with power 1 and tau = 1; set tau, order and work.
TAC_API
tacSoftSort tac_default_soft_sort(int n, const tacReal* x, int k);
/// Number of reals in tacSoftSort.work.
TAC_API
size_t tac_soft_sort_size(int n);

/// Row r is softmax_j(-|x_[r] - x_j|^power / tau), x_[r] the r-th largest score; (k x n) row-major.
/// Rows sum to 1. Smooth between ties, continuous at ties, where the one-sided derivatives differ
/// (not in row 0 with power 1, which is tac_soft_argmax).
TAC_API
tacResult tac_soft_sort_top_k(const tacSoftSort* sort, tacReal* weights);
/// Derivative of tac_soft_sort_top_k along (x_dot, tau_dot); at a tie, that of the reported order.
TAC_API
tacResult tac_soft_sort_top_k_jvp(const tacSoftSort* sort, const tacReal* x_dot, tacReal tau_dot,
                                  tacReal* weights_dot);
/// Adds the derivatives of tac_soft_sort_top_k times weights_bar.
TAC_API
tacResult tac_soft_sort_top_k_vjp(const tacSoftSort* sort, const tacReal* weights_bar,
                                  tacReal* x_bar, tacReal* tau_bar);

//---------------------------------- top-K: optimal transport ----------------------------------

/// An optimal-transport top-K problem with its workspace. Start from tac_default_sinkhorn().
typedef struct tacSinkhorn {
    int n;              ///< number of scores
    int k;              ///< number of rows, 0 <= k <= n
    const tacReal* x;   ///< scores                                         (n) [any unit u]
    tacReal tau;        ///< temperature, > 0                                            [u]
    int max_iterations; ///< of Newton's method, default 100; at most 6 were seen
    double tolerance;   ///< of the thresholds, in units of tau; default 1e-12
    tacReal* work;      ///< workspace                                   (tac_sinkhorn_size)
} tacSinkhorn;

/// Optimal transport of n scores with tau = 1; set tau and work.
TAC_API
tacSinkhorn tac_default_sinkhorn(int n, const tacReal* x, int k);
/// Number of reals in tacSinkhorn.work.
TAC_API
size_t tac_sinkhorn_size(int k);

/// The plan P >= 0 that maximises sum_rj (k - r) x_j P_rj + tau entropy(P), where every column sums
/// to 1 over k rows and "the rest", and every row to 1; (k x n) row-major, without the rest.
/// C-infinity, ties included. TAC_ERROR_UNSOLVED if the tolerance is not reached.
TAC_API
tacResult tac_sinkhorn_top_k(const tacSinkhorn* problem, tacReal* weights);
/// Derivative of tac_sinkhorn_top_k along (x_dot, tau_dot), implicit at the solution.
TAC_API
tacResult tac_sinkhorn_top_k_jvp(const tacSinkhorn* problem, const tacReal* x_dot, tacReal tau_dot,
                                 tacReal* weights_dot);
/// Adds the derivatives of tac_sinkhorn_top_k times weights_bar, implicit at the solution.
TAC_API
tacResult tac_sinkhorn_top_k_vjp(const tacSinkhorn* problem, const tacReal* weights_bar,
                                 tacReal* x_bar, tacReal* tau_bar);

//---------------------------------- top-K: hard indices, soft weights ----------------------------

/// A selection with compact weights. Start from tac_default_select().
typedef struct tacSelect {
    int n;            ///< number of scores
    int k;            ///< total weight, >= 0; may exceed n
    const tacReal* x; ///< scores; 0 means "no candidate"                  (n) [any unit u]
    tacReal width;    ///< half width of the ramp about the threshold, > 0            [u]
    tacReal gate;     ///< score at which an entry counts fully; 0: no gate (default) [u]
} tacSelect;

/// Adjoints of a selection; NULL skips.
typedef struct tacSelectBar {
    tacReal* x;     ///< of the scores       (n)
    tacReal* width; ///< of tacSelect.width
    tacReal* gate;  ///< of tacSelect.gate
} tacSelectBar;

/// Selection of n scores with width 1 and no gate.
TAC_API
tacSelect tac_default_select(int n, const tacReal* x, int k);

/// W_i = w(1 - x_i / gate) psi((x_i - th) / width), th from sum_i W_i + k psi(-th / width) = k;
/// (n). C2 in all inputs, ties included; exactly 0 below th - width, so those entries may be left
/// out.
TAC_API
tacResult tac_select_top_k(const tacSelect* problem, tacReal* weights);
/// Derivative of tac_select_top_k along (x_dot, width_dot, gate_dot).
TAC_API
tacResult tac_select_top_k_jvp(const tacSelect* problem, const tacReal* x_dot, tacReal width_dot,
                               tacReal gate_dot, tacReal* weights_dot);
/// Adds the derivatives of tac_select_top_k times weights_bar.
TAC_API
tacResult tac_select_top_k_vjp(const tacSelect* problem, const tacReal* weights_bar,
                               tacSelectBar bar);

TAC_EXTERN_C_END

#endif
