// Proximal points of the frictional problem.
//
// With A = L L' a point is found in u = L' (f - g), g the point before: there are as many u as
// degrees of freedom, however many contacts there are.
//
//   u = L' (f - g),   f = P(g - a/rho),   a = A g + b + L u
//
// P projects onto the pyramid |f_t| <= mu f_n. With a_n lifted by mu |a_t| of the point before this
// is the least of a convex function of u, which Newton's method with a line search finds from
// anywhere. From there the law itself, where f_t is clipped by mu f_n, is a few of Newton's steps
// away. Increments keep their digits, however small rho is.

#include "respond/lcp/proximal.h"

#include "base/arena.h"

#include <math.h>
#include <string.h>

// of the largest pivot: rows below are dependent; of the scale: a gradient below is zero
static const double min_pivot = 1e-13, slope_tolerance = 1e-13;

// rho falls while points settle, and rises where they do not
static const double first_rho = 1e-3, warm_rho = 1e-5, max_rho = 1e-2, min_rho = 1e-10;
static const double rho_decrease = 0.1, rho_increase = 5.0;

enum { CONVEX_PASSES = 60, COUPLED_PASSES = 8, SEARCH_PASSES = 40, BLOCK = 4 };

//---------------------------------- rows ----------------------------------

static double dot4(int n, const double* restrict a, const double* restrict b) {
    double sum[4] = {0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; ++k) sum[k] += a[i + k] * b[i + k];
    for (; i < n; ++i) sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// y += s x
static void add_scaled_row(int n, double* restrict y, double s, const double* restrict x) {
    for (int i = 0; i < n; ++i) y[i] += s * x[i];
}

static void clear_reals(double* x, int n) { memset(x, 0, sizeof *x * (size_t)n); }

static double* factor_row(const tacProximal* p, int i) {
    return p->L + (size_t)i * (size_t)p->rank;
}

static int normal_row(const tacProximal* p, int i) { return i - i % p->stride; }

static double contact_mu(const tacProximal* p, int contact) {
    return p->lcp->tangents ? p->lcp->mu[contact] : 0.0;
}

//---------------------------------- one contact ----------------------------------

// The nearest point of the pyramid, and its classes: the tangents that are farthest out lie on
// faces, and f_n is the mean of what they and the normal want.
static void project_to_pyramid(int tangents, double mu, double* f, unsigned char* active_set) {
    double size = 1.0, sum = f[0], normal = f[0];
    for (int t = 0; t <= tangents; ++t) active_set[t] = TAC_LCP_TIGHT;
    for (int k = 0; k < tangents; ++k) {
        int most = 0;
        for (int t = 1; t <= tangents; ++t)
            if (active_set[t] == TAC_LCP_TIGHT && (!most || fabs(f[t]) > fabs(f[most]))) most = t;
        if (mu > 0.0 && fabs(f[most]) <= mu * normal) break;
        active_set[most] = f[most] >= 0.0 ? TAC_LCP_UPPER : TAC_LCP_LOWER;
        sum += mu * fabs(f[most]);
        size += mu * mu;
        normal = sum / size;
    }
    f[0] = fmax(normal, 0.0);
    for (int t = 0; t <= tangents && normal <= 0.0; ++t) {
        f[t] = 0.0;
        active_set[t] = TAC_LCP_OFF;
    }
    for (int t = 1; t <= tangents; ++t) {
        if (active_set[t] == TAC_LCP_UPPER) f[t] = mu * f[0];
        if (active_set[t] == TAC_LCP_LOWER) f[t] = -mu * f[0];
    }
}

//---------------------------------- A = L L' ----------------------------------

// One unit per contact, so that friction couples as before: the largest diagonal becomes 1.
static void find_contact_units(tacProximal* p) {
    p->speed = 0.0;
    for (int c = 0; c < p->lcp->contacts; ++c) {
        double most = 0.0;
        for (int i = c * p->stride; i < (c + 1) * p->stride; ++i)
            most = fmax(most, p->lcp->A[(size_t)i * (size_t)(p->rows + 1)]);
        p->unit[c] = most > 0.0 ? 1.0 / sqrt(most) : 1.0;
        for (int i = c * p->stride; i < (c + 1) * p->stride; ++i)
            p->speed = fmax(p->speed, fabs(p->lcp->b[i]) * p->unit[c]);
    }
    if (p->speed == 0.0) p->speed = 1.0;
    for (int i = 0; i < p->rows; ++i) p->b[i] = p->lcp->b[i] * p->unit[i / p->stride] / p->speed;
}

// the row with the largest pivot that is left
static int best_factor_pivot(const tacProximal* p, const double* left) {
    int best = -1;
    for (int i = 0; i < p->rows; ++i)
        if (!p->done[i] && (best < 0 || left[i] > left[best])) best = i;
    return best;
}

// column k of L, of the row `best`; L has rows of full length until the rank is known
static void fill_column(tacProximal* p, int k, int best, double* left) {
    size_t rows = (size_t)p->rows;
    const double *A = p->lcp->A + (size_t)best * rows, *own = p->L + (size_t)best * rows;
    double root = sqrt(left[best]), s = p->unit[best / p->stride];
    for (int i = 0; i < p->rows; ++i) {
        double* row = p->L + (size_t)i * rows;
        double x = s * p->unit[i / p->stride] * A[i];
        if (i != best) row[k] = p->done[i] ? 0.0 : (x - dot4(k, row, own)) / root;
        if (i != best) left[i] -= row[k] * row[k];
    }
    p->L[(size_t)best * rows + (size_t)k] = root;
    p->done[best] = 1;
}

// Cholesky's factors, the largest pivots first, until nothing is left
static void factor_delassus(tacProximal* p) {
    size_t rows = (size_t)p->rows;
    double *left = p->a, first = 0.0;
    for (int i = 0; i < p->rows; ++i) {
        double s = p->unit[i / p->stride];
        p->done[i] = 0;
        left[i] = s * s * p->lcp->A[(size_t)i * (rows + 1)];
        first = fmax(first, left[i]);
    }
    for (p->rank = 0; p->rank < p->rows; ++p->rank) {
        int best = best_factor_pivot(p, left);
        if (!(left[best] > min_pivot * first)) break;
        fill_column(p, p->rank, best, left);
    }
    for (size_t i = 1; i < rows; ++i)
        memmove(factor_row(p, (int)i), p->L + i * rows, sizeof(double) * (size_t)p->rank);
}

static tacProximal alloc_proximal(const tacLcp* lcp, tacArena* arena) {
    int stride = 1 + lcp->tangents, rows = lcp->contacts * stride;
    size_t square = (size_t)rows * (size_t)rows;
    return (tacProximal){.lcp = lcp,
                         .rows = rows,
                         .stride = stride,
                         .L = TAC_ALLOC(arena, double, square),
                         .H = TAC_ALLOC(arena, double, square),
                         .b = TAC_ALLOC(arena, double, rows),
                         .f = TAC_ALLOC(arena, double, rows),
                         .g = TAC_ALLOC(arena, double, rows),
                         .a = TAC_ALLOC(arena, double, rows),
                         .start = TAC_ALLOC(arena, double, rows),
                         .along = TAC_ALLOC(arena, double, rows),
                         .u = TAC_ALLOC(arena, double, rows),
                         .step = TAC_ALLOC(arena, double, rows),
                         .slope = TAC_ALLOC(arena, double, rows),
                         .convex_u = TAC_ALLOC(arena, double, rows),
                         .block = TAC_ALLOC(arena, double, BLOCK* rows),
                         .unit = TAC_ALLOC(arena, double, lcp->contacts),
                         .normal_lift = TAC_ALLOC(arena, double, lcp->contacts),
                         .pivot = TAC_ALLOC(arena, int, rows),
                         .active_set = TAC_ALLOC(arena, unsigned char, rows),
                         .done = TAC_ALLOC(arena, unsigned char, rows)};
}

size_t tac_proximal_size(int contacts, int tangents) {
    tacArena dry = tac_arena_measure(1);
    alloc_proximal(&(tacLcp){.contacts = contacts, .tangents = tangents}, &dry);
    return dry.peak;
}

// a start in the scaled problem, within the pyramid; of numbers that are none, 0
static void begin_warm(tacProximal* p, const double* f) {
    for (int c = 0; c < p->lcp->contacts; ++c) {
        double *own = p->f + c * p->stride, sum = 0.0;
        for (int k = 0; k < p->stride; ++k) {
            own[k] = f[c * p->stride + k] / (p->unit[c] * p->speed);
            sum += 0.0 * own[k];
        }
        for (int k = 0; k < p->stride && !(sum == 0.0); ++k) own[k] = 0.0;
        project_to_pyramid(p->lcp->tangents, contact_mu(p, c), own, p->active_set + c * p->stride);
    }
    p->rho = warm_rho;
    p->points = 1;
}

tacProximal tac_proximal(const tacLcp* lcp, const double* start, void* memory) {
    tacArena arena = tac_arena_over(memory);
    tacProximal p = alloc_proximal(lcp, &arena);
    p.rho = first_rho;
    find_contact_units(&p);
    factor_delassus(&p);
    clear_reals(p.f, p.rows);
    clear_reals(p.normal_lift, lcp->contacts);
    if (start) begin_warm(&p, start);
    return p;
}

//---------------------------------- faces ----------------------------------

// impulses of a contact at u + t step
static void contact_impulses(const tacProximal* p, int c, double t, double* f,
                             unsigned char* active_set) {
    for (int k = 0; k < p->stride; ++k) {
        int i = c * p->stride + k;
        double a = p->a[i] + t * p->along[i] + (k ? 0.0 : p->normal_lift[c]);
        f[k] = p->g[i] - a / p->rho;
    }
    project_to_pyramid(p->lcp->tangents, contact_mu(p, c), f, active_set);
}

// +1, -1 or 0: how f of this row hangs on f_n of its contact, in mu
static int slide_sign(unsigned char status) {
    return (status == TAC_LCP_UPPER) - (status == TAC_LCP_LOWER);
}

// Row i of P' L: a normal takes its sliding tangents along. Returns the square of the row of P'.
static double face_row(const tacProximal* p, int i, double* x) {
    double size = 1.0, mu = contact_mu(p, i / p->stride);
    memcpy(x, factor_row(p, i), sizeof *x * (size_t)p->rank);
    for (int t = i + 1; i == normal_row(p, i) && t < i + p->stride; ++t) {
        int sign = slide_sign(p->active_set[t]);
        if (sign) {
            add_scaled_row(p->rank, x, sign * mu, factor_row(p, t));
            size += mu * mu;
        }
    }
    return size;
}

//---------------------------------- the convex problem ----------------------------------

static void find_row_velocities(tacProximal* p) {
    for (int i = 0; i < p->rows; ++i) p->a[i] = p->start[i] + dot4(p->rank, factor_row(p, i), p->u);
}

// impulses and active set at u; returns whether a status changed
static int find_impulses(tacProximal* p) {
    int changed = 0;
    find_row_velocities(p);
    clear_reals(p->along, p->rows);
    for (int c = 0; c < p->lcp->contacts; ++c) {
        unsigned char now[3], *before = p->active_set + c * p->stride;
        contact_impulses(p, c, 0.0, p->f + c * p->stride, now);
        for (int k = 0; k < p->stride; ++k) {
            changed |= before[k] != now[k];
            before[k] = now[k];
        }
    }
    return changed;
}

// slope = u - L' (f - g)
static double find_gradient(tacProximal* p) {
    double most = 0.0;
    memcpy(p->slope, p->u, sizeof(double) * (size_t)p->rank);
    for (int i = 0; i < p->rows; ++i)
        if (p->f[i] != p->g[i])
            add_scaled_row(p->rank, p->slope, p->g[i] - p->f[i], factor_row(p, i));
    for (int k = 0; k < p->rank; ++k) most = fmax(most, fabs(p->slope[k]));
    return most;
}

// row += sum of weight right over four rows, which costs less than one after the other
static void add_four_rows(int n, double* restrict row, const double* weight,
                          const double* const* right) {
    const double* restrict a = right[0], * restrict b = right[1];
    const double* restrict c = right[2], * restrict d = right[3];
    double p = weight[0], q = weight[1], r = weight[2], s = weight[3];
    for (int j = 0; j < n; ++j) row[j] += (p * a[j] + q * b[j]) + (r * c[j] + s * d[j]);
}

// H += outer products of four rows of P' L, each over its weight
static void add_hessian_block(tacProximal* p, int convex, const double* weight,
                              const double* const* right) {
    int n = p->rank;
    for (int k = 0; k < n; ++k) {
        double by[BLOCK], any = 0.0;
        for (int i = 0; i < BLOCK; ++i) {
            by[i] = p->block[i * n + k] * weight[i];
            any += fabs(by[i]);
        }
        if (any > 0.0) add_four_rows(convex ? k + 1 : n, p->H + k * n, by, right);
    }
}

// H = 1 + sum of outer products of the tight rows of P' L; `convex`: both sides are such rows,
// below the diagonal alone, else the right ones are of L
static void fill_hessian(tacProximal* p, int convex) {
    int n = p->rank, used = 0;
    double weight[BLOCK];
    const double* right[BLOCK];
    clear_reals(p->H, n * n);
    for (int k = 0; k < n; ++k) p->H[k * n + k] = 1.0;
    for (int i = 0; i <= p->rows; ++i) {
        int last = i == p->rows;
        if (!last && p->active_set[i] != TAC_LCP_TIGHT) continue;
        double *x = p->block + used * n, size = last ? 0.0 : face_row(p, i, x);
        if (!last) {
            weight[used] = 1.0 / (p->rho * (convex ? size : 1.0));
            right[used++] = convex ? x : factor_row(p, i);
        }
        // zeros fill the last block
        for (; last && used > 0 && used < BLOCK; ++used) {
            clear_reals(p->block + used * n, n);
            weight[used] = 0.0;
            right[used] = p->block + used * n;
        }
        if (used == BLOCK) {
            add_hessian_block(p, convex, weight, right);
            used = 0;
        }
    }
    p->passes++;
}

// H = C C', 1/C_kk on the diagonal
static void factor_convex(tacProximal* p) {
    int n = p->rank;
    fill_hessian(p, 1);
    for (int k = 0; k < n; ++k) {
        double* row = p->H + k * n;
        for (int j = 0; j < k; ++j)
            row[j] = (row[j] - dot4(j, row, p->H + j * n)) * p->H[j * n + j];
        row[k] = 1.0 / sqrt(row[k] - dot4(k, row, row));
    }
}

// step = -H^-1 slope, and velocities along it
static void find_step(tacProximal* p) {
    int n = p->rank;
    double* x = p->step;
    for (int k = 0; k < n; ++k) x[k] = (-p->slope[k] - dot4(k, p->H + k * n, x)) * p->H[k * n + k];
    for (int k = n - 1; k >= 0; --k) {
        x[k] *= p->H[k * n + k];
        add_scaled_row(k, x, -x[k], p->H + k * n);
    }
    for (int i = 0; i < p->rows; ++i) p->along[i] = dot4(n, factor_row(p, i), x);
}

// derivative of the convex function along the step, at t; and its own
static double slope_along(const tacProximal* p, double t, double* curve) {
    double sum = 0.0;
    *curve = dot4(p->rank, p->step, p->step);
    for (int k = 0; k < p->rank; ++k) sum += (p->u[k] + t * p->step[k]) * p->step[k];
    for (int c = 0; c < p->lcp->contacts; ++c) {
        const double *along = p->along + c * p->stride, mu = contact_mu(p, c);
        double f[3], face = along[0], size = 1.0;
        unsigned char active_set[3];
        contact_impulses(p, c, t, f, active_set);
        for (int k = 0; k < p->stride; ++k) {
            int sign = k ? slide_sign(active_set[k]) : 0;
            sum -= (f[k] - p->g[c * p->stride + k]) * along[k];
            if (k && active_set[k] == TAC_LCP_TIGHT) *curve += along[k] * along[k] / p->rho;
            if (sign) {
                face += sign * mu * along[k];
                size += mu * mu;
            }
        }
        if (active_set[0] == TAC_LCP_TIGHT) *curve += face * face / (size * p->rho);
    }
    return sum;
}

// the least along the step: a root of what grows, by Newton within a bracket
static double line_search(const tacProximal* p) {
    double low = 0.0, high = INFINITY, t = 1.0, curve;
    double start = fabs(slope_along(p, 0.0, &curve));
    for (int pass = 0; pass < SEARCH_PASSES; ++pass) {
        double slope = slope_along(p, t, &curve), last = t;
        if (fabs(slope) <= 1e-3 * start) break;
        if (slope > 0.0)
            high = t;
        else
            low = t;
        t -= slope / curve;
        if (!(t > low && t < high)) t = high < INFINITY ? 0.5 * (low + high) : 2.0 * low;
        if (fabs(t - last) <= 1e-6 * t) break;
    }
    return t;
}

// Newton's method to the least of the convex function, until rounding ends it
static void solve_convex(tacProximal* p) {
    double before = INFINITY;
    for (int pass = 0; pass < CONVEX_PASSES; ++pass) {
        int changed = find_impulses(p);
        double slope = find_gradient(p);
        if (slope <= slope_tolerance * p->size || (pass > 0 && !changed && slope > 0.1 * before))
            break;
        if (changed || pass == 0) factor_convex(p);
        before = slope;
        find_step(p);
        add_scaled_row(p->rank, p->u, line_search(p), p->step);
    }
    find_impulses(p);
}

//---------------------------------- the law ----------------------------------

// impulses at u with tangents clipped by mu f_n, and the active set; returns whether it changed
static int clip_impulses(tacProximal* p) {
    int changed = 0;
    find_row_velocities(p);
    for (int i = 0; i < p->rows; ++i) {
        int normal = normal_row(p, i);
        double want = p->g[i] - p->a[i] / p->rho,
               bound = contact_mu(p, i / p->stride) * p->f[normal];
        unsigned char now = TAC_LCP_TIGHT;
        if (i == normal)
            p->f[i] = fmax(want, 0.0);
        else
            p->f[i] = fmax(fmin(want, bound), -bound);
        if (p->f[normal] == 0.0)
            now = TAC_LCP_OFF;
        else if (i != normal && (want > bound || bound == 0.0))
            now = TAC_LCP_UPPER;
        else if (i != normal && want < -bound)
            now = TAC_LCP_LOWER;
        changed |= p->active_set[i] != now;
        p->active_set[i] = now;
    }
    return changed;
}

// H = L U, rows in order of size
static void factor_pivoted(int n, double* H, int* pivot) {
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(H[i * n + k]) > fabs(H[best * n + k])) best = i;
        pivot[k] = best;
        for (int j = 0; best != k && j < n; ++j) {
            double x = H[k * n + j];
            H[k * n + j] = H[best * n + j];
            H[best * n + j] = x;
        }
        double inverse = 1.0 / H[k * n + k];
        for (int i = k + 1; i < n; ++i) {
            double l = H[i * n + k] *= inverse;
            if (l != 0.0) add_scaled_row(n - 1 - k, H + i * n + k + 1, -l, H + k * n + k + 1);
        }
    }
}

