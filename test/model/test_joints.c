// Joints, inertias, default classes and actuators of a scene: what is read, and what is refused.

#include "tactus/model.h"

#include "model/refusal.h"

#include <stdlib.h>

static double value_of(const tacModel* model, const char* name) {
    tacParam param;
    return tac_param_find(model, name, &param) == TAC_OK ? model->param[param.offset] : NAN;
}

//---------------------------------- what is read ---------------------------------

// an axis may get any length but 0
static int axes_keep_a_direction(void) {
    static const char text[] =
        "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody></mujoco>";
    const double zero[3] = {0}, longer[3] = {0.0, 3.0, 4.0};
    tacModel* model;
    tacParam axis;
    ENSURE(load_text(text, &model, NULL) == TAC_OK);
    ENSURE(tac_param_find(model, "joint:j/axis", &axis) == TAC_OK);
    ENSURE(tac_param_set(model, axis, zero, NULL) == TAC_ERROR_VALUE);
    ENSURE(tac_param_set(model, axis, longer, NULL) == TAC_OK);
    tac_model_destroy(model);
    return 0;
}

// several joints on a body, a body without any between: MuJoCo's order of qpos and qvel
static int degrees_of_freedom_are_mujocos(void) {
    static const char text[] =
        "<mujoco><worldbody>"
        "<body><freejoint/><geom size='1'/><body><geom size='1'/><body><joint type='ball'/>"
        "<joint type='slide' axis='0 0 2'/><geom size='1'/></body></body>"
        "<body><joint/><geom size='1'/></body></body>"
        "</worldbody></mujoco>";
    tacModel* model;
    ENSURE(load_text(text, &model, NULL) == TAC_OK);
    ENSURE(model->nq == 13 && model->nv == 11 && model->njoint == 4 && model->nbody == 5);
    static const int parents[] = {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 5};
    static const int groups[] = {0, 1, 2, 3, 3, 3, 6, 6, 6, 9, 10};
    int row = 0;
    for (int k = 0; k < model->nv; ++k) {
        ENSURE(model->dof[k].parent == parents[k] && model->dof[k].group == groups[k]);
        ENSURE(model->dof[k].row == row);
        row += model->dof[k].depth;
    }
    ENSURE(model->nM == row);
    ENSURE(model->joint[1].qpos == 7 && model->joint[2].qpos == 11 && model->joint[3].qpos == 12);
    ENSURE_NEAR(value_of(model, "joint:2/axis[2]"), 1.0, 0.0);
    ENSURE(model->qpos0[3] == 1.0 && model->qpos0[7] == 1.0 && model->qpos0[11] == 0.0);
    tac_model_destroy(model);
    return 0;
}

// own attribute, class of its own, childclass around it, outermost class
static int defaults_are_inherited(void) {
    static const char text[] =
        "<mujoco><default><joint damping='1' stiffness='1' armature='1' frictionloss='1'/>"
        "<geom size='.1 .2 .3' type='box' euler='0 0 30'/>"
        "<default class='a'><joint damping='2' stiffness='2' armature='2'/>"
        "<default class='b'><joint damping='3' stiffness='3'/></default></default></default>"
        "<worldbody><body childclass='a'><joint name='x' class='b' damping='4'/>"
        "<geom name='g' size='.5' quat='1 0 0 0'/>"
        "<body><joint name='y'/><geom name='h'/></body></body>"
        "<body><joint name='z'/><geom/></body></worldbody></mujoco>";
    tacModel* model;
    tacMessage message;
    ENSURE(load_text(text, &model, &message) == TAC_OK);
    ENSURE_NEAR(value_of(model, "joint:x/damping"), 4.0, 0.0);
    ENSURE_NEAR(value_of(model, "joint:x/stiffness"), 3.0, 0.0);
    ENSURE_NEAR(value_of(model, "joint:x/armature"), 2.0, 0.0);
    ENSURE_NEAR(value_of(model, "joint:x/frictionloss"), 1.0, 0.0);
    ENSURE_NEAR(value_of(model, "joint:y/damping"), 2.0, 0.0);
    ENSURE_NEAR(value_of(model, "joint:z/damping"), 1.0, 0.0);
    ENSURE_NEAR(value_of(model, "geom:g/size[0]"), 0.5, 0.0);
    ENSURE_NEAR(value_of(model, "geom:g/size[1]"), 0.2, 0.0); // the rest is the class's
    ENSURE_NEAR(value_of(model, "geom:g/quat[3]"), 0.0, 0.0); // its own rotation, not the class's
    ENSURE_NEAR(value_of(model, "geom:h/quat[3]"), sin(15.0 * 3.14159265358979 / 180.0), 1e-12);
    tac_model_destroy(model);
    return 0;
}

