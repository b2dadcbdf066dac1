// A T pushed in the plane by a finger, open loop (paper 000, Fig. 6 and Table 7).
//
// The paper's control sequences are not published. The five below were made by hand; each makes and
// breaks contact at least twice. The T (25 x 20 x 5 cm, 0.3 kg) has two slide joints and a hinge
// with viscous friction, 3 N s/m and 0.02 N m s, in both engines; the finger is a ball of 1.5 cm
// and 0.2 kg on two slides with servos of 100 N/m and 5 N s/m, a cloud of 384 points. k = 2000 N/m,
// mu = 0.3, v_d = 0.2, v_s = 0.01 m/s, eps2 = 1 mm, eps3 = 0.5 mm, eps1 = (h/2)^2 of the T, of 26
// points 2 l eps3 with the l of the finger. In MuJoCo the T is two boxes. Euler is semi-implicit,
// as in MuJoCo. Times are CPU times. Meshes are those of scenes/.

#define _GNU_SOURCE
#include "bench/baselines/other_engines.h"
#include "cli/clock.h"
#include "cli/scene/scene_folder.h"
#include "experiments/experiments.h"
#include "experiments/plot.h"
#include "experiments/trial_film.h"

#include "base/assert.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

//---------------------------------- sequences ------------------------------------

// target of the finger: (x, y) at time t
typedef struct pushPoint {
    double t, x, y;
} pushPoint;

enum { SEQUENCES = 5, POINTS = 8 };

static const pushPoint sequences[SEQUENCES][POINTS] = {
    // the foot upwards, then the left end of the bar to the right
    {{0, 0, -.2},
     {1, 0, -.08},
     {1.3, 0, -.16},
     {1.9, -.21, -.16},
     {2.4, -.21, .1},
     {3.4, -.08, .1},
     {3.8, -.21, .1},
     {4.2, -.21, .1}},
    // the bar from above, right of the middle, then left of it
    {{0, .1, .14},
     {.8, .1, .03},
     {1.2, .1, .15},
     {1.8, -.1, .18},
     {2.8, -.1, 0},
     {3.2, -.1, .2},
     {3.8, -.1, .2},
     {4.2, -.1, .2}},
    // the stem from the right, then from the left
    {{0, .1, -.1},
     {1, -.03, -.1},
     {1.4, .1, -.12},
     {1.9, .1, -.26},
     {2.5, -.22, -.26},
     {3, -.22, -.05},
     {3.8, -.07, -.05},
     {4.2, -.22, -.05}},
    // the bar from below, left of the stem, then right of it
    {{0, -.08, -.1},
     {1, -.08, .06},
     {1.4, -.08, -.1},
     {1.8, -.08, -.2},
     {2.4, .1, -.2},
     {3.3, .1, .05},
     {3.7, .1, -.1},
     {4.2, .1, -.1}},
    // the left end of the bar, then a slanting push from above
    {{0, -.2, .03},
     {1, -.09, .03},
     {1.3, -.2, .03},
     {1.8, -.2, .17},
     {2.3, .02, .17},
     {3.3, .08, .02},
     {3.7, .08, .17},
     {4.2, .08, .17}},
};

// displacement of the servos from the start of the finger
static void command_at(const pushPoint* s, double t, double ctrl[2]) {
    int i = 0;
    while (i + 2 < POINTS && s[i + 1].t <= t) ++i;
    double w = fmin(1.0, (t - s[i].t) / (s[i + 1].t - s[i].t));
    ctrl[0] = s[i].x + w * (s[i + 1].x - s[i].x) - s[0].x;
    ctrl[1] = s[i].y + w * (s[i + 1].y - s[i].y) - s[0].y;
}

//---------------------------------- scenes ---------------------------------------

typedef struct pushColumn {
    const char* name;
    double step; // [s]
    int euler, coarse;
    double paper[6]; // SCM ms, MJX ms, distance cm and its deviation, angle deg and its deviation
} pushColumn;

static const pushColumn columns[] = {
    {"2-RK-4k", 0.002, 0, 0, {17.9, 12.5, 1.2, 1.0, 10.8, 10.3}},
    {"8-RK-4k", 0.008, 0, 0, {18.6, 13.1, 1.3, 1.6, 12.5, 9.1}},
    {"16-RK-4k", 0.016, 0, 0, {17.7, 13.7, 4.6, 3.7, 29.4, 18.3}},
    {"2-RK-26", 0.002, 0, 1, {13.5, 12.5, 2.1, 0.7, 6.8, 2.7}},
    {"8-RK-26", 0.008, 0, 1, {14.6, 13.1, 2.4, 1.6, 11.4, 6.5}},
    {"16-RK-26", 0.016, 0, 1, {15.6, 13.7, 6.3, 5.4, 26.6, 25.3}},
    {"2-Euler-4k", 0.002, 1, 0, {0.9, 4.2, 6.7, 2.9, 42.3, 18.2}},
    {"2-Euler-26", 0.002, 1, 1, {0.8, 4.2, 11.2, 5.7, 46.2, 34.3}},
};

