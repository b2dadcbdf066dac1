// tactus bench scm: soft distances of two clouds both ways, their growth, and the step of a pushed
// T.
//
// Scalar is a plain implementation: a pass for the nearest point, a pass with exp of libm. Exact
// evaluates all pairs of points in wide kernels; culled skips negligible ones. eps1 is (h/2)^2. Run
// it in the folder that has scenes/.

#include "bench/ball_cloud.h"
#include "bench/bench.h"
#include "cli/scene/scene_folder.h"

#include "base/dispatch.h"
#include "bench/baselines/other_engines.h"
#include "detect/ssdf/ssdf.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCALAR 100 // queries of the scalar run; its time is per pair

typedef struct scmBench {
    int count;
    tacContactCloud* cloud[2];
    tacSsdfPair pair;
    double *Phi, *plain;
} scmBench;

//---------------------------------- clouds ---------------------------------------

// two balls of radius 1 that overlap by 0.1
static int open_bench(scmBench* b, int n, int exact) {
    *b = (scmBench){.count = n, .cloud = {bench_ball_cloud(n, 1.0), bench_ball_cloud(n, 1.0)}};
    b->Phi = malloc(sizeof(double) * 2 * (size_t)n);
    b->plain = calloc(SCALAR, sizeof(double));
    if (!b->cloud[0] || !b->cloud[1] || !b->Phi || !b->plain) return 1;
    double h = b->cloud[0]->spacing;
    b->pair = (tacSsdfPair){{b->cloud[0], b->cloud[1]},
                            {tac_pose_identity(), tac_pose_identity()},
                            0.25 * h * h,
                            0.02,
                            exact};
    b->pair.pose[1].position.x = 1.9;
    b->pair.pose[1].rotation = (tacQuat){0.8, 0.6, 0.0, 0.0};
    return 0;
}

static void close_bench(scmBench* b) {
    tacAllocator a = tac_default_allocator();
    for (int i = 0; i < 2; ++i)
        if (b->cloud[i]) a.release(a.user, b->cloud[i]);
    free(b->Phi);
    free(b->plain);
}

static double scalar_phi(const scmBench* b, const double y[3]) {
    const tacContactCloud* c = b->cloud[0];
    const double *p = c->block, *n = c->block + 3 * c->count;
    double min_square = INFINITY, weights = 0.0, sum = 0.0;
    int count = c->count;
    for (int i = 0; i < count; ++i) {
        double u = y[0] - p[i], v = y[1] - p[count + i], w = y[2] - p[2 * count + i];
        min_square = fmin(min_square, u * u + v * v + w * w);
    }
    for (int i = 0; i < count; ++i) {
        double u = y[0] - p[i], v = y[1] - p[count + i], w = y[2] - p[2 * count + i];
        double weight = exp((min_square - (u * u + v * v + w * w)) / b->pair.eps1);
        weights += weight;
        sum += weight * (n[i] * u + n[count + i] * v + n[2 * count + i] * w);
    }
    return sum / weights;
}

static void run_scalar(void* context) {
    scmBench* b = context;
    const tacContactCloud* c = b->cloud[1];
    for (int i = 0; i < SCALAR; ++i) {
        tacVec3 x = {c->block[i], c->block[c->count + i], c->block[2 * c->count + i]};
        double y[3];
        tac_store3(y, tac_pose_apply(b->pair.pose[1], x));
        b->plain[i] = scalar_phi(b, y);
    }
}

static void run_field(void* context) {
    scmBench* b = context;
    tac_ssdf_field(&b->pair, b->Phi);
}

//---------------------------------- rows -----------------------------------------

static double largest_difference(const double* a, const double* b, int n) {
    double max_difference = 0.0;
    for (int i = 0; i < n; ++i) max_difference = fmax(max_difference, fabs(a[i] - b[i]));
    return max_difference;
}

