// Times of edges in a field of two figures (paper 002, Fig. 5).
//
// All edges of one figure in the field of the other, with three steps a ray, at 100 random poses;
// figures grow from 1 to 18 superquadrics. The paper evaluates every edge; here bounds cull edges
// that cannot be in contact, with the same contacts, and both are timed. MuJoCo's narrow phase runs
// in the same process; no GPU is compared.

#include "experiments/experiments.h"
#include "experiments/figure_pair.h"
#include "experiments/plot.h"

#include "base/assert.h"

#include <stdlib.h>

enum { SIZES = 5, WAYS = 3 };

static const int parts[SIZES] = {1, 2, 5, 9, FIGURE_PARTS};

static const struct {
    const char *name, *options;
} ways[WAYS] = {
    {"culled", "detect='edge_sdf' sides='first' iterations='3'"},
    {"every edge", "detect='edge_sdf' sides='first' iterations='3' cull='false'"},
    {"every edge, 6 steps", "detect='edge_sdf' sides='first' iterations='6' cull='false'"},
};

typedef struct edgeSpeed {
    int quick;
    double time[WAYS][SIZES], records[WAYS][SIZES], gradient[SIZES], mujoco[SIZES];
} edgeSpeed;

static int measure_figure(edgeSpeed* r, int k, int way) {
    contactScene s;
    int sweeps = r->quick ? 1 : 5;
    int code = figure_open(&s, parts[k], r->quick ? 80 : 305, ways[way].options);
    if (code == 0) {
        figureTimes times = figure_times(&s, sweeps);
        r->time[way][k] = times.detect;
        r->records[way][k] = times.records;
        if (way == 0) {
            r->gradient[k] = times.gradient;
            r->mujoco[k] = figure_mujoco_time(&s, sweeps);
        }
    }
    contact_scene_close(&s);
    return code;
}

static void report_size(trial* t, const edgeSpeed* r, int k) {
    char id[80];
    for (int way = 0; way < 2; ++way) {
        snprintf(id, sizeof id, "%d parts, %s", parts[k], ways[way].name);
        trial_report(t, id, r->time[way][k], "us");
    }
    snprintf(id, sizeof id, "%d parts: records, culled less every edge", parts[k]);
    trial_expect_near(t, id, r->records[0][k] - r->records[1][k], "", 0.0, 0.0);
    snprintf(id, sizeof id, "%d parts: every edge : culled", parts[k]);
    trial_expect_at_least(t, id, r->time[1][k] / r->time[0][k], "x", 1.0);
    snprintf(id, sizeof id, "%d parts: gradient : detect, culled", parts[k]);
    trial_expect_at_most(t, id, r->gradient[k] / r->time[0][k], "x", 8.0);
    snprintf(id, sizeof id, "%d parts: MuJoCo : culled", parts[k]);
    if (r->mujoco[k] > 0.0) trial_report(t, id, r->mujoco[k] / r->time[0][k], "x");
}

static int plot_times(trial* t, const edgeSpeed* r) {
    double x[SIZES];
    for (int k = 0; k < SIZES; ++k) x[k] = parts[k];
    const plotPanel panel = {.title = "edges in a field",
                             .style = PLOT_MARKERS,
                             .x = {"superquadrics of a figure", .logarithmic = 1, .ticks_at_x = 1},
                             .y = {"time of a pose [µs]", .logarithmic = 1},
                             .series_count = 4,
                             .series = {{"contacts", SIZES, x, r->time[0], NULL},
                                        {"gradient", SIZES, x, r->gradient, NULL},
                                        {"contacts: every edge", SIZES, x, r->time[1], NULL},
                                        {"MuJoCo contacts", SIZES, x, r->mujoco, NULL}}};
    return plot_write(t, &(plotFigure){"times", 1, 560, 400, 1, &panel});
}

int experiment_edge_speed(trial* t) {
    static edgeSpeed r;
    int code = 0, last = 0;
    r.quick = getenv("TACTUS_NO_SWEEP") != NULL;
    for (int k = 0; k < SIZES && code == 0; ++k) {
        if (r.quick && k != 0 && k != 2) continue;
        for (int way = 0; way < WAYS && code == 0; ++way) code = measure_figure(&r, k, way);
        if (code == 0) {
            report_size(t, &r, k);
            last = k;
        }
        trial_progress(t, (k + 1.0) / SIZES);
    }
    if (code != 0) return code;
    trial_expect_near(t, "6 steps : 3 steps, every edge", r.time[2][last] / r.time[1][last], "x",
                      1.7, 0.7);
    return plot_times(t, &r);
}