// `tactus` 1: for the soft contact model, 0: for MuJoCo
static char* scene_text(const pushColumn* c, const pushPoint* start, int tactus) {
    static const char inertial[] = "<inertial pos='0 0 0' mass='%s' diaginertia='%s'/>";
    char *text = NULL, block[200], finger[200];
    snprintf(block, sizeof block, inertial, "0.3", "0.001 0.001 0.001953125");
    snprintf(finger, sizeof finger, inertial, "0.2", "1e-4 1e-4 1e-4");
    const char* eps1 = c->coarse ? "3.5355339e-5" : "5.1652893e-6";
    const char* mesh = c->coarse ? "t_26.obj" : "t_4k.obj";
    int size = asprintf(
        &text,
        "<mujoco><compiler angle='radian'/><option timestep='%g' gravity='0 0 0' integrator='%s'/>"
        "%s%s%s%s%s<default><geom friction='0.3'/></default><worldbody><body>"
        "<joint type='slide' axis='1 0 0' damping='3'/><joint type='slide' axis='0 1 0' "
        "damping='3'/>"
        "<joint type='hinge' axis='0 0 1' damping='0.02'/>%s%s</body><body pos='%g %g 0'>"
        "<joint name='x' type='slide' axis='1 0 0' damping='5'/>"
        "<joint name='y' type='slide' axis='0 1 0' damping='5'/>%s%s</body></worldbody><actuator>"
        "<position joint='x' kp='100'/><position joint='y' kp='100'/></actuator></mujoco>",
        c->step, c->euler ? "Euler" : "RK4",
        tactus ? "<tactus respond='scm' refine='false' implicit='false' stiffness='2000' "
                 "dissipation='0.2' "
                 "stiction='0.01' eps1='"
               : "",
        tactus ? eps1 : "",
        tactus ? "' eps2='1e-3' eps3='5e-4'/><asset><mesh name='ball' file='ball.obj'/>"
                 "<mesh name='t' file='"
               : "",
        tactus ? mesh : "", tactus ? "'/></asset>" : "", block,
        tactus ? "<geom type='mesh' mesh='t'/>"
               : "<geom type='box' size='.125 .025 .025' pos='0 .0375 0'/>"
                 "<geom type='box' size='.025 .075 .025' pos='0 -.0625 0'/>",
        start->x, start->y, finger,
        tactus ? "<geom type='mesh' mesh='ball'/>" : "<geom size='.015'/>");
    return size < 0 ? NULL : text;
}

//---------------------------------- runs -----------------------------------------

enum { SAMPLES = 264 }; // each 16 ms

// ways of the T and of the finger's target, for the plot
typedef struct pushWay {
    double x[SAMPLES], y[SAMPLES];
    int count;
} pushWay;

static void add_sample(pushWay* way, double x, double y) {
    if (!way || way->count == SAMPLES) return;
    way->x[way->count] = x;
    way->y[way->count++] = y;
}

// what a run shows; all may be NULL
typedef struct pushShow {
    pushWay *scm, *mujoco;
    trialFilm* film; // states of the run with SCM
} pushShow;

// result of a run: final pose of the T, time, contacts
typedef struct pushRun {
    double x, y, angle;
    double seconds; // of a step
    int episodes;   // number of times that contact was made
    int done;       // 0: not run, or diverged
} pushRun;

static int steps_of(const pushColumn* c) { return (int)lround(4.2 / c->step); }

static int sample_interval(const pushColumn* c) { return (int)lround(0.016 / c->step); }

static void run_mujoco(const pushColumn* c, const pushPoint* s, pushWay* way, pushRun* out) {
    char* text = scene_text(c, s, 0);
    mujocoWorld* world = text ? mujoco_world_open(text) : NULL;
    int was_in_contact = 0, steps = steps_of(c);
    *out = (pushRun){0};
    for (int i = 0; i < steps && world; ++i) {
        double ctrl[2], begin = cli_cpu_seconds();
        command_at(s, i * c->step, ctrl);
        int contacts = mujoco_world_step(world, ctrl, 2);
        out->seconds += (cli_cpu_seconds() - begin) / steps;
        out->episodes += contacts > 0 && !was_in_contact;
        was_in_contact = contacts > 0;
        const double* q = mujoco_world_qpos(world);
        if (i % sample_interval(c) == 0) add_sample(way, q[0], q[1]);
    }
    if (world) {
        const double* q = mujoco_world_qpos(world);
        *out = (pushRun){q[0], q[1], q[2], out->seconds, out->episodes, 1};
    }
    mujoco_world_close(world);
    free(text);
}

