#define _GNU_SOURCE // mkstemps
// Oriented point clouds: closed forms of docs/shapes.md, derivatives, culling, bad input.

#include "shape/cloud_scenes.h"
#include "shape/prove_shapes.h"
#include "shape/shape_scenes.h"
#include "test.h"

#include <unistd.h>

static double value_at(const tacModel* model, double x, double y, double z) {
    tacScratch* scratch = make_scratch(model);
    double value = NAN;
    tac_shape_eval(model, 0, tac_pose_identity(), (tacPoints){1, {&x, &y, &z}},
                   (tacField){.value = &value}, scratch);
    tac_scratch_destroy(scratch);
    return value;
}

//---------------------------------- derivatives ----------------------------------

static int derivatives_of_clouds_hold(void) {
    int points = getenv("TACTUS_NO_SWEEP") ? 200 : getenv("TACTUS_SWEEP") ? 10000 : 1000;
    return prove_shapes(load_cloud_zoo(), points);
}

//---------------------------------- closed forms ---------------------------------

// where the field is 0 along a direction from the origin
static double zero_radius(const tacModel* model, const double d[3], double low, double high) {
    for (int i = 0; i < 60; ++i) {
        double r = 0.5 * (low + high);
        if (value_at(model, r * d[0], r * d[1], r * d[2]) < 0.0)
            low = r;
        else
            high = r;
    }
    return low;
}

// for large eps1 the zero level of a closed cloud tends to a ball of radius sqrt(3 eps1/2)
static int wide_kernels_give_a_growing_ball(void) {
    cloudSet box = make_box(8, 1.0, 1.0, 1.0);
    const double axis[3] = {1.0, 0.0, 0.0}, s = sqrt(1.0 / 3.0), corner[3] = {s, s, s};
    tacModel* model = load_set(&box, "width='10'", "");
    ENSURE_NEAR(zero_radius(model, axis, 1.0, 100.0), 12.286, 2e-3);
    ENSURE_NEAR(zero_radius(model, corner, 1.0, 100.0), 12.288, 2e-3);
    tac_model_destroy(model);
    model = load_set(&box, "width='100'", "");
    ENSURE_NEAR(zero_radius(model, axis, 1.0, 1000.0), 122.478, 2e-3);
    tac_model_destroy(model);
    free_set(&box);
    return 0;
}

// 8 points per side of a square with half 1, in the plane z = 0
static cloudSet make_square(void) {
    cloudSet set = make_set(32);
    for (int i = 0; i < 32; ++i) {
        int axis = i / 8 % 2;
        double side = i < 16 ? 1.0 : -1.0, along = (2.0 * (i % 8) + 1.0) / 8.0 - 1.0;
        set.normal[i][0] = set.normal[i][1] = set.normal[i][2] = set.point[i][2] = 0.0;
        set.normal[i][axis] = set.point[i][axis] = side;
        set.point[i][1 - axis] = along;
    }
    return set;
}

// the zero level of a square grows from its sides to a circle of radius sqrt(eps1) as eps1 grows:
// along x and along the diagonal
static int wide_kernels_round_a_square(void) {
    static const double seen[][3] = {{0.1, 1.000, 1.414},
                                     {0.5, 1.118, 1.415},
                                     {1.0, 1.323, 1.460},
                                     {5.0, 2.386, 2.397},
                                     {100.0, 10.033, 10.033}};
    const double x[3] = {1.0, 0.0, 0.0}, diagonal[3] = {sqrt(0.5), sqrt(0.5), 0.0};
    cloudSet square = make_square();
    for (int i = 0; i < 5; ++i) {
        char width[60];
        snprintf(width, sizeof width, "width='%.17g' check='false'", sqrt(seen[i][0]));
        tacModel* model = load_set(&square, width, "");
        double a = zero_radius(model, x, 0.5, 50.0), b = zero_radius(model, diagonal, 0.5, 50.0);
        printf("  eps1 %g: %.3f along x, %.3f along the diagonal\n", seen[i][0], a, b);
        ENSURE_NEAR(a / seen[i][1], 1.0, 0.005);
        ENSURE_NEAR(b / seen[i][2], 1.0, 0.005);
        tac_model_destroy(model);
    }
    free_set(&square);
    return 0;
}

