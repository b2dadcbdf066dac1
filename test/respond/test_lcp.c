// Laws of the frictional problem: every answer is one, on generated problems and on known motions.

#include "respond/fclib_file.h"
#include "respond/lcp_problem.h"

#include "math/dense.h"
#include "respond/lcp/dantzig.h"

#include <time.h>

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tacResult solve_lcp(lcpProblem* p, tacLcpReport* report) {
    void* memory = malloc(tac_lcp_size(p->contacts, p->tangents));
    tacResult result = tac_lcp_solve(&p->lcp, 0, p->f, p->active_set, report, memory);
    free(memory);
    return result;
}

// velocity of the bodies after the impulses
static void velocity_after(const lcpProblem* p, double* v) {
    for (int k = 0; k < p->speeds; ++k) {
        v[k] = p->w[k];
        for (int i = 0; i < p->rows; ++i) {
            v[k] += p->inverse_mass[k] * p->J[i * p->speeds + k] * p->f[i];
        }
    }
}

//---------------------------------- generated problems ----------------------------------

// the law itself, without the solver's own residual
static int obeys_law(const lcpProblem* p, double tolerance) {
    double force = 0.0, v[LCP_SPEEDS];
    velocity_after(p, v);
    for (int i = 0; i < p->rows; ++i) force = fmax(force, fabs(p->f[i]));
    for (int i = 0; i < p->rows; ++i) {
        int normal = i - i % (1 + p->tangents);
        double a = 0.0, f = p->f[i], small = tolerance * force;
        for (int k = 0; k < p->speeds; ++k) a += p->J[i * p->speeds + k] * v[k];
        if (i == normal) {
            ENSURE(a >= -tolerance && f >= -small);
            ENSURE(a <= tolerance || f <= small);
        } else {
            double bound = p->mu[i / (1 + p->tangents)] * p->f[normal];
            ENSURE(fabs(f) <= bound + small);
            ENSURE(a <= tolerance || f <= -bound + small);
            ENSURE(a >= -tolerance || f >= bound - small);
        }
    }
    return 0;
}

// 10^4 problems, 10^6 with TACTUS_SWEEP
static int generated_problems_are_solved(void) {
    int count = getenv("TACTUS_NO_SWEEP") ? 1000
                : getenv("TACTUS_SWEEP")  ? 1000000
                                          : 10000,
        methods[TAC_LCP_PROXIMAL + 1] = {0}, failed = 0;
    double worst = 0.0, time = 0.0;
    for (int i = 0; i < count; ++i) {
        lcpProblem* p = lcp_random((unsigned long long)i);
        tacLcpReport report;
        time -= seconds();
        tacResult result = solve_lcp(p, &report);
        time += seconds();
        methods[report.method]++;
        if (result != TAC_OK || obeys_law(p, 1e-7 * fmax(report.scale, 1.0))) {
            printf("  seed %d: %s, residual %g\n", i, tac_result_name(result), report.residual);
            failed++;
        } else
            worst = fmax(worst, report.residual / report.scale);
        free(p);
    }
    printf("  %d problems: Newton %d, Dantzig %d, proximal %d, Lemke %d, enumeration %d, "
           "unsolved %d; worst residual %.1e of "
           "the scale; %.1f us each\n",
           count, methods[1], methods[2], methods[TAC_LCP_PROXIMAL], methods[3], methods[4],
           methods[0], worst, 1e6 * time / count);
    ENSURE(failed == 0);
    ENSURE(worst <= 1e-8);
    return 0;
}

