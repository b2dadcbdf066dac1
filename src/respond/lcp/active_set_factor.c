// Factors of the linear system of an active set.
//
//   symmetric: Cholesky;  sliding contacts: rows pivoted by size
//
// All loops run along rows, so that their sums are independent and fast.

#include "respond/lcp/active_set_factor.h"

#include "base/arena.h"

#include <math.h>
#include <string.h>

// of the diagonal: regularization, and the smallest pivot of an independent row
static const double regularization = 1e-10, min_pivot = 1e-6;

enum { BLOCK = 4 }; // pivots that are taken together

//---------------------------------- memory ----------------------------------

static tacActiveSetFactor alloc_factor(const tacLcp* lcp, tacArena* arena) {
    int stride = 1 + lcp->tangents, rows = lcp->contacts * stride;
    return (tacActiveSetFactor){.lcp = lcp,
                                .rows = rows,
                                .stride = stride,
                                .K = TAC_ALLOC(arena, double, (size_t)rows*(size_t)rows),
                                .z = TAC_ALLOC(arena, double, rows),
                                .r = TAC_ALLOC(arena, double, rows),
                                .tight = TAC_ALLOC(arena, int, rows),
                                .pivot = TAC_ALLOC(arena, int, rows)};
}

size_t tac_active_set_factor_size(int contacts, int tangents) {
    tacArena dry = tac_arena_measure(1);
    alloc_factor(&(tacLcp){.contacts = contacts, .tangents = tangents}, &dry);
    return dry.peak;
}

//---------------------------------- rows ----------------------------------

double tac_lcp_diagonal(const tacLcp* lcp, int row) {
    size_t rows = (size_t)(lcp->contacts * (1 + lcp->tangents));
    double own = lcp->A[(size_t)row * (rows + 1)], most = 0.0;
    if (own > 0.0) return own;
    for (size_t k = 0; k < rows; ++k) most = fmax(most, lcp->A[k * (rows + 1)]);
    return most > 0.0 ? most : 1.0;
}

