// A space manipulator that captures a tumbling target (an application that paper 003 names).
//
// Planar, as on the air bearings of test beds: a satellite without thrusters, three joints, two
// fingers; a target that rotates and drifts, with a docking interface of two pins on a stem.
// Contact by detect="sat" and respond="elastoplastic". The hand is controlled by the equation of
// motion of the free-floating base: joint torques give the hand its desired acceleration without
// any force on the base. Fingers close, then the joints brake until all rotates as one body.

#include "experiments/experiments.h"
#include "experiments/paper_003_elastoplastic/planar_run.h"

#include "scenes/space_capture.h"

#include <math.h>
#include <stdlib.h>

enum { HAND = 4, TARGET = 7 };                                     // bodies
enum { BASE = 0, ARM = 3, FINGER = 6, OWN = 8, N = 11, TASK = 3 }; // degrees of freedom

// when the hand follows the target, where it has arrived, when fingers close and joints brake [s]
static const double follows = 4.0, starts_in = 3.5, arrives = 5.2, closes = 5.3, brakes = 6.0;
static const double grip_offset = 0.22; // from the wrist to the middle between the fingers    [m]
static const double pin_offset = -0.44; // middle of the pins, in the target                 [m]
static const double standoff = 0.3;     // where the hand waits                                [m]
static const double grip_force = 60.0;  // of each finger                                      [N]

typedef struct capture {
    planarRun r;
    double start[TASK];               // hand: x, y, angle
    double momentum[6], drift;        // at the start, largest change
    double depth, first_contact_time; // deepest contact, when the first was
    int contacts;                     // of the last measurement
    double relative[TASK];            // target seen from the hand
    tacResult result;
} capture;

//---------------------------------- hand -----------------------------------------

// smooth from 0 to 1, and its rate
static double smooth_step(double time, double from, double to, double* rate) {
    double s = fmin(fmax((time - from) / (to - from), 0.0), 1.0);
    *rate = 30.0 * s * s * (1.0 - s) * (1.0 - s) / (to - from);
    return s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
}

// position and angle between the fingers, and the Jacobian (3 x nv)
static void hand_at(planarRun* r, const double* q, double at[TASK], double J[TASK][N]) {
    double all[6 * N];
    tacPose pose[PLANAR_RUN_NUMBERS];
    tac_kinematics(r->model, q, NULL, pose, NULL, r->scratch);
    double angle = planar_angle(&pose[HAND]);
    const double point[3] = {pose[HAND].position.x + grip_offset * cos(angle),
                             pose[HAND].position.y + grip_offset * sin(angle), 0.0};
    tac_body_jacobian(r->model, q, HAND, point, all, r->scratch);
    for (int k = 0; k < TASK; ++k)
        for (int j = 0; j < N; ++j) J[k][j] = all[(k < 2 ? k : 5) * N + j];
    at[0] = point[0];
    at[1] = point[1];
    at[2] = angle;
}

// desired pose of the hand: on the way to the moving interface
static void goal_at(const capture* c, double x[TASK], double v[TASK]) {
    const tacPose* pose = &c->r.pose[TARGET];
    const double *w = c->r.twist + 6 * TARGET, angle = planar_angle(pose);
    double in_rate, share_rate, in = smooth_step(c->r.time, starts_in, arrives, &in_rate);
    double share = smooth_step(c->r.time, 0.0, follows, &share_rate);
    double along = pin_offset - standoff * (1.0 - in), slip = standoff * in_rate;
    double goal[TASK] = {pose->position.x + along * cos(angle),
                         pose->position.y + along * sin(angle), angle};
    double rate[TASK] = {w[0] - w[5] * along * sin(angle) + slip * cos(angle),
                         w[1] + w[5] * along * cos(angle) + slip * sin(angle), w[5]};
    for (int k = 0; k < TASK; ++k) {
        x[k] = c->start[k] + share * (goal[k] - c->start[k]);
        v[k] = share * rate[k] + share_rate * (goal[k] - c->start[k]);
    }
}

// desired acceleration of the hand, less the velocity product (dJ/dt) v
static void task_acceleration(capture* c, double J[TASK][N], double out[TASK]) {
    const double small = 1e-6;
    double x[TASK], v[TASK], at[TASK], next[N], J_next[TASK][N], unused[TASK];
    goal_at(c, x, v);
    hand_at(&c->r, c->r.q, at, J);
    for (int j = 0; j < N; ++j) next[j] = c->r.q[j] + small * c->r.v[j];
    hand_at(&c->r, next, unused, J_next);
    for (int k = 0; k < TASK; ++k) {
        out[k] = 100.0 * (x[k] - at[k]) + 20.0 * v[k];
        for (int j = 0; j < N; ++j)
            out[k] -= (20.0 * J[k][j] + (J_next[k][j] - J[k][j]) / small) * c->r.v[j];
    }
}

