// Impacts in closed form (paper 004, eqs. (3) to (7)): one bounce, two balls, a cradle, a spinning
// box on its corner; each also with discrete detection.
//
// Balls have a radius of 0.1 m and 1 kg, steps are of 0.01 s, there is no gravity. The box has
// sides of 0.2 m, spins with 12 rad/s about y and falls with 2 m/s.

#include "experiments/experiments.h"
#include "experiments/hard_run.h"

#include "base/scratch.h"

#include <math.h>
#include <string.h>

#define SCENE                                                                                      \
    "<mujoco><option timestep='.01' gravity='0 0 0'/><tactus detect='gjk' respond='lcp' %s/>"      \
    "<worldbody>%s</worldbody></mujoco>"
#define FLOOR     "<geom type='plane' size='1 1 1'/>"
#define BALL(pos) "<body pos='" pos "'><freejoint/><geom type='sphere' size='.1' mass='1'/></body>"

static const double delta = 1e-7;

// h = gap + delta + e (v T - gap) over the floor; dh/dy = -e, dh/dv = -e T
static int bounce(trial* t) {
    hardRun r;
    double dq[6] = {0, 0, 1}, dv[6] = {0};
    int code = hard_run_open(&r, SCENE, "restitution='.7'", FLOOR BALL("0 0 .25"));
    if (code != 0) return code;
    r.v[2] = -2.0;
    hard_run_step(&r, 20);
    trial_near(t, "one bounce: height after 0.2 s", r.q[2] - 0.1, "m",
               delta + 0.7 * (0.4 - (0.15 - delta)), 1e-11);
    trial_least(t, "one bounce: distance, proven", r.claim, "m", -1e-9);
    memcpy(r.q, r.model->qpos0, sizeof(double) * 7), memset(r.v, 0, sizeof r.v), r.v[2] = -2.0;
    hard_run_tangent(&r, 20, dq, dv);
    trial_near(t, "one bounce: dh/dy", dq[2], "", -0.7, 1e-9);
    memcpy(r.q, r.model->qpos0, sizeof(double) * 7), memset(r.v, 0, sizeof r.v), r.v[2] = -2.0;
    memset(dq, 0, sizeof dq), memset(dv, 0, sizeof dv), dv[2] = 1.0;
    hard_run_tangent(&r, 20, dq, dv);
    trial_near(t, "one bounce: dh/dv", dq[2], "s", -0.14, 1e-9);
    hard_run_close(&r);
    code = hard_run_open(&r, SCENE, "restitution='.7' ccd='false' overlap='resolve'",
                         FLOOR BALL("0 0 .255"));
    if (code != 0) return code;
    r.v[2] = -2.0;
    hard_run_step(&r, 20);
    trial_most(t, "one bounce, discrete: distance", r.nearest, "m", -1e-3);
    hard_run_close(&r);
    return 0;
}

// speeds change places; of three the first comes back: simultaneous impacts are a model
static int balls(trial* t) {
    hardRun r;
    double dq[18] = {0}, dv[18] = {0};
    int code = hard_run_open(&r, SCENE, "restitution='1'", BALL("0 0 0") BALL("0 0 .25"));
    if (code != 0) return code;
    r.v[2] = 1.0;
    dv[2] = 1.0;
    hard_run_tangent(&r, 10, dq, dv);
    trial_near(t, "two balls: speed of the first", r.v[2], "m/s", 0.0, 1e-12);
    trial_near(t, "two balls: speed of the second", r.v[8], "m/s", 1.0, 1e-12);
    trial_near(t, "two balls: d second/d first", dv[8], "", 1.0, 1e-9);
    trial_near(t, "two balls: d first/d first", dv[2], "", 0.0, 1e-9);
    hard_run_close(&r);
    code = hard_run_open(&r, SCENE, "restitution='1'",
                         BALL("0 0 0") BALL("0 0 .25") BALL("0 0 .4500001"));
    if (code != 0) return code;
    r.v[2] = 1.0;
    hard_run_step(&r, 10);
    trial_near(t, "cradle: speed of the first", r.v[2], "m/s", -1.0 / 3.0, 1e-12);
    trial_near(t, "cradle: speed of the last", r.v[14], "m/s", 2.0 / 3.0, 1e-12);
    hard_run_close(&r);
    return 0;
}

