// One shape program on every instruction set of this machine: the bits of a lane do not depend on
// the batch, and the sets agree within the bound of docs/numbers.md. Needs no scene file.

#include "base/assert.h"
#include "shape/cloud_scenes.h"
#include "shape/shape_kernels.h"
#include "test.h"

#include <stdlib.h>

// docs/numbers.md: largest differences of value, gradient and Hessian between instruction sets
static const double between_sets[3] = {1e-14, 1e-12, 1e-10};

typedef struct isaTable {
    tacIsa isa;
    const tacShapeKernels* kernels;
} isaTable;

static const isaTable tables[] = {
    {TAC_ISA_BASELINE, &tac_shape_kernels_baseline},
#ifdef TAC_HAVE_X86_KERNELS
    {TAC_ISA_AVX2, &tac_shape_kernels_avx2},
    {TAC_ISA_AVX512, &tac_shape_kernels_avx512},
#endif
};

//---------------------------------- leaves ---------------------------------------

// parameters: pos, quat, size, eps of one leaf, temperature and planes of a polyhedron
typedef struct leafScene {
    double param[13 + 4 * 9];
    tacNode node;
    tacShape shape;
    tacModel model;
} leafScene;

// a temperature, and nine planes around the origin
static void make_planes(double* param, testRandom* random) {
    *param++ = pow(10.0, test_uniform(random, -3.0, 0.0));
    for (int i = 0; i < 9; ++i, param += 4) {
        double length = 0.0;
        for (int k = 0; k < 3; ++k) param[k] = test_uniform(random, -1.0, 1.0);
        for (int k = 0; k < 3; ++k) length += param[k] * param[k];
        for (int k = 0; k < 3; ++k) param[k] /= sqrt(length);
        param[3] = -test_uniform(random, 0.1, 1.0);
    }
}

// a spline with some bend, a temperature, one size and two exponents
static void make_sweep(leafScene* s, testRandom* random) {
    double* block = &s->param[13];
    static const double bend[15] = {-1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0};
    for (int k = 0; k < 15; ++k) block[k] = bend[k] + 0.2 * test_uniform(random, -1.0, 1.0);
    for (int k = 15; k < 20; ++k) block[k] = s->param[k - 8];
    s->param[12] = 0.02;
    s->node.smooth = 12;
    s->node.block = 13;
    s->node.block_count = 20;
}

static void make_scene(leafScene* s, testRandom* random, tacNodeKind kind, tacDistance distance) {
    const double exponents[] = {0.1, 0.3, 0.7, 1.0, 1.4, 2.0};
    for (int k = 0; k < 7; ++k) s->param[k] = test_uniform(random, -1.0, 1.0);
    for (int k = 7; k < 10; ++k) s->param[k] = test_uniform(random, 0.1, 1.0);
    for (int k = 10; k < 12; ++k) s->param[k] = exponents[test_bits(random) % 6];
    if (kind == TAC_NODE_POLYHEDRON) // no draws for the others
        make_planes(&s->param[12], random);
    int eps = kind == TAC_NODE_SUPERQUADRIC ? 10 : -1;
    s->node = (tacNode){kind, distance, -1, 0, 0, 0, 3, 7, eps, -1, -1, 0, -1, 0};
    if (kind == TAC_NODE_POLYHEDRON) {
        s->node.smooth = 12;
        s->node.block = 13;
        s->node.block_count = 4 * 9;
    }
    s->shape = (tacShape){"leaf", 0, 1, 1, 0, 0.0};
    s->model = (tacModel){.nshape = 1, .nnode = 1, .nparam = 13 + 4 * 9};
    if (kind == TAC_NODE_SWEEP) make_sweep(s, random);
    s->model.param = s->param;
    s->model.node = &s->node;
    s->model.shape = &s->shape;
}

static void make_points(double x[3][TAC_BLOCK], const tacNodeData* b, testRandom* random) {
    for (int i = 0; i < TAC_BLOCK; ++i)
        for (int k = 0; k < 3; ++k) {
            double far = b->kind == TAC_NODE_CLOUD ? 10.0 : 1e3;
            double reach = i % 5 == 0 ? far : i % 5 == 1 ? 0.01 : 1.5;
            x[k][i] = b->frame.origin[k] + reach * test_uniform(random, -1.0, 1.0);
            if (i == 7) x[k][i] = b->frame.origin[k]; // the centre itself
        }
}

static double largest_of_block(const double* a, int count) {
    double most = 0.0;
    for (int i = 0; i < count; ++i) most = fmax(most, fabs(a[i]));
    return most;
}

// largest |a - b| relative to `scale`
static double relative_difference(const double* a, const double* b, int count, double scale) {
    double most = 0.0;
    for (int i = 0; i < count; ++i) most = fmax(most, fabs(a[i] - b[i]));
    return most / (scale > 0.0 ? scale : 1.0);
}

static tacShapeKernels const* other_table(int i) {
    return tac_isa_supported(tables[i].isa) ? tables[i].kernels : NULL;
}

//---------------------------------- laws -----------------------------------------

typedef int leafLaw(const tacShapeKernels* kernels, const tacNodeData* b, double x[3][TAC_BLOCK]);

