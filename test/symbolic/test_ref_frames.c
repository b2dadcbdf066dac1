// Frames, points, vectors and dyadics obey the laws they are named after; what is missing is
// reported by name.

#include "mesh/failing_allocator.h"
#include "symbolic/mechanisms.h"

#include <stdlib.h>

enum { SYMBOLS = 6, POINTS = 20 };

// q0 q1 q2 turn, their rates; 1 if all of an expression's numbers are below a bound at random
// points
static double largest_value(tacMechanics* m, const tacExpr* e, int count) {
    tacExpr x[3 * SYMBOLS];
    double at[3 * SYMBOLS], out[64], worst = 0.0;
    testRandom random = {9};
    tacProgram* program;
    for (int i = 0; i < SYMBOLS; ++i) {
        x[i] = dynamic_symbol(m, 'q', i);
        x[SYMBOLS + i] = tac_dt(m, x[i]);
        x[2 * SYMBOLS + i] = tac_dt(m, x[SYMBOLS + i]);
    }
    if (tac_program_create(g, x, 3 * SYMBOLS, e, count, &program) != TAC_OK) return INFINITY;
    void* work = malloc(tac_program_size(program));
    for (int p = 0; p < POINTS; ++p) {
        for (int i = 0; i < 3 * SYMBOLS; ++i) at[i] = test_uniform(&random, -1.0, 1.0);
        if (tac_program_run(program, at, 1, out, work) != TAC_OK) worst = INFINITY;
        for (int i = 0; i < count; ++i) worst = fmax(worst, fabs(out[i]));
    }
    free(work);
    tac_program_destroy(program);
    return worst;
}

static int vanishes(tacMechanics* m, tacVector a) {
    const tacExpr parts[3] = {a.x, a.y, a.z};
    double worst = largest_value(m, parts, 3);
    if (!(worst < 1e-12)) printf("    off by %.3g\n", worst);
    ENSURE(worst < 1e-12);
    return 0;
}

#define SAME(a, b) ENSURE_LAW(vanishes(m, tac_vector_sub(m, a, b)))

typedef struct stage {
    mechanism k;
    tacExpr q[SYMBOLS];
    tacRefFrame N, B[4]; // by axis, body angles, space angles, and B[2] turned again
} stage;

static int set_stage(stage* s) {
    ENSURE_LAW(open_mechanism(&s->k));
    tacMechanics* m = s->k.m;
    for (int i = 0; i < SYMBOLS; ++i) s->q[i] = dynamic_symbol(m, 'q', i);
    s->N = tac_frame(m, "N");
    for (int i = 0; i < 4; ++i) s->B[i] = tac_frame(m, "B");
    tacVector skew = {s->N, expr_int(1), expr_int(-2), expr_int(2)};
    ENSURE(tac_frame_orient_axis(m, s->B[0], s->N, skew, s->q[0]) == TAC_OK);
    ENSURE(tac_frame_orient_body(m, s->B[1], s->N, s->q, "ZXZ") == TAC_OK);
    ENSURE(tac_frame_orient_space(m, s->B[2], s->N, s->q + 1, "123") == TAC_OK);
    ENSURE(tac_frame_orient_body(m, s->B[3], s->B[2], s->q + 3, "xyz") == TAC_OK);
    return 0;
}

//---------------------------------- laws -----------------------------------------

