// tactus bench manifold: contacts of two figures of 18 superquadrics at 200 poses, their gradient,
// and MuJoCo's narrow phase on the 18 x 18 convex meshes at the same poses, in the version that is
// installed and in the newest.
//
// Each sweep visits all poses, so that no branch predictor is trained on one of them. Sweeps of the
// libraries alternate, so that a slow phase of the machine affects all. A value is the mean over
// the poses, the median over the sweeps; ratios are of neighbouring sweeps.

#define _GNU_SOURCE
#include "bench/baselines/figure_baseline.h"
#include "bench/bench.h"
#include "cli/clock.h"
#include "cli/random.h"
#include "cli/scene/scene_folder.h"
#include "experiments/contact_scene.h"

#include "base/dispatch.h"
#include "base/pool.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POSES = 200, SWEEPS = 31, BATCH = 1024 };

//---------------------------------- poses ----------------------------------------

// a random rotation about the middle of the figure and a shift of 0.4 to 1.1 times `distance`
static void random_pose(unsigned long long* state, double distance, double qpos[7]) {
    const double two_pi = 6.283185307179586;
    double u = cli_random_lcg(state), v = two_pi * cli_random_lcg(state),
           w = two_pi * cli_random_lcg(state);
    double a = sqrt(1.0 - u), b = sqrt(u), q[4] = {a * sin(v), a * cos(v), b * sin(w), b * cos(w)};
    double z = 2.0 * cli_random_lcg(state) - 1.0, f = two_pi * cli_random_lcg(state);
    double r = distance * (0.4 + 0.7 * cli_random_lcg(state)), k = sqrt(1.0 - z * z);
    // minus R (0, 0, 1/2)
    double up[3] = {2.0 * (q[1] * q[3] + q[0] * q[2]), 2.0 * (q[2] * q[3] - q[0] * q[1]),
                    1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2])};
    qpos[0] = r * k * cos(f) - 0.5 * up[0];
    qpos[1] = r * k * sin(f) - 0.5 * up[1];
    qpos[2] = 0.5 + r * z - 0.5 * up[2];
    memcpy(qpos + 3, q, sizeof q);
}

static void random_poses(double distance, double qpos[POSES][14]) {
    unsigned long long state = 11;
    for (int i = 0; i < POSES; ++i) {
        memset(qpos[i], 0, sizeof qpos[i]);
        qpos[i][3] = 1.0;
        random_pose(&state, distance, qpos[i] + 7);
    }
}

static void bodies_at(const double qpos[14], tacPose body[3]) {
    body[0] = tac_pose_identity();
    for (int b = 0; b < 2; ++b) {
        const double* p = qpos + 7 * b;
        body[1 + b] = (tacPose){{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}};
    }
}

//---------------------------------- ours -----------------------------------------

typedef struct manifoldBench {
    tacModel* model;
    tacScratch* scratch;
    tacContacts *contacts, *bar;
    double records, in_contact, active; // means over the poses
} manifoldBench;

static int open_bench(manifoldBench* b) {
    tacMessage message;
    char path[4200];
    cli_scene_path("figure_pair.xml", path, sizeof path);
    *b = (manifoldBench){0};
    if (tac_load(path, NULL, &b->model, &message) != TAC_OK) {
        fprintf(stderr, "%s: %s; set TACTUS_SCENES to the folder of the scenes\n", path,
                message.text);
        return 1;
    }
    return tac_scratch_create(b->model, &b->scratch) != TAC_OK ||
           tac_contacts_create(b->model, 0, 0, &b->contacts) != TAC_OK ||
           tac_contacts_create(b->model, 0, 0, &b->bar) != TAC_OK;
}

static void close_bench(manifoldBench* b) {
    tac_contacts_destroy(b->contacts);
    tac_contacts_destroy(b->bar);
    tac_scratch_destroy(b->scratch);
    tac_model_destroy(b->model);
}

