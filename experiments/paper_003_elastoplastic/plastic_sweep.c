// Separating axes against convex programs as shapes and scenes grow (paper 003, VII).
//
// The paper claims that convex programs are faster and more accurate for many contacts. Here:
// regular polygons of 4 to 64 edges at random poses, and scenes of 1 to 50 of them above a floor;
// times of both, and errors against an independent search over all directions. Programs have no
// penetration depth of two polygons: the paper's shrunk bodies (003-E16) are compared with SAT.

#define _GNU_SOURCE
#include "cli/clock.h"
#include "cli/random.h"
#include "experiments/experiments.h"
#include "experiments/plot.h"

#include "tactus/tactus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 5, COUNTS = 6, MOST = 50 };
static const int edges_of[SIZES] = {4, 8, 16, 32, 64}, objects_of[COUNTS] = {1, 2, 5, 10, 25, MOST};
static const double circle_radius = 0.3;

typedef struct sweepPair {
    tacPosedSolid a, b;
} sweepPair;

//---------------------------------- polygons -------------------------------------

static tacPose planar_pose(double x, double y, double angle) {
    return (tacPose){{x, y, 0.0}, {cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle)}};
}

static tacSolid* make_polygon(int edges, double radius) {
    double polygon_vertex[2 * 64];
    tacSolid* out = NULL;
    for (int i = 0; i < edges; ++i) {
        double angle = 2.0 * M_PI * i / edges;
        polygon_vertex[2 * i] = radius * cos(angle);
        polygon_vertex[2 * i + 1] = radius * sin(angle);
    }
    tac_solid_create_polygon(polygon_vertex, edges, &out, NULL);
    return out;
}

//---------------------------------- truth ----------------------------------------

// support of a posed solid along n
static double support(tacPosedSolid s, double x, double y) {
    tacQuat q = s.pose.rotation;
    double c = q.w * q.w - q.z * q.z, t = 2.0 * q.w * q.z, max = -INFINITY;
    for (int i = 0; i < s.solid->vertices; ++i) {
        tacVec3 v = s.solid->vertex[i];
        max = fmax(max, (c * v.x - t * v.y) * x + (t * v.x + c * v.y) * y);
    }
    return max + s.solid->radius + s.pose.position.x * x + s.pose.position.y * y;
}

// separation of b from a along an angle: the largest over all angles is the distance, or - depth
static double axis_gap(const sweepPair* p, double angle) {
    double x = cos(angle), y = sin(angle);
    return -support(p->b, -x, -y) - support(p->a, x, y);
}

// golden sections around each angle of a fine grid that is above its neighbours
static double exact_distance(const sweepPair* p) {
    enum { GRID = 2000, PASSES = 60 };
    const double golden = 0.5 * (sqrt(5.0) - 1.0), width = 2.0 * M_PI / GRID;
    double best = -INFINITY, before = axis_gap(p, -width), now = axis_gap(p, 0.0);
    for (int i = 0; i < GRID; ++i) {
        double next = axis_gap(p, (i + 1) * width), low = (i - 1) * width, high = (i + 1) * width;
        int peak = now >= before && now >= next;
        for (int k = 0; k < PASSES && peak; ++k) {
            double u = high - golden * (high - low), v = low + golden * (high - low);
            if (axis_gap(p, u) > axis_gap(p, v))
                high = v;
            else
                low = u;
        }
        if (peak) best = fmax(best, axis_gap(p, 0.5 * (low + high)));
        before = now;
        now = next;
    }
    return best;
}

//---------------------------------- pairs ----------------------------------------

// seconds of a call and the largest errors
typedef struct sweepFigures {
    double sat, convex;           // two separated polygons
    double sat_deep, convex_deep; // a polygon and a circle that overlap
    double separated_error[2], deep_error[2], polygon_error[2]; // by SAT, by convex program
} sweepFigures;

// distances of pairs by SAT and by convex program, and the time of a call
typedef struct pairDistances {
    double *sat, *convex;         // (count)                               [m]
    double sat_time, convex_time; //                                       [s]
} pairDistances;

