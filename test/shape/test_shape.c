// Shapes of the ground: closed forms, derivatives, extremes, and the same bits for any batch.

#include "shape/prove_shapes.h"
#include "shape/shape_scenes.h"
#include "tactus/tactus.h"
#include "test.h"

#include <stdlib.h>

// value, gradient, Hessian at one point of the shape's own frame
typedef struct field {
    double value, g[3], H[6];
} field;

static field eval_shape(const tacModel* model, int shape, double x, double y, double z) {
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
    field f = eval_shape(m, 0, 1.0, 2.0 + 0.6, 3.0 - 0.8);
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
    field f = eval_shape(m, 0, 7.0, 1.0, 0.25);
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
        field s = eval_shape(m, 2, x[0], x[1], x[2]);
        for (int shape = 0; shape < 2; ++shape) {
            field f = eval_shape(m, shape, x[0], x[1], x[2]);
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
    for (int k = 0; k < 3; ++k) {
        v[k] = x[k] / (long double)a[k];
        v[k] *= v[k];
        Q += v[k];
    }
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
            ENSURE_NEAR(eval_shape(m, 0, x[0], x[1], x[2]).value, expected, rounded);
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
    field f = eval_shape(m, 0, 3.0, 0.2, 0.11);
    ENSURE_NEAR(f.value, 0.01, 1e-6);
    ENSURE_NEAR(f.g[2], 1.0, 1e-6);
    tac_model_destroy(m);
    return 0;
}

// smooth union of k equal fields is lower by tau ln k (math P1-08)
static int union_of_duplicates_is_lower_by_tau_log_k(void) {
    tacModel* m = load_shapes("<shape name='u' smooth='.1'><sphere size='.5'/><sphere size='.5'/>"
                              "<sphere size='.5'/></shape>");
    field f = eval_shape(m, 0, 0.0, 0.9, 0.0);
    ENSURE_NEAR(f.value, 0.4 - 0.1 * log(3.0), 1e-15);
    ENSURE_NEAR(f.g[1], 1.0, 1e-15);
    tac_model_destroy(m);
    return 0;
}

// A union that ends, from the distances of its spheres (docs/shapes.md eq. 40)
static double truncated_union(const double distance[2], double tau, double T) {
    double sum = exp(-T / tau);
    for (int k = 0; k < 2; ++k) {
        double u = fmin(fmax(3.0 * (1.0 - distance[k] / T), 0.0), 1.0), u4 = u * u * u * u;
        sum += u4 * (35.0 + u * (-84.0 + u * (70.0 - 20.0 * u))) * exp(-distance[k] / tau);
    }
    return -tau * log(sum);
}

// Hessians are the derivatives of gradients, where parts of a union fade as elsewhere
static int hessians_of_truncated_unions_match_their_gradients(void) {
    static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}}; // xx yy zz xy xz yz
    tacModel* m = load_zoo();
    tacScratch* scratch = make_scratch(m);
    testRandom random = {37};
    for (int shape = 0; shape < m->nshape; ++shape)
        for (int i = 0; i < 2000 && m->shape[shape].truncate > 0.0; ++i) {
            double x[3], one[3] = {1.0, 1.0, 1.0}, zero[3] = {0}, d[4];
            for (int k = 0; k < 3; ++k) x[k] = test_uniform(&random, -0.9, 0.9);
            field f = eval_shape(m, shape, x[0], x[1], x[2]);
            double size = 1.0;
            for (int k = 0; k < 6; ++k) size = fmax(size, fabs(f.H[k]));
            for (int k = 0; k < 3; ++k) {
                tacShapeTangent along = {.x = {zero, zero, zero}};
                along.x[k] = one;
                tac_shape_jvp(m, shape, tac_pose_identity(), (tacPoints){1, {&x[0], &x[1], &x[2]}},
                              along, (tacField){.value = &d[3], .gradient = {&d[0], &d[1], &d[2]}},
                              scratch);
                for (int j = 0; j < 3; ++j) ENSURE_NEAR(f.H[at[j][k]] / size, d[j] / size, 1e-11);
            }
        }
    tac_scratch_destroy(scratch);
    tac_model_destroy(m);
    return 0;
}