// the axes stay square, and their rate in N is w x axis: d/dt of the parts along N
static int frames_turn_with_their_angular_velocity(void) {
    stage s;
    ENSURE_LAW(set_stage(&s));
    tacMechanics* m = s.k.m;
    for (int f = 0; f < 4; ++f) {
        tacVector w = tac_frame_ang_vel(m, s.B[f], s.N);
        for (int i = 0; i < 3; ++i) {
            tacVector axis = tac_vector_express(m, AXIS(s.B[f], i), s.N);
            tacVector rate = {s.N, tac_dt(m, axis.x), tac_dt(m, axis.y), tac_dt(m, axis.z)};
            SAME(rate, tac_vector_cross(m, w, AXIS(s.B[f], i)));
            SAME(rate, tac_vector_dt(m, AXIS(s.B[f], i), s.N));
            for (int j = 0; j < 3; ++j) {
                tacExpr part = tac_vector_dot(m, axis, AXIS(s.B[f], j));
                tacExpr off = expr_sub(part, expr_int(i == j));
                ENSURE(largest_value(m, &off, 1) < 1e-14);
            }
        }
        SAME(tac_vector_cross(m, AXIS(s.B[f], 0), AXIS(s.B[f], 1)), AXIS(s.B[f], 2));
    }
    close_mechanism(&s.k);
    return 0;
}

// a turn about z by q0, the matrix of the textbook; body angles are axis turns one after the other
static int orientations_match_the_textbook(void) {
    stage s;
    ENSURE_LAW(set_stage(&s));
    tacMechanics* m = s.k.m;
    tacRefFrame A = tac_frame(m, "A"), last = s.N, Q = tac_frame(m, "Q");
    tacExpr dcm[9], c = expr_call(TAC_OP_COS, s.q[0]), sine = expr_call(TAC_OP_SIN, s.q[0]);
    ENSURE(tac_frame_orient_axis(m, A, s.N, AXIS(s.N, 2), s.q[0]) == TAC_OK);
    ENSURE(tac_frame_dcm(m, A, s.N, dcm) == TAC_OK);
    ENSURE(dcm[0] == c && dcm[1] == sine && dcm[3] == expr_negated(sine) && dcm[4] == c);
    ENSURE(dcm[2] == expr_int(0) && dcm[8] == expr_int(1));
    static const int order[] = {2, 0, 2};
    for (int i = 0; i < 3; ++i) {
        tacRefFrame next = tac_frame(m, "step");
        ENSURE(tac_frame_orient_axis(m, next, last, AXIS(last, order[i]), s.q[i]) == TAC_OK);
        last = next;
    }
    for (int i = 0; i < 3; ++i) SAME(AXIS(last, i), AXIS(s.B[1], i));
    SAME(tac_frame_ang_vel(m, last, s.N), tac_frame_ang_vel(m, s.B[1], s.N));
    // space angles about x, then y, then z of the parent: the last turn is outermost
    tacRefFrame turn[3];
    last = s.N;
    for (int i = 2; i >= 0; --i) {
        turn[i] = tac_frame(m, "step");
        ENSURE(tac_frame_orient_axis(m, turn[i], last, AXIS(last, i), s.q[1 + i]) == TAC_OK);
        last = turn[i];
    }
    for (int i = 0; i < 3; ++i) SAME(AXIS(last, i), AXIS(s.B[2], i));
    // the quaternion of a turn by q0 about a skew unit axis
    tacExpr half = expr_mul(tac_fraction(g, 1, 2), s.q[0]), up = expr_call(TAC_OP_SIN, half);
    tacExpr quaternion[4] = {expr_call(TAC_OP_COS, half), expr_mul(tac_fraction(g, 1, 3), up),
                             expr_mul(tac_fraction(g, -2, 3), up),
                             expr_mul(tac_fraction(g, 2, 3), up)};
    ENSURE(tac_frame_orient_quaternion(m, Q, s.N, quaternion) == TAC_OK);
    for (int i = 0; i < 3; ++i) SAME(AXIS(Q, i), AXIS(s.B[0], i));
    SAME(tac_frame_ang_vel(m, Q, s.N), tac_frame_ang_vel(m, s.B[0], s.N));
    close_mechanism(&s.k);
    return 0;
}

