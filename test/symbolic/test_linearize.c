// Linearised equations: the bicycle of the published benchmark, pendulums with and without
// constraints, differences of the equations themselves, and what cannot be linearised.

#include "symbolic/mechanisms.h"

#include <stdlib.h>

static int evaluate_exprs(const tacExpr* x, const double* at, int n, const tacExpr* e, int count,
                          double* out) {
    tacProgram* program;
    ENSURE(tac_program_create(g, x, n, e, count, &program) == TAC_OK);
    void* work = malloc(tac_program_size(program));
    tacResult result = tac_program_run(program, at, 1, out, work);
    free(work);
    tac_program_destroy(program);
    ENSURE(result == TAC_OK);
    return 0;
}

//---------------------------------- the bicycle ----------------------------------

// the order of the constants, and their values from the benchmark: Meijaard, Papadopoulos, Ruina
// and Schwab, "Linearized dynamics equations for the balance and steer of a bicycle" (2007)
static const char names[] =
    "WFrad WRrad htangle forkoffset forklength framelength forkcg1 forkcg3 framecg1 framecg3 Iwr11 "
    "Iwr22 Iwf11 Iwf22 Iframe11 Iframe22 Iframe33 Iframe31 Ifork11 Ifork22 Ifork33 Ifork31 g "
    "mframe mfork mwf mwr";
enum {
    WFRAD,
    WRRAD,
    HTANGLE,
    FORKOFFSET,
    FORKLENGTH,
    FRAMELENGTH,
    FORKCG1,
    FORKCG3,
    FRAMECG1,
    FRAMECG3,
    IWR11,
    IWR22,
    IWF11,
    IWF22,
    IFRAME11,
    IFRAME22,
    IFRAME33,
    IFRAME31,
    IFORK11,
    IFORK22,
    IFORK33,
    IFORK31,
    GRAVITY,
    MFRAME,
    MFORK,
    MWF,
    MWR,
    CONSTANTS
};

static void set_benchmark_bicycle(double* c) {
    const double pi = acos(-1.0), rear = 0.3, front = 0.35, trail = 0.08, base = 1.02;
    const double tilt = pi / 2 - pi / 10, s = sin(tilt), k = cos(tilt);
    const double frame_x = 0.3, frame_z = 0.9, fork_x = 0.9, fork_z = 0.7;
    double rake = -(trail * s - front * k), up = fork_z - front, ahead = base - fork_x;
    double arm = sqrt(up * up + ahead * ahead), slope = pi / 2 - tilt - acos(up / arm);
    double lift = frame_z - rear - frame_x / s * k;
    double length = base * k - (front - rear) * s;
    const double values[CONSTANTS] = {front,
                                      rear,
                                      tilt,
                                      rake,
                                      length,
                                      base * s - (rake - (front - rear) * k),
                                      arm * cos(slope) - length,
                                      rake + arm * sin(slope),
                                      lift * s,
                                      frame_x / s + lift * k,
                                      0.0603,
                                      0.12,
                                      0.1405,
                                      0.28,
                                      9.2,
                                      11,
                                      2.8,
                                      -2.4,
                                      0.05892,
                                      0.06,
                                      0.00708,
                                      0.00756,
                                      9.81,
                                      85,
                                      4,
                                      3,
                                      2};
    memcpy(c, values, sizeof values);
}

typedef struct bicycle {
    mechanism k;
    tacExpr q[4], u[6], c[CONSTANTS]; // q: yaw, lean, steer, pitch; u: lean, rear, steer, yaw ..
} bicycle;

static tacExpr moment(tacMechanics* m, tacRefPoint point, tacRefPoint from, tacVector axis) {
    return tac_vector_dot(m, tac_point_pos_from(m, point, from), axis);
}

