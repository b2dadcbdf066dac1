// Old spellings of <tactus> load to the same model as the new ones, and warn once with file, line
// and the new name.

#include "base/assert.h"
#include "model/contact/contact_data.h"
#include "refusal.h"
#include "tactus/contact.h"

// a box that turns over an edge: all features of a manifold and of rays along edges
#define SCENE                                                                                      \
    "<mujoco>\n<tactus %s\n %s/>%s<worldbody><geom type=\"box\" size=\"1 1 .1\"/><body pos=\"0 0 " \
    ".2\"><freejoint/><geom type=\"box\" size=\".1 .1 .1\" "                                       \
    "mass=\"1\"/></body></worldbody></mujoco>"

typedef struct spelling {
    const char *others, *old_words, *new_words; // attributes that it needs; both spellings
    const char* warning;                        // after file and line
    const char *old_param, *new_param;          // NULL: it is no parameter
} spelling;

#define MANIFOLD  "detect=\"manifold\""
#define REFERENCE "detect=\"manifold\" definition=\"reference\""
#define POINTS    "detect=\"ssdf\" respond=\"spring\""
#define TOP_K     "detect=\"manifold\" top_k=\"threshold\""

static const spelling spellings[] = {
    {MANIFOLD, "clash=\".2\"", "opposing=\".2\"", "'clash' is now called 'opposing'",
     "detect/clash", "detect/opposing"},
    {MANIFOLD, "least=\".02\"", "min=\".02\"", "'least' is now called 'min'", "detect/least",
     "detect/min"},
    {MANIFOLD, "regular=\".002\"", "tikhonov=\".002\"", "'regular' is now called 'tikhonov'",
     "detect/regular", "detect/tikhonov"},
    {MANIFOLD, "within=\".03\"", "inside=\".03\"", "'within' is now called 'inside'",
     "detect/within", "detect/inside"},
    {MANIFOLD, "neighbours=\".01\"", "edge_softmin=\".01\"",
     "'neighbours' is now called 'edge_softmin'", "detect/neighbours", "detect/edge_softmin"},
    {"detect=\"edge_sdf\"", "slope=\"1.5\"", "lipschitz=\"1.5\"",
     "'slope' is now called 'lipschitz'", "detect/slope", "detect/lipschitz"},
    {POINTS, "soft=\"6\"", "soft_points=\"6\"", "'soft' is now called 'soft_points'", NULL, NULL},
    {POINTS, "sort=\".3\"", "sort_temperature=\".3\"", "'sort' is now called 'sort_temperature'",
     "detect/sort", "detect/sort_temperature"},
    {MANIFOLD, "keep=\"threshold\"", "top_k=\"threshold\"", "'keep' is now called 'top_k'", NULL,
     NULL},
    {TOP_K, "keep_vertices=\"4\"", "top_k_vertices=\"4\"",
     "'keep_vertices' is now called 'top_k_vertices'", NULL, NULL},
    {TOP_K, "keep_edges=\"4\"", "top_k_edges=\"4\"", "'keep_edges' is now called 'top_k_edges'",
     NULL, NULL},
    {TOP_K, "keepwidth=\".01\"", "top_k_width=\".01\"", "'keepwidth' is now called 'top_k_width'",
     "detect/keepwidth", "detect/top_k_width"},
    {MANIFOLD, "law=\"published\"", "law=\"reference\"", "law=\"published\" is now \"reference\"",
     NULL, NULL},
    {MANIFOLD, "definition=\"published\"", "definition=\"reference\"",
     "definition=\"published\" is now \"reference\"", NULL, NULL},
    {REFERENCE, "keep=\"near\"", "top_k=\"none\"", "top_k=\"near\" is now \"none\"", NULL, NULL},
};

static int count_of(const char* text, const char* word) {
    int count = 0;
    for (const char* at = text; (at = strstr(at, word)); at += strlen(word)) ++count;
    return count;
}

static int are_same(const tacModel* a, const tacModel* b) {
    ENSURE(a->nparam == b->nparam && a->contact && b->contact);
    ENSURE(memcmp(a->param, b->param, sizeof *a->param * (size_t)a->nparam) == 0);
    for (int i = 0; i < a->nparam; ++i) {
        char name[2][200];
        ENSURE(tac_param_name(a, i, name[0], 200) == TAC_OK);
        ENSURE(tac_param_name(b, i, name[1], 200) == TAC_OK);
        ENSURE(strcmp(name[0], name[1]) == 0);
    }
    ENSURE(a->contact->detector == b->contact->detector);
    ENSURE(a->contact->responder == b->contact->responder);
    ENSURE(memcmp(a->contact->choice, b->contact->choice, sizeof a->contact->choice) == 0);
    ENSURE(memcmp(a->contact->number, b->contact->number, sizeof a->contact->number) == 0);
    return 0;
}

