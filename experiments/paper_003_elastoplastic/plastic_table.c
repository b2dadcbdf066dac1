// Simulation times of contact by symbolic and numeric equations (paper 003, Table I).
//
// Five scenarios, ten runs each, by three methods that must agree: derived and compiled formulas
// with contact geometry, the engine's step with detect="sat", and derived equations of motion with
// contact by convex programs. The paper's times are of its machine and of scenarios that it does
// not describe: not a target.

#include "experiments/experiments.h"
#include "experiments/paper_003_elastoplastic/plastic_scene.h"
#include "experiments/plot.h"

#include <math.h>
#include <stdlib.h>

static const double step = 2e-5; // friction below v_s is as stiff as 1e4/s
enum { RUNS = 10, PATH = 101 };

static const double paper_seconds[PLASTIC_CASES][3] = {{0.45, 0.53, 0.82},
                                                       {1.04, 0.93, 0.36},
                                                       {1.85, 1.40, 1.72},
                                                       {2.44, 2.54, 2.05},
                                                       {4.01, 6.83, 3.09}};
static const char* const ways[] = {"symbolic SAT", "numeric SAT", "symbolic CO"};

//---------------------------------- runs -----------------------------------------

typedef struct wayTimes {
    double mean, deviation;
    plasticRun last;
} wayTimes;

static int run_way(plasticScene* scene, int way, int runs, wayTimes* out) {
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < runs; ++i) {
        tacResult result = way == 0   ? plastic_run_symbolic(scene, step, &out->last, NULL, 0)
                           : way == 1 ? plastic_run_engine(scene, &out->last)
                                      : plastic_run_convex(scene, step, &out->last);
        if (result != TAC_OK) {
            fprintf(stderr, "tactus reproduce: %s by %s: %s\n", scene->scenario->name, ways[way],
                    tac_result_text(result));
            return CLI_ERROR;
        }
        sum += out->last.cpu_seconds;
        squares += out->last.cpu_seconds * out->last.cpu_seconds;
    }
    out->mean = sum / runs;
    out->deviation = sqrt(fmax(squares / runs - out->mean * out->mean, 0.0));
    return 0;
}

// largest difference of positions and velocities
static double max_difference(const plasticScene* s, const plasticRun* a, const plasticRun* b) {
    double max = 0.0;
    for (int i = 0; i < s->free_model->nq; ++i) max = fmax(max, fabs(a->q[i] - b->q[i]));
    for (int i = 0; i < s->free_model->nv; ++i) max = fmax(max, fabs(a->v[i] - b->v[i]));
    return max;
}

static void momentum_of(const plasticScene* s, const plasticRun* run, double out[6]) {
    tac_momentum(s->free_model, run->q, run->v, out, s->free_scratch);
}

// largest change of momentum where nothing acts from outside
static double momentum_drift(plasticScene* s, const plasticRun* end) {
    plasticRun start = {0};
    double before[6], after[6], max = 0.0;
    for (int i = 0; i < s->free_model->nq; ++i) start.q[i] = s->free_model->qpos0[i];
    for (int i = 0; i < s->free_model->nv; ++i) start.v[i] = s->scenario->qvel[i];
    momentum_of(s, &start, before);
    momentum_of(s, end, after);
    for (int i = 0; i < 6; ++i) max = fmax(max, fabs(after[i] - before[i]));
    return max;
}

//---------------------------------- rows -----------------------------------------

static const char* id_of(char text[120], const plasticScene* s, const char* what) {
    snprintf(text, 120, "%s: %s", s->scenario->name, what);
    return text;
}

static void report_times(trial* t, const plasticScene* s, const wayTimes* times,
                         const double* reference_seconds) {
    char id[120], what[80];
    for (int way = 0; way < 3; ++way) {
        snprintf(what, sizeof what, "%s, mean of a run (paper %.2f s)", ways[way],
                 reference_seconds[way]);
        trial_report(t, id_of(id, s, what), times[way].mean, "s");
        snprintf(what, sizeof what, "%s, deviation", ways[way]);
        trial_report(t, id_of(id, s, what), times[way].deviation, "s");
    }
    trial_report(t, id_of(id, s, "derived in"), s->derived, "s");
    trial_report(t, id_of(id, s, "compiled in"), s->compiled, "s");
}

