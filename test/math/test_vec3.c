// Laws of vectors and 3 x 3 matrices.

#include "math/check_math.h"

static tacVec3 random3(testRandom* random) {
    tacReal x[3];
    check_random(random, 3, x);
    return tac_load3(x);
}

static tacMat3 random_mat(testRandom* random) {
    tacReal x[9];
    check_random(random, 9, x);
    return load_mat(x);
}

static double distance3(tacVec3 a, tacVec3 b) { return tac_re(tac_distance(a, b)); }

static double mat_distance(tacMat3 a, tacMat3 b) {
    tacMat3 d = tac_mat_sub(a, b);
    return sqrt(tac_re(tac_mat_dot(d, d)));
}

// Lagrange and Jacobi identities, and the skew matrix
static int cross_products_obey_identities(void) {
    testRandom random = {1};
    for (int i = 0; i < 1000; ++i) {
        tacVec3 a = random3(&random), b = random3(&random), c = random3(&random);
        tacVec3 ab = tac_cross(a, b);
        ENSURE_NEAR(tac_dot(ab, a), 0.0, 1e-15);
        ENSURE_NEAR(tac_norm2(ab) + tac_dot(a, b) * tac_dot(a, b), tac_norm2(a) * tac_norm2(b),
                    1e-14);
        tacVec3 jacobi = tac_add(tac_cross(a, tac_cross(b, c)),
                                 tac_add(tac_cross(b, tac_cross(c, a)), tac_cross(c, ab)));
        ENSURE_NEAR(tac_norm(jacobi), 0.0, 1e-14);
        ENSURE_NEAR(distance3(tac_mat_mul_vec(tac_skew(a), b), ab), 0.0, 1e-15);
    }
    tacVec3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, z = {0.0, 0.0, 1.0};
    ENSURE(distance3(tac_cross(x, y), z) == 0.0 && distance3(tac_cross(y, z), x) == 0.0);
    return 0;
}

static int vector_arithmetic_obeys_identities(void) {
    tacVec3 a = {1.0, -2.0, 3.0}, b = {0.5, 4.0, -1.0};
    ENSURE(distance3(tac_add(a, b), tac_vec3(1.5, 2.0, 2.0)) == 0.0);
    ENSURE(distance3(tac_sub(a, b), tac_vec3(0.5, -6.0, 4.0)) == 0.0);
    ENSURE(distance3(tac_mul(a, b), tac_vec3(0.5, -8.0, -3.0)) == 0.0);
    ENSURE(distance3(tac_add_scaled(a, 2.0, b), tac_vec3(2.0, 6.0, 1.0)) == 0.0);
    ENSURE(distance3(tac_neg(a), tac_scale(a, -1.0)) == 0.0);
    ENSURE(tac_dot(a, b) == -10.5);
    ENSURE_NEAR(tac_norm(tac_vec3(2.0, 3.0, 6.0)), 7.0, 1e-15);
    return 0;
}

// length 1 over twelve decades; what is too short to have a direction stays 0, never NaN
static int normalized_vectors_have_length_1(void) {
    testRandom random = {2};
    for (int i = -6; i <= 6; ++i) {
        tacVec3 a = tac_scale(random3(&random), pow(10.0, 2.0 * i));
        ENSURE_NEAR(tac_norm(tac_normalize(a)), 1.0, 1e-15);
    }
    ENSURE(tac_norm(tac_normalize(tac_vec3_zero())) == 0.0);
    ENSURE(tac_norm(tac_normalize_jvp(tac_vec3_zero(), tac_vec3(1.0, 2.0, 3.0))) == 0.0);
    ENSURE(tac_norm_jvp(tac_vec3_zero(), tac_vec3(1.0, 2.0, 3.0)) == 0.0);
    return 0;
}

static int matrix_products_obey_identities(void) {
    testRandom random = {3};
    for (int i = 0; i < 300; ++i) {
        tacMat3 A = random_mat(&random), B = random_mat(&random), C = random_mat(&random);
        tacVec3 a = random3(&random), b = random3(&random), w = random3(&random);
        ENSURE_NEAR(
            mat_distance(tac_mat_mul(tac_mat_mul(A, B), C), tac_mat_mul(A, tac_mat_mul(B, C))), 0.0,
            1e-14);
        ENSURE_NEAR(mat_distance(tac_mat_tmul(A, B), tac_mat_mul(tac_mat_transpose(A), B)), 0.0,
                    0.0);
        ENSURE_NEAR(mat_distance(tac_mat_transpose(tac_mat_mul(A, B)),
                                 tac_mat_tmul(B, tac_mat_transpose(A))),
                    0.0, 1e-14);
        ENSURE_NEAR(tac_dot(b, tac_mat_mul_vec(A, a)), tac_dot(tac_mat_tmul_vec(A, b), a), 1e-14);
        ENSURE_NEAR(tac_mat_dot(A, tac_outer(a, b)), tac_dot(a, tac_mat_mul_vec(A, b)), 1e-14);
        ENSURE_NEAR(tac_mat_dot(A, tac_skew(w)), tac_dot(tac_axial(A), w), 1e-14);
        ENSURE_NEAR(tac_mat_trace(tac_mat_mul_t(A, B)), tac_mat_dot(A, B), 1e-14);
        ENSURE(distance3(tac_mat_column(A, 1), tac_mat_row(tac_mat_transpose(A), 1)) == 0.0);
        ENSURE(mat_distance(tac_mat_mul(A, tac_mat_identity()), A) == 0.0);
    }
    return 0;
}

TEST_MAIN(RUN(cross_products_obey_identities), RUN(vector_arithmetic_obeys_identities),
          RUN(normalized_vectors_have_length_1), RUN(matrix_products_obey_identities))