static int measure_kernels(benchReport* report) {
    scmBench exact, culled;
    int failed = open_bench(&exact, 4000, 1) | open_bench(&culled, 4000, 0);
    if (!failed) {
        const benchWork works[3] = {
            {run_scalar, &exact}, {run_field, &exact}, {run_field, &culled}};
        double ns[3], pairs = 4000.0 * 4000.0;
        bench_cpu_times(works, 3, ns);
        ns[0] *= 4000.0 / SCALAR; // one way
        bench_row(report, "scm/4k/scalar, a pair", ns[0] / pairs, "ns", ' ', 0.0);
        bench_row(report, "scm/4k/wide, a pair", ns[1] / (2.0 * pairs), "ns", ' ', 0.0);
        bench_row(report, "scm/4k/culled, both ways", 1e-6 * ns[2], "ms", ' ', 0.0);
        bench_row(report, "scm/4k/wide over scalar", 2.0 * ns[0] / ns[1], "x",
                  tac_isa() == TAC_ISA_BASELINE ? ' ' : '>', 10.0);
        bench_row(report, "scm/4k/culled over wide", ns[1] / ns[2], "x", '>', 10.0);
        bench_row(report, "scm/4k/culled less wide",
                  largest_difference(exact.Phi, culled.Phi, 8000), "m", '<', 1e-12);
        bench_row(report, "scm/4k/wide less scalar",
                  largest_difference(exact.Phi + 4000, exact.plain, SCALAR), "m", '<', 1e-12);
    }
    close_bench(&exact);
    close_bench(&culled);
    return failed;
}

static int measure_growth(benchReport* report) {
    static const int count[3] = {4000, 16000, 64000};
    scmBench b[3];
    benchWork works[3];
    double ns[3];
    int failed = 0;
    for (int i = 0; i < 3; ++i) {
        failed |= open_bench(&b[i], count[i], 0);
        works[i] = (benchWork){run_field, &b[i]};
    }
    if (!failed) bench_cpu_times(works, 3, ns);
    for (int i = 0; i < 3 && !failed; ++i) {
        char id[64];
        snprintf(id, sizeof id, "scm/%dk/culled, a point", count[i] / 1000);
        bench_row(report, id, ns[i] / (2.0 * count[i]), "ns", ' ', 0.0);
        snprintf(id, sizeof id, "scm/%dk/memory, a point", count[i] / 1000);
        bench_row(report, id, (double)b[i].cloud[0]->bytes / count[i] + 40.0, "B", ' ', 0.0);
    }
    if (!failed)
        bench_row(report, "scm/time of a point, 64k over 4k", ns[2] / ns[0] / 16.0, "x", '<', 1.7);
    for (int i = 0; i < 3; ++i) close_bench(&b[i]);
    return failed;
}

//---------------------------------- a pushed T -----------------------------------

typedef struct pushBench {
    tacModel* model;
    tacScratch* scratch;
    double q[5], v[5], next_q[5], next_v[5], ctrl[2], A[100], B[20];
    mujocoWorld* mujoco;
} pushBench;

// the finger at the foot of the T, pushing
static tacState push_state(pushBench* b) { return (tacState){.qpos = b->q, .qvel = b->v}; }

static void run_step(void* context) {
    pushBench* b = context;
    tacState x = push_state(b), next = {.qpos = b->next_q, .qvel = b->next_v};
    tac_step(b->model, &x, b->ctrl, &next, b->scratch);
}

static void run_jacobian(void* context) {
    pushBench* b = context;
    tacState x = push_state(b), next = {.qpos = b->next_q, .qvel = b->next_v};
    tac_step_jacobian(b->model, &x, b->ctrl,
                      &(tacStepJacobian){.next = &next, .A = b->A, .B = b->B}, b->scratch);
}

static void run_mujoco(void* context) {
    pushBench* b = context;
    memcpy(mujoco_world_qpos(b->mujoco), b->q, sizeof b->q);
    memcpy(mujoco_world_qvel(b->mujoco), b->v, sizeof b->v);
    mujoco_world_step(b->mujoco, b->ctrl, 2);
}

static const char mujoco_text[] =
    "<mujoco><compiler angle='radian'/><option timestep='0.002' gravity='0 0 0' integrator='RK4'/>"
    "<worldbody><body><joint type='slide' axis='1 0 0' damping='3'/>"
    "<joint type='slide' axis='0 1 0' damping='3'/><joint type='hinge' axis='0 0 1' damping='.02'/>"
    "<geom type='box' size='.125 .025 .025' pos='0 .0375 0' mass='.1875'/>"
    "<geom type='box' size='.025 .075 .025' pos='0 -.0625 0' mass='.1125'/></body>"
    "<body pos='0 -.25 0'><joint name='x' type='slide' axis='1 0 0' damping='5'/>"
    "<joint name='y' type='slide' axis='0 1 0' damping='5'/><geom size='.015' mass='.2'/></body>"
    "</worldbody><actuator><position joint='x' kp='100'/><position joint='y' kp='100'/></actuator>"
    "</mujoco>";

