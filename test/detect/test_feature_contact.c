// Contacts of two features: derivatives by complex step, quad precision, adjoints and Taylor slopes
// for every pair of kinds that can touch.

#include "detect/adapter_feature_contact.h"

#include "check/prove.h"

static double draw_unit(testRandom* random) { return test_uniform(random, -1.0, 1.0); }

static void normalize_reals(double* x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += x[i] * x[i];
    for (int i = 0; i < n; ++i) x[i] /= sqrt(sum);
}

static tacConvexFeature random_feature(testRandom* random, tacConvexFeatureKind kind) {
    tacConvexFeature p = {
        .kind = kind, .radius = test_uniform(random, 0.0, 0.2), .eps = {1.0, 1.0}};
    for (int k = 0; k < 3; ++k) {
        p.x[k] = 0.3 * draw_unit(random);
        p.axis[k] = draw_unit(random);
        p.size[k] = test_uniform(random, 0.2, 0.6);
    }
    normalize_reals(p.axis, 3);
    if (kind == TAC_CONVEX_FEATURE_RIM) {
        p.axis[0] = p.axis[1] = 0.0;
        p.axis[2] = 1.0;
    }
    for (int k = 0; k < 2 && test_bits(random) % 2; ++k) p.eps[k] = test_uniform(random, 0.5, 1.5);
    return p;
}

// pieces about 2 apart; the start of the normal is the direction from one to the other. Samples
// where Newton's method does not arrive, or where curvature is extreme, are drawn again.
static int sample(const void* map, int i, unsigned long long* random, double* x, double* scale) {
    featureContactMap* m = (featureContactMap*)(size_t)map;
    testRandom draws = {*random + 977ull * (unsigned long long)i + 1};
    for (int attempt = 0; attempt < 1000; ++attempt) {
        double y[7];
        for (int s = 0; s < 2; ++s)
            m->pair.feature[s] = random_feature(&draws, m->pair.feature[s].kind);
        for (int k = 0; k < 7; ++k) {
            m->a[k] = draw_unit(&draws);
            x[k] = draw_unit(&draws);
        }
        for (int k = 0; k < 3; ++k) {
            x[k] *= 2.0;
            m->a[k] *= 0.5;
            m->pair.normal[k] = x[k] - m->a[k];
        }
        normalize_reals(m->a + 3, 4);
        normalize_reals(x + 3, 4);
        normalize_reals(m->pair.normal, 3);
        if (tac_check_patch_double.value(m, x, y) != TAC_OK || !(y[6] > 0.3)) continue;
        double D[7], along[7] = {1, 1, 1, 1, 1, 1, 1}, most = 0.0;
        if (tac_check_patch_double.jvp(m, x, along, D) != TAC_OK) continue;
        for (int k = 0; k < 7; ++k) most = fmax(most, fabs(D[k]));
        if (most > 20.0) continue;
        for (int k = 0; k < 7; ++k) scale[k] = 0.1;
        *random = draws.state;
        return 7;
    }
    return 0;
}

static int feature_contacts_have_exact_derivatives(void) {
    static const char* const names[] = {"point", "line", "plane", "rim", "round"};
    for (int kind = 0; kind < 25; ++kind) {
        int p = kind / 5, q = kind % 5;
        if ((p == TAC_CONVEX_FEATURE_FACE &&
             (q == TAC_CONVEX_FEATURE_EDGE || q == TAC_CONVEX_FEATURE_FACE)) ||
            (q == TAC_CONVEX_FEATURE_FACE && p == TAC_CONVEX_FEATURE_EDGE))
            continue;
        featureContactMap map = {.pair = {.feature = {{.kind = (tacConvexFeatureKind)p},
                                                      {.kind = (tacConvexFeatureKind)q}}}};
        char name[40];
        snprintf(name, sizeof name, "%s-%s", names[p], names[q]);
        tacCheckProblem problem = {.name = name,
                                   .n = 7,
                                   .m = 7,
                                   .context = &map,
                                   .as_double = &tac_check_patch_double,
                                   .as_complex = &tac_check_patch_complex,
                                   .as_quad = &tac_check_patch_quad,
                                   .sample = sample};
        tacCheckOptions options = tac_check_default_options();
        options.points = 40;
        ENSURE_LAW(prove(&problem, options));
    }
    return prove_summary();
}

TEST_MAIN(RUN(feature_contacts_have_exact_derivatives))