// 1 if the force between T and finger exceeds 0.02 N
static int scm_in_contact(const tacModel* m, const tacState* x, tacScratch* scratch) {
    tacPose pose[3];
    double twist[18];
    tacPairForce force[4];
    int count = 0;
    tac_kinematics(m, x->qpos, x->qvel, pose, twist, scratch);
    tacKinematics k = {.pose = pose, .twist = twist};
    if (tac_force(m, &k, NULL, force, &count, scratch) != TAC_OK) return 0;
    double square = 0.0;
    for (int i = 0; i < 2; ++i) square += force[0].wrench[i] * force[0].wrench[i];
    return square > 4e-4;
}

// four states of the run, evenly in time
static void film_state(const pushShow* show, const tacModel* m, const double* q, int i, int steps) {
    char caption[32];
    if (!show->film || i % (steps / 3)) return;
    snprintf(caption, sizeof caption, "at %.1f s", 4.2 * i / steps);
    trial_film_add(show->film, m, q, caption);
}

// the models of one run
typedef struct pushModel {
    tacModel* m;
    tacScratch* scratch;
} pushModel;

static void simulate_push(const pushColumn* c, const pushPoint* s, pushModel with,
                          const pushShow* show, pushRun* out) {
    const tacModel* m = with.m;
    tacScratch* scratch = with.scratch;
    double q[5] = {0}, v[5] = {0};
    tacState x = {.qpos = q, .qvel = v};
    int was_in_contact = 0, steps = steps_of(c);
    for (int i = 0; i < steps; ++i) {
        film_state(show, m, q, i, steps);
        double ctrl[2], begin = cli_cpu_seconds();
        command_at(s, i * c->step, ctrl);
        if (tac_step(m, &x, ctrl, &x, scratch) != TAC_OK) return;
        out->seconds += (cli_cpu_seconds() - begin) / steps;
        if (i % sample_interval(c)) continue;
        add_sample(show->scm, q[0], q[1]);
        int is_in_contact = scm_in_contact(m, &x, scratch);
        out->episodes += is_in_contact && !was_in_contact;
        was_in_contact = is_in_contact;
    }
    film_state(show, m, q, 3 * (steps / 3), steps);
    out->x = q[0];
    out->y = q[1];
    out->angle = q[2];
    out->done = 1;
}

static int run_scm(const pushColumn* c, const pushPoint* s, const pushShow* show, pushRun* out) {
    char *text = scene_text(c, s, 1), path[4200];
    pushModel with = {0};
    tacMessage message = {0};
    tacOptions options = tac_default_options();
    *out = (pushRun){0};
    options.triangles = show->film != NULL;
    cli_scene_path("t_26.obj", path, sizeof path); // names the folder of the meshes
    tacResult result =
        text ? tac_load_text(text, (int)strlen(text), path, &options, &with.m, &message)
             : TAC_ERROR_MEMORY;
    if (result == TAC_OK) result = tac_scratch_create(with.m, &with.scratch);
    if (result == TAC_OK) simulate_push(c, s, with, show, out);
    tac_scratch_destroy(with.scratch);
    tac_model_destroy(with.m);
    free(text);
    if (result == TAC_OK) return 0;
    return cli_error("reproduce", "scm-push: %s; set TACTUS_SCENES to the folder of the scenes",
                     *message.text ? message.text : tac_result_text(result));
}

//---------------------------------- table ----------------------------------------

typedef struct pushMean {
    double mean, deviation;
} pushMean;

static pushMean mean_of(const double x[SEQUENCES]) {
    pushMean m = {0.0, 0.0};
    for (int i = 0; i < SEQUENCES; ++i) m.mean += x[i] / SEQUENCES;
    for (int i = 0; i < SEQUENCES; ++i)
        m.deviation += (x[i] - m.mean) * (x[i] - m.mean) / SEQUENCES;
    m.deviation = sqrt(m.deviation);
    return m;
}

static void report_value(trial* t, const pushColumn* c, const char* what, double value,
                         const char* unit) {
    char id[96];
    snprintf(id, sizeof id, "%s: %s", c->name, what);
    trial_report(t, id, value, unit);
}

