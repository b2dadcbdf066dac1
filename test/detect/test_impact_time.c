// The time of impact: a root that the conservative search leads to, with the right derivative.

#include "detect/adapter_impact_time.h"

#include "check/prove.h"

//---------------------------------- problems ----------------------------------

static double draw_unit(testRandom* random) { return test_uniform(random, -1.0, 1.0); }

// a triangle or an edge near z = 0, hit from above at (t, u, v) in the middle of both
static void make_impact_points(testRandom* random, tacCcdFeatures feature, double x[24]) {
    int face = feature == TAC_CCD_VERTEX_FACE;
    const double flat[2][12] = {{0, 0, 0, -1, -1, 0, 1, -1, 0, 0, 1, 0},
                                {-1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1, 0}};
    for (int i = 0; i < 24; ++i) {
        int first = i % 12 / 3 < (face ? 1 : 2), up = i % 3 == 2 && first;
        x[i] = flat[!face][i % 12] + 0.2 * draw_unit(random) + (up ? (i < 12 ? 1.0 : -1.0) : 0.0);
    }
}

// the conservative time, then the root
static int find_impact(tacCcdFeatures feature, const double x[24], double separation, impactMap* m,
                       double* root) {
    tacCcdOptions options = tac_default_ccd();
    ENSURE(tac_ccd(feature, x, x + 12, &options, &m->guess, NULL));
    m->impact = (tacImpact){feature, 1.0, separation};
    ENSURE(tac_impact_side(&m->impact, x, x + 12, 0.0) == TAC_OK);
    ENSURE(tac_impact_time(&m->impact, x, x + 12, m->guess, root) == TAC_OK);
    return 0;
}

//---------------------------------- the root ----------------------------------

// the search is early by no more than its tolerance, and the distance is the one asked for
static int root_follows_the_search(void) {
    testRandom random = {21};
    double early = 0.0;
    for (int trial = 0; trial < 2000; ++trial) {
        tacCcdFeatures feature = trial % 2 ? TAC_CCD_EDGE_EDGE : TAC_CCD_VERTEX_FACE;
        double x[24], p[12], root, separation = trial % 3 ? 1e-7 : 0.0;
        impactMap m;
        make_impact_points(&random, feature, x);
        ENSURE_LAW(find_impact(feature, x, 0.0, &m, &root));
        ENSURE(m.guess <= root + 1e-15);
        early = fmax(early, root - m.guess);
        ENSURE_LAW(find_impact(feature, x, separation, &m, &root));
        for (int i = 0; i < 12; ++i) p[i] = (1.0 - root) * x[i] + root * x[12 + i];
        double distance = m.impact.side * tac_impact_distance(feature, p, NULL, NULL);
        ENSURE_NEAR(distance, separation, 1e-14);
    }
    printf("  the search is early by at most %.1e\n", early);
    ENSURE(early <= 1e-7);
    return 0;
}

// a ball's centre falls on a floor: t = (z - d)/v, dt/dz = 1/v, dt/dv = -t/v
static int falling_point_has_a_closed_form(void) {
    const double z = 0.7, v = 2.0, d = 0.1;
    double x[24] = {0, 0, z,     -1, -1, 0, 1, -1, 0, 0, 1, 0,
                    0, 0, z - v, -1, -1, 0, 1, -1, 0, 0, 1, 0};
    double root, bar[24] = {0.0}, dot;
    impactMap m;
    ENSURE_LAW(find_impact(TAC_CCD_VERTEX_FACE, x, d, &m, &root));
    ENSURE_NEAR(root, (z - d) / v, 1e-15);
    ENSURE(tac_impact_time_vjp(&m.impact, x, x + 12, root, 1.0, bar, bar + 12) == TAC_OK);
    ENSURE_NEAR(bar[2] + bar[14], 1.0 / v, 1e-15); // both ends move with z
    ENSURE_NEAR(-bar[14], -root / v, 1e-15);       // the end moves against v
    double along[24] = {0.0};
    along[2] = along[14] = 1.0;
    ENSURE(tac_impact_time_jvp(&m.impact, x, x + 12, root, along, along + 12, &dot) == TAC_OK);
    ENSURE_NEAR(dot, 0.5, 1e-15);
    return 0;
}

// no speed, no area, parallel edges: said, not divided by
static int parallel_motion_has_no_root(void) {
    double x[24] = {0, 0, 1, -1, -1, 0, 1, -1, 0, 0, 1, 0, 1, 0, 1, -1, -1, 0, 1, -1, 0, 0, 1, 0},
           t = 5.0;
    tacImpact impact = {TAC_CCD_VERTEX_FACE, 1.0, 0.0};
    ENSURE(tac_impact_time(&impact, x, x + 12, 0.5, &t) == TAC_ERROR_UNSOLVED && t == 5.0);
    ENSURE(tac_impact_time_jvp(&impact, x, x + 12, 0.5, x, x, &t) == TAC_ERROR_UNSOLVED &&
           t == 5.0);
    double flat[12] = {0}, line[12] = {0, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0};
    ENSURE(isnan(tac_impact_distance(TAC_CCD_VERTEX_FACE, flat, NULL, NULL)));
    ENSURE(isnan(tac_impact_distance(TAC_CCD_EDGE_EDGE, line, NULL, NULL)));
    ENSURE(tac_impact_side(&impact, flat, flat, 0.0) == TAC_ERROR_VALUE);
    return 0;
}

//---------------------------------- derivative ----------------------------------

static int sample(const void* map, int i, unsigned long long* random, double* x, double* scale) {
    impactMap* m = (impactMap*)(size_t)map;
    testRandom draws = {*random + (unsigned long long)i + 1};
    double root;
    make_impact_points(&draws, m->impact.feature, x);
    if (find_impact(m->impact.feature, x, m->impact.separation, m, &root)) return 0;
    *random = draws.state;
    for (int k = 0; k < 24; ++k) scale[k] = 0.1;
    return 1;
}

static int impact_time_has_exact_derivatives(void) {
    for (int kind = 0; kind < 4; ++kind) {
        impactMap map = {
            {kind % 2 ? TAC_CCD_EDGE_EDGE : TAC_CCD_VERTEX_FACE, 1.0, kind < 2 ? 0.0 : 1e-2}, 0.5};
        tacCheckProblem problem = {.name = kind % 2 ? "edge-edge" : "vertex-face",
                                   .n = 24,
                                   .m = 1,
                                   .context = &map,
                                   .as_double = &tac_check_impact_double,
                                   .as_complex = &tac_check_impact_complex,
                                   .as_quad = &tac_check_impact_quad,
                                   .sample = sample};
        tacCheckOptions options = tac_check_default_options();
        options.points = 100;
        ENSURE_LAW(prove(&problem, options));
    }
    return prove_summary();
}

TEST_MAIN(RUN(root_follows_the_search), RUN(falling_point_has_a_closed_form),
          RUN(parallel_motion_has_no_root), RUN(impact_time_has_exact_derivatives))
