// Laws of spatial algebra: cross products and rigid-body inertia.

#include "math/check_math.h"

static tacTwist random_twist(testRandom* random) {
    tacReal x[6];
    check_random(random, 6, x);
    return tac_twist_load(x);
}

static tacWrench random_wrench(testRandom* random) {
    tacReal x[6];
    check_random(random, 6, x);
    return tac_wrench_load(x);
}

static tacInertia random_inertia(testRandom* random) {
    tacReal x[10];
    check_random(random, 10, x);
    x[0] = x[0] + 1.5;
    for (int i = 0; i < 3; ++i) x[4 + i] += 3.0;
    return load_inertia(x);
}

static tacPose random_pose(testRandom* random) {
    tacReal x[7];
    check_random(random, 7, x);
    return load_pose(x);
}

static double twist_distance(tacTwist a, tacTwist b) {
    return tac_re(tac_distance(a.linear, b.linear) + tac_distance(a.angular, b.angular));
}

static double wrench_distance(tacWrench a, tacWrench b) {
    return tac_re(tac_distance(a.force, b.force) + tac_distance(a.torque, b.torque));
}

//---------------------------------- cross products ----------------------------------

// crf = -crm', a x a = 0, Jacobi, and both commute with changes of frame
static int spatial_cross_products_obey_identities(void) {
    testRandom random = {16};
    for (int i = 0; i < 500; ++i) {
        tacTwist a = random_twist(&random), b = random_twist(&random), c = random_twist(&random);
        tacWrench f = random_wrench(&random);
        tacPose X = random_pose(&random);
        ENSURE_NEAR(tac_power(tac_cross_motion(a, b), f), -tac_power(b, tac_cross_force(a, f)),
                    1e-14);
        ENSURE_NEAR(twist_distance(tac_cross_motion(a, a), tac_twist_zero()), 0.0, 1e-15);
        tacTwist jacobi = tac_twist_add(tac_cross_motion(a, tac_cross_motion(b, c)),
                                        tac_cross_motion(b, tac_cross_motion(c, a)));
        jacobi = tac_twist_add(jacobi, tac_cross_motion(c, tac_cross_motion(a, b)));
        ENSURE_NEAR(twist_distance(jacobi, tac_twist_zero()), 0.0, 2e-14);
        tacTwist Xa = tac_twist_transform(X, a), Xb = tac_twist_transform(X, b);
        ENSURE_NEAR(twist_distance(tac_twist_transform(X, tac_cross_motion(a, b)),
                                   tac_cross_motion(Xa, Xb)),
                    0.0, 4e-14);
        ENSURE_NEAR(wrench_distance(tac_wrench_transform(X, tac_cross_force(a, f)),
                                    tac_cross_force(Xa, tac_wrench_transform(X, f))),
                    0.0, 4e-14);
    }
    return 0;
}

static int cross_matrix_is_the_cross_product(void) {
    testRandom random = {17};
    tacReal X[36], b[6], ab[6], f[6], af[6];
    tacTwist a = random_twist(&random);
    tac_cross_motion_matrix(a, X);
    check_random(&random, 6, b);
    check_random(&random, 6, f);
    tac_twist_store(ab, tac_cross_motion(a, tac_twist_load(b)));
    tac_wrench_store(af, tac_cross_force(a, tac_wrench_load(f)));
    for (int r = 0; r < 6; ++r) {
        double row = 0.0, column = 0.0;
        for (int c = 0; c < 6; ++c) {
            row += X[6 * r + c] * b[c];
            column -= X[6 * c + r] * f[c];
        }
        ENSURE_NEAR(ab[r], row, 1e-15);
        ENSURE_NEAR(af[r], column, 1e-15);
    }
    return 0;
}

// the derivative of a transported twist is the cross product with the frame's motion
static int cross_is_rate_of_transport(void) {
    testRandom random = {18};
    const double h = 1e-6;
    tacTwist t = random_twist(&random), a = random_twist(&random);
    tacPose plus = {tac_scale(a.linear, h), tac_quat_exp(tac_scale(a.angular, h))};
    tacPose minus = {tac_scale(a.linear, -h), tac_quat_exp(tac_scale(a.angular, -h))};
    tacTwist rate = tac_twist_sub(tac_twist_transform(plus, t), tac_twist_transform(minus, t));
    ENSURE_NEAR(twist_distance(tac_twist_scale(rate, 0.5 / h), tac_cross_motion(a, t)), 0.0, 1e-9);
    return 0;
}

