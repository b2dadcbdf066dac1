// Mechanisms written down in the words of tactus/mechanics.h, as against_sympy.py writes them in
// SymPy's: the inputs in the same order, the outputs M row by row, forcing, rates.

#ifndef TACTUS_TEST_MECHANISMS_H
#define TACTUS_TEST_MECHANISMS_H

#include "symbolic/shorthand.h"
#include "tactus/mechanics.h"
#include "test.h"

enum { MOST_INPUTS = 64, MOST_OUTPUTS = 200 };

typedef struct mechanism {
    tacMechanics* m;
    tacMethod* f;
    tacExpr in[MOST_INPUTS], out[MOST_OUTPUTS];
    int inputs, outputs;
} mechanism;

static inline tacExpr numbered_symbol(char letter, int k) {
    char name[16];
    snprintf(name, sizeof name, "%c%d", letter, k);
    return expr_symbol(name);
}
static inline tacExpr dynamic_symbol(tacMechanics* m, char letter, int k) {
    char name[16];
    snprintf(name, sizeof name, "%c%d", letter, k);
    return tac_dynamic(m, name);
}

static inline void add_input(mechanism* k, tacExpr e) { k->in[k->inputs++] = e; }
static inline void add_output(mechanism* k, const tacExpr* e, int n) {
    for (int i = 0; i < n; ++i) k->out[k->outputs++] = e[i];
}
// named inputs, such as "m l g"
static inline void add_constants(mechanism* k, const char* names, tacExpr* out) {
    char word[40];
    int length, count = 0;
    while (sscanf(names, "%39s%n", word, &length) == 1) {
        out[count] = expr_symbol(word);
        add_input(k, out[count++]);
        names += length;
    }
}

static inline int solve_outputs(mechanism* k) {
    if (!k->f && graph_options) return 1; // memory was scarce on purpose
    if (!k->f) {
        tacMessage message;
        tac_graph_result(g, &message);
        printf("    %s\n", message.text);
    }
    ENSURE(k->f);
    int n = k->f->nu + k->f->nlambda;
    add_output(k, k->f->M, n * n);
    add_output(k, k->f->forcing, n);
    add_output(k, k->f->rates, k->f->nq);
    return 0;
}

static inline void close_mechanism(mechanism* k) {
    tac_method_destroy(k->f);
    tac_mechanics_destroy(k->m);
    tac_graph_destroy(g);
    g = NULL;
}

static inline int open_mechanism(mechanism* k) {
    *k = (mechanism){0};
    g = NULL;
    if (!open_graph() || tac_mechanics_create(g, &k->m) != TAC_OK) return 1;
    return 0;
}

#define AXIS(frame, i) tac_frame_axis(m, frame, i)
#define TIMES(s, v)    tac_vector_scale(m, s, v)
#define PLUS(a, b)     tac_vector_add(m, a, b)

static inline tacVector zero_velocity(tacMechanics* m, tacRefFrame frame) {
    return TIMES(expr_int(0), AXIS(frame, 0));
}
static inline tacExpr expr_negated(tacExpr a) { return expr_mul(expr_int(-1), a); }

// q' = u for n pairs
static inline void plain_rates(tacMechanics* m, const tacExpr* q, const tacExpr* u, int n,
                               tacExpr* kinematic) {
    for (int i = 0; i < n; ++i) kinematic[i] = expr_sub(tac_dt(m, q[i]), u[i]);
}

// a mass at the end of a rod; the angle is 0 where it hangs
static inline int pendulum(mechanism* k) {
    if (open_mechanism(k)) return 1;
    tacMechanics* m = k->m;
    tacExpr q = dynamic_symbol(m, 'q', 0), u = dynamic_symbol(m, 'u', 0), c[3], kinematic;
    add_input(k, q);
    add_input(k, u);
    add_constants(k, "m l g", c);
    plain_rates(m, &q, &u, 1, &kinematic);
    tacRefFrame N = tac_frame(m, "N"), B = tac_frame(m, "B");
    tac_frame_orient_axis(m, B, N, AXIS(N, 2), q);
    tacRefPoint O = tac_point(m, "O"), P = tac_point_locate(m, "P", O, TIMES(c[1], AXIS(B, 0)));
    tac_point_set_vel(m, O, N, zero_velocity(m, N));
    tac_particle(m, "bob", P, c[0]);
    tac_apply_force(m, P, TIMES(expr_mul(c[0], c[2]), AXIS(N, 0)));
    tacKane setup = {
        .frame = N, .q_ind = &q, .u_ind = &u, .kinematic = &kinematic, .nq_ind = 1, .nu_ind = 1};
    tac_kanes_method(m, &setup, &k->f);
    return solve_outputs(k);
}