// On a ball of radius R the plane of a point at the distance s is at -s^2/2R: phi is -<s^2>/2R, so
// -eps1/2R where many points count, and -0.0802 h^2/R (the mean over a hexagon) where one does. h
// is the root of the area per point.
static int surface_lies_near_the_samples(void) {
    static const double shares[] = {0.25, 0.5, 1.0, 2.0};
    int count = 1000;
    double h = sqrt(4.0 * acos(-1.0) / count);
    cloudSet ball = make_egg(count, 1.0, 1.0, 1.0);
    for (int k = 0; k < 4; ++k) {
        char width[60];
        double w = shares[k] * h, least = INFINITY, most = -INFINITY, mean = 0.0;
        snprintf(width, sizeof width, "width='%.17g'", w);
        tacModel* model = load_set(&ball, width, "");
        testRandom random = {31};
        for (int i = 0; i < 2000; ++i) {
            double x[3], n = 0.0;
            for (int j = 0; j < 3; ++j) {
                x[j] = test_uniform(&random, -1.0, 1.0);
                n += x[j] * x[j];
            }
            double value = value_at(model, x[0] / sqrt(n), x[1] / sqrt(n), x[2] / sqrt(n));
            least = fmin(least, value);
            most = fmax(most, value);
            mean += value / 2000.0;
        }
        printf("  width %g h: phi on the ball %.3f to %.3f h^2/R, mean %.3f; eps1 = %.3f h^2\n",
               shares[k], least / (h * h), most / (h * h), mean / (h * h), w * w / (h * h));
        double u = w * w / (h * h);
        ENSURE(most <= 0.0 && least > -(0.25 + 0.55 * u) * h * h);
        ENSURE_NEAR(mean / (h * h), -fmax(0.5 * u, 0.0802), u < 1.0 ? 0.02 : 0.001 * u);
        tac_model_destroy(model);
    }
    free_set(&ball);
    return 0;
}

// slopes of Wendland's kernel with its tail, and the crest of psi exp(u), as cloud_search.inl has
// them
static int wendland_bounds_hold(void) {
    double steep = 0.0, bend = 0.0, crest = 0.0, at = 0.0;
    for (int i = 0; i < 1000000; ++i) {
        double u = 28.0 / 3.0 * (i + 0.5) * 1e-6, t = sqrt(3.0 * u / 28.0), r = 1.0 - t;
        double tail = 1e-3 * exp(-u), psi = pow(r, 6.0) * (35.0 * t * t + 18.0 * t + 3.0) / 3.0;
        double d1 = -pow(r, 5.0) * (1.0 + 5.0 * t), d2 = 45.0 / 28.0 * pow(r, 4.0);
        steep = fmax(steep, fabs(d1 - tail) / (psi + tail));
        bend = fmax(bend, fabs(d2 + tail) / (psi + tail));
        if ((psi + tail) * exp(u) > crest) {
            crest = (psi + tail) * exp(u);
            at = t;
        }
    }
    printf("  |(ln B)'| <= %.4f, |B''/B| <= %.3f, crest %.4f at t = %.4f\n", steep, bend, crest,
           at);
    ENSURE(steep < 5.0 && bend < 25.0 && crest < 1.117);
    ENSURE_NEAR(steep, 4.4596, 1e-3);
    ENSURE_NEAR(at, 17.0 / 35.0, 1e-3);
    return 0;
}

// where every exp(-d^2/eps1) underflows, the plane of the nearest point: 0.4 outside a cube
static int far_weights_do_not_underflow(void) {
    cloudSet box = make_box(8, 1.0, 1.0, 1.0);
    static const char* const kernels[] = {"width='.01'", "width='.01' kernel='wendland'",
                                          "width='.01' kernel='anisotropic'"};
    for (int k = 0; k < 3; ++k) {
        tacModel* model = load_set(&box, kernels[k], "");
        ENSURE_NEAR(value_at(model, 1.4, 0.0, 0.0), 0.4, 1e-12);
        tac_model_destroy(model);
    }
    free_set(&box);
    return 0;
}