//---------------------------------- joints ---------------------------------------

// x = A^-1 x, rows exchanged so that pivots are large
static void solve_dense(double A[OWN][OWN], double x[OWN]) {
    for (int k = 0; k < OWN; ++k) {
        int best = k;
        for (int i = k; i < OWN; ++i)
            if (fabs(A[i][k]) > fabs(A[best][k])) best = i;
        for (int j = 0; j <= OWN; ++j) {
            double *a = j < OWN ? &A[k][j] : &x[k], *b = j < OWN ? &A[best][j] : &x[best], t = *a;
            *a = *b;
            *b = t;
        }
        for (int i = k + 1; i < OWN; ++i) {
            double l = A[i][k] / A[k][k];
            for (int j = k; j < OWN; ++j) A[i][j] -= l * A[k][j];
            x[i] -= l * x[k];
        }
    }
    for (int i = OWN - 1; i >= 0; --i) {
        for (int j = i + 1; j < OWN; ++j) x[i] -= A[i][j] * x[j];
        x[i] /= A[i][i];
    }
}

// No force on the base, given finger forces, given acceleration of the hand: eight equations for
// the accelerations of base, joints and fingers, then the torques of the joints.
static void drive_hand(capture* c) {
    double M[N * N], bias[N], J[TASK][N], desired[TASK], A[OWN][OWN], a[OWN], *u = c->r.u;
    task_acceleration(c, J, desired);
    tac_mass_matrix(c->r.model, c->r.q, M, c->r.scratch);
    tac_inverse_dynamics(c->r.model, (tacDynamicsInput){.qpos = c->r.q, .qvel = c->r.v}, bias,
                         c->r.scratch);
    for (int k = 0; k < OWN; ++k) {
        int free = k < ARM ? BASE + k : k; // row ARM + i is the hand's
        for (int j = 0; j < OWN; ++j)
            A[k][j] = k >= ARM && k < FINGER ? J[k - ARM][j] : M[free * N + j];
        a[k] = k < ARM ? -bias[k] : k < FINGER ? desired[k - ARM] : u[k - ARM] - bias[k];
    }
    solve_dense(A, a);
    for (int k = ARM; k < FINGER; ++k) {
        u[k - ARM] = bias[k];
        for (int j = 0; j < OWN; ++j) u[k - ARM] += M[k * N + j] * a[j];
    }
}

static void brake_joints(capture* c) {
    static const double damping[] = {60.0, 40.0, 20.0};
    for (int k = 0; k < 3; ++k) c->r.u[k] = fmax(-8.0, fmin(8.0, -damping[k] * c->r.v[ARM + k]));
}

// one spindle: both fingers move symmetrically
static void drive_fingers(capture* c) {
    const double *q = c->r.q + FINGER, *v = c->r.v + FINGER;
    double force = fmin(2.0 * grip_force * fmax(c->r.time - closes, 0.0), grip_force);
    for (int i = 0; i < 2; ++i) {
        double even = 5000.0 * (q[!i] - q[i]) + 50.0 * (v[!i] - v[i]);
        double open = c->r.time < closes ? -200.0 * q[i] : 0.0;
        c->r.u[3 + i] = force + open + even - 20.0 * v[i];
    }
}

//---------------------------------- run ------------------------------------------

static int begin_capture(capture* c, const char* detector) {
    *c = (capture){.first_contact_time = NAN};
    int code = planar_run_open(&c->r, scene_space_capture, sizeof scene_space_capture, detector);
    if (code != 0) return code;
    planar_run_kinematics(&c->r);
    double J[TASK][N], angle = planar_angle(&c->r.pose[TARGET]), drift[2] = {-0.01, 0.015};
    c->r.v[OWN] = cos(angle) * drift[0] + sin(angle) * drift[1]; // along the target's own axes
    c->r.v[OWN + 1] = cos(angle) * drift[1] - sin(angle) * drift[0];
    c->r.v[OWN + 2] = 0.3;
    hand_at(&c->r, c->r.q, c->start, J);
    tac_momentum(c->r.model, c->r.q, c->r.v, c->momentum, c->r.scratch);
    return 0;
}

static void update_extremes(capture* c) {
    double momentum[6];
    c->depth = fmax(c->depth, planar_run_depth(&c->r, &c->contacts));
    if (c->contacts > 0 && isnan(c->first_contact_time)) c->first_contact_time = c->r.time;
    tac_momentum(c->r.model, c->r.q, c->r.v, momentum, c->r.scratch);
    for (int k = 0; k < 6; ++k) c->drift = fmax(c->drift, fabs(momentum[k] - c->momentum[k]));
}

