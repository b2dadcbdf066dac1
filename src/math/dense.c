// Factorizations of small dense matrices and their solves. Derivatives: dense_diff.c.

#include "math/dense.h"

#include "base/assert.h"
#include "math/pivot.h"

//---------------------------------- products ----------------------------------

void tac_dense_mul_vec(int m, int n, const tacReal* A, const tacReal* x, tacReal* y) {
    for (int i = 0; i < m; ++i) y[i] = tac_dense_dot(n, A + i * n, x);
}

void tac_dense_tmul_vec(int m, int n, const tacReal* A, const tacReal* x, tacReal* y) {
    for (int j = 0; j < n; ++j) y[j] = 0.0;
    for (int i = 0; i < m; ++i) tac_dense_add_scaled(n, y, x[i], A + i * n);
}

void tac_dense_add_outer(int m, int n, tacReal* A, tacReal s, const tacReal* y, const tacReal* x) {
    for (int i = 0; i < m; ++i) tac_dense_add_scaled(n, A + i * n, s * y[i], x);
}

void tac_dense_mul(int m, int k, int n, const tacReal* A, const tacReal* B, tacReal* C) {
    for (int i = 0; i < m; ++i) tac_dense_tmul_vec(k, n, B, A + i * k, C + i * n);
}

void tac_dense_tmul(int m, int k, int n, const tacReal* A, const tacReal* B, tacReal* C) {
    for (int i = 0; i < m * n; ++i) C[i] = 0.0;
    for (int l = 0; l < k; ++l) tac_dense_add_outer(m, n, C, 1.0, A + l * m, B + l * n);
}

void tac_dense_mul_t(int m, int k, int n, const tacReal* A, const tacReal* B, tacReal* C) {
    for (int i = 0; i < m; ++i) tac_dense_mul_vec(n, k, B, A + i * k, C + i * n);
}

//---------------------------------- Cholesky ----------------------------------

tacResult tac_cholesky(int n, tacReal* A) {
    for (int i = 0; i < n; ++i) {
        tacReal* row = A + i * n;
        for (int j = 0; j < i; ++j) {
            row[j] = (row[j] - tac_dense_dot(j, row, A + j * n)) / A[j * n + j];
        }
        tacReal pivot = row[i] - tac_dense_dot(i, row, row);
        // all terms are squares and sum up to the diagonal
        if (tac_pivot_lost(pivot, tac_pivot_size(row[i]), n) || tac_re(pivot) < 0.0)
            return TAC_ERROR_VALUE;
        row[i] = r_sqrt(pivot);
    }
    return TAC_OK;
}

void tac_cholesky_solve(int n, const tacReal* L, const tacReal* b, tacReal* x) {
    for (int i = 0; i < n; ++i) x[i] = (b[i] - tac_dense_dot(i, L + i * n, x)) / L[i * n + i];
    for (int i = n - 1; i >= 0; --i) {
        x[i] /= L[i * n + i];
        tac_dense_add_scaled(i, x, -x[i], L + i * n);
    }
}

tacReal tac_cholesky_log_det(int n, const tacReal* L) {
    tacReal sum = 0.0;
    for (int i = 0; i < n; ++i) sum += 2.0 * r_log(L[i * n + i]);
    return sum;
}

//---------------------------------- L D L' ----------------------------------

tacResult tac_ldl(int n, tacReal* A) {
    for (int i = 0; i < n; ++i) {
        tacReal *row = A + i * n, pivot = row[i];
        double terms = tac_pivot_size(pivot);
        for (int j = 0; j < i; ++j) row[j] -= tac_dense_dot(j, row, A + j * n);
        // the row holds L_ij D_j so far
        for (int j = 0; j < i; ++j) {
            tacReal l = row[j] / A[j * n + j], square = l * row[j];
            row[j] = l;
            pivot -= square;
            terms += tac_pivot_size(square);
        }
        if (tac_pivot_lost(pivot, terms, n)) return TAC_ERROR_VALUE;
        row[i] = pivot;
    }
    return TAC_OK;
}

void tac_ldl_solve(int n, const tacReal* L, const tacReal* b, tacReal* x) {
    for (int i = 0; i < n; ++i) x[i] = b[i] - tac_dense_dot(i, L + i * n, x);
    for (int i = 0; i < n; ++i) x[i] /= L[i * n + i];
    for (int i = n - 1; i >= 0; --i) tac_dense_add_scaled(i, x, -x[i], L + i * n);
}

//---------------------------------- L U ----------------------------------

