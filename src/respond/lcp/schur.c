// Elimination of bilateral rows.

#include "respond/lcp/schur.h"

#include <math.h>
#include <string.h>

// of the diagonal: pivots of independent rows are larger
static const double min_pivot = 1e-9;

tacSchurSolve tac_schur_alloc(int constraints, tacArena* arena) {
    int rows = 3 * constraints;
    return (tacSchurSolve){.C = TAC_ALLOC(arena, double, rows* rows),
                           .d = TAC_ALLOC(arena, double, rows),
                           .A = TAC_ALLOC(arena, double, rows* rows),
                           .b = TAC_ALLOC(arena, double, rows),
                           .mu = TAC_ALLOC(arena, double, constraints),
                           .f = TAC_ALLOC(arena, double, rows),
                           .active_set = TAC_ALLOC(arena, unsigned char, rows),
                           .order = TAC_ALLOC(arena, int, rows),
                           .remaining = TAC_ALLOC(arena, int, constraints)};
}

// the row of E with the largest pivot, of its diagonal, that is left; -1: none
static int best_bilateral_pivot(const tacSchurSolve* h, const tacLcp* lcp,
                                const unsigned char* bilateral) {
    int size = 1 + lcp->tangents, rows = lcp->contacts * size, best = -1;
    double most = min_pivot;
    for (int g = 0; g < lcp->contacts; ++g) {
        int i = g * size, done = !bilateral[g];
        for (int k = 0; k < h->count && !done; ++k) done = h->order[k] == i;
        double part = h->C[i * (rows + 1)] / lcp->A[i * (rows + 1)];
        if (!done && part > most) {
            most = part;
            best = i;
        }
    }
    return best;
}

// takes row p off all that is left
static void eliminate_row(tacSchurSolve* h, int rows, int p) {
    const double* pivot = h->C + (size_t)p * (size_t)rows;
    h->order[h->count++] = p;
    for (int i = 0; i < rows; ++i) {
        int done = 0;
        for (int k = 0; k < h->count && !done; ++k) done = h->order[k] == i;
        double* row = h->C + (size_t)i * (size_t)rows;
        double l = done ? 0.0 : row[p] / pivot[p];
        if (l == 0.0) continue;
        for (int j = 0; j < rows; ++j) row[j] -= l * pivot[j];
        h->d[i] -= l * h->d[p];
    }
}

tacLcp tac_schur_reduce(tacSchurSolve* h, const tacLcp* lcp, const unsigned char* bilateral) {
    int size = 1 + lcp->tangents, rows = lcp->contacts * size, all = 0;
    memcpy(h->C, lcp->A, sizeof *h->C * (size_t)rows * (size_t)rows);
    memcpy(h->d, lcp->b, sizeof *h->d * (size_t)rows);
    h->count = h->nremaining = 0;
    for (int g = 0; g < lcp->contacts; ++g) all += bilateral[g] != 0;
    for (int p; (p = best_bilateral_pivot(h, lcp, bilateral)) >= 0;) eliminate_row(h, rows, p);
    h->dropped = all - h->count;
    for (int g = 0; g < lcp->contacts; ++g)
        if (!bilateral[g]) h->remaining[h->nremaining++] = g;
    int n = h->nremaining * size;
    for (int i = 0; i < n; ++i) {
        int row = h->remaining[i / size] * size + i % size;
        for (int j = 0; j < n; ++j)
            h->A[i * n + j] = h->C[row * rows + h->remaining[j / size] * size + j % size];
        h->b[i] = h->d[row];
    }
    for (int i = 0; i < n; ++i) // symmetric to the last bit
        for (int j = 0; j < i; ++j) h->A[i * n + j] = h->A[j * n + i];
    for (int g = 0; g < h->nremaining; ++g) h->mu[g] = lcp->mu ? lcp->mu[h->remaining[g]] : 0.0;
    return (tacLcp){h->nremaining, lcp->tangents, h->A, h->b, h->mu};
}

void tac_schur_restore(const tacSchurSolve* h, const tacLcp* lcp, double* f,
                       unsigned char* active_set) {
    int size = 1 + lcp->tangents, rows = lcp->contacts * size;
    memset(f, 0, sizeof *f * (size_t)rows);
    memset(active_set, TAC_LCP_OFF, (size_t)rows);
    for (int i = 0; i < h->nremaining * size; ++i) {
        int row = h->remaining[i / size] * size + i % size;
        f[row] = h->f[i];
        active_set[row] = h->active_set[i];
    }
    for (int k = h->count - 1; k >= 0; --k) {
        int p = h->order[k];
        const double* row = h->C + (size_t)p * (size_t)rows;
        double sum = h->d[p];
        for (int j = 0; j < rows; ++j) sum += j == p ? 0.0 : row[j] * f[j];
        f[p] = -sum / row[p];
        active_set[p] = TAC_LCP_TIGHT;
    }
}
