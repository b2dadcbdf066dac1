// Thin plates gripped and lifted by an arm with seven joints (paper 004, V-A).
//
// The arm has the link lengths of a Franka Panda, in the pose of its manual, hand down. Plate,
// fingers and forces are those of hard_plates.c; servos with gravity compensation hold the joints;
// their targets raise the hand by 0.1 m in 1 s.

#include "experiments/experiments.h"
#include "experiments/paper_004_hard/hard_run.h"
#include "experiments/trial_film.h"

#include <math.h>
#include <string.h>

#define LINK(pos, quat, name)                                                                      \
    "<body pos='" pos "' quat='" quat "' gravcomp='1'><inertial pos='0 0 0' mass='2' "             \
    "diaginertia='.02 .02 .02'/><joint name='" name "' axis='0 0 1' damping='100'/>"
#define FINGER(quat, name)                                                                         \
    "<body pos='0 0 .0584' quat='" quat "' gravcomp='1'><joint name='" name                        \
    "' type='slide' axis='0 -1 0'/><geom type='box' pos='0 %.17g .045' size='.01 .01 .01' "        \
    "mass='.1' friction='1'/></body>"
#define SERVO(name) "<position joint='" name "' kp='5000'/>"

#define SCENE                                                                                      \
    "<mujoco><compiler angle='radian'/><option timestep='.01' gravity='0 0 -10'/><tactus "         \
    "detect='gjk' respond='lcp' %s/><worldbody><geom type='plane' pos='0 0 %.17g' size='2 2 1' "   \
    "friction='1'/><body><freejoint/><geom type='box' size='.05 %.17g .05' mass='.2' "             \
    "friction='1'/></body>" LINK("0 0 .333", "1 0 0 0", "j1") LINK("0 0 0", "1 -1 0 0", "j2")      \
        LINK("0 -.316 0", "1 1 0 0", "j3") LINK("0.0825 0 0", "1 1 0 0", "j4")                     \
            LINK("-0.0825 .384 0", "1 -1 0 0", "j5") LINK("0 0 0", "1 1 0 0", "j6") LINK(          \
                "0.088 0 0", "1 1 0 0",                                                            \
                "j7") "<body name='hand' pos='0 0 .107' "                                          \
                      "quat='.9238795325 0 0 -.3826834324' gravcomp='1'><inertial pos='0 0 .03' "  \
                      "mass='.5' diaginertia='.002 .002 .002'/>" FINGER("1 0 0 0", "left") FINGER( \
                          "0 0 0 1",                                                               \
                          "right") "</body></body></body></body></body></body>"                    \
                                   "</body></body></worldbody><actuator>" SERVO("j1") SERVO("j2")  \
                                       SERVO("j3") SERVO("j4") SERVO("j5") SERVO("j6")             \
                                           SERVO("j7") "<motor joint='left'/><motor "              \
                                                       "joint='right'/></actuator></mujoco>"

enum { JOINTS = 7, ARM_Q = 7, ARM_V = 6, HAND = 9 };

static const double home[JOINTS] = {0.0, -0.25 * M_PI, 0.0,        -0.75 * M_PI,
                                    0.0, 0.5 * M_PI,   0.25 * M_PI};

static int open_scene(hardRun* r, double thickness, double floor, const char* attributes) {
    double y = 0.5 * thickness + 0.04 + 0.01;
    int code = hard_run_open(r, SCENE, attributes, floor, 0.5 * thickness, y, y);
    if (code == 0) {
        memcpy(r->q + ARM_Q, home, sizeof home);
        memcpy(r->u, home, sizeof home);
    }
    return code;
}

// where the fingers close: 0.1034 m below the flange
static void grip_point(hardRun* r, tacVec3* at) {
    tacPose pose[16];
    tac_kinematics(r->model, r->q, NULL, pose, NULL, r->scratch);
    *at = pose[HAND].position;
    at->z -= 0.0584 + 0.045;
}