// Dantzig's method by itself: with coupled bounds and true steps it seldom fails; with steps to the
// bounds of before, and with bounds frozen at the frictionless answer, far more often. It says so,
// or its answer has a residual: here both count as failures.
static int coupled_bounds_solve_more_than_frozen_ones(void) {
    int count = getenv("TACTUS_NO_SWEEP") ? 300 : 3000, failed[3] = {0}, silent[3] = {0};
    for (int i = 0; i < count; ++i) {
        lcpProblem* p = lcp_random((unsigned long long)i);
        void* memory = malloc(tac_dantzig_size(p->contacts, p->tangents));
        for (int bounds = TAC_BOUNDS_COUPLED; bounds <= TAC_BOUNDS_FROZEN; ++bounds) {
            int passes = 0;
            double scale;
            int done = tac_dantzig(&p->lcp, (tacFrictionBounds)bounds, p->f, p->active_set, &passes,
                                   memory);
            int right = tac_lcp_residual(&p->lcp, p->f, &scale) <= 1e-8 * scale;
            failed[bounds] += !done || !right;
            silent[bounds] += done && !right;
            ENSURE(passes <= 20 * p->rows + 20);
        }
        free(memory);
        free(p);
    }
    printf(
        "  Dantzig alone fails on %.2f %%, with stale steps %.2f %%, with frozen bounds %.2f %% of "
        "%d; without a word %.2f, %.2f, %.2f %%\n",
        100.0 * failed[0] / count, 100.0 * failed[1] / count, 100.0 * failed[2] / count, count,
        100.0 * silent[0] / count, 100.0 * silent[1] / count, 100.0 * silent[2] / count);
    ENSURE(failed[0] < failed[1] && failed[1] < failed[2] && 10 * failed[0] < count);
    return 0;
}

//---------------------------------- restitution ----------------------------------

// one pass over the contacts chosen, of restitution e on those that approach; adds to v of all rows
static tacResult restitution_pass(const lcpProblem* p, const unsigned char* selection,
                                  const double* e, double nothing, double* v) {
    static lcpProblem sub;
    int group = 1 + p->tangents, row[LCP_ROWS];
    sub.contacts = sub.rows = 0;
    sub.tangents = p->tangents;
    for (int c = 0; c < p->contacts; ++c) {
        if (!selection[c]) continue;
        sub.mu[sub.contacts++] = p->mu[c];
        for (int i = c * group; i < (c + 1) * group; ++i) {
            int bounces = i == c * group && v[i] < -nothing;
            sub.b[sub.rows] = bounces ? (1.0 + e[c]) * v[i] : v[i];
            row[sub.rows++] = i;
        }
    }
    for (int i = 0; i < sub.rows; ++i)
        for (int j = 0; j < sub.rows; ++j)
            sub.A[i * sub.rows + j] = p->A[row[i] * p->rows + row[j]];
    sub.lcp = (tacLcp){sub.contacts, sub.tangents, sub.A, sub.b, sub.mu};
    tacLcpReport report;
    tacResult result = solve_lcp(&sub, &report);
    for (int i = 0; i < p->rows && result == TAC_OK; ++i)
        for (int j = 0; j < sub.rows; ++j) v[i] += p->A[i * p->rows + row[j]] * sub.f[j];
    return result;
}

// Restitution that differs from contact to contact: passes over what approaches, until nothing
// does. Where a pass has no solution, or after 50, one of all contacts without restitution, which
// always has one.
static int restitution_passes_end(void) {
    int count = getenv("TACTUS_NO_SWEEP") ? 300 : 3000, fallbacks = 0, passes = 0, most = 0;
    for (int i = 0; i < count; ++i) {
        lcpProblem* p = lcp_random((unsigned long long)(5000 + i));
        testRandom random = {(unsigned long long)i + 1};
        double e[LCP_CONTACTS], v[LCP_ROWS], none[LCP_CONTACTS] = {0.0}, speed = 0.0;
        int group = 1 + p->tangents, done = 0, pass = 0;
        for (int c = 0; c < p->contacts; ++c) e[c] = test_uniform(&random, 0.0, 1.0);
        for (int k = 0; k < p->rows; ++k) {
            v[k] = p->b[k];
            speed = fmax(speed, fabs(v[k]));
        }
        for (double nothing = 1e-7 * speed; !done; ++pass) {
            unsigned char selection[LCP_CONTACTS];
            int approach = 0;
            for (int c = 0; c < p->contacts; ++c) {
                selection[c] = v[c * group] <= nothing;
                approach += v[c * group] < -nothing;
            }
            done = approach == 0;
            if (done || (pass < 50 && restitution_pass(p, selection, e, nothing, v) == TAC_OK))
                continue;
            memset(selection, 1, sizeof selection);
            ENSURE(restitution_pass(p, selection, none, nothing, v) == TAC_OK);
            done = 1;
            ++fallbacks;
        }
        for (int c = 0; c < p->contacts; ++c) ENSURE(v[c * group] >= -2e-7 * speed);
        passes += pass;
        most = pass > most ? pass : most;
        free(p);
    }
    printf("  %d impacts with restitution: %.2f passes each, at most %d, %d fell back\n", count,
           (double)passes / count, most, fallbacks);
    return 0;
}

