// Laws of small dense linear algebra: known matrices, residuals, singular inputs.

#include "math/check_math.h"

enum { MAX = 12 };

// A x - b relative to |A| |x|, largest entry
static double relative_residual(int m, int n, const tacReal* A, const tacReal* x,
                                const tacReal* b) {
    double worst = 0.0, scale = check_size(m * n, A) * check_size(n, x) * n + check_size(m, b);
    for (int i = 0; i < m; ++i) {
        worst = fmax(worst, fabs(tac_re(tac_dense_dot(n, A + i * n, x) - b[i])));
    }
    return worst / scale;
}

// B B' + 0.1
static void random_definite(testRandom* random, int n, tacReal* A) {
    tacReal B[MAX * MAX];
    check_random(random, n * n, B);
    tac_dense_mul_t(n, n, n, B, B, A);
    for (int i = 0; i < n; ++i) A[i * n + i] += 0.1;
}

static void hilbert(int n, tacReal* A) {
    for (int i = 0; i < n * n; ++i) A[i] = 1.0 / (i / n + i % n + 1);
}

//---------------------------------- products ----------------------------------

static int dense_products_have_known_values(void) {
    const tacReal A[6] = {1, 2, 3, 4, 5, 6}, B[6] = {7, 8, 9, 10, 11, 12};
    const tacReal AB[4] = {58, 64, 139, 154}, AtB[9] = {47, 52, 57, 64, 71, 78, 81, 90, 99};
    const tacReal ABt[4] = {50, 68, 122, 167};
    tacReal C[9], x[3] = {1, -1, 2}, y[3];
    tac_dense_mul(2, 3, 2, A, B, C);
    for (int i = 0; i < 4; ++i) ENSURE(C[i] == AB[i]);
    tac_dense_tmul(3, 2, 3, A, B, C);
    for (int i = 0; i < 9; ++i) ENSURE(C[i] == AtB[i]);
    tac_dense_mul_t(2, 3, 2, A, B, C);
    for (int i = 0; i < 4; ++i) ENSURE(C[i] == ABt[i]);
    tac_dense_mul_vec(2, 3, A, x, y);
    ENSURE(y[0] == 5 && y[1] == 11);
    tac_dense_tmul_vec(2, 3, A, x, y);
    ENSURE(y[0] == -3 && y[1] == -3 && y[2] == -3);
    return 0;
}

//---------------------------------- Cholesky and L D L' ----------------------------------

// A = (4 12 -16; 12 37 -43; -16 -43 98) has L = (2; 6 1; -8 5 3)
static int cholesky_and_ldl_have_known_factors(void) {
    tacReal A[9] = {4, 99, 99, 12, 37, 99, -16, -43, 98};
    const tacReal L[9] = {2, 99, 99, 6, 1, 99, -8, 5, 3};
    ENSURE(tac_cholesky(3, A) == TAC_OK);
    for (int i = 0; i < 9; ++i) ENSURE(A[i] == L[i]); // and the upper triangle is not touched
    ENSURE_NEAR(tac_cholesky_log_det(3, A), log(36.0), 1e-15);
    tacReal D[9] = {4, 99, 99, 12, 37, 99, -16, -43, 98};
    const tacReal LD[9] = {4, 99, 99, 3, 1, 99, -4, 5, 9};
    ENSURE(tac_ldl(3, D) == TAC_OK);
    for (int i = 0; i < 9; ++i) ENSURE(D[i] == LD[i]);
    return 0;
}