// plate of 2 x 2 x 0.2 with m x m points per face: how often the sign around it is wrong
static double wrong_signs(int m) {
    cloudSet plate = make_box(m, 1.0, 1.0, 0.1);
    tacModel* model = load_set(&plate, "width='.002'", "");
    tacScratch* scratch = make_scratch(model);
    testRandom random = {3};
    int wrong = 0, total = 20000;
    for (int i = 0; i < total; ++i) {
        double x = test_uniform(&random, -1.2, 1.2), y = test_uniform(&random, -1.2, 1.2);
        double z = test_uniform(&random, -0.3, 0.3), value;
        tac_shape_eval(model, 0, tac_pose_identity(), (tacPoints){1, {&x, &y, &z}},
                       (tacField){.value = &value}, scratch);
        int inside = fabs(x) < 1.0 && fabs(y) < 1.0 && fabs(z) < 0.1;
        wrong += (value < 0.0) != inside;
    }
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    free_set(&plate);
    return 100.0 * wrong / total;
}

// the plane of the nearest sample is the wrong one where samples are farther apart than the plate
// is thick: one point per face, (.95, 0, .15) is 0.05 outside and gets -0.05
static int coarse_clouds_of_thin_plates_have_wrong_signs(void) {
    cloudSet plate = make_box(1, 1.0, 1.0, 0.1);
    tacModel* model = load_set(&plate, "width='.01'", "");
    ENSURE_NEAR(value_at(model, 0.95, 0.0, 0.15), -0.05, 1e-9);
    tac_model_destroy(model);
    free_set(&plate);
    double coarse = wrong_signs(1), middle = wrong_signs(4), fine = wrong_signs(16);
    printf("  wrong signs: %.1f %% (1 x 1), %.1f %% (4 x 4), %.1f %% (16 x 16)\n", coarse, middle,
           fine);
    ENSURE(coarse > 20.0 && middle < 0.6 * coarse && fine < 3.0 && fine > 0.1);
    return 0;
}

//---------------------------------- culling --------------------------------------

typedef struct field {
    double value, g[3], H[6];
} field;

static void eval_cloud(const tacModel* model, int shape, const double x[3], field* f,
                       tacScratch* scratch) {
    tacField out = {&f->value,
                    {&f->g[0], &f->g[1], &f->g[2]},
                    {&f->H[0], &f->H[1], &f->H[2], &f->H[3], &f->H[4], &f->H[5]}};
    tac_shape_eval(model, shape, tac_pose_identity(), (tacPoints){1, {&x[0], &x[1], &x[2]}}, out,
                   scratch);
}

// within 1e-12 max(1, |H|) of the sum over all points, for kernels and widths
static int culling_changes_nothing(void) {
    static const char* const attributes[] = {"width='.002'",
                                             "width='.02'",
                                             "width='.2'",
                                             "width='1'",
                                             "kernel='wendland' width='.02'",
                                             "kernel='wendland' width='.2'",
                                             "kernel='anisotropic' width='.02 .1'"};
    double worst = 0.0;
    cloudSet egg = make_egg(2000, 0.5, 0.4, 0.6);
    for (int k = 0; k < 7; ++k) {
        tacModel *fast = load_set(&egg, attributes[k], ""),
                 *slow = load_set(&egg, attributes[k], "exact='true'");
        tacScratch* scratch = make_scratch(fast);
        testRandom random = {5};
        for (int i = 0; i < 400; ++i) {
            double x[3], reach = i % 3 == 0 ? 0.1 : i % 3 == 1 ? 1.0 : 20.0;
            const double* from = egg.point[(i * 7) % egg.count];
            for (int j = 0; j < 3; ++j) x[j] = from[j] + test_uniform(&random, -reach, reach);
            field a, b;
            eval_cloud(fast, 0, x, &a, scratch);
            eval_cloud(slow, 0, x, &b, scratch);
            double size = 1.0;
            for (int j = 0; j < 6; ++j) size = fmax(size, fabs(b.H[j]));
            worst = fmax(worst, fabs(a.value - b.value));
            for (int j = 0; j < 3; ++j) worst = fmax(worst, fabs(a.g[j] - b.g[j]));
            for (int j = 0; j < 6; ++j) worst = fmax(worst, fabs(a.H[j] - b.H[j]) / size);
            ENSURE_NEAR(worst, 0.0, 1e-12);
        }
        tac_scratch_destroy(scratch);
        tac_model_destroy(fast);
        tac_model_destroy(slow);
    }
    printf("  largest change %.2g\n", worst);
    free_set(&egg);
    return 0;
}

