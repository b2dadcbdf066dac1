// The optimal-transport problem behind tac_sinkhorn_top_k, shared with its derivatives.

#ifndef TAC_SMOOTH_SINKHORN_H
#define TAC_SMOOTH_SINKHORN_H

#include "smooth/soft_array.inl"
#include "tactus/smooth.h"

// Threshold l < m separates ranks <= l from ranks > l, at theta_l = base_l + tau phi_l. Keeping the
// two apart resolves thresholds between equal scores far finer than a score's last digit.
typedef struct sinkhorn {
    const tacSinkhorn* problem;
    int m;                        // thresholds; there are m + 1 ranks, the last may be "the rest"
    tacReal *base, *phi;          // (m)
    tacReal *residual, *step;     // (m)
    tacReal* whole;               // (m) items counted whole in the residual
    tacReal* H;                   // (m x m) lower triangle of -d residual / d phi, then its factors
    tacReal *t, *P, *c, *d, *aux; // (m + 1) of one item: t_l, weights, P(rank <= l), P(rank > l)
} sinkhorn;

// checks the input, places the arrays in the workspace and solves; H holds factors on return
tacResult tac_sinkhorn_solve(const tacSinkhorn* problem, sinkhorn* s);

// fills t, P, c and d of item j
void tac_sinkhorn_item(const sinkhorn* s, int j);

// b = H^-1 b with the factors
void tac_sinkhorn_backsolve(const sinkhorn* s, tacReal* b);

#endif