// velocities by the theorems are rates of the places; accelerations are rates of velocities
static int point_velocities_are_rates_of_positions(void) {
    stage s;
    ENSURE_LAW(set_stage(&s));
    tacMechanics* m = s.k.m;
    tacExpr* q = s.q;
    tacRefPoint O = tac_point(m, "O"), P, R, S;
    tac_point_set_vel(m, O, s.N, zero_velocity(m, s.N));
    P = tac_point_locate(m, "P", O, (tacVector){s.B[2], expr_int(1), expr_int(2), expr_int(-1)});
    R = tac_point_locate(m, "R", P, (tacVector){s.B[3], expr_int(3), expr_int(1), expr_int(2)});
    S = tac_point_locate(m, "S", P, (tacVector){s.B[3], q[0], expr_mul(q[1], q[2]), q[5]});
    tacVector by_rate = tac_vector_dt(m, tac_point_pos_from(m, R, O), s.N);
    SAME(tac_point_vel(m, R, s.N), by_rate);
    tac_point_v2pt_theory(m, P, O, s.N, s.B[2]);
    SAME(tac_point_v2pt_theory(m, R, P, s.N, s.B[3]), by_rate);
    // from the nearest point whose velocity was set
    tacRefPoint T = tac_point_locate(m, "T", R, (tacVector){s.B[1], q[3], expr_int(1), q[4]});
    SAME(tac_point_vel(m, T, s.N), tac_vector_dt(m, tac_point_pos_from(m, T, O), s.N));
    by_rate = tac_vector_dt(m, tac_point_pos_from(m, S, O), s.N);
    SAME(tac_point_v1pt_theory(m, S, P, s.N, s.B[3]), by_rate);
    SAME(tac_point_vel(m, S, s.N), by_rate);
    SAME(tac_point_acc(m, S, s.N), tac_vector_dt(m, by_rate, s.N));
    // seen from the other side
    SAME(tac_point_pos_from(m, O, S), TIMES(expr_int(-1), tac_point_pos_from(m, S, O)));
    SAME(tac_frame_ang_vel(m, s.N, s.B[3]), TIMES(expr_int(-1), tac_frame_ang_vel(m, s.B[3], s.N)));
    SAME(tac_frame_ang_acc(m, s.B[3], s.N),
         tac_vector_dt(m, tac_frame_ang_vel(m, s.B[3], s.N), s.N));
    close_mechanism(&s.k);
    return 0;
}

// (a b) . c = a (b . c); an inertia in other axes has the same energy; its rate is that of its
// numbers
static int dyadics_are_bilinear(void) {
    stage s;
    ENSURE_LAW(set_stage(&s));
    tacMechanics* m = s.k.m;
    tacExpr* q = s.q;
    tacVector a = {s.B[1], q[0], q[1], expr_int(2)}, b = {s.B[3], q[4], expr_int(1), q[5]};
    tacVector c = {s.N, q[2], expr_int(-1), q[3]};
    tacDyadic ab = tac_dyadic_outer(m, a, b);
    SAME(tac_dyadic_dot(m, ab, c), TIMES(tac_vector_dot(m, b, c), a));
    SAME(tac_dyadic_dot(m, tac_dyadic_express(m, ab, s.B[0]), c), tac_dyadic_dot(m, ab, c));
    tacDyadic sum = tac_dyadic_add(m, tac_dyadic_scale(m, q[3], ab), tac_dyadic_outer(m, b, a));
    SAME(tac_dyadic_dot(m, sum, c), PLUS(TIMES(expr_mul(q[3], tac_vector_dot(m, b, c)), a),
                                         TIMES(tac_vector_dot(m, a, c), b)));
    // d(ab)/dt . c = a' (b.c) + a (b'.c), as seen from B0
    tacVector a_dot = tac_vector_dt(m, a, s.B[0]), b_dot = tac_vector_dt(m, b, s.B[0]);
    SAME(tac_dyadic_dot(m, tac_dyadic_dt(m, ab, s.B[0]), c),
         PLUS(TIMES(tac_vector_dot(m, b, c), a_dot), TIMES(tac_vector_dot(m, b_dot, c), a)));
    tacVector unit = tac_vector_normalize(m, a);
    tacExpr one = expr_sub(tac_vector_magnitude(m, unit), expr_int(1));
    ENSURE(largest_value(m, &one, 1) < 1e-14);
    close_mechanism(&s.k);
    return 0;
}

