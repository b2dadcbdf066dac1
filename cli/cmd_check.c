// tactus check: loads a scene or mesh and prints a summary.

#include "cli/check_bodies.h"
#include "cli/check_mesh.h"
#include "cli/commands.h"
#include "cli/io/export_mjcf.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/scene/initial_state.h"
#include "cli/scene/overlap.h"

#include "base/assert.h"
#include "tactus/mesh.h"

#include <math.h>
#include <string.h>

typedef struct checkCall {
    const char* contact; // replaces the scene's contact, or NULL
    const char* path;
    const char* mjcf;
    int json, params, mass, bodies, vertices;
    double density, tolerance; // 0: not given
} checkCall;

static int parse_check_options(checkCall* call, int argc, char** argv) {
    const cliOption options[] = {
        {"params", 0, CLI_FLAG, &call->params, NULL, "list all parameters with value and range", 0,
         0},
        {"bodies", 0, CLI_FLAG, &call->bodies, NULL,
         "list bodies with mass and joints, and actuators", 0, 0},
        {"mass", 0, CLI_FLAG, &call->mass, NULL,
         "volume, mass, center of mass and inertia of each shape, with the error", 0, 0},
        {"density", 0, CLI_REAL, &call->density, "RHO",
         "with --mass: density in kg/m^3; default 1000", 1e-12, 1e12},
        {"tolerance", 0, CLI_REAL, &call->tolerance, "E",
         "with --mass: relative tolerance; default 1e-3", 1e-12, 0.1},
        {"mjcf", 0, CLI_TEXT, &call->mjcf, "OUT.xml",
         "write the scene as plain MJCF, its shapes as meshes OUT_N.obj", 0, 0},
        {"vertices", 0, CLI_INT, &call->vertices, "N",
         "with --mjcf: vertices per shape, about; default 300", TAC_MESH_MIN_VERTICES,
         TAC_MESH_MAX_VERTICES},
        {"json", 0, CLI_FLAG, &call->json, NULL, "one JSON object per line", 0, 0},
        CLI_CONTACT_OPTION(&call->contact),
    };
    const cliCommand command = {
        .name = "check",
        .summary = "load a scene or mesh, print a summary, or the first error",
        .positional = "FILE",
        .description =
            "Loads a scene and counts its bodies, joints, geoms and parameters. An error names\n"
            "file, line and attribute (exit code 2). For a mesh (.obj, .stl, .ply, .off, .msh,\n"
            ".xyz): vertices, faces, whether it is closed, bounding box, volume and convex hull.\n"
            "Exit code 1: a mass misses the tolerance.\n",
        .example = "  tactus check scenes/first_light.xml --params\n"
                   "  tactus check scenes/first_light.xml --mass --density 700\n"
                   "  tactus check scenes/quadruped.xml --bodies\n"
                   "  tactus check scenes/first_light.xml --mjcf plain.xml\n"
                   "  tactus check mug.obj\n",
        .options = options,
        .option_count = TAC_COUNT(options),
        .min = 1,
        .max = 1,
        .arguments = &call->path,
    };
    return cli_parse(&command, argc, argv);
}

//---------------------------------- text -----------------------------------------

static void print_shapes(const tacModel* model) {
    for (int i = 0; i < model->nshape; ++i) {
        const tacShape* shape = &model->shape[i];
        if (strncmp(shape->name, "geom:", 5) == 0) continue; // made for a primitive geom
        printf("  shape %s: %d node%s\n", shape->name, shape->count, shape->count == 1 ? "" : "s");
    }
}

// only where there are any
static void print_count(const char* what, int count) {
    if (count > 0) printf("  %-10s %d\n", what, count);
}

static void print_scene_summary(const tacModel* model, const char* path) {
    printf("%s: ok\n", path);
    if (*model->name) printf("  model      %s\n", model->name);
    printf("  bodies     %d, including the world\n", model->nbody);
    printf("  joints     %d, with %d degrees of freedom\n", model->njoint, model->nv);
    printf("  actuators  %d\n", model->nu);
    print_count("tendons", model->ntendon);
    print_count("equalities", model->nequality);
    print_count("keyframes", model->nkey);
    printf("  geoms      %d\n", model->ngeom);
    printf("  shapes     %d, of %d nodes\n", model->nshape, model->nnode);
    printf("  lights     %d\n", model->nlight);
    printf("  cameras    %d\n", model->ncamera);
    printf("  parameters %d, in %d groups\n", model->nparam, model->nparamname);
    print_shapes(model);
}

