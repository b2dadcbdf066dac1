// Small dense linear algebra. Matrices are row-major and tight; the caller brings all memory.
//
// Factorizations say TAC_ERROR_VALUE for a matrix that is singular (or not positive definite, or
// not finite): a pivot that is lost in the rounding of the numbers it was made of, so the answer
// does not depend on scale. The factor is then unspecified. Solves follow only a factor that was
// TAC_OK.
//
// Derivatives of x = A^-1 b are those of the answer, by the implicit function theorem:
//   x_dot = A^-1 (b_dot - A_dot x);  b_bar += y, A_bar -= y x', with A' y = x_bar.
// For symmetric A the adjoint is symmetrised, A_bar -= (y x' + x y')/2.

#ifndef TAC_MATH_DENSE_H
#define TAC_MATH_DENSE_H

#include "math/vec3.h"
#include "tactus/result.h"

//---------------------------------- products ----------------------------------

// sum of a_i b_i
static inline tacReal tac_dense_dot(int n, const tacReal* a, const tacReal* b) {
    tacReal sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

// y += s x
static inline void tac_dense_add_scaled(int n, tacReal* y, tacReal s, const tacReal* x) {
    for (int i = 0; i < n; ++i) y[i] += s * x[i];
}

// y = A x, A (m x n); y must not alias
void tac_dense_mul_vec(int m, int n, const tacReal* A, const tacReal* x, tacReal* y);

// y = A' x, A (m x n)
void tac_dense_tmul_vec(int m, int n, const tacReal* A, const tacReal* x, tacReal* y);

// A += s y x', A (m x n): also the vjp of tac_dense_mul_vec by A
void tac_dense_add_outer(int m, int n, tacReal* A, tacReal s, const tacReal* y, const tacReal* x);

// C = A B, A (m x k), B (k x n); C must not alias
void tac_dense_mul(int m, int k, int n, const tacReal* A, const tacReal* B, tacReal* C);

// C = A' B, A (k x m), B (k x n)
void tac_dense_tmul(int m, int k, int n, const tacReal* A, const tacReal* B, tacReal* C);

// C = A B', A (m x k), B (n x k)
void tac_dense_mul_t(int m, int k, int n, const tacReal* A, const tacReal* B, tacReal* C);

// A_bar += C_bar B', B_bar += A' C_bar, of C = A B
void tac_dense_mul_vjp(int m, int k, int n, const tacReal* A, const tacReal* B, const tacReal* bar,
                       tacReal* A_bar, tacReal* B_bar);

//---------------------------------- symmetric positive definite ----------------------------------

// A = L L'. Reads and overwrites the lower triangle; the rest of A is not touched.
tacResult tac_cholesky(int n, tacReal* A);

// x = A^-1 b; x may be b
void tac_cholesky_solve(int n, const tacReal* L, const tacReal* b, tacReal* x);

// x_dot = A^-1 (b_dot - A_dot x), A_dot (n x n) full and symmetric, or NULL; x_dot may be b_dot
void tac_cholesky_solve_jvp(int n, const tacReal* L, const tacReal* x, const tacReal* A_dot,
                            const tacReal* b_dot, tacReal* x_dot);

// adds to A_bar (n x n, full, symmetrised; NULL to skip) and b_bar (NULL to skip); work (n)
void tac_cholesky_solve_vjp(int n, const tacReal* L, const tacReal* x, const tacReal* x_bar,
                            tacReal* A_bar, tacReal* b_bar, tacReal* work);

// log det A = 2 sum of log L_ii
tacReal tac_cholesky_log_det(int n, const tacReal* L);

//---------------------------------- symmetric, without square roots
//----------------------------------

// A = L D L', L unit lower, D the diagonal, no pivoting: for definite and quasi-definite matrices.
// Reads and overwrites the lower triangle.
tacResult tac_ldl(int n, tacReal* A);
void tac_ldl_solve(int n, const tacReal* L, const tacReal* b, tacReal* x);
void tac_ldl_solve_jvp(int n, const tacReal* L, const tacReal* x, const tacReal* A_dot,
                       const tacReal* b_dot, tacReal* x_dot);
void tac_ldl_solve_vjp(int n, const tacReal* L, const tacReal* x, const tacReal* x_bar,
                       tacReal* A_bar, tacReal* b_bar, tacReal* work);

//---------------------------------- square ----------------------------------

// P A = L U by partial pivoting on the real part; overwrites A. Row i was swapped with pivot[i]
// (n).
tacResult tac_lu(int n, tacReal* A, int* pivot);

// x = A^-1 b and x = A'^-1 b; x may be b
void tac_lu_solve(int n, const tacReal* LU, const int* pivot, const tacReal* b, tacReal* x);
void tac_lu_solve_t(int n, const tacReal* LU, const int* pivot, const tacReal* b, tacReal* x);
tacReal tac_lu_det(int n, const tacReal* LU, const int* pivot);
void tac_lu_solve_jvp(int n, const tacReal* LU, const int* pivot, const tacReal* x,
                      const tacReal* A_dot, const tacReal* b_dot, tacReal* x_dot);
void tac_lu_solve_vjp(int n, const tacReal* LU, const int* pivot, const tacReal* x,
                      const tacReal* x_bar, tacReal* A_bar, tacReal* b_bar, tacReal* work);

//---------------------------------- least squares ----------------------------------

// A = Q R by Householder reflections, A (m x n), m >= n, full column rank. Overwrites A with R
// above and the reflections below the diagonal; tau (n).
tacResult tac_qr(int m, int n, tacReal* A, tacReal* tau);

// b <- Q b and b <- Q' b, b (m)
void tac_qr_apply(int m, int n, const tacReal* QR, const tacReal* tau, tacReal* b);
void tac_qr_apply_t(int m, int n, const tacReal* QR, const tacReal* tau, tacReal* b);

// x (n) with least |A x - b|, residual r = b - A x (m; may be b)
void tac_qr_solve(int m, int n, const tacReal* QR, const tacReal* tau, const tacReal* b, tacReal* x,
                  tacReal* r);

// x_dot = A^+ (b_dot - A_dot x) + (A' A)^-1 A_dot' r; work (m + n)
void tac_qr_solve_jvp(int m, int n, const tacReal* QR, const tacReal* tau, const tacReal* x,
                      const tacReal* r, const tacReal* A_dot, const tacReal* b_dot, tacReal* x_dot,
                      tacReal* work);

// with g = (A' A)^-1 x_bar: b_bar += A g, A_bar += r g' - A g x'; work (m + n)
void tac_qr_solve_vjp(int m, int n, const tacReal* QR, const tacReal* tau, const tacReal* x,
                      const tacReal* r, const tacReal* x_bar, tacReal* A_bar, tacReal* b_bar,
                      tacReal* work);

//---------------------------------- two and three ----------------------------------

static inline tacReal tac_mat2_det(const tacReal a[4]) { return a[0] * a[3] - a[1] * a[2]; }

// the transposed matrix of cofactors, inverse times determinant: rows a1 x a2, … as columns
static inline tacMat3 tac_mat_adjugate(tacMat3 a) {
    tacVec3 r0 = tac_mat_row(a, 0), r1 = tac_mat_row(a, 1), r2 = tac_mat_row(a, 2);
    return tac_mat_from_columns(tac_cross(r1, r2), tac_cross(r2, r0), tac_cross(r0, r1));
}

static inline tacReal tac_mat_det(tacMat3 a) {
    return tac_dot(tac_mat_row(a, 0), tac_cross(tac_mat_row(a, 1), tac_mat_row(a, 2)));
}

static inline tacReal tac_mat_det_jvp(tacMat3 a, tacMat3 a_dot) {
    return tac_mat_dot(tac_mat_transpose(tac_mat_adjugate(a)), a_dot);
}

static inline void tac_mat_det_vjp(tacMat3 a, tacReal bar, tacMat3* a_bar) {
    *a_bar = tac_mat_add_scaled(*a_bar, bar, tac_mat_transpose(tac_mat_adjugate(a)));
}

// On error `out` is not changed; it may be `a`.
tacResult tac_mat2_inverse(const tacReal a[4], tacReal out[4]);
tacResult tac_mat_inverse(tacMat3 a, tacMat3* out);

// of the inverse Y = A^-1: -Y A_dot Y
static inline tacMat3 tac_mat_inverse_jvp(tacMat3 Y, tacMat3 a_dot) {
    return tac_mat_scale(tac_mat_mul(tac_mat_mul(Y, a_dot), Y), -1.0);
}

// -Y' bar Y'
static inline void tac_mat_inverse_vjp(tacMat3 Y, tacMat3 bar, tacMat3* a_bar) {
    *a_bar = tac_mat_sub(*a_bar, tac_mat_mul_t(tac_mat_tmul(Y, bar), Y));
}

// Eigenvalues in falling order, and eigenvectors as the columns of a rotation (determinant +1), of
// the symmetric matrix xx yy zz xy xz yz. Never fails on finite input; the vectors of equal values
// are a choice. No derivative.
void tac_eigen3(const double a[6], double values[3], double vectors[3][3]);

#endif
