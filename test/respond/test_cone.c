// The convex problem of contact: optimality, islands, warm starts, laws of its forces, derivatives.

#include "respond/adapter_cone.h"

#include "check/prove.h"
#include "respond/cone/cone_penalty.h"

//---------------------------------- random problems ------------------------------

static int add_block(coneMap* m, tacConeKind kind, int rows, int first, int columns) {
    int column = 0;
    for (int b = 0; b < m->blocks; ++b) column += m->block[b].columns;
    m->block[m->blocks++] = (tacConeBlock){kind, m->rows, rows, column, columns, m->entries};
    for (int k = 0; k < columns; ++k) m->column[column + k] = first + k;
    m->rows += rows;
    m->entries += rows * columns;
    return rows;
}

// two bodies of six degrees of freedom; `apart`: nothing couples them
static coneMap random_map(int variant, int apart) {
    static const int condim[] = {1, 3, 4, 6};
    coneMap m = {.nv = 12};
    for (int i = 0, k = 0; i < 12; ++i) {
        for (int j = i < 6 ? 0 : 6; j <= i; ++j) m.M_column[k++] = j;
        m.M_start[i + 1] = k;
    }
    add_block(&m, TAC_CONE_ELLIPTIC, condim[variant % 4], 0, 6);
    add_block(&m, TAC_CONE_ELLIPTIC, condim[(variant + 1) % 4], apart ? 6 : 3, apart ? 6 : 7);
    add_block(&m, TAC_CONE_LIMIT, 2, 1, 2);
    add_block(&m, TAC_CONE_FRICTION, 2, 7, 3);
    add_block(&m, TAC_CONE_EQUALITY, variant % 3, 8, 4);
    if (!(variant % 3)) --m.blocks;
    add_block(&m, TAC_CONE_LIMIT, 1, 6, 6);
    return m;
}

// numbers of a problem: M = B B' + 1 in its pattern, the rest of order one
static void random_numbers(const coneMap* m, double width, unsigned long long* random, double* x) {
    double B[12][12];
    for (int i = 0; i < 144; ++i) B[i / 12][i % 12] = tac_check_normal(random);
    for (int i = 0, k = 0; i < m->nv; ++i)
        for (; k < m->M_start[i + 1]; ++k) {
            int j = m->M_column[k];
            x[k] = i == j ? 1.0 : 0.0;
            for (int l = 0; l < 6; ++l) x[k] += B[i][l] * B[j][l] / 6.0;
        }
    tacCone cone = cone_map_problem(m, x);
    for (int i = 0; i < m->nv + m->entries + m->rows; ++i)
        x[m->M_start[m->nv] + i] = tac_check_normal(random);
    for (int r = 0; r < m->rows; ++r) {
        ((double*)cone.D)[r] = exp(tac_check_uniform(random, -2.0, 4.0));
        ((double*)cone.mu)[r] = tac_check_uniform(random, 0.2, 1.5);
        ((double*)cone.width)[r] = width * tac_check_uniform(random, 0.5, 1.5);
    }
}

//---------------------------------- optimality -----------------------------------

static char memory[1 << 20];
static double numbers[1000];

static double cone_cost(const tacCone* cone, const double* a) {
    // of a problem whose answer is known to be a: its report has the cost
    tacConeReport report;
    double copy[MAP_DOFS];
    memcpy(copy, a, sizeof copy);
    tac_cone_solve(cone, 1, copy, &report, memory);
    return report.cost;
}

