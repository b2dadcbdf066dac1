// The field of a geom bound in axes of its body: its program, what a union leaves out, and bounds
// from below. It depends on parameters alone, so it is kept from call to call (detect_cache.h).

#ifndef TAC_DETECT_FIELD_GEOM_FIELD_H
#define TAC_DETECT_FIELD_GEOM_FIELD_H

#include "detect/field/vertex_sdf_kernels.h"
#include "shape/shape_run.h"

typedef struct tacGeomField {
    tacShapeProgram program;
    tacCulling culling;
    tacLowerBoundNode* lower_bound; // bounds from below, one a node
    int lower_bounds;
    tacFloatBounds* float_bounds; // the same of the leaves, if there are any
    int leaves; // boxes of one union without others in it, or 1; 0: something else, or too many
    tacReal blend_drop; // how far that union may lie below its least leaf                [m]
    double end;         // where it ends (shape/fade.inl), 0: nowhere                       [m]
    double range;       // the support of contact,                                        [m]
    tacFeatureBox box;  // and a box around where the field is below that, body axes
} tacGeomField;

// half a side of boxes without end                                                            [m]
#define TAC_UNBOUNDED 1e30

// A box around where the field is below a range, body axes; endless if nothing is known. A
// leaf whose lower bound is scale (|y| - less/scale) on each axis is below it only where |y| is
// below (range + less)/scale. A combination is nowhere lower than its lowest leaf less what all
// unions in it take away.
tacFeatureBox tac_geom_field_box(const tacGeomField* field, double range);

// takes memory from the scratch
tacGeomField tac_geom_field_bind(const tacModel* model, int geom, tacScratch* scratch);

// the dry run of that
void tac_geom_field_measure(const tacShape* shape, tacArena* arena);

#endif
