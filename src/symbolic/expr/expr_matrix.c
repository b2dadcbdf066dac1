// Linear systems of expressions.
//
// Whether an expression is identically 0 cannot be decided from its form. So pivots are chosen by
// numbers: all symbols get random values, and the matrix is eliminated in doubles. A matrix that is
// singular at three random points counts as singular. The formulas follow in the same order. But a
// pivot that is not 0 at a random point may be 0 where the user evaluates it. Safe are, in this
// order,
//
//   numbers; the diagonal of a symmetric matrix, first where it is positive (a mass matrix), then
//   where it is negative (its constraints); minors of a remainder of up to 8 rows, which divide by
//   its determinant only.
//
// Of a larger remainder the pivot with the least fill-in is chosen.

#include "symbolic/expr/expr_matrix.h"

#include "tactus/mechanics.h"

#include <math.h>
#include <string.h>

//---------------------------------- matrices -------------------------------------

tacExprMatrix tac_expr_matrix_alloc(tacGraph* g, int rows, int columns) {
    tacExpr zero = tac_fraction(g, 0, 1);
    tacExprMatrix A = {NULL, rows, columns};
    if (zero >= 0) A.at = tac_graph_map(g, rows * columns, zero);
    return A;
}

void tac_expr_matrix_free(tacGraph* g, tacExprMatrix A) {
    tac_graph_unmap(g, A.at, tac_expr_matrix_count(A));
}

void tac_expr_matrix_multiply(tacGraph* g, int factor, tacExprMatrix A, tacExprMatrix B,
                              tacExprMatrix C) {
    tacExpr scale = tac_fraction(g, factor, 1);
    for (int i = 0; i < A.rows; ++i)
        for (int j = 0; j < B.columns; ++j)
            for (int k = 0; k < A.columns; ++k) {
                tacExpr part = tac_expr_mul(g, *tac_expr_matrix_entry(A, i, k),
                                            *tac_expr_matrix_entry(B, k, j));
                *tac_expr_matrix_entry(C, i, j) =
                    tac_expr_add(g, *tac_expr_matrix_entry(C, i, j), tac_expr_mul(g, scale, part));
            }
}

void tac_expr_matrix_block(tacExprMatrix A, int i, int j, tacExprMatrix B) {
    for (int k = 0; k < B.rows; ++k)
        memcpy(tac_expr_matrix_entry(B, k, 0), tac_expr_matrix_entry(A, i + k, j),
               sizeof *B.at * (size_t)B.columns);
}

static int is_zero(const tacGraph* g, tacExpr e) {
    return tac_graph_has(g, e) && tac_expr_is_number(g, e) && tac_expr_number(g, e).value == 0.0;
}

//---------------------------------- random values --------------------------------

// xorshift: the same points on every machine
static double random_number(uint64_t* state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return 0.3 + 0.9 * (double)(*state >> 11) * 0x1p-53;
}

// the symbols that a matrix is made of; how many, -1: no memory
static int symbols_of(tacGraph* g, tacExprMatrix A, tacExpr** out) {
    int top, count = 0;
    unsigned char* mark = tac_graph_mark_reachable(g, A.at, tac_expr_matrix_count(A), &top);
    if (!mark) return -1;
    for (int i = 0; i <= top; ++i) count += mark[i] && tac_expr_op(g, i) == TAC_OP_SYMBOL;
    tacExpr* x = tac_graph_map(g, count, TAC_EXPR_NONE);
    count = 0;
    for (int i = 0; i <= top && x; ++i)
        if (mark[i] && tac_expr_op(g, i) == TAC_OP_SYMBOL) x[count++] = i;
    tac_graph_free(g, mark, (size_t)top + 1);
    *out = x;
    return x ? count : -1;
}

// numbers of the matrix at a random point; where no point has any, 1 for what is not 0
typedef struct sampler {
    tacProgram* program;
    int symbols;
    double *x, *y, *near, *scale; // inputs, entries, those close by, of the rows
    void* work;
    size_t bytes;
    uint64_t random;
} sampler;

static void sampler_close(tacGraph* g, sampler* s) {
    tac_graph_free(g, s->x, s->bytes);
    tac_program_destroy(s->program);
}

