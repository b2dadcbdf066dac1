// Dynamics of the humanoid and of the arm: inverse, forward, step, Jacobians, batches; MuJoCo on
// the same states where it is installed.

#include "bench/baselines/mujoco_baseline.h"
#include "bench/bench.h"
#include "cli/scene/scene_folder.h"

#include "base/dispatch.h"
#include "tactus/tactus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 64, REPEAT = 20 };

typedef struct dynamicsBench {
    tacModel* model;
    tacScratch* scratch[BATCH];
    tacStepItem item[BATCH];
    tacState x[BATCH], next[BATCH];
    double *memory, *tau, *A, *B;
    const double* u;
} dynamicsBench;

//---------------------------------- works ----------------------------------------

static void run_inverse(void* context) {
    dynamicsBench* b = context;
    tacDynamicsInput x = {.qpos = b->x[0].qpos, .qvel = b->x[0].qvel};
    for (int i = 0; i < REPEAT; ++i) tac_inverse_dynamics(b->model, x, b->tau, b->scratch[0]);
}

static void run_forward(void* context) {
    dynamicsBench* b = context;
    tacDynamicsInput x = {.qpos = b->x[0].qpos, .qvel = b->x[0].qvel};
    for (int i = 0; i < REPEAT; ++i) {
        tac_joint_forces(b->model, &b->x[0], b->u, b->tau, b->scratch[0]);
        tac_forward_dynamics(b->model, x, b->tau, b->tau, b->scratch[0]);
    }
}

static void run_step(void* context) {
    dynamicsBench* b = context;
    for (int i = 0; i < REPEAT; ++i) tac_step(b->model, &b->x[0], b->u, &b->next[0], b->scratch[0]);
}

static void run_batch(void* context) {
    dynamicsBench* b = context;
    tac_step_batch(b->item, BATCH, 1);
}

static void run_jacobian(void* context) {
    dynamicsBench* b = context;
    for (int i = 0; i < REPEAT; ++i)
        tac_step_jacobian(b->model, &b->x[0], b->u,
                          &(tacStepJacobian){.next = &b->next[0], .A = b->A, .B = b->B},
                          b->scratch[0]);
}

static void run_vjp(void* context) {
    dynamicsBench* b = context;
    tacTangent bar = {.dq = b->A, .dv = b->A}, out = {.dq = b->B, .dv = b->B};
    for (int i = 0; i < REPEAT; ++i)
        tac_step_vjp(b->model, &b->x[0], b->u, bar, (tacStepTangent){.x = out}, b->scratch[0]);
}

//---------------------------------- scene ----------------------------------------

static void close_bench(dynamicsBench* b) {
    for (int i = 0; i < BATCH; ++i) tac_scratch_destroy(b->scratch[i]);
    free(b->memory);
    free(b->tau);
    free(b->A);
    free(b->B);
    tac_model_destroy(b->model);
}

static int open_bench(dynamicsBench* b, const char* path) {
    tacMessage message;
    *b = (dynamicsBench){0};
    if (tac_load(path, NULL, &b->model, &message) != TAC_OK) {
        fprintf(stderr, "%s: %s; set TACTUS_SCENES to the folder of the scenes\n", path,
                message.text);
        return 1;
    }
    size_t nq = (size_t)b->model->nq, nv = (size_t)b->model->nv, nu = (size_t)b->model->nu;
    size_t each = 2 * (nq + nv) + nu;
    b->memory = calloc(BATCH * each, sizeof(double));
    b->tau = calloc(nv, sizeof(double));
    b->A = calloc(4 * nv * nv, sizeof(double));
    b->B = calloc(2 * nv * (nu + 1), sizeof(double));
    unsigned random = 1;
    for (int i = 0; i < BATCH; ++i) {
        double* at = b->memory + (size_t)i * each;
        b->x[i] = (tacState){.qpos = at, .qvel = at + nq};
        b->next[i] = (tacState){.qpos = at + nq + nv, .qvel = at + 2 * nq + nv};
        double* u = at + 2 * (nq + nv);
        memcpy(at, b->model->qpos0, nq * sizeof(double));
        for (size_t k = 0; k < nq + nv; ++k)
            at[k] +=
                0.3 * ((double)((random = random * 1103515245u + 12345u) >> 16) / 65536.0 - 0.5);
        if (tac_scratch_create(b->model, &b->scratch[i]) != TAC_OK) return 1;
        b->item[i] = (tacStepItem){b->model, &b->x[i], u, &b->next[i], b->scratch[i], TAC_OK};
    }
    b->u = b->item[0].u;
    return 0;
}

