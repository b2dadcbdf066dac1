// Physics of a scene that nothing computes is refused, with line and attribute, unless the scene
// accepts it; and every parameter of a scene that loads is within its own range.

#define _GNU_SOURCE
#include "model_files.h"
#include "tactus/tactus.h"
#include "test.h"

static tacResult load_text(const char* text, tacModel** model, tacMessage* message) {
    *model = NULL;
    return tac_load_text(text, (int)strlen(text), "scene", NULL, model, message);
}

//---------------------------------- refused and accepted -------------------------

#define FLOOR  "<geom type='plane' size='1 1 .1'/>"
#define BALL   "<body pos='0 0 .1'><freejoint/><geom size='.1'/></body>"
#define SPRING "<tactus detect='manifold' "
#define HARD   "<tactus detect='gjk' respond='lcp' "

// the second half of a scene, behind its <tactus>
static const struct {
    const char *word, *attribute, *scene;
    int line;
} refused[] = {
    {"condim", "condim",
     "<worldbody>" FLOOR "<body><freejoint/>\n<geom size='.1' condim='6'/></body></worldbody>", 2},
    {"condim", "condim",
     "<default>\n<geom condim='4'/></default><worldbody>" FLOOR BALL "</worldbody>", 2},
    {"condim", "condim",
     "<worldbody><geom name='a' type='plane' size='1 1 1'/><body><freejoint/><geom name='b' "
     "size='.1'/></body></worldbody><contact>\n\n<pair geom1='a' geom2='b' condim='4'/></contact>",
     3},
    {"equality", "connect",
     "<worldbody><body name='b'><freejoint/><geom size='.1'/></body></worldbody>\n<equality>\n"
     "<connect body1='b' anchor='0 0 0'/></equality>",
     3},
    {"margin", "margin",
     "<worldbody>" FLOOR "<body><freejoint/>\n<geom size='.1' margin='.01'/></body></worldbody>",
     2},
    {"margin", "margin",
     "<worldbody><body>\n<joint range='-10 10' margin='.1'/><geom size='.1'/></body></worldbody>",
     2},
    {"hfield", "hfield",
     "<asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1'/></asset><worldbody>\n<geom "
     "type='hfield' hfield='h'/>" BALL "</worldbody>",
     2},
    {"ball_limit", "range",
     "<worldbody><body>\n<joint type='ball' range='0 30'/><geom size='.1'/></body></worldbody>", 2},
    {"override", "override",
     "<option o_friction='1 1 1'>\n<flag override='enable'/></option><worldbody>" FLOOR BALL
     "</worldbody>",
     2},
    {"fluidshape", "fluidshape",
     "<option density='1000'/><worldbody><body><freejoint/>\n<geom type='ellipsoid' size='.1 .05 "
     ".01' fluidshape='ellipsoid'/></body></worldbody>",
     2},
};

static int refusal_law(int i) {
    char text[2000];
    tacModel* model;
    tacMessage message;
    snprintf(text, sizeof text, "<mujoco>" SPRING "/>%s</mujoco>", refused[i].scene);
    ENSURE(load_text(text, &model, &message) == TAC_ERROR_UNSUPPORTED);
    ENSURE(message.line == refused[i].line);
    ENSURE(strcmp(message.attribute, refused[i].attribute) == 0);
    snprintf(text, sizeof text, "ignore=\"%s\"", refused[i].word);
    ENSURE(strstr(message.text, text));
    snprintf(text, sizeof text, "<mujoco>" SPRING "ignore='%s'/>%s</mujoco>", refused[i].word,
             refused[i].scene);
    ENSURE(load_text(text, &model, &message) == TAC_OK);
    tac_model_destroy(model);
    return 0;
}

static int what_nothing_computes_is_refused(void) {
    for (int i = 0; i < (int)(sizeof refused / sizeof refused[0]); ++i) {
        printf("    %s\n", refused[i].word);
        ENSURE_LAW(refusal_law(i));
    }
    return 0;
}

#define EQUALITY(active)                                                                           \
    "<worldbody><body name='b'><freejoint/><geom "                                                 \
    "size='.1'/></body></worldbody><equality><connect "                                            \
    "body1='b' anchor='0 0 0' active='" active "'/></equality></mujoco>"

// scenes whose motion is that of their file
static const char* const accepted[] = {
    "<mujoco>" HARD "/>" EQUALITY("true"),
    "<mujoco>" SPRING "/>" EQUALITY("false"),
    "<mujoco>" SPRING "/><option><flag equality='disable'/></option>" EQUALITY("true"),
    "<mujoco><worldbody><body><freejoint/><geom size='.1' fluidshape='ellipsoid'/></body>"
    "</worldbody></mujoco>",
    // nothing touches what has condim 6
    "<mujoco>" SPRING "/><worldbody>" FLOOR "<body><freejoint/><geom size='.1'/><geom size='.1' "
    "condim='6' contype='0' conaffinity='0'/></body></worldbody></mujoco>",
    // the higher priority has condim 3
    "<mujoco>" SPRING "/><worldbody><geom type='plane' size='1 1 1' condim='6'/><body><freejoint/>"
    "<geom size='.1' priority='1'/></body></worldbody></mujoco>",
    "<mujoco><option collision='all'/><worldbody>" BALL "</worldbody></mujoco>",
};

