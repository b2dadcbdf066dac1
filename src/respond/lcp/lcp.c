// Contact with friction as a complementarity problem: methods in order until one has an answer.
//
//   Newton's method on the active set -> Dantzig (few contacts) -> proximal points -> long sweeps
//   (many contacts) -> Lemke -> all active sets, long sweeps (few contacts)
//
// Islands are solved one by one, with the bits that they have alone. An answer counts by its
// residual only. Model: docs/lcp.md.

#include "tactus/lcp.h"

#include "math/vector_ops.h"
#include "respond/lcp/active_set_factor.h"
#include "respond/lcp/dantzig.h"
#include "respond/lcp/islands.h"
#include "respond/lcp/lemke.h"
#include "respond/lcp/proximal.h"

#include <math.h>
#include <string.h>

// of the scale: residuals of an immediate answer, of a warm-started active set, of an answer, and
// of one worth refining
static const double tol_good = 1e-11, tol_warm = 1e-10, tol_accept = 1e-8, tol_refine = 1e-6;

// of the speed without contact: what |A||f| is at most, and impulses that seem to have no bound
static const double max_force_ratio = 1e5, large_impulse = 30.0;

enum { MAX_CONTACTS = 4096, ENUMERATE_CONTACTS = 4, LEMKE_CONTACTS = 100, LEMKE_ATTEMPTS = 6 };
enum { FEW_CONTACTS = 16, MAX_POINTS = 40, IDLE_POINTS = 6, BLOCK = 4 };
enum {
    FIRST_PASSES = 2,
    NEWTON_PASSES = 12,
    REFINEMENTS = 2,
    SHARE_PASSES = 6,
    FIRST_ROUNDS = 3,
    FIRST_SWEEPS = 10,
    LAST_ROUNDS = 20,
    MANY_ROUNDS = 8,
    LAST_SWEEPS = 500
};

typedef struct lcpSolver {
    const tacLcp* lcp;
    const double* warm_start; // impulses of last time, or NULL
    int rows, stride;
    double *f, *a, *g;         // a try, its velocity, impulses of the sweeps (rows)
    double *weight, *size;     // velocity per impulse, sum of |A||f| (rows)
    unsigned char* active_set; // of the try
    double* best;              // the best so far
    unsigned char* best_active_set;
    void* memory; // of the linear systems and of the other methods
    int at_best;  // is the try the best so far?
    double last;  // residual of the try
    tacLcpReport report;
} lcpSolver;

//---------------------------------- residual ----------------------------------

// of numbers that compare: quicker than fmin and fmax
static double min2(double a, double b) { return a < b ? a : b; }
static double max2(double a, double b) { return a > b ? a : b; }
static double clamp(double x, double low, double high) { return min2(max2(x, low), high); }

// a = A f + b of a row; terms is at least sum |A||f|
static double row_velocity(const tacLcp* lcp, int rows, const double* f, int i, double* terms) {
    const double* A = lcp->A + (size_t)i * (size_t)rows;
    double sum = 0.0, size = 0.0;
    for (int j = 0; j < rows; ++j) {
        sum += A[j] * f[j];
        size += fabs(A[j] * f[j]);
    }
    *terms = max2(*terms, size);
    return sum + lcp->b[i];
}

// of a row with velocity a, and w velocity per impulse
static double row_residual(const tacLcp* lcp, const double* f, int i, double a, double w) {
    int stride = 1 + lcp->tangents, normal = i - i % stride;
    if (i == normal) return fabs(min2(a, w * f[i]));
    double bound = lcp->mu[i / stride] * max2(f[normal], 0.0);
    return fabs(clamp(a, w * (f[i] - bound), w * (f[i] + bound)));
}

double tac_lcp_residual(const tacLcp* lcp, const tacReal* f, double* scale) {
    int rows = lcp->contacts * (1 + lcp->tangents);
    double worst = 0.0, terms = 0.0;
    for (int i = 0; i < rows; ++i) {
        double a = row_velocity(lcp, rows, f, i, &terms);
        double r = row_residual(lcp, f, i, a, tac_lcp_diagonal(lcp, i));
        worst = r <= worst ? worst : r; // a residual that is no number stays
        terms = max2(terms, fabs(lcp->b[i]));
    }
    if (scale) *scale = terms;
    return worst;
}

//---------------------------------- tries ----------------------------------

