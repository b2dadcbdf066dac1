// Culling: a union that leaves children out gives what the whole one gives, to 1e-12; the same bits
// for any batch; limits hold; a cut-off that is too short is noticed.

#include "base/assert.h"
#include "shape/cull.h"
#include "shape/shape_scenes.h"
#include "test.h"

enum { COUNT = 256 };

//---------------------------------- random unions --------------------------------

static int add_pose(char* text, testRandom* random) {
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
    n += add_pose(text + n, random);
    return n + sprintf(text + n, "/>");
}

// now and then a nest: a union, an intersection or a difference of a few
static int add_child(char* text, testRandom* random, int depth) {
    static const char* const kinds[] = {"union", "intersection", "difference"};
    if (depth == 0 || test_bits(random) % 5) return add_leaf(text, random);
    const char* kind = kinds[test_bits(random) % 3];
    int n = sprintf(text, "<%s", kind), count = 2 + (int)(test_bits(random) % 5);
    n += add_pose(text + n, random);
    n += sprintf(text + n, ">");
    for (int k = 0; k < count; ++k) n += add_child(text + n, random, depth - 1);
    return n + sprintf(text + n, "</%s>", kind);
}

// one shape twice: culled and exact
static tacModel* load_pair(testRandom* random, const char* body, double tau, int ends) {
    static char text[250000];
    const char* distance = test_bits(random) % 3 ? "tangent" : "radial";
    char end[40] = "";
    if (ends) snprintf(end, sizeof end, "truncate='%g'", tau * test_uniform(random, 10, 60));
    snprintf(text, sizeof text,
             "<mujoco><asset>"
             "<shape name='culled' check='false' smooth='%g' distance='%s' %s>%s</shape>"
             "<shape name='exact' check='false' exact='true' smooth='%g' distance='%s' %s>%s"
             "</shape></asset></mujoco>",
             tau, distance, end, body, tau, distance, end, body);
    tacModel* model = NULL;
    tacMessage message;
    if (tac_load_text(text, (int)strlen(text), "test.xml", NULL, &model, &message) != TAC_OK) {
        printf("  %d: %s: %s\n", message.line, message.attribute, message.text);
        exit(1);
    }
    return model;
}

static tacModel* random_pair(testRandom* random, int children, double tau, int ends) {
    static char body[120000];
    int n = 0;
    for (int k = 0; k < children; ++k) n += add_child(body + n, random, 2);
    return load_pair(random, body, tau, ends);
}

//---------------------------------- culled = exact -------------------------------

typedef struct fields {
    double out[10][COUNT], dot[4][COUNT], x_bar[3][COUNT], pose_bar[6];
    double x_hvp[3][COUNT], pose_hvp[6]; // second derivatives of the weighted sum of the values
} fields;

static void evaluate_points(const tacModel* model, int shape, double x[3][COUNT], fields* f,
                            tacScratch* scratch) {
    static double one[COUNT], twist[6] = {0.3, -0.2, 0.1, 0.2, 0.5, -0.4};
    for (int i = 0; i < COUNT; ++i) one[i] = 1.0 + 0.5 * (i % 3);
    tacPoints points = {COUNT, {x[0], x[1], x[2]}};
    tacField out = {.value = f->out[0]}, dot = {.value = f->dot[0]};
    for (int k = 0; k < 3; ++k) {
        out.gradient[k] = f->out[1 + k];
        dot.gradient[k] = f->dot[1 + k];
    }
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
    memset(f->x_hvp, 0, sizeof f->x_hvp);
    memset(f->pose_hvp, 0, sizeof f->pose_hvp);
    tac_shape_hvp(
        model, shape, at, points, (tacField){.value = one}, (tacShapeTangent){.pose = twist},
        (tacShapeAdjoint){{f->x_hvp[0], f->x_hvp[1], f->x_hvp[2]}, f->pose_hvp, NULL}, scratch);
}

static double worst[3];

