// The field of a geom bound in axes of its body: its program, what a union leaves out, and bounds
// from below. It depends on parameters alone, so it is kept from call to call (kept.h).

#ifndef TAC_DETECT_FIELD_BOUND_H
#define TAC_DETECT_FIELD_BOUND_H

#include "detect/vertex_sdf_kernels.h"
#include "shape/run.h"

typedef struct tacFieldBound {
    tacProgram program;
    tacCulling culling;
    tacFloorNode* floor; // bounds from below, one a node
    int floors;
    tacRoughFloors* rough; // the same of the leaves, if there are any
    int leaves;   // boxes of one union without others in it, or 1; 0: something else, or too many
    tacReal rise; // how far that union may lie below its least leaf                [m]
    double end;   // where it ends (shape/fade.h), 0: nowhere                       [m]
    double range; // the support of contact,                                        [m]
    tacFeatureBox box; // and a box around where the field is below that, body axes
} tacFieldBound;

// half a side of boxes without end                                                            [m]
#define TAC_ENDLESS 1e30

// A box around where the field is below a range, body axes; endless if nothing is known. A
// leaf whose floor is scale (|y| - less/scale) on each axis is below it only where |y| is below
// (range + less)/scale. A combination is nowhere lower than its lowest leaf less what all unions in
// it take away.
tacFeatureBox tac_field_box(const tacFieldBound* field, double range);

// takes memory from the scratch
tacFieldBound tac_field_bind(const tacModel* model, int geom, tacScratch* scratch);

// bytes of it, for this build's tacReal
size_t tac_field_size(const tacShape* shape);

#endif
