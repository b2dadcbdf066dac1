// tactus grad: derivatives of a scene's shapes, and the proof that they are right.

#include "commands.h"
#include "find.h"
#include "options.h"
#include "progress.h"
#include "report.h"

#include "base/assert.h"
#include "check/shape_problem.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct gradCall {
    const char *path, *shape, *at;
    int check, points, seed, json;
} gradCall;

static int parse(gradCall* call, int argc, char** argv) {
    const cliOption options[] = {
        {"shape", 0, CLI_TEXT, &call->shape, "NAME", "this shape only (--check: default all)", 0,
         0},
        {"at", 0, CLI_TEXT, &call->at, "\"x y z\"",
         "derivatives at this point of the shape's frame", 0, 0},
        {"check", 0, CLI_FLAG, &call->check, NULL, "prove the derivatives at random points", 0, 0},
        {"points", 0, CLI_INT, &call->points, "N", "points of --check (default 1000)", 1, 1e7},
        {"seed", 0, CLI_INT, &call->seed, "N", "of the points of --check (default 1)", 0, 1e9},
        {"json", 0, CLI_FLAG, &call->json, NULL, "one JSON object per line", 0, 0},
    };
    const cliCommand command = {
        .name = "grad",
        .summary = "derivatives of distances by point, pose and parameters, and their proof",
        .positional = "FILE",
        .description =
            "With --at: the distance at a point and its derivative by the point, by the twist of\n"
            "the shape's frame and by every parameter; those whose derivative is 0 are left out.\n"
            "With --check: compares jvp, vjp and hvp of value and gradient with complex step, "
            "quad\n"
            "precision and Taylor slopes; exit code 1 if one of them is off.\n",
        .example = "  tactus grad scenes/first_light.xml --check\n"
                   "  tactus grad scenes/first_light.xml --shape pebble --at \"0.3 0 0.1\"\n",
        .options = options,
        .option_count = TAC_COUNT(options),
        .least = 1,
        .most = 1,
        .arguments = &call->path,
    };
    return cli_parse(&command, argc, argv);
}

//---------------------------------- derivatives at a point -----------------------

// value and its derivatives by point, twist and parameters
typedef struct gradient {
    double value, x[3], pose[6], *param;
} gradient;

static tacResult differentiate(const tacModel* model, int shape, const double at[3], gradient* g) {
    tacScratch* scratch;
    tacResult result = tac_scratch_create(model, &scratch);
    if (result != TAC_OK) return result;
    double one = 1.0;
    tacPoints points = {1, {&at[0], &at[1], &at[2]}};
    tacShapeAdjoint adjoint = {{&g->x[0], &g->x[1], &g->x[2]}, g->pose, g->param};
    result = tac_shape_eval(model, shape, tac_pose_identity(), points,
                            (tacField){.value = &g->value}, scratch);
    if (result == TAC_OK)
        result = tac_shape_vjp(model, shape, tac_pose_identity(), points, (tacField){.value = &one},
                               adjoint, scratch);
    tac_scratch_destroy(scratch);
    return result;
}

// the name by children's names too, where they have one
static const char* alias_of(const tacModel* model, int offset) {
    const tacParamName* group = &model->paramname[model->paramgroup[offset]];
    return group->alias ? group->alias : "";
}

static void print_param(const tacModel* model, int offset, double slope, cliJson* json) {
    char name[2 * TAC_MAX_NAME];
    tac_param_name(model, offset, name, sizeof name);
    if (json) {
        cli_json_number(json, name, slope);
        return;
    }
    const char* alias = alias_of(model, offset);
    printf("  d/d %-40s % .17g%s%s\n", name, slope, *alias ? "   " : "", alias);
}

static void print_gradient(const tacModel* model, int shape, const gradient* g, int as_json) {
    static const char* const names[] = {"point[0]",   "point[1]",   "point[2]",
                                        "linear[0]",  "linear[1]",  "linear[2]",
                                        "angular[0]", "angular[1]", "angular[2]"};
    cliJson json = {.file = stdout};
    if (as_json) {
        cli_json_open(&json, NULL, '{');
        cli_json_text(&json, "shape", model->shape[shape].name);
        cli_json_number(&json, "value", g->value);
    } else {
        printf("shape %s: value %.17g\n", model->shape[shape].name, g->value);
    }
    for (int i = 0; i < 9; ++i) {
        double slope = i < 3 ? g->x[i] : g->pose[i - 3];
        if (as_json)
            cli_json_number(&json, names[i], slope);
        else
            printf("  d/d %-40s % .17g\n", names[i], slope);
    }
    for (int i = 0; i < model->nparam; ++i)
        if (g->param[i] != 0.0) print_param(model, i, g->param[i], as_json ? &json : NULL);
    if (as_json) cli_json_close(&json, '}');
}

