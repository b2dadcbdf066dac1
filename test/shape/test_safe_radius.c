// The safe step: a ray that advances by it never enters a shape, and the ball inside never leaves
// it; the ball around a solid holds it, and is where the solid is.

#include "shape/bounds/safe_radius.h"
#include "shape/cloud_scenes.h"
#include "shape/shape_scenes.h"
#include "test.h"

// march a random ray; the value must stay positive, and no point of the proven ball may be inside
static int ray_stays_outside(const tacModel* model, int shape, tacScratch* scratch,
                             testRandom* random) {
    double x[3], d[3], length = 0.0;
    for (int k = 0; k < 3; ++k) {
        x[k] = test_uniform(random, -3.0, 3.0);
        d[k] = test_uniform(random, -1.0, 1.0) - 0.3 * x[k];
    }
    for (int k = 0; k < 3; ++k) length += d[k] * d[k];
    for (int k = 0; k < 3; ++k) d[k] /= sqrt(length);
    tacPoints point = {1, {&x[0], &x[1], &x[2]}};
    for (int step = 0; step < 60; ++step) {
        double value, radius;
        tac_shape_eval(model, shape, tac_pose_identity(), point, (tacField){.value = &value},
                       scratch);
        tac_shape_steps(model, shape, tac_pose_identity(), point, &radius, scratch);
        ENSURE(radius >= 0.0 && isfinite(radius));
        if (step == 0 && value <= 0.0) return 0; // started inside
        ENSURE(value > -1e-12);
        double probe[3], n = 0.0;
        for (int k = 0; k < 3; ++k) probe[k] = test_uniform(random, -1.0, 1.0);
        for (int k = 0; k < 3; ++k) n += probe[k] * probe[k];
        for (int k = 0; k < 3; ++k) probe[k] = x[k] + probe[k] * (0.999 * radius / sqrt(n));
        tacPoints there = {1, {&probe[0], &probe[1], &probe[2]}};
        tac_shape_eval(model, shape, tac_pose_identity(), there, (tacField){.value = &value},
                       scratch);
        ENSURE(value > -1e-12);
        for (int k = 0; k < 3; ++k) x[k] += radius * d[k];
        if (radius < 1e-7 || radius > 100.0) break;
    }
    return 0;
}

static int rays_never_enter_model(tacModel* model, int rays) {
    tacScratch* scratch = make_scratch(model);
    testRandom random = {17};
    for (int shape = 0; shape < model->nshape; ++shape)
        for (int i = 0; i < rays; ++i)
            ENSURE_LAW(ray_stays_outside(model, shape, scratch, &random));
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return 0;
}

static int rays_never_enter_shapes(void) {
    int rays = test_amount(60, 2000, 120000);
    return rays_never_enter_model(load_zoo(), rays);
}

// differences in unions in differences, with cut superquadrics and cut sweeps on every level
static const char* const nests =
    "<shape name='cave' smooth='.02'><difference><box size='.5 .4 .3'/><union pos='.1 0 .1'"
    " euler='10 20 30' smooth='.01'><difference><sphere size='.3'/><capsule size='.1 .2'/>"
    "</difference><superquadric size='.2 .3 .1' eps='.6 .4' pos='-.3 0 0'><plane pos='0 .1 0'"
    " zaxis='0 1 1'/></superquadric></union></difference></shape>"
    "<shape name='worm hole' smooth='.01'><difference><superquadric size='.5 .5 .4' eps='.4 .5'/>"
    "<union><sweep points='-.5 0 0  0 .5 .1  .6 .3 .2' size='.15 .15 .1' eps='.5 1'>"
    "<plane normal='1 0 0  1 .5 .1  .5 1 0' offset='.02 .05 .08'/></sweep><difference>"
    "<cylinder size='.2 .5' pos='0 -.2 0'/><ellipsoid size='.1 .3 .2' pos='0 -.2 .2'/>"
    "</difference></union></difference></shape>"
    "<shape name='worm' smooth='.01'><difference><union><sweep points='-.5 0 0  0 .5 .1  .6 .3 .2'"
    " size='.15 .15 .1' eps='.5 1' twist='0 60 200'><plane pos='0 .05 0' zaxis='.1 1 0'/></sweep>"
    "<difference><sphere size='.3'/><superquadric size='.2 .2 .4' eps='2 1' pos='0 0 .1'/>"
    "</difference></union><box size='.1 .1 .4' pos='.1 .1 0' euler='0 40 0'/></difference></shape>";

