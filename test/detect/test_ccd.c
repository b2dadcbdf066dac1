// Laws of continuous collision detection: no impact is missed or reported late.

#include "detect/ccd_file.h"
#include "tactus/ccd.h"
#include "test.h"

#include <time.h>

//---------------------------------- the public benchmark ----------------------------------

static const char* scenes[] = {"erleben-cube-cliff-edges", "erleben-cube-internal-edges",
                               "erleben-sliding-spike",    "erleben-spike-hole",
                               "erleben-spike-wedge",      "erleben-spikes",
                               "erleben-wedges",           "unit-tests"};

typedef struct ccdTally {
    int queries, hits, missed, false_hits, most;
    double passes, time;
} ccdTally;

static int run_file(const char* path, tacCcdFeatures feature, ccdTally* t) {
    FILE* file = fopen(path, "r");
    if (!file) return 0;
    ccdQuery q;
    tacCcdOptions options = tac_default_ccd();
    while (ccd_read(file, &q)) {
        double time;
        int passes;
        clock_t begin = clock();
        int hit = tac_ccd(feature, q.start, q.end, &options, &time, &passes);
        t->time += (double)(clock() - begin) / CLOCKS_PER_SEC;
        t->queries++;
        t->hits += q.truth;
        t->passes += passes;
        t->missed += q.truth && !hit;
        t->false_hits += hit && !q.truth;
        t->most = passes > t->most ? passes : t->most;
    }
    fclose(file);
    return 1;
}

static int benchmark_has_no_missed_impact(void) {
    const char* data = getenv("TACTUS_DATA");
    ccdTally all[2] = {{0}};
    for (int i = 0; i < 16; ++i) {
        char path[1024];
        snprintf(path, sizeof path, "%s/ccd/sample_queries/%s/%s/data_0_0.csv",
                 data ? data : TAC_SOURCE_DIR "/../shared/data", scenes[i / 2],
                 i % 2 ? "edge-edge" : "vertex-face");
        if (!run_file(path, i % 2 ? TAC_CCD_EDGE_EDGE : TAC_CCD_VERTEX_FACE, &all[i % 2])) {
            SKIP("no queries: set TACTUS_DATA to a folder with ccd/sample_queries/");
        }
    }
    for (int i = 0; i < 2; ++i) {
        ccdTally* t = &all[i];
        printf(
            "  %s: %d queries, %d impacts, %d missed, %d false, %.0f boxes (at most %d), %.2f us "
            "each\n",
            i ? "edge-edge" : "vertex-face", t->queries, t->hits, t->missed, t->false_hits,
            t->passes / t->queries, t->most, 1e6 * t->time / t->queries);
    }
    ENSURE(all[0].queries + all[1].queries == 4134 && all[0].hits + all[1].hits == 203);
    ENSURE(all[0].missed == 0 && all[1].missed == 0);
    ENSURE(all[0].false_hits + all[1].false_hits <= 130);
    return 0;
}

//---------------------------------- known impacts ----------------------------------

static double draw_unit(testRandom* random) { return test_uniform(random, -1.0, 1.0); }

// Points that meet at a chosen time and place, then move at random: p(t) = m + (t - t*) d.
static double make_impact(testRandom* random, tacCcdFeatures feature, double start[12],
                          double end[12]) {
    double time = test_uniform(random, 0.01, 0.99), m[12], w[2];
    for (int i = 0; i < 12; ++i) m[i] = draw_unit(random);
    w[0] = test_uniform(random, 0.0, 1.0);
    w[1] = test_uniform(random, 0.0, feature == TAC_CCD_VERTEX_FACE ? 1.0 - w[0] : 1.0);
    for (int k = 0; k < 3; ++k) {
        if (feature == TAC_CCD_VERTEX_FACE) {
            m[k] = m[3 + k] + w[0] * (m[6 + k] - m[3 + k]) + w[1] * (m[9 + k] - m[3 + k]);
        } else { // b0 such that the points at w meet
            double a = (1.0 - w[0]) * m[k] + w[0] * m[3 + k];
            w[1] = fmin(w[1], 0.9);
            m[6 + k] = (a - w[1] * m[9 + k]) / (1.0 - w[1]);
        }
    }
    for (int i = 0; i < 12; ++i) {
        double d = draw_unit(random);
        start[i] = m[i] - time * d;
        end[i] = m[i] + (1.0 - time) * d;
    }
    return time;
}