// rear contact, rear wheel, frame, fork, front wheel, front contact: as SymPy's own test has it
static int make_bicycle(bicycle* b) {
    mechanism* k = &b->k;
    ENSURE_LAW(open_mechanism(k));
    tacMechanics* m = k->m;
    tacExpr *c = b->c, zero = expr_int(0);
    add_constants(k, names, c);
    static const char* const words[] = {"q1", "q2", "q5", "q4", "u2", "u3", "u5", "u1", "u4", "u6"};
    for (int i = 0; i < 10; ++i) *(i < 4 ? &b->q[i] : &b->u[i - 4]) = tac_dynamic(m, words[i]);
    tacExpr q1 = b->q[0], q2 = b->q[1], q5 = b->q[2], q4 = b->q[3];
    tacExpr u2 = b->u[0], u3 = b->u[1], u5 = b->u[2], u1 = b->u[3], u4 = b->u[4], u6 = b->u[5];
    tacRefFrame N = tac_frame(m, "N"), Y = tac_frame(m, "Y"), R = tac_frame(m, "R"),
                F = tac_frame(m, "Frame"), WR = tac_frame(m, "WR"), WF = tac_frame(m, "WF"),
                fork = tac_frame(m, "Fork"), frame_axes = tac_frame(m, "TempFrame"),
                fork_axes = tac_frame(m, "TempFork");
    tac_frame_orient_axis(m, Y, N, AXIS(N, 2), q1);
    tac_frame_orient_axis(m, R, Y, AXIS(Y, 0), q2);
    tac_frame_orient_axis(m, F, R, AXIS(R, 1), expr_add(q4, c[HTANGLE]));
    tac_frame_orient_axis(m, frame_axes, F, AXIS(F, 1), expr_negated(c[HTANGLE]));
    tac_frame_orient_axis(m, fork, F, AXIS(F, 0), q5);
    tac_frame_orient_axis(m, fork_axes, fork, AXIS(fork, 1), expr_negated(c[HTANGLE]));
    tacRefPoint rear = tac_point(m, "WR_cont");
    tacRefPoint hub = tac_point_locate(m, "WR_mc", rear, TIMES(c[WRRAD], AXIS(R, 2)));
    tacRefPoint steer = tac_point_locate(m, "Steer", hub, TIMES(c[FRAMELENGTH], AXIS(F, 2)));
    tacRefPoint body = tac_point_locate(
        m, "Frame_mc", hub, (tacVector){F, expr_negated(c[FRAMECG1]), zero, c[FRAMECG3]});
    tacRefPoint fork_mc = tac_point_locate(
        m, "Fork_mc", steer, (tacVector){fork, expr_negated(c[FORKCG1]), zero, c[FORKCG3]});
    tacRefPoint wheel =
        tac_point_locate(m, "WF_mc", steer, (tacVector){fork, c[FORKLENGTH], zero, c[FORKOFFSET]});
    tacExpr tilt = tac_vector_dot(m, AXIS(fork, 1), AXIS(Y, 2));
    tacVector down = tac_vector_sub(m, TIMES(tilt, AXIS(fork, 1)), AXIS(Y, 2));
    tacRefPoint front =
        tac_point_locate(m, "WF_cont", wheel, TIMES(c[WFRAD], tac_vector_normalize(m, down)));
    tac_frame_set_ang_vel(m, Y, N, TIMES(u1, AXIS(Y, 2)));
    tac_frame_set_ang_vel(m, R, Y, TIMES(u2, AXIS(R, 0)));
    tac_frame_set_ang_vel(m, WR, F, TIMES(u3, AXIS(F, 1)));
    tac_frame_set_ang_vel(m, F, R, TIMES(u4, AXIS(F, 1)));
    tac_frame_set_ang_vel(m, fork, F, TIMES(u5, AXIS(fork, 0)));
    tac_frame_set_ang_vel(m, WF, fork, TIMES(u6, AXIS(fork, 1)));
    tac_point_set_vel(m, rear, N, zero_velocity(m, N));
    tac_point_v2pt_theory(m, hub, rear, N, WR);
    tac_point_v2pt_theory(m, steer, hub, N, F);
    tac_point_v2pt_theory(m, body, hub, N, F);
    tac_point_v2pt_theory(m, fork_mc, steer, N, fork);
    tac_point_v2pt_theory(m, wheel, steer, N, fork);
    tacVector slip = tac_point_v2pt_theory(m, front, wheel, N, WF);
    tac_rigid_body(
        m, "frame", body, F, c[MFRAME],
        tac_inertia(m, frame_axes, c[IFRAME11], c[IFRAME22], c[IFRAME33], zero, zero, c[IFRAME31]),
        body);
    tac_rigid_body(
        m, "fork", fork_mc, fork, c[MFORK],
        tac_inertia(m, fork_axes, c[IFORK11], c[IFORK22], c[IFORK33], zero, zero, c[IFORK31]),
        fork_mc);
    tac_rigid_body(m, "rear wheel", hub, WR, c[MWR],
                   tac_inertia(m, F, c[IWR11], c[IWR22], c[IWR11], zero, zero, zero), hub);
    tac_rigid_body(m, "front wheel", wheel, WF, c[MWF],
                   tac_inertia(m, fork, c[IWF11], c[IWF22], c[IWF11], zero, zero, zero), wheel);
    const tacRefPoint heavy[] = {body, fork_mc, wheel, hub};
    const int masses[] = {MFRAME, MFORK, MWF, MWR};
    for (int i = 0; i < 4; ++i)
        tac_apply_force(m, heavy[i],
                        TIMES(expr_negated(expr_mul(c[masses[i]], c[GRAVITY])), AXIS(Y, 2)));
    tacExpr kinematic[4] = {expr_sub(tac_dt(m, q1), u1), expr_sub(tac_dt(m, q2), u2),
                            expr_sub(tac_dt(m, q5), u5), expr_sub(tac_dt(m, q4), u4)};
    tacExpr bonds[3], height = moment(m, front, rear, AXIS(Y, 2));
    for (int i = 0; i < 3; ++i) bonds[i] = tac_vector_dot(m, slip, AXIS(Y, i));
    tacKane setup = {.frame = N,
                     .q_ind = b->q,
                     .q_dep = b->q + 3,
                     .u_ind = b->u,
                     .u_dep = b->u + 3,
                     .kinematic = kinematic,
                     .configuration = &height,
                     .velocity = bonds,
                     .nq_ind = 3,
                     .nq_dep = 1,
                     .nu_ind = 3,
                     .nu_dep = 3};
    tacResult result = tac_kanes_method(m, &setup, &k->f);
    tacMessage message;
    if (tac_graph_result(g, &message) != TAC_OK) printf("    %s\n", message.text);
    ENSURE(result == TAC_OK);
    return 0;
}

