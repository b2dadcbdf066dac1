// tactus grad: derivatives of a scene's shapes and of its motion, and their check.

#include "cli/commands.h"
#include "cli/grad/derivative_check.h"
#include "cli/grad/grad_motion.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/scene/initial_state.h"
#include "cli/scene/shape_by_name.h"

#include "base/assert.h"
#include "check/shape_problem.h"
#include "tactus/tactus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct gradCall {
    const char* contact; // replaces the scene's contact, or NULL
    const char *path, *shape, *at;
    cliGradMotionCall motion;
    int check, points, seed, json;
} gradCall;

static int parse_grad_options(gradCall* call, int argc, char** argv) {
    cliGradMotionCall* motion = &call->motion;
    const cliOption options[] = {
        {"shape", 0, CLI_TEXT, &call->shape, "NAME", "this shape only; with --check default all", 0,
         0},
        {"at", 0, CLI_TEXT, &call->at, "\"x y z\"",
         "derivatives at this point, in the frame of the shape", 0, 0},
        {"of", 0, CLI_TEXT, &motion->of, "WHAT",
         "gradient of energy, kinetic, potential, qpos:JOINT, ... (below)", 0, 0},
        {"steps", 0, CLI_INT, &motion->steps, "N", "with --of: steps of the rollout; default 1", 0,
         1e6},
        {"wrt", 0, CLI_TEXT, &motion->wrt, "NAME",
         "with respect to these parameters: columns beside A and B, rows of --of", 0, 0},
        {"qpos", 0, CLI_TEXT, &motion->start.qpos, "\"q ...\"", "positions of the state", 0, 0},
        {"qvel", 0, CLI_TEXT, &motion->start.qvel, "\"v ...\"", "velocities of the state", 0, 0},
        {"ctrl", 0, CLI_TEXT, &motion->ctrl, "WHAT", "control, as for tactus run", 0, 0},
        {"key", 0, CLI_TEXT, &motion->start.key, "NAME", "state and control of a keyframe", 0, 0},
        {"from", 0, CLI_TEXT, &motion->start.from, "NPZ",
         "state and control of a trajectory, the last", 0, 0},
        {"frame", 0, CLI_INT, &motion->start.frame, "N", "with --from: state N, counted from 0", 0,
         2e9},
        {"out", 'o', CLI_TEXT, &motion->out, "FILE",
         "A and B, or with --of the gradient, as .npz or .csv", 0, 0},
        {"check", 0, CLI_FLAG, &call->check, NULL, "check the derivatives at random points", 0, 0},
        {"points", 0, CLI_INT, &call->points, "N",
         "with --check: points; default 1000 per shape, 40 per motion", 1, 1e7},
        {"seed", 0, CLI_INT, &call->seed, "N", "with --check: seed of the points; default 1", 0,
         1e9},
        {"left-out", 0, CLI_REAL, &motion->left_out, "SHARE",
         "with --check: share of flagged states that may be left out; default 0.5", 0, 1},
        {"json", 0, CLI_FLAG, &call->json, NULL, "one JSON object per line", 0, 0},
        CLI_CONTACT_OPTION(&call->contact),
    };
    const cliCommand command = {
        .name = "grad",
        .summary = "derivatives of motions and of distances, and their check",
        .positional = "FILE",
        .description =
            "Scenes with joints: A and B of a step; with --of the gradient of a quantity after\n"
            "some steps with respect to state, control and every parameter. Quantities: energy,\n"
            "kinetic, potential, qpos:JOINT (qpos:JOINT/x|y|z|qw|qx|qy|qz of a free or ball\n"
            "joint), qvel:JOINT (qvel:JOINT/x|y|z|rx|ry|rz), act:ACTUATOR, xpos:BODY/x|y|z or\n"
            "xpos:SITE/x|y|z.\n"
            "Files (-o x.npz): A, B, P with x_name, u_name, theta_name; the state qpos, qvel, "
            "act,\n"
            "ctrl; next_qpos, next_qvel, next_act. With --of: value, and its derivatives x, u,\n"
            "theta with x_name, u_name, theta_name.\n"
            "--at: signed distance of a shape at a point, and its derivatives with respect to the\n"
            "point, the twist of the shape's frame and every parameter. Parameters whose\n"
            "derivative is 0 are not printed.\n"
            "--check: compares jvp, vjp and hvp with complex step, quad precision and Taylor\n"
            "slopes, for all shapes and the step, or for what is named. Exit code 1: one fails.\n",
        .example = "  tactus grad scenes/cart_pole.xml\n"
                   "  tactus grad scenes/humanoid.xml --ctrl 0.1 -o jacobian.npz\n"
                   "  tactus grad scenes/arm.xml --of xpos:hand/z --steps 50 --ctrl 0.1 --check\n"
                   "  tactus grad scenes/first_light.xml --check\n"
                   "  tactus grad scenes/first_light.xml --shape pebble --at \"0.3 0 0.1\"\n",
        .options = options,
        .option_count = TAC_COUNT(options),
        .min = 1,
        .max = 1,
        .arguments = &call->path,
    };
    return cli_parse(&command, argc, argv);
}

