// tactus run: simulates a scene, prints speed and energy, and writes the trajectory.

#include "cli/commands.h"
#include "cli/io/output.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/scene/control.h"
#include "cli/scene/initial_overlap.h"
#include "cli/scene/initial_state.h"
#include "cli/scene/simulation.h"

#include "base/assert.h"
#include "detect/detect.h"
#include "record/column.h"
#include "step/hard/hard_step.h"
#include "tactus/tactus.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#ifndef TACTUS_VERSION
#define TACTUS_VERSION "unknown"
#endif

typedef struct runCall {
    const char* contact; // replaces the scene's contact, or NULL
    const char *path, *out, *ctrl;
    cliInitialStateOptions start;
    double time;     // 0: not given
    int steps;       // 0: not given
    int seed, every; // -1, 0: not given
    int batch, threads, json;
} runCall;

static int parse_run_options(runCall* call, int argc, char** argv) {
    const cliOption options[] = {
        {"out", 'o', CLI_TEXT, &call->out, "FILE", "trajectory to write, .npz or .csv", 0, 0},
        {"steps", 0, CLI_INT, &call->steps, "N", "number of steps; default 1000", 1, 2e9},
        {"time", 0, CLI_REAL, &call->time, "T", "simulated seconds, instead of --steps", 1e-9, 1e9},
        {"ctrl", 0, CLI_TEXT, &call->ctrl, "WHAT",
         "random, one number, one per actuator, .npz or .csv; default 0", 0, 0},
        {"seed", 0, CLI_INT, &call->seed, "N", "with --ctrl random: seed; default 1", 0, 1e9},
        {"qpos", 0, CLI_TEXT, &call->start.qpos, "\"q ...\"", "initial positions", 0, 0},
        {"qvel", 0, CLI_TEXT, &call->start.qvel, "\"v ...\"", "initial velocities", 0, 0},
        {"key", 0, CLI_TEXT, &call->start.key, "NAME", "initial state and control of a keyframe", 0,
         0},
        {"from", 0, CLI_TEXT, &call->start.from, "NPZ", "continue from the last state of a run", 0,
         0},
        {"frame", 0, CLI_INT, &call->start.frame, "N",
         "with --from: continue from state N, counted from 0", 0, 2e9},
        {"every", 0, CLI_INT, &call->every, "N", "write every N-th state; default 1", 1, 2e9},
        {"batch", 0, CLI_INT, &call->batch, "N", "parallel runs; the first is written", 1, 1e6},
        {"threads", 0, CLI_INT, &call->threads, "N", "threads of a batch; default 0: one per core",
         0, 1024},
        {"json", 0, CLI_FLAG, &call->json, NULL, "print the summary as one JSON object", 0, 0},
        CLI_CONTACT_OPTION(&call->contact),
    };
    const cliCommand command = {
        .name = "run",
        .summary = "simulate a scene and write its trajectory",
        .positional = "SCENE",
        .description =
            "Simulates the scene from its initial configuration (qpos0), or from --qpos, --key or\n"
            "--from. Prints speed, energy and the largest velocity. The trajectory holds the full\n"
            "state of each step; --from continues it bit for bit. A motion that diverges ends\n"
            "with exit code 1; the states before are written.\n",
        .example = "  tactus run scenes/humanoid.xml --time 2 --ctrl random -o run.npz\n"
                   "  tactus run scenes/humanoid.xml --from run.npz --time 1 -o more.npz\n"
                   "  tactus run scenes/arm.xml --batch 4096 --ctrl random\n",
        .options = options,
        .option_count = TAC_COUNT(options),
        .min = 1,
        .max = 1,
        .arguments = &call->path,
    };
    return cli_parse(&command, argc, argv);
}

//---------------------------------- summary --------------------------------------

typedef struct runSummary {
    const runCall* call;
    const tacModel* model;
    const cliSimulation* simulation;
    const char* warning;   // of the scene
    double energy[2][2];   // at start and end: kinetic, potential
    double timestep, span; // one step, all of the first run                 [s]
    int rows;
} runSummary;

static double total_energy(const double energy[2]) { return energy[0] + energy[1]; }