static void time_pairs(const sweepPair* pairs, int count, void* memory, pairDistances* d) {
    tacSeparation s;
    double start = cli_cpu_seconds();
    for (int i = 0; i < count; ++i)
        d->sat[i] = tac_sat(pairs[i].a, pairs[i].b, INFINITY, &s) == TAC_OK ? s.distance : NAN;
    d->sat_time = (cli_cpu_seconds() - start) / count;
    start = cli_cpu_seconds();
    for (int i = 0; i < count; ++i)
        d->convex[i] =
            tac_convex_separation(pairs[i].a, pairs[i].b, NULL, &s, NULL, NULL, memory) == TAC_OK
                ? s.distance
                : NAN;
    d->convex_time = (cli_cpu_seconds() - start) / count;
}

static void compare_errors(const sweepPair* pairs, int count, const pairDistances* d,
                           double error[2]) {
    for (int i = 0; i < count; ++i) {
        double exact = exact_distance(&pairs[i]);
        error[0] = fmax(error[0], fabs(d->sat[i] - exact));
        error[1] = fmax(error[1], fabs(d->convex[i] - exact));
    }
}

// poses b at random until the distance is between min and max
static void sample_pair(unsigned long long* seed, const tacSolid* a, const tacSolid* b, double min,
                        double max, sweepPair* out) {
    tacSeparation s;
    do {
        double angle = 2.0 * M_PI * cli_random_splitmix(seed),
               far = 2.5 * cli_random_splitmix(seed);
        *out = (sweepPair){
            {a, planar_pose(0.0, 0.0, 2.0 * M_PI * cli_random_splitmix(seed))},
            {b, planar_pose(far * cos(angle), far * sin(angle), 7.0 * cli_random_splitmix(seed))}};
    } while (tac_sat(out->a, out->b, INFINITY, &s) != TAC_OK || s.distance < min ||
             s.distance > max);
}

// depths of two polygons: SAT, and bodies shrunk by b as in the paper
static void compare_padded(const sweepPair* pairs, int count, int edges, void* memory,
                           double error[2]) {
    const double b = 0.2, inner = cos(M_PI / edges);
    tacSolid* small = make_polygon(edges, 1.0 - b / inner); // sides b nearer to the middle
    for (int i = 0; i < count; ++i) {
        double exact = exact_distance(&pairs[i]);
        sweepPair less = {{small, pairs[i].a.pose}, {small, pairs[i].b.pose}};
        tacSeparation s = {0}, t = {0};
        tac_sat(pairs[i].a, pairs[i].b, INFINITY, &s);
        tac_convex_separation(less.a, less.b, NULL, &t, NULL, NULL, memory);
        error[0] = fmax(error[0], fabs(s.distance - exact));
        error[1] = fmax(error[1], fabs(t.distance - 2.0 * b - exact));
    }
    tac_solid_destroy(small);
}

static int sweep_edges(int edges, int count, sweepFigures* out) {
    tacSolid *a = make_polygon(edges, 1.0), *circle = NULL;
    sweepPair* pairs = calloc((size_t)count, sizeof *pairs);
    pairDistances d = {calloc((size_t)count, sizeof *d.sat), calloc((size_t)count, sizeof *d.sat),
                       0.0, 0.0};
    unsigned long long seed = (unsigned long long)edges;
    tac_solid_create_ball(circle_radius, 1, &circle, NULL);
    size_t size = tac_convex_separation_size(a, a), round = tac_convex_separation_size(a, circle);
    void* memory = malloc(size > round ? size : round);
    *out = (sweepFigures){0};
    int fine = a && circle && pairs && d.sat && d.convex && memory;
    if (fine) {
        for (int i = 0; i < count; ++i) sample_pair(&seed, a, a, 0.01, 0.5, &pairs[i]);
        time_pairs(pairs, count, memory, &d);
        out->sat = d.sat_time;
        out->convex = d.convex_time;
        compare_errors(pairs, count, &d, out->separated_error);
        for (int i = 0; i < count; ++i)
            sample_pair(&seed, a, circle, -0.9 * circle_radius, -0.01, &pairs[i]);
        time_pairs(pairs, count, memory, &d);
        out->sat_deep = d.sat_time;
        out->convex_deep = d.convex_time;
        compare_errors(pairs, count, &d, out->deep_error);
        for (int i = 0; i < count; ++i) sample_pair(&seed, a, a, -0.15, -0.01, &pairs[i]);
        compare_padded(pairs, count, edges, memory, out->polygon_error);
    }
    free(memory);
    free(pairs);
    free(d.sat);
    free(d.convex);
    tac_solid_destroy(a);
    tac_solid_destroy(circle);
    return fine ? 0 : cli_error("reproduce", "out of memory");
}

