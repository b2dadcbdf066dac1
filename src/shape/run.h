// The program of a shape run over one block of points.

#ifndef TAC_SHAPE_RUN_H
#define TAC_SHAPE_RUN_H

#include "shape/cull.h"
#include "shape/pack.h"

// memory of a run
typedef struct tacRun {
    tacBlockPoints* points;
    tacBlock* stack; // (shape->depth); [0] is the shape's field afterwards
    tacPack* pack;
    tacCulling culling;
} tacRun;

// takes memory from the scratch, which tac_run_size() tells; the caller puts arena.used back
tacRun tac_run_bind(const tacProgram* p, tacScratch* scratch);
size_t tac_run_size(const tacShape* shape);
// the same with a culling that is bound
tacRun tac_run_take(const tacProgram* p, const tacCulling* culling, tacScratch* scratch);

// field of the shape at run->points, up to `order`, in run->stack[0]
void tac_run_block(const tacProgram* p, tacRun* run, int order);

#endif
