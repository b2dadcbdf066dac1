// Times of closest points by batch size (paper 001, Fig. 6).
//
// Two edges, and a vertex and a face, with corners uniform in the unit cube, in batches of 1 to 1e7
// with a hundred trials of new pairs. Methods: ours smooth with the temperatures of the paper, ours
// exact, and the log barrier of weight 1e-3 by an interior point method and by L-BFGS. Both barrier
// solvers are written for these problems of two variables; the paper uses general ones. As in the
// paper, L-BFGS parametrizes a face as a folded square, so its barrier differs. TACTUS_SWEEP=long
// runs all trials; otherwise large batches have fewer: 1e7 pairs in all for ours, 1e6 for barriers,
// at least one trial.

#include "cli/clock.h"
#include "experiments/contact_scene.h"
#include "experiments/experiments.h"
#include "experiments/plot.h"

#include "bench/witness_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 8, WAYS = 4, TRIALS = 100, COMPARED = 1000 };
enum { SMOOTH_WAY, EXACT_WAY, POINT_WAY, LBFGS_WAY };

static const double weight = 1e-3;

typedef struct witnessProblem {
    const char* name;
    witnessKind kind[WAYS];
    int first;                // array of the first parameter in our results
    double ns[WAYS][BATCHES]; // of a pair
} witnessProblem;

static witnessProblem problems[2] = {
    {"edges", {WITNESS_SMOOTH, WITNESS_EXACT, WITNESS_POINT, WITNESS_LBFGS}, 0, {{0}}},
    {"vertex and face",
     {WITNESS_FACE, WITNESS_FACE_EXACT, WITNESS_FACE_POINT, WITNESS_FACE_LBFGS},
     1,
     {{0}}},
};

static const char* const names[WAYS] = {"smooth", "exact", "interior point", "L-BFGS barrier"};

static int is_long(void) {
    const char* sweep = getenv("TACTUS_SWEEP");
    return sweep && !strcmp(sweep, "long");
}

static int trials_of(int batch, int way) {
    int pairs = way == SMOOTH_WAY || way == EXACT_WAY ? 10000000 : 1000000;
    int trials = is_long() || pairs / batch > TRIALS ? TRIALS : pairs / batch;
    return trials > 1 ? trials : 1;
}

//---------------------------------- times ----------------------------------------

// trial j has the pairs from j * batch on, modulo their number
static witnessArrays batch_slice(const witnessArrays* all, int batch, int j) {
    witnessArrays part = {.count = batch};
    size_t first = (size_t)batch * (size_t)(j % (all->count / batch));
    for (int k = 0; k < WITNESS_INPUTS; ++k) part.in[k] = all->in[k] + first;
    for (int k = 0; k < WITNESS_OUTPUTS; ++k) part.out[k] = all->out[k] + first;
    return part;
}

// nanoseconds of a pair, the mean over all trials
static double time_trials(const witnessArrays* all, witnessKind kind, int batch, int trials) {
    double start = cli_cpu_seconds();
    for (int j = 0; j < trials; ++j) {
        witnessArrays part = batch_slice(all, batch, j);
        bench_witness_run(&(witnessWork){&part, kind, weight});
    }
    return 1e9 * (cli_cpu_seconds() - start) / ((double)trials * batch);
}

static int time_batch(trial* t, int b, int quick) {
    int batch = (int)lround(pow(10.0, b));
    witnessArrays all;
    if (!bench_witness_fill(&all, batch > 10000 ? batch : TRIALS * batch)) {
        trial_report(t, "not enough memory for a batch of this size", batch, "pairs");
        return 0;
    }
    for (int p = 0; p < 2; ++p)
        for (int way = 0; way < WAYS; ++way) {
            char id[80];
            int trials = quick ? 3 : trials_of(batch, way);
            problems[p].ns[way][b] = time_trials(&all, problems[p].kind[way], batch, trials);
            snprintf(id, sizeof id, "%s, batch of %d: %s", problems[p].name, batch, names[way]);
            trial_report(t, id, problems[p].ns[way][b], "ns");
        }
    bench_witness_release(&all);
    return 1;
}

//---------------------------------- answers --------------------------------------

// mean difference of the parameters of two methods
static double mean_difference(const witnessArrays* a, const witnessProblem* p, int one, int two) {
    static double reference[2][COMPARED];
    double sum = 0.0;
    int first[2] = {one < POINT_WAY ? p->first : 0, two < POINT_WAY ? p->first : 0};
    bench_witness_run(&(witnessWork){a, p->kind[one], weight});
    for (int k = 0; k < 2; ++k) memcpy(reference[k], a->out[first[0] + k], sizeof reference[k]);
    bench_witness_run(&(witnessWork){a, p->kind[two], weight});
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < COMPARED; ++i) sum += fabs(a->out[first[1] + k][i] - reference[k][i]);
    return sum / (2 * COMPARED);
}

static int report_answers(trial* t) {
    witnessArrays a;
    char id[80];
    if (!bench_witness_fill(&a, COMPARED)) return CLI_ERROR;
    for (int p = 0; p < 2; ++p)
        for (int way = 0; way < WAYS; ++way) {
            if (way == EXACT_WAY) continue;
            snprintf(id, sizeof id, "%s, %s: mean difference of places to exact", problems[p].name,
                     names[way]);
            trial_expect_at_most(t, id, mean_difference(&a, &problems[p], EXACT_WAY, way), "", 0.1);
        }
    trial_expect_at_most(t, "edges: interior point and L-BFGS have one answer",
                         mean_difference(&a, &problems[0], POINT_WAY, LBFGS_WAY), "", 1e-4);
    bench_witness_release(&a);
    return 0;
}

//---------------------------------- experiment -----------------------------------

static void report_ratios(trial* t, int b) {
    for (int p = 0; p < 2; ++p)
        for (int way = POINT_WAY; way < WAYS; ++way) {
            char id[80];
            snprintf(id, sizeof id, "%s, batch of %g: %s : smooth", problems[p].name, pow(10.0, b),
                     names[way]);
            trial_expect_at_least(t, id, problems[p].ns[way][b] / problems[p].ns[SMOOTH_WAY][b],
                                  "x", 2.0);
        }
}

static int plot_times(trial* t) {
    double x[BATCHES];
    plotPanel panels[2];
    for (int b = 0; b < BATCHES; ++b) x[b] = pow(10.0, b);
    for (int p = 0; p < 2; ++p) {
        panels[p] = (plotPanel){.title = problems[p].name,
                                .style = PLOT_MARKERS,
                                .x = {"pairs of a batch", .logarithmic = 1},
                                .y = {"time of a pair [ns]", .logarithmic = 1},
                                .series_count = WAYS};
        for (int way = 0; way < WAYS; ++way)
            panels[p].series[way] = (plotSeries){names[way], BATCHES, x, problems[p].ns[way], NULL};
    }
    return plot_write(t, &(plotFigure){"times", 2, 480, 400, 2, panels});
}

int experiment_witness_points(trial* t) {
    int quick = getenv("TACTUS_NO_SWEEP") != NULL, last = -1;
    int code = report_answers(t);
    for (int b = 0; b < (quick ? 4 : BATCHES) && code == 0; ++b) {
        if (time_batch(t, b, quick)) last = b;
        trial_progress(t, (b + 1.0) / BATCHES);
    }
    if (code == 0 && last >= 0) report_ratios(t, last < 4 ? last : 4);
    return code == 0 ? plot_times(t) : code;
}
