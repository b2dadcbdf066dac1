// Poses, mass matrix, bias and accelerations are MuJoCo's, constraints left out, at 100 random
// states of every scene that both of us read.

#include "test.h"

#ifndef TAC_HAVE_MUJOCO

static int numbers_are_mujocos(void) { SKIP("libmujoco is not installed (libmujoco-dev)"); }

TEST_MAIN(RUN(numbers_are_mujocos))

#else

#include "dynamics/mujoco_twin.h"

#include <glob.h>

typedef struct twinErrors {
    double pose, mass, bias, qacc;
} twinErrors;

static double pose_error(mujocoTwin* t, tacPose* pose) {
    double worst = 0.0;
    tac_kinematics(t->model, t->d->qpos, t->d->qvel, pose, NULL, t->scratch);
    double scale = 1.0;
    for (int i = 0; i < 3 * t->model->nbody; ++i) scale = fmax(scale, fabs(t->d->xpos[i]));
    for (int b = 0; b < t->model->nbody; ++b) {
        double p[3], q[4], R[9];
        tac_store3(p, pose[b].position), tac_quat_store(q, pose[b].rotation);
        for (int k = 0; k < 3; ++k) worst = fmax(worst, fabs(p[k] - t->d->xpos[3 * b + k]) / scale);
        mju_quat2Mat(R, q);
        for (int k = 0; k < 9; ++k) worst = fmax(worst, fabs(R[k] - t->d->xmat[9 * b + k]));
    }
    return worst;
}

static void compare(mujocoTwin* t, twinErrors* e, double* mine, double* theirs, tacPose* pose) {
    const tacModel* model = t->model;
    int nv = model->nv;
    mj_forward(t->m, t->d);
    e->pose = fmax(e->pose, pose_error(t, pose));

    tac_mass_matrix(model, t->d->qpos, mine, t->scratch);
    mj_fullM(t->m, theirs, t->d->qM);
    e->mass = fmax(e->mass, twin_error(nv * nv, mine, theirs));

    tacDynamicsInput x = {.qpos = t->d->qpos, .qvel = t->d->qvel};
    tac_inverse_dynamics(model, x, mine, t->scratch);
    e->bias = fmax(e->bias, twin_error(nv, mine, t->d->qfrc_bias));

    tac_joint_forces(model, t->d->qpos, t->d->qvel, t->d->ctrl, theirs, t->scratch);
    tac_forward_dynamics(model, x, theirs, mine, t->scratch);
    e->qacc = fmax(e->qacc, twin_error(nv, mine, t->d->qacc));
}

// the loader's own masses and inertias, before MuJoCo's are put in
static double inertia_error(mujocoTwin* t) {
    double worst = 0.0;
    for (int b = 1; b < t->model->nbody; ++b) {
        double own[10], given[10];
        const tacBody* body = &t->model->body[b];
        own[0] = t->model->param[body->mass];
        memcpy(own + 1, t->model->param + body->com, 3 * sizeof *own);
        memcpy(own + 4, t->model->param + body->inertia, 6 * sizeof *own);
        mujocoTwin other = *t;
        twin_copy_inertia(&other);
        given[0] = t->model->param[body->mass];
        memcpy(given + 1, t->model->param + body->com, 3 * sizeof *given);
        memcpy(given + 4, t->model->param + body->inertia, 6 * sizeof *given);
        worst = fmax(worst, fabs(own[0] - given[0]) / fmax(given[0], 1e-300));
        worst = fmax(worst, twin_error(3, own + 1, given + 1));
        worst = fmax(worst, twin_error(6, own + 4, given + 4));
        t->model->param[body->mass] = own[0];
        memcpy(t->model->param + body->com, own + 1, 3 * sizeof *own);
        memcpy(t->model->param + body->inertia, own + 4, 6 * sizeof *own);
    }
    return worst;
}

