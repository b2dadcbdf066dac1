// Contact in scenes of Runge-Kutta, with default numbers: walkers from random states stay finite
// and gain no energy, flight is that of the scene without contact, and impacts converge.

#include "check/check.h"
#include "tactus/step.h"
#include "test.h"

//---------------------------------- scenes ---------------------------------------

#define LEG(name)                                                                                  \
    "<body pos='0 0 -.2'><joint name='thigh" name "' axis='0 -1 0' range='-150 0'/>"               \
    "<geom fromto='0 0 0 0 0 -.45' size='.05' type='capsule'/><body pos='0 0 -.45'>"               \
    "<joint name='shin" name "' axis='0 -1 0' range='-150 0'/>"                                    \
    "<geom fromto='0 0 0 0 0 -.5' size='.04' type='capsule'/><body pos='.1 0 -.5'>"                \
    "<joint name='foot" name "' axis='0 -1 0' pos='-.1 0 0' range='-45 45'/>"                      \
    "<geom fromto='-.1 0 0 .1 0 0' size='.06' type='capsule'/></body></body></body>"
#define MOTOR(name) "<motor ctrlrange='-1 1' gear='%g' joint='" name "'/>"

// a planar walker of 2 ms
static const char walker[] =
    "<mujoco><compiler autolimits='true'/><default><joint armature='.01' damping='.1'/>"
    "<geom conaffinity='0' friction='.9'/></default><option integrator='RK4' timestep='.002'/>"
    "<worldbody><geom type='plane' conaffinity='1' size='40 40 40'/><body pos='0 0 1.25'>"
    "<joint armature='0' damping='0' axis='1 0 0' type='slide'/>"
    "<joint armature='0' damping='0' axis='0 0 1' type='slide'/>"
    "<joint armature='0' damping='0' axis='0 1 0'/>"
    "<geom fromto='0 0 .2 0 0 -.2' size='.05' type='capsule'/>" LEG("0")
        LEG("1") "</body></worldbody><actuator>" MOTOR("thigh0") MOTOR("shin0") MOTOR("foot0")
            MOTOR("thigh1") MOTOR("shin1") MOTOR("foot1") "</actuator></mujoco>";

// a figure in space with light limbs, of 3 ms
#define LIMB(at, leg)                                                                              \
    "<body pos='" at "'><joint type='hinge' axis='1 0 0' range='-60 60'/>"                         \
    "<joint type='hinge' axis='0 1 0' range='-90 30'/><geom type='capsule' "                       \
    "fromto='0 0 0 0 .01 -" leg "' size='.05'/><body pos='0 .01 -" leg "'>"                        \
    "<joint type='hinge' axis='0 -1 0' range='-140 0'/><geom type='capsule' "                      \
    "fromto='0 0 0 0 0 -.25' size='.04'/><geom pos='0 0 -.3' size='.06'/></body></body>"
static const char figure[] =
    "<mujoco><compiler autolimits='true'/><default><joint armature='.005' damping='.5'/>"
    "<geom conaffinity='0'/></default><option integrator='RK4' timestep='.003'/><worldbody>"
    "<geom type='plane' conaffinity='1' size='9 9 9'/><body pos='0 0 1.2'><freejoint/>"
    "<geom type='capsule' fromto='0 -.07 0 0 .07 0' size='.12'/>"
    "<geom pos='0 0 .2' size='.1'/>" LIMB("0 .15 -.1", ".35") LIMB("0 -.15 -.1", ".35")
        LIMB("0 .2 .1", ".2") LIMB("0 -.2 .1", ".2") "</body></worldbody></mujoco>";

static const char* const families[] = {"manifold", "respond=scm",
                                       "detect=gjk respond=elastoplastic",
                                       "detect=edge_sdf respond=spring"};

typedef struct walkRun {
    tacModel* model;
    tacScratch* scratch;
    double q[60], v[60], u[20];
    tacState x;
} walkRun;

static int open_walk(walkRun* r, const char* text, const char* contact) {
    tacMessage message = {0};
    *r = (walkRun){0};
    tacOptions options = tac_default_options();
    options.contact = contact;
    tacResult result =
        tac_load_text(text, (int)strlen(text), "text", &options, &r->model, &message);
    if (result != TAC_OK) printf("  %s\n", message.text);
    ENSURE(result == TAC_OK && r->model->nq <= 60 && r->model->nu <= 20);
    ENSURE(tac_scratch_create(r->model, &r->scratch) == TAC_OK);
    memcpy(r->q, r->model->qpos0, sizeof(double) * (size_t)r->model->nq);
    r->x = (tacState){.qpos = r->q, .qvel = r->v};
    return 0;
}