// a += A f and size += |A f| of four rows of A, which costs less than one after the other
static void add_four_columns(int n, double* restrict a, double* restrict size,
                             const double f[BLOCK], const double* const row[BLOCK]) {
    const double* restrict A = row[0], * restrict B = row[1];
    const double* restrict C = row[2], * restrict D = row[3];
    double p = f[0], q = f[1], r = f[2], s = f[3];
    for (int i = 0; i < n; ++i) {
        double x = A[i] * p, y = B[i] * q, z = C[i] * r, w = D[i] * s;
        a[i] += (x + y) + (z + w);
        size[i] += (fabs(x) + fabs(y)) + (fabs(z) + fabs(w));
    }
}

// velocities of the try, and sizes of their terms; A is symmetric: its columns are rows
static void find_candidate_velocities(lcpSolver* s) {
    double f[BLOCK];
    const double* row[BLOCK];
    int used = 0;
    for (int i = 0; i < s->rows; ++i) {
        s->a[i] = s->lcp->b[i];
        s->size[i] = 0.0;
    }
    for (int j = 0; j < s->rows; ++j) {
        if (s->f[j] != 0.0) {
            f[used] = s->f[j];
            row[used++] = s->lcp->A + (size_t)j * (size_t)s->rows;
        }
        // zeros fill the last block
        for (; j + 1 == s->rows && used > 0 && used < BLOCK; ++used) {
            f[used] = 0.0;
            row[used] = row[0];
        }
        if (used == BLOCK) {
            add_four_columns(s->rows, s->a, s->size, f, row);
            used = 0;
        }
    }
}

// keeps the try if it is the best so far; says whether it is within `bound` of the scale
static int evaluate_candidate(lcpSolver* s, double bound) {
    double terms = 0.0, speed = 0.0, residual = 0.0;
    find_candidate_velocities(s);
    for (int i = 0; i < s->rows; ++i) {
        double r = row_residual(s->lcp, s->f, i, s->a[i], s->weight[i]);
        residual = r <= residual ? residual : r;
        terms = max2(terms, s->size[i]);
        speed = max2(speed, fabs(s->lcp->b[i]));
    }
    // impulses out of all proportion are those of rows that contradict one another
    double scale = max2(min2(terms, max_force_ratio * speed), speed);
    s->last = residual;
    s->at_best =
        s->report.residual < 0.0 || residual * s->report.scale < s->report.residual * scale;
    if (s->at_best) {
        s->report.residual = residual;
        s->report.scale = scale;
        memcpy(s->best, s->f, (size_t)s->rows * sizeof(double));
        memcpy(s->best_active_set, s->active_set, (size_t)s->rows);
    }
    return residual <= bound * scale;
}

// impulses of an active set, refined where they are an answer but for digits
static int try_active_set(lcpSolver* s, double bound) {
    tacActiveSetFactor factor = tac_active_set_factor(s->lcp, s->active_set, s->memory);
    s->report.passes++;
    s->report.dropped = factor.redundant;
    tac_active_set_solve(&factor, s->lcp->b, s->f);
    for (int pass = 0; pass < REFINEMENTS; ++pass) {
        if (!evaluate_candidate(s, tol_refine)) return 0;
        tac_active_set_correct(&factor, s->a, s->f);
        if (evaluate_candidate(s, bound)) return 1;
    }
    return 0;
}

static tacLcpStatus next_tangent_status(const lcpSolver* s, int i, double speed) {
    int normal = i - i % s->stride;
    double mu = s->lcp->mu[i / s->stride], bound = mu * s->f[normal];
    if (s->active_set[normal] == TAC_LCP_OFF) return TAC_LCP_OFF;
    double x = s->f[i] - speed / s->weight[i];
    if (mu == 0.0) return TAC_LCP_UPPER;
    if (bound <= 0.0 || fabs(x) <= bound) return TAC_LCP_TIGHT;
    return x > 0.0 ? TAC_LCP_UPPER : TAC_LCP_LOWER;
}

// f - a/A_ii of a row gives its next status
static int next_active_set(lcpSolver* s) {
    int changed = 0;
    for (int i = 0; i < s->rows; ++i) {
        unsigned char before = s->active_set[i];
        if (i % s->stride)
            s->active_set[i] = (unsigned char)next_tangent_status(s, i, s->a[i]);
        else
            s->active_set[i] = s->weight[i] * s->f[i] > s->a[i] ? TAC_LCP_TIGHT : TAC_LCP_OFF;
        changed |= before != s->active_set[i];
    }
    return changed;
}