// boxes follow points that are moved by tac_param_set
static int moved_points_stay_in_their_boxes(void) {
    cloudSet egg = make_egg(600, 0.5, 0.4, 0.6);
    tacModel *fast = load_set(&egg, "width='.03'", ""),
             *slow = load_set(&egg, "width='.03'", "exact='true'");
    tacScratch* scratch = make_scratch(fast);
    tacModel* both[2] = {fast, slow};
    double moved[600];
    for (int k = 0; k < 2; ++k) {
        tacParam x;
        ENSURE(tac_param_find(both[k], "shape:cloud/0/x", &x) == TAC_OK && x.count == 600);
        for (int i = 0; i < 600; ++i)
            moved[i] = both[k]->param[x.offset + i] * (i % 2 ? 3.0 : -1.0);
        ENSURE(tac_param_set(both[k], x, moved, NULL) == TAC_OK);
    }
    testRandom random = {9};
    for (int i = 0; i < 300; ++i) {
        double x[3];
        field a, b;
        for (int j = 0; j < 3; ++j) x[j] = test_uniform(&random, -1.5, 1.5);
        eval_cloud(fast, 0, x, &a, scratch);
        eval_cloud(slow, 0, x, &b, scratch);
        ENSURE_NEAR(a.value, b.value, 1e-12);
    }
    tac_scratch_destroy(scratch);
    tac_model_destroy(fast);
    tac_model_destroy(slow);
    free_set(&egg);
    return 0;
}

//---------------------------------- everywhere -----------------------------------

// a few points, some of them coincident, at and between them and 1e6 sizes away
static int every_value_of_a_cloud_is_finite(void) {
    static const double widths[] = {1e-9, 1e-3, 1.0, 1e3, 1e8};
    static const char* const kernels[] = {"isotropic", "anisotropic", "wendland"};
    cloudSet set = make_box(2, 1.0, 1.0, 1.0);
    memcpy(set.point[1], set.point[0], sizeof set.point[0]);
    for (int w = 0; w < 15; ++w) {
        char attributes[100];
        snprintf(attributes, sizeof attributes, "kernel='%s' width='%g' check='false'",
                 kernels[w % 3], widths[w / 3]);
        tacModel* model = load_set(&set, attributes, "");
        tacScratch* scratch = make_scratch(model);
        for (int i = 0; i < 60; ++i) {
            static const double lengths[] = {0.0, 1e-160, 1e-9, 1.0, 1e3, 1e6, 1e15};
            double x[3], bar[4] = {1.0, 0.5, -0.5, 0.25}, *param = calloc(2000, sizeof(double));
            for (int k = 0; k < 3; ++k)
                x[k] = i < 18 ? set.point[i][k] * (i % 2 ? 1.0 : 1.0 + 1e-9)
                              : lengths[i % 7] * set.point[i % 18][(k + i / 7) % 3];
            field f;
            eval_cloud(model, 0, x, &f, scratch);
            double n2 = 0.0, all = f.value, radius;
            tacVec3 n = tac_shape_normal((tacVec3){f.g[0], f.g[1], f.g[2]});
            n2 = n.x * n.x + n.y * n.y + n.z * n.z;
            for (int k = 0; k < 6; ++k) all += f.H[k];
            ENSURE(isfinite(all) && n2 <= 1.0 + 1e-15);
            tacPoints point = {1, {&x[0], &x[1], &x[2]}};
            tacShapeAdjoint adjoint = {.param = param};
            tacField from = {&bar[0], {&bar[1], &bar[2], &bar[3]}, {0}};
            ENSURE(tac_shape_vjp(model, 0, tac_pose_identity(), point, from, adjoint, scratch) ==
                   TAC_OK);
            tacShapeTangent along = {.param = model->param};
            ENSURE(tac_shape_hvp(model, 0, tac_pose_identity(), point, from, along, adjoint,
                                 scratch) == TAC_OK);
            for (int k = 0; k < model->nparam; ++k) ENSURE(isfinite(param[k]));
            tac_shape_steps(model, 0, tac_pose_identity(), point, &radius, scratch);
            ENSURE(radius >= 0.0 && isfinite(radius));
            free(param);
        }
        tac_scratch_destroy(scratch);
        tac_model_destroy(model);
    }
    free_set(&set);
    return 0;
}

//---------------------------------- many points ----------------------------------

