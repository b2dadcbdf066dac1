// Points, edges and triangles: nearest points, smooth and exact, with their derivatives.

#include "witness/adapter_witness_polygon.h"

#include "check/prove.h"

static const int all_counts[9][2] = {{1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2},
                                     {2, 3}, {3, 1}, {3, 2}, {3, 3}};

static const double defaults[4] = {1e-3, 1e-2, 0.02, 1e-3};

// y of corners x with the default options
static tacResult solve_polygons(const polygonMap* m, const double* x, double* y) {
    double all[22];
    int n = polygon_inputs(m);
    memcpy(all, x, sizeof *x * (size_t)(n - 4));
    memcpy(all + n - 4, defaults, sizeof defaults);
    return tac_check_polygon_double.value(m, all, y);
}

//---------------------------------- values ----------------------------------

static double polygon_distance(const polygonMap* m, const double* x, const double* alpha) {
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        double e = 0.0;
        for (int j = 0; j < m->corners[0] + m->corners[1]; ++j)
            e += (j < m->corners[0] ? 1.0 : -1.0) * alpha[j] * x[3 * j + k];
        sum += e * e;
    }
    return sqrt(sum);
}

// onto the simplex: sorted thresholds
static void project_simplex(double* a, int n) {
    double best = -INFINITY;
    for (int mask = 1; mask < 1 << n; ++mask) { // the threshold of the right set is the largest
        double sum = -1.0;
        int count = 0;
        for (int i = 0; i < n; ++i)
            if (mask >> i & 1) {
                sum += a[i];
                ++count;
            }
        best = fmax(best, sum / count);
    }
    for (int i = 0; i < n; ++i) a[i] = fmax(a[i] - best, 0.0);
}

// An independent answer: projected gradients with momentum
static double projected_gradient(const polygonMap* m, const double* x) {
    int n = m->corners[0] + m->corners[1];
    double a[6], b[6], best = INFINITY;
    for (int j = 0; j < n; ++j)
        a[j] = b[j] = 1.0 / (j < m->corners[0] ? m->corners[0] : m->corners[1]);
    for (int step = 0; step < 4000; ++step) {
        double e[3] = {0, 0, 0}, next[6];
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < 3; ++k)
                e[k] += (j < m->corners[0] ? 1.0 : -1.0) * b[j] * x[3 * j + k];
        for (int j = 0; j < n; ++j) {
            double g = 0.0;
            for (int k = 0; k < 3; ++k) g += (j < m->corners[0] ? 1.0 : -1.0) * e[k] * x[3 * j + k];
            next[j] = b[j] - 0.08 * g;
        }
        project_simplex(next, m->corners[0]);
        project_simplex(next + m->corners[0], m->corners[1]);
        for (int j = 0; j < n; ++j) {
            b[j] = next[j] + step / (step + 3.0) * (next[j] - a[j]);
            a[j] = next[j];
        }
        best = fmin(best, polygon_distance(m, x, a));
    }
    return best;
}

// the exact distance is that of a search; intersecting triangles have distance 0
static int exact_is_nearest(void) {
    testRandom random = {7};
    double worst = 0.0;
    int crossing = 0;
    for (int trial = 0; trial < 900; ++trial) {
        polygonMap m = {"", {all_counts[trial % 9][0], all_counts[trial % 9][1]}, 1};
        double x[18], y[17];
        int c = m.corners[0] + m.corners[1];
        for (int k = 0; k < 3 * c; ++k) x[k] = test_uniform(&random, -0.5, 0.5);
        ENSURE(solve_polygons(&m, x, y) == TAC_OK);
        double d = polygon_distance(&m, x, y);
        crossing += d < 1e-12;
        worst = fmax(worst, d - projected_gradient(&m, x));
        for (int j = 0; j < c; ++j) ENSURE(y[j] >= 0.0 && y[j] <= 1.0 + 1e-12);
    }
    printf("  exact above a search by at most %.1e; %d of 900 pairs cross\n", worst, crossing);
    ENSURE(worst <= 1e-12 && crossing > 20);
    return 0;
}

// polygons of two corners are what tac_edge_edge solves: the same limit
static int edges_equal_edge_edge(void) {
    testRandom random = {9};
    for (int trial = 0; trial < 500; ++trial) {
        polygonMap m = {"", {2, 2}, 1};
        tacWitnessOptions options = tac_default_witness_options();
        double x[12], y[15], distance;
        options.exact = 1;
        tacEdgePairs pairs = {.count = 1};
        for (int k = 0; k < 12; ++k) {
            x[k] = test_uniform(&random, 0.0, 1.0);
            pairs.corner[k / 3][k % 3] = &x[k];
        }
        ENSURE(solve_polygons(&m, x, y) == TAC_OK);
        ENSURE(tac_edge_edge(&options, pairs, (tacEdgeWitness){.distance = &distance}) == TAC_OK);
        ENSURE_NEAR(y[11], distance, 1e-12);
    }
    return 0;
}

