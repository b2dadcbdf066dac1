// Actuators and tendons of a scene: what is read, and what is refused.

#include "tactus/tactus.h"
#include "test.h"

static tacResult load_text(const char* text, tacModel** out, tacMessage* message) {
    return tac_load_text(text, (int)strlen(text), "test.xml", NULL, out, message);
}

//---------------------------------- what is read ---------------------------------

#define ARM                                                                                        \
    "<worldbody><body><joint name='j' axis='0 1 0' range='-40 80' armature='.1'/>"                 \
    "<geom type='box' size='.1 .2 .3' pos='0 0 .5' mass='2'/>"                                     \
    "<body pos='0 0 1'><joint name='k' type='slide' axis='1 0 0'/><geom size='.1' mass='3'/>"      \
    "</body></body></worldbody>"

static double param_value(const tacModel* model, const char* name) {
    tacParam p;
    return tac_param_find(model, name, &p) == TAC_OK ? model->param[p.offset] : NAN;
}

// each shortcut is a gain, a bias and an activation
static int actuator_shortcuts_equal_general_ones(void) {
    tacModel* m;
    tacMessage message;
    ENSURE(load_text("<mujoco>" ARM "<actuator><motor name='a' joint='j' gear='5'/>"
                     "<position name='b' joint='j' kp='7' kv='2' timeconst='.3'/>"
                     "<velocity name='c' joint='j' kv='3'/><damper name='d' joint='j' kv='4' "
                     "ctrlrange='0 1'/><cylinder name='e' joint='k' diameter='2' bias='1 2 3'/>"
                     "<intvelocity name='f' joint='k' kp='6' actrange='-1 2'/>"
                     "</actuator></mujoco>",
                     &m, &message) == TAC_OK);
    ENSURE(m->nu == 6 && m->na == 3);
    ENSURE(param_value(m, "actuator:a/gear[0]") == 5.0 &&
           param_value(m, "actuator:a/gain[0]") == 1.0);
    ENSURE(param_value(m, "actuator:b/gain[0]") == 7.0 &&
           param_value(m, "actuator:b/bias[1]") == -7.0);
    ENSURE(param_value(m, "actuator:b/bias[2]") == -2.0 &&
           param_value(m, "actuator:b/timeconst") == 0.3);
    ENSURE(m->actuator[1].kind == TAC_ACTIVATION_FILTEREXACT && m->actuator[1].act == 0);
    ENSURE(param_value(m, "actuator:c/gain[0]") == 3.0 &&
           param_value(m, "actuator:c/bias[2]") == -3.0);
    ENSURE(param_value(m, "actuator:d/gain[2]") == -4.0 && m->actuator[3].affine);
    ENSURE_NEAR(param_value(m, "actuator:e/gain[0]"), 3.14159265358979, 1e-12);
    ENSURE(param_value(m, "actuator:e/bias[2]") == 3.0);
    ENSURE(m->actuator[4].kind == TAC_ACTIVATION_FILTER);
    ENSURE(m->actuator[5].kind == TAC_ACTIVATION_INTEGRATOR && m->actuator[5].actlimited);
    ENSURE(m->actuator[5].actrange[1] == 2.0 && m->actuator[5].act == 2);
    tac_model_destroy(m);
    return 0;
}

// the range about its middle, and critical damping of what the actuator moves
static int ranges_and_dampings_follow_the_target(void) {
    const double radian = 3.14159265358979323846 / 180.0;
    tacModel* m;
    ENSURE(load_text("<mujoco>" ARM "<actuator><position joint='j' kp='7' inheritrange='.5' "
                     "dampratio='1' gear='2'/></actuator></mujoco>",
                     &m, NULL) == TAC_OK);
    ENSURE_NEAR(m->actuator[0].ctrlrange[0], -10.0 * radian, 1e-14);
    ENSURE_NEAR(m->actuator[0].ctrlrange[1], 50.0 * radian, 1e-14);
    // box about y at .5, ball at 1, rotor
    double inertia = 2.0 * (.01 + .09) / 3.0 + 2.0 * .25 + 3.0 * (.4 * .01 + 1.0) + .1;
    // M = (inertia 3; 3 3): the slide gives way, 1/M^-1_11 = inertia - 3 * 3/3
    ENSURE_NEAR(param_value(m, "actuator:0/bias[2]"), -2.0 * sqrt(7.0 * (inertia - 3.0) / 4.0),
                1e-13);
    tac_model_destroy(m);
    // MuJoCo before 3.15 holds it
    ENSURE(load_text("<mujoco><tactus compat='3.14'/>" ARM
                     "<actuator><position joint='j' kp='7' dampratio='1' gear='2'/></actuator>"
                     "</mujoco>",
                     &m, NULL) == TAC_OK);
    ENSURE(m->compat == TAC_COMPAT_3_14);
    ENSURE_NEAR(param_value(m, "actuator:0/bias[2]"), -2.0 * sqrt(7.0 * inertia / 4.0), 1e-13);
    tac_model_destroy(m);
    return 0;
}