//---------------------------------- known motions ----------------------------------

static lcpProblem* block_problem(double mu, const double* velocity, int tangents) {
    lcpProblem* p = lcp_begin(1, tangents);
    for (int k = 0; k < 6; ++k) {
        p->inverse_mass[k] = k < 3 ? 1.0 : 600.0;
        p->w[k] = velocity[k];
    }
    for (int c = 0; c < 4; ++c) {
        double arm[2][3] = {{0.0}, {c & 1 ? 0.05 : -0.05, c & 2 ? 0.05 : -0.05, -0.05}};
        lcp_contact(p, (const int[2]){-1, 0}, arm, (const double[3]){0.0, 0.0, 1.0}, mu);
    }
    lcp_finish(p);
    return p;
}

// A cube on four corners falls by g dt: it loses mu g dt along each axis, or all it has
// (docs/lcp.md: a pyramid); its corners carry its weight.
static int sliding_cube_has_a_closed_form(void) {
    const double g = 10.0, dt = 0.01, mu = 0.5;
    for (int fast = 0; fast < 2; ++fast) {
        double velocity[6] = {fast ? 2.0 : 0.03, fast ? 0.5 : 0.02, -g * dt}, v[LCP_SPEEDS],
               sum = 0;
        lcpProblem* p = block_problem(mu, velocity, 2);
        tacLcpReport report;
        ENSURE(solve_lcp(p, &report) == TAC_OK);
        velocity_after(p, v);
        for (int c = 0; c < 4; ++c) sum += p->f[3 * c];
        ENSURE_NEAR(sum, g * dt, 1e-12);
        ENSURE_NEAR(v[0], fast ? 2.0 - mu * g * dt : 0.0, 1e-12);
        ENSURE_NEAR(v[1], fast ? 0.5 - mu * g * dt : 0.0, 1e-12);
        for (int k = 2; k < 6; ++k) ENSURE_NEAR(v[k], 0.0, 1e-11);
        ENSURE(report.flags & TAC_TIE); // four corners carry what three would
        free(p);
    }
    return 0;
}

// a mass point hits the floor: f_n = m v_n, f_t = -min(mu f_n, m |v_t|) sign v_t
static int mass_point_has_a_closed_form(void) {
    testRandom random = {7};
    for (int trial = 0; trial < 200; ++trial) {
        double mass = test_uniform(&random, 0.1, 10.0), mu = test_uniform(&random, 0.0, 1.5);
        double A[4] = {1.0 / mass, 0.0, 0.0, 1.0 / mass}, f[2];
        double b[2] = {test_uniform(&random, -1.0, 0.5), test_uniform(&random, -1.0, 1.0)};
        double normal = mass * fmax(-b[0], 0.0), tangent = fmin(mu * normal, mass * fabs(b[1]));
        tacLcp lcp = {1, 1, A, b, &mu};
        unsigned char active_set[2];
        double memory[400];
        ENSURE(tac_lcp_size(1, 1) <= sizeof memory);
        ENSURE(tac_lcp_solve(&lcp, 0, f, active_set, NULL, memory) == TAC_OK);
        ENSURE_NEAR(f[0], normal, 1e-13 * mass);
        ENSURE_NEAR(f[1], b[1] < 0.0 ? tangent : -tangent, 1e-13 * mass);
    }
    return 0;
}

// towers of 1 to 15 boxes: each box rests, and each layer carries what is above it
static int towers_rest(void) {
    for (int boxes = 1; boxes <= 15; ++boxes) {
        lcpProblem* p = lcp_begin(boxes, 2);
        for (int k = 0; k < p->speeds; ++k) p->inverse_mass[k] = k % 6 < 3 ? 1.0 : 6.0;
        for (int box = 0; box < boxes; ++box) {
            p->w[6 * box + 2] = -0.1;
            for (int c = 0; c < 4; ++c) {
                double x = c & 1 ? 0.5 : -0.5, y = c & 2 ? 0.5 : -0.5;
                double arm[2][3] = {{x, y, 0.5}, {x, y, -0.5}};
                lcp_contact(p, (const int[2]){box - 1, box}, arm, (const double[3]){0, 0, 1}, 0.5);
            }
        }
        lcp_finish(p);
        tacLcpReport report;
        double v[LCP_SPEEDS];
        ENSURE(solve_lcp(p, &report) == TAC_OK);
        velocity_after(p, v);
        for (int k = 0; k < p->speeds; ++k) ENSURE_NEAR(v[k], 0.0, 1e-9);
        for (int box = 0; box < boxes; ++box) {
            double sum = 0.0;
            for (int c = 0; c < 4; ++c) sum += p->f[12 * box + 3 * c];
            ENSURE_NEAR(sum, 0.1 * (boxes - box), 1e-9);
        }
        free(p);
    }
    return 0;
}