// an inertia about another point is moved to the centre of mass: the energy does not care
static int inertia_may_be_about_any_point(void) {
    tacExpr energy[2];
    mechanism k;
    ENSURE_LAW(open_mechanism(&k));
    for (int way = 0; way < 2; ++way) {
        tacMechanics* m;
        ENSURE(tac_mechanics_create(g, &m) == TAC_OK);
        tacExpr q[3] = {dynamic_symbol(m, 'q', 0), dynamic_symbol(m, 'q', 1),
                        dynamic_symbol(m, 'q', 2)},
                zero = expr_int(0);
        tacRefFrame N = tac_frame(m, "N"), B = tac_frame(m, "B");
        tac_frame_orient_body(m, B, N, q, "XYZ");
        tacRefPoint O = tac_point(m, "O");
        tac_point_set_vel(m, O, N, zero_velocity(m, N));
        tacRefPoint C =
            tac_point_locate(m, "C", O, (tacVector){B, expr_int(1), expr_int(2), expr_int(3)});
        tac_point_v2pt_theory(m, C, O, N, B);
        // mass 2 at (1, 2, 3): 2 (r.r 1 - r r) more about O
        tacDyadic I =
            way ? tac_inertia(m, B, expr_int(36), expr_int(40), expr_int(30), expr_int(-4),
                              expr_int(-12), expr_int(-6))
                : tac_inertia(m, B, expr_int(10), expr_int(20), expr_int(20), zero, zero, zero);
        tac_rigid_body(m, "body", C, B, expr_int(2), I, way ? O : C);
        energy[way] = tac_mechanics_kinetic_energy(m, N);
        tac_mechanics_destroy(m);
    }
    tacExpr off = expr_sub(energy[0], energy[1]);
    ENSURE(tac_graph_result(g, NULL) == TAC_OK);
    ENSURE(largest_value(k.m, &off, 1) < 1e-12);
    close_mechanism(&k);
    return 0;
}

// An inertia that does not turn with its body: the momentum I w changes with w alone, and w as seen
// from N with the speeds held does not change at all.
static int inertia_may_turn_in_its_body(void) {
    mechanism k;
    ENSURE_LAW(open_mechanism(&k));
    tacMechanics* m = k.m;
    tacExpr q[3], u[3], kinematic[3], zero = expr_int(0);
    for (int i = 0; i < 3; ++i) {
        q[i] = dynamic_symbol(m, 'q', i);
        u[i] = dynamic_symbol(m, 'q', 3 + i);
    }
    tacRefFrame N = tac_frame(m, "N"), B = tac_frame(m, "B");
    tac_frame_orient_body(m, B, N, q, "XYZ");
    tacVector spin = tac_frame_ang_vel(m, B, N), w = {B, u[0], u[1], u[2]};
    for (int i = 0; i < 3; ++i)
        kinematic[i] = tac_vector_dot(m, tac_vector_sub(m, w, spin), AXIS(B, i));
    tac_frame_set_ang_vel(m, B, N, w);
    tacRefPoint O = tac_point(m, "O");
    tac_point_set_vel(m, O, N, zero_velocity(m, N));
    tacDyadic I =
        tac_inertia(m, N, expr_int(2), expr_int(3), expr_int(4), tac_fraction(g, 1, 2), zero, zero);
    tac_rigid_body(m, "body", O, B, expr_int(1), I, O);
    tacKane setup = {
        .frame = N, .q_ind = q, .u_ind = u, .kinematic = kinematic, .nq_ind = 3, .nu_ind = 3};
    ENSURE(tac_kanes_method(m, &setup, &k.f) == TAC_OK);
    ENSURE(largest_value(m, k.f->forcing, 3) < 1e-12);
    close_mechanism(&k);
    return 0;
}