// g to its place between the bounds that row i wants, the others as they are
static void relax_row(lcpSolver* s, int i) {
    double* g = s->g;
    double x = g[i] - (tac_lcp_row_product(s->lcp, i, g) + s->lcp->b[i]) / s->weight[i];
    int normal = i - i % s->stride;
    double bound = i == normal ? 0.0 : s->lcp->mu[i / s->stride] * g[normal];
    g[i] = i == normal ? max2(x, 0.0) : clamp(x, -bound, bound);
}

// sweeps over the rows one by one (Gauss-Seidel) come nearer, for Newton's method to start from
static void gauss_seidel(lcpSolver* s, int sweeps, int back) {
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (int i = 0; i < s->rows; ++i) relax_row(s, back ? s->rows - 1 - i : i);
    memcpy(s->f, s->g, (size_t)s->rows * sizeof(double));
    find_candidate_velocities(s);
    next_active_set(s);
}

// Newton's method on the natural map; ends after a fixed number of passes
static int iterate_newton(lcpSolver* s, int passes, double bound) {
    s->report.method = TAC_LCP_NEWTON;
    for (int pass = 0; pass < passes; ++pass) {
        if (try_active_set(s, bound)) return 1;
        if (!next_active_set(s)) break;
    }
    return 0;
}

// is it quick to try one way after the other?
static int is_small_problem(const lcpSolver* s) {
    return s->lcp->contacts <= FEW_CONTACTS || s->lcp->tangents == 0;
}

// from the given active set, then from Gauss-Seidel sweeps
static int solve_newton(lcpSolver* s, int warm) {
    int passes = s->lcp->tangents ? FIRST_PASSES : NEWTON_PASSES;
    if (iterate_newton(s, passes, warm ? tol_warm : tol_good)) return 1;
    for (int i = 0; i < s->rows; ++i) s->g[i] = 0.0;
    int rounds = is_small_problem(s) ? FIRST_ROUNDS : 1;
    for (int round = 0; round < rounds; ++round) {
        gauss_seidel(s, FIRST_SWEEPS << 2 * round, 0);
        if (iterate_newton(s, NEWTON_PASSES, tol_good)) return 1;
    }
    return 0;
}

static int solve_dantzig(lcpSolver* s) {
    s->report.method = TAC_LCP_DANTZIG;
    s->report.dropped = 0;
    return tac_dantzig(s->lcp, TAC_BOUNDS_COUPLED, s->f, s->active_set, &s->report.passes,
                       s->memory) &&
           evaluate_candidate(s, tol_good);
}

// is the best so far an answer?
static int is_acceptable(const lcpSolver* s) {
    return s->report.residual <= tol_accept * s->report.scale;
}

// Points that come nearer. Where impulses grow out of proportion and the residual does not fall the
// rows contradict one another.
static int solve_proximal(lcpSolver* s) {
    tacProximal p = tac_proximal(s->lcp, s->warm_start, s->memory);
    double least = INFINITY;
    s->report.method = TAC_LCP_PROXIMAL;
    s->report.dropped = p.rank < s->rows;
    for (int idle = 0; idle < IDLE_POINTS && p.points < MAX_POINTS;) {
        int before = p.passes;
        tac_proximal_next(&p, s->f, s->active_set);
        s->report.passes += p.passes - before;
        if (evaluate_candidate(s, tol_good)) return 1;
        int falls = s->last < 0.5 * least;
        if (falls) least = s->last;
        idle = falls || p.most < large_impulse ? 0 : idle + 1;
    }
    return !is_small_problem(s) && is_acceptable(s);
}

// rounds of long sweeps that many rows have time for
static int last_rounds(const lcpSolver* s) {
    double one = (double)LAST_SWEEPS * s->rows * s->rows;
    return is_small_problem(s) ? LAST_ROUNDS : (int)clamp(2e9 / one, 4.0, MANY_ROUNDS);
}

// The last resort: sweeps for long. With many contacts points go on from there, now and then.
static int solve_sweeps(lcpSolver* s) {
    for (int round = 0, next = 1; round < last_rounds(s); ++round) {
        gauss_seidel(s, LAST_SWEEPS, round & 2);
        if (iterate_newton(s, NEWTON_PASSES, tol_good)) return 1;
        if (is_small_problem(s) || round != next) continue;
        s->warm_start = s->g;
        next *= 4;
        if (solve_proximal(s)) return 1;
    }
    return 0;
}

