// Laws of rotations: quaternions, matrices, rotation vectors.
//
// Reference numbers: mpmath 1.2, 40 digits, power series of the matrix exponential of [w] and of
// its integral, and of the Stumpff functions.

#include "math/check_math.h"

static const double pi = 3.14159265358979323846;

static tacQuat random_quat(testRandom* random) {
    tacReal x[4];
    check_random(random, 4, x);
    return tac_quat_load(x);
}

static tacVec3 random3(testRandom* random) {
    tacReal x[3];
    check_random(random, 3, x);
    return tac_load3(x);
}

static double distance3(tacVec3 a, tacVec3 b) { return tac_re(tac_distance(a, b)); }

static double mat_distance(tacMat3 a, tacMat3 b) {
    tacMat3 d = tac_mat_sub(a, b);
    return sqrt(tac_re(tac_mat_dot(d, d)));
}

static double quat_distance(tacQuat a, tacQuat b) {
    tacQuat d = tac_quat_add_scaled(a, -1.0, b);
    return sqrt(tac_re(tac_quat_dot(d, d)));
}

static int is_near_mat(tacMat3 a, const double b[9], double tolerance) {
    for (int i = 0; i < 9; ++i) ENSURE_NEAR(tac_re(a.m[i / 3][i % 3]), b[i], tolerance);
    return 0;
}

//---------------------------------- quaternions and matrices ----------------------------------

// R(q) is a rotation for any length of q; products go to products; rotate = matrix
static int quaternions_rotate_as_their_matrices(void) {
    testRandom random = {4};
    for (int i = 0; i < 1000; ++i) {
        tacQuat a = tac_quat_scale(random_quat(&random), pow(10.0, i % 13 - 6));
        tacQuat b = random_quat(&random);
        tacVec3 u = random3(&random);
        tacMat3 A = tac_quat_to_mat(a), B = tac_quat_to_mat(b);
        ENSURE_NEAR(mat_distance(tac_mat_mul_t(A, A), tac_mat_identity()), 0.0, 3e-15);
        ENSURE_NEAR(tac_dot(tac_mat_row(A, 0), tac_cross(tac_mat_row(A, 1), tac_mat_row(A, 2))),
                    1.0, 3e-15);
        ENSURE_NEAR(mat_distance(tac_quat_to_mat(tac_quat_mul(a, b)), tac_mat_mul(A, B)), 0.0,
                    5e-15);
        ENSURE_NEAR(distance3(tac_quat_rotate(a, u), tac_mat_mul_vec(A, u)), 0.0, 3e-15);
        ENSURE_NEAR(distance3(tac_quat_rotate_inverse(a, u), tac_mat_tmul_vec(A, u)), 0.0, 3e-15);
        ENSURE_NEAR(mat_distance(tac_quat_to_mat(tac_quat_normalize(a)), A), 0.0, 3e-15);
    }
    return 0;
}

// a quarter turn about z sends x to y
static int rotations_are_right_handed(void) {
    tacQuat q = {1.0, 0.0, 0.0, 1.0};
    tacVec3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0};
    ENSURE_NEAR(distance3(tac_quat_rotate(q, x), y), 0.0, 1e-15);
    ENSURE_NEAR(distance3(tac_mat_mul_vec(tac_so3_exp(tac_vec3(0.0, 0.0, 0.5 * pi)), x), y), 0.0,
                1e-15);
    tacQuat i = {0.0, 1.0, 0.0, 0.0}, j = {0.0, 0.0, 1.0, 0.0}, k = {0.0, 0.0, 0.0, 1.0};
    ENSURE(quat_distance(tac_quat_mul(i, j), k) == 0.0);
    return 0;
}