static int what_changes_no_motion_is_accepted(void) {
    for (int i = 0; i < (int)(sizeof accepted / sizeof accepted[0]); ++i) {
        tacModel* model;
        tacMessage message;
        if (load_text(accepted[i], &model, &message) != TAC_OK) printf("    %s\n", message.text);
        ENSURE(model);
        tac_model_destroy(model);
    }
    return 0;
}

static int words_of_old_rules_are_refused(void) {
    static const struct {
        const char *text, *attribute;
        tacResult result;
    } cases[] = {
        {"<mujoco><option collision='predefined'/></mujoco>", "collision", TAC_ERROR_UNSUPPORTED},
        {"<mujoco><worldbody><body sleep='init'><freejoint/><geom size='.1'/></body></worldbody>"
         "</mujoco>",
         "sleep", TAC_ERROR_UNSUPPORTED},
        {"<mujoco><tactus ignore='condim friction'/></mujoco>", "ignore", TAC_ERROR_VALUE},
        {"<mujoco><tactus compat='2.3'/></mujoco>", "compat", TAC_ERROR_VALUE},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); ++i) {
        tacModel* model;
        tacMessage message;
        ENSURE(load_text(cases[i].text, &model, &message) == cases[i].result);
        ENSURE(strcmp(message.attribute, cases[i].attribute) == 0);
    }
    return 0;
}

// condim 1: a ball keeps its speed on the floor
static int condim_1_has_no_friction(void) {
    static const char* const contacts[] = {"detect='manifold'", "detect='gjk' respond='lcp'"};
    for (int i = 0; i < 2; ++i) {
        char text[600];
        tacModel* model;
        tacScratch* scratch = NULL;
        double q[7] = {0.0, 0.0, 0.1, 1.0}, v[6] = {1.0};
        tacState x = {.qpos = q, .qvel = v};
        snprintf(text, sizeof text,
                 "<mujoco><tactus %s/><default><geom condim='1'/></default><worldbody>" FLOOR BALL
                 "</worldbody></mujoco>",
                 contacts[i]);
        ENSURE(load_text(text, &model, NULL) == TAC_OK);
        ENSURE(tac_scratch_create(model, &scratch) == TAC_OK);
        for (int k = 0; k < 200; ++k) ENSURE(tac_step(model, &x, NULL, &x, scratch) == TAC_OK);
        ENSURE_NEAR(v[0], 1.0, 1e-12);
        ENSURE_NEAR(v[4], 0.0, 1e-12);
        ENSURE(q[2] > 0.09);
        tac_scratch_destroy(scratch);
        tac_model_destroy(model);
    }
    return 0;
}

//---------------------------------- ranges ---------------------------------------

#define SERVO(attributes)                                                                          \
    "<mujoco><worldbody><body><joint name='j' type='slide'/><geom size='.1'/></body></worldbody>"  \
    "<actuator>\n<position joint='j' " attributes "/></actuator></mujoco>"

static int values_out_of_their_parameters_range_are_refused(void) {
    tacModel* model;
    tacMessage message;
    ENSURE(load_text(SERVO("kp='2e9'"), &model, &message) == TAC_OK);
    tac_model_destroy(model);
    ENSURE(load_text(SERVO("kp='1' timeconst='1e11'"), &model, &message) == TAC_ERROR_VALUE);
    ENSURE(message.line == 2 && strcmp(message.attribute, "timeconst") == 0);
    ENSURE(load_text(SERVO("kp='1e12' dampratio='1e9'"), &model, &message) == TAC_ERROR_VALUE);
    ENSURE(message.line == 2 && strstr(message.text, "actuator:0/bias"));
    ENSURE(load_text("<mujoco><worldbody>\n<frame pos='9e8 0 0'>\n<body pos='9e8 0 0'><freejoint/>"
                     "<geom size='.1'/></body></frame></worldbody></mujoco>",
                     &model, &message) == TAC_ERROR_VALUE);
    ENSURE(message.line == 3);
    return 0;
}

static int ranges_law(const tacModel* model, const char* path) {
    for (int i = 0; i < model->nparamname; ++i) {
        tacParam p = model->paramname[i].param;
        for (int k = p.offset; k < p.offset + p.count; ++k)
            if (!(model->param[k] >= p.lower && model->param[k] <= p.upper)) {
                printf("    %s: %s = %g\n", path, model->paramname[i].name, model->param[k]);
                return 1;
            }
    }
    return 0;
}

static int parameters_of_all_models_are_in_range(void) {
    const modelFiles* files = list_model_files();
    int loaded = 0;
    for (int i = 0; i < files->count; ++i) {
        tacModel* model = NULL;
        if (tac_load(files->path[i], NULL, &model, NULL) != TAC_OK) continue;
        ENSURE(ranges_law(model, files->path[i]) == 0);
        tac_model_destroy(model);
        ++loaded;
    }
    printf("    %d models\n", loaded);
    ENSURE(loaded >= 5);
    return 0;
}

