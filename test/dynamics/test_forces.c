// Actuators, activations, tendons and forces on bodies are MuJoCo's: accelerations and steps from
// random states.

#include "test.h"

#ifndef TAC_HAVE_MUJOCO

static int forces_agree_with_mujoco(void) { SKIP("libmujoco is not installed (libmujoco-dev)"); }

TEST_MAIN(RUN(forces_agree_with_mujoco))

#else

#include "tactus/tactus.h"

#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <unistd.h>

//---------------------------------- scenes ---------------------------------------

// a free body that carries a ball, two hinges and a slide
#define BODIES                                                                                     \
    "<worldbody><body pos='.1 .2 .3'><freejoint name='free'/><geom type='box' size='.1 .2 .3'/>"   \
    "<body pos='.3 0 .1'><joint name='ball' type='ball' pos='.1 .2 .3' damping='.3'/>"             \
    "<geom type='ellipsoid' size='.1 .15 .2' pos='.1 0 0'/>"                                       \
    "<body pos='0 0 .2'><joint name='a' axis='1 0 0' damping='.1' springref='20'/>"                \
    "<geom type='box' size='.1 .2 .1' pos='0 .1 0'/>"                                              \
    "<body pos='.1 0 0'><joint name='b' type='slide' axis='0 1 0' armature='.1'/>"                 \
    "<geom type='capsule' size='.05 .2'/></body></body>"                                           \
    "<body pos='0 .3 .2'><joint name='c' axis='0 1 1'/><geom size='.1' pos='0 .1 0'/></body>"      \
    "</body></body></worldbody>"

static const struct {
    const char *name, *text;
} scenes[] = {
    {"drives",
     "<mujoco><option><flag constraint='disable'/></option>" BODIES
     "<actuator><motor joint='a' gear='3' ctrllimited='true' ctrlrange='-1 1'/>"
     "<position joint='b' kp='4'/><velocity joint='c' kv='2'/>"
     "<damper joint='a' kv='.7' ctrlrange='0 2'/>"
     "<general joint='ball' gear='1 2 3' gaintype='affine' gainprm='1 .5 -.2' biastype='affine' "
     "biasprm='.1 -.3 -.2'/>"
     "<general joint='free' gear='1 2 3 4 5 6' biastype='affine' biasprm='.1 0 -.2'/>"
     "<intvelocity joint='c' kp='3' actrange='-1 1'/>"
     "<general jointinparent='ball' gear='-1 .5 2' dyntype='filter' dynprm='.02' "
     "biastype='affine' biasprm='.1 -.3 -.2' actlimited='true' actrange='-.5 .5'/>"
     "<general jointinparent='free' gear='3 1 2 -4 1 6' dyntype='integrator' biastype='affine' "
     "biasprm='.1 0 -.2' forcelimited='true' forcerange='-.3 .4'/></actuator></mujoco>"},
    {"tendons",
     "<mujoco><option><flag constraint='disable'/></option>" BODIES
     "<tendon><fixed name='t' stiffness='3' damping='.2' springlength='.2'>"
     "<joint joint='a' coef='2'/><joint joint='c' coef='-.5'/></fixed>"
     "<fixed name='s' stiffness='2' damping='.1'><joint joint='b' coef='1.5'/>"
     "<joint joint='a' coef='.4'/></fixed></tendon>"
     "<actuator><cylinder tendon='t' timeconst='.05' area='1.3' bias='.1 -.2 -.3'/>"
     "<general tendon='s' dyntype='filter' dynprm='.04' gaintype='affine' gainprm='2 .3 -.1' "
     "biastype='affine' biasprm='.2 -.5 -.4' gear='1.2'/></actuator></mujoco>"},
    {"fluid", "<mujoco><option density='20' viscosity='.7' wind='.3 -.2 .5'>"
              "<flag constraint='disable'/></option>" BODIES "</mujoco>"},
    {"no clamps",
     "<mujoco><option><flag constraint='disable' clampctrl='disable'/></option>" BODIES
     "<actuator><motor joint='a' ctrllimited='true' ctrlrange='-.1 .1'/></actuator></mujoco>"},
};

//---------------------------------- twins ----------------------------------------

typedef struct pair {
    tacModel* model;
    tacScratch* scratch;
    mjModel* m;
    mjData* d;
    tacState x;
    double *u, *mine, *theirs;
} pair;

static mjModel* load_theirs(const char* text) {
    char path[] = "/tmp/tactus_forces_XXXXXX.xml", error[500] = "";
    int file = mkstemps(path, 4);
    ssize_t length = (ssize_t)strlen(text);
    if (file < 0 || write(file, text, (size_t)length) != length) return NULL;
    close(file);
    mjModel* m = mj_loadXML(path, NULL, error, (int)sizeof error);
    if (!m) printf("  MuJoCo: %s\n", error);
    unlink(path);
    return m;
}