// never missed, never late; early by no more than the tolerance explains
static int constructed_impacts_are_found_in_time(void) {
    testRandom random = {11};
    tacCcdOptions options = tac_default_ccd();
    int count = getenv("TACTUS_NO_SWEEP") ? 500 : 5000, passes;
    double early = 0.0, boxes = 0.0;
    for (int trial = 0; trial < count; ++trial) {
        double start[12], end[12], time = 2.0;
        tacCcdFeatures feature = trial % 2 ? TAC_CCD_EDGE_EDGE : TAC_CCD_VERTEX_FACE;
        double truth = make_impact(&random, feature, start, end);
        ENSURE(tac_ccd(feature, start, end, &options, &time, &passes));
        boxes += passes;
        ENSURE(time <= truth + 1e-15 && time >= 0.0);
        early += truth - time;
    }
    printf("  %d impacts, %.1e early in the mean (earlier impacts of the same pair counted), %.0f "
           "boxes\n",
           count, early / count, boxes / count);
    return 0;
}

// what a plane keeps apart all the time is never reported
static int separated_features_have_no_impact(void) {
    testRandom random = {12};
    tacCcdOptions options = tac_default_ccd();
    for (int trial = 0; trial < 20000; ++trial) {
        double start[12], end[12], time;
        int split = trial % 2 ? 2 : 1; // points below the plane
        for (int i = 0; i < 12; ++i) {
            start[i] = draw_unit(&random);
            end[i] = draw_unit(&random);
        }
        for (int i = 0; i < 4; ++i) {
            double side = i < split ? -1.0 : 1.0, gap = 1e-6;
            start[3 * i + 2] = side * (fabs(start[3 * i + 2]) + gap);
            end[3 * i + 2] = side * (fabs(end[3 * i + 2]) + gap);
        }
        ENSURE(!tac_ccd(trial % 2 ? TAC_CCD_EDGE_EDGE : TAC_CCD_VERTEX_FACE, start, end, &options,
                        &time, NULL));
    }
    return 0;
}

// a vertex that falls on a face: at the distance asked for
static int separation(void) {
    const double start[12] = {0.2, 0.2, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    double end[12], time = 2.0;
    tacCcdOptions options = tac_default_ccd();
    memcpy(end, start, sizeof end);
    end[2] = -1.0;
    ENSURE(tac_ccd(TAC_CCD_VERTEX_FACE, start, end, &options, &time, NULL));
    ENSURE_NEAR(time, 0.5, 1e-7);
    options.separation = 0.25;
    ENSURE(tac_ccd(TAC_CCD_VERTEX_FACE, start, end, &options, &time, NULL));
    ENSURE_NEAR(time, 0.375, 1e-7);
    return 0;
}

// edges that lie in one another, no motion at all, equal points, numbers that are none
static int degenerate_features_are_answered(void) {
    tacCcdOptions options = tac_default_ccd();
    double line[12] = {0, 0, 0, 1, 0, 0, 0.5, 0, 0, 2, 0, 0}, zero[12] = {0}, time = 2.0,
           bad[12] = {0};
    int passes;
    ENSURE(tac_ccd(TAC_CCD_EDGE_EDGE, line, line, &options, &time, &passes) && time == 0.0);
    ENSURE(passes <= options.max_passes + 200);
    ENSURE(tac_ccd(TAC_CCD_VERTEX_FACE, zero, zero, &options, &time, NULL) && time == 0.0);
    double above[12] = {0, 0, 1, 1, 0, 1, 0.5, 0, 0, 2, 0, 0}, below[12];
    memcpy(below, above, sizeof below);
    below[2] = below[5] = -1.0;
    ENSURE(tac_ccd(TAC_CCD_EDGE_EDGE, above, below, &options, &time, &passes));
    ENSURE(time <= 0.5 && time >= 0.5 - 1e-2);
    for (int i = 0; i < 2; ++i) {
        bad[4] = i ? INFINITY : NAN;
        ENSURE(tac_ccd(TAC_CCD_EDGE_EDGE, bad, line, &options, &time, NULL) && time == 0.0);
    }
    return 0;
}

TEST_MAIN(RUN(benchmark_has_no_missed_impact), RUN(constructed_impacts_are_found_in_time),
          RUN(separated_features_have_no_impact), RUN(separation),
          RUN(degenerate_features_are_answered))