static int old_parameters_are_found(const tacModel* model, const spelling* s) {
    tacParam old_param, new_param;
    if (!s->old_param) return 0;
    ENSURE(tac_param_find(model, s->new_param, &new_param) == TAC_OK);
    ENSURE(tac_param_find(model, s->old_param, &old_param) == TAC_OK);
    ENSURE(memcmp(&old_param, &new_param, sizeof old_param) == 0);
    return 0;
}

static int old_spellings_load_and_warn(void) {
    for (int i = 0; i < TAC_COUNT(spellings); ++i) {
        const spelling* s = &spellings[i];
        tacModel* model[2] = {NULL};
        tacMessage message[2];
        char text[2000], warning[200];
        for (int k = 0; k < 2; ++k) {
            snprintf(text, sizeof text, SCENE, s->others, k ? s->new_words : s->old_words, "");
            tacResult result = load_text(text, &model[k], &message[k]);
            if (result != TAC_OK) printf("  %s: %s\n", message[k].attribute, message[k].text);
            ENSURE(result == TAC_OK);
        }
        snprintf(warning, sizeof warning, "scene.xml:3: %s", s->warning);
        if (count_of(message[0].text, warning) != 1) printf("  %s\n", message[0].text);
        ENSURE(count_of(message[0].text, warning) == 1);
        ENSURE(count_of(message[1].text, "is now") == 0);
        ENSURE_LAW(are_same(model[0], model[1]));
        ENSURE_LAW(old_parameters_are_found(model[0], s));
        tac_model_destroy(model[0]);
        tac_model_destroy(model[1]);
    }
    return 0;
}

// a later element holds; the line is that of the first
static int each_old_name_warns_once(void) {
    tacMessage message;
    tacModel* model = NULL;
    tacParam param;
    char text[2000];
    snprintf(text, sizeof text, SCENE, MANIFOLD, "clash=\".2\" keep=\"near\"",
             "\n<tactus clash=\".3\"/>");
    ENSURE(load_text(text, &model, &message) == TAC_OK);
    ENSURE(count_of(message.text, "scene.xml:3: 'clash' is now called 'opposing'") == 1);
    ENSURE(count_of(message.text, "scene.xml:3: 'keep' is now called 'top_k'") == 1);
    ENSURE(count_of(message.text, "scene.xml:3: top_k=\"near\" is now \"none\"") == 1);
    ENSURE(count_of(message.text, "is now") == 3);
    ENSURE(tac_param_find(model, "detect/opposing", &param) == TAC_OK);
    ENSURE(model->param[param.offset] == 0.3);
    tac_model_destroy(model);
    return 0;
}

static int options_have_old_names_too(void) {
    tacMessage message;
    tacModel* model = NULL;
    tacOptions options = tac_default_options();
    char text[2000];
    snprintf(text, sizeof text, SCENE, "", "", "");
    options.contact = "manifold keep=threshold clash=.2";
    ENSURE(tac_load_text(text, (int)strlen(text), "scene.xml", &options, &model, &message) ==
           TAC_OK);
    ENSURE(count_of(message.text, "contact:1: 'clash' is now called 'opposing'") == 1);
    ENSURE(count_of(message.text, "contact:1: 'keep' is now called 'top_k'") == 1);
    tac_model_destroy(model);
    return 0;
}

static int both_names_are_refused(void) {
    static const badText bad[] = {
        {"<mujoco>\n<tactus detect='manifold' clash='.1' opposing='.1'/></mujoco>", TAC_ERROR_VALUE,
         2, "clash", "old name of 'opposing'"},
        {"<mujoco>\n<tactus detect='manifold'\n keep='best'/></mujoco>", TAC_ERROR_VALUE, 3, "keep",
         "(now 'top_k') 'best' is not a value of 'top_k'"},
    };
    return are_texts_refused("scene.xml", "", "", bad, TAC_COUNT(bad));
}

TEST_MAIN(RUN(old_spellings_load_and_warn), RUN(each_old_name_warns_once),
          RUN(options_have_old_names_too), RUN(both_names_are_refused))
