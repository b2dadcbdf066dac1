// Framing: the ground under a shape, and a view of all finite items.

#ifndef TAC_DRAW_FRAMING_H
#define TAC_DRAW_FRAMING_H

#include "draw/trace.h"

// working memory
typedef struct tacFramingWorkspace {
    tacRays rays;
    tacTraceWorkspace workspace;
} tacFramingWorkspace;

// Height of the lowest point of the only item of a stage; infinite if no ray hits it.
double tac_framing_lowest(const tacStage* stage, tacFramingWorkspace* framing, tacScratch* scratch);

// A three-quarter view with a margin around the items. `aspect` is width/height of the picture.
tacCamera tac_framing_camera(const tacStage* stage, double aspect, tacFramingWorkspace* framing,
                             tacScratch* scratch);

#endif