//---------------------------------- units, starts, wrong input ----------------------------------

// other units of mass and velocity give the same motion
static int units_do_not_matter(void) {
    const double masses[3] = {1e-9, 1.0, 1e9}, speeds[3] = {1e-6, 1.0, 1e6};
    for (int trial = 0; trial < 90; ++trial) {
        lcpProblem* p = lcp_random((unsigned long long)(1000 + trial));
        double m = masses[trial % 3], v = speeds[trial / 3 % 3];
        for (int i = 0; i < p->rows * p->rows; ++i) p->A[i] /= m;
        for (int i = 0; i < p->rows; ++i) p->b[i] *= v;
        tacLcpReport report;
        ENSURE(solve_lcp(p, &report) == TAC_OK);
        ENSURE(report.residual <= 1e-8 * report.scale);
        free(p);
    }
    return 0;
}

// an answer as the start of the same problem is the answer at once; rubbish does no harm
static int warm_start_gives_the_same_answer(void) {
    for (int trial = 0; trial < 200; ++trial) {
        lcpProblem* p = lcp_random((unsigned long long)(2000 + trial));
        void* memory = malloc(tac_lcp_size(p->contacts, p->tangents));
        tacLcpReport report;
        double f[LCP_ROWS];
        ENSURE(solve_lcp(p, &report) == TAC_OK);
        int alone = report.method == TAC_LCP_NEWTON || !report.dropped;
        memcpy(f, p->f, sizeof f);
        ENSURE(tac_lcp_solve(&p->lcp, 1, p->f, p->active_set, &report, memory) == TAC_OK);
        int islands = p->speeds / 6; // at most, and each is solved at once
        ENSURE(!alone || (report.passes <= islands && report.method == TAC_LCP_NEWTON));
        for (int i = 0; i < p->rows && alone; ++i)
            ENSURE_NEAR(p->f[i], f[i], 1e-9 * (1.0 + fabs(f[i])));
        memset(p->active_set, 250 + trial % 5, sizeof p->active_set);
        ENSURE(tac_lcp_solve(&p->lcp, 1, p->f, p->active_set, &report, memory) == TAC_OK);
        free(memory);
        free(p);
    }
    return 0;
}

// a body between two walls that both ask for more than there is: no answer, and it says so
static int unsolvable_problems_are_reported(void) {
    const double A[4] = {1.0, -1.0, -1.0, 1.0}, b[2] = {-1.0, -0.5};
    double f[2] = {7.0, 8.0}, memory[400];
    unsigned char active_set[2] = {9, 9};
    tacLcpReport report;
    tacLcp lcp = {2, 0, A, b, NULL};
    ENSURE(tac_lcp_size(2, 0) <= sizeof memory);
    ENSURE(tac_lcp_solve(&lcp, 0, f, active_set, &report, memory) == TAC_ERROR_UNSOLVED);
    ENSURE(report.method == TAC_LCP_NONE && report.residual > 0.1);
    ENSURE(f[0] == 7.0 && f[1] == 8.0 && active_set[0] == 9);
    return 0;
}

