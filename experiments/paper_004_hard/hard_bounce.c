// Impacts in closed form (paper 004, eqs. (3) to (7)): one bounce, two balls, a cradle, a spinning
// box on its corner; each also with discrete detection and with frozen bounds of friction.
//
// Balls have a radius of 0.1 m and 1 kg, steps are of 0.01 s, there is no gravity. The box has
// sides of 0.2 m, spins with 12 rad/s about y and falls with 2 m/s.

#include "experiments/experiments.h"
#include "experiments/paper_004_hard/hard_run.h"
#include "experiments/plot.h"

#include "base/scratch.h"

#include <math.h>
#include <string.h>

#define SCENE                                                                                      \
    "<mujoco><option timestep='.01' gravity='0 0 0'/><tactus detect='gjk' respond='lcp' %s/>"      \
    "<worldbody>%s</worldbody></mujoco>"
#define FLOOR     "<geom type='plane' size='1 1 1' friction='.1'/>"
#define BALL(pos) "<body pos='" pos "'><freejoint/><geom type='sphere' size='.1' mass='1'/></body>"

static const double delta = 1e-7;

// The compared methods, from the velocity v of the first body along z: penetration at the start of
// steps with discrete detection; error of the closed-form height or velocity with frozen bounds.
static int report_discrete(trial* t, const char* name, const char* restitution, const char* bodies,
                           double v) {
    hardRun r;
    char attributes[80], id[80];
    snprintf(attributes, sizeof attributes, "restitution='%s' " HARD_DISCRETE, restitution);
    int code = hard_run_open(&r, SCENE, attributes, bodies);
    if (code != 0) return code;
    r.v[2] = v;
    hard_run_step(&r, 20);
    snprintf(id, sizeof id, "%s, discrete: distance", name);
    trial_expect_at_most(t, id, r.min_distance, "m", -1e-3);
    hard_run_close(&r);
    return 0;
}

//---------------------------------- one bounce ----------------------------------

// h = gap + delta + e (v T - gap) over the floor; dh/dy = -e, dh/dv = -e T
static int report_bounce(trial* t, const char* attributes, const char* name) {
    hardRun r;
    char id[80];
    int code = hard_run_open(&r, SCENE, attributes, FLOOR BALL("0 0 .25"));
    if (code != 0) return code;
    r.v[2] = -2.0;
    hard_run_step(&r, 20);
    snprintf(id, sizeof id, "%s: height after 0.2 s", name);
    trial_expect_near(t, id, r.q[2] - 0.1, "m", delta + 0.7 * (0.4 - (0.15 - delta)), 1e-11);
    snprintf(id, sizeof id, "%s: distance, proven", name);
    trial_expect_at_least(t, id, r.certified_distance, "m", -1e-9);
    hard_run_close(&r);
    return 0;
}

static int report_bounce_derivatives(trial* t) {
    hardRun r;
    double dq[6] = {0, 0, 1}, dv[6] = {0};
    int code = hard_run_open(&r, SCENE, "restitution='.7'", FLOOR BALL("0 0 .25"));
    if (code != 0) return code;
    r.v[2] = -2.0;
    hard_run_tangent(&r, 20, dq, dv);
    trial_expect_near(t, "one bounce: dh/dy", dq[2], "", -0.7, 1e-9);
    hard_run_reset(&r);
    r.v[2] = -2.0;
    memset(dq, 0, sizeof dq);
    memset(dv, 0, sizeof dv);
    dv[2] = 1.0;
    hard_run_tangent(&r, 20, dq, dv);
    trial_expect_near(t, "one bounce: dh/dv", dq[2], "s", -0.14, 1e-9);
    hard_run_close(&r);
    return 0;
}

static int one_bounce(trial* t) {
    int code = report_bounce(t, "restitution='.7'", "one bounce");
    if (code == 0) code = report_bounce_derivatives(t);
    if (code == 0) code = report_discrete(t, "one bounce", ".7", FLOOR BALL("0 0 .255"), -2.0);
    return code == 0 ? report_bounce(t, "restitution='.7' " HARD_FROZEN, "one bounce, frozen")
                     : code;
}