// rows and columns lean, steer and their rates; figures of SymPy's test_kane3
static int bicycle_matches_the_benchmark(void) {
    bicycle b;
    ENSURE_LAW(make_bicycle(&b));
    double values[CONSTANTS], A[36], worst = 0.0;
    tacExpr x[CONSTANTS + 10], y[CONSTANTS + 10], out[36], v = expr_symbol("v");
    set_benchmark_bicycle(values);
    for (int i = 0; i < CONSTANTS; ++i) {
        x[i] = b.c[i];
        y[i] = tac_number(g, values[i]);
    }
    for (int i = 0; i < 10; ++i) {
        x[CONSTANTS + i] = i < 4 ? b.q[i] : b.u[i - 4];
        y[CONSTANTS + i] = expr_int(0);
    }
    y[CONSTANTS + 5] = expr_div(v, tac_number(g, 0.3));
    y[CONSTANTS + 9] = expr_div(v, tac_number(g, 0.35));
    tacOperatingPoint at = {x, y, CONSTANTS + 10};
    ENSURE(tac_method_linearize(b.k.f, at, NULL, 0, out, NULL) == TAC_OK);
    for (double speed = 0.0; speed < 5.5; speed += 1.0) {
        const double expected[4][4] = {
            {0.0, 0.0, 1.0, 0.0},
            {0.0, 0.0, 0.0, 1.0},
            {9.48977444677355, -0.891197738059089 * speed * speed - 0.571523173729245,
             -0.105522449805691 * speed, -0.330515398992311 * speed},
            {11.7194768719633, -1.97171508499972 * speed * speed + 30.9087533932407,
             3.67680523332152 * speed, -3.08486552743311 * speed}};
        const int pick[] = {1, 2, 3, 5};
        ENSURE_LAW(evaluate_exprs(&v, &speed, 1, out, 36, A));
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                worst = fmax(worst, fabs(A[6 * pick[i] + pick[j]] - expected[i][j]));
    }
    printf("    bicycle: %.1e from the published figures\n", worst);
    ENSURE(worst < 1e-12);
    close_mechanism(&b.k);
    return 0;
}

