// Shapes of the ground: closed forms, derivatives, extremes, and the same bits for any batch.

#include "check/prove.h"
#include "check/shape_problem.h"
#include "shape/scenes.h"
#include "tactus/tactus.h"
#include "test.h"

#include <stdlib.h>

// value, gradient, Hessian at one point of the shape's own frame
typedef struct field {
    double value, g[3], H[6];
} field;

static field eval(const tacModel* model, int shape, double x, double y, double z) {
    field f;
    tacScratch* scratch;
    tac_scratch_create(model, &scratch);
    tacField out = {&f.value,
                    {&f.g[0], &f.g[1], &f.g[2]},
                    {&f.H[0], &f.H[1], &f.H[2], &f.H[3], &f.H[4], &f.H[5]}};
    tac_shape_eval(model, shape, tac_pose_identity(), (tacPoints){1, {&x, &y, &z}}, out, scratch);
    tac_scratch_destroy(scratch);
    return f;
}

//---------------------------------- closed forms ---------------------------------

static int sphere_is_distance(void) {
    tacModel* m = load_shapes("<shape name='s'><sphere size='.5' pos='1 2 3'/></shape>");
    field f = eval(m, 0, 1.0, 2.0 + 0.6, 3.0 - 0.8);
    ENSURE_NEAR(f.value, 0.5, 1e-15);
    ENSURE_NEAR(f.g[1], 0.6, 1e-15);
    ENSURE_NEAR(f.g[2], -0.8, 1e-15);
    ENSURE_NEAR(f.H[0], 1.0, 1e-15);
    ENSURE_NEAR(f.H[1], 0.64, 1e-15);
    ENSURE_NEAR(f.H[5], 0.48, 1e-15);
    tac_model_destroy(m);
    return 0;
}

static int plane_is_height(void) {
    tacModel* m = load_shapes("<shape name='p'><plane pos='0 0 .25' zaxis='0 1 1'/></shape>");
    field f = eval(m, 0, 7.0, 1.0, 0.25);
    ENSURE_NEAR(f.value, sqrt(0.5), 1e-15);
    ENSURE_NEAR(f.g[1], sqrt(0.5), 1e-15);
    ENSURE_NEAR(f.H[1], 0.0, 0.0);
    tac_model_destroy(m);
    return 0;
}

// eps = 1 1 with equal axes is a sphere, for both distances
static int round_superquadric_is_sphere(void) {
    tacModel* m = load_shapes("<shape name='t'><superquadric size='.5 .5 .5' eps='1 1'/></shape>"
                              "<shape name='r' distance='radial'>"
                              "<superquadric size='.5 .5 .5' eps='1 1'/></shape>"
                              "<shape name='s'><sphere size='.5'/></shape>");
    testRandom random = {7};
    for (int i = 0; i < 200; ++i) {
        double x[3];
        for (int k = 0; k < 3; ++k) x[k] = test_uniform(&random, -1.0, 1.0);
        field s = eval(m, 2, x[0], x[1], x[2]);
        for (int shape = 0; shape < 2; ++shape) {
            field f = eval(m, shape, x[0], x[1], x[2]);
            ENSURE_NEAR(f.value, s.value, 1e-14);
            for (int k = 0; k < 3; ++k) ENSURE_NEAR(f.g[k], s.g[k], 1e-13);
            for (int k = 0; k < 6; ++k) ENSURE_NEAR(f.H[k], s.H[k], 1e-10);
        }
    }
    tac_model_destroy(m);
    return 0;
}

// f = |x/a|^(2/e1) ... of paper 001, by pow in long double: phi = r (1 - f^(-e1/2))
static long double radial_by_pow(const double a[3], const double e[2], const double x[3]) {
    long double A = powl(fabsl(x[0] / (long double)a[0]), 2.0L / e[1]);
    long double B = powl(fabsl(x[1] / (long double)a[1]), 2.0L / e[1]);
    long double C = powl(fabsl(x[2] / (long double)a[2]), 2.0L / e[0]);
    long double f = powl(A + B, (long double)e[1] / e[0]) + C;
    long double r =
        sqrtl((long double)x[0] * x[0] + (long double)x[1] * x[1] + (long double)x[2] * x[2]);
    return r * (1.0L - powl(f, -0.5L * e[0]));
}