//---------------------------------- balls ----------------------------------

// balls in a row, the first at 1 m/s: velocities of all after 0.1 s, and certified distances
static int report_ball_row(trial* t, const char* attributes, const char* name, const char* bodies,
                           int count, const double* speed) {
    hardRun r;
    char id[80];
    int code = hard_run_open(&r, SCENE, attributes, bodies);
    if (code != 0) return code;
    r.v[2] = 1.0;
    hard_run_step(&r, 10);
    for (int i = 0; i < count; ++i) {
        snprintf(id, sizeof id, "%s: speed of ball %d", name, i + 1);
        trial_expect_near(t, id, r.v[6 * i + 2], "m/s", speed[i], 1e-12);
    }
    snprintf(id, sizeof id, "%s: distance, proven", name);
    trial_expect_at_least(t, id, r.certified_distance, "m", -1e-9);
    hard_run_close(&r);
    return 0;
}

// derivative of one velocity with respect to the other
static int report_exchange_derivatives(trial* t, const char* bodies) {
    hardRun r;
    double dq[12] = {0}, dv[12] = {0, 0, 1};
    int code = hard_run_open(&r, SCENE, "restitution='1'", bodies);
    if (code != 0) return code;
    r.v[2] = 1.0;
    hard_run_tangent(&r, 10, dq, dv);
    trial_expect_near(t, "two balls: d second/d first", dv[8], "", 1.0, 1e-9);
    trial_expect_near(t, "two balls: d first/d first", dv[2], "", 0.0, 1e-9);
    hard_run_close(&r);
    return 0;
}

// balls exchange velocities
static int two_balls(trial* t) {
    static const char bodies[] = BALL("0 0 0") BALL("0 0 .25");
    const double speed[2] = {0.0, 1.0};
    int code = report_ball_row(t, "restitution='1'", "two balls", bodies, 2, speed);
    if (code == 0) code = report_exchange_derivatives(t, bodies);
    if (code == 0) code = report_discrete(t, "two balls", "1", BALL("0 0 0") BALL("0 0 .255"), 1.0);
    return code == 0 ? report_ball_row(t, "restitution='1' " HARD_FROZEN, "two balls, frozen",
                                       bodies, 2, speed)
                     : code;
}

// Of three balls the first rebounds: simultaneous impacts are a model (docs/hard.md). They conserve
// momentum and energy, 1 = 1/9 + 2 4/9.
static int report_cradle(trial* t) {
    static const char bodies[] = BALL("0 0 0") BALL("0 0 .25") BALL("0 0 .4500001");
    const double speed[3] = {-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0};
    int code = report_ball_row(t, "restitution='1'", "cradle", bodies, 3, speed);
    if (code == 0)
        code = report_discrete(t, "cradle", "1",
                               BALL("0 0 0") BALL("0 0 .255") BALL("0 0 .4550001"), 1.0);
    return code == 0 ? report_ball_row(t, "restitution='1' " HARD_FROZEN, "cradle, frozen", bodies,
                                       3, speed)
                     : code;
}

//---------------------------------- spinning box ----------------------------------

// height of the lowest corner of the box after a time, from the initial angle `angle`
static double corner_height(double z, double v, double angle, double w, double time) {
    double a = angle + w * time, min = INFINITY;
    for (int i = 0; i < 4; ++i)
        min = fmin(min, 0.1 * ((i & 1 ? 1 : -1) * cos(a) + (i & 2 ? 1 : -1) * -sin(a)));
    return z + v * time + min;
}

// the root by bisection, independent of the engine
static double impact_time(double z, double v, double angle, double w, double max) {
    double low = 0.0, high = max;
    for (int i = 0; i < 200; ++i) {
        double mid = 0.5 * (low + high);
        *(corner_height(z, v, angle, w, mid) > delta ? &low : &high) = mid;
    }
    return 0.5 * (low + high);
}

static void set_box(hardRun* r, double higher) {
    hard_run_reset(r);
    r->q[2] += higher;
    r->v[2] = -2.0;
    r->v[4] = 12.0;
}

