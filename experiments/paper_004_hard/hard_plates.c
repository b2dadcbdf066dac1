// Thin plates gripped and lifted by a gantry (paper 004, V-A): 0.02 m and 0.002 m.
//
// Plate 0.1 x 0.1 m and 0.2 kg, standing on the table with its thickness along the closing axis; mu
// = 1 and 0.5, g = 10 m/s^2. Fingers are boxes of 0.02 m and 0.1 kg on slides, 0.04 m from the
// plate, each closes with 5 N; after 0.3 s the gantry lifts by 0.1 m in 1 s. They hit the plate at
// 2 m/s: 20 mm a step.

#include "experiments/experiments.h"
#include "experiments/paper_004_hard/hard_run.h"
#include "experiments/trial_film.h"

#include <math.h>

#define SCENE                                                                                      \
    "<mujoco><compiler angle='radian'/><option timestep='%g' gravity='0 0 -10'/><tactus "          \
    "detect='gjk' respond='lcp' %s/><worldbody><geom type='plane' size='2 2 1' friction='%g'/>"    \
    "<body pos='0 0 .0500001'><freejoint name='plate'/><geom type='box' size='%g .05 .05' "        \
    "mass='.2' friction='%g'/></body><body pos='0 0 .06' name='gantry' gravcomp='1'><joint "       \
    "name='lift' type='slide' axis='0 0 1' damping='200'/><inertial pos='0 0 0' mass='1' "         \
    "diaginertia='.01 .01 "                                                                        \
    ".01'/><body pos='-%g 0 0' gravcomp='1'><joint name='left' type='slide' axis='1 0 0'/><geom "  \
    "type='box' size='.01 .01 .01' mass='.1' friction='%g'/></body><body pos='%g 0 0' "            \
    "gravcomp='1'><joint name='right' type='slide' axis='-1 0 0'/><geom type='box' size='.01 .01 " \
    ".01' mass='.1' friction='%g'/></body></body></worldbody><actuator><position joint='lift' "    \
    "kp='4000'/><motor joint='left'/><motor joint='right'/></actuator></mujoco>"

typedef struct plateCase {
    double thickness, dt, mu;
} plateCase;

static int open_scene(hardRun* r, plateCase c, const char* attributes) {
    double x = 0.5 * c.thickness + 0.04 + 0.01, mu = c.mu;
    return hard_run_open(r, SCENE, c.dt, attributes, mu, 0.5 * c.thickness, mu, x, mu, x, mu);
}

// from one time to another; multiples of the step
static tacResult grip_between(hardRun* r, double dt, double from, double to) {
    tacResult result = TAC_OK;
    r->u[1] = r->u[2] = 5.0;
    for (int i = (int)lround(from / dt); i < (int)lround(to / dt) && result == TAC_OK; ++i) {
        r->u[0] = hard_lift_height((i + 1) * dt);
        result = hard_run_step(r, 1);
    }
    return result;
}

static tacResult grip_and_lift(hardRun* r, double dt) { return grip_between(r, dt, 0.0, 1.5); }

// plate: q 0-6; lift, left, right: 7-9
static double slip_distance(const hardRun* r) {
    return fabs(r->q[2] - r->model->qpos0[2] - (r->q[7] - r->model->qpos0[7]));
}

#define ROW(text) (snprintf(id, sizeof id, "%s: %s", name, text), id)

static void report_lift(trial* t, const hardRun* r, tacResult result, const char* name) {
    char id[160];
    double raised = r->q[2] - r->model->qpos0[2], travel = r->q[7] - r->model->qpos0[7];
    trial_expect_near(t, ROW("steps that failed"), result != TAC_OK, "", 0.0, 0.0);
    trial_expect_at_least(t, ROW("distance, proven on every path"), r->certified_distance, "m",
                          -1e-9);
    trial_expect_at_least(t, ROW("raised, of the gripper's travel"), raised / travel, "", 0.95);
    trial_expect_at_most(t, ROW("slip"), slip_distance(r), "m", 1e-3);
    trial_expect_at_most(t, ROW("tilt"), hard_plate_tilt(r), "deg", 1.0);
    trial_expect_at_most(t, ROW("friction beyond its bound, of f_n"), r->friction_excess, "", 1e-8);
    trial_expect_at_most(t, ROW("residual"), r->residual, "m/s", 1e-8);
    trial_report(t, ROW("impacts inside steps"), r->impacts, "");
    trial_report(t, ROW("steps that fell back"), r->fallbacks, "");
}

