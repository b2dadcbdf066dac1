// Soft top-K by entropic optimal transport: every entry spreads over the ranks 0..k-1 and "the
// rest" so that each rank gets exactly one entry's worth.
//
//   scores x (n) --> [this file] --weights (k x n), rows and columns of exact sums--> selection
//
// The fixed point of Sinkhorn's iteration is P_kj ~ exp(sum_{l >= k} (x_j - theta_l) / tau). Its k
// thresholds minimise a convex function; they are found by Newton's method with a slope-controlled
// step, in the log domain, because Sinkhorn's own sweeps number about range / tau. Formulas:
// docs/smooth.md.

#include "smooth/sinkhorn.h"

tacSinkhorn tac_default_sinkhorn(int n, const tacReal* x, int k) {
    return (tacSinkhorn){
        .n = n, .k = k, .x = x, .tau = 1.0, .max_iterations = 100, .tolerance = 1e-12};
}

size_t tac_sinkhorn_size(int k) {
    size_t m = k > 0 ? (size_t)k : 0;
    return m * m + 5 * m + 5 * (m + 1);
}

//---------------------------------- set-up ----------------------------------

static int sinkhorn_valid(const tacSinkhorn* p) {
    return p && p->n >= 0 && (p->x || p->n == 0) && (p->work || p->k == 0) && p->k >= 0 &&
           p->k <= p->n && soft_positive(p->tau) && p->max_iterations >= 0 && p->tolerance > 0.0 &&
           soft_all_finite(p->n, p->x);
}

static tacReal* sinkhorn_alloc(tacReal** work, int count) {
    tacReal* block = *work;
    *work += count;
    return block;
}

static void sinkhorn_layout(const tacSinkhorn* p, sinkhorn* s) {
    tacReal* work = p->work;
    int m = p->k < p->n ? p->k : p->k - 1;
    *s = (sinkhorn){.problem = p, .m = m < 0 ? 0 : m};
    m = s->m;
    s->H = sinkhorn_alloc(&work, m * m);
    s->base = sinkhorn_alloc(&work, m);
    s->phi = sinkhorn_alloc(&work, m);
    s->residual = sinkhorn_alloc(&work, m);
    s->step = sinkhorn_alloc(&work, m);
    s->whole = sinkhorn_alloc(&work, m);
    s->t = sinkhorn_alloc(&work, m + 1);
    s->P = sinkhorn_alloc(&work, m + 1);
    s->c = sinkhorn_alloc(&work, m + 1);
    s->d = sinkhorn_alloc(&work, m + 1);
    s->aux = sinkhorn_alloc(&work, m + 1);
}

// base_l = half way between the scores of rank l and l + 1
static void sinkhorn_bases(const sinkhorn* s) {
    const tacSinkhorn* p = s->problem;
    tacReal* top = s->P;
    for (int j = 0, count = 0; j < p->n; ++j) {
        int at = count;
        while (at > 0 && tac_re(top[at - 1]) < tac_re(p->x[j])) --at;
        if (at > s->m) continue;
        if (count <= s->m) ++count;
        for (int i = count - 1; i > at; --i) top[i] = top[i - 1];
        top[at] = p->x[j];
    }
    for (int l = 0; l < s->m; ++l) s->base[l] = 0.5 * top[l] + 0.5 * top[l + 1];
}

//---------------------------------- one item ----------------------------------

static tacReal sinkhorn_bounded(tacReal t) {
    double re = tac_re(t);
    return re > SOFT_LIMIT ? (tacReal)SOFT_LIMIT : re < -SOFT_LIMIT ? (tacReal)-SOFT_LIMIT : t;
}

// c_l = P(rank <= l) and d_l = P(rank > l), each summed from its small end
static void sinkhorn_tails(const sinkhorn* s) {
    s->c[0] = s->P[0];
    for (int l = 1; l < s->m; ++l) s->c[l] = s->c[l - 1] + s->P[l];
    s->d[s->m] = 0.0;
    for (int l = s->m - 1; l >= 0; --l) s->d[l] = s->d[l + 1] + s->P[l + 1];
}