// The impulses of the path count if the linear system of its active set loses digits.
static int solve_lemke(lcpSolver* s) {
    if (s->lcp->contacts > LEMKE_CONTACTS) return 0;
    s->report.method = TAC_LCP_LEMKE;
    s->report.dropped = 0;
    for (int attempt = 0; attempt < LEMKE_ATTEMPTS; ++attempt) {
        if (!tac_lemke(s->lcp, attempt, s->f, s->active_set, &s->report.passes, s->memory))
            continue;
        evaluate_candidate(s, tol_accept);
        if (try_active_set(s, tol_good)) return 1;
        if (is_acceptable(s)) return 1;
    }
    return 0;
}

// contact c in its state number: 0 apart, else each tangent sticks or slides either way
static void set_state(lcpSolver* s, int c, int state) {
    unsigned char* active_set = s->active_set + c * s->stride;
    active_set[0] = state ? TAC_LCP_TIGHT : TAC_LCP_OFF;
    for (int t = 1, rest = state - 1; t < s->stride; ++t, rest /= 3) {
        active_set[t] = (unsigned char)(state ? TAC_LCP_TIGHT + rest % 3 : TAC_LCP_OFF);
    }
}

static int solve_enumerate(lcpSolver* s) {
    int states = s->lcp->tangents == 0 ? 2 : s->lcp->tangents == 1 ? 4 : 10, count = 1;
    if (s->lcp->contacts > ENUMERATE_CONTACTS) return 0;
    s->report.method = TAC_LCP_ENUMERATE;
    for (int c = 0; c < s->lcp->contacts; ++c) count *= states;
    for (int i = 0; i < count; ++i) {
        for (int c = 0, rest = i; c < s->lcp->contacts; ++c, rest /= states) {
            set_state(s, c, rest % states);
        }
        if (try_active_set(s, tol_accept)) return 1;
    }
    return 0;
}

//---------------------------------- the solve ----------------------------------

// the largest memory of one method; Lemke's method gets few contacts only
static size_t methods_size(int contacts, int tangents) {
    size_t dantzig = tac_dantzig_size(contacts, tangents);
    size_t lemke = tac_lemke_size(contacts < LEMKE_CONTACTS ? contacts : LEMKE_CONTACTS, tangents);
    size_t proximal = tac_proximal_size(contacts, tangents);
    return tac_max_size(tac_max_size(dantzig, lemke), proximal);
}

static lcpSolver alloc_solver(const tacLcp* lcp, tacArena* arena) {
    int stride = 1 + lcp->tangents, rows = lcp->contacts * stride;
    return (lcpSolver){.lcp = lcp,
                       .rows = rows,
                       .stride = stride,
                       .f = TAC_ALLOC(arena, double, rows),
                       .a = TAC_ALLOC(arena, double, rows),
                       .g = TAC_ALLOC(arena, double, rows),
                       .weight = TAC_ALLOC(arena, double, rows),
                       .size = TAC_ALLOC(arena, double, rows),
                       .active_set = TAC_ALLOC(arena, unsigned char, rows),
                       .best = TAC_ALLOC(arena, double, rows),
                       .best_active_set = TAC_ALLOC(arena, unsigned char, rows),
                       .memory = tac_arena_alloc(arena, methods_size(lcp->contacts, lcp->tangents)),
                       .report = {.residual = -1.0, .scale = 1.0}};
}

static int is_valid_size(int contacts, int tangents) {
    return contacts >= 0 && contacts <= MAX_CONTACTS && tangents >= 0 && tangents <= 2;
}

size_t tac_lcp_size(int contacts, int tangents) {
    if (!is_valid_size(contacts, tangents)) return 0;
    tacArena dry = tac_arena_measure(1);
    alloc_solver(&(tacLcp){.contacts = contacts, .tangents = tangents}, &dry);
    return tac_islands_size(contacts, tangents) + dry.peak;
}

// 0 times infinity and NaN is NaN, which the sums keep
static int all_finite(const double* x, size_t count) {
    double sum[4] = {0.0};
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (size_t k = 0; k < 4; ++k) sum[k] += 0.0 * x[i + k];
    }
    for (; i < count; ++i) sum[0] += 0.0 * x[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) == 0.0;
}

