// Top-K by hard indices with soft weights: a weight per entry that is exactly 0 well below a
// threshold and exactly 1 well above it.
//
//   scores >= 0 (n) --> [this file] --weights (n), mostly 0--> contact generation
//
//   W_i = gate(x_i) psi((x_i - th) / h),   sum_i W_i + K psi(-th / h) = K
//
// K ghost entries of score 0 make "fewer than K candidates" smooth (performance-manifold.md,
// section 2). The threshold is found by bisection and safeguarded Newton steps.

#include "smooth/select.h"

tacSelect tac_default_select(int n, const tacReal* x, int k) {
    return (tacSelect){.n = n, .k = k, .x = x, .width = 1.0, .gate = 0.0};
}

static int select_valid(const tacSelect* p) {
    return p && p->n >= 0 && (p->x || p->n == 0) && p->k >= 0 && soft_positive(p->width) &&
           (soft_positive(p->gate) || tac_re(p->gate) == 0.0) && soft_all_finite(p->n, p->x);
}

//---------------------------------- threshold ----------------------------------

// adds `gate` entries at t: whole ones to *whole, what they fall short or go beyond to *part
static void select_count(tacReal gate, tacReal t, tacReal* whole, tacReal* part, tacReal* slope) {
    double side = tac_re(t) > 0.0 ? -1.0 : 1.0;
    softDiff ramp = soft_ramp_diff(w_set(side * t));
    if (side < 0.0) *whole += gate;
    *part += side * gate * w_lane(ramp.value, 0);
    *slope += gate * w_lane(ramp.d_x, 0);
}

// sum of weights and ghosts minus K; *slope gets minus its derivative by phi. Counting whole
// entries apart keeps the digits of an excess far below 1, where a plateau begins.
static tacReal select_excess(const selection* s, tacReal* slope) {
    const tacSelect* p = s->problem;
    tacReal whole = -(double)p->k, part = 0.0;
    *slope = 0.0;
    select_count(p->k, select_ratio(s, 0.0), &whole, &part, slope);
    for (int i = 0; i < p->n; ++i) {
        tacReal gate = w_lane(select_gate(s, p->x[i]).value, 0);
        select_count(gate, select_ratio(s, p->x[i]), &whole, &part, slope);
    }
    return whole + part;
}

// half the interval until it is as narrow as the ramp, or as two neighbouring numbers
static double select_bracket(selection* s, double* low) {
    const tacSelect* p = s->problem;
    tacReal slope;
    double a = 0.0, b = 0.0, width = tac_re(p->width);
    for (int i = 0; i < p->n; ++i) {
        a = fmin(a, tac_re(p->x[i]));
        b = fmax(b, tac_re(p->x[i]));
    }
    a = fmax(a - 2.0 * width, -0x1.fffffp+1023);
    b = fmin(b + 2.0 * width, 0x1.fffffp+1023);
    for (;;) {
        double middle = 0.5 * a + 0.5 * b;
        if (b - a <= width || middle <= a || middle >= b) break;
        s->base = middle;
        if (tac_re(select_excess(s, &slope)) >= 0.0)
            a = middle;
        else
            b = middle;
    }
    *low = a;
    return b;
}

// bracket of phi; between neighbouring numbers that lie several ramps apart, measure from the one
// that the threshold is close to
static void select_phi_bracket(selection* s, double* low, double* high, tacReal* slope) {
    double a, b = select_bracket(s, &a), width = tac_re(s->problem->width);
    int separation = b - a > 4.0 * width;
    s->base = a;
    s->phi = 1.0;
    *low = -0.5;
    *high = separation ? 1.5 : (b - a) / width + 0.5;
    if (separation && tac_re(select_excess(s, slope)) > 0.0) {
        s->base = b;
        *low = -1.5;
        *high = 0.5;
    }
}

tacResult tac_select_solve(const tacSelect* problem, selection* s, tacReal* slope) {
    if (!select_valid(problem)) return TAC_ERROR_VALUE;
    *s = (selection){.problem = problem};
    double low, high;
    select_phi_bracket(s, &low, &high, slope);
    s->phi = 0.5 * (low + high);

    // Newton on the real part, inside a bracket that shrinks; then one step for the derivative
    for (int i = 0; i < 200; ++i) {
        double excess = tac_re(select_excess(s, slope)), phi = tac_re(s->phi);
        if (excess == 0.0) break;
        if (excess > 0.0)
            low = phi;
        else
            high = phi;
        double next = phi + excess / tac_re(*slope);
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (next == phi || !(next > low && next < high)) break;
        s->phi = next;
    }
    for (int i = 0; i < 2; ++i) {
        tacReal excess = select_excess(s, slope);
        if (fabs(tac_re(excess)) > 1e-3 * tac_re(*slope)) excess -= tac_re(excess); // rounding only
        if (tac_re(*slope) > 0.0) s->phi += excess / *slope;
    }
    (void)select_excess(s, slope);
    return TAC_OK;
}

//---------------------------------- weights ----------------------------------

tacResult tac_select_top_k(const tacSelect* problem, tacReal* weights) {
    selection s;
    tacReal slope;
    if (!weights) return TAC_ERROR_VALUE;
    tacResult result = tac_select_solve(problem, &s, &slope);
    if (result != TAC_OK) return result;
    for (int i = 0; i < problem->n; ++i) {
        tacReal ramp = w_lane(soft_ramp(w_set(select_ratio(&s, problem->x[i]))), 0);
        weights[i] = w_lane(select_gate(&s, problem->x[i]).value, 0) * ramp;
        if (problem->k == 0) weights[i] = 0.0;
    }
    return TAC_OK;
}