static int rates_have_names(void) {
    mechanism k;
    ENSURE_LAW(open_mechanism(&k));
    tacExpr q = tac_dynamic(k.m, "q"), l = expr_symbol("l"), rate = tac_dt(k.m, q);
    ENSURE(rate == expr_symbol("q_dot") && tac_dt(k.m, rate) == expr_symbol("q_ddot"));
    ENSURE(tac_dt(k.m, tac_dt(k.m, rate)) == expr_symbol("q_dddot") &&
           tac_dt(k.m, l) == expr_int(0));
    ENSURE(tac_dt(k.m, expr_mul(l, expr_pow(q, 2))) ==
           expr_mul(expr_int(2), expr_mul(l, expr_mul(q, rate))));
    ENSURE(tac_dt(k.m, tac_dynamic(k.m, "robot")) == expr_symbol("robot_dot"));
    close_mechanism(&k);
    return 0;
}

// A pendulum of length 3 and mass 2 whose support goes sideways by sin(5 t): the textbook's
// 18 q'' = -6 g sin q + 150 sin(5 t) cos q, with gravity along x and q from there.
static int supports_may_move_by_a_law(void) {
    for (int by_lagrange = 0; by_lagrange < 2; ++by_lagrange) {
        mechanism k;
        ENSURE_LAW(open_mechanism(&k));
        tacMechanics* m = k.m;
        tacExpr q = dynamic_symbol(m, 'q', 0), u = dynamic_symbol(m, 'u', 0), t = tac_time(m),
                clock;
        tacExpr gravity = expr_int(10), kinematic = expr_sub(tac_dt(m, q), u), rate = tac_dt(m, q);
        tacExpr swing = expr_call(TAC_OP_SIN, expr_mul(expr_int(5), t));
        ENSURE(t == expr_symbol("t") && tac_time(m) == t && tac_dt(m, t) == expr_int(1));
        ENSURE(tac_dt(m, expr_mul(q, t)) == expr_add(q, expr_mul(t, rate)));
        tacRefFrame N = tac_frame(m, "N"), B = tac_frame(m, "B");
        tac_frame_orient_axis(m, B, N, AXIS(N, 2), q);
        if (!by_lagrange) tac_frame_set_ang_vel(m, B, N, TIMES(u, AXIS(N, 2)));
        tacRefPoint O = tac_point(m, "O");
        tac_point_set_vel(m, O, N, zero_velocity(m, N));
        tacRefPoint S = tac_point_locate(m, "S", O, TIMES(swing, AXIS(N, 1)));
        tacRefPoint P = tac_point_locate(m, "P", S, TIMES(expr_int(3), AXIS(B, 0)));
        tac_point_set_vel(m, S, N, TIMES(tac_dt(m, swing), AXIS(N, 1)));
        tac_point_v2pt_theory(m, P, S, N, B);
        tac_particle(m, "bob", P, expr_int(2));
        tac_apply_force(m, P, TIMES(expr_mul(expr_int(2), gravity), AXIS(N, 0)));
        tacKane kane = {.frame = N, .q_ind = &q, .u_ind = &u, .kinematic = &kinematic};
        kane.nq_ind = kane.nu_ind = 1;
        tacLagrange lagrange = {.frame = N, .L = tac_lagrangian(m, N), .q = &q, .nq = 1};
        ENSURE((by_lagrange ? tac_lagranges_method(m, &lagrange, &k.f)
                            : tac_kanes_method(m, &kane, &k.f)) == TAC_OK);
        tacExpr own = expr_add(expr_mul(expr_int(-60), expr_call(TAC_OP_SIN, q)),
                               expr_mul(expr_mul(expr_int(150), swing), expr_call(TAC_OP_COS, q)));
        tacExpr off[2] = {expr_sub(k.f->M[0], expr_int(18)), expr_sub(k.f->forcing[0], own)};
        clock = dynamic_symbol(m, 'q', 1);
        ENSURE(tac_expr_substitute(g, off, 2, &t, &clock, 1, off) == TAC_OK);
        if (!by_lagrange) ENSURE(tac_expr_substitute(g, off, 2, &u, &rate, 1, off) == TAC_OK);
        ENSURE(largest_value(m, off, 2) < 1e-12);
        close_mechanism(&k);
    }
    return 0;
}