static int radial_distance_is_the_corrected_formula(void) {
    const double a[3] = {0.3, 0.2, 0.5},
                 exponents[][2] = {{0.6, 0.4}, {0.1, 1.0}, {1.0, 0.1}, {2.0, 2.0}, {1.5, 0.7}};
    testRandom random = {11};
    for (int c = 0; c < 5; ++c) {
        char text[200];
        snprintf(
            text, sizeof text,
            "<shape name='r' distance='radial'><superquadric size='.3 .2 .5' eps='%g %g'/></shape>",
            exponents[c][0], exponents[c][1]);
        tacModel* m = load_shapes(text);
        for (int i = 0; i < 500; ++i) {
            double x[3];
            for (int k = 0; k < 3; ++k) x[k] = test_uniform(&random, -1.0, 1.0);
            if (x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < 1e-2) continue;
            double expected = (double)radial_by_pow(a, exponents[c], x);
            // exponents from 0.65 on are rounded (docs/shapes.md eq. 8), ellipsoids are not
            double e1 = exponents[c][0], e2 = exponents[c][1];
            int is_rounded = (e1 > 0.65 && e1 != e2) || (e2 > 0.65 && e2 != 1.0);
            double rounded = is_rounded ? 1e-9 : 3e-15;
            ENSURE_NEAR(eval(m, 0, x[0], x[1], x[2]).value, expected, rounded);
        }
        tac_model_destroy(m);
    }
    return 0;
}

// the tangent-plane distance is exact over a flat face, and its gradient has length 1 on the
// surface
static int tangent_distance_is_metric_at_the_surface(void) {
    tacModel* m =
        load_shapes("<shape name='plate'><superquadric size='10 1 .1' eps='.1 .1'/></shape>");
    field f = eval(m, 0, 3.0, 0.2, 0.11);
    ENSURE_NEAR(f.value, 0.01, 1e-6);
    ENSURE_NEAR(f.g[2], 1.0, 1e-6);
    tac_model_destroy(m);
    return 0;
}

// smooth union of k equal fields is lower by tau ln k (math P1-08)
static int union_of_duplicates_is_lower_by_tau_log_k(void) {
    tacModel* m = load_shapes("<shape name='u' smooth='.1'><sphere size='.5'/><sphere size='.5'/>"
                              "<sphere size='.5'/></shape>");
    field f = eval(m, 0, 0.0, 0.9, 0.0);
    ENSURE_NEAR(f.value, 0.4 - 0.1 * log(3.0), 1e-15);
    ENSURE_NEAR(f.g[1], 1.0, 1e-15);
    tac_model_destroy(m);
    return 0;
}

// intersection of duplicates is higher by tau ln k; a difference turns the sign of what it takes
// away
static int maximum_of_duplicates_is_higher_by_tau_log_k(void) {
    tacModel* m =
        load_shapes("<shape name='i' smooth='.1'><intersection><sphere size='.5'/>"
                    "<sphere size='.5'/></intersection></shape>"
                    "<shape name='d' smooth='.1'><difference><plane/>"
                    "<plane euler='180 0 0'/><plane euler='180 0 0'/></difference></shape>");
    field f = eval(m, 0, 0.0, 0.9, 0.0), g = eval(m, 1, 0.3, 0.2, 0.4);
    ENSURE_NEAR(f.value, 0.4 + 0.1 * log(2.0), 1e-15);
    ENSURE_NEAR(f.H[0], 1.0 / 0.9, 1e-14);
    ENSURE_NEAR(g.value, 0.4 + 0.1 * log(3.0), 1e-15);
    ENSURE_NEAR(g.g[2], 1.0, 1e-15);
    tac_model_destroy(m);
    return 0;
}

