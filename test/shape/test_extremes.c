// No singular value anywhere: centres, axes, far away, all exponents, all temperatures.

#include "shape/shape_scenes.h"
#include "test.h"

static int all_finite(const double* a, int count) {
    for (int i = 0; i < count; ++i)
        if (!isfinite(a[i])) return 0;
    return 1;
}

// value, gradient, Hessian, jvp, vjp and hvp at one point of the shape's frame
static int everything_is_finite(const tacModel* model, int shape, const double x[3],
                                tacScratch* scratch) {
    double field[10], dot[4], bar[4] = {1.0, 0.5, -0.5, 0.25}, pose[6] = {1, 2, 3, 1, 2, 3};
    double x_dot[3] = {-0.3, 0.7, 0.2};
    static double param[4096], param_dot[4096];
    tacPose at = tac_pose_identity();
    tacPoints point = {1, {&x[0], &x[1], &x[2]}};
    tacField out = {&field[0],
                    {&field[1], &field[2], &field[3]},
                    {&field[4], &field[5], &field[6], &field[7], &field[8], &field[9]}};
    tacField first = {.value = &bar[0], .gradient = {&bar[1], &bar[2], &bar[3]}};
    tacField along = {.value = &dot[0], .gradient = {&dot[1], &dot[2], &dot[3]}};
    double x_bar[3] = {0}, pose_bar[6] = {0};
    memset(param, 0, sizeof param);
    for (int i = 0; i < model->nparam; ++i) param_dot[i] = 0.1 * model->param[i];
    tacShapeTangent tangent = {{&x_dot[0], &x_dot[1], &x_dot[2]}, pose, param_dot};
    tacShapeAdjoint adjoint = {{&x_bar[0], &x_bar[1], &x_bar[2]}, pose_bar, param};

    ENSURE(tac_shape_eval(model, shape, at, point, out, scratch) == TAC_OK);
    ENSURE(all_finite(field, 10));
    tacVec3 n = tac_shape_normal((tacVec3){field[1], field[2], field[3]});
    ENSURE(n.x * n.x + n.y * n.y + n.z * n.z <= 1.0 + 1e-15);
    ENSURE(tac_shape_jvp(model, shape, at, point, tangent, along, scratch) == TAC_OK);
    ENSURE(all_finite(dot, 4));
    ENSURE(tac_shape_vjp(model, shape, at, point, first, adjoint, scratch) == TAC_OK);
    ENSURE(all_finite(x_bar, 3) && all_finite(pose_bar, 6) && all_finite(param, model->nparam));
    ENSURE(tac_shape_hvp(model, shape, at, point, first, tangent, adjoint, scratch) == TAC_OK);
    ENSURE(all_finite(x_bar, 3) && all_finite(pose_bar, 6) && all_finite(param, model->nparam));
    return 0;
}

// points of every sort around a shape of this size
static int all_around(const tacModel* model, int shape, double size, tacScratch* scratch) {
    const double lengths[] = {0.0,  1e-300, 1e-160, 1e-100, 1e-31, 1e-30,  1e-20, 1e-12, 1e-6,
                              1e-3, 0.04,   0.05,   0.5,    1.0,   1.0001, 3.0,   1e3,   1e6};
    const double directions[][3] = {{1, 0, 0}, {0, 1, 0},       {0, 0, 1},      {-1, 0, 0},
                                    {1, 1, 0}, {1, 0, 1},       {1, 1, 1},      {0, 1, -1},
                                    {1, 2, 3}, {1e-9, 1, 1e-9}, {1, 1e-200, 0}, {1e-7, -1e-8, 1}};
    static int turn = 0; // where not all are taken, others each time
    int apart = test_amount(29, 5, 1);
    for (int i = 0; i < (int)(sizeof lengths / sizeof *lengths); ++i)
        for (int k = 0; k < (int)(sizeof directions / sizeof *directions); ++k) {
            double x[3];
            if (++turn % apart != 0) continue;
            for (int axis = 0; axis < 3; ++axis) x[axis] = size * lengths[i] * directions[k][axis];
            if (everything_is_finite(model, shape, x, scratch)) {
                printf("  shape %s at (%g %g %g)\n", model->shape[shape].name, x[0], x[1], x[2]);
                return 1;
            }
        }
    return 0;
}

static int law_for(const char* shapes, double size) {
    tacModel* model = load_shapes(shapes);
    tacScratch* scratch = make_scratch(model);
    int result = 0;
    for (int shape = 0; shape < model->nshape && !result; ++shape)
        result = all_around(model, shape, size, scratch);
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return result;
}