//---------------------------------- messages -------------------------------------

// meshes with a warning each: what does not fit is counted
static int warnings_are_not_cut_in_silence(void) {
    char text[8000];
    tacModel* model;
    tacMessage message;
    FILE* file = fopen("/tmp/tactus-warnings.obj", "w");
    ENSURE(file);
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\nf 1 1 2\nf 3 2 "
          "1\n",
          file);
    fclose(file);
    snprintf(text, sizeof text, "<mujoco><asset>");
    for (int i = 0; i < 40; ++i) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used,
                 "<mesh name='long_name_of_a_mesh_%d' file='/tmp/tactus-warnings.obj'/>", i);
    }
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "</asset><worldbody>");
    for (int i = 0; i < 40; ++i) {
        used = strlen(text);
        snprintf(text + used, sizeof text - used,
                 "<geom type='mesh' mesh='long_name_of_a_mesh_%d'/>", i);
    }
    used = strlen(text);
    snprintf(text + used, sizeof text - used, "</worldbody></mujoco>");
    ENSURE(used + 30 < sizeof text);
    tacResult result = load_text(text, &model, &message);
    remove("/tmp/tactus-warnings.obj");
    ENSURE(result == TAC_OK);
    tac_model_destroy(model);
    ENSURE(strstr(message.text, "1 degenerate and 1 repeated faces"));
    ENSURE(strstr(message.text, "; and ") && strstr(message.text, " more"));
    int shown = 0, more = 0;
    for (const char* at = message.text; (at = strstr(at, "left out")); ++at) ++shown;
    ENSURE(sscanf(strstr(message.text, "; and "), "; and %d more", &more) == 1);
    ENSURE(shown + more == 40);
    return 0;
}

static int errors_name_the_attribute_of_the_file(void) {
    tacModel* model;
    tacMessage message;
    ENSURE(load_text("<mujoco>\n<tactus detect='manifold' clash='-1'/></mujoco>", &model,
                     &message) == TAC_ERROR_VALUE);
    ENSURE(message.line == 2 && strcmp(message.attribute, "clash") == 0);
    ENSURE(strstr(message.text, "opposing"));
    ENSURE(load_text("<mujoco>\n<tactus detect='manifold' opposing='-1'/></mujoco>", &model,
                     &message) == TAC_ERROR_VALUE);
    ENSURE(strcmp(message.attribute, "opposing") == 0);
    return 0;
}

// a scan with a face without area and one twice becomes a cloud of the others
static int degenerate_faces_of_clouds_are_left_out(void) {
    static const char
        path[] = "/tmp/tactus-scan.off",
        scene[] =
            "<mujoco><asset><shape name='s'><cloud file='/tmp/tactus-scan.off' %s/></shape></asset>"
            "<worldbody><geom type='shape' shape='s'/></worldbody></mujoco>";
    char text[400];
    FILE* file = fopen(path, "w");
    ENSURE(file);
    // vertex 4 is vertex 0 again, vertex 5 the middle of 0 and 1
    fputs("OFF\n6 6 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 0 0\n.5 0 0\n3 0 2 1\n3 0 1 3\n3 1 2 3\n"
          "3 0 3 2\n3 0 5 1\n3 4 2 1\n",
          file);
    fclose(file);
    int fine = 1;
    for (int i = 0; i < 3; ++i) {
        static const char* const more[] = {"", "area='true'", "log_amp='0 1 2 3 4 5'"};
        tacModel* model;
        tacMessage message;
        snprintf(text, sizeof text, scene, more[i]);
        if (load_text(text, &model, &message) != TAC_OK) printf("    %s\n", message.text);
        fine &= model && model->cloud[0].count == 4 &&
                strstr(message.text, "1 faces without area and 1 repeated") != NULL;
        tac_model_destroy(model);
    }
    remove(path);
    ENSURE(fine);
    return 0;
}

static int missing_meshes_are_reported(void) {
    tacModel* model;
    tacMessage message;
    ENSURE(load_text("<mujoco><asset>\n<mesh name='a' file='nosuch.obj'/></asset><worldbody><geom "
                     "size='.1'/></worldbody></mujoco>",
                     &model, &message) == TAC_OK);
    tac_model_destroy(model);
    ENSURE(strstr(message.text, "scene:2: mesh files that nothing uses are missing: 1") &&
           strstr(message.text, "nosuch.obj"));
    return 0;
}

TEST_MAIN(RUN(what_nothing_computes_is_refused), RUN(what_changes_no_motion_is_accepted),
          RUN(words_of_old_rules_are_refused), RUN(condim_1_has_no_friction),
          RUN(values_out_of_their_parameters_range_are_refused),
          RUN(parameters_of_all_models_are_in_range), RUN(warnings_are_not_cut_in_silence),
          RUN(errors_name_the_attribute_of_the_file), RUN(missing_meshes_are_reported),
          RUN(degenerate_faces_of_clouds_are_left_out))