// microseconds per pose; gradient 1: with the gradient of the mean active distance with respect to
// both poses
static double time_poses(manifoldBench* b, double (*qpos)[14], int gradient) {
    double total = 0.0;
    b->records = b->in_contact = b->active = 0.0;
    for (int i = 0; i < POSES; ++i) {
        tacPose body[3];
        double wrench[18] = {0}, start;
        bodies_at(qpos[i], body);
        start = cli_cpu_seconds();
        tac_detect(b->model, body, b->contacts, b->scratch);
        if (gradient && b->contacts->count) {
            contact_scene_mean_adjoint(b->contacts, b->bar);
            tac_detect_vjp(b->model, body, b->contacts, b->bar, wrench, NULL, b->scratch);
        }
        total += 1e6 * (cli_cpu_seconds() - start);
        b->records += b->contacts->count / (double)POSES;
        b->in_contact += (b->contacts->count > 0) / (double)POSES;
        for (int k = 0; k < b->contacts->count; ++k)
            b->active += (b->contacts->activity[k] > 0.01) / (double)POSES;
    }
    return total / POSES;
}

//---------------------------------- MuJoCo ---------------------------------------

// one version of it
typedef struct manifoldBaseline {
    const mujocoApi* api;
    mujocoBaseline* figures; // NULL where it is not there
} manifoldBaseline;

// the one that is installed, and the newest
enum { INSTALLED, NEWEST, BASELINES };

static manifoldBaseline open_baseline(const mujocoApi* api, const tacModel* model) {
    return (manifoldBaseline){api, figure_baseline_open(api, model)};
}

static void close_baseline(const manifoldBaseline* mujoco) {
    if (mujoco->figures) mujoco->api->close(mujoco->figures);
}

static double time_baseline(const manifoldBaseline* mujoco, double (*qpos)[14], double* contacts) {
    double total = 0.0;
    *contacts = 0.0;
    for (int i = 0; i < POSES; ++i) {
        mujoco->api->set_qpos(mujoco->figures, qpos[i]);
        double start = cli_cpu_seconds();
        *contacts += mujoco->api->collide(mujoco->figures) / (double)POSES;
        total += 1e6 * (cli_cpu_seconds() - start);
    }
    return total / POSES;
}

//---------------------------------- sweeps ---------------------------------------

// microseconds of each
typedef struct sweepTimes {
    double detect[SWEEPS], gradient[SWEEPS], mujoco[BASELINES][SWEEPS];
    double contacts[BASELINES]; // of MuJoCo, mean over the poses
} sweepTimes;

// alternating; sweeps before the first fill the caches
static void run_sweeps(manifoldBench* b, const manifoldBaseline* mujoco, double (*qpos)[14],
                       sweepTimes* t) {
    for (int s = -1; s < SWEEPS; ++s) {
        int at = s < 0 ? 0 : s;
        for (int p = 0; p < BASELINES; ++p)
            if (mujoco[p].figures)
                t->mujoco[p][at] = time_baseline(&mujoco[p], qpos, &t->contacts[p]);
        t->gradient[at] = time_poses(b, qpos, 1);
        t->detect[at] = time_poses(b, qpos, 0);
    }
}