// change of energy, relative to the largest energy
static double relative_drift(const runSummary* s) {
    double scale = fmax(fmax(fabs(total_energy(s->energy[0])), fabs(total_energy(s->energy[1]))),
                        fmax(s->energy[0][0], s->energy[1][0]));
    if (!isfinite(scale)) return INFINITY;
    return scale > 0.0 ? (total_energy(s->energy[1]) - total_energy(s->energy[0])) / scale : 0.0;
}

static void print_energy(const char* when, const double energy[2]) {
    if (isfinite(total_energy(energy)))
        printf("  energy at %-7s kinetic %.6g J, potential %.6g J, total %.6g J\n", when, energy[0],
               energy[1], total_energy(energy));
    else
        printf("  energy at %-7s overflow\n", when);
}

static void print_energy_change(const runSummary* s) {
    double change = total_energy(s->energy[1]) - total_energy(s->energy[0]);
    if (isfinite(change))
        printf("  change            %.3g J, relative %.2g\n", change, relative_drift(s));
    else
        printf("  change            overflow\n");
}

static void print_speed(const runSummary* s) {
    const cliSimulation* r = s->simulation;
    printf("  simulated         %.6g s in %.4g s, %.4g times real time\n", s->span, r->seconds,
           (double)r->total_steps * s->timestep / r->seconds);
    printf("  speed             %.4g steps/s, %.4g us a step", (double)r->total_steps / r->seconds,
           1e6 * r->seconds / (double)r->total_steps);
    if (r->batch > 1)
        printf("; %d runs on %d thread%s", r->batch, r->threads, r->threads == 1 ? "" : "s");
    printf("\n");
}

static void print_run_summary(const runSummary* s) {
    const cliSimulation* r = s->simulation;
    char name[TAC_COLUMN_SIZE];
    printf("%s: %lld step%s of %g s\n", s->call->path, r->done, r->done == 1 ? "" : "s",
           s->timestep);
    if (r->total_steps > 0) print_speed(s);
    print_energy("start", s->energy[0]);
    print_energy("end", s->energy[1]);
    print_energy_change(s);
    tac_column_dof(s->model, r->max_qvel_dof, name);
    if (r->max_qvel > 0.0)
        printf("  max |qvel|        %.4g of %s at %.6g s\n", r->max_qvel, name, r->max_qvel_time);
    if (r->fallbacks > 0)
        printf("  fallbacks         %lld steps: slower solver, or no restitution\n", r->fallbacks);
    if (r->energy_bounded > 0)
        printf("  restitution       limited in %lld step%s: with friction it would have added "
               "energy\n",
               r->energy_bounded, r->energy_bounded == 1 ? "" : "s");
    if (r->stiff_steps > 0)
        printf("  stiff             %lld step%s: time step too large for explicit contact; "
               "use at most %.2g s, or implicit=\"true\" (not with integrator=\"explicit\")\n",
               r->stiff_steps, r->stiff_steps == 1 ? "" : "s", r->stable_timestep);
    cli_overlap_print(s->model, &r->overlap, r->deep_steps);
    if (r->cut_short > 0)
        printf("  skipped time      %.4g s: %lld step%s exceeded 3 max_impacts impacts\n",
               r->unused_time, r->cut_short, r->cut_short == 1 ? "" : "s");
    if (s->call->out) printf("  trajectory        %s, %d states\n", s->call->out, s->rows);
    if (*s->warning) printf("  warning           %s\n", s->warning);
}

static void json_run_summary(const runSummary* s) {
    const cliSimulation* r = s->simulation;
    cliJson json = {.file = stdout};
    char name[TAC_COLUMN_SIZE];
    tac_column_dof(s->model, r->max_qvel_dof, name);
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "file", s->call->path);
    cli_json_int(&json, "steps", r->done);
    cli_json_number(&json, "timestep", s->timestep);
    cli_json_number(&json, "time", s->span);
    cli_json_int(&json, "batch", r->batch);
    cli_json_int(&json, "threads", r->threads);
    cli_json_number(&json, "seconds", r->seconds);
    cli_json_number(&json, "steps_per_second", (double)r->total_steps / r->seconds);
    cli_json_number(&json, "seconds_per_step", r->seconds / (double)r->total_steps);
    cli_json_number(&json, "realtime", (double)r->total_steps * s->timestep / r->seconds);
    cli_json_numbers(&json, "energy_start", s->energy[0], 2);
    cli_json_numbers(&json, "energy_end", s->energy[1], 2);
    cli_json_number(&json, "drift", relative_drift(s));
    cli_json_number(&json, "max_qvel", r->max_qvel);
    cli_json_text(&json, "max_qvel_of", name);
    cli_json_number(&json, "max_qvel_at", r->max_qvel_time);
    cli_json_int(&json, "diverged_runs", r->diverged);
    cli_json_int(&json, "fallbacks", r->fallbacks);
    cli_json_int(&json, "bounded", r->energy_bounded);
    cli_json_number(&json, "skipped_time", r->unused_time);
    cli_json_int(&json, "stiff", r->stiff_steps);
    if (r->stiff_steps > 0) cli_json_number(&json, "stable_timestep", r->stable_timestep);
    cli_overlap_json(&json, s->model, &r->overlap);
    cli_json_int(&json, "deep_overlaps", r->deep_steps);
    cli_json_bool(&json, "diverged", r->result != TAC_OK);
    if (s->call->out) cli_json_text(&json, "trajectory", s->call->out);
    if (s->call->out) cli_json_int(&json, "states", s->rows);
    cli_json_text(&json, "warning", s->warning);
    cli_json_close(&json, '}');
}