// a cart pushed by F, links that end in point masses; absolute angles
static inline int pendulum_on_cart(mechanism* k, int links) {
    if (open_mechanism(k)) return 1;
    tacMechanics* m = k->m;
    int n = links + 1;
    tacExpr q[12], u[12], mass[12], l[12], kinematic[12], gravity, F;
    for (int i = 0; i < n; ++i) add_input(k, q[i] = dynamic_symbol(m, 'q', i));
    for (int i = 0; i < n; ++i) add_input(k, u[i] = dynamic_symbol(m, 'u', i));
    for (int i = 0; i < n; ++i) add_input(k, mass[i] = numbered_symbol('m', i));
    for (int i = 0; i < links; ++i) add_input(k, l[i] = numbered_symbol('l', i));
    add_input(k, gravity = expr_symbol("g"));
    add_input(k, F = tac_dynamic(m, "F"));
    tacRefFrame N = tac_frame(m, "N");
    tacRefPoint O = tac_point(m, "O");
    tac_point_set_vel(m, O, N, zero_velocity(m, N));
    tacRefPoint P = tac_point_locate(m, "P0", O, TIMES(q[0], AXIS(N, 0)));
    tac_point_set_vel(m, P, N, TIMES(u[0], AXIS(N, 0)));
    for (int i = 0; i < n; ++i) {
        if (i > 0) {
            tacRefFrame B = tac_frame(m, "B");
            tac_frame_orient_axis(m, B, N, AXIS(N, 2), q[i]);
            tac_frame_set_ang_vel(m, B, N, TIMES(u[i], AXIS(N, 2)));
            tacRefPoint next = tac_point_locate(m, "P", P, TIMES(l[i - 1], AXIS(B, 1)));
            tac_point_v2pt_theory(m, next, P, N, B);
            P = next;
        }
        tac_particle(m, "Pa", P, mass[i]);
        tac_apply_force(m, P, TIMES(expr_negated(expr_mul(mass[i], gravity)), AXIS(N, 1)));
        if (i == 0) tac_apply_force(m, P, TIMES(F, AXIS(N, 0)));
    }
    plain_rates(m, q, u, n, kinematic);
    tacKane setup = {
        .frame = N, .q_ind = q, .u_ind = u, .kinematic = kinematic, .nq_ind = n, .nu_ind = n};
    tac_kanes_method(m, &setup, &k->f);
    return solve_outputs(k);
}

// on a fixed point; A and C are about that point, to which the inertia is given
static inline int spinning_top(mechanism* k) {
    if (open_mechanism(k)) return 1;
    tacMechanics* m = k->m;
    tacExpr q[3], u[3], c[5], kinematic[3], zero = expr_int(0);
    for (int i = 0; i < 3; ++i) add_input(k, q[i] = dynamic_symbol(m, 'q', i));
    for (int i = 0; i < 3; ++i) add_input(k, u[i] = dynamic_symbol(m, 'u', i));
    add_constants(k, "A C m l g", c);
    plain_rates(m, q, u, 3, kinematic);
    tacRefFrame N = tac_frame(m, "N"), B = tac_frame(m, "B");
    tac_frame_orient_body(m, B, N, q, "ZXZ");
    tacRefPoint O = tac_point(m, "O");
    tac_point_set_vel(m, O, N, zero_velocity(m, N));
    tacRefPoint C = tac_point_locate(m, "C", O, TIMES(c[3], AXIS(B, 2)));
    tac_point_v2pt_theory(m, C, O, N, B);
    tacDyadic I = tac_inertia(m, B, c[0], c[0], c[1], zero, zero, zero);
    tac_rigid_body(m, "top", C, B, c[2], I, O);
    tac_apply_force(m, C, TIMES(expr_negated(expr_mul(c[2], c[4])), AXIS(N, 2)));
    tacKane setup = {
        .frame = N, .q_ind = q, .u_ind = u, .kinematic = kinematic, .nq_ind = 3, .nu_ind = 3};
    tac_kanes_method(m, &setup, &k->f);
    return solve_outputs(k);
}