static int sampler_open(tacGraph* g, tacExprMatrix A, sampler* s) {
    tacExpr* x = NULL;
    *s = (sampler){.random = 0x9e3779b97f4a7c15ull};
    s->symbols = symbols_of(g, A, &x);
    if (s->symbols < 0) return 0;
    tac_program_create(g, x, s->symbols, A.at, tac_expr_matrix_count(A), &s->program);
    tac_graph_unmap(g, x, s->symbols);
    if (!s->program) return 0;
    size_t count = (size_t)s->symbols + 2 * (size_t)tac_expr_matrix_count(A) + (size_t)A.rows;
    s->bytes = sizeof(double) * count + tac_program_size(s->program);
    s->x = tac_graph_alloc(g, s->bytes);
    if (s->x) {
        s->y = s->x + s->symbols;
        s->near = s->y + tac_expr_matrix_count(A);
    }
    if (s->x) {
        s->scale = s->near + tac_expr_matrix_count(A);
        s->work = s->x + count;
    }
    if (!s->x) sampler_close(g, s);
    return s->x != NULL;
}

static int sample_at(const tacProgram* program, sampler* s, double* y) {
    return tac_program_run(program, s->x, 1, y, s->work) == TAC_OK;
}

// A value that is 0 up to rounding changes completely when the point moves by a few bits.
static void clear_noise(sampler* s, int entries) {
    for (int i = 0; i < entries; ++i)
        if (!(fabs(s->near[i] - s->y[i]) <= 1e-3 * fabs(s->y[i]))) s->y[i] = 0.0;
}

static void sample_matrix(const tacGraph* g, tacExprMatrix A, sampler* s) {
    for (int attempt = 0; attempt < 20; ++attempt) {
        for (int k = 0; k < s->symbols; ++k) s->x[k] = random_number(&s->random);
        if (!sample_at(s->program, s, s->y)) continue;
        for (int k = 0; k < s->symbols; ++k) s->x[k] *= 1.0 + 1e-13 * random_number(&s->random);
        if (!sample_at(s->program, s, s->near)) continue;
        clear_noise(s, tac_expr_matrix_count(A));
        return;
    }
    for (int i = 0; i < tac_expr_matrix_count(A); ++i) s->y[i] = !is_zero(g, A.at[i]);
}

//---------------------------------- pivots ---------------------------------------

// The order of elimination: pivot k is at (row[k], column[k]). The first `single` of them are taken
// one by one, the rest is solved by minors.
typedef struct pivots {
    int n, single, *row, *column;
} pivots;

// a system in numbers: the remainder, its structure, the pivots so far
enum { EMPTY, NUMBER, FORMULA };
typedef struct numbers {
    int n, symmetric;
    double* a;
    unsigned char *full, *row_done, *column_done;
} numbers;

static size_t entry_index(const numbers* s, int i, int j) {
    return (size_t)i * (size_t)s->n + (size_t)j;
}

// fill-in of a pivot
static int fill_of(const numbers* s, int i, int j) {
    int across = -1, down = -1;
    for (int k = 0; k < s->n; ++k) {
        across += !s->column_done[k] && s->full[entry_index(s, i, k)];
        down += !s->row_done[k] && s->full[entry_index(s, k, j)];
    }
    return across * down;
}

static double largest_left(const numbers* s) {
    double most = 0.0;
    for (int i = 0; i < s->n; ++i)
        for (int j = 0; j < s->n; ++j)
            if (!s->row_done[i] && !s->column_done[j])
                most = fmax(most, fabs(s->a[entry_index(s, i, j)]));
    return most;
}

// kinds of pivots: numbers, positive and negative ones of the diagonal, any
enum { CONSTANTS, POSITIVE, NEGATIVE, ANY, KINDS };

static int is_kind(const numbers* s, int i, int j, int kind) {
    double a = s->a[entry_index(s, i, j)];
    if (kind == CONSTANTS)
        return s->full[entry_index(s, i, j)] == NUMBER && (!s->symmetric || i == j);
    if (kind == POSITIVE) return s->symmetric && i == j && a > 0.0;
    if (kind == NEGATIVE) return s->symmetric && i == j && a < 0.0;
    return 1;
}