static int truncated_union_matches_its_formula(void) {
    const double tau = 0.03, T = 0.36;
    tacModel* m = load_shapes("<shape name='u' smooth='.03' truncate='.36'><sphere size='.5'/>"
                              "<sphere size='.3' pos='1 0 0'/></shape>");
    testRandom random = {29};
    int seen[3] = {0}; // in full, fading, beyond
    for (int i = 0; i < 3000; ++i) {
        double x[3], near = 1e9;
        for (int k = 0; k < 3; ++k) x[k] = test_uniform(&random, -1.2, 1.8);
        double distance[2] = {sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - 0.5,
                              sqrt((x[0] - 1) * (x[0] - 1) + x[1] * x[1] + x[2] * x[2]) - 0.3};
        near = fmin(distance[0], distance[1]);
        if (near < -0.25) continue; // cores
        field f = eval_shape(m, 0, x[0], x[1], x[2]);
        ENSURE_NEAR(f.value, truncated_union(distance, tau, T), 1e-14);
        ++seen[near < 2.0 / 3.0 * T ? 0 : near < T ? 1 : 2];
        if (near < T) continue;
        ENSURE(f.value == T && f.g[0] == 0.0 && f.g[1] == 0.0 && f.g[2] == 0.0);
        for (int k = 0; k < 6; ++k) ENSURE(f.H[k] == 0.0);
    }
    ENSURE(seen[0] > 100 && seen[1] > 100 && seen[2] > 100);
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
    field f = eval_shape(m, 0, 0.0, 0.9, 0.0), g = eval_shape(m, 1, 0.3, 0.2, 0.4);
    ENSURE_NEAR(f.value, 0.4 + 0.1 * log(2.0), 1e-15);
    ENSURE_NEAR(f.H[0], 1.0 / 0.9, 1e-14);
    ENSURE_NEAR(g.value, 0.4 + 0.1 * log(3.0), 1e-15);
    ENSURE_NEAR(g.g[2], 1.0, 1e-15);
    tac_model_destroy(m);
    return 0;
}

// Where all weights count: half-spaces have no curvature of their own, so that of their blend is
// -s sum w_k (g_k - g)(g_k - g)^T/tau (docs/shapes.md eq. 4).
static int blend_of_planes_has_the_curvature_of_its_weights(void) {
    static const double n[3][3] = {{0, 0, 1}, {0.6, 0, 0.8}, {-0.48, 0.64, 0.6}};
    static const char* const form =
        "<shape name='b' smooth='.1'><%s><plane zaxis='0 0 1'/><plane zaxis='.6 0 .8'/>"
        "<plane zaxis='-.48 .64 .6'/></%s></shape>";
    static const char* const kind[3] = {"union", "intersection", "difference"};
    static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    testRandom random = {13};
    for (int i = 0; i < 60; ++i) {
        double x[3], s = i % 3 ? -1.0 : 1.0, w[3], c[3], sum = 0.0, g[3] = {0};
        for (int k = 0; k < 3; ++k) x[k] = test_uniform(&random, -0.1, 0.1);
        for (int p = 0; p < 3; ++p) {
            c[p] = i % 3 == 2 && p ? -1.0 : 1.0;
            double height = n[p][0] * x[0] + n[p][1] * x[1] + n[p][2] * x[2];
            sum += w[p] = exp(-s * c[p] * height / 0.1);
        }
        for (int p = 0; p < 3; ++p)
            for (int k = 0; k < 3; ++k) g[k] += w[p] / sum * c[p] * n[p][k];
        char text[300];
        snprintf(text, sizeof text, form, kind[i % 3], kind[i % 3]);
        tacModel* m = load_shapes(text);
        field f = eval_shape(m, 0, x[0], x[1], x[2]);
        for (int e = 0; e < 6; ++e) {
            int a = pair[e][0], b = pair[e][1];
            double H = 0.0;
            for (int p = 0; p < 3; ++p)
                H -= s * w[p] / sum * (c[p] * n[p][a] - g[a]) * (c[p] * n[p][b] - g[b]) / 0.1;
            ENSURE_NEAR(f.H[e], H, 1e-13);
        }
        tac_model_destroy(m);
    }
    return 0;
}

// inside the wall of a cup, in its cavity, below its floor
static int difference_of_shapes_has_a_cavity(void) {
    tacModel* m = load_zoo();
    int cup = tac_shape_find(m, "cup");
    ENSURE(eval_shape(m, cup, 0.0, 0.37, 0.0).value < 0.0);
    ENSURE(eval_shape(m, cup, 0.0, 0.0, 0.2).value > 0.2);
    ENSURE(eval_shape(m, cup, 0.0, 0.0, -0.46).value < 0.0);
    ENSURE(eval_shape(m, cup, 0.37, 0.0, 0.0).value > 0.0); // the hole
    tac_model_destroy(m);
    return 0;
}