// the disc of radius r: yaw q0, lean q1, roll q2. `slips` 1: its centre has speeds of its own,
// which two velocity constraints and one of the height make dependent
static inline int rolling_disc(mechanism* k, int slips) {
    if (open_mechanism(k)) return 1;
    tacMechanics* m = k->m;
    tacExpr q[3], u[6], c[3], kinematic[3], bonds[3], zero = expr_int(0);
    int nu = slips ? 6 : 3;
    for (int i = 0; i < 3; ++i) add_input(k, q[i] = dynamic_symbol(m, 'q', i));
    for (int i = 0; i < nu; ++i) add_input(k, u[i] = dynamic_symbol(m, 'u', i));
    add_constants(k, "r m g", c);
    tacRefFrame N = tac_frame(m, "N"), Y = tac_frame(m, "Y"), L = tac_frame(m, "L"),
                R = tac_frame(m, "R");
    tac_frame_orient_axis(m, Y, N, AXIS(N, 2), q[0]);
    tac_frame_orient_axis(m, L, Y, AXIS(Y, 0), q[1]);
    tac_frame_orient_axis(m, R, L, AXIS(L, 1), q[2]);
    tacVector spin = tac_frame_ang_vel(m, R, N), w = {L, u[0], u[1], u[2]};
    tac_frame_set_ang_vel(m, R, N, w);
    for (int i = 0; i < 3; ++i)
        kinematic[i] = tac_vector_dot(m, tac_vector_sub(m, w, spin), AXIS(L, i));
    tacRefPoint C = tac_point(m, "C"), D;
    if (slips) {
        D = tac_point(m, "D");
        tac_point_set_pos(m, C, D, TIMES(expr_negated(c[0]), AXIS(L, 2)));
        tac_point_set_vel(m, D, N, (tacVector){L, u[3], u[4], u[5]});
        tacVector v = tac_point_v2pt_theory(m, C, D, N, R);
        for (int i = 0; i < 3; ++i) bonds[i] = tac_vector_dot(m, v, AXIS(Y, i));
    } else {
        tac_point_set_vel(m, C, N, zero_velocity(m, N));
        D = tac_point_locate(m, "D", C, TIMES(c[0], AXIS(L, 2)));
        tac_point_v2pt_theory(m, D, C, N, R);
    }
    tacExpr across = expr_mul(tac_fraction(g, 1, 4), expr_mul(c[1], expr_pow(c[0], 2)));
    tacDyadic I =
        tac_inertia(m, L, across, expr_mul(expr_int(2), across), across, zero, zero, zero);
    tac_rigid_body(m, "disc", D, R, c[1], I, D);
    tac_apply_force(m, D, TIMES(expr_negated(expr_mul(c[1], c[2])), AXIS(Y, 2)));
    tacKane setup = {.frame = N,
                     .q_ind = q,
                     .u_ind = u,
                     .u_dep = u + 3,
                     .kinematic = kinematic,
                     .velocity = bonds,
                     .nq_ind = 3,
                     .nu_ind = 3,
                     .nu_dep = nu - 3};
    tac_kanes_method(m, &setup, &k->f);
    return solve_outputs(k);
}