static int symmetric_solves_have_small_residuals(void) {
    testRandom random = {21};
    for (int trial = 0; trial < 200; ++trial) {
        int n = 1 + trial % MAX;
        tacReal A[MAX * MAX], L[MAX * MAX], b[MAX], x[MAX];
        random_definite(&random, n, A);
        check_random(&random, n, b);
        memcpy(L, A, sizeof A);
        ENSURE(tac_cholesky(n, L) == TAC_OK);
        tac_cholesky_solve(n, L, b, x);
        ENSURE_NEAR(relative_residual(n, n, A, x, b), 0.0, 1e-15);
        memcpy(L, A, sizeof A);
        ENSURE(tac_ldl(n, L) == TAC_OK);
        memcpy(x, b, sizeof b);
        tac_ldl_solve(n, L, x, x); // in place
        ENSURE_NEAR(relative_residual(n, n, A, x, b), 0.0, 1e-15);
    }
    return 0;
}

// Hilbert, condition 1.6e13 for n = 10: residuals stay small, and the inverse has known integers
static int cholesky_solves_hilbert_matrices(void) {
    tacReal A[100], L[100], b[10] = {1.0}, x[10];
    hilbert(10, A);
    memcpy(L, A, sizeof A);
    ENSURE(tac_cholesky(10, L) == TAC_OK);
    tac_cholesky_solve(10, L, b, x);
    ENSURE_NEAR(relative_residual(10, 10, A, x, b), 0.0, 1e-15);
    ENSURE_NEAR(x[0], 100.0, 1e-2); // n^2
    hilbert(4, L);
    ENSURE(tac_cholesky(4, L) == TAC_OK);
    tacReal e[4] = {0.0, 0.0, 0.0, 1.0};
    tac_cholesky_solve(4, L, e, e);
    const double column[4] = {-140.0, 1680.0, -4200.0, 2800.0};
    for (int i = 0; i < 4; ++i) ENSURE_NEAR(e[i], column[i], 1e-8);
    return 0;
}

// (H A'; A -D), the matrix of constrained problems, in any scale
static int ldl_solves_quasi_definite_matrices(void) {
    testRandom random = {22};
    for (int scale = -60; scale <= 60; scale += 20) {
        tacReal A[64], L[64], b[8], x[8];
        random_definite(&random, 8, A);
        check_random(&random, 8, b);
        for (int i = 0; i < 8; ++i) {
            for (int j = 0; j < 8; ++j) {
                if (i >= 4 && j >= 4) A[i * 8 + j] *= -1.0;
                A[i * 8 + j] *= pow(10.0, scale);
            }
        }
        memcpy(L, A, sizeof A);
        ENSURE(tac_ldl(8, L) == TAC_OK);
        tac_ldl_solve(8, L, b, x);
        ENSURE_NEAR(relative_residual(8, 8, A, x, b), 0.0, 1e-14);
    }
    return 0;
}

//---------------------------------- L U ----------------------------------

static int lu_solves_have_small_residuals(void) {
    testRandom random = {23};
    for (int trial = 0; trial < 300; ++trial) {
        int n = 1 + trial % MAX, pivot[MAX];
        tacReal A[MAX * MAX], T[MAX * MAX], LU[MAX * MAX], b[MAX], x[MAX];
        check_random(&random, n * n, A);
        check_random(&random, n, b);
        if (n > 1) A[0] = 0.0; // needs a pivot
        for (int i = 0; i < n * n; ++i) T[i] = A[(i % n) * n + i / n];
        memcpy(LU, A, sizeof A);
        ENSURE(tac_lu(n, LU, pivot) == TAC_OK);
        tac_lu_solve(n, LU, pivot, b, x);
        ENSURE_NEAR(relative_residual(n, n, A, x, b), 0.0, 2e-15);
        tac_lu_solve_t(n, LU, pivot, b, x);
        ENSURE_NEAR(relative_residual(n, n, T, x, b), 0.0, 2e-15);
    }
    return 0;
}

