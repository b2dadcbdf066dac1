// The functions of math/dense.h in the number type of this build.

#include "math/adapter_math.h"

#include <string.h>

//---------------------------------- products ----------------------------------

// A (3 x 4), B (4 x 2)
static void dense_mul_value(const tacReal* x, tacReal* y) { tac_dense_mul(3, 4, 2, x, x + 12, y); }
static void dense_mul_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tacReal z[6];
    tac_dense_mul(3, 4, 2, d, x + 12, y);
    tac_dense_mul(3, 4, 2, x, d + 12, z);
    tac_dense_add_scaled(6, y, 1.0, z);
}
static void dense_mul_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tac_dense_mul_vjp(3, 4, 2, x, x + 12, bar, x_bar, x_bar + 12);
}

//---------------------------------- symmetric ----------------------------------

// x = lower triangle by rows, then b
static void load_symmetric(const tacReal* x, tacReal* A) {
    for (int i = 0, k = 0; i < N; ++i) {
        for (int j = 0; j <= i; ++j, ++k) A[i * N + j] = A[j * N + i] = x[k];
    }
}

static void add_symmetric_bar(const tacReal* A_bar, tacReal* x_bar) {
    for (int i = 0, k = 0; i < N; ++i) {
        for (int j = 0; j < i; ++j, ++k) x_bar[k] += A_bar[i * N + j] + A_bar[j * N + i];
        x_bar[k++] += A_bar[i * N + i];
    }
}

#define SYMMETRIC_WRAPPERS(name)                                                                   \
    static void name##_value(const tacReal* x, tacReal* y) {                                       \
        tacReal A[N * N];                                                                          \
        load_symmetric(x, A);                                                                      \
        y[0] = NAN;                                                                                \
        if (tac_##name(N, A) == TAC_OK) tac_##name##_solve(N, A, x + LOWER, y);                    \
    }                                                                                              \
    static void name##_jvp(const tacReal* x, const tacReal* d, tacReal* y) {                       \
        tacReal A[N * N], A_dot[N * N], solution[N];                                               \
        load_symmetric(x, A), load_symmetric(d, A_dot);                                            \
        if (tac_##name(N, A) != TAC_OK) return;                                                    \
        tac_##name##_solve(N, A, x + LOWER, solution);                                             \
        tac_##name##_solve_jvp(N, A, solution, A_dot, d + LOWER, y);                               \
    }                                                                                              \
    static void name##_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {                 \
        tacReal A[N * N], A_bar[N * N] = {0}, solution[N], work[N];                                \
        load_symmetric(x, A);                                                                      \
        if (tac_##name(N, A) != TAC_OK) return;                                                    \
        tac_##name##_solve(N, A, x + LOWER, solution);                                             \
        tac_##name##_solve_vjp(N, A, solution, bar, A_bar, x_bar + LOWER, work);                   \
        add_symmetric_bar(A_bar, x_bar);                                                           \
    }
SYMMETRIC_WRAPPERS(cholesky)
SYMMETRIC_WRAPPERS(ldl)

static void log_det_value(const tacReal* x, tacReal* y) {
    tacReal A[N * N];
    load_symmetric(x, A);
    y[0] = NAN;
    if (tac_cholesky(N, A) == TAC_OK) y[0] = tac_cholesky_log_det(N, A);
}

// trace(A^-1 A_dot), column by column: what a caller makes of the solve
static void log_det_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tacReal A[N * N], A_dot[N * N], column[N];
    load_symmetric(x, A);
    load_symmetric(d, A_dot);
    y[0] = 0.0;
    if (tac_cholesky(N, A) != TAC_OK) return;
    for (int j = 0; j < N; ++j) {
        tac_cholesky_solve(N, A, A_dot + j * N, column);
        y[0] += column[j];
    }
}
static void log_det_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacReal A[N * N], inverse[N * N];
    load_symmetric(x, A);
    if (tac_cholesky(N, A) != TAC_OK) return;
    for (int i = 0; i < N * N; ++i) inverse[i] = i % (N + 1) ? (tacReal)0.0 : bar[0];
    for (int j = 0; j < N; ++j) tac_cholesky_solve(N, A, inverse + j * N, inverse + j * N);
    add_symmetric_bar(inverse, x_bar);
}