static int a_million_points_work(void) {
    int count = getenv("TACTUS_NO_SWEEP") ? 20000 : getenv("TACTUS_SWEEP") ? 1000000 : 200000;
    cloudSet ball = make_egg(count, 1.0, 1.0, 1.0);
    char path[] = "/tmp/tactus_cloud_XXXXXX.xyz", scene[200];
    int file = mkstemps(path, 4);
    ENSURE(file >= 0);
    FILE* out = fdopen(file, "w");
    ENSURE(out);
    for (int i = 0; i < count; ++i)
        fprintf(out, "%.9f %.9f %.9f %.9f %.9f %.9f\n", ball.point[i][0], ball.point[i][1],
                ball.point[i][2], ball.normal[i][0], ball.normal[i][1], ball.normal[i][2]);
    fclose(out);
    int size = snprintf(
        scene, sizeof scene,
        "<mujoco><asset><shape name='c'><cloud file='%s'/></shape></asset></mujoco>", path);
    tacModel* model = NULL;
    tacMessage message;
    tacResult result = tac_load_text(scene, size, "scene.xml", NULL, &model, &message);
    unlink(path);
    free_set(&ball);
    if (result != TAC_OK) printf("  %s\n", message.text);
    ENSURE(result == TAC_OK);
    tacScratch* scratch = make_scratch(model);
    const double x[3] = {0.8, 0.9, 1.0}, r = sqrt(0.64 + 0.81 + 1.0);
    field f;
    eval_cloud(model, 0, x, &f, scratch);
    ENSURE_NEAR(f.value, r - 1.0, 1e-3);
    for (int k = 0; k < 3; ++k) ENSURE_NEAR(f.g[k], x[k] / r, 2e-2);
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return 0;
}

//---------------------------------- bad input ------------------------------------

typedef struct wrongCloud {
    const char *element, *attribute, *says;
} wrongCloud;

static int wrong_clouds_are_refused(void) {
    static const wrongCloud wrong[] = {
        {"<cloud/>", "points", "or a 'file'"},
        {"<cloud points='0 0 0'/>", "normals", "needs the attribute"},
        {"<cloud points='' normals=''/>", "points", "three numbers"},
        {"<cloud points='0 0' normals='0 0'/>", "points", "three numbers"},
        {"<cloud points='0 0 0 1 0 0' normals='0 0 1'/>", "normals", "6 numbers in 'points' and 3"},
        {"<cloud points='0 0 nan' normals='0 0 1'/>", "points", "not a finite"},
        {"<cloud points='0 0 0' normals='0 0 inf'/>", "normals", "not a finite"},
        {"<cloud points='0 0 0' normals='0 0 1'/>", "width", "sample spacing"},
        {"<cloud points='0 0 0 1 0 0' normals='0 0 1 0 0 0'/>", "normals", "length 0"},
        {"<cloud points='0 0 0 1 0 0' normals='0 0 1 0 0 2'/>", "normals", "length 2"},
        {"<cloud points='0 0 0 1 0 0' normals='0 0 1 0 0 -1'/>", "normals", "opposite sides"},
        {"<cloud points='1 0 0 -1 0 0' normals='-1 0 0 1 0 0'/>", "normals", "inwards"},
        {"<cloud points='0 0 0 0 0 0' normals='0 0 1 0 0 1'/>", "points", "coincide"},
        {"<cloud points='0 0 0 1 0 0 0 1 0' normals='0 0 1 0 0 1 0 0 1'/>", "normals",
         "all point to one side"},
        {"<cloud points='0 0 0 1 0 .2 0 1 .2' normals='0 0 1 .6 0 .8 0 .8 .6'/>", "normals",
         "all point to one side"},
        {"<cloud points='0 0 0' normals='0 0 1' width='0'/>", "width", "out of range"},
        {"<cloud points='0 0 0' normals='0 0 1' width='-1'/>", "width", "out of range"},
        {"<cloud points='0 0 0' normals='0 0 1' width='1 2'/>", "width", "needs 1 number"},
        {"<cloud points='0 0 0' normals='0 0 1' kernel='round'/>", "kernel", "is not a value"},
        {"<cloud points='0 0 0' normals='0 0 1' width='1' metric='1 1 1 0 0 0'/>", "metric",
         "needs kernel"},
        {"<cloud kernel='anisotropic' points='0 0 0' normals='0 0 1' metric='1 1 -1 0 0 0'/>",
         "metric", "not positive definite"},
        {"<cloud kernel='anisotropic' points='0 0 0' normals='0 0 1' metric='1 1 1 2 0 0'/>",
         "metric", "not positive definite"},
        {"<cloud kernel='anisotropic' points='0 0 0' normals='0 0 1' metric='1 1 1'/>", "metric",
         "six numbers"},
        {"<cloud points='0 0 0' normals='0 0 1' width='1' log_amp='1 2'/>", "log_amp",
         "one number for each"},
        {"<cloud file='no such file.ply'/>", "file", "no such file.ply"},
        {"<cloud file='a.ply' points='0 0 0'/>", "file", "not both"},
    };
    for (int i = 0; i < (int)(sizeof wrong / sizeof *wrong); ++i) {
        char text[600];
        tacModel* model = NULL;
        tacMessage m;
        int size = snprintf(text, sizeof text,
                            "<mujoco><asset>\n<shape name='c'>\n%s</shape></asset></mujoco>",
                            wrong[i].element);
        tacResult result = tac_load_text(text, size, "test.xml", NULL, &model, &m);
        if (result == TAC_OK || m.line != 3 || strcmp(m.attribute, wrong[i].attribute) != 0 ||
            !strstr(m.text, wrong[i].says)) {
            printf("  %s: result %d, line %d, '%s': %s\n", wrong[i].element, (int)result, m.line,
                   m.attribute, m.text);
            return 1;
        }
    }
    return 0;
}

