// Steps of robots and of piles of boxes with contact, against MuJoCo's newest version in the same
// run: touching, free, A and B against mjd_transitionFD, time to load, and growth with the number
// of boxes.
//
// MuJoCo settles the state: it goes on from the first keyframe, or qpos0, for SETTLE steps.

#include "bench/baselines/mujoco_baseline.h"
#include "bench/bench.h"
#include "cli/clock.h"

#include "base/assert.h"
#include "base/dispatch.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SETTLE = 400,
    MAX_JACOBIAN = 700, // degrees of freedom that differences are still made of
    MAX_PATH = 4200
};

// what the responder cannot do yet is left out, as the scene would have to say
#define CONTACT "manifold ignore=condim,equality,margin,hfield,ball_limit,fluidshape"

typedef struct robotBench {
    tacModel* model;
    tacScratch* scratch;
    tacState *x, *next;
    double *ctrl, *A, *B;
    double load; // seconds
    int contacts;
    int repeat; // steps of one run
    const mujocoApi* api;
    mujocoBaseline* mujoco;
} robotBench;

//---------------------------------- works ----------------------------------------

static void run_step(void* context) {
    robotBench* b = context;
    for (int i = 0; i < b->repeat; ++i) tac_step(b->model, b->x, b->ctrl, b->next, b->scratch);
}

static void run_jacobian(void* context) {
    robotBench* b = context;
    tac_step_jacobian(b->model, b->x, b->ctrl,
                      &(tacStepJacobian){.next = b->next, .A = b->A, .B = b->B}, b->scratch);
}

static void run_mujoco_step(void* context) {
    robotBench* b = context;
    for (int i = 0; i < b->repeat; ++i) b->api->step(b->mujoco);
}

static void run_mujoco_jacobian(void* context) {
    robotBench* b = context;
    b->api->jacobian(b->mujoco);
}

//---------------------------------- scenes ---------------------------------------

static void close_robot(robotBench* b) {
    if (b->mujoco) b->api->close(b->mujoco);
    tac_scratch_destroy(b->scratch);
    tac_state_destroy(b->x);
    tac_state_destroy(b->next);
    tac_model_destroy(b->model);
    free(b->ctrl);
    free(b->A);
    free(b->B);
    *b = (robotBench){0};
}

static int alloc_robot(robotBench* b) {
    size_t nx = (size_t)(2 * b->model->nv + b->model->na), nu = (size_t)b->model->nu;
    int differences = b->model->nv <= MAX_JACOBIAN;
    b->ctrl = calloc(nu + 1, sizeof *b->ctrl);
    b->A = malloc(sizeof *b->A * (differences ? nx * nx : 1));
    b->B = malloc(sizeof *b->B * (differences ? nx * (nu + 1) : 1));
    return b->ctrl && b->A && b->B && tac_scratch_create(b->model, &b->scratch) == TAC_OK &&
           tac_state_create(b->model, &b->x) == TAC_OK &&
           tac_state_create(b->model, &b->next) == TAC_OK;
}

// 0: done; a scene that one of both does not read is reported and left out
static int open_robot(robotBench* b, const benchReport* report, const char* path) {
    tacMessage message;
    tacOptions options = tac_default_options();
    *b = (robotBench){.api = mujoco_newest_api()};
    options.contact = CONTACT;
    double start = cli_wall_seconds();
    if (tac_load(path, &options, &b->model, &message) != TAC_OK) {
        bench_comment(report, message.text);
        return 1;
    }
    b->load = cli_wall_seconds() - start;
    if (!alloc_robot(b)) {
        close_robot(b);
        return 1;
    }
    if (b->model->nkey > 0) {
        tac_state_reset_key(b->model, b->x, 0);
        if (b->model->nu)
            memcpy(b->ctrl, b->model->key[0].ctrl, sizeof *b->ctrl * (size_t)b->model->nu);
    }
    b->mujoco = b->api ? b->api->open(path) : NULL;
    if (b->mujoco) b->api->enable_contacts(b->mujoco);
    return 0;
}

