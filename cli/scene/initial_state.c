// States from numbers and from trajectories.

#include "cli/scene/initial_state.h"

#include "cli/options.h"
#include "cli/report.h"

#include "model/xml/attribute.h"
#include "model/xml/word_suggestion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int alloc_state(cliInitialState* start, const char* command, const tacModel* model) {
    size_t nq = (size_t)model->nq, nv = (size_t)model->nv, na = (size_t)model->na;
    size_t nwarm = (size_t)model->nwarm, nu = (size_t)model->nu;
    double* at = calloc(nq + nv + na + nwarm + nu + 1, sizeof *at);
    *start = (cliInitialState){.numbers = at};
    if (!at) return cli_error(command, "out of memory");
    start->state = (tacState){.qpos = at, .qvel = at + nq, .act = at + nq + nv};
    start->state.warm = at + nq + nv + na;
    start->ctrl = start->state.warm + nwarm;
    if (nq > 0) memcpy(at, model->qpos0, sizeof *at * nq);
    return 0;
}

static void copy_doubles(double* to, const double* from, int count) {
    if (count > 0) memcpy(to, from, sizeof *to * (size_t)count);
}

static int copy_row(cliInitialState* start, const char* command, const tacTrajectory* t,
                    int frame) {
    const tacModel* m = t->model;
    if (frame >= t->rows)
        return cli_error(command, "--frame: the file has frames 0 to %d", t->rows - 1);
    int row = frame < 0 ? t->rows - 1 : frame;
    tacState from = tac_trajectory_row(t, row);
    copy_doubles(start->state.qpos, from.qpos, m->nq);
    copy_doubles(start->state.qvel, from.qvel, m->nv);
    copy_doubles(start->state.act, from.act, m->na);
    copy_doubles(start->state.warm, from.warm, m->nwarm);
    copy_doubles(start->ctrl, t->ctrl + (size_t)row * (size_t)m->nu, m->nu);
    start->state.time = from.time;
    start->step = t->step[row];
    return 0;
}

// a file of another model with the same sizes is valid, but the motion differs
static void warn_other_model(const char* path, const tacTrajectory* t) {
    char own[TAC_FINGERPRINT_SIZE];
    tac_fingerprint(t->model, own);
    if (!*t->fingerprint)
        fprintf(stderr, "%s: warning: has no model hash\n", path);
    else if (strcmp(own, t->fingerprint) != 0)
        fprintf(stderr,
                "%s: warning: recorded with another model (%s, here %s): the motion differs\n",
                path, t->fingerprint, own);
}

static int read_trajectory(cliInitialState* start, const char* command, const tacModel* model,
                           const cliInitialStateOptions* options) {
    tacTrajectory t;
    int code = cli_trajectory_read(model, options->from, &t);
    if (code != 0) return code;
    code = copy_row(start, command, &t, options->frame);
    if (code == 0) warn_other_model(options->from, &t);
    tac_trajectory_destroy(&t);
    return code;
}

//---------------------------------- keyframes ------------------------------------

// names of the keyframes, or their numbers, separated by blanks, as far as they fit
static void list_keys(const tacModel* model, char* text, size_t size) {
    text[0] = '\0';
    for (int i = 0; i < model->nkey; ++i) {
        size_t used = strlen(text);
        const char *blank = used ? " " : "", *name = model->key[i].name;
        if (*name)
            snprintf(text + used, size - used, "%s%s", blank, name);
        else
            snprintf(text + used, size - used, "%s%d", blank, i);
    }
}

// index, or -1 after a message
static int find_key(const char* command, const tacModel* model, const char* name) {
    double number;
    for (int i = 0; i < model->nkey; ++i)
        if (*name && strcmp(model->key[i].name, name) == 0) return i;
    if (cli_parse_numbers(name, &number, 1) && number >= 0.0 && number < model->nkey &&
        number == floor(number))
        return (int)number;
    char names[400], near[TAC_SUGGESTION_SIZE];
    list_keys(model, names, sizeof names);
    int meant = tac_suggest_word(name, names, near);
    if (model->nkey == 0)
        cli_error(command, "--key: the scene has no keyframes");
    else
        cli_error(command, "--key: there is no keyframe '%s'%s%s%s it can be: %s", name,
                  meant ? "; did you mean '" : "", meant ? near : "", meant ? "'?" : ";", names);
    return -1;
}

