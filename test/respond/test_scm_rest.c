// Bodies at rest under the soft-minimum contact model: scenes of scenes/, stepped.

#include "test.h"

#include "tactus/tactus.h"

#include <stdlib.h>

typedef struct restRun {
    tacModel* model;
    tacScratch* scratch;
    double qpos[32], qvel[32], ctrl[8];
    tacState x;
} restRun;

static int open_run(restRun* r, const char* scene) {
    char path[512];
    tacMessage message = {0};
    snprintf(path, sizeof path, "%s/scenes/%s", TAC_SOURCE_DIR, scene);
    *r = (restRun){0};
    if (tac_load(path, NULL, &r->model, &message) != TAC_OK) printf("  %s\n", message.text);
    ENSURE(r->model && r->model->nq <= 32);
    ENSURE(tac_scratch_create(r->model, &r->scratch) == TAC_OK);
    for (int i = 0; i < r->model->nq; ++i) r->qpos[i] = r->model->qpos0[i];
    r->x = (tacState){.qpos = r->qpos, .qvel = r->qvel};
    return 0;
}

static void close_run(restRun* r) {
    tac_scratch_destroy(r->scratch);
    tac_model_destroy(r->model);
}

static int run_for(restRun* r, double seconds) {
    int steps = (int)lround(seconds / r->model->param[r->model->timestep]);
    for (int i = 0; i < steps; ++i)
        ENSURE(tac_step(r->model, &r->x, r->ctrl, &r->x, r->scratch) == TAC_OK);
    return 0;
}

static double largest_speed(const restRun* r) {
    double most = 0.0;
    for (int i = 0; i < r->model->nv; ++i) most = fmax(most, fabs(r->qvel[i]));
    return most;
}

// what a proof takes: all with TACTUS_SWEEP=long, least under TACTUS_NO_SWEEP
static double seconds_of(double most, double usual, double least) {
    const char* full = getenv("TACTUS_SWEEP");
    if (full && strcmp(full, "long") == 0) return most;
    return getenv("TACTUS_NO_SWEEP") ? least : usual;
}

// the angle by which a free body has turned since `from`
static double rotation_angle(const double* q, const double* from) {
    double dot = fabs(q[3] * from[3] + q[4] * from[4] + q[5] * from[5] + q[6] * from[6]);
    return 2.0 * acos(fmin(1.0, dot));
}

// Two ends carry a third and two thirds of the weight, at different depths, and nothing moves but
// by the creep of friction: 0.15 um/s.
static int horseshoe_rests_on_two_ends(void) {
    restRun r;
    ENSURE_LAW(open_run(&r, "horseshoe.xml"));
    double from[7], seconds = seconds_of(10.0, 0.3, 0.05), settled = seconds_of(0.7, 0.7, 0.35);
    ENSURE_LAW(run_for(&r, settled));
    memcpy(from, r.qpos, sizeof from);
    ENSURE_LAW(run_for(&r, seconds));
    // lower edge of each end in the world, from the pose: legs at x = -+ 0.06
    const double* q = r.qpos;
    double lean = 2.0 * (q[4] * q[6] - q[3] * q[5]); // z of the body's x axis
    double depth[2] = {0.05 - (q[2] - 0.06 * lean), 0.05 - (q[2] + 0.06 * lean)};
    printf("  depths of the ends %.3f and %.3f mm, largest velocity %.1e\n", 1e3 * depth[0],
           1e3 * depth[1], largest_speed(&r));
    ENSURE(depth[1] > depth[0] + 2e-4 && depth[0] > -1e-3 && depth[1] < 0.003);
    double moved = hypot(hypot(q[0] - from[0], q[1] - from[1]), q[2] - from[2]);
    printf("  in %g s it moves %.1e m and turns %.1e\n", seconds, moved, rotation_angle(q, from));
    double most = settled < 0.7 ? 7e-5 : 1e-5; // it settles with a time of 0.13 s
    ENSURE(moved < 1e-6 + 1e-6 * seconds + 0.1 * most);
    ENSURE(rotation_angle(q, from) < most && largest_speed(&r) < most);
    close_run(&r);
    return 0;
}

