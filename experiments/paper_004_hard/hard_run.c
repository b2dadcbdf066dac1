// Runs with hard contact, with a check of every sub-step.

#define _GNU_SOURCE
#include "experiments/paper_004_hard/hard_run.h"

#include "step/hard/hard_pass.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

//---------------------------------- scene ----------------------------------

static int load_scene(hardRun* r, const char* text, int size) {
    tacMessage message;
    tacResult result = tac_load_text(text, size, "reproduce", NULL, &r->model, &message);
    if (result != TAC_OK) return cli_error_message(result, &message);
    result = tac_scratch_create(r->model, &r->scratch);
    r->memory = malloc(tac_ccd_size(r->model));
    if (result != TAC_OK || !r->memory || r->model->nq > HARD_RUN_NUMBERS)
        return cli_error("reproduce", "%s", tac_result_text(result));
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
    *r = (hardRun){.min_distance = INFINITY, .certified_distance = INFINITY};
    if (size < 0) return cli_error("reproduce", "out of memory");
    int code = load_scene(r, text, size);
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

static void check_path(hardRun* r, const tacSubstep* t) {
    tacMotionPath path = {.qpos = t->record->q, .v = t->record->u, .span = t->span};
    tacCcdCertificate clear = {.min_distance = NAN};
    if (tac_ccd_certify(r->model, &path, -1e-9, &clear, r->memory) != TAC_OK || !clear.certain)
        r->certified_distance = NAN;
    else if (!(clear.min_distance > r->certified_distance))
        r->certified_distance = clear.min_distance;
}

// violation of the friction law in a solve, contact by contact
static void check_friction(hardRun* r, tacContactSolve* s, const tacSolveRecord* record) {
    int size = 1 + record->tangents;
    if (tac_contact_solve_restore(s, record) != TAC_OK) return;
    double most = 0.0;
    for (int g = 0; g < record->constraints; ++g) {
        most = fmax(most, record->f[g * size]);
        if (s->problem.constraint[g].kind == TAC_CONSTRAINT_CONTACT)
            r->normal_impulse += record->f[g * size];
    }
    for (int g = 0; g < record->constraints && most > 0.0; ++g)
        for (int i = 1; i < size; ++i)
            r->friction_excess = fmax(
                r->friction_excess, (fabs(record->f[g * size + i]) -
                                     s->problem.constraint[g].mu * fmax(record->f[g * size], 0.0)) /
                                        most);
}

static void check_step(hardRun* r, tacHardPass* p) {
    for (int i = 0; i < p->substeps; ++i) check_path(r, &p->substep[i]);
    r->normal_impulse = 0.0;
    for (int i = 0; i < p->records; ++i) check_friction(r, p->s, &p->record[i]);
    r->impacts += p->substeps - 1;
    r->fallbacks += (p->info.flags & TAC_FALLBACK) != 0;
    r->residual = fmax(r->residual, p->info.residual);
}

// smallest distance at the start of a step
static void update_min_distance(hardRun* r, const tacHardPass* p) {
    tacContactSolve* s = p->s;
    double min_distance, most;
    if (tac_contact_solve_restore(s, p->substep[0].record) != TAC_OK) return;
    tac_contact_solve_distances(s, 0.0, &min_distance, &most);
    r->min_distance = fmin(r->min_distance, min_distance);
}

//---------------------------------- steps ----------------------------------

tacResult hard_run_step(hardRun* r, int count) {
    tacState x = {.qpos = r->q, .qvel = r->v};
    for (int i = 0; i < count; ++i) {
        tacHardPass p;
        size_t mark = r->scratch->arena.used;
        tacResult result = tac_hard_pass(r->model, &x, r->u, r->scratch, &p);
        if (result == TAC_OK) {
            check_step(r, &p);
            update_min_distance(r, &p);
            tac_hard_write_state(&p, &x, &x);
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
        result = tac_step_jvp(r->model, &x, r->u, (tacStepTangent){.x = dot}, out, r->scratch);
        memcpy(dq, next[0], sizeof *dq * (size_t)r->model->nv);
        memcpy(dv, next[1], sizeof *dv * (size_t)r->model->nv);
        if (result == TAC_OK) result = tac_step(r->model, &x, r->u, &x, r->scratch);
    }
    return result;
}

//---------------------------------- plates ---------------------------------------

double hard_lift_height(double time) {
    double s = fmin(fmax(time - 0.3, 0.0), 1.0);
    return 0.1 * s * s * (3.0 - 2.0 * s);
}

double hard_plate_tilt(const hardRun* r) {
    double axis_norm = sqrt(r->q[4] * r->q[4] + r->q[5] * r->q[5] + r->q[6] * r->q[6]);
    return 2.0 * axis_norm * 180.0 / M_PI;
}