//---------------------------------- rows -----------------------------------------

enum { INVERSE, FORWARD, STEP, JACOBIAN, VJP, BATCHED, OURS, MUJOCO = OURS, WORKS = OURS + 4 };

static void own_rows(benchReport* report, const char* name, const double* t) {
    static const char* const words[] = {"inverse dynamics", "forward dynamics", "step",
                                        "step with A and B", "step vjp"};
    char id[100];
    for (int i = 0; i < BATCHED; ++i) {
        snprintf(id, sizeof id, "%s: %s", name, words[i]);
        bench_row(report, id, t[i] / REPEAT / 1e3, "us", ' ', 0.0);
    }
    snprintf(id, sizeof id, "%s: step in a batch, one thread", name);
    bench_row(report, id, t[BATCHED] / BATCH / 1e3, "us", ' ', 0.0);
    snprintf(id, sizeof id, "%s: step, single : batch", name);
    double gain = t[STEP] / REPEAT * BATCH / t[BATCHED];
    double bound = tac_isa() == TAC_ISA_AVX512 ? 5.0 : 2.8;
    bench_row(report, id, gain, "x", tac_isa() == TAC_ISA_BASELINE ? ' ' : '>', bound);
}

static void mujoco_rows(benchReport* report, const char* name, const double* t, double jacobian) {
    static const char* const words[] = {"inverse dynamics", "forward dynamics", "step",
                                        "A and B : mjd_transitionFD"};
    const double bounds[] = {0.5, 0.7, 1.0, jacobian};
    char id[100];
    int slow = tac_isa() == TAC_ISA_BASELINE; // bounds are for current machines
    for (int i = 0; i < 4; ++i) {
        snprintf(id, sizeof id, "%s: %s%s", name, words[i], i < 3 ? " : MuJoCo" : "");
        bench_row(report, id, t[i] / REPEAT / t[MUJOCO + i], "x", slow ? ' ' : '<', bounds[i]);
    }
}

static int bench_scene(benchReport* report, const char* name, double jacobian) {
    char file[100], path[4200];
    double t[WORKS];
    dynamicsBench* b = malloc(sizeof *b);
    snprintf(file, sizeof file, "%s.xml", name);
    cli_scene_path(file, path, sizeof path);
    if (!b || open_bench(b, path) != 0) {
        free(b);
        return 1;
    }
    mujocoBaseline* mujoco = mujoco_baseline_open(path);
    if (mujoco) mujoco_baseline_set_state(mujoco, b->x[0].qpos, b->x[0].qvel, b->u);
    const benchWork works[WORKS] = {{run_inverse, b},
                                    {run_forward, b},
                                    {run_step, b},
                                    {run_jacobian, b},
                                    {run_vjp, b},
                                    {run_batch, b},
                                    {mujoco_baseline_inverse, mujoco},
                                    {mujoco_baseline_forward, mujoco},
                                    {mujoco_baseline_step, mujoco},
                                    {mujoco_baseline_jacobian, mujoco}};
    bench_times(works, mujoco ? WORKS : OURS, t);
    own_rows(report, name, t);
    if (mujoco) mujoco_rows(report, name, t, jacobian);
    mujoco_baseline_close(mujoco);
    close_bench(b);
    free(b);
    return 0;
}

int bench_dynamics(benchReport* report) {
    int failed = bench_scene(report, "humanoid", 0.1);
    if (!failed) failed = bench_scene(report, "arm", 1.0 / 3.0);
    return failed ? failed : bench_scene(report, "panda", 1.0 / 3.0);
}
