// Derivatives of soft_sort.c.
//
// Exponent of row k, entry j: e = -|gap|^p / tau, gap = y_center - y_j. With slope = tau de/d gap,
//
//   d e = (slope d gap - e d tau) / tau,      d w_j = w_j (d e_j - <d e>),
//
// and y = x - offset, where the offset moves with tau. At a tie |gap| has two one-sided
// derivatives: the one of the order that `order` reports is taken.

#include "smooth/soft_sort.h"

//---------------------------------- forward ----------------------------------

// w becomes d w along (y_dot, tau_dot)
static void soft_row_jvp(const softRow* r, const tacSoftSort* s, const tacReal* x_dot,
                         tacReal tau_dot, tacReal* w) {
    int c = r->center;
    tacReal mean = 0.0, center_dot = x_dot[c] - tac_soft_sort_offset_rate(s, c) * tau_dot;
    tacReal* de = s->work + r->n;
    for (int j = 0; j < r->n; ++j) {
        de[j] = 0.0;
        if (tac_re(w[j]) == 0.0) continue; // beyond the cutoff, where the slope may overflow
        if (j == c) continue;              // its own gap is 0, and stays 0
        tacReal gap_dot = center_dot - x_dot[j] + tac_soft_sort_offset_rate(s, j) * tau_dot;
        de[j] = soft_row_slope(r, j) * gap_dot - soft_row_exponent(r, j) * tau_dot;
        mean += w[j] * de[j];
    }
    for (int j = 0; j < r->n; ++j) w[j] = w[j] * (de[j] - mean) / r->tau;
}

tacResult tac_soft_sort_top_k_jvp(const tacSoftSort* sort, const tacReal* x_dot, tacReal tau_dot,
                                  tacReal* weights_dot) {
    softRow row;
    if (!x_dot || !weights_dot) return TAC_ERROR_VALUE;
    tacResult result = tac_soft_sort_start(sort, &row);
    if (result != TAC_OK) return result;
    for (int k = 0; k < sort->k; ++k) {
        tacReal* w = weights_dot + (size_t)k * (size_t)sort->n;
        row.center = sort->order[k];
        tac_soft_sort_row(&row, w);
        soft_row_jvp(&row, sort, x_dot, tau_dot, w);
    }
    return TAC_OK;
}

//---------------------------------- reverse ----------------------------------

typedef struct softSortBar {
    tacReal *x, *tau;
} softSortBar;

// amount is the adjoint of y_j, times tau
static void soft_score_bar(const tacSoftSort* s, int j, tacReal amount, softSortBar bar) {
    if (bar.x) bar.x[j] += amount / s->tau;
    if (bar.tau) *bar.tau -= amount / s->tau * tac_soft_sort_offset_rate(s, j);
}

static void soft_row_vjp(const softRow* r, const tacSoftSort* s, const tacReal* w,
                         const tacReal* w_bar, softSortBar bar) {
    tacReal mean = 0.0, center = 0.0, along_tau = 0.0, own = w_bar[r->center];
    for (int j = 0; j < r->n; ++j) mean += w[j] * (w_bar[j] - own);
    for (int j = 0; j < r->n; ++j) {
        if (tac_re(w[j]) == 0.0) continue;
        tacReal e_bar = w[j] * ((w_bar[j] - own) - mean), gap_bar = e_bar * soft_row_slope(r, j);
        along_tau += e_bar * soft_row_exponent(r, j);
        if (j == r->center) continue; // its gap is 0 whatever the scores are
        center += gap_bar;
        soft_score_bar(s, j, -gap_bar, bar);
    }
    soft_score_bar(s, r->center, center, bar);
    if (bar.tau) *bar.tau -= along_tau / r->tau;
}

tacResult tac_soft_sort_top_k_vjp(const tacSoftSort* sort, const tacReal* weights_bar,
                                  tacReal* x_bar, tacReal* tau_bar) {
    softRow row;
    if (!weights_bar) return TAC_ERROR_VALUE;
    tacResult result = tac_soft_sort_start(sort, &row);
    if (result != TAC_OK) return result;
    tacReal* w = sort->work + sort->n;
    for (int k = 0; k < sort->k; ++k) {
        row.center = sort->order[k];
        tac_soft_sort_row(&row, w);
        soft_row_vjp(&row, sort, w, weights_bar + (size_t)k * (size_t)sort->n,
                     (softSortBar){x_bar, tau_bar});
    }
    return TAC_OK;
}