static int compare_scene(const char* path, int* compared) {
    mujocoTwin t;
    const char* name = strrchr(path, '/') + 1;
    if (!twin_open(&t, path)) {
        t.reason[strcspn(t.reason, "\n")] = '\0';
        printf("    %-32s left out: %s\n", name, t.reason);
        twin_close(&t);
        return 0;
    }
    double inertia = inertia_error(&t);
    twin_copy_inertia(&t);
    size_t nv = (size_t)t.model->nv;
    double *mine = malloc(sizeof(double) * (nv * nv + 1)),
           *theirs = malloc(sizeof(double) * (nv * nv + 1));
    tacPose* pose = malloc(sizeof(tacPose) * (size_t)t.model->nbody);
    testRandom random = {2024};
    twinErrors e = {0};
    int meshes = 0;
    for (int i = 0; i < t.model->nshape; ++i)
        meshes |= strncmp(t.model->shape[i].name, "mesh:", 5) == 0;
    for (int i = 0; i < 100; ++i) {
        twin_draw(&t, &random);
        compare(&t, &e, mine, theirs, pose);
    }
    printf("    %-32s nv %3d  inertia %7.1e  pose %7.1e  M %7.1e  bias %7.1e  qacc %7.1e\n", name,
           t.model->nv, inertia, e.pose, e.mass, e.bias, e.qacc);
    free(mine), free(theirs), free(pose);
    twin_close(&t);
    *compared += 1;
    double bound = meshes ? 1e-6 : 1e-8; // MuJoCo 2.2.2 has vertices in single precision
    return inertia <= bound && e.pose <= 1e-12 && e.mass <= 1e-11 && e.bias <= 1e-10 &&
                   e.qacc <= 1e-9
               ? 0
               : 1;
}

static int compare_folder(const char* pattern, int* compared) {
    glob_t found;
    int failed = 0;
    if (glob(pattern, 0, NULL, &found) != 0) return 0;
    for (size_t i = 0; i < found.gl_pathc; ++i)
        failed |= compare_scene(found.gl_pathv[i], compared);
    globfree(&found);
    return failed;
}

//---------------------------------- steps ----------------------------------------

// one step of ours from each state of MuJoCo's own run; the largest difference
static double step_error(mujocoTwin* t, int steps, testRandom* random) {
    int nq = t->model->nq, nv = t->model->nv;
    double *own = malloc(sizeof(double) * (size_t)(nq + nv)), worst = 0.0;
    tacState next = {.qpos = own, .qvel = own + nq};
    mj_resetData(t->m, t->d);
    for (int k = 0; k < nv; ++k) t->d->qvel[k] = 0.3 * twin_normal(random);
    for (int i = 0; i < steps; ++i) {
        for (int k = 0; k < t->model->nu; ++k) t->d->ctrl[k] = test_uniform(random, -0.3, 0.3);
        tacState x = {.qpos = t->d->qpos, .qvel = t->d->qvel, .time = t->d->time};
        if (tac_step(t->model, &x, t->d->ctrl, &next, t->scratch) != TAC_OK) return INFINITY;
        mj_step(t->m, t->d);
        worst = fmax(worst, twin_error(nq, next.qpos, t->d->qpos));
        worst = fmax(worst, twin_error(nv, next.qvel, t->d->qvel));
    }
    free(own);
    return worst;
}

// both integrators, each from 1000 states
static int steps_are_mujocos(void) {
    static const char* const names[] = {"double_pendulum", "cart_pole", "top", "arm", "humanoid"};
    for (int i = 0; i < 5; ++i) {
        mujocoTwin t;
        char path[300];
        testRandom random = {2025};
        snprintf(path, sizeof path, "%s/scenes/%s.xml", TAC_SOURCE_DIR, names[i]);
        ENSURE(twin_open(&t, path));
        twin_copy_inertia(&t);
        t.m->opt.integrator = mjINT_EULER, t.model->integrator = TAC_INTEGRATOR_EULER;
        double euler = step_error(&t, 1000, &random);
        t.m->opt.integrator = mjINT_RK4, t.model->integrator = TAC_INTEGRATOR_RK4;
        double rk4 = step_error(&t, 1000, &random);
        printf("    %-16s one step: Euler %.1e, RK4 %.1e\n", names[i], euler, rk4);
        ENSURE(euler <= 1e-11 && rk4 <= 1e-11);
        twin_close(&t);
    }
    return 0;
}

//---------------------------------- laws -----------------------------------------

// seed 2024
static int numbers_are_mujocos(void) {
    int compared = 0;
    ENSURE(compare_folder(TAC_SOURCE_DIR "/scenes/*.xml", &compared) == 0);
    ENSURE(compared >= 5);
    return 0;
}

// TACTUS_DATA names a folder that has mjcf/*/*.xml
static int numbers_are_mujocos_on_others(void) {
    char pattern[1000];
    int compared = 0;
    const char* data = getenv("TACTUS_DATA");
    snprintf(pattern, sizeof pattern, "%s/mjcf/*/*.xml",
             data ? data : TAC_SOURCE_DIR "/../shared/data");
    int failed = compare_folder(pattern, &compared);
    if (compared == 0 && !failed) SKIP("no MJCF models; TACTUS_DATA names their folder");
    ENSURE(!failed);
    return 0;
}

TEST_MAIN(RUN(numbers_are_mujocos), RUN(numbers_are_mujocos_on_others), RUN(steps_are_mujocos))

#endif