// no drift of 1 mm, no turn
static int box_rests(const char* scene, double seconds) {
    restRun r;
    double from[7], settled = 0.3 * fmin(1.0, seconds);
    ENSURE_LAW(open_run(&r, scene));
    ENSURE_LAW(run_for(&r, settled));
    memcpy(from, r.qpos, sizeof from);
    ENSURE_LAW(run_for(&r, seconds - settled));
    double drift = hypot(r.qpos[0] - 0.02, r.qpos[1] + 0.01);
    printf("  in %g s drift %.2e m, height changed by %.1e m, turned %.1e, velocity %.1e\n",
           seconds, drift, r.qpos[2] - from[2], rotation_angle(r.qpos, from), largest_speed(&r));
    ENSURE(drift < 1e-4 * fmax(seconds, 2.0) && fabs(r.qpos[2] - from[2]) < 1e-3);
    ENSURE(rotation_angle(r.qpos, from) < 1e-3);
    close_run(&r);
    return 0;
}

static int box_rests_on_a_field(void) {
    return box_rests("box_on_box.xml", seconds_of(10.0, 1.0, 0.12));
}

static int box_rests_on_soft_points(void) {
    return box_rests("box_on_box_points.xml", seconds_of(10.0, 10.0, 2.0));
}

// clouds of other spacings: the box settles, and then neither slides nor leaps up
static int box_rests_on_points_of_finer_clouds(void) {
    static const int points[] = {24, 54, 96, 150};
    for (int i = 0; i < 4; ++i) {
        char text[700];
        restRun r = {0};
        snprintf(text, sizeof text,
                 "<mujoco><tactus detect='ssdf' respond='spring' points='%d' "
                 "soft_points='8'/><worldbody>"
                 "<geom type='box' size='.1 .1 .05'/><body pos='.01 .02 .1'><freejoint/><geom "
                 "type='box' size='.06 .05 .05' mass='2'/></body></worldbody></mujoco>",
                 points[i]);
        ENSURE(tac_load_text(text, (int)strlen(text), "text", NULL, &r.model, NULL) == TAC_OK);
        ENSURE(tac_scratch_create(r.model, &r.scratch) == TAC_OK);
        double from[7], seconds = seconds_of(10.0, 6.0, 4.0);
        memcpy(r.qpos, r.model->qpos0, sizeof from);
        r.x = (tacState){.qpos = r.qpos, .qvel = r.qvel};
        ENSURE_LAW(run_for(&r, 1.0));
        memcpy(from, r.qpos, sizeof from);
        ENSURE_LAW(run_for(&r, seconds - 1.0));
        double moved = hypot(hypot(r.qpos[0] - from[0], r.qpos[1] - from[1]), r.qpos[2] - from[2]);
        printf("  %d points: in %g s it moves %.1e m and turns %.1e, velocity %.1e\n", points[i],
               seconds - 1.0, moved, rotation_angle(r.qpos, from), largest_speed(&r));
        ENSURE(moved < 1e-3 && rotation_angle(r.qpos, from) < 0.01 && largest_speed(&r) < 0.02);
        close_run(&r);
    }
    return 0;
}

//---------------------------------- defaults -------------------------------------

// a box of any size and mass somewhere on a larger one, not over its edges, turned about z
static void write_boxes(char* text, size_t capacity, const char* words, testRandom* random) {
    double a[3], b[3], s = 0.03 * pow(30.0, test_uniform(random, 0.0, 1.0));
    for (int i = 0; i < 3; ++i) {
        a[i] = s * test_uniform(random, i < 2 ? 0.6 : 0.3, i < 2 ? 1.2 : 0.8);
        b[i] = s * test_uniform(random, i < 2 ? 0.3 : 0.2, i < 2 ? 0.7 : 0.6);
    }
    double x = 0.3 * test_uniform(random, -1.0, 1.0), y = 0.3 * test_uniform(random, -1.0, 1.0);
    double mass = 0.01 * pow(1000.0, test_uniform(random, 0.0, 1.0));
    double yaw = test_uniform(random, -45.0, 45.0);
    snprintf(text, capacity,
             "<mujoco><tactus %s/><worldbody><geom type='box' size='%.17g %.17g %.17g'/><body "
             "pos='%.17g %.17g %.17g' euler='0 0 %g'><freejoint/><geom type='box' "
             "size='%.17g %.17g %.17g' mass='%.17g'/></body></worldbody></mujoco>",
             words, a[0], a[1], a[2], x * fmax(a[0] - b[0], 0.0), y * fmax(a[1] - b[1], 0.0),
             a[2] + b[2], yaw < 0.0 ? 0.0 : yaw, b[0], b[1], b[2], mass);
}