static int inertias_are_read_and_inferred(void) {
    static const char text[] =
        "<mujoco><compiler settotalmass='8'/><worldbody>"
        "<body name='a'><joint/><inertial mass='1' pos='1 2 3' diaginertia='1 2 3' euler='0 0 90'/>"
        "<geom size='1'/></body>"
        "<body name='b'><joint/><geom type='box' size='.5 .5 .5' mass='3' pos='0 0 1'/></body>"
        "</worldbody></mujoco>";
    tacModel* model;
    ENSURE(load_text(text, &model, NULL) == TAC_OK);
    ENSURE_NEAR(value_of(model, "body:a/mass"), 2.0, 1e-15);
    ENSURE_NEAR(value_of(model, "body:a/com[1]"), 2.0, 0.0);
    ENSURE_NEAR(value_of(model, "body:a/inertia[0]"), 4.0, 1e-14); // x and y are swapped
    ENSURE_NEAR(value_of(model, "body:a/inertia[1]"), 2.0, 1e-14);
    ENSURE_NEAR(value_of(model, "body:b/mass"), 6.0, 1e-14);
    ENSURE_NEAR(value_of(model, "body:b/com[2]"), 1.0, 1e-15);
    ENSURE_NEAR(value_of(model, "body:b/inertia[2]"), 1.0, 1e-14);
    tac_model_destroy(model);
    return 0;
}

//---------------------------------- what is refused ------------------------------

#define BODY(...) "<worldbody>\n<body>" __VA_ARGS__ "</body></worldbody>"
#define VALUE     TAC_ERROR_VALUE
#define LATER     TAC_ERROR_UNSUPPORTED