// the zero quaternion is no rotation, with derivative 0
static int zero_quaternion_is_the_identity(void) {
    tacQuat zero = {0}, d = {1.0, 2.0, 3.0, 4.0}, bar = {0};
    tacVec3 u = {1.0, 2.0, 3.0};
    ENSURE(mat_distance(tac_quat_to_mat(zero), tac_mat_identity()) == 0.0);
    ENSURE(distance3(tac_quat_rotate(zero, u), u) == 0.0);
    ENSURE(quat_distance(tac_quat_normalize(zero), tac_quat_identity()) == 0.0);
    ENSURE(tac_norm(tac_quat_log(zero)) == 0.0);
    ENSURE(tac_norm(tac_quat_log_jvp(zero, d)) == 0.0);
    ENSURE(mat_distance(tac_quat_to_mat_jvp(zero, d), tac_mat_zero()) == 0.0);
    tac_quat_log_vjp(zero, u, &bar);
    ENSURE(tac_quat_dot(bar, bar) == 0.0);
    ENSURE(distance3(tac_quat_difference(zero, tac_quat_exp(u)), tac_quat_log(tac_quat_exp(u))) <
           1e-15);
    return 0;
}

// q -> R -> q up to sign, in all four branches and on their borders
static int matrices_give_back_their_quaternions(void) {
    testRandom random = {5};
    for (int i = 0; i < 2000; ++i) {
        tacReal x[4];
        check_random(&random, 4, x);
        for (int j = 0; j < 4; ++j) x[j] = (i >> j) & 1 ? x[j] : x[j] * (i % 3 ? 0.0 : 1e-9);
        x[i % 4] += i % 7 ? 1.0 : -1.0;
        tacQuat q = tac_quat_normalize(tac_quat_load(x));
        tacQuat p = tac_mat_to_quat(tac_quat_to_mat(q));
        double same = quat_distance(p, q), opposite = quat_distance(p, tac_quat_scale(q, -1.0));
        ENSURE_NEAR(fmin(same, opposite), 0.0, 1e-15);
    }
    tacMat3 half_turns[] = {tac_mat_diagonal(1.0, 1.0, 1.0), tac_mat_diagonal(1.0, -1.0, -1.0),
                            tac_mat_diagonal(-1.0, 1.0, -1.0), tac_mat_diagonal(-1.0, -1.0, 1.0)};
    for (int i = 0; i < 4; ++i) {
        tacReal e[4] = {0};
        e[i] = 1.0;
        ENSURE(quat_distance(tac_mat_to_quat(half_turns[i]), tac_quat_load(e)) == 0.0);
    }
    return 0;
}

//---------------------------------- exponential and logarithm ----------------------------------

static int stumpff_series_match_reference_values(void) {
    static const struct {
        double x, c[6];
    } rows[] = {
        {0.0,
         {1.0, 1.0, 5.0e-1, 1.6666666666666666667e-1, 4.1666666666666666667e-2,
          8.3333333333333333333e-3}},
        {2.5e-1,
         {8.7758256189037271612e-1, 9.5885107720840600055e-1, 4.8966975243850913553e-1,
          1.6459569116637599781e-1, 4.1320990245963457861e-2, 8.2839020011626754119e-3}},
        {3.75,
         {-3.5759874764022128808e-1, 4.8225114776048529511e-1, 3.6202633270405901016e-1,
          1.380663605972039213e-1, 3.6792977945584263958e-2, 7.6267482851900654301e-3}},
        {4.25,
         {-4.7129322591187975306e-1, 4.2782148426914312276e-1, 3.4618664139103053013e-1,
          1.3463023899549573582e-1, 3.6191378496228110557e-2, 7.5379829814519837284e-3}},
        {1.0e+1,
         {-9.9978607287932590758e-1, -6.5407069689386402128e-3, 1.9997860728793259076e-1,
          1.0065407069689386402e-1, 3.0002139271206740924e-2, 6.6012595969772802645e-3}},
        {3.9e+1,
         {9.9927095332609324565e-1, -6.113377174773816624e-3, 1.8693504459147547324e-5,
          2.5797778901917277349e-2, 1.2820033499885662883e-2, 3.6120227631987022902e-3}},
    };
    for (int i = 0; i < 6; ++i) {
        tacReal c[6];
        tac_stumpff(rows[i].x, c);
        for (int k = 0; k < 6; ++k) ENSURE_NEAR(tac_re(c[k]), rows[i].c[k], 4e-16);
    }
    return 0;
}

typedef struct so3Reference {
    double w[3], R[9], J[9], J_inverse[9];
} so3Reference;