static void swap_rows(int n, tacReal* a, tacReal* b) {
    for (int i = 0; i < n; ++i) {
        tacReal t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

// column j of L and U from the columns before it (Crout); returns the row of the largest pivot
static int lu_column(int n, tacReal* A, int j) {
    int best = j;
    for (int i = 1; i < n; ++i) {
        for (int k = 0, end = i < j ? i : j; k < end; ++k) {
            A[i * n + j] -= A[i * n + k] * A[k * n + j];
        }
        if (i > j && tac_pivot_size(A[i * n + j]) > tac_pivot_size(A[best * n + j])) best = i;
    }
    return best;
}

tacResult tac_lu(int n, tacReal* A, int* pivot) {
    for (int j = 0; j < n; ++j) {
        pivot[j] = lu_column(n, A, j);
        if (pivot[j] != j) swap_rows(n, A + j * n, A + pivot[j] * n);
        tacReal diagonal = A[j * n + j];
        double terms = tac_pivot_size(diagonal);
        for (int k = 0; k < j; ++k) terms += tac_pivot_size(A[j * n + k] * A[k * n + j]);
        if (tac_pivot_lost(diagonal, terms, n)) return TAC_ERROR_VALUE;
        for (int i = j + 1; i < n; ++i) A[i * n + j] /= diagonal;
    }
    return TAC_OK;
}

static void swap_reals(tacReal* x, int i, int j) {
    tacReal t = x[i];
    x[i] = x[j];
    x[j] = t;
}

void tac_lu_solve(int n, const tacReal* LU, const int* pivot, const tacReal* b, tacReal* x) {
    for (int i = 0; i < n; ++i) x[i] = b[i];
    for (int i = 0; i < n; ++i) swap_reals(x, i, pivot[i]);
    for (int i = 0; i < n; ++i) x[i] -= tac_dense_dot(i, LU + i * n, x);
    for (int i = n - 1; i >= 0; --i) {
        const tacReal* row = LU + i * n;
        x[i] = (x[i] - tac_dense_dot(n - 1 - i, row + i + 1, x + i + 1)) / row[i];
    }
}

// A' = U' L' P
void tac_lu_solve_t(int n, const tacReal* LU, const int* pivot, const tacReal* b, tacReal* x) {
    for (int i = 0; i < n; ++i) x[i] = b[i];
    for (int i = 0; i < n; ++i) {
        const tacReal* row = LU + i * n;
        x[i] /= row[i];
        tac_dense_add_scaled(n - 1 - i, x + i + 1, -x[i], row + i + 1);
    }
    for (int i = n - 1; i >= 0; --i) tac_dense_add_scaled(i, x, -x[i], LU + i * n);
    for (int i = n - 1; i >= 0; --i) swap_reals(x, i, pivot[i]);
}

tacReal tac_lu_det(int n, const tacReal* LU, const int* pivot) {
    tacReal det = 1.0;
    for (int i = 0; i < n; ++i) det *= pivot[i] == i ? LU[i * n + i] : -LU[i * n + i];
    return det;
}

//---------------------------------- Q R ----------------------------------

// H = 1 - tau v v', v = (1, QR below the diagonal), applied to rows j.. of a strided column
static void householder_reflect(int m, int n, const tacReal* QR, tacReal tau, int j, tacReal* b,
                                int stride) {
    tacReal sum = b[j * stride];
    for (int i = j + 1; i < m; ++i) sum += QR[i * n + j] * b[i * stride];
    sum *= tau;
    b[j * stride] -= sum;
    for (int i = j + 1; i < m; ++i) b[i * stride] -= sum * QR[i * n + j];
}

tacResult tac_qr(int m, int n, tacReal* A, tacReal* tau) {
    TAC_ASSERT(m >= n);
    for (int j = 0; j < n; ++j) {
        // the part below the diagonal against the whole column, whose length reflections keep
        tacReal below = 0.0, whole = 0.0, alpha = A[j * n + j];
        for (int i = 0; i < j; ++i) whole += A[i * n + j] * A[i * n + j];
        for (int i = j; i < m; ++i) below += A[i * n + j] * A[i * n + j];
        double all = sqrt(tac_re(whole + below));
        if (tac_pivot_lost(r_sqrt(below), all, m)) return TAC_ERROR_VALUE;

        // send the column to beta e_j, with the sign that does not cancel
        tacReal length = r_sqrt(below), beta = tac_re(alpha) > 0.0 ? -length : length;
        tau[j] = (beta - alpha) / beta;
        for (int i = j + 1; i < m; ++i) A[i * n + j] /= alpha - beta;
        A[j * n + j] = beta;
        for (int k = j + 1; k < n; ++k) householder_reflect(m, n, A, tau[j], j, A + k, n);
    }
    return TAC_OK;
}

void tac_qr_apply(int m, int n, const tacReal* QR, const tacReal* tau, tacReal* b) {
    for (int j = n - 1; j >= 0; --j) householder_reflect(m, n, QR, tau[j], j, b, 1);
}

void tac_qr_apply_t(int m, int n, const tacReal* QR, const tacReal* tau, tacReal* b) {
    for (int j = 0; j < n; ++j) householder_reflect(m, n, QR, tau[j], j, b, 1);
}

void tac_qr_solve(int m, int n, const tacReal* QR, const tacReal* tau, const tacReal* b, tacReal* x,
                  tacReal* r) {
    for (int i = 0; i < m; ++i) r[i] = b[i];
    tac_qr_apply_t(m, n, QR, tau, r);
    for (int i = n - 1; i >= 0; --i) {
        const tacReal* row = QR + i * n;
        x[i] = (r[i] - tac_dense_dot(n - 1 - i, row + i + 1, x + i + 1)) / row[i];
    }
    for (int i = 0; i < n; ++i) r[i] = 0.0;
    tac_qr_apply(m, n, QR, tau, r);
}

//---------------------------------- two and three ----------------------------------

tacResult tac_mat2_inverse(const tacReal a[4], tacReal out[4]) {
    tacReal p = a[0], q = a[1], r = a[2], s = a[3], det = tac_mat2_det(a);
    if (tac_pivot_lost(det, tac_pivot_size(p * s) + tac_pivot_size(q * r), 2))
        return TAC_ERROR_VALUE;
    tacReal i = 1.0 / det;
    out[0] = s * i;
    out[1] = -q * i;
    out[2] = -r * i;
    out[3] = p * i;
    return TAC_OK;
}

// magnitude of the six terms of the determinant
static double det_terms(tacMat3 a) {
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        sum += tac_pivot_size(a.m[0][i]) *
               (tac_pivot_size(a.m[1][j] * a.m[2][k]) + tac_pivot_size(a.m[1][k] * a.m[2][j]));
    }
    return sum;
}

tacResult tac_mat_inverse(tacMat3 a, tacMat3* out) {
    tacReal det = tac_mat_det(a);
    if (tac_pivot_lost(det, det_terms(a), 3)) return TAC_ERROR_VALUE;
    *out = tac_mat_scale(tac_mat_adjugate(a), 1.0 / det);
    return TAC_OK;
}

//---------------------------------- eigenvalues ----------------------------------

// one Jacobi rotation in the plane (p, q): A <- J' A J, V <- V J, so that A_pq = 0
static void jacobi_rotate(double A[3][3], double V[3][3], int p, int q) {
    if (A[p][q] == 0.0) return;
    double theta = 0.5 * (A[q][q] - A[p][p]) / A[p][q];
    double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + hypot(theta, 1.0));
    double c = 1.0 / sqrt(1.0 + t * t), s = t * c, pq = A[p][q];
    int r = 3 - p - q;
    double rp = A[r][p], rq = A[r][q];
    A[p][p] -= t * pq;
    A[q][q] += t * pq;
    A[p][q] = A[q][p] = 0.0;
    A[r][p] = A[p][r] = c * rp - s * rq;
    A[r][q] = A[q][r] = s * rp + c * rq;
    for (int i = 0; i < 3; ++i) {
        double vp = V[i][p], vq = V[i][q];
        V[i][p] = c * vp - s * vq;
        V[i][q] = s * vp + c * vq;
    }
}