static const badText bad_scenes[] = {
    {BODY("<joint/>"), VALUE, 3, "<body>", "needs mass"},
    {BODY("<joint/><geom size='1' mass='0'/>"), VALUE, 3, "<body>", "needs mass"},
    {BODY("\n<joint axis='0 0 0'/><geom size='1'/>"), VALUE, 4, "axis", "length 0"},
    {BODY("\n<joint type='hing'/><geom size='1'/>"), VALUE, 4, "type", "did you mean 'hinge'?"},
    {BODY("<joint damping='-1'/><geom size='1'/>"), VALUE, 3, "damping", "out of range"},
    {BODY("<joint stiffness='nan'/><geom size='1'/>"), VALUE, 3, "stiffness", "not a finite"},
    {BODY("<joint range='1 0'/><geom size='1'/>"), VALUE, 3, "range", "below"},
    {BODY("<joint rnage='0 1'/><geom size='1'/>"), LATER, 3, "rnage", "did you mean 'range'?"},
    {BODY("<freejoint/><joint/><geom size='1'/>"), VALUE, 3, "<joint>", "no other joints"},
    {BODY("<geom size='-1'/>"), VALUE, 3, "size",
     "-1 is out of range: 'size' must be between 1e-09"},
    {BODY("<geom size='1 -1'/>"), VALUE, 3, "size", "must be between 0 and"},
    {BODY("<joint/><freejoint/><geom size='1'/>"), VALUE, 3, "<freejoint>", "no other joints"},
    {"<worldbody>\n<body name='arm'><joint/></body></worldbody>", VALUE, 3, "<body>",
     "'arm': a moving body"},
    {BODY("<geom size='1'/><body><freejoint/></body>"), VALUE, 3, "<freejoint>",
     "child of the world"},
    {BODY("<joint type='ball'/><joint type='ball'/><joint/><geom size='1'/>"), VALUE, 3, "<joint>",
     "six"},
    {"<worldbody>\n<joint/></worldbody>", LATER, 3, "<joint>", "not an element of <worldbody>"},
    {BODY("<inertial pos='0 0 0' diaginertia='1 1 1'/>"), VALUE, 3, "mass", "needs"},
    {BODY("<inertial mass='1' pos='0 0 0'/>"), VALUE, 3, "diaginertia", "needs either"},
    {BODY("<inertial mass='1' pos='0 0 0' diaginertia='1 1 3'/>"), VALUE, 3, "<inertial>",
     "principal moments"},
    {BODY("<inertial mass='1' pos='0 0 0' fullinertia='1 1 1 2 0 0'/>"), VALUE, 3, "<inertial>",
     "principal moments"},
    {BODY("<inertial mass='1' pos='0 0 0' fullinertia='1 1 1 0 0 0' quat='1 0 0 0'/>"), VALUE, 3,
     "quat", "body frame"},
    {BODY("<joint/><inertial mass='0' pos='0 0 0' diaginertia='1 1 1'/>"), VALUE, 3, "<body>",
     "above 0"},
    {BODY("<joint/><geom type='ellipsoid' size='1 1 2' shellinertia='true'/>"), LATER, 3,
     "shellinertia", "spheres"},
    {"<asset><shape name='s'><plane/></shape></asset>" BODY(
         "<joint/><geom type='shape' shape='s'/>"),
     VALUE, 3, "shape", "<inertial>"},
    {"<option integrator='implicit'/>", LATER, 2, "integrator", "implicitfast"},
    {"<option>\n<flag gravity='off'/></option>", VALUE, 3, "gravity", "enable disable"},
    {"<default><default><geom/></default></default>", VALUE, 2, "class", "outermost"},
    {"<default>\n<default class='a'/>\n<default class='a'/></default>", VALUE, 4, "class",
     "line 3"},
    {"<default>\n<geom size='-1'/></default>" BODY("<geom/>"), VALUE, 3, "size", "range"},
};

static int wrong_scenes_are_refused_with_line_and_attribute(void) {
    return are_texts_refused("scene.xml", "<mujoco>\n", "</mujoco>", bad_scenes,
                             (int)(sizeof bad_scenes / sizeof *bad_scenes));
}

// a chain of 190 bodies and a fan of 20 000 load
static int many_bodies_load(void) {
    size_t room = 3000000, used = 0;
    char* text = malloc(room);
    used += (size_t)sprintf(text + used, "<mujoco><worldbody>");
    for (int i = 0; i < 20000; ++i)
        used += (size_t)sprintf(text + used, "<body><joint/><geom size='1'/></body>");
    for (int i = 0; i < 190; ++i)
        used += (size_t)sprintf(text + used, "<body><joint/><geom size='1'/>");
    for (int i = 0; i < 190; ++i) used += (size_t)sprintf(text + used, "</body>");
    sprintf(text + used, "</worldbody></mujoco>");
    tacModel* model;
    ENSURE(load_text(text, &model, NULL) == TAC_OK);
    ENSURE(model->nv == 20190 && model->nM == 20000 + 190 * 191 / 2);
    tac_model_destroy(model);
    free(text);
    return 0;
}

TEST_MAIN(RUN(degrees_of_freedom_are_mujocos), RUN(defaults_are_inherited),
          RUN(axes_keep_a_direction), RUN(inertias_are_read_and_inferred),
          RUN(wrong_scenes_are_refused_with_line_and_attribute), RUN(many_bodies_load))