// a step that failed for another reason than divergence
static int print_step_error(const cliSimulation* r) {
    char advice[200] = "";
    if (r->result == TAC_ERROR_CAPACITY && tac_is_hard(r->model))
        snprintf(
            advice, sizeof advice,
            ": hard contact takes at most 256 contacts and limits at once; reduce contacts, or use "
            "respond=\"spring\"");
    else if (r->result == TAC_ERROR_CAPACITY)
        snprintf(advice, sizeof advice,
                 ": contact capacity %d exceeded; reduce contacts, support, tau or meshes",
                 tac_detector_of(r->model)->capacity(r->model));
    if (r->result == TAC_ERROR_VALUE)
        snprintf(advice, sizeof advice, ": bodies interpenetrate, or values are too large");
    return cli_error("run", "ended at step %lld, time %.6g s: %s%s", r->start->step + r->done,
                     r->end.time, tac_result_text(r->result), advice);
}

// CLI_FAILED if a run diverged
static int print_divergence(const runSummary* s) {
    const cliSimulation* r = s->simulation;
    char name[TAC_COLUMN_SIZE];
    tac_column_dof(s->model, r->max_qvel_dof, name);
    if (r->result != TAC_OK && r->result != TAC_ERROR_DIVERGED) return print_step_error(r);
    if (r->result != TAC_OK)
        cli_error("run",
                  "diverged at step %lld, time %.6g s: the next state is not finite. The largest "
                  "velocity before was %.3g of %s; try a smaller timestep, "
                  "integrator=\"RK4\", damping or armature",
                  r->start->step + r->done, r->end.time, r->max_qvel, name);
    else if (r->diverged > 0)
        cli_error("run", "%d of %d runs diverged", r->diverged, r->batch);
    return r->diverged > 0 ? CLI_FAILED : CLI_OK;
}

//---------------------------------- files ----------------------------------------

static int is_csv(const char* path) {
    return strcmp(path, "-") == 0 || cli_has_extension(path, ".csv");
}

static int write_trajectory(const runCall* call, const tacTrajectory* t, cliOutput* output) {
    int code = is_csv(call->out) ? tac_trajectory_write_csv(t, output->file)
                                 : tac_trajectory_write_npz(t, TACTUS_VERSION, output->file);
    if (code == 0) return cli_output_close(output);
    code = cli_error("run", "%s: cannot be written: %s", output->name, strerror(errno));
    cli_output_discard(output);
    return code;
}

static int measure_energy(runSummary* s, tacTrajectory* trajectory) {
    const cliSimulation* r = s->simulation;
    const tacState* ends[2] = {&r->start->state, &r->end};
    tacScratch* scratch;
    tacResult result = tac_scratch_create(s->model, &scratch);
    if (result != TAC_OK) return cli_error("run", "%s", tac_result_text(result));
    // an energy that overflows does not fail the run
    for (int i = 0; i < 2; ++i)
        if (tac_energy(s->model, ends[i]->qpos, ends[i]->qvel, s->energy[i], scratch) != TAC_OK)
            s->energy[i][0] = s->energy[i][1] = INFINITY;
    tac_trajectory_measure(trajectory, scratch);
    tac_scratch_destroy(scratch);
    return 0;
}

//---------------------------------- command --------------------------------------