// inside the wall of a cup, in its cavity, below its floor
static int cup_has_a_cavity(void) {
    tacModel* m = load_shapes(shape_zoo);
    int cup = tac_shape_find(m, "cup");
    ENSURE(eval(m, cup, 0.0, 0.37, 0.0).value < 0.0);
    ENSURE(eval(m, cup, 0.0, 0.0, 0.2).value > 0.2);
    ENSURE(eval(m, cup, 0.0, 0.0, -0.46).value < 0.0);
    ENSURE(eval(m, cup, 0.37, 0.0, 0.0).value > 0.0); // the hole
    tac_model_destroy(m);
    return 0;
}

//---------------------------------- derivatives ----------------------------------

// at an exact tie |x|/a = |y|/b of a superquadric too, hvp is linear in its tangent
static int hvp_is_linear_at_ties(void) {
    tacModel* m =
        load_shapes("<shape name='s'><superquadric size='.1 .1 .1' eps='1 1'/></shape>"
                    "<shape name='d'><superquadric size='.2 .1 .1' eps='.3 .5'/></shape>");
    tacScratch* scratch = make_scratch(m);
    const double points[][3] = {{.07, .07, .12}, {.1, .1, .05}, {.1, .1, .1}, {.2, .1, .1}};
    double one = 1.0, x_dot[3] = {.7, -.4, .3}, out[3][3];
    static double param_dot[4096];
    for (int shape = 0; shape < 2; ++shape)
        for (int i = 0; i < 4; ++i) {
            const double* x = points[i];
            tacPoints point = {1, {&x[0], &x[1], &x[2]}};
            memset(param_dot, 0, sizeof param_dot), memset(out, 0, sizeof out);
            int eps = m->node[m->shape[shape].first].eps;
            param_dot[eps] = .2, param_dot[eps + 1] = -.3;
            for (int part = 0; part < 3; ++part) {
                tacShapeTangent tangent = {.param = part != 0 ? param_dot : NULL};
                for (int k = 0; k < 3 && part != 1; ++k) tangent.x[k] = &x_dot[k];
                tacShapeAdjoint adjoint = {.x = {&out[part][0], &out[part][1], &out[part][2]}};
                tac_shape_hvp(m, shape, tac_pose_identity(), point, (tacField){.value = &one},
                              tangent, adjoint, scratch);
            }
            for (int k = 0; k < 3; ++k) ENSURE_NEAR(out[2][k], out[0][k] + out[1][k], 1e-9);
        }
    tac_scratch_destroy(scratch);
    tac_model_destroy(m);
    return 0;
}

static int derivatives_hold(void) {
    int points = getenv("TACTUS_NO_SWEEP") ? 300 : getenv("TACTUS_SWEEP") ? 30000 : 3000, bad = 0;
    tacModel* model = load_shapes(shape_zoo);
    for (int shape = 0; shape < model->nshape; ++shape) {
        tacCheckShape context;
        tacCheckProblem problem;
        ENSURE(tac_check_shape_begin(model, shape, &context, &problem) == TAC_OK);
        tacCheckOptions options = tac_check_shape_options(&context);
        options.points = points;
        bad += prove(&problem, options);
        tac_check_shape_end(&context);
    }
    tac_model_destroy(model);
    prove_summary();
    return bad;
}

TEST_MAIN(RUN(sphere_is_distance), RUN(plane_is_height), RUN(round_superquadric_is_sphere),
          RUN(radial_distance_is_the_corrected_formula),
          RUN(tangent_distance_is_metric_at_the_surface),
          RUN(union_of_duplicates_is_lower_by_tau_log_k),
          RUN(maximum_of_duplicates_is_higher_by_tau_log_k), RUN(cup_has_a_cavity),
          RUN(hvp_is_linear_at_ties), RUN(derivatives_hold))