//---------------------------------- derivatives at a point -----------------------

// value and its derivatives with respect to point, twist and parameters
typedef struct shapeGradient {
    double value, x[3], pose[6], *param;
} shapeGradient;

static tacResult differentiate_shape(const tacModel* model, int shape, const double at[3],
                                     shapeGradient* g) {
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

// the alias, by names of nodes, where there is one
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

static void print_shape_gradient(const tacModel* model, int shape, const shapeGradient* g,
                                 int as_json) {
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

static int show_shape_gradient(const tacModel* model, int shape, const gradCall* call) {
    double at[3];
    if (!cli_parse_numbers(call->at, at, 3))
        return cli_error("grad", "--at needs three numbers, such as --at \"0.1 0 0.2\"");
    shapeGradient g = {.param = calloc((size_t)model->nparam + 1, sizeof(double))};
    tacResult result = g.param ? differentiate_shape(model, shape, at, &g) : TAC_ERROR_MEMORY;
    if (result == TAC_OK) print_shape_gradient(model, shape, &g, call->json);
    free(g.param);
    return result == TAC_OK ? CLI_OK : cli_error("grad", "%s", tac_result_text(result));
}

//---------------------------------- proof ----------------------------------------

static int check_shape(const tacModel* model, int shape, const gradCall* call) {
    tacCheckShape context;
    tacCheckProblem problem;
    tacResult result = tac_check_shape_begin(model, shape, &context, &problem);
    if (result != TAC_OK) return cli_error("grad", "%s", tac_result_text(result));
    tacCheckOptions options = tac_check_shape_options(&context);
    options.points = call->points ? call->points : 1000;
    options.seed = (unsigned long long)call->seed;
    if (!call->json) printf("shape %s: %d inputs\n", problem.name, problem.n);
    int code = cli_check_derivatives(&problem, options, call->json);
    tac_check_shape_end(&context);
    return code;
}

//---------------------------------- command --------------------------------------

static int for_each_shape(const tacModel* model, const gradCall* call) {
    int only =
        call->shape || call->at ? cli_shape_by_name("grad", call->path, model, call->shape) : -1;
    if (only < 0 && (call->shape || call->at)) return CLI_ERROR;
    if (model->nshape == 0 && model->nv == 0)
        return cli_error("grad", "%s has no shapes: nothing to check", call->path);
    int worst = CLI_OK;
    for (int i = 0; i < model->nshape; ++i) {
        if (only >= 0 && i != only) continue;
        int code = call->at ? show_shape_gradient(model, i, call) : CLI_OK;
        if (code == CLI_OK && call->check) code = check_shape(model, i, call);
        if (code > worst) worst = code;
    }
    return worst;
}

// 1 if an option applies to the motion alone
static int wants_motion(const gradCall* call) {
    const cliGradMotionCall* m = &call->motion;
    return m->of || m->wrt || m->ctrl || m->out || m->start.qpos || m->start.qvel || m->start.key ||
           m->start.from || m->steps >= 0;
}

static int run_grad(const gradCall* call, const tacModel* model) {
    int shape = call->shape || call->at, motion = wants_motion(call);
    if (shape && motion)
        return cli_error("grad", "--shape and --at apply to shapes, the other options to motion");
    if (motion && model->nv == 0) return cli_error("grad", "%s has no joints", call->path);
    if (model->nv == 0 && !call->check && !call->at)
        return cli_error("grad", "give --check or --at \"x y z\"");
    if (shape && !call->check && !call->at)
        return cli_error("grad", "give --check or --at \"x y z\"");
    int code = shape || (call->check && !motion) ? for_each_shape(model, call) : CLI_OK;
    int moves = !shape && model->nv > 0 && code != CLI_ERROR;
    int second = moves ? cli_grad_motion(model, &call->motion) : CLI_OK;
    return second > code ? second : code;
}

int tac_cmd_grad(int argc, char** argv) {
    gradCall call = {.seed = 1, .motion = {.steps = -1, .start.frame = -1, .left_out = 0.5}};
    int code = parse_grad_options(&call, argc, argv);
    if (code != CLI_CONTINUE) return code;
    if (!call.check && call.points) return cli_error("grad", "--points requires --check");
    if (!call.motion.of && call.motion.steps >= 0)
        return cli_error("grad", "--steps requires --of");
    call.motion.check = call.check;
    call.motion.points = call.points;
    call.motion.seed = call.seed;
    call.motion.json = call.json;
    call.motion.file = call.path;

    tacModel* model;
    tacMessage message;
    if (cli_load(call.path, call.contact, &model, &message) != 0) return CLI_ERROR;
    if (*message.text) cli_warning("grad", "%s", message.text);
    code = run_grad(&call, model);
    tac_model_destroy(model);
    return code;
}