// determinants: a permutation of odd sign, and a 3 x 3 by its formula
static int lu_gives_the_determinant(void) {
    tacReal P[16] = {0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0};
    int pivot[4];
    ENSURE(tac_lu(4, P, pivot) == TAC_OK);
    ENSURE(tac_lu_det(4, P, pivot) == -1.0);
    tacReal A[9] = {2, -1, 3, 0.5, 4, -2, 1, 1, 5};
    double det = tac_re(tac_mat_det(load_mat(A)));
    ENSURE_NEAR(det, 2.0 * 22.0 + 1.0 * 4.5 + 3.0 * -3.5, 1e-14);
    ENSURE(tac_lu(3, A, pivot) == TAC_OK);
    ENSURE_NEAR(tac_lu_det(3, A, pivot), det, 1e-14);
    return 0;
}

// bad scales are not singular: rows and columns over forty decades
static int scales_are_not_singular(void) {
    int pivot[2];
    tacReal rows[4] = {1.0, 1.0, 1e-20, 2e-20}, columns[4] = {1.0, 1e-20, 1.0, 2e-20};
    ENSURE(tac_lu(2, rows, pivot) == TAC_OK && tac_lu(2, columns, pivot) == TAC_OK);
    tacReal diagonal[4] = {1e20, 0.0, 0.0, 1e-20}, tau[2];
    ENSURE(tac_cholesky(2, diagonal) == TAC_OK);
    tacReal tall[6] = {1e20, 0.0, 0.0, 1e-20, 0.0, 1e-20};
    ENSURE(tac_qr(3, 2, tall, tau) == TAC_OK);
    return 0;
}

//---------------------------------- Q R ----------------------------------

// A' r = 0, b = A x + r, |Q b| = |b|; square systems are solved
static int least_squares_residuals_are_normal_to_columns(void) {
    testRandom random = {24};
    for (int trial = 0; trial < 300; ++trial) {
        int n = 1 + trial % 6, m = n + trial % 7;
        tacReal A[MAX * MAX], QR[MAX * MAX], tau[MAX], b[MAX], x[MAX], r[MAX], z[MAX];
        check_random(&random, m * n, A);
        check_random(&random, m, b);
        memcpy(QR, A, sizeof A);
        ENSURE(tac_qr(m, n, QR, tau) == TAC_OK);
        tac_qr_solve(m, n, QR, tau, b, x, r);
        tac_dense_tmul_vec(m, n, A, r, z);
        ENSURE_NEAR(check_size(n, z), 0.0, 1e-14);
        tac_dense_add_scaled(m, r, -1.0, b);
        for (int i = 0; i < m; ++i) r[i] = -r[i];
        ENSURE_NEAR(relative_residual(m, n, A, x, r), 0.0,
                    2e-14); // of |A x|, which may be below |b|
        memcpy(z, b, sizeof b);
        tac_qr_apply_t(m, n, QR, tau, z);
        ENSURE_NEAR(tac_dense_dot(m, z, z), tac_dense_dot(m, b, b), 1e-14);
        tac_qr_apply(m, n, QR, tau, z);
        for (int i = 0; i < m; ++i) ENSURE_NEAR(z[i], b[i], 1e-14);
    }
    return 0;
}

// a line through (0, 1) (1, 3) (2, 4) (3, 4): y = 1.5 + x
static int least_squares_has_known_solution(void) {
    tacReal A[8] = {1, 0, 1, 1, 1, 2, 1, 3}, b[4] = {1, 3, 4, 4}, tau[2], x[2];
    ENSURE(tac_qr(4, 2, A, tau) == TAC_OK);
    tac_qr_solve(4, 2, A, tau, b, x, b);
    ENSURE_NEAR(x[0], 1.5, 1e-14);
    ENSURE_NEAR(x[1], 1.0, 1e-14);
    ENSURE_NEAR(tac_dense_dot(4, b, b), 1.0, 1e-14);
    return 0;
}

//---------------------------------- singular ----------------------------------

