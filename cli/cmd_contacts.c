// tactus contacts: contacts of a scene in one configuration.

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/render/contact_markers.h"
#include "cli/report.h"
#include "cli/scene/initial_state.h"
#include "cli/scene/labels.h"
#include "cli/scene/pair_forces.h"

#include "base/assert.h"
#include "detect/edge_sdf/edge_sdf.h"
#include "detect/manifold/manifold.h"
#include "tactus/tactus.h"

#include <stdlib.h>

typedef struct contactsCall {
    const char* contact; // replaces the scene's contact, or NULL
    const char* path;
    cliInitialStateOptions start;
    double min;
    int json;
} contactsCall;

static int parse_contacts_options(contactsCall* call, int argc, char** argv) {
    const cliOption options[] = {
        {"qpos", 0, CLI_TEXT, &call->start.qpos, "\"Q...\"",
         "positions; default: initial configuration (qpos0)", 0, 0},
        {"key", 0, CLI_TEXT, &call->start.key, "NAME", "keyframe of the scene", 0, 0},
        {"from", 0, CLI_TEXT, &call->start.from, "RUN.npz", "state of a trajectory of tactus run",
         0, 0},
        {"frame", 0, CLI_INT, &call->start.frame, "N", "with --from: state N; default the last", 0,
         1e9},
        {"min-activity", 0, CLI_REAL, &call->min, "G", "smallest activity to list; default 0.01", 0,
         1},
        {"json", 0, CLI_FLAG, &call->json, NULL, "one JSON object per contact", 0, 0},
        CLI_CONTACT_OPTION(&call->contact),
    };
    const cliCommand command = {
        .name = "contacts",
        .summary = "contacts of a scene: points, normals, distances, activities",
        .positional = "FILE",
        .description =
            "Prints the contacts of the scene's detector in world coordinates: geoms and features\n"
            "in contact, point, normal from the first to the second geom, signed distance in\n"
            "metres, and activity from 0 to 1. Exit code 1: none is active.\n"
            "With respond=\"lcp\" the activity is 1 where impulses act, at distances below\n"
            "2 delta, else 0; --min-activity 0 lists all.\n"
            "respond=\"scm\" has no contact points: body pairs with contact force are printed,\n"
            "with the force on the second body and a point on its line of action.\n",
        .example =
            "  tactus contacts scenes/figure_pair.xml --qpos \"0 0 0 1 0 0 0 .5 0 .3 1 0 0 0\"\n"
            "  tactus contacts scenes/figures.xml --from fall.npz --json\n",
        .options = options,
        .option_count = TAC_COUNT(options),
        .min = 1,
        .max = 1,
        .arguments = &call->path,
    };
    return cli_parse(&command, argc, argv);
}

//---------------------------------- printing -------------------------------------

static void manifold_feature_label(uint64_t feature, char* text, size_t size) {
    int a = tac_manifold_first(feature), b = tac_manifold_second(feature);
    tacManifoldKind kind = tac_manifold_kind(feature);
    if (kind <= TAC_MANIFOLD_VERTEX_1)
        snprintf(text, size, "vertex %d of %s", a,
                 kind == TAC_MANIFOLD_VERTEX_0 ? "first" : "second");
    else
        snprintf(text, size, "edges %d, %d on %s", a, b,
                 kind == TAC_MANIFOLD_EDGE_0 ? "first" : "second");
}

// a bundle is a face and an index in it (docs/edge-sdf.md)
static void edge_sdf_feature_label(uint64_t feature, char* text, size_t size) {
    int kind = (int)(feature >> 60), index = tac_edge_sdf_index(feature);
    const char* owner = (kind < 4 ? kind / 2 : kind - 4) ? "second" : "first";
    if (kind < 4)
        snprintf(text, size, "%s %d of %s", kind % 2 ? "edge" : "vertex", index, owner);
    else
        snprintf(text, size, "face %d of %s, %d", index >> 3, owner, index & 7);
}