static void simulate_until(capture* c, double until) {
    for (int i = 0; c->r.time < until && c->result == TAC_OK; ++i) {
        planar_run_kinematics(&c->r);
        if (i % 20 == 0) update_extremes(c);
        drive_fingers(c);
        if (c->r.time < brakes)
            drive_hand(c);
        else
            brake_joints(c);
        c->result = planar_run_step(&c->r);
    }
    update_extremes(c);
}

// position and angle of the target in the frame of the hand
static void target_in_hand(capture* c, double out[TASK]) {
    const tacPose *hand = &c->r.pose[HAND], *target = &c->r.pose[TARGET];
    double a = planar_angle(hand);
    double x = target->position.x - hand->position.x, y = target->position.y - hand->position.y;
    out[0] = cos(a) * x + sin(a) * y;
    out[1] = cos(a) * y - sin(a) * x;
    out[2] = planar_angle(target) - a;
}

static double max_difference(const double* a, const double* b, int n) {
    double max = 0.0;
    for (int i = 0; i < n; ++i) max = fmax(max, fabs(a[i] - b[i]));
    return max;
}

//---------------------------------- rows -----------------------------------------

static void report_capture(trial* t, capture* c, double end) {
    double before[TASK], after[TASK];
    simulate_until(c, end - 1.0);
    target_in_hand(c, before);
    simulate_until(c, end);
    target_in_hand(c, after);
    trial_expect_near(t, "steps that failed", c->result != TAC_OK, "", 0.0, 0.0);
    trial_expect_near(t, "the first contact", c->first_contact_time, "s", closes + 0.15, 0.15);
    trial_expect_at_most(t, "deepest contact", c->depth, "m", 3e-3);
    trial_expect_at_least(t, "contacts at the end", c->contacts, "", 3.0);
    trial_expect_at_most(t, "target moves in the hand, last second",
                         max_difference(before, after, 2), "m", 1e-4);
    trial_expect_at_most(t, "and turns", fabs(after[2] - before[2]), "rad", 1e-4);
    trial_expect_at_most(t, "angular velocity of the target, from 0.3",
                         fabs(c->r.twist[6 * TARGET + 5]), "1/s", 0.03);
    trial_expect_at_most(t, "momentum, drift", c->drift, "", 1e-6);
}

// the same motion by other methods: convex programs, or derived equations of motion
static int compare_methods(trial* t, double duration) {
    static const char* const ids[] = {"by convex programs, from there", "by derived equations"};
    capture first, c;
    int code = begin_capture(&first, NULL);
    if (code != 0) return code;
    simulate_until(&first, duration);
    for (int i = 0; i < 2 && code == 0; ++i) {
        code = begin_capture(&c, i == 0 ? "convex" : NULL);
        if (code == 0 && i == 1) code = planar_run_derive(&c.r);
        if (code == 0) {
            simulate_until(&c, duration);
            trial_expect_at_most(
                t, ids[i],
                fmax(max_difference(c.r.q, first.r.q, N), max_difference(c.r.v, first.r.v, N)), "",
                1e-6);
        }
        planar_run_close(&c.r);
        trial_progress(t, 0.5 + 0.25 * i);
    }
    planar_run_close(&first.r);
    return code;
}

static int draw_capture(trial* t) {
    static const double times[] = {0.0, 2.5, 4.5, 5.2, 6.0, 12.0};
    static const char* const captions[] = {"0 s",
                                           "2.5 s: the hand goes round",
                                           "4.5 s",
                                           "5.2 s: between the fingers",
                                           "6 s: gripped, the joints brake",
                                           "12 s: one body"};
    trialPanels panels;
    capture c;
    if (!t->folder) return 0;
    int code = trial_panels_begin(t, &panels, 3, 2, 400, 300);
    if (code == 0) code = begin_capture(&c, NULL);
    for (int i = 0; i < 6 && code == 0; ++i) {
        simulate_until(&c, times[i]);
        planar_run_draw(&c.r, &panels, (planarView){i, 0.95, 0.1, 120.0}, 1.0);
        if (panels.image.rgb) trial_panels_caption(&panels, i, captions[i]);
    }
    if (code == 0) planar_run_close(&c.r);
    return trial_panels_end(&panels, code, "motion");
}

int experiment_plastic_capture(trial* t) {
    int brief = getenv("TACTUS_NO_SWEEP") != NULL;
    capture c;
    int code = begin_capture(&c, NULL);
    if (code != 0) return code;
    report_capture(t, &c, brief ? 8.5 : 12.0);
    planar_run_close(&c.r);
    trial_progress(t, 0.3);
    code = compare_methods(t, brief ? 0.1 : 8.0);
    return code == 0 ? draw_capture(t) : code;
}
