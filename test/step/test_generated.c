// Steps by generated code are the steps of the general dynamics.

#include "tactus/symbolic.h"
#include "tactus/tactus.h"
#include "test.h"

#include <stdlib.h>

enum { MOST = 64, POINTS = 20 };

typedef struct rig {
    tacModel* model;
    tacScratch *plain, *quick;
    tacStepCode* code;
} rig;

static void close_rig(rig* r) {
    tac_scratch_destroy(r->quick);
    tac_scratch_destroy(r->plain);
    tac_step_code_destroy(r->code);
    tac_model_destroy(r->model);
}

static int open_rig(rig* r, int compiled) {
    tacMessage message;
    tacCodeOptions options = tac_default_code_options();
    options.level = 1; // compiling takes its time
    if (!compiled) options.library = "";
    tacResult result = tac_step_code_create(r->model, &options, &r->code, &message);
    if (result != TAC_OK) printf("    %s: %s\n", r->model->name, message.text);
    ENSURE(result == TAC_OK);
    ENSURE(!compiled || tac_step_code_compiled(r->code) || message.text[0]);
    ENSURE(tac_scratch_create(r->model, &r->plain) == TAC_OK);
    ENSURE(tac_scratch_create(r->model, &r->quick) == TAC_OK);
    ENSURE(tac_step_code_use(r->code, r->quick) == TAC_OK);
    return 0;
}