static int tendons_are_read(void) {
    tacModel* m;
    tacMessage message;
    ENSURE(
        load_text("<mujoco>" ARM "<tendon><fixed name='t' stiffness='2' range='-1 1'>"
                  "<joint joint='j' coef='3'/><joint joint='k' coef='-1'/></fixed>"
                  "<fixed springlength='1 2' frictionloss='.1'><joint joint='k' coef='1'/></fixed>"
                  "</tendon></mujoco>",
                  &m, &message) == TAC_OK);
    ENSURE(m->ntendon == 2 && m->tendon[0].count == 2 && m->tendon[1].first == 2);
    ENSURE(param_value(m, "tendon:t/coef[1]") == -1.0 &&
           param_value(m, "tendon:t/stiffness") == 2.0);
    ENSURE(m->tendon[0].limited && param_value(m, "tendon:1/springlength[1]") == 2.0);
    ENSURE(strstr(message.text, "tendons") != NULL);
    tac_model_destroy(m);
    return 0;
}

// a mocap body is where its pos and quat are put, and carries what hangs on it
static int mocap_bodies_are_moved_by_hand(void) {
    tacModel* m;
    tacScratch* scratch;
    tacParam pos;
    tacPose pose[3];
    const double there[3] = {1.0, 2.0, 3.0}, q = 0.0;
    ENSURE(
        load_text("<mujoco><worldbody><body name='hand' mocap='true' pos='0 0 1'>"
                  "<body pos='.5 0 0'><joint/><geom size='.1'/></body></body></worldbody></mujoco>",
                  &m, NULL) == TAC_OK);
    ENSURE(m->nq == 1 && m->body[1].mocap && !m->body[2].mocap);
    ENSURE(tac_scratch_create(m, &scratch) == TAC_OK);
    ENSURE(tac_param_find(m, "body:hand/pos", &pos) == TAC_OK);
    ENSURE(tac_param_set(m, pos, there, NULL) == TAC_OK);
    ENSURE(tac_kinematics(m, &q, NULL, pose, NULL, scratch) == TAC_OK);
    ENSURE(pose[2].position.x == 1.5 && pose[2].position.y == 2.0 && pose[2].position.z == 3.0);
    tac_scratch_destroy(scratch);
    tac_model_destroy(m);
    return 0;
}

// a box of 2 x 4 x 6 is what the fluid sees of one, in its own axes
static int fluids_use_inertia_boxes(void) {
    tacModel* m;
    ENSURE(load_text("<mujoco><option viscosity='1'/><worldbody><body name='b'><freejoint/>"
                     "<geom type='box' size='1 2 3'/></body></worldbody></mujoco>",
                     &m, NULL) == TAC_OK);
    ENSURE(m->has_external_forces && param_value(m, "option/viscosity") == 1.0 &&
           param_value(m, "option/density") == 0.0);
    ENSURE_NEAR(param_value(m, "body:b/fluid/box[0]"), 2.0, 1e-13);
    ENSURE_NEAR(param_value(m, "body:b/fluid/box[1]"), 4.0, 1e-13);
    ENSURE_NEAR(param_value(m, "body:b/fluid/box[2]"), 6.0, 1e-13);
    ENSURE(param_value(m, "body:b/fluid/quat[0]") == 1.0);
    tac_model_destroy(m);
    ENSURE(load_text("<mujoco><option viscosity='0'/>" ARM "</mujoco>", &m, NULL) == TAC_OK);
    ENSURE(!m->has_external_forces && m->fluid == -1);
    tac_model_destroy(m);
    return 0;
}

//---------------------------------- what is refused ------------------------------

#define VALUE       TAC_ERROR_VALUE
#define UNSUPPORTED TAC_ERROR_UNSUPPORTED

typedef struct badScene {
    const char* text;
    tacResult result;
    const char *attribute, *word;
} badScene;

#define ACTUATOR(text) "<actuator>\n" text "</actuator>"
#define TENDON(text)   "<tendon>\n" text "</tendon>"

