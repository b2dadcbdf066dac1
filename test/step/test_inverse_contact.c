// Inverse dynamics with contact: derivatives by everything, and the step as its inverse.

#include "check/prove.h"
#include "model/refusal.h"
#include "step/step_problem.h"

//---------------------------------- scenes ---------------------------------------

// a plane, a free box on it and a ball on a joint, by clouds or by springs
#define SCENE(responder, more)                                                                     \
    "<mujoco><tactus respond='" responder "' eps3='.004' stiffness='600' dissipation='.3' "        \
    "stiction='.05' " more "/><worldbody><geom type='plane' size='1 1 .1' friction='.6'/>"         \
    "<body pos='0 0 .098'><freejoint/><geom type='box' size='.1 .08 .1' mass='1' friction='.3'/>"  \
    "</body><body pos='.02 .01 .35'><joint type='ball'/>"                                          \
    "<geom size='.08' pos='0 0 -.08' mass='.3' friction='.5'/></body></worldbody></mujoco>"

#define CLOUDS "points='24' eps1='.002' eps2='.01' "

// limits and dry friction beside it
#define HELD                                                                                       \
    "<mujoco><tactus respond='spring' limitwidth='.02' drystiction='.2'/><worldbody>"              \
    "<geom type='plane' size='1 1 1' pos='0 0 -.1'/>"                                              \
    "<body><joint name='a' axis='0 1 0' range='-1 1' frictionloss='.3'/><geom "                    \
    "size='.1' pos='.3 0 0' friction='.7'/><body pos='.4 0 0'><joint name='b' type='slide' "       \
    "axis='1 0 1' range='0 .5'/><geom size='.1' pos='.1 0 0' friction='.8'/></body></body>"        \
    "</worldbody></mujoco>"