// of one kind, within 1/100 of the largest, the one that fills least
static int choose_kind(const numbers* s, int kind, double most, int* row, int* column) {
    double best_size = 0.0;
    int best = -1;
    for (int i = 0; i < s->n; ++i)
        for (int j = 0; j < s->n; ++j) {
            double size = fabs(s->a[entry_index(s, i, j)]);
            if (s->row_done[i] || s->column_done[j] || size < 0.01 * most) continue;
            if (!is_kind(s, i, j, kind)) continue;
            int fill = fill_of(s, i, j);
            if (best >= 0 && (fill > best || (fill == best && size <= best_size))) continue;
            best = fill;
            best_size = size;
            *row = i;
            *column = j;
        }
    return best >= 0;
}

// the kind that was found, KINDS: nothing is left but 0. Rows were scaled to 1.
static int choose_pivot(const numbers* s, int* row, int* column) {
    double most = largest_left(s);
    if (!(most > 1e-11)) return KINDS;
    int kind = CONSTANTS;
    while (kind < KINDS && !choose_kind(s, kind, most, row, column)) ++kind;
    return kind;
}

static void eliminate_numbers(numbers* s, int row, int column) {
    s->row_done[row] = s->column_done[column] = 1;
    for (int i = 0; i < s->n; ++i) {
        if (s->row_done[i] || !s->full[entry_index(s, i, column)]) continue;
        double factor = s->a[entry_index(s, i, column)] / s->a[entry_index(s, row, column)];
        for (int j = 0; j < s->n; ++j) {
            if (s->column_done[j] || !s->full[entry_index(s, row, j)]) continue;
            int number = s->full[entry_index(s, i, column)] == NUMBER &&
                         s->full[entry_index(s, row, column)] == NUMBER &&
                         s->full[entry_index(s, row, j)] == NUMBER;
            s->a[entry_index(s, i, j)] -= factor * s->a[entry_index(s, row, j)];
            if (!number || s->full[entry_index(s, i, j)] == EMPTY)
                s->full[entry_index(s, i, j)] = number ? NUMBER : FORMULA;
        }
    }
}

static int is_symmetric(tacExprMatrix A) {
    for (int i = 0; i < A.rows; ++i)
        for (int j = 0; j < i; ++j)
            if (*tac_expr_matrix_entry(A, i, j) != *tac_expr_matrix_entry(A, j, i)) return 0;
    return 1;
}

static void set_numbers(const tacGraph* g, tacExprMatrix A, numbers* s) {
    memset(s->row_done, 0, 2 * (size_t)s->n);
    for (int i = 0; i < tac_expr_matrix_count(A); ++i)
        s->full[i] = is_zero(g, A.at[i])              ? EMPTY
                     : tac_expr_is_number(g, A.at[i]) ? NUMBER
                                                      : FORMULA;
}

static tacRankDefect find_defect(const numbers* s) {
    tacRankDefect out = {-1, -1};
    for (int k = s->n - 1; k >= 0; --k) {
        if (!s->row_done[k]) out.row = k;
        if (!s->column_done[k]) out.column = k;
    }
    return out;
}

// Rows and columns are scaled to about 1 first, so that units do not matter; a symmetric matrix
// stays so.
static void equilibrate(const numbers* s, double* scale) {
    for (int i = 0; i < s->n; ++i) {
        double most = 0.0;
        for (int j = 0; j < s->n; ++j)
            most = fmax(most, fmax(fabs(s->a[entry_index(s, i, j)]),
                                   s->symmetric ? fabs(s->a[entry_index(s, j, i)]) : 0.0));
        scale[i] = most > 0.0 ? 1.0 / sqrt(most) : 1.0;
    }
    for (int i = 0; i < s->n; ++i)
        for (int j = 0; j < s->n; ++j)
            s->a[entry_index(s, i, j)] *= scale[i] * (s->symmetric ? scale[j] : scale[i]);
}