static int rays_never_enter_nests(void) {
    return rays_never_enter_model(load_shapes(nests), test_amount(100, 2000, 120000));
}

static int rays_never_enter_clouds(void) {
    int rays = test_amount(30, 500, 100000);
    return rays_never_enter_model(load_cloud_zoo(), rays);
}

// a random direction
static void random_direction(testRandom* random, double d[3]) {
    double n = 0.0;
    for (int k = 0; k < 3; ++k) {
        d[k] = test_uniform(random, -1.0, 1.0);
        n += d[k] * d[k];
    }
    for (int k = 0; k < 3; ++k) d[k] /= sqrt(n);
}

static double value_at(const tacModel* model, int shape, const double x[3], tacScratch* scratch) {
    double value = NAN;
    tac_shape_eval(model, shape, tac_pose_identity(), (tacPoints){1, {&x[0], &x[1], &x[2]}},
                   (tacField){.value = &value}, scratch);
    return value;
}

// no point of a ball that is proven to lie inside is outside; at most one side is proven
static int inside_safe_radius_stays_inside(void) {
    tacModel* models[] = {load_zoo(), load_cloud_zoo()};
    int points = test_amount(100, 2000, 4000), proven = 0;
    testRandom random = {19};
    for (int m = 0; m < 2; ++m) {
        tacScratch* scratch = make_scratch(models[m]);
        for (int i = 0; i < points * models[m]->nshape; ++i) {
            double x[3], d[3], outside, inside;
            int shape = i / points;
            for (int k = 0; k < 3; ++k) x[k] = test_uniform(&random, -0.5, 0.5);
            tac_shape_safe_radius(models[m], shape, tac_pose_identity(),
                                  (tacPoints){1, {&x[0], &x[1], &x[2]}}, &outside, &inside,
                                  scratch);
            ENSURE(inside >= 0.0 && (outside == 0.0 || inside == 0.0));
            random_direction(&random, d);
            for (int k = 0; k < 3; ++k) x[k] += 0.999 * inside * d[k];
            if (inside > 0.0) ENSURE(value_at(models[m], shape, x, scratch) < 1e-12);
            proven += inside > 0.0;
        }
        tac_scratch_destroy(scratch);
        tac_model_destroy(models[m]);
    }
    ENSURE(proven > points);
    return 0;
}

// spheres and half-spaces: the step is the distance itself
static int step_is_exact_where_it_can_be(void) {
    tacModel* model = load_zoo();
    tacScratch* scratch = make_scratch(model);
    double x = 1.0, y = -2.0, z = 3.0, value, radius;
    tacPoints point = {1, {&x, &y, &z}};
    for (int shape = 0; shape < 2; ++shape) {
        tac_shape_eval(model, shape, tac_pose_identity(), point, (tacField){.value = &value},
                       scratch);
        tac_shape_steps(model, shape, tac_pose_identity(), point, &radius, scratch);
        ENSURE_NEAR(radius, fmax(value, 0.0), 1e-15);
    }
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return 0;
}

// Inside a ball that is written as a superquadric, and on the shortest axis of any other one with
// exponents up to 1, the ball inside reaches the surface.
static int inside_safe_radius_is_exact_where_it_can_be(void) {
    tacModel* model =
        load_shapes("<shape name='t'><superquadric size='.5 .5 .5' eps='1 1'/></shape>"
                    "<shape name='r' distance='radial'><superquadric size='.5 .5 .5' eps='1 1'/>"
                    "</shape><shape name='q'><superquadric size='.3 .2 .5' eps='.6 .4'/></shape>");
    tacScratch* scratch = make_scratch(model);
    testRandom random = {29};
    for (int i = 0; i < 60; ++i) {
        double d[3], outside, inside, r = test_uniform(&random, 0.0, 0.45);
        int shape = i % 3;
        random_direction(&random, d);
        double x[3] = {r * d[0], r * d[1], r * d[2]}, left = 0.5 - r;
        if (shape == 2) {
            x[0] = x[2] = 0.0;
            x[1] = 0.4 * r;
            left = 0.2 - x[1];
        }
        tac_shape_safe_radius(model, shape, tac_pose_identity(),
                              (tacPoints){1, {&x[0], &x[1], &x[2]}}, &outside, &inside, scratch);
        ENSURE_NEAR(inside, left, 1e-14);
    }
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return 0;
}