//---------------------------------- refusals -------------------------------------

static int fails_with(const char* word) {
    tacMessage message;
    ENSURE(tac_graph_result(g, &message) == TAC_ERROR_VALUE);
    if (!strstr(message.text, word)) printf("    %s\n", message.text);
    ENSURE(strstr(message.text, word));
    return 0;
}

static int what_is_missing_is_named(void) {
    stage s;
    ENSURE_LAW(set_stage(&s));
    tacMechanics* m = s.k.m;
    tacRefFrame lost = tac_frame(m, "Lost");
    tacRefPoint P = tac_point(m, "Paul"), Q = tac_point(m, "Quentin");
    ENSURE(PLUS(AXIS(s.N, 0), AXIS(lost, 1)).frame < 0);
    ENSURE_LAW(fails_with("frames Lost and N are not oriented"));
    ENSURE(tac_frame_ang_vel(m, lost, s.N).frame < 0);
    ENSURE_LAW(fails_with("angular velocity of frame Lost in frame N"));
    ENSURE(tac_point_vel(m, P, s.N).frame < 0);
    ENSURE_LAW(fails_with("velocity of point Paul in frame N"));
    ENSURE(tac_point_pos_from(m, P, Q).frame < 0);
    ENSURE_LAW(fails_with("from point Quentin to point Paul"));
    ENSURE(tac_frame_orient_axis(m, s.N, s.B[3], AXIS(s.N, 0), s.q[0]) == TAC_ERROR_VALUE);
    ENSURE_LAW(fails_with("frame N would be oriented by itself"));
    ENSURE(tac_frame_orient_body(m, lost, s.N, s.q, "XXY") == TAC_ERROR_VALUE);
    ENSURE_LAW(fails_with("\"XXY\""));
    ENSURE(tac_vector_normalize(m, zero_velocity(m, s.N)).frame < 0);
    ENSURE_LAW(fails_with("division by zero"));
    ENSURE(tac_frame_axis(m, s.N, 3).frame < 0);
    ENSURE_LAW(fails_with("no axis 3"));
    ENSURE(tac_frame_axis(m, 77, 0).frame < 0);
    ENSURE_LAW(fails_with("no frame 77"));
    ENSURE(tac_particle(m, "bob", 99, expr_int(1)) < 0);
    ENSURE_LAW(fails_with("no point 99"));
    close_mechanism(&s.k);
    return 0;
}

