// Thin plates gripped and lifted by a gantry (paper 004, V-A): 0.02 m and 0.002 m.
//
// Plate 0.1 x 0.1 m and 0.2 kg, standing on the table with its thickness along the closing axis; mu
// = 1, g = 10 m/s^2. Fingers are boxes of 0.02 m and 0.1 kg on slides, 0.04 m from the plate, each
// closes with 5 N; after 0.3 s the gantry lifts by 0.1 m in 1 s. They meet the plate at 2 m/s:
// 20 mm a step.

#include "experiments/experiments.h"
#include "experiments/hard_run.h"

#include <math.h>

#define SCENE                                                                                      \
    "<mujoco><compiler angle='radian'/><option timestep='%g' gravity='0 0 -10'/><tactus "          \
    "detect='gjk' respond='lcp' %s/><worldbody><geom type='plane' size='2 2 1' friction='1'/>"     \
    "<body pos='0 0 .0500001'><freejoint name='plate'/><geom type='box' size='%g .05 .05' "        \
    "mass='.2' friction='1'/></body><body pos='0 0 .06' name='gantry' gravcomp='1'><joint "        \
    "name='lift' type='slide' axis='0 0 1' damping='200'/><inertial pos='0 0 0' mass='1' "         \
    "diaginertia='.01 .01 "                                                                        \
    ".01'/><body pos='-%g 0 0' gravcomp='1'><joint name='left' type='slide' axis='1 0 0'/><geom "  \
    "type='box' size='.01 .01 .01' mass='.1' friction='1'/></body><body pos='%g 0 0' "             \
    "gravcomp='1'><joint name='right' type='slide' axis='-1 0 0'/><geom type='box' size='.01 .01 " \
    ".01' mass='.1' friction='1'/></body></body></worldbody><actuator><position joint='lift' "     \
    "kp='4000'/><motor joint='left'/><motor joint='right'/></actuator></mujoco>"

static int open_scene(hardRun* r, double thick, double dt, const char* attributes) {
    double x = 0.5 * thick + 0.04 + 0.01;
    return hard_run_open(r, SCENE, dt, attributes, 0.5 * thick, x, x);
}

// where the lift stands: a smooth ramp of 1 s
static double ramp(double time) {
    double s = fmin(fmax(time - 0.3, 0.0), 1.0);
    return 0.1 * s * s * (3.0 - 2.0 * s);
}

static tacResult grip_and_lift(hardRun* r, double dt) {
    tacResult result = TAC_OK;
    int count = (int)lround(1.5 / dt);
    r->u[1] = r->u[2] = 5.0;
    for (int i = 0; i < count && result == TAC_OK; ++i) {
        r->u[0] = ramp((i + 1) * dt);
        result = hard_run_step(r, 1);
    }
    return result;
}

// plate: q 0-6; lift, left, right: 7-9
static void report(trial* t, const hardRun* r, tacResult result, const char* name) {
    char id[160];
    double raised = r->q[2] - r->model->qpos0[2], travel = r->q[7] - r->model->qpos0[7];
    double tilt = 2.0 * sqrt(r->q[4] * r->q[4] + r->q[5] * r->q[5] + r->q[6] * r->q[6]);
#define ROW(text) (snprintf(id, sizeof id, "%s: %s", name, text), id)
    trial_near(t, ROW("steps that failed"), result != TAC_OK, "", 0.0, 0.0);
    trial_least(t, ROW("distance, proven on every path"), r->claim, "m", -1e-9);
    trial_least(t, ROW("raised, of the gripper's travel"), raised / travel, "", 0.95);
    trial_most(t, ROW("slip"), fabs(raised - travel), "m", 1e-3);
    trial_most(t, ROW("tilt"), tilt * 180.0 / M_PI, "deg", 1.0);
    trial_most(t, ROW("friction beyond its bound, of f_n"), r->law, "", 1e-8);
    trial_note(t, ROW("impacts inside steps"), r->impacts, "");
    trial_note(t, ROW("steps that fell back"), r->fallbacks, "");
#undef ROW
}

static int lift(trial* t, double thick, double dt) {
    hardRun r;
    char name[64];
    int code = open_scene(&r, thick, dt, "");
    if (code != 0) return code;
    tacResult result = grip_and_lift(&r, dt);
    snprintf(name, sizeof name, "%g mm, dt %g", 1e3 * thick, dt);
    report(t, &r, result, name);
    hard_run_close(&r);
    return 0;
}

// The same looking at the start of each step alone: fingers enter the plate or pass through it.
static int discrete(trial* t, double thick) {
    hardRun r;
    char id[96];
    int code = open_scene(&r, thick, 0.01, "ccd='false' overlap='resolve'");
    if (code != 0) return code;
    double deepest = 0.0;
    r.u[1] = r.u[2] = 5.0;
    for (int i = 0; i < 30; ++i) {
        if (hard_run_step(&r, 1) != TAC_OK) break;
        double gap = 0.04 - r.q[8]; // of the left finger to where the plate was
        deepest = fmin(deepest, gap);
    }
    snprintf(id, sizeof id, "%g mm, discrete: finger's way into the plate, of its thickness",
             1e3 * thick);
    trial_least(t, id, -deepest / thick, "", 0.5);
    hard_run_close(&r);
    return 0;
}

int experiment_hard_plates(trial* t) {
    static const double thick[2] = {0.02, 0.002}, dt[3] = {0.01, 0.005, 0.02};
    int code = 0;
    for (int i = 0; i < 2 && code == 0; ++i) {
        for (int k = 0; k < 3 && code == 0; ++k) {
            code = lift(t, thick[i], dt[k]);
            trial_progress(t, (3.0 * i + k + 1.0) / 6.0);
        }
        if (code == 0) code = discrete(t, thick[i]);
    }
    return code;
}