// lowest corner of the box over the floor after a time, turned by `turn` at the start
static double corner_height(double z, double v, double turn, double w, double time) {
    double a = turn + w * time, least = INFINITY;
    for (int i = 0; i < 4; ++i)
        least = fmin(least, 0.1 * ((i & 1 ? 1 : -1) * cos(a) + (i & 2 ? 1 : -1) * -sin(a)));
    return z + v * time + least;
}

// the root by halving, which knows nothing of the engine
static double impact_time(double z, double v, double turn, double w, double most) {
    double low = 0.0, high = most;
    for (int i = 0; i < 200; ++i) {
        double mid = 0.5 * (low + high);
        *(corner_height(z, v, turn, w, mid) > delta ? &low : &high) = mid;
    }
    return 0.5 * (low + high);
}

static void set_box(hardRun* r, double higher) {
    memcpy(r->q, r->model->qpos0, sizeof(double) * 7), memset(r->v, 0, sizeof r->v);
    r->q[2] += higher, r->v[2] = -2.0, r->v[4] = 12.0;
}

// height after one step
static double box_height(hardRun* r, double higher) {
    tacState x = {.qpos = r->q, .qvel = r->v};
    set_box(r, higher);
    tac_step(r->model, &x, r->u, &x, r->scratch);
    return r->q[2];
}

#define BOX_SCENE                                                                                  \
    "<mujoco><option timestep='.02' gravity='0 0 0'/><tactus detect='gjk' respond='lcp' "          \
    "restitution='.5' %s/><worldbody>" FLOOR "<body pos='0 0 .16' euler='0 %.17g 0'><freejoint/>"  \
    "<geom type='box' size='.1 .1 .1' mass='1' friction='.3'/></body></worldbody></mujoco>"

// one step of 0.02 s: its time of impact, and the derivative of its end against differences
static int spinning_box(trial* t) {
    const double turn = 0.3, h = 1e-6;
    double dq[6] = {0, 0, 1}, dv[6] = {0};
    hardRun r;
    int code = hard_run_open(&r, BOX_SCENE, "", turn * 180.0 / M_PI);
    if (code != 0) return code;
    double slope = (box_height(&r, h) - box_height(&r, -h)) / (2.0 * h);
    box_height(&r, 0.0);
    double exact = impact_time(0.16, -2.0, turn, 12.0, 0.02), time = r.scratch->info.time_of_impact;
    trial_near(t, "spinning box: time of impact", 1e3 * time, "ms", 1e3 * exact, 1e-10);
    set_box(&r, 0.0), hard_run_tangent(&r, 1, dq, dv);
    trial_near(t, "spinning box: derivative minus difference", dq[2] - slope, "", 0.0, 1e-6);
    set_box(&r, 0.0), hard_run_step(&r, 1);
    trial_least(t, "spinning box: distance, proven", r.claim, "m", -1e-9);
    hard_run_close(&r);
    code = hard_run_open(&r, BOX_SCENE, "ccd='false' overlap='resolve'", turn * 180.0 / M_PI);
    if (code != 0) return code;
    set_box(&r, 0.0), hard_run_step(&r, 2);
    trial_most(t, "spinning box, discrete: distance", r.nearest, "m", -1e-3);
    hard_run_close(&r);
    return 0;
}

int experiment_hard_bounce(trial* t) {
    int code = bounce(t);
    if (code == 0) code = balls(t);
    return code == 0 ? spinning_box(t) : code;
}