static double max_difference(const double* a, const double* b, int n) {
    double worst = 0.0, size = 1.0;
    for (int i = 0; i < n; ++i) {
        worst = fmax(worst, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return worst / size;
}

// random states, controls beyond their range now and then
static int compare_steps(const rig* r, double range, double scale, double* worst) {
    const tacModel* m = r->model;
    double x[3][MOST], y[3][MOST], z[3][MOST], u[MOST], warm[MOST] = {0.0};
    testRandom random = {21};
    ENSURE(m->nq <= MOST && m->nu <= MOST && m->na <= MOST && m->nwarm <= MOST);
    for (int p = 0; p < POINTS; ++p) {
        for (int i = 0; i < m->nq; ++i) x[0][i] = test_uniform(&random, -range, range);
        for (int i = 0; i < m->nv; ++i) x[1][i] = scale * test_uniform(&random, -1.0, 1.0);
        for (int i = 0; i < m->na; ++i) x[2][i] = test_uniform(&random, -1.0, 1.0);
        for (int i = 0; i < m->nu; ++i) u[i] = test_uniform(&random, -3.0, 3.0);
        if (p == 0) memset(x[1], 0, sizeof x[1]); // nothing turns: lengths of 0
        tacState from = {x[0], x[1], x[2], warm, 0.5}, general = {y[0], y[1], y[2], warm, 0.0};
        tacState quick = {z[0], z[1], z[2], warm, 0.0};
        ENSURE(tac_step(m, &from, u, &general, r->plain) == TAC_OK);
        ENSURE(tac_step(m, &from, u, &quick, r->quick) == TAC_OK);
        ENSURE(quick.time == general.time);
        *worst = fmax(*worst, max_difference(z[0], y[0], m->nq));
        *worst = fmax(*worst, max_difference(z[1], y[1], m->nv));
        *worst = fmax(*worst, max_difference(z[2], y[2], m->na));
        // in a batch, and in place: the same bits
        tacStepItem items[3];
        double w[3][3][MOST];
        tacState in_place[3];
        for (int i = 0; i < 3; ++i) {
            for (int k = 0; k < 3; ++k) memcpy(w[i][k], x[k], sizeof x[k]);
            in_place[i] = (tacState){w[i][0], w[i][1], w[i][2], warm, 0.5};
            items[i] = (tacStepItem){m, &in_place[i], u, &in_place[i], r->quick, TAC_OK};
        }
        ENSURE(tac_step_batch(items, 3, 1) == TAC_OK);
        for (int i = 0; i < 3; ++i) {
            ENSURE(memcmp(w[i][0], z[0], sizeof(double) * (size_t)m->nq) == 0);
            ENSURE(memcmp(w[i][1], z[1], sizeof(double) * (size_t)m->nv) == 0);
        }
    }
    return 0;
}

static int generated_law(tacModel* model, int compiled, double range, double* worst) {
    rig r = {.model = model};
    double own = 0.0;
    ENSURE_LAW(open_rig(&r, compiled));
    ENSURE_LAW(compare_steps(&r, range, 2.0, &own));
    printf("    %s: %.1e%s\n", model->name, own,
           tac_step_code_compiled(r.code) ? ", machine code" : "");
    *worst = fmax(*worst, own);
    close_rig(&r);
    return 0;
}

//---------------------------------- scenes ---------------------------------------

// every kind of joint, spring, tendon and actuator; INTEGRATOR and FLAG are filled in
static const char drives[] =
    "<mujoco model='drives'><compiler angle='radian'/>"
    "<option timestep='.003' gravity='1 -2 -9' integrator='%s'><flag %s/></option><worldbody>"
    "<body pos='.1 .2 .3' quat='.9 .1 -.3 .2'>"
    "<joint name='s' type='slide' axis='1 2 -1' ref='.2' stiffness='20' springref='.1' "
    "damping='.3'/>"
    "<joint name='h' type='hinge' axis='.3 -1 2' pos='.1 -.2 .05' ref='.3' armature='.4' "
    "damping='.7' actuatorfrcrange='-2 1.5'/>"
    "<inertial pos='.1 .05 -.2' mass='1.3' fullinertia='.3 .4 .5 .02 -.03 .05'/>"
    "<body pos='0 .3 .1' quat='.5 .5 -.2 .4'>"
    "<joint name='b' type='ball' pos='0 .1 .2' stiffness='3' damping='.2'/>"
    "<inertial pos='-.1 .2 .1' mass='.7' fullinertia='.2 .3 .25 .01 .02 -.04'/></body>"
    "<body pos='-.2 .1 0'><joint name='k' type='hinge' axis='0 0 1' damping='.1'/>"
    "<inertial pos='.3 0 .1' mass='.5' diaginertia='.1 .2 .15' quat='.8 .2 .3 .1'/></body></body>"
    "<body><joint name='e' type='hinge' axis='0 1 0'/>"
    "<inertial pos='.3 0 .1' mass='.4' diaginertia='.1 .2 .15'/></body>"
    "<body pos='0 0 1'><joint name='f' type='free' stiffness='2' damping='.05'/>"
    "<inertial pos='.1 .05 -.2' mass='1.3' fullinertia='.3 .4 .5 .02 -.03 .05'/></body></worldbody>"
    "<tendon><fixed name='t' stiffness='9' damping='.4' springlength='-.1 .2'>"
    "<joint joint='h' coef='.7'/><joint joint='k' coef='-1.2'/></fixed>"
    "<fixed name='across' damping='.6'><joint joint='e' coef='.5'/><joint joint='k' coef='1'/>"
    "</fixed></tendon><actuator>"
    "<motor joint='h' gear='2' ctrllimited='true' ctrlrange='-1 .5'/>"
    "<position joint='s' kp='30' kv='2' forcelimited='true' forcerange='-9 9'/>"
    "<velocity tendon='t' kv='3' gear='.5'/>"
    "<general joint='k' dyntype='filter' dynprm='.05' gainprm='3' biastype='affine' "
    "biasprm='.1 -2 -.3'/>"
    "<general joint='k' dyntype='filterexact' dynprm='.04' gaintype='affine' gainprm='3 .5 -.4' "
    "actlimited='true' actrange='-.5 .6' actearly='true'/>"
    "<general joint='h' dyntype='integrator' gainprm='.4'/>"
    "<motor joint='b' gear='.3 -.2 .5'/>"
    "<general jointinparent='b' gear='.1 .6 -.2' biastype='affine' biasprm='.1 -.8 -.5'/>"
    "<motor joint='f' gear='.3 -.2 .5 .1 .2 .3'/></actuator></mujoco>";

static int generated_steps_agree_with_general_ones(void) {
    static const char* const cases[][2] = {
        {"Euler", "gravity='enable'"},    {"implicitfast", "gravity='enable'"},
        {"RK4", "gravity='enable'"},      {"Euler", "eulerdamp='disable'"},
        {"Euler", "passive='disable'"},   {"Euler", "actuation='disable'"},
        {"Euler", "clampctrl='disable'"}, {"implicitfast", "gravity='disable'"},
        {"Euler", "gravity='enable'"}, // becomes explicit
    };
    double worst = 0.0;
    int count = (int)(sizeof cases / sizeof *cases);
    for (int i = 0; i < count; ++i) {
        char text[sizeof drives + 64];
        tacModel* model;
        tacMessage message;
        int size = snprintf(text, sizeof text, drives, cases[i][0], cases[i][1]);
        tacResult result = tac_load_text(text, size, "drives", NULL, &model, &message);
        if (result != TAC_OK) printf("    %s %s\n", message.attribute, message.text);
        ENSURE(result == TAC_OK);
        if (i == count - 1) model->integrator = TAC_INTEGRATOR_EXPLICIT;
        ENSURE_LAW(generated_law(model, i == 0, 1.5, &worst));
    }
    ENSURE(worst < 1e-12);
    return 0;
}

static int steps_of_scenes_agree(void) {
    static const char* const names[] = {"cart_pole", "double_pendulum", "top",
                                        "arm",       "panda",           "quadruped"};
    double worst = 0.0;
    int count = getenv("TACTUS_NO_SWEEP") ? 3 : 6;
    for (int i = 0; i < count; ++i) {
        char path[300];
        tacModel* model;
        snprintf(path, sizeof path, "%s/scenes/%s.xml", TAC_SOURCE_DIR, names[i]);
        ENSURE(tac_load(path, NULL, &model, NULL) == TAC_OK);
        ENSURE_LAW(generated_law(model, i < 2, 1.5, &worst));
    }
    ENSURE(worst < 1e-12);
    return 0;
}

// contact by separating axes, manifold and soft minimum; limits, dry friction and activations
static const char cups[] =
    "<mujoco model='cups'><option timestep='.001' gravity='0 -9 0' integrator='%s'/>"
    "<tactus %s/><worldbody><geom type='%s' %s/><body name='a' pos='0 .1 0'>%s"
    "<geom size='.15' mass='1'/><body name='b' pos='.3 0 0'><joint name='bend' axis='0 0 1' "
    "range='-20 20' limited='true' frictionloss='.1' damping='.1'/><geom size='.15' mass='.5'/>"
    "</body></body></worldbody><actuator><general joint='bend' dyntype='filter' dynprm='.1' "
    "gainprm='2'/></actuator></mujoco>";

static int steps_with_contact_agree(void) {
    static const char* const kinds[][2] = {
        {"RK4", "detect='sat' respond='elastoplastic' stiffness='1e6' implicit='false'"},
        {"Euler", "detect='convex' respond='spring' implicit='false'"},
        {"Euler", "detect='manifold' respond='spring' implicit='false'"}};
    double worst = 0.0;
    for (int i = 0; i < 4; ++i) {
        char text[1200];
        int space = i != 0;
        tacModel* model;
        snprintf(text, sizeof text, cups, kinds[i % 3][0], kinds[i % 3][1], space ? "plane" : "box",
                 space ? "size='3 3 .1' quat='1 -1 0 0'" : "size='3 .1 3'",
                 i == 3 ? "<joint type='planar'/>" : "<freejoint/>");
        tacMessage message;
        tacResult result = tac_load_text(text, (int)strlen(text), "cups", NULL, &model, &message);
        if (result != TAC_OK) printf("    %s\n", message.text);
        ENSURE(result == TAC_OK);
        ENSURE_LAW(generated_law(model, i == 0, 0.2, &worst));
    }
    ENSURE(worst < 1e-12);
    return 0;
}

static int steps_of_applications_agree(void) {
    static const char* const names[] = {"walking_figure", "space_capture"};
    double worst = 0.0;
    for (int i = 0; i < 2; ++i) {
        char path[300];
        tacModel* model;
        snprintf(path, sizeof path, "%s/scenes/%s.xml", TAC_SOURCE_DIR, names[i]);
        ENSURE(tac_load(path, NULL, &model, NULL) == TAC_OK);
        ENSURE_LAW(generated_law(model, 0, 0.02, &worst));
    }
    ENSURE(worst < 1e-11);
    return 0;
}

//---------------------------------- refusals -------------------------------------

static int is_refused(const char* text, const char* word) {
    tacModel* model;
    tacStepCode* code = NULL;
    tacMessage message;
    ENSURE(tac_load_text(text, (int)strlen(text), "scene", NULL, &model, NULL) == TAC_OK);
    ENSURE(tac_step_code_create(model, NULL, &code, &message) == TAC_ERROR_UNSUPPORTED && !code);
    if (!strstr(message.text, word)) printf("    %s\n", message.text);
    ENSURE(strstr(message.text, word));
    tac_model_destroy(model);
    return 0;
}

#define BALL(option, body)                                                                         \
    "<mujoco model='scene'>" option "<worldbody><body name='wing' " body                           \
    "><joint name='knee' type='ball'/><geom size='.1'/></body></worldbody></mujoco>"

static int scenes_without_formulas_are_refused_by_name(void) {
    ENSURE_LAW(is_refused(BALL("<tactus detect='gjk' respond='lcp'/>", ""), "has hard contact"));
    ENSURE_LAW(is_refused(BALL("<tactus detect='manifold' respond='spring' implicit='true'/>", ""),
                          "has implicit contact"));
    ENSURE_LAW(is_refused(BALL("<option density='1.2'/>", ""), "a fluid"));
    ENSURE_LAW(is_refused(BALL("", "gravcomp='.5'"), "compensation has no formula: wing"));
    return 0;
}

// two slides along one line: nothing says how they share it
static int singular_masses_are_named(void) {
    static const char text[] =
        "<mujoco><worldbody><body name='ghost'><joint name='a' type='slide' axis='1 0 0'/>"
        "<joint name='b' type='slide' axis='1 0 0'/><geom size='.1'/></body></worldbody></mujoco>";
    tacModel* model;
    tacStepCode* code = NULL;
    tacMessage message;
    ENSURE(tac_load_text(text, (int)strlen(text), "scene", NULL, &model, NULL) == TAC_OK);
    ENSURE(tac_step_code_create(model, NULL, &code, &message) == TAC_ERROR_VALUE && !code);
    ENSURE(strstr(message.text, "resists joint b of body ghost"));
    tac_model_destroy(model);
    return 0;
}

// numbers that were changed since are not stepped with
static int stale_code_is_refused(void) {
    char path[300];
    rig r = {0};
    tacParam mass;
    double heavy = 3.0, q[2] = {0.1, 0.2}, v[2] = {0.0}, u = 0.0;
    snprintf(path, sizeof path, "%s/scenes/cart_pole.xml", TAC_SOURCE_DIR);
    ENSURE(tac_load(path, NULL, &r.model, NULL) == TAC_OK);
    ENSURE_LAW(open_rig(&r, 0));
    tacState x = {.qpos = q, .qvel = v};
    ENSURE(tac_step(r.model, &x, &u, &x, r.quick) == TAC_OK);
    ENSURE(tac_step_code_use(NULL, r.quick) == TAC_OK); // back to the general dynamics
    ENSURE(tac_step(r.model, &x, &u, &x, r.quick) == TAC_OK);
    ENSURE(tac_param_find(r.model, "body:pole/mass", &mass) == TAC_OK);
    ENSURE(tac_param_set(r.model, mass, &heavy, NULL) == TAC_OK);
    ENSURE(tac_step_code_use(r.code, r.quick) == TAC_ERROR_VALUE);
    close_rig(&r);
    return 0;
}

TEST_MAIN(RUN(generated_steps_agree_with_general_ones), RUN(steps_of_scenes_agree),
          RUN(steps_with_contact_agree), RUN(steps_of_applications_agree),
          RUN(scenes_without_formulas_are_refused_by_name), RUN(singular_masses_are_named),
          RUN(stale_code_is_refused))