// "vertex 12 of first"; a hexadecimal number for other detectors
static void feature_label(const tacModel* model, uint64_t feature, char* text, size_t size) {
    if (model->contact->detector == TAC_DETECT_MANIFOLD)
        manifold_feature_label(feature, text, size);
    else if (model->contact->detector == TAC_DETECT_EDGE_SDF)
        edge_sdf_feature_label(feature, text, size);
    else
        snprintf(text, size, "%llx", (unsigned long long)feature);
}

static void print_contact_json(const tacModel* model, const tacContacts* c, int i) {
    cliJson json = {.file = stdout};
    char feature[80], a[CLI_LABEL_SIZE], b[CLI_LABEL_SIZE];
    const double point[3] = {c->point[0][i], c->point[1][i], c->point[2][i]};
    const double normal[3] = {c->normal[0][i], c->normal[1][i], c->normal[2][i]};
    feature_label(model, c->feature[i], feature, sizeof feature);
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "geom1", cli_geom_label(model, c->geom[0][i], a));
    cli_json_text(&json, "geom2", cli_geom_label(model, c->geom[1][i], b));
    cli_json_text(&json, "feature", feature);
    cli_json_numbers(&json, "point", point, 3);
    cli_json_numbers(&json, "normal", normal, 3);
    cli_json_number(&json, "distance", c->distance[i]);
    cli_json_number(&json, "activity", c->activity[i]);
    cli_json_close(&json, '}');
}

static void print_contact_row(const tacModel* model, const tacContacts* c, int i) {
    char feature[80], a[CLI_LABEL_SIZE], b[CLI_LABEL_SIZE];
    feature_label(model, c->feature[i], feature, sizeof feature);
    printf("  %-12.12s %-12.12s %-24s %9.5f %9.5f %9.5f  %6.3f %6.3f %6.3f  %15.9g  %.4f\n",
           cli_geom_label(model, c->geom[0][i], a), cli_geom_label(model, c->geom[1][i], b),
           feature, c->point[0][i], c->point[1][i], c->point[2][i], c->normal[0][i],
           c->normal[1][i], c->normal[2][i], c->distance[i], c->activity[i]);
}

static int print_contacts(const contactsCall* call, const tacModel* model, const tacContacts* c) {
    int shown = 0;
    for (int i = 0; i < c->count; ++i) shown += c->activity[i] >= call->min;
    if (!call->json) {
        printf("%s: %d contacts, %d with activity of at least %g\n", call->path, c->count, shown,
               call->min);
        if (shown)
            printf("  %-12s %-12s %-24s %9s %9s %9s  %6s %6s %6s  %15s  %s\n", "first", "second",
                   "feature", "x", "y", "z", "nx", "ny", "nz", "distance", "activity");
    }
    for (int i = 0; i < c->count; ++i)
        if (c->activity[i] >= call->min) {
            if (call->json)
                print_contact_json(model, c, i);
            else
                print_contact_row(model, c, i);
        }
    return shown ? CLI_OK : CLI_FAILED;
}

//---------------------------------- command --------------------------------------

static int detect_and_print(const contactsCall* call, const tacModel* model, const double* qpos) {
    tacContacts* contacts;
    int code = cli_contacts_at(&contacts, "contacts", model, qpos);
    if (code != 0) return code;
    code = print_contacts(call, model, contacts);
    tac_contacts_destroy(contacts);
    return code;
}

int tac_cmd_contacts(int argc, char** argv) {
    contactsCall call = {.start = {.frame = -1}, .min = 0.01};
    int code = parse_contacts_options(&call, argc, argv);
    if (code != CLI_CONTINUE) return code;

    tacModel* model;
    tacMessage message;
    cliInitialState start;
    if (cli_load(call.path, call.contact, &model, &message) != 0) return CLI_ERROR;
    if (*message.text) cli_warning("contacts", "%s", message.text);
    code = cli_initial_state_read(&start, "contacts", model, &call.start);
    if (code == 0) {
        int field = model->contact && model->contact->responder == TAC_RESPOND_SCM;
        code = field ? cli_pair_forces_print("contacts", call.path, model, &start.state, call.json)
                     : detect_and_print(&call, model, start.state.qpos);
        cli_initial_state_free(&start);
    }
    tac_model_destroy(model);
    return code;
}