static void solve_general(int n, const double* H, const int* pivot, double* x) {
    for (int k = 0; k < n; ++k) {
        double y = x[pivot[k]];
        x[pivot[k]] = x[k];
        x[k] = y;
    }
    for (int k = 1; k < n; ++k) x[k] -= dot4(k, H + k * n, x);
    for (int k = n - 1; k >= 0; --k)
        x[k] = (x[k] - dot4(n - 1 - k, H + k * n + k + 1, x + k + 1)) / H[k * n + k];
}

// step = L' (f - g) - u with the impulses of the active set at u
static void active_set_step(tacProximal* p) {
    find_row_velocities(p);
    for (int k = 0; k < p->rank; ++k) p->step[k] = -p->u[k];
    for (int i = 0; i < p->rows; ++i) {
        int normal = normal_row(p, i), tight = p->active_set[i] == TAC_LCP_TIGHT,
            row = tight ? i : normal;
        double want = p->g[row] - p->a[row] / p->rho;
        double f =
            tight ? want : slide_sign(p->active_set[i]) * contact_mu(p, i / p->stride) * want;
        if (f != p->g[i]) add_scaled_row(p->rank, p->step, f - p->g[i], factor_row(p, i));
    }
}

// Newton's method on the active set; returns whether it settled
static int solve_coupled(tacProximal* p) {
    for (int pass = 0; pass < COUPLED_PASSES; ++pass) {
        fill_hessian(p, 0);
        factor_pivoted(p->rank, p->H, p->pivot);
        for (int refine = 0; refine < 2; ++refine) {
            active_set_step(p);
            solve_general(p->rank, p->H, p->pivot, p->step);
            add_scaled_row(p->rank, p->u, 1.0, p->step);
        }
        if (!clip_impulses(p)) return 1;
    }
    return 0;
}