// a b' + c d' in n = 5 has rank 2
static void rank_two(testRandom* random, int symmetric, tacReal* A) {
    tacReal v[4][5];
    check_random(random, 20, v[0]);
    for (int i = 0; i < 25; ++i) A[i] = 0.0;
    tac_dense_add_outer(5, 5, A, 1.0, v[0], v[symmetric ? 0 : 1]);
    tac_dense_add_outer(5, 5, A, 1.0, v[2], v[symmetric ? 2 : 3]);
}

static int all_refuse(const tacReal* A, int n) {
    tacReal B[25], tau[5];
    int pivot[5];
    memcpy(B, A, sizeof(tacReal) * (size_t)(n * n));
    ENSURE(tac_cholesky(n, B) == TAC_ERROR_VALUE);
    memcpy(B, A, sizeof(tacReal) * (size_t)(n * n));
    ENSURE(tac_ldl(n, B) == TAC_ERROR_VALUE);
    memcpy(B, A, sizeof(tacReal) * (size_t)(n * n));
    ENSURE(tac_lu(n, B, pivot) == TAC_ERROR_VALUE);
    memcpy(B, A, sizeof(tacReal) * (size_t)(n * n));
    ENSURE(tac_qr(n, n, B, tau) == TAC_ERROR_VALUE);
    return 0;
}

static int singular_is_refused(void) {
    testRandom random = {25};
    tacReal A[25] = {0.0};
    ENSURE_LAW(all_refuse(A, 5));
    for (int i = 0; i < 25; ++i) A[i] = 1.0 / 3.0;
    ENSURE_LAW(all_refuse(A, 5));
    for (int i = 0; i < 200; ++i) {
        rank_two(&random, 1, A);
        for (int j = 0; j < 25; ++j) A[j] *= pow(10.0, i % 41 - 20);
        ENSURE_LAW(all_refuse(A, 5));
        int pivot[5];
        tacReal tau[5], B[25];
        rank_two(&random, 0, A);
        memcpy(B, A, sizeof A);
        ENSURE(tac_lu(5, A, pivot) == TAC_ERROR_VALUE);
        ENSURE(tac_qr(5, 5, B, tau) == TAC_ERROR_VALUE);
    }
    // what is not finite, in every place of the lower triangle
    for (int i = 0; i < 9; ++i) {
        if (i % 3 > i / 3) continue;
        const double bad[] = {NAN, INFINITY, -INFINITY};
        for (int k = 0; k < 3; ++k) {
            tacReal B[9] = {4.0, 0.1, 0.2, 0.1, 5.0, 0.3, 0.2, 0.3, 6.0};
            B[i] = bad[k];
            ENSURE_LAW(all_refuse(B, 3));
        }
    }
    return 0;
}

static int indefinite_is_refused(void) {
    tacReal A[4] = {1.0, 2.0, 2.0, 1.0}, B[4] = {-1.0, 0.0, 0.0, 1.0};
    ENSURE(tac_cholesky(2, A) == TAC_ERROR_VALUE);
    ENSURE(tac_cholesky(2, B) == TAC_ERROR_VALUE);
    return 0;
}

//---------------------------------- two and three ----------------------------------

static int small_inverses_undo_their_matrices(void) {
    testRandom random = {26};
    for (int trial = 0; trial < 200; ++trial) {
        tacReal x[9], y[4];
        check_random(&random, 9, x);
        tacMat3 A = load_mat(x), Y;
        ENSURE(tac_mat_inverse(A, &Y) == TAC_OK);
        double condition = check_size(9, &A.m[0][0]) * check_size(9, &Y.m[0][0]);
        tacMat3 d = tac_mat_sub(tac_mat_mul(A, Y), tac_mat_identity());
        ENSURE_NEAR(check_size(9, &d.m[0][0]), 0.0, 1e-14 * (1.0 + condition));
        ENSURE(tac_mat2_inverse(x, y) == TAC_OK);
        ENSURE_NEAR(x[0] * y[0] + x[1] * y[2], 1.0, 1e-14 * (1.0 + check_size(4, y)));
        ENSURE_NEAR(x[0] * y[1] + x[1] * y[3], 0.0, 1e-14 * (1.0 + check_size(4, y)));
    }
    tacReal one[4] = {0.1, 0.3, 0.2, 0.6}, kept[4] = {1, 2, 3, 4};
    ENSURE(tac_mat2_inverse(one, kept) == TAC_ERROR_VALUE && kept[0] == 1);
    tacMat3 S = tac_outer(tac_vec3(0.1, 0.2, 0.3), tac_vec3(1.1, -0.7, 0.9));
    tacMat3 Y = tac_mat_identity();
    ENSURE(tac_mat_inverse(S, &Y) == TAC_ERROR_VALUE && Y.m[0][0] == 1.0);
    return 0;
}