// MuJoCo goes on from the state for some steps
static void settle(robotBench* b, int steps) {
    if (!b->mujoco) return;
    b->api->set_state(b->mujoco, b->x->qpos, b->x->qvel, b->ctrl);
    b->api->roll(b->mujoco, b->ctrl, steps, b->x->qpos, b->x->qvel);
    b->api->set_state(b->mujoco, b->x->qpos, b->x->qvel, b->ctrl);
    b->api->step(b->mujoco);
    b->api->set_qpos(b->mujoco, b->x->qpos);
    b->contacts = b->api->collide(b->mujoco);
    b->api->set_state(b->mujoco, b->x->qpos, b->x->qvel, b->ctrl);
}

// free bodies high above the ground and each other, and the root of planar robots
static void lift(robotBench* b) {
    const tacModel* model = b->model;
    int count = 0, slides = 0;
    tac_state_reset(model, b->x);
    if (model->nkey > 0) tac_state_reset_key(model, b->x, 0);
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        if (j->kind == TAC_JOINT_FREE) b->x->qpos[j->qpos + 2] += 1.0 + 5.0 * count++;
        int up = j->kind == TAC_JOINT_SLIDE && fabs(model->param[j->axis + 2]) > 0.9;
        if (up && model->body[j->body].parent == 0 && slides++ == 0) b->x->qpos[j->qpos] += 1.0;
    }
}

//---------------------------------- rows -----------------------------------------

typedef struct robotRow {
    double step, mujoco; // seconds
} robotRow;

// so many steps that a run takes at least 30 us
static void choose_repeat(robotBench* b) {
    b->repeat = 1;
    double start = cli_wall_seconds();
    run_step(b);
    run_step(b);
    double each = fmax(1e-6, 0.5 * (cli_wall_seconds() - start));
    b->repeat = (int)fmin(20.0, 1.0 + 30e-6 / each);
}

static robotRow time_steps(robotBench* b) {
    const benchWork works[] = {{run_step, b}, {run_mujoco_step, b}};
    double t[2] = {0.0, NAN};
    choose_repeat(b);
    bench_times_rounds(works, b->mujoco ? 2 : 1, b->model->nv > 100 ? 15 : 60, t);
    return (robotRow){1e-9 * t[0] / b->repeat, 1e-9 * t[1] / b->repeat};
}

static void step_rows(benchReport* report, const char* name, const char* what, robotRow row,
                      double bound) {
    char id[200];
    snprintf(id, sizeof id, "%s: step, %s", name, what);
    bench_row(report, id, 1e6 * row.step, "us", ' ', 0.0);
    snprintf(id, sizeof id, "%s: step, %s : MuJoCo", name, what);
    if (row.mujoco > 0.0)
        bench_row(report, id, row.step / row.mujoco, "x", tac_isa() == TAC_ISA_BASELINE ? ' ' : '<',
                  bound);
}

static void jacobian_row(benchReport* report, const char* name, robotBench* b) {
    char id[200];
    const benchWork works[] = {{run_jacobian, b}, {run_mujoco_jacobian, b}};
    double t[2];
    if (!b->mujoco || b->model->nv > MAX_JACOBIAN || b->model->nv == 0) return;
    bench_times_rounds(works, 2, b->model->nv > 100 ? 2 : 10, t);
    snprintf(id, sizeof id, "%s: mjd_transitionFD : A and B", name);
    bench_row(report, id, t[1] / t[0], "x", tac_isa() == TAC_ISA_BASELINE ? ' ' : '>', 15.0);
}

// 1 if the scene could be opened; its touching step to `row`, its time to load to `load`
static int bench_robot(benchReport* report, const char* name, const char* path, robotRow* row,
                       double* load) {
    char id[200], what[60];
    robotBench b;
    if (open_robot(&b, report, path) != 0) return 0;
    *load = b.load;
    snprintf(id, sizeof id, "%s: load", name);
    bench_row(report, id, 1e3 * b.load, "ms", ' ', 0.0);
    settle(&b, SETTLE);
    snprintf(what, sizeof what, "%d contacts", b.contacts);
    *row = time_steps(&b);
    step_rows(report, name, what, *row, 1.0);
    jacobian_row(report, name, &b);
    lift(&b);
    settle(&b, 1);
    snprintf(what, sizeof what, "free%s", b.contacts ? " but for its own contacts" : "");
    step_rows(report, name, what, time_steps(&b), b.contacts ? 1.0 : 0.6);
    close_robot(&b);
    return 1;
}

