// A human-like figure that walks (an application that paper 003 names).
//
// Eleven degrees of freedom in the plane, heels and toes on the ground by detect="sat" and
// respond="elastoplastic". The controller has two phases for each leg: swing up, and swing forward
// until the foot lands. Thighs and torso follow angles in the world. The swing thigh moves forward
// with position and velocity of the hip relative to the stance foot, which keeps the figure from
// falling (Yin, Loken, van de Panne 2007).

#include "experiments/experiments.h"
#include "experiments/paper_003_elastoplastic/planar_run.h"

#include "model/contact/contact_data.h"
#include "scenes/walking_figure.h"

#include <math.h>
#include <stdlib.h>

enum { TORSO = 1, LEFT_FOOT = 6, RIGHT_FOOT = 9 };                     // bodies
enum { SHOULDERS = 3, LEFT_LEG = 5, RIGHT_LEG = 8, LIMBS = 3, U = 3 }; // degrees of freedom
enum { HIP, KNEE, ANKLE, MAX_STEPS = 64 };

static const double lift_time = 0.33; // [s]

typedef struct walkPhase {
    double hip, knee;        // of the swing leg: thigh in the world, knee [rad]
    double by_way, by_speed; // what the hip adds: rad/m, rad s/m
} walkPhase;

static const walkPhase phases[2] = {{0.43, -1.05, 0.035, 0.2}, {-0.785, 0.0, 2.56, 0.026}};

typedef struct walkServo {
    double stiffness, damping, max; // N m/rad, N m s/rad, N m
} walkServo;

static const walkServo hip_servo = {350.0, 32.0, 300.0}, knee_servo = {400.0, 28.5, 300.0},
                       ankle_servo = {150.0, 10.0, 150.0};
static const walkServo arm_servo = {60.0, 6.0, 60.0};
static const double torso_lean = -0.055, stance_knee = -0.058, swing_ankle = 0.134,
                    stance_ankle = 0.0;

typedef struct walk {
    planarRun r;
    int stance;   // 0: left
    int phase;    // of the other leg
    double since; // when it began
    int steps;
    double touchdown_time[MAX_STEPS], foot_x[MAX_STEPS]; // time and position of each footfall
    double lowest, tilt, depth; // of the hip, of the torso, of contacts, so far
    tacResult result;
} walk;

//---------------------------------- control --------------------------------------

static double servo_torque(walkServo s, double error, double rate) {
    return fmax(-s.max, fmin(s.max, s.stiffness * error - s.damping * rate));
}

static int leg_of(int side) { return side ? RIGHT_LEG : LEFT_LEG; }
static int foot_of(int side) { return side ? RIGHT_FOOT : LEFT_FOOT; }

// height of the lower of heel and toe above the ground
static double foot_height(const planarRun* r, int side) {
    const tacModel* model = r->model;
    double min = INFINITY;
    for (int g = 0; g < model->ngeom; ++g) {
        double radius = model->contact->solid[g].radius;
        if (model->geom[g].body != foot_of(side) || radius == 0.0) continue;
        const double* p = model->param + model->geom[g].position;
        double angle = planar_angle(&r->pose[foot_of(side)]);
        double y = r->pose[foot_of(side)].position.y + sin(angle) * p[0] + cos(angle) * p[1];
        min = fmin(min, y - radius);
    }
    return min;
}

static void change_phase(walk* w) {
    int swing = !w->stance;
    if (w->r.time - w->since <= lift_time) return;
    w->phase = 1;
    if (foot_height(&w->r, swing) >= 0.0 || w->steps == MAX_STEPS) return;
    w->touchdown_time[w->steps] = w->r.time;
    w->foot_x[w->steps++] = w->r.pose[foot_of(swing)].position.x;
    w->stance = swing;
    w->phase = 0;
    w->since = w->r.time;
}