static int lift_plate(trial* t, plateCase c) {
    hardRun r;
    char name[64];
    int code = open_scene(&r, c, "");
    if (code != 0) return code;
    tacResult result = grip_and_lift(&r, c.dt);
    snprintf(name, sizeof name, "%g mm, dt %g, mu %g", 1e3 * c.thickness, c.dt, c.mu);
    report_lift(t, &r, result, name);
    hard_run_close(&r);
    return 0;
}

//---------------------------------- under other rules ----------------------------------

// Discrete detection: fingers penetrate the plate or pass through it.
static int report_discrete(trial* t, double thickness) {
    hardRun r;
    char id[96];
    int code = open_scene(&r, (plateCase){thickness, 0.01, 1.0}, HARD_DISCRETE);
    if (code != 0) return code;
    double deepest = 0.0;
    r.u[1] = r.u[2] = 5.0;
    for (int i = 0; i < 30; ++i) {
        if (hard_run_step(&r, 1) != TAC_OK) break;
        deepest = fmax(deepest, r.q[8] + r.q[9] - 0.08); // beyond where the plate's faces were
    }
    snprintf(id, sizeof id, "%g mm, discrete: fingers' ways into the plate, of its thickness",
             1e3 * thickness);
    trial_expect_at_least(t, id, deepest / thickness, "", 0.5);
    hard_run_close(&r);
    return 0;
}

// With frozen bounds contacts may violate the friction law; the motion of the plate is reported.
static int report_frozen(trial* t, double thickness) {
    hardRun r;
    char id[160], name[64];
    int code = open_scene(&r, (plateCase){thickness, 0.01, 0.5}, HARD_FROZEN);
    if (code != 0) return code;
    grip_and_lift(&r, 0.01);
    snprintf(name, sizeof name, "%g mm, frozen", 1e3 * thickness);
    trial_expect_at_least(t, ROW("residual"), r.residual, "m/s", 1e-3);
    trial_report(t, ROW("friction beyond its bound, of f_n"), r.friction_excess, "");
    trial_report(t, ROW("ran without an unsolved problem for"), 0.01 * r.steps, "s");
    trial_report(t, ROW("slip"), slip_distance(&r), "m");
    trial_report(t, ROW("tilt"), hard_plate_tilt(&r), "deg");
    hard_run_close(&r);
    return 0;
}

#undef ROW

static int one_plate(trial* t, double thickness, double before) {
    static const double dt[4] = {0.01, 0.005, 0.02, 0.01};
    int code = 0;
    for (int k = 0; k < 4 && code == 0; ++k) {
        code = lift_plate(t, (plateCase){thickness, dt[k], k < 3 ? 1.0 : 0.5});
        trial_progress(t, before + (k + 1.0) / 8.0);
    }
    if (code == 0) code = report_discrete(t, thickness);
    return code == 0 ? report_frozen(t, thickness) : code;
}

//---------------------------------- picture --------------------------------------

static int film_plate(trialFilm* film, double thickness) {
    static const double times[] = {0.0, 0.1, 0.7, 1.5};
    hardRun r;
    int code = open_scene(&r, (plateCase){thickness, 0.01, 1.0}, "");
    for (int k = 0; k < 4 && code == 0; ++k) {
        char caption[48];
        if (k > 0) grip_between(&r, 0.01, times[k - 1], times[k]);
        snprintf(caption, sizeof caption, "%g mm, at %g s", 1e3 * thickness, times[k]);
        code = trial_film_add(film, r.model, r.q, caption);
    }
    hard_run_close(&r);
    return code;
}

static int film_plates(trial* t) {
    trialFilm film;
    int code = trial_film_begin(t, &film, 4, 2, 260, 220);
    if (code == 0) code = film_plate(&film, 0.02);
    if (code == 0) code = film_plate(&film, 0.002);
    return trial_film_end(&film, code, "lift");
}

int experiment_hard_plates(trial* t) {
    int code = one_plate(t, 0.02, 0.0);
    if (code == 0) code = one_plate(t, 0.002, 0.5);
    return code == 0 && t->folder ? film_plates(t) : code;
}
