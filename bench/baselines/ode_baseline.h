// ODE and DART's Dantzig solver as baselines, where they are installed: loaded on demand, never
// linked.

#ifndef TAC_BENCH_BASELINES_ODE_BASELINE_H
#define TAC_BENCH_BASELINES_ODE_BASELINE_H

typedef struct odeBaseline odeBaseline;

// a cube of 1 kg that slides on four corners; NULL where ODE, or its headers at build time, are
// missing
odeBaseline* ode_baseline_open(void);
void ode_baseline_close(odeBaseline* baseline);

// work of bench_times: one step of the cube, always from the same state
void ode_baseline_step(void* baseline);

// Solves w = A x + b >= 0, x >= 0, w x = 0 by DART's Dantzig. A (n x n) and b are unchanged, x is
// written. Returns 0 where it is missing.
int dart_dantzig(int n, const double* A, const double* b, double* x);

#endif