//---------------------------------- pendulums ------------------------------------

// A = [0 1; -g/l 0] of a mass that is held on a circle by a constraint, at rest where the weight
// points along the rod: hanging, standing, and with a weight that pulls sideways
static int constrained_pendulum_swings(void) {
    static const double along[][2] = {{0.0, -1.0}, {0.0, 1.0}, {0.6, -0.8}};
    for (int i = 0; i < 3; ++i) {
        mechanism k;
        ENSURE_LAW(open_mechanism(&k));
        tacMechanics* m = k.m;
        tacExpr x = tac_dynamic(m, "x"), y = tac_dynamic(m, "y"), c[3], A[4], q[2] = {x, y};
        add_constants(&k, "m l g", c);
        tacRefFrame N = tac_frame(m, "N");
        tacRefPoint O = tac_point(m, "O");
        tac_point_set_vel(m, O, N, zero_velocity(m, N));
        tacRefPoint P = tac_point_locate(m, "P", O, (tacVector){N, x, y, expr_int(0)});
        int body = tac_particle(m, "bob", P, c[0]), sign = i == 1 ? -1 : 1;
        tacExpr a[2] = {tac_decimal(g, along[i][0]), tac_decimal(g, along[i][1])};
        tacExpr fall = expr_mul(
            expr_int(sign), expr_add(expr_mul(a[0], x), expr_mul(a[1], y))); // standing: against it
        tac_set_potential_energy(m, body,
                                 expr_mul(expr_int(-1), expr_mul(expr_mul(c[0], c[2]), fall)));
        tacExpr circle = expr_sub(expr_add(expr_pow(x, 2), expr_pow(y, 2)), expr_pow(c[1], 2));
        tacLagrange setup = {.frame = N,
                             .L = tac_lagrangian(m, N),
                             .q = q,
                             .holonomic = &circle,
                             .nq = 2,
                             .nholonomic = 1};
        ENSURE(tac_lagranges_method(m, &setup, &k.f) == TAC_OK);
        // at rest the constraint carries the weight: -2 l lambda = +- m g
        tacExpr lambda =
            expr_div(expr_mul(expr_int(-sign), expr_mul(c[0], c[2])), expr_mul(expr_int(2), c[1]));
        tacExpr from[] = {x, y, tac_dt(m, x), tac_dt(m, y), tac_symbol(g, "lam1")};
        tacExpr to[] = {expr_mul(a[0], c[1]), expr_mul(a[1], c[1]), expr_int(0), expr_int(0),
                        lambda};
        tacOperatingPoint at = {from, to, 5};
        ENSURE(tac_method_linearize(k.f, at, NULL, 0, A, NULL) == TAC_OK);
        double point[] = {1.3, 0.7, 9.81}, slope[4];
        ENSURE_LAW(evaluate_exprs(c, point, 3, A, 4, slope));
        ENSURE(slope[0] == 0.0 && slope[1] == 1.0);
        ENSURE_NEAR(slope[2], -sign * 9.81 / 0.7, 1e-12);
        ENSURE_NEAR(slope[3], 0.0, 1e-13);
        close_mechanism(&k);
    }
    return 0;
}

