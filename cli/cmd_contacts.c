// tactus contacts: contacts of a scene in one configuration.

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/render/contact_markers.h"
#include "cli/report.h"
#include "cli/scene/contact_forces.h"
#include "cli/scene/feature_label.h"
#include "cli/scene/initial_state.h"
#include "cli/scene/labels.h"

#include "base/assert.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
        .summary = "contacts of a scene: points, normals, distances, activities, forces",
        .positional = "FILE",
        .description =
            "Prints the contacts of the scene's detector in world coordinates: geoms and features\n"
            "in contact, point, normal from the first to the second geom, signed distance in\n"
            "metres, and activity from 0 to 1; then the force of the step that starts here: along\n"
            "the normal and across it (friction), on the second body. Forces of hard contact are\n"
            "impulses over the length of the step. Exit code 1: none is active.\n"
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

//---------------------------------- rows -----------------------------------------

// a contact of the detector with the force of the step on it, or one that the step alone has
typedef struct contactRow {
    int geom[2];
    char feature[CLI_FEATURE_SIZE];
    double point[3], normal[3], distance, activity;
    double force[3]; // on the second body                                               [N]
    int has_force;
} contactRow;

typedef struct contactRows {
    contactRow* row;
    int count;
    int known; // 0: the step failed, there are no forces
} contactRows;

static void row_of_record(const tacModel* model, const tacContacts* c, int i, contactRow* row) {
    *row = (contactRow){.distance = c->distance[i], .activity = c->activity[i]};
    cli_feature_label(model, c, i, row->feature);
    for (int k = 0; k < 2; ++k) row->geom[k] = c->geom[k][i];
    for (int k = 0; k < 3; ++k) {
        row->point[k] = c->point[k][i];
        row->normal[k] = c->normal[k][i];
    }
}

// A contact of hard contact that begins inside the step has no record at its start.
static void row_of_impact(const tacContactForce* f, contactRow* row) {
    *row = (contactRow){.distance = f->distance, .activity = f->activity};
    snprintf(row->feature, sizeof row->feature, "during the step");
    for (int k = 0; k < 2; ++k) row->geom[k] = f->geom[k];
    for (int k = 0; k < 3; ++k) {
        row->point[k] = f->point[k];
        row->normal[k] = f->normal[k];
    }
}

// The record of a force: the same geoms, the nearest point; of several there one without a force.
static int find_record(const contactRows* rows, int records, const tacContactForce* f) {
    double best = INFINITY;
    int found = -1;
    for (int i = 0; i < records; ++i) {
        const contactRow* row = &rows->row[i];
        if (row->geom[0] != f->geom[0] || row->geom[1] != f->geom[1]) continue;
        double away = hypot(hypot(row->point[0] - f->point[0], row->point[1] - f->point[1]),
                            row->point[2] - f->point[2]);
        int free_tie = found >= 0 && away == best && rows->row[found].has_force && !row->has_force;
        if (!(away < best) && !free_tie) continue;
        best = away;
        found = i;
    }
    return found;
}

static void add_forces(contactRows* rows, const cliContactForces* forces) {
    int records = rows->count;
    for (int i = 0; i < forces->count; ++i) {
        const tacContactForce* f = &forces->contact[i];
        int at = find_record(rows, records, f);
        if (at < 0) row_of_impact(f, &rows->row[at = rows->count++]);
        for (int k = 0; k < 3; ++k) rows->row[at].force[k] += f->force[k];
        rows->row[at].has_force = 1;
    }
}

// without forces after a warning if the step fails
static int make_rows(contactRows* rows, const tacModel* model, const cliInitialState* at) {
    tacContacts* c;
    cliContactForces forces;
    int code = cli_contacts_at(&c, "contacts", model, at->state.qpos);
    if (code != 0) return code;
    tacResult result = cli_contact_forces_at(&forces, model, &at->state, at->ctrl);
    rows->known = result == TAC_OK;
    if (!rows->known)
        cli_warning("contacts", "no forces: the step fails: %s", tac_result_text(result));
    rows->row = calloc((size_t)(c->count + forces.count) + 1, sizeof *rows->row);
    if (!rows->row) code = cli_error("contacts", "out of memory");
    for (int i = 0; i < c->count && code == 0; ++i)
        row_of_record(model, c, i, &rows->row[rows->count++]);
    if (code == 0) add_forces(rows, &forces);
    cli_contact_forces_free(&forces);
    tac_contacts_destroy(c);
    return code;
}

//---------------------------------- printing -------------------------------------

static void print_row_json(const tacModel* model, const contactRow* r, int known) {
    cliJson json = {.file = stdout};
    char a[CLI_LABEL_SIZE], b[CLI_LABEL_SIZE];
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "geom1", cli_geom_label(model, r->geom[0], a));
    cli_json_text(&json, "geom2", cli_geom_label(model, r->geom[1], b));
    cli_json_text(&json, "feature", r->feature);
    cli_json_numbers(&json, "point", r->point, 3);
    cli_json_numbers(&json, "normal", r->normal, 3);
    cli_json_number(&json, "distance", r->distance);
    cli_json_number(&json, "activity", r->activity);
    if (known) cli_json_numbers(&json, "force", r->force, 3);
    cli_json_close(&json, '}');
}