static void print_param_group(const tacModel* model, const tacParamName* group) {
    tacParam param = group->param;
    char text[CLI_NUMBER_SIZE];
    printf("  %s", group->name);
    if (param.count > 1) printf("[0..%d]", param.count - 1);
    printf(" =");
    for (int i = 0; i < param.count; ++i)
        printf(" %s", cli_number_text(model->param[param.offset + i], text));
    printf("  in [%g, %g]", param.lower, param.upper);
    if (group->alias) printf("  also %s", group->alias);
    printf("\n");
}

//---------------------------------- JSON -----------------------------------------

static void json_names(cliJson* json, const tacModel* model) {
    cli_json_open(json, "shapes", '[');
    for (int i = 0; i < model->nshape; ++i) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", model->shape[i].name);
        cli_json_int(json, "nodes", model->shape[i].count);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void json_scene_summary(cliJson* json, const tacModel* model, const char* path) {
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "file", path);
    cli_json_text(json, "model", model->name);
    cli_json_int(json, "bodies", model->nbody);
    cli_json_int(json, "joints", model->njoint);
    cli_json_int(json, "nq", model->nq);
    cli_json_int(json, "nv", model->nv);
    cli_json_int(json, "nu", model->nu);
    cli_json_int(json, "tendons", model->ntendon);
    cli_json_int(json, "equalities", model->nequality);
    cli_json_int(json, "keyframes", model->nkey);
    cli_json_int(json, "geoms", model->ngeom);
    json_names(json, model);
    cli_json_int(json, "nodes", model->nnode);
    cli_json_int(json, "lights", model->nlight);
    cli_json_int(json, "cameras", model->ncamera);
    cli_json_int(json, "parameters", model->nparam);
    cli_json_int(json, "groups", model->nparamname);
    cli_json_close(json, '}');
}

static void json_param_group(cliJson* json, const tacModel* model, const tacParamName* group) {
    tacParam param = group->param;
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "parameter", group->name);
    if (group->alias) cli_json_text(json, "alias", group->alias);
    cli_json_int(json, "offset", param.offset);
    cli_json_numbers(json, "value", model->param + param.offset, param.count);
    cli_json_number(json, "lower", param.lower);
    cli_json_number(json, "upper", param.upper);
    cli_json_close(json, '}');
}

//---------------------------------- mass -----------------------------------------

static void print_mass(const checkCall* call, const tacShape* shape, const tacMass* m) {
    printf("  mass of %s, relative error about %.1e\n", shape->name, m->error);
    if (m->error > call->tolerance)
        printf("    above --tolerance %g: best result of the finest grid\n", call->tolerance);
    printf("    volume  %.9g m^3\n    mass    %.9g kg\n", m->volume, m->mass);
    printf("    center  %.9g %.9g %.9g m\n", m->center[0], m->center[1], m->center[2]);
    printf("    inertia %.9g %.9g %.9g %.9g %.9g %.9g kg m^2 (xx yy zz xy xz yz)\n", m->inertia[0],
           m->inertia[1], m->inertia[2], m->inertia[3], m->inertia[4], m->inertia[5]);
}

static void json_mass(const checkCall* call, cliJson* json, const tacShape* shape,
                      const tacMass* m) {
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "shape", shape->name);
    cli_json_number(json, "volume", m->volume);
    cli_json_number(json, "mass", m->mass);
    cli_json_numbers(json, "center", m->center, 3);
    cli_json_numbers(json, "inertia", m->inertia, 6);
    cli_json_number(json, "error", m->error);
    cli_json_bool(json, "converged", m->error <= call->tolerance);
    cli_json_close(json, '}');
}

// a shape without mass properties, such as a half-space, is not an error
static void print_no_mass(const checkCall* call, cliJson* json, const tacShape* shape,
                          const char* why) {
    if (!call->json) {
        printf("  mass of %s: none; %s\n", shape->name, why);
        return;
    }
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "shape", shape->name);
    cli_json_text(json, "none", why);
    cli_json_close(json, '}');
}

static tacResult find_mass(const checkCall* call, const tacModel* model, int shape, tacMass* mass,
                           tacMessage* message) {
    cliProgress progress = cli_progress_begin("check");
    tacResult result = tac_shape_mass_with_progress(model, shape, call->density, call->tolerance,
                                                    cli_progress_show, &progress, mass, message);
    cli_progress_end(&progress);
    return result;
}