static void close_walk(walkRun* r) {
    tac_scratch_destroy(r->scratch);
    tac_model_destroy(r->model);
}

static double energy_of(walkRun* r) {
    double energy[2] = {0};
    tac_energy(r->model, r->q, r->v, energy, r->scratch);
    return energy[0] + energy[1];
}

// joints anywhere within their ranges, velocities of up to 3 m/s and 3 rad/s
static void draw_state(walkRun* r, unsigned long long seed) {
    unsigned long long random = seed + 1;
    const tacModel* model = r->model;
    for (int j = 0; j < model->njoint; ++j) {
        const tacJoint* joint = &model->joint[j];
        if (joint->kind != TAC_JOINT_HINGE || !joint->limited) continue;
        const double* range = model->param + joint->range;
        r->q[joint->qpos] = tac_check_uniform(&random, range[0], range[1]);
    }
    for (int k = 0; k < model->nv; ++k) r->v[k] = tac_check_uniform(&random, -3.0, 3.0);
}

//---------------------------------- laws -----------------------------------------

// Without control no energy comes from nowhere: at most 1 % more than at the start, less the fall.
static int walkers_gain_no_energy(void) {
    static const char* const texts[] = {walker, figure};
    int seeds = test_amount(1, 2, 200), failed = 0;
    for (int i = 0; i < 2 * 4 * seeds; ++i) {
        char text[6000];
        walkRun r;
        snprintf(text, sizeof text, texts[i % 2], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        ENSURE_LAW(open_walk(&r, text, families[i / 2 % 4]));
        draw_state(&r, (unsigned long long)i / 8);
        double start = energy_of(&r), most = start;
        tacResult result = TAC_OK;
        for (int k = 0; k < 600 && result == TAC_OK; ++k) {
            result = tac_step(r.model, &r.x, r.u, &r.x, r.scratch);
            most = fmax(most, energy_of(&r));
        }
        if (result != TAC_OK || most > 1.01 * start) {
            printf("  %s, %s, seed %d: %g J become %g J\n", i % 2 ? "figure" : "walker",
                   families[i / 2 % 4], i / 8, start, most);
            ++failed;
        }
        close_walk(&r);
    }
    ENSURE(failed == 0);
    return 0;
}

// random torques of up to 100 N m
static int driven_walkers_stay_finite(void) {
    int seeds = test_amount(1, 2, 100);
    for (int i = 0; i < 4 * seeds; ++i) {
        char text[6000];
        walkRun r;
        unsigned long long random = (unsigned long long)i + 7;
        snprintf(text, sizeof text, walker, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0);
        ENSURE_LAW(open_walk(&r, text, families[i % 4]));
        draw_state(&r, (unsigned long long)i);
        for (int k = 0; k < 600; ++k) {
            for (int j = 0; j < r.model->nu && k % 5 == 0; ++j)
                r.u[j] = tac_check_uniform(&random, -1.0, 1.0);
            ENSURE(tac_step(r.model, &r.x, r.u, &r.x, r.scratch) == TAC_OK);
            for (int j = 0; j < r.model->nv; ++j) ENSURE(fabs(r.v[j]) < 300.0);
        }
        close_walk(&r);
    }
    return 0;
}

// Light links on hinges and balls without damping, thrown at the floor with up to 5 rad/s. Steps
// of Euler take the Coriolis forces of a chain where the step begins: some diverge, with and
// without contact, as in MuJoCo. Runge-Kutta's do not. Where a joint turns by half a radian in a
// step, an impact is not resolved: such a run may gain, and ends with less energy than at the
// start.
static const char chain[] =
    "<mujoco><option integrator='RK4' timestep='.0035'/><worldbody><geom type='plane' "
    "size='9 9 .1'/><body pos='0 0 2.5'><freejoint/><geom type='box' size='.2 .25 .25' mass='3'/>"
    "<body pos='-.4 -.5 .6'><joint axis='-.8 .4 1'/><geom size='.2' mass='.08'/>"
    "<body pos='.3 .3 .3'><joint type='ball'/><geom type='box' size='.08 .09 .08' mass='.1'/>"
    "<body pos='-.2 0 .3'><joint axis='-.1 .2 1'/><geom size='.13' mass='5'/></body></body></body>"
    "</body></worldbody></mujoco>";

static int light_chains_gain_no_energy(void) {
    static const char* const contact[] = {"manifold", "detect=convex respond=spring",
                                          "detect=sat respond=elastoplastic"};
    int seeds = test_amount(2, 9, 300);
    for (int seed = 0; seed < seeds; ++seed) {
        walkRun r;
        unsigned long long random = (unsigned long long)seed + 3;
        ENSURE_LAW(open_walk(&r, chain, contact[seed % 3]));
        for (int k = 0; k < r.model->nv; ++k)
            r.v[k] = (k < 3 ? 2.0 : 5.0) * tac_check_uniform(&random, -1.0, 1.0);
        double start = energy_of(&r), most = start, turn = 0.0;
        for (int k = 0; k < 600; ++k) {
            ENSURE(tac_step(r.model, &r.x, NULL, &r.x, r.scratch) == TAC_OK);
            most = fmax(most, energy_of(&r));
            for (int j = 6; j < r.model->nv; ++j) turn = fmax(turn, 0.0035 * fabs(r.v[j]));
        }
        if (most > 1.01 * start)
            printf("  %s, seed %d: %g J become %g J, %g rad a step\n", contact[seed % 3], seed,
                   start, most, turn);
        ENSURE(most <= 1.01 * start || turn > 0.3);
        ENSURE(energy_of(&r) < start);
        close_walk(&r);
    }
    return 0;
}

// in flight the step is Runge-Kutta's of the scene without contact
static int flight_is_that_without_contact(void) {
    static const char text[] =
        "<mujoco><option integrator='RK4' timestep='.005'/><worldbody><geom type='plane' "
        "size='1 1 .1'/><body pos='0 0 20'><freejoint/><geom type='box' size='.3 .2 .1' mass='2'/>"
        "<body pos='.4 0 0'><joint axis='0 1 0' damping='.1'/><geom type='capsule' "
        "fromto='0 0 0 .4 0 0' size='.03' mass='.3'/></body></body></worldbody></mujoco>";
    walkRun with, without;
    ENSURE_LAW(open_walk(&with, text, "manifold"));
    ENSURE_LAW(open_walk(&without, text, "none"));
    for (int k = 0; k < 7; ++k) with.v[k] = without.v[k] = k < 3 ? 1.0 : 4.0 - k;
    for (int i = 0; i < 100; ++i) {
        ENSURE(tac_step(with.model, &with.x, NULL, &with.x, with.scratch) == TAC_OK);
        ENSURE(tac_step(without.model, &without.x, NULL, &without.x, without.scratch) == TAC_OK);
    }
    for (int k = 0; k < with.model->nq; ++k) ENSURE_NEAR(with.q[k], without.q[k], 1e-12);
    for (int k = 0; k < with.model->nv; ++k) ENSURE_NEAR(with.v[k], without.v[k], 1e-12);
    close_walk(&with);
    close_walk(&without);
    return 0;
}

// velocity of a ball 30 ms after it touches the floor with 1 m/s
static int impact_velocity(const char* implicit, double step, double* out) {
    char text[700];
    walkRun r;
    snprintf(text, sizeof text,
             "<mujoco><option integrator='RK4' timestep='%g'/><tactus respond='spring' %s "
             "stiffness='2e4' dissipation='.5'/><worldbody><geom type='plane' size='1 1 .1'/>"
             "<body pos='0 0 .11'><joint type='slide' axis='0 0 1'/><geom size='.1' mass='1'/>"
             "</body></worldbody></mujoco>",
             step, implicit);
    ENSURE_LAW(open_walk(&r, text, NULL));
    r.v[0] = -1.0;
    for (int i = 0; i < (int)(0.04 / step + 0.5); ++i)
        ENSURE(tac_step(r.model, &r.x, NULL, &r.x, r.scratch) == TAC_OK);
    *out = r.v[0];
    close_walk(&r);
    return 0;
}

// what implicit steps add vanishes with the step, at least in proportion
static int impacts_converge(void) {
    double truth, error[3];
    ENSURE_LAW(impact_velocity("implicit='false'", 1e-5, &truth));
    for (int i = 0; i < 3; ++i) {
        ENSURE_LAW(impact_velocity("", 1e-3 * pow(0.25, i), &error[i]));
        error[i] = fabs(error[i] - truth);
    }
    printf("  of %.4f m/s: off by %.2g, %.2g, %.2g with 1, 1/4, 1/16 ms\n", truth, error[0],
           error[1], error[2]);
    ENSURE(error[0] < 0.1 * fabs(truth) && error[1] < 0.4 * error[0] && error[2] < 0.4 * error[1]);
    return 0;
}

TEST_MAIN(RUN(walkers_gain_no_energy), RUN(driven_walkers_stay_finite),
          RUN(light_chains_gain_no_energy), RUN(flight_is_that_without_contact),
          RUN(impacts_converge))
