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
} tacFieldBound;

// takes memory from the scratch
tacFieldBound tac_field_bind(const tacModel* model, int geom, tacScratch* scratch);

// bytes of it, for this build's tacReal
size_t tac_field_size(const tacShape* shape);

#endif