// opened before the work: a wrong path should not cost the run
static int run_and_write(const runCall* call, const char* warning, cliSimulation* simulation) {
    tacTrajectory trajectory = {0};
    cliOutput output = {0};
    const tacModel* model = simulation->model;
    long long rows = cli_simulation_rows(simulation);
    tacResult result = !call->out          ? TAC_OK
                       : rows > 2000000000 ? TAC_ERROR_LIMIT
                                           : tac_trajectory_create(model, (int)rows, &trajectory);
    if (result == TAC_ERROR_LIMIT)
        return cli_error("run", "%lld states are too many for one file; use --every", rows);
    if (result != TAC_OK) return cli_error("run", "%s", tac_result_text(result));
    int code = call->out ? cli_output_open(&output, call->out) : 0;
    if (code == 0 && call->out) simulation->trajectory = &trajectory;
    if (code == 0 && (code = cli_simulation_run(simulation, "run")) != 0 && call->out)
        cli_output_discard(&output);
    if (code == 0) {
        runSummary s = {.call = call, .model = model, .simulation = simulation, .warning = warning};
        s.timestep = model->param[model->timestep];
        s.rows = trajectory.rows;
        s.span = s.timestep * (double)simulation->done;
        code = measure_energy(&s, &trajectory);
        if (call->out) code = code ? code : write_trajectory(call, &trajectory, &output);
        if (code == 0 && call->json)
            json_run_summary(&s);
        else if (code == 0 && !(call->out && strcmp(call->out, "-") == 0))
            print_run_summary(&s);
        if (code == 0) code = print_divergence(&s);
    }
    tac_trajectory_destroy(&trajectory);
    cli_simulation_free(simulation);
    return code;
}

// from --steps or --time
static int count_steps(const runCall* call, const tacModel* model, long long* steps) {
    double timestep = model->param[model->timestep], count = call->time / timestep;
    *steps = call->steps ? call->steps : 1000;
    if (call->time == 0.0) return 0;
    if (count > 2e9) return cli_error("run", "--time: %g steps are too many", count);
    *steps = (long long)fmax(1.0, ceil(count * (1.0 - 1e-12)));
    return 0;
}

static int run_scene(const runCall* call, const tacModel* model, const char* warning) {
    cliInitialState start = {0};
    cliControl control = {0};
    cliSimulation simulation = {.model = model, .control = &control, .start = &start};
    simulation.batch = call->batch;
    simulation.threads = call->threads;
    simulation.every = call->every;
    int code = count_steps(call, model, &simulation.steps);
    if (code == 0) code = cli_initial_state_read(&start, "run", model, &call->start);
    if (code == 0) code = cli_initial_overlap_check(call->path, model, start.state.qpos);
    if (code == 0) code = cli_control_read(&control, "run", model, call->ctrl, call->seed);
    if (code == 0 && call->start.key && !call->ctrl && model->nu > 0)
        memcpy(control.rows, start.ctrl, sizeof *start.ctrl * (size_t)model->nu);
    if (code == 0) code = run_and_write(call, warning, &simulation);
    cli_control_free(&control);
    cli_initial_state_free(&start);
    return code;
}

// refuses options without effect, and sets defaults
static int validate_options(runCall* call) {
    if (call->steps && call->time != 0.0)
        return cli_error("run", "give --steps or --time, not both");
    if (call->seed >= 0 && !(call->ctrl && strcmp(call->ctrl, "random") == 0))
        return cli_error("run", "--seed requires --ctrl random");
    if (call->every && !call->out) return cli_error("run", "--every requires -o FILE");
    if (call->seed < 0) call->seed = 1;
    if (call->every == 0) call->every = 1;
    return cli_check_table_name("run", call->out);
}

int tac_cmd_run(int argc, char** argv) {
    runCall call = {.seed = -1, .batch = 1, .start.frame = -1};
    int code = parse_run_options(&call, argc, argv);
    if (code != CLI_CONTINUE) return code;
    if ((code = validate_options(&call)) != 0) return code;

    tacModel* model;
    tacMessage message;
    if (cli_load(call.path, call.contact, &model, &message) != 0) return CLI_ERROR;
    code = model->nv > 0 ? run_scene(&call, model, message.text)
                         : cli_error("run", "%s has no joints", call.path);
    tac_model_destroy(model);
    return code;
}
