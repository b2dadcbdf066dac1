// Derivatives of the motion of a scene.

#include "grad_motion.h"

#include "control.h"
#include "jacobian.h"
#include "proof.h"
#include "quantity.h"
#include "report.h"

#include "check/motion_problem.h"
#include "model/nearest.h"
#include "record/column.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// a call with all that its options named
typedef struct motionJob {
    const cliMotionCall* call;
    const tacModel* model;
    cliStart start;
    tacQuantity what;
    int steps;
    tacParam by; // count 0: not given
} motionJob;

//---------------------------------- names ----------------------------------------

// names of groups with blanks between, as far as they fit
static int unknown_param(const tacModel* model, const char* name) {
    static char names[20000];
    char near[TAC_NEAREST_SIZE];
    names[0] = '\0';
    for (int i = 0; i < model->nparamname; ++i) {
        size_t used = strlen(names);
        if (tac_param_moves(model, model->paramname[i].param.offset))
            snprintf(names + used, sizeof names - used, " %s", model->paramname[i].name);
    }
    int meant = tac_nearest(name, names, near);
    return cli_wrong("grad",
                     "--by: there is no parameter '%s'%s%s%s (tactus check --params lists them)",
                     name, meant ? "; did you mean " : "", meant ? near : "", meant ? "?" : "");
}

static int read_job(motionJob* job) {
    const cliMotionCall* call = job->call;
    cliControl control = {0};
    int code = cli_start_read(&job->start, "grad", job->model, &call->start);
    if (code == 0 && call->ctrl) {
        code = cli_control_read(&control, "grad", job->model, call->ctrl, call->seed);
        if (code == 0) cli_control_at(&control, job->start.step, 0, job->start.ctrl);
        cli_control_free(&control);
    }
    if (code == 0 && call->of) code = cli_quantity_read("grad", job->model, call->of, &job->what);
    if (code == 0 && call->by && tac_param_find(job->model, call->by, &job->by) != TAC_OK)
        code = unknown_param(job->model, call->by);
    job->steps = call->steps < 0 ? 1 : call->steps;
    return code;
}

//---------------------------------- step -----------------------------------------

static int has_ending(const char* path, const char* ending) {
    size_t length = strlen(path);
    return length > 4 && strcasecmp(path + length - 4, ending) == 0;
}

static int write_jacobian(const cliJacobian* j, const char* path) {
    cliOutput output;
    int is_npz = has_ending(path, ".npz");
    if (!is_npz && !has_ending(path, ".csv") && strcmp(path, "-") != 0)
        return cli_wrong("grad", "'%s' is neither .npz nor .csv; give the file such a name", path);
    int code = cli_output_open(&output, path);
    if (code != 0) return code;
    code = is_npz ? cli_jacobian_npz(j, output.file) : cli_jacobian_csv(j, output.file);
    if (code == 0) return cli_output_close(&output);
    code = cli_wrong("grad", "%s: cannot be written: %s", output.name, strerror(errno));
    cli_output_discard(&output);
    return code;
}

static int show_step(const motionJob* job) {
    cliJacobian j = {.model = job->model, .at = &job->start.state, .ctrl = job->start.ctrl};
    j.theta = job->by;
    int code = cli_jacobian_make(&j, "grad");
    if (code == 0 && job->call->out)
        code = write_jacobian(&j, job->call->out);
    else if (code == 0 && job->call->json)
        cli_jacobian_json(&j);
    else if (code == 0)
        cli_jacobian_print(&j);
    cli_jacobian_free(&j);
    return code;
}

//---------------------------------- gradient -------------------------------------

typedef struct motionGradient {
    double value;
    double *x, *u, *theta; // (2 nv + na) (nu) (nparam)
    tacRollout rollout;
    tacScratch* scratch;
} motionGradient;

static tacResult differentiate(const motionJob* job, motionGradient* g) {
    const tacModel* m = job->model;
    size_t nx = (size_t)(2 * m->nv + m->na);
    g->x = calloc(nx + (size_t)m->nu + (size_t)m->nparam + 1, sizeof *g->x);
    g->rollout = (tacRollout){.model = m, .steps = job->steps, .what = job->what};
    g->rollout.memory = malloc(tac_rollout_size(m, job->steps, sizeof(double)) + 1);
    if (!g->x || !g->rollout.memory) return TAC_ERROR_MEMORY;
    g->u = g->x + nx, g->theta = g->u + m->nu;
    tacResult result = tac_scratch_create(m, &g->scratch);
    tacTangent x_bar = {g->x, g->x + m->nv, g->x + 2 * m->nv};
    const tacState* at = &job->start.state;
    if (result == TAC_OK)
        result = tac_rollout(&g->rollout, at, job->start.ctrl, &g->value, g->scratch);
    if (result == TAC_OK)
        result = tac_rollout_vjp(&g->rollout, at, job->start.ctrl, 1.0, x_bar, g->u, g->theta,
                                 g->scratch);
    return result;
}