// three rods m0 m1 m2 of lengths l0 l1 l2 between pivots that are d apart, driven by T at the crank
static inline int four_bar(mechanism* k, int by_lagrange) {
    if (open_mechanism(k)) return 1;
    tacMechanics* m = k->m;
    tacExpr q[3], u[3], c[8], T, kinematic[3], bonds[2], rates[2], zero = expr_int(0);
    for (int i = 0; i < 3; ++i) add_input(k, q[i] = dynamic_symbol(m, 'q', i));
    for (int i = 0; i < 3; ++i)
        add_input(k, u[i] = by_lagrange ? tac_dt(m, q[i]) : dynamic_symbol(m, 'u', i));
    add_constants(k, "m0 m1 m2 l0 l1 l2 d g", c);
    add_input(k, T = tac_dynamic(m, "T"));
    tacExpr half = tac_fraction(g, 1, 2);
    tacRefFrame N = tac_frame(m, "N"), first = -1;
    tacRefPoint O = tac_point(m, "O"), P = O;
    tac_point_set_vel(m, O, N, zero_velocity(m, N));
    for (int i = 0; i < 3; ++i) {
        tacRefFrame B = tac_frame(m, "rod");
        if (i == 0) first = B;
        tac_frame_orient_axis(m, B, N, AXIS(N, 2), q[i]);
        tac_frame_set_ang_vel(m, B, N, TIMES(u[i], AXIS(N, 2)));
        tacRefPoint C = tac_point_locate(m, "C", P, TIMES(expr_mul(half, c[3 + i]), AXIS(B, 0)));
        tacRefPoint E = tac_point_locate(m, "E", P, TIMES(c[3 + i], AXIS(B, 0)));
        tac_point_v2pt_theory(m, C, P, N, B);
        tac_point_v2pt_theory(m, E, P, N, B);
        tacExpr about = expr_mul(tac_fraction(g, 1, 12), expr_mul(c[i], expr_pow(c[3 + i], 2)));
        int body = tac_rigid_body(m, "rod", C, B, c[i],
                                  tac_inertia(m, B, zero, about, about, zero, zero, zero), C);
        tacVector place = tac_point_pos_from(m, C, O);
        tacExpr height = tac_vector_dot(m, place, AXIS(N, 1));
        if (by_lagrange)
            tac_set_potential_energy(m, body, expr_mul(expr_mul(c[i], c[7]), height));
        else
            tac_apply_force(m, C, TIMES(expr_negated(expr_mul(c[i], c[7])), AXIS(N, 1)));
        P = E;
    }
    tac_apply_torque(m, first, TIMES(T, AXIS(N, 2)));
    tacVector end = tac_point_pos_from(m, P, O);
    bonds[0] = expr_sub(tac_vector_dot(m, end, AXIS(N, 0)), c[6]);
    bonds[1] = tac_vector_dot(m, end, AXIS(N, 1));
    for (int i = 0; i < 2; ++i) rates[i] = tac_dt(m, bonds[i]);
    if (by_lagrange) {
        tacLagrange setup = {.frame = N,
                             .L = tac_lagrangian(m, N),
                             .q = q,
                             .holonomic = bonds,
                             .nq = 3,
                             .nholonomic = 2};
        tac_lagranges_method(m, &setup, &k->f);
        return solve_outputs(k);
    }
    plain_rates(m, q, u, 3, kinematic);
    tacKane setup = {.frame = N,
                     .q_ind = q,
                     .q_dep = q + 1,
                     .u_ind = u,
                     .u_dep = u + 1,
                     .kinematic = kinematic,
                     .configuration = bonds,
                     .velocity = rates,
                     .nq_ind = 1,
                     .nq_dep = 2,
                     .nu_ind = 1,
                     .nu_dep = 2};
    tac_kanes_method(m, &setup, &k->f);
    return solve_outputs(k);
}

// place, quaternion; speeds of a point off the centre and turning in the body's own axes
static inline int free_body(mechanism* k) {
    if (open_mechanism(k)) return 1;
    tacMechanics* m = k->m;
    tacExpr q[7], u[6], c[9], kinematic[7], half = tac_fraction(g, 1, 2);
    for (int i = 0; i < 7; ++i) add_input(k, q[i] = dynamic_symbol(m, 'q', i));
    for (int i = 0; i < 6; ++i) add_input(k, u[i] = dynamic_symbol(m, 'u', i));
    add_constants(k, "m a Ixx Iyy Izz Ixy Iyz Izx g", c);
    tacRefFrame N = tac_frame(m, "N"), B = tac_frame(m, "B");
    tac_frame_orient_quaternion(m, B, N, q + 3);
    tac_frame_set_ang_vel(m, B, N, (tacVector){B, u[3], u[4], u[5]});
    tacRefPoint O = tac_point(m, "O");
    tac_point_set_vel(m, O, N, zero_velocity(m, N));
    tacRefPoint P = tac_point_locate(m, "P", O, (tacVector){N, q[0], q[1], q[2]});
    tacVector v = {B, u[0], u[1], u[2]};
    tac_point_set_vel(m, P, N, v);
    tacRefPoint C = tac_point_locate(m, "C", P, TIMES(c[1], AXIS(B, 0)));
    tac_point_v2pt_theory(m, C, P, N, B);
    tac_rigid_body(m, "body", C, B, c[0], tac_inertia(m, B, c[2], c[3], c[4], c[5], c[6], c[7]), C);
    tac_apply_force(m, C, TIMES(expr_negated(expr_mul(c[0], c[8])), AXIS(N, 2)));
    for (int i = 0; i < 3; ++i)
        kinematic[i] = expr_sub(tac_dt(m, q[i]), tac_vector_dot(m, v, AXIS(N, i)));
    const tacExpr *e = q + 3, *w = u + 3;
    tacExpr turn[4] = {
        expr_negated(
            expr_add(expr_add(expr_mul(e[1], w[0]), expr_mul(e[2], w[1])), expr_mul(e[3], w[2]))),
        expr_sub(expr_add(expr_mul(e[0], w[0]), expr_mul(e[2], w[2])), expr_mul(e[3], w[1])),
        expr_sub(expr_add(expr_mul(e[0], w[1]), expr_mul(e[3], w[0])), expr_mul(e[1], w[2])),
        expr_sub(expr_add(expr_mul(e[0], w[2]), expr_mul(e[1], w[1])), expr_mul(e[2], w[0])),
    };
    for (int i = 0; i < 4; ++i)
        kinematic[3 + i] = expr_sub(tac_dt(m, e[i]), expr_mul(half, turn[i]));
    tacKane setup = {
        .frame = N, .q_ind = q, .u_ind = u, .kinematic = kinematic, .nq_ind = 7, .nu_ind = 6};
    tac_kanes_method(m, &setup, &k->f);
    return solve_outputs(k);
}