// exchanges two columns and negates one: the determinant stays +1
static void sort_eigenpair(double values[3], double V[3][3], int p, int q) {
    if (values[p] >= values[q]) return;
    double t = values[p];
    values[p] = values[q];
    values[q] = t;
    for (int i = 0; i < 3; ++i) {
        t = V[i][p];
        V[i][p] = V[i][q];
        V[i][q] = -t;
    }
}

void tac_eigen3(const double a[6], double values[3], double vectors[3][3]) {
    double A[3][3] = {{a[0], a[3], a[4]}, {a[3], a[1], a[5]}, {a[4], a[5], a[2]}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) vectors[i][j] = i == j;
    }
    // quadratic convergence: six sweeps are enough, the bound only stops on input that is not
    // finite
    for (int sweep = 0; sweep < 20; ++sweep) {
        double off = fabs(A[0][1]) + fabs(A[0][2]) + fabs(A[1][2]);
        if (!(off > 0.0)) break;
        jacobi_rotate(A, vectors, 0, 1);
        jacobi_rotate(A, vectors, 0, 2);
        jacobi_rotate(A, vectors, 1, 2);
    }
    for (int i = 0; i < 3; ++i) values[i] = A[i][i];
    sort_eigenpair(values, vectors, 0, 1);
    sort_eigenpair(values, vectors, 0, 2);
    sort_eigenpair(values, vectors, 1, 2);
}