//---------------------------------- primitives -----------------------------------

// exact signed distance to a corner whose faces have these distances
static long double corner_distance(const long double* q, int n) {
    long double out = 0.0L, most = -INFINITY;
    for (int i = 0; i < n; ++i) {
        most = fmaxl(most, q[i]);
        out += fmaxl(q[i], 0) * fmaxl(q[i], 0);
    }
    return sqrtl(out) + fminl(most, 0.0L);
}

static long double exact_distance(tacNodeKind kind, const double* a, const double* x) {
    long double rho = hypotl(x[0], x[1]), z = fabsl((long double)x[2]), q[3];
    if (kind == TAC_NODE_CAPSULE) return hypotl(rho, fmaxl(z - a[1], 0.0L)) - a[0];
    if (kind == TAC_NODE_CYLINDER) {
        q[0] = rho - a[0];
        q[1] = z - a[1];
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
    ENSURE_NEAR(eval_shape(m, 0, 0.1, 0.1, 0.8).value, 0.3, 1e-15); // above faces
    ENSURE_NEAR(eval_shape(m, 1, 0.1, 0.1, 0.8).value, 0.5, 1e-15);
    ENSURE_NEAR(eval_shape(m, 1, 0.3, 0.4, 0.1).value, 0.3, 1e-15);
    ENSURE_NEAR(eval_shape(m, 2, 0.3, 0.4, 0.1).value, 0.3, 1e-15);
    ENSURE_NEAR(eval_shape(m, 0, 0.6, 0.1, 0.9).value, 0.5, 1e-15); // off edges and corners
    ENSURE_NEAR(eval_shape(m, 0, 0.5, 0.4, 0.6).value, 0.3, 1e-13);
    ENSURE_NEAR(eval_shape(m, 1, 0.0, -0.5, -0.7).value, 0.5, 1e-15);
    ENSURE_NEAR(eval_shape(m, 2, 0.0, 0.3, 0.7).value, 0.3, 1e-15);
    ENSURE_NEAR(eval_shape(m, 0, 0.0, 0.15, 0.0).value, -0.05, 1e-15); // inside
    ENSURE_NEAR(eval_shape(m, 1, 0.0, 0.15, 0.0).value, -0.05, 1e-15);
    ENSURE_NEAR(eval_shape(m, 2, 0.0, 0.15, 0.1).value, -0.05, 1e-15);
    ENSURE_NEAR(eval_shape(m, 0, 0.3, 0.2, 0.0).value, d * log(pow(2.0, sqrt(2.0)) - 1.0), 1e-15);
    ENSURE_NEAR(eval_shape(m, 0, 0.3, 0.2, 0.5).value, d * log(pow(2.0, sqrt(3.0)) - 1.0), 1e-15);
    ENSURE_NEAR(eval_shape(m, 2, 0.0, 0.0, 0.0).value, -0.2 + 0.004 * log(2.0), 1e-15);
    for (double z = 0.28; z < 0.33; z += 1e-3) { // where a capsule's mantle becomes its cap
        double over = fmax(z - 0.3, 0.0), x = sqrt(0.04 - over * over);
        ENSURE_NEAR(eval_shape(m, 2, x, 0.0, z).value, 0.0, 0.002 * 0.004);
    }
    field f = eval_shape(m, 0, 0.0, 0.0, 0.0);
    for (int k = 0; k < 3; ++k) ENSURE_NEAR(f.g[k], 0.0, 0.0);
    f = eval_shape(m, 1, 0.3, 0.4, 0.1);
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
                field f = eval_shape(m, 0, x[0], x[1], x[2]);
                double error = (f.value - (double)exact_distance(kinds[k], a, x)) / width;
                least = fmin(least, error);
                most = fmax(most, error);
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
            field e = eval_shape(m, shape, x[0], x[1], x[2]),
                  q = eval_shape(m, shape + 1, x[0], x[1], x[2]);
            ENSURE(memcmp(&e, &q, sizeof e) == 0);
        }
    }
    tac_model_destroy(m);
    return 0;
}