void tac_sinkhorn_item(const sinkhorn* s, int j) {
    tacReal x = s->problem->x[j], tau = s->problem->tau, sum = 0.0;
    int m = s->m, best = m;

    // logits fall from the last rank; one step up a rank is worth t_l
    s->P[m] = 0.0;
    for (int l = m - 1; l >= 0; --l) {
        s->t[l] = sinkhorn_bounded((x - s->base[l]) / tau - s->phi[l]);
        s->P[l] = s->P[l + 1] + s->t[l];
        if (tac_re(s->P[l]) > tac_re(s->P[best])) best = l;
    }
    tacReal top = s->P[best];
    for (int l = 0; l <= m; ++l) s->P[l] = soft_exponent(s->P[l] - top);
    soft_exp_all(m + 1, s->P);
    for (int l = 0; l <= m; ++l) sum += s->P[l];
    for (int l = 0; l <= m; ++l) s->P[l] = s->P[l] / sum;
    sinkhorn_tails(s);
}

//---------------------------------- Newton ----------------------------------

// Adds the item to residual_l = sum_j c_jl - (l + 1). Items that are mostly above a threshold are
// counted apart, so that the residual keeps its digits however saturated the threshold is.
static void sinkhorn_count(const sinkhorn* s) {
    for (int l = 0; l < s->m; ++l) {
        int above = tac_re(s->c[l]) > tac_re(s->d[l]);
        s->residual[l] += above ? -s->d[l] : s->c[l];
        s->whole[l] += above;
    }
}

// residual, and H_lk = sum_j c_k d_l for k <= l if asked for
static void sinkhorn_evaluate(const sinkhorn* s, int with_H) {
    int m = s->m;
    for (int l = 0; l < m; ++l) {
        s->residual[l] = 0.0;
        s->whole[l] = -(double)(l + 1);
    }
    for (int i = 0; with_H && i < m * m; ++i) s->H[i] = 0.0;
    for (int j = 0; j < s->problem->n; ++j) {
        tac_sinkhorn_item(s, j);
        sinkhorn_count(s);
        for (int l = 0; with_H && l < m; ++l)
            for (int k = 0; k <= l; ++k) s->H[l * m + k] += s->c[k] * s->d[l];
    }
    for (int l = 0; l < m; ++l) s->residual[l] += s->whole[l];
}

// L D L^T in the lower triangle; a threshold that nothing depends on gets pivot 0
static void sinkhorn_factor(const sinkhorn* s) {
    int m = s->m;
    for (int l = 0; l < m; ++l) {
        tacReal* row = s->H + l * m;
        double diagonal = tac_re(row[l]);
        for (int k = 0; k < l; ++k) {
            tacReal sum = row[k], pivot = s->H[k * m + k];
            for (int i = 0; i < k; ++i) sum -= row[i] * s->H[k * m + i] * s->H[i * m + i];
            row[k] = tac_re(pivot) > 0.0 ? sum / pivot : (tacReal)0.0;
        }
        for (int i = 0; i < l; ++i) row[l] -= row[i] * row[i] * s->H[i * m + i];
        if (tac_re(row[l]) <= 1e-14 * diagonal + 1e-140) row[l] = 0.0;
    }
}

void tac_sinkhorn_backsolve(const sinkhorn* s, tacReal* b) {
    int m = s->m;
    for (int l = 0; l < m; ++l)
        for (int k = 0; k < l; ++k) b[l] -= s->H[l * m + k] * b[k];
    for (int l = 0; l < m; ++l) {
        tacReal pivot = s->H[l * m + l];
        b[l] = tac_re(pivot) > 0.0 ? b[l] / pivot : (tacReal)0.0;
    }
    for (int l = m - 1; l >= 0; --l)
        for (int k = l + 1; k < m; ++k) b[l] -= s->H[k * m + l] * b[k];
}

// largest residual against its own derivative: about how far phi is off, as H is fresh
static double sinkhorn_error(const sinkhorn* s) {
    double worst = 0.0;
    for (int l = 0; l < s->m; ++l) {
        double slope = tac_re(s->H[l * s->m + l]) + 1e-120;
        worst = fmax(worst, fabs(tac_re(s->residual[l])) / slope);
    }
    return worst;
}

static double sinkhorn_slope(const sinkhorn* s) {
    double sum = 0.0;
    for (int l = 0; l < s->m; ++l) sum += tac_re(s->residual[l]) * tac_re(s->step[l]);
    return sum;
}