// height after one step
static double box_height(hardRun* r, double higher) {
    tacState x = {.qpos = r->q, .qvel = r->v};
    set_box(r, higher);
    tac_step(r->model, &x, r->u, &x, r->scratch);
    return r->q[2];
}

#define START_ANGLE 0.3
#define BOX_SCENE                                                                                  \
    "<mujoco><compiler angle='radian'/><option timestep='.02' gravity='0 0 0'/><tactus "           \
    "detect='gjk' respond='lcp' restitution='.5' %s/><worldbody>" FLOOR                            \
    "<body pos='0 0 .16' euler='0 .3 0'><freejoint/><geom type='box' size='.1 .1 .1' mass='1' "    \
    "friction='.1'/></body></worldbody></mujoco>"

// The impact of the edge on the floor, in closed form. With the edge at (x, z) from the center, f_n
// and f_t change the velocities there by
//   normal  (1/m + x^2/I) f_n - (x z/I) f_t,   tangent  (1/m + z^2/I) f_t - (x z/I) f_n,
// the normal one to -e times the approach velocity. It slides, so f_t = -mu f_n: without friction
// the impact would reverse the sliding of the edge.
static void closed_form_impact(double mu, double time, double* up, double* spin) {
    double a = START_ANGLE + 12.0 * time, I = 0.04 / 6.0, x = 0.0, z = 0.0;
    for (int i = 0; i < 4; ++i) {
        double cx = 0.1 * ((i & 1 ? 1 : -1) * cos(a) + (i & 2 ? 1 : -1) * sin(a));
        double cz = 0.1 * ((i & 2 ? 1 : -1) * cos(a) - (i & 1 ? 1 : -1) * sin(a));
        if (cz < z) {
            x = cx;
            z = cz;
        }
    }
    double approach = -2.0 - 12.0 * x; // the edge moves with (12 z, -2 - 12 x)
    double f = -1.5 * approach / (1.0 + x * x / I + mu * x * z / I);
    *up = -2.0 + f;
    *spin = 12.0 - (x + mu * z) * f / I;
}

// velocities after the impact against the closed form, and its friction law
static int report_box_impact(trial* t) {
    hardRun r;
    double up, spin, time = impact_time(0.16, -2.0, START_ANGLE, 12.0, 0.02);
    int code = hard_run_open(&r, BOX_SCENE, "");
    if (code != 0) return code;
    closed_form_impact(0.1, time, &up, &spin);
    set_box(&r, 0.0);
    hard_run_step(&r, 1);
    trial_expect_near(t, "spinning box: speed up after it", r.v[2], "m/s", up, 1e-6);
    trial_expect_near(t, "spinning box: spin after it", r.v[4], "rad/s", spin, 1e-5);
    trial_expect_at_least(t, "spinning box: distance, proven", r.certified_distance, "m", -1e-9);
    trial_expect_at_most(t, "spinning box: friction beyond its bound, of f_n", r.friction_excess,
                         "", 1e-8);
    trial_expect_at_most(t, "spinning box: residual", r.residual, "m/s", 1e-8);
    hard_run_close(&r);
    return 0;
}

// one step of 0.02 s: its time of impact, and the derivative of its end against differences
static int report_box_toi(trial* t) {
    const double h = 1e-6;
    double dq[6] = {0, 0, 1}, dv[6] = {0};
    hardRun r;
    int code = hard_run_open(&r, BOX_SCENE, "");
    if (code != 0) return code;
    double slope = (box_height(&r, h) - box_height(&r, -h)) / (2.0 * h);
    box_height(&r, 0.0);
    double exact = impact_time(0.16, -2.0, START_ANGLE, 12.0, 0.02),
           time = r.scratch->info.time_of_impact;
    trial_expect_near(t, "spinning box: time of impact", 1e3 * time, "ms", 1e3 * exact, 1e-10);
    set_box(&r, 0.0);
    hard_run_tangent(&r, 1, dq, dv);
    trial_expect_near(t, "spinning box: derivative minus difference", dq[2] - slope, "", 0.0, 1e-6);
    hard_run_close(&r);
    return 0;
}

