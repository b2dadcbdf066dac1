// Batches of one, of 7 and of 1024, on one and two threads: the same bits.

#include "base/pool.h"
#include "shape/cloud_scenes.h"
#include "shape/shape_scenes.h"
#include "test.h"

enum { COUNT = 1024, OUTPUTS = 10 };

typedef struct batch {
    const tacModel* model;
    int shape, chunk;
    double x[3][COUNT], out[OUTPUTS][COUNT];
    tacScratch* scratch[4];
} batch;

static void run_chunk(void* context, int job, int worker) {
    batch* b = context;
    int first = job * b->chunk, rest = COUNT - first;
    tacPoints points = {rest < b->chunk ? rest : b->chunk,
                        {&b->x[0][first], &b->x[1][first], &b->x[2][first]}};
    tacField out = {.value = &b->out[0][first]};
    for (int k = 0; k < 3; ++k) out.gradient[k] = &b->out[1 + k][first];
    for (int k = 0; k < 6; ++k) out.hessian[k] = &b->out[4 + k][first];
    tac_shape_eval(b->model, b->shape, tac_pose_identity(), points, out, b->scratch[worker]);
}

static int same_bits(const tacModel* model, int shape) {
    static const int chunks[] = {COUNT, 1, 7, 64, 100};
    static batch whole, other;
    testRandom random = {(unsigned long long)shape + 3};
    whole = (batch){.model = model, .shape = shape, .chunk = COUNT};
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < COUNT; ++i) whole.x[k][i] = test_uniform(&random, -1.0, 1.0);
    for (int i = 0; i < 4; ++i) whole.scratch[i] = make_scratch(model);
    run_chunk(&whole, 0, 0);

    for (int threads = 1; threads <= 3; ++threads) {
        tacPool* pool;
        ENSURE(tac_pool_create(threads, tac_default_allocator(), &pool) == TAC_OK);
        for (int c = 0; c < 5; ++c) {
            other = whole;
            memset(other.out, 0, sizeof other.out);
            other.chunk = chunks[c];
            tac_pool_run(pool, (COUNT + chunks[c] - 1) / chunks[c], run_chunk, &other);
            ENSURE(memcmp(whole.out, other.out, sizeof whole.out) == 0);
        }
        tac_pool_destroy(pool);
    }
    for (int i = 0; i < 4; ++i) tac_scratch_destroy(whole.scratch[i]);
    return 0;
}

static int bits_do_not_depend_on_batch_or_threads(void) {
    tacModel* models[] = {load_zoo(), load_cloud_zoo()};
    for (int k = 0; k < 2; ++k) {
        for (int shape = 0; shape < models[k]->nshape; ++shape)
            ENSURE_LAW(same_bits(models[k], shape));
        tac_model_destroy(models[k]);
    }
    return 0;
}

// whatever a scratch did before, a call gives the same bits; and derivatives do not change the
// value
static int bits_do_not_depend_on_the_scratch(void) {
    tacModel* model = load_zoo();
    tacScratch *fresh = make_scratch(model), *used = make_scratch(model);
    double x = 0.3, y = 0.2, z = 0.1, a, b, g[3], one = 1.0, bar[3] = {0};
    tacPoints point = {1, {&x, &y, &z}};
    for (int shape = 0; shape < model->nshape; ++shape) {
        tac_shape_vjp(model, (shape + 3) % model->nshape, tac_pose_identity(), point,
                      (tacField){.value = &one},
                      (tacShapeAdjoint){.x = {&bar[0], &bar[1], &bar[2]}}, used);
        tac_shape_eval(model, shape, tac_pose_identity(), point, (tacField){.value = &a}, fresh);
        tac_shape_eval(model, shape, tac_pose_identity(), point,
                       (tacField){.value = &b, .gradient = {&g[0], &g[1], &g[2]}}, used);
        ENSURE(memcmp(&a, &b, sizeof a) == 0);
    }
    tac_scratch_destroy(fresh);
    tac_scratch_destroy(used);
    tac_model_destroy(model);
    return 0;
}

TEST_MAIN(RUN(bits_do_not_depend_on_batch_or_threads), RUN(bits_do_not_depend_on_the_scratch))
