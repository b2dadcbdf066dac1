// States from numbers and from trajectories.

#include "start.h"

#include "options.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int take_state(cliStart* start, const char* command, const tacModel* model) {
    size_t nq = (size_t)model->nq, nv = (size_t)model->nv, na = (size_t)model->na;
    size_t nwarm = (size_t)model->nwarm, nu = (size_t)model->nu;
    double* at = calloc(nq + nv + na + nwarm + nu + 1, sizeof *at);
    *start = (cliStart){.numbers = at};
    if (!at) return cli_wrong(command, "out of memory");
    start->state = (tacState){.qpos = at, .qvel = at + nq, .act = at + nq + nv};
    start->state.warm = at + nq + nv + na;
    start->ctrl = start->state.warm + nwarm;
    if (nq > 0) memcpy(at, model->qpos0, sizeof *at * nq);
    return 0;
}

static void copy(double* to, const double* from, int count) {
    if (count > 0) memcpy(to, from, sizeof *to * (size_t)count);
}

static int take_row(cliStart* start, const char* command, const tacTrajectory* t, int frame) {
    const tacModel* m = t->model;
    if (frame >= t->rows)
        return cli_wrong(command, "--frame: the file has frames 0 to %d", t->rows - 1);
    int row = frame < 0 ? t->rows - 1 : frame;
    tacState from = tac_trajectory_row(t, row);
    copy(start->state.qpos, from.qpos, m->nq), copy(start->state.qvel, from.qvel, m->nv);
    copy(start->state.act, from.act, m->na), copy(start->state.warm, from.warm, m->nwarm);
    copy(start->ctrl, t->ctrl + (size_t)row * (size_t)m->nu, m->nu);
    start->state.time = from.time, start->step = t->step[row];
    return 0;
}

// a file of another model with the same sizes is fine, but not the same motion
static void note_other_model(const char* path, const tacTrajectory* t) {
    char own[TAC_FINGERPRINT_SIZE];
    tac_fingerprint(t->model, own);
    if (strcmp(own, t->fingerprint) != 0)
        fprintf(stderr, "%s: note: was made with another model (%s, here %s): the motion differs\n",
                path, *t->fingerprint ? t->fingerprint : "no hash", own);
}

static int read_file(cliStart* start, const char* command, const tacModel* model,
                     const cliStartOptions* options) {
    tacTrajectory t;
    tacMessage message;
    tacResult result = tac_trajectory_read(model, options->from, &t, &message);
    if (result != TAC_OK) return cli_report(result, &message);
    int code = take_row(start, command, &t, options->frame);
    if (code == 0) note_other_model(options->from, &t);
    tac_trajectory_destroy(&t);
    return code;
}

// quaternions of any length but 0 are taken, as in a scene
static int normalise(const tacModel* model, double* qpos) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        if (j->axis >= 0) continue;
        double *q = qpos + j->qpos + (j->kind == TAC_JOINT_FREE ? 3 : 0), sum = 0.0;
        for (int k = 0; k < 4; ++k) sum += q[k] * q[k];
        if (!(sum > 0.0 && isfinite(sum))) return 0;
        for (int k = 0; k < 4 && sum != 1.0; ++k) q[k] /= sqrt(sum);
    }
    return 1;
}

static int read_numbers(cliStart* start, const char* command, const tacModel* model,
                        const cliStartOptions* options) {
    if (options->qpos && !cli_numbers(options->qpos, start->state.qpos, model->nq))
        return cli_wrong(command, "--qpos needs %d number%s for this scene", model->nq,
                         model->nq == 1 ? "" : "s");
    if (options->qvel && !cli_numbers(options->qvel, start->state.qvel, model->nv))
        return cli_wrong(command, "--qvel needs %d number%s for this scene", model->nv,
                         model->nv == 1 ? "" : "s");
    if (options->qpos && !normalise(model, start->state.qpos))
        return cli_wrong(command, "--qpos: a quaternion has length 0");
    return 0;
}

int cli_start_read(cliStart* start, const char* command, const tacModel* model,
                   const cliStartOptions* options) {
    int code = take_state(start, command, model);
    if (code == 0 && options->frame >= 0 && !options->from)
        code = cli_wrong(command, "--frame belongs to --from");
    if (code == 0 && options->from) code = read_file(start, command, model, options);
    if (code == 0) code = read_numbers(start, command, model, options);
    if (code != 0) cli_start_free(start);
    return code;
}

void cli_start_free(cliStart* start) {
    free(start->numbers);
    *start = (cliStart){0};
}
