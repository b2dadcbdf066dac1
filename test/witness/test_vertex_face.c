// A vertex and a triangle: the nearest point, smooth and exact, with derivatives.

#include "detect/mesh_distance.h"
#include "witness/adapter_vertex_face.h"

#include "check/prove.h"

static void draw_triangle(testRandom* random, double x[12]) {
    for (int k = 0; k < 12; ++k) x[k] = test_uniform(random, 0.0, 1.0);
}

static tacWitnessOptions exact_options(void) {
    tacWitnessOptions options = tac_default_witness_options();
    options.exact = 1;
    options.gap = 0.0;
    return options;
}

static tacResult solve_vertex_face(const tacWitnessOptions* options, const double x[12],
                                   double y[11]) {
    tacVertexFaces pairs = {.count = 1, .vertex = {x, x + 1, x + 2}};
    for (int k = 0; k < 9; ++k) pairs.corner[k / 3][k % 3] = x + 3 + k;
    tacFaceWitness w = {.alpha = {y, y + 1, y + 2},
                        .colliding = y + 3,
                        .point = {y + 4, y + 5, y + 6},
                        .distance = y + 7,
                        .normal = {y + 8, y + 9, y + 10}};
    return tac_vertex_face(options, pairs, w);
}

// distance by plane and sides, one after another
static double reference_distance(const double x[12]) {
    double corner[3][3];
    int triangle[1][3] = {{0, 1, 2}};
    memcpy(corner, x + 3, sizeof corner);
    refMesh m = {3, 1, corner, triangle};
    return sqrt(ref_to_triangle(&m, 0, x));
}

//---------------------------------- values ---------------------------------------

static int exact_is_nearest(void) {
    testRandom random = {5};
    tacWitnessOptions options = exact_options();
    double worst = 0.0;
    int inside = 0;
    for (int i = 0; i < 10000; ++i) {
        double x[12], y[11];
        draw_triangle(&random, x);
        ENSURE(solve_vertex_face(&options, x, y) == TAC_OK);
        worst = fmax(worst, fabs(y[7] - reference_distance(x)));
        inside += y[3] == 1.0;
        ENSURE_NEAR(y[0] + y[1] + y[2], 1.0, 1e-12);
        for (int k = 0; k < 3; ++k) {
            ENSURE(y[k] >= -1e-12 && (y[3] == 0.0 || y[3] == 1.0));
            ENSURE_NEAR(y[4 + k], y[0] * x[3 + k] + y[1] * x[6 + k] + y[2] * x[9 + k], 1e-12);
        }
    }
    printf("    distance against plane and sides %.1e; %d feet inside\n", worst, inside);
    ENSURE(worst < 1e-12 && inside > 500 && inside < 9500);
    return 0;
}

// temperatures to 0: the smooth answer becomes the exact one
static int zero_temperature_is_exact(void) {
    double last = INFINITY;
    for (double share = 1.0; share > 2e-4; share *= 0.1) {
        testRandom random = {9};
        tacWitnessOptions hard = exact_options(), soft = tac_default_witness_options();
        double sum = 0.0;
        soft.tikhonov *= share;
        soft.min *= share;
        soft.clip *= share;
        soft.inside *= share;
        soft.gap = 0.0;
        for (int i = 0; i < 2000; ++i) {
            double x[12], y[11], z[11];
            draw_triangle(&random, x);
            ENSURE(solve_vertex_face(&soft, x, y) == TAC_OK &&
                   solve_vertex_face(&hard, x, z) == TAC_OK);
            sum += fabs(y[7] - z[7]) / 2000.0;
        }
        printf("    temperatures x %-6g mean difference of distances %.1e\n", share, sum);
        ENSURE(sum < last);
        last = sum;
    }
    ENSURE(last < 1e-4);
    return 0;
}

// lengths a million times as large or as small: the same shares
static int shares_scale_with_length(void) {
    testRandom random = {13};
    tacWitnessOptions options = tac_default_witness_options();
    for (int i = 0; i < 300; ++i) {
        double x[12], z[12], y[11], w[11], scale = pow(10.0, i % 13 - 6);
        draw_triangle(&random, x);
        for (int k = 0; k < 12; ++k) z[k] = scale * x[k];
        ENSURE(solve_vertex_face(&options, x, y) == TAC_OK &&
               solve_vertex_face(&options, z, w) == TAC_OK);
        for (int k = 0; k < 4; ++k) ENSURE_NEAR(w[k], y[k], 1e-11);
        ENSURE_NEAR(w[7], scale * y[7], 1e-11 * scale);
    }
    return 0;
}