static int measure_push(benchReport* report) {
    pushBench b = {.q = {0.0, 0.0, 0.0, 0.0, 0.098}, .v = {0.0, 0.01, 0.0, 0.0, 0.05}};
    char path[4200];
    cli_scene_path("push_t_scm.xml", path, sizeof path);
    tacResult result = tac_load(path, NULL, &b.model, NULL);
    if (result == TAC_OK) result = tac_scratch_create(b.model, &b.scratch);
    if (result != TAC_OK) return 1;
    b.ctrl[1] = 0.11;
    b.mujoco = mujoco_world_open(mujoco_text);
    const benchWork works[3] = {{run_step, &b}, {run_jacobian, &b}, {run_mujoco, &b}};
    double ns[3];
    bench_cpu_times(works, b.mujoco ? 3 : 2, ns);
    bench_row(report, "scm/T of 4114 points/step, RK4", 1e-6 * ns[0], "ms", ' ', 0.0);
    bench_row(report, "scm/T of 4114 points/A and B over a step", ns[1] / ns[0], "x", '<', 4.0);
    if (b.mujoco)
        bench_row(report, "scm/T of two boxes/MuJoCo's step, RK4", 1e-6 * ns[2], "ms", ' ', 0.0);
    mujoco_world_close(b.mujoco);
    tac_scratch_destroy(b.scratch);
    tac_model_destroy(b.model);
    return 0;
}

//---------------------------------- boxes apart ----------------------------------

typedef struct separatedBench {
    tacModel* model;
    tacScratch* scratch;
    double q[70], v[60], next_q[70], next_v[60];
} separatedBench;

// ten boxes of 0.1 m, 600 points each, separated by `gap`, in rows of four; without `pairs` no
// contact pairs
static int open_separated(separatedBench* b, double gap, int pairs) {
    char text[4000];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "<mujoco><option gravity='0 0 0'/><tactus respond='scm'/>"
                                   "<default><geom type='box' size='.05 .05 .05' mass='1'%s/>"
                                   "</default><worldbody>",
                                   pairs ? "" : " contype='0' conaffinity='0'");
    for (int i = 0; i < 10; ++i)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "<body pos='%g %g 0'><freejoint/><geom/></body>",
                                 (0.1 + gap) * (i % 4), (0.1 + gap) * (i / 4));
    snprintf(text + used, sizeof text - used, "</worldbody></mujoco>");
    *b = (separatedBench){0};
    if (tac_load_text(text, (int)strlen(text), "apart", NULL, &b->model, NULL) != TAC_OK) return 1;
    memcpy(b->q, b->model->qpos0, sizeof b->q);
    return tac_scratch_create(b->model, &b->scratch) != TAC_OK;
}

static void run_separated(void* context) {
    separatedBench* b = context;
    tacState x = {.qpos = b->q, .qvel = b->v}, next = {.qpos = b->next_q, .qvel = b->next_v};
    tac_step(b->model, &x, NULL, &next, b->scratch);
}

// pairs whose force vanishes are skipped
static int measure_separated(benchReport* report) {
    separatedBench b[3];
    int failed = open_separated(&b[0], 0.3, 0) | open_separated(&b[1], 0.3, 1) |
                 open_separated(&b[2], 1.0, 1);
    const benchWork works[3] = {
        {run_separated, &b[0]}, {run_separated, &b[1]}, {run_separated, &b[2]}};
    double ns[3];
    if (!failed) {
        bench_cpu_times(works, 3, ns);
        bench_row(report, "scm/10 boxes/step without pairs", 1e-3 * ns[0], "us", ' ', 0.0);
        bench_row(report, "scm/10 boxes/3 sizes apart over that", ns[1] / ns[0], "x", '<', 4.0);
        bench_row(report, "scm/10 boxes/10 sizes apart over that", ns[2] / ns[0], "x", '<', 3.0);
    }
    for (int i = 0; i < 3; ++i) {
        tac_scratch_destroy(b[i].scratch);
        tac_model_destroy(b[i].model);
    }
    return failed;
}

int bench_scm(benchReport* report) {
    int failed = measure_kernels(report);
    if (!failed) failed = measure_growth(report);
    if (!failed) failed = measure_push(report);
    if (!failed) failed = measure_separated(report);
    return failed;
}
