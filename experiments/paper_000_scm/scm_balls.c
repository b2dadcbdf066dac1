// The force on a small ball near a large one (paper 000, Fig. 1 right and Fig. 5).
//
// R = 1 at the origin, r = 0.4, clouds of 600 and 300 points of a golden spiral, eps1 = 0.01, eps2
// = eps3 = 0.02, k = 1, at rest. Forces of MuJoCo and ODE are contact forces on a ball of 1 kg at
// rest in a step of 2 ms; each engine is plotted in units of its largest force. Expected values of
// the soft contact model come from tools/expected-values.

#include "bench/ball_cloud.h"
#include "bench/baselines/other_engines.h"
#include "experiments/experiments.h"
#include "experiments/plot.h"

#include "base/assert.h"
#include "respond/force/scm.h"

#include <math.h>
#include <stdlib.h>

#define LARGE 600
#define SMALL 300
#define CURVE 401
#define SIDE  61
#define RANGE 1.8

typedef struct ballRig {
    tacContactCloud* cloud[2];
    tacScmWork work;
    double* memory;
    int* ints;
    mujocoWorld* mujoco; // NULL: not installed
    int ode;             // 1: installed
} ballRig;

//---------------------------------- engines --------------------------------------

static tacScmPair pair_of(const ballRig* rig, double eps2, double x, double y) {
    tacScmPair p = {.cloud = {rig->cloud[0], rig->cloud[1]},
                    .pose = {tac_pose_identity(), tac_pose_identity()}};
    const double number[TAC_SCM_NUMBERS] = {1.0, 0.1, 0.01, 0.0, 0.02, 0.0, 0.01, eps2};
    for (int k = 0; k < TAC_SCM_NUMBERS; ++k) p.number[k] = number[k];
    p.pose[1].position.x = x;
    p.pose[1].position.y = y;
    return p;
}

// force, and its derivatives with respect to x and y in slope (NULL to skip)
static void scm_force(const ballRig* rig, double eps2, double x, double y, double force[2],
                      double slope[2]) {
    tacScmPair p = pair_of(rig, eps2, x, y);
    tacScmForce f;
    tac_scm_pair(&p, slope ? 1 : 0, rig->work, &f);
    for (int k = 0; k < 2; ++k) force[k] = f.wrench[k];
    for (int k = 0; k < 2 && slope; ++k) slope[k] = f.K[7 * k];
}

static void mujoco_force(const ballRig* rig, double x, double y, double force[2]) {
    force[0] = force[1] = 0.0;
    if (!rig->mujoco) return;
    mujoco_world_reset(rig->mujoco);
    double* q = mujoco_world_qpos(rig->mujoco);
    q[0] = x;
    q[1] = y;
    q[2] = 0.0;
    const double* f = mujoco_world_constraint(rig->mujoco);
    for (int k = 0; k < 2; ++k) force[k] = f[k];
}

static void ode_force(const ballRig* rig, double x, double y, double force[2]) {
    const double at[3] = {x, y, 0.0};
    double f[3] = {0.0, 0.0, 0.0};
    if (rig->ode) ode_ball_force(1.0, 0.4, at, 1.0, 0.002, f);
    for (int k = 0; k < 2; ++k) force[k] = f[k];
}

static int open_rig(ballRig* rig) {
    static const char scene[] =
        "<mujoco><option timestep='0.002' gravity='0 0 0'/><worldbody><geom size='1'/><body>"
        "<freejoint/><geom size='0.4' mass='1'/></body></worldbody></mujoco>";
    size_t n = LARGE + SMALL;
    const double far[3] = {9.0, 0.0, 0.0};
    double none[3];
    *rig = (ballRig){.cloud = {bench_ball_cloud(LARGE, 1.0), bench_ball_cloud(SMALL, 0.4)}};
    rig->memory = malloc(3 * n * sizeof(double));
    rig->ints = malloc(2 * n * sizeof(int));
    rig->mujoco = mujoco_world_open(scene);
    rig->ode = ode_ball_force(1.0, 0.4, far, 1.0, 0.002, none);
    if (!rig->cloud[0] || !rig->cloud[1] || !rig->memory || !rig->ints)
        return cli_error("reproduce", "out of memory");
    rig->work =
        (tacScmWork){rig->memory, rig->memory + n, rig->memory + 2 * n, rig->ints, rig->ints + n};
    return 0;
}

static void close_rig(ballRig* rig) {
    tacAllocator a = tac_default_allocator();
    for (int i = 0; i < 2; ++i)
        if (rig->cloud[i]) a.release(a.user, rig->cloud[i]);
    free(rig->memory);
    free(rig->ints);
    mujoco_world_close(rig->mujoco);
}

