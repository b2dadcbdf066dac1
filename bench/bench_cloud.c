// tactus bench shapes, clouds: 4000 points of a ball at 4000 queries within two spacings of it.
//
// Scalar is a plain implementation: one query at a time, a pass for the nearest point, a pass with
// exp of libm. Exact evaluates all points in wide kernels; culled skips negligible ones. All are
// values without derivatives.

#include "bench/bench.h"

#include "base/pool.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT  4000
#define SCALAR 400 // queries of the scalar run; its time is per query
#define CHUNK  64

typedef struct cloudBench {
    double p[3][COUNT], n[3][COUNT], x[3][COUNT], value[COUNT], eps;
    const tacModel* model;
    tacScratch* scratch[2];
    tacPool* pool;
} cloudBench;

//---------------------------------- works ----------------------------------------

static double scalar_value(const cloudBench* b, int i) {
    double min_square = INFINITY, weights = 0.0, sum = 0.0;
    for (int k = 0; k < COUNT; ++k) {
        double x = b->x[0][i] - b->p[0][k], y = b->x[1][i] - b->p[1][k],
               z = b->x[2][i] - b->p[2][k];
        min_square = fmin(min_square, x * x + y * y + z * z);
    }
    for (int k = 0; k < COUNT; ++k) {
        double x = b->x[0][i] - b->p[0][k], y = b->x[1][i] - b->p[1][k],
               z = b->x[2][i] - b->p[2][k];
        double w = exp((min_square - (x * x + y * y + z * z)) / b->eps);
        weights += w;
        sum += w * (b->n[0][k] * x + b->n[1][k] * y + b->n[2][k] * z);
    }
    return sum / weights;
}

static void run_scalar(void* context) {
    cloudBench* b = context;
    for (int i = 0; i < SCALAR; ++i) b->value[i] = scalar_value(b, i);
}

static void run_chunk(void* context, int job, int worker) {
    cloudBench* b = context;
    int first = job * CHUNK, rest = COUNT - first, count = rest < CHUNK ? rest : CHUNK;
    tacPoints points = {count, {&b->x[0][first], &b->x[1][first], &b->x[2][first]}};
    tac_shape_eval(b->model, 0, tac_pose_identity(), points, (tacField){.value = &b->value[first]},
                   b->scratch[worker]);
}

static void run_wide(void* context) {
    for (int job = 0; job * CHUNK < COUNT; ++job) run_chunk(context, job, 0);
}

static void run_pool(void* context) {
    cloudBench* b = context;
    tac_pool_run(b->pool, (COUNT + CHUNK - 1) / CHUNK, run_chunk, b);
}

static void run_spins(void* context) {
    (void)context;
    for (int job = 0; job < 16; ++job) bench_spin(NULL, job, 0);
}

static void run_spin_pool(void* context) {
    cloudBench* b = context;
    tac_pool_run(b->pool, 16, bench_spin, NULL);
}

//---------------------------------- scene ----------------------------------------

static void make_points(cloudBench* b) {
    double spacing = sqrt(4.0 * 3.14159265358979 / COUNT);
    for (int i = 0; i < COUNT; ++i) {
        double z = 1.0 - (2.0 * i + 1.0) / COUNT, s = sqrt(1.0 - z * z),
               t = 2.39996322972865332 * i;
        double n[3] = {s * cos(t), s * sin(t), z}, height = 2.0 * spacing * sin(12.9898 * i);
        for (int k = 0; k < 3; ++k) {
            b->p[k][i] = b->n[k][i] = n[k];
            b->x[k][(i * 1237) % COUNT] = n[(k + 1) % 3] * (1.0 + height);
        }
    }
}

static tacModel* load_cloud(const cloudBench* b, const char* attributes) {
    size_t size = 150 * COUNT + 1000, at = 0;
    char* text = malloc(size);
    tacModel* model = NULL;
    if (!text) return NULL;
    at += (size_t)snprintf(text, size, "<mujoco><asset><shape name='c' %s><cloud points='",
                           attributes);
    for (int i = 0; i < COUNT; ++i)
        at += (size_t)snprintf(text + at, size - at, "%.17g %.17g %.17g ", b->p[0][i], b->p[1][i],
                               b->p[2][i]);
    at += (size_t)snprintf(text + at, size - at, "' normals='");
    for (int i = 0; i < COUNT; ++i)
        at += (size_t)snprintf(text + at, size - at, "%.17g %.17g %.17g ", b->n[0][i], b->n[1][i],
                               b->n[2][i]);
    at += (size_t)snprintf(text + at, size - at, "'/></shape></asset></mujoco>");
    tac_load_text(text, (int)at, "bench", NULL, &model, NULL);
    free(text);
    return model;
}

static double width_of(const tacModel* model) {
    tacParam width;
    return tac_param_find(model, "shape:c/0/width", &width) == TAC_OK ? model->param[width.offset]
                                                                      : NAN;
}

//---------------------------------- rows -----------------------------------------

static void measure_cloud(benchReport* report, cloudBench* exact, cloudBench* culled,
                          cloudBench* threads) {
    const benchWork works[6] = {{run_scalar, exact}, {run_wide, exact}, {run_wide, culled},
                                {run_pool, threads}, {run_spins, NULL}, {run_spin_pool, threads}};
    double ns[6], pairs = (double)COUNT * COUNT;
    bench_times(works, 6, ns);
    ns[0] *= (double)COUNT / SCALAR;
    bench_row(report, "shapes/cloud/scalar", ns[0] / pairs, "ns", ' ', 0.0);
    bench_row(report, "shapes/cloud/exact", ns[1] / pairs, "ns", ' ', 0.0);
    bench_row(report, "shapes/cloud/culled", 1e-3 * ns[2] / COUNT, "us", ' ', 0.0);
    bench_row(report, "shapes/cloud/wide over scalar", ns[0] / ns[1], "x", '>', 10.0);
    bench_row(report, "shapes/cloud/culled over exact", ns[1] / ns[2], "x", '>', 10.0);
    bench_row(report, "shapes/cloud/two threads", ns[2] / ns[3], "x", '>', 1.85);
    bench_row(report, "shapes/cloud/two threads, registers alone", ns[4] / ns[5], "x", ' ', 0.0);
}

int bench_cloud(benchReport* report) {
    static cloudBench exact, culled, threads;
    make_points(&exact);
    culled = threads = exact;
    tacModel *slow = load_cloud(&exact, "exact='true'"), *fast = load_cloud(&exact, "");
    if (!slow || !fast) return 1;
    exact.model = slow;
    culled.model = threads.model = fast;
    exact.eps = width_of(slow) * width_of(slow);
    cloudBench* all[3] = {&exact, &culled, &threads};
    tacResult result = tac_pool_create(2, tac_default_allocator(), &threads.pool);
    for (int k = 0; k < 6 && result == TAC_OK; ++k)
        result = tac_scratch_create(fast, &all[k / 2]->scratch[k % 2]);
    if (result == TAC_OK) measure_cloud(report, &exact, &culled, &threads);
    for (int k = 0; k < 6; ++k) tac_scratch_destroy(all[k / 2]->scratch[k % 2]);
    tac_pool_destroy(threads.pool);
    tac_model_destroy(slow);
    tac_model_destroy(fast);
    return result != TAC_OK;
}
