// Sticking contacts slide slowly under load. This measures how fast, for each family at its
// defaults and next to MuJoCo at the same time step, and what the stiction velocity changes: creep,
// breakaway force, and how much friction holds back a sudden push.
//
//   scene text --tac_load_text--> rollout --> speed            docs/contact.md, "Creep"
//        \--file--> MuJoCo        rollout --> speed

#define _GNU_SOURCE
#include "bench/baselines/mujoco_baseline.h"
#include "bench/bench.h"

#include "base/assert.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

//---------------------------------- scenes ---------------------------------------

// positions and velocities of either scene, at most
enum { MAX_Q = 9 };

// A block of 0.1 m and 1 kg with friction 0.5 on a floor. Gravity pulls it along x: a slope. The
// motor pulls it, too.
static const char slope_text[] =
    "<mujoco><option timestep='%g' gravity='%.17g 0 %.17g'/><worldbody>"
    "<geom type='plane' size='5 5 1' friction='.5'/>"
    "<body pos='0 0 .05'><freejoint name='block'/>"
    "<geom type='box' size='.05 .05 .05' mass='1' friction='.5'/></body></worldbody>"
    "<actuator><motor joint='block' gear='1 0 0 0 0 0'/></actuator></mujoco>";

// A box of 0.1 kg between two pads that press with 5 N; friction 1.
static const char grasp_text[] =
    "<mujoco><option timestep='%g'/><worldbody>"
    "<body name='l' pos='-.04 0 0'><joint name='l' type='slide' axis='1 0 0' damping='5'/>"
    "<geom type='box' size='.01 .02 .04' mass='.1'/></body>"
    "<body name='r' pos='.04 0 0'><joint name='r' type='slide' axis='-1 0 0' damping='5'/>"
    "<geom type='box' size='.01 .02 .04' mass='.1'/></body>"
    "<body><freejoint/><geom type='box' size='.03 .03 .03' mass='.1'/></body></worldbody>"
    "<contact><exclude body1='l' body2='r'/></contact>"
    "<actuator><motor joint='l' ctrlrange='-5 5'/><motor joint='r' ctrlrange='-5 5'/></actuator>"
    "</mujoco>";

static const double friction = 0.5, g = 9.81;

// what is measured: its text with a time step, the coordinate that creeps, the control
typedef struct creepScene {
    const char* name;
    double share; // of what friction bears, of the slope
    int qpos, qvel;
    double ctrl[2];
} creepScene;

static const creepScene scenes[] = {{"slope_half", 0.5, 0, 0, {0.0, 0.0}},
                                    {"slope_90%", 0.9, 0, 0, {0.0, 0.0}},
                                    {"grasp", 0.0, 4, 4, {5.0, 5.0}}};

static void write_text(const creepScene* scene, double timestep, char* out, size_t size) {
    double tilt = atan(scene->share * friction);
    if (scene->share > 0.0)
        snprintf(out, size, slope_text, timestep, g * sin(tilt), -g * cos(tilt));
    else
        snprintf(out, size, grasp_text, timestep);
}

//---------------------------------- rollouts -------------------------------------

// one of the two engines with a scene
typedef struct creepRun {
    tacModel* model;
    tacScratch* scratch;
    const mujocoApi* api;
    mujocoBaseline* mujoco;
    double qpos[MAX_Q], qvel[MAX_Q], timestep;
} creepRun;

static int open_tactus(const char* text, const char* contact, double timestep, creepRun* run) {
    tacOptions options = tac_default_options();
    tacMessage message;
    *run = (creepRun){.timestep = timestep};
    options.contact = contact;
    if (tac_load_text(text, (int)strlen(text), "creep", &options, &run->model, &message) != TAC_OK)
        return 0;
    memcpy(run->qpos, run->model->qpos0, sizeof(double) * (size_t)run->model->nq);
    return tac_scratch_create(run->model, &run->scratch) == TAC_OK;
}

static int open_mujoco(const mujocoApi* api, const char* text, double timestep, creepRun* run) {
    char path[] = "/tmp/tactus_creep_XXXXXX.xml";
    int handle = mkstemps(path, 4);
    FILE* file = handle >= 0 ? fdopen(handle, "w") : NULL;
    *run = (creepRun){.api = api, .timestep = timestep};
    if (!file) return 0;
    fputs(text, file);
    fclose(file);
    run->mujoco = api->open(path);
    unlink(path);
    if (run->mujoco) api->enable_contacts(run->mujoco);
    return run->mujoco != NULL;
}

static void close_run(creepRun* run) {
    tac_scratch_destroy(run->scratch);
    tac_model_destroy(run->model);
    if (run->mujoco) run->api->close(run->mujoco);
}

// NaN in the state if it diverges
static void advance(creepRun* run, const double* ctrl, int steps) {
    if (run->mujoco) {
        run->api->roll(run->mujoco, ctrl, steps, run->qpos, run->qvel);
        return;
    }
    tacState x = {.qpos = run->qpos, .qvel = run->qvel};
    for (int i = 0; i < steps; ++i)
        if (tac_step(run->model, &x, ctrl, &x, run->scratch) != TAC_OK) run->qpos[0] = NAN;
}

static int steps_of(const creepRun* run, double seconds) {
    return (int)lround(seconds / run->timestep);
}

//---------------------------------- measures -------------------------------------

// speed between 1 and 3 s [mm/s]
static double creep_speed(creepRun* run, const creepScene* scene) {
    advance(run, scene->ctrl, steps_of(run, 1.0));
    double start = run->qpos[scene->qpos];
    advance(run, scene->ctrl, steps_of(run, 2.0));
    return 1e3 * fabs(run->qpos[scene->qpos] - start) / 2.0;
}

