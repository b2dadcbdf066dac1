// Positions moved along velocities and back: derivatives, and MuJoCo's numbers.

#include "check/prove.h"
#include "step/step_problem.h"

#ifdef TAC_HAVE_MUJOCO
#include <mujoco/mujoco.h>
#endif

// every kind of joint
#define SCENE                                                                                      \
    "<mujoco><worldbody><body><freejoint/><geom size='.1'/><body pos='.2 0 0'><joint "             \
    "type='ball'/>"                                                                                \
    "<geom size='.1'/><body pos='.2 0 0'><joint axis='0 1 0'/><joint type='slide' axis='1 0 0'/>"  \
    "<geom size='.1'/></body></body></body></worldbody></mujoco>"

static int no_param(const tacModel* model, int offset) {
    (void)model;
    (void)offset;
    return 0;
}

static void draw_positions(const tacModel* model, unsigned long long* random, double* qpos) {
    for (int i = 0; i < model->nq; ++i) qpos[i] = tac_check_normal(random);
}

//---------------------------------- derivatives ----------------------------------

// dq is 0; velocities turn by up to a radian
static int sample_integrate(const void* context, int i, unsigned long long* random, double* x,
                            double* scale) {
    const stepContext* c = context;
    int nv = c->model->nv;
    draw_positions(c->model, random, c->qpos);
    for (int k = 0; k < nv; ++k) {
        x[k] = 0.0;
        x[nv + k] = i == 0 ? 0.0 : tac_check_normal(random);
        scale[k] = scale[nv + k] = 1.0;
    }
    tac_integrate_pos(c->model, c->qpos, x + nv, 0.9 * CHECK_POS_STEP, c->qnext);
    return nv;
}

// both displacements are 0
static int sample_differentiate(const void* context, int i, unsigned long long* random, double* x,
                                double* scale) {
    const stepContext* c = context;
    int nv = c->model->nv;
    double v[16];
    draw_positions(c->model, random, c->qpos);
    for (int k = 0; k < nv; ++k) v[k] = i == 0 ? 0.0 : tac_check_normal(random);
    tac_integrate_pos(c->model, c->qpos, v, CHECK_POS_STEP, c->qnext);
    for (int k = 0; k < 2 * nv; ++k) {
        x[k] = 0.0;
        scale[k] = 0.3;
    }
    return nv;
}

static int derivatives_are_right(void) {
    stepContext c;
    ENSURE_LAW(open_context(&c, SCENE, NULL, no_param));
    int nv = c.model->nv;
    tacCheckProblem integrate = {.name = "integrate_pos",
                                 .n = 2 * nv,
                                 .m = nv,
                                 .curved = {0, nv},
                                 .context = &c,
                                 .as_double = &tac_check_integrate_pos_double,
                                 .as_complex = &tac_check_integrate_pos_complex,
                                 .as_quad = &tac_check_integrate_pos_quad,
                                 .sample = sample_integrate};
    tacCheckProblem differentiate = {.name = "differentiate_pos",
                                     .n = 2 * nv,
                                     .m = nv,
                                     .curved = {0, 2 * nv},
                                     .context = &c,
                                     .as_double = &tac_check_differentiate_pos_double,
                                     .as_complex = &tac_check_differentiate_pos_complex,
                                     .as_quad = &tac_check_differentiate_pos_quad,
                                     .sample = sample_differentiate};
    tacCheckOptions options = tac_check_default_options();
    options.points = 12;
    options.quad_every = options.taylor_every = 3;
    options.first = 1e-12;
    options.second = 1e-11;
    int failed = prove(&integrate, options) | prove(&differentiate, options);
    close_context(&c);
    return failed | prove_summary();
}

//---------------------------------- values ---------------------------------------

