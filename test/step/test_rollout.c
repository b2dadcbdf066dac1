// Rollouts: the steps one by one, and the gradient with all states kept or with checkpoints.

#include "check/prove.h"
#include "step/step_problem.h"
#include "tactus/rollout.h"

// a free box on the floor, an arm with an activation
#define SCENE                                                                                      \
    "<mujoco><tactus detect='manifold' respond='spring'/><option timestep='.004'/><worldbody>"     \
    "<geom type='plane' size='1 1 .1' friction='.6'/>"                                             \
    "<body pos='0 0 .099'><freejoint/><geom type='box' size='.1 .08 .1' mass='1'/></body>"         \
    "<body pos='0 0 1'><joint name='j' axis='0 1 0' damping='.1'/><geom size='.1' pos='.3 0 0'/>"  \
    "</body></worldbody><actuator><general joint='j' dyntype='filter' dynprm='.1'/>"               \
    "<motor joint='j'/></actuator></mujoco>"

#define BOUNCING                                                                                   \
    "<mujoco><tactus detect='manifold' respond='spring' implicit='false'/><worldbody>"             \
    "<geom type='plane' size='1 1 1'/><body pos='0 0 .09'><joint type='slide' axis='0 0 1'/>"      \
    "<geom size='.1'/></body></worldbody></mujoco>"

static int is_used_param(const tacModel* model, int offset) {
    const char* name = model->paramname[model->paramgroup[offset]].name;
    return strncmp(name, "respond/", 8) == 0 || strstr(name, "/friction") ||
           strstr(name, "/mass") || strstr(name, "option/timestep");
}

//---------------------------------- derivatives ----------------------------------

static int sample(const void* context, int i, unsigned long long* random, double* x,
                  double* scale) {
    const stepContext* c = context;
    int nv = c->model->nv, more = c->model->na + CHECK_ROLLOUT_STEPS * c->model->nu;
    (void)i;
    memcpy(c->qpos, c->model->qpos0, sizeof *c->qpos * (size_t)c->model->nq);
    memcpy(c->qnext, c->model->qpos0, sizeof *c->qpos * (size_t)c->model->nq);
    for (int k = 0; k < nv; ++k) {
        x[k] = 0.0;
        x[nv + k] = 0.2 * tac_check_normal(random);
        scale[k] = 0.01;
        scale[nv + k] = 0.1;
    }
    for (int k = 2 * nv; k < 2 * nv + more; ++k) {
        x[k] = tac_check_normal(random);
        scale[k] = 1.0;
    }
    sample_numbers(c, 0.1, x + 2 * nv + more, scale + 2 * nv + more);
    return (CHECK_ROLLOUT_STEPS + 1) * (2 * nv + c->model->na);
}

static int gradient_is_right(void) {
    stepContext c;
    ENSURE_LAW(open_context(&c, SCENE, NULL, is_used_param));
    int nx = 2 * c.model->nv + c.model->na;
    tacCheckProblem problem = {.name = "rollout",
                               .n = nx + CHECK_ROLLOUT_STEPS * c.model->nu + c.used_count,
                               .m = (CHECK_ROLLOUT_STEPS + 1) * nx,
                               .curved = {0, c.model->nv},
                               .context = &c,
                               .as_double = &tac_check_rollout_double,
                               .as_complex = &tac_check_rollout_complex,
                               .as_quad = &tac_check_rollout_quad,
                               .sample = sample};
    tacCheckOptions options = tac_check_default_options();
    options.points = 3;
    options.quad_every = 3;
    options.taylor_every = 1;
    options.first = 1e-10;
    options.second = 1e-9;
    int failed = prove(&problem, options);
    close_context(&c);
    return failed | prove_summary();
}

//---------------------------------- values ---------------------------------------

enum { STEPS = 37, ROOM = 4000 };

