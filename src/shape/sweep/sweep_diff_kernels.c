// Derivatives of a sweep's value and gradient by point and numbers, forward and reverse.
//
// Both run the formula of sweep.inl in jets that carry the value itself, so there is no second text
// that could differ from the field.

#define JET_COMPACT
#include "shape/sweep/sweep_kernels.h"

#include "shape/sweep/sweep.inl"

static void sweep_solid(const sweepContext* s, const jet x[3], const jet* t, jet* out) {
    *out = sweep_psq(s, x, *t);
}

static void sweep_field_dot(const sweepCoefs* n, const sweepCoefs* dot, const wide y[3],
                            const wide yd[3], localField* out) {
    sweepContext s = {{JET_DOT, NULL}, n, dot, sweep_solid};
    jet x[3], phi;
    sweep_point(y, x);
    for (int i = 0; i < 3; ++i) x[i].h[0] = yd[i];
    phi = sweep_phi(&s, x);
    out->value = phi.h[0];
    for (int i = 0; i < 3; ++i) out->g[i] = phi.h[1 + i];
}

// adjoints of a polynomial's coefficients, from that of its value and of its derivative
static void add_poly(const jetEntry* e, const wide bar[2], sweepSums* sums) {
    wide *c = sums->poly[e->poly], t = e->fb[0], td = e->fb[1];
    c[0] = c[0] + bar[0];
    c[1] = c[1] + w_fma(bar[0], t, bar[1] * td);
    c[2] = c[2] + w_fma(bar[0] * t, t, 2.0 * bar[1] * t * td);
}

// The field is written down with its derivative along g_bar, then read backwards.
static void sweep_field_vjp(const sweepCoefs* n, const wide y[3], wide value_bar,
                            const wide g_bar[3], sweepSums* sums) {
    jetTape tape;
    sweepContext s = {{JET_TAPE, &tape}, n, NULL, sweep_solid};
    const wide zeros[2] = {w_set(0.0), w_set(0.0)};
    jet x[3];
    tape.count = 0;
    for (int k = 0; k < TAC_IN_COUNT; ++k) jet_write(&tape, -1, -1, zeros, zeros);
    for (int i = 0; i < 3; ++i) {
        x[i] = jet_constant(y[i]);
        x[i].d[0] = g_bar[i];
    }
    jet_reverse(&tape, sweep_phi(&s, x), value_bar, w_set(1.0));
    for (int k = 0; k < TAC_IN_COUNT; ++k) sums->in[k] = sums->in[k] + tape.bar[k][0];
    for (int i = TAC_IN_COUNT; i < tape.count; ++i)
        if (tape.entry[i].poly >= 0) add_poly(&tape.entry[i], tape.bar[i], sums);
}

const tacSweepDiffKernels TAC_KERNELS(tac_sweep_diff_kernels_) = {sweep_field_dot, sweep_field_vjp};
