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

// (x/a)^2 with the ridges of exponents above 1 rounded (docs/shapes.md eq. 8)
static void rounded_squares(const double a[3], const double e[2], const double x[3],
                            long double v[3]) {
    long double o1 = fmax(e[0] - 1.0, 0.0), o2 = fmax(e[1] - 1.0, 0.0), Q = 0.0L;
    long double polar = 1e-4L * o1 * o1 * o1, around = polar + 1e-4L * o2 * o2 * o2;
    for (int k = 0; k < 3; ++k) v[k] = x[k] / (long double)a[k], v[k] *= v[k], Q += v[k];
    for (int k = 0; k < 3; ++k) v[k] += (k == 2 ? polar : around) * Q;
}

// f = |x/a|^(2/e1) ... of paper 001, by pow in long double: phi = r (1 - f^(-e1/2))
static long double radial_by_pow(const double a[3], const double e[2], const double x[3]) {
    long double v[3];
    rounded_squares(a, e, x, v);
    long double A = powl(v[0], 1.0L / e[1]), B = powl(v[1], 1.0L / e[1]);
    long double f = powl(A + B, (long double)e[1] / e[0]) + powl(v[2], 1.0L / e[0]);
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

//---------------------------------- primitives -----------------------------------

// exact signed distance to a corner whose faces have these distances
static long double corner_distance(const long double* q, int n) {
    long double out = 0.0L, most = -INFINITY;
    for (int i = 0; i < n; ++i) most = fmaxl(most, q[i]), out += fmaxl(q[i], 0) * fmaxl(q[i], 0);
    return sqrtl(out) + fminl(most, 0.0L);
}

static long double exact_distance(tacNodeKind kind, const double* a, const double* x) {
    long double rho = hypotl(x[0], x[1]), z = fabsl((long double)x[2]), q[3];
    if (kind == TAC_NODE_CAPSULE) return hypotl(rho, fmaxl(z - a[1], 0.0L)) - a[0];
    if (kind == TAC_NODE_CYLINDER) {
        q[0] = rho - a[0], q[1] = z - a[1];
        return corner_distance(q, 2);
    }
    for (int i = 0; i < 3; ++i) q[i] = fabsl((long double)x[i]) - a[i];
    return corner_distance(q, 3);
}

// Faces, edges, corners, inside: exact but for the width d = 0.02 kappa of what is softened, which
// takes away 0.51 d at edges and 0.85 d at corners.
static int primitives_are_distances(void) {
    tacModel* m = load_shapes("<shape name='b'><box size='.3 .2 .5'/></shape>"
                              "<shape name='y'><cylinder size='.2 .3'/></shape>"
                              "<shape name='c'><capsule size='.2 .3'/></shape>");
    double d = 0.02 / sqrt(1 / .09 + 1 / .04 + 1 / .25);
    ENSURE_NEAR(eval(m, 0, 0.1, 0.1, 0.8).value, 0.3, 1e-15); // above faces
    ENSURE_NEAR(eval(m, 1, 0.1, 0.1, 0.8).value, 0.5, 1e-15);
    ENSURE_NEAR(eval(m, 1, 0.3, 0.4, 0.1).value, 0.3, 1e-15);
    ENSURE_NEAR(eval(m, 2, 0.3, 0.4, 0.1).value, 0.3, 1e-15);
    ENSURE_NEAR(eval(m, 0, 0.6, 0.1, 0.9).value, 0.5, 1e-15); // off edges and corners
    ENSURE_NEAR(eval(m, 0, 0.5, 0.4, 0.6).value, 0.3, 1e-13);
    ENSURE_NEAR(eval(m, 1, 0.0, -0.5, -0.7).value, 0.5, 1e-15);
    ENSURE_NEAR(eval(m, 2, 0.0, 0.3, 0.7).value, 0.3, 1e-15);
    ENSURE_NEAR(eval(m, 0, 0.0, 0.15, 0.0).value, -0.05, 1e-15); // inside
    ENSURE_NEAR(eval(m, 1, 0.0, 0.15, 0.0).value, -0.05, 1e-15);
    ENSURE_NEAR(eval(m, 2, 0.0, 0.15, 0.1).value, -0.05, 1e-15);
    ENSURE_NEAR(eval(m, 0, 0.3, 0.2, 0.0).value, d * log(pow(2.0, sqrt(2.0)) - 1.0), 1e-15);
    ENSURE_NEAR(eval(m, 0, 0.3, 0.2, 0.5).value, d * log(pow(2.0, sqrt(3.0)) - 1.0), 1e-15);
    ENSURE_NEAR(eval(m, 2, 0.0, 0.0, 0.0).value, -0.2 + 0.004 * log(2.0), 1e-15);
    for (double z = 0.28; z < 0.33; z += 1e-3) { // where a capsule's mantle becomes its cap
        double over = fmax(z - 0.3, 0.0), x = sqrt(0.04 - over * over);
        ENSURE_NEAR(eval(m, 2, x, 0.0, z).value, 0.0, 0.002 * 0.004);
    }
    field f = eval(m, 0, 0.0, 0.0, 0.0);
    for (int k = 0; k < 3; ++k) ENSURE_NEAR(f.g[k], 0.0, 0.0);
    f = eval(m, 1, 0.3, 0.4, 0.1);
    ENSURE_NEAR(f.g[0], 0.6, 1e-14);
    ENSURE_NEAR(f.H[0], 0.64 / 0.5, 1e-13);
    tac_model_destroy(m);
    return 0;
}

// the table of docs/shapes.md: error in units of the width, slope at most 1
static int primitives_have_the_stated_error(void) {
    static const tacNodeKind kinds[] = {TAC_NODE_BOX, TAC_NODE_CYLINDER, TAC_NODE_CAPSULE};
    static const double bound[][2] = {{0.0, 1.25}, {0.0, 1.04}, {0.0, 0.76}};
    static const double sizes[][3] = {{1, 1, 1}, {.3, .2, .5}, {1, .2, .05}, {.05, 2, 1}};
    testRandom random = {31};
    int points = getenv("TACTUS_NO_SWEEP") ? 2000 : 30000;
    for (int k = 0; k < 3; ++k) {
        double least = 0.0, most = 0.0, steepest = 0.0;
        for (int s = 0; s < 4; ++s) {
            const char* form[] = {"<shape name='p'><box size='%g %g %g'/></shape>",
                                  "<shape name='p'><cylinder size='%g %g'/></shape>",
                                  "<shape name='p'><capsule size='%g %g'/></shape>"};
            char text[200];
            const double* a = sizes[s];
            snprintf(text, sizeof text, form[k], a[0], a[1], a[2]);
            tacModel* m = load_shapes(text);
            double inverse = 1 / (a[0] * a[0]);
            for (int i = 1; i < 3 - k; ++i) inverse += 1 / (a[i] * a[i]);
            double width = 0.02 / sqrt(inverse);
            for (int i = 0; i < points; ++i) {
                double x[3], edge[3] = {a[0], k == 0 ? a[1] : 0.0, k == 0 ? a[2] : a[1]};
                double reach = i % 3 == 0 ? 2.0 : i % 3 == 1 ? 0.02 : 3.0 * width;
                for (int c = 0; c < 3; ++c) {
                    double at = test_bits(&random) % 2 ? edge[c] : 0.0;
                    double off = test_bits(&random) % 4 ? test_uniform(&random, -1.0, 1.0) : 0.0;
                    x[c] = at + reach * off;
                }
                field f = eval(m, 0, x[0], x[1], x[2]);
                double error = (f.value - (double)exact_distance(kinds[k], a, x)) / width;
                least = fmin(least, error), most = fmax(most, error);
                steepest =
                    fmax(steepest, sqrt(f.g[0] * f.g[0] + f.g[1] * f.g[1] + f.g[2] * f.g[2]));
            }
            tac_model_destroy(m);
        }
        printf("  %s: error %.3f to %.3f widths, slope %.17g\n",
               k == 0   ? "box"
               : k == 1 ? "cylinder"
                        : "capsule",
               least, most, steepest);
        ENSURE(least >= bound[k][0] - 1e-9 && most <= bound[k][1]);
        ENSURE(steepest <= 1.0 + 1e-14);
    }
    return 0;
}

// an ellipsoid is the superquadric with exponents 1, bit by bit, in both distances
static int ellipsoid_is_a_superquadric(void) {
    tacModel* m = load_shapes("<shape name='e'><ellipsoid size='.3 .2 .5'/></shape>"
                              "<shape name='q'><superquadric size='.3 .2 .5' eps='1 1'/></shape>"
                              "<shape name='f' distance='radial'><ellipsoid size='.3 .2 .5'/>"
                              "</shape><shape name='r' distance='radial'>"
                              "<superquadric size='.3 .2 .5' eps='1 1'/></shape>");
    testRandom random = {37};
    for (int i = 0; i < 200; ++i) {
        double x[3];
        for (int k = 0; k < 3; ++k) x[k] = test_uniform(&random, -1.0, 1.0);
        for (int shape = 0; shape < 4; shape += 2) {
            field e = eval(m, shape, x[0], x[1], x[2]), q = eval(m, shape + 1, x[0], x[1], x[2]);
            ENSURE(memcmp(&e, &q, sizeof e) == 0);
        }
    }
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
          RUN(hvp_is_linear_at_ties), RUN(primitives_are_distances),
          RUN(primitives_have_the_stated_error), RUN(ellipsoid_is_a_superquadric),
          RUN(derivatives_hold))