// M (a - a0) = J' f with the forces of tac_cone_force, and the residual says so
static int answers_balance_forces(void) {
    unsigned long long random = 7;
    double worst = 0.0;
    int most = 0;
    for (int i = 0; i < test_amount(200, 2000, 100000); ++i) {
        coneMap m = random_map(i, i % 2);
        double a[MAP_DOFS], f[MAP_ROWS], balance[MAP_DOFS] = {0}, size = 1.0;
        random_numbers(&m, i % 5 ? 0.1 * (i % 5) : 0.0, &random, numbers);
        tacCone cone = cone_map_problem(&m, numbers);
        tacConeReport report;
        ENSURE(tac_cone_size(&cone) > 0 && tac_cone_size(&cone) <= sizeof memory);
        ENSURE(tac_cone_solve(&cone, 0, a, &report, memory) == TAC_OK);
        ENSURE(tac_cone_force(&cone, a, f) == TAC_OK);
        for (int r = 0, k = 0; r < m.nv; ++r)
            for (; k < m.M_start[r + 1]; ++k) {
                int c = m.M_column[k];
                balance[r] += cone.M[k] * (a[c] - cone.a0[c]);
                if (c != r) balance[c] += cone.M[k] * (a[r] - cone.a0[r]);
            }
        for (int b = 0; b < m.blocks; ++b)
            for (int r = 0; r < m.block[b].rows; ++r)
                for (int k = 0; k < m.block[b].columns; ++k) {
                    double J = cone.J[m.block[b].entry + r * m.block[b].columns + k];
                    balance[m.column[m.block[b].column + k]] -= J * f[m.block[b].row + r];
                    size += fabs(J * f[m.block[b].row + r]);
                }
        for (int k = 0; k < m.nv; ++k) worst = fmax(worst, fabs(balance[k]) / size);
        if (report.iterations > most) most = report.iterations;
    }
    printf("  unbalanced %.2g of the forces, at most %d iterations\n", worst, most);
    ENSURE(worst < 1e-13 && most <= 40);
    return 0;
}

// |f_t/mu| <= f_n in every cone, no pull, friction loss within its bound
static int forces_stay_in_their_cones(void) {
    unsigned long long random = 11;
    for (int i = 0; i < 2000; ++i) {
        coneMap m = random_map(i, 0);
        double a[MAP_DOFS], f[MAP_ROWS];
        random_numbers(&m, i % 2 ? 0.3 : 0.0, &random, numbers);
        tacCone cone = cone_map_problem(&m, numbers);
        ENSURE(tac_cone_solve(&cone, 0, a, NULL, memory) == TAC_OK);
        ENSURE(tac_cone_force(&cone, a, f) == TAC_OK);
        for (int b = 0; b < m.blocks; ++b) {
            const tacConeBlock* block = &m.block[b];
            const double *mu = cone.mu + block->row, *force = f + block->row;
            if (block->kind == TAC_CONE_ELLIPTIC) {
                // f_j = f_tj mu_j/mu, and |f_t| <= mu f_n
                double sum = 0.0;
                for (int j = 1; j < block->rows; ++j) sum += pow(force[j] / mu[j], 2.0);
                ENSURE(sqrt(sum) <= force[0] * (1.0 + 1e-12) + 1e-14);
            }
            for (int r = 0; r < block->rows; ++r) {
                if (block->kind == TAC_CONE_LIMIT) ENSURE(force[r] >= 0.0);
                if (block->kind == TAC_CONE_FRICTION)
                    ENSURE(fabs(force[r]) <= mu[r] * (1.0 + 1e-13));
            }
        }
    }
    return 0;
}

// the answer is the least cost among its neighbours, warm or cold, and the bound of the report
// holds
static int answers_have_the_least_cost(void) {
    unsigned long long random = 3;
    for (int i = 0; i < 300; ++i) {
        coneMap m = random_map(i, 0);
        double a[MAP_DOFS], warm[MAP_DOFS], error = 0.0;
        random_numbers(&m, i % 2 ? 0.2 : 0.0, &random, numbers);
        tacCone cone = cone_map_problem(&m, numbers);
        tacConeReport report, again;
        ENSURE(tac_cone_solve(&cone, 0, a, &report, memory) == TAC_OK);
        for (int k = 0; k < m.nv; ++k) warm[k] = a[k] + 0.3 * tac_check_normal(&random);
        ENSURE(tac_cone_solve(&cone, 1, warm, &again, memory) == TAC_OK);
        for (int k = 0; k < m.nv; ++k) error = fmax(error, fabs(warm[k] - a[k]));
        ENSURE_NEAR(error, 0.0, 1e-10 * report.scale);
        ENSURE_NEAR(cone_cost(&cone, a), report.cost, 1e-12 * fabs(report.cost));
    }
    return 0;
}