// a metric that tac_param_set would make indefinite is refused and nothing changes
static int metrics_stay_positive(void) {
    cloudSet egg = make_egg(20, 1.0, 1.0, 1.0);
    tacModel* model = load_set(&egg, "kernel='anisotropic' width='.5'", "");
    tacParam xy, all;
    double bad = 100.0, good = 0.1;
    ENSURE(tac_param_find(model, "shape:cloud/0/mxy[3]", &xy) == TAC_OK);
    ENSURE(tac_param_set(model, xy, &bad, NULL) == TAC_ERROR_VALUE);
    ENSURE(tac_param_set(model, xy, &good, NULL) == TAC_OK && model->param[xy.offset] == good);
    ENSURE(tac_param_find(model, "shape:cloud/0/width", &all) != TAC_OK);
    tac_model_destroy(model);
    free_set(&egg);
    return 0;
}

// far away scores are rounded by more than any weight falls; and a cloud of one point has no size
static int far_points_and_clouds_without_size_work(void) {
    tacModel* m = load_shapes(
        "<shape name='e' exact='true'><cloud points='1 0 0 -1 0 0 0 1 0 0 -1 0 0 0 1 0 0 -1'"
        " normals='1 0 0 -1 0 0 0 1 0 0 -1 0 0 0 1 0 0 -1' width='.1'/></shape>"
        "<shape name='one'><union><cloud points='0 0 0' normals='1 0 0' width='.01'/>"
        "<sphere size='.1'/></union></shape>");
    tacScratch* scratch = make_scratch(m);
    for (int shape = 0; shape < 2; ++shape)
        for (double far = 1e-3; far < 1e15; far *= 10.0) {
            double x[3] = {0.2 * far, 0.4 * far, 0.6 * far}, out[10];
            tacField f = {&out[0], {&out[1], &out[2], &out[3]}, {NULL}};
            for (int k = 0; k < 6; ++k) f.hessian[k] = &out[4 + k];
            tacPoints point = {1, {&x[0], &x[1], &x[2]}};
            ENSURE(tac_shape_eval(m, shape, tac_pose_identity(), point, f, scratch) == TAC_OK);
            for (int k = 0; k < 10; ++k) ENSURE(isfinite(out[k]));
        }
    tac_scratch_destroy(scratch);
    tac_model_destroy(m);
    return 0;
}

TEST_MAIN(RUN(derivatives_of_clouds_hold), RUN(wide_kernels_give_a_growing_ball),
          RUN(wide_kernels_round_a_square), RUN(surface_lies_near_the_samples),
          RUN(wendland_bounds_hold), RUN(far_weights_do_not_underflow),
          RUN(coarse_clouds_of_thin_plates_have_wrong_signs), RUN(culling_changes_nothing),
          RUN(moved_points_stay_in_their_boxes), RUN(every_value_of_a_cloud_is_finite),
          RUN(a_million_points_work), RUN(wrong_clouds_are_refused), RUN(metrics_stay_positive),
          RUN(far_points_and_clouds_without_size_work))
