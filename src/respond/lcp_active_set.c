// The frictional problem for a given active set: a linear system, and its derivative.
//
//   f = P z,  K z = -b on the tight rows,  K = (A P) on the tight rows
//
// z are the impulses of the tight rows. P scatters them and adds, for a tangent that slides, +-mu
// f_n of its contact. docs/lcp.md, eq. (4).

#include "base/arena.h"
#include "tactus/lcp.h"

#include "math/dense.h"

// a pivot below this part of the largest entry belongs to a redundant row
static const double rank_tolerance = 1e-11;

typedef struct activeSystem {
    const tacLcp* lcp;
    const unsigned char* active_set;
    int rows, stride; // rows of the problem, rows of a contact
    int n, rank;      // tight rows, and those of them that are independent
    tacReal *K, *z, *w;
    int *tight, *row, *column; // tight rows; order of rows and columns after pivoting
} activeSystem;

static activeSystem alloc_system(const tacLcp* lcp, tacArena* arena) {
    int stride = 1 + lcp->tangents, rows = lcp->contacts * stride;
    return (activeSystem){.lcp = lcp,
                          .rows = rows,
                          .stride = stride,
                          .K = TAC_ALLOC(arena, tacReal, (size_t)rows * (size_t)rows),
                          .z = TAC_ALLOC(arena, tacReal, rows),
                          .w = TAC_ALLOC(arena, tacReal, rows),
                          .tight = TAC_ALLOC(arena, int, rows),
                          .row = TAC_ALLOC(arena, int, rows),
                          .column = TAC_ALLOC(arena, int, rows)};
}

size_t tac_lcp_active_set_size(int contacts, int tangents) {
    tacArena dry = tac_arena_measure(1);
    alloc_system(&(tacLcp){.contacts = contacts, .tangents = tangents}, &dry);
    return dry.peak;
}

static activeSystem active_system(const tacLcp* lcp, const unsigned char* active_set,
                                  void* memory) {
    tacArena arena = tac_arena_over(memory);
    activeSystem s = alloc_system(lcp, &arena);
    s.active_set = active_set;
    for (int i = 0; i < s.rows; ++i) {
        if (active_set[i] == TAC_LCP_TIGHT) s.tight[s.n++] = i;
    }
    return s;
}

// +1, -1 or 0: d f/d f_n of this row, in units of mu
static int slide_sign(const activeSystem* s, int row) {
    int normal = row - row % s->stride;
    if (row == normal || s->active_set[normal] != TAC_LCP_TIGHT) return 0;
    return (s->active_set[row] == TAC_LCP_UPPER) - (s->active_set[row] == TAC_LCP_LOWER);
}

//---------------------------------- the system ----------------------------------

// (A P) of a row and a tight column
static tacReal active_entry(const activeSystem* s, int row, int column) {
    const tacReal* A = s->lcp->A + (size_t)row * (size_t)s->rows;
    tacReal sum = A[column];
    if (column % s->stride) return sum;
    for (int t = column + 1; t < column + s->stride; ++t) {
        int sign = slide_sign(s, t);
        if (sign) sum += sign * s->lcp->mu[column / s->stride] * A[t];
    }
    return sum;
}

static void swap_active_rows(activeSystem* s, int i, int j) {
    int t = s->row[i];
    s->row[i] = s->row[j];
    s->row[j] = t;
    for (int c = 0; c < s->n && i != j; ++c) {
        tacReal x = s->K[i * s->n + c];
        s->K[i * s->n + c] = s->K[j * s->n + c];
        s->K[j * s->n + c] = x;
    }
}

static void swap_active_columns(activeSystem* s, int i, int j) {
    int t = s->column[i];
    s->column[i] = s->column[j];
    s->column[j] = t;
    for (int r = 0; r < s->n && i != j; ++r) {
        tacReal x = s->K[r * s->n + i];
        s->K[r * s->n + i] = s->K[r * s->n + j];
        s->K[r * s->n + j] = x;
    }
}

// moves the largest remaining entry to pivot k; returns its size
static double bring_pivot(activeSystem* s, int k) {
    int r = k, c = k;
    double best = -1.0;
    for (int i = k; i < s->n; ++i) {
        for (int j = k; j < s->n; ++j) {
            double size = fabs(tac_re(s->K[i * s->n + j]));
            if (size > best) {
                best = size;
                r = i;
                c = j;
            }
        }
    }
    swap_active_rows(s, k, r);
    swap_active_columns(s, k, c);
    return best;
}

static void eliminate_column(activeSystem* s, int k) {
    const tacReal* pivot = s->K + k * s->n;
    for (int i = k + 1; i < s->n; ++i) {
        tacReal* row = s->K + i * s->n;
        row[k] /= pivot[k];
        for (int j = k + 1; j < s->n; ++j) row[j] -= row[k] * pivot[j];
    }
}

// K = L U with both rows and columns in order of size; what has no pivot left is dependent
static void factor_active(activeSystem* s) {
    double first = 0.0;
    for (int i = 0; i < s->n; ++i) {
        s->row[i] = s->column[i] = i;
        for (int j = 0; j < s->n; ++j)
            s->K[i * s->n + j] = active_entry(s, s->tight[i], s->tight[j]);
    }
    for (s->rank = 0; s->rank < s->n; ++s->rank) {
        double pivot = bring_pivot(s, s->rank);
        if (s->rank == 0) first = pivot;
        if (!(pivot > rank_tolerance * first)) break;
        eliminate_column(s, s->rank);
    }
}