//---------------------------------- points ----------------------------------

// g and its velocities; u = 0
static void begin_proximal_point(tacProximal* p) {
    int n = p->rank;
    memcpy(p->g, p->f, sizeof(double) * (size_t)p->rows);
    clear_reals(p->step, n);
    clear_reals(p->u, n);
    for (int i = 0; i < p->rows; ++i)
        if (p->g[i] != 0.0) add_scaled_row(n, p->step, p->g[i], factor_row(p, i));
    p->size = 1.0;
    for (int k = 0; k < n; ++k) p->size = fmax(p->size, fabs(p->step[k]));
    for (int i = 0; i < p->rows; ++i) p->start[i] = p->b[i] + dot4(n, factor_row(p, i), p->step);
    for (int c = 0; c < p->lcp->contacts && p->points > 0; ++c) {
        double sum = 0.0;
        for (int i = c * p->stride + 1; i < (c + 1) * p->stride; ++i) sum += fabs(p->start[i]);
        p->normal_lift[c] = contact_mu(p, c) * sum;
    }
}

void tac_proximal_next(tacProximal* p, double* f, unsigned char* active_set) {
    size_t bytes = sizeof(double) * (size_t)p->rank;
    begin_proximal_point(p);
    solve_convex(p);
    memcpy(p->convex_u, p->u, bytes);
    int settled = solve_coupled(p);
    if (!settled) {
        memcpy(p->u, p->convex_u, bytes);
        find_impulses(p);
    }
    p->rho = fmin(fmax(p->rho * (settled ? rho_decrease : rho_increase), min_rho), max_rho);
    p->points++;
    p->most = 0.0;
    for (int i = 0; i < p->rows; ++i) {
        p->most = fmax(p->most, fabs(p->f[i]));
        f[i] = p->f[i] * p->unit[i / p->stride] * p->speed;
    }
    memcpy(active_set, p->active_set, (size_t)p->rows);
}