// a vertex over a triangle: the foot, its shares, and how the smooth one tends to it
static int vertex_face_equals_projection(void) {
    const double x[12] = {0.2, 0.3, 0.5, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    polygonMap exact = {"", {1, 3}, 1}, soft = {"", {1, 3}, 0};
    double y[15], z[15];
    ENSURE(solve_polygons(&exact, x, y) == TAC_OK && solve_polygons(&soft, x, z) == TAC_OK);
    ENSURE_NEAR(y[1], 0.5, 1e-12);
    ENSURE_NEAR(y[2], 0.2, 1e-12);
    ENSURE_NEAR(y[3], 0.3, 1e-12);
    ENSURE_NEAR(y[4], 1.0, 0.0);
    ENSURE_NEAR(y[11], 0.5, 1e-5);
    for (int k = 0; k < 11; ++k) ENSURE_NEAR(z[k], y[k], 0.05);
    return 0;
}

//---------------------------------- bad places ----------------------------------

// points and lines in place of triangles, coincident and far polygons: finite with derivatives
static int degenerate_polygons_are_finite(void) {
    for (int kind = 0; kind < 6; ++kind)
        for (int exact = 0; exact < 2; ++exact)
            for (int i = 0; i < 9; ++i) {
                polygonMap m = {"", {all_counts[i][0], all_counts[i][1]}, exact};
                int n = polygon_inputs(&m), outs = polygon_outputs(&m);
                double x[22] = {0}, y[17], bar[22], one[17];
                testRandom random = {3};
                for (int k = 0; k < n - 4; ++k) {
                    if (kind == 1) x[k] = 1.0;                            // one point
                    if (kind == 2) x[k] = k % 3 == 0 ? k : 0.0;           // on a line
                    if (kind == 3) x[k] = k % 3 == 2 ? 0.0 : (k * 7 % 5); // in a plane
                    if (kind == 4) x[k] = 1e15 * test_uniform(&random, -1, 1);
                    if (kind == 5) x[k] = 1e-9 * test_uniform(&random, -1, 1);
                }
                memcpy(x + n - 4, defaults, sizeof defaults);
                ENSURE(tac_check_polygon_double.value(&m, x, y) == TAC_OK);
                for (int k = 0; k < outs; ++k) ENSURE(isfinite(y[k]));
                for (int k = 0; k < outs; ++k) one[k] = 1.0;
                ENSURE(tac_check_polygon_double.vjp(&m, x, one, bar) == TAC_OK);
                for (int k = 0; k < n; ++k) ENSURE(isfinite(bar[k]));
            }
    tacPolygonPairs wrong = {.count = 0, .corners = {1, 4}};
    tacWitnessOptions options = tac_default_witness_options();
    ENSURE(tac_polygon_witness(&options, wrong, (tacPolygonWitness){.distance = NULL}) ==
           TAC_ERROR_VALUE);
    return 0;
}

//---------------------------------- derivatives ----------------------------------

static int sample(const void* map, int i, unsigned long long* random, double* x, double* scale) {
    const polygonMap* m = map;
    int n = polygon_inputs(m);
    for (int k = 0; k < n - 4; ++k) x[k] = tac_check_uniform(random, 0.0, 1.0);
    x[n - 4] = pow(10.0, tac_check_uniform(random, -3.0, -1.0));
    x[n - 3] = pow(10.0, tac_check_uniform(random, -2.0, -1.0));
    x[n - 2] = pow(10.0, tac_check_uniform(random, -1.7, -1.0));
    x[n - 1] = pow(10.0, tac_check_uniform(random, -2.0, -1.0));
    for (int k = 0; k < n; ++k) scale[k] = k < n - 4 ? 0.01 : 0.01 * x[k];
    (void)i;
    return polygon_outputs(m);
}

static int polygon_witness_has_exact_derivatives(void) {
    for (int i = 0; i < 18; ++i) {
        polygonMap map = {
            i < 9 ? "smooth" : "exact", {all_counts[i % 9][0], all_counts[i % 9][1]}, i >= 9};
        tacCheckProblem problem = {.name = map.name,
                                   .n = polygon_inputs(&map),
                                   .m = polygon_outputs(&map),
                                   .context = &map,
                                   .as_double = &tac_check_polygon_double,
                                   .as_complex = &tac_check_polygon_complex,
                                   .as_quad = &tac_check_polygon_quad,
                                   .sample = sample};
        tacCheckOptions options = tac_check_default_options();
        options.points = 40;
        if (map.exact && map.corners[0] + map.corners[1] >= 5) continue; // crossing: no direction
        ENSURE_LAW(prove(&problem, options));
    }
    return prove_summary();
}

TEST_MAIN(RUN(exact_is_nearest), RUN(edges_equal_edge_edge), RUN(vertex_face_equals_projection),
          RUN(degenerate_polygons_are_finite), RUN(polygon_witness_has_exact_derivatives))