static int differentiate_undoes_integrate(void) {
    stepContext c;
    unsigned long long random = 3;
    ENSURE_LAW(open_context(&c, SCENE, NULL, no_param));
    const tacModel* model = c.model;
    double v[16], back[16], next[16];
    for (int trial = 0; trial < 100; ++trial) {
        draw_positions(model, &random, c.qpos);
        for (int k = 0; k < model->nv; ++k) v[k] = tac_check_normal(&random);
        ENSURE(tac_integrate_pos(model, c.qpos, v, 0.5, next) == TAC_OK);
        ENSURE(tac_differentiate_pos(model, c.qpos, next, 0.5, back) == TAC_OK);
        for (int k = 0; k < model->nv; ++k) ENSURE_NEAR(back[k], v[k], 1e-13 * (1.0 + fabs(v[k])));
        // in place
        ENSURE(tac_integrate_pos(model, c.qpos, v, 0.5, c.qpos) == TAC_OK);
        ENSURE(memcmp(c.qpos, next, sizeof *next * (size_t)model->nq) == 0);
    }
    close_context(&c);
    return 0;
}

static int wrong_numbers_are_refused(void) {
    stepContext c;
    ENSURE_LAW(open_context(&c, SCENE, NULL, no_param));
    const tacModel* model = c.model;
    double v[16] = {0}, out[16] = {7.0};
    memcpy(c.qpos, model->qpos0, sizeof *c.qpos * (size_t)model->nq);
    ENSURE(tac_differentiate_pos(model, c.qpos, c.qpos, 0.0, out) == TAC_ERROR_VALUE);
    ENSURE(tac_integrate_pos(model, c.qpos, v, NAN, out) == TAC_ERROR_VALUE);
    v[3] = 1e200; // a rotation whose angle has no square
    ENSURE(tac_integrate_pos(model, c.qpos, v, 1.0, out) == TAC_ERROR_DIVERGED);
    ENSURE(out[0] == 7.0);
    close_context(&c);
    return 0;
}

static int values_are_mujocos(void) {
#ifdef TAC_HAVE_MUJOCO
    stepContext c;
    char error[300] = "", path[] = "/tmp/tactus_configuration_XXXXXX";
    unsigned long long random = 5;
    int handle = mkstemp(path);
    FILE* file = handle >= 0 ? fdopen(handle, "w") : NULL;
    if (!file) SKIP("no temporary file");
    fputs(SCENE, file);
    fclose(file);
    mjModel* m = mj_loadXML(path, NULL, error, sizeof error);
    remove(path);
    ENSURE(m != NULL);
    ENSURE_LAW(open_context(&c, SCENE, NULL, no_param));
    const tacModel* model = c.model;
    ENSURE(model->nq == m->nq && model->nv == m->nv);
    double v[16], own[16], theirs[16], other[16];
    for (int trial = 0; trial < 100; ++trial) {
        draw_positions(model, &random, c.qpos);
        draw_positions(model, &random, other);
        mj_normalizeQuat(m, c.qpos);
        mj_normalizeQuat(m, other);
        for (int k = 0; k < model->nv; ++k) v[k] = tac_check_normal(&random);
        memcpy(theirs, c.qpos, sizeof *theirs * (size_t)model->nq);
        mj_integratePos(m, theirs, v, 0.4);
        ENSURE(tac_integrate_pos(model, c.qpos, v, 0.4, own) == TAC_OK);
        for (int k = 0; k < model->nq; ++k) ENSURE_NEAR(own[k], theirs[k], 1e-14);
        mj_differentiatePos(m, theirs, 0.4, c.qpos, other);
        ENSURE(tac_differentiate_pos(model, c.qpos, other, 0.4, own) == TAC_OK);
        for (int k = 0; k < model->nv; ++k) ENSURE_NEAR(own[k], theirs[k], 1e-12);
    }
    mj_deleteModel(m);
    close_context(&c);
    return 0;
#else
    SKIP("MuJoCo is not installed");
#endif
}

TEST_MAIN(RUN(derivatives_are_right), RUN(differentiate_undoes_integrate),
          RUN(wrong_numbers_are_refused), RUN(values_are_mujocos))
