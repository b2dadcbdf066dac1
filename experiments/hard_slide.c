// A cube on a table with friction, pushed from A to B to C (paper 004, V-C, replayed).
//
// Cube of 0.1 m and 1 kg, mu = 0.5, g = 10 m/s^2, steps of 0.01 s. 10 N along x for 0.2 s bring it
// to 1 m/s, friction stops it after as long again: B = (0.2, 0). Then the same along y. Friction is
// a pyramid whose first axis lies along the motion, so on this path it is the cone's; across it, it
// is not, which the last figure shows.

#include "experiments/experiments.h"
#include "experiments/hard_run.h"

#include <math.h>

#define SCENE                                                                                      \
    "<mujoco><option timestep='.01' gravity='0 0 -10'/><tactus detect='gjk' respond='lcp' %s/>"    \
    "<worldbody><geom type='plane' size='2 2 1' friction='.5'/><body pos='0 0 .0500001'>"          \
    "<freejoint name='cube'/><geom type='box' size='.05 .05 .05' mass='1' friction='.5'/></body>"  \
    "</worldbody><actuator><motor joint='cube' gear='1 0 0 0 0 0'/><motor joint='cube' gear='0 1 " \
    "0 0 0 0'/></actuator></mujoco>"

static tacResult push(hardRun* r, double x, double y, int count) {
    r->u[0] = x, r->u[1] = y;
    return hard_run_step(r, count);
}

static double tilt(const hardRun* r) { return 2.0 * sqrt(r->q[4] * r->q[4] + r->q[5] * r->q[5]); }

static int slide(trial* t, const char* attributes, const char* name, int holds) {
    hardRun r;
    char id[96];
    int code = hard_run_open(&r, SCENE, attributes);
    if (code != 0) return code;
    push(&r, 10.0, 0.0, 20);
    double speed = r.v[0];
    push(&r, 0.0, 0.0, 30);
    double b[2] = {r.q[0], r.q[1]};
    push(&r, 0.0, 10.0, 20), push(&r, 0.0, 0.0, 30);
    double miss_b = hypot(b[0] - 0.2, b[1]), miss_c = hypot(r.q[0] - 0.2, r.q[1] - 0.2);
    snprintf(id, sizeof id, "%s: friction beyond its bound, of f_n", name);
    if (!holds) {
        trial_least(t, id, r.law, "", 1e-3);
        snprintf(id, sizeof id, "%s: distance from C", name);
        trial_note(t, id, miss_c, "m");
        hard_run_close(&r);
        return 0;
    }
    trial_most(t, id, r.law, "", 1e-8);
    trial_near(t, "speed after 0.2 s", speed, "m/s", 1.0, 1e-9);
    trial_most(t, "distance from B", miss_b, "m", 1e-3);
    trial_most(t, "distance from C", miss_c, "m", 1e-3);
    trial_most(t, "speed at C", hypot(r.v[0], r.v[1]), "m/s", 1e-9);
    trial_most(t, "tilt", tilt(&r), "rad", 1e-6);
    trial_most(t, "yaw", 2.0 * fabs(r.q[6]), "rad", 1e-6);
    trial_least(t, "distance, proven on every path", r.claim, "m", -1e-9);
    trial_note(t, "impacts", r.impacts, "");
    hard_run_close(&r);
    return 0;
}

// A force across the motion: the cone lets it turn, the pyramid holds it.
static int across(trial* t) {
    hardRun r;
    int code = hard_run_open(&r, SCENE, "");
    if (code != 0) return code;
    r.v[0] = 2.0;
    push(&r, 0.0, 3.0, 20);
    double v[2] = {2.0, 0.0}, y = 0.0;
    for (int i = 0; i < 200000; ++i) { // the cone, integrated finely
        double h = 1e-6, n = hypot(v[0], v[1]);
        v[0] -= h * 5.0 * v[0] / n, v[1] += h * (3.0 - 5.0 * v[1] / n), y += h * v[1];
    }
    trial_note(t, "pushed across for 0.2 s: aside, pyramid", r.q[1], "m");
    trial_note(t, "pushed across for 0.2 s: aside, cone", y, "m");
    hard_run_close(&r);
    return 0;
}

int experiment_hard_slide(trial* t) {
    int code = slide(t, "", "coupled bounds", 1);
    if (code == 0) code = slide(t, "bounds='frozen'", "frozen bounds", 0);
    return code == 0 ? across(t) : code;
}
