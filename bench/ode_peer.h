// ODE and the Dantzig solver that DART packages beside us, where they are installed: loaded when
// asked for, never linked.

#ifndef TACTUS_BENCH_ODE_PEER_H
#define TACTUS_BENCH_ODE_PEER_H

typedef struct odePeer odePeer;

// a cube of 1 kg that slides on four corners; NULL where ODE, or its headers at build time, are
// missing
odePeer* ode_peer_open(void);
void ode_peer_close(odePeer* peer);

// work of bench_times: one step of the cube, always from the same state
void ode_peer_step(void* peer);

// Solves w = A x + b >= 0, x >= 0, w x = 0 by the packaged Dantzig. A (n x n) and b are kept, x is
// written. Returns 0 where it is missing.
int packaged_dantzig(int n, const double* A, const double* b, double* x);

#endif