static int superquadrics_of_all_exponents(void) {
    const double exponents[] = {0.1, 0.5, 0.999, 1.0, 1.001, 1.5, 2.0};
    const double sizes[] = {1e-3, 1.0, 1e6};
    for (int s = 0; s < 3; ++s)
        for (int i = 0; i < 7; ++i)
            for (int k = 0; k < 7; ++k) {
                char text[600];
                double a = sizes[s], e1 = exponents[i], e2 = exponents[k];
                snprintf(text, sizeof text,
                         "<shape name='t'><superquadric size='%g %g %g' eps='%g %g'/></shape>"
                         "<shape name='r' distance='radial'><superquadric size='%g %g %g'"
                         " eps='%g %g'/></shape>",
                         a, 0.7 * a, 0.1 * a, e1, e2, a, 0.7 * a, 0.1 * a, e1, e2);
                ENSURE_LAW(law_for(text, a));
            }
    return 0;
}

static int spheres_and_planes(void) {
    return law_for("<shape name='s'><sphere size='1'/></shape><shape name='p'><plane/></shape>",
                   1.0);
}

static int primitives_of_all_sizes(void) {
    const double sizes[] = {1e-9, 1e-3, 1.0, 1e6, 1e8};
    for (int i = 0; i < 5; ++i)
        for (int k = 0; k < 5; ++k) {
            char text[600];
            double a = sizes[i], b = sizes[k];
            snprintf(text, sizeof text,
                     "<shape name='c'><capsule size='%g %g'/></shape>"
                     "<shape name='y'><cylinder size='%g %g'/></shape>"
                     "<shape name='b'><box size='%g %g %g'/></shape>"
                     "<shape name='e'><ellipsoid size='%g %g %g'/></shape>",
                     a, b, a, b, a, b, a, a, b, a);
            ENSURE_LAW(law_for(text, a));
            ENSURE_LAW(law_for(text, b));
        }
    return 0;
}

static int polyhedra_of_all_temperatures(void) {
    const double temperatures[] = {1e-6, 1e-4, 1e-2, 1.0}, sizes[] = {1e-6, 1.0, 1e6};
    for (int i = 0; i < 4; ++i)
        for (int s = 0; s < 3; ++s) {
            char text[1000];
            double a = sizes[s], tau = temperatures[i] * a;
            // a slab, a wedge and a tall pyramid keep something at any temperature; one plane is
            // a half-space
            snprintf(text, sizeof text,
                     "<shape name='h'><polyhedron planes='0 1 2 %g' smooth='%g'/></shape>"
                     "<shape name='s'><polyhedron planes='0 0 1 %g 0 0 -1 %g' smooth='%g'/></shape>"
                     "<shape name='w'><polyhedron planes='1 0 1 0 -1 0 1 0 0 1 .2 %g' smooth='%g'/>"
                     "</shape><shape name='p'><polyhedron planes='1 0 .5 %g -1 0 .5 %g 0 1 .5 %g "
                     "0 -1 .5 %g 0 0 -1 %g' smooth='%g'/></shape><shape name='c'><superquadric "
                     "size='%g %g %g' eps='.3 1' smooth='%g'><plane pos='0 0 "
                     "%g'/></superquadric></shape>",
                     -a, tau, -a, -a, tau, -a, tau, -3 * a, -3 * a, -3 * a, -3 * a, -3 * a, tau, a,
                     a, a, tau, 4 * tau);
            ENSURE_LAW(law_for(text, a));
        }
    return 0;
}

// curved, straight, nearly straight, uneven, tiny and huge; points on the spline and at its centres
// of curvature are among the multiples of the size
static int sweeps_of_all_sorts(void) {
    const char* const splines[] = {"-1 0 0 0 1 0 1 0 0",      "-1 0 0 0 0 0 1 0 0",
                                   "0 0 0 1 0 0 1 1 0",       "-1 0 0 0 1e-9 0 1 0 0",
                                   "0 0 0 0 0 0 0 0 0",       "-1 0 0 .9 0 0 1 0 0",
                                   "-.01 0 0 0 9 0 .01 0 0",  "0 0 0 1e-12 0 0 1e-12 1e-12 0",
                                   "-1e6 0 0 0 1e6 1 1e6 0 0"};
    const double exponents[] = {0.1, 1.0, 2.0}, temperatures[] = {1e-6, 1e-2, 1.0};
    for (int i = 0; i < 9; ++i)
        for (int k = 0; k < 3; ++k)
            for (int j = 0; j < 3; ++j) {
                char text[800];
                double e = exponents[k], tau = temperatures[j];
                snprintf(
                    text, sizeof text,
                    "<shape name='s'><sweep points='%s' size='.3 .2 .1' eps='%g %g'"
                    " smooth='%g'/></shape>"
                    "<shape name='r' distance='radial' check='false'><sweep points='%s' up='0 0 1'"
                    " size='.3 .2 .1 .1 .1 .1 .1 .3 .1' eps='%g 1 1 1 1 %g' twist='0 90 0'"
                    " smooth='%g'><plane pos='.1 0 0' zaxis='1 0 .1'/></sweep></shape>",
                    splines[i], e, e, tau, i == 4 ? "0 0 0 1 0 0 1 1 0" : splines[i], e, e, tau);
                ENSURE_LAW(law_for(text, 1.0));
                ENSURE_LAW(law_for(text, 0.5));
            }
    return 0;
}

