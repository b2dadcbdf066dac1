// Oriented point clouds: closed forms of docs/shapes.md, derivatives, culling, bits, bad input.

#include "base/pool.h"
#include "check/prove.h"
#include "check/shape_problem.h"
#include "shape/clouds.h"
#include "shape/scenes.h"
#include "test.h"

static double value_at(const tacModel* model, double x, double y, double z) {
    tacScratch* scratch = make_scratch(model);
    double value = NAN;
    tac_shape_eval(model, 0, tac_pose_identity(), (tacPoints){1, {&x, &y, &z}},
                   (tacField){.value = &value}, scratch);
    tac_scratch_destroy(scratch);
    return value;
}

//---------------------------------- derivatives ----------------------------------

static int derivatives_hold(void) {
    int points = getenv("TACTUS_NO_SWEEP") ? 200 : getenv("TACTUS_SWEEP") ? 10000 : 1000, bad = 0;
    tacModel* model = load_cloud_zoo();
    for (int shape = 0; shape < model->nshape; ++shape) {
        tacCheckShape context;
        tacCheckProblem problem;
        ENSURE(tac_check_shape_begin(model, shape, &context, &problem) == TAC_OK);
        tacCheckOptions options = tac_check_shape_options(&context);
        options.points = points;
        bad += prove(&problem, options);
        tac_check_shape_end(&context);
    }
    tac_model_destroy(model);
    prove_summary();
    return bad;
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

TEST_MAIN(RUN(derivatives_hold), RUN(wide_kernels_give_a_growing_ball),
          RUN(far_weights_do_not_underflow))