//---------------------------------- eigenvalues ----------------------------------

static int is_eigen(const double a[6], const double values[3], const double V[3][3]) {
    const double A[3][3] = {{a[0], a[3], a[4]}, {a[3], a[1], a[5]}, {a[4], a[5], a[2]}};
    double size = 0.0;
    for (int i = 0; i < 6; ++i) size = fmax(size, fabs(a[i]));
    ENSURE(values[0] >= values[1] && values[1] >= values[2]);
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            double Av = 0.0, dot = 0.0;
            for (int k = 0; k < 3; ++k) {
                Av += A[i][k] * V[k][j];
                dot += V[k][i] * V[k][j];
            }
            ENSURE_NEAR(Av, values[j] * V[i][j], 3e-15 * size);
            ENSURE_NEAR(dot, i == j, 2e-15);
        }
    }
    double det = V[0][0] * (V[1][1] * V[2][2] - V[1][2] * V[2][1]) -
                 V[0][1] * (V[1][0] * V[2][2] - V[1][2] * V[2][0]) +
                 V[0][2] * (V[1][0] * V[2][1] - V[1][1] * V[2][0]);
    ENSURE_NEAR(det, 1.0, 2e-15);
    return 0;
}

static int eigenvalues_of_3x3_are_accurate(void) {
    testRandom random = {27};
    for (int trial = 0; trial < 1000; ++trial) {
        double a[6], values[3], V[3][3], scale = pow(10.0, trial % 61 - 30);
        for (int i = 0; i < 6; ++i) a[i] = scale * test_uniform(&random, -1.0, 1.0);
        if (trial % 5 == 0) a[3] = a[4] = 0.0;
        if (trial % 5 == 1) a[0] = a[1] = a[2] = scale; // near multiples of one
        if (trial % 5 == 1) {
            a[3] *= 1e-9;
            a[4] *= 1e-12;
            a[5] *= 1e-15;
        }
        tac_eigen3(a, values, V);
        ENSURE_LAW(is_eigen(a, values, (const double(*)[3])V));
    }
    // (2 -1 0; -1 2 -1; 0 -1 2): 2 + sqrt 2, 2, 2 - sqrt 2
    const double a[6] = {2, 2, 2, -1, 0, -1};
    double values[3], V[3][3];
    tac_eigen3(a, values, V);
    for (int i = 0; i < 3; ++i) ENSURE_NEAR(values[i], 2.0 + (1 - i) * sqrt(2.0), 2e-15);
    return 0;
}

TEST_MAIN(RUN(dense_products_have_known_values), RUN(cholesky_and_ldl_have_known_factors),
          RUN(symmetric_solves_have_small_residuals), RUN(cholesky_solves_hilbert_matrices),
          RUN(ldl_solves_quasi_definite_matrices), RUN(lu_solves_have_small_residuals),
          RUN(lu_gives_the_determinant), RUN(scales_are_not_singular),
          RUN(least_squares_residuals_are_normal_to_columns), RUN(least_squares_has_known_solution),
          RUN(singular_is_refused), RUN(indefinite_is_refused),
          RUN(small_inverses_undo_their_matrices), RUN(eigenvalues_of_3x3_are_accurate))