static int copy_keyframe(cliInitialState* start, const char* command, const tacModel* model,
                         const char* name) {
    int i = find_key(command, model, name);
    if (i < 0) return CLI_ERROR;
    const tacKeyframe* key = &model->key[i];
    copy_doubles(start->state.qpos, key->qpos, model->nq);
    copy_doubles(start->state.qvel, key->qvel, model->nv);
    copy_doubles(start->state.act, key->act, model->na);
    copy_doubles(start->ctrl, key->ctrl, model->nu);
    start->state.time = key->time;
    return 0;
}

//---------------------------------- numbers --------------------------------------

// Normalizes quaternions of options, as a scene does. Those of a file stay as they are, so that a
// run continues bit for bit. 0 if one has length 0.
static int check_quaternions(const tacModel* model, double* qpos, int make_unit) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        if (j->axis >= 0) continue;
        double *q = qpos + j->qpos + (j->kind == TAC_JOINT_FREE ? 3 : 0), sum = 0.0;
        for (int k = 0; k < 4; ++k) sum += q[k] * q[k];
        if (!(sum > 0.0 && isfinite(sum))) return 0;
        for (int k = 0; k < 4 && make_unit && sum != 1.0; ++k) q[k] /= sqrt(sum);
    }
    return 1;
}

// explains the error: a word that is not a number, or a wrong count
static int number_list_error(const char* command, const char* option, const char* text, int count) {
    static const char between[] = " \t,";
    int found = 0;
    for (const char* at = text + strspn(text, between); *at; at += strspn(at, between)) {
        size_t length = strcspn(at, between);
        double number;
        if (tac_parse_number(at, &number) != at + length || !isfinite(number))
            return cli_error(command, "%s: '%.*s' is not a finite number", option, (int)length, at);
        at += length;
        ++found;
    }
    return cli_error(command, "%s needs %d number%s for this scene; here %s %d", option, count,
                     count == 1 ? "" : "s", found == 1 ? "is" : "are", found);
}

static int read_state_numbers(cliInitialState* start, const char* command, const tacModel* model,
                              const cliInitialStateOptions* options) {
    if (options->qpos && !cli_parse_numbers(options->qpos, start->state.qpos, model->nq))
        return number_list_error(command, "--qpos", options->qpos, model->nq);
    if (options->qvel && !cli_parse_numbers(options->qvel, start->state.qvel, model->nv))
        return number_list_error(command, "--qvel", options->qvel, model->nv);
    if (check_quaternions(model, start->state.qpos, options->qpos != NULL)) return 0;
    return cli_error(command, "%s: a quaternion has length 0",
                     options->qpos   ? "--qpos"
                     : options->from ? options->from
                                     : "qpos");
}

int cli_initial_state_read(cliInitialState* start, const char* command, const tacModel* model,
                           const cliInitialStateOptions* options) {
    int code = alloc_state(start, command, model);
    if (code == 0 && options->frame >= 0 && !options->from)
        code = cli_error(command, "--frame requires --from");
    if (code == 0 && options->key && options->from)
        code = cli_error(command, "--key and --from both set the initial state; give one of them");
    if (code == 0 && options->key) code = copy_keyframe(start, command, model, options->key);
    if (code == 0 && options->from) code = read_trajectory(start, command, model, options);
    if (code == 0) code = read_state_numbers(start, command, model, options);
    if (code != 0) cli_initial_state_free(start);
    return code;
}

void cli_initial_state_free(cliInitialState* start) {
    free(start->numbers);
    *start = (cliInitialState){0};
}