double tac_lcp_row_product(const tacLcp* lcp, int row, const double* f) {
    int rows = lcp->contacts * (1 + lcp->tangents), j = 0;
    const double* A = lcp->A + (size_t)row * (size_t)rows;
    double sum[4] = {0.0};
    for (; j + 4 <= rows; j += 4) {
        for (int k = 0; k < 4; ++k) sum[k] += A[j + k] * f[j + k];
    }
    for (; j < rows; ++j) sum[0] += A[j] * f[j];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// y += s x
static void add_scaled_row(int n, double* restrict y, double s, const double* restrict x) {
    for (int i = 0; i < n; ++i) y[i] += s * x[i];
}

// A is symmetric: its columns are rows
void tac_lcp_velocity(const tacLcp* lcp, const double* b, const double* f, double* a) {
    int rows = lcp->contacts * (1 + lcp->tangents);
    if (b)
        memcpy(a, b, sizeof(double) * (size_t)rows);
    else
        memset(a, 0, sizeof(double) * (size_t)rows);
    for (int j = 0; j < rows; ++j) {
        if (f[j] != 0.0) add_scaled_row(rows, a, f[j], lcp->A + (size_t)j * (size_t)rows);
    }
}

//---------------------------------- the system ----------------------------------

// +1, -1 or 0: how f of this row hangs on f_n of its contact, in mu
static int slide_sign(const tacActiveSetFactor* s, int row) {
    int normal = row - row % s->stride;
    if (row == normal || s->active_set[normal] != TAC_LCP_TIGHT) return 0;
    return (s->active_set[row] == TAC_LCP_UPPER) - (s->active_set[row] == TAC_LCP_LOWER);
}

// does no friction slide? Then K is symmetric.
static int has_no_sliding(const tacActiveSetFactor* s) {
    for (int i = 0; i < s->rows && s->lcp->tangents; ++i)
        if (slide_sign(s, i) && s->lcp->mu[i / s->stride] != 0.0) return 0;
    return 1;
}

// adds to column i of K what the sliding tangents of its contact do
static void add_sliding_tangents(tacActiveSetFactor* s, int i) {
    int normal = s->tight[i];
    for (int t = normal + 1; normal % s->stride == 0 && t < normal + s->stride; ++t) {
        double mu = slide_sign(s, t) * s->lcp->mu[normal / s->stride];
        const double* A = s->lcp->A + (size_t)t * (size_t)s->rows;
        if (mu == 0.0) continue;
        for (int k = 0; k < s->n; ++k) s->K[k * s->n + i] += mu * A[s->tight[k]];
    }
}

// of a symmetric K the part from the diagonal on
static void fill_active_matrix(tacActiveSetFactor* s) {
    s->symmetric = has_no_sliding(s);
    for (int i = 0; i < s->n; ++i) {
        const double* A = s->lcp->A + (size_t)s->tight[i] * (size_t)s->rows;
        double* K = s->K + i * s->n;
        for (int j = s->symmetric ? i : 0; j < s->n; ++j) K[j] = A[s->tight[j]];
    }
    for (int i = 0; i < s->n; ++i) {
        if (!s->symmetric) add_sliding_tangents(s, i);
        s->K[i * (s->n + 1)] += regularization * tac_lcp_diagonal(s->lcp, s->tight[i]);
    }
}

static void count_pivot(tacActiveSetFactor* s, int k, double pivot) {
    s->redundant += !(fabs(pivot) > min_pivot * tac_lcp_diagonal(s->lcp, s->tight[k]));
}

// row -= sum of l pivot over four pivot rows, from entry i on: one walk costs less than four
static void eliminate_block(int i, int n, double* restrict row, const double l[BLOCK],
                            const double* const pivot[BLOCK]) {
    const double* restrict a = pivot[0], * restrict b = pivot[1];
    const double* restrict c = pivot[2], * restrict d = pivot[3];
    double p = l[0], q = l[1], r = l[2], s = l[3];
    for (int j = i; j < n; ++j) row[j] -= (p * a[j] + q * b[j]) + (r * c[j] + s * d[j]);
}

// the pivots from k on, `count` of them: their own rows
static void factor_pivots(tacActiveSetFactor* s, int k, int count, double* inverse) {
    int n = s->n;
    for (int a = k; a < k + count; ++a) {
        double* pivot = s->K + a * n;
        count_pivot(s, a, pivot[a]);
        inverse[a - k] = 1.0 / pivot[a];
        for (int i = a + 1; i < k + count; ++i) {
            double *row = s->K + i * n, l = pivot[i] * inverse[a - k];
            add_scaled_row(n - i, row + i, -l, pivot + i);
            row[a] = l;
        }
    }
}

// K = L D L', L below the diagonal, 1/D on it, four pivots at a time
static void factor_symmetric(tacActiveSetFactor* s) {
    int n = s->n;
    for (int k = 0; k < n; k += BLOCK) {
        int count = n - k < BLOCK ? n - k : BLOCK;
        double inverse[BLOCK] = {0.0}, l[BLOCK] = {0.0};
        const double* pivot[BLOCK];
        for (int a = 0; a < BLOCK; ++a) pivot[a] = s->K + (k + (a < count ? a : 0)) * n;
        factor_pivots(s, k, count, inverse);
        for (int i = k + count; i < n; ++i) {
            double* row = s->K + i * n;
            for (int a = 0; a < count; ++a) row[k + a] = l[a] = pivot[a][i] * inverse[a];
            eliminate_block(i, n, row, l, pivot);
        }
        for (int a = 0; a < count; ++a) s->K[(k + a) * (n + 1)] = inverse[a];
    }
}

// K = L U with rows in order of size, 1/pivot on the diagonal
static void factor_pivoted(tacActiveSetFactor* s) {
    int n = s->n;
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i) {
            if (fabs(s->K[i * n + k]) > fabs(s->K[best * n + k])) best = i;
        }
        s->pivot[k] = best;
        for (int j = 0; best != k && j < n; ++j) {
            double x = s->K[k * n + j];
            s->K[k * n + j] = s->K[best * n + j];
            s->K[best * n + j] = x;
        }
        double *pivot = s->K + k * n, inverse = 1.0 / pivot[k];
        count_pivot(s, k, pivot[k]);
        for (int i = k + 1; i < n; ++i) {
            double *row = s->K + i * n, l = row[k] * inverse;
            row[k] = l;
            if (l != 0.0) add_scaled_row(n - 1 - k, row + k + 1, -l, pivot + k + 1);
        }
        pivot[k] = inverse;
    }
}

