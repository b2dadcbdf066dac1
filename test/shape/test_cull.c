// Culling: a union that leaves children out gives what the whole one gives, to 1e-12; the same bits
// for any batch; limits hold; a cut-off that is too short is noticed.

#include "base/assert.h"
#include "shape/scenes.h"
#include "shape/shape_kernels.h"
#include "test.h"

enum { COUNT = 256 };

//---------------------------------- random unions --------------------------------

static int add_place(char* text, testRandom* random) {
    return sprintf(text, " pos='%.6f %.6f %.6f' euler='%.3f %.3f %.3f'",
                   test_uniform(random, -1.5, 1.5), test_uniform(random, -1.5, 1.5),
                   test_uniform(random, -1.5, 1.5), test_uniform(random, -180, 180),
                   test_uniform(random, -180, 180), test_uniform(random, -180, 180));
}

static int add_leaf(char* text, testRandom* random) {
    static const char* const kinds[] = {"superquadric", "superquadric", "sphere",   "capsule",
                                        "cylinder",     "box",          "ellipsoid"};
    static const int sizes[] = {3, 3, 1, 2, 2, 3, 3};
    int kind = (int)(test_bits(random) % 7), n = sprintf(text, "<%s size='", kinds[kind]);
    for (int k = 0; k < sizes[kind]; ++k)
        n += sprintf(text + n, "%.6f ", test_uniform(random, 0.05, 0.3));
    n += sprintf(text + n, "'");
    if (kind < 2)
        n += sprintf(text + n, " eps='%.3f %.3f'", test_uniform(random, 0.2, kind ? 1.0 : 1.9),
                     test_uniform(random, 0.2, 1.0));
    n += add_place(text + n, random);
    return n + sprintf(text + n, "/>");
}

// now and then a nest: a union, an intersection or a difference of a few
static int add_child(char* text, testRandom* random, int depth) {
    static const char* const kinds[] = {"union", "intersection", "difference"};
    if (depth == 0 || test_bits(random) % 5) return add_leaf(text, random);
    const char* kind = kinds[test_bits(random) % 3];
    int n = sprintf(text, "<%s", kind), count = 2 + (int)(test_bits(random) % 5);
    n += add_place(text + n, random);
    n += sprintf(text + n, ">");
    for (int k = 0; k < count; ++k) n += add_child(text + n, random, depth - 1);
    return n + sprintf(text + n, "</%s>", kind);
}

// one shape twice: culled and exact
static tacModel* random_pair(testRandom* random, int children, double tau) {
    static char body[60000], text[130000];
    int n = 0;
    for (int k = 0; k < children; ++k) n += add_child(body + n, random, 2);
    const char* distance = test_bits(random) % 3 ? "tangent" : "radial";
    snprintf(text, sizeof text,
             "<mujoco><asset><shape name='culled' smooth='%g' distance='%s'>%s</shape>"
             "<shape name='exact' exact='true' smooth='%g' distance='%s'>%s</shape>"
             "</asset></mujoco>",
             tau, distance, body, tau, distance, body);
    tacModel* model = NULL;
    tacMessage message;
    if (tac_load_text(text, (int)strlen(text), "test.xml", NULL, &model, &message) != TAC_OK)
        printf("  %d: %s: %s\n", message.line, message.attribute, message.text), exit(1);
    return model;
}

//---------------------------------- culled = exact -------------------------------

typedef struct fields {
    double out[10][COUNT], dot[4][COUNT], x_bar[3][COUNT], pose_bar[6];
} fields;

