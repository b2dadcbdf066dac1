// Rows of the table of an experiment, and values of its fields.

#define _GNU_SOURCE
#include "experiments/trial.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

//---------------------------------- rows -----------------------------------------

typedef struct trialRow {
    const char *id, *unit, *relation; // relation: "near", "max", "min"; NULL: no bound
    double value, expected, tolerance;
    int pass;
} trialRow;

static void print_row_json(cliJson* json, const char* name, const trialRow* row) {
    char id[160];
    snprintf(id, sizeof id, "%s/%s", name, row->id);
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "id", id);
    cli_json_number(json, "value", row->value);
    cli_json_text(json, "unit", row->unit);
    cli_json_text(json, "relation", row->relation ? row->relation : "none");
    cli_json_number(json, "bound", row->relation ? row->expected : NAN);
    cli_json_number(json, "tolerance", row->tolerance);
    cli_json_bool(json, "pass", row->pass);
    cli_json_close(json, '}');
}

static void print_row_text(const trialRow* row) {
    char expected[64] = "";
    if (row->relation && strcmp(row->relation, "near") == 0)
        snprintf(expected, sizeof expected, "%.5g +- %.2g", row->expected, row->tolerance);
    else if (row->relation)
        snprintf(expected, sizeof expected, "at %s %.6g",
                 strcmp(row->relation, "max") == 0 ? "most" : "least", row->expected);
    printf("  %-46s %11.5g %-4s %-20s %s\n", row->id, row->value, row->unit, expected,
           !row->relation ? ""
           : row->pass    ? "ok"
                          : "FAILED");
}

// progress and rows may share the terminal: erase the progress line first
static void print_row(trial* t, trialRow row) {
    t->bounded += row.relation != NULL;
    t->failed += !row.pass;
    cli_progress_end(t->progress);
    t->progress->percent = -1;
    if (t->as_json)
        print_row_json(&t->json, t->name, &row);
    else
        print_row_text(&row);
    fflush(stdout);
}

void trial_expect_near(trial* t, const char* id, double value, const char* unit, double expected,
                       double tolerance) {
    int pass = fabs(value - expected) <= tolerance;
    print_row(t, (trialRow){id, unit, "near", value, expected, tolerance, pass});
}

void trial_expect_at_most(trial* t, const char* id, double value, const char* unit, double bound) {
    print_row(t, (trialRow){id, unit, "max", value, bound, 0.0, value <= bound});
}

void trial_expect_at_least(trial* t, const char* id, double value, const char* unit, double bound) {
    print_row(t, (trialRow){id, unit, "min", value, bound, 0.0, value >= bound});
}

void trial_report(trial* t, const char* id, double value, const char* unit) {
    print_row(t, (trialRow){id, unit, NULL, value, NAN, 0.0, 1});
}

void trial_note(trial* t, const char* text) {
    cli_progress_end(t->progress);
    t->progress->percent = -1;
    if (!t->as_json) printf("  %s\n", text);
}

void trial_progress(trial* t, double done) {
    cli_progress_show(t->progress, t->before + done * t->share);
}

//---------------------------------- fields ---------------------------------------

static int load_shape(trialField* field, const char* shape, const char* nodes) {
    char* text = NULL;
    tacMessage message;
    int size = asprintf(&text,
                        "<mujoco><asset><shape name='it' %s>%s</shape></asset>"
                        "<worldbody><geom type='shape' shape='it'/></worldbody></mujoco>",
                        shape, nodes);
    if (size < 0) return cli_error("reproduce", "out of memory");
    tacResult result = tac_load_text(text, size, "reproduce", NULL, &field->model, &message);
    free(text);
    if (result != TAC_OK) return cli_error_message(result, &message);
    result = tac_scratch_create(field->model, &field->scratch);
    if (result == TAC_OK) return 0;
    tac_model_destroy(field->model);
    return cli_error("reproduce", "%s", tac_result_text(result));
}

int trial_field_open(trialField* field, const char* shape, const char* format, ...) {
    char* nodes = NULL;
    va_list arguments;
    va_start(arguments, format);
    int size = vasprintf(&nodes, format, arguments);
    va_end(arguments);
    *field = (trialField){0};
    if (size < 0) return cli_error("reproduce", "out of memory");
    int code = load_shape(field, shape, nodes);
    free(nodes);
    return code;
}

void trial_field_close(trialField* field) {
    tac_scratch_destroy(field->scratch);
    tac_model_destroy(field->model);
    *field = (trialField){0};
}

tacResult trial_field_values(const trialField* field, int count, double* const x[3],
                             double* value) {
    tacPoints points = {count, {x[0], x[1], x[2]}};
    return tac_shape_eval(field->model, 0, tac_pose_identity(), points, (tacField){.value = value},
                          field->scratch);
}

double trial_field_value(const trialField* field, double x, double y, double z) {
    double value = NAN, *at[3] = {&x, &y, &z};
    trial_field_values(field, 1, at, &value);
    return value;
}

// index of the last of `count` points on a ray that is inside, or -1
static int last_inside(const trialField* field, const double o[3], const double d[3], double from,
                       double to, int count) {
    double x[3][512], value[512];
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) x[k][i] = o[k] + (from + (to - from) * i / (count - 1)) * d[k];
    double* at[3] = {x[0], x[1], x[2]};
    if (trial_field_values(field, count, at, value) != TAC_OK) return -1;
    int last = count - 1;
    while (last >= 0 && !(value[last] < 0.0)) --last;
    return last;
}

double trial_field_radius(const trialField* field, const double origin[3], const double along[3],
                          double max) {
    double from = 0.0, to = max;
    for (int count = 512; to - from > 1e-14 * max; count = 17) {
        int last = last_inside(field, origin, along, from, to, count);
        if (last < 0 || last == count - 1) return count == 512 ? 0.0 : from;
        double step = (to - from) / (count - 1);
        to = from + (last + 1) * step;
        from += last * step;
    }
    return from;
}
