// Parameters by name: find, name, set.

#include "tactus/model.h"
#include "test.h"

#include <stdlib.h>

static const char scene[] =
    "<mujoco><asset>"
    "<shape name='cup'>"
    " <superquadric name='wall' size='.04 .04 .05' eps='.1 1'/>"
    " <union name='handle'><sphere size='.1'/><sphere name='tip' size='.2'/>"
    " </union>"
    "</shape>"
    "<shape name='one'><sphere size='2'/></shape>"
    "</asset><worldbody><body name='b'>"
    "<geom name='ball' size='.1'/><geom type='plane'/>"
    "</body></worldbody></mujoco>";

static tacModel* load_param_scene(void) {
    tacModel* model;
    if (tac_load_text(scene, (int)sizeof scene - 1, "scene.xml", NULL, &model, NULL) != TAC_OK)
        exit(1);
    return model;
}

static int names_find_their_numbers(void) {
    tacModel* m = load_param_scene();
    static const struct {
        const char* name;
        int count;
        double first;
    } known[] = {
        {"shape:cup/0/size", 3, .04},
        {"shape:cup/0/size[2]", 1, .05},
        {"shape:cup/wall/size[2]", 1, .05},
        {"shape:cup/0/eps", 2, .1},
        {"shape:cup/1/1/size", 1, .2},
        {"shape:cup/handle/tip/size", 1, .2},
        {"shape:cup/handle/1/size", 1, .2},
        {"shape:cup/1/tip/size", 1, .2},
        {"shape:cup/1/tip/size[0]", 1, .2},
        {"shape:cup/handle/0/size", 1, .1},
        {"shape:cup/smooth", 1, .005 * .13 / 3},
        {"shape:cup/quat", 4, 1.0},
        {"shape:one/0/size", 1, 2.0},
        {"geom:ball/size", 1, .1},
        {"shape:geom:ball/0/size", 1, .1},
        {"geom:1/quat", 4, 1.0},
        {"body:b/pos", 3, 0.0},
        {"body:world/quat", 4, 1.0},
        {"option/gravity[2]", 1, -9.81},
        {"option/timestep", 1, 0.002},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        tacParam param;
        if (tac_param_find(m, known[i].name, &param) != TAC_OK) printf("  %s\n", known[i].name);
        ENSURE(tac_param_find(m, known[i].name, &param) == TAC_OK);
        ENSURE(param.count == known[i].count);
        ENSURE_NEAR(m->param[param.offset], known[i].first, 1e-15);
    }
    tac_model_destroy(m);
    return 0;
}

static int other_names_are_unknown(void) {
    tacModel* m = load_param_scene();
    static const char* const unknown[] = {"",
                                          "shape",
                                          "shape:cup",
                                          "shape:cup/",
                                          "shape:cup/2/size",
                                          "shape:cup/0/size[3]",
                                          "shape:cup/0/size[",
                                          "shape:cup/0/size[]",
                                          "shape:cup/0/size[-1]",
                                          "shape:cup/0/size[1]x",
                                          "shape:cup/0/size[99999999999]",
                                          "shape:cup/wall",
                                          "shape:cup/wall/size/",
                                          "shape:one/smooth",
                                          "shape:one/pos",
                                          "geom:ball/eps",
                                          "/",
                                          "//",
                                          "[0]",
                                          "shape:cup/tip/size",
                                          "geom:ball/0/size"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; ++i) {
        tacParam param = {-7, 0, 0, 0};
        ENSURE(tac_param_find(m, unknown[i], &param) == TAC_ERROR_VALUE);
        ENSURE(param.offset == -7);
    }
    tac_model_destroy(m);
    return 0;
}