// CLI_FAILED if a mass misses the tolerance
static int print_masses(const checkCall* call, cliJson* json, const tacModel* model) {
    int code = CLI_OK;
    for (int i = 0; i < model->nshape; ++i) {
        const tacShape* shape = &model->shape[i];
        tacMass mass;
        tacMessage message;
        tacResult result = find_mass(call, model, i, &mass, &message);
        if (result == TAC_ERROR_MEMORY) return cli_error_message(result, &message);
        if (result != TAC_OK)
            print_no_mass(call, json, shape, message.text);
        else if (call->json)
            json_mass(call, json, shape, &mass);
        else
            print_mass(call, shape, &mass);
        if (result == TAC_OK && mass.error > call->tolerance) code = CLI_FAILED;
    }
    return code;
}

//---------------------------------- export ---------------------------------------

// shapes without a geom: plain MJCF has no element for them
static int count_unused_shapes(const tacModel* model) {
    int count = 0;
    for (int s = 0; s < model->nshape; ++s) {
        int used = 0;
        for (int i = 0; i < model->ngeom && !used; ++i) used = model->geom[i].shape == s;
        count += !used;
    }
    return count;
}

static void print_export(const checkCall* call, cliJson* json, const tacModel* model, int meshes) {
    int left = count_unused_shapes(model);
    if (call->json) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "written", call->mjcf);
        cli_json_int(json, "meshes", meshes);
        cli_json_int(json, "unused_shapes", left);
        cli_json_close(json, '}');
        return;
    }
    printf("  written    %s, with %d mesh%s beside it\n", call->mjcf, meshes,
           meshes == 1 ? "" : "es");
    if (left)
        printf("  warning    %d shape%s without a geom %s not in it; place one by "
               "<geom type=\"shape\" shape=\"NAME\"/>\n",
               left, left == 1 ? "" : "s", left == 1 ? "is" : "are");
}

//---------------------------------- command --------------------------------------

// refuses options without effect, and sets defaults
static int validate_options(checkCall* call) {
    if (cli_is_mesh_file(call->path) && (call->params || call->bodies || call->mass || call->mjcf))
        return cli_error("check", "%s applies to scenes; %s is a mesh",
                         call->params   ? "--params"
                         : call->bodies ? "--bodies"
                         : call->mass   ? "--mass"
                                        : "--mjcf",
                         call->path);
    if (!call->mass && (call->density > 0.0 || call->tolerance > 0.0))
        return cli_error("check", "--density and --tolerance require --mass");
    if (!call->mjcf && call->vertices) return cli_error("check", "--vertices requires --mjcf");
    if (call->density == 0.0) call->density = 1000.0;
    if (call->tolerance == 0.0) call->tolerance = 1e-3;
    if (call->vertices == 0) call->vertices = 300;
    return CLI_CONTINUE;
}

int tac_cmd_check(int argc, char** argv) {
    checkCall call = {0};
    int code = parse_check_options(&call, argc, argv);
    if (code == CLI_CONTINUE) code = validate_options(&call);
    if (code != CLI_CONTINUE) return code;
    if (call.mjcf && cli_export_mjcf_name(call.mjcf) != 0) return CLI_ERROR;
    if (cli_is_mesh_file(call.path)) return cli_check_mesh(call.path, call.json);

    int meshes = 0;
    tacModel* model;
    tacMessage message;
    if (cli_load(call.path, call.contact, &model, &message) != 0) return CLI_ERROR;

    // export first: a scene that cannot be written is not ok
    if (call.mjcf) code = cli_export_mjcf(model, call.mjcf, call.vertices, &meshes);
    if (call.mjcf && code != CLI_OK) {
        tac_model_destroy(model);
        return code;
    }
    cliJson json = {.file = stdout};
    if (call.json)
        json_scene_summary(&json, model, call.path);
    else
        print_scene_summary(model, call.path);
    if (!call.json && *message.text) printf("  warning    %s\n", message.text);
    cli_overlap_check(model, call.json ? &json : NULL);
    if (call.bodies && call.json)
        cli_bodies_json(&json, model);
    else if (call.bodies)
        cli_bodies_print(model);
    for (int i = 0; call.params && i < model->nparamname; ++i)
        if (call.json)
            json_param_group(&json, model, &model->paramname[i]);
        else
            print_param_group(model, &model->paramname[i]);
    code = call.mass ? print_masses(&call, &json, model) : CLI_OK;
    if (call.mjcf) print_export(&call, &json, model, meshes);
    tac_model_destroy(model);
    return code;
}
