// The check problem of a shape of a model.

#ifndef TAC_CHECK_SHAPE_PROBLEM_H
#define TAC_CHECK_SHAPE_PROBLEM_H

#include "check/check.h"
#include "shape/node_data.h"

typedef struct tacCheckShape {
    const tacModel* model;
    int shape;
    double position[3], rotation[4]; // placement that the twist moves
    double size;                     // points are drawn within a few of these,
    double far;                      // and some as far away as this
    double smooth;                   // smallest temperature
    int* used;                       // offsets of the parameters that the shape depends on
    int used_count;
    void* memory;        // two arrays of nparam numbers of any type
    tacNodeData* bound;  // nodes in the world at that placement
    tacCloudPage* page;  // boxes of clouds whose points are moved
    tacScratch* scratch; // large enough for the quad build too
} tacCheckShape;

TAC_DECLARE_CHECK(tac_check_shape_);

// sets *context up and returns its problem; free with tac_check_shape_end
tacResult tac_check_shape_begin(const tacModel* model, int shape, tacCheckShape* context,
                                tacCheckProblem* problem);
void tac_check_shape_end(tacCheckShape* context);

// bounds of docs/derivatives.md for this shape's temperature and size
tacCheckOptions tac_check_shape_options(const tacCheckShape* context);

#endif