static int open_text(restRun* r, const char* text) {
    tacMessage message = {0};
    *r = (restRun){0};
    if (tac_load_text(text, (int)strlen(text), "text", NULL, &r->model, &message) != TAC_OK)
        printf("  %s\n", message.text);
    ENSURE(r->model && tac_scratch_create(r->model, &r->scratch) == TAC_OK);
    for (int i = 0; i < r->model->nq; ++i) r->qpos[i] = r->model->qpos0[i];
    r->x = (tacState){.qpos = r->qpos, .qvel = r->qvel};
    return 0;
}

// No number of contact is given. The bounds are those of 10 s: a shorter run has its creep go on.
static int boxes_rest(const char* words, int count, double seconds) {
    double most[2] = {0.0, 0.0};
    testRandom random = {7};
    for (int i = 0; i < count; ++i) {
        char text[700];
        restRun r;
        double from[7], settled[7], settling = 0.2 * seconds;
        write_boxes(text, sizeof text, words, &random);
        ENSURE_LAW(open_text(&r, text));
        memcpy(from, r.qpos, sizeof from);
        ENSURE_LAW(run_for(&r, settling));
        memcpy(settled, r.qpos, sizeof settled);
        ENSURE_LAW(run_for(&r, seconds - settling));
        double rest = (10.0 - seconds) / (seconds - settling), *q = r.qpos;
        double drift = hypot(q[0] - from[0], q[1] - from[1]) +
                       rest * hypot(q[0] - settled[0], q[1] - settled[1]);
        double rot = rotation_angle(q, from) + rest * rotation_angle(q, settled);
        if (drift > 1e-3 || rot > 0.01)
            printf("  box %d drifts %.1e m and turns %.1e in 10 s: %s\n", i, drift, rot, text);
        most[0] = fmax(most[0], drift);
        most[1] = fmax(most[1], rot);
        close_run(&r);
    }
    printf("  %d boxes, %s: in 10 s they drift %.2e m and turn %.1e at most\n", count, words,
           most[0], most[1]);
    ENSURE(most[0] < 1e-3 && most[1] < 0.01);
    return 0;
}

static int boxes_rest_by_defaults(void) {
    int many = seconds_of(1.0, 0.0, 0.0) > 0.5;
    double seconds = many ? 10.0 : seconds_of(10.0, 1.5, 1.0);
    if (getenv("TACTUS_NO_SWEEP")) return 0;
    ENSURE_LAW(boxes_rest("respond='scm'", many ? 20 : 4, seconds));
    return boxes_rest("detect='ssdf' respond='spring' points='150'", many ? 20 : 3, 10.0);
}

// plates and rods sink by a share of their thickness, not of their length
static int thin_bodies_do_not_sink(void) {
    static const char* const geoms[] = {"type='box' size='.5 .5 .01'",
                                        "type='box' size='.5 .02 .02'",
                                        "type='cylinder' size='.3 .02'"};
    static const double half[] = {0.01, 0.02, 0.02};
    for (int i = 0; i < 6; ++i) {
        char text[500];
        restRun r;
        snprintf(text, sizeof text,
                 "<mujoco><option timestep='%g'/><tactus respond='scm'/><worldbody><geom "
                 "type='plane' size='1 1 1'/><body pos='0 0 %g'><freejoint/><geom %s mass='1'/>"
                 "</body></worldbody></mujoco>",
                 i < 3 ? 0.002 : 0.01, half[i % 3], geoms[i % 3]);
        ENSURE_LAW(open_text(&r, text));
        ENSURE_LAW(run_for(&r, 1.0));
        double depth = (half[i % 3] - r.qpos[2]) / half[i % 3];
        printf("  %s, %g s: sinks %.3f of half its thickness\n", geoms[i % 3], i < 3 ? 0.002 : 0.01,
               depth);
        ENSURE(depth > -0.02 && depth < 0.15 && largest_speed(&r) < 1e-3);
        close_run(&r);
    }
    return 0;
}

TEST_MAIN(RUN(horseshoe_rests_on_two_ends), RUN(box_rests_on_a_field),
          RUN(box_rests_on_soft_points), RUN(box_rests_on_points_of_finer_clouds),
          RUN(boxes_rest_by_defaults), RUN(thin_bodies_do_not_sink))