// of |A|: differences of A and A' that are rounding
static const double asymmetry = 1e-9;

// Methods take columns of A for rows, so that A must be symmetric but for rounding.
static int is_symmetric(const double* A, size_t rows) {
    for (size_t i = 0; i < rows; ++i) {
        for (size_t j = 0; j < i; ++j) {
            double a = A[i * rows + j], b = A[j * rows + i];
            if (a == b) continue;
            double size = sqrt(fabs(A[i * rows + i] * A[j * rows + j]));
            if (fabs(a - b) > asymmetry * max2(size, max2(fabs(a), fabs(b)))) return 0;
        }
    }
    return 1;
}

static int is_valid_lcp(const tacLcp* lcp) {
    if (!lcp || !is_valid_size(lcp->contacts, lcp->tangents)) return 0;
    if (lcp->contacts > 0 && (!lcp->A || !lcp->b || (lcp->tangents > 0 && !lcp->mu))) return 0;
    size_t rows = (size_t)lcp->contacts * (size_t)(1 + lcp->tangents);
    if (!all_finite(lcp->A, rows * rows) || !all_finite(lcp->b, rows)) return 0;
    if (!is_symmetric(lcp->A, rows)) return 0;
    for (int i = 0; lcp->tangents && i < lcp->contacts; ++i) {
        if (!(lcp->mu[i] >= 0.0 && isfinite(lcp->mu[i]))) return 0;
    }
    return 1;
}

// The active set to start with: the previous one where it is valid; else approaching contacts
// stick.
static void warm_start(lcpSolver* s, const unsigned char* warm) {
    for (int i = 0; i < s->rows; ++i) {
        int normal = i - i % s->stride, most = i == normal ? TAC_LCP_TIGHT : TAC_LCP_LOWER;
        s->weight[i] = tac_lcp_diagonal(s->lcp, i);
        s->active_set[i] = s->lcp->b[normal] < 0.0 ? TAC_LCP_TIGHT : TAC_LCP_OFF;
        if (warm && warm[i] <= most) s->active_set[i] = warm[i];
    }
}

// Is a row at the border of its status, where another fits as well?
static int is_tied_row(const lcpSolver* s, int i) {
    double near = tol_accept * s->report.scale, w = s->weight[i], f = w * s->f[i],
           a = fabs(s->a[i]);
    int normal = i - i % s->stride;
    if (i == normal) return max2(a, fabs(f)) <= near;
    double bound = w * s->lcp->mu[i / s->stride] * s->f[normal];
    return bound > near && a <= near && fabs(f) >= bound - near;
}

// the best so far as the try, with its velocities
static void return_to_best(lcpSolver* s) {
    if (s->at_best) return;
    memcpy(s->f, s->best, (size_t)s->rows * sizeof(double));
    memcpy(s->active_set, s->best_active_set, (size_t)s->rows);
    find_candidate_velocities(s);
    s->at_best = 1;
}

static unsigned find_flags(lcpSolver* s) {
    unsigned flags = s->report.method == TAC_LCP_NEWTON ? 0 : TAC_FALLBACK;
    return_to_best(s);
    for (int i = 0; i < s->rows; ++i) flags |= is_tied_row(s, i) ? TAC_TIE : 0;
    return s->report.dropped ? flags | TAC_TIE : flags;
}

// status of a tangent of a pressing contact, by its velocity
static tacLcpStatus closed_tangent_status(const lcpSolver* s, int i, double near) {
    if (s->lcp->mu[i / s->stride] == 0.0) return TAC_LCP_UPPER;
    if (fabs(s->a[i]) <= near) return TAC_LCP_TIGHT;
    return s->a[i] < 0.0 ? TAC_LCP_UPPER : TAC_LCP_LOWER;
}

// Closes contacts of the answer with zero gap speed and no pressure; returns how many.
static int close_unloaded(lcpSolver* s) {
    double near = tol_accept * s->report.scale;
    int count = 0;
    return_to_best(s);
    for (int i = 0; i < s->rows; i += s->stride) {
        if (s->active_set[i] != TAC_LCP_OFF || fabs(s->a[i]) > near) continue;
        s->active_set[i] = TAC_LCP_TIGHT;
        ++count;
        for (int t = i + 1; t < i + s->stride; ++t)
            s->active_set[t] = (unsigned char)closed_tangent_status(s, t, near);
    }
    return count;
}