static int report_box_other_rules(trial* t) {
    hardRun r;
    int code = hard_run_open(&r, BOX_SCENE, HARD_DISCRETE);
    if (code != 0) return code;
    set_box(&r, 0.0);
    hard_run_step(&r, 2);
    trial_expect_at_most(t, "spinning box, discrete: distance", r.min_distance, "m", -1e-3);
    hard_run_close(&r);
    code = hard_run_open(&r, BOX_SCENE, HARD_FROZEN);
    if (code != 0) return code;
    set_box(&r, 0.0);
    hard_run_step(&r, 1);
    trial_expect_at_least(t, "spinning box, frozen: residual", r.residual, "m/s", 1e-3);
    trial_report(t, "spinning box, frozen: spin after it", r.v[4], "rad/s");
    hard_run_close(&r);
    return 0;
}

static int spinning_box(trial* t) {
    int code = report_box_toi(t);
    if (code == 0) code = report_box_impact(t);
    return code == 0 ? report_box_other_rules(t) : code;
}

//---------------------------------- plot -----------------------------------------

enum { STEPS = 20 };

typedef struct bounceCurve {
    double time[STEPS + 1], height[STEPS + 1], exact[STEPS + 1], discrete[STEPS + 1];
    double slope[STEPS + 1], exact_slope[STEPS + 1]; // dh/dy
} bounceCurve;

// heights over the floor and dh/dy of one bounce, step by step
static int measure_bounce(bounceCurve* c) {
    hardRun r, other;
    double dq[6] = {0, 0, 1}, dv[6] = {0}, gap = 0.15 - delta;
    int code = hard_run_open(&r, SCENE, "restitution='.7'", FLOOR BALL("0 0 .25"));
    if (code != 0) return code;
    code = hard_run_open(&other, SCENE, "restitution='.7' " HARD_DISCRETE, FLOOR BALL("0 0 .25"));
    r.v[2] = other.v[2] = -2.0;
    for (int i = 0; i <= STEPS && code == 0; ++i) {
        double way = 0.02 * i;
        c->time[i] = 0.01 * i;
        c->height[i] = r.q[2] - 0.1;
        c->discrete[i] = other.q[2] - 0.1;
        c->slope[i] = dq[2];
        c->exact[i] = way < gap ? 0.15 - way : delta + 0.7 * (way - gap);
        c->exact_slope[i] = way < gap ? 1.0 : -0.7;
        hard_run_tangent(&r, 1, dq, dv);
        hard_run_step(&other, 1);
    }
    hard_run_close(&r);
    hard_run_close(&other);
    return code;
}

static int plot_bounce(trial* t) {
    static bounceCurve c;
    int code = measure_bounce(&c);
    const plotPanel panels[2] = {
        {.title = "one bounce",
         .style = PLOT_MARKERS,
         .x = {"time [s]", 0.0, 0.2, 0.0, 0, 0},
         .y = {"height over the floor [m]", -0.02, 0.2, 0.0, 0, 0},
         .series_count = 3,
         .series = {{"time of impact", STEPS + 1, c.time, c.height, NULL},
                    {"discrete", STEPS + 1, c.time, c.discrete, NULL},
                    {"closed form", STEPS + 1, c.time, c.exact, NULL}}},
        {.title = "its derivative",
         .style = PLOT_MARKERS,
         .x = {"time [s]", 0.0, 0.2, 0.0, 0, 0},
         .y = {"d height / d first height [1]", -1.2, 1.2, 0.0, 0, 0},
         .series_count = 2,
         .series = {{"jvp of the steps", STEPS + 1, c.time, c.slope, NULL},
                    {"closed form", STEPS + 1, c.time, c.exact_slope, NULL}}}};
    return code == 0 ? plot_write(t, &(plotFigure){"height", 2, 480, 360, 2, panels}) : code;
}

int experiment_hard_bounce(trial* t) {
    int code = one_bounce(t);
    if (code == 0) code = two_balls(t);
    if (code == 0) code = report_cradle(t);
    if (code == 0) code = spinning_box(t);
    return code == 0 && t->folder ? plot_bounce(t) : code;
}