static int by_size(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// quartiles of numbers, or of ratios of neighbours
typedef struct quartiles {
    double low, middle, high;
} quartiles;

static quartiles quartiles_of(const double* x, const double* over) {
    double sorted[SWEEPS];
    for (int i = 0; i < SWEEPS; ++i) sorted[i] = over ? x[i] / over[i] : x[i];
    qsort(sorted, SWEEPS, sizeof *sorted, by_size);
    return (quartiles){sorted[SWEEPS / 4], sorted[SWEEPS / 2], sorted[3 * SWEEPS / 4]};
}

//---------------------------------- rows -----------------------------------------

static void manifold_row(benchReport* report, double distance, const char* what, benchFigure f) {
    char id[140];
    snprintf(id, sizeof id, "manifold/%s/distance %g/%s", tac_isa_name(tac_isa()), distance, what);
    bench_row(report, id, f.value, f.unit, f.relation, f.bound);
}

// a ratio with its quartiles, which have no bound
static void manifold_ratio_row(benchReport* report, double distance, const char* what, quartiles q,
                               char relation, double bound) {
    char id[100];
    manifold_row(report, distance, what, (benchFigure){q.middle, "x", relation, bound});
    snprintf(id, sizeof id, "%s, quartiles: low", what);
    manifold_row(report, distance, id, (benchFigure){q.low, "x", ' ', 0.0});
    snprintf(id, sizeof id, "%s, quartiles: high", what);
    manifold_row(report, distance, id, (benchFigure){q.high, "x", ' ', 0.0});
}

// rows of a version; max_ratio: bound of our time relative to its, on instruction sets with a bound
static void bench_baseline(benchReport* report, const sweepTimes* t, int p, const char* version,
                           double distance, double max_ratio) {
    int baseline = tac_isa() == TAC_ISA_BASELINE;
    char id[80];
    snprintf(id, sizeof id, "MuJoCo %s, contacts", version);
    manifold_row(report, distance, id, (benchFigure){t->contacts[p], "", ' ', 0.0});
    snprintf(id, sizeof id, "MuJoCo %s, mj_collision", version);
    manifold_row(report, distance, id,
                 (benchFigure){quartiles_of(t->mujoco[p], NULL).middle, "us", ' ', 0.0});
    snprintf(id, sizeof id, "detect : mj_collision %s", version);
    manifold_ratio_row(report, distance, id, quartiles_of(t->detect, t->mujoco[p]),
                       baseline ? ' ' : '<', max_ratio);
}

static void bench_installed(benchReport* report, const sweepTimes* t, const char* version,
                            double distance) {
    int wide = tac_isa() == TAC_ISA_AVX512, baseline = tac_isa() == TAC_ISA_BASELINE;
    double max_ratio = distance > 0.75 ? (wide ? 0.4 : 0.7) : (wide ? 0.3 : 0.5);
    quartiles differences = quartiles_of(t->mujoco[INSTALLED], t->gradient);
    differences.low *= 13.0;
    differences.middle *= 13.0;
    differences.high *= 13.0;
    bench_baseline(report, t, INSTALLED, version, distance, max_ratio);
    manifold_ratio_row(report, distance, "13 mj_collision : gradient", differences,
                       baseline ? ' ' : '>', 20.0);
}

static void bench_distance(benchReport* report, manifoldBench* b, const manifoldBaseline* mujoco,
                           double distance) {
    static double qpos[POSES][14];
    static sweepTimes t;
    random_poses(distance, qpos);
    run_sweeps(b, mujoco, qpos, &t);
    manifold_row(report, distance, "poses that touch", (benchFigure){b->in_contact, "", ' ', 0.0});
    manifold_row(report, distance, "records", (benchFigure){b->records, "", ' ', 0.0});
    manifold_row(report, distance, "records above 0.01", (benchFigure){b->active, "", ' ', 0.0});
    manifold_row(report, distance, "detect",
                 (benchFigure){quartiles_of(t.detect, NULL).middle, "us", ' ', 0.0});
    manifold_row(report, distance, "gradient : detect",
                 (benchFigure){quartiles_of(t.gradient, t.detect).middle, "x", '<', 1.8});
    for (int p = 0; p < BASELINES; ++p) {
        if (!mujoco[p].figures) continue;
        const char* version = mujoco[p].api->version(mujoco[p].figures);
        if (p == INSTALLED) bench_installed(report, &t, version, distance);
        if (p == NEWEST) bench_baseline(report, &t, p, version, distance, 1.0);
    }
}

//---------------------------------- threads --------------------------------------

typedef struct batchWork {
    manifoldBench bench[2];
    double (*qpos)[14];
    tacPool* pool;
} batchWork;

static void run_part(void* context, int job, int worker) {
    batchWork* w = context;
    manifoldBench* b = &w->bench[worker];
    for (int i = 0; i < BATCH / 16; ++i) {
        tacPose body[3];
        bodies_at(w->qpos[(job * (BATCH / 16) + i) % POSES], body);
        tac_detect(b->model, body, b->contacts, b->scratch);
    }
}

static void run_batch(void* context) {
    batchWork* w = context;
    tac_pool_run(w->pool, 16, run_part, w);
}

static void spin_batch(void* context) {
    batchWork* w = context;
    tac_pool_run(w->pool, BATCH, bench_spin, NULL);
}

static void bench_threads(benchReport* report, manifoldBench* one, manifoldBench* two) {
    static double qpos[POSES][14];
    batchWork work[2];
    benchWork list[4];
    double ns[4];
    random_poses(0.5, qpos);
    for (int t = 0; t < 2; ++t) {
        work[t] = (batchWork){{*one, *two}, qpos, NULL};
        if (tac_pool_create(t + 1, tac_default_allocator(), &work[t].pool) != TAC_OK) return;
        list[t] = (benchWork){run_batch, &work[t]};
        list[2 + t] = (benchWork){spin_batch, &work[t]};
    }
    bench_times_rounds(list, 4, 15, ns);
    manifold_row(report, 0.5, "two threads", (benchFigure){ns[0] / ns[1], "x", '>', 1.85});
    manifold_row(report, 0.5, "two threads, registers alone",
                 (benchFigure){ns[2] / ns[3], "x", ' ', 0.0});
    for (int t = 0; t < 2; ++t) tac_pool_destroy(work[t].pool);
}

//---------------------------------- different objects ----------------------------

// as many as fit the third-level cache, and as many as do not
enum { FEW = 64, OBJECTS = 1024 };

// figures in turn, BATCH calls
typedef struct objectWork {
    manifoldBench* figure;
    int count;
    double (*qpos)[14];
} objectWork;

static void run_objects(void* context) {
    objectWork* w = context;
    for (int i = 0; i < BATCH; ++i) {
        manifoldBench* b = &w->figure[i % w->count];
        tacPose body[3];
        bodies_at(w->qpos[i % POSES], body);
        tac_detect(b->model, body, b->contacts, b->scratch);
    }
}

// varies every size of every part of both figures by up to 3 %
static void change_sizes(tacModel* model, unsigned long long* state) {
    for (int i = 0; i < model->nnode; ++i)
        for (int k = 0; k < 3 && model->node[i].kind == TAC_NODE_SUPERQUADRIC; ++k)
            model->param[model->node[i].size + k] *= 0.97 + 0.06 * cli_random_lcg(state);
}

static void bench_figures(benchReport* report, manifoldBench* one, manifoldBench* other) {
    static double qpos[POSES][14];
    double ns[3];
    random_poses(0.5, qpos);
    objectWork work[3] = {{one, 1, qpos}, {other, FEW, qpos}, {other, OBJECTS, qpos}};
    const benchWork list[3] = {
        {run_objects, &work[0]}, {run_objects, &work[1]}, {run_objects, &work[2]}};
    bench_cpu_times(list, 3, ns);
    manifold_row(report, 0.5, "64 different figures : equal ones",
                 (benchFigure){ns[0] / ns[1], "x", ' ', 0.0});
    manifold_row(report, 0.5, "1024 different figures : equal ones",
                 (benchFigure){ns[0] / ns[2], "x", '>', 0.8});
}

static int bench_objects(benchReport* report, manifoldBench* one) {
    static manifoldBench other[OBJECTS];
    unsigned long long state = 5;
    int opened = 0, failed = 0;
    for (; opened < OBJECTS && !failed; ++opened) {
        failed = open_bench(&other[opened]);
        if (!failed) change_sizes(other[opened].model, &state);
    }
    if (!failed) bench_figures(report, one, other);
    for (int i = 0; i < opened; ++i) close_bench(&other[i]);
    return failed;
}

int bench_manifold(benchReport* report) {
    manifoldBench b, other;
    if (open_bench(&b) || open_bench(&other)) return 1;
    manifoldBaseline mujoco[BASELINES] = {open_baseline(&mujoco_api, b.model),
                                          open_baseline(mujoco_newest_api(), b.model)};
    if (!mujoco[NEWEST].figures)
        bench_comment(report,
                      "for rows against the newest MuJoCo: tools/setup mujoco, build again");
    bench_distance(report, &b, mujoco, 1.0);
    bench_distance(report, &b, mujoco, 0.5);
    bench_threads(report, &b, &other);
    int result = bench_objects(report, &b);
    for (int p = 0; p < BASELINES; ++p) close_baseline(&mujoco[p]);
    close_bench(&b);
    close_bench(&other);
    return result;
}