//---------------------------------- scenes ---------------------------------------

// one round of detection over all bodies and the floor: times, pairs in contact, largest difference
typedef struct sweepScene {
    double sat, convex;
    int contacts;
    double error;
} sweepScene;

static int detect_all(const tacPosedSolid* s, int count, int programs, double* distance,
                      void* memory) {
    int contacts = 0, at = 0;
    for (int i = 0; i < count; ++i)
        for (int j = i + 1; j < count; ++j, ++at) {
            tacSeparation c = {.distance = INFINITY};
            if (programs)
                tac_convex_separation(s[i], s[j], NULL, &c, NULL, NULL, memory);
            else
                tac_sat(s[i], s[j], 0.0, &c);
            distance[at] = c.bound ? INFINITY : c.distance;
            contacts += c.distance < 0.0;
        }
    return contacts;
}

// circles and polygons of 16 edges in a box of their area times four, and the floor
static int sweep_objects(int objects, int rounds, sweepScene* out) {
    const double up[3] = {0.0, 1.0, 0.0};
    tacSolid *kinds[2] = {make_polygon(16, 0.5), NULL}, *floor = NULL;
    tacPosedSolid s[MOST + 1];
    double *distance[2], width = 2.0 * sqrt((double)objects);
    unsigned long long seed = (unsigned long long)objects;
    size_t pairs = (size_t)(objects * (objects + 1) / 2);
    tac_solid_create_ball(0.5, 1, &kinds[1], NULL);
    tac_solid_create_halfspace(up, 0.0, 1, &floor, NULL);
    size_t size = tac_convex_separation_size(kinds[0], kinds[0]);
    void* memory = malloc(2 * size + 65536);
    for (int k = 0; k < 2; ++k) distance[k] = calloc(pairs, sizeof(double));
    int fine = kinds[0] && kinds[1] && floor && memory && distance[0] && distance[1];
    *out = (sweepScene){0};
    for (int round = 0; round < rounds && fine; ++round) {
        s[0] = (tacPosedSolid){floor, planar_pose(0.0, 0.0, 0.0)};
        for (int i = 0; i < objects; ++i)
            s[1 + i] = (tacPosedSolid){kinds[i % 2], planar_pose(width * cli_random_splitmix(&seed),
                                                                 width * cli_random_splitmix(&seed),
                                                                 7.0 * cli_random_splitmix(&seed))};
        double start = cli_cpu_seconds();
        out->contacts += detect_all(s, objects + 1, 0, distance[0], memory);
        out->sat += (cli_cpu_seconds() - start) / rounds;
        start = cli_cpu_seconds();
        detect_all(s, objects + 1, 1, distance[1], memory);
        out->convex += (cli_cpu_seconds() - start) / rounds;
        for (size_t i = 0; i < pairs; ++i)
            if (distance[0][i] < 0.0)
                out->error = fmax(out->error, fabs(distance[0][i] - distance[1][i]));
    }
    for (int k = 0; k < 2; ++k) {
        tac_solid_destroy(kinds[k]);
        free(distance[k]);
    }
    tac_solid_destroy(floor);
    free(memory);
    return fine ? 0 : cli_error("reproduce", "out of memory");
}

//---------------------------------- rows -----------------------------------------