//---------------------------------- planes ---------------------------------------

// tau ln sum exp((n . x + h)/tau) in long double, with its gradient
static long double smooth_maximum_of_planes(const tacModel* m, const double* x, long double g[3]) {
    const tacNode* node = &m->node[0];
    long double tau = m->param[node->smooth], top = -INFINITY, sum = 0.0L, q[20];
    int count = node->block_count / 4;
    for (int i = 0; i < count; ++i) {
        const double* p = &m->param[node->block + 4 * i];
        q[i] =
            (long double)p[0] * x[0] + (long double)p[1] * x[1] + (long double)p[2] * x[2] + p[3];
        top = fmaxl(top, q[i]);
    }
    for (int k = 0; k < 3; ++k) g[k] = 0.0L;
    for (int i = 0; i < count; ++i) {
        long double e = expl((q[i] - top) / tau);
        sum += e;
        for (int k = 0; k < 3; ++k) g[k] += e * m->param[node->block + 4 * i + k];
    }
    for (int k = 0; k < 3; ++k) g[k] /= sum;
    return top + tau * logl(sum);
}

static int polyhedron_is_the_smooth_maximum_of_its_planes(void) {
    const double temperatures[] = {1e-6, 1e-3, 0.05, 1.0};
    testRandom random = {41};
    for (int t = 0; t < 4; ++t) {
        char text[600];
        snprintf(text, sizeof text,
                 "<shape name='p'><polyhedron planes='%s %s' smooth='%g'/></shape>",
                 "1 1 1 -3 -1 -1 1 -3 -1 1.2 -1 -3.5 1 -1 -1.1 -2.5 0 0 2 -9 1 0 0 -3", "0 1 0 -3",
                 temperatures[t]);
        tacModel* m = load_shapes(text);
        for (int i = 0; i < 500; ++i) {
            double x[3], reach = i % 5 ? 4.0 : 1e6, rounding = reach * 1e-15;
            long double g[3];
            for (int k = 0; k < 3; ++k) x[k] = test_uniform(&random, -reach, reach);
            field f = eval_shape(m, 0, x[0], x[1], x[2]);
            ENSURE_NEAR(f.value, (double)smooth_maximum_of_planes(m, x, g), rounding);
            for (int k = 0; k < 3; ++k)
                ENSURE_NEAR(f.g[k], (double)g[k], 1e-15 + rounding / temperatures[t]);
        }
        tac_model_destroy(m);
    }
    return 0;
}

// planes are n . x + h <= 0, in any length; a copy of a plane raises the field by tau ln 2
static int planes_are_read_as_they_are_written(void) {
    tacModel* m = load_shapes("<shape name='a'><polyhedron planes='0 0 2 -.5' smooth='.1'/></shape>"
                              "<shape name='b'><polyhedron planes='0 0 2 -.5 0 0 1 -.25'"
                              " smooth='.1' pos='0 0 1'/></shape>");
    ENSURE_NEAR(eval_shape(m, 0, 3.0, 4.0, 0.75).value, 0.5, 1e-15);
    ENSURE_NEAR(eval_shape(m, 1, 3.0, 4.0, 1.75).value, 0.5 + 0.1 * log(2.0), 1e-15);
    ENSURE_NEAR(eval_shape(m, 1, 3.0, 4.0, 1.75).g[2], 1.0, 1e-15);
    tac_model_destroy(m);
    return 0;
}

// a superquadric with planes is the intersection of them, bit by bit
static int cut_superquadric_is_an_intersection(void) {
    tacModel* m = load_shapes(
        "<shape name='c' smooth='.01'><superquadric size='.3 .2 .5' eps='.6 .4' pos='.1 0 .2' "
        "euler='20 30 40'><plane zaxis='1 1 0' pos='.1 0 0'/><plane name='lid' pos='0 0 .3'/>"
        "</superquadric></shape><shape name='i' smooth='.01'><intersection pos='.1 0 .2' "
        "euler='20 30 40'><superquadric size='.3 .2 .5' eps='.6 .4'/>"
        "<plane zaxis='1 1 0' pos='.1 0 0'/><plane pos='0 0 .3'/></intersection></shape>");
    testRandom random = {43};
    for (int i = 0; i < 200; ++i) {
        double x[3];
        for (int k = 0; k < 3; ++k) x[k] = test_uniform(&random, -1.0, 1.0);
        field c = eval_shape(m, 0, x[0], x[1], x[2]), b = eval_shape(m, 1, x[0], x[1], x[2]);
        ENSURE(memcmp(&c, &b, sizeof c) == 0);
    }
    static const char* const names[] = {"shape:c/0/size",    "shape:c/0/eps",
                                        "shape:c/0/pos",     "shape:c/0/0/pos",
                                        "shape:c/0/lid/pos", "shape:c/0/superquadric/quat"};
    tacParam param;
    for (int i = 0; i < 6; ++i) ENSURE(tac_param_find(m, names[i], &param) == TAC_OK);
    tac_model_destroy(m);
    return 0;
}