static double sinkhorn_length(const sinkhorn* s) {
    double sum = 0.0;
    for (int l = 0; l < s->m; ++l) sum += fabs(tac_re(s->step[l]));
    return sum;
}

// phi += step, shortened until the convex function's slope is not far beyond its minimum; a short
// step is right as it is, and its slope may be rounding
static void sinkhorn_advance(const sinkhorn* s) {
    sinkhorn_factor(s);
    for (int l = 0; l < s->m; ++l) s->step[l] = s->residual[l];
    tac_sinkhorn_backsolve(s, s->step);
    double whole = sinkhorn_length(s), start = sinkhorn_slope(s), last = 0.0, length = 1.0;
    for (int halvings = 0; halvings < 60; ++halvings, length *= 0.5) {
        for (int l = 0; l < s->m; ++l) s->phi[l] += (length - last) * s->step[l];
        last = length;
        if (whole < 0.25) return;
        sinkhorn_evaluate(s, 0);
        if (-sinkhorn_slope(s) <= 0.25 * start) return;
    }
}

// thresholds for large tau, where every entry has nearly the same weights
static void sinkhorn_uniform_start(const sinkhorn* s) {
    const tacSinkhorn* p = s->problem;
    tacReal mean = 0.0;
    for (int j = 0; j < p->n; ++j) mean += p->x[j] / p->n;
    for (int l = 0; l < s->m; ++l) s->phi[l] = sinkhorn_bounded((mean - s->base[l]) / p->tau);
    if (p->k < p->n && s->m > 0) s->phi[s->m - 1] += log((double)(p->n - p->k));
}

// the better of the two limits tau -> 0 and tau -> infinity
static void sinkhorn_start(const sinkhorn* s) {
    for (int l = 0; l < s->m; ++l) s->phi[l] = 0.0;
    sinkhorn_evaluate(s, 1);
    double hard = sinkhorn_error(s);
    sinkhorn_uniform_start(s);
    sinkhorn_evaluate(s, 1);
    if (hard > sinkhorn_error(s)) return;
    for (int l = 0; l < s->m; ++l) s->phi[l] = 0.0;
}

// Newton again after convergence, for what doubles do not show: the last digits in quad precision,
// the derivative of the fixed point in the complex build. There the real residual is left out, as
// it is rounding that a saturated threshold (tiny H) would amplify.
static void sinkhorn_polish(const sinkhorn* s) {
#ifdef TAC_NUMBER_QUAD
    for (int i = 0; i < 3; ++i) {
        sinkhorn_advance(s);
        sinkhorn_evaluate(s, 1);
    }
#endif
    sinkhorn_factor(s);
#ifdef TAC_NUMBER_COMPLEX
    for (int l = 0; l < s->m; ++l) s->step[l] = s->residual[l] - tac_re(s->residual[l]);
    tac_sinkhorn_backsolve(s, s->step);
    for (int l = 0; l < s->m; ++l) s->phi[l] += s->step[l];
    sinkhorn_evaluate(s, 1);
    sinkhorn_factor(s);
#endif
}

tacResult tac_sinkhorn_solve(const tacSinkhorn* problem, sinkhorn* s) {
    if (!sinkhorn_valid(problem)) return TAC_ERROR_VALUE;
    sinkhorn_layout(problem, s);
    sinkhorn_bases(s);
    sinkhorn_start(s);
    sinkhorn_evaluate(s, 1);
    for (int i = 0; i < problem->max_iterations; ++i) {
        if (sinkhorn_error(s) <= problem->tolerance) break;
        sinkhorn_advance(s);
        sinkhorn_evaluate(s, 1);
    }
    if (sinkhorn_error(s) > problem->tolerance) return TAC_ERROR_UNSOLVED;
    sinkhorn_polish(s);
    return TAC_OK;
}

tacResult tac_sinkhorn_top_k(const tacSinkhorn* problem, tacReal* weights) {
    sinkhorn s;
    if (!weights) return TAC_ERROR_VALUE;
    tacResult result = tac_sinkhorn_solve(problem, &s);
    if (result != TAC_OK) return result;
    for (int j = 0; j < problem->n && problem->k > 0; ++j) {
        tac_sinkhorn_item(&s, j);
        for (int k = 0; k < problem->k; ++k)
            weights[(size_t)k * (size_t)problem->n + (size_t)j] = s.P[k];
    }
    return TAC_OK;
}