static int open_pair(pair* p, const char* text) {
    tacMessage message;
    *p = (pair){0};
    if (tac_load_text(text, (int)strlen(text), "text", NULL, &p->model, &message) != TAC_OK)
        printf("  %s\n", message.text);
    ENSURE(p->model);
    ENSURE(tac_scratch_create(p->model, &p->scratch) == TAC_OK);
    p->m = load_theirs(text);
    ENSURE(p->m && p->m->nq == p->model->nq && p->m->nv == p->model->nv);
    ENSURE(p->m->na == p->model->na && p->m->nu == p->model->nu);
    p->d = mj_makeData(p->m);
    size_t n = (size_t)(p->m->nq + p->m->nv + p->m->na + p->m->nu);
    p->x.qpos = calloc(n, sizeof(double));
    p->x.qvel = p->x.qpos + p->m->nq;
    p->x.act = p->x.qvel + p->m->nv;
    p->u = p->x.act + p->m->na;
    p->mine = calloc(2 * n, sizeof(double));
    p->theirs = calloc(n, sizeof(double));
    return 0;
}

static void close_pair(pair* p) {
    free(p->x.qpos);
    free(p->mine);
    free(p->theirs);
    mj_deleteData(p->d);
    mj_deleteModel(p->m);
    tac_scratch_destroy(p->scratch);
    tac_model_destroy(p->model);
}

static void draw_state(pair* p, testRandom* random) {
    int n = p->m->nq + p->m->nv + p->m->na + p->m->nu;
    for (int i = 0; i < n; ++i) p->x.qpos[i] = test_uniform(random, -1.5, 1.5);
    mj_normalizeQuat(p->m, p->x.qpos);
    mju_copy(p->d->qpos, p->x.qpos, p->m->nq);
    mju_copy(p->d->qvel, p->x.qvel, p->m->nv);
    mju_copy(p->d->act, p->x.act, p->m->na);
    mju_copy(p->d->ctrl, p->u, p->m->nu);
}

// |a - b|/|b|
static double max_difference(int n, const double* a, const double* b) {
    double difference = 0.0, norm = 1e-300;
    for (int i = 0; i < n; ++i) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        norm += b[i] * b[i];
    }
    return sqrt(difference / norm);
}

//---------------------------------- laws -----------------------------------------

static double acceleration_difference(pair* p) {
    tacDynamicsInput at = {.qpos = p->x.qpos, .qvel = p->x.qvel};
    mj_forward(p->m, p->d);
    tac_joint_forces(p->model, &p->x, p->u, p->theirs, p->scratch);
    tac_forward_dynamics(p->model, at, p->theirs, p->mine, p->scratch);
    return max_difference(p->m->nv, p->mine, p->d->qacc);
}

static double step_difference(pair* p, tacIntegrator integrator) {
    int nq = p->m->nq, nv = p->m->nv, na = p->m->na;
    tacState next = {.qpos = p->mine, .qvel = p->mine + nq, .act = p->mine + nq + nv};
    p->model->integrator = integrator;
    p->m->opt.integrator = integrator == TAC_INTEGRATOR_RK4 ? mjINT_RK4 : mjINT_EULER;
    tac_step(p->model, &p->x, p->u, &next, p->scratch);
    mj_step(p->m, p->d);
    mj_normalizeQuat(p->m, p->d->qpos);
    double worst =
        fmax(max_difference(nq, next.qpos, p->d->qpos), max_difference(nv, next.qvel, p->d->qvel));
    return na > 0 ? fmax(worst, max_difference(na, next.act, p->d->act)) : worst;
}

static int forces_agree_with_mujoco(void) {
    testRandom random = {31};
    for (int i = 0; i < (int)(sizeof scenes / sizeof *scenes); ++i) {
        pair p;
        double qacc = 0.0, euler = 0.0, rk4 = 0.0;
        ENSURE_LAW(open_pair(&p, scenes[i].text));
        for (int k = 0; k < 100; ++k) {
            draw_state(&p, &random);
            qacc = fmax(qacc, acceleration_difference(&p));
            euler = fmax(euler, step_difference(&p, TAC_INTEGRATOR_EULER));
            draw_state(&p, &random);
            rk4 = fmax(rk4, step_difference(&p, TAC_INTEGRATOR_RK4));
        }
        printf("    %-12s qacc %.1e, one step: Euler %.1e, RK4 %.1e\n", scenes[i].name, qacc, euler,
               rk4);
        ENSURE(qacc <= 1e-9 && euler <= 1e-11 && rk4 <= 1e-11);
        close_pair(&p);
    }
    return 0;
}

TEST_MAIN(RUN(forces_agree_with_mujoco))

#endif