// A force grows within 2 s to 1.5 times what friction bears. The most that friction bears, over
// that.
static double breakaway(creepRun* run) {
    double most = 0.0, bears = friction * g, zero = 0.0;
    int steps = steps_of(run, 2.0);
    advance(run, &zero, steps_of(run, 1.0));
    for (int i = 0; i < steps; ++i) {
        double force = 1.5 * bears * (i + 1) / steps, before = run->qvel[0];
        advance(run, &force, 1);
        most = fmax(most, force - (run->qvel[0] - before) / run->timestep);
    }
    return most / bears;
}

// A push of twice what friction bears starts at once. How much slower the block is after 0.1 s than
// by Coulomb's law [mm/s].
static double push_lag(creepRun* run) {
    double bears = friction * g, push = 2.0 * bears, zero = 0.0;
    advance(run, &zero, steps_of(run, 1.0));
    double start = run->qvel[0];
    advance(run, &push, steps_of(run, 0.1));
    return 1e3 * (bears * 0.1 - (run->qvel[0] - start));
}

//---------------------------------- rows -----------------------------------------

static const char* const families[][2] = {
    {"manifold", "manifold"},
    {"edge_sdf", "edge_sdf"},
    {"scm", "scm"},
    {"soft_points", "detect=ssdf respond=spring"},
    {"sat", "detect=sat respond=spring"},
    {"convex", "detect=convex respond=spring"},
    {"gjk", "detect=gjk respond=spring"},
};

static double mujoco_creep(const mujocoApi* api, const creepScene* scene, double timestep) {
    char text[2048];
    creepRun run;
    write_text(scene, timestep, text, sizeof text);
    if (!api || !open_mujoco(api, text, timestep, &run)) return NAN;
    double speed = creep_speed(&run, scene);
    close_run(&run);
    return speed;
}

static double tactus_creep(const char* contact, const creepScene* scene, double timestep) {
    char text[2048];
    creepRun run;
    double speed = NAN;
    write_text(scene, timestep, text, sizeof text);
    if (open_tactus(text, contact, timestep, &run)) speed = creep_speed(&run, scene);
    close_run(&run);
    return speed;
}

// within three times MuJoCo's, where that is there
static void creep_rows(benchReport* report, const mujocoApi* api, const creepScene* scene,
                       double timestep) {
    char id[80];
    double peer = mujoco_creep(api, scene, timestep);
    snprintf(id, sizeof id, "creep/%s/%gms/mujoco", scene->name, 1e3 * timestep);
    if (api) bench_row(report, id, peer, "mm/s", ' ', 0.0);
    for (int i = 0; i < TAC_COUNT(families); ++i) {
        double speed = tactus_creep(families[i][1], scene, timestep);
        snprintf(id, sizeof id, "creep/%s/%gms/%s", scene->name, 1e3 * timestep, families[i][0]);
        bench_row(report, id, speed, "mm/s", isfinite(peer) ? '<' : ' ', 3.0 * peer);
    }
}

// the default, which is a parameter of the model
static double default_stiction(void) {
    char text[2048];
    creepRun run;
    double value = NAN;
    write_text(&scenes[0], 0.002, text, sizeof text);
    if (open_tactus(text, "manifold", 0.002, &run)) {
        tacParam param;
        if (tac_param_find(run.model, "respond/stiction", &param) == TAC_OK)
            value = run.model->param[param.offset];
    }
    close_run(&run);
    return value;
}

typedef double (*creepMeasure)(creepRun* run);

// on a level floor
static double measure_level(const char* contact, double timestep, creepMeasure measure) {
    char text[2048];
    creepRun run;
    double value = NAN;
    snprintf(text, sizeof text, slope_text, timestep, 0.0, -g);
    if (open_tactus(text, contact, timestep, &run)) value = measure(&run);
    close_run(&run);
    return value;
}

// what a stiction velocity gives and costs
static void stiction_rows(benchReport* report, double stiction, double timestep) {
    char contact[80], id[80], name[40];
    snprintf(contact, sizeof contact, "detect=manifold stiction=%.9g", stiction);
    snprintf(name, sizeof name, "stiction %.2g m/s, %g ms", stiction, 1e3 * timestep);
    snprintf(id, sizeof id, "%s: creep at half", name);
    bench_row(report, id, tactus_creep(contact, &scenes[0], timestep), "mm/s", ' ', 0.0);
    snprintf(id, sizeof id, "%s: breakaway", name);
    bench_row(report, id, measure_level(contact, timestep, breakaway), "mu N", ' ', 0.0);
    snprintf(id, sizeof id, "%s: lag of a push", name);
    bench_row(report, id, measure_level(contact, timestep, push_lag), "mm/s", ' ', 0.0);
}

int bench_creep(benchReport* report) {
    static const double timesteps[] = {0.001, 0.002, 0.005, 0.01};
    const mujocoApi* api = mujoco_newest_api();
    if (!api) bench_comment(report, "no MuJoCo: run tools/setup mujoco to compare");
    for (int i = 0; i < TAC_COUNT(scenes); ++i)
        for (int k = 0; k < TAC_COUNT(timesteps); ++k)
            creep_rows(report, api, &scenes[i], timesteps[k]);
    double v_s = default_stiction();
    for (int k = 0; k < TAC_COUNT(timesteps); ++k)
        for (double factor = 0.04; factor < 30.0; factor *= 5.0)
            stiction_rows(report, factor * v_s, timesteps[k]);
    return report->failed;
}