//---------------------------------- islands --------------------------------------

// an island beside another has the bits that it has alone
static int islands_change_no_bit(void) {
    unsigned long long random = 5;
    for (int i = 0; i < 100; ++i) {
        coneMap m = random_map(i, 1);
        double both[MAP_DOFS], alone[MAP_DOFS];
        random_numbers(&m, 0.1, &random, numbers);
        tacCone cone = cone_map_problem(&m, numbers);
        tacConeReport report;
        ENSURE(tac_cone_solve(&cone, 0, both, &report, memory) == TAC_OK);
        ENSURE(report.islands == 2);
        // the first body with the blocks that do not reach the second: the first and third
        tacConeBlock own[2] = {m.block[0], m.block[2]};
        double aref[MAP_ROWS], D[MAP_ROWS], mu[MAP_ROWS], width[MAP_ROWS];
        int rows = 0;
        for (int b = 0; b < 2; ++b) {
            for (int r = 0; r < own[b].rows; ++r, ++rows) {
                aref[rows] = cone.aref[own[b].row + r];
                D[rows] = cone.D[own[b].row + r];
                mu[rows] = cone.mu[own[b].row + r];
                width[rows] = cone.width[own[b].row + r];
            }
            own[b].row = rows - own[b].rows;
        }
        tacCone first = cone;
        first.nv = 6;
        first.blocks = 2;
        first.rows = rows;
        first.block = own;
        first.aref = aref;
        first.D = D;
        first.mu = mu;
        first.width = width;
        ENSURE(tac_cone_solve(&first, 0, alone, NULL, memory) == TAC_OK);
        ENSURE(!memcmp(both, alone, 6 * sizeof *alone));
    }
    return 0;
}

//---------------------------------- laws -----------------------------------------

// relu averaged with a hat of half width w, by the midpoint rule
static double relu_average(double z, double w) {
    const int n = 20000;
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        double u = 2.0 * (i + 0.5) / n - 1.0;
        sum += fmax(z - w * u, 0.0) * (1.0 - fabs(u)) * 2.0 / n;
    }
    return sum;
}

static int corners_are_averages(void) {
    for (int i = -30; i <= 30; ++i) {
        double D = 3.0, w = 0.7, z = 0.05 * i, mu = 1.0, x = -z, f;
        conePenalty limit = {TAC_CONE_LIMIT, 1, &D, &mu, &w};
        tac_cone_penalty_force(&limit, &x, &f);
        ENSURE_NEAR(f, D * relu_average(z, w), 1e-7);
    }
    return 0;
}

// eq. (6) with the averages of (3) in place of closed forms
static int cones_are_two_corners(void) {
    unsigned long long random = 17;
    double worst = 0.0;
    for (int i = 0; i < 200; ++i) {
        double D = 2.0, w = 0.5, mu[3] = {tac_check_uniform(&random, 0.2, 2.0), 0.8, 0.3};
        double x[3], f[3], t[3], square = 1.0 + mu[0] * mu[0], eps = w * mu[0] / square;
        for (int k = 0; k < 3; ++k) x[k] = tac_check_normal(&random);
        conePenalty cone = {TAC_CONE_ELLIPTIC, 3, &D, mu, &w};
        tac_cone_penalty_force(&cone, x, f);
        for (int k = 1; k < 3; ++k) t[k] = x[k] * mu[k] / mu[0];
        double T = sqrt(t[1] * t[1] + t[2] * t[2] + eps * eps);
        double slide = relu_average(mu[0] * T - x[0], w),
               stick = relu_average(-x[0] - T / mu[0], w);
        double push = D / square * (slide + mu[0] * mu[0] * stick);
        double drag = D / square * mu[0] * (slide - stick) / T;
        worst = fmax(worst, fabs(f[0] - push));
        for (int k = 1; k < 3; ++k) worst = fmax(worst, fabs(f[k] + drag * t[k] * mu[k] / mu[0]));
    }
    printf("  worst %.2g\n", worst);
    ENSURE(worst < 1e-7);
    return 0;
}