// Contacts without pressure may be able to carry load with the others: then the answer is inside
// its active set, and close to the least-norm one.
static int share_load(lcpSolver* s) {
    tacLcpReport before = s->report;
    if (close_unloaded(s) == 0) return 0;
    s->report.residual = -1.0;
    if (iterate_newton(s, SHARE_PASSES, tol_good)) {
        s->report.method = before.method;
        return 1;
    }
    before.passes = s->report.passes;
    s->report = before;
    s->at_best = 0;
    return 0;
}

static void copy_best(const lcpSolver* s, double* f, unsigned char* active_set) {
    memcpy(f, s->best, (size_t)s->rows * sizeof(double));
    memcpy(active_set, s->best_active_set, (size_t)s->rows);
}

static tacResult solve_island(const tacLcp* lcp, int warm, double* f, unsigned char* active_set,
                              tacLcpReport* report, void* memory) {
    tacArena arena = tac_arena_over(memory);
    lcpSolver s = alloc_solver(lcp, &arena);
    s.warm_start = warm ? f : NULL;
    warm_start(&s, warm ? active_set : NULL);
    int few = is_small_problem(&s);
    int solved = solve_newton(&s, warm) || (few && solve_dantzig(&s)) || solve_proximal(&s) ||
                 (!few && solve_sweeps(&s)) || solve_lemke(&s) || is_acceptable(&s) ||
                 solve_enumerate(&s) || (few && solve_sweeps(&s));
    if (solved) {
        copy_best(&s, f, active_set);
        // a warm-started active set has been through this
        if (!warm && share_load(&s)) copy_best(&s, f, active_set);
        memcpy(s.best, f, (size_t)s.rows * sizeof(double));
        memcpy(s.best_active_set, active_set, (size_t)s.rows);
        s.report.flags = find_flags(&s);
    } else
        s.report.method = TAC_LCP_NONE;
    *report = s.report;
    return solved ? TAC_OK : TAC_ERROR_UNSOLVED;
}

// the worst of all islands, and the sum of their work
static void add_report(tacLcpReport* all, const tacLcpReport* one) {
    if (all->method == TAC_LCP_NEWTON) all->method = one->method;
    if (one->method == TAC_LCP_NONE) all->method = TAC_LCP_NONE;
    all->passes += one->passes;
    all->dropped += one->dropped;
    all->flags |= one->flags;
    all->residual = max2(all->residual, one->residual);
    all->scale = max2(all->scale, one->scale);
}

static tacResult solve_islands(tacIslands* s, int warm, double* f, unsigned char* active_set,
                               tacLcpReport* report) {
    tacResult result = TAC_OK;
    for (int k = 0; k < s->count; ++k) {
        tacLcp own = tac_island(s, k);
        tacLcpReport one;
        if (warm) tac_island_gather_active_set(s, k, active_set);
        if (warm) tac_island_gather(s, k, 1 + s->lcp->tangents, f, s->f);
        tacResult solved = solve_island(&own, warm, s->f, s->active_set, &one, s->memory);
        if (solved == TAC_OK) {
            tac_island_scatter(s, k, 1 + s->lcp->tangents, s->f, f);
            tac_island_scatter_active_set(s, k, active_set);
        } else
            result = solved;
        add_report(report, &one);
    }
    return result;
}

tacResult tac_lcp_solve(const tacLcp* lcp, int warm, tacReal* f, unsigned char* active_set,
                        tacLcpReport* report, void* memory) {
    if (!is_valid_lcp(lcp) || !memory || (lcp->contacts > 0 && (!f || !active_set)))
        return TAC_ERROR_VALUE;
    tacLcpReport all = {.method = TAC_LCP_NEWTON};
    tacIslands islands = tac_islands(lcp, memory);
    tacResult result = islands.count > 1
                           ? solve_islands(&islands, warm, f, active_set, &all)
                           : solve_island(lcp, warm, f, active_set, &all, islands.memory);
    // of A itself, row by row: an answer that holds for its columns alone is none
    if (result == TAC_OK) all.residual = tac_lcp_residual(lcp, f, &all.scale);
    if (result == TAC_OK && !(all.residual <= tol_accept * all.scale)) result = TAC_ERROR_UNSOLVED;
    if (report) *report = all;
    return result;
}
