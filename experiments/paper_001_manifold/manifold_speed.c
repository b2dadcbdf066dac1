// Times of contact manifolds of two figures (paper 001, Figs. 7 and 8).
//
// Figures grow from 1 to 18 superquadrics with a surface of about 305 vertices each, at 100 random
// poses, most of them in contact; batches of 1 to 1024 poses for 5 and 18 superquadrics. The
// gradient is that of the mean active distance with respect to both poses. MuJoCo's narrow phase
// has the superquadrics as convex meshes with several points per pair, in the same process. The
// paper compares a GPU with MJX; ratios here are of one CPU, so only the order can be compared.

#include "experiments/experiments.h"
#include "experiments/figure_pair.h"
#include "experiments/plot.h"

#include "base/assert.h"

#include <math.h>
#include <stdlib.h>

enum { SIZES = 6, BATCHES = 6, MOST_THREADS = 64 };

static const int parts[SIZES] = {1, 2, 5, 9, 14, FIGURE_PARTS};
static const int batches[BATCHES] = {1, 4, 16, 64, 256, 1024};

typedef struct speedRun {
    int quick;
    double detect[SIZES], gradient[SIZES], mujoco[SIZES]; // one pose            [us]
    double batch[2][2][BATCHES];                          // 5, 18 parts; detect, gradient [us]
    double variant[3];                                    // full, no edges, one side [us]
} speedRun;

static int vertices_of(const speedRun* r) { return r->quick ? 80 : 305; }

//---------------------------------- size of the figures --------------------------

static void report_gradient(trial* t, contactScene* s, int count) {
    double worst = 0.0;
    for (int i = 0; i < FIGURE_POSES; i += 5) worst = fmax(worst, figure_gradient_error(s, i));
    char id[80];
    snprintf(id, sizeof id, "%d parts: gradient against differences", count);
    trial_expect_at_most(t, id, worst, "", 1e-4);
}

static int report_size(trial* t, speedRun* r, int k) {
    contactScene s;
    char id[80];
    int sweeps = r->quick ? 1 : 5,
        code = figure_open(&s, parts[k], vertices_of(r), "detect='manifold'");
    if (code == 0) {
        figureTimes times = figure_times(&s, sweeps);
        r->detect[k] = times.detect;
        r->gradient[k] = times.gradient;
        r->mujoco[k] = figure_mujoco_time(&s, sweeps);
        snprintf(id, sizeof id, "%d parts: detect", parts[k]);
        trial_report(t, id, r->detect[k], "us");
        snprintf(id, sizeof id, "%d parts: gradient : detect", parts[k]);
        trial_expect_at_most(t, id, r->gradient[k] / r->detect[k], "x", 5.0);
        snprintf(id, sizeof id, "%d parts: MuJoCo : detect", parts[k]);
        if (r->mujoco[k] > 0.0) trial_report(t, id, r->mujoco[k] / r->detect[k], "x");
        if (isnan(r->mujoco[k])) trial_note(t, "MuJoCo is not installed: its rows are left out");
        report_gradient(t, &s, parts[k]);
    }
    contact_scene_close(&s);
    return code;
}

//---------------------------------- batches --------------------------------------

static int report_batches(trial* t, speedRun* r, int which, int threads) {
    contactScene s[MOST_THREADS] = {0};
    int code = 0, count = which ? FIGURE_PARTS : 5;
    for (int i = 0; i < threads && code == 0; ++i)
        code = figure_open(&s[i], count, vertices_of(r), "detect='manifold'");
    for (int b = 0; b < BATCHES && code == 0; ++b) {
        if (r->quick && b % 3) continue;
        figureTimes times = figure_batch(s, threads, batches[b]);
        r->batch[which][0][b] = times.detect;
        r->batch[which][1][b] = times.gradient;
        char id[80];
        snprintf(id, sizeof id, "%d parts, batch of %d: detect, a pose", count, batches[b]);
        trial_report(t, id, times.detect, "us");
        snprintf(id, sizeof id, "%d parts, batch of %d: gradient, a pose", count, batches[b]);
        trial_report(t, id, times.gradient, "us");
    }
    for (int i = 0; i < threads; ++i) contact_scene_close(&s[i]);
    return code;
}

//---------------------------------- simplifications ------------------------------

static int report_variants(trial* t, speedRun* r) {
    static const char* const options[3] = {"detect='manifold'", "detect='manifold' edges='false'",
                                           "detect='manifold' sides='first'"};
    double in_contact[3];
    for (int k = 0; k < 3; ++k) {
        contactScene s;
        int code = figure_open(&s, r->quick ? 5 : FIGURE_PARTS, vertices_of(r), options[k]);
        figureTimes times = {0};
        if (code == 0) times = figure_times(&s, r->quick ? 1 : 5);
        r->variant[k] = times.detect;
        in_contact[k] = times.in_contact;
        contact_scene_close(&s);
        if (code != 0) return code;
    }
    trial_expect_at_least(t, "all : without edges", r->variant[0] / r->variant[1], "x", 1.0);
    trial_expect_at_least(t, "without edges : vertices of one figure alone",
                          r->variant[1] / r->variant[2], "x", 1.0);
    trial_report(t, "poses with contacts, all", in_contact[0], "");
    trial_report(t, "poses with contacts, vertices of one figure alone", in_contact[2], "");
    return 0;
}

//---------------------------------- experiment -----------------------------------

static int plot_times(trial* t, const speedRun* r) {
    double x[SIZES], batch[BATCHES];
    for (int i = 0; i < SIZES; ++i) x[i] = parts[i];
    for (int i = 0; i < BATCHES; ++i) batch[i] = batches[i];
    const plotPanel panels[2] = {
        {.title = "one pose",
         .style = PLOT_MARKERS,
         .x = {"superquadrics of a figure", .logarithmic = 1, .ticks_at_x = 1},
         .y = {"time of a pose [µs]", .logarithmic = 1},
         .series_count = 3,
         .series = {{"contacts", SIZES, x, r->detect, NULL},
                    {"gradient", SIZES, x, r->gradient, NULL},
                    {"MuJoCo contacts", SIZES, x, r->mujoco, NULL}}},
        {.title = "batches",
         .style = PLOT_MARKERS,
         .x = {"poses of a batch", .logarithmic = 1, .ticks_at_x = 1},
         .y = {"time of a pose [µs]", .logarithmic = 1},
         .series_count = 4,
         .series = {{"contacts (5 parts)", BATCHES, batch, r->batch[0][0], NULL},
                    {"gradient (5 parts)", BATCHES, batch, r->batch[0][1], NULL},
                    {"contacts (18 parts)", BATCHES, batch, r->batch[1][0], NULL},
                    {"gradient (18 parts)", BATCHES, batch, r->batch[1][1], NULL}}}};
    return plot_write(t, &(plotFigure){"times", 2, 480, 400, 2, panels});
}

int experiment_manifold_speed(trial* t) {
    static speedRun r;
    int code = 0, threads = figure_threads(MOST_THREADS);
    r.quick = getenv("TACTUS_NO_SWEEP") != NULL;
    for (int k = 0; k < SIZES && code == 0; ++k) {
        if (r.quick && k != 0 && k != 2) continue;
        code = report_size(t, &r, k);
        trial_progress(t, 0.5 * (k + 1.0) / SIZES);
    }
    for (int which = 0; which < 2 && code == 0 && !(r.quick && which); ++which)
        code = report_batches(t, &r, which, threads);
    if (code == 0) code = report_variants(t, &r);
    return code == 0 ? plot_times(t, &r) : code;
}
