// Where to stand: the ground under a shape, and a view that holds all finite items.

#ifndef TAC_DRAW_FRAME_H
#define TAC_DRAW_FRAME_H

#include "draw/trace.h"

// working memory
typedef struct tacLook {
    tacRays rays;
    tacTraceSpace space;
} tacLook;

// Height of the lowest point of the only item of a stage; infinite if it is nowhere met.
double tac_frame_lowest(const tacStage* stage, tacLook* look, tacScratch* scratch);

// A three-quarter view with some air around what is seen. `aspect` is width/height of the picture.
tacCamera tac_frame_camera(const tacStage* stage, double aspect, tacLook* look,
                           tacScratch* scratch);

#endif