static int wrong_input_is_refused(void) {
    double A[4] = {1.0, 0.0, 0.0, 1.0}, b[2] = {-1.0, 1.0}, mu = 0.5, f[2], memory[400];
    unsigned char active_set[2];
    tacLcp lcp = {1, 1, A, b, &mu};
    ENSURE(tac_lcp_solve(&lcp, 0, f, active_set, NULL, memory) == TAC_OK);
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; ++i) {
        A[1] = bad[i];
        ENSURE(tac_lcp_solve(&lcp, 0, f, active_set, NULL, memory) == TAC_ERROR_VALUE);
        A[1] = 0.0;
        b[1] = bad[i];
        ENSURE(tac_lcp_solve(&lcp, 0, f, active_set, NULL, memory) == TAC_ERROR_VALUE);
        b[1] = 1.0;
        mu = i ? bad[i] : -0.1;
        ENSURE(tac_lcp_solve(&lcp, 0, f, active_set, NULL, memory) == TAC_ERROR_VALUE);
        mu = 0.5;
    }
    // A is symmetric but for rounding
    A[1] = 0.3;
    A[2] = 0.1;
    ENSURE(tac_lcp_solve(&lcp, 0, f, active_set, NULL, memory) == TAC_ERROR_VALUE);
    A[2] = 0.3 + 1e-12;
    tacLcpReport report;
    ENSURE(tac_lcp_solve(&lcp, 0, f, active_set, &report, memory) == TAC_OK);
    ENSURE(report.residual == tac_lcp_residual(&lcp, f, NULL));
    A[1] = A[2] = 0.0;
    // room for many is room for few
    for (int n = 0; n < 300; ++n)
        for (int t = 0; t <= 2; ++t) ENSURE(tac_lcp_size(n, t) <= tac_lcp_size(n + 1, t));
    ENSURE(tac_lcp_size(-1, 0) == 0 && tac_lcp_size(1, 3) == 0 && tac_lcp_size(1 << 30, 2) == 0);
    lcp.contacts = 0;
    ENSURE(tac_lcp_solve(&lcp, 0, f, active_set, NULL, memory) == TAC_OK);
    return 0;
}

// no mass at all, no velocity at all, one row that nothing moves
static int degenerate_problems_are_solved(void) {
    double A[9] = {0.0}, b[3] = {0.5, 0.0, 0.0}, mu = 1.0, f[3], memory[400];
    unsigned char active_set[3];
    tacLcp lcp = {1, 2, A, b, &mu};
    tacLcpReport report;
    ENSURE(tac_lcp_size(1, 2) <= sizeof memory);
    ENSURE(tac_lcp_solve(&lcp, 0, f, active_set, &report, memory) == TAC_OK);
    ENSURE(f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0);
    b[0] = -0.5;
    ENSURE(tac_lcp_solve(&lcp, 0, f, active_set, &report, memory) == TAC_ERROR_UNSOLVED);
    A[0] = A[4] = 1.0;
    b[0] = 0.0;
    ENSURE(tac_lcp_solve(&lcp, 0, f, active_set, &report, memory) == TAC_OK);
    ENSURE(f[0] == 0.0);
    b[0] = -1.0;
    b[1] = 0.1;
    ENSURE(tac_lcp_solve(&lcp, 0, f, active_set, &report, memory) == TAC_OK);
    ENSURE_NEAR(f[0], 1.0, 1e-15);
    ENSURE_NEAR(f[1], -0.1, 1e-15);
    return 0;
}

//---------------------------------- problems of others ----------------------------------

// W = H' M^-1 H and q = H' M^-1 f + w of a global problem
static double* condense_problem(double* M, const double* H, int n, int rows, double* f, double* w) {
    int* pivot = malloc(sizeof(int) * (size_t)n);
    double *W = calloc((size_t)(rows * rows), sizeof(double)),
           *x = malloc(sizeof(double) * (size_t)n);
    if (tac_lu(n, M, pivot) != TAC_OK) memset(W, 0xff, sizeof(double));
    for (int j = -1; j < rows; ++j) {
        for (int i = 0; i < n; ++i) x[i] = j < 0 ? f[i] : H[i * rows + j];
        tac_lu_solve(n, M, pivot, x, x);
        for (int r = 0; r < rows; ++r) {
            double sum = 0.0;
            for (int i = 0; i < n; ++i) sum += H[i * rows + r] * x[i];
            if (j < 0)
                w[r] += sum;
            else
                W[r * rows + j] = sum;
        }
    }
    free(pivot);
    free(x);
    return W;
}

