// Derivatives of select.c, the threshold by the implicit function theorem.
//
// With t_i = (x_i - th) / h, ramp psi, gate g, and the ghosts as entry 0 of gate K and score 0:
//
//   slope d th / h = sum_i [psi_i d g_i + g_i psi'_i (d x_i - t_i d h) / h],
//   slope          = sum_i g_i psi'_i.
//
// On a plateau (no entry on the ramp) the slope is 0 and no weight depends on th: d th := 0.

#include "smooth/select.h"

// what entry i contributes: its ramp, gate and their derivatives
typedef struct selectEntry {
    tacReal t, ramp, d_ramp, gate, d_gate_x, d_gate_gate;
} selectEntry;

static selectEntry select_entry(const selection* s, int i) {
    tacReal x = s->problem->x[i], t = select_ratio(s, x), size = s->problem->gate;
    softDiff ramp = soft_ramp_diff(w_set(t)), gate = select_gate(s, x);
    selectEntry e = {.t = t, .ramp = w_lane(ramp.value, 0), .d_ramp = w_lane(ramp.d_x, 0)};
    e.gate = w_lane(gate.value, 0);
    tacReal d = w_lane(gate.d_x, 0);
    if (tac_re(d) > 0.0) {
        e.d_gate_x = d / size;
        e.d_gate_gate = -d * (x / size) / size;
    }
    return e;
}

// d t of entry i at a standing threshold
static tacReal select_t_dot(const selectEntry* e, tacReal x_dot, tacReal width, tacReal width_dot) {
    return (x_dot - e->t * width_dot) / width;
}

tacResult tac_select_top_k_jvp(const tacSelect* problem, const tacReal* x_dot, tacReal width_dot,
                               tacReal gate_dot, tacReal* weights_dot) {
    selection s;
    if (!problem || !x_dot || !weights_dot) return TAC_ERROR_VALUE;
    tacReal slope, h = problem->width;
    tacResult result = tac_select_solve(problem, &s, &slope);
    if (result != TAC_OK) return result;

    // d th / h
    tacReal t0 = select_ratio(&s, 0.0), shift = 0.0;
    shift -= problem->k * w_lane(soft_ramp_diff(w_set(t0)).d_x, 0) * t0 * width_dot / h;
    for (int i = 0; i < problem->n; ++i) {
        selectEntry e = select_entry(&s, i);
        shift += e.ramp * (e.d_gate_x * x_dot[i] + e.d_gate_gate * gate_dot);
        shift += e.gate * e.d_ramp * select_t_dot(&e, x_dot[i], h, width_dot);
    }
    shift = tac_re(slope) > 0.0 ? shift / slope : (tacReal)0.0;
    for (int i = 0; i < problem->n; ++i) {
        selectEntry e = select_entry(&s, i);
        tacReal g_dot = e.d_gate_x * x_dot[i] + e.d_gate_gate * gate_dot;
        tacReal t_dot = select_t_dot(&e, x_dot[i], h, width_dot) - shift;
        weights_dot[i] = e.ramp * g_dot + e.gate * e.d_ramp * t_dot;
        if (problem->k == 0) weights_dot[i] = 0.0;
    }
    return TAC_OK;
}

// adds the adjoints of an entry whose gate has adjoint gate_bar and whose t has adjoint t_bar
static void select_entry_vjp(const selection* s, int i, const selectEntry* e, tacReal gate_bar,
                             tacReal t_bar, tacSelectBar bar) {
    tacReal h = s->problem->width;
    if (bar.x) bar.x[i] += e->d_gate_x * gate_bar + t_bar / h;
    if (bar.gate) *bar.gate += e->d_gate_gate * gate_bar;
    if (bar.width) *bar.width -= t_bar * e->t / h;
}

tacResult tac_select_top_k_vjp(const tacSelect* problem, const tacReal* weights_bar,
                               tacSelectBar bar) {
    selection s;
    tacReal slope, passed = 0.0;
    if (!weights_bar) return TAC_ERROR_VALUE;
    tacResult result = tac_select_solve(problem, &s, &slope);
    if (result != TAC_OK || problem->k == 0) return result;

    // adjoint of the equation: what a unit of excess costs
    for (int i = 0; i < problem->n; ++i) {
        selectEntry e = select_entry(&s, i);
        passed -= weights_bar[i] * e.gate * e.d_ramp;
    }
    passed = tac_re(slope) > 0.0 ? passed / slope : (tacReal)0.0;
    for (int i = 0; i < problem->n; ++i) {
        selectEntry e = select_entry(&s, i);
        tacReal w_bar = weights_bar[i] + passed;
        select_entry_vjp(&s, i, &e, e.ramp * w_bar, e.gate * e.d_ramp * w_bar, bar);
    }
    tacReal t0 = select_ratio(&s, 0.0), d0 = w_lane(soft_ramp_diff(w_set(t0)).d_x, 0);
    if (bar.width) *bar.width -= problem->k * d0 * passed * t0 / problem->width;
    return TAC_OK;
}