static void evaluate(const tacModel* model, int shape, double x[3][COUNT], fields* f,
                     tacScratch* scratch) {
    static double one[COUNT], twist[6] = {0.3, -0.2, 0.1, 0.2, 0.5, -0.4};
    for (int i = 0; i < COUNT; ++i) one[i] = 1.0 + 0.5 * (i % 3);
    tacPoints points = {COUNT, {x[0], x[1], x[2]}};
    tacField out = {.value = f->out[0]}, dot = {.value = f->dot[0]};
    for (int k = 0; k < 3; ++k) out.gradient[k] = f->out[1 + k], dot.gradient[k] = f->dot[1 + k];
    for (int k = 0; k < 6; ++k) out.hessian[k] = f->out[4 + k];
    tacField bar = {.value = one, .gradient = {one, one, one}};
    memset(f->x_bar, 0, sizeof f->x_bar);
    memset(f->pose_bar, 0, sizeof f->pose_bar);
    tacPose at = tac_pose_identity();
    tac_shape_eval(model, shape, at, points, out, scratch);
    tac_shape_jvp(model, shape, at, points, (tacShapeTangent){.pose = twist}, dot, scratch);
    tac_shape_vjp(model, shape, at, points, bar,
                  (tacShapeAdjoint){{f->x_bar[0], f->x_bar[1], f->x_bar[2]}, f->pose_bar, NULL},
                  scratch);
}

static double worst[3];

// derivatives of the gradient round like 1/tau in both (docs/derivatives.md, first)
static int same_fields(const fields* a, const fields* b, double tau) {
    double second = 1e-10 * fmax(1.0, 3e-3 / tau);
    for (int i = 0; i < COUNT; ++i) {
        double size = 1.0;
        for (int k = 4; k < 10; ++k) size = fmax(size, fabs(b->out[k][i]));
        for (int k = 0; k < 10; ++k) {
            int order = k == 0 ? 0 : k < 4 ? 1 : 2;
            double off = fabs(a->out[k][i] - b->out[k][i]) / size;
            worst[order] = fmax(worst[order], off);
            ENSURE_NEAR(off, 0.0, 1e-12);
        }
        for (int k = 0; k < 4; ++k) ENSURE_NEAR(a->dot[k][i] / size, b->dot[k][i] / size, second);
        for (int k = 0; k < 3; ++k)
            ENSURE_NEAR(a->x_bar[k][i] / size, b->x_bar[k][i] / size, second);
    }
    return 0;
}

// near, far and close to the middle
static void draw_points(testRandom* random, double x[3][COUNT]) {
    for (int i = 0; i < COUNT; ++i) {
        double reach = i % 7 == 0 ? 30.0 : i % 7 == 1 ? 0.2 : 2.0;
        for (int k = 0; k < 3; ++k) x[k][i] = reach * test_uniform(random, -1.0, 1.0);
    }
}

static int culled_is_exact(void) {
    static const double temperatures[] = {1e-6, 1e-4, 1e-3, 3e-3, 1e-2, 0.1, 1.0};
    static double x[3][COUNT];
    static fields culled, exact;
    testRandom random = {41};
    int rounds = getenv("TACTUS_NO_SWEEP") ? 4 : getenv("TACTUS_SWEEP") ? 400 : 30;
    for (int round = 0; round < rounds; ++round)
        for (int t = 0; t < TAC_COUNT(temperatures); ++t) {
            int children = 2 + (int)(test_bits(&random) % 40);
            tacModel* model = random_pair(&random, children, temperatures[t]);
            tacScratch* scratch = make_scratch(model);
            draw_points(&random, x);
            evaluate(model, 0, x, &culled, scratch);
            evaluate(model, 1, x, &exact, scratch);
            ENSURE_LAW(same_fields(&culled, &exact, temperatures[t]));
            tac_scratch_destroy(scratch);
            tac_model_destroy(model);
        }
    printf("  largest differences: value %.2g, gradient %.2g, Hessian %.2g\n", worst[0], worst[1],
           worst[2]);
    return 0;
}

//---------------------------------- bits -----------------------------------------