static int each_leaf(const tacShapeKernels* kernels, leafLaw* law) {
    testRandom of_superquadrics = {5}, of_others = {7};
    int rounds = getenv("TACTUS_NO_SWEEP") ? 20 : 100;
    for (int i = 0; i < rounds; ++i)
        for (int kind = TAC_NODE_SPHERE; kind < TAC_NODE_UNION; ++kind)
            for (int distance = 0; distance < 2 && kind != TAC_NODE_CLOUD; ++distance) {
                int plain = kind > TAC_NODE_SUPERQUADRIC;
                testRandom* random = plain ? &of_others : &of_superquadrics;
                leafScene scene;
                tacNodeData bound;
                double x[3][TAC_BLOCK];
                make_scene(&scene, random, (tacNodeKind)kind, (tacDistance)distance);
                tac_node_data_bind(&scene.model, &scene.shape, (tacPose){{0, 0, 0}, {1, 0, 0, 0}},
                                   &bound);
                make_points(x, &bound, random);
                ENSURE_LAW(law(kernels, &bound, x));
            }
    return 0;
}

// the leaves of all clouds of the zoo, with their boxes
static int each_cloud(const tacShapeKernels* kernels, leafLaw* law) {
    tacModel* model = load_cloud_zoo();
    testRandom random = {9};
    int rounds = getenv("TACTUS_NO_SWEEP") ? 2 : 10;
    for (int i = 0; i < rounds * model->nshape; ++i) {
        const tacShape* shape = &model->shape[i / rounds];
        tacNodeData bound[8];
        double x[3][TAC_BLOCK];
        if (shape->count > 1) continue;
        tac_node_data_bind(model, shape, (tacPose){{0, 0, 0}, {1, 0, 0, 0}}, bound);
        make_points(x, bound, &random);
        ENSURE_LAW(law(kernels, bound, x));
    }
    tac_model_destroy(model);
    return 0;
}

// point i alone, and the whole block, and without derivatives: the same bits
static int same_bits_alone(const tacShapeKernels* kernels, const tacNodeData* b,
                           double x[3][TAC_BLOCK]) {
    static tacFieldBlock all, one, value_only;
    kernels->leaf(b, (const double(*)[TAC_BLOCK])x, &all, TAC_BLOCK, 2);
    kernels->leaf(b, (const double(*)[TAC_BLOCK])x, &value_only, TAC_BLOCK, 0);
    ENSURE(memcmp(all.value, value_only.value, sizeof all.value) == 0);
    for (int i = 0; i < TAC_BLOCK; ++i) {
        double alone[3][TAC_BLOCK];
        for (int k = 0; k < 3; ++k)
            for (int j = 0; j < kernels->lanes; ++j) alone[k][j] = x[k][i];
        kernels->leaf(b, (const double(*)[TAC_BLOCK])alone, &one, kernels->lanes, 2);
        ENSURE(memcmp(&all.value[i], &one.value[0], sizeof(double)) == 0);
        for (int k = 0; k < 3; ++k)
            ENSURE(memcmp(&all.gradient[k][i], &one.gradient[k][0], sizeof(double)) == 0);
        for (int k = 0; k < 6; ++k)
            ENSURE(memcmp(&all.hessian[k][i], &one.hessian[k][0], sizeof(double)) == 0);
    }
    return 0;
}

// value, gradient, Hessian: largest difference seen, over its condition
static double worst[3];

// exponents of a cloud's weights, up to 2 |x| l/eps1, are rounded at 1e-16 of themselves
static double condition_of_leaf(const tacNodeData* b) {
    if (b->kind != TAC_NODE_CLOUD) return 1.0;
    int metric = b->cloud->kernel == TAC_CLOUD_ANISOTROPIC;
    double metric_eig = metric ? b->extent.metric_eig[1] : 1.0 / (b->tau * b->tau);
    return fmax(1.0, 1e-16 / between_sets[0] * 2.0 * 10.0 * b->extent.size * metric_eig);
}

static void record_worst(int order, const double* a, const double* b, int count, double per) {
    worst[order] =
        fmax(worst[order], relative_difference(a, b, count, largest_of_block(b, count)) / per);
}

// value, gradient and Hessian against the baseline, relative to the largest of the block
static int near_the_baseline(const tacShapeKernels* kernels, const tacNodeData* b,
                             double x[3][TAC_BLOCK]) {
    static tacFieldBlock here, base;
    kernels->leaf(b, (const double(*)[TAC_BLOCK])x, &here, TAC_BLOCK, 2);
    tac_shape_kernels_baseline.leaf(b, (const double(*)[TAC_BLOCK])x, &base, TAC_BLOCK, 2);
    double per = condition_of_leaf(b);
    record_worst(0, here.value, base.value, TAC_BLOCK, per);
    record_worst(1, here.gradient[0], base.gradient[0], 3 * TAC_BLOCK, per);
    record_worst(2, here.hessian[0], base.hessian[0], 6 * TAC_BLOCK, per);
    for (int order = 0; order < 3; ++order) ENSURE_NEAR(worst[order], 0.0, between_sets[order]);
    return 0;
}

static int each_set(leafLaw* law) {
    int missing = 0;
    for (int i = 0; i < TAC_COUNT(tables); ++i) {
        const tacShapeKernels* kernels = other_table(i);
        if (kernels)
            ENSURE_LAW(each_leaf(kernels, law) || each_cloud(kernels, law));
        else {
            printf("  without %s: this machine does not run it\n", tac_isa_name(tables[i].isa));
            ++missing;
        }
    }
    return 0;
}

static int bits_do_not_depend_on_the_batch(void) { return each_set(same_bits_alone); }

static int sets_agree_within_the_bound(void) {
    ENSURE_LAW(each_set(near_the_baseline));
    printf("  largest differences between sets: value %.2g, gradient %.2g, Hessian %.2g\n",
           worst[0], worst[1], worst[2]);
    return 0;
}

TEST_MAIN(RUN(bits_do_not_depend_on_the_batch), RUN(sets_agree_within_the_bound))
