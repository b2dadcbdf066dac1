// Two figures of superquadrics at random poses.

#define _GNU_SOURCE
#include "experiments/figure_pair.h"
#include "cli/clock.h"
#include "cli/random.h"

#include "base/pool.h"
#include "bench/baselines/figure_baseline.h"
#include "math/pose.h"

#include <math.h>
#include <string.h>

// those of scenes/figure.xml
static const char* const part_text[FIGURE_PARTS] = {
    "size='.17 .13 .20' eps='.7 .8' pos='0 0 .62'",
    "size='.15 .14 .16' eps='.9 .9' pos='0 .01 .40' euler='6 0 0'",
    "size='.14 .10 .10' eps='.6 .7' pos='0 -.03 .27'",
    "size='.09 .10 .11' eps='.8 .8' pos='0 .02 .90' euler='6 0 0'",
    "size='.05 .09 .05' eps='.9 .9' pos='0 .13 .86' euler='-12 0 0'",
    "size='.02 .04 .10' eps='.5 .8' pos='.09 -.02 1.02' euler='0 28 0'",
    "size='.02 .04 .10' eps='.5 .8' pos='-.09 -.02 1.02' euler='0 -28 0'",
    "size='.06 .06 .14' eps='.8 .9' pos='.26 0 .72' euler='0 -58 0'",
    "size='.06 .06 .14' eps='.8 .9' pos='-.26 0 .72' euler='0 58 0'",
    "size='.05 .05 .13' eps='.6 .8' pos='.39 .09 .73' euler='-52 -22 0'",
    "size='.05 .05 .13' eps='.6 .8' pos='-.39 .09 .73' euler='-52 22 0'",
    "size='.06 .09 .03' eps='.4 .5' pos='.46 .22 .82' euler='28 0 -18'",
    "size='.06 .09 .03' eps='.4 .5' pos='-.46 .22 .82' euler='28 0 18'",
    "size='.09 .09 .16' eps='.9 .9' pos='.12 .02 .18' euler='-18 -18 0'",
    "size='.09 .09 .16' eps='.9 .9' pos='-.12 .02 .18' euler='-18 18 0'",
    "size='.08 .14 .05' eps='.5 .5' pos='.17 .10 .05' euler='0 0 -12'",
    "size='.08 .14 .05' eps='.5 .5' pos='-.17 .10 .05' euler='0 0 12'",
    "size='.05 .20 .05' eps='.8 .8' pos='0 -.24 .20' euler='28 0 0'",
};

int figure_open(contactScene* s, int parts, int vertices, const char* options) {
    char nodes[4000], *at = nodes;
    for (int i = 0; i < parts; ++i)
        at += snprintf(at, (size_t)(nodes + sizeof nodes - at), "<superquadric %s/>", part_text[i]);
    static const char body[] =
        "<body><freejoint/><inertial pos='0 0 .5' mass='40' diaginertia='4 4 "
        "2'/><geom type='shape' shape='figure'/></body>";
    return contact_scene_open(
        s,
        "<mujoco><compiler angle='degree' eulerseq='XYZ'/><tactus tau='.003' "
        "vertices='%d' %s/><asset><shape name='figure' smooth='.003'>%s</shape>"
        "</asset><worldbody>%s%s</worldbody></mujoco>",
        vertices, options, nodes, body, body);
}

//---------------------------------- poses ----------------------------------------

// a random rotation about the middle, (0, 0, 1/2), and a shift of 0.28 to 0.77 m
void figure_set_pose(contactScene* s, int i) {
    const double two_pi = 6.283185307179586;
    unsigned long long state = 1000ull + (unsigned long long)i;
    for (int k = 0; k < 4; ++k) cli_random_lcg(&state);
    double u = cli_random_lcg(&state), v = two_pi * cli_random_lcg(&state),
           w = two_pi * cli_random_lcg(&state);
    double a = sqrt(1.0 - u), b = sqrt(u);
    tacQuat q = {a * sin(v), a * cos(v), b * sin(w), b * cos(w)};
    double z = 2.0 * cli_random_lcg(&state) - 1.0, f = two_pi * cli_random_lcg(&state),
           k = sqrt(1.0 - z * z);
    double r = 0.7 * (0.4 + 0.7 * cli_random_lcg(&state));
    tacVec3 middle = {r * k * cos(f), r * k * sin(f), 0.5 + r * z};
    tacVec3 position = tac_sub(middle, tac_quat_rotate(q, tac_vec3(0.0, 0.0, 0.5)));
    const double qpos[14] = {0,          0,          0,          1,   0,   0,   0,
                             position.x, position.y, position.z, q.w, q.x, q.y, q.z};
    memcpy(s->qpos, qpos, sizeof qpos);
}

//---------------------------------- times ----------------------------------------