// the order of pivots, or a defect that three points have in common
static void find_pivots(const tacGraph* g, tacExprMatrix A, sampler* values, numbers* s, pivots* p,
                        tacRankDefect* defect) {
    s->symmetric = is_symmetric(A);
    for (int point = 0; point < 3; ++point) {
        sample_matrix(g, A, values);
        s->a = values->y;
        equilibrate(s, values->scale);
        set_numbers(g, A, s);
        int k = 0, kind = 0;
        p->single = s->n;
        for (; k < s->n; ++k) {
            kind = choose_pivot(s, &p->row[k], &p->column[k]);
            if (kind == KINDS) break;
            if (kind == ANY && p->single == s->n && s->n - k <= TAC_MINORS_MAX) p->single = k;
            eliminate_numbers(s, p->row[k], p->column[k]);
        }
        *defect = find_defect(s);
        if (k == s->n) return;
    }
}

//---------------------------------- formulas -------------------------------------

// W = (A, B) becomes triangular in the order of the pivots, as far as they are taken one by one
static void eliminate_formulas(tacGraph* g, const pivots* p, tacExprMatrix W) {
    tacExpr minus = tac_fraction(g, -1, 1), zero = tac_fraction(g, 0, 1);
    for (int k = 0; k < p->single; ++k) {
        int row = p->row[k], column = p->column[k];
        tacExpr over = tac_expr_pow(g, *tac_expr_matrix_entry(W, row, column), minus);
        for (int l = k + 1; l < p->n && g->result == TAC_OK; ++l) {
            int i = p->row[l];
            tacExpr head = *tac_expr_matrix_entry(W, i, column);
            if (is_zero(g, head)) continue;
            *tac_expr_matrix_entry(W, i, column) = zero;
            tacExpr factor = tac_expr_mul(g, minus, tac_expr_mul(g, head, over));
            for (int j = 0; j < W.columns; ++j) {
                if (j == column) continue;
                tacExpr part = tac_expr_mul(g, factor, *tac_expr_matrix_entry(W, row, j));
                *tac_expr_matrix_entry(W, i, j) =
                    tac_expr_add(g, *tac_expr_matrix_entry(W, i, j), part);
            }
        }
    }
}

static void substitute_back(tacGraph* g, const pivots* p, tacExprMatrix W, tacExprMatrix X) {
    tacExpr minus = tac_fraction(g, -1, 1);
    for (int c = 0; c < X.columns; ++c)
        for (int k = p->single - 1; k >= 0 && g->result == TAC_OK; --k) {
            tacExpr sum = *tac_expr_matrix_entry(W, p->row[k], p->n + c);
            for (int l = k + 1; l < p->n; ++l) {
                tacExpr known = *tac_expr_matrix_entry(X, p->column[l], c);
                sum = tac_expr_sub(
                    g, sum,
                    tac_expr_mul(g, *tac_expr_matrix_entry(W, p->row[k], p->column[l]), known));
            }
            tacExpr over =
                tac_expr_pow(g, *tac_expr_matrix_entry(W, p->row[k], p->column[k]), minus);
            *tac_expr_matrix_entry(X, p->column[k], c) = tac_expr_mul(g, sum, over);
        }
}

// the rest of W by minors
static void solve_rest(tacGraph* g, const pivots* p, tacExprMatrix W, tacExprMatrix X) {
    int n = p->n - p->single, first = p->single;
    tacExprMatrix A = tac_expr_matrix_alloc(g, n, n), B = tac_expr_matrix_alloc(g, n, X.columns);
    tacExprMatrix Y = tac_expr_matrix_alloc(g, n, X.columns);
    if (A.at && B.at && Y.at) {
        for (int i = 0; i < n; ++i) {
            int row = p->row[first + i];
            for (int j = 0; j < n; ++j)
                *tac_expr_matrix_entry(A, i, j) =
                    *tac_expr_matrix_entry(W, row, p->column[first + j]);
            for (int j = 0; j < X.columns; ++j)
                *tac_expr_matrix_entry(B, i, j) = *tac_expr_matrix_entry(W, row, p->n + j);
        }
        tac_expr_minors_solve(g, A, B, Y);
        for (int i = 0; i < n && g->result == TAC_OK; ++i)
            for (int j = 0; j < X.columns; ++j)
                *tac_expr_matrix_entry(X, p->column[first + i], j) =
                    *tac_expr_matrix_entry(Y, i, j);
    }
    tac_expr_matrix_free(g, Y);
    tac_expr_matrix_free(g, B);
    tac_expr_matrix_free(g, A);
}

