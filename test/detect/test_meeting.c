// Laws of the first impact on the path of a step: never late, a root to rounding, the derivative
// that its header promises; and of the proof that bodies stay apart.

#include "detect/closest.h"
#include "detect/course.h"
#include "detect/hard.h"
#include "detect/pieces.h"
#include "tactus/dynamics.h"
#include "test.h"

#include <stdlib.h>

static const tacImpactLevels levels = {1e-7, 5e-8};

static int sweep(int few, int some) { return getenv("TACTUS_NO_SWEEP") ? few : some; }

typedef struct scene {
    tacModel* model;
    tacScratch* scratch;
    void* memory;
    tacPose* pose;
} scene;

static int open_scene(const char* bodies, scene* s) {
    static char text[8192];
    tacOptions options = tac_default_options();
    tacMessage message;
    snprintf(
        text, sizeof text,
        "<mujoco><tactus detect=\"gjk\" respond=\"spring\"/><worldbody>%s</worldbody></mujoco>",
        bodies);
    if (tac_load_text(text, (int)strlen(text), "text", &options, &s->model, &message) != TAC_OK) {
        printf("  %s\n", message.text);
        return 0;
    }
    s->memory = malloc(tac_hard_size(s->model));
    s->pose = malloc(sizeof *s->pose * (size_t)s->model->nbody);
    return tac_scratch_create(s->model, &s->scratch) == TAC_OK;
}

static void close_scene(scene* s) {
    tac_scratch_destroy(s->scratch), tac_model_destroy(s->model);
    free(s->memory), free(s->pose);
}

// least distance of all pairs at a time
static double distance_at(const scene* s, const tacCourse* c, double t) {
    const tacContactPlan* plan = s->model->contact;
    double least = INFINITY;
    int chain[64];
    for (int p = 0; p < plan->npair; ++p) {
        const int *geom = plan->pair[p].geom, *first = plan->piece_first;
        for (int i = first[geom[0]]; i < first[geom[0] + 1]; ++i) {
            for (int j = first[geom[1]]; j < first[geom[1] + 1]; ++j) {
                double axis[3] = {0.0};
                tacNearest near;
                tacPatchPair touch = {.pair = 0};
                tacConvex a = tac_piece_at(
                    s->model, i,
                    tac_course_body(s->model, c, t, tac_piece_body(s->model, i), chain).pose);
                tacConvex b = tac_piece_at(
                    s->model, j,
                    tac_course_body(s->model, c, t, tac_piece_body(s->model, j), chain).pose);
                tac_closest(&a, &b, axis, &near, &touch, s->memory);
                least = fmin(least, near.distance);
            }
        }
    }
    return least;
}

static const char* const shapes[] = {
    "type=\"box\" size=\".3 .2 .1\"",       "type=\"sphere\" size=\".2\"",
    "type=\"capsule\" size=\".1 .3\"",      "type=\"cylinder\" size=\".2 .1\"",
    "type=\"ellipsoid\" size=\".1 .2 .3\"", "type=\"box\" size=\".3 .3 .001\"",
};

static int before_it_apart(void) {
    testRandom random = {31};
    int count = sweep(60, 360), found = 0, exact = 0, most = 0, clear = 0, intervals = 0;
    double late = 0.0, off = 0.0;
    for (int trial = 0; trial < count; ++trial) {
        char text[1000];
        scene s;
        snprintf(text, sizeof text,
                 "<body><freejoint/><geom %s mass=\"1\"/></body>"
                 "<body><freejoint/><geom %s mass=\"1\"/></body>",
                 shapes[trial % 6], shapes[trial / 6 % 6]);
        ENSURE(open_scene(text, &s));
        double q[14] = {-1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0}, v[12], a[12];
        for (int i = 0; i < 12; ++i) v[i] = test_uniform(&random, -0.3, 0.3), a[i] = 0.0;
        for (int i = 0; i < 2; ++i) {
            v[6 * i] += i ? -1.2 : 1.2;
            for (int k = 0; k < 3; ++k) v[6 * i + 3 + k] *= 20.0;
            for (int k = 0; k < 4; ++k) q[7 * i + 3 + k] = test_uniform(&random, -1.0, 1.0);
        }
        for (int i = 0; i < 12; ++i) a[i] = trial % 2 ? test_uniform(&random, -0.5, 0.5) : 0.0;
        tacCourse c = {q, v, trial % 2 ? a : NULL, 1.0};
        tacHardImpact hit;
        ENSURE(tac_hard_impact(s.model, &c, levels, &hit, s.memory) == TAC_OK);
        double end = hit.found ? hit.time : 1.0;
        for (int i = 0; i < 60; ++i) {
            double d = distance_at(&s, &c, end * test_uniform(&random, 0.0, 1.0));
            late = fmax(late, levels.delta - d);
        }
        if (hit.found && hit.exact) off = fmax(off, fabs(distance_at(&s, &c, hit.time) - 1e-7));
        found += hit.found, exact += hit.exact, most = hit.passes > most ? hit.passes : most;
        c.span = end;
        tacClearance sure;
        ENSURE(tac_hard_clearance(s.model, &c, -1e-9, &sure, s.memory) == TAC_OK);
        clear += sure.certain, intervals += sure.intervals;
        close_scene(&s);
    }
    printf("  %d pairs, %d meet, %d to rounding, at most %d passes; late by %.1e, off by %.1e\n",
           count, found, exact, most, late, off);
    printf("  proven apart: %d, %.1f intervals each\n", clear, (double)intervals / count);
    ENSURE(late <= 1e-12 && off <= 1e-13 && clear == count);
    return 0;
}

TEST_MAIN(RUN(before_it_apart))