// along the normal and across it
static void split_force(const contactRow* r, double out[2]) {
    double n2 = 0.0, f2 = 0.0, fn = 0.0;
    for (int k = 0; k < 3; ++k) {
        n2 += r->normal[k] * r->normal[k];
        f2 += r->force[k] * r->force[k];
        fn += r->force[k] * r->normal[k];
    }
    out[0] = n2 > 0.0 ? fn / sqrt(n2) : 0.0;
    out[1] = sqrt(fmax(0.0, f2 - out[0] * out[0]));
}

static void print_row(const tacModel* model, const contactRow* r, int known, const int width[3]) {
    char a[CLI_LABEL_SIZE], b[CLI_LABEL_SIZE];
    printf("  %-*s %-*s %-*s %9.5f %9.5f %9.5f  %6.3f %6.3f %6.3f  %15.9g  %.4f", width[0],
           cli_geom_label(model, r->geom[0], a), width[1], cli_geom_label(model, r->geom[1], b),
           width[2], r->feature, r->point[0], r->point[1], r->point[2], r->normal[0], r->normal[1],
           r->normal[2], r->distance, r->activity);
    double force[2];
    split_force(r, force);
    if (known) printf("    %10.4g   %10.4g", force[0], force[1]);
    printf("\n");
}

static void widen(int* width, const char* text) {
    int length = (int)strlen(text);
    if (length > *width) *width = length;
}

static void print_table(const contactsCall* call, const tacModel* model, const contactRows* rows) {
    int width[3] = {5, 6, 7};
    char text[CLI_LABEL_SIZE];
    for (int i = 0; i < rows->count; ++i) {
        if (rows->row[i].activity < call->min) continue;
        for (int k = 0; k < 2; ++k)
            widen(&width[k], cli_geom_label(model, rows->row[i].geom[k], text));
        widen(&width[2], rows->row[i].feature);
    }
    printf("  %-*s %-*s %-*s %9s %9s %9s  %6s %6s %6s  %15s  %s%s\n", width[0], "first", width[1],
           "second", width[2], "feature", "x", "y", "z", "nx", "ny", "nz", "distance", "activity",
           rows->known ? "  normal [N]  friction [N]" : "");
    for (int i = 0; i < rows->count; ++i)
        if (rows->row[i].activity >= call->min) print_row(model, &rows->row[i], rows->known, width);
}

static int print_contacts(const contactsCall* call, const tacModel* model,
                          const contactRows* rows) {
    int shown = 0;
    for (int i = 0; i < rows->count; ++i) shown += rows->row[i].activity >= call->min;
    if (!call->json)
        printf("%s: %d contacts, %d with activity of at least %g\n", call->path, rows->count, shown,
               call->min);
    if (!call->json && shown) print_table(call, model, rows);
    for (int i = 0; i < rows->count && call->json; ++i)
        if (rows->row[i].activity >= call->min) print_row_json(model, &rows->row[i], rows->known);
    return shown ? CLI_OK : CLI_FAILED;
}

//---------------------------------- body pairs -----------------------------------

static void print_pair_json(const tacModel* model, const tacContactForce* f) {
    cliJson json = {.file = stdout};
    char a[CLI_LABEL_SIZE], b[CLI_LABEL_SIZE];
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "body1", cli_body_label(model, f->body[0], a));
    cli_json_text(&json, "body2", cli_body_label(model, f->body[1], b));
    cli_json_numbers(&json, "point", f->point, 3);
    cli_json_numbers(&json, "force", f->force, 3);
    cli_json_close(&json, '}');
}

static void print_pair_row(const tacModel* model, const tacContactForce* f) {
    char a[CLI_LABEL_SIZE], b[CLI_LABEL_SIZE];
    printf("  %-16s %-16s %9.5f %9.5f %9.5f  %10.4g %10.4g %10.4g  %10.4g\n",
           cli_body_label(model, f->body[0], a), cli_body_label(model, f->body[1], b), f->point[0],
           f->point[1], f->point[2], f->force[0], f->force[1], f->force[2],
           hypot(hypot(f->force[0], f->force[1]), f->force[2]));
}

// respond="scm" has no contact points: the force on the second body and a point on its line
static int print_body_pairs(const contactsCall* call, const tacModel* model,
                            const cliInitialState* at) {
    cliContactForces forces;
    tacResult result = cli_contact_forces_at(&forces, model, &at->state, at->ctrl);
    int code = result == TAC_OK ? forces.count ? CLI_OK : CLI_FAILED
                                : cli_error_result("contacts", result);
    if (result == TAC_OK && !call->json)
        printf("%s: no contact points (scm); %d body pair%s with contact force\n", call->path,
               forces.count, forces.count == 1 ? "" : "s");
    if (!call->json && forces.count)
        printf("  %-16s %-16s %9s %9s %9s  %10s %10s %10s  %10s\n", "first", "second", "x", "y",
               "z", "Fx", "Fy", "Fz", "force [N]");
    for (int i = 0; i < forces.count; ++i)
        (call->json ? print_pair_json : print_pair_row)(model, &forces.contact[i]);
    cli_contact_forces_free(&forces);
    return code;
}

//---------------------------------- command --------------------------------------

static int detect_and_print(const contactsCall* call, const tacModel* model,
                            const cliInitialState* at) {
    contactRows rows = {0};
    int code = make_rows(&rows, model, at);
    if (code == 0) code = print_contacts(call, model, &rows);
    free(rows.row);
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
        code = cli_has_pair_forces(model) ? print_body_pairs(&call, model, &start)
                                          : detect_and_print(&call, model, &start);
        cli_initial_state_free(&start);
    }
    tac_model_destroy(model);
    return code;
}