// the name of a number finds that number again; groups cover all numbers once
static int names_and_offsets_are_inverse(void) {
    tacModel* m = load_param_scene();
    for (int i = 0; i < m->nparam; ++i) {
        char name[300];
        tacParam param;
        ENSURE(tac_param_name(m, i, name, sizeof name) == TAC_OK);
        ENSURE(tac_param_find(m, name, &param) == TAC_OK);
        ENSURE(param.offset == i && param.count == 1);
    }
    int sum = 0;
    for (int i = 0; i < m->nparamname; ++i) {
        sum += m->paramname[i].param.count;
        if (i) ENSURE(strcmp(m->paramname[i - 1].name, m->paramname[i].name) < 0);
    }
    ENSURE(sum == m->nparam);
    char small[5];
    ENSURE(tac_param_name(m, 0, small, sizeof small) == TAC_OK && strlen(small) == 4);
    ENSURE(tac_param_name(m, -1, small, sizeof small) == TAC_ERROR_VALUE);
    ENSURE(tac_param_name(m, m->nparam, small, sizeof small) == TAC_ERROR_VALUE);
    ENSURE(tac_param_name(m, 0, small, 0) == TAC_ERROR_VALUE);
    tac_model_destroy(m);
    return 0;
}

static int set_checks_and_changes(void) {
    tacModel* m = load_param_scene();
    tacParam size;
    tacMessage message;
    ENSURE(tac_param_find(m, "shape:cup/0/size", &size) == TAC_OK);
    ENSURE(tac_param_set(m, size, (double[]){1, 2, 3}, &message) == TAC_OK);
    ENSURE(m->param[size.offset] == 1 && m->param[size.offset + 2] == 3);

    // all or nothing
    static const double wrong[] = {0.0, -1.0, NAN, INFINITY, 1e10};
    for (int i = 0; i < 5; ++i) {
        ENSURE(tac_param_set(m, size, (double[]){4, 5, wrong[i]}, &message) == TAC_ERROR_VALUE);
        ENSURE(strcmp(message.attribute, "shape:cup/0/size[2]") == 0);
        ENSURE(m->param[size.offset] == 1 && m->param[size.offset + 2] == 3);
    }
    // a narrower range of the caller's holds as well, a wider one does not help
    tacParam narrow = size, wide = size;
    narrow.upper = 2.5;
    wide.lower = -5.0;
    ENSURE(tac_param_set(m, narrow, (double[]){1, 2, 3}, NULL) == TAC_ERROR_VALUE);
    ENSURE(tac_param_set(m, wide, (double[]){1, 2, -3}, NULL) == TAC_ERROR_VALUE);

    static const tacParam none[] = {
        {-1, 1, -1, 1}, {0, 0, -1, 1}, {0, 1 << 30, -1, 1}, {1 << 30, 1, -1, 1}, {0, -1, -1, 1}};
    for (int i = 0; i < 5; ++i)
        ENSURE(tac_param_set(m, none[i], (double[]){0}, &message) == TAC_ERROR_VALUE);
    tac_model_destroy(m);
    return 0;
}

// no way leads to a quaternion of length 0
static int quaternions_stay_rotations(void) {
    tacModel* m = load_param_scene();
    tacParam quat, w;
    tacMessage message;
    ENSURE(tac_param_find(m, "geom:ball/quat", &quat) == TAC_OK);
    ENSURE(tac_param_find(m, "geom:ball/quat[0]", &w) == TAC_OK);
    ENSURE(tac_param_set(m, quat, (double[]){0, 0, 0, 0}, &message) == TAC_ERROR_VALUE);
    ENSURE(strcmp(message.attribute, "geom:ball/quat") == 0);
    ENSURE(tac_param_set(m, w, (double[]){0}, &message) == TAC_ERROR_VALUE);
    ENSURE(tac_param_set(m, quat, (double[]){0, 0, 3, 0}, &message) == TAC_OK);
    ENSURE(tac_param_set(m, w, (double[]){0}, &message) == TAC_OK);
    tac_model_destroy(m);
    return 0;
}

TEST_MAIN(RUN(names_find_their_numbers), RUN(other_names_are_unknown),
          RUN(names_and_offsets_are_inverse), RUN(set_checks_and_changes),
          RUN(quaternions_stay_rotations))
