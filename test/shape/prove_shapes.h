// The check of derivatives on every shape of a model.

#ifndef TACTUS_TEST_SHAPE_PROVE_SHAPES_H
#define TACTUS_TEST_SHAPE_PROVE_SHAPES_H

#include "check/prove.h"
#include "check/shape_problem.h"

static inline int prove_shapes(tacModel* model, int points) {
    int bad = 0;
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

#endif