//---------------------------------- square ----------------------------------

static void lu_value(const tacReal* x, tacReal* y) {
    tacReal A[N * N];
    int pivot[N];
    memcpy(A, x, sizeof A);
    y[0] = NAN;
    if (tac_lu(N, A, pivot) == TAC_OK) tac_lu_solve(N, A, pivot, x + N * N, y);
}
static void lu_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tacReal A[N * N], solution[N];
    int pivot[N];
    memcpy(A, x, sizeof A);
    if (tac_lu(N, A, pivot) != TAC_OK) return;
    tac_lu_solve(N, A, pivot, x + N * N, solution);
    tac_lu_solve_jvp(N, A, pivot, solution, d, d + N * N, y);
}
static void lu_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacReal A[N * N], solution[N], work[N];
    int pivot[N];
    memcpy(A, x, sizeof A);
    if (tac_lu(N, A, pivot) != TAC_OK) return;
    tac_lu_solve(N, A, pivot, x + N * N, solution);
    tac_lu_solve_vjp(N, A, pivot, solution, bar, x_bar, x_bar + N * N, work);
}
//---------------------------------- least squares ----------------------------------

static void qr_value(const tacReal* x, tacReal* y) {
    tacReal A[ROWS * COLUMNS], tau[COLUMNS], r[ROWS];
    memcpy(A, x, sizeof A);
    y[0] = NAN;
    if (tac_qr(ROWS, COLUMNS, A, tau) != TAC_OK) return;
    tac_qr_solve(ROWS, COLUMNS, A, tau, x + ROWS * COLUMNS, y, r);
}
static void qr_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    tacReal A[ROWS * COLUMNS], tau[COLUMNS], s[COLUMNS], r[ROWS], work[ROWS + COLUMNS];
    memcpy(A, x, sizeof A);
    if (tac_qr(ROWS, COLUMNS, A, tau) != TAC_OK) return;
    tac_qr_solve(ROWS, COLUMNS, A, tau, x + ROWS * COLUMNS, s, r);
    tac_qr_solve_jvp(ROWS, COLUMNS, A, tau, s, r, d, d + ROWS * COLUMNS, y, work);
}
static void qr_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacReal A[ROWS * COLUMNS], tau[COLUMNS], s[COLUMNS], r[ROWS], work[ROWS + COLUMNS];
    memcpy(A, x, sizeof A);
    if (tac_qr(ROWS, COLUMNS, A, tau) != TAC_OK) return;
    tac_qr_solve(ROWS, COLUMNS, A, tau, x + ROWS * COLUMNS, s, r);
    tac_qr_solve_vjp(ROWS, COLUMNS, A, tau, s, r, bar, x_bar, x_bar + ROWS * COLUMNS, work);
}
//---------------------------------- three ----------------------------------

static void mat_det_value(const tacReal* x, tacReal* y) { y[0] = tac_mat_det(load_mat(x)); }
static void mat_det_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    y[0] = tac_mat_det_jvp(load_mat(x), load_mat(d));
}
static void mat_det_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacMat3 a = load_mat(x_bar);
    tac_mat_det_vjp(load_mat(x), bar[0], &a);
    store_mat(x_bar, a);
}

static tacMat3 inverse_of(const tacReal* x) {
    tacMat3 Y = tac_mat_zero();
    (void)tac_mat_inverse(load_mat(x), &Y);
    return Y;
}
static void mat_inverse_value(const tacReal* x, tacReal* y) { store_mat(y, inverse_of(x)); }
static void mat_inverse_jvp(const tacReal* x, const tacReal* d, tacReal* y) {
    store_mat(y, tac_mat_inverse_jvp(inverse_of(x), load_mat(d)));
}
static void mat_inverse_vjp(const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacMat3 a = load_mat(x_bar);
    tac_mat_inverse_vjp(inverse_of(x), load_mat(bar), &a);
    store_mat(x_bar, a);
}

MATH_ADAPTER(dense, MATH_DENSE)