static const so3Reference references[] = {
    {{0.3, -0.5, 0.2},
     {8.5953389855866320273e-1, -2.6022671404809445294e-1, -4.3986763295823091984e-1,
      1.1491695393636673924e-1, 9.3703243728491798947e-1, -3.2979433769225511049e-1,
      4.9799153700292200855e-1, 2.3292116428443662572e-1, 8.3531560520670858826e-1},
     {9.5257673497035354961e-1, -1.2140244842315285438e-1, -2.3237122351341245009e-1,
      7.2343898392484115159e-2, 9.7874129498671021258e-1, -1.6166261012195062829e-1,
      2.5199464352567994686e-1, 1.2895691010150479912e-1, 9.4440030996524209458e-1},
     {9.7567887970646301561e-1, 8.7420110192998117732e-2, 2.5503195592280075541e-1,
      -1.1257988980700189337e-1, 9.8909742883393169701e-1, 1.4161340679533206846e-1,
      -2.4496804407719924459e-1, -1.5838659320466792044e-1, 9.7148558310412905378e-1}},
    {{1.5, -2.25, 1.25},
     {-4.8312370263879968898e-1, -8.2343690353685156996e-1, 2.9756201680022680085e-1,
      -6.8767026518947264145e-1, 1.4650428433050206578e-1, -7.1108796997772911186e-1,
      5.4194196582550887216e-1, -5.4816800396087439765e-1, -6.3703276612018456236e-1},
     {2.9405989764738638429e-1, -6.3946452433789744366e-1, -3.0390802098507905973e-1,
      -7.979520258740699499e-2, 5.9375145053292990039e-1, -6.3549314593583778531e-1,
      7.0349675816580374787e-1, 3.6110040164750753098e-2, 2.2080196249758685813e-1},
     {3.4406291927839553874e-1, 2.9084337397201282162e-1, 1.3106425700155484324,
      -9.5915662602798717838e-1, 6.2252677430171818739e-1, 4.7153614497667735135e-1,
      -9.3935742998445156757e-1, -1.0284638550233226486, 2.7599397693936111351e-1}},
};

static int so3_maps_match_reference_values(void) {
    for (int i = 0; i < 2; ++i) {
        const so3Reference* r = references + i;
        tacVec3 w = {r->w[0], r->w[1], r->w[2]};
        ENSURE_LAW(is_near_mat(tac_so3_exp(w), r->R, 1e-15));
        ENSURE_LAW(is_near_mat(tac_quat_to_mat(tac_quat_exp(w)), r->R, 1e-15));
        ENSURE_LAW(is_near_mat(tac_so3_left_jacobian(w), r->J, 1e-15));
        ENSURE_LAW(is_near_mat(tac_so3_left_jacobian_inverse(w), r->J_inverse, 2e-15));
    }
    tacVec3 w = tac_quat_log((tacQuat){-0.5, 0.25, 1.5, -0.75});
    ENSURE_NEAR(w.x, -3.7864267229052406051e-1, 1e-15);
    ENSURE_NEAR(w.y, -2.271856033743144363, 2e-15);
    ENSURE_NEAR(w.z, 1.1359280168715721815, 2e-15);
    return 0;
}

// log(exp(w)) = w with relative accuracy, from denormal angles to pi
static int log_undoes_exp(void) {
    const double angles[] = {0.0,    1e-300, 1e-170, 1e-100, 1e-20, 1e-9,      1e-5,      0.1,
                             0.4899, 0.49,   1.0,    2.0,    3.0,   pi - 1e-3, pi - 1e-9, pi};
    testRandom random = {6};
    for (int i = 0; i < 16 * 50; ++i) {
        double angle = angles[i % 16];
        tacVec3 axis = tac_normalize(random3(&random)), w = tac_scale(axis, angle);
        tacQuat q = tac_quat_exp(w);
        tacVec3 back = tac_quat_log(tac_quat_scale(q, i % 3 ? 1.0 : 5.0));
        double error = distance3(back, w);
        if (angle == pi) error = fmin(error, distance3(back, tac_neg(w))); // both are right
        ENSURE_NEAR(error, 0.0, 1e-15 * angle);
        ENSURE_NEAR(tac_quat_dot(q, q), 1.0, 1e-15);
    }
    return 0;
}