static const badScene bad_scenes[] = {
    {ACTUATOR("<motor/>"), VALUE, "joint", "'jointinparent' or 'tendon'"},
    {ACTUATOR("<motor joint='x'/>"), VALUE, "joint", "no joint"},
    {ACTUATOR("<motor tendon='x'/>"), VALUE, "tendon", "no tendon"},
    {ACTUATOR("<motor joint='j' jointinparent='j'/>"), VALUE, "jointinparent", "one target"},
    {ACTUATOR("<motor site='x'/>"), UNSUPPORTED, "site", "actuate a joint"},
    {ACTUATOR("<motor joint='j' ctrlrange='1 0'/>"), VALUE, "ctrlrange", "below"},
    {ACTUATOR("<motor joint='j' actrange='0 1'/>"), VALUE, "actrange", "no activation"},
    {ACTUATOR("<general joint='j' dyntype='muscle'/>"), UNSUPPORTED, "dyntype", "filterexact"},
    {ACTUATOR("<general joint='j' dyntype='filte'/>"), VALUE, "dyntype", "filter"},
    {ACTUATOR("<general joint='j' gaintype='user'/>"), UNSUPPORTED, "gaintype", "fixed affine"},
    {ACTUATOR("<general joint='j' biastype='muscle'/>"), UNSUPPORTED, "biastype", "none affine"},
    {ACTUATOR("<general joint='j' actdim='3'/>"), UNSUPPORTED, "actdim", "one activation"},
    {ACTUATOR("<muscle joint='j'/>"), UNSUPPORTED, "<muscle>", "not supported"},
    {ACTUATOR("<adhesion body='j'/>"), UNSUPPORTED, "<adhesion>", "not supported"},
    {ACTUATOR("<position joint='j' kv='1' dampratio='1'/>"), VALUE, "dampratio", "both set"},
    {ACTUATOR("<position joint='k' inheritrange='1'/>"), VALUE, "inheritrange", "no range"},
    {ACTUATOR("<position joint='j' inheritrange='1' ctrlrange='0 1'/>"), VALUE, "inheritrange",
     "already"},
    {ACTUATOR("<intvelocity joint='j'/>"), VALUE, "actrange", "unbounded"},
    {ACTUATOR("<damper joint='j' ctrlrange='-1 1'/>"), VALUE, "ctrlrange", "upwards"},
    {TENDON("<spatial/>"), UNSUPPORTED, "<spatial>", "fixed"},
    {TENDON("<fixed/>"), VALUE, "<fixed>", "<joint joint="},
    {TENDON("<fixed><joint joint='x' coef='1'/></fixed>"), VALUE, "joint", "no joint"},
    {TENDON("<fixed><joint joint='j'/></fixed>"), VALUE, "coef", "needs"},
    {TENDON("<fixed><joint joint='j' coef='1'/><joint joint='j' coef='1'/></fixed>"), VALUE,
     "joint", "already"},
    {TENDON("<fixed range='1 0'><joint joint='j' coef='1'/></fixed>"), VALUE, "range", "below"},
    {TENDON("<fixed springlength='1 0'><joint joint='j' coef='1'/></fixed>"), VALUE, "springlength",
     "above"},
    {TENDON("<fixed armature='1'><joint joint='j' coef='1'/></fixed>"), UNSUPPORTED, "armature",
     "not supported"},
    {"<tactus rk4='lie'/>", VALUE, "rk4", "RK4"},
    {"<option density='-1'/>", VALUE, "density", "range"},
    {"<worldbody><body mocap='true'><joint/><geom size='1'/></body></worldbody>", VALUE, "mocap",
     "no joints"},
    {"<worldbody><body><body mocap='true'/></body></worldbody>", VALUE, "mocap", "world"},
};

static int wrong_actuators_are_refused(void) {
    int failed = 0;
    for (size_t i = 0; i < sizeof bad_scenes / sizeof *bad_scenes; ++i) {
        char text[1000];
        const badScene* bad = &bad_scenes[i];
        tacModel* model = NULL;
        tacMessage message;
        snprintf(text, sizeof text, "<mujoco>" ARM "%s</mujoco>", bad->text);
        tacResult result = load_text(text, &model, &message);
        int right = result == bad->result && model == NULL &&
                    strcmp(message.attribute, bad->attribute) == 0 && message.line > 0 &&
                    strstr(message.text, bad->word) != NULL;
        if (!right)
            printf("  %s\n  got %s, line %d: %s: %s\n", text, tac_result_name(result), message.line,
                   message.attribute, message.text);
        failed |= !right;
        tac_model_destroy(model);
    }
    return failed;
}

TEST_MAIN(RUN(actuator_shortcuts_equal_general_ones), RUN(ranges_and_dampings_follow_the_target),
          RUN(tendons_are_read), RUN(mocap_bodies_are_moved_by_hand), RUN(fluids_use_inertia_boxes),
          RUN(wrong_actuators_are_refused))
