// Runs of hard contact, with a check of every stretch of every step.

#define _GNU_SOURCE
#include "experiments/hard_run.h"

#include "step/step_impulse.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

//---------------------------------- scene ----------------------------------

static int load(hardRun* r, const char* text, int size) {
    tacMessage message;
    tacResult result = tac_load_text(text, size, "reproduce", NULL, &r->model, &message);
    if (result != TAC_OK) return cli_report(result, &message);
    result = tac_scratch_create(r->model, &r->scratch);
    r->memory = malloc(tac_hard_size(r->model));
    if (result != TAC_OK || !r->memory || r->model->nq > HARD_RUN_NUMBERS)
        return cli_wrong("reproduce", "%s", tac_result_text(result));
    hard_run_reset(r);
    return 0;
}

void hard_run_reset(hardRun* r) {
    memcpy(r->q, r->model->qpos0, sizeof(double) * (size_t)r->model->nq);
    memset(r->v, 0, sizeof r->v);
}

int hard_run_open(hardRun* r, const char* format, ...) {
    char* text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int size = vasprintf(&text, format, arguments);
    va_end(arguments);
    *r = (hardRun){.nearest = INFINITY, .claim = INFINITY};
    if (size < 0) return cli_wrong("reproduce", "out of memory");
    int code = load(r, text, size);
    free(text);
    return code;
}

void hard_run_close(hardRun* r) {
    free(r->memory);
    tac_scratch_destroy(r->scratch);
    tac_model_destroy(r->model);
    *r = (hardRun){0};
}

//---------------------------------- checks ----------------------------------

static void check_path(hardRun* r, const tacStretch* t) {
    tacCourse course = {.qpos = t->push->q, .v = t->push->u, .span = t->span};
    tacClearance clear = {.least = NAN};
    if (tac_hard_clearance(r->model, &course, -1e-9, &clear, r->memory) != TAC_OK || !clear.certain)
        r->claim = NAN;
    else if (!(clear.least > r->claim))
        r->claim = clear.least;
}

// what a solve says of the law of friction, contact by contact
static void check_law(hardRun* r, tacStrike* s, const tacStrikeNote* note) {
    int size = 1 + note->tangents;
    if (tac_strike_revisit(s, note) != TAC_OK) return;
    double most = 0.0;
    for (int g = 0; g < note->groups; ++g) {
        most = fmax(most, note->f[g * size]);
        if (s->group[g].kind == TAC_GROUP_CONTACT) r->pressed += note->f[g * size];
    }
    for (int g = 0; g < note->groups && most > 0.0; ++g)
        for (int i = 1; i < size; ++i)
            r->law = fmax(r->law, (fabs(note->f[g * size + i]) -
                                   s->group[g].mu * fmax(note->f[g * size], 0.0)) /
                                      most);
}

static void check(hardRun* r, tacHardPass* p) {
    for (int i = 0; i < p->stretches; ++i) check_path(r, &p->stretch[i]);
    r->pressed = 0.0;
    for (int i = 0; i < p->notes; ++i) check_law(r, p->s, &p->note[i]);
    r->impacts += p->stretches - 1;
    r->fallbacks += (p->info.flags & TAC_FALLBACK) != 0;
    r->residual = fmax(r->residual, p->info.residual);
}

// least distance where a step begins
static void look(hardRun* r, const tacHardPass* p) {
    tacStrike* s = p->s;
    double least, most;
    if (tac_strike_revisit(s, p->stretch[0].push) != TAC_OK) return;
    tac_strike_distances(s, 0.0, &least, &most);
    r->nearest = fmin(r->nearest, least);
}

//---------------------------------- steps ----------------------------------

tacResult hard_run_step(hardRun* r, int count) {
    tacState x = {.qpos = r->q, .qvel = r->v};
    for (int i = 0; i < count; ++i) {
        tacHardPass p;
        size_t mark = r->scratch->arena.used;
        tacResult result = tac_hard_pass(r->model, &x, r->u, r->scratch, &p);
        if (result == TAC_OK) {
            check(r, &p);
            look(r, &p);
            tac_hard_hand_out(&p, &x, &x);
            r->steps += 1;
        }
        r->scratch->arena.used = mark;
        if (result != TAC_OK) return result;
    }
    return TAC_OK;
}

tacResult hard_run_tangent(hardRun* r, int count, double* dq, double* dv) {
    tacResult result = TAC_OK;
    for (int i = 0; i < count && result == TAC_OK; ++i) {
        double next[2][HARD_RUN_NUMBERS];
        tacState x = {.qpos = r->q, .qvel = r->v};
        tacTangent dot = {.dq = dq, .dv = dv}, out = {.dq = next[0], .dv = next[1]};
        result = tac_step_jvp(r->model, &x, r->u, dot, NULL, NULL, out, r->scratch);
        memcpy(dq, next[0], sizeof *dq * (size_t)r->model->nv);
        memcpy(dv, next[1], sizeof *dv * (size_t)r->model->nv);
        if (result == TAC_OK) result = tac_step(r->model, &x, r->u, &x, r->scratch);
    }
    return result;
}
