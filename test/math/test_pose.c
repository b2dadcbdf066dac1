// Laws of placements, and of twists and wrenches between them.

#include "math/check_math.h"

static tacPose random_pose(testRandom* random) {
    tacReal x[7];
    check_random(random, 7, x);
    return load_pose(x);
}

static tacVec3 random3(testRandom* random) {
    tacReal x[3];
    check_random(random, 3, x);
    return tac_load3(x);
}

static tacTwist random_twist(testRandom* random) {
    return (tacTwist){random3(random), random3(random)};
}

static tacWrench random_wrench(testRandom* random) {
    return (tacWrench){random3(random), random3(random)};
}

static double distance3(tacVec3 a, tacVec3 b) { return tac_re(tac_distance(a, b)); }

static double pose_distance(tacPose a, tacPose b) {
    tacMat3 d = tac_mat_sub(tac_quat_to_mat(a.rotation), tac_quat_to_mat(b.rotation));
    return distance3(a.position, b.position) + sqrt(tac_re(tac_mat_dot(d, d)));
}

static double twist_distance(tacTwist a, tacTwist b) {
    return distance3(a.linear, b.linear) + distance3(a.angular, b.angular);
}

// poses are a group that acts on points; quaternions of any length
static int poses_form_a_group(void) {
    testRandom random = {11};
    for (int i = 0; i < 500; ++i) {
        tacPose a = random_pose(&random), b = random_pose(&random), c = random_pose(&random);
        tacVec3 x = random3(&random);
        tacPose ab = tac_pose_compose(a, b);
        ENSURE_NEAR(distance3(tac_pose_apply(ab, x), tac_pose_apply(a, tac_pose_apply(b, x))), 0.0,
                    1e-14);
        ENSURE_NEAR(distance3(tac_pose_apply_inverse(a, tac_pose_apply(a, x)), x), 0.0, 1e-14);
        ENSURE_NEAR(distance3(tac_pose_apply(tac_pose_inverse(a), x), tac_pose_apply_inverse(a, x)),
                    0.0, 1e-14);
        ENSURE_NEAR(pose_distance(tac_pose_compose(a, tac_pose_inverse(a)), tac_pose_identity()),
                    0.0, 1e-14);
        ENSURE_NEAR(
            pose_distance(tac_pose_compose(ab, c), tac_pose_compose(a, tac_pose_compose(b, c))),
            0.0, 2e-14);
        ENSURE_NEAR(distance3(tac_pose_rotate_inverse(a, tac_pose_rotate(a, x)), x), 0.0, 1e-14);
    }
    return 0;
}

// power is the same about every point and in every frame; transports invert and compose
static int power_is_invariant(void) {
    testRandom random = {12};
    for (int i = 0; i < 500; ++i) {
        tacPose a = random_pose(&random), b = random_pose(&random);
        tacTwist t = random_twist(&random);
        tacWrench f = random_wrench(&random);
        tacVec3 from = random3(&random), to = random3(&random);
        double power = tac_re(tac_power(t, f));
        ENSURE_NEAR(tac_power(tac_twist_shift(t, from, to), tac_wrench_shift(f, from, to)), power,
                    1e-14);
        ENSURE_NEAR(tac_power(tac_twist_transform(a, t), tac_wrench_transform(a, f)), power, 1e-14);
        ENSURE_NEAR(
            tac_power(tac_twist_transform_inverse(a, t), tac_wrench_transform_inverse(a, f)), power,
            2e-14);
        tacTwist back = tac_twist_transform_inverse(a, tac_twist_transform(a, t));
        ENSURE_NEAR(twist_distance(back, t), 0.0, 1e-14);
        tacTwist two = tac_twist_transform(a, tac_twist_transform(b, t));
        ENSURE_NEAR(twist_distance(tac_twist_transform(tac_pose_compose(a, b), t), two), 0.0,
                    2e-14);
    }
    return 0;
}

// a twist is the velocity field v + w x r: a transport keeps it, point by point
static int twist_moves_points(void) {
    testRandom random = {13};
    for (int i = 0; i < 200; ++i) {
        tacPose a = random_pose(&random);
        tacTwist t = random_twist(&random), world = tac_twist_transform(a, t);
        tacVec3 x = random3(&random), y = tac_pose_apply(a, x);
        tacVec3 body = tac_twist_shift(t, tac_vec3_zero(), x).linear;
        tacVec3 seen = tac_twist_shift(world, tac_vec3_zero(), y).linear;
        ENSURE_NEAR(distance3(tac_pose_rotate(a, body), seen), 0.0, 1e-14);
    }
    return 0;
}

// the matrix of the transport; its transpose carries wrenches back
static int adjoint_matrix_maps_twists(void) {
    testRandom random = {14};
    for (int i = 0; i < 100; ++i) {
        tacPose a = random_pose(&random);
        tacReal X[36], t[6], f[6], Xt[6], back[6];
        tac_pose_adjoint(a, X);
        check_random(&random, 6, t);
        check_random(&random, 6, f);
        tac_twist_store(Xt, tac_twist_transform(a, tac_twist_load(t)));
        tac_wrench_store(back, tac_wrench_transform_inverse(a, tac_wrench_load(f)));
        for (int r = 0; r < 6; ++r) {
            double row = 0.0, column = 0.0;
            for (int c = 0; c < 6; ++c) {
                row += X[6 * r + c] * t[c];
                column += X[6 * c + r] * f[c];
            }
            ENSURE_NEAR(Xt[r], row, 1e-14);
            ENSURE_NEAR(back[r], column, 1e-14);
        }
    }
    return 0;
}

// MuJoCo's free joint: world velocity of the origin, angular velocity in body axes
static int integration_follows_the_free_joint(void) {
    testRandom random = {15};
    tacPose a = random_pose(&random);
    tacVec3 v = random3(&random), w = random3(&random);
    tacPose b = tac_pose_integrate(a, v, w);
    ENSURE_NEAR(distance3(tac_sub(b.position, a.position), v), 0.0, 1e-15);
    ENSURE_NEAR(distance3(tac_quat_difference(a.rotation, b.rotation), w), 0.0, 2e-15);
    return 0;
}

TEST_MAIN(RUN(poses_form_a_group), RUN(power_is_invariant), RUN(twist_moves_points),
          RUN(adjoint_matrix_maps_twists), RUN(integration_follows_the_free_joint))
