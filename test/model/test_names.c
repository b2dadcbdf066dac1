// Names and ids of objects, states and their resets, names of flags.

#include "tactus/tactus.h"
#include "test.h"

static const char scene[] =
    "<mujoco><worldbody><camera name='eye' pos='0 0 3'/><body name='arm'><joint name='elbow' "
    "axis='0 1 0'/><geom name='rod' size='.1' pos='.3 0 0'/><site name='tip' pos='.5 0 0'/>"
    "<body name='hand' pos='.5 0 0'><joint name='wrist' axis='0 1 0'/><geom size='.1'/></body>"
    "</body></worldbody>"
    "<tendon><fixed name='cable'><joint joint='elbow' coef='1'/></fixed></tendon>"
    "<actuator><general name='servo' joint='elbow' dyntype='integrator'/></actuator>"
    "<sensor><jointpos name='angle' joint='elbow'/></sensor>"
    "<equality><joint name='link' joint1='elbow' joint2='wrist'/></equality>"
    "<keyframe><key name='folded' time='2' qpos='.5 -.25' qvel='1 2' act='.75' "
    "ctrl='3'/></keyframe>"
    "</mujoco>";

static tacModel* load(void) {
    tacModel* model = NULL;
    tacMessage message = {0};
    if (tac_load_text(scene, (int)strlen(scene), "scene", NULL, &model, &message) != TAC_OK)
        printf("  %s\n", message.text);
    return model;
}

//---------------------------------- names ----------------------------------------

static int names_lead_to_ids_and_back(void) {
    static const struct {
        tacObject kind;
        const char* name;
        int id;
    } known[] = {
        {TAC_OBJ_BODY, "world", 0},   {TAC_OBJ_BODY, "hand", 2},     {TAC_OBJ_XBODY, "arm", 1},
        {TAC_OBJ_JOINT, "wrist", 1},  {TAC_OBJ_GEOM, "rod", 0},      {TAC_OBJ_SITE, "tip", 0},
        {TAC_OBJ_CAMERA, "eye", 0},   {TAC_OBJ_TENDON, "cable", 0},  {TAC_OBJ_ACTUATOR, "servo", 0},
        {TAC_OBJ_SENSOR, "angle", 0}, {TAC_OBJ_EQUALITY, "link", 0}, {TAC_OBJ_KEY, "folded", 0}};
    tacModel* model = load();
    ENSURE(model);
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        ENSURE(tac_name_id(model, known[i].kind, known[i].name) == known[i].id);
        ENSURE(strcmp(tac_id_name(model, known[i].kind, known[i].id), known[i].name) == 0);
    }
    int mass = tac_name_id(model, TAC_OBJ_PARAM, "body:hand/mass");
    ENSURE(mass == model->body[2].mass);
    ENSURE(strcmp(tac_id_name(model, TAC_OBJ_PARAM, mass), "body:hand/mass") == 0);
    ENSURE(strcmp(tac_id_name(model, TAC_OBJ_GEOM, 1), "") == 0);
    tac_model_destroy(model);
    return 0;
}

static int unknown_names_and_ids_are_none(void) {
    tacModel* model = load();
    ENSURE(model);
    for (int kind = -1; kind <= TAC_OBJ_COUNT; ++kind) {
        ENSURE(tac_name_id(model, (tacObject)kind, "nobody") == -1);
        ENSURE(tac_name_id(model, (tacObject)kind, "") == -1);
        ENSURE(tac_name_id(model, (tacObject)kind, NULL) == -1);
        ENSURE(tac_id_name(model, (tacObject)kind, -1) == NULL);
        ENSURE(tac_id_name(model, (tacObject)kind, 1 << 20) == NULL);
    }
    ENSURE(tac_name_id(NULL, TAC_OBJ_BODY, "hand") == -1);
    ENSURE(tac_id_name(NULL, TAC_OBJ_BODY, 0) == NULL);
    tac_model_destroy(model);
    return 0;
}

//---------------------------------- states ---------------------------------------

static int states_reset_and_copy(void) {
    tacModel* model = load();
    tacState *x = NULL, *y = NULL;
    ENSURE(model && tac_state_create(model, &x) == TAC_OK && tac_state_create(model, &y) == TAC_OK);
    ENSURE(x->qpos[0] == 0.0 && x->qvel[1] == 0.0 && x->act[0] == 0.0 && x->time == 0.0);
    ENSURE(tac_state_reset_key(model, x, tac_name_id(model, TAC_OBJ_KEY, "folded")) == TAC_OK);
    ENSURE(x->qpos[0] == 0.5 && x->qpos[1] == -0.25 && x->qvel[1] == 2.0 && x->act[0] == 0.75);
    ENSURE(x->time == 2.0);
    ENSURE(tac_state_copy(model, x, y) == TAC_OK);
    ENSURE(y->qpos[1] == -0.25 && y->qvel[0] == 1.0 && y->act[0] == 0.75 && y->time == 2.0);
    ENSURE(tac_state_reset(model, x) == TAC_OK && x->qpos[0] == 0.0 && x->time == 0.0);
    ENSURE(y->qpos[0] == 0.5);
    ENSURE(tac_state_reset_key(model, x, -1) == TAC_ERROR_VALUE);
    ENSURE(tac_state_reset_key(model, x, model->nkey) == TAC_ERROR_VALUE);
    ENSURE(tac_state_copy(model, x, &(tacState){0}) == TAC_ERROR_VALUE);
    ENSURE(tac_state_size(model) == model->nq + model->nv + model->na + model->nwarm);
    tac_state_destroy(x);
    tac_state_destroy(y);
    tac_state_destroy(NULL);
    tac_model_destroy(model);
    return 0;
}

//---------------------------------- flags ----------------------------------------

static int flags_have_names(void) {
    unsigned all = 0;
#define CHECK_FLAG(name, bit, text)                                                                \
    ENSURE(strcmp(tac_flag_name(name), #name) == 0 && strcmp(tac_flag_text(name), text) == 0);     \
    all |= name;
    TAC_FLAGS(CHECK_FLAG)
#undef CHECK_FLAG
    ENSURE(all == TAC_FLAG_ALL);
    ENSURE(tac_flag_name(0) == NULL && tac_flag_name(3) == NULL && tac_flag_name(1024) == NULL);
    ENSURE(tac_flag_text(0) == NULL);
    return 0;
}

TEST_MAIN(RUN(names_lead_to_ids_and_back), RUN(unknown_names_and_ids_are_none),
          RUN(states_reset_and_copy), RUN(flags_have_names))
