// Derivatives of the solves of dense.c, by the implicit function theorem.

#include "math/dense.h"

//---------------------------------- products ----------------------------------

void tac_dense_mul_vjp(int m, int k, int n, const tacReal* A, const tacReal* B, const tacReal* bar,
                       tacReal* A_bar, tacReal* B_bar) {
    for (int i = 0; i < m; ++i) {
        for (int l = 0; l < k; ++l) {
            A_bar[i * k + l] += tac_dense_dot(n, bar + i * n, B + l * n);
            tac_dense_add_scaled(n, B_bar + l * n, A[i * k + l], bar + i * n);
        }
    }
}

//---------------------------------- helpers of solves ----------------------------------

// out = b_dot - A_dot x, the right-hand side of a jvp; out may be b_dot
static void jvp_side(int n, const tacReal* x, const tacReal* A_dot, const tacReal* b_dot,
                     tacReal* out) {
    for (int i = 0; i < n; ++i) {
        out[i] = A_dot ? b_dot[i] - tac_dense_dot(n, A_dot + i * n, x) : b_dot[i];
    }
}

// b_bar += y, A_bar -= (y x' + x y')/2
static void add_symmetric(int n, const tacReal* y, const tacReal* x, tacReal* A_bar,
                          tacReal* b_bar) {
    if (b_bar) tac_dense_add_scaled(n, b_bar, 1.0, y);
    if (!A_bar) return;
    tac_dense_add_outer(n, n, A_bar, -0.5, y, x);
    tac_dense_add_outer(n, n, A_bar, -0.5, x, y);
}

//---------------------------------- symmetric ----------------------------------

void tac_cholesky_solve_jvp(int n, const tacReal* L, const tacReal* x, const tacReal* A_dot,
                            const tacReal* b_dot, tacReal* x_dot) {
    jvp_side(n, x, A_dot, b_dot, x_dot);
    tac_cholesky_solve(n, L, x_dot, x_dot);
}

void tac_cholesky_solve_vjp(int n, const tacReal* L, const tacReal* x, const tacReal* x_bar,
                            tacReal* A_bar, tacReal* b_bar, tacReal* work) {
    tac_cholesky_solve(n, L, x_bar, work);
    add_symmetric(n, work, x, A_bar, b_bar);
}

void tac_ldl_solve_jvp(int n, const tacReal* L, const tacReal* x, const tacReal* A_dot,
                       const tacReal* b_dot, tacReal* x_dot) {
    jvp_side(n, x, A_dot, b_dot, x_dot);
    tac_ldl_solve(n, L, x_dot, x_dot);
}

void tac_ldl_solve_vjp(int n, const tacReal* L, const tacReal* x, const tacReal* x_bar,
                       tacReal* A_bar, tacReal* b_bar, tacReal* work) {
    tac_ldl_solve(n, L, x_bar, work);
    add_symmetric(n, work, x, A_bar, b_bar);
}

//---------------------------------- square ----------------------------------

void tac_lu_solve_jvp(int n, const tacReal* LU, const int* pivot, const tacReal* x,
                      const tacReal* A_dot, const tacReal* b_dot, tacReal* x_dot) {
    jvp_side(n, x, A_dot, b_dot, x_dot);
    tac_lu_solve(n, LU, pivot, x_dot, x_dot);
}

void tac_lu_solve_vjp(int n, const tacReal* LU, const int* pivot, const tacReal* x,
                      const tacReal* x_bar, tacReal* A_bar, tacReal* b_bar, tacReal* work) {
    tac_lu_solve_t(n, LU, pivot, x_bar, work);
    if (b_bar) tac_dense_add_scaled(n, b_bar, 1.0, work);
    if (A_bar) tac_dense_add_outer(n, n, A_bar, -1.0, work, x);
}

//---------------------------------- least squares ----------------------------------

// x <- (A' A)^-1 x = R^-1 R'^-1 x
static void normal_solve(int n, const tacReal* R, tacReal* x) {
    for (int i = 0; i < n; ++i) {
        x[i] /= R[i * n + i];
        tac_dense_add_scaled(n - 1 - i, x + i + 1, -x[i], R + i * n + i + 1);
    }
    for (int i = n - 1; i >= 0; --i) {
        const tacReal* row = R + i * n;
        x[i] = (x[i] - tac_dense_dot(n - 1 - i, row + i + 1, x + i + 1)) / row[i];
    }
}

void tac_qr_solve_jvp(int m, int n, const tacReal* QR, const tacReal* tau, const tacReal* x,
                      const tacReal* r, const tacReal* A_dot, const tacReal* b_dot, tacReal* x_dot,
                      tacReal* work) {
    tacReal *side = work, *turn = work + m;
    for (int i = 0; i < m; ++i) {
        side[i] = A_dot ? b_dot[i] - tac_dense_dot(n, A_dot + i * n, x) : b_dot[i];
    }
    tac_qr_solve(m, n, QR, tau, side, x_dot, side);
    if (!A_dot) return;
    tac_dense_tmul_vec(m, n, A_dot, r, turn);
    normal_solve(n, QR, turn);
    tac_dense_add_scaled(n, x_dot, 1.0, turn);
}

void tac_qr_solve_vjp(int m, int n, const tacReal* QR, const tacReal* tau, const tacReal* x,
                      const tacReal* r, const tacReal* x_bar, tacReal* A_bar, tacReal* b_bar,
                      tacReal* work) {
    tacReal *Ag = work, *g = work + m;
    for (int i = 0; i < n; ++i) g[i] = x_bar[i];
    normal_solve(n, QR, g);

    // A g = Q (R g; 0)
    for (int i = 0; i < m; ++i) {
        Ag[i] = i < n ? tac_dense_dot(n - i, QR + i * n + i, g + i) : (tacReal)0.0;
    }
    tac_qr_apply(m, n, QR, tau, Ag);
    if (b_bar) tac_dense_add_scaled(m, b_bar, 1.0, Ag);
    if (!A_bar) return;
    tac_dense_add_outer(m, n, A_bar, 1.0, r, g);
    tac_dense_add_outer(m, n, A_bar, -1.0, Ag, x);
}