// a thigh follows the other side's arm
static void swing_arms(walk* w) {
    const double *q = w->r.q, *v = w->r.v;
    for (int side = 0; side < 2; ++side) {
        int arm = SHOULDERS + side;
        double thigh = q[2] + q[leg_of(side) + HIP];
        w->r.u[arm - U] = servo_torque(arm_servo, -0.8 * thigh - q[2] - q[arm], v[arm]);
    }
}

static void control_step(walk* w) {
    const double *q = w->r.q, *v = w->r.v;
    change_phase(w);
    int stance = leg_of(w->stance), swing = leg_of(!w->stance);
    const walkPhase* p = &phases[w->phase];
    double way = w->r.pose[TORSO].position.x - w->r.pose[foot_of(w->stance)].position.x;
    double hip = p->hip + p->by_way * way + p->by_speed * w->r.twist[6 * TORSO];
    double thigh = servo_torque(hip_servo, hip - q[2] - q[swing + HIP], v[2] + v[swing + HIP]);
    double torso = servo_torque(hip_servo, torso_lean - q[2], v[2]);
    double* u = w->r.u - U; // by degrees of freedom
    u[swing + HIP] = thigh;
    u[stance + HIP] = fmax(-400.0, fmin(400.0, -torso - thigh)); // the torso gets its full torque
    u[swing + KNEE] = servo_torque(knee_servo, p->knee - q[swing + KNEE], v[swing + KNEE]);
    u[stance + KNEE] = servo_torque(knee_servo, stance_knee - q[stance + KNEE], v[stance + KNEE]);
    u[swing + ANKLE] = servo_torque(ankle_servo, swing_ankle - q[swing + ANKLE], v[swing + ANKLE]);
    u[stance + ANKLE] =
        servo_torque(ankle_servo, stance_ankle - q[stance + ANKLE], v[stance + ANKLE]);
    swing_arms(w);
}

//---------------------------------- walk -----------------------------------------

// one leg before the other, moving
static int begin_walk(walk* w, const char* detector) {
    static const double legs[2][LIMBS] = {{0.2, -0.05, -0.1}, {-0.25, -0.1, 0.1}};
    *w = (walk){.lowest = INFINITY};
    int code = planar_run_open(&w->r, scene_walking_figure, sizeof scene_walking_figure, detector);
    for (int side = 0; side < 2 && code == 0; ++side)
        for (int k = 0; k < LIMBS; ++k) w->r.q[leg_of(side) + k] = legs[side][k];
    w->r.q[1] = -0.01;
    w->r.v[0] = 0.8;
    return code;
}

static int has_fallen(const walk* w) {
    return w->r.pose[TORSO].position.y < 0.6 || fabs(w->r.q[2]) > 1.0;
}

static void update_extremes(walk* w) {
    int count;
    w->depth = fmax(w->depth, planar_run_depth(&w->r, &count));
    w->lowest = fmin(w->lowest, w->r.pose[TORSO].position.y);
    w->tilt = fmax(w->tilt, fabs(w->r.q[2]));
}

// stops where it falls
static void simulate_until(walk* w, double until) {
    for (int i = 0; w->r.time < until && w->result == TAC_OK; ++i) {
        planar_run_kinematics(&w->r);
        if (i % 4 == 0) update_extremes(w);
        if (has_fallen(w)) return;
        control_step(w);
        w->result = planar_run_step(&w->r);
    }
}

// largest difference of two lengths of neighbouring steps, or of their times, behind the first few
static double step_irregularity(const walk* w, const double* of) {
    double max = 0.0;
    for (int i = 6; i < w->steps; ++i) max = fmax(max, fabs(of[i] - 2.0 * of[i - 1] + of[i - 2]));
    return max;
}

static double max_difference(const walk* a, const walk* b) {
    double max = 0.0;
    for (int i = 0; i < a->r.model->nv; ++i)
        max = fmax(max, fmax(fabs(a->r.q[i] - b->r.q[i]), fabs(a->r.v[i] - b->r.v[i])));
    return max;
}

//---------------------------------- rows -----------------------------------------