static int show_gradient(const tacModel* model, int shape, const gradCall* call) {
    double at[3];
    if (!cli_numbers(call->at, at, 3))
        return cli_wrong("grad", "--at needs three numbers, such as --at \"0.1 0 0.2\"");
    gradient g = {.param = calloc((size_t)model->nparam + 1, sizeof(double))};
    tacResult result = g.param ? differentiate(model, shape, at, &g) : TAC_ERROR_MEMORY;
    if (result == TAC_OK) print_gradient(model, shape, &g, call->json);
    free(g.param);
    return result == TAC_OK ? CLI_FINE : cli_wrong("grad", "%s", tac_result_text(result));
}

//---------------------------------- proof ----------------------------------------

static int is_slope(int kind) { return kind == TAC_CHECK_TAYLOR_2 || kind == TAC_CHECK_TAYLOR_3; }

static double bound_of(int kind, tacCheckOptions options) {
    if (kind == TAC_CHECK_TAYLOR_2) return 1.7;
    if (kind == TAC_CHECK_TAYLOR_3) return 2.6;
    return kind <= TAC_CHECK_ADJOINT ? options.first : options.second;
}

static void print_line(const char* shape, int kind, const tacCheckLine* line,
                       tacCheckOptions options, int as_json) {
    double bound = bound_of(kind, options);
    if (line->done == 0) return;
    if (as_json) {
        cliJson json = {.file = stdout};
        char id[400];
        snprintf(id, sizeof id, "grad/%s/%s", shape, tac_check_kind_name((tacCheckKind)kind));
        cli_json_open(&json, NULL, '{');
        cli_json_text(&json, "id", id);
        cli_json_number(&json, "value", line->worst);
        cli_json_text(&json, "unit", is_slope(kind) ? "slope" : "relative");
        cli_json_number(&json, "bound", bound);
        cli_json_bool(&json, "pass", line->failed == 0);
        cli_json_int(&json, "points", line->done);
        cli_json_close(&json, '}');
        return;
    }
    printf("  %-24s %7d points, worst ", tac_check_kind_name((tacCheckKind)kind), line->done);
    if (isinf(line->worst) && is_slope(kind))
        printf("exact   ");
    else
        printf("%-8.2g", line->worst);
    printf(" %s %-7.2g %s\n", is_slope(kind) ? ">=" : "<=", bound, line->failed ? "WRONG" : "ok");
}

static int check_shape(const tacModel* model, int shape, const gradCall* call) {
    tacCheckShape context;
    tacCheckProblem problem;
    tacCheckReport report;
    tacResult result = tac_check_shape_begin(model, shape, &context, &problem);
    if (result != TAC_OK) return cli_wrong("grad", "%s", tac_result_text(result));
    tacCheckOptions options = tac_check_shape_options(&context);
    options.points = call->points;
    options.seed = (unsigned long long)call->seed;
    cliProgress progress = cli_progress_begin("grad");
    options.progress = cli_progress_show, options.user = &progress;
    result = tac_check_run(&problem, options, &report);
    cli_progress_end(&progress);
    tac_check_shape_end(&context);
    if (result != TAC_OK) return cli_wrong("grad", "%s", tac_result_text(result));
    if (!call->json) printf("shape %s: %d inputs\n", problem.name, problem.n);
    for (int k = 0; k < TAC_CHECK_KINDS; ++k)
        print_line(problem.name, k, &report.line[k], options, call->json);
    return report.passed ? CLI_FINE : CLI_NO;
}

//---------------------------------- command --------------------------------------

static int each_shape(const tacModel* model, const gradCall* call) {
    int only =
        call->shape || call->at ? cli_find_shape("grad", call->path, model, call->shape) : -1;
    if (only < 0 && (call->shape || call->at)) return CLI_WRONG;
    if (model->nshape == 0)
        return cli_wrong("grad", "%s has no shapes: nothing to check", call->path);
    int worst = CLI_FINE;
    for (int i = 0; i < model->nshape; ++i) {
        if (only >= 0 && i != only) continue;
        int code = call->at ? show_gradient(model, i, call) : CLI_FINE;
        if (code == CLI_FINE && call->check) code = check_shape(model, i, call);
        if (code > worst) worst = code;
    }
    return worst;
}

int tac_cmd_grad(int argc, char** argv) {
    gradCall call = {.seed = 1};
    int code = parse(&call, argc, argv);
    if (code != CLI_GO_ON) return code;
    if (!call.check && call.points) return cli_wrong("grad", "--points belongs to --check");
    if (call.points == 0) call.points = 1000;
    if (!call.check && !call.at) return cli_wrong("grad", "say --check or --at \"x y z\"");

    tacModel* model;
    tacMessage message;
    tacResult result = tac_load(call.path, NULL, &model, &message);
    if (result != TAC_OK) return cli_report(result, &message);
    code = each_shape(model, &call);
    tac_model_destroy(model);
    return code;
}