static int combinations_of_all_temperatures(void) {
    const double temperatures[] = {1e-6, 1e-4, 1e-2, 1.0};
    for (int i = 0; i < 4; ++i) {
        char text[800];
        snprintf(
            text, sizeof text,
            "<shape name='u' smooth='%g'><sphere size='1'/><sphere size='1' pos='1 0 0'/>"
            "<superquadric size='1 .5 .3' eps='.2 1.5'/><sphere size='1'/></shape>"
            "<shape name='d' check='false' smooth='%g'><difference><sphere size='1'/><intersection>"
            "<sphere size='1'/><sphere size='1' pos='1 0 0'/></intersection></difference>"
            "</shape>",
            temperatures[i], temperatures[i]);
        ENSURE_LAW(law_for(text, 1.0));
    }
    return 0;
}

// wrong arguments get a result, not a crash
static int wrong_arguments_are_refused(void) {
    tacModel* model = load_shapes("<shape name='s'><sphere size='1'/></shape>");
    tacScratch* scratch = make_scratch(model);
    double x = 0.0, value = 42.0;
    tacPoints point = {1, {&x, &x, &x}}, none = {1, {NULL, NULL, NULL}}, empty = {0};
    tacField out = {.value = &value};
    tacPose at = tac_pose_identity();
    ENSURE(tac_shape_eval(model, 1, at, point, out, scratch) == TAC_ERROR_VALUE);
    ENSURE(tac_shape_eval(model, -1, at, point, out, scratch) == TAC_ERROR_VALUE);
    ENSURE(tac_shape_eval(model, 0, at, none, out, scratch) == TAC_ERROR_VALUE);
    ENSURE(tac_shape_eval(model, 0, at, empty, out, scratch) == TAC_OK);
    // not finite, too far, no rotation, a gradient in parts
    const double wrong[] = {NAN, INFINITY, -INFINITY, 1e16, 1e155};
    for (int i = 0; i < 5; ++i) {
        tacPoints far = {1, {&x, &wrong[i], &x}};
        tacPose nowhere = {{0, wrong[i], 0}, {1, 0, 0, 0}};
        ENSURE(tac_shape_eval(model, 0, at, far, out, scratch) == TAC_ERROR_VALUE);
        ENSURE(tac_shape_eval(model, 0, nowhere, point, out, scratch) == TAC_ERROR_VALUE);
        ENSURE(tac_shape_hvp(model, 0, at, far, out, (tacShapeTangent){0}, (tacShapeAdjoint){0},
                             scratch) == TAC_ERROR_VALUE);
    }
    tacPose unturned = {{0, 0, 0}, {0, 0, 0, 0}}, lost = {{0, 0, 0}, {NAN, 0, 0, 1}};
    ENSURE(tac_shape_eval(model, 0, unturned, point, out, scratch) == TAC_ERROR_VALUE);
    ENSURE(tac_shape_eval(model, 0, lost, point, out, scratch) == TAC_ERROR_VALUE);
    tacField part = {.value = &value, .gradient = {&x}};
    ENSURE(tac_shape_eval(model, 0, at, point, part, scratch) == TAC_ERROR_VALUE);
    ENSURE(tac_shape_vjp(model, 0, at, point, part, (tacShapeAdjoint){0}, scratch) ==
           TAC_ERROR_VALUE);
    ENSURE(value == 42.0);
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return 0;
}

TEST_MAIN(RUN(spheres_and_planes), RUN(primitives_of_all_sizes),
          RUN(superquadrics_of_all_exponents), RUN(polyhedra_of_all_temperatures),
          RUN(sweeps_of_all_sorts), RUN(combinations_of_all_temperatures),
          RUN(wrong_arguments_are_refused))