// x = A^-1 x, A symmetric and positive
static void solve6(double A[6][6], double x[6]) {
    for (int k = 0; k < 6; ++k)
        for (int i = k + 1; i < 6; ++i) {
            double l = A[i][k] / A[k][k];
            for (int j = k; j < 6; ++j) A[i][j] -= l * A[k][j];
            x[i] -= l * x[k];
        }
    for (int i = 5; i >= 0; --i) {
        for (int j = i + 1; j < 6; ++j) x[i] -= A[i][j] * x[j];
        x[i] /= A[i][i];
    }
}

// joint targets that raise the hand without shift or rotation: J' (J J')^-1
static void raise_targets(hardRun* r, double by) {
    static double q[HARD_RUN_NUMBERS], J[6 * HARD_RUN_NUMBERS];
    int nv = r->model->nv;
    double A[6][6] = {{0}}, x[6] = {0, 0, by};
    tacPose pose[16];
    memcpy(q, r->q, sizeof q);
    memcpy(q + ARM_Q, r->u, sizeof home);
    tac_kinematics(r->model, q, NULL, pose, NULL, r->scratch);
    const double point[3] = {pose[HAND].position.x, pose[HAND].position.y, pose[HAND].position.z};
    tac_body_jacobian(r->model, q, HAND, point, J, r->scratch);
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 6; ++k)
            for (int j = ARM_V; j < ARM_V + JOINTS; ++j) A[i][k] += J[i * nv + j] * J[k * nv + j];
    solve6(A, x);
    for (int j = 0; j < JOINTS; ++j)
        for (int i = 0; i < 6; ++i) r->u[j] += J[i * nv + ARM_V + j] * x[i];
}

// puts the plate between the fingers, with its foot on the floor
static int begin_grip(hardRun* r, double thickness, const char* attributes) {
    tacVec3 at;
    int code = open_scene(r, thickness, 0.0, attributes);
    if (code != 0) return code;
    grip_point(r, &at);
    hard_run_close(r);
    code = open_scene(r, thickness, at.z - 0.06, attributes);
    r->q[0] = at.x;
    r->q[1] = at.y;
    r->q[2] = at.z - 0.06 + 0.05 + 1e-7;
    r->u[JOINTS] = r->u[JOINTS + 1] = 5.0;
    return code;
}

// steps first to last - 1 of gripping and lifting
static tacResult grip_between(hardRun* r, int first, int last) {
    tacResult result = TAC_OK;
    for (int i = first; i < last && result == TAC_OK; ++i) {
        raise_targets(r, hard_lift_height(0.01 * (i + 1)) - hard_lift_height(0.01 * i));
        result = hard_run_step(r, 1);
    }
    return result;
}

// grips, and lifts in 1 s
static tacResult grip_and_lift(hardRun* r) { return grip_between(r, 0, 200); }

#define ROW(text) (snprintf(id, sizeof id, "%s: %s", name, text), id)

static int lift_plate(trial* t, double thickness) {
    hardRun r;
    tacVec3 from, to;
    char id[120], name[32];
    int code = begin_grip(&r, thickness, "");
    if (code != 0) return code;
    double z = r.q[2];
    grip_point(&r, &from);
    tacResult result = grip_and_lift(&r);
    grip_point(&r, &to);
    double raised = r.q[2] - z, travel = to.z - from.z;
    snprintf(name, sizeof name, "%g mm", 1e3 * thickness);
    trial_expect_near(t, ROW("steps that failed"), result != TAC_OK, "", 0.0, 0.0);
    trial_expect_near(t, ROW("the hand's travel"), travel, "m", 0.1, 2e-3);
    trial_expect_at_least(t, ROW("distance, proven on every path"), r.certified_distance, "m",
                          -1e-9);
    trial_expect_at_least(t, ROW("raised, of the hand's travel"), raised / travel, "", 0.95);
    trial_expect_at_most(t, ROW("slip"), fabs(raised - travel), "m", 1e-3);
    trial_expect_at_most(t, ROW("tilt"), hard_plate_tilt(&r), "deg", 1.0);
    trial_expect_at_most(t, ROW("friction beyond its bound, of f_n"), r.friction_excess, "", 1e-8);
    trial_expect_at_most(t, ROW("residual"), r.residual, "m/s", 1e-8);
    trial_report(t, ROW("impacts inside steps"), r.impacts, "");
    trial_report(t, ROW("steps that fell back"), r.fallbacks, "");
    hard_run_close(&r);
    return 0;
}