// f = -s', and s is convex
static int forces_are_slopes_of_convex_costs(void) {
    unsigned long long random = 19;
    static const tacConeKind kinds[] = {TAC_CONE_EQUALITY, TAC_CONE_LIMIT, TAC_CONE_FRICTION,
                                        TAC_CONE_ELLIPTIC};
    for (int i = 0; i < 4000; ++i) {
        const double h = 1e-5;
        double D[6], mu[6], w[6], x[6], v[6], moved[6], f[6], Sv[6], slope = 0.0, curve = 0.0;
        for (int k = 0; k < 6; ++k) {
            D[k] = tac_check_uniform(&random, 0.5, 3.0);
            mu[k] = tac_check_uniform(&random, 0.3, 1.5);
            w[k] = i % 2 ? 0.5 : 0.0;
            x[k] = tac_check_normal(&random);
            v[k] = tac_check_normal(&random);
        }
        conePenalty law = {kinds[i % 4], 6, D, mu, w};
        for (int k = 0; k < 6; ++k) moved[k] = x[k] + h * v[k];
        double plus = tac_cone_penalty_cost(&law, moved);
        for (int k = 0; k < 6; ++k) moved[k] = x[k] - h * v[k];
        double minus = tac_cone_penalty_cost(&law, moved);
        tac_cone_penalty_force(&law, x, f);
        tac_cone_penalty_hessian_mul(&law, x, v, Sv);
        for (int k = 0; k < 6; ++k) {
            slope -= f[k] * v[k];
            curve += Sv[k] * v[k];
        }
        ENSURE_NEAR((plus - minus) / (2.0 * h), slope, 1e-4 * (1.0 + fabs(slope)));
        ENSURE(curve >= -1e-12);
    }
    return 0;
}

//---------------------------------- bad input ------------------------------------

static int bad_problems_are_refused(void) {
    unsigned long long random = 9;
    coneMap m = random_map(1, 0);
    double a[MAP_DOFS], *bad[4];
    random_numbers(&m, 0.1, &random, numbers);
    tacCone cone = cone_map_problem(&m, numbers);
    bad[0] = (double*)cone.D + 1;  // not read: a cone has the D of its normal
    bad[1] = (double*)cone.D;      // 0
    bad[2] = (double*)cone.mu + 3; // negative
    bad[3] = (double*)cone.M;      // not positive definite
    const double value[4] = {-1.0, 0.0, -0.1, -5.0};
    for (int k = 0; k < 4; ++k) {
        int rows = m.block[0].rows;
        double kept = *bad[k];
        *bad[k] = value[k];
        int expected = k == 0 && rows > 1 ? TAC_OK : TAC_ERROR_VALUE;
        ENSURE((int)tac_cone_solve(&cone, 0, a, NULL, memory) == expected);
        *bad[k] = NAN;
        if (k) ENSURE(tac_cone_solve(&cone, 0, a, NULL, memory) == TAC_ERROR_VALUE);
        *bad[k] = kept;
    }
    tacConeBlock wrong = m.block[1];
    tacCone broken = cone;
    coneMap copy = m;
    broken.block = copy.block;
    copy.block[1].row += 1;
    ENSURE(tac_cone_size(&broken) == 0);
    copy.block[1] = wrong;
    copy.column[copy.block[1].column] = 12;
    broken.column = copy.column;
    ENSURE(tac_cone_solve(&broken, 0, a, NULL, memory) == TAC_ERROR_VALUE);
    ENSURE(tac_cone_size(NULL) == 0);
    return 0;
}

