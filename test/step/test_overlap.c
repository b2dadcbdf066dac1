// Default stiffness from loads: actuators, weights and what stands on top do not press bodies into
// each other; what does is reported (docs/contact.md, "Overlap").

#include "tactus/step.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

static tacModel* load_text(const char* text) {
    tacModel* model = NULL;
    tacMessage message;
    if (tac_load_text(text, (int)strlen(text), "text", NULL, &model, &message) != TAC_OK)
        printf("  %s\n", message.text);
    return model;
}

static double stiffness_of(const tacModel* model, int pair) {
    tacParam param;
    if (tac_param_find(model, "respond/stiffness", &param) != TAC_OK) return NAN;
    return model->param[param.offset + (param.count > 1 ? pair : 0)];
}

//---------------------------------- loads ----------------------------------------

// k of the first pair of a scene with this body and these actuators
static double default_stiffness(const char* bodies, const char* rest) {
    char text[2048];
    snprintf(text, sizeof text,
             "<mujoco><option timestep='.002'/><tactus detect='manifold'/><worldbody>"
             "<geom type='plane' size='1 1 1'/>%s</worldbody>%s</mujoco>",
             bodies, rest);
    tacModel* model = load_text(text);
    double k = model ? stiffness_of(model, 0) : NAN;
    tac_model_destroy(model);
    return k;
}

// a ball of 1 kg and radius 0.05: k = F/(0.01 0.05)
static const double unit = 0.01 * 0.05, weight = 9.81;

#define BALL "<geom size='.05' mass='1'/>"
#define HINGE                                                                                      \
    "<body name='arm' pos='0 0 1'><joint name='j' axis='0 1 0'/><body pos='.5 0 0'>" BALL          \
    "</body></body>"
#define SLIDE "<body pos='0 0 1'><joint name='j' type='slide' axis='0 0 1'/>" BALL "</body>"

static int stiffness_follows_loads(void) {
    const struct {
        const char *bodies, *rest;
        double load;
    } cases[] = {
        // weight alone
        {"<body pos='0 0 1'><freejoint/>" BALL "</body>", "", weight},
        // ranges of control and force, gear, clamp of the joint
        {SLIDE, "<actuator><motor joint='j' gear='5' ctrlrange='-2 3'/></actuator>", weight + 15.0},
        {SLIDE,
         "<actuator><motor joint='j' gear='5' ctrlrange='-2 3' forcerange='-1 1'/></actuator>",
         weight + 5.0},
        // without a range, a unit of control
        {SLIDE, "<actuator><motor joint='j' gear='7'/></actuator>", weight + 7.0},
        // a servo: the width of its range
        {SLIDE, "<actuator><position joint='j' kp='100' ctrlrange='-.1 .2'/></actuator>",
         weight + 30.0},
        // two actuators of one joint
        {SLIDE, "<actuator><motor joint='j' gear='7'/><motor joint='j' gear='2'/></actuator>",
         weight + 9.0},
        // a torque over its lever
        {HINGE, "<actuator><motor joint='j' gear='10'/></actuator>", weight + 20.0},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); ++i) {
        double k = default_stiffness(cases[i].bodies, cases[i].rest);
        ENSURE_NEAR(k, cases[i].load / unit, 1e-6 * k);
    }
    // what stands above counts, what stands beside does not
    double k = default_stiffness("<body pos='0 0 .05'><freejoint/>" BALL "</body>"
                                 "<body pos='0 0 .15'><freejoint/>" BALL "</body>"
                                 "<body pos='.5 0 .15'><freejoint/>" BALL "</body>",
                                 "");
    ENSURE_NEAR(k, 2.0 * weight / unit, 1e-6 * k);
    return 0;
}

// the same scene elsewhere, turned, and with bodies in another order
static int stiffness_is_invariant(void) {
    static const char* const scenes[] = {
        "<mujoco><tactus detect='manifold'/><worldbody><geom type='plane' size='1 1 1'/>"
        "<body pos='0 0 .05'><freejoint/>" BALL "</body><body pos='0 0 .15'><freejoint/>" BALL
        "</body></worldbody></mujoco>",
        "<mujoco><tactus detect='manifold'/><worldbody>"
        "<geom type='plane' size='1 1 1' pos='100 -30 7'/>"
        "<body pos='100 -30 7.05'><freejoint/>" BALL "</body>"
        "<body pos='100 -30 7.15'><freejoint/>" BALL "</body></worldbody></mujoco>",
        "<mujoco><option gravity='-9.81 0 0'/><tactus detect='manifold'/><worldbody>"
        "<geom type='plane' size='1 1 1' euler='0 90 0'/>"
        "<body pos='.05 0 0'><freejoint/>" BALL "</body>"
        "<body pos='.15 0 0'><freejoint/>" BALL "</body></worldbody></mujoco>"};
    double first[3] = {0};
    for (int i = 0; i < 3; ++i) {
        tacModel* model = load_text(scenes[i]);
        ENSURE(model);
        for (int k = 0; k < 3; ++k) {
            if (i == 0) first[k] = stiffness_of(model, k);
            ENSURE_NEAR(stiffness_of(model, k), first[k], 1e-9 * first[k]);
        }
        tac_model_destroy(model);
    }
    return 0;
}