//---------------------------------- inertia ----------------------------------

// momentum and kinetic energy of a cloud of point masses: the sum over the points
static int inertia_of_points_gives_their_momentum(void) {
    testRandom random = {19};
    tacInertia I = {0};
    tacTwist t = random_twist(&random);
    tacWrench momentum = tac_wrench_zero();
    double energy = 0.0;
    for (int i = 0; i < 10; ++i) {
        tacInertia point = {0};
        point.mass = test_uniform(&random, 0.1, 1.0);
        point.com = random_twist(&random).linear;
        tacVec3 v = tac_add(t.linear, tac_cross(t.angular, point.com));
        tacVec3 p = tac_scale(v, point.mass);
        energy += tac_re(0.5 * tac_dot(p, v));
        momentum = tac_wrench_add(momentum, (tacWrench){p, tac_cross(point.com, p)});
        I = tac_inertia_add(&I, &point);
    }
    ENSURE_NEAR(wrench_distance(tac_inertia_apply(&I, t), momentum), 0.0, 2e-14);
    ENSURE_NEAR(tac_kinetic_energy(&I, t), energy, 2e-14);
    return 0;
}

// a unit cube of mass 1 from eight cubes of half the side: 1/6 on the diagonal
static int eight_cubes_make_a_cube(void) {
    tacInertia I = {0};
    for (int i = 0; i < 8; ++i) {
        tacVec3 com = {i & 1 ? 0.25 : -0.25, i & 2 ? 0.25 : -0.25, i & 4 ? 0.25 : -0.25};
        double own = 1.0 / 8.0 * 0.25 / 6.0;
        tacInertia part = {1.0 / 8.0, com, {own, own, own, 0.0, 0.0, 0.0}};
        I = tac_inertia_add(&I, &part);
    }
    ENSURE_NEAR(I.mass, 1.0, 1e-15);
    ENSURE_NEAR(tac_norm(I.com), 0.0, 1e-16);
    for (int i = 0; i < 6; ++i) ENSURE_NEAR(I.inertia[i], i < 3 ? 1.0 / 6.0 : 0.0, 1e-16);
    return 0;
}

// momentum is a wrench: I goes with the frame, and with the reference point
static int inertia_moves_with_its_frame(void) {
    testRandom random = {20};
    for (int i = 0; i < 300; ++i) {
        tacInertia I = random_inertia(&random);
        tacTwist t = random_twist(&random);
        tacPose X = random_pose(&random);
        tacInertia moved = tac_inertia_transform(X, &I);
        tacWrench f = tac_inertia_apply(&I, t);
        ENSURE_NEAR(wrench_distance(tac_inertia_apply(&moved, tac_twist_transform(X, t)),
                                    tac_wrench_transform(X, f)),
                    0.0, 2e-13);
        tacVec3 from = random_twist(&random).linear, to = random_twist(&random).linear;
        tacInertia shifted = tac_inertia_shift(I, from, to);
        ENSURE_NEAR(wrench_distance(tac_inertia_apply(&shifted, tac_twist_shift(t, from, to)),
                                    tac_wrench_shift(f, from, to)),
                    0.0, 2e-13);
        tacReal M[36], x[6], y[6];
        tac_inertia_to_matrix(&I, M);
        tac_twist_store(x, t);
        tac_wrench_store(y, f);
        for (int r = 0; r < 6; ++r) ENSURE_NEAR(check_dot(6, M + 6 * r, x), y[r], 1e-13);
    }
    return 0;
}

// two massless bodies: nothing, not NaN
static int massless_bodies_add_to_zero(void) {
    tacInertia a = {0}, b = {0};
    a.com = tac_vec3(1.0, 2.0, 3.0);
    tacInertia c = tac_inertia_add(&a, &b), d = tac_inertia_add_jvp(&a, &b, &a, &b);
    ENSURE(c.mass == 0.0 && c.com.y == 2.0 && d.com.y == 2.0);
    return 0;
}

TEST_MAIN(RUN(spatial_cross_products_obey_identities), RUN(cross_matrix_is_the_cross_product),
          RUN(cross_is_rate_of_transport), RUN(inertia_of_points_gives_their_momentum),
          RUN(eight_cubes_make_a_cube), RUN(inertia_moves_with_its_frame),
          RUN(massless_bodies_add_to_zero))
