// The colour that a ray sees.

#ifndef TAC_DRAW_SHADE_H
#define TAC_DRAW_SHADE_H

#include "draw/occlude.h"

// working memory of one thread
typedef struct tacShadeWorkspace {
    struct tacShadeWorkspace* mirror; // for reflections; NULL: only the sky is reflected
    tacRays mirrored;
    tacRays layer; // rays that continue through transparent items
    tacSurfels surfels;
    tacTraceWorkspace trace;
    tacOccludeWorkspace occlude;
    double colour[TAC_PACKET][3], left[TAC_PACKET]; // light so far, share that still passes
    int surfel_ray[TAC_PACKET], owner[TAC_PACKET];
    double surfel_colour[TAC_PACKET][3], surfel_mirror[TAC_PACKET][3];
} tacShadeWorkspace;

// Traces the rays and fills space->colour: linear light.
void tac_shade(const tacStage* stage, tacRays* rays, tacShadeWorkspace* workspace,
               tacScratch* scratch);

// tone mapping: linear light to 0 .. 1
double tac_tone_map(double linear);

// linear light 0 .. 1 to a byte of an sRGB picture
unsigned char tac_srgb_byte(double linear);

#endif