//---------------------------------- derivatives ----------------------------------

static int sample(const void* context, int i, unsigned long long* state, double* x, double* scale) {
    const faceMap* m = context;
    tacWitnessOptions o = m->units == TAC_WITNESS_ABSOLUTE ? tac_reference_witness_options()
                                                           : tac_default_witness_options();
    for (int k = 0; k < 12; ++k) {
        x[k] = m->scale * tac_check_uniform(state, 0.0, 1.0);
        scale[k] = 0.1 * m->scale;
    }
    if (i % 5 == 1) // over the triangle
        for (int k = 0; k < 3; ++k) x[k] = (x[3 + k] + x[6 + k] + x[9 + k]) / 3.0 + 0.1 * x[k];
    double numbers[5] = {o.tikhonov, o.min, o.clip, o.inside, fmax(o.gap, 1e-3 * m->scale)};
    for (int k = 0; k < 5; ++k) {
        x[12 + k] = numbers[k];
        scale[12 + k] = 0.1 * numbers[k];
    }
    return FACE_OUTPUTS;
}

static int vertex_face_has_exact_derivatives(void) {
    static const faceMap maps[] = {{"smooth", TAC_WITNESS_RELATIVE, 0, 1.0},
                                   {"small", TAC_WITNESS_RELATIVE, 0, 1e-3},
                                   {"published", TAC_WITNESS_ABSOLUTE, 0, 1.0},
                                   {"exact", TAC_WITNESS_RELATIVE, 1, 1.0}};
    int bad = 0;
    for (int i = 0; i < 4; ++i) {
        tacCheckProblem problem = {.name = maps[i].name,
                                   .n = FACE_INPUTS,
                                   .m = FACE_OUTPUTS,
                                   .context = &maps[i],
                                   .as_double = &tac_check_vertex_face_double,
                                   .as_complex = &tac_check_vertex_face_complex,
                                   .as_quad = &tac_check_vertex_face_quad,
                                   .sample = sample};
        tacCheckOptions o = tac_check_default_options();
        o.points = getenv("TACTUS_NO_SWEEP") ? 200 : 1000;
        if (maps[i].exact) o.taylor_every = 1 << 30;
        bad += prove(&problem, o);
    }
    prove_summary();
    return bad;
}

//---------------------------------- bad places -----------------------------------

// flat triangles, all corners in a point, the vertex on a corner or a side
static int degenerate_triangles_are_finite(void) {
    static const double places[][12] = {
        {0, 0, 1, 0, 0, 0, 1, 0, 0, 2, 0, 0},   {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
        {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0},   {.5, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0},
        {.2, .2, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0}, {0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0}};
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i)
        for (int exact = 0; exact < 2; ++exact) {
            tacWitnessOptions options = tac_default_witness_options();
            double y[11], numbers[FACE_INPUTS], bar[11], x_bar[FACE_INPUTS];
            faceMap map = {"bad", TAC_WITNESS_RELATIVE, exact, 1.0};
            options.exact = exact;
            ENSURE(solve_vertex_face(&options, places[i], y) == TAC_OK);
            memcpy(numbers, places[i], sizeof places[i]);
            numbers[12] = 1e-3;
            numbers[13] = 1e-2;
            numbers[14] = numbers[15] = 0.02;
            numbers[16] = 1e-3;
            for (int k = 0; k < 11; ++k) bar[k] = 1.0;
            ENSURE(tac_check_vertex_face_double.vjp(&map, numbers, bar, x_bar) == TAC_OK);
            for (int k = 0; k < 11; ++k) ENSURE(isfinite(y[k]));
            for (int k = 0; k < FACE_INPUTS; ++k) ENSURE(isfinite(x_bar[k]));
        }
    return 0;
}

static int invalid_input_is_refused(void) {
    tacWitnessOptions options = tac_default_witness_options();
    double x[12] = {NAN, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0}, y[11];
    ENSURE(solve_vertex_face(&options, x, y) == TAC_ERROR_VALUE);
    x[0] = 1e300;
    ENSURE(solve_vertex_face(&options, x, y) == TAC_ERROR_VALUE);
    x[0] = 0.0;
    options.min = -1.0;
    ENSURE(solve_vertex_face(&options, x, y) == TAC_ERROR_VALUE);
    return 0;
}

TEST_MAIN(RUN(exact_is_nearest), RUN(zero_temperature_is_exact), RUN(shares_scale_with_length),
          RUN(vertex_face_has_exact_derivatives), RUN(degenerate_triangles_are_finite),
          RUN(invalid_input_is_refused))