// z = K^-1 r, r over the rows of the problem; dependent unknowns are 0
static void solve_active(activeSystem* s, const tacReal* r) {
    int n = s->rank;
    tacReal* y = s->w;
    for (int i = 0; i < n; ++i) {
        y[i] = r[s->tight[s->row[i]]] - tac_dense_dot(i, s->K + i * s->n, y);
    }
    for (int i = n - 1; i >= 0; --i) {
        const tacReal* row = s->K + i * s->n;
        y[i] = (y[i] - tac_dense_dot(n - 1 - i, row + i + 1, y + i + 1)) / row[i];
    }
    for (int i = 0; i < s->n; ++i) s->z[i] = 0.0;
    for (int i = 0; i < n; ++i) s->z[s->column[i]] = y[i];
}

// z = K'^-1 g, g over the unknowns, in place of z; z is then over the tight rows
static void solve_active_transposed(activeSystem* s) {
    int n = s->rank;
    tacReal* y = s->w;
    for (int i = 0; i < n; ++i) y[i] = s->z[s->column[i]];
    for (int i = 0; i < n; ++i) {
        const tacReal* row = s->K + i * s->n;
        y[i] /= row[i];
        tac_dense_add_scaled(n - 1 - i, y + i + 1, -y[i], row + i + 1);
    }
    for (int i = n - 1; i >= 0; --i) tac_dense_add_scaled(i, y, -y[i], s->K + i * s->n);
    for (int i = 0; i < s->n; ++i) s->z[i] = 0.0;
    for (int i = 0; i < n; ++i) s->z[s->row[i]] = y[i];
}

// f = P z
static void scatter_impulses(const activeSystem* s, tacReal* f) {
    for (int i = 0; i < s->rows; ++i) f[i] = 0.0;
    for (int i = 0; i < s->n; ++i) f[s->tight[i]] = s->z[i];
    for (int i = 0; i < s->rows; ++i) {
        int sign = slide_sign(s, i), normal = i - i % s->stride;
        if (sign) f[i] = sign * s->lcp->mu[i / s->stride] * f[normal];
    }
}

int tac_lcp_active_set(const tacLcp* lcp, const unsigned char* active_set, tacReal* f,
                       void* memory) {
    activeSystem s = active_system(lcp, active_set, memory);
    factor_active(&s);
    for (int i = 0; i < s.rows; ++i) f[i] = -lcp->b[i];
    solve_active(&s, f);
    scatter_impulses(&s, f);
    return s.n - s.rank;
}

//---------------------------------- derivative ----------------------------------

// P_dot z: what mu_dot alone does to f
static tacReal slide_dot(const activeSystem* s, const tacReal* f, const tacReal* mu_dot, int row) {
    int sign = mu_dot ? slide_sign(s, row) : 0;
    return sign ? sign * mu_dot[row / s->stride] * f[row - row % s->stride] : (tacReal)0.0;
}

// K z_dot = -(b_dot + A_dot f + A P_dot z);  f_dot = P z_dot + P_dot z
void tac_lcp_active_set_jvp(const tacLcp* lcp, const unsigned char* active_set, const tacReal* f,
                            const tacReal* A_dot, const tacReal* b_dot, const tacReal* mu_dot,
                            tacReal* f_dot, void* memory) {
    activeSystem s = active_system(lcp, active_set, memory);
    factor_active(&s);
    for (int i = 0; i < s.rows; ++i) {
        size_t row = (size_t)i * (size_t)s.rows;
        f_dot[i] = b_dot ? -b_dot[i] : (tacReal)0.0;
        if (A_dot) f_dot[i] -= tac_dense_dot(s.rows, A_dot + row, f);
        for (int j = 0; j < s.rows; ++j) {
            f_dot[i] -= lcp->A[row + (size_t)j] * slide_dot(&s, f, mu_dot, j);
        }
    }
    solve_active(&s, f_dot);
    scatter_impulses(&s, f_dot);
    for (int i = 0; i < s.rows; ++i) f_dot[i] += slide_dot(&s, f, mu_dot, i);
}

// y = K'^-1 P' f_bar:  b_bar -= y,  A_bar -= y f',  P_bar = (f_bar - A' y) z'
void tac_lcp_active_set_vjp(const tacLcp* lcp, const unsigned char* active_set, const tacReal* f,
                            const tacReal* f_bar, tacReal* A_bar, tacReal* b_bar, tacReal* mu_bar,
                            void* memory) {
    activeSystem s = active_system(lcp, active_set, memory);
    factor_active(&s);
    for (int i = 0; i < s.n; ++i) {
        int row = s.tight[i];
        s.z[i] = f_bar[row];
        for (int t = row + 1; row % s.stride == 0 && t < row + s.stride; ++t) {
            int sign = slide_sign(&s, t);
            if (sign) s.z[i] += sign * lcp->mu[row / s.stride] * f_bar[t];
        }
    }
    solve_active_transposed(&s);
    for (int i = 0; i < s.n; ++i) {
        size_t row = (size_t)s.tight[i];
        if (b_bar) b_bar[row] -= s.z[i];
        if (A_bar) tac_dense_add_scaled(s.rows, A_bar + row * (size_t)s.rows, -s.z[i], f);
    }
    for (int t = 0; mu_bar && t < s.rows; ++t) {
        int sign = slide_sign(&s, t);
        if (!sign) continue;
        tacReal bar = f_bar[t];
        for (int i = 0; i < s.n; ++i) {
            bar -= s.z[i] * lcp->A[(size_t)s.tight[i] * (size_t)s.rows + (size_t)t];
        }
        mu_bar[t / s.stride] += sign * bar * f[t - t % s.stride];
    }
}
