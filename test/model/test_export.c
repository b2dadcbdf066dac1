// tactus check --mjcf: MuJoCo 2.2.2 reads what is written, and has our masses and accelerations.

#include "test.h"

#ifndef TAC_HAVE_MUJOCO

static int exports_are_read_by_mujoco(void) { SKIP("MuJoCo's library is not installed"); }

TEST_MAIN(RUN(exports_are_read_by_mujoco))

#else

#include "math/dense.h"
#include "tactus/tactus.h"

#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/tactus_export_XXXXXX";

// the command beside the folder of this test
static void find_tactus(char* path, size_t size) {
    char self[1000];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length < 0 ? 0 : length] = '\0';
    *strrchr(self, '/') = '\0';
    snprintf(path, size, "%s/../tactus", self);
}

// the scene written to out.xml and read by MuJoCo
static mjModel* export_scene(const char* scene) {
    char tactus[1100], command[3000], out[100], error[500];
    find_tactus(tactus, sizeof tactus);
    snprintf(out, sizeof out, "%s/out.xml", folder);
    snprintf(command, sizeof command, "'%s' check '%s' --mjcf %s --vertices 200 >/dev/null", tactus,
             scene, out);
    if (system(command) != 0) return NULL;
    mjModel* m = mj_loadXML(out, NULL, error, sizeof error);
    if (!m) printf("  %s: %s\n", scene, error);
    return m;
}

static double largest(double a, double b) { return a > b ? a : b; }

// relative difference of masses, centres and principal moments
static double mass_error(const tacModel* model, const mjModel* m) {
    double worst = 0.0;
    for (int b = 1; b < model->nbody; ++b) {
        double p[3], axes[3][3], size = 1e-12;
        const tacBody* body = &model->body[b];
        tac_eigen3(model->param + body->inertia, p, axes);
        for (int k = 0; k < 3; ++k) size = largest(size, p[k]);
        double mass = model->param[body->mass];
        if (mass == 0.0) continue;
        worst = largest(worst, fabs(m->body_mass[b] / mass - 1.0));
        double sum =
            m->body_inertia[3 * b] + m->body_inertia[3 * b + 1] + m->body_inertia[3 * b + 2];
        worst = largest(worst, fabs(sum - p[0] - p[1] - p[2]) / size);
        for (int k = 0; k < 3; ++k)
            worst = largest(worst, fabs(m->body_ipos[3 * b + k] - model->param[body->com + k]));
    }
    return worst;
}

// relative difference of accelerations at a state off the drawn one
static double qacc_error(const tacModel* model, mjModel* m) {
    mjData* d = mj_makeData(m);
    tacScratch* scratch;
    size_t nv = (size_t)model->nv;
    double *tau = malloc(sizeof(double) * (nv + 1)), *qacc = malloc(sizeof(double) * (nv + 1));
    testRandom random = {7};
    double worst = INFINITY, size = 1e-9;
    m->opt.disableflags |= mjDSBL_CONSTRAINT;
    for (int i = 0; i < m->nv; ++i) d->qvel[i] = test_uniform(&random, -1.0, 1.0);
    mj_integratePos(m, d->qpos, d->qvel, 0.3);
    for (int i = 0; i < m->nu; ++i) d->ctrl[i] = test_uniform(&random, -0.2, 0.2);
    mj_forward(m, d);
    tacState x = {.qpos = d->qpos, .qvel = d->qvel, .act = d->act};
    tacDynamicsInput in = {.qpos = d->qpos, .qvel = d->qvel};
    if (tac_scratch_create(model, &scratch) == TAC_OK &&
        tac_joint_forces(model, &x, d->ctrl, tau, scratch) == TAC_OK &&
        tac_forward_dynamics(model, in, tau, qacc, scratch) == TAC_OK) {
        worst = 0.0;
        for (int i = 0; i < m->nv; ++i) size = largest(size, fabs(d->qacc[i]));
        for (int i = 0; i < m->nv; ++i) worst = largest(worst, fabs(d->qacc[i] - qacc[i]) / size);
    }
    tac_scratch_destroy(scratch);
    free(tau), free(qacc);
    mj_deleteData(d);
    return worst;
}

static int is_the_same(const char* scene) {
    tacModel* model;
    tacMessage message;
    ENSURE(tac_load(scene, NULL, &model, &message) == TAC_OK);
    mjModel* m = export_scene(scene);
    ENSURE(m);
    ENSURE(m->nbody == model->nbody && m->nq == model->nq && m->nv == model->nv);
    ENSURE(m->nu == model->nu && m->ngeom == model->ngeom && m->nsite == model->nsite);
    double mass = mass_error(model, m), qacc = qacc_error(model, m);
    printf("    %-40s masses %.1e  qacc %.1e\n", strrchr(scene, '/') + 1, mass, qacc);
    ENSURE(mass <= 1e-8 && qacc <= 1e-9);
    mj_deleteModel(m);
    tac_model_destroy(model);
    return 0;
}

static const char shapes[] =
    "<mujoco model='a &amp; b'><asset><shape name='nut'><difference><cylinder size='.1 .05'/>"
    "<cylinder size='.05 .1'/></difference></shape>"
    "<mesh name='tet' vertex='0 0 0 1 0 0 0 1 0 0 0 1' scale='.2 .2 .2'/></asset><worldbody>"
    "<geom name='floor' type='plane'/><body name='x&lt;y' pos='0 0 1'><freejoint/>"
    "<geom name='n' type='shape' shape='nut' density='700'/><site name='s' pos='0 0 .1'/></body>"
    "<body pos='1 0 0'><joint name='j' axis='0 1 1' damping='.1' range='-90 90' ref='10'/>"
    "<geom type='mesh' mesh='tet'/><body pos='.3 0 0'><joint type='ball' stiffness='1'/>"
    "<geom type='capsule' size='.02 .1'/></body></body></worldbody>"
    "<tendon><fixed name='t' stiffness='3'><joint joint='j' coef='2'/></fixed></tendon>"
    "<actuator><position joint='j' kp='3' kv='.1' ctrlrange='-1 1'/><motor tendon='t'/></actuator>"
    "<equality><weld body1='x&lt;y'/><joint joint1='j' polycoef='.1 0 0 0 0'/></equality>"
    "<contact><pair geom1='n' geom2='floor'/></contact>"
    "<keyframe><key name='k' qvel='1 2 3 4 5 6 7 8 9 10'/></keyframe></mujoco>";

static int exports_are_read_by_mujoco(void) {
    static const char* const names[] = {"arm", "humanoid", "quadruped", "cart_pole", "top"};
    char path[1000];
    if (!mkdtemp(folder)) return 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        snprintf(path, sizeof path, TAC_SOURCE_DIR "/scenes/%s.xml", names[i]);
        ENSURE(is_the_same(path) == 0);
    }
    snprintf(path, sizeof path, "%s/shapes.xml", folder);
    FILE* file = fopen(path, "w");
    ENSURE(file);
    fputs(shapes, file);
    fclose(file);
    ENSURE(is_the_same(path) == 0);
    char command[400];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

TEST_MAIN(RUN(exports_are_read_by_mujoco))

#endif