// rods turned by T0 and T1 against each other, and a disc that T2 spins about the second rod's
// axis; the first rod turns about z, the second about its own y
static inline int arm_with_disc(mechanism* k) {
    if (open_mechanism(k)) return 1;
    tacMechanics* m = k->m;
    tacExpr q[3], u[3], c[7], T[3], kinematic[3], zero = expr_int(0), half = tac_fraction(g, 1, 2);
    for (int i = 0; i < 3; ++i) add_input(k, q[i] = dynamic_symbol(m, 'q', i));
    for (int i = 0; i < 3; ++i) add_input(k, u[i] = dynamic_symbol(m, 'u', i));
    add_constants(k, "m0 m1 m2 l0 l1 r g", c);
    for (int i = 0; i < 3; ++i) add_input(k, T[i] = dynamic_symbol(m, 'T', i));
    static const int axes[] = {2, 1, 0};
    tacRefFrame N = tac_frame(m, "N"), parent = N, B[3];
    tacRefPoint P = tac_point(m, "O");
    tac_point_set_vel(m, P, N, zero_velocity(m, N));
    for (int i = 0; i < 3; ++i) {
        B[i] = tac_frame(m, "B");
        tac_frame_orient_axis(m, B[i], parent, AXIS(parent, axes[i]), q[i]);
        tac_frame_set_ang_vel(m, B[i], parent, TIMES(u[i], AXIS(B[i], axes[i])));
        tacVector along = AXIS(B[i], 0);
        tacRefPoint C =
            i < 2 ? tac_point_locate(m, "C", P, TIMES(expr_mul(half, c[3 + i]), along)) : P;
        tacExpr square = expr_pow(c[i < 2 ? 3 + i : 5], 2), rod = expr_mul(c[i], square);
        tacDyadic I =
            i < 2 ? tac_inertia(m, B[i], zero, expr_mul(tac_fraction(g, 1, 12), rod),
                                expr_mul(tac_fraction(g, 1, 12), rod), zero, zero, zero)
                  : tac_inertia(m, B[i], expr_mul(half, rod), expr_mul(tac_fraction(g, 1, 4), rod),
                                expr_mul(tac_fraction(g, 1, 4), rod), zero, zero, zero);
        if (i < 2) tac_point_v2pt_theory(m, C, P, N, B[i]);
        tac_rigid_body(m, "link", C, B[i], c[i], I, C);
        tac_apply_force(m, C, TIMES(expr_negated(expr_mul(c[i], c[6])), AXIS(N, 2)));
        tacVector torque = TIMES(T[i], AXIS(B[i], axes[i]));
        tac_apply_torque(m, B[i], torque);
        if (i > 0) tac_apply_torque(m, parent, TIMES(expr_int(-1), torque));
        if (i < 2) {
            tacRefPoint E = tac_point_locate(m, "E", P, TIMES(c[3 + i], along));
            tac_point_v2pt_theory(m, E, P, N, B[i]);
            P = E;
        }
        parent = B[i];
    }
    plain_rates(m, q, u, 3, kinematic);
    tacKane setup = {
        .frame = N, .q_ind = q, .u_ind = u, .kinematic = kinematic, .nq_ind = 3, .nu_ind = 3};
    tac_kanes_method(m, &setup, &k->f);
    return solve_outputs(k);
}

#endif