// Cube at its default temperature against the exact distance: never more than tau ln 6 above it,
// never below the largest of its planes.
static int polyhedron_has_the_stated_error(void) {
    tacModel* m = load_shapes("<shape name='c'><polyhedron planes='1 0 0 -.3 -1 0 0 -.3 0 1 0 -.3 "
                              "0 -1 0 -.3 0 0 1 -.3 0 0 -1 -.3'/></shape>");
    const double a[3] = {0.3, 0.3, 0.3};
    double tau = m->param[m->node[0].smooth], most = 0.0, least = 0.0, corner = 1.0;
    ENSURE_NEAR(tau, 0.0015, 1e-15);
    testRandom random = {47};
    for (int i = 0; i < 20000; ++i) {
        double x[3], top = -INFINITY, reach = i % 2 ? 1.0 : 5.0 * tau;
        for (int k = 0; k < 3; ++k) {
            double at = i % 2 || test_bits(&random) % 2 ? 0.0 : 0.3;
            x[k] = at + reach * test_uniform(&random, -1.0, 1.0);
            top = fmax(top, fabs(x[k]) - 0.3);
        }
        double value = eval_shape(m, 0, x[0], x[1], x[2]).value;
        double exact = (double)exact_distance(TAC_NODE_BOX, a, x);
        most = fmax(most, (value - exact) / tau);
        least = fmin(least, (value - top) / tau);
        if (exact > 20.0 * tau) corner = fmin(corner, value / exact);
    }
    printf("  cube of planes: %.3f to %.3f temperatures over its largest plane and the exact "
           "distance; %.3f of it off corners\n",
           least, most, corner);
    ENSURE(least >= -1e-9 && most <= log(6.0) + 1e-9 && corner > 0.57);
    tac_model_destroy(m);
    return 0;
}

//---------------------------------- superquadric distances -----------------------

// support function of a superquadric: the dual of its nested norms, in direction u
static double superquadric_support(const double a[3], const double e[2], const double u[3]) {
    double b[3], q1 = 2.0 / (2.0 - e[0]), q2 = 2.0 / (2.0 - e[1]);
    for (int k = 0; k < 3; ++k) b[k] = a[k] * fabs(u[k]);
    double around = fmax(b[0], b[1]), least = fmin(b[0], b[1]);
    if (around > 0.0) around *= pow(1.0 + pow(least / around, q2), 1.0 / q2);
    double most = fmax(around, b[2]), other = fmin(around, b[2]);
    return most > 0.0 ? most * pow(1.0 + pow(other / most, q1), 1.0 / q1) : 0.0;
}

// Gap of the support plane whose normal is u, turned by (s, t) to its sides; u is left turned where
// that widens the gap.
static double widen_gap(const double a[3], const double e[2], const double x[3], double u[3],
                        double s, double t, double best) {
    int k = fabs(u[0]) < fabs(u[1]) ? 0 : 1;
    double v[3] = {-u[k] * u[0], -u[k] * u[1], -u[k] * u[2]}, n[3], length = 0.0, value = 0.0;
    v[k] += 1.0;
    double w[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    for (int i = 0; i < 3; ++i) {
        n[i] = u[i] + s * v[i] + t * w[i];
        length += n[i] * n[i];
    }
    for (int i = 0; i < 3; ++i) {
        n[i] /= sqrt(length);
        value += n[i] * x[i];
    }
    value -= superquadric_support(a, e, n);
    if (value <= best) return best;
    memcpy(u, n, sizeof n);
    return value;
}

// the widest gap is the distance of a point outside of a convex solid
static double widest_gap(const double a[3], const double e[2], const double x[3]) {
    double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), u[3] = {x[0] / r, x[1] / r, x[2] / r};
    double best = widen_gap(a, e, x, u, 0.0, 0.0, -INFINITY), step = 0.3;
    while (step > 1e-9) { // ahead while that helps, then closer
        double before = best;
        for (int way = 0; way < 16; ++way)
            best =
                widen_gap(a, e, x, u, step * cos(way * M_PI / 8), step * sin(way * M_PI / 8), best);
        if (best <= before + 1e-3 * step * step) step *= 0.6;
    }
    return best;
}