// stiffnesses over 12 orders of magnitude: an answer each time (an impedance of 0.9999 has 1e4)
static int extremes_have_answers(void) {
    unsigned long long random = 21;
    int most = 0;
    for (int i = 0; i < test_amount(100, 4000, 100000); ++i) {
        coneMap m = random_map(i, 0);
        double a[MAP_DOFS];
        random_numbers(&m, i % 2 ? 1e-3 : 0.0, &random, numbers);
        tacCone cone = cone_map_problem(&m, numbers);
        for (int r = 0; r < m.rows; ++r)
            ((double*)cone.D)[r] = pow(10.0, tac_check_uniform(&random, -6.0, 6.0));
        tacConeReport report;
        tacResult result = tac_cone_solve(&cone, 0, a, &report, memory);
        if (result != TAC_OK)
            printf("  %d: residual %g of %g, %d iterations\n", i, report.residual, report.scale,
                   report.iterations);
        ENSURE(result == TAC_OK);
        if (report.iterations > most) most = report.iterations;
    }
    printf("  at most %d iterations\n", most);
    return 0;
}

//---------------------------------- derivatives ----------------------------------

static double map_width;

static int sample(const void* map, int i, unsigned long long* random, double* x, double* scale) {
    const coneMap* m = map;
    (void)i;
    random_numbers(m, map_width, random, x);
    for (int k = 0; k < cone_map_numbers(m); ++k) scale[k] = fmin(1.0, fabs(x[k]));
    return m->nv + m->rows;
}

static tacResult hvp(const void* map, const double* x, const double* y_bar, const double* x_dot,
                     double* x_bar_dot) {
    static char work[1 << 20];
    const coneMap* m = map;
    double a[MAP_DOFS];
    tacCone cone = cone_map_problem(m, x);
    tacConeTangent dot = cone_map_tangent(m, x_dot);
    tacConeAdjoint bar = cone_map_adjoint(m, x_bar_dot);
    if (tac_cone_hvp_size(&cone) > sizeof work) return TAC_ERROR_CAPACITY;
    memset(x_bar_dot, 0, sizeof *x_bar_dot * (size_t)cone_map_numbers(m));
    tacResult result = tac_cone_solve(&cone, 0, a, NULL, work);
    if (result != TAC_OK) return result;
    return tac_cone_hvp(&cone, a, y_bar, y_bar + m->nv, &dot, &bar, work);
}

static int prove_width(double width, int points) {
    map_width = width;
    for (int variant = 0; variant < 12; ++variant) {
        coneMap m = random_map(variant, variant % 5 == 0);
        tacCheckProblem problem = {.name = "cone",
                                   .n = cone_map_numbers(&m),
                                   .m = m.nv + m.rows,
                                   .context = &m,
                                   .as_double = &tac_check_cone_double,
                                   .as_complex = &tac_check_cone_complex,
                                   .as_quad = &tac_check_cone_quad,
                                   .hvp = hvp,
                                   .sample = sample};
        tacCheckOptions options = tac_check_default_options();
        options.points = points;
        options.seed += (unsigned long long)variant;
        ENSURE_LAW(prove(&problem, options));
    }
    return prove_summary();
}

// by all numbers: first derivatives by complex step and quad, second ones, Taylor slopes
static int rounded_laws_have_two_derivatives(void) { return prove_width(1.0, 12); }

// between the corners the laws without width have them, too
static int sharp_laws_have_derivatives(void) { return prove_width(0.0, 6); }

TEST_MAIN(RUN(answers_balance_forces), RUN(forces_stay_in_their_cones),
          RUN(answers_have_the_least_cost), RUN(islands_change_no_bit), RUN(corners_are_averages),
          RUN(cones_are_two_corners), RUN(forces_are_slopes_of_convex_costs),
          RUN(bad_problems_are_refused), RUN(extremes_have_answers),
          RUN(rounded_laws_have_two_derivatives), RUN(sharp_laws_have_derivatives))