static void report_physics(trial* t, plasticScene* s, const wayTimes* times,
                           const plasticRun* exact) {
    char id[120];
    trial_expect_at_most(t, id_of(id, s, "formulas, from a run with a tenth of the step"),
                         max_difference(s, &times[0].last, exact), "", 1e-6);
    trial_expect_at_most(t, id_of(id, s, "engine, from that run"),
                         max_difference(s, &times[1].last, exact), "", 1e-6);
    trial_expect_at_most(t, id_of(id, s, "convex programs, from axes"),
                         max_difference(s, &times[2].last, &times[0].last), "", 1e-9);
    trial_expect_at_most(t, id_of(id, s, "energy with what was lost, drift"), times[0].last.drift,
                         "", 1e-6);
    trial_expect_at_least(t, id_of(id, s, "least power that was lost"), times[0].last.min_loss, "W",
                          -1e-9);
    if (s->scenario->gravity == 0.0)
        trial_expect_at_most(t, id_of(id, s, "momentum, drift"), momentum_drift(s, &times[0].last),
                             "", 1e-9);
}

//---------------------------------- plot -----------------------------------------

typedef struct pathPlot {
    double path[PLASTIC_CASES][4][PATH]; // x, y of both centres
    plotPanel panels[PLASTIC_CASES];
} pathPlot;

// a range of `span` about the middle of both paths
static plotAxis path_axis(const char* label, const double* one, const double* two, double span) {
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < PATH; ++k) {
        low = fmin(low, fmin(one[k], two[k]));
        high = fmax(high, fmax(one[k], two[k]));
    }
    double middle = 0.5 * (low + high);
    return (plotAxis){label, middle - 0.5 * span, middle + 0.5 * span, 0.5, 0, 0};
}

static void add_paths(pathPlot* plot, int i, const plasticScene* s, const double* path) {
    double(*p)[PATH] = plot->path[i];
    for (int k = 0; k < PATH; ++k)
        for (int c = 0; c < 4; ++c) p[c][k] = path[4 * k + c];
    plot->panels[i] = (plotPanel){
        .title = s->scenario->name,
        .x = path_axis("x [m]", p[0], p[2], 2.0),
        .y = path_axis("y [m]", p[1], p[3], 2.0),
        .equal_scale = 1,
        .series_count = s->free_model->nbody - 1,
        .series = {{"body 1", PATH, p[0], p[1], NULL}, {"body 2", PATH, p[2], p[3], NULL}}};
}

//---------------------------------- all ------------------------------------------

static int run_case(trial* t, int i, int runs, pathPlot* plot) {
    plasticScene scene;
    wayTimes times[3];
    plasticRun exact;
    double path[4 * PATH] = {0};
    if (plastic_open(&scene, &plastic_case[i], step) != 0) return CLI_ERROR;
    int code =
        plastic_run_symbolic(&scene, 0.1 * step, &exact, path, PATH) == TAC_OK ? 0 : CLI_ERROR;
    for (int way = 0; way < 3 && code == 0; ++way) code = run_way(&scene, way, runs, &times[way]);
    if (code == 0) {
        report_times(t, &scene, times, paper_seconds[i]);
        report_physics(t, &scene, times, &exact);
        add_paths(plot, i, &scene, path);
    }
    plastic_close(&scene);
    return code;
}

int experiment_plastic_table(trial* t) {
    static pathPlot plot;
    int runs = getenv("TACTUS_NO_SWEEP") ? 1 : RUNS, code = 0;
    for (int i = 0; i < PLASTIC_CASES && code == 0; ++i) {
        code = run_case(t, i, runs, &plot);
        trial_progress(t, (i + 1.0) / PLASTIC_CASES);
    }
    if (code != 0) return code;
    return plot_write(t, &(plotFigure){"paths", 3, 320, 320, PLASTIC_CASES, plot.panels});
}
