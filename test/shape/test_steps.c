// The safe step: a ray that advances by it never enters a shape; the ball around a solid holds it.

#include "shape/scenes.h"
#include "test.h"

// march a random ray; the value must stay positive, and no point of the proven ball may be inside
static int ray_stays_outside(const tacModel* model, int shape, tacScratch* scratch,
                             testRandom* random) {
    double x[3], d[3], length = 0.0;
    for (int k = 0; k < 3; ++k)
        x[k] = test_uniform(random, -3.0, 3.0), d[k] = test_uniform(random, -1.0, 1.0) - 0.3 * x[k];
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

static int rays_never_enter(void) {
    tacModel* model = load_zoo();
    tacScratch* scratch = make_scratch(model);
    testRandom random = {17};
    int rays = getenv("TACTUS_NO_SWEEP") ? 500 : getenv("TACTUS_SWEEP") ? 120000 : 10000;
    for (int shape = 0; shape < model->nshape; ++shape)
        for (int i = 0; i < rays; ++i)
            ENSURE_LAW(ray_stays_outside(model, shape, scratch, &random));
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
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

static int ball_holds_the_solid(void) {
    tacModel* model = load_zoo();
    tacScratch* scratch = make_scratch(model);
    testRandom random = {23};
    for (int shape = 0; shape < model->nshape; ++shape) {
        double radius = tac_shape_radius(model, shape, scratch);
        if (shape == tac_shape_find(model, "plane")) {
            ENSURE(isinf(radius));
            continue;
        }
        ENSURE(radius > 0.1 && radius < 4.0);
        for (int i = 0; i < 2000; ++i) {
            double x[3], n = 0.0, value;
            for (int k = 0; k < 3; ++k) x[k] = test_uniform(&random, -1.0, 1.0);
            for (int k = 0; k < 3; ++k) n += x[k] * x[k];
            for (int k = 0; k < 3; ++k) x[k] *= 1.0001 * radius / sqrt(n);
            tac_shape_eval(model, shape, tac_pose_identity(), (tacPoints){1, {&x[0], &x[1], &x[2]}},
                           (tacField){.value = &value}, scratch);
            ENSURE(value > 0.0);
        }
    }
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return 0;
}

TEST_MAIN(RUN(rays_never_enter), RUN(step_is_exact_where_it_can_be), RUN(ball_holds_the_solid))