static void solve_formulas(tacGraph* g, const pivots* p, tacExprMatrix A, tacExprMatrix B,
                           tacExprMatrix X) {
    tacExprMatrix W = tac_expr_matrix_alloc(g, p->n, p->n + B.columns);
    if (!W.at) return;
    for (int i = 0; i < p->n; ++i) {
        for (int j = 0; j < p->n; ++j)
            *tac_expr_matrix_entry(W, i, j) = *tac_expr_matrix_entry(A, i, j);
        for (int j = 0; j < B.columns; ++j)
            *tac_expr_matrix_entry(W, i, p->n + j) = *tac_expr_matrix_entry(B, i, j);
    }
    eliminate_formulas(g, p, W);
    if (g->result == TAC_OK && p->single < p->n) solve_rest(g, p, W, X);
    if (g->result == TAC_OK) substitute_back(g, p, W, X);
    tac_expr_matrix_free(g, W);
}

//---------------------------------- all ------------------------------------------

// X without columns: searches for a defect only
static tacResult solve_system(tacGraph* g, tacExprMatrix A, tacExprMatrix B, tacExprMatrix X,
                              tacRankDefect* defect) {
    int n = A.rows, rows = 2 * n;
    size_t flags = (size_t)n * (size_t)n + 2 * (size_t)n;
    sampler values;
    *defect = (tacRankDefect){-1, -1};
    if (n == 0 || tac_graph_check(g, A.at, tac_expr_matrix_count(A), 0) != TAC_OK ||
        tac_graph_check(g, B.at, tac_expr_matrix_count(B), 0) != TAC_OK ||
        !sampler_open(g, A, &values))
        return g->result;
    int* order = tac_graph_map(g, rows, 0);
    unsigned char* flag = order ? tac_graph_alloc(g, flags) : NULL;
    if (flag) {
        pivots p = {n, n, order, order + n};
        numbers s = {.n = n, .row_done = flag, .column_done = flag + n, .full = flag + 2 * n};
        find_pivots(g, A, &values, &s, &p, defect);
        if (defect->column < 0 && X.columns > 0) solve_formulas(g, &p, A, B, X);
    }
    tac_graph_free(g, flag, flags);
    tac_graph_unmap(g, order, rows);
    sampler_close(g, &values);
    return g->result;
}

tacResult tac_expr_matrix_check_rank(tacGraph* g, tacExprMatrix A, tacRankDefect* defect) {
    tacExprMatrix none = {NULL, A.rows, 0};
    return solve_system(g, A, none, none, defect);
}

tacResult tac_expr_matrix_solve(tacGraph* g, tacExprMatrix A, tacExprMatrix B, tacExprMatrix X,
                                tacRankDefect* defect) {
    return solve_system(g, A, B, X, defect);
}

tacResult tac_expr_solve(tacGraph* g, const tacExpr* A, int n, const tacExpr* B, int m, tacExpr* X,
                         int* bad) {
    const void* need[] = {A, B, X};
    for (int i = 0; i < 3; ++i) {
        tacResult result = tac_graph_check_result(g, n < 0 || m < 0 ? -1 : n > 0 && m > 0, need[i]);
        if (result != TAC_OK) return result;
    }
    tacExprMatrix left = tac_expr_matrix_alloc(g, n, n), right = tac_expr_matrix_alloc(g, n, m),
                  x = {X, n, m};
    tacRankDefect defect = {-1, -1};
    if (left.at && right.at) {
        memcpy(left.at, A, sizeof *A * (size_t)tac_expr_matrix_count(left));
        memcpy(right.at, B, sizeof *B * (size_t)tac_expr_matrix_count(right));
        tac_expr_matrix_solve(g, left, right, x, &defect);
    }
    tac_expr_matrix_free(g, right);
    tac_expr_matrix_free(g, left);
    if (bad) *bad = defect.column;
    if (g->result == TAC_OK && defect.column >= 0)
        tac_graph_fail(g, TAC_ERROR_VALUE,
                       "the matrix is singular: equation %d (from 0) does not determine unknown %d",
                       defect.row, defect.column);
    return g->result;
}
