// A cube on a table with friction, pushed from A to B to C (paper 004, V-C, replayed).
//
// Cube of 0.1 m and 1 kg, mu = 0.5, g = 10 m/s^2, steps of 0.01 s. 10 N along x for 0.2 s
// accelerate it to 1 m/s, and friction stops it in another 0.2 s: B = (0.2, 0). Then the same along
// y. Friction is a pyramid whose first axis lies along the motion, so it equals the cone on this
// path but not across it, as the last row shows.

#include "bench/baselines/other_engines.h"
#include "experiments/experiments.h"
#include "experiments/paper_004_hard/hard_run.h"
#include "experiments/plot.h"
#include "experiments/trial_film.h"

#include <math.h>

#define WORLD                                                                                      \
    "<worldbody><geom type='plane' size='2 2 1' friction='.5'/><body pos='0 0 .0500001'>"          \
    "<freejoint name='cube'/><geom type='box' size='.05 .05 .05' mass='1' friction='.5'/></body>"  \
    "</worldbody><actuator><motor joint='cube' gear='1 0 0 0 0 0'/><motor joint='cube' gear='0 1 " \
    "0 0 0 0'/></actuator></mujoco>"
#define SCENE                                                                                      \
    "<mujoco><option timestep='.01' gravity='0 0 -10'/><tactus detect='gjk' respond='lcp' "        \
    "%s/>" WORLD

static tacResult push_cube(hardRun* r, double x, double y, int count) {
    r->u[0] = x;
    r->u[1] = y;
    return hard_run_step(r, count);
}

static double cube_tilt(const hardRun* r) {
    return 2.0 * sqrt(r->q[4] * r->q[4] + r->q[5] * r->q[5]);
}

// A to B to C; the speed after the first push, and B as it was reached
typedef struct slideRun {
    hardRun r;
    double speed, miss_b, miss_c;
} slideRun;

static int slide_cube(slideRun* s, const char* attributes) {
    hardRun* r = &s->r;
    int code = hard_run_open(r, SCENE, attributes);
    if (code != 0) return code;
    push_cube(r, 10.0, 0.0, 20);
    s->speed = r->v[0];
    push_cube(r, 0.0, 0.0, 30);
    s->miss_b = hypot(r->q[0] - 0.2, r->q[1]);
    push_cube(r, 0.0, 10.0, 20);
    push_cube(r, 0.0, 0.0, 30);
    s->miss_c = hypot(r->q[0] - 0.2, r->q[1] - 0.2);
    return 0;
}

static int report_exact(trial* t) {
    slideRun s;
    int code = slide_cube(&s, "");
    if (code != 0) return code;
    trial_expect_at_most(t, "friction beyond its bound, of f_n", s.r.friction_excess, "", 1e-8);
    trial_expect_at_most(t, "residual", s.r.residual, "m/s", 1e-8);
    trial_expect_near(t, "normal impulses of a step, of the weight's", s.r.normal_impulse / 0.1, "",
                      1.0, 1e-9);
    trial_expect_near(t, "speed after 0.2 s", s.speed, "m/s", 1.0, 1e-9);
    trial_expect_at_most(t, "distance from B", s.miss_b, "m", 1e-3);
    trial_expect_at_most(t, "distance from C", s.miss_c, "m", 1e-3);
    trial_expect_at_most(t, "speed at C", hypot(s.r.v[0], s.r.v[1]), "m/s", 1e-9);
    trial_expect_at_most(t, "tilt", cube_tilt(&s.r), "rad", 1e-6);
    trial_expect_at_most(t, "yaw", 2.0 * fabs(s.r.q[6]), "rad", 1e-6);
    trial_expect_at_least(t, "distance, proven on every path", s.r.certified_distance, "m", -1e-9);
    trial_report(t, "impacts", s.r.impacts, "");
    hard_run_close(&s.r);
    return 0;
}

// With the compared methods. Nothing approaches the table, so discrete detection does no harm here.
static int report_other_rules(trial* t) {
    slideRun s;
    int code = slide_cube(&s, HARD_FROZEN);
    if (code != 0) return code;
    trial_expect_at_least(t, "frozen: friction beyond its bound, of f_n", s.r.friction_excess, "",
                          1e-3);
    trial_expect_at_least(t, "frozen: residual", s.r.residual, "m/s", 1e-3);
    trial_report(t, "frozen: distance from C", s.miss_c, "m");
    hard_run_close(&s.r);
    code = slide_cube(&s, HARD_DISCRETE);
    if (code != 0) return code;
    trial_report(t, "discrete: distance where steps begin", s.r.min_distance, "m");
    trial_expect_at_most(t, "discrete: distance from C", s.miss_c, "m", 1e-3);
    hard_run_close(&s.r);
    return 0;
}