// equal bits: one call, or steps one by one; checkpoints, or all states
static int rollouts_are_their_steps(void) {
    stepContext c;
    unsigned long long random = 7;
    ENSURE_LAW(open_context(&c, SCENE, NULL, is_used_param));
    const tacModel* model = c.model;
    static double states[ROOM], bar[ROOM], u[ROOM], u_bar[2][ROOM], theta_bar[2][ROOM],
        x_bar[2][64];
    int nx = 2 * model->nv + model->na, nu = model->nu;
    tacState *x = NULL, *end = NULL;
    ENSURE(tac_state_create(model, &x) == TAC_OK && tac_state_create(model, &end) == TAC_OK);
    for (int k = 0; k < STEPS * nu; ++k) u[k] = tac_check_normal(&random);
    for (int k = 0; k < (STEPS + 1) * nx; ++k) bar[k] = tac_check_normal(&random);
    tacRollout r = {.start = x, .ctrl = u, .steps = STEPS, .states = states, .end = end};
    ENSURE(tac_rollout(model, &r, c.scratch) == TAC_OK);
    tacState* at = NULL;
    ENSURE(tac_state_create(model, &at) == TAC_OK);
    for (int i = 0; i <= STEPS; ++i) {
        tacState row = tac_state_view(model, states, i);
        ENSURE(memcmp(row.qpos, at->qpos, sizeof(double) * (size_t)model->nq) == 0);
        ENSURE(memcmp(row.qvel, at->qvel, sizeof(double) * (size_t)model->nv) == 0);
        ENSURE(memcmp(row.act, at->act, sizeof(double) * (size_t)model->na) == 0);
        if (i < STEPS) ENSURE(tac_step(model, at, u + i * nu, at, c.scratch) == TAC_OK);
    }
    ENSURE(memcmp(end->qpos, at->qpos, sizeof(double) * (size_t)model->nq) == 0);
    ENSURE_NEAR(end->time, at->time, 1e-12);
    void* memory = malloc(tac_rollout_vjp_size(model, STEPS));
    for (int kept = 0; kept < 2; ++kept) {
        r.states = kept ? states : NULL;
        double* b = x_bar[kept];
        tacStepTangent out = {{b, b + model->nv, b + 2 * model->nv}, u_bar[kept], theta_bar[kept]};
        ENSURE(tac_rollout_vjp(model, &r, bar, out, memory, c.scratch) == TAC_OK);
    }
    ENSURE(memcmp(x_bar[0], x_bar[1], sizeof *x_bar) == 0);
    ENSURE(memcmp(u_bar[0], u_bar[1], sizeof *u_bar) == 0);
    ENSURE(memcmp(theta_bar[0], theta_bar[1], sizeof *theta_bar) == 0);
    // in place, without states
    tacRollout in_place = {.start = x, .ctrl = u, .steps = STEPS, .end = x};
    ENSURE(tac_rollout(model, &in_place, c.scratch) == TAC_OK);
    ENSURE(memcmp(x->qpos, at->qpos, sizeof(double) * (size_t)model->nq) == 0);
    free(memory);
    tac_state_destroy(at);
    tac_state_destroy(x);
    tac_state_destroy(end);
    close_context(&c);
    return 0;
}

// few steps, and wrong ones
static int short_and_wrong_rollouts(void) {
    stepContext c;
    ENSURE_LAW(open_context(&c, SCENE, NULL, is_used_param));
    const tacModel* model = c.model;
    static double states[ROOM], bar[ROOM], u[4];
    double dq[16] = {0};
    tacState* x = NULL;
    void* memory = malloc(tac_rollout_vjp_size(model, 2));
    ENSURE(tac_state_create(model, &x) == TAC_OK);
    tacRollout r = {.start = x, .ctrl = u, .states = states};
    tacStepTangent out = {.x = {.dq = dq}};
    bar[1] = 3.0;
    ENSURE(tac_rollout(model, &r, c.scratch) == TAC_OK && states[2] == x->qpos[2]);
    ENSURE(tac_rollout_vjp(model, &r, bar, out, memory, c.scratch) == TAC_OK && dq[1] == 3.0);
    r.steps = 1;
    ENSURE(tac_rollout_vjp(model, &r, bar, out, memory, c.scratch) == TAC_OK && dq[1] == 6.0);
    r.steps = -1;
    ENSURE(tac_rollout(model, &r, c.scratch) == TAC_ERROR_VALUE);
    r = (tacRollout){.start = x, .steps = 2, .states = states};
    ENSURE(tac_rollout(model, &r, c.scratch) == TAC_ERROR_VALUE); // no controls
    r = (tacRollout){.start = x, .ctrl = u, .steps = 2};
    ENSURE(tac_rollout(model, &r, c.scratch) == TAC_ERROR_VALUE); // nowhere to write
    u[2] = NAN;
    r.states = states;
    ENSURE(tac_rollout(model, &r, c.scratch) == TAC_ERROR_VALUE);
    free(memory);
    tac_state_destroy(x);
    close_context(&c);
    return 0;
}

// a step in the middle that is too long for its contact leaves its flag, also in the gradient
static int flags_are_those_of_all_steps(void) {
    tacModel* model;
    tacScratch* scratch;
    double q = 0.0, v = -6.0, end_q, end_v, bar[200] = {0}, memory[400], u_bar[2];
    tacState x = {.qpos = &q, .qvel = &v}, end = {.qpos = &end_q, .qvel = &end_v}, next = end;
    ENSURE(tac_load_text(BOUNCING, (int)strlen(BOUNCING), "scene.xml", NULL, &model, NULL) ==
           TAC_OK);
    ENSURE(tac_scratch_create(model, &scratch) == TAC_OK);
    tacRollout r = {.start = &x, .steps = 40, .end = &end};
    ENSURE(tac_rollout_vjp_size(model, r.steps) <= sizeof memory);
    ENSURE(tac_rollout(model, &r, scratch) == TAC_OK);
    ENSURE(tac_step_info(scratch).flags & TAC_STIFF);
    ENSURE(tac_rollout_vjp(model, &r, bar, (tacStepTangent){.x = {.dq = u_bar, .dv = u_bar + 1}},
                           memory, scratch) == TAC_OK);
    ENSURE(tac_step_info(scratch).flags & TAC_STIFF);
    ENSURE(tac_step(model, &end, NULL, &next, scratch) == TAC_OK); // far away by then
    ENSURE(!(tac_step_info(scratch).flags & TAC_STIFF));
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return 0;
}

TEST_MAIN(RUN(gradient_is_right), RUN(flags_are_those_of_all_steps), RUN(rollouts_are_their_steps),
          RUN(short_and_wrong_rollouts))
