// Derivatives of sinkhorn.c, by the implicit function theorem at the fixed point.
//
// Item j has t_l = (x_j - theta_l) / tau and weights P(rank = k), with tails c_l = P(rank <= l) and
// d_l = P(rank > l). In these, with no cancellation however saturated the item is,
//
//   d P_k = P_k (sum_{l >= k} d_l dt_l - sum_{l < k} c_l dt_l),   d c_k = sum_l M_kl dt_l,
//   M_kl = c_min(k,l) d_max(k,l).
//
// The thresholds keep sum_j c_jl = l + 1, so along any change
//
//   H d theta = sum_j M_j (d x_j - t_j d tau),   H = sum_j M_j,
//
// and the same H serves the adjoint. Nothing is differentiated through iterations.

#include "smooth/sinkhorn.h"

//---------------------------------- forward ----------------------------------

// sum += M t_dot of the item, t_dot in aux
static void sinkhorn_add_tails_jvp(const sinkhorn* s, tacReal* sum) {
    tacReal below = 0.0, above = 0.0;
    for (int l = 0; l < s->m; ++l) {
        below += s->c[l] * s->aux[l];
        sum[l] += s->d[l] * below;
    }
    for (int l = s->m - 1; l >= 0; --l) {
        sum[l] += s->c[l] * above;
        above += s->d[l] * s->aux[l];
    }
}

// P becomes d P of the item, t_dot in aux; the sums over l >= k replace d
static void sinkhorn_item_jvp(const sinkhorn* s) {
    tacReal below = 0.0;
    for (int l = s->m - 1; l >= 0; --l) s->d[l] = s->d[l] * s->aux[l] + s->d[l + 1];
    for (int k = 0; k <= s->m; ++k) {
        s->P[k] = s->P[k] * (s->d[k] - below);
        if (k < s->m) below += s->c[k] * s->aux[k];
    }
}

// theta_dot in `step`
static void sinkhorn_theta_jvp(const sinkhorn* s, const tacReal* x_dot, tacReal tau_dot) {
    for (int l = 0; l < s->m; ++l) s->step[l] = 0.0;
    for (int j = 0; j < s->problem->n; ++j) {
        tac_sinkhorn_item(s, j);
        for (int l = 0; l < s->m; ++l) s->aux[l] = x_dot[j] - s->t[l] * tau_dot;
        sinkhorn_add_tails_jvp(s, s->step);
    }
    tac_sinkhorn_backsolve(s, s->step);
}

tacResult tac_sinkhorn_top_k_jvp(const tacSinkhorn* problem, const tacReal* x_dot, tacReal tau_dot,
                                 tacReal* weights_dot) {
    sinkhorn s;
    if (!x_dot || !weights_dot) return TAC_ERROR_VALUE;
    tacResult result = tac_sinkhorn_solve(problem, &s);
    if (result != TAC_OK) return result;
    sinkhorn_theta_jvp(&s, x_dot, tau_dot);
    for (int j = 0; j < problem->n && problem->k > 0; ++j) {
        tac_sinkhorn_item(&s, j);
        for (int l = 0; l < s.m; ++l) s.aux[l] = x_dot[j] - s.t[l] * tau_dot - s.step[l];
        sinkhorn_item_jvp(&s);
        for (int k = 0; k < problem->k; ++k)
            weights_dot[(size_t)k * (size_t)problem->n + (size_t)j] = s.P[k] / problem->tau;
    }
    return TAC_OK;
}

//---------------------------------- reverse ----------------------------------

// aux = adjoint of t of item j: that of its weights, plus what the thresholds pass on
static void sinkhorn_item_vjp(const sinkhorn* s, int j, const tacReal* weights_bar) {
    const tacSinkhorn* p = s->problem;
    tacReal below = 0.0, above = 0.0;
    for (int l = 0; l < s->m; ++l) {
        if (l < p->k) below += s->P[l] * weights_bar[(size_t)l * (size_t)p->n + (size_t)j];
        s->aux[l] = s->d[l] * below;
    }
    for (int l = s->m - 1; l >= 0; --l) {
        if (l + 1 < p->k)
            above += s->P[l + 1] * weights_bar[(size_t)(l + 1) * (size_t)p->n + (size_t)j];
        s->aux[l] -= s->c[l] * above;
    }
}

// -H^-1 sum_j (adjoint of t_j), in `step`
static void sinkhorn_theta_vjp(const sinkhorn* s, const tacReal* weights_bar) {
    for (int l = 0; l < s->m; ++l) s->step[l] = 0.0;
    for (int j = 0; j < s->problem->n; ++j) {
        tac_sinkhorn_item(s, j);
        sinkhorn_item_vjp(s, j, weights_bar);
        for (int l = 0; l < s->m; ++l) s->step[l] -= s->aux[l];
    }
    tac_sinkhorn_backsolve(s, s->step);
}

tacResult tac_sinkhorn_top_k_vjp(const tacSinkhorn* problem, const tacReal* weights_bar,
                                 tacReal* x_bar, tacReal* tau_bar) {
    sinkhorn s;
    if (!weights_bar) return TAC_ERROR_VALUE;
    tacResult result = tac_sinkhorn_solve(problem, &s);
    if (result != TAC_OK) return result;
    sinkhorn_theta_vjp(&s, weights_bar);
    for (int j = 0; j < problem->n; ++j) {
        tacReal along_x = 0.0, along_tau = 0.0;
        tac_sinkhorn_item(&s, j);
        sinkhorn_item_vjp(&s, j, weights_bar);

        // M is symmetric: what the thresholds pass on comes back through the forward product
        for (int l = 0; l < s.m; ++l) {
            s.residual[l] = s.aux[l];
            s.aux[l] = s.step[l];
        }
        sinkhorn_add_tails_jvp(&s, s.residual);
        for (int l = 0; l < s.m; ++l) {
            along_x += s.residual[l];
            along_tau += s.residual[l] * s.t[l];
        }
        if (x_bar) x_bar[j] += along_x / problem->tau;
        if (tau_bar) *tau_bar -= along_tau / problem->tau;
    }
    return TAC_OK;
}
