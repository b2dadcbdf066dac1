// Cholesky's method row by row: entry (i, j) needs the rows i and j from where both have begun.

#include "math/skyline.h"

#include "math/pivot.h"

#include <string.h>

//---------------------------------- profile --------------------------------------

tacSkyline tac_skyline_alloc(int n, tacArena* arena) {
    size_t rows = (size_t)n;
    tacSkyline s = {.n = n};
    s.perm = TAC_ALLOC(arena, int, n);
    s.first = TAC_ALLOC(arena, int, n);
    s.start = TAC_ALLOC(arena, size_t, n);
    s.entry = TAC_ALLOC(arena, tacReal, rows * (rows + 1) / 2);
    s.work = TAC_ALLOC(arena, tacReal, 2 * n);
    return s;
}

void tac_skyline_reset(tacSkyline* s) {
    for (int i = 0; i < s->n; ++i) s->first[i] = i;
}

void tac_skyline_couple(tacSkyline* s, const int* unknowns, int count) {
    int least = s->n;
    for (int k = 0; k < count; ++k)
        if (s->perm[unknowns[k]] < least) least = s->perm[unknowns[k]];
    for (int k = 0; k < count; ++k) {
        int* first = &s->first[s->perm[unknowns[k]]];
        if (*first > least) *first = least;
    }
}

// a row has its diagonal at least, so no start is negative
void tac_skyline_clear(tacSkyline* s) {
    size_t used = 0;
    for (int i = 0; i < s->n; ++i) {
        s->start[i] = used - (size_t)s->first[i];
        used += (size_t)(i - s->first[i] + 1);
    }
    memset(s->entry, 0, sizeof *s->entry * used);
}

static tacReal* skyline_row(const tacSkyline* s, int i) { return s->entry + s->start[i]; }

//---------------------------------- products -------------------------------------

// in four sums, which do not wait for each other
static tacReal dot_range(const tacReal* a, const tacReal* b, int from, int to) {
    tacReal s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    int k = from;
    for (; k + 4 <= to; k += 4) {
        s0 += a[k] * b[k];
        s1 += a[k + 1] * b[k + 1];
        s2 += a[k + 2] * b[k + 2];
        s3 += a[k + 3] * b[k + 3];
    }
    for (; k < to; ++k) s0 += a[k] * b[k];
    return (s0 + s1) + (s2 + s3);
}

// y[j] += t a[j] in a row before its diagonal
static void add_scaled_range(const tacReal* a, int from, int to, tacReal t, tacReal* y) {
    for (int j = from; j < to; ++j) y[j] += t * a[j];
}

void tac_skyline_mul_add(const tacSkyline* s, const tacReal* x, tacReal* y) {
    tacReal *from = s->work, *to = s->work + s->n;
    for (int k = 0; k < s->n; ++k) {
        from[s->perm[k]] = x[k];
        to[k] = 0.0;
    }
    for (int i = 0; i < s->n; ++i) {
        to[i] += dot_range(skyline_row(s, i), from, s->first[i], i + 1);
        add_scaled_range(skyline_row(s, i), s->first[i], i, from[i], to);
    }
    for (int k = 0; k < s->n; ++k) y[k] += to[s->perm[k]];
}

//---------------------------------- L L' -----------------------------------------

tacResult tac_skyline_factor(tacSkyline* s) {
    for (int i = 0; i < s->n; ++i) {
        tacReal* row = skyline_row(s, i);
        int first = s->first[i];
        for (int j = first; j < i; ++j) {
            const tacReal* other = skyline_row(s, j);
            int from = s->first[j] > first ? s->first[j] : first;
            row[j] = (row[j] - dot_range(row, other, from, j)) / other[j];
        }
        tacReal pivot = row[i] - dot_range(row, row, first, i);
        // all terms are squares and sum up to the diagonal
        if (tac_pivot_lost(pivot, tac_pivot_size(row[i]), i - first + 1) || tac_re(pivot) < 0.0)
            return TAC_ERROR_VALUE;
        row[i] = r_sqrt(pivot);
    }
    return TAC_OK;
}

void tac_skyline_solve(const tacSkyline* s, tacReal* x) {
    tacReal* y = s->work;
    for (int k = 0; k < s->n; ++k) y[s->perm[k]] = x[k];
    for (int i = 0; i < s->n; ++i) {
        const tacReal* row = skyline_row(s, i);
        y[i] = (y[i] - dot_range(row, y, s->first[i], i)) / row[i];
    }
    for (int i = s->n - 1; i >= 0; --i) {
        const tacReal* row = skyline_row(s, i);
        y[i] /= row[i];
        add_scaled_range(row, s->first[i], i, -y[i], y);
    }
    for (int k = 0; k < s->n; ++k) x[k] = y[s->perm[k]];
}
