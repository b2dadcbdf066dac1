// The program of a shape run over one block of points.

#ifndef TAC_SHAPE_SHAPE_RUN_H
#define TAC_SHAPE_SHAPE_RUN_H

#include "shape/cull.h"
#include "shape/pack.h"

// memory of a run
typedef struct tacShapeRun {
    tacBlockPoints* points;
    tacFieldBlock* stack; // (shape->depth); [0] is the shape's field afterwards
    tacPack* pack;
    tacCulling culling;
} tacShapeRun;

// arrays from the scratch, with a culling; the caller resets arena.used
tacShapeRun tac_shape_run_bind(const tacShapeProgram* p, tacScratch* scratch);
// the dry run of it, and its bytes
void tac_shape_run_measure(const tacShape* shape, tacArena* arena);
size_t tac_shape_run_size(const tacShape* shape);
// the same with a culling that is bound
tacShapeRun tac_shape_run_alloc(const tacShapeProgram* p, const tacCulling* culling,
                                tacScratch* scratch);

// field of the shape at run->points, up to `order`, in run->stack[0]
void tac_shape_run_block(const tacShapeProgram* p, tacShapeRun* run, int order);

#endif