static int bits_do_not_depend_on_the_batch(void) {
    static double x[3][COUNT], one[10][COUNT];
    static fields whole;
    testRandom random = {43};
    for (int round = 0; round < 6; ++round) {
        tacModel* model = random_pair(&random, 30, round % 2 ? 1e-3 : 5e-3);
        tacScratch* scratch = make_scratch(model);
        draw_points(&random, x);
        evaluate(model, 0, x, &whole, scratch);
        for (int chunk = 1; chunk <= 67; chunk += 11)
            for (int first = 0; first < COUNT; first += chunk) {
                int count = COUNT - first < chunk ? COUNT - first : chunk;
                tacPoints points = {count, {&x[0][first], &x[1][first], &x[2][first]}};
                tacField out = {.value = &one[0][first]};
                for (int k = 0; k < 3; ++k) out.gradient[k] = &one[1 + k][first];
                if (first % 2)
                    for (int k = 0; k < 6; ++k) out.hessian[k] = &one[4 + k][first];
                tac_shape_eval(model, 0, tac_pose_identity(), points, out, scratch);
                for (int k = 0; k < (first % 2 ? 10 : 4); ++k)
                    ENSURE(memcmp(&one[k][first], &whole.out[k][first],
                                  sizeof(double) * (size_t)count) == 0);
            }
        tac_scratch_destroy(scratch);
        tac_model_destroy(model);
    }
    return 0;
}

//---------------------------------- limits ---------------------------------------

// low <= phi <= high for every kind of leaf, near and far
static int limits_hold(void) {
    static const double eps[] = {0.1, 0.3, 0.7, 1.0, 1.4, 2.0};
    const tacShapeKernels* kernels = TAC_DISPATCH(tac_shape_kernels_);
    testRandom random = {47};
    int rounds = getenv("TACTUS_NO_SWEEP") ? 300 : 4000;
    for (int round = 0; round < rounds; ++round) {
        double param[12], x[3][TAC_BLOCK], low[TAC_BLOCK], high[TAC_BLOCK];
        for (int k = 0; k < 7; ++k) param[k] = test_uniform(&random, -1.0, 1.0);
        for (int k = 7; k < 10; ++k) param[k] = exp(test_uniform(&random, -4.0, 1.0));
        for (int k = 10; k < 12; ++k) param[k] = eps[test_bits(&random) % 6];
        tacNodeKind kind = (tacNodeKind)(round % TAC_NODE_POLYHEDRON);
        tacNode node = {.kind = kind, .parent = -1, .rotation = 3, .size = 7, .smooth = -1};
        node.distance =
            round / TAC_NODE_POLYHEDRON % 2 ? TAC_DISTANCE_RADIAL : TAC_DISTANCE_TANGENT;
        node.eps = kind == TAC_NODE_SUPERQUADRIC ? 10 : -1, node.block = -1;
        tacShape shape = {.name = "leaf", .count = 1, .depth = 1};
        tacModel model = {.nshape = 1, .nnode = 1, .nparam = 12, .param = param, .node = &node};
        model.shape = &shape;
        tacBound bound;
        tac_shape_bind(&model, &shape, tac_pose_identity(), &bound);
        for (int i = 0; i < TAC_BLOCK; ++i) {
            double reach = i % 8 == 0 ? 1e6 : i % 8 == 1 ? 1e-3 : i % 8 == 2 ? 30.0 : 1.0;
            for (int k = 0; k < 3; ++k)
                x[k][i] = bound.frame.origin[k] + reach * test_uniform(&random, -1.0, 1.0);
            high[i] = TAC_FAR;
        }
        static tacBlock field;
        kernels->leaf(&bound, (const double(*)[TAC_BLOCK])x, &field, TAC_BLOCK, 0);
        kernels->leaf_limits(&bound, (const double(*)[TAC_BLOCK])x, low, high, TAC_BLOCK);
        for (int i = 0; i < TAC_BLOCK; ++i) {
            double slack = 1e-9 * (1.0 + fabs(field.value[i]));
            ENSURE(low[i] <= field.value[i] + slack);
            ENSURE(high[i] >= field.value[i] - slack);
        }
    }
    return 0;
}

TEST_MAIN(RUN(culled_is_exact), RUN(bits_do_not_depend_on_the_batch), RUN(limits_hold))