static void print_slope(cliJson* json, const char* name, double slope) {
    if (json)
        cli_json_number(json, name, slope);
    else
        printf("  d/d %-40s % .17g\n", name, slope);
}

static void print_state(const motionJob* job, const motionGradient* g, cliJson* json) {
    char text[TAC_COLUMN_SIZE], name[TAC_COLUMN_SIZE + 8];
    const tacModel* m = job->model;
    for (int i = 0; i < 2 * m->nv + m->na; ++i) {
        tac_column_tangent(m, i, text);
        print_slope(json, text, g->x[i]);
    }
    for (int i = 0; i < m->nu; ++i) {
        tac_column_ctrl(m, i, text);
        snprintf(name, sizeof name, "ctrl %s", text);
        print_slope(json, name, g->u[i]);
    }
}

// all parameters whose derivative is not 0, or those that were named
static void print_params(const motionJob* job, const motionGradient* g, cliJson* json) {
    char name[2 * TAC_MAX_NAME];
    for (int i = 0; i < job->model->nparam; ++i) {
        int named = i >= job->by.offset && i < job->by.offset + job->by.count;
        if (job->by.count ? !named : g->theta[i] == 0.0) continue;
        tac_param_name(job->model, i, name, sizeof name);
        print_slope(json, name, g->theta[i]);
    }
}

static void print_gradient(const motionJob* job, const motionGradient* g) {
    cliJson json = {.file = stdout}, *to = job->call->json ? &json : NULL;
    if (to) {
        cli_json_open(to, NULL, '{');
        cli_json_text(to, "of", job->call->of);
        cli_json_int(to, "steps", job->steps);
        cli_json_number(to, "value", g->value);
    } else {
        printf("%s after %d step%s: %.17g\n", job->call->of, job->steps, job->steps == 1 ? "" : "s",
               g->value);
    }
    if (job->by.count == 0) print_state(job, g, to);
    print_params(job, g, to);
    if (to) cli_json_close(to, '}');
}

static int show_gradient(const motionJob* job) {
    motionGradient g = {0};
    tacResult result = differentiate(job, &g);
    if (result == TAC_OK) print_gradient(job, &g);
    tac_scratch_destroy(g.scratch);
    free(g.x), free(g.rollout.memory);
    return result == TAC_OK ? CLI_FINE : cli_wrong("grad", "%s", tac_result_text(result));
}

//---------------------------------- proof ----------------------------------------

static int check_motion(const motionJob* job) {
    const cliMotionCall* call = job->call;
    tacCheckMotion context;
    tacCheckProblem problem;
    tacResult result =
        tac_check_motion_begin(job->model, &job->start.state, job->start.ctrl,
                               call->of ? &job->what : NULL, job->steps, &context, &problem);
    if (result != TAC_OK) return cli_wrong("grad", "%s", tac_result_text(result));
    tacCheckOptions options = tac_check_default_options();
    options.points = call->points ? call->points : 40;
    options.quad_every = 10, options.taylor_every = 5;
    options.seed = (unsigned long long)call->seed;
    options.first = 1e-9, options.second = 1e-7;
    if (call->of) problem.name = call->of;
    if (!call->json)
        printf("%s%s: %d inputs\n", call->of ? call->of : "step of ", call->of ? "" : problem.name,
               problem.n);
    int code = cli_prove(&problem, options, call->json);
    tac_check_motion_end(&context);
    return code;
}

//---------------------------------- command --------------------------------------

int cli_grad_motion(const tacModel* model, const cliMotionCall* call) {
    motionJob job = {.call = call, .model = model};
    int code = read_job(&job);
    if (code == 0 && call->of) code = show_gradient(&job);
    if (code == 0 && !call->of && (!call->check || call->out)) code = show_step(&job);
    if (code == 0 && call->check) code = check_motion(&job);
    cli_start_free(&job.start);
    return code;
}