//---------------------------------- ball -----------------------------------------

// outside however far one looks; only half-spaces and anisotropic clouds have no ball
static int ball_contains_solid(const tacModel* model, int shape, tacScratch* scratch,
                               testRandom* random) {
    tacBall ball = tac_shape_ball(model, shape, scratch);
    const char* name = model->shape[shape].name;
    int endless = strcmp(name, "plane") == 0 || strstr(name, "egg 2") != NULL;
    ENSURE(endless ? isinf(ball.radius) : ball.radius > 0.1 && ball.radius < 8.0);
    for (int i = 0; i < 2000 && !endless; ++i) {
        double d[3], reach = 1.0001 * ball.radius * pow(10.0, i % 4);
        random_direction(random, d);
        double x[3] = {ball.center.x + reach * d[0], ball.center.y + reach * d[1],
                       ball.center.z + reach * d[2]};
        ENSURE(value_at(model, shape, x, scratch) > 0.0);
    }
    return 0;
}

static int bounding_ball_contains_the_solid(void) {
    tacModel* models[] = {load_zoo(), load_cloud_zoo()};
    testRandom random = {23};
    for (int m = 0; m < 2; ++m) {
        tacScratch* scratch = make_scratch(models[m]);
        for (int shape = 0; shape < models[m]->nshape; ++shape)
            ENSURE_LAW(ball_contains_solid(models[m], shape, scratch, &random));
        tac_scratch_destroy(scratch);
        tac_model_destroy(models[m]);
    }
    return 0;
}

// far from the frame's origin a solid has the ball that it has there, wherever its own numbers say
// that it is
static int bounding_ball_is_centered_on_the_solid(void) {
    static const char* const form =
        "<shape name='box'><box size='.3 .2 .1' pos='%.9g 0 0'/></shape>"
        "<shape name='nest' smooth='.01'><union pos='%.9g 0 0'><sphere size='.1' pos='.2 0 0'/>"
        "<difference><sphere size='.2'/><sphere size='.1' pos='0 0 "
        ".1'/></difference></union></shape>"
        "<shape name='sweep' smooth='.01'><sweep points='%.9g 0 0 %.9g .3 0 %.9g 0 .2' size='.1 .1 "
        ".1'"
        " eps='1 1'/></shape><shape name='polyhedron'><polyhedron planes='1 0 0 %.9g -1 0 0 %.9g"
        " 0 1 0 -.1 0 -1 0 -.1 0 0 1 -.1 0 0 -1 -.1' smooth='.001'/></shape>"
        "<shape name='cloud'><cloud width='.1' points='%.9g 0 0 %.9g 0 0 %.9g .2 0 %.9g -.2 0 %.9g "
        "0 .2"
        " %.9g 0 -.2' normals='1 0 0 -1 0 0 0 1 0 0 -1 0 0 0 1 0 0 -1'/></shape>";
    double center[5][3], radius[5];
    static const double far[] = {0.0, 100.0, 1e5};
    for (int i = 0; i < 3; ++i) {
        char text[4000];
        double f = far[i];
        snprintf(text, sizeof text, form, f, f, f - .3, f, f + .4, -f - .2, f - .1, f + .2, f - .2,
                 f, f, f, f);
        tacModel* model = load_shapes(text);
        tacScratch* scratch = make_scratch(model);
        for (int shape = 0; shape < model->nshape; ++shape) {
            tacBall ball = tac_shape_ball(model, shape, scratch);
            double c[3] = {ball.center.x - f, ball.center.y, ball.center.z};
            if (i == 0) {
                memcpy(center[shape], c, sizeof c);
                radius[shape] = ball.radius;
            }
            ENSURE(isfinite(ball.radius) && ball.radius < 4.0);
            ENSURE_NEAR(ball.radius, radius[shape], 2e-4);
            for (int k = 0; k < 3; ++k) ENSURE_NEAR(c[k], center[shape][k], 1e-9);
        }
        tac_scratch_destroy(scratch);
        tac_model_destroy(model);
    }
    return 0;
}

TEST_MAIN(RUN(rays_never_enter_shapes), RUN(rays_never_enter_nests), RUN(rays_never_enter_clouds),
          RUN(inside_safe_radius_stays_inside), RUN(step_is_exact_where_it_can_be),
          RUN(inside_safe_radius_is_exact_where_it_can_be), RUN(bounding_ball_contains_the_solid),
          RUN(bounding_ball_is_centered_on_the_solid))