// |r - P(r - s u~)|/|q| of the cone with s = 1/W_nn, in velocity: what the pyramid leaves open
static double cone_residual(const tacLcp* lcp, const double* r) {
    int rows = 3 * lcp->contacts;
    double sum = 0.0, size = 0.0;
    for (int c = 0; c < lcp->contacts; ++c) {
        double u[3], y[3], mu = lcp->mu[c], s = 1.0 / lcp->A[(size_t)(3 * c) * (size_t)(rows + 1)];
        for (int i = 0; i < 3; ++i) {
            u[i] = lcp->b[3 * c + i];
            size += u[i] * u[i];
            for (int j = 0; j < rows; ++j) u[i] += lcp->A[(3 * c + i) * rows + j] * r[j];
        }
        u[0] += mu * hypot(u[1], u[2]);
        for (int i = 0; i < 3; ++i) y[i] = r[3 * c + i] - s * u[i];
        double t = hypot(y[1], y[2]), normal = y[0], tangent = t;
        if (mu * t <= -y[0])
            normal = tangent = 0.0;
        else if (t > mu * y[0]) {
            normal = (y[0] + mu * t) / (1.0 + mu * mu);
            tangent = mu * normal;
        }
        double d[3] = {normal, t > 0.0 ? y[1] * tangent / t : 0.0,
                       t > 0.0 ? y[2] * tangent / t : 0.0};
        for (int i = 0; i < 3; ++i) sum += pow((r[3 * c + i] - d[i]) / s, 2);
    }
    return sqrt(sum / size);
}

static int solve_file(const char* path, const char* name) {
    fclibFile file = {0};
    ENSURE(fclib_open(&file, path));
    int m, n, rows;
    double *f, *w, *mu, *W = fclib_matrix(&file, "fclib_local", "W", &rows, &n);
    const char* kind = W ? "fclib_local" : "fclib_global";
    int contacts = fclib_vector(&file, kind, "mu", &mu);
    if (W)
        fclib_vector(&file, kind, "q", &w);
    else {
        double *M = fclib_matrix(&file, kind, "M", &m, &n),
               *H = fclib_matrix(&file, kind, "H", &m, &rows);
        ENSURE(M && H && m == n);
        fclib_vector(&file, kind, "f", &f);
        fclib_vector(&file, kind, "w", &w);
        W = condense_problem(M, H, n, rows, f, w);
        free(M);
        free(H);
        free(f);
    }
    ENSURE(W && w && mu && rows == 3 * contacts);
    tacLcp lcp = {contacts, 2, W, w, mu};
    tacLcpReport report = {0};
    double* r = calloc((size_t)rows, sizeof(double));
    unsigned char* active_set = malloc((size_t)rows);
    void* memory = malloc(tac_lcp_size(contacts, 2));
    double begin = seconds();
    tacResult result = tac_lcp_solve(&lcp, 0, r, active_set, &report, memory);
    printf(
        "  %s: %d contacts, %s, pyramid %.1e of the scale, cone %.1e of |q|, %d passes, %.0f ms\n",
        name, contacts, result ? tac_result_name(result) : "solved", report.residual / report.scale,
        cone_residual(&lcp, r), report.passes, 1e3 * (seconds() - begin));
    free(W);
    free(w);
    free(mu);
    free(r);
    free(active_set);
    free(memory);
    free(file.data);
    ENSURE(result == TAC_OK);
    return 0;
}

static int fclib_problems_are_solved(void) {
    const char *data = getenv("TACTUS_DATA"),
               *names[4] = {"CubeH8", "local_problem_test", "LMGC_100_PR_PerioBox-i00361-60-03000",
                            "Box_Stacks-i0122-82-5"};
    for (int i = 0; i < 4; ++i) {
        char path[1024];
        snprintf(path, sizeof path, "%s/friction_contact/fclib_hdf5/%s.hdf5",
                 data ? data : TAC_SOURCE_DIR "/../shared/data", names[i]);
        FILE* there = fopen(path, "rb");
        if (!there) SKIP("no problems: set TACTUS_DATA to a folder with friction_contact/");
        fclose(there);
        ENSURE_LAW(solve_file(path, names[i]));
    }
    return 0;
}

TEST_MAIN(RUN(generated_problems_are_solved), RUN(coupled_bounds_solve_more_than_frozen_ones),
          RUN(restitution_passes_end), RUN(sliding_cube_has_a_closed_form),
          RUN(mass_point_has_a_closed_form), RUN(towers_rest), RUN(units_do_not_matter),
          RUN(warm_start_gives_the_same_answer), RUN(unsolvable_problems_are_reported),
          RUN(wrong_input_is_refused), RUN(degenerate_problems_are_solved),
          RUN(fclib_problems_are_solved))