static void report_column(trial* t, const pushColumn* c, const pushRun scm[SEQUENCES],
                          const pushRun mujoco[SEQUENCES]) {
    double distance[SEQUENCES], angle[SEQUENCES], time[2] = {0.0, 0.0};
    int done = 0, mujoco_done = 0, min[2] = {100, 100};
    for (int i = 0; i < SEQUENCES; ++i) {
        distance[i] = 100.0 * hypot(scm[i].x - mujoco[i].x, scm[i].y - mujoco[i].y);
        angle[i] = fabs(scm[i].angle - mujoco[i].angle) * 57.29577951308232;
        time[0] += 1e3 * scm[i].seconds / SEQUENCES;
        time[1] += 1e3 * mujoco[i].seconds / SEQUENCES;
        done += scm[i].done;
        mujoco_done += mujoco[i].done;
        min[0] = min[0] < scm[i].episodes ? min[0] : scm[i].episodes;
        min[1] = min[1] < mujoco[i].episodes ? min[1] : mujoco[i].episodes;
    }
    char id[96];
    snprintf(id, sizeof id, "%s: sequences that end finite", c->name);
    trial_expect_at_least(t, id, done, "", SEQUENCES);
    snprintf(id, sizeof id, "%s: contacts made, least of a sequence", c->name);
    trial_expect_at_least(t, id, min[0], "", 2);
    report_value(t, c, "SCM step", time[0], "ms");
    if (mujoco_done < SEQUENCES) {
        trial_note(t, "MuJoCo is not installed: no comparison");
        return;
    }
    snprintf(id, sizeof id, "%s: contacts made in MuJoCo, least", c->name);
    trial_expect_at_least(t, id, min[1], "", 2);
    pushMean d = mean_of(distance), a = mean_of(angle);
    report_value(t, c, "MuJoCo step", time[1], "ms");
    report_value(t, c, "distance of end poses", d.mean, "cm");
    report_value(t, c, "its deviation", d.deviation, "cm");
    report_value(t, c, "angle of end poses", a.mean, "deg");
    report_value(t, c, "its deviation", a.deviation, "deg");
    report_value(t, c, "paper: SCM step, on its GPU", c->paper[0], "ms");
    report_value(t, c, "paper: MJX step, on its GPU", c->paper[1], "ms");
    report_value(t, c, "paper: distance of end poses", c->paper[2], "cm");
    report_value(t, c, "paper: angle of end poses", c->paper[4], "deg");
}

//---------------------------------- pictures -------------------------------------

typedef struct pushPictures {
    trialFilm film;
    pushWay scm[SEQUENCES], mujoco[SEQUENCES];
    double target[SEQUENCES][2][POINTS];
} pushPictures;

// ways of the first column, a panel for each sequence
static int plot_ways(trial* t, pushPictures* p) {
    static const char* const titles[SEQUENCES] = {"push 1", "push 2", "push 3", "push 4", "push 5"};
    plotPanel panels[SEQUENCES];
    for (int i = 0; i < SEQUENCES; ++i) {
        for (int k = 0; k < POINTS; ++k) {
            p->target[i][0][k] = sequences[i][k].x;
            p->target[i][1][k] = sequences[i][k].y;
        }
        const pushWay *scm = &p->scm[i], *mujoco = &p->mujoco[i];
        panels[i] =
            (plotPanel){.title = titles[i],
                        .x = {"x [m]", -0.3, 0.3, 0.1, 0, 0},
                        .y = {"y [m]", -0.3, 0.3, 0.1, 0, 0},
                        .equal_scale = 1,
                        .series_count = 3,
                        .series = {{"T by SCM", scm->count, scm->x, scm->y, NULL},
                                   {"T by MuJoCo", mujoco->count, mujoco->x, mujoco->y, NULL},
                                   {"finger", POINTS, p->target[i][0], p->target[i][1], NULL}}};
    }
    return plot_write(t, &(plotFigure){"ways", 3, 380, 380, SEQUENCES, panels});
}

static int run_column(trial* t, int k, pushPictures* pictures) {
    pushRun scm[SEQUENCES], mujoco[SEQUENCES];
    for (int i = 0; i < SEQUENCES; ++i) {
        pushShow show = {0};
        if (pictures) show = (pushShow){&pictures->scm[i], &pictures->mujoco[i], NULL};
        if (pictures && i == 0) show.film = &pictures->film;
        run_mujoco(&columns[k], sequences[i], show.mujoco, &mujoco[i]);
        int code = run_scm(&columns[k], sequences[i], &show, &scm[i]);
        if (code != 0) return code;
        trial_progress(t, (k + (i + 1.0) / SEQUENCES) / TAC_COUNT(columns));
    }
    report_column(t, &columns[k], scm, mujoco);
    return 0;
}

// pictures are those of the first column
int experiment_scm_push(trial* t) {
    static pushPictures pictures;
    pictures = (pushPictures){0};
    int code = trial_film_begin(t, &pictures.film, 4, 1, 260, 240);
    if (code == 0) code = run_column(t, 0, t->folder ? &pictures : NULL);
    code = trial_film_end(&pictures.film, code, "states");
    if (code == 0 && t->folder) code = plot_ways(t, &pictures);
    for (int k = 1; k < TAC_COUNT(columns) && code == 0; ++k) code = run_column(t, k, NULL);
    return code;
}