//---------------------------------- overlap --------------------------------------

static const char grasp[] =
    "<mujoco><option timestep='%g'/><tactus %s/><worldbody><geom type='plane' size='1 1 .1'/>"
    "<body name='l' pos='-.0401 0 .3'><joint name='l' type='slide' axis='1 0 0' damping='5'/>"
    "<geom name='left' type='box' size='.01 .02 .04' mass='.1' friction='.8'/></body>"
    "<body name='r' pos='.0401 0 .3'><joint name='r' type='slide' axis='-1 0 0' damping='5'/>"
    "<geom name='right' type='box' size='.01 .02 .04' mass='.1' friction='.8'/></body>"
    "<body pos='0 0 .3'><freejoint/>"
    "<geom name='box' type='box' size='.03 .03 .03' mass='.2' friction='.8'/></body></worldbody>"
    "<contact><exclude body1='l' body2='r'/></contact>"
    "<actuator><motor joint='l' gear='5' ctrlrange='-2 2'/>"
    "<motor joint='r' gear='5' ctrlrange='-2 2'/></actuator></mujoco>";

// what a run reports
typedef struct graspRun {
    double overlap, drop; // deepest share; how far the box sinks [m]
    int deep;             // steps with TAC_DEEP_OVERLAP
    tacInfo last;
} graspRun;

static int run_grasp(const char* tactus, double timestep, double push, graspRun* out) {
    char text[2048];
    double q[9], v[8] = {0}, ctrl[2] = {push, push};
    tacState x = {.qpos = q, .qvel = v};
    tacScratch* scratch;
    snprintf(text, sizeof text, grasp, timestep, tactus);
    tacModel* model = load_text(text);
    ENSURE(model && tac_scratch_create(model, &scratch) == TAC_OK);
    memcpy(q, model->qpos0, sizeof q);
    *out = (graspRun){0};
    for (int i = 0; i < (int)lround(4.0 / timestep); ++i) {
        ENSURE(tac_step(model, &x, ctrl, &x, scratch) == TAC_OK);
        out->last = tac_step_info(scratch);
        out->overlap = fmax(out->overlap, out->last.overlap);
        out->deep += (out->last.flags & TAC_DEEP_OVERLAP) != 0;
        ENSURE((out->last.overlap > 0.01) <= ((out->last.flags & TAC_DEEP_OVERLAP) != 0));
    }
    out->drop = 0.3 - q[4];
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return 0;
}

static int fingers_hold_a_box(void) {
    static const char* const families[] = {
        "detect='manifold'", "detect='edge_sdf'", "respond='scm' points='200'",
        "detect='gjk' respond='spring'", "detect='sat' respond='spring'"};
    static const double timesteps[] = {0.002, 0.005, 0.01};
    for (int i = 0; i < (int)(sizeof families / sizeof families[0]); ++i)
        for (int k = 0; k < 6; ++k) {
            graspRun r;
            ENSURE_LAW(run_grasp(families[i], timesteps[k / 2], 1.0 + k % 2, &r));
            printf("  %s, %g ms, %d N: overlap %.2f %%, sinks by %.2f mm\n", families[i],
                   1e3 * timesteps[k / 2], 5 + 5 * (k % 2), 100.0 * r.overlap, 1e3 * r.drop);
            ENSURE(r.overlap < 0.01 && r.deep == 0 && r.drop < 0.012);
        }
    return 0;
}

static int soft_springs_are_flagged(void) {
    static const char* const families[] = {"detect='manifold' stiffness='2000'",
                                           "respond='scm' points='200' stiffness='2000'",
                                           "detect='gjk' respond='spring' stiffness='2000'"};
    for (int i = 0; i < 3; ++i) {
        graspRun r;
        ENSURE_LAW(run_grasp(families[i], 0.002, 1.0, &r));
        ENSURE(r.deep > 1000 && r.overlap > 0.01);
        // its own numbers agree: 20 mm are the thinner geom, a finger
        ENSURE_NEAR(r.last.overlap_depth, 0.02 * r.last.overlap, 1e-12);
        ENSURE(r.last.overlap_geom[0] != r.last.overlap_geom[1]);
    }
    return 0;
}

TEST_MAIN(RUN(stiffness_follows_loads), RUN(stiffness_is_invariant), RUN(fingers_hold_a_box),
          RUN(soft_springs_are_flagged))