static void report_edges(trial* t, int edges, const sweepFigures* f) {
    char id[80];
#define ROW(text) (snprintf(id, sizeof id, "%d edges: %s", edges, text), id)
    trial_report(t, ROW("apart, axes"), 1e6 * f->sat, "us");
    trial_report(t, ROW("apart, programs"), 1e6 * f->convex, "us");
    trial_report(t, ROW("in a circle, axes"), 1e6 * f->sat_deep, "us");
    trial_report(t, ROW("in a circle, programs"), 1e6 * f->convex_deep, "us");
    trial_expect_at_most(t, ROW("distance by axes, error"), f->separated_error[0], "m", 1e-10);
    trial_expect_at_most(t, ROW("distance by programs, error"), f->separated_error[1], "m", 1e-9);
    trial_expect_at_most(t, ROW("depth in a circle by axes, error"), f->deep_error[0], "m", 1e-10);
    trial_expect_at_most(t, ROW("and by programs"), f->deep_error[1], "m", 1e-9);
    trial_expect_at_most(t, ROW("depth of two by axes, error"), f->polygon_error[0], "m", 1e-10);
    trial_report(t, ROW("and by smaller bodies"), f->polygon_error[1], "m");
#undef ROW
}

static void report_objects(trial* t, int objects, int rounds, const sweepScene* s) {
    char id[80];
#define ROW(text) (snprintf(id, sizeof id, "%d objects: %s", objects, text), id)
    trial_report(t, ROW("pairs that touch"), (double)s->contacts / rounds, "");
    trial_report(t, ROW("all pairs, axes"), 1e6 * s->sat, "us");
    trial_report(t, ROW("all pairs, programs"), 1e6 * s->convex, "us");
    trial_expect_at_most(t, ROW("depths differ by"), s->error, "m", 1e-9);
#undef ROW
}

//---------------------------------- plot -----------------------------------------

typedef struct sweepTimes {
    double edges[SIZES], separated[2][SIZES], deep[2][SIZES]; // SAT, convex program       [us]
    double objects[COUNTS], all[2][COUNTS];
} sweepTimes;

static int plot_times(trial* t, const sweepTimes* w) {
    const plotPanel panel = {.style = PLOT_MARKERS,
                             .x = {"edges of a polygon", .logarithmic = 1, .ticks_at_x = 1},
                             .y = {"time of a pair [µs]", .logarithmic = 1},
                             .series_count = 2};
    plotPanel panels[3] = {panel, panel, panel};
    static const char* const names[2] = {"SAT", "convex program"};
    panels[0].title = "two separated polygons";
    panels[1].title = "polygon in a circle";
    panels[2].title = "all pairs of a scene";
    panels[2].x.label = "bodies of the scene";
    panels[2].y.label = "time of a scene [µs]";
    for (int k = 0; k < 2; ++k) {
        panels[0].series[k] = (plotSeries){names[k], SIZES, w->edges, w->separated[k], NULL};
        panels[1].series[k] = (plotSeries){names[k], SIZES, w->edges, w->deep[k], NULL};
        panels[2].series[k] = (plotSeries){names[k], COUNTS, w->objects, w->all[k], NULL};
    }
    return plot_write(t, &(plotFigure){"times", 3, 400, 360, 3, panels});
}

int experiment_plastic_sweep(trial* t) {
    int brief = getenv("TACTUS_NO_SWEEP") != NULL, count = brief ? 20 : 300,
        rounds = brief ? 1 : 20, code = 0;
    sweepTimes w;
    for (int i = 0; i < SIZES && code == 0; ++i) {
        sweepFigures f;
        if ((code = sweep_edges(edges_of[i], count, &f)) != 0) break;
        report_edges(t, edges_of[i], &f);
        w.edges[i] = edges_of[i];
        w.separated[0][i] = 1e6 * f.sat;
        w.separated[1][i] = 1e6 * f.convex;
        w.deep[0][i] = 1e6 * f.sat_deep;
        w.deep[1][i] = 1e6 * f.convex_deep;
        trial_progress(t, 0.1 * (i + 1));
    }
    for (int i = 0; i < COUNTS && code == 0; ++i) {
        sweepScene s;
        if ((code = sweep_objects(objects_of[i], rounds, &s)) != 0) break;
        report_objects(t, objects_of[i], rounds, &s);
        w.objects[i] = objects_of[i];
        w.all[0][i] = 1e6 * s.sat;
        w.all[1][i] = 1e6 * s.convex;
        trial_progress(t, 0.5 + 0.08 * (i + 1));
    }
    return code == 0 ? plot_times(t, &w) : code;
}