// The same pushes in MuJoCo, whose friction is soft; where it is not installed, there is no row.
static void report_mujoco(trial* t) {
    mujocoWorld* w = mujoco_world_open("<mujoco><option timestep='.01' gravity='0 0 -10'/>" WORLD);
    for (int i = 0; i < 100 && w; ++i) {
        const double on[2] = {i < 20 ? 10.0 : 0.0, i >= 50 && i < 70 ? 10.0 : 0.0};
        mujoco_world_step(w, on, 2);
    }
    if (!w) return;
    const double *q = mujoco_world_qpos(w), *v = mujoco_world_qvel(w);
    trial_report(t, "MuJoCo: distance from C", hypot(q[0] - 0.2, q[1] - 0.2), "m");
    trial_report(t, "MuJoCo: speed at C", hypot(v[0], v[1]), "m/s");
    trial_report(t, "MuJoCo: distance to the table", q[2] - 0.05, "m");
    mujoco_world_close(w);
}

// A force across the motion: the cone lets the path curve, the pyramid does not.
static int report_across(trial* t) {
    hardRun r;
    int code = hard_run_open(&r, SCENE, "");
    if (code != 0) return code;
    r.v[0] = 2.0;
    push_cube(&r, 0.0, 3.0, 20);
    double v[2] = {2.0, 0.0}, y = 0.0;
    for (int i = 0; i < 200000; ++i) { // the cone, integrated finely
        double h = 1e-6, n = hypot(v[0], v[1]);
        v[0] -= h * 5.0 * v[0] / n;
        v[1] += h * (3.0 - 5.0 * v[1] / n);
        y += h * v[1];
    }
    trial_report(t, "pushed across for 0.2 s: aside, pyramid", r.q[1], "m");
    trial_report(t, "pushed across for 0.2 s: aside, cone", y, "m");
    hard_run_close(&r);
    return 0;
}

//---------------------------------- pictures -------------------------------------

enum { STEPS = 100 };

// pushed to 1 m/s in 0.2 s, stopped in another 0.2 s
static double analytic_way(double time) {
    double s = fmin(fmax(time, 0.0), 0.4);
    return s < 0.2 ? 2.5 * s * s : 0.2 - 2.5 * (0.4 - s) * (0.4 - s);
}

static int plot_way(trial* t) {
    static double time[STEPS + 1], way[2][STEPS + 1], exact[2][STEPS + 1];
    static const int at[] = {0, 20, 50, 100};
    trialFilm film;
    hardRun r;
    int code = trial_film_begin(t, &film, 4, 1, 260, 200);
    if (code == 0) code = hard_run_open(&r, SCENE, "");
    for (int i = 0, k = 0; i <= STEPS && code == 0; ++i) {
        char caption[32];
        time[i] = 0.01 * i;
        for (int axis = 0; axis < 2; ++axis) {
            way[axis][i] = r.q[axis];
            exact[axis][i] = analytic_way(time[i] - 0.5 * axis);
        }
        snprintf(caption, sizeof caption, "at %g s", time[i]);
        if (i == at[k]) code = trial_film_add(&film, r.model, r.q, caption);
        k += i == at[k];
        push_cube(&r, i < 20 ? 10.0 : 0.0, i >= 50 && i < 70 ? 10.0 : 0.0, 1);
    }
    hard_run_close(&r);
    code = trial_film_end(&film, code, "cube");
    const plotPanel panel = {.title = "way of the cube",
                             .x = {"time [s]", 0.0, 1.0, 0.0, 0, 0},
                             .y = {"way [m]", 0.0, 0.25, 0.0, 0, 0},
                             .series_count = 4,
                             .series = {{"x", STEPS + 1, time, way[0], NULL},
                                        {"y", STEPS + 1, time, way[1], NULL},
                                        {"x analytic", STEPS + 1, time, exact[0], NULL},
                                        {"y analytic", STEPS + 1, time, exact[1], NULL}}};
    return code == 0 ? plot_write(t, &(plotFigure){"way", 1, 560, 360, 1, &panel}) : code;
}

int experiment_hard_slide(trial* t) {
    int code = report_exact(t);
    if (code == 0) code = report_other_rules(t);
    if (code == 0) report_mujoco(t);
    if (code == 0) code = report_across(t);
    return code == 0 && t->folder ? plot_way(t) : code;
}
