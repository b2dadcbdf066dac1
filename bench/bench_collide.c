// tactus bench collide: distances, contacts and impacts of convex parts, and public queries of
// continuous collision where TACTUS_DATA has them.

#include "bench/bench.h"
#include "cli/random.h"

#include "detect/convex/clip_manifold.h"
#include "tactus/ccd.h"
#include "test/detect/ccd_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 200, MAX_QUERIES = 8192 };

static unsigned long long random_state = CLI_XORSHIFT_SEED;

static double random_uniform(double low, double high) {
    return low + (high - low) * cli_random_xorshift(&random_state);
}

//---------------------------------- pieces ----------------------------------

typedef struct convexWork {
    tacConvex a[PAIRS], b[PAIRS];
    tacGjkCache before[PAIRS]; // of the pairs 1 cm away
    void* memory;
    double sum;
} convexWork;

static tacConvex random_convex(tacConvexKind kind) {
    tacConvex c = {.kind = kind, .radius = kind == TAC_CONVEX_SEGMENT ? 0.1 : 0.0};
    double q[4], n = 0.0;
    for (int k = 0; k < 3; ++k) {
        c.size[k] = random_uniform(0.1, 0.8);
        c.pos[k] = random_uniform(-0.5, 0.5);
    }
    for (int k = 0; k < 4; ++k) {
        q[k] = random_uniform(-1.0, 1.0);
        n += q[k] * q[k];
    }
    double w = q[0] / sqrt(n), x = q[1] / sqrt(n), y = q[2] / sqrt(n), z = q[3] / sqrt(n);
    double R[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                      {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                      {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(c.rot, R, sizeof R);
    return c;
}

static void run_gjk(void* context) {
    convexWork* w = context;
    for (int i = 0; i < PAIRS; ++i) {
        tacGjkCache walk = {.count = 0};
        w->sum += tac_gjk(&w->a[i], &w->b[i], &walk, w->memory).distance;
    }
}

static void run_gjk_warm(void* context) {
    convexWork* w = context;
    for (int i = 0; i < PAIRS; ++i) {
        tacGjkCache walk = w->before[i];
        w->sum += tac_gjk(&w->a[i], &w->b[i], &walk, w->memory).distance;
    }
}

static void run_closest(void* context) {
    convexWork* w = context;
    for (int i = 0; i < PAIRS; ++i) {
        tacGjkCache walk = {.count = 0};
        tacNearest near;
        tacFeatureContact pair = {.pair = 0};
        tac_closest_features(&w->a[i], &w->b[i], &walk, &near, &pair, w->memory);
        w->sum += near.distance;
    }
}

static void run_manifold(void* context) {
    convexWork* w = context;
    for (int i = 0; i < PAIRS; ++i) {
        tacGjkCache walk = {.count = 0};
        tacFeatureContact pair[TAC_CLIP_MAX_CONTACTS];
        w->sum += tac_clip_manifold(&w->a[i], &w->b[i], 1.0, &walk, pair, w->memory);
    }
}

static void convex_rows(benchReport* report, const char* name, convexWork* work) {
    static const char* const words[] = {"distance", "distance, started", "features", "contacts"};
    const benchWork list[] = {
        {run_gjk, work}, {run_gjk_warm, work}, {run_closest, work}, {run_manifold, work}};
    double ns[4];
    for (int i = 0; i < PAIRS; ++i) {
        tacConvex moved = work->b[i];
        for (int k = 0; k < 3; ++k) moved.pos[k] += random_uniform(-0.01, 0.01);
        work->before[i] = (tacGjkCache){.count = 0};
        tac_gjk(&work->a[i], &moved, &work->before[i], work->memory);
    }
    bench_times(list, 4, ns);
    for (int i = 0; i < 4; ++i) {
        char id[100];
        snprintf(id, sizeof id, "collide/%s/%s", name, words[i]);
        bench_row(report, id, ns[i] / PAIRS, "ns", ' ', 0.0);
    }
}

// separated and overlapping pairs; then a box on a box, and a box on the ground
static void bench_convex_pairs(benchReport* report) {
    static const struct {
        const char* name;
        tacConvexKind kind[2];
        double separation;
    } cases[] = {{"box-box-apart", {TAC_CONVEX_BOX, TAC_CONVEX_BOX}, 1.5},
                 {"box-box-overlap", {TAC_CONVEX_BOX, TAC_CONVEX_BOX}, 0.0},
                 {"capsule-box", {TAC_CONVEX_SEGMENT, TAC_CONVEX_BOX}, 1.5},
                 {"cylinder-box", {TAC_CONVEX_CYLINDER, TAC_CONVEX_BOX}, 1.5},
                 {"ellipsoid-ellipsoid", {TAC_CONVEX_ELLIPSOID, TAC_CONVEX_ELLIPSOID}, 1.5}};
    static convexWork work;
    work.memory = malloc(tac_gjk_size());
    if (!work.memory) return;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        for (int k = 0; k < PAIRS; ++k) {
            work.a[k] = random_convex(cases[i].kind[0]);
            work.b[k] = random_convex(cases[i].kind[1]);
            work.b[k].pos[0] += cases[i].separation;
        }
        convex_rows(report, cases[i].name, &work);
    }
    for (int ground = 0; ground < 2; ++ground) {
        for (int k = 0; k < PAIRS; ++k) {
            tacConvex box = {.kind = TAC_CONVEX_BOX,
                             .size = {0.1, 0.1, 0.1},
                             .rot = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
            work.a[k] = work.b[k] = box;
            if (ground) work.a[k].kind = TAC_CONVEX_HALF_SPACE;
            work.b[k].pos[0] = random_uniform(-0.1, 0.1);
            work.b[k].pos[2] = (ground ? 0.1 : 0.2) + 1e-7;
        }
        convex_rows(report, ground ? "box-on-ground" : "box-on-box", &work);
    }
    free(work.memory);
}

//---------------------------------- public queries ----------------------------------

typedef struct queryWork {
    ccdQuery query[MAX_QUERIES];
    tacCcdFeatures feature[MAX_QUERIES];
    int count, missed, extra, impacts;
} queryWork;

static void run_queries(void* context) {
    queryWork* w = context;
    const tacCcdOptions options = tac_default_ccd();
    w->missed = w->extra = w->impacts = 0;
    for (int i = 0; i < w->count; ++i) {
        double time;
        int hit = tac_ccd(w->feature[i], w->query[i].start, w->query[i].end, &options, &time, NULL);
        w->missed += !hit && w->query[i].truth;
        w->extra += hit && !w->query[i].truth;
        w->impacts += w->query[i].truth;
    }
}

static void read_queries(queryWork* w, const char* path, tacCcdFeatures feature) {
    FILE* file = fopen(path, "r");
    if (!file) return;
    while (w->count < MAX_QUERIES && ccd_read(file, &w->query[w->count]))
        w->feature[w->count++] = feature;
    fclose(file);
}

static void bench_queries(benchReport* report) {
    static const char* const scenes[] = {"erleben-cube-cliff-edges", "erleben-cube-internal-edges",
                                         "erleben-sliding-spike",    "erleben-spike-hole",
                                         "erleben-spike-wedge",      "erleben-spikes",
                                         "erleben-wedges",           "unit-tests"};
    static queryWork work;
    const char* data = getenv("TACTUS_DATA");
    for (size_t i = 0; i < 2 * sizeof scenes / sizeof scenes[0]; ++i) {
        char path[600];
        snprintf(path, sizeof path, "%s/ccd/sample_queries/%s/%s/data_0_0.csv",
                 data ? data : "../shared/data", scenes[i / 2],
                 i % 2 ? "vertex-face" : "edge-edge");
        read_queries(&work, path, i % 2 ? TAC_CCD_VERTEX_FACE : TAC_CCD_EDGE_EDGE);
    }
    if (!work.count) fprintf(stderr, "  no queries: set TACTUS_DATA\n");
    if (!work.count) return;
    double ns;
    bench_times(&(benchWork){run_queries, &work}, 1, &ns);
    bench_row(report, "collide/ccd/queries", work.count, "", ' ', 0.0);
    bench_row(report, "collide/ccd/mean", 1e-3 * ns / work.count, "us", ' ', 0.0);
    bench_row(report, "collide/ccd/missed", work.missed, "", '<', 0.0);
    bench_row(report, "collide/ccd/extra", work.extra, "", ' ', 0.0);
}

int bench_collide(benchReport* report) {
    bench_convex_pairs(report);
    bench_queries(report);
    return report->failed;
}