//---------------------------------- under other rules ----------------------------------

// with discrete detection, fingers penetrate the plate or pass through it
static int report_discrete(trial* t, double thickness) {
    hardRun r;
    char id[120];
    int code = begin_grip(&r, thickness, HARD_DISCRETE);
    if (code != 0) return code;
    double deepest = 0.0;
    for (int i = 0; i < 30 && hard_run_step(&r, 1) == TAC_OK; ++i)
        deepest = fmax(deepest, r.q[ARM_Q + JOINTS] + r.q[ARM_Q + JOINTS + 1] - 0.08);
    snprintf(id, sizeof id, "%g mm, discrete: fingers' ways into the plate, of its thickness",
             1e3 * thickness);
    trial_expect_at_least(t, id, deepest / thickness, "", 0.5);
    hard_run_close(&r);
    return 0;
}

// with frozen bounds contacts may violate the friction law; the motion of the plate is reported
static int report_frozen(trial* t, double thickness) {
    hardRun r;
    char id[120], name[32];
    int code = begin_grip(&r, thickness, HARD_FROZEN);
    if (code != 0) return code;
    double z = r.q[2];
    int fails = grip_and_lift(&r) != TAC_OK;
    snprintf(name, sizeof name, "%g mm, frozen", 1e3 * thickness);
    trial_expect_at_least(t, ROW("residual, or 1 if a step fails"),
                          fails ? fmax(r.residual, 1.0) : r.residual, "m/s", 1e-3);
    trial_report(t, ROW("friction beyond its bound, of f_n"), r.friction_excess, "");
    trial_report(t, ROW("ran without an unsolved problem for"), 0.01 * r.steps, "s");
    trial_report(t, ROW("raised"), r.q[2] - z, "m");
    trial_report(t, ROW("tilt"), hard_plate_tilt(&r), "deg");
    hard_run_close(&r);
    return 0;
}

#undef ROW

//---------------------------------- picture --------------------------------------

static int film_arm(trial* t) {
    static const int steps[] = {0, 30, 80, 200};
    trialFilm film;
    hardRun r;
    int code = trial_film_begin(t, &film, 4, 1, 260, 300);
    if (code == 0) code = begin_grip(&r, 0.02, "");
    for (int k = 0; k < 4 && code == 0; ++k) {
        char caption[48];
        if (k > 0) grip_between(&r, steps[k - 1], steps[k]);
        snprintf(caption, sizeof caption, "20 mm, at %g s", 0.01 * steps[k]);
        code = trial_film_add(&film, r.model, r.q, caption);
    }
    hard_run_close(&r);
    return trial_film_end(&film, code, "lift");
}

int experiment_hard_arm(trial* t) {
    static const double thickness[2] = {0.02, 0.002};
    int code = 0;
    for (int i = 0; i < 2 && code == 0; ++i) {
        code = lift_plate(t, thickness[i]);
        trial_progress(t, 0.5 * i + 0.25);
        if (code == 0) code = report_discrete(t, thickness[i]);
        if (code == 0) code = report_frozen(t, thickness[i]);
        trial_progress(t, 0.5 * i + 0.5);
    }
    return code == 0 && t->folder ? film_arm(t) : code;
}