// derivatives of the gradient round like 1/tau in both (docs/derivatives.md, first)
static int same_fields(double x[3][COUNT], const fields* a, const fields* b, double tau) {
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
        double far = 1.0 + fabs(x[0][i]) + fabs(x[1][i]) + fabs(x[2][i]); // arm of the twist
        for (int k = 0; k < 3; ++k)
            ENSURE_NEAR(a->x_hvp[k][i] / (far * size), b->x_hvp[k][i] / (far * size), second);
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

static int culled_unions_match_exact_ones(void) {
    static const double temperatures[] = {1e-6, 1e-4, 1e-3, 3e-3, 1e-2, 0.1, 1.0};
    static double x[3][COUNT];
    static fields culled, exact;
    testRandom random = {41};
    int rounds = getenv("TACTUS_NO_SWEEP") ? 4 : getenv("TACTUS_SWEEP") ? 400 : 30;
    for (int round = 0; round < rounds; ++round)
        for (int t = 0; t < TAC_COUNT(temperatures); ++t) {
            int children = 2 + (int)(test_bits(&random) % 59);
            tacModel* model = random_pair(&random, children, temperatures[t], round % 3 == 2);
            tacScratch* scratch = make_scratch(model);
            draw_points(&random, x);
            evaluate_points(model, 0, x, &culled, scratch);
            evaluate_points(model, 1, x, &exact, scratch);
            ENSURE_LAW(same_fields(x, &culled, &exact, temperatures[t]));
            tac_scratch_destroy(scratch);
            tac_model_destroy(model);
        }
    printf("  largest differences: value %.2g, gradient %.2g, Hessian %.2g\n", worst[0], worst[1],
           worst[2]);
    return 0;
}

// Two equal halves, mirrored at x = 0, and points on that plane and within a few temperatures of
// it: each child has a twin that is as far
static int ties_are_exact(void) {
    static const double temperatures[] = {1e-6, 1e-3, 5e-3};
    static double x[3][COUNT];
    static fields culled, exact;
    static char body[20000];
    testRandom random = {53};
    int rounds = getenv("TACTUS_NO_SWEEP") ? 2 : 10;
    for (int round = 0; round < rounds; ++round)
        for (int t = 0; t < TAC_COUNT(temperatures); ++t) {
            int n = 0, pairs = 3 + (int)(test_bits(&random) % 12);
            for (int k = 0; k < pairs; ++k) {
                double p[3], size[3], e = test_uniform(&random, 0.3, 1.0);
                for (int j = 0; j < 3; ++j) p[j] = test_uniform(&random, 0.1, 1.5);
                for (int j = 0; j < 3; ++j) size[j] = test_uniform(&random, 0.05, 0.3);
                for (int side = -1; side <= 1; side += 2)
                    n += sprintf(body + n,
                                 "<superquadric size='%g %g %g' eps='%g .8' pos='%g %g %g'/>",
                                 size[0], size[1], size[2], e, side * p[0], p[1], p[2]);
            }
            tacModel* model = load_pair(&random, body, temperatures[t], round % 2);
            tacScratch* scratch = make_scratch(model);
            draw_points(&random, x);
            for (int i = 0; i < COUNT; ++i)
                x[0][i] = i % 2 ? 0.0 : temperatures[t] * test_uniform(&random, -3.0, 3.0);
            evaluate_points(model, 0, x, &culled, scratch);
            evaluate_points(model, 1, x, &exact, scratch);
            ENSURE_LAW(same_fields(x, &culled, &exact, temperatures[t]));
            tac_scratch_destroy(scratch);
            tac_model_destroy(model);
        }
    return 0;
}

//---------------------------------- weight ---------------------------------------

// What is left out weighs no more than eq. 38 says, seen where it is closest: spheres, whose limits
// are exact, and points between two of them about one cut-off off the middle
static int dropped_weight_is_bounded(void) {
    enum { N = 5 };
    const double tau = 1e-3, radius = 0.1, step = 0.5, bound = 1e-13 * tau / 4.0;
    static double x[3][TAC_BLOCK];
    char text[1000];
    int n = sprintf(text, "<shape name='row' smooth='%g'>", tau), dropped = 0;
    for (int k = 0; k < N; ++k)
        n += sprintf(text + n, "<sphere size='%g' pos='%g 0 0'/>", radius, k * step);
    sprintf(text + n, "</shape>");
    tacModel* model = load_shapes(text);
    tacScratch* scratch = make_scratch(model);
    for (int i = 0; i < TAC_BLOCK; ++i) {
        x[0][i] = 0.5 * (step - tau * (20.0 + 30.0 * i / TAC_BLOCK));
        x[1][i] = x[2][i] = 0.0;
    }
    tacShapeProgram p = tac_shape_program_bind(model, 0, tac_pose_identity(), scratch);
    tacCulling culling = tac_cull_bind(&p, scratch);
    culling.at = tac_field_bounds_alloc(p.shape->count, &scratch->arena);
    tacBlockPoints points;
    tac_block_points_load(p.kernels, (tacPoints){TAC_BLOCK, {x[0], x[1], x[2]}}, 0, &points);
    tac_cull_block(&p, &points, &culling);
    for (int i = 0; i < TAC_BLOCK; ++i) {
        double nearest = x[0][i] - radius, weight = 0.0;
        for (int k = 0; k < N; ++k) {
            int out = !(culling.node[k].keep.word[i / 64] >> i % 64 & 1);
            dropped += out && k == 1;
            if (out) weight += exp((nearest - (fabs(x[0][i] - k * step) - radius)) / tau);
        }
        ENSURE(weight <= bound);
    }
    ENSURE(dropped > 0 && dropped < TAC_BLOCK);
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return 0;
}

//---------------------------------- bits -----------------------------------------

static int bits_do_not_depend_on_the_batch(void) {
    static double x[3][COUNT], one[10][COUNT];
    static fields whole;
    testRandom random = {43};
    for (int round = 0; round < 6; ++round) {
        tacModel* model = random_pair(&random, 30, round % 2 ? 1e-3 : 5e-3, round % 3 == 2);
        tacScratch* scratch = make_scratch(model);
        draw_points(&random, x);
        evaluate_points(model, 0, x, &whole, scratch);
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

// a leaf of each kind in turn, thrown by dice
static tacNodeData random_leaf(testRandom* random, int round) {
    static const double eps[] = {0.1, 0.3, 0.7, 1.0, 1.4, 2.0};
    double param[12];
    for (int k = 0; k < 7; ++k) param[k] = test_uniform(random, -1.0, 1.0);
    for (int k = 7; k < 10; ++k) param[k] = exp(test_uniform(random, -4.0, 1.0));
    for (int k = 10; k < 12; ++k) param[k] = eps[test_bits(random) % 6];
    tacNodeKind kind = (tacNodeKind)(round % TAC_NODE_POLYHEDRON);
    tacNode node = {.kind = kind, .parent = -1, .rotation = 3, .size = 7, .smooth = -1};
    node.distance = round / TAC_NODE_POLYHEDRON % 2 ? TAC_DISTANCE_RADIAL : TAC_DISTANCE_TANGENT;
    node.eps = kind == TAC_NODE_SUPERQUADRIC ? 10 : -1;
    node.block = -1;
    tacShape shape = {.name = "leaf", .count = 1, .depth = 1};
    tacModel model = {.nshape = 1, .nnode = 1, .nparam = 12, .param = param, .node = &node};
    model.shape = &shape;
    tacNodeData bound;
    tac_node_data_bind(&model, &shape, tac_pose_identity(), &bound);
    return bound;
}

// the steepest point of each leaf stays below its bound, and is not always far below it
static int lipschitz_bounds_hold(void) {
    const tacShapeKernels* kernels = TAC_DISPATCH(tac_shape_kernels_);
    testRandom random = {53};
    int rounds = getenv("TACTUS_NO_SWEEP") ? 300 : 4000;
    double closest = 0.0;
    for (int round = 0; round < rounds; ++round) {
        tacNodeData bound = random_leaf(&random, round);
        static double x[3][TAC_BLOCK];
        static tacFieldBlock field;
        double bounded = tac_leaf_lipschitz(&bound);
        for (int i = 0; i < TAC_BLOCK; ++i) {
            double y[3], reach = i % 3 ? 1e3 : 3.0;
            for (int k = 0; k < 3; ++k)
                y[k] = reach * bound.size[k] * pow(test_uniform(&random, -1.0, 1.0), i % 2 ? 1 : 3);
            for (int k = 0; k < 3; ++k) {
                const double* R = bound.frame.R.m[k];
                x[k][i] = bound.frame.origin[k] + R[0] * y[0] + R[1] * y[1] + R[2] * y[2];
            }
        }
        kernels->leaf(&bound, (const double(*)[TAC_BLOCK])x, &field, TAC_BLOCK, 1);
        for (int i = 0; i < TAC_BLOCK; ++i) {
            if (field.value[i] < 0.0) continue;
            double square = 0.0;
            for (int k = 0; k < 3; ++k) square += field.gradient[k][i] * field.gradient[k][i];
            ENSURE(sqrt(square) <= bounded * (1.0 + 1e-9));
            if (bounded > 2.0) closest = fmax(closest, sqrt(square) / bounded);
        }
    }
    printf("  steepest: %.3f of its bound\n", closest);
    ENSURE(closest > 0.7);
    return 0;
}

// low <= phi <= high for every kind of leaf, near and far
static int leaf_bounds_hold(void) {
    const tacShapeKernels* kernels = TAC_DISPATCH(tac_shape_kernels_);
    testRandom random = {47};
    int rounds = getenv("TACTUS_NO_SWEEP") ? 300 : 4000;
    for (int round = 0; round < rounds; ++round) {
        double x[3][TAC_BLOCK];
        float low[TAC_BLOCK], high[TAC_BLOCK];
        tacNodeData bound = random_leaf(&random, round);
        for (int i = 0; i < TAC_BLOCK; ++i) {
            double reach = i % 8 == 0 ? 1e6 : i % 8 == 1 ? 1e-3 : i % 8 == 2 ? 30.0 : 1.0;
            for (int k = 0; k < 3; ++k)
                x[k][i] = bound.frame.origin[k] + reach * test_uniform(&random, -1.0, 1.0);
            high[i] = TAC_BOUND_UNKNOWN;
        }
        static tacFieldBlock field;
        kernels->leaf(&bound, (const double(*)[TAC_BLOCK])x, &field, TAC_BLOCK, 0);
        float near_x[3][TAC_BLOCK];
        double middle[3], away = exp(test_uniform(&random, -3.0, 6.0));
        for (int k = 0; k < 3; ++k)
            middle[k] = bound.frame.origin[k] + away * test_uniform(&random, -1.0, 1.0);
        tacFloatLeaf float_leaf = tac_float_leaf_bind(&bound, middle);
        kernels->float_points((const double(*)[TAC_BLOCK])x, middle, near_x, TAC_BLOCK);
        kernels->leaf_bounds(&bound, &float_leaf, (const double(*)[TAC_BLOCK])x,
                             (const float(*)[TAC_BLOCK])near_x, low, high, TAC_BLOCK);
        for (int i = 0; i < TAC_BLOCK; ++i) {
            double slack = 1e-9 * (1.0 + fabs(field.value[i]));
            ENSURE(low[i] <= field.value[i] + slack);
            ENSURE(high[i] >= field.value[i] - slack);
        }
    }
    return 0;
}

TEST_MAIN(RUN(culled_unions_match_exact_ones), RUN(ties_are_exact), RUN(dropped_weight_is_bounded),
          RUN(bits_do_not_depend_on_the_batch), RUN(lipschitz_bounds_hold), RUN(leaf_bounds_hold))