static const char* const scenes[][2] = {
    {"scm", SCENE("scm", CLOUDS "implicit='false'")},
    {"scm, implicit", SCENE("scm", CLOUDS)},
    {"spring", SCENE("spring", "implicit='false'")},
    {"spring, implicit", SCENE("spring", "")},
    {"limits, implicit", HELD},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

static int is_used_param(const tacModel* model, int offset) {
    const char* name = model->paramname[model->paramgroup[offset]].name;
    return strncmp(name, "respond/", 8) == 0 || strncmp(name, "detect/", 7) == 0 ||
           strstr(name, "/friction") || strstr(name, "/mass") || strstr(name, "option/timestep");
}

//---------------------------------- derivatives ----------------------------------

// near where the scene is drawn, in contact; x = (dq, v, a, wrench, numbers)
static int sample_inverse(const void* context, int i, unsigned long long* random, double* x,
                          double* scale) {
    const stepContext* c = context;
    int nv = c->model->nv, wrench = 6 * c->model->nbody;
    (void)i;
    memcpy(c->qpos, c->model->qpos0, sizeof *c->qpos * (size_t)c->model->nq);
    for (int k = 0; k < 2; ++k) c->qpos[k] += 0.004 * tac_check_normal(random);
    for (int k = 0; k < nv; ++k) {
        x[k] = 0.0;
        x[nv + k] = 0.3 * tac_check_normal(random);
        x[2 * nv + k] = 3.0 * tac_check_normal(random);
        scale[k] = 0.02;
        scale[nv + k] = 0.1;
        scale[2 * nv + k] = 1.0;
    }
    for (int k = 0; k < wrench; ++k) {
        x[3 * nv + k] = tac_check_normal(random);
        scale[3 * nv + k] = 1.0;
    }
    sample_numbers(c, 0.1, x + 3 * nv + wrench, scale + 3 * nv + wrench);
    return nv;
}

static int inverse_contact_has_right_derivatives(void) {
    int failed = 0;
    for (int i = 0; i < SCENES; ++i) {
        stepContext c;
        ENSURE_LAW(open_context(&c, scenes[i][1], NULL, is_used_param));
        int nv = c.model->nv;
        tacCheckProblem problem = {.name = scenes[i][0],
                                   .n = 3 * nv + 6 * c.model->nbody + c.used_count,
                                   .m = nv,
                                   .curved = {0, nv},
                                   .context = &c,
                                   .as_double = &tac_check_inverse_contact_double,
                                   .as_complex = &tac_check_inverse_contact_complex,
                                   .as_quad = &tac_check_inverse_contact_quad,
                                   .sample = sample_inverse};
        tacCheckOptions options = tac_check_default_options();
        options.points = getenv("TACTUS_NO_SWEEP") ? 1 : 4;
        options.quad_every = 4;
        options.taylor_every = 2;
        options.seed = 5;
        options.first = 1e-11;
        options.second = 1e-10;
        failed |= prove(&problem, options);
        close_context(&c);
    }
    return failed | prove_summary();
}

//---------------------------------- the step -------------------------------------

// The accelerations of a step need the joint forces that there were, none here: the rest is contact
// and gravity. And other accelerations need what takes the step there: tau(a') - tau(a) is linear.
static int inverse_contact_undoes_the_step(void) {
    double worst = 0.0;
    for (int i = 0; i < SCENES; ++i) {
        stepContext c;
        unsigned long long random = 11;
        ENSURE_LAW(open_context(&c, scenes[i][1], NULL, is_used_param));
        const tacModel* model = c.model;
        for (int trial = 0; trial < 20; ++trial) {
            double v[16], a[16], tau[16], next_q[16], next_v[16], size = 0.0, M[256];
            memcpy(c.qpos, model->qpos0, sizeof *c.qpos * (size_t)model->nq);
            for (int k = 0; k < model->nv; ++k) v[k] = 0.2 * tac_check_normal(&random);
            tacState x = {.qpos = c.qpos, .qvel = v}, next = {.qpos = next_q, .qvel = next_v};
            ENSURE(tac_step(model, &x, NULL, &next, c.scratch) == TAC_OK);
            for (int k = 0; k < model->nv; ++k)
                a[k] = (next_v[k] - v[k]) / model->param[model->timestep];
            tacDynamicsInput motion = {.qpos = c.qpos, .qvel = v, .qacc = a};
            ENSURE(tac_inverse_contact(model, motion, tau, c.scratch) == TAC_OK);
            ENSURE(tac_mass_matrix(model, c.qpos, M, c.scratch) == TAC_OK);
            for (int k = 0; k < model->nv; ++k)
                size = fmax(size, fabs(M[k * (model->nv + 1)] * a[k]));
            for (int k = 0; k < model->nv; ++k) worst = fmax(worst, fabs(tau[k]) / size);
        }
        close_context(&c);
    }
    printf("  joint forces of the step's accelerations %.1e of M a\n", worst);
    ENSURE(worst <= 1e-12);
    return 0;
}

// without contact it is tac_inverse_dynamics to the last bit but one; contact of impulses is
// refused
static int without_contact_it_is_inverse_dynamics(void) {
    const char* arm = "<body><joint axis='0 1 0'/><geom size='.1' pos='.3 0 0'/></body></worldbody>"
                      "</mujoco>";
    const char* heads[2] = {"<mujoco><worldbody>", "<mujoco><tactus respond='lcp'/><worldbody>"};
    double q = 0.4, v = 1.0, a = 2.0, tau[2] = {7.0, 7.0}, wrench[12] = {0};
    tacDynamicsInput x = {&q, &v, &a, wrench};
    wrench[8] = 1.5;
    for (int i = 0; i < 2; ++i) {
        char text[300];
        tacModel* model = NULL;
        tacScratch* scratch = NULL;
        snprintf(text, sizeof text, "%s%s", heads[i], arm);
        ENSURE(load_text(text, &model, NULL) == TAC_OK);
        ENSURE(tac_scratch_create(model, &scratch) == TAC_OK);
        tacResult result = tac_inverse_contact(model, x, &tau[0], scratch);
        if (i == 0) {
            ENSURE(result == TAC_OK);
            ENSURE(tac_inverse_dynamics(model, x, &tau[1], scratch) == TAC_OK);
            ENSURE_NEAR(tau[0], tau[1], 1e-15 * fabs(tau[1]));
            x.qacc = NULL;
            x.qvel = NULL;
            ENSURE(tac_inverse_contact(model, x, &tau[0], scratch) == TAC_OK);
            q = INFINITY;
            ENSURE(tac_inverse_contact(model, x, &tau[0], scratch) == TAC_ERROR_VALUE);
            q = 0.4;
            tau[0] = 7.0;
        } else {
            ENSURE(result == TAC_ERROR_UNSUPPORTED && tau[0] == 7.0);
        }
        tac_scratch_destroy(scratch);
        tac_model_destroy(model);
    }
    return 0;
}

TEST_MAIN(RUN(inverse_contact_has_right_derivatives), RUN(inverse_contact_undoes_the_step),
          RUN(without_contact_it_is_inverse_dynamics))