tacActiveSetFactor tac_active_set_factor(const tacLcp* lcp, const unsigned char* active_set,
                                         void* memory) {
    tacArena arena = tac_arena_over(memory);
    tacActiveSetFactor s = alloc_factor(lcp, &arena);
    s.active_set = active_set;
    for (int i = 0; i < s.rows; ++i) {
        if (active_set[i] == TAC_LCP_TIGHT) s.tight[s.n++] = i;
    }
    fill_active_matrix(&s);
    if (s.symmetric)
        factor_symmetric(&s);
    else
        factor_pivoted(&s);
    return s;
}

//---------------------------------- solutions ----------------------------------

// r = K^-1 r. Above the diagonal the symmetric factors are D L', so both ways run along rows.
static void substitute_symmetric(tacActiveSetFactor* s) {
    int n = s->n;
    double* restrict r = s->r;
    for (int k = 0; k < n; ++k) {
        const double* restrict row = s->K + k * n;
        double x = r[k] * row[k];
        for (int j = k + 1; j < n; ++j) r[j] -= x * row[j];
        r[k] = x;
    }
    for (int k = n - 1; k >= 0; --k) {
        const double* restrict row = s->K + k * n;
        for (int j = 0; j < k; ++j) r[j] -= r[k] * row[j];
    }
}

static void substitute_general(tacActiveSetFactor* s) {
    int n = s->n;
    double* r = s->r;
    for (int k = 0; k < n; ++k) {
        double x = r[s->pivot[k]];
        r[s->pivot[k]] = r[k];
        r[k] = x;
    }
    for (int i = 1; i < n; ++i) {
        for (int j = 0; j < i; ++j) r[i] -= s->K[i * n + j] * r[j];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) r[i] -= s->K[i * n + j] * r[j];
        r[i] *= s->K[i * (n + 1)];
    }
}

static void substitute(tacActiveSetFactor* s) {
    if (s->symmetric)
        substitute_symmetric(s);
    else
        substitute_general(s);
}

// f = P z
static void scatter_impulses(const tacActiveSetFactor* s, double* f) {
    memset(f, 0, sizeof(double) * (size_t)s->rows);
    for (int i = 0; i < s->n; ++i) f[s->tight[i]] = s->z[i];
    for (int i = 0; i < s->rows; ++i) {
        int sign = slide_sign(s, i);
        if (sign) f[i] = sign * s->lcp->mu[i / s->stride] * f[i - i % s->stride];
    }
}

void tac_active_set_solve(tacActiveSetFactor* s, const double* b, double* f) {
    for (int i = 0; i < s->n; ++i) s->r[i] = -b[s->tight[i]];
    substitute(s);
    for (int i = 0; i < s->n; ++i) s->z[i] = s->r[i];
    scatter_impulses(s, f);
}

// f after r = -a of the tight rows was taken out
static void correct_impulses(tacActiveSetFactor* s, double* f) {
    substitute(s);
    for (int i = 0; i < s->n; ++i) s->z[i] += s->r[i];
    scatter_impulses(s, f);
}

void tac_active_set_refine(tacActiveSetFactor* s, const double* b, double* f) {
    for (int i = 0; i < s->n; ++i) {
        int row = s->tight[i];
        s->r[i] = -(tac_lcp_row_product(s->lcp, row, f) + b[row]);
    }
    correct_impulses(s, f);
}

void tac_active_set_correct(tacActiveSetFactor* s, const double* a, double* f) {
    for (int i = 0; i < s->n; ++i) s->r[i] = -a[s->tight[i]];
    correct_impulses(s, f);
}