//---------------------------------- figures --------------------------------------

static double scm_normal_force(const ballRig* rig, double eps2, double d) {
    double f[2];
    scm_force(rig, eps2, d, 0.0, f, NULL);
    return f[0];
}

static void report_profile(trial* t, const ballRig* rig) {
    static const double known[][2] = {{0.5, 0.734268}, {0.8, 0.564346},   {1.0, 0.367849},
                                      {1.2, 0.178778}, {1.38, 0.0197307}, {1.5, 1.13936e-4}};
    for (int i = 0; i < TAC_COUNT(known); ++i) {
        char id[64];
        snprintf(id, sizeof id, "force at a distance of %g", known[i][0]);
        trial_expect_near(t, id, scm_normal_force(rig, 0.02, known[i][0]), "N", known[i][1],
                          1e-5 * known[i][1]);
    }
    trial_expect_near(t, "force near the centre, at 0.02", scm_normal_force(rig, 0.02, 0.02), "N",
                      -0.17618, 1e-5);
    trial_expect_at_most(t, "force at 0.37, inside the core", scm_normal_force(rig, 0.02, 0.37),
                         "N", 0.0);
    trial_expect_at_least(t, "force at 0.43, outside the core", scm_normal_force(rig, 0.02, 0.43),
                          "N", 0.0);
    double min = INFINITY;
    for (double d = 0.05; d < 1.5; d += 0.1) min = fmin(min, scm_normal_force(rig, 0.3, d));
    trial_expect_at_least(t, "least force with eps2 0.3: pushed everywhere", min, "N", 0.0);
}

// second differences of a force at steps h and h/2: 4 where it is twice differentiable, 2 at a kink
typedef double forceAt(const ballRig* rig, double d);

static double scm_at(const ballRig* rig, double d) { return scm_normal_force(rig, 0.02, d); }
static double mujoco_at(const ballRig* rig, double d) {
    double f[2];
    mujoco_force(rig, d, 0.0, f);
    return f[0];
}
static double ode_at(const ballRig* rig, double d) {
    double f[2];
    ode_force(rig, d, 0.0, f);
    return f[0];
}

static double difference_ratio(const ballRig* rig, forceAt* push, double d, double h) {
    double second[2];
    for (int k = 0; k < 2; ++k, h *= 0.5)
        second[k] = push(rig, d + h) - 2.0 * push(rig, d) + push(rig, d - h);
    return second[0] / second[1];
}

static void report_engine(trial* t, const ballRig* rig, const char* name, forceAt* push) {
    char id[96];
    snprintf(id, sizeof id, "%s: force 1 mm before touching", name);
    trial_expect_at_most(t, id, fabs(push(rig, 1.401)), "N", 0.0);
    snprintf(id, sizeof id, "%s: second differences at touching, h to h/2", name);
    trial_expect_near(t, id, difference_ratio(rig, push, 1.4, 0.02), "x", 2.0, 0.3);
    snprintf(id, sizeof id, "%s: jump across the centre", name);
    trial_expect_at_least(t, id, fabs(push(rig, 1e-3) - push(rig, -1e-3)), "N", 1.0);
}

static void report_smoothness(trial* t, const ballRig* rig) {
    trial_expect_near(t, "SCM: second differences at touching, h to h/2",
                      difference_ratio(rig, scm_at, 1.4, 0.01), "x", 4.0, 0.4);
    trial_expect_at_least(t, "SCM: force 1 mm before touching", scm_normal_force(rig, 0.02, 1.401),
                          "N", 1e-3);
    double f[2], slope[2];
    scm_force(rig, 0.02, 1.5, 0.0, f, slope);
    trial_expect_at_most(t, "SCM: slope of the force 0.1 before touching", slope[0], "N/m", -1e-4);
    trial_expect_at_most(
        t, "SCM: jump across the centre",
        fabs(scm_normal_force(rig, 0.02, 1e-6) - scm_normal_force(rig, 0.02, -1e-6)), "N", 1e-4);
    if (rig->mujoco)
        report_engine(t, rig, "MuJoCo", mujoco_at);
    else
        trial_note(t, "MuJoCo is not installed: its rows are left out");
    if (rig->ode)
        report_engine(t, rig, "ODE", ode_at);
    else
        trial_note(t, "ODE is not installed: its rows are left out");
}

//---------------------------------- plots ----------------------------------------

static double max_abs(const double* x, int n) {
    double max = 1e-300;
    for (int i = 0; i < n; ++i) max = fmax(max, fabs(x[i]));
    return max;
}

