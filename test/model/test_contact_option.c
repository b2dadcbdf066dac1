// tacOptions.contact takes the place of what a scene says of contact, and of nothing else.

#include "model/contact/contact_data.h"
#include "tactus/contact.h"
#include "tactus/respond.h"
#include "test.h"

#define BALL                                                                                       \
    "<worldbody><geom type=\"plane\" size=\"1 1 1\"/>"                                             \
    "<body pos=\"0 0 1\"><freejoint/><geom size=\".1\" mass=\"1\"/></body></worldbody></mujoco>"
#define PLAIN "<mujoco>" BALL
#define SOFT  "<mujoco><tactus detect=\"manifold\" tau=\".002\" integrator=\"explicit\"/>" BALL

static tacMessage message;

static tacModel* load_with_contact(const char* text, const char* contact) {
    tacModel* model = NULL;
    tacOptions options = tac_default_options();
    options.contact = contact;
    tac_load_text(text, (int)strlen(text), "scene.xml", &options, &model, &message);
    return model;
}

static double param_value(const tacModel* model, const char* name) {
    tacParam param;
    return tac_param_find(model, name, &param) == TAC_OK ? model->param[param.offset] : NAN;
}

// a scene that says nothing
static int option_adds_contact_to_plain_scenes(void) {
    tacModel* model = load_with_contact(PLAIN, NULL);
    ENSURE(model && !model->contact && strstr(message.text, "no contact"));
    tac_model_destroy(model);
    model = load_with_contact(PLAIN, "manifold");
    ENSURE(model && model->contact->detector == TAC_DETECT_MANIFOLD && !*message.text);
    tac_model_destroy(model);
    model = load_with_contact(PLAIN, "  lcp  delta=1e-6 ");
    ENSURE(model && model->contact->responder == TAC_RESPOND_LCP);
    ENSURE(param_value(model, "detect/delta") == 1e-6);
    tac_model_destroy(model);
    return 0;
}

// a scene's own words of contact go, its other words stay
static int option_overrides_the_scene(void) {
    tacModel* model = load_with_contact(SOFT, "detect=manifold support=.1");
    ENSURE(model && param_value(model, "detect/tau") != 0.002);
    ENSURE(param_value(model, "detect/support") == 0.1);
    ENSURE(model->integrator == TAC_INTEGRATOR_EXPLICIT);
    tac_model_destroy(model);
    model = load_with_contact(SOFT, "none");
    ENSURE(model && !model->contact && model->integrator == TAC_INTEGRATOR_EXPLICIT);
    tac_model_destroy(model);
    model = load_with_contact(SOFT, NULL);
    ENSURE(model && param_value(model, "detect/tau") == 0.002);
    tac_model_destroy(model);
    return 0;
}

static int wrong_words_are_refused(void) {
    static const struct {
        const char *contact, *expected;
    } wrong[] = {{"manifol", "neither a detector"}, {"tau=.003", "detect"},
                 {"manifold detect=gjk", "twice"},  {"manifold tau=-1", "tau"},
                 {"manifold colour=red", "colour"}, {"detect=", "detect"}};
    for (int i = 0; i < (int)(sizeof wrong / sizeof *wrong); ++i) {
        ENSURE(load_with_contact(PLAIN, wrong[i].contact) == NULL);
        ENSURE(strcmp(message.file, "contact") == 0 && message.line == 1);
        ENSURE(strstr(message.text, wrong[i].expected) ||
               strstr(message.attribute, wrong[i].expected));
    }
    return 0;
}

#define PEANUT                                                                                     \
    "<mujoco><asset><shape name=\"peanut\" smooth=\".001\" truncate=\".02\"><sphere size=\".1\"/>" \
    "<sphere size=\".1\" pos=\".15 0 0\"/></shape></asset><worldbody><geom type=\"box\" "          \
    "size=\".5 .5 .1\"/><body pos=\"0 0 1\"><freejoint/><geom type=\"shape\" shape=\"peanut\" "    \
    "mass=\"1\"/></body></worldbody></mujoco>"

// what can never touch, or touches everything, is said at load
static int impossible_contact_is_refused(void) {
    tacModel* model = load_with_contact(PLAIN, "manifold sides=first");
    ENSURE(model && strstr(message.text, "pass through each other"));
    tac_model_destroy(model);
    model = load_with_contact(PLAIN, "manifold sides=second");
    ENSURE(model && !*message.text);
    tac_model_destroy(model);
    model = load_with_contact(PEANUT, "manifold tau=.001");
    ENSURE(model != NULL);
    tac_model_destroy(model);
    ENSURE(load_with_contact(PEANUT, "manifold tau=.0025") == NULL &&
           strstr(message.text, "ends at truncate"));
    return 0;
}

TEST_MAIN(RUN(option_adds_contact_to_plain_scenes), RUN(option_overrides_the_scene),
          RUN(wrong_words_are_refused), RUN(impossible_contact_is_refused))