// mechanisms that have no equations
static int impossible_mechanisms_are_reported(void) {
    mechanism k;
    ENSURE_LAW(open_mechanism(&k));
    tacMechanics* m = k.m;
    tacExpr q[2] = {dynamic_symbol(m, 'q', 0), dynamic_symbol(m, 'q', 1)}, kinematic[2], bond[1];
    tacExpr u[2] = {dynamic_symbol(m, 'u', 0), dynamic_symbol(m, 'u', 1)};
    plain_rates(m, q, u, 2, kinematic);
    tacRefFrame N = tac_frame(m, "N");
    tacRefPoint O = tac_point(m, "O"), P = tac_point(m, "P");
    tac_point_set_vel(m, O, N, zero_velocity(m, N));
    tac_point_set_vel(m, P, N, TIMES(u[0], AXIS(N, 0)));
    tacKane setup = {
        .frame = N, .q_ind = q, .u_ind = u, .kinematic = kinematic, .nq_ind = 2, .nu_ind = 2};
    ENSURE(tac_kanes_method(m, &setup, &k.f) == TAC_ERROR_VALUE && !k.f);
    ENSURE_LAW(fails_with("needs a particle"));
    tac_particle(m, "bob", P, expr_symbol("m"));
    ENSURE(tac_kanes_method(m, &setup, &k.f) == TAC_ERROR_VALUE && !k.f);
    ENSURE_LAW(fails_with("resists speed u1"));
    kinematic[1] = expr_sub(kinematic[0], u[1]);
    ENSURE(tac_kanes_method(m, &setup, &k.f) == TAC_ERROR_VALUE);
    ENSURE_LAW(fails_with("do not determine q1_dot"));
    kinematic[1] = expr_sub(expr_pow(tac_dt(m, q[1]), 2), u[1]);
    ENSURE(tac_kanes_method(m, &setup, &k.f) == TAC_ERROR_VALUE);
    ENSURE_LAW(fails_with("linear in q1_dot"));
    plain_rates(m, q, u, 2, kinematic);
    // 0 = 1 and 0 u1 = 0: neither says what u1 is
    for (int i = 0; i < 2; ++i) {
        bond[0] =
            i ? expr_mul(expr_sub(expr_pow(expr_call(TAC_OP_SIN, expr_mul(expr_int(2), q[0])), 2),
                                  expr_mul(expr_int(4),
                                           expr_mul(expr_pow(expr_call(TAC_OP_SIN, q[0]), 2),
                                                    expr_pow(expr_call(TAC_OP_COS, q[0]), 2)))),
                         u[1])
              : expr_int(1);
        tacKane bound = {.frame = N,
                         .q_ind = q,
                         .u_ind = u,
                         .u_dep = u + 1,
                         .velocity = bond,
                         .kinematic = kinematic,
                         .nq_ind = 2,
                         .nu_ind = 1,
                         .nu_dep = 1};
        ENSURE(tac_kanes_method(m, &bound, &k.f) == TAC_ERROR_VALUE);
        ENSURE_LAW(fails_with("do not determine speed u1"));
    }
    tacExpr twice[2] = {expr_sub(q[0], q[1]),
                        expr_sub(expr_mul(expr_int(2), q[0]), expr_mul(expr_int(2), q[1]))};
    tacExpr T = expr_mul(tac_fraction(g, 1, 2),
                         expr_add(expr_pow(tac_dt(m, q[0]), 2), expr_pow(tac_dt(m, q[1]), 2)));
    tacLagrange lagrange = {
        .frame = N, .L = T, .q = q, .holonomic = twice, .nq = 2, .nholonomic = 2};
    ENSURE(tac_lagranges_method(m, &lagrange, &k.f) == TAC_ERROR_VALUE);
    ENSURE_LAW(fails_with("repeat or contradict each other: lam"));
    twice[0] = expr_sub(q[0], tac_dt(m, q[1]));
    lagrange.nholonomic = 1;
    ENSURE(tac_lagranges_method(m, &lagrange, &k.f) == TAC_ERROR_VALUE);
    ENSURE_LAW(fails_with("holonomic constraint 0 (from 0) contains the rate q1_dot"));
    lagrange.nholonomic = 0;
    lagrange.L = expr_pow(tac_dt(m, q[0]), 2);
    ENSURE(tac_lagranges_method(m, &lagrange, &k.f) == TAC_ERROR_VALUE);
    ENSURE_LAW(fails_with("resists speed q1_dot"));
    lagrange.q = &bond[0];
    lagrange.nq = 1;
    bond[0] = expr_symbol("l");
    ENSURE(tac_lagranges_method(m, &lagrange, &k.f) == TAC_ERROR_VALUE);
    ENSURE_LAW(fails_with("l is a constant"));
    close_mechanism(&k);
    return 0;
}