static void report_walk(trial* t, const walk* w, double duration) {
    double speed = w->r.q[0] / w->r.time;
    trial_expect_near(t, "time before it falls", w->r.time, "s", duration, 1e-3);
    trial_expect_at_least(t, "steps", w->steps, "", 2.0 * duration);
    trial_expect_near(t, "speed", speed, "m/s", 0.9, 0.15);
    trial_expect_at_least(t, "lowest height of the hip", w->lowest, "m", 0.8);
    trial_expect_at_most(t, "largest tilt of the torso", w->tilt, "rad", 0.35);
    trial_expect_at_most(t, "deepest contact", w->depth, "m", 0.02);
    if (w->steps < 10) return;
    trial_expect_at_most(t, "neighbouring steps differ in length by",
                         step_irregularity(w, w->foot_x), "m", 0.1);
    trial_expect_at_most(t, "and in time by", step_irregularity(w, w->touchdown_time), "s", 0.1);
}

// the same walk by other methods: convex programs, or derived equations of motion
static int compare_methods(trial* t, double duration) {
    static const char* const ids[] = {"by convex programs, from there", "by derived equations"};
    walk first, w;
    int code = begin_walk(&first, NULL);
    if (code != 0) return code;
    simulate_until(&first, duration);
    for (int i = 0; i < 2 && code == 0; ++i) {
        code = begin_walk(&w, i == 0 ? "convex" : NULL);
        if (code == 0 && i == 1) code = planar_run_derive(&w.r);
        if (code == 0) {
            simulate_until(&w, duration);
            trial_expect_at_most(t, ids[i], max_difference(&w, &first), "", 1e-6);
        }
        planar_run_close(&w.r);
        trial_progress(t, 0.5 + 0.25 * i);
    }
    planar_run_close(&first.r);
    return code;
}

//---------------------------------- picture --------------------------------------

// a figure each 0.3 s
static int draw_walk(trial* t, double duration) {
    trialPanels panels;
    walk w;
    enum { ROWS = 3, SHOTS = 10 };
    double every = 0.3;
    if (!t->folder) return 0;
    int code = trial_panels_begin(t, &panels, 1, ROWS, 1000, 300);
    if (code == 0) code = begin_walk(&w, NULL);
    for (int i = 0; i < ROWS * SHOTS && code == 0 && w.r.time < duration; ++i) {
        simulate_until(&w, every * i);
        planar_run_kinematics(&w.r);
        double column = i % SHOTS - 0.5 * (SHOTS - 1); // side by side, wider than they walk
        planarView view = {i / SHOTS, w.r.pose[TORSO].position.x - 0.65 * column, 0.8, 150.0};
        planar_run_draw(&w.r, &panels, view, 1.0);
    }
    for (int row = 0; row < ROWS && code == 0; ++row) {
        char caption[80];
        int left, top;
        snprintf(caption, sizeof caption, "%.1f s to %.1f s, every %.1f s", every * SHOTS * row,
                 every * (SHOTS * (row + 1) - 1), every);
        trial_panels_caption(&panels, row, caption);
        trial_panels_corner(&panels, row, &left, &top);
        tacInk ink = tac_ink(&panels.image);
        double y = top + 150.0 + 0.8 * 150.0;
        tac_ink_strokes(&ink, &(tacSegment){left, y, left + 1000.0, y}, 1, 2.0);
    }
    if (code == 0) planar_run_close(&w.r);
    return trial_panels_end(&panels, code, "steps");
}

int experiment_plastic_walk(trial* t) {
    int brief = getenv("TACTUS_NO_SWEEP") != NULL;
    double duration = brief ? 2.0 : 10.0;
    walk w;
    int code = begin_walk(&w, NULL);
    if (code != 0) return code;
    simulate_until(&w, duration);
    report_walk(t, &w, duration);
    planar_run_close(&w.r);
    trial_progress(t, 0.3);
    code = compare_methods(t, brief ? 0.2 : 5.0);
    return code == 0 ? draw_walk(t, duration) : code;
}