// how far the rounding of ridges moves the surface at most, of semi-axes up to 1 (eq. 8)
static double ridge_shift(const double e[2]) {
    double o1 = fmax(e[0] - 1.0, 0.0), o2 = fmax(e[1] - 1.0, 0.0);
    double polar = 1e-4 * o1 * o1 * o1, around = polar + 1e-4 * o2 * o2 * o2;
    return sqrt(3.0) * (sqrt(polar) + 2.0 * sqrt(around));
}

// tangent distance <= exact <= radial distance outside, but for the rounding of ridges (eq. 8)
static int superquadric_distances_enclose_the_exact_one(void) {
    double low = 1.0, high = 1.0;
    testRandom random = {53};
    int solids = test_amount(3, 20, 60);
    for (int s = 0; s < solids; ++s) {
        double a[3], e[2];
        char text[600];
        for (int k = 0; k < 3; ++k) a[k] = test_uniform(&random, 0.25, 1.0);
        for (int k = 0; k < 2; ++k) e[k] = test_uniform(&random, 0.1, 1.9);
        snprintf(
            text, sizeof text,
            "<shape name='t'><superquadric size='%.17g %.17g %.17g' eps='%.17g %.17g'/></shape>"
            "<shape name='r' distance='radial'><superquadric size='%.17g %.17g %.17g' "
            "eps='%.17g %.17g'/></shape>",
            a[0], a[1], a[2], e[0], e[1], a[0], a[1], a[2], e[0], e[1]);
        tacModel* m = load_shapes(text);
        for (int i = 0; i < 40; ++i) {
            double x[3];
            for (int k = 0; k < 3; ++k) x[k] = test_uniform(&random, -1.5, 1.5);
            double tangent = eval_shape(m, 0, x[0], x[1], x[2]).value;
            double radial = eval_shape(m, 1, x[0], x[1], x[2]).value;
            if (tangent < 0.01) continue;
            double exact = widest_gap(a, e, x);
            ENSURE(tangent <= exact + 1e-6 + ridge_shift(e) && radial >= exact - 1e-6);
            low = fmin(low, tangent / exact);
            high = fmax(high, radial / exact);
        }
        tac_model_destroy(m);
    }
    printf("  superquadrics, aspect up to 4: tangent %.3f to 1, radial 1 to %.3f of the exact "
           "distance\n",
           low, high);
    ENSURE(low > 0.25 && high < 4.0);
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
            memset(param_dot, 0, sizeof param_dot);
            memset(out, 0, sizeof out);
            int eps = m->node[m->shape[shape].first].eps;
            param_dot[eps] = .2;
            param_dot[eps + 1] = -.3;
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
    int points = test_amount(60, 2000, 30000);
    return prove_shapes(load_zoo(), points);
}

TEST_MAIN(RUN(sphere_is_distance), RUN(plane_is_height), RUN(round_superquadric_is_sphere),
          RUN(radial_distance_is_the_corrected_formula),
          RUN(tangent_distance_is_metric_at_the_surface),
          RUN(union_of_duplicates_is_lower_by_tau_log_k), RUN(truncated_union_matches_its_formula),
          RUN(hessians_of_truncated_unions_match_their_gradients),
          RUN(maximum_of_duplicates_is_higher_by_tau_log_k),
          RUN(blend_of_planes_has_the_curvature_of_its_weights),
          RUN(difference_of_shapes_has_a_cavity), RUN(hvp_is_linear_at_ties),
          RUN(primitives_are_distances), RUN(primitives_have_the_stated_error),
          RUN(ellipsoid_is_a_superquadric), RUN(polyhedron_is_the_smooth_maximum_of_its_planes),
          RUN(planes_are_read_as_they_are_written), RUN(cut_superquadric_is_an_intersection),
          RUN(polyhedron_has_the_stated_error), RUN(superquadric_distances_enclose_the_exact_one),
          RUN(derivatives_hold))