// scales to a largest value of 1
static void normalize(double* x, int n) {
    double scale = 1.0 / max_abs(x, n);
    for (int i = 0; i < n; ++i) x[i] *= scale;
}

static int plot_profile(trial* t, const ballRig* rig) {
    static double x[CURVE], value[4][CURVE];
    static const char* const names[4] = {"SCM", "SCM: eps2 = 0.3", "MuJoCo", "ODE"};
    const int present[4] = {1, 1, rig->mujoco != NULL, rig->ode};
    for (int i = 0; i < CURVE; ++i) {
        double f[4][2];
        x[i] = RANGE * (2.0 * i / (CURVE - 1) - 1.0);
        scm_force(rig, 0.02, 0.0, x[i], f[0], NULL);
        scm_force(rig, 0.3, 0.0, x[i], f[1], NULL);
        mujoco_force(rig, 0.0, x[i], f[2]);
        ode_force(rig, 0.0, x[i], f[3]);
        for (int k = 0; k < 4; ++k) value[k][i] = f[k][1];
    }
    plotPanel panel = {.title = "force along y on the small ball",
                       .x = {"y of the small ball [m]", -RANGE, RANGE, 0.0, 0, 0},
                       .y = {"force / largest force [1]", -1.1, 1.1, 0.0, 0, 0}};
    for (int k = 0; k < 4; ++k) {
        normalize(value[k], CURVE);
        if (present[k])
            panel.series[panel.series_count++] = (plotSeries){names[k], CURVE, x, value[k], NULL};
    }
    return plot_write(t, &(plotFigure){"profile", 1, 720, 420, 1, &panel});
}

typedef struct ballMaps {
    double x[SIDE * SIDE], y[SIDE * SIDE];
    double force[3][SIDE * SIDE], slope[3][SIDE * SIDE]; // SCM, MuJoCo, ODE: along x, its d/dx
} ballMaps;

static void measure_maps(const ballRig* rig, ballMaps* map) {
    const double h = 1e-3;
    for (int i = 0; i < SIDE * SIDE; ++i) {
        double x = RANGE * (2.0 * (i % SIDE) / (SIDE - 1) - 1.0),
               y = RANGE * (1.0 - 2.0 * (i / SIDE) / (SIDE - 1));
        double f[3][2], near[3][2], slope[2];
        scm_force(rig, 0.02, x, y, f[0], slope);
        mujoco_force(rig, x, y, f[1]);
        mujoco_force(rig, x + h, y, near[1]);
        ode_force(rig, x, y, f[2]);
        ode_force(rig, x + h, y, near[2]);
        map->x[i] = x;
        map->y[i] = y;
        for (int e = 0; e < 3; ++e) {
            map->force[e][i] = f[e][0];
            map->slope[e][i] = e ? (near[e][0] - f[e][0]) / h : slope[0];
        }
    }
}

// one column for each engine: the force above, its slope below
static int plot_maps(trial* t, const ballRig* rig) {
    static ballMaps map;
    static const char* const names[3] = {"SCM", "MuJoCo", "ODE"};
    const int present[3] = {1, rig->mujoco != NULL, rig->ode};
    int columns = present[0] + present[1] + present[2], column = 0;
    plotPanel panels[6];
    measure_maps(rig, &map);
    for (int e = 0; e < 3; ++e) {
        if (!present[e]) continue;
        double limit = max_abs(map.force[e], SIDE * SIDE);
        plotPanel panel = {.title = names[e],
                           .style = PLOT_MAP,
                           .x = {"x [m]", -RANGE, RANGE, 0.0, 0, 0},
                           .y = {"y [m]", -RANGE, RANGE, 0.0, 0, 0},
                           .z = {"force along x [N]", -limit, limit, 0.0, 0, 0},
                           .equal_scale = 1,
                           .series_count = 1,
                           .series = {{names[e], SIDE * SIDE, map.x, map.y, map.force[e]}}};
        panels[column] = panel;
        panel.z = (plotAxis){"d force / d x [N/m]", -3.0 * limit, 3.0 * limit, 0.0, 0, 0};
        panel.series[0].z = map.slope[e];
        panels[columns + column++] = panel;
    }
    return plot_write(t, &(plotFigure){"plane", columns, 450, 330, 2 * columns, panels});
}

int experiment_scm_balls(trial* t) {
    ballRig rig;
    int code = open_rig(&rig);
    if (code == 0) {
        report_profile(t, &rig);
        report_smoothness(t, &rig);
        trial_progress(t, 0.3);
        if (t->folder) code = plot_profile(t, &rig);
        if (t->folder && code == 0) code = plot_maps(t, &rig);
    }
    close_rig(&rig);
    return code;
}