//---------------------------------- boxes ----------------------------------------

// columns of five boxes on a plane
static int write_boxes(FILE* file, int count) {
    int columns = (count + 4) / 5, side = (int)ceil(sqrt(columns));
    fprintf(file, "<mujoco><worldbody><geom type=\"plane\" size=\"90 90 1\"/>\n");
    for (int i = 0; i < count; ++i) {
        int column = i / 5;
        fprintf(file,
                "<body pos=\"%g %g %g\"><freejoint/><geom type=\"box\" size=\".1 .1 .1\"/>"
                "</body>\n",
                0.25 * (column % side), 0.25 * (column / side), 0.1 + 0.2 * (i % 5));
    }
    return fprintf(file, "</worldbody></mujoco>\n") > 0;
}

static int bench_boxes(benchReport* report, int count, robotRow* row, double* load) {
    char name[60], path[] = "/tmp/tactus-boxes-XXXXXX.xml";
    int file = mkstemps(path, 4), opened = 0;
    FILE* text = file >= 0 ? fdopen(file, "w") : NULL;
    if (!text) return 0;
    int written = write_boxes(text, count);
    snprintf(name, sizeof name, "%d boxes", count);
    if (fclose(text) == 0 && written) opened = bench_robot(report, name, path, row, load);
    unlink(path);
    return opened;
}

static void growth_rows(benchReport* report) {
    robotRow few, some, many;
    double load[3];
    if (!bench_boxes(report, 10, &few, &load[0]) || !bench_boxes(report, 100, &some, &load[1]) ||
        !bench_boxes(report, 1000, &many, &load[2]))
        return;
    double decades = log(1000.0 / 10.0);
    bench_row(report, "10 to 1000 boxes: exponent of the step", log(many.step / few.step) / decades,
              "", '<', 1.1);
    bench_row(report, "10 to 1000 boxes: exponent of MuJoCo's step",
              log(many.mujoco / few.mujoco) / decades, "", ' ', 0.0);
    bench_row(report, "100 to 1000 boxes: exponent of load", log(load[2] / load[1]) / log(10.0), "",
              '<', 1.1);
}

//---------------------------------- all ------------------------------------------

static void bench_file(benchReport* report, const char* folder, const char* name,
                       const char* file) {
    char path[MAX_PATH], text[MAX_PATH + 100];
    robotRow row;
    double load;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    if (access(path, R_OK) == 0) {
        bench_robot(report, name, path, &row, &load);
    } else {
        snprintf(text, sizeof text, "%s: skipped, there is no %s (TACTUS_DATA)", name, path);
        bench_comment(report, text);
    }
}

int bench_robots(benchReport* report) {
    static const char* const robots[][2] = {
        {"half_cheetah", "mjcf/gymnasium/half_cheetah.xml"},
        {"hopper", "mjcf/dm_control/hopper.xml"},
        {"humanoid", "mjcf/mujoco/humanoid/humanoid.xml"},
        {"Barkour", "mjcf/menagerie/google_barkour_vb/scene_mjx.xml"},
        {"Go2", "mjcf/menagerie/unitree_go2/scene.xml"},
        {"Panda", "mjcf/menagerie/franka_emika_panda/scene.xml"},
        {"Shadow hand", "mjcf/menagerie/shadow_hand/scene_right.xml"},
        {"Stonehenge", "mjcf/mujoco/stonehenge.xml"},
    };
    const char* folder = getenv("TACTUS_DATA");
    const char* only = getenv("TACTUS_ROBOT"); // one of them, or "boxes"
    if (!mujoco_newest_api())
        bench_comment(report, "MuJoCo is not there: tools/setup mujoco, then build again");
    for (int i = 0; i < TAC_COUNT(robots); ++i)
        if (!only || strcmp(only, robots[i][0]) == 0)
            bench_file(report, folder ? folder : "../shared/data", robots[i][0], robots[i][1]);
    if (only && access(only, R_OK) == 0) bench_file(report, ".", only, only);
    if (!only || strcmp(only, "boxes") == 0) growth_rows(report);
    return 0;
}
