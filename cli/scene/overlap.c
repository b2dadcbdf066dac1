// Overlaps of smooth contact: of a run, of the initial configuration, of keyframes.

#include "cli/scene/overlap.h"

#include "cli/scene/labels.h"

#include "model/contact/contact_data.h"
#include "tactus/step.h"

#include <stdio.h>
#include <stdlib.h>

static void print_pair(const tacModel* model, const cliOverlap* o) {
    char text[2][CLI_LABEL_SIZE];
    printf("%.3g mm of %s and %s, %.2g %% of the thinner", 1e3 * o->depth,
           cli_geom_label(model, o->geom[0], text[0]), cli_geom_label(model, o->geom[1], text[1]),
           100.0 * o->share);
}

void cli_overlap_print(const tacModel* model, const cliOverlap* overlap, long long deep) {
    if (!(overlap->share > 0.0)) return;
    printf("  deepest overlap   ");
    print_pair(model, overlap);
    printf(" at %.6g s\n", overlap->time);
    if (deep > 0)
        printf(
            "  warning           %lld step%s with overlap beyond 1 %%: raise stiffness, or shorten "
            "the time step (docs/contact.md, Overlap)\n",
            deep, deep == 1 ? "" : "s");
}

void cli_overlap_json(cliJson* json, const tacModel* model, const cliOverlap* overlap) {
    char text[CLI_LABEL_SIZE];
    cli_json_number(json, "overlap", overlap->share);
    cli_json_number(json, "overlap_depth", overlap->depth);
    if (!(overlap->share > 0.0)) return;
    cli_json_number(json, "overlap_at", overlap->time);
    cli_json_text(json, "overlap_first", cli_geom_label(model, overlap->geom[0], text));
    cli_json_text(json, "overlap_second", cli_geom_label(model, overlap->geom[1], text));
}

// at a state: that of a step from there
static cliOverlap overlap_at(const tacModel* model, const tacState* x, tacState* next,
                             const double* ctrl, tacScratch* scratch) {
    if (tac_step(model, x, ctrl, next, scratch) != TAC_OK) return (cliOverlap){0};
    tacInfo info = tac_step_info(scratch);
    return (cliOverlap){
        info.overlap, info.overlap_depth, x->time, {info.overlap_geom[0], info.overlap_geom[1]}};
}

static void report_overlap(const tacModel* model, cliJson* json, const char* where,
                           const cliOverlap* o) {
    if (!(o->share > 0.0)) return;
    if (json) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "overlap_of", where);
        cli_overlap_json(json, model, o);
        cli_json_close(json, '}');
        return;
    }
    printf("  %s %s: ", o->share > 0.01 ? "warning    overlap of" : "overlap of", where);
    print_pair(model, o);
    printf("\n");
}

void cli_overlap_check(const tacModel* model, cliJson* json) {
    if (!model->contact || model->contact->responder == TAC_RESPOND_LCP) return;
    tacState *x = NULL, *next = NULL;
    tacScratch* scratch = NULL;
    double* ctrl = calloc((size_t)model->nu + 1, sizeof *ctrl);
    int ready = ctrl && tac_scratch_create(model, &scratch) == TAC_OK &&
                tac_state_create(model, &x) == TAC_OK && tac_state_create(model, &next) == TAC_OK;
    for (int key = -1; ready && key < model->nkey; ++key) {
        if (key >= 0 && tac_state_reset_key(model, x, key) != TAC_OK) continue;
        cliOverlap o = overlap_at(model, x, next, ctrl, scratch);
        char where[80] = "the initial configuration";
        if (key >= 0) snprintf(where, sizeof where, "keyframe %.60s", model->key[key].name);
        report_overlap(model, json, where, &o);
    }
    tac_state_destroy(next);
    tac_state_destroy(x);
    tac_scratch_destroy(scratch);
    free(ctrl);
}