// A and B of two links on a cart, away from rest, are differences of the solved equations
static int slopes_are_those_of_the_equations(void) {
    mechanism k;
    ENSURE_LAW(pendulum_on_cart(&k, 2));
    enum { N = 3, X = 6 };
    tacExpr rhs[N], A[X * X], B[X], F = k.in[k.inputs - 1];
    double at[MOST_INPUTS], a[X * X], b[X], plus[N], less[N], z[N], worst = 0.0;
    testRandom random = {4};
    for (int i = 0; i < k.inputs; ++i) at[i] = test_uniform(&random, 0.3, 1.0);
    ENSURE(tac_method_rhs(k.f, rhs) == TAC_OK);
    ENSURE_LAW(evaluate_exprs(k.in, at, k.inputs, rhs, N, z));
    tacExpr from[N], to[N];
    for (int i = 0; i < N; ++i) {
        from[i] = k.f->u_dot[i];
        to[i] = tac_number(g, z[i]);
    }
    tacOperatingPoint point = {from, to, N};
    ENSURE(tac_method_linearize(k.f, point, &F, 1, A, B) == TAC_OK);
    ENSURE_LAW(evaluate_exprs(k.in, at, k.inputs, A, X * X, a));
    ENSURE_LAW(evaluate_exprs(k.in, at, k.inputs, B, X, b));
    for (int j = 0; j <= X; ++j) {
        int place = j < X ? j : k.inputs - 1;
        const double h = 1e-6, middle = at[place];
        at[place] = middle + h;
        ENSURE_LAW(evaluate_exprs(k.in, at, k.inputs, rhs, N, plus));
        at[place] = middle - h;
        ENSURE_LAW(evaluate_exprs(k.in, at, k.inputs, rhs, N, less));
        at[place] = middle;
        for (int i = 0; i < N; ++i) {
            double slope = (plus[i] - less[i]) / (2.0 * h);
            double ours = j < X ? a[X * (N + i) + j] : b[N + i];
            worst = fmax(worst, fabs(ours - slope) / (1.0 + fabs(slope)));
        }
    }
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < X; ++j) ENSURE(a[X * i + j] == (j == N + i));
    printf("    two links on a cart: %.1e from differences\n", worst);
    ENSURE(worst < 1e-8);
    close_mechanism(&k);
    return 0;
}

//---------------------------------- refusals -------------------------------------

static int fails_with(tacResult result, const char* word) {
    tacMessage message;
    ENSURE(result == TAC_ERROR_VALUE);
    ENSURE(tac_graph_result(g, &message) == TAC_ERROR_VALUE);
    if (!strstr(message.text, word)) printf("    %s\n", message.text);
    ENSURE(strstr(message.text, word));
    return 0;
}

static int bad_operating_points_are_reported(void) {
    mechanism k;
    ENSURE_LAW(four_bar(&k, 0));
    tacExpr x[20], y[20], A[4];
    for (int i = 0; i < k.inputs; ++i) {
        x[i] = k.in[i];
        y[i] = expr_int(i < 6 || i == 14 ? 0 : 1);
    }
    tacOperatingPoint at = {x, y, k.inputs};
    // three lengths in a row reach 3, and the pivots are 1 apart
    ENSURE_LAW(fails_with(tac_method_linearize(k.f, at, NULL, 0, A, NULL),
                          "violates configuration constraint 0"));
    y[12] = expr_int(3); // now the rods lie on one line, and cannot say which way the last two fold
    ENSURE_LAW(fails_with(tac_method_linearize(k.f, at, NULL, 0, A, NULL), "do not determine q"));
    at.n = 1;
    x[0] = expr_add(k.in[0], k.in[1]);
    ENSURE_LAW(fails_with(tac_method_linearize(k.f, at, NULL, 0, A, NULL), "not a symbol"));
    close_mechanism(&k);
    return 0;
}

TEST_MAIN(RUN(bicycle_matches_the_benchmark), RUN(constrained_pendulum_swings),
          RUN(slopes_are_those_of_the_equations), RUN(bad_operating_points_are_reported))
