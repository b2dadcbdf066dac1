// Accelerations with contact: derivatives by everything, inverse dynamics undone, the step's own.

#include "check/prove.h"
#include "step/step_problem.h"

//---------------------------------- scenes ---------------------------------------

// a plane, a free box on it and a ball on a joint with spring, damper and motors
#define SCENE(responder, more)                                                                     \
    "<mujoco><tactus respond='" responder "' eps3='.004' stiffness='600' dissipation='.3' "        \
    "stiction='.05' " more "/><worldbody><geom type='plane' size='1 1 .1' friction='.6'/>"         \
    "<body pos='0 0 .098'><freejoint name='f'/><geom type='box' size='.1 .08 .1' mass='1' "        \
    "friction='.3'/></body><body pos='.02 .01 .35'><joint name='b' type='ball' stiffness='.2' "    \
    "damping='.1'/><geom size='.08' pos='0 0 -.08' mass='.3' friction='.5'/></body></worldbody>"   \
    "<actuator><general joint='b' gear='1 0 0' dyntype='filter' dynprm='.1'/><motor joint='f' "    \
    "gear='0 0 1 0 0 0'/></actuator></mujoco>"

#define CLOUDS "points='24' eps1='.002' eps2='.01' "

static const char* const scenes[][2] = {
    {"scm", SCENE("scm", CLOUDS "implicit='false'")},
    {"scm, implicit", SCENE("scm", CLOUDS)},
    {"spring", SCENE("spring", "implicit='false'")},
    {"spring, implicit", SCENE("spring", "")},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

static int is_used_param(const tacModel* model, int offset) {
    const char* name = model->paramname[model->paramgroup[offset]].name;
    return strncmp(name, "respond/", 8) == 0 || strncmp(name, "detect/", 7) == 0 ||
           strstr(name, "/friction") || strstr(name, "/mass") || strstr(name, "/damping") ||
           strstr(name, "/stiffness") || strstr(name, "option/timestep");
}

//---------------------------------- derivatives ----------------------------------

// near where the scene is drawn, in contact; x = (dq, v, n numbers, parameters)
static int sample_input(const stepContext* c, int n, unsigned long long* random, double* x,
                        double* scale) {
    int nv = c->model->nv;
    memcpy(c->qpos, c->model->qpos0, sizeof *c->qpos * (size_t)c->model->nq);
    for (int k = 0; k < 2; ++k) c->qpos[k] += 0.004 * tac_check_normal(random);
    for (int k = 0; k < nv; ++k) {
        x[k] = 0.0;
        x[nv + k] = 0.3 * tac_check_normal(random);
        scale[k] = 0.02;
        scale[nv + k] = 0.1;
    }
    for (int k = 2 * nv; k < 2 * nv + n; ++k) {
        x[k] = tac_check_normal(random);
        scale[k] = 1.0;
    }
    sample_numbers(c, 0.1, x + 2 * nv + n, scale + 2 * nv + n);
    return nv;
}

static int sample_forces(const void* context, int i, unsigned long long* random, double* x,
                         double* scale) {
    const stepContext* c = context;
    (void)i;
    return sample_input(c, c->model->nv + 6 * c->model->nbody, random, x, scale);
}

static int sample_controls(const void* context, int i, unsigned long long* random, double* x,
                           double* scale) {
    const stepContext* c = context;
    (void)i;
    return sample_input(c, c->model->na + c->model->nu, random, x, scale);
}

static int derivatives_are_right(void) {
    int failed = 0;
    for (int i = 0; i < SCENES; ++i) {
        stepContext c;
        ENSURE_LAW(open_context(&c, scenes[i][1], NULL, is_used_param));
        int nv = c.model->nv;
        tacCheckProblem forces = {.name = scenes[i][0],
                                  .n = 3 * nv + 6 * c.model->nbody + c.used_count,
                                  .m = nv,
                                  .curved = {0, nv},
                                  .context = &c,
                                  .as_double = &tac_check_forward_contact_double,
                                  .as_complex = &tac_check_forward_contact_complex,
                                  .as_quad = &tac_check_forward_contact_quad,
                                  .sample = sample_forces};
        tacCheckProblem controls = {.name = scenes[i][0],
                                    .n = 2 * nv + c.model->na + c.model->nu + c.used_count,
                                    .m = nv,
                                    .curved = {0, nv},
                                    .context = &c,
                                    .as_double = &tac_check_acceleration_double,
                                    .as_complex = &tac_check_acceleration_complex,
                                    .as_quad = &tac_check_acceleration_quad,
                                    .sample = sample_controls};
        tacCheckOptions options = tac_check_default_options();
        options.points = getenv("TACTUS_NO_SWEEP") ? 1 : 4;
        options.quad_every = 4;
        options.taylor_every = 2;
        options.seed = 5;
        options.first = 1e-11;
        options.second = 1e-10;
        failed |= prove(&forces, options) | prove(&controls, options);
        close_context(&c);
    }
    return failed | prove_summary();
}

//---------------------------------- laws -----------------------------------------

// inverse dynamics of the accelerations are the joint forces, given or of springs and actuators
static int inverse_dynamics_undo_it(void) {
    double worst = 0.0;
    for (int i = 0; i < SCENES; ++i) {
        stepContext c;
        unsigned long long random = 11;
        ENSURE_LAW(open_context(&c, scenes[i][1], NULL, is_used_param));
        const tacModel* model = c.model;
        double v[16], a[16], tau[16], back[16], act = 0.4, u[2] = {0.3, -0.6};
        memcpy(c.qpos, model->qpos0, sizeof *c.qpos * (size_t)model->nq);
        for (int trial = 0; trial < 10; ++trial) {
            for (int k = 0; k < model->nv; ++k) {
                v[k] = 0.2 * tac_check_normal(&random);
                tau[k] = tac_check_normal(&random);
            }
            tacDynamicsInput x = {.qpos = c.qpos, .qvel = v};
            tacState state = {.qpos = c.qpos, .qvel = v, .act = &act};
            for (int by_control = 0; by_control < 2; ++by_control) {
                if (by_control) {
                    ENSURE(tac_acceleration(model, &state, u, a, c.scratch) == TAC_OK);
                    ENSURE(tac_joint_forces(model, &state, u, tau, c.scratch) == TAC_OK);
                } else {
                    ENSURE(tac_forward_contact(model, x, tau, a, c.scratch) == TAC_OK);
                }
                x.qacc = a;
                ENSURE(tac_inverse_contact(model, x, back, c.scratch) == TAC_OK);
                for (int k = 0; k < model->nv; ++k) worst = fmax(worst, fabs(back[k] - tau[k]));
            }
        }
        close_context(&c);
    }
    printf("  joint forces of the accelerations: off by %.1e N\n", worst);
    ENSURE(worst <= 1e-11);
    return 0;
}

// an explicit Euler step moves by them
static int explicit_steps_move_by_it(void) {
    const char* text = "<mujoco><tactus respond='spring' implicit='false' integrator='explicit'/>"
                       "<worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .099'>"
                       "<freejoint/><geom size='.1'/></body></worldbody></mujoco>";
    stepContext c;
    ENSURE_LAW(open_context(&c, text, NULL, is_used_param));
    double v[6] = {0.1, 0.2, -0.3, 1.0, 2.0, 3.0}, a[6], next_q[7], next_v[6];
    memcpy(c.qpos, c.model->qpos0, sizeof *c.qpos * 7);
    tacState x = {.qpos = c.qpos, .qvel = v}, next = {.qpos = next_q, .qvel = next_v};
    ENSURE(tac_acceleration(c.model, &x, NULL, a, c.scratch) == TAC_OK);
    ENSURE(tac_step(c.model, &x, NULL, &next, c.scratch) == TAC_OK);
    double h = c.model->param[c.model->timestep];
    for (int k = 0; k < 6; ++k)
        ENSURE_NEAR((next_v[k] - v[k]) / h, a[k], 1e-11 * (1.0 + fabs(a[k])));
    close_context(&c);
    return 0;
}

static int hard_contact_is_refused(void) {
    const char* text =
        "<mujoco><tactus respond='lcp'/><worldbody><geom type='plane' size='1 1 1'/>"
        "<body pos='0 0 1'><freejoint/><geom size='.1'/></body></worldbody></mujoco>";
    stepContext c;
    ENSURE_LAW(open_context(&c, text, NULL, is_used_param));
    double v[6] = {0}, a[6] = {7.0};
    memcpy(c.qpos, c.model->qpos0, sizeof *c.qpos * 7);
    tacState x = {.qpos = c.qpos, .qvel = v};
    tacDynamicsInput in = {.qpos = c.qpos};
    ENSURE(tac_acceleration(c.model, &x, NULL, a, c.scratch) == TAC_ERROR_UNSUPPORTED);
    ENSURE(tac_forward_contact(c.model, in, NULL, a, c.scratch) == TAC_ERROR_UNSUPPORTED);
    ENSURE(a[0] == 7.0);
    close_context(&c);
    return 0;
}

TEST_MAIN(RUN(derivatives_are_right), RUN(inverse_dynamics_undo_it), RUN(explicit_steps_move_by_it),
          RUN(hard_contact_is_refused))
