// Derivatives of the motion of a scene.

#include "cli/grad/grad_motion.h"

#include "cli/grad/derivative_check.h"
#include "cli/grad/grad_hard.h"
#include "cli/grad/gradient.h"
#include "cli/grad/quantity_option.h"
#include "cli/grad/step_jacobian_print.h"
#include "cli/report.h"
#include "cli/scene/control.h"
#include "cli/scene/initial_overlap.h"

#include "check/motion_problem.h"
#include "model/xml/word_suggestion.h"
#include "record/column.h"
#include "step/hard/hard_step.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// a call with what its options name
typedef struct motionJob {
    const cliGradMotionCall* call;
    const tacModel* model;
    cliInitialState start;
    tacQuantity what;
    int steps;
    tacParam wrt; // count 0: not given
} motionJob;

//---------------------------------- options --------------------------------------

// names of groups with blanks between, as far as they fit
static int unknown_param(const tacModel* model, const char* name) {
    static char names[20000];
    char near[TAC_SUGGESTION_SIZE];
    names[0] = '\0';
    for (int i = 0; i < model->nparamname; ++i) {
        size_t used = strlen(names);
        if (tac_param_affects_motion(model, model->paramname[i].param.offset))
            snprintf(names + used, sizeof names - used, " %s", model->paramname[i].name);
    }
    int meant = tac_suggest_word(name, names, near);
    return cli_error("grad",
                     "--wrt: there is no parameter '%s'%s%s%s (tactus check --params lists them)",
                     name, meant ? "; did you mean " : "", meant ? near : "", meant ? "?" : "");
}

static int read_job(motionJob* job) {
    const cliGradMotionCall* call = job->call;
    cliControl control = {0};
    int code = cli_check_table_name("grad", call->out);
    if (code == 0) code = cli_initial_state_read(&job->start, "grad", job->model, &call->start);
    if (code == 0) code = cli_initial_overlap_check(call->file, job->model, job->start.state.qpos);
    if (code == 0 && call->ctrl) {
        code = cli_control_read(&control, "grad", job->model, call->ctrl, call->seed);
        if (code == 0) cli_control_at(&control, job->start.step, 0, job->start.ctrl);
        cli_control_free(&control);
    }
    if (code == 0 && call->of) code = cli_quantity_parse("grad", job->model, call->of, &job->what);
    if (code == 0 && call->wrt && tac_param_find(job->model, call->wrt, &job->wrt) != TAC_OK)
        code = unknown_param(job->model, call->wrt);
    job->steps = call->steps < 0 ? 1 : call->steps;
    return code;
}

//---------------------------------- files ----------------------------------------

// one of the two, the other is NULL
static int write_derivatives(const cliJacobian* j, const cliGradient* g, FILE* file, int is_npz) {
    if (j) return is_npz ? cli_jacobian_npz(j, file) : cli_jacobian_csv(j, file);
    return is_npz ? cli_gradient_npz(g, file) : cli_gradient_csv(g, file);
}

static int write_output(const cliJacobian* j, const cliGradient* g, const char* path) {
    cliOutput output;
    int code = cli_output_open(&output, path);
    if (code != 0) return code;
    if (write_derivatives(j, g, output.file, cli_has_extension(path, ".npz")) == 0)
        return cli_output_close(&output);
    code = cli_error("grad", "%s: cannot be written: %s", output.name, strerror(errno));
    cli_output_discard(&output);
    return code;
}

//---------------------------------- derivatives ----------------------------------

static int show_jacobian(const motionJob* job) {
    cliJacobian j = {.model = job->model, .at = &job->start.state, .ctrl = job->start.ctrl};
    j.theta = job->wrt;
    int code = cli_jacobian_make(&j, "grad");
    if (code == 0 && job->call->out)
        code = write_output(&j, NULL, job->call->out);
    else if (code == 0 && job->call->json)
        cli_jacobian_json(&j);
    else if (code == 0)
        cli_jacobian_print(&j);
    cli_jacobian_free(&j);
    return code;
}

static int show_quantity_gradient(const motionJob* job) {
    cliGradient g = {.model = job->model, .at = &job->start.state, .ctrl = job->start.ctrl};
    g.of = job->call->of;
    g.what = job->what;
    g.steps = job->steps;
    g.wrt = job->wrt;
    int code = cli_gradient_make(&g, "grad");
    if (code == 0 && job->call->out)
        code = write_output(NULL, &g, job->call->out);
    else if (code == 0 && job->call->json)
        cli_gradient_json(&g);
    else if (code == 0)
        cli_gradient_print(&g);
    cli_gradient_free(&g);
    return code;
}

//---------------------------------- proof ----------------------------------------

static int check_motion_derivatives(const motionJob* job) {
    const cliGradMotionCall* call = job->call;
    // hard contact is double only: no complex step, no second derivatives
    if (tac_is_hard(job->model))
        return cli_grad_hard(job->model, &job->start.state, job->start.ctrl, call);
    tacCheckMotion context;
    tacCheckProblem problem;
    tacResult result =
        tac_check_motion_begin(job->model, &job->start.state, job->start.ctrl,
                               call->of ? &job->what : NULL, job->steps, &context, &problem);
    if (result != TAC_OK) return cli_error("grad", "%s", tac_result_text(result));
    tacCheckOptions options = tac_check_default_options();
    options.points = call->points ? call->points : 40;
    options.quad_every = 10;
    options.taylor_every = 5;
    options.seed = (unsigned long long)call->seed;
    options.first = 1e-9;
    options.second = 1e-7;
    if (call->of) problem.name = call->of;
    if (!call->json)
        printf("%s%s: %d inputs\n", call->of ? call->of : "step of ", call->of ? "" : problem.name,
               problem.n);
    int code = cli_check_derivatives(&problem, options, call->json);
    tac_check_motion_end(&context);
    return code;
}

//---------------------------------- command --------------------------------------

int cli_grad_motion(const tacModel* model, const cliGradMotionCall* call) {
    motionJob job = {.call = call, .model = model};
    int code = read_job(&job);
    if (code == 0 && call->of) code = show_quantity_gradient(&job);
    if (code == 0 && !call->of && (!call->check || call->out)) code = show_jacobian(&job);
    if (code == 0 && call->check) code = check_motion_derivatives(&job);
    cli_initial_state_free(&job.start);
    return code;
}