// exp(log(q)) = q up to sign and length, |log| <= pi; half turns included
static int exp_undoes_log(void) {
    testRandom random = {7};
    for (int i = 0; i < 2000; ++i) {
        tacQuat q = random_quat(&random);
        if (i % 4 == 0) q.w *= i % 8 ? 1e-9 : 0.0;
        if (i % 4 == 1) q = tac_quat(q.w, tac_scale(tac_quat_vec(q), 1e-9));
        tacVec3 w = tac_quat_log(q);
        ENSURE(tac_re(tac_norm(w)) <= pi + 1e-15);
        ENSURE_NEAR(mat_distance(tac_quat_to_mat(tac_quat_exp(w)), tac_quat_to_mat(q)), 0.0, 4e-15);
    }
    return 0;
}

// J_l = R J_r, J J^-1 = 1, and exp(w + d) = exp(J_l d) exp(w) to second order
static int so3_jacobians_are_derivatives_of_exp(void) {
    const double angles[] = {0.0,       1e-9, 1e-3,   1.0,    1.9999, 2.0001,
                             pi - 1e-9, pi,   3.9999, 4.0001, 6.0};
    testRandom random = {8};
    for (int i = 0; i < 11 * 20; ++i) {
        tacVec3 w = tac_scale(tac_normalize(random3(&random)), angles[i % 11]);
        tacMat3 left = tac_so3_left_jacobian(w), right = tac_so3_right_jacobian(w);
        ENSURE_NEAR(mat_distance(left, tac_mat_mul(tac_so3_exp(w), right)), 0.0, 3e-15);
        ENSURE_NEAR(
            mat_distance(tac_mat_mul(left, tac_so3_left_jacobian_inverse(w)), tac_mat_identity()),
            0.0, 5e-14);
        ENSURE_NEAR(
            mat_distance(tac_mat_mul(tac_so3_right_jacobian_inverse(w), right), tac_mat_identity()),
            0.0, 5e-14);
        tacVec3 d = tac_scale(random3(&random), 1e-5);
        tacQuat moved = tac_quat_mul(tac_quat_exp(tac_mat_mul_vec(left, d)), tac_quat_exp(w));
        ENSURE_NEAR(quat_distance(tac_quat_exp(tac_add(w, d)), moved), 0.0, 2e-10);
    }
    return 0;
}

//---------------------------------- integrate and differentiate ----------------------------------

static int difference_undoes_integrate(void) {
    testRandom random = {9};
    for (int i = 0; i < 1000; ++i) {
        tacQuat a = random_quat(&random), b = random_quat(&random);
        tacVec3 w = tac_quat_difference(a, b);
        tacQuat c = tac_quat_integrate(a, w);
        ENSURE_NEAR(mat_distance(tac_quat_to_mat(c), tac_quat_to_mat(b)), 0.0, 5e-15);
        ENSURE_NEAR(tac_quat_dot(c, c), 1.0, 2e-15);

        // w is in body axes: R(a) exp([w]) = exp([R(a) w]) R(a)
        tacQuat world = tac_quat_mul(tac_quat_exp(tac_quat_rotate(a, w)), tac_quat_normalize(a));
        ENSURE_NEAR(quat_distance(world, c), 0.0, 3e-15);
    }
    return 0;
}

// the rate of q and its two inverses
static int quaternion_rates_undo_angular_velocities(void) {
    testRandom random = {10};
    for (int i = 0; i < 200; ++i) {
        tacQuat q = random_quat(&random);
        tacVec3 w = random3(&random);
        ENSURE_NEAR(distance3(tac_quat_angular(q, tac_quat_rate(q, w)), w), 0.0, 3e-15);
        tacMat3 R_dot = tac_mat_mul(tac_skew(w), tac_quat_to_mat(q));
        ENSURE_NEAR(mat_distance(tac_quat_to_mat_jvp(q, tac_quat_rate(q, w)), R_dot), 0.0, 1e-14);
    }
    return 0;
}

TEST_MAIN(RUN(quaternions_rotate_as_their_matrices), RUN(rotations_are_right_handed),
          RUN(zero_quaternion_is_the_identity), RUN(matrices_give_back_their_quaternions),
          RUN(stumpff_series_match_reference_values), RUN(so3_maps_match_reference_values),
          RUN(log_undoes_exp), RUN(exp_undoes_log), RUN(so3_jacobians_are_derivatives_of_exp),
          RUN(difference_undoes_integrate), RUN(quaternion_rates_undo_angular_velocities))