static double time_poses(contactScene* s, int gradient, figureTimes* out) {
    double total = 0.0;
    out->records = out->in_contact = 0.0;
    for (int i = 0; i < FIGURE_POSES; ++i) {
        double wrench[18] = {0};
        figure_set_pose(s, i);
        double start = cli_cpu_seconds();
        if (gradient)
            contact_scene_gradient(s, wrench);
        else
            contact_scene_detect(s);
        total += 1e6 * (cli_cpu_seconds() - start);
        out->records += s->contacts->count / (double)FIGURE_POSES;
        out->in_contact += (s->contacts->count > 0) / (double)FIGURE_POSES;
    }
    return total / FIGURE_POSES;
}

figureTimes figure_times(contactScene* s, int sweeps) {
    figureTimes t = {.detect = INFINITY, .gradient = INFINITY};
    for (int i = 0; i < sweeps; ++i) {
        t.detect = fmin(t.detect, time_poses(s, 0, &t));
        t.gradient = fmin(t.gradient, time_poses(s, 1, &t));
    }
    return t;
}

double figure_mujoco_time(contactScene* s, int sweeps) {
    mujocoBaseline* mujoco = figure_baseline_open(&mujoco_api, s->model);
    double best = INFINITY;
    for (int k = 0; k < sweeps && mujoco; ++k) {
        double total = 0.0;
        for (int i = 0; i < FIGURE_POSES; ++i) {
            figure_set_pose(s, i);
            mujoco_baseline_set_qpos(mujoco, s->qpos);
            double start = cli_cpu_seconds();
            mujoco_baseline_collide(mujoco);
            total += 1e6 * (cli_cpu_seconds() - start);
        }
        best = fmin(best, total / FIGURE_POSES);
    }
    mujoco_baseline_close(mujoco);
    return mujoco ? best : NAN;
}

//---------------------------------- batches --------------------------------------

typedef struct batchWork {
    contactScene* scenes; // one for each thread
    int batch, gradient;
    int first; // pose of the batch
} batchWork;

enum { CHUNK = 8 }; // poses of a job

static void run_job(void* context, int job, int worker) {
    const batchWork* w = context;
    contactScene* s = &w->scenes[worker];
    for (int i = CHUNK * job; i < CHUNK * (job + 1) && i < w->batch; ++i) {
        double wrench[18] = {0};
        figure_set_pose(s, (w->first + i) % FIGURE_POSES);
        if (w->gradient)
            contact_scene_gradient(s, wrench);
        else
            contact_scene_detect(s);
    }
}

// small batches are repeated at many poses
static double batch_time(tacPool* pool, batchWork* w) {
    int repeats = w->batch < 256 ? 256 / w->batch : 1;
    double best = INFINITY;
    for (int k = 0; k < 3; ++k) {
        double start = cli_wall_seconds();
        for (int i = 0; i < repeats; ++i) {
            w->first = i * w->batch;
            tac_pool_run(pool, (w->batch + CHUNK - 1) / CHUNK, run_job, w);
        }
        best = fmin(best, 1e6 * (cli_wall_seconds() - start) / repeats / w->batch);
    }
    return best;
}

int figure_threads(int max) {
    tacPool* pool = NULL;
    if (tac_pool_create(0, tac_default_allocator(), &pool) != TAC_OK) return 1;
    int threads = tac_pool_threads(pool);
    tac_pool_destroy(pool);
    return threads < max ? threads : max;
}

figureTimes figure_batch(contactScene* scenes, int threads, int batch) {
    figureTimes t = {0};
    tacPool* pool = NULL;
    batchWork w = {scenes, batch, 0, 0};
    if (tac_pool_create(threads, tac_default_allocator(), &pool) != TAC_OK) return t;
    t.detect = batch_time(pool, &w);
    w.gradient = 1;
    t.gradient = batch_time(pool, &w);
    tac_pool_destroy(pool);
    return t;
}

//---------------------------------- gradient -------------------------------------

static double mean_distance(contactScene* s, tacVec3 shift) {
    double sum = 1e-12, weighted = 0.0;
    s->qpos[7] += shift.x;
    s->qpos[8] += shift.y;
    s->qpos[9] += shift.z;
    contact_scene_detect(s);
    for (int i = 0; i < s->contacts->count; ++i) {
        sum += s->contacts->activity[i];
        weighted += s->contacts->activity[i] * s->contacts->distance[i];
    }
    s->qpos[7] -= shift.x;
    s->qpos[8] -= shift.y;
    s->qpos[9] -= shift.z;
    return weighted / sum;
}

double figure_gradient_error(contactScene* s, int pose) {
    const double h = 1e-6;
    double wrench[18] = {0}, error = 0.0, size = 0.0;
    figure_set_pose(s, pose);
    if (contact_scene_gradient(s, wrench) != TAC_OK || s->contacts->count == 0) return 0.0;
    for (int k = 0; k < 3; ++k) {
        tacVec3 step = {k == 0 ? h : 0.0, k == 1 ? h : 0.0, k == 2 ? h : 0.0};
        double slope = (mean_distance(s, step) - mean_distance(s, tac_neg(step))) / (2.0 * h);
        error = fmax(error, fabs(slope - wrench[12 + k]));
        size = fmax(size, fabs(slope));
    }
    return error / (size + 1e-3);
}