// whichever block is refused, the answer is "out of memory" and nothing leaks
static int running_out_of_memory_is_an_answer(void) {
    int step = getenv("TACTUS_NO_SWEEP") ? 7 : 1;
    for (int blocks = 1; blocks < 100000; blocks += step) {
        failingAllocator s = {blocks, 0};
        tacGraphOptions options = {failing_allocator(&s), 1 << 24};
        mechanism k = {0};
        tacExpr A[16];
        tacResult result = tac_graph_create(&options, &g);
        if (result != TAC_OK) continue;
        result = tac_mechanics_create(g, &k.m);
        if (result == TAC_OK) {
            tacMechanics* m = k.m;
            tacExpr q = dynamic_symbol(m, 'q', 0), u = dynamic_symbol(m, 'u', 0);
            tacExpr rate = expr_sub(tac_dt(m, q), u);
            tacRefFrame N = tac_frame(m, "N"), B = tac_frame(m, "B");
            tac_frame_orient_axis(m, B, N, AXIS(N, 2), q);
            tacRefPoint O = tac_point(m, "O");
            tac_point_set_vel(m, O, N, zero_velocity(m, N));
            tacRefPoint P = tac_point_locate(m, "P", O, AXIS(B, 0));
            tac_rigid_body(m, "bob", P, B, expr_int(1),
                           tac_inertia(m, B, expr_int(1), expr_int(1), expr_int(1), expr_int(0),
                                       expr_int(0), expr_int(0)),
                           P);
            tac_apply_force(m, P, AXIS(N, 0));
            tacKane setup = {
                .frame = N, .q_ind = &q, .u_ind = &u, .kinematic = &rate, .nq_ind = 1, .nu_ind = 1};
            result = tac_kanes_method(m, &setup, &k.f);
            tacOperatingPoint at = {&q, &u, 1};
            if (result == TAC_OK) result = tac_method_linearize(k.f, at, NULL, 0, A, NULL);
        }
        close_mechanism(&k);
        ENSURE(s.alive == 0);
        if (result == TAC_OK) return 0;
        ENSURE(result == TAC_ERROR_MEMORY);
    }
    ENSURE(!"enough memory at last");
    return 0;
}

// with constraints, multipliers and a linearisation
static int constraints_may_run_out_of_memory(void) {
    int step = getenv("TACTUS_NO_SWEEP") ? 97 : 13;
    for (int by_lagrange = 0; by_lagrange < 2; ++by_lagrange)
        for (int blocks = 1, done = 0; !done; blocks += step) {
            failingAllocator s = {blocks, 0};
            tacGraphOptions options = {failing_allocator(&s), 1 << 26};
            mechanism k;
            tacExpr A[4], B[2], rhs[5];
            graph_options = &options;
            int broken = four_bar(&k, by_lagrange);
            tacResult result = broken ? TAC_ERROR_MEMORY : TAC_OK;
            tacOperatingPoint at = {NULL, NULL, 0};
            if (!broken) result = tac_method_rhs(k.f, rhs);
            if (result == TAC_OK)
                result = tac_method_linearize(k.f, at, &k.in[k.inputs - 1], 1, A, B);
            close_mechanism(&k);
            graph_options = NULL;
            ENSURE(s.alive == 0);
            ENSURE(result == TAC_OK || result == TAC_ERROR_MEMORY);
            done = result == TAC_OK;
        }
    return 0;
}

TEST_MAIN(RUN(frames_turn_with_their_angular_velocity), RUN(orientations_match_the_textbook),
          RUN(point_velocities_are_rates_of_positions), RUN(dyadics_are_bilinear),
          RUN(inertia_may_be_about_any_point), RUN(inertia_may_turn_in_its_body),
          RUN(rates_have_names), RUN(supports_may_move_by_a_law), RUN(what_is_missing_is_named),
          RUN(impossible_mechanisms_are_reported), RUN(running_out_of_memory_is_an_answer),
          RUN(constraints_may_run_out_of_memory))
