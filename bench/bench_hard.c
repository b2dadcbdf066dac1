// Hard contact: the frictional LCP of one box, frictionless LCPs, and other solvers where
// installed.

#include "bench/baselines/ode_baseline.h"
#include "bench/bench.h"
#include "cli/random.h"

#include "tactus/lcp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 60, BODIES = 12, DOFS = 6 * BODIES, REPEAT = 20 };

typedef struct lcpBench {
    tacLcp lcp;
    double A[MAX_ROWS * MAX_ROWS], b[MAX_ROWS], mu[MAX_ROWS], f[MAX_ROWS];
    unsigned char active_set[MAX_ROWS];
    void* memory;
} lcpBench;

//---------------------------------- problems ----------------------------------

typedef struct contactRows {
    int dofs;
    const double* J;            // (rows x dofs)
    const double* inverse_mass; // (dofs)
    const double* w;            // (dofs) free velocity
} contactRows;

// A = J M^-1 J', b = J w
static void condense_lcp(lcpBench* p, const contactRows* r, int contacts, int tangents) {
    const double *J = r->J, *w = r->w;
    int dofs = r->dofs, rows = contacts * (1 + tangents);
    for (int i = 0; i < rows; ++i) {
        p->b[i] = 0.0;
        for (int k = 0; k < dofs; ++k) p->b[i] += J[i * dofs + k] * w[k];
        for (int j = 0; j < rows; ++j) {
            double sum = 0.0;
            for (int k = 0; k < dofs; ++k)
                sum += J[i * dofs + k] * r->inverse_mass[k] * J[j * dofs + k];
            p->A[i * rows + j] = sum;
        }
    }
    p->lcp = (tacLcp){contacts, tangents, p->A, p->b, p->mu};
    p->memory = malloc(tac_lcp_size(contacts, tangents));
}

// a cube with sides of 0.1 m slides on four corners at (2, 0.5) m/s and falls by g dt
static void make_cube(lcpBench* p) {
    double J[12 * 6] = {0.0}, w[6] = {2.0, 0.5, -0.1}, inverse_mass[6] = {1, 1, 1, 600, 600, 600};
    for (int c = 0; c < 4; ++c) {
        double x = c & 1 ? 0.05 : -0.05, y = c & 2 ? 0.05 : -0.05, z = -0.05, *row = J + 18 * c;
        row[2] = 1.0;
        row[3] = y;
        row[4] = -x;
        row[6] = 1.0;
        row[10] = z;
        row[11] = -y;
        row[13] = 1.0;
        row[15] = -z;
        row[17] = x;
        p->mu[c] = 0.5;
    }
    condense_lcp(p, &(contactRows){6, J, inverse_mass, w}, 4, 2);
}

// uniform in (-1, 1)
static double random_signed(unsigned long long* seed) { return 2.0 * cli_random_lcg(seed) - 1.0; }

// random rows between pairs of bodies, more velocities than rows
static void make_frictionless(lcpBench* p, int rows) {
    static double J[MAX_ROWS * DOFS];
    double w[DOFS], inverse_mass[DOFS];
    unsigned long long seed = (unsigned long long)rows;
    memset(J, 0, sizeof J);
    for (int k = 0; k < DOFS; ++k) {
        w[k] = random_signed(&seed);
        inverse_mass[k] = 1.0;
    }
    for (int i = 0; i < rows; ++i)
        for (int side = 0; side < 2; ++side)
            for (int k = 0; k < 6; ++k)
                J[i * DOFS + (i * 5 + side * 7) % BODIES * 6 + k] = random_signed(&seed);
    condense_lcp(p, &(contactRows){DOFS, J, inverse_mass, w}, rows, 0);
}

//---------------------------------- works ----------------------------------

static void run_ours(void* context) {
    lcpBench* p = context;
    for (int i = 0; i < REPEAT; ++i)
        tac_lcp_solve(&p->lcp, 0, p->f, p->active_set, NULL, p->memory);
}

static void run_dart(void* context) {
    lcpBench* p = context;
    double x[MAX_ROWS];
    for (int i = 0; i < REPEAT; ++i) dart_dantzig(p->lcp.contacts, p->A, p->b, x);
}

static void run_ode(void* context) {
    for (int i = 0; i < REPEAT; ++i) ode_baseline_step(context);
}

static void bench_cube(benchReport* report) {
    static lcpBench p;
    double t[2];
    odeBaseline* ode = ode_baseline_open();
    make_cube(&p);
    const benchWork works[2] = {{run_ours, &p}, {run_ode, ode}};
    bench_times(works, ode ? 2 : 1, t);
    bench_row(report, "hard/12 rows", 1e-3 * t[0] / REPEAT, "us", ' ', 0.0);
    if (ode)
        bench_row(report, "hard/12 rows, of ODE's dWorldStep", t[0] / t[1], "", '<', 2.5);
    else
        fprintf(stderr, "  no comparison with dWorldStep: libode-dev is not installed\n");
    ode_baseline_close(ode);
    free(p.memory);
}

static void bench_frictionless(benchReport* report, int rows) {
    static lcpBench p;
    char id[80];
    double t[2], x[MAX_ROWS];
    make_frictionless(&p, rows);
    int dart = dart_dantzig(rows, p.A, p.b, x);
    const benchWork works[2] = {{run_ours, &p}, {run_dart, &p}};
    bench_times(works, dart ? 2 : 1, t);
    snprintf(id, sizeof id, "hard/%d rows without friction", rows);
    bench_row(report, id, 1e-3 * t[0] / REPEAT, "us", ' ', 0.0);
    snprintf(id, sizeof id, "hard/%d rows, of the packaged Dantzig", rows);
    if (dart)
        bench_row(report, id, t[0] / t[1], "", '<', 1.0);
    else
        fprintf(stderr, "  no comparison: libdart-external-odelcpsolver is not installed\n");
    free(p.memory);
}

int bench_hard(benchReport* report) {
    bench_cube(report);
    for (int rows = 20; rows <= MAX_ROWS; rows += 20) bench_frictionless(report, rows);
    return 0;
}
